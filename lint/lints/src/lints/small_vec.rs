//! A `Vec` that is allocated repeatedly for a few items, or mostly empty.
//!
//! # Why
//! Each `Vec` with items is a heap block, allocated and freed. For a few items of known number an
//! array on the stack, or inside of the value that holds them, needs none. A `Vec` that is empty
//! in most values has no block, but takes 24 bytes in each of them.
//!
//! # What it finds
//! - Variables that are created in a loop, or in a function that a loop calls, never leave their
//!   function, and get a bounded number of items: `vec![a, b]`, single pushes outside of loops,
//!   `with_capacity` of a small constant.
//! - Fields of types of which there are many, where every place that sets them stores a few items
//!   and none adds any.
//! - Fields that most places set to an empty `Vec`: a `ThinVec` takes 16 bytes less.
//!
//! # What it leaves out
//! - Items whose number is not plain from the code, or of many bytes.
//! - Fields whose items' address is taken, or that get another `Vec` later.
//! - Types that a derive may fill, enums that would grow, and holders that would grow by more than
//!   the smallest block that is saved.
//!
//! # Limits
//! What happens at run time is not seen: a field that is set to an empty `Vec` here and filled by
//! another crate looks empty.
//!
//! # Example
//! ```
//! fn ends(line: &str) -> usize {
//!     let mut ends = Vec::new();
//!     ends.push(line.find(' '));
//!     ends.push(line.rfind(' '));
//!     ends.iter().flatten().count()
//! }
//!
//! fn all(text: &str) -> usize {
//!     text.lines().map(ends).sum()
//! }
//! ```
//! allocates a block for each line. `let ends = [line.find(' '), line.rfind(' ')]` does not, nor
//! does an `arrayvec::ArrayVec<_, 2>`.

mod one_item;

use crate::config::{Level, Setting};
use crate::finding::{
    BlockChange, Confidence, Evidence, Finding, Label, Multiplicity, Parts, Reason, Remedy,
};
use crate::ir::ItemKind;
use crate::lint::words::count;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::malloc;
use crate::model::{TypeInfo, freezing};
use crate::resolve::ty::{Const, Ty, TyKind};
use crate::span::Span;
use crate::usage::body::{FieldId, Typed};
use crate::usage::buffers::BufferUse;
use crate::usage::types::fields_of;
use crate::usage::vectors::{self, Field, Local, Start, items_of};
use std::cell::Cell;

/// The lint.
pub static LINT: Lint = Lint {
    name: "small_vec",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("small_vec.rs"),
    settings: &[MOST_ITEMS, MOST_BYTES],
    clippy: &["useless_vec"],
    concern: Concern::Contents,
    claim: Claim::Rival(3),
    check: Check::Both(|cx, info| found(of_type(cx, info), NONE), of_body),
};

/// Why there is no finding for a type.
const NONE: &str = "no `Vec` in it is made of a few items and stays so";

const MOST_ITEMS: Setting = Setting {
    key: "most-items",
    default: 8,
    doc: "largest number of items that are a few",
};

const MOST_BYTES: Setting = Setting {
    key: "most-bytes",
    default: 256,
    doc: "largest number of bytes that the items may have together on the stack",
};

/// Maximum number of fields and variants that are laid out for the findings about one type: each of
/// its fields may ask for a layout of all.
const MOST_LAID_OUT: usize = 1 << 18;

fn of_body(cx: &Context, body: &Typed) -> Vec<Finding> {
    if body.function.aside {
        return Vec::new();
    }
    let locals = vectors::locals(cx.model.db, body);
    let found = locals.iter().filter_map(|l| local(cx, body, l));
    found.collect()
}

