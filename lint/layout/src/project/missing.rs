//! A project of which cargo cannot fetch a dependency: what resolves without it.
//!
//! Cargo resolves a copy of the manifests, without any code, in which each missing package is an
//! empty one. What it says of the copy is then said of the project, without the empty packages.

use super::ProjectError;
use super::calls::Calls;
use crate::folded::folded;
use crate::source::read;
use crate::store::Temporary;
use cargo_metadata::Metadata;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::{Table, Value as Toml};

/// Maximum number of times that cargo is asked: each names one package.
const MOST: usize = 256;

/// The tables of a manifest that name dependencies.
const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// What cargo says where the network cannot be reached.
const UNREACHED: &[&str] = &[
    "network",
    "resolve host",
    "connect",
    "timed out",
    "HTTP request",
];

/// A package that cannot be fetched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// Where it should come from: an URL, or `crates.io`.
    pub source: String,
    /// The ids of the packages that need it, directly or not.
    pub users: BTreeSet<String>,
}

/// Returns what cargo says of the project without the packages that it cannot fetch, and these.
/// `None` if that is not the reason for its failure, or if nothing resolves.
pub(super) fn resolve(calls: &Calls, triple: &str) -> Option<(Metadata, Vec<Missing>)> {
    let mut command = calls.cargo("metadata");
    command.args(["--format-version", "1", "--no-deps", "--offline"]);
    if let Some(path) = &calls.selection.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    let known = super::load::run(command, None).ok()?;
    let known: Metadata = serde_json::from_str(&known).ok()?;
    let mut copy = Copy::of(&known, calls)?;
    for _ in 0..MOST {
        copy.write()?;
        match copy.ask(calls, triple) {
            // With nothing missing, cargo has refused for another reason, such as `--frozen`.
            Ok(_) if copy.empty.is_empty() => return None,
            Ok(text) => return copy.said(&text),
            Err(error) => copy.leave_out(error.detail.as_deref()?)?,
        }
    }
    None
}

/// A package that stands for a missing one.
#[derive(Default)]
struct Empty {
    version: String,
    features: BTreeSet<String>,
    /// The repository; `None` for one of the registry.
    git: Option<String>,
}

/// The copy of the manifests.
struct Copy {
    /// Removed when this is dropped.
    scratch: Temporary,
    root: PathBuf,
    /// The manifest that is asked about, relative to the root.
    asked: PathBuf,
    /// Manifests as they are, by their folder relative to the root.
    manifests: BTreeMap<PathBuf, Table>,
    /// The files of targets, relative to the root.
    files: Vec<PathBuf>,
    lock: Option<String>,
    empty: BTreeMap<String, Empty>,
    offline: bool,
    /// Whether development dependencies are part of the build.
    dev: bool,
}

impl Copy {
    fn of(known: &Metadata, calls: &Calls) -> Option<Copy> {
        let root: PathBuf = known.workspace_root.clone().into();
        let within = |path: &Path| path.strip_prefix(&root).map(Path::to_owned).ok();
        let parsed = |path: &Path| read::text(path).ok()?.parse::<Table>().ok();
        let mut manifests = BTreeMap::from([(PathBuf::new(), parsed(&root.join("Cargo.toml"))?)]);
        let mut files = Vec::new();
        for package in &known.packages {
            let manifest: &Path = package.manifest_path.as_ref();
            // A member elsewhere would need a copy of that place.
            manifests.insert(within(manifest.parent()?)?, parsed(manifest)?);
            for target in &package.targets {
                files.push(within(target.src_path.as_ref())?);
            }
        }
        let named = calls.selection.manifest_path.as_ref();
        let named = named.map(|path| folded(&calls.folder.join(path)));
        let at = named
            .as_deref()
            .and_then(Path::parent)
            .unwrap_or(&calls.folder);
        let mut around = at.ancestors().filter_map(within);
        let asked = around.find(|at| manifests.contains_key(at))?;
        Some(Copy {
            scratch: Temporary::anywhere().ok()?,
            asked: asked.join("Cargo.toml"),
            manifests,
            files,
            lock: read::text(&root.join("Cargo.lock")).ok(),
            root,
            empty: BTreeMap::new(),
            offline: calls.selection.offline || calls.selection.frozen,
            dev: calls.selection.needs_dev(),
        })
    }

