//! Compares computed features with those that `cargo tree` prints.

use super::*;
use crate::project::load::cargo;
use crate::project::tree::{FORMAT, Tree};
use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    (
        "",
        "workspace = { members = ['app', 'mac', 'util', 'opt', 'opt2', 'opt3'], resolver = '2' }",
    ),
    (
        "app",
        r#"
        [features]
        default = ["net", "named"]
        net = ["dep:opt", "opt?/fast", "weak?/slow", "util/normal", "later?/slow"]
        all = ["weak", "later/fast"]
        hidden = ["opt/fast"]
        named = []
        [dependencies]
        util = { path = "../util", default-features = false }
        opt = { path = "../opt", optional = true }
        weak = { package = "opt2", path = "../opt2", optional = true }
        later = { package = "opt3", path = "../opt3", optional = true }
        mac = { path = "../mac" }
        [build-dependencies]
        util = { path = "../util", features = ["build"], default-features = false }
        [dev-dependencies]
        util = { path = "../util", features = ["dev"] }
        [target.'cfg(unix)'.dependencies]
        util = { path = "../util", features = ["unix"], default-features = false }
        [target.'cfg(not(unix))'.dependencies]
        util = { path = "../util", features = ["other"], default-features = false }
        "#,
    ),
    (
        "mac",
        r#"
        lib.proc-macro = true
        dependencies.util = { path = "../util", features = ["macro"] }
        dependencies.opt = { path = "../opt", optional = true }
        features.default = ["opt"]
        "#,
    ),
    (
        "util",
        "features = { default = ['d'], d = [], normal = [], build = [], dev = [], unix = [], \
         other = [], macro = [] }",
    ),
    ("opt", OPTIONAL),
    ("opt2", OPTIONAL),
    ("opt3", OPTIONAL),
];

const OPTIONAL: &str = "features = { fast = [], slow = [], default = [] }";

fn write(root: &Path, name: &str, text: &str) {
    let folder = root.join(name);
    fs::create_dir_all(folder.join("src")).unwrap();
    let text = match name {
        "" => text.to_owned(),
        _ => {
            fs::write(folder.join("src/lib.rs"), "").unwrap();
            fs::write(folder.join("build.rs"), "fn main() {}").unwrap();
            format!("package.name = '{name}'\npackage.version = '0.1.0'\n{text}")
        }
    };
    fs::write(folder.join("Cargo.toml"), text).unwrap();
}

fn said(root: &Path, subcommand: &str, arguments: &[&str]) -> String {
    let mut command = cargo(subcommand);
    command.args(["--offline", "--quiet"]).args(arguments);
    let output = command.current_dir(root).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{subcommand} {arguments:?}: {error}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the packages of a build, by `cargo tree` and by the resolver.
fn both(root: &Path, selection: &Selection) -> (Built, Option<Built>) {
    let rustc = |arguments: &[&str]| {
        let output = Command::new("rustc").args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (version, facts) = (rustc(&["-vV"]), rustc(&["--print", "cfg"]));
    let mut lines = version.lines();
    let triple = lines.find_map(|line| line.strip_prefix("host: ")).unwrap();
    let cfgs: Vec<Cfg> = facts.lines().filter_map(|line| line.parse().ok()).collect();
    let arguments = |pass: &dyn Fn(&mut Command)| {
        let mut command = Command::new("cargo");
        pass(&mut command);
        let arguments = command.get_args().map(|a| a.to_str().unwrap().to_owned());
        arguments.collect::<Vec<String>>()
    };
    let shared = arguments(&|command| selection.resolve_args(command));
    let named = arguments(&|command| selection.package_args(command));
    let said = |subcommand: &str, more: &[&str], given: &[&Vec<String>]| {
        let given = given
            .iter()
            .flat_map(|list| list.iter())
            .map(String::as_str);
        let all: Vec<&str> = more.iter().copied().chain(given).collect();
        said(root, subcommand, &all)
    };
    let platform = ["--format-version", "1", "--filter-platform", triple];
    let metadata = said("metadata", &platform, &[&shared]);
    let metadata: Metadata = serde_json::from_str(&metadata).unwrap();
    let packages = crate::project::select::packages(&metadata, selection, &mut Vec::new());
    let format = [
        "--prefix", "depth", "--format", FORMAT, "--edges", "normal", "--target", triple,
    ];
    let tree = said("tree", &format, &[&shared, &named]);
    let mut tree = Tree::parse(&tree).built(&metadata);
    for node in tree.values_mut() {
        node.features.sort();
    }
    let own = built(&FeatureInputs {
        metadata: &metadata,
        selection,
        packages: &packages.unwrap(),
        triple,
        cfgs: &cfgs,
        manifest: &fs::read_to_string(root.join("Cargo.toml")).unwrap(),
        is_known: true,
    });
    (tree, own)
}

#[test]
fn features_are_those_of_cargo_tree() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, text) in FILES {
        write(root, name, text);
    }
    let of = |packages: &[&str]| Selection {
        workspace: packages.is_empty(),
        packages: packages.iter().map(|&name| name.to_owned()).collect(),
        ..Selection::default()
    };
    for packages in [&[][..], &["app"], &["mac"], &["app", "util"]] {
        for (all_features, no_default_features, features) in [
            (false, false, ""),
            (true, false, ""),
            (false, true, ""),
            (false, true, "named,all"),
            (false, false, "all net"),
        ] {
            // A feature that a selected package lacks needs `cargo tree`.
            if !features.is_empty() && packages != ["app"] {
                continue;
            }
            let selection = Selection {
                all_features,
                no_default_features,
                features: vec![features.to_owned()],
                ..of(packages)
            };
            let (tree, own) = both(root, &selection);
            assert!(tree.len() >= 2, "{selection:?}");
            assert_eq!(Some(tree), own, "{selection:?}");
        }
    }
    // The first resolver has other rules.
    write(
        root,
        "",
        "workspace = { members = ['app', 'mac', 'util', 'opt', 'opt2', 'opt3'] }",
    );
    assert_eq!(both(root, &of(&[])).1, None);
}

