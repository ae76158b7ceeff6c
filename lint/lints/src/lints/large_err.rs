//! An error type makes the `Result`s of functions large.
//!
//! # Why
//! A `Result` has room for its error, whether it is `Ok` or not, and is moved at every `?`. Errors
//! are rare; the room for them is paid by every call that succeeds.
//!
//! # What it finds
//! - Error types of the workspace that functions return in a `Result`, of `error-size` bytes or
//!   more; where that is not set, of `large-error-threshold` in `clippy.toml`. One finding per
//!   error type, at the variant to blame, with the size of the error and of the `Result` that
//!   shrinks most after each remedy.
//! - It takes the place of `oversized_variant` for the types that it names.
//!
//! # What it leaves out
//! - Errors where no `Result` gets smaller, because its `Ok` is as large.
//! - Error types of other packages, and those whose size is not known.
//! - What is only handed back: `fn into_a(self) -> Result<A, Self>`.
//!
//! # Limits
//! A box costs an allocation for each error.
//!
//! # Example
//! ```
//! enum Error {
//!     Closed,
//!     Parse { line: String, expected: String, found: [u64; 16] },
//! }
//!
//! fn read() -> Result<u8, Error> {
//!     Err(Error::Closed)
//! }
//! ```
//! Each `Result` is 176 bytes. With the fields of `Parse` in a box it is 16.

use crate::config::{ERROR_SIZE, LARGE_ERR, Level, SAVED_BYTES, SAVED_PERCENT};
use crate::finding::{Evidence, Finding, Label, Multiplicity, Remedy, Ripple};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::lint::boxes::Boxes;
use crate::lint::words::{bytes, count, fields_of, may_be_exported, of_size, quoted};
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, Silence, header};
use crate::model::TypeInfo;
use crate::model::boxing::Boxing;
use crate::model::errors::LargeError;

/// The lint.
pub static LINT: Lint = Lint {
    name: LARGE_ERR,
    group: Group::Layout,
    level: Level::Warn,
    header: header!("large_err.rs"),
    settings: &[ERROR_SIZE, SAVED_BYTES, SAVED_PERCENT],
    clippy: &["result_large_err"],
    concern: Concern::Code,
    claim: Claim::None,
    check: Check::Type(|cx, info| vec![check(cx, info)]),
};

/// Explains why a type is not among the large errors.
fn why_not(cx: &Context, info: &TypeInfo, limit: u64) -> Silence {
    let errors = cx.large_errors();
    let inner = errors.outer.get(&info.item);
    if let Some(inner) = inner.and_then(|inner| cx.model.info(*inner)) {
        return Silence::about(format!(
            "it is large for the sake of `{}`, which is reported itself",
            cx.model.db.item(inner.item).item.name
        ));
    }
    Silence::about(match cx.model.size(info.ty) {
        _ if !cx.errors().contains(&info.item) => "no function returns it as an error",
        _ if errors.excused.contains(&info.item) => {
            "a suppression covers every function that returns it"
        }
        _ if !errors.returned.contains(&info.item) => {
            "functions return it only in a box, or in another error"
        }
        Some(size) if size < limit => {
            return Silence::about(format!("it is smaller than {}", bytes(limit)));
        }
        _ => "no box would make a `Result` with it smaller by enough",
    })
}

