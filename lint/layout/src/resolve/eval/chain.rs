//! Evaluates chains of operators, of which the left operand is the chain before, and of `else if`.
//! They may be long, so all is done in a loop.

use super::{Frame, Step, Stop, expect, field, give_up, indexed};
use crate::ir::{Expr, Type};
use crate::resolve::Db;
use crate::resolve::consts::Value;
use crate::resolve::ty::{Prim, Ty};

impl Db<'_> {
    /// Evaluates an operator with its operands.
    pub(super) fn operators(&self, expr: &Expr, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        // Each operator, with the expected type of its result.
        let mut links = Vec::new();
        let (mut first, mut want) = (expr, want);
        while let Some((left, wanted)) = self.left_of(first, want, f) {
            links.push((first, want));
            (first, want) = (left, wanted);
        }
        let writes = f.writes;
        let mut value = self.step_as(first, want, f);
        for (link, want) in links.into_iter().rev() {
            value = self.link(link, value, want, writes, f).and_then(|value| {
                self.charge(1 + value.weight())?;
                Ok(self.as_wanted(value, want))
            });
        }
        value
    }

    /// Returns the left operand of an operator, and its expected type, given that of the result.
    fn left_of<'e>(
        &self,
        expr: &'e Expr,
        want: Option<Ty>,
        f: &Frame,
    ) -> Option<(&'e Expr, Option<Ty>)> {
        Some(match expr {
            Expr::Binary(op, left, _) => (left, want.filter(|_| !is_of_conditions(op))),
            Expr::Cast(inner, ty) => {
                let hint = expect::takes_cast(inner).then(|| self.cast_to(ty, want, f));
                (inner, hint.map(|ty| self.behind_references(ty)))
            }
            Expr::MethodCall(call) => (&call.receiver, None),
            Expr::Field(inner, _) | Expr::Index(inner, _) => (inner, None),
            _ => return None,
        })
    }

    /// Returns the type of a cast: `as _` casts to the expected type.
    fn cast_to(&self, ty: &Type, want: Option<Ty>, f: &Frame) -> Ty {
        match (ty, want) {
            (Type::Infer, Some(want)) => want,
            (ty, _) => self.lower(ty, &f.env),
        }
    }

    /// Evaluates one operator, given its left operand; `writes` is the number of assignments before
    /// that.
    fn link(
        &self,
        expr: &Expr,
        left: Step<Value>,
        want: Option<Ty>,
        writes: u32,
        f: &mut Frame,
    ) -> Step<Value> {
        Ok(match expr {
            Expr::Binary(op, a, b) => return self.binary_expr(op, (a, left), b, want, writes, f),
            Expr::Cast(of, ty) => {
                let ty = self.cast_to(ty, want, f);
                let value = match left? {
                    // A literal of which nothing else says more.
                    Value::Float(float) if expect::takes_cast(of) => {
                        Value::Float(float.of_type(Prim::F64))
                    }
                    value => value,
                };
                self.cast(value, ty)?
            }
            Expr::MethodCall(call) => {
                let mut values = vec![left?];
                for arg in &call.args {
                    values.push(self.step_expr(arg, f)?);
                }
                self.method(call.method.name, values, f.env.module, f.depth)?
            }
            Expr::Field(_, name) => field(left?, *name)?,
            Expr::Index(_, index) => {
                let list = left?;
                indexed(list, self.step_expr(index, f)?)?
            }
            _ => return left,
        })
    }

    /// Evaluates a binary operator whose left operand `a` is `first`.
    fn binary_expr(
        &self,
        op: &str,
        (a, first): (&Expr, Step<Value>),
        b: &Expr,
        want: Option<Ty>,
        writes: u32,
        f: &mut Frame,
    ) -> Step<Value> {
        if op == "&&" || op == "||" {
            let first = first?;
            return match (op, &first) {
                ("&&", Value::Bool(true)) | ("||", Value::Bool(false)) => self.step_expr(b, f),
                (_, Value::Bool(_)) => Ok(first),
                _ => give_up("a condition that is not known"),
            };
        }
        if op == "<<" || op == ">>" {
            let first = first?;
            let b = self.step_expr(b, f)?;
            return Ok(self.binary(op, first, b)?);
        }
        // Both operands have one type: the known one determines literals in the other.
        let want = want.filter(|_| !is_of_conditions(op));
        let first = match first {
            Err(Stop::Unknown(why)) if want.is_none() && f.writes == writes => Err(why),
            first => Ok(first?),
        };
        let want = want.or(first.as_ref().ok().and_then(|v| self.type_of(v)));
        let second = self.step_as(b, want, f)?;
        let first = match (first, self.type_of(&second)) {
            (Ok(first), ty) => self.as_wanted(first, ty),
            // No variable was assigned, so that it can be evaluated again.
            (Err(_), Some(ty)) if f.writes == writes => self.step_as(a, Some(ty), f)?,
            (Err(why), _) => return Err(why.into()),
        };
        Ok(self.binary(op, first, second)?)
    }

    /// Evaluates an `if`.
    pub(super) fn if_expr(&self, mut expr: &Expr, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        let depth = f.locals.len();
        loop {
            let Expr::If(cond, then, otherwise) = expr else {
                return self.step_as(expr, want, f);
            };
            let value = match (self.step_expr(cond, f)?, otherwise) {
                (Value::Bool(true), _) => self.block(then, want, f),
                (Value::Bool(false), Some(next)) => {
                    f.locals.truncate(depth);
                    self.charge(1)?;
                    expr = next;
                    continue;
                }
                (Value::Bool(false), None) => Ok(Value::Tuple(Vec::new())),
                _ => give_up("a condition that is not known"),
            };
            f.locals.truncate(depth);
            return value;
        }
    }
}

/// Returns true for an operator whose operands do not have the type of its result.
fn is_of_conditions(op: &str) -> bool {
    matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||")
}
