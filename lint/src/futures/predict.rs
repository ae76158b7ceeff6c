//! What a future would be with something in it changed: calculated only for a future whose size of
//! today the calculation reproduces.

use super::dump::Dump;
use super::names::in_dumps;
use crate::census::dwarf::coroutines::{Coroutines, HeldId, Part};
use crate::layout::Extent;
use crate::layout::coroutine::{Calculator, Saved};
use rustc_hash::FxHashMap;

/// A coroutine that can be calculated.
#[derive(Clone, Debug)]
pub struct Known {
    /// What it saves, with sizes.
    pub saved: Saved,
    /// The types of the variables that are saved, as far as debug information has them.
    pub types: Vec<Option<HeldId>>,
}

/// Joins debug information and dump of a coroutine, and calculates its size.
///
/// # Errors
/// Says why there is no prediction.
pub fn known(
    calculator: &Calculator,
    coroutines: &Coroutines,
    id: HeldId,
    dump: &Dump,
) -> Result<Known, &'static str> {
    let ty = coroutines.get(id);
    let of = ty.coroutine.as_ref().ok_or("it is no coroutine")?;
    let upvars = ty.parts.first().ok_or("debug information has no states")?;
    if ty.parts.len() != dump.states.len() {
        return Err("the compiler's dump has other states than debug information");
    }
    let extent = |part: &Part| Extent {
        size: coroutines.get(part.ty).size,
        align: part.align,
    };
    let mut found: Vec<Option<(Extent, HeldId)>> = vec![None; dump.saved.len()];
    for (parts, locals) in ty.parts.iter().zip(&dump.states) {
        if parts.len() != locals.len() + upvars.len() {
            return Err("the compiler's dump has other variables than debug information");
        }
        for (at, (part, local)) in parts.iter().zip(locals).enumerate() {
            // Of members of one name, all are written as the first one.
            if parts[..at].iter().all(|p| p.name != part.name) {
                found[*local].get_or_insert((extent(part), part.ty));
            }
        }
    }
    let by_type: FxHashMap<&str, (Extent, HeldId)> = found
        .iter()
        .zip(&dump.saved)
        .filter_map(|(found, saved)| Some((&*saved.ty, (*found)?)))
        .collect();
    let all = found.iter().zip(&dump.saved).map(|(found, saved)| {
        let found = found.or_else(|| by_type.get(&*saved.ty).copied());
        let known = found.map(|(extent, ty)| (extent, Some(ty)));
        known.or_else(|| written(coroutines, of.pointer, &saved.ty))
    });
    let all: Option<Vec<(Extent, Option<HeldId>)>> = all.collect();
    let all = all.ok_or("debug information merges two variables of one name")?;
    let saved = Saved {
        upvars: upvars.iter().map(extent).collect(),
        locals: all.iter().map(|(extent, _)| *extent).collect(),
        states: dump.states.clone(),
        conflicts: dump.conflicts.clone(),
    };
    let today = Extent {
        size: ty.size,
        align: of.align,
    };
    match calculator.extent(&saved) {
        Some(calculated) if calculated == today => Ok(Known {
            saved,
            types: all.into_iter().map(|(_, ty)| ty).collect(),
        }),
        _ => Err("its size of today is not what the calculation gives"),
    }
}

/// The type that a dump writes so: a number, an array of those, or a coroutine without arguments.
fn written(coroutines: &Coroutines, pointer: u64, text: &str) -> Option<(Extent, Option<HeldId>)> {
    if let Some(text) = text.strip_prefix("Coroutine( DefId(") {
        let (_, path) = text.split_once(" ~ ")?;
        let (path, _) = path.split_once(')')?;
        // `app[b051]::server::leaf::{closure#0}`.
        let (krate, path) = path.split_once('[')?;
        let (_, path) = path.split_once("]::")?;
        let path = path.replace("::", "-");
        let mut same = coroutines.all().filter(|(_, _, of)| {
            let is_krate = of.path.split("::").next() == Some(krate);
            is_krate && of.arguments.is_empty() && in_dumps(&of.path) == path
        });
        let (id, ty, of) = same.next()?;
        let extent = Extent {
            size: ty.size,
            align: of.align,
        };
        return same.next().is_none().then_some((extent, Some(id)));
    }
    let (size, align) = number(pointer, text)?;
    Some((Extent { size, align }, None))
}

/// Size and alignment of a number, or of an array of numbers. Wider ones have an alignment that
/// targets do not agree on.
fn number(pointer: u64, text: &str) -> Option<(u64, u64)> {
    if let Some(text) = text.strip_prefix('[') {
        let (element, count) = text.strip_suffix("_usize]")?.rsplit_once("; ")?;
        let (size, align) = number(pointer, element)?;
        return Some((size.checked_mul(count.parse().ok()?)?, align));
    }
    let size = match text {
        "()" => return Some((0, 1)),
        "u8" | "i8" | "bool" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" | "f32" | "char" => 4,
        "usize" | "isize" => pointer,
        _ => return None,
    };
    Some((size, size))
}

/// A part of a future that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// A saved variable.
    Local(usize),
    /// What is moved in.
    Upvar(usize),
}

impl Known {
    /// The size with other sizes of some parts.
    pub fn with(&self, calculator: &Calculator, changes: &[(Changed, Extent)]) -> Option<Extent> {
        self.saving(calculator, changes, &self.saved.states)
    }

    /// The size without some variables.
    pub fn without(&self, calculator: &Calculator, gone: &[usize]) -> Option<Extent> {
        let kept = |state: &Vec<usize>| {
            let kept = state.iter().filter(|local| !gone.contains(local));
            kept.copied().collect()
        };
        let states: Vec<Vec<usize>> = self.saved.states.iter().map(kept).collect();
        self.saving(calculator, &[], &states)
    }

    /// The size with other sizes of some parts, and other variables in the states.
    pub fn saving(
        &self,
        calculator: &Calculator,
        changes: &[(Changed, Extent)],
        states: &[Vec<usize>],
    ) -> Option<Extent> {
        let mut all = self.saved.clone();
        for (part, extent) in changes {
            let place = match *part {
                Changed::Local(at) => all.locals.get_mut(at)?,
                Changed::Upvar(at) => all.upvars.get_mut(at)?,
            };
            *place = *extent;
        }
        // What is in no state is not saved.
        let is_kept = |local: &usize| states.iter().any(|state| state.contains(local));
        let kept: Vec<usize> = (0..all.locals.len()).filter(is_kept).collect();
        let new = |old: &usize| kept.iter().position(|kept| kept == old);
        let pairs = all.conflicts.iter();
        let pairs = pairs.filter_map(|(a, b)| Some((new(a)?, new(b)?)));
        let saved = Saved {
            upvars: all.upvars,
            locals: kept.iter().map(|old| all.locals[*old]).collect(),
            states: {
                let states = states.iter();
                states.map(|s| s.iter().filter_map(new).collect()).collect()
            },
            conflicts: pairs.collect(),
        };
        calculator.extent(&saved)
    }
}
