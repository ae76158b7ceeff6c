//! Each coroutine of the build with its dump, and which of them hold which.

use super::dump::{self, Dump};
use super::list::{Future, Instance, Unit};
use super::names::{Form, in_dumps};
use super::predict::{self, Changed, Known};
use super::resized::{Resized, Resizing};
use super::wrapper::PASS;
use crate::census::dwarf::coroutines::{Coroutines, HeldId, Makeup};
use crate::coroutines::Number;
use crate::layout::Extent;
use crate::layout::coroutine::Calculator;
use crate::project::Project;
use crate::source::read;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Why a coroutine has no dump.
const UNDUMPED: &str = "the compiler left no readable dump of it";

/// The coroutines of a build.
pub struct Catalog<'b> {
    calculator: Calculator,
    units: &'b [Unit],
    /// Each instance once.
    pub entries: Vec<Entry<'b>>,
    by_name: FxHashMap<(&'b str, u64), usize>,
    /// Of each unit.
    within: Vec<Within>,
    /// Those that some crate has in a box, on the heap beside others, or in an array of several.
    beside_others: FxHashSet<usize>,
}

/// The futures, by their entries, that types are or have in them.
type Within = FxHashMap<HeldId, Vec<usize>>;

/// An instance of a future.
pub struct Entry<'b> {
    /// The future.
    pub future: &'b Future,
    /// The instance.
    pub instance: &'b Instance,
    /// The dump, if it could be read.
    pub dump: Option<Dump>,
    /// The text of the dump before the transformation.
    pub before: String,
    /// What is calculated with it, or why nothing is.
    pub known: Result<Known, &'static str>,
    /// The futures in it by value.
    holds: Vec<Hold>,
    /// The entries that have it in them by value.
    holders: Vec<usize>,
}

/// That a future has another one in it.
#[derive(Clone, Copy, Debug)]
struct Hold {
    part: Changed,
    /// The type of the part.
    ty: HeldId,
}

