//! One or a few variants make every value of an enum larger than the others need.
//!
//! # Why
//! A value of an enum has room for its widest variant, whichever it holds. Where a wide variant is
//! rare, that room is wasted in every collection, message and type that holds the enum by value,
//! and in each move. Types of more than 128 bytes are moved with `memcpy`.
//!
//! # What it finds
//! - Enums that get smaller by 8 bytes *and* a quarter if the widest variant, its widest fields,
//!   or a few variants are boxed. Each remedy is calculated by rustc's own layout code.
//! - The second and third step, where the first box leaves half of the gain.
//! - The inner enum, where it makes an outer one large.
//! - Generic enums, by the instances that occur.
//!
//! Reported by default is what meets all of these:
//!
//! | What | At least |
//! |---|---|
//! | Where it is stored | several fields, collections of collections, or nodes of a tree |
//! | What a slot of such a collection loses | 24 bytes, and 40 % |
//! | The same if 32 fields or more store it | 16 bytes, and a quarter |
//! | The same with 32 variants or more | 24 bytes, and an eighth |
//! | The same if three fields or more store it too | 16 bytes, and 7 % |
//! | What a value of up to 8 variants itself loses | 40 bytes |
//! | The same of 32 to 99 variants, unless 32 fields store it, or `memcpy` moves it at 50 places | 30 % |
//! | Variants of the enum | three |
//! | Places that build none of the boxed variants | two thirds |
//! | Places that build it, one of them each variant to box; unless a box saves 192 bytes, or the crate has fewer than 40 functions | 10 |
//! | The same if a box saves 32 bytes or less | 100 |
//!
//! One collection, stored or passed on, is enough for an enum of eight variants and 128 bytes or more
//! that a box halves; a channel, if a value loses 1,024 bytes.
//!
//! # What it leaves out
//! - Variants whose box would cost more than it gives: a single pointer, what a constant builds,
//!   an array beside a `Vec` of the same (inline or heap).
//! - Where no box can be (`Copy`, `no_std` without `alloc`), where the layout is fixed
//!   (`repr(C)`), and enums whose size is not known.
//! - Errors that functions return: those are `large_err`'s.
//!
//! # With `weigh::pedantic` also
//! - Enums of which there are few, or of which the code shows no number.
//! - Variants that only macro calls which are not read build: they may build it often.
//! - Variants that look common: by name, by the only `From`, built in loops or at many places, or
//!   among the first three of the enum.
//! - What takes more than five boxes, or several for more than one variant in five (in packages of
//!   fewer than 100 functions, if they save less than two thirds too).
//! - Types that an assertion holds to the size that they have.
//! - Variants that hold what only builds with `debug_assertions` have, unless with `--release`.
//! - Types of which each job has one, by their names: readers, decoders, builders, filters.
//! - Savings down to an eighth, and whatever Clippy's `large_enum_variant` reports.
//! - In packages of 100 functions or more, what a box of a variant with one field does not make
//!   smaller by half or by more than 32 bytes; unless four other types shrink with it, `memcpy` moves
//!   it at 50 places, or it has 25 variants.
//! - Types that little of a large program is about:
//!
//! | Functions | Places that build or match it, at least |
//! |---|---|
//! | 100 or more in its package | one for each five functions, or 64 |
//! | 3,000 or more in all | 64 |
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

use crate::config::{Level, SAVED_BYTES, SAVED_PERCENT};
use crate::finding::{Confidence, Evidence, Finding, Multiplicity, Remedy, Rule};
use crate::ir::AdtKind;
use crate::judge::Concern;
use crate::layout::WhatIf;
use crate::layout::view::{FieldView, VariantView};
use crate::lint::boxes::{Boxes, lost_at_once};
use crate::lint::frequency::{Built, count_of, frequency, may_be_boxed, passed_on};
use crate::lint::words::{bytes, count, import, listed, may_be_exported, of_size, quoted};
use crate::lint::{Answer, Check, Context, Group, Lint, Silence, header};
use crate::model::TypeInfo;
use crate::model::boxing::{BoxOf, Oversized};
use crate::model::population::Counted;
use crate::name::Name;
use crate::resolve::ty::{Prim, TyKind};
use crate::usage::moves::{Move, MoveKind};
use crate::usage::types::{adt_of, may_be};
use std::sync::Arc;

/// The lint.
pub static LINT: Lint = Lint {
    name: "oversized_variant",
    group: Group::Layout,
    level: Level::Warn,
    header: header!("oversized_variant.rs"),
    settings: &[SAVED_BYTES, SAVED_PERCENT],
    clippy: &["large_enum_variant"],
    concern: Concern::Bytes,
    precedence: None,
    check: Check::Type(|cx, info| vec![check(cx, info)]),
};

