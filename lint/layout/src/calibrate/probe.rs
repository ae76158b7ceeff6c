//! Runs the compiler: one source text in, one error out that states the numbers of every row.

use super::rows::{NUMBERS, Questions};
use crate::project::Project;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The numbers of a row, or why there are none.
pub type Answer = Result<Vec<u64>, Fault>;

/// Why a row has no numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Code cannot name the type in this release.
    Absent,
    /// The type can be named, but its use is rejected: the error.
    Refused(String),
}

/// Errors about a name: unresolved, private, unstable.
const UNNAMEABLE: [&str; 6] = ["E0412", "E0425", "E0432", "E0433", UNSTABLE, "E0603"];

/// The error that names the feature of an unstable type.
const UNSTABLE: &str = "E0658";

/// How often rejected rows are removed: first names, then their uses.
const ATTEMPTS: usize = 8;

/// Timeout: on a slow machine it takes a few seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// Digits per number.
const DIGITS: usize = 8;

/// Marks the start of the numbers.
const MARK: &str = "weigh:";

/// Measures every row.
///
/// # Errors
/// Fails if the compiler cannot be run, or its output is not understood.
pub fn ask(project: &Project, asked: &Questions) -> Result<Vec<Answer>, String> {
    let mut faults: Vec<Option<Fault>> = vec![None; asked.rows.len()];
    let mut features: BTreeSet<String> = BTreeSet::new();
    for _ in 0..ATTEMPTS {
        let probe = Probe::new(asked, &faults, &features);
        let errors = run(project, &probe.text)?;
        if let Some(digits) = errors.iter().find_map(numbers) {
            return Ok(read(&digits, faults));
        }
        let enabled = features.clone();
        let mut found = 0;
        for error in &errors {
            let line = error
                .spans
                .iter()
                .find(|s| s.is_primary)
                .map(|s| s.line_start);
            let row = line.and_then(|line| probe.row(line));
            let Some(row) = row else { continue };
            found += 1;
            let code = error.code.as_ref().map_or("", |c| c.code.as_str());
            if let Some(feature) = feature(error).filter(|_| code == UNSTABLE)
                && !enabled.contains(feature)
            {
                features.insert(feature.to_owned());
                continue;
            }
            let fault = match UNNAMEABLE.contains(&code) {
                true => Fault::Absent,
                false => Fault::Refused(error.message.clone()),
            };
            if faults[row] != Some(Fault::Absent) {
                faults[row] = Some(fault);
            }
        }
        if found == 0 {
            let first = errors.first().map(|e| e.message.as_str());
            return Err(first.unwrap_or("it states no sizes").to_owned());
        }
    }
    Err("it refuses ever more of std's types".to_owned())
}

/// A source text for the compiler.
struct Probe {
    text: String,
    /// The row of each line, from `first` on.
    rows: Vec<usize>,
    /// The first line with a row, counted from 1.
    first: usize,
}

impl Probe {
    fn new(asked: &Questions, faults: &[Option<Fault>], features: &BTreeSet<String>) -> Probe {
        let features = features.iter().map(|f| format!("#![feature({f})]\n"));
        let mut text: String = features.collect();
        text.push_str(HEAD);
        text.push_str(&asked.text);
        let first = text.lines().count() + 1;
        let left = (0..asked.rows.len()).filter(|&i| faults[i].is_none());
        let rows: Vec<usize> = left.collect();
        for &i in &rows {
            let row = &asked.rows[i];
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "const R{i}: [usize; {NUMBERS}] = [size_of::<{0}>(), align_of::<{0}>()",
                row.text
            );
            for (around, _) in &row.around {
                let _ = write!(text, ", size_of::<{around}>()");
            }
            text.push_str("];\n");
        }
        let names: Vec<_> = rows.iter().map(|i| format!("R{i}")).collect();
        let _ = writeln!(
            text,
            "const ROWS: [[usize; {NUMBERS}]; {}] = [{}];",
            rows.len(),
            names.join(", ")
        );
        let _ = writeln!(
            text,
            "const LENGTH: usize = {};",
            rows.len() * NUMBERS * DIGITS
        );
        text.push_str(TAIL);
        Probe { text, rows, first }
    }

    fn row(&self, line: usize) -> Option<usize> {
        self.rows.get(line.checked_sub(self.first)?).copied()
    }
}

const HEAD: &str = "\
#![allow(warnings, long_running_const_eval)]
extern crate proc_macro;
use core::mem::{align_of, size_of};
";

