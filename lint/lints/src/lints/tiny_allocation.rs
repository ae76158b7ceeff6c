//! A value smaller than malloc's smallest block has a block of its own.
//!
//! # Why
//! glibc's malloc has no block of less than 32 bytes, 24 of them usable, and rounds others up to
//! 16; `Rc` and `Arc` add two counts of 16 bytes. A `Box<u32>` takes 32 bytes of heap and 8 for
//! the pointer, to hold 4.
//!
//! # What it finds
//! - Fields that are a `Box`, `Rc` or `Arc` of a small value, or an `Option` of one, in types of
//!   which there are many; with the size of the type with the value inline.
//! - Boxes in enums that a wide variant, which most places build, makes so wide that the value fits
//!   without the box.
//!
//! # What it leaves out
//! - Recursive types, trait objects, pinned values, `UnsafeCell`s and raw pointers.
//! - Values with a larger alignment than a pointer, which their owner would get.
//! - `Rc` and `Arc` that are cloned: an arena or an index may be better there.
//! - Enums that would grow, and types that would grow for a value that may be absent.
//!
//! # Example
//! ```
//! struct Token {
//!     line: Box<u32>,
//! }
//! ```
//! With `line: u32` a token is 4 bytes instead of 8, and 32 bytes of heap are saved.

use crate::config::{Level, Setting};
use crate::finding::{BlockChange, Confidence, Evidence, Finding, Multiplicity, Reason};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::lint::frequency::frequency;
use crate::lint::words::bytes;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::TypeInfo;
use crate::model::freezing;
use crate::model::growth::Growth;
use crate::model::parts::{Part, with_field};
use crate::model::population::Counted;
use crate::name::Name;
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};
use crate::span::Span;
use crate::usage::boxes::To;
use crate::usage::types::{OWNING, adt_of, inner, is_buffer, is_plain, std_parts};

/// The lint.
pub static LINT: Lint = Lint {
    name: "tiny_allocation",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("tiny_allocation.rs"),
    settings: &[LARGEST],
    clippy: &[],
    concern: Concern::Contents,
    claim: Claim::Rival(2),
    check: Check::Type(|cx, info| found(check(cx, info), NONE)),
};

/// Why there is no finding for a type.
const NONE: &str =
    "no value in it has a block of its own that is little more than the block's cost";

const LARGEST: Setting = Setting {
    key: "largest-value",
    default: 24,
    doc: "bytes in a block, counts included, from which on it is not tiny",
};

/// A pointer to a small value.
struct Tiny {
    pointer: Ty,
    name: &'static str,
    value: Ty,
    optional: bool,
}

fn check(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let name = info.path.as_str();
    // Errors are thin on purpose: each `Result` holds one.
    if name.ends_with("Error") || name.ends_with("ErrorKind") {
        return Vec::new();
    }
    let parts = cx.model.parts(info);
    let found = parts.iter().filter_map(|part| {
        let tiny = pointer(cx, part.ty, false)?;
        judge(cx, info, part, &tiny)
    });
    found.collect()
}

/// Returns the pointer that a field holds inline.
fn pointer(cx: &Context, ty: Ty, optional: bool) -> Option<Tiny> {
    let db = cx.model.db;
    if let TyKind::Tuple(list) = db.types.kind(ty) {
        return list.iter().find_map(|ty| pointer(cx, *ty, optional));
    }
    let (name, _) = std_parts(db, ty)?;
    let value = *inner(db, ty).first()?;
    if name == "Option" {
        return pointer(cx, value, true);
    }
    let of_std = std_parts(db, value).map_or("", |(n, _)| n);
    // A cell without checks is there to be pointed at.
    let pointed_at = of_std == "UnsafeCell";
    let other = is_buffer(db, value) || OWNING.contains(&of_std) || pointed_at;
    let plain = is_plain(db, value) && !matches!(db.types.kind(value), TyKind::Ref(..));
    (OWNING.contains(&name) && plain && !other).then_some(Tiny {
        pointer: ty,
        name,
        value,
        optional,
    })
}

/// Returns how many places allocate it, if no use requires a block of its own; otherwise `None`.
fn made(cx: &Context, info: &TypeInfo, part: &Part, tiny: &Tiny) -> Option<usize> {
    let model = cx.model;
    let extent = model.extent(tiny.value);
    let aligned = extent.is_ok_and(|extent| extent.align > model.word());
    if cx.boxes().is_pinned(tiny.value) || cx.is_recursive(tiny.value) || aligned {
        return None;
    }
    // A box in a boxed struct, or of a buffer, is reported by `double_allocation`.
    let behind = info.kind == AdtKind::Struct && cx.pointers().is_always_behind(info.item);
    let paired = tiny.name == "Box" && !tiny.optional && behind;
    if paired || !model.pairs(part.ty).is_empty() {
        return None;
    }
    let uses = cx.boxes().of(tiny.pointer);
    let shared = tiny.name != "Box";
    let may_be_cloned = || {
        cx.boxes().asked_of_any(tiny.name)
            || cx.boxes().may_be_cloned(Name::new(&part.path()))
            || model.is_clone(info)
    };
    // An unknown derive may copy it.
    if shared && (!freezing::is_free(model, info) || uses.is_none() || may_be_cloned()) {
        return None;
    }
    let Some(uses) = uses else {
        return Some(0);
    };
    let asked = !uses.by_address.is_empty() || !uses.by_owner.is_empty();
    let elsewhere = uses.made.iter().any(|m| m.to == To::Element);
    if asked || shared && !uses.cloned.is_empty() || !uses.passed.is_empty() || elsewhere {
        return None;
    }
    Some(uses.made.iter().filter(|m| !m.site.aside).count())
}

