//! Checks what is said after builds by another compiler, of another profile, with other flags, in
//! another environment and before files changed, against rustc's `size_of`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, cargo, run, run_in, weigh};

/// Variables that would change what the tests set up.
const OTHERS: [&str; 4] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "WIDE", "LENGTH"];

/// How the program and cargo are called.
#[derive(Clone, Copy, Default)]
struct Call<'c> {
    variables: &'c [(&'c str, &'c str)],
    arguments: &'c [&'c str],
}

impl Call<'_> {
    fn with(self, command: &mut Command) -> &mut Command {
        for name in OTHERS {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().copied());
        command.args(self.arguments)
    }

    fn sizes(self, folder: &Path) -> Run {
        let mut command = weigh(folder);
        self.with(command.args(["sizes", "--bins", "--message-format", "json", "--offline"]));
        run(&mut command).expect(0)
    }

    /// Builds the project; its program prints the size of each type.
    fn built(self, folder: &Path, target: &Path) -> BTreeMap<String, u64> {
        let mut command = cargo();
        command
            .current_dir(folder)
            .args(["run", "--quiet", "--offline"]);
        self.with(command.arg("--target-dir").arg(target));
        let said = run(&mut command).expect(0);
        let lines = said.stdout.lines().filter_map(|line| line.split_once(' '));
        let sizes = lines.map(|(name, size)| (name.to_owned(), size.parse().expect("a number")));
        sizes.collect()
    }
}

/// Asserts that no stated size is wrong, for a build elsewhere; returns the types that have one, and
/// what was said.
#[track_caller]
fn known(scratch: &Scratch, call: Call) -> (String, Run) {
    let folder = scratch.folder();
    let elsewhere = Scratch::empty("builds-truth");
    let said = call.sizes(folder);
    let truth = call.built(folder, elsewhere.folder());
    assert!(!truth.is_empty());
    let mut known = Vec::new();
    for line in said.json() {
        let path = line["path"].as_str().expect("a line has a path").to_owned();
        match line["exact"] == true {
            true => {
                assert_eq!(line["size"], truth[&path], "{line}");
                known.push(path);
            }
            false => assert!(line["min_size"].as_u64().is_some_and(|n| n <= truth[&path])),
        }
    }
    known.sort();
    (known.join(" "), said)
}

/// Builds a project in its own target folder.
fn build(scratch: &Scratch, call: Call) {
    let folder = scratch.folder();
    call.built(folder, &folder.join("target"));
}

fn project(name: &str, script: &str, types: &str) -> Scratch {
    let script = format!(
        "fn main() {{ println!(\"cargo::rustc-check-cfg=cfg(wide)\");\n\
         let on = |on: bool| if on {{ println!(\"cargo::rustc-cfg=wide\") }};\n{script} }}"
    );
    scripted(name, &script, types)
}

fn scripted(name: &str, script: &str, types: &str) -> Scratch {
    let words: Vec<&str> = types.split_whitespace().collect();
    let defined = words
        .windows(2)
        .filter(|pair| ["struct", "enum"].contains(&pair[0]));
    let name_of =
        |word: &str| -> String { word.chars().take_while(|c| c.is_alphanumeric()).collect() };
    let names: BTreeSet<String> = defined.map(|pair| name_of(pair[1])).collect();
    let prints: String = names
        .iter()
        .map(|name| format!("println!(\"{name} {{}}\", size_of::<{name}>());\n"))
        .collect();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"
    );
    Scratch::outside(name)
        .file("Cargo.toml", manifest)
        .file("build.rs", script)
        .file(
            "src/main.rs",
            format!("#![allow(dead_code)]\n{types}\nfn main() {{\n{prints}}}\n"),
        )
}

/// A type that depends on the build script, and one that does not.
const WIDE: &str =
    "#[cfg(wide)] struct W([u8; 9]);\n#[cfg(not(wide))] struct W(u8);\nstruct P(u16);";

/// Changes a file, some time after the build.
fn later(scratch: &Scratch, path: &str, text: &str) {
    let path = scratch.folder().join(path);
    fs::write(&path, text).expect("it is ours to write");
    let file = fs::File::options()
        .write(true)
        .open(&path)
        .expect("it is there");
    let time = SystemTime::now() + Duration::from_secs(2);
    file.set_modified(time).expect("it is ours to write");
}

#[test]
fn a_profile_has_its_own_run() {
    let script = "on(std::env::var(\"PROFILE\").unwrap() == \"release\");";
    let scratch = project("builds-profile", script, WIDE);
    build(&scratch, Call::default());
    let release = Call {
        arguments: &["--release"],
        ..Call::default()
    };
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    assert_eq!(known(&scratch, release).0, "P");
    build(&scratch, release);
    assert_eq!(known(&scratch, release).0, "P W");
    assert_eq!(known(&scratch, Call::default()).0, "P W");
}

