//! The `cfg` names that a build script without a recorded run could set, by the words in its text.

mod told;

use crate::seen;
use crate::source::read;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use told::{Holds, Told};

/// The words of a build script.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    words: FxHashSet<String>,
    /// Format strings with holes inside a name (`has_{}`), as the text between the holes.
    patterns: Vec<Vec<String>>,
    /// True if any name is possible: names are computed, or unknown helper crates are used.
    opaque: bool,
    uses_autocfg: bool,
    /// True if the crates that it is built with read no file.
    helpers_are_pure: bool,
    /// True if what it prints may depend on files, or on variables that cargo does not set.
    reads: bool,
    /// Toolchain crates for which every run sets `has_…`.
    sysroot: FxHashSet<String>,
    /// True if it prints names that need not occur in its text.
    prints_names: bool,
    /// The values of `feature` that it may set and cargo does not know.
    features: FxHashSet<String>,
    /// True if such a value is computed.
    sets_any_feature: bool,
    /// The conditions that could be derived from its `main`.
    told: Told,
    /// True if those conditions cover every name that it prints.
    all_told: bool,
}

/// Crates that build scripts use and that never print `rustc-cfg` by themselves.
const QUIET_HELPERS: &[&str] = &[
    "anyhow",
    "bindgen",
    "built",
    "cbindgen",
    "cc",
    "cfg_aliases",
    "chrono",
    "cmake",
    "dunce",
    "flate2",
    "fs_extra",
    "glob",
    "heck",
    "hex",
    "indexmap",
    "itertools",
    "lalrpop",
    "lazy_static",
    "libc",
    "memchr",
    "nasm-rs",
    "num_cpus",
    "once_cell",
    "phf_codegen",
    "pkg-config",
    "prettyplease",
    "proc-macro2",
    "prost-build",
    "quote",
    "rayon",
    "regex",
    "rustc_version",
    "rustversion",
    "semver",
    "serde",
    "serde_json",
    "sha2",
    "string_cache_codegen",
    "syn",
    "tar",
    "target-lexicon",
    "tempfile",
    "time",
    "toml",
    "tonic-build",
    "ureq",
    "vcpkg",
    "vergen",
    "vergen-git2",
    "vergen-gitcl",
    "version_check",
    "walkdir",
    "wayland-scanner",
    "which",
    "winres",
    "winresource",
];

/// Those of them that read no file.
const PURE_HELPERS: &[&str] = &[
    "autocfg",
    "cfg_aliases",
    "rustc_version",
    "rustversion",
    "semver",
    "target-lexicon",
    "version_check",
];

/// Words without which what a script prints does not depend on files, on the time or on chance.
const FILE_WORDS: &[&str] = &[
    "Command",
    "File",
    "Instant",
    "OpenOptions",
    "RandomState",
    "SystemTime",
    "TcpStream",
    "canonicalize",
    "exists",
    "extern",
    "fs",
    "is_dir",
    "is_file",
    "is_symlink",
    "metadata",
    "read_dir",
    "read_link",
    "stdin",
    "symlink_metadata",
    "try_exists",
];

/// Variables that depend on the settings of the profile, beyond its name.
const PROFILE_WORDS: &[&str] = &[
    "CARGO_CFG_DEBUG_ASSERTIONS",
    "CARGO_CFG_PANIC",
    "DEBUG",
    "OPT_LEVEL",
];

/// Names that are set only on the command line, by convention.
const FLAG_NAMES: &[&str] = &[
    "coverage",
    "coverage_nightly",
    "docsrs",
    "fuzzing",
    "kani",
    "loom",
    "rust_analyzer",
    "shuttle",
    "tarpaulin",
    "tarpaulin_include",
];

/// What stands before the name of a file whose text becomes a part of the script.
const INCLUDES: [&str; 2] = ["include!(", "include_str!("];

/// Crates that the compiler provides on every target with an operating system.
const SYSROOT: &[&str] = &["alloc", "core", "std"];

