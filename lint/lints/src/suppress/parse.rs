//! The parser of `// weigh:` comments.

use super::Known;
use crate::ir::marks::Comment;
use crate::project::did_you_mean;
use crate::source::SourceFile;
use crate::span::Span;
use std::ops::Range;

/// The action of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Suppresses findings.
    Allow,
    /// Suppresses findings, of which there must be at least one.
    Expect,
    /// Suppresses findings in the whole file.
    AllowFile,
}

/// The verbs as written in comments.
const VERBS: [(&str, Verb); 3] = [
    ("allow", Verb::Allow),
    ("expect", Verb::Expect),
    ("allow-file", Verb::AllowFile),
];

/// The expected form of a comment.
const FORM: &str = "write `// weigh: allow(LINT, reason = \"…\")`";

/// A valid comment.
#[derive(Debug)]
pub struct Directive {
    /// Its action.
    pub verb: Verb,
    /// Registered names of lints and groups, each with its span.
    pub names: Vec<(&'static str, Span)>,
    /// The value of `reason`.
    pub reason: Option<String>,
    /// The range that it covers, in bytes.
    pub covers: Range<u32>,
}

/// An invalid comment, or an invalid part of one.
#[derive(Debug)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// Why: one line, lower case, no full stop.
    pub message: String,
}

/// Parses the comments of a file, and collects the invalid ones.
pub(super) fn directives(
    source: &SourceFile,
    comments: &[Comment],
    known: &Known,
) -> (Vec<Directive>, Vec<Fault>) {
    let (mut directives, mut faults) = (Vec::new(), Vec::new());
    for comment in comments {
        let words = &source.text[comment.text.range()];
        if !comment.colon {
            faults.push(Fault {
                span: comment.span,
                message: format!("a colon is missing: `// weigh: {words}`"),
            });
            continue;
        }
        let (verb, rest) = split_verb(words);
        let found = VERBS
            .iter()
            .find(|(name, _)| *name == verb)
            .map(|(_, v)| *v);
        if !comment.plain {
            // A comment without a verb is prose about the tool.
            if found.is_some() && rest.starts_with('(') {
                let message = format!("only comments with two slashes are read: {FORM}");
                faults.push(Fault {
                    span: comment.span,
                    message,
                });
            }
            continue;
        }
        let Some(verb) = found else {
            let near = did_you_mean(verb, VERBS.iter().map(|(name, _)| *name));
            let message = match near.is_empty() {
                true => format!("malformed comment: {FORM}"),
                false => format!("unknown keyword `{verb}`{near}"),
            };
            faults.push(Fault {
                span: comment.span,
                message,
            });
            continue;
        };
        let mut reader = Reader {
            source,
            known,
            names: Vec::new(),
            reason: None,
            some: false,
            faults: &mut faults,
        };
        if let Err(message) = reader.list(rest) {
            let span = comment.span;
            faults.push(Fault { span, message });
            continue;
        }
        let (names, reason) = (reader.names, reader.reason);
        let covers = match (verb, comment.covers.clone()) {
            (Verb::AllowFile, _) => 0..source.text.len() as u32,
            (_, Some(covers)) => covers,
            (_, None) => {
                let message = "no item follows this comment".to_owned();
                let span = comment.span;
                faults.push(Fault { span, message });
                continue;
            }
        };
        directives.push(Directive {
            verb,
            names,
            reason,
            covers,
        });
    }
    (directives, faults)
}

fn split_verb(words: &str) -> (&str, &str) {
    let end = words.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
    let (verb, rest) = words.split_at(end.unwrap_or(words.len()));
    (verb, rest.trim_start())
}

struct Reader<'r> {
    source: &'r SourceFile,
    known: &'r Known,
    names: Vec<(&'static str, Span)>,
    reason: Option<String>,
    /// A lint was named, if only an unknown one.
    some: bool,
    faults: &'r mut Vec<Fault>,
}

