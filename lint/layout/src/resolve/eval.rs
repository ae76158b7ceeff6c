//! An interpreter for constant expressions, as array lengths and discriminants contain them.

mod call;
mod chain;
mod expect;
mod library;
mod macros;
mod pattern;
mod sizes;

use super::consts::Value;
use super::floats::Float;
use super::ty::{Prim, Ty};
use super::types::Env;
use super::{Db, Res, Unknown};
use crate::budget;
use crate::ir::{Block, Expr, Lit, Pat, Stmt};
use crate::name::Name;
use crate::span::{FileId, Span};

const TOO_LONG: &str = "a constant stopped here: it takes too long to work out";

/// Why evaluation of an expression ends early.
enum Stop {
    Unknown(Unknown),
    Return(Value),
    /// Out of a labelled or the innermost loop or block; `()` if no value is given.
    Break(Option<Name>, Value),
    Continue(Option<Name>),
}

impl From<Unknown> for Stop {
    fn from(why: Unknown) -> Stop {
        Stop::Unknown(why)
    }
}

type Step<T> = Result<T, Stop>;

/// The local variables of a call and its context.
struct Frame<'e> {
    env: Env<'e>,
    locals: Vec<(Name, Value)>,
    depth: u32,
    /// The expected type of the next expression; taken when that is evaluated.
    want: Option<Ty>,
    /// The expected type of `return`.
    output: Option<Ty>,
    /// The expansions that the next expression is in.
    macros: Vec<FileId>,
    /// Number of assignments so far.
    writes: u32,
    /// The block whose items are those of the module in `env`.
    body: Option<&'e Block>,
}

fn give_up<T>(why: &str) -> Step<T> {
    Err(Stop::Unknown(Unknown::because(why)))
}

impl<'a> Db<'a> {
    /// Evaluates a constant expression.
    ///
    /// # Errors
    /// It depends on something unknown, or the interpreter does not support it.
    pub(crate) fn eval(&self, expr: &Expr, env: &Env) -> Res<Value> {
        self.eval_as(expr, env, None)
    }

    /// Evaluates a constant expression with an expected type.
    ///
    /// # Errors
    /// As [`Db::eval`].
    pub(crate) fn eval_as(&self, expr: &Expr, env: &Env, want: Option<Ty>) -> Res<Value> {
        self.eval_within(expr, env, want, None)
    }

    /// Evaluates the value of a constant at this place in the source.
    pub(in crate::resolve) fn eval_value(
        &self,
        expr: &Expr,
        env: &Env,
        want: Option<Ty>,
        span: Option<Span>,
    ) -> Res<Value> {
        if let Expr::Block(None, block) = expr
            && block.has_items
            && let Some(module) = span.and_then(|span| self.module_of_value(env.module, span))
        {
            let env = Env { module, ..*env };
            return self.eval_within(expr, &env, want, Some(block));
        }
        self.eval_as(expr, env, want)
    }

