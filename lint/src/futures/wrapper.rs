//! What this program is while cargo builds for `futures`: the wrapper around each call of rustc for a
//! crate of the workspace.
//!
//! It adds full debug information, and makes rustc dump each coroutine as it transforms it. Dumps
//! need unstable flags, which only this rustc, and only for the crate that it compiles, is allowed:
//! build scripts, and the compilers that they try, see a compiler as it is.

use crate::store::{self, Folder, Kind};
use rustc_hash::FxHasher;
use std::ffi::{OsStr, OsString};
use std::hash::Hasher;
use std::path::Path;
use std::process::Command;

/// The variable by which the program knows what it is: the target folder of the project.
pub const VARIABLE: &str = "CARGO_WEIGH_FUTURES";

/// The folder of the dumps, in ours.
pub const DUMPS: &str = "dumps";

/// The file, among dumps, that names what rustc wrote with them.
pub const OUTPUT: &str = "output";

/// The text in the names of files with dumps.
pub const PASS: &str = "StateTransform";

/// Runs rustc if cargo called this program as a wrapper; returns its exit status.
pub fn run(arguments: &[OsString]) -> Option<u8> {
    let target = std::env::var_os(VARIABLE)?;
    let [_, compiler, rest @ ..] = arguments else {
        return None;
    };
    // Cargo passes the compiler's path; a command of ours has a name of its own.
    let name = Path::new(compiler).file_stem()?.to_str()?;
    if !name.contains("rustc") {
        return None;
    }
    let mut command = Command::new(compiler);
    let call = Call::of(rest);
    // Cargo says so to the compiler only, not to build scripts.
    let is_compiled = std::env::var_os("CARGO_CRATE_NAME").is_some();
    match call.filter(|call| is_compiled && call.is_wanted()) {
        Some(call) => call.add(&mut command, Path::new(&target)),
        None => {
            command.args(rest);
        }
    }
    Some(ended(&mut command))
}

#[cfg(unix)]
fn ended(command: &mut Command) -> u8 {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    eprintln!("cannot run rustc: {error}");
    FAILED
}

#[cfg(not(unix))]
fn ended(command: &mut Command) -> u8 {
    let status = command.status();
    let code = status.ok().and_then(|status| status.code());
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(FAILED)
}

/// The exit status if rustc cannot be run.
const FAILED: u8 = 2;

/// A call of rustc by cargo.
struct Call<'a> {
    arguments: &'a [OsString],
    name: &'a str,
    source: &'a str,
    kinds: Vec<&'a str>,
    is_test: bool,
    out: Option<&'a str>,
    extra: &'a str,
}

