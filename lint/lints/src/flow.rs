//! Where the value of each expression goes and what is done with it there: the edges of a graph of
//! a body's values and places. Facts and edits are questions to it.

mod origins;
mod owner;
mod sources;
mod summary;

#[cfg(test)]
mod tests;

pub use origins::{Origin, Step, Way, bound, origins};
pub use owner::{Owner, owner};
pub use sources::{Created, Whole, created, named, returned, subpatterns, values, whole};
pub use summary::{Mode, Node, Summaries, Summary, reach};

use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::effects::Effect;
use crate::ir::body::{Arm, ExprId, ExprKind, MacroArgs, PatId, Stmt};
use crate::lower::is_format;
use crate::resolve::Db;

/// An edge from the value of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'t> {
    /// What is done with the value.
    pub how: How<'t>,
    /// The expression around it that does so: a call, an assignment, a branching.
    pub by: ExprId,
    /// The value that is added to the place, or put there.
    pub value: Option<ExprId>,
    /// The part of `by` that has the value: the expression itself, or a block that ends in it.
    pub part: ExprId,
}

/// What the code around an expression does with its value. Blocks that end in the expression, and
/// `cfg`s, are not around it: they are looked through.
#[derive(Clone, Copy, Debug)]
pub enum How<'t> {
    /// It is used in place, as by a method with this effect: also by an operator, an assignment or
    /// a macro.
    Does(Effect),
    /// The content of the place is moved out by `mem::take` or `mem::replace`.
    Taken,
    /// The content of the place is exchanged with that of another.
    Swapped,
    /// `&mut`: what gets it may change it.
    Lent,
    /// `&`.
    Borrowed,
    /// `*`.
    Deref,
    /// `x.field` or `x[i]`.
    Part,
    /// A branch of an `if` or `match`, or the end of a block, whose value it becomes.
    Same,
    /// `x?` or `x.await`: what it holds goes on.
    Content,
    /// `x as T`.
    Cast,
    /// A pattern is matched against it.
    Bound(PatId),
    /// One of several patterns is matched against it.
    Matched(&'t [Arm]),
    /// The pattern of a `for` loop over it.
    Iterated(PatId),
    /// It is a field of a new value.
    Stored,
    /// It is an item of a tuple, an array or `vec!`.
    Element,
    /// It is assigned to this place.
    Assigned(ExprId),
    /// It is the argument with this number; the receiver counts.
    Argument(usize),
    /// It leaves the function, closure or `async` block.
    Returned,
    /// A statement that drops it.
    Dropped,
    /// It is the argument of a macro that is not known.
    Macro,
    /// Not understood.
    Unclear,
}

/// What becomes of the value of an expression.
pub fn edge<'t>(body: &'t Typed, id: ExprId) -> Edge<'t> {
    let mut edge = direct(body, id);
    while let How::Same = edge.how
        && let ExprKind::Cfg(..) | ExprKind::Block(..) = body.node(edge.by).kind
    {
        edge = direct(body, edge.by);
    }
    edge
}

/// What becomes of the value of an expression, one step only: a block that ends in it has the same.
pub fn direct<'t>(body: &'t Typed, id: ExprId) -> Edge<'t> {
    match body.fact(id).parent {
        Some(outer) => around(body, id, outer, &body.node(outer).kind),
        None => Edge::new(How::Returned, id, id),
    }
}

/// Returns the expression that returns a value from its function: itself, a branching or a block
/// that ends in it, or a `return`.
pub fn returned_by(body: &Typed, id: ExprId) -> Option<ExprId> {
    let mut edge = edge(body, id);
    while let How::Same = edge.how {
        edge = self::edge(body, edge.by);
    }
    let leaves = |e| {
        matches!(
            body.node(e).kind,
            ExprKind::Closure(..) | ExprKind::Async(_)
        )
    };
    let inside = leaves(edge.by) || body.outers(edge.by).any(leaves);
    (matches!(edge.how, How::Returned) && !inside).then_some(edge.by)
}