/// Variables that cargo or rustup sets for the programs that they run: the values that a build
/// script sees do not depend on ours.
const SET_BY_CARGO: &[&str] = &[
    "CARGO",
    "CARGO_CRATE_NAME",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_HOME",
    "CARGO_MAKEFLAGS",
    "DEBUG",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "HOST",
    "LD_LIBRARY_PATH",
    "MAKEFLAGS",
    "NUM_JOBS",
    "OPT_LEVEL",
    "OUT_DIR",
    "PROFILE",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_RECURSION_COUNT",
    "TARGET",
];

/// Prefixes of more of them.
const SET_BY_CARGO_TOO: &[&str] = &[
    "CARGO_CFG_",
    "CARGO_FEATURE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "RUSTUP_TOOLCHAIN_",
];

/// Limit on the files of a build script, for hostile input.
const MAX_FILES: usize = 64;

impl Script {
    /// Reads the script at `root`, the modules next to it and the files that it names. `helpers`
    /// are the packages that it is built with.
    pub(super) fn read(root: &Path, helpers: &[String]) -> Script {
        let mut script = Script::default();
        for helper in helpers {
            if helper == "autocfg" {
                script.uses_autocfg = true;
            } else if QUIET_HELPERS.binary_search(&helper.as_str()).is_err() {
                script.opaque = true;
            }
        }
        let is_pure = |helper: &String| PURE_HELPERS.contains(&helper.as_str());
        script.helpers_are_pure = helpers.iter().all(is_pure);
        let mut files = vec![root.to_owned()];
        let mut next = 0;
        while let Some(file) = files.get(next).cloned() {
            next += 1;
            match read::text(&file) {
                Ok(text) if next <= MAX_FILES => script.add(&text, &file, &mut files),
                _ => {
                    script.opaque = true;
                    script.reads = true;
                    break;
                }
            }
        }
        let texts = files.iter().map(|file| read::text(file));
        let texts: Vec<_> = texts.map(Result::unwrap_or_default).collect();
        script.told = Told::read(&texts[0]);
        let alone = texts[1..].iter().all(|t| !t.contains("rustc-cfg"));
        let is_told = alone && script.told.is_all();
        script.opaque |= script.prints_names && !is_told;
        script.all_told = is_told && !script.opaque && !script.uses_autocfg;
        script
    }

    /// Returns whether the script sets `name`; `None` if that cannot be derived from its text.
    pub(super) fn tells(&self, name: &str, holds: Holds) -> Option<bool> {
        let set = self.told.sets(name, holds)?;
        (set || self.all_told).then_some(set)
    }

    /// Returns true if what the script prints depends on nothing but the build, so that it would
    /// print the same again.
    pub(super) fn reads_nothing(&self) -> bool {
        self.helpers_are_pure && !self.reads
    }

    /// Returns true if what the script prints may depend on the settings of the profile.
    pub(super) fn reads_profile(&self) -> bool {
        PROFILE_WORDS.iter().any(|word| self.words.contains(*word))
    }

    /// Returns true if what the script prints may depend on what the manifest says of the package.
    pub(super) fn reads_package(&self) -> bool {
        let mut words = self.words.iter();
        words.any(|word| word.starts_with("CARGO_PKG_"))
    }

    /// Returns true if the script sets `name` on every target with the toolchain's crates.
    pub(super) fn sets(&self, name: &str) -> bool {
        let probed = name.strip_prefix("has_");
        self.uses_autocfg && probed.is_some_and(|of| self.sysroot.contains(of))
    }

    /// Returns true if the script may set `name`, or `name = value`.
    pub(super) fn may_set(&self, name: &str, value: Option<&str>) -> bool {
        if name == "feature" {
            let any = self.sets_any_feature || self.opaque && !self.features.is_empty();
            return any || value.is_some_and(|value| self.features.contains(value));
        }
        self.words.contains(name)
            || (self.uses_autocfg && (name.starts_with("has_") || name.starts_with("rustc_")))
            || self.fits_pattern(name)
            || (self.opaque && FLAG_NAMES.binary_search(&name).is_err())
    }

