//! One or a few variants make every value of an enum larger than the others need.
//!
//! # Why
//! A value of an enum has room for its widest variant, whichever it holds. Where a wide variant is
//! rare, that room is wasted in every collection, message and type that holds the enum by value,
//! and in each move. Types of more than 128 bytes are moved with `memcpy`.
//!
//! # What it finds
//! - Enums that get smaller if the widest variant, its widest fields, or some variants are boxed: as
//!   many as save most for each of them. Each remedy is calculated by rustc's own layout code.
//! - Further steps, and smaller changes that save less.
//! - The inner enum, where it makes an outer one large.
//! - Generic enums, by the instances that occur.
//!
//! # What it leaves out
//! - Variants whose box would cost more than it gives: a single pointer, what a constant builds,
//!   an array beside a `Vec` of the same (inline or heap).
//! - Where no box can be (`Copy`, `no_std` without `alloc`), where the layout is fixed
//!   (`repr(C)`), and enums whose size is not known.
//! - Errors that functions return: those are `large_err`'s.
//!
//! # Limits
//! A box costs an allocation for each value of the variant, and a jump to read it. How often each
//! variant occurs in a run cannot be read from the source: `cargo weigh census` counts.
//!
//! # Example
//! ```
//! enum Event {
//!     Tick,
//!     Key(u32),
//!     Frame([u8; 4096]),
//! }
//! ```
//! is 4100 bytes for every `Tick`. With `Frame(Box<[u8; 4096]>)` it is 16.

use crate::config::{Level, OVERSIZED_VARIANT, SAVED_BYTES, SAVED_PERCENT};
use crate::finding::{Evidence, Finding, Multiplicity, Reason};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::layout::view::{FieldView, VariantView};
use crate::lint::boxes::{Boxes, lost_at_once};
use crate::lint::frequency::{built, frequency, may_be_boxed, passed_on};
use crate::lint::words::{bytes, count, import, listed, may_be_exported, of_size, quoted};
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, Silence, header};
use crate::model::TypeInfo;
use crate::model::boxing::Oversized;
use crate::model::population::Counted;
use crate::name::Name;
use crate::resolve::ty::{Prim, TyKind};
use crate::usage::moves::{MEMCPY, Move};
use crate::usage::types::{adt_of, may_be};
use heck::{ToSnakeCase, ToUpperCamelCase};
use std::sync::Arc;

/// The lint.
pub static LINT: Lint = Lint {
    name: OVERSIZED_VARIANT,
    group: Group::Layout,
    level: Level::Warn,
    header: header!("oversized_variant.rs"),
    settings: &[SAVED_BYTES, SAVED_PERCENT],
    clippy: &["large_enum_variant"],
    concern: Concern::Bytes,
    claim: Claim::Boxes,
    check: Check::Type(|cx, info| vec![check(cx, info)]),
};

/// Why there is no finding for an enum whose wide variant can hold no box.
const NO_PLACE_FOR_A_BOX: &str =
    "a constant builds the variant, or it holds inline what another holds on the heap";

/// Maximum number of variants that are named instead of counted.
const MOST_NAMED: usize = 2;

fn check(cx: &Context, info: &TypeInfo) -> Answer {
    if info.kind != AdtKind::Enum {
        return Err(Silence::about("it is no enum"));
    }
    let counted = cx.population(info.item);
    let oversized = cx.oversized().get(&info.item);
    let oversized = oversized.ok_or_else(|| no_box(cx, info))?;
    let counted = match info.generics.is_empty() {
        true => counted,
        false => Arc::new(counted.of_instance(cx.model, oversized.ty)),
    };
    may_be_reported(cx, info, oversized)?;
    let (Some(best), Some(boxes)) = (oversized.boxings.first(), Boxes::of(cx, info, oversized))
    else {
        return Err(Silence::about("no author can edit it"));
    };
    let widest = boxes.widest(best);
    if !widest.iter().all(|v| may_be_boxed(cx, info, v)) {
        return Err(Silence::about(NO_PLACE_FOR_A_BOX));
    }
    let size = oversized.view.size;
    let primary = boxes.label(widest[0]);
    let others = widest.iter().skip(1).map(|v| boxes.label(v));
    let whole = (primary.span != info.span).then(|| of_size(info, size));
    let (evidence, is_common) = evidence(cx, info, oversized, &counted, &widest);
    let against = Reason::holding([
        (is_error(cx, info, &counted), Reason::Error),
        (is_held(cx, info, oversized), Reason::Held),
        (counted.channel, Reason::Brief),
        (is_common, Reason::Common),
        (is_of_debugging(cx, info, &widest), Reason::Debugging),
        (is_made_unread(cx, info, &widest), Reason::Unseen),
    ]);
    let drawing = |change| cx.drawing(&change, oversized.ty);
    Ok(Finding {
        after: oversized.change(cx.model, info).and_then(drawing),
        secondary: others.chain(whole).collect(),
        field: Some(widest[0].name.to_string()),
        size_before: Some(size),
        parts: Some(boxes.parts()),
        remedies: boxes.remedies(oversized),
        evidence,
        trade_off: Some(trade_off(&widest)),
        notes: notes(cx, info, best.size, &widest),
        multiplicity: counted.multiplicity,
        slot: slot(cx, info, oversized, &counted),
        built: Some(built(cx, info, oversized.ty, &widest)),
        against,
        ..Finding::new(message(cx, info, oversized, &widest), primary)
    })
}

