//! Runs a program under the recorder, and takes its memory.

mod asked;
mod ended;
mod input;
mod now;
mod objects;

use super::Taken;
use super::build::UNMERGED;
use super::count::{self, Source};
use super::dwarf::{self, Program, System};
use crate::store::{Folder, Temporary};
use asked::Answers;
pub use ended::temporary;
use ended::{Ended, Stopped, heed_interrupts, set};
use input::Input;
pub use now::now;
use objects::{Recorded, counted_program, found, with_loaded};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use weigh_heap::protocol::{DATA_AT, DONE, WRITING, failure, word};

/// The flags for rustc that a census of a program for this target needs, behind the user's.
pub fn rustflags(triple: &str) -> [&'static str; 4] {
    [
        "-Cdebuginfo=2",
        "-Cforce-frame-pointers=yes",
        "-Cstrip=none",
        // On macOS debug information is in object files, which cargo deletes, or in a bundle.
        match triple.ends_with("-apple-darwin") {
            true => "-Csplit-debuginfo=packed",
            false => "-Csplit-debuginfo=off",
        },
    ]
}

/// Whether programs for a target can be recorded.
pub fn is_recorded(triple: &str) -> bool {
    let machine = ["x86_64-", "aarch64-"]
        .iter()
        .any(|m| triple.starts_with(m));
    let system = ["-linux-gnu", "-apple-darwin"]
        .iter()
        .any(|s| triple.ends_with(s));
    machine && system
}

/// The moment to count at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// When the most bytes are live.
    Peak,
    /// When the program ends by itself.
    Exit,
    /// At a label of the crate, the n-th time; where no number is given, when the most is live.
    Label(String, Option<u64>),
    /// So long after its start.
    After(Duration),
    /// Again and again, at these intervals.
    Every(Duration),
    /// Whenever [`now`] asks.
    Asked,
}

/// Reads `30s`, `500ms`, `5m` or `1h`.
///
/// # Errors
/// It is none of these, or no time at all.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => Some(1),
        "s" => Some(1000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let number = digits.parse().ok().filter(|n: &u64| *n > 0);
    let all = number.zip(unit).and_then(|(n, unit)| n.checked_mul(unit));
    all.map(Duration::from_millis)
        .ok_or_else(|| format!("`{text}` is no time such as `30s`, `500ms` or `5m`"))
}

impl At {
    /// Reads `peak`, `exit`, `30s`, `LABEL` or `LABEL#N`.
    pub fn parse(text: &str) -> At {
        match text {
            "peak" => At::Peak,
            "exit" => At::Exit,
            _ if let Ok(time) = duration(text) => At::After(time),
            _ => match text.rsplit_once('#') {
                Some((label, n)) if n.parse().is_ok_and(|n: u64| n > 0) => {
                    At::Label(label.to_owned(), n.parse().ok())
                }
                _ => At::Label(text.to_owned(), None),
            },
        }
    }
}

/// What to run, and how.
#[derive(Debug)]
pub struct Run<'r> {
    /// The program's file.
    pub program: &'r Path,
    /// Its arguments.
    pub arguments: &'r [std::ffi::OsString],
    /// When to count.
    pub at: At,
    /// One run alone, with a copy of the process at each new high.
    pub once: bool,
    /// When to end the program if it still runs.
    pub timeout: Option<Duration>,
    /// Where the recorder is compiled.
    pub folder: &'r Folder,
    /// Where the contents of the heap go, in a file without a name; none: to memory.
    pub contents: Option<&'r Folder>,
    /// The compiler for the recorder.
    pub compiler: &'r str,
    /// What starts the program.
    pub runner: &'r [String],
    /// Of a program for another machine: the target and its linker.
    pub foreign: Option<(&'r str, Option<&'r str>)>,
    /// The folder of the package whose test or benchmark it is: cargo runs these there.
    pub package: Option<&'r Path>,
    /// Whether it was built without merged functions. A program may say so itself, by a symbol.
    pub is_unmerged: bool,
}

