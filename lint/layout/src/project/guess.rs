//! Guesses the selected crates from manifests, before cargo has named them.

use super::{Selection, inputs};
use crate::folded::folded;
use crate::name::Name;
use crate::seen;
use crate::source::read;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Table;

/// A library or binary that is probably selected. A wrong guess costs only the time in which its
/// files are read.
pub struct Guess {
    /// The root file.
    pub root: PathBuf,
    /// The features that are probably enabled; `None` if all may be.
    features: Option<Arc<FxHashSet<String>>>,
}

impl Guess {
    /// Returns the guesses for a selection; none if only cargo can tell which packages are selected.
    pub fn all(selection: &Selection) -> Vec<Guess> {
        let folder = package(selection).filter(|_| selection.packages.is_empty());
        let found = folder.and_then(|folder| Some((manifest(&folder)?, folder)));
        let Some((manifest, folder)) = found else {
            return Vec::new();
        };
        let members = |key| members(&folder, &manifest, key);
        let mut packages = match selection.workspace {
            true => members("members"),
            false => members("default-members"),
        };
        if packages.is_empty() && !manifest.contains_key("package") {
            packages = members("members");
        }
        // A workspace's default members may leave out its root.
        if selection.workspace || packages.is_empty() {
            packages.push((folder, manifest));
        }
        let are_asked = selection.all_features || !selection.features.is_empty();
        let mut guesses = Vec::new();
        for (folder, manifest) in packages {
            let features = (!are_asked).then(|| match selection.no_default_features {
                true => Arc::default(),
                false => Arc::new(features(&manifest)),
            });
            for root in roots(&folder, &manifest) {
                let features = features.clone();
                guesses.push(Guess { root, features });
            }
        }
        guesses
    }

    /// Returns whether a `cfg` fact probably holds, if anything is known about it.
    pub fn cfg(&self, name: Name, value: Option<Name>) -> Option<bool> {
        match (name.as_str(), value) {
            ("test", None) => Some(false),
            ("unix", None) => Some(cfg!(unix)),
            ("windows", None) => Some(cfg!(windows)),
            ("target_os", Some(os)) => Some(os.as_str() == std::env::consts::OS),
            ("feature", Some(name)) => Some(self.features.as_ref()?.contains(name.as_str())),
            _ => None,
        }
    }
}

/// Returns the default features, which may enable others of the package.
fn features(manifest: &Table) -> FxHashSet<String> {
    let table = manifest.get("features").and_then(|f| f.as_table());
    let mut found = FxHashSet::default();
    let mut open = vec!["default".to_owned()];
    while let Some(name) = open.pop() {
        let list = table.and_then(|t| t.get(&name)?.as_array());
        let more = list.into_iter().flatten().filter_map(|f| f.as_str());
        open.extend(more.filter(|f| !found.contains(*f)).map(str::to_owned));
        found.insert(name);
    }
    found
}

/// Returns the root files of a package that exist.
fn roots(folder: &Path, manifest: &Table) -> Vec<PathBuf> {
    // As cargo writes it: the path names the file in all that is said of it.
    let path = |target: &toml::Value| Some(folded(&folder.join(target.get("path")?.as_str()?)));
    let lib = manifest.get("lib").and_then(path);
    let mut roots = vec![
        lib.unwrap_or_else(|| folder.join("src/lib.rs")),
        folder.join("src/main.rs"),
    ];
    let bins = manifest.get("bin").and_then(|bins| bins.as_array());
    roots.extend(bins.into_iter().flatten().filter_map(path));
    roots.retain(|root| seen::is_file(root));
    roots.dedup();
    roots
}

/// Returns the folder of the manifest that cargo will read.
fn package(selection: &Selection) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    if let Some(manifest) = &selection.manifest_path {
        return Some(folded(&here.join(manifest.parent()?)));
    }
    let has_manifest = |folder: &&Path| seen::is_file(&folder.join("Cargo.toml"));
    here.ancestors().find(has_manifest).map(Path::to_owned)
}

fn manifest(folder: &Path) -> Option<Table> {
    read::text(&folder.join("Cargo.toml")).ok()?.parse().ok()
}

/// Returns the members of a workspace that a key names, with their manifests.
fn members(root: &Path, manifest: &Table, key: &str) -> Vec<(PathBuf, Table)> {
    let left_out = inputs::members(root, manifest, "exclude");
    let members = inputs::members(root, manifest, key).into_iter();
    let members = members.filter(|member| !left_out.contains(member));
    let with_manifest = |member: PathBuf| {
        let manifest = self::manifest(&member)?;
        Some((member, manifest))
    };
    members.filter_map(with_manifest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn members_and_default_features() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/c\"]\n",
        );
        write(
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\n[lib]\npath = \"./lib.rs\"\n\
             [features]\ndefault = [\"x\"]\nx = [\"y\", \"b/z\"]\ny = [\"x\"]\nz = []\n",
        );
        write("crates/a/lib.rs", "");
        write("crates/b/Cargo.toml", "[package]\nname = \"b\"\n");
        write("crates/b/src/main.rs", "");
        write("crates/c/Cargo.toml", "[package]\nname = \"c\"\n");
        write("crates/c/src/lib.rs", "");
        let mut selection = Selection {
            manifest_path: Some(root.join("crates/../Cargo.toml")),
            ..Selection::default()
        };
        // Strings, since paths are equal with and without `.`.
        let found = |selection: &Selection| -> Vec<OsString> {
            let guesses = Guess::all(selection).into_iter();
            guesses.map(|guess| guess.root.into_os_string()).collect()
        };
        let roots = ["crates/a/lib.rs", "crates/b/src/main.rs"]
            .map(|path| root.join(path).into_os_string());
        assert_eq!(found(&selection), roots);
        let guess = Guess::all(&selection).remove(0);
        let feature = |name| guess.cfg(Name::new("feature"), Some(Name::new(name)));
        assert_eq!(
            ["x", "y", "z"].map(feature),
            [Some(true), Some(true), Some(false)]
        );
        assert_eq!(guess.cfg(Name::new("of_a_build_script"), None), None);
        let workspace = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        write(
            "Cargo.toml",
            &(workspace + "default-members = [\"crates/b\"]\n"),
        );
        assert_eq!(found(&selection), roots[1..]);
        selection.workspace = true;
        assert_eq!(found(&selection), roots);
        selection.no_default_features = true;
        let guess = Guess::all(&selection).remove(0);
        assert_eq!(
            guess.cfg(Name::new("feature"), Some(Name::new("x"))),
            Some(false)
        );
        selection.packages = vec!["a".to_owned()];
        assert!(found(&selection).is_empty());
    }
}
