//! Which generic arguments the values of a type hold: a `Vec` holds none of its elements by value,
//! so all `Vec`s share one answer and one layout.

use super::collect::has_lang;
use super::doubt::Answers;
use super::tail::Tail;
use super::ty::{GArg, Ty, TyKind};
use super::{Db, ItemId};
use crate::ir::{AdtKind, ItemKind};
use smallvec::SmallVec;

/// Sets of generic parameters, as bits by index; all bits if that is undecidable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    /// A value holds one of these, directly or in a `Box`, or may.
    by_value: u64,
    /// A value holds pointers whose width depends on one of these.
    pointed: u64,
    /// The width of a pointer to a value depends on one of these.
    tail: u64,
    /// The layout depends on more than the layout of one of these, as on an associated type, or
    /// may.
    projected: u64,
}

/// Definitions nested deeper than this are not examined.
const DEEPEST: usize = 64;

const NONE: Held = Held {
    by_value: 0,
    pointed: 0,
    tail: 0,
    projected: 0,
};

const ALL: Held = Held {
    by_value: !0,
    pointed: !0,
    tail: !0,
    projected: !0,
};

impl Held {
    /// Adds a pointer to a type that holds these.
    fn with_pointer(self, to: Held) -> Held {
        if to.tail == ALL.tail {
            return ALL;
        }
        let open = to.tail & to.projected;
        Held {
            by_value: self.by_value | open,
            pointed: self.pointed | to.tail,
            tail: self.tail,
            projected: self.projected | open,
        }
    }
}

/// Results by definition.
#[derive(Default)]
pub(super) struct Holding(Answers<ItemId, Held>);

