//! Censuses of a program that goes on: at times, on request, and for its own tests. The recorder
//! writes them to a file of their own, one after the other.

use super::Session;
use super::ended::{Ended, is_alive, set, word_of};
use super::objects::{Recorded, counted_program, loaded, with_loaded};
use crate::count::{self, Census, GrowthCount, MomentCount, Reading, Source};
use crate::dwarf::Program;
use crate::image::Image;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};
use weigh_heap::protocol::{DATA_AT, DONE, LABELS_AT, answer, failure, word};

/// The line of a request by which [`now`](super::now()) may ask.
pub(super) const SERVED: &str = "served";

impl Session<'_> {
    /// One run, with a census so long after its start.
    pub(super) fn after(&self, time: Duration) -> Result<Ended, String> {
        let at = format!("{} after its start", count::after(time));
        (self.say)("Running", &format!("until {at}, and on"));
        let asked = self.contents()?;
        let start = Instant::now();
        let mut is_asked = false;
        let mut tick = || {
            if !is_asked && start.elapsed() >= time {
                request(&asked);
                is_asked = true;
            }
        };
        let mut ended = self.start_with("now=", Some(&asked), &mut tick)?;
        ended.asked = Some(asked);
        ended.wait_for_copy();
        match ended.said(word::STATE) {
            DONE => Ok(ended),
            _ => Err(self.why_none(&ended, &at)),
        }
    }

    /// One run, with censuses at equal times; the last one has the numbers of all.
    pub(super) fn every(
        &self,
        interval: Duration,
        program: &mut Program,
    ) -> Result<(Ended, Census), String> {
        (self.say)(
            "Running",
            &format!("counting every {}", count::after(interval)),
        );
        let asked = self.contents()?;
        let mut series = Series::new(asked, (self.path, program), interval, self.say);
        let file = series.file.try_clone();
        let file = file.map_err(|e| format!("cannot keep the heap's contents: {e}"))?;
        let mut ended = self.start_with("now=", Some(&file), &mut || series.tick())?;
        ended.asked = Some(file);
        ended.wait_for_copy();
        series.tick();
        ended.failures = std::mem::take(&mut series.failures);
        match series.end() {
            Some(census) => Ok((ended, census)),
            None => {
                let first = format!("{} after its start", count::after(interval));
                Err(self.why_none(&ended, &first))
            }
        }
    }

    /// One run, of which [`now`] takes censuses.
    pub(super) fn serve(&self) -> Result<Ended, String> {
        let asked = self.contents()?;
        let mut is_said = false;
        let mut tick = || {
            let process = word_of(&asked, word::CLAIMED);
            if process != 0 && !is_said {
                is_said = true;
                let words = format!(
                    "process {process}: `cargo weigh census --now {process}` counts its heap"
                );
                (self.say)("Recording", &words);
            }
        };
        let mode = format!("now=\n{SERVED}=");
        let mut ended = self.start_with(&mode, Some(&asked), &mut tick)?;
        ended.asked = Some(asked);
        match ended.said(word::CLAIMED) {
            0 => Err(self.why_none(&ended, "an allocation")),
            _ => Ok(ended),
        }
    }
}

/// Reads what was recorded last.
///
/// # Errors
/// It is cut off.
pub(super) fn image(file: &File) -> Result<Image, String> {
    let end = word_of(file, word::DATA_END);
    let mut from = file;
    from.seek(SeekFrom::Start(DATA_AT as u64))
        .map_err(|e| format!("cannot read what was recorded: {e}"))?;
    let mut from = from.take(end.saturating_sub(DATA_AT as u64));
    Image::read(&mut from).map_err(|e| format!("{e}: is the disk full?"))
}

/// The questions of a program's tests.
pub(super) struct Answers<'p> {
    file: &'p File,
    path: &'p Path,
    program: &'p Program,
    is_unmerged: bool,
    /// The program with the objects that this run has loaded, if there are any.
    joined: Option<Program>,
    recorded: Recorded,
    /// What was counted of the whole heap, by number.
    readings: FxHashMap<u64, Reading>,
    answered: u64,
    /// Why there was no answer.
    pub(super) failures: BTreeSet<String>,
}

