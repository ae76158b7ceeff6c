//! Reads source files: those of the selected crates in parallel and ahead of time, others on
//! demand.

use super::ahead::{Ahead, Text};
use super::library::Library;
use super::procedural::Procedural;
use super::turns::Turns;
use super::{Arenas, CrateIx, Db, ItemData, ItemId, Krate, ModId, Module, Problem, Progress};
use crate::budget;
use crate::fault;
use crate::folded::folded;
use crate::ir;
use crate::lower;
use crate::name::Name;
use crate::place::Place;
use crate::project::{CrateId, CrateKind, Guess, Project, Selection};
use crate::seen;
use crate::source::{SourceFile, Sources};
use parking_lot::RwLock;
use rayon::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The folder of the standard library's files; it exists on no disk.
pub const STD_DIR: &str = "<std>";

/// Why a file is missing if a bug of ours keeps it from being read.
const NOT_READ: &str = "a bug in cargo-weigh keeps this file from being read";

/// Everything that is read ahead of time.
#[derive(Default)]
pub struct Parsed {
    /// Files by path.
    files: FxHashMap<PathBuf, ir::File>,
    /// The texts of their function bodies, by file.
    bodies: Vec<(Arc<SourceFile>, Vec<Text>)>,
    /// Texts of function bodies that are already being parsed.
    ahead: Ahead,
    /// The standard library, if it is already being parsed.
    library: Option<&'static Library>,
}

impl Parsed {
    /// Adds the standard library, which is already being parsed.
    pub fn with(self, library: &'static Library) -> Parsed {
        Parsed {
            library: Some(library),
            ..self
        }
    }
}

/// Files that other threads read while cargo runs, before the project is known.
#[derive(Default)]
pub struct Early {
    parsed: Mutex<Parsed>,
    is_over: AtomicBool,
}

impl Early {
    /// Starts to read the guessed files of a selection, and its bodies if those will be needed, on
    /// the threads that do not wait for cargo.
    pub fn begin(selection: &Selection, sources: &Arc<Sources>, with_bodies: bool) -> Arc<Early> {
        let early = Arc::new(Early::default());
        if rayon::current_num_threads() > 1 {
            let (early, sources) = (early.clone(), sources.clone());
            let selection = selection.clone();
            rayon::spawn(move || {
                let work = || "reading files ahead of cargo".to_owned();
                fault::guard(work, || early.read(&selection, &sources, with_bodies));
            });
        }
        early
    }

    fn read(self: &Arc<Early>, selection: &Selection, sources: &Sources, with_bodies: bool) {
        let guesses = Guess::all(selection);
        let roots = (0..).zip(&guesses);
        let roots = roots.map(|(i, guess)| (CrateId(i), guess.root.clone()));
        let found = FileReader {
            crates: Crates::Guessed(&guesses),
            sources,
            known: &|_| None,
            own: true,
            is_over: &self.is_over,
            seen: Mutex::default(),
            parsed: &self.parsed,
        };
        found.all(roots);
        if !with_bodies {
            return;
        }
        let mut parsed = self.parsed.lock().unwrap();
        for (source, texts) in std::mem::take(&mut parsed.bodies) {
            parsed.ahead.add(&source, texts);
        }
        let early = self.clone();
        let goes_on = move || !early.is_over.load(Ordering::Relaxed);
        parsed.ahead.start_while(goes_on);
    }

    /// Stops; returns what was read. A file that a thread is reading at this moment is read again.
    fn end(&self) -> Parsed {
        self.is_over.store(true, Ordering::Relaxed);
        std::mem::take(&mut self.parsed.lock().unwrap())
    }
}

/// Reads the files of the selected crates on all threads, following `mod` items, and adds those
/// that were read early.
///
/// Files that only the output of a macro leads to are guessed from the words `mod name;` in the
/// arguments of macro calls; a wrong guess only costs a parse.
pub fn prefetch(project: &Project, sources: &Sources, early: &Early) -> Parsed {
    let mut before = early.end();
    let known = |path: &Path| before.files.get(path).map(Some);
    let roots = roots(project, &project.selected);
    let parsed = Mutex::default();
    FileReader::new(project, sources, &known, true, &parsed).all(roots);
    let now = parsed.into_inner().unwrap();
    before.files.extend(now.files);
    before.bodies.extend(now.bodies);
    before
}

