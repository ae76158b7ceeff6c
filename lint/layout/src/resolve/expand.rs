//! Expands `macro_rules!`: the text of a call to the text of its expansion, with a source map.
//!
//! It knows nothing of names, files or syntax trees. The modules in order of use: `token` lexes,
//! `rule` compiles each rule once, `fragment`, `grammar` and `item` find the ends of fragments,
//! `matcher` matches, `transcribe` writes, and `around` decides where parentheses are needed.

mod around;
mod fragment;
mod given;
mod grammar;
mod item;
mod matcher;
mod rule;
mod token;
mod transcribe;
mod written;

#[cfg(test)]
mod tests;

pub use given::{Attributes, Given};
pub use written::written;

use crate::lower;
use crate::name::Name;
use crate::source::Piece;
use crate::span::Span;
use rule::Rule;
use smallvec::SmallVec;
use std::ops::Range;
use token::{Delim, Kind, Stream, Token, lex};
use transcribe::Origin;

/// A macro definition, parsed once and used for any number of calls.
#[derive(Debug)]
pub struct Macro {
    text: String,
    span: Span,
    tokens: Vec<Token>,
    /// A malformed rule is an error only for a call that reaches it.
    rules: Vec<Result<Rule, String>>,
}

/// The expansion of a call.
#[derive(Debug, Default)]
pub struct Output {
    /// Tokens of the macro and of the call, with comments inside copied runs.
    pub text: String,
    /// The source of each copied run, in ascending order.
    pub pieces: Vec<Piece>,
    /// Steps of matching and transcription taken.
    pub steps: u64,
}

/// Limits and options of an expansion.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of output.
    pub output: usize,
    /// Steps of matching and transcription, some nanoseconds each.
    pub steps: u64,
    /// True to mark every fragment, not only those passed to other macros: procedural macros
    /// receive each as a group everywhere.
    pub marked: bool,
    /// The edition of the calling crate.
    pub edition: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            output: 4 << 20,
            steps: 50_000_000,
            marked: false,
            edition: 2024,
        }
    }
}

/// Why a call could not be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpandError {
    /// No rule matches the arguments.
    NoRule,
    /// The output would exceed [`Limits::output`].
    Output,
    /// It would take more than [`Limits::steps`].
    Steps,
    /// The arguments or the rule are malformed: one line, lower case.
    Bad(String),
}

impl std::fmt::Display for ExpandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ExpandError::NoRule => "no rule of the macro fits the call",
            ExpandError::Output => "the macro writes too much",
            ExpandError::Steps => "the macro takes too long",
            ExpandError::Bad(message) => message,
        })
    }
}

impl std::error::Error for ExpandError {}

impl Macro {
    /// Parses a definition: the text inside the outer delimiters of `macro_rules!`, or with
    /// `decl2`, all after the name of a `macro`. `span` locates the text; `edition` is that of the
    /// defining crate.
    ///
    /// # Errors
    /// The text is no list of rules.
    pub fn parse(text: &str, span: Span, decl2: bool, edition: u16) -> Result<Macro, String> {
        let mut tokens = lex(text, edition)?;
        tokens.shrink_to_fit();
        let mut mac = Macro {
            tokens,
            text: text.to_owned(),
            span,
            rules: Vec::new(),
        };
        let s = mac.stream();
        let mut rules = Vec::new();
        let mut i = 0;
        if decl2 && s.is_open(0, Delim::Brace) {
            i = 1;
        } else if decl2 {
            let body = s.tree(0).filter(|_| s.is_open(0, Delim::Paren));
            let body = body.filter(|&body| s.is_open(body, Delim::Brace));
            rules.push(Rule::compile(
                &s,
                0,
                body.ok_or("expected `(…) { … }`")?,
                edition,
            ));
            mac.rules = rules;
            return Ok(mac);
        }
        while !matches!(s.kind(i), Kind::Close(_) | Kind::End) {
            if s.is(i, ";") || s.is(i, ",") {
                i += 1;
                continue;
            }
            // A rule for use as an attribute or a derive never matches a call.
            let for_call = s.kind(i) != Kind::Ident;
            let matcher = i;
            while !s.is(i, "=>") {
                i = s.tree(i).ok_or("expected `=>`")?;
            }
            let body = i + 2;
            if !matches!(s.kind(body), Kind::Open(_)) {
                return Err("expected a group behind `=>`".to_owned());
            }
            i = s.mate(body) + 1;
            if for_call {
                rules.push(match s.kind(matcher) {
                    Kind::Open(_) => Rule::compile(&s, matcher, body, edition),
                    _ => return Err("expected a matcher".to_owned()),
                });
            }
        }
        mac.rules = rules;
        Ok(mac)
    }

