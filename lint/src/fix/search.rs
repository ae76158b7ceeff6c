//! Finds the remedies that compile together: all are tried at once, and failing groups are halved.

use super::build::{Artifact, Build, Checked, Tested};
use super::candidates::Candidate;
use super::edits::{self, Edited, Replacement, contradict, join, line_column};
use super::examples::Examples;
use super::mirror::Mirror;
use super::polish::{Trial, Written};
use super::trouble::{Place, Trouble, Unused};
use crate::report::count;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Maximum number of rounds in which rustc's own suggestions are applied.
const ROUNDS: usize = 3;

/// Texts by path, relative to the copied folder.
pub type Texts = BTreeMap<PathBuf, String>;

/// Why a remedy was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The first error: its message, and its place in the user's text, if it has one.
    Compiler(String, Option<(PathBuf, usize, usize)>),
    /// A test that passed before and fails now.
    Test(String),
    /// According to rustc the type did not shrink: bytes before and after.
    Size(u64, u64),
    /// It conflicts with a more valuable remedy.
    Overlap,
}

/// The state before any change.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// Targets that compiled.
    pub artifacts: BTreeSet<Artifact>,
    /// The results of the tests, if they were run.
    pub tests: Option<Tested>,
    /// The warnings about unused imports.
    pub unused: BTreeSet<String>,
    /// Everything compiled.
    pub success: bool,
}

/// Tries remedies in the copy.
pub struct Search<'s> {
    /// The copy.
    pub mirror: &'s Mirror,
    /// Runs cargo in it.
    pub build: &'s Build<'s>,
    /// The state that must be preserved.
    pub before: &'s Before,
    /// The documentation examples.
    pub examples: &'s Examples,
    /// Receives progress messages.
    pub say: &'s dyn Fn(&str),
    /// The original text of every file that a candidate edits.
    pub base: Texts,
    /// Tests must pass too.
    with_tests: bool,
    /// Indices of the candidates that compile together.
    pub kept: Vec<usize>,
    /// The texts with their edits and rustc's suggestions.
    pub texts: Texts,
    /// What the edits and rustc's suggestions wrote in them.
    written: Written,
    /// What rustc suggested for the kept candidates, as edits of the original texts: later attempts
    /// need not ask for it again.
    mended: Vec<edits::Patch>,
    /// The dropped candidates, and why.
    pub dropped: Vec<(usize, Dropped)>,
    /// The number of checks so far.
    pub checks: usize,
    /// The warnings about unused imports in the texts.
    unused: Vec<Unused>,
}

/// The result of an attempt.
enum Try {
    Holds(Held),
    Fails(Blame),
}

/// What compiles.
struct Held {
    texts: Texts,
    written: Written,
    mended: Vec<edits::Patch>,
}

/// What the errors of a check say of the candidates.
struct Blame {
    why: Dropped,
    /// The candidates that the errors refer to.
    suspects: BTreeSet<usize>,
    /// Those with an error in a line that they alone edit, and that error.
    caught: BTreeMap<usize, Dropped>,
}

/// A text and the successive edits to it.
struct Steps<'t> {
    old: &'t str,
    steps: Vec<Edited>,
}

impl Steps<'_> {
    fn text(&self) -> &str {
        self.steps.last().map_or(self.old, |edited| &edited.text)
    }

    /// Returns the ranges of the text that edits wrote.
    fn written(&self) -> Vec<Range<usize>> {
        let mut written = Vec::new();
        for step in &self.steps {
            let forth = |range: Range<usize>| step.forth(range.start)..step.forth(range.end);
            written = written.into_iter().map(forth).collect::<Vec<_>>();
            written.extend(step.written());
        }
        written
    }

    fn back(&self, offset: usize) -> usize {
        self.steps
            .iter()
            .rev()
            .fold(offset, |at, step| step.back(at))
    }
}

