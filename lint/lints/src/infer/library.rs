//! Types of std by name: strings, vectors, and the results of iterators, collections and operators.

use super::members::Members;
use super::types::{is_open, is_std, std_name, types_of};
use crate::ir;
use crate::name::Name;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Def, ItemId, Ns};

impl Members {
    /// Returns the name of a type of std.
    pub(super) fn std_name(&self, id: ItemId) -> Option<&'static str> {
        std_name(self.db, id)
    }

    pub(super) fn std_item(&self, path: &str) -> Option<ItemId> {
        let path = format!("crate::{path}");
        let path: Vec<Name> = path.split("::").map(Name::new).collect();
        let root = self.db.root(self.db.std());
        match self.db.resolve(root, false, &path, Ns::Type).ok()??.def {
            Def::Item(id) => Some(id),
            _ => None,
        }
    }

    pub(super) fn std_type(&self, path: &str) -> Option<Ty> {
        let kind = TyKind::Adt(self.std_item(path)?, Box::default());
        Some(self.db.types.intern(kind))
    }

    /// Returns the type of a binary operation on two known types.
    pub(super) fn operation(&self, op: &str, left: Ty, right: Ty) -> Option<Ty> {
        let trait_ = match op {
            "+" => "Add",
            "-" => "Sub",
            "*" => "Mul",
            "/" => "Div",
            "%" => "Rem",
            "&" => "BitAnd",
            "|" => "BitOr",
            "^" => "BitXor",
            "<<" => "Shl",
            ">>" => "Shr",
            _ => return None,
        };
        let trait_ = self.std_item(&format!("ops::{trait_}"))?;
        self.project(left, trait_, &[GArg::Ty(right)], "Output")
    }

    /// Returns `String`.
    pub(super) fn string(&self) -> Option<Ty> {
        self.std_type("string::String")
    }

    /// Returns the type of a `Result`.
    pub(super) fn result_of(&self, ty: Ty, error: Ty) -> Option<Ty> {
        let args = [GArg::Ty(ty), GArg::Ty(error)];
        let kind = TyKind::Adt(self.std_item("result::Result")?, args.into());
        Some(self.db.types.intern(kind))
    }

    /// Returns the type of a `Vec` of these elements.
    pub(super) fn vec_of(&self, element: Ty) -> Option<Ty> {
        let db = self.db;
        let id = self.std_item("vec::Vec")?;
        let none = ir::Args {
            args: vec![ir::Arg::Type(ir::Type::Infer)],
            ..ir::Args::default()
        };
        let env = Env::plain(db.root(db.std()));
        let mut args = db.lower_item_args(id, Some(&none), &env);
        args[0] = GArg::Ty(element);
        Some(db.types.intern(TyKind::Adt(id, args.into())))
    }

    /// Returns the type that stands for all iterators over these items.
    pub(super) fn iter_of(&self, item: Ty) -> Option<Ty> {
        let kind = TyKind::Adt(self.iter?, [GArg::Ty(item)].into());
        Some(self.db.types.intern(kind))
    }

    /// Returns true for the type that stands for all iterators.
    pub(super) fn is_iter(&self, ty: Ty) -> bool {
        matches!(self.db.types.kind(ty), TyKind::Adt(id, _) if Some(*id) == self.iter)
    }

    /// Returns the type of `into_iter` on a value.
    pub(super) fn as_iter(&self, ty: Ty) -> Ty {
        let item = self.item_of(ty);
        item.and_then(|i| self.iter_of(i)).unwrap_or(ty)
    }

    /// Fills the unknown arguments of a collection from the items that it is collected from.
    pub(super) fn collected(&self, ty: Ty, item: Ty) -> Ty {
        let db = self.db;
        let TyKind::Adt(id, args) = db.types.kind(ty) else {
            return ty;
        };
        let part = |of: Ty, i: usize| match db.types.kind(of) {
            TyKind::Tuple(list) => list.get(i).copied(),
            TyKind::Adt(_, args) => match args.get(i) {
                Some(GArg::Ty(ty)) => Some(*ty),
                _ => None,
            },
            _ => None,
        };
        let found: Vec<Option<Ty>> = match self.std_name(*id) {
            Some("BTreeSet" | "BinaryHeap" | "HashSet" | "LinkedList" | "Vec" | "VecDeque") => {
                vec![Some(item)]
            }
            Some("BTreeMap" | "HashMap") => vec![part(item, 0), part(item, 1)],
            Some(name @ ("Option" | "Result")) if is_std(db, item, name) => {
                let whole = part(ty, 0).zip(part(item, 0));
                let whole = whole.map(|(ty, item)| self.collected(ty, item));
                vec![whole, part(item, 1)]
            }
            _ => return ty,
        };
        let nested = is_std(db, ty, "Option") || is_std(db, ty, "Result");
        let fill = |(i, arg): (usize, &GArg)| match (arg, found.get(i)) {
            (GArg::Ty(ty), Some(Some(found))) if nested && i == 0 || is_open(db, *ty) => {
                GArg::Ty(*found)
            }
            _ => arg.clone(),
        };
        let args = args.iter().enumerate().map(fill).collect();
        db.types.intern(TyKind::Adt(*id, args))
    }

    /// Returns the iterator type after flattening the items of an iterator.
    pub(super) fn flattened(&self, ty: Ty) -> Ty {
        match self.db.types.kind(ty) {
            TyKind::Adt(id, args) if Some(*id) == self.iter => {
                let of = types_of(args).next().and_then(|of| self.item_of(of));
                self.iter_of(of.unwrap_or(self.unknown)).unwrap_or(ty)
            }
            _ => ty,
        }
    }

    /// Returns the type of the items in a `for` loop over a value.
    pub(super) fn item_of(&self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        match db.types.kind(ty) {
            TyKind::Adt(id, args)
                if Some(*id) == self.iter
                    || self.std_name(*id).is_some_and(|n| n.starts_with("Range")) =>
            {
                types_of(args).next()
            }
            TyKind::Dyn(traits, bindings, _)
                if self.iterator.is_some_and(|i| traits.contains(&i)) =>
            {
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
                let item = self.project(ty, self.iterator?, &[], "Item");
                item.or_else(|| self.project(ty, self.into_iterator?, &[], "Item"))
                    .or_else(|| match db.types.kind(ty) {
                        TyKind::Ref(inner, true) => self.item_of(*inner),
                        _ => None,
                    })
            }
        }
    }
}
