//! Compiles a rule of a macro: its matcher to a flat program, its body to a list of parts.

use super::around::{Around, is_operator};
use super::fragment::Fragment;
use super::token::{Delim, Kind, Stream};
use crate::name::same_identifier;
use std::ops::Range;

/// The operator of a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    Any,
    AtLeastOnce,
    AtMostOnce,
}

/// A step of a matcher. Groups are flat: their delimiters are plain tokens.
#[derive(Debug)]
pub(super) enum Step {
    /// Matches this token of the macro; an operator as a whole.
    Token(u32),
    /// `wide` for an `expr` of edition 2024 or later.
    Bind {
        var: u32,
        fragment: Fragment,
        wide: bool,
    },
    /// Begins a repetition; its first step is the next one, `exit` is the one after it.
    Enter {
        rep: u32,
        times: Times,
        exit: u32,
    },
    /// Ends one round of a repetition whose first step is `start`.
    Again {
        rep: u32,
        times: Times,
        start: u32,
        separator: Option<u32>,
    },
    /// Matches all token trees that are left in a group, one each round: `$($var:tt)*` at its end.
    Rest {
        rep: u32,
        var: u32,
        times: Times,
    },
    Done,
}

/// A metavariable of a matcher.
#[derive(Debug)]
pub(super) struct Var {
    /// The token of its name.
    pub name: u32,
    pub fragment: Fragment,
    /// The enclosing repetitions, outermost first.
    pub reps: Vec<u32>,
}

/// A part of a body.
#[derive(Debug)]
pub(super) enum Out {
    /// Copies these tokens of the macro.
    Copy(Range<u32>),
    Var(u32, Around),
    Crate,
    Repeat(Box<Repeat>),
    Count(u32, u32),
    Index(u32),
    Len(u32),
    Concat(Vec<Part>),
}

/// `$(…)` in a body.
#[derive(Debug)]
pub(super) struct Repeat {
    /// The metavariables that determine the number of rounds.
    pub vars: Box<[u32]>,
    pub body: Box<[Out]>,
    pub separator: Option<u32>,
}

/// A part of `${concat(…)}`.
#[derive(Debug)]
pub(super) enum Part {
    Var(u32),
    Token(u32),
}

#[derive(Debug)]
pub(super) struct Rule {
    pub program: Vec<Step>,
    pub vars: Vec<Var>,
    /// The enclosing repetition of each.
    pub reps: Vec<Option<u32>>,
    pub body: Vec<Out>,
}

impl Rule {
    /// Compiles a rule whose matcher and body are the groups at `matcher` and `body`.
    ///
    /// # Errors
    /// rustc would reject the rule.
    pub fn compile(s: &Stream, matcher: usize, body: usize, edition: u16) -> Result<Rule, String> {
        let mut rule = Rule {
            program: Vec::new(),
            vars: Vec::new(),
            reps: Vec::new(),
            body: Vec::new(),
        };
        rule.matcher(s, matcher + 1..s.mate(matcher), edition, &mut Vec::new())?;
        rule.program.push(Step::Done);
        let range = body + 1..s.mate(body);
        rule.body = rule.transcriber(s, range, Around::default())?;
        Ok(rule)
    }