impl Run<'_> {
    /// Whether the moment takes more than one run.
    fn is_repeated(&self) -> bool {
        match &self.at {
            At::Peak => !self.once,
            At::Label(_, n) => n.is_none(),
            At::Exit | At::After(_) | At::Every(_) | At::Asked => false,
        }
    }

    /// A file without a name, so that none of the user's data is left behind, whatever ends this
    /// process.
    fn nameless(&self) -> Result<File, String> {
        match self.contents {
            Some(folder) => {
                let failed = |e| format!("cannot write in {}: {e}", folder.path().display());
                folder.nameless().map_err(failed)
            }
            None => in_memory().map_err(|e| format!("cannot keep the heap's contents: {e}")),
        }
    }
}

/// The least share of functions with frame pointers with which stacks can be followed.
const WITH_FRAMES: f64 = 0.8;

/// Refuses a program that could not be counted; `own` if it records itself.
fn refuse(run: &Run<'_>, path: &Path, program: &Program, own: bool) -> Result<(), String> {
    let here = (std::env::consts::OS, std::env::consts::ARCH);
    let of = (program.system.name(), program.machine);
    if run.runner.is_empty() && of != here {
        return Err(format!(
            "{} is for {} on {}, and this machine is {} on {}",
            path.display(),
            of.0,
            of.1,
            here.0,
            here.1
        ));
    }
    if let (false, Some(why)) = (own, program.alone) {
        return Err(format!(
            "{} {why}, so nothing can be loaded beside it: {}",
            path.display(),
            match program.system {
                System::MacOs => "make `weigh_heap::Heap` its global allocator",
                System::Linux =>
                    "build it for a target that ends with `-linux-gnu`; if it is to be linked \
                     statically, with `weigh_heap::Heap` as its global allocator",
            }
        ));
    }
    if let (false, [allocator, ..]) = (own, &program.allocators[..]) {
        return Err(format!(
            "{} has an allocator of its own ({allocator}), which cannot be recorded from outside: \
             make `weigh_heap::Heap::wrap(…)` of it the global allocator",
            path.display()
        ));
    }
    if program.frame_pointers < WITH_FRAMES {
        return Err(format!(
            "{} is built without frame pointers ({:.0} % of its functions have one): build it with \
             `-Cforce-frame-pointers=yes`",
            path.display(),
            program.frame_pointers * 100.0
        ));
    }
    Ok(())
}

/// A program that can be run and counted.
struct Ready {
    path: PathBuf,
    /// The path that is run: Python knows its environment by the link that it is called by.
    called: PathBuf,
    program: Program,
    is_unmerged: bool,
    /// Whether it records itself.
    own: bool,
    recorder: Option<(PathBuf, Temporary)>,
    input: Input,
}

/// Reads a program, and compiles the recorder for it.
fn ready(run: &Run<'_>) -> Result<Ready, String> {
    heed_interrupts();
    let called = found(run.program);
    let path = called
        .canonicalize()
        .map_err(|e| format!("cannot find {}: {e}", run.program.display()))?;
    // A pipe would be waited for.
    if !path.is_file() {
        return Err(format!("{} is not a regular file", path.display()));
    }
    let program = counted_program(&path, run.is_unmerged)?;
    let own = records_itself(&program);
    refuse(run, &path, &program, own)?;
    Ok(Ready {
        recorder: match own {
            true => None,
            false => Some(recorder(run)?),
        },
        input: match run.is_repeated() {
            true => Input::of_several_runs(|| run.nameless())?,
            false => Input::Shared,
        },
        is_unmerged: program.is_unmerged,
        path,
        called,
        program,
        own,
    })
}

/// The size and the time of a program's file.
fn state_of(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let of = std::fs::metadata(path).ok()?;
    Some((of.len(), of.modified().ok()?))
}

/// Runs a program and lets [`now`] take censuses of it; returns why it failed, if it did.
///
/// # Errors
/// The program is not one that can be counted, or cannot be run.
pub fn serve(run: &Run<'_>, say: &dyn Fn(&str, &str)) -> Result<Option<String>, String> {
    let ready = ready(run)?;
    let ended = Session::of(run, &ready.path, &ready, say).serve()?;
    Ok(ended.failure())
}