#[test]
fn a_profile_that_changed() {
    let script = "on(std::env::var(\"OPT_LEVEL\").unwrap() == \"2\");";
    let scratch = project("builds-level", script, WIDE);
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    let manifest = fs::read_to_string(scratch.folder().join("Cargo.toml")).expect("it is there");
    let manifest = manifest + "[profile.dev]\nopt-level = 2\n";
    later(&scratch, "Cargo.toml", &manifest);
    let (types, said) = known(&scratch, Call::default());
    assert_eq!(types, "P");
    assert!(said.stdout.contains("before the profile may have changed"));
}

/// A package of another version has its own run.
#[test]
fn a_version_that_changed() {
    let script = "println!(\"cargo::rerun-if-changed=build.rs\");\n\
        on(std::env::var(\"CARGO_PKG_VERSION\").unwrap() == \"0.2.0\");";
    let scratch = project("builds-version", script, WIDE);
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    let manifest = fs::read_to_string(scratch.folder().join("Cargo.toml")).expect("it is there");
    later(&scratch, "Cargo.toml", &manifest.replace("0.1.0", "0.2.0"));
    assert_eq!(known(&scratch, Call::default()).0, "P");
}

/// The value at the time of the run counts, from the environment or from cargo's configuration.
#[test]
fn variables_that_changed() {
    let script = "println!(\"cargo::rerun-if-env-changed=WIDE\");\n\
        println!(\"cargo::rerun-if-env-changed=LENGTH\");\n\
        println!(\"cargo::rustc-env=OF={}\", std::env::var(\"LENGTH\").unwrap_or_default());\n\
        on(std::env::var(\"WIDE\").map(|v| v.len()) == Ok(3));";
    let types = format!("{WIDE}\nstruct L([u8; env!(\"OF\").len()]);");
    let scratch = project("builds-variables", script, &types);
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "L P W");
    for variable in [("WIDE", "yes"), ("LENGTH", "four")] {
        let call = Call {
            variables: &[variable],
            ..Call::default()
        };
        let (types, said) = known(&scratch, call);
        assert_eq!(types, "P");
        assert!(
            said.stdout
                .contains(&format!("when `{}` had another value", variable.0))
        );
        build(&scratch, call);
        assert_eq!(known(&scratch, call).0, "L P W");
        build(&scratch, Call::default());
    }
    let scratch = scratch.file(".cargo/config.toml", "[env]\nWIDE = \"set\"\n");
    assert_eq!(known(&scratch, Call::default()).0, "P");
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "L P W");
}

#[test]
fn flags_that_changed() {
    let script = "on(std::env::var(\"CARGO_ENCODED_RUSTFLAGS\").unwrap().contains(\"deep\"));";
    let scratch = project("builds-flags", script, WIDE);
    build(&scratch, Call::default());
    let call = Call {
        variables: &[("RUSTFLAGS", "--cfg deep")],
        ..Call::default()
    };
    let (types, said) = known(&scratch, call);
    assert_eq!(types, "P");
    assert!(said.stdout.contains("with other flags for rustc"));
    build(&scratch, call);
    assert_eq!(known(&scratch, call).0, "P W");
    assert_eq!(known(&scratch, Call::default()).0, "P W");
}

/// Files and whole folders that the script names, one that is missing, and the script itself.
#[test]
fn files_that_changed() {
    let script = "println!(\"cargo::rerun-if-changed=wide.txt\");\n\
        println!(\"cargo::rerun-if-changed=folder\");\n\
        println!(\"cargo::rerun-if-changed=missing/file\");\n\
        on(std::fs::read_to_string(\"wide.txt\").unwrap().len() + std::fs::read(\"folder/in/wide\").unwrap().len() > 0 \
        || std::path::Path::new(\"missing\").exists());";
    let start = || {
        let scratch = project("builds-files", script, WIDE)
            .file("wide.txt", "")
            .file("folder/in/wide", "")
            .file("other.txt", "");
        build(&scratch, Call::default());
        scratch
    };
    let scratch = start();
    later(&scratch, "other.txt", "no matter");
    later(&scratch, "src/other.rs", "");
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    for (path, shown) in [
        ("wide.txt", "before `wide.txt` changed"),
        ("folder/in/wide", "before `folder` changed"),
        ("build.rs", "before the script itself changed"),
    ] {
        let scratch = start();
        let text = fs::read_to_string(scratch.folder().join(path)).expect("it is there");
        later(&scratch, path, &format!("{text}// wide"));
        let (types, said) = known(&scratch, Call::default());
        assert_eq!(types, "P", "{path}");
        assert!(said.stdout.contains(shown), "{}", said.stdout);
    }
    let scratch = start();
    std::thread::sleep(Duration::from_millis(20));
    let scratch = scratch.file("missing/file", "");
    assert_eq!(known(&scratch, Call::default()).0, "P");
}

