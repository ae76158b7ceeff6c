//! Replaces `out.push_str(&format!(…))` by `write!(out, …)`.

use super::text::Tokens;
use super::{Editor, Work, text};
use crate::lower::Kind;
use crate::resolve::CrateIx;
use crate::span::Span;

impl Editor<'_> {
    /// Returns the crate that contains a file.
    fn crate_of(&self, place: Span) -> Option<CrateIx> {
        let db = self.model.db;
        let path = &db.sources.get(place.file).path;
        let crates = self.crates.iter().map(|id| id.0);
        crates.into_iter().find(|krate| {
            let mut modules = db.all_modules(*krate).into_iter();
            modules.any(|m| db.module(m).file.as_ref() == Some(path))
        })
    }
}

/// A statement `out.push_str(&format!(…))`, as token indices.
struct Appending {
    /// The first token of the statement, and the token `format`.
    start: usize,
    format: usize,
    /// The parentheses of `format!`, and the closing parenthesis of `push_str`.
    open: usize,
    close: usize,
    end: usize,
}

impl Appending {
    /// Returns the statement whose `format!` is at this place.
    fn find(tokens: &Tokens, format: Span) -> Option<Appending> {
        let first = tokens.at(format.start);
        let open = (first..).find(|&i| i >= tokens.list.len() || tokens.is(i, b'!'))? + 1;
        let close = tokens.list.get(open).filter(|t| t.kind == Kind::Open)?.mate as usize;
        let call = first.checked_sub(4)?;
        let fits = tokens.is(first - 1, b'&')
            && tokens.is(first - 2, b'(')
            && tokens.list[first - 2].mate as usize == close + 1
            && tokens.is(call, b'.');
        // The receiver: names and dots.
        let mut start = call;
        while start > 0 && (tokens.is_ident(start - 1) || tokens.is(start - 1, b'.')) {
            start -= 1;
        }
        let before = start.checked_sub(1).map_or("", |b| tokens.str(b));
        let arm = before == ">" && tokens.str(start.wrapping_sub(2)) == "=";
        let alone = match tokens.str(close + 2) {
            ";" => matches!(before, ";" | "{" | "}") || arm,
            "," => arm,
            _ => false,
        };
        (fits && alone && start < call).then_some(Appending {
            start,
            format: first,
            open,
            close,
            end: close + 1,
        })
    }

    /// Returns true if the formatted values do not borrow the buffer that is appended to. Other
    /// fields of `self` are allowed.
    fn is_apart(&self, tokens: &Tokens) -> bool {
        let root = tokens.str(self.start);
        let field = tokens.str(self.start + 2);
        (self.open + 1..self.close).all(|i| {
            let text = tokens.str(i);
            if tokens.list[i].kind == Kind::Quoted {
                return !text.contains(&format!("{{{root}"));
            }
            let of_self = text == "self"
                && tokens.is(i + 1, b'.')
                && tokens.str(i + 2) != field
                && !tokens.is(i + 3, b'(')
                && self.start + 3 < self.format;
            text != root || !tokens.is_ident(i) || of_self
        })
    }
}

impl Work<'_> {
    /// Replaces a `format!` whose result is appended to a string by `write!` into that string;
    /// `function` is the enclosing body.
    pub(super) fn append(&mut self, format: Span, function: Span) -> Option<()> {
        let editor = self.editor;
        let db = editor.model.db;
        let (real, body) = (self.real(format)?, self.real(function)?);
        let tokens = editor.files.get(&db.sources, real.file);
        let of = Appending::find(&tokens, real)?;
        let root = match editor.model.has_std(editor.crate_of(real)?) {
            true => "std",
            false => "core",
        };
        if !of.is_apart(&tokens) {
            self.leave(real, "formats the string that it appends to");
            return Some(());
        }
        let span = |from: usize, to: usize| Span {
            file: real.file,
            start: tokens.list[from].start,
            end: tokens.list[to].end,
        };
        let out = tokens.text(&(of.start..of.format - 4));
        let one = tokens.list[of.open + 1];
        // `write!` with a final line break becomes `writeln!`.
        let line = tokens.str(of.open + 1);
        let line = line.strip_prefix('"').and_then(|l| l.strip_suffix("\\n\""));
        let line = line.filter(|l| one.kind == Kind::Quoted && !l.ends_with('\\'));
        let ends = tokens.str(of.open + 2);
        let lone = ends == ")" || ends == "]" || ends == "}";
        let (name, first) = match line {
            Some("") if lone => ("writeln", Some(String::new())),
            Some(line) if !line.is_empty() => ("writeln", Some(format!(", \"{line}\""))),
            _ => ("write", None),
        };
        let (until, first) = match first {
            Some(first) => (of.open + 1, first),
            None => (of.open, ", ".to_owned()),
        };
        // A `let` is not allowed in a `match` arm.
        let sets = match tokens.str(of.close + 2) {
            ";" if !tokens.is(of.start - 1, b'>') => "let _ = ",
            _ => "_ = ",
        };
        self.edits
            .replace(span(of.start, until), format!("{sets}{name}!({out}{first}"));
        self.edits.replace(span(of.close, of.end), ")".to_owned());
        let source = &tokens.source.text;
        let whole = &source[body.start as usize..body.end as usize];
        let open = tokens.at(body.start);
        if !has_write(source) && !whole.contains("fmt::Write") && tokens.is(open, b'{') {
            let first = tokens.list[open + 1].start;
            let margin = super::join::margin(source, first);
            let behind = Span {
                file: real.file,
                start: tokens.list[open].end,
                end: tokens.list[open].end,
            };
            let text = format!("\n{margin}use {root}::fmt::Write as _;\n");
            self.edits.around(behind, text::OUTER, &text, "");
        }
        Some(())
    }
}

/// Returns true if the file imports `fmt::Write`.
fn has_write(source: &str) -> bool {
    let mut lines = source.lines();
    lines.any(|line| line.starts_with("use ") && line.contains("fmt::Write"))
}
