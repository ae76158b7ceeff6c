//! Types with two allocations for one value: a box of a buffer, a pointer to a pointer, a
//! collection of boxes.

use super::Model;
use crate::ir::{AdtKind, ItemKind};
use crate::resolve::ItemId;
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::types::{
    OWNING, adt_of, field_types, inner, is_buffer, is_marked, is_own, is_plain, pointee, std_first,
    std_parts, types_of,
};

/// The shape of a double allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `Box<Vec<_>>`.
    Buffer,
    /// `Rc<String>`; holds the pointer to the unsized contents.
    Shared(Ty),
    /// `Rc<Box<_>>`.
    Nested,
    /// `Vec<Box<_>>`.
    InList,
    /// `HashMap<_, Box<_>>`.
    InMap,
    /// `LinkedList<Box<_>>`.
    InNode,
}

/// Two allocations for one value.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Its shape.
    pub kind: Kind,
    /// The outer type: `Rc<String>`, or the collection.
    pub whole: Ty,
    /// The redundant pointer: `Rc<String>`, `Box<T>`.
    pub pointer: Ty,
    /// The pointer's name.
    pub name: &'static str,
    /// The pointee.
    pub inner: Ty,
    /// Whether it is inside an `Option` or `Result`, so that not every value has it.
    pub optional: bool,
}

impl Model<'static> {
    /// Returns the pairs in a field's type, the outermost first.
    pub fn pairs(&self, ty: Ty) -> Vec<Pair> {
        let mut found = Vec::new();
        self.pairs_in(ty, false, &mut found);
        found
    }

    fn pairs_in(&self, ty: Ty, optional: bool, found: &mut Vec<Pair>) {
        let db = self.db;
        if matches!(db.types.kind(ty), TyKind::Tuple(_) | TyKind::Array(..)) {
            inner(db, ty)
                .into_iter()
                .for_each(|ty| self.pairs_in(ty, optional, found));
            return;
        }
        let Some((name, args)) = std_parts(db, ty) else {
            return;
        };
        if let Some(pointed) = pointee(db, ty)
            && let Some(kind) = self.paired(ty, name, pointed)
        {
            found.push(Pair {
                kind,
                whole: ty,
                pointer: ty,
                name,
                inner: pointed,
                optional,
            });
        }
        let kinds = [
            ("list", Kind::InList),
            ("map", Kind::InMap),
            ("nodes", Kind::InNode),
        ];
        let kind = kinds
            .into_iter()
            .find(|(mark, _)| is_marked(db, ty, &[mark]));
        let kind = kind.map(|(_, kind)| kind);
        let optional = optional || ["Option", "Result"].contains(&name);
        for arg in types_of(args) {
            if let (Some(kind), Some(element)) = (kind, std_first(db, arg, &["Box"]))
                && is_plain(db, element)
            {
                found.push(Pair {
                    kind,
                    whole: ty,
                    pointer: arg,
                    name: "Box",
                    inner: element,
                    optional,
                });
                self.pairs_in(element, false, found);
                continue;
            }
            self.pairs_in(arg, optional && kind.is_none(), found);
        }
    }

    fn paired(&self, pointer: Ty, name: &str, pointed: Ty) -> Option<Kind> {
        let db = self.db;
        if let TyKind::Ref(inner, _) = db.types.kind(pointed) {
            return is_plain(db, *inner).then_some(Kind::Nested);
        }
        let of = match std_parts(db, pointed) {
            Some((of, _)) => of,
            None => return (name == "Box" && self.is_one_buffer(pointed)).then_some(Kind::Buffer),
        };
        if OWNING.contains(&of) {
            return is_plain(db, pointee(db, pointed)?).then_some(Kind::Nested);
        }
        if !is_buffer(db, pointed) {
            return None;
        }
        if name == "Box" {
            return Some(Kind::Buffer);
        }
        let twin = self.unsized_twin(pointed, of)?;
        Some(Kind::Shared(self.with_argument(pointer, 0, twin)))
    }

    /// Returns true for a struct of the workspace whose only field is a buffer.
    fn is_one_buffer(&self, ty: Ty) -> bool {
        let db = self.db;
        let is_struct = |item: ItemId| match &db.item(item).item.kind {
            ItemKind::Adt(adt) => adt.kind == AdtKind::Struct && is_own(db, item),
            _ => false,
        };
        if !adt_of(db, ty).is_some_and(is_struct) {
            return false;
        }
        let fields = field_types(db, ty);
        let sized = |ty: &Ty| self.extent(*ty).map_or(true, |e| e.size > 0);
        let mut fields = fields.into_iter().flatten().filter(sized);
        match (fields.next(), fields.next()) {
            (Some(one), None) => is_buffer(db, one),
            _ => false,
        }
    }
}