/// Without `rerun-if` lines any file of the package may matter, unless the script reads none.
#[test]
fn a_script_that_names_no_file() {
    let reads = "on(std::fs::read_to_string(\"wide.txt\").unwrap().len() > 0);";
    let scratch = project("builds-unnamed", reads, WIDE).file("wide.txt", "");
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    later(&scratch, "wide.txt", "wide");
    let (types, said) = known(&scratch, Call::default());
    assert_eq!(types, "P");
    assert!(said.stdout.contains("before a file of its package changed"));
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "P W");

    let reads_none = "on(std::env::var(\"CARGO_PKG_NAME\").unwrap().len() > 3);";
    let scratch = project("builds-no-file", reads_none, WIDE).file("wide.txt", "");
    build(&scratch, Call::default());
    later(&scratch, "wide.txt", "wide");
    assert_eq!(known(&scratch, Call::default()).0, "P W");
}

/// Where whether cargo would run the script again is not known, what it said is assumed; where it
/// certainly would, it is not.
#[test]
fn output_that_may_be_stale_is_assumed() {
    let script = "on(std::fs::read_to_string(\"wide.txt\").unwrap().len() > 0);\n\
        println!(\"cargo::rustc-env=OF=abc\");\n\
        let out = std::env::var(\"OUT_DIR\").unwrap();\n\
        std::fs::write(out + \"/out.rs\", \"pub struct Made(pub u32, pub u8); pub const N: usize = 6; \
        pub type Picked = u64;\").unwrap();";
    let types = "#[cfg(wide)] struct W([u8; 9]);\n#[cfg(not(wide))] struct W(u8);\nstruct P(u16);\n\
        struct V([u8; env!(\"OF\").len()]);\n\
        include!(concat!(env!(\"OUT_DIR\"), \"/out.rs\"));\n\
        struct C([u8; N]);\nstruct H(Made, W);\nstruct Q(Picked, u8);\n\
        // Beside it: struct Made\n\
        mod other { pub type G = u16; pub type Picked = u8; }\nuse other::*;\n\
        struct U(G);";
    let scratch = project("builds-assumed", script, types).file("wide.txt", "");
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "C H Made P Q U V W");

    later(&scratch, "notes.txt", "no matter");
    let (types, said) = known(&scratch, Call::default());
    assert_eq!(types, "P");
    let elsewhere = Scratch::empty("builds-assumed-truth");
    let truth = Call::default().built(scratch.folder(), elsewhere.folder());
    let mut assumed = BTreeSet::new();
    for line in said.json() {
        let path = line["path"].as_str().expect("a line has a path");
        if let Some(size) = line["assumed_size"].as_u64() {
            assert_eq!(size, truth[path], "{line}");
            let assuming = line["assuming"].to_string();
            assert!(
                assuming
                    .contains("the last run of the build script of `builds_assumed` still holds")
            );
            assumed.insert(path.to_owned());
        }
    }
    let assumed: Vec<String> = assumed.into_iter().collect();
    assert_eq!(assumed.join(" "), "C H Made Q U V W");

    later(&scratch, "build.rs", "fn main() {}");
    let said = Call::default().sizes(scratch.folder());
    assert!(
        said.json()
            .iter()
            .all(|line| line["assumed_size"].is_null()),
        "{}",
        said.stdout
    );
}

/// A library that the script is built with is part of it.
#[test]
fn a_script_with_parts() {
    let manifest = |rest: &str, name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let script = "fn main() { println!(\"cargo::rerun-if-changed=build.rs\");\n\
        println!(\"cargo::rustc-check-cfg=cfg(wide)\");\n\
        if part::WIDE { println!(\"cargo::rustc-cfg=wide\") } }";
    let of = "\n[build-dependencies]\npart = { path = \"part\" }\n[workspace]\n";
    let scratch = scripted("builds-parts", script, WIDE)
        .file("Cargo.toml", manifest(of, "builds-parts"))
        .file("part/Cargo.toml", manifest("", "part"))
        .file("part/src/lib.rs", "pub const WIDE: bool = false;");
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    later(&scratch, "part/src/lib.rs", "pub const WIDE: bool = true;");
    assert_eq!(known(&scratch, Call::default()).0, "P");
}

