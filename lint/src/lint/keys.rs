//! Texts that are keys: a map lets nobody change one, so none can grow.

use super::Context;
use super::words::listed;
use crate::finding::{Confidence, Evidence, Finding, Label, Population, Remedy};
use crate::ir::{Field, ItemKind, Style};
use crate::model::freezing::{self, Marks};
use crate::model::{Model, TypeInfo};
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::span::Span;
use crate::usage::types::{field_types, inner, std_name};

/// Types of std that own a text and may grow.
const TEXTS: &[&str] = &["CString", "OsString", "PathBuf", "String"];

/// Deeper inside a field no map is looked for.
const MOST_DEPTH: u32 = 6;

/// A field with keys that could be boxed texts.
struct Keyed<'m> {
    name: String,
    span: Span,
    /// The field's type, and that of a key, today and after.
    ty: Ty,
    key: Ty,
    after: Ty,
    data: &'m Field,
}

/// The fields of a type whose maps and sets have texts that grow as keys, in one finding. How many
/// keys there are the code rarely tells: it is for those who ask.
pub fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    let mut found = fields(model, info);
    found.retain(|f| !cx.is_claimed(f.span));
    let first = found.first()?;
    let size = |ty: Ty| model.extent(ty).ok().map(|e| e.size);
    let (before, after) = (size(first.key)?, size(first.after)?);
    let names: Vec<_> = found.iter().map(|f| format!("`{}`", f.name)).collect();
    let text = model.db.display(first.after);
    let owner = model.db.item(info.item).item.name;
    let labels = found.iter().map(|f| Label {
        span: f.span,
        text: format!("`{}` would do for a key", model.db.display(f.after)),
    });
    let Marks {
        primary,
        secondary,
        claims,
    } = freezing::marks(info, None, labels)?;
    let evidence = found.iter().map(|f| Evidence {
        span: Some(model.db.sources.origin(f.data.ty_span).0),
        text: format!(
            "`{}` of `{owner}` holds `{}`",
            f.name,
            model.db.display(f.ty)
        ),
    });
    Some(Finding {
        message: format!(
            "nothing can grow a key of {} of `{owner}`: {} of its {before} bytes are for a capacity \
             that is never used",
            listed(&names),
            before - after,
        ),
        primary,
        claims,
        secondary,
        field: Some(first.name.clone()),
        size_before: None,
        parts: None,
        remedies: vec![Remedy {
            title: format!(
                "make the keys of {} `{text}`, of {after} bytes in place of {before}",
                listed(&names)
            ),
            size_after: None,
            ripple: Vec::new(),
            fix: None,
        }],
        evidence: evidence.collect(),
        trade_off: Some(
            "a key that comes with room to spare gives that back first, which may move it"
                .to_owned(),
        ),
        notes: vec!["how many keys there are, the code does not tell".to_owned()],
        population: Population::Many,
        confidence: Confidence::Possible,
    })
}

fn fields<'m>(model: &'m Model<'static>, info: &TypeInfo) -> Vec<Keyed<'m>> {
    let db = model.db;
    let ItemKind::Adt(adt) = &db.item(info.item).item.kind else {
        return Vec::new();
    };
    if !info.written || !info.certain {
        return Vec::new();
    }
    let types = field_types(db, info.ty);
    let mut found = Vec::new();
    for (variant, types) in adt.variants.iter().zip(types) {
        for (data, ty) in variant.fields.iter().zip(types) {
            let plain = data.attrs.list.iter().all(|a| {
                let name = a.meta.path.last();
                name.is_some_and(|n| *n == "doc")
            });
            let Some((key, after)) = key_of(model, ty, 0).filter(|_| plain) else {
                continue;
            };
            let numbered = variant.style == Style::Tuple;
            let name = match variant.name == db.item(info.item).item.name {
                true => data.name.to_string(),
                false if numbered => variant.name.to_string(),
                false => format!("{}.{}", variant.name, data.name),
            };
            let span = match db.sources.origin(data.name_span) {
                (span, true) => span,
                _ => info.span,
            };
            found.push(Keyed {
                name,
                span,
                ty,
                key,
                after,
                data,
            });
        }
    }
    found
}

/// The text that is the key of a map or the element of a set inside a type, and what could be.
fn key_of(model: &Model<'static>, ty: Ty, depth: u32) -> Option<(Ty, Ty)> {
    let db = model.db;
    if depth > MOST_DEPTH {
        return None;
    }
    if let TyKind::Adt(item, args) = db.types.kind(ty)
        && let Some(GArg::Ty(key)) = args.first()
        && let name = db.item(*item).item.name.as_str()
        && (name.ends_with("Map") || name.ends_with("Set"))
        && let TyKind::Adt(text, _) = db.types.kind(*key)
        && let Some(text) = std_name(db, *text).filter(|n| TEXTS.contains(n))
    {
        return Some((*key, model.boxed_slice(*key, text)?));
    }
    match db.types.kind(ty) {
        TyKind::Adt(..) | TyKind::Tuple(_) | TyKind::Array(..) => {
            let mut parts = inner(db, ty).into_iter();
            parts.find_map(|part| key_of(model, part, depth + 1))
        }
        _ => None,
    }
}