impl<'b> Catalog<'b> {
    /// Reads the dumps of all futures.
    pub fn of(project: &Project, units: &'b [Unit], futures: &'b [Future]) -> Catalog<'b> {
        let calculator = Calculator::new(project);
        let mut entries = Vec::new();
        let mut by_name = FxHashMap::default();
        for future in futures {
            for instance in &future.instances {
                let (unit, id) = instance.at;
                let ty = units[unit].coroutines.get(id);
                by_name.entry((&*ty.name, ty.size)).or_insert(entries.len());
                entries.push(entry(&calculator, units, future, instance));
            }
        }
        let mut catalog = Catalog {
            calculator,
            units,
            entries,
            by_name,
            within: Vec::new(),
            beside_others: FxHashSet::default(),
        };
        catalog.link();
        catalog
    }

    /// What describes an instance's types.
    pub fn types(&self, entry: &Entry<'_>) -> &'b Coroutines {
        &self.units[entry.instance.at.0].coroutines
    }

    /// The entry for a type of another entry, if that is a future of the list.
    pub fn entry(&self, types: &Coroutines, id: HeldId) -> Option<usize> {
        let ty = types.get(id);
        self.by_name.get(&(&*ty.name, ty.size)).copied()
    }

    /// The new size and alignment of each future if one changes, that one included. `None` is that of
    /// a future that holds one of them in a way that is not calculated.
    pub fn ripple(&self, changed: usize, now: Extent) -> BTreeMap<usize, Option<Extent>> {
        let mut sizes = BTreeMap::from([(changed, Some(now))]);
        let mut open = vec![changed];
        while let Some(at) = open.pop() {
            for &holder in &self.entries[at].holders {
                let new = self.with(&self.entries[holder], &sizes);
                // Futures hold each other by value, so that this ends.
                if holder != changed && sizes.get(&holder) != Some(&new) {
                    sizes.insert(holder, new);
                    open.push(holder);
                }
            }
        }
        sizes
    }

    /// The size of a future that holds some of those that changed.
    fn with(&self, entry: &Entry<'_>, sizes: &BTreeMap<usize, Option<Extent>>) -> Option<Extent> {
        let known = entry.known.as_ref().ok()?;
        let mut changes = Vec::new();
        let types = self.types(entry);
        let within = &self.within[entry.instance.at.0];
        let change = |id: HeldId| match self.entry(types, id).map(|at| sizes.get(&at)) {
            Some(None) => Resized::No,
            Some(Some(Some(new))) => Resized::To(*new),
            // One of a dependency, with one in it that changes, has no dump.
            None | Some(Some(None)) => Resized::Unknown,
        };
        let contains = |id: HeldId| {
            let held = within.get(&id).into_iter().flatten();
            held.into_iter().any(|at| sizes.contains_key(at))
        };
        let resizing = Resizing {
            calculator: &self.calculator,
            types,
            change: &change,
            contains: &contains,
        };
        for hold in &entry.holds {
            let today = match hold.part {
                Changed::Local(at) => known.saved.locals.get(at)?,
                Changed::Upvar(at) => known.saved.upvars.get(at)?,
            };
            match resizing.of(hold.ty, *today) {
                Resized::No => {}
                Resized::Unknown => return None,
                Resized::To(new) => changes.push((hold.part, new)),
            }
        }
        known.with(&self.calculator, &changes)
    }

    /// Whether nothing in the list holds a future.
    pub fn is_root(&self, at: usize) -> bool {
        self.entries[at].holders.is_empty()
    }

    /// The path of the type that stores a future, or one that holds it, on the heap.
    pub fn stored(&self, at: usize) -> Option<&'b str> {
        let own = |at: usize| {
            let entry = &self.entries[at];
            let types = self.types(entry);
            types.stored(entry.instance.at.1)
        };
        self.around(at).into_iter().find_map(own)
    }

    /// Whether a future is the body of `main`.
    pub fn is_of_main(&self, at: usize) -> bool {
        let entry = &self.entries[at];
        let own = self.types(entry).get(entry.instance.at.1);
        let path = own.coroutine.as_ref().map_or("", |c| &*c.path);
        matches!(path.split("::").collect::<Vec<_>>()[..], [_, "main", _])
    }

    /// How many there are of a future at once.
    pub fn number(&self, at: usize) -> Number {
        if self.is_of_main(at) {
            return Number::Main;
        }
        if let Some(path) = self.stored(at) {
            return Number::Stored(path.to_owned());
        }
        // An executor may box what `main` runs.
        let is_few = |at: &usize| {
            self.is_of_main(*at) || !self.is_root(*at) && !self.beside_others.contains(at)
        };
        match self.around(at).iter().all(is_few) {
            true => Number::Few,
            false => Number::Unknown,
        }
    }

    /// A future and those that hold it, from the inside out.
    fn around(&self, at: usize) -> Vec<usize> {
        let mut all = vec![at];
        let mut next = 0;
        while let Some(of) = all.get(next).copied() {
            let holders = self.entries[of].holders.iter();
            let new: Vec<usize> = holders.filter(|h| !all.contains(h)).copied().collect();
            all.extend(new);
            next += 1;
        }
        all
    }

    /// Whether a function may take references: its futures live no longer than their callers', which
    /// await them, and no trait says what it takes.
    pub fn may_borrow(&self, at: usize) -> bool {
        let entry = &self.entries[at];
        let is_free = entry.future.form == Form::Function && !entry.future.path.contains(" as ");
        let awaits = |holder: &usize| {
            let holder = &self.entries[*holder];
            let (types, dump) = (self.types(holder), holder.dump.as_ref());
            holder.holds.iter().all(|hold| {
                let is_it = self.entry(types, hold.ty) == Some(at);
                let name = match hold.part {
                    Changed::Local(saved) => {
                        dump.and_then(|dump| dump.saved[saved].name.as_deref())
                    }
                    Changed::Upvar(_) => None,
                };
                is_it && name == Some("__awaitee") || !self.holds(holder, hold.ty, at)
            })
        };
        is_free
            && !entry.holders.is_empty()
            && entry.holders.iter().all(awaits)
            && self.stored(at).is_none()
    }

    /// Whether a type of an entry is or has a future in it.
    fn holds(&self, of: &Entry<'_>, ty: HeldId, at: usize) -> bool {
        let held = self.within[of.instance.at.0].get(&ty);
        held.is_some_and(|held| held.contains(&at))
    }

    /// Finds out which futures hold which.
    fn link(&mut self) {
        let mut within: Vec<Within> = vec![Within::default(); self.units.len()];
        for at in 0..self.entries.len() {
            let entry = &self.entries[at];
            let types = self.types(entry);
            let known = &mut within[entry.instance.at.0];
            let own = types.get(entry.instance.at.1);
            let mut parts: Vec<(Changed, HeldId)> = Vec::new();
            let upvars = own.parts.first().into_iter().flatten();
            parts.extend(upvars.enumerate().map(|(i, p)| (Changed::Upvar(i), p.ty)));
            match &entry.known {
                Ok(known) => {
                    let locals = known.types.iter().enumerate();
                    let locals = locals.filter_map(|(i, ty)| Some((Changed::Local(i), (*ty)?)));
                    parts.extend(locals);
                }
                // What it is in does not matter where nothing is calculated.
                Err(_) => {
                    let all = own.parts.iter().flatten();
                    parts.extend(all.map(|part| (Changed::Upvar(0), part.ty)));
                }
            }
            let mut holds = Vec::new();
            for (part, ty) in parts {
                let held = self.find(types, ty, known);
                if held.is_empty() {
                    continue;
                }
                holds.push(Hold { part, ty });
                for other in held {
                    let holders = &mut self.entries[other].holders;
                    if !holders.contains(&at) {
                        holders.push(at);
                    }
                }
            }
            self.entries[at].holds = holds;
        }
        for (held, unit) in within.iter().zip(self.units) {
            let types = &unit.coroutines;
            let is_row = |id: &HeldId| matches!(types.get(*id).makeup, Makeup::Array(2..));
            let rows = held.iter().filter(|(id, _)| is_row(id));
            self.beside_others.extend(rows.flat_map(|(_, held)| held));
            let heap = types.all().map(|(id, ..)| id);
            let heap = heap.filter(|id| types.is_boxed(*id) || types.stored(*id).is_some());
            let heap: Vec<usize> = heap.filter_map(|id| self.entry(types, id)).collect();
            self.beside_others.extend(heap);
        }
        self.within = within;
    }

    /// Lists the futures that a type is or has in it.
    fn find(&self, types: &Coroutines, id: HeldId, known: &mut Within) -> Vec<usize> {
        if let Some(found) = known.get(&id) {
            return found.clone();
        }
        // Damaged debug information may go in circles.
        known.insert(id, Vec::new());
        let ty = types.get(id);
        let mut found: Vec<usize> = Vec::new();
        let own = ty.coroutine.as_ref().and_then(|_| self.entry(types, id));
        if let Some(own) = own {
            found.push(own);
        } else {
            let parts = ty.parts.iter().flatten();
            let parts = parts.filter(|part| types.get(part.ty).size > 0);
            found.extend(parts.flat_map(|part| self.find(types, part.ty, known)));
            found.sort_unstable();
            found.dedup();
        }
        known.insert(id, found.clone());
        found
    }

    /// What calculates sizes.
    pub fn calculator(&self) -> &Calculator {
        &self.calculator
    }
}

