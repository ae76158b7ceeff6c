//! Variants that make every value of an enum larger by their alignment: `u128` and what is like it.

use super::{BoxOf, Boxing, Trial};
use std::cmp::Reverse;

/// A type that must lie at a multiple of more bytes than this is rarer than any pointer.
const WORD: u64 = 8;

impl Trial<'_> {
    /// The boxings that save most: of the widest variants, or of the one that is aligned to most.
    pub(super) fn search(&self) -> Vec<Boxing> {
        let widest = self.of_widest();
        match (self.over_aligned(), widest.first()) {
            (Some(aligned), Some(best)) if aligned.size < best.size => vec![aligned],
            (Some(aligned), None) => vec![aligned],
            _ => widest,
        }
    }

    /// The box around the one variant that asks for more alignment than all others, if it is worth
    /// it: however small its block is, the others are rounded up for its sake.
    fn over_aligned(&self) -> Option<Boxing> {
        let variants = &self.view.variants;
        let align = |v: usize| {
            let fields = variants[v].fields.iter();
            fields.map(|f| f.align).max().unwrap_or(1)
        };
        let mut order: Vec<usize> = (0..variants.len()).collect();
        order.sort_by_key(|&v| Reverse(align(v)));
        let &[first, second, ..] = &order[..] else {
            return None;
        };
        if align(first) <= WORD || align(second) >= align(first) {
            return None;
        }
        let fields = &variants[first].fields;
        let fields = (0..fields.len()).filter(|&f| fields[f].align == align(first));
        let boxes = vec![BoxOf {
            variant: first,
            fields: fields.collect(),
        }];
        let size = self.size(&boxes)?;
        let worth = self.thresholds.worth(self.view.size, size);
        worth.then_some(Boxing {
            boxes,
            size,
            variants: 1,
        })
    }
}
