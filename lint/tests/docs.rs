//! Checks `LINTS.md` and the README's table against the lints' headers, and the example of
//! `CONTRIBUTING.md` against the file that is compiled. `BLESS=1` writes them. Makes the index page of
//! the lints from the same headers.

#![allow(clippy::disallowed_methods, reason = "it writes only what is its own")]

#[path = "docs/index.rs"]
mod index;

use cargo_weigh::config::LEAST_WORTH;
use cargo_weigh::lint::{Group, Lint};
use cargo_weigh::lints::LINTS;
use cargo_weigh::worth::score;
use std::fmt::Write;
use std::path::Path;

fn generated() -> String {
    let mut text = String::from(
        "# The lints\n\nMade from the headers of the files in `lints/src/lints/`; `cargo weigh explain LINT` prints one.\n\n| lint | group | level | finds |\n|---|---|---|---|\n",
    );
    for lint in LINTS {
        let (name, group, level) = (lint.name, lint.group.as_str(), lint.level.as_str());
        let summary = lint.summary();
        writeln!(
            text,
            "| [`{name}`](#{name}) | {group} | {level} | {summary} |"
        )
        .unwrap();
    }
    let (base, terms) = score::table();
    write!(
        text,
        "\n## How the worth is computed\n\nA finding has a worth of 0 to 100: how likely an author would act on it. From \
         {LEAST_WORTH} on it is a warning, unless `--least-worth` or `least-worth` in the manifest says otherwise; the best of \
         the others are listed below the warnings. It is one sum, `100 / (1 + exp(-sum))`, of {base} and these signals, each \
         times its weight. `cargo weigh why TYPE` shows what each gave. The weights are fitted to findings that readers judged \
         and to changes that authors made (`tests/judged` in the repository). With a census, what a remedy would have saved \
         decides. Lints of the group `nursery` have no data yet: they are off but for what a census confirms, and their worth is no more than a guess.\n\n\
         | signal | weight | what it is |\n|---|---|---|\n"
    )
    .unwrap();
    for (name, weight, doc) in terms {
        writeln!(text, "| `{name}` | {weight} | {doc} |").unwrap();
    }
    for lint in LINTS {
        // Headings of a lint are one level below its own.
        let docs = lint.docs().replace("\n# ", "\n### ");
        write!(text, "\n## {}\n\n{docs}\n", lint.name).unwrap();
    }
    text
}

#[test]
fn the_table_of_lints_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("LINTS.md");
    let text = generated();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == text,
        "lint/LINTS.md is out of date: run `BLESS=1 cargo test -p cargo-weigh --test docs`"
    );
}

/// Returns the rows of the README's table: lints on code, not on comments.
fn rows() -> String {
    let lints = LINTS.iter().filter(|l| l.group != Group::Comments);
    let row = |lint: &&Lint| {
        let (name, summary) = (lint.name, lint.summary());
        format!("| [`{name}`](lint/LINTS.md#{name}) | {summary} |\n")
    };
    lints.map(row).collect()
}

#[test]
fn the_table_of_the_readme_is_true() {
    const HEAD: &str = "| lint | finds |\n|---|---|\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let Ok(text) = std::fs::read_to_string(&path) else {
        // The published package has its README elsewhere.
        return;
    };
    let (before, rest) = text.split_once(HEAD).expect("a table of lints");
    let end = rest.find("\n\n").expect("an end of the table") + 1;
    let fresh = format!("{before}{HEAD}{}{}", rows(), &rest[end..]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == fresh,
        "README.md is out of date: run `BLESS=1 cargo test -p cargo-weigh --test docs`"
    );
}

/// The example is a module of the tests of `weigh-lints`, so that it compiles.
#[test]
fn the_example_of_a_lint_compiles() {
    const BEGIN: &str = "lints/padded_struct.rs`:\n\n```rust\n";
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = own.join("../CONTRIBUTING.md");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return;
    };
    let code = std::fs::read_to_string(own.join("lints/src/lint/padded_struct.rs")).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("an example");
    let end = rest.find("```\n\nRegister").expect("its end");
    let fresh = format!("{before}{BEGIN}{code}{}", &rest[end..]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert!(
        text == fresh,
        "CONTRIBUTING.md is out of date: run `BLESS=1 cargo test -p cargo-weigh --test docs`"
    );
}
