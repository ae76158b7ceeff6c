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
//! - What is reported by default: the type is shared and there are many, and a value loses a
//!   quarter (an eighth with a builder at hand).
//!
//! # What it leaves out
//! - Values behind a cell or a lock, types that exist once, buffers that are cleared and refilled,
//!   and values that are lent by `&mut` from where they are stored.
//! - Uses where it is not clear whose value grows.
//!
//! # With `weigh::pedantic` also
//! - Types that nothing shares or stores many of, and values that lose less.
//! - Types that a library only returns to others, who cannot grow them.
//! - Types that other packages may grow.
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
    BlockChange, Confidence, Evidence, Finding, Label, Multiplicity, Remedy, Rule,
};
use crate::judge::Concern;
use crate::layout::WhatIf;
use crate::lint::words::{listed, public, subject};
use crate::lint::{Check, Context, Group, Lint, found};
use crate::model::TypeInfo;
use crate::model::freezing::{self, Frozen, Marks};
use crate::name::Name;
use crate::resolve::ItemId;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::usage::body::FieldId;
use crate::usage::buffers::{Buffer, How};
use crate::usage::kept::{Keeper, Life, Workshop};
use crate::usage::types::{field_types, inner, std_parts};
use rustc_hash::FxHashSet;

/// The lint.
pub static LINT: Lint = Lint {
    name: "unfrozen_builder",
    group: Group::Heap,
    level: Level::Warn,
    source: include_str!("unfrozen_builder.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Blocks,
    precedence: Some(8),
    check: Check::Last(|cx, info| found(check(cx, info), NONE)),
};

/// Why it says nothing of a type.
const NONE: &str = "it does not grow while it is made and stay as it is then";

/// Two counters before what an `Rc` or `Arc` shares.
const COUNTERS: u64 = 2;

/// A value has to lose one part in so many for a second type to be worth it.
const LEAST: u64 = 4;

/// The same where the second type, the builder, is there.
const LEAST_WITH_BUILDER: u64 = 8;

/// More places than these are not shown.
const MOST: usize = 3;

/// True for what can grow through a shared reference, so that whoever shares it may do it.
fn is_open(cx: &Context, ty: Ty) -> bool {
    let Some((name, args)) = std_parts(cx.model.db, ty) else {
        return false;
    };
    let inner = |arg: &GArg| matches!(arg, GArg::Ty(ty) if is_open(cx, *ty));
    ["Cell", "Mutex", "RefCell", "RwLock"].contains(&name) || args.iter().any(inner)
}

/// True if a function gives values of a type to its callers.
fn is_given(cx: &Context, item: ItemId) -> bool {
    let db = cx.model.db;
    let bodies = cx.usage().bodies.iter().filter(|b| !b.function.aside);
    let mut outputs: Vec<Ty> = bodies.map(|b| b.output).collect();
    while let Some(ty) = outputs.pop() {
        if matches!(db.types.kind(ty), TyKind::Adt(of, _) if *of == item) {
            return true;
        }
        outputs.extend(inner(db, ty));
    }
    false
}

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    let life = cx.kept().of(info.item)?;
    if !life.only_by_maker || !freezing::is_free(model, info) || model.is_error(info) {
        return None;
    }
    let grows = |b: &Buffer| {
        let uses = cx.buffers().uses(b.field);
        uses.iter().any(|u| u.how == How::Grown && !u.aside)
    };
    let place = |b: &Buffer| freezing::field_span(model, info, b.field);
    // In a type that is to be split, what never grows is frozen with the rest.
    let ends = |b: &Buffer| grows(b) || cx.buffers().is_final(b.field);
    let mut frozen: Vec<(&Buffer, Frozen)> = cx
        .buffers()
        .of(info.item)
        .iter()
        .filter(|b| ends(b) && freezing::may_change(model, b) && !is_open(cx, b.ty))
        .filter(|b| !cx.is_claimed(place(b)))
        .filter_map(|b| Some((b, model.frozen(b)?)))
        .collect();
    frozen.sort_by_key(|(b, _)| !grows(b));
    let grown = frozen.iter().filter(|(b, _)| grows(b)).count();
    if grown == 0 {
        return None;
    }
    let population = |k: &&Keeper| cx.population(k.field.adt).multiplicity.is_stored();
    let keepers = life.keepers.iter();
    let mut shared = keepers.clone().filter(|k| k.shared.is_some());
    let keeper = shared
        .find(population)
        .or_else(|| keepers.clone().find(population))
        .or(life.keepers.first());
    let counted = match (cx.population(info.item), keeper) {
        // A type that is shared is as many as those that share it.
        (own, Some(keeper)) if !own.multiplicity.is_stored() => cx.population(keeper.field.adt),
        (own, _) => own,
    };
    let exported = model.exports(info, None);
    // What nobody here keeps of what is made here is for those who are given it, if they are
    // others and can do no more with it.
    let fed = life.workshops.is_empty() || life.workshops.iter().any(|w| w.asked);
    let met = keeper.is_some() && (fed || life.in_variables);
    let open = |(b, _): &(&Buffer, Frozen)| freezing::is_exported(model, info, b.field);
    if !met && (!exported || model.is_used_up(info) || frozen.iter().any(open)) {
        return None;
    }
    let keeper = keeper.filter(|_| met);
    let exposed = frozen.iter().filter(|f| open(f)).take(MOST);
    let exposed = exposed.map(|(b, _)| freezing::field_path(model, b.field));
    let exposed: Vec<_> = exposed.collect();
    // What is neither shared nor many is not worth a second type; often there is one.
    let builder = life.workshops.first();
    let shared = keeper.is_some_and(|k| k.shared.is_some());
    let worth = shared || counted.multiplicity.is_stored() || builder.is_some();
    // But what makes it for others may leave the room to spare where it is made.
    let kept_here = keeper.is_some() || builder.is_some();
    if !kept_here && (life.by_others || !is_given(cx, info.item)) {
        return None;
    }
    let worth = worth || !kept_here;
    if counted.multiplicity == Multiplicity::Singleton || !worth {
        return None;
    }
    let change = freezing::change(&frozen);
    let before = model.extent(info.ty).ok()?.size;
    let after = model
        .what_if(change.clone(), || model.extent(info.ty).ok())?
        .size;
    if after >= before {
        return None;
    }
    let mut confidence = Confidence::Proved;
    if exported {
        if cx.config(info.krate).avoid_breaking_exported_api {
            return None;
        }
        confidence = confidence.min(Confidence::Likely);
    }
    let least = match builder {
        Some(_) => before.div_ceil(LEAST_WITH_BUILDER),
        None => before.div_ceil(LEAST),
    };
    // A type that is shared is as many as those that share it, or as the fields that do.
    let sharing = life.keepers.iter().filter(|k| k.shared.is_some());
    let sharing: FxHashSet<FieldId> = sharing.map(|k| k.field).collect();
    let of_keeper = keeper.map(|k| cx.population(k.field.adt).multiplicity);
    let of_fields = (!sharing.is_empty()).then_some(Multiplicity::Stored {
        depth: 1,
        holders: sharing.len() as u16,
    });
    let number = [Some(counted.multiplicity), of_keeper, of_fields];
    let number = number.into_iter().flatten().max();
    let number = number.unwrap_or(counted.multiplicity);
    let doubts = [
        (!kept_here, Rule::Exported),
        (!shared || !number.is_many(), Rule::OneCollection),
        (before - after < least, Rule::SmallSaving),
        (confidence < Confidence::Proved, Rule::NotProved),
    ];
    let name = model.db.item(info.item).item.name;
    let fields: Vec<_> = frozen
        .iter()
        .map(|(b, _)| format!("`{}`", freezing::field_path(model, b.field)))
        .collect();
    let paths = frozen[..grown].iter();
    let paths: Vec<_> = paths
        .map(|(b, _)| freezing::field_path(model, b.field))
        .collect();
    let labels = frozen.iter().map(|(b, f)| Label {
        span: place(b),
        text: match grows(b) {
            true => format!("grows only during construction, then could be `{}`", f.text),
            false => format!("never grows, could be `{}`", f.text),
        },
    });
    let Marks {
        primary,
        mut secondary,
        claims,
    } = freezing::marks(info, Some(before), labels)?;
    secondary.extend(keeper.and_then(|k| keeper_label(cx, k)));
    let types: Vec<_> = frozen
        .iter()
        .map(|(_, f)| format!("`{}`", f.text))
        .collect();
    Some(Finding {
        after: None,
        message: format!(
            "{} {} only during construction, then {} spare capacity",
            subject(&paths, name),
            if grown == 1 { "grows" } else { "grow" },
            if grown == 1 {
                "keeps its"
            } else {
                "keep their"
            },
        ),
        primary,
        claims,
        secondary,
        field: Some(freezing::field_name(model, frozen[0].0.field)),
        size_before: Some(before),
        parts: None,
        remedies: vec![Remedy {
            title: match builder {
                Some(builder) => format!(
                    "grow the buffers in `{}`, and return a type with {} as {}",
                    maker(cx, builder),
                    listed(&fields),
                    listed(&types)
                ),
                None if !kept_here => format!(
                    "grow {} in local variables, and construct it from {}",
                    listed(&fields),
                    listed(&types)
                ),
                None => format!(
                    "split it into a builder and a frozen type with {} as {}",
                    listed(&fields),
                    listed(&types)
                ),
            },
            heap: Some(
                frozen
                    .iter()
                    .map(|(b, _)| BlockChange::Frozen(freezing::field_name(model, b.field)))
                    .collect(),
            ),
            net: None,
            size_after: Some(after),
            ripple: cx
                .holders()
                .ripple(model, info.item, &with_makers(cx, info, life, change)),
            change: Vec::new(),
            fix: None,
        }],
        evidence: evidence(
            cx,
            info.item,
            life,
            keeper,
            (before, after),
            &counted.evidence,
        ),
        trade_off: Some("shrinking may reallocate once".to_owned()),
        notes: Vec::from_iter(public(&exposed)),
        multiplicity: number,
        confidence,
        slot: None,
        bulk: false,
        doubts: Rule::holding(doubts),
    })
}

