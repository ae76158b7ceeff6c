//! Suppressions in the source: `// weigh:` comments and Clippy's levels.

mod clippy;
mod covers;
mod parse;

pub use parse::{Directive, Fault, Verb};

use crate::ir::marks::Marks;
use crate::lower;
use crate::resolve::{CrateIx, Db};
use crate::span::{FileId, Span};
use covers::Covers;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;

/// Returns the registered name of a lint or group, or an error.
pub type Known = dyn Fn(&str) -> Result<&'static str, String> + Sync;

/// All suppressions in the files of the selected crates.
pub struct Suppressions {
    db: &'static Db<'static>,
    /// In a stable order, without duplicates, with the first crate that each is part of.
    files: Vec<(CrateIx, FileId)>,
    /// The first crate of each file.
    crates: FxHashMap<FileId, CrateIx>,
    read: FxHashMap<FileId, Read>,
    /// Where a file is declared as a module of a crate.
    declared: FxHashMap<(CrateIx, FileId), Span>,
    /// Levels of Clippy's lints in manifests, by package ID.
    tables: FxHashMap<String, Vec<(String, String)>>,
}

/// The suppressions of one file.
struct Read {
    directives: Vec<Directive>,
    faults: Vec<Fault>,
    marks: Marks,
    /// The ranges of the directives.
    directed: Covers,
    /// The ranges of the attributes in `marks.levels`.
    levels: Covers,
    /// The ranges in `marks.cfgs`.
    cfgs: Covers,
    /// The indices of those ranges by their ends.
    cfg_ends: FxHashMap<u32, Vec<usize>>,
}

impl Read {
    fn new(marks: Marks, directives: Vec<Directive>, faults: Vec<Fault>) -> Read {
        let mut cfg_ends: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, (range, _)) in marks.cfgs.iter().enumerate() {
            cfg_ends.entry(range.end).or_default().push(number);
        }
        Read {
            directed: Covers::new(directives.iter().map(|d| &d.covers)),
            levels: Covers::new(marks.levels.iter().map(|l| &l.covers)),
            cfgs: Covers::new(marks.cfgs.iter().map(|(range, _)| range)),
            cfg_ends,
            directives,
            faults,
            marks,
        }
    }
}

/// One name in one comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Suppressed {
    file: FileId,
    directive: usize,
    name: usize,
}

impl Suppressions {
    /// Reads the files of the selected crates, and `others` that belong to some.
    pub fn read(
        db: &'static Db<'static>,
        others: impl Iterator<Item = (CrateIx, FileId)>,
        known: &Known,
    ) -> Suppressions {
        let mut list: Vec<(PathBuf, CrateIx, FileId)> = Vec::new();
        let mut declared = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let mut add = |krate, id| {
            let source = db.sources.get(id);
            if seen.insert(id) && source.expansion.is_none() {
                list.push((source.path.clone(), krate, id));
            }
        };
        for id in &db.project.selected {
            for module in db.modules_and_bodies(id.0) {
                let module = db.module(module);
                let path = module.file.clone();
                let Some(file) = path.and_then(|p| db.sources.load(&p).ok()) else {
                    continue;
                };
                add(id.0, file.id);
                if let Some(decl) = module.decl {
                    let (span, _) = db.sources.origin(decl.name_span);
                    declared.entry((id.0, file.id)).or_insert(span);
                }
            }
        }
        others.for_each(|(krate, id)| add(krate, id));
        list.sort();
        let files: Vec<_> = list.into_iter().map(|(_, k, id)| (k, id)).collect();
        let sources = &db.sources;
        let read = files.par_iter().filter_map(|&(_, id)| {
            let source = sources.get(id);
            let text = &source.text;
            if !text.contains("weigh:") && !text.contains("clippy::") {
                return None;
            }
            let marks = lower::marks(&source);
            let (directives, faults) = parse::directives(&source, &marks.comments, known);
            Some((id, Read::new(marks, directives, faults)))
        });
        let read = read.collect();
        let mut crates = FxHashMap::default();
        for (krate, file) in &files {
            crates.entry(*file).or_insert(*krate);
        }
        let mut tables = FxHashMap::default();
        let clippy = db.project.clippy_levels();
        for id in &db.project.selected {
            let krate = db.project.krate(*id);
            let levels = || clippy.of(&krate.manifest_path);
            let package = krate.package_id.clone();
            tables.entry(package).or_insert_with(levels);
        }
        Suppressions {
            db,
            files,
            crates,
            read,
            declared,
            tables,
        }
    }

    /// Returns the name in the innermost comment that suppresses a lint, or its group, at the first
    /// of these places that has one.
    pub fn comment(&self, krate: CrateIx, names: [&str; 2], places: &[Span]) -> Option<Suppressed> {
        let mut around = places.iter().flat_map(|p| self.chain(krate, *p));
        around.find_map(|(at, direct)| self.comment_at(names, at, direct))
    }

