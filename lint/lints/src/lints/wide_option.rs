//! An `Option` makes every value wide, and most values have `None` in it.
//!
//! # Why
//! An `Option<T>` has room for a `T` whether there is one or not. Where most values of a type of
//! which there are many have `None`, that room is wasted in each of them. In a box it is one
//! pointer, and `None` allocates nothing.
//!
//! # What it finds
//! - Fields of structs with an `Option` that a box makes smaller, and that is `None` at most of the
//!   places that make a value. Several such fields are one finding.
//! - With `--census FILE` also those that were `None` in two thirds of that run's values, whatever
//!   the places say.
//! - The size with all of them boxed.
//!
//! # What it leaves out
//! - What is filled and emptied again in one value, as the state of an iterator: each step would
//!   allocate.
//! - What holds a pointer to the heap already (`Option<Vec<_>>`, `Option<Box<_>>`).
//! - Contents so small that the blocks of those that are `Some`, by the places or the census, take
//!   all that the field saves: malloc has no block of less than 32 bytes.
//! - Fields that a loop passes on, and those that only a loop sets to `Some`: it makes most values.
//! - Where no box can be (`Copy`, `no_std` without `alloc`), and where something outside prescribes
//!   the fields (`repr(C)`, derives and attributes that name their types).
//!
//! # Limits
//! Without a census places are counted, not values.
//!
//! # Example
//! ```
//! struct Format {
//!     before: String,
//!     after: String,
//!     indent: [u8; 80],
//! }
//!
//! struct Node {
//!     name: u32,
//!     format: Option<Format>,
//!     children: Vec<Node>,
//! }
//!
//! fn node(name: u32) -> Node {
//!     Node { name, format: None, children: Vec::new() }
//! }
//! ```
//! A `Node` is 160 bytes. With `format: Option<Box<Format>>` it is 40.

use crate::config::{Level, SAVED_BYTES, SAVED_PERCENT};
use crate::finding::amount::{number, percent};
use crate::finding::{
    BlockChange, Change, Confidence, Evidence, Finding, Label, Parts, Reason, Remedy,
};
use crate::ir::{Field, ItemKind};
use crate::layout::WhatIf;
use crate::layout::view::FieldView;
use crate::lint::wide::boxable;
use crate::lint::words::{bytes, count, import, listed, public, quoted, subject};
use crate::lint::{
    Answer, Check, Claim, Concern, Context, Group, LEAST_COUNTED, Lint, Silence, header, own_count,
};
use crate::model::TypeInfo;
use crate::model::freezing::{self, Marks, is_exported};
use crate::resolve::ty::Ty;
use crate::usage::body::FieldId;
use crate::usage::types::std_first;
use rustc_hash::FxHashSet;

/// The lint.
pub static LINT: Lint = Lint {
    name: "wide_option",
    group: Group::Layout,
    level: Level::Warn,
    header: header!("wide_option.rs"),
    settings: &[SAVED_BYTES, SAVED_PERCENT],
    clippy: &[],
    concern: Concern::Structs,
    claim: Claim::None,
    check: Check::Type(|cx, info| vec![check(cx, info)]),
};

/// Maximum number of places listed for one field.
const MOST_PLACES: usize = 2;

/// A field that is wide and mostly `None`.
struct Wide<'w> {
    id: FieldId,
    source: &'w Field,
    view: &'w FieldView,
    /// The content of the `Option`.
    inside: Ty,
    /// How often it is `None`, after its size in bytes.
    how_often: String,
    /// Existing values are assigned another one: those constructed with `None` may hold one most of
    /// the time.
    set_later: bool,
    /// Places that make it `Some`, and places that make it.
    built: (usize, usize),
    evidence: Vec<Evidence>,
}