/// A change of a type where its makers have what it is made of as it was.
fn with_makers(cx: &Context, info: &TypeInfo, life: &Life, change: WhatIf) -> WhatIf {
    let types = &cx.model.db.types;
    let mut change = change;
    for made in &life.workshops {
        let parts = field_types(cx.model.db, info.ty).into_iter().flatten();
        let parts = types.intern(TyKind::Tuple(parts.collect()));
        let place = (
            made.field.adt,
            made.field.variant as usize,
            made.field.field as usize,
        );
        change.fields.insert(place, Some(parts));
    }
    change
}

/// Who makes it.
fn maker(cx: &Context, workshop: &Workshop) -> Name {
    cx.model.db.item(workshop.field.adt).item.name
}

/// A field as it is written.
fn ir_field<'m>(cx: &Context<'m>, id: FieldId) -> Option<&'m crate::ir::Field> {
    let crate::ir::ItemKind::Adt(adt) = &cx.model.db.item(id.adt).item.kind else {
        return None;
    };
    let variant = adt.variants.get(id.variant as usize)?;
    variant.fields.get(id.field as usize)
}

fn keeper_label(cx: &Context, keeper: &Keeper) -> Option<Label> {
    let db = cx.model.db;
    let field = ir_field(cx, keeper.field)?;
    let (span, written) = db.sources.origin(field.ty_span);
    let size = cx.model.extent(db.identity_ty(keeper.field.adt)).ok()?.size;
    let name = db.item(keeper.field.adt).item.name;
    written.then(|| Label {
        span,
        text: format!("stored here, in `{name}` of {size} bytes"),
    })
}

