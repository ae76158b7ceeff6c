//! `cargo weigh census`: takes a census of a program, or prints one that was kept.

mod show;

use super::{CLEAN, FAILED, Terminal};
use crate::census::count::Census;
use crate::census::file;
use crate::project::Selection;
use crate::source::read;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to count, and when.
#[derive(Args)]
pub(super) struct Arguments {
    /// A census that was kept: print it, and run nothing
    #[arg(value_name = "FILE", conflicts_with_all = ["at", "exec", "once", "timeout", "args"])]
    file: Option<PathBuf>,
    /// When to count: `peak`, `exit`, or a label of `weigh_heap::census` (`LABEL#2`: its second time)
    #[arg(long, value_name = "MOMENT", default_value = "peak")]
    at: String,
    /// Run this program, which is built already: with full debug information and frame pointers
    #[arg(long, value_name = "PROGRAM")]
    exec: Option<PathBuf>,
    /// Find the peak in one run instead of two: the process is copied at each new high (slow)
    #[arg(long)]
    once: bool,
    /// End the program after so many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Print what has changed since this census
    #[arg(long, value_name = "OLD")]
    diff: Option<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS", allow_hyphen_values = true)]
    args: Vec<OsString>,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    arguments: &Arguments,
) -> Result<u8, String> {
    // Before the work, which may take long.
    let old = arguments.diff.as_deref().map(read).transpose()?;
    let mut status = CLEAN;
    let (census, notes) = match &arguments.file {
        Some(path) => (read(path)?, Vec::new()),
        None => {
            let taken = take(terminal, selection, arguments)?;
            if let Some(failure) = taken.failure {
                terminal.error(&failure);
                status = FAILED;
            }
            (taken.census, taken.notes)
        }
    };
    for note in &notes {
        terminal.note(note);
    }
    let text = match (&old, json) {
        (Some(old), true) => show::changes_json(old, &census),
        (Some(old), false) => show::changes(old, &census),
        (None, true) => file::write(&census),
        (None, false) => show::census(&census, terminal.verbose),
    };
    if terminal.writes_a_file() {
        let kept = match old {
            Some(_) => text.clone(),
            None => file::write(&census),
        };
        terminal.write(kept.as_bytes())?;
        if old.is_none() && !json {
            terminal.write_stdout(text.as_bytes())?;
        }
    } else {
        terminal.write_stdout(text.as_bytes())?;
    }
    Ok(status)
}

/// Reads a census that was kept.
///
/// # Errors
/// The file cannot be read or is none.
pub(super) fn read(path: &Path) -> Result<Census, String> {
    let shown = path.display();
    let text = read::text(path).map_err(|e| format!("cannot read {shown}: {e}"))?;
    file::read(&text).map_err(|e| format!("{shown}: {e}"))
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn take(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<crate::census::run::Taken, String> {
    use crate::census::{build, run};
    let say = |verb: &str, what: &str| terminal.status(verb, what);
    let (program, folder, compiler);
    let mut crates = Vec::new();
    match &arguments.exec {
        Some(path) => {
            program = path.clone();
            // Beside what is kept, else where nothing outlives the machine's next start.
            folder = std::env::temp_dir().join(format!("cargo-weigh-{}", std::process::id()));
            compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        }
        None => {
            let project = crate::project::load(selection).map_err(|e| e.to_string())?;
            for warning in &project.warnings {
                terminal.warning(warning);
            }
            if project.target.triple != project.rustc.host {
                return Err(format!(
                    "a program for {} cannot be run here",
                    project.target.triple
                ));
            }
            folder = project.target_dir.join("weigh").join("census");
            say(
                "Building",
                &format!("with `{}` behind your own flags", run::RUSTFLAGS.join(" ")),
            );
            program = build::build(&project, selection, &folder.join("build"))?;
            compiler = project.compiler;
            crates = project.crates;
        }
    }
    let mut taken = run::run(
        &run::Run {
            program: &program,
            arguments: &arguments.args,
            at: run::At::parse(&arguments.at),
            once: arguments.once,
            timeout: arguments.timeout.map(std::time::Duration::from_secs),
            folder: &folder,
            compiler: &compiler,
        },
        &say,
    );
    if arguments.exec.is_some() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    if let Ok(taken) = &mut taken {
        let crates = crates.iter();
        let named = crates.map(|c| (&*c.name, &*c.package, &*c.package_id));
        crate::census::join::packages(&mut taken.census, named);
    }
    taken
}

/// What the others would say.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn take(_: &Terminal, _: &Selection, _: &Arguments) -> Result<crate::census::run::Taken, String> {
    Err("a census can be taken on Linux on x86_64 alone; one that was kept can be read".to_owned())
}
