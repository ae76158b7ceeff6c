//! Measures a first run against its lower bound: `cargo metadata`, and reading and parsing the
//! members' own files on as many threads; and later runs against `cargo metadata` and Clippy.
//!
//! `cargo bench -p cargo-weigh` writes absolute figures and ratios to `benches/MEASURED.md`. The
//! crates are fetched into the target directory once. Nothing is asserted: both sides alternate in
//! one run on one machine, so that only their ratio is meaningful, and on a busy machine only that
//! of processor time. `WEIGH_BENCH_CRATES` names directories of other packages or workspaces
//! instead, separated by colons, and `WEIGH_BENCH_ROUNDS` the number of measurements of each; their
//! results are only printed.

#![allow(clippy::disallowed_methods, reason = "it writes only what is its own")]

mod edges;
mod made;

use made::{COPIED, alone, copied, made, many};
use rayon::prelude::*;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Published packages, with the features that are enabled, and a file with a function to edit.
const CRATES: &[(&str, &str, &str, &str)] = &[
    ("tokio", "1.54.1", "full", "src/runtime/builder.rs"),
    ("naga", "30.0.1", "", "src/proc/layouter.rs"),
    ("tantivy", "0.27.0", "", "src/index/index.rs"),
    ("bevy_ecs", "0.20.1", "", "src/world/mod.rs"),
];

/// A package whose types are very generic.
const GENERIC: (&str, &str) = ("polars-core", "0.55.2");

/// The number of members of the workspace that has many.
const MANY: usize = 4000;

/// Numbers of copies as members.
const COPIES: [usize; 5] = [1, 2, 4, 8, 16];

/// The base of the memory limit, which adds six times the source size, in bytes.
const BASE: f64 = 40e6;

struct Subject {
    name: String,
    folder: PathBuf,
    features: &'static str,
    /// The file in which the body of a function is edited; empty if none is.
    edited: &'static str,
    /// Whether Clippy lints it too: it builds dependencies first, of many crates for many minutes.
    clippy: bool,
}

impl Subject {
    /// A workspace that is neither edited nor given to Clippy.
    fn plain(name: String, folder: PathBuf) -> Subject {
        Subject {
            name,
            folder,
            features: "",
            edited: "",
            clippy: false,
        }
    }

    /// A published package alone.
    fn published((name, version): (&str, &str)) -> Result<Subject> {
        Ok(Subject::plain(
            format!("{name} {version}"),
            alone(name, version)?,
        ))
    }
}

/// The cost of one run.
#[derive(Clone, Copy)]
struct Took {
    wall: Duration,
    /// Processor time of all processes, in seconds.
    cpu: f64,
}

