//! The project as cargo and rustc describe it: crates, features, `cfg` facts, dependencies.
//!
//! No source text is read here, except the text of build scripts that have not run.

mod answers;
mod build;
mod calls;
mod config;
mod dylib;
mod error;
mod features;
mod graph;
mod guess;
mod inputs;
mod load;
mod lone;
mod missing;
mod names;
mod profile;
mod release;
mod rustc;
mod script;
mod select;
mod tree;
mod units;

pub use answers::cache;
pub use dylib::MacroPlaces;
pub use error::ProjectError;
pub use guess::Guess;
pub use load::{cargo, load};
pub use missing::Missing;
pub use names::did_you_mean;
pub use profile::ClippyLevels;
pub use release::{ExactFor, KNOWN, Release, Standing};
pub use rustc::Rustc;
pub use select::Selection;

use crate::name::Name;
use crate::seen;
use crate::target::{Fact, Target};
use cargo_platform::Cfg;
use profile::Settings;
use rustc_hash::FxHashSet;
use script::Script;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

/// Index of a crate in [`Project::crates`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CrateId(pub u32);

/// The selected crates with all their dependencies.
// weigh: allow(small_vec, reason = "a run has one, or one for each target")
#[derive(Clone, Debug)]
pub struct Project {
    /// Folder of the workspace's manifest.
    pub workspace_root: PathBuf,
    /// Cargo's target folder.
    pub target_dir: PathBuf,
    /// The selected crates, their dependencies, and those that are read for edits only; the order
    /// is the same in each run.
    pub crates: Vec<Crate>,
    /// The number of crates before those that are read for edits only.
    pub built: usize,
    /// The crates selected by the user: by package, then library, binaries, examples, tests,
    /// benches.
    pub selected: Vec<CrateId>,
    /// The selected libraries, binaries and procedural macros in order, each with its variant
    /// under `cfg(test)`, for queries that include unit tests.
    pub unit_tests: Vec<(CrateId, CrateId)>,
    /// The binaries, examples, tests and benchmarks that are not selected, of packages whose
    /// library is: edits of that library are searched for in them too.
    pub beside: Vec<CrateId>,
    /// The target that the code is compiled for.
    pub target: Target,
    /// The compiler.
    pub rustc: Rustc,
    /// The release of rustc that sizes are for.
    pub release: Release,
    /// `workspace.metadata.weigh`; null without one.
    pub workspace_metadata: serde_json::Value,
    /// The packages of the workspace, selected or not, in cargo's order.
    pub members: Vec<Member>,
    /// Cargo's `build.warnings`: whether warnings are allowed, shown or denied.
    pub build_warnings: Option<String>,
    /// The user's flags for rustc, from any source of configuration.
    pub rustflags: Vec<String>,
    /// The flag for rustc that makes the layout of types without `repr` unforeseeable.
    pub layout_flag: Option<String>,
    /// The program through which cargo runs others, such as an emulator: `target.<triple>.runner`.
    pub runner: Vec<String>,
    /// `target.<triple>.linker`.
    pub linker: Option<String>,
    /// The variables that cargo's configuration, from any source, sets for the programs that it runs.
    pub variables: Vec<(String, String)>,
    /// The command of the compiler, as cargo runs it.
    pub compiler: String,
    /// Warnings for the user, one line each.
    pub warnings: Vec<String>,
    /// Packages that cannot be fetched: what needs them is unknown.
    pub missing: Vec<Missing>,
    /// True if the project's own configuration is ignored, for `--no-project-config`.
    pub without_config: bool,
    /// The toolchain's program that runs procedural macros, if they are to be expanded.
    pub macro_server: Option<PathBuf>,
    /// Folders with compiled procedural macros; the preferred first.
    pub macro_places: MacroPlaces,
}

/// A package of the workspace.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub package: String,
    /// Its id, as cargo prints it.
    pub package_id: String,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// `package.metadata.weigh`; null without one.
    pub metadata: serde_json::Value,
}

