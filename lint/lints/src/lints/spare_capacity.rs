//! Buffers of a field that are a fifth or more spare capacity, counted in a run.
//!
//! # Why
//! A `Vec` or `String` that grows by `push` doubles, and the first block of a `Vec` has room for
//! four values. What is not filled stays allocated as long as the buffer lives, and no reading of
//! the code tells how much that is.
//!
//! # What it finds
//! With `--census FILE`, a census of a run (`cargo weigh census --output FILE`):
//! - Fields with `Vec`, `String`, `VecDeque`, `SmallVec` or `ThinVec`, or with such in other
//!   containers, of whose bytes a fifth or more held nothing in that run.
//! - Fields with `BTreeMap` or `BTreeSet` of a few entries each, of whose bytes half or more held
//!   nothing: a node has room for eleven.
//!
//! # What it leaves out
//! - Everything, without a census.
//! - Hash tables, which need empty buckets.
//!
//! # Limits
//! A census shows one moment of one run. A buffer that still grows may need its room.
//!
//! # Example
//! ```
//! struct Block {
//!     stmts: Vec<u64>,
//! }
//!
//! fn parse(numbers: &[u64]) -> Block {
//!     let mut stmts = Vec::new();
//!     for n in numbers {
//!         stmts.push(*n);
//!     }
//!     Block { stmts }
//! }
//! ```
//! has room for four where one is stored. `stmts.shrink_to_fit()` before it is stored,
//! `Vec::with_capacity(numbers.len())`, or a field of type `Box<[u64]>` releases it.

use crate::census::count::FieldCount;
use crate::config::Level;
use crate::finding::amount::{bytes, number, percent};
use crate::finding::{BlockChange, Finding, Label, Remedy};
use crate::lint::words::of_type;
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, header};
use crate::model::TypeInfo;
use crate::model::parts::Part;
use crate::usage::types::std_first;
use crate::usage::vectors::items_of;

/// The lint.
pub static LINT: Lint = Lint {
    name: "spare_capacity",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("spare_capacity.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Blocks,
    claim: Claim::Rival(10),
    check: Check::Counted(check),
};

/// One unused byte in this many suffices.
const PART: u64 = 5;

/// Entries of a tree, on average, that a sorted list holds as well.
const FEW: u64 = 32;

/// Types that can be shrunk.
const BUFFERS: &[&str] = &["SmallVec", "String", "ThinVec", "Vec", "VecDeque"];

/// Whether containers of a kind have room that they can do without.
pub fn can_shrink(kind: &str) -> bool {
    kind == "BTreeMap" || BUFFERS.contains(&kind)
}

fn check(cx: &Context, info: &TypeInfo) -> Vec<Answer> {
    cx.of_counted(info, |part, fields| {
        let spare = fields.into_iter().filter(|(_, count)| {
            let is_spare = |part| count.slack_bytes * part >= count.bytes.max(1);
            match &*count.kind {
                "BTreeMap" => is_spare(2) && count.len <= FEW * count.filled(),
                kind => BUFFERS.contains(&kind) && is_spare(PART),
            }
        });
        // Of nested containers, the one with the most slack.
        let (name, count) = spare.max_by_key(|(_, count)| count.slack_bytes)?;
        finding(cx, info, part, name, &count)
    })
}

fn finding(
    cx: &Context,
    info: &TypeInfo,
    part: &Part,
    name: &str,
    count: &FieldCount,
) -> Option<Finding> {
    let shown = &part.shown();
    let nested = name.contains("[]");
    let Way {
        kind,
        title,
        heap,
        trade_off,
    } = match &*count.kind {
        "BTreeMap" => sorted(cx, part, name)?,
        kind => shrunk(cx, part, name, kind),
    };
    let subject = match nested {
        true => format!("the buffers in `{shown}` are"),
        false => format!("`{shown}` is"),
    };
    let (spare, all) = (count.slack_bytes, count.bytes);
    let each = match count.filled() {
        0 => String::new(),
        n => format!(
            ", on average {:.1} of {:.1} {} used",
            count.len as f64 / n as f64,
            count.capacity as f64 / n as f64,
            if count.kind == "String" {
                "bytes"
            } else {
                "slots"
            },
        ),
    };
    let note = || format!("`{shown}` is public: another type would be a breaking change");
    Some(Finding {
        secondary: vec![of_type(info, None)],
        field: Some(part.path()),
        remedies: vec![Remedy {
            heap: Some(vec![heap]),
            ..Remedy::new(title)
        }],
        trade_off: Some(trade_off.to_owned()),
        notes: Vec::from_iter((part.exported() && !nested).then(note)),
        ..Finding::new(
            format!(
                "{subject} {} spare capacity: {} {}{each}",
                percent(spare, all),
                number(count.containers),
                kinds(kind, count.containers)
            ),
            Label::new(
                part.span,
                format!("{} of {} spare", bytes(spare), bytes(all)),
            ),
        )
    })
}

/// What can be done about spare capacity.
struct Way<'w> {
    /// What the containers are.
    kind: &'w str,
    title: String,
    heap: BlockChange,
    trade_off: &'static str,
}

/// Buffers without it.
fn shrunk<'w>(cx: &Context, part: &Part, name: &str, kind: &'w str) -> Way<'w> {
    let shown = &part.shown();
    let nested = name.contains("[]");
    let (on, it) = match nested {
        true => (format!("the buffers in `{shown}` where they are"), "them"),
        false => (format!("`{shown}` where it is"), "it"),
    };
    let call = format!("call `shrink_to_fit` on {on} complete");
    // A map of another crate may have a `Vec` inside, and a parameter may stand for one.
    let model = cx.model;
    let is_text = || model.std_type("crate::string::String") == Some(part.ty);
    let boxed = match kind {
        "String" if nested => ", or make them `Box<str>`",
        "String" if is_text() => ", or make it a `Box<str>`",
        "Vec" if nested => ", or make them boxed slices",
        "Vec" if items_of(model.db, part.ty).is_some() => ", or make it a boxed slice",
        _ => "",
    };
    Way {
        kind,
        title: match boxed {
            "" => format!("{call}, or create {it} by `with_capacity`"),
            _ => format!("{call}, create {it} by `with_capacity`{boxed}"),
        },
        heap: BlockChange::Frozen(name.to_owned()),
        trade_off: "shrinking may reallocate once",
    }
}

/// One list for each tree; none if the field is not declared as a tree.
fn sorted<'w>(cx: &Context, part: &Part, name: &str) -> Option<Way<'w>> {
    let shown = part.shown();
    let is = |kind: &&str| {
        let db = cx.model.db;
        let inside = std_first(db, part.ty, &["Option"]).unwrap_or(part.ty);
        std_first(db, inside, &[kind]).is_some()
    };
    let (kind, title) = match name.contains("[]") {
        true => (
            "BTreeMap",
            format!("make the trees in `{shown}` sorted lists (`Vec`)"),
        ),
        false => (
            ["BTreeMap", "BTreeSet"].into_iter().find(is)?,
            format!("make `{shown}` a sorted list (`Vec`)"),
        ),
    };
    Some(Way {
        kind,
        title,
        heap: BlockChange::Joined(name.to_owned()),
        trade_off: "an entry that is inserted later moves those behind it",
    })
}

/// Names containers of a kind in a sentence.
fn kinds(kind: &str, n: u64) -> String {
    match n {
        1 => format!("`{kind}`"),
        _ => format!("`{kind}`s"),
    }
}
