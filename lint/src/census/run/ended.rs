//! A program that has run: how it ended, and what the recorder wrote to the shared file.

use crate::census::image::{DATA_AT, word};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Words of the shared file; `heap/src/recorder.rs` has the other half.
pub(super) mod shared {
    pub(in super::super) const CLAIMED: usize = 1;
    pub(in super::super) const STATE: usize = 2;
    pub(in super::super) const PEAK: usize = 3;
    pub(in super::super) const AT_END: usize = 4;
    pub(in super::super) const ENDED: usize = 6;
    pub(in super::super) const DATA_END: usize = 7;
    pub(in super::super) const LIVE: usize = 8;
    pub(in super::super) const COPY: usize = 10;
    pub(in super::super) const GO: usize = 11;
    pub(in super::super) const LABELS: usize = 12;
    pub(in super::super) const FAILED: usize = 13;
    pub(in super::super) const LABELS_AT: usize = 4096;
    /// The copy has written everything.
    pub(in super::super) const DONE: u64 = 2;
}

/// A program that has run under the recorder.
pub(super) struct Ended {
    pub(super) file: File,
    pub(super) status: ExitStatus,
    /// This process has ended it.
    pub(super) ended: bool,
}

/// A program is running.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// It is to end now. A census that was taken before is counted all the same.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A program was ended by an interrupt that has not reached this process yet.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// How long a program that is interrupted may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// From now on an interrupt ends the program that runs, and this process only if none does.
pub(super) fn heed_interrupts() {
    // Fails where there is one already.
    let _ = ctrlc::set_handler(|| {
        if EXPECTED.swap(false, Ordering::Relaxed) {
            return;
        }
        if !RUNNING.load(Ordering::Relaxed) || INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED_STATUS);
        }
    });
}

/// 128 and the number of the signal, as shells say it.
const INTERRUPTED_STATUS: i32 = 128 + INTERRUPT;

/// The signal's number.
const INTERRUPT: i32 = 2;

/// Runs a program to its end; whether this process has ended it: after a timeout, or at an
/// interrupt that the program ignores.
pub(super) fn run(
    command: &mut Command,
    timeout: Option<Duration>,
) -> std::io::Result<(ExitStatus, bool)> {
    INTERRUPTED.store(false, Ordering::Relaxed);
    // Set before it starts: an interrupt may arrive before `spawn` returns.
    RUNNING.store(true, Ordering::Relaxed);
    let ended = command.spawn().and_then(|child| wait(child, timeout));
    // A terminal interrupts both processes, and the program may end first.
    if let Ok((status, _)) = ended
        && (status.signal() == Some(INTERRUPT) || status.code() == Some(INTERRUPTED_STATUS))
        && !INTERRUPTED.load(Ordering::Relaxed)
    {
        EXPECTED.store(true, Ordering::Relaxed);
    }
    RUNNING.store(false, Ordering::Relaxed);
    ended
}

fn wait(mut child: Child, timeout: Option<Duration>) -> std::io::Result<(ExitStatus, bool)> {
    let start = Instant::now();
    let mut interrupted = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if INTERRUPTED.load(Ordering::Relaxed) {
            interrupted.get_or_insert_with(Instant::now);
        }
        if timeout.is_some_and(|timeout| start.elapsed() > timeout)
            || interrupted.is_some_and(|since| since.elapsed() > GRACE)
        {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        std::thread::sleep(Duration::from_millis(20));
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
        word(&self.bytes(index as u64 * 8, 8), 0)
    }

    /// Names and live bytes of the labels that the program reached, in order.
    pub(super) fn labels(&self) -> Vec<(String, u64)> {
        let all = self.bytes(0, DATA_AT as usize);
        let end = (shared::LABELS_AT + self.word(shared::LABELS) as usize).min(all.len());
        let mut labels = Vec::new();
        let mut at = shared::LABELS_AT;
        while at + 16 <= end {
            let (len, live) = (word(&all, at) as usize, word(&all, at + 8));
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
        let copy = self.word(shared::COPY);
        while copy != 0
            && self.word(shared::STATE) != shared::DONE
            && self.word(shared::FAILED) == 0
            && is_alive(copy)
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What was recorded, from its start.
    pub(super) fn data(&self) -> Result<impl Read, String> {
        let end = self.word(shared::DATA_END);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(DATA_AT))
            .map_err(|e| format!("cannot read what was recorded: {e}"))?;
        Ok(file.take(end.saturating_sub(DATA_AT)))
    }

    pub(super) fn failure(&self) -> Option<String> {
        if self.ended {
            return Some("the program did not end in time and was ended".to_owned());
        }
        (!self.status.success()).then(|| format!("the program failed ({})", self.status))
    }
}

#[cfg(target_os = "linux")]
fn is_alive(process: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    // `pid (name) state …`
    stat.is_ok_and(|s| {
        let state = s.rsplit_once(')').map_or("", |(_, rest)| rest.trim_start());
        !state.starts_with('Z') && !state.starts_with('X')
    })
}

/// The program has ended: its copied process is ended as well.
#[cfg(not(target_os = "linux"))]
fn is_alive(process: u64) -> bool {
    let process = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}