    fn stream(&self) -> Stream<'_> {
        Stream {
            text: &self.text,
            tokens: &self.tokens,
        }
    }
}

/// Expands a call: `args` is the text between its delimiters, at `args_span`. `crate_ident`
/// replaces `$crate`.
///
/// # Errors
/// See [`ExpandError`].
pub fn expand(
    mac: &Macro,
    crate_ident: &str,
    args: &str,
    args_span: Span,
    limits: Limits,
) -> Result<Output, ExpandError> {
    let tokens = lex(args, limits.edition).map_err(ExpandError::Bad)?;
    let args = Stream {
        text: args,
        tokens: &tokens,
    };
    let body = mac.stream();
    let mut steps = limits.steps;
    for rule in &mac.rules {
        let rule = rule.as_ref().map_err(|e| ExpandError::Bad(e.clone()))?;
        let Some(matched) = matcher::run(rule, &body, &args, &mut steps)? else {
            continue;
        };
        let mac = Origin {
            stream: &body,
            span: mac.span,
            from_args: false,
        };
        let args = Origin {
            stream: &args,
            span: args_span,
            from_args: true,
        };
        let output = transcribe::run(rule, &matched, mac, args, crate_ident, limits, &mut steps)?;
        return Ok(Output {
            steps: limits.steps - steps,
            ..output
        });
    }
    Err(ExpandError::NoRule)
}

/// Returns the path and the arguments, without delimiters, if the text is one macro call. The path
/// has no leading `::`.
pub fn only_call(text: &str) -> Option<(SmallVec<[Name; 2]>, Range<usize>)> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c.is_whitespace();
    let (path, _) = text.split_once(|c| !is_path(c))?;
    let names = path.split("::").map(str::trim);
    let is_name = |name: &str| !name.is_empty() && !name.contains([':', ' ', '\n']);
    if !names.clone().all(is_name) {
        return None;
    }
    let group = text[path.len()..].strip_prefix('!')?.trim_start();
    let open = text.len() - group.len();
    if !group.starts_with(['(', '[', '{']) {
        return None;
    }
    let call = text.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let close = lower::closing(text, open)?.at;
    if close + 1 != call.len() {
        return None;
    }
    Some((names.map(Name::new).collect(), open + 1..close))
}

/// Maps the arguments of a call in the output of another one to where they were copied from there.
pub fn through(inner: &[Piece], outer: &[Piece]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(inner.len());
    for piece in inner {
        if !piece.from_args {
            pieces.push(*piece);
            continue;
        }
        let (start, end) = (piece.from.start, piece.from.end);
        let behind = |p: &Piece| p.at + (p.from.end - p.from.start);
        let first = outer.partition_point(|p| behind(p) <= start);
        for from in outer[first..].iter().take_while(|p| p.at < end) {
            let (at, until) = (from.at.max(start), behind(from).min(end));
            pieces.push(Piece {
                at: piece.at + (at - start),
                from: Span {
                    file: from.from.file,
                    start: from.from.start + (at - from.at),
                    end: from.from.start + (until - from.at),
                },
                from_args: from.from_args,
            });
        }
    }
    pieces
}
