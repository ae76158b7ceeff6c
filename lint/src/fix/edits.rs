//! Sets of edits: whether two conflict, their result, and the map from new offsets back to old
//! ones.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

/// A replacement of a range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// A range of the old text, in bytes.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Replacement {
    /// True for whole lines, such as imports: the same line from two remedies is inserted once.
    fn is_lines(&self) -> bool {
        self.text.trim_start().starts_with("use ") || self.text.ends_with('\n')
    }

    /// True if both replacements are the same and need to be applied only once.
    fn is_shared(&self, other: &Replacement) -> bool {
        self == other && (!self.range.is_empty() || self.is_lines())
    }

    fn touches(&self, other: &Replacement) -> bool {
        let (a, b) = (&self.range, &other.range);
        match a.is_empty() || b.is_empty() {
            // An insertion at the edge of a replaced range may depend on its old text.
            true => a.start <= b.end && b.start <= a.end,
            false => a.start < b.end && b.start < a.end,
        }
    }
}

/// Edits by file. Paths are relative to the copied folder.
pub type Patch = BTreeMap<PathBuf, Vec<Replacement>>;

/// True if two patches conflict.
pub fn contradict(a: &Patch, b: &Patch) -> bool {
    a.iter().any(|(path, edits)| {
        let others = b.get(path).map_or(&[][..], Vec::as_slice);
        let clash = |x: &Replacement, y: &Replacement| x.touches(y) && !x.is_shared(y);
        edits.iter().any(|x| others.iter().any(|y| clash(x, y)))
    })
}

/// The union of patches that do not conflict, in text order.
pub fn join<'p>(patches: impl Iterator<Item = &'p Patch>) -> Patch {
    let mut all = Patch::new();
    for patch in patches {
        for (path, edits) in patch {
            let of_file: &mut Vec<Replacement> = all.entry(path.clone()).or_default();
            let known = of_file.len();
            for edit in edits {
                if !of_file[..known].iter().any(|old| old.is_shared(edit)) {
                    of_file.push(edit.clone());
                }
            }
        }
    }
    for edits in all.values_mut() {
        // The sort is stable: insertions of one patch at one place keep their order.
        edits.sort_by_key(|e| (e.range.start, e.range.end));
    }
    all
}

/// A text after its edits.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// The old ranges that were replaced, and the length of each new text.
    replaced: Vec<(Range<usize>, usize)>,
}

/// Applies sorted edits; edits that overlap the previous one or exceed the text are skipped.
pub fn apply(old: &str, edits: &[Replacement]) -> Edited {
    let mut text = String::with_capacity(old.len() + 64);
    let mut replaced = Vec::new();
    let mut at = 0;
    for Replacement { range, text: new } in edits {
        let (Some(between), Some(_)) = (old.get(at..range.start), old.get(range.clone())) else {
            continue;
        };
        text.push_str(between);
        text.push_str(new);
        replaced.push((range.clone(), new.len()));
        at = range.end;
    }
    text.push_str(&old[at..]);
    Edited { text, replaced }
}

impl Edited {
    /// The ranges of the new text that replaced others.
    pub fn written(&self) -> Vec<Range<usize>> {
        let (mut old_at, mut new_at) = (0, 0);
        let place = |(range, length): &(Range<usize>, usize)| {
            let start = new_at + (range.start - old_at);
            (old_at, new_at) = (range.end, start + length);
            start..new_at
        };
        self.replaced.iter().map(place).collect()
    }

    /// The new offset for an old one; inside of a replaced range, the end of the new text.
    pub fn forth(&self, offset: usize) -> usize {
        let (mut old_at, mut new_at) = (0, 0);
        for (range, length) in &self.replaced {
            let begins = new_at + (range.start - old_at);
            if offset < range.start {
                break;
            }
            if offset < range.end {
                return begins + length;
            }
            (old_at, new_at) = (range.end, begins + length);
        }
        new_at + (offset - old_at)
    }

    /// The old offset for a new one; inside of new text, the start of the replaced range.
    pub fn back(&self, offset: usize) -> usize {
        let (mut old_at, mut new_at) = (0, 0);
        for (range, length) in &self.replaced {
            let begins = new_at + (range.start - old_at);
            if offset < begins {
                break;
            }
            if offset < begins + length {
                return range.start;
            }
            (old_at, new_at) = (range.end, begins + length);
        }
        old_at + (offset - new_at)
    }
}

