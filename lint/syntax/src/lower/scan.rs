//! Lexes a text into tokens with paired delimiters, in one pass on any valid input.

use super::indent::{FARTHEST, Repair};
use super::keyword::Keyword;
use super::skim;
use super::tokens::{Kind, Token, Tokens, list_for};
use crate::ir::SyntaxError;
use crate::source::SourceFile;
use crate::span::Span;
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, strip_shebang, tokenize};
use std::ops::Range;

/// Numeric literals longer than this (bytes) are an error: syn takes time quadratic in the digits.
/// A `u128` in binary with a `_` after each digit has 258.
const LONGEST_NUMBER: usize = 4096;

impl<'a> Tokens<'a> {
    /// Lexes a whole file after its byte-order mark, shebang and frontmatter.
    pub(super) fn of_file(source: &'a SourceFile) -> Self {
        Self::read(source, content(source), true, Skims::Nothing)
    }

    /// Lexes a part of a text; a range out of bounds or not on character boundaries yields no
    /// tokens.
    pub(super) fn of_part(source: &'a SourceFile, range: Range<usize>) -> Self {
        Self::read(source, sliceable(source, range), false, Skims::Nothing)
    }

    /// As [`Tokens::of_file`], without the tokens inside macros that are called or defined among
    /// items; without `bodies`, also without those inside function bodies.
    pub(super) fn of_items_in_file(source: &'a SourceFile, bodies: bool) -> Self {
        Self::read(source, content(source), true, Skims::but(bodies))
    }

    /// As [`Tokens::of_items_in_file`], of a part of a text.
    pub(super) fn of_items_in_part(
        source: &'a SourceFile,
        range: Range<usize>,
        bodies: bool,
    ) -> Self {
        Self::read(source, sliceable(source, range), false, Skims::but(bodies))
    }

    fn read(source: &'a SourceFile, range: Range<usize>, whole: bool, skims: Skims) -> Self {
        let mut scan = Scan::new(source, &range);
        scan.skims = skims;
        if scan.run(range.clone(), whole).is_err() {
            // This is rare, so repairing the delimiters may take a second pass.
            scan = Scan::new(source, &range);
            scan.repair = Some(Repair::default());
            let _ = scan.run(range, whole);
        }
        scan.tokens
    }
}

/// The part of a file that rustc tokenizes.
fn content(source: &SourceFile) -> Range<usize> {
    let text = source.text.as_str();
    let mut start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    start += strip_shebang(&text[start..]).unwrap_or(0);
    start..text.len()
}

/// The range, or an empty one if it does not slice the text.
fn sliceable(source: &SourceFile, range: Range<usize>) -> Range<usize> {
    match source.text.get(range.clone()) {
        Some(_) => range,
        None => 0..0,
    }
}

/// The groups whose tokens are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skims {
    Nothing,
    /// Macros among items.
    Macros,
    /// Those, and function bodies.
    MacrosAndBodies,
}

impl Skims {
    fn but(bodies: bool) -> Skims {
        match bodies {
            true => Skims::Macros,
            false => Skims::MacrosAndBodies,
        }
    }
}

/// The lexing pass that fills [`Tokens`].
struct Scan<'a> {
    tokens: Tokens<'a>,
    skims: Skims,
    /// The number of open delimiters, from the outermost, that enclose items: of modules, traits
    /// and `impl`s.
    levels: usize,
    /// The keyword of the item that is being read, and the index of its token.
    head: Option<(Keyword, usize)>,
    /// Indices of the unclosed opening delimiters.
    open: Vec<u32>,
    /// Set in the second pass over a text with mismatched delimiters.
    repair: Option<Repair>,
}

/// Error: the delimiters do not match, and the pass must be repeated with repair.
struct Unbalanced;

impl<'a> Scan<'a> {
    fn new(source: &'a SourceFile, range: &Range<usize>) -> Self {
        Scan {
            tokens: Tokens {
                file: source.id,
                text: &source.text,
                list: list_for(range.len() / 5),
                words: Vec::new(),
                added: Vec::new(),
                faults: Vec::new(),
            },
            open: Vec::new(),
            skims: Skims::Nothing,
            levels: 0,
            head: None,
            repair: None,
        }
    }

