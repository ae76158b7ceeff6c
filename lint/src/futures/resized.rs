//! What becomes of a type when futures in it change: calculated only if the same calculation gives
//! what the type is today.

use crate::census::dwarf::coroutines::{Coroutines, Held, HeldId, Makeup, Part};
use crate::census::dwarf::is_std;
use crate::layout::Extent;
use crate::layout::coroutine::Calculator;
use crate::layout::outline::{Order, Outline, Values};
use rustc_hash::FxHashMap;

/// What becomes of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resized {
    /// It stays as it is.
    No,
    /// It changes, but how is not known.
    Unknown,
    To(Extent),
}

/// What becomes of a coroutine.
pub type Change<'c> = dyn Fn(HeldId) -> Resized + 'c;

/// Whether a type has a coroutine in it that changes.
pub type Contains<'c> = dyn Fn(HeldId) -> bool + 'c;

/// The types of a build and what changes in them.
pub struct Resizing<'c> {
    /// Lays types out.
    pub calculator: &'c Calculator,
    /// The types.
    pub types: &'c Coroutines,
    /// What becomes of coroutines.
    pub change: &'c Change<'c>,
    /// Where those that change are.
    pub contains: &'c Contains<'c>,
}

/// What the numbers in std's types with a single one cannot be. Attributes of std say so, which debug
/// information has not; so each type is taken to be any of these, and all that give what is there
/// today must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unused {
    Nothing,
    Zero,
    /// What is above the half.
    High,
}

impl Unused {
    const ALL: [Unused; 3] = [Unused::Nothing, Unused::Zero, Unused::High];

    fn values(self, size: u64) -> Option<Values> {
        let last = u128::MAX >> (128 - 8 * size.clamp(1, 16));
        match self {
            Unused::Nothing => None,
            Unused::Zero => Some((1, last)),
            Unused::High => Some((0, last >> 1)),
        }
    }
}

/// A guess at what numbers and addresses cannot be.
#[derive(Clone, Copy, Debug)]
struct Guess {
    numbers: Unused,
    addresses: Unused,
}

/// How deep types lie in each other.
const DEEPEST: u32 = 32;

/// A type today, and what becomes of it.
#[derive(Clone)]
struct Both {
    now: Outline,
    then: Then,
}

#[derive(Clone)]
enum Then {
    Same,
    Unknown,
    New(Outline),
}

struct Walk<'r, 'c> {
    of: &'r Resizing<'c>,
    guess: Guess,
    /// Types, with their alignments and whether their unused values matter.
    known: FxHashMap<(HeldId, u64, bool), Both>,
    /// It depends on what numbers cannot be.
    is_guessed: bool,
    /// A type is not as it is today with the guess, or was not looked at.
    is_refuted: bool,
}

impl Resizing<'_> {
    /// What becomes of a type with this size and alignment.
    pub fn of(&self, id: HeldId, today: Extent) -> Resized {
        if !(self.contains)(id) {
            return Resized::No;
        }
        if self.types.get(id).coroutine.is_some() {
            return (self.change)(id);
        }
        let mut found: Option<Extent> = None;
        for numbers in Unused::ALL {
            for addresses in [Unused::Nothing, Unused::Zero] {
                let guess = Guess { numbers, addresses };
                let mut walk = Walk {
                    of: self,
                    guess,
                    known: FxHashMap::default(),
                    is_guessed: false,
                    is_refuted: false,
                };
                let both = walk.ty(id, today, false, 0);
                match both.map(|both| (both.now.extent() == today, both.then)) {
                    Some((true, Then::New(new))) => match found {
                        Some(known) if known != new.extent() => return Resized::Unknown,
                        _ => found = Some(new.extent()),
                    },
                    Some((true, Then::Same)) => return Resized::No,
                    Some((true, Then::Unknown)) if !walk.is_refuted => {
                        return Resized::Unknown;
                    }
                    _ => {}
                }
                if !walk.is_guessed {
                    return found.map_or(Resized::Unknown, Resized::To);
                }
            }
        }
        found.map_or(Resized::Unknown, Resized::To)
    }
}