    fn fits_pattern(&self, name: &str) -> bool {
        self.patterns.iter().any(|parts| {
            let (first, last) = (&parts[0], &parts[parts.len() - 1]);
            let inner = name
                .strip_prefix(first.as_str())
                .and_then(|rest| rest.strip_suffix(last.as_str()));
            let Some(mut rest) = inner else {
                return false;
            };
            parts[1..parts.len() - 1].iter().all(|part| {
                let found = rest.find(part.as_str());
                rest = found.map_or("", |at| &rest[at + part.len()..]);
                found.is_some()
            })
        })
    }

    /// Collects words and patterns, and the files that the text refers to.
    fn add(&mut self, text: &str, file: &Path, files: &mut Vec<PathBuf>) {
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut lead = |path: PathBuf| {
            if !files.contains(&path) && seen::is_file(&path) {
                files.push(path);
            }
        };
        let mut before = "";
        for part in text.split('"') {
            if part.ends_with(".rs") || INCLUDES.iter().any(|start| before.ends_with(start)) {
                lead(folder.join(part));
            }
            before = part;
        }
        for (at, mark) in text.match_indices("rustc-cfg=feature") {
            let value = text[at + mark.len()..].trim_start_matches(['=', '\\', '"']);
            let end = value.find(['\\', '"']).unwrap_or(value.len());
            // It ends with its own quote, not with the text: more may be added to that.
            let is_whole = ["\\\"", "\"\""].iter().any(|q| value[end..].starts_with(q));
            match value[..end].contains('{') || !value.starts_with(is_word) || !is_whole {
                true => self.sets_any_feature = true,
                false => _ = self.features.insert(value[..end].to_owned()),
            }
        }
        let mut printed = text.split("rustc-cfg").skip(1);
        self.prints_names |= printed.any(is_cut);
        for name in SYSROOT {
            let probe = text
                .matches(&format!("emit_sysroot_crate(\"{name}\")"))
                .count();
            let emit = text.matches(&format!("emit(\"has_{name}\")")).count();
            // Set on both paths of a probe, or on the only one.
            let ways = text.matches("=>").count().max(1);
            let branches = Pieces(text).any(|piece| piece == ["if"]);
            if probe > 0 && probe + emit >= ways && !branches {
                self.sysroot.insert((*name).to_owned());
            }
        }
        self.reads |= reads_variables(text) || FILE_WORDS.iter().any(|word| names(text, word));
        let mut after_mod = false;
        for piece in Pieces(text) {
            let [word] = piece.as_slice() else {
                self.patterns
                    .push(piece.into_iter().map(str::to_owned).collect());
                after_mod = false;
                continue;
            };
            if after_mod {
                lead(folder.join(format!("{word}.rs")));
                lead(folder.join(word).join("mod.rs"));
                let stem = file.file_stem().unwrap_or_default();
                lead(folder.join(stem).join(format!("{word}.rs")));
            }
            after_mod = *word == "mod";
            if !self.words.contains(*word) {
                self.words.insert((*word).to_owned());
            }
        }
    }
}

/// Returns true for a variable whose value a build script has from cargo.
pub(super) fn is_set_by_cargo(name: &str) -> bool {
    SET_BY_CARGO.contains(&name) || SET_BY_CARGO_TOO.iter().any(|start| name.starts_with(start))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns true if a text contains a word other than as a whole string, such as a feature's name.
fn names(text: &str, word: &str) -> bool {
    let mut found = text.match_indices(word);
    found.any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_part = before.ends_with(is_word) || after.starts_with(is_word);
        !(is_part || before.ends_with('"') && after.starts_with('"'))
    })
}

/// Returns true if the name that is printed here need not be whole: a value takes its place, or its
/// text is changed.
fn is_cut(rest: &str) -> bool {
    let mut escaped = false;
    let end = rest.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let after = end.map_or("", |end| rest[end + 1..].trim_start());
    ["\"", "=\"", "={"].iter().any(|cut| rest.starts_with(cut)) || after.starts_with(['.', '+'])
}

