//! Formats edited files with rustfmt, where they were formatted before.

use crate::interrupt;
use crate::project::Project;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What became of an edited file.
pub enum Formatted {
    /// The edited text, formatted.
    Text(String),
    /// The file was not formatted before: the edits alone are in it.
    AsBefore,
    /// rustfmt cannot be run, or fails: why, in a line.
    Failed(String),
}

/// Formats the new text of a file if rustfmt leaves the old one as it is, by the settings that hold
/// in the file's folder. Submodules are left alone, as rustfmt reads its standard input.
pub fn format(project: &Project, path: &Path, old: &str, new: &str) -> Formatted {
    let edition = edition(project, path);
    let folder = path.parent().unwrap_or(Path::new("."));
    match run(folder, edition, old) {
        Ok(text) if text == old => match run(folder, edition, new) {
            Ok(text) => Formatted::Text(text),
            Err(e) => Formatted::Failed(e.to_string()),
        },
        Ok(_) => Formatted::AsBefore,
        Err(e) => Formatted::Failed(e.to_string()),
    }
}

/// Returns the edition of the package whose folder is nearest.
fn edition(project: &Project, path: &Path) -> u16 {
    let crates = project.crates.iter().filter(|krate| krate.member);
    let near = crates.filter_map(|krate| {
        let folder = krate.manifest_path.parent()?;
        path.starts_with(folder)
            .then(|| (folder.components().count(), krate.edition))
    });
    near.max().map_or(2021, |(_, edition)| edition)
}

fn run(folder: &Path, edition: u16, text: &str) -> io::Result<String> {
    let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let (input, mut ours) = io::pipe()?;
    let mut command = Command::new(program);
    command
        .args(["--emit", "stdout", "--edition", &edition.to_string()])
        .current_dir(folder)
        .stdin(Stdio::from(input));
    let text = text.to_owned();
    // It may answer before it has read everything.
    let writer = std::thread::spawn(move || ours.write_all(text.as_bytes()));
    let output = interrupt::output(&mut command);
    // Only with this end closed does a write to a program that has ended fail.
    drop(command);
    let _ = writer.join();
    let output = output?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let first = said.lines().find(|line| !line.trim().is_empty());
        return Err(io::Error::other(first.unwrap_or("it failed").to_owned()));
    }
    String::from_utf8(output.stdout).map_err(io::Error::other)
}
