//! A wide field of a struct makes every enum that holds the struct wide.
//!
//! # Why
//! A struct that an enum holds by value gives its width to every value of that enum. Where one field
//! is much of it, a box around that field is one change, whichever variants hold the struct; a box
//! around each of these variants is several.
//!
//! # What it finds
//! - Fields that are a quarter or more of a struct, and wider than a `Vec`, where an enum that holds
//!   the struct by value gets smaller with a box around the field; the enum of which there are many
//!   first.
//! - Without such an enum, where collections store the struct, or it is a node of a tree.
//!
//! # What it leaves out
//! - `Option`s, of which `wide_option` speaks, and what points to the heap already.
//! - Enums that one box around a variant makes smaller still.
//! - Where no box can be (`Copy`, `no_std` without `alloc`), and where something outside prescribes
//!   the fields (`repr(C)`, derives and attributes that name their types).
//!
//! # Limits
//! Every value of the struct then has a block: what is stored gets smaller, the heap in all does
//! only where most values of the enum are others.
//!
//! # Example
//! ```
//! struct Query {
//!     body: [u64; 24],
//!     limit: u64,
//! }
//!
//! enum Expr {
//!     Number(u64),
//!     Exists(Query),
//!     In(Vec<Expr>, Query),
//! }
//! ```
//! Every `Expr` is 232 bytes. With `body: Box<[u64; 24]>` it is 48, and both variants stay as they
//! are.

use crate::config::Level;
use crate::finding::{
    BlockChange, Change, Confidence, Evidence, Finding, Label, Parts, Reason, Remedy,
};
use crate::ir::AdtKind;
use crate::layout::view::VariantView;
use crate::lint::frequency::built;
use crate::lint::wide::{Wide, boxable, wide_fields};
use crate::lint::words::{bytes, import, of_size, public};
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, Silence, header};
use crate::model::TypeInfo;
use crate::model::freezing::{self, is_exported};
use crate::usage::types::adt_of;

/// The lint.
pub static LINT: Lint = Lint {
    name: "wide_field",
    group: Group::Layout,
    level: Level::Warn,
    header: header!("wide_field.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Bytes,
    claim: Claim::None,
    check: Check::Type(|cx, info| vec![check(cx, info)]),
};

/// Maximum number of holders tried for a field: each trial lays out a whole enum.
const MOST_HOLDERS: usize = 16;

/// What a box around a field is for: the type that is stored many times.
struct For<'f> {
    info: &'f TypeInfo,
    /// Its size today and with the box, in bytes.
    size: (u64, u64),
}

fn check(cx: &Context, info: &TypeInfo) -> Answer {
    let model = cx.model;
    let view = boxable(cx, info)?;
    let [variant] = &view.variants[..] else {
        return Err(Silence::about("it has no fields"));
    };
    let mut wide = wide_fields(cx, info, view.size, variant);
    let Some(widest) = wide.first() else {
        return Err(Silence::about(
            "no field of it is a quarter of it, plain and wider than a `Vec`",
        ));
    };
    let tried = wide.iter().enumerate();
    let tried = tried.filter_map(|(n, w)| Some((n, enum_of(cx, info, w)?)));
    // Of equals the narrower one: its box costs less.
    let best = tried.reduce(|a, b| match gain(cx, &b.1) >= gain(cx, &a.1) {
        true => b,
        false => a,
    });
    let stored = || {
        // An enum in it that boxes make smaller is the place to mend.
        let is_root = adt_of(model.db, widest.view.ty);
        let is_root = is_root.is_some_and(|item| cx.oversized().contains_key(&item));
        let size = (view.size, widest.after);
        let is_stored = cx.population(info.item).multiplicity.is_stored();
        // In a block of its own, it only gets a second one.
        let is_behind = cx.pointers().is_always_behind(info.item);
        (is_stored && !is_root && !is_behind).then_some((0, For { info, size }))
    };
    let (first, of) = best.or_else(stored).ok_or_else(|| {
        Silence::about(
            "no enum that holds it gets smaller with a box around one of its fields, beyond what \
             a box around a variant gives, and no collection stores it",
        )
    })?;
    wide[..=first].rotate_right(1);
    if cx.is_api_protected(info) {
        return Err(Silence::about("its manifest keeps the exported API"));
    }
    Ok(finding(cx, info, view.size, variant, &wide, &of))
}