    /// Returns the folder of the copy.
    fn folder(&self) -> PathBuf {
        self.scratch.folder().path().join("copy")
    }

    /// Returns the folder of an empty package.
    fn of_empty(&self, name: &str) -> PathBuf {
        self.scratch.folder().path().join("empty").join(name)
    }

    fn put(&self, path: &Path, text: &str) -> Option<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let folder = self.scratch.folder().make_at(folder).ok()?;
        folder.put(path.file_name()?, text.as_bytes()).ok()
    }

    fn write(&self) -> Option<()> {
        let copy = Path::new("copy");
        for file in &self.files {
            self.put(&copy.join(file), "")?;
        }
        for (folder, manifest) in &self.manifests {
            let text = toml::to_string(&self.edited(folder, manifest)).ok()?;
            self.put(&copy.join(folder).join("Cargo.toml"), &text)?;
        }
        if let Some(lock) = &self.lock {
            self.put(&copy.join("Cargo.lock"), lock)?;
        }
        for (name, empty) in &self.empty {
            let features: String = empty
                .features
                .iter()
                .map(|f| format!("{f:?} = []\n"))
                .collect();
            let version = &empty.version;
            let text = format!(
                "[package]\nname = {name:?}\nversion = {version:?}\nedition = \"2021\"\n\
                 [lib]\npath = \"lib.rs\"\n[workspace]\n[features]\n{features}"
            );
            let folder = Path::new("empty").join(name);
            self.put(&folder.join("Cargo.toml"), &text)?;
            self.put(&folder.join("lib.rs"), "")?;
        }
        Some(())
    }

    /// Returns a manifest with the empty packages, and with paths that are valid in the copy.
    fn edited(&self, folder: &Path, manifest: &Table) -> Table {
        let mut manifest = manifest.clone();
        let here = self.root.join(folder);
        each_table(&mut manifest, &mut |table| {
            for (key, spec) in table.iter_mut() {
                let Some(spec) = spec.as_table_mut() else {
                    continue;
                };
                let package = package_of(key, spec);
                let empty = self.empty.get(&package);
                if is_from(spec, empty.and_then(|e| e.git.as_deref())) {
                    for key in ["git", "branch", "tag", "rev", "version"] {
                        spec.remove(key);
                    }
                    let path = self.of_empty(&package).to_string_lossy().into_owned();
                    spec.insert("path".to_owned(), Toml::String(path));
                } else if let Some(Toml::String(path)) = spec.get_mut("path") {
                    let real = folded(&here.join(&*path));
                    let within = real.strip_prefix(&self.root).ok();
                    if !within.is_some_and(|at| self.manifests.contains_key(at)) {
                        *path = real.to_string_lossy().into_owned();
                    }
                }
            }
        });
        if folder.as_os_str().is_empty() {
            self.patch(&mut manifest);
        }
        manifest
    }

    /// Puts empty packages in the place of those of the registry.
    fn patch(&self, manifest: &mut Table) {
        let table = || Toml::Table(Table::new());
        let all = manifest.entry("patch").or_insert_with(table);
        let registry = all
            .as_table_mut()
            .map(|all| all.entry("crates-io").or_insert_with(table));
        let Some(registry) = registry.and_then(Toml::as_table_mut) else {
            return;
        };
        for (name, _) in self.empty.iter().filter(|(_, e)| e.git.is_none()) {
            let path = self.of_empty(name).to_string_lossy().into_owned();
            let spec = Table::from_iter([("path".to_owned(), Toml::String(path))]);
            registry.insert(name.clone(), Toml::Table(spec));
        }
    }

    fn ask(&self, calls: &Calls, triple: &str) -> Result<String, ProjectError> {
        let mut command = calls.cargo("metadata");
        command.args(["--format-version", "1", "--filter-platform", triple]);
        let selection = super::Selection {
            manifest_path: Some(self.folder().join(&self.asked)),
            locked: false,
            frozen: false,
            offline: self.offline,
            ..calls.selection.clone()
        };
        selection.resolve_args(&mut command);
        if let Some(dir) = &selection.target_dir {
            command.env("CARGO_TARGET_DIR", dir);
        }
        super::load::run(command, None)
    }

    /// Reads from cargo's error what it is that cannot be fetched.
    fn leave_out(&mut self, detail: &str) -> Option<()> {
        let after = |words: &str| detail.split_once(words).map(|(_, rest)| rest);
        let quoted = |words: &str| Some(after(words)?.split_once('`')?.0.to_owned());
        if let Some(rest) = after("nable to update ")
            && !rest.starts_with("registry")
        {
            let url = rest
                .split(|c: char| c.is_whitespace() || c == '?' || c == '#')
                .next()?;
            return self.leave_out_git(url);
        }
        if let Some(package) = quoted("failed to download `") {
            let (name, version) = package.split_once(" v")?;
            let version = version.split(' ').next()?;
            return self.leave_out_one(name, version);
        }
        if let Some(requirement) = quoted("failed to select a version for the requirement `") {
            let (name, version) = requirement.split_once(" = ")?;
            return self.leave_out_one(name, version);
        }
        if let Some(name) = quoted("no matching package named `") {
            let asked = || self.specs(&name).iter().find_map(version_of);
            let version = self.locked(&name, "registry+").or_else(asked);
            return self.leave_out_one(&name, &version.unwrap_or_default());
        }
        if let Some(name) = quoted("depends on `")
            && self.empty.contains_key(&name)
        {
            return self.add_features(&name, after("depends on `")?);
        }
        let unreached = UNREACHED.iter().any(|words| detail.contains(words));
        (unreached && !self.offline).then(|| self.offline = true)
    }

    /// Leaves out what comes from a repository.
    fn leave_out_git(&mut self, url: &str) -> Option<()> {
        let mut found = BTreeSet::new();
        for manifest in self.manifests.values() {
            each_table(&mut manifest.clone(), &mut |table| {
                for (key, spec) in table.iter() {
                    let spec = spec.as_table();
                    if let Some(spec) = spec.filter(|s| is_from(s, Some(url))) {
                        found.insert((
                            package_of(key, spec),
                            version_of(&Toml::Table(spec.clone())),
                        ));
                    }
                }
            });
        }
        let before = self.empty.len();
        for (name, version) in found {
            let locked = self.locked(&name, url);
            // A patch asks for no version, but what it patches does.
            let asked = || self.specs(&name).iter().find_map(version_of);
            let version = locked.or(version).or_else(asked).unwrap_or_default();
            self.add(&name, &version, Some(url.to_owned()));
        }
        (self.empty.len() > before).then_some(())
    }

    fn leave_out_one(&mut self, name: &str, version: &str) -> Option<()> {
        let version = whole(version);
        let known = self.empty.get(name).is_some_and(|e| e.version == version);
        (!known).then(|| self.add(name, &version, None))
    }

    fn add(&mut self, name: &str, version: &str, git: Option<String>) {
        let features = self.features(name);
        let version = whole(version);
        let empty = Empty {
            version,
            features,
            git,
        };
        self.empty.insert(name.to_owned(), empty);
    }

    /// Adds the features that a package was found not to have.
    fn add_features(&mut self, name: &str, rest: &str) -> Option<()> {
        let (_, rest) = rest.split_once("feature")?;
        let list = rest.split_once(" but ")?.0;
        let words = list.split(|c: char| c == '`' || c == ',' || c.is_whitespace());
        let words = words.filter(|w| !w.is_empty() && *w != "s:" && *w != "s");
        let features = &mut self.empty.get_mut(name)?.features;
        let before = features.len();
        features.extend(words.map(str::to_owned));
        (features.len() > before).then_some(())
    }

    /// Returns how manifests ask for a package.
    fn specs(&self, name: &str) -> Vec<Toml> {
        let mut found = Vec::new();
        for manifest in self.manifests.values() {
            each_table(&mut manifest.clone(), &mut |table| {
                let specs = table.iter().filter(|(key, spec)| match spec.as_table() {
                    Some(spec) => package_of(key, spec) == name,
                    None => *key == name,
                });
                found.extend(specs.map(|(_, spec)| spec.clone()));
            });
        }
        found
    }

    /// Returns the features of a package that manifests name.
    fn features(&self, name: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let texts = |list: &Toml| -> Vec<String> {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|f| f.as_str().map(str::to_owned)).collect()
        };
        for spec in self.specs(name) {
            found.extend(spec.get("features").iter().flat_map(|f| texts(f)));
        }
        for manifest in self.manifests.values() {
            let own = manifest.get("features").and_then(Toml::as_table);
            for feature in own.into_iter().flat_map(Table::values).flat_map(texts) {
                if let Some((of, feature)) = feature.split_once('/')
                    && of.trim_end_matches('?') == name
                {
                    found.insert(feature.to_owned());
                }
            }
        }
        found
    }

    /// Returns the version of a package in the lock file.
    fn locked(&self, name: &str, url: &str) -> Option<String> {
        let lock: Table = self.lock.as_ref()?.parse().ok()?;
        let packages = lock.get("package")?.as_array()?;
        let is_it = |p: &&Toml| {
            let text = |key: &str| p.get(key).and_then(Toml::as_str).unwrap_or_default();
            text("name") == name && text("source").contains(url)
        };
        let found = packages.iter().find(is_it)?;
        Some(found.get("version")?.as_str()?.to_owned())
    }

    /// Returns what cargo said, of the project and without the empty packages.
    fn said(&self, text: &str) -> Option<(Metadata, Vec<Missing>)> {
        let escaped = |path: &Path| -> Option<String> {
            let text = serde_json::to_string(&*path.to_string_lossy()).ok()?;
            Some(text.trim_matches('"').to_owned())
        };
        let text = text.replace(&escaped(&self.folder())?, &escaped(&self.root)?);
        let mut said: Value = serde_json::from_str(&text).ok()?;
        let empty = self.scratch.folder().path().join("empty");
        let is_empty = |path: &Value| {
            path.as_str()
                .is_some_and(|p| Path::new(p).starts_with(&empty))
        };
        let packages = said.get_mut("packages")?.as_array_mut()?;
        let mut gone = Vec::new();
        let mut missing = Vec::new();
        packages.retain(|package| {
            let is_gone = is_empty(&package["manifest_path"]);
            if is_gone
                && let Some((name, id)) = package["name"].as_str().zip(package["id"].as_str())
            {
                let git = self.empty.get(name).and_then(|e| e.git.clone());
                missing.push(Missing {
                    name: name.to_owned(),
                    source: git.unwrap_or_else(|| "crates.io".to_owned()),
                    users: BTreeSet::from([id.to_owned()]),
                });
                gone.push(package["id"].clone());
            }
            !is_gone
        });
        for package in packages {
            let dependencies = package["dependencies"].as_array_mut()?;
            dependencies.retain(|d| {
                !is_empty(&d["path"])
                    && d["name"]
                        .as_str()
                        .is_none_or(|n| !self.empty.contains_key(n))
            });
        }
        let nodes = said["resolve"]["nodes"].as_array_mut()?;
        missing
            .iter_mut()
            .for_each(|m| m.find_users(nodes, self.dev));
        nodes.retain(|node| !gone.contains(&node["id"]));
        for node in nodes {
            let dependencies = node["dependencies"].as_array_mut()?;
            dependencies.retain(|id| !gone.contains(id));
            node["deps"]
                .as_array_mut()?
                .retain(|dep| !gone.contains(&dep["pkg"]));
        }
        Some((serde_json::from_value(said).ok()?, missing))
    }
}

