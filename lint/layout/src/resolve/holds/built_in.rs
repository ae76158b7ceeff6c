//! Traits that the compiler implements: auto traits, `Sized`, `Copy` and `Clone` of built-in types,
//! `Fn` of function pointers.

use super::super::collect::{has_lang, mark};
use super::super::impls::Crates;
use super::super::ty::{GArg, Prim, Ty, TyKind};
use super::super::types::Env;
use super::super::{Db, ItemId, Res};
use super::{Effort, Holds, all, settled};
use crate::ir::{AdtKind, ItemKind};
use smallvec::smallvec;

/// What an auto trait says of references and pointers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Auto {
    Send,
    Sync,
    UnwindSafe,
    RefUnwindSafe,
    /// `Unpin`, `Freeze`: holds for all pointers.
    Direct,
}

impl<'a> Db<'a> {
    /// Returns whether a type implements a trait that the compiler knows; `None` if `impl`s decide.
    pub(super) fn built_in(
        &self,
        ty: Ty,
        id: ItemId,
        args: &[GArg],
        effort: Effort,
    ) -> Res<Option<Holds>> {
        let data = self.item(id);
        if self.krate_of(data.module) != self.std() {
            return Ok(self.is_auto(id).then_some(Holds::Maybe));
        }
        let name = data.item.name.as_str();
        let auto = match name {
            "Send" => Auto::Send,
            "Sync" => Auto::Sync,
            "Unpin" | "Freeze" => Auto::Direct,
            "UnwindSafe" => Auto::UnwindSafe,
            "RefUnwindSafe" => Auto::RefUnwindSafe,
            "Sized" => return Ok(Some(self.is_sized(ty))),
            "Copy" | "Clone" => return self.copied(ty, id, effort),
            "MetaSized" | "PointeeSized" | "Destruct" | "Pointee" | "DiscriminantKind" => {
                return Ok(Some(Holds::Yes));
            }
            "Tuple" => return Ok(Some(matches!(self.types.kind(ty), TyKind::Tuple(_)).into())),
            "AsyncFn"
            | "AsyncFnMut"
            | "AsyncFnOnce"
            | "Unsize"
            | "CoerceUnsized"
            | "FnPtr"
            | "DispatchFromDyn"
            | "StructuralPartialEq"
            | "Coroutine"
            | "Variance" => {
                return Ok(Some(Holds::Maybe));
            }
            _ if self.is_fn_trait(id) => return Ok(self.called(ty, args)),
            _ => return Ok(None),
        };
        if !effort.full {
            return Ok(Some(Holds::Maybe));
        }
        self.auto_holds(ty, id, auto, effort).map(Some)
    }

    /// Returns true for an `auto trait`.
    fn is_auto(&self, id: ItemId) -> bool {
        let item = self.item(id).item;
        let source = self.sources.get(item.span.file);
        let attrs = item.attrs.list.iter().map(|a| a.span.end).max();
        let start = attrs.unwrap_or(item.span.start) as usize;
        let head = source.text.get(start..item.name_span.start as usize);
        head.is_none_or(|head| head.split_whitespace().any(|word| word == "auto"))
    }

    fn called(&self, ty: Ty, args: &[GArg]) -> Option<Holds> {
        let TyKind::FnPtr(inputs, _, qualifiers) = self.types.kind(ty) else {
            return None;
        };
        if qualifiers.is_some() {
            return Some(Holds::No);
        }
        let [GArg::Ty(args)] = args else {
            return Some(Holds::Maybe);
        };
        match self.types.kind(*args) {
            TyKind::Tuple(list) if list.len() != inputs.len() => Some(Holds::No),
            TyKind::Tuple(list) => {
                let pairs = inputs.iter().zip(list);
                let fits = pairs.map(|(a, b)| self.unify(*a, *b, &mut Vec::new()));
                fits.min().or(Some(Holds::Yes))
            }
            _ => Some(Holds::Maybe),
        }
    }

