//! Computes the features and dependencies of a build from the output of `cargo metadata`, by the
//! rules of cargo's second feature resolver.
//!
//! `cargo tree` prints the same, but takes as long as `cargo metadata`, and waits for it. Where this
//! module is not certain, `cargo tree` is run: see [`may_be_computed`], [`Asked::is_plain`] and
//! [`Edge::all_of`]. The resolver follows `core/resolver/features.rs` of cargo.
//!
//! <https://doc.rust-lang.org/cargo/reference/features.html#feature-resolver-version-2>

use super::Selection;
use super::config::Config;
use super::graph::{Built, Key, Node};
use cargo_metadata::{Dependency, DependencyKind, Metadata, Package, TargetKind};
use cargo_platform::Cfg;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The inputs of the resolver.
pub(super) struct FeatureInputs<'a> {
    pub(super) metadata: &'a Metadata,
    pub(super) selection: &'a Selection,
    /// The selected packages.
    pub(super) packages: &'a [usize],
    /// The target, which is the host, and its `cfg` facts.
    pub(super) triple: &'a str,
    pub(super) cfgs: &'a [Cfg],
    /// The text of the workspace's manifest.
    pub(super) manifest: &'a str,
    /// True if the resolver of the release was compared with this one.
    pub(super) is_known: bool,
}

/// Returns false if `cargo tree` is needed whatever `cargo metadata` prints: development
/// dependencies take part, features are named by package, the configuration changes how cargo
/// resolves, or flags for rustc may give the target other `cfg` facts than the host.
pub(super) fn may_be_computed(selection: &Selection, config: &Config, triple: &str) -> bool {
    let unstable = config.has(&["unstable"]) || config.has(&["resolver", "feature-unification"]);
    let by_package = selection.features.iter().any(|f| f.contains(['/', ':']));
    let flags = config.flags_depend_on_cfg() || !config.rustflags(triple, &[]).is_empty();
    !selection.needs_dev() && !unstable && !by_package && !flags
}

/// Returns the packages of a build; `None` if `cargo tree` is needed.
pub(super) fn built(asked: &FeatureInputs) -> Option<Built> {
    let edges = asked.is_plain().then(|| Edge::all_of(asked))??;
    let mut resolver = Resolver {
        packages: &asked.metadata.packages,
        edges: &edges,
        features: FxHashMap::default(),
        dependencies: FxHashSet::default(),
        deferred: FxHashMap::default(),
        walked: FxHashSet::default(),
        queue: Vec::new(),
    };
    for &package in asked.packages {
        let values = asked.requested(package);
        resolver.activate((package, false), &values);
        if is_macro(&asked.metadata.packages[package]) {
            resolver.activate((package, true), &values);
        }
    }
    resolver.run();
    resolver.built(asked.packages)
}

impl<'a> FeatureInputs<'a> {
    /// Returns true if cargo certainly resolves by the rules of this module.
    fn is_plain(&self) -> bool {
        let packages = &self.metadata.packages;
        let members: FxHashSet<_> = self.metadata.workspace_members.iter().collect();
        let has = |package: &Package| {
            let mut features = named_features(self.selection);
            features.all(|feature| package.features.contains_key(feature))
        };
        let mut selected = self.packages.iter().map(|&i| &packages[i]);
        self.is_known
            && self.resolver_is_new()
            && selected.all(|package| members.contains(&package.id) && has(package))
    }

    /// Returns true for the second resolver, and for the third, which has the same rules for features.
    fn resolver_is_new(&self) -> bool {
        let Ok(manifest) = self.manifest.parse::<toml::Table>() else {
            return false;
        };
        let said = ["workspace", "package"].iter().find_map(|table| {
            let resolver = manifest.get(*table)?.get("resolver")?;
            Some(resolver.as_str().unwrap_or_default())
        });
        let root = self.metadata.workspace_root.join("Cargo.toml");
        match said {
            Some(resolver) => matches!(resolver, "2" | "3"),
            None => {
                let mut packages = self.metadata.packages.iter();
                let root = packages.find(|package| package.manifest_path == root);
                root.is_some_and(|root| matches!(root.edition.as_str(), "2021" | "2024"))
            }
        }
    }

