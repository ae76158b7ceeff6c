//! What a file says, as plain data: no syntax tree, no tokens, free to cross threads.
//!
//! Paths, types and constant expressions stand here as written; `resolve` gives them meaning.
//! Lifetimes are left out, save that an item has some: rustc asks that of a projection in the last
//! field of a struct.

mod attrs;
pub mod body;
mod expr;
pub mod marks;

pub use attrs::{Attr, Attrs, Meta};
pub use expr::{Block, Expr, FunctionBody, Integer, Lit, MethodCall, Pat, Stmt};

use crate::name::Name;
use crate::span::Span;
use smallvec::{SmallVec, smallvec};

/// One file, or one text that a macro wrote.
#[derive(Debug, Default)]
pub struct File {
    /// Inner attributes of the file (`#![no_std]`).
    pub attrs: Attrs,
    /// Its items in the order of the text.
    pub items: Vec<Item>,
    /// What could not be read; everything else still is.
    pub errors: Vec<SyntaxError>,
}

impl File {
    /// True if opening its modules expands macros, or defines some.
    pub fn has_macros(&self) -> bool {
        has_macros(&self.items)
    }
}

fn has_macros(items: &[Item]) -> bool {
    items.iter().any(|item| match &item.kind {
        ItemKind::MacroCall(_) | ItemKind::MacroDef(_) => true,
        ItemKind::Mod(Some(items)) | ItemKind::Block(items) => has_macros(items),
        ItemKind::Impl(imp) => has_macros(&imp.items),
        ItemKind::Trait(tr) => has_macros(&tr.items),
        _ => false,
    })
}

/// A stretch of source that could not be read.
#[derive(Clone, Debug)]
pub struct SyntaxError {
    /// Where.
    pub span: Span,
    /// Why: one line, lower case, no full stop.
    pub message: String,
}

/// A condition on the build configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cfg {
    /// `true` or `false`.
    Known(bool),
    /// `name`.
    Flag(Name),
    /// `name = "value"`.
    Value(Name, Name),
    /// `all(…)`.
    All(Vec<Cfg>),
    /// `any(…)`.
    Any(Vec<Cfg>),
    /// `not(…)`.
    Not(Box<Cfg>),
}

/// A visibility as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vis {
    /// None.
    Private,
    /// `pub`.
    Public,
    /// `pub(crate)`, `pub(super)`, `pub(self)`, `pub(in path)`: the path's names.
    In(Box<[Name]>),
}

/// One item.
#[derive(Debug)]
pub struct Item {
    /// Its name; `_` and unnamed items have [`Item::UNNAMED`] as text.
    pub name: Name,
    /// The name in the text; the whole item where it has none.
    pub name_span: Span,
    /// From its first attribute to its last token.
    pub span: Span,
    /// Its visibility.
    pub vis: Vis,
    /// Its attributes.
    pub attrs: Attrs,
    /// What it is.
    pub kind: ItemKind,
}

impl Item {
    /// The name of items that have none.
    pub const UNNAMED: &str = "_";

    /// The items of a block inside of a function.
    pub fn block(items: Vec<Item>, span: Span) -> Item {
        Item {
            name: Name::new(""),
            name_span: span,
            span,
            vis: Vis::Private,
            attrs: Attrs::default(),
            kind: ItemKind::Block(items),
        }
    }
}

/// What an item is.
#[derive(Debug)]
pub enum ItemKind {
    /// `mod name;` or `mod name { … }`.
    Mod(Option<Vec<Item>>),
    /// `{ … }` with items in it, inside of a function: a scope without a name.
    Block(Vec<Item>),
    /// `struct`, `enum` or `union`.
    Adt(Box<Adt>),
    /// `type Name<…> = …;` — without `=` in a trait or an `extern` block.
    TypeAlias(Box<TypeAlias>),
    /// `const NAME: T = …;`
    Const(Box<Const>),
    /// `static NAME: T = …`: its type and where its value stands.
    Static(Box<Type>, Option<Span>),
    /// `use …;`, a leaf for each name that it brings.
    Use(Vec<UseLeaf>),
    /// `extern crate name as alias;`: the crate's own name.
    ExternCrate(Name),
    /// `macro_rules! name { … }` or `macro name(…) { … }`.
    MacroDef(MacroDef),
    /// `path! { … }` where an item may stand.
    MacroCall(Box<MacroCall>),
    /// `impl … { … }`.
    Impl(Box<Impl>),
    /// `trait Name { … }`.
    Trait(Box<Trait>),
    /// `fn name(…) { … }`.
    Fn(Function),
}

