//! Names as users type them: with wildcards or typos.

/// Returns true if a name matches a pattern of cargo's `-p` and `--bin`: `*`, `?`, `[a-c]`.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    match glob::Pattern::new(pattern) {
        Ok(pattern) => pattern.matches(text),
        Err(_) => pattern == text,
    }
}

/// Returns `; did you mean …?` with the nearest of `names`, or an empty text if none is near.
pub fn did_you_mean<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    let near = names
        .map(|name| (distance(wrong, name), name))
        .filter(|&(distance, name)| distance <= wrong.len().max(name.len()).max(3) / 3)
        .min();
    match near {
        Some((_, name)) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

/// Returns the Levenshtein distance, in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let change = corner + usize::from(from != to);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        assert!(glob("a*c?", "abbcd") && glob("*", "") && glob("x[0-3]", "x2"));
        assert!(!glob("a*c", "abb") && !glob("?", "") && !glob("x[0-3", "x2"));
    }

    #[test]
    fn near_names() {
        let names = ["tokio", "tokio-util"];
        assert!(did_you_mean("tokyo", names.into_iter()).contains("`tokio`"));
        assert_eq!(did_you_mean("serde_json", names.into_iter()), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
