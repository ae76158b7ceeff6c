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
use crate::lint::words::{listed, public, quoted, subject};
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::TypeInfo;
use crate::model::freezing::{self, Frozen, Marks};
use crate::model::population::Counted;
use crate::resolve::ItemId;
use crate::resolve::ty::TyKind;
use crate::usage::buffers::{Buffer, Use};
use crate::usage::lifecycle::{Keeper, Lifecycle};
use crate::usage::types::{adt_of, any_part, fields_of, is_marked};
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

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let (model, db) = (cx.model, cx.model.db);
    let lifecycle = cx.lifecycles().get(&info.item)?;
    let frozen = buffers(cx, info);
    let case = Case::of(cx, info, lifecycle, &frozen)?;
    let mut change = freezing::change(&frozen);
    let (before, after) = (model.size(info.ty)?, model.size_if(info.ty, &change)?);
    if after >= before {
        return None;
    }
    let labels = frozen.iter().map(|(b, f)| {
        let when = match grows(cx, b) {
            true => "grows only during construction, then",
            false => "never grows,",
        };
        let span = freezing::field_span(model, info, b.field);
        Label::new(span, format!("{when} could be `{}`", f.text))
    });
    let Marks {
        primary,
        mut secondary,
        claims,
    } = freezing::marks(info, Some(before), labels)?;
    secondary.extend(case.keeper.and_then(|k| {
        let (span, written) = db.sources.origin(freezing::ty_span(model, k.field)?);
        let size = model.size(db.identity_ty(k.field.adt))?;
        let name = db.item(k.field.adt).item.name;
        let text = format!("stored here, in `{name}` of {size} bytes");
        written.then(|| Label::new(span, text))
    }));
    let names = frozen
        .iter()
        .map(|(b, _)| freezing::field_name(model, b.field));
    let names: Vec<_> = names.collect();
    // The builder's field keeps the type's current fields, as a tuple.
    for made in &lifecycle.builder_fields {
        let parts = fields_of(db, info.item, info.ty).map(|(_, ty)| ty);
        let parts = db.types.intern(TyKind::Tuple(parts.collect()));
        change.fields.insert(made.field.place(), Some(parts));
    }
    let unseen = !case.stored_here() || case.exported;
    Some(Finding {
        claims,
        secondary,
        field: names.first().cloned(),
        size_before: Some(before),
        remedies: vec![Remedy {
            heap: Some(names.into_iter().map(BlockChange::Frozen).collect()),
            size_after: Some(after),
            ripple: cx.ripple(info, &change),
            ..Remedy::new(case.title())
        }],
        evidence: case.evidence((before, after)),
        trade_off: Some("shrinking may reallocate once".to_owned()),
        notes: Vec::from_iter(public(&case.open_fields())),
        multiplicity: case.number(),
        confidence: match case.exported {
            true => Confidence::Likely,
            false => Confidence::Proved,
        },
        against: Reason::holding([(unseen, Reason::Unseen)]),
        ..Finding::new(case.message(), primary)
    })
}

/// Returns true if a buffer certainly grows somewhere outside of tests.
fn grows(cx: &Context, buffer: &Buffer) -> bool {
    cx.buffers().uses(buffer.field).iter().any(Use::grows)
}

/// Returns the buffers of a type to split with the frozen type of each, those that grow first:
/// those that never grow are frozen with them.
fn buffers<'c>(cx: &'c Context, info: &TypeInfo) -> Vec<(&'c Buffer, Frozen)> {
    let model = cx.model;
    let mut frozen: Vec<_> = (cx.buffers().of(info.item).iter())
        .filter(|b| grows(cx, b) || cx.buffers().is_final(b.field))
        .filter(|b| freezing::may_change(model, b) && !is_open(cx, b))
        .filter(|b| !cx.is_claimed(freezing::field_span(model, info, b.field)))
        .filter_map(|b| Some((b, model.frozen(b)?)))
        .collect();
    frozen.sort_by_key(|(b, _)| !grows(cx, b));
    frozen
}

/// Returns true for a buffer that can grow through a shared reference: it is in a cell.
fn is_open(cx: &Context, buffer: &Buffer) -> bool {
    let db = cx.model.db;
    any_part(db, buffer.ty, &|ty| {
        is_marked(db, ty, &["cell"]) && any_part(db, ty, &|part| part == buffer.inner)
    })
}

/// Returns true if a function returns values of a type to its callers.
fn is_given(cx: &Context, item: ItemId) -> bool {
    let db = cx.model.db;
    let mut bodies = cx.usage().bodies.iter().filter(|b| !b.function.aside);
    bodies.any(|b| any_part(db, b.output, &|ty| adt_of(db, ty) == Some(item)))
}

/// A type that grows only during construction.
struct Case<'c> {
    cx: &'c Context<'c>,
    info: &'c TypeInfo,
    lifecycle: &'c Lifecycle,
    /// Its buffers, and the frozen type of each; those that grow first.
    frozen: &'c [(&'c Buffer, Frozen)],
    /// The multiplicity: of a shared type that of the pointers to it.
    counted: Arc<Counted>,
    /// The field that stores it, if found.
    keeper: Option<&'c Keeper>,
    /// Other packages may name it.
    exported: bool,
}

