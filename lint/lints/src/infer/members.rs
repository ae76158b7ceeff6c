//! Finds associated functions by name: those of the selected crates, and methods of std with their
//! signatures.

use super::body::Target;
use super::effects::Effects;
use super::functions::Bodied;
use super::marks::Marks;
use super::types::types_of;
use crate::ir::body::Signature;
use crate::ir::{self, ItemKind};
use crate::lower;
use crate::memo::Memo;
use crate::name::Name;
use crate::resolve::ahead::Reading;
use crate::resolve::heads::{FEW, Heads};
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};
use crate::resolve::types::{Env, names_param};
use crate::resolve::{Db, ItemId, Unknown};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Maximum number of dereferences to find a method.
const DEEPEST: usize = 8;

/// The context of an associated item, in lookup order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lookup {
    Inherent,
    OfImpl,
    OfTrait,
    /// In declarations of trait methods on std types, whose traits are not known.
    OfAnyTrait,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    place: Lookup,
    owner: ItemId,
    item: ItemId,
}

/// Associated items of one name, in lookup order.
struct Named {
    members: Vec<Member>,
    /// The index by self type, for names with many items.
    heads: OnceLock<Heads>,
}

/// An associated item that applies to a type.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub item: ItemId,
    /// The enclosing `impl` or trait.
    pub owner: ItemId,
    /// `Self`.
    pub self_ty: Ty,
    /// Generic parameters of the `impl` or trait.
    pub params: Arc<[(Name, GArg)]>,
    /// Whether std declares it.
    pub library: bool,
}

impl Callee {
    /// Returns the target of a call.
    pub(super) fn target(&self) -> Target {
        match self.library {
            true => Target::Library,
            false => Target::Item(self.item),
        }
    }
}

/// Finds methods and their signatures.
pub(crate) struct Members {
    pub(super) db: &'static Db<'static>,
    by_name: FxHashMap<Name, Named>,
    pub(super) effects: Effects,
    pub marks: Arc<Marks>,
    found: Memo<(Ty, Name), Option<Callee>>,
    /// Functions of the selected crates.
    own: FxHashMap<ItemId, Reading>,
    /// Signatures of other functions.
    signatures: Memo<ItemId, Option<&'static Signature>>,
    /// The type that stands for all iterators.
    pub(super) iter: Option<ItemId>,
    /// The traits `Iterator`, `IntoIterator` and `Deref`.
    pub(super) iterator: Option<ItemId>,
    pub(super) into_iterator: Option<ItemId>,
    pub(super) deref: Option<ItemId>,
    /// The type that is not inferred.
    pub unknown: Ty,
}

impl Members {
    pub(super) fn find(db: &'static Db<'static>, functions: &[(Bodied, Reading, bool)]) -> Members {
        let mut by_name: FxHashMap<Name, Vec<Member>> = FxHashMap::default();
        let mut own = FxHashMap::default();
        for (f, reading, _) in functions {
            let data = db.item(f.item);
            if matches!(data.item.kind, ItemKind::Fn(_)) {
                own.insert(f.item, *reading);
            }
            let Some(owner) = f.owner else { continue };
            let place = match &db.item(owner).item.kind {
                ItemKind::Impl(imp) if imp.trait_.is_none() => Lookup::Inherent,
                ItemKind::Impl(_) => Lookup::OfImpl,
                _ => Lookup::OfTrait,
            };
            let member = Member {
                place,
                owner,
                item: f.item,
            };
            by_name.entry(data.item.name).or_default().push(member);
        }
        let library = db.std_methods();
        db.open(library);
        let mut effects = Effects::default();
        let mut marks = Marks::default();
        let mut modules = vec![library];
        modules.extend(&db.module(library).scope.read().children);
        for module in modules {
            db.open(module);
            let place = match db.module(module).name.as_str() {
                // Names alone: no type has these methods.
                "named" => None,
                "traits" => Some(Lookup::OfAnyTrait),
                _ => Some(Lookup::Inherent),
            };
            for &owner in &db.module(module).scope.read().impls {
                db.members(owner)
                    .iter()
                    .for_each(|item| marks.add(db, *item));
                let Some(place) = place else { continue };
                effects.add(db, owner, module != library);
                for &item in db.members(owner) {
                    let member = Member { place, owner, item };
                    let name = db.item(item).item.name;
                    by_name.entry(name).or_default().push(member);
                }
            }
        }
        let by_name = by_name.into_iter().map(|(name, mut members)| {
            members.sort_by_key(|m| m.place);
            let heads = OnceLock::new();
            (name, Named { members, heads })
        });
        let iter = db.module(library).scope.read().adts.first().copied();
        let mut members = Members {
            db,
            by_name: by_name.collect(),
            effects,
            marks: Arc::new(marks),
            found: Memo::default(),
            own,
            signatures: Memo::default(),
            iter,
            iterator: None,
            into_iterator: None,
            deref: None,
            unknown: db.unknown("not inferred"),
        };
        members.iterator = members.std_item("iter::Iterator");
        members.into_iterator = members.std_item("iter::IntoIterator");
        members.deref = members.std_item("ops::Deref");
        members
    }

