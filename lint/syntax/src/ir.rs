//! The intermediate representation of a file: plain data without syntax trees or tokens, `Send`.
//!
//! Paths, types and constant expressions are unresolved; `resolve` gives them meaning. Lifetimes
//! are omitted, except whether an item has any: rustc's layout depends on that for a projection in
//! the last field of a struct.

mod attrs;
pub mod body;
mod expr;
pub mod marks;

pub use attrs::{Attr, Attrs, Meta};
pub use expr::{Block, Expr, FunctionBody, Integer, Lit, MethodCall, Pat, Stmt};

use crate::name::Name;
use crate::span::Span;
use smallvec::{SmallVec, smallvec};

/// A source file, or the text of a macro expansion.
#[derive(Debug, Default)]
pub struct File {
    /// Inner attributes of the file (`#![no_std]`).
    pub attrs: Attrs,
    /// Items in source order.
    pub items: Vec<Item>,
    /// Syntax errors; the rest of the file is lowered regardless.
    pub errors: Vec<SyntaxError>,
}

impl File {
    /// Returns true if the file calls or defines macros at item level.
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

/// A span of source that could not be parsed.
#[derive(Clone, Debug)]
pub struct SyntaxError {
    /// Its span.
    pub span: Span,
    /// The reason: one line, lower case, no full stop.
    pub message: String,
}

/// A `cfg` predicate.
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

/// An unresolved visibility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vis {
    /// No visibility qualifier.
    Private,
    /// `pub`.
    Public,
    /// `pub(crate)`, `pub(super)`, `pub(self)`, `pub(in path)`: the path's segments. A thin box makes
    /// each item and field 8 bytes smaller than a boxed slice would.
    In(Box<SmallVec<[Name; 2]>>),
}

/// An item.
#[derive(Debug)]
pub struct Item {
    /// Its name; [`Item::UNNAMED`] for `_` and items without a name.
    pub name: Name,
    /// The span of the name; the whole item if it has none.
    pub name_span: Span,
    /// The span from its first attribute to its last token.
    pub span: Span,
    /// Its visibility.
    pub vis: Vis,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its kind.
    pub kind: ItemKind,
}

impl Item {
    /// The name of items without one.
    pub const UNNAMED: &str = "_";

    /// Creates the nameless item for a block inside a function.
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

/// The kind of an item.
#[derive(Debug)]
pub enum ItemKind {
    /// `mod name;` or `mod name { … }`.
    Mod(Option<Vec<Item>>),
    /// A block with items inside a function: an anonymous scope.
    Block(Vec<Item>),
    /// `struct`, `enum` or `union`.
    Adt(Box<Adt>),
    /// `type Name<…> = …;`, without `=` in a trait or an `extern` block.
    TypeAlias(Box<TypeAlias>),
    /// `const NAME: T = …;`
    Const(Box<Const>),
    /// `static NAME: T = …`: its type and the span of its value.
    Static(Box<Type>, Option<Span>),
    /// `use …;`, one leaf per import.
    Use(Vec<UseLeaf>),
    /// `extern crate name as alias;`: the crate's name, not the alias.
    ExternCrate(Name),
    /// `macro_rules! name { … }` or `macro name(…) { … }`.
    MacroDef(MacroDef),
    /// `path! { … }` in item position.
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
    /// Struct, enum or union.
    pub kind: AdtKind,
    /// Its generic parameters.
    pub generics: Generics,
    /// The variants of an enum; for a struct or union, one variant with its fields.
    pub variants: Vec<Variant>,
}

impl Adt {
    /// Returns true if no other variant has the name of this one, as another `cfg` allows.
    pub fn is_single(&self, variant: &Variant) -> bool {
        let mut others = self.variants.iter().filter(|v| !std::ptr::eq(*v, variant));
        others.all(|other| other.name != variant.name)
    }
}

/// Struct, enum or union.
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
    /// Returns the keyword.
    pub fn as_str(self) -> &'static str {
        match self {
            AdtKind::Struct => "struct",
            AdtKind::Enum => "enum",
            AdtKind::Union => "union",
        }
    }
}

