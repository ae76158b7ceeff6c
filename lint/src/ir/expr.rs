//! Expressions as far as constants use them, with the functions that they call.

use super::{Generics, MacroCall, Path, Segment, Type};
use crate::name::Name;

/// A function read whole, for constant evaluation.
#[derive(Debug)]
pub struct FunctionBody {
    /// Its parameters.
    pub generics: Generics,
    /// Names of its arguments (`self` too) with their types; patterns that are no name: `_`.
    pub inputs: Vec<(Name, Type)>,
    /// What it returns; `()` if nothing is written.
    pub output: Type,
    /// Its body.
    pub block: Block,
}

/// A block of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Block {
    /// Statements in order.
    pub stmts: Vec<Stmt>,
    /// The value: the last expression without semicolon.
    pub tail: Option<Box<Expr>>,
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

/// A pattern, as far as constant functions use them.
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
    /// `..` among others.
    Rest,
    /// `name @ pat`.
    Bind(Name, Box<Pat>),
    /// Anything else.
    Other,
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lit {
    /// An integer with its suffix, if written (`u8`).
    Int(Integer, Option<Name>),
    /// A float, as written.
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

/// The value of an integer. A `u128` would have all that can hold one begin at a multiple of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer([u64; 2]);

impl Integer {
    /// The number.
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

/// An expression, as far as constants use them.
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
    /// An operator as written (`+`, `<<`, `&&`, …).
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
    /// `{ … }`, also `const { … }` and `unsafe { … }`, and its label.
    Block(Option<Name>, Block),
    /// `if c { … } else …`.
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `let pat = x` in a condition.
    Let(Box<Pat>, Box<Expr>),
    /// `match x { pat if guard => value }`.
    Match(Box<Expr>, Vec<(Pat, Option<Expr>, Expr)>),
    /// `while c { … }` and its label; `loop` is `while true`.
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
    /// Anything else, with its name.
    Other(&'static str),
}

/// `receiver.method::<…>(args)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodCall {
    /// What it is called on.
    pub receiver: Expr,
    /// Its name with what is given for its parameters.
    pub method: Segment,
    /// What it is given.
    pub args: Vec<Expr>,
}
