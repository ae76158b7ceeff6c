//! Replays the output of an earlier run with the same inputs from the cache.

use super::terminal::{Piece, RecordedOutput};
use super::{CLEAN, FAILED, FOUND, Terminal};
use crate::cache::Key;
use crate::fault;
use crate::project::{self, Selection};
use crate::seen;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

#[derive(Serialize, Deserialize)]
struct Answer {
    status: u8,
    said: Vec<Piece>,
}

/// Prints the cached output for these arguments, or does the work and caches its output. The work
/// must have no other effect.
///
/// # Errors
/// The errors of the work.
pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &[OsString],
    work: impl FnOnce() -> Result<u8, String>,
) -> Result<u8, String> {
    let cache = project::cache(selection);
    let columns = terminal.columns().map(|n| OsString::from(n.to_string()));
    // The name of the program has no effect.
    let words = arguments.iter().skip(1).chain(&columns);
    let key = Key::new("run", words.map(OsString::as_os_str));
    if let Some((answer, _)) = cache.find::<Answer>(&key) {
        return Ok(again(terminal, answer));
    }
    seen::begin();
    terminal.note_all();
    let status = work();
    let (facts, said) = (seen::end(), terminal.all_said());
    if let Ok(status @ (CLEAN | FOUND)) = status
        && let (Some(facts), Some(said)) = (facts, said)
        && !fault::any()
    {
        let RecordedOutput { pieces, target_dir } = said;
        let answer = Answer {
            status,
            said: pieces,
        };
        if let Some(target_dir) = target_dir {
            cache.keep(&target_dir, &key, &facts, &answer);
        }
    }
    status
}

fn again(terminal: &Terminal, answer: Answer) -> u8 {
    let mut written = Ok(());
    for piece in answer.said {
        match piece {
            Piece::Note(text) => terminal.write_stderr(&text),
            Piece::Results(text) => written = written.and(terminal.write(text.as_bytes())),
        }
    }
    match written {
        Ok(()) => answer.status,
        Err(message) => {
            terminal.error(&message);
            FAILED
        }
    }
}
