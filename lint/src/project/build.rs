//! The output of build scripts in the last matching build, read from the target folder.
//!
//! Cargo stores the standard output of a run in `build/PACKAGE-HASH/output`, and in `.fingerprint`
//! the features that the script was compiled with and the compiled script that a run belongs to.

use crate::seen;
use crate::source::read;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A run of a build script, and what it printed for rustc.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    /// `OUT_DIR`, if it still exists.
    pub(super) out_dir: Option<PathBuf>,
    /// `rustc-cfg` lines: a name, and a value without its quotes.
    pub(super) cfgs: Vec<(String, Option<String>)>,
    /// `rustc-env` lines.
    pub(super) env: Vec<(String, String)>,
}

/// The runs recorded in a target folder.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The runs of each folder by package name, in the order of the folders.
    folders: Vec<FxHashMap<String, Vec<Run>>>,
}

#[derive(Debug)]
struct Run {
    folder: PathBuf,
    time: SystemTime,
    script: Compiled,
}

/// A compiled build script.
#[derive(Clone, Debug)]
struct Compiled {
    /// The features of its package at that time, sorted.
    features: Vec<String>,
    /// Path of its source as passed to rustc: absolute, or relative to package or workspace.
    sources: Vec<PathBuf>,
}

impl Runs {
    /// Finds runs of the build scripts of `packages`. Each of `places` is a folder of runs and the
    /// folder of their compiled scripts; the first with a run is used.
    pub(super) fn find(places: &[(PathBuf, PathBuf)], packages: &FxHashSet<&str>) -> Runs {
        let mut runs = Runs::default();
        for (run_place, script_place) in places {
            let run_folders = list(run_place, packages);
            let other;
            let script_folders = match run_place == script_place {
                true => &run_folders,
                false => {
                    other = list(script_place, packages);
                    &other
                }
            };
            let mut found = FxHashMap::default();
            for (package, names) in &run_folders {
                let mut compiled = FxHashMap::default();
                for name in script_folders.get(package).into_iter().flatten() {
                    compiled.extend(read_compiled(script_place, name));
                }
                let of_package: Vec<Run> = names
                    .iter()
                    .filter_map(|name| read_run(run_place, name, &compiled))
                    .collect();
                found.insert(package.clone(), of_package);
            }
            runs.folders.push(found);
        }
        runs
    }

    /// Returns the newest run for this package, these (sorted) features and this script. `editable`
    /// says that the script may have been changed since.
    pub(super) fn fitting(
        &self,
        package: &str,
        features: &[String],
        script: &Path,
        editable: bool,
    ) -> Option<Output> {
        let changed = match editable {
            true => seen::state(script).ok().map(|(written, _)| written),
            false => None,
        };
        self.folders.iter().find_map(|found| {
            let fitting = found.get(package)?.iter().filter(|run| {
                run.script.features == features
                    && run
                        .script
                        .sources
                        .iter()
                        .any(|source| script.ends_with(source))
                    && changed.is_none_or(|changed| changed <= run.time)
            });
            let run = fitting.max_by_key(|run| run.time)?;
            let text = read::text(&run.folder.join("output")).ok()?;
            Some(parse(&text, &run.folder))
        })
    }
}

/// Returns the folders of `place/build`, by package.
fn list(place: &Path, packages: &FxHashSet<&str>) -> FxHashMap<String, Vec<String>> {
    let mut folders: FxHashMap<String, Vec<String>> = FxHashMap::default();
    let names = seen::names(&place.join("build")).unwrap_or_default();
    for name in names {
        let Ok(name) = name.into_string() else {
            continue;
        };
        if let Some((package, _hash)) = name.rsplit_once('-')
            && packages.contains(package)
        {
            folders.entry(package.to_owned()).or_default().push(name);
        }
    }
    folders
}

/// Returns the fingerprint in `place/.fingerprint/name` whose file name begins with `prefix`: its
/// path and content.
fn fingerprint(place: &Path, name: &str, prefix: &str) -> Option<(PathBuf, Value)> {
    let folder = place.join(".fingerprint").join(name);
    let name = seen::names(&folder).ok()?.into_iter().find(|name| {
        let name = name.to_string_lossy();
        name.starts_with(prefix) && name.ends_with(".json")
    })?;
    let path = folder.join(name);
    let value = serde_json::from_slice(&read::bytes(&path).ok()?).ok()?;
    Some((path, value))
}

/// Reads a compiled build script, with the hash by which its runs refer to it.
fn read_compiled(place: &Path, name: &str) -> Option<(u64, Compiled)> {
    let (path, json) = fingerprint(place, name, "build-script-")?;
    let hash = read::text(&path.with_extension("")).ok()?;
    // The hash is written in little-endian byte order.
    let hash = u64::from_str_radix(hash.trim(), 16).ok()?.swap_bytes();
    let mut features: Vec<String> = serde_json::from_str(json.get("features")?.as_str()?).ok()?;
    features.sort_unstable();
    let folder = place.join("build").join(name);
    let mut names = seen::names(&folder).ok()?.into_iter();
    let listing = names.find(|name| Path::new(name).extension().is_some_and(|e| e == "d"))?;
    let listing = folder.join(listing);
    // After the rules, the format of make repeats each source as a target.
    let text = read::text(&listing).ok()?;
    let sources = text
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .map(|source| PathBuf::from(source.replace("\\ ", " ")))
        .collect();
    Some((hash, Compiled { features, sources }))
}

fn read_run(place: &Path, name: &str, compiled: &FxHashMap<u64, Compiled>) -> Option<Run> {
    let folder = place.join("build").join(name);
    let (time, _) = seen::state(&folder.join("output")).ok()?;
    let (_, json) = fingerprint(place, name, "run-build-script-")?;
    let script = json
        .get("deps")?
        .as_array()?
        .iter()
        .find_map(|dependency| compiled.get(&dependency.get(3)?.as_u64()?))?;
    Some(Run {
        folder,
        time,
        script: script.clone(),
    })
}

fn parse(text: &str, folder: &Path) -> Output {
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
            "rustc-cfg" => {
                let (name, value) = match value.split_once('=') {
                    Some((name, value)) => (name, Some(value.trim().trim_matches('"').to_owned())),
                    None => (value, None),
                };
                output.cfgs.push((name.trim().to_owned(), value));
            }
            "rustc-env" => {
                if let Some((name, value)) = value.split_once('=') {
                    output.env.push((name.to_owned(), value.to_owned()));
                }
            }
            _ => {}
        }
    }
    // The target folder may have been moved since the run recorded its path.
    let beside = folder.join("out");
    output.out_dir = match seen::is_dir(&beside) {
        true => Some(beside),
        false => read::text(&folder.join("root-output"))
            .ok()
            .map(PathBuf::from)
            .filter(|path| seen::is_dir(path)),
    };
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_lines() {
        let text = "hello\ncargo:rustc-cfg=a\ncargo::rustc-cfg=b=\"c d\"\ncargo:rustc-env=K=v=w\n\
                    cargo:rerun-if-changed=x\ncargo:rustc-cfg=feature=\"f\"\n";
        let output = parse(text, Path::new("nowhere"));
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