impl Reader<'_> {
    /// Parses `(a, b, reason = "…")` up to the end.
    fn list(&mut self, text: &str) -> Result<(), String> {
        let Some(mut rest) = text.strip_prefix('(') else {
            return Err(format!("the lints go into parentheses: {FORM}"));
        };
        loop {
            rest = rest.trim_start();
            if let Some(behind) = rest.strip_prefix(')') {
                rest = behind;
                break;
            }
            rest = self.argument(rest)?.trim_start();
            match rest.chars().next() {
                Some(',') => rest = &rest[1..],
                Some(')') => {}
                None => return Err("`)` is missing: a comment ends with its line".to_owned()),
                Some(_) => return Err(format!("a comma is missing before `{rest}`")),
            }
        }
        match rest.trim() {
            "" if !self.some => Err(format!("this comment names no lint: {FORM}")),
            "" => Ok(()),
            behind => Err(format!(
                "unexpected `{behind}` after the parentheses: write `reason = \"…\"` inside"
            )),
        }
    }

    /// Parses one argument; returns the rest.
    fn argument<'t>(&mut self, text: &'t str) -> Result<&'t str, String> {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
        let end = text.find(|c| !word(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() {
            return match text.is_empty() {
                true => Ok(text),
                false => Err(format!("the name of a lint is missing before `{text}`")),
            };
        }
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            let start = name.as_ptr() as usize - self.source.text.as_ptr() as usize;
            let span = Span::new(self.source.id, start, start + name.len());
            self.some = true;
            match (self.known)(name) {
                Ok(name) => self.names.push((name, span)),
                Err(message) => self.faults.push(Fault { span, message }),
            }
            return Ok(rest);
        };
        if name != "reason" {
            let near = did_you_mean(name, ["reason"].into_iter());
            return Err(format!("`{name}` is no key of a comment{near}"));
        }
        let (reason, rest) = quoted(value.trim_start())
            .ok_or_else(|| "a reason is a string in double quotes".to_owned())?;
        self.reason = Some(reason);
        Ok(rest)
    }
}

/// Parses the string at the start of a text; returns it and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut string = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((string, &inner[at + 1..])),
            '\\' => string.push(chars.next()?.1),
            c => string.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower;
    use crate::source::Sources;

    fn known(name: &str) -> Result<&'static str, String> {
        let names = ["fat", "layout"];
        let found = names.into_iter().find(|n| *n == name);
        found.ok_or_else(|| format!("there is no lint `{name}`"))
    }

    /// Returns the names and reasons, then the faults with the text at their place.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let source = Sources::default().add("a.rs".into(), text.to_owned(), None);
        let marks = lower::marks(&source);
        let (directives, faults) = directives(&source, &marks.comments, &known);
        let shown = |d: Directive| {
            let names: Vec<_> = d.names.iter().map(|(n, _)| *n).collect();
            let reason = d.reason.unwrap_or_default();
            format!("{:?} {} {reason}", d.verb, names.join("+"))
        };
        let faults = faults
            .iter()
            .map(|f| format!("{}: {}", &text[f.span.range()], f.message));
        (
            directives.into_iter().map(shown).collect(),
            faults.collect(),
        )
    }

    #[test]
    fn what_is_understood() {
        let good = [
            ("allow(fat)", "Allow fat "),
            ("allow( fat , layout, )", "Allow fat+layout "),
            (
                r#"expect(fat, reason = "a, (b) \"c\"")"#,
                r#"Expect fat a, (b) "c""#,
            ),
            ("allow-file (layout)", "AllowFile layout "),
        ];
        for (comment, expected) in good {
            let (directives, faults) = read(&format!("// weigh: {comment}\nstruct A;"));
            assert_eq!(directives, [expected]);
            assert!(faults.is_empty(), "{faults:?}");
        }
    }

    #[test]
    fn what_is_not_is_said_at_its_place() {
        let bad = [
            ("allow(thin)", "thin: there is no lint `thin`"),
            ("alow(fat)", "unknown keyword `alow`"),
            ("fat is fine", "malformed comment"),
            ("allow fat", "into parentheses"),
            ("allow(fat", "`)` is missing"),
            ("allow()", "names no lint"),
            ("allow(fat layout)", "a comma is missing before `layout)`"),
            (
                "allow(fat) as it is rare",
                "unexpected `as it is rare` after",
            ),
            ("allow(fat, raeson = \"b\")", "did you mean `reason`"),
            ("allow(fat, reason = b)", "a string"),
            ("allow(\"fat\")", "the name of a lint is missing"),
        ];
        for (comment, expected) in bad {
            let (_, faults) = read(&format!("// weigh: {comment}\nstruct A;"));
            assert!(
                faults.len() == 1 && faults[0].contains(expected),
                "{comment}: {faults:?}"
            );
        }
        let (directives, faults) = read("// weigh: allow(thin, fat)\nstruct A;");
        assert!(directives == ["Allow fat "] && faults.len() == 1);
        for prose in [
            "weigh the fat",
            "weigh allow",
            "weight allow(fat)",
            "weigh(fat)",
        ] {
            let (directives, faults) = read(&format!("// {prose}\nstruct A;"));
            assert!(directives.is_empty() && faults.is_empty(), "{prose}");
        }
        let (directives, faults) = read("// weigh allow(fat)\nstruct A;");
        assert!(directives.is_empty());
        assert!(
            faults[0].ends_with("missing: `// weigh: allow(fat)`"),
            "{faults:?}"
        );
        let (_, faults) = read("struct A {\n// weigh: allow(fat)\n}");
        assert!(faults[0].contains("no item follows"), "{faults:?}");
        let (_, faults) = read("/// weigh: allow(fat)\nstruct A; /// weigh: is good\nstruct B;");
        assert!(
            faults.len() == 1 && faults[0].contains("two slashes"),
            "{faults:?}"
        );
    }
}
