//! Shorter forms of what edits wrote, where the compiler alone knows whether they do: coercions,
//! methods instead of paths, no box taken apart to be made again.

use super::search::Texts;
use super::trouble::{Place, Trouble};
use crate::lower::{self, Kind, Token};
use crate::source::{SourceFile, Sources};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What edits wrote, by file: ranges of the new text, in order.
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

/// What a rule says of the code that begins at a token.
struct Found {
    /// The token behind it.
    end: usize,
    /// The tokens of which an edit must have written one.
    own: Range<usize>,
    forms: Vec<String>,
}

/// The name of a method that makes a box of a buffer.
fn is_boxing(name: &str) -> bool {
    name.starts_with("into_boxed_")
}

/// The name of a method that makes a buffer of what a reference refers to.
fn is_copying(name: &str) -> bool {
    name.starts_with("to_")
}

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

    fn mate(&self, i: usize) -> usize {
        self.list[i].mate as usize
    }

    /// Returns true if these tokens begin at a token.
    fn is(&self, at: usize, tokens: &[&str]) -> bool {
        let mut tokens = tokens.iter().enumerate();
        tokens.all(|(n, token)| self.str(at + n) == *token)
    }

    fn is_name(&self, i: usize) -> bool {
        let token = self.list.get(i);
        token.is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Raw))
    }

    /// Returns the end of an operand that begins at a token: names, calls, indices and `?`.
    fn operand(&self, at: usize) -> Option<usize> {
        let mut i = at;
        if self.is_name(i) {
            i += 1;
        } else if self.is_open(i) {
            i = self.mate(i) + 1;
        } else {
            return None;
        }
        loop {
            i = match self.str(i) {
                "." if self.is_name(i + 1) || self.list.get(i + 1)?.kind == Kind::Number => i + 2,
                ":" if self.str(i + 1) == ":" && self.is_name(i + 2) => i + 3,
                ":" if self.is(i + 1, &[":", "<"]) => self.angle(i + 2)? + 1,
                "!" if self.list.get(i + 1)?.kind == Kind::Open => i + 1,
                "?" => i + 1,
                "(" | "[" => self.mate(i) + 1,
                _ => return Some(i),
            };
        }
    }

    /// Returns the `>` that closes a `<`.
    fn angle(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        (open..self.list.len()).find(|&i| {
            match self.str(i) {
                "<" => depth += 1,
                ">" if !matches!(self.str(i - 1), "-" | "=") => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }

    /// Returns the elements in the group that opens at a token.
    fn elements(&self, open: usize) -> Vec<Range<usize>> {
        let close = self.mate(open);
        let (mut list, mut start, mut i) = (Vec::new(), open + 1, open + 1);
        while i < close {
            match self.list[i].kind {
                Kind::Open => i = self.mate(i),
                _ if self.is(i, &[":", ":", "<"]) => i = self.angle(i + 2).unwrap_or(i),
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

    /// Returns the only element in the group that opens at a token.
    fn element(&self, open: usize) -> Option<Range<usize>> {
        let mut elements = self.elements(open);
        elements.pop().filter(|_| elements.is_empty())
    }

    /// Returns true for tokens that make a value and do nothing else.
    fn is_value(&self, tokens: &Range<usize>) -> bool {
        tokens.clone().all(|i| match self.list[i].kind {
            Kind::Open if self.str(i) == "(" => {
                let name = self.str(i - 1);
                name.starts_with(char::is_uppercase)
                    || self.is(i.saturating_sub(4), &["Box", ":", ":", "new"])
            }
            // An array, and no index.
            Kind::Open if self.str(i) == "[" => matches!(self.str(i - 1), "(" | "," | "[" | ":"),
            Kind::Open => i > tokens.start,
            _ => !matches!(
                self.str(i),
                "!" | "?" | "await" | "break" | "continue" | "return"
            ),
        })
    }

    /// Returns what the rules say of the code that begins at a token.
    fn found(&self, i: usize) -> Option<Found> {
        let rules = [
            Code::made_of_a_buffer,
            Code::made_of_an_option,
            Code::made_if_needed,
            Code::made_of_a_copy,
            Code::made_in_two_steps,
            Code::made_again,
            Code::compared,
            Code::compared_behind_both,
            Code::compared_with_a_box,
            Code::compared_by_a_method,
            Code::taken_as_a_reference,
            Code::named_as_its_field,
        ];
        rules.iter().find_map(|rule| rule(self, i))
    }

    /// `Vec::into_boxed_slice(x)`: the field may be what says the type of `x`.
    fn made_of_a_buffer(&self, i: usize) -> Option<Found> {
        let open = i + 4;
        let is_path = self.is(i + 1, &[":", ":"]) && self.is_open(open);
        let argument = (is_path && is_boxing(self.str(i + 3))).then(|| self.element(open))??;
        let text = self.text(&argument);
        let (mut end, mut call) = (self.mate(open) + 1, format!(".{}()", self.str(i + 3)));
        if self.is(end, &[".", "into", "(", ")"]) {
            (end, call) = (end + 4, ".into()".to_owned());
        }
        let is_whole = self.operand(argument.start)? == argument.end;
        let mut forms = vec![text.to_owned()];
        let converted = text.strip_suffix(".into()").filter(|_| is_whole);
        forms.extend(converted.map(|of| format!("{}::from({of}){call}", self.str(i))));
        forms.extend(is_whole.then(|| text.to_owned() + &call));
        let own = i..open + 1;
        Some(Found { end, own, forms })
    }

    /// `Option::map(x, f)`.
    fn made_of_an_option(&self, i: usize) -> Option<Found> {
        let is_path = self.is(i, &["Option", ":", ":", "map"]) && self.is_open(i + 4);
        let elements = is_path.then(|| self.elements(i + 4))?;
        let [on, function] = &elements[..] else {
            return None;
        };
        let text = self.text(on);
        let mut forms = Vec::new();
        if self.operand(on.start)? == on.end {
            forms.push(format!("{text}.map({})", self.text(function)));
        }
        // `"x".to_string().into()` is an `Option` of it.
        let is_some = text.ends_with(".into()") && is_boxing(self.str(function.end - 1));
        forms.extend(is_some.then(|| format!("Some({text})")));
        let (end, own) = (self.mate(i + 4) + 1, i..i + 5);
        Some(Found { end, own, forms })
    }

    /// `.ok_or(X(Box::new(y)))` makes a box only if it is needed as `.ok_or_else(…)`.
    fn made_if_needed(&self, i: usize) -> Option<Found> {
        let eager = matches!(self.str(i + 1), "ok_or" | "unwrap_or") && self.is_open(i + 2);
        let argument = (self.str(i) == "." && eager).then(|| self.element(i + 2))??;
        let makes = |i: usize| self.is(i, &["Box", ":", ":", "new"]);
        // What may do more than make a value must be done as often as before.
        let any = argument.clone().any(makes) && self.is_value(&argument);
        let forms = any.then(|| {
            let text = self.text(&argument);
            vec![format!(".{}_else(|| {text})", self.str(i + 1))]
        })?;
        let (end, own) = (self.mate(i + 2) + 1, argument);
        Some(Found { end, own, forms })
    }

    /// `.to_vec().into_boxed_slice()`, and the same inside an `Option`.
    fn made_of_a_copy(&self, i: usize) -> Option<Found> {
        let copies = self.str(i) == "." && self.is(i + 2, &["(", ")", "."]);
        if !copies || !is_copying(self.str(i + 1)) {
            return None;
        }
        let made = i + 5;
        let (end, other) = match self.str(made) {
            name if is_boxing(name) && self.is(made + 1, &["(", ")"]) => (made + 3, ".into()"),
            "map" if self.is_open(made + 1) && is_boxing(self.str(self.mate(made + 1) - 1)) => {
                (self.mate(made + 1) + 1, ".as_deref().map(Into::into)")
            }
            _ => return None,
        };
        let forms = [".clone()", other].map(str::to_owned).to_vec();
        let own = i..end;
        Some(Found { end, own, forms })
    }

    /// `.map(|x| x.to_owned()).map(PathBuf::into_boxed_path)`.
    fn made_in_two_steps(&self, i: usize) -> Option<Found> {
        let first =
            (self.is(i, &[".", "map"]) && self.is_open(i + 2)).then(|| self.element(i + 2))??;
        let second = self.mate(i + 2) + 1;
        let is_mapped = self.is(second, &[".", "map"]) && self.is_open(second + 2);
        let close = is_mapped.then(|| self.mate(second + 2))?;
        let boxing = Some(self.str(close - 1)).filter(|name| is_boxing(name))?;
        let mut forms = Vec::new();
        if self.str(first.start) == "|" {
            let body = (first.start + 1..first.end).find(|&at| self.str(at) == "|")? + 1;
            let params = self.text(&(first.start..body));
            let whole = self.operand(body)? == first.end;
            let is_copy = whole
                && first.end >= body + 5
                && self.is(first.end - 2, &["(", ")"])
                && is_copying(self.str(first.end - 3));
            forms.extend(is_copy.then(|| {
                let of = self.text(&(body..first.end - 4));
                format!(".map({params} {of}.into())")
            }));
            let text = self.text(&(body..first.end));
            forms.extend(whole.then(|| format!(".map({params} {text}.{boxing}())")));
        } else if is_copying(self.str(first.end - 1)) || self.str(first.end - 1) == "from" {
            forms.push(".map(Into::into)".to_owned());
        }
        let (end, own) = (close + 1, second..close + 1);
        Some(Found { end, own, forms })
    }

    /// `Box::new(*x)`: `x` may be the box.
    fn made_again(&self, i: usize) -> Option<Found> {
        let is_call = self.is(i, &["Box", ":", ":", "new"]) && self.is_open(i + 4);
        let close = is_call.then(|| self.mate(i + 4))?;
        let stars = |at: usize| (at..close).take_while(|&at| self.str(at) == "*").count();
        let (count, inner) = (stars(i + 5), stars(i + 6));
        let is_cloned = |group: usize| self.is(group + 1, &[".", "clone", "(", ")"]);
        let (from, until) = match count {
            0 if self.is_open(i + 5) && inner > 0 => {
                let group = self.mate(i + 5);
                let whole = is_cloned(group) && group + 5 == close;
                whole.then_some((i + 6 + inner, group))?
            }
            0 => return None,
            _ => (i + 5 + count, close),
        };
        let end = self.operand(from).filter(|end| *end == until)?;
        let operand = self.text(&(from..end));
        let is_moved = count == 1;
        let moved = is_moved.then(|| operand.to_owned());
        let forms = moved.into_iter().chain([format!("{operand}.clone()")]);
        let (end, own, forms) = (close + 1, i..i + 7, forms.collect());
        Some(Found { end, own, forms })
    }

    /// `&**x == y`: what is compared needs as many stars as the other side. Elsewhere a trait object
    /// or a parameter may be asked for, which a box would be as well: another type.
    fn compared(&self, i: usize) -> Option<Found> {
        let end = self
            .is(i, &["&", "*", "*"])
            .then(|| self.operand(i + 3))??;
        let operand = self.text(&(i + 3..end));
        let forms = vec![format!("*{operand}"), format!("**{operand}")];
        let own = i..i + 3;
        self.sign(end).map(|_| Found { end, own, forms })
    }

    /// `*x == *y`.
    fn compared_behind_both(&self, i: usize) -> Option<Found> {
        let is_first = i.checked_sub(1).is_none_or(|b| self.str(b) != "*");
        let on = (is_first && self.str(i) == "*").then(|| self.operand(i + 1))??;
        let (sign, with) = (self.sign(on)?, on + 2);
        let end = (self.str(with) == "*").then(|| self.operand(with + 1))??;
        let (on, of) = (self.text(&(i + 1..on)), self.text(&(with + 1..end)));
        let (own, forms) = (i..i + 1, vec![format!("{on} {sign} {of}")]);
        Some(Found { end, own, forms })
    }

    /// Returns the comparison at a token.
    fn sign(&self, at: usize) -> Option<&'static str> {
        match (self.str(at), self.str(at + 1)) {
            ("=", "=") => Some("=="),
            ("!", "=") => Some("!="),
            _ => None,
        }
    }

    /// `Some(Box::new(x)) == y`, or the other way round.
    fn compared_with_a_box(&self, i: usize) -> Option<Found> {
        let boxed = |at: usize| {
            let is_call = self.is(at, &["Some", "(", "Box", ":", ":", "new"]);
            let inside = (is_call && self.is_open(at + 6)).then(|| self.element(at + 6))??;
            let is_whole = self.mate(at + 6) + 1 == self.mate(at + 1);
            let is_operand = self.operand(inside.start) == Some(inside.end) || inside.len() == 1;
            let fits = is_whole && is_operand && self.is_value(&inside);
            fits.then(|| (self.text(&inside), self.mate(at + 1) + 1))
        };
        let (value, other, sign, own, end) = match boxed(i) {
            Some((value, behind)) => {
                let (sign, at) = (self.sign(behind)?, behind + 2);
                let end = self.operand(at)?;
                (value, at..end, sign, i..behind, end)
            }
            None => {
                let at = self.operand(i)?;
                let sign = self.sign(at)?;
                let (value, end) = boxed(at + 2)?;
                (value, i..at, sign, at + 2..end, end)
            }
        };
        let forms = vec![format!(
            "{}.as_deref() {sign} Some(&{value})",
            self.text(&other)
        )];
        Some(Found { end, own, forms })
    }

    /// `(*x).cmp(&*y)`.
    fn compared_by_a_method(&self, i: usize) -> Option<Found> {
        let group = (self.is_open(i) && self.str(i + 1) == "*").then(|| self.mate(i))?;
        let on = self.operand(i + 2).filter(|end| *end == group)?;
        let open = group + 3;
        let is_call = self.str(group + 1) == "." && self.is_open(open);
        let with =
            (is_call && self.is(open + 1, &["&", "*"])).then(|| self.operand(open + 3))??;
        let form = || {
            let (on, with) = (self.text(&(i + 2..on)), self.text(&(open + 3..with)));
            format!("{on}.{}(&{with})", self.str(group + 2))
        };
        let forms = (with == self.mate(open)).then(|| vec![form()])?;
        let (end, own) = (with + 1, i..i + 2);
        Some(Found { end, own, forms })
    }

    /// `x.map(String::from).unwrap()`.
    fn taken_as_a_reference(&self, i: usize) -> Option<Found> {
        let is_map = self.is(i, &[".", "map"]) && self.is_open(i + 2);
        let close = is_map.then(|| self.mate(i + 2))?;
        let is_taken = self.str(close - 1) == "from"
            && self.str(close + 1) == "."
            && matches!(self.str(close + 2), "unwrap" | "expect");
        let forms = is_taken.then(|| vec![".as_deref()".to_owned()])?;
        let (end, own) = (close + 1, i..close + 1);
        Some(Found { end, own, forms })
    }

    /// `x: x` of a struct.
    fn named_as_its_field(&self, i: usize) -> Option<Found> {
        let before = i.checked_sub(1).map_or("", |b| self.str(b));
        let name = self.str(i);
        let is_whole = matches!(before, "{" | ",") && matches!(self.str(i + 3), "," | "}");
        let is_named = is_whole && self.is_name(i) && self.is(i + 1, &[":", name]);
        is_named.then(|| Found {
            end: i + 3,
            own: i..i + 3,
            forms: vec![name.to_owned()],
        })
    }
}

/// Returns what may be shorter of what edits wrote in a text.
fn choices(path: &Path, new: &str, written: &[Range<usize>]) -> Vec<Choice> {
    let source = Sources::default().add(path.to_owned(), new.to_owned(), None);
    let list = lower::tokens(&source);
    let code = Code { source, list };
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
    /// of the files with errors are given up.
    pub fn go_on(&mut self, troubles: &[Trouble], wholly: bool) {
        let mut wrong: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for trouble in troubles {
            let (path, list) = self.blamed(trouble, wholly);
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
    fn blamed(&self, trouble: &Trouble, wholly: bool) -> (PathBuf, Vec<usize>) {
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
                for around in near.around(text, place) {
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
    fn around(&self, text: &str, place: &Place) -> Vec<Range<usize>> {
        match self {
            Near::Part => std::iter::once(place.offset..place.end).collect(),
            Near::Line => std::iter::once(line(text, place.offset)).collect(),
            Near::Block => groups(text, place),
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

/// The blocks and brackets around a place, the smallest first, and the whole text.
fn groups(text: &str, place: &Place) -> Vec<Range<usize>> {
    let source = Sources::default().add(place.path.clone(), text.to_owned(), None);
    let tokens = lower::tokens(&source);
    let opens = tokens.iter().filter(|t| t.kind == Kind::Open);
    let around = opens.map(|t| t.start as usize..tokens[t.mate as usize].end as usize);
    let mut groups: Vec<_> = around.filter(|g| g.contains(&place.offset)).collect();
    groups.push(0..text.len());
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
            // `Some(x.y)` may be a box as `&dyn Error`.
            ("Some(«&**»x.y)", ""),
            ("f(«&*»x.y)", ""),
            (
                "a.ok_or(E::B { c: «Box::new(»c«)» })?",
                ".ok_or(E::B { c: Box::new(c) }) -> .ok_or_else(|| E::B { c: Box::new(c) })",
            ),
            ("a.ok_or(E::B(«Box::new(»it.next()«)»))?", ""),
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
