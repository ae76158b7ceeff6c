//! Makes the workspaces that are measured, below the target directory.

use crate::{METADATA, Result, Subject, cargo};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of the generated workspace.
const MADE: &str = "gix-object/src/tree/mod.rs";

/// The package to copy.
pub const COPIED: (&str, &str) = ("egui", "0.37.0");

/// The members of the generated workspace: lines of `name version`.
const MEMBERS: &str = include_str!("../members.txt");

/// Prefixes of manifest tables for development, or that only a workspace root may have.
const DEVELOPMENT: [&str; 8] = [
    "badges",
    "bench]",
    "dev-dependencies",
    "example]",
    "lints",
    "profile",
    "test]",
    "workspace",
];

pub fn bench() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-run")
}

/// Copies a published package as a workspace of its own.
pub fn alone(name: &str, version: &str) -> Result<PathBuf> {
    let folder = bench().join(format!("{name}-{version}"));
    if folder.join("Cargo.lock").is_file() {
        return Ok(folder);
    }
    copy(&fetched(name, version)?, &folder)?;
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    fs::write(folder.join("Cargo.toml"), manifest + "\n[workspace]\n")?;
    lock(&folder)?;
    Ok(folder)
}

/// Creates a workspace of many published packages.
pub fn made() -> Result<Subject> {
    let folder = bench().join("made");
    let lines = MEMBERS.lines().filter(|line| !line.starts_with('#'));
    let members: Vec<_> = lines.filter_map(|line| line.split_once(' ')).collect();
    if !folder.join("Cargo.lock").is_file() {
        for (name, version) in &members {
            member(&fetched(name, version)?, &folder.join(name), None)?;
        }
        workspace(&folder)?;
    }
    Ok(Subject {
        edited: MADE,
        ..Subject::plain(format!("{} crates", members.len()), folder)
    })
}

/// Creates a workspace of copies of one package.
pub fn copied(n: usize) -> Result<Subject> {
    let (name, version) = COPIED;
    let folder = bench().join(format!("copies-{n}"));
    if !folder.join("Cargo.lock").is_file() {
        let from = fetched(name, version)?;
        for i in 0..n {
            let copy = format!("{name}-{i}");
            member(&from, &folder.join(&copy), Some(&copy))?;
        }
        workspace(&folder)?;
    }
    Ok(Subject::plain(format!("{n} copies"), folder))
}

fn workspace(folder: &Path) -> Result<()> {
    let text = "[workspace]\nresolver = \"2\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n";
    fs::write(folder.join("Cargo.toml"), text)?;
    lock(folder)
}

/// Copies a package as a member, without the tables that are only for development.
fn member(from: &Path, to: &Path, name: Option<&str>) -> Result<()> {
    copy(from, to)?;
    for file in ["Cargo.lock", "rust-toolchain", "rust-toolchain.toml"] {
        let _ = fs::remove_file(to.join(file));
    }
    let _ = fs::remove_dir_all(to.join(".cargo"));
    let manifest = fs::read_to_string(to.join("Cargo.toml"))?;
    let own = |header: &str| {
        let header = header.trim_start_matches('[');
        let mut names = DEVELOPMENT.iter();
        !header.contains(".dev-dependencies") && !names.any(|n| header.starts_with(n))
    };
    // In published manifests, each table has a header of its own.
    let mut text = String::new();
    let (mut keeps, mut first) = (true, true);
    for line in manifest.lines() {
        if line.starts_with('[') {
            keeps = own(line);
        }
        match name {
            Some(name) if first && line.starts_with("name = ") => {
                writeln!(text, "name = \"{name}\"")?;
                first = false;
            }
            _ if keeps => writeln!(text, "{line}")?,
            _ => {}
        }
    }
    Ok(fs::write(to.join("Cargo.toml"), text)?)
}

/// Creates a workspace of small packages without dependencies.
pub fn many(n: usize) -> Result<Subject> {
    let folder = bench().join(format!("many-{n}"));
    if !folder.join("Cargo.lock").is_file() {
        for i in 0..n {
            let member = folder.join(format!("m{i}"));
            fs::create_dir_all(member.join("src"))?;
            fs::write(
                member.join("Cargo.toml"),
                format!("[package]\nname = \"m{i}\"\nedition = \"2024\"\n"),
            )?;
            fs::write(
                member.join("src/lib.rs"),
                format!("pub enum E{i} {{ A([u8; {}]), B(Vec<u32>) }}\n", i % 200),
            )?;
        }
        workspace(&folder)?;
    }
    Ok(Subject::plain(format!("{n} small members"), folder))
}

/// Returns the directory of a published package, fetched by cargo.
pub fn fetched(name: &str, version: &str) -> Result<PathBuf> {
    let fetch = bench().join("fetch");
    fs::create_dir_all(fetch.join("src"))?;
    fs::write(fetch.join("src/lib.rs"), "")?;
    let _ = fs::remove_file(fetch.join("Cargo.lock"));
    fs::write(
        fetch.join("Cargo.toml"),
        format!(
            "[package]\nname = \"weigh-fetch\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\n{name} = \"={version}\"\n"
        ),
    )?;
    let output = cargo(&fetch, METADATA).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{name} {version}: {said}").into());
    }
    // `cargo metadata` would omit a dependency without a library.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.ok_or("no home folder")?.join("registry/src");
    for registry in fs::read_dir(sources)? {
        let folder = registry?.path().join(format!("{name}-{version}"));
        if folder.is_dir() {
            return Ok(folder);
        }
    }
    Err(format!("{name} {version} was not fetched").into())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            // Files in the registry are read-only; the copies are writable.
            false => fs::write(to, fs::read(entry.path())?)?,
        }
    }
    Ok(())
}

/// Resolves and fetches the dependencies of a workspace.
pub fn lock(folder: &Path) -> Result<()> {
    let output = cargo(folder, METADATA).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