/// Returns true if no code constructs one of these variants but, maybe, macro calls that are not
/// read.
fn is_made_unread(cx: &Context, info: &TypeInfo, widest: &[&VariantView]) -> bool {
    let db = cx.model.db;
    let uses = |v: &VariantView| cx.variants().of(info.item, v.index as u32);
    let is_unread = |name| cx.usage().events.is_in_macro(db, info.krate, name);
    let mut unmade = widest
        .iter()
        .filter(|v| uses(v).is_none_or(|u| u.made() == 0));
    unmade.any(|v| is_unread(v.name)) && is_unread(db.item(info.item).item.name)
}

/// Returns true if the build has `debug_assertions`, and variants may be smaller without.
fn is_of_debugging(cx: &Context, info: &TypeInfo, widest: &[&VariantView]) -> bool {
    let db = cx.model.db;
    let here = db.krate(info.krate).id;
    let asked = Name::new("debug_assertions");
    let debugs = here.and_then(|id| db.project.cfg(id, asked, None)) == Some(true);
    let mut fields = widest.iter().flat_map(|v| &v.fields);
    debugs && fields.any(|field| cx.model.is_of_debugging(field.ty))
}

/// Describes what the boxes cost.
fn trade_off(widest: &[&VariantView]) -> String {
    match widest {
        [one] => format!("each `{}` then costs an allocation", one.name),
        _ => "each value of these variants then costs an allocation".to_owned(),
    }
}

