//! An index of a crate's `impl`s by the head of their self type, for crates with many.

use super::impls::ImplIndex;
use super::ty::{Prim, Ty, TyKind};
use super::{CrateIx, Db, ItemId};
use crate::memo::Memo;
use crate::name::Name;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Up to this many `impl`s are tried one by one.
pub const FEW: usize = 16;

/// The outermost constructor of a type: types with different heads are different.
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

/// Indices into a list of `impl`s.
#[derive(Default)]
pub struct Heads {
    by_head: FxHashMap<Head, Vec<u32>>,
    /// The `impl`s whose self type may be any type or is unknown.
    open: Vec<u32>,
}

/// A subset of a crate's `impl`s.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Which {
    /// Those of traits of this name.
    OfTrait(Name),
    /// Those of all traits.
    OfTraits,
    /// Those with an item of this name.
    With(Name),
    /// The `impl`s with a macro call, which may define one.
    WithMacros,
}

/// Head indices of the `impl`s of one crate.
#[derive(Default)]
pub(super) struct HeadIndex(Memo<Which, Arc<Heads>>);

impl Db<'_> {
    /// Returns the `impl`s of traits of this name whose self type may be `ty`, in order.
    pub(super) fn impls_for(&self, index: &ImplIndex, trait_: Name, ty: Ty) -> Vec<ItemId> {
        let list = index.by_trait.get(&trait_).map_or(&[][..], Vec::as_slice);
        let places = self.fitting(index, Which::OfTrait(trait_), list, ty);
        places
            .into_iter()
            .map(|at| index.all[at as usize])
            .collect()
    }

    /// Returns the `impl`s of a crate whose self type may be `ty` and that have an item of this
    /// name, or a macro that may define one; with `defaults` also all other trait `impl`s, whose
    /// trait may have it. In order, each with whether it may define the name itself.
    pub(super) fn impls_with(
        &self,
        krate: CrateIx,
        name: Name,
        ty: Ty,
        defaults: bool,
    ) -> Vec<(ItemId, bool)> {
        let index = self.impl_index(krate);
        let with = index.with.get(&name).map_or(&[][..], Vec::as_slice);
        let mut places = self.fitting(index, Which::With(name), with, ty);
        places.extend(self.fitting(index, Which::WithMacros, &index.with_macros, ty));
        let mut places: Vec<_> = places.into_iter().map(|at| (at, true)).collect();
        if defaults {
            let others = self.fitting(index, Which::OfTraits, &index.of_traits, ty);
            places.extend(others.into_iter().map(|at| (at, false)));
        }
        places.sort_unstable_by_key(|(at, has)| (*at, !has));
        places.dedup_by_key(|(at, _)| *at);
        let places = places.into_iter();
        places
            .map(|(at, has)| (index.all[at as usize], has))
            .collect()
    }

    /// Filters indices of a crate's `impl`s to those whose self type may be `ty`, in order.
    fn fitting(&self, index: &ImplIndex, which: Which, list: &[u32], ty: Ty) -> Vec<u32> {
        if list.len() <= FEW || self.walk.opening.get() > 0 {
            return list.to_vec();
        }
        let heads = match index.heads.0.get(&which) {
            Some(heads) => heads,
            None => {
                // The address identifies an index, which never moves.
                let making = (std::ptr::from_ref(index).addr(), which);
                // A constant in a header may need these headers.
                if !self.walk.heads.borrow_mut().insert(making) {
                    return list.to_vec();
                }
                let heads = Arc::new(self.heads_of(list.iter().map(|at| index.all[*at as usize])));
                self.walk.heads.borrow_mut().remove(&making);
                index.heads.0.keep(which, heads)
            }
        };
        let fit = self.places_for(&heads, ty).into_iter();
        fit.map(|at| list[at as usize]).collect()
    }

    /// Returns the indices of those that may be for a type, in order.
    pub fn places_for(&self, heads: &Heads, ty: Ty) -> Vec<u32> {
        let fit = self.head(ty).and_then(|head| heads.by_head.get(&head));
        let mut places: Vec<u32> = fit.into_iter().flatten().copied().collect();
        places.extend(&heads.open);
        places.sort_unstable();
        places
    }

    /// Indexes `impl`s, or other items with a header, by head.
    pub fn heads_of(&self, list: impl Iterator<Item = ItemId>) -> Heads {
        let purse = &self.budget.types;
        let spent = purse.spent();
        let mut heads = Heads::default();
        for (at, imp) in (0u32..).zip(list) {
            // The cost of headers is not charged to the query that happens to need them first.
            purse.begin(0);
            match self.strictly(|| self.head_of_impl(imp)) {
                Some(head) => heads.by_head.entry(head).or_default().push(at),
                None => heads.open.push(at),
            }
        }
        purse.begin(spent);
        heads
    }

    /// Returns the head of an `impl`'s self type; `None` if that may be any type or an open `cfg`
    /// decides.
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
            TyKind::FnPtr(inputs, ..) => Head::FnPtr(inputs.len()),
            TyKind::Dyn(..) => Head::Dyn,
            TyKind::Param(..)
            | TyKind::Proj(..)
            | TyKind::Written(_)
            | TyKind::Infer(_)
            | TyKind::Unknown(_) => return None,
        })
    }
}
