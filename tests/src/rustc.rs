//! The oracle: what rustc says about the same types.

use crate::{cargo, run};
use std::path::Path;

/// One type as rustc made it.
#[derive(Debug)]
pub struct Truth {
    /// Its path in the crate.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
    /// What the fixture expects of us: `known`, `built` (known once the package was built),
    /// `unknown`, or `absent`.
    pub expect: String,
}

/// Builds a fixture of `fixtures/oracle` into `target` and asks its `truth` program.
///
/// # Panics
/// It does not compile.
pub fn truth(folder: &Path, target: &Path) -> Vec<Truth> {
    let mut command = cargo();
    command
        .current_dir(folder)
        .args(["run", "--quiet", "--bin", "truth", "--target-dir"]);
    let said = run(command.arg(target)).expect(0);
    let line = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let &[path, size, align, expect] = words.as_slice() else {
            panic!("not a line of the truth: {line}");
        };
        // A generic type is asked with arguments, and listed without them.
        let path = path.split('<').next().unwrap_or(path);
        Truth {
            path: path.replace(' ', ""),
            size: size.parse().expect("a size is a number"),
            align: align.parse().expect("an alignment is a number"),
            expect: expect.to_owned(),
        }
    };
    said.stdout.lines().map(line).collect()
}
