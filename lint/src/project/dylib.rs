//! Finds the compiled library of a crate with procedural macros in the target folder, by cargo's
//! fingerprints.
//!
//! For each compiled crate cargo writes `.fingerprint/PACKAGE-HASH/lib-NAME.json` with its features
//! and the fingerprints of its dependencies, and in the same folder its own fingerprint and the
//! time of the build; `deps/NAME-HASH.d` lists the sources.

use super::{Crate, CrateId, Project, calls};
use crate::source::read;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// Folders with compiled procedural macros, the preferred first, each with its libraries by
/// fingerprint, read on first use.
#[derive(Clone, Debug, Default)]
pub struct MacroPlaces(Vec<(PathBuf, OnceLock<FxHashMap<u64, PathBuf>>)>);

impl MacroPlaces {
    pub(super) fn new(mut folders: Vec<PathBuf>) -> MacroPlaces {
        folders.dedup();
        let folders = folders.into_iter();
        MacroPlaces(folders.map(|folder| (folder, OnceLock::new())).collect())
    }
}

/// A compiled library with procedural macros.
struct Library {
    file: PathBuf,
    built: SystemTime,
    /// The fingerprint by which dependents refer to it.
    fingerprint: u64,
    json: Value,
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
        let mut stale = false;
        for (place, _) in &self.macro_places.0 {
            let mut libraries: Vec<_> = libraries(place, krate)
                .into_iter()
                .filter(|l| features(&l.json) == Some(krate.features.clone()))
                .filter(|l| self.is_of(krate, place, l))
                .collect();
            let before = libraries.len();
            libraries.retain(|l| self.is_fresh(place, l, &mut FxHashSet::default()));
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
            true => format!("`{package}` has changed since it was built: {CHECK}"),
            false => format!("`{package}` is not built for these features: {CHECK}"),
        })
    }

    /// Returns true if a library was compiled from the root file of this crate, and so from this
    /// version.
    fn is_of(&self, krate: &Crate, place: &Path, library: &Library) -> bool {
        let sources = sources(place, &stem(&library.file));
        sources.iter().any(|s| self.source(s) == krate.root)
    }

    /// Returns the path of a source in a `.d` file: absolute, or relative to the workspace.
    fn source(&self, listed: &Path) -> PathBuf {
        self.workspace_root.join(listed)
    }

    /// Returns true if no source of a library has changed since it was built. Downloaded sources do
    /// not change.
    fn is_fresh(&self, place: &Path, library: &Library, seen: &mut FxHashSet<u64>) -> bool {
        let sources = sources(place, &stem(&library.file));
        self.is_unchanged(&sources, library.built)
            && self.are_fresh(place, &library.json, library.built, seen)
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
            let file = self.fingerprints(place).and_then(|f| f.get(&fingerprint));
            // Dependencies of a build script are not part of the library.
            let Some(of) = file.and_then(|file| read_compiled(file)) else {
                return true;
            };
            let sources = sources(place, &of.stem);
            let downloaded = |s: &PathBuf| self.is_downloaded(&self.source(s));
            // Downloaded crates depend only on downloaded crates.
            sources.iter().all(downloaded)
                || self.is_unchanged(&sources, since)
                    && self.are_fresh(place, &of.json, since, seen)
        })
    }

    /// Returns the libraries in a folder by fingerprint, each with the file that describes it.
    fn fingerprints(&self, place: &Path) -> Option<&FxHashMap<u64, PathBuf>> {
        let read = || {
            let files = list(&place.join(".fingerprint")).into_iter();
            let files = files.flat_map(|folder| list(&folder));
            let files = files.filter(|file| {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("lib-") && name.ends_with(".json")
            });
            files
                .filter_map(|f| Some((read_fingerprint(&f)?, f)))
                .collect()
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
        for user in packages.iter().flat_map(|p| compiled(place, p)) {
            let used =
                dependencies(&user.json).find_map(|f| several.iter().find(|l| l.fingerprint == f));
            if let Some(used) = used
                && last.is_none_or(|(time, _)| time < user.built)
            {
                last = Some((user.built, used));
            }
        }
        last.map(|(_, library)| library)
    }
}

/// A crate that cargo has compiled.
struct Compiled {
    /// `NAME-HASH`, the prefix of its files.
    stem: String,
    built: SystemTime,
    fingerprint: u64,
    json: Value,
}

/// Returns the builds of a package's crates in a folder.
fn compiled(place: &Path, package: &str) -> Vec<Compiled> {
    let folders = list(&place.join(".fingerprint")).into_iter();
    let folders = folders.filter(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.rsplit_once('-').is_some_and(|(of, _)| of == package)
    });
    let files = folders.flat_map(|folder| list(&folder));
    let files = files.filter(|f| f.extension().is_some_and(|e| e == "json"));
    files.filter_map(|file| read_compiled(&file)).collect()
}

/// Reads `PACKAGE-HASH/lib-NAME.json` and the files next to it.
fn read_compiled(file: &Path) -> Option<Compiled> {
    let folder = file.parent()?;
    let (_, hash) = folder.file_name()?.to_str()?.rsplit_once('-')?;
    let stem = file.file_stem()?.to_str()?;
    let name = stem.split_once('-').map_or(stem, |(_, name)| name);
    Some(Compiled {
        stem: format!("{name}-{hash}"),
        built: modified(&folder.join("invoked.timestamp"))?,
        fingerprint: read_fingerprint(file)?,
        json: serde_json::from_slice(&read::bytes(file).ok()?).ok()?,
    })
}

fn read_fingerprint(json: &Path) -> Option<u64> {
    let hash = read::text(&json.with_extension("")).ok()?;
    // The hash is written in little-endian byte order.
    Some(u64::from_str_radix(hash.trim(), 16).ok()?.swap_bytes())
}

/// Returns the entries of a folder, in a stable order.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the compiled libraries of a crate, for any set of features.
fn libraries(place: &Path, krate: &Crate) -> Vec<Library> {
    let builds = compiled(place, &krate.package).into_iter();
    let of_crate = |c: &Compiled| {
        c.stem
            .rsplit_once('-')
            .is_some_and(|(n, _)| n == krate.name)
    };
    let builds = builds.filter(of_crate);
    let file = |stem: &str| {
        let name = format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}");
        place.join("deps").join(name)
    };
    let libraries = builds.map(|c| Library {
        file: file(&c.stem),
        built: c.built,
        fingerprint: c.fingerprint,
        json: c.json,
    });
    libraries.filter(|l| l.file.is_file()).collect()
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

/// Returns the `NAME-HASH` part of a library's file name.
fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix(DLL_PREFIX).unwrap_or(&stem).to_owned()
}

/// Returns the sources in a `.d` file.
fn sources(place: &Path, stem: &str) -> Vec<PathBuf> {
    let listing = place.join("deps").join(format!("{stem}.d"));
    // After the rules, the format of make repeats each source as a target.
    let text = read::text(&listing).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.strip_suffix(':'));
    lines
        .map(|source| PathBuf::from(source.replace("\\ ", " ")))
        .collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}
