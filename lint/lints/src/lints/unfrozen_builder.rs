//! A type grows only during construction, and then keeps its spare capacity.
//!
//! # Why
//! A buffer grows by doubling: when construction is over, up to half of it may be spare. In a type
//! that is then shared through `Rc` or `Arc`, or stored in another type, and never grows again,
//! that spare capacity is never released, and each value carries a capacity field.
//!
//! # What it finds
//! - Types that a field of another type stores, and whose buffers grow only in their own methods
//!   or constructors, while the value is still a local variable.
//! - Builders that grow a value in a field and return it when it is done: the second type is
//!   already there.
//!
//! # What it leaves out
//! - Values behind a cell or a lock, types that exist once, buffers that are cleared and refilled,
//!   and values that are lent by `&mut` from where they are stored.
//! - Uses where it is not clear whose value grows.
//!
//! # Limits
//! The remedy is a second type: the code that constructs a value has to say when it is done. Other
//! packages may use what a library exports in other ways: such findings are never `proved`.
//!
//! # Example
//! ```
//! use std::rc::Rc;
//!
//! #[derive(Default)]
//! struct Path {
//!     points: Vec<(f64, f64)>,
//! }
//!
//! impl Path {
//!     fn line_to(&mut self, x: f64, y: f64) {
//!         self.points.push((x, y));
//!     }
//! }
//!
//! struct Shape {
//!     path: Rc<Path>,
//! }
//!
//! fn square() -> Shape {
//!     let mut path = Path::default();
//!     for (x, y) in [(0., 0.), (1., 0.), (1., 1.), (0., 1.)] {
//!         path.line_to(x, y);
//!     }
//!     Shape { path: Rc::new(path) }
//! }
//! ```
//! Rename this one `PathBuilder`, and let `into_path(self)` turn it into a `Path` with `points:
//! Box<[(f64, f64)]>` by `into_boxed_slice()`.

