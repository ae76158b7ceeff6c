//! Moves some fields of a variant into one box, which takes the place of the first of them.

use super::Work;
use super::join::{Joined, head, indent, lifetimes, margin};
use super::text::Tokens;
use crate::infer::body::Typed;
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::span::Span;
use crate::usage::events::At;
use std::ops::Range;

/// Names for the field that holds the box; the first that the variant does not use is taken.
const NAMES: &[&str] = &["parts", "boxed", "inside"];

impl Joined<'_> {
    /// Returns the name of the new field, with a colon; empty for a tuple variant.
    pub(super) fn field(&self) -> Option<String> {
        if self.name.is_none() {
            return Some(String::new());
        }
        let mut names = NAMES.iter();
        let free = names.find(|name| self.variant.fields.iter().all(|f| f.name != **name));
        Some(format!("{}: ", free?))
    }

    /// Returns the subpatterns of the moved fields, with their indices in the pattern.
    fn parts(&self, typed: &Typed, pat: PatId) -> Option<Vec<(usize, PatId)>> {
        let body = &typed.function.body;
        match &body.pat(pat).kind {
            PatKind::Struct(_, fields, _) => {
                let names = self.fields.iter().map(|&f| self.variant.fields[f].name);
                let names: Vec<_> = names.collect();
                let parts = fields.iter().enumerate();
                let parts = parts.filter(|(_, (name, _))| names.contains(name));
                Some(parts.map(|(i, (_, part))| (i, *part)).collect())
            }
            PatKind::TupleStruct(_, all) => {
                let rest = |p: &PatId| matches!(body.pat(*p).kind, PatKind::Rest);
                let (first, last) = (*self.fields.first()?, *self.fields.last()?);
                match all.iter().position(rest) {
                    None => self
                        .fields
                        .iter()
                        .map(|&f| Some((f, *all.get(f)?)))
                        .collect(),
                    // `..` must cover all moved fields, or the pattern names some of them.
                    Some(at) => {
                        let behind = all.len() - at - 1;
                        let covers = at <= first && last + behind < self.variant.fields.len();
                        covers.then(Vec::new)
                    }
                }
            }
            _ => None,
        }
    }
}

