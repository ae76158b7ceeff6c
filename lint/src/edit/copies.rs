//! In how many places ends up what an author wrote once, and macros copy.

use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What macros wrote, by the text that their calls stand in.
pub(super) struct Copies(FxHashMap<FileId, Vec<Arc<SourceFile>>>);

impl Copies {
    /// Those of calls in files that may be quoted.
    pub(super) fn find(sources: &Sources) -> Copies {
        let mut by_text: FxHashMap<FileId, Vec<Arc<SourceFile>>> = FxHashMap::default();
        for file in sources.of_macros() {
            if let Some(expansion) = &file.expansion
                && !sources.about(expansion.root.file).is_foreign
            {
                by_text.entry(expansion.call.file).or_default().push(file);
            }
        }
        Copies(by_text)
    }

    /// True for a place that macros copy to more than one.
    pub(super) fn are_several(&self, span: Span) -> bool {
        self.count(span.file, span.start, 2) > 1
    }

    /// The copies of a byte, no more than so many.
    fn count(&self, file: FileId, at: u32, most: usize) -> usize {
        let around = |f: &&Arc<SourceFile>| {
            let expansion = f.expansion.as_ref();
            expansion.is_some_and(|e| e.call.start <= at && at < e.call.end)
        };
        let calls = self.0.get(&file).into_iter().flatten().filter(around);
        // A file that is a part of several targets has its macros expanded in each.
        let copies = calls.map(|text| {
            let mut found = 0;
            for piece in text.expansion.iter().flat_map(|e| &e.pieces) {
                let of = piece.from.file == file && piece.from.range().contains(&(at as usize));
                if of && piece.from_args && found < most {
                    let copy = piece.at + (at - piece.from.start);
                    found += self.count(text.id, copy, most - found);
                }
            }
            found
        });
        copies.max().unwrap_or(1)
    }
}
