//! The functions that expansions call: each compares a size and builds the message of a failure.
//!
//! They are compiled once in this crate, not in each expansion, because checking a function that
//! formats numbers takes rustc ten times as long as the rest of an assertion. They are private to
//! the macros, which have the same version.

pub use core;
pub use core::mem::{align_of, size_of};

/// A variant with fields, and their size in bytes.
pub type Variant = (&'static str, usize);

/// The bytes of the future that a function returns, which is not called.
pub const fn size_of_returned<F: FnOnce() -> T, T: core::future::Future>(_: &F) -> usize {
    size_of::<T>()
}

/// Asserts a size of at most `limit` bytes; `whose` is, for example, "size of `T`", `variants` are
/// those of an enum.
#[track_caller]
pub const fn max(whose: &str, size: usize, limit: usize, variants: &[Variant]) {
    if size > limit {
        let mut text = compared(whose, size, limit);
        text.words(" over its limit of ");
        text.number(limit);
        text.largest(variants);
        text.fail();
    }
}

/// Asserts a size of at least `limit` bytes.
#[track_caller]
pub const fn min(whose: &str, size: usize, limit: usize, variants: &[Variant]) {
    if size < limit {
        let mut text = compared(whose, size, limit);
        text.words(" under its minimum of ");
        text.number(limit);
        text.largest(variants);
        text.fail();
    }
}

/// Asserts that a size is one of `sizes`, in bytes, which is not empty.
#[track_caller]
pub const fn exact(whose: &str, size: usize, sizes: &[usize], variants: &[Variant]) {
    let mut at = 0;
    while at < sizes.len() {
        if size == sizes[at] {
            return;
        }
        at += 1;
    }
    let mut text;
    if let [only] = *sizes {
        text = compared(whose, size, only);
        text.words(over_or_under(size, only));
        text.words(" the exact size of ");
        text.number(only);
    } else {
        text = Text::begin(whose, size);
        at = 0;
        while at < sizes.len() {
            text.words(match at {
                0 => ", expected ",
                _ if at + 1 == sizes.len() => " or ",
                _ => ", ",
            });
            text.number(sizes[at]);
            at += 1;
        }
    }
    text.largest(variants);
    text.fail();
}

/// Asserts an alignment of `wanted` bytes.
#[track_caller]
pub const fn align(name: &str, align: usize, wanted: usize) {
    if align != wanted {
        let mut text = Text::new();
        text.words("alignment of `");
        text.words(name);
        text.words("` is ");
        text.bytes(align);
        text.words(", ");
        text.number(align.abs_diff(wanted));
        text.words(over_or_under(align, wanted));
        text.words(" the exact alignment of ");
        text.number(wanted);
        text.fail();
    }
}

/// Asserts that an `Option` of a type is as large as the type itself.
#[track_caller]
pub const fn niche(name: &str, option: usize, own: usize) {
    if option > own {
        let mut text = Text::new();
        text.words("size of `Option<");
        text.words(name);
        text.words(">` is ");
        text.bytes(option);
        text.words(", ");
        text.number(option - own);
        text.words(" over the ");
        text.number(own);
        text.words(" of `");
        text.words(name);
        text.words("`, which has no niche");
        text.fail();
    }
}

/// Asserts that a struct is as large as the sum of its fields.
#[track_caller]
pub const fn no_padding(whose: &str, size: usize, fields: usize) {
    if size != fields {
        let mut text = compared(whose, size, fields);
        text.words(" over the ");
        text.number(fields);
        text.words(" that its fields have: it has padding");
        text.fail();
    }
}

/// Asserts that an enum's largest variant is at most `limit` bytes larger than the second largest;
/// `empty` is true if there are variants without fields, which are not in `variants`.
#[track_caller]
pub const fn max_gap(name: &str, limit: usize, variants: &[Variant], empty: bool) {
    let mut ranked = [("", 0); SHOWN];
    rank(variants, &mut ranked);
    let gap = match variants.len() {
        1 if !empty => 0,
        _ => ranked[0].1 - ranked[1].1,
    };
    if gap > limit {
        let mut text = Text::new();
        text.words("largest variant of `");
        text.words(name);
        text.words("` is ");
        text.bytes(gap);
        text.words(" over the second, ");
        text.number(gap - limit);
        text.words(" over its limit of ");
        text.number(limit);
        text.largest(variants);
        text.fail();
    }
}

/// Returns the size of a variant with its fields in source order, given their sizes and alignments
/// in bytes.
#[must_use]
pub const fn in_order(fields: &[(usize, usize)]) -> usize {
    let (mut size, mut align, mut at) = (0_usize, 1, 0);
    while at < fields.len() {
        let field = fields[at];
        size = size.next_multiple_of(field.1) + field.0;
        if field.1 > align {
            align = field.1;
        }
        at += 1;
    }
    size.next_multiple_of(align)
}

/// Number of variants at the end of a message.
const SHOWN: usize = 3;
/// Maximum length of a message in bytes; the rest is omitted.
const ROOM: usize = 4096;

/// Ranks the largest variants first, in source order if equal, padded with empty ones.
const fn rank(variants: &[Variant], ranked: &mut [Variant; SHOWN]) {
    let mut at = 0;
    while at < variants.len() {
        let mut place = SHOWN;
        while place > 0 && (place > at || ranked[place - 1].1 < variants[at].1) {
            place -= 1;
            if place + 1 < SHOWN {
                ranked[place + 1] = ranked[place];
            }
        }
        if place < SHOWN {
            ranked[place] = variants[at];
        }
        at += 1;
    }
}

const fn over_or_under(size: usize, wanted: usize) -> &'static str {
    if size > wanted { " over" } else { " under" }
}

