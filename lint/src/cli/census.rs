//! `cargo weigh census`: takes a census of a program, or prints a stored one.

mod asked;
pub(super) mod changes;
mod export;
mod growth;
mod narrow;
mod show;
#[cfg(unix)]
mod take;

use super::{CLEAN, FAILED, FOUND, Terminal};
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
    /// Print only who has this type, or `TYPE.field`, what it keeps and what made it
    #[arg(value_name = "TYPE", requires = "file", conflicts_with_all = ["diff", "args"])]
    asked: Option<String>,
    /// When to count: `peak`, `exit`, a time after the start (`30s`), or a label of
    /// `weigh_heap::census` (`LABEL#2`: its second time; `30s#1` is a label, not a time)
    #[arg(long, value_name = "MOMENT", default_value = "peak")]
    at: String,
    /// Count again and again, at this interval (`10s`), and print what grew
    #[arg(long, value_name = "INTERVAL", conflicts_with_all = ["at", "once", "file"])]
    every: Option<String>,
    /// Run the program, and let `census --now PID` count its heap while it goes on
    #[arg(long, conflicts_with_all = ["at", "once", "every", "diff", "file"])]
    serve: bool,
    /// Count the heap of this process, which `census --serve` started and which goes on
    #[arg(
        long,
        value_name = "PID",
        conflicts_with_all = ["at", "once", "every", "serve", "exec", "timeout", "args", "file"]
    )]
    now: Option<u32>,
    /// Run this program, already built with full debug information and frame pointers, or one that
    /// loads a Rust library built so
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
    /// Exit status 1 if the live heap or a type grew by more than this since OLD: `growth=5%`,
    /// `growth=BYTES`, `TYPE=5%`, `TYPE=BYTES`
    #[arg(long, value_name = "LIMIT", value_parser = changes::limit, requires = "diff")]
    fail_on: Vec<changes::Limit>,
    /// Print the changes as Markdown, for a pull request comment
    #[arg(long, requires = "diff")]
    markdown: bool,
    /// Print the allocation sites in the format of another tool
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["diff", "asked", "serve"])]
    export: Option<export::Format>,
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
    if json && arguments.markdown {
        return Err("`--markdown` cannot be used with `--message-format json`".to_owned());
    }
    if arguments.export.is_some() && !terminal.writes_a_file() {
        return Err("`--export` needs `--output FILE`: it is no text".to_owned());
    }
    // Before the run, which may take long.
    let old = arguments.diff.as_deref().map(read).transpose()?;
    let mut status = CLEAN;
    let (census, notes) = match &arguments.file {
        Some(path) => (read(path)?, Vec::new()),
        None if arguments.serve => return served(terminal, selection, arguments),
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
    if let Some(format) = arguments.export {
        terminal.write_document(&export::of(&census, format)?)?;
        return Ok(status);
    }
    let compared = old.as_ref().map(|old| changes::Changes::new(old, &census));
    let exceeded = compared
        .as_ref()
        .map_or_else(Vec::new, |c| c.exceeded(&arguments.fail_on));
    let text = match (&compared, json) {
        (Some(changes), true) => changes.json(),
        (Some(changes), false) if arguments.markdown => changes.markdown(&exceeded),
        (Some(changes), false) => changes.text(),
        (None, true) => match &arguments.asked {
            Some(name) => asked::of(&census, name)?.json(),
            None => file::write(&census),
        },
        (None, false) => match &arguments.asked {
            Some(name) => asked::of(&census, name)?.text(terminal.columns()),
            None => show::census(&census, terminal.verbose, terminal.columns()),
        },
    };
    if terminal.has_output() {
        let kept = match (&compared, &arguments.asked) {
            (None, None) => file::write(&census),
            _ => text.clone(),
        };
        terminal.write(kept.as_bytes())?;
        if terminal.writes_a_file() && compared.is_none() && arguments.asked.is_none() && !json {
            terminal.write_stdout(text.as_bytes())?;
        }
    } else {
        terminal.write_stdout(text.as_bytes())?;
    }
    for message in &exceeded {
        terminal.error(message);
    }
    if status == CLEAN && !exceeded.is_empty() {
        status = FOUND;
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

/// Runs a program whose heap `--now` counts.
#[cfg(unix)]
fn served(terminal: &Terminal, selection: &Selection, arguments: &Arguments) -> Result<u8, String> {
    if !cfg!(target_os = "linux") {
        return Err(ELSEWHERE.to_owned());
    }
    match take::serve(terminal, selection, arguments)? {
        Some(failure) => {
            terminal.error(&failure);
            Ok(FAILED)
        }
        None => Ok(CLEAN),
    }
}

/// Returns the error on other systems.
#[cfg(not(unix))]
fn served(_: &Terminal, _: &Selection, _: &Arguments) -> Result<u8, String> {
    Err(ELSEWHERE.to_owned())
}

/// Returns the error on other systems.
#[cfg(not(unix))]
fn taken(_: &Terminal, _: &Selection, _: &Arguments) -> Result<Taken, String> {
    Err(ELSEWHERE.to_owned())
}
