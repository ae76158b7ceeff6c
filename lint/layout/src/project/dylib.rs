//! Finds the compiled library of a crate with procedural macros in the target folder, by cargo's
//! fingerprints.
//!
//! For each compiled crate cargo writes `lib-NAME.json` with its features and the fingerprints of
//! its dependencies, and in the same folder its own fingerprint and the time of the build; a `.d`
//! file lists the sources.

use super::units::{self, Inputs, Made, Unit};
use super::{Crate, CrateId, Project, build, calls};
use crate::seen;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// Folders with compiled procedural macros, the preferred first, each with its libraries by
/// fingerprint, read on first use.
#[derive(Clone, Debug, Default)]
pub struct MacroPlaces(Vec<(PathBuf, OnceLock<FxHashMap<u64, Compiled>>)>);

impl MacroPlaces {
    pub(super) fn new(mut folders: Vec<PathBuf>) -> MacroPlaces {
        folders.dedup();
        let folders = folders.into_iter();
        MacroPlaces(folders.map(|folder| (folder, OnceLock::new())).collect())
    }
}

/// A crate that cargo has compiled.
#[derive(Clone, Debug)]
struct Compiled {
    unit: Unit,
    /// The file that describes it.
    path: PathBuf,
    built: SystemTime,
    /// The fingerprint by which dependents refer to it.
    fingerprint: u64,
    json: Value,
}

/// A compiled library with procedural macros.
struct Library {
    file: PathBuf,
    of: Compiled,
}

/// The error for a library that is missing or out of date.
const CHECK: &str = "run `cargo check` first";

impl Project {
    /// Returns the library of a procedural-macro crate from the last build.
    ///
    /// # Errors
    /// There is no library for these features, none newer than its sources, or several.
    pub fn macro_library(&self, id: CrateId) -> Result<PathBuf, String> {
        let krate = self.krate(id);
        let compilers = build::hashes(&self.rustc.verbose);
        let mut stale = false;
        for (place, _) in &self.macro_places.0 {
            let mut libraries: Vec<_> = libraries(place, krate)
                .into_iter()
                .filter(|l| features(&l.of.json) == Some(krate.features.clone()))
                .filter(|l| self.is_of(krate, l))
                .collect();
            let before = libraries.len();
            libraries.retain(|l| {
                let rustc = l.of.json.get("rustc").and_then(Value::as_u64);
                rustc.is_some_and(|hash| compilers.contains(&hash))
                    && self.is_fresh(place, l, &mut FxHashSet::default())
            });
            stale |= libraries.len() < before;
            match libraries.as_slice() {
                [] => {}
                [only] => return Ok(only.file.clone()),
                several => {
                    let used = self.last_used(id, place, several);
                    return used.map(|l| l.file.clone()).ok_or_else(|| {
                        let package = &krate.package;
                        format!(
                            "there are several builds of `{package}`: run `cargo clean -p \
                             {package}`, then `cargo check`"
                        )
                    });
                }
            }
        }
        let package = &krate.package;
        Err(match stale {
            true => format!("`{package}` or the compiler has changed since it was built: {CHECK}"),
            false => format!("`{package}` is not built for these features: {CHECK}"),
        })
    }

    /// Returns true if a library was compiled from the root file of this crate, and so from this
    /// version.
    fn is_of(&self, krate: &Crate, library: &Library) -> bool {
        let sources = library.of.sources();
        sources.iter().any(|s| self.source(s) == krate.root)
    }

    /// Returns the path of a source in a `.d` file: absolute, or relative to the workspace.
    fn source(&self, listed: &Path) -> PathBuf {
        self.workspace_root.join(listed)
    }

    /// Returns true if no source of a library has changed since it was built. Downloaded sources do
    /// not change.
    fn is_fresh(&self, place: &Path, library: &Library, seen: &mut FxHashSet<u64>) -> bool {
        let of = &library.of;
        self.is_unchanged(&of.sources(), of.built)
            && self.are_fresh(place, &of.json, of.built, seen)
    }

    fn is_unchanged(&self, sources: &[PathBuf], since: SystemTime) -> bool {
        sources.iter().all(|source| {
            let source = self.source(source);
            self.is_downloaded(&source) || modified(&source).is_some_and(|time| time <= since)
        })
    }

    fn is_downloaded(&self, source: &Path) -> bool {
        let home = calls::cargo_home(&self.workspace_root);
        let folders = ["registry", "git"].map(|f| home.as_ref().map(|home| home.join(f)));
        let mut folders = folders.into_iter().flatten();
        folders.any(|folder| source.starts_with(folder)) || source.starts_with(&self.target_dir)
    }

