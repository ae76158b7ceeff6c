//! The boxes that give most: ranked by what the largest future around loses.

use super::catalog::Catalog;
use super::list::FileLine;
use super::source::Sources;
use super::why::{self, Means};
use std::cmp::Reverse;

/// A box at an await, or around a variable.
#[derive(Clone, Debug)]
pub struct Best {
    /// The entry of the future that awaits.
    pub entry: usize,
    /// The awaited expression, as written, or the name of a variable.
    pub expression: String,
    /// Whether it is a variable.
    pub is_variable: bool,
    /// Where it is awaited or declared.
    pub place: Option<FileLine>,
    /// The future that loses most: its entry, size, and size with the box.
    pub loses: (usize, u64, u64),
}

/// Lists all boxes that make a future smaller, the best first. Of futures that hold each other, what
/// the outermost one loses counts, as far as that is calculated.
pub fn boxes(catalog: &Catalog<'_>, sources: &Sources<'_>) -> Vec<Best> {
    let mut list = Vec::new();
    for (at, entry) in catalog.entries.iter().enumerate() {
        let largest = entry.instance == entry.future.largest();
        if !largest || entry.known.is_err() {
            continue;
        }
        let awaits = why::step_of(catalog, sources, at).awaits;
        let variables = why::remedies(catalog, sources, at, &awaits);
        let variables = variables
            .into_iter()
            .filter_map(|remedy| match remedy.means {
                Means::Box(piece) => Some((piece.name, true, piece.place, remedy.now)),
                _ => None,
            });
        let awaited = awaits.into_iter().filter_map(|of| {
            let (boxed, expression) = of.boxed.zip(of.expression)?;
            Some((expression, false, of.place, boxed))
        });
        for (expression, is_variable, place, boxed) in awaited.chain(variables) {
            let sizes = catalog.ripple(at, boxed).into_iter();
            let known = sizes.filter_map(|(other, now)| {
                let size = catalog.entries[other].instance.size;
                Some((other, size, now?.size))
            });
            let lost = |(other, before, after): &(usize, u64, u64)| {
                (catalog.is_root(*other), before.saturating_sub(*after))
            };
            let loses = known.filter(|k| k.2 < k.1).max_by_key(lost);
            list.extend(loses.map(|loses| Best {
                entry: at,
                expression,
                is_variable,
                place,
                loses,
            }));
        }
    }
    list.sort_by_key(|best| {
        let lost = best.loses.1 - best.loses.2;
        (Reverse(lost), best.place.clone(), best.entry)
    });
    list
}