    /// Returns whether a type is `Copy` or `Clone`, if `impl`s do not decide.
    fn copied(&self, ty: Ty, id: ItemId, effort: Effort) -> Res<Option<Holds>> {
        let is_copy = has_lang(&self.item(id).item.attrs, "copy");
        let part = |ty: &Ty| settled(self.implements_trait(*ty, id, &[], effort.deeper()));
        Ok(Some(match self.types.kind(ty) {
            TyKind::Prim(prim) => (*prim != Prim::Str).into(),
            TyKind::Ref(_, mutable) => (!mutable).into(),
            TyKind::Ptr(..) | TyKind::FnPtr(..) | TyKind::Never => Holds::Yes,
            TyKind::Slice(_) | TyKind::Dyn(..) | TyKind::Foreign(_) => Holds::No,
            TyKind::Array(inner, _) => part(inner)?,
            TyKind::Tuple(list) => all(list.iter().map(part))?,
            TyKind::Adt(of, args) if self.is_of_std(*of) => {
                let attrs = &self.item(*of).item.attrs;
                let types = args.iter().filter_map(|arg| match arg {
                    GArg::Ty(ty) => Some(ty),
                    GArg::Const(_) => None,
                });
                if mark(attrs, "copy").is_some() {
                    all(types.map(part))?
                } else if is_copy && mark(attrs, "no_copy").is_some() {
                    Holds::No
                } else {
                    return Ok(None);
                }
            }
            _ => return Ok(None),
        }))
    }

    fn auto_holds(&self, ty: Ty, id: ItemId, auto: Auto, effort: Effort) -> Res<Holds> {
        let _level = self.ask()?;
        let key = (ty, id);
        if let Some(found) = self.autos.get(self, &key) {
            return Ok(found);
        }
        // Auto traits hold for a cycle unless something in it contradicts.
        if !self.walk.autos.borrow_mut().insert(key) {
            self.walk.circled.set(true);
            return Ok(Holds::Yes);
        }
        let outer = self.walk.circled.replace(false);
        let (holds, rests) = self.recording(|| self.auto_of(ty, id, auto, effort));
        self.walk.autos.borrow_mut().remove(&key);
        let circled = self.walk.circled.get();
        self.walk.circled.set(outer || circled);
        if let Ok(holds) = holds
            && !circled
            && self.walk.opening.get() == 0
            && !self.walk.as_written.get()
        {
            self.autos.keep(key, holds, &rests);
        }
        holds
    }

    fn auto_of(&self, ty: Ty, id: ItemId, auto: Auto, effort: Effort) -> Res<Holds> {
        let part = |ty: Ty| settled(self.implements_trait(ty, id, &[], effort.deeper()));
        let other = |ty: Ty, name| {
            let module = if name == "Sync" { "marker" } else { "panic" };
            match self.std_trait(["crate", module, name]) {
                Some(id) => settled(self.implements_trait(ty, id, &[], effort.deeper())),
                None => Ok(Holds::Maybe),
            }
        };
        match self.types.kind(ty) {
            TyKind::Prim(_) | TyKind::Never | TyKind::FnPtr(..) => Ok(Holds::Yes),
            TyKind::Ref(inner, mutable) => match (auto, mutable) {
                (Auto::Direct, _) => Ok(Holds::Yes),
                (Auto::Send, false) => other(*inner, "Sync"),
                (Auto::UnwindSafe, false) => other(*inner, "RefUnwindSafe"),
                (Auto::UnwindSafe, true) => Ok(Holds::No),
                _ => part(*inner),
            },
            TyKind::Ptr(inner, _) => match auto {
                Auto::Direct => Ok(Holds::Yes),
                Auto::Send | Auto::Sync => Ok(Holds::No),
                Auto::UnwindSafe | Auto::RefUnwindSafe => other(*inner, "RefUnwindSafe"),
            },
            TyKind::Slice(inner) | TyKind::Array(inner, _) => part(*inner),
            TyKind::Tuple(list) => all(list.iter().map(|ty| part(*ty))),
            TyKind::Dyn(ids, ..) => {
                // An unresolved trait among them may have it as a supertrait.
                let whole = ids.iter().any(|id| !self.is_marker(*id));
                let by_hand = self.by_hand(ty, id, effort)?;
                Ok(by_hand.unwrap_or(match whole {
                    true => Holds::No,
                    false => Holds::Maybe,
                }))
            }
            TyKind::Adt(of, _) => {
                if let Some(holds) = self.by_hand(ty, id, effort)? {
                    return Ok(holds);
                }
                match self.by_fields(ty, *of, &part)? {
                    // Fields of std are declared for their layout.
                    Holds::No if self.is_of_std(*of) => Ok(Holds::Maybe),
                    holds if self.is_of_std(*of) || self.nothing_unseen(ty, id, &[]) => Ok(holds),
                    _ => Ok(Holds::Maybe),
                }
            }
            _ => Ok(Holds::Maybe),
        }
    }

