//! The output of build scripts in the last matching build, read from the target folder.
//!
//! Cargo stores what a run printed, and a fingerprint that says when it would run the script again.
//! Both are compared here as cargo does: a run that cargo would repeat is not used.
//!
//! # Which run of a script counts
//!
//! `project/build` reads what runs of build scripts printed, in both layouts of cargo's build
//! folder (`project/units`). Cargo's fingerprint of a run says by which rustc it was (a hash that
//! is computed again), with which flags and variables, and which files it depends on; a run that
//! cargo would repeat is not used, and the reason is part of "unknown, because". Which settings of
//! a profile a run had is not recorded: after a change of the manifest, the run of a script that
//! reads them is not used either. What a run said of which it is not known whether cargo would
//! repeat it is assumed.
//!
//! If a build script has not run, `project/script/told` interprets its `main` where it prints
//! `cfg`s unconditionally, under `cfg!`, by rustc's version, or in a table of `cfg_aliases!`. A
//! `cfg` that only a run of the script could decide is an *atom*. Names and fields have conditions
//! over atoms. A query that depends on an undecided atom fails; the layout that needs the query is
//! computed for both values of the atom, and if the results differ, the type is unknown.

use super::Crate;
use super::config::Overridden;
use super::script::is_set_by_cargo;
use super::units::{self, Inputs, Unit};
use crate::seen;
use crate::source::read;
use rustc_hash::{FxHashMap, FxHashSet};
use rustc_stable_hash::StableSipHasher128;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A run of a build script, and what it printed for rustc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    /// `OUT_DIR`, if it still exists.
    pub(super) out_dir: Option<PathBuf>,
    /// `rustc-cfg` lines: a name, and a value without its quotes.
    pub(super) cfgs: Vec<(String, Option<String>)>,
    /// `rustc-env` lines.
    pub(super) env: Vec<(String, String)>,
}

/// What the runs of all packages are compared with.
pub(super) struct Now<'n> {
    /// The output of `rustc -vV`.
    pub(super) rustc: &'n str,
    /// The user's flags for rustc.
    pub(super) flags: &'n [String],
    /// The same for what is built for the host.
    pub(super) host_flags: &'n [String],
    /// Variables that cargo's configuration sets.
    pub(super) variables: &'n [(String, String)],
    /// Folders with sources that never change.
    pub(super) downloads: Vec<PathBuf>,
    /// Folder of the workspace's manifest.
    pub(super) root: &'n Path,
    /// True if the runs are of a build that this program has just started.
    pub(super) just_built: bool,
    /// Before this time runs may have had another profile.
    pub(super) profile_since: SystemTime,
}

/// The runs recorded in a target folder.
pub(super) struct Runs<'n> {
    now: Now<'n>,
    /// The hashes of the compiler's version by cargo's releases: since 1.85, and before.
    compilers: [u64; 2],
    folders: Vec<Folder>,
}

#[derive(Default)]
struct Folder {
    /// By package name, the newest first.
    runs: FxHashMap<String, Vec<Run>>,
    /// Packages of the user that scripts are built with, by the hash that their users refer to.
    parts: FxHashMap<u64, Compiled>,
}

struct Run {
    unit: Unit,
    time: SystemTime,
    script: Compiled,
    /// By which runs of dependents refer to it; `None` if a build of it has not ended.
    reference: Option<u64>,
    /// Other runs whose output it was given.
    given: Vec<u64>,
    rustc: Option<u64>,
    flags: Vec<String>,
    causes: Vec<Cause>,
}

/// A compiled build script, or a library that one is built with.
#[derive(Clone)]
struct Compiled {
    /// The features of its package at that time, sorted.
    features: Vec<String>,
    inputs: Inputs,
    /// The time when it was compiled.
    time: SystemTime,
    /// The hashes of the libraries that it is built with.
    uses: Vec<u64>,
}

/// What makes cargo run a script again.
enum Cause {
    Files(Vec<PathBuf>),
    Variable(String, Option<String>),
    /// Any file of the package. The newest at the time of the run, as `SECONDS.NANOSs (PATH)`; for
    /// packages that are not local something that does not change.
    Package(String),
    /// Nothing that is known.
    Other,
}

/// There is no run that certainly fits.
#[derive(Clone, Debug, Default)]
pub(super) struct Unfit {
    /// When the script ran and what to do, if it did run.
    pub(super) when: Option<String>,
    /// What it printed in a run that may still fit.
    pub(super) output: Option<Output>,
}

