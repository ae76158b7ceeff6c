//! Spare capacity that a census counted and that no finding would release, in any crate of the
//! program: lints read the selected packages alone.

use super::counted::path;
use super::package_of;
use crate::census::count::{Census, FieldCount};
use crate::census::dwarf::is_std;
use crate::census::types::base;
use crate::check::Diagnostic;
use crate::finding::BlockChange;
use crate::lints::can_shrink;
use crate::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The spare capacity of a field.
pub struct Spare<'c> {
    /// What was counted.
    pub count: &'c FieldCount,
    /// The field, with the type that declares it.
    pub name: String,
    /// The package or crate that declares it; empty for variables and statics.
    pub krate: String,
    /// Where that is, if it is not selected.
    pub place: Option<&'static str>,
}

/// Returns the fields with spare capacity, the most first, but for those of findings that release
/// it.
pub fn spare<'c, 'd>(
    model: &'d Model<'static>,
    census: &'c Census,
    findings: impl Iterator<Item = &'d Diagnostic>,
) -> Vec<Spare<'c>> {
    let project = model.db.project;
    let key = |d: &'d Diagnostic| {
        let saved = d.measured.as_ref()?.net_saved_bytes.filter(|n| *n > 0);
        let field = d.finding.field.as_deref()?;
        let remedies = d.finding.remedies.iter();
        let mut changes = remedies.flat_map(|r| r.heap.iter().flatten());
        let releases =
            |c: &BlockChange| matches!(c, BlockChange::Frozen(_) | BlockChange::Freed(_));
        let saved = saved.filter(|_| changes.any(releases));
        saved.map(|_| (package_of(model, d.krate), &*d.ty, field))
    };
    let known: FxHashSet<_> = findings.filter_map(key).collect();
    let crates = project.crates.iter();
    let crates: FxHashMap<&str, _> = crates.map(|k| (&*k.name, k)).collect();
    let selected = project.selected_packages();
    let list = census.fields.iter();
    let list = list.filter(|f| f.slack_bytes > 0 && can_shrink(&f.kind));
    let list = list.filter_map(|count| {
        let (name, ty) = base(&count.ty).split_once("::").unwrap_or_default();
        let krate = crates.get(name);
        // A package on which none of the selected depends is known by its name alone.
        let member = project.members.iter().find(|m| match krate {
            Some(k) => m.package_id == k.package_id,
            None => m.package.replace('-', "_") == name,
        });
        let known_as = krate.map(|k| &*k.package).or(member.map(|m| &*m.package));
        let package = known_as.unwrap_or(name);
        // The only field of a variant has the name of the variant.
        let field = count.field.split('[').next().unwrap_or_default();
        let only = field.strip_suffix(".0").unwrap_or(field);
        if [field, only]
            .iter()
            .any(|f| known.contains(&(package, ty, *f)))
        {
            return None;
        }
        let id = krate.map_or("", |k| &k.package_id);
        Some(Spare {
            count,
            name: path(count),
            krate: package.to_owned(),
            place: match () {
                () if name.is_empty() || selected.contains(id) => None,
                () if is_std(&count.ty) => Some("in the standard library"),
                () if member.is_some() => {
                    Some("in a package of the workspace that was not selected")
                }
                () if krate.is_some() => Some("in a dependency"),
                () => Some("in a crate that was not read"),
            },
        })
    });
    let mut list: Vec<Spare> = list.collect();
    list.sort_by_key(|s| Reverse(s.count.slack_bytes));
    list
}
