//! One variant, or a few, make every value of an enum larger than the others need.
//!
//! # Why
//! A value of an enum has room for its widest variant, whichever it holds. Where a wide variant
//! is rare, the memory it asks of all the others is wasted: in collections, in messages, in every
//! type that holds the enum by value, and in each move. Types of more than 128 bytes are moved
//! with `memcpy`.
//!
//! # What it does
//! Tries what is smaller by calculation: the variant in a box, its widest fields in one box or in
//! one each, several variants at once. It speaks from 8 bytes *and* a quarter of the size on, a
//! twentieth more for each further variant, and names the inner enum where an outer one is large for
//! its sake.
//!
//! It says what multiplies the type, where the wide variants are built, and which of their fields
//! nothing reads. A generic enum is judged on the instances that occur.
//!
//! # Limits
//! A box costs an allocation for each value of the variant, and a jump to read it: do not box the
//! variant that is the common one. How often each occurs in a run it cannot see. Where a wide
//! variant is built in loops or at most places, is the only one that a `From` makes, has a name
//! that says so (`Normal`, `Leaf`), or only passes on what is a part of many types and less than
//! half of the size, the finding is less sure, and says so. It is for those who ask if boxes in
//! every second value would take what they save and no other enum of which there are many becomes
//! smaller too.
//!
//! It speaks where what collections in fields hold becomes 15 % smaller, and 24 bytes if it is not
//! of collections in collections or a tree. Where none hold it, a value must lose 64 bytes or half
//! of its size: `uncounted-bytes` at least, by a box in one variant, where nothing shows that there
//! are many or a loop alone makes them (or 128 bytes). 64 bytes too of what only channels and
//! iterators pass on, and of errors that something holds. Less is for those who ask.
//!
//! Of the variants that hold something, boxes in a half must save a half of the size, in a third a
//! third, unless it is 192 bytes or more. An enum of two variants, or of one with data, must lose
//! 192 bytes, or 64 where something holds many of it, to be sure. Half of the least
//! share is enough for those who ask. What one value of another type
//! loses that has several of the enum by value counts as one. A variant that alone is aligned to
//! more than a pointer (`u128`) is tried in a box however small it is.
//!
//! It is silent about types that exist once a run, where a box cannot be (`Copy` enums, `no_std`
//! without `alloc`) or would change what is fixed from outside (`repr(C)`), about single fields
//! that are a pointer to the heap already, about variants whose author has boxed a part of them
//! without recursion to ask for it unless half of the size is at stake, about variants that keep an
//! array of what another variant holds in a `Vec` or that a constant or `const fn` builds, where no
//! box can be made, and about enums whose size is not known. Errors
//! that functions return are `large_err`'s; where all of them have Clippy's `result_large_err`
//! allowed, it speaks of a variant that is half of the size.
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

use crate::config::{Level, SAVED_BYTES, SAVED_PERCENT, Setting};
use crate::finding::{Confidence, Evidence, Finding, Label, Population};
use crate::layout::WhatIf;
use crate::layout::view::{FieldView, VariantView};
use crate::lint::boxes::{Boxes, lost_at_once};
use crate::lint::side::{may_be_boxed, passed_on, side};
use crate::lint::words::{bytes, count, import, listed};
use crate::lint::{Check, Context, Group, Lint};
use crate::model::TypeInfo;
use crate::model::boxing::Oversized;
use crate::model::population::Counted;
use crate::resolve::ty::{Prim, TyKind};
use crate::usage::moves::How;
use crate::usage::types::may_be;

/// The lint.
pub static LINT: Lint = Lint {
    name: "oversized_variant",
    group: Group::Layout,
    level: Level::Warn,
    source: include_str!("oversized_variant.rs"),
    settings: &[SAVED_BYTES, SAVED_PERCENT, UNCOUNTED_BYTES],
    clippy: &["large_enum_variant"],
    check: Check::Type(|cx, info| check(cx, info).into_iter().collect()),
};

/// What must be saved where the code does not tell how many values there are.
const UNCOUNTED_BYTES: Setting = Setting {
    key: "uncounted-bytes",
    default: 80,
    doc: "least number of bytes that a value must lose, and half of it, where nothing holds many of \
          them",
};

/// As much must be saved (bytes) of two variants, of errors, and of what is only passed on.
const MUCH: u64 = 64;

