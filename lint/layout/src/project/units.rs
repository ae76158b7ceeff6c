//! Where cargo keeps what it knows of the units of a build, in both layouts of its folder.
//!
//! The old layout has `.fingerprint/PACKAGE-HASH`, `build/PACKAGE-HASH` and `deps`; the new one has
//! all of a unit in `build/PACKAGE/HASH`.

use crate::seen;
use crate::source::read;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folders of a unit: a crate that was compiled, or a run of a build script.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// What cargo compares to find out whether the unit is fresh.
    pub(super) fingerprint: PathBuf,
    /// Where rustc wrote its files.
    pub(super) made: Made,
    /// The standard output of a build script.
    pub(super) output: PathBuf,
    /// The folder that a build script may write to.
    pub(super) out_dir: PathBuf,
}

/// The folder with the files that rustc wrote for a unit.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// Nothing else is in it.
    Alone(PathBuf),
    /// Files of other units are in it too: the names end in `-HASH`.
    Shared(PathBuf, String),
}

impl Unit {
    /// Returns the `.d` file of the crate that a fingerprint describes.
    pub(super) fn listing(&self, json: &Path) -> Option<PathBuf> {
        match &self.made {
            Made::Alone(folder) => {
                let mut names = seen::names(folder).ok()?.into_iter();
                let listing =
                    names.find(|name| Path::new(name).extension().is_some_and(|e| e == "d"))?;
                Some(folder.join(listing))
            }
            Made::Shared(folder, hash) => Some(folder.join(format!("{}-{hash}.d", name(json)?))),
        }
    }

    /// Returns the fingerprint whose file name begins with `prefix`: its path and content.
    pub(super) fn fingerprint(&self, prefix: &str) -> Option<(PathBuf, Value)> {
        let names = seen::names(&self.fingerprint).ok()?;
        let name = names.into_iter().find(|name| {
            let name = name.to_string_lossy();
            name.starts_with(prefix) && name.ends_with(".json")
        })?;
        let path = self.fingerprint.join(name);
        let value = serde_json::from_slice(&read::bytes(&path).ok()?).ok()?;
        Some((path, value))
    }
}

/// Returns the crate's name in the file name of a fingerprint, `KIND-NAME.json`.
pub(super) fn name(json: &Path) -> Option<&str> {
    let stem = json.file_stem()?.to_str()?;
    Some(stem.split_once('-').map_or(stem, |(_, name)| name))
}

/// Returns the hash by which dependents refer to the fingerprint that this file describes; `None`
/// if the last build of the unit has not ended.
pub(super) fn reference(json: &Path) -> Option<u64> {
    let hash = read::text(&json.with_extension("")).ok()?;
    // The hash is written in little-endian byte order.
    Some(u64::from_str_radix(hash.trim(), 16).ok()?.swap_bytes())
}

/// Returns the units of the packages that `wanted` accepts, each with its package: build scripts
/// and their runs.
pub(super) fn scripts(place: &Path, wanted: impl Fn(&str) -> bool) -> Vec<(String, Unit)> {
    let build = place.join("build");
    let old = |name: &str| Unit {
        fingerprint: place.join(".fingerprint").join(name),
        made: Made::Alone(build.join(name)),
        output: build.join(name).join("output"),
        out_dir: build.join(name).join("out"),
    };
    let mut units = Vec::new();
    for name in names(&build) {
        match split(&name) {
            Some((package, _)) if wanted(package) => {
                units.push((package.to_owned(), old(&name)));
            }
            Some(_) => {}
            None if wanted(&name) => units.extend(new(&build, &name)),
            None => {}
        }
    }
    units
}

/// Returns the units of the packages that `wanted` accepts, each with its package: libraries and
/// programs.
pub(super) fn crates(place: &Path, wanted: impl Fn(&str) -> bool) -> Vec<(String, Unit)> {
    let folder = place.join(".fingerprint");
    let mut units = Vec::new();
    for name in names(&folder) {
        if let Some((package, hash)) = split(&name)
            && wanted(package)
        {
            let unit = Unit {
                fingerprint: folder.join(&name),
                made: Made::Shared(place.join("deps"), hash.to_owned()),
                output: PathBuf::new(),
                out_dir: PathBuf::new(),
            };
            units.push((package.to_owned(), unit));
        }
    }
    let build = place.join("build");
    for name in names(&build) {
        if split(&name).is_none() && wanted(&name) {
            units.extend(new(&build, &name));
        }
    }
    units
}

/// Returns the units of a package in the new layout.
fn new<'p>(build: &Path, package: &'p str) -> impl Iterator<Item = (String, Unit)> + use<'p> {
    let folder = build.join(package);
    let hashes = names(&folder).into_iter().filter(|name| is_hash(name));
    hashes.map(move |hash| {
        let unit = folder.join(&hash);
        let unit = Unit {
            fingerprint: unit.join("fingerprint"),
            made: Made::Alone(unit.join("out")),
            output: unit.join("run").join("stdout"),
            out_dir: unit.join("out"),
        };
        (package.to_owned(), unit)
    })
}

/// Returns package and hash of a folder's name in the old layout.
fn split(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('-').filter(|(_, hash)| is_hash(hash))
}

fn is_hash(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

fn names(folder: &Path) -> Vec<String> {
    let names = seen::names(folder).unwrap_or_default().into_iter();
    names.filter_map(|name| name.into_string().ok()).collect()
}

/// Returns the path of what a make rule names, with the spaces that rustc escapes.
fn unescaped(path: &str) -> PathBuf {
    PathBuf::from(path.replace("\\ ", " "))
}

/// What rustc read to compile a crate, as its `.d` file lists it.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    /// Paths of source files: absolute, or relative to the workspace.
    pub(super) files: Vec<PathBuf>,
    /// Environment variables with their values.
    pub(super) variables: Vec<(String, Option<String>)>,
}

impl Inputs {
    /// Reads a `.d` file.
    pub(super) fn read(listing: &Path) -> Option<Inputs> {
        let text = read::text(listing).ok()?;
        let mut inputs = Inputs::default();
        for line in text.lines() {
            if let Some(variable) = line.strip_prefix("# env-dep:") {
                let (name, value) = match variable.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (variable, None),
                };
                let plain = |text: &str| text.replace("\\n", "\n").replace("\\\\", "\\");
                inputs.variables.push((plain(name), value.map(plain)));
            } else if let Some(file) = line.strip_suffix(':') {
                // After the rules, the format of make repeats each source as a target.
                inputs.files.push(unescaped(file));
            }
        }
        Some(inputs)
    }
}
