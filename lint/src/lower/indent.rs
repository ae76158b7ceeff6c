//! Guesses from indentation where a delimiter is missing, so that the rest of a broken file is read.

/// A closing delimiter without a partner among this many open groups closes nothing.
pub(super) const FARTHEST: usize = 200;

/// The indentation of the groups that are open, kept only while a broken text is read again.
#[derive(Default)]
pub(super) struct Repair {
    /// For each open group, the column (bytes) at which the line that opened it begins.
    columns: Vec<usize>,
    /// The column at which the present line begins.
    column: usize,
    /// True while the first token of the line is the present one.
    first: bool,
}

impl Repair {
    /// A group opens.
    pub(super) fn opened(&mut self) {
        self.columns.push(self.column);
    }

    /// The present token is dealt with.
    pub(super) fn passed(&mut self) {
        self.first = false;
    }

    /// Only the first `count` groups are still open.
    pub(super) fn closed(&mut self, count: usize) {
        self.columns.truncate(count);
    }

    /// A line begins at this column (bytes) with this text: how many of the open groups it can
    /// lie in.
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

    /// The innermost fitting group whose line begins where this closing brace stands, if the
    /// brace begins its line.
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

/// True for text that hardly anything but an item begins with.
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
