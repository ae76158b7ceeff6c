//! Which fields are read at all, as what nothing reads need not be kept, and who can name one.

use super::Usage;
use crate::infer::body::{FieldId, Target, Typed};
use crate::ir::body::{ExprKind, PatKind};
use crate::ir::{AdtKind, ItemKind};
use crate::name::Name;
use crate::resolve::{Db, ItemId, ModId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where fields are read.
#[derive(Debug, Default)]
pub struct Reads {
    read: FxHashSet<FieldId>,
    /// By type and variant: the fields that each literal with a `..base` writes out itself.
    based: FxHashMap<(ItemId, u32), FxHashSet<Name>>,
    /// Names that something may read of a type that is not known.
    open: FxHashSet<Name>,
}

impl Reads {
    /// Looks through every body, tests included.
    pub fn find(usage: &Usage) -> Reads {
        let mut reads = Reads::default();
        for body in &usage.bodies {
            reads.read(body);
        }
        reads
    }

    /// True if a body reads a field, or may: something of this name is read, or stands in a macro
    /// call that is not understood.
    pub fn reads(&self, field: FieldId, name: Name) -> bool {
        let based = self.based.get(&(field.adt, field.variant));
        self.read.contains(&field)
            || self.open.contains(&name)
            || based.is_some_and(|written| !written.contains(&name))
    }

    fn read(&mut self, body: &Typed) {
        self.open.extend(body.opaque.iter().map(|(name, _)| *name));
        for (id, node, fact) in body.exprs() {
            match (fact.target, &node.kind) {
                (Some(Target::Field(field)), _) => {
                    let assigned = match fact.parent.map(|p| &body.node(p).kind) {
                        Some(ExprKind::Assign(place, None, _)) => *place == id,
                        _ => false,
                    };
                    if !assigned {
                        self.read.insert(field);
                    }
                }
                (Some(Target::Open(name)), ExprKind::Field(..)) => {
                    self.open.insert(name);
                }
                // `..base` reads what is not written out.
                (Some(Target::Ctor(adt, variant)), ExprKind::Struct(_, fields, Some(_))) => {
                    let names: FxHashSet<Name> = fields.iter().map(|(name, _)| *name).collect();
                    let written = self.based.entry((adt, variant));
                    written
                        .and_modify(|w| w.retain(|name| names.contains(name)))
                        .or_insert(names);
                }
                _ => {}
            }
        }
        for (id, node) in body.function.body.pats() {
            let fact = body.pat(id);
            let Some(field) = fact.field else { continue };
            let looks = match &node.kind {
                PatKind::Wild | PatKind::Rest => false,
                PatKind::Bind { name, .. } => !name.as_str().starts_with('_'),
                _ => true,
            };
            if fact.live && looks {
                self.read.insert(field);
            }
        }
    }
}

/// True if other packages may use what a crate exports.
pub fn is_published(db: &Db<'static>, krate: crate::resolve::CrateIx) -> bool {
    let Some(id) = db.krate(krate).id else {
        return false;
    };
    db.project.krate(id).serves_others()
}

/// True if code of a module may name a field: whoever cannot see it means another of that name.
pub fn may_name(db: &Db<'static>, field: FieldId, from: ModId) -> bool {
    let data = db.item(field.adt);
    let ItemKind::Adt(adt) = &data.item.kind else {
        return true;
    };
    // The fields of a variant are as visible as their enum, which may be renamed on its way.
    if adt.kind == AdtKind::Enum {
        return true;
    }
    let variant = adt.variants.get(field.variant as usize);
    let field = variant.and_then(|v| v.fields.get(field.field as usize));
    field.is_none_or(|f| db.visible(db.seen(data.module, &f.vis), from))
}
