//! The types of a workspace, their layouts, and hypothetical layouts.

mod existence;
mod lookup;
mod written;

pub use written::NoType;

use crate::calibrate;
use crate::ir::{AdtKind, ItemKind, ParamKind};
use crate::layout::view::View;
use crate::layout::{Extent, LayoutArena, Layouts, WhatIf};
use crate::memo::Memo;
use crate::project::{Project, Release, Selection, Standing};
use crate::resolve::library::Library;
use crate::resolve::load::Early;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Arenas, CrateIx, Db, ItemId, ModId, Problem, Res, Unknown, load};
use crate::source::Sources;
use crate::span::Span;
use crate::spread::{beside, spread};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An analysed workspace.
pub struct Analysis<'a> {
    /// Names and types.
    pub db: &'a Db<'a>,
    /// Layouts.
    pub layouts: &'a Layouts<'a>,
    types: Vec<TypeInfo>,
    /// Index into `types`, by definition.
    places: FxHashMap<ItemId, usize>,
    /// Types whose path names a different type in another build, and why no size is given.
    disputed: FxHashMap<Ty, Disputed>,
    /// Cache of [`Analysis::parse_type`] for types of std.
    parsed: Memo<String, Ty>,
}

/// When function bodies are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// On demand.
    Asked,
    /// In advance, by idle threads, since lints will need them.
    Ahead,
}

/// The source texts of a run; what is probably needed is parsed while cargo runs, where a thread is
/// available.
pub struct Texts {
    sources: Arc<Sources>,
    library: &'static Library,
    early: Arc<Early>,
    bodies: Bodies,
}

impl Texts {
    /// Starts to read the declarations of std.
    pub fn new(bodies: Bodies) -> Texts {
        let sources = Arc::new(Sources::default());
        Texts {
            library: Library::begin(&sources),
            sources,
            early: Arc::default(),
            bodies,
        }
    }

    /// Starts to read the files that a selection probably has too, before its project is loaded.
    pub fn early(selection: &Selection, bodies: Bodies) -> Texts {
        let texts = Texts::new(bodies);
        let early = Early::begin(selection, &texts.sources, bodies == Bodies::Ahead);
        Texts { early, ..texts }
    }
}

/// A struct, enum or union that a selected crate defines.
#[derive(Clone, Debug)]
pub struct TypeInfo {
    /// The definition.
    pub item: ItemId,
    /// The defining crate.
    pub krate: CrateIx,
    /// Path relative to the crate root.
    // weigh: allow(unfrozen_vec, reason = "there is one for each type that an author wrote")
    pub path: String,
    /// Struct, enum or union.
    pub kind: AdtKind,
    /// The type with its own parameters as arguments.
    pub ty: Ty,
    /// Names of its generic parameters.
    pub generics: Vec<String>,
    /// Its name in a real file: the definition, or the macro call that generates it.
    pub span: Span,
    /// Whether an author wrote it, if only in the arguments of a macro call; false for tokens of a
    /// macro's own body.
    pub written: bool,
    /// Whether it exists whatever unresolved `cfg`s are.
    pub certain: bool,
}

/// A size that holds unless an unread macro does what few do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// Size and alignment.
    pub extent: Extent,
    /// What is supposed, one clause each; never empty.
    pub assuming: Vec<String>,
}

impl Assumed {
    /// Returns what is supposed, in one line.
    pub fn words(&self) -> String {
        self.assuming.join("; ")
    }
}

/// A type whose path names different types depending on an unresolved `cfg`.
struct Disputed {
    why: Unknown,
    /// Minimum size over all of them, in bytes.
    min_size: u64,
}