    /// Returns the features that the command line enables in a selected package.
    fn requested(&self, package: usize) -> Vec<&'a str> {
        let features = &self.metadata.packages[package].features;
        if self.selection.all_features {
            return features.keys().map(String::as_str).collect();
        }
        let default = !self.selection.no_default_features && features.contains_key(DEFAULT);
        let named = named_features(self.selection);
        named.chain(default.then_some(DEFAULT)).collect()
    }
}

const DEFAULT: &str = "default";

fn named_features(selection: &Selection) -> impl Iterator<Item = &str> {
    let lists = selection.features.iter();
    let features = lists.flat_map(|list| list.split([',', ' ']));
    features.filter(|feature| !feature.is_empty())
}

fn is_macro(package: &Package) -> bool {
    let mut targets = package.targets.iter();
    targets.any(|target| target.kind.contains(&TargetKind::ProcMacro))
}

/// A dependency on the target's platform, and the package that it resolves to.
struct Edge<'a> {
    dependency: &'a Dependency,
    to: usize,
    /// True if the package is built for the host, whatever depends on it.
    host: bool,
}

impl<'a> Edge<'a> {
    /// Returns the edges of each package, without development dependencies. `None` if a dependency
    /// may resolve to several packages, or if an edge that cargo prints is in no manifest.
    fn all_of(asked: &FeatureInputs<'a>) -> Option<Vec<Vec<Edge<'a>>>> {
        let packages = &asked.metadata.packages;
        let numbered = packages.iter().enumerate();
        let by_id: FxHashMap<_, _> = numbered.map(|(i, package)| (&package.id, i)).collect();
        let mut edges: Vec<Vec<Edge>> = packages.iter().map(|_| Vec::new()).collect();
        for node in &asked.metadata.resolve.as_ref()?.nodes {
            let from = *by_id.get(&node.id)?;
            let mut taken = FxHashSet::default();
            for found in &node.deps {
                let to = *by_id.get(&found.pkg)?;
                let package = &packages[to];
                let library = package.targets.iter().find(|target| {
                    !target.kind.contains(&TargetKind::CustomBuild)
                        && !target.kind.contains(&TargetKind::Bin)
                        && !target.kind.contains(&TargetKind::Example)
                        && !target.kind.contains(&TargetKind::Test)
                        && !target.kind.contains(&TargetKind::Bench)
                });
                let library = library
                    .map_or("", |library| &library.name)
                    .replace('-', "_");
                // A package without a library has no kinds here, but its features are enabled.
                let mut kinds = found.dep_kinds.len();
                if kinds == 0 {
                    return None;
                }
                for (i, dependency) in packages[from].dependencies.iter().enumerate() {
                    let rename = dependency.rename.as_ref();
                    let name = rename.map_or_else(|| library.clone(), |n| n.replace('-', "_"));
                    let is_it = dependency.name == *package.name
                        && name == found.name
                        && dependency.req.matches(&package.version);
                    let of_kind = found.dep_kinds.iter().any(|info| {
                        info.kind == dependency.kind && info.target == dependency.target
                    });
                    if !is_it || !of_kind {
                        continue;
                    }
                    if !taken.insert(i) {
                        return None;
                    }
                    kinds = kinds.checked_sub(1)?;
                    let platform = dependency.target.as_ref();
                    let counts = platform.is_none_or(|p| p.matches(asked.triple, asked.cfgs));
                    if counts && dependency.kind != DependencyKind::Development {
                        edges[from].push(Edge {
                            dependency,
                            to,
                            host: dependency.kind == DependencyKind::Build || is_macro(package),
                        });
                    }
                }
                if kinds != 0 {
                    return None;
                }
            }
        }
        Some(edges)
    }

    fn name(&self) -> &'a str {
        let rename = self.dependency.rename.as_ref();
        rename.unwrap_or(&self.dependency.name)
    }

    /// Returns the key of the package as it is built for `from`.
    fn key(&self, from: Key) -> Key {
        (self.to, from.1 || self.host)
    }

    /// Returns the features that the manifest enables in the package.
    fn requested(&self, packages: &[Package]) -> Vec<&'a str> {
        let features = self.dependency.features.iter().map(String::as_str);
        let default = self.dependency.uses_default_features
            && packages[self.to].features.contains_key(DEFAULT);
        features.chain(default.then_some(DEFAULT)).collect()
    }
}