/// Returns the root files of some crates.
fn roots<'p>(
    project: &'p Project,
    crates: &'p [CrateId],
) -> impl Iterator<Item = (CrateId, PathBuf)> + 'p {
    let root = |&id: &CrateId| (id, project.krate(id).root.clone());
    crates.iter().map(root)
}

/// Returns the file at a path if it was read before; `Some(None)` if it could not be read.
type Known<'p> = dyn Fn(&Path) -> Option<Option<&'p ir::File>> + Sync + 'p;

/// What the ids of crates stand for.
#[derive(Clone, Copy)]
enum Crates<'p> {
    Known(&'p Project),
    Guessed(&'p [Guess]),
}

impl Crates<'_> {
    fn cfg(self, id: CrateId, name: Name, value: Option<Name>) -> Option<bool> {
        match self {
            Crates::Known(project) => project.cfg(id, name, value),
            Crates::Guessed(guesses) => guesses[id.0 as usize].cfg(name, value),
        }
    }
}

struct FileReader<'p> {
    crates: Crates<'p>,
    sources: &'p Sources,
    /// Files that were read before.
    known: &'p Known<'p>,
    /// True for the selected crates.
    own: bool,
    /// Set to end the work.
    is_over: &'p AtomicBool,
    seen: Mutex<FxHashSet<PathBuf>>,
    parsed: &'p Mutex<Parsed>,
}

/// For work that is always finished.
static NEVER: AtomicBool = AtomicBool::new(false);

