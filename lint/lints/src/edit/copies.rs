//! Counts how often macros duplicate a piece of source text.

use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Macro expansions, by the text that contains their calls.
pub(super) struct Copies(FxHashMap<FileId, Vec<Call>>);

/// One macro call and its expansion.
struct Call {
    text: Arc<SourceFile>,
    /// The range of the call. The calls of a text are sorted by start.
    start: u32,
    end: u32,
    /// The largest end among the calls up to this one.
    ends: u32,
}

impl Copies {
    /// Collects the macro calls of files that may be quoted.
    pub(super) fn find(sources: &Sources) -> Copies {
        let mut by_text: FxHashMap<FileId, Vec<Call>> = FxHashMap::default();
        for file in sources.of_macros() {
            if let Some(expansion) = &file.expansion
                && !sources.about(expansion.root.file).is_foreign()
            {
                let (start, end) = (expansion.call.start, expansion.call.end);
                let calls = by_text.entry(expansion.call.file).or_default();
                calls.push(Call {
                    start,
                    end,
                    ends: end,
                    text: file,
                });
            }
        }
        for calls in by_text.values_mut() {
            calls.sort_by_key(|call| call.start);
            let mut ends = 0;
            for call in calls {
                ends = call.end.max(ends);
                call.ends = ends;
            }
        }
        Copies(by_text)
    }

    /// Returns true if macros duplicate the source text at this place.
    pub(super) fn are_several(&self, span: Span) -> bool {
        self.count(span.file, span.start, 2) > 1
    }

    /// Returns the number of copies of a byte, at most `most`.
    fn count(&self, file: FileId, at: u32, most: usize) -> usize {
        let calls = self.0.get(&file).map_or(&[][..], Vec::as_slice);
        let before = calls.partition_point(|call| call.start <= at);
        let around = calls[..before].iter().rev();
        let around = around.take_while(|call| at < call.ends);
        let around = around.filter(|call| at < call.end).map(|call| &call.text);
        // A file that belongs to several targets has its macros expanded once for each, so the
        // calls are compared, not added up.
        let copies = around.map(|text| {
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