/// A struct, enum or union.
#[derive(Debug)]
pub struct Adt {
    /// Which of the three.
    pub kind: AdtKind,
    /// Its parameters.
    pub generics: Generics,
    /// An enum's variants; one nameless variant that holds the fields of a struct or union.
    pub variants: Vec<Variant>,
}

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdtKind {
    /// `struct`.
    Struct,
    /// `enum`.
    Enum,
    /// `union`.
    Union,
}

impl AdtKind {
    /// The keyword.
    pub fn as_str(self) -> &'static str {
        match self {
            AdtKind::Struct => "struct",
            AdtKind::Enum => "enum",
            AdtKind::Union => "union",
        }
    }
}

/// A variant of an enum, or the body of a struct or union.
#[derive(Debug)]
pub struct Variant {
    /// Its name; the type's own for a struct or union.
    pub name: Name,
    /// The name in the text.
    pub name_span: Span,
    /// The whole variant.
    pub span: Span,
    /// Its attributes (empty for a struct's body).
    pub attrs: Attrs,
    /// Its fields.
    pub fields: Vec<Field>,
    /// How its fields are written.
    pub style: Style,
    /// The expression after `=`.
    pub discriminant: Option<Expr>,
}

/// How fields are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `{ a: A }`.
    Named,
    /// `(A)`.
    Tuple,
    /// Nothing.
    Unit,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name; `0`, `1` … in a tuple.
    pub name: Name,
    /// The name in the text; the type for a tuple's field.
    pub name_span: Span,
    /// Its type in the text.
    pub ty_span: Span,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its visibility.
    pub vis: Vis,
    /// Its type.
    pub ty: Type,
}

/// Generic parameters and their bounds; of lifetimes only whether there are any.
#[derive(Clone, Debug, Default)]
pub struct Generics {
    /// Types and constants in order.
    pub params: Vec<Param>,
    /// The `where` clauses about types.
    pub wheres: Vec<Where>,
    /// It has lifetime parameters too.
    pub lifetimes: bool,
}

/// A generic parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its attributes.
    pub attrs: Attrs,
    /// Type or constant.
    pub kind: ParamKind,
}

/// Type or constant.
#[derive(Clone, Debug)]
pub enum ParamKind {
    /// `T: Bounds = Default`.
    Type {
        /// What follows the colon.
        bounds: Vec<Bound>,
        /// What follows the equals sign.
        default: Option<Type>,
    },
    /// `const N: T = default`.
    Const {
        /// Its type.
        ty: Type,
        /// What follows the equals sign.
        default: Option<Box<Expr>>,
    },
}

/// `Trait` or `?Trait`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The trait.
    pub path: Path,
    /// Written with `?`.
    pub maybe: bool,
}

/// `Type: Bounds`.
#[derive(Clone, Debug)]
pub struct Where {
    /// What is bounded.
    pub ty: Type,
    /// By what.
    pub bounds: Vec<Bound>,
}

/// A path as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// Starts with `::`.
    pub global: bool,
    /// Its segments, at least one; `crate`, `self`, `super`, `Self` stand as names.
    pub segments: SmallVec<[Segment; 1]>,
    /// Where.
    pub span: Span,
}

impl Path {
    /// A path of one name.
    pub fn of_name(name: Name, span: Span) -> Path {
        Path {
            global: false,
            segments: smallvec![Segment { name, args: None }],
            span,
        }
    }

    /// Its last name.
    pub fn last_name(&self) -> &'static str {
        self.segments.last().map_or("", |s| s.name.as_str())
    }
}

/// One segment of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Its name.
    pub name: Name,
    /// `<…>` or `(…) -> …`.
    pub args: Option<Box<Args>>,
}

/// The generic arguments of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Args {
    /// Types and constants in order.
    pub args: Vec<Arg>,
    /// `Name = Type`.
    pub assoc: Vec<(Name, Type)>,
    /// `(A, B) -> C`: then `args` holds the inputs and this the output (`()` if none is written).
    pub output: Option<Type>,
}

/// One generic argument. A lone path may be a type or a constant: it is a `Type` here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// A type.
    Type(Type),
    /// A literal, a block, or a negative literal.
    Const(Expr),
}