impl Missing {
    /// Adds the packages that need those that are known to need it.
    fn find_users(&mut self, nodes: &[Value], dev: bool) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let of_build = |dep: &Value| {
            let kinds = list(&dep["dep_kinds"]);
            dev || kinds.is_empty() || kinds.iter().any(|k| k["kind"] != "dev")
        };
        let needs = |node: &Value, users: &BTreeSet<String>| {
            let deps = list(&node["deps"]);
            let mut ids = deps
                .iter()
                .filter(|d| of_build(d))
                .filter_map(|d| d["pkg"].as_str());
            ids.any(|id| users.contains(id))
        };
        let mut before = 0;
        while before < self.users.len() {
            before = self.users.len();
            for node in nodes {
                if needs(node, &self.users) {
                    self.users.extend(node["id"].as_str().map(str::to_owned));
                }
            }
        }
    }
}

/// Calls `work` with each table of dependencies, and of patches.
fn each_table(manifest: &mut Table, work: &mut dyn FnMut(&mut Table)) {
    let mut of = |table: &mut Table| {
        for name in TABLES {
            if let Some(Toml::Table(table)) = table.get_mut(name) {
                work(table);
            }
        }
    };
    of(manifest);
    if let Some(Toml::Table(workspace)) = manifest.get_mut("workspace") {
        of(workspace);
    }
    if let Some(Toml::Table(targets)) = manifest.get_mut("target") {
        targets
            .iter_mut()
            .filter_map(|(_, t)| t.as_table_mut())
            .for_each(of);
    }
    if let Some(Toml::Table(patches)) = manifest.get_mut("patch") {
        patches
            .iter_mut()
            .filter_map(|(_, p)| p.as_table_mut())
            .for_each(work);
    }
}

