//! What keeps the blocks of the heap alive: paths of owners, what would go without each, and cycles
//! that nothing leads to.

use super::parts;
use super::{LeakCount, PathCount};
use crate::graph::{Graph, NOWHERE};
use crate::image::{narrow, word};
use crate::plan::{NO_OWNER, Owner};
use crate::rules;
use crate::types::TypeId;
use crate::walk::{ROOT, State, Walk};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Paths that keep less than this part of the heap are not listed: a thousandth.
const LEAST: u64 = 1000;

/// The most paths that are listed.
const PATHS: usize = 2000;

/// The first so many fields by size, of which it is found out what would go without them.
const FIELDS: usize = 30;

/// The heap as a graph: blocks, then roots, then what is above all of them.
pub(super) struct Kept<'w> {
    walk: &'w Walk<'w, 'w>,
    graph: Graph,
    top: u32,
    /// Whether nothing leads to each node.
    lost: Vec<bool>,
    /// Cycles that nothing leads to, each a list of blocks.
    cycles: Vec<Vec<u32>>,
    /// How many links lead to each block.
    links: Vec<u32>,
}

/// The label of edges from the top.
const BARE: u32 = NO_OWNER.0;

impl<'w> Kept<'w> {
    pub(super) fn new(walk: &'w Walk<'w, 'w>) -> Kept<'w> {
        let blocks = walk.image.blocks.len() as u32;
        let roots = walk.links.roots.len() as u32;
        let top = blocks + roots;
        let node = |from: u32| match from >= ROOT {
            true => blocks + (from - ROOT),
            false => from,
        };
        let links = walk.links.list.iter();
        let mut edges: Vec<(u32, u32, u32)> = links
            .map(|link| (node(link.from), link.to, link.owner.0))
            .collect();
        let mut to = vec![0; blocks as usize];
        for (_, block, _) in &edges {
            to[*block as usize] += 1;
        }
        let named = walk.links.roots.iter();
        edges.extend(
            (blocks..top)
                .zip(named)
                .map(|(root, owner)| (top, root, owner.0)),
        );
        let alone = (0..blocks).filter(|block| to[*block as usize] == 0);
        edges.extend(alone.map(|block| (top, block, BARE)));
        let nodes = top as usize + 1;
        let graph = Graph::new(nodes, &edges);
        let mut lost: Vec<bool> = graph.reached([top], |_| true);
        lost.iter_mut().for_each(|reached| *reached = !*reached);
        if !lost.contains(&true) {
            return Kept {
                walk,
                graph,
                top,
                lost,
                cycles: Vec::new(),
                links: to,
            };
        }
        // What leads to itself alone, and what that leads to.
        let (component, number) = graph.components(&lost);
        let mut is_first = vec![true; number as usize];
        for (from, target, _) in &edges {
            let (from, target) = (component[*from as usize], component[*target as usize]);
            if from != target && from != NOWHERE && target != NOWHERE {
                is_first[target as usize] = false;
            }
        }
        let mut cycles: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (block, own) in component.iter().enumerate() {
            if *own != NOWHERE && is_first[*own as usize] {
                cycles.entry(*own).or_default().push(block as u32);
            }
        }
        let cycles: Vec<Vec<u32>> = cycles.into_values().collect();
        edges.extend(cycles.iter().flatten().map(|block| (top, *block, BARE)));
        Kept {
            walk,
            graph: Graph::new(nodes, &edges),
            top,
            lost,
            cycles,
            links: to,
        }
    }

    fn size(&self, node: u32) -> u64 {
        let block = self.walk.image.blocks.get(node as usize);
        block.map_or(0, |block| block.size)
    }

    /// The type of a block, and the field that has it.
    fn held(&self, node: u32) -> Option<(TypeId, Owner)> {
        match self.walk.found.states.get(node as usize)? {
            State::Held(ty, _, owner) => Some((ty, owner)),
            State::Made(site) if site.sure => Some((site.ty, NO_OWNER)),
            _ => None,
        }
    }

    /// Bytes that would go without all containers of each of these fields.
    pub(super) fn without(&self, fields: &[Owner]) -> FxHashMap<Owner, u64> {
        let is_dropped = |owner: Owner, label: u32| label == owner.0 && label != BARE;
        let left = |owner: Owner| {
            let reached = self
                .graph
                .reached([self.top], |label| !is_dropped(owner, label));
            let gone = reached.iter().enumerate().filter(|(_, r)| !**r);
            gone.map(|(node, _)| self.size(node as u32)).sum()
        };
        let first = fields.iter().take(FIELDS);
        first.map(|owner| (*owner, left(*owner))).collect()
    }

    /// The paths of owners that lead to the blocks, those that keep the most first.
    pub(super) fn paths(&self) -> Vec<PathCount> {
        let mut label = vec![BARE; self.graph.nodes()];
        for link in &self.walk.links.list {
            let own = &mut label[link.to as usize];
            *own = if *own == BARE { link.owner.0 } else { *own };
        }
        let mut tree = Tree::default();
        let mut place = vec![NOWHERE; self.graph.nodes()];
        let mut is_root = FxHashSet::default();
        let blocks = self.walk.image.blocks.len() as u32;
        for (node, by) in self.graph.dominators(self.top) {
            if node == self.top {
                continue;
            }
            let above = place[by as usize];
            if node >= blocks {
                let owner = self.walk.links.roots[(node - blocks) as usize];
                place[node as usize] = tree.below(NOWHERE, Label::Owner(owner));
                is_root.insert(place[node as usize]);
                continue;
            }
            let held = self.held(node);
            let owner = match label[node as usize] {
                BARE => held.map_or(NO_OWNER, |(_, owner)| owner),
                owner => Owner(owner),
            };
            let own = match (owner, held) {
                (NO_OWNER, _) if is_root.contains(&above) => above,
                (NO_OWNER, Some((ty, _))) => tree.below(above, Label::Type(ty)),
                (NO_OWNER, None) => tree.below(above, Label::Nothing),
                (owner, _) if by == self.top => {
                    let above = match self.links[node as usize] {
                        0 => Label::Weak,
                        1 => Label::Unseen,
                        _ => Label::Several,
                    };
                    let alone = tree.below(NOWHERE, above);
                    tree.below(alone, Label::Owner(owner))
                }
                (owner, _) => tree.below(above, Label::Owner(owner)),
            };
            place[node as usize] = own;
            let size = self.size(node);
            let own = &mut tree.list[own as usize];
            own.blocks += 1;
            own.bytes += size;
            own.largest = own.largest.max(size);
            own.ty = own.ty.or(held.map(|(ty, _)| ty));
        }
        for link in &self.walk.links.list {
            let own = &mut tree.list[place[link.to as usize] as usize];
            *own.owners.entry(link.owner).or_default() += 1;
        }
        self.named(tree)
    }

    fn named(&self, mut tree: Tree) -> Vec<PathCount> {
        let walk = self.walk;
        for at in (0..tree.list.len()).rev() {
            tree.list[at].kept += tree.list[at].bytes;
            if let Some(above) = tree.list.get(at).map(|own| own.above as usize)
                && above < tree.list.len()
            {
                tree.list[above].kept += tree.list[at].kept;
            }
        }
        let live: u64 = walk.image.blocks.iter().map(|block| block.size).sum();
        let name = |own: &Own| match own.label {
            Label::Owner(owner) => parts::owner(walk, owner),
            Label::Type(ty) => walk.plans.types[ty].name.to_string(),
            Label::Nothing => "no type".to_owned(),
            Label::Several => "several owners".to_owned(),
            Label::Unseen => "nothing but itself".to_owned(),
            Label::Weak => "weak owners alone".to_owned(),
        };
        let mut list: Vec<PathCount> = Vec::new();
        for own in tree
            .list
            .iter()
            .filter(|own| own.kept > 0 && own.kept >= live / LEAST)
        {
            let mut path = vec![name(own)];
            let mut above = own.above;
            while let Some(next) = tree.list.get(above as usize) {
                path.push(name(next));
                above = next.above;
            }
            path.reverse();
            list.push(PathCount {
                path,
                ty: own
                    .ty
                    .map_or_else(String::new, |ty| walk.plans.types[ty].name.to_string()),
                blocks: own.blocks,
                bytes: own.bytes,
                kept_bytes: own.kept,
                largest: own.largest,
                owners: match own.owners.len() {
                    0 | 1 => BTreeMap::new(),
                    _ => own
                        .owners
                        .iter()
                        .map(|(o, n)| (parts::owner(walk, *o), *n))
                        .collect(),
                },
            });
        }
        list.sort_by(|a, b| b.kept_bytes.cmp(&a.kept_bytes).then(a.path.cmp(&b.path)));
        list.truncate(PATHS);
        list
    }

    /// Cycles of shared blocks that nothing leads to, by what they are of: each of these blocks has
    /// as many owners as it says, and all of them were found in the cycle. With each counts what is
    /// lost with it, unless it is counted with another already.
    pub(super) fn leaks(&self) -> Vec<LeakCount> {
        let mut all: BTreeMap<(String, Vec<String>), LeakCount> = BTreeMap::new();
        let mut left = self.lost.clone();
        for cycle in &self.cycles {
            let counted = cycle.iter().filter_map(|block| self.owners_said(*block));
            let mut said: Vec<(TypeId, bool)> = counted.collect();
            if said.is_empty() || said.iter().any(|(_, fits)| !fits) {
                continue;
            }
            said.sort_unstable();
            let inside: FxHashSet<u32> = cycle.iter().copied().collect();
            let within = cycle.iter().flat_map(|block| self.graph.after(*block));
            let owners: BTreeSet<String> = within
                .filter(|(to, label)| inside.contains(to) && *label != BARE)
                .map(|(_, label)| parts::owner(self.walk, Owner(*label)))
                .collect();
            let reached = self.graph.few_reached(cycle, &mut left);
            let bytes: u64 = reached.iter().map(|block| self.size(*block)).sum();
            let ty = self.walk.plans.types[said[0].0].name.to_string();
            let owners: Vec<String> = owners.into_iter().collect();
            let leak = all
                .entry((ty.clone(), owners.clone()))
                .or_insert(LeakCount {
                    ty,
                    owners,
                    ..LeakCount::default()
                });
            leak.cycles += 1;
            leak.blocks += reached.len() as u64;
            leak.bytes += bytes;
        }
        let mut list: Vec<LeakCount> = all.into_values().collect();
        list.sort_by_key(|leak| std::cmp::Reverse(leak.bytes));
        list
    }

    /// The type of a shared block, and whether it has as many owners as links.
    fn owners_said(&self, block: u32) -> Option<(TypeId, bool)> {
        let State::Held(ty, ..) = self.walk.found.states.get(block as usize)? else {
            return None;
        };
        let types = self.walk.plans.types;
        let bytes = self.walk.image.contents(block as usize);
        let links = u64::from(self.links[block as usize]);
        let (count, (_, value)) = rules::counted(types, ty)?;
        let said = match types.base(ty).starts_with("triomphe::") {
            true => narrow(bytes, count, 8),
            false => word(bytes, count as usize),
        };
        Some((value, said > 0 && said == links))
    }
}

/// What leads to blocks, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Label {
    /// A field, static or variable.
    Owner(Owner),
    /// A block of this type of which no owner is known.
    Type(TypeId),
    /// A block of no known type.
    Nothing,
    /// Several owners, none of which leads to all the others.
    Several,
    /// Only what it leads to itself.
    Unseen,
    /// Owners that do not keep it alive, and so have no links.
    Weak,
}

/// A path of labels.
struct Own {
    above: u32,
    label: Label,
    ty: Option<TypeId>,
    blocks: u64,
    bytes: u64,
    kept: u64,
    largest: u64,
    owners: FxHashMap<Owner, u64>,
}

/// All paths, each after the one above it.
#[derive(Default)]
struct Tree {
    list: Vec<Own>,
    known: FxHashMap<(u32, Label), u32>,
}

impl Tree {
    /// The path that goes on with a label: where it has that label already, as of a list whose nodes
    /// lead to each other, that one.
    fn below(&mut self, above: u32, label: Label) -> u32 {
        if let Some(&known) = self.known.get(&(above, label)) {
            return known;
        }
        let mut at = above;
        while let Some(own) = self.list.get(at as usize)
            && own.label != label
        {
            at = own.above;
        }
        let found = match at == NOWHERE {
            false => at,
            true => {
                self.list.push(Own {
                    above,
                    label,
                    ty: None,
                    blocks: 0,
                    bytes: 0,
                    kept: 0,
                    largest: 0,
                    owners: FxHashMap::default(),
                });
                self.list.len() as u32 - 1
            }
        };
        self.known.insert((above, label), found);
        found
    }
}
