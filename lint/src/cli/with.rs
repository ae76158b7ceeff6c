//! `--with check|clippy`: that cargo command beside our own work, for editors, which run one check
//! a workspace.

use super::arguments::{Arguments, Companion, MessageFormat};
use super::{CLEAN, FAILED, Terminal, Wanted};
use crate::project;
use crate::report;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Runs `lint` while cargo runs, and joins what both say: cargo's lines as they are, one last line,
/// one exit status.
///
/// # Errors
/// Those of `lint`; cargo cannot be run; the results cannot be written.
pub(super) fn run(
    companion: Companion,
    arguments: &Arguments,
    terminal: &Terminal,
    wanted: Wanted,
    lint: impl FnOnce() -> Result<u8, String>,
) -> Result<u8, String> {
    // Cargo draws on the terminal until it ends; what we say comes behind it. Lines of JSON go out
    // as they are made.
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
    // Cargo was stopped where nobody reads on, which is no fault of the code's.
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

/// The same code, said in the same form.
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
    // Forms that cargo does not have leave it its own.
    for format in &output.message_format {
        if wanted.is_json() || *format == MessageFormat::Short {
            let value = format.to_possible_value();
            let name = value.as_ref().map_or("human", PossibleValue::get_name);
            command.arg("--message-format").arg(name);
        }
    }
    command
}

/// A cargo that runs.
struct Beside {
    child: Arc<Mutex<Child>>,
    relay: JoinHandle<Relayed>,
    name: &'static str,
}

impl Beside {
    /// Starts it. Its lines go to stdout at once, or are kept.
    fn start(mut command: Command, companion: Companion, streamed: bool) -> Result<Self, String> {
        let name = companion.name();
        let failed = |e: io::Error| format!("cannot run `cargo {name}`: {e}");
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
        let stdout = child.stdout.take();
        let child = Arc::new(Mutex::new(child));
        let ended = child.clone();
        // A terminal interrupts both of us; what is sent to us alone must end it too. A second
        // handler cannot be, and without one there is only less tidiness.
        let _ = ctrlc::set_handler(move || {
            kill(&ended);
            std::process::exit(INTERRUPTED);
        });
        let child_of_relay = child.clone();
        let relay = std::thread::spawn(move || match stdout {
            Some(stdout) => relay(stdout, streamed, &child_of_relay),
            None => Relayed::default(),
        });
        Ok(Beside { child, relay, name })
    }

    /// Waits for its end: the lines that were kept, and how it ended.
    fn wait(self) -> Result<(Relayed, ExitStatus), String> {
        let relayed = self.relay.join().unwrap_or_default();
        // Its stdout is closed, so this takes no time in which a signal would find the lock held.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let status = child.wait();
        let name = self.name;
        let status = status.map_err(|e| format!("cannot wait for `cargo {name}`: {e}"))?;
        Ok((relayed, status))
    }
}

/// The exit status that shells give to what an interrupt has ended.
const INTERRUPTED: i32 = 130;

fn kill(child: &Mutex<Child>) {
    // It may have ended by itself.
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

/// What became of a cargo's lines.
#[derive(Default)]
struct Relayed {
    /// Those that did not go out at once.
    kept: Vec<u8>,
    /// Nobody read them all.
    unread: bool,
}

/// Passes lines on, whole and unchanged, but for the one that says how the build ended.
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

/// True for cargo's last line.
fn is_end(line: &[u8]) -> bool {
    // Its lines are long and many: most need no parser.
    let word = b"build-finished";
    line.starts_with(b"{")
        && line.windows(word.len()).any(|part| part == word)
        && serde_json::from_slice::<serde_json::Value>(line)
            .is_ok_and(|value| value["reason"] == "build-finished")
}
