//! Strings of a field most of which repeat an earlier one, counted in a run.
//!
//! # Why
//! Names of fields, tags, paths and hosts come again and again. Each `String` is 24 bytes and a
//! block of its own; equal ones could share one.
//!
//! # What it finds
//! With `--census FILE`, a census of a run (`cargo weigh census --output FILE`):
//! - Fields with strings, or with containers of strings, of which half or more were equal to
//!   another one of that field in that run.
//!
//! # What it leaves out
//! - Everything, without a census.
//! - Empty strings, which have no block.
//! - Strings that are shared already (`Rc<str>`, `Arc<str>`).
//! - Fields whose type is a type parameter: the text is declared elsewhere.
//!
//! # Limits
//! Finding the equal one costs a hash table while strings are created. A census shows one moment of
//! one run.
//!
//! # Example
//! ```
//! struct Pair {
//!     key: String,
//!     value: u64,
//! }
//! ```
//! A thousand pairs with ten different keys need ten blocks, not a thousand, with `key: Rc<str>`
//! and a set of those that are known.

use crate::census::count::{FieldCount, TextCount};
use crate::config::Level;
use crate::finding::amount::{bytes, number, percent};
use crate::finding::{BlockChange, Confidence, Finding, Remedy};
use crate::layout::WhatIf;
use crate::lint::words::of_type;
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, header};
use crate::model::TypeInfo;
use crate::model::parts::{Part, with_field};
use crate::resolve::ty::TyKind;
use std::collections::BTreeMap;

/// The lint.
pub static LINT: Lint = Lint {
    name: "repeated_text",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("repeated_text.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Blocks,
    claim: Claim::Rival(7),
    check: Check::Counted(check),
};

/// Containers whose slots are their capacity.
const BUFFERS: &[&str] = &["Vec", "VecDeque", "Box<[T]>"];

fn check(cx: &Context, info: &TypeInfo) -> Vec<Answer> {
    cx.of_counted(info, |part, fields| {
        // The text is declared where the parameter is given, not here.
        if matches!(cx.model.db.types.kind(part.ty), TyKind::Param(..)) {
            return None;
        }
        let slots: BTreeMap<&str, u64> = fields
            .iter()
            .filter(|(_, count)| BUFFERS.contains(&&*count.kind))
            .map(|(name, count)| (*name, count.value_size))
            .collect();
        let repeated = fields.into_iter().filter_map(|(name, count)| {
            let texts = count.texts.clone()?;
            let filled = texts.repeated + texts.distinct;
            let is = ["String", "Box<str>"].contains(&&*count.kind);
            (is && texts.repeated > 0 && texts.repeated * 2 >= filled)
                .then_some((name, count, texts))
        });
        let most = repeated.max_by_key(|(.., texts)| texts.repeated_bytes);
        let (name, count, texts) = most?;
        let mut finding = finding(cx, info, part, name, (&count, &texts));
        // Where the texts are the values of a buffer, its slots become smaller too.
        let model = cx.model;
        let [from, to] = ["crate::string::String", "crate::rc::Rc<str>"]
            .map(|path| model.std_type(path).and_then(|ty| model.size(ty)));
        if let Some(outer) = name.strip_suffix("[]")
            && count.kind == "String"
            && let (Some(from), Some(to)) = (from, to)
            && slots.get(outer) == Some(&from)
            && let Some(heap) = &mut finding.remedies[0].heap
        {
            heap.push(BlockChange::Resized(outer.to_owned(), from, to));
        }
        Some(finding)
    })
}

fn finding(
    cx: &Context,
    info: &TypeInfo,
    part: &Part,
    name: &str,
    (count, texts): (&FieldCount, &TextCount),
) -> Finding {
    let shown = &part.shown();
    let filled = texts.repeated + texts.distinct;
    let of = if name.contains("[]") { "in" } else { "of" };
    let title = format!(
        "share equal strings {of} `{shown}`: an `Rc<str>` or `Arc<str>` from a set of known ones"
    );
    let remedy = shared(cx, info, part).and_then(|change| cx.remedy(info, &change, &*title));
    let message = format!(
        "{} of the {} strings {of} `{shown}` repeat an earlier one",
        percent(texts.repeated, filled),
        number(filled)
    );
    let (distinct, blocks) = (number(texts.distinct), bytes(count.blocks.bytes));
    let label = format!("{distinct} different, in {blocks} of blocks");
    let remedy = remedy.unwrap_or_else(|| Remedy::new(title));
    let heap = BlockChange::Shared(name.to_owned());
    Finding {
        secondary: vec![of_type(info, None)],
        trade_off: Some("creating one looks it up in the set first".to_owned()),
        confidence: Confidence::Likely,
        ..cx.on_part((info, part), (message, label), remedy, heap)
    }
}

/// Returns the change of a field's strings to shared texts.
fn shared(cx: &Context, info: &TypeInfo, part: &Part) -> Option<WhatIf> {
    let model = cx.model;
    let text = model.std_type("crate::string::String")?;
    let rc = model.std_type("crate::rc::Rc<str>")?;
    // Without the current size, no size after the change is reported.
    model.size(info.ty)?;
    Some(with_field(part.id, model.replaced(part.ty, text, rc)))
}
