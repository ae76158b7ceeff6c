//! Which types name which others in their fields, and which lead back to themselves.

use super::find::Named;
use crate::lists::Lists;
use crate::resolve::ItemId;
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Who names whom.
#[derive(Default)]
pub(super) struct Namers {
    /// By type: those whose fields name it, each once.
    of: Lists<ItemId, ItemId>,
    /// By type: the field through which it leads back to itself, and the type that has it.
    back: FxHashMap<ItemId, (ItemId, Span)>,
}

impl Namers {
    /// From the types that each type names, with the fields.
    pub(super) fn find(names: &FxHashMap<ItemId, Vec<Named>>) -> Namers {
        let mut namers = Namers::default();
        // A map has no order of its own.
        let mut types: Vec<ItemId> = names.keys().copied().collect();
        types.sort_unstable();
        for &from in &types {
            let mut seen = FxHashSet::default();
            for named in names[&from].iter().filter(|n| seen.insert(n.to)) {
                namers.of.add(named.to, from);
            }
        }
        let circles = circles(&types, names);
        for &from in &types {
            for named in names[&from].iter().filter(|n| !n.shared) {
                // Within a circle each leads to each. A type that names itself needs no other.
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

    /// The types whose fields name a type.
    pub(super) fn of(&self, item: ItemId) -> &[ItemId] {
        self.of.of(&item)
    }

    /// The field through which a type leads back to itself, and the type that has it.
    pub(super) fn recursion(&self, item: ItemId) -> Option<(ItemId, Span)> {
        self.back.get(&item).copied()
    }
}

/// A number for each type, the same for those that lead to one another through what they own
/// (Tarjan's strongly connected components, without recursion: chains of types may be long).
fn circles(types: &[ItemId], names: &FxHashMap<ItemId, Vec<Named>>) -> FxHashMap<ItemId, usize> {
    /// A type under way: the next of its names, its own number, and the lowest that it leads to.
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
    // What is only named stands alone.
    for named in names.values().flatten() {
        let next = circle.len();
        circle.entry(named.to).or_insert(usize::MAX - next);
    }
    circle
}
