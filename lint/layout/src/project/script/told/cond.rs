//! Conditions in a build script: parses and evaluates them.

use super::token::{Token, inside, written};
use cargo_platform::{Cfg, CfgExpr};
use std::collections::HashMap;
use std::str::FromStr;

/// A condition in a build script.
#[derive(Clone, Debug)]
pub(super) enum Cond {
    /// `cfg!(…)`, which refers to the target of the script itself.
    Cfg(Box<CfgExpr>),
    /// A condition that is not understood.
    Open,
    /// Not a condition: the minor version of rustc.
    Minor,
    /// Not a condition: the release channel of rustc.
    Channel,
    Not(Box<Cond>),
    All(Vec<Cond>),
    Any(Vec<Cond>),
}

/// Evaluates a name, or a name and value; `None` if unknown. The second argument is true if the
/// query refers to the target of the script itself.
pub type Holds<'h> = &'h dyn Fn(&Cfg, bool) -> Option<bool>;

/// Prefixes of the variables that cargo sets for a build script.
const CARGO_SETS: &[&str] = &[
    "CARGO",
    "DEBUG",
    "DEP_",
    "HOST",
    "NUM_JOBS",
    "OPT_LEVEL",
    "OUT_DIR",
    "PROFILE",
    "RUSTC",
    "RUSTDOC",
    "TARGET",
];

/// Maximum number of tokens of a condition; a longer one is not understood.
const MOST_TOKENS: usize = 512;

impl Cond {
    fn decide(&self, holds: Holds) -> Option<bool> {
        match self {
            Cond::Cfg(cfg) => decide(cfg, &|c| holds(c, true)),
            Cond::Open | Cond::Minor | Cond::Channel => None,
            Cond::Not(inner) => inner.decide(holds).map(|b| !b),
            Cond::All(list) => all(list, holds),
            Cond::Any(list) => any(list, holds),
        }
    }
}

fn all(list: &[Cond], holds: Holds) -> Option<bool> {
    first(list.iter().map(|c| c.decide(holds)), false)
}

pub(super) fn any(list: &[Cond], holds: Holds) -> Option<bool> {
    first(list.iter().map(|c| c.decide(holds)), true)
}

