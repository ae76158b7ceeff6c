//! Runs cargo and rustc in parallel and builds the [`Project`] from their output.

use super::answers::{self, Answers};
use super::build::Now;
use super::calls::{Calls, cargo_home};
use super::config::Config;
use super::features::{self, FeatureInputs};
use super::graph::{Built, Crates, Graph, add_build_output};
use super::inputs;
use super::profile::{Profile, Settings};
use super::rustc::{self, Printed, Rustc};
use super::tree::{self, Tree};
use super::{
    Crate, CrateId, MacroPlaces, Member, Missing, Project, ProjectError, Release, Selection,
    missing, select,
};
use crate::cache::{Cache, Key};
use crate::name::Name;
use crate::seen::{self, Facts, Kind};
use crate::source::read;
use crate::spread::beside;
use crate::target::{Fact, Target};
use cargo_metadata::{Metadata, TargetKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// Returns an error if a file that cargo or rustup reads is a pipe or a device, for which they
/// would wait.
fn refuse_pipes(paths: impl IntoIterator<Item = PathBuf>) -> Result<(), ProjectError> {
    match paths.into_iter().find(|p| seen::kind(p) == Kind::Other) {
        None => Ok(()),
        Some(path) => {
            let why = format!("{}: it is not a regular file", path.display());
            Err(ProjectError::new(why))
        }
    }
}

/// Loads the project of a selection from cargo and rustc.
///
/// # Errors
///
/// When cargo or rustc cannot be run or reports an error (no manifest, an invalid one, a dependency
/// that is not downloaded under `--offline`), and when the selection matches nothing.
pub fn load(selection: &Selection) -> Result<Project, ProjectError> {
    let began = SystemTime::now();
    let mut calls = Calls::new(selection)?;
    let (cache, key) = (answers::cache(selection), answers::key(&calls));
    calls.answers = Answers::find(&cache, &key);
    let (config, before) = seen::apart(|| {
        inputs::before(&calls);
        Config::load(&calls.folder, &calls.selection.config)
    });
    let (config, selection) = (config?, &calls.selection);
    refuse_waiting(&calls)?;
    let program = rustc::program(&calls, &config);
    let mut warnings = Vec::new();
    if selection.no_project_config {
        warnings.push(
            "the project's configuration is left out (`--no-project-config`): its builds may have \
             other sizes"
                .to_owned(),
        );
    }
    let explicit = explicit_target(selection, &config, &mut warnings);
    let asked = Programs {
        calls: &calls,
        config: &config,
        program: &program,
        explicit: explicit.as_deref(),
    };
    let mut known = asked.about()?;
    let root = Path::new(&known.metadata.workspace_root);
    // Cargo has just read it; if it is missing now, the built-in profiles apply.
    let manifest = read::text(&root.join("Cargo.toml")).unwrap_or_default();
    let mut of_selection = Vec::new();
    let packages = select::packages(&known.metadata, selection, &mut of_selection);
    let built = asked.built(
        &mut known,
        packages.as_deref().ok(),
        &manifest,
        &mut warnings,
    );
    warnings.append(&mut of_selection);
    let given = calls.answers.all();
    let is_whole = known.missing.is_empty();
    let keep = || {
        if is_whole {
            asked.keep(given, &cache, &key, (began, &before), &known);
        }
    };
    beside(keep, || {
        asked.project(&known, &packages?, built, &manifest, warnings)
    })
}

/// Returns an error if a file that cargo or rustup will read is a pipe or a device.
fn refuse_waiting(calls: &Calls) -> Result<(), ProjectError> {
    let manifest = calls.selection.manifest_path.as_deref();
    let folder = manifest.and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = calls.folder.join(folder);
    let above = |folder: &Path| inputs::ABOVE.map(|name| folder.join(name));
    refuse_pipes(folder.ancestors().flat_map(above))?;
    // Cargo reads the cached output of rustc there.
    let targets = folder.ancestors().map(|folder| folder.join("target"));
    let targets = targets.chain(answers::target_folders(&calls.selection).unwrap_or_default());
    refuse_pipes(targets.map(|folder| folder.join(".rustc_info.json")))?;
    // Valid cached answers imply that the manifests are unchanged.
    match calls.answers.are_kept() {
        true => Ok(()),
        false => refuse_pipes(inputs::manifests(&folder)),
    }
}

/// Leaves out procedural macros, which are built for the host.
fn leave_out_macros(
    targets: &mut Vec<(usize, usize)>,
    metadata: &Metadata,
    host: &str,
    triple: &str,
    warnings: &mut Vec<String>,
) {
    let before = targets.len();
    targets.retain(|&(package, target)| {
        let target = &metadata.packages[package].targets[target];
        !target.kind.contains(&TargetKind::ProcMacro)
    });
    if targets.len() < before {
        warnings.push(format!(
            "procedural macros are left out: they are built for {host}, not for {triple}"
        ));
    }
}

/// Returns the packages that cannot be fetched and are needed by one of these.
fn missing_to(known: &Known, packages: &[usize]) -> Vec<Missing> {
    let ids = packages
        .iter()
        .map(|&i| &known.metadata.packages[i].id.repr);
    let ids: Vec<&String> = ids.collect();
    let all = known.missing.iter();
    let needed = all.filter(|m| ids.iter().any(|id| m.users.contains(*id)));
    needed.cloned().collect()
}

/// Returns the flag that makes layouts unforeseeable, of the user or of a profile.
fn layout_flag(crates: &[Crate], flags: &[String], root: &Path) -> Option<String> {
    let of_profiles = crates.iter().map(|krate| &krate.settings.rustflags[..]);
    let mut all = of_profiles.chain([flags]);
    all.find_map(|flags| rustc::layout_flag(flags, root))
}

/// Adds the variables of cargo's configuration. Those that cargo and build scripts set take
/// precedence.
fn add_variables(crates: &mut [Crate], variables: &[(String, String)]) {
    let variables = variables
        .iter()
        .filter(|(name, _)| !name.starts_with("CARGO_"));
    for krate in crates {
        let own = variables
            .clone()
            .filter(|(name, _)| krate.env(name).is_none());
        let own: Vec<_> = own.cloned().collect();
        krate.env.extend(own);
    }
}

/// Returns true if procedural macros are to be run: by the flag, or by a manifest of the workspace.
fn runs_macros(selection: &Selection, workspace: &serde_json::Value, members: &[Member]) -> bool {
    let members = members.iter().map(|member| &member.metadata);
    let mut tables = std::iter::once(workspace).chain(members);
    let said = tables.any(|table| table["proc-macros"] == true);
    selection.proc_macros || said && !selection.no_project_config
}

/// Returns the triple that the user selects, if any: by flag, variable or configuration.
fn explicit_target(
    selection: &Selection,
    config: &Config,
    warnings: &mut Vec<String>,
) -> Option<String> {
    let mut targets = match &selection.target {
        Some(target) => [std::slice::from_ref(target), &selection.other_targets].concat(),
        None => config.build_targets(),
    };
    if targets.len() > 1 {
        warnings.push(format!(
            "there are several targets; sizes are for the first, {}",
            targets[0]
        ));
    }
    targets.truncate(1);
    targets.pop().filter(|target| target != "host-tuple")
}

/// Returns the likely host: the platform of this program.
fn guess_host() -> String {
    let arch = std::env::consts::ARCH;
    match std::env::consts::OS {
        "macos" => format!("{arch}-apple-darwin"),
        "windows" => format!("{arch}-pc-windows-msvc"),
        os => format!("{arch}-unknown-{os}-gnu"),
    }
}

/// Returns the packages in the output of `cargo tree`; a warning if it failed.
fn built_by_tree(
    tree: Result<Tree, ProjectError>,
    metadata: &Metadata,
    warnings: &mut Vec<String>,
) -> Option<Built> {
    match tree {
        Ok(tree) => Some(tree.built(metadata)),
        Err(error) => {
            let why = error.detail.unwrap_or(error.message);
            warnings.push(format!(
                "`cargo tree` failed, so features may be too many: {}",
                why.lines().next().unwrap_or_default()
            ));
            None
        }
    }
}

/// The output of cargo and rustc.
struct Printouts {
    rustc: Result<Rustc, ProjectError>,
    /// The target's facts, and the user's flags for rustc.
    cfgs: Result<(Printed, Vec<String>), ProjectError>,
    metadata: Result<Metadata, ProjectError>,
    /// `None` if it was not run: its output may be computed from the metadata.
    tree: Option<Result<Tree, ProjectError>>,
}

/// What cargo and rustc say of a target.
struct Known {
    metadata: Metadata,
    /// The packages that are not in it.
    missing: Vec<Missing>,
    /// As in [`Printouts`].
    tree: Option<Result<Tree, ProjectError>>,
    rustc: Rustc,
    triple: String,
    printed: Printed,
    /// The user's flags for rustc.
    flags: Vec<String>,
}

/// The programs that are asked, and about which target.
#[derive(Clone, Copy)]
struct Programs<'p> {
    calls: &'p Calls,
    config: &'p Config,
    /// The compiler.
    program: &'p str,
    /// The triple that the user selects, if any.
    explicit: Option<&'p str>,
}