/// The text with the line ends of another text.
pub fn with_its_line_ends(new: &str, of: &str) -> String {
    let plain = new.replace("\r\n", "\n");
    match of.contains("\r\n") {
        true => plain.replace('\n', "\r\n"),
        false => plain,
    }
}

/// Line and column of a byte offset, both from 1; a byte-order mark does not count as a column.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text[..end].trim_start_matches('\u{feff}');
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line, last.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(start: usize, end: usize, text: &str) -> Replacement {
        Replacement {
            range: start..end,
            text: text.to_owned(),
        }
    }

    fn patch(edits: &[Replacement]) -> Patch {
        Patch::from([("a.rs".into(), edits.to_vec())])
    }

    #[test]
    fn what_contradicts() {
        let boxed = patch(&[put(4, 7, "Box<u64>")]);
        for (other, wanted) in [
            (put(7, 9, "x"), false),
            (put(6, 9, "x"), true),
            (put(4, 7, "Box<u64>"), false),
            (put(4, 7, "Rc<u64>"), true),
            (put(4, 4, "Box<"), true),
            (put(7, 7, ">"), true),
            (put(8, 8, ">"), false),
        ] {
            assert_eq!(
                contradict(&boxed, &patch(std::slice::from_ref(&other))),
                wanted,
                "{other:?}"
            );
        }
        let import = patch(&[put(0, 0, "use alloc::boxed::Box;\n")]);
        assert!(!contradict(&import, &import));
        let wrap = patch(&[put(3, 3, "Box::new(")]);
        assert!(contradict(&wrap, &wrap));
        let elsewhere = Patch::from([("b.rs".into(), vec![put(4, 7, "x")])]);
        assert!(!contradict(&boxed, &elsewhere));
    }

    #[test]
    fn shared_edits_are_done_once() {
        let import = put(0, 0, "use alloc::boxed::Box;\n");
        let (a, b) = (
            patch(&[import.clone(), put(9, 10, "B")]),
            patch(&[import.clone(), put(4, 5, "A")]),
        );
        let all = join([&a, &b].into_iter());
        assert_eq!(
            all[&PathBuf::from("a.rs")],
            [import, put(4, 5, "A"), put(9, 10, "B")]
        );
        // A patch may insert two closing brackets at one place.
        let twice = patch(&[put(3, 3, ")"), put(3, 3, ")")]);
        assert_eq!(join([&twice].into_iter()), twice);
    }

    #[test]
    fn there_and_back() {
        let old = "\u{feff}é🦀 = x;\r\ny();";
        let at = |c: char| old.find(c).unwrap();
        let edits = [
            put(at('x'), at('x'), "Box::new("),
            put(at('x') + 1, at('x') + 1, ")"),
            put(at('y'), at('y') + 1, ""),
        ];
        let edited = apply(old, &edits);
        assert_eq!(edited.text, "\u{feff}é🦀 = Box::new(x);\r\n();");
        let back = |word: &str| edited.back(edited.text.find(word).unwrap());
        assert_eq!(back("é"), at('é'));
        assert_eq!(back("new"), at('x'));
        assert_eq!(back("x"), at('x'));
        assert_eq!(back("();"), at('y') + 1);
        assert_eq!(edited.back(edited.text.len()), old.len());
        let written = edited.written().into_iter().map(|r| &edited.text[r]);
        assert_eq!(written.collect::<Vec<_>>(), ["Box::new(", ")", ""]);
        for word in ["é", " = ", "();"] {
            let (from, to) = (old.find(word).unwrap(), edited.text.find(word).unwrap());
            assert_eq!(edited.forth(from), to, "{word}");
        }
        assert_eq!(edited.forth(at('y')), edited.text.find("();").unwrap());
        assert_eq!(line_column(old, at('x')), (1, 6));
        assert_eq!(line_column(old, at('y')), (2, 1));
        // An edit inside of a character is skipped.
        let torn = at('🦀') + 1;
        assert_eq!(apply(old, &[put(torn, torn, "!")]).text, old);
        assert_eq!(apply(old, &[put(400, 401, "!")]).text, old);
    }

    #[test]
    fn line_ends() {
        assert_eq!(with_its_line_ends("a\nb\r\n", "x\r\ny"), "a\r\nb\r\n");
        assert_eq!(with_its_line_ends("a\nb\r\n", "x\ny"), "a\nb\n");
    }
}
