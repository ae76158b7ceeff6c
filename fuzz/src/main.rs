//! Runs generated and broken input through the library, by seeds that continue where the last run
//! stopped.
//!
//! ```text
//! cargo run --release --manifest-path fuzz/Cargo.toml -- [TARGET…] [--minutes N]
//! cargo run --release --manifest-path fuzz/Cargo.toml -- --show TARGET SEED FOLDER
//! ```
//!
//! Input is analysed in a worker process, which prints each seed before it starts, so that stack
//! overflows, hangs and excessive memory are detected as well as panics. Each stretch is a line in
//! `fuzz/hours.tsv`: target, first seed, number of seeds, seconds of processor time, and `clean` or
//! the failed seeds with the failure. `--show` writes the input of a seed as a package.
//! `WEIGH_CORPUS` names folders with more real files, which changes the input of the seeds of
//! `mutants` and `lower`.

mod corpus;
mod generate;
mod mutate;
mod random;
mod target;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A seed fails if it takes more processor time than this (seconds).
const SLOW: f64 = 10.0;
/// A seed fails if it takes more memory than this (bytes).
const MUCH: u64 = 1 << 30;
/// A worker ends at this amount of memory (bytes): interned names and leaked models accumulate.
const FULL: u64 = 600 << 20;
/// A worker without output for this long hangs, even on a busy machine.
const SILENT: Duration = Duration::from_secs(600);
/// Processor time of a stretch of one target (seconds): a busy machine makes it longer, not smaller.
const STRETCH: f64 = 60.0;
/// Stack size of the worker thread, as in the program (bytes).
const STACK: usize = 512 << 20;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["--worker", name, seed, processor, wall] => {
            worker(name, seed.parse()?, processor.parse()?, wall.parse()?)
        }
        ["--show", name, seed, folder] => show(name, seed.parse()?, Path::new(folder)),
        _ => all(&words),
    }
}

/// Runs stretches of the targets in turn until the time is over.
fn all(words: &[&str]) -> Result<()> {
    let mut minutes = 15 * target::ALL.len() as u64;
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--minutes" => minutes = words.next().ok_or("--minutes N")?.parse()?,
            name if find(name).is_some() => names.push(name),
            name => return Err(format!("no target `{name}`").into()),
        }
    }
    if names.is_empty() {
        names.extend(target::ALL.iter().map(|(name, _)| *name));
    }
    let end = Instant::now() + Duration::from_secs(60 * minutes);
    let mut fell = 0;
    for name in names.iter().cycle() {
        if Instant::now() >= end {
            break;
        }
        let stretch = stretch(name, next(name)?, end)?;
        fell += stretch.fell.len();
        println!("{}", stretch.line(name));
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(hours())?;
        writeln!(file, "{}", stretch.line(name))?;
    }
    match fell {
        0 => Ok(()),
        _ => Err(format!("{fell} seeds fell").into()),
    }
}

fn hours() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hours.tsv")
}

/// Removes the repository's path from a failure, where locations of panics may begin with it: the
/// record is the same on every machine.
fn without_folder(why: &str) -> String {
    why.replace(env!("CARGO_MANIFEST_DIR").trim_end_matches("fuzz"), "")
}

/// Returns the first seed that no stretch has run.
fn next(name: &str) -> Result<u64> {
    let mut next = 1;
    for line in fs::read_to_string(hours()).unwrap_or_default().lines() {
        if let [of, first, count, ..] = line.split('\t').collect::<Vec<_>>()[..]
            && of == name
        {
            next = next.max(first.parse::<u64>()? + count.parse::<u64>()?);
        }
    }
    Ok(next)
}

/// The result of consecutive seeds.
struct Stretch {
    first: u64,
    count: u64,
    seconds: f64,
    fell: Vec<(u64, String)>,
}

impl Stretch {
    fn line(&self, name: &str) -> String {
        let Stretch {
            first,
            count,
            seconds,
            fell,
        } = self;
        let mut line = format!("{name}\t{first}\t{count}\t{seconds:.0}\t");
        if fell.is_empty() {
            line.push_str("clean");
        }
        for (i, (seed, why)) in fell.iter().enumerate() {
            let _ = write!(line, "{}{seed}: {why}", if i > 0 { "; " } else { "" });
        }
        line
    }
}

