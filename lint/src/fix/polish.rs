//! Shorter forms of what edits wrote, where the compiler alone knows whether they do: coercions,
//! methods instead of paths, no box taken apart to be made again.

use crate::lower::{self, Kind, Token};
use crate::source::{SourceFile, Sources};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A part of a text, and what may stand in its place, the shortest first.
#[derive(Debug)]
pub struct Choice {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// The other forms.
    pub forms: Vec<String>,
}

/// Functions that make a box of a buffer.
const BOXING: [&str; 4] = [
    "into_boxed_os_str",
    "into_boxed_path",
    "into_boxed_slice",
    "into_boxed_str",
];

/// Methods that copy what a slice refers to into a buffer.
const COPYING: [&str; 5] = [
    "to_os_string",
    "to_owned",
    "to_path_buf",
    "to_string",
    "to_vec",
];

/// A text with its tokens.
struct Code {
    source: Arc<SourceFile>,
    list: Vec<Token>,
}

impl Code {
    fn str(&self, i: usize) -> &str {
        let token = self.list.get(i);
        token.map_or("", |t| &self.source.text[t.start as usize..t.end as usize])
    }

    fn range(&self, tokens: &Range<usize>) -> Range<usize> {
        let (first, last) = (self.list[tokens.start], self.list[tokens.end - 1]);
        first.start as usize..last.end as usize
    }

    fn text(&self, tokens: &Range<usize>) -> &str {
        &self.source.text[self.range(tokens)]
    }

    fn is_open(&self, i: usize) -> bool {
        self.list.get(i).is_some_and(|t| t.kind == Kind::Open) && self.str(i) == "("
    }

    /// Returns the end of an operand that begins at a token: names, calls, indices and `?`.
    fn operand(&self, at: usize) -> Option<usize> {
        let mut i = at;
        let is_name = |i: usize| {
            let token = self.list.get(i);
            token.is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Raw))
        };
        if is_name(i) {
            i += 1;
        } else if self.is_open(i) {
            i = self.list[i].mate as usize + 1;
        } else {
            return None;
        }
        loop {
            i = match self.str(i) {
                "." if is_name(i + 1) || self.list.get(i + 1)?.kind == Kind::Number => i + 2,
                ":" if self.str(i + 1) == ":" && is_name(i + 2) => i + 3,
                "?" => i + 1,
                "(" | "[" => self.list[i].mate as usize + 1,
                _ => return Some(i),
            };
        }
    }

    /// Returns the elements in the group that opens at a token.
    fn elements(&self, open: usize) -> Vec<Range<usize>> {
        let close = self.list[open].mate as usize;
        let (mut list, mut start, mut i) = (Vec::new(), open + 1, open + 1);
        while i < close {
            match self.list[i].kind {
                Kind::Open => i = self.list[i].mate as usize,
                _ if self.str(i) == "," => {
                    list.push(start..i);
                    start = i + 1;
                }
                _ => {}
            }
            i += 1;
        }
        list.extend((start < close).then_some(start..close));
        list
    }

    /// Returns true if a variable is set to what an iterator is collected into.
    fn is_collected(&self, name: &str) -> bool {
        let text = &self.source.text;
        let bound = format!("let {name} = ");
        let mut found = text.match_indices(&bound);
        found.any(|(at, _)| {
            let end = text[at..].find(';').map_or(text.len(), |n| at + n);
            text[at..end].ends_with(".collect()")
        })
    }

    /// Returns the shorter forms of what begins at a token, and its end.
    fn forms(&self, i: usize) -> Option<(usize, Vec<String>)> {
        let is_path = self.str(i + 1) == ":" && self.str(i + 2) == ":" && self.is_open(i + 4);
        if is_path && BOXING.contains(&self.str(i + 3)) {
            return self.method(i + 4, &format!(".{}()", self.str(i + 3)));
        }
        let eager = matches!(self.str(i + 1), "ok_or" | "unwrap_or") && self.is_open(i + 2);
        if self.str(i) == "." && eager {
            return self.lazy(i);
        }
        match (self.str(i), self.str(i + 3)) {
            ("Option", "map") if is_path => {
                let [on, function] = &self.elements(i + 4)[..] else {
                    return None;
                };
                let whole = self.operand(on.start)? == on.end;
                let form = format!("{}.map({})", self.text(on), self.text(function));
                let end = self.list[i + 4].mate as usize + 1;
                whole.then(|| (end, vec![form]))
            }
            (".", ")") if COPYING.contains(&self.str(i + 1)) && self.str(i + 4) == "." => {
                let boxes = BOXING.contains(&self.str(i + 5)) && self.str(i + 7) == ")";
                let forms = || vec![".clone()".to_owned(), ".into()".to_owned()];
                boxes.then(|| (i + 8, forms()))
            }
            ("Box", "new") if is_path && self.str(i + 5) == "*" => {
                let close = self.list[i + 4].mate as usize;
                let end = self.operand(i + 6)?;
                let form = self.text(&(i + 6..end)).to_owned();
                (end == close).then(|| (close + 1, vec![form]))
            }
            // What is compared needs as many stars as the other side. Elsewhere a trait object or a
            // parameter may be asked for, which a box would be as well: another type.
            ("&", _) if self.str(i + 1) == "*" && self.str(i + 2) == "*" => {
                let end = self.operand(i + 3)?;
                let operand = self.text(&(i + 3..end));
                let is_compared = matches!(self.str(end), "=" | "!") && self.str(end + 1) == "=";
                let forms = || vec![format!("*{operand}"), format!("**{operand}")];
                is_compared.then(|| (end, forms()))
            }
            _ => None,
        }
    }

    /// Returns the form of a call that makes a box only if it is needed, and its end.
    fn lazy(&self, dot: usize) -> Option<(usize, Vec<String>)> {
        let close = self.list[dot + 2].mate as usize;
        let [argument] = &self.elements(dot + 2)[..] else {
            return None;
        };
        let makes = |i: usize| self.str(i) == "Box" && self.str(i + 3) == "new";
        // What may do more than make a value must be done as often as before.
        let is_value = |i: usize| match self.list[i].kind {
            Kind::Open if self.str(i) == "(" => {
                let name = self.str(i - 1);
                name.starts_with(char::is_uppercase) || makes(i.saturating_sub(4))
            }
            // An array, and no index.
            Kind::Open if self.str(i) == "[" => matches!(self.str(i - 1), "(" | "," | "[" | ":"),
            Kind::Open => i > argument.start,
            _ => !matches!(
                self.str(i),
                "!" | "?" | "await" | "break" | "continue" | "return"
            ),
        };
        let form = || format!(".{}_else(|| {})", self.str(dot + 1), self.text(argument));
        let mut tokens = argument.clone();
        (tokens.clone().any(makes) && tokens.all(is_value)).then(|| (close + 1, vec![form()]))
    }

    fn method(&self, open: usize, call: &str) -> Option<(usize, Vec<String>)> {
        let [argument] = &self.elements(open)[..] else {
            return None;
        };
        let text = self.text(argument);
        let is_inferred = text.ends_with(".collect()")
            || text.ends_with(".into()")
            || argument.len() == 1 && self.is_collected(text);
        let mut forms: Vec<String> = Vec::new();
        forms.extend(is_inferred.then(|| text.to_owned()));
        if self.operand(argument.start)? == argument.end {
            forms.push(format!("{text}{call}"));
        }
        (!forms.is_empty()).then(|| (self.list[open].mate as usize + 1, forms))
    }
}