    fn comment_at(&self, names: [&str; 2], at: Span, direct: bool) -> Option<Suppressed> {
        let read = self.read.get(&at.file)?;
        let around = read.directed.around(&(at.start..at.end)).into_iter();
        let around = around.map(|directive| (directive, &read.directives[directive]));
        let matching = around.filter(|(_, d)| d.verb != Verb::AllowFile || direct);
        let named = matching.filter_map(|(directive, d)| {
            let asks = |n: &str| names.contains(&n) || n == "all" || n == "warnings";
            let name = d.names.iter().position(|(n, _)| asks(n))?;
            let asked = Suppressed {
                file: at.file,
                directive,
                name,
            };
            Some((d.covers.len(), asked))
        });
        named.min_by_key(|(len, _)| *len).map(|(_, asked)| asked)
    }

    /// Iterates over a place, and the declarations of the modules around its file; true for the
    /// first.
    fn chain(&self, krate: CrateIx, place: Span) -> impl Iterator<Item = (Span, bool)> {
        let mut next = Some(place);
        let mut steps = 0;
        std::iter::from_fn(move || {
            let at = next?;
            // Bounded, since a file may declare itself, which is an error in the source.
            next = self.declared.get(&(krate, at.file)).copied();
            next = next.filter(|_| steps < 100);
            steps += 1;
            Some((at, steps == 1))
        })
    }

    /// Returns the comment that contains a name.
    pub fn directive(&self, asked: Suppressed) -> &Directive {
        &self.read[&asked.file].directives[asked.directive]
    }

    /// Returns the crate that contains a name.
    pub fn krate(&self, asked: Suppressed) -> CrateIx {
        self.crates.get(&asked.file).copied().unwrap_or(0)
    }

    /// Returns a name and its span.
    pub fn name(&self, asked: Suppressed) -> (&'static str, Span) {
        self.directive(asked).names[asked.name]
    }

    /// Returns true if one of these Clippy lints is allowed at one of these places: by an attribute
    /// there or around it, else by the package's manifest.
    pub fn clippy(&self, krate: CrateIx, names: &[&str], places: &[Span]) -> bool {
        if names.is_empty() {
            return false;
        }
        let mut around = places.iter().flat_map(|p| self.chain(krate, *p));
        let by_attribute = around.find_map(|(at, _)| self.clippy_at(krate, names, at));
        by_attribute.unwrap_or_else(|| {
            let id = self.db.krate(krate).id;
            let table = id.and_then(|id| self.tables.get(&self.db.project.krate(id).package_id));
            table.is_some_and(|table| clippy::allows(table, names))
        })
    }

    /// Returns the level set by the innermost attribute around a place, if any.
    fn clippy_at(&self, krate: CrateIx, names: &[&str], at: Span) -> Option<bool> {
        let read = self.read.get(&at.file)?;
        let around = read.levels.around(&(at.start..at.end)).into_iter();
        let around = around.map(|number| &read.marks.levels[number]);
        let around = around.filter(|l| clippy::names(&l.attr, names));
        let there = around.filter(|l| {
            let cfg = l.attr.cfg.as_ref();
            cfg.is_none_or(|c| self.db.cfg_holds(krate, c) == Ok(true))
        });
        let innermost = there.min_by_key(|l| (l.covers.len(), u32::MAX - l.attr.span.start))?;
        let level = innermost.attr.meta.path[0].as_str();
        Some(matches!(level, "allow" | "expect"))
    }

    /// Iterates over invalid comments, by file and position.
    pub fn faults(&self) -> impl Iterator<Item = (CrateIx, &Fault)> {
        let read = |&(krate, file)| Some((krate, self.read.get(&file)?));
        let files = self.files.iter().filter_map(read);
        files.flat_map(|(krate, r)| r.faults.iter().map(move |f| (krate, f)))
    }

    /// Iterates over every name of an `expect` that is present in this build.
    pub fn expectations(&self) -> impl Iterator<Item = (CrateIx, Suppressed)> {
        let read = |&(krate, file)| Some((krate, file, self.read.get(&file)?));
        let files = self.files.iter().filter_map(read);
        files.flat_map(move |(krate, file, read)| {
            let directives = read.directives.iter().enumerate();
            let expects = directives
                .filter(move |(_, d)| d.verb == Verb::Expect && self.present(krate, read, d));
            expects.flat_map(move |(directive, d)| {
                let asked = move |name| Suppressed {
                    file,
                    directive,
                    name,
                };
                (0..d.names.len()).map(move |name| (krate, asked(name)))
            })
        })
    }

    /// Returns true unless a `cfg` removes the item of a comment.
    fn present(&self, krate: CrateIx, read: &Read, directive: &Directive) -> bool {
        let about = &directive.covers;
        let same_end = read.cfg_ends.get(&about.end).into_iter().flatten().copied();
        let same = same_end.filter(|number| about.contains(&read.marks.cfgs[*number].0.start));
        let around = same.chain(read.cfgs.around(about));
        let mut conditions =
            around.map(|number| self.db.cfg_holds(krate, &read.marks.cfgs[number].1));
        conditions.all(|holds| holds == Ok(true))
    }
}
