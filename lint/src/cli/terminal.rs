//! The output streams: results go to stdout or a file, messages about the run to stderr.

use super::arguments::{MessageFormat, Output};
use super::progress::Progress;
use crate::{visible, write};
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use clap_cargo::style::{ERROR, GOOD, NOTE, WARN};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum width of wrapped text in columns: longer lines are hard to read.
const WIDEST: usize = 120;

/// Minimum width of wrapped text; a narrower terminal breaks the lines itself.
const NARROWEST: usize = 40;

/// The value of `--output` for stdout.
const STDOUT: &str = "-";

/// Where a run prints, and how much.
pub struct Terminal {
    /// No messages about the run except errors.
    pub quiet: bool,
    /// All messages.
    pub verbose: bool,
    colour: Option<ColorChoice>,
    /// Where `--output` sends the results: a file, or stdout, which is [`STDOUT`].
    asked: Option<PathBuf>,
    form: Form,
    progress: Progress,
    held: Mutex<Option<Held>>,
    said: Mutex<Option<RecordedOutput>>,
}

/// The kind of the results, which decides how invisible characters are escaped.
#[derive(Clone, Copy)]
enum Form {
    Json,
    /// GitHub commands, which have their own escapes.
    Commands,
    Text,
}

impl Form {
    fn of(formats: &[MessageFormat]) -> Form {
        match formats.last() {
            Some(MessageFormat::Github) => Form::Commands,
            Some(format) if !format.is_for_people() => Form::Json,
            None | Some(_) => Form::Text,
        }
    }

    /// Returns the results with invisible characters as escapes.
    fn visible(self, text: &[u8]) -> Cow<'_, [u8]> {
        match String::from_utf8_lossy(text) {
            // Nearly always: a report may be hundreds of megabytes, and is not copied.
            Cow::Borrowed(text) => match self.shown(text) {
                Cow::Borrowed(shown) => Cow::Borrowed(shown.as_bytes()),
                Cow::Owned(shown) => Cow::Owned(shown.into_bytes()),
            },
            Cow::Owned(text) => Cow::Owned(self.shown(&text).into_owned().into_bytes()),
        }
    }

    fn shown(self, text: &str) -> Cow<'_, str> {
        match self {
            Form::Json => visible::json(text),
            Form::Commands => visible::commands(text),
            Form::Text => visible::styled(text),
        }
    }
}

/// Output that is held back while another program uses the terminal.
#[derive(Default)]
struct Held {
    with_results: bool,
    pieces: Vec<Piece>,
}

/// A piece of output.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Piece {
    /// Text for stderr.
    Note(String),
    Results(String),
}

/// All output of a run, so that it can be printed again.
#[derive(Default)]
pub(super) struct RecordedOutput {
    pub(super) pieces: Vec<Piece>,
    /// Cargo's target folder, once known.
    pub(super) target_dir: Option<PathBuf>,
}

impl Terminal {
    /// Returns a terminal configured by the flags, then by cargo's environment variables.
    pub(super) fn new(output: &Output) -> Terminal {
        let colour = match output.color.unwrap_or_else(of_cargo) {
            clap::ColorChoice::Auto => None,
            clap::ColorChoice::Always => Some(ColorChoice::Always),
            clap::ColorChoice::Never => Some(ColorChoice::Never),
        };
        let is_set = |name: &str| std::env::var(name).is_ok_and(|v| v == "true");
        let quiet = output.quiet || output.verbose == 0 && is_set("CARGO_TERM_QUIET");
        let for_people = output.message_format.iter().all(|f| f.is_for_people());
        Terminal {
            quiet,
            verbose: output.verbose > 0 || !output.quiet && is_set("CARGO_TERM_VERBOSE"),
            colour,
            asked: output.output.clone(),
            form: Form::of(&output.message_format),
            progress: Progress::new(for_people && !quiet),
            held: Mutex::new(None),
            said: Mutex::new(None),
        }
    }

    /// Starts to record the output.
    pub(super) fn note_all(&self) {
        *self.said() = Some(RecordedOutput::default());
    }

    /// Returns the output since [`Terminal::note_all`].
    pub(super) fn all_said(&self) -> Option<RecordedOutput> {
        self.said().take()
    }

    /// Sets the target folder in which the output may be cached.
    pub(super) fn keep_in(&self, target_dir: &Path) {
        if let Some(said) = self.said().as_mut() {
            said.target_dir = Some(target_dir.to_owned());
        }
    }

    fn said(&self) -> MutexGuard<'_, Option<RecordedOutput>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the current activity, which is shown on a terminal while nothing else is.
    pub fn progress(&self, what: &str) {
        if self.held().is_none() {
            self.progress.say(what);
        }
    }

    /// Holds back the messages until [`Terminal::release`], and with `results` the results too.
    pub(super) fn hold(&self, results: bool) {
        self.progress.clear();
        *self.held() = Some(Held {
            with_results: results,
            pieces: Vec::new(),
        });
    }