/// Minimum share of the stored element (percent) that must be saved by default: readers of findings
/// found little below it worth a box.
const LEAST: u64 = 40;

/// The same of a type that so many fields store that the package is about it.
const LEAST_OF_CENTRAL: u64 = 25;

/// From this many fields on.
const CENTRAL_HOLDERS: u16 = 32;

/// The same with so many variants that a wide one is rare.
const LEAST_OF_VARIED: u64 = 12;

/// And if many fields store it too.
const LEAST_OF_MANY: u64 = 7;

/// From this many variants on, a wide one is one of many.
const MANY_VARIANTS: usize = 32;

/// Minimum share of the value itself (percent): of seven findings below it none was worth it to two
/// readers.
const LEAST_OF_VALUE: u64 = 30;

/// From this many variants on, that does not count: whatever is wide is one of very many.
const VERY_MANY_VARIANTS: usize = 100;

/// Of so few variants, any may be the common one.
const FEW_VARIANTS: usize = 8;

/// Minimum saving (bytes) of such an enum: of nine findings below it none was worth it to two
/// readers.
const LEAST_OF_FEW: u64 = 40;

/// From this size on (bytes), values are moved by a call of `memcpy`.
const MEMCPY: u64 = 128;

/// Minimum saving (bytes) that is reported without evidence of the number of values, or of how common
/// the variant is.
const HUGE: u64 = 192;

/// Minimum number of places that construct an enum.
const LEAST_OF_ALL: usize = 10;

/// The same for savings up to these (bytes): of 28 findings with fewer places four were worth it to
/// both readers, of 18 others nine.
const LEAST_OF_SLIGHT: usize = 100;

/// A small saving (bytes).
const SLIGHT: u64 = 32;

/// In a crate with fewer functions, any type is constructed at few places.
const BRIEF_CRATE: usize = 40;

/// Minimum saving (bytes) of what only a channel passes on: a move of less is not noticed.
const MUCH_OF_MESSAGE: u64 = 1024;

/// If more than this many variants are constructed, the wide one is not accidental.
const BULK_KINDS: usize = 3;

/// Below this many variants, no wide one is rare because there are many.
const BULK_VARIANTS: usize = 8;

/// With more boxes, the type becomes a different one.
const MOST_BOXED: usize = 5;

/// Several boxes are worth it if at most one in this many variants is boxed, or if they save two
/// thirds in a small package.
const MANY_TO_ONE: usize = 5;

/// From this many variants on, a few wide ones are worth several boxes in a large package.
const MANY_KINDS: usize = 25;

/// A type is what a large package is about if so many others shrink with it.
const CENTRAL_RIPPLE: usize = 4;

/// Or if so many places move it.
const CENTRAL_MOVES: usize = 50;

/// Else the box is to be simple, and to save more than this (bytes), or half.
const MUCH_OF_ONE: u64 = 32;

