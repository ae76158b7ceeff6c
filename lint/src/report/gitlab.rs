//! GitLab code quality report: an array of findings with fingerprints.

use super::{Item, Place, Report};
use crate::project::ExactFor;
use crate::visible;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct Issue<'r> {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
    /// An extension, which GitLab ignores: the compiler and target of the sizes.
    #[serde(flatten)]
    exact_for: ExactFor<'r>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    positions: Positions,
}

#[derive(Serialize)]
struct Positions {
    begin: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
}

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let places = report.in_repository();
    let mut seen = BTreeMap::new();
    let issues = report.items.iter().map(|item| {
        let nth = seen.entry(identity(item)).or_insert(0);
        *nth += 1;
        issue(
            report,
            item,
            *nth,
            places.of(item.diagnostic.finding.primary.span),
        )
    });
    serde_json::to_writer_pretty(&mut *out, &issues.collect::<Vec<_>>())?;
    out.write_all(b"\n")
}

/// Identifies a finding independently of its place.
fn identity<'r>(item: &Item<'r>) -> [&'r str; 4] {
    let d = item.diagnostic;
    let field = d.finding.field.as_deref().unwrap_or_default();
    [d.lint.name, item.unit.package, &d.ty, field]
}

fn issue<'r>(report: &Report<'r>, item: &Item, nth: usize, place: Place) -> Issue<'r> {
    let d = item.diagnostic;
    let finding = &d.finding;
    // GitLab shows only the description.
    let mut description = format!("{}: {}", d.lint.name, finding.message);
    if let Some(best) = finding.remedies.first() {
        description.push_str(&format!("; {}", best.words(finding.size_before)));
    }
    let position = |(line, column)| Position { line, column };
    Issue {
        description: visible::line(&description).into_owned(),
        check_name: format!("weigh::{}", d.lint.name),
        fingerprint: fingerprint(identity(item), nth),
        severity: match d.level.fails() {
            true => "major",
            false => "minor",
        },
        location: Location {
            path: visible::line(&place.file).into_owned(),
            positions: Positions {
                begin: position(place.start),
                end: position(place.end),
            },
        },
        exact_for: report.exact_for,
    }
}

/// Returns a hash (FNV-1a with 128 bits) that is the same on every machine and in every release.
fn fingerprint(identity: [&str; 4], nth: usize) -> String {
    let nth = nth.to_string();
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for part in identity.into_iter().chain([nth.as_str()]) {
        // No part contains the byte 0 that ends it.
        for byte in part.bytes().chain([0]) {
            hash ^= u128::from(byte);
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_stay() {
        // The fingerprints of findings must not change from one release to the next, or a merge
        // request reports them as new.
        let known = fingerprint(["oversized_variant", "demo", "a::E", "A"], 1);
        assert_eq!(known.len(), 32);
        let others = [
            fingerprint(["oversized_variant", "demo", "a::E", "A"], 2),
            fingerprint(["oversized_variant", "demo", "a::EA", ""], 1),
        ];
        assert!(!others.contains(&known));
    }
}