    fn eval_within<'e>(
        &self,
        expr: &Expr,
        env: &Env<'e>,
        want: Option<Ty>,
        body: Option<&'e Block>,
    ) -> Res<Value> {
        let Some(level) = self.budget.questions.enter() else {
            return Err(Unknown::because(
                "a constant stopped here: it is nested too deep",
            ));
        };
        if level.is_outermost() || self.walk.evaluating.borrow().is_empty() {
            self.budget.constants.begin(0);
        }
        let mut frame = Frame {
            env: *env,
            locals: Vec::new(),
            depth: 0,
            want: None,
            output: None,
            macros: Vec::new(),
            writes: 0,
            body,
        };
        match self.step_as(expr, want, &mut frame) {
            Ok(value) | Err(Stop::Return(value)) => Ok(value),
            Err(Stop::Unknown(why)) => Err(why),
            Err(_) => Err(Unknown::because("a jump out of a constant")),
        }
    }

    /// Charges evaluation steps to the current constant.
    ///
    /// # Errors
    /// The budget is exhausted.
    pub(in crate::resolve) fn charge(&self, steps: u32) -> Res<()> {
        match self.budget.constants.spend(u64::from(steps)) {
            true => Ok(()),
            false => Err(Unknown::because(TOO_LONG)),
        }
    }

    fn step_expr(&self, expr: &Expr, f: &mut Frame) -> Step<Value> {
        self.charge(1)?;
        if f.depth > budget::EXPRESSIONS {
            return give_up(TOO_LONG);
        }
        let want = f.want.take();
        f.depth += 1;
        let value = self.expr(expr, want, f);
        f.depth -= 1;
        let value = value?;
        // A value of many parts takes time in proportion to build.
        self.charge(value.weight())?;
        Ok(self.as_wanted(value, want))
    }

    fn expr(&self, expr: &Expr, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        Ok(match expr {
            Expr::Lit(lit) => literal(lit)?,
            Expr::Path(path) => {
                if let [only] = &path.segments[..]
                    && let Some((_, v)) = f.locals.iter().rev().find(|(n, _)| *n == only.name)
                {
                    return Ok(v.clone());
                }
                self.eval_path(path, &f.env)?
            }
            Expr::Qualified(ty, trait_, rest) => {
                let callable = self.qualified_value(ty, trait_.as_deref(), rest, &f.env)?;
                self.callable_value(callable)?
            }
            Expr::Unary(op, inner) => {
                let want = want.filter(|_| *op != '*');
                let value = self.step_as(inner, want, f)?;
                self.unary(*op, value)?
            }
            Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::MethodCall(_)
            | Expr::Field(..)
            | Expr::Index(..) => self.operators(expr, want, f)?,
            Expr::Call(callee, args) => self.call(callee, args, f)?,
            Expr::Tuple(list) => {
                let wants = self.wanted_fields(want);
                let values = list.iter().enumerate();
                let values = values.map(|(i, e)| self.step_as(e, wants.get(i).copied(), f));
                Value::Tuple(values.collect::<Step<_>>()?)
            }
            Expr::Array(list) => {
                let want = self.wanted_element(want);
                let values = list.iter().map(|e| self.step_as(e, want, f));
                Value::Array(values.collect::<Step<Vec<_>>>()?.into())
            }
            Expr::Repeat(value, len) => {
                let value = self.step_as(value, self.wanted_element(want), f)?;
                match self.step_expr(len, f)? {
                    Value::Int(n, _) if (0..=1 << 16).contains(&n) => {
                        self.charge((n as u32 / 64).saturating_mul(1 + value.weight()))?;
                        Value::Array(vec![value; n as usize].into())
                    }
                    _ => return give_up("a constant array that is too long"),
                }
            }
            Expr::Struct(path, fields) => self.struct_expr(path, fields, f)?,
            Expr::Ref(inner) => self.step_as(inner, want, f)?,
            Expr::Block(label, block) => match self.block(block, want, f) {
                Err(Stop::Break(to, value)) if to.is_some() && to == *label => value,
                value => value?,
            },
            Expr::If(..) => self.if_expr(expr, want, f)?,
            Expr::Let(pat, value) => {
                let value = self.step_expr(value, f)?;
                Value::Bool(self.matches(pat, &value, f)?)
            }
            Expr::Match(value, arms) => self.match_expr(value, arms, want, f)?,
            Expr::While(label, cond, body) => self.while_expr(*label, cond, body, f)?,
            Expr::Assign(place, op, value) => self.assign(place, *op, value, f)?,
            Expr::Return(value) => {
                let value = value.as_ref().map(|v| self.step_as(v, f.output, f));
                let unit = || Ok(Value::Tuple(Vec::new()));
                return Err(Stop::Return(value.unwrap_or_else(unit)?));
            }
            Expr::Break(label, value) => {
                let value = value.as_ref().map(|v| self.step_expr(v, f));
                let unit = || Ok(Value::Tuple(Vec::new()));
                return Err(Stop::Break(*label, value.unwrap_or_else(unit)?));
            }
            Expr::Continue(label) => return Err(Stop::Continue(*label)),
            Expr::Macro(call) => self.macro_expr(call, want, f)?,
            Expr::Other(what) => {
                let why = format!("{what} is not understood in a constant");
                return Err(Stop::Unknown(Unknown::because(why)));
            }
        })
    }

    fn struct_expr(
        &self,
        path: &crate::ir::Path,
        fields: &[(Name, Expr)],
        f: &mut Frame,
    ) -> Step<Value> {
        let ty = self.lower(&crate::ir::Type::Path(path.clone()), &f.env);
        let super::ty::TyKind::Adt(id, args) = self.types.kind(ty) else {
            return give_up("a struct that was not found");
        };
        let mut list = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let want = self.field_type(*id, args, *name);
            list.push((*name, self.step_as(value, want, f)?));
        }
        Ok(Value::Struct(*id, list))
    }

    fn while_expr(
        &self,
        label: Option<Name>,
        cond: &Expr,
        body: &Block,
        f: &mut Frame,
    ) -> Step<Value> {
        let depth = f.locals.len();
        loop {
            let round = match self.step_expr(cond, f)? {
                Value::Bool(true) => self.block(body, None, f),
                Value::Bool(false) => Err(Stop::Break(None, Value::Tuple(Vec::new()))),
                _ => give_up("a condition that is not known"),
            };
            // Bindings of a `let` in the condition end with the body.
            f.locals.truncate(depth);
            match round {
                Ok(_) => {}
                Err(Stop::Continue(to)) if to.is_none() || to == label => {}
                Err(Stop::Break(to, value)) if to.is_none() || to == label => return Ok(value),
                Err(stop) => return Err(stop),
            }
        }
    }

    fn list(&self, list: &[Expr], f: &mut Frame) -> Step<Vec<Value>> {
        list.iter().map(|e| self.step_expr(e, f)).collect()
    }

    fn block(&self, block: &Block, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        let depth = f.locals.len();
        let value = self.statements(block, want, f);
        f.locals.truncate(depth);
        value
    }

    fn statements(&self, block: &Block, want: Option<Ty>, f: &mut Frame) -> Step<Value> {
        if block.has_items && !f.body.is_some_and(|body| std::ptr::eq(body, block)) {
            return give_up("an item in a block is not understood in a constant");
        }
        for (i, stmt) in block.stmts.iter().enumerate() {
            if let Err(stop) = self.statement(stmt, f) {
                self.no_items(stop, &block.stmts[i + 1..], &f.env)?;
            }
        }
        match &block.tail {
            Some(tail) => self.step_as(tail, want, f),
            None => Ok(Value::Tuple(Vec::new())),
        }
    }

    fn statement(&self, stmt: &Stmt, f: &mut Frame) -> Step<()> {
        match stmt {
            Stmt::Let(pat, ty, Some(value)) => {
                let want = ty.as_ref().map(|ty| self.lower(ty, &f.env));
                let value = self.step_as(value, want, f)?;
                if !self.matches(pat, &value, f)? {
                    return give_up("a `let` that does not match");
                }
            }
            Stmt::Let(Pat::Name(name), _, None) => {
                self.add_local(*name, Value::Tuple(vec![]), f)?;
            }
            Stmt::Let(..) => return give_up("a `let` without value"),
            Stmt::LetElse(pat, value, otherwise) => {
                let value = self.step_expr(value, f)?;
                if !self.matches(pat, &value, f)? {
                    self.block(otherwise, None, f)?;
                    return give_up("an `else` that comes to its end");
                }
            }
            Stmt::Expr(e) => {
                self.step_expr(e, f)?;
            }
        }
        Ok(())
    }

    fn assign(&self, place: &Expr, op: Option<&str>, value: &Expr, f: &mut Frame) -> Step<Value> {
        let mut way = Vec::new();
        let name = self.way_to(place, &mut way, f)?;
        let at = f.locals.iter().rposition(|(n, _)| *n == name);
        let old = at.and_then(|at| slot(&mut f.locals[at].1, &way).cloned());
        let (Some(at), Some(old)) = (at, old) else {
            return give_up("an assignment that is not understood");
        };
        let want = self
            .type_of(&old)
            .filter(|_| !matches!(op, Some("<<" | ">>")));
        let value = self.step_as(value, want, f)?;
        let new = match op {
            Some(op) => self.binary(op, old, value)?,
            None => match old {
                Value::Int(_, prim) => self.coerce(value, prim),
                _ => value,
            },
        };
        f.writes += 1;
        if let Some(slot) = slot(&mut f.locals[at].1, &way) {
            *slot = new;
        }
        Ok(Value::Tuple(Vec::new()))
    }

    /// Returns the variable that a place expression is based on, and the projections from it.
    fn way_to(&self, place: &Expr, way: &mut Vec<Part>, f: &mut Frame) -> Step<Name> {
        match place {
            Expr::Path(path) if path.segments.len() == 1 => Ok(path.segments[0].name),
            Expr::Field(inner, name) => {
                let variable = self.way_to(inner, way, f)?;
                way.push(Part::Field(*name));
                Ok(variable)
            }
            Expr::Index(list, index) => {
                let variable = self.way_to(list, way, f)?;
                match self.step_expr(index, f)? {
                    Value::Int(i, _) => way.push(Part::Index(i)),
                    _ => return give_up("an index that is not understood"),
                }
                Ok(variable)
            }
            _ => give_up("an assignment that is not understood"),
        }
    }
}

