//! Which remedies hold together: all are tried at once, what fails is halved.

use super::build::{Artifact, Build, Checked, Tested};
use super::candidates::Candidate;
use super::edits::{self, Edited, Replacement, contradict, join, line_column};
use super::mirror::Mirror;
use super::trouble::Trouble;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// So often rustc's own suggestions may finish what is left.
const ROUNDS: usize = 3;

/// Texts by path, relative to the folder that is copied.
pub type Texts = BTreeMap<PathBuf, String>;

/// Why a remedy was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The first error: its message, and where it is in the user's own text, if in a file there.
    Compiler(String, Option<(PathBuf, usize, usize)>),
    /// This test passed before.
    Test(String),
    /// rustc says that the type is not smaller: bytes before and after.
    Size(u64, u64),
    /// It wants another thing of a place that a more valuable one has changed.
    Overlap,
}

/// What the code was before any change.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// What compiled.
    pub artifacts: BTreeSet<Artifact>,
    /// Which tests passed, if they are asked.
    pub tests: Option<Tested>,
}

/// Tries remedies on a copy.
pub struct Search<'s> {
    /// The copy.
    pub mirror: &'s Mirror,
    /// Who checks it.
    pub build: &'s Build<'s>,
    /// What must stay.
    pub before: &'s Before,
    /// Told what it is at.
    pub say: &'s dyn Fn(&str),
    /// The texts that edits are about: of every file that a candidate names.
    pub base: Texts,
    /// Each test passes too.
    with_tests: bool,
    /// Indices of candidates that hold together.
    pub kept: Vec<usize>,
    /// The texts with these, and rustc's suggestions.
    pub texts: Texts,
    /// Those that do not, and why.
    pub dropped: Vec<(usize, Dropped)>,
    /// Checks that were made.
    pub checks: usize,
}

/// What came of a try.
enum Try {
    Holds(Texts),
    Fails {
        why: Dropped,
        /// The candidates that errors speak of.
        suspects: BTreeSet<usize>,
    },
}

/// A text and the steps that led to it.
struct Steps<'t> {
    old: &'t str,
    steps: Vec<Edited>,
}

impl Steps<'_> {
    fn text(&self) -> &str {
        self.steps.last().map_or(self.old, |edited| &edited.text)
    }

    fn back(&self, offset: usize) -> usize {
        self.steps
            .iter()
            .rev()
            .fold(offset, |at, step| step.back(at))
    }
}

