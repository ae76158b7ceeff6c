//! Splits a type that is built and then shared: the type gets a parameter for its buffer, and the
//! shared form has a boxed slice there. Methods that only read are generic over both.

use super::join::{head, margin};
use super::places::Place;
use super::text::{self, Tokens};
use super::{Buffer, Editor, Shape, Work, inner, key};
use crate::infer::body::FieldId;
use crate::ir::body::ExprKind;
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::lower::Kind;
use crate::name::{Name, words};
use crate::resolve::ty::TyKind;
use crate::resolve::{Def, ItemId, ModId, Ns};
use crate::span::{FileId, Span};
use crate::usage::events::At;
use std::ops::Range;

/// Names for the parameter; the first that the file does not use is taken.
const NAMES: &[&str] = &["B", "C", "Buf", "Commands"];

/// Pointers that share their contents.
pub(super) const SHARING: &[&str] = &["Arc", "Rc"];

/// Types that every module can name in the same way.
const EVERYWHERE: &[&str] = &[
    "String", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128",
    "u16", "u32", "u64", "u8", "usize",
];

/// Returns the path of the shared form of a type, in the same module.
pub fn frozen(path: &str) -> String {
    match path.rsplit_once("::") {
        Some((modules, name)) => format!("{modules}::Frozen{name}"),
        None => format!("Frozen{path}"),
    }
}

/// A type that is split.
struct Split {
    /// The buffer field, in each target that contains its file.
    ids: Vec<FieldId>,
    item: &'static ir::Item,
    home: ModId,
    /// The name of the shared form.
    frozen: String,
    /// The parameter, and the buffer's element type as written in the definition.
    parameter: &'static str,
    element: String,
    /// The element type as other modules can name it.
    element_elsewhere: Option<String>,
    /// The visibility of the type.
    vis: String,
}

impl Split {
    /// Returns the header of an `impl` for both forms.
    fn reading(&self) -> String {
        let Split {
            parameter,
            element,
            item,
            ..
        } = self;
        format!(
            "impl<{parameter}: ::core::ops::Deref<Target = [{element}]>> {}<{parameter}>",
            item.name
        )
    }
}

impl Editor<'_> {
    /// Returns the type that contains this buffer.
    fn split(&self, span: Span) -> Option<Split> {
        let db = self.model.db;
        let ids = self.fields.get(&key(self.model, span))?.clone();
        let own = *ids.iter().find(|id| self.infos.contains_key(&id.adt))?;
        let data = db.item(own.adt);
        let (variant, field) = self.field(own)?;
        let ItemKind::Adt(adt) = &data.item.kind else {
            return None;
        };
        let plain = adt.kind == AdtKind::Struct
            && variant.style == Style::Named
            && adt.generics.params.is_empty()
            && !db.module(data.module).block;
        if !plain || self.buffer(span, Some) != Some(Buffer::Vec) {
            return None;
        }
        let (item, written) = db.sources.origin(data.item.span);
        let tokens = self.files.get(&db.sources, item.file);
        let has = |word: &str| (0..tokens.list.len()).any(|i| tokens.str(i) == word);
        let frozen = frozen(data.item.name.as_str());
        // The new methods would conflict with existing ones.
        if !written || has("freeze") || has(&frozen) {
            return None;
        }
        let (_, vis) = head(&tokens, item)?;
        let text = db.sources.text(db.sources.origin(field.ty_span).0);
        let element = text[inner(&text, "Vec")?].to_owned();
        Some(Split {
            item: data.item,
            home: data.module,
            frozen,
            parameter: NAMES.iter().find(|name| !has(name))?,
            element_elsewhere: self.named_elsewhere(data.module, &element),
            element,
            vis,
            ids,
        })
    }

    /// Returns how every module of a crate can name a type that one module names so.
    fn named_elsewhere(&self, home: ModId, text: &str) -> Option<String> {
        let db = self.model.db;
        let mut words = words(text);
        let plain = |c: char| c.is_alphanumeric() || "_(), ".contains(c);
        if text.chars().all(plain) && words.all(|w| EVERYWHERE.contains(&w)) {
            return Some(text.to_owned());
        }
        let found = db.resolve(home, false, &[Name::new(text)], Ns::Type);
        let Some(Def::Item(id)) = found.ok().flatten().map(|found| found.def) else {
            return None;
        };
        let data = db.item(id);
        let own = db.krate_of(data.module) == db.krate_of(home) && data.item.name == text;
        own.then(|| absolute(&db.module_path(data.module), text))
    }
}

