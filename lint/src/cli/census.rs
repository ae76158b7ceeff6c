//! `cargo weigh census`: takes a census of a program, or prints a stored one.

mod show;
#[cfg(unix)]
mod take;

use super::{CLEAN, FAILED, Terminal};
use crate::census::Taken;
use crate::census::count::Census;
use crate::census::file;
use crate::project::Selection;
use crate::source::read;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The arguments of `census`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Print this census, which `--output` wrote, and run nothing
    #[arg(value_name = "FILE", conflicts_with_all = ["at", "exec", "once", "timeout", "args"])]
    file: Option<PathBuf>,
    /// When to count: `peak`, `exit`, or a label of `weigh_heap::census` (`LABEL#2`: its second
    /// time)
    #[arg(long, value_name = "MOMENT", default_value = "peak")]
    at: String,
    /// Run this program, already built with full debug information and frame pointers
    #[arg(long, value_name = "PROGRAM")]
    exec: Option<PathBuf>,
    /// Find the peak in one run instead of two: copies the process at each new high (slow)
    #[arg(long)]
    once: bool,
    /// End the program after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Print the changes since this census
    #[arg(long, value_name = "OLD")]
    diff: Option<PathBuf>,
    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS", allow_hyphen_values = true)]
    args: Vec<OsString>,
}

impl Arguments {
    /// Returns whether a census is taken, not read from a file.
    pub(super) fn runs_a_program(&self) -> bool {
        self.file.is_none()
    }
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    arguments: &Arguments,
) -> Result<u8, String> {
    // Before the run, which may take long.
    let old = arguments.diff.as_deref().map(read).transpose()?;
    let mut status = CLEAN;
    let (census, notes) = match &arguments.file {
        Some(path) => (read(path)?, Vec::new()),
        None => {
            let taken = taken(terminal, selection, arguments)?;
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
        (None, false) => show::census(&census, terminal.verbose, terminal.columns()),
    };
    if terminal.has_output() {
        let kept = match old {
            Some(_) => text.clone(),
            None => file::write(&census),
        };
        terminal.write(kept.as_bytes())?;
        if terminal.writes_a_file() && old.is_none() && !json {
            terminal.write_stdout(text.as_bytes())?;
        }
    } else {
        terminal.write_stdout(text.as_bytes())?;
    }
    Ok(status)
}

/// Reads a census from a file.
///
/// # Errors
/// The file cannot be read or is no census.
pub(super) fn read(path: &Path) -> Result<Census, String> {
    let shown = path.display();
    let text = read::text(path).map_err(|e| format!("cannot read {shown}: {e}"))?;
    file::read(&text).map_err(|e| format!("{shown}: {e}"))
}

/// The error on other systems.
const ELSEWHERE: &str = "a census can only be taken on Linux with glibc and, through `weigh-heap`, on macOS, on x86_64 \
     and aarch64; a census file can be read anywhere";

#[cfg(unix)]
fn taken(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<Taken, String> {
    match cfg!(any(target_os = "linux", target_os = "macos")) {
        true => take::take(terminal, selection, arguments),
        false => Err(ELSEWHERE.to_owned()),
    }
}

/// Returns the error on other systems.
#[cfg(not(unix))]
fn taken(_: &Terminal, _: &Selection, _: &Arguments) -> Result<Taken, String> {
    Err(ELSEWHERE.to_owned())
}