/// A variant of an enum, or the fields of a struct or union.
#[derive(Debug)]
pub struct Variant {
    /// Its name; the type's name for a struct or union.
    pub name: Name,
    /// The span of the name.
    pub name_span: Span,
    /// The span of the whole variant.
    pub span: Span,
    /// Its attributes (empty for a struct or union).
    pub attrs: Attrs,
    /// Its fields.
    pub fields: Vec<Field>,
    /// The syntax of its fields.
    pub style: Style,
    /// The explicit discriminant.
    pub discriminant: Option<Expr>,
}

/// The syntax of a variant's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `{ a: A }`.
    Named,
    /// `(A)`.
    Tuple,
    /// No field list.
    Unit,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name; `0`, `1`, … for a tuple field.
    pub name: Name,
    /// The span of the name; of the type for a tuple field.
    pub name_span: Span,
    /// The span of its type.
    pub ty_span: Span,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its visibility.
    pub vis: Vis,
    /// Its type.
    pub ty: Type,
}

/// Generic parameters and their bounds; for lifetimes, only whether there are any.
#[derive(Clone, Debug, Default)]
pub struct Generics {
    /// Types and constants in source order.
    pub params: Vec<Param>,
    /// The `where` predicates on types.
    pub wheres: Vec<Where>,
    /// Whether there are lifetime parameters.
    pub lifetimes: bool,
}

/// A generic parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its attributes.
    pub attrs: Attrs,
    /// A type or const parameter.
    pub kind: ParamKind,
}

/// A type or const parameter.
#[derive(Clone, Debug)]
pub enum ParamKind {
    /// `T: Bounds = Default`.
    Type {
        /// The bounds after the colon.
        bounds: Vec<Bound>,
        /// The default.
        default: Option<Type>,
    },
    /// `const N: T = default`.
    Const {
        /// Its type.
        ty: Type,
        /// The default.
        default: Option<Box<Expr>>,
    },
}

/// `Trait` or `?Trait`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The trait.
    pub path: Path,
    /// Whether it is a `?Trait` bound.
    pub maybe: bool,
}

/// `Type: Bounds`.
#[derive(Clone, Debug)]
pub struct Where {
    /// The bounded type.
    pub ty: Type,
    /// Its bounds.
    pub bounds: Vec<Bound>,
}

/// An unresolved path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// Whether it starts with `::`.
    pub global: bool,
    /// Its segments, at least one; `crate`, `self`, `super` and `Self` are ordinary names.
    pub segments: SmallVec<[Segment; 1]>,
    /// Its span.
    pub span: Span,
}

impl Path {
    /// Creates a path of one segment without generic arguments.
    pub fn of_name(name: Name, span: Span) -> Path {
        Path {
            global: false,
            segments: smallvec![Segment { name, args: None }],
            span,
        }
    }

    /// Returns the name of the last segment.
    pub fn last_name(&self) -> &'static str {
        self.segments.last().map_or("", |s| s.name.as_str())
    }
}

/// Returns the qualifiers of a function pointer in one form: `extern` alone is `extern "C"`.
pub(crate) fn qualifiers(
    is_unsafe: bool,
    abi: Option<Option<&str>>,
    variadic: bool,
) -> Option<Name> {
    let abi = abi.map(|name| name.unwrap_or("C"));
    let mut text = String::from(if is_unsafe { "unsafe " } else { "" });
    if let Some(abi) = abi.filter(|name| *name != "Rust") {
        text.push_str(&format!("extern \"{abi}\" "));
    }
    if variadic {
        text.push_str("... ");
    }
    (!text.is_empty()).then(|| Name::new(&text))
}

/// A path segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Its name.
    pub name: Name,
    /// Its generic arguments: `<…>` or `(…) -> …`.
    pub args: Option<Box<Args>>,
}