use crate::config::Level;
use crate::finding::{
    BlockChange, Confidence, Evidence, Finding, Label, Multiplicity, Reason, Remedy,
};
use crate::layout::WhatIf;
use crate::lint::words::{listed, public, quoted, subject};
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::TypeInfo;
use crate::model::freezing::{self, Frozen, Marks};
use crate::model::population::Counted;
use crate::resolve::ItemId;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::usage::body::FieldId;
use crate::usage::buffers::{Buffer, Use};
use crate::usage::lifecycle::{Lifecycle, Owner};
use crate::usage::types::{adt_of, fields_of, inner, std_parts, types_of};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The lint.
pub static LINT: Lint = Lint {
    name: "unfrozen_builder",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("unfrozen_builder.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Blocks,
    claim: Claim::Rival(8),
    check: Check::Last(|cx, info| found(check(cx, info), NONE)),
};

/// Why there is no finding for a type.
const NONE: &str = "it does not grow while it is made and stay as it is then";

/// Two counters before the value that an `Rc` or `Arc` shares.
const COUNTERS: u64 = 2;

/// Maximum number of places shown.
const MOST: usize = 3;

/// Returns true for a type that can grow through a shared reference.
fn is_open(cx: &Context, ty: Ty) -> bool {
    std_parts(cx.model.db, ty).is_some_and(|(name, args)| {
        let cells = ["Cell", "Mutex", "RefCell", "RwLock"];
        cells.contains(&name) || types_of(args).any(|ty| is_open(cx, ty))
    })
}

/// Returns true if a function returns values of a type to its callers.
fn is_given(cx: &Context, item: ItemId) -> bool {
    let db = cx.model.db;
    let bodies = cx.usage().bodies.iter().filter(|b| !b.function.aside);
    let mut outputs: Vec<Ty> = bodies.map(|b| b.output).collect();
    while let Some(ty) = outputs.pop() {
        if adt_of(db, ty) == Some(item) {
            return true;
        }
        outputs.extend(inner(db, ty));
    }
    false
}

/// A type that grows only during construction.
struct Case<'c> {
    cx: &'c Context<'c>,
    info: &'c TypeInfo,
    lifecycle: &'c Lifecycle,
    /// Its buffers, and the frozen type of each; those that grow first.
    frozen: Vec<(&'c Buffer, Frozen)>,
    /// How many of them grow.
    grown: usize,
    /// The multiplicity: of a shared type that of the pointers to it.
    counted: Arc<Counted>,
    /// The field that stores it, if found.
    owner: Option<&'c Owner>,
    /// A workspace type stores or builds it; it is not just returned to others.
    stored_here: bool,
    /// Other packages may name it.
    exported: bool,
}

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let case = Case::of(cx, info)?;
    let (before, after, change) = case.sizes()?;
    let confidence = match case.exported {
        true if cx.config(info.krate).avoid_breaking_exported_api => return None,
        true => Confidence::Likely,
        false => Confidence::Proved,
    };
    let labels = case.frozen.iter().map(|(b, f)| {
        let text = match grows(cx, b) {
            true => format!("grows only during construction, then could be `{}`", f.text),
            false => format!("never grows, could be `{}`", f.text),
        };
        Label::new(freezing::field_span(cx.model, info, b.field), text)
    });
    let Marks {
        primary,
        mut secondary,
        claims,
    } = freezing::marks(info, Some(before), labels)?;
    secondary.extend(case.owner.and_then(|k| owner_label(cx, k)));
    let fields = case.frozen.iter();
    let names: Vec<_> = fields
        .map(|(b, _)| freezing::field_name(cx.model, b.field))
        .collect();
    let number = case.number();
    Some(Finding {
        claims,
        secondary,
        field: names.first().cloned(),
        size_before: Some(before),
        remedies: vec![Remedy {
            heap: Some(names.into_iter().map(BlockChange::Frozen).collect()),
            size_after: Some(after),
            ripple: cx.ripple(info, &with_makers(cx, info, case.lifecycle, change)),
            ..Remedy::new(case.title())
        }],
        evidence: case.evidence((before, after)),
        trade_off: Some("shrinking may reallocate once".to_owned()),
        notes: Vec::from_iter(public(&case.exposed())),
        multiplicity: number,
        confidence,
        against: Reason::holding([(!case.stored_here || case.exported, Reason::Unseen)]),
        ..Finding::new(case.message(), primary)
    })
}

/// Returns true if a buffer certainly grows somewhere outside of tests.
fn grows(cx: &Context, buffer: &Buffer) -> bool {
    cx.buffers().uses(buffer.field).iter().any(Use::grows)
}

/// Returns the buffers of a type to split, those that grow first: those that never grow are frozen
/// with them.
fn buffers<'c>(cx: &'c Context, info: &TypeInfo) -> Vec<(&'c Buffer, Frozen)> {
    let model = cx.model;
    let is_claimed = |b: &Buffer| cx.is_claimed(freezing::field_span(model, info, b.field));
    let buffers = cx.buffers().of(info.item).iter();
    let ended = buffers.filter(|b| grows(cx, b) || cx.buffers().is_final(b.field));
    let free = ended.filter(|b| freezing::may_change(model, b) && !is_open(cx, b.ty));
    let free = free.filter(|b| !is_claimed(b));
    let mut frozen: Vec<_> = free.filter_map(|b| Some((b, model.frozen(b)?))).collect();
    frozen.sort_by_key(|(b, _)| !grows(cx, b));
    frozen
}