    fn run(&mut self, range: Range<usize>, whole: bool) -> Result<(), Unbalanced> {
        let mut frontmatter = if whole {
            FrontmatterAllowed::Yes
        } else {
            FrontmatterAllowed::No
        };
        let mut at = range.start;
        if self.skims != Skims::Nothing {
            while let Some(next) = self.run_to_skimmed::<true>(at..range.end, frontmatter)? {
                at = next;
                frontmatter = FrontmatterAllowed::No;
            }
        } else {
            self.run_to_skimmed::<false>(range, frontmatter)?;
        }
        self.finish()
    }

    /// Reads tokens up to the opening delimiter of the next skipped group, and returns the place of
    /// its closing delimiter; `None` at the end of the range. Without `SKIMS` nothing is skipped.
    fn run_to_skimmed<const SKIMS: bool>(
        &mut self,
        range: Range<usize>,
        frontmatter: FrontmatterAllowed,
    ) -> Result<Option<usize>, Unbalanced> {
        let text = &self.tokens.text[..range.end];
        let mut at = range.start;
        let mut line = at;
        for token in tokenize(&text[range], frontmatter) {
            let start = at;
            at += token.len as usize;
            let kind = match token.kind {
                TokenKind::Whitespace
                | TokenKind::LineComment { .. }
                | TokenKind::Frontmatter { .. } => None,
                TokenKind::BlockComment { terminated, .. } => {
                    if !terminated {
                        self.fault(start..start + 2, "this comment is never closed");
                    }
                    None
                }
                TokenKind::Ident | TokenKind::InvalidIdent | TokenKind::UnknownPrefix => {
                    Some(Kind::Word)
                }
                TokenKind::RawIdent => Some(Kind::Raw),
                TokenKind::Lifetime { .. }
                | TokenKind::UnknownPrefixLifetime
                | TokenKind::RawLifetime => Some(Kind::Lifetime),
                TokenKind::Literal { kind, .. } => {
                    if unterminated(kind) {
                        self.fault(start..at, "this literal is never closed");
                    }
                    match kind {
                        LiteralKind::Int { .. } | LiteralKind::Float { .. }
                            if at - start > LONGEST_NUMBER =>
                        {
                            self.fault(start..at, "this number has too many digits");
                            None
                        }
                        LiteralKind::Int { .. } | LiteralKind::Float { .. } => Some(Kind::Number),
                        _ => Some(Kind::Quoted),
                    }
                }
                TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => {
                    Some(Kind::Open)
                }
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    Some(Kind::Close)
                }
                _ => Some(Kind::Punct),
            };
            if let Some(kind) = kind {
                if self.repair.is_some() && line <= start {
                    self.line(start);
                    line = usize::MAX;
                }
                let outer = self.open.len();
                self.push(start, at, kind)?;
                if let Some(repair) = &mut self.repair {
                    repair.passed();
                }
                if SKIMS && self.is_skimmed(outer) {
                    // A group that cannot be skipped is read.
                    if let Some(closed) = skim::closing(text, start) {
                        // A body that may have one is listed as if the words in it were.
                        if closed.implements && matches!(self.head, Some((Keyword::Fn, _))) {
                            let last = self.tokens.list.len() - 1;
                            self.tokens.words.push(last as u32);
                        }
                        return Ok(Some(closed.at));
                    }
                }
            }
            if self.repair.is_some() && text[start..at].contains('\n') {
                line = start;
            }
        }
        Ok(None)
    }

    /// Updates `levels` and `head` for the last token, and returns true if it opens a group whose
    /// tokens are left out. `outer` is the number of delimiters that were open before it.
    fn is_skimmed(&mut self, outer: usize) -> bool {
        let Some(&token) = self.tokens.list.last() else {
            return false;
        };
        let last = self.tokens.list.len() - 1;
        if token.kind == Kind::Close {
            let ends = token.byte == b'}' && self.open.len() == self.levels;
            if self.open.len() < self.levels {
                self.levels = self.open.len();
                self.head = None;
            } else if ends {
                self.head = None;
            }
            return false;
        }
        if outer != self.levels {
            return false;
        }
        match (token.kind, self.head) {
            (Kind::Punct, _) if token.byte == b';' => self.head = None,
            (Kind::Word, None) if begins_item(token.keyword) => {
                self.head = Some((token.keyword, last));
            }
            (Kind::Word, Some((Keyword::Const, at)))
                if token.keyword == Keyword::Fn && self.tokens.qualifier(at) =>
            {
                self.head = Some((Keyword::Fn, last));
            }
            (Kind::Open, None) => return self.tokens.macro_args(last),
            (Kind::Open, Some((Keyword::MacroRules, at))) => {
                return self.tokens.punct(at + 1, b'!') && last == at + 3;
            }
            (Kind::Open, Some((Keyword::Fn, at))) => {
                return self.skims == Skims::MacrosAndBodies
                    && self.tokens.ident(at + 1)
                    && self.is_body(at + 2, last);
            }
            (Kind::Open, Some((Keyword::Mod | Keyword::Trait, at)))
                if self.is_body(at + 2, last) =>
            {
                self.levels += 1;
                self.head = None;
            }
            (Kind::Open, Some((Keyword::Impl, at))) if self.is_body(at + 1, last) => {
                self.levels += 1;
                self.head = None;
            }
            _ => {}
        }
        false
    }

    /// True if the last token opens the braces of the item whose generics or signature begins at
    /// `first`.
    fn is_body(&self, first: usize, last: usize) -> bool {
        let is_brace = self.tokens.list[last].byte == b'{';
        is_brace && self.tokens.to_body(first, last + 1).0 == Some(last)
    }

    fn push(&mut self, start: usize, end: usize, kind: Kind) -> Result<(), Unbalanced> {
        let index = self.tokens.list.len() as u32;
        let byte = self.tokens.text.as_bytes()[start];
        let mut mate = 0;
        let mut keyword = Keyword::No;
        match kind {
            Kind::Open => {
                self.open.push(index);
                if let Some(repair) = &mut self.repair {
                    repair.opened();
                }
            }
            Kind::Close => {
                let opener = self.opener(start, byte)?;
                let Some(opener) = opener else { return Ok(()) };
                mate = opener;
                // `opener` may have inserted closing delimiters.
                let index = self.tokens.list.len() as u32;
                self.tokens.list[opener as usize].mate = index;
            }
            Kind::Word => {
                keyword = Keyword::of(&self.tokens.text[start..end]);
                if defining(keyword) {
                    self.tokens.words.push(index);
                }
            }
            // `##` and `#"`, reserved since edition 2024, are two tokens in earlier editions.
            Kind::Punct if byte == b'#' && end - start > 1 => {
                self.plain(start, start + 1, kind);
                if self.tokens.text.as_bytes()[start + 1] == b'"' {
                    self.fault(start..end, "`#\"` is a reserved prefix");
                    return Ok(());
                }
                self.plain(start + 1, end, kind);
                return Ok(());
            }
            _ => {}
        }
        self.tokens.list.push(Token {
            start: start as u32,
            end: end as u32,
            mate,
            kind,
            byte,
            keyword,
        });
        Ok(())
    }

    fn plain(&mut self, start: usize, end: usize, kind: Kind) {
        self.tokens.list.push(Token {
            start: start as u32,
            end: end as u32,
            mate: 0,
            kind,
            byte: self.tokens.text.as_bytes()[start],
            keyword: Keyword::No,
        });
    }

    /// Returns the opening delimiter that this closing one matches; `None` to ignore it.
    fn opener(&mut self, start: usize, byte: u8) -> Result<Option<u32>, Unbalanced> {
        let wanted = partner(byte);
        let fits = |scan: &Self, i: u32| scan.tokens.list[i as usize].byte == wanted;
        let Some(repair) = &self.repair else {
            return match self.open.pop() {
                Some(i) if fits(self, i) => Ok(Some(i)),
                _ => Err(Unbalanced),
            };
        };
        let by_indent = (byte == b'}')
            .then(|| repair.aligned(|n| fits(self, self.open[n])))
            .flatten();
        let depth = by_indent.or_else(|| {
            let mut inner = (0..self.open.len()).rev().take(FARTHEST);
            inner.find(|&n| fits(self, self.open[n]))
        });
        let Some(depth) = depth else {
            if self.tokens.added.is_empty() {
                self.fault(
                    start..start + 1,
                    &format!("this `{}` closes nothing", char::from(byte)),
                );
            }
            return Ok(None);
        };
        self.close_down_to(depth + 1, start);
        let opener = self.open.pop();
        if let Some(repair) = &mut self.repair {
            repair.closed(self.open.len());
        }
        Ok(opener)
    }

    /// Handles the first token of a line: an item cannot lie inside a group that a line with the
    /// same or deeper indentation opened.
    fn line(&mut self, start: usize) {
        let line_start = self.tokens.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let rest = &self.tokens.text[start..];
        if let Some(repair) = &mut self.repair {
            let keep = repair.line(start - line_start, rest);
            self.close_down_to(keep, start);
        }
    }

    /// Closes all groups but the outermost `keep` by inserting closing delimiters.
    fn close_down_to(&mut self, keep: usize, at: usize) {
        while self.open.len() > keep {
            let Some(opener) = self.open.pop() else {
                return;
            };
            let Token { start, byte, .. } = self.tokens.list[opener as usize];
            self.fault(
                start as usize..start as usize + 1,
                &format!("this `{}` is never closed", char::from(byte)),
            );
            let index = self.tokens.list.len() as u32;
            self.tokens.added.push(index);
            self.tokens.list[opener as usize].mate = index;
            self.tokens.list.push(Token {
                start: at as u32,
                end: at as u32,
                mate: opener,
                kind: Kind::Close,
                byte: partner(byte),
                keyword: Keyword::No,
            });
        }
        if let Some(repair) = &mut self.repair {
            repair.closed(self.open.len());
        }
    }

    fn finish(&mut self) -> Result<(), Unbalanced> {
        if self.open.is_empty() {
            return Ok(());
        }
        if self.repair.is_none() {
            return Err(Unbalanced);
        }
        let end = self.tokens.list.last().map_or(0, |t| t.end as usize);
        self.close_down_to(0, end);
        Ok(())
    }

    fn fault(&mut self, at: Range<usize>, message: &str) {
        const MOST: usize = 20;
        if self.tokens.faults.len() < MOST {
            let span = Span::new(self.tokens.file, at.start, at.end);
            let message = message.to_owned();
            self.tokens.faults.push(SyntaxError { span, message });
        }
    }
}

