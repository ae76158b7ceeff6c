//! Modules and the names in them.

use super::{CrateIx, ItemId, ModId, cfg, ty, unexpanded::Maker};
use crate::ir;
use crate::name::Name;
use crate::span::Span;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    /// A module or a crate.
    Mod(ModId),
    /// An item.
    Item(ItemId),
    /// A variant of an enum, by index.
    Variant(ItemId, u32),
    /// A primitive type.
    Prim(ty::Prim),
    /// A macro of a procedural-macro crate.
    ProcMacro(ProcMacro),
}

/// A macro of a procedural-macro crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcMacro {
    /// The crate that defines it.
    pub krate: CrateIx,
    /// Its name there.
    pub name: Name,
    /// Its kind.
    pub kind: ProcMacroKind,
}

/// The three kinds of procedural macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcMacroKind {
    /// `name!(…)`.
    Bang,
    /// `#[name]`.
    Attribute,
    /// `#[derive(Name)]`.
    Derive,
}

/// The three namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ns {
    /// Types, modules, traits.
    Type,
    /// Values.
    Value,
    /// Macros.
    Macro,
}

/// A resolved visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// Visible everywhere.
    Everywhere,
    /// Visible in this module and its descendants.
    Within(ModId),
}

/// A `cfg` condition over undecided atoms of one crate.
pub type Guard = Option<Arc<cfg::Open>>;

/// A binding of a name in a module.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The `cfg` condition under which it exists.
    pub guard: Guard,
    /// Its visibility.
    pub seen: Seen,
    /// Its target.
    pub to: Bound,
}

/// The target of an [`Entry`].
#[derive(Clone, Debug)]
pub enum Bound {
    /// A definition.
    Def(Def),
    /// An import, resolved on demand.
    Import(Arc<Import>),
}

/// A leaf of a `use` tree in its module.
#[derive(Debug)]
pub struct Import {
    /// The module that contains it.
    pub module: ModId,
    /// The `use` item that it belongs to.
    pub item: ItemId,
    /// True if the path starts with `::`.
    pub global: bool,
    /// Its path.
    pub path: Vec<Name>,
    /// For a glob: its target, once that is the same for every caller.
    pub target: OnceLock<Def>,
}

/// The names of a module.
#[derive(Default)]
pub struct Scope {
    /// Types, modules and traits.
    pub types: FxHashMap<Name, Vec<Entry>>,
    /// Values.
    pub values: FxHashMap<Name, Vec<Entry>>,
    /// Macros with path-based scope.
    pub macros: FxHashMap<Name, Vec<Entry>>,
    /// Named imports, in all three namespaces.
    pub imports: FxHashMap<Name, Vec<Entry>>,
    /// Imports as `_`: traits in scope for their methods and constants.
    pub unnamed: Vec<Entry>,
    /// Glob imports.
    pub globs: Vec<Entry>,
    /// `impl` blocks.
    pub impls: Vec<ItemId>,
    /// Child modules, in order.
    pub children: Vec<ModId>,
    /// Structs, enums and unions, in order.
    pub adts: Vec<ItemId>,
    /// Functions, constants and statics, in order; only in selected crates.
    pub values_in_order: Vec<ItemId>,
    /// Functions and constants whose bodies may define types, with the textual macro scope there.
    pub bodies: Vec<(ItemId, Textual)>,
    /// Calls of `weigh-derive`'s `assert_size!`, which adds no names.
    pub asserts: Vec<ir::MacroCall>,
    /// Macro calls that could not be expanded: they may define names.
    pub opaque: Vec<Opaque>,
    /// Items with attributes that may be macros, derives included.
    pub attributed: Vec<ItemId>,
}

/// A macro call that could not be expanded.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// The `cfg` condition under which it exists.
    pub guard: Guard,
    /// Why expansion failed.
    pub why: Arc<str>,
    /// The span of its arguments.
    pub args: Span,
    /// True for an `include!` of a file that is not there.
    pub include: bool,
}

impl Opaque {
    /// Creates the record of a call that could not be expanded.
    pub fn of(call: &ir::MacroCall, guard: Guard, why: Arc<str>) -> Opaque {
        Opaque {
            guard,
            why,
            args: call.args,
            include: call
                .path
                .segments
                .last()
                .is_some_and(|s| s.name.as_str() == "include"),
        }
    }
}

/// `macro_rules!` in textual scope: a linked list that grows at its head.
pub type Textual = Option<Arc<TextualLink>>;

/// A link of a [`Textual`].
pub struct TextualLink {
    /// The macro's name.
    pub name: Name,
    /// The macro.
    pub item: ItemId,
    /// The scope before its definition.
    pub before: Textual,
}

/// How far a module has been opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Declared in a module whose collection has not reached it yet: the macros in scope there are
    /// not yet known.
    Ahead,
    /// Not yet requested.
    Closed,
    /// Being read: names may be missing.
    Opening,
    /// Read; the same thread may still find more names for it.
    Open,
    /// Read and final.
    Settled,
}

/// The [`State`] of a module. Only the thread that opens modules changes it; others may read a
/// settled module without waiting.
pub struct Progress(AtomicU8);

impl Progress {
    const ALL: [State; 5] = [
        State::Ahead,
        State::Closed,
        State::Opening,
        State::Open,
        State::Settled,
    ];

    /// Creates a progress in the given state.
    pub fn new(state: State) -> Progress {
        Progress(AtomicU8::new(state as u8))
    }

    /// Returns how far the module has been opened.
    pub fn get(&self) -> State {
        Self::ALL[usize::from(self.0.load(Ordering::Acquire))]
    }

    pub(super) fn set(&self, state: State) {
        self.0.store(state as u8, Ordering::Release);
    }
}

/// A module.
pub struct Module<'a> {
    /// Its crate.
    pub krate: CrateIx,
    /// The enclosing module.
    pub parent: Option<ModId>,
    /// Its name; empty for a root.
    pub name: Name,
    /// True for a function body: name lookup falls through to the enclosing module.
    pub block: bool,
    /// The `cfg` condition under which it exists.
    pub guard: Guard,
    /// Its items, if they are inline.
    pub inline: Option<&'a [ir::Item]>,
    /// The item that declares it; `None` for a root.
    pub decl: Option<&'a ir::Item>,
    /// The directory of its child modules' files.
    pub dir: PathBuf,
    /// The directory of the containing file plus inline modules: the base of `#[path]`.
    pub path_dir: PathBuf,
    /// The file to read when it is opened; `None` for inline modules and bodies.
    pub file: Option<PathBuf>,
    /// How far it has been opened.
    pub state: Progress,
    /// Macros in textual scope at its start; once it is read, at its end.
    pub textual: RwLock<Textual>,
    /// For a function body: the function.
    pub function: Option<ItemId>,
    /// What unexpanded macros may have defined in it, computed on first use.
    pub makers: OnceLock<Arc<[Maker]>>,
    /// Its names.
    pub scope: RwLock<Scope>,
}
