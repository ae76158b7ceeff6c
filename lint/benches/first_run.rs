//! How long a first run takes, beside what nobody could do without: `cargo metadata`, and reading
//! and parsing the package's own files on as many threads.
//!
//! The crates are fetched into the target folder once. `WEIGH_BENCH_CRATES` names folders of
//! other packages instead, separated by colons. Nothing is asserted: both sides alternate in one
//! run on one machine, so that only their ratio says something.

use rayon::prelude::*;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Published packages with the features they are analysed with.
const CRATES: &[(&str, &str, &str)] = &[
    ("tokio", "1.54.1", "full"),
    ("naga", "30.0.1", ""),
    ("tantivy", "0.27.0", ""),
];

const ROUNDS: usize = 9;

struct Subject {
    name: String,
    folder: PathBuf,
    features: &'static str,
}

fn main() -> Result<()> {
    // `cargo test --benches` runs this too, and wants to know only that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!(
        "median of {ROUNDS} runs; {} threads",
        rayon::current_num_threads()
    );
    println!("                          weigh   metadata + parse   ratio   files   bytes   peak");
    for subject in subjects()? {
        measure(&subject)?;
    }
    Ok(())
}

fn subjects() -> Result<Vec<Subject>> {
    if let Ok(folders) = std::env::var("WEIGH_BENCH_CRATES") {
        let folders = folders.split(':').filter(|folder| !folder.is_empty());
        let subject = |folder: &str| Subject {
            name: folder.rsplit('/').next().unwrap_or(folder).to_owned(),
            folder: folder.into(),
            features: "",
        };
        return Ok(folders.map(subject).collect());
    }
    let fetch = |&(name, version, features): &(&str, &str, &'static str)| {
        let folder = fetched(name, version)?;
        let name = format!("{name} {version}");
        Ok(Subject {
            name,
            folder,
            features,
        })
    };
    CRATES.iter().map(fetch).collect()
}

/// A copy of a published package that is a workspace of its own.
fn fetched(name: &str, version: &str) -> Result<PathBuf> {
    let bench = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-run");
    let folder = bench.join(format!("{name}-{version}"));
    if folder.join("Cargo.lock").is_file() {
        return Ok(folder);
    }
    let fetch = bench.join("fetch");
    fs::create_dir_all(fetch.join("src"))?;
    fs::write(fetch.join("src/lib.rs"), "")?;
    fs::write(
        fetch.join("Cargo.toml"),
        format!(
            "[package]\nname = \"fetch\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\n{name} = \"={version}\"\n"
        ),
    )?;
    let output = metadata(&fetch, "").output()?;
    let found: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = found["packages"]
        .as_array()
        .ok_or("cargo names no packages")?;
    let package = packages
        .iter()
        .find(|p| p["name"] == name && p["version"] == version);
    let manifest = package.and_then(|p| p["manifest_path"].as_str());
    let source = manifest.and_then(|path| Path::new(path).parent());
    copy(
        source.ok_or_else(|| format!("{name} {version} was not fetched"))?,
        &folder,
    )?;
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    fs::write(folder.join("Cargo.toml"), manifest + "\n[workspace]\n")?;
    run(&mut metadata(&folder, ""))?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            // Files of a registry's packages cannot be written; their copies can.
            false => fs::write(to, fs::read(entry.path())?)?,
        }
    }
    Ok(())
}

fn metadata(folder: &Path, features: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(folder)
        .args(["metadata", "--format-version", "1"]);
    if !features.is_empty() {
        command.args(["--features", features]);
    }
    command
}

fn weigh(folder: &Path, features: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-weigh"));
    command
        .current_dir(folder)
        .args(["weigh", "--lib", "--quiet"]);
    if !features.is_empty() {
        command.args(["--features", features]);
    }
    command
}

fn run(command: &mut Command) -> Result<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let time = start.elapsed();
    match status.code() {
        Some(0 | 1) => Ok(time),
        _ => Err(format!("{command:?}: {status}").into()),
    }
}

/// Reads and parses files as anyone would: each in one piece, its tree dropped at once.
fn parse(files: &[PathBuf]) -> (Duration, usize) {
    let start = Instant::now();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        std::hint::black_box(syn::parse_file(&text).is_ok());
        text.len()
    };
    let bytes = files.par_iter().map(read).sum();
    (start.elapsed(), bytes)
}

fn own_files(folder: &Path, list: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            own_files(&path, list)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            list.push(path);
        }
    }
    Ok(())
}

/// The most memory that a run has in use, in bytes, as far as the system tells while it runs.
fn peak(command: &mut Command) -> Result<Option<u64>> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most = None;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.map(|n| n * 1024));
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(most)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn measure(subject: &Subject) -> Result<()> {
    let Subject {
        name,
        folder,
        features,
    } = subject;
    let mut files = Vec::new();
    own_files(&folder.join("src"), &mut files)?;
    let caches = folder.join("target/weigh");
    // Once for the system's own caches.
    run(&mut metadata(folder, features))?;
    let (_, bytes) = parse(&files);
    run(&mut weigh(folder, features))?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let _ = fs::remove_dir_all(&caches);
        ours.push(run(&mut weigh(folder, features))?);
        theirs.push(run(&mut metadata(folder, features))? + parse(&files).0);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let _ = fs::remove_dir_all(&caches);
    let memory = match peak(&mut weigh(folder, features))? {
        Some(bytes) => format!("{:.0} MB", bytes as f64 / 1e6),
        None => "?".to_owned(),
    };
    println!(
        "{name:<22} {ours:>6.0} ms {theirs:>15.0} ms {:>7.2} {:>7} {:>6.1}M {memory:>6}",
        ours / theirs,
        files.len(),
        bytes as f64 / 1e6,
    );
    Ok(())
}