impl<'s> Search<'s> {
    /// Starts a search. `base` has every file that a candidate edits.
    pub fn new(
        mirror: &'s Mirror,
        build: &'s Build<'s>,
        (before, examples): (&'s Before, &'s Examples),
        say: &'s dyn Fn(&str),
        base: Texts,
    ) -> Search<'s> {
        Search {
            mirror,
            build,
            before,
            examples,
            say,
            texts: base.clone(),
            base,
            with_tests: false,
            written: Written::new(),
            mended: Vec::new(),
            kept: Vec::new(),
            dropped: Vec::new(),
            checks: 0,
            unused: Vec::new(),
        }
    }

    /// Writes what the edits left in the shortest form that compiles, without imports that nothing
    /// uses. Called last. Tests that passed must pass with it too.
    ///
    /// # Errors
    ///
    /// As [`Search::run`].
    pub fn polish(&mut self) -> Result<(), String> {
        let plain = self.texts.clone();
        self.shorten()?;
        self.remove_unused()?;
        if self.with_tests && self.texts != plain {
            // The last attempt may have written others.
            self.write(&self.texts)?;
            if self.failing_test()?.is_some() {
                self.texts = plain;
            }
        }
        Ok(())
    }

    fn shorten(&mut self) -> Result<(), String> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let mut trial = Trial::new(&self.texts, &self.written);
        let mut held = None;
        for round in 0.. {
            if !trial.is_open() {
                break;
            }
            self.write(&trial.texts)?;
            let plain = |path: &Path| self.texts.get(path).map(String::as_str);
            let text = |path: &Path| {
                trial
                    .texts
                    .get(path)
                    .map_or_else(|| plain(path), |t| Some(t))
            };
            self.examples.write(self.mirror, text)?;
            self.checks += 1;
            (self.say)("shorter forms");
            let mut checked = self.build.check()?;
            self.examples.explain(&mut checked.troubles);
            if checked.success || self.is_as_before(&checked) {
                held = Some((trial.texts, checked.unused));
                break;
            }
            trial.go_on(&checked.troubles, round >= ROUNDS);
        }
        if let Some((texts, unused)) = held {
            self.texts.extend(texts);
            self.unused = unused;
        }
        Ok(())
    }

    /// Removes imports that the edits left unused, by rustc's own suggestions, if their names stand
    /// nowhere else: what another build compiles may use them.
    fn remove_unused(&mut self) -> Result<(), String> {
        let known: BTreeSet<&str> = self.before.unused.iter().flat_map(|w| names(w)).collect();
        let is_last = |name: &str, path: &Path| {
            let text = self.texts.get(path);
            let words = text.map(|t| t.split(|c: char| !c.is_alphanumeric() && c != '_'));
            words.is_some_and(|words| words.filter(|word| *word == name).count() == 1)
        };
        let is_new = |(warning, edits): &&Unused| {
            names(warning).all(|name| {
                let mut paths = edits.iter().map(|(path, ..)| path);
                !known.contains(name) && paths.all(|path| is_last(name, path))
            })
        };
        let unused: Vec<Unused> = self.unused.iter().filter(is_new).cloned().collect();
        let mut wanted = edits::Patch::new();
        for (path, range, text) in unused.into_iter().flat_map(|(_, edits)| edits) {
            let edits: &mut Vec<Replacement> = wanted.entry(path).or_default();
            let edit = Replacement { range, text };
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
        if self.kept.is_empty() || wanted.is_empty() {
            return Ok(());
        }
        let mut texts = self.texts.clone();
        for (path, edits) in &mut wanted {
            edits.sort_by_key(|e| (e.range.start, e.range.end));
            let text = edits::apply(&texts[path], edits).text;
            texts.insert(path.clone(), text);
        }
        self.write(&texts)?;
        let text = |path: &Path| texts.get(path).map(String::as_str);
        self.examples.write(self.mirror, text)?;
        self.checks += 1;
        (self.say)("without the imports that nothing uses now");
        let checked = self.build.check()?;
        if checked.success || self.is_as_before(&checked) {
            self.texts = texts;
        }
        Ok(())
    }

    /// Finds out which candidates compile, those with complete edits first. Returns the indices of
    /// candidates that conflict with a kept one.
    ///
    /// # Errors
    ///
    /// Cargo cannot be run, or the copy cannot be written.
    pub fn run(&mut self, all: &[Candidate]) -> Result<Vec<usize>, String> {
        let mut waiting: Vec<usize> = (0..all.len()).collect();
        let mut overlapping = Vec::new();
        while !waiting.is_empty() {
            // More valuable candidates come first; conflicting ones wait.
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

    /// Drops candidates that make a test fail. Called when the set that compiles is known.
    ///
    /// # Errors
    ///
    /// As [`Search::run`].
    pub fn run_tests(&mut self, all: &[Candidate]) -> Result<(), String> {
        if self.kept.is_empty() || self.before.tests.is_none() {
            return Ok(());
        }
        self.with_tests = true;
        let kept = std::mem::take(&mut self.kept);
        let texts = std::mem::replace(&mut self.texts, self.base.clone());
        let mended = std::mem::take(&mut self.mended);
        // These texts compile.
        self.write(&texts)?;
        match self.failing_test()? {
            None => {
                (self.kept, self.texts, self.mended) = (kept, texts, mended);
                Ok(())
            }
            Some(_) => self.add(all, &kept),
        }
    }

    /// Drops some kept candidates, and checks the others again.
    ///
    /// # Errors
    ///
    /// As [`Search::run`].
    pub fn drop(&mut self, all: &[Candidate], gone: Vec<(usize, Dropped)>) -> Result<(), String> {
        let kept = std::mem::take(&mut self.kept);
        self.texts = self.base.clone();
        self.mended.clear();
        let is_gone = |index: &usize| gone.iter().any(|(other, _)| other == index);
        let rest: Vec<usize> = kept.into_iter().filter(|index| !is_gone(index)).collect();
        self.dropped.extend(gone);
        self.add(all, &rest)
    }

    /// Adds the candidates of a group that compile together with the kept ones.
    fn add(&mut self, all: &[Candidate], group: &[usize]) -> Result<(), String> {
        if group.is_empty() {
            return Ok(());
        }
        let (why, suspects, mut caught) = match self.attempt(all, group)? {
            Try::Holds(held) => {
                self.kept.extend_from_slice(group);
                (self.texts, self.written) = (held.texts, held.written);
                self.mended.extend(held.mended);
                return Ok(());
            }
            Try::Fails(Blame {
                why,
                suspects,
                caught,
            }) => (why, suspects, caught),
        };
        if let [only] = group {
            self.dropped.push((*only, why));
            return Ok(());
        }
        // What fails in its own line fails without the others too: the others need no check each.
        if !caught.is_empty() && caught.len() < group.len() {
            let others: Vec<usize> = group
                .iter()
                .copied()
                .filter(|i| !caught.contains_key(i))
                .collect();
            let before = self.kept.len();
            self.add(all, &others)?;
            if self.kept.len() > before {
                self.dropped.extend(std::mem::take(&mut caught));
                return Ok(());
            }
            let caught: Vec<usize> = caught.into_keys().collect();
            return self.add(all, &caught);
        }
        let is_suspect = |index: &&usize| suspects.contains(index);
        let (suspects, others): (Vec<usize>, Vec<usize>) = group.iter().partition(is_suspect);
        if suspects.is_empty() || others.is_empty() && suspects.len() > FEW {
            let (first, second) = group.split_at(group.len() / 2);
            self.add(all, first)?;
            return self.add(all, second);
        }
        // Most suspects of the errors fail, so each is tried alone, together with all others.
        let before = self.kept.len();
        self.add(all, &others)?;
        let all_hold = self.kept.len() == before + others.len();
        if let ([only], true) = (&suspects[..], all_hold && !others.is_empty()) {
            // This attempt has just failed.
            self.dropped.push((*only, why));
            return Ok(());
        }
        for suspect in suspects {
            self.add(all, &[suspect])?;
        }
        Ok(())
    }

    /// Writes texts to the copy.
    fn write(&self, texts: &Texts) -> Result<(), String> {
        for (path, text) in texts {
            self.mirror.put(path, text)?;
        }
        Ok(())
    }

    /// Tries a group together with the kept candidates.
    fn attempt(&mut self, all: &[Candidate], group: &[usize]) -> Result<Try, String> {
        let tried: Vec<usize> = self.kept.iter().chain(group).copied().collect();
        let mut patch = join(tried.iter().map(|&index| &all[index].patch));
        for mend in &self.mended {
            if !contradict(&patch, mend) {
                patch = join([&patch, mend].into_iter());
            }
        }
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
        let tried = self.rounds(all, group, &mut texts);
        drop(texts);
        self.base = base;
        tried
    }

    fn rounds(
        &mut self,
        all: &[Candidate],
        group: &[usize],
        texts: &mut BTreeMap<&Path, Steps>,
    ) -> Result<Try, String> {
        let mut first: Option<Blame> = None;
        let mut mended = Vec::new();
        for round in 0..=ROUNDS {
            for (path, steps) in texts.iter() {
                self.mirror.put(path, steps.text())?;
            }
            let text = |path: &Path| texts.get(path).map(Steps::text);
            self.examples.write(self.mirror, text)?;
            self.checks += 1;
            let tried = count(group.len(), "finding");
            (self.say)(&match (round, self.kept.len()) {
                (1.., _) => format!("{tried} again, with what rustc suggests"),
                (0, 0) => format!("{tried} together"),
                (0, kept) => format!("{tried}, with the {kept} that compile"),
            });
            let mut checked = self.build.check()?;
            self.examples.explain(&mut checked.troubles);
            if checked.success || self.is_as_before(&checked) {
                let new = texts.iter();
                let new = new.map(|(path, s)| (path.to_path_buf(), s.text().to_owned()));
                let written = texts.iter();
                let written = written.map(|(path, s)| (path.to_path_buf(), s.written()));
                let held = Held {
                    texts: new.collect(),
                    written: written.collect(),
                    mended,
                };
                let failing = match self.with_tests {
                    true => self.failing_test()?,
                    false => None,
                };
                return Ok(match failing {
                    None => {
                        self.unused = checked.unused;
                        Try::Holds(held)
                    }
                    Some(name) => Try::Fails(Blame {
                        why: Dropped::Test(name),
                        suspects: BTreeSet::new(),
                        caught: BTreeMap::new(),
                    }),
                });
            }
            // An error that rustc has no suggestion for remains, so a group is split at once.
            let remains = |t: &&Trouble| t.suggestion.is_empty();
            let splits = group.len() > 1 && self.before.success;
            let is_vain = splits && checked.troubles.iter().any(|t| remains(&t));
            // What its suggestions mend is then no reason to drop a candidate.
            let errors = checked.troubles.iter();
            let errors: Vec<&Trouble> = errors.filter(|t| !is_vain || remains(t)).collect();
            let blamed = blame(all, group, (&errors, &checked.stderr), texts);
            let done = round < ROUNDS && !is_vain;
            let done = done && finish(&checked.troubles, texts, &mut mended);
            // The errors of the edits themselves are more informative than those after rustc's
            // suggestions.
            let caught = blamed.caught.clone();
            let blame = first.take().unwrap_or(blamed);
            if !done {
                // What is mended by rustc's suggestions is not caught.
                return Ok(Try::Fails(Blame { caught, ..blame }));
            }
            first = Some(blame);
        }
        // The last round always returns.
        Err("a check has no end".to_owned())
    }

    /// True if everything that compiled before compiles now.
    fn is_as_before(&self, checked: &Checked) -> bool {
        self.before.artifacts.is_subset(&checked.artifacts)
    }

    /// A test that passed before and does not pass now.
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
            // A test program without the standard harness, or one that does not compile.
            None if before.success && !now.success => Some(last_line(&now.stderr)),
            None => None,
        })
    }
}