impl Work<'_> {
    /// Edits the variant and adds the struct; the delimiter of the fields opens at `open`.
    pub(super) fn declare_part(
        &mut self,
        joined: &Joined,
        tokens: &Tokens,
        open: usize,
        boxed: &str,
    ) -> Option<()> {
        let item = self.real(joined.item.span)?;
        let list = tokens.elements(open);
        if list.len() != joined.variant.fields.len() {
            return None;
        }
        // A comment after a comma belongs to the field before it, and would be lost.
        if gaps(tokens, &list, &joined.fields).any(|gap| {
            let line = gap.split('\n').next().unwrap_or_default();
            has_comment(line)
        }) {
            return None;
        }
        let field = joined.field()?;
        let text = &tokens.source.text;
        let moved: Vec<&Range<usize>> = joined.fields.iter().map(|&f| &list[f]).collect();
        let named = moved
            .iter()
            .map(|of| lifetimes(joined, tokens, (*of).clone()));
        let mut named: Vec<String> = named.collect::<Option<_>>()?;
        named.retain(|l| !l.is_empty());
        named.dedup();
        let lifetimes = match &named[..] {
            [] => "",
            [one] => one,
            _ => return None,
        };
        // The fields with the comments above them.
        let with_docs = |of: &Range<usize>| {
            let from = tokens.list[of.start - 1].end as usize;
            let between = &text[from..tokens.list[of.start].start as usize];
            // A comment after the previous field's comma belongs to that field.
            let own = match between.split_once('\n') {
                Some((line, rest)) if !line.trim().is_empty() => rest,
                _ => between,
            };
            from + between.len() - own.trim_start().len()
        };
        let (derives, vis) = head(tokens, item)?;
        let outer = margin(text, item.start);
        let mut fields = Vec::new();
        for (&of, &f) in moved.iter().zip(&joined.fields) {
            let name = self.real(joined.variant.fields[f].name_span)?.start as usize;
            let end = tokens.list[of.end - 1].end as usize;
            let column = indent(text, tokens.list[of.start].start);
            let whole = format!("{}{vis}{}", &text[with_docs(of)..name], &text[name..end]);
            fields.push(shifted(&whole, column, outer));
        }
        let new = match &joined.name {
            Some(new) => format!("{new}{lifetimes}"),
            None => {
                let types: Vec<&str> = moved.iter().map(|of| tokens.text(of)).collect();
                format!("({})", types.join(", "))
            }
        };
        let start = with_docs(moved[0]) as u32;
        self.gather(
            tokens,
            &list,
            &joined.fields,
            start,
            format!("{field}{boxed}<{new}>"),
        );
        if joined.name.is_some() {
            let separator = format!(",\n{outer}    ");
            let fields = format!("{{\n{outer}    {},\n{outer}}}", fields.join(&separator));
            self.add_struct(joined, tokens, item, (&derives, &vis), lifetimes, &fields)?;
        }
        Some(())
    }

    /// Replaces the first of some elements, from `start` on, by a text, and deletes the others with
    /// the commas before them.
    fn gather(
        &mut self,
        tokens: &Tokens,
        list: &[Range<usize>],
        moved: &[usize],
        start: u32,
        text: String,
    ) {
        let first = Span {
            file: tokens.source.id,
            start,
            end: tokens.list[list[moved[0]].end - 1].end,
        };
        self.edits.replace(first, text);
        self.take_away(tokens, list, &moved[1..]);
    }

    /// Deletes elements with the commas before them.
    fn take_away(&mut self, tokens: &Tokens, list: &[Range<usize>], which: &[usize]) {
        let end = |of: &Range<usize>| tokens.list[of.end - 1].end;
        for &i in which {
            let away = Span {
                file: tokens.source.id,
                start: end(&list[i - 1]),
                end: end(&list[i]),
            };
            self.edits.replace(away, String::new());
        }
    }

    /// Edits a literal or a constructor call.
    pub(super) fn built_part(
        &mut self,
        joined: &Joined,
        at: At,
        tokens: &Tokens,
        open: usize,
        [boxed, path]: [&str; 2],
    ) {
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        let list = tokens.elements(open);
        let values: Vec<ExprId> = match &node.kind {
            ExprKind::Struct(_, fields, None) => fields.iter().map(|(_, v)| *v).collect(),
            ExprKind::Call(_, args) => args.clone(),
            _ => Vec::new(),
        };
        let (Some(field), true) = (joined.field(), list.len() == joined.variant.fields.len())
        else {
            self.leave(node.span, "constructs it in an unsupported way");
            return;
        };
        let moved: Vec<usize> = match &node.kind {
            ExprKind::Struct(_, fields, None) => {
                let named = |i: &usize| {
                    let mut of = joined.fields.iter().map(|&f| joined.variant.fields[f].name);
                    of.any(|name| name == fields[*i].0)
                };
                (0..fields.len()).filter(named).collect()
            }
            ExprKind::Call(..) => joined.fields.clone(),
            _ => Vec::new(),
        };
        if moved.len() != joined.fields.len() || values.len() != list.len() {
            self.leave(node.span, "passes the constructor as a function");
            return;
        }
        if gaps(tokens, &list, &moved).any(has_comment) {
            self.leave(node.span, "has comments between its fields");
            return;
        }
        // Only expressions without side effects may be evaluated in another order.
        let idle = |i: usize| {
            let kind = &typed.node(values[i]).kind;
            matches!(kind, ExprKind::Path(_) | ExprKind::Lit(_))
        };
        let mut between = (moved[0]..moved[moved.len() - 1]).filter(|i| !moved.contains(i));
        if !between.all(idle) {
            self.leave(node.span, "evaluates other fields between them");
            return;
        }
        let texts: Vec<&str> = moved.iter().map(|&i| tokens.text(&list[i])).collect();
        let texts = texts.join(", ");
        let new = match &joined.name {
            Some(_) => format!("{field}{boxed}::new({path} {{ {texts} }})"),
            None => format!("{boxed}::new(({texts}))"),
        };
        let start = tokens.list[list[moved[0]].start].start;
        self.gather(tokens, &list, &moved, start, new);
    }

    /// Edits a pattern; the delimiter of its fields opens at `open`.
    pub(super) fn taken_part(
        &mut self,
        joined: &Joined,
        body: usize,
        pat: PatId,
        tokens: &Tokens,
        open: usize,
    ) {
        let typed = self.typed(body);
        let span = typed.function.body.pat(pat).span;
        let list = tokens.elements(open);
        let (Some(parts), Some(field)) = (joined.parts(typed, pat), joined.field()) else {
            self.leave(span, "destructures it");
            return;
        };
        let (moved, parts): (Vec<usize>, Vec<PatId>) = parts.into_iter().unzip();
        let (Some(&first), Some(&last)) = (moved.first(), moved.last()) else {
            return;
        };
        if last >= list.len() || gaps(tokens, &list, &moved).any(has_comment) {
            self.leave(span, "destructures it");
            return;
        }
        let idle = |p: &PatId| matches!(typed.function.body.pat(*p).kind, PatKind::Wild);
        if parts.iter().all(idle) {
            let start = tokens.list[list[first].start].start;
            self.gather(tokens, &list, &moved, start, format!("{field}_"));
            return;
        }
        let path = match &joined.name {
            Some(new) => self.path_to(joined, typed.function.module, new),
            None => Some(String::new()),
        };
        let (Some(path), false) = (path, self.in_matches(body, pat)) else {
            self.leave(span, "destructures it");
            return;
        };
        let texts: Vec<&str> = moved.iter().map(|&i| tokens.text(&list[i])).collect();
        let rest = if moved.len() < joined.fields.len() {
            ", .."
        } else {
            ""
        };
        let texts = format!("{}{rest}", texts.join(", "));
        let whole = match &joined.name {
            Some(_) => format!("{path} {{ {texts} }}"),
            None => format!("({texts})"),
        };
        let replaced = Span {
            file: tokens.source.id,
            start: tokens.list[list[first].start].start,
            end: tokens.list[list[first].end - 1].end,
        };
        self.unpack(body, pat, &parts, replaced, [&field, ""], &whole);
        self.take_away(tokens, &list, &moved[1..]);
    }
}

/// Returns the text between each moved element but the first and the element before it.
fn gaps<'t>(
    tokens: &'t Tokens,
    list: &[Range<usize>],
    moved: &[usize],
) -> impl Iterator<Item = &'t str> {
    moved.iter().skip(1).map(|&i| {
        let start = tokens.list[list[i - 1].end - 1].end as usize;
        &tokens.source.text[start..tokens.list[list[i].start].start as usize]
    })
}

fn has_comment(text: &str) -> bool {
    text.contains("//") || text.contains("/*")
}

/// Moves the lines of a field after the first from a column to one level below `outer`.
fn shifted(field: &str, column: usize, outer: &str) -> String {
    let lines = field.split('\n').enumerate();
    let lines = lines.map(|(n, line)| match line.get(..column) {
        Some(blank) if n > 0 && blank.trim().is_empty() => {
            format!("{outer}    {}", &line[column..])
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