/// A script is given what the scripts of packages with `links` say.
#[test]
fn a_script_that_is_given_the_output_of_another() {
    let manifest = |rest: &str, name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let script = "fn main() { println!(\"cargo::rerun-if-changed=build.rs\");\n\
        println!(\"cargo::rustc-check-cfg=cfg(wide)\");\n\
        if std::env::var(\"DEP_NATIVE_SIZE\").unwrap() == \"3\" { println!(\"cargo::rustc-cfg=wide\") } }";
    let sys = "fn main() { println!(\"cargo::rerun-if-env-changed=WIDE\");\n\
        println!(\"cargo::metadata=SIZE={}\", std::env::var(\"WIDE\").map_or(0, |v| v.len())); }";
    let of = "\n[dependencies]\nsys = { path = \"sys\" }\n[workspace]\n";
    let scratch = scripted("builds-given", script, WIDE)
        .file("Cargo.toml", manifest(of, "builds-given"))
        .file("sys/Cargo.toml", manifest("links = \"native\"\n", "sys"))
        .file("sys/build.rs", sys)
        .file("sys/src/lib.rs", "");
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "P W");
    let call = Call {
        variables: &[("WIDE", "yes")],
        ..Call::default()
    };
    assert_eq!(known(&scratch, call).0, "P");
    build(&scratch, call);
    assert_eq!(known(&scratch, call).0, "P W");
}

/// A compiler that gives another version makes another build.
#[cfg(unix)]
#[test]
fn another_compiler() {
    use std::os::unix::fs::PermissionsExt;
    let script = "let out = std::process::Command::new(std::env::var(\"RUSTC\").unwrap()).arg(\"-vV\").output();\n\
        println!(\"cargo::rerun-if-changed=build.rs\");\n\
        on(String::from_utf8(out.unwrap().stdout).unwrap().contains(\"other\"));";
    let wrapper = "#!/bin/sh\n\
        case \"$*\" in *-vV) rustc -vV | sed 's/^commit-hash: .*/commit-hash: other/' ;;\n\
        *) exec rustc \"$@\" ;; esac\n";
    let scratch = project("builds-compiler", script, WIDE).file("other/compiler", wrapper);
    let other = scratch.folder().join("other/compiler");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("it is ours");
    build(&scratch, Call::default());
    let other = other.to_string_lossy().into_owned();
    let call = Call {
        variables: &[("RUSTC", &other)],
        ..Call::default()
    };
    let (types, said) = known(&scratch, call);
    assert_eq!(types, "P");
    assert!(
        said.stdout.contains("with another rustc"),
        "{}",
        said.stdout
    );
    build(&scratch, call);
    assert_eq!(known(&scratch, call).0, "P W");
    // Builds by nightlies share a folder: that of the first compiler may be gone.
    known(&scratch, Call::default());
}

/// rustc turns `debug_assertions` off for `-O` where cargo passes nothing, and on for nothing else.
#[test]
fn flags_that_optimize() {
    let types = "#[cfg(debug_assertions)] struct D([u8; 6]);\n\
        #[cfg(not(debug_assertions))] struct D([u8; 2]);\n\
        #[cfg(panic = \"abort\")] struct A(u8);\n\
        #[cfg(not(panic = \"abort\"))] struct A();\n\
        #[cfg(target_feature = \"avx2\")] struct F([u8; 3]);\n\
        #[cfg(not(target_feature = \"avx2\"))] struct F();";
    let scratch = scripted("builds-optimize", "fn main() {}", types);
    let all = |variables: &[(&str, &str)], arguments: &[&str]| {
        let call = Call {
            variables,
            arguments,
        };
        assert_eq!(
            known(&scratch, call).0,
            "A D F",
            "{variables:?} {arguments:?}"
        );
    };
    all(&[("RUSTFLAGS", "-O")], &[]);
    all(&[("RUSTFLAGS", "-Copt-level=0")], &["--release"]);
    all(
        &[(
            "CARGO_ENCODED_RUSTFLAGS",
            "-C\x1fopt-level=1\x1f-Cpanic=abort",
        )],
        &[],
    );
    all(
        &[(
            "RUSTFLAGS",
            "-O -Cdebug-assertions=on -Ctarget-feature=+avx2",
        )],
        &[],
    );
    all(&[], &["--config", "build.rustflags=\"-O\""]);
    all(&[], &["--config", "target.'cfg(all())'.rustflags=[\"-O\"]"]);
    // Cargo passes `-C debug-assertions` to an optimized build, and the flag does not undo it.
    all(
        &[("RUSTFLAGS", "-Copt-level=3")],
        &["--config", "profile.dev.opt-level=1"],
    );
    all(
        &[("RUSTFLAGS", "-Clinker-plugin-lto=no")],
        &[
            "--config",
            "profile.dev.package.builds-optimize.debug-assertions=false",
        ],
    );
}

