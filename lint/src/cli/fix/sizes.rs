//! Sizes before and after, by rustc. A remedy whose type did not shrink as promised is dropped.

use super::Run;
use crate::fix::build::Build;
use crate::fix::candidates::Candidate;
use crate::fix::search::{Dropped, Search, Texts};
use crate::futures::{build, list};
use crate::ir::AdtKind;
use crate::project::{self, CrateKind, Project, Selection};
use crate::verify::{self, Names};
use std::collections::{BTreeMap, BTreeSet};

/// A crate: package, target and kind.
type Of = (String, String, CrateKind);

/// Sizes of types in bytes, by crate and path.
type Bytes = BTreeMap<(Of, String), u64>;

/// Lines by file and function.
type Lines = BTreeMap<(String, String), Vec<usize>>;

/// The sizes according to rustc.
#[derive(Default)]
pub(super) struct Answers {
    before: Bytes,
    after: Bytes,
    /// The lines of all futures of a file and function before, in order. An edit moves lines, but not
    /// their order.
    lines: Lines,
}

impl Answers {
    /// Returns the size of a candidate's type before and after, in bytes, if rustc can be asked.
    pub(super) fn of(&self, candidate: &Candidate) -> Option<(u64, u64)> {
        let key = key(candidate);
        Some((*self.before.get(&key)?, *self.after.get(&key)?))
    }
}

fn of(candidate: &Candidate) -> Of {
    let (target, kind) = candidate.target.clone();
    (candidate.package.clone(), target, kind)
}

/// A function may have several futures: these are told apart by their lines before.
fn key(candidate: &Candidate) -> (Of, String) {
    let ty = match candidate.is_future {
        true => {
            let place = &candidate.place;
            format!("{}:{}: {}", place.file, place.start.0, candidate.ty)
        }
        false => candidate.ty.clone(),
    };
    (of(candidate), ty)
}

/// Asks rustc for sizes.
pub(super) struct Sizes<'s> {
    run: &'s Run<'s>,
    build: &'s Build<'s>,
    selection: Selection,
}

impl<'s> Sizes<'s> {
    pub(super) fn new(run: &'s Run<'s>, build: &'s Build<'s>, selection: &Selection) -> Sizes<'s> {
        Sizes {
            run,
            build,
            selection: Selection {
                target_dir: None,
                ..selection.clone()
            },
        }
    }

    /// Asks rustc for the types of all remaining candidates, and drops those that did not shrink; the
    /// edits of the others are polished.
    pub(super) fn settle(&self, all: &[Candidate], search: &mut Search) -> Result<Answers, String> {
        let mut answers = Answers::default();
        loop {
            let kept: Vec<&Candidate> = search.kept.iter().map(|&i| &all[i]).collect();
            let kept: Vec<&Candidate> = kept
                .into_iter()
                .filter(|c| c.size_before.is_some())
                .collect();
            if kept.is_empty() {
                break;
            }
            if answers.before.is_empty() {
                answers.before = self.ask(&kept, &search.base, &mut answers.lines)?;
            }
            answers.after = self.ask(&kept, &search.texts, &mut answers.lines)?;
            let missed = |&index: &usize| {
                let candidate = &all[index];
                let (before, after) = answers.of(candidate)?;
                let promised = candidate.size_after?;
                // The finding may be about another size than that of one value.
                let is_of_type = candidate.size_before == Some(before) && promised < before;
                let missed = is_of_type && after >= before;
                missed.then_some((index, Dropped::Size(before, after)))
            };
            let gone: Vec<(usize, Dropped)> = search.kept.iter().filter_map(missed).collect();
            if gone.is_empty() {
                break;
            }
            search.drop(all, gone)?;
        }
        search.polish()?;
        Ok(answers)
    }

    /// Returns the sizes of the candidates' types with these texts.
    fn ask(
        &self,
        candidates: &[&Candidate],
        texts: &Texts,
        lines: &mut Lines,
    ) -> Result<Bytes, String> {
        let mirror = self.run.mirror;
        for (path, text) in texts {
            mirror.put(path, text)?;
        }
        let selection = &self.build.selection;
        let project = project::load(selection).map_err(|e| e.to_string())?;
        let (futures, candidates): (Vec<&Candidate>, Vec<&Candidate>) =
            candidates.iter().copied().partition(|c| c.is_future);
        let futures = self.ask_futures(&project, &futures, lines);
        let crates: BTreeSet<Of> = candidates.iter().map(|c| of(c)).collect();
        let names = Names::of(project.crates.iter().filter(|c| c.member));
        let mut bytes = futures;
        for asked in crates {
            let is = |c: &&project::Crate| {
                c.member && (&c.package, &c.target_name, c.kind) == (&asked.0, &asked.1, asked.2)
            };
            let Some(krate) = project
                .crates
                .iter()
                .find(is)
                .filter(|c| verify::is_asked(c))
            else {
                continue;
            };
            let what = format!("asking rustc for sizes: {}", verify::described(krate));
            self.run.terminal.progress(&what);
            let pages = match verify::ask(&project, krate, &names, &self.selection, &mirror.target)
            {
                Ok(pages) => pages,
                Err(why) => {
                    let first = why.lines().next().unwrap_or_default();
                    self.run.terminal.warning(first);
                    continue;
                }
            };
            for candidate in candidates.iter().filter(|c| of(c) == asked) {
                let kinds = [AdtKind::Struct, AdtKind::Enum, AdtKind::Union];
                let mut answers = kinds
                    .into_iter()
                    .filter_map(|kind| verify::answer(&candidate.ty, kind, &pages));
                if let Some(answer) = answers.next() {
                    bytes.insert(key(candidate), answer.size);
                }
            }
        }
        Ok(bytes)
    }

    /// The same for futures, which a build has.
    fn ask_futures(
        &self,
        project: &Project,
        candidates: &[&Candidate],
        known: &mut Lines,
    ) -> Bytes {
        let mut bytes = Bytes::new();
        if candidates.is_empty() {
            return bytes;
        }
        self.run
            .terminal
            .progress("asking rustc for sizes of futures");
        let measured = list::measured(project, &self.build.selection, build::Of::Project);
        let measured = match measured {
            Ok(measured) => measured,
            Err(why) => {
                let first = why.lines().next().unwrap_or_default();
                self.run.terminal.warning(first);
                return bytes;
            }
        };
        let futures = list::futures(project, &measured.units, false);
        let mut sizes: BTreeMap<(String, String), Vec<(usize, u64)>> = BTreeMap::new();
        for future in &futures {
            if let Some((file, line)) = &future.place {
                let of = sizes
                    .entry((file.clone(), future.path.clone()))
                    .or_default();
                of.push((*line as usize, future.largest().size));
            }
        }
        for candidate in candidates {
            let of = (candidate.place.file.clone(), candidate.ty.clone());
            let Some(now) = sizes.get_mut(&of) else {
                continue;
            };
            now.sort_unstable();
            let before = known.entry(of);
            let before = before.or_insert_with(|| now.iter().map(|(line, _)| *line).collect());
            let mut own = (0..before.len()).filter(|at| before[*at] == candidate.place.start.0);
            if let (Some(at), None) = (own.next(), own.next())
                && before.len() == now.len()
            {
                bytes.insert(key(candidate), now[at].1);
            }
        }
        bytes
    }
}