/// A projection from a variable to a place in it.
enum Part {
    Field(Name),
    Index(i128),
}

/// Returns the place in a value.
fn slot<'v>(value: &'v mut Value, way: &[Part]) -> Option<&'v mut Value> {
    way.iter()
        .try_fold(value, |value, part| match (value, part) {
            (Value::Struct(_, fields), Part::Field(name)) => {
                let field = fields.iter_mut().find(|(n, _)| n == name);
                field.map(|(_, value)| value)
            }
            (Value::Tuple(list), Part::Field(name)) => {
                list.get_mut(name.as_str().parse::<usize>().ok()?)
            }
            (Value::Array(list), Part::Index(i)) => {
                std::sync::Arc::make_mut(list).get_mut(usize::try_from(*i).ok()?)
            }
            _ => None,
        })
}

fn literal(lit: &Lit) -> Step<Value> {
    Ok(match lit {
        Lit::Int(n, suffix) => {
            let prim = suffix.and_then(|s| Prim::named(s.as_str()));
            match i128::try_from(n.get()) {
                Ok(n) => Value::Int(n, prim),
                // The literal in `i128::MIN`: wrapping negation leaves it unchanged.
                Err(_) if n.get() == 1 << 127 => Value::Int(i128::MIN, prim),
                Err(_) => return give_up("an integer above 127 bits"),
            }
        }
        Lit::Bool(b) => Value::Bool(*b),
        Lit::Char(c) => Value::Char(*c),
        Lit::Str(s) => Value::Str(s.as_str().into()),
        Lit::Bytes(bytes) => {
            let byte = |b: &u8| Value::Int(i128::from(*b), Some(Prim::U8));
            Value::Array(bytes.iter().map(byte).collect::<Vec<_>>().into())
        }
        Lit::Float(text) => match Float::parse(text.as_str()) {
            Some(float) => Value::Float(float),
            None => return give_up("a float in a constant"),
        },
    })
}

