//! A buffer that never grows after construction keeps its capacity.
//!
//! # Why
//! A `Vec`, `String` or `PathBuf` is a pointer, a length and a capacity. The capacity is of use
//! while the buffer grows. In a field that never grows it is 8 bytes of every value on 64-bit
//! targets, and a buffer that grew during construction keeps its spare capacity, up to half of it.
//!
//! # What it finds
//! - Fields whose buffer no use grows, shrinks, takes or lends by `&mut`. Uses are followed through
//!   borrows, patterns, variables, own functions and what they return.
//! - The places to change: mostly those that construct the value.
//! - Enums whose other variants are as wide: what all such buffers save together.
//! - Keys of maps and elements of sets that are `String`, `PathBuf`, `OsString` or `CString`.
//!
//! A boxed slice (`Box<[T]>`, `Box<str>`, `Box<Path>`) does the same with 8 bytes less and no spare
//! capacity.
//!
//! # What it leaves out
//! - Types that exist once, and enums that `oversized_variant` makes smaller.
//! - Fields whose type is prescribed by a derive, an attribute or `repr(C)`.
//! - Fields that are filled and emptied again in one value: each time would allocate.
//! - Fields with a use that is not understood, and types where no value gets smaller.
//! - Buffers behind `Rc`, `Arc` and `Box` (`double_allocation`), and fields on which another lint
//!   saves more.
//!
//! # Limits
//! `into_boxed_slice()` may reallocate once. What is saved is a word per buffer and its spare
//! capacity: what that is worth depends on how many values there are. The places to change include
//! integration tests only if they are selected (`--all-targets`), and unit tests never; the fix edits
//! both. A field that other packages may use is never `proved`.
//!
//! # Example
//! ```
//! struct Token {
//!     text: String,
//!     line: u32,
//! }
//!
//! struct Page {
//!     lines: Vec<Vec<Token>>,
//! }
//!
//! fn tokens(source: &str) -> Vec<Token> {
//!     let lines = source.lines().zip(1..);
//!     lines
//!         .flat_map(|(text, line)| {
//!             let words = text.split_whitespace();
//!             words.map(move |w| Token { text: w.to_owned(), line })
//!         })
//!         .collect()
//! }
//! ```
//! A `Token` is 32 bytes. With `text: Box<str>`, made by `w.into()`, it is 24.

mod keys;

use crate::config::{Level, SAVED_BYTES, SAVED_PERCENT, Setting};
use crate::finding::{
    BlockChange, Confidence, Evidence, Finding, Label, Multiplicity, Reason, Remedy,
};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::lint::words::{import, listed, public, quoted, retyped, subject};
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, Silence, header};
use crate::model::TypeInfo;
use crate::model::freezing::{self, Frozen, Marks, Together};
use crate::model::population::Counted;
use crate::resolve::ItemId;
use crate::resolve::ty::Ty;
use crate::usage::buffers::{Buffer, BufferUse, Maker, Use};
use std::sync::Arc;

/// Minimum share of a value that the change must save: much less than for a box, as it needs no
/// allocation.
const SHARE: Setting = Setting {
    default: 0,
    doc: "least share of its size that a value must lose, in percent; half of it where there are many",
    ..SAVED_PERCENT
};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unfrozen_vec",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("unfrozen_vec.rs"),
    settings: &[SAVED_BYTES, SHARE],
    clippy: &[],
    concern: Concern::Bytes,
    claim: Claim::Rival(9),
    check: Check::Last(check),
};

/// Maximum number of origins shown for one field, and one for each of several: the places to edit
/// come after them.
const MOST_MAKERS: usize = 2;

/// Maximum number of fields that are named instead of counted.
const MOST_NAMED: usize = 3;

