//! A program that has run: how it ended, and what the recorder wrote to the shared file.

use super::asked;
use crate::image::{self, Image};
use crate::interrupt;
use crate::store::{Folder, Temporary};
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};
use weigh_heap::protocol::{DATA_AT, DONE, LABELS_AT, word};

/// A program that has run under the recorder.
pub(super) struct Ended {
    pub(super) file: File,
    /// Where the census is, if it was taken on request.
    pub(super) asked: Option<File>,
    pub(super) status: ExitStatus,
    /// Why this process has killed it.
    pub(super) stopped: Option<Stopped>,
    /// What could not be counted while it ran.
    pub(super) failures: Vec<String>,
}

/// A word of a shared file.
pub(super) fn word_of(file: &File, index: usize) -> u64 {
    let mut buffer = [0; 8];
    // Beyond the end of the file there are no words.
    let _ = file.read_exact_at(&mut buffer, index as u64 * 8);
    image::word(&buffer, 0)
}

/// Writes a word of a shared file, whose first bytes need no more room.
pub(super) fn set(file: &File, index: usize, value: u64) {
    let _ = file.write_all_at(&value.to_le_bytes(), index as u64 * 8);
}

/// Why this process has killed the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    Timeout,
    /// It did not end at an interrupt.
    Interrupt,
}

/// The process that runs; [`STARTING`] before its number is known, 0 if there is none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// No process has this number.
const STARTING: i32 = -1;

/// The program is to end now. A census that was taken before is counted all the same.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A program was ended by an interrupt that has not reached this process yet.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// Folders that this process removes when an interrupt ends it.
static TEMPORARY: Mutex<Vec<Temporary>> = Mutex::new(Vec::new());

/// How long a program that is interrupted may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// From now on the first interrupt ends the program that runs. A second one, or one while none
/// runs, ends this process too.
pub(super) fn heed_interrupts() {
    interrupt::heed(|status| {
        if EXPECTED.swap(false, Ordering::Relaxed) {
            return;
        }
        let running = RUNNING.load(Ordering::Relaxed);
        if running != 0 && !INTERRUPTED.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(process) = Pid::from_raw(running.max(0)) {
            // Fails if it has just ended.
            let _ = kill_process(process, Signal::KILL);
        }
        // Most have been removed by then.
        TEMPORARY.lock().clear();
        std::process::exit(status);
    });
}

/// Creates a folder which an interrupt that ends this process removes first.
///
/// # Errors
/// It cannot be created there.
pub fn temporary(prefix: &str, within: &Folder) -> std::io::Result<Temporary> {
    heed_interrupts();
    // The handler waits for the lock.
    let mut folders = TEMPORARY.lock();
    let folder = within.temporary(prefix)?;
    folders.push(folder.twin()?);
    Ok(folder)
}

/// Numbers of the signals that count as an interrupt, the one of Ctrl-C and those of a terminal
/// that is closed and of `kill`.
const INTERRUPT: i32 = 2;
const OTHERS: [i32; 2] = [1, 15];

/// Runs a program to its end, and calls `started` once it runs and `tick` again and again meanwhile;
/// returns whether this process has killed it.
pub(super) fn run(
    command: &mut Command,
    timeout: Option<Duration>,
    started: impl FnOnce(&mut Child),
    tick: &mut dyn FnMut(),
) -> std::io::Result<(ExitStatus, Option<Stopped>)> {
    INTERRUPTED.store(false, Ordering::Relaxed);
    // Set before it starts: an interrupt may arrive before `spawn` returns.
    RUNNING.store(STARTING, Ordering::Relaxed);
    let ended = command.spawn().and_then(|mut child| {
        started(&mut child);
        wait(child, timeout, tick)
    });
    // A terminal signals both processes, and the program may end first.
    if let Ok((status, None)) = ended
        && ended_by(status).is_some()
        && !INTERRUPTED.load(Ordering::Relaxed)
    {
        EXPECTED.store(true, Ordering::Relaxed);
    }
    RUNNING.store(0, Ordering::Relaxed);
    ended
}

/// The interrupt that a program's status tells of.
fn ended_by(status: ExitStatus) -> Option<i32> {
    let signal = status.signal().or_else(|| Some(status.code()? - 128))?;
    (signal == INTERRUPT || OTHERS.contains(&signal)).then_some(signal)
}

/// Whether the signal that ended the program has reached this process as well, at the latest now.
fn is_interrupted_too() -> bool {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return true;
    }
    std::thread::sleep(Duration::from_millis(100));
    !EXPECTED.swap(false, Ordering::Relaxed)
}