impl<'c> Case<'c> {
    /// Takes a type for which a second type may be worth it: with values that are shared or many,
    /// with a builder already, or made for other crates, which keep the spare capacity.
    fn of(
        cx: &'c Context<'c>,
        info: &'c TypeInfo,
        lifecycle: &'c Lifecycle,
        frozen: &'c [(&'c Buffer, Frozen)],
    ) -> Option<Case<'c>> {
        let model = cx.model;
        let free = freezing::is_free(model, info) && !model.is_error(info);
        if !free || !frozen.iter().any(|(b, _)| grows(cx, b)) || cx.is_api_protected(info) {
            return None;
        }
        let is_stored = |k: &&Keeper| cx.population(k.field.adt).multiplicity.is_stored();
        let keepers = || lifecycle.keepers.iter();
        let mut shared = keepers().filter(|k| k.shared.is_some());
        let keeper = (shared.find(is_stored)).or_else(|| keepers().find(is_stored));
        let keeper = keeper.or(lifecycle.keepers.first());
        let counted = match (cx.population(info.item), keeper) {
            (own, Some(k)) if !own.multiplicity.is_stored() => cx.population(k.field.adt),
            (own, _) => own,
        };
        // The keeper counts only if code here finishes a builder, or constructs the type in
        // variables: otherwise the values are for other crates.
        let builders = &lifecycle.builder_fields;
        let fed = builders.is_empty() || builders.iter().any(|b| b.asked) || lifecycle.in_variables;
        let case = Case {
            cx,
            info,
            lifecycle,
            frozen,
            counted,
            keeper: keeper.filter(|_| fed),
            exported: model.exports(info, None),
        };
        let for_others = case.exported && !model.is_used_up(info) && case.open_fields().is_empty();
        let multiplicity = case.counted.multiplicity;
        let kept = match case.stored_here() {
            true => {
                let is_shared = case.keeper.is_some_and(|k| k.shared.is_some());
                is_shared || multiplicity.is_stored() || !builders.is_empty()
            }
            false => !lifecycle.by_others && is_given(cx, info.item),
        };
        let worth = kept && (case.keeper.is_some() || for_others);
        (worth && multiplicity != Multiplicity::Singleton).then_some(case)
    }

    /// Returns true if a workspace type stores or builds it: it is not just returned to others.
    fn stored_here(&self) -> bool {
        self.keeper.is_some() || !self.lifecycle.builder_fields.is_empty()
    }

    /// Returns the paths of its fields that other packages may name.
    fn open_fields(&self) -> Vec<String> {
        let model = self.cx.model;
        let fields = self.frozen.iter().map(|(b, _)| b.field);
        let open = fields.filter(|field| freezing::is_exported(model, self.info, *field));
        let open = open.take(MOST);
        open.map(|field| freezing::field_path(model, field))
            .collect()
    }

    /// Returns the multiplicity: that of the sharing pointers, or of the fields that hold them.
    fn number(&self) -> Multiplicity {
        let cx = self.cx;
        let sharing = self.lifecycle.keepers.iter().filter(|k| k.shared.is_some());
        let mut sharing: Vec<_> = sharing.map(|k| k.field).collect();
        sharing.dedup();
        let of_fields = (!sharing.is_empty()).then_some(Multiplicity::Stored {
            depth: 1 + u8::from(cx.populations().is_nested(self.info.item)),
            holders: sharing.len() as u16,
        });
        let of_keeper = self.keeper.map(|k| cx.population(k.field.adt).multiplicity);
        let all = [of_keeper, of_fields].into_iter().flatten();
        all.fold(self.counted.multiplicity, Multiplicity::max)
    }

    fn message(&self) -> String {
        let (cx, model) = (self.cx, self.cx.model);
        let grown = self.frozen.iter().filter(|(b, _)| grows(cx, b));
        let paths: Vec<_> = grown
            .map(|(b, _)| freezing::field_path(model, b.field))
            .collect();
        let (grow, keep) = match paths.len() {
            1 => ("grows", "keeps"),
            _ => ("grow", "keep"),
        };
        format!(
            "{} {grow} only during construction, then {keep} a capacity for nothing",
            subject(&paths, model.db.item(self.info.item).item.name),
        )
    }

    fn title(&self) -> String {
        let model = self.cx.model;
        let paths = self
            .frozen
            .iter()
            .map(|(b, _)| freezing::field_path(model, b.field));
        let fields = listed(&quoted(paths));
        let types = listed(&quoted(self.frozen.iter().map(|(_, f)| &f.text)));
        match self.lifecycle.builder_fields.first() {
            Some(builder) => format!(
                "grow the buffers in `{}`, and return a type with {fields} as {types}",
                model.db.item(builder.field.adt).item.name,
            ),
            None if self.keeper.is_none() => {
                format!("grow {fields} in local variables, and construct it from {types}")
            }
            None => format!("split it into a builder and a frozen type with {fields} as {types}"),
        }
    }

    fn evidence(&self, (before, after): (u64, u64)) -> Vec<Evidence> {
        let (model, db, lifecycle) = (self.cx.model, self.cx.model.db, self.lifecycle);
        let without = |text| Evidence { span: None, text };
        let mut list = Vec::from_iter(self.counted.plainest());
        for keeper in lifecycle.keepers.iter().take(MOST) {
            let (path, ty) = (
                freezing::field_path(model, keeper.field),
                db.display(keeper.ty),
            );
            let text = format!("`{path}` stores `{ty}`");
            let span = freezing::ty_span(model, keeper.field);
            let stored = match span {
                Some(span) => model.evidence(span, text),
                None => without(text),
            };
            // Each place is shown once.
            list.retain(|e| e.span != stored.span);
            list.push(stored);
        }
        if let Some(pointer @ ("Arc" | "Rc")) = self.keeper.and_then(|k| k.shared) {
            let counters = COUNTERS * model.word();
            let name = db.item(self.info.item).item.name;
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
        match lifecycle.grown.len().saturating_sub(MOST) {
            0 => {}
            1 => list.push(without("and at one other place".to_owned())),
            more => list.push(without(format!("and at {more} other places"))),
        }
        list
    }
}