/// When a run was that does not fit.
#[derive(Debug)]
enum When {
    /// Cargo would run the script again.
    Sure(String),
    /// Whether cargo would is not known.
    Perhaps(&'static str),
}

impl When {
    fn sure(when: &str) -> When {
        When::Sure(when.to_owned())
    }

    fn with_advice(self, package: &str) -> String {
        match self {
            When::Sure(when) => format!("{when}: run `cargo check`"),
            When::Perhaps(when) => {
                format!("{when}: run `cargo clean -p {package}`, then `cargo check`")
            }
        }
    }
}

/// Ends of names of files that no source includes.
const OBJECTS: &[&str] = &[
    "a", "d", "dll", "dylib", "exe", "lib", "o", "obj", "pdb", "so",
];

/// Limit on the files that are compared with one run.
const MAX_FILES: usize = 50_000;

/// Returns the hashes of a text by the hash functions of cargo's releases.
pub(super) fn hashes(text: &str) -> [u64; 2] {
    let mut new = StableSipHasher128::new();
    text.hash(&mut new);
    #[expect(deprecated, reason = "cargo before 1.85 uses it")]
    let mut old = std::hash::SipHasher::new();
    text.hash(&mut old);
    [Hasher::finish(&new), old.finish()]
}

impl<'n> Runs<'n> {
    /// Finds runs of the build scripts of `crates`. Each of `places` is a folder of runs and the
    /// folder of their compiled scripts; the first with a fitting run is used.
    pub(super) fn find(places: &[(PathBuf, PathBuf)], crates: &[&Crate], now: Now<'n>) -> Runs<'n> {
        let packages: FxHashSet<&str> = crates.iter().map(|k| k.package.as_str()).collect();
        let parts = crates.iter().flat_map(|krate| &krate.script_parts);
        let parts: FxHashSet<&str> = parts.map(String::as_str).collect();
        let of_scripts = |place: &Path| units::scripts(place, |name| packages.contains(name));
        let folder = |(run_place, script_place): &(PathBuf, PathBuf)| {
            let mut folder = Folder::default();
            let run_units = of_scripts(run_place);
            let other;
            let script_units = match run_place == script_place {
                true => &run_units,
                false => {
                    other = of_scripts(script_place);
                    &other
                }
            };
            let compiled = script_units.iter();
            let compiled: FxHashMap<u64, Compiled> = compiled
                .filter_map(|(_, unit)| read_compiled(unit, "build-script-"))
                .collect();
            for (package, unit) in run_units {
                if let Some(run) = read_run(unit, &compiled) {
                    folder.runs.entry(package).or_default().push(run);
                }
            }
            for of_package in folder.runs.values_mut() {
                of_package.sort_by_key(|run| std::cmp::Reverse(run.time));
            }
            if !parts.is_empty() {
                let libraries = units::crates(script_place, |name| parts.contains(name));
                let read = |(_, unit): &(String, Unit)| read_compiled(unit, "lib-");
                folder.parts = libraries.iter().filter_map(read).collect();
            }
            folder
        };
        Runs {
            compilers: hashes(now.rustc),
            now,
            folders: places.iter().map(folder).collect(),
        }
    }

    /// Returns for each of these crates the output of the newest run that fits.
    pub(super) fn fitting(&self, crates: &[&Crate]) -> Vec<Result<Output, Unfit>> {
        // All targets of a package share its runs.
        let key = |krate: &Crate| {
            let script = krate.script_path.clone();
            (script, krate.features.clone(), krate.for_host)
        };
        let mut places = FxHashMap::default();
        let mut unique: Vec<&Crate> = Vec::new();
        for krate in crates {
            places.entry(key(krate)).or_insert_with(|| {
                unique.push(krate);
                unique.len() - 1
            });
        }
        let outputs = self.fitting_each(&unique);
        let of = |krate: &&Crate| outputs[places[&key(krate)]].clone();
        crates.iter().map(of).collect()
    }

    fn fitting_each(&self, crates: &[&Crate]) -> Vec<Result<Output, Unfit>> {
        let mut fresh: Vec<Vec<&Run>> = Vec::new();
        let mut whens: Vec<Option<When>> = Vec::new();
        let mut perhaps: Vec<Option<&Run>> = Vec::new();
        for krate in crates {
            let mut when = None;
            let mut may_fit = None;
            let mut of_crate: Vec<&Run> = Vec::new();
            for folder in &self.folders {
                let runs = folder.runs.get(&krate.package).into_iter().flatten();
                for run in runs.filter(|run| run.is_of(krate)) {
                    match self.stale(run, folder, krate) {
                        None => of_crate.push(run),
                        Some(found) => {
                            if matches!(found, When::Perhaps(_)) {
                                may_fit.get_or_insert(run);
                            }
                            when.get_or_insert(found);
                        }
                    }
                }
                if !of_crate.is_empty() {
                    break;
                }
            }
            fresh.push(of_crate);
            whens.push(when);
            perhaps.push(may_fit);
        }
        drop_those_given_others(&mut fresh, &mut whens);
        let all = crates
            .iter()
            .zip(fresh.iter().zip(whens.into_iter().zip(perhaps)));
        let outputs = all.map(|(krate, (fresh, (when, perhaps)))| {
            let (when, output) = match &fresh[..] {
                [] => (when, perhaps.and_then(Run::output)),
                [newest, others @ ..] => {
                    let others = others.iter().filter_map(|run| run.output());
                    let output = newest.output();
                    match output.clone().map(|newest| newest.common(others)) {
                        Some(Ok(output)) => return Ok(output),
                        Some(Err(when)) => (Some(when), output),
                        None => (None, None),
                    }
                }
            };
            let when = when.map(|when| when.with_advice(&krate.package));
            Err(Unfit { when, output })
        });
        outputs.collect()
    }

    /// Returns when a run was, if cargo would run the script again or may.
    fn stale(&self, run: &Run, folder: &Folder, krate: &Crate) -> Option<When> {
        let sure = self.surely_stale(run, folder, krate);
        sure.or_else(|| self.perhaps_stale(run, krate))
    }

    fn surely_stale(&self, run: &Run, folder: &Folder, krate: &Crate) -> Option<When> {
        if run.rustc.is_none_or(|hash| !self.compilers.contains(&hash)) {
            return Some(When::sure("with another rustc"));
        }
        let flags = match krate.for_host {
            true => self.now.host_flags,
            false => self.now.flags,
        };
        if sorted(&run.flags) != sorted(flags) {
            return Some(When::sure("with other flags for rustc"));
        }
        if run.reference.is_none() {
            return Some(When::sure("before a build that did not end"));
        }
        if krate.is_local && self.is_changed(&run.script, folder) {
            return Some(When::sure("before the script itself changed"));
        }
        let built_with = run.script.inputs.variables.iter();
        let built_with = built_with.map(|(name, value)| (name, value));
        let listed = run.causes.iter().filter_map(|cause| match cause {
            Cause::Variable(name, value) => Some((name, value)),
            _ => None,
        });
        let mut variables = built_with.chain(listed);
        let ours = |name: &str| self.now.just_built && name == "RUSTC_BOOTSTRAP";
        let other = variables.find(|(name, value)| {
            self.variable(name) != **value && !is_set_by_cargo(name) && !ours(name)
        });
        if let Some((name, _)) = other {
            return Some(When::Sure(format!("when `{name}` had another value")));
        }
        let mut causes = run.causes.iter();
        causes.find_map(|cause| match cause {
            Cause::Files(paths) => self.changed(paths, run, krate),
            _ => None,
        })
    }

    fn perhaps_stale(&self, run: &Run, krate: &Crate) -> Option<When> {
        if self.now.profile_since > run.time && krate.script().reads_profile() {
            return Some(When::Perhaps("before the profile may have changed"));
        }
        let of_package = |path: &Path| written(path).is_none_or(|time| time > run.time);
        if krate.is_local
            && krate.script().reads_package()
            && [&*krate.manifest_path, &self.now.root.join("Cargo.toml")]
                .into_iter()
                .any(of_package)
        {
            return Some(When::Perhaps("before its manifest changed"));
        }
        let mut causes = run.causes.iter();
        causes.find_map(|cause| match cause {
            Cause::Package(newest) => self.changed_package(newest, run, krate),
            Cause::Other => Some(When::Perhaps("with a cargo whose records are not known")),
            Cause::Files(_) | Cause::Variable(..) => None,
        })
    }

    /// Returns true if a source of a script has changed since it was compiled, or one of a library
    /// that it is built with.
    fn is_changed(&self, script: &Compiled, folder: &Folder) -> bool {
        let (mut open, mut seen) = (vec![script], FxHashSet::default());
        while let Some(made) = open.pop() {
            let mut files = made
                .inputs
                .files
                .iter()
                .map(|file| self.now.root.join(file));
            if made.time > script.time
                || files.any(|file| written(&file).is_none_or(|time| time > made.time))
            {
                return true;
            }
            let uses = made.uses.iter().filter(|of| seen.insert(**of));
            open.extend(uses.filter_map(|of| folder.parts.get(of)));
        }
        false
    }

    /// Returns when a run was, if one of the files that it depends on has changed.
    fn changed(&self, paths: &[PathBuf], run: &Run, krate: &Crate) -> Option<When> {
        let folder = krate.manifest_path.parent()?;
        paths.iter().find_map(|path| {
            let whole = folder.join(path);
            if self.now.downloads.iter().any(|of| whole.starts_with(of)) {
                return None;
            }
            let time = match seen::exists(&whole) {
                true => newest_at(&whole),
                // Cargo runs the script each time. If there was a file, its folder has changed.
                false => whole.ancestors().skip(1).find_map(written),
            };
            time.is_none_or(|time| time > run.time)
                .then(|| When::Sure(format!("before `{}` changed", path.display())))
        })
    }

    /// Returns when a run was, if a file of its package may have changed: `newest` was the newest.
    fn changed_package(&self, newest: &str, run: &Run, krate: &Crate) -> Option<When> {
        let folder = krate.manifest_path.parent()?;
        if !krate.is_local || krate.script().reads_nothing() {
            return None;
        }
        let known = stamp(newest).and_then(|(path, stamp)| {
            written(&folder.join(path)).filter(|time| is_at(*time, stamp))
        });
        // What git ignores may be newer than the newest that cargo knows of.
        let newest = || newest_in(folder);
        let fits = known.is_some_and(|known| newest().is_some_and(|n| n <= known.max(run.time)));
        (!fits).then_some(When::Perhaps("before a file of its package changed"))
    }

    /// Returns a variable as a build script sees it.
    fn variable(&self, name: &str) -> Option<String> {
        let set = self.now.variables.iter().find(|(set, _)| set == name);
        let own = || seen::variable(name)?.into_string().ok();
        set.map(|(_, value)| value.clone()).or_else(own)
    }
}

/// Returns the path in `SECONDS.NANOSs (PATH)`, and the time as it is written.
fn stamp(newest: &str) -> Option<(&str, &str)> {
    let (stamp, path) = newest.split_once("s (")?;
    Some((path.strip_suffix(')')?, stamp))
}

/// Returns true if a time is written as this stamp. On Windows cargo counts from 1601.
fn is_at(time: SystemTime, stamp: &str) -> bool {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = since.as_secs() + if cfg!(windows) { 11_644_473_600 } else { 0 };
    stamp == format!("{seconds}.{:09}", since.subsec_nanos())
}

/// Drops runs that were given the output of a run that is not fresh, or that was repeated since.
fn drop_those_given_others(fresh: &mut [Vec<&Run>], whens: &mut [Option<When>]) {
    loop {
        let times = fresh.iter().flatten();
        let times: FxHashMap<u64, SystemTime> = times
            .filter_map(|run| Some((run.reference?, run.time)))
            .collect();
        let fits = |run: &&Run| {
            let mut given = run.given.iter();
            given.all(|of| times.get(of).is_some_and(|time| *time <= run.time))
        };
        let mut dropped = false;
        for (of_package, when) in fresh.iter_mut().zip(&mut *whens) {
            let before = of_package.len();
            of_package.retain(fits);
            if of_package.len() < before {
                dropped = true;
                when.get_or_insert_with(|| {
                    When::sure("with other output of a dependency's script")
                });
            }
        }
        if !dropped {
            return;
        }
    }
}

impl Run {
    fn is_of(&self, krate: &Crate) -> bool {
        let root = |script: &PathBuf| {
            let mut sources = self.script.inputs.files.iter();
            sources.any(|source| script.ends_with(source))
        };
        self.script.features == krate.features && krate.script_path.as_ref().is_some_and(root)
    }

