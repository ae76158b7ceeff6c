//! Paths to definitions, across crates: the `Db` holds every crate that was led to, its modules
//! opened on demand, and answers what a path, a type or a constant expression means.
//!
//! All threads ask one `Db`. Answers that are kept are a `Memo`: looked up, worked out by whoever
//! wants them, kept if nobody was faster; none that rests on what its asker is in the middle of is
//! kept. What a thread is in the middle of is its own (`Walk`). What is made once (modules opened,
//! macros expanded, members and `impl`s listed) one thread makes at a time in each crate (`Turns`),
//! and whoever needs it waits; what is settled is read without waiting. No lock is held while
//! anything else is asked, but a turn.
//! A question whose answer depends on a `cfg` that only a build script knows ends in
//! [`Unknown::Atom`]; whoever can compare layouts asks again with the atom assumed each way.

pub mod ahead;
mod aliases;
pub mod assoc;
pub mod attrs;
pub mod bodies;
mod bounds;
pub mod cfg;
pub mod collect;
pub mod consts;
pub mod declare;
mod discriminants;
pub mod display;
pub mod eval;
pub mod expand;
mod fields;
pub(crate) mod heads;
mod held;
pub mod impls;
mod integers;
pub mod intrinsics;
pub mod library;
pub mod load;
pub mod lookup;
pub mod macros;
mod named;
mod procedural;
mod scope;
pub mod tail;
mod turns;
pub mod ty;
pub mod types;
mod under_way;
pub mod unexpanded;
pub mod unify;
mod written;

pub use scope::{
    Bound, Def, Entry, Guard, Import, Module, Ns, Opaque, ProcMacro, ProcMacroKind, Progress,
    Scope, Seen, State, Textual, TextualLink,
};

use crate::budget::Budget;
use crate::ir;
use crate::memo::{Local, Memo};
use crate::name::Name;
use crate::place::Place;
use crate::project::{CrateId, Project};
use crate::source::Sources;
use crate::span::Span;
use elsa::sync::FrozenMap;
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use turns::Turns;
use ty::{Interner, Ty};
use under_way::Walk;

/// A module: of a crate, of a function body, or a crate's root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModId(pub u32);

/// An item of a module, trait or `impl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(Place);

/// A `cfg` name or value of one crate that only its build script knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// Index of a crate in a [`Db`]: those of the project, then the standard library.
pub type CrateIx = u32;

/// Why something is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// It depends on a `cfg` that only a build script knows.
    Atom(AtomId),
    /// It depends on a generic parameter.
    Generic(Name),
    /// A type that holds itself by value, or one too large for the target: an error of the source.
    Invalid(Arc<str>),
    /// Anything else, in one line.
    Because(Arc<str>),
}

impl Unknown {
    /// A reason in words.
    pub fn because(text: impl Into<Arc<str>>) -> Unknown {
        Unknown::Because(text.into())
    }
}

/// An answer or why there is none.
pub type Res<T> = Result<T, Unknown>;

/// An item and where it stands.
pub struct ItemData<'a> {
    /// The item as written.
    pub item: &'a ir::Item,
    /// The module whose names its paths see.
    pub module: ModId,
    /// The trait or `impl` around it.
    pub owner: Option<ItemId>,
    /// When it is there at all.
    pub guard: Guard,
    /// The macros in textual scope where it stands; unset until its module has come so far.
    pub textual: OnceLock<Textual>,
    /// What was found out about it; of most items nobody asks.
    facts: OnceLock<Box<ItemFacts>>,
}

impl ItemData<'_> {
    /// What was found out about it so far.
    fn facts(&self) -> &ItemFacts {
        self.facts.get_or_init(Box::default)
    }
}

/// What is found out about an item when somebody asks.
#[derive(Default)]
struct ItemFacts {
    /// For a macro: its rules, parsed once.
    rules: OnceLock<Result<Arc<expand::Macro>, String>>,
    /// For a trait or `impl`: its associated items, macro calls expanded.
    members: OnceLock<Box<[ItemId]>>,
    /// For a trait or `impl`: why some of its associated items may not be seen, if so.
    unseen: RwLock<Option<Arc<str>>>,
    /// Its parameters without those that a `cfg` takes away, where it has such.
    generics: OnceLock<Box<ir::Generics>>,
}

