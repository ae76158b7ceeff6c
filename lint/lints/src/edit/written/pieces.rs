//! A part of a file with its edits, as text that knows which of its parts are the author's.

use crate::finding::Edit;
use crate::span::{FileId, Span};
use std::ops::Range;

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    /// Where it is in the file; none for an edit.
    old: Option<u32>,
    /// Whether a rule wrote it.
    ruled: bool,
}

/// The text between two places of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    file: FileId,
    range: Range<u32>,
    list: Vec<Piece>,
}

impl Pieces {
    /// Applies sorted edits that lie within a range of a file.
    pub(super) fn new(source: &str, range: Span, edits: &[Edit]) -> Pieces {
        let mut list = Vec::new();
        let mut at = range.start;
        let old = |start: u32, end: u32| Piece {
            text: source[start as usize..end as usize].to_owned(),
            old: Some(start),
            ruled: false,
        };
        for edit in edits {
            list.push(old(at, edit.span.start));
            list.push(Piece {
                text: edit.text.clone(),
                old: None,
                ruled: false,
            });
            at = edit.span.end;
        }
        list.push(old(at, range.end));
        list.retain(|p| !p.text.is_empty());
        Pieces {
            file: range.file,
            range: range.start..range.end,
            list,
        }
    }

    /// Returns the text.
    pub(super) fn text(&self) -> String {
        self.list.iter().map(|p| p.text.as_str()).collect()
    }

    /// Returns true if a part of a range of the text is an edit.
    pub(super) fn is_edited(&self, range: &Range<usize>) -> bool {
        self.part(range).iter().any(|p| p.old.is_none())
    }

    /// Returns true if all of a range of the text is of the edits, as they were.
    pub(super) fn is_of_edits(&self, range: &Range<usize>) -> bool {
        self.part(range).iter().all(|p| p.old.is_none() && !p.ruled)
    }

    /// Returns the place in the file of a range of the text, if nothing in it is edited.
    pub(super) fn old(&self, range: &Range<usize>) -> Option<Span> {
        let mut place: Option<Span> = None;
        for piece in self.part(range) {
            let start = piece.old?;
            let end = start + piece.text.len() as u32;
            place = match place {
                None => Some(Span {
                    file: self.file,
                    start,
                    end,
                }),
                Some(before) if before.end == start => Some(Span { end, ..before }),
                Some(_) => return None,
            };
        }
        place
    }

    /// Returns the pieces of a range of the text.
    fn part(&self, range: &Range<usize>) -> Vec<Piece> {
        let mut at = 0;
        let mut list = Vec::new();
        for piece in &self.list {
            let own = at..at + piece.text.len();
            at = own.end;
            let (start, end) = (own.start.max(range.start), own.end.min(range.end));
            if start < end {
                list.push(Piece {
                    text: piece.text[start - own.start..end - own.start].to_owned(),
                    old: piece.old.map(|old| old + (start - own.start) as u32),
                    ruled: piece.ruled,
                });
            }
        }
        list
    }

    /// Replaces a range of the text by parts of it and other texts.
    pub(super) fn replace(&mut self, range: &Range<usize>, by: &[Part]) {
        let end: usize = self.list.iter().map(|p| p.text.len()).sum();
        let mut list = self.part(&(0..range.start));
        for part in by {
            match part {
                Part::Kept(range) => list.extend(self.part(range)),
                Part::New(text) => list.push(Piece {
                    text: text.clone(),
                    old: None,
                    ruled: true,
                }),
            }
        }
        list.extend(self.part(&(range.end..end)));
        self.list = list;
    }

    /// Returns the edits that make this text.
    pub(super) fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        let (mut at, mut text) = (self.range.start, String::new());
        let mut put = |start: u32, end: u32, text: &mut String| {
            if start < end || !text.is_empty() {
                let span = Span {
                    file: self.file,
                    start,
                    end,
                };
                let text = std::mem::take(text);
                edits.push(Edit { span, text });
            }
        };
        for piece in &self.list {
            match piece.old {
                Some(old) if old >= at => {
                    put(at, old, &mut text);
                    at = old + piece.text.len() as u32;
                }
                // What was moved back is written again.
                _ => text.push_str(&piece.text),
            }
        }
        put(at, self.range.end, &mut text);
        edits
    }
}

/// A part of what replaces a range.
pub(super) enum Part {
    /// A range of the text before.
    Kept(Range<usize>),
    /// A text.
    New(String),
}
