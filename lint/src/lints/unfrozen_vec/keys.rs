//! `unfrozen_vec` on texts that are keys: a map lets nobody change one, so none can grow.

use crate::finding::{Change, Confidence, Evidence, Finding, Label, Multiplicity, Remedy, Rule};
use crate::lint::Context;
use crate::lint::words::{listed, subject};
use crate::model::freezing::{self, Marks};
use crate::model::{Model, TypeInfo};
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::usage::body::FieldId;
use crate::usage::types::{field_types, inner, std_parts, types_of};

/// Deeper inside a field no map is looked for.
const MOST_DEPTH: u32 = 6;

/// A field with keys that could be boxed texts.
struct Keyed {
    field: FieldId,
    /// The field's type, and that of a key, today and after.
    ty: Ty,
    key: Ty,
    after: Ty,
}

/// The fields of a type whose maps and sets have texts that grow as keys, in one finding. How many
/// keys there are the code rarely tells: it is for those who ask.
pub(super) fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    if !freezing::is_free(model, info) || cx.is_kept(info) {
        return None;
    }
    let span = |f: &Keyed| freezing::field_span(model, info, f.field);
    let mut found = fields(model, info);
    found.retain(|f| freezing::is_plain(model, f.field) && !cx.is_claimed(span(f)));
    let first = found.first()?;
    let size = |ty: Ty| model.extent(ty).ok().map(|e| e.size);
    let (before, after) = (size(first.key)?, size(first.after)?);
    let name = |f: &Keyed| format!("`{}`", freezing::field_path(model, f.field));
    let names: Vec<_> = found.iter().map(name).collect();
    let paths: Vec<_> = found
        .iter()
        .map(|f| freezing::field_path(model, f.field))
        .collect();
    let text = |f: &Keyed| format!("`{}`", model.db.display(f.after));
    let texts: Vec<_> = found.iter().map(text).collect();
    let owner = model.db.item(info.item).item.name;
    let labels = found.iter().map(|f| Label {
        span: span(f),
        text: format!("keys could be {}", text(f)),
    });
    let Marks {
        primary,
        secondary,
        claims,
    } = freezing::marks(info, None, labels)?;
    let evidence = found.iter().map(|f| Evidence {
        span: Some(span(f)),
        text: format!("{} is `{}`", name(f), model.db.display(f.ty)),
    });
    Some(Finding {
        after: None,
        message: format!(
            "keys of {} never grow: their capacity takes {} of {before} bytes",
            subject(&paths, owner),
            before - after,
        ),
        primary,
        claims,
        secondary,
        field: Some(freezing::field_name(model, first.field)),
        size_before: None,
        parts: None,
        remedies: vec![Remedy {
            title: format!(
                "make the keys of {} {} ({before} → {after} bytes)",
                listed(&names),
                listed(&texts)
            ),
            heap: None,
            net: None,
            size_after: None,
            ripple: Vec::new(),
            change: changes(model, &found),
            fix: None,
        }],
        evidence: evidence.collect(),
        trade_off: Some("converting a key with spare capacity may reallocate once".to_owned()),
        notes: vec!["the number of keys is unknown".to_owned()],
        multiplicity: Multiplicity::Stored {
            depth: 1,
            holders: 1,
        },
        confidence: Confidence::Possible,
        slot: None,
        bulk: false,
        doubts: vec![Rule::NotProved],
    })
}

/// The fields whose keys get another type, where each is a map or set and no more.
fn changes(model: &Model<'static>, found: &[Keyed]) -> Vec<Change> {
    let change = |f: &Keyed| {
        let (_, args) = std_parts(model.db, f.ty)?;
        let first = types_of(args).next()? == f.key;
        let span = freezing::ty_span(model, f.field)?;
        first.then_some(Change::FrozenKeys(span))
    };
    let all: Option<Vec<_>> = found.iter().map(change).collect();
    all.unwrap_or_default()
}

fn fields(model: &Model<'static>, info: &TypeInfo) -> Vec<Keyed> {
    let mut found = Vec::new();
    for (variant, types) in (0..).zip(field_types(model.db, info.ty)) {
        for (field, ty) in (0..).zip(types) {
            let field = FieldId {
                adt: info.item,
                variant,
                field,
            };
            found.extend(key_of(model, ty, 0).map(|(key, after)| Keyed {
                field,
                ty,
                key,
                after,
            }));
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
        // What a map of the workspace itself lets do to its keys is not looked at.
        && !db.krate(db.krate_of(db.item(*item).module)).own
        && let Some((text @ ("CString" | "OsString" | "PathBuf" | "String"), _)) =
            std_parts(db, *key)
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