/// A crate to read: a library, binary, … of a package, with one set of features.
#[derive(Clone, Debug)]
pub struct Crate {
    /// Name in Rust code.
    pub name: String,
    /// Name of its package.
    pub package: String,
    /// Version of its package.
    pub version: String,
    /// Id of its package, as cargo prints it.
    pub package_id: String,
    /// Name of the target, as cargo prints it.
    pub target_name: String,
    /// The kind of target.
    pub kind: CrateKind,
    /// The target as `cargo metadata` describes it; null for crates that are not selected.
    pub cargo_target: serde_json::Value,
    /// Its first source file.
    pub root: PathBuf,
    /// The `Cargo.toml` of its package.
    pub manifest_path: PathBuf,
    /// Its edition, as a year.
    pub edition: u16,
    /// `rust-version` of the package.
    pub rust_version: Option<String>,
    /// False if the package may not be published.
    pub publishable: bool,
    /// True if a workspace member that is not selected depends on the crate.
    pub used_unread: bool,
    /// The crate's dependencies by the names under which it uses them. Empty for a procedural
    /// macro that is not selected.
    pub deps: Vec<(String, CrateId)>,
    /// Its features as the build resolves them, sorted.
    pub features: Vec<String>,
    /// The state of its build script.
    pub build: BuildScript,
    /// Environment variables that its build script sets.
    pub env: Vec<(String, String)>,
    /// True if the package belongs to the workspace.
    pub member: bool,
    /// `cfg` facts of this crate in addition to those of the target.
    facts: FxHashSet<Fact>,
    script_path: Option<PathBuf>,
    script_helpers: Vec<String>,
    /// The user's own packages that its build script is built with.
    script_parts: Vec<String>,
    /// The native library that its package links.
    links: Option<String>,
    /// Its build script, read on first use.
    script: OnceLock<Script>,
    /// True if the package is in a folder of the user and may change at any time.
    is_local: bool,
    /// True if it is built for the host: a procedural macro, or a dependency of one.
    for_host: bool,
    /// The settings of its profile.
    settings: Settings,
}

/// The kind of a crate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CrateKind {
    /// A library of any crate type.
    Lib,
    /// A procedural macro.
    ProcMacro,
    /// A program.
    Bin,
    /// A program in `examples`.
    Example,
    /// An integration test.
    Test,
    /// A benchmark.
    Bench,
}

impl CrateKind {
    /// Returns true if the crate is compiled with `cfg(test)`.
    pub fn is_test(self) -> bool {
        matches!(self, CrateKind::Test | CrateKind::Bench)
    }

    /// Returns true if the crate may use development dependencies.
    pub fn is_dev(self) -> bool {
        self.is_test() || self == CrateKind::Example
    }
}

/// The state of a package's build script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildScript {
    /// No build script.
    None,
    /// A build script of which no matching run was found.
    Unseen {
        /// When it did run, in a build that does not match, and what to do about that.
        ran: Option<String>,
        /// What it said then, if that may still hold.
        said: Option<Box<ScriptSaid>>,
    },
    /// A build script with a matching run in the target folder.
    Seen {
        /// `OUT_DIR`, if it still exists.
        out_dir: Option<PathBuf>,
    },
}

/// What a build script said in a run of which it is not known whether cargo would repeat it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptSaid {
    facts: FxHashSet<(Name, Option<Name>)>,
    env: Vec<(String, String)>,
    /// `OUT_DIR`, if it still exists.
    pub out_dir: Option<PathBuf>,
}

impl ScriptSaid {
    /// Returns true if it set this `cfg`.
    pub fn sets(&self, name: Name, value: Option<Name>) -> bool {
        self.facts.contains(&(name, value))
    }

    /// Returns the value of a variable that it set, or of `OUT_DIR`.
    pub fn env(&self, name: &str) -> Option<Cow<'_, str>> {
        if name == "OUT_DIR" {
            return Some(self.out_dir.as_ref()?.to_string_lossy());
        }
        let (_, value) = self.env.iter().rev().find(|(key, _)| key == name)?;
        Some(Cow::Borrowed(value))
    }
}

impl Crate {
    /// Returns what its build depends on besides its sources, and those of others.
    pub fn build_words(&self) -> String {
        let (id, features, settings) = (&self.package_id, &self.features, &self.settings);
        format!("{id} {features:?} {settings:?}")
    }

    /// Returns true for a library that may have users outside the selection: it may be published,
    /// or a workspace member that is not selected depends on it.
    pub fn serves_others(&self) -> bool {
        (self.publishable || self.used_unread) && self.kind == CrateKind::Lib
    }