/// Runs a program and takes a census of it.
///
/// # Errors
/// The program is not one that can be counted, cannot be run, or never came to that moment.
pub fn run(run: &Run<'_>, say: &dyn Fn(&str, &str)) -> Result<Taken, String> {
    let mut ready = ready(run)?;
    let path = ready.path.clone();
    let before = state_of(&path);
    // Borrowed on its own while the rest runs it.
    let mut program = std::mem::take(&mut ready.program);
    // Elsewhere the process is not copied for a question.
    let can_ask = cfg!(target_os = "linux") && run.package.is_some();
    let asks = can_ask && count::is_asking(&program);
    let session = Session::of(run, &path, &ready, say);
    let mut recorded = Recorded::default();
    let (ended, series, mut notes) = match &run.at {
        At::Every(interval) => {
            let (ended, census) = session.every(*interval, &mut program)?;
            (ended, Some(census), Vec::new())
        }
        _ => {
            let asks = asks.then_some(&program);
            let (ended, notes) = session.moments(asks)?;
            (ended, None, notes)
        }
    };
    if let (true, [allocator, ..]) = (ready.own, &program.allocators[..]) {
        notes.push(format!(
            "what {allocator} adds to blocks is not known: glibc's block sizes are assumed"
        ));
    }
    if program.system == System::MacOs {
        notes.push("macOS is untested: what is counted there may be wrong".to_owned());
    }
    let peak = ended.word(word::PEAK);
    // A test that is told nothing passes without a look at its limits.
    let unanswered = session.unanswered.take();
    let untold = unanswered.first();
    let untold = untold.map(|why| format!("a test was told nothing: {why}"));
    let failure = ended.failure().or(untold);
    notes.extend(ended.left_out());
    let image = match &series {
        None => Some(ended.image()?),
        Some(_) => None,
    };
    drop(ended);
    if before.is_none() || before != state_of(&path) {
        return Err(format!("{} was rebuilt while it ran", path.display()));
    }
    let mut census = match image {
        None => series.unwrap_or_default(),
        Some(mut image) => {
            if let At::After(time) = &run.at {
                image.label = count::after(*time);
            }
            with_loaded(&mut program, &path, &image, &mut recorded)?;
            say("Counting", &format!("{} blocks", image.blocks.len()));
            count::take(&Source {
                path: &path,
                program: &program,
                image: &image,
                peak,
            })?
        }
    };
    census.summary.peak_bytes = peak;
    let summary = &census.summary;
    if !program.is_unmerged && summary.guessed_bytes > summary.live_bytes / NAMED {
        notes.push(format!(
            "{} bytes have a guessed type, as functions of equal code may have been merged: build \
             with `{UNMERGED} -Clink-arg=-Wl,--defsym={}=0`, which says that none were",
            summary.guessed_bytes,
            dwarf::UNMERGED
        ));
    }
    Ok(Taken {
        census,
        failure,
        notes,
    })
}

/// Whether the crate's recorder is the program's allocator.
fn records_itself(program: &Program) -> bool {
    // The static itself has no size and no place; its methods are made where they are used alone.
    program
        .functions
        .has("weigh_heap::platform::allocator::{impl")
}

/// Guesses are spoken of where they are more than a hundredth of the bytes.
const NAMED: u64 = 100;

/// Prefix of the folder of a recorder.
const RECORDER: &str = "recorder-";

