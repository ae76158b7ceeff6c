//! Remedies do what they say: each is applied to the source, and rustc measures the result.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use weigh_tests::markers::sources;
use weigh_tests::project::Scratch;
use weigh_tests::remedies::{Change, How, changes, edits};
use weigh_tests::strip::{Edit, edited, types_only};
use weigh_tests::{fixture, pedantic, run, run_in};

const FIXTURES: &[&str] = &[
    "large_err",
    "hprof",
    "large_move",
    "missed_niche",
    "oversized_variant",
    "showcase",
    "wide_field",
];

const LINTS: &[&str] = &[
    "large_err",
    "large_move",
    "missed_niche",
    "oversized_variant",
    "wide_field",
];

#[test]
fn every_remedy_gives_the_sizes_that_it_promises() {
    let mut checked = BTreeMap::new();
    for name in FIXTURES {
        let (remedies, sizes) = check(name);
        checked.insert(name, (remedies, sizes));
    }
    println!("remedies, and sizes asked of rustc: {checked:?}");
    let remedies: usize = checked.values().map(|c| c.0).sum();
    assert!(remedies > 80, "only {checked:?}");
}

/// A fixture after a remedy, and the sizes to check.
struct Version {
    title: String,
    /// The files that change.
    edits: BTreeMap<String, Vec<Edit>>,
    asks: Vec<Ask>,
}

/// A promised size.
struct Ask {
    /// The type, with paths of this package; `@` is the parent of all packages.
    ty: String,
    package: String,
    size: u64,
}

/// A package of a fixture: its crate name, its directory in the fixture, its root module there.
struct Package {
    name: String,
    folder: String,
    root: String,
}

/// Returns the number of remedies and of sizes compared.
fn check(name: &str) -> (usize, usize) {
    let folder = fixture(name);
    let packages = packages(&folder);
    let said = pedantic(&folder);
    let known = known(&folder);
    // The first is the original fixture.
    let mut versions = vec![Version {
        title: "as it is".to_owned(),
        edits: BTreeMap::new(),
        asks: Vec::new(),
    }];
    let findings = said.findings();
    for finding in &findings {
        let weigh = &finding["weigh"];
        // Remedies of other lints change more than these definitions.
        if !LINTS.contains(&word(weigh, "lint")) {
            continue;
        }
        let package = word(weigh, "package").replace('-', "_");
        let (text, ty) = (word(&finding["message"], "message"), word(weigh, "type"));
        let place = |path: &str| {
            let own = known.iter().find(|(p, t)| *p == package && t == path);
            let found = own.or_else(|| known.iter().find(|(_, t)| t == path));
            found.map(|(package, path)| format!("@::{package}::{path}"))
        };
        let last = ty.rsplit("::").next().unwrap_or(ty);
        let shown = text.split('`').find(|w| w.starts_with(&format!("{last}<")));
        let own = place(ty).unwrap_or_else(|| panic!("no type {ty}"));
        let own = own + shown.map_or("", |instance| &instance[last.len()..]);
        let ask = |ty: &str, size| Ask {
            ty: ty.to_owned(),
            package: package.clone(),
            size,
        };
        versions[0]
            .asks
            .push(ask(&own, number(weigh, "size_before")));
        for remedy in weigh["remedies"].as_array().into_iter().flatten() {
            let title = word(remedy, "title");
            // A box around the whole changes no definition.
            let around = ["return `Box<", "pass it as `Box<"];
            let around = around.iter().any(|start| title.starts_with(start));
            let after = number(remedy, "size_after");
            let mut asks = vec![match around {
                true => ask(&format!("Box<{own}>"), after),
                false => ask(&own, after),
            }];
            for ripple in remedy["ripple"].as_array().into_iter().flatten() {
                let path = ripple[0].as_str().expect("a ripple has a path");
                let holder = place(path).unwrap_or_else(|| path.to_owned());
                let then = match around {
                    true => boxed_error(&holder),
                    false => holder.clone(),
                };
                let size = |n: usize| ripple[n].as_u64().expect("a size");
                versions[0].asks.push(ask(&holder, size(1)));
                asks.push(ask(&then, size(2)));
            }
            let changed = match around {
                true => BTreeMap::new(),
                false => done(&folder, &findings, finding, remedy),
            };
            versions.push(Version {
                title: format!("{name}: {package}::{ty}: {title}"),
                edits: changed,
                asks,
            });
        }
    }
    let asked = ask(name, &folder, &packages, &versions);
    (versions.len() - 1, asked)
}

