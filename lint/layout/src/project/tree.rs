//! The features and dependencies of a build, parsed from the output of `cargo tree`.
//!
//! `cargo metadata` unifies the features that development and build dependencies require with
//! those of normal dependencies; `cargo tree` resolves as a build does.

use super::graph::{self, Built};
use cargo_metadata::{Metadata, Package};
use rustc_hash::FxHashMap;

/// The graph in the output of `cargo tree`.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Its nodes in the order of their first appearance.
    pub(super) nodes: Vec<Node>,
}

/// A package in the graph, as built for the target or for the host.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The package's name.
    pub(super) name: String,
    /// Its version.
    pub(super) version: String,
    /// Folder, git URL or registry; `None` for crates.io.
    pub(super) source: Option<String>,
    /// True if built for the host: a procedural macro or a dependency of one.
    pub(super) host: bool,
    /// Its features.
    pub(super) features: Vec<String>,
    /// Indices of its dependencies.
    pub(super) children: Vec<usize>,
}

/// The format for `cargo tree`, with `--prefix depth`.
pub(super) const FORMAT: &str = "|{p}|{f}";

impl Tree {
    /// Reads lines of the form `depth|name vversion (proc-macro) (source)|features (*)`.
    /// Lines of another form are headings and are skipped.
    pub(super) fn parse(text: &str) -> Tree {
        let mut tree = Tree::default();
        let mut known: FxHashMap<(&str, bool), usize> = FxHashMap::default();
        // The nodes from the root to the last line, each with whether it is a procedural macro.
        let mut path: Vec<(usize, bool)> = Vec::new();
        for line in text.lines() {
            let Some((depth, label, features)) = split(line) else {
                continue;
            };
            path.truncate(depth);
            let (name, version, is_macro, source) = describe(label);
            let parent = path.last().copied();
            let host =
                is_macro || parent.is_some_and(|(at, is_macro)| is_macro || tree.nodes[at].host);
            let index = *known.entry((label, host)).or_insert_with(|| {
                tree.nodes.push(Node {
                    name: name.to_owned(),
                    version: version.to_owned(),
                    source: source.map(str::to_owned),
                    host,
                    features: features
                        .split(',')
                        .filter(|feature| !feature.is_empty())
                        .map(str::to_owned)
                        .collect(),
                    children: Vec::new(),
                });
                tree.nodes.len() - 1
            });
            if let Some((parent, _)) = parent {
                let children = &mut tree.nodes[parent].children;
                if !children.contains(&index) {
                    children.push(index);
                }
            }
            path.push((index, is_macro));
        }
        tree
    }

    /// Maps the nodes to packages of `cargo metadata`.
    pub(super) fn built(self, metadata: &Metadata) -> Built {
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, package) in metadata.packages.iter().enumerate() {
            by_name.entry(&package.name).or_default().push(i);
        }
        let mut package_of = Vec::new();
        for node in &self.nodes {
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
            package_of.push(package);
        }
        let mut built = Built::default();
        for (node, package) in self.nodes.into_iter().zip(&package_of) {
            let children = node.children.iter();
            let children = children.filter_map(|&child| package_of[child]).collect();
            if let Some(package) = *package {
                let features = node.features;
                built.insert((package, node.host), graph::Node { features, children });
            }
        }
        built
    }
}

/// Returns depth, package and features of a line.
fn split(line: &str) -> Option<(usize, &str, &str)> {
    let (depth, rest) = line.split_once('|')?;
    let (label, features) = rest.rsplit_once('|')?;
    // The mark of a package whose dependencies are printed above.
    let features = features.strip_suffix(" (*)").unwrap_or(features);
    Some((depth.parse().ok()?, label, features))
}

/// Returns name, version, whether it is a procedural macro, and the source.
fn describe(label: &str) -> (&str, &str, bool, Option<&str>) {
    let (name, rest) = label.split_once(" v").unwrap_or((label, ""));
    let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (is_macro, rest) = match rest.strip_prefix("(proc-macro)") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };
    let source = rest
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    (name, version, is_macro, source)
}

/// Returns true if a node of the tree is this package, by its version and source.
fn is_described_by(package: &Package, node: &Node) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
0|w v0.1.0 (/a b/(c)|d/ä)|
1|serde v1.0.229+x|default,derive
2|serde_derive v1.0.229 (proc-macro)|default
3|syn v3.0.9|full
[dev-dependencies]
1|syn v3.0.9|
1|g v0.2.0 (proc-macro) (https://h/g?rev=1#abc)| (*)

0|serde v1.0.229+x|default,derive (*)
";

    #[test]
    fn lines_of_cargo_tree() {
        let tree = Tree::parse(TEXT);
        let names: Vec<_> = tree
            .nodes
            .iter()
            .map(|n| (n.name.as_str(), n.host))
            .collect();
        assert_eq!(
            names,
            [
                ("w", false),
                ("serde", false),
                ("serde_derive", true),
                ("syn", true),
                ("syn", false),
                ("g", true)
            ]
        );
        assert_eq!(tree.nodes[0].source.as_deref(), Some("/a b/(c)|d/ä"));
        assert_eq!(tree.nodes[0].children, [1, 4, 5]);
        assert_eq!(tree.nodes[1].features, ["default", "derive"]);
        assert_eq!(tree.nodes[1].version, "1.0.229+x");
        assert_eq!(tree.nodes[3].features, ["full"]);
        assert!(tree.nodes[4].features.is_empty());
        assert_eq!(
            tree.nodes[5].source.as_deref(),
            Some("https://h/g?rev=1#abc")
        );
    }
}