impl Walk<'_, '_> {
    /// A type, with its unused values if they matter. `None` if it has no layout.
    fn ty(&mut self, id: HeldId, today: Extent, unused: bool, depth: u32) -> Option<Both> {
        let calculator = self.of.calculator;
        let changes = (self.of.contains)(id);
        let ty = self.of.types.get(id);
        if depth > DEEPEST || !changes && !unused {
            self.is_refuted |= depth > DEEPEST;
            let now = calculator.opaque(today)?;
            let then = if changes { Then::Unknown } else { Then::Same };
            return Some(Both { now, then });
        }
        let key = (id, today.align, unused);
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        if ty.coroutine.is_some() {
            let then = match (self.of.change)(id) {
                Resized::No => Then::Same,
                Resized::Unknown => Then::Unknown,
                Resized::To(new) => Then::New(calculator.opaque(new)?),
            };
            let now = calculator.opaque(today)?;
            return Some(Both { now, then });
        }
        let both = self.built(ty, today, unused, depth);
        let both = match both.filter(|both| both.now.extent() == today) {
            Some(both) => both,
            // It is built in a way that is not known.
            None => {
                self.is_refuted = true;
                Both {
                    now: calculator.opaque(today)?,
                    then: if changes { Then::Unknown } else { Then::Same },
                }
            }
        };
        self.known.insert(key, both.clone());
        Some(both)
    }

    /// A type from its parts.
    fn built(&mut self, ty: &Held, today: Extent, unused: bool, depth: u32) -> Option<Both> {
        let calculator = self.of.calculator;
        match ty.makeup {
            Makeup::Scalar(values) => Some(Both {
                now: calculator.scalar(today, values)?,
                then: Then::Same,
            }),
            Makeup::Array(count) => {
                let element = ty.parts.first()?.first()?.ty;
                let extent = Extent {
                    size: self.of.types.get(element).size,
                    align: today.align,
                };
                let element = self.ty(element, extent, unused, depth + 1)?;
                All::of(&[element]).make(|list| calculator.array(list.first()?, count))
            }
            Makeup::Struct => self.structure(ty, today, unused, depth),
            Makeup::Enum(tag) => self.enumeration(ty, tag, today, depth),
            Makeup::Union => {
                let parts: Vec<&Part> = ty.parts.iter().flatten().collect();
                let parts = self.parts(&parts, false, depth)?;
                All::of(&parts).make(|list| calculator.union_of(list))
            }
        }
    }

    fn parts(&mut self, parts: &[&Part], unused: bool, depth: u32) -> Option<Vec<Both>> {
        let one = |part: &&Part| {
            let extent = Extent {
                size: self.of.types.get(part.ty).size,
                align: part.align,
            };
            self.ty(part.ty, extent, unused, depth + 1)
        };
        parts.iter().map(one).collect()
    }

    fn structure(&mut self, ty: &Held, today: Extent, unused: bool, depth: u32) -> Option<Both> {
        let (calculator, types) = (self.of.calculator, self.of.types);
        let parts: Vec<&Part> = ty.parts.iter().flatten().collect();
        let mut list = self.parts(&parts, unused, depth)?;
        let sized = |part: &&&Part| types.get(part.ty).size > 0;
        let alone = match parts.iter().filter(sized).collect::<Vec<_>>()[..] {
            [alone] => Some(types.get(alone.ty)),
            _ => None,
        };
        // Fat pointers are structs, and the address in them has no name.
        if let [first, ..] = &mut list[..]
            && !ty.name.starts_with('*')
            && let address = types.get(parts[0].ty)
            && address.name.is_empty()
            && address.makeup == Makeup::Scalar(None)
        {
            first.now = calculator.scalar(first.now.extent(), Unused::Zero.values(address.size))?;
        }
        let values = alone.filter(|_| unused && is_std(&ty.name)).and_then(|of| {
            let unused = match of.makeup {
                Makeup::Scalar(None) if of.name.starts_with('*') => self.guess.addresses,
                Makeup::Scalar(None) => self.guess.numbers,
                _ => return None,
            };
            self.is_guessed = true;
            unused.values(of.size)
        });
        // The one type whose contents may change while others look at it.
        let hides = ty.name.starts_with("core::cell::UnsafeCell<");
        let laid = |list: &[Outline], order| calculator.structure(list, order, hides, values);
        let list = All::of(&list);
        // Tuples have one order, which is known, and what has a range of values is never as declared.
        let orders = match &Order::ALL[..] {
            _ if ty.name.starts_with('(') => &[Order::LastApart],
            [free @ .., Order::Declared] if values.is_some() => free,
            all => all,
        };
        // Debug info says where each part is. Where the compiler puts it also depends on its unused
        // values, unless that is as declared.
        let is_known = unused && !self.is_refuted;
        let is_there = |now: &Outline| {
            let mut places = parts.iter().enumerate();
            places.all(|(i, p)| types.get(p.ty).size == 0 || now.offset(i) == Some(p.offset))
        };
        let mut found: Option<Both> = None;
        for &order in orders {
            let both = list.make(|list| laid(list, order));
            let is_sure = order == Order::Declared || is_known;
            let is_it = |now: &Outline| now.extent() == today && (!is_sure || is_there(now));
            let Some(both) = both.filter(|both| is_it(&both.now)) else {
                continue;
            };
            let Some(known) = &mut found else {
                found = Some(both);
                continue;
            };
            // Each order that is left may be the one that it has: all must agree.
            let is_other = match (&known.then, &both.then) {
                (Then::New(a), Then::New(b)) => a.extent() != b.extent() || unused && !a.is_like(b),
                _ => false,
            };
            if is_other || unused && !known.now.is_like(&both.now) {
                known.then = Then::Unknown;
            }
        }
        found
    }