/// Compiles all versions as one program, and compares its output.
fn ask(name: &str, folder: &Path, packages: &[Package], versions: &[Version]) -> usize {
    let names: Vec<String> = packages.iter().map(|p| p.name.clone()).collect();
    let mut scratch = Scratch::empty(&format!("remedies-{name}"));
    let mut main = String::from("#![allow(warnings)]\nextern crate alloc;\n");
    let mut body = String::new();
    for (n, version) in versions.iter().enumerate() {
        let beside = format!("crate::v{n}");
        let mut globs: BTreeMap<&str, String> = BTreeMap::new();
        for path in sources(folder) {
            let of = |p: &&Package| path.starts_with(&format!("{}src/", p.folder));
            let Some(package) = packages.iter().find(of) else {
                continue;
            };
            let text = std::fs::read_to_string(folder.join(&path)).expect("a source");
            let edits = version.edits.get(&path).cloned().unwrap_or_default();
            let root = format!("{beside}::{}", package.name);
            // Without cargo there is no serde.
            let text = edited(&text, edits).replace(", serde::Deserialize, serde::Serialize", "");
            let text = types_only(&text, &root, &beside, &names);
            scratch = scratch.file(&format!("v{n}/{path}"), text);
            let module = path[package.folder.len() + 4..].trim_end_matches(".rs");
            let module = module.trim_end_matches("/mod").replace('/', "::");
            let module = match path == package.root {
                true => String::new(),
                false => format!("::{module}"),
            };
            let globs = globs.entry(&package.name).or_default();
            write!(globs, "use {root}{module}::*; ").expect("it is text");
        }
        writeln!(main, "mod v{n} {{").expect("it is text");
        for Package { name, root, .. } in packages {
            writeln!(main, "    #[path = {root:?}]\n    pub mod {name};").expect("it is text");
        }
        writeln!(main, "}}\nfn ask{n}() {{").expect("it is text");
        for ask in &version.asks {
            let (ty, globs) = (ask.ty.replace('@', &beside), &globs[&*ask.package]);
            let line = format!("{{ {globs}println!(\"{{}}\", size_of::<{ty}>()); }}");
            writeln!(main, "    {line}").expect("it is text");
        }
        main.push_str("}\n");
        writeln!(body, "    ask{n}();").expect("it is text");
    }
    writeln!(main, "fn main() {{\n{body}}}").expect("it is text");
    let scratch = scratch.file("main.rs", main);
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.current_dir(scratch.folder());
    run(rustc.args(["--edition", "2024", "-Cdebuginfo=0", "main.rs"])).expect(0);
    let said = run(&mut Command::new(scratch.folder().join("main"))).expect(0);
    let sizes: Vec<u64> = said
        .stdout
        .lines()
        .map(|line| line.parse().expect("a size is a number"))
        .collect();
    let promised = versions.iter();
    let promised = promised.flat_map(|v| v.asks.iter().map(move |ask| (&v.title, ask)));
    let promised: Vec<_> = promised.collect();
    assert_eq!(promised.len(), sizes.len());
    let pairs = promised.iter().zip(&sizes);
    let wrong: Vec<String> = pairs
        .filter(|((_, ask), size)| ask.size != **size)
        .map(|((title, Ask { ty, size: said, .. }), size)| {
            format!("{title}: {ty} is {size}, and {said} was said")
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    sizes.len()
}

/// Returns `Result<T, Box<E>>` for `Result<T, E>`.
fn boxed_error(result: &str) -> String {
    let split = result.rsplit_once(", ").and_then(|(ok, error)| {
        let error = error.strip_suffix('>')?;
        Some(format!("{ok}, Box<{error}>>"))
    });
    split.unwrap_or_else(|| panic!("no `Result`: {result}"))
}

/// Returns the edits of a remedy: as suggested, or else derived from its title.
fn done(
    folder: &Path,
    findings: &[Value],
    finding: &Value,
    remedy: &Value,
) -> BTreeMap<String, Vec<Edit>> {
    let title = word(remedy, "title");
    let mut edits_of = suggested(finding, remedy);
    if let Some(others) = title.strip_prefix("shrink ") {
        // Each name is followed by its change in parentheses.
        let named = others
            .split("` (")
            .filter_map(|before| before.rsplit_once('`'));
        for (_, name) in named.take(others.matches("` (").count()) {
            let names = |f: &&Value| {
                let ty = word(&f["weigh"], "type").rsplit("::").next();
                f["weigh"]["lint"] == "oversized_variant" && ty == Some(name)
            };
            let other = findings.iter().find(names);
            let other = other.unwrap_or_else(|| panic!("`{name}` is no finding: {title}"));
            let first = &other["weigh"]["remedies"][0];
            edits_of.extend(done(folder, findings, other, first));
        }
    }
    if edits_of.is_empty() {
        let file = primary(finding);
        let source = std::fs::read_to_string(folder.join(file)).expect("a source");
        // A note about Clippy changes nothing.
        let title = title.split(" (Clippy").next().unwrap_or(title);
        // The type to change may be an inner one in the same file.
        let inside = title.strip_prefix("in `").and_then(|t| t.split_once("`, "));
        let own = word(&finding["weigh"], "type").rsplit("::").next();
        let (name, title) = inside.unwrap_or((own.unwrap_or_default(), title));
        // Or a struct that a variant holds.
        let held = title.strip_prefix("box `").and_then(|t| t.split_once("::"));
        let held = held.filter(|(ty, _)| source.contains(&format!("struct {ty} {{")));
        let name = held.map_or(name, |(ty, _)| ty);
        let asked = match title.starts_with("make it `Non") {
            true => Some(vec![Change {
                variant: String::new(),
                fields: vec![word(&finding["weigh"], "field").to_owned()],
                how: How::Niche,
            }]),
            false => changes(title),
        };
        let asked = asked.unwrap_or_else(|| panic!("not understood: {title}"));
        let edits = edits(&source, name, &asked);
        edits_of.insert(file.to_owned(), edits);
    }
    edits_of
}

/// Returns the edits that a remedy suggests, by file.
fn suggested(finding: &Value, remedy: &Value) -> BTreeMap<String, Vec<Edit>> {
    let children = finding["message"]["children"].as_array();
    let starts = word(remedy, "title");
    let child = children.into_iter().flatten().find(|child| {
        word(child, "message")
            .strip_prefix(starts)
            .is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(" (") || rest.starts_with(": `")
            })
    });
    let spans = child.and_then(|child| child["spans"].as_array());
    let mut edits: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
    for span in spans.into_iter().flatten() {
        if let Some(new) = span["suggested_replacement"].as_str() {
            let place = |key| usize::try_from(number(span, key)).expect("a place in a file");
            let range = place("byte_start")..place("byte_end");
            let of_file = edits.entry(word(span, "file_name").to_owned()).or_default();
            of_file.push((range, new.to_owned()));
        }
    }
    edits
}

