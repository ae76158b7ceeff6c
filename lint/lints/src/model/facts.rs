//! Facts about types and crates that decide which remedies are possible.

use super::{Model, TypeInfo};
use crate::ir::{AdtKind, Attr, Cfg, ItemKind, Meta};
use crate::name::Name;
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{CrateIx, Db, ModId, Ns};
use crate::usage::types::{field_types, implements, is_buffer, std_parts, types_of};
use heck::ToUpperCamelCase;
use rustc_hash::FxHashSet;

/// Pointers of std.
const POINTERS: &[&str] = &["Arc", "Box", "NonNull", "Rc", "Weak"];

/// Derives that do not construct values of fields.
const HARMLESS: &[&str] = &[
    "AsRef",
    "AssertSize",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "Diagnostic",
    "Display",
    "EnumIs",
    "Eq",
    "Error",
    "Hash",
    "Is",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
];

/// Types of std that have the layout and role of their content.
const WRAPPERS: &[&str] = &[
    "Cell",
    "Cow",
    "ManuallyDrop",
    "Option",
    "Pin",
    "RefCell",
    "Reverse",
    "Wrapping",
];

impl Model<'static> {
    /// Returns true if a type is `Copy`, by a derive or an `impl`.
    pub fn is_copy(&self, info: &TypeInfo) -> bool {
        self.is_of(info, "marker", "Copy")
    }

    /// Returns true if a type is `Clone`, by a derive or an `impl`.
    pub fn is_clone(&self, info: &TypeInfo) -> bool {
        self.is_of(info, "clone", "Clone")
    }

    fn is_of(&self, info: &TypeInfo, module: &'static str, name: &'static str) -> bool {
        let attrs = &self.db.item(info.item).item.attrs;
        attrs.derives(name) || implements(self.db, info.ty, ["crate", module, name])
    }

    /// Returns true for an error: by its name, a derive or an `impl`.
    pub fn is_error(&self, info: &TypeInfo) -> bool {
        let item = self.db.item(info.item).item;
        let name = item.name.as_str();
        name.contains("Error")
            || name.ends_with("Err")
            || item.attrs.derives("Error")
            || implements(self.db, info.ty, ["crate", "error", "Error"])
    }

    /// Returns true for a type whose values are consumed by use: an iterator, a builder.
    pub fn is_used_up(&self, info: &TypeInfo) -> bool {
        let name = self.db.item(info.item).item.name;
        name.as_str().ends_with("Builder")
            || implements(self.db, info.ty, ["crate", "iter", "Iterator"])
    }

    /// Returns true if an author can edit the definition where it is reported: some of its body, if
    /// only variant names, is not from a macro's body.
    pub fn is_authored(&self, info: &TypeInfo) -> bool {
        let written = |span| self.db.sources.origin(span).1;
        match &self.db.item(info.item).item.kind {
            ItemKind::Adt(adt) if info.written => {
                let fields = adt.variants.iter().flat_map(|v| &v.fields);
                let mut parts = fields.flat_map(|f| [f.name_span, f.ty_span]).peekable();
                let mut rows = adt.variants.iter().map(|v| v.name_span);
                let tabled = adt.kind == AdtKind::Enum && rows.any(written);
                tabled || parts.peek().is_none() || parts.any(written)
            }
            _ => false,
        }
    }

    /// Returns true for `repr(C)`: other languages know the layout.
    pub fn is_repr_c(&self, info: &TypeInfo) -> bool {
        let attrs = self.db.item(info.item).item.attrs.list.iter();
        let reprs = attrs.filter(|a| is(&a.meta, "repr"));
        reprs.flat_map(|a| &a.meta.list).any(|m| is(m, "C"))
    }

    /// Returns true if a derive may construct values of a type's fields. `Deserialize` does not
    /// count if the type's own `Serialize` writes the data.
    pub fn is_filled_by_derive(&self, info: &TypeInfo) -> bool {
        let back = self.is_read_back(info);
        self.derives_here(info, |name| {
            !(HARMLESS.contains(&name) || back && name == "Deserialize")
        })
    }

    /// Returns true for a type that serde both writes and reads.
    pub fn is_read_back(&self, info: &TypeInfo) -> bool {
        ["Serialize", "Deserialize"]
            .iter()
            .all(|name| self.derives_here(info, |n| n == *name))
    }

    /// Returns true if the type has a derive with such a name in this build.
    fn derives_here(&self, info: &TypeInfo, fits: impl Fn(&str) -> bool) -> bool {
        let fits = |m: &Meta| m.path.last().is_none_or(|n| fits(n.as_str()));
        let attrs = &self.db.item(info.item).item.attrs.list;
        attrs.iter().any(|attr| {
            is(&attr.meta, "derive")
                && attr.meta.list.iter().any(fits)
                && self.may_hold(info.krate, attr)
        })
    }

    /// Returns the path of the nonzero integer in the package's Rust version: generic from 1.79 on.
    pub fn nonzero(&self, krate: CrateIx, number: Prim) -> String {
        let id = self.db.krate(krate).id;
        let name = number.name();
        match id.is_some_and(|id| self.db.project.krate(id).supports_before(79)) {
            true => format!("NonZero{}", name.to_upper_camel_case()),
            false => format!("NonZero<{name}>"),
        }
    }

    /// Returns true if a crate links the standard library.
    pub fn has_std(&self, krate: CrateIx) -> bool {
        let bare = |a: &Attr| is_bare(a) && self.may_hold(krate, a);
        let file = self.root_file(krate);
        !file.is_some_and(|f| f.attrs.list.iter().any(bare))
    }

    /// Returns false for an attribute that a `cfg` disables.
    pub(super) fn may_hold(&self, krate: CrateIx, attr: &Attr) -> bool {
        let cfg = attr.cfg.as_ref();
        cfg.is_none_or(|c| self.db.cfg_holds(krate, c) != Ok(false))
    }

    /// Returns true if a crate can allocate: it has `std`, or names `alloc`.
    pub fn has_heap(&self, krate: CrateIx) -> bool {
        self.heap(krate).is_some()
    }

    /// Returns the crate through which a crate allocates: `std`, or `alloc` if it names that.
    pub fn heap(&self, krate: CrateIx) -> Option<&'static str> {
        let file = self.root_file(krate);
        let Some(file) = file.filter(|_| !self.has_std(krate)) else {
            return Some("std");
        };
        let names = |of: &&str| {
            file.items.iter().any(|item| match item.kind {
                ItemKind::ExternCrate(name) => {
                    name == **of && self.db.present(krate, &item.attrs) == Ok(true)
                }
                _ => false,
            })
        };
        ["alloc", "std"].into_iter().find(|of| names(of))
    }

    /// Returns true if a crate names `alloc` in this build.
    pub fn names_alloc(&self, krate: CrateIx) -> bool {
        let file = self.root_file(krate);
        let mut items = file.into_iter().flat_map(|file| &file.items);
        items.any(|item| match item.kind {
            ItemKind::ExternCrate(name) => {
                name == *"alloc" && self.db.present(krate, &item.attrs) == Ok(true)
            }
            _ => false,
        })
    }

    /// Returns true for a type with an owner of the heap in its fields: where it is compiled, there
    /// is a heap.
    pub fn holds_heap(&self, info: &TypeInfo) -> bool {
        let own = |ty| std_parts(self.db, ty).is_some_and(|(name, _)| name != "NonNull");
        let fields = field_types(self.db, info.ty);
        let mut fields = fields.into_iter().flatten();
        fields.any(|ty| own(ty) && self.is_behind_pointer(ty))
    }

    /// Returns the crate that has `Box` in every build that compiles code under these conditions, in
    /// a crate that some builds compile without `std`; none if a build may have none.
    pub fn steady_heap(&self, krate: CrateIx, under: &[&Cfg]) -> Option<&'static str> {
        let Some(file) = self.root_file(krate) else {
            return Some("std");
        };
        let mut bare = file.attrs.list.iter().filter(|a| is_bare(a));
        let never =
            |a: &Attr| matches!(a.cfg.as_deref(), Some(Cfg::Not(with)) if is_implied(with, under));
        if bare.all(never) {
            return Some("std");
        }
        let mut externs = file.items.iter();
        let named = externs.any(|item| match item.kind {
            ItemKind::ExternCrate(name) => {
                let cfg = item.attrs.cfg.as_deref();
                name == *"alloc" && cfg.is_none_or(|cfg| is_implied(cfg, under))
            }
            _ => false,
        });
        named.then_some("alloc")
    }

    /// Returns the conditions under which a module is compiled.
    pub fn conditions(&self, module: ModId) -> Vec<&'static Cfg> {
        let parent = |m: &ModId| self.db.module(*m).parent;
        let modules = std::iter::successors(Some(module), parent);
        let decls = modules.filter_map(|m| self.db.module(m).decl);
        decls.filter_map(|item| item.attrs.cfg.as_deref()).collect()
    }

    /// Returns the name by which a crate calls that one: of `extern crate alloc as std` it is `std`.
    pub fn heap_name(&self, krate: CrateIx) -> Option<Name> {
        let heap = self.heap(krate)?;
        let file = self.root_file(krate)?;
        let named = file.items.iter().find(|item| match item.kind {
            ItemKind::ExternCrate(name) => {
                name == *heap && self.db.present(krate, &item.attrs) == Ok(true)
            }
            _ => false,
        });
        Some(named.map_or_else(|| Name::new(heap), |item| item.name))
    }

    /// Returns true if a crate can allocate in all of its builds, as far as its root file tells.
    pub fn has_always_heap(&self, krate: CrateIx) -> bool {
        let Some(file) = self.root_file(krate) else {
            return false;
        };
        let mut named = file.items.iter().filter(|item| match item.kind {
            ItemKind::ExternCrate(name) => name == *"alloc" || name == *"std",
            _ => false,
        });
        named.any(|item| item.attrs.cfg.is_none())
    }

    /// Returns true if `Box` resolves where a type is defined.
    pub fn names_box(&self, info: &TypeInfo) -> bool {
        let module = self.db.item(info.item).module;
        let found = self.db.lookup(module, Name::new("Box"), Ns::Type, module);
        self.has_std(info.krate) || found.is_ok_and(|def| def.is_some())
    }

    fn root_file(&self, krate: CrateIx) -> Option<&'static crate::ir::File> {
        let id = self.db.krate(krate).id?;
        self.db.file(krate, &self.db.project.krate(id).root)
    }

    /// Returns true for a pointer or such a type of std, also inside wrappers.
    fn is_pointer_or(&self, ty: Ty, is: fn(&Db<'static>, Ty) -> bool) -> bool {
        match self.db.types.kind(ty) {
            TyKind::Ref(..) | TyKind::Ptr(..) | TyKind::FnPtr(..) => true,
            _ => std_parts(self.db, ty).is_some_and(|(name, args)| {
                let mut inner = types_of(args);
                POINTERS.contains(&name)
                    || is(self.db, ty)
                    || WRAPPERS.contains(&name) && inner.any(|ty| self.is_pointer_or(ty, is))
            }),
        }
    }

    /// Returns true for a type whose data is behind a pointer already: a box only adds an
    /// indirection.
    pub fn is_behind_pointer(&self, ty: Ty) -> bool {
        self.is_pointer_or(ty, is_buffer)
    }

    /// Returns true for a `Vec` or a boxed slice: a length beside a pointer.
    pub fn is_sequence(&self, ty: Ty) -> bool {
        match std_parts(self.db, ty) {
            Some(("Vec", _)) => true,
            Some(("Box", args)) => {
                let mut inside = types_of(args);
                inside.any(|ty| matches!(self.db.types.kind(ty), TyKind::Slice(_)))
            }
            _ => false,
        }
    }

    /// Returns true for a pointer, which is never boxed by itself, whatever that saves.
    pub(super) fn is_pointer(&self, ty: Ty) -> bool {
        self.is_pointer_or(ty, |_, _| false)
    }

    /// Returns true if a type depends, itself or in what it holds by value, on `debug_assertions`: a
    /// release build may have another size.
    pub fn is_of_debugging(&self, ty: Ty) -> bool {
        self.holds_any(ty, |ty| {
            let TyKind::Adt(id, _) = self.db.types.kind(ty) else {
                return false;
            };
            let item = self.db.item(*id).item;
            let ItemKind::Adt(adt) = &item.kind else {
                return false;
            };
            let fields = adt.variants.iter().flat_map(|v| &v.fields);
            let mut attrs = fields.map(|f| &f.attrs).chain([&item.attrs]);
            attrs.any(|attrs| attrs.cfg.as_deref().is_some_and(asks_for_debugging))
        })
    }

    /// Returns true if a type, or one that it holds by value, has a property.
    fn holds_any(&self, whole: Ty, fits: impl Fn(Ty) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut queue = vec![whole];
        while let Some(at) = queue.pop() {
            if fits(at) {
                return true;
            }
            if !seen.insert(at) || self.is_behind_pointer(at) {
                continue;
            }
            match self.db.types.kind(at) {
                TyKind::Array(element, _) => queue.push(*element),
                TyKind::Tuple(list) => queue.extend(list),
                _ => queue.extend(field_types(self.db, at).into_iter().flatten()),
            }
        }
        false
    }
}

fn asks_for_debugging(cfg: &Cfg) -> bool {
    match cfg {
        Cfg::Flag(name) => *name == "debug_assertions",
        Cfg::Not(inner) => asks_for_debugging(inner),
        Cfg::All(list) | Cfg::Any(list) => list.iter().any(asks_for_debugging),
        Cfg::Known(_) | Cfg::Value(..) => false,
    }
}

fn is(meta: &Meta, name: &str) -> bool {
    meta.path.len() == 1 && meta.path[0] == name
}

/// Returns true for `#![no_std]`.
fn is_bare(attr: &Attr) -> bool {
    is(&attr.meta, "no_std") || is(&attr.meta, "no_core")
}

/// Returns true if a condition holds wherever these do.
fn is_implied(cfg: &Cfg, under: &[&Cfg]) -> bool {
    let says = |of: &&Cfg| match of {
        Cfg::All(parts) => is_implied(cfg, &parts.iter().collect::<Vec<_>>()),
        of => *of == cfg,
    };
    match cfg {
        _ if under.iter().any(says) => true,
        Cfg::All(parts) => parts.iter().all(|part| is_implied(part, under)),
        Cfg::Any(parts) => parts.iter().any(|part| is_implied(part, under)),
        _ => false,
    }
}