/// A type as written.
// weigh: allow(oversized_variant, reason = "nearly every type is a path")
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A path.
    Path(Path),
    /// `<T>::rest` and `<T as Trait>::rest`: the trait's path if given, then what follows it.
    Qualified(Box<Type>, Option<Box<Path>>, Vec<Segment>),
    /// `&T`, `&mut T` (`true`).
    Ref(Box<Type>, bool),
    /// `*const T`, `*mut T` (`true`).
    Ptr(Box<Type>, bool),
    /// `[T]`.
    Slice(Box<Type>),
    /// `[T; N]`.
    Array(Box<Type>, Box<Expr>),
    /// `(A, B)`, also `()`.
    Tuple(Vec<Type>),
    /// `!`.
    Never,
    /// `fn(A) -> B`.
    FnPtr(Vec<Type>, Option<Box<Type>>),
    /// `dyn A + B`.
    Dyn(Vec<Bound>),
    /// `impl A + B`.
    Impl(Vec<Bound>),
    /// `_`.
    Infer,
    /// `name!(…)`.
    Macro(Box<MacroCall>),
    /// Syntax that is not understood, with its name.
    Other(&'static str),
}

impl Type {
    /// True for a reference to a slice, text or path, to which one to a buffer becomes by itself.
    pub fn is_slice_ref(&self) -> bool {
        match self {
            Type::Ref(inner, _) => match &**inner {
                Type::Slice(_) => true,
                Type::Path(path) => matches!(path.last_name(), "str" | "Path" | "OsStr"),
                _ => false,
            },
            _ => false,
        }
    }
}

/// A type alias or an associated type.
#[derive(Debug)]
pub struct TypeAlias {
    /// Its parameters.
    pub generics: Generics,
    /// Bounds, in a trait.
    pub bounds: Vec<Bound>,
    /// What it stands for; a default, in a trait.
    pub ty: Option<Type>,
}

/// A constant or an associated constant.
#[derive(Debug)]
pub struct Const {
    /// Its type.
    pub ty: Type,
    /// Its value, if it has been read: in a dependency most wait until they are asked for.
    pub value: Option<Box<Expr>>,
    /// Where its value stands; none in a trait without default.
    pub value_span: Option<Span>,
}

/// One name that a `use` brings.
#[derive(Clone, Debug)]
pub struct UseLeaf {
    /// Starts with `::`.
    pub global: bool,
    /// The path, without the star of a glob; `{self}` is already folded in.
    pub path: Vec<Name>,
    /// What it is bound to.
    pub bind: UseBind,
    /// The leaf in the text.
    pub span: Span,
}

/// What an imported thing is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseBind {
    /// This name.
    Name(Name),
    /// `as _`.
    Unnamed,
    /// `*`.
    Glob,
}

/// A macro definition, unexpanded.
#[derive(Clone, Debug)]
pub struct MacroDef {
    /// The rules: the bytes inside the outer delimiters; for `macro`, all that follows the name.
    pub body: Span,
    /// Written with `macro` instead of `macro_rules!`.
    pub decl2: bool,
}

/// A macro call, unexpanded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MacroCall {
    /// The macro.
    pub path: Path,
    /// The bytes inside the delimiters.
    pub args: Span,
    /// The whole call.
    pub span: Span,
    /// A statement whose arguments begin no item.
    pub quiet: bool,
}

/// An `impl` block.
#[derive(Debug)]
pub struct Impl {
    /// Its parameters.
    pub generics: Generics,
    /// The trait, if it is of one.
    pub trait_: Option<Path>,
    /// `impl !Trait`.
    pub negative: bool,
    /// For what.
    pub self_ty: Type,
    /// Associated types, constants, functions and macro calls.
    pub items: Vec<Item>,
}

/// A trait.
#[derive(Debug)]
pub struct Trait {
    /// Its parameters.
    pub generics: Generics,
    /// What follows the colon.
    pub supers: Vec<Bound>,
    /// Associated types, constants, functions and macro calls.
    pub items: Vec<Item>,
}

/// A function; signature and body are read on demand from their text.
#[derive(Clone, Debug)]
pub struct Function {
    /// From the first qualifier (`const`, `async`, `fn` …) to the body or the semicolon.
    pub signature: Span,
    /// The body with its braces.
    pub body: Option<Span>,
    /// Declared `const`.
    pub is_const: bool,
    /// The body may define types: it, or a macro call in it, holds a word that begins one.
    pub has_items: bool,
}
