//! Real files: those of the fixtures and of the folders in `WEIGH_CORPUS`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A file that mutants are made from.
pub struct Sample {
    pub path: PathBuf,
    pub text: String,
}

/// Larger files are skipped: a mutant of one would take the time of many.
const MOST_BYTES: u64 = 60_000;

/// Limit on the files of one folder.
const MOST_FILES: usize = 5_000;

/// All samples, in the order of their paths.
pub static ALL: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let mut list = Vec::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![own.join("fixtures"), own.join("lint/lints/src/infer/tests")];
    if let Some(more) = std::env::var_os("WEIGH_CORPUS") {
        folders.extend(std::env::split_paths(&more));
    }
    for folder in folders {
        let mut paths = Vec::new();
        find(&folder, &mut paths);
        paths.sort();
        paths.truncate(MOST_FILES);
        list.extend(paths.into_iter().filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some(Sample { path, text })
        }));
    }
    list
});

/// Returns the samples whose paths end with `end`.
pub fn ending(end: &str) -> Vec<&'static Sample> {
    let all = ALL.iter();
    all.filter(|s| s.path.to_string_lossy().ends_with(end))
        .collect()
}

fn find(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && entry.file_name() != "target" {
            find(&path, list);
        } else if kind.is_file()
            && [".rs", ".toml", ".json"]
                .iter()
                .any(|e| path.to_string_lossy().ends_with(e))
            && entry.metadata().is_ok_and(|m| m.len() <= MOST_BYTES)
        {
            list.push(path);
        }
    }
}
