//! Which nodes of a graph nothing would lead to without another: dominators, and components.

use std::collections::BinaryHeap;

/// A node that there is none of.
pub const NOWHERE: u32 = u32::MAX;

/// A graph whose edges have labels.
#[derive(Debug)]
pub struct Graph {
    /// Of each node, where its edges begin; one more for the end.
    first: Vec<u32>,
    /// Target and label.
    edges: Vec<(u32, u32)>,
}

impl Graph {
    /// A graph of so many nodes with these edges: from, to, label.
    pub fn new(nodes: usize, edges: &[(u32, u32, u32)]) -> Graph {
        let mut first = vec![0; nodes + 1];
        for &(from, ..) in edges {
            first[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut sorted = vec![(0, 0); edges.len()];
        for &(from, to, label) in edges {
            let at = &mut next[from as usize];
            sorted[*at as usize] = (to, label);
            *at += 1;
        }
        Graph {
            first,
            edges: sorted,
        }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// Targets and labels of the edges of a node.
    pub fn after(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.edges[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// Whether each node is reached from these by edges with such labels.
    pub fn reached(
        &self,
        from: impl IntoIterator<Item = u32>,
        is_followed: impl Fn(u32) -> bool,
    ) -> Vec<bool> {
        let mut reached = vec![false; self.nodes()];
        let mut todo: Vec<u32> = from.into_iter().collect();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            let next = self.after(node).iter();
            todo.extend(next.filter(|(_, label)| is_followed(*label)).map(|e| e.0));
        }
        reached
    }

    /// The nodes that a few reach by way of those that are left, which then are not left.
    pub fn few_reached(&self, from: &[u32], left: &mut [bool]) -> Vec<u32> {
        let mut reached = Vec::new();
        let mut todo = from.to_vec();
        while let Some(node) = todo.pop() {
            if std::mem::take(&mut left[node as usize]) {
                reached.push(node);
                todo.extend(self.after(node).iter().map(|edge| edge.0));
            }
        }
        reached
    }

    /// The nodes that a root reaches, each after the one that it was reached from, and of no node
    /// before all that it reaches.
    fn order(&self, root: u32) -> Vec<u32> {
        let mut seen = vec![false; self.nodes()];
        let (mut order, mut stack) = (Vec::new(), vec![(root, 0)]);
        seen[root as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            match self.after(*node).get(*next) {
                Some(&(to, _)) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// The dominator tree of what a root reaches, each node after its dominator: the node, and the
    /// last other that all ways to it lead through. The root is its own. As Cooper, Harvey and
    /// Kennedy, "A Simple, Fast Dominance Algorithm".
    pub fn dominators(&self, root: u32) -> Vec<(u32, u32)> {
        let order = self.order(root);
        // Nodes are numbered in that order from here on.
        let mut place = vec![NOWHERE; self.nodes()];
        for (at, node) in order.iter().enumerate() {
            place[*node as usize] = at as u32;
        }
        let edges = order.iter().enumerate().flat_map(|(at, node)| {
            let after = self.after(*node).iter();
            after.map(|(to, _)| (*to, at as u32)).collect::<Vec<_>>()
        });
        let edges: Vec<_> = edges.map(|(to, at)| (place[to as usize], at, 0)).collect();
        let before = Graph::new(order.len(), &edges);
        let mut dominator = vec![NOWHERE; order.len()];
        dominator[0] = 0;
        let mut open = BinaryHeap::new();
        loop {
            let mut is_changed = false;
            for node in 1..order.len() as u32 {
                let known = before.after(node).iter().map(|edge| edge.0);
                open.extend(known.filter(|at| dominator[*at as usize] != NOWHERE));
                // A dominator has a smaller number. Each is met once, however many ways lead to it.
                let mut found = NOWHERE;
                while let Some(last) = open.pop() {
                    while open.peek() == Some(&last) {
                        open.pop();
                    }
                    match open.is_empty() {
                        true => found = last,
                        false => open.push(dominator[last as usize]),
                    }
                }
                is_changed |= std::mem::replace(&mut dominator[node as usize], found) != found;
            }
            if !is_changed {
                break;
            }
        }
        let pairs = order.iter().zip(&dominator);
        pairs
            .map(|(node, by)| (*node, order[*by as usize]))
            .collect()
    }

    /// The components of some nodes, in which each reaches each other: of each node its component's
    /// number, and how many there are. As Tarjan's. Others have [`NOWHERE`].
    pub fn components(&self, is_one: &[bool]) -> (Vec<u32>, u32) {
        let mut number = vec![NOWHERE; self.nodes()];
        let (mut low, mut component) = (number.clone(), number.clone());
        let (mut open, mut calls, mut next, mut found) = (Vec::new(), Vec::new(), 0, 0);
        for start in (0..self.nodes() as u32).filter(|n| is_one[*n as usize]) {
            if number[start as usize] != NOWHERE {
                continue;
            }
            calls.push((start, 0));
            while let Some((node, at)) = calls.pop() {
                let own = node as usize;
                if at == 0 {
                    (number[own], low[own]) = (next, next);
                    next += 1;
                    open.push(node);
                }
                match self.after(node).get(at) {
                    Some(&(to, _)) => {
                        calls.push((node, at + 1));
                        let to_number = number[to as usize];
                        if !is_one[to as usize] {
                        } else if to_number == NOWHERE {
                            calls.push((to, 0));
                        } else if component[to as usize] == NOWHERE {
                            low[own] = low[own].min(to_number);
                        }
                    }
                    None => {
                        if low[own] == number[own] {
                            while let Some(last) = open.pop() {
                                component[last as usize] = found;
                                if last == node {
                                    break;
                                }
                            }
                            found += 1;
                        }
                        if let Some((caller, _)) = calls.last() {
                            let caller = *caller as usize;
                            low[caller] = low[caller].min(low[own]);
                        }
                    }
                }
            }
        }
        (component, found)
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, NOWHERE};

    /// Graphs of up to 40 nodes, whose shapes differ.
    fn graphs() -> impl Iterator<Item = Graph> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = move |n: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % u64::from(n)) as u32
        };
        (0..2000).map(move |_| {
            let nodes = 1 + below(40);
            let edges = below(nodes * 3 + 1);
            let edges: Vec<_> = (0..edges)
                .map(|_| (below(nodes), below(nodes), below(5)))
                .collect();
            Graph::new(nodes as usize, &edges)
        })
    }

    /// What a root reaches without passing a node.
    fn without(graph: &Graph, node: Option<u32>) -> Vec<bool> {
        let mut reached = vec![false; graph.nodes()];
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            if Some(at) != node && !reached[at as usize] {
                reached[at as usize] = true;
                todo.extend(graph.after(at).iter().map(|edge| edge.0));
            }
        }
        reached
    }

    #[test]
    fn what_a_node_dominates_is_what_is_not_reached_without_it() {
        for graph in graphs() {
            let dominators = graph.dominators(0);
            let mut kept = vec![0; graph.nodes()];
            for (node, by) in dominators.iter().rev() {
                kept[*node as usize] += 1;
                if node != by {
                    kept[*by as usize] += kept[*node as usize];
                }
            }
            let whole = without(&graph, None).iter().filter(|r| **r).count();
            assert_eq!(dominators.len(), whole);
            for (node, _) in dominators {
                let left = without(&graph, Some(node)).iter().filter(|r| **r).count();
                assert_eq!(kept[node as usize], whole - left, "{node} of {graph:?}");
            }
        }
    }

    /// A list whose nodes all hold the same block.
    #[test]
    fn what_a_long_list_shares_is_found_at_once() {
        let nodes = 200_000;
        let next = (1..nodes).map(|node| (node - 1, node, 0));
        let shared = (1..nodes).map(|node| (node, nodes, 0));
        let edges: Vec<_> = next.chain(shared).collect();
        let dominators = Graph::new(nodes as usize + 1, &edges).dominators(0);
        assert!(dominators.contains(&(nodes, 1)));
        assert_eq!(dominators.len(), nodes as usize + 1);
    }

    #[test]
    fn a_component_is_what_reaches_each_other() {
        for graph in graphs() {
            let some: Vec<bool> = (0..graph.nodes()).map(|n| n % 7 != 3).collect();
            let (component, number) = graph.components(&some);
            let of: Vec<Vec<bool>> = (0..graph.nodes() as u32)
                .map(|from| {
                    let mut reached = vec![false; graph.nodes()];
                    let mut todo = vec![from];
                    while let Some(at) = todo.pop() {
                        if some[at as usize] && !std::mem::replace(&mut reached[at as usize], true)
                        {
                            todo.extend(graph.after(at).iter().map(|edge| edge.0));
                        }
                    }
                    reached
                })
                .collect();
            for a in 0..graph.nodes() {
                assert_eq!(component[a] == NOWHERE, !some[a]);
                assert!(component[a] == NOWHERE || component[a] < number);
                for b in (0..graph.nodes()).filter(|b| some[a] && some[*b]) {
                    let same = of[a][b] && of[b][a];
                    assert_eq!(component[a] == component[b], same, "{a} {b} of {graph:?}");
                }
            }
        }
    }
}
