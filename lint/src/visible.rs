//! Escapes untrusted text for output: no invisible character, and nothing that a terminal, a log or
//! a page interprets.
//!
//! Names, paths, source lines, manifests, baselines and snapshots are untrusted. A control
//! character in them could move the cursor, a bidirectional mark could reverse a line, and a line
//! end could start a line that a CI service takes for a command.

use std::borrow::Cow;
use std::fmt::Write;

/// True for control characters, bidirectional marks, line ends and invisible characters. The
/// joiners of scripts and emoji (U+200C, U+200D) are not hidden.
#[inline]
fn is_hidden(c: char) -> bool {
    // All output passes here, and nearly all of it is ASCII.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Appends the escape sequence of a character in a Rust literal.
fn push_escape(text: &mut String, c: char) {
    match c {
        '\n' | '\r' | '\t' => text.extend(c.escape_default()),
        _ => text.extend(c.escape_unicode()),
    }
}

/// A name or a path, on one line.
pub fn line(text: &str) -> Cow<'_, str> {
    with(text, |_| false)
}

/// Text of several lines, none of which is a command for a CI service.
pub fn text(text: &str) -> Cow<'_, str> {
    match with(text, |c| c == '\n' || c == '\t') {
        Cow::Borrowed(text) => without_commands(text),
        Cow::Owned(text) => Cow::Owned(without_commands(&text).into_owned()),
    }
}

/// Workflow commands for GitHub, one a line.
pub fn commands(text: &str) -> Cow<'_, str> {
    with(text, |c| c == '\n')
}

fn with(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_hidden(c) && !stays(c) {
            true => push_escape(&mut shown, c),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// As [`text`], for our own output: escape sequences for colours stay.
pub fn styled(styled: &str) -> Cow<'_, str> {
    if !styled.contains('\u{1b}') {
        return text(styled);
    }
    let mut shown = String::with_capacity(styled.len());
    let mut rest = styled;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, behind) = rest.split_at(at);
        shown.push_str(&with(before, |c| c == '\n' || c == '\t'));
        let sequence = colour(behind);
        match sequence {
            0 => push_escape(&mut shown, '\u{1b}'),
            _ => shown.push_str(&behind[..sequence]),
        }
        rest = &behind[sequence.max(1)..];
    }
    shown.push_str(&with(rest, |c| c == '\n' || c == '\t'));
    Cow::Owned(without_commands(&shown).into_owned())
}

/// Length in bytes of the colour sequence at the start of a text; 0 without one.
fn colour(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let digits = rest
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b';');
    let end = digits.count();
    match rest.as_bytes().get(end) {
        Some(b'm') => end + 3,
        _ => 0,
    }
}

/// Escapes commands for CI services: GitHub's start a line with `::`, others contain `##vso[` or
/// similar anywhere in a line.
fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for whole in text.split_inclusive('\n') {
        let start = begin(whole);
        let mut rest = whole;
        if whole[start..].starts_with("::") {
            shown.push_str(&whole[..start]);
            shown.push_str("\\u{3a}");
            rest = &whole[start + 1..];
        }
        while let Some(at) = rest.find("##") {
            let (before, behind) = rest.split_at(at + 1);
            shown.push_str(before);
            match is_command(&behind[1..]) {
                true => shown.push_str("\\u{23}"),
                false => shown.push('#'),
            }
            rest = &behind[1..];
        }
        shown.push_str(rest);
    }
    Cow::Owned(shown)
}

/// True if the text after `##` makes it a command.
fn is_command(text: &str) -> bool {
    let word = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    text[word..].starts_with('[')
}

/// Offset of the first character of a line after blanks and colour sequences.
fn begin(line: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let blank = rest.len() - rest.trim_start().len();
        match blank + colour(&rest[blank..]) {
            0 => return at,
            n => at += n,
        }
    }
}