/// Formats "size of `T` is 65 bytes, 1".
const fn compared(whose: &str, size: usize, limit: usize) -> Text {
    let mut text = Text::begin(whose, size);
    text.words(", ");
    text.number(size.abs_diff(limit));
    text
}

/// A message, built during constant evaluation, which cannot format.
struct Text {
    bytes: [u8; ROOM],
    length: usize,
}

impl Text {
    const fn new() -> Text {
        Text {
            bytes: [0; ROOM],
            length: 0,
        }
    }

    const fn begin(whose: &str, size: usize) -> Text {
        let mut text = Text::new();
        text.words(whose);
        text.words(" is ");
        text.bytes(size);
        text
    }

    /// Appends text; text that does not fit is omitted as a whole, so that no character is cut.
    const fn words(&mut self, words: &str) {
        let words = words.as_bytes();
        if words.len() > ROOM - self.length {
            return;
        }
        let mut at = 0;
        while at < words.len() {
            self.bytes[self.length] = words[at];
            self.length += 1;
            at += 1;
        }
    }

    const fn number(&mut self, number: usize) {
        let mut unit = 1;
        while number / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 && self.length < ROOM {
            self.bytes[self.length] = b'0' + (number / unit % 10) as u8;
            self.length += 1;
            unit /= 10;
        }
    }

    const fn bytes(&mut self, size: usize) {
        self.number(size);
        self.words(if size == 1 { " byte" } else { " bytes" });
    }

    /// Appends the largest variants, if there are any.
    const fn largest(&mut self, variants: &[Variant]) {
        let mut ranked = [("", 0); SHOWN];
        rank(variants, &mut ranked);
        let mut at = 0;
        while at < SHOWN && at < variants.len() {
            self.words(if at == 0 {
                "; largest variants: "
            } else {
                ", "
            });
            self.words(ranked[at].0);
            self.words(" ");
            self.number(ranked[at].1);
            at += 1;
        }
    }

    #[track_caller]
    const fn fail(&self) -> ! {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!(),
        }
    }
}
