//! Which types name which others in their fields, and which are recursive.

use super::find::{Named, leads_to};
use crate::lists::Lists;
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The graph of types that name others in their fields.
#[derive(Default)]
pub(super) struct Namers {
    /// Types whose fields name each type, without duplicates.
    of: Lists<ItemId, ItemId>,
    /// The field through which each recursive type leads back to itself, and the type that has it.
    back: FxHashMap<ItemId, (ItemId, Span)>,
}

impl Namers {
    /// Builds the graph from the types that each type names, with the fields.
    pub(super) fn find(db: &Db<'static>, names: &mut FxHashMap<ItemId, Vec<Named>>) -> Namers {
        let mut namers = Namers::default();
        // Sorted, since the order of a map is not deterministic.
        let mut types: Vec<ItemId> = names.keys().copied().collect();
        types.sort_unstable();
        for &from in &types {
            let mut seen = FxHashSet::default();
            for named in names[&from].iter().filter(|n| seen.insert(n.to)) {
                namers.of.add(named.to, from);
            }
        }
        let mut circles = self::circles(&types, names);
        if let_go(db, &types, names, &circles) {
            circles = self::circles(&types, names);
        }
        for &from in &types {
            for named in names[&from].iter().filter(|n| !n.shared) {
                // In a component each type reaches each. Prefer a type's own field if it names
                // itself.
                if circles[&from] == circles[&named.to] {
                    let back = namers.back.entry(named.to).or_insert((from, named.span));
                    if from == named.to && back.0 != from {
                        *back = (from, named.span);
                    }
                }
            }
        }
        namers
    }

    /// Returns the types whose fields name a type.
    pub(super) fn of(&self, item: ItemId) -> &[ItemId] {
        self.of.of(&item)
    }

    /// Returns the field through which a type is recursive, and the type that has it.
    pub(super) fn recursion(&self, item: ItemId) -> Option<(ItemId, Span)> {
        self.back.get(&item).copied()
    }
}

/// Marks what foreign types do not hold, among the edges within components; returns true if there
/// was such an edge. Only these edges are looked at, since that reads the crates of these types.
fn let_go(
    db: &Db<'static>,
    types: &[ItemId],
    names: &mut FxHashMap<ItemId, Vec<Named>>,
    circles: &FxHashMap<ItemId, usize>,
) -> bool {
    let mut any = false;
    for from in types {
        let list = names.get_mut(from).into_iter().flatten();
        for named in list.filter(|n| !n.shared && circles[from] == circles[&n.to]) {
            named.shared = named
                .given
                .is_some_and(|(whole, part)| !leads_to(db, whole, part));
            any |= named.shared;
        }
    }
    any
}

/// Numbers the strongly connected components of the ownership graph (Tarjan's algorithm, without
/// recursion: chains of types may be long).
fn circles(types: &[ItemId], names: &FxHashMap<ItemId, Vec<Named>>) -> FxHashMap<ItemId, usize> {
    /// A type on the stack: its next edge, its own number, and the lowest number reached.
    struct Step {
        item: ItemId,
        next: usize,
        number: usize,
        lowest: usize,
    }
    let mut number = 0;
    let mut numbers: FxHashMap<ItemId, usize> = FxHashMap::default();
    let mut circle: FxHashMap<ItemId, usize> = FxHashMap::default();
    let mut open: Vec<ItemId> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    for &start in types {
        let mut enter = (!numbers.contains_key(&start)).then_some(start);
        loop {
            if let Some(item) = enter.take() {
                number += 1;
                numbers.insert(item, number);
                open.push(item);
                steps.push(Step {
                    item,
                    next: 0,
                    number,
                    lowest: number,
                });
            }
            let Some(step) = steps.last_mut() else {
                break;
            };
            let named = names.get(&step.item).and_then(|list| list.get(step.next));
            if let Some(named) = named {
                step.next += 1;
                match numbers.get(&named.to) {
                    _ if named.shared => {}
                    None => enter = Some(named.to),
                    Some(seen) if !circle.contains_key(&named.to) => {
                        step.lowest = step.lowest.min(*seen);
                    }
                    Some(_) => {}
                }
                continue;
            }
            let (own, lowest) = (step.number, step.lowest);
            if own == lowest {
                while let Some(item) = open.pop() {
                    circle.insert(item, own);
                    if numbers[&item] == own {
                        break;
                    }
                }
            }
            steps.pop();
            if let Some(above) = steps.last_mut() {
                above.lowest = above.lowest.min(lowest);
            }
        }
    }
    // A type that is only named is a component of its own.
    for named in names.values().flatten() {
        let next = circle.len();
        circle.entry(named.to).or_insert(usize::MAX - next);
    }
    circle
}