fn local(cx: &Context, body: &Typed, local: &Local) -> Option<Finding> {
    let package = cx.config(body.function.krate);
    let pushes = local.pushes.len() as u64;
    let (most, confidence) = match local.start {
        _ if local.grows && !matches!(local.start, Start::Room(_)) => return None,
        Start::Room(n) if local.grows => (n, Confidence::Likely),
        Start::Room(_) | Start::Empty => (pushes, Confidence::Proved),
        Start::Items(n) => (n.saturating_add(pushes), Confidence::Proved),
    };
    // A capacity may be any number.
    let bytes = cx.model.size(local.item)?.checked_mul(most)?;
    let few = 1..=package.setting(LINT.name, &MOST_ITEMS);
    if !few.contains(&most) || bytes == 0 || bytes > package.setting(LINT.name, &MOST_BYTES) {
        return None;
    }
    let again = again(cx, body, local)?;
    let name = body.locals[local.local as usize].name;
    let items = count(most as usize, "item");
    let made = body.node(local.made.0).span;
    let (span, written) = cx.model.db.sources.origin(made);
    let at_hand = pushes == 0;
    let roughly = local.grows;
    // A vector that only some iterations fill is mostly empty, and needs no block.
    let rare = matches!(local.start, Start::Empty) && !local.always;
    let title = match (at_hand, roughly) {
        (true, _) => format!("make `{name}` an array of {items}"),
        (_, false) => {
            format!("make `{name}` an `arrayvec::ArrayVec<_, {most}>`, or an array if always full")
        }
        _ => format!("make `{name}` a `smallvec::SmallVec<[_; {most}]>`"),
    };
    let mut evidence = vec![again];
    let pushes = local.pushes.iter().take(3);
    evidence.extend(pushes.map(|span| cx.model.evidence(*span, "one item is pushed here")));
    let about = if roughly { "about" } else { "at most" };
    let block = malloc::block(bytes);
    written.then(|| Finding {
        remedies: vec![Remedy::new(title)],
        evidence,
        trade_off: Some(format!("{bytes} bytes more on the stack")),
        multiplicity: Multiplicity::Transient,
        confidence,
        against: Reason::holding([(rare, Reason::Empty)]),
        ..Finding::new(
            format!("`{name}` is a `Vec` of {about} {items}, allocated repeatedly"),
            Label::new(span, format!("a block of {block} bytes each time")),
        )
    })
}

/// Returns why the variable is created repeatedly: a loop is around it, or around a call of its
/// function.
fn again(cx: &Context, body: &Typed, local: &Local) -> Option<Evidence> {
    let calls = cx.usage().events.calls.of(&body.function.item).iter();
    let sites = calls.map(|call| cx.usage().bodies[call.body].site(call.expr));
    let call = sites.filter(|s| !s.aside).max_by_key(|s| s.loops);
    if local.made.1 > 0 {
        let name = body.locals[local.local as usize].name;
        let text = format!("`{name}` is created in every iteration");
        return Some(cx.model.evidence(body.node(local.made.0).span, text));
    }
    let call = call.filter(|s| s.loops > 0)?;
    let text = format!("`{}` is called in a loop", body.function.path);
    Some(cx.model.evidence(call.span, text))
}

fn of_type(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let model = cx.model;
    let ItemKind::Adt(adt) = &model.db.item(info.item).item.kind else {
        return Vec::new();
    };
    let filled = model.is_filled_by_derive(info) || model.is_read_back(info);
    if model.is_error(info) || model.is_repr_c(info) || filled {
        return Vec::new();
    }
    let fields = fields_of(model.db, info.item, info.ty);
    let parts = adt.variants.iter().map(|v| 1 + v.fields.len()).sum();
    let laid_out = Cell::new(0);
    let found = fields.filter_map(|(id, ty)| {
        let (_, variant, at) = id.place();
        let data = &adt.variants[variant].fields[at];
        let item = items_of(model.db, ty)?;
        if cx.may_be_set_unseen(id, data.name) {
            return None;
        }
        let name = freezing::field_name(model, id);
        let place = ListField {
            cx,
            info,
            id,
            ty,
            item,
            exported: model.exports(info, Some(&name)),
            name,
            path: freezing::field_path(model, id),
            span: cx.written(info, data.name_span),
            parts,
            laid_out: &laid_out,
        };
        let field = vectors::field(cx.usage(), cx.stores(), id);
        let found = place.fixed(&field).or_else(|| place.empty(&field));
        found.or_else(|| place.one_item(&field))
    });
    found.collect()
}