impl<'a> Analysis<'a> {
    /// Reads the selected crates of a project and everything that their types refer to.
    ///
    /// The data lives until the process ends: a run reads one workspace.
    ///
    /// # Errors
    /// Fails if the target's data layout cannot be parsed.
    pub fn read(mut project: Project, texts: &Texts) -> Result<Analysis<'static>, String> {
        project.release = calibrate::release(&project);
        project.target.minor = Release::minor_of(&project.release.version);
        let project: &'static Project = Box::leak(Box::new(project));
        let sources = texts.sources.clone();
        sources.quote_only(&project.roots());
        let parsed = load::prefetch(project, &sources, &texts.early).with(texts.library);
        let arenas: &'static Arenas<'static> = Box::leak(Box::default());
        let db: &'static Db<'static> =
            Box::leak(Box::new(Db::new(project, sources, arenas, parsed)));
        let arena: &'static LayoutArena = Box::leak(Box::default());
        let mut layouts = Layouts::new(db, arena)?;
        if let Standing::Calibrated { unknown, .. } = &project.release.standing {
            layouts.doubt(unknown);
        }
        let layouts: &'static Layouts<'static> = Box::leak(Box::new(layouts));
        layouts.serve(db);
        let mut analysis = Analysis {
            db,
            layouts,
            types: Vec::new(),
            places: FxHashMap::default(),
            disputed: FxHashMap::default(),
            parsed: Memo::default(),
        };
        let found = AtomicBool::new(false);
        let ahead = || {
            if texts.bodies == Bodies::Ahead {
                // With one thread, there is nobody to do it meanwhile.
                if rayon::current_num_threads() > 1 {
                    db.open_named_crates(|| !found.load(Ordering::Relaxed));
                }
                db.ahead.start();
            }
        };
        analysis.types = beside(ahead, || {
            let types = analysis.find_types();
            found.store(true, Ordering::Relaxed);
            types
        });
        let places = analysis.types.iter().enumerate();
        analysis.places = places.map(|(i, t)| (t.item, i)).collect();
        analysis.disputed = existence::disputed(&analysis);
        Ok(analysis)
    }

    /// Returns the types that the selected crates define, by crate, then file and position.
    pub fn types(&self) -> &[TypeInfo] {
        &self.types
    }

    /// Returns the struct, enum or union with this definition, if a selected crate defines it.
    pub fn info(&self, item: ItemId) -> Option<&TypeInfo> {
        self.places.get(&item).map(|&place| &self.types[place])
    }

    /// Iterates over the selected crates.
    pub fn selected(&self) -> impl Iterator<Item = CrateIx> {
        self.db.project.selected.iter().map(|id| id.0)
    }

    fn find_types(&self) -> Vec<TypeInfo> {
        let db = self.db;
        let of_crate = |krate: CrateIx| {
            let mut list = Vec::new();
            for module in db.modules_and_bodies(krate) {
                let adts = db.module(module).scope.read().adts.clone();
                list.extend(adts.into_iter().filter_map(|a| self.type_info(krate, a)));
            }
            let place = |t: &TypeInfo| {
                let file = db.sources.get(t.span.file).path.clone();
                (file, t.span.start, t.path.clone())
            };
            list.sort_by_cached_key(place);
            list
        };
        // Opening modules expands macros: the longest part that no two threads can share in a crate.
        let by_crate = spread(self.selected().collect(), 1, |krate| {
            let work = || format!("listing the types of `{}`", db.krate(krate).name);
            db.guarded(work, || of_crate(krate))
        });
        by_crate.into_iter().flatten().flatten().collect()
    }

    fn type_info(&self, krate: CrateIx, item: ItemId) -> Option<TypeInfo> {
        let db = self.db;
        let data = db.item(item);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return None;
        };
        // Alternatives that exclude each other by an unresolved `cfg` are all listed.
        let certain = db.item_present(item);
        if certain == Ok(false) {
            return None;
        }
        let (span, named) = db.sources.origin(data.item.name_span);
        // Variants in a macro's arguments are the author's, whatever the macro does with them.
        let mut rows = adt.variants.iter().map(|v| v.name_span);
        let mut tabled = || rows.any(|row| db.sources.origin(row).1);
        let written = named || adt.kind == AdtKind::Enum && tabled();
        let generics = adt.generics.params.iter().map(|p| match p.kind {
            ParamKind::Type { .. } => p.name.to_string(),
            ParamKind::Const { .. } => format!("const {}", p.name),
        });
        Some(TypeInfo {
            item,
            krate,
            path: db.item_path(item),
            kind: adt.kind,
            ty: db.identity_ty(item),
            generics: generics.collect(),
            span,
            written,
            certain: certain.is_ok(),
        })
    }

    /// Returns why a type has no size of its own, unless it is supposed to exist.
    fn disputed(&self, ty: Ty) -> Option<&Disputed> {
        let disputed = self.disputed.get(&ty)?;
        let exists = match self.db.types.kind(ty) {
            TyKind::Adt(id, _) => self.db.item_present(*id) == Ok(true),
            _ => false,
        };
        // Of two that exist the path may be of either.
        let settled = exists && matches!(disputed.why, Unknown::Atom(_));
        (!settled).then_some(disputed)
    }

    /// Returns the size and alignment of a type, in bytes.
    ///
    /// # Errors
    /// Returns the reason if they are unknown.
    pub fn extent(&self, ty: Ty) -> Res<Extent> {
        match self.disputed(ty) {
            Some(disputed) => Err(disputed.why.clone()),
            None => self.layouts.extent(self.db, ty),
        }
    }

    /// Returns the size that a type of unknown size has if unread macros are as most are.
    ///
    /// # Errors
    /// Returns the reason if it is unknown even then.
    pub fn assumed(&self, ty: Ty) -> Res<Assumed> {
        let (extent, assuming) = self.db.supposing(|| self.extent(ty));
        match extent {
            Ok(_) if assuming.is_empty() => Err(Unknown::because("the search was cut short")),
            extent => Ok(Assumed {
                extent: extent?,
                assuming,
            }),
        }
    }

    /// Returns the layout of a type with the offsets of its fields.
    ///
    /// # Errors
    /// Returns the reason if it is unknown.
    pub fn view(&self, ty: Ty) -> Res<View> {
        match self.disputed(ty) {
            Some(disputed) => Err(disputed.why.clone()),
            None => self.layouts.view(self.db, ty),
        }
    }

    /// Returns a lower bound for the size of a type, in bytes.
    pub fn min_size(&self, ty: Ty) -> u64 {
        match self.disputed.get(&ty) {
            Some(disputed) => disputed.min_size,
            None => self.layouts.min_size(self.db, ty),
        }
    }

    /// Returns the size of a type in bytes, if known.
    pub fn size(&self, ty: Ty) -> Option<u64> {
        self.extent(ty).ok().map(|e| e.size)
    }

    /// Returns the size of a type in bytes after a change of definitions.
    pub fn size_if(&self, ty: Ty, change: &WhatIf) -> Option<u64> {
        self.what_if(change.clone(), || self.size(ty))
    }

    /// Runs `f` as if definitions were changed.
    pub fn what_if<T>(&self, change: WhatIf, f: impl FnOnce() -> T) -> T {
        self.layouts.what_if(change, f)
    }

    /// Describes in words why something is unknown.
    pub fn reason(&self, why: &Unknown) -> String {
        let mut reason = self.layouts.reason(self.db, why);
        let missing = self.db.project.missing.first();
        if let Some(missing) = missing.filter(|_| reason.ends_with("` was not found")) {
            let name = &missing.name;
            reason.push_str(&format!(
                ", and `{name}`, which may define it, is not fetched"
            ));
        }
        reason
    }

    /// Returns `Box<of>`.
    pub fn boxed(&self, of: Ty) -> Ty {
        match self.parse_type("crate::boxed::Box<()>", self.db.std()) {
            Ok(unit) => self.with_argument(unit, 0, of),
            Err(why) => self.db.types.unknown(Unknown::because(why)),
        }
    }

    /// Returns a generic type with one of its type arguments replaced.
    pub fn with_argument(&self, of: Ty, at: usize, argument: Ty) -> Ty {
        match self.db.types.kind(of) {
            TyKind::Adt(id, args) => {
                let mut args = args.clone();
                args[at] = GArg::Ty(argument);
                self.db.types.intern(TyKind::Adt(*id, args))
            }
            _ => of,
        }
    }

    /// Parses a type written in Rust, with paths resolved in the root of a selected crate.
    ///
    /// # Errors
    /// Describes in one line why the text is not a type.
    pub fn parse_type(&self, text: &str, krate: CrateIx) -> Result<Ty, String> {
        let db = self.db;
        let of_std = krate == db.std();
        if let Some(ty) = self.parsed.get(text).filter(|_| of_std) {
            return Ok(ty);
        }
        let ty = self.parse_type_in(text, db.root(krate))?;
        if of_std && db.types.is_whole(ty) && db.assumed() == 0 {
            self.parsed.keep(text.to_owned(), ty);
        }
        Ok(ty)
    }

    /// Parses a type written in Rust, with paths resolved in a module.
    ///
    /// # Errors
    /// Describes in one line why the text is not a type.
    pub fn parse_type_in(&self, text: &str, module: ModId) -> Result<Ty, String> {
        let sources = &self.db.sources;
        let source = sources.add(format!("<{text}>").into(), text.to_owned(), None);
        let ty = crate::lower::ty(&source, 0..text.len()).map_err(|e| e.message)?;
        Ok(self.db.lower(&ty, &Env::plain(module)))
    }

    /// Returns what could not be read, in a stable order.
    pub fn problems(&self) -> Vec<Problem> {
        let mut list = self.db.problems.lock().clone();
        list.extend(self.db.sources.changed().into_iter().map(|path| Problem {
            span: None,
            file: Some(path),
            message: "the file was changed while it was read".to_owned(),
            own: true,
        }));
        let place = |p: &Problem| match p.span {
            Some(span) => {
                let (span, _) = self.db.sources.origin(span);
                (self.db.sources.about(span.file).path.clone(), span.start)
            }
            None => (p.file.clone().unwrap_or_default(), 0),
        };
        list.sort_by_cached_key(|p| (place(p), p.message.clone()));
        list.dedup_by(|a, b| place(a) == place(b) && a.message == b.message);
        list
    }
}
