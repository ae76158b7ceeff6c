//! Compiles `tests/shapes/` unchanged, then with every limit one byte lower.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs, thread};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shapes");
const KEYS: [&str; 5] = ["max = ", "min = ", "exact = ", "align = ", "max_gap = "];
/// Text beside limits that do not apply: the tests run on a 64-bit target.
const NEVER: [&str; 3] = ["cfg(any())", "cfg_attr(any()", "pointer_width = 32"];

#[test]
fn there_are_sixty_shapes() {
    let derives: usize = sources()
        .iter()
        .map(|(_, text)| text.matches("AssertSize)]").count())
        .sum();
    assert!(derives >= 60, "{derives} shapes");
}

#[test]
fn shapes_compile_without_a_word() {
    let library = library();
    for edition in ["2021", "2024"] {
        for root in ["lib.rs", "renamed.rs"] {
            let output = compile("rustc", &library, &Path::new(ROOT).join(root), edition, &[]);
            assert_eq!(output, "", "{root}, edition {edition}");
        }
    }
}

#[test]
fn clippy_finds_nothing() {
    let version = Command::new("clippy-driver").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        eprintln!("clippy is not installed: its lints are not tested");
        return;
    }
    let library = library();
    for root in ["lib.rs", "renamed.rs"] {
        let output = compile(
            "clippy-driver",
            &library,
            &Path::new(ROOT).join(root),
            "2024",
            &[],
        );
        assert_eq!(output, "", "{root}");
    }
}

/// Proves the expectations under `pointer_width = 32` if a 32-bit target is installed; not one of
/// x86, whose `u64` is aligned to 4 bytes, which changes the size of half of the shapes.
#[test]
fn shapes_compile_for_every_installed_target() {
    let targets = installed_targets();
    for target in &targets {
        let output = compile(
            "rustc",
            &library_for(target, &["--target", target]),
            &Path::new(ROOT).join("lib.rs"),
            "2024",
            &["--target", target],
        );
        assert_eq!(output, "", "{target}");
    }
    println!("tested for {}", targets.join(", "));
}

/// Needs no such target: with a second `cfg` for 32 bits, rustc must evaluate both.
#[test]
fn expectations_for_32_bits_are_asked_for() {
    let bits = [
        "--cfg",
        "target_pointer_width=\"32\"",
        "-Aexplicit_builtin_cfgs_in_flags",
    ];
    let root = Path::new(ROOT).join("lib.rs");
    let output = compile("rustc", &library(), &root, "2024", &bits);
    let text = "size of `Text` is 16 bytes, 8 over the exact size of 8";
    assert!(output.contains(text), "{output}");
    let text = "alignment of `Text` is 8 bytes, 4 over the exact alignment of 4";
    assert!(output.contains(text), "{output}");
    assert!(
        output.contains("aborting due to 2 previous errors"),
        "{output}"
    );
}

#[test]
fn each_limit_fails_one_byte_lower() {
    let copy = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lowered");
    fs::create_dir_all(&copy).unwrap();
    let mut sites = Vec::new();
    for (name, text) in sources() {
        let (lowered, starts) = lower(&text);
        for start in starts {
            sites.push((name.clone(), position(&lowered, start)));
        }
        fs::write(copy.join(name), lowered).unwrap();
    }
    assert!(sites.len() > 100, "{} limits", sites.len());

    let output = compile("rustc", &library(), &copy.join("lib.rs"), "2024", &[]);
    let errors: Vec<&str> = output
        .lines()
        .filter(|line| line.contains(": error"))
        .collect();
    let place = |(name, (line, column)): &(String, (usize, usize))| {
        format!("{name}:{line}:{column}: error[E0080]: evaluation panicked: ")
    };
    let places: Vec<String> = sites.iter().map(place).collect();
    let by_one = [
        "is 1 byte over",
        " byte, 1 ",
        " bytes, 1 ",
        " second, 1 ",
        ", 1 over",
        ", 1 under",
        // The message for a set states no difference.
        "is 16 bytes, expected 23 or 15",
    ];
    let loose = |place: &&String| {
        let mut messages = errors
            .iter()
            .filter_map(|error| error.split_once(place.as_str()));
        !messages.any(|(_, message)| by_one.iter().any(|part| message.contains(part)))
    };
    let loose: Vec<&String> = places.iter().filter(loose).collect();
    assert!(
        loose.is_empty(),
        "limits that are not the present sizes: {loose:#?}"
    );
    let other = |error: &&&str| !places.iter().any(|place| error.contains(place.as_str()));
    let others: Vec<&&str> = errors.iter().filter(other).collect();
    assert!(
        others.is_empty(),
        "errors that no limit explains: {others:#?}"
    );
}

