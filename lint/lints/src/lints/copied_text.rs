//! A text that nothing changes is copied, where sharing it would do.
//!
//! # Why
//! A clone of a `String` allocates a block and copies the text. Where nothing ever changes it, all
//! copies could be one block, and a clone of an `Arc<str>` or `Rc<str>` adds one to a count.
//!
//! # What it finds
//! - Strings that are set to a copy of a shared text (an `Arc<str>`, an interned string, a
//!   `&'static str`).
//! - Strings that nothing changes and that are cloned where many are.
//!
//! # What it leaves out
//! - Fields that something changes or that a derive, an attribute or `repr(C)` prescribes, and those
//!   that are all short (`small_string`).
//! - Types that exist once, and errors.
//!
//! # Limits
//! How often a place runs, and how long a text is, the code does not tell: `repeated_text` counts it
//! in a census. Who takes the `String` out of a value has to copy it then.
//!
//! # Example
//! ```
//! use std::sync::Arc;
//!
//! struct Entry {
//!     name: String,
//!     line: u32,
//! }
//!
//! struct Index {
//!     pages: Vec<Vec<Entry>>,
//! }
//!
//! fn index(names: &[Arc<str>]) -> Index {
//!     let entry = |(name, line): (&Arc<str>, u32)| Entry { name: name.to_string(), line };
//!     let page = |names: &[Arc<str>]| names.iter().zip(1..).map(entry).collect();
//!     Index { pages: names.chunks(50).map(page).collect() }
//! }
//! ```
//! allocates a block for each name. With `name: Arc<str>`, made by `Arc::clone(name)`, it does not,
//! and an `Entry` is 24 bytes instead of 32.

mod source;