pub(super) fn number(value: &Value) -> Option<i128> {
    match value {
        // Stored as the negative number with the same bits: no arithmetic here is valid for it.
        Value::Int(n, Some(Prim::U128)) if *n < 0 => None,
        Value::Int(n, _) => Some(*n),
        Value::Bool(b) => Some(i128::from(*b)),
        Value::Char(c) => Some(i128::from(u32::from(*c))),
        _ => None,
    }
}

fn same(a: &Value, b: &Value) -> Step<bool> {
    Ok(match (a, b) {
        (Value::Int(a, _), Value::Int(b, _)) => a == b,
        (Value::Float(_), _) | (_, Value::Float(_)) => return give_up("a pattern of a float"),
        _ => a == b,
    })
}

fn field(of: Value, name: Name) -> Step<Value> {
    let found = match of {
        Value::Struct(_, fields) => fields.into_iter().find(|(n, _)| *n == name).map(|(_, v)| v),
        Value::Tuple(list) => {
            let i = name.as_str().parse::<usize>().ok();
            i.and_then(|i| list.into_iter().nth(i))
        }
        _ => return give_up("a field of what has none"),
    };
    found.map_or_else(|| give_up("a field that is not there"), Ok)
}

fn indexed(list: Value, index: Value) -> Step<Value> {
    match (list, index) {
        (Value::Array(list), Value::Int(i, _)) => {
            let value = usize::try_from(i).ok().and_then(|i| list.get(i).cloned());
            value.map_or_else(|| give_up("an index out of bounds"), Ok)
        }
        _ => give_up("an index that is not understood"),
    }
}