    /// Returns true for an auto trait of std.
    pub(in crate::resolve) fn is_marker(&self, id: ItemId) -> bool {
        let name = self.item(id).item.name;
        self.is_of_std(id)
            && ["Send", "Sync", "Unpin", "UnwindSafe", "RefUnwindSafe"].contains(&name.as_str())
    }

    /// Returns whether explicit `impl`s of an auto trait make it hold; `None` if there are none for
    /// this kind of type, so that its fields decide.
    fn by_hand(&self, ty: Ty, id: ItemId, effort: Effort) -> Res<Option<Holds>> {
        let mut crates: Crates = smallvec![self.std()];
        self.crates_of(ty, &mut crates);
        let name = self.item(id).item.name;
        let mut found = None;
        let head = |ty: Ty| match self.types.kind(ty) {
            TyKind::Adt(of, _) => Some(*of),
            _ => None,
        };
        for krate in crates {
            let index = self.impl_index(krate);
            let positive = self.impls_for(index, name, ty).into_iter();
            let negative = index.negative.iter().copied();
            let both = positive
                .map(|i| (i, false))
                .chain(negative.map(|i| (i, true)));
            for (imp, negative) in both {
                let Some(header) = self.header(imp) else {
                    return Ok(Some(Holds::Maybe));
                };
                let of_this = head(header.self_ty) == head(ty);
                if !of_this || !self.is_impl_of(imp, id)? || !self.item_present(imp)? {
                    continue;
                }
                let fit = match negative {
                    true => None,
                    false => self.impl_matches(imp, ty, id, &[], effort.deeper())?,
                };
                let holds = fit.map_or(Holds::No, |fit| fit.sure);
                found = Some(found.map_or(holds, |before: Holds| before.max(holds)));
            }
        }
        Ok(found)
    }

    fn is_impl_of(&self, imp: ItemId, id: ItemId) -> Res<bool> {
        let ItemKind::Impl(block) = &self.item(imp).item.kind else {
            return Ok(false);
        };
        match &block.trait_ {
            Some(path) => Ok(self.trait_at(path, &Env::at(self, imp))? == Some(id)),
            None => Ok(false),
        }
    }

    fn by_fields(&self, ty: Ty, of: ItemId, part: &dyn Fn(Ty) -> Res<Holds>) -> Res<Holds> {
        let data = self.item(of);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return Ok(Holds::Maybe);
        };
        if has_lang(&data.item.attrs, "phantom_data") {
            let TyKind::Adt(_, args) = self.types.kind(ty) else {
                return Ok(Holds::Maybe);
            };
            return match args.first() {
                Some(GArg::Ty(ty)) => part(*ty),
                _ => Ok(Holds::Maybe),
            };
        }
        self.trust(of)?;
        let krate = self.krate_of(data.module);
        let mut holds = Holds::Yes;
        for (at, variant) in (0u32..).zip(&adt.variants) {
            if adt.kind == AdtKind::Enum && !self.present(krate, &variant.attrs)? {
                continue;
            }
            let types = self.field_types(ty, at);
            for (field, ty) in variant.fields.iter().zip(types.iter()) {
                if self.present(krate, &field.attrs)? {
                    holds = holds.min(part(*ty)?);
                }
                if holds == Holds::No {
                    return Ok(holds);
                }
            }
        }
        Ok(holds)
    }
}
