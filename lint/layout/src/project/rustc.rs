//! Queries to rustc about its version and about a target.

use super::calls::{self, Calls};
use super::config::Config;
use super::load::run;
use super::{ProjectError, did_you_mean, inputs};
use crate::name::Name;
use crate::seen;
use crate::source::read;
use crate::target::{DataLayout, Fact, Target};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler that the project is built with.
#[derive(Clone, Debug, Default)]
pub struct Rustc {
    /// Its release, `1.99.1` or `1.101.0-nightly`.
    pub version: String,
    /// The triple of the host.
    pub host: String,
    /// The commit that it was built from, if it is reported.
    pub commit_hash: Option<String>,
    /// The output of `rustc -vV`.
    pub verbose: String,
    /// The path or name of the program.
    pub program: String,
    /// The neutral folder that it is run in, for `--no-project-config`.
    pub(super) neutral: Option<PathBuf>,
}

/// Returns the compiler that cargo would use, without wrappers, which change no answer.
pub(super) fn program(calls: &Calls, config: &Config) -> String {
    config
        .env("RUSTC")
        .map(str::to_owned)
        .or_else(|| config.text(&["build", "rustc"]))
        .or_else(|| inputs::behind_rustup(calls, "rustc"))
        .unwrap_or_else(|| "rustc".to_owned())
}

impl Rustc {
    /// Asks the compiler for its version.
    pub(super) fn ask(calls: &Calls, program: &str) -> Result<Rustc, ProjectError> {
        let mut command = calls.program(program);
        command.arg("-vV");
        let verbose = calls.run(command, None)?;
        let field = |name: &str| {
            verbose
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                .map(str::to_owned)
        };
        let missing = || ProjectError::new(format!("`{program} -vV` does not say its version"));
        Ok(Rustc {
            version: field("release").ok_or_else(missing)?,
            host: field("host").ok_or_else(missing)?,
            commit_hash: field("commit-hash").filter(|hash| hash != "unknown"),
            verbose,
            program: program.to_owned(),
            neutral: calls.neutral().map(Path::to_owned),
        })
    }

    /// Creates a command for the compiler.
    pub fn command(&self) -> Command {
        calls::command(&self.program, self.neutral.as_deref())
    }
}

/// Returns the program of the toolchain that runs procedural macros.
pub(super) fn macro_server(calls: &Calls, program: &str) -> Result<PathBuf, ProjectError> {
    let mut command = calls.program(program);
    command.args(["--print", "sysroot"]);
    let sysroot = PathBuf::from(run(command, None)?.trim());
    let name = format!(
        "rust-analyzer-proc-macro-srv{}",
        std::env::consts::EXE_SUFFIX
    );
    let server = sysroot.join("libexec").join(name);
    match seen::is_file(&server) {
        true => Ok(server),
        false => {
            let why = format!("`--proc-macros`: there is no `{}`", server.display());
            Err(ProjectError::new(why).help("toolchains that rustup installs have it"))
        }
    }
}

/// The output of rustc for a target.
pub(super) struct Printed {
    /// The `cfg` facts.
    pub(super) cfgs: Vec<cargo_platform::Cfg>,
    /// The sysroot of the compiler.
    pub(super) sysroot: PathBuf,
}

/// Returns the facts of a target, or of the host, under these flags.
pub(super) fn print_cfg(
    calls: &Calls,
    program: &str,
    target: Option<&str>,
    flags: &[String],
) -> Result<Printed, ProjectError> {
    print(calls, calls.program(program), target, flags)
}

/// Returns the same with facts that a stable compiler does not print.
pub(super) fn print_all_cfg(
    calls: &Calls,
    program: &str,
    target: Option<&str>,
    flags: &[String],
) -> Result<Printed, ProjectError> {
    let mut command = calls.program(program);
    command.env("RUSTC_BOOTSTRAP", "1");
    print(calls, command, target, flags)
}

fn print(
    calls: &Calls,
    mut command: Command,
    target: Option<&str>,
    flags: &[String],
) -> Result<Printed, ProjectError> {
    command
        .args(["--print", "sysroot", "--print", "cfg"])
        .args(flags);
    if let Some(target) = target {
        command.arg("--target").arg(target);
    }
    let help = "it may not know the target or a flag of RUSTFLAGS";
    let text = calls.run(command, Some(help))?;
    let (sysroot, cfgs) = text.split_once('\n').unwrap_or_default();
    Ok(Printed {
        cfgs: cfgs.lines().filter_map(|line| line.parse().ok()).collect(),
        sysroot: PathBuf::from(sysroot),
    })
}