/// A JSON document with the same meaning: hidden characters, which occur only in strings, are
/// written as JSON escapes.
pub fn json(document: &str) -> Cow<'_, str> {
    let is_open = |c: char| c.is_ascii_control() && c != '\u{7f}';
    let has_command = document.contains("##");
    if !has_command && !document.chars().any(|c| is_hidden(c) && !is_open(c)) {
        return Cow::Borrowed(document);
    }
    let mut shown = String::with_capacity(document.len() + 16);
    let mut before = ' ';
    for c in document.chars() {
        match c {
            // Some log viewers take `##[` for a command.
            '#' if before == '#' => shown.push_str("\\u0023"),
            _ if is_hidden(c) && !is_open(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(shown, "\\u{unit:04x}");
                }
            }
            _ => shown.push(c),
        }
        before = c;
    }
    Cow::Owned(shown)
}

/// Prose in Markdown with code between backticks: text outside of the backticks is escaped.
pub fn markdown(text: &str) -> String {
    prose(text, false)
}

/// As [`markdown`], in a table cell.
pub fn cell(text: &str) -> String {
    prose(text, true)
}

fn prose(text: &str, in_table: bool) -> String {
    let text = line(text);
    let mut shown = String::with_capacity(text.len() + 16);
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        match is_code && !is_last {
            true if part.is_empty() => shown.push_str("\\`\\`"),
            true => {
                let part = piped(part, in_table);
                let _ = write!(shown, "`{part}`");
            }
            false => {
                // An unpaired last backtick.
                if is_code {
                    shown.push_str("\\`");
                }
                let mut before = ' ';
                let mut chars = part.chars().peekable();
                while let Some(c) = chars.next() {
                    let next = chars.peek().is_some_and(|c| c.is_alphanumeric());
                    // The underscore in `x86_64` is not emphasis.
                    let in_word = c == '_' && before.is_alphanumeric() && next;
                    if "\\*_[]<>|~&!#".contains(c) && !in_word {
                        shown.push('\\');
                    }
                    shown.push(c);
                    before = c;
                }
            }
        }
        is_code = !is_code;
    }
    shown
}

/// A name as code in Markdown.
pub fn code(text: &str) -> String {
    fenced(text, false)
}

/// As [`code`], in a table cell.
pub fn code_cell(text: &str) -> String {
    fenced(text, true)
}

fn fenced(text: &str, in_table: bool) -> String {
    let text = line(text);
    let runs = text.split(|c| c != '`').map(str::len);
    let longest = runs.max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", piped(&text, in_table))
}

/// Escapes `|` in a table cell: cells are split before code spans are recognized.
fn piped(code: &str, in_table: bool) -> Cow<'_, str> {
    match in_table && code.contains('|') {
        true => Cow::Owned(code.replace('|', "\\|")),
        false => Cow::Borrowed(code),
    }
}

/// An escaped text with a map of offsets between the stored and the shown text. Line ends and tabs
/// stay.
#[derive(Debug)]
pub struct Shown {
    /// The text as shown.
    pub text: String,
    /// Start and end of each escape in the stored, then in the shown text; in bytes.
    escapes: Vec<[(usize, usize); 2]>,
}

impl Shown {
    /// `None` if nothing needs an escape.
    pub fn of(stored: &str) -> Option<Shown> {
        let mut chars = stored.char_indices().peekable();
        let mut shown = Shown {
            text: String::new(),
            escapes: Vec::new(),
        };
        let mut copied = 0;
        while let Some((at, c)) = chars.next() {
            let stays = match c {
                '\n' | '\t' => true,
                '\r' => chars.peek().is_some_and(|(_, next)| *next == '\n'),
                '\u{feff}' => at == 0,
                // The writer would escape it on output, which would shift the columns after it.
                '#' => !(stored[..at].ends_with('#') && is_command(&stored[at + 1..])),
                _ => !is_hidden(c),
            };
            if stays {
                continue;
            }
            shown.text.push_str(&stored[copied..at]);
            let start = shown.text.len();
            push_escape(&mut shown.text, c);
            copied = at + c.len_utf8();
            let ends = [(at, copied), (start, shown.text.len())];
            shown.escapes.push(ends);
        }
        shown.text.push_str(&stored[copied..]);
        (!shown.escapes.is_empty()).then_some(shown)
    }