fn main() -> Result<()> {
    // `cargo test --benches` runs this too, but only to check that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let rounds = std::env::var("WEIGH_BENCH_ROUNDS").ok();
    let rounds: usize = rounds.and_then(|n| n.parse().ok()).unwrap_or(5);
    if let Ok(folders) = std::env::var("WEIGH_BENCH_CRATES") {
        let folders = folders.split(':').filter(|folder| !folder.is_empty());
        let name = |folder: &str| folder.rsplit('/').next().unwrap_or(folder).to_owned();
        let subjects = folders.map(|folder| Subject::plain(name(folder), folder.into()));
        print!("{}", first_runs(&subjects.collect::<Vec<_>>(), rounds)?);
        return Ok(());
    }
    let made = made()?;
    let mut subjects = Vec::new();
    for &(name, version, features, edited) in CRATES {
        let folder = alone(name, version)?;
        let name = format!("{name} {version}");
        subjects.push(Subject {
            name,
            folder,
            features,
            edited,
            clippy: true,
        });
    }
    subjects.push(Subject::published(GENERIC)?);
    subjects.push(many(MANY)?);
    subjects.push(made);
    let mut text = format!(
        "# Measured\n\nWritten by `cargo bench -p cargo-weigh`, which says how. {} threads ({}), \
         medians of {rounds} runs; ms of wall time, and of processor time of all processes.\n\n",
        rayon::current_num_threads(),
        processor(),
    );
    let made = &subjects[subjects.len() - 1];
    let sections: [&dyn Fn() -> Result<String>; 6] = [
        &|| first_runs(&subjects, rounds),
        &|| later_runs(&subjects, rounds),
        &|| threads(made, rounds),
        &|| copies(rounds),
        &|| edges::fix(rounds),
        &|| edges::census(rounds),
    ];
    print!("{text}");
    for section in sections {
        let section = section()?;
        // At once: a later one may fail after half an hour.
        print!("{section}");
        text.push_str(&section);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/MEASURED.md");
    Ok(fs::write(path, text)?)
}

/// Compares each subject with its lower bound.
fn first_runs(subjects: &[Subject], rounds: usize) -> Result<String> {
    let mut text = String::from(
        "## First run, all lints\n\n\
         | | files | MB | weigh | metadata + parse | ratio | cpu | cpu | ratio | peak MB | MB read | (peak - 40 MB) / MB read |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for subject in subjects {
        let mut files = Vec::new();
        own_files(&subject.folder, &mut files)?;
        // Warms the system's caches.
        run(&mut metadata(subject))?;
        let (_, bytes) = parse(&files);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(first(subject, None)?);
            let asked = run(&mut metadata(subject))?;
            let parsed = parse(&files).0;
            theirs.push(Took {
                wall: asked.wall + parsed.wall,
                cpu: asked.cpu + parsed.cpu,
            });
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let memory = peak(subject)?.unwrap_or(0) as f64;
        let read = source_read(subject)?;
        writeln!(
            text,
            "| {} | {} | {:.1} | {} | {:.0} | {:.1} | {:.1} |",
            subject.name,
            files.len(),
            bytes as f64 / 1e6,
            compared(ours, theirs),
            memory / 1e6,
            read / 1e6,
            (memory - BASE).max(0.0) / read,
        )?;
    }
    Ok(text)
}

/// Returns six cells: wall times and their ratio, then processor times and theirs.
fn compared(ours: (f64, f64), theirs: (f64, f64)) -> String {
    let cells = |a: f64, b: f64| format!("{a:.0} | {b:.0} | {:.2}", a / b);
    format!("{} | {}", cells(ours.0, theirs.0), cells(ours.1, theirs.1))
}

/// Compares runs after the first one: with nothing changed, with `cargo metadata`; and after an edit
/// of a function's body, with Clippy after the same edit.
fn later_runs(subjects: &[Subject], rounds: usize) -> Result<String> {
    let mut text = String::from(
        "\n## Later runs: wall time\n\n\
         | | nothing changed | metadata | ratio | a body changed | Clippy after it | times faster |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for subject in subjects.iter().filter(|s| !s.edited.is_empty()) {
        let path = subject.folder.join(subject.edited);
        let original = fs::read_to_string(&path)?;
        let took = later(subject, rounds, |n| {
            Ok(fs::write(&path, with_statement(&original, n)?)?)
        });
        fs::write(&path, &original)?;
        let [same, asked, changed, clippy] = took?.map(|took| median(took).0);
        let clippy = match subject.clippy {
            true => format!("{clippy:.0} | {:.1}", clippy / changed),
            false => " | ".to_owned(),
        };
        let ratio = same / asked;
        writeln!(
            text,
            "| {} | {same:.0} | {asked:.0} | {ratio:.2} | {changed:.0} | {clippy} |",
            subject.name
        )?;
    }
    Ok(text)
}

/// Measures runs with nothing changed, `cargo metadata`, runs after an edit, and Clippy after it.
fn later(
    subject: &Subject,
    rounds: usize,
    edit: impl Fn(usize) -> Result<()>,
) -> Result<[Vec<Took>; 4]> {
    let [mut same, mut asked, mut changed, mut clippy]: [Vec<Took>; 4] = Default::default();
    forget(subject);
    if subject.clippy {
        run(&mut lints_of_clippy(subject))?;
    }
    for round in 0..rounds {
        // A run that begins soon after a file was written keeps no output.
        settle();
        run(&mut weigh(subject, None))?;
        same.push(run(&mut weigh(subject, None))?);
        asked.push(run(&mut metadata(subject))?);
        edit(round)?;
        settle();
        changed.push(run(&mut weigh(subject, None))?);
        if subject.clippy {
            clippy.push(run(&mut lints_of_clippy(subject))?);
        }
    }
    Ok([same, asked, changed, clippy])
}

/// Waits until what was written is no longer new.
fn settle() {
    std::thread::sleep(Duration::from_secs(3));
}

/// Returns the text with a statement more in the first function whose header is one line.
fn with_statement(text: &str, number: usize) -> Result<String> {
    let is_header = |line: &&str| {
        let line = line.trim_start();
        (line.starts_with("fn ") || line.starts_with("pub fn ")) && line.ends_with('{')
    };
    let header = text.lines().find(is_header).ok_or("no function")?;
    Ok(text.replacen(header, &format!("{header}\nlet _ = {number};"), 1))
}

/// Clippy on the package alone, with dependencies from its own target directory.
fn lints_of_clippy(subject: &Subject) -> Command {
    let mut command = cargo(
        &subject.folder,
        &["clippy", "--lib", "--quiet", "--offline"],
    );
    command.env("CARGO_TARGET_DIR", subject.folder.join("target"));
    enable(subject, &mut command);
    // A lint that the package denies is no failure here.
    command.args(["--", "--cap-lints", "warn"]);
    command
}

/// Runs one workspace on one thread and on two, and likewise reads and parses its files, which
/// share nothing: the cores share resources, which limits the possible speedup.
fn threads(subject: &Subject, rounds: usize) -> Result<String> {
    let mut files = Vec::new();
    own_files(&subject.folder, &mut files)?;
    let mut rows: [(Vec<Took>, Vec<Took>); 2] = Default::default();
    for _ in 0..rounds {
        for (row, jobs) in rows.iter_mut().zip(1..) {
            row.0.push(first(subject, Some(&jobs.to_string()))?);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
            row.1.push(pool.install(|| parse(&files).0));
        }
    }
    let [one, two] = rows.map(|(ours, parsed)| (median(ours), median(parsed)));
    Ok(format!(
        "\n## Threads: {}\n\n| | wall | cpu | parse: wall | cpu |\n|---|---|---|---|---|\n\
         | 1 thread | {:.0} | {:.0} | {:.0} | {:.0} |\n\
         | 2 threads | {:.0} | {:.0} | {:.0} | {:.0} |\n\
         | times faster | {:.2} | | {:.2} | |\n",
        subject.name,
        one.0.0,
        one.0.1,
        one.1.0,
        one.1.1,
        two.0.0,
        two.0.1,
        two.1.0,
        two.1.1,
        one.0.0 / two.0.0,
        one.1.0 / two.1.0,
    ))
}

/// Measures time and memory for copies of one package as members, with their growth exponents.
fn copies(rounds: usize) -> Result<String> {
    let mut text = format!(
        "\n## Copies of {} {} as members\n\n| copies | wall | cpu | peak MB |\n|---|---|---|---|\n",
        COPIED.0, COPIED.1
    );
    let mut rows = Vec::new();
    for n in COPIES {
        let subject = copied(n)?;
        let mut took = Vec::new();
        for _ in 0..rounds {
            took.push(first(&subject, None)?);
        }
        let memory = peak(&subject)?.unwrap_or(0) as f64 / 1e6;
        let (wall, cpu) = median(took);
        writeln!(text, "| {n} | {wall:.0} | {cpu:.0} | {memory:.0} |")?;
        rows.push([n as f64, wall, cpu, memory]);
    }
    let last = rows.len() - 1;
    for (from, name) in [(0, "exponent, all"), (last - 2, "exponent, from 4 on")] {
        let (few, many) = (rows[from], rows[last]);
        let exponent = |i: usize| (many[i] / few[i]).ln() / (many[0] / few[0]).ln();
        writeln!(
            text,
            "| {name} | {:.2} | {:.2} | {:.2} |",
            exponent(1),
            exponent(2),
            exponent(3)
        )?;
    }
    Ok(text)
}

/// `cargo metadata`, as all of these commands ask for it.
const METADATA: &[&str] = &["metadata", "--format-version", "1"];

fn cargo(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).args(args);
    command
}