fn partner(byte: u8) -> u8 {
    match byte {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

/// Returns true for a keyword that may begin a definition inside a function body.
fn defining(word: Keyword) -> bool {
    use Keyword::*;
    matches!(
        word,
        Struct | Enum | Union | Mod | MacroRules | Impl | Type | Use | Fn
    )
}

/// True for the keyword that decides what an item is. `const` may also precede another one.
fn begins_item(word: Keyword) -> bool {
    use Keyword::*;
    matches!(
        word,
        Const
            | Enum
            | Fn
            | Impl
            | Macro
            | MacroRules
            | Mod
            | Static
            | Struct
            | Trait
            | Type
            | Union
            | Use
    )
}

fn unterminated(kind: LiteralKind) -> bool {
    match kind {
        LiteralKind::Int { .. } | LiteralKind::Float { .. } => false,
        LiteralKind::Char { terminated }
        | LiteralKind::Byte { terminated }
        | LiteralKind::Str { terminated }
        | LiteralKind::ByteStr { terminated }
        | LiteralKind::CStr { terminated } => !terminated,
        LiteralKind::RawStr { n_hashes }
        | LiteralKind::RawByteStr { n_hashes }
        | LiteralKind::RawCStr { n_hashes } => n_hashes.is_none(),
    }
}