/// As much must be saved (bytes) of what no more than one collection in a field holds.
const MUCH_OF_ONE: u64 = 24;

/// Where nothing says that the wide variant is rare, less than this (bytes) is for those who ask.
const MUCH_OF_TWO: u64 = 192;

/// What many are kept of loses so much of itself (percent) for a finding by default.
const LEAST: u64 = 15;

/// From this size on (bytes) values are moved by a call of `memcpy`.
const MEMCPY: u64 = 128;

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let sure = cx.oversized().get(&info.item);
    let slight = || cx.slightly_oversized().get(&info.item);
    let oversized = match cx.config(info.krate).shows_unsure() {
        true => sure.or_else(slight)?,
        false => sure?,
    };
    if cx.is_kept(info) || cx.large_errors().of.contains_key(&info.item) {
        return None;
    }
    if root_is_inside(cx, info, oversized) {
        return None;
    }
    let counted = cx.population(info.item);
    let best = oversized.boxings.first()?;
    if counted.population == Population::Few {
        return None;
    }
    let boxes = Boxes::of(cx, info, oversized)?;
    let fat = boxes.fat(best);
    if !fat.iter().all(|v| may_be_boxed(cx, info, v)) {
        return None;
    }
    let names: Vec<_> = fat.iter().map(|v| format!("`{}`", v.name)).collect();
    let label = |v: &VariantView| Label {
        span: boxes.variant_span(v),
        text: format!("{} of fields", bytes(v.size)),
    };
    let size = oversized.view.size;
    let saved = size - best.size;
    let mut secondary: Vec<Label> = fat.iter().skip(1).map(|v| label(v)).collect();
    let primary = label(fat[0]);
    if primary.span != info.span {
        secondary.push(Label {
            span: info.span,
            text: format!("{} a value", bytes(size)),
        });
    }
    let mut confidence = Confidence::Proved;
    let at_once = lost_at_once(cx, info, oversized);
    let mut evidence = counted.evidence.clone();
    evidence.extend(at_once.evidence);
    let mut common = Vec::new();
    for variant in &fat {
        let side = side(cx, info, oversized.ty, variant, saved * 2 > size);
        if side.common {
            common.push(format!("`{}`", variant.name));
        }
        evidence.extend(side.evidence);
    }
    // An enum of one variant with data and others without is made for that variant.
    let rest = oversized.view.variants.iter();
    let mut rest = rest.filter(|v| fat.iter().all(|f| f.index != v.index));
    // Of two nothing says that the wide one is rare.
    let alone = rest.all(|v| v.size == 0) || oversized.view.variants.len() == 2;
    let parameter = boxes.hold_parameter(&fat);
    let huge = counted.held && !parameter && saved >= MUCH_OF_TWO && saved * 2 >= size;
    let lost = [
        !common.is_empty(),
        // Where most values of another enum hold none of these, theirs need no box.
        !common.is_empty()
            && saved * 2 <= cx.model.block(fat[0].size)
            && !mends_another(cx, info, oversized),
        alone,
        alone && !(saved >= MUCH && counted.held) && at_once.bytes < MUCH_OF_TWO,
        parameter,
        parameter,
    ];
    // In what many are kept of a box is little beside so much, however common it is.
    let most = if huge { 1 } else { lost.len() };
    for _ in lost.into_iter().filter(|l| *l).take(most) {
        confidence = confidence.lowered();
    }
    let worth = are_enough(cx, info, oversized, &counted) && is_seen(cx, info, oversized, &counted);
    if sure.is_none() || !worth {
        confidence = Confidence::Possible;
    }
    evidence.extend(passed_on(cx, info));
    evidence.extend(moved(cx, info, oversized));
    evidence.dedup_by(|a, b| a.text == b.text);
    let others = match oversized.view.variants.len() - fat.len() {
        1 => "the other variant".to_owned(),
        n => format!("the {n} other variants"),
    };
    // Which one makes it so large, where they are not alike: the rest come after it.
    let (widest, makes) = match &fat[..] {
        [first, .., last] if first.size > last.size => (names.join(", then "), "make"),
        [_] => (listed(&names), "makes"),
        _ => (listed(&names), "make"),
    };
    Some(Finding {
        message: format!(
            "{widest} {makes} every `{}` {}; {others} would do with {}",
            shown(cx, info, oversized),
            bytes(size),
            best.size
        ),
        primary,
        claims: Vec::new(),
        secondary,
        field: Some(fat[0].name.to_string()),
        size_before: Some(size),
        parts: Some(boxes.parts()),
        remedies: boxes.remedies(oversized),
        evidence,
        trade_off: Some(match (&names[..], &common[..]) {
            (_, [first, ..]) => {
                format!(
                    "a box costs an allocation a value, and {first} looks like the common one: measure"
                )
            }
            ([one], _) => {
                format!("each {one} then costs an allocation: good if it is the rare one")
            }
            _ => "each value of these variants then costs an allocation: good if they are rare"
                .to_owned(),
        }),
        notes: notes(cx, info, best.size, &fat),
        population: counted.population,
        confidence,
    })
}

