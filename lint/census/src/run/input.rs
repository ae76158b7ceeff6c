//! The standard input of a program that is run more than once: each run reads it from its start.

use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the runs of a program read from.
pub(super) enum Input {
    /// The program has this process's: a terminal, or nothing.
    Shared,
    /// A file, from this place on.
    File(File, u64),
    /// A pipe or socket, whose bytes are kept for the next run.
    Kept(Arc<Kept>),
}

/// What has been read of a pipe.
pub(super) struct Kept {
    file: File,
    bytes: AtomicU64,
    /// None at its end. A run that ends while its input is waited for keeps the lock until then.
    pipe: Mutex<Option<File>>,
}

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

impl Input {
    /// Of a program that is run several times; `keep` makes a file without a name.
    pub(super) fn of_several_runs(
        keep: impl FnOnce() -> Result<File, String>,
    ) -> Result<Input, String> {
        let own = std::io::stdin().as_fd().try_clone_to_owned();
        let Ok(mut own) = own.map(File::from) else {
            return Ok(Input::Shared);
        };
        let Ok(kind) = own.metadata().map(|m| m.file_type()) else {
            return Ok(Input::Shared);
        };
        if kind.is_file() {
            let at = own.stream_position();
            let at = at.map_err(|e| format!("cannot read the input again: {e}"))?;
            return Ok(Input::File(own, at));
        }
        if !kind.is_fifo() && !kind.is_socket() {
            return Ok(Input::Shared);
        }
        Ok(Input::Kept(Arc::new(Kept {
            file: keep()?,
            bytes: AtomicU64::new(0),
            pipe: Mutex::new(Some(own)),
        })))
    }

    /// Before the program starts.
    pub(super) fn prepare(&self, command: &mut Command) -> io::Result<()> {
        match self {
            Input::Shared => {}
            Input::File(file, at) => {
                // The program reads on from where its file was left.
                let mut file = file;
                file.seek(SeekFrom::Start(*at))?;
            }
            Input::Kept(_) => {
                command.stdin(Stdio::piped());
            }
        }
        Ok(())
    }

    /// Once it runs.
    pub(super) fn feed(&self, child: &mut Child) {
        if let (Input::Kept(kept), Some(to)) = (self, child.stdin.take()) {
            let kept = Arc::clone(kept);
            std::thread::spawn(move || kept.feed(to));
        }
    }
}

impl Kept {
    /// Writes all to a program, as far as it reads.
    fn feed(&self, mut to: impl Write) {
        let (mut at, mut buffer) = (0, vec![0; CHUNK]);
        while at < self.bytes.load(Ordering::Acquire) || self.is_more_than(at) {
            let Ok(n) = self.file.read_at(&mut buffer, at) else {
                return;
            };
            // The program may have ended, or closed its input.
            if n == 0 || to.write_all(&buffer[..n]).is_err() {
                return;
            }
            at += n as u64;
        }
    }

    /// Waits for more than so many bytes.
    fn is_more_than(&self, at: u64) -> bool {
        let mut pipe = self.pipe.lock();
        if self.bytes.load(Ordering::Acquire) > at {
            return true;
        }
        let mut buffer = vec![0; CHUNK];
        let read = pipe.as_mut().map_or(Ok(0), |pipe| pipe.read(&mut buffer));
        match read {
            Ok(n) if n > 0 && self.file.write_all_at(&buffer[..n], at).is_ok() => {
                self.bytes.store(at + n as u64, Ordering::Release);
                true
            }
            _ => {
                *pipe = None;
                false
            }
        }
    }
}