#[test]
fn under_another_name() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("other");
    fs::create_dir_all(&folder).unwrap();
    let root = folder.join("lib.rs");
    let text = "#![deny(warnings)]
        #[derive(sizes::AssertSize)]
        #[assert_size(max = 8, crate = sizes)]
        pub struct Own(pub u64);
        #[derive(crate::again::AssertSize)]
        #[assert_size(crate = crate::again, max = 16, variant(Wide, exact = 8))]
        pub enum Either { Wide(u64), None }
        sizes::assert_size!(u32, crate = ::sizes, exact = 4);
        pub mod again { pub use sizes::*; }
        ";
    let other = |text: &str| {
        fs::write(&root, text).unwrap();
        compile_as("sizes", "rustc", &library(), &root, "2024", &[])
    };
    assert_eq!(other(text), "");
    let low = other(&text.replace("max = 8", "max = 7"));
    assert!(low.contains("size of `Own` is 8 bytes, 1 over"), "{low}");
    let unnamed = other(&text.replace(", crate = sizes", ""));
    assert!(unnamed.contains("weigh_derive"), "{unnamed}");
}

/// Returns the files of the shapes, sorted by name.
fn sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(ROOT).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        sources.push((name, fs::read_to_string(&path).unwrap()));
    }
    sources.sort();
    sources
}

/// Returns the text with each limit one byte lower if possible (a minimum one higher), and the
/// offsets of those limits.
fn lower(text: &str) -> (String, Vec<usize>) {
    let mut lowered = String::new();
    let mut starts = Vec::new();
    let mut done = 0;
    while let Some(found) = text[done..].find("assert_size(") {
        let open = done + found + "assert_size".len();
        let close = open + matching(&text[open..]);
        let line = text[..open].rfind('\n').map_or(0, |at| at + 1);
        if NEVER.iter().any(|never| text[line..close].contains(never)) {
            lowered.push_str(&text[done..close]);
            done = close;
            continue;
        }
        while let Some((key, at)) = next_key(&text[done.max(open)..close]) {
            let value = done.max(open) + at;
            let end = value + value_end(&text[value..close]);
            lowered.push_str(&text[done..value]);
            let written = &text[value..end];
            let other = changed(key, written);
            if other != written {
                starts.push(lowered.len());
            }
            lowered.push_str(&other);
            done = end;
        }
        lowered.push_str(&text[done..close]);
        done = close;
    }
    lowered.push_str(&text[done..]);
    (lowered, starts)
}

/// Returns the first key with a value, and the offset of the value.
fn next_key(text: &str) -> Option<(&'static str, usize)> {
    let starts_word =
        |at: usize| !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
    let found = KEYS.iter().filter_map(|key| {
        let mut places = text.match_indices(key).map(|(at, _)| at);
        places
            .find(|at| starts_word(*at))
            .map(|at| (*key, at + key.len()))
    });
    found.min_by_key(|(_, at)| *at)
}

/// Returns the length of the delimited text at the start.
fn matching(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    panic!("no end of {text}");
}

/// Returns the end of a value, which is the next comma or closing delimiter.
fn value_end(text: &str) -> usize {
    let mut at = 0;
    while at < text.len() {
        match text.as_bytes()[at] {
            b'(' | b'[' | b'{' => at += matching(&text[at..]),
            b',' | b')' => break,
            _ => at += 1,
        }
    }
    at
}

fn changed(key: &str, value: &str) -> String {
    if let Some(set) = value.strip_prefix('[') {
        let sizes = set.trim_end_matches(']').split(", ");
        let sizes: Vec<String> = sizes.map(|size| changed(key, size)).collect();
        return format!("[{}]", sizes.join(", "));
    }
    let step: isize = if key == "min = " { 1 } else { -1 };
    let digits = value.trim_end_matches("usize").replace('_', "");
    match digits.parse::<isize>() {
        // A limit cannot be below 0, and a fragment with a set has no number.
        Ok(0) => value.to_owned(),
        Ok(number) => (number + step).to_string(),
        Err(_) if value == "$set" => value.to_owned(),
        Err(_) => format!("({value}) {step:+}"),
    }
}