    /// The offset in the shown text of an offset in the stored text.
    pub fn shown(&self, at: usize) -> usize {
        self.moved(at, 0, 1)
    }

    /// The offset in the stored text of an offset in the shown text.
    pub fn stored(&self, at: usize) -> usize {
        self.moved(at, 1, 0)
    }

    fn moved(&self, at: usize, from: usize, to: usize) -> usize {
        let before = self.escapes.partition_point(|ends| ends[from].0 < at);
        let Some(last) = before.checked_sub(1).map(|i| self.escapes[i]) else {
            return at;
        };
        match at < last[from].1 {
            true => last[to].0,
            false => last[to].1 + (at - last[from].1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "a\u{1b}[8mb\u{202e}c\u{7f}\u{9b}d\ne\tf\u{2028}g\r\u{e0041}";

    #[test]
    fn nothing_is_hidden() {
        let hidden = |text: &str| text.chars().any(is_hidden);
        assert!(!hidden(&line(ODD)));
        assert_eq!(line("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(text("a\nb\u{1b}\tc"), "a\nb\\u{1b}\tc");
        assert_eq!(line("é🦀 👩‍💻 名前"), "é🦀 👩‍💻 名前");
        assert!(matches!(line("plain"), Cow::Borrowed(_)));
        // Escaping is idempotent.
        assert_eq!(text(&text(ODD)), text(ODD));
    }

    #[test]
    fn colours_of_ours_stay() {
        let own = "\u{1b}[1m\u{1b}[31merror\u{1b}[0m: x\u{1b}[2Jy\u{1b}]0;t\u{7}\n";
        let shown = styled(own);
        assert!(
            shown.starts_with("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: x\\u{1b}[2Jy\\u{1b}]0;t\\u{7}")
        );
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(
            text("::error::x\n  ::y\na::b"),
            "\\u{3a}:error::x\n  \\u{3a}:y\na::b"
        );
        assert_eq!(
            styled("\u{1b}[1m::x\u{1b}[0m"),
            "\u{1b}[1m\\u{3a}:x\u{1b}[0m"
        );
        assert_eq!(
            text("a ##[x] ##vso[y] ###z ##"),
            "a #\\u{23}[x] #\\u{23}vso[y] ###z ##"
        );
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({ "a": format!("{ODD}##[error]"), "b\u{202e}": [1] });
        let document = format!("{value}\n{value}\n");
        let shown = json(&document);
        assert!(!shown.chars().any(|c| is_hidden(c) && c != '\n') && !shown.contains("##"));
        for line in shown.lines() {
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(line).unwrap(),
                value
            );
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(
            markdown("a `b|c<d>` <e> [f](g)|"),
            "a `b|c<d>` \\<e\\> \\[f\\](g)\\|"
        );
        assert_eq!(cell("a `b|c`\n|"), "a `b\\|c`\\\\n\\|");
        // A name with a backtick ends the code early; the rest is escaped.
        assert_eq!(markdown("`x`<img>` y"), "`x`\\<img\\>\\` y");
        assert_eq!(markdown("``<b>"), "\\`\\`\\<b\\>");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("a|b"), "`a|b`");
        assert_eq!(code_cell("a|b\n"), "`a\\|b\\n`");
    }

    #[test]
    fn places_are_found_in_both() {
        let stored = "é\u{202e}x\u{0}\r\ny\rz";
        let shown = Shown::of(stored).unwrap();
        assert_eq!(shown.text, "é\\u{202e}x\\u{0}\r\ny\\rz");
        for name in ["é", "x", "y", "z"] {
            let (a, b) = (stored.find(name).unwrap(), shown.text.find(name).unwrap());
            // Escapes contain none of these letters.
            assert_eq!((shown.shown(a), shown.stored(b)), (b, a), "{name}");
        }
        assert_eq!(shown.shown(stored.len()), shown.text.len());
        assert!(Shown::of("\u{feff}a\r\n\tb").is_none());
    }
}
