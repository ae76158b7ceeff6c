//! `macro_rules!` by example: a call's text in, the text it stands for out, with a map from one
//! to the other.
//!
//! Nothing here knows of names, files or syntax trees. The way goes down the list of modules:
//! `token` cuts texts, `rule` compiles a rule once, `fragment`, `grammar` and `item` tell
//! how far a fragment reaches, `matcher` matches, `transcribe` writes, and `around` says
//! where parentheses are due.

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

use crate::source::Piece;
use crate::span::Span;
use rule::Rule;
use token::{Delim, Kind, Stream, Token, lex};
use transcribe::Origin;

/// A macro's definition, read once and used for any number of calls.
#[derive(Debug)]
pub struct Macro {
    text: String,
    span: Span,
    tokens: Vec<Token>,
    /// A rule that cannot be read is an error only for a call that comes so far.
    rules: Vec<Result<Rule, String>>,
}

/// What a call stands for.
#[derive(Debug, Default)]
pub struct Output {
    /// Tokens of the macro and of the call, with their comments where whole runs were copied.
    pub text: String,
    /// Where the runs came from, in ascending order.
    pub pieces: Vec<Piece>,
    /// Steps of matching and writing that it took.
    pub steps: u64,
}

/// Where a call is given up, and how it is read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of output.
    pub output: usize,
    /// Steps of matching and writing; a step takes some nanoseconds.
    pub steps: u64,
    /// Every fragment is marked as one, not only those that other macros are handed: procedural
    /// macros are given each as a group, wherever it stands.
    pub marked: bool,
    /// That of the crate whose call it is.
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
    /// No rule fits the arguments.
    NoRule,
    /// The output would exceed [`Limits::output`].
    Output,
    /// It would take more than [`Limits::steps`].
    Steps,
    /// The arguments or the rule are broken: one line, lower case.
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
    /// Reads a definition: what stands inside of the outer delimiters of `macro_rules!`, or with
    /// `decl2`, all that follows the name of a `macro`. `span` is where the text lies, `edition`
    /// that of the crate it is written in.
    ///
    /// # Errors
    /// The text is no list of rules.
    pub fn parse(text: &str, span: Span, decl2: bool, edition: u16) -> Result<Macro, String> {
        let mut mac = Macro {
            tokens: lex(text, edition)?,
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
            // A rule for use as an attribute or a derive never fits a call.
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

/// Expands one call: `args` stands between its delimiters, and lies at `args_span`.
/// `crate_ident` takes the place of `$crate`.
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
