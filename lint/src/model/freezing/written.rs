//! The frozen type of a field as its author would write it: with the names that are in scope there.

/// Longer than this a type is shown with parts left out.
const LONGEST: usize = 60;

/// What a text of each kind is in a box.
const TEXTS: &[(&str, &str)] = &[
    ("CString", "CStr"),
    ("OsString", "OsStr"),
    ("PathBuf", "Path"),
    ("String", "str"),
];

/// `Option<Box<[Row]>>` for `Option<Vec<Row>>`: the first type of this name in a box. `None` if there
/// is none by that name, as behind an alias, or if it is long.
pub(super) fn frozen(written: &str, kind: &str) -> Option<String> {
    let words: Vec<&str> = written.split_whitespace().collect();
    let written = words.join(" ");
    let at = word(&written, kind)?;
    let after = at + kind.len();
    let path = path(&written[..at]);
    let (before, prefix) = written[..at].split_at(path);
    let found = match TEXTS.iter().find(|(name, _)| *name == kind) {
        // `str` has no path.
        Some((_, "str")) => format!("{before}Box<str>{}", &written[after..]),
        Some((_, name)) => format!("{before}Box<{prefix}{name}>{}", &written[after..]),
        None => {
            let rest = written[after..].strip_prefix('<')?;
            let end = closing(rest)?;
            format!("{before}Box<[{}]>{}", &rest[..end], &rest[end + 1..])
        }
    };
    (found.len() <= LONGEST).then_some(found)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a word begins, the first time.
fn word(text: &str, word: &str) -> Option<usize> {
    let mut found = text.match_indices(word).map(|(at, _)| at);
    found.find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Where the path at the end of a text begins: `std::vec::`.
fn path(text: &str) -> usize {
    text.trim_end_matches(|c| is_part(c) || c == ':').len()
}

/// Where the angle bracket closes that was open before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::frozen;

    #[test]
    fn the_outermost_is_frozen_and_names_stay_as_written() {
        let cases = [
            ("Vec<Vector>", "Vec", "Box<[Vector]>"),
            (
                "Option<std::vec::Vec<Vec<u8>>>",
                "Vec",
                "Option<Box<[Vec<u8>]>>",
            ),
            ("Vec<fn(A) -> Vec<B>>", "Vec", "Box<[fn(A) -> Vec<B>]>"),
            ("Vec<(A,\n    B)>", "Vec", "Box<[(A, B)]>"),
            ("MyVec<Vec<A>>", "Vec", "MyVec<Box<[A]>>"),
            ("Mutex<string::String>", "String", "Mutex<Box<str>>"),
            (
                "Option<path::PathBuf>",
                "PathBuf",
                "Option<Box<path::Path>>",
            ),
            ("OsString", "OsString", "Box<OsStr>"),
        ];
        for (written, kind, wanted) in cases {
            assert_eq!(frozen(written, kind).as_deref(), Some(wanted), "{written}");
        }
        for written in ["Rows", "Vec", "MyVec<A>", "Vec<A"] {
            assert_eq!(frozen(written, "Vec"), None, "{written}");
        }
        let long = format!("Vec<{}>", "A".repeat(60));
        assert_eq!(frozen(&long, "Vec"), None);
    }
}