/// Returns true for a lock or an atomic, of std or another crate, by name: what threads share, there
/// is little of.
fn is_synchronized(db: &Db<'static>, value: Ty) -> bool {
    adt_of(db, value).is_some_and(|adt| {
        let name = db.item(adt).item.name.as_str();
        matches!(name, "Mutex" | "OnceLock" | "RwLock") || name.starts_with("Atomic")
    })
}

/// Returns how many there are, and where they are allocated: the places that set the field to one.
fn evidence(cx: &Context, counted: &Counted, part: &Part, tiny: &Tiny) -> Vec<Evidence> {
    let mut evidence = counted.evidence.clone();
    let puts = cx.stores().of(part.id).iter();
    let set = puts.filter_map(|put| {
        let body = &cx.usage().bodies[put.place.body];
        put.value.map(|value| body.node(value).span)
    });
    let set: Vec<Span> = set.collect();
    let places = cx.boxes().of(tiny.pointer).into_iter();
    let places = places.flat_map(|u| &u.made).filter(|m| !m.site.aside);
    let is_in = |inner: Span, outer: &Span| inner.file == outer.file && outer.to(inner) == *outer;
    let places = places.filter(|m| set.iter().any(|value| is_in(m.site.span, value)));
    let places = places.take(2);
    evidence.extend(places.map(|m| cx.model.evidence(m.site.span, "allocated here")));
    evidence
}

/// Returns true for an enum of which most values have one of the widest variants.
fn is_wide_anyway(cx: &Context, info: &TypeInfo) -> bool {
    let of = cx.oversized().get(&info.item);
    let boxing = of.and_then(|of| Some((of, of.boxings.first()?)));
    boxing.is_some_and(|(of, best)| {
        let mut boxed = best.boxes.iter().map(|b| &of.view.variants[b.variant]);
        boxed.any(|variant| frequency(cx, info, of.ty, variant).common)
    })
}

/// Returns what types grow by with the value inline.
fn growth(cx: &Context, info: &TypeInfo, change: &WhatIf, is_tiny: bool) -> Option<Growth> {
    if is_tiny || !is_wide_anyway(cx, info) {
        return cx.growth(info, change);
    }
    // Nobody boxes what most values are.
    let after = cx.model.size_if(info.ty, change)?;
    let of_type = after.saturating_sub(cx.model.size(info.ty)?);
    Some(Growth {
        of_type,
        of_enums: of_type,
    })
}

/// Says that a value of so many bytes has a block of so many.
fn tiny_message(cx: &Context, part: &Part, tiny: &Tiny, (size, block): (u64, u64)) -> String {
    let boxes = match tiny.name {
        "Box" => "boxes",
        _ => "allocates",
    };
    let smallest = match block == cx.model.block(1) {
        true => "the smallest heap block",
        false => "its heap block",
    };
    format!(
        "`{}` {boxes} {}; {smallest} is {block}",
        part.shown(),
        bytes(size)
    )
}

fn judge(cx: &Context, info: &TypeInfo, part: &Part, tiny: &Tiny) -> Option<Finding> {
    let model = cx.model;
    let db = model.db;
    let extent = model.extent(tiny.value).ok()?;
    let held = model.held(tiny.name, extent.size, extent.align);
    if extent.size == 0 {
        return None;
    }
    let is_tiny = held <= cx.config(info.krate).setting(LINT.name, &LARGEST);
    // What an enum has room for anyway needs no block, however large it is.
    if !is_tiny && (info.kind != AdtKind::Enum || tiny.name != "Box") {
        return None;
    }
    let made = made(cx, info, part, tiny)?;
    let block = model.block(held);
    let change = with_field(part.id, model.replaced(part.ty, tiny.pointer, tiny.value));
    let growth = growth(cx, info, &change, is_tiny)?;
    // An optional box is for the values without it: they would pay for the growth.
    let most = match tiny.optional || !is_tiny {
        true => 0,
        false => block - 1,
    };
    let counted = cx.population(info.item);
    if growth.of_enums > 0
        || growth.of_type > most
        || counted.multiplicity == Multiplicity::Singleton
    {
        return None;
    }
    let confidence = match (part.exported(), made) {
        (false, 1..) => Confidence::Proved,
        (false, 0) | (true, 1..) => Confidence::Likely,
        (true, 0) => Confidence::Possible,
    };
    let title = format!(
        "store the `{}` inline: {block} bytes of heap less per value",
        db.display(tiny.value)
    );
    let message = match is_tiny {
        // With the counts of an `Rc`.
        true => tiny_message(cx, part, tiny, (held, block)),
        false => format!(
            "`{}` boxes {}, for which `{}` has room without a box",
            part.shown(),
            bytes(extent.size),
            db.item(info.item).item.name,
        ),
    };
    let heap = BlockChange::Freed(part.path());
    let said = (message, format!("`{}`", db.display(part.ty)));
    Some(Finding {
        after: cx.drawing(&change, info.ty),
        evidence: evidence(cx, &counted, part, tiny),
        trade_off: Some(match growth.of_type {
            0 => "no type gets larger".to_owned(),
            n => format!("`{}` grows by {n} bytes", db.item(info.item).item.name),
        }),
        multiplicity: counted.multiplicity,
        confidence,
        against: Reason::holding([
            (model.is_error(info), Reason::Error),
            (is_synchronized(db, tiny.value), Reason::Synchronized),
        ]),
        ..cx.on_part((info, part), said, cx.remedy(info, &change, title)?, heap)
    })
}
