//! Variants whose alignment makes every value of an enum larger: `u128` and the like.

use super::{BoxOf, Boxing, Trial};
use std::cmp::Reverse;

/// A type with a larger alignment (bytes) than this is rarer than any pointer.
const WORD: u64 = 8;

impl Trial<'_> {
    /// Returns the boxings that save most: of the widest variants, or of the most aligned one.
    pub(super) fn search(&self) -> Vec<Boxing> {
        let widest = self.of_widest();
        match (self.over_aligned(), widest.first()) {
            (Some(aligned), Some(best)) if aligned.size < best.size => vec![aligned],
            (Some(aligned), None) => vec![aligned],
            _ => widest,
        }
    }

    /// Boxes the one variant with a larger alignment than all others, if it is worth it: however
    /// small its block is, all others are padded because of it.
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
        let aligned = (0..fields.len()).filter(|&f| fields[f].align == align(first));
        let boxes = match aligned.collect::<Vec<_>>() {
            fields if fields.len() == 1 => vec![BoxOf {
                variant: first,
                fields,
            }],
            _ => vec![self.whole(first)],
        };
        let size = self.size(&boxes)?;
        let worth = self.thresholds.worth(self.view.size, size);
        worth.then_some(Boxing {
            boxes,
            size,
            variants: 1,
        })
    }
}