    /// Compiles a part of the matcher; returns true if it may match no tokens.
    fn matcher(
        &mut self,
        s: &Stream,
        range: Range<usize>,
        edition: u16,
        reps: &mut Vec<u32>,
    ) -> Result<bool, String> {
        let mut nullable = true;
        let mut i = range.start;
        while i < range.end {
            if let Kind::Open(Delim::Group(_)) | Kind::Close(Delim::Group(_)) = s.kind(i) {
                i += 1;
            } else if s.is(i, "$") && s.is_open(i + 1, Delim::Paren) {
                let close = s.mate(i + 1);
                let (separator, times, next) = repetition(s, close + 1)
                    .ok_or("expected one of `*`, `+` and `?` behind `$(…)`")?;
                let rep = self.reps.len() as u32;
                self.reps.push(reps.last().copied());
                let enter = self.program.len();
                self.program.push(Step::Done);
                reps.push(rep);
                let empty = self.matcher(s, i + 2..close, edition, reps)?;
                reps.pop();
                if empty && separator.is_none() {
                    return Err("a repetition matches nothing".to_owned());
                }
                nullable &= empty || times != Times::AtLeastOnce;
                i = next;
                // In a repetition, the next round may follow.
                let ends_group = matches!(s.kind(next), Kind::Close(d) if !matches!(d, Delim::Group(_)))
                    && (next < range.end || reps.is_empty());
                if let [
                    Step::Bind {
                        var,
                        fragment: Fragment::Tt,
                        ..
                    },
                ] = self.program[enter + 1..]
                    && separator.is_none()
                    && times != Times::AtMostOnce
                    && ends_group
                {
                    self.program.truncate(enter);
                    self.program.push(Step::Rest { rep, var, times });
                    continue;
                }
                self.program.push(Step::Again {
                    rep,
                    times,
                    start: enter as u32 + 1,
                    separator,
                });
                let exit = self.program.len() as u32;
                self.program[enter] = Step::Enter { rep, times, exit };
            } else if s.is(i, "$") && s.kind(i + 1) == Kind::Ident && !s.word(i + 1, "crate") {
                let name = s.text(i + 1);
                if !s.is(i + 2, ":") {
                    return Err(format!("`${name}` has no fragment specifier"));
                }
                let mut fragment = s
                    .ident(i + 3)
                    .and_then(Fragment::from_name)
                    .ok_or_else(|| format!("`{}` is no fragment specifier", s.text(i + 3)))?;
                if self.var(s, i + 1).is_some() {
                    return Err(format!("`${name}` is bound twice"));
                }
                if fragment == Fragment::Pat && edition < 2021 {
                    fragment = Fragment::PatParam;
                }
                self.program.push(Step::Bind {
                    var: self.vars.len() as u32,
                    fragment,
                    wide: edition >= 2024 && s.word(i + 3, "expr"),
                });
                self.vars.push(Var {
                    name: i as u32 + 1,
                    fragment,
                    reps: reps.clone(),
                });
                nullable &= fragment == Fragment::Vis;
                i += 4;
            } else {
                self.program.push(Step::Token(i as u32));
                nullable = false;
                i = s.after(i);
            }
        }
        Ok(nullable)
    }

    /// Returns the metavariable that a token names.
    fn var(&self, s: &Stream, token: usize) -> Option<u32> {
        let name = s.ident(token)?;
        let at = self
            .vars
            .iter()
            .position(|v| same_identifier(s.text(v.name as usize), name))?;
        Some(at as u32)
    }

    /// Compiles a part of the body; `outer` is its context.
    fn transcriber(
        &self,
        s: &Stream,
        range: Range<usize>,
        outer: Around,
    ) -> Result<Vec<Out>, String> {
        let mut out = Vec::new();
        let (mut copied, mut i) = (range.start, range.start);
        // The end of the outermost enclosing macro call.
        let mut call_end = if outer.call { range.end } else { 0 };
        while i < range.end {
            if let Kind::Open(_) = s.kind(i)
                && i >= call_end
                && i > range.start + 1
                && s.is(i - 1, "!")
                && ends_macro_path(s, i - 2)
            {
                call_end = s.mate(i);
            }
            if !s.is(i, "$") {
                i = s.after(i);
                continue;
            }
            let mut around = outer;
            around.call = i < call_end;
            let (part, next) = if s.is(i + 1, "$") {
                // The second one is copied with what follows, so `$$crate` becomes `$crate`.
                (None, i + 1)
            } else if s.word(i + 1, "crate") {
                (Some(Out::Crate), i + 2)
            } else if let Some(var) = self.var(s, i + 1) {
                around.look(s, i, i + 2, &range, self.vars[var as usize].fragment);
                around.operator |= self.is_behind_token(s, i, &range);
                (Some(Out::Var(var, around)), i + 2)
            } else if s.is_open(i + 1, Delim::Paren)
                && let Some((repeat, next)) = self.repeat(s, i, &range, around)?
            {
                (Some(repeat), next)
            } else if s.is_open(i + 1, Delim::Brace)
                && let Some(expression) = self.expression(s, i + 2..s.mate(i + 1))?
            {
                (expression, s.mate(i + 1) + 1)
            } else {
                // A metavariable of a macro that the body defines.
                i += 1;
                continue;
            };
            if copied < i {
                out.push(Out::Copy(copied as u32..i as u32));
            }
            out.extend(part);
            copied = next;
            i = if s.is(next, "$") && next == i + 1 {
                next + 1
            } else {
                next
            };
        }
        if copied < range.end {
            out.push(Out::Copy(copied as u32..range.end as u32));
        }
        Ok(out)
    }

    /// Compiles the repetition whose `$` is at `i`; `None` if it names no metavariable here.
    fn repeat(
        &self,
        s: &Stream,
        i: usize,
        range: &Range<usize>,
        outer: Around,
    ) -> Result<Option<(Out, usize)>, String> {
        let close = s.mate(i + 1);
        let Some((separator, _, next)) = repetition(s, close + 1) else {
            return Ok(None);
        };
        let inner = i + 2..close;
        let vars = self.named(s, inner.clone());
        if vars.is_empty() {
            return Ok(None);
        }
        let mut around = outer;
        around.look(s, i, next, range, Fragment::Expr);
        around.operator |= self.is_behind_token(s, i, range);
        around.path = false;
        around.operator |= separator.is_some_and(|t| is_operator(s, t as usize));
        let body = self.transcriber(s, inner, around)?;
        let repeat = Repeat {
            vars: vars.into(),
            body: body.into(),
            separator,
        };
        Ok(Some((Out::Repeat(Box::new(repeat)), next)))
    }

