//! Every lint, by name.

mod over_budget;
mod oversized_variant;

use crate::lint::Lint;

/// All lints, sorted by name.
pub static LINTS: &[&Lint] = &[&over_budget::LINT, &oversized_variant::LINT];

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
