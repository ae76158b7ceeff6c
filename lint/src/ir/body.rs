//! Functions as `usage` reads them: an arena of expressions and patterns, each with its place.

use super::{Cfg, Generics, Lit, Path, Segment, Type};
use crate::name::Name;
use crate::place::Place;
use crate::span::Span;

/// An expression of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub Place);

impl ExprId {
    /// Its place among the expressions.
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// A pattern of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatId(pub Place);

impl PatId {
    /// Its place among the patterns.
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// What a function takes and gives.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Its own parameters.
    pub generics: Generics,
    /// Types of its arguments in order, that of `self` first where it has one.
    pub inputs: Vec<Type>,
    /// Its first argument is `self`.
    pub method: bool,
    /// What it returns; `()` if nothing is written.
    pub output: Option<Type>,
    /// `async fn`.
    pub is_async: bool,
}

/// A function with its body, or the value of a constant or static.
#[derive(Debug, Default)]
pub struct Body {
    /// What it takes and gives.
    pub signature: Signature,
    /// A pattern for each argument.
    pub params: Vec<PatId>,
    /// Its value; none for a function without a body.
    pub value: Option<ExprId>,
    exprs: Vec<Node>,
    pats: Vec<PatNode>,
    /// Names in a text that could not be read at all: whatever they may mean happens here.
    pub unread: Vec<Word>,
}

/// A name in a text that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The name.
    pub name: Name,
    /// The name before it and a dot, if that is all there is before the dot.
    pub owner: Option<Name>,
    /// There is a dot before it.
    pub dotted: bool,
    /// There is a `#` before it: `quote!` puts a variable in there.
    pub put_in: bool,
    /// By what stands around it, it may be a field.
    pub field: bool,
    /// The name before the braces that it stands in: what it may be a field of.
    pub of: Option<Name>,
}

/// An expression with its place.
#[derive(Debug)]
pub struct Node {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// A pattern with its place.
#[derive(Debug)]
pub struct PatNode {
    /// What it is.
    pub kind: PatKind,
    /// Where.
    pub span: Span,
}

// A run of a large workspace holds millions of them.
const _: () = assert!(size_of::<Node>() <= 64 && size_of::<PatNode>() <= 64);

/// How long a [`Body`] was at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    exprs: usize,
    pats: usize,
    params: usize,
}

impl Body {
    /// How long it is now.
    pub fn mark(&self) -> Mark {
        Mark {
            exprs: self.exprs.len(),
            pats: self.pats.len(),
            params: self.params.len(),
        }
    }

    /// Forgets what was added since; nothing that stays may hold it.
    pub fn back_to(&mut self, mark: Mark) {
        self.exprs.truncate(mark.exprs);
        self.pats.truncate(mark.pats);
        self.params.truncate(mark.params);
    }

    /// Gives back the room for more.
    pub fn shrink(&mut self) {
        self.exprs.shrink_to_fit();
        self.pats.shrink_to_fit();
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Node {
        &self.exprs[id.index()]
    }

    /// A pattern.
    pub fn pat(&self, id: PatId) -> &PatNode {
        &self.pats[id.index()]
    }

    /// Number of expressions.
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// Number of patterns.
    pub fn pat_count(&self) -> usize {
        self.pats.len()
    }

    /// Every expression, parts before what holds them, but for the arguments of macros.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Node)> {
        let ids = (0..).map(|i| ExprId(Place::new(i)));
        ids.zip(&self.exprs)
    }

    /// Every pattern, parts before what holds them.
    pub fn pats(&self) -> impl Iterator<Item = (PatId, &PatNode)> {
        let ids = (0..).map(|i| PatId(Place::new(i)));
        ids.zip(&self.pats)
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(Place::new(self.exprs.len()));
        self.exprs.push(Node { kind, span });
        id
    }

    /// Puts another expression in the place of one.
    pub fn replace(&mut self, id: ExprId, kind: ExprKind) {
        self.exprs[id.index()].kind = kind;
    }

    /// Adds a pattern.
    pub fn add_pat(&mut self, kind: PatKind, span: Span) -> PatId {
        let id = PatId(Place::new(self.pats.len()));
        self.pats.push(PatNode { kind, span });
        id
    }
}