fn check(cx: &Context, info: &TypeInfo) -> Answer {
    let model = cx.model;
    let view = boxable(cx, info)?;
    let ItemKind::Adt(adt) = &model.db.item(info.item).item.kind else {
        return Err(Silence::about("it is no struct"));
    };
    let fields = adt.variants.first().map_or(&[][..], |v| &v.fields);
    let [variant] = &view.variants[..] else {
        return Err(Silence::about("it has no fields"));
    };
    let wide = variant.fields.iter().filter(|f| f.size > model.word());
    let wide: Vec<Wide> = wide
        .filter_map(|f| mostly_none(cx, info, fields, f))
        .collect();
    if wide.is_empty() {
        return Err(Silence::about(
            "no `Option` in it that a box makes smaller is `None` at most places",
        ));
    }
    let boxed = |w: &Wide| {
        let ty = model.replaced(w.view.ty, w.inside, model.boxed(w.inside));
        (w.id.place(), Some(ty))
    };
    let change = WhatIf {
        fields: wide.iter().map(boxed).collect(),
    };
    let after = model.size_if(info.ty, &change).unwrap_or(view.size);
    let thresholds = cx.config(info.krate).thresholds(LINT.name);
    if !thresholds.worth(view.size, after) {
        return Err(Silence::about(
            "a box saves too little, by the settings of this lint",
        ));
    }
    if cx.is_api_protected(info) {
        return Err(Silence::about("its manifest keeps the exported API"));
    }
    let found = WideOptions {
        cx,
        info,
        wide,
        change,
        size: (view.size, after),
    };
    Ok(found.finding(&variant.fields))
}

/// The data of a finding about one struct.
struct WideOptions<'f> {
    cx: &'f Context<'f>,
    info: &'f TypeInfo,
    /// At least one.
    wide: Vec<Wide<'f>>,
    /// Boxes in all of them.
    change: WhatIf,
    /// Size of a value today and with boxes, in bytes.
    size: (u64, u64),
}

impl WideOptions<'_> {
    fn finding(&self, fields: &[FieldView]) -> Finding {
        let (cx, model, info) = (self.cx, self.cx.model, self.info);
        let counted = cx.population(info.item);
        let name = model.db.item(info.item).item.name;
        let path = |w: &Wide| freezing::field_path(model, w.id);
        let paths: Vec<_> = self.wide.iter().map(path).collect();
        let exported = self.wide.iter().filter(|w| is_exported(model, info, w.id));
        let exported: Vec<_> = exported.map(path).collect();
        let mut evidence = Vec::from_iter(counted.plainest());
        evidence.extend(self.wide.iter().flat_map(|w| w.evidence.iter().cloned()));
        let labels = self.wide.iter().map(|w| {
            let text = format!("{}, `None` {}", bytes(w.view.size), w.how_often);
            Label::new(freezing::field_span(model, info, w.id), text)
        });
        let Marks {
            primary,
            secondary,
            claims,
        } = freezing::marks(info, Some(self.size.0), labels).expect("there is one");
        let message = format!(
            "{} {} {}, and {} of the {} of every `{name}`",
            subject(&paths, name),
            if paths.len() == 1 { "is" } else { "are" },
            match self.wide.iter().any(|w| w.set_later) {
                true => "`None` at first",
                false => "mostly `None`",
            },
            self.wide.iter().map(|w| w.view.size).sum::<u64>(),
            bytes(self.size.0),
        );
        let rows = fields.iter().map(|f| (f.name.to_string(), f.size));
        Finding {
            after: cx.drawing(&self.change, info.ty),
            claims,
            secondary,
            field: Some(self.wide[0].source.name.to_string()),
            size_before: Some(self.size.0),
            parts: Some(Parts::widest("bytes of each field", rows)),
            remedies: vec![self.remedy(&paths)],
            evidence,
            trade_off: Some("each `Some` then costs an allocation".to_owned()),
            notes: import(cx, info)
                .into_iter()
                .chain(public(&exported))
                .collect(),
            multiplicity: counted.multiplicity,
            confidence: match self.wide.iter().any(|w| w.set_later) {
                true => Confidence::Likely,
                false => Confidence::Proved,
            },
            slot: counted.slot(model, &self.change, info.item, self.size),
            built: Some(
                self.wide
                    .iter()
                    .fold((0, 0), |(some, all), w| (some + w.built.0, all + w.built.1)),
            ),
            against: Reason::holding([
                (model.is_error(info), Reason::Error),
                (
                    counted.channel || model.is_output(info) || model.is_used_up(info),
                    Reason::Brief,
                ),
                (!exported.is_empty(), Reason::Unseen),
            ]),
            ..Finding::new(message, primary)
        }
    }

    fn remedy(&self, paths: &[String]) -> Remedy {
        let boxed = |w: &Wide| {
            Some(BlockChange::Boxed {
                variant: None,
                field: Some(w.source.name.to_string()),
                bytes: self.cx.model.size(w.inside)?,
            })
        };
        let inside = |w: &Wide| Change::BoxedInside(w.source.ty_span);
        let title = format!("box the contents of {}", listed(&quoted(paths)));
        Remedy {
            heap: self.wide.iter().map(boxed).collect(),
            size_after: Some(self.size.1),
            ripple: self.cx.ripple(self.info, &self.change),
            change: self.wide.iter().map(inside).collect(),
            ..Remedy::new(title)
        }
    }
}