/// Every type whose fields rustc may shuffle is unknown; a `repr` may forbid that.
#[test]
fn shuffled_fields() {
    let types = "struct R(u8, u32, u8);\nenum E { A(u8, u16, u8), B }\n\
        #[repr(C)] struct C(u8, u32, u8);\nstruct One([u8; 3]);\nstruct Of(R);\n\
        #[repr(u8)] enum I { A(u8, u16, u8), B }\nstruct Std(Vec<u8>);\nstruct Ptr(Box<u8>);";
    let scratch = scripted("builds-shuffled", "fn main() {}", types);
    let call = |flags| Call {
        variables: flags,
        ..Call::default()
    };
    let bootstrap = ("RUSTC_BOOTSTRAP", "1");
    let shuffled = [
        bootstrap,
        ("RUSTFLAGS", "-Zrandomize-layout -Zlayout-seed=7"),
    ];
    let (types, said) = known(&scratch, call(&shuffled));
    assert_eq!(types, "C I One Ptr");
    assert!(
        said.stdout
            .contains("`-Zrandomize-layout`: only rustc knows")
    );
    let off = [
        bootstrap,
        ("RUSTFLAGS", "-Zrandomize-layout -Zrandomize_layout=no"),
    ];
    assert_eq!(known(&scratch, call(&off)).0, "C E I Of One Ptr R Std");
    let by_config = Call {
        variables: &[bootstrap],
        arguments: &["--config", "build.rustflags=[\"-Z\", \"randomize-layout\"]"],
    };
    assert_eq!(known(&scratch, by_config).0, "C I One Ptr");
}

/// Moves a target folder to the layout of newer cargos.
fn move_to_new_layout(place: &Path) {
    let fingerprints = place.join(".fingerprint");
    if !fingerprints.exists() {
        // This cargo has it already.
        return;
    }
    for entry in fs::read_dir(&fingerprints).expect("cargo wrote it") {
        let from = entry.expect("an entry").path();
        let name = from
            .file_name()
            .expect("a name")
            .to_str()
            .expect("text")
            .to_owned();
        let (package, hash) = name.rsplit_once('-').expect("a hash");
        let unit = place.join("build").join(package).join(hash);
        fs::create_dir_all(unit.join("run")).expect("it is ours");
        fs::rename(&from, unit.join("fingerprint")).expect("it is ours");
        let old = place.join("build").join(&name);
        if old.join("output").is_file() {
            fs::rename(old.join("output"), unit.join("run/stdout")).expect("it is ours");
            fs::rename(old.join("out"), unit.join("out")).expect("it is ours");
        } else if old.is_dir() {
            fs::rename(&old, unit.join("out")).expect("it is ours");
        } else {
            fs::create_dir_all(unit.join("out")).expect("it is ours");
            for file in fs::read_dir(place.join("deps")).expect("cargo wrote it") {
                let file = file.expect("an entry").path();
                let name = file.file_name().expect("a name").to_owned();
                if name.to_string_lossy().contains(hash) {
                    fs::rename(file, unit.join("out").join(name)).expect("it is ours");
                }
            }
        }
        let _ = fs::remove_dir_all(&old);
    }
    fs::remove_dir_all(fingerprints).expect("it is ours");
}

/// Its build script sets a `cfg`, a variable and writes a file; a procedural macro adds a type.
fn of_all_kinds(name: &str) -> Scratch {
    let script = "fn main() { println!(\"cargo::rerun-if-changed=build.rs\");\n\
        println!(\"cargo::rustc-check-cfg=cfg(wide)\");\n\
        println!(\"cargo::rustc-cfg=wide\");\n\
        println!(\"cargo::rustc-env=OF=four\");\n\
        let out = std::env::var(\"OUT_DIR\").unwrap();\n\
        std::fs::write(out + \"/made.rs\", \"struct Written(u32);\").unwrap(); }";
    let types = format!(
        "{WIDE}\nstruct L([u8; env!(\"OF\").len()]);\ninclude!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n\
         #[derive(mac::Make)]\nstruct Given(u64);\nstruct U(Written);\nstruct V(Made);"
    );
    let manifest = |rest: &str, name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let of = "\n[dependencies]\nmac = { path = \"mac\" }\n[workspace]\n";
    scripted(name, script, &types)
        .file("Cargo.toml", manifest(of, name))
        .file(
            "mac/Cargo.toml",
            manifest("\n[lib]\nproc-macro = true\n", "mac"),
        )
        .file(
            "mac/src/lib.rs",
            "use proc_macro::TokenStream;\n#[proc_macro_derive(Make)]\n\
             pub fn make(_: TokenStream) -> TokenStream { \"struct Made(u16);\".parse().unwrap() }",
        )
}