impl<'p> Answers<'p> {
    pub(super) fn new(
        file: &'p File,
        path: &'p Path,
        program: &'p Program,
        is_unmerged: bool,
    ) -> Answers<'p> {
        Answers {
            file,
            path,
            program,
            is_unmerged,
            joined: None,
            recorded: Recorded::default(),
            readings: FxHashMap::default(),
            answered: 0,
            failures: BTreeSet::new(),
        }
    }

    /// Answers, if a test has asked and waits.
    pub(super) fn tick(&mut self) {
        let number = word_of(self.file, word::TURN);
        if number == self.answered {
            return;
        }
        let words = match word_of(self.file, word::STATE) {
            DONE => self.count(number),
            _ => Err(UNWRITTEN.to_owned()),
        };
        let words = words.unwrap_or_else(|why| {
            self.failures.insert(why);
            vec![answer::NONE; answer::HEAD]
        });
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // What is shared needs no disk: both see the same pages.
        match self.file.write_all_at(&bytes, LABELS_AT as u64) {
            Ok(()) => set(self.file, word::ANSWERED, number),
            // The test waits no longer.
            Err(e) => {
                self.failures
                    .insert(format!("the answer could not be written: {e}"));
                set(self.file, word::FAILED, failure::WRITE);
            }
        }
        self.answered = number;
    }

    fn count(&mut self, number: u64) -> Result<Vec<u64>, String> {
        let image = image(self.file)?;
        for (other, object, shift) in loaded(self.program, self.path, &image, &mut self.recorded) {
            let joined = match self.joined.take() {
                Some(joined) => joined,
                None => counted_program(self.path, self.is_unmerged)?,
            };
            self.joined.insert(joined).join(other, &object, shift);
        }
        let program = self.joined.as_ref().unwrap_or(self.program);
        let reading = Reading::of(&Source {
            path: self.path,
            program,
            image: &image,
            peak: 0,
        })?;
        // Nobody asks for a difference to one of them again.
        let since = self.readings.remove(&word_of(self.file, word::SINCE));
        let words = reading.answer(program, since.as_ref());
        if image.root.is_none() && word_of(self.file, word::LAST) == 0 {
            self.readings.insert(number, reading);
        }
        Ok(words)
    }
}

/// What is said where there is no census.
const UNWRITTEN: &str = "the process could not be copied, or the copy not be written";