impl<'c> Case<'c> {
    fn of(cx: &'c Context<'c>, info: &'c TypeInfo) -> Option<Case<'c>> {
        let model = cx.model;
        let lifecycle = cx.lifecycles().of(info.item)?;
        if !lifecycle.only_by_maker || !freezing::is_free(model, info) || model.is_error(info) {
            return None;
        }
        let frozen = buffers(cx, info);
        let grown = frozen.iter().filter(|(b, _)| grows(cx, b)).count();
        if grown == 0 {
            return None;
        }
        let is_stored = |k: &&Owner| cx.population(k.field.adt).multiplicity.is_stored();
        let owners = lifecycle.owners.iter();
        let mut shared = owners.clone().filter(|k| k.shared.is_some());
        let owner = shared
            .find(is_stored)
            .or_else(|| owners.clone().find(is_stored))
            .or(lifecycle.owners.first());
        let counted = match (cx.population(info.item), owner) {
            (own, Some(owner)) if !own.multiplicity.is_stored() => cx.population(owner.field.adt),
            (own, _) => own,
        };
        // The owner counts only if code here finishes a builder, or constructs the type in
        // variables: otherwise the values are for other crates.
        let fed =
            lifecycle.builder_fields.is_empty() || lifecycle.builder_fields.iter().any(|w| w.asked);
        let owner = owner.filter(|_| fed || lifecycle.in_variables);
        let case = Case {
            cx,
            info,
            lifecycle,
            frozen,
            grown,
            counted,
            owner,
            stored_here: owner.is_some() || !lifecycle.builder_fields.is_empty(),
            exported: model.exports(info, None),
        };
        case.is_worth_it().then_some(case)
    }

    /// Returns true if a second type may be worth it: for shared or numerous values, for those with
    /// a builder already, and for those created for other crates, which keep the spare capacity.
    fn is_worth_it(&self) -> bool {
        let (cx, info, lifecycle) = (self.cx, self.info, self.lifecycle);
        let for_others =
            self.exported && !cx.model.is_used_up(info) && self.open().next().is_none();
        let kept = match self.stored_here {
            true => {
                let many = self.counted.multiplicity.is_stored();
                self.is_shared() || many || !lifecycle.builder_fields.is_empty()
            }
            false => !lifecycle.by_others && is_given(cx, info.item),
        };
        (self.owner.is_some() || for_others)
            && kept
            && self.counted.multiplicity != Multiplicity::Singleton
    }

    fn is_shared(&self) -> bool {
        self.owner.is_some_and(|k| k.shared.is_some())
    }

    /// Iterates over its fields that other packages may name.
    fn open(&self) -> impl Iterator<Item = FieldId> {
        let fields = self.frozen.iter().map(|(b, _)| b.field);
        fields.filter(|field| freezing::is_exported(self.cx.model, self.info, *field))
    }

    fn exposed(&self) -> Vec<String> {
        let path = |field| freezing::field_path(self.cx.model, field);
        self.open().take(MOST).map(path).collect()
    }

    /// Returns the current size of a value and the one with frozen buffers (bytes), if that is
    /// less.
    fn sizes(&self) -> Option<(u64, u64, WhatIf)> {
        let (model, ty) = (self.cx.model, self.info.ty);
        let change = freezing::change(&self.frozen);
        let (before, after) = (model.size(ty)?, model.size_if(ty, &change)?);
        (after < before).then_some((before, after, change))
    }

    /// Returns the multiplicity: that of the sharing pointers, or of the fields that hold them.
    fn number(&self) -> Multiplicity {
        let sharing = self.lifecycle.owners.iter().filter(|k| k.shared.is_some());
        let sharing: FxHashSet<FieldId> = sharing.map(|k| k.field).collect();
        let of_keeper = self
            .owner
            .map(|k| self.cx.population(k.field.adt).multiplicity);
        let of_fields = (!sharing.is_empty()).then_some(Multiplicity::Stored {
            depth: 1 + u8::from(self.cx.populations().is_nested(self.info.item)),
            holders: sharing.len() as u16,
        });
        let own = self.counted.multiplicity;
        [of_keeper, of_fields]
            .into_iter()
            .flatten()
            .fold(own, Multiplicity::max)
    }

    fn message(&self) -> String {
        let model = self.cx.model;
        let paths = self.frozen[..self.grown].iter();
        let paths: Vec<_> = paths
            .map(|(b, _)| freezing::field_path(model, b.field))
            .collect();
        let (grow, keep) = match self.grown {
            1 => ("grows", "keeps"),
            _ => ("grow", "keep"),
        };
        format!(
            "{} {grow} only during construction, then {keep} a capacity for nothing",
            subject(&paths, model.db.item(self.info.item).item.name),
        )
    }

    fn title(&self) -> String {
        let frozen = || self.frozen.iter();
        let paths = frozen().map(|(b, _)| freezing::field_path(self.cx.model, b.field));
        let fields = listed(&quoted(paths));
        let types = listed(&quoted(frozen().map(|(_, f)| &f.text)));
        match self.lifecycle.builder_fields.first() {
            Some(builder) => format!(
                "grow the buffers in `{}`, and return a type with {fields} as {types}",
                self.cx.model.db.item(builder.field.adt).item.name,
            ),
            None if !self.stored_here => {
                format!("grow {fields} in local variables, and construct it from {types}")
            }
            None => format!("split it into a builder and a frozen type with {fields} as {types}"),
        }
    }

    fn evidence(&self, (before, after): (u64, u64)) -> Vec<Evidence> {
        let (model, lifecycle) = (self.cx.model, self.lifecycle);
        let db = model.db;
        let without = |text| Evidence { span: None, text };
        let mut list = Vec::from_iter(self.counted.plainest());
        let name = db.item(self.info.item).item.name;
        for owner in lifecycle.owners.iter().take(MOST) {
            let span = freezing::ty_span(model, owner.field);
            let stored = Evidence {
                span: span.map(|span| db.sources.origin(span).0),
                text: format!(
                    "`{}` stores `{}`",
                    freezing::field_path(model, owner.field),
                    db.display(owner.ty)
                ),
            };
            // Each place is shown once.
            list.retain(|e| e.span != stored.span);
            list.push(stored);
        }
        let word = model.size(db.types.prim(Prim::Usize));
        if let (Some(pointer @ ("Arc" | "Rc")), Some(word)) =
            (self.owner.and_then(|k| k.shared), word)
        {
            let counters = COUNTERS * word;
            list.push(without(format!(
                "the block of `{pointer}<{name}>`: {} → {} bytes, counts included",
                before + counters,
                after + counters
            )));
        }
        for made in lifecycle.builder_fields.iter().take(MOST) {
            let path = freezing::field_path(model, made.field);
            list.push(model.evidence(made.given, format!("`{path}` is returned here")));
        }
        let grown = lifecycle.grown.iter().take(MOST);
        list.extend(grown.map(|span| model.evidence(*span, "it grows here")));
        let lent = lifecycle.lent.first();
        let borrowed = "it is borrowed by `&mut` here, and may grow";
        list.extend(lent.map(|span| model.evidence(*span, borrowed)));
        let more = lifecycle.grown.len().checked_sub(MOST + 1);
        list.extend(more.map(|more| {
            without(match more {
                0 => "and at one other place".to_owned(),
                more => format!("and at {} other places", more + 1),
            })
        }));
        list
    }
}

/// Extends a change so that builder fields keep the type's current fields, as a tuple.
fn with_makers(cx: &Context, info: &TypeInfo, lifecycle: &Lifecycle, change: WhatIf) -> WhatIf {
    let mut change = change;
    for made in &lifecycle.builder_fields {
        let parts = fields_of(cx.model.db, info.item, info.ty).map(|(_, ty)| ty);
        let parts = cx.model.db.types.intern(TyKind::Tuple(parts.collect()));
        change.fields.insert(made.field.place(), Some(parts));
    }
    change
}

fn owner_label(cx: &Context, owner: &Owner) -> Option<Label> {
    let db = cx.model.db;
    let (span, written) = db.sources.origin(freezing::ty_span(cx.model, owner.field)?);
    let size = cx.model.size(db.identity_ty(owner.field.adt))?;
    let name = db.item(owner.field.adt).item.name;
    let text = format!("stored here, in `{name}` of {size} bytes");
    written.then(|| Label::new(span, text))
}
