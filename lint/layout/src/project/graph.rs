//! The crate graph from the output of `cargo metadata` and the features of the build: the needed
//! crates with their features and dependencies.

use super::build::{Now, Output, Runs};
use super::config::Overridden;
use super::profile::Profile;
use super::script::Script;
use super::select::matches_spec;
use super::{BuildScript, Crate, CrateId, CrateKind, ScriptSaid};
use crate::name::Name;
use crate::target::Fact;
use cargo_metadata::{DependencyKind, Metadata, NodeDep, TargetKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Packages whose `macro_rules!` define procedural macros of other packages (`decl_derive!`): the
/// names of those macros occur only in such calls.
const DECLARE_MACROS: &[&str] = &["synstructure"];

/// The crates of a project.
pub(super) struct Crates {
    /// The selected crates, their dependencies, then those that are read for edits only.
    pub(super) list: Vec<Crate>,
    /// The number of crates before those that are read for edits only.
    pub(super) built: usize,
    /// As [`Project::beside`](super::Project::beside).
    pub(super) beside: Vec<CrateId>,
    /// The selected crates that have unit tests, with the dependencies of those.
    pub(super) tested: Vec<(CrateId, Vec<(String, CrateId)>)>,
}

/// The inputs of the crate graph.
pub(super) struct Graph<'a> {
    metadata: &'a Metadata,
    /// The node of each package in `metadata.resolve`.
    nodes: Vec<Option<&'a cargo_metadata::Node>>,
    by_id: FxHashMap<&'a str, usize>,
    /// The packages of the workspace.
    members: FxHashSet<usize>,
    /// The packages of the build, if they are known.
    built: Option<&'a Built>,
}

/// A package, and whether it is built for the host: a procedural macro or a dependency of one.
pub(super) type Key = (usize, bool);

/// The packages of a build.
pub(super) type Built = FxHashMap<Key, Node>;

