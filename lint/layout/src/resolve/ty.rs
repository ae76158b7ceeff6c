//! Types with all names resolved, interned so that equal types have equal ids.

use super::{ItemId, Unknown};
use crate::budget;
use crate::name::Name;
use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// An interned type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty(u32);

impl Ty {
    /// Returns its index; indices are small and dense.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A primitive type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Prim {
    Bool,
    Char,
    Str,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    F16,
    F32,
    F64,
    F128,
}

impl Prim {
    /// Every primitive with its name.
    pub const ALL: [(&'static str, Prim); 19] = [
        ("bool", Prim::Bool),
        ("char", Prim::Char),
        ("str", Prim::Str),
        ("u8", Prim::U8),
        ("u16", Prim::U16),
        ("u32", Prim::U32),
        ("u64", Prim::U64),
        ("u128", Prim::U128),
        ("usize", Prim::Usize),
        ("i8", Prim::I8),
        ("i16", Prim::I16),
        ("i32", Prim::I32),
        ("i64", Prim::I64),
        ("i128", Prim::I128),
        ("isize", Prim::Isize),
        ("f16", Prim::F16),
        ("f32", Prim::F32),
        ("f64", Prim::F64),
        ("f128", Prim::F128),
    ];

    /// Returns the primitive with this name.
    pub fn named(name: &str) -> Option<Prim> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|&(_, p)| p)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, p)| *p == self)
            .map_or("", |(n, _)| n)
    }

    /// Returns an integer's width in bits and signedness; pointer-sized ones take the target's.
    pub fn int(self, pointer_bits: u32) -> Option<(u32, bool)> {
        Some(match self {
            Prim::U8 => (8, false),
            Prim::U16 => (16, false),
            Prim::U32 => (32, false),
            Prim::U64 => (64, false),
            Prim::U128 => (128, false),
            Prim::Usize => (pointer_bits, false),
            Prim::I8 => (8, true),
            Prim::I16 => (16, true),
            Prim::I32 => (32, true),
            Prim::I64 => (64, true),
            Prim::I128 => (128, true),
            Prim::Isize => (pointer_bits, true),
            _ => return None,
        })
    }
}

/// A generic argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GArg {
    /// A type.
    Ty(Ty),
    /// A constant.
    Const(Box<Const>),
}

/// A constant in a type: an array length or a const generic argument.
// weigh: allow(oversized_variant, reason = "nearly all are values")
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// Its value; `bool` and `char` as numbers.
    Value(i128),
    /// A const parameter.
    Param(Name),
    /// An inference variable, used while matching an `impl`.
    Infer(u32),
    /// Unknown.
    Unknown(Unknown),
}

/// The kind of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// A primitive.
    Prim(Prim),
    /// `!`.
    Never,
    /// A struct, enum or union with its arguments, defaults filled in.
    Adt(ItemId, Box<[GArg]>),
    /// `extern type`.
    Foreign(ItemId),
    /// `&T`; `&mut T` if the flag is set.
    Ref(Ty, bool),
    /// `*const T`; `*mut T` if the flag is set.
    Ptr(Ty, bool),
    /// `[T]`.
    Slice(Ty),
    /// `[T; N]`.
    Array(Ty, Const),
    /// A tuple.
    Tuple(Box<[Ty]>),
    /// `fn(A) -> B`, and its qualifiers (`unsafe extern "C"`) if it has any.
    FnPtr(Box<[Ty]>, Ty, Option<Name>),
    /// `dyn Trait`: its resolved traits, auto traits last in one order, their associated type
    /// bindings, and their arguments.
    // weigh: allow(oversized_variant, reason = "types are interned: each is there once")
    Dyn(Box<[ItemId]>, Box<[(Name, Ty)]>, Box<[GArg]>),
    /// A generic parameter, whether it is `Sized`, and the item that declares it.
    Param(Name, bool, ItemId),
    /// `<T as Trait>::Name` of a parameter, not yet normalizable; whether the trait requires it
    /// `Sized`.
    Proj(Ty, ItemId, Name, bool),
    /// An unnormalized projection; only in the types that `super::written` inspects.
    Written(Box<super::assoc::Question>),
    /// An inference variable, used while matching an `impl`.
    Infer(u32),
    /// Unknown.
    Unknown(Unknown),
}

/// Assigns equal types equal ids.
#[derive(Default)]
pub struct Interner {
    ids: [RwLock<Numbers>; PARTS],
    kinds: boxcar::Vec<(TyKind, Extent)>,
}

/// Ids by hash of the type's kind, which is stored only in `kinds`; on a collision the later type
/// takes the next free hash.
type Numbers = FxHashMap<u64, Ty>;