/// The imported names in a warning.
fn names(warning: &str) -> impl Iterator<Item = &str> {
    let paths = warning.split('`').skip(1).step_by(2);
    paths.filter_map(|path| path.rsplit([':', ' ']).next())
}

/// Up to this number of suspects are tried one by one even if they are the whole group.
const FEW: usize = 3;

fn last_line(text: &str) -> String {
    let lines = text.lines().rev().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty());
    lines.next().unwrap_or("cargo failed").to_owned()
}

/// The first error, with its place in the user's text, and the candidates that the errors refer to.
fn blame(
    all: &[Candidate],
    group: &[usize],
    (errors, stderr): (&[&Trouble], &str),
    texts: &BTreeMap<&Path, Steps>,
) -> Blame {
    let mut suspects = BTreeSet::new();
    let mut caught = BTreeMap::new();
    let mut own: Option<(&Trouble, BTreeSet<usize>)> = None;
    for &trouble in errors {
        let near: BTreeSet<usize> = group
            .iter()
            .copied()
            .filter(|&index| is_about(&all[index], trouble, texts))
            .collect();
        suspects.extend(&near);
        let first = trouble.places.first();
        let mut own_line = group
            .iter()
            .filter(|&&index| first.is_some_and(|place| edits_line(&all[index], place, texts)));
        if let (Some(&one), None) = (own_line.next(), own_line.next())
            && near.len() == 1
        {
            caught.entry(one).or_insert_with(|| dropped(trouble, texts));
        }
        // If there is only one candidate, all errors are caused by it.
        if own
            .as_ref()
            .is_none_or(|(_, of)| of.is_empty() && !near.is_empty())
        {
            own = Some((trouble, near));
        }
    }
    let why = match own {
        Some((trouble, _)) => dropped(trouble, texts),
        None => {
            let said = stderr.lines().map(str::trim);
            let mut said = said.filter(|line| line.starts_with("error"));
            let line = said.next().map(str::to_owned);
            Dropped::Compiler(line.unwrap_or_else(|| last_line(stderr)), None)
        }
    };
    Blame {
        why,
        suspects,
        caught,
    }
}

