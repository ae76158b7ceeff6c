//! The crate graph from the output of `cargo metadata` and `cargo tree`: the needed crates with
//! their features and dependencies.

use super::build::Runs;
use super::profile::Profile;
use super::script::Script;
use super::select::matches_spec;
use super::tree::{self, Tree};
use super::{BuildScript, Crate, CrateId, CrateKind};
use crate::name::Name;
use crate::target::Fact;
use cargo_metadata::{DependencyKind, Metadata, Node, NodeDep, Package, TargetKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// Packages whose `macro_rules!` define procedural macros of other packages (`decl_derive!`): the
/// names of those macros occur only in such calls.
const DECLARE_MACROS: &[&str] = &["synstructure"];

/// The crates of a project.
#[derive(Default)]
pub(super) struct Crates {
    /// The selected ones, those they lead to, then those that are read for edits alone.
    pub(super) list: Vec<Crate>,
    /// The number of crates before those that are read for edits alone.
    pub(super) built: usize,
    /// As [`Project::beside`](super::Project::beside).
    pub(super) beside: Vec<CrateId>,
    /// The selected crates that have unit tests, with the dependencies of those.
    pub(super) tested: Vec<(CrateId, Vec<(String, CrateId)>)>,
}

/// Everything that a crate is made from.
pub(super) struct Graph<'a> {
    metadata: &'a Metadata,
    /// Node of a package in `metadata.resolve`.
    nodes: Vec<Option<&'a Node>>,
    by_id: FxHashMap<&'a str, usize>,
    /// Node of a package in `tree`, as built for the target and for the host.
    in_tree: FxHashMap<(usize, bool), &'a tree::Node>,
    /// Package of each node of `tree`.
    package_of: Vec<Option<usize>>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(metadata: &'a Metadata, tree: Option<&'a Tree>) -> Graph<'a> {
        let by_id: FxHashMap<&str, usize> = metadata
            .packages
            .iter()
            .enumerate()
            .map(|(i, package)| (package.id.repr.as_str(), i))
            .collect();
        let mut nodes = vec![None; metadata.packages.len()];
        for node in metadata.resolve.iter().flat_map(|resolve| &resolve.nodes) {
            if let Some(&i) = by_id.get(node.id.repr.as_str()) {
                nodes[i] = Some(node);
            }
        }
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, package) in metadata.packages.iter().enumerate() {
            by_name.entry(&package.name).or_default().push(i);
        }
        let mut in_tree = FxHashMap::default();
        let mut package_of = Vec::new();
        for node in tree.iter().flat_map(|tree| &tree.nodes) {
            let named = by_name
                .get(node.name.as_str())
                .map_or(&[][..], Vec::as_slice);
            let mut fitting = named
                .iter()
                .copied()
                .filter(|&i| metadata.packages[i].version.to_string() == node.version);
            let package = match (fitting.next(), fitting.next()) {
                (Some(only), None) => Some(only),
                _ => named
                    .iter()
                    .copied()
                    .find(|&i| is_described_by(&metadata.packages[i], node)),
            };
            if let Some(package) = package {
                in_tree.insert((package, node.host), node);
            }
            package_of.push(package);
        }
        Graph {
            metadata,
            nodes,
            by_id,
            in_tree,
            package_of,
        }
    }

    /// The features of a package, sorted, in the graph of the target or else of the host.
    pub(super) fn features(&self, package: usize, host: bool) -> Vec<String> {
        let mut features = match self.tree_node(package, host) {
            Some(node) => node.features.clone(),
            None => self.nodes[package].map_or_else(Vec::new, |node| {
                node.features
                    .iter()
                    .map(|feature| feature.to_string())
                    .collect()
            }),
        };
        features.sort_unstable();
        features
    }

    fn tree_node(&self, package: usize, host: bool) -> Option<&'a tree::Node> {
        let node = self.in_tree.get(&(package, host));
        node.or_else(|| self.in_tree.get(&(package, !host)))
            .copied()
    }

    /// The packages that a build of `package` depends on, with the names it uses for them.
    fn dependencies(&self, package: usize, host: bool, dev: bool) -> Vec<(&'a str, usize)> {
        let built: Option<FxHashSet<usize>> = self.tree_node(package, host).map(|node| {
            let children = node.children.iter();
            children
                .filter_map(|&child| self.package_of[child])
                .collect()
        });
        let Some(node) = self.nodes[package] else {
            return Vec::new();
        };
        let mut dependencies: Vec<(&str, usize)> = node
            .deps
            .iter()
            .filter(|dep| {
                dep.dep_kinds.iter().any(|info| match info.kind {
                    DependencyKind::Normal => true,
                    DependencyKind::Development => dev,
                    _ => false,
                })
            })
            .filter_map(|dep| Some((dep.name.as_str(), *self.by_id.get(dep.pkg.repr.as_str())?)))
            .filter(|(name, i)| {
                !name.is_empty() && built.as_ref().is_none_or(|built| built.contains(i))
            })
            .collect();
        dependencies.sort_unstable();
        dependencies
    }

    fn library(&self, package: usize) -> Option<usize> {
        let targets = &self.metadata.packages[package].targets;
        targets.iter().position(|target| {
            matches!(
                kind(&target.kind),
                Some(CrateKind::Lib | CrateKind::ProcMacro)
            )
        })
    }

    /// The packages that the tests, examples and benchmarks of a package depend on besides. The
    /// tree lacks them where nothing selected needs them.
    fn dev_dependencies(&self, package: usize) -> Vec<(&'a str, usize)> {
        let deps = self.nodes[package].map_or(&[][..], |node| &node.deps);
        let is_dev = |dep: &&NodeDep| {
            let mut kinds = dep.dep_kinds.iter();
            kinds.any(|info| info.kind == DependencyKind::Development)
        };
        let named = deps.iter().filter(is_dev);
        let named = named.filter(|dep| !dep.name.is_empty());
        let mut dependencies: Vec<(&str, usize)> = named
            .filter_map(|dep| Some((dep.name.as_str(), *self.by_id.get(dep.pkg.repr.as_str())?)))
            .collect();
        dependencies.sort_unstable();
        dependencies
    }

    /// The crates that `selected` (pairs of package and target) lead to, the selected ones first;
    /// then `beside`, which are read for edits alone, and what they and unit tests need besides.
    pub(super) fn crates(
        &self,
        selected: &[(usize, usize)],
        beside: &[(usize, usize)],
        profile: &Profile,
    ) -> Crates {
        let mut ids: FxHashMap<Key, CrateId> = FxHashMap::default();
        let mut queue: Vec<Key> = Vec::new();
        let mut id_of = |key: Key, queue: &mut Vec<Key>| {
            *ids.entry(key).or_insert_with(|| {
                queue.push(key);
                CrateId(queue.len() as u32 - 1)
            })
        };
        let key_of = |package, target, host| {
            let host = host || self.is_macro(package, target);
            (package, target, host)
        };
        for &(package, target) in selected {
            id_of(key_of(package, target, false), &mut queue);
        }
        let mut found = Crates::default();
        loop {
            let Some(&(package, target, host)) = queue.get(found.list.len()) else {
                if found.built > 0 {
                    return found;
                }
                found.built = found.list.len();
                for &(package, target) in beside {
                    let id = id_of(key_of(package, target, false), &mut queue);
                    found.beside.push(id);
                }
                for (id, &(package, _)) in (0..).map(CrateId).zip(selected) {
                    let krate = &found.list[id.0 as usize];
                    if krate.member && !krate.kind.is_dev() {
                        let mut deps = krate.deps.clone();
                        for (name, to) in self.dev_dependencies(package) {
                            if let Some(library) = self.library(to) {
                                let to = id_of(key_of(to, library, false), &mut queue);
                                deps.push((name.to_owned(), to));
                            }
                        }
                        found.tested.push((id, deps));
                    }
                }
                if queue.len() == found.list.len() {
                    return found;
                }
                continue;
            };
            let is_selected = found.list.len() < selected.len();
            let mut krate = self.describe(package, target, host, is_selected, profile);
            krate.used_unread = self.is_used_beside(package, selected);
            // A procedural macro runs inside rustc: its dependencies occur in no type of its users.
            let whole = is_selected || krate.kind != CrateKind::ProcMacro;
            let mut uses = self.dependencies(package, host, krate.kind.is_dev());
            if found.built > 0 && krate.kind.is_dev() {
                uses.extend(self.dev_dependencies(package));
                uses.sort_unstable();
                uses.dedup();
            }
            for (name, to) in uses {
                let declares = DECLARE_MACROS.contains(&self.metadata.packages[to].name.as_str());
                if let Some(library) = self.library(to).filter(|_| whole || declares) {
                    let id = id_of(key_of(to, library, host), &mut queue);
                    krate.deps.push((name.to_owned(), id));
                }
            }
            if !matches!(krate.kind, CrateKind::Lib | CrateKind::ProcMacro)
                && let Some(library) = self.library(package)
            {
                let name = self.metadata.packages[package].targets[library]
                    .name
                    .replace('-', "_");
                let id = id_of(key_of(package, library, host), &mut queue);
                krate.deps.push((name, id));
            }
            found.list.push(krate);
        }
    }

    /// These targets, then the workspace libraries that they depend on.
    pub(super) fn with_members(&self, mut targets: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        let (asked, packages) = (targets.len(), &self.metadata.packages);
        let mut next = 0;
        while let Some(&(package, target)) = targets.get(next) {
            next += 1;
            let dev = kind(&packages[package].targets[target].kind).is_some_and(CrateKind::is_dev);
            let uses = self.dependencies(package, self.is_macro(package, target), dev);
            for used in uses.iter().map(|(_, used)| *used).chain([package]) {
                let member = self.metadata.workspace_members.contains(&packages[used].id);
                let library = self.library(used).filter(|_| member);
                let library = library.map(|library| (used, library));
                targets.extend(library.filter(|library| !targets.contains(library)));
            }
        }
        let key = |i: usize| (&packages[i].name, &packages[i].version, &packages[i].id);
        targets[asked..].sort_by(|a, b| key(a.0).cmp(&key(b.0)));
        targets
    }

    /// True if a workspace member without selected targets depends on a package.
    fn is_used_beside(&self, package: usize, selected: &[(usize, usize)]) -> bool {
        let used = &self.metadata.packages[package].id;
        let mut members = self.metadata.workspace_members.iter();
        members.any(|member| {
            self.by_id.get(member.repr.as_str()).is_some_and(|&other| {
                let deps = self.nodes[other].map_or(&[][..], |node| &node.deps);
                !selected.iter().any(|(read, _)| *read == other)
                    && deps.iter().any(|dep| dep.pkg == *used)
            })
        })
    }

    fn is_macro(&self, package: usize, target: usize) -> bool {
        let target = &self.metadata.packages[package].targets[target];
        target.kind.contains(&TargetKind::ProcMacro)
    }

    fn describe(
        &self,
        package: usize,
        target: usize,
        host: bool,
        selected: bool,
        profile: &Profile,
    ) -> Crate {
        let features = self.features(package, host);
        let package = &self.metadata.packages[package];
        let target = &package.targets[target];
        let member = self.metadata.workspace_members.contains(&package.id);
        let kind = kind(&target.kind).unwrap_or(CrateKind::Lib);
        let debug_assertions =
            profile.debug_assertions_of(member, |spec| matches_spec(spec, package));
        let feature = Name::new("feature");
        let mut facts: FxHashSet<Fact> = features
            .iter()
            .map(|name| (feature, Some(Name::new(name))))
            .collect();
        let flags = [
            (debug_assertions, "debug_assertions"),
            (profile.overflow_checks, "overflow_checks"),
            (kind.is_test(), "test"),
            (kind == CrateKind::ProcMacro, "proc_macro"),
        ];
        facts.extend(
            flags
                .iter()
                .filter(|(on, _)| *on)
                .map(|(_, flag)| (Name::new(flag), None)),
        );
        let script = package
            .targets
            .iter()
            .find(|target| target.kind.contains(&TargetKind::CustomBuild));
        Crate {
            name: target.name.replace('-', "_"),
            package: package.name.to_string(),
            version: package.version.to_string(),
            package_id: package.id.repr.clone(),
            target_name: target.name.clone(),
            kind,
            cargo_target: match selected {
                true => serde_json::to_value(target).unwrap_or_default(),
                false => serde_json::Value::Null,
            },
            root: target.src_path.clone().into(),
            manifest_path: package.manifest_path.clone().into(),
            edition: target.edition.as_str().parse().unwrap_or(2015),
            rust_version: package
                .rust_version
                .as_ref()
                .map(|version| version.to_string()),
            publishable: package
                .publish
                .as_ref()
                .is_none_or(|registries| !registries.is_empty()),
            used_unread: false,
            deps: Vec::new(),
            features,
            build: match script {
                None => BuildScript::None,
                Some(_) => BuildScript::Unseen,
            },
            env: Vec::new(),
            member,
            facts,
            script_path: script.map(|target| target.src_path.clone().into()),
            script_helpers: script.map_or_else(Vec::new, |_| {
                let helpers = package.dependencies.iter();
                helpers
                    .filter(|helper| helper.kind == DependencyKind::Build)
                    .map(|helper| helper.name.clone())
                    .collect()
            }),
            script: OnceLock::<Script>::new(),
            is_local: package.source.is_none(),
        }
    }
}

