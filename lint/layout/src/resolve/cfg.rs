//! `cfg` conditions: decided, or left open over atoms that only a build script knows.

use super::{AtomId, CrateIx, Db, Guard, Res, Unknown};
use crate::ir::{Attrs, Cfg};
use crate::name::Name;
use crate::project::Crate;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A type with more atoms than this is unknown: each doubles the work.
pub const MAX_ATOMS: usize = 6;

/// The atom that says whether the files of a build script's last run still hold: no name of a `cfg`.
const WRITTEN: &str = "what was written";

/// A condition reduced to its open atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// One atom.
    Atom(AtomId),
    /// Negation.
    Not(Arc<Open>),
    /// Conjunction.
    All(Vec<Arc<Open>>),
    /// Disjunction.
    Any(Vec<Arc<Open>>),
}

/// A condition after substitution of all known facts.
pub enum Decided {
    /// True or false.
    Known(bool),
    /// It depends on open atoms.
    Open(Arc<Open>),
}

#[derive(Default)]
pub(crate) struct Atoms {
    ids: FxHashMap<(CrateIx, Name, Option<Name>), AtomId>,
    list: Vec<(CrateIx, Name, Option<Name>)>,
}

impl<'a> Db<'a> {
    /// Evaluates a condition for a crate as far as possible.
    pub fn decide(&self, krate: CrateIx, cfg: &Cfg) -> Decided {
        match cfg {
            Cfg::Known(b) => Decided::Known(*b),
            Cfg::Flag(name) => self.fact(krate, *name, None),
            Cfg::Value(name, value) => self.fact(krate, *name, Some(*value)),
            Cfg::Not(inner) => match self.decide(krate, inner) {
                Decided::Known(b) => Decided::Known(!b),
                Decided::Open(open) => Decided::Open(Arc::new(Open::Not(open))),
            },
            Cfg::All(list) => self.decide_list(krate, list, false),
            Cfg::Any(list) => self.decide_list(krate, list, true),
        }
    }

    /// Evaluates a list; `stop` is the value that decides all of it: `true` for any, `false` for
    /// all.
    fn decide_list(&self, krate: CrateIx, list: &[Cfg], stop: bool) -> Decided {
        let mut open = Vec::new();
        for cfg in list {
            match self.decide(krate, cfg) {
                Decided::Known(b) if b == stop => return Decided::Known(stop),
                Decided::Known(_) => {}
                Decided::Open(o) => open.push(o),
            }
        }
        match open.len() {
            0 => Decided::Known(!stop),
            1 => Decided::Open(open.remove(0)),
            _ if stop => Decided::Open(Arc::new(Open::Any(open))),
            _ => Decided::Open(Arc::new(Open::All(open))),
        }
    }

    fn fact(&self, krate: CrateIx, name: Name, value: Option<Name>) -> Decided {
        let known = match self.krate(krate).id {
            Some(id) => self.project.cfg(id, name, value),
            None => Some(self.project.target.has(name, value)),
        };
        if let Some(b) = known {
            return Decided::Known(b);
        }
        Decided::Open(Arc::new(Open::Atom(self.atom(krate, name, value))))
    }

    fn atom(&self, krate: CrateIx, name: Name, value: Option<Name>) -> AtomId {
        let mut atoms = self.atoms.write();
        let next = AtomId(atoms.list.len() as u32);
        let id = *atoms.ids.entry((krate, name, value)).or_insert(next);
        if id == next {
            atoms.list.push((krate, name, value));
        }
        id
    }

    /// Returns the condition of a set of attributes; `None` if it is false.
    pub fn guard(&self, krate: CrateIx, attrs: &Attrs) -> Option<Guard> {
        let Some(cfg) = &attrs.cfg else {
            return Some(None);
        };
        match self.decide(krate, cfg) {
            Decided::Known(true) => Some(None),
            Decided::Known(false) => None,
            Decided::Open(open) => Some(Some(open)),
        }
    }

    /// Returns true if the condition holds under the current assumptions.
    ///
    /// # Errors
    /// [`Unknown::Atom`] if it depends on an atom without an assumption.
    pub fn holds(&self, guard: &Guard) -> Res<bool> {
        match guard {
            None => Ok(true),
            Some(open) => self.open_holds(open),
        }
    }

    fn open_holds(&self, open: &Open) -> Res<bool> {
        match open {
            Open::Atom(id) => {
                let world = self.walk.world.borrow();
                let assumed = world.iter().find(|(a, _)| a == id).copied();
                drop(world);
                let Some((_, value)) = assumed else {
                    return self.last_value(*id);
                };
                let mut reads = self.walk.reads.borrow_mut();
                if !reads.contains(id) {
                    reads.push(*id);
                }
                Ok(value)
            }
            Open::Not(inner) => Ok(!self.open_holds(inner)?),
            Open::All(list) => self.list_holds(list, false),
            Open::Any(list) => self.list_holds(list, true),
        }
    }

