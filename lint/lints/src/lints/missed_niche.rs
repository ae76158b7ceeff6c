//! The `Option` of an integer pays a word where an unused value could mean `None`.
//!
//! # Why
//! `Option<u32>` is 8 bytes: the number, and a tag. Where the number is never zero, as with ids
//! counted from one, `Option<NonZero<u32>>` is 4: zero is the niche for `None`. The same holds for
//! a newtype around the number.
//!
//! # What it finds
//! - Integers in an `Option`, and structs around one integer, of which every value that the code
//!   writes is known not to be zero, or is an index or a length, which is never the maximum.
//! - Reported where a type that holds it shrinks by `shrinks-bytes` or more.
//!
//! # What it leaves out
//! - Public fields, which other crates may write.
//! - Numbers from outside (an argument, a parsed number): these may be zero.
//!
//! # Example
//! ```
//! struct Id(u32);
//!
//! struct Node {
//!     parent: Option<Id>,
//!     next: Option<Id>,
//!     value: u64,
//! }
//!
//! fn numbered(count: u32) -> Id {
//!     Id(count + 1)
//! }
//! ```
//! With `Id(NonZero<u32>)` each `Node` is 16 bytes, not 24.

use crate::config::{Level, Setting};
use crate::finding::{Confidence, Finding, Label, Multiplicity, Remedy, Ripple};
use crate::ir::{self, AdtKind, ItemKind, Vis};
use crate::lint::words::bytes;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::parts::with_field;
use crate::model::{TypeInfo, freezing};
use crate::resolve::ty::{Prim, Ty};
use crate::usage::body::FieldId;
use crate::usage::numbers::Never;
use crate::usage::types::std_first;
use heck::ToUpperCamelCase;

/// The lint.
pub static LINT: Lint = Lint {
    name: "missed_niche",
    group: Group::Nursery,
    level: Level::Allow,
    header: header!("missed_niche.rs"),
    settings: &[SHRINKS_BYTES],
    clippy: &[],
    concern: Concern::Bytes,
    claim: Claim::None,
    check: Check::Type(|cx, info| found(check(cx, info), NONE)),
};

/// Why there is no finding for a type.
const NONE: &str = "no `Option` in it pays for a tag that a value which never occurs could hide";

/// The minimum saving of a holder.
const SHRINKS_BYTES: Setting = Setting {
    key: "shrinks-bytes",
    default: 8,
    doc: "least number of bytes that a type which holds it must lose",
};

fn check(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let ItemKind::Adt(adt) = &cx.model.db.item(info.item).item.kind else {
        return Vec::new();
    };
    if adt.kind != AdtKind::Struct || cx.model.is_repr_c(info) || cx.is_api_protected(info) {
        return Vec::new();
    }
    let Ok(view) = cx.model.view(info.ty) else {
        return Vec::new();
    };
    let fields = view.variants.first().into_iter().flat_map(|v| &v.fields);
    fields
        .filter_map(|f| {
            let source = &adt.variants[0].fields[f.index];
            let alone = adt.variants[0].fields.len() == 1;
            field(cx, info, source, f.index, f.ty, alone)
        })
        .collect()
}

fn field(
    cx: &Context,
    info: &TypeInfo,
    source: &ir::Field,
    index: usize,
    ty: Ty,
    alone: bool,
) -> Option<Finding> {
    let model = cx.model;
    let (number, optional) = number(cx, ty)?;
    // Next to other fields, a niche that no `Option` uses saves nothing.
    if !optional && !alone || source.vis == Vis::Public && model.exports(info, None) {
        return None;
    }
    let id = FieldId::new(info.item, 0, index);
    let found = [Never::Zero, Never::Max].into_iter();
    let mut found = found.filter_map(|what| Some((what, cx.numbers().never(id, what)?)));
    let (what, shown) = found.next()?;
    let nonzero = model.nonzero(info.krate, number);
    let root = match model.has_std(info.krate) {
        true => "std",
        false => "core",
    };
    let wanted = match optional {
        true => format!("Option<{root}::num::{nonzero}>"),
        false => format!("{root}::num::{nonzero}"),
    };
    let change = with_field(id, model.parse_type(&wanted, info.krate).ok()?);
    let before = model.size(info.ty)?;
    // Both leave one value for `None`, and have the same size.
    let title = match what {
        Never::Zero => format!("make it `{nonzero}`"),
        Never::Max => format!(
            "make it `NonMax{}` (crate `nonmax`), or store it plus one as `{nonzero}`",
            number.name().to_upper_camel_case()
        ),
    };
    let remedy = cx.remedy(info, &change, title)?;
    let after = remedy.size_after?;
    let least = cx.config(info.krate).setting(LINT.name, &SHRINKS_BYTES);
    let enough = |r: &Ripple| r.before.saturating_sub(r.after) >= least;
    let counted = cx.population(info.item);
    if before.saturating_sub(after) < least && !remedy.ripple.iter().any(enough)
        || counted.multiplicity == Multiplicity::Singleton
    {
        return None;
    }
    let (written, is) = match what {
        Never::Zero => ("every value written to it is non-zero, as here", "zero"),
        Never::Max => (
            "every value written to it is an index or a length, as here",
            "its type's maximum",
        ),
    };
    let mut evidence = vec![model.evidence(shown, written)];
    evidence.extend(counted.plainest());
    let label = match before == after {
        true => "no niche here".to_owned(),
        false => format!("with a niche here: {before} → {}", bytes(after)),
    };
    let message = format!(
        "`{}` is never {is}, but `{}` leaves no niche for `None`",
        freezing::field_path(model, id),
        number.name()
    );
    Some(Finding {
        after: cx.drawing(&change, info.ty),
        field: Some(source.name.to_string()),
        size_before: Some(before),
        remedies: vec![Remedy {
            heap: Some(Vec::new()),
            ..remedy
        }],
        evidence,
        trade_off: Some(match what {
            Never::Zero => "every use has to call `get`".to_owned(),
            Never::Max => "every use has to convert it".to_owned(),
        }),
        multiplicity: counted.multiplicity,
        confidence: Confidence::Likely,
        ..Finding::new(message, Label::new(cx.written(info, source.ty_span), label))
    })
}

/// Returns the integer that a field is, or that its `Option` holds.
fn number(cx: &Context, ty: Ty) -> Option<(Prim, bool)> {
    let db = cx.model.db;
    let inside = std_first(db, ty, &["Option"]);
    let prim = db.as_prim(inside.unwrap_or(ty))?;
    prim.int(64).map(|_| (prim, inside.is_some()))
}