/// An error as the reason to drop a candidate, with its place in the user's text.
fn dropped(trouble: &Trouble, texts: &BTreeMap<&Path, Steps>) -> Dropped {
    let place = trouble.places.first().map(|place| {
        let (line, column) = match texts.get(&*place.path) {
            Some(steps) => line_column(steps.old, steps.back(place.offset)),
            None => (place.line, place.column),
        };
        (place.path.clone(), line, column)
    });
    Dropped::Compiler(trouble.message.clone(), place)
}

/// True if a candidate edits the line of a place.
fn edits_line(candidate: &Candidate, place: &Place, texts: &BTreeMap<&Path, Steps>) -> bool {
    let (Some(edits), Some(steps)) = (candidate.patch.get(&place.path), texts.get(&*place.path))
    else {
        return false;
    };
    let line = |offset| line_column(steps.old, offset).0;
    let at = line(steps.back(place.offset));
    let covers = |e: &Replacement| (line(e.range.start)..=line(e.range.end)).contains(&at);
    edits.iter().any(covers)
}

/// True if an error is at a place that a candidate edits, or names its type.
fn is_about(candidate: &Candidate, trouble: &Trouble, texts: &BTreeMap<&Path, Steps>) -> bool {
    let at_edit = trouble
        .places
        .iter()
        .any(|place| edits_line(candidate, place, texts));
    let name = candidate.ty.rsplit("::").next().unwrap_or_default();
    let names = |text: &String| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == name)
    };
    at_edit || names(&trouble.message) || trouble.words.iter().any(names)
}

