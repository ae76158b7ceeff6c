//! What edits leave, as a person writes it: the patterns of a table are rewritten where an edit
//! touches them.

mod pieces;
mod table;

use super::Editor;
use super::foreign::bounds_of;
use super::freeze::let_of;
use super::text::Tokens;
use super::within;
use crate::finding::Edit;
use crate::infer::body::{Target, Typed};
use crate::infer::types::{std_name, without_refs};
use crate::ir::body::{ExprId, ExprKind, Signature};
use crate::ir::{Arg, Bound, Lit, Type};
use crate::lower::Kind as Token;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::span::{FileId, Span};
use pieces::{Part, Pieces};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use table::{KINDS, RULES};

/// Of a larger part of a file, only parts of so many tokens in it are rewritten.
const MOST_TOKENS: usize = 4000;

/// Methods whose result is what is asked of them.
const ASKED: &[&str] = &[
    "as_mut", "as_ref", "borrow", "collect", "into", "parse", "product", "sum", "try_into",
];

/// What an operand of a pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Any operand.
    Any,
    /// What is between two brackets: elements, at least one.
    List,
    /// `&str`.
    Text,
    String,
    /// `&[T]`.
    Slice,
    Vec,
    /// `&Path`.
    Path,
    PathBuf,
    /// `&OsStr`.
    OsStr,
    OsString,
    Option,
    /// A literal such as `b"a"`.
    Bytes,
    /// A parameter of which a bound says what `into` gives.
    Into,
}

/// Names that the code uses for what a rule writes.
struct Names {
    /// `Box`, or how else its default is named.
    boxed: &'static str,
}

/// A rule with its tokens.
struct Pattern {
    tokens: Tokens,
    after: &'static str,
    /// A word of it, to find texts without it quickly.
    word: String,
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let pattern = |rule: &table::Rule| {
        let tokens = Tokens::of_text(FileId(0), rule.before.to_owned());
        let words = (0..tokens.list.len()).filter(|i| *i == 0 || !tokens.is(i - 1, b'$'));
        let words = words.map(|i| tokens.str(i));
        let word = words.max_by_key(|word| word.len()).unwrap_or_default();
        Pattern {
            word: word.to_owned(),
            tokens,
            after: rule.after,
        }
    };
    RULES.iter().map(pattern).collect()
});

/// The expressions of a file, by place.
pub(super) type Places = FxHashMap<(u32, u32), (usize, ExprId)>;

