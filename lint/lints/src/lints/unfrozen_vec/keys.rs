//! `unfrozen_vec` for text keys: a map gives no mutable access to its keys, so none can grow.

use crate::finding::{Change, Confidence, Evidence, Finding, Label, Multiplicity, Remedy};
use crate::lint::Context;
use crate::lint::words::{quoted, subject, with_keys};
use crate::model::freezing::{self, Marks};
use crate::model::{Model, TypeInfo};
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::usage::body::FieldId;
use crate::usage::types::{fields_of, inner, is_own, std_parts, types_of};

/// Maximum depth at which a map is searched in a field.
const MOST_DEPTH: u32 = 6;

/// A field with keys that could be boxed texts.
struct Keyed {
    field: FieldId,
    /// The types of the field and of a key, before and after.
    ty: Ty,
    key: Ty,
    after: Ty,
}

/// Returns one finding about the fields of a type whose maps and sets have growable texts as keys.
/// The code rarely tells how many keys there are: it is pedantic.
pub(super) fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    if !freezing::is_free(model, info) || cx.is_api_protected(info) {
        return None;
    }
    let span = |f: &Keyed| freezing::field_span(model, info, f.field);
    let mut found = fields(model, info);
    found.retain(|f| freezing::is_plain(model, f.field) && !cx.is_claimed(span(f)));
    let first = found.first()?;
    let (before, after) = (model.size(first.key)?, model.size(first.after)?);
    let path = |f: &Keyed| freezing::field_path(model, f.field);
    let paths: Vec<_> = found.iter().map(path).collect();
    let text = |f: &Keyed| format!("`{}`", model.db.display(f.after));
    let texts: Vec<_> = found.iter().map(text).collect();
    let owner = model.db.item(info.item).item.name;
    let labels = found
        .iter()
        .map(|f| Label::new(span(f), format!("keys could be {}", text(f))));
    let Marks {
        primary,
        secondary,
        claims,
    } = freezing::marks(info, None, labels)?;
    let evidence = found.iter().map(|f| Evidence {
        span: Some(span(f)),
        text: format!("`{}` is `{}`", path(f), model.db.display(f.ty)),
    });
    let title = with_keys(&quoted(&paths), &texts, (before, after));
    let mut remedies = vec![Remedy {
        change: changes(model, &found).unwrap_or_default(),
        ..Remedy::new(title)
    }];
    // Where not all are simple enough to be edited, those that are.
    let simple: Vec<_> = found
        .iter()
        .filter(|f| change(model, f).is_some())
        .collect();
    if !simple.is_empty() && simple.len() < found.len() {
        let paths: Vec<_> = simple.iter().map(|f| path(f)).collect();
        let texts: Vec<_> = simple.iter().map(|f| text(f)).collect();
        let title = with_keys(&quoted(&paths), &texts, (before, after));
        remedies.push(Remedy {
            change: changes(model, simple).unwrap_or_default(),
            ..Remedy::new(title)
        });
    }
    let message = format!(
        "keys of {} never grow: their capacity takes {} of {before} bytes",
        subject(&paths, owner),
        before - after,
    );
    Some(Finding {
        claims,
        secondary,
        field: Some(freezing::field_name(model, first.field)),
        remedies,
        evidence: evidence.collect(),
        trade_off: Some("converting a key with spare capacity may reallocate once".to_owned()),
        notes: vec!["the number of keys is unknown".to_owned()],
        multiplicity: Multiplicity::Stored {
            depth: 1,
            holders: 1,
        },
        confidence: Confidence::Possible,
        ..Finding::new(message, primary)
    })
}

/// Returns the fields whose keys get another type; none if one is not just a map or set.
fn changes<'k>(
    model: &Model<'static>,
    found: impl IntoIterator<Item = &'k Keyed>,
) -> Option<Vec<Change>> {
    found.into_iter().map(|f| change(model, f)).collect()
}

/// Returns the change of a field that is just a map or set.
fn change(model: &Model<'static>, keyed: &Keyed) -> Option<Change> {
    let (_, args) = std_parts(model.db, keyed.ty)?;
    let first = types_of(args).next()? == keyed.key;
    let span = freezing::ty_span(model, keyed.field)?;
    first.then_some(Change::FrozenKeys(span))
}

fn fields(model: &Model<'static>, info: &TypeInfo) -> Vec<Keyed> {
    let fields = fields_of(model.db, info.item, info.ty);
    let keyed = fields.filter_map(|(field, ty)| {
        let (key, after) = key_of(model, ty, 0)?;
        Some(Keyed {
            field,
            ty,
            key,
            after,
        })
    });
    keyed.collect()
}

/// Returns the text that is the key of a map or the element of a set inside a type, and its
/// replacement.
fn key_of(model: &Model<'static>, ty: Ty, depth: u32) -> Option<(Ty, Ty)> {
    let db = model.db;
    if depth > MOST_DEPTH {
        return None;
    }
    if let TyKind::Adt(item, args) = db.types.kind(ty)
        && let Some(GArg::Ty(key)) = args.first()
        && let name = db.item(*item).item.name.as_str()
        && (name.ends_with("Map") || name.ends_with("Set"))
        // A map of the workspace may modify its keys.
        && !is_own(db, *item)
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
