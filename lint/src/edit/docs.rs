//! Examples in documentation: rustdoc compiles them as tests, and nobody else reads them.

/// What may stand behind the fence of an example that is compiled.
const COMPILED: &[&str] = &["", "no_run", "rust", "should_panic"];

/// Where in a text a line of such an example begins, and what it says.
pub(super) fn examples(text: &str) -> Vec<(u32, &str)> {
    let mut list = Vec::new();
    let mut open: Option<bool> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len() as u32;
        let code = line.trim_start();
        let doc = code.strip_prefix("//!").or_else(|| {
            let doc = code.strip_prefix("///")?;
            (!doc.starts_with('/')).then_some(doc)
        });
        let Some(doc) = doc.map(str::trim) else {
            open = None;
            continue;
        };
        let fence = doc.strip_prefix("```").or_else(|| doc.strip_prefix("~~~"));
        match (fence, open) {
            (Some(_), Some(_)) => open = None,
            (Some(info), None) => {
                let mut words = info.split([',', ' ']).map(str::trim);
                open = Some(words.all(|w| COMPILED.contains(&w) || w.starts_with("edition")));
            }
            (None, Some(true)) => {
                let lead = line.len() - line.trim_start().len();
                list.push((start + lead as u32, doc));
            }
            (None, _) => {}
        }
    }
    list
}

/// What is looked for in an example.
pub(super) enum Named<'n> {
    /// A variant.
    Variant(&'n str),
    /// A field of a struct with named ones.
    Field(&'n str),
    /// A struct that is called like a function.
    Called(&'n str),
}

impl Named<'_> {
    /// True if a line of an example builds it, takes it apart or reads it.
    pub(super) fn stands_in(&self, line: &str) -> bool {
        let (Named::Variant(name) | Named::Field(name) | Named::Called(name)) = self;
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        line.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + name.len()..]);
            if before.ends_with(in_word) || behind.starts_with(in_word) {
                return false;
            }
            let (before, behind) = (before.trim_end(), behind.trim_start());
            match self {
                Named::Variant(_) => before.ends_with("::") || behind.starts_with(['(', '{']),
                Named::Called(_) => behind.starts_with('('),
                Named::Field(_) if before.ends_with('.') => !behind.starts_with('('),
                Named::Field(_) => behind.starts_with([':', ',', '}']) && !behind.starts_with("::"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Named, examples};

    #[test]
    fn what_rustdoc_compiles() {
        let text = "//! ```\n//! a\n//! ```\n//! b\nfn f() {}\n    /// ```ignore\n    /// c\n    /// ```\n\
            /// ```no_run,edition2021\n/// # d\n/// ```\n/// ```text\n/// e\n/// ```\n//// ```\n//// f\n";
        let said: Vec<_> = examples(text).into_iter().map(|(_, line)| line).collect();
        assert_eq!(said, ["a", "# d"]);
        let (at, _) = examples(text)[1];
        assert!(text[at as usize..].starts_with("/// # d"));
    }

    #[test]
    fn what_an_example_names() {
        let variant = Named::Variant("Same");
        assert!(variant.stands_in("let a = Difference::Same(1);"));
        assert!(variant.stands_in("Same { a } => 1,"));
        assert!(!variant.stands_in("let Same = Sames(1);"));
        let field = Named::Field("name");
        assert!(field.stands_in("assert_eq!(a.name, 1);"));
        assert!(field.stands_in("let a = A { name: 1 };"));
        assert!(!field.stands_in("let name = a.name() + name::b;"));
        assert!(Named::Called("Id").stands_in("Id(1)"));
    }
}
