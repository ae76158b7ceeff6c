//! Name resolution across crates: the `Db` holds every reachable crate, opens its modules on
//! demand, and answers what a path, a type or a constant expression means.
//!
//! All threads share one `Db`. Cached answers live in a `Memo`: a thread looks one up, computes it
//! on a miss, and stores it unless another thread was faster. An answer that depends on a query the
//! thread is in the middle of is not cached. The queries in progress are per thread (`Walk`). Work
//! that must happen once (opening modules, expanding macros, listing members and `impl`s) is done
//! by one thread at a time per crate (`Turns`), and other threads that need the result wait;
//! settled results are read without waiting. No lock but a turn is held across another query.
//!
//! A query whose answer depends on a `cfg` that only a build script knows fails with
//! [`Unknown::Atom`]; a caller that can compare layouts repeats it with the atom assumed each way.

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
pub mod doubt;
pub mod eval;
pub mod expand;
mod fields;
mod floats;
pub mod heads;
mod held;
mod hidden;
pub mod holds;
pub mod impls;
mod integers;
pub mod intrinsics;
pub mod library;
pub mod load;
pub mod lookup;
pub mod macros;
mod named;
mod paste;
mod procedural;
mod scope;
pub mod supposed;
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
use doubt::Answers;
use elsa::sync::FrozenMap;
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use turns::Turns;
use ty::{Interner, Ty};
use under_way::Walk;

/// A module: a crate root, a module of a crate, or a function body with items.
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

/// Why an answer is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// Dependence on a `cfg` that only a build script knows.
    Atom(AtomId),
    /// Dependence on a generic parameter.
    Generic(Name),
    /// The type has no size of its own.
    Unsized,
    /// An error in the source: a type contains itself by value or is too large for the target.
    Invalid(Arc<str>),
    /// Any other reason, in one line.
    Because(Arc<str>),
}

impl Unknown {
    /// Creates a reason from text.
    pub fn because(text: impl Into<Arc<str>>) -> Unknown {
        Unknown::Because(text.into())
    }
}

/// An answer, or why it is unknown.
pub type Res<T> = Result<T, Unknown>;

/// An item and its surroundings.
pub struct ItemData<'a> {
    /// The item as written.
    pub item: &'a ir::Item,
    /// The module in which its paths are resolved.
    pub module: ModId,
    /// The enclosing trait or `impl`.
    pub owner: Option<ItemId>,
    /// The `cfg` condition under which it exists.
    pub guard: Guard,
    /// The macros in textual scope at the item; unset until collection of its module reaches it.
    pub textual: OnceLock<Textual>,
    /// Facts computed on demand; most items have none.
    facts: OnceLock<Box<ItemFacts>>,
}

impl ItemData<'_> {
    /// Returns the facts computed so far.
    fn facts(&self) -> &ItemFacts {
        self.facts.get_or_init(Box::default)
    }
}

/// Facts about an item that are computed on demand.
#[derive(Default)]
struct ItemFacts {
    /// For a macro: its parsed rules.
    rules: OnceLock<Result<Arc<expand::Macro>, String>>,
    /// For a trait or `impl`: its associated items, with macro calls expanded.
    members: OnceLock<Box<[ItemId]>>,
    /// For a trait or `impl`: why some of its associated items may be missing, if so.
    unseen: RwLock<Option<Arc<str>>>,
    /// Its parameters without those that a `cfg` removes; set only if it has such.
    generics: OnceLock<Box<ir::Generics>>,
}

