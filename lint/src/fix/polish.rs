//! Shorter forms of what edits wrote, where the compiler alone knows whether they do: coercions,
//! methods instead of paths, no box taken apart to be made again.

mod rules;

use super::search::Texts;
use super::trouble::{Place, Trouble};
use crate::lower::Kind;
use rules::{Code, Found};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What edits wrote, by file: ranges of the new text.
pub type Written = BTreeMap<PathBuf, Vec<Range<usize>>>;

/// A part of a text, and what may stand in its place, the shortest first.
#[derive(Debug)]
struct Choice {
    /// The part, in bytes.
    range: Range<usize>,
    /// The other forms.
    forms: Vec<String>,
    /// The form that is tried; behind the last one, the text stays.
    form: usize,
}

impl Choice {
    fn is_open(&self) -> bool {
        self.form < self.forms.len()
    }
}

/// Returns what may be shorter of what edits wrote in a text.
fn choices(path: &Path, new: &str, written: &[Range<usize>]) -> Vec<Choice> {
    let code = Code::of(path, new);
    let is_written = |token: usize| {
        let range = code.range(&(token..token + 1));
        // What an edit took away stood behind a token.
        let touches = |own: &Range<usize>| match own.is_empty() {
            true => own.start == range.end,
            false => own.start < range.end && range.start < own.end,
        };
        written.iter().any(touches)
    };
    // A form is made of tokens only.
    let comments = |text: &str| text.matches("//").count() + text.matches("/*").count();
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
        let Some(Found {
            end,
            mut own,
            forms,
        }) = code.found(i)
        else {
            continue;
        };
        let range = code.range(&(i..end));
        let known = comments(&new[range.clone()]);
        let forms: Vec<String> = forms.into_iter().filter(|f| comments(f) == known).collect();
        let is_behind = |last: &Choice| last.range.end <= range.start;
        if !forms.is_empty() && own.any(is_written) && found.last().is_none_or(is_behind) {
            found.push(Choice {
                range,
                forms,
                form: 0,
            });
        }
    }
    found
}

/// The forms that are tried together.
pub struct Trial<'t> {
    plain: &'t Texts,
    /// By file.
    choices: BTreeMap<&'t Path, Vec<Choice>>,
    /// The texts with the forms, of the files that have choices.
    pub texts: Texts,
    /// Where each choice is in these.
    parts: BTreeMap<&'t Path, Vec<Range<usize>>>,
}