fn check(cx: &Context, info: &TypeInfo) -> Vec<Answer> {
    if !freezing::is_free(cx.model, info) {
        return vec![Err(Silence::about(
            "something outside prescribes its fields, or a macro writes them",
        ))];
    }
    let (free, claimed) = open(cx, info);
    let mut groups: Vec<_> = claimed.into_iter().map(|one| vec![one]).collect();
    groups.extend((!free.is_empty()).then_some(free));
    let mut found: Vec<Answer> = groups.into_iter().map(|g| judge(cx, info, g)).collect();
    found.extend(keys::check(cx, info).into_iter().map(Ok));
    if found.is_empty() {
        let none = "it has no buffer of which every use is seen and none grows it";
        found.push(Err(Silence::about(none)));
    }
    found
}

/// A field, and its frozen type.
type Open<'b> = (&'b Buffer, Frozen);

/// Returns the fields of a type that never grow, and those of them that another lint reports: they
/// are left out of the saving of the rest.
fn open<'c>(cx: &'c Context, info: &TypeInfo) -> (Vec<Open<'c>>, Vec<Open<'c>>) {
    let model = cx.model;
    if !freezing::is_free(model, info) {
        return (Vec::new(), Vec::new());
    }
    // A box around a wide variant takes its buffers out of all other values.
    let held = cx.population(info.item).multiplicity.is_stored();
    let oversized = cx.oversized().get(&info.item).filter(|_| held);
    let best = oversized.and_then(|o| Some((o, o.boxings.first()?)));
    let is_boxed = |b: &Buffer| {
        best.is_some_and(|(of, best)| {
            let mut wide = best.boxes.iter().map(|x| of.view.variants[x.variant].index);
            wide.any(|variant| variant == b.field.variant as usize)
        })
    };
    let buffers = cx.buffers().of(info.item).iter();
    let refilled = |b: &Buffer| cx.stores().is_refilled(model.db, cx.usage(), b.field);
    let ended = |b: &&Buffer| cx.buffers().is_final(b.field) && !refilled(b);
    // Exported fields that no code here sets are set by other crates.
    let left = |b: &&Buffer| {
        let made = cx.buffers().is_made(b.field);
        !made && cx.buffers().is_quiet(b.field) && freezing::is_exported(model, info, b.field)
    };
    let mut open: Vec<_> = buffers.clone().filter(ended).collect();
    if open.is_empty() {
        open.extend(buffers.filter(left));
    }
    let frozen = open
        .into_iter()
        .filter(|b| freezing::may_change(model, b) && !is_boxed(b))
        .filter_map(|b| Some((b, model.frozen(b)?)));
    frozen.partition(|(b, _)| !cx.is_claimed(freezing::field_span(model, info, b.field)))
}

/// Returns the size of a type, and what it loses with this many buffers frozen, in bytes.
fn saving(
    cx: &Context,
    info: &TypeInfo,
    buffers: usize,
    sizes: Option<(u64, u64)>,
) -> Result<(u64, u64), Silence> {
    match sizes {
        Some((before, after)) => Ok((before, before.saturating_sub(after))),
        // With unknown parameters a struct still saves a word per buffer.
        None if info.kind == AdtKind::Struct => {
            let model = cx.model;
            Ok((model.min_size(info.ty), buffers as u64 * model.word()))
        }
        None => Err(Silence::about("its size is not known")),
    }
}

/// Returns true if a value gets smaller by enough; of many values, less is enough.
fn is_worth(cx: &Context, info: &TypeInfo, (before, saved): (u64, u64), many: bool) -> bool {
    let settings = cx.config(info.krate);
    let share = settings.setting(LINT.name, &SHARE);
    let often = if many { 2 } else { 1 };
    // A lower bound of a size may be any number, as a setting may.
    saved >= settings.setting(LINT.name, &SAVED_BYTES)
        && saved.saturating_mul(100 * often) >= before.saturating_mul(share)
}