impl Programs<'_> {
    /// Asks about the target, by default the host.
    fn about(self) -> Result<Known, ProjectError> {
        // All programs start at once, so the host's triple is guessed before rustc reports it.
        let guess = self.explicit.map_or_else(guess_host, str::to_owned);
        let mut said = self.ask(&guess);
        let rustc = said.rustc.clone()?;
        let triple = match self.explicit {
            None if rustc.host != guess => {
                said = self.ask(&rustc.host);
                rustc.host.clone()
            }
            _ => guess,
        };
        let unknown = |e| rustc::unknown_target(self.calls, self.program, &triple, e);
        let (metadata, missing) = match said.metadata {
            Ok(metadata) => (metadata, Vec::new()),
            Err(error) => match missing::resolve(self.calls, &triple) {
                // It would fail for the same reason.
                Some(known) => {
                    said.tree = None;
                    known
                }
                None => return Err(unknown(error)),
            },
        };
        let (printed, flags) = said.cfgs?;
        Ok(Known {
            metadata,
            missing,
            tree: said.tree,
            rustc,
            triple,
            printed,
            flags,
        })
    }

    /// Runs all programs in parallel: they take most of the time of a short run.
    fn ask(self, triple: &str) -> Printouts {
        let Programs {
            calls,
            config,
            program,
            explicit,
        } = self;
        let cfgs = || {
            let base = match config.flags_depend_on_cfg() {
                true => rustc::print_cfg(calls, program, explicit, &[])?.cfgs,
                false => Vec::new(),
            };
            let flags = config.rustflags(triple, &base);
            Ok((rustc::print_cfg(calls, program, explicit, &flags)?, flags))
        };
        std::thread::scope(|scope| {
            let metadata = scope.spawn(|| ask_metadata(calls, triple));
            // If it is certainly needed, it is run in parallel.
            let is_computed =
                explicit.is_none() && features::may_be_computed(&calls.selection, config, triple);
            let tree = (!is_computed).then(|| scope.spawn(|| ask_tree(calls, triple)));
            let rustc = scope.spawn(|| Rustc::ask(calls, program));
            let cfgs = cfgs();
            let lost = || ProjectError::new("a thread that ran cargo or rustc died");
            Printouts {
                rustc: rustc.join().unwrap_or_else(|_| Err(lost())),
                cfgs,
                metadata: metadata.join().unwrap_or_else(|_| Err(lost())),
                tree: tree.map(|tree| tree.join().unwrap_or_else(|_| Err(lost()))),
            }
        })
    }

    /// Returns the features of the build: computed from the metadata or, where that is not certain,
    /// as `cargo tree` prints them.
    fn built(
        self,
        known: &mut Known,
        packages: Option<&[usize]>,
        manifest: &str,
        warnings: &mut Vec<String>,
    ) -> Option<Built> {
        let calls = self.calls;
        if let Some(tree) = known.tree.take() {
            return built_by_tree(tree, &known.metadata, warnings);
        }
        let metadata = &known.metadata;
        let computed = features::built(&FeatureInputs {
            metadata,
            selection: &calls.selection,
            packages: packages?,
            triple: &known.triple,
            cfgs: &known.printed.cfgs,
            manifest,
            is_known: Release::declared(&known.rustc.version).is_some(),
        });
        computed.or_else(|| built_by_tree(ask_tree(calls, &known.triple), metadata, warnings))
    }

    /// Builds the project from the answers; `built` are the features of the build.
    fn project(
        self,
        known: &Known,
        packages: &[usize],
        built: Option<Built>,
        manifest: &str,
        mut warnings: Vec<String>,
    ) -> Result<Project, ProjectError> {
        let (calls, config, program) = (self.calls, self.config, self.program);
        let selection = &calls.selection;
        let (metadata, rustc) = (&known.metadata, &known.rustc);
        let (triple, flags) = (&known.triple, &known.flags);
        let profile = Profile::load(selection.profile_name(), manifest, config)?;
        let minor = Release::minor_of(&rustc.version);
        let mut target = rustc::target(calls, program, triple, &known.printed.cfgs, minor)?;
        // It depends on the profile of each package.
        target.facts.remove(&(Name::new("debug_assertions"), None));
        let graph = Graph::new(metadata, built.as_ref());
        let has_feature = |package: usize, feature: &str| {
            // The features of a dependency are not in the package's own list.
            let enabled = || graph.features(package, false);
            feature.contains('/') || enabled().iter().any(|own| own == feature)
        };
        let mut targets = select::targets(metadata, packages, selection, has_feature)?;
        if selection.with_members {
            targets = graph.with_members(targets);
        }
        if *triple != rustc.host {
            leave_out_macros(&mut targets, metadata, &rustc.host, triple, &mut warnings);
        }
        let others = select::others(metadata, &targets, has_feature);
        let Crates {
            list: mut crates,
            built,
            beside,
            tested,
        } = graph.crates(&targets, &others, &profile, selection.only_tests());
        for krate in crates.iter_mut().take(targets.len()) {
            // rustdoc sets both for the crates that it documents, whatever the flags.
            let facts = ["doc", "debug_assertions"].map(|name| (Name::new(name), None));
            krate
                .facts
                .extend(facts.iter().filter(|_| selection.documented));
        }
        let unit_tests = self.add_build(&mut crates, tested, known, &target, &profile)?;
        let workspace_metadata = weigh_table(&metadata.workspace_metadata);
        let members = members(metadata);
        let macro_server = match runs_macros(selection, &workspace_metadata, &members) {
            true => Some(self.macro_server(&mut warnings)?),
            false => None,
        };
        Ok(Project {
            workspace_root: metadata.workspace_root.clone().into(),
            target_dir: metadata.target_directory.clone().into(),
            built,
            selected: (0..targets.len() as u32).map(CrateId).collect(),
            unit_tests,
            beside,
            target,
            rustc: rustc.clone(),
            release: Release::declared(&rustc.version)
                .unwrap_or_else(|| Release::not_asked(&rustc.version, "it is not known")),
            workspace_metadata,
            members,
            build_warnings: config.text(&["build", "warnings"]),
            rustflags: flags.clone(),
            layout_flag: layout_flag(&crates, flags, Path::new(&metadata.workspace_root)),
            crates,
            runner: config.runner(triple),
            linker: config.text(&["target", triple, "linker"]),
            variables: config.variables(),
            compiler: program.to_owned(),
            warnings,
            missing: missing_to(known, packages),
            without_config: selection.no_project_config,
            macro_server,
            macro_places: self.macro_places(known, &profile),
        })
    }

    /// Adds to the crates what a build makes of them; returns the variants with unit tests, which
    /// are added.
    fn add_build(
        self,
        crates: &mut Vec<Crate>,
        tested: Vec<(CrateId, Vec<(String, CrateId)>)>,
        known: &Known,
        target: &Target,
        profile: &Profile,
    ) -> Result<Vec<(CrateId, CrateId)>, ProjectError> {
        let variables = self.config.variables();
        let now = self.now(known, &variables);
        let stated = |krate: &Crate| {
            let triple = match krate.for_host {
                true => &known.rustc.host,
                false => &known.triple,
            };
            self.config.overridden(triple, krate.links.as_ref()?)
        };
        add_build_output(crates, &self.places(known, &profile.folder), now, stated);
        add_variables(crates, &variables);
        let mut unit_tests = Vec::new();
        for (id, deps) in tested {
            unit_tests.push((id, CrateId(crates.len() as u32)));
            crates.push(crates[id.0 as usize].with_tests(deps));
        }
        self.add_profile_facts(crates, known, target)?;
        Ok(unit_tests)
    }

    fn places(self, known: &Known, folder: &str) -> Vec<(PathBuf, PathBuf)> {
        let (triple, host) = (&known.triple, &known.rustc.host);
        build_places(&known.metadata, folder, self.explicit, triple, host)
    }

    fn macro_places(self, known: &Known, profile: &Profile) -> MacroPlaces {
        // What a macro makes of its input does not depend on the profile.
        let folders = [profile.folder.as_str(), "debug", "release"].into_iter();
        let places = folders.flat_map(|folder| self.places(known, folder));
        MacroPlaces::new(places.map(|(_, native)| native).collect())
    }

    /// Adds the facts that depend on the settings of a crate's profile.
    fn add_profile_facts(
        self,
        crates: &mut [Crate],
        known: &Known,
        target: &Target,
    ) -> Result<(), ProjectError> {
        let mut asked: Vec<(Settings, bool, Vec<Fact>)> = Vec::new();
        for krate in crates {
            let host = krate.for_host;
            let is_known = |(s, h, _): &(Settings, bool, _)| *s == krate.settings && *h == host;
            let at = match asked.iter().position(is_known) {
                Some(at) => at,
                None => {
                    let facts = self.profile_facts(&krate.settings, host, known, target)?;
                    asked.push((krate.settings.clone(), host, facts));
                    asked.len() - 1
                }
            };
            krate.facts.extend(&asked[at].2);
        }
        Ok(())
    }

    /// Returns the facts that settings of a profile lead to. Only rustc knows what the user's flags,
    /// which come after those of cargo, make of them.
    fn profile_facts(
        self,
        settings: &Settings,
        host: bool,
        known: &Known,
        target: &Target,
    ) -> Result<Vec<Fact>, ProjectError> {
        let panic = Name::new("panic");
        let flags = match host && self.explicit.is_some() {
            // With an explicit target, cargo passes flags only for that.
            true => &[],
            false => &known.flags[..],
        };
        if flags.is_empty() && settings.rustflags.is_empty() {
            let switches = [
                (settings.debug_assertions, "debug_assertions"),
                (settings.overflow_checks, "overflow_checks"),
            ];
            let switches = switches.iter().filter(|(on, _)| *on);
            let facts = switches.map(|(_, name)| (Name::new(name), None));
            let default = target
                .facts
                .iter()
                .filter(|(name, _)| *name == panic)
                .copied();
            let strategy = settings.panic.as_deref();
            return Ok(match strategy {
                Some(strategy) => facts.chain([(panic, Some(Name::new(strategy)))]).collect(),
                None => facts.chain(default).collect(),
            });
        }
        let mut arguments = settings.arguments();
        arguments.extend(flags.iter().cloned());
        let triple = self.explicit.filter(|_| !host);
        let printed = rustc::print_all_cfg(self.calls, self.program, triple, &arguments)?;
        let of_profile = ["debug_assertions", "overflow_checks", "panic"].map(Name::new);
        let facts = printed.cfgs.iter().map(rustc::fact);
        let facts = facts.filter(|(name, value)| {
            // Flags of the profile may set more.
            of_profile.contains(name)
                || !settings.rustflags.is_empty() && !target.has(*name, *value)
        });
        Ok(facts.collect())
    }

    /// Returns what runs of build scripts are compared with.
    fn now<'n>(self, known: &'n Known, variables: &'n [(String, String)]) -> Now<'n> {
        let root = Path::new(&known.metadata.workspace_root);
        let home = cargo_home(&self.calls.folder);
        let downloads = ["registry", "git"].map(|folder| home.as_ref().map(|h| h.join(folder)));
        let manifest = seen::state(&root.join("Cargo.toml")).map(|(written, _)| written);
        Now {
            rustc: &known.rustc.verbose,
            flags: &known.flags,
            // With an explicit target, cargo passes flags only for that.
            host_flags: match self.explicit {
                Some(_) => &[],
                None => &known.flags,
            },
            variables,
            downloads: downloads.into_iter().flatten().collect(),
            root,
            just_built: self.calls.selection.documented,
            profile_since: match self.config.has(&["profile"]) {
                true => SystemTime::now(),
                false => manifest.unwrap_or_else(|_| SystemTime::now()),
            },
        }
    }

    /// Returns the program that runs procedural macros, with a warning.
    fn macro_server(self, warnings: &mut Vec<String>) -> Result<PathBuf, ProjectError> {
        let server = rustc::macro_server(self.calls, self.program)?;
        // Procedural macros may read any file.
        seen::spoil();
        warnings.push(format!(
            "procedural macros are run (`--proc-macros`), by `{}`: what one does, it does as you",
            server.display()
        ));
        Ok(server)
    }

    /// Caches the `given` output with all facts that it depends on; `before` are those that were
    /// recorded since `began`, before the programs ran.
    fn keep(
        self,
        given: Result<&Facts, Option<BTreeMap<String, String>>>,
        cache: &Cache,
        key: &Key,
        (began, before): (SystemTime, &Facts),
        known: &Known,
    ) {
        let all = match given {
            Ok(facts) => return seen::add(facts),
            Err(all) => all,
        };
        let (metadata, sysroot) = (&known.metadata, &known.printed.sysroot);
        let after = || inputs::after(self.calls, self.config, metadata, self.program, sysroot);
        let (known, after) = seen::apart(after);
        let facts = before.joined(&after);
        match all.filter(|_| known.is_some() && facts.are_older(began, before)) {
            Some(all) => {
                let folder = Path::new(&metadata.target_directory);
                cache.keep(folder, key, &facts, &all);
            }
            None => seen::spoil(),
        }
    }
}

