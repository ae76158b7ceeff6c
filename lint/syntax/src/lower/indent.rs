//! Guesses the positions of missing delimiters from indentation, so that the rest of a broken file
//! is lowered.

/// How many unclosed groups are searched for the match of a closing delimiter.
pub(super) const FARTHEST: usize = 200;

/// The indentation of the unclosed groups, recorded only in the second pass over a broken text.
#[derive(Default)]
pub(super) struct Repair {
    /// For each unclosed group, the column (bytes) of the line that opened it.
    columns: Vec<usize>,
    /// The column of the current line.
    column: usize,
    /// Whether the current token is the first of its line.
    first: bool,
}

impl Repair {
    /// Records that a group opens.
    pub(super) fn opened(&mut self) {
        self.columns.push(self.column);
    }

    /// Records that the current token is processed.
    pub(super) fn passed(&mut self) {
        self.first = false;
    }

    /// Records that only the first `count` groups remain open.
    pub(super) fn closed(&mut self, count: usize) {
        self.columns.truncate(count);
    }

    /// Begins a line at this column (bytes) with this text; returns how many of the unclosed groups
    /// can contain it.
    pub(super) fn line(&mut self, column: usize, text: &str) -> usize {
        self.column = column;
        self.first = true;
        if !starts_item(text) {
            return self.columns.len();
        }
        self.columns
            .iter()
            .rposition(|&c| c < column)
            .map_or(0, |n| n + 1)
    }

    /// Returns the innermost fitting group whose line has the indentation of this closing brace, if
    /// the brace begins its line.
    pub(super) fn aligned(&self, fits: impl Fn(usize) -> bool) -> Option<usize> {
        if !self.first {
            return None;
        }
        (0..self.columns.len())
            .rev()
            .take(FARTHEST)
            .find(|&n| self.columns[n] == self.column && fits(n))
    }
}

/// Returns true for text that almost always begins an item.
fn starts_item(text: &str) -> bool {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    match &text[..end] {
        "pub" | "fn" | "struct" | "enum" | "impl" | "mod" | "use" | "trait" | "type"
        | "macro_rules" | "extern" => true,
        "const" | "static" | "unsafe" | "async" => text[end..]
            .trim_start()
            .starts_with(|c: char| c.is_alphabetic() || c == '_'),
        "" => text.starts_with("#["),
        _ => false,
    }
}
