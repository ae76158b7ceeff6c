//! Finds where items begin and end among the tokens of a text, without parsing them.

use super::tokens::{Kind, Tokens};
use crate::ir::Vis;
use std::ops::Range;

/// Maximum number of qualifier tokens (`const unsafe extern "C"`) of an item; more than any has.
const MOST_QUALIFIERS: usize = 8;

/// Maximum length (tokens) of the path of a macro call: in a text that is not Rust, every token may
/// begin one.
const LONGEST_PATH: usize = 200;

/// The kind of an item, after the keyword that introduces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Mod,
    Struct,
    Enum,
    Union,
    Type,
    Const,
    Static,
    Use,
    ExternCrate,
    ExternBlock,
    MacroRules,
    Macro,
    Call,
    Impl,
    Trait,
    Fn,
}

/// An item found among the tokens. All numbers are token indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// The first token, including attributes.
    pub start: usize,
    /// The first token after the attributes.
    pub vis: usize,
    /// The first token after the visibility.
    pub first: usize,
    /// The kind of item.
    pub word: Word,
    /// The keyword of the item; for a macro call, the first token of its path.
    pub at: usize,
    /// The name, if it has one.
    pub name: Option<usize>,
    /// The `{` of the body; the opening delimiter of a macro call or definition.
    pub open: Option<usize>,
    /// One past the last token.
    pub end: usize,
}