/// Asks for the features of a subject.
fn enable(subject: &Subject, command: &mut Command) {
    if !subject.features.is_empty() {
        command.args(["--features", subject.features]);
    }
}

fn metadata(subject: &Subject) -> Command {
    let mut command = cargo(&subject.folder, METADATA);
    command.arg("--offline");
    enable(subject, &mut command);
    command
}

fn weigh(subject: &Subject, jobs: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-weigh"));
    command
        .current_dir(&subject.folder)
        // Where `forget` removes the cache, whatever target directory this benchmark has.
        .env("CARGO_TARGET_DIR", subject.folder.join("target"))
        .args(["weigh", "--workspace", "--quiet", "--offline"]);
    enable(subject, &mut command);
    if let Some(jobs) = jobs {
        command.args(["-j", jobs]);
    }
    command
}

/// Runs without a cache.
fn first(subject: &Subject, jobs: Option<&str>) -> Result<Took> {
    forget(subject);
    run(&mut weigh(subject, jobs))
}

fn forget(subject: &Subject) {
    let _ = fs::remove_dir_all(subject.folder.join("target/weigh"));
}

fn run(command: &mut Command) -> Result<Took> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (start, before) = (Instant::now(), spent());
    let status = command.status()?;
    let took = Took {
        wall: start.elapsed(),
        cpu: spent() - before,
    };
    match status.code() {
        Some(0 | 1) => Ok(took),
        _ => Err(format!("{command:?}: {status}").into()),
    }
}

