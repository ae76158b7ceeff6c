//! All integration tests in one program: it is linked once and keeps all processors busy until the
//! last test. `cargo test -p weigh-tests NAME::` runs one file.

mod action;
mod assumed;
mod blocks;
mod bounds;
mod budgets;
mod builds;
mod census;
mod config;
mod dependencies;
mod determinism;
mod diff;
mod differential;
mod door;
mod editor;
mod edits;
mod endless;
mod expanded;
mod extremes;
mod faults;
mod fix;
mod formats;
mod frozen;
mod futures;
mod habits;
mod hostile;
mod hprof;
mod kept;
mod layout;
mod library;
mod lints;
mod messages;
mod oracle;
mod page;
mod pairs;
mod readme;
mod releases;
mod remedies;
mod several;
mod showcase;
mod sizes;
mod stories;
mod strings;
mod targets;
mod untrusted;
mod visible;
mod worth;

/// A file that is not declared above would never run.
#[test]
fn every_file_is_a_part() {
    let folder = weigh_tests::repository().join("tests/tests");
    let files = std::fs::read_dir(&folder).expect("a folder that can be read");
    let paths = files.map(|file| file.expect("an entry of a folder").path());
    let mut expected: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "main")
        .collect();
    expected.sort();
    let named = include_str!("main.rs").lines();
    let named = named.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(named.collect::<Vec<_>>(), expected);
}