#[test]
fn cargo_tree_is_run_if_the_resolver_is_not_certain() {
    let config = |text: &str| Config::of(text.parse().unwrap());
    let plain = config("net.offline = true");
    let selection = Selection::default();
    let of = |feature: &str| Selection {
        features: vec![feature.to_owned()],
        ..Selection::default()
    };
    let tests = Selection {
        tests: true,
        ..Selection::default()
    };
    let may_be = |selection: &_, config: &_| may_be_computed(selection, config, "t");
    assert!(may_be(&selection, &plain));
    assert!(may_be(&of("a,b c"), &plain));
    assert!(!may_be(&of("a/b"), &plain));
    assert!(!may_be(&tests, &plain));
    for text in [
        "unstable.bindeps = true",
        "resolver.feature-unification = 'workspace'",
        "build.rustflags = ['--cfg', 'a']",
        "target.t.rustflags = '--cfg a'",
        "target.'cfg(unix)'.rustflags = '--cfg a'",
    ] {
        assert!(!may_be(&selection, &config(text)), "{text}");
    }
}

/// In a folder with more packages, this many are compared.
const MOST: usize = 400;

/// Compares the packages in a folder whose dependencies are downloaded, on copies: cargo writes a
/// lock file, and each must be its own workspace.
#[test]
#[ignore = "asked for by `.ci/slow features FOLDER`"]
fn features_of_a_folder_are_those_of_cargo_tree() {
    let folder = std::env::var_os("WEIGH_FEATURES").expect("a folder in WEIGH_FEATURES");
    let mut packages: Vec<_> = fs::read_dir(folder).unwrap().collect();
    packages.sort_by_key(|entry| entry.as_ref().unwrap().path());
    let step = packages.len().div_ceil(MOST).max(1);
    let (mut same, mut left, mut unresolved) = (0, 0, 0);
    for entry in packages.into_iter().step_by(step) {
        let package = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(package.join("Cargo.toml")) else {
            continue;
        };
        let copy = tempfile::tempdir().unwrap();
        let root = copy.path();
        copy_files(&package, root);
        if !manifest.contains("[workspace") {
            fs::write(root.join("Cargo.toml"), manifest + "\n[workspace]\n").unwrap();
        }
        for (all_features, no_default_features) in [(false, false), (true, false), (false, true)] {
            let selection = Selection {
                workspace: true,
                all_features,
                no_default_features,
                ..Selection::default()
            };
            let mut metadata = cargo("metadata");
            metadata.args(["--offline", "--quiet", "--format-version", "1"]);
            selection.resolve_args(&mut metadata);
            if !metadata
                .current_dir(root)
                .output()
                .unwrap()
                .status
                .success()
            {
                unresolved += 1;
                continue;
            }
            match both(root, &selection) {
                (_, None) => left += 1,
                (tree, Some(own)) => {
                    assert!(tree == own, "{} {selection:?}", package.display());
                    same += 1;
                }
            }
        }
    }
    println!("{same} equal, {left} left to `cargo tree`, {unresolved} not resolved");
    assert!(same > 0);
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_files(&path, &target);
        } else {
            fs::write(&target, fs::read(&path).unwrap()).unwrap();
        }
    }
}
