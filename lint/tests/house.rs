//! Architecture rules as tests: layers, modules that may use a foreign crate, file sizes, headers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Layer of each top-level module: it may use only modules of lower layers, and itself.
const LAYERS: &[(&str, u32)] = &[
    ("lists", 0),
    ("memo", 0),
    ("place", 0),
    ("wanted_words", 0),
    ("name", 1),
    ("span", 1),
    ("budget", 1),
    ("fault", 1),
    ("visible", 1),
    ("malloc", 0),
    ("text_types", 0),
    ("store", 0),
    ("write", 1),
    ("interrupt", 1),
    ("folded", 1),
    ("seen", 1),
    ("git", 2),
    ("target", 2),
    ("source", 2),
    ("spread", 2),
    ("cache", 2),
    ("shape", 1),
    ("finding", 2),
    ("config", 2),
    ("ir", 3),
    ("stdlib", 3),
    ("project", 4),
    ("lower", 4),
    ("macro_server", 4),
    ("resolve", 5),
    ("carets", 6),
    ("layout", 6),
    ("suppress", 6),
    ("calibrate", 7),
    ("analysis", 8),
    ("workspace", 9),
    ("infer", 7),
    ("flow", 8),
    ("usage", 9),
    ("model", 10),
    ("lint", 12),
    ("census", 6),
    ("join", 11),
    ("coroutines", 11),
    ("edit", 13),
    ("lints", 13),
    ("worth", 13),
    ("check", 14),
    ("baseline", 15),
    ("report", 15),
    ("draw", 16),
    ("page", 16),
    ("verify", 16),
    ("snapshot", 16),
    ("fix", 17),
    ("futures", 17),
    ("cli", 18),
    ("main", 19),
    ("lib", 19),
];

/// Crates that only these modules may name.
const DOORS: &[(&str, &[&str])] = &[
    ("syn::", &["lower"]),
    ("proc_macro2::", &["lower"]),
    ("ra_ap_rustc_abi", &["layout"]),
    ("ra_ap_rustc_lexer", &["lower", "resolve/expand"]),
    ("codespan_reporting", &["report"]),
    ("cargo_metadata::", &["project"]),
    ("toml::", &["project", "check/manifest"]),
    ("glob::", &["config", "check/manifest", "project"]),
    ("clap::", &["cli", "main"]),
    ("gimli", &["census/dwarf"]),
    ("object::", &["census/dwarf"]),
    ("addr2line", &["census/dwarf"]),
    ("rustix::fs::", &["store", "census/run"]),
];

/// Maximum lines of a handwritten file. A file is split where its subject divides, never to stay
/// below this number: beyond it nobody finds anything.
const LONGEST: usize = 800;

struct File {
    /// Path relative to `src`, with `/`.
    path: String,
    text: String,
}

