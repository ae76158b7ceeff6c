//! Small projects written by a test: too large, broken or odd for a directory of fixtures.

use crate::workbench;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A project in its own directory, which is removed when the test passes.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Creates an empty directory; others may have the same name.
    pub fn empty(name: &str) -> Scratch {
        Scratch::below(&workbench("scratch"), name)
    }

    /// Creates an empty directory outside this checkout, where its cargo alias does not apply.
    pub fn outside(name: &str) -> Scratch {
        Scratch::below(&std::env::temp_dir(), name)
    }

    fn below(folder: &Path, name: &str) -> Scratch {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = folder.join(format!("{name}-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("it is ours to write");
        Scratch { folder }
    }

    /// Creates a library of edition 2024 with this source.
    pub fn library(name: &str, text: &str) -> Scratch {
        let scratch = Scratch::empty(name);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"
        );
        scratch
            .file("Cargo.toml", manifest)
            .file("src/lib.rs", text)
    }

    /// Adds or replaces a file.
    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Scratch {
        let path = self.folder.join(path);
        let parent = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).expect("the target folder is ours to write");
        fs::write(&path, text).expect("the target folder is ours to write");
        self
    }

    /// Copies the contents of a directory except `target`; `to` is empty or a path that ends with
    /// `/`.
    pub fn copy(mut self, from: &Path, to: &str) -> Scratch {
        for entry in fs::read_dir(from).expect("a folder that can be read") {
            let path = entry.expect("an entry of a folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let to = format!("{to}{name}");
            match path.is_dir() {
                true if name == "target" => {}
                true => self = self.copy(&path, &format!("{to}/")),
                false => {
                    let bytes = fs::read(&path).expect("a file that can be read");
                    self = self.file(&to, bytes);
                }
            }
        }
        self
    }

    /// Returns its directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