fn primary(finding: &Value) -> &str {
    let spans = finding["message"]["spans"].as_array();
    let mut spans = spans.into_iter().flatten();
    let span = spans.find(|s| s["is_primary"] == true);
    word(span.expect("one is primary"), "file_name")
}

/// Lists every type of the fixture: its crate and its path there.
fn known(folder: &Path) -> Vec<(String, String)> {
    let args = ["sizes", "--workspace", "--message-format", "json"];
    let lines = run_in(folder, &args).expect(0).json();
    let one = |line: &Value| {
        let package = word(line, "package").replace('-', "_");
        (package, word(line, "path").to_owned())
    };
    lines.iter().map(one).collect()
}

fn packages(folder: &Path) -> Vec<Package> {
    let mut command = cargo_metadata::MetadataCommand::new();
    command
        .current_dir(folder)
        .other_options(vec!["--offline".to_owned()]);
    let data = command.exec().expect("cargo knows its packages");
    let package = |package: &cargo_metadata::Package| {
        let below = |path: PathBuf| {
            let path = path.strip_prefix(folder).expect("it lies in the fixture");
            path.to_string_lossy().replace('\\', "/")
        };
        let targets = || package.targets.iter();
        let root = targets().find(|t| t.is_lib()).or_else(|| targets().next());
        let root = root.expect("a package has a target").src_path.clone();
        let root = below(root.into_std_path_buf());
        let inside = root.rfind("src/").expect("its root lies in `src`");
        Package {
            name: package.name.replace('-', "_"),
            folder: root[..inside].to_owned(),
            root,
        }
    };
    // Others are dependencies.
    let own = data.packages.iter();
    let own = own.filter(|p| p.manifest_path.starts_with(folder));
    own.map(package).collect()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("no {key} in {value}"))
}
