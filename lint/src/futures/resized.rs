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
    /// A type has not the size of today, or the tag, with the guess.
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
        let calculator = self.of.calculator;
        let parts: Vec<&Part> = ty.parts.iter().flatten().collect();
        let mut list = self.parts(&parts, unused, depth)?;
        let sized = |part: &&&Part| self.of.types.get(part.ty).size > 0;
        let alone = match parts.iter().filter(sized).collect::<Vec<_>>()[..] {
            [alone] => Some(self.of.types.get(alone.ty)),
            _ => None,
        };
        // Fat pointers are structs, and the address in them has no name.
        if let [first, ..] = &mut list[..]
            && !ty.name.starts_with('*')
            && let address = self.of.types.get(parts[0].ty)
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
        // Tuples have one order, which is known.
        let orders = match ty.name.starts_with('(') {
            true => &[Order::LastApart][..],
            false => &Order::ALL,
        };
        let mut found: Option<Both> = None;
        for &order in orders {
            let both = list.make(|list| laid(list, order));
            let Some(both) = both.filter(|both| both.now.extent() == today) else {
                continue;
            };
            let Some(known) = &mut found else {
                found = Some(both);
                continue;
            };
            // Each order may be the one that it has: all must agree. An enum around it tells apart
            // those with unused values at other places.
            if let (Then::New(a), Then::New(b)) = (&known.then, &both.then)
                && (a.extent() != b.extent()
                    || unused && known.now.is_like(&both.now) && !a.is_like(b))
            {
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
    use std::path::PathBuf;

    fn held(name: &str, size: u64, makeup: Makeup, parts: &[&[(u64, u32)]]) -> Held {
        let one = |(align, ty): &(u64, u32)| Part {
            name: "".into(),
            offset: 0,
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
        let tag = std::mem::offset_of!(Of<2>, 1) as u64;
        let list = vec![
            future(16),
            address(),
            held("(f, &u8)", 24, Makeup::Struct, &[&[(8, 0), (8, 1)]]),
            held("Some", 24, Makeup::Struct, &[&[(8, 2)]]),
            held("None", 24, Makeup::Struct, &[&[]]),
            held(
                "Option",
                24,
                Makeup::Enum(Some((tag, 8))),
                &[&[(8, 3)], &[(8, 4)]],
            ),
        ];
        let new = Resized::To(of(size_of::<Option<Of<4>>>(), 8));
        assert_eq!(resized(list, 8, of(32, 8)), new);
    }

    #[test]
    fn each_type_is_laid_out_once() {
        let pair = |n: u32| held("Pair", 8 << n, Makeup::Struct, &[&[(8, n - 1), (8, n - 1)]]);
        let list = std::iter::once(future(8))
            .chain((1..=30).map(pair))
            .collect();
        assert_eq!(resized(list, 8, of(16, 8)), Resized::To(of(16 << 30, 8)));
    }
}