/// The generic arguments of a path segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Args {
    /// Types and constants in source order.
    pub args: Vec<Arg>,
    /// Associated type bindings: `Name = Type`.
    pub assoc: Vec<(Name, Type)>,
    /// The output of `(A, B) -> C` (`()` by default); `args` then holds the inputs.
    pub output: Option<Type>,
}

/// A generic argument. A lone path, type or constant alike, is a `Type`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// A type.
    Type(Type),
    /// A literal, a block, or a negative literal.
    Const(Expr),
}

/// An unresolved type.
// weigh: allow(oversized_variant, reason = "nearly every type is a path")
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A path.
    Path(Path),
    /// `<T>::rest` and `<T as Trait>::rest`: the trait's path if any, then the remaining segments.
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
    /// `fn(A) -> B`, and its qualifiers (`unsafe extern "C"`) if it has any.
    FnPtr(Vec<Type>, Option<Box<Type>>, Option<Name>),
    /// `dyn A + B`.
    Dyn(Vec<Bound>),
    /// `impl A + B`.
    Impl(Vec<Bound>),
    /// `_`.
    Infer,
    /// `name!(…)`.
    Macro(Box<MacroCall>),
    /// Unsupported syntax, by name.
    Other(&'static str),
}

impl Type {
    /// Returns true for a reference to a slice, string slice or path: a deref coercion target.
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
    /// Its generic parameters.
    pub generics: Generics,
    /// Its bounds, in a trait.
    pub bounds: Vec<Bound>,
    /// The aliased type; in a trait, the default.
    pub ty: Option<Type>,
}

/// A constant or an associated constant.
#[derive(Debug)]
pub struct Const {
    /// Its type.
    pub ty: Type,
    /// Its value, if parsed: most constants of a dependency are parsed on demand.
    pub value: Option<Box<Expr>>,
    /// The span of its value; `None` in a trait without default.
    pub value_span: Option<Span>,
}

/// One import of a `use` declaration.
#[derive(Clone, Debug)]
pub struct UseLeaf {
    /// Whether it starts with `::`.
    pub global: bool,
    /// The path without a glob's `*`; `{self}` is flattened.
    pub path: Vec<Name>,
    /// The binding that it introduces.
    pub bind: UseBind,
    /// The span of the leaf.
    pub span: Span,
}

/// The binding that an import introduces.
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
    /// The rules inside the outer delimiters; for `macro`, everything after the name.
    pub body: Span,
    /// Whether it is a `macro` rather than a `macro_rules!`.
    pub decl2: bool,
}

/// A macro call, unexpanded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MacroCall {
    /// The macro's path.
    pub path: Path,
    /// The span inside the delimiters.
    pub args: Span,
    /// The span of the whole call.
    pub span: Span,
    /// Whether it is a statement whose arguments contain no item keyword.
    pub quiet: bool,
}

/// An `impl` block.
#[derive(Debug)]
pub struct Impl {
    /// Its generic parameters.
    pub generics: Generics,
    /// The implemented trait, if any.
    pub trait_: Option<Path>,
    /// `impl !Trait`.
    pub negative: bool,
    /// The self type.
    pub self_ty: Type,
    /// Associated types, constants, functions and macro calls.
    pub items: Vec<Item>,
}

/// A trait.
#[derive(Debug)]
pub struct Trait {
    /// Its generic parameters.
    pub generics: Generics,
    /// The bounds after the colon.
    pub supers: Vec<Bound>,
    /// Associated types, constants, functions and macro calls.
    pub items: Vec<Item>,
}

/// A function; its signature and body are parsed on demand.
#[derive(Clone, Debug)]
pub struct Function {
    /// The span from the first qualifier (`const`, `async`, `fn`, …) to the body or semicolon.
    pub signature: Span,
    /// The span of the body with its braces.
    pub body: Option<Span>,
    /// Whether it is a `const fn`.
    pub is_const: bool,
    /// Whether the body may define types: it, or a macro call in it, contains an item keyword; in a
    /// crate that is not selected, `impl`.
    pub has_items: bool,
}