impl<'a> Call<'a> {
    fn of(arguments: &'a [OsString]) -> Option<Call<'a>> {
        let words: Vec<&str> = arguments.iter().filter_map(|a| a.to_str()).collect();
        let value = |flag: &str| {
            let at = words.iter().position(|word| *word == flag)?;
            words.get(at + 1).copied()
        };
        let kinds = words.windows(2).filter(|pair| pair[0] == "--crate-type");
        let extra = words.iter().find_map(|w| w.strip_prefix("extra-filename="));
        Some(Call {
            arguments,
            name: value("--crate-name")?,
            source: words.iter().find(|word| word.ends_with(".rs"))?,
            kinds: kinds.map(|pair| pair[1]).collect(),
            is_test: words.contains(&"--test"),
            out: value("--out-dir"),
            extra: extra.unwrap_or_default(),
        })
    }

    /// Whether cargo sets an option for code generation that starts so.
    fn has(&self, start: &str) -> bool {
        let mut words = self.arguments.iter().filter_map(|a| a.to_str());
        words.any(|word| word.trim_start_matches("-C").starts_with(start))
    }

    /// Whether the crate is part of what was selected: no build script and no procedural macro.
    fn is_wanted(&self) -> bool {
        let is_script = self.name.starts_with("build_script_");
        !is_script && !self.kinds.contains(&"proc-macro")
    }

    /// Whether it is a program, which need not be linked to be measured.
    fn is_program(&self) -> bool {
        self.is_test || self.kinds == ["bin"]
    }

    fn add(&self, command: &mut Command, target: &Path) {
        let object = match (self.is_program(), self.out) {
            (true, Some(out)) => Some(Path::new(out).join(format!("{}{}", self.name, self.extra))),
            _ => None,
        };
        for argument in self.arguments {
            let emitted = argument.to_str().and_then(|a| a.strip_prefix("--emit="));
            match (emitted, &object) {
                // Cargo finds the object where it expects the program.
                (Some(kinds), Some(object)) => {
                    let kept = kinds.split(',').filter(|kind| *kind != "link");
                    let mut kept: Vec<&str> = kept.collect();
                    let object = format!("obj={}", object.display());
                    kept.push(&object);
                    command.arg(format!("--emit={}", kept.join(",")));
                }
                _ => {
                    command.arg(argument);
                }
            }
        }
        command.args(["-Cdebuginfo=2", "-Cstrip=none", "-Csplit-debuginfo=off"]);
        command.args(["-Clto=no", "-Clinker-plugin-lto=no"]);
        command.args(["--cap-lints", "allow"]);
        // Sizes are the same, and what is inlined everywhere is not described. What is compiled only
        // for debugging stays as it is.
        if self.has("opt-level=") && !self.has("opt-level=0") {
            command.arg("-Copt-level=0");
            if !self.has("debug-assertions=") {
                command.arg("-Cdebug-assertions=off");
            }
        }
        if object.is_some() {
            command.arg("-Ccodegen-units=1");
        }
        // Private functions that nobody calls have futures too.
        if object.is_some()
            || self
                .kinds
                .iter()
                .all(|kind| matches!(*kind, "lib" | "rlib"))
        {
            command.arg("-Clink-dead-code");
        }
        let library = || {
            let name = format!("lib{}{}.rlib", self.name, self.extra);
            self.out.map(|out| Path::new(out).join(name))
        };
        if let Some(dumps) = object.or_else(library).and_then(|o| self.dumps(target, &o)) {
            let mut folder = OsString::from("-Zdump-mir-dir=");
            folder.push(dumps.path());
            command.arg(format!("-Zdump-mir={PASS} & {{closure"));
            command.arg(folder).arg("-Zdump-mir-exclude-pass-number");
            command.env("RUSTC_BOOTSTRAP", allowed(self.name));
        }
    }

    /// The folder for the dumps of this crate, with nothing but the name of what rustc writes.
    fn dumps(&self, target: &Path, output: &Path) -> Option<Folder> {
        let ours = store::find(target, Kind::Futures).ok()?;
        let dumps = ours.own(DUMPS, true).ok()?;
        let source = std::path::absolute(self.source).ok()?;
        let name = format!("{}{}", unit(&source, self.is_test), self.extra);
        let _ = dumps.remove_tree(&name);
        let own = dumps.make(&name).ok()?;
        let output = std::path::absolute(output).ok()?;
        let named = own.put(OUTPUT, output.as_os_str().as_encoded_bytes());
        named.is_ok().then_some(own)
    }
}

/// The value of `RUSTC_BOOTSTRAP` that allows unstable flags for this crate, and what the user allows
/// already.
fn allowed(name: &str) -> OsString {
    match std::env::var("RUSTC_BOOTSTRAP") {
        Ok(set) if set == "1" => set.into(),
        Ok(set) if !set.is_empty() && set != "-1" => format!("{set},{name}").into(),
        _ => name.into(),
    }
}

/// How the names of folders with dumps of a crate start, by its first file. Its features, its profile
/// and much else may differ: cargo tells such builds apart by what it appends to the names of files.
pub fn unit(source: &Path, is_test: bool) -> String {
    let mut hasher = FxHasher::default();
    hasher.write(source.as_os_str().as_encoded_bytes());
    let hash = hasher.finish();
    let name = source.file_stem().and_then(OsStr::to_str);
    let kind = if is_test { "test" } else { "plain" };
    format!("{}-{kind}-{hash:016x}", name.unwrap_or("crate"))
}
