//! The two streams: results to stdout or a file, everything about the run to stderr.

use super::arguments::{MessageFormat, Output};
use super::progress::Progress;
use crate::{visible, write};
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use clap_cargo::style::{ERROR, GOOD, NOTE, WARN};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Text is wrapped for no more columns than these: longer lines are hard to read.
const WIDEST: usize = 120;

/// Nor for fewer: then the terminal breaks lines itself.
const NARROWEST: usize = 40;

/// Where a run prints, and how much.
pub struct Terminal {
    /// Nothing about the run itself but errors.
    pub quiet: bool,
    /// Everything.
    pub verbose: bool,
    colour: Option<ColorChoice>,
    output: Option<PathBuf>,
    form: Form,
    progress: Progress,
    held: Mutex<Option<Held>>,
    said: Mutex<Option<Said>>,
}

/// What results are, and so how foreign text in them is made visible.
#[derive(Clone, Copy)]
enum Form {
    Json,
    /// Commands of GitHub, which have escapes of their own.
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

    /// The results as they may be printed.
    fn visible(self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        let shown = match self {
            Form::Json => visible::json(&text),
            Form::Commands => visible::commands(&text),
            Form::Text => visible::styled(&text),
        };
        shown.into_owned().into_bytes()
    }
}

/// What waits until another program has left the terminal.
#[derive(Default)]
struct Held {
    with_results: bool,
    pieces: Vec<Piece>,
}

/// Something that was said.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Piece {
    /// For stderr.
    Note(String),
    Results(String),
}

/// All that a run has said, so that it can be said again.
#[derive(Default)]
pub(super) struct Said {
    pub(super) pieces: Vec<Piece>,
    /// Cargo's target folder, once it is known.
    pub(super) target_dir: Option<PathBuf>,
}

impl Terminal {
    /// As the flags say, then cargo's environment.
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
            output: output.output.clone(),
            form: Form::of(&output.message_format),
            progress: Progress::new(for_people && !quiet),
            held: Mutex::new(None),
            said: Mutex::new(None),
        }
    }

    /// From now on what is said is noted too.
    pub(super) fn note_all(&self) {
        *self.said() = Some(Said::default());
    }

    /// What was said since [`Terminal::note_all`].
    pub(super) fn all_said(&self) -> Option<Said> {
        self.said().take()
    }

    /// Where what is noted may be kept.
    pub(super) fn keep_in(&self, target_dir: &Path) {
        if let Some(said) = self.said().as_mut() {
            said.target_dir = Some(target_dir.to_owned());
        }
    }

    fn said(&self) -> MutexGuard<'_, Option<Said>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the work is at from now on: shown on a terminal while nothing else is.
    pub fn progress(&self, what: &str) {
        if self.held().is_none() {
            self.progress.say(what);
        }
    }

    /// Keeps back what is said until [`Terminal::release`]; with `results`, these too.
    pub(super) fn hold(&self, results: bool) {
        self.progress.clear();
        *self.held() = Some(Held {
            with_results: results,
            pieces: Vec::new(),
        });
    }

    /// Says what was kept back, the results between `before` and `after`.
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
        if !said && self.output.is_none() {
            written = self.write_stdout(&[before, after].concat());
        }
        written
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Columns that results have for people: the terminal's, within what can be read; none where
    /// they go to a file or a pipe.
    pub(super) fn columns(&self) -> Option<usize> {
        if self.writes_a_file() {
            return None;
        }
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0).clamp(NARROWEST, WIDEST))
    }

    /// Results go to a file.
    pub fn writes_a_file(&self) -> bool {
        self.output.is_some()
    }

    /// The file that results go to.
    #[cfg(unix)]
    pub fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// What the user must know.
    pub fn error(&self, text: &str) {
        self.write_stderr(&format!("{ERROR}error{ERROR:#}: {}\n", visible::text(text)));
    }

    /// What the user should know.
    pub fn warning(&self, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{WARN}warning{WARN:#}: {}\n", visible::text(text)));
        }
    }

    /// What the user has asked to know.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!("{NOTE}note{NOTE:#}: {}\n", visible::text(text)));
        }
    }

    /// How a run goes on or ended, as cargo says it: a verb and the rest.
    pub fn status(&self, verb: &str, text: &str) {
        if !self.quiet {
            self.write_stderr(&format!(
                "{GOOD}{verb:>12}{GOOD:#} {}\n",
                visible::text(text)
            ));
        }
    }

    /// Text with ANSI sequences, which are left out where they are not wanted.
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
        // There is nowhere left to complain.
        let shown = visible::styled(text);
        let _ = AutoStream::new(stderr.lock(), choice).write_all(shown.as_bytes());
    }

    /// Writes the results: text with ANSI sequences, which are left out where they are not wanted.
    ///
    /// # Errors
    /// They cannot be written. That nobody reads on is no error.
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
        match &self.output {
            Some(path) => self.write_file(&shown, path),
            None => self.write_stdout(&shown),
        }
    }

    /// Writes a document of JSON to `--output`, or to `path` without one.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write_or_to(&self, text: &[u8], path: &Path) -> Result<(), String> {
        self.write_file(
            &Form::Json.visible(text),
            self.output.as_deref().unwrap_or(path),
        )
    }

    /// Writes a document that is visible already to `--output`, as it is.
    ///
    /// # Errors
    /// It is not said where, or it cannot be written.
    pub(super) fn write_document(&self, text: &str) -> Result<(), String> {
        let path = self.output.as_ref();
        let path = path.ok_or("say where to write the page: `--output weigh.html`")?;
        write::replace(path, text.as_bytes())
            .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
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

    /// Writes text of our own to stdout, whatever `--output` says.
    ///
    /// # Errors
    /// It cannot be written. That nobody reads on is no error.
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

/// When cargo's environment wants colours.
fn of_cargo() -> clap::ColorChoice {
    match std::env::var("CARGO_TERM_COLOR").as_deref() {
        Ok("always") => clap::ColorChoice::Always,
        Ok("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// When to use colours in what is said of the arguments themselves, which may not parse.
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
