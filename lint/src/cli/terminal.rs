//! The two streams: results to stdout or a file, everything about the run to stderr.

use super::arguments::Output;
use anstream::{AutoStream, ColorChoice};
use clap_cargo::style::{ERROR, GOOD, NOTE, WARN};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where a run prints, and how much.
pub struct Terminal {
    /// Nothing about the run itself but errors.
    pub quiet: bool,
    /// Everything.
    pub verbose: bool,
    colour: Option<ColorChoice>,
    output: Option<PathBuf>,
}

impl Terminal {
    /// As the flags say, then cargo's environment.
    pub(super) fn new(output: &Output) -> Terminal {
        let flag = output.color.map(|c| match c {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        });
        let of_cargo = || match std::env::var("CARGO_TERM_COLOR").as_deref() {
            Ok("always") => Some(ColorChoice::Always),
            Ok("never") => Some(ColorChoice::Never),
            _ => None,
        };
        let is_set = |name: &str| std::env::var(name).is_ok_and(|v| v == "true");
        Terminal {
            quiet: output.quiet || output.verbose == 0 && is_set("CARGO_TERM_QUIET"),
            verbose: output.verbose > 0 || !output.quiet && is_set("CARGO_TERM_VERBOSE"),
            colour: flag.or_else(of_cargo).filter(|c| *c != ColorChoice::Auto),
            output: output.output.clone(),
        }
    }

    /// Results go to a file.
    pub fn writes_a_file(&self) -> bool {
        self.output.is_some()
    }

    /// What the user must know.
    pub fn error(&self, text: &str) {
        self.write_stderr(&format!("{ERROR}error{ERROR:#}: {text}\n"));
    }

    /// What the user should know.
    pub fn warning(&self, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{WARN}warning{WARN:#}: {text}\n"));
        }
    }

    /// What the user has asked to know.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{NOTE}note{NOTE:#}: {text}\n"));
        }
    }

    /// How a run goes on or ended, as cargo says it: a verb and the rest.
    pub fn status(&self, verb: &str, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{GOOD}{verb:>12}{GOOD:#} {text}\n"));
        }
    }

    /// Text with ANSI sequences, which are left out where they are not wanted.
    pub fn write_stderr(&self, text: &str) {
        let stderr = io::stderr();
        let choice = self.colour.unwrap_or_else(|| AutoStream::choice(&stderr));
        // There is nowhere left to complain.
        let _ = AutoStream::new(stderr.lock(), choice).write_all(text.as_bytes());
    }

    /// Writes the results: text with ANSI sequences, which are left out where they are not wanted.
    ///
    /// # Errors
    /// They cannot be written. That nobody reads on is no error.
    pub fn write(&self, text: &[u8], temporary: &Path) -> Result<(), String> {
        let Some(path) = &self.output else {
            return self.write_stdout(text);
        };
        let colour = self.colour == Some(ColorChoice::Always);
        let choice = if colour {
            ColorChoice::AlwaysAnsi
        } else {
            ColorChoice::Never
        };
        let mut plain = AutoStream::new(Vec::with_capacity(text.len()), choice);
        let written = plain.write_all(text);
        written
            .and_then(|()| replace(path, &plain.into_inner(), temporary))
            .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    }

    /// Writes to stdout, whatever `--output` says.
    ///
    /// # Errors
    /// It cannot be written. That nobody reads on is no error.
    pub fn write_stdout(&self, text: &[u8]) -> Result<(), String> {
        let stdout = io::stdout();
        let choice = self.colour.unwrap_or_else(|| AutoStream::choice(&stdout));
        let mut stream = AutoStream::new(stdout.lock(), choice);
        match stream.write_all(text).and_then(|()| stream.flush()) {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                Err(format!("cannot write to stdout: {e}"))
            }
            _ => Ok(()),
        }
    }
}

/// Replaces a file whole, so that no reader finds half of it. `temporary` is the folder for what
/// is not complete.
fn replace(path: &Path, bytes: &[u8], temporary: &Path) -> io::Result<()> {
    // A pipe or a device is to be written, not replaced.
    let special = std::fs::metadata(path).is_ok_and(|m| !m.is_file());
    if special || std::fs::create_dir_all(temporary).is_err() {
        return std::fs::write(path, bytes);
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let part = temporary.join(format!("output-{}", std::process::id()));
    let moved = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, &path));
    if moved.is_err() {
        // Most likely another disk: then there is no moving.
        let _ = std::fs::remove_file(&part);
        return std::fs::write(&path, bytes);
    }
    Ok(())
}
