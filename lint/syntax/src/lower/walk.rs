//! Iterates over items, and recovers after text that is not an item or cannot be parsed.

use super::item::{ItemContext, Lower};
use super::marks::Groups;
use super::split::{Head, Word};
use crate::ir::{Item, ItemKind, SyntaxError};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// After more errors than this in one file, faulty items are not searched for the item after them.
const MOST_SEARCHED: usize = 10;

/// Further errors are dropped.
const MOST_ERRORS: usize = 1000;

impl Lower<'_> {
    /// Lowers the items among these tokens.
    pub(super) fn items(&mut self, range: Range<usize>, place: ItemContext) -> Vec<Item> {
        let tokens = self.tokens;
        let mut items = Vec::new();
        let mut i = range.start;
        // Whether an error is already reported for the current text outside of items.
        let mut lost = false;
        while i < range.end {
            if let Some(head) = tokens.item_at(i, range.end) {
                lost = false;
                i = self.item(head, place, &mut items);
            } else {
                if !tokens.punct(i, b';') && !lost {
                    lost = true;
                    self.unexpected(i);
                }
                i = self.past(tokens.after_attrs(i).min(range.end - 1));
            }
        }
        // Items are most of a run's memory, and spare capacity would be a third of it.
        items.shrink_to_fit();
        items
    }

    /// Lowers one item; returns where the next one may begin.
    fn item(&mut self, head: Head, place: ItemContext, items: &mut Vec<Item>) -> usize {
        match self.lower(&head, place, items) {
            Ok(()) => head.end,
            Err(error) => {
                if !self.tokens.broken(head.start..head.end) {
                    self.fail(error);
                }
                self.next_after(&head)
            }
        }
    }

    fn unexpected(&mut self, i: usize) {
        let text: String = self.tokens.str(i).chars().take(20).collect();
        let message = format!("expected an item, found `{text}`");
        self.fail(self.tokens.error(i..i + 1, message));
    }

    pub(super) fn fail(&mut self, error: SyntaxError) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
    }

    /// Returns one past the token, or past the group that it opens.
    fn past(&self, i: usize) -> usize {
        let mate = self.tokens.list[i].mate as usize;
        mate.max(i) + 1
    }

    /// Returns where to continue after a faulty item: at a line inside that looks like the next
    /// item, which means that the end of the faulty one is missing.
    fn next_after(&self, head: &Head) -> usize {
        if self.errors.len() > MOST_SEARCHED {
            return head.end;
        }
        let Some(column) = self.column(head.start) else {
            return head.end;
        };
        let mut i = head.start + 1;
        while i < head.end {
            if self.column(i).is_some_and(|c| c <= column)
                && self.tokens.item_at(i, head.end).is_some()
            {
                return i;
            }
            i = self.past(i);
        }
        head.end
    }

    /// Returns the column (bytes) of a token, if it begins its line.
    fn column(&self, i: usize) -> Option<usize> {
        let start = self.tokens.list[i].start as usize;
        let gap = match i.checked_sub(1) {
            // Searches only the gap before it: a line can be as long as the file.
            Some(before) => self.tokens.list[before].end as usize,
            None => return Some(0),
        };
        let line = self.tokens.text[gap..start].rfind('\n')?;
        Some(start - gap - line - 1)
    }

    /// Lowers the items in a function body, at every position where a statement can begin; those of
    /// each nested block are in an item of their own.
    pub(super) fn statements(&mut self, every_call: bool) -> Vec<Item> {
        let tokens = self.tokens;
        let end = tokens.list.len();
        let macros: FxHashSet<&str> = (0..end)
            .filter(|&i| tokens.word(i, "macro_rules") && tokens.punct(i + 1, b'!'))
            .map(|i| tokens.str(i + 2))
            .collect();
        let whole = match tokens.group(0, b'{') {
            Some(close) if close + 1 == end => 1..close,
            _ => 0..end,
        };
        self.block(whole, every_call, &macros, &Groups::new(tokens))
    }

    fn block(
        &mut self,
        range: Range<usize>,
        every_call: bool,
        macros: &FxHashSet<&str>,
        groups: &Groups,
    ) -> Vec<Item> {
        let tokens = self.tokens;
        let end = range.end;
        let (mut items, mut quiet) = (Vec::new(), Vec::new());
        // The condition of the statement or arm that token `i` is in, and its end in bytes.
        let mut cfg = None;
        let mut i = range.start;
        while i < end {
            cfg = cfg.filter(|(_, end)| tokens.list[i].start < *end);
            if i == range.start || tokens.statement(i) {
                let inner = tokens.after_inner_attrs(i);
                if inner > i {
                    i = inner;
                    continue;
                }
                if let Some(head) = tokens.item_at(i, end) {
                    if head.word != Word::Call || every_call || self.writes_types(&head, macros) {
                        i = self.item(head, ItemContext::Module, &mut items);
                        continue;
                    }
                    if self.is_statement(&head) {
                        i = self.item(head, ItemContext::Module, &mut quiet);
                        continue;
                    }
                }
            }
            let after = tokens.after_attrs(i);
            if after > i {
                let part = groups.part(i);
                cfg = self.attrs(i..after).cfg.zip(part.map(|part| part.end));
                i = after;
                continue;
            }
            if tokens.list[i].mate as usize > i && tokens.macro_args(i) {
                i = self.past(i);
            } else if let Some(close) = tokens.group(i, b'{')
                && self.deeper()
            {
                let inside = self.block(i + 1..close, every_call, macros, groups);
                self.shallower();
                if !inside.is_empty() {
                    let mut block = Item::block(inside, tokens.span(i..close + 1));
                    if let Some((cfg, _)) = &cfg {
                        block.attrs.restrict(cfg);
                    }
                    items.push(block);
                }
                i = close + 1;
            } else {
                i += 1;
            }
        }
        // The expansion of these calls may shadow names that the items use.
        if !items.is_empty() {
            items.extend(quiet.into_iter().map(|mut item| {
                if let ItemKind::MacroCall(call) = &mut item.kind {
                    call.quiet = true;
                }
                item
            }));
        }
        items
    }

    /// Returns true for a macro call statement that may define a type.
    fn writes_types(&self, head: &Head, macros: &FxHashSet<&str>) -> bool {
        let tokens = self.tokens;
        let Some(open) = head.open else { return false };
        let close = tokens.list[open].mate as usize;
        let defines = tokens.defines(open + 1..close) || macros.contains(tokens.str(open - 2));
        defines && self.is_statement(head)
    }

    /// Returns true for a macro call that is a statement.
    fn is_statement(&self, head: &Head) -> bool {
        let tokens = self.tokens;
        let Some(open) = head.open else { return false };
        let close = tokens.list[open].mate as usize;
        let last = head.end == tokens.list.len();
        head.end > close + 1
            || last
            || tokens.group(open, b'{').is_some()
                && !tokens.punct(head.end, b'.')
                && !tokens.punct(head.end, b'?')
            || tokens.list[head.end].byte == b'}'
    }
}