fn evidence(
    cx: &Context,
    item: ItemId,
    life: &Life,
    keeper: Option<&Keeper>,
    (before, after): (u64, u64),
    many: &[Evidence],
) -> Vec<Evidence> {
    let db = cx.model.db;
    let mut list: Vec<Evidence> = many.iter().take(1).cloned().collect();
    let name = db.item(item).item.name;
    for keeper in life.keepers.iter().take(MOST) {
        let span = ir_field(cx, keeper.field).map(|f| db.sources.origin(f.ty_span).0);
        // One place need not be told twice.
        list.retain(|e| e.span != span);
        list.push(Evidence {
            span,
            text: format!(
                "`{}` stores `{}`",
                freezing::field_path(cx.model, keeper.field),
                db.display(keeper.ty)
            ),
        });
    }
    if let (Some(pointer @ ("Arc" | "Rc")), Ok(word)) = (
        keeper.and_then(|k| k.shared),
        cx.model
            .extent(db.types.prim(crate::resolve::ty::Prim::Usize)),
    ) {
        let counters = COUNTERS * word.size;
        list.push(Evidence {
            span: None,
            text: format!(
                "the block of `{pointer}<{name}>`: {} → {} bytes, counts included",
                before + counters,
                after + counters
            ),
        });
    }
    for made in life.workshops.iter().take(MOST) {
        list.push(Evidence {
            span: Some(db.sources.origin(made.given).0),
            text: format!(
                "`{}` is returned here",
                freezing::field_path(cx.model, made.field),
            ),
        });
    }
    for span in life.grown.iter().take(MOST) {
        list.push(Evidence {
            span: Some(db.sources.origin(*span).0),
            text: "it grows here".to_owned(),
        });
    }
    for span in life.lent.iter().take(1) {
        list.push(Evidence {
            span: Some(db.sources.origin(*span).0),
            text: "it is borrowed by `&mut` here, and may grow".to_owned(),
        });
    }
    if let Some(more) = life.grown.len().checked_sub(MOST + 1) {
        list.push(Evidence {
            span: None,
            text: match more {
                0 => "and at one other place".to_owned(),
                more => format!("and at {} other places", more + 1),
            },
        });
    }
    list
}