impl File {
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Returns its code before the first test module, without comments.
    fn code(&self) -> String {
        let text = self.text.split("#[cfg(test)]\nmod ").next();
        let text = text.unwrap_or_default();
        let text = text.split("#[cfg(test)]\npub").next().unwrap_or_default();
        let lines = text.lines().filter(|l| !l.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn read(dir: &Path, below: &Path, files: &mut Vec<File>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(&path, below, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let relative = path.strip_prefix(below).unwrap();
            files.push(File {
                path: relative.to_str().unwrap().replace('\\', "/"),
                text: std::fs::read_to_string(&path).unwrap(),
            });
        }
    }
}

/// The packages, from the ground up: cargo keeps imports between them from running up. Each names
/// the modules of those below as if they were its own.
const PACKAGES: &[&str] = &["syntax", "layout", "census", "lints", "."];

/// Returns the files of all packages, as if they were one crate in which the census is a module.
fn files() -> Vec<File> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for package in PACKAGES {
        let (src, before) = (own.join(package).join("src"), files.len());
        read(&src, &src, &mut files);
        if *package == "census" {
            for file in &mut files[before..] {
                file.path = format!("census/{}", file.path);
            }
        }
        assert!(
            files.len() > before + 20,
            "the source is not where this test looks"
        );
    }
    files
}

/// Iterates over module names after `crate::` in a text.
fn used(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("crate::").filter_map(|(at, word)| {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            return None;
        }
        let rest = &code[at + word.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(&rest[..end])
    })
}

#[test]
fn imports_go_down() {
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in files() {
        let module = file.module();
        let Some(&own) = layers.get(module) else {
            wrong.push(format!(
                "{}: `{module}` has no layer in this test",
                file.path
            ));
            continue;
        };
        if module == "stdlib" {
            continue; // declarations that the tool reads, and that are never compiled
        }
        for name in used(&file.code()) {
            match layers.get(name) {
                Some(&layer) if layer < own || name == module => {}
                Some(_) => wrong.push(format!("{}: uses `{name}`, which lies above", file.path)),
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lints_do_not_know_each_other() {
    for file in files() {
        if let Some(path) = file.path.strip_prefix("lints/") {
            // A part of a lint may use its lint.
            let beside = file.code().contains("super::") && !path.contains('/');
            let other = file.code().contains("lints::") || beside;
            assert!(!other, "{} looks beside itself", file.path);
        }
    }
}

#[test]
fn foreign_crates_stay_at_their_door() {
    let mut wrong = Vec::new();
    for file in files() {
        if file.path.starts_with("stdlib/") || file.path.contains("tests") {
            continue;
        }
        let code = file.code();
        for (name, doors) in DOORS {
            let allowed = doors
                .iter()
                .any(|d| file.path.starts_with(&format!("{d}/")) || file.path == format!("{d}.rs"));
            let named = code.match_indices(name).any(|(at, _)| {
                let before = code[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            });
            if named && !allowed {
                wrong.push(format!("{}: names `{name}`", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Modules that write, run programs, or are never cached.
const UNNOTED: &[&str] = &[
    "cache",
    "calibrate",
    "census",
    "cli",
    "fix",
    "futures",
    "git",
    "macro_server",
    "project/dylib",
    "seen",
    "snapshot",
    "source/read",
    "store",
    "verify",
    "write",
];

#[test]
fn what_is_asked_of_the_file_system_is_noted() {
    let asks = [
        "std::fs",
        "fs::",
        ".is_file()",
        ".is_dir()",
        ".exists()",
        ".canonicalize()",
        ".metadata()",
        ".read_dir()",
        ".symlink_metadata()",
    ];
    let mut wrong = Vec::new();
    for file in files() {
        let free = |room: &&str| {
            file.path.starts_with(&format!("{room}/")) || file.path == format!("{room}.rs")
        };
        let test = ["tests", "carets"]
            .iter()
            .any(|part| file.path.contains(part));
        if file.module() == "stdlib" || test || UNNOTED.iter().any(free) {
            continue;
        }
        let code = file.code();
        let found = asks.iter().filter(|ask| code.contains(**ask));
        wrong.extend(found.map(|ask| format!("{}: `{ask}`: ask `crate::seen`", file.path)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_opens_with_what_it_owns() {
    for file in files() {
        let first = file.text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("//! "),
            "{} has no first sentence",
            file.path
        );
    }
}

#[test]
fn files_are_small() {
    let lines = |f: &File| f.text.lines().count();
    let long = files().into_iter().filter(|f| lines(f) > LONGEST);
    let long: Vec<_> = long
        .map(|f| format!("{} has {}", f.path, lines(&f)))
        .collect();
    assert!(
        long.is_empty(),
        "more than {LONGEST} lines: {}",
        long.join(", ")
    );
}

#[test]
fn the_map_of_each_package_is_whole() {
    let mut told = 0;
    for file in files() {
        if !["lib.rs", "census/lib.rs"].contains(&&*file.path) {
            continue;
        }
        let modules = file.text.lines().filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        });
        for module in modules.filter(|m| *m != "carets") {
            let map = file.text.split("\n\n#![").next().unwrap_or_default();
            let row = format!("`{module}`");
            assert!(map.contains(&row), "a map does not tell of `{module}`");
            told += 1;
        }
    }
    assert!(
        told > 50,
        "{told} modules: the maps are not where this test looks"
    );
}
