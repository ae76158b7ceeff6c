//! Expressions for constant evaluation, and the functions that they call.

use super::{Generics, MacroCall, Path, Segment, Type};
use crate::name::Name;

/// A parsed function, for constant evaluation.
#[derive(Debug)]
pub struct FunctionBody {
    /// Its generic parameters.
    pub generics: Generics,
    /// The names and types of its arguments, with `self`; `_` for any pattern but a name.
    pub inputs: Vec<(Name, Type)>,
    /// Its return type; `()` if omitted.
    pub output: Type,
    /// Its body.
    pub block: Block,
}

/// A block expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Block {
    /// Statements in order.
    pub stmts: Vec<Stmt>,
    /// The trailing expression.
    pub tail: Option<Box<Expr>>,
    /// Whether items are among the statements; they are left out.
    pub has_items: bool,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// `let pat: ty = expr;`
    Let(Pat, Option<Box<Type>>, Option<Box<Expr>>),
    /// `let pat = expr else { … };`
    LetElse(Pat, Box<Expr>, Block),
    /// An expression with semicolon.
    Expr(Expr),
}

/// A pattern supported in constant functions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pat {
    /// `_`.
    Wild,
    /// `name`.
    Name(Name),
    /// A literal or a path to a constant or variant.
    Value(Box<Expr>),
    /// `a..=b` (`true`) or `a..b`.
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    /// `a | b`.
    Or(Vec<Pat>),
    /// `(a, b)`.
    Tuple(Vec<Pat>),
    /// `Path(a, b)`.
    TupleStruct(Box<Path>, Vec<Pat>),
    /// `[a, b]`.
    Slice(Vec<Pat>),
    /// `..` in a list of patterns.
    Rest,
    /// `name @ pat`.
    Bind(Name, Box<Pat>),
    /// Anything else.
    Other,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lit {
    /// An integer with its suffix, if any (`u8`).
    Int(Integer, Option<Name>),
    /// A float, as source text.
    Float(Name),
    /// `true`, `false`.
    Bool(bool),
    /// A character; a byte literal is an `Int` with suffix `u8`.
    Char(char),
    /// A string, unescaped.
    Str(String),
    /// A byte or C string, unescaped (a C string with its NUL).
    Bytes(Vec<u8>),
}

/// The value of an integer, in two halves: a `u128` would align every containing type to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer([u64; 2]);

impl Integer {
    /// Returns the value.
    pub fn get(self) -> u128 {
        let [low, high] = self.0.map(u128::from);
        high << 64 | low
    }
}

impl From<u128> for Integer {
    fn from(number: u128) -> Integer {
        Integer([number as u64, (number >> 64) as u64])
    }
}

/// An expression supported in constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A literal.
    Lit(Lit),
    /// A path.
    Path(Path),
    /// `<T as Trait>::rest`.
    Qualified(Box<Type>, Option<Box<Path>>, Vec<Segment>),
    /// `-`, `!`, `*`.
    Unary(char, Box<Expr>),
    /// A binary operator, as source text (`+`, `<<`, `&&`, …).
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `x as T`.
    Cast(Box<Expr>, Box<Type>),
    /// `f(…)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `x.f::<…>(…)`.
    MethodCall(Box<MethodCall>),
    /// `x.name`, `x.0`.
    Field(Box<Expr>, Name),
    /// `x[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `[a; n]`.
    Repeat(Box<Expr>, Box<Expr>),
    /// `Path { name: value, .. }`.
    Struct(Box<Path>, Vec<(Name, Expr)>),
    /// `&x`.
    Ref(Box<Expr>),
    /// `{ … }`, `const { … }` and `unsafe { … }`, with its label.
    Block(Option<Name>, Block),
    /// `if c { … } else …`.
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `let pat = x` in a condition.
    Let(Box<Pat>, Box<Expr>),
    /// `match x { pat if guard => value }`.
    Match(Box<Expr>, Vec<(Pat, Option<Expr>, Expr)>),
    /// `while c { … }` with its label; `loop` is `while true`.
    While(Option<Name>, Box<Expr>, Block),
    /// `a = b`, or `a += b` with its operator.
    Assign(Box<Expr>, Option<&'static str>, Box<Expr>),
    /// `return x`.
    Return(Option<Box<Expr>>),
    /// `break 'label x`.
    Break(Option<Name>, Option<Box<Expr>>),
    /// `continue 'label`.
    Continue(Option<Name>),
    /// `name!(…)`.
    Macro(Box<MacroCall>),
    /// Unsupported syntax, by name.
    Other(&'static str),
}

/// `receiver.method::<…>(args)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodCall {
    /// The receiver.
    pub receiver: Expr,
    /// The method name with its generic arguments.
    pub method: Segment,
    /// The arguments.
    pub args: Vec<Expr>,
}
