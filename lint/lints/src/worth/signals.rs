//! The facts of a finding that its worth is made from, each a number with a unit.

use super::names;
use crate::finding::{Finding, Multiplicity};
use crate::lint::{Concern, Context, Lint};
use crate::model::{Model, TypeInfo};
use crate::project::Crate;
use crate::resolve::CrateIx;
use crate::usage::moves::MEMCPY;
use serde::Serialize;
use std::path::Path;

/// The facts; what does not apply to a finding is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Signals {
    /// Bytes of what is stored many times, or of one value, today.
    pub size: u64,
    /// Bytes of it that the best remedy saves.
    pub saved: u64,
    /// Fields that store many values of the type, and one for each collection around it.
    pub stored: u32,
    /// Other types that shrink with it.
    pub ripple: u32,
    /// Places that build the part which the remedy puts on the heap.
    pub built: u32,
    /// Places that build a value of the type.
    pub all_built: u32,
    /// Places that build a value of the type, take it apart, or name a field of it.
    pub places: u32,
    /// The same of the type of its package that has most.
    pub most_places: u32,
    /// Places that copy a value of more than 128 bytes into a collection or channel.
    pub moves: u32,
    /// Boxes and other changes of fields that the best remedy takes.
    pub changes: u32,
    /// 1 if fields are seen to hold what needs no heap block.
    pub contents: u32,
    /// 1 if it is about a struct as a whole, or about what it rarely holds.
    pub structs: u32,
    /// 1 if there is one value a run, or all that holds it is of that kind.
    pub few: u32,
    /// 1 in tools, tests and examples of a workspace.
    pub aside: u32,
}

/// Returns the facts of a finding about a type, or about a function of this `path`.
pub fn of(
    cx: &Context,
    lint: &Lint,
    krate: CrateIx,
    (info, path): (Option<&TypeInfo>, &str),
    finding: &Finding,
) -> Signals {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let best = finding.remedies.first();
    let own = finding.size_before.zip(finding.size_after());
    let (before, after) = finding.slot.or(own).unwrap_or_default();
    let ripple = best.map_or(0, |r| {
        r.ripple.iter().filter(|r| r.after < r.before).count()
    });
    let stored = match finding.multiplicity {
        Multiplicity::Stored { depth, holders } => u32::from(depth) + u32::from(holders),
        _ => 0,
    };
    let (built, all_built) = finding.built.unwrap_or_default();
    let is_moved = finding.size_before.is_some_and(|size| size > MEMCPY);
    let moves = info.filter(|_| is_moved);
    let changes = best.map_or(0, |r| r.change.len());
    Signals {
        size: before,
        saved: before.saturating_sub(after),
        stored,
        ripple: number(ripple),
        built: number(built),
        all_built: number(all_built),
        places: number(info.map_or(0, |info| cx.places(info))),
        most_places: number(cx.most_places(krate)),
        moves: number(moves.map_or(0, |info| cx.moves().of(info.item).len())),
        changes: number(changes),
        contents: u32::from(lint.concern == Concern::Contents),
        structs: u32::from(lint.concern == Concern::Structs),
        few: u32::from(finding.multiplicity == Multiplicity::Singleton),
        aside: u32::from(is_aside(cx.model, krate, path)),
    }
}

/// Returns true for tools of a workspace, for tests, and for packages that write code and end.
fn is_aside(model: &Model<'static>, krate: CrateIx, path: &str) -> bool {
    let project = model.db.project;
    let root = &project.workspace_root;
    let is_example = |manifest: &Path| names::is_example(root, manifest);
    let is_tool = |k: &Crate| {
        let folder = k.manifest_path.strip_prefix(root);
        let folder = folder.unwrap_or(&k.manifest_path);
        // A workspace of examples alone is about them.
        let mut members = project.members.iter();
        let mut beside = || members.any(|m| !is_example(&m.manifest_path));
        names::is_tool(&k.package)
            || !k.publishable && names::is_own_tool(&k.package, folder)
            || is_example(&k.manifest_path) && beside()
            || k.makes_code()
    };
    let of = model.db.krate(krate).id.map(|id| project.krate(id));
    of.is_some_and(is_tool) || names::is_of_tests(path)
}
