//! The definition of a lint: a name, a group, a level, its documentation, and a query on the model.

pub mod boxes;
mod context;
pub mod frequency;
pub mod futures;
pub mod header;
// The example of CONTRIBUTING.md, which a test compares.
#[cfg(test)]
mod padded_struct;
pub mod wide;
pub mod words;

pub use context::Context;
pub(crate) use header::header;

use crate::census::count::FieldCount;
use crate::config::{Level, Setting};
use crate::coroutines::Coroutine;
use crate::finding::Finding;
use crate::infer::body::Typed;
use crate::model::TypeInfo;
use crate::resolve::CrateIx;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A lint.
pub struct Lint {
    /// Its name: the fault, in snake case, so that it reads well after "allow".
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// The level of its findings unless the user sets another.
    pub level: Level,
    /// The comment at the head of its file: its documentation.
    pub header: &'static str,
    /// Its numeric settings.
    pub settings: &'static [Setting],
    /// Equivalent lints of Clippy: where one is allowed, so is this.
    pub clippy: &'static [&'static str],
    /// What its findings are about: which evidence one needs.
    pub concern: Concern,
    /// Whether other lints leave to it the fields and variables that its findings are about.
    pub claim: Claim,
    /// The query.
    pub check: Check,
}

/// Fewer values, containers or texts of a run are no evidence.
pub const LEAST_COUNTED: u64 = 100;

/// Census counts, by field name.
pub type Counts<'m> = BTreeMap<&'m str, FieldCount>;

/// Returns the counts of a field itself, without those of containers inside its containers.
pub fn own_count(counts: Counts) -> Option<FieldCount> {
    let mut own = counts.into_iter().filter(|(name, _)| !name.contains("[]"));
    own.next().map(|(_, count)| count)
}

/// The result of a lint for a type: a finding, or why there is none.
pub type Answer = Result<Finding, Silence>;

/// Why a lint has no finding: lower case, no full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence(pub Cow<'static, str>);

impl Silence {
    /// Makes the result without a finding.
    pub fn about(why: impl Into<Cow<'static, str>>) -> Silence {
        Silence(why.into())
    }
}

impl Lint {
    /// Returns its documentation in Markdown.
    pub fn docs(&self) -> String {
        let header = self.header.lines().filter_map(|l| l.strip_prefix("//!"));
        let lines = header.map(|l| l.strip_prefix(' ').unwrap_or(l));
        let mut docs = lines.collect::<Vec<_>>().join("\n");
        if !self.settings.is_empty() {
            docs.push_str(&format!(
                "\n\n# Configuration\nKeys of `[package.metadata.weigh.{}]`:\n\n| key | default | meaning |\n|---|---|---|",
                self.name
            ));
        }
        for Setting { key, default, doc } in self.settings {
            docs.push_str(&format!("\n| `{key}` | {default} | {doc} |"));
        }
        docs
    }

    /// Returns the first sentence of its documentation, without a full stop.
    pub fn summary(&self) -> String {
        let docs = self.docs();
        let paragraph = docs.split("\n\n").next().unwrap_or_default();
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        line.trim_end_matches('.').to_owned()
    }

    /// Returns the URL of its documentation.
    pub fn url(&self) -> String {
        format!(
            "{}/blob/main/lint/LINTS.md#{}",
            env!("CARGO_PKG_REPOSITORY"),
            self.name
        )
    }
}

/// Whether other lints leave to one the fields and variables that its findings are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// They do not: its remedies combine with those of others.
    None,
    /// It proposes boxes: those that run last leave their types to it.
    Boxes,
    /// Of several that change the type of the same field or variable, the one with the lowest
    /// number, which saves most, is reported.
    Rival(u8),
}

impl Claim {
    /// Returns the number of a rival.
    pub fn rival(self) -> Option<u8> {
        match self {
            Claim::Rival(number) => Some(number),
            Claim::None | Claim::Boxes => None,
        }
    }
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Bytes of each value of a type.
    Bytes,
    /// Bytes of a struct, as a whole or for what it rarely holds.
    Structs,
    /// A heap block for each value of a type.
    Blocks,
    /// The same, by what fields are seen to hold.
    Contents,
    /// What functions and loops do.
    Code,
    /// A limit or comment written by an author.
    Asked,
}

/// Lints that are enabled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Type layout.
    Layout,
    /// Heap allocations.
    Heap,
    /// Size limits set by authors.
    Budget,
    /// True, but rarely worth a change.
    Pedantic,
    /// True, but no data tells yet how often an author acts on it.
    Nursery,
    /// Comments that address this tool.
    Comments,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 6] = [
        Group::Layout,
        Group::Heap,
        Group::Budget,
        Group::Pedantic,
        Group::Nursery,
        Group::Comments,
    ];

    /// Returns the name used in flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Layout => "layout",
            Group::Heap => "heap",
            Group::Budget => "budget",
            Group::Pedantic => "pedantic",
            Group::Nursery => "nursery",
            Group::Comments => "comments",
        }
    }
}

/// The findings of a lint about a future.
pub type OfFuture = fn(&Context, CrateIx, &Coroutine) -> Vec<Finding>;

/// What a lint examines.
pub enum Check {
    /// Each struct, enum and union written by an author.
    Type(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// The same, after it is known which fields the other lints report: [`Context::is_claimed`].
    Last(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// The same, for fields that a census counted: the measured saving decides whether they are
    /// reported.
    Counted(fn(&Context, &TypeInfo) -> Vec<Answer>),
    /// Each function, constant and static.
    Body(fn(&Context, &Typed) -> Vec<Finding>),
    /// Types and functions.
    Both(
        fn(&Context, &TypeInfo) -> Vec<Answer>,
        fn(&Context, &Typed) -> Vec<Finding>,
    ),
    /// Each future, after `cargo weigh futures` has found them.
    Future(OfFuture),
    /// Types and futures.
    Sized(fn(&Context, &TypeInfo) -> Vec<Answer>, OfFuture),
    /// Nothing: its findings are about comments that suppress others.
    Comments,
}

impl Check {
    /// Returns its check of types.
    pub fn of_types(&self) -> Option<fn(&Context, &TypeInfo) -> Vec<Answer>> {
        match self {
            Check::Type(check)
            | Check::Last(check)
            | Check::Counted(check)
            | Check::Both(check, _)
            | Check::Sized(check, _) => Some(*check),
            Check::Body(_) | Check::Future(_) | Check::Comments => None,
        }
    }

    /// Returns its check of functions.
    pub fn of_bodies(&self) -> Option<fn(&Context, &Typed) -> Vec<Finding>> {
        match self {
            Check::Body(check) | Check::Both(_, check) => Some(*check),
            _ => None,
        }
    }

    /// Returns its check of futures.
    pub fn of_futures(&self) -> Option<OfFuture> {
        match self {
            Check::Future(check) | Check::Sized(_, check) => Some(*check),
            _ => None,
        }
    }
}

/// Returns the findings of a lint for a type; without one, why there is none.
pub fn found(
    findings: impl IntoIterator<Item = Finding>,
    none: impl Into<Cow<'static, str>>,
) -> Vec<Answer> {
    let answers: Vec<Answer> = findings.into_iter().map(Ok).collect();
    match answers.is_empty() {
        // Room for one: the first `push` makes room for four, and an answer is large.
        true => vec![Err(Silence::about(none))],
        false => answers,
    }
}

#[test]
fn the_example_is_a_lint() {
    let summary = padded_struct::LINT.summary();
    assert_eq!(summary, "More than a third of a struct is padding");
}
