//! Evidence of what multiplies each type, the clearest first.

use crate::finding::Evidence;
use crate::resolve::ItemId;
use crate::span::Span;
use rustc_hash::FxHashMap;

/// Maximum number of pieces of evidence per type.
const MOST: usize = 3;

/// Evidence of what multiplies each type.
#[derive(Default)]
pub(super) struct Shown(FxHashMap<ItemId, One>);

#[derive(Default)]
struct One {
    list: Vec<Evidence>,
    /// How many at the front have the type itself as the element.
    elements: usize,
}

impl Shown {
    /// Adds a place, if it is new. Places with the type itself as the element come before those
    /// with it as a part of one. Calls `text` only if the place is stored.
    pub(super) fn add(
        &mut self,
        item: ItemId,
        is_element: bool,
        span: Option<Span>,
        text: impl FnOnce() -> String,
    ) {
        let one = self.0.entry(item).or_default();
        let at = match is_element {
            true => one.elements,
            false => one.list.len(),
        };
        if at >= MOST || one.list.iter().any(|e| e.span == span) {
            return;
        }
        let text = text();
        one.list.insert(at, Evidence { span, text });
        one.elements += usize::from(is_element);
        one.list.truncate(MOST);
    }

    /// Returns the evidence for a type.
    pub(super) fn of(&self, item: ItemId) -> &[Evidence] {
        self.0.get(&item).map_or(&[], |one| &one.list)
    }
}
