//! What a future would be with something in it changed: calculated only for a future whose size of
//! today the calculation reproduces.

use super::dump::Dump;
use crate::census::dwarf::coroutines::{Coroutines, HeldId, Part};
use crate::layout::Extent;
use crate::layout::coroutine::{Saved, coroutine};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// A coroutine that can be calculated.
#[derive(Clone, Debug)]
pub struct Known {
    /// What it saves, with sizes.
    pub saved: Saved,
    /// The types of the variables that are saved.
    pub types: Vec<HeldId>,
}

/// Joins debug information and dump of a coroutine, and calculates its size.
///
/// # Errors
/// Says why there is no prediction.
pub fn known(
    target: &Target,
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
    let all = found.iter().zip(&dump.saved);
    let all = all.map(|(found, saved)| found.or_else(|| by_type.get(&*saved.ty).copied()));
    let all: Option<Vec<(Extent, HeldId)>> = all.collect();
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
    match coroutine(target, &saved) {
        Some(calculated) if calculated == today => Ok(Known {
            saved,
            types: all.into_iter().map(|(_, ty)| ty).collect(),
        }),
        _ => Err("its size of today is not what the calculation gives"),
    }
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
    pub fn with(&self, target: &Target, changes: &[(Changed, Extent)]) -> Option<Extent> {
        let mut saved = self.saved.clone();
        for (part, extent) in changes {
            let place = match *part {
                Changed::Local(at) => saved.locals.get_mut(at)?,
                Changed::Upvar(at) => saved.upvars.get_mut(at)?,
            };
            *place = *extent;
        }
        coroutine(target, &saved)
    }

    /// The size without some variables.
    pub fn without(&self, target: &Target, gone: &[usize]) -> Option<Extent> {
        let kept: Vec<usize> = (0..self.saved.locals.len())
            .filter(|local| !gone.contains(local))
            .collect();
        let new = |old: &usize| kept.iter().position(|kept| kept == old);
        let saved = Saved {
            upvars: self.saved.upvars.clone(),
            locals: kept.iter().map(|old| self.saved.locals[*old]).collect(),
            states: {
                let states = self.saved.states.iter();
                states.map(|s| s.iter().filter_map(new).collect()).collect()
            },
            conflicts: {
                let pairs = self.saved.conflicts.iter();
                let pairs = pairs.filter_map(|(a, b)| Some((new(a)?, new(b)?)));
                pairs.collect()
            },
        };
        coroutine(target, &saved)
    }
}
