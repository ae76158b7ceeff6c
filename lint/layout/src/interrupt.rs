//! Signals that end this process, and the programs that end with it.

use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, Once, PoisonError};

/// The programs that run.
static RUNNING: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// From now on Ctrl-C, and what else asks this process to end, only calls `ended`, on a thread of
/// its own, with the exit status that shells use: 128 and the number of the signal. The first call
/// decides.
pub fn heed(ended: impl FnMut(i32) + Send + 'static) {
    static ONCE: Once = Once::new();
    // If it fails, signals end this process as they do by default.
    ONCE.call_once(|| listen(ended));
}

/// From now on these end this process, and first all that it runs.
pub fn end_all_and_this() {
    heed(|status| {
        end_all();
        std::process::exit(status);
    });
}

#[cfg(unix)]
fn listen(mut ended: impl FnMut(i32) + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    std::thread::spawn(move || {
        signals.forever().for_each(|signal| ended(128 + signal));
    });
}

#[cfg(not(unix))]
fn listen(mut ended: impl FnMut(i32) + Send + 'static) {
    // The number of an interrupt everywhere.
    let _ = ctrlc::set_handler(move || ended(128 + 2));
}

/// Ends the programs that run and, on Unix, all that they started.
pub fn end_all() {
    for child in &mut *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) {
        // They may have ended already.
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.kill();
    }
}

/// A program that [`end_all`] ends.
pub struct Started {
    id: u32,
    /// Its output, as far as that is piped.
    pub stdout: Option<ChildStdout>,
    /// Its messages, as far as those are piped.
    pub stderr: Option<ChildStderr>,
}

impl Started {
    /// Starts a program. On Unix it gets a process group of its own, so that all that it starts can
    /// be ended with it: a terminal sends its signals to this process alone. So it must not use the
    /// terminal.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn new(command: &mut Command) -> io::Result<Started> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // Whoever ends all waits until it is in the list.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = command.spawn()?;
        let started = Started {
            id: child.id(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        running.push(child);
        Ok(started)
    }

    /// Waits for its end, which is near: it has closed its output.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn wait(self) -> io::Result<ExitStatus> {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let at = running.iter().position(|child| child.id() == self.id);
        let child = at.map(|at| running.swap_remove(at));
        drop(running);
        child.ok_or(io::ErrorKind::NotFound)?.wait()
    }
}

/// Runs a program to its end, as [`Started::new`], and returns its output.
///
/// # Errors
/// It cannot be run.
pub fn output(command: &mut Command) -> io::Result<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut started = Started::new(command)?;
    let messages = started.stderr.take();
    let messages = std::thread::spawn(move || whole(messages));
    let stdout = whole(started.stdout.take());
    Ok(Output {
        stdout,
        stderr: messages.join().unwrap_or_default(),
        status: started.wait()?,
    })
}

/// Returns all that a pipe says. If its program was killed, that ends early.
pub fn whole(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    bytes
}
