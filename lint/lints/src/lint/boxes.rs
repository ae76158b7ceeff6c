//! An enum that boxes make smaller, for messages: its parts, spans and remedies.

use super::Context;
use super::wide::wide_fields;
use super::words::{bytes, fields_of, listed};
use crate::config::OVERSIZED_VARIANT;
use crate::finding::{BlockChange, Change, Evidence, Label, Parts, Remedy};
use crate::ir::{self, AdtKind, ItemKind};
use crate::layout::WhatIf;
use crate::layout::view::{VariantView, View};
use crate::model::boxing::{BoxOf, Boxing, Oversized};
use crate::model::{TypeInfo, freezing};
use crate::resolve::ty::TyKind;
use crate::span::Span;
use crate::usage::body::FieldId;
use crate::usage::types::{adt_of, std_first};

/// A type that shrinks by this many times the enum's saving is named: it holds several by value.
const SEVERAL: u64 = 4;

/// Maximum number of remedies of one kind.
const MOST_REMEDIES: usize = 5;

/// Derives that read every field, whether or not anything needs it.
const IDLE_DERIVES: &[&str] = &["Clone", "Copy", "Debug", "Default"];

/// A struct or enum with its layout.
pub struct Boxes<'r> {
    /// The context.
    pub cx: &'r Context<'r>,
    /// The type.
    pub info: &'r TypeInfo,
    /// Its declaration.
    pub adt: &'r ir::Adt,
    /// Its layout.
    pub view: &'r View,
}

