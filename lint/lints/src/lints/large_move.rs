//! Wide values are copied whole into collections and channels.
//!
//! # Why
//! A push, an insert or a send copies the value to its place; from 128 bytes on that is a call of
//! `memcpy`. A type of which there are many pays that for each.
//!
//! # What it finds
//! - Types of more than `move-size` bytes of which there are many, and that are moved into a
//!   collection or channel.
//! - The definition inside that makes them wide, with the size that its remedy gives.
//!
//! # What it leaves out
//! - Types that `oversized_variant` or `large_err` reports: there the moves are evidence.
//! - Values that are returned or passed: the compiler constructs these in place, or passes their
//!   address.
//! - Types that no remedy of another lint makes smaller.
//!
//! # Example
//! ```
//! enum Shape {
//!     Point,
//!     Polygon { name: String, points: [f32; 26] },
//! }
//!
//! struct Placed {
//!     at: (f32, f32),
//!     shape: Shape,
//! }
//!
//! fn place(scene: &mut Vec<Placed>, shapes: Vec<Shape>) {
//!     for shape in shapes {
//!         scene.push(Placed { at: (0.0, 0.0), shape });
//!     }
//! }
//! ```
//! Each `push` copies 136 bytes; with the fields of `Polygon` in a box it is 16.

use crate::config::{Level, SAVED_BYTES, SAVED_PERCENT, Setting};
use crate::finding::{Evidence, Finding, Reason, Remedy};
use crate::layout::WhatIf;
use crate::lint::boxes::Boxes;
use crate::lint::words::{self, bytes, count, listed, of_size};
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::TypeInfo;
use crate::model::boxing::{Boxing, Oversized};
use crate::usage::moves::Move;

/// The lint.
pub static LINT: Lint = Lint {
    name: "large_move",
    group: Group::Layout,
    level: Level::Warn,
    header: header!("large_move.rs"),
    settings: &[MOVE_SIZE, SAVED_BYTES, SAVED_PERCENT],
    clippy: &[],
    concern: Concern::Structs,
    claim: Claim::None,
    check: Check::Last(|cx, info| found(check(cx, info), none(cx, info))),
};

/// Why there is no finding for a type.
fn none(cx: &Context, info: &TypeInfo) -> String {
    let limit = cx.config(info.krate).setting(LINT.name, &MOVE_SIZE);
    format!("none of over {limit} bytes that another lint makes smaller is moved")
}

/// The size from which on a move is a call.
const MOVE_SIZE: Setting = Setting {
    key: "move-size",
    default: 128,
    doc: "most bytes of a type whose moves are not counted",
};

/// Maximum number of places listed.
const MOST_PLACES: usize = 3;

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    let package = cx.config(info.krate);
    let limit = package.setting(LINT.name, &MOVE_SIZE);
    let size = model.size(info.ty)?;
    let moves = cx.moves().of(info.item);
    if size <= limit || moves.is_empty() || cx.is_api_protected(info) {
        return None;
    }
    let spoken = cx.oversized().contains_key(&info.item)
        || cx.large_errors().of.contains_key(&info.item)
        || cx.errors().contains(&info.item);
    let counted = cx.population(info.item);
    if spoken || !counted.multiplicity.is_stored() || model.is_repr_c(info) {
        return None;
    }
    let name = model.db.item(info.item).item.name;
    let worth = |mended: &Mended| {
        let after = model.size_if(info.ty, &mended.change).unwrap_or(size);
        let helps = after <= limit && package.thresholds(LINT.name).worth(size, after);
        helps.then_some(after)
    };
    // A change that another lint does not suggest by itself is no reason for a finding here.
    let mut mended = [true, false].into_iter().map(|sure| mended(cx, info, sure));
    let mended = mended.find_map(|m| Some((worth(&m)?, m)));
    let (after, mended) = mended?;
    let Mended {
        roots,
        change,
        sure,
        public,
    } = mended;
    let remedy = Remedy {
        size_after: Some(after),
        ripple: cx.ripple(info, &change),
        ..Remedy::new(format!("shrink {}", listed(&roots)))
    };
    let places = moves.iter().take(MOST_PLACES);
    let mut evidence: Vec<Evidence> = places.map(|m| place(cx, m)).collect();
    evidence.extend(counted.plainest());
    let message = format!(
        "`{name}` is moved into collections or channels at {}, {} each time; it could be {after}",
        count(moves.len(), "place"),
        bytes(size),
    );
    Some(Finding {
        after: cx.drawing(&change, info.ty),
        size_before: Some(size),
        remedies: vec![remedy],
        evidence,
        trade_off: Some("each box costs an allocation".to_owned()),
        notes: Vec::from_iter(words::public(&public)),
        multiplicity: counted.multiplicity,
        against: Reason::holding([(sure, Reason::Repeated)]),
        ..Finding::new(message, of_size(info, size))
    })
}

/// The enums inside a type that boxes make smaller.
#[derive(Default)]
struct Mended {
    /// Their names, each with what is boxed.
    roots: Vec<String>,
    change: WhatIf,
    /// `oversized_variant` reports it by default.
    sure: bool,
    /// Those visible to other packages.
    public: Vec<String>,
}

/// Returns all of them, or those of which another lint is `sure`.
fn mended(cx: &Context, info: &TypeInfo, sure: bool) -> Mended {
    let model = cx.model;
    let types = model.types();
    let mut inside = Vec::new();
    for inner in cx.holders().inside(info.item).iter().map(|&i| &types[i]) {
        if let Some(of) = cx.oversized().get(&inner.item)
            && let Some(best) = of.boxings.first()
            && let Some(boxes) = Boxes::of(cx, inner, of)
            // The author has allowed its width.
            && !cx.clippy_allows(inner.krate, &["large_enum_variant"], inner.span)
        {
            let widest = boxes.widest(best);
            let spoken = widest.first().map(|v| boxes.variant_span(v));
            if sure && !spoken.is_some_and(|place| cx.is_claimed(place)) {
                continue;
            }
            inside.push((inner, &**of, best, boxes.words(best)));
        }
    }
    // With a box around it, what is wide inside does not matter any more.
    let change = |inside: &[Inside]| {
        let none = WhatIf::default();
        inside.iter().fold(none, |given, (inner, of, best, _)| {
            model.boxed_definition(inner, &of.view, &best.boxes, &given)
        })
    };
    let mut least = change(&inside);
    for n in (0..inside.len()).rev() {
        let one = inside.remove(n);
        let without = change(&inside);
        match model.size_if(info.ty, &without) == model.size_if(info.ty, &least) {
            true => least = without,
            false => inside.insert(n, one),
        }
    }
    let name = |inner: &TypeInfo| model.db.item(inner.item).item.name;
    let root = |(inner, _, _, how): &Inside| format!("`{}` ({how})", name(inner));
    let public = inside.iter().filter(|(i, ..)| model.exports(i, None));
    let mut roots: Vec<_> = inside.iter().map(root).collect();
    roots.dedup();
    Mended {
        roots,
        change: least,
        sure,
        public: public.map(|(inner, ..)| name(inner).to_string()).collect(),
    }
}

/// An enum inside, its best boxing, and that in words.
type Inside<'m> = (&'m TypeInfo, &'m Oversized, &'m Boxing, String);

fn place(cx: &Context, m: &Move) -> Evidence {
    let often = if m.site.loops > 0 { ", in a loop" } else { "" };
    cx.model
        .evidence(m.site.span, format!("moved by `{}`{often}", m.by))
}