/// A crate.
pub struct Krate {
    /// Its name in paths.
    pub name: Name,
    /// Its id in the project; `None` for the standard library.
    pub id: Option<CrateId>,
    /// Edition year.
    pub edition: u16,
    /// Extern prelude: other crates by the names that this one uses.
    pub externs: RwLock<FxHashMap<Name, CrateIx>>,
    /// Its root module, created on first use.
    pub root: OnceLock<ModId>,
    /// True if selected by the user: its function bodies are analysed too.
    pub own: bool,
    /// `#[macro_export]` macros found so far, in any module.
    pub exported: RwLock<FxHashMap<Name, Vec<Entry>>>,
    /// Crates imported with `#[macro_use] extern crate`.
    pub macro_use: RwLock<Vec<CrateIx>>,
    /// Its `impl`s, indexed on first use.
    pub impls: OnceLock<impls::ImplIndex>,
    /// Why some of its items may be missing, if so; computed on first use.
    pub unseen: OnceLock<Option<Arc<str>>>,
    /// `impl`s in it where items are not read; found on first use.
    pub hidden: OnceLock<Arc<[hidden::Hidden]>>,
    /// Held by the thread that reads the crate's files ahead of time; true once all are read.
    pub whole: Mutex<bool>,
}

/// Something that could not be read or parsed, with its location.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where it is.
    pub span: Option<Span>,
    /// The file, if there is no span because it could not be read at all.
    pub file: Option<PathBuf>,
    /// What is wrong.
    pub message: String,
    /// True if it is in a crate that the user selected.
    pub own: bool,
}

/// A macro call, or an item with attribute macros, whose macro is not yet defined.
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

/// Arenas for data that lives as long as the `Db` and never moves.
#[derive(Default)]
pub struct Arenas<'a> {
    files: boxcar::Vec<ir::File>,
    modules: boxcar::Vec<Module<'a>>,
    items: boxcar::Vec<ItemData<'a>>,
    krates: boxcar::Vec<Krate>,
    impls: boxcar::Vec<impls::ImplIndex>,
}

/// Size in bytes and alignment of a type, supplied by the layout layer for `size_of` in constants.
pub type SizeOf<'a> = dyn Fn(&Db<'a>, Ty) -> Res<(u64, u64)> + Send + Sync + 'a;

/// Offset in bytes of a nested field, supplied by the layout layer for `offset_of!`.
pub type OffsetOf<'a> = dyn Fn(&Db<'a>, Ty, &[Name]) -> Res<u64> + Send + Sync + 'a;