fn judge(cx: &Context, info: &TypeInfo, frozen: Vec<Open>) -> Answer {
    let model = cx.model;
    let counted = cx.population(info.item);
    let change = freezing::change(&frozen);
    let sizes = model.size(info.ty).zip(model.size_if(info.ty, &change));
    let is_spare = |u: &Use| {
        let made = matches!(u.how, BufferUse::Made(maker) if maker.spare());
        made && !u.aside && !u.guessed
    };
    let has_room = |(b, _): &Open| cx.buffers().uses(b.field).iter().any(is_spare);
    let spare = frozen.iter().any(has_room);
    let many = counted.multiplicity.is_stored();
    let (before, saved) = saving(cx, info, frozen.len(), sizes)?;
    // Without a smaller value there must be spare capacity, in many values.
    let worth = is_worth(cx, info, (before, saved), many);
    let roomy = spare && many && sizes.is_some_and(|(b, a)| a <= b);
    if !worth && !roomy {
        return Err(Silence::about("no value gets smaller by enough"));
    }
    let frozen = match worth {
        true => frozen,
        // Only what may have room gives some back.
        false => frozen.into_iter().filter(has_room).collect(),
    };
    let change = freezing::change(&frozen);
    let sizes = model.size(info.ty).zip(model.size_if(info.ty, &change));
    let uses = || frozen.iter().flat_map(|(b, _)| cx.buffers().uses(b.field));
    let is_exported = |(b, _): &Open| freezing::is_exported(model, info, b.field);
    let exported = frozen.iter().any(is_exported);
    if exported && cx.config(info.krate).avoid_breaking_exported_api {
        return Err(Silence::about("its manifest keeps the exported API"));
    }
    let moved = uses().any(|u| u.how == BufferUse::Moved);
    // If the crate creates the buffer itself, its own code is evidence for that of others.
    let asked = !freezing::is_surely_free(model, info);
    let confidence = match moved || exported || asked {
        true => Confidence::Likely,
        false => Confidence::Proved,
    };
    // If all stored elements lie next to others as wide, those must be frozen too, or only spare
    // capacity is saved.
    let own = (before, before - saved.min(before));
    let masked = !counted.kept.is_empty() && counted.loss(model, &change, info.item, own).is_none();
    let mut joint = counted.kept.iter().filter(|_| masked);
    let together = joint.find_map(|&ty| together(cx, ty, info.item));
    let slot = counted.slot(model, &change, info.item, own);
    let taken = uses().any(|u| u.how == BufferUse::Moved && !u.aside);
    let is_error = model.is_error(info) || cx.errors().contains(&info.item);
    // Readers found the parts of documents read and dropped, or made and written.
    let attrs = &model.db.item(info.item).item.attrs;
    let is_document = attrs.derives_any(&["Deserialize", "Serialize"]);
    let against = Reason::holding([
        (taken || exported, Reason::Unseen),
        (is_error, Reason::Error),
        (
            counted.channel || is_document || model.is_used_up(info),
            Reason::Brief,
        ),
    ]);
    let report = Report {
        cx,
        info,
        frozen,
        sizes,
        saved,
        change,
        counted,
        confidence,
        spare,
        together,
    };
    Ok(Finding {
        slot,
        against,
        ..report.finding()
    })
}

/// Returns the joint effect of freezing the buffers of several types, for a value of `ty`.
fn together(cx: &Context, ty: Ty, item: ItemId) -> Option<Evidence> {
    let all = cx.together(|| {
        let types = cx.model.types().iter();
        let changes = types.map(|info| (info.item, freezing::change(&open(cx, info).0)));
        let changes = changes.filter(|(_, change)| !change.fields.is_empty());
        Together::new(changes.collect())
    });
    let joint = all.joint(cx.model, cx.holders(), ty)?;
    if !joint.parts.contains(&item) {
        return None;
    }
    let others = joint.parts.iter().filter(|of| **of != item);
    let mut names = quoted(others.map(|of| cx.model.db.item(*of).item.name));
    names.sort();
    names.dedup();
    let others = match names.len() {
        n if n > MOST_NAMED => format!("{n} other types"),
        _ => listed(&names),
    };
    Some(Evidence {
        span: None,
        text: format!(
            "`{}`, which is stored many times, shrinks only if buffers of {others} are frozen too: {} → {} bytes",
            cx.model.db.display(ty),
            joint.before,
            joint.after,
        ),
    })
}