impl<'p> FileReader<'p> {
    fn new(
        project: &'p Project,
        sources: &'p Sources,
        known: &'p Known<'p>,
        own: bool,
        parsed: &'p Mutex<Parsed>,
    ) -> FileReader<'p> {
        FileReader {
            crates: Crates::Known(project),
            sources,
            known,
            own,
            is_over: &NEVER,
            seen: Mutex::default(),
            parsed,
        }
    }

    /// Reads the files of crates with these roots.
    fn all(self, roots: impl Iterator<Item = (CrateId, PathBuf)> + Send) {
        rayon::scope(|scope| {
            for (id, root) in roots {
                let dir = parent(&root);
                self.file(scope, id, root, dir);
            }
        });
    }

    fn file<'s>(&'s self, scope: &Scope<'s>, id: CrateId, path: PathBuf, dir: PathBuf)
    where
        'p: 's,
    {
        if !self.seen.lock().unwrap().insert(path.clone()) {
            return;
        }
        scope.spawn(move |scope| {
            if !self.is_over.load(Ordering::Relaxed) {
                self.read(scope, id, path, dir);
            }
        });
    }

    fn read<'s>(&'s self, scope: &Scope<'s>, id: CrateId, path: PathBuf, dir: PathBuf)
    where
        'p: 's,
    {
        let path_dir = parent(&path);
        let known = (self.known)(&path);
        if let Some(Some(file)) = known
            && !file.has_macros()
        {
            self.items(scope, id, "", &file.items, &dir, &path_dir);
            return;
        }
        // A file that cannot be read is reported where a module needs it.
        let Ok(source) = self.sources.load(&path) else {
            return;
        };
        if let Some(known) = known {
            let items = known.map_or(&[][..], |file| &file.items);
            self.items(scope, id, &source.text, items, &dir, &path_dir);
            return;
        }
        let work = || format!("reading `{}`", path.display());
        let Some(file) = fault::guard(work, || lower::file(&source, self.own)) else {
            return;
        };
        self.items(scope, id, &source.text, &file.items, &dir, &path_dir);
        if !self.own && !file.has_macros() {
            self.sources.let_go(&source);
        }
        let mut texts = Vec::new();
        if self.own {
            self.texts(id, &file.items, &mut texts);
        }
        let mut parsed = self.parsed.lock().unwrap();
        parsed.files.insert(path, file);
        if self.own {
            parsed.bodies.push((source, texts));
        }
    }

    fn items<'s>(
        &'s self,
        scope: &Scope<'s>,
        id: CrateId,
        text: &str,
        items: &[ir::Item],
        dir: &Path,
        path_dir: &Path,
    ) where
        'p: 's,
    {
        for item in items {
            let off = item.attrs.cfg.as_ref().and_then(|c| self.decide(id, c)) == Some(false);
            match &item.kind {
                _ if off => {}
                ir::ItemKind::Mod(Some(inner)) => {
                    let dir = dir.join(item.name.as_str());
                    self.items(scope, id, text, inner, &dir, &dir);
                }
                ir::ItemKind::Mod(None) => {
                    // If a build script decides, every file that it may choose is read.
                    let may = |c: Option<&ir::Cfg>| c.map_or(Some(true), |c| self.decide(id, c));
                    let paths = path_attrs(&item.attrs).map(|(p, c)| (p, may(c)));
                    let paths: Vec<_> = paths.filter(|(_, m)| *m != Some(false)).collect();
                    for (path, _) in &paths {
                        let file = joined(path_dir, path);
                        let dir = parent(&file);
                        self.file(scope, id, file, dir);
                    }
                    if paths.iter().all(|(_, m)| m.is_none())
                        && let Some((file, dir)) = child_file(dir, item.name.as_str())
                    {
                        let dir = dir.unwrap_or_else(|| parent(&file));
                        self.file(scope, id, file, dir);
                    }
                }
                ir::ItemKind::MacroCall(call) => {
                    for name in mod_words(&text[call.args.range()]) {
                        if let Some((file, dir)) = child_file(dir, name) {
                            let dir = dir.unwrap_or_else(|| parent(&file));
                            self.file(scope, id, file, dir);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Collects the texts in these items, without items that a known `cfg` removes.
    fn texts(&self, id: CrateId, items: &[ir::Item], texts: &mut Vec<Text>) {
        for item in items {
            let cfg = item.attrs.cfg.as_ref();
            if cfg.and_then(|c| self.decide(id, c)) == Some(false) {
                continue;
            }
            match &item.kind {
                ir::ItemKind::Mod(Some(inner)) => self.texts(id, inner, texts),
                ir::ItemKind::Impl(imp) => self.texts(id, &imp.items, texts),
                ir::ItemKind::Trait(tr) => self.texts(id, &tr.items, texts),
                _ => texts.extend(Text::of(item)),
            }
        }
    }

    fn decide(&self, id: CrateId, cfg: &ir::Cfg) -> Option<bool> {
        match cfg {
            ir::Cfg::Known(b) => Some(*b),
            ir::Cfg::Flag(name) => self.crates.cfg(id, *name, None),
            ir::Cfg::Value(name, value) => self.crates.cfg(id, *name, Some(*value)),
            ir::Cfg::Not(inner) => self.decide(id, inner).map(|b| !b),
            ir::Cfg::All(list) => {
                let all: Vec<_> = list.iter().map(|c| self.decide(id, c)).collect();
                if all.contains(&Some(false)) {
                    return Some(false);
                }
                all.iter().all(|d| *d == Some(true)).then_some(true)
            }
            ir::Cfg::Any(list) => {
                let all: Vec<_> = list.iter().map(|c| self.decide(id, c)).collect();
                if all.contains(&Some(true)) {
                    return Some(true);
                }
                all.iter().all(|d| *d == Some(false)).then_some(false)
            }
        }
    }
}

/// Returns the names in `mod name;` within a text.
fn mod_words(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("mod ").filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = text[at + 4..].trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let word = &rest[..end];
        let ends = rest[end..].trim_start().starts_with(';');
        let alone = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        (ends && alone && !word.is_empty()).then_some(word)
    })
}

fn parent(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_owned()
}

/// Returns the file that `#[path]` names, with `..` folded if that leads to the same file.
pub fn joined(dir: &Path, path: &str) -> PathBuf {
    let plain = dir.join(path);
    let folded = folded(&plain);
    // The parent of a linked folder is another one.
    if seen::is_file(&folded) {
        folded
    } else {
        plain
    }
}

/// Returns the file of `mod name;` and, for the `name.rs` layout, the directory of its children;
/// for `name/mod.rs` the children are in the same directory.
pub fn child_file(dir: &Path, name: &str) -> Option<(PathBuf, Option<PathBuf>)> {
    let flat = dir.join(format!("{name}.rs"));
    if seen::is_file(&flat) {
        return Some((flat, Some(dir.join(name))));
    }
    let nested = dir.join(name).join("mod.rs");
    seen::is_file(&nested).then_some((nested, None))
}

/// Returns the values of `#[path = "…"]` with their `cfg_attr` conditions.
pub fn path_attrs(attrs: &ir::Attrs) -> impl Iterator<Item = (&str, Option<&ir::Cfg>)> {
    attrs.list.iter().filter_map(|a| match &a.meta {
        ir::Meta {
            path,
            value: Some(ir::Lit::Str(s)),
            ..
        } if path.len() == 1 && path[0] == "path" => Some((s.as_str(), a.cfg.as_deref())),
        _ => None,
    })
}

impl<'a> Db<'a> {
    /// Creates a database over a project, with the files that were read ahead of time.
    #[expect(
        clippy::too_many_lines,
        reason = "a list of fields with their first values"
    )]
    pub fn new(
        project: &'a Project,
        sources: Arc<Sources>,
        arenas: &'a Arenas<'a>,
        parsed: Parsed,
    ) -> Db<'a> {
        let mut ahead = parsed.ahead;
        for (source, texts) in parsed.bodies {
            ahead.add(&source, texts);
        }
        let std_ix = project.crates.len() as CrateIx;
        let std_names = ["std", "core", "alloc"].map(Name::new);
        let tests = project.unit_tests.iter().map(|(_, tests)| tests);
        let own: FxHashSet<&CrateId> = (project.selected.iter())
            .chain(&project.beside)
            .chain(tests)
            .collect();
        let new = |name, id, edition, externs, own| Krate {
            name,
            id,
            edition,
            externs: RwLock::new(externs),
            root: Default::default(),
            own,
            exported: Default::default(),
            macro_use: Default::default(),
            impls: Default::default(),
            unseen: Default::default(),
            hidden: Default::default(),
            whole: Default::default(),
        };
        for (i, krate) in project.crates.iter().enumerate() {
            let mut externs: FxHashMap<Name, CrateIx> =
                std_names.iter().map(|&n| (n, std_ix)).collect();
            externs.extend(krate.deps.iter().map(|(n, id)| (Name::new(n), id.0)));
            let id = CrateId(i as u32);
            let (name, own) = (Name::new(&krate.name), own.contains(&id));
            arenas
                .krates
                .push(new(name, Some(id), krate.edition, externs, own));
        }
        let externs = std_names.iter().map(|&n| (n, std_ix)).collect();
        arenas
            .krates
            .push(new(std_names[0], None, 2021, externs, false));
        Db {
            project,
            arenas,
            parsed: parking_lot::Mutex::new(parsed.files),
            ahead,
            library: parsed.library.unwrap_or_else(|| Library::new(&sources)),
            sources,
            files: Default::default(),
            adding: Default::default(),
            bodies: Default::default(),
            inner: Default::default(),
            types: Default::default(),
            atoms: Default::default(),
            found: Default::default(),
            globs: Default::default(),
            walk: Default::default(),
            doubts: Default::default(),
            turns: Turns::new(project.crates.len() + 1),
            budget: Default::default(),
            expanded: Default::default(),
            stopped: Default::default(),
            includes: Default::default(),
            opened: Default::default(),
            headers: Default::default(),
            discriminants: Default::default(),
            helpers: Default::default(),
            aliases: Default::default(),
            functions: Default::default(),
            named: Default::default(),
            tails: Default::default(),
            implemented: Default::default(),
            autos: Default::default(),
            fields: Default::default(),
            holding: Default::default(),
            std_traits: Default::default(),
            late_values: Default::default(),
            constants: Default::default(),
            problems: Default::default(),
            procedural: project.macro_server.clone().map(Procedural::new),
            called: Default::default(),
            transparent: transparent(project),
            size_of: Default::default(),
            offset_of: Default::default(),
            projections: Default::default(),
            names: Default::default(),
        }
    }

    /// Reads all files of a crate that is not selected on all threads, following `mod` items: each
    /// of its modules is about to be opened. Other threads may open modules meanwhile, unless the
    /// caller prevents it.
    pub(super) fn read_whole(&self, ix: CrateIx) {
        let krate = self.krate(ix);
        let Some(id) = krate.id.filter(|_| !krate.own) else {
            return;
        };
        // Reading runs no query, so threads that wait for this lock cannot deadlock.
        let mut whole = krate.whole.lock();
        if std::mem::replace(&mut *whole, true) || rayon::current_num_threads() < 2 {
            return;
        }
        let known = |path: &Path| self.files.read().get(path).copied();
        let parsed = Mutex::default();
        let found = FileReader::new(self.project, &self.sources, &known, false, &parsed);
        found.all(roots(self.project, &[id]));
        let read = parsed.into_inner().unwrap().files;
        let files = self.files.read();
        let mut parsed = self.parsed.lock();
        for (path, file) in read {
            // A file that was opened meanwhile is already read.
            if !files.contains_key(&path) {
                // The version that was read for a selected crate contains more of its functions.
                parsed.entry(path).or_insert(file);
            }
        }
    }

    /// Returns the root module of a crate.
    pub fn root(&self, ix: CrateIx) -> ModId {
        let krate = self.krate(ix);
        if let Some(&root) = krate.root.get() {
            return root;
        }
        *krate.root.get_or_init(|| self.add_root(ix))
    }

    fn add_root(&self, ix: CrateIx) -> ModId {
        let path = match self.krate(ix).id {
            Some(id) => self.project.crates[id.0 as usize].root.clone(),
            None => Path::new(STD_DIR).join("lib.rs"),
        };
        let dir = parent(&path);
        self.add_module(Module {
            krate: ix,
            parent: None,
            name: Name::new(""),
            block: false,
            guard: None,
            inline: None,
            decl: None,
            dir: dir.clone(),
            path_dir: dir,
            file: Some(path),
            state: Progress::new(super::State::Closed),
            textual: Default::default(),
            function: None,
            makers: Default::default(),
            scope: Default::default(),
        })
    }

    /// Adds a module with this text to a crate, outside its module tree.
    pub fn text_module(&self, krate: CrateIx, name: &str, text: &str) -> ModId {
        let path = PathBuf::from(format!("<{name}>"));
        let source = self.sources.add(path, text.to_owned(), None);
        let file = self.keep(krate, lower::file(&source, false));
        self.add_module(Module {
            krate,
            parent: Some(self.root(krate)),
            name: Name::new(name),
            block: false,
            guard: None,
            inline: Some(&file.items),
            decl: None,
            dir: Default::default(),
            path_dir: Default::default(),
            file: Default::default(),
            state: Progress::new(super::State::Closed),
            textual: Default::default(),
            function: None,
            makers: Default::default(),
            scope: Default::default(),
        })
    }

    /// Adds a module to the standard library, outside its module tree, with the signatures of its
    /// methods. Its `impl`s are found only by queries of this module.
    pub fn std_methods(&self) -> ModId {
        let std = self.std();
        let dir = PathBuf::from(STD_DIR);
        self.add_module(Module {
            krate: std,
            parent: Some(self.root(std)),
            name: Name::new("methods"),
            block: false,
            guard: None,
            inline: None,
            decl: None,
            dir: dir.join("methods"),
            path_dir: dir.clone(),
            file: Some(dir.join("methods.rs")),
            state: Progress::new(super::State::Closed),
            textual: Default::default(),
            function: None,
            makers: Default::default(),
            scope: Default::default(),
        })
    }

    pub(crate) fn add_module(&self, module: Module<'a>) -> ModId {
        ModId(self.arenas.modules.push(module) as u32)
    }

    pub(crate) fn add_item(&self, data: ItemData<'a>) -> ItemId {
        ItemId(Place::new(self.arenas.items.push(data)))
    }

    /// Stores a lowered file for the lifetime of the database, and its errors as problems.
    pub(crate) fn keep(&self, krate: CrateIx, file: ir::File) -> &'a ir::File {
        for error in &file.errors {
            self.problem(krate, error.span, error.message.clone());
        }
        let at = self.arenas.files.push(file);
        &self.arenas.files[at]
    }

    /// Returns the file at a path, read and lowered once. `None` if it cannot be read; then a
    /// problem was recorded.
    pub fn file(&self, krate: CrateIx, path: &Path) -> Option<&'a ir::File> {
        if let Some(&file) = self.files.read().get(path) {
            return file;
        }
        let _adding = self.adding.lock();
        if let Some(&file) = self.files.read().get(path) {
            return file;
        }
        let parsed = self.parsed.lock().remove(path);
        let file = match parsed {
            None if path.starts_with(STD_DIR) => self.library.file(path),
            Some(file) => Ok(self.keep(krate, file)),
            None => self.read(krate, path).map(|file| self.keep(krate, file)),
        };
        let file = match file {
            Ok(file) => Some(file),
            Err(message) => {
                self.problems.lock().push(Problem {
                    span: None,
                    file: Some(path.to_owned()),
                    message,
                    own: self.krate(krate).own,
                });
                None
            }
        };
        let size = self.sources.size_of(path) as u64;
        self.budget
            .expansion
            .raise(size * budget::EXPANSION_OF_SOURCE);
        self.files.write().insert(path.to_owned(), file);
        file
    }

    /// Reads a file that is about to be opened, under a lock that blocks only queries of the same
    /// crate.
    pub(super) fn read_ahead(&self, krate: CrateIx, path: &Path) {
        let is_known = || {
            let parsed = self.parsed.lock().contains_key(path);
            parsed || self.files.read().contains_key(path)
        };
        if rayon::current_num_threads() < 2 || path.starts_with(STD_DIR) || is_known() {
            return;
        }
        let _reading = self.krate(krate).whole.lock();
        if is_known() {
            return;
        }
        // A file that cannot be read is reported where it is opened.
        let Ok(file) = self.read(krate, path) else {
            return;
        };
        let files = self.files.read();
        if !files.contains_key(path) {
            let mut parsed = self.parsed.lock();
            parsed.entry(path.to_owned()).or_insert(file);
        }
    }

    fn read(&self, krate: CrateIx, path: &Path) -> Result<ir::File, String> {
        let source = self.sources.load(path)?;
        let own = self.krate(krate).own;
        let work = || format!("reading `{}`", path.display());
        let file = fault::guard(work, || lower::file(&source, own));
        let file = file.ok_or_else(|| NOT_READ.to_owned())?;
        if !own && !file.has_macros() {
            self.sources.let_go(&source);
        }
        Ok(file)
    }

    /// Returns true for the root of a procedural-macro crate.
    pub(crate) fn is_proc_macro(&self, ix: CrateIx) -> bool {
        self.krate(ix)
            .id
            .is_some_and(|id| self.project.crates[id.0 as usize].kind == CrateKind::ProcMacro)
    }
}