fn check(cx: &Context, info: &TypeInfo) -> Answer {
    let errors = cx.large_errors();
    let limit = cx.config(info.krate).setting(LINT.name, &ERROR_SIZE);
    let large = errors.of.get(&info.item);
    let large = large.ok_or_else(|| why_not(cx, info, limit))?;
    let boxes = Boxes::of(cx, info, &large.of);
    let boxes = boxes.ok_or_else(|| Silence::about("no author can edit it"))?;
    let db = cx.model.db;
    let name = db.item(info.item).item.name;
    let functions = &large.functions;
    let first = functions.first().map(|f| db.item(*f).item.name_span);
    let size = large.of.view.size;
    let (result, before, after) = large.result;
    let best = large.of.boxings.first();
    let widest = best.map(|b| boxes.widest(b)).unwrap_or_default();
    let is_enum = info.kind == AdtKind::Enum;
    let here = of_size(info, size);
    let (primary, mut secondary, field) = match widest.first() {
        Some(variant) if is_enum => {
            let primary = boxes.label(variant);
            let secondary = (primary.span != here.span).then_some(here);
            let field = Some(variant.name.to_string());
            (primary, Vec::from_iter(secondary), field)
        }
        _ => (here, Vec::new(), None),
    };
    let blamed = match is_enum {
        true => quoted(widest.iter().map(|v| v.name)),
        false => Vec::new(),
    };
    let because = match &blamed[..] {
        [] => String::new(),
        [one] => format!("{one} makes "),
        [a, b] => format!("{a} and {b} make "),
        more => format!("{} variants make ", more.len()),
    };
    let takes = if blamed.is_empty() { "takes" } else { "take" };
    let message = format!(
        "{because}every `Result<_, {name}>` {takes} at least {}",
        bytes(size)
    );
    let (label, remedy) = inside(cx, info, large).unzip();
    secondary.extend(label);
    let exported = cx.model.exports(info, None);
    Ok(Finding {
        secondary,
        field,
        size_before: Some(size),
        parts: is_enum.then(|| boxes.parts()),
        remedies: remedies(cx, info, large, &boxes, remedy),
        evidence: vec![Evidence {
            span: first.map(|span| db.sources.origin(span).0),
            text: format!(
                "returned by {}; `{}`: {before} → {after} bytes with the first remedy",
                count(functions.len(), "function"),
                db.display(result),
            ),
        }],
        trade_off: Some("each error then costs an allocation".to_owned()),
        notes: Vec::from_iter(exported.then(|| may_be_exported(name))),
        multiplicity: Multiplicity::Transient,
        slot: Some((before, after)),
        ..Finding::new(message, primary)
    })
}

fn remedies(
    cx: &Context,
    info: &TypeInfo,
    large: &LargeError,
    boxes: &Boxes,
    inside: Option<Remedy>,
) -> Vec<Remedy> {
    let model = cx.model;
    let name = model.db.item(info.item).item.name;
    let of = &large.of;
    let boxed = |boxing: &Boxing| {
        let fields = &boxing.boxes.first()?.fields;
        let body = of.view.variants.first()?;
        let change = model.boxed_definition(info, &of.view, &boxing.boxes, &WhatIf::default());
        let title = match fields.len() {
            1 => format!("box {}", fields_of(body, fields)),
            _ => format!("put {} in one box", fields_of(body, fields)),
        };
        Some(Remedy {
            size_after: Some(boxing.size),
            ripple: cx.ripple(info, &change),
            ..Remedy::new(title)
        })
    };
    let mut list = match info.kind {
        AdtKind::Enum => boxes.remedies(of),
        _ => of.boxings.iter().filter_map(boxed).collect(),
    };
    list.extend(inside);
    // Boxing the whole error is always possible; the definition stays unchanged.
    let (result, before, _) = large.result;
    let after = model.size(model.with_boxed_error(result));
    list.extend(after.filter(|after| *after < before).map(|after| Remedy {
        size_after: model.size(model.boxed(of.ty)),
        ripple: vec![Ripple {
            path: model.db.display(result),
            before,
            after,
        }],
        ..Remedy::new(format!("return `Box<{name}>`"))
    }));
    list
}

/// Returns, for an error struct, the wide variant of an enum inside, and the remedy to box it. It
/// comes first, unless the author of that enum allows its size.
fn inside(cx: &Context, info: &TypeInfo, large: &LargeError) -> Option<(Label, Remedy)> {
    let model = cx.model;
    if info.kind != AdtKind::Struct {
        return None;
    }
    let mut held = cx.holders().inside(info.item).iter();
    held.find_map(|&i| {
        let inner = &model.types()[i];
        let of = cx.oversized().get(&inner.item)?;
        let after = model.size_if(large.of.ty, &of.change(model, inner)?)?;
        let boxes = Boxes::of(cx, inner, of)?;
        let variant = *boxes.widest(of.boxings.first()?).first()?;
        let title = boxes.remedies(of).into_iter().next()?.title;
        let name = model.db.item(inner.item).item.name;
        let remedy = Remedy {
            size_after: Some(after),
            ..Remedy::new(format!("in `{name}`, {title}"))
        };
        (after * 2 <= large.of.view.size).then(|| (boxes.label(variant), remedy))
    })
}