/// Runs seeds from `first` on, in as many processes as necessary, for [`STRETCH`] or until `end`.
fn stretch(name: &str, first: u64, end: Instant) -> Result<Stretch> {
    let mut stretch = Stretch {
        first,
        count: 0,
        seconds: 0.0,
        fell: Vec::new(),
    };
    while stretch.seconds < STRETCH && Instant::now() < end {
        let processor = STRETCH - stretch.seconds;
        let wall = (end - Instant::now()).as_secs().max(1);
        let seed = first + stretch.count;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--worker", name, &seed.to_string()])
            .args([&processor.to_string(), &wall.to_string()])
            .env("CARGO_WEIGH_CACHE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("its output is ours")?).lines();
        let (sender, receiver) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(|l| l.ok()) {
                let _ = sender.send(line);
            }
        });
        let mut under_way = None;
        let silent = Arc::new(AtomicBool::new(false));
        loop {
            match receiver.recv_timeout(SILENT) {
                Ok(line) => match line.split_once(' ') {
                    Some(("begin", seed)) => under_way = Some(seed.parse::<u64>()?),
                    Some(("end", said)) => {
                        stretch.count += 1;
                        let seed = under_way.take().ok_or("an end without a beginning")?;
                        let (seconds, why) = said.split_once(' ').unwrap_or((said, ""));
                        stretch.seconds += seconds.parse::<f64>()?;
                        if !why.is_empty() {
                            stretch.fell.push((seed, without_folder(why)));
                        }
                    }
                    _ => return Err(format!("a worker said `{line}`").into()),
                },
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    silent.store(true, Ordering::Relaxed);
                    child.kill()?;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = child.wait()?;
        let _ = reader.join();
        if let Some(seed) = under_way {
            let why = match silent.load(Ordering::Relaxed) {
                true => "it does not end".to_owned(),
                false => status.to_string(),
            };
            stretch.fell.push((seed, why));
            stretch.count += 1;
        } else if !status.success() {
            return Err(format!("a worker for `{name}` did not begin: {status}").into());
        }
    }
    Ok(stretch)
}

fn find(name: &str) -> Option<fn(u64) -> target::Input> {
    let found = target::ALL.iter().find(|(of, _)| *of == name);
    found.map(|(_, make)| *make)
}

/// Runs seeds one after the other, until either time is over or the memory limit is reached
/// (seconds).
fn worker(name: &str, first: u64, processor: f64, wall: u64) -> Result<()> {
    let make = find(name).ok_or("no such target")?;
    let folder = std::env::temp_dir().join(format!("weigh-fuzz-{}", std::process::id()));
    target::prepare(&folder)?;
    cargo_weigh::fault::keep_quiet();
    let end = Instant::now() + Duration::from_secs(wall);
    let inside = folder.clone();
    let work = move || {
        for seed in first.. {
            println!("begin {seed}");
            let before = (used(), resident());
            let input = make(seed);
            cargo_weigh::fault::guard(|| "the target itself".to_owned(), || input.run(&inside));
            let (seconds, bytes) = (used() - before.0, resident().saturating_sub(before.1));
            let faults = cargo_weigh::fault::take();
            let mut why: Vec<String> = faults
                .iter()
                .map(|f| format!("{} at {} while {}", f.message, f.at, f.work))
                .collect();
            why.extend((seconds > SLOW).then(|| "too slow".to_owned()));
            why.extend((bytes > MUCH).then(|| format!("{} MB", bytes >> 20)));
            let why = why.join(", ").replace(['\t', '\n', ';'], " ");
            println!("end {seconds:.2} {why}");
            if used() >= processor || Instant::now() >= end || resident() > FULL {
                break;
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
    let done = thread.join();
    let _ = fs::remove_dir_all(folder);
    done.map_err(|_| "the worker itself panicked".into())
}

/// Returns the processor time of this process (seconds).
fn used() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind = text.rsplit(')').next().unwrap_or_default();
    let mut numbers = behind.split_whitespace().skip(11);
    let mut ticks = || {
        numbers
            .next()
            .and_then(|n| n.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks() + ticks()) / 100.0
}

/// Returns the resident memory of this process (bytes).
fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

/// Writes the input of a seed.
fn show(name: &str, seed: u64, folder: &Path) -> Result<()> {
    let make = find(name).ok_or("no such target")?;
    target::prepare(folder)?;
    for (path, text) in make(seed).files {
        fs::write(folder.join(path), text)?;
    }
    Ok(())
}
