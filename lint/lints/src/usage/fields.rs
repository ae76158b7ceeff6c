//! Which fields are read at all, and who can name one.

use super::Usage;
use super::events::At;
use crate::flow::edge;
use crate::infer::body::{FieldId, Typed};
use crate::ir::body::{ExprKind, PatId, PatKind};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
use crate::resolve::{CrateIx, Db, ModId};

/// Returns true if a body, tests included, reads a field, or may: its name is read on an unknown
/// type, or occurs in a macro call that is not understood.
pub fn is_read(usage: &Usage, field: FieldId, name: Name) -> bool {
    let events = &usage.events;
    let is_read = |at: &At| {
        let body = &usage.bodies[at.body];
        !edge(body, at.expr).assigns(body)
    };
    let is_looked_at = |&(body, pat): &(usize, PatId)| {
        let body: &Typed = &usage.bodies[body];
        match &body.function.body.pat(pat).kind {
            PatKind::Wild | PatKind::Rest => false,
            PatKind::Bind { name, .. } => !name.as_str().starts_with('_'),
            _ => true,
        }
    };
    // `..base` reads the fields that are not listed.
    let is_based = |at: &At| match &usage.bodies[at.body].node(at.expr).kind {
        ExprKind::Struct(_, fields, _) => !fields.iter().any(|(written, _)| *written == name),
        _ => false,
    };
    events.named.of(&field).iter().any(is_read)
        || events.bound.of(&field).iter().any(is_looked_at)
        || events
            .based
            .of(&(field.adt, field.variant))
            .iter()
            .any(is_based)
        || !events.open.of(&name).is_empty()
        || usage.bodies.iter().any(|body| body.is_opaque(name))
}

/// Returns true for a field of a tuple, whose name is its index.
pub fn is_numbered(name: Name) -> bool {
    name.as_str().starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true if other packages may use what a crate exports.
pub fn is_published(db: &Db<'static>, krate: CrateIx) -> bool {
    let Some(id) = db.krate(krate).id else {
        return false;
    };
    db.project.krate(id).serves_others()
}

/// Returns true if code of a module may name a field: where it is not visible, the name means
/// another field.
pub fn may_name(db: &Db<'static>, field: FieldId, from: ModId) -> bool {
    let data = db.item(field.adt);
    let ItemKind::Adt(adt) = &data.item.kind else {
        return true;
    };
    // The fields of a variant are as visible as their enum, which may be re-exported by another
    // name.
    if adt.kind == AdtKind::Enum {
        return true;
    }
    let variant = adt.variants.get(field.variant as usize);
    let field = variant.and_then(|v| v.fields.get(field.field as usize));
    field.is_none_or(|f| db.visible(db.seen(data.module, &f.vis), from))
}
