//! Every lint, by name.

mod invalid_suppression;
mod large_err;
mod large_move;
mod missed_niche;
mod over_budget;
mod oversized_variant;
mod small_string;
mod small_vec;
mod unfrozen_builder;
mod unfrozen_vec;
mod unfulfilled_expectation;

use crate::lint::{Group, Lint};
use crate::project::did_you_mean;

/// All lints, sorted by name.
pub static LINTS: &[&Lint] = &[
    &invalid_suppression::LINT,
    &large_err::LINT,
    &large_move::LINT,
    &missed_niche::LINT,
    &over_budget::LINT,
    &oversized_variant::LINT,
    &small_string::LINT,
    &small_vec::LINT,
    &unfrozen_builder::LINT,
    &unfrozen_vec::LINT,
    &unfulfilled_expectation::LINT,
];

/// What a comment is reported as that is not understood or has no effect.
pub static INVALID_SUPPRESSION: &Lint = &invalid_suppression::LINT;

/// What a comment is reported as that expects a finding in vain.
pub static UNFULFILLED_EXPECTATION: &Lint = &unfulfilled_expectation::LINT;

/// The name of a lint, of a group, `all` or `warnings`, as it is registered.
///
/// # Errors
/// There is none; the nearest name is offered.
pub fn known(name: &str) -> Result<&'static str, String> {
    let plain = name.strip_prefix("weigh::").unwrap_or(name);
    let plain = plain.replace('-', "_");
    let names = || {
        let groups = Group::ALL.iter().map(|g| g.as_str());
        let lints = LINTS.iter().map(|l| l.name);
        lints.chain(groups).chain(["all", "warnings"])
    };
    names().find(|n| *n == plain).ok_or_else(|| {
        let near = did_you_mean(&plain, names());
        format!("there is no lint `{name}`{near}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_and_documented() {
        assert!(LINTS.is_sorted_by(|a, b| a.name < b.name));
        for lint in LINTS {
            let docs = lint.docs();
            for part in ["# Why", "# Limits", "# Example"] {
                assert!(
                    docs.lines().any(|l| l == part),
                    "{} has no `{part}`",
                    lint.name
                );
            }
            assert!(lint.summary().len() < 80, "{}", lint.summary());
        }
    }

    #[test]
    fn names_in_all_spellings() {
        for name in [
            "oversized_variant",
            "weigh::oversized_variant",
            "oversized-variant",
        ] {
            assert_eq!(known(name), Ok("oversized_variant"));
        }
        let near = known("weigh::oversize_variant").unwrap_err();
        assert!(near.contains("`oversized_variant`"), "{near}");
    }

    #[test]
    fn every_file_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lints");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter_map(|p| Some(p.file_stem()?.to_str()?.to_owned()))
            .collect();
        files.sort();
        let names: Vec<_> = LINTS.iter().map(|l| l.name).collect();
        assert_eq!(files, names);
    }
}
