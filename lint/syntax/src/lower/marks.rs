//! Finds comments and attributes that control lints, also inside bodies and macro calls.

use super::attr::AttrReader;
use super::tokens::{Kind, Tokens};
use crate::ir::Attr;
use crate::ir::marks::{Comment, LevelAttr, Marks};
use crate::source::SourceFile;
use crate::span::Span;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, strip_shebang, tokenize};
use std::cell::OnceCell;
use std::ops::Range;

/// The word that begins a control comment, before a colon.
const WORD: &str = "weigh";

/// The attributes that set lint levels.
const LEVELS: &[&str] = &["allow", "expect", "warn", "deny", "forbid"];

/// Returns the lint marks of a file.
pub fn marks(source: &SourceFile) -> Marks {
    let tokens = Tokens::of_file(source);
    let groups = Groups::new(&tokens);
    let mut marks = Marks::default();
    if source.text.contains(WORD) {
        marks.comments = comments(source, &groups);
    }
    for i in 0..tokens.list.len() {
        let inner = tokens.punct(i, b'#') && tokens.punct(i + 1, b'!');
        let open = i + 1 + usize::from(inner);
        let Some(close) = tokens.group(open, b'[').filter(|_| tokens.punct(i, b'#')) else {
            continue;
        };
        let mut reader = AttrReader::new(&tokens);
        reader.read(i..close + 1);
        let mut attrs = reader.attrs;
        let is_level =
            |a: &Attr| matches!(&a.meta.path[..], [level] if LEVELS.contains(&level.as_str()));
        attrs.list = attrs.list.into_iter().filter(is_level).collect();
        if attrs.list.is_empty() && attrs.cfg.is_none() {
            continue;
        }
        let covers = match inner {
            true => match groups.around(i) {
                Some(open) => {
                    let close = tokens.list[open].mate as usize;
                    tokens.list[open].start..tokens.list[close].end
                }
                None => 0..source.text.len() as u32,
            },
            false => match groups.part(i) {
                Some(covers) => covers,
                None => continue,
            },
        };
        marks.cfgs.extend(attrs.cfg.map(|c| (covers.clone(), c)));
        marks
            .levels
            .extend(attrs.list.into_iter().map(|attr| LevelAttr {
                attr,
                covers: covers.clone(),
            }));
    }
    marks
}

fn comments(source: &SourceFile, groups: &Groups) -> Vec<Comment> {
    let text = source.text.as_str();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    at += strip_shebang(&text[at..]).unwrap_or(0);
    let mut list = Vec::new();
    for token in tokenize(&text[at..], FrontmatterAllowed::Yes) {
        let (start, end) = (at, at + token.len as usize);
        at = end;
        let (plain, inside) = match token.kind {
            TokenKind::LineComment { doc_style } => (
                doc_style.is_none(),
                text[start..end].trim_start_matches(['/', '!']),
            ),
            TokenKind::BlockComment { .. } => {
                let inside = text[start..end].trim_start_matches(['/', '*', '!']);
                (false, inside.strip_suffix("*/").unwrap_or(inside))
            }
            _ => continue,
        };
        // Longer rows of slashes are separators or commented-out code.
        let ours = inside.trim_start().strip_prefix(WORD);
        let Some(rest) = ours.filter(|_| !text[start..].starts_with("////")) else {
            continue;
        };
        let (words, colon) = match rest.strip_prefix(':') {
            Some(words) => (words.trim(), true),
            None if plain && is_meant(rest) => (rest.trim(), false),
            None => continue,
        };
        let words_at = words.as_ptr() as usize - text.as_ptr() as usize;
        list.push(Comment {
            span: Span::new(source.id, start, start + text[start..end].trim_end().len()),
            text: Span::new(source.id, words_at, words_at + words.len()),
            plain,
            colon,
            covers: covers(groups, start, end),
        });
    }
    list
}

/// Returns true for the text after `weigh` in a comment that lacks its colon: `allow(…)`.
fn is_meant(rest: &str) -> bool {
    let verb = rest.trim_start();
    let end = verb.find(|c: char| !c.is_alphabetic() && c != '-');
    let (verb, list) = verb.split_at(end.unwrap_or(verb.len()));
    rest.starts_with(' ')
        && matches!(verb, "allow" | "expect" | "allow-file")
        && list.trim_start().starts_with('(')
}

/// Returns the range that a comment applies to: what begins before it on its line, else what
/// follows it.
fn covers(groups: &Groups, start: usize, end: usize) -> Option<Range<u32>> {
    let tokens = groups.tokens;
    let line = tokens.text[..start].rfind('\n').map_or(0, |n| n + 1);
    let first = |at: usize| tokens.list.partition_point(|t| (t.start as usize) < at);
    let (own, behind) = (first(line), first(end));
    if own == first(start) {
        return groups.part(behind);
    }
    let closes = |i: &usize| {
        let kind = tokens.list[*i].kind;
        kind != Kind::Close && !tokens.punct(*i, b',') && !tokens.punct(*i, b';')
    };
    groups.part((own..first(start)).find(closes)?)
}

/// How a syntax element ends.
enum Form {
    /// A field, variant or argument: at a comma.
    Listed,
    /// A match arm: at a comma, or with its block.
    Arm,
    /// An item or statement.
    Statement,
}

/// The tokens of a file with the group that contains each.
pub(super) struct Groups<'t> {
    tokens: &'t Tokens<'t>,
    /// For each token, the index of the innermost unclosed delimiter: computed in one pass, since a
    /// file may have very many marks.
    open: OnceCell<Vec<Option<u32>>>,
}

