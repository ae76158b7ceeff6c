//! Sentences with numbers in them, put together by the compiler's own constant evaluation.
//!
//! The evaluator cannot format a number, so the expansion brings a function that can. It is called
//! in the failing branch alone: an assertion that holds pays for the function's type check, and
//! formats nothing.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::check::Check;

/// How many variants a sentence ends with, and [`RANK`] puts in order.
const SHOWN: usize = 3;
/// The decimal digits of the largest `usize`, with some to spare.
const DIGITS: usize = 24;

/// Functions are named by type: a trait of the user's may give everything a method `len`.
///
/// Writes from the end to the front, as a number gives its digits. Text and not quoted tokens: one
/// call of the compiler's own lexer in place of hundreds of small ones for every type.
const FAIL: &str = "
    #[track_caller]
    const fn __weigh_fail(parts: &[__WeighPart]) -> ! {
        let mut text = [0; __WEIGH_ROOM];
        let mut start = __WEIGH_ROOM;
        let mut parts = parts;
        while let [before @ .., (words, number)] = parts {
            parts = before;
            let mut words = __weigh_core::primitive::str::as_bytes(words);
            let mut number = *number;
            while number != __weigh_core::primitive::usize::MAX {
                start -= 1;
                text[start] = b'0' + number.wrapping_rem(10) as __weigh_core::primitive::u8;
                number /= 10;
                if number == 0 {
                    break;
                }
            }
            while let [before @ .., byte] = words {
                words = before;
                start -= 1;
                text[start] = *byte;
            }
        }
        match __weigh_core::str::from_utf8(<[_]>::split_at(&text, start).1) {
            __weigh_core::result::Result::Ok(text) => __weigh_core::panic!(\"{}\", text),
            __weigh_core::result::Result::Err(_) => __weigh_core::panic!(),
        }
    }";

/// Brings the largest variants to the front, as many as a sentence tells.
const RANK: &str = "
    const fn __weigh_rank(variants: &mut [__WeighPart]) {
        let mut rank = 0;
        while rank < <[_]>::len(variants) && rank < 3 {
            let mut other = rank + 1;
            while other < <[_]>::len(variants) {
                if variants[other].1 > variants[rank].1 {
                    <[_]>::swap(variants, other, rank);
                }
                other += 1;
            }
            rank += 1;
        }
    }";

/// Pairs of words and the number after them, as tokens of type `__WeighPart`.
pub struct Sentence {
    parts: Vec<TokenStream>,
    /// At most so many bytes come of the parts.
    length: usize,
    tells_variants: bool,
}

impl Sentence {
    pub fn begin(words: &str, number: &TokenStream) -> Sentence {
        let mut sentence = Sentence {
            parts: Vec::new(),
            length: 0,
            tells_variants: false,
        };
        sentence.part(words, number);
        sentence
    }

    pub fn part(&mut self, words: &str, number: &TokenStream) {
        self.push(words.len(), &words.to_token_stream(), number);
    }

    /// Words after which no number stands.
    pub fn end(&mut self, words: &str) {
        self.part(words, &no_number());
    }

    /// One of two wordings: the first where the condition holds.
    pub fn either(&mut self, condition: &TokenStream, words: [&str; 2], number: &TokenStream) {
        let [yes, no] = words;
        let words = quote!(if #condition { #yes } else { #no });
        self.push(yes.len().max(no.len()), &words, number);
    }

    /// The unit of the number `size` just before, then the number after it.
    pub fn unit(&mut self, words: &str, number: &TokenStream) {
        let (one, many) = (format!(" byte{words}"), format!(" bytes{words}"));
        self.either(&quote!(size == 1), [&one, &many], number);
    }

    fn push(&mut self, length: usize, words: &TokenStream, number: &TokenStream) {
        self.parts.push(quote!((#words, #number)));
        self.length += length + DIGITS;
    }

    pub fn length(&self) -> usize {
        self.length
    }

    /// Fails with this sentence; the error underlines the span from `first` to `last`.
    pub fn say(&self, (first, last): (Span, Span)) -> TokenStream {
        let parts = &self.parts;
        call("__weigh_fail", quote!(&[#(#parts),*]), first, last)
    }

    /// Ends with the largest of the variants named, which the table `variants` is ranked by.
    pub fn end_with_variants(&mut self, names: impl ExactSizeIterator<Item = String>) {
        let shown = names.len().min(SHOWN);
        let longest = names.map(|name| name.len()).max().unwrap_or(0);
        for rank in (0..shown).map(Literal::usize_unsuffixed) {
            let separator = if self.tells_variants {
                ", "
            } else {
                "; largest variants: "
            };
            self.end(separator);
            self.tells_variants = true;
            self.parts.push(quote!(variants[#rank]));
            self.length += longest + DIGITS;
        }
    }
}

/// A call that rustc takes to begin at `first` and to end at `last`.
fn call(function: &str, arguments: TokenStream, first: Span, last: Span) -> TokenStream {
    let function = Ident::new(function, first);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(last);
    quote!(#function #arguments)
}

/// Stands where a part has no number: no type is so large.
fn no_number() -> TokenStream {
    quote!(__weigh_core::primitive::usize::MAX)
}

/// What the checks call.
pub fn writer(checks: &[Check]) -> TokenStream {
    let room = checks.iter().map(|check| check.length).max().unwrap_or(0);
    let room = Literal::usize_unsuffixed(room);
    let rank = checks.iter().any(|check| check.ranks_variants);
    // Both texts are fixed: a test parses them.
    let parse = |text: &str| text.parse::<TokenStream>().unwrap_or_default();
    let fail = parse(FAIL);
    let rank = rank.then(|| parse(RANK));
    quote! {
        type __WeighPart = (&'static __weigh_core::primitive::str, __weigh_core::primitive::usize);
        const __WEIGH_ROOM: __weigh_core::primitive::usize = #room;
        #fail
        #rank
    }
}

#[cfg(test)]
mod tests {
    use super::{FAIL, RANK};

    #[test]
    fn functions_are_functions() {
        for text in [FAIL, RANK] {
            assert!(syn::parse_str::<syn::ItemFn>(text).is_ok(), "{text}");
        }
    }
}
