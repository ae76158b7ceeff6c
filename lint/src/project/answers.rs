//! What cargo and rustc have answered, kept for as long as all that they go by is the same.

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

/// What programs printed, by their command lines.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// To an earlier run.
    kept: BTreeMap<String, String>,
    /// All that kept ones depend on.
    facts: Option<Facts>,
    given: Mutex<Given>,
}

#[derive(Debug, Default)]
struct Given {
    answers: BTreeMap<String, String>,
    /// A program failed, which it may not do another time.
    failed: bool,
}

impl Answers {
    /// Those to an earlier run that asked the same, if they still hold.
    pub(super) fn find(cache: &Cache, key: &Key) -> Answers {
        let (kept, facts) = cache.find(key).unzip();
        Answers {
            kept: kept.unwrap_or_default(),
            facts,
            given: Mutex::default(),
        }
    }

    /// True if an earlier run has asked, and what it was told still holds.
    pub(super) fn are_kept(&self) -> bool {
        self.facts.is_some()
    }

    /// What a program prints: as it was kept, else it is run.
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

    /// What all answers depend on, where nothing had to be asked; else the answers, or nothing if
    /// one is missing.
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

/// What the answers are the answers to.
pub(super) fn key(calls: &Calls) -> Key {
    let selection = format!("{:?}", calls.selection);
    Key::new("cargo", [OsStr::new(&selection)])
}

/// What is kept for the workspace that a selection means: it is known where before cargo is asked.
pub fn cache(selection: &Selection) -> Cache {
    match selection.no_project_config {
        // What lies in a folder of the project is not trusted then.
        true => Cache::default(),
        false => Cache::of(target_folders(selection).unwrap_or_default()),
    }
}

/// Where cargo's target folder may be.
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
        // It counts from the folder of the file that says so.
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