/// A crate.
pub struct Krate {
    /// Its name in paths.
    pub name: Name,
    /// Its place in the project; none for the standard library.
    pub id: Option<CrateId>,
    /// Edition year.
    pub edition: u16,
    /// Names of other crates as this one writes them.
    pub externs: RwLock<FxHashMap<Name, CrateIx>>,
    /// Its root module, made when first asked for.
    pub root: OnceLock<ModId>,
    /// Selected by the user: function bodies are looked into.
    pub own: bool,
    /// `#[macro_export]` macros found so far, wherever they stand.
    pub exported: RwLock<FxHashMap<Name, Vec<Entry>>>,
    /// Macros of `#[macro_use] extern crate`.
    pub macro_use: RwLock<Vec<CrateIx>>,
    /// Its `impl`s, indexed when first asked for.
    pub impls: OnceLock<impls::ImplIndex>,
    /// Why not all that it holds may be seen, if so; found when first asked for.
    pub unseen: OnceLock<Option<Arc<str>>>,
    /// One thread at a time reads files of it ahead of time; true once all are.
    pub whole: Mutex<bool>,
    /// `#![no_core]`-like crates have no prelude; `no_std` changes nothing here.
    pub prelude: bool,
}

/// Something that could not be read or understood, with its place.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where.
    pub span: Option<Span>,
    /// The file, where there is no span (it could not be read at all).
    pub file: Option<PathBuf>,
    /// What.
    pub message: String,
    /// It stands in a crate that the user selected.
    pub own: bool,
}

/// A macro call that waits for its macro to appear, or an item whose attributes do.
struct Pending<'a> {
    module: ModId,
    what: Waiting<'a>,
    textual: Textual,
    guard: Guard,
}

#[derive(Clone, Copy)]
enum Waiting<'a> {
    Call(&'a ir::MacroCall),
    Item(&'a ir::Item),
}

/// What lives as long as the `Db` and never moves.
#[derive(Default)]
pub struct Arenas<'a> {
    files: boxcar::Vec<ir::File>,
    modules: boxcar::Vec<Module<'a>>,
    items: boxcar::Vec<ItemData<'a>>,
    krates: boxcar::Vec<Krate>,
    impls: boxcar::Vec<impls::ImplIndex>,
}

/// Sizes in bytes and alignments, answered by the layer above for `size_of` in constants.
pub type SizeOf<'a> = dyn Fn(&Db<'a>, Ty) -> Res<(u64, u64)> + Send + Sync + 'a;

/// Offsets in bytes of fields in fields, answered likewise for `offset_of!`.
pub type OffsetOf<'a> = dyn Fn(&Db<'a>, Ty, &[Name]) -> Res<u64> + Send + Sync + 'a;

/// All that was read and resolved so far.
pub struct Db<'a> {
    /// The texts.
    pub sources: Arc<Sources>,
    /// What cargo said.
    pub project: &'a Project,
    arenas: &'a Arenas<'a>,
    /// Files parsed ahead of time.
    parsed: Mutex<FxHashMap<PathBuf, ir::File>>,
    /// Function bodies that are read ahead of time.
    pub ahead: ahead::Ahead,
    library: &'static library::Library,
    files: RwLock<FxHashMap<PathBuf, Option<&'a ir::File>>>,
    /// Held by whoever adds one to them, who asks for nothing else meanwhile.
    adding: Mutex<()>,
    /// Function bodies that were opened as modules.
    bodies: Memo<ItemId, Option<ModId>>,
    /// Interned types.
    pub types: Interner,
    atoms: RwLock<cfg::Atoms>,
    /// Names that were found and rest on nothing that may still change.
    found: lookup::FoundNames,
    /// What the globs of modules bring.
    globs: lookup::Globs,
    /// What each thread is doing.
    walk: Local<Walk>,
    /// Who opens modules of which crate, and makes whatever else is made only once.
    turns: Turns<'a>,
    /// What is spent so far.
    pub(crate) budget: Budget,
    /// What each macro call of the source has led to so far, in bytes, by the crate, file and place.
    expanded: Mutex<FxHashMap<(CrateIx, Span), u64>>,
    /// Those of them whose expansion was given up.
    stopped: Mutex<FxHashSet<Span>>,
    /// Which files each file includes.
    includes: Mutex<FxHashMap<PathBuf, Vec<PathBuf>>>,
    /// Files that are modules already: what another one of the same file costs is no source.
    opened: Mutex<FxHashSet<PathBuf>>,
    headers: unify::Headers,
    /// Discriminants worked out, where no open `cfg` had a say.
    discriminants: Memo<(ItemId, u32), i128>,
    /// Aliases worked out, where no open `cfg` had a say; and what they are as written.
    aliases: [Memo<(ItemId, Vec<ty::GArg>), Ty>; 2],
    /// What makes types unsized, where no open `cfg` had a say.
    tails: Memo<Ty, tail::Tail>,
    /// Variants and fields by name.
    named: named::Named,
    fields: fields::Fields,
    /// Which of its arguments a definition holds.
    holding: held::Holding,
    /// Traits of std by path, from its root.
    std_traits: Memo<[&'static str; 3], Option<ItemId>>,
    /// Functions that constants call.
    functions: Memo<ItemId, Option<Arc<ir::FunctionBody>>>,
    /// Values of constants that were read when they were asked for.
    late_values: FrozenMap<ItemId, Box<ir::Expr>>,
    /// Constants worked out, where no open `cfg` had a say.
    constants: Memo<(ItemId, Vec<ty::GArg>), consts::Value>,
    /// What could not be read.
    pub problems: Mutex<Vec<Problem>>,
    /// Procedural macros, if they are to be expanded.
    procedural: Option<procedural::Procedural>,
    /// The helper attributes of derives.
    helpers: Memo<ProcMacro, Arc<[Name]>>,
    /// Attribute macros that the user's manifests say keep the fields as written.
    pub transparent: Vec<String>,
    /// Set once by the layout layer.
    pub size_of: OnceLock<Box<SizeOf<'a>>>,
    /// Offsets for constants.
    pub offset_of: OnceLock<Box<OffsetOf<'a>>>,
    projections: Memo<assoc::Question, Ty>,
    /// Paths already resolved from a module by their first name, where no atom had a say.
    pub(crate) names: Memo<(ModId, Name, Ns), Option<Def>>,
}

