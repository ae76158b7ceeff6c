//! Each coroutine of the build with its dump, and which of them hold which.

use super::dump::{self, Dump};
use super::list::{Future, Instance, Unit};
use super::names::in_dumps;
use super::predict::{self, Changed, Known};
use super::wrapper::PASS;
use crate::census::dwarf::coroutines::{Coroutines, HeldId};
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
}

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

/// What becomes of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resized {
    /// It stays as it is.
    No,
    /// It changes, but how is not known.
    Unknown,
    To(Extent),
}

/// The new size of a struct or tuple. rustc puts fields in an order without gaps, except for
/// `repr(C)` and for a last field that may be unsized: where those are possible, all must agree.
fn of_struct(today: Extent, before: &[(u64, Extent)], after: &[Extent]) -> Option<Extent> {
    let fields: Vec<Extent> = before.iter().map(|(_, extent)| *extent).collect();
    if packed(&fields) != today {
        return None;
    }
    let new = packed(after);
    let is_in_order = before.is_sorted_by_key(|(offset, _)| *offset);
    let ends_last = before.last().map(|(offset, _)| *offset) == before.iter().map(|b| b.0).max();
    let others = [(is_in_order, declared as Rule), (ends_last, last_apart)];
    let mut others = others.into_iter().filter(|(is_possible, _)| *is_possible);
    others
        .all(|(_, rule)| rule(&fields) != today || rule(after) == new)
        .then_some(new)
}

type Rule = fn(&[Extent]) -> Extent;

/// Size and alignment of fields without gaps between them.
fn packed(fields: &[Extent]) -> Extent {
    let align = fields.iter().map(|f| f.align).max().unwrap_or(1).max(1);
    let size: u64 = fields.iter().map(|f| f.size).sum();
    Extent {
        size: size.next_multiple_of(align),
        align,
    }
}

/// Size and alignment of fields without gaps but before the last one.
fn last_apart(fields: &[Extent]) -> Extent {
    let (last, others) = match fields.split_last() {
        Some((last, others)) => (*last, others),
        None => return packed(fields),
    };
    let start = Extent {
        size: others.iter().map(|f| f.size).sum(),
        align: others.iter().map(|f| f.align).max().unwrap_or(1).max(1),
    };
    declared(&[start, last])
}

/// Size and alignment of fields in the order as declared.
fn declared(fields: &[Extent]) -> Extent {
    let align = fields.iter().map(|f| f.align).max().unwrap_or(1).max(1);
    let put = |at: u64, f: &Extent| at.next_multiple_of(f.align.max(1)) + f.size;
    Extent {
        size: fields.iter().fold(0, put).next_multiple_of(align),
        align,
    }
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
        for hold in &entry.holds {
            let today = match hold.part {
                Changed::Local(at) => known.saved.locals.get(at)?,
                Changed::Upvar(at) => known.saved.upvars.get(at)?,
            };
            match self.resized(types, hold.ty, *today, sizes, 0) {
                Resized::No => {}
                Resized::Unknown => return None,
                Resized::To(new) => changes.push((hold.part, new)),
            }
        }
        known.with(&self.calculator, &changes)
    }

    /// The new size of a type that may have some of those that changed in it.
    fn resized(
        &self,
        types: &Coroutines,
        id: HeldId,
        today: Extent,
        sizes: &BTreeMap<usize, Option<Extent>>,
        depth: u32,
    ) -> Resized {
        let ty = types.get(id);
        if ty.coroutine.is_some() {
            let new = self.entry(types, id).and_then(|at| sizes.get(&at));
            return match new {
                None => Resized::No,
                Some(None) => Resized::Unknown,
                Some(Some(new)) => Resized::To(*new),
            };
        }
        let mut is_changed = false;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for part in ty.parts.iter().flatten() {
            let extent = Extent {
                size: types.get(part.ty).size,
                align: part.align,
            };
            let new = match depth {
                0..32 => self.resized(types, part.ty, extent, sizes, depth + 1),
                _ => Resized::Unknown,
            };
            is_changed |= new != Resized::No;
            before.push((part.offset, extent));
            after.push(match new {
                Resized::No => extent,
                Resized::To(new) => new,
                Resized::Unknown => return Resized::Unknown,
            });
        }
        match is_changed {
            false => Resized::No,
            // Where the tag of an enum is, and what is in a union, is not known.
            true if ty.parts.len() > 1 => Resized::Unknown,
            true => of_struct(today, &before, &after).map_or(Resized::Unknown, Resized::To),
        }
    }

    /// Whether nothing in the list holds a future.
    pub fn is_root(&self, at: usize) -> bool {
        self.entries[at].holders.is_empty()
    }

    /// Finds out which futures hold which.
    fn link(&mut self) {
        for at in 0..self.entries.len() {
            let entry = &self.entries[at];
            let types = self.types(entry);
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
            let mut held = Vec::new();
            for (part, ty) in parts {
                let before = held.len();
                self.within(types, ty, 0, &mut held);
                if held.len() > before {
                    holds.push(Hold { part, ty });
                }
            }
            for other in held {
                let holders = &mut self.entries[other].holders;
                if !holders.contains(&at) {
                    holders.push(at);
                }
            }
            self.entries[at].holds = holds;
        }
    }

    /// Lists the futures that a type is or has in it.
    fn within(&self, types: &Coroutines, id: HeldId, depth: u32, found: &mut Vec<usize>) {
        let ty = types.get(id);
        if ty.coroutine.is_some() {
            found.extend(self.entry(types, id));
            return;
        }
        for part in ty.parts.iter().flatten() {
            if depth < 32 && types.get(part.ty).size > 0 {
                self.within(types, part.ty, depth + 1, found);
            }
        }
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
