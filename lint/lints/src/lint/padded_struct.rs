//! More than a third of a struct is padding.
//!
//! # Why
//! Every value takes the memory of its padding.
//!
//! # What it finds
//! - Structs of which more than a third is padding.
//!
//! # Example
//! ```
//! struct Sample {
//!     value: u64,
//!     is_valid: bool,
//! }
//! ```
//! is 16 bytes, of which 7 are padding.

use crate::config::Level;
use crate::finding::{Finding, Label};
use crate::ir::AdtKind;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::TypeInfo;

/// The lint.
pub static LINT: Lint = Lint {
    name: "padded_struct",
    group: Group::Nursery,
    level: Level::Allow,
    header: header!("padded_struct.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Bytes,
    claim: Claim::None,
    check: Check::Type(|cx, info| found(check(cx, info), "less than a third of it is padding")),
};

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    if info.kind != AdtKind::Struct {
        return None;
    }
    // A type of unknown size has no findings.
    let view = cx.model.view(info.ty).ok()?;
    let fields = view.variants.iter().flat_map(|variant| &variant.fields);
    let padding = view.size - fields.map(|field| field.size).sum::<u64>();
    if padding * 3 <= view.size {
        return None;
    }
    let message = format!("{padding} of {} bytes are padding", view.size);
    let finding = Finding::new(message, Label::new(info.span, "padded"));
    Some(Finding {
        size_before: Some(view.size),
        ..finding
    })
}