/// Enables features until a fixed point is reached, which does not depend on the order.
struct Resolver<'r, 'a> {
    packages: &'a [Package],
    edges: &'r [Vec<Edge<'a>>],
    features: FxHashMap<Key, BTreeSet<&'a str>>,
    /// The optional dependencies that are enabled.
    dependencies: FxHashSet<(Key, &'a str)>,
    /// The features that are enabled in a dependency once that is enabled (`name?/feature`).
    deferred: FxHashMap<(Key, &'a str), BTreeSet<&'a str>>,
    /// The packages whose required dependencies are activated.
    walked: FxHashSet<Key>,
    /// The feature values that are still to be enabled.
    queue: Vec<(Key, &'a str)>,
}

impl<'a> Resolver<'_, 'a> {
    fn activate(&mut self, key: Key, values: &[&'a str]) {
        self.features.entry(key).or_default();
        self.queue.extend(values.iter().map(|value| (key, *value)));
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            if !self.walked.insert(key) {
                continue;
            }
            for edge in &self.edges[key.0] {
                if !edge.dependency.optional {
                    let to = edge.key(key);
                    self.features.entry(to).or_default();
                    let values = edge.requested(self.packages).into_iter();
                    self.queue.extend(values.map(|value| (to, value)));
                    open.push(to);
                }
            }
        }
    }

    fn run(&mut self) {
        while let Some((key, value)) = self.queue.pop() {
            if let Some((name, feature)) = value.split_once('/') {
                self.feature_of(key, name, feature);
            } else if let Some(name) = value.strip_prefix("dep:") {
                self.dependency(key, name);
            } else {
                self.feature(key, value);
            }
        }
    }

    fn feature(&mut self, key: Key, feature: &'a str) {
        if self.features.entry(key).or_default().insert(feature) {
            let implied = self.packages[key.0].features.get(feature);
            let implied = implied.into_iter().flatten();
            self.queue
                .extend(implied.map(|value| (key, value.as_str())));
        }
    }

    fn dependency(&mut self, key: Key, name: &'a str) {
        if !self.dependencies.insert((key, name)) {
            return;
        }
        let deferred = self.deferred.remove(&(key, name)).unwrap_or_default();
        let edges = self.edges;
        for edge in edges[key.0].iter().filter(|edge| edge.name() == name) {
            let mut values = edge.requested(self.packages);
            values.extend(&deferred);
            self.activate(edge.key(key), &values);
        }
    }

    /// Enables `name/feature` or `name?/feature`.
    fn feature_of(&mut self, key: Key, name: &'a str, feature: &'a str) {
        let (name, weak) = match name.strip_suffix('?') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let edges = self.edges;
        for edge in edges[key.0].iter().filter(|edge| edge.name() == name) {
            if edge.dependency.optional {
                if weak && !self.dependencies.contains(&(key, name)) {
                    let deferred = self.deferred.entry((key, name)).or_default();
                    deferred.insert(feature);
                    continue;
                }
                self.dependency(key, name);
                if !weak && self.packages[key.0].features.contains_key(name) {
                    self.queue.push((key, name));
                }
            }
            self.queue.push((edge.key(key), feature));
        }
    }

    /// Returns the selected packages, and all that they depend on by normal dependencies.
    fn built(&self, selected: &[usize]) -> Option<Built> {
        let root = |&package: &usize| (package, is_macro(&self.packages[package]));
        let mut open: Vec<Key> = selected.iter().map(root).collect();
        let mut built = Built::default();
        while let Some(key) = open.pop() {
            if built.contains_key(&key) {
                continue;
            }
            let mut children = FxHashSet::default();
            for edge in &self.edges[key.0] {
                let optional = edge.dependency.optional;
                let on = !optional || self.dependencies.contains(&(key, edge.name()));
                if on && edge.dependency.kind == DependencyKind::Normal {
                    children.insert(edge.to);
                    open.push(edge.key(key));
                }
            }
            let features = self.features.get(&key)?.iter();
            let features = features.map(|feature| (*feature).to_owned()).collect();
            built.insert(key, Node { features, children });
        }
        Some(built)
    }
}

#[cfg(test)]
mod tests;