impl Editor<'_> {
    /// Rewrites edits, which are sorted.
    pub(super) fn as_written(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let mut written = Vec::new();
        let mut rest = &edits[..];
        while let Some(first) = rest.first() {
            let tokens = self.files.get(&self.model.db.sources, first.span.file);
            let (part, count) = group(&tokens, rest, usize::MAX);
            let (here, later) = rest.split_at(count);
            rest = later;
            if let Some(part) = part.filter(|part| size(&tokens, *part) <= MOST_TOKENS) {
                self.write(&tokens, part, here, &mut written);
                continue;
            }
            // Of a large part, the smaller ones in it.
            let mut inner = here;
            while !inner.is_empty() {
                let (part, count) = group(&tokens, inner, MOST_TOKENS);
                let (here, later) = inner.split_at(count);
                inner = later;
                match part.filter(|part| size(&tokens, *part) <= MOST_TOKENS) {
                    Some(part) => self.write(&tokens, part, here, &mut written),
                    None => written.extend_from_slice(here),
                }
            }
        }
        written
    }

    /// Rewrites the edits of a part of a file.
    fn write(&self, tokens: &Tokens, part: Span, here: &[Edit], written: &mut Vec<Edit>) {
        let file = part.file;
        let before = written.last().map(|e: &Edit| e.span);
        if before.is_some_and(|b| b.file == file && b.end > part.start) {
            written.extend_from_slice(here);
            return;
        }
        let names = self.names_in(file);
        let mut pieces = Pieces::new(&tokens.source.text, part, here);
        let is = |place: Span, kind| self.is_kind(place, kind);
        match rewrite(&mut pieces, file, &names, &is) {
            true => written.extend(pieces.edits()),
            false => written.extend_from_slice(here),
        }
    }

    fn names_in(&self, file: FileId) -> Names {
        let path = self.model.db.sources.get(file).path.clone();
        let module = self.words().modules_of(&path).first().copied();
        let short = module.and_then(|m| self.std_path(m, "Box"));
        Names {
            boxed: match short.as_deref() {
                Some("Box") => "Box",
                _ => "Default",
            },
        }
    }

    /// Returns true if the expression at a place certainly has a type of this kind: also for rustc,
    /// which reads from the start to the end.
    fn is_kind(&self, place: Span, kind: Kind) -> bool {
        let places = match self.exprs.get(&place.file) {
            Some(places) => places,
            None => self
                .exprs
                .keep(place.file, Arc::new(self.exprs_of(place.file))),
        };
        let Some(&(body, expr)) = places.get(&(place.start, place.end)) else {
            return false;
        };
        let typed = &self.usage.bodies[body];
        if kind == Kind::Into {
            return self.lone_bound(typed, expr, "Into").is_some();
        }
        if let ExprKind::Method(on, name, ..) = &typed.node(expr).kind
            && name.name == "as_ref"
            && let Some(bound) = self.lone_bound(typed, *on, "AsRef")
        {
            return given_by(bound) == Some(kind);
        }
        let ty = self.certain(typed, expr, 0);
        ty.and_then(|ty| self.kind(ty)) == Some(kind)
    }

    /// Returns the only bound of this trait that a parameter of a generic type has: it tells rustc the
    /// trait's own parameter.
    fn lone_bound<'t>(&self, typed: &'t Typed, expr: ExprId, of: &str) -> Option<&'t Bound> {
        let Target::Local(local) = typed.fact(expr).target? else {
            return None;
        };
        let body = &typed.function.body;
        let mut params = body.params.iter().zip(&body.signature.inputs);
        let pat = typed.locals[local as usize].pat;
        let (_, input) = params.find(|(of_input, _)| **of_input == pat)?;
        let mut bounds = match input {
            Type::Impl(bounds) => bounds.iter().collect(),
            input => bounds_of(&body.signature.generics, within::lone(input)?),
        };
        bounds.retain(|bound| bound.path.last_name() == of);
        match bounds[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    fn exprs_of(&self, file: FileId) -> Places {
        let mut places = Places::default();
        let db = self.model.db;
        for (n, typed) in self.usage.bodies.iter().enumerate() {
            if db.item(typed.function.item).item.span.file != file {
                continue;
            }
            for (id, node, fact) in typed.exprs() {
                if fact.live && node.span.file == file {
                    let at = (node.span.start, node.span.end);
                    places.entry(at).or_insert((n, id));
                }
            }
        }
        places
    }

    fn kind(&self, ty: Ty) -> Option<Kind> {
        let types = &self.model.db.types;
        let name = |ty: Ty| match types.kind(ty) {
            TyKind::Adt(id, _) => std_name(self.model.db, *id),
            _ => None,
        };
        match types.kind(ty) {
            TyKind::Ref(inner, false) => match types.kind(*inner) {
                TyKind::Prim(Prim::Str) => Some(Kind::Text),
                TyKind::Slice(_) => Some(Kind::Slice),
                _ => match name(*inner)? {
                    "Path" => Some(Kind::Path),
                    "OsStr" => Some(Kind::OsStr),
                    _ => None,
                },
            },
            _ => match name(ty)? {
                "String" => Some(Kind::String),
                "Vec" => Some(Kind::Vec),
                "PathBuf" => Some(Kind::PathBuf),
                "OsString" => Some(Kind::OsString),
                "Option" => Some(Kind::Option),
                _ => None,
            },
        }
    }

    /// Returns the type of an expression, if it does not depend on what is asked of it.
    fn certain(&self, typed: &Typed, expr: ExprId, depth: usize) -> Option<Ty> {
        if depth > 8 {
            return None;
        }
        let of = |e: ExprId| self.certain(typed, e, depth + 1);
        let fact = typed.fact(expr);
        let no_parameters = |item| {
            let body = self.usage.body(item);
            body.is_some_and(|b| says_output(&b.function.body.signature))
        };
        match &typed.node(expr).kind {
            ExprKind::Lit(Lit::Str(_)) => Some(fact.ty),
            ExprKind::Path(_) => match fact.target? {
                Target::Local(local) => {
                    let local = &typed.locals[local as usize];
                    let known = match local.init {
                        Some(init) if !local.argument => {
                            is_declared(typed, init) || of(init).is_some()
                        }
                        // A part of a value, or what a loop or a closure is given.
                        _ => true,
                    };
                    (known && !local.lent).then_some(local.ty)
                }
                Target::Item(_) => Some(fact.ty),
                _ => None,
            },
            ExprKind::Field(..) => match fact.target? {
                Target::Field(_) => Some(fact.ty),
                _ => None,
            },
            ExprKind::Ref(false, inner) => match typed.node(*inner).kind {
                ExprKind::Index(on, _) => of(on).map(|_| fact.ty),
                _ => of(*inner).map(|_| fact.ty),
            },
            ExprKind::Macro(path, _) if path.last_name() == "format" => Some(fact.ty),
            ExprKind::Method(on, name, ..) => match fact.target {
                Some(Target::Item(item)) if no_parameters(item) => Some(fact.ty),
                // `collect::<Vec<_>>()`.
                _ if name.name == "collect" && name.args.is_some() => Some(fact.ty),
                _ => {
                    let on = of(*on)?;
                    let bare = without_refs(self.model.db, on);
                    let of_std = self.usage.std_method(bare, name.name);
                    let signature = match of_std {
                        Some(method) => Some(method.signature),
                        None => self.foreign_method(bare, name.name, typed.function.module),
                    };
                    let plain =
                        signature.is_some_and(says_output) && !ASKED.contains(&name.name.as_str());
                    (plain
                        || self.kind(on) == Some(Kind::Option)
                            && self.kind(fact.ty) == Some(Kind::Option))
                    .then_some(fact.ty)
                }
            },
            ExprKind::Call(callee, _) => match fact.target {
                Some(Target::Item(item)) if no_parameters(item) => Some(fact.ty),
                Some(Target::Item(_) | Target::Ctor(..) | Target::Local(_)) => None,
                _ => {
                    let (of, name) = typed.called_on(*callee);
                    let makes = matches!(name, "new" | "from" | "with_capacity");
                    // `Path::new` gives a reference.
                    let named = match self
                        .model
                        .db
                        .types
                        .kind(without_refs(self.model.db, fact.ty))
                    {
                        TyKind::Adt(id, _) => std_name(self.model.db, *id),
                        _ => None,
                    };
                    (makes && named == Some(of)).then_some(fact.ty)
                }
            },
            ExprKind::Try(inner) | ExprKind::Await(inner) => of(*inner).map(|_| fact.ty),
            ExprKind::If(_, then, Some(_)) => of(*then).map(|_| fact.ty),
            ExprKind::Match(_, arms) => of(arms.first()?.value).map(|_| fact.ty),
            ExprKind::Block(_, Some(tail)) => of(*tail).map(|_| fact.ty),
            _ => None,
        }
    }
}