/// Returns true if a text may read environment variables that cargo does not set.
fn reads_variables(text: &str) -> bool {
    let words = text
        .match_indices("var")
        .filter(|(at, _)| !text[..*at].ends_with(is_word) && !text[..*at].ends_with('"'));
    let mut reads = words.map(|(at, _)| &text[at..]).filter_map(|rest| {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        ["var", "var_os", "vars", "vars_os"]
            .contains(&word)
            .then_some(rest)
    });
    reads.any(|rest| {
        let name = rest
            .strip_prefix("(\"")
            .and_then(|rest| rest.split_once('"'));
        !name.is_some_and(|(name, _)| is_set_by_cargo(name))
    })
}

/// The words of a text, each as the parts between the holes of a format string: a single part is a
/// plain word.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Vec<&'a str>;

    fn next(&mut self) -> Option<Vec<&'a str>> {
        loop {
            let mut parts = Vec::new();
            let mut has_letters = false;
            loop {
                let end = self.0.find(|c| !is_word(c)).unwrap_or(self.0.len());
                has_letters |= end > 0;
                parts.push(&self.0[..end]);
                self.0 = &self.0[end..];
                match hole(self.0) {
                    Some(length) => self.0 = &self.0[length..],
                    None => break,
                }
            }
            if has_letters {
                return Some(parts);
            }
            let mut rest = self.0.chars();
            // The letter of an escape sequence is not part of the next word.
            if rest.next()? == '\\' {
                rest.next();
            }
            self.0 = rest.as_str();
        }
    }
}

