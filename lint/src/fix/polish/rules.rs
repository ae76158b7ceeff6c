//! The rules of shorter forms: which code has one, and which.

use crate::lower::{self, Kind, Token};
use crate::source::{SourceFile, Sources};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// What a rule says of the code that begins at a token.
pub(super) struct Found {
    /// The token behind it.
    pub(super) end: usize,
    /// The tokens of which an edit must have written one.
    pub(super) own: Range<usize>,
    pub(super) forms: Vec<String>,
}

/// The name of a method that makes a box of a buffer.
fn is_boxing(name: &str) -> bool {
    name.starts_with("into_boxed_")
}

/// The name of a method of std that makes a buffer of what a reference refers to, and of no other:
/// `to_lowercase` makes another text.
fn is_copying(name: &str) -> bool {
    matches!(
        name,
        "to_os_string" | "to_owned" | "to_path_buf" | "to_string" | "to_vec"
    )
}

/// A text with its tokens.
pub(super) struct Code {
    source: Arc<SourceFile>,
    pub(super) list: Vec<Token>,
}

impl Code {
    /// Tokenizes a text.
    pub(super) fn of(path: &Path, text: &str) -> Code {
        let source = Sources::default().add(path.to_owned(), text.to_owned(), None);
        let list = lower::tokens(&source);
        Code { source, list }
    }

    pub(super) fn str(&self, i: usize) -> &str {
        let token = self.list.get(i);
        token.map_or("", |t| &self.source.text[t.start as usize..t.end as usize])
    }

    pub(super) fn range(&self, tokens: &Range<usize>) -> Range<usize> {
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

    /// Returns true for tokens that make a value and do nothing else. An operator may panic.
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
                "!" | "?"
                    | "%"
                    | "*"
                    | "+"
                    | "-"
                    | "/"
                    | "<"
                    | ">"
                    | "await"
                    | "break"
                    | "continue"
                    | "return"
            ),
        })
    }

    /// Returns what the rules say of the code that begins at a token.
    pub(super) fn found(&self, i: usize) -> Option<Found> {
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
            Code::copied_from_behind,
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
            let open = self.mate(on.end - 1);
            let is_mapped = open > on.start + 2 && self.is(open - 2, &[".", "map", "("]);
            let joined = || self.joined(self.element(open)?, self.str(function.end - 1));
            let joined = is_mapped.then(joined).flatten().into_iter().flatten();
            forms.extend(joined.map(|call| self.text(&(on.start..open - 2)).to_owned() + &call));
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
        let forms = self.joined(first, self.str(close - 1))?;
        let (end, own) = (close + 1, second..close + 1);
        Some(Found { end, own, forms })
    }

    /// Returns the calls of `map` that do what two do: one with this function, and one that makes a
    /// box of its result.
    fn joined(&self, first: Range<usize>, boxing: &str) -> Option<Vec<String>> {
        let mut forms = Vec::new();
        if !is_boxing(boxing) {
            return None;
        }
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
        } else if is_copying(self.str(first.end - 1)) || self.is_from_of_a_buffer(first.end) {
            forms.push(".map(Into::into)".to_owned());
        }
        Some(forms)
    }

    /// Whether a path ends before a token as `String::from` does.
    fn is_from_of_a_buffer(&self, end: usize) -> bool {
        let is_from = end >= 4 && self.is(end - 3, &[":", ":", "from"]);
        is_from && matches!(self.str(end - 4), "OsString" | "PathBuf" | "String")
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

    /// `x.as_deref().copied().unwrap()`.
    fn copied_from_behind(&self, i: usize) -> Option<Found> {
        let end = self.is_name(i).then(|| self.operand(i))??;
        let call = [".", "as_deref", "(", ")", ".", "copied", "(", ")"];
        let rest = [".", "unwrap", "(", ")"];
        let at = end
            .checked_sub(call.len() + rest.len())
            .filter(|at| *at > i)?;
        let is_it = self.is(at, &call) && self.is(at + call.len(), &rest);
        let before = i.checked_sub(1).map_or("", |b| self.str(b));
        let is_alone = matches!(before, "=" | "(" | "," | "return");
        let (own, operand) = (at..at + call.len(), self.text(&(i..at)));
        let forms = vec![format!("*{operand}.unwrap()")];
        (is_it && is_alone).then_some(Found { end, own, forms })
    }
}