/// The features and dependencies that a package has in a build.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Its features.
    pub(super) features: Vec<String>,
    /// The packages that it depends on.
    pub(super) children: FxHashSet<usize>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(metadata: &'a Metadata, built: Option<&'a Built>) -> Graph<'a> {
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
        let members = metadata.workspace_members.iter();
        let members = members.filter_map(|id| by_id.get(id.repr.as_str()).copied());
        Graph {
            metadata,
            nodes,
            members: members.collect(),
            by_id,
            built,
        }
    }

    /// Returns the features of a package, sorted, in the graph of the target or else of the host.
    pub(super) fn features(&self, package: usize, host: bool) -> Vec<String> {
        let mut features = match self.built_node(package, host) {
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

    fn built_node(&self, package: usize, host: bool) -> Option<&'a Node> {
        let built = self.built?;
        let node = built.get(&(package, host));
        node.or_else(|| built.get(&(package, !host)))
    }

    /// Returns the packages that a build of `package` depends on, with the names it uses for them.
    fn dependencies(&self, package: usize, host: bool, dev: bool) -> Vec<(&'a str, usize)> {
        let built = self.built_node(package, host).map(|node| &node.children);
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
            .filter(|(name, i)| !name.is_empty() && built.is_none_or(|built| built.contains(i)))
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

    /// Returns the additional packages that the tests, examples and benchmarks of a package depend
    /// on. The tree lacks them where nothing selected needs them.
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

    /// Returns the crates that `selected` (pairs of package and target) lead to, the selected ones
    /// first; then `beside`, which are read for edits only, and the additional dependencies of
    /// these and of unit tests.
    pub(super) fn crates(
        &self,
        selected: &[(usize, usize)],
        beside: &[(usize, usize)],
        profile: &Profile,
        as_tests: bool,
    ) -> Crates {
        let mut found = FoundCrates {
            graph: self,
            selected,
            used_beside: self.used_beside(selected),
            profile,
            ids: FxHashMap::default(),
            keys: Vec::new(),
            list: Vec::new(),
        };
        for &(package, target) in selected {
            let host = self.is_macro(package, target);
            let kind = kind(&self.metadata.packages[package].targets[target].kind);
            let tested = as_tests && kind.is_some_and(|kind| !kind.is_dev());
            found.id_of_key((package, target, host, tested));
        }
        found.describe_built();
        let built = found.list.len();
        let mut crates = Crates {
            built,
            beside: Vec::new(),
            tested: Vec::new(),
            list: Vec::new(),
        };
        for &(package, target) in beside {
            crates.beside.push(found.id_of(package, target, false));
        }
        for (id, &(package, _)) in (0..).map(CrateId).zip(selected) {
            let krate = &found.list[id.0 as usize];
            if krate.member && !krate.kind.is_dev() && !found.keys[id.0 as usize].3 {
                let mut deps = krate.deps.clone();
                for (name, to) in self.dev_dependencies(package) {
                    if let Some(library) = self.library(to) {
                        deps.push((name.to_owned(), found.id_of(to, library, false)));
                    }
                }
                crates.tested.push((id, deps));
            }
        }
        found.describe_for_edits();
        crates.list = found.list;
        crates
    }

    /// Returns these targets, then the workspace libraries that they depend on.
    pub(super) fn with_members(&self, mut targets: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        let (asked, packages) = (targets.len(), &self.metadata.packages);
        let mut known: FxHashSet<(usize, usize)> = targets.iter().copied().collect();
        let mut next = 0;
        while let Some(&(package, target)) = targets.get(next) {
            next += 1;
            let dev = kind(&packages[package].targets[target].kind).is_some_and(CrateKind::is_dev);
            let uses = self.dependencies(package, self.is_macro(package, target), dev);
            for used in uses.iter().map(|(_, used)| *used).chain([package]) {
                let member = self.members.contains(&used);
                let library = self.library(used).filter(|_| member);
                let library = library.map(|library| (used, library));
                targets.extend(library.filter(|library| known.insert(*library)));
            }
        }
        let key = |i: usize| (&packages[i].name, &packages[i].version, &packages[i].id);
        targets[asked..].sort_by(|a, b| key(a.0).cmp(&key(b.0)));
        targets
    }

    /// Returns the packages that workspace members without selected targets depend on.
    fn used_beside(&self, selected: &[(usize, usize)]) -> FxHashSet<usize> {
        let read: FxHashSet<usize> = selected.iter().map(|&(package, _)| package).collect();
        let others = self.members.difference(&read);
        let nodes = others.filter_map(|&other| self.nodes[other]);
        let used = nodes.flat_map(|node| &node.deps);
        used.filter_map(|dep| self.by_id.get(dep.pkg.repr.as_str()).copied())
            .collect()
    }

    /// Returns the names of the user's own packages that the build script of one is built with.
    fn script_parts(&self, package: usize) -> Vec<String> {
        let packages = &self.metadata.packages;
        let (mut parts, mut open) = (Vec::new(), vec![package]);
        while let Some(from) = open.pop() {
            let wanted = match from == package {
                true => DependencyKind::Build,
                false => DependencyKind::Normal,
            };
            let deps = self.nodes[from].map_or(&[][..], |node| &node.deps);
            let used = deps
                .iter()
                .filter(|dep| dep.dep_kinds.iter().any(|k| k.kind == wanted));
            for &part in used.filter_map(|dep| self.by_id.get(dep.pkg.repr.as_str())) {
                let name = packages[part].name.to_string();
                if packages[part].source.is_none() && !parts.contains(&name) {
                    parts.push(name);
                    open.push(part);
                }
            }
        }
        parts
    }

    fn is_macro(&self, package: usize, target: usize) -> bool {
        let target = &self.metadata.packages[package].targets[target];
        target.kind.contains(&TargetKind::ProcMacro)
    }

    fn describe(
        &self,
        (package, target, host, tested): CrateKey,
        selected: bool,
        profile: &Profile,
    ) -> Crate {
        let features = self.features(package, host);
        let member = self.members.contains(&package);
        let script_parts = self.script_parts(package);
        let package = &self.metadata.packages[package];
        let target = &package.targets[target];
        let kind = kind(&target.kind).unwrap_or(CrateKind::Lib);
        let mut settings = profile.settings_of(member, host, |spec| matches_spec(spec, package));
        let tested = tested || kind.is_test();
        if tested {
            // The harness catches panics.
            settings.panic = None;
        }
        let feature = Name::new("feature");
        let mut facts: FxHashSet<Fact> = features
            .iter()
            .map(|name| (feature, Some(Name::new(name))))
            .collect();
        let flags = [
            (tested, "test"),
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
                Some(_) => BuildScript::Unseen {
                    ran: None,
                    said: None,
                },
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
            script_parts,
            links: package.links.clone(),
            script: OnceLock::<Script>::new(),
            is_local: package.source.is_none(),
            for_host: host,
            settings,
        }
    }
}

/// Package, target, whether the crate is built for the host, and whether as its unit tests.
type CrateKey = (usize, usize, bool, bool);

/// The crates found so far.
struct FoundCrates<'g, 'a> {
    graph: &'g Graph<'a>,
    /// The selected packages and targets; they have the first ids.
    selected: &'g [(usize, usize)],
    /// The packages that members beside the selected ones depend on.
    used_beside: FxHashSet<usize>,
    profile: &'g Profile,
    ids: FxHashMap<CrateKey, CrateId>,
    /// The keys, by id.
    keys: Vec<CrateKey>,
    /// The crates described so far; crates with higher ids are still to be described.
    list: Vec<Crate>,
}

impl FoundCrates<'_, '_> {
    /// Returns the id of a crate, a new one if the crate was not found before. `host`: what depends
    /// on it is built for the host.
    fn id_of(&mut self, package: usize, target: usize, host: bool) -> CrateId {
        let host = host || self.graph.is_macro(package, target);
        self.id_of_key((package, target, host, false))
    }

    fn id_of_key(&mut self, key: CrateKey) -> CrateId {
        *self.ids.entry(key).or_insert_with(|| {
            self.keys.push(key);
            CrateId(self.keys.len() as u32 - 1)
        })
    }

    /// Describes crates of the build, until all that they depend on are described.
    fn describe_built(&mut self) {
        while let Some(&key) = self.keys.get(self.list.len()) {
            let is_selected = self.list.len() < self.selected.len();
            let krate = self.graph.describe(key, is_selected, self.profile);
            let dev = krate.kind.is_dev() || key.3;
            let uses = self.graph.dependencies(key.0, key.2, dev);
            self.add(key, krate, is_selected, uses);
        }
    }

    /// Describes crates that are read for edits only, until all that they depend on are described.
    /// Dependencies of tests, examples and benchmarks may not be in the graph of the build.
    fn describe_for_edits(&mut self) {
        while let Some(&key) = self.keys.get(self.list.len()) {
            let krate = self.graph.describe(key, false, self.profile);
            let dev = krate.kind.is_dev();
            let mut uses = self.graph.dependencies(key.0, key.2, dev);
            if dev {
                uses.extend(self.graph.dev_dependencies(key.0));
                uses.sort_unstable();
                uses.dedup();
            }
            self.add(key, krate, false, uses);
        }
    }

    /// Adds a crate that uses packages by these names.
    fn add(&mut self, key: CrateKey, mut krate: Crate, selected: bool, uses: Vec<(&str, usize)>) {
        let (graph, (package, _, host, _)) = (self.graph, key);
        krate.used_unread = self.used_beside.contains(&package);
        // A procedural macro runs inside rustc: its dependencies occur in no type of its users.
        let whole = selected || krate.kind != CrateKind::ProcMacro;
        for (name, to) in uses {
            let declares = DECLARE_MACROS.contains(&graph.metadata.packages[to].name.as_str());
            if let Some(library) = graph.library(to).filter(|_| whole || declares) {
                krate
                    .deps
                    .push((name.to_owned(), self.id_of(to, library, host)));
            }
        }
        if !matches!(krate.kind, CrateKind::Lib | CrateKind::ProcMacro)
            && let Some(library) = graph.library(package)
        {
            let name = &graph.metadata.packages[package].targets[library].name;
            let id = self.id_of(package, library, host);
            krate.deps.push((name.replace('-', "_"), id));
        }
        self.list.push(krate);
    }
}

/// Adds the output of build scripts: of earlier runs, with `places` as for [`Runs::find`], or as
/// cargo's configuration states it.
pub(super) fn add_build_output(
    crates: &mut [Crate],
    places: &[(PathBuf, PathBuf)],
    now: Now,
    stated: impl Fn(&Crate) -> Option<Overridden>,
) {
    let has_script = |krate: &&Crate| krate.script_path.is_some();
    let scripted: Vec<&Crate> = crates.iter().filter(has_script).collect();
    if scripted.is_empty() {
        return;
    }
    let found = Runs::find(places, &scripted, now).fitting(&scripted);
    let outputs = scripted.iter().zip(found);
    let outputs =
        outputs.map(|(krate, found)| stated(krate).map(Output::stated).ok_or(()).or(found));
    let outputs: Vec<_> = outputs.collect();
    let scripted = crates.iter_mut().filter(|k| k.script_path.is_some());
    for (krate, output) in scripted.zip(outputs) {
        match output {
            Ok(output) => {
                krate.facts.extend(facts(&output));
                krate.env = output.env;
                krate.build = BuildScript::Seen {
                    out_dir: output.out_dir,
                };
            }
            Err(unfit) => {
                krate.build = BuildScript::Unseen {
                    ran: unfit.when,
                    said: unfit.output.map(|output| {
                        Box::new(ScriptSaid {
                            facts: facts(&output).collect(),
                            env: output.env,
                            out_dir: output.out_dir,
                        })
                    }),
                }
            }
        }
    }
}

fn facts(output: &Output) -> impl Iterator<Item = (Name, Option<Name>)> {
    let cfgs = output.cfgs.iter();
    cfgs.map(|(name, value)| (Name::new(name), value.as_deref().map(Name::new)))
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
