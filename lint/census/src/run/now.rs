//! A census of a process that `serve` has started, taken while it goes on.

use super::asked::{SERVED, ask};
use super::ended::{is_alive, word_of};
use super::objects::{Recorded, counted_program, with_loaded};
use super::state_of;
use crate::Taken;
use crate::count::{self, Source};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use weigh_heap::protocol::word;

/// Counts the heap of a process that runs.
///
/// # Errors
/// It is not recorded, is another user's, does not answer, or its program cannot be read.
pub fn now(process: u32, say: &dyn Fn(&str, &str)) -> Result<Taken, String> {
    let why =
        |what: &str, e: std::io::Error| format!("cannot read {what} of process {process}: {e}");
    let environment = std::fs::read(format!("/proc/{process}/environ"));
    let environment = environment.map_err(|e| why("the environment", e))?;
    let Some(request) = request(&environment) else {
        return Err(not_recorded(process));
    };
    let mut asked = None;
    let (mut is_served, mut is_unmerged) = (false, false);
    for line in request.lines() {
        match line.split_once('=') {
            Some(("asked", path)) => asked = Some(path),
            // A census at times is taken by the same thread, and is not to be disturbed.
            Some((SERVED, _)) => is_served = true,
            Some(("unmerged", _)) => is_unmerged = true,
            _ => {}
        }
    }
    let asked = asked.filter(|path| is_served && is_descriptor(path));
    let file = asked.ok_or_else(|| not_recorded(process))?;
    let file = open(file).map_err(|e| {
        format!(
            "cannot open the file that process {process} is recorded to: {e}; does the \
             `cargo weigh census --serve` that started it still run?"
        )
    })?;
    let of = |found: std::io::Result<Metadata>| found.map_err(|e| why("the owner", e));
    let (kept, running) = (
        of(file.metadata())?,
        of(std::fs::metadata(format!("/proc/{process}")))?,
    );
    let user = rustix::process::geteuid().as_raw();
    if !kept.is_file() || [kept.uid(), running.uid()] != [user; 2] {
        return Err(format!("process {process}, or its file, is another user's"));
    }
    if word_of(&file, word::CLAIMED) != u64::from(process) {
        return Err(not_recorded(process));
    }
    let exe = format!("/proc/{process}/exe");
    let path = std::fs::read_link(&exe);
    let path = path.map_err(|e| why("the program", e))?;
    // Of the file that runs, whatever is at its path by now.
    let before = state_of(Path::new(&exe)).ok_or_else(|| not_recorded(process))?;
    if state_of(&path).is_none() {
        return Err(format!("{} is not there any more", path.display()));
    }
    let mut program = counted_program(&path, is_unmerged)?;
    say("Counting", &format!("process {process}, which goes on"));
    let image = {
        // Until it is read: another may ask too.
        let _lock = Lock::new(&file)?;
        ask(&file, || is_alive(process.into()))
    };
    let image = image.map_err(|why| format!("process {process}: {why}"))?;
    if Some(before) != state_of(&path) {
        return Err(format!("{} was rebuilt while it ran", path.display()));
    }
    with_loaded(&mut program, &path, &image, &mut Recorded::default())?;
    let census = count::take(&Source {
        path: &path,
        program: &program,
        image: &image,
        peak: 0,
    })?;
    Ok(Taken {
        census,
        failure: None,
        notes: Vec::new(),
    })
}

fn not_recorded(process: u32) -> String {
    format!(
        "process {process} is not one to ask: start the program by `cargo weigh census --serve`, \
         which names its process"
    )
}

/// What the recorder was asked to do.
fn request(environment: &[u8]) -> Option<&str> {
    let mut all = environment.split(|b| *b == 0);
    let found = all.find_map(|one| one.strip_prefix(b"WEIGH_CENSUS="))?;
    std::str::from_utf8(found).ok()
}

/// Whether it is a descriptor of a process: what is written to is named by the other process.
fn is_descriptor(path: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts[..], ["", "proc", process, "fd", n] if is_number(process) && is_number(n))
}

/// Opens the file by the descriptor of the process that keeps it.
fn open(path: &str) -> std::io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// A lock of the shared file.
struct Lock<'f>(&'f File);

impl Lock<'_> {
    fn new(file: &File) -> Result<Lock<'_>, String> {
        use rustix::fs::{FlockOperation, flock};
        flock(file, FlockOperation::LockExclusive)
            .map_err(|e| format!("cannot lock the shared file: {e}"))?;
        Ok(Lock(file))
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = rustix::fs::flock(self.0, rustix::fs::FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::is_descriptor;

    #[test]
    fn only_descriptors_of_processes_are_opened() {
        assert!(is_descriptor("/proc/12/fd/3"));
        for other in [
            "/proc/12/fd/",
            "/proc/self/fd/3",
            "/proc/12/fd/3/x",
            "/proc/12/mem",
            "/etc/passwd",
            "proc/12/fd/3",
            "/proc/1/../fd/3",
            "",
        ] {
            assert!(!is_descriptor(other), "{other}");
        }
    }
}