/// Creates a command for the cargo that started us, or for the one on `PATH`, in the current
/// folder.
pub fn cargo(subcommand: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg(subcommand).stdin(Stdio::null());
    command
}

/// Options for output that is parsed.
const QUIETLY: [&str; 3] = ["--quiet", "--color", "never"];

fn ask_metadata(calls: &Calls, triple: &str) -> Result<Metadata, ProjectError> {
    let selection = &calls.selection;
    let mut command = calls.cargo("metadata");
    command
        .args(QUIETLY)
        .args(["--format-version", "1", "--filter-platform", triple]);
    selection.resolve_args(&mut command);
    if let Some(dir) = &selection.target_dir {
        command.env("CARGO_TARGET_DIR", dir);
    }
    let text = calls.run(command, None).map_err(|error| {
        let detail = error.detail.as_deref().unwrap_or_default();
        match detail.contains("offline") || detail.contains("--frozen") {
            true => error.help("`cargo fetch` downloads what is missing"),
            false => error,
        }
    })?;
    serde_json::from_str(&text)
        .map_err(|error| ProjectError::new(format!("`cargo metadata` is not understood: {error}")))
}

fn ask_tree(calls: &Calls, triple: &str) -> Result<Tree, ProjectError> {
    let selection = &calls.selection;
    let mut command = calls.cargo("tree");
    command.args(QUIETLY);
    // With an explicit target, packages built for it are distinct from those built for the host.
    command.args([
        "--prefix",
        "depth",
        "--format",
        tree::FORMAT,
        "--target",
        triple,
    ]);
    command.arg("--edges").arg(match selection.needs_dev() {
        true => "normal,dev",
        false => "normal",
    });
    selection.resolve_args(&mut command);
    selection.package_args(&mut command);
    Ok(Tree::parse(&calls.run(command, None)?))
}