    /// Returns the signature of a function.
    pub fn signature(&self, item: ItemId) -> Option<&'static Signature> {
        if let Some(reading) = self.own.get(&item) {
            return Some(&reading.body().signature);
        }
        if let Some(found) = self.signatures.get(&item) {
            return found;
        }
        let signature = match &self.db.item(item).item.kind {
            ItemKind::Fn(f) => {
                let source = self.db.sources.get(f.signature.file);
                // Leaked: it lives as long as the process, like all parsed source.
                let read = lower::signature(&source, f);
                read.map(|s| &*Box::leak(Box::new(s)))
            }
            _ => None,
        };
        self.signatures.keep(item, signature)
    }

    /// Returns true if every method of std of this name has a reference to a slice or string as the
    /// argument at `index`.
    pub fn std_takes_slice(&self, name: Name, index: usize) -> bool {
        let library = self.db.std();
        let of_std = |m: &&Member| self.db.krate_of(self.db.item(m.item).module) == library;
        let members = self.by_name.get(&name).map_or(&[][..], |n| &n.members);
        let mut asked = members.iter().filter(of_std).map(|m| {
            let inputs = &self.signature(m.item)?.inputs;
            inputs.get(index + 1)
        });
        let mut any = false;
        let all = asked.all(|ty| {
            any = true;
            ty.is_some_and(ir::Type::is_slice_ref)
        });
        any && all
    }

    /// Returns an associated function or constant of exactly this type.
    pub(super) fn of(&self, ty: Ty, name: Name) -> Option<Callee> {
        if let Some(found) = self.found.get(&(ty, name)) {
            return found;
        }
        let found = self.search(ty, name);
        self.found.keep((ty, name), found)
    }

    fn search(&self, ty: Ty, name: Name) -> Option<Callee> {
        let db = self.db;
        if matches!(db.types.kind(ty), TyKind::Unknown(_) | TyKind::Infer(_)) {
            return None;
        }
        let Named { members, heads } = self.by_name.get(&name)?;
        if members.len() <= FEW {
            return members.iter().find_map(|m| self.fitting(m, ty));
        }
        let heads = match heads.get() {
            Some(heads) => heads,
            None => {
                let found = db.heads_of(members.iter().map(|m| m.owner));
                heads.get_or_init(|| found)
            }
        };
        let places = db.places_for(heads, ty).into_iter();
        places
            .map(|at| &members[at as usize])
            .find_map(|m| self.fitting(m, ty))
    }

    /// Returns an associated item with its generic parameters, if it applies to a type.
    fn fitting(&self, member: &Member, ty: Ty) -> Option<Callee> {
        let db = self.db;
        let owner = member.owner;
        let params = match member.place {
            Lookup::OfTrait => self.trait_fits(owner, ty)?,
            _ => db.impl_fits(owner, ty).ok()??,
        };
        Some(Callee {
            item: member.item,
            owner,
            self_ty: ty,
            params: params.into(),
            library: db.krate_of(db.item(owner).module) == db.std(),
        })
    }

    /// Returns the parameters of a trait, if a type is known to implement it.
    fn trait_fits(&self, trait_: ItemId, ty: Ty) -> Option<Vec<(Name, GArg)>> {
        let db = self.db;
        let fits = match db.types.kind(ty) {
            TyKind::Dyn(traits, ..) => traits.contains(&trait_),
            TyKind::Param(name, _, owner) => self.bounded(*name, *owner, trait_),
            _ => {
                let args: Vec<GArg> = self.open_args(trait_).into_iter().map(|p| p.1).collect();
                let found = db.find_impl(ty, trait_, &args);
                return matches!(found, Ok(Some(_))).then(|| self.open_args(trait_));
            }
        };
        fits.then(|| self.open_args(trait_))
    }

    /// Returns true if a generic parameter has a bound on the trait.
    fn bounded(&self, name: Name, owner: ItemId, trait_: ItemId) -> bool {
        let db = self.db;
        let data = db.item(owner);
        let generics = match &data.item.kind {
            ItemKind::Trait(_) if name == "Self" => return db.is_above(trait_, owner, 0),
            ItemKind::Fn(_) => self.signature(owner).map(|s| &s.generics),
            _ => db.generics(owner),
        };
        let Some(generics) = generics else {
            return false;
        };
        let own = generics.params.iter().filter(|p| p.name == name);
        let own = own.filter_map(|p| match &p.kind {
            ir::ParamKind::Type { bounds, .. } => Some(bounds),
            ir::ParamKind::Const { .. } => None,
        });
        let wheres = generics.wheres.iter();
        let wheres = wheres.filter(|w| names_param(&w.ty, name));
        let mut bounds = own.chain(wheres.map(|w| &w.bounds)).flatten();
        let env = Env::plain(data.module);
        bounds.any(|b| {
            let of = db.trait_of(&b.path, &env);
            of.is_some_and(|of| db.is_above(trait_, of, 0))
        })
    }

    /// Returns `Self` of an associated function, given the parameters of its `impl`.
    pub(super) fn self_ty(&self, callee: &Callee, params: &[(Name, GArg)]) -> Ty {
        let data = self.db.item(callee.owner);
        let ItemKind::Impl(imp) = &data.item.kind else {
            return callee.self_ty;
        };
        let env = Env {
            module: data.module,
            params,
            self_ty: None,
            item: Some(callee.owner),
        };
        self.db.lower(&imp.self_ty, &env)
    }

    fn open_args(&self, of: ItemId) -> Vec<(Name, GArg)> {
        let params = self.db.generics(of).map_or(&[][..], |g| &g.params);
        let arg = |p: &ir::Param| match p.kind {
            ir::ParamKind::Type { .. } => GArg::Ty(self.unknown),
            ir::ParamKind::Const { .. } => {
                GArg::Const(Box::new(Const::Unknown(Unknown::because("not inferred"))))
            }
        };
        params.iter().map(|p| (p.name, arg(p))).collect()
    }

    /// Looks up a method as the compiler does, by repeated dereferencing; returns it with the type
    /// that it was found on.
    pub(super) fn method(&self, receiver: Ty, name: Name) -> Option<(Callee, Ty)> {
        let db = self.db;
        let mut ty = receiver;
        for _ in 0..DEEPEST {
            if let Some(callee) = self.of(ty, name) {
                return Some((callee, ty));
            }
            // Methods of `&T` and `&mut T`.
            for mutable in [false, true] {
                let by_ref = db.types.intern(TyKind::Ref(ty, mutable));
                if ty != receiver && db.types.kind(receiver) == &TyKind::Ref(ty, mutable) {
                    continue;
                }
                if let Some(callee) = self.of(by_ref, name)
                    && matches!(self.db.types.kind(ty), TyKind::Adt(..) | TyKind::Param(..))
                    && !callee.library
                {
                    return Some((callee, ty));
                }
            }
            match self.deref(ty) {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        let item = self.item_of(receiver)?;
        let iter = self.iter_of(item)?;
        (iter != receiver).then(|| self.of(iter, name).map(|c| (c, iter)))?
    }

    /// Returns the type of `*x`.
    pub(super) fn deref(&self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        match db.types.kind(ty) {
            TyKind::Ref(inner, _) | TyKind::Ptr(inner, _) => Some(*inner),
            TyKind::Array(element, _) => Some(db.types.intern(TyKind::Slice(*element))),
            TyKind::Adt(id, args) => {
                let first = || types_of(args).next();
                match self.std_name(*id) {
                    Some(
                        "Box" | "Rc" | "Arc" | "MutexGuard" | "RwLockReadGuard"
                        | "RwLockWriteGuard" | "Ref" | "RefMut" | "ManuallyDrop" | "LazyLock"
                        | "LazyCell" | "Cow",
                    ) => first(),
                    Some("Vec") => Some(db.types.intern(TyKind::Slice(first()?))),
                    Some("String") => Some(db.types.prim(Prim::Str)),
                    Some("Pin") => self.deref(first()?),
                    Some("PathBuf") => self.std_type("path::Path"),
                    Some("OsString") => self.std_type("ffi::OsStr"),
                    Some("CString") => self.std_type("ffi::CStr"),
                    Some(_) => None,
                    None => self.project(ty, self.deref?, &[], "Target"),
                }
            }
            _ => None,
        }
    }

    pub(super) fn project(&self, ty: Ty, trait_: ItemId, args: &[GArg], name: &str) -> Option<Ty> {
        let db = self.db;
        let (imp, params) = db.find_impl(ty, trait_, args).ok()??;
        let member = db.member(imp, Name::new(name)).ok()??;
        let ItemKind::TypeAlias(alias) = &db.item(member).item.kind else {
            return None;
        };
        let env = Env {
            module: db.item(imp).module,
            params: &params,
            self_ty: Some(ty),
            item: Some(imp),
        };
        Some(db.lower(alias.ty.as_ref()?, &env))
    }
}