/// Authors list common variants first: this many, within the first third.
const LISTED_FIRST: usize = 3;

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
    let sure = cx.oversized().get(&info.item);
    let is_central = counted.multiplicity.holders() >= CENTRAL_HOLDERS;
    let most_multiplied = is_central || is_most_multiplied(cx, info, counted.multiplicity);
    let asked = cx.config(info.krate).shows_unsure() || most_multiplied;
    let slight = || cx.slightly_oversized().get(&info.item);
    let oversized = if asked { sure.or_else(slight) } else { sure };
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
    let (evidence, common) = evidence(cx, info, oversized, &counted, &widest);
    let slot = slot(cx, info, oversized, &counted);
    let huge = is_huge(cx, info, oversized, &counted);
    let passed = is_bulk(cx, info, oversized, &counted);
    let built = Built::of(cx, info, oversized.ty, &widest);
    let most = !common.is_empty() || built.are_most();
    let remedies = boxes.remedies(oversized);
    let mut doubts = doubts(cx, info, oversized, &counted, (slot, huge || passed));
    doubts.extend(Rule::holding([
        (most, Rule::CommonVariant),
        (
            !huge && is_listed_first(oversized, &widest),
            Rule::ListedFirst,
        ),
        (
            !huge && cx.is_little_used(info) || is_passed_on(cx, info),
            Rule::LittleUsed,
        ),
        (boxes.hold_parameter(&widest), Rule::Parameter),
        (is_made_unread(cx, info, &widest), Rule::NotProved),
        (
            is_little_built(cx, info, oversized, &built),
            Rule::FewPlaces,
        ),
        (sure.is_none() && !most_multiplied, Rule::SmallSaving),
        (is_of_debugging(cx, info, &widest), Rule::OfDebugging),
        (
            !cx.is_small(info.krate) && is_weak(cx, info, oversized, &remedies),
            Rule::WeakCase,
        ),
    ]));
    let drawing = |change| cx.drawing(&change, oversized.ty);
    Ok(Finding {
        after: oversized.change(cx.model, info).and_then(drawing),
        secondary: others.chain(whole).collect(),
        field: Some(widest[0].name.to_string()),
        size_before: Some(size),
        parts: Some(boxes.parts()),
        remedies,
        evidence,
        trade_off: Some(trade_off(&widest, &common)),
        notes: notes(cx, info, best.size, &widest),
        multiplicity: counted.multiplicity,
        // The sizes are computed; the rules decide whether the variant is rare.
        confidence: match common.is_empty() {
            true => Confidence::Proved,
            false => Confidence::Likely,
        },
        slot,
        bulk: passed || huge && !counted.multiplicity.is_stored(),
        doubts,
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

/// Returns true for a type that serde alone fills and writes: it is passed on, not stored.
fn is_passed_on(cx: &Context, info: &TypeInfo) -> bool {
    cx.places(info) == 0 && cx.model.is_read_back(info)
}

/// Returns what the best boxes save of a value, in bytes.
fn saved(of: &Oversized) -> u64 {
    let size = of.view.size;
    size - of.boxings.first().map_or(size, |best| best.size)
}

/// Returns true if too few places construct an enum to show how common its wide variants are, where
/// there is enough code for more, and the saving is not large in any case.
fn is_little_built(cx: &Context, info: &TypeInfo, of: &Oversized, built: &Built) -> bool {
    let saved = saved(of);
    let least = if saved <= SLIGHT {
        LEAST_OF_SLIGHT
    } else {
        LEAST_OF_ALL
    };
    built.shows_little(least) && saved < HUGE && cx.variants().functions(info.krate) >= BRIEF_CRATE
}

/// Describes what the boxes cost.
fn trade_off(widest: &[&VariantView], common: &[String]) -> String {
    match (widest, common) {
        (_, [first, ..]) => {
            format!("a box costs an allocation, and {first} looks like a common variant")
        }
        ([one], _) => format!("each `{}` then costs an allocation", one.name),
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
    if let Some(inner) = root_inside(cx, info, oversized) {
        return Err(Silence::about(format!(
            "it is large for the sake of `{inner}`, which is reported itself"
        )));
    }
    Ok(())
}

/// Returns the evidence on an enum and its wide variants, and which of these appear common.
fn evidence(
    cx: &Context,
    info: &TypeInfo,
    of: &Oversized,
    counted: &Counted,
    widest: &[&VariantView],
) -> (Vec<Evidence>, Vec<String>) {
    let after = of.boxings.first().map_or(of.view.size, |b| b.size);
    let halved = after * 2 < of.view.size;
    let mut evidence = counted.evidence.clone();
    evidence.extend(lost_at_once(cx, info, of));
    let mut common = Vec::new();
    for variant in widest {
        let frequency = frequency(cx, info, of.ty, variant, halved);
        common.extend(frequency.common.then(|| format!("`{}`", variant.name)));
        evidence.extend(frequency.evidence);
    }
    evidence.extend(passed_on(cx, info));
    evidence.extend(moved(cx, info, of));
    evidence.dedup_by(|a, b| a.text == b.text);
    (evidence, common)
}

/// Returns why no box makes an enum sufficiently smaller.
fn no_box(cx: &Context, info: &TypeInfo) -> Silence {
    let model = cx.model;
    match model.view(info.ty) {
        Err(why) => Silence::about(format!("its size is not known: {}", model.reason(&why))),
        Ok(_) if model.is_copy(info) => Silence::about("it is `Copy`, so it can hold no box"),
        Ok(_) if !model.has_heap(info.krate) => Silence::about("the crate has no `alloc`"),
        Ok(_) if model.is_repr_c(info) => Silence::about("`repr(C)` fixes its layout"),
        Ok(_) => Silence::about("no box of a few variants saves 8 bytes and an eighth of it"),
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

/// Returns true for an enum stored in so many fields, with so many variants, that an eighth is
/// worth reporting.
fn is_most_multiplied(cx: &Context, info: &TypeInfo, multiplicity: Multiplicity) -> bool {
    count_of(cx, info) >= MANY_VARIANTS && multiplicity.is_held_by_many()
}

/// Returns true for an enum that collections pass on or store, and `memcpy` moves, if the box
/// halves it and several of many variants are constructed.
fn is_bulk(cx: &Context, info: &TypeInfo, of: &Oversized, counted: &Counted) -> bool {
    let after = of.boxings.first().map_or(of.view.size, |b| b.size);
    let halved = of.view.size >= MEMCPY && after * 2 <= of.view.size;
    let built = |v: &VariantView| {
        let uses = cx.variants().of(info.item, v.index as u32);
        uses.is_some_and(|u| u.made() > 0)
    };
    let kinds = of.view.variants.iter().filter(|v| built(v)).count();
    halved
        && (!counted.channel || of.view.size - after >= MUCH_OF_MESSAGE)
        && (counted.multiplicity == Multiplicity::Transient || counted.multiplicity.is_stored())
        && counted.passed
        && kinds > BULK_KINDS
        && of.view.variants.len() >= BULK_VARIANTS
}

/// Returns true for an enum that no code constructs or matches, if its saving alone suffices.
fn is_huge(cx: &Context, info: &TypeInfo, of: &Oversized, counted: &Counted) -> bool {
    let size = of.view.size;
    let after = of.boxings.first().map_or(size, |b| b.size);
    let built = |v: &VariantView| {
        let uses = cx.variants().of(info.item, v.index as u32);
        uses.is_some_and(|u| !u.built.is_empty() || !u.matched.is_empty())
    };
    size - after >= HUGE
        && (size - after) * 2 >= size
        && (counted.multiplicity == Multiplicity::Unknown || counted.multiplicity.is_stored())
        && !of.view.variants.iter().any(built)
}

/// Returns the bytes of the stored element before and after, if there is one.
fn slot(cx: &Context, info: &TypeInfo, of: &Oversized, counted: &Counted) -> Option<(u64, u64)> {
    let own = (of.view.size, of.boxings.first()?.size);
    let change = of.change(cx.model, info)?;
    counted.slot(cx.model, &change, info.item, own)
}

/// Returns the rules against reporting it by default, except those on common variants.
fn doubts(
    cx: &Context,
    info: &TypeInfo,
    of: &Oversized,
    counted: &Counted,
    (slot, bulk): (Option<(u64, u64)>, bool),
) -> Vec<Rule> {
    let rest = of.view.variants.iter();
    let with_data = rest.filter(|v| v.size > 0).count();
    let few = of.view.variants.len() < 3 || with_data < 2;
    let (populations, errors) = (cx.populations(), cx.errors());
    // What errors hold is part of an error if nothing else holds it.
    let held_by_many = counted.multiplicity.is_held_by_many();
    let in_error = || {
        cx.returned_errors().contains(&info.item)
            || errors.contains(&info.item) && populations.is_named_only_in(info.item, errors)
    };
    let is_error = cx.model.is_error(info) || !held_by_many && in_error();
    let little = slot.is_some_and(|(before, after)| {
        let saved = before.saturating_sub(after);
        let least = match () {
            () if is_most_multiplied(cx, info, counted.multiplicity) => LEAST_OF_MANY,
            () if count_of(cx, info) >= MANY_VARIANTS => LEAST_OF_VARIED,
            () if counted.multiplicity.holders() >= CENTRAL_HOLDERS => LEAST_OF_CENTRAL,
            () => LEAST,
        };
        saved > 0 && saved.saturating_mul(100) < before.saturating_mul(least)
    });
    Rule::holding([
        (counted.channel && !bulk, Rule::Channel),
        (few && !bulk, Rule::TwoVariants),
        (is_dear(cx, info, of), Rule::ManyBoxes),
        (is_held(cx, info, of), Rule::SizeHeld),
        (is_error, Rule::ErrorType),
        (
            little || is_slight(cx, info, of, counted),
            Rule::SmallSaving,
        ),
    ])
}

/// Returns true if a box takes few bytes from an enum of few variants, or a small share from one of
/// many, unless the enum is about as central as a type can be.
fn is_slight(cx: &Context, info: &TypeInfo, of: &Oversized, counted: &Counted) -> bool {
    let saved = saved(of);
    match count_of(cx, info) {
        ..=FEW_VARIANTS => saved < LEAST_OF_FEW,
        MANY_VARIANTS..VERY_MANY_VARIANTS => {
            saved * 100 < of.view.size * LEAST_OF_VALUE
                && counted.multiplicity.holders() < CENTRAL_HOLDERS
                && moves_of(cx, info, of).len() < CENTRAL_MOVES
        }
        _ => false,
    }
}

/// Returns true if one of the variants to box is where authors list the common ones.
fn is_listed_first(of: &Oversized, widest: &[&VariantView]) -> bool {
    let first = |v: &&&VariantView| v.index < LISTED_FIRST && v.index * 3 <= of.view.variants.len();
    widest.iter().any(|v| first(&v))
}

/// Returns true if several variants must be boxed that are not exceptions among many, in a small
/// package if they save less than two thirds too: of 15 such enums three were worth it to two
/// readers, of 25 that need one box 13.
fn is_dear(cx: &Context, info: &TypeInfo, of: &Oversized) -> bool {
    let Some(best) = of.boxings.first().filter(|b| b.variants > 1) else {
        return false;
    };
    let is_part = best.variants * MANY_TO_ONE > of.view.variants.len();
    let is_slight = !cx.is_small(info.krate) || best.size * 3 > of.view.size;
    best.variants > MOST_BOXED || is_part && is_slight
}

/// Returns true if a large package has too little to do with an enum for a small or awkward change:
/// of 85 findings that two readers judged, 29 of the 31 that were worth it to both are no such ones,
/// and 27 of the other 54.
fn is_weak(cx: &Context, info: &TypeInfo, of: &Oversized, remedies: &[Remedy]) -> bool {
    let (Some(best), Some(remedy)) = (of.boxings.first(), remedies.first()) else {
        return false;
    };
    let shrink = remedy.ripple.iter().filter(|r| r.after < r.before).count();
    // A new struct for several fields is more of a change.
    let one_field = |b: &BoxOf| of.view.variants[b.variant].fields.len() == 1;
    let saved = of.view.size - best.size;
    let much = saved > MUCH_OF_ONE || best.size * 2 <= of.view.size;
    let simple = best.boxes.len() == 1 && best.boxes.iter().all(one_field) && much;
    let central = shrink >= CENTRAL_RIPPLE || moves_of(cx, info, of).len() >= CENTRAL_MOVES;
    !simple && !central && count_of(cx, info) < MANY_KINDS
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
            && !is_mended(cx, inner, found, &mended)
        {
            mended = cx
                .model
                .boxed_definition(inner, &found.view, &best.boxes, &mended);
            root = Some(cx.model.db.item(inner.item).item.name);
        }
    }
    root.filter(|_| is_mended(cx, info, oversized, &mended))
}

/// Returns true if other changes leave the enum oversized only in variants that wrap what they fix.
fn is_mended(cx: &Context, info: &TypeInfo, oversized: &Oversized, mended: &WhatIf) -> bool {
    if mended.fields.is_empty() {
        return false;
    }
    let (model, ty) = (cx.model, oversized.ty);
    let thresholds = cx.config(info.krate).thresholds(LINT.name);
    let Ok(view) = model.what_if(mended.clone(), || model.view(ty)) else {
        return false;
    };
    if !thresholds.worth(oversized.view.size, view.size) {
        return false;
    }
    let errors = cx.returned_errors();
    let left = model.boxings(info, ty, &view, mended, &thresholds, errors);
    let passes = |v: usize| match &view.variants[v].fields[..] {
        [field] => {
            let held = adt_of(model.db, field.ty);
            mended.fields.keys().any(|(item, ..)| held == Some(*item))
        }
        _ => false,
    };
    left.iter()
        .all(|b| b.boxes.iter().all(|b| passes(b.variant)))
}

/// Returns where values too wide for registers are moved.
/// Returns the places that move a value with `memcpy`.
fn moves_of<'c>(cx: &'c Context, info: &TypeInfo, of: &Oversized) -> Vec<&'c Move> {
    let moves = cx.moves().of(info.item).iter();
    let moves = moves.filter(|m| of.view.size > MEMCPY && may_be(cx.model.db, m.ty, of.ty));
    moves.collect()
}

fn moved(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> Option<Evidence> {
    let moves = moves_of(cx, info, oversized);
    let first = moves.first()?;
    let how = match first.how {
        MoveKind::Put(method) => format!("by `{method}`"),
        MoveKind::Returned => "as a return value".to_owned(),
        MoveKind::Passed => "as an argument".to_owned(),
    };
    let places = count(moves.len(), "place");
    let text = format!("moved with `memcpy` at {places}, first {how}");
    Some(cx.model.evidence(first.site.span, text))
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
    notes.extend(import(cx, info));
    let instances = cx.populations().instances.get(&info.item);
    let instances = instances.into_iter().flatten();
    let known = instances.filter(|ty| cx.model.size(**ty).is_some());
    if let n @ 2.. = known.count() {
        let name = db.item(info.item).item.name;
        notes.push(format!("all {n} instances of `{name}` get the box"));
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