    /// Returns true after a `tt` metavariable: it may match an operator.
    fn is_behind_token(&self, s: &Stream, i: usize, range: &Range<usize>) -> bool {
        i >= range.start + 2
            && s.is(i - 2, "$")
            && self
                .var(s, i - 1)
                .is_some_and(|var| self.vars[var as usize].fragment == Fragment::Tt)
    }

    /// Lists the metavariables of this rule that the tokens name, by `$x` or in `${…}`.
    fn named(&self, s: &Stream, range: Range<usize>) -> Vec<u32> {
        let mut vars = Vec::new();
        for i in range {
            let named = s.is(i, "$")
                || i > 1
                    && s.is_open(i - 1, Delim::Paren)
                    && s.kind(i) == Kind::Ident
                    && matches!(s.ident(i - 2), Some("count" | "ignore"))
                    && i > 3
                    && s.is(i - 4, "$");
            let at = if s.is(i, "$") { i + 1 } else { i };
            if named
                && let Some(var) = self.var(s, at)
                && !vars.contains(&var)
            {
                vars.push(var);
            }
        }
        vars
    }

    /// Compiles a metavariable expression `${…}`; `Some(None)` if it writes nothing, `None` if it
    /// is not one of this rule.
    fn expression(&self, s: &Stream, range: Range<usize>) -> Result<Option<Option<Out>>, String> {
        let i = range.start;
        let (Some(name), true) = (s.ident(i), s.is_open(i + 1, Delim::Paren)) else {
            return Ok(None);
        };
        let close = s.mate(i + 1);
        // The `$` of the variable is optional.
        let first = if s.is(i + 2, "$") { i + 3 } else { i + 2 };
        let number = |at: usize| -> Result<u32, String> {
            match s.kind(at) {
                Kind::Literal => s.text(at).parse().map_err(|_| "a depth is a number".into()),
                _ => Ok(0),
            }
        };
        let out = match name {
            "index" => Some(Out::Index(number(i + 2)?)),
            "len" | "length" => Some(Out::Len(number(i + 2)?)),
            "count" | "ignore" => {
                let Some(var) = self.var(s, first) else {
                    return Ok(None);
                };
                let depth = if s.is(first + 1, ",") {
                    number(first + 2)?
                } else {
                    0
                };
                (name == "count").then_some(Out::Count(var, depth))
            }
            "concat" => {
                let mut parts = Vec::new();
                let mut at = i + 2;
                while at < close {
                    if s.is(at, "$") {
                        let var = self.var(s, at + 1).ok_or("unknown variable in `concat`")?;
                        parts.push(Part::Var(var));
                        at += 2;
                    } else {
                        if !s.is(at, ",") {
                            parts.push(Part::Token(at as u32));
                        }
                        at += 1;
                    }
                }
                Some(Out::Concat(parts))
            }
            _ => return Err(format!("unknown metavariable expression `{name}`")),
        };
        Ok(Some(out))
    }
}

/// Parses separator and operator after a repetition's closing parenthesis; returns their end too.
fn repetition(s: &Stream, i: usize) -> Option<(Option<u32>, Times, usize)> {
    let times = |i: usize| match s.kind(i) {
        Kind::Punct(_) => match s.text(i) {
            "*" => Some(Times::Any),
            "+" => Some(Times::AtLeastOnce),
            "?" => Some(Times::AtMostOnce),
            _ => None,
        },
        _ => None,
    };
    if let Some(times) = times(i) {
        return Some((None, times, i + 1));
    }
    if matches!(s.kind(i), Kind::Open(_) | Kind::Close(_) | Kind::End) {
        return None;
    }
    let op = s.after(i);
    Some((Some(i as u32), times(op)?, op + 1))
}

/// Returns true if the token may be the last of the path in `path!(…)`, which may be a metavariable
/// or a repetition of them.
fn ends_macro_path(s: &Stream, i: usize) -> bool {
    match s.kind(i) {
        Kind::Ident => !matches!(s.text(i), "if" | "match" | "return" | "while" | "in"),
        Kind::Punct(b'*' | b'+') => matches!(s.kind(i.saturating_sub(1)), Kind::Close(_)),
        _ => false,
    }
}
