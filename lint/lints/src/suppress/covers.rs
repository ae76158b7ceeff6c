//! An index of byte ranges in one text, for queries of the ranges that contain a position.

use std::ops::Range;

/// Numbered ranges. The time of a query depends on the ranges that it finds, not on all.
#[derive(Debug, Default)]
pub(super) struct Covers {
    /// Start and number of each range, by start.
    starts: Vec<(u32, u32)>,
    /// A binary tree over `starts`: the largest end below each node. The root is at 1, the children
    /// of a node `n` are at `2 * n` and `2 * n + 1`.
    ends: Vec<u32>,
}

impl Covers {
    /// Indexes ranges, numbered in their order.
    pub(super) fn new<'r>(ranges: impl Iterator<Item = &'r Range<u32>>) -> Covers {
        let mut all: Vec<_> = (0..)
            .zip(ranges)
            .map(|(n, r)| (r.start, n, r.end))
            .collect();
        all.sort_unstable();
        let leaves = all.len().next_power_of_two();
        let mut ends = vec![0; 2 * leaves];
        for (at, (.., end)) in all.iter().enumerate() {
            ends[leaves + at] = *end;
        }
        for node in (1..leaves).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        let starts = all.into_iter().map(|(start, n, _)| (start, n)).collect();
        Covers { starts, ends }
    }

    /// Returns the numbers of the ranges that contain this one, ascending.
    pub(super) fn around(&self, inner: &Range<u32>) -> Vec<usize> {
        let first = self
            .starts
            .partition_point(|(start, _)| *start <= inner.start);
        let leaves = self.ends.len() / 2;
        let mut found = Vec::new();
        // Nodes with the first leaf below each, and the number of leaves.
        let mut nodes = vec![(1, 0, leaves)];
        while let Some((node, leaf, count)) = nodes.pop() {
            if leaf >= first || self.ends[node] < inner.end {
                continue;
            }
            if count == 1 {
                found.push(self.starts[leaf].1 as usize);
            } else {
                nodes.push((2 * node, leaf, count / 2));
                nodes.push((2 * node + 1, leaf + count / 2, count / 2));
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_a_search_through_all_finds() {
        let mut state = 7_u32;
        let mut below = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % n
        };
        for count in [0, 1, 2, 3, 50, 64, 200] {
            let mut range = || {
                let start = below(60);
                start..start + below(30)
            };
            let ranges: Vec<_> = (0..count).map(|_| range()).collect();
            let index = Covers::new(ranges.iter());
            for _ in 0..200 {
                let inner = range();
                let contains = |r: &&Range<u32>| r.start <= inner.start && inner.end <= r.end;
                let all: Vec<_> = (0..count).filter(|n| contains(&&ranges[*n])).collect();
                assert_eq!(index.around(&inner), all, "{inner:?} in {ranges:?}");
            }
        }
    }
}