/// Returns the processor time of this process and its reaped children in seconds, with a resolution
/// of 1/100; 0 without `/proc`.
fn spent() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let times = fields.split_whitespace().skip(11).take(4);
    let ticks: u64 = times.filter_map(|n| n.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

/// Reads and parses each file with syn, and drops its tree at once.
fn parse(files: &[PathBuf]) -> (Took, usize) {
    let (start, before) = (Instant::now(), spent());
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        std::hint::black_box(syn::parse_file(&text).is_ok());
        text.len()
    };
    let bytes = files.par_iter().map(read).sum();
    let took = Took {
        wall: start.elapsed(),
        cpu: spent() - before,
    };
    (took, bytes)
}

/// Collects the files below each `src`, nearly all of them of libraries.
fn own_files(folder: &Path, list: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" {
            own_files(&path, list)?;
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && path.components().any(|part| part.as_os_str() == "src")
        {
            list.push(path);
        }
    }
    Ok(())
}

/// Returns the size of the source files that a run reads, members' and dependencies', in bytes: from
/// the facts that its kept output depends on.
fn source_read(subject: &Subject) -> Result<f64> {
    // Output is not kept by a run that begins just after its folder was removed.
    run(&mut weigh(subject, None))?;
    let cache = subject.folder.join("target/weigh/cache");
    let mut bytes = 0.0;
    for entry in fs::read_dir(&cache)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("run-") {
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        // The first line is a checksum.
        let kept: serde_json::Value = serde_json::from_str(text.split_once('\n').ok_or("cut")?.1)?;
        let paths = kept["facts"]["paths"].as_object().ok_or("no facts")?;
        let read = paths.iter().filter(|(path, fact)| {
            path.ends_with(".rs") && fact["text"] != serde_json::Value::Null
        });
        bytes += read
            .filter_map(|(_, fact)| fact["stamp"]["size"].as_f64())
            .sum::<f64>();
    }
    Ok(bytes)
}

/// Returns the peak memory of a first run in bytes, polled while it runs; `None` without `/proc`.
fn peak(subject: &Subject) -> Result<Option<u64>> {
    forget(subject);
    let mut command = weigh(subject, None);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most = None;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.map(|n| n * 1024));
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(most)
}

/// Returns the medians of wall and processor time, in milliseconds.
fn median(took: Vec<Took>) -> (f64, f64) {
    let middle = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).map_or(f64::NAN, |t| t * 1e3)
    };
    let wall = took.iter().map(|t| t.wall.as_secs_f64()).collect();
    (middle(wall), middle(took.iter().map(|t| t.cpu).collect()))
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.map(|n| n.trim_start_matches([' ', '\t', ':']).to_owned());
    name.unwrap_or_else(|| "a processor that is not named".to_owned())
}