impl Tokens<'_> {
    /// Returns one past the outer attributes that begin at `i`.
    pub(super) fn after_attrs(&self, mut i: usize) -> usize {
        while self.punct(i, b'#')
            && let Some(close) = self.group(i + 1, b'[')
        {
            i = close + 1;
        }
        i
    }

    /// Returns one past the inner attributes that begin at `i`.
    pub(super) fn after_inner_attrs(&self, mut i: usize) -> usize {
        while self.punct(i, b'#')
            && self.punct(i + 1, b'!')
            && let Some(close) = self.group(i + 2, b'[')
        {
            i = close + 1;
        }
        i
    }

    /// Returns one past the visibility that begins at `i`; `i` if there is none.
    pub(super) fn after_vis(&self, i: usize) -> usize {
        if !self.word(i, "pub") {
            return i;
        }
        match self.group(i + 1, b'(') {
            Some(close) if matches!(self.str(i + 2), "crate" | "self" | "super" | "in") => {
                close + 1
            }
            _ => i + 1,
        }
    }

    /// Returns the visibility that these tokens are.
    pub(super) fn vis(&self, range: Range<usize>) -> Vis {
        match range.len() {
            0 => Vis::Private,
            1 => Vis::Public,
            _ => {
                let names = (range.start + 2..range.end - 1).filter(|&i| self.ident(i));
                let names = names.filter(|&i| !self.word(i, "in"));
                Vis::In(Box::new(names.map(|i| self.name(i)).collect()))
            }
        }
    }

    /// Returns the item that begins at token `i`, if it ends at or before token `end`.
    pub(super) fn item_at(&self, i: usize, end: usize) -> Option<Head> {
        let vis = self.after_attrs(i);
        let first = self.after_vis(vis);
        if first >= end {
            return None;
        }
        let mut at = first;
        while at < first + MOST_QUALIFIERS && self.qualifier(at) {
            at += 1;
            if self.word(at - 1, "extern") && self.list.get(at)?.kind == Kind::Quoted {
                at += 1;
            }
        }
        let word = self.item_word(at)?;
        let mut head = Head {
            start: i,
            vis,
            first,
            word,
            at,
            name: None,
            open: None,
            end,
        };
        match word {
            Word::Call => self.call(&mut head)?,
            Word::MacroRules => {
                head.name = Some(at + 2);
                self.close(&mut head, at + 3)?;
            }
            Word::Macro => {
                head.name = Some(at + 1);
                // `macro name(matcher) { body }` or `macro name { rules }`.
                let body = self.group(at + 2, b'(').map_or(at + 2, |close| close + 1);
                self.close(&mut head, body)?;
            }
            Word::Use | Word::Type | Word::Const | Word::Static | Word::ExternCrate => {
                let name = match word {
                    Word::ExternCrate => at + 2,
                    Word::Static if self.word(at + 1, "mut") => at + 2,
                    _ => at + 1,
                };
                head.name = (word != Word::Use).then_some(name);
                head.end = self.to_semicolon(at, end);
            }
            Word::Impl | Word::ExternBlock => {
                (head.open, head.end) = self.to_body(at + 1, end);
            }
            Word::Mod | Word::Struct | Word::Enum | Word::Union | Word::Trait | Word::Fn => {
                head.name = Some(at + 1);
                (head.open, head.end) = self.to_body(at + 2, end);
            }
        }
        (head.end <= end).then_some(head)
    }

    /// Returns true if token `i` is a qualifier of an item: its keyword or another qualifier
    /// follows.
    pub(super) fn qualifier(&self, i: usize) -> bool {
        let next = self.str(i + 1);
        match self.str(i) {
            "unsafe" => matches!(
                next,
                "fn" | "impl" | "trait" | "extern" | "mod" | "auto" | "async" | "static"
            ),
            "async" | "gen" => matches!(next, "fn" | "unsafe" | "extern" | "gen"),
            "const" => {
                matches!(
                    next,
                    "fn" | "unsafe"
                        | "async"
                        | "extern"
                        | "gen"
                        | "safe"
                        | "trait"
                        | "impl"
                        | "auto"
                ) && !self.punct(i + 2, b':')
            }
            "extern" => {
                next == "fn"
                    || self.list.get(i + 1).is_some_and(|t| t.kind == Kind::Quoted)
                        && self.word(i + 2, "fn")
            }
            "safe" => matches!(next, "fn" | "static"),
            "auto" => next == "trait",
            "default" | "final" => matches!(
                next,
                "fn" | "const" | "type" | "impl" | "unsafe" | "async" | "extern"
            ),
            _ => false,
        }
    }

    fn item_word(&self, at: usize) -> Option<Word> {
        let named = self.ident(at + 1);
        if self.list.get(at)?.kind == Kind::Word {
            match self.str(at) {
                "mod" if named => return Some(Word::Mod),
                "struct" if named => return Some(Word::Struct),
                "enum" if named => return Some(Word::Enum),
                "union" if named && !self.keyword(at + 1) => return Some(Word::Union),
                "type" if named => return Some(Word::Type),
                "trait" if named => return Some(Word::Trait),
                "fn" if named => return Some(Word::Fn),
                "use" => return Some(Word::Use),
                "impl" => return Some(Word::Impl),
                "const" if named && !self.keyword(at + 1) => return Some(Word::Const),
                "static" if self.static_item(at + 1) => return Some(Word::Static),
                "extern" if self.word(at + 1, "crate") => return Some(Word::ExternCrate),
                "extern" => {
                    let quoted = self.list.get(at + 1)?.kind == Kind::Quoted;
                    return self
                        .group(at + 1 + usize::from(quoted), b'{')
                        .map(|_| Word::ExternBlock);
                }
                "macro_rules" if self.punct(at + 1, b'!') && self.ident(at + 2) => {
                    return Some(Word::MacroRules);
                }
                "macro" if named => return Some(Word::Macro),
                _ => {}
            }
        }
        let path = at + if self.path_sep(at) { 2 } else { 0 };
        (self.ident(path) && (self.punct(path + 1, b'!') || self.path_sep(path + 1)))
            .then_some(Word::Call)
    }

    /// Returns true if a static item's name and colon begin at `i`; `static` may also begin a
    /// closure.
    fn static_item(&self, i: usize) -> bool {
        let name = i + usize::from(self.word(i, "mut"));
        self.ident(name) && self.punct(name + 1, b':')
    }

    fn call(&self, head: &mut Head) -> Option<()> {
        let mut i = head.at + if self.path_sep(head.at) { 2 } else { 0 };
        while i < head.at + LONGEST_PATH && self.ident(i) && self.path_sep(i + 1) {
            i += 3;
        }
        if !self.ident(i) || self.keyword(i) || !self.punct(i + 1, b'!') {
            return None;
        }
        self.close(head, i + 2)
    }

    /// Sets the end of a macro call or definition whose delimiters open at `open`.
    fn close(&self, head: &mut Head, open: usize) -> Option<()> {
        let token = self.list.get(open).filter(|t| t.kind == Kind::Open)?;
        let close = token.mate as usize;
        head.open = Some(open);
        head.end = close + 1 + usize::from(token.byte != b'{' && self.punct(close + 1, b';'));
        Some(())
    }

    /// Returns one past the next `;` outside of delimiters, or `end`.
    fn to_semicolon(&self, mut i: usize, end: usize) -> usize {
        while i < end {
            let token = self.list[i];
            if token.kind == Kind::Open {
                i = token.mate as usize;
            } else if token.kind == Kind::Punct && token.byte == b';' {
                return i + 1;
            }
            i += 1;
        }
        end
    }

    /// Returns the next `{` outside of delimiters and angle brackets, unless a `;` comes first, and
    /// the end of the item.
    pub(super) fn to_body(&self, mut i: usize, end: usize) -> (Option<usize>, usize) {
        let mut angles = 0usize;
        while i < end {
            let token = self.list[i];
            match (token.kind, token.byte) {
                (Kind::Open, b'{')
                    if !self.macro_args(i) && (angles == 0 || !self.const_arg(i)) =>
                {
                    return (Some(i), token.mate as usize + 1);
                }
                // A group without an end yet, where the list is still being filled, is entered.
                (Kind::Open, _) => i = i.max(token.mate as usize),
                (Kind::Punct, b';') => return (None, i + 1),
                (Kind::Punct, b'<') => angles += 1,
                (Kind::Punct, b'>') if !self.arrow(i) => angles = angles.saturating_sub(1),
                _ => {}
            }
            i += 1;
        }
        (None, end)
    }

    /// Returns true if the `{` at `i` may begin a generic argument or the default of a parameter.
    fn const_arg(&self, i: usize) -> bool {
        self.punct(i - 1, b'<') || self.punct(i - 1, b',') || self.punct(i - 1, b'=')
    }

    /// Returns one past the `>` that closes the `<` at `i`; `i` if token `i` is no `<`.
    pub(super) fn after_angles(&self, mut i: usize, end: usize) -> usize {
        let mut angles = 0usize;
        while i < end {
            let token = self.list[i];
            match (token.kind, token.byte) {
                (Kind::Open, _) => i = token.mate as usize,
                (Kind::Punct, b'<') => angles += 1,
                (Kind::Punct, b'>') if !self.arrow(i) => angles = angles.saturating_sub(1),
                _ => {}
            }
            if angles == 0 {
                return i + usize::from(self.punct(i, b'>'));
            }
            i += 1;
        }
        end
    }

    /// Returns the token ranges of the type and the value of a constant or static: what follows its
    /// colon, and what follows its `=`.
    pub(super) fn typed_value(
        &self,
        head: &Head,
    ) -> Option<(std::ops::Range<usize>, Option<std::ops::Range<usize>>)> {
        let end = head.end.checked_sub(1).filter(|&i| self.punct(i, b';'))?;
        let mut colon = head.name? + 1;
        if self.punct(colon, b'<') {
            colon = self.after_angles(colon, end);
        }
        if !self.punct(colon, b':') {
            return None;
        }
        let mut i = colon + 1;
        while i < end && !self.punct(i, b'=') {
            let token = self.list[i];
            if token.kind == Kind::Open {
                i = token.mate as usize;
            } else if self.punct(i, b'<') {
                i = self.after_angles(i, end).max(i + 1) - 1;
            }
            i += 1;
        }
        let i = i.min(end);
        Some((colon + 1..i, (i < end).then_some(i + 1..end)))
    }
}