/// The enum's name; of a generic one the instance that was judged.
fn shown(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> String {
    match info.generics.is_empty() {
        true => cx.model.db.item(info.item).item.name.to_string(),
        false => cx.model.db.display(oversized.ty),
    }
}

/// True if there are enough values of an enum for what each loses.
fn are_enough(cx: &Context, info: &TypeInfo, oversized: &Oversized, counted: &Counted) -> bool {
    let (db, large, populations) = (cx.model.db, cx.large_errors(), cx.populations());
    let root = large.roots.contains(&info.item);
    let errors = cx.errors();
    // What errors hold is one of their parts if nothing else holds it.
    let is_error = cx.returned_errors().contains(&info.item)
        || errors.contains(&info.item) && populations.is_named_only_in(info.item, errors);
    let is_error = is_error && !root;
    let named_error = db.item(info.item).item.name.as_str().ends_with("Error");
    let size = oversized.view.size;
    let Some(best) = oversized.boxings.first() else {
        return false;
    };
    let saved = size - best.size;
    let uncounted = cx.config(info.krate).setting(LINT.name, &UNCOUNTED_BYTES);
    let much = saved >= uncounted && saved * 2 >= size;
    match counted.population {
        Population::Few => false,
        // Who may return a large error has not said that one of its variants may be large alone.
        _ if is_error && large.excused.contains(&info.item) => saved * 2 >= size,
        Population::Unknown if !root && best.variants > 1 => much && saved >= MUCH_OF_TWO,
        Population::Unknown if !root && !much => {
            lost_at_once(cx, info, oversized).bytes >= MUCH_OF_TWO
        }
        // What a loop makes is more often than not gone with its turn, what is sent soon taken.
        _ if counted.only_made && !root && saved < MEMCPY && !much => false,
        _ if counted.only_passing && saved < MUCH => false,
        // There is one error at a time, whatever makes them; that it is large is `large_err`'s.
        _ if is_error => counted.held && saved >= MUCH,
        _ if named_error => saved * 2 >= size,
        _ => true,
    }
}

/// True if what fields keep many of becomes smaller by a part that can be seen.
fn is_seen(cx: &Context, info: &TypeInfo, oversized: &Oversized, counted: &Counted) -> bool {
    let change = oversized.change(cx.model, info);
    let Some((best, change)) = oversized.boxings.first().zip(change) else {
        return false;
    };
    let (size, saved) = (oversized.view.size, oversized.view.size - best.size);
    // What no field keeps is soon gone: more of it must be.
    if counted.kept.is_empty() {
        return saved >= MUCH || saved * 2 >= size;
    }
    // One collection has tens as often as thousands.
    if !counted.nested && saved < MUCH_OF_ONE {
        return false;
    }
    let loss = counted.loss(cx.model, &change, info.item, (size, best.size));
    let least = cx.config(info.krate).thresholds(LINT.name).saved_percent;
    loss.is_some_and(|(before, after)| (before - after) * 100 >= before * least.min(LEAST))
}

/// True if another enum of which there are many becomes smaller with this one.
fn mends_another(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> bool {
    let model = cx.model;
    let Some(change) = oversized.change(model, info) else {
        return false;
    };
    let thresholds = cx.config(info.krate).thresholds(LINT.name);
    let holders = cx.holders().of(info.item).iter();
    let mut holders = holders.map(|&h| &model.types()[h]);
    holders.any(|holder| {
        let Some(outer) = cx.oversized().get(&holder.item) else {
            return false;
        };
        let after = model.what_if(change.clone(), || model.extent(outer.ty));
        after.is_ok_and(|a| thresholds.worth(outer.view.size, a.size))
            && cx.population(holder.item).held
    })
}

/// True if a finding about an enum inside another stands for one about the other: it is made, and
/// asks for no more changes than that would.
fn is_root(cx: &Context, inner: &TypeInfo, found: &Oversized, variants: usize) -> bool {
    if found.boxings.first().is_none_or(|b| b.variants > variants) {
        return false;
    }
    cx.large_errors().of.contains_key(&inner.item)
        || are_enough(cx, inner, found, &cx.population(inner.item))
}

/// True if the enum is large only for the sake of enums inside it that are reported themselves.
fn root_is_inside(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> bool {
    let types = cx.model.types();
    let variants = oversized.boxings.first().map_or(0, |b| b.variants);
    let is_inside = |inner: &&TypeInfo| {
        let holders = cx.holders().of(inner.item);
        inner.item != info.item && holders.iter().any(|&i| types[i].item == info.item)
    };
    let inside = types.iter().filter(is_inside);
    let inside = inside.filter_map(|inner| Some((inner, cx.oversized().get(&inner.item)?)));
    let mut inside: Vec<_> = inside
        .filter(|(inner, found)| is_root(cx, inner, found, variants))
        .collect();
    inside.sort_by_key(|(_, found)| found.view.size);
    let mut mended = WhatIf::default();
    for (inner, found) in inside {
        // What is large for the sake of another is not reported, and stays as that leaves it.
        if let Some(best) = found.boxings.first()
            && !is_mended(cx, inner, found, &mended)
        {
            mended = cx
                .model
                .boxed_definition(inner, &found.view, &best.boxes, &mended);
        }
    }
    is_mended(cx, info, oversized, &mended)
}

/// True if other changes leave nothing of an enum's fault but in variants that only pass on what
/// they mend.
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
        [field] => mended.fields.keys().any(
            |(item, ..)| matches!(model.db.types.kind(field.ty), TyKind::Adt(id, _) if id == item),
        ),
        _ => false,
    };
    !left
        .iter()
        .any(|b| !b.boxes.iter().all(|b| passes(b.variant)))
}

/// Where values that are too wide for registers are moved.
fn moved(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> Option<Evidence> {
    let moves = cx.moves().of(info.item).iter();
    let moves = moves.filter(|m| may_be(cx.model.db, m.ty, oversized.ty));
    let moves: Vec<_> = moves.collect();
    let first = moves.first().filter(|_| oversized.view.size > MEMCPY)?;
    let how = match first.how {
        How::Put(method) => format!("by `{method}`"),
        How::Returned => "out of a function".to_owned(),
        How::Passed => "into a function".to_owned(),
    };
    Some(Evidence {
        span: Some(cx.model.db.sources.origin(first.site.span).0),
        text: format!(
            "moved with `memcpy` at {}, first {how}",
            count(moves.len(), "place")
        ),
    })
}

fn notes(cx: &Context, info: &TypeInfo, after: u64, fat: &[&VariantView]) -> Vec<String> {
    let db = cx.model.db;
    let mut notes = Vec::new();
    let wide =
        |f: &&FieldView| matches!(db.types.kind(f.ty), TyKind::Prim(Prim::I128 | Prim::U128));
    if let Some(field) = fat.iter().flat_map(|v| &v.fields).find(wide) {
        let (name, align) = (db.display(field.ty), field.align);
        notes.push(format!(
            "`{name}` is aligned to {align} bytes: as two `u64` it would need no box"
        ));
    }
    notes.extend(import(cx, info));
    if cx.model.exports(info, None) {
        notes.push(format!(
            "`{}` is `pub`: where it is exported, this changes the library's public API",
            db.item(info.item).item.name
        ));
    }
    // Said only to those who have the macro at hand.
    let krate = db.krate(info.krate).id.map(|id| db.project.krate(id));
    if krate.is_some_and(|k| k.deps.iter().any(|(name, _)| name == "weigh_derive")) {
        notes.push(format!(
            "once mended, `#[assert_size(max = {after})]` keeps it from growing back"
        ));
    }
    notes
}