/// Runs a program to its end and returns its output.
pub(super) fn run(mut command: Command, help: Option<&str>) -> Result<String, ProjectError> {
    let name = || {
        let program = Path::new(command.get_program())
            .file_stem()
            .unwrap_or_default();
        let program = program.to_string_lossy().into_owned();
        match command.get_args().next().map(|arg| arg.to_string_lossy()) {
            Some(first) if !first.starts_with('-') => format!("{program} {first}"),
            _ => program,
        }
    };
    let name = name();
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        ProjectError::new(format!("`{name}` cannot be run: {error}"))
            .help("install Rust from https://rustup.rs, or set CARGO and RUSTC")
    })?;
    if output.status.success() {
        return String::from_utf8(output.stdout)
            .map_err(|_| ProjectError::new(format!("`{name}` printed text that is not UTF-8")));
    }
    let detail = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let mut error = ProjectError::new(format!("`{name}` failed ({})", output.status));
    let help = match detail.contains("could not find `Cargo.toml`") {
        true => Some("run it in a package, or name one: `--manifest-path FOLDER/Cargo.toml`"),
        false => help,
    };
    error.detail = (!detail.is_empty()).then_some(detail);
    error.help = help.map(str::to_owned);
    Err(error)
}

/// Returns candidate folders of build-script runs of a profile, and of the compiled scripts; the
/// preferred first.
fn build_places(
    metadata: &Metadata,
    profile_folder: &str,
    explicit: Option<&str>,
    triple: &str,
    host: &str,
) -> Vec<(PathBuf, PathBuf)> {
    let base = metadata.build_directory.as_ref();
    let base = Path::new(base.unwrap_or(&metadata.target_directory));
    let triple = triple.strip_suffix(".json").unwrap_or(triple);
    let native = base.join(profile_folder);
    let mut places = vec![(base.join(triple).join(profile_folder), native.clone())];
    if triple == host {
        places.push((native.clone(), native));
        // Without `--target` cargo builds in the native one.
        if explicit.is_none() {
            places.reverse();
        }
    }
    places
}

fn weigh_table(metadata: &serde_json::Value) -> serde_json::Value {
    metadata.get("weigh").cloned().unwrap_or_default()
}

fn members(metadata: &Metadata) -> Vec<Member> {
    let ids: FxHashSet<_> = metadata.workspace_members.iter().collect();
    let packages = metadata.packages.iter();
    packages
        .filter(|package| ids.contains(&package.id))
        .map(|package| Member {
            package: package.name.to_string(),
            package_id: package.id.repr.clone(),
            manifest_path: package.manifest_path.clone().into(),
            metadata: weigh_table(&package.metadata),
        })
        .collect()
}