/// Returns the length in bytes of the `{…}` at the start of `text`.
fn hole(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('{')?;
    let end = inner.find(|c| !is_word(c) && !":#?.<>^+$ ".contains(c))?;
    inner[end..].starts_with('}').then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Script {
        let mut script = Script::default();
        script.add(text, Path::new("build.rs"), &mut Vec::new());
        script
    }

    #[test]
    fn only_what_stands_in_the_text_can_be_set() {
        let s = script(r#"println!("cargo:rustc-cfg=wide\ncargo:rustc-cfg={}", "deep");"#);
        assert!(s.may_set("wide", None) && s.may_set("deep", Some("4")));
        assert!(!s.may_set("wid", None) && !s.may_set("loom", None));
        assert!(!s.may_set("feature", Some("wide")));
    }

    #[test]
    fn names_with_holes() {
        let s = script(r#"emit(&format!("has_{}_in{x:?}z", a)); if a{b} else {}"#);
        assert!(s.may_set("has_foo_in_barz", None));
        assert!(!s.may_set("has_foo_z", None) && !s.may_set("foo", None));
    }

    #[test]
    fn features_out_of_thin_air() {
        let s = script(r#"println!("cargo:rustc-cfg=feature=\"std\"");"#);
        assert!(s.may_set("feature", Some("std")) && !s.may_set("feature", Some("alloc")));
        let s = script(
            r##"if cfg!(feature = "alloc") {
                println!("cargo:rustc-cfg=feature=\"std\"");
                println!(r#"cargo::rustc-cfg=feature="no-std""#);
            }"##,
        );
        let sets = |value| s.may_set("feature", Some(value));
        assert!(sets("std") && sets("no-std") && !sets("alloc"));
        let s =
            script(r#"a("cargo:rustc-cfg=feature=\"std\""); b("rustc-cfg=feature=\"{name}\"");"#);
        assert!(s.may_set("feature", Some("alloc")));
        for added in [
            r#"a(&("cargo:rustc-cfg=feature=\"".to_owned() + name + "\""));"#,
            r#"a(&("cargo:rustc-cfg=feature=\"simd-".to_owned() + level + "\""));"#,
            r#"concat!("cargo:rustc-cfg=feature=\"simd-", level!(), "\"")"#,
        ] {
            let s = script(added);
            assert!(s.may_set("feature", Some("simd-avx")), "{added}");
        }
    }

    #[test]
    fn unknown_helpers_make_everything_possible() {
        let folder = std::env::temp_dir().join(format!("weigh-script-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let root = folder.join("build.rs");
        std::fs::write(&root, "mod probe; fn main() {}").unwrap();
        std::fs::write(folder.join("probe.rs"), "fn f() { set(\"inner\") }").unwrap();
        let read = |helpers: &[&str]| {
            let helpers: Vec<String> = helpers.iter().map(|&helper| helper.to_owned()).collect();
            Script::read(&root, &helpers)
        };
        assert!(!read(&["cc"]).may_set("foo", None));
        assert!(read(&["cc"]).may_set("inner", None));
        assert!(read(&["magic"]).may_set("foo", None));
        assert!(!read(&["magic"]).may_set("docsrs", None));
        assert!(read(&["autocfg"]).may_set("has_i128", None));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names_that_do_not_stand_in_the_text() {
        let folder = std::env::temp_dir().join(format!("weigh-printed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let root = folder.join("build.rs");
        std::fs::write(folder.join("said.txt"), "cargo:rustc-cfg=inner").unwrap();
        let read = |printed: &str| {
            std::fs::write(&root, format!("fn main() {{ println!({printed}); }}")).unwrap();
            Script::read(&root, &[])
        };
        for computed in [
            r#""cargo:rustc-cfg={}", ["wi", "de"].concat()"#,
            r#""cargo:rustc-cfg={}{}", "wi", "de""#,
            r#""cargo:rustc-cfg={}", env::var("CARGO_CFG_TARGET_OS").unwrap()"#,
            r#""cargo:{}={}", "rustc-cfg", env!("NAME")"#,
            r#""{}", "cargo:rustc-cfg=wXde".replace("X", "i")"#,
        ] {
            assert!(read(computed).may_set("wide", None), "{computed}");
        }
        for whole in [
            r#""cargo:rustc-cfg=narrow""#,
            r#""{}", include_str!("said.txt")"#,
            r#""cargo:rustc-cfg=feature=\"nightly\""); hash(text.replace("a", "b")"#,
        ] {
            assert!(!read(whole).may_set("feature", Some("std")), "{whole}");
            assert!(!read(whole).may_set("wide", None), "{whole}");
        }
        assert!(read(r#""{}", include_str!("said.txt")"#).may_set("inner", None));
        let feature = r#""{}", "cargo:rustc-cfg=feature=\"X\"".replace("X", &made())"#;
        assert!(read(feature).may_set("feature", Some("std")));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn probes_for_what_is_there() {
        let sets = |text: &str| {
            let mut script = script(text);
            script.uses_autocfg = true;
            script.sets("has_std") && !script.sets("has_alloc") && !script.sets("std")
        };
        let both = r#"match var("X") {
            Some(_) => autocfg::emit("has_std"),
            None => autocfg::new().emit_sysroot_crate("std"),
        }"#;
        assert!(sets(both) && sets(r#"autocfg::new().emit_sysroot_crate("std");"#));
        assert!(!sets(
            r#"if x { autocfg::new().emit_sysroot_crate("std"); }"#
        ));
        assert!(!sets(&both.replace("None =>", "None => (), _ =>")));
        assert!(!sets(r#"autocfg::emit("has_std");"#));
    }

    #[test]
    fn what_depends_on_the_build_alone() {
        let nothing = |text: &str| {
            let mut script = script(text);
            script.helpers_are_pure = true;
            script.reads_nothing()
        };
        assert!(nothing(
            r#"fn main() { let on = cfg!(feature = "fs"); let variant = env::var("TARGET"); let invar = std::env::var_os("CARGO_CFG_UNIX"); }"#
        ));
        for other in [
            r#"env::var("HOME")"#,
            r#"env::var(name)"#,
            r#"names.map(env::var)"#,
            r#"use std::env::{var, var_os};"#,
            r#"std::env::vars()"#,
            r#"std::fs::read("x")"#,
            r#"Path::new("x").exists()"#,
            r#"std::process::Command::new("git")"#,
            r#"std::time::SystemTime::now()"#,
        ] {
            assert!(!nothing(other), "{other}");
        }
    }

    #[test]
    fn lists_are_sorted() {
        for list in [QUIET_HELPERS, FLAG_NAMES, FILE_WORDS, SET_BY_CARGO] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