/// Number of shards: threads that intern different types rarely contend.
const PARTS: usize = 16;

/// The size of a type as a tree, and whether all of it is known.
#[derive(Clone, Copy)]
struct Extent {
    depth: u32,
    nodes: u32,
    /// True if no part of it is unknown.
    whole: bool,
}

impl Interner {
    /// Interns a type; one that is nested too deep or is too large to traverse becomes an unknown
    /// type.
    pub fn intern(&self, kind: TyKind) -> Ty {
        let hash = FxBuildHasher.hash_one(&kind);
        // The map itself uses other bits of the hash.
        let part = &self.ids[(hash >> 40) as usize % PARTS];
        if let Ok(ty) = self.find(&part.read(), &kind, hash) {
            return ty;
        }
        let extent = self.extent(&kind);
        if extent.depth > budget::TYPE_DEPTH || extent.nodes > budget::TYPE_NODES {
            return self.unknown(Unknown::because(
                "a type stopped here: its arguments grow without end",
            ));
        }
        let mut part = part.write();
        self.find(&part, &kind, hash).unwrap_or_else(|free| {
            let ty = Ty(self.kinds.push((kind, extent)) as u32);
            part.insert(free, ty);
            ty
        })
    }

    /// Returns the id of an interned type, or else the hash slot to insert it at.
    fn find(&self, numbers: &Numbers, kind: &TyKind, hash: u64) -> Result<Ty, u64> {
        let mut at = hash;
        while let Some(&ty) = numbers.get(&at) {
            if self.kind(ty) == kind {
                return Ok(ty);
            }
            at = at.wrapping_add(1);
        }
        Err(at)
    }

    fn extent(&self, kind: &TyKind) -> Extent {
        let is_known = |c: &Const| !matches!(c, Const::Unknown(_));
        let mut whole = Extent {
            depth: 0,
            nodes: 1,
            whole: match kind {
                TyKind::Unknown(_) => false,
                TyKind::Array(_, len) => is_known(len),
                TyKind::Adt(_, args) => args.iter().all(|arg| match arg {
                    GArg::Ty(_) => true,
                    GArg::Const(c) => is_known(c),
                }),
                _ => true,
            },
        };
        let mut add = |ty: &Ty| {
            let part = self.kinds[ty.0 as usize].1;
            whole.depth = whole.depth.max(part.depth + 1);
            whole.nodes = whole.nodes.saturating_add(part.nodes);
            whole.whole &= part.whole;
        };
        let types = |args: &[GArg], add: &mut dyn FnMut(&Ty)| {
            for arg in args {
                if let GArg::Ty(ty) = arg {
                    add(ty);
                }
            }
        };
        match kind {
            TyKind::Adt(_, args) => types(args, &mut add),
            TyKind::Written(question) => {
                add(&question.self_ty);
                types(&question.args, &mut add);
                types(&question.own, &mut add);
            }
            TyKind::Ref(ty, _) | TyKind::Ptr(ty, _) | TyKind::Slice(ty) => add(ty),
            TyKind::Array(ty, _) | TyKind::Proj(ty, ..) => add(ty),
            TyKind::Tuple(list) => list.iter().for_each(add),
            TyKind::FnPtr(inputs, output, _) => {
                inputs.iter().for_each(&mut add);
                add(output);
            }
            TyKind::Dyn(_, bindings, args) => {
                bindings.iter().for_each(|(_, ty)| add(ty));
                let known = bindings.iter().all(|(_, ty)| self.is_whole(*ty));
                types(args, &mut add);
                // No layout depends on them.
                whole.whole = known;
            }
            TyKind::Prim(_)
            | TyKind::Never
            | TyKind::Foreign(_)
            | TyKind::Param(..)
            | TyKind::Infer(_)
            | TyKind::Unknown(_) => {}
        }
        whole
    }

    /// Returns the kind of a type.
    pub fn kind(&self, ty: Ty) -> &TyKind {
        &self.kinds[ty.0 as usize].0
    }

    /// Returns true if no part of the type is unknown.
    pub fn is_whole(&self, ty: Ty) -> bool {
        self.kinds[ty.0 as usize].1.whole
    }

    /// Returns an unknown type.
    pub fn unknown(&self, why: Unknown) -> Ty {
        self.intern(TyKind::Unknown(why))
    }

    /// Returns a primitive type.
    pub fn prim(&self, prim: Prim) -> Ty {
        self.intern(TyKind::Prim(prim))
    }

    /// Returns `()`.
    pub fn unit(&self) -> Ty {
        self.intern(TyKind::Tuple(Box::default()))
    }
}