impl<'t> Groups<'t> {
    pub(super) fn new(tokens: &'t Tokens<'t>) -> Groups<'t> {
        let open = OnceCell::new();
        Groups { tokens, open }
    }

    /// Returns the opening delimiter of the group around token `i`.
    fn around(&self, i: usize) -> Option<usize> {
        let open = self.open.get_or_init(|| {
            let mut stack: Vec<u32> = Vec::new();
            let tokens = self.tokens.list.iter().zip(0..);
            let open = tokens.map(|(token, i)| {
                let around = stack.last().copied();
                match token.kind {
                    Kind::Open => stack.push(i),
                    Kind::Close => drop(stack.pop()),
                    _ => {}
                }
                around
            });
            open.collect()
        });
        open.get(i).copied().flatten().map(|open| open as usize)
    }

    /// Returns the closing delimiter of the group around token `i`, or the end of the file.
    fn end_around(&self, i: usize) -> usize {
        let closes = |open: usize| self.tokens.list[open].mate as usize;
        self.around(i).map_or(self.tokens.list.len(), closes)
    }

    /// Returns the byte range of the item, field, variant, arm or statement that begins at token
    /// `i`, including its attributes.
    pub(super) fn part(&self, first: usize) -> Option<Range<u32>> {
        let tokens = self.tokens;
        let mut i = first;
        while tokens.punct(i, b'#') {
            let open = i + 1 + usize::from(tokens.punct(i + 1, b'!'));
            i = tokens.group(open, b'[')? + 1;
        }
        if tokens.list.get(i)?.kind == Kind::Close {
            return None;
        }
        let last = match self.form(i) {
            Form::Listed => listed(tokens, i),
            Form::Arm => until(tokens, i, |j| {
                let block = tokens.group(j, b'{').is_some() && j > 0 && tokens.arrow(j - 1);
                tokens.punct(j, b',') || block
            }),
            Form::Statement => statement(tokens, i, self.end_around(i)),
        };
        let last = last.min(tokens.list.len() - 1);
        Some(tokens.list[first].start..tokens.list[last].end)
    }

    fn form(&self, i: usize) -> Form {
        let tokens = self.tokens;
        let Some(open) = self.around(i) else {
            return Form::Statement;
        };
        if tokens.list[open].byte != b'{' {
            return Form::Listed;
        }
        // The keyword before the brace determines what is in it.
        let mut j = open;
        while j > 0 {
            j -= 1;
            let token = tokens.list[j];
            match token.kind {
                Kind::Open => break,
                Kind::Close if token.byte == b'}' => break,
                Kind::Close => j = token.mate as usize,
                Kind::Word => match tokens.str(j) {
                    "enum" | "struct" | "union" if tokens.ident(j + 1) => return Form::Listed,
                    "match" => return Form::Arm,
                    "fn" | "impl" | "mod" | "trait" => break,
                    _ => {}
                },
                _ if tokens.punct(j, b';') => break,
                _ => {}
            }
        }
        let name = tokens.after_vis(i);
        match tokens.ident(name) && tokens.punct(name + 1, b':') && !tokens.path_sep(name + 1) {
            true => Form::Listed,
            false => Form::Statement,
        }
    }
}

/// Returns the first token from `i` on, outside of nested groups, for which `end` is true, or its
/// closing delimiter if it opens a group. Returns the last token of the enclosing group if there is
/// none.
fn until(tokens: &Tokens, mut i: usize, end: impl Fn(usize) -> bool) -> usize {
    let begin = i;
    while let Some(token) = tokens.list.get(i) {
        let last = match token.kind {
            Kind::Open => token.mate as usize,
            Kind::Close => return i.saturating_sub(1).max(begin),
            _ => i,
        };
        if end(i) {
            return last;
        }
        i = last + 1;
    }
    i
}

/// Returns the comma after a list element, ignoring those between generic arguments.
fn listed(tokens: &Tokens, i: usize) -> usize {
    let angles = std::cell::Cell::new(Some(0));
    until(tokens, i, |j| {
        let depth = angles.get();
        angles.set(match depth {
            // After `=` comes a value, where `<` compares or shifts.
            Some(0) if tokens.punct(j, b'=') && !tokens.punct(j + 1, b'>') => None,
            Some(n) if tokens.punct(j, b'<') => Some(n + 1),
            Some(n) if n > 0 && tokens.punct(j, b'>') && !tokens.arrow(j) => Some(n - 1),
            depth => depth,
        });
        tokens.punct(j, b',') && matches!(depth, None | Some(0))
    })
}

fn statement(tokens: &Tokens, i: usize, end: usize) -> usize {
    if let Some(item) = tokens.item_at(i, end) {
        return item.end - 1;
    }
    let labelled = tokens.list[i].kind == Kind::Lifetime;
    let block = labelled || tokens.group(i, b'{').is_some();
    match tokens.str(i) {
        "for" | "while" | "loop" | "if" | "match" | "unsafe" | "async" => body(tokens, i),
        _ if block => body(tokens, i),
        _ => until(tokens, i, |j| tokens.punct(j, b';')),
    }
}

/// Returns the end of a statement that ends with a block, including `else` and method calls after
/// it.
fn body(tokens: &Tokens, i: usize) -> usize {
    let mut end = until(tokens, i, |j| {
        tokens.punct(j, b';') || tokens.group(j, b'{').is_some()
    });
    loop {
        let next = end + 1;
        let pattern = tokens.punct(next, b'=') && !tokens.punct(next + 1, b'=');
        if tokens.word(next, "else") || pattern {
            end = until(tokens, next, |j| {
                tokens.punct(j, b';') || tokens.group(j, b'{').is_some()
            });
        } else if tokens.punct(next, b'.') || tokens.punct(next, b'?') {
            return until(tokens, next, |j| tokens.punct(j, b';'));
        } else {
            return end;
        }
    }
}
