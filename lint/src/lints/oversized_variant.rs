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
//! tenth more for each further variant, and names the inner enum where an outer one is large for
//! its sake.
//!
//! # Limits
//! A box costs an allocation for each value of the variant, and a jump to read it: do not box the
//! variant that is the common one. The lint does not look yet at how often each occurs. It is silent where a
//! box cannot be (`Copy` enums, `no_std` without `alloc`) or would change what is fixed from
//! outside (`repr(C)`), about single fields that are a pointer to the heap already, and about
//! enums whose size is not known or depends on a generic parameter.
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

use crate::config::{Level, SAVED_BYTES, SAVED_PERCENT};
use crate::finding::{
    Applicability, Confidence, Edit, Finding, Fix, Label, Parts, Population, Remedy,
};
use crate::ir::{self, ItemKind, Style};
use crate::layout::WhatIf;
use crate::layout::view::{VariantView, View};
use crate::lint::{Check, Context, Group, Lint};
use crate::model::TypeInfo;
use crate::model::boxing::{BoxOf, Boxing, Oversized};
use crate::span::Span;

/// The lint.
pub static LINT: Lint = Lint {
    name: "oversized_variant",
    group: Group::Layout,
    level: Level::Warn,
    source: include_str!("oversized_variant.rs"),
    settings: &[SAVED_BYTES, SAVED_PERCENT],
    clippy: &["large_enum_variant"],
    check: Check::Type(|cx, info| check(cx, info).into_iter().collect()),
};

/// More remedies than these are left out.
const MOST_REMEDIES: usize = 5;

/// More variants than these are left out of the table.
const MOST_ROWS: usize = 6;

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    let ItemKind::Adt(adt) = &model.db.item(info.item).item.kind else {
        return None;
    };
    let Oversized { view, boxings } = cx.oversized().get(&info.item)?;
    let best = boxings.first()?;
    if root_is_inside(cx, info) {
        return None;
    }
    let report = Report {
        cx,
        info,
        adt,
        view,
    };
    Some(report.finding(best, boxings))
}

/// True if the enum is large only for the sake of enums inside it that are reported themselves.
fn root_is_inside(cx: &Context, info: &TypeInfo) -> bool {
    let model = cx.model;
    let types = model.types();
    let mut mended = WhatIf::default();
    for inner in types {
        let Some(Oversized { view, boxings }) = cx.oversized().get(&inner.item) else {
            continue;
        };
        let holders = cx.holders().of(inner.item);
        let holds = holders.iter().any(|&i| types[i].item == info.item);
        if let (true, true, Some(best)) = (inner.item != info.item, holds, boxings.first()) {
            mended = model.boxed_definition(inner, view, &best.boxes, &mended);
        }
    }
    if mended.fields.is_empty() {
        return false;
    }
    let before = model.extent(info.ty);
    let thresholds = cx.config(info.krate).thresholds(LINT.name);
    match (
        before,
        model.what_if(mended.clone(), || model.view(info.ty)),
    ) {
        (Ok(before), Ok(view)) => {
            thresholds.worth(before.size, view.size)
                || model.boxings(info, &view, &mended, &thresholds).is_empty()
        }
        _ => false,
    }
}

struct Report<'r> {
    cx: &'r Context<'r>,
    info: &'r TypeInfo,
    adt: &'r ir::Adt,
    view: &'r View,
}