/// Returns a path from the crate root.
fn absolute(module: &str, name: &str) -> String {
    let names = module.split("::").filter(|n| !n.is_empty());
    let names: String = names.map(|n| format!("{n}::")).collect();
    format!("crate::{names}{name}")
}

impl Work<'_> {
    /// Splits the type that contains this buffer.
    pub(super) fn split(&mut self, span: Span) -> Option<()> {
        let editor = self.editor;
        let split = editor.split(span)?;
        self.parametrize(&split, span)?;
        let readers = self.parted(&split)?;
        self.is_parameter = true;
        for &id in &split.ids {
            for &at in editor.usage.events.named(id) {
                let function = self.typed(at.body).function.item;
                let of = editor.model.db.item(function).item.span;
                let (real, _) = editor.model.db.sources.origin(of);
                let is_here = |(file, range): &(FileId, Range<u32>)| {
                    *file == real.file && range.contains(&real.start)
                };
                if readers.iter().any(is_here) {
                    self.used(at, Place::Owned, Shape::Frozen(Buffer::Vec));
                }
            }
        }
        if !self.shared(&split) {
            return None;
        }
        self.mentioned(&split);
        // Type inference may fail where neither form is named, so rustc has to check.
        self.certain = false;
        Some(())
    }

    /// Edits the definition, and adds the alias for the shared form and the conversion to it.
    fn parametrize(&mut self, split: &Split, field: Span) -> Option<()> {
        let sources = &self.editor.model.db.sources;
        let Split {
            item,
            frozen,
            parameter,
            element,
            vis,
            ids,
            ..
        } = split;
        let (name, whole) = (self.real(item.name_span)?, self.real(item.span)?);
        let (variant, changed) = self.editor.field(*ids.first()?)?;
        let of = item.name;
        let given = format!("<{parameter} = Vec<{element}>>");
        self.edits.around(name, text::INNER, "", &given);
        self.edits
            .replace(self.real(field)?, (*parameter).to_owned());
        let fields = variant.fields.iter().map(|f| match f.name == changed.name {
            true => format!("{0}: self.{0}.into_boxed_slice()", f.name),
            false => format!("{0}: self.{0}", f.name),
        });
        let fields: Vec<String> = fields.collect();
        let lines = [
            String::new(),
            format!("/// A [`{of}`] that grows no more."),
            format!("{vis}type {frozen} = {of}<Box<[{element}]>>;"),
            String::new(),
            format!("impl {of} {{"),
            "    /// It grows no more: its spare capacity goes.".to_owned(),
            format!("    {vis}fn freeze(self) -> {frozen} {{"),
            format!("        {of} {{ {} }}", fields.join(", ")),
            "    }".to_owned(),
            "}".to_owned(),
        ];
        let text = &sources.get(whole.file).text;
        let margin = margin(text, whole.start);
        let lines = lines.map(|line| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("\n{margin}{line}"),
        });
        let end = Span {
            start: whole.end,
            ..whole
        };
        self.edits.around(end, text::OUTER, &lines.concat(), "");
        Some(())
    }

    /// Divides each `impl` of the type into methods that build and methods that only read; returns
    /// the ranges of the latter.
    fn parted(&mut self, split: &Split) -> Option<Vec<(FileId, Range<u32>)>> {
        let editor = self.editor;
        let db = editor.model.db;
        let mut owners: Vec<ItemId> = Vec::new();
        for typed in &editor.usage.bodies {
            let Some(owner) = typed.function.owner else {
                continue;
            };
            let ItemKind::Impl(imp) = &db.item(owner).item.kind else {
                continue;
            };
            let ir::Type::Path(path) = &imp.self_ty else {
                continue;
            };
            let module = db.item(owner).module;
            let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
            let found = db.resolve(module, path.global, &names, Ns::Type);
            let is = |id: ItemId| split.ids.iter().any(|own| own.adt == id);
            let of = matches!(found.ok().flatten().map(|f| f.def), Some(Def::Item(id)) if is(id));
            if of && imp.trait_.is_none() && !owners.contains(&owner) {
                owners.push(owner);
            }
        }
        let mut readers = Vec::new();
        for owner in owners {
            let real = self.real(db.item(owner).item.span)?;
            let tokens = editor.files.get(&db.sources, real.file);
            let first = tokens.at(real.start);
            let open = first + 2;
            let plain = tokens.str(first) == "impl"
                && tokens.str(first + 1) == split.item.name.as_str()
                && tokens.is(open, b'{');
            if !plain {
                return None;
            }
            let margin = margin(&tokens.source.text, real.start);
            let mut reads = false;
            let mut before = tokens.list[open].end;
            for (n, member) in members(&tokens, open).into_iter().enumerate() {
                let reading = is_reader(&tokens, &member, split.item.name.as_str());
                let end = tokens.list[member.end - 1].end;
                if reading {
                    readers.push((real.file, tokens.list[member.start].start..end));
                }
                let header = match reading {
                    true => split.reading(),
                    false => format!("impl {}", split.item.name),
                };
                let at = |start, end| Span { start, end, ..real };
                if reading != reads && n == 0 {
                    let (first, name) = (tokens.list[first], tokens.list[first + 1]);
                    self.edits.replace(at(first.start, name.end), header);
                } else if reading != reads {
                    let text = format!("\n{margin}}}\n\n{margin}{header} {{");
                    self.edits
                        .around(at(before, before), text::OUTER, &text, "");
                }
                (reads, before) = (reading, end);
            }
        }
        Some(readers)
    }

    /// Freezes values that are put into a shared pointer; false if there is none.
    fn shared(&mut self, split: &Split) -> bool {
        let mut any = false;
        let editor = self.editor;
        let db = editor.model.db;
        for (body, typed) in editor.usage.bodies.iter().enumerate() {
            for (_, node, _) in typed.exprs() {
                let ExprKind::Call(callee, args) = &node.kind else {
                    continue;
                };
                let ExprKind::Path(path) = &typed.node(*callee).kind else {
                    continue;
                };
                let names: Vec<&str> = path.segments.iter().map(|s| s.name.as_str()).collect();
                let ([.., of, "new"], [value]) = (&names[..], &args[..]) else {
                    continue;
                };
                let is_it = match db.types.kind(typed.fact(*value).ty) {
                    TyKind::Adt(id, _) => split.ids.iter().any(|own| own.adt == *id),
                    _ => false,
                };
                if SHARING.contains(of) && is_it {
                    self.behind(At { body, expr: *value }, ".freeze()");
                    any = true;
                }
            }
        }
        any
    }

    /// Names the shared form where a shared value is named, and both forms where a value is only
    /// read.
    fn mentioned(&mut self, split: &Split) {
        let editor = self.editor;
        let db = editor.model.db;
        let homes = split.ids.iter().map(|id| db.item(id.adt).module);
        let homes: Vec<ModId> = homes.collect();
        for span in editor.words().named(editor, &[split.item.name.as_str()]) {
            let tokens = editor.files.get(&db.sources, span.file);
            let at = tokens.at(span.start);
            if let Some(variable) = defaulted(&tokens, at) {
                // Otherwise the type stays as it is.
                let path = tokens.text(&(tokens.start_of_path(at)..at + 1));
                let end = tokens.list[variable].end;
                let behind = Span {
                    start: end,
                    end,
                    ..span
                };
                self.edits
                    .around(behind, text::INNER, &format!(": {path}"), "");
            }
            let Some(place) = place(&tokens, at) else {
                continue;
            };
            let modules = editor.words().modules_of(&tokens.source.path);
            let same = |module: &ModId| {
                let krate = db.krate_of(*module);
                homes.iter().any(|home| db.krate_of(*home) == krate)
            };
            let Some(module) = modules.iter().find(|module| same(module)) else {
                self.leave(span, "is in another crate");
                continue;
            };
            let is_home = homes.contains(module);
            let first = tokens.start_of_path(at);
            // An inline module has its own scope.
            let near = is_home && !is_in_module(&tokens, at);
            match place {
                Mention::Shared => {
                    let path = match near {
                        true => split.frozen.clone(),
                        false => absolute(&db.module_path(split.home), &split.frozen),
                    };
                    let start = tokens.list[first].start;
                    self.edits.replace(Span { start, ..span }, path);
                }
                Mention::Lent => {
                    let element = match near {
                        true => Some(&split.element),
                        false => split.element_elsewhere.as_ref(),
                    };
                    match element {
                        Some(element) => {
                            let text = format!("<impl ::core::ops::Deref<Target = [{element}]>>");
                            self.edits.around(span, text::INNER, "", &text);
                        }
                        None => self.leave(span, "cannot name the element type"),
                    }
                }
            }
        }
    }
}