/// Returns a short error for a target that rustc does not know, instead of its whole command line.
pub(super) fn unknown_target(
    calls: &Calls,
    program: &str,
    triple: &str,
    error: ProjectError,
) -> ProjectError {
    let detail = error.detail.as_deref().unwrap_or_default();
    if !detail.contains("could not find specification for target") {
        return error;
    }
    let mut command = calls.program(program);
    command.args(["--print", "target-list"]);
    let list = calls.run(command, None).unwrap_or_default();
    let near = did_you_mean(triple, list.lines());
    ProjectError::new(format!("rustc knows no target `{triple}`{near}"))
        .help("`rustc --print target-list` lists them")
}

/// Returns the flag that makes rustc lay types out in another way than it does by default, if there
/// is one. `folder` is the one that files of arguments are relative to.
pub(super) fn layout_flag(flags: &[String], folder: &Path) -> Option<String> {
    let mut found = None;
    let mut next = flags.iter();
    while let Some(flag) = next.next() {
        if let Some(file) = flag.strip_prefix('@') {
            // Nothing is said of what cannot be read.
            let text = read::text(&folder.join(file)).unwrap_or_else(|_| "layout".to_owned());
            if text.contains("layout") {
                found = Some(flag.clone());
            }
            continue;
        }
        let option = match flag.strip_prefix("-Z") {
            Some("") => next.next().map_or("", String::as_str),
            Some(option) => option,
            None => continue,
        };
        let (name, value) = option.split_once('=').unwrap_or((option, "yes"));
        let name = name.trim().replace('_', "-");
        let is_off = ["n", "no", "off", "false"].contains(&value);
        // A seed alone changes nothing. Other names are of options to come.
        match name.as_str() {
            "layout-seed" => {}
            "randomize-layout" if is_off => found = None,
            _ if ["layout", "niche"].iter().any(|part| name.contains(part)) => {
                found = Some(format!("-Z{name}"));
            }
            _ => {}
        }
    }
    found
}

/// Returns a `cfg` as a fact.
pub(super) fn fact(cfg: &cargo_platform::Cfg) -> Fact {
    match cfg {
        cargo_platform::Cfg::Name(name) => (Name::new(&name.name), None),
        cargo_platform::Cfg::KeyPair(name, value) => {
            (Name::new(&name.name), Some(Name::new(value)))
        }
    }
}

/// Builds a target from its triple and the output of [`print_cfg`].
pub(super) fn target(
    calls: &Calls,
    program: &str,
    triple: &str,
    cfgs: &[cargo_platform::Cfg],
    minor: u32,
) -> Result<Target, ProjectError> {
    let facts: FxHashSet<Fact> = cfgs.iter().map(fact).collect();
    let layout = match DataLayout::of_triple(triple) {
        Some(layout) => layout,
        None => ask_layout(calls, program, triple)?,
    };
    let name = match triple.strip_suffix(".json") {
        Some(path) => path.rsplit(['/', '\\']).next().unwrap_or(path),
        None => triple,
    };
    Ok(Target {
        triple: name.to_owned(),
        layout,
        facts,
        minor,
    })
}

fn ask_layout(calls: &Calls, program: &str, triple: &str) -> Result<DataLayout, ProjectError> {
    let mut command = calls.program(program);
    command
        .args([
            "-Zunstable-options",
            "--print",
            "target-spec-json",
            "--target",
        ])
        .arg(triple)
        // A stable compiler gives the same answer.
        .env("RUSTC_BOOTSTRAP", "1");
    let text = calls.run(command, None)?;
    serde_json::from_str(&text)
        .ok()
        .and_then(|spec| DataLayout::of_description(&spec))
        .ok_or_else(|| {
            ProjectError::new(format!(
                "{program} does not say the data layout of `{triple}`"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_change_layouts() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("flags"), "-Z\nrandomize-layout\n").unwrap();
        std::fs::write(folder.path().join("others"), "-O\n").unwrap();
        let flag = |text: &str| {
            let flags: Vec<String> = text.split(' ').map(str::to_owned).collect();
            layout_flag(&flags, folder.path())
        };
        for text in [
            "-Zrandomize-layout",
            "-O -Z randomize_layout=yes",
            "-Zrandomize-layout=no -Zrandomize-layout",
            "-Znew-niches",
            "@flags",
            "@missing",
        ] {
            assert!(flag(text).is_some(), "{text}");
        }
        for text in [
            "-Zlayout-seed=1",
            "-Zrandomize-layout -Zrandomize-layout=off",
            "-Zthreads=8",
            "@others",
            "layout",
        ] {
            assert_eq!(flag(text), None, "{text}");
        }
    }
}
