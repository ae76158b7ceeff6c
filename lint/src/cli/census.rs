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

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn take(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<crate::census::run::Taken, String> {
    use crate::census::{build, run};
    let say = |verb: &str, what: &str| terminal.status(verb, what);
    let at = run::At::parse(&arguments.at);
    let timeout = arguments.timeout.map(std::time::Duration::from_secs);
    if let Some(program) = &arguments.exec {
        let places = Places::of(terminal, selection)?;
        return run::run(
            &run::Run {
                program,
                arguments: &arguments.args,
                at,
                once: arguments.once,
                timeout,
                folder: places.folder.path(),
                contents: places.contents.as_deref(),
                compiler: &std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()),
                runner: &[],
                foreign: None,
            },
            &say,
        );
    }
    let project = crate::project::load(selection).map_err(|e| e.to_string())?;
    for warning in &project.warnings {
        terminal.warning(warning);
    }
    let triple = &project.target.triple;
    let is_foreign = *triple != project.rustc.host;
    if is_foreign && project.runner.is_empty() {
        return Err(format!(
            "a program for {triple} cannot be run here: cargo's configuration has no \
             `target.{triple}.runner`"
        ));
    }
    let folder = project.target_dir.join("weigh").join("census");
    say(
        "Building",
        &format!("with `{}` behind your own flags", run::RUSTFLAGS.join(" ")),
    );
    let program = build::build(&project, selection, &folder.join("build"))?;
    let mut taken = run::run(
        &run::Run {
            program: &program,
            arguments: &arguments.args,
            at,
            once: arguments.once,
            timeout,
            folder: &folder,
            contents: Some(&folder),
            compiler: &project.compiler,
            runner: &project.runner,
            foreign: is_foreign.then_some((&**triple, project.linker.as_deref())),
        },
        &say,
    )?;
    let crates = project.crates.iter();
    let named = crates.map(|c| (&*c.name, &*c.package, &*c.package_id));
    crate::census::join::packages(&mut taken.census, named);
    Ok(taken)
}

/// Where files of a run lie that cargo has not built.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
struct Places {
    folder: Folder,
    /// For the contents of the heap; in memory where there is none.
    contents: Option<PathBuf>,
}

/// A folder of a project's, or one of our own for as long as it is needed.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
enum Folder {
    Kept(PathBuf),
    Ours(tempfile::TempDir),
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
impl Folder {
    fn path(&self) -> &Path {
        match self {
            Folder::Kept(path) => path,
            Folder::Ours(folder) => folder.path(),
        }
    }
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
impl Places {
    fn of(terminal: &Terminal, selection: &Selection) -> Result<Places, String> {
        if let Some(target) = crate::census::build::target_folder(selection) {
            let folder = target.join("weigh").join("census");
            return Ok(Places {
                contents: Some(folder.clone()),
                folder: Folder::Kept(folder),
            });
        }
        let folder = tempfile::Builder::new().prefix("cargo-weigh-").tempdir();
        let folder = folder.map_err(|e| format!("cannot make a folder for the recorder: {e}"))?;
        let beside = terminal.output().map(|output| match output.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        });
        Ok(Places {
            contents: beside,
            folder: Folder::Ours(folder),
        })
    }
}

/// What the others would say.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn take(_: &Terminal, _: &Selection, _: &Arguments) -> Result<crate::census::run::Taken, String> {
    Err(
        "a census can be taken on Linux on x86_64 and aarch64 alone; one that was kept can be read"
            .to_owned(),
    )
}