/// A field that is a vector.
struct ListField<'p> {
    cx: &'p Context<'p>,
    info: &'p TypeInfo,
    id: FieldId,
    ty: Ty,
    /// The type of its items.
    item: Ty,
    /// `field`, `Variant` or `Variant.field`.
    name: String,
    /// `Type::field` or `Enum::Variant::field`.
    path: String,
    /// Its name in the source.
    span: Span,
    /// Other packages may set it.
    exported: bool,
    /// Number of fields and variants of the type.
    parts: usize,
    /// Number of fields and variants that were laid out for the type's findings.
    laid_out: &'p Cell<usize>,
}

impl ListField<'_> {
    /// Returns false if another layout of the type would take too long after those before.
    fn may_measure(&self) -> bool {
        self.laid_out.update(|n| n + self.parts);
        self.laid_out.get() <= MOST_LAID_OUT.max(self.parts)
    }

    /// Returns true if a value of unknown type, whose field of this name grows, may be one of these.
    fn may_grow_unseen(&self) -> bool {
        let mut uses = self.cx.buffers().uses(self.id).iter();
        uses.any(|u| u.guessed && u.how == BufferUse::Grown)
    }

    /// Checks a field that every place sets to a few items, and none adds to.
    fn fixed(&self, field: &Field) -> Option<Finding> {
        let cx = self.cx;
        let package = cx.config(self.info.krate);
        let numbers = field.set.iter().map(|(_, start)| match start {
            Some(Start::Items(n)) => Some(*n),
            Some(Start::Empty) => Some(0),
            _ => None,
        });
        let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
        let (fewest, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
        let item = cx.model.size(self.item)?;
        let bytes = item.checked_mul(most)?;
        if bytes == 0
            || most > package.setting(LINT.name, &MOST_ITEMS)
            || bytes > package.setting(LINT.name, &MOST_BYTES)
            || !field.grown.is_empty()
            || field.by_address
            || self.may_grow_unseen()
        {
            return None;
        }
        let types = &cx.model.db.types;
        let items = count(most as usize, "item");
        let (to, shown, holds) = match fewest == most {
            true => {
                let array = TyKind::Array(self.item, Const::Value(i128::from(most)));
                let shown = format!("an array of {items}");
                (types.intern(array), shown, format!("always holds {items}"))
            }
            false => {
                let array = cx.model.uninit_array(self.item, most)?;
                let len = cx.model.std_type("u32")?;
                let to = types.intern(TyKind::Tuple([len, array].into()));
                let shown = format!("an `arrayvec::ArrayVec<_, {most}>`");
                (to, shown, format!("holds {items} at most"))
            }
        };
        let title = format!("make `{}` {shown}", self.path);
        // The block that the value with the fewest items saves, in bytes.
        let saved = match fewest {
            0 => 0,
            n => malloc::block(item * n),
        };
        let heap = BlockChange::Inlined(self.name.clone(), most, 0);
        let places = field.set.iter();
        let what = format!("is a `Vec` that {holds}");
        let finding = self.finding(to, title, what, places, Confidence::Proved, heap)?;
        let grows = finding.size_after()?.saturating_sub(finding.size_before?);
        (grows <= saved).then_some(finding)
    }

    /// Checks a field that most places set to an empty one.
    fn empty(&self, field: &Field) -> Option<Finding> {
        let empty = |s: &&(Span, Option<Start>)| s.1 == Some(Start::Empty);
        let none = field.set.iter().filter(empty).count();
        let others = field.set.len() - none;
        // A vector that is filled after creation is no evidence.
        let few = none <= others;
        if !field.grown.is_empty()
            || few
            || others == 0
            || field.is_assigned
            || self.may_grow_unseen()
        {
            return None;
        }
        let to = self.cx.model.std_type("crate::boxed::Box<()>")?;
        let title = format!("make `{}` a `thin_vec::ThinVec`", self.path);
        let what = format!(
            "is set to an empty `Vec` in {none} of {} places",
            none + others
        );
        // A vector that is moved out may grow elsewhere.
        let mut uses = self.cx.buffers().uses(self.id).iter();
        let leaves = uses.any(|u| {
            !u.aside
                && !matches!(
                    u.how,
                    BufferUse::Made(_) | BufferUse::Read | BufferUse::Cloned
                )
        });
        let places = field.set.iter().filter(empty);
        // The block stores length and capacity.
        let heap = BlockChange::Inlined(self.name.clone(), 0, 2 * self.cx.model.word());
        let mut finding = self.finding(to, title, what, places, Confidence::Likely, heap)?;
        finding.built = Some((others, none + others));
        finding.against.extend(leaves.then_some(Reason::Unseen));
        (finding.size_after()? + 8 <= finding.size_before?).then_some(finding)
    }

    fn finding<'f>(
        &self,
        to: Ty,
        title: String,
        what: String,
        places: impl Iterator<Item = &'f (Span, Option<Start>)>,
        confidence: Confidence,
        heap: BlockChange,
    ) -> Option<Finding> {
        let (cx, model, info) = (self.cx, self.cx.model, self.info);
        let counted = cx.population(info.item);
        if counted.multiplicity == Multiplicity::Singleton {
            return None;
        }
        let before = model.size(info.ty)?;
        let change = model.retyped(self.id, self.ty, to);
        if !self.may_measure() || cx.growth(info, &change)?.of_enums > 0 {
            return None;
        }
        let owner = model.db.item(info.item).item.name;
        let mut evidence = counted.evidence.clone();
        evidence.extend(places.take(4).map(|(span, start)| {
            let text = format!("`{}` is set to {}", self.path, words(start));
            model.evidence(*span, text)
        }));
        let trade_off = match title.contains("thin_vec") {
            true => "reading its length is one more indirection",
            false => "more items no longer fit",
        };
        let shown = title_type(&title);
        let remedy = cx.remedy(info, &change, title)?;
        let after = remedy.size_after?;
        let label = format!("{} bytes, and a block for the items", 3 * model.word());
        Some(Finding {
            after: cx.drawing(&change, info.ty),
            field: Some(self.name.clone()),
            size_before: Some(before),
            parts: Some(Parts {
                title: format!("bytes of `{owner}` with each type"),
                rows: vec![("Vec".to_owned(), before), (shown, after)],
                left_out: 0,
            }),
            trade_off: Some(trade_off.to_owned()),
            remedies: vec![Remedy {
                heap: Some(vec![heap]),
                ..remedy
            }],
            evidence,
            multiplicity: counted.multiplicity,
            confidence,
            // Vectors from other crates are not seen, and their items may not fit.
            against: Reason::holding([(self.exported, Reason::Unseen)]),
            ..Finding::new(
                format!("`{}` {what}", self.path),
                Label::new(self.span, label),
            )
        })
    }
}

/// Returns the type that a title names.
fn title_type(title: &str) -> String {
    match title
        .split_once("` a")
        .and_then(|(_, of)| of.split('`').nth(1))
    {
        Some(path) => path.rsplit("::").next().unwrap_or(path).to_owned(),
        None => "an array".to_owned(),
    }
}

fn words(start: &Option<Start>) -> String {
    match start {
        Some(Start::Items(n)) => count(*n as usize, "item"),
        Some(Start::Empty | Start::Room(_)) => "an empty `Vec`".to_owned(),
        None => "an unknown value".to_owned(),
    }
}