/// What the type's name means at a place.
enum Mention {
    /// The shared form, or a reference to it.
    Shared,
    /// A parameter `x: &T` that is only read.
    Lent,
}

/// Returns what the type's name at a token means; none for a value, or a type that may still grow.
fn place(tokens: &Tokens, at: usize) -> Option<Mention> {
    let first = tokens.start_of_path(at);
    let before = |n: usize| first.checked_sub(n).map_or("", |i| tokens.str(i));
    if before(1) == "<" && SHARING.contains(&before(2)) && tokens.str(at + 1) == ">" {
        return Some(Mention::Shared);
    }
    // `&T` or `&'a T`.
    let lifetime = first
        .checked_sub(1)
        .is_some_and(|i| tokens.list[i].kind == Kind::Lifetime);
    let and = 1 + usize::from(lifetime);
    if before(and) != "&" {
        return None;
    }
    if before(and + 1) == ">" && before(and + 2) == "-" {
        return Some(Mention::Shared);
    }
    let is_argument = before(and + 1) == ":" && matches!(tokens.str(at + 1), "," | ")");
    (is_argument && is_in_signature(tokens, at)).then_some(Mention::Lent)
}

/// Returns the variable of `let mut name = Type::default()`; the type's name is the token at `at`.
fn defaulted(tokens: &Tokens, at: usize) -> Option<usize> {
    let made = tokens.ends_path_sep(at + 2) && tokens.str(at + 3) == "default";
    let equals = tokens.start_of_path(at).checked_sub(1)?;
    let variable = equals.checked_sub(1)?;
    let before = variable.checked_sub(1).map_or("", |i| tokens.str(i));
    let is_let = tokens.str(equals) == "=" && matches!(before, "let" | "mut");
    (made && is_let).then_some(variable)
}

