//! `copied_text` for strings copied from texts that are shared already: the field could share them
//! too.

use crate::finding::{
    BlockChange, Confidence, Evidence, Finding, Label, Multiplicity, Reason, Remedy,
};
use crate::ir::ItemKind;
use crate::ir::body::{ExprId, ExprKind};
use crate::lint::Context;
use crate::lint::words::{count, of_size};
use crate::model::{TypeInfo, freezing};
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::span::Span;
use crate::text_types;
use crate::usage::body::Typed;
use crate::usage::buffers::Buffer;
use crate::usage::stores::{Put, StoreKind};
use crate::usage::types::{field_types, is_own, referent, std_first};

/// Methods that copy a text to a `String`.
const COPIES: &[&str] = &["into", "to_owned", "to_string"];

/// Methods that borrow the text of a value.
const LENDS: &[&str] = &["as_ref", "as_str", "borrow", "deref"];

/// Maximum number of places listed.
const MOST_PLACES: usize = 4;

/// Finds the strings of a type that are never modified and are copies of shared texts.
pub(super) fn check(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let model = cx.model;
    let single = cx.population(info.item).multiplicity == Multiplicity::Singleton;
    if single || !freezing::is_free(model, info) || model.is_error(info) {
        return Vec::new();
    }
    let buffers = cx.buffers().of(info.item).iter().filter(|b| {
        b.kind == "String" && freezing::may_change(model, b) && cx.buffers().is_final(b.field)
    });
    buffers.filter_map(|b| field(cx, info, b)).collect()
}

fn field(cx: &Context, info: &TypeInfo, buffer: &Buffer) -> Option<Finding> {
    let model = cx.model;
    let bodies = &cx.usage().bodies;
    let puts = cx.stores().of(buffer.field).iter();
    let set = |p: &&Put| p.how == StoreKind::Set && !bodies[p.place.body].function.aside;
    let puts: Vec<&Put> = puts.filter(set).collect();
    let mut places: Vec<Span> = Vec::new();
    let mut shared: Option<Ty> = None;
    for put in &puts {
        let body = &bodies[put.place.body];
        let Some(ty) = put.value.and_then(|value| source(cx, body, value)) else {
            continue;
        };
        // No single type fits shared texts of different types.
        if *shared.get_or_insert(ty) != ty {
            return None;
        }
        let (span, written) = model.db.sources.origin(body.node(put.value?).span);
        if written && !places.contains(&span) {
            places.push(span);
        }
    }
    let shared = shared?;
    if places.is_empty() {
        return None;
    }
    let counted = cx.population(info.item);
    let path = freezing::field_path(model, buffer.field);
    let name = freezing::field_name(model, buffer.field);
    let text = model.db.display(shared);
    let change = model.retyped(buffer.field, buffer.ty, shared);
    let before = model.size(info.ty)?;
    let remedy = cx.remedy(
        info,
        &change,
        format!("make `{path}` `{text}`, without a copy"),
    )?;
    if remedy.size_after? > before {
        return None;
    }
    let mut evidence = Vec::from_iter(counted.plainest());
    evidence.extend(places.iter().take(MOST_PLACES).map(|span| Evidence {
        span: Some(*span),
        text: format!("`{text}` is copied here"),
    }));
    let message = match places.len() == puts.len() {
        true => format!("`{path}` is a `String`, but its only source is a shared `{text}`"),
        false => format!(
            "`{path}` is a `String` copied from a shared `{text}` in {} of {}",
            places.len(),
            count(puts.len(), "place"),
        ),
    };
    Some(Finding {
        secondary: vec![of_size(info, before)],
        field: Some(name.clone()),
        size_before: Some(before),
        remedies: vec![Remedy {
            heap: Some(vec![BlockChange::Inlined(name, u64::MAX, 0)]),
            ..remedy
        }],
        evidence,
        trade_off: Some(format!("other strings must be converted to `{text}` first")),
        multiplicity: counted.multiplicity,
        confidence: Confidence::Likely,
        built: Some((puts.len() - places.len(), puts.len())),
        against: Reason::holding([(model.is_output(info), Reason::Brief)]),
        ..Finding::new(
            message,
            Label::new(
                freezing::field_span(model, info, buffer.field),
                "every copy is a heap block",
            ),
        )
    })
}

/// Returns the shared text that a value is a copy of.
fn source(cx: &Context, body: &Typed, value: ExprId) -> Option<Ty> {
    let mut at = value;
    let mut copied = false;
    for _ in 0..6 {
        let ExprKind::Method(receiver, name, ..) = &body.node(at).kind else {
            return None;
        };
        let name = name.name.as_str();
        copied |= COPIES.contains(&name);
        if !copied || !COPIES.contains(&name) && !LENDS.contains(&name) {
            return None;
        }
        let ty = referent(cx.model.db, body.fact(*receiver).ty);
        if is_shared(cx, ty) {
            return Some(ty);
        }
        at = *receiver;
    }
    None
}

/// Returns true for a type whose values share a text: a reference-counted pointer, a `'static`
/// reference, or a wrapper of these.
fn is_shared(cx: &Context, ty: Ty) -> bool {
    let db = cx.model.db;
    let text = db.types.prim(Prim::Str);
    let mut at = ty;
    let mut written: Option<Span> = None;
    for _ in 0..4 {
        if std_first(db, at, &["Arc", "Rc"]) == Some(text) {
            return true;
        }
        match db.types.kind(at) {
            TyKind::Ref(inner, false) => {
                // The type has no lifetimes, its source text has.
                let lasts = |span: Span| db.sources.text(span).contains("'static");
                return *inner == text && written.is_some_and(lasts);
            }
            TyKind::Adt(item, args) if args.is_empty() => {
                let data = db.item(*item);
                if let ItemKind::Adt(adt) = &data.item.kind {
                    let mut fields = adt.variants.iter().flat_map(|v| &v.fields);
                    written = fields.next().map(|f| f.ty_span);
                }
                let name = data.item.name;
                let known = text_types::ALL.iter().filter(|t| t.shared);
                let mut known = known.filter_map(|t| t.path.rsplit(':').next());
                if !is_own(db, *item) && known.any(|t| name == t) {
                    return true;
                }
                match &field_types(db, at)[..] {
                    [one] if one.len() == 1 => at = one[0],
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
    false
}