use crate::config::Level;
use crate::finding::{
    BlockChange, Change, Confidence, Evidence, Finding, Label, Multiplicity, Reason, Remedy,
};
use crate::layout::WhatIf;
use crate::lint::words::{count, listed, quoted, subject};
use crate::lint::{Answer, Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::freezing::Marks;
use crate::model::{TypeInfo, freezing};
use crate::span::Span;
use crate::text_types::ECO;
use crate::usage::buffers::{Buffer, BufferUse, Use};
use crate::usage::clones::Copied;
use rustc_hash::FxHashSet;

/// The lint.
pub static LINT: Lint = Lint {
    name: "copied_text",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("copied_text.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Contents,
    claim: Claim::Rival(6),
    check: Check::Last(check),
};

/// Maximum number of places listed.
const MOST_PLACES: usize = 4;

/// A place that copies the text of a field.
struct CopySite {
    span: Span,
    /// What is copied there.
    what: String,
    /// It copies a collection of them, or is in a loop.
    many: bool,
}

fn check(cx: &Context, info: &TypeInfo) -> Vec<Answer> {
    // The origin of a string is stronger evidence than the number of copies.
    let mut findings = source::check(cx, info);
    let spoken = findings.iter().map(|f| f.primary.span).collect();
    findings.extend(copied(cx, info, &spoken));
    found(
        findings,
        "no `String` of it that stays unchanged is copied in several places, or from a shared text",
    )
}

/// Returns one finding about the strings of a type that could be shared, without the fields of
/// other findings.
fn copied(cx: &Context, info: &TypeInfo, spoken: &FxHashSet<Span>) -> Option<Finding> {
    let model = cx.model;
    let counted = cx.population(info.item);
    if !counted.multiplicity.is_stored() || !freezing::is_free(model, info) || model.is_error(info)
    {
        return None;
    }
    let wholes = cx.clones().of(info.item);
    let is_spoken_of = |field: Span| spoken.contains(&field) || cx.is_claimed(field);
    let shared = cx.buffers().of(info.item).iter().filter(|b| {
        b.kind == "String"
            && freezing::may_change(model, b)
            && cx.buffers().is_final(b.field)
            && !is_spoken_of(freezing::field_span(model, info, b.field))
    });
    // If no place copies whole values, only fields that are copied by themselves.
    let whole = wholes.iter().any(|c| !c.site.aside);
    let is_copied = |b: &&Buffer| whole || cx.buffers().uses(b.field).iter().any(is_copy);
    let shared: Vec<&Buffer> = shared.filter(is_copied).collect();
    let mut places = places(cx, info, &shared, wholes);
    let many = places.iter().any(|p| p.many);
    if shared.is_empty() || !many {
        return None;
    }
    places.sort_by_key(|p| !p.many);
    let moved = shared.iter().flat_map(|b| cx.buffers().uses(b.field));
    let moved =
        moved.filter(|u| !u.aside && matches!(u.how, BufferUse::Moved | BufferUse::MovedInto(_)));
    // Code that moves the `String` out would have to copy it.
    let taken = moved.count() * 2 > places.len();
    let against = [
        (taken, Reason::Unseen),
        (model.is_output(info), Reason::Brief),
    ];
    let report = Report {
        cx,
        info,
        shared,
        places,
    };
    let mut finding = report.finding(counted.multiplicity, counted.plainest())?;
    finding.against = Reason::holding(against);
    Some(finding)
}

fn is_copy(found: &Use) -> bool {
    found.how == BufferUse::Cloned && !found.aside && !found.guessed
}

/// Returns where the texts are copied, outside of tests; each place once.
fn places(cx: &Context, info: &TypeInfo, shared: &[&Buffer], wholes: &[Copied]) -> Vec<CopySite> {
    let model = cx.model;
    let name = model.db.item(info.item).item.name;
    let mut seen = FxHashSet::default();
    let mut list = Vec::new();
    for copied in wholes.iter().filter(|c| !c.site.aside) {
        let (span, written) = model.db.sources.origin(copied.site.span);
        let whole = model.db.display(copied.whole);
        let what = match whole == name.as_str() {
            true => format!("`{name}` is cloned here"),
            false => format!("`{whole}` is cloned here, with every `{name}` in it"),
        };
        if written && seen.insert(span) {
            list.push(CopySite {
                span,
                what,
                many: copied.many,
            });
        }
    }
    for buffer in shared {
        let field = freezing::field_path(model, buffer.field);
        let uses = cx.buffers().uses(buffer.field).iter();
        for found in uses.filter(|u| is_copy(u)) {
            let (span, written) = model.db.sources.origin(found.span);
            let what = format!("`{field}` is cloned here");
            if written && seen.insert(span) {
                list.push(CopySite {
                    span,
                    what,
                    many: found.loops > 0,
                });
            }
        }
    }
    list
}

/// The data of a finding about one type.
struct Report<'r> {
    cx: &'r Context<'r>,
    info: &'r TypeInfo,
    /// Its strings that are never modified.
    shared: Vec<&'r Buffer>,
    /// Where they are copied, those that copy many first.
    places: Vec<CopySite>,
}

impl Report<'_> {
    fn finding(&self, number: Multiplicity, many: Option<Evidence>) -> Option<Finding> {
        let (model, info) = (self.cx.model, self.info);
        let owner = model.db.item(info.item).item.name;
        let before = model.size(info.ty)?;
        let paths = self.shared.iter();
        let paths: Vec<_> = paths
            .map(|b| freezing::field_path(model, b.field))
            .collect();
        // It may be replaced as a whole.
        let are = match paths.len() {
            1 => "is",
            _ => "are",
        };
        let mut evidence = Vec::from_iter(many);
        evidence.extend(self.places.iter().take(MOST_PLACES).map(|p| Evidence {
            span: Some(p.span),
            text: match p.many {
                true => format!("{}: many at once, or in a loop", p.what),
                false => p.what.clone(),
            },
        }));
        let uses = self.shared.iter();
        let uses = uses.flat_map(|b| self.cx.buffers().uses(b.field));
        evidence.extend(freezing::edits(model, uses));
        let labels = self.shared.iter().map(|b| {
            let text = format!("could be `{}`", self.like(b, "Arc<str>"));
            Label::new(freezing::field_span(model, info, b.field), text)
        });
        let Marks {
            primary,
            secondary,
            claims,
        } = freezing::marks(info, Some(before), labels)?;
        let first = freezing::field_name(model, self.shared[0].field);
        let exported = model.exports(info, Some(&first));
        let mut uses = self
            .shared
            .iter()
            .flat_map(|b| self.cx.buffers().uses(b.field));
        let modified = match uses.any(|u| u.how == BufferUse::Emptied) {
            true => "never modified in place, only cleared,",
            false => "never modified in place",
        };
        // Clones of what holds it clone it too.
        let message = format!(
            "{} {are} {modified} but cloned at {} or more",
            subject(&paths, owner),
            count(self.places.len(), "place"),
        );
        Some(Finding {
            claims,
            secondary,
            field: Some(first),
            size_before: Some(before),
            remedies: self.remedies(&listed(&quoted(&paths)))?,
            evidence,
            trade_off: Some(
                "storing a `String` copies it once, code that takes a clone must accept the new \
                 type, and the counts take 16 bytes of each block"
                    .to_owned(),
            ),
            notes: self.notes(exported),
            multiplicity: number,
            confidence: Confidence::Likely,
            ..Finding::new(message, primary)
        })
    }

    fn notes(&self, exported: bool) -> Vec<String> {
        let item = self.cx.model.db.item(self.info.item).item;
        let breaking = || format!("`{}` is exported: this is a breaking change", item.name);
        let serde =
            || "serde needs its feature `rc` for `Arc`, `ecow` its feature `serde`".to_owned();
        let derived = item.attrs.derives_any(&["Deserialize", "Serialize"]);
        let notes = [exported.then(breaking), derived.then(serde)];
        notes.into_iter().flatten().collect()
    }

    /// Returns the type of a field with another text type for its `String`, as its author would
    /// write it.
    fn like(&self, buffer: &Buffer, text: &str) -> String {
        let ty = self.cx.model.db.display(buffer.ty);
        ty.replace("String", text)
    }

    fn remedies(&self, each: &str) -> Option<Vec<Remedy>> {
        // Equal types are named once.
        let like = |text: &str| {
            let mut types = self.shared.iter().map(|b| self.like(b, text));
            let first = types.next().unwrap_or_default();
            match types.all(|ty| ty == first) {
                true => first,
                false => text.to_owned(),
            }
        };
        let shared = self.remedy(
            "crate::sync::Arc<str>",
            format!(
                "make {each} `{}` (or `Rc<str>`), which clones share",
                like("Arc<str>")
            ),
        )?;
        let eco = self.remedy(
            ECO.shape,
            format!(
                "make {each} `{}`: shared too, inline up to {} bytes",
                like(ECO.path),
                ECO.inline
            ),
        );
        let shared = Remedy {
            change: self.shared_change(),
            ..shared
        };
        Some(std::iter::once(shared).chain(eco).collect())
    }

    /// Returns the change of all these fields to a shared text, where that is the whole of each, or
    /// of an `Option`.
    fn shared_change(&self) -> Vec<Change> {
        let frozen = freezing::changes(self.cx.model, self.shared.iter().copied());
        let shared = frozen.into_iter().map(|change| match change {
            Change::FrozenInside(span) => Change::CountedInside(span),
            Change::Frozen(span) => Change::Counted(span),
            other => other,
        });
        shared.collect()
    }

    /// Returns the remedy that gives all these fields another type.
    fn remedy(&self, shape: &str, title: String) -> Option<Remedy> {
        let (model, info) = (self.cx.model, self.info);
        let fields = self.shared.iter();
        let names = fields.map(|b| freezing::field_name(model, b.field));
        let heap = names.map(|name| match shape == ECO.shape {
            true => BlockChange::Inlined(name, ECO.inline, 2 * model.word()),
            false => BlockChange::Shared(name),
        });
        let to = model.std_type(shape)?;
        let retyped = |b: &&Buffer| {
            let ty = model.replaced(b.ty, b.inner, to);
            (b.field.place(), Some(ty))
        };
        let change = WhatIf {
            fields: self.shared.iter().map(retyped).collect(),
        };
        Some(Remedy {
            heap: Some(heap.collect()),
            ..self.cx.remedy(info, &change, title)?
        })
    }
}