impl Report<'_> {
    fn finding(&self, best: &Boxing, boxings: &[Boxing]) -> Finding {
        let view = self.view;
        let model = self.cx.model;
        let name = model.db.item(self.info.item).item.name;
        let mut fat: Vec<&VariantView> = view
            .variants
            .iter()
            .enumerate()
            .filter(|(v, _)| best.boxes.iter().any(|b| b.variant == *v))
            .map(|(_, v)| v)
            .collect();
        fat.sort_by_key(|v| std::cmp::Reverse(v.size));
        let names: Vec<_> = fat.iter().map(|v| format!("`{}`", v.name)).collect();
        let label = |v: &VariantView| Label {
            span: self.variant_span(v),
            text: format!("{} of fields", bytes(v.size)),
        };
        let mut secondary: Vec<Label> = fat.iter().skip(1).map(|v| label(v)).collect();
        let primary = label(fat[0]);
        if primary.span != self.info.span {
            secondary.push(Label {
                span: self.info.span,
                text: format!("{} a value", bytes(view.size)),
            });
        }
        let others = match view.variants.len() - fat.len() {
            1 => "the other variant".to_owned(),
            n => format!("the {n} other variants"),
        };
        let makes = if fat.len() == 1 { "makes" } else { "make" };
        Finding {
            message: format!(
                "{} {makes} every `{name}` {}; {others} would do with {}",
                listed(&names),
                bytes(view.size),
                best.size
            ),
            primary,
            secondary,
            field: Some(fat[0].name.to_string()),
            size_before: Some(view.size),
            parts: Some(self.parts()),
            remedies: boxings
                .iter()
                .take(MOST_REMEDIES)
                .map(|b| self.remedy(b))
                .collect(),
            evidence: Vec::new(),
            trade_off: Some(match &names[..] {
                [one] => format!("each {one} then costs an allocation: good if it is the rare one"),
                _ => "each value of these variants then costs an allocation: good if they are rare"
                    .to_owned(),
            }),
            notes: self.notes(best),
            population: Population::Unknown,
            confidence: self.confidence(&fat),
        }
    }

    /// An enum of one variant with data and others without is made for that variant.
    fn confidence(&self, fat: &[&VariantView]) -> Confidence {
        let others = self
            .view
            .variants
            .iter()
            .filter(|v| fat.iter().all(|f| f.index != v.index));
        match others.into_iter().all(|v| v.size == 0) {
            true => Confidence::Proved.lowered(),
            false => Confidence::Proved,
        }
    }

    fn notes(&self, best: &Boxing) -> Vec<String> {
        let db = self.cx.model.db;
        let data = db.item(self.info.item);
        let Some(id) = db.krate(self.info.krate).id else {
            return Vec::new();
        };
        let krate = db.project.krate(id);
        let published = krate.publishable && krate.kind == crate::project::CrateKind::Lib;
        let mut notes = Vec::new();
        if published && data.item.vis == ir::Vis::Public {
            notes.push(format!(
                "`{}` is `pub`: where it is exported, this changes the library's public API",
                data.item.name
            ));
        }
        // Said only to those who have the macro at hand.
        if krate.deps.iter().any(|(name, _)| name == "weigh_derive") {
            notes.push(format!(
                "once mended, `#[assert_size(max = {})]` keeps it from growing back",
                best.size
            ));
        }
        notes
    }

    fn parts(&self) -> Parts {
        let mut rows: Vec<_> = self
            .view
            .variants
            .iter()
            .map(|v| (v.name.to_string(), v.size))
            .collect();
        rows.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
        let left_out = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        Parts {
            title: "bytes of each variant's fields".to_owned(),
            rows,
            left_out,
        }
    }

    fn remedy(&self, boxing: &Boxing) -> Remedy {
        let model = self.cx.model;
        let none = WhatIf::default();
        let change = model.boxed_definition(self.info, self.view, &boxing.boxes, &none);
        let title = match &boxing.boxes[..] {
            [first, rest @ ..]
                if !rest.is_empty() && rest.iter().all(|b| b.variant == first.variant) =>
            {
                let variant = &self.view.variants[first.variant];
                let fields: Vec<_> = boxing
                    .boxes
                    .iter()
                    .flat_map(|b| &b.fields)
                    .copied()
                    .collect();
                format!("box each of {}", fields_of(variant, &fields))
            }
            boxes => {
                let titles: Vec<_> = boxes.iter().map(|b| self.title(b)).collect();
                titles.join("; ")
            }
        };
        Remedy {
            title,
            size_after: Some(boxing.size),
            ripple: self.cx.holders().ripple(model, self.info.item, &change),
            fix: self.fix(boxing),
        }
    }

    fn title(&self, b: &BoxOf) -> String {
        let variant = &self.view.variants[b.variant];
        match (b.fields.len(), variant.fields.len()) {
            (1, 1) => format!("box what `{}` holds", variant.name),
            (1, _) => format!("box {}", fields_of(variant, &b.fields)),
            (2, 2) => format!("put both fields of `{}` in one box", variant.name),
            (some, all) if some == all => {
                format!("put all {all} fields of `{}` in one box", variant.name)
            }
            _ => format!("put {} in one box", fields_of(variant, &b.fields)),
        }
    }

    /// Boxes of one field each are a change of types alone.
    fn fix(&self, boxing: &Boxing) -> Option<Fix> {
        let sources = &self.cx.model.db.sources;
        let mut edits = Vec::new();
        for b in &boxing.boxes {
            let [field] = b.fields[..] else { return None };
            let variant = &self.view.variants[b.variant];
            let source = &self.adt.variants[variant.index];
            let field = &source.fields[variant.fields[field].index];
            let (span, written) = sources.origin(field.ty_span);
            let text = sources.text(span);
            // A macro's argument may be only a piece of what the type became.
            if !written || text != sources.text(field.ty_span) || source.style == Style::Unit {
                return None;
            }
            edits.push(Edit {
                span,
                text: format!("Box<{text}>"),
            });
        }
        let std = self.cx.model.has_std(self.info.krate);
        (std && !edits.is_empty()).then_some(Fix {
            edits,
            applicability: Applicability::MaybeIncorrect,
        })
    }

    /// The variant's name where the author wrote it, else the type's.
    fn variant_span(&self, variant: &VariantView) -> Span {
        let name = self.adt.variants[variant.index].name_span;
        match self.cx.model.db.sources.origin(name) {
            (span, true) => span,
            _ => self.info.span,
        }
    }
}

/// A number of bytes in words.
fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// Fields of a variant in words.
fn fields_of(variant: &VariantView, fields: &[usize]) -> String {
    let names: Vec<_> = fields
        .iter()
        .map(|&f| variant.fields[f].name.as_str())
        .collect();
    let numbered = names.iter().all(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let names: Vec<_> = match numbered {
        true => names.iter().map(|n| (*n).to_owned()).collect(),
        false => names.iter().map(|n| format!("`{n}`")).collect(),
    };
    let noun = match (numbered, names.len()) {
        (false, _) => "",
        (true, 1) => "field ",
        (true, _) => "fields ",
    };
    format!("{noun}{} of `{}`", listed(&names), variant.name)
}

/// `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}