/// Build output is read in the new layout of the build folder, beside what is left of the old one.
#[test]
fn the_new_layout_of_the_build_folder() {
    let scratch = of_all_kinds("builds-layout");
    let types = |scratch: &Scratch, arguments: &[&str]| {
        let said = Call {
            arguments,
            ..Call::default()
        };
        let lines = said.sizes(scratch.folder()).json().into_iter();
        let mut known: Vec<String> = lines
            .filter(|line| line["exact"] == true)
            .map(|line| {
                format!(
                    "{}={}",
                    line["path"].as_str().unwrap_or_default(),
                    line["size"]
                )
            })
            .collect();
        known.sort();
        known.join(" ")
    };
    let said = Call::default().sizes(scratch.folder());
    assert!(
        said.stderr.contains("types may be missing: "),
        "{}",
        said.stderr
    );
    assert_eq!(types(&scratch, &[]), "Given=8 P=2 W=9");
    build(&scratch, Call::default());
    let all = "Given=8 L=4 P=2 U=4 W=9 Written=4";
    let said = Call::default().sizes(scratch.folder());
    assert!(
        !said.stderr.contains("types may be missing: "),
        "{}",
        said.stderr
    );
    assert_eq!(types(&scratch, &[]), all);
    let expanded = "Given=8 L=4 Made=2 P=2 U=4 V=2 W=9 Written=4";
    assert_eq!(types(&scratch, &["--proc-macros"]), expanded);
    move_to_new_layout(&scratch.folder().join("target/debug"));
    assert_eq!(types(&scratch, &[]), all);
    assert_eq!(types(&scratch, &["--proc-macros"]), expanded);
    later(&scratch, "build.rs", "fn main() {}");
    assert_eq!(types(&scratch, &[]), "Given=8 P=2 W=1");
    let scratch = scratch.file(".cargo/config.toml", "[build]\nbuild-dir = \"elsewhere\"\n");
    let other = of_all_kinds("builds-elsewhere");
    let script = fs::read(other.folder().join("build.rs")).expect("it is there");
    fs::write(scratch.folder().join("build.rs"), script).expect("it is ours");
    build(&scratch, Call::default());
    assert!(scratch.folder().join("elsewhere/debug").is_dir());
    assert_eq!(types(&scratch, &["--proc-macros"]), expanded);
    move_to_new_layout(&scratch.folder().join("elsewhere/debug"));
    assert_eq!(types(&scratch, &["--proc-macros"]), expanded);
}

/// The newest nightly may keep its output in a new way.
#[test]
#[ignore = "needs a nightly toolchain: .ci/slow layout"]
fn the_newest_nightly() {
    let which = |name: &str| {
        let mut command = Command::new("rustup");
        let said = run(command.args(["which", "--toolchain", "nightly", name])).expect(0);
        said.stdout.trim().to_owned()
    };
    let (program, rustc) = (which("cargo"), which("rustc"));
    let variables = [
        ("CARGO", program.as_str()),
        ("RUSTC", &rustc),
        ("RUSTUP_TOOLCHAIN", "nightly"),
    ];
    let help = run(Command::new(&program).args(["-Z", "help"])).stdout;
    let mut ways = vec![None];
    if help.contains("build-dir-new-layout") {
        ways.push(Some("-Zbuild-dir-new-layout"));
    }
    let mut new = 0;
    for flag in ways {
        let scratch = of_all_kinds("builds-nightly");
        let mut command = Command::new(&program);
        command
            .current_dir(scratch.folder())
            .args(["build", "--quiet", "--offline"]);
        run(command.args(flag).envs(variables)).expect(0);
        new += usize::from(
            scratch
                .folder()
                .join("target/debug/build/builds-nightly")
                .is_dir(),
        );
        let call = Call {
            variables: &variables,
            arguments: &["--proc-macros"],
        };
        call.sizes(scratch.folder()).knows(&[
            ("L", 4),
            ("Made", 2),
            ("U", 4),
            ("V", 2),
            ("W", 9),
            ("Written", 4),
        ]);
    }
    assert!(new > 0, "no build has the new layout");
}

/// A script that cargo's configuration overrides never runs.
#[test]
fn overridden_output() {
    let script = "on(true);";
    let config = |of: &str| {
        format!(
            "[target.{}.native]\n{of}rustc-env = {{ OF = \"three\" }}\n",
            host()
        )
    };
    let types = format!("{WIDE}\nstruct L([u8; env!(\"OF\").len()]);");
    let scratch = project(
        "builds-overridden",
        &format!("{script} println!(\"cargo::rustc-env=OF=a\");"),
        &types,
    );
    build(&scratch, Call::default());
    assert_eq!(known(&scratch, Call::default()).0, "L P W");
    let manifest = fs::read_to_string(scratch.folder().join("Cargo.toml")).expect("it is there");
    let manifest = manifest.replace("edition", "links = \"native\"\nedition");
    let scratch = scratch
        .file("Cargo.toml", manifest)
        .file(".cargo/config.toml", config(""));
    assert_eq!(known(&scratch, Call::default()).0, "L P W");
    let scratch = scratch.file(".cargo/config.toml", config("rustc-cfg = [\"wide\"]\n"));
    assert_eq!(known(&scratch, Call::default()).0, "L P W");
}