impl<'t> Edge<'t> {
    fn new(how: How<'t>, by: ExprId, part: ExprId) -> Edge<'t> {
        Edge {
            how,
            by,
            value: None,
            part,
        }
    }

    fn with(self, value: ExprId) -> Edge<'t> {
        let value = Some(value);
        Edge { value, ..self }
    }

    /// Returns the effect on the place that the expression names.
    pub fn effect(&self) -> Option<Effect> {
        match self.how {
            How::Does(effect) => Some(effect),
            _ => None,
        }
    }

    /// Returns true for the receiver of a method.
    pub fn is_method(&self, body: &Typed) -> bool {
        matches!(self.how, How::Does(_)) && matches!(body.node(self.by).kind, ExprKind::Method(..))
    }

    /// Returns true if something is added to the place.
    pub fn grows(&self) -> bool {
        self.effect() == Some(Effect::Grows)
    }

    /// Returns true if the place is assigned another value as a whole.
    pub fn assigns(&self, body: &Typed) -> bool {
        matches!(body.node(self.by).kind, ExprKind::Assign(_, None, _))
            && self.effect() == Some(Effect::Sets)
    }
}

/// Returns the edge from an expression to the one around it.
fn around<'t>(body: &'t Typed, id: ExprId, outer: ExprId, kind: &'t ExprKind) -> Edge<'t> {
    let edge = |how| Edge::new(how, outer, id);
    match kind {
        ExprKind::Method(on, _, _, args) if *on == id => {
            let edge = edge(How::Does(body.fact(outer).effect));
            args.last().map_or(edge, |last| edge.with(*last))
        }
        ExprKind::Method(_, _, _, args) => {
            let at = args.iter().position(|a| *a == id);
            edge(at.map_or(How::Unclear, |at| How::Argument(at + 1)))
        }
        ExprKind::Call(callee, _) if *callee == id => edge(How::Does(Effect::Reads)),
        ExprKind::Call(_, args) => match body.fact(outer).target {
            Some(Target::Ctor(..)) => edge(How::Stored),
            _ => {
                let at = args.iter().position(|a| *a == id);
                edge(at.map_or(How::Unclear, How::Argument))
            }
        },
        ExprKind::Struct(_, _, base) => edge(match *base == Some(id) {
            true => How::Unclear,
            false => How::Stored,
        }),
        ExprKind::Assign(place, op, value) if *place == id => edge(How::Does(match op {
            None => Effect::Sets,
            Some(_) => Effect::Grows,
        }))
        .with(*value),
        ExprKind::Assign(place, None, _) => edge(How::Assigned(*place)),
        ExprKind::Ref(true, _) => lent(body, id, outer),
        ExprKind::Binary("+", left, _) if *left == id => edge(How::Does(Effect::Takes)),
        ExprKind::Macro(path, args) => edge(in_macro(path.last_name(), args, id)).with(outer),
        ExprKind::Cfg(..) => edge(How::Same),
        ExprKind::Block(_, tail) if *tail == Some(id) => edge(How::Same),
        ExprKind::Block(stmts, _) => edge(statement(stmts, id)),
        ExprKind::Match(on, arms) if *on == id => edge(How::Matched(arms)),
        ExprKind::If(cond, ..) if *cond != id => edge(How::Same),
        ExprKind::Match(_, arms) if is_arm(arms, id) => edge(How::Same),
        ExprKind::For(pat, on, _) if *on == id => edge(How::Iterated(*pat)),
        _ => edge(plain(kind, id)),
    }
}

/// Returns true for the value of an arm. A search, since a match may have very many arms:
/// expressions are numbered in the order of the source.
fn is_arm(arms: &[Arm], id: ExprId) -> bool {
    let arm = arms.get(arms.partition_point(|arm| arm.value < id));
    arm.is_some_and(|arm| arm.value == id)
}