/// Returns the enum that holds the struct by value and that a box around the field serves best.
fn enum_of<'c>(cx: &Context<'c>, info: &TypeInfo, wide: &Wide) -> Option<For<'c>> {
    let model = cx.model;
    let types = model.types();
    let holders = cx.holders().of(info.item).iter().map(|&i| &types[i]);
    let enums = holders.filter(|h| h.kind == AdtKind::Enum && model.is_authored(h));
    let smaller = enums.take(MOST_HOLDERS).filter_map(|holder| {
        let before = model.size(holder.ty)?;
        let after = model.size_if(holder.ty, &wide.change)?;
        let allowed = || cx.clippy_allows(holder.krate, &["large_enum_variant"], holder.span);
        // One box around a variant that gives more is what `oversized_variant` says.
        let boxing = cx.oversized().get(&holder.item);
        let boxing = boxing.and_then(|of| of.boxings.first());
        let less = boxing.is_some_and(|b| b.boxes.len() == 1 && b.size < after && !allowed());
        (after < before && !less).then_some(For {
            info: holder,
            size: (before, after),
        })
    });
    smaller.reduce(|a, b| if gain(cx, &b) > gain(cx, &a) { b } else { a })
}

/// Returns an order of what a box gives: to what is stored many times first, then by bytes.
fn gain(cx: &Context, of: &For) -> (bool, u64) {
    let stored = cx.population(of.info.item).multiplicity.is_stored();
    (stored, of.size.0 - of.size.1)
}

/// Makes the finding; the first of the wide fields is the one to box.
fn finding(
    cx: &Context,
    info: &TypeInfo,
    size: u64,
    variant: &VariantView,
    all_wide: &[Wide],
    of: &For,
) -> Finding {
    let model = cx.model;
    let wide = &all_wide[0];
    let path = freezing::field_path(model, wide.id);
    let counted = cx.population(of.info.item);
    let name = |info: &TypeInfo| model.db.item(info.item).item.name;
    let place = freezing::field_span(model, info, wide.id);
    let exported = is_exported(model, info, wide.id).then(|| path.clone());
    // An enum may have room for several of the struct at once.
    let own = of.info.item == info.item;
    let times = match own {
        true => 1,
        false => ((of.size.0 - of.size.1) / (size - wide.after)).max(1),
    };
    let message = match times {
        1 => format!(
            "`{path}` is {} of the {} of every `{}`",
            wide.view.size,
            bytes(of.size.0),
            name(of.info)
        ),
        n => format!(
            "{n} times `{path}` is {} of the {} of every `{}`",
            n * wide.view.size,
            bytes(of.size.0),
            name(of.info)
        ),
    };
    let rows = variant.fields.iter().map(|f| (f.name.to_string(), f.size));
    let holds = (!own).then(|| Evidence {
        span: None,
        text: format!(
            "each `{}` has room for {} `{}`: {} → {} bytes",
            name(of.info),
            if times == 1 {
                "a".to_owned()
            } else {
                times.to_string()
            },
            name(info),
            of.size.0,
            of.size.1
        ),
    });
    let sets = cx.stores().sets(model.db, cx.usage(), wide.id);
    let made = sets.iter().filter(|s| s.made).count();
    // Each value of the struct has the field, seen or not.
    let made = made.max(1);
    let all = match own {
        true => made,
        false => built(cx, of.info, of.info.ty, &[]).1.max(made),
    };
    Finding {
        after: cx.drawing(&wide.change, info.ty),
        secondary: vec![of_size(info, size)],
        field: Some(wide.view.name.to_string()),
        size_before: Some(size),
        parts: Some(Parts::widest("bytes of each field", rows)),
        remedies: all_wide
            .iter()
            .filter_map(|w| remedy(cx, info, w, of))
            .collect(),
        evidence: holds.into_iter().chain(counted.plainest()).collect(),
        trade_off: Some(format!("each `{}` then costs an allocation", name(info))),
        notes: import(cx, info)
            .into_iter()
            .chain(public(exported.as_slice()))
            .collect(),
        multiplicity: counted.multiplicity,
        confidence: Confidence::Likely,
        slot: counted.slot(model, &wide.change, of.info.item, of.size),
        built: Some((made, all)),
        against: Reason::holding([
            (model.is_error(of.info), Reason::Error),
            (counted.channel, Reason::Brief),
            (exported.is_some(), Reason::Unseen),
        ]),
        ..Finding::new(message, Label::new(place, bytes(wide.view.size)))
    }
}

fn remedy(cx: &Context, info: &TypeInfo, wide: &Wide, of: &For) -> Option<Remedy> {
    let path = freezing::field_path(cx.model, wide.id);
    let mut remedy = cx.remedy(info, &wide.change, format!("box `{path}`"))?;
    remedy.change = vec![Change::Boxed(freezing::ty_span(cx.model, wide.id)?)];
    remedy.heap = Some(vec![BlockChange::Boxed {
        variant: None,
        field: Some(wide.view.name.to_string()),
        bytes: wide.view.size,
    }]);
    // First what it is for.
    remedy.ripple.sort_by_key(|r| r.path != of.info.path);
    Some(remedy)
}