/// Returns the name of the package that a dependency is.
fn package_of(key: &str, spec: &Table) -> String {
    let renamed = spec.get("package").and_then(Toml::as_str);
    renamed.unwrap_or(key).to_owned()
}

/// Returns true for a dependency from this repository.
fn is_from(spec: &Table, git: Option<&str>) -> bool {
    let plain = |url: &str| {
        url.trim_end_matches('/')
            .trim_end_matches(".git")
            .to_owned()
    };
    let own = spec.get("git").and_then(Toml::as_str);
    own.zip(git)
        .is_some_and(|(own, git)| plain(own) == plain(git))
}

/// Returns the version that a dependency asks for.
fn version_of(spec: &Toml) -> Option<String> {
    let text = spec.as_str().or_else(|| spec.get("version")?.as_str());
    text.map(str::to_owned)
}

/// Returns the least version that fits a requirement.
fn whole(requirement: &str) -> String {
    let first = requirement.split(',').next().unwrap_or_default();
    let digits = first.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let (plain, rest) = match digits.find(['-', '+']) {
        Some(at) => digits.split_at(at),
        None => (digits, ""),
    };
    let mut parts: Vec<u64> = plain
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect();
    parts.resize(3, 0);
    format!("{}.{}.{}{rest}", parts[0], parts[1], parts[2])
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn requirements_become_versions() {
        let cases = [
            ("^1.2", "1.2.0"),
            ("\"=1.0.3\"", "1.0.3"),
            (">=0.4, <0.6", "0.4.0"),
        ];
        for (requirement, version) in cases {
            assert_eq!(whole(requirement), version);
        }
        assert_eq!(
            (whole(""), whole("1.0.0-rc.1")),
            ("0.0.0".to_owned(), "1.0.0-rc.1".to_owned())
        );
    }
}