/// Fails if the enum is not this lint's to report.
fn may_be_reported(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> Result<(), Silence> {
    if cx.large_errors().of.contains_key(&info.item) {
        return Err(Silence::about("`large_err` reports it"));
    }
    if cx.is_api_protected(info) {
        return Err(Silence::about("its manifest keeps the exported API"));
    }
    if is_in_own_blocks(cx, info, oversized) {
        return Err(Silence::about(
            "each value is in a block of its own, which malloc makes as large with a box in it",
        ));
    }
    if let Some(inner) = root_inside(cx, info, oversized) {
        return Err(Silence::about(format!(
            "it is large for the sake of `{inner}`, which is reported itself"
        )));
    }
    Ok(())
}

/// Returns true if all values are behind pointers of their own, to blocks that boxes in them leave as
/// large.
fn is_in_own_blocks(cx: &Context, info: &TypeInfo, of: &Oversized) -> bool {
    let model = cx.model;
    let sizes = of.boxings.first().map(|best| (of.view.size, best.size));
    let same = |pointer: &str, (before, after): (u64, u64)| {
        let block = |size| model.block(model.held(pointer, size, of.view.align));
        block(before) == block(after)
    };
    cx.pointers().is_always_behind(info.item)
        && sizes.is_some_and(|sizes| ["Box", "Rc"].iter().all(|pointer| same(pointer, sizes)))
}

/// Returns the evidence on an enum and its wide variants, and whether most places build one of these.
fn evidence(
    cx: &Context,
    info: &TypeInfo,
    of: &Oversized,
    counted: &Counted,
    widest: &[&VariantView],
) -> (Vec<Evidence>, bool) {
    let mut evidence = counted.evidence.clone();
    evidence.extend(lost_at_once(cx, info, of));
    let mut is_common = false;
    for variant in widest {
        let frequency = frequency(cx, info, of.ty, variant);
        is_common |= frequency.common;
        evidence.extend(frequency.evidence);
    }
    evidence.extend(passed_on(cx, info));
    evidence.extend(moved(cx, info, of));
    evidence.dedup_by(|a, b| a.text == b.text);
    (evidence, is_common)
}

/// Returns why no box makes an enum sufficiently smaller.
fn no_box(cx: &Context, info: &TypeInfo) -> Silence {
    let model = cx.model;
    match model.view(info.ty) {
        Err(why) => Silence::about(format!("its size is not known: {}", model.reason(&why))),
        Ok(_) if model.is_copy(info) => Silence::about("it is `Copy`, so it can hold no box"),
        Ok(_) if !model.has_heap(info.krate) => Silence::about("the crate has no `alloc`"),
        Ok(_) if model.is_repr_c(info) => Silence::about("`repr(C)` fixes its layout"),
        Ok(_) => Silence::about("no box saves enough, by the settings of this lint"),
    }
}

/// Describes what makes the enum large, and the size that would suffice.
fn message(cx: &Context, info: &TypeInfo, of: &Oversized, widest: &[&VariantView]) -> String {
    let names = quoted(widest.iter().map(|v| v.name));
    let after = of.boxings.first().map_or(0, |b| b.size);
    // Names the one that makes it large, if they differ: the others come after it.
    let (named, makes) = match widest {
        [one] => (format!("`{}`", one.name), "makes"),
        [..] if widest.len() > MOST_NAMED => (count(widest.len(), "variant"), "make"),
        [first, .., last] if first.size > last.size => (names.join(", then "), "make"),
        _ => (listed(&names), "make"),
    };
    let others = match of.view.variants.len() - widest.len() {
        1 => "the other variant fits".to_owned(),
        n => format!("the {n} other variants fit"),
    };
    format!(
        "{named} {makes} every `{}` {}; {others} in {after}",
        shown(cx, info, of),
        bytes(of.view.size),
    )
}

/// Returns the bytes of the stored element before and after, if there is one.
fn slot(cx: &Context, info: &TypeInfo, of: &Oversized, counted: &Counted) -> Option<(u64, u64)> {
    let own = (of.view.size, of.boxings.first()?.size);
    let change = of.change(cx.model, info)?;
    counted.slot(cx.model, &change, info.item, own)
}

/// Returns true for an error, or a part of one that nothing else holds.
fn is_error(cx: &Context, info: &TypeInfo, counted: &Counted) -> bool {
    let (populations, errors) = (cx.populations(), cx.errors());
    cx.model.is_error(info)
        || !counted.multiplicity.is_stored()
            && (cx.returned_errors().contains(&info.item)
                || errors.contains(&info.item) && populations.is_named_only_in(info.item, errors))
}

/// Returns true if an author's assertion holds the enum to the size that it has.
fn is_held(cx: &Context, info: &TypeInfo, of: &Oversized) -> bool {
    let budgets = cx.budgets(info);
    budgets
        .iter()
        .any(|b| b.ty == of.ty && b.max == of.view.size)
}

/// Returns the enum's name; of a generic one the instance that was measured.
fn shown(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> String {
    match info.generics.is_empty() {
        true => cx.model.db.item(info.item).item.name.to_string(),
        false => cx.model.db.display(oversized.ty),
    }
}

/// Returns true if a finding about an inner enum replaces one about the outer: it is reported, and
/// needs no more changes.
fn is_root(cx: &Context, inner: &TypeInfo, found: &Oversized, variants: usize) -> bool {
    if found.boxings.first().is_none_or(|b| b.variants > variants) {
        return false;
    }
    cx.large_errors().of.contains_key(&inner.item)
        || cx.population(inner.item).multiplicity != Multiplicity::Singleton
}

/// Returns the inner enum that alone makes this one large, if it is reported itself.
fn root_inside(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> Option<Name> {
    let types = cx.model.types();
    let variants = oversized.boxings.first().map_or(0, |b| b.variants);
    let inside = cx.holders().inside(info.item).iter().map(|&i| &types[i]);
    let allowed = |inner: &TypeInfo| cx.clippy_allows(inner.krate, LINT.clippy, inner.span);
    let inside = inside.filter(|inner| !allowed(inner));
    let inside = inside.filter_map(|inner| Some((inner, cx.oversized().get(&inner.item)?)));
    let mut inside: Vec<_> = inside
        .filter(|(inner, found)| is_root(cx, inner, found, variants))
        .collect();
    inside.sort_by_key(|(_, found)| found.view.size);
    let mut mended = WhatIf::default();
    let mut root = None;
    let purse = cx.model.budget();
    purse.begin(0);
    for (inner, found) in inside {
        // In a long chain of nested enums the smallest are the ones to fix.
        if !purse.spend(1) {
            break;
        }
        // An enum that is large because of another is not reported, and keeps the size that the fix
        // of that one gives.
        if let Some(best) = found.boxings.first()
            && !is_mended(cx, found, &mended)
        {
            mended = cx
                .model
                .boxed_definition(inner, &found.view, &best.boxes, &mended);
            root = Some(cx.model.db.item(inner.item).item.name);
        }
    }
    root.filter(|_| is_mended(cx, oversized, &mended))
}

/// Returns true if other changes make the enum smaller, and it needs no box of its own but around
/// what they change.
fn is_mended(cx: &Context, oversized: &Oversized, mended: &WhatIf) -> bool {
    let changed = |variant: &VariantView| match &variant.fields[..] {
        [field] => {
            let held = adt_of(cx.model.db, field.ty);
            mended.fields.keys().any(|(item, ..)| held == Some(*item))
        }
        _ => false,
    };
    let variants = &oversized.view.variants;
    let best = oversized.boxings.first();
    let passes = best.is_some_and(|b| b.boxes.iter().all(|b| changed(&variants[b.variant])));
    let after = cx.model.size_if(oversized.ty, mended);
    passes && after.is_some_and(|after| after < oversized.view.size)
}

/// Returns the places that copy a value with `memcpy`.
fn moves_of<'c>(cx: &'c Context, info: &TypeInfo, of: &Oversized) -> Vec<&'c Move> {
    let moves = cx.moves().of(info.item).iter();
    let moves = moves.filter(|m| of.view.size > MEMCPY && may_be(cx.model.db, m.ty, of.ty));
    moves.collect()
}

fn moved(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> Option<Evidence> {
    let moves = moves_of(cx, info, oversized);
    let first = moves.first()?;
    let more = match moves.len() - 1 {
        0 => String::new(),
        n => format!(", and at {} more", count(n, "place")),
    };
    let text = format!("`{}` copies all of it here{more}", first.by);
    Some(cx.model.evidence(first.site.span, text))
}

/// Returns the line of the build script that makes prost box the variant itself.
fn generators_line(cx: &Context, info: &TypeInfo, widest: &[&VariantView]) -> Option<String> {
    let attrs = &cx.model.db.item(info.item).item.attrs;
    let variant = widest.first().filter(|_| attrs.derives("Oneof"))?;
    // The enum lies in a module that is named after its message.
    let message = info.path.rsplit("::").nth(1)?;
    // prost's own conversions.
    let (message, field) = (
        message.to_upper_camel_case(),
        variant.name.as_str().to_snake_case(),
    );
    Some(format!(
        "prost writes this enum: `prost_build::Config::boxed(\"{message}.{field}\")` boxes it there"
    ))
}

fn notes(cx: &Context, info: &TypeInfo, after: u64, widest: &[&VariantView]) -> Vec<String> {
    let db = cx.model.db;
    let mut notes = Vec::new();
    let wide =
        |f: &&FieldView| matches!(db.types.kind(f.ty), TyKind::Prim(Prim::I128 | Prim::U128));
    if let Some(field) = widest.iter().flat_map(|v| &v.fields).find(wide) {
        let (name, align) = (db.display(field.ty), field.align);
        notes.push(format!(
            "`{name}` is aligned to {align} bytes: stored as two `u64`, it needs no box"
        ));
    }
    notes.extend(generators_line(cx, info, widest));
    notes.extend(import(cx, info));
    let instances = cx.populations().instances.get(&info.item);
    let instances = instances.into_iter().flatten();
    let known = instances.filter(|ty| cx.model.size(**ty).is_some());
    if let n @ 2.. = known.count() {
        let name = db.item(info.item).item.name;
        notes.push(format!(
            "`{name}` is generic: all {n} types that the code makes of it get the box"
        ));
    }
    if cx.model.exports(info, None) {
        notes.push(may_be_exported(db.item(info.item).item.name));
    }
    // Only for crates that depend on the macro.
    let krate = db.krate(info.krate).id.map(|id| db.project.krate(id));
    if krate.is_some_and(|k| k.deps.iter().any(|(name, _)| name == "weigh_derive")) {
        notes.push(format!(
            "`#[assert_size(max = {after})]` then keeps it from growing back"
        ));
    }
    notes
}
