//! The futures of a build as a snapshot: to be stored in a file, and compared with those of another.

use super::catalog::Catalog;
use super::source::Sources;
use super::why;
use crate::project::Project;
use crate::snapshot::{Entry, Field, Snapshot, kind_of_target};

/// The name of the file in the workspace root.
pub const NAME: &str = "weigh.futures.json";

/// What a comparison of them counts.
pub const NOUN: &str = "future";

/// Collects the futures of a project: each instance, with what lives across the await that sets its
/// size.
pub fn snapshot(project: &Project, catalog: &Catalog<'_>) -> Snapshot {
    let sources = Sources::new(project);
    let triple = &project.target.triple;
    let entry = |at: usize| {
        let entry = &catalog.entries[at];
        let (future, instance) = (entry.future, entry.instance);
        let built = project.crates[..project.built].iter();
        let krate = built
            .filter(|k| k.package == future.package && k.target_name == future.target)
            .map(|krate| kind_of_target(krate.kind));
        let step = why::step_of(catalog, &sources, at);
        let decides = step.decides.map(|i| &step.awaits[i]);
        let pieces = decides.into_iter().flat_map(|of| {
            let fields = step.upvars.iter().chain(&of.pieces);
            fields.map(|piece| Field {
                name: match &*piece.name {
                    "" => piece.kind.word().to_owned(),
                    name => name.to_owned(),
                },
                ty: piece.ty.clone(),
                size: piece.size,
                holds: {
                    let held = why::held(catalog, entry, piece);
                    held.map(|at| path(catalog, at)).into_iter().collect()
                },
            })
        });
        Entry {
            package: future.package.clone(),
            target: future.target.clone(),
            krate: krate.into_iter().next().unwrap_or("lib").to_owned(),
            path: path(catalog, at),
            triple: triple.clone(),
            kind: future.form.words().to_owned(),
            size: Some(instance.size),
            align: Some(instance.align),
            fields: pieces.collect(),
            ..Entry::default()
        }
    };
    let mut types: Vec<Entry> = (0..catalog.entries.len()).map(entry).collect();
    types.sort_by(|a, b| a.key().cmp(&b.key()));
    Snapshot {
        rustc: project.release.version.clone(),
        triples: vec![triple.clone()],
        without_config: false,
        types,
    }
}

fn path(catalog: &Catalog<'_>, at: usize) -> String {
    let entry = &catalog.entries[at];
    format!("{}{}", entry.future.name, entry.instance.arguments)
}
