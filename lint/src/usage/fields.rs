//! Which fields are read at all: what nothing reads need not be kept.

use super::Usage;
use super::body::{FieldId, Target, Typed};
use crate::ir::body::{ExprKind, PatKind};
use crate::ir::{self, ItemKind};
use crate::name::Name;
use crate::resolve::Db;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::Env;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where fields are read.
#[derive(Debug, Default)]
pub struct Reads {
    /// How often.
    read: FxHashMap<FieldId, usize>,
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
        self.read.contains_key(&field) || self.open.contains(&name)
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
                        *self.read.entry(field).or_default() += 1;
                    }
                }
                (Some(Target::Open(name)), ExprKind::Field(..)) => {
                    self.open.insert(name);
                }
                // `..base` reads what is not written out.
                (Some(Target::Ctor(adt, variant)), ExprKind::Struct(_, _, Some(_))) => {
                    for field in 0..64 {
                        let field = FieldId {
                            adt,
                            variant,
                            field,
                        };
                        *self.read.entry(field).or_default() += 1;
                    }
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
                *self.read.entry(field).or_default() += 1;
            }
        }
    }
}

/// The types of the fields of each variant of a type.
pub fn field_types(db: &Db<'static>, ty: Ty) -> Vec<Vec<Ty>> {
    let TyKind::Adt(id, args) = db.types.kind(ty) else {
        return Vec::new();
    };
    let data = db.item(*id);
    let ItemKind::Adt(adt) = &data.item.kind else {
        return Vec::new();
    };
    let params = db.bind(*id, args);
    let env = Env {
        module: data.module,
        params: &params,
        self_ty: Some(ty),
        item: Some(*id),
    };
    let fields = |v: &ir::Variant| v.fields.iter().map(|f| db.lower(&f.ty, &env)).collect();
    adt.variants.iter().map(fields).collect()
}

/// True if other packages may use what a crate exports.
pub fn is_published(db: &Db<'static>, krate: crate::resolve::CrateIx) -> bool {
    let Some(id) = db.krate(krate).id else {
        return false;
    };
    let krate = db.project.krate(id);
    krate.publishable && krate.kind == crate::project::CrateKind::Lib
}
