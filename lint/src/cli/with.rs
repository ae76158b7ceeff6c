//! `--with check|clippy`: runs that cargo command alongside the lints, for editors, which run one
//! check command per workspace.

use super::arguments::{Arguments, Companion, MessageFormat};
use super::{CLEAN, FAILED, Terminal, Wanted};
use crate::interrupt;
use crate::project;
use crate::report;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Runs `lint` while cargo runs, and combines their output: cargo's lines unchanged, one last line,
/// and one exit status.
///
/// # Errors
/// The errors of `lint`; cargo cannot be run; the results cannot be written.
pub(super) fn run(
    companion: Companion,
    arguments: &Arguments,
    terminal: &Terminal,
    wanted: Wanted,
    lint: impl FnOnce() -> Result<u8, String>,
) -> Result<u8, String> {
    // Cargo uses the terminal until it ends, so our messages follow. JSON lines are written at once.
    let streamed = wanted.is_json() && !terminal.writes_a_file();
    terminal.hold(!streamed);
    let theirs = Beside::start(command(companion, arguments, wanted), companion, streamed);
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(message) => {
            terminal.release(&[], &[])?;
            return Err(message);
        }
    };
    let ours = lint();
    let (relayed, status) = theirs.wait()?;
    // Cargo was stopped because the pipe was closed, which does not mean that the code fails.
    let compiles = status.success() || relayed.unread;
    let mut end = Vec::new();
    let written = report::end(wanted.format, compiles && ours == Ok(CLEAN), &mut end);
    written.map_err(|e| format!("cannot write the report: {e}"))?;
    terminal.release(&relayed.kept, &end)?;
    if streamed {
        terminal.write_stdout(&end)?;
    }
    let ours = ours?;
    if compiles {
        return Ok(ours);
    }
    let name = companion.name();
    terminal.error(&format!("`cargo {name}` failed ({status})"));
    Ok(FAILED)
}

/// Returns the cargo command for the same packages and message format.
fn command(companion: Companion, arguments: &Arguments, wanted: Wanted) -> Command {
    let mut command = project::cargo(companion.name());
    let (select, output) = (&arguments.select, &arguments.output);
    select.selection().cargo_args(&mut command);
    if let Some(jobs) = &select.jobs {
        command.arg("--jobs").arg(jobs);
    }
    if select.keep_going {
        command.arg("--keep-going");
    }
    if output.quiet {
        command.arg("--quiet");
    }
    if let Some(when) = output.color {
        command.arg("--color").arg(when.to_string());
    }
    // For formats that cargo does not have, it uses its default.
    for format in &output.message_format {
        if wanted.is_json() || *format == MessageFormat::Short {
            let value = format.to_possible_value();
            let name = value.as_ref().map_or("human", PossibleValue::get_name);
            command.arg("--message-format").arg(name);
        }
    }
    command
}

/// A running cargo.
struct Beside {
    child: Arc<Mutex<Child>>,
    relay: JoinHandle<Relayed>,
    name: &'static str,
}

impl Beside {
    /// Starts cargo. Its lines go to stdout at once if `streamed`, otherwise they are collected.
    fn start(mut command: Command, companion: Companion, streamed: bool) -> Result<Self, String> {
        let name = companion.name();
        let failed = |e: io::Error| format!("cannot run `cargo {name}`: {e}");
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
        let stdout = child.stdout.take();
        let child = Arc::new(Mutex::new(child));
        let ended = child.clone();
        // A terminal interrupts both processes, but a signal to this one alone must end cargo too.
        // If the handler cannot be set, cargo may outlive this process, which is harmless.
        interrupt::heed(move |status| {
            kill(&ended);
            std::process::exit(status);
        });
        let child_of_relay = child.clone();
        let relay = std::thread::spawn(move || match stdout {
            Some(stdout) => relay(stdout, streamed, &child_of_relay),
            None => Relayed::default(),
        });
        Ok(Beside { child, relay, name })
    }

    /// Waits for the end of cargo; returns the collected lines and the exit status.
    fn wait(self) -> Result<(Relayed, ExitStatus), String> {
        let relayed = self.relay.join().unwrap_or_default();
        // Its stdout is closed, so the lock is held only briefly.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let status = child.wait();
        let name = self.name;
        let status = status.map_err(|e| format!("cannot wait for `cargo {name}`: {e}"))?;
        Ok((relayed, status))
    }
}

fn kill(child: &Mutex<Child>) {
    // It may have ended already.
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

/// The result of relaying cargo's lines.
#[derive(Default)]
struct Relayed {
    /// The lines that were not written at once.
    kept: Vec<u8>,
    /// The reader closed the pipe.
    unread: bool,
}

/// Passes whole lines on unchanged, except the last one, `build-finished`.
fn relay(stdout: ChildStdout, streamed: bool, child: &Mutex<Child>) -> Relayed {
    let mut relayed = Relayed::default();
    let mut lines = BufReader::new(stdout);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        if is_end(&line) {
        } else if streamed {
            let mut out = io::stdout().lock();
            let written = out.write_all(&line).and_then(|()| out.flush());
            if written.is_err_and(|e| e.kind() == ErrorKind::BrokenPipe) {
                relayed.unread = true;
                kill(child);
            }
        } else {
            relayed.kept.extend_from_slice(&line);
        }
        line.clear();
    }
    relayed
}

/// Returns true for cargo's last line.
fn is_end(line: &[u8]) -> bool {
    // Most lines need not be parsed.
    let word = b"build-finished";
    line.starts_with(b"{")
        && line.windows(word.len()).any(|part| part == word)
        && serde_json::from_slice::<serde_json::Value>(line)
            .is_ok_and(|value| value["reason"] == "build-finished")
}
