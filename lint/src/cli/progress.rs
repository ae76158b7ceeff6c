//! The progress line of a long run: only on a terminal, and cleared before any other output.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter runs show no progress.
const DELAY: Duration = Duration::from_millis(500);
/// Time between two frames of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The progress line.
pub(super) struct Progress {
    wanted: bool,
    began: Instant,
    line: Mutex<Option<Line>>,
}

impl Progress {
    /// Returns a progress line; it shows nothing unless `wanted`, or if stderr is not a terminal.
    pub(super) fn new(wanted: bool) -> Progress {
        Progress {
            wanted: wanted && !is_unwelcome(),
            began: Instant::now(),
            line: Mutex::new(None),
        }
    }

    /// Sets the current activity.
    pub(super) fn say(&self, what: &str) {
        if self.wanted {
            let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            let line = line.get_or_insert_with(|| Line::begin(self.began));
            line.bar.set_message(what.to_owned());
        }
    }

    /// Removes the line.
    pub(super) fn clear(&self) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        drop(line.take());
    }
}

/// Returns true if cargo would show no progress either: by its environment variable, or if lines
/// cannot be redrawn.
fn is_unwelcome() -> bool {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    is("CARGO_TERM_PROGRESS_WHEN", "never")
        || is("TERM", "dumb")
        || std::env::var_os("CI").is_some()
}

/// A line that appears after [`DELAY`].
struct Line {
    bar: ProgressBar,
    /// Dropped at the end of the work.
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    fn begin(began: Instant) -> Line {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("    Weighing {spinner} {wide_msg}") {
            // ASCII, for every terminal.
            bar.set_style(style.tick_chars("-\\|/ "));
        }
        let (over, waits) = mpsc::channel::<()>();
        let shown = bar.clone();
        let thread = std::thread::spawn(move || {
            let rest = DELAY.saturating_sub(began.elapsed());
            if waits.recv_timeout(rest) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Line {
            bar,
            over: Some(over),
            thread: Some(thread),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        drop(self.over.take());
        // Otherwise the line could appear after it was cleared.
        let _ = self.thread.take().map(JoinHandle::join);
        self.bar.finish_and_clear();
    }
}
