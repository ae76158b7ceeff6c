//! A container or `Option` that held nothing in any value of a run.
//!
//! # Why
//! An empty `Vec` or `String` takes 24 bytes of each value, an empty `HashMap` 48, an `Option` what
//! it could hold. Where nothing is ever stored, or almost never, that is paid for nothing; a thin
//! pointer takes 8.
//!
//! # What it finds
//! With `--census FILE`, a census of a run (`cargo weigh census --output FILE`):
//! - Fields with containers that were empty in all values of that run, of which there were a
//!   hundred or more.
//! - `Option`s that were `None` in all values.
//!
//! Each is sized with a box in its place that is `None`.
//!
//! # What it leaves out
//! - Everything, without a census.
//! - What a box would not make smaller.
//!
//! # Limits
//! A census shows one moment of one run: another input may fill the field.
//!
//! # Example
//! ```
//! struct Link {
//!     url: Box<str>,
//!     title: String,
//! }
//! ```
//! With `title: Option<Box<String>>` a link without a title is 24 bytes instead of 40.

use crate::config::Level;
use crate::finding::amount::number;
use crate::finding::{BlockChange, Confidence, Finding};
use crate::lint::words::bytes;
use crate::lint::{
    Answer, Check, Claim, Concern, Context, Group, LEAST_COUNTED, Lint, header, own_count,
};
use crate::model::TypeInfo;
use crate::model::parts::{Part, with_field};
use crate::usage::types::std_first;

/// The lint.
pub static LINT: Lint = Lint {
    name: "always_empty",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("always_empty.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Blocks,
    claim: Claim::Rival(11),
    check: Check::Counted(check),
};

fn check(cx: &Context, info: &TypeInfo) -> Vec<Answer> {
    cx.of_counted(info, |part, fields| {
        let count = own_count(fields)?;
        let none = count.none.map(|(none, all)| (none, all, "`None`"));
        let empty = (count.containers > 0).then_some((count.empty, count.containers, "empty"));
        let mut never = [none, empty].into_iter().flatten();
        let (n, _, what) = never.find(|(n, all, _)| n == all && *all >= LEAST_COUNTED)?;
        finding(cx, info, part, n, what)
    })
}

fn finding(cx: &Context, info: &TypeInfo, part: &Part, n: u64, what: &str) -> Option<Finding> {
    let model = cx.model;
    let inside = std_first(model.db, part.ty, &["Option"]).unwrap_or(part.ty);
    let thin = model.std_type("crate::option::Option<crate::boxed::Box<()>>")?;
    let before = model.size(info.ty)?;
    let title = format!(
        "make `{}` `Option<Box<{}>>`",
        part.shown(),
        model.db.display(inside)
    );
    let remedy = cx.remedy(info, &with_field(part.id, thin), title)?;
    if remedy.size_after? >= before {
        return None;
    }
    let size = model.size(part.ty)?;
    let message = format!(
        "`{}` was {what} in all {} values of the run",
        part.shown(),
        number(n)
    );
    let label = format!("{} in every value", bytes(size));
    let heap = BlockChange::Frozen(part.path());
    let mut found = cx.on_part((info, part), (message, label), remedy, heap);
    let smaller = "without the field it is smaller still".to_owned();
    found.notes.insert(0, smaller);
    Some(Finding {
        trade_off: Some("a value with something in it then costs one more allocation".to_owned()),
        confidence: Confidence::Likely,
        ..found
    })
}