/// Edits of the texts as they are, as edits of the original ones; none if they touch what was
/// written since.
fn of_base(patch: &edits::Patch, texts: &BTreeMap<&Path, Steps>) -> Option<edits::Patch> {
    let mut mapped = edits::Patch::new();
    for (path, list) in patch {
        let steps = texts.get(&**path)?;
        let written = steps.written();
        for edit in list {
            let touches =
                |own: &Range<usize>| own.start <= edit.range.end && edit.range.start <= own.end;
            if written.iter().any(touches) {
                return None;
            }
            let range = steps.back(edit.range.start)..steps.back(edit.range.end);
            let text = edit.text.clone();
            let of_file = mapped.entry(path.clone()).or_default();
            of_file.push(Replacement { range, text });
        }
    }
    Some(mapped)
}

/// Applies rustc's suggestions for its errors, in edited files; false if there are none.
fn finish(
    troubles: &[Trouble],
    texts: &mut BTreeMap<&Path, Steps>,
    mended: &mut Vec<edits::Patch>,
) -> bool {
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
        let ours = one.keys().all(|path| texts.contains_key(&**path));
        // The same error may be reported for the library and for its tests.
        let known = one.iter().all(|(path, edits)| {
            let there = wanted.get(path).map_or(&[][..], Vec::as_slice);
            edits.iter().all(|edit| there.contains(edit))
        });
        if ours && !known && !contradict(&wanted, &one) {
            mended.extend(of_base(&one, texts));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_edits_of_the_original_text() {
        let path = PathBuf::from("a.rs");
        let old = "f(a, b, c);";
        let put = |at: usize, text: &str| Replacement {
            range: at..at,
            text: text.to_owned(),
        };
        let mut texts = BTreeMap::new();
        let steps = vec![edits::apply(old, &[put(2, "&*"), put(8, "**")])];
        texts.insert(path.as_path(), Steps { old, steps });
        let new = texts[path.as_path()].text().to_owned();
        assert_eq!(new, "f(&*a, b, **c);");
        let of = |part: &str, text: &str| {
            let patch = edits::Patch::from([(path.clone(), vec![put(new.find(part)?, text)])]);
            let mapped = of_base(&patch, &texts)?.remove(&path)?;
            Some(edits::apply(old, &mapped).text)
        };
        assert_eq!(of("b, ", "&").as_deref(), Some("f(a, &b, c);"));
        assert_eq!(of(");", ".x()").as_deref(), Some("f(a, b, c.x());"));
        // It may need what stands there now.
        assert_eq!(of("&*a", "&"), None);
        assert_eq!(of("*c", "&"), None);
        assert_eq!(of("c);", "&"), None);
    }
}