impl<'s> Search<'s> {
    /// Nothing was tried yet. `base` has every file that a candidate names.
    pub fn new(
        mirror: &'s Mirror,
        build: &'s Build<'s>,
        before: &'s Before,
        say: &'s dyn Fn(&str),
        base: Texts,
    ) -> Search<'s> {
        Search {
            mirror,
            build,
            before,
            say,
            texts: base.clone(),
            base,
            with_tests: false,
            kept: Vec::new(),
            dropped: Vec::new(),
            checks: 0,
        }
    }

    /// Finds out which of these hold, those with complete edits first. Indices of those that want
    /// something of a place that one kept has changed are handed back.
    ///
    /// # Errors
    /// Cargo cannot be run, or the copy not be written.
    pub fn run(&mut self, all: &[Candidate]) -> Result<Vec<usize>, String> {
        let mut waiting: Vec<usize> = (0..all.len()).collect();
        let mut overlapping = Vec::new();
        while !waiting.is_empty() {
            // The most valuable come first, and others wait for what becomes of them.
            let mut chosen: Vec<usize> = Vec::new();
            let mut later = Vec::new();
            for index in waiting {
                let clashes = |&other: &usize| contradict(&all[index].patch, &all[other].patch);
                if self.kept.iter().any(clashes) {
                    overlapping.push(index);
                } else if chosen.iter().any(clashes) {
                    later.push(index);
                } else {
                    chosen.push(index);
                }
            }
            let (complete, partial): (Vec<_>, Vec<_>) =
                chosen.into_iter().partition(|&i| all[i].complete);
            self.add(all, &complete)?;
            self.add(all, &partial)?;
            waiting = later;
        }
        Ok(overlapping)
    }

    /// Once what compiles is known: drops what makes a test fail.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn run_tests(&mut self, all: &[Candidate]) -> Result<(), String> {
        if self.kept.is_empty() || self.before.tests.is_none() {
            return Ok(());
        }
        self.with_tests = true;
        let kept = std::mem::take(&mut self.kept);
        let texts = std::mem::replace(&mut self.texts, self.base.clone());
        // As they stand, they compile.
        self.write(&texts)?;
        match self.failing_test()? {
            None => {
                (self.kept, self.texts) = (kept, texts);
                Ok(())
            }
            Some(_) => self.add(all, &kept),
        }
    }

    /// Leaves some out that were kept, and checks the others again.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn drop(&mut self, all: &[Candidate], gone: Vec<(usize, Dropped)>) -> Result<(), String> {
        let kept = std::mem::take(&mut self.kept);
        self.texts = self.base.clone();
        let is_gone = |index: &usize| gone.iter().any(|(other, _)| other == index);
        let rest: Vec<usize> = kept.into_iter().filter(|index| !is_gone(index)).collect();
        self.dropped.extend(gone);
        self.add(all, &rest)
    }

    /// Adds those of a group that hold beside what is kept.
    fn add(&mut self, all: &[Candidate], group: &[usize]) -> Result<(), String> {
        if group.is_empty() {
            return Ok(());
        }
        let (why, suspects) = match self.attempt(all, group)? {
            Try::Holds(texts) => {
                self.kept.extend_from_slice(group);
                self.texts = texts;
                return Ok(());
            }
            Try::Fails { why, suspects } => (why, suspects),
        };
        if let [only] = group {
            self.dropped.push((*only, why));
            return Ok(());
        }
        let is_suspect = |index: &&usize| suspects.contains(index);
        let (suspects, others): (Vec<usize>, Vec<usize>) = group.iter().partition(is_suspect);
        if suspects.is_empty() || others.is_empty() && suspects.len() > FEW {
            let (first, second) = group.split_at(group.len() / 2);
            self.add(all, first)?;
            return self.add(all, second);
        }
        // Most of what errors speak of fails: each by itself, beside all others.
        let before = self.kept.len();
        self.add(all, &others)?;
        let all_hold = self.kept.len() == before + others.len();
        if let ([only], true) = (&suspects[..], all_hold && !others.is_empty()) {
            // That is the try that has failed.
            self.dropped.push((*only, why));
            return Ok(());
        }
        for suspect in suspects {
            self.add(all, &[suspect])?;
        }
        Ok(())
    }

    /// Puts texts into the copy.
    fn write(&self, texts: &Texts) -> Result<(), String> {
        for (path, text) in texts {
            self.mirror.put(path, text)?;
        }
        Ok(())
    }

    /// Tries a group beside what is kept.
    fn attempt(&mut self, all: &[Candidate], group: &[usize]) -> Result<Try, String> {
        let tried: Vec<usize> = self.kept.iter().chain(group).copied().collect();
        let patch = join(tried.iter().map(|&index| &all[index].patch));
        let base = std::mem::take(&mut self.base);
        let mut texts: BTreeMap<&Path, Steps> = BTreeMap::new();
        for (path, old) in &base {
            let edits = patch.get(path).map_or(&[][..], Vec::as_slice);
            let steps = match edits {
                [] => Vec::new(),
                _ => vec![edits::apply(old, edits)],
            };
            texts.insert(path, Steps { old, steps });
        }
        let tried = self.rounds(all, group, &patch, &mut texts);
        drop(texts);
        self.base = base;
        tried
    }

    fn rounds(
        &mut self,
        all: &[Candidate],
        group: &[usize],
        patch: &edits::Patch,
        texts: &mut BTreeMap<&Path, Steps>,
    ) -> Result<Try, String> {
        let mut first: Option<(Dropped, BTreeSet<usize>)> = None;
        for round in 0..=ROUNDS {
            for (path, steps) in texts.iter() {
                self.mirror.put(path, steps.text())?;
            }
            self.checks += 1;
            (self.say)(&format!("check {}", self.checks));
            let checked = self.build.check()?;
            if checked.success || self.is_as_before(&checked) {
                let held = texts
                    .iter()
                    .map(|(path, s)| (path.to_path_buf(), s.text().to_owned()));
                let held = held.collect();
                let failing = match self.with_tests {
                    true => self.failing_test()?,
                    false => None,
                };
                return Ok(match failing {
                    None => Try::Holds(held),
                    Some(name) => Try::Fails {
                        why: Dropped::Test(name),
                        suspects: BTreeSet::new(),
                    },
                });
            }
            let blamed = blame(all, group, &checked, texts);
            let done = round < ROUNDS && finish(&checked.troubles, patch, texts);
            // What rustc says of the edits themselves says more than what its own led to.
            let (why, suspects) = first.take().unwrap_or(blamed);
            if !done {
                return Ok(Try::Fails { why, suspects });
            }
            first = Some((why, suspects));
        }
        // The last round ends in a return.
        Err("a check has no end".to_owned())
    }

    /// All that compiled before does so now.
    fn is_as_before(&self, checked: &Checked) -> bool {
        self.before.artifacts.is_subset(&checked.artifacts)
    }

    /// A test that passed before and does not now.
    fn failing_test(&self) -> Result<Option<String>, String> {
        let Some(before) = &self.before.tests else {
            return Ok(None);
        };
        let now = self.build.test()?;
        let lost = before
            .passed
            .iter()
            .find(|test| !now.passed.contains(*test));
        Ok(match lost {
            Some((program, test)) => Some(format!("{test} ({program})")),
            // Not the harness's: a program of its own, or one that does not compile.
            None if before.success && !now.success => Some(last_line(&now.stderr)),
            None => None,
        })
    }
}

