//! What was found, for the lints: kept with all that it depends on.

use super::build::Inputs;
use super::catalog::Catalog;
use super::list::Measured;
use super::source::Sources;
use super::why::{self, Await, Kind, Means, Piece, Step};
use crate::coroutines::{self, Boxable, Coroutine, Variable};
use crate::layout::Extent;
use crate::project::Project;
use crate::seen::{self, Facts};
use crate::source::read;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::path::Path;
use std::time::SystemTime;

/// Keeps what a build that began `at` that time has said of the selected crates. Returns false if
/// files have changed since, or not all that it has read is known.
///
/// # Errors
/// It cannot be written.
pub fn keep(
    measured: &Measured,
    project: &Project,
    catalog: &Catalog<'_>,
    at: SystemTime,
) -> std::io::Result<bool> {
    let facts = facts(project, measured).filter(|facts| facts.are_older(at, facts));
    let Some(facts) = facts else {
        coroutines::forget(&measured.folder, project);
        return Ok(false);
    };
    let list = all(project, catalog);
    coroutines::keep(&measured.folder, project, facts, &list)?;
    Ok(true)
}

/// The sources of the targets, what build scripts read, the manifests, cargo's configuration and the
/// lock file, as they are now.
fn facts(project: &Project, measured: &Measured) -> Option<Facts> {
    let root = &project.workspace_root;
    let member = |id: &str| project.members.iter().find(|m| m.package_id == id);
    let scripts = measured.scripts.iter().map(|script| {
        let manifest = member(&script.package_id).map(|m| &*m.manifest_path);
        script.inputs(manifest)
    });
    let units = measured.units.iter();
    let inputs = units.map(|unit| unit.artifact.inputs(root)).chain(scripts);
    let inputs: Vec<Inputs> = inputs.collect::<Option<_>>()?;
    let members = project.members.iter();
    let own = members.flat_map(|m| {
        let script = m.manifest_path.with_file_name("build.rs");
        [m.manifest_path.clone(), script]
    });
    let others = ["Cargo.toml", "Cargo.lock"].map(|name| root.join(name));
    let configurations = root
        .ancestors()
        .flat_map(|folder| ["config", "config.toml"].map(|name| folder.join(".cargo").join(name)));
    let ((), facts) = seen::apart(|| {
        // What build scripts write in our folder follows from the rest.
        let files = inputs
            .iter()
            .flat_map(|inputs| inputs.files.iter().cloned());
        let files = files.filter(|file| !file.starts_with(measured.folder.path()));
        for file in files.chain(own).chain(others).chain(configurations) {
            // That there is none is a fact too.
            let _ = read::bytes(&file);
        }
        for name in inputs.iter().flat_map(|inputs| &inputs.variables) {
            let _ = seen::variable(name);
        }
    });
    facts.is_whole().then_some(facts)
}

/// All futures of the selected crates, each by its largest instance.
fn all(project: &Project, catalog: &Catalog<'_>) -> Vec<Coroutine> {
    let sources = Sources::new(project);
    let entries = catalog.entries.iter().enumerate();
    let chosen: Vec<(usize, usize)> = entries
        .filter(|(_, entry)| entry.instance == entry.future.largest())
        // A block in a macro of another crate is a matter of what holds it.
        .filter(|(_, entry)| {
            let place = entry.future.place.as_ref();
            place.is_some_and(|(file, _)| Path::new(file).is_relative())
        })
        .filter_map(|(at, entry)| {
            let krate = entry.future.krate?;
            let number = project.selected.iter().position(|id| *id == krate)?;
            Some((at, number))
        })
        .collect();
    let numbers: FxHashMap<usize, usize> =
        chosen.iter().enumerate().map(|(n, c)| (c.0, n)).collect();
    let one = |(at, of): &(usize, usize)| {
        let entry = &catalog.entries[*at];
        let step = why::step_of(catalog, &sources, *at);
        let held = step.awaits.iter().flat_map(|a| &a.pieces);
        let held = held.filter_map(|piece| why::held(catalog, entry, piece));
        let held = held.filter_map(|at| numbers.get(&at).copied());
        let decides = step.decides.map(|i| &step.awaits[i]);
        let (mut ended, mut boxed) = (Vec::new(), Vec::new());
        for remedy in why::remedies(catalog, &sources, *at, &step.awaits) {
            match remedy.means {
                Means::Block(piece) => ended.push((piece, remedy.now)),
                Means::Box(piece) => boxed.push((piece, remedy.now)),
                _ => {}
            }
        }
        let variables = |list: &[(Piece, Extent)]| -> Vec<Variable> {
            let one = |of: &(Piece, Extent)| variable(catalog, *at, of);
            list.iter().filter_map(one).collect()
        };
        Coroutine {
            of: *of,
            path: entry.future.path.clone(),
            name: format!("{}{}", entry.future.name, entry.instance.arguments),
            place: entry.future.place.clone().unwrap_or_default(),
            size: entry.instance.size,
            number: catalog.number(*at),
            holds: held.collect(),
            decides: decides.and_then(|of| of.at.clone()),
            parts: decides.map_or(Vec::new(), |of| parts(&step, of)),
            boxes: boxes(catalog, *at, &step),
            idle: variables(&ended),
            variables: variables(&boxed),
        }
    };
    chosen.iter().map(one).collect()
}