    fn enumeration(
        &mut self,
        ty: &Held,
        tag: Option<(u64, u64)>,
        today: Extent,
        depth: u32,
    ) -> Option<Both> {
        let calculator = self.of.calculator;
        let mut variants = Vec::new();
        for variant in &ty.parts {
            // A variant is a struct as large as the enum.
            let variant = self.of.types.get(variant.first()?.ty);
            let parts: Vec<&Part> = variant.parts.iter().flatten().collect();
            variants.push(All::of(&self.parts(&parts, true, depth)?));
        }
        let now: Vec<Vec<Outline>> = variants.iter().map(|v| v.now.clone()).collect();
        let (now, today_tag) = calculator.enumeration(&now)?;
        if (now.extent(), today_tag) != (today, tag) {
            return None;
        }
        let is_changed = |variant: &All| !matches!(variant.then, Some(None));
        if !variants.iter().any(is_changed) {
            let then = Then::Same;
            return Some(Both { now, then });
        }
        let new = variants.into_iter().map(|variant| {
            let then = variant.then?;
            Some(then.unwrap_or(variant.now))
        });
        let new: Option<Vec<Vec<Outline>>> = new.collect();
        let new = new.and_then(|new| calculator.enumeration(&new));
        let then = new.map_or(Then::Unknown, |(new, _)| Then::New(new));
        Some(Both { now, then })
    }
}

/// Parts today, and what becomes of them: `Some(None)` if they stay, `None` if that is not known.
struct All {
    now: Vec<Outline>,
    then: Option<Option<Vec<Outline>>>,
}

impl All {
    fn of(parts: &[Both]) -> All {
        let now = parts.iter().map(|both| both.now.clone()).collect();
        let is_unknown = parts.iter().any(|b| matches!(b.then, Then::Unknown));
        let is_changed = parts.iter().any(|b| matches!(b.then, Then::New(_)));
        let then = parts.iter().map(|both| match &both.then {
            Then::New(new) => new.clone(),
            _ => both.now.clone(),
        });
        All {
            now,
            then: (!is_unknown).then(|| is_changed.then(|| then.collect())),
        }
    }