impl Db<'_> {
    /// Returns true if no value of the type holds a value of the selected crates' types, directly
    /// or in a `Box`: a `Vec`, a number, a reference, a `Box` itself.
    pub fn holds_nothing_own(&self, ty: Ty) -> bool {
        match self.types.kind(ty) {
            TyKind::Adt(id, args) => {
                if self.is_own(*id) {
                    return false;
                }
                let held = self.held(*id, &mut Vec::new());
                let mut inside = of_bits(args, held.by_value);
                inside.all(|ty| self.holds_nothing_own(ty) && !self.is_box(ty))
            }
            TyKind::Tuple(list) => list.iter().all(|ty| self.holds_nothing_own(*ty)),
            TyKind::Array(element, _) => self.holds_nothing_own(*element),
            TyKind::Prim(_)
            | TyKind::Never
            | TyKind::Foreign(_)
            | TyKind::Ref(..)
            | TyKind::Ptr(..)
            | TyKind::FnPtr(..) => true,
            _ => false,
        }
    }

    /// Returns true if this holds for the types of all fields.
    pub fn has_nothing_own(&self, ty: Ty) -> bool {
        let TyKind::Adt(id, _) = self.types.kind(ty) else {
            return self.holds_nothing_own(ty);
        };
        let ItemKind::Adt(adt) = &self.item(*id).item.kind else {
            return false;
        };
        (0..adt.variants.len() as u32).all(|variant| {
            let fields = self.field_types(ty, variant);
            fields.iter().all(|ty| self.holds_nothing_own(*ty))
        })
    }

    /// Returns a type of the same layout as one of an unselected crate, shared with many others.
    /// Of the arguments that no value holds, `()` replaces each that is sized or that no pointer
    /// in a value points to, and `[()]` each with the tail of a slice; arguments that are held by
    /// value are replaced in turn. `None` if that is the type itself.
    pub fn laid_out_as(&self, id: ItemId, args: &[GArg]) -> Option<Ty> {
        if args.is_empty() || self.is_own(id) || self.walk.as_written.get() {
            return None;
        }
        let held = self.held(id, &mut Vec::new());
        let mut changed: SmallVec<[GArg; 4]> = SmallVec::new();
        for (i, arg) in args.iter().enumerate() {
            let shared = match arg {
                GArg::Ty(ty) => self.shared_argument(*ty, held, i),
                GArg::Const(_) => None,
            };
            changed.push(shared.map_or_else(|| arg.clone(), GArg::Ty));
        }
        let changed = (changed[..] != *args).then(|| changed.into_vec().into());
        changed.map(|args| self.types.intern(TyKind::Adt(id, args)))
    }

    /// Returns the type that replaces the argument at index `at` of a definition, if any.
    fn shared_argument(&self, ty: Ty, held: Held, at: usize) -> Option<Ty> {
        if has(held.by_value, at) {
            return match self.types.kind(ty) {
                TyKind::Adt(id, args) if !has(held.projected, at) => self.laid_out_as(*id, args),
                _ => None,
            };
        }
        let unit = self.types.unit();
        if !has(held.pointed, at) {
            return Some(unit);
        }
        match self.tail(ty) {
            Ok(Tail::Sized) => Some(unit),
            Ok(Tail::Slice) => Some(self.types.intern(TyKind::Slice(unit))),
            Ok(Tail::Dyn | Tail::Foreign) | Err(_) => None,
        }
    }

    fn is_box(&self, ty: Ty) -> bool {
        let TyKind::Adt(id, _) = self.types.kind(ty) else {
            return false;
        };
        has_lang(&self.item(*id).item.attrs, "owned_box")
    }

    fn is_own(&self, id: ItemId) -> bool {
        self.krate(self.krate_of(self.item(id).module)).own
    }

    /// `around` are the definitions being examined: a recursive one counts as holding everything.
    fn held(&self, id: ItemId, around: &mut Vec<ItemId>) -> Held {
        if let Some(held) = self.holding.0.get(self, &id) {
            return held;
        }
        if around.contains(&id) || around.len() > DEEPEST {
            return ALL;
        }
        around.push(id);
        // It is a shortcut alone: nothing is supposed for its sake.
        let find = || self.strictly(|| self.find_held(id, around));
        let (held, rests) = self.recording(find);
        around.pop();
        if self.walk.opening.get() == 0 {
            self.holding.0.keep(id, held, &rests);
        }
        held
    }

    fn find_held(&self, id: ItemId, around: &mut Vec<ItemId>) -> Held {
        let ty = self.identity_ty(id);
        let (TyKind::Adt(_, args), ItemKind::Adt(adt)) =
            (self.types.kind(ty), &self.item(id).item.kind)
        else {
            return ALL;
        };
        let mut held = NONE;
        for variant in 0..adt.variants.len() as u32 {
            for field in self.field_types(ty, variant).iter() {
                let inside = self.held_in(*field, args, around);
                held.by_value |= inside.by_value;
                held.pointed |= inside.pointed;
                held.projected |= inside.projected;
            }
        }
        if adt.kind == AdtKind::Struct {
            held.tail = match self.last_field(ty, id, args) {
                Ok(Some(last)) => self.held_in(last, args, around).tail,
                Ok(None) => 0,
                Err(_) => !0,
            };
        }
        held
    }

    /// Computes which of the parameters `of` a definition a type in it holds.
    fn held_in(&self, ty: Ty, of: &[GArg], around: &mut Vec<ItemId>) -> Held {
        match self.types.kind(ty) {
            TyKind::Param(..) => {
                let place = of.iter().position(|arg| *arg == GArg::Ty(ty));
                let Some(bit) = place.filter(|at| *at < 64).map(|at| 1 << at) else {
                    return ALL;
                };
                Held {
                    by_value: bit,
                    pointed: 0,
                    tail: bit,
                    projected: 0,
                }
            }
            TyKind::Adt(_, args) if args.is_empty() => NONE,
            TyKind::Adt(id, args) => {
                let inner = match self.is_own(*id) {
                    true => ALL,
                    false => self.held(*id, around),
                };
                let mut held = NONE;
                let boxed = self.is_box(ty);
                for (i, arg) in args.iter().enumerate() {
                    let GArg::Ty(arg) = arg else { continue };
                    if has(inner.projected, i) {
                        let named = self.named_in(*arg, of);
                        held.by_value |= named;
                        held.pointed |= named;
                        held.projected |= named;
                        if has(inner.tail, i) {
                            held.tail |= named;
                        }
                        continue;
                    }
                    let inside = self.held_in(*arg, of, around);
                    if has(inner.by_value, i) || boxed {
                        held.by_value |= inside.by_value;
                        held.pointed |= inside.pointed;
                        held.projected |= inside.projected;
                    }
                    if has(inner.pointed, i) {
                        held = held.with_pointer(inside);
                    }
                    if has(inner.tail, i) {
                        held.tail |= inside.tail;
                    }
                }
                held
            }
            TyKind::Tuple(list) => {
                let mut held = NONE;
                for part in list.iter() {
                    let inside = self.held_in(*part, of, around);
                    held.by_value |= inside.by_value;
                    held.pointed |= inside.pointed;
                    held.projected |= inside.projected;
                    held.tail = inside.tail;
                }
                held
            }
            TyKind::Array(element, _) | TyKind::Slice(element) => Held {
                tail: 0,
                ..self.held_in(*element, of, around)
            },
            TyKind::Ref(to, _) | TyKind::Ptr(to, _) => {
                NONE.with_pointer(self.held_in(*to, of, around))
            }
            TyKind::Prim(_)
            | TyKind::Never
            | TyKind::Foreign(_)
            | TyKind::FnPtr(..)
            | TyKind::Dyn(..) => NONE,
            TyKind::Proj(..) | TyKind::Written(_) | TyKind::Infer(_) | TyKind::Unknown(_) => ALL,
        }
    }

    /// Returns which of the parameters `of` a definition occur in a type, at any depth.
    fn named_in(&self, ty: Ty, of: &[GArg]) -> u64 {
        let named = |types: &[Ty]| {
            let bits = types.iter().map(|ty| self.named_in(*ty, of));
            bits.fold(0, |all, bits| all | bits)
        };
        match self.types.kind(ty) {
            TyKind::Param(..) => {
                let place = of.iter().position(|arg| *arg == GArg::Ty(ty));
                place.filter(|at| *at < 64).map_or(!0, |at| 1 << at)
            }
            TyKind::Adt(_, args) => {
                let bits = args.iter().map(|arg| match arg {
                    GArg::Ty(ty) => self.named_in(*ty, of),
                    GArg::Const(_) => 0,
                });
                bits.fold(0, |all, bits| all | bits)
            }
            TyKind::Tuple(list) => named(list),
            TyKind::Array(inner, _)
            | TyKind::Slice(inner)
            | TyKind::Ref(inner, _)
            | TyKind::Ptr(inner, _) => self.named_in(*inner, of),
            TyKind::FnPtr(inputs, output, _) => named(inputs) | self.named_in(*output, of),
            TyKind::Dyn(_, bindings, _) => {
                let bits = bindings.iter().map(|(_, ty)| self.named_in(*ty, of));
                bits.fold(0, |all, bits| all | bits)
            }
            TyKind::Prim(_) | TyKind::Never | TyKind::Foreign(_) => 0,
            TyKind::Proj(..) | TyKind::Written(_) | TyKind::Infer(_) | TyKind::Unknown(_) => !0,
        }
    }
}

fn has(bits: u64, at: usize) -> bool {
    at >= 64 || bits >> at & 1 == 1
}

/// Iterates over the type arguments whose bits are set.
fn of_bits(args: &[GArg], bits: u64) -> impl Iterator<Item = Ty> + '_ {
    args.iter()
        .enumerate()
        .filter_map(move |(i, arg)| match arg {
            GArg::Ty(ty) if has(bits, i) => Some(*ty),
            _ => None,
        })
}
