//! `impl` blocks: an index per crate, trait selection, and associated items.

use super::attrs::on_call;
use super::collect::both;
use super::heads::HeadIndex;
use super::holds::{Effort, Holds};
use super::load::STD_DIR;
use super::procedural::Expanded;
use super::ty::{GArg, Ty, TyKind};
use super::{CrateIx, Db, Guard, ItemId, ModId, Unknown};
use crate::budget;
use crate::ir::{self, ItemKind};
use crate::name::Name;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Maximum depth of trait selection, and of macro calls in `impl`s.
pub(super) const DEPTH: u32 = budget::IMPLS;

/// The `impl` blocks of a crate.
#[derive(Default)]
pub struct ImplIndex {
    /// All of them.
    pub all: Vec<ItemId>,
    /// Indices of trait `impl`s by the trait's last path segment.
    pub(super) by_trait: FxHashMap<Name, Vec<u32>>,
    /// Indices of all trait `impl`s.
    pub(super) of_traits: Vec<u32>,
    /// Indices by the names of their items.
    pub(super) with: FxHashMap<Name, Vec<u32>>,
    /// Those that state that a trait is not implemented; they are in no other list.
    pub(super) negative: Vec<ItemId>,
    /// Indices of those with macro calls.
    pub(super) with_macros: Vec<u32>,
    pub(super) heads: HeadIndex,
}

/// The few crates that may contain an `impl`.
pub(super) type Crates = SmallVec<[CrateIx; 4]>;

/// An `impl` that applies, with its parameters bound.
pub(crate) type Applies = (ItemId, Vec<(Name, GArg)>);

/// An `impl` that may apply.
pub(crate) struct MayApply {
    pub imp: ItemId,
    /// Its parameters.
    pub params: Vec<(Name, GArg)>,
    /// Whether it does.
    pub sure: Holds,
}

impl<'a> Db<'a> {
    /// Finds the `impl` of a trait that applies, with its parameters bound, for a type that is known
    /// to have one.
    pub fn find_impl(
        &self,
        self_ty: Ty,
        trait_: ItemId,
        args: &[GArg],
    ) -> Result<Option<Applies>, Unknown> {
        let found = self.find_impl_with(self_ty, trait_, args, Effort::LITTLE)?;
        let found = found.filter(|found| found.sure.likely());
        Ok(found.map(|found| (found.imp, found.params)))
    }

    /// Finds the `impl` of a trait that applies, or the only one that may.
    ///
    /// # Errors
    /// More than one may apply, an open `cfg` decides, or the search stopped at a limit.
    pub(super) fn find_impl_with(
        &self,
        self_ty: Ty,
        trait_: ItemId,
        args: &[GArg],
        effort: Effort,
    ) -> Result<Option<MayApply>, Unknown> {
        let _level = self.ask()?;
        if effort.depth > DEPTH {
            return Err(Unknown::because("the search for an `impl` went too deep"));
        }
        let mut crates: Crates = smallvec![self.krate_of(self.item(trait_).module)];
        self.crates_of(self_ty, &mut crates);
        for arg in args {
            if let GArg::Ty(ty) = arg {
                self.crates_of(*ty, &mut crates);
            }
        }
        let trait_name = self.item(trait_).item.name;
        let mut found: SmallVec<[MayApply; 2]> = SmallVec::new();
        for krate in crates {
            for imp in self.impls_for(self.impl_index(krate), trait_name, self_ty) {
                let fit = self.impl_matches(imp, self_ty, trait_, args, effort)?;
                let Some(fit) = fit.filter(|fit| fit.sure != Holds::No) else {
                    continue;
                };
                // Checked last: an open `cfg` on an `impl` for another type decides nothing.
                if !self.item_present(imp)? {
                    continue;
                }
                found.push(MayApply {
                    imp,
                    params: fit.params,
                    sure: fit.sure,
                });
            }
        }
        // Of `impl`s for one type, only one applies.
        let certain = |found: &MayApply| found.sure == Holds::Yes;
        if found.len() > 1 && !found.iter().any(certain) && !effort.full {
            let full = Effort {
                full: true,
                ..effort
            };
            for may in &mut found {
                let fit = self.impl_matches(may.imp, self_ty, trait_, args, full)?;
                may.sure = fit.map_or(Holds::No, |fit| fit.sure);
            }
            found.retain(|may| may.sure != Holds::No);
        }
        if found.iter().any(certain) {
            found.retain(|may| certain(may));
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(Unknown::because(format!(
                "more than one `impl` of `{trait_name}` seems to apply"
            ))),
        }
    }