    /// What is made of them.
    fn make(&self, make: impl Fn(&[Outline]) -> Option<Outline>) -> Option<Both> {
        Some(Both {
            now: make(&self.now)?,
            then: match &self.then {
                None => Then::Unknown,
                Some(None) => Then::Same,
                Some(Some(then)) => make(then).map_or(Then::Unknown, Then::New),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use std::mem::offset_of;
    use std::path::PathBuf;

    /// Offset, alignment and number of a part.
    type At = (u64, u64, u32);

    fn held(name: &str, size: u64, makeup: Makeup, parts: &[&[At]]) -> Held {
        let one = |(offset, align, ty): &At| Part {
            name: "".into(),
            offset: *offset,
            align: *align,
            ty: HeldId(*ty),
        };
        let parts = parts.iter().map(|list| list.iter().map(one).collect());
        Held {
            name: name.into(),
            size,
            makeup,
            parts: parts.collect(),
            coroutine: None,
        }
    }

    fn of(size: usize, align: u64) -> Extent {
        let size = size as u64;
        Extent { size, align }
    }

    /// What becomes of the last of these types, with today's size, if the first one changes.
    fn resized(list: Vec<Held>, align: u64, new: Extent) -> Resized {
        let mut types = Coroutines::default();
        types.types = list;
        let last = types.types.len() - 1;
        let today = of(types.types[last].size as usize, align);
        fn contains(types: &Coroutines, id: HeldId) -> bool {
            // The first part of each has it.
            let ty = types.get(id);
            id == HeldId(0)
                || ty
                    .parts
                    .iter()
                    .any(|l| l.first().is_some_and(|p| contains(types, p.ty)))
        }
        let change = |_: HeldId| Resized::To(new);
        Resizing {
            calculator: &Calculator::new(&Project::of_root(PathBuf::new())),
            types: &types,
            change: &change,
            contains: &|id| contains(&types, id),
        }
        .of(HeldId(last as u32), today)
    }

    /// A future of that many bytes.
    fn future(size: u64) -> Held {
        let mut future = held("f", size, Makeup::Struct, &[]);
        future.coroutine = Some(crate::census::dwarf::coroutines::Coroutine {
            align: 8,
            pointer: 8,
            path: "f".into(),
            arguments: "".into(),
            states: Vec::new(),
        });
        future
    }

    fn address() -> Held {
        held(
            "&u8",
            8,
            Makeup::Scalar(Some((1, u128::from(u64::MAX)))),
            &[],
        )
    }

    #[test]
    fn tuples_have_one_order() {
        type Of<const N: usize> = ([u64; N], &'static u8);
        let tag = offset_of!(Of<2>, 1) as u64;
        let list = vec![
            future(16),
            address(),
            held("(f, &u8)", 24, Makeup::Struct, &[&[(0, 8, 0), (tag, 8, 1)]]),
            held("Some", 24, Makeup::Struct, &[&[(0, 8, 2)]]),
            held("None", 24, Makeup::Struct, &[&[]]),
            held(
                "Option",
                24,
                Makeup::Enum(Some((tag, 8))),
                &[&[(0, 8, 3)], &[(0, 8, 4)]],
            ),
        ];
        let new = Resized::To(of(size_of::<Option<Of<4>>>(), 8));
        assert_eq!(resized(list, 8, of(32, 8)), new);
    }

    #[test]
    fn offsets_of_today_say_in_which_order_a_struct_is() {
        #[repr(C)]
        struct Declared<const N: usize>([u64; N], &'static u8, [u64; 2]);
        struct Free<const N: usize>([u64; N], &'static u8, [u64; 2]);
        #[expect(dead_code, reason = "only its size counts")]
        enum Either<T> {
            This(T),
            That([u64; 4]),
        }
        let new = |at: [usize; 3]| {
            let [future_at, address_at, tail] = at.map(|at| at as u64);
            let (is, tag) = (Makeup::Struct, Makeup::Enum(Some((0, 8))));
            let parts: &[At] = &[(future_at, 8, 0), (address_at, 8, 1), (tail, 8, 3)];
            let list = vec![
                future(8),
                address(),
                held("u64", 8, Makeup::Scalar(None), &[]),
                held("[u64; 2]", 16, Makeup::Array(2), &[&[(0, 8, 2)]]),
                held("Three", 32, is, &[parts]),
                held("This", 40, is, &[&[(8, 8, 4)]]),
                held("[u64; 4]", 32, Makeup::Array(4), &[&[(0, 8, 2)]]),
                held("That", 40, is, &[&[(8, 8, 6)]]),
                held("Either", 40, tag, &[&[(0, 8, 5)], &[(0, 8, 7)]]),
            ];
            resized(list, 8, of(24, 8))
        };
        macro_rules! offsets {
            ($of:ty) => {
                [offset_of!($of, 0), offset_of!($of, 1), offset_of!($of, 2)]
            };
        }
        let size = size_of::<Either<Declared<3>>>();
        assert_eq!(new(offsets!(Declared<1>)), Resized::To(of(size, 8)));
        let other = size_of::<Either<Free<3>>>();
        assert_eq!(new(offsets!(Free<1>)), Resized::To(of(other, 8)));
        assert_ne!(size, other);
    }

    #[test]
    fn each_type_is_laid_out_once() {
        let pair = |n: u32| {
            held(
                "Pair",
                8 << n,
                Makeup::Struct,
                &[&[(0, 8, n - 1), (4 << n, 8, n - 1)]],
            )
        };
        let list = std::iter::once(future(8))
            .chain((1..=30).map(pair))
            .collect();
        assert_eq!(resized(list, 8, of(16, 8)), Resized::To(of(16 << 30, 8)));
    }
}