/// Returns `stop` if any answer is `stop`, the opposite if all are that, otherwise `None`.
fn first(answers: impl Iterator<Item = Option<bool>>, stop: bool) -> Option<bool> {
    let mut all = Some(!stop);
    for answer in answers {
        match answer {
            Some(b) if b == stop => return Some(stop),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}

pub(super) fn decide(cfg: &CfgExpr, ask: &dyn Fn(&Cfg) -> Option<bool>) -> Option<bool> {
    match cfg {
        CfgExpr::Not(inner) => decide(inner, ask).map(|b| !b),
        CfgExpr::All(list) => first(list.iter().map(|c| decide(c, ask)), false),
        CfgExpr::Any(list) => first(list.iter().map(|c| decide(c, ask)), true),
        CfgExpr::Value(cfg) => ask(cfg),
        CfgExpr::True => Some(true),
        CfgExpr::False => Some(false),
    }
}

/// Parses a condition of Rust: `cfg!`, variables, `!`, `&&`, `||` and parentheses.
pub(super) fn condition(tokens: &[Token], known: &HashMap<String, Cond>) -> Cond {
    // Parsing is recursive.
    if tokens.len() > MOST_TOKENS {
        return Cond::Open;
    }
    let mut parts = split(tokens, '|').into_iter();
    match (parts.next(), parts.len()) {
        (Some(one), 0) => conjunction(one, known),
        (Some(one), _) => Cond::Any(
            std::iter::once(one)
                .chain(parts)
                .map(|p| conjunction(p, known))
                .collect(),
        ),
        (None, _) => Cond::Open,
    }
}

fn conjunction(tokens: &[Token], known: &HashMap<String, Cond>) -> Cond {
    let parts = split(tokens, '&').into_iter();
    Cond::All(parts.map(|p| operand(p, known)).collect())
}

fn operand(tokens: &[Token], known: &HashMap<String, Cond>) -> Cond {
    match tokens {
        [Token::Mark('!'), rest @ ..] => Cond::Not(Box::new(operand(rest, known))),
        [Token::Word(name)] => known.get(*name).cloned().unwrap_or(Cond::Open),
        [
            path @ ..,
            Token::Word(name),
            Token::Mark(sign @ ('<' | '>')),
            number,
        ]
        | [
            path @ ..,
            Token::Word(name),
            Token::Mark(sign @ ('<' | '>')),
            Token::Mark('='),
            number,
        ] if matches!(known.get(*name), Some(Cond::Minor)) && is_path(path) => {
            version(*sign, tokens[tokens.len() - 2] == Token::Mark('='), *number)
        }
        [
            Token::Word("cfg"),
            Token::Mark('!'),
            Token::Mark('('),
            inner @ ..,
            Token::Mark(')'),
        ] => expression(inner).map_or(Cond::Open, |cfg| Cond::Cfg(Box::new(cfg))),
        [Token::Mark('('), inner @ .., Token::Mark(')')]
            if inside(tokens, 0).len() == inner.len() =>
        {
            condition(inner, known)
        }
        [
            Token::Word(name),
            Token::Mark('.'),
            Token::Word("is_nightly"),
            Token::Mark('('),
            Token::Mark(')'),
        ] if matches!(known.get(*name), Some(Cond::Channel)) => {
            let cond = CfgExpr::from_str("version = \"nightly\"");
            cond.map_or(Cond::Open, |cfg| Cond::Cfg(Box::new(cfg)))
        }
        // The script runs in the same environment as this program.
        [
            rest @ ..,
            Token::Word("var" | "var_os"),
            Token::Mark('('),
            Token::Text(name),
            Token::Mark(')'),
            Token::Mark('.'),
            Token::Word("is_ok" | "is_some"),
            Token::Mark('('),
            Token::Mark(')'),
        ] if is_env(rest) && !CARGO_SETS.iter().any(|set| name.starts_with(set)) => {
            Cond::Cfg(Box::new(match crate::seen::variable(name) {
                Some(_) => CfgExpr::True,
                None => CfgExpr::False,
            }))
        }
        _ => Cond::Open,
    }
}

/// Parses the content of a `cfg!` or the condition of an alias.
pub(super) fn expression(tokens: &[Token]) -> Option<CfgExpr> {
    let short = Some(tokens).filter(|t| t.len() <= MOST_TOKENS)?;
    CfgExpr::from_str(&written(short)).ok()
}

/// Returns true for `rustc_minor_version` and the like.
pub(super) fn names_minor(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.contains("rustc") && word.contains("minor"))
}

/// Returns true for the channel of rustc, as a script asks for it.
pub(super) fn is_channel(tokens: &[Token]) -> bool {
    tokens.len() <= MOST_TOKENS
        && written(tokens) == "version_check : : Channel : : read ( ) . unwrap ( )"
}

/// Returns true for `a.b.`.
fn is_path(tokens: &[Token]) -> bool {
    let part = |t: &Token| matches!(t, Token::Word(_) | Token::Mark('.'));
    tokens.iter().all(part)
}

/// Converts a comparison with rustc's minor version, such as `< 40`, to `not(version("1.40"))`.
fn version(sign: char, equal: bool, number: Token) -> Cond {
    let Token::Word(number) = number else {
        return Cond::Open;
    };
    let Ok(number) = number.parse::<u32>() else {
        return Cond::Open;
    };
    // `> 40` is 1.41 and later, like the negation of `<= 40`.
    let from = number.saturating_add(u32::from((sign == '<') == equal));
    let cond = CfgExpr::from_str(&format!("version = \"1.{from}\""));
    let cond = cond.map_or(Cond::Open, |cfg| Cond::Cfg(Box::new(cfg)));
    match sign {
        '<' => Cond::Not(Box::new(cond)),
        _ => cond,
    }
}

/// Returns true for `env::`, or `std::env::`.
fn is_env(path: &[Token]) -> bool {
    let path = written(path);
    path == "env : :" || path == "std : : env : :"
}

/// Returns the parts between `||`, or `&&`, outside brackets.
fn split<'t, 's>(tokens: &'t [Token<'s>], mark: char) -> Vec<&'t [Token<'s>]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            // Of three in a row, as in `a && &b == c`, the first two.
            Token::Mark(m)
                if *m == mark && depth == 0 && i >= start && tokens.get(i + 1) == Some(token) =>
            {
                parts.push(&tokens[start..i]);
                start = i + 2;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start.min(tokens.len())..]);
    parts
}