/// Writes the numbers as hexadecimal digits after [`MARK`] and panics with them.
const TAIL: &str = "\
const TEXT: [u8; 6 + LENGTH] = {
    let mut text = [b'0'; 6 + LENGTH];
    let mut at = 0;
    while at < 6 {
        text[at] = b\"weigh:\"[at];
        at += 1;
    }
    let mut i = 0;
    while i < ROWS.len() * 8 {
        let mut left = ROWS[i / 8][i % 8];
        at += 8;
        let mut digit = at;
        while left > 0 {
            digit -= 1;
            text[digit] = b\"0123456789abcdef\"[left % 16];
            left /= 16;
        }
        i += 1;
    }
    text
};
const _: () = match core::str::from_utf8(&TEXT) {
    Ok(text) => panic!(\"{}\", text),
    Err(_) => {}
};
";

/// An error as rustc prints it.
#[derive(Deserialize)]
struct Error {
    message: String,
    level: String,
    code: Option<Code>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    is_primary: bool,
    line_start: usize,
    label: Option<String>,
}

fn run(project: &Project, text: &str) -> Result<Vec<Error>, String> {
    let mut command = project.rustc.command();
    command.args([
        "--crate-name",
        "weigh_probe",
        "--crate-type",
        "lib",
        "--edition",
        "2021",
    ]);
    // Nothing is written, as the text ends in an error; otherwise it would go here.
    command
        .args(["--emit", "metadata", "--out-dir"])
        .arg(project.target_dir.join("weigh"));
    command.args(["--error-format", "json", "--cap-lints", "allow"]);
    if project.target.triple != project.rustc.host {
        command.arg("--target").arg(&project.target.triple);
    }
    // Unstable types, which others may contain, can then be named on a stable compiler too.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.arg("-");
    let said = converse(command, text, LIMIT)
        .map_err(|e| format!("`{}` cannot be run: {e}", project.rustc.program))?;
    let said = String::from_utf8_lossy(&said);
    let errors = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Error>(line).ok());
    Ok(errors.filter(|e| e.level.starts_with("error")).collect())
}

/// Runs a program on a text; returns its stderr. Kills it after the timeout.
fn converse(mut command: Command, text: &str, limit: Duration) -> io::Result<Vec<u8>> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let text = text.to_owned();
    // Neither thread is joined: child processes may hold the streams open.
    std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let read = stderr.map_or(Ok(0), |mut stderr| stderr.read_to_end(&mut said));
        tell.send(read.map(|_| said))
    });
    let said = told.recv_timeout(limit).unwrap_or_else(|_| {
        // It may just have exited.
        let _ = child.kill();
        let why = format!("no answer in {} seconds", limit.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, why))
    });
    child.wait()?;
    said
}

/// Returns the feature that an error about an unstable type names.
fn feature(error: &Error) -> Option<&str> {
    let (_, rest) = error.message.split_once("unstable library feature ")?;
    let rest = rest.trim_start_matches(['`', '\'']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// Returns the digits from an error's message, or from its label before Rust 1.86.
fn numbers(error: &Error) -> Option<String> {
    let labels = error.spans.iter().filter_map(|s| s.label.as_deref());
    let mut texts = std::iter::once(error.message.as_str()).chain(labels);
    texts.find_map(|text| {
        let (_, digits) = text.split_once(MARK)?;
        let digits = digits.chars().take_while(char::is_ascii_hexdigit);
        Some(digits.collect())
    })
}

fn read(digits: &str, faults: Vec<Option<Fault>>) -> Vec<Answer> {
    let mut numbers = digits.as_bytes().chunks(DIGITS).map(|chunk| {
        let chunk = std::str::from_utf8(chunk).unwrap_or_default();
        u64::from_str_radix(chunk, 16).unwrap_or(u64::MAX)
    });
    let answers = faults.into_iter().map(|fault| match fault {
        Some(fault) => Err(fault),
        None => Ok(numbers.by_ref().take(NUMBERS).collect()),
    });
    answers.collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_answer_is_stopped() {
        let mut command = Command::new("sh");
        // The `sleep` process holds the streams.
        command.args(["-c", "sleep 20; true"]);
        let began = std::time::Instant::now();
        let text = "x".repeat(1 << 20);
        let said = converse(command, &text, Duration::from_millis(50));
        assert_eq!(said.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}
