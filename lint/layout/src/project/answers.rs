//! Cached output of cargo and rustc, valid while all of their inputs are the same.

use super::ProjectError;
use super::calls::Calls;
use super::config::Config;
use super::load;
use super::select::Selection;
use crate::cache::{Cache, Key};
use crate::folded::folded;
use crate::seen::Facts;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The output of programs, by command line.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The answers of an earlier run.
    kept: BTreeMap<String, String>,
    /// The facts that the cached answers depend on.
    facts: Option<Facts>,
    given: Mutex<Given>,
}

#[derive(Debug, Default)]
struct Given {
    answers: BTreeMap<String, String>,
    /// True if a program failed, which may not happen again.
    failed: bool,
}

impl Answers {
    /// Returns the answers of an earlier run with the same key, if they are still valid.
    pub(super) fn find(cache: &Cache, key: &Key) -> Answers {
        let (kept, facts) = cache.find(key).unzip();
        Answers {
            kept: kept.unwrap_or_default(),
            facts,
            given: Mutex::default(),
        }
    }

    /// Returns true if answers of an earlier run are still valid.
    pub(super) fn are_kept(&self) -> bool {
        self.facts.is_some()
    }

    /// Returns the output of a program: from the cache, or by running the program.
    ///
    /// # Errors
    /// As [`load::run`].
    pub(super) fn ask(&self, command: Command, help: Option<&str>) -> Result<String, ProjectError> {
        let set: Vec<_> = command.get_envs().collect();
        let (program, folder) = (command.get_program(), command.get_current_dir());
        let arguments: Vec<&OsStr> = command.get_args().collect();
        let asked = format!("{set:?} {folder:?} {program:?} {arguments:?}");
        if let Some(answer) = self.kept.get(&asked) {
            return Ok(answer.clone());
        }
        let answer = load::run(command, help);
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        match &answer {
            Ok(answer) => {
                given.answers.insert(asked, answer.clone());
            }
            Err(_) => given.failed = true,
        }
        answer
    }

    /// Returns the facts of the cached answers if no program was run, otherwise the new answers, or
    /// `None` if one is missing.
    pub(super) fn all(&self) -> Result<&Facts, Option<BTreeMap<String, String>>> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        match &self.facts {
            Some(facts) if given.answers.is_empty() && !given.failed => Ok(facts),
            _ => {
                let mut all = self.kept.clone();
                all.extend(given.answers.clone());
                Err((!given.failed).then_some(all))
            }
        }
    }
}

/// Returns the cache key of the answers.
pub(super) fn key(calls: &Calls) -> Key {
    let selection = format!("{:?}", calls.selection);
    Key::new("cargo", [OsStr::new(&selection)])
}

/// Returns the cache of the selected workspace, whose folder is found without cargo.
pub fn cache(selection: &Selection) -> Cache {
    match selection.no_project_config {
        // Files in folders of the project are not trusted then.
        true => Cache::default(),
        false => Cache::of(target_folders(selection).unwrap_or_default()),
    }
}

/// Returns candidates for cargo's target folder.
pub(super) fn target_folders(selection: &Selection) -> Option<Vec<PathBuf>> {
    let here = std::env::current_dir().ok()?;
    let at = |folder: &Path| folded(&here.join(folder));
    if let Some(folder) = &selection.target_dir {
        return Some(vec![at(folder)]);
    }
    let config = Config::load(&here, &selection.config).ok()?;
    let set = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];
    let set = set.iter().find_map(|name| config.env(name));
    if let Some(folder) = set.filter(|folder| !folder.is_empty()) {
        return Some(vec![at(Path::new(folder))]);
    }
    if let Some(folder) = config.text(&["build", "target-dir"]) {
        // The path is relative to the folder of the configuration file.
        return Some(
            here.ancestors()
                .map(|from| folded(&from.join(&folder)))
                .collect(),
        );
    }
    let manifest = selection.manifest_path.as_deref().and_then(Path::parent);
    let from = at(manifest.unwrap_or(Path::new("")));
    Some(from.ancestors().map(|from| from.join("target")).collect())
}
