//! What multiplies each type, the plainest first.

use crate::finding::Evidence;
use crate::resolve::ItemId;
use crate::span::Span;
use rustc_hash::FxHashMap;

/// More evidence than this is not kept for one type.
const MOST: usize = 3;

/// By type: what multiplies it.
#[derive(Default)]
pub(super) struct Shown(FxHashMap<ItemId, One>);

#[derive(Default)]
struct One {
    list: Vec<Evidence>,
    /// So many at the front have the type itself as an element.
    elements: usize,
}

impl Shown {
    /// Adds a place, if it is new: those where the type is an element itself come before those where
    /// it is a part of one. What is said there is asked for only where it is kept.
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

    /// What multiplies a type.
    pub(super) fn of(&self, item: ItemId) -> &[Evidence] {
        self.0.get(&item).map_or(&[], |one| &one.list)
    }
}