/// Package, target, and whether the crate is built for the host.
type Key = (usize, usize, bool);

/// Adds the output of earlier runs of build scripts. `places` as for [`Runs::find`].
pub(super) fn add_build_output(
    crates: &mut [Crate],
    places: &[(std::path::PathBuf, std::path::PathBuf)],
) {
    let scripted = crates.iter().filter(|krate| krate.script_path.is_some());
    let packages: FxHashSet<&str> = scripted.map(|krate| krate.package.as_str()).collect();
    if packages.is_empty() {
        return;
    }
    let runs = Runs::find(places, &packages);
    for krate in crates {
        let Some(script) = &krate.script_path else {
            continue;
        };
        let Some(output) = runs.fitting(&krate.package, &krate.features, script, krate.is_local)
        else {
            continue;
        };
        let facts = output.cfgs.iter();
        krate
            .facts
            .extend(facts.map(|(name, value)| (Name::new(name), value.as_deref().map(Name::new))));
        krate.env = output.env;
        krate.build = BuildScript::Seen {
            out_dir: output.out_dir,
        };
    }
}

fn kind(kinds: &[TargetKind]) -> Option<CrateKind> {
    Some(match kinds.first()? {
        TargetKind::ProcMacro => CrateKind::ProcMacro,
        TargetKind::Bin => CrateKind::Bin,
        TargetKind::Example => CrateKind::Example,
        TargetKind::Test => CrateKind::Test,
        TargetKind::Bench => CrateKind::Bench,
        TargetKind::CustomBuild => return None,
        _ => CrateKind::Lib,
    })
}

/// True if a node of the tree is this package, by version and source.
fn is_described_by(package: &Package, node: &tree::Node) -> bool {
    if package.version.to_string() != node.version {
        return false;
    }
    match (&node.source, &package.source) {
        (None, Some(source)) => source.is_crates_io(),
        (None, None) => false,
        (Some(folder), None) => package
            .manifest_path
            .parent()
            .is_some_and(|parent| parent.as_str() == folder),
        (Some(from), Some(source)) => {
            let (url, revision) = from.split_once('#').unwrap_or((from, ""));
            let registry = from.starts_with("registry ") && !source.is_crates_io();
            registry || (source.repr.contains(url) && source.repr.contains(revision))
        }
    }
}