impl<'a> Db<'a> {
    /// A module.
    pub fn module(&self, id: ModId) -> &'a Module<'a> {
        &self.arenas.modules[id.0 as usize]
    }

    /// An item.
    pub fn item(&self, id: ItemId) -> &'a ItemData<'a> {
        &self.arenas.items[id.0.index()]
    }

    /// A crate.
    pub fn krate(&self, ix: CrateIx) -> &'a Krate {
        &self.arenas.krates[ix as usize]
    }

    /// Number of crates, the standard library included.
    pub fn krate_count(&self) -> u32 {
        self.arenas.krates.count() as u32
    }

    /// The standard library.
    pub fn std(&self) -> CrateIx {
        self.krate_count() - 1
    }

    /// The crate that a module belongs to.
    pub fn krate_of(&self, module: ModId) -> CrateIx {
        self.module(module).krate
    }

    /// Path of a module relative to its crate root, with a trailing `::` unless it is empty.
    pub fn module_path(&self, module: ModId) -> String {
        let m = self.module(module);
        match m.parent {
            // A block inside of a function has no name.
            Some(parent) if m.name.as_str().is_empty() => self.module_path(parent),
            Some(parent) => format!("{}{}::", self.module_path(parent), m.name),
            None => String::new(),
        }
    }

    /// Path of an item relative to its crate root.
    pub fn item_path(&self, id: ItemId) -> String {
        let data = self.item(id);
        format!("{}{}", self.module_path(data.module), data.item.name)
    }

    /// True if `inner` is `outer` or lies below it.
    pub fn is_within(&self, inner: ModId, outer: ModId) -> bool {
        let mut at = Some(inner);
        while let Some(m) = at {
            if m == outer {
                return true;
            }
            at = self.module(m).parent;
        }
        false
    }

    /// The nearest module around `module` that is no function body.
    pub fn normal(&self, mut module: ModId) -> ModId {
        while self.module(module).block {
            match self.module(module).parent {
                Some(parent) => module = parent,
                None => break,
            }
        }
        module
    }

    pub(crate) fn problem(&self, krate: CrateIx, span: Span, message: impl Into<String>) {
        let (origin, _) = self.sources.origin(span);
        // Messages name what stands there.
        let message = match self.sources.about(origin.file).is_foreign {
            true => "this file is not understood; it lies outside the repository and is not quoted"
                .to_owned(),
            false => message.into(),
        };
        self.problems.lock().push(Problem {
            span: Some(span),
            file: None,
            message,
            own: self.krate(krate).own,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_ask_one_db() {
        fn shared<T: Sync>() {}
        shared::<Db<'static>>();
    }
}
