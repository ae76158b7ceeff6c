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

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    /// A module or a crate.
    Mod(ModId),
    /// An item.
    Item(ItemId),
    /// A variant of an enum, by its position.
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
    /// Which of the three.
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

/// A visibility with its module found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// From everywhere.
    Everywhere,
    /// From this module and those below it.
    Within(ModId),
}

/// A condition that stays open: over atoms of one crate.
pub type Guard = Option<Arc<cfg::Open>>;

/// Something bound to a name in a module.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When it is there at all.
    pub guard: Guard,
    /// Who may name it.
    pub seen: Seen,
    /// What it is.
    pub to: Bound,
}

/// What an [`Entry`] leads to.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A definition.
    Def(Def),
    /// An import, to be followed.
    Import(Arc<Import>),
}

/// A `use` leaf in its module.
#[derive(Debug)]
pub struct Import {
    /// The module it stands in.
    pub module: ModId,
    /// The item that it is of.
    pub item: ItemId,
    /// Starts with `::`.
    pub global: bool,
    /// Its path.
    pub path: Vec<Name>,
    /// Of a glob: what it opens, once that is known, whoever asks.
    pub target: OnceLock<Def>,
}

/// The names of a module.
#[derive(Default)]
pub struct Scope {
    /// Types, modules and traits.
    pub types: FxHashMap<Name, Vec<Entry>>,
    /// Values.
    pub values: FxHashMap<Name, Vec<Entry>>,
    /// Macros that go by path.
    pub macros: FxHashMap<Name, Vec<Entry>>,
    /// Named imports: in all three namespaces.
    pub imports: FxHashMap<Name, Vec<Entry>>,
    /// Imports as `_`: traits whose methods and constants are wanted.
    pub unnamed: Vec<Entry>,
    /// Glob imports.
    pub globs: Vec<Entry>,
    /// `impl` blocks.
    pub impls: Vec<ItemId>,
    /// Modules below, in order.
    pub children: Vec<ModId>,
    /// Structs, enums and unions, in order.
    pub adts: Vec<ItemId>,
    /// Functions, constants and statics, in order; only in crates that are selected.
    pub values_in_order: Vec<ItemId>,
    /// Functions and constants whose body may define types, with the macros in scope there.
    pub bodies: Vec<(ItemId, Textual)>,
    /// Calls of `weigh-derive`'s `assert_size!`, which adds no names.
    pub asserts: Vec<ir::MacroCall>,
    /// Macro calls that could not be expanded: names may hide in them.
    pub opaque: Vec<Opaque>,
    /// Items on which attributes stand that may be macros, derives included.
    pub attributed: Vec<ItemId>,
}

/// A macro call that could not be expanded.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// When it is there at all.
    pub guard: Guard,
    /// Why it could not.
    pub why: Arc<str>,
    /// What is written in it.
    pub args: Span,
}

/// `macro_rules!` in textual scope: a list that grows at its head.
pub type Textual = Option<Arc<TextualLink>>;

/// One link of a [`Textual`].
pub struct TextualLink {
    /// The macro's name.
    pub name: Name,
    /// The macro.
    pub item: ItemId,
    /// What was in scope before.
    pub before: Textual,
}

/// How far a module has been opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Declared in a module that is being read, which has not come so far yet: what macros are in
    /// scope there is not known.
    Ahead,
    /// Nobody asked yet.
    Closed,
    /// Being read: names may be missing.
    Opening,
    /// Read, by a thread that may still find more names for it.
    Open,
    /// Read, and as it will be.
    Settled,
}

/// The [`State`] of a module, which only the thread that opens modules changes; what is settled
/// others may read without waiting for it.
pub struct Progress(AtomicU8);

impl Progress {
    const ALL: [State; 5] = [
        State::Ahead,
        State::Closed,
        State::Opening,
        State::Open,
        State::Settled,
    ];

    /// At the beginning.
    pub fn new(state: State) -> Progress {
        Progress(AtomicU8::new(state as u8))
    }

    /// How far the module has been opened.
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
    /// The module around it.
    pub parent: Option<ModId>,
    /// Its name; empty for a root.
    pub name: Name,
    /// A function's body: names fall through to the module around it.
    pub block: bool,
    /// When it is there at all.
    pub guard: Guard,
    /// Its items where they stand inline.
    pub inline: Option<&'a [ir::Item]>,
    /// The item that declares it; none for a root.
    pub decl: Option<&'a ir::Item>,
    /// Directory that its child modules' files lie in.
    pub dir: PathBuf,
    /// Directory of the file that it stands in, plus inline modules: what `#[path]` starts from.
    pub path_dir: PathBuf,
    /// The file to read when it is opened; none for inline modules and bodies.
    pub file: Option<PathBuf>,
    /// How far it has been opened.
    pub state: Progress,
    /// Macros in scope where it begins, then where it ends.
    pub textual: RwLock<Textual>,
    /// For a function's body: the function.
    pub function: Option<ItemId>,
    /// What macros that are not expanded may have made in it, found when first asked for.
    pub makers: OnceLock<Arc<[Maker]>>,
    /// Its names.
    pub scope: RwLock<Scope>,
}