    /// Returns true if a type is known to implement a trait without arguments. Each lint asks the
    /// same of a type.
    pub fn implements(&self, ty: Ty, trait_: ItemId) -> bool {
        let key = (ty, trait_);
        if let Some(found) = self.implemented.get(self, &key) {
            return found;
        }
        let (found, rests) = self.recording(|| self.find_impl(ty, trait_, &[]));
        let Ok(found) = found.map(|imp| imp.is_some()) else {
            return false;
        };
        if self.walk.opening.get() == 0 && !self.walk.as_written.get() {
            self.implemented.keep(key, found, &rests);
        }
        found
    }

    /// Adds the crates that may contain an `impl` for a type: those of its parts.
    pub(super) fn crates_of(&self, ty: Ty, list: &mut Crates) {
        let mut add = |id: &ItemId| {
            let ix = self.krate_of(self.item(*id).module);
            if !list.contains(&ix) {
                list.push(ix);
            }
        };
        match self.types.kind(ty) {
            TyKind::Adt(id, args) => {
                add(id);
                for arg in args {
                    if let GArg::Ty(ty) = arg {
                        self.crates_of(*ty, list);
                    }
                }
            }
            TyKind::Dyn(ids, ..) => ids.iter().for_each(add),
            TyKind::Ref(ty, _) | TyKind::Ptr(ty, _) | TyKind::Slice(ty) | TyKind::Array(ty, _) => {
                self.crates_of(*ty, list);
            }
            TyKind::Tuple(list_) => list_.iter().for_each(|t| self.crates_of(*t, list)),
            _ => {}
        }
    }

    /// Returns true if an item and all enclosing modules are present.
    pub fn item_present(&self, id: ItemId) -> Result<bool, Unknown> {
        let data = self.item(id);
        Ok(self.holds(&data.guard)? && self.module_present(data.module)?)
    }

    /// Returns true if a module and all enclosing ones are present.
    pub fn module_present(&self, id: ModId) -> Result<bool, Unknown> {
        let mut at = Some(id);
        while let Some(m) = at {
            let module = self.module(m);
            if !self.holds(&module.guard)? {
                return Ok(false);
            }
            at = module.parent;
        }
        Ok(true)
    }