fn host() -> String {
    let said = run(Command::new("rustc").arg("-vV")).expect(0);
    let host = said
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

/// Tests unwind whatever the profile says, and `--tests` builds libraries and programs with
/// `cfg(test)`.
#[test]
fn tests_are_built_as_tests() {
    let types = "pub struct T(#[cfg(test)] pub u64);\n#[cfg(test)] struct OnlyTest(u16);\n\
        #[cfg(panic = \"abort\")] pub struct P([u8; 3]);\n\
        #[cfg(not(panic = \"abort\"))] pub struct P();\n";
    let print = "println!(\"{} {}\", size_of::<T>(), size_of::<P>());";
    let test = format!("#[cfg(test)] mod tests {{ use super::*; #[test] fn it() {{ {print} }} }}");
    let beside = "#[cfg(panic = \"abort\")] struct I([u8; 3]);\n\
        #[cfg(not(panic = \"abort\"))] struct I();\nstruct Of(builds_tests::T);\n\
        #[test] fn it() { println!(\"{} {}\", size_of::<I>(), size_of::<Of>()); }";
    let manifest = "[package]\nname = \"builds-tests\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
        [workspace]\n[profile.dev]\npanic = \"abort\"\n\
        [[bin]]\nname = \"untested\"\npath = \"src/main.rs\"\ntest = false\n";
    let scratch = Scratch::outside("builds-tests")
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", format!("{types}{test}"))
        .file("src/main.rs", "struct Untested(u8);\nfn main() {}")
        .file("tests/beside.rs", beside);
    let said = |arguments: &[&str]| {
        let mut command = weigh(scratch.folder());
        command.args(["sizes", "--message-format", "json", "--offline"]);
        run(command.args(arguments)).expect(0)
    };
    said(&["--lib"]).knows(&[("T", 0), ("P", 3)]);
    let tests = said(&["--tests"]);
    let mut command = cargo();
    command.current_dir(scratch.folder());
    let truth = run(command.args(["test", "--quiet", "--", "--nocapture"])).expect(0);
    assert!(
        truth.stdout.contains("8 0\n") && truth.stdout.contains("0 0\n"),
        "{}",
        truth.stdout
    );
    tests.knows(&[("T", 8), ("P", 0), ("I", 0), ("Of", 0), ("OnlyTest", 2)]);
    assert!(!tests.stdout.contains("Untested"), "{}", tests.stdout);
    said(&["--test", "beside"]).knows(&[("I", 0), ("Of", 0)]);
}

/// Names in a `macro` are those where it is defined.
#[test]
fn macros_with_hygiene() {
    let types = "mod a {\n\
        pub const N: usize = 3;\n\
        pub type T = u16;\n\
        pub macro made($n:ident) { pub struct $n([u8; N], T); }\n\
        pub macro inner($n:ident, $t:ty) { struct Inner($t); pub struct $n(Inner); }\n\
        pub macro constant($t:ident) { impl $t { pub const K: usize = 9; } }\n\
        }\n\
        const N: usize = 5;\ntype T = u64;\ntrait Tr { const K: usize = 4; }\n\
        a::made!(Made);\na::inner!(One, u8);\nstruct X;\nimpl Tr for X {}\na::constant!(X);\n\
        struct Y([u8; X::K]);\nstruct Plain([u8; N]);\nstruct Uses(Made, One);";
    let scratch = scripted(
        "builds-hygiene",
        "fn main() {}",
        "struct X; struct Y; struct Plain; struct Uses;",
    );
    let main = fs::read_to_string(scratch.folder().join("src/main.rs")).expect("it is there");
    let (_, main) = main.split_once("fn main").expect("it has one");
    let text =
        format!("#![feature(decl_macro)]\n#![allow(dead_code, unused)]\n{types}\nfn main{main}");
    let scratch = scratch.file("src/main.rs", text);
    let call = Call {
        variables: &[("RUSTC_BOOTSTRAP", "1")],
        ..Call::default()
    };
    assert_eq!(known(&scratch, call).0, "Plain X");
}

/// `verify` passes the flags for rustc on to rustdoc, and compares the dependencies that are named.
#[test]
fn verify_compares_the_same_build() {
    let types = "#[cfg(debug_assertions)] pub struct D([u8; 6]);\n\
        #[cfg(not(debug_assertions))] pub struct D([u8; 2]);\n\
        #[cfg(panic = \"abort\")] pub struct P([u8; 3]);\n\
        #[cfg(not(panic = \"abort\"))] pub struct P();\n\
        #[cfg(target_feature = \"avx2\")] pub struct F([u8; 3]);\n\
        #[cfg(not(target_feature = \"avx2\"))] pub struct F();\n\
        #[cfg(set)] pub struct S([u8; 3]);\n#[cfg(not(set))] pub struct S();\n";
    let manifest = |rest: &str, name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let of = "\n[dependencies]\nother = { path = \"../other\" }\n[workspace]\n\
        [lints.rust]\nunexpected_cfgs = \"allow\"\n";
    let scratch = Scratch::outside("builds-verify")
        .file("own/Cargo.toml", manifest(of, "builds-verify"))
        .file("own/src/lib.rs", types)
        .file("other/Cargo.toml", manifest("", "other"))
        .file("other/src/lib.rs", "pub struct O(pub u8, pub u32);");
    let verify = |variables: &[(&str, &str)], arguments: &[&str], right: &str| {
        let mut command = weigh(&scratch.folder().join("own"));
        let call = Call {
            variables,
            arguments,
        };
        let said = run(call.with(command.args(["verify", "--offline"]))).expect(0);
        assert!(
            said.stdout.contains(right),
            "{variables:?}\n{}",
            said.stdout
        );
    };
    let all = "4 exact, 0 wrong, 0 unknown";
    verify(
        &[("RUSTFLAGS", "-Ctarget-feature=+avx2 -C panic=abort -O")],
        &[],
        all,
    );
    verify(
        &[],
        &["--config", "profile.release.panic=\"abort\"", "--release"],
        all,
    );
    verify(&[("RUSTDOCFLAGS", "--cfg set")], &[], all);
    verify(&[], &["-p", "other"], "1 exact, 0 wrong, 0 unknown");
}

/// What cargo cannot fetch is left out, and said; a package that does not need it misses nothing.
#[test]
fn a_dependency_that_cannot_be_fetched() {
    let url = format!("file:///nonexistent/gone-{}", std::process::id());
    let scratch = Scratch::empty("unfetched")
        .file(
            "Cargo.toml",
            format!(
                "[workspace]\nmembers = [\"near\", \"far\"]\nexclude = [\"beside\"]\nresolver = \"3\"\n\
                 [workspace.dependencies]\ngone = {{ git = {url:?}, features = [\"wide\"] }}\n"
            ),
        )
        .file(
            "near/Cargo.toml",
            "[package]\nname = \"near\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
             far = { path = \"../far\" }\nbeside = { path = \"../beside\" }\n\
             gone = { workspace = true, optional = true, features = [\"more\"] }\n\
             [features]\ndefault = [\"gone\"]\ngone = [\"dep:gone\", \"gone/most\"]\n",
        )
        .file(
            "near/src/lib.rs",
            "pub struct Known(pub far::Part, pub u16);\npub struct Lost(pub gone::Gone);\n\
             pub struct Plain(pub beside::Plain);\npub struct Featured(pub beside::Featured);\n",
        )
        .file(
            "beside/Cargo.toml",
            "[package]\nname = \"beside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [features]\nwide = []\n",
        )
        .file(
            "beside/src/lib.rs",
            "pub struct Plain(pub u32);\n\
             pub struct Featured(pub u8, #[cfg(feature = \"wide\")] pub u64);\n",
        )
        .file(
            "far/Cargo.toml",
            "[package]\nname = \"far\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .file("far/src/lib.rs", "pub struct Part(pub u64, pub u8);\n");
    let sizes = |args: &[&str], status| {
        let all = ["sizes", "--offline", "--message-format", "json"];
        let said = run_in(scratch.folder(), &[&all[..], args].concat()).expect(status);
        let lines = said
            .stdout
            .lines()
            .map(|l| serde_json::from_str(l).expect("JSON"));
        let sizes = lines.map(|l: serde_json::Value| (l["path"].to_string(), l["size"].as_u64()));
        let sizes: Vec<_> = sizes.collect();
        (sizes, said)
    };
    let check = || {
        let (all, said) = sizes(&["--workspace"], 2);
        assert_eq!(all.len(), 5);
        for (path, size) in all {
            let known = match path.as_str() {
                "\"Known\"" => Some(24),
                "\"Part\"" => Some(16),
                "\"Plain\"" => Some(4),
                // What is not fetched may enable a feature of it.
                _ => None,
            };
            assert_eq!(size, known, "{path}");
        }
        let reason = "`gone::Gone` was not found, and `gone`, which may define it, is not fetched";
        assert!(said.stdout.contains(reason), "{}", said.stdout);
        said.says(&["not fetched, so that types are unknown which need it"]);
        let (far, said) = sizes(&["-p", "far"], 0);
        assert_eq!(far.len(), 1);
        assert!(!said.stderr.contains("gone"), "{}", said.stderr);
    };
    check();
    assert!(
        !scratch.folder().join("Cargo.lock").exists(),
        "nothing is written"
    );
    let lock = format!(
        "version = 4\n\n[[package]]\nname = \"far\"\nversion = \"0.1.0\"\n\n\
         [[package]]\nname = \"gone\"\nversion = \"0.3.1\"\n\
         source = \"git+{url}#0123456789abcdef0123456789abcdef01234567\"\n\n\
         [[package]]\nname = \"near\"\nversion = \"0.1.0\"\n\
         dependencies = [\n \"far\",\n \"gone\",\n]\n"
    );
    fs::write(scratch.folder().join("Cargo.lock"), &lock).expect("the folder is ours");
    check();
    let now = fs::read_to_string(scratch.folder().join("Cargo.lock")).expect("the lock file");
    assert_eq!(now, lock);
}