/// Checks a field that is an `Option` of a wide type, and `None` in most values of a run, or at most
/// places that construct a value.
fn mostly_none<'w>(
    cx: &Context,
    info: &TypeInfo,
    fields: &'w [Field],
    view: &'w FieldView,
) -> Option<Wide<'w>> {
    let model = cx.model;
    let inside = std_first(model.db, view.ty, &["Option"])?;
    let source = fields.get(view.index)?;
    let id = FieldId::new(info.item, 0, view.index);
    if model.is_behind_pointer(inside)
        || !freezing::is_plain(model, id)
        || cx.stores().is_refilled(model.db, cx.usage(), id)
    {
        return None;
    }
    // Of so many values, so many have a block.
    let saves = |some: u64, all: u64| {
        let block = model.block_of("Box", inside)?;
        (all * (view.size - model.word()) > some * block).then_some(())
    };
    if let Some((none, all)) = counted(cx, info, &source.name.to_string()) {
        saves(all - none, all)?;
        return Some(Wide {
            id,
            source,
            view,
            inside,
            how_often: format!("in {} of {} values", percent(none, all), number(all)),
            set_later: false,
            built: (0, 0),
            evidence: Vec::new(),
        });
    }
    let mut sets = cx.stores().sets(model.db, cx.usage(), id);
    // Repetitions of a macro have one span.
    let mut seen = FxHashSet::default();
    sets.retain(|s| seen.insert((model.db.sources.origin(s.span).0, s.is_none)));
    let (sets, later): (Vec<_>, Vec<_>) = sets.into_iter().partition(|s| s.made);
    let none: Vec<_> = sets.iter().filter(|s| s.is_none).collect();
    if none.len() * 2 <= sets.len() {
        return None;
    }
    // Most values are constructed in loops, however many other places there are; a value that a
    // loop only passes on may be either.
    let none_in_loop = none.iter().any(|s| s.in_loop);
    let mut in_loops = sets.iter().filter(|s| s.in_loop && !s.is_none);
    if in_loops.any(|s| !s.is_some || !none_in_loop) {
        return None;
    }
    let later_some = later.iter().filter(|s| !s.is_none).count();
    saves(
        (sets.len() - none.len() + later_some) as u64,
        (sets.len() + later_some) as u64,
    )?;
    let path = freezing::field_path(model, id);
    let shown = none.iter().take(MOST_PLACES);
    let mut evidence: Vec<Evidence> = shown
        .map(|s| model.evidence(s.span, format!("`{path}` is `None` here")))
        .collect();
    let some = sets.iter().chain(&later).find(|s| !s.is_none);
    let may_be = format!("`{path}` may be `Some` here");
    evidence.extend(some.map(|s| model.evidence(s.span, may_be)));
    Some(Wide {
        id,
        source,
        view,
        inside,
        how_often: format!("at {} of {}", none.len(), count(sets.len(), "place")),
        set_later: !later.is_empty() || cx.stores().is_open(model.db, id, source.name),
        built: (sets.len() - none.len(), sets.len()),
        evidence,
    })
}

/// Returns how many of a field's values were `None`, and of how many, if those were most and not
/// all, of which `always_empty` speaks.
fn counted(cx: &Context, info: &TypeInfo, field: &str) -> Option<(u64, u64)> {
    let (none, all) = own_count(cx.counts(info)?(field))?.none?;
    (all >= LEAST_COUNTED && none < all && none * 3 >= all * 2).then_some((none, all))
}