/// Returns true in the parameters of a function definition.
fn is_in_signature(tokens: &Tokens, at: usize) -> bool {
    let Some(open) = tokens.outer(at).filter(|&o| tokens.is(o, b'(')) else {
        return false;
    };
    let mut i = open;
    if i > 0 && tokens.str(i - 1) == ">" {
        let mut angles = 0;
        while i > 0 {
            i -= 1;
            match tokens.str(i) {
                ">" if tokens.str(i.saturating_sub(1)) != "-" => angles += 1,
                "<" => angles -= 1,
                _ => {}
            }
            if angles == 0 {
                break;
            }
        }
    }
    i >= 2 && tokens.is_ident(i - 1) && tokens.str(i - 2) == "fn"
}

/// Returns true inside of `mod name { … }`.
fn is_in_module(tokens: &Tokens, at: usize) -> bool {
    let mut groups = std::iter::successors(tokens.outer(at), |&o| tokens.outer(o));
    groups.any(|o| o >= 2 && tokens.is(o, b'{') && tokens.str(o - 2) == "mod")
}

/// Returns the members of an `impl` whose braces open at a token, each with its attributes.
fn members(tokens: &Tokens, open: usize) -> Vec<Range<usize>> {
    let close = tokens.list[open].mate as usize;
    let mut list = Vec::new();
    let (mut start, mut i) = (open + 1, open + 1);
    while i < close {
        let token = tokens.list[i];
        let ends = match token.kind {
            Kind::Open => {
                i = token.mate as usize;
                token.byte == b'{'
            }
            Kind::Punct => token.byte == b';',
            _ => false,
        };
        i += 1;
        if ends {
            list.push(start..i);
            start = i;
        }
    }
    list
}

/// Returns true for a method that takes `&self` and does not name the type.
fn is_reader(tokens: &Tokens, member: &Range<usize>, name: &str) -> bool {
    let mut words = member.clone();
    if words.any(|i| matches!(tokens.str(i), "Self") || tokens.str(i) == name) {
        return false;
    }
    let Some(function) = member.clone().find(|&i| tokens.str(i) == "fn") else {
        return false;
    };
    let mut angles = 0;
    let mut open = None;
    for i in function + 2..member.end {
        match tokens.str(i) {
            "<" => angles += 1,
            ">" if tokens.str(i - 1) != "-" => angles -= 1,
            "(" if angles == 0 => {
                open = Some(i);
                break;
            }
            _ => {}
        }
    }
    let Some(open) = open.filter(|&o| tokens.is(o + 1, b'&')) else {
        return false;
    };
    let lifetime = tokens.list[open + 2].kind == Kind::Lifetime;
    tokens.str(open + 2 + usize::from(lifetime)) == "self"
}
