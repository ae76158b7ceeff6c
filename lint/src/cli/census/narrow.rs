//! Wraps lines.

/// The least width for the text after numbers and bars.
const LEAST: usize = 36;

/// The indentation of a continued line without columns.
const INDENT: usize = 4;

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
    use super::lines;

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