impl<'t> Trial<'t> {
    /// Finds what may be shorter of what edits wrote.
    pub fn new(plain: &'t Texts, written: &Written) -> Trial<'t> {
        let is_code = |path: &Path| path.extension().is_some_and(|e| e == "rs");
        let of = |(path, text): (&'t PathBuf, &String)| {
            let written = written.get(path).filter(|_| is_code(path))?;
            let choices = choices(path, text, written);
            (!choices.is_empty()).then_some((path.as_path(), choices))
        };
        let mut trial = Trial {
            plain,
            choices: plain.iter().filter_map(of).collect(),
            texts: Texts::new(),
            parts: BTreeMap::new(),
        };
        trial.write();
        trial
    }

    /// Returns true if a form is left.
    pub fn is_open(&self) -> bool {
        self.choices.values().flatten().any(Choice::is_open)
    }

    fn write(&mut self) {
        for (path, choices) in &self.choices {
            let (text, parts) = shortened(&self.plain[*path], choices);
            self.texts.insert(path.to_path_buf(), text);
            self.parts.insert(path, parts);
        }
    }

    /// Goes on to the next form where the compiler has found errors: in the part itself, else on its
    /// line, else in the smallest block around the error that has such a part. If `wholly`, all forms
    /// of the files with errors are given up; all of all files if no error points at any.
    pub fn go_on(&mut self, troubles: &[Trouble], wholly: bool) {
        let mut wrong: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        let places = troubles.iter().flat_map(|trouble| &trouble.places);
        let paths: BTreeSet<&Path> = places.map(|place| &*place.path).collect();
        let with_text = paths
            .iter()
            .filter_map(|path| Some((*path, self.texts.get(*path)?)));
        let groups = with_text.map(|(path, text)| (path, groups(path, text)));
        let groups = groups.collect();
        for trouble in troubles {
            let (path, list) = self.blamed(trouble, &groups, wholly);
            wrong.entry(path).or_default().extend(list);
        }
        wrong.retain(|_, list| !list.is_empty());
        let nothing = wrong.is_empty();
        for (path, list) in &mut self.choices {
            let of_file = wrong.get(*path).map_or(&[][..], Vec::as_slice);
            for (n, choice) in list.iter_mut().enumerate() {
                if nothing || wholly && !of_file.is_empty() {
                    choice.form = choice.forms.len();
                } else if of_file.contains(&n) {
                    choice.form += 1;
                }
            }
        }
        self.write();
    }

    /// Returns a file and the choices in it that an error may come from.
    fn blamed(
        &self,
        trouble: &Trouble,
        groups: &BTreeMap<&Path, Vec<Range<usize>>>,
        wholly: bool,
    ) -> (PathBuf, Vec<usize>) {
        let near = [Near::Part, Near::Line, Near::Block];
        for near in &near[if wholly { 2 } else { 0 }..] {
            for place in &trouble.places {
                let Some(choices) = self.choices.get(&*place.path) else {
                    continue;
                };
                let parts = &self.parts[&*place.path];
                let is_in = |around: &Range<usize>, n: &usize| {
                    let part = &parts[*n];
                    choices[*n].is_open() && part.start <= around.end && around.start <= part.end
                };
                let text = &self.texts[&place.path];
                for around in near.around(text, &groups[&*place.path], place) {
                    let list: Vec<usize> =
                        (0..choices.len()).filter(|n| is_in(&around, n)).collect();
                    if !list.is_empty() {
                        return (place.path.clone(), list);
                    }
                }
            }
        }
        (PathBuf::new(), Vec::new())
    }
}

/// How near to an error what may have caused it is.
enum Near {
    Part,
    Line,
    Block,
}

impl Near {
    /// Returns the parts of a text that are so near to a place, the smallest first.
    fn around(&self, text: &str, groups: &[Range<usize>], place: &Place) -> Vec<Range<usize>> {
        match self {
            Near::Part => std::iter::once(place.offset..place.end).collect(),
            Near::Line => std::iter::once(line(text, place.offset)).collect(),
            Near::Block => {
                let all = groups.iter().filter(|g| g.contains(&place.offset));
                all.cloned().chain(std::iter::once(0..text.len())).collect()
            }
        }
    }
}

/// The line of an offset.
fn line(text: &str, offset: usize) -> Range<usize> {
    let at = offset.min(text.len());
    let start = text.as_bytes()[..at].iter().rposition(|b| *b == b'\n');
    let end = text.as_bytes()[at..].iter().position(|b| *b == b'\n');
    start.map_or(0, |n| n + 1)..end.map_or(text.len(), |n| at + n)
}

/// The blocks and brackets of a text, the smallest first.
fn groups(path: &Path, text: &str) -> Vec<Range<usize>> {
    let tokens = Code::of(path, text).list;
    let opens = tokens.iter().filter(|t| t.kind == Kind::Open);
    let all = opens.map(|t| t.start as usize..tokens[t.mate as usize].end as usize);
    let mut groups: Vec<_> = all.collect();
    groups.sort_by_key(Range::len);
    groups
}

/// Returns a text with the chosen forms, and where each is in it. `x` is written for `x: x`.
fn shortened(text: &str, list: &[Choice]) -> (String, Vec<Range<usize>>) {
    let (mut new, mut at, mut parts) = (String::new(), 0, Vec::new());
    for choice in list {
        new.push_str(&text[at..choice.range.start]);
        let old = &text[choice.range.clone()];
        let put = choice.forms.get(choice.form).map_or(old, String::as_str);
        let named = new.strip_suffix(": ").and_then(|n| n.strip_suffix(put));
        if let Some(before) = named.filter(|n| n.ends_with([' ', '{', ',', '\n'])) {
            new.truncate(before.len());
        }
        parts.push(new.len()..new.len() + put.len());
        new.push_str(put);
        at = choice.range.end;
    }
    new.push_str(&text[at..]);
    (new, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the choices of a text whose parts between `«` and `»` edits wrote.
    fn of(marked: &str) -> (String, Vec<Choice>) {
        let (mut new, mut written) = (String::new(), Vec::new());
        for (n, part) in marked.split(['«', '»']).enumerate() {
            let start = new.len();
            new.push_str(part);
            written.extend((n % 2 == 1).then_some(start..new.len()));
        }
        let found = choices(Path::new("a.rs"), &new, &written);
        (new, found)
    }

    fn one(marked: &str) -> String {
        let (new, mut found) = of(marked);
        let shown = |c: Choice| format!("{} -> {}", &new[c.range], c.forms.join(" or "));
        found.pop().map(shown).unwrap_or_default()
    }

    #[test]
    fn what_may_be_shorter() {
        for (marked, wanted) in [
            (
                "S { a: «Vec::into_boxed_slice(»x.y()«)» }",
                "Vec::into_boxed_slice(x.y()) -> x.y() or x.y().into_boxed_slice()",
            ),
            (
                "S { a: «String::into_boxed_str(»need!(x)«)» }",
                "String::into_boxed_str(need!(x)) -> need!(x) or need!(x).into_boxed_str()",
            ),
            (
                "a(«String::into_boxed_str(»x«).into()»)",
                "String::into_boxed_str(x).into() -> x or x.into()",
            ),
            (
                "a(«PathBuf::into_boxed_path(»x.into()«)»)",
                "PathBuf::into_boxed_path(x.into()) -> x.into() or \
                 PathBuf::from(x).into_boxed_path() or x.into().into_boxed_path()",
            ),
            (
                "a(«Vec::into_boxed_slice(»a.collect::<Result<Vec<_>, _>>()?«)»)",
                "Vec::into_boxed_slice(a.collect::<Result<Vec<_>, _>>()?) -> \
                 a.collect::<Result<Vec<_>, _>>()? or \
                 a.collect::<Result<Vec<_>, _>>()?.into_boxed_slice()",
            ),
            (
                "«Option::map(»x.f()«, Box::new)»",
                "Option::map(x.f(), Box::new) -> x.f().map(Box::new)",
            ),
            (
                "«Option::map(»x.into()«, String::into_boxed_str)»",
                "Option::map(x.into(), String::into_boxed_str) -> \
                 x.into().map(String::into_boxed_str) or Some(x.into())",
            ),
            (
                "«Option::map(»x.map(|a| a.f().0)«, Vec::into_boxed_slice)»",
                "Option::map(x.map(|a| a.f().0), Vec::into_boxed_slice) -> \
                 x.map(|a| a.f().0.into_boxed_slice()) or \
                 x.map(|a| a.f().0).map(Vec::into_boxed_slice)",
            ),
            // `Some(x.y)` may be a box as `&dyn Error`.
            ("Some(«&**»x.y)", ""),
            ("f(«&*»x.y)", ""),
            (
                "a.ok_or(E::B { c: «Box::new(»c«)» })?",
                ".ok_or(E::B { c: Box::new(c) }) -> .ok_or_else(|| E::B { c: Box::new(c) })",
            ),
            ("a.ok_or(E::B(«Box::new(»it.next()«)»))?", ""),
            ("a.ok_or(E::B(«Box::new(»[a / b; 9]«)»))?", ""),
            ("a: b.to_lowercase()«.into_boxed_str()»,", ""),
            (
                "a: b.map(|b| b.to_slug())«.map(String::into_boxed_str)»,",
                ".map(|b| b.to_slug()).map(String::into_boxed_str) -> .map(|b| b.to_slug().into_boxed_str())",
            ),
            ("a: b.map(Slug::from)«.map(String::into_boxed_str)»,", ""),
            ("a.unwrap_or(«Box::new(»b[c]«)»)", ""),
            // The box may have the method itself.
            ("(«**»p).as_ref()", ""),
            ("if «&**»p == \"a\" {", "&**p -> *p or **p"),
            (
                "a: self.b.to_vec()«.into_boxed_slice()»,",
                ".to_vec().into_boxed_slice() -> .clone() or .into()",
            ),
            (
                "a: self.b.to_owned()«.map(PathBuf::into_boxed_path)»,",
                ".to_owned().map(PathBuf::into_boxed_path) -> .clone() or .as_deref().map(Into::into)",
            ),
            (
                "x.f().map(|m| m.to_owned())«.map(PathBuf::into_boxed_path)»",
                ".map(|m| m.to_owned()).map(PathBuf::into_boxed_path) -> \
                 .map(|m| m.into()) or .map(|m| m.to_owned().into_boxed_path())",
            ),
            (
                "x.map(|m| m.f())«.map(Vec::into_boxed_slice)»",
                ".map(|m| m.f()).map(Vec::into_boxed_slice) -> .map(|m| m.f().into_boxed_slice())",
            ),
            (
                "x.map(str::to_owned)«.map(String::into_boxed_str)»",
                ".map(str::to_owned).map(String::into_boxed_str) -> .map(Into::into)",
            ),
            ("S { a, «files: »files«», b }", "files: files -> files"),
            ("S { a, files: files, «b: »c }", ""),
            (
                "let y = x.a«.as_deref().copied()».unwrap();",
                "x.a.as_deref().copied().unwrap() -> *x.a.unwrap()",
            ),
            ("f(*x)", ""),
            (
                "A(«Box::new(*»x.name«)»)",
                "Box::new(*x.name) -> x.name or x.name.clone()",
            ),
            ("A(Box::new(«**»x))", "Box::new(**x) -> x.clone()"),
            (
                "A(«Box::new(»(«**»x).clone()«)»)",
                "Box::new((**x).clone()) -> x.clone()",
            ),
            ("A(«Box::new(»(«**»x).name()«)»)", ""),
            ("if «*»a.b != «*»c {", "*a.b != *c -> a.b != c"),
            ("if **a == «*»c {", ""),
            (
                "if Some(«Box::new(»y«)») == a.b {",
                "Some(Box::new(y)) == a.b -> a.b.as_deref() == Some(&y)",
            ),
            (
                "if a.b != Some(«Box::new(»1«)») {",
                "a.b != Some(Box::new(1)) -> a.b.as_deref() != Some(&1)",
            ),
            ("if a.b != Some(«Box::new(»f()«)») {", ""),
            (
                "s.sort_by(|a, b| («*»a.p).cmp(&«*»b.p))",
                "(*a.p).cmp(&*b.p) -> a.p.cmp(&b.p)",
            ),
            (
                "assert_eq!(\"a\", a.b«.map(String::from)».unwrap())",
                ".map(String::from) -> .as_deref()",
            ),
        ] {
            assert_eq!(one(marked), wanted, "{marked}");
        }
    }

    #[test]
    fn what_the_author_wrote_stays() {
        for code in [
            "«let x: Box<[u8]> = »Vec::into_boxed_slice(y)«;»",
            "f(Box::new(*x), «Box::new(»y«)»)",
            "a.ok_or(E::B(Box::new(c)), «d»)",
            "x.f().map(|m| m.to_owned()).map(PathBuf::into_boxed_path)«?»",
            "«*»x == y && &**p == \"a\"",
            "A(«Box::new(*»x.name /* why */«)»)",
        ] {
            assert_eq!(one(code), "", "{code}");
        }
    }

    #[test]
    fn what_fails_is_given_up_alone() {
        let marked = "fn f() {\n    a(«Box::new(*»x«)»); let y = 1;\n    b(«Vec::into_boxed_slice(»z«)»);\n}\n\
                      fn g() {\n    c(«Box::new(*»v«)»);\n}\n";
        let (new, _) = of(marked);
        let path = PathBuf::from("a.rs");
        let mut written = Vec::new();
        for part in ["Box::new(*x)", "Vec::into_boxed_slice(z)", "Box::new(*v)"] {
            let at = new.find(part).unwrap_or_default();
            written.push(at..at + part.len());
        }
        let plain = Texts::from([(path.clone(), new.clone())]);
        let written = Written::from([(path.clone(), written)]);
        let mut trial = Trial::new(&plain, &written);
        let shown = |trial: &Trial| trial.texts[&path].replace("\n    ", " ").replace('\n', " ");
        let trouble = |trial: &Trial, at: &str| {
            let offset = trial.texts[&path].find(at).unwrap_or_default();
            let place = Place {
                path: path.clone(),
                offset,
                end: offset + 1,
                line: 0,
                column: 0,
            };
            Trouble {
                message: String::new(),
                words: Vec::new(),
                places: vec![place],
                suggestion: Vec::new(),
            }
        };
        assert_eq!(
            shown(&trial),
            "fn f() { a(x); let y = 1; b(z); } fn g() { c(v); } "
        );
        // In the part itself.
        trial.go_on(&[trouble(&trial, "z)")], false);
        assert_eq!(
            shown(&trial),
            "fn f() { a(x); let y = 1; b(z.into_boxed_slice()); } fn g() { c(v); } "
        );
        // On its line.
        trial.go_on(&[trouble(&trial, "y = 1")], false);
        assert!(shown(&trial).starts_with("fn f() { a(x.clone()); let y = 1; b(z.into"));
        // In its function.
        trial.go_on(&[trouble(&trial, "{\n    c")], false);
        let all = "fn f() { a(x.clone()); let y = 1; b(z.into_boxed_slice()); } fn g() { c(v.clone()); } ";
        assert_eq!(shown(&trial), all);
        assert!(trial.is_open());
        let gone = trouble(&trial, "fn g");
        trial.go_on(&[gone], true);
        assert!(!trial.is_open());
        assert_eq!(trial.texts, plain);
    }
}