/// The data of a finding about one type.
struct Report<'r> {
    cx: &'r Context<'r>,
    info: &'r TypeInfo,
    /// Its fields that never grow, and the frozen type of each.
    frozen: Vec<Open<'r>>,
    /// Size of a value today and after it, in bytes; `None` if unknown.
    sizes: Option<(u64, u64)>,
    /// Saving per value, in bytes.
    saved: u64,
    change: WhatIf,
    counted: Arc<Counted>,
    confidence: Confidence,
    /// The buffers may have spare capacity.
    spare: bool,
    /// The stored element shrinks only if other types are frozen too.
    together: Option<Evidence>,
}

impl Report<'_> {
    fn finding(&self) -> Finding {
        let before = self.sizes.map(|(before, _)| before);
        let model = self.cx.model;
        let name = model.db.item(self.info.item).item.name;
        let fields: Vec<_> = self.frozen.iter().map(|(b, _)| self.field(b)).collect();
        let shown = quoted(&fields);
        let labels = self.frozen.iter().map(|(b, f)| {
            let span = freezing::field_span(model, self.info, b.field);
            Label::new(span, format!("could be `{}`", f.text))
        });
        let Marks {
            primary,
            secondary,
            claims,
        } = freezing::marks(self.info, before, labels).expect("there is one");
        let mut evidence = Vec::from_iter(self.counted.plainest());
        evidence.extend(self.together.clone());
        for (b, _) in self.frozen.iter().take(MOST_NAMED) {
            evidence.extend(self.makers(b));
        }
        let uses = self.frozen.iter();
        let uses = uses.flat_map(|(b, _)| self.cx.buffers().uses(b.field));
        evidence.extend(freezing::edits(model, uses));
        let asked = self.frozen.iter();
        evidence.extend(asked.filter_map(|(b, _)| freezing::attribute(model, b)));
        let types = quoted(self.frozen.iter().map(|(_, f)| &f.text));
        let title = match shown.len() {
            many if many > MOST_NAMED => format!("make the {many} buffers boxed slices"),
            _ => retyped(&shown, types),
        };
        let names = self.frozen.iter();
        let names = names.map(|(b, _)| freezing::field_name(model, b.field));
        let never = if fields.len() == 1 { "grows" } else { "grow" };
        let subject = subject(&fields, name);
        // Of what only other packages set, they alone know.
        let message = match self.frozen.iter().any(|(b, _)| self.is_made(b)) {
            true => format!(
                "{subject} never {never} after construction: {}",
                self.cost()
            ),
            false => format!("no code of this build grows {subject}: {}", self.cost()),
        };
        Finding {
            after: before.and_then(|_| self.cx.drawing(&self.change, self.info.ty)),
            claims,
            secondary,
            field: Some(freezing::field_name(model, self.frozen[0].0.field)),
            size_before: before,
            remedies: vec![Remedy {
                heap: Some(names.map(BlockChange::Frozen).collect()),
                size_after: self.sizes.map(|(_, after)| after),
                ripple: self.cx.ripple(self.info, &self.change),
                change: freezing::changes(model, self.frozen.iter().map(|(b, _)| *b)),
                ..Remedy::new(title)
            }],
            evidence,
            trade_off: Some(match self.spare {
                true => "shrinking may reallocate once".to_owned(),
                false => "to grow one later, convert it back first".to_owned(),
            }),
            notes: self.notes(),
            multiplicity: self.counted.multiplicity,
            confidence: self.confidence,
            ..Finding::new(message, primary)
        }
    }

    /// Describes the cost of the capacities.
    fn cost(&self) -> String {
        let (one, saved) = (self.frozen.len() == 1, self.saved);
        let its = if one { "its" } else { "their" };
        if saved == 0 {
            return format!("{its} spare capacity is never released");
        }
        // An alignment greater than a pointer's removes padding too.
        let words = self.cx.model.word() * self.frozen.len() as u64;
        let padding = self.sizes.is_some() && saved > words;
        let what = match (one, padding) {
            (true, false) => "capacity takes",
            (true, true) => "capacity and padding take",
            (false, false) => "capacities take",
            (false, true) => "capacities and padding take",
        };
        match self.sizes {
            Some((before, _)) => format!("{its} {what} {saved} of {before} bytes"),
            None => format!("{its} {what} {saved} bytes"),
        }
    }

    /// Notes what the saving is worth, if unknown, and who is affected by the change.
    fn notes(&self) -> Vec<String> {
        let (model, info) = (self.cx.model, self.info);
        let name = model.db.item(info.item).item.name;
        let mut notes = Vec::new();
        if self.counted.multiplicity == Multiplicity::Unknown {
            notes.push(format!("the number of `{name}` values is unknown"));
        }
        let fields = self.frozen.iter().map(|(b, _)| b);
        let exported = fields.filter(|b| freezing::is_exported(model, info, b.field));
        let names: Vec<_> = exported.take(MOST_NAMED).map(|b| self.field(b)).collect();
        notes.extend(public(&names));
        notes.extend(import(self.cx, info));
        notes
    }

    /// Returns `Type::field` or `Enum::Variant::field`.
    fn field(&self, buffer: &Buffer) -> String {
        freezing::field_path(self.cx.model, buffer.field)
    }

    /// Returns true if code of the workspace, a derive's included, makes the buffer.
    fn is_made(&self, buffer: &Buffer) -> bool {
        let buffers = self.cx.buffers();
        buffers.is_made(buffer.field) || buffers.is_read_in(self.info.item)
    }

    /// Returns what a field is constructed from, the clearest first.
    fn makers(&self, buffer: &Buffer) -> Vec<Evidence> {
        let uses = self.cx.buffers().uses(buffer.field).iter();
        let mut made: Vec<(Maker, &Use)> = uses
            .filter(|u| !u.aside)
            .filter_map(|u| match u.how {
                BufferUse::Made(maker) => Some((maker, u)),
                _ => None,
            })
            .collect();
        made.sort_by_key(|(m, u)| (u.guessed, !m.spare()));
        let field = self.field(buffer);
        let say = |maker: Maker| match maker {
            Maker::Empty => format!("`{field}` is created empty here"),
            Maker::Exact => format!("`{field}` is created here with exact capacity"),
            Maker::Grown => format!("`{field}` is created here from a buffer that grew"),
            Maker::Collected => {
                format!("`{field}` is collected here from what may have any length")
            }
            Maker::Given => format!("`{field}` is created here"),
        };
        // A possible field of another type with the same name is no evidence next to certain ones.
        let sure = made.iter().filter(|(_, u)| !u.guessed).count();
        let place = |(maker, u): &(Maker, &Use)| {
            let text = match u.guessed {
                true => format!("{}, if it is the same `{}`", say(*maker), buffer.name),
                false => say(*maker),
            };
            self.cx.model.evidence(u.span, text)
        };
        if made.is_empty() {
            let text = match self.cx.buffers().is_read_in(self.info.item) {
                true => format!("`{field}` is created only by `Deserialize`"),
                false => format!("no code of this build sets or grows `{field}`"),
            };
            let span = Some(self.info.span);
            return vec![Evidence { span, text }];
        }
        let several = self.frozen.len() > 1;
        let most = if several { 1 } else { MOST_MAKERS };
        let shown = made.iter().take(if sure > 0 { sure } else { 1 });
        shown.take(most).map(place).collect()
    }
}
