//! Function bodies for `usage`: an arena of expressions and patterns with their spans.

use super::{Cfg, Generics, Lit, Path, Segment, Type};
use crate::name::Name;
use crate::place::Place;
use crate::span::Span;

/// The id of an expression in a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub Place);

impl ExprId {
    /// Returns its index in the arena of expressions.
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// The id of a pattern in a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatId(pub Place);

impl PatId {
    /// Returns its index in the arena of patterns.
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// A function signature.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Its generic parameters, without those of the `impl`.
    pub generics: Generics,
    /// The types of its arguments in order, including `self`.
    pub inputs: Vec<Type>,
    /// Whether its first argument is `self`.
    pub method: bool,
    /// Its return type; `()` if omitted.
    pub output: Option<Type>,
    /// `async fn`.
    pub is_async: bool,
}

/// The body of a function, or the value of a constant or static.
#[derive(Debug, Default)]
pub struct Body {
    /// Its signature.
    pub signature: Signature,
    /// The pattern of each argument.
    pub params: Vec<PatId>,
    /// Its root expression; `None` for a function without a body.
    pub value: Option<ExprId>,
    exprs: Vec<Node>,
    pats: Vec<PatNode>,
    /// The names in text that could not be parsed: anything that they may refer to may be used.
    pub unread: Vec<Word>,
}

/// A name in unparsed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The name.
    pub name: Name,
    /// The receiver before the dot, if that is a single name.
    pub owner: Option<Name>,
    /// Whether a `.` precedes it.
    pub dotted: bool,
    /// Whether a `#` precedes it: `quote!` interpolates a variable.
    pub put_in: bool,
    /// Whether it may be a field, judging by the surrounding tokens.
    pub field: bool,
    /// The name before the enclosing braces: the type or variant that it may be a field of.
    pub of: Option<Name>,
}

/// An expression with its span.
#[derive(Debug)]
pub struct Node {
    /// Its kind.
    pub kind: ExprKind,
    /// Its span.
    pub span: Span,
}

/// A pattern with its span.
#[derive(Debug)]
pub struct PatNode {
    /// Its kind.
    pub kind: PatKind,
    /// Its span.
    pub span: Span,
}

// A run on a large workspace allocates millions of these.
const _: () = assert!(size_of::<Node>() <= 64 && size_of::<PatNode>() <= 64);

/// A checkpoint of the lengths of a [`Body`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    exprs: usize,
    pats: usize,
    params: usize,
}

impl Body {
    /// Returns a checkpoint for [`Body::back_to`].
    pub fn mark(&self) -> Mark {
        Mark {
            exprs: self.exprs.len(),
            pats: self.pats.len(),
            params: self.params.len(),
        }
    }

    /// Truncates to a checkpoint; no remaining node may refer to a removed one.
    pub fn back_to(&mut self, mark: Mark) {
        self.exprs.truncate(mark.exprs);
        self.pats.truncate(mark.pats);
        self.params.truncate(mark.params);
    }

    /// Shrinks the arenas to fit.
    pub fn shrink(&mut self) {
        self.exprs.shrink_to_fit();
        self.pats.shrink_to_fit();
    }

    /// Returns an expression.
    pub fn expr(&self, id: ExprId) -> &Node {
        &self.exprs[id.index()]
    }

    /// Returns a pattern.
    pub fn pat(&self, id: PatId) -> &PatNode {
        &self.pats[id.index()]
    }

    /// Returns the number of expressions.
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// Returns the number of patterns.
    pub fn pat_count(&self) -> usize {
        self.pats.len()
    }

    /// Iterates over the expressions, children before parents except for macro arguments.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Node)> {
        let ids = (0..).map(|i| ExprId(Place::new(i)));
        ids.zip(&self.exprs)
    }

    /// Iterates over the patterns, children before parents.
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

    /// Replaces an expression in place.
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

/// The kind of an expression.
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
    /// `x.f::<…>(…)`, with the start and end offsets of the name.
    Method(ExprId, Segment, (u32, u32), Box<[ExprId]>),
    /// `x.name`, `x.0`.
    Field(ExprId, Name),
    /// `x[i]`.
    Index(ExprId, ExprId),
    /// `*x`.
    Deref(ExprId),
    /// `-x`, `!x`.
    Unary(ExprId),
    /// A binary operator, as source text.
    Binary(&'static str, ExprId, ExprId),
    /// `a = b`, or `a += b` with its operator.
    Assign(ExprId, Option<&'static str>, ExprId),
    /// `&x`, `&mut x` (`true`), and raw borrows.
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
    /// `|a, b| x`: its arguments, declared return type, body, and `move`.
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

/// The arguments of a macro call, parsed as their most likely syntax.
#[derive(Debug)]
pub enum MacroArgs {
    /// Comma-separated expressions, and those captured by a format string.
    Exprs(Vec<ExprId>),
    /// `vec![x; n]`.
    Repeat(ExprId, ExprId),
    /// `matches!(x, pat if guard)`.
    Matches(ExprId, PatId, Option<ExprId>),
    /// Any other syntax: the names in it.
    Names(Vec<Word>),
}

/// `pat if guard => value`.
#[derive(Debug)]
pub struct Arm {
    /// The predicate of its `#[cfg]`.
    pub cfg: Option<Box<Cfg>>,
    /// The pattern.
    pub pat: PatId,
    /// The guard.
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
        /// The predicate of its `#[cfg]`.
        cfg: Option<Box<Cfg>>,
        /// The pattern.
        pat: PatId,
        /// The type annotation.
        ty: Option<Box<Type>>,
        /// The initialiser.
        init: Option<ExprId>,
        /// The `else` block.
        otherwise: Option<ExprId>,
    },
    /// An expression, with a semicolon or as a block.
    Expr(ExprId),
}

/// The kind of a pattern.
// weigh: allow(oversized_variant, reason = "those that take apart are common, and short-lived")
#[derive(Debug)]
pub enum PatKind {
    /// `_`.
    Wild,
    /// `..`.
    Rest,
    /// `ref mut name @ sub`; a lone name may also be a constant or a unit variant.
    Bind {
        /// The name.
        name: Name,
        /// Whether it is `ref`, of either mutability.
        by_ref: bool,
        /// `mut`.
        mutable: bool,
        /// The subpattern after `@`.
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
