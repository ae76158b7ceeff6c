//! The oracle: rustc's layouts of the same types.

use crate::{cargo, run};
use std::path::Path;

/// The layout of a type by rustc.
#[derive(Debug)]
pub struct Truth {
    /// Its path in the crate.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// The result that the fixture expects of the program: `known`, `built` (known once the package
    /// is built), `unknown`, `assumed` or `absent`.
    pub expect: String,
}

/// Builds a fixture of `fixtures/oracle` into `target` and runs its `truth` program.
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
        // A generic type is measured with arguments, and listed without them.
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
