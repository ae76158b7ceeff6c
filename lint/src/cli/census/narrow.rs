//! Shortens names, places and lines.

/// The least width for the text after numbers and bars.
const LEAST: usize = 36;

/// The indentation of a continued line without columns.
const INDENT: usize = 4;

/// Returns a type without the paths of its arguments: `a::b::List<c::d::Item>` as
/// `a::b::List<Item>`.
pub(super) fn name(full: &str) -> String {
    let mut short = String::new();
    let mut depth = 0u32;
    let mut rest = full;
    while let Some(c) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || "_:{}#$".contains(c);
        if is_part(c) {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (path, after) = rest.split_at(end);
            short.push_str(if depth == 0 { path } else { last(path) });
            rest = after;
            continue;
        }
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        short.push(c);
        rest = &rest[c.len_utf8()..];
    }
    short
}

/// Returns the last part of a path, with the one before it for closures and the like.
fn last(path: &str) -> &str {
    let mut ends = path.rmatch_indices("::").map(|(at, _)| at + 2);
    let Some(at) = ends.next() else {
        return path;
    };
    match path[at..].starts_with('{') {
        true => ends.next().map_or(path, |at| &path[at..]),
        false => &path[at..],
    }
}

/// Returns the path of a file of a dependency or of std, without the registry or the root of std.
pub(super) fn place(full: &str) -> &str {
    let after = |start: &str| Some(full.split_once(start)?.1.split_once('/')?.1);
    after("/registry/src/")
        .or_else(|| after("/rustc/"))
        .unwrap_or(full)
}

/// Returns an owner or an allocation site, its place shortened.
pub(super) fn owner(full: &str) -> String {
    match full.rsplit_once(" at ") {
        Some((function, at)) => format!("{} at {}", name(function), place(at)),
        None => name(full),
    }
}

/// Wraps lines at `width`; a continued line starts in the column of the text.
pub(super) fn lines(text: &str, width: usize) -> String {
    let mut narrow = String::new();
    for line in text.lines() {
        let columns = line
            .rmatch_indices("  ")
            .map(|(at, _)| line[..at].chars().count() + 2);
        let words = columns.filter(|at| at + LEAST <= width).max();
        let indent = words.unwrap_or(INDENT);
        let mut used = 0;
        for (at, word) in line.split_inclusive(' ').enumerate() {
            let length = word.trim_end().chars().count();
            if at > 0 && used > indent && used + length > width {
                narrow.truncate(narrow.trim_end().len());
                narrow.push('\n');
                narrow.push_str(&" ".repeat(indent));
                used = indent;
            }
            narrow.push_str(word);
            used += word.chars().count();
        }
        narrow.push('\n');
    }
    narrow
}

#[cfg(test)]
mod tests {
    use super::{lines, name, place};

    #[test]
    fn arguments_lose_their_paths() {
        assert_eq!(name("a::b::List<c::d::Item, u8>"), "a::b::List<Item, u8>");
        assert_eq!(name("(a::B, [c::D; 2])"), "(B, [D; 2])");
        assert_eq!(
            name("a::Of<b::main::{closure_env#0}>"),
            "a::Of<main::{closure_env#0}>"
        );
        assert_eq!(name("static a::b"), "static a::b");
    }

    #[test]
    fn files_of_others_are_named_by_their_package() {
        let registry = "/home/me/.cargo/registry/src/index.crates.io-1/syn-2.0.1/src/a.rs:7";
        assert_eq!(place(registry), "syn-2.0.1/src/a.rs:7");
        assert_eq!(
            place("/rustc/59807/library/alloc/src/a.rs:9"),
            "library/alloc/src/a.rs:9"
        );
        assert_eq!(place("src/main.rs:3"), "src/main.rs:3");
    }

    #[test]
    fn long_lines_go_on_below_their_words() {
        let long = format!("██ 12 kB  {}", "word ".repeat(12));
        let narrow = lines(&long, 50);
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 50),
            "{narrow}"
        );
        assert!(
            narrow
                .lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("          word"))
        );
        assert_eq!(narrow.replace('\n', " ").split_whitespace().count(), 15);
        assert_eq!(lines("short\n\nalso\n", 50), "short\n\nalso\n");
    }
}