    fn output(&self) -> Option<Output> {
        Some(parse(&read::text(&self.unit.output).ok()?, &self.unit))
    }
}

impl Output {
    /// Returns what cargo's configuration states in place of a run.
    pub(super) fn stated(by: Overridden) -> Output {
        Output {
            out_dir: None,
            cfgs: by.cfgs.iter().map(|cfg| name_and_value(cfg)).collect(),
            env: by.env,
        }
    }

    /// Returns what this run and others that fit as well have in common: which one the build uses
    /// is known to cargo alone.
    ///
    /// # Errors
    /// They set other names.
    fn common(mut self, others: impl Iterator<Item = Output>) -> Result<Output, When> {
        for other in others {
            let set = |output: &Output| output.cfgs.iter().cloned().collect::<BTreeSet<_>>();
            if set(&self) != set(&other) {
                return Err(When::Perhaps("several times, with different output"));
            }
            let (own, beside) = (self.out_dir.as_deref(), other.out_dir.as_deref());
            let place = |folder: Option<&Path>| folder.map(|f| f.to_string_lossy().into_owned());
            let (from, to) = (place(beside), place(own));
            let moved = |value: &str| match (&from, &to) {
                (Some(from), Some(to)) => value.replace(from.as_str(), to),
                _ => value.to_owned(),
            };
            let found = |name: &String, value: &String| {
                let mut pairs = other.env.iter();
                pairs.any(|(n, v)| n == name && moved(v) == *value)
            };
            self.env.retain(|(name, value)| found(name, value));
            if own.zip(beside).is_none_or(|(a, b)| !are_equal(a, b)) {
                self.out_dir = None;
            }
        }
        Ok(self)
    }
}

/// Returns true if two folders have the same content, as far as sources can include it.
fn are_equal(a: &Path, b: &Path) -> bool {
    let is_object = |name: &OsString| {
        let end = Path::new(name).extension().and_then(|end| end.to_str());
        end.is_some_and(|end| OBJECTS.contains(&end))
    };
    let names = |folder: &Path| {
        let mut names = seen::names(folder).ok()?;
        names.retain(|name| !is_object(name));
        Some(names)
    };
    match (seen::is_dir(a), seen::is_dir(b)) {
        (true, true) => {
            let listed = names(a);
            listed == names(b)
                && listed.is_some_and(|names| {
                    let mut names = names.iter();
                    names.all(|name| are_equal(&a.join(name), &b.join(name)))
                })
        }
        (false, false) => {
            let length = |path: &Path| seen::state(path).ok().map(|(_, length)| length);
            length(a) == length(b) && read::bytes(a).ok() == read::bytes(b).ok()
        }
        _ => false,
    }
}

fn sorted(flags: &[String]) -> Vec<&String> {
    let mut flags: Vec<&String> = flags.iter().collect();
    flags.sort_unstable();
    flags
}

fn written(path: &Path) -> Option<SystemTime> {
    seen::state(path).ok().map(|(time, _)| time)
}

/// Returns the time of the last change of a file, or of a folder with all that is in it; `None` if
/// that is too much.
fn newest_at(path: &Path) -> Option<SystemTime> {
    let mut newest = written(path)?;
    let mut open = vec![path.to_owned()];
    let mut count = 0;
    while let Some(folder) = open.pop() {
        if !seen::is_dir(&folder) {
            continue;
        }
        for name in seen::names(&folder).ok()? {
            count += 1;
            let path = folder.join(name);
            // A link that leads nowhere has no time.
            newest = newest.max(written(&path).unwrap_or(newest));
            let is_cycle =
                path.is_symlink() && seen::real(&path).is_ok_and(|r| path.starts_with(r));
            if count > MAX_FILES || is_cycle {
                return None;
            }
            open.push(path);
        }
    }
    Some(newest)
}

/// Returns the time of the last change of a package's files; `None` if there are too many. Cargo
/// leaves out what git ignores as well.
fn newest_in(package: &Path) -> Option<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut open = vec![package.to_owned()];
    let mut count = 0;
    while let Some(folder) = open.pop() {
        for name in seen::names(&folder).ok()? {
            count += 1;
            if count > MAX_FILES {
                return None;
            }
            let path = folder.join(&name);
            let is_dir = seen::is_dir(&path);
            let is_hidden = name.to_string_lossy().starts_with('.');
            let left_out = is_dir && is_hidden
                || is_dir && (folder == package && name == "target" || path.is_symlink())
                || is_dir && seen::is_file(&path.join("Cargo.toml"))
                || is_dir && seen::is_file(&path.join("CACHEDIR.TAG"));
            match is_dir {
                _ if left_out => {}
                true => open.push(path),
                false => newest = newest.max(written(&path).unwrap_or(newest)),
            }
        }
    }
    Some(newest)
}

/// Reads a compiled script or library, with the hash by which its users refer to it.
fn read_compiled(unit: &Unit, prefix: &str) -> Option<(u64, Compiled)> {
    let (path, json) = unit.fingerprint(prefix)?;
    let mut features: Vec<String> = serde_json::from_str(json.get("features")?.as_str()?).ok()?;
    features.sort_unstable();
    let uses = json.get("deps").and_then(Value::as_array);
    let uses = uses.into_iter().flatten();
    let compiled = Compiled {
        features,
        inputs: Inputs::read(&unit.listing(&path)?)?,
        time: written(&unit.fingerprint.join("invoked.timestamp"))?,
        uses: uses.filter_map(|of| of.get(3)?.as_u64()).collect(),
    };
    Some((units::reference(&path)?, compiled))
}

fn read_run(unit: Unit, compiled: &FxHashMap<u64, Compiled>) -> Option<Run> {
    let time = written(&unit.output)?;
    let (path, json) = unit.fingerprint("run-build-script-")?;
    let mut script = None;
    let mut given = Vec::new();
    for dependency in json.get("deps")?.as_array()? {
        let reference = dependency.get(3)?.as_u64()?;
        match compiled.get(&reference) {
            Some(found) => script = Some(found.clone()),
            None => given.push(reference),
        }
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let flags = json.get("rustflags").and_then(Value::as_array);
    let causes = json.get("local")?.as_array()?;
    Some(Run {
        time,
        script: script?,
        reference: units::reference(&path),
        given,
        rustc: json.get("rustc").and_then(Value::as_u64),
        flags: flags.into_iter().flatten().filter_map(text).collect(),
        causes: causes
            .iter()
            .map(|cause| read_cause(cause).unwrap_or(Cause::Other))
            .collect(),
        unit,
    })
}

fn read_cause(json: &Value) -> Option<Cause> {
    if let Some(variable) = json.get("RerunIfEnvChanged") {
        let value = variable.get("val")?;
        let value = value.as_str().map(str::to_owned);
        return Some(Cause::Variable(
            variable.get("var")?.as_str()?.to_owned(),
            value,
        ));
    }
    if let Some(files) = json.get("RerunIfChanged") {
        let paths = files.get("paths")?.as_array()?.iter();
        let paths: Option<Vec<_>> = paths.map(|path| path.as_str().map(PathBuf::from)).collect();
        return Some(Cause::Files(paths?));
    }
    Some(Cause::Package(
        json.get("Precalculated")?.as_str()?.to_owned(),
    ))
}
/// Returns the name and the value in a `rustc-cfg` line.
fn name_and_value(cfg: &str) -> (String, Option<String>) {
    let (name, value) = match cfg.split_once('=') {
        Some((name, value)) => (name, Some(value.trim().trim_matches('"').to_owned())),
        None => (cfg, None),
    };
    (name.trim().to_owned(), value)
}

fn parse(text: &str, unit: &Unit) -> Output {
    let mut output = Output::default();
    for line in text.lines() {
        let line = line.trim();
        let Some((key, value)) = line
            .strip_prefix("cargo::")
            .or_else(|| line.strip_prefix("cargo:"))
            .and_then(|line| line.split_once('='))
        else {
            continue;
        };
        match key {
            "rustc-cfg" => output.cfgs.push(name_and_value(value)),
            "rustc-env" => {
                if let Some((name, value)) = value.split_once('=') {
                    output.env.push((name.to_owned(), value.to_owned()));
                }
            }
            _ => {}
        }
    }
    // The target folder may have been moved since the run recorded its path.
    output.out_dir = match seen::is_dir(&unit.out_dir) {
        true => Some(unit.out_dir.clone()),
        false => read::text(&unit.output.with_file_name("root-output"))
            .ok()
            .map(PathBuf::from)
            .filter(|path| seen::is_dir(path)),
    };
    output
}

#[cfg(test)]
mod tests {
    use super::units::Made;
    use super::*;

    #[test]
    fn output_lines() {
        let nowhere = Path::new("nowhere");
        let unit = Unit {
            fingerprint: nowhere.to_owned(),
            made: Made::Alone(nowhere.to_owned()),
            output: nowhere.to_owned(),
            out_dir: nowhere.to_owned(),
        };
        let text = "hello\ncargo:rustc-cfg=a\ncargo::rustc-cfg=b=\"c d\"\ncargo:rustc-env=K=v=w\n\
                    cargo:rerun-if-changed=x\ncargo:rustc-cfg=feature=\"f\"\n";
        let output = parse(text, &unit);
        let own = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(
            output.cfgs,
            [
                own("a", None),
                own("b", Some("c d")),
                own("feature", Some("f"))
            ]
        );
        assert_eq!(output.env, [("K".to_owned(), "v=w".to_owned())]);
        assert_eq!(output.out_dir, None);
    }
}