    /// Returns the index of a crate's `impl`s; opens all its modules.
    pub(super) fn impl_index(&self, krate: CrateIx) -> &'a ImplIndex {
        let krate_data = self.krate(krate);
        if let Some(index) = krate_data.impls.get() {
            return index;
        }
        // Before taking the turn, for which others would wait.
        self.read_whole(krate);
        let _turn = self.turns.wait(krate);
        if let Some(index) = krate_data.impls.get() {
            return index;
        }
        let mut index = ImplIndex::default();
        for module in self.modules_with_impls(krate) {
            for &imp in &self.module(module).scope.read().impls {
                let ItemKind::Impl(data) = &self.item(imp).item.kind else {
                    continue;
                };
                if data.negative {
                    index.negative.push(imp);
                    continue;
                }
                let at = index.all.len() as u32;
                index.all.push(imp);
                if let Some(path) = &data.trait_ {
                    index.of_traits.push(at);
                    if let Some(last) = path.segments.last() {
                        index.by_trait.entry(last.name).or_default().push(at);
                    }
                }
                let add = |list: &mut Vec<u32>| {
                    if list.last() != Some(&at) {
                        list.push(at);
                    }
                };
                for item in &data.items {
                    let is_call = matches!(item.kind, ItemKind::MacroCall(_));
                    if is_call || self.may_be_expanded(krate, item) {
                        add(&mut index.with_macros);
                    }
                    if !is_call {
                        add(index.with.entry(item.name).or_default());
                    }
                }
            }
        }
        if self.walk.opening.get() == 0 {
            if !krate_data.own {
                // Its macros are expanded: its texts are rarely needed from now on.
                let files = self.all_modules(krate).into_iter();
                let files = files.filter_map(|m| self.module(m).file.as_deref());
                self.sources
                    .let_go_of(files.filter(|f| !f.starts_with(STD_DIR)));
            }
            return krate_data.impls.get_or_init(|| index);
        }
        // Modules still being opened may add `impl`s: this index is not cached.
        let at = self.arenas.impls.push(index);
        &self.arenas.impls[at]
    }

    /// Returns every module of a crate, and the bodies of unnamed constants, since `impl`s apply
    /// wherever they are.
    pub(super) fn modules_with_impls(&self, krate: CrateIx) -> Vec<ModId> {
        if self.krate(krate).own {
            return self.modules_and_bodies(krate);
        }
        let mut list = self.all_modules(krate);
        let mut next = 0;
        while let Some(&module) = list.get(next) {
            self.open(module);
            list.extend(self.bodies_of(module));
            if self.module(module).block {
                list.extend(self.module(module).scope.read().children.iter());
            }
            next += 1;
        }
        list
    }

    /// Opens every module of a crate and returns them, parents first.
    pub fn all_modules(&self, krate: CrateIx) -> Vec<ModId> {
        self.read_whole(krate);
        let mut list = vec![self.root(krate)];
        let mut next = 0;
        while let Some(&module) = list.get(next) {
            self.open(module);
            list.extend(self.module(module).scope.read().children.iter());
            next += 1;
        }
        list
    }

    /// Finds the associated item of this name in a trait or `impl`.
    ///
    /// # Errors
    /// [`Unknown::Atom`] if an open `cfg` decides.
    pub fn member(&self, owner: ItemId, name: Name) -> Result<Option<ItemId>, Unknown> {
        for member in self.members_named(owner, name) {
            if self.holds(&self.item(member).guard)? {
                return Ok(Some(member));
            }
        }
        Ok(None)
    }

    /// Finds the associated item of this name in a trait, for an `impl` that omits it.
    ///
    /// # Errors
    /// An open `cfg` decides, or an unexpanded macro may have defined it in the `impl` or in the
    /// trait.
    pub(crate) fn default_member(
        &self,
        imp: ItemId,
        trait_: ItemId,
        name: Name,
    ) -> Result<Option<ItemId>, Unknown> {
        self.whole(imp)?;
        let member = self.member(trait_, name)?;
        self.trust(trait_)?;
        Ok(member)
    }

    /// Returns the associated items of a trait or `impl`, with macro calls expanded.
    pub fn members(&self, owner: ItemId) -> &'a [ItemId] {
        let data = self.item(owner);
        let known = &data.facts().members;
        if let Some(members) = known.get() {
            return members;
        }
        let _turn = self.turns.wait(self.krate_of(data.module));
        if let Some(members) = known.get() {
            return members;
        }
        if !self.walk.members.borrow_mut().insert(owner) {
            // A macro in it depends on its own output.
            return &[];
        }
        let items = match &data.item.kind {
            ItemKind::Impl(imp) => &imp.items[..],
            ItemKind::Trait(tr) => &tr.items,
            _ => &[],
        };
        let mut list = Vec::new();
        self.strictly(|| self.add_members(owner, items, &None, &mut list, 0));
        self.walk.members.borrow_mut().remove(&owner);
        known.get_or_init(|| list.into())
    }

    fn add_members(
        &self,
        owner: ItemId,
        items: &'a [ir::Item],
        outer: &Guard,
        list: &mut Vec<ItemId>,
        depth: u32,
    ) {
        let module = self.item(owner).module;
        let krate = self.krate_of(module);
        for item in items {
            let Some(guard) = self.guard(krate, &item.attrs) else {
                continue;
            };
            let guard = both(outer, guard);
            if let ItemKind::MacroCall(call) = &item.kind {
                let read = match on_call(self, &item.attrs) {
                    None if depth < DEPTH => self.expand_members(owner, call),
                    _ => Err("a macro call in it is not expanded".into()),
                };
                match read {
                    Ok(files) => {
                        for (file, condition) in files {
                            let guard = both(&guard, condition);
                            self.add_members(owner, &file.items, &guard, list, depth + 1);
                        }
                    }
                    Err(why) => *self.item(owner).facts().unseen.write() = Some(why),
                }
                continue;
            }
            if self.may_be_expanded(krate, item) {
                let (files, stays) = match self.expand_item(module, item, &guard, (true, true)) {
                    Expanded::Instead(files) if depth < DEPTH => (files, false),
                    Expanded::Beside(files) if depth < DEPTH => (files, true),
                    _ => (Vec::new(), true),
                };
                for file in files {
                    self.add_members(owner, &file.items, &guard, list, depth + 1);
                }
                if !stays {
                    continue;
                }
            }
            list.push(self.add_item(super::ItemData {
                item,
                module,
                owner: Some(owner),
                guard,
                facts: Default::default(),
                textual: Default::default(),
            }));
        }
    }
}