impl<'r> Boxes<'r> {
    /// Makes the view of a type that boxes make smaller.
    pub fn of(cx: &'r Context<'r>, info: &'r TypeInfo, of: &'r Oversized) -> Option<Boxes<'r>> {
        let ItemKind::Adt(adt) = &cx.model.db.item(info.item).item.kind else {
            return None;
        };
        let view = &of.view;
        Some(Boxes {
            cx,
            info,
            adt,
            view,
        })
    }

    /// Returns the variants to box, the widest first.
    pub fn widest(&self, best: &Boxing) -> Vec<&'r VariantView> {
        let variants = self.view.variants.iter().enumerate();
        let mut widest: Vec<_> = variants
            .filter(|(v, _)| best.boxes.iter().any(|b| b.variant == *v))
            .map(|(_, v)| v)
            .collect();
        widest.sort_by_key(|v| std::cmp::Reverse(v.size));
        widest
    }

    /// Returns the widest variants with their bytes.
    pub fn parts(&self) -> Parts {
        let variants = self.view.variants.iter();
        let rows = variants.map(|v| (v.name.to_string(), v.size));
        Parts::widest("bytes of each variant's fields", rows)
    }

    /// Returns every remedy that was tried and saves something, the best first.
    pub fn remedies(&self, of: &Oversized) -> Vec<Remedy> {
        let boxings = of.boxings.iter().take(MOST_REMEDIES);
        let mut list: Vec<Remedy> = boxings.map(|b| self.boxed(b)).collect();
        if let Some(best) = of.boxings.first() {
            list.extend(self.field_of_struct(of, best));
            list.extend(self.frozen(of, best));
            list.extend(self.thinned(of, best));
            list.extend(self.dropped(of, best));
        }
        list
    }

    fn boxed(&self, boxing: &Boxing) -> Remedy {
        let model = self.cx.model;
        let none = WhatIf::default();
        let change = model.boxed_definition(self.info, self.view, &boxing.boxes, &none);
        let mut title = self.words(boxing);
        if boxing.boxes.iter().any(|b| self.is_box_of_collection(b)) {
            title.push_str(" (Clippy's `box_collection` objects)");
        }
        Remedy {
            heap: self.blocks(boxing),
            size_after: Some(boxing.size),
            ripple: self.cx.ripple(self.info, &change),
            change: self.change(boxing),
            ..Remedy::new(title)
        }
    }

    /// Returns the heap blocks of the boxes.
    fn blocks(&self, boxing: &Boxing) -> Option<Vec<BlockChange>> {
        let db = self.cx.model.db;
        let block = |b: &BoxOf| {
            let variant = &self.view.variants[b.variant];
            let inside: Vec<_> = b.fields.iter().map(|&f| variant.fields[f].ty).collect();
            let inside = db.types.intern(TyKind::Tuple(inside.into()));
            Some(BlockChange::Boxed {
                variant: Some(variant.name.to_string()),
                field: None,
                bytes: self.cx.model.size(inside)?,
            })
        };
        boxing.boxes.iter().map(block).collect()
    }

    /// Describes in words what is boxed.
    pub fn words(&self, boxing: &Boxing) -> String {
        match &boxing.boxes[..] {
            [first, rest @ ..]
                if !rest.is_empty() && rest.iter().all(|b| b.variant == first.variant) =>
            {
                let variant = &self.view.variants[first.variant];
                let fields = boxing.boxes.iter().flat_map(|b| &b.fields);
                let fields: Vec<_> = fields.copied().collect();
                format!("box each of {}", fields_of(variant, &fields))
            }
            boxes => {
                let titles: Vec<_> = boxes.iter().map(|b| self.title(b)).collect();
                titles.join("; ")
            }
        }
    }

    fn title(&self, b: &BoxOf) -> String {
        let variant = &self.view.variants[b.variant];
        match (b.fields.len(), variant.fields.len()) {
            (1, 1) => format!("box the contents of `{}`", variant.name),
            (1, _) => format!("box {}", fields_of(variant, &b.fields)),
            (2, 2) => format!("put both fields of `{}` in one box", variant.name),
            (some, all) if some == all => {
                format!("put all {all} fields of `{}` in one box", variant.name)
            }
            _ => format!("put {} in one box", fields_of(variant, &b.fields)),
        }
    }

    /// Returns true if a box has one field that is a pointer to the heap already: shown for
    /// comparison, not recommended.
    fn is_box_of_collection(&self, b: &BoxOf) -> bool {
        let fields = &self.view.variants[b.variant].fields;
        matches!(b.fields[..], [one] if self.cx.model.is_behind_pointer(fields[one].ty))
    }

    /// Returns the fields that get other types.
    fn change(&self, boxing: &Boxing) -> Vec<Change> {
        // A box that Clippy warns about is shown without edits.
        let without = |b: &BoxOf| self.is_box_of_collection(b) || self.is_box_of_parameter(b);
        if boxing.boxes.iter().any(without) {
            return Vec::new();
        }
        let change = |b: &BoxOf| {
            let variant = &self.view.variants[b.variant];
            let source = &self.adt.variants[variant.index].fields;
            let span = |f: &usize| source[variant.fields[*f].index].ty_span;
            match &b.fields[..] {
                [field] if self.is_option(variant, *field) => Change::BoxedInside(span(field)),
                [field] => Change::Boxed(span(field)),
                fields => Change::Joined(fields.iter().map(span).collect()),
            }
        };
        boxing.boxes.iter().map(change).collect()
    }

    fn is_option(&self, variant: &VariantView, field: usize) -> bool {
        std_first(self.cx.model.db, variant.fields[field].ty, &["Option"]).is_some()
    }

    /// Boxes one field of a struct that the widest variants hold: one change, however many variants
    /// hold it.
    fn field_of_struct(&self, of: &Oversized, best: &Boxing) -> Option<Remedy> {
        let model = self.cx.model;
        let fields = self.widest(best).into_iter().flat_map(|v| &v.fields);
        let structs = fields.filter_map(|f| model.info(adt_of(model.db, f.ty)?));
        let mut tried: Vec<(u64, Remedy)> = Vec::new();
        for info in structs.filter(|info| info.kind == AdtKind::Struct && model.is_authored(info)) {
            if !freezing::is_free(model, info) || model.is_copy(info) {
                continue;
            }
            let Ok(view) = model.view(info.ty) else {
                continue;
            };
            let [variant] = &view.variants[..] else {
                continue;
            };
            for wide in wide_fields(self.cx, info, view.size, variant) {
                let Some(after) = model.size_if(of.ty, &wide.change) else {
                    continue;
                };
                let title = format!("box `{}`", freezing::field_path(model, wide.id));
                tried.push((
                    after,
                    Remedy {
                        size_after: Some(after),
                        ripple: self.cx.ripple(self.info, &wide.change),
                        ..Remedy::new(title)
                    },
                ));
            }
        }
        let best = tried.into_iter().min_by_key(|(after, _)| *after)?;
        (best.0 < self.view.size).then_some(best.1)
    }

    /// Makes the `Vec`s and boxed slices of the widest variants pointers of one word, as the crate
    /// `thin-vec` has them.
    fn thinned(&self, of: &Oversized, best: &Boxing) -> Option<Remedy> {
        let model = self.cx.model;
        let mut change = WhatIf::default();
        let mut said = Vec::new();
        for variant in self.widest(best) {
            let is_wide = |f: &usize| {
                let field = &variant.fields[*f];
                let id = self.id(variant, *f);
                model.is_sequence(field.ty) && freezing::is_plain(model, id)
            };
            let fields: Vec<usize> = (0..variant.fields.len()).filter(is_wide).collect();
            for &f in &fields {
                let thin = model.boxed(variant.fields[f].ty);
                change
                    .fields
                    .insert(self.id(variant, f).place(), Some(thin));
            }
            if !fields.is_empty() {
                said.push(fields_of(variant, &fields));
            }
        }
        let after = model.size_if(of.ty, &change)?;
        (after < self.view.size).then(|| Remedy {
            size_after: Some(after),
            ripple: self.cx.ripple(self.info, &change),
            ..Remedy::new(format!(
                "make {} `ThinVec` (crate `thin-vec`)",
                listed(&said)
            ))
        })
    }

    /// Replaces the `Vec`s of the single widest variant by boxed slices, if that alone suffices.
    fn frozen(&self, of: &Oversized, best: &Boxing) -> Option<Remedy> {
        let model = self.cx.model;
        let [variant] = self.widest(best)[..] else {
            return None;
        };
        let (fields, change) = model.frozen_definition(self.info, variant);
        if fields.is_empty() {
            return None;
        }
        let after = model.size_if(of.ty, &change)?;
        let package = self.cx.config(self.info.krate);
        let thresholds = package.thresholds(OVERSIZED_VARIANT);
        let name = |f: &usize| freezing::field_name(model, self.id(variant, *f));
        let frozen = fields.iter().map(|f| BlockChange::Frozen(name(f)));
        let fields = fields_of(variant, &fields);
        thresholds.worth(self.view.size, after).then(|| Remedy {
            heap: Some(frozen.collect()),
            size_after: Some(after),
            ripple: self.cx.ripple(self.info, &change),
            ..Remedy::new(format!("make {fields} boxed slices, if they never grow"))
        })
    }

    /// Removes the fields of the widest variants that are never read.
    fn dropped(&self, of: &Oversized, best: &Boxing) -> Option<Remedy> {
        let model = self.cx.model;
        let mut change = WhatIf::default();
        let mut said = Vec::new();
        let mut count = 0;
        for variant in self.widest(best) {
            let unread = self.unread(variant);
            if unread.is_empty() {
                continue;
            }
            for &f in &unread {
                change.fields.insert(self.id(variant, f).place(), None);
            }
            count += unread.len();
            said.push(fields_of(variant, &unread));
        }
        if said.is_empty() {
            return None;
        }
        let after = model.size_if(of.ty, &change)?;
        let fields = said.join(", ");
        let are = if count == 1 { "it is" } else { "they are" };
        (after < self.view.size).then(|| Remedy {
            heap: Some(Vec::new()),
            size_after: Some(after),
            ripple: self.cx.ripple(self.info, &change),
            ..Remedy::new(format!("remove {fields}: {are} never read"))
        })
    }

    /// Returns the ID of a variant's field.
    fn id(&self, variant: &VariantView, field: usize) -> FieldId {
        FieldId::new(self.info.item, variant.index, variant.fields[field].index)
    }

    /// Returns the fields of a variant that no body and no derive reads.
    pub fn unread(&self, variant: &VariantView) -> Vec<usize> {
        let cx = self.cx;
        let attrs = &cx.model.db.item(self.info.item).item.attrs;
        let reads = attrs.derived().any(|m| {
            let name = m.path.last().map_or("", |n| n.as_str());
            !IDLE_DERIVES.contains(&name)
        });
        // Other crates may read what a library exports.
        if reads || cx.model.exports(self.info, None) {
            return Vec::new();
        }
        let is_unread = |i: &usize| {
            let field = &variant.fields[*i];
            let source = &self.adt.variants[variant.index].fields[field.index];
            let read = || cx.is_read(self.id(variant, *i), field.name);
            field.size > 0 && !self.names_parameter(source) && !read()
        };
        (0..variant.fields.len()).filter(is_unread).collect()
    }

    /// Returns true if a field's type names a generic parameter: without the field the parameter
    /// may be unused.
    fn names_parameter(&self, field: &ir::Field) -> bool {
        let text = self.cx.model.db.sources.text(field.ty_span);
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|w| self.adt.generics.params.iter().any(|p| p.name == w))
    }

    /// Returns true if a box holds nothing but a generic parameter: what it is and how large, its
    /// users choose.
    fn is_box_of_parameter(&self, b: &BoxOf) -> bool {
        let variant = &self.view.variants[b.variant];
        let [one] = b.fields[..] else { return false };
        let source = &self.adt.variants[variant.index].fields[variant.fields[one].index];
        match &source.ty {
            ir::Type::Path(path) if path.segments.len() == 1 => {
                let mut params = self.adt.generics.params.iter();
                params.any(|p| p.name == path.segments[0].name)
            }
            _ => false,
        }
    }

    /// Labels a variant with the bytes of its fields.
    pub fn label(&self, variant: &VariantView) -> Label {
        let text = format!("{} of fields", bytes(variant.size));
        Label::new(self.variant_span(variant), text)
    }

    /// Returns the variant's name where the author wrote it, else the type's.
    pub fn variant_span(&self, variant: &VariantView) -> Span {
        let name = self.adt.variants[variant.index].name_span;
        self.cx.written(self.info, name)
    }
}

/// Returns the total saving in a value of a type that holds several of the enum by value.
pub fn lost_at_once(cx: &Context, info: &TypeInfo, oversized: &Oversized) -> Option<Evidence> {
    let best = oversized.boxings.first()?;
    let change = oversized.change(cx.model, info)?;
    let saved = oversized.view.size - best.size;
    let ripple = cx.ripple(info, &change);
    let first = ripple
        .first()
        .filter(|r| r.before >= r.after + saved * SEVERAL)?;
    Some(Evidence {
        span: None,
        text: format!(
            "each `{}` holds several by value: {} → {} bytes",
            first.path, first.before, first.after
        ),
    })
}