/// Returns what an expression does with one in it, by its kind alone.
fn plain<'t>(kind: &'t ExprKind, id: ExprId) -> How<'t> {
    match kind {
        ExprKind::Ref(false, _) => How::Borrowed,
        ExprKind::Deref(_) => How::Deref,
        ExprKind::Field(..) => How::Part,
        ExprKind::Index(on, _) if *on == id => How::Part,
        ExprKind::Try(_) | ExprKind::Await(_) => How::Content,
        ExprKind::Cast(..) => How::Cast,
        ExprKind::Let(pat, _) => How::Bound(*pat),
        ExprKind::Tuple(_) | ExprKind::Array(_) | ExprKind::Repeat(..) => How::Element,
        ExprKind::Return(_) | ExprKind::Closure(..) | ExprKind::Async(_) => How::Returned,
        ExprKind::For(..) | ExprKind::While(..) | ExprKind::Loop(_) => How::Dropped,
        ExprKind::Assign(..)
        | ExprKind::Binary(..)
        | ExprKind::Unary(_)
        | ExprKind::Index(..)
        | ExprKind::If(..)
        | ExprKind::Match(..) => How::Does(Effect::Reads),
        _ => How::Unclear,
    }
}

/// Returns what a block does with an expression among its statements.
fn statement<'t>(stmts: &[Stmt], id: ExprId) -> How<'t> {
    let binds = |stmt: &Stmt| match stmt {
        Stmt::Let { pat, init, .. } if *init == Some(id) => Some(How::Bound(*pat)),
        _ => None,
    };
    stmts.iter().find_map(binds).unwrap_or(How::Dropped)
}

/// Returns what is done with `&mut place`.
fn lent<'t>(body: &'t Typed, place: ExprId, reference: ExprId) -> Edge<'t> {
    let lent = Edge::new(How::Lent, reference, place);
    let Some((call, node)) = body.around(reference) else {
        return lent;
    };
    let ExprKind::Call(callee, args) = &node.kind else {
        return lent;
    };
    if let Some(Target::Item(_)) = body.fact(call).target {
        return lent;
    }
    let edge = |how| Edge::new(how, call, place);
    match (body.called(*callee), &args[..]) {
        ("take", [_]) => edge(How::Taken),
        ("replace", [from, value]) if *from == reference => edge(How::Taken).with(*value),
        ("swap", [_, _]) => edge(How::Swapped),
        _ => lent,
    }
}

/// Returns what a macro does with one of its arguments.
fn in_macro<'t>(name: &str, args: &MacroArgs, id: ExprId) -> How<'t> {
    let first = matches!(args, MacroArgs::Exprs(list) if list.first() == Some(&id));
    match (name, args) {
        ("write" | "writeln", _) if first => How::Does(Effect::Grows),
        ("vec", _) => How::Element,
        (_, MacroArgs::Matches(on, pat, _)) if *on == id => How::Bound(*pat),
        // An error that is passed on as it is.
        ("anyhow" | "bail" | "eyre", _) if first => How::Macro,
        _ if is_format(name) || READS.contains(&name) => How::Does(Effect::Reads),
        _ => How::Macro,
    }
}

/// Other macros that only read their arguments, of std, tracing and eyre.
const READS: &[&str] = &[
    "concat",
    "debug_span",
    "error_span",
    "event",
    "eyre",
    "info_span",
    "span",
    "trace_span",
    "warn_span",
];

/// Returns true for a macro of std, log or anyhow that prints its arguments.
pub fn prints(name: &str) -> bool {
    is_format(name) && !name.contains("assert") && name != "ensure"
}

/// Returns true for a macro that compares two values.
pub fn compares(name: &str) -> bool {
    name.ends_with("assert_eq") || name.ends_with("assert_ne")
}

/// Returns the field of a new value that an edge puts its value into.
pub fn stored_in(db: &Db<'static>, body: &Typed, edge: &Edge) -> Option<FieldId> {
    let Some(Target::Ctor(adt, variant)) = body.fact(edge.by).target else {
        return None;
    };
    let field = match &body.node(edge.by).kind {
        ExprKind::Call(_, args) => args.iter().position(|a| *a == edge.part)? as u32,
        ExprKind::Struct(_, fields, _) => {
            let (name, _) = fields.iter().find(|(_, value)| *value == edge.part)?;
            db.field_named(adt, variant, *name)?
        }
        _ => return None,
    };
    Some(FieldId {
        adt,
        variant,
        field,
    })
}