/// What an expression is.
// weigh: allow(oversized_variant, reason = "method calls and macros are the common ones")
#[derive(Debug)]
pub enum ExprKind {
    /// A literal.
    Lit(Lit),
    /// A path.
    Path(Path),
    /// `<T as Trait>::rest`.
    Qualified(Box<Type>, Option<Box<Path>>, Vec<Segment>),
    /// `f(…)`.
    Call(ExprId, Vec<ExprId>),
    /// `x.f::<…>(…)`, with the offsets between which the name stands.
    Method(ExprId, Segment, (u32, u32), Box<[ExprId]>),
    /// `x.name`, `x.0`.
    Field(ExprId, Name),
    /// `x[i]`.
    Index(ExprId, ExprId),
    /// `*x`.
    Deref(ExprId),
    /// `-x`, `!x`.
    Unary(ExprId),
    /// An operator as written.
    Binary(&'static str, ExprId, ExprId),
    /// `a = b`, or `a += b` with its operator.
    Assign(ExprId, Option<&'static str>, ExprId),
    /// `&x`, `&mut x` (`true`), and the raw ones.
    Ref(bool, ExprId),
    /// `x as T`.
    Cast(ExprId, Box<Type>),
    /// `(a, b)`.
    Tuple(Vec<ExprId>),
    /// `[a, b]`.
    Array(Vec<ExprId>),
    /// `[a; n]`.
    Repeat(ExprId, ExprId),
    /// `Path { name: value, ..base }`.
    Struct(Box<Path>, Vec<(Name, ExprId)>, Option<ExprId>),
    /// `{ … }`, also `unsafe`, `const` and `try`.
    Block(Vec<Stmt>, Option<ExprId>),
    /// `async { … }`.
    Async(ExprId),
    /// `if c { … } else …`.
    If(ExprId, ExprId, Option<ExprId>),
    /// `let pat = x` in a condition.
    Let(PatId, ExprId),
    /// `match x { … }`.
    Match(ExprId, Vec<Arm>),
    /// `loop { … }`.
    Loop(ExprId),
    /// `while c { … }`.
    While(ExprId, ExprId),
    /// `for pat in x { … }`.
    For(PatId, ExprId, ExprId),
    /// `|a, b| x`: its arguments, what it says to return, its value, `move`.
    Closure(Vec<(PatId, Option<Type>)>, Option<Box<Type>>, ExprId, bool),
    /// `return x`.
    Return(Option<ExprId>),
    /// `break x`.
    Break(Option<ExprId>),
    /// `continue`.
    Continue,
    /// `x?`.
    Try(ExprId),
    /// `x.await`.
    Await(ExprId),
    /// `a..b`.
    Range(Option<ExprId>, Option<ExprId>),
    /// `name!(…)`.
    Macro(Box<Path>, MacroArgs),
    /// `#[cfg(…)] x`.
    Cfg(Box<Cfg>, ExprId),
    /// Anything else.
    Other,
}

/// The arguments of a macro call, read as what they most likely are.
#[derive(Debug)]
pub enum MacroArgs {
    /// Expressions between commas, with those that a format string names.
    Exprs(Vec<ExprId>),
    /// `vec![x; n]`.
    Repeat(ExprId, ExprId),
    /// `matches!(x, pat if guard)`.
    Matches(ExprId, PatId, Option<ExprId>),
    /// Something else: the names in it.
    Names(Vec<Word>),
}

/// `pat if guard => value`.
#[derive(Debug)]
pub struct Arm {
    /// The condition of a `#[cfg]` on it.
    pub cfg: Option<Box<Cfg>>,
    /// The pattern.
    pub pat: PatId,
    /// The condition.
    pub guard: Option<ExprId>,
    /// The value.
    pub value: ExprId,
}

/// A statement.
// weigh: allow(oversized_variant, reason = "`let` is the common one")
#[derive(Debug)]
pub enum Stmt {
    /// `let pat: T = init else { … };`
    Let {
        /// The condition of a `#[cfg]` on it.
        cfg: Option<Box<Cfg>>,
        /// The pattern.
        pat: PatId,
        /// The type as written.
        ty: Option<Box<Type>>,
        /// What it is set to.
        init: Option<ExprId>,
        /// `else`.
        otherwise: Option<ExprId>,
    },
    /// An expression, with a semicolon or as a block.
    Expr(ExprId),
}

/// What a pattern is.
// weigh: allow(oversized_variant, reason = "those that take apart are common, and short-lived")
#[derive(Debug)]
pub enum PatKind {
    /// `_`.
    Wild,
    /// `..`.
    Rest,
    /// `ref mut name @ sub`; a lone name may also be a constant or a variant without fields.
    Bind {
        /// The name.
        name: Name,
        /// `ref`: some mutability.
        by_ref: bool,
        /// `mut`.
        mutable: bool,
        /// What follows the `@`.
        sub: Option<PatId>,
    },
    /// A path to a constant or a variant.
    Path(Path),
    /// `Path(a, b)`.
    TupleStruct(Box<Path>, Vec<PatId>),
    /// `Path { name: pat, .. }`.
    Struct(Box<Path>, Vec<(Name, PatId)>, bool),
    /// `(a, b)`.
    Tuple(Vec<PatId>),
    /// `[a, b]`.
    Slice(Vec<PatId>),
    /// `&pat`.
    Ref(PatId),
    /// `a | b`.
    Or(Vec<PatId>),
    /// A literal or a range.
    Value,
    /// Anything else.
    Other,
}