/// The parts of a future in a state, in bytes.
fn parts(step: &Step, of: &Await) -> Vec<(String, u64)> {
    let words = |piece: &Piece| match (piece.kind, &*piece.name) {
        (Kind::Awaited, _) => match &of.expression {
            Some(expression) => format!("`{expression}`, awaited"),
            None => "what is awaited".to_owned(),
        },
        (kind, "") => format!("a {} value", kind.word()),
        (_, name) => format!("`{name}`"),
    };
    let pieces = step.upvars.iter().chain(&of.pieces);
    pieces.map(|p| (words(p), p.size)).collect()
}

/// The futures that shrink with one: name, bytes before and after.
fn ripple(catalog: &Catalog<'_>, at: usize, now: Extent) -> Vec<(String, u64, u64)> {
    let sizes = catalog.ripple(at, now).into_iter();
    let others = sizes.filter(|(other, _)| *other != at);
    let mut list: Vec<(String, u64, u64)> = others
        .filter_map(|(other, now)| {
            let entry = &catalog.entries[other];
            let name = format!("{}{}", entry.future.name, entry.instance.arguments);
            Some((name, entry.instance.size, now?.size))
        })
        .filter(|(_, before, after)| after < before)
        .collect();
    list.sort_by_key(|(name, before, after)| (Reverse(before - after), name.clone()));
    list
}

/// The awaits that a box could be at, the largest first, each with what it and those before it give.
fn boxes(catalog: &Catalog<'_>, at: usize, step: &Step) -> Vec<Boxable> {
    let size = |of: &Await| of.awaited.map_or(0, |i| of.pieces[i].size);
    // A macro that is used twice has one place for two of them.
    let is_alone = |of: &&Await| step.awaits.iter().filter(|a| a.at == of.at).count() == 1;
    let awaits = step.awaits.iter().filter(|a| a.boxed.is_some());
    let mut awaits: Vec<&Await> = awaits.filter(is_alone).collect();
    awaits.sort_by_key(|of| (Reverse(size(of)), of.at.as_ref().map(|at| at.start)));
    let one = |count: usize| {
        let of = awaits[count];
        let boxed = why::with_boxes(catalog, &catalog.entries[at], &awaits[..=count])?;
        Some(Boxable {
            at: of.at.clone()?,
            expression: of.expression.clone()?,
            size_after: boxed.size,
            ripple: ripple(catalog, at, boxed),
        })
    };
    // Without one of them the others are not what is calculated.
    (0..awaits.len()).map_while(one).collect()
}

/// A variable, and the size of its future with the remedy for it.
fn variable(catalog: &Catalog<'_>, at: usize, (piece, now): &(Piece, Extent)) -> Option<Variable> {
    Some(Variable {
        at: piece.at.clone()?,
        name: piece.name.clone(),
        size: piece.size,
        size_after: now.size,
        ripple: ripple(catalog, at, *now),
    })
}
