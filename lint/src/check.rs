//! Runs every lint over a workspace: findings get their lint's name and level here, and an order.

mod manifest;

use crate::config::{Level, Levels};
use crate::finding::{Confidence, Finding};
use crate::lint::{Check, Context, Group, Lint};
use crate::lints::LINTS;
use crate::model::{Model, TypeInfo};
use crate::resolve::{CrateIx, Problem, Unknown};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A finding that is to be shown.
pub struct Diagnostic {
    /// The lint.
    pub lint: &'static Lint,
    /// Warn or more.
    pub level: Level,
    /// The crate it is about.
    pub krate: CrateIx,
    /// Path of the type it is about, relative to the crate's root.
    pub ty: String,
    /// What was found.
    pub finding: Finding,
}

/// What a run found.
pub struct Checked {
    /// Findings by package, file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read.
    pub census: Census,
    /// What could not be read, in a stable order.
    pub problems: Vec<Problem>,
}

impl Checked {
    /// True if a finding makes the run fail.
    pub fn denied(&self) -> bool {
        self.diagnostics.iter().any(|d| d.level.fails())
    }
}

/// How many types there are, and of how many the size is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Types that the selected crates define.
    pub types: usize,
    /// Of these, those whose size depends on their parameters.
    pub generic: usize,
    /// Why others could not be sized, and how many.
    pub unknown: BTreeMap<String, usize>,
}

impl Census {
    /// Types that could not be sized.
    pub fn unsized_types(&self) -> usize {
        self.unknown.values().sum()
    }
}

/// Asks every lint about every type.
pub fn check(model: &Model<'static>, flags: &Levels) -> Checked {
    let config = manifest::read(model, flags);
    let cx = Context::new(model, &config);
    let mut diagnostics = Vec::new();
    // A file may be part of several targets; what is wrong in it is said once.
    let mut seen = FxHashSet::default();
    let mut add = |lint: &'static Lint, krate: CrateIx, ty: &str, findings: Vec<Finding>| {
        let package = cx.config(krate);
        let level = package.level(lint.name, lint.group.as_str(), lint.level);
        let pedantic = package.level("", Group::Pedantic.as_str(), Level::Allow) > Level::Allow;
        for finding in findings {
            let shown = finding.confidence > Confidence::Possible || pedantic;
            if shown && seen.insert((lint.name, finding.primary.span)) {
                diagnostics.push(Diagnostic {
                    lint,
                    level,
                    krate,
                    ty: ty.to_owned(),
                    finding,
                });
            }
        }
    };
    for &lint in LINTS {
        let on = |krate| {
            let package = cx.config(krate);
            package.level(lint.name, lint.group.as_str(), lint.level) > Level::Allow
        };
        match lint.check {
            Check::Type(check) => {
                let types = model.types().iter().filter(|t| t.written && on(t.krate));
                for info in types {
                    add(lint, info.krate, &info.path, check(&cx, info));
                }
            }
            Check::Body(check) if model.selected().any(on) => {
                let bodies = cx.usage().bodies.iter();
                for body in bodies.filter(|b| on(b.function.krate)) {
                    let function = &body.function;
                    add(lint, function.krate, &function.path, check(&cx, body));
                }
            }
            Check::Body(_) => {}
        }
    }
    sort(model, &mut diagnostics);
    Checked {
        diagnostics,
        census: census(model),
        problems: problems(model),
    }
}

fn sort(model: &Model<'static>, diagnostics: &mut [Diagnostic]) {
    let db = model.db;
    diagnostics.sort_by_cached_key(|d| {
        let package = db.krate(d.krate).id.map(|id| &db.project.krate(id).package);
        let span = d.finding.primary.span;
        let file = db.sources.get(span.file).path.clone();
        (package, file, span.start, d.lint.name)
    });
}

/// Counts the types by what is known of them.
pub fn census(model: &Model<'static>) -> Census {
    let mut census = Census::default();
    let mut seen: FxHashSet<(crate::span::Span, &str)> = FxHashSet::default();
    for info in model.types() {
        if !seen.insert((info.span, &info.path)) {
            continue;
        }
        census.types += 1;
        match model.extent(info.ty) {
            Ok(_) => {}
            Err(Unknown::Generic(_)) => census.generic += 1,
            Err(why) => *census.unknown.entry(model.reason(&why)).or_default() += 1,
        }
    }
    census
}

/// What could not be read, and definitions that can be no types, each once.
pub fn problems(model: &Model<'static>) -> Vec<Problem> {
    let mut list = model.problems();
    let mut said: FxHashSet<std::rc::Rc<str>> = FxHashSet::default();
    let mut invalid: Vec<(&TypeInfo, std::rc::Rc<str>)> = Vec::new();
    for info in model.types() {
        if let Err(Unknown::Invalid(why)) = model.extent(info.ty) {
            invalid.push((info, why));
        }
    }
    // First where the message names the type itself, then what holds it.
    let names = |(info, why): &(&TypeInfo, std::rc::Rc<str>)| {
        let name = info.path.rsplit("::").next().unwrap_or_default();
        !(why.contains(&format!("`{name}`")) || why.contains(&format!("`{name}<")))
    };
    invalid.sort_by_key(names);
    for (info, why) in invalid {
        if said.insert(why.clone()) {
            list.push(Problem {
                span: Some(info.span),
                file: None,
                message: why.to_string(),
                own: true,
            });
        }
    }
    list
}