/// Everything read and resolved so far.
pub struct Db<'a> {
    /// The source texts.
    pub sources: Arc<Sources>,
    /// The project as cargo describes it.
    pub project: &'a Project,
    arenas: &'a Arenas<'a>,
    /// Files parsed ahead of time.
    parsed: Mutex<FxHashMap<PathBuf, ir::File>>,
    /// Function bodies parsed ahead of time.
    pub ahead: ahead::Ahead,
    library: &'static library::Library,
    files: RwLock<FxHashMap<PathBuf, Option<&'a ir::File>>>,
    /// Held while a file is read and added to `files`; its holder runs no other query.
    adding: Mutex<()>,
    /// Function bodies opened as modules.
    bodies: Memo<ItemId, Option<ModId>>,
    /// The items in function bodies.
    inner: Memo<Span, &'a ir::File>,
    /// Interned types.
    pub types: Interner,
    atoms: RwLock<cfg::Atoms>,
    /// Found names whose lookup depends on nothing that may still change.
    found: lookup::FoundNames,
    /// Names that the glob imports of a module bring.
    globs: lookup::Globs,
    /// Queries in progress, per thread.
    walk: Local<Walk>,
    /// What answers suppose of unread macros.
    doubts: doubt::Doubts,
    /// Which thread opens modules of which crate, and does other once-only work there.
    turns: Turns<'a>,
    /// Budget spent so far.
    pub(crate) budget: Budget,
    /// Bytes that each macro call of the source has expanded to so far, by crate and call site.
    expanded: Mutex<FxHashMap<(CrateIx, Span), u64>>,
    /// Spans where expansion stopped at the budget; each is reported once.
    stopped: Mutex<FxHashSet<Span>>,
    /// The files that each file includes.
    includes: Mutex<FxHashMap<PathBuf, Vec<PathBuf>>>,
    /// Files already opened as modules: a further module of the same file is charged to the budget.
    opened: Mutex<FxHashSet<PathBuf>>,
    headers: unify::Headers,
    /// Discriminants that depend on no open `cfg`.
    discriminants: Answers<(ItemId, u32), i128>,
    /// Expanded aliases that depend on no open `cfg`: normalized, and as written.
    aliases: [Answers<(ItemId, Vec<ty::GArg>), Ty>; 2],
    /// Unsized tails of types that depend on no open `cfg`.
    tails: Answers<Ty, tail::Tail>,
    /// Whether types implement traits without arguments.
    implemented: Answers<(Ty, ItemId), bool>,
    /// Whether auto traits hold for types.
    autos: Answers<(Ty, ItemId), holds::Holds>,
    /// Variants and fields by name.
    named: named::Named,
    fields: fields::Fields,
    /// Which generic arguments the values of a definition hold.
    holding: held::Holding,
    /// Traits of std by path from its root.
    std_traits: Memo<[&'static str; 3], Option<ItemId>>,
    /// Functions that constants call.
    functions: Memo<ItemId, Option<Arc<ir::FunctionBody>>>,
    /// Initializers of constants that were parsed on first use.
    late_values: FrozenMap<ItemId, Box<ir::Expr>>,
    /// Values of constants that depend on no open `cfg`.
    constants: Answers<(ItemId, Vec<ty::GArg>), consts::Value>,
    /// What could not be read.
    pub problems: Mutex<Vec<Problem>>,
    /// Procedural macros, if they are to be expanded.
    procedural: Option<procedural::Procedural>,
    called: procedural::Called,
    /// Helper attributes of derives.
    helpers: Memo<ProcMacro, Arc<[Name]>>,
    /// Attribute macros that a manifest declares to keep fields as written.
    pub transparent: Vec<String>,
    /// Size query; set once by the layout layer.
    pub size_of: OnceLock<Box<SizeOf<'a>>>,
    /// Offset query for constants; set once by the layout layer.
    pub offset_of: OnceLock<Box<OffsetOf<'a>>>,
    projections: Answers<assoc::Question, Ty>,
    /// Resolved first segments of paths, by module, if no atom was involved.
    names: Answers<(ModId, Name, Ns), Option<Def>>,
}

impl<'a> Db<'a> {
    /// Returns a module.
    pub fn module(&self, id: ModId) -> &'a Module<'a> {
        &self.arenas.modules[id.0 as usize]
    }

    /// Returns an item.
    pub fn item(&self, id: ItemId) -> &'a ItemData<'a> {
        &self.arenas.items[id.0.index()]
    }

    /// Returns a crate.
    pub fn krate(&self, ix: CrateIx) -> &'a Krate {
        &self.arenas.krates[ix as usize]
    }

    /// Returns the number of crates, the standard library included.
    pub fn krate_count(&self) -> u32 {
        self.arenas.krates.count() as u32
    }

    /// Returns the index of the standard library.
    pub fn std(&self) -> CrateIx {
        self.krate_count() - 1
    }

    /// Returns the crate that a module belongs to.
    pub fn krate_of(&self, module: ModId) -> CrateIx {
        self.module(module).krate
    }

    /// Returns the path of a module relative to its crate root: empty or with a trailing `::`.
    pub fn module_path(&self, module: ModId) -> String {
        let m = self.module(module);
        match m.parent {
            // A block in a function has no name.
            Some(parent) if m.name.as_str().is_empty() => self.module_path(parent),
            Some(parent) => format!("{}{}::", self.module_path(parent), m.name),
            None => String::new(),
        }
    }

    /// Returns the path of an item relative to its crate root.
    pub fn item_path(&self, id: ItemId) -> String {
        let data = self.item(id);
        format!("{}{}", self.module_path(data.module), data.item.name)
    }

    /// Returns true if `inner` is `outer` or nested in it.
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

    /// Returns the nearest enclosing module that is not a function body.
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
        // Messages quote the source.
        let message = match self.sources.about(origin.file).is_foreign() {
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