    /// Returns true if the package supports versions of Rust before this minor version of Rust 1.
    pub fn supports_before(&self, minor: u32) -> bool {
        let oldest = self.rust_version.as_deref();
        let parts = oldest.map(|v| v.split('.').map(|n| n.parse::<u32>().unwrap_or(0)));
        parts.is_some_and(|parts| parts.take(2).lt([1, minor]))
    }

    /// Returns true for a procedural macro or a dependency of one. Its values live for one macro
    /// call.
    pub fn makes_code(&self) -> bool {
        let quotes = |(name, _): &(String, CrateId)| name == "quote";
        self.kind == CrateKind::ProcMacro || self.deps.iter().any(quotes)
    }

    /// Returns the value of an environment variable that cargo sets while the crate is compiled:
    /// those that identify the package, and those of its build script.
    pub fn env(&self, name: &str) -> Option<Cow<'_, str>> {
        if let Some((_, value)) = self.env.iter().rev().find(|(key, _)| key == name) {
            return Some(Cow::Borrowed(value));
        }
        let version = self.version.split('+').next().unwrap_or_default();
        let (release, pre) = version.split_once('-').unwrap_or((version, ""));
        let part = |i: usize| release.split('.').nth(i).map(Cow::Borrowed);
        match name {
            "CARGO_PKG_NAME" => Some(Cow::Borrowed(&self.package)),
            "CARGO_PKG_VERSION" => Some(Cow::Borrowed(&self.version)),
            "CARGO_PKG_VERSION_MAJOR" => part(0),
            "CARGO_PKG_VERSION_MINOR" => part(1),
            "CARGO_PKG_VERSION_PATCH" => part(2),
            "CARGO_PKG_VERSION_PRE" => Some(Cow::Borrowed(pre)),
            "CARGO_PKG_RUST_VERSION" => Some(self.rust_version.as_deref().unwrap_or("").into()),
            "CARGO_CRATE_NAME" => Some(Cow::Borrowed(&self.name)),
            "CARGO_MANIFEST_DIR" => Some(self.manifest_path.parent()?.to_string_lossy()),
            "CARGO_MANIFEST_PATH" => Some(self.manifest_path.to_string_lossy()),
            "OUT_DIR" => match &self.build {
                BuildScript::Seen { out_dir } => Some(out_dir.as_ref()?.to_string_lossy()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns all variables that [`Crate::env`] knows, by name.
    pub fn all_env(&self) -> Vec<(String, String)> {
        let names = [
            "CARGO_CRATE_NAME",
            "CARGO_MANIFEST_DIR",
            "CARGO_MANIFEST_PATH",
            "CARGO_PKG_NAME",
            "CARGO_PKG_RUST_VERSION",
            "CARGO_PKG_VERSION",
            "CARGO_PKG_VERSION_MAJOR",
            "CARGO_PKG_VERSION_MINOR",
            "CARGO_PKG_VERSION_PATCH",
            "CARGO_PKG_VERSION_PRE",
            "OUT_DIR",
        ];
        let of_script = self.env.iter().map(|(name, _)| name.as_str());
        let mut names: Vec<&str> = names.into_iter().chain(of_script).collect();
        names.sort_unstable();
        names.dedup();
        let known = names.into_iter().filter_map(|name| {
            let value = self.env(name)?;
            Some((name.to_owned(), value.into_owned()))
        });
        known.collect()
    }

    /// Returns the crate as compiled for its unit tests, with their dependencies.
    fn with_tests(&self, deps: Vec<(String, CrateId)>) -> Crate {
        let mut facts = self.facts.clone();
        facts.insert((Name::new("test"), None));
        Crate {
            name: self.name.clone(),
            package: self.package.clone(),
            version: self.version.clone(),
            package_id: self.package_id.clone(),
            target_name: self.target_name.clone(),
            kind: self.kind,
            cargo_target: serde_json::Value::Null,
            root: self.root.clone(),
            manifest_path: self.manifest_path.clone(),
            edition: self.edition,
            rust_version: self.rust_version.clone(),
            publishable: self.publishable,
            used_unread: self.used_unread,
            deps,
            features: self.features.clone(),
            build: self.build.clone(),
            env: self.env.clone(),
            member: self.member,
            facts,
            script_path: self.script_path.clone(),
            script_helpers: self.script_helpers.clone(),
            script_parts: self.script_parts.clone(),
            links: self.links.clone(),
            script: OnceLock::new(),
            is_local: self.is_local,
            for_host: self.for_host,
            settings: Settings {
                // The harness catches panics.
                panic: None,
                ..self.settings.clone()
            },
        }
    }

    /// Returns its build script, if no run of it was found.
    fn unseen_script(&self) -> Option<&Script> {
        let unseen = matches!(self.build, BuildScript::Unseen { .. });
        unseen.then(|| self.script())
    }

    /// Returns its build script; an empty one for a crate without.
    fn script(&self) -> &Script {
        let read = |path: &PathBuf| Script::read(path, &self.script_helpers);
        let path = self.script_path.as_ref();
        self.script
            .get_or_init(|| path.map(read).unwrap_or_default())
    }

    /// Returns when its build script ran, if what it printed then does not fit, with what to do
    /// about that.
    pub fn script_ran(&self) -> Option<String> {
        match &self.build {
            BuildScript::Unseen { ran, .. } => {
                let ran = ran.as_ref()?;
                Some(format!("which last ran {ran}"))
            }
            _ => None,
        }
    }

    /// Returns what its build script said in a run that may still hold, if none certainly does.
    pub fn last_said(&self) -> Option<&ScriptSaid> {
        match &self.build {
            BuildScript::Unseen { said, .. } => said.as_deref(),
            _ => None,
        }
    }

    /// Returns the folder that its build script wrote to, in a run that fits or may fit.
    pub fn written_by_script(&self) -> Option<&Path> {
        match &self.build {
            BuildScript::Seen { out_dir } => out_dir.as_deref(),
            _ => self.last_said()?.out_dir.as_deref(),
        }
    }
}

/// Values of `target_os` for targets that may have no `std`.
const BARE: &[&str] = &["amdhsa", "cuda", "none", "unknown"];

/// Names that rustc itself defines; no build script can set them.
static BUILT_IN: LazyLock<FxHashSet<Name>> = LazyLock::new(|| {
    let names = [
        "clippy",
        "contract_checks",
        "debug_assertions",
        "doc",
        "doctest",
        "emscripten_wasm_eh",
        "fmt_debug",
        "miri",
        "overflow_checks",
        "panic",
        "proc_macro",
        "relocation_model",
        "rustfmt",
        "sanitize",
        "target_abi",
        "target_arch",
        "target_endian",
        "target_env",
        "target_family",
        "target_feature",
        "target_has_atomic",
        "target_has_atomic_equal_alignment",
        "target_has_atomic_load_store",
        "target_object_format",
        "target_os",
        "target_pointer_width",
        "target_thread_local",
        "target_vendor",
        "test",
        "ub_checks",
        "unix",
        "version",
        "windows",
    ];
    names.into_iter().map(Name::new).collect()
});

impl Project {
    /// Returns true for a crate that the user selected; those have the first ids.
    pub fn is_selected(&self, id: CrateId) -> bool {
        (id.0 as usize) < self.selected.len()
    }

    /// Returns the ids of the packages with selected crates.
    pub fn selected_packages(&self) -> FxHashSet<&str> {
        let crates = self.selected.iter().map(|&id| self.krate(id));
        crates.map(|krate| krate.package_id.as_str()).collect()
    }

    /// Returns the crate with this id.
    pub fn krate(&self, id: CrateId) -> &Crate {
        &self.crates[id.0 as usize]
    }

    /// Returns a crate and all that it depends on.
    pub fn with_dependencies(&self, id: CrateId) -> BTreeSet<CrateId> {
        let (mut all, mut open) = (BTreeSet::from([id]), vec![id]);
        while let Some(id) = open.pop() {
            let dependencies = self.krate(id).deps.iter().map(|(_, id)| *id);
            open.extend(dependencies.filter(|id| all.insert(*id)));
        }
        all
    }

    /// Returns the flags with which rustdoc sees a crate as rustc does, as far as it can.
    pub fn rustdocflags(&self, krate: &Crate) -> Vec<String> {
        krate.settings.rustdoc_arguments(&self.rustflags)
    }

    /// Returns the variant of the crate with its unit tests if there is one, otherwise the crate
    /// itself.
    pub fn with_unit_tests(&self, id: CrateId) -> CrateId {
        let found = self.unit_tests.binary_search_by_key(&id, |(of, _)| *of);
        found.map_or(id, |at| self.unit_tests[at].1)
    }

    /// Returns the folders of the analysed code: for each package its repository or its own folder,
    /// the target folder, and the folders of cargo's downloads.
    pub fn roots(&self) -> FxHashSet<PathBuf> {
        let mut roots = FxHashSet::from_iter([self.target_dir.clone()]);
        let home = calls::cargo_home(&std::env::current_dir().unwrap_or_default());
        for folder in ["registry", "git"] {
            roots.extend(home.iter().map(|home| home.join(folder)));
        }
        for krate in &self.crates {
            roots.extend(krate.written_by_script().map(Path::to_owned));
        }
        let manifests = self.crates.iter().map(|krate| krate.manifest_path.parent());
        for folder in [Some(&*self.workspace_root)]
            .into_iter()
            .chain(manifests)
            .flatten()
        {
            // A package below a known root has the same repository or needs none.
            if !folder.ancestors().any(|above| roots.contains(above)) {
                let repository = folder.ancestors().find(|f| seen::exists(&f.join(".git")));
                roots.insert(repository.unwrap_or(folder).to_owned());
            }
        }
        roots
    }

    /// Returns whether `cfg(name)`, or `cfg(name = "value")`, holds in a crate; `None` if only its
    /// build script knows, or a package that is not fetched: it may enable features of others.
    pub fn cfg(&self, krate: CrateId, name: Name, value: Option<Name>) -> Option<bool> {
        let krate = self.krate(krate);
        // A crate's profile has its own `panic`.
        let of_target = name.as_str() != "panic" && self.target.has(name, value);
        if of_target || krate.facts.contains(&(name, value)) {
            return Some(true);
        }
        if name == "feature" && !krate.member && !self.missing.is_empty() {
            return None;
        }
        let Some(script) = krate.unseen_script().filter(|_| !BUILT_IN.contains(&name)) else {
            return Some(false);
        };
        let holds = |asked: &Cfg, of_script: bool| self.holds(krate, asked, of_script);
        let printed = match value {
            None => name.as_str().to_owned(),
            Some(value) => format!("{name}=\"{value}\""),
        };
        if let Some(set) = script.tells(&printed, &holds) {
            return Some(set);
        }
        let os = |os: &str| self.target.has(Name::new("target_os"), Some(Name::new(os)));
        if value.is_none() && script.sets(name.as_str()) && !BARE.iter().any(|bare| os(bare)) {
            return Some(true);
        }
        (!script.may_set(name.as_str(), value.map(Name::as_str))).then_some(false)
    }

    /// Returns the value of a `cfg` in a build script: of its own build, or of the target.
    fn holds(&self, krate: &Crate, asked: &Cfg, of_script: bool) -> Option<bool> {
        let (name, value) = match asked {
            Cfg::Name(name) => (Name::new(&name.name), None),
            Cfg::KeyPair(name, value) => (Name::new(&name.name), Some(Name::new(value))),
        };
        if name == "feature" {
            return Some(krate.facts.contains(&(name, value)));
        }
        // As the script asks for it: `is_nightly()`.
        if name == "version" && value.is_some_and(|v| v == "nightly") {
            return Some(self.rustc.version.ends_with("-nightly"));
        }
        // `cfg(version("1.40"))` holds for 1.40 and later.
        if name == "version" {
            let minor = |v: &str| v.split('.').nth(1)?.parse::<u32>().ok();
            let asked = value.and_then(|v| minor(v.as_str()));
            return Some(minor(&self.rustc.version)? >= asked?);
        }
        let set = self.target.has(name, value);
        let built_in = BUILT_IN.contains(&name);
        match (of_script, value) {
            // The host may be another system than the target.
            (true, _) => (!built_in && !set && value.is_none()).then_some(false),
            (false, None) => (!built_in || name == "unix" || name == "windows").then_some(set),
            (false, Some(_)) => Some(set),
        }
    }

    /// Returns the levels of Clippy's lints that a package's manifest sets: lint and level.
    pub fn clippy_levels(&self) -> ClippyLevels<'_> {
        ClippyLevels::new(&self.workspace_root)
    }

    /// Returns the value of a number in Clippy's configuration file, for a package.
    pub fn clippy_number(&self, manifest_path: &Path, key: &str) -> Option<u64> {
        profile::clippy_number(manifest_path, &self.workspace_root, key)
    }
}

#[cfg(test)]
mod tests;