/// Returns `transparent-attributes` of the workspace and of all its packages.
fn transparent(project: &Project) -> Vec<String> {
    let members = project.members.iter().map(|m| &m.metadata);
    let tables = std::iter::once(&project.workspace_metadata).chain(members);
    let lists = tables.filter_map(|t| t.get("transparent-attributes")?.as_array());
    let names = lists.flatten().filter_map(|v| v.as_str());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_before_the_project_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let manifest = "[package]\nname = \"a\"\n[features]\nmore = []\n";
        let lib = "mod inner;\n#[cfg(test)] mod tests;\n#[cfg(feature = \"more\")] mod more;\n";
        std::fs::create_dir(root.join("src")).unwrap();
        for (path, text) in [
            ("Cargo.toml", manifest),
            ("src/lib.rs", lib),
            ("src/inner.rs", "fn f() {}"),
            ("src/tests.rs", ""),
            ("src/more.rs", ""),
        ] {
            std::fs::write(root.join(path), text).unwrap();
        }
        let selection = Selection {
            manifest_path: Some(root.join("Cargo.toml")),
            ..Selection::default()
        };
        let early = Arc::new(Early::default());
        early.read(&selection, &Sources::default(), false);
        let parsed = early.end();
        let mut files: Vec<_> = parsed.files.keys().cloned().collect();
        files.sort();
        assert_eq!(
            files,
            ["src/inner.rs", "src/lib.rs"].map(|path| root.join(path))
        );
        assert_eq!(
            parsed
                .bodies
                .iter()
                .map(|(_, texts)| texts.len())
                .sum::<usize>(),
            1
        );
        // After the end, nothing more is read.
        early.read(&selection, &Sources::default(), false);
        assert!(early.end().files.is_empty());
    }
}