/// Returns true if the result of a function is not a parameter of it, which the caller may choose.
fn says_output(signature: &Signature) -> bool {
    let mut names = Vec::new();
    let output = signature.output.iter();
    output.for_each(|ty| within::names(ty, &mut names));
    let mut params = signature.generics.params.iter();
    !params.any(|p| names.contains(&p.name))
}

/// Returns true for the bound `AsRef<Path>`.
pub(super) fn gives_path(bound: &Bound) -> bool {
    bound.path.last_name() == "AsRef" && given_by(bound) == Some(Kind::Path)
}

/// Returns the kind of what `as_ref` gives by a bound such as `AsRef<str>`.
fn given_by(bound: &Bound) -> Option<Kind> {
    let args = bound.path.segments.last()?.args.as_deref()?;
    match args.args.first()? {
        Arg::Type(Type::Slice(_)) => Some(Kind::Slice),
        Arg::Type(Type::Path(path)) => match path.last_name() {
            "str" => Some(Kind::Text),
            "Path" => Some(Kind::Path),
            "OsStr" => Some(Kind::OsStr),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the part of a file around the first edits, and how many they are; an edit in a larger part
/// than `most` tokens is by itself.
fn group(tokens: &Tokens, edits: &[Edit], most: usize) -> (Option<Span>, usize) {
    let around = |edit: &Edit| {
        let part = around(tokens, edit.span);
        (size(tokens, part) <= most).then_some(part)
    };
    let first = &edits[0];
    let file = first.span.file;
    let Some(mut part) = around(first) else {
        return (None, 1);
    };
    let mut count = 1;
    // Parts that overlap are one.
    for edit in edits[1..].iter().take_while(|e| e.span.file == file) {
        let Some(other) = around(edit) else {
            if edit.span.start < part.end {
                return (None, count);
            }
            break;
        };
        if other.start >= part.end && other.start > part.start {
            break;
        }
        part.start = part.start.min(other.start);
        part.end = part.end.max(other.end);
        count += 1;
    }
    (Some(part), count)
}

fn size(tokens: &Tokens, part: Span) -> usize {
    tokens.at(part.end) - tokens.at(part.start)
}

/// Returns true if the `let` with this value states a type.
fn is_declared(typed: &Typed, init: ExprId) -> bool {
    let parent = typed.fact(init).parent.map(|p| &typed.node(p).kind);
    match parent {
        Some(ExprKind::Block(stmts, _)) => let_of(stmts, init).is_some_and(|(_, ty)| ty.is_some()),
        _ => false,
    }
}

/// Returns the part of a file around an edit, from separator to separator.
fn around(tokens: &Tokens, edit: Span) -> Span {
    let list = &tokens.list;
    let (mut first, mut last) = (tokens.at(edit.start), tokens.at(edit.end));
    while first > 0 {
        let before = &list[first - 1];
        match before.kind {
            Token::Open => break,
            Token::Close if before.byte == b'}' && !tokens.is(first, b'.') => break,
            Token::Close => first = before.mate as usize,
            Token::Punct if matches!(before.byte, b';' | b',') => break,
            _ => first -= 1,
        }
    }
    while let Some(token) = list.get(last) {
        match token.kind {
            Token::Close => break,
            Token::Open => last = token.mate as usize + 1,
            Token::Punct if matches!(token.byte, b';' | b',') => break,
            _ => last += 1,
        }
    }
    let start = list
        .get(first)
        .map_or(edit.start, |t| t.start.min(edit.start));
    let end = last.checked_sub(1).and_then(|i| list.get(i));
    let end = end.map_or(edit.end, |t| t.end.max(edit.end));
    Span { start, end, ..edit }
}

/// Rewrites all patterns that an edit touches; false if there are none.
fn rewrite(
    pieces: &mut Pieces,
    file: FileId,
    names: &Names,
    is: &dyn Fn(Span, Kind) -> bool,
) -> bool {
    let mut any = false;
    // Each rule makes the text shorter, or states a type once.
    for _ in 0..MOST_TOKENS {
        let text = pieces.text();
        let mut rules = PATTERNS
            .iter()
            .filter(|p| text.contains(&p.word))
            .peekable();
        if rules.peek().is_none() {
            break;
        }
        let tokens = Tokens::of_text(file, text.clone());
        let found = rules.find_map(|pattern| {
            let starts = (0..tokens.list.len()).filter(|i| begins(&tokens, *i));
            let mut found = starts.filter_map(|start| {
                let mut state = Match::new(&tokens, pattern, pieces, is);
                let end = state.tokens(plain_start(&tokens, start), 0)?;
                let range = tokens.list[start].start as usize..tokens.list[end - 1].end as usize;
                pieces.is_edited(&range).then_some((range, state.put))
            });
            found.next().map(|(range, put)| (range, put, pattern.after))
        });
        let Some((range, put, after)) = found else {
            break;
        };
        pieces.replace(&range, &parts(after, &put, names));
        any = true;
    }
    any
}

/// Returns what a rule writes.
fn parts(after: &str, put: &[(Kind, Range<usize>)], names: &Names) -> Vec<Part> {
    let mut parts = Vec::new();
    for (n, piece) in after.split('$').enumerate() {
        let name: String = piece
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect();
        let rest = match n {
            0 => piece,
            _ => {
                let kind = KINDS
                    .iter()
                    .find(|(k, _)| *k == name)
                    .map(|(_, kind)| *kind);
                let place = put.iter().find(|(k, _)| Some(*k) == kind);
                parts.extend(place.map(|(_, range)| Part::Kept(range.clone())));
                &piece[name.len()..]
            }
        };
        let rest = rest.replace("Box::default", &format!("{}::default", names.boxed));
        if !rest.is_empty() {
            parts.push(Part::New(rest));
        }
    }
    parts
}

/// Returns true for a token that an operand can start with.
fn begins(tokens: &Tokens, i: usize) -> bool {
    let before = i.checked_sub(1);
    let follows = before.is_some_and(|b| {
        tokens.is(b, b'.') && !(b > 0 && tokens.is(b - 1, b'.')) || tokens.ends_path_sep(b)
    });
    let macro_name = before.is_some_and(|b| tokens.is(b, b'!') && b > 0 && tokens.is_ident(b - 1));
    let call =
        before.is_some_and(|b| tokens.is_ident(b) && tokens.list[b].end == tokens.list[i].start);
    let group = tokens.list[i].kind == Token::Open;
    !(follows || macro_name || group && call)
}

/// Skips `::std::path::` before the last two names of a path.
fn plain_start(tokens: &Tokens, start: usize) -> usize {
    let root = start + 2;
    let is_std = tokens.is(start, b':') && matches!(tokens.str(root), "std" | "alloc");
    let len = "::std::path::".matches(':').count() + 2;
    match is_std && tokens.ends_path_sep(start + len - 1) {
        true => start + len,
        false => start,
    }
}

/// A pattern while it is compared with a text.
struct Match<'m> {
    tokens: &'m Tokens,
    pattern: &'m Pattern,
    pieces: &'m Pieces,
    is: &'m dyn Fn(Span, Kind) -> bool,
    /// The operands found.
    put: Vec<(Kind, Range<usize>)>,
}

impl<'m> Match<'m> {
    fn new(
        tokens: &'m Tokens,
        pattern: &'m Pattern,
        pieces: &'m Pieces,
        is: &'m dyn Fn(Span, Kind) -> bool,
    ) -> Match<'m> {
        Match {
            tokens,
            pattern,
            pieces,
            is,
            put: Vec::new(),
        }
    }

    /// Compares the tokens from `at` with the pattern's from `of`; returns the end.
    fn tokens(&mut self, at: usize, of: usize) -> Option<usize> {
        let wanted = &self.pattern.tokens;
        if of == wanted.list.len() {
            return Some(at);
        }
        if wanted.is(of, b'$') {
            let name = wanted.str(of + 1);
            let (_, kind) = KINDS.iter().find(|(k, _)| *k == name)?;
            let ends = match kind {
                Kind::List => list(self.tokens, at).into_iter().collect(),
                _ => operand(self.tokens, at),
            };
            for end in ends.into_iter().rev() {
                let list = &self.tokens.list;
                let range = list[at].start as usize..list[end - 1].end as usize;
                let fits = match kind {
                    Kind::Any | Kind::List => true,
                    Kind::Text if end == at + 1 && self.tokens.str(at).starts_with('"') => true,
                    Kind::Bytes => end == at + 1 && self.tokens.str(at).starts_with("b\""),
                    kind => {
                        let place = self.pieces.old(&range);
                        place.is_some_and(|place| (self.is)(place, *kind))
                    }
                };
                self.put.push((*kind, range));
                if fits && let Some(end) = self.tokens(end, of + 2) {
                    return Some(end);
                }
                self.put.pop();
            }
            return None;
        }
        // What the author wrote has another meaning: a star copies from behind a reference.
        if wanted.is(of, b'#') {
            let token = self.tokens.list.get(at)?;
            let range = token.start as usize..token.end as usize;
            let is_new = self.pieces.is_of_edits(&range);
            return is_new.then(|| self.tokens(at, of + 1))?;
        }
        // A comma may end a list.
        if wanted.list[of].kind == Token::Close && self.tokens.is(at, b',') {
            return (self.tokens.list.get(at + 1)?.kind == Token::Close)
                .then(|| self.tokens(at + 1, of))?;
        }
        (at < self.tokens.list.len() && self.tokens.str(at) == wanted.str(of))
            .then(|| self.tokens(at + 1, of + 1))?
    }
}

/// Returns the end of the elements between two brackets.
fn list(tokens: &Tokens, at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(token) = tokens.list.get(end) {
        match token.kind {
            Token::Open => end = token.mate as usize + 1,
            Token::Close => break,
            Token::Punct if token.byte == b';' => return None,
            _ => end += 1,
        }
    }
    (end > at).then_some(end)
}

/// Returns where an operand that starts at a token can end: after its first name or group, and
/// after each call, field, index and `?` behind it.
fn operand(tokens: &Tokens, at: usize) -> Vec<usize> {
    let Some(first) = tokens.list.get(at) else {
        return Vec::new();
    };
    let mut end = match first.kind {
        Token::Quoted | Token::Number => at + 1,
        Token::Open if first.byte == b'(' || first.byte == b'[' => first.mate as usize + 1,
        Token::Word | Token::Raw => match tokens.str(at) {
            "if" | "match" | "let" | "move" | "return" | "loop" | "while" | "for" | "mut"
            | "unsafe" | "async" | "break" | "in" | "else" => return Vec::new(),
            _ => at + 1,
        },
        Token::Punct if tokens.is(at, b':') && tokens.ends_path_sep(at + 1) => at + 3,
        // `&*x` and similar bind less tightly than what follows.
        _ => return Vec::new(),
    };
    let mut ends = Vec::new();
    loop {
        let is_path = tokens.is(end, b':') && tokens.ends_path_sep(end + 1);
        let next = match tokens.list.get(end) {
            Some(token) if token.kind == Token::Open && token.byte != b'{' => {
                token.mate as usize + 1
            }
            _ if tokens.is(end, b'?') => end + 1,
            _ if tokens.is(end, b'!')
                && tokens
                    .list
                    .get(end + 1)
                    .is_some_and(|t| t.kind == Token::Open) =>
            {
                end + 1
            }
            _ if tokens.is(end, b'.') && !tokens.is(end + 1, b'.') => end + 2,
            _ if is_path && tokens.is(end + 2, b'<') => match angle(tokens, end + 2) {
                Some(close) => close + 1,
                None => break,
            },
            _ if is_path => end + 3,
            _ => break,
        };
        let is_whole = !is_path && !tokens.is(end, b'!') && !starts_call(tokens, end);
        if is_whole {
            ends.push(end);
        }
        end = next;
    }
    ends.push(end);
    ends
}

/// Returns true for the arguments of a call that a name or type arguments precede.
fn starts_call(tokens: &Tokens, i: usize) -> bool {
    tokens.is(i, b'(')
        && (tokens.is_ident(i - 1) || tokens.is(i - 1, b'>') || tokens.is(i - 1, b'!'))
        || tokens.is(i, b'[') && tokens.is(i - 1, b'!')
}

/// Returns the `>` that closes a `<`.
fn angle(tokens: &Tokens, open: usize) -> Option<usize> {
    let mut depth = 0;
    for i in open..tokens.list.len() {
        match tokens.list[i].byte {
            _ if tokens.list[i].kind != Token::Punct => {}
            b'<' => depth += 1,
            b'>' if !tokens.is(i - 1, b'-') => depth -= 1,
            b';' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

#[cfg(test)]
mod tests;
