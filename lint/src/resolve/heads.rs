//! The `impl`s of a trait by the head of the type that they are for, where there are many.

use super::impls::ImplIndex;
use super::ty::{Prim, Ty, TyKind};
use super::{Db, ItemId};
use crate::name::Name;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// So many `impl`s are tried one by one.
pub(crate) const FEW: usize = 16;

/// What a type is on the outside: types with different heads are different types.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Head {
    Adt(ItemId),
    Foreign(ItemId),
    Prim(Prim),
    Never,
    Ref,
    Ptr,
    Slice,
    Array,
    Tuple(usize),
    FnPtr(usize),
    Dyn,
}

/// Places in a list of `impl`s.
#[derive(Default)]
pub(crate) struct Heads {
    by_head: FxHashMap<Head, Vec<u32>>,
    /// Those for any type, or for what is not known.
    open: Vec<u32>,
}

/// By the trait's last name; `None` while it is being made.
#[derive(Default)]
pub(super) struct HeadIndex(RefCell<FxHashMap<Name, Option<Rc<Heads>>>>);

impl Db<'_> {
    /// The `impl`s of traits of this name that may be for a type, in order.
    pub(super) fn impls_for<'i>(&self, index: &'i ImplIndex, trait_: Name, ty: Ty) -> Vec<ItemId> {
        let list: &'i [ItemId] = index.by_trait.get(&trait_).map_or(&[], Vec::as_slice);
        if list.len() <= FEW || self.opening.get() > 0 {
            return list.to_vec();
        }
        let known = index.heads.0.borrow().get(&trait_).cloned();
        let heads = match known {
            Some(Some(heads)) => heads,
            // A constant in a header asks what the headers are needed for.
            Some(None) => return list.to_vec(),
            None => {
                index.heads.0.borrow_mut().insert(trait_, None);
                let heads = Rc::new(self.heads_of(list.iter().copied()));
                let kept = Some(heads.clone());
                index.heads.0.borrow_mut().insert(trait_, kept);
                heads
            }
        };
        let places = self.places_for(&heads, ty);
        places.into_iter().map(|at| list[at as usize]).collect()
    }

    /// The places of those that may be for a type, in order.
    pub(crate) fn places_for(&self, heads: &Heads, ty: Ty) -> Vec<u32> {
        let fit = self.head(ty).and_then(|head| heads.by_head.get(&head));
        let mut places: Vec<u32> = fit.into_iter().flatten().copied().collect();
        places.extend(&heads.open);
        places.sort_unstable();
        places
    }

    /// The heads of the types that these are for, `impl`s or not.
    pub(crate) fn heads_of(&self, list: impl Iterator<Item = ItemId>) -> Heads {
        let purse = &self.budget.types;
        let spent = purse.spent();
        let mut heads = Heads::default();
        for (at, imp) in (0u32..).zip(list) {
            // What a header costs is not the question's that happens to be the first.
            purse.begin(0);
            match self.head_of_impl(imp) {
                Some(head) => heads.by_head.entry(head).or_default().push(at),
                None => heads.open.push(at),
            }
        }
        purse.begin(spent);
        heads
    }

    /// The head of the type that an `impl` is for; `None` if that may be any, or an open `cfg` has
    /// a say.
    fn head_of_impl(&self, imp: ItemId) -> Option<Head> {
        let header = self.header(imp)?;
        self.head(header.self_ty).filter(|_| header.certain)
    }

    fn head(&self, ty: Ty) -> Option<Head> {
        Some(match self.types.kind(ty) {
            TyKind::Adt(id, _) => Head::Adt(*id),
            TyKind::Foreign(id) => Head::Foreign(*id),
            TyKind::Prim(prim) => Head::Prim(*prim),
            TyKind::Never => Head::Never,
            TyKind::Ref(..) => Head::Ref,
            TyKind::Ptr(..) => Head::Ptr,
            TyKind::Slice(_) => Head::Slice,
            TyKind::Array(..) => Head::Array,
            TyKind::Tuple(list) => Head::Tuple(list.len()),
            TyKind::FnPtr(inputs, _) => Head::FnPtr(inputs.len()),
            TyKind::Dyn(..) => Head::Dyn,
            TyKind::Param(..)
            | TyKind::Proj(..)
            | TyKind::Written(_)
            | TyKind::Infer(_)
            | TyKind::Unknown(_) => return None,
        })
    }
}
