//! Levels of Clippy's lints, as set by attributes and manifests.

use crate::ir::Attr;

/// Clippy's groups with those of their lints that match one of ours
/// (<https://rust-lang.github.io/rust-clippy/stable/>).
const GROUPS: &[(&str, &[&str])] = &[
    (
        "perf",
        &[
            "box_collection",
            "large_enum_variant",
            "redundant_allocation",
            "result_large_err",
        ],
    ),
    ("complexity", &["vec_box"]),
    (
        "pedantic",
        &["large_types_passed_by_value", "linkedlist", "option_option"],
    ),
    ("restriction", &["rc_buffer", "rc_mutex"]),
];

/// The groups in `clippy::all`.
const ALL: &[&str] = &["perf", "complexity"];

/// Returns true if a Clippy name is one of these lints, or a group with one of them.
fn means(name: &str, lints: &[&str]) -> bool {
    let group = |group: &str| {
        let mut groups = GROUPS.iter().filter(|(name, _)| *name == group);
        groups.any(|(_, list)| list.iter().any(|l| lints.contains(l)))
    };
    lints.contains(&name) || group(name) || name == "all" && ALL.iter().any(|g| group(g))
}

/// Returns true if an attribute sets the level of one of these lints.
pub(super) fn names(attr: &Attr, lints: &[&str]) -> bool {
    attr.meta.list.iter().any(|meta| match &meta.path[..] {
        [tool, name] => *tool == "clippy" && means(name.as_str(), lints),
        _ => false,
    })
}

/// Returns true if a table of lints and levels, the last of which counts, allows one of these
/// lints.
pub(super) fn allows(table: &[(String, String)], lints: &[&str]) -> bool {
    let mut said = table.iter().rev().filter(|(name, _)| means(name, lints));
    said.next().is_some_and(|(_, level)| level == "allow")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_their_lints() {
        let fat = ["large_enum_variant"];
        assert!(means("large_enum_variant", &fat) && means("perf", &fat) && means("all", &fat));
        assert!(!means("vec_box", &fat) && !means("pedantic", &fat));
        assert!(means("restriction", &["rc_buffer"]) && !means("all", &["rc_buffer"]));
    }

    #[test]
    fn the_last_entry_counts() {
        let table = |list: &[(&str, &str)]| {
            let own = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
            let list: Vec<_> = list.iter().map(own).collect();
            allows(&list, &["large_enum_variant"])
        };
        assert!(table(&[("all", "warn"), ("large_enum_variant", "allow")]));
        assert!(!table(&[("perf", "allow"), ("large_enum_variant", "deny")]));
        assert!(!table(&[("vec_box", "allow")]) && !table(&[]));
    }
}
