//! Associated functions by name: those of the selected crates and what std's methods take and give.

use super::body::Function;
use super::types::std_name;
use crate::ir::body::Signature;
use crate::ir::{self, ItemKind};
use crate::lower;
use crate::name::Name;
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, Def, ItemId, Ns, Unknown};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// References followed at most to find a method.
const DEEPEST: usize = 8;

/// Where an associated item stands, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Inherent,
    OfImpl,
    OfTrait,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    place: Place,
    owner: ItemId,
    item: ItemId,
}

/// An associated item that fits a type.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub item: ItemId,
    /// `Self`.
    pub self_ty: Ty,
    /// The parameters of the `impl` or trait.
    pub params: Rc<[(Name, GArg)]>,
    /// Declared for std, not found in a selected crate.
    pub library: bool,
}

/// Finds methods and what they take and give.
pub(super) struct Members {
    db: &'static Db<'static>,
    by_name: FxHashMap<Name, Vec<Member>>,
    found: RefCell<FxHashMap<(Ty, Name), Option<Callee>>>,
    signatures: RefCell<FxHashMap<ItemId, Option<Rc<Signature>>>>,
    /// The one type of all iterators.
    iter: Option<ItemId>,
    /// `Iterator`, `IntoIterator` and `Deref`.
    iterator: Option<ItemId>,
    into_iterator: Option<ItemId>,
    deref: Option<ItemId>,
    /// Not inferred.
    pub unknown: Ty,
}