/// Returns how many coroutines of the selected crates the compiler dumped, but nothing in the build
/// has: generic ones without an instance.
pub fn without_instance(units: &[Unit], is_selected: impl Fn(&str) -> bool) -> usize {
    let all = units.iter().flat_map(|unit| unit.coroutines.all());
    let known: FxHashSet<String> = all.map(|(_, _, of)| dump_name(&of.path)).collect();
    let mut others: FxHashSet<String> = FxHashSet::default();
    for unit in units.iter().filter(|u| is_selected(&u.artifact.package_id)) {
        let folder = unit.artifact.dumps.as_ref().map(std::fs::read_dir);
        let Some(Ok(folder)) = folder else {
            continue;
        };
        for file in folder.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".after.mir") else {
                continue;
            };
            let is_new = !known.contains(name) && !others.contains(name);
            let is_one = |text: String| dump::read(&text).is_some();
            if is_new && read::text(&file.path()).is_ok_and(is_one) {
                others.insert(name.to_owned());
            }
        }
    }
    others.len()
}

/// The name of a coroutine's dump, before the time.
fn dump_name(path: &str) -> String {
    let krate = path.split("::").next().unwrap_or_default();
    format!("{krate}.{}.{PASS}", in_dumps(path))
}

fn entry<'b>(
    calculator: &Calculator,
    units: &[Unit],
    future: &'b Future,
    instance: &'b Instance,
) -> Entry<'b> {
    let (unit, id) = instance.at;
    let types = &units[unit].coroutines;
    let path = types.get(id).coroutine.as_ref().map(|c| &*c.path);
    let path = path.unwrap_or_default();
    let krate = path.split("::").next().unwrap_or_default();
    let name = dump_name(path);
    // A generic one is dumped where it is defined.
    let own = std::iter::once(&units[unit]);
    let others = units.iter().filter(|u| u.artifact.crate_name() == krate);
    let read = own.chain(others).find_map(|unit| {
        let text = |time: &str| {
            let file = format!("{name}.{time}.mir");
            read::text(&unit.artifact.dumps.as_ref()?.join(file)).ok()
        };
        Some((text("after")?, text("before").unwrap_or_default()))
    });
    let (after, before) = read.unwrap_or_default();
    let mut dump = dump::read(&after);
    if let Some(dump) = &mut dump {
        dump.join(&after, &before);
    }
    let known = dump.as_ref().ok_or(UNDUMPED);
    Entry {
        known: known.and_then(|dump| predict::known(calculator, types, id, dump)),
        future,
        instance,
        dump,
        before,
        holds: Vec::new(),
        holders: Vec::new(),
    }
}