    /// Checks the dependencies of a library like `is_fresh`.
    fn are_fresh(
        &self,
        place: &Path,
        json: &Value,
        since: SystemTime,
        seen: &mut FxHashSet<u64>,
    ) -> bool {
        dependencies(json).all(|fingerprint| {
            if !seen.insert(fingerprint) {
                return true;
            }
            // Dependencies of a build script are not part of the library.
            let Some(of) = self.fingerprints(place).and_then(|f| f.get(&fingerprint)) else {
                return true;
            };
            let sources = of.sources();
            let downloaded = |s: &PathBuf| self.is_downloaded(&self.source(s));
            // Downloaded crates depend only on downloaded crates.
            sources.iter().all(downloaded)
                || self.is_unchanged(&sources, since)
                    && self.are_fresh(place, &of.json, since, seen)
        })
    }

    /// Returns the libraries in a folder by fingerprint.
    fn fingerprints(&self, place: &Path) -> Option<&FxHashMap<u64, Compiled>> {
        let read = || {
            let units = units::crates(place, |_| true).into_iter();
            let compiled = units.filter_map(|(_, unit)| Compiled::read(unit, "lib-"));
            compiled.map(|of| (of.fingerprint, of)).collect()
        };
        let mut places = self.macro_places.0.iter();
        let known = places.find(|(folder, _)| folder == place);
        known.map(|(_, known)| known.get_or_init(read))
    }

    /// Chooses among several builds the one that the newest of their dependents was built with.
    fn last_used<'l>(
        &self,
        id: CrateId,
        place: &Path,
        several: &'l [Library],
    ) -> Option<&'l Library> {
        let users = self.crates.iter();
        let users = users.filter(|user| user.deps.iter().any(|(_, to)| *to == id));
        let mut packages: Vec<_> = users.map(|user| user.package.as_str()).collect();
        packages.sort_unstable();
        packages.dedup();
        let mut last: Option<(SystemTime, &Library)> = None;
        for user in units::crates(place, |name| packages.contains(&name)) {
            let Some(user) = Compiled::read(user.1, "") else {
                continue;
            };
            let used = dependencies(&user.json)
                .find_map(|f| several.iter().find(|l| l.of.fingerprint == f));
            if let Some(used) = used
                && last.is_none_or(|(time, _)| time < user.built)
            {
                last = Some((user.built, used));
            }
        }
        last.map(|(_, library)| library)
    }
}

impl Compiled {
    /// Reads the fingerprint of a unit whose file name begins with `prefix`.
    fn read(unit: Unit, prefix: &str) -> Option<Compiled> {
        let (path, json) = unit.fingerprint(prefix)?;
        Some(Compiled {
            built: modified(&unit.fingerprint.join("invoked.timestamp"))?,
            fingerprint: units::reference(&path)?,
            path,
            unit,
            json,
        })
    }

    /// Returns its source files.
    fn sources(&self) -> Vec<PathBuf> {
        let listing = self.unit.listing(&self.path);
        let inputs = listing.and_then(|listing| Inputs::read(&listing));
        inputs.unwrap_or_default().files
    }

    /// Returns the dynamic library that was made of it.
    fn library(&self) -> Option<PathBuf> {
        let name = units::name(&self.path)?;
        let file = match &self.unit.made {
            Made::Alone(folder) => {
                let is_it = |file: &str| {
                    let rest = file
                        .strip_prefix(DLL_PREFIX)
                        .and_then(|f| f.strip_prefix(name));
                    rest.is_some_and(|rest| rest.ends_with(DLL_SUFFIX))
                };
                let mut names = seen::names(folder).ok()?.into_iter();
                folder.join(names.find(|file| file.to_str().is_some_and(is_it))?)
            }
            Made::Shared(folder, hash) => {
                folder.join(format!("{DLL_PREFIX}{name}-{hash}{DLL_SUFFIX}"))
            }
        };
        file.is_file().then_some(file)
    }
}

/// Returns the compiled libraries of a crate, for any set of features.
fn libraries(place: &Path, krate: &Crate) -> Vec<Library> {
    let units = units::crates(place, |name| name == krate.package).into_iter();
    let compiled = units.filter_map(|(_, unit)| Compiled::read(unit, "lib-"));
    let of_crate = compiled.filter(|of| units::name(&of.path) == Some(&*krate.name));
    let with_file = of_crate.filter_map(|of| {
        Some(Library {
            file: of.library()?,
            of,
        })
    });
    with_file.collect()
}

fn features(json: &Value) -> Option<Vec<String>> {
    let mut features: Vec<String> = serde_json::from_str(json.get("features")?.as_str()?).ok()?;
    features.sort_unstable();
    Some(features)
}

/// Returns the fingerprints of a crate's dependencies.
fn dependencies(json: &Value) -> impl Iterator<Item = u64> {
    let list = json.get("deps").and_then(Value::as_array);
    let list = list.into_iter().flatten();
    list.filter_map(|dep| dep.get(3)?.as_u64())
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}