/// So many suspects are tried one by one even if all are.
const FEW: usize = 3;

fn last_line(text: &str) -> String {
    let lines = text.lines().rev().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty());
    lines.next().unwrap_or("cargo failed").to_owned()
}

/// The first error in the user's own words and places, and the candidates that errors speak of.
fn blame(
    all: &[Candidate],
    group: &[usize],
    checked: &Checked,
    texts: &BTreeMap<&Path, Steps>,
) -> (Dropped, BTreeSet<usize>) {
    let mut suspects = BTreeSet::new();
    let mut own: Option<(&Trouble, BTreeSet<usize>)> = None;
    for trouble in &checked.troubles {
        let near: BTreeSet<usize> = group
            .iter()
            .copied()
            .filter(|&index| is_about(&all[index], trouble, texts))
            .collect();
        suspects.extend(&near);
        // With one candidate, each error is its.
        if own
            .as_ref()
            .is_none_or(|(_, of)| of.is_empty() && !near.is_empty())
        {
            own = Some((trouble, near));
        }
    }
    let why = match own {
        Some((trouble, _)) => {
            let place = trouble.places.first().map(|place| {
                let (line, column) = match texts.get(&*place.path) {
                    Some(steps) => line_column(steps.old, steps.back(place.offset)),
                    None => (place.line, place.column),
                };
                (place.path.clone(), line, column)
            });
            Dropped::Compiler(trouble.message.clone(), place)
        }
        None => {
            let said = checked.stderr.lines().map(str::trim);
            let mut said = said.filter(|line| line.starts_with("error"));
            let line = said.next().map(str::to_owned);
            Dropped::Compiler(line.unwrap_or_else(|| last_line(&checked.stderr)), None)
        }
    };
    (why, suspects)
}

/// An error is at a place that a candidate edits, or names its type.
fn is_about(candidate: &Candidate, trouble: &Trouble, texts: &BTreeMap<&Path, Steps>) -> bool {
    let at_edit = trouble.places.iter().any(|place| {
        let (Some(edits), Some(steps)) =
            (candidate.patch.get(&place.path), texts.get(&*place.path))
        else {
            return false;
        };
        let line = |offset| line_column(steps.old, offset).0;
        let at = line(steps.back(place.offset));
        let covers = |e: &Replacement| (line(e.range.start)..=line(e.range.end)).contains(&at);
        edits.iter().any(covers)
    });
    let name = candidate.ty.rsplit("::").next().unwrap_or_default();
    let names = |text: &String| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == name)
    };
    at_edit || names(&trouble.message) || trouble.words.iter().any(names)
}

/// Does what rustc suggests for its errors, in files that were edited; false if there is nothing.
fn finish(troubles: &[Trouble], patch: &edits::Patch, texts: &mut BTreeMap<&Path, Steps>) -> bool {
    let mut wanted = edits::Patch::new();
    for trouble in troubles.iter().filter(|t| !t.suggestion.is_empty()) {
        let mut one = edits::Patch::new();
        for (path, range, text) in &trouble.suggestion {
            let text = match texts.get(&**path) {
                Some(steps) => edits::with_its_line_ends(text, steps.old),
                None => text.clone(),
            };
            one.entry(path.clone()).or_default().push(Replacement {
                range: range.clone(),
                text,
            });
        }
        let ours = one.keys().all(|path| patch.contains_key(path));
        // The same place is an error in the library and again in its tests.
        let known = one.iter().all(|(path, edits)| {
            let there = wanted.get(path).map_or(&[][..], Vec::as_slice);
            edits.iter().all(|edit| there.contains(edit))
        });
        if ours && !known && !contradict(&wanted, &one) {
            wanted = join([&wanted, &one].into_iter());
        }
    }
    for (path, edits) in &wanted {
        if let Some(steps) = texts.get_mut(&**path) {
            let edited = edits::apply(steps.text(), edits);
            steps.steps.push(edited);
        }
    }
    !wanted.is_empty()
}