/// Returns what may be shorter in the lines of a new text that the old one does not have.
pub fn choices(path: &Path, old: &str, new: &str) -> Vec<Choice> {
    let source = Sources::default().add(path.to_owned(), new.to_owned(), None);
    let list = lower::tokens(&source);
    let code = Code { source, list };
    let known: BTreeSet<&str> = old.lines().map(str::trim).collect();
    let is_new = |range: &Range<usize>| {
        let start = new[..range.start].rfind('\n').map_or(0, |n| n + 1);
        let end = new[range.end..]
            .find('\n')
            .map_or(new.len(), |n| range.end + n);
        new[start..end]
            .lines()
            .all(|line| !known.contains(line.trim()))
    };
    let mut found: Vec<Choice> = Vec::new();
    for i in 0..code.list.len() {
        let before = i.checked_sub(1).map_or("", |b| code.str(b));
        let is_tail =
            matches!(before, "." | "&") || i > 1 && before == ":" && code.str(i - 2) == ":";
        let name = i.checked_sub(1).map(|b| code.list[b]);
        let name = name.filter(|t| matches!(t.kind, Kind::Word | Kind::Raw));
        let is_call = code.str(i) == "(" && name.is_some_and(|t| t.end == code.list[i].start);
        if is_tail || is_call {
            continue;
        }
        let Some((end, forms)) = code.forms(i) else {
            continue;
        };
        let range = code.range(&(i..end));
        if is_new(&range)
            && found
                .last()
                .is_none_or(|last| last.range.end <= range.start)
        {
            found.push(Choice { range, forms });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_shorter() {
        let forms = |new: &str| -> Vec<String> {
            let found = choices(Path::new("a.rs"), "old", new);
            let shown =
                |c: Choice| format!("{} -> {}", &new[c.range.clone()], c.forms.join(" or "));
            found.into_iter().map(shown).collect()
        };
        let one = |new: &str| forms(new).pop().unwrap_or_default();
        assert_eq!(
            one("S { a: Vec::into_boxed_slice(x.y()) }"),
            "Vec::into_boxed_slice(x.y()) -> x.y().into_boxed_slice()"
        );
        assert_eq!(
            one("a(Vec::into_boxed_slice(x.collect()))"),
            "Vec::into_boxed_slice(x.collect()) -> x.collect() or x.collect().into_boxed_slice()"
        );
        assert_eq!(one("a(Vec::into_boxed_slice(a + b))"), "");
        assert_eq!(
            one("Option::map(x.f(), Box::new)"),
            "Option::map(x.f(), Box::new) -> x.f().map(Box::new)"
        );
        // `Some(x.y)` may be a box as `&dyn Error`.
        assert_eq!(one("Some(&**x.y)"), "");
        assert_eq!(one("f(&*x.y)"), "");
        assert_eq!(
            one("a.ok_or(E::B { c: Box::new(c) })?"),
            ".ok_or(E::B { c: Box::new(c) }) -> .ok_or_else(|| E::B { c: Box::new(c) })"
        );
        // The box may have the method itself.
        assert_eq!(one("(**p).as_ref()"), "");
        assert_eq!(one("if &**p == \"a\" {"), "&**p -> *p or **p");
        assert_eq!(
            one("a: self.b.to_vec().into_boxed_slice(),"),
            ".to_vec().into_boxed_slice() -> .clone() or .into()"
        );
        assert_eq!(one("a.ok_or(E::B(Box::new(it.next())))?"), "");
        assert_eq!(one("a.unwrap_or(Box::new(b[c]))"), "");
        assert_eq!(one("f(*x)"), "");
        assert_eq!(one("A(Box::new(*x.name))"), "Box::new(*x.name) -> x.name");
        assert_eq!(choices(Path::new("a.rs"), "f(&**x)", "f(&**x)").len(), 0);
    }
}