fn wait(
    mut child: Child,
    timeout: Option<Duration>,
    tick: &mut dyn FnMut(),
) -> std::io::Result<(ExitStatus, Option<Stopped>)> {
    RUNNING.store(
        i32::try_from(child.id()).unwrap_or(STARTING),
        Ordering::Relaxed,
    );
    let start = Instant::now();
    let mut interrupted = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, None));
        }
        if INTERRUPTED.load(Ordering::Relaxed) {
            interrupted.get_or_insert_with(Instant::now);
        }
        let stopped = if timeout.is_some_and(|timeout| start.elapsed() > timeout) {
            Some(Stopped::Timeout)
        } else if interrupted.is_some_and(|since| since.elapsed() > GRACE) {
            Some(Stopped::Interrupt)
        } else {
            None
        };
        if stopped.is_some() {
            child.kill()?;
            return Ok((child.wait()?, stopped));
        }
        tick();
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Ended {
    fn bytes(&self, at: u64, n: usize) -> Vec<u8> {
        let mut buffer = vec![0; n];
        // Beyond the end of the file there are no words.
        let _ = self.file.read_exact_at(&mut buffer, at);
        buffer
    }

    pub(super) fn word(&self, index: usize) -> u64 {
        word_of(&self.file, index)
    }

    /// The file that the census is in.
    fn taken(&self) -> &File {
        self.asked.as_ref().unwrap_or(&self.file)
    }

    /// A word about the census.
    pub(super) fn said(&self, index: usize) -> u64 {
        word_of(self.taken(), index)
    }

    /// Names and live bytes of the labels that the program reached, in order.
    pub(super) fn labels(&self) -> Vec<(String, u64)> {
        let all = self.bytes(0, DATA_AT);
        let end = (LABELS_AT + self.word(word::LABELS) as usize).min(all.len());
        let mut labels = Vec::new();
        let mut at = LABELS_AT;
        while at + 16 <= end {
            let (len, live) = (image::word(&all, at) as usize, image::word(&all, at + 8));
            let Some(name) = all.get(at + 16..at + 16 + len) else {
                break;
            };
            labels.push((String::from_utf8_lossy(name).into_owned(), live));
            at += 16 + len.next_multiple_of(8);
        }
        labels
    }

    /// The copied process may still be writing.
    pub(super) fn wait_for_copy(&self) {
        let copy = self.said(word::COPY);
        while copy != 0
            && self.said(word::STATE) != DONE
            && self.said(word::FAILED) == 0
            && is_alive(copy)
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What was recorded.
    pub(super) fn image(&self) -> Result<Image, String> {
        asked::image(self.taken())
    }

    pub(super) fn failure(&self) -> Option<String> {
        match self.stopped {
            Some(Stopped::Timeout) => {
                Some("the program did not end in time and was ended".to_owned())
            }
            Some(Stopped::Interrupt) => {
                Some("the program did not end at an interrupt and was ended".to_owned())
            }
            None if self.status.success() => None,
            None => Some(format!("the program failed ({})", self.status)),
        }
    }

    /// Refuses another run of a program after this one if whoever interrupted it wants none: it had
    /// to be killed, or got another signal than Ctrl-C's, with which one ends a single run.
    pub(super) fn continues(&self, program: &Path) -> Result<(), String> {
        let other = ended_by(self.status).is_some_and(|signal| OTHERS.contains(&signal));
        if self.stopped == Some(Stopped::Interrupt) || other && is_interrupted_too() {
            return Err(format!(
                "{} was interrupted in the run before the census: `--once` needs one run alone",
                program.display()
            ));
        }
        Ok(())
    }

    /// What the program did where nothing is recorded.
    pub(super) fn left_out(&self) -> Vec<String> {
        let mut notes = self.failures.clone();
        let forked = self.word(word::FORKED);
        if forked > self.word(word::PEAK) {
            notes.push(format!(
                "a process that the program forked had {forked} bytes live: only the first \
                 process is counted"
            ));
        }
        if self.status.success() && self.word(word::ENDED) == 0 {
            notes.push(
                "the program ended without its exit handlers: if another program has replaced it, \
                 or a process that it forked goes on, that is not counted"
                    .to_owned(),
            );
        }
        notes
    }
}

#[cfg(target_os = "linux")]
pub(super) fn is_alive(process: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    // `pid (name) state …`
    stat.is_ok_and(|s| {
        let state = s.rsplit_once(')').map_or("", |(_, rest)| rest.trim_start());
        !state.starts_with('Z') && !state.starts_with('X')
    })
}

/// The program has ended: its copied process is ended as well.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_alive(process: u64) -> bool {
    let process = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}