    /// Prints what was held back, with the results between `before` and `after`.
    ///
    /// # Errors
    /// As [`Terminal::write`].
    pub(super) fn release(&self, before: &[u8], after: &[u8]) -> Result<(), String> {
        let held = self.held().take().unwrap_or_default();
        let mut written = Ok(());
        let mut said = !held.with_results;
        for piece in held.pieces {
            match piece {
                Piece::Note(text) => self.write_stderr(&text),
                Piece::Results(text) => {
                    said = true;
                    written = self.write(&[before, text.as_bytes(), after].concat());
                }
            }
        }
        if !said && !self.writes_a_file() {
            written = self.write_stdout(&[before, after].concat());
        }
        written
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the width of text results in columns: that of the terminal, within limits; `None`
    /// for a file or a pipe.
    pub(super) fn columns(&self) -> Option<usize> {
        if self.writes_a_file() {
            return None;
        }
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0).clamp(NARROWEST, WIDEST))
    }

    /// Returns true if only results and errors are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns true if the results go to a file.
    pub fn writes_a_file(&self) -> bool {
        self.output().is_some()
    }

    /// Returns true if `--output` is given, if only for stdout.
    pub(super) fn has_output(&self) -> bool {
        self.asked.is_some()
    }

    /// Returns the file that the results go to.
    pub fn output(&self) -> Option<&Path> {
        self.asked
            .as_deref()
            .filter(|path| path.as_os_str() != STDOUT)
    }

    /// Prints an error.
    pub fn error(&self, text: &str) {
        self.write_stderr(&format!("{ERROR}error{ERROR:#}: {}\n", visible::text(text)));
    }

    /// Prints a warning, unless quiet.
    pub fn warning(&self, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{WARN}warning{WARN:#}: {}\n", visible::text(text)));
        }
    }

    /// Prints a note, unless quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{NOTE}note{NOTE:#}: {}\n", visible::text(text)));
        }
    }

    /// Prints the status of the run in cargo's style: a verb and the rest.
    pub fn status(&self, verb: &str, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!(
                "{GOOD}{verb:>12}{GOOD:#} {}\n",
                visible::text(text)
            ));
        }
    }

    /// Writes text with ANSI sequences, which are stripped if colours are off.
    pub fn write_stderr(&self, text: &str) {
        if let Some(said) = self.said().as_mut() {
            said.pieces.push(Piece::Note(text.to_owned()));
        }
        if let Some(held) = self.held().as_mut() {
            return held.pieces.push(Piece::Note(text.to_owned()));
        }
        self.progress.clear();
        let stderr = io::stderr();
        let choice = self.colour.unwrap_or_else(|| AutoStream::choice(&stderr));
        // An error on stderr cannot be reported.
        let shown = visible::styled(text);
        let _ = AutoStream::new(stderr.lock(), choice).write_all(shown.as_bytes());
    }

    /// Writes the results: text with ANSI sequences, which are stripped if colours are off.
    ///
    /// # Errors
    /// The results cannot be written. A closed pipe is not an error.
    pub fn write(&self, text: &[u8]) -> Result<(), String> {
        let results = || Piece::Results(String::from_utf8_lossy(text).into_owned());
        if let Some(said) = self.said().as_mut() {
            said.pieces.push(results());
        }
        if let Some(held) = self.held().as_mut().filter(|held| held.with_results) {
            held.pieces.push(results());
            return Ok(());
        }
        let shown = self.form.visible(text);
        match self.output() {
            Some(path) => self.write_file(&shown, path),
            None => self.write_stdout(&shown),
        }
    }

    /// Writes a JSON document to `--output`, or to `path` without that flag.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_or_to(&self, text: &[u8], path: &Path) -> Result<(), String> {
        let shown = Form::Json.visible(text);
        match (self.has_output(), self.output()) {
            (true, None) => self.write_stdout(&shown),
            (_, output) => self.write_file(&shown, output.unwrap_or(path)),
        }
    }

    /// Writes a document, in which invisible characters are escaped already.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write_document(&self, bytes: &[u8]) -> Result<(), String> {
        let Some(path) = self.output() else {
            return self.write_stdout(bytes);
        };
        write::replace(path, bytes).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    }

    fn write_file(&self, text: &[u8], path: &Path) -> Result<(), String> {
        let colour = self.colour == Some(ColorChoice::Always);
        let choice = if colour {
            ColorChoice::AlwaysAnsi
        } else {
            ColorChoice::Never
        };
        let mut plain = AutoStream::new(Vec::with_capacity(text.len()), choice);
        let written = plain.write_all(text);
        written
            .and_then(|()| write::replace(path, &plain.into_inner()))
            .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    }

    /// Writes text to stdout, even with `--output`.
    ///
    /// # Errors
    /// The text cannot be written. A closed pipe is not an error.
    pub fn write_stdout(&self, text: &[u8]) -> Result<(), String> {
        self.progress.clear();
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

/// Returns the setting for colours in cargo's environment variable.
fn of_cargo() -> clap::ColorChoice {
    match std::env::var("CARGO_TERM_COLOR").as_deref() {
        Ok("always") => clap::ColorChoice::Always,
        Ok("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// Returns the setting for colours in messages about the arguments, which may not parse.
pub(super) fn colour_before_parsing(arguments: &[OsString]) -> clap::ColorChoice {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let value = |(i, word): (usize, &&'_ str)| match word.strip_prefix("--color")? {
        "" => words.get(i + 1).map(|next| (*next).to_owned()),
        rest => rest.strip_prefix('=').map(str::to_owned),
    };
    let flag = words.iter().enumerate().find_map(value);
    flag.and_then(|flag| clap::ColorChoice::from_str(&flag, true).ok())
        .unwrap_or_else(of_cargo)
}