/// The library that is loaded, in a folder of its own while it is. It is compiled each time, which
/// takes less than a second: one that lies there could be another program.
fn recorder(run: &Run<'_>) -> Result<(PathBuf, Temporary), String> {
    let shown = run.folder.path().display();
    let failed = |e: std::io::Error| format!("cannot write in {shown}: {e}");
    run.folder.sweep_temporary(RECORDER);
    let place = temporary(RECORDER, run.folder).map_err(failed)?;
    for (name, text) in weigh_heap::SOURCE {
        let created = place.folder().create(name, text.as_bytes());
        created.map_err(failed)?;
    }
    let source = place.folder().path();
    let library = source.join("recorder.so");
    let mut command = Command::new(run.compiler);
    if let Some((triple, linker)) = run.foreign {
        command.args(["--target", triple]);
        command.args(linker.map(|linker| format!("-Clinker={linker}")));
    }
    let output = command
        .args(["--edition", "2024", "--crate-type", "cdylib"])
        .args(["--crate-name", "weigh_recorder", "--cfg", "weigh_preload"])
        .args(["-O", "-Cpanic=abort", "-Cforce-frame-pointers=yes"])
        .arg(source.join("lib.rs"))
        .arg("-o")
        .arg(&library)
        .output()
        .map_err(|e| format!("cannot run {}: {e}", run.compiler))?;
    if !output.status.success() {
        return Err(format!(
            "{} cannot compile the recorder\n{}",
            run.compiler,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let path = library.canonicalize();
    let path = path.map_err(|e| format!("cannot find {}: {e}", library.display()))?;
    Ok((path, place))
}

/// How many tests run at once.
const THREADS: &str = "RUST_TEST_THREADS";

struct Session<'s> {
    run: &'s Run<'s>,
    path: &'s Path,
    called: &'s Path,
    recorder: Option<&'s Path>,
    input: &'s Input,
    is_unmerged: bool,
    say: &'s dyn Fn(&str, &str),
    /// Why tests were told nothing, in all runs.
    unanswered: RefCell<BTreeSet<String>>,
}

impl<'s> Session<'s> {
    fn of(
        run: &'s Run<'s>,
        path: &'s Path,
        ready: &'s Ready,
        say: &'s dyn Fn(&str, &str),
    ) -> Session<'s> {
        Session {
            run,
            path,
            called: &ready.called,
            recorder: ready.recorder.as_ref().map(|(path, _)| path.as_path()),
            input: &ready.input,
            is_unmerged: ready.is_unmerged,
            say,
            unanswered: RefCell::default(),
        }
    }

    /// Runs the program as often as the moment needs; the last run takes the census. `asks` is the
    /// program, if its tests may ask what was counted.
    fn moments(&self, asks: Option<&Program>) -> Result<(Ended, Vec<String>), String> {
        let mut notes = Vec::new();
        // Its tests get numbers in the first run too, for which all has to be recorded.
        let first = match asks {
            Some(_) => format!("peak={}", u64::MAX),
            None => "count=".to_owned(),
        };
        match &self.run.at {
            At::After(time) => self.after(*time).map(|ended| (ended, notes)),
            At::Every(_) | At::Asked => Err("it has no single moment".to_owned()),
            At::Exit => self.exit(asks),
            At::Label(label, Some(n)) => self.label(label, *n, asks).map(|ended| (ended, notes)),
            At::Label(label, None) => {
                (self.say)(
                    "Running",
                    "to count how often the label is reached (1 of 2)",
                );
                let counted = self.start(&first, asks)?;
                counted.continues(self.path)?;
                let labels = counted.labels();
                let met: Vec<u64> = labels
                    .iter()
                    .filter(|(name, _)| name == label)
                    .map(|(_, live)| *live)
                    .collect();
                let Some(most) = met.iter().max() else {
                    let mut known: Vec<&str> = labels.iter().map(|(name, _)| &**name).collect();
                    known.dedup();
                    return Err(match known[..] {
                        [] => {
                            self.why_none(&counted, &format!("`weigh_heap::census(\"{label}\")`"))
                        }
                        _ => format!("no label `{label}`: there are `{}`", known.join("`, `")),
                    });
                };
                let n = met.iter().position(|live| live == most).unwrap_or(0) as u64 + 1;
                if met.len() > 1 {
                    notes.push(format!(
                        "`{label}` was reached {} times: this is `{label}#{n}`, with the most live bytes",
                        met.len()
                    ));
                }
                self.label(label, n, asks).map(|ended| (ended, notes))
            }
            At::Peak if self.run.once => self.once(notes, asks),
            At::Peak => {
                (self.say)("Running", "to find the peak (1 of 2)");
                let counted = self.start(&first, asks)?;
                counted.continues(self.path)?;
                let peak = counted.word(word::PEAK);
                if counted.word(word::CLAIMED) == 0 || peak == 0 {
                    return Err(self.why_none(&counted, "an allocation"));
                }
                (self.say)("Running", "to stop there (2 of 2)");
                let ended = self.start(&format!("peak={}", peak - peak / 100), asks)?;
                ended.wait_for_copy();
                if ended.word(word::FAILED) != 0 {
                    return Err(self.why_none(&ended, "its peak"));
                }
                if ended.word(word::STATE) != DONE {
                    ended.continues(self.path)?;
                    notes.push(format!(
                        "the second run stayed below 99 % of the first one's peak ({} of {peak} bytes): \
                         a third run, which is slower, takes the census",
                        ended.word(word::PEAK)
                    ));
                    return self.once(notes, asks);
                }
                self.share(&ended, &mut notes);
                Ok((ended, notes))
            }
        }
    }

    /// One run, counted when it has ended by itself.
    fn exit(&self, asks: Option<&Program>) -> Result<(Ended, Vec<String>), String> {
        (self.say)("Running", "until its exit");
        let ended = self.start("exit=", asks)?;
        ended.wait_for_copy();
        if ended.word(word::STATE) != DONE {
            return Err(self.why_none(&ended, "its exit"));
        }
        let note =
            "at exit `main` has dropped everything it owned: this counts what was never freed";
        Ok((ended, vec![note.to_owned()]))
    }

    /// One run, in which a copy is kept at each new high.
    fn once(
        &self,
        mut notes: Vec<String>,
        asks: Option<&Program>,
    ) -> Result<(Ended, Vec<String>), String> {
        (self.say)(
            "Running",
            "with a copy of the process at each new high, which is slow",
        );
        let ended = self.start("once=", asks)?;
        let copy = ended.word(word::COPY);
        if copy != 0 {
            set(&ended.file, word::GO, copy);
            ended.wait_for_copy();
        }
        if ended.word(word::STATE) != DONE {
            return Err(self.why_none(&ended, "an allocation"));
        }
        self.share(&ended, &mut notes);
        Ok((ended, notes))
    }

    fn share(&self, ended: &Ended, notes: &mut Vec<String>) {
        let (live, peak) = (ended.word(word::LIVE), ended.word(word::PEAK));
        let share = live as f64 / peak.max(1) as f64 * 100.0;
        notes.push(format!(
            "{share:.1} % of the peak of this run, {peak} bytes"
        ));
    }

    fn label(&self, label: &str, n: u64, asks: Option<&Program>) -> Result<Ended, String> {
        (self.say)("Running", &format!("until `{label}#{n}`"));
        if label.len() > 256 || label.contains('\n') {
            return Err(format!("`{label}` is no label"));
        }
        let ended = self.start(&format!("nth={n}\nlabel={label}"), asks)?;
        ended.wait_for_copy();
        match ended.word(word::STATE) {
            DONE => Ok(ended),
            _ => Err(self.why_none(&ended, &format!("`weigh_heap::census(\"{label}\")` #{n}"))),
        }
    }

    /// Why there is no census, in words.
    fn why_none(&self, ended: &Ended, moment: &str) -> String {
        let shown = self.path.display();
        let stopped = ended.stopped.map(|stopped| match stopped {
            Stopped::Timeout => "by the timeout",
            Stopped::Interrupt => "by an interrupt",
        });
        if ended.word(word::CLAIMED) == 0 && stopped.is_none() {
            return format!(
                "the recorder was not loaded: is {shown} the program itself, not a script, and \
                 may it be given libraries? ({})",
                ended.status
            );
        }
        if ended.asked.is_some() && ended.said(word::CLAIMED) == 0 && stopped.is_none() {
            return format!(
                "the recorder could not start a thread in {shown}, which takes the census: does \
                 the system forbid it?"
            );
        }
        match ended.said(word::FAILED) {
            failure::COPY => "the process could not be copied: is there enough memory?".to_owned(),
            failure::WRITE => "the census could not be written: is the disk full, or the size of \
                               files limited?"
                .to_owned(),
            failure::CLOSED => format!(
                "{shown} has closed the file of the census, which cannot be opened again: does it \
                 close all files and change its user or root folder?"
            ),
            failure::MEMORY => "the copied process got no memory: is its address space limited? \
                                The recorder needs 200 MB of it"
                .to_owned(),
            failure::MAPPINGS => format!(
                "the copied process cannot read /proc/self/maps: does {shown} change its root \
                 folder?"
            ),
            _ if ended.said(word::STATE) == WRITING => format!(
                "{shown} was being counted when its copy crashed: does it write beyond the end of \
                 blocks?"
            ),
            _ if let Some(by) = stopped => {
                format!("{shown} was ended {by} before it came to {moment}")
            }
            _ if ended.word(word::ENDED) == 0 => {
                format!(
                    "{shown} ended before it came to {moment} ({})",
                    ended.status
                )
            }
            _ => format!(
                "{shown} never came to {moment} ({}); {} bytes were live when it ended",
                ended.status,
                ended.word(word::AT_END)
            ),
        }
    }

    /// The file that the recorder writes to.
    fn contents(&self) -> Result<File, String> {
        let file = self.run.nameless()?;
        let failed = |e| format!("cannot write the heap's contents: {e}");
        // The program would crash if its words were a hole and the disk full.
        file.write_all_at(&[0; DATA_AT], 0).map_err(failed)?;
        Ok(file)
    }

    /// Runs the program, and answers its tests if these may ask.
    fn start(&self, mode: &str, asks: Option<&Program>) -> Result<Ended, String> {
        let Some(program) = asks else {
            return self.start_with(mode, None, &mut || {});
        };
        let asked = self.contents()?;
        let mut answers = Answers::new(&asked, self.path, program, self.is_unmerged);
        let ended = self.start_with(mode, Some(&asked), &mut || answers.tick())?;
        self.unanswered.borrow_mut().extend(answers.failures);
        Ok(ended)
    }

    fn start_with(
        &self,
        mode: &str,
        asked: Option<&File>,
        tick: &mut dyn FnMut(),
    ) -> Result<Ended, String> {
        let file = self.contents()?;
        let shared = shared_path(&file)?;
        let mut command = match self.run.runner {
            [] => Command::new(self.called),
            [runner, arguments @ ..] => {
                let mut command = Command::new(runner);
                command.args(arguments).arg(self.called);
                command
            }
        };
        let mut request = format!("file={shared}\nexe={}\n{mode}", self.path.display());
        if let Some(asked) = asked {
            request = format!("{request}\nasked={}", shared_path(asked)?);
        }
        if self.is_unmerged {
            request.push_str("\nunmerged=");
        }
        command
            .args(self.run.arguments)
            .env("WEIGH_CENSUS", request);
        let is_for_tests = asked.is_some() && !mode.starts_with("now=");
        if is_for_tests && self.run.package.is_some() && std::env::var_os(THREADS).is_none() {
            // What one test makes is not counted for another.
            command.env(THREADS, "1");
        }
        if let Some(recorder) = self.recorder {
            let mut list = recorder.as_os_str().to_owned();
            if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|l| !l.is_empty()) {
                list.push(":");
                list.push(others);
            }
            command.env("LD_PRELOAD", list);
        }
        // Only results go to stdout.
        use std::os::fd::AsFd;
        let stderr = std::io::stderr().as_fd().try_clone_to_owned();
        command.stdout(stderr.map_or_else(|_| Stdio::null(), Stdio::from));
        if let Some(folder) = self.run.package {
            command
                .current_dir(folder)
                .env("CARGO_MANIFEST_DIR", folder);
        }
        let prepared = self.input.prepare(&mut command);
        let feed = |child: &mut Child| self.input.feed(child);
        let (status, stopped) = prepared
            .and_then(|()| ended::run(&mut command, self.run.timeout, feed, tick))
            .map_err(|e| format!("cannot run {}: {e}", self.path.display()))?;
        Ok(Ended {
            file,
            asked: None,
            status,
            stopped,
            failures: Vec::new(),
        })
    }
}

/// A file in memory.
#[cfg(target_os = "linux")]
fn in_memory() -> std::io::Result<File> {
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    Ok(rustix::fs::memfd_create("cargo-weigh", flags)?.into())
}

/// The closest there is on other systems: a file without a name.
#[cfg(not(target_os = "linux"))]
fn in_memory() -> std::io::Result<File> {
    Folder::of_user(&std::env::temp_dir())?.nameless()
}

/// The path by which a program that we start opens a file of ours.
#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
fn shared_path(file: &File) -> Result<String, String> {
    Ok(format!(
        "/proc/{}/fd/{}",
        std::process::id(),
        file.as_raw_fd()
    ))
}

/// Others may not look into us: it is handed on to whatever is started.
#[cfg(not(target_os = "linux"))]
fn shared_path(file: &File) -> Result<String, String> {
    rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty())
        .map_err(|e| format!("cannot hand a file on to the program: {e}"))?;
    Ok(format!("/dev/fd/{}", file.as_raw_fd()))
}