    /// Returns the value that an atom had in a run of the build script that may still hold.
    fn last_value(&self, id: AtomId) -> Res<bool> {
        let (ix, name, value) = self.atoms.read().list[id.0 as usize];
        let krate = self.krate(ix).id.map(|id| self.project.krate(id));
        let said = krate.and_then(Crate::last_said).ok_or(Unknown::Atom(id))?;
        self.doubt(|| self.still_holds(ix), || Unknown::Atom(id))?;
        Ok(name == WRITTEN || said.sets(name, value))
    }

    /// Describes the supposition that the last run of a crate's build script still holds.
    pub(super) fn still_holds(&self, krate: CrateIx) -> Arc<str> {
        let name = self.krate(krate).name;
        format!("the last run of the build script of `{name}` still holds").into()
    }

    /// Returns the condition that the files of a build script's last run are still as it wrote
    /// them, if that is not known.
    pub(super) fn written_last(&self, krate: CrateIx) -> Arc<Open> {
        Arc::new(Open::Atom(self.atom(krate, Name::new(WRITTEN), None)))
    }

    fn list_holds(&self, list: &[Arc<Open>], stop: bool) -> Res<bool> {
        let mut unknown = None;
        for open in list {
            match self.open_holds(open) {
                Ok(b) if b == stop => return Ok(stop),
                Ok(_) => {}
                Err(e) => unknown = Some(e),
            }
        }
        unknown.map_or(Ok(!stop), Err)
    }

    /// Evaluates the condition of attributes under the current assumptions.
    ///
    /// # Errors
    /// [`Unknown::Atom`] if it depends on an atom without an assumption.
    pub fn present(&self, krate: CrateIx, attrs: &Attrs) -> Res<bool> {
        match &attrs.cfg {
            None => Ok(true),
            Some(cfg) => self.cfg_holds(krate, cfg),
        }
    }

    /// Evaluates a condition under the current assumptions.
    ///
    /// # Errors
    /// [`Unknown::Atom`] if it depends on an atom without an assumption.
    pub fn cfg_holds(&self, krate: CrateIx, cfg: &Cfg) -> Res<bool> {
        match self.decide(krate, cfg) {
            Decided::Known(b) => Ok(b),
            Decided::Open(open) => self.open_holds(&open),
        }
    }

    /// Returns the number of atoms currently assumed.
    pub fn assumed(&self) -> usize {
        self.walk.world.borrow().len()
    }

    /// Returns true if this atom is currently assumed.
    pub fn is_assumed(&self, atom: AtomId) -> bool {
        self.walk.world.borrow().iter().any(|(a, _)| *a == atom)
    }

    /// Runs `f` under one more assumption.
    pub fn assume<T>(&self, atom: AtomId, value: bool, f: impl FnOnce() -> T) -> T {
        self.walk.world.borrow_mut().push((atom, value));
        self.walk.looking.changed();
        let result = f();
        self.walk.looking.changed();
        self.walk.world.borrow_mut().pop();
        self.walk.reads.borrow_mut().retain(|a| *a != atom);
        result
    }

    /// Records that a cached answer depends on these.
    pub(super) fn note_cfgs(&self, cfgs: &[(AtomId, bool)]) {
        if cfgs.is_empty() {
            return;
        }
        let mut reads = self.walk.reads.borrow_mut();
        for (atom, _) in cfgs {
            if !reads.contains(atom) {
                reads.push(*atom);
            }
        }
    }

    /// Describes an atom: `cfg(name)` and the crate that sets it.
    pub fn atom_text(&self, atom: AtomId) -> String {
        let (krate, name, value) = self.atoms.read().list[atom.0 as usize];
        let krate = self.krate(krate);
        let cfg = match value {
            Some(value) => format!("cfg({name} = \"{value}\")"),
            None => format!("cfg({name})"),
        };
        let script = match name == WRITTEN {
            true => format!("{WRITTEN} by the build script of `{}`", krate.name),
            false if name == "feature" && !self.project.missing.is_empty() => {
                return format!(
                    "{cfg} of `{}`, which a package that is not fetched may enable",
                    krate.name
                );
            }
            false => format!("{cfg}, set by the build script of `{}`", krate.name),
        };
        let project = krate.id.map(|id| self.project.krate(id));
        match project.and_then(Crate::script_ran) {
            Some(ran) => format!("{script}, {ran}"),
            None => script,
        }
    }
}
