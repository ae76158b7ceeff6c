//! Names as users type them: with wildcards, or not quite right.

/// `*` stands for any text, `?` for one character.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once(['*', '?']) else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(head) else {
        return false;
    };
    if pattern[head.len()..].starts_with('?') {
        let mut chars = rest.chars();
        return chars.next().is_some() && glob(tail, chars.as_str());
    }
    let mut starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.any(|at| glob(tail, &rest[at..]))
}

/// `; did you mean …?` with the nearest of `names`, or nothing if none is near.
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

/// Levenshtein's distance, in characters.
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
        assert!(glob("a*c?", "abbcd") && glob("*", "") && glob("x", "x"));
        assert!(!glob("a*c", "abb") && !glob("?", "") && !glob("ab", "abc"));
    }

    #[test]
    fn near_names() {
        let names = ["tokio", "tokio-util"];
        assert!(did_you_mean("tokyo", names.into_iter()).contains("`tokio`"));
        assert_eq!(did_you_mean("serde_json", names.into_iter()), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
