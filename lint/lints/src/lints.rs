//! Every lint, by name.

mod alloc_in_loop;
mod always_empty;
mod copied_text;
mod double_allocation;
mod held_across_await;
mod invalid_suppression;
mod large_err;
mod large_future;
mod large_move;
mod linked_list;
mod missed_niche;
mod one_element_vec;
mod over_budget;
mod oversized_variant;
mod repeated_text;
mod small_string;
mod small_vec;
mod spare_capacity;
mod tiny_allocation;
mod unfrozen_builder;
mod unfrozen_vec;
mod unfulfilled_expectation;
mod wide_field;
mod wide_option;

pub use spare_capacity::can_shrink;

use crate::lint::{Group, Lint};
use crate::project::did_you_mean;

/// All lints, sorted by name.
pub static LINTS: &[&Lint] = &[
    &alloc_in_loop::LINT,
    &always_empty::LINT,
    &copied_text::LINT,
    &double_allocation::LINT,
    &held_across_await::LINT,
    &invalid_suppression::LINT,
    &large_err::LINT,
    &large_future::LINT,
    &large_move::LINT,
    &linked_list::LINT,
    &missed_niche::LINT,
    &one_element_vec::LINT,
    &over_budget::LINT,
    &oversized_variant::LINT,
    &repeated_text::LINT,
    &small_string::LINT,
    &small_vec::LINT,
    &spare_capacity::LINT,
    &tiny_allocation::LINT,
    &unfrozen_builder::LINT,
    &unfrozen_vec::LINT,
    &unfulfilled_expectation::LINT,
    &wide_field::LINT,
    &wide_option::LINT,
];

/// Reported for a comment that cannot be parsed or has no effect.
pub static INVALID_SUPPRESSION: &Lint = &invalid_suppression::LINT;

/// Reported for a comment that expects a finding that does not occur.
pub static UNFULFILLED_EXPECTATION: &Lint = &unfulfilled_expectation::LINT;

/// Returns the registered name of a lint, of a group, `all` or `warnings`.
///
/// # Errors
/// Fails if there is none; suggests the nearest name.
pub fn known(name: &str) -> Result<&'static str, String> {
    let plain = name.strip_prefix("weigh::").unwrap_or(name);
    let plain = plain.replace('-', "_");
    let names = || {
        let groups = Group::ALL.iter().map(|g| g.as_str());
        let lints = LINTS.iter().map(|l| l.name);
        lints.chain(groups).chain(["all", "warnings"])
    };
    names().find(|n| *n == plain).ok_or_else(|| {
        let near = match meant(name) {
            Some((lint, Meant::Clippy)) => format!("; the equivalent lint is `{lint}`"),
            Some((lint, Meant::Part)) => format!("; did you mean `{lint}`?"),
            None => did_you_mean(&plain, names()),
        };
        format!("there is no lint `{name}`{near}")
    })
}

/// How an unknown name relates to a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// The name of an equivalent lint of Clippy.
    Clippy,
    /// A part of this lint's name only.
    Part,
}

/// Returns the one lint that an unknown name suggests.
pub fn meant(name: &str) -> Option<(&'static str, Meant)> {
    let plain = name.strip_prefix("clippy::").unwrap_or(name);
    let plain = plain.strip_prefix("weigh::").unwrap_or(plain);
    let plain = plain.replace('-', "_");
    if let Some(lint) = LINTS.iter().find(|l| l.clippy.contains(&plain.as_str())) {
        return Some((lint.name, Meant::Clippy));
    }
    let mut parts = LINTS
        .iter()
        .filter(|l| plain.len() > 3 && l.name.contains(&plain));
    match (parts.next(), parts.next()) {
        (Some(only), None) => Some((only.name, Meant::Part)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_and_documented() {
        assert!(LINTS.is_sorted_by(|a, b| a.name < b.name));
        for lint in LINTS {
            let docs = lint.docs();
            for part in ["# Why", "# What it finds", "# Example"] {
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
        assert_eq!(
            meant("large_enum_variant"),
            Some(("oversized_variant", Meant::Clippy))
        );
        assert_eq!(meant("clippy::rc_buffer").map(|m| m.1), Some(Meant::Clippy));
        assert_eq!(meant("oversized"), Some(("oversized_variant", Meant::Part)));
        assert_eq!(
            (meant("unfrozen"), meant("vec"), meant("")),
            (None, None, None)
        );
        let near = known("large_enum_variant").unwrap_err();
        assert!(near.contains("`oversized_variant`"), "{near}");
        let near = known("weigh::oversize_variant").unwrap_err();
        assert!(near.contains("`oversized_variant`"), "{near}");
    }

    #[test]
    fn every_file_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lints");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            // The parts of a lint are in a folder of its name.
            .filter(|p| p.is_file())
            .filter_map(|p| Some(p.file_stem()?.to_str()?.to_owned()))
            .collect();
        files.sort();
        let names: Vec<_> = LINTS.iter().map(|l| l.name).collect();
        assert_eq!(files, names);
    }
}