/// How long is waited for a census of a program that runs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a program that runs for a census, and waits for it.
///
/// # Errors
/// It does not answer, or cannot be copied.
pub(super) fn ask(file: &File, is_running: impl Fn() -> bool) -> Result<Image, String> {
    let number = request(file);
    let mut start = Instant::now();
    while word_of(file, word::TURN) < number {
        if !is_running() {
            return Err("it has ended".to_owned());
        }
        // A large heap takes its time to be written.
        let copy = word_of(file, word::COPY);
        if copy != 0 && is_alive(copy) {
            start = Instant::now();
        }
        if start.elapsed() > PATIENCE {
            return Err(format!(
                "it has not answered for {} seconds: is it stopped?",
                PATIENCE.as_secs()
            ));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    match word_of(file, word::STATE) {
        DONE => image(file),
        _ => Err(format!("{UNWRITTEN}: is there enough memory and disk?")),
    }
}

/// Asks for a census; returns its number.
pub(super) fn request(file: &File) -> u64 {
    let last = word_of(file, word::ASK).max(word_of(file, word::TURN));
    // The program can write it too.
    let number = last.wrapping_add(1);
    for word in [word::STATE, word::FAILED, word::COPY] {
        set(file, word, 0);
    }
    set(file, word::ASK, number);
    number
}

/// Censuses at equal times of a program that runs.
pub(super) struct Series<'p> {
    pub(super) file: File,
    path: &'p Path,
    program: &'p mut Program,
    say: &'p dyn Fn(&str, &str),
    interval: Duration,
    start: Instant,
    /// Number and time of the one that is being taken.
    waits: Option<(u64, Duration)>,
    /// How many intervals have gone by.
    passed: u32,
    recorded: Recorded,
    moments: Vec<MomentCount>,
    types: BTreeMap<String, Vec<(usize, u64, u64)>>,
    last: Option<Census>,
    pub(super) failures: Vec<String>,
}

impl<'p> Series<'p> {
    pub(super) fn new(
        file: File,
        (path, program): (&'p Path, &'p mut Program),
        interval: Duration,
        say: &'p dyn Fn(&str, &str),
    ) -> Series<'p> {
        Series {
            file,
            path,
            program,
            say,
            interval,
            start: Instant::now(),
            waits: None,
            passed: 0,
            recorded: Recorded::default(),
            moments: Vec::new(),
            types: BTreeMap::new(),
            last: None,
            failures: Vec::new(),
        }
    }

    /// Asks if it is time, and counts what has been written.
    pub(super) fn tick(&mut self) {
        if let Some((number, at)) = self.waits {
            if word_of(&self.file, word::TURN) >= number {
                self.waits = None;
                if let Err(why) = self.count(at) {
                    self.failures.push(format!("{}: {why}", count::after(at)));
                }
            }
            return;
        }
        let passed = self.start.elapsed().as_millis() / self.interval.as_millis().max(1);
        let passed = u32::try_from(passed).unwrap_or(u32::MAX);
        if passed > self.passed {
            self.passed = passed;
            self.waits = Some((request(&self.file), self.start.elapsed()));
        }
    }

    fn count(&mut self, at: Duration) -> Result<(), String> {
        if word_of(&self.file, word::STATE) != DONE {
            return Err(UNWRITTEN.to_owned());
        }
        let mut image = image(&self.file)?;
        image.label = count::after(at);
        with_loaded(self.program, self.path, &image, &mut self.recorded)?;
        let census = count::take(&Source {
            path: self.path,
            program: self.program,
            image: &image,
            peak: 0,
        })?;
        let index = self.moments.len();
        for ty in &census.types {
            let list = self.types.entry(ty.ty.clone()).or_default();
            match list.last_mut() {
                // Another definition of that name.
                Some(last) if last.0 == index => {
                    *last = (index, last.1 + ty.bytes, last.2 + ty.values)
                }
                _ => list.push((index, ty.bytes, ty.values)),
            }
        }
        let summary = &census.summary;
        self.moments.push(MomentCount {
            after_ms: u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
            live_bytes: summary.live_bytes,
            blocks: summary.blocks,
            read_bytes: summary.read_bytes(),
        });
        let words = format!(
            "{} bytes live in {} blocks",
            summary.live_bytes, summary.blocks
        );
        (self.say)(&count::after(at), &words);
        self.last = Some(census);
        Ok(())
    }

    /// The last census, with the numbers of all; none where none was taken.
    pub(super) fn end(mut self) -> Option<Census> {
        // The program may have ended while it was written.
        if let Some((_, at)) = self.waits.take() {
            let _ = self.count(at);
        }
        let mut census = self.last?;
        let all = self.moments.len();
        let growth = self.types.into_iter().map(|(ty, list)| {
            let (mut bytes, mut values) = (vec![0; all], vec![0; all]);
            for (at, b, v) in list {
                (bytes[at], values[at]) = (b, v);
            }
            let mut known = census.types.iter();
            let at_least = known.any(|known| known.ty == ty && known.at_least);
            GrowthCount {
                ty,
                bytes,
                values,
                at_least,
            }
        });
        let mut growth: Vec<GrowthCount> = growth.collect();
        growth.retain(|one| one.bytes.windows(2).any(|pair| pair[0] != pair[1]));
        growth.sort_by_key(|one| std::cmp::Reverse(one.grown()));
        census.growth = growth;
        census.moments = self.moments;
        Some(census)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that asked for what could not be counted is not told that there is nothing.
    #[test]
    fn what_could_not_be_counted_is_no_answer_of_zeros() {
        let program = Program::default();
        let file = tempfile::tempfile().unwrap();
        file.set_len(DATA_AT as u64).unwrap();
        let mut answers = Answers::new(&file, Path::new("program"), &program, false);
        answers.tick();
        assert_eq!(word_of(&file, word::ANSWERED), 0);
        // Not written, and written but cut off.
        for (number, state) in [(1, 0), (2, DONE)] {
            set(&file, word::STATE, state);
            set(&file, word::TURN, number);
            answers.tick();
            answers.tick();
            assert_eq!(word_of(&file, word::ANSWERED), number);
            let types = LABELS_AT / 8 + answer::TYPES;
            assert_eq!(word_of(&file, types), answer::NONE);
            assert_eq!(answers.failures.len() as u64, number);
        }
    }

    /// A test does not wait for an answer that cannot be written.
    #[test]
    #[cfg(target_os = "linux")]
    fn an_answer_that_cannot_be_written_ends_the_wait() {
        use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file: File = memfd_create("sealed", flags).unwrap().into();
        file.set_len(LABELS_AT as u64).unwrap();
        fcntl_add_seals(&file, SealFlags::GROW).unwrap();
        let program = Program::default();
        let mut answers = Answers::new(&file, Path::new("program"), &program, false);
        set(&file, word::TURN, 1);
        answers.tick();
        assert_eq!(word_of(&file, word::FAILED), failure::WRITE);
        assert_eq!(word_of(&file, word::ANSWERED), 0);
        // Why it is none, and that even this could not be said.
        assert_eq!(answers.failures.len(), 2);
    }
}
