//! `match` and patterns in constant expressions.

use super::{Frame, Step, give_up, number, same};
use crate::ir::{Expr, ItemKind, Pat};
use crate::name::Name;
use crate::resolve::consts::{Callable, Value};
use crate::resolve::ty::Ty;
use crate::resolve::types::Env;
use crate::resolve::{Db, Def, Ns, Res};

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

    /// Matches a pattern and binds its names.
    pub(super) fn matches(&self, pat: &Pat, value: &Value, f: &mut Frame) -> Step<bool> {
        Ok(match pat {
            Pat::Wild => true,
            Pat::Name(name) => match self.no_variable(*name, &f.env)? {
                Some(known) => same(&known, value)?,
                None => {
                    self.add_local(*name, value.clone(), f)?;
                    true
                }
            },
            Pat::Value(e) => {
                let known = self.step_expr(e, f)?;
                same(&known, value)?
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
                self.add_local(*name, value.clone(), f)?;
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

    /// Returns the constant or variant that a single name refers to; `None` for a binding.
    fn no_variable(&self, name: Name, env: &Env) -> Res<Option<Value>> {
        let found = self.resolve_as_read(env.module, false, &[name], Ns::Value)?;
        let value = match found.map(|f| f.def) {
            Some(Def::Variant(id, i)) => Callable::Variant(id, i),
            Some(Def::Item(id)) => match &self.item(id).item.kind {
                ItemKind::Const(_) | ItemKind::Adt(_) => Callable::item(id, None, Vec::new()),
                _ => return Ok(None),
            },
            // An unexpanded macro may have defined a constant.
            _ => {
                if name.as_str().starts_with(char::is_uppercase) {
                    self.outside_decides(env.module, name, false)?;
                }
                return Ok(None);
            }
        };
        self.callable_value(value).map(Some)
    }

    /// Matches patterns one by one; a single `..` matches any number of values, which `name @ ..`
    /// binds.
    fn all_match(&self, pats: &[Pat], values: &[Value], f: &mut Frame) -> Step<bool> {
        let rest = pats.iter().position(|p| match p {
            Pat::Rest => true,
            Pat::Bind(_, inner) => **inner == Pat::Rest,
            _ => false,
        });
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
        if let Some(Pat::Bind(name, _)) = rest.map(|at| &pats[at]) {
            let between = values[first.len()..values.len() - last.len()].to_vec();
            self.charge(between.len() as u32)?;
            self.add_local(*name, Value::Array(between.into()), f)?;
        }
        Ok(true)
    }
}