/// Returns line and column, counted as in rustc's messages.
fn position(text: &str, at: usize) -> (usize, usize) {
    let line = text[..at].matches('\n').count() + 1;
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    (line, text[start..at].chars().count() + 1)
}

/// Compiles a crate; returns the compiler's messages, empty if there are none.
fn compile(compiler: &str, library: &Path, root: &Path, edition: &str, more: &[&str]) -> String {
    compile_as("weigh_derive", compiler, library, root, edition, more)
}

/// Compiles with another name for the derive crate.
fn compile_as(
    name: &str,
    compiler: &str,
    library: &Path,
    root: &Path,
    edition: &str,
    more: &[&str],
) -> String {
    let compiler = match compiler {
        "rustc" => env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()),
        other => OsString::from(other),
    };
    // Tests run in parallel; each has a directory named after it.
    let test = thread::current().name().unwrap_or("out").to_owned();
    let mut command = Command::new(&compiler);
    command
        .args([
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--error-format",
            "short",
        ])
        .args(["--edition", edition, "--crate-name", "shapes", "--out-dir"])
        .arg(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test))
        .arg("--extern")
        .arg(format!("{name}={}", library.display()))
        .arg("-L")
        .arg(format!(
            "dependency={}",
            macro_library().parent().unwrap().display()
        ))
        .args(more)
        .arg(root);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() || !text.is_empty(),
        "{compiler:?} failed silently"
    );
    text
}

/// Returns the targets that have a standard library installed.
fn installed_targets() -> Vec<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir"])
        .output()
        .unwrap();
    let directory = String::from_utf8(output.stdout).unwrap();
    let rustlib = Path::new(directory.trim()).ancestors().nth(2).unwrap();
    let mut targets = Vec::new();
    for entry in fs::read_dir(rustlib).unwrap() {
        let entry = entry.unwrap();
        let has_core = fs::read_dir(entry.path().join("lib")).is_ok_and(|mut files| {
            files.any(|file| {
                file.unwrap()
                    .file_name()
                    .to_string_lossy()
                    .starts_with("libcore-")
            })
        });
        let name = entry.file_name().into_string().unwrap();
        if has_core && !name.starts_with("i5") && !name.starts_with("i6") {
            targets.push(name);
        }
    }
    assert!(
        !targets.is_empty(),
        "no targets under {}",
        rustlib.display()
    );
    targets
}

/// Returns the derive crate for the host.
fn library() -> PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| library_for("host", &[])).clone()
}

/// Compiles the derive crate for a target, against the macros that cargo built.
fn library_for(name: &str, more: &[&str]) -> PathBuf {
    let macros = macro_library();
    let library =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("libweigh_derive-{name}.rmeta"));
    let status = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args([
            "--crate-name",
            "weigh_derive",
            "--crate-type",
            "lib",
            "--edition",
            "2024",
        ])
        .arg("--extern")
        .arg(format!("weigh_derive_macros={}", macros.display()))
        .arg("--emit")
        .arg(format!("metadata={}", library.display()))
        .args(more)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs"))
        .status()
        .unwrap();
    assert!(status.success(), "{name}");
    library
}

/// Returns the library of the macros that cargo built. Only cargo knows its file name: older ones
/// are in the same directory.
fn macro_library() -> PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(build_macro_library).clone()
}

fn build_macro_library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--lib",
            "--quiet",
            "--offline",
            "--message-format",
            "json",
        ])
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stdout).unwrap();
    let artifact = messages.lines().find(|line| {
        line.contains("\"reason\":\"compiler-artifact\"")
            && line.contains("\"name\":\"weigh_derive_macros\"")
    });
    let artifact =
        artifact.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let (_, files) = artifact.split_once("\"filenames\":[\"").unwrap();
    let (file, _) = files.split_once('"').unwrap();
    PathBuf::from(file.replace("\\\\", "\\"))
}
