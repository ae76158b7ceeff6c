//! Assertions about the size of a changed type: they would fail after the change.

use super::{Editor, Work, key};
use crate::finding::Change;
use crate::name::Name;

/// The function that returns a size.
pub(super) const ASKS: &[&str] = &["size_of"];

impl Editor<'_> {
    /// Returns the names of the types that are changed.
    fn names(&self, changes: &[Change]) -> Vec<Name> {
        let db = self.model.db;
        let places = changes.iter().flat_map(Change::fields);
        let ids = places.filter_map(|span| self.fields.get(&key(self.model, span)));
        let mut names: Vec<Name> = ids.flatten().map(|id| db.item(id.adt).item.name).collect();
        names.sort_by_key(|name| name.as_str());
        names.dedup();
        names
    }
}

impl Work<'_> {
    /// Reports assertions about the size of a type with such a name.
    pub(super) fn stated(&mut self, changes: &[Change]) {
        let editor = self.editor;
        let names = editor.names(changes);
        for span in editor.words().named(editor, ASKS) {
            let tokens = editor.files.get(&editor.model.db.sources, span.file);
            let at = tokens.at(span.start);
            // `size_of::<a::Name>`
            let path = (at + 4..).take_while(|&i| !matches!(tokens.str(i), ">" | "<" | ""));
            let last = path.last().map_or("", |i| tokens.str(i));
            if !names.iter().any(|name| *name == last) {
                continue;
            }
            let mut groups = std::iter::successors(tokens.outer(at), |&o| tokens.outer(o));
            let asserted = groups
                .any(|o| o >= 2 && tokens.is(o - 1, b'!') && tokens.str(o - 2).contains("assert"));
            if asserted {
                self.leave(span, "asserts its size");
            }
        }
    }
}
