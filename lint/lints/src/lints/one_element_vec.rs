//! A `Vec` that mostly held one value, counted in a run.
//!
//! # Why
//! A `Vec` of one value is 24 bytes and a block, mostly with room for four. A `SmallVec` holds it in
//! the value itself.
//!
//! # What it finds
//! With `--census FILE`, a census of a run (`cargo weigh census --output FILE`):
//! - Fields that are a `Vec` which held one value in half or more of that run's values, where one
//!   more in the value costs less than the blocks that are saved.
//!
//! # What it leaves out
//! - Everything, without a census.
//! - Elements of more than 64 bytes, which are better not moved with what holds them.
//!
//! # Limits
//! A census shows one moment of one run: more elements allocate as before.
//!
//! # Example
//! ```
//! struct Path {
//!     segments: Vec<u64>,
//! }
//! ```
//! With `segments: smallvec::SmallVec<[u64; 1]>` (feature `union`) a path of one segment is 24 bytes
//! and no block, as before 24 bytes and a block of 48.

use crate::config::Level;
use crate::finding::amount::{number, percent};
use crate::finding::{BlockChange, Confidence, Finding};
use crate::lint::{
    Answer, Check, Claim, Concern, Context, Group, LEAST_COUNTED, Lint, header, own_count,
};
use crate::model::TypeInfo;
use crate::model::parts::{Part, with_field};
use crate::usage::vectors::items_of;

/// The lint.
pub static LINT: Lint = Lint {
    name: "one_element_vec",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("one_element_vec.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Blocks,
    claim: Claim::Rival(4),
    check: Check::Counted(check),
};

fn check(cx: &Context, info: &TypeInfo) -> Vec<Answer> {
    cx.of_counted(info, |part, fields| {
        let count = own_count(fields)?;
        let one = count.one * 2 >= count.containers && count.containers >= LEAST_COUNTED;
        if !one || count.kind != "Vec" {
            return None;
        }
        finding(cx, info, part, (count.one, count.containers))
    })
}

fn finding(cx: &Context, info: &TypeInfo, part: &Part, (one, all): (u64, u64)) -> Option<Finding> {
    let model = cx.model;
    let item = items_of(model.db, part.ty)?;
    let change = with_field(part.id, model.small_vec_of_one(item)?);
    let title = "make it a `smallvec::SmallVec<[_; 1]>` (feature `union`)";
    let message = format!(
        "`{}` held one value in {} of {} `Vec`s",
        part.shown(),
        percent(one, all),
        number(all)
    );
    let said = (message, "a block for one value".to_owned());
    let heap = BlockChange::Inlined(part.path(), 1, 0);
    Some(Finding {
        trade_off: Some("every access checks whether the items are inline".to_owned()),
        confidence: Confidence::Proved,
        ..cx.on_part((info, part), said, cx.remedy(info, &change, title)?, heap)
    })
}