impl Members {
    pub(super) fn find(db: &'static Db<'static>, functions: &[Function]) -> Members {
        let mut by_name: FxHashMap<Name, Vec<Member>> = FxHashMap::default();
        let mut signatures = FxHashMap::default();
        for f in functions {
            let data = db.item(f.item);
            if matches!(data.item.kind, ItemKind::Fn(_)) {
                let signature = Rc::new(f.body.signature.clone());
                signatures.insert(f.item, Some(signature));
            }
            let Some(owner) = f.owner else { continue };
            let place = match &db.item(owner).item.kind {
                ItemKind::Impl(imp) if imp.trait_.is_none() => Place::Inherent,
                ItemKind::Impl(_) => Place::OfImpl,
                _ => Place::OfTrait,
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
        for &owner in &db.module(library).scope.borrow().impls {
            for &item in db.members(owner) {
                let member = Member {
                    place: Place::Inherent,
                    owner,
                    item,
                };
                by_name
                    .entry(db.item(item).item.name)
                    .or_default()
                    .push(member);
            }
        }
        for list in by_name.values_mut() {
            list.sort_by_key(|m| m.place);
        }
        let iter = db.module(library).scope.borrow().adts.first().copied();
        let named = |path: &[&str]| {
            let path: Vec<Name> = path.iter().map(|n| Name::new(n)).collect();
            let found = db.resolve(db.root(db.std()), false, &path, Ns::Type);
            match found {
                Ok(Some(found)) => match found.def {
                    Def::Item(id) => Some(id),
                    _ => None,
                },
                _ => None,
            }
        };
        Members {
            db,
            by_name,
            found: RefCell::default(),
            signatures: RefCell::new(signatures),
            iter,
            iterator: named(&["crate", "iter", "Iterator"]),
            into_iterator: named(&["crate", "iter", "IntoIterator"]),
            deref: named(&["crate", "ops", "Deref"]),
            unknown: db.unknown("not inferred"),
        }
    }

    /// What a function takes and gives.
    pub(super) fn signature(&self, item: ItemId) -> Option<Rc<Signature>> {
        if let Some(found) = self.signatures.borrow().get(&item) {
            return found.clone();
        }
        let signature = match &self.db.item(item).item.kind {
            ItemKind::Fn(f) => {
                let source = self.db.sources.get(f.signature.file);
                lower::signature(&source, f).map(Rc::new)
            }
            _ => None,
        };
        self.signatures.borrow_mut().insert(item, signature.clone());
        signature
    }

    /// An associated function or constant of exactly this type.
    pub(super) fn of(&self, ty: Ty, name: Name) -> Option<Callee> {
        if let Some(found) = self.found.borrow().get(&(ty, name)) {
            return found.clone();
        }
        let found = self.search(ty, name);
        self.found.borrow_mut().insert((ty, name), found.clone());
        found
    }

    fn search(&self, ty: Ty, name: Name) -> Option<Callee> {
        let db = self.db;
        if matches!(db.types.kind(ty), TyKind::Unknown(_) | TyKind::Infer(_)) {
            return None;
        }
        let list = self.by_name.get(&name)?;
        list.iter().find_map(|m| {
            let library = db.krate_of(db.item(m.owner).module) == db.std();
            let params = match m.place {
                Place::OfTrait => self.trait_fits(m.owner, ty)?,
                _ => db.impl_fits(m.owner, ty).ok()??,
            };
            Some(Callee {
                item: m.item,
                self_ty: ty,
                params: params.into(),
                library,
            })
        })
    }

    /// The parameters of a trait that a type is of, as far as can be told.
    fn trait_fits(&self, trait_: ItemId, ty: Ty) -> Option<Vec<(Name, GArg)>> {
        let db = self.db;
        let fits = match db.types.kind(ty) {
            TyKind::Dyn(traits, _) => traits.contains(&trait_),
            TyKind::Param(name, _, owner) => *name == "Self" || self.bounded(*name, *owner),
            _ => {
                let args: Vec<GArg> = self.open_args(trait_).into_iter().map(|p| p.1).collect();
                let found = db.find_impl(ty, trait_, &args, 0);
                return matches!(found, Ok(Some(_))).then(|| self.open_args(trait_));
            }
        };
        fits.then(|| self.open_args(trait_))
    }

    /// True if anything is said of a parameter.
    fn bounded(&self, name: Name, owner: ItemId) -> bool {
        let Some(generics) = self.db.generics(owner) else {
            // A function's own: what it is bound by is not looked at.
            return true;
        };
        let own = generics.params.iter().filter(|p| p.name == name);
        let mut bounds = own.filter_map(|p| match &p.kind {
            ir::ParamKind::Type { bounds, .. } => Some(!bounds.is_empty()),
            ir::ParamKind::Const { .. } => None,
        });
        bounds.any(|b| b) || !generics.wheres.is_empty()
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

    /// A method, looked for as the compiler does: the type, what it points to, and so on; with the
    /// type that it was found on.
    pub(super) fn method(&self, receiver: Ty, name: Name) -> Option<(Callee, Ty)> {
        let db = self.db;
        let mut ty = receiver;
        for _ in 0..DEEPEST {
            if let Some(callee) = self.of(ty, name) {
                return Some((callee, ty));
            }
            // `&T` where the method is one of references.
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

    /// What `*x` gives.
    pub(super) fn deref(&self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        match db.types.kind(ty) {
            TyKind::Ref(inner, _) | TyKind::Ptr(inner, _) => Some(*inner),
            TyKind::Array(element, _) => Some(db.types.intern(TyKind::Slice(*element))),
            TyKind::Adt(id, args) => {
                let first = || match args.first() {
                    Some(GArg::Ty(ty)) => Some(*ty),
                    _ => None,
                };
                match self.std_name(*id) {
                    Some(
                        "Box" | "Rc" | "Arc" | "MutexGuard" | "RwLockReadGuard"
                        | "RwLockWriteGuard" | "Ref" | "RefMut" | "ManuallyDrop" | "LazyLock"
                        | "LazyCell" | "Cow",
                    ) => first(),
                    Some("Vec") => Some(db.types.intern(TyKind::Slice(first()?))),
                    Some("String") => Some(db.types.prim(Prim::Str)),
                    Some("Pin") => self.deref(first()?),
                    Some("PathBuf" | "OsString" | "CString") => {
                        let name = match self.std_name(*id)? {
                            "PathBuf" => "path::Path",
                            "OsString" => "ffi::OsStr",
                            _ => "ffi::CStr",
                        };
                        self.std_type(name)
                    }
                    Some(_) => None,
                    None => self.project(ty, self.deref?, "Target"),
                }
            }
            _ => None,
        }
    }

    /// The name of a type of std.
    pub(super) fn std_name(&self, id: ItemId) -> Option<&'static str> {
        std_name(self.db, id)
    }

    fn std_type(&self, path: &str) -> Option<Ty> {
        let path = format!("crate::{path}");
        let path: Vec<Name> = path.split("::").map(Name::new).collect();
        let found = self
            .db
            .resolve(self.db.root(self.db.std()), false, &path, Ns::Type);
        match found.ok()??.def {
            Def::Item(id) => Some(self.db.types.intern(TyKind::Adt(id, Box::default()))),
            _ => None,
        }
    }

    fn project(&self, ty: Ty, trait_: ItemId, name: &str) -> Option<Ty> {
        let db = self.db;
        if let Ok(Some((imp, params))) = db.find_impl(ty, trait_, &[], 0) {
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
            return Some(db.lower(alias.ty.as_ref()?, &env));
        }
        None
    }

    /// `String`.
    pub(super) fn string(&self) -> Option<Ty> {
        self.std_type("string::String")
    }

    /// `Vec` of these.
    pub(super) fn vec_of(&self, element: Ty) -> Option<Ty> {
        let db = self.db;
        let text = "vec::Vec";
        let path: Vec<Name> = format!("crate::{text}")
            .split("::")
            .map(Name::new)
            .collect();
        let found = db.resolve(db.root(db.std()), false, &path, Ns::Type);
        let Def::Item(id) = found.ok()??.def else {
            return None;
        };
        let none = ir::Args {
            args: vec![ir::Arg::Type(ir::Type::Infer)],
            ..ir::Args::default()
        };
        let env = Env::plain(db.root(db.std()));
        let mut args = db.lower_item_args(id, Some(&none), &env);
        args[0] = GArg::Ty(element);
        Some(db.types.intern(TyKind::Adt(id, args.into())))
    }

    /// The one type of all iterators over these.
    pub(super) fn iter_of(&self, item: Ty) -> Option<Ty> {
        let kind = TyKind::Adt(self.iter?, [GArg::Ty(item)].into());
        Some(self.db.types.intern(kind))
    }

    /// An iterator over what the items of an iterator are iterators or collections of.
    pub(super) fn flattened(&self, ty: Ty) -> Ty {
        match self.db.types.kind(ty) {
            TyKind::Adt(id, args) if Some(*id) == self.iter => {
                let of = match args.first() {
                    Some(GArg::Ty(of)) => self.item_of(*of),
                    _ => None,
                };
                self.iter_of(of.unwrap_or(self.unknown)).unwrap_or(ty)
            }
            _ => ty,
        }
    }

    /// What a `for` loop over a value takes from it.
    pub(super) fn item_of(&self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        match db.types.kind(ty) {
            TyKind::Adt(id, args) if Some(*id) == self.iter => match args.first() {
                Some(GArg::Ty(item)) => Some(*item),
                _ => None,
            },
            TyKind::Adt(id, args) if self.std_name(*id).is_some_and(|n| n.starts_with("Range")) => {
                match args.first() {
                    Some(GArg::Ty(item)) => Some(*item),
                    _ => None,
                }
            }
            TyKind::Dyn(traits, bindings) if self.iterator.is_some_and(|i| traits.contains(&i)) => {
                bindings.first().map(|(_, ty)| *ty)
            }
            TyKind::Unknown(_) | TyKind::Infer(_) => None,
            _ => {
                if let Some(callee) = self.of(ty, Name::new("into_iter"))
                    && callee.library
                {
                    let signature = self.signature(callee.item)?;
                    let env = Env {
                        module: db.item(callee.item).module,
                        params: &callee.params,
                        self_ty: Some(ty),
                        item: None,
                    };
                    return self.item_of(db.lower(signature.output.as_ref()?, &env));
                }
                let item = self.project(ty, self.iterator?, "Item");
                item.or_else(|| self.project(ty, self.into_iterator?, "Item"))
                    .or_else(|| match db.types.kind(ty) {
                        TyKind::Ref(inner, true) => self.item_of(*inner),
                        _ => None,
                    })
            }
        }
    }
}
