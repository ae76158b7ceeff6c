//! `match` and the patterns of constant expressions.

use super::{Frame, Step, give_up, number, same};
use crate::ir::{Expr, Pat};
use crate::resolve::Db;
use crate::resolve::consts::{Callable, Value};
use crate::resolve::ty::Ty;

const NOT_UNDERSTOOD: &str = "a pattern that is not understood";

impl<'a> Db<'a> {
    pub(super) fn match_expr(
        &self,
        value: &Expr,
        arms: &[(Pat, Option<Expr>, Expr)],
        want: Option<Ty>,
        f: &mut Frame,
    ) -> Step<Value> {
        let value = self.step_expr(value, f)?;
        for (pat, guard, body) in arms {
            let depth = f.locals.len();
            let mut fits = self.matches(pat, &value, f)?;
            if fits && let Some(guard) = guard {
                fits = self.step_expr(guard, f)? == Value::Bool(true);
            }
            if fits {
                let value = self.step_as(body, want, f);
                f.locals.truncate(depth);
                return value;
            }
            f.locals.truncate(depth);
        }
        give_up("a `match` without a fitting arm")
    }

    /// True if a pattern fits; its names are then bound.
    pub(super) fn matches(&self, pat: &Pat, value: &Value, f: &mut Frame) -> Step<bool> {
        Ok(match pat {
            Pat::Wild => true,
            Pat::Name(name) => {
                // A name may be a constant or a variant instead of a binding.
                let nowhere = crate::span::Span::new(crate::span::FileId(0), 0, 0);
                let path = crate::ir::Path::of_name(*name, nowhere);
                if let Ok(known) = self.eval_path(&path, &f.env) {
                    return Ok(same(&known, value));
                }
                f.locals.push((*name, value.clone()));
                true
            }
            Pat::Value(e) => {
                let known = self.step_expr(e, f)?;
                same(&known, value)
            }
            Pat::Range(a, b, inclusive) => {
                let Some(n) = number(value) else {
                    return give_up("a range of what is no number");
                };
                let low = match a {
                    Some(e) => number(&self.step_expr(e, f)?),
                    None => Some(i128::MIN),
                };
                let high = match b {
                    Some(e) => number(&self.step_expr(e, f)?),
                    None => Some(i128::MAX),
                };
                match (low, high) {
                    (Some(l), Some(h)) => l <= n && (n < h || *inclusive && n == h),
                    _ => return give_up("a range of what is no number"),
                }
            }
            Pat::Or(list) => {
                for pat in list {
                    if self.matches(pat, value, f)? {
                        return Ok(true);
                    }
                }
                false
            }
            Pat::Tuple(pats) => match value {
                Value::Tuple(values) => self.all_match(pats, values, f)?,
                _ => return give_up(NOT_UNDERSTOOD),
            },
            Pat::Slice(pats) => match value {
                Value::Array(values) => self.all_match(pats, values, f)?,
                _ => return give_up(NOT_UNDERSTOOD),
            },
            Pat::Bind(name, pat) => {
                let fits = self.matches(pat, value, f)?;
                f.locals.push((*name, value.clone()));
                fits
            }
            Pat::TupleStruct(path, pats) => {
                let callable = self.value_path(path, &f.env)?;
                match (callable, value) {
                    (Callable::Variant(id, i), Value::Variant(have, j, values)) => {
                        id == *have && i == *j && self.all_match(pats, values, f)?
                    }
                    _ => return give_up(NOT_UNDERSTOOD),
                }
            }
            Pat::Rest | Pat::Other => return give_up(NOT_UNDERSTOOD),
        })
    }

    /// True if each pattern fits its value; one `..` stands for any number of values.
    fn all_match(&self, pats: &[Pat], values: &[Value], f: &mut Frame) -> Step<bool> {
        let rest = pats.iter().position(|p| *p == Pat::Rest);
        let (first, last) = match rest {
            Some(at) => (&pats[..at], &pats[at + 1..]),
            None => (pats, &[][..]),
        };
        let least = first.len() + last.len();
        if values.len() < least || rest.is_none() && values.len() > least {
            return Ok(false);
        }
        let behind = &values[values.len() - last.len()..];
        for (p, v) in first.iter().zip(values).chain(last.iter().zip(behind)) {
            if !self.matches(p, v, f)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
