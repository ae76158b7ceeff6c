//! Moves fields of a variant into one box: as a tuple, or as a new struct.

use super::text::Tokens;
use super::{DERIVES, Editor, Work, text};
use crate::finding::Change;
use crate::infer::body::{FieldId, Target};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind};
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::lower::Kind;
use crate::model::{TypeInfo, freezing};
use crate::name::Name;
use crate::resolve::{Def, ItemId, ModId, Ns};
use crate::source::Sources;
use crate::span::Span;
use crate::usage::events::At;
use heck::{ToSnakeCase, ToUpperCamelCase};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A variant whose fields are moved into one box, all of them.
pub(super) struct Joined<'j> {
    /// The variant, in each target that contains its file.
    pub(super) variants: Vec<(ItemId, u32)>,
    pub(super) item: &'static ir::Item,
    pub(super) variant: &'j ir::Variant,
    /// The name of the new struct, for a variant with named fields.
    pub(super) name: Option<String>,
}

impl Joined<'_> {
    /// Returns true if the fields have no names and one type: the box holds an array.
    pub(super) fn is_array(&self, sources: &Sources) -> bool {
        let types = self.variant.fields.iter().map(|f| sources.text(f.ty_span));
        self.name.is_none() && types.collect::<FxHashSet<_>>().len() == 1
    }
}

impl Editor<'_> {
    /// Returns the variant that contains all of these fields.
    fn joined(&self, spans: &[Span]) -> Option<Joined<'static>> {
        let ids: Vec<FieldId> = self
            .fields
            .get(&super::key(self.model, *spans.first()?))?
            .clone();
        let first = *ids.first()?;
        let (variant, _) = self.field(first)?;
        let item = self.model.db.item(first.adt).item;
        let ItemKind::Adt(adt) = &item.kind else {
            return None;
        };
        let all = variant.fields.iter().map(|f| f.ty_span);
        if adt.kind != AdtKind::Enum || !all.eq(spans.iter().copied()) {
            return None;
        }
        let mut joined = Joined {
            variants: ids.iter().map(|id| (id.adt, id.variant)).collect(),
            item,
            variant,
            name: None,
        };
        match variant.style {
            Style::Named => joined.name = Some(self.free_name(first.adt, &joined)?),
            Style::Tuple => {}
            Style::Unit => return None,
        }
        Some(joined)
    }

    /// Returns a struct name that is not used in the enum's module and not given to another
    /// variant.
    fn free_name(&self, adt: ItemId, joined: &Joined) -> Option<String> {
        let db = self.model.db;
        let module = db.item(adt).module;
        let Joined { item, variant, .. } = joined;
        // One word alone says too little: `Cloned` of `Frame` is a `ClonedFrame`.
        let alone = variant.name.to_string();
        let is_word = !alone.to_snake_case().contains('_');
        let whole = item.name.to_string();
        let last = whole
            .to_snake_case()
            .rsplit('_')
            .next()
            .map(ToUpperCamelCase::to_upper_camel_case);
        let last = last.filter(|last| is_word && *last != alone);
        let names = [
            last.map(|last| format!("{alone}{last}")),
            (!is_word).then(|| alone.clone()),
            Some(format!("{alone}Data")),
            Some(format!("{whole}{alone}")),
        ];
        let krate = db.krate_of(module);
        let is_type = |name: &str| {
            let mut types = self.model.types().iter();
            types.any(|t| t.krate == krate && db.item(t.item).item.name == *name)
        };
        let mut given = self.given.lock();
        let name = names.into_iter().flatten().find(|name| {
            if is_type(name) {
                return false;
            }
            let other = given.get(&(module, name.clone()));
            if other.is_some_and(|of| *of != variant.name_span) {
                return false;
            }
            let name = Name::new(name);
            let is_free = |ns| {
                let found = db.resolve(module, false, &[name], ns);
                matches!(found, Ok(None))
            };
            is_free(Ns::Type) && is_free(Ns::Value)
        })?;
        given.insert((module, name.clone()), variant.name_span);
        Some(name)
    }
}

impl<'e> Work<'e> {
    /// Moves fields of a variant into one box.
    pub(super) fn join(&mut self, change: &Change) -> Option<()> {
        let Change::Joined(spans) = change else {
            return None;
        };
        let joined = self.editor.joined(spans)?;
        self.declare(&joined)?;
        let editor = self.editor;
        for (body, typed) in editor.usage.bodies.iter().enumerate() {
            for (expr, _, fact) in typed.exprs() {
                if let Some(Target::Ctor(adt, variant)) = fact.target
                    && joined.variants.contains(&(adt, variant))
                    && !typed.is_callee(expr)
                {
                    self.built(&joined, At { body, expr });
                }
            }
            for (pat, _) in typed.function.body.pats() {
                let fact = typed.pat(pat);
                if fact.live && fact.ctor.is_some_and(|c| joined.variants.contains(&c)) {
                    self.taken(&joined, body, pat);
                }
            }
        }
        let fields: Vec<FieldId> = joined
            .variants
            .iter()
            .map(|&(adt, variant)| FieldId {
                adt,
                variant,
                field: 0,
            })
            .collect();
        self.outside(&fields);
        Some(())
    }

    /// Edits the variant and adds the struct.
    fn declare(&mut self, joined: &Joined) -> Option<()> {
        let editor = self.editor;
        let model = editor.model;
        let own = |(adt, _): &&(ItemId, u32)| editor.infos.contains_key(adt);
        let &(adt, _) = joined.variants.iter().find(own)?;
        let info = *editor.infos.get(&adt)?;
        let sources = &model.db.sources;
        let module = model.db.item(adt).module;
        let boxed = editor.std_path(module, "Box")?;
        self.needs_heap(adt, joined.variant.span);
        let item = self.real(joined.item.span)?;
        let whole = self.real(joined.variant.span)?;
        let tokens = editor.files.get(sources, item.file);
        let told = !self.editor.is_thiserror(adt) || self.retold(joined).is_some();
        if !told || !self.is_plain(joined, info) {
            self.leave(
                whole,
                "has a derive or an attribute that may depend on the type",
            );
        }
        // The delimiters of the variant's fields.
        let name = self.real(joined.variant.name_span)?;
        let open = tokens.at(name.end);
        if tokens.list.get(open)?.kind != Kind::Open {
            return None;
        }
        let close = tokens.list[open].mate as usize;
        let group = Span {
            file: item.file,
            start: tokens.list[open].start,
            end: tokens.list[close].end,
        };
        let tight = tight(&tokens, open, group);
        let lifetimes = lifetimes(joined, &tokens, open + 1..close)?;
        let Some(new) = &joined.name else {
            // The elements of a tuple have no documentation.
            let inside = sources
                .text(group)
                .replace("///", "//")
                .replace("/**", "/*");
            let inside = match joined.is_array(sources) {
                true => {
                    let fields = &joined.variant.fields;
                    format!("[{}; {}]", sources.text(fields[0].ty_span), fields.len())
                }
                false => inside,
            };
            self.edits.replace(tight, format!("({boxed}<{inside}>)"));
            return Some(());
        };
        self.edits
            .replace(tight, format!("({boxed}<{new}{lifetimes}>)"));
        let (derives, vis) = head(&tokens, item)?;
        // Each field gets the visibility of the enum.
        let mut fields = String::new();
        let mut from = group.start as usize;
        let source = &tokens.source.text;
        for field in &joined.variant.fields {
            let name = self.real(field.name_span)?;
            fields.push_str(&source[from..name.start as usize]);
            fields.push_str(&vis);
            from = name.start as usize;
        }
        fields.push_str(&source[from..group.end as usize]);
        // The struct is one level less indented than the variant.
        let column = indent(source, whole.start).saturating_sub(indent(source, item.start));
        let fields: Vec<&str> = fields
            .split('\n')
            .map(|l| match l.get(..column) {
                Some(blank) if blank.trim().is_empty() => &l[column..],
                _ => l,
            })
            .collect();
        let fields = fields.join("\n");
        self.add_struct(joined, &tokens, item, (&derives, &vis), &lifetimes, &fields)
    }

    /// Adds the struct after the enum; `head` is its derives and its visibility.
    pub(super) fn add_struct(
        &mut self,
        joined: &Joined,
        tokens: &Tokens,
        item: Span,
        (derives, vis): (&[String], &str),
        lifetimes: &str,
        fields: &str,
    ) -> Option<()> {
        let margin = margin(&tokens.source.text, item.start);
        let derives: String = derives.iter().map(|d| format!("{d}\n{margin}")).collect();
        let (of, variant) = (joined.item.name, joined.variant.name);
        let docs = match self.is_documented(tokens, joined) {
            true => format!("/// Details of [`{of}::{variant}`].\n{margin}"),
            false => String::new(),
        };
        let text = format!(
            "\n\n{margin}{docs}{derives}{vis}struct {}{lifetimes} {fields}",
            joined.name.as_deref().unwrap_or_default(),
        );
        let end = Span {
            start: item.end,
            ..item
        };
        self.edits.around(end, text::OUTER, &text, "");
        self.reexport(joined, joined.name.as_deref()?)
    }

    /// Returns true if the variant has a documentation comment.
    fn is_documented(&self, tokens: &Tokens, joined: &Joined) -> bool {
        let Some(name) = self.real(joined.variant.name_span) else {
            return false;
        };
        let at = tokens.at(name.start);
        let first = (0..at)
            .rev()
            .find(|&i| tokens.is(i, b',') || tokens.is(i, b'{'));
        let start = first.map_or(0, |i| tokens.list[i].end as usize);
        let before = &tokens.source.text[start..name.start as usize];
        before
            .lines()
            .any(|line| line.trim_start().starts_with("///"))
    }

    /// Returns true if no derive or attribute depends on the fields as written.
    fn is_plain(&self, joined: &Joined, info: &TypeInfo) -> bool {
        let model = self.editor.model;
        let own = |(adt, _): &&(ItemId, u32)| *adt == info.item;
        let variant = joined.variants.iter().find(own).map_or(0, |v| v.1);
        let derives = |name: &str| match name {
            "Serialize" | "Deserialize" => true,
            "Error" => self.editor.is_thiserror(info.item) && joined.is_plain_error(),
            name => DERIVES.contains(&name) || name == "Default",
        };
        freezing::is_surely_free(model, info)
            && (0..joined.variant.fields.len()).all(|field| {
                let id = FieldId {
                    adt: info.item,
                    variant,
                    field: field as u32,
                };
                freezing::is_surely_plain(model, id, "")
            })
            && !has_serde(&joined.item.attrs)
            && !has_serde(&joined.variant.attrs)
            && !joined.variant.fields.iter().any(|f| has_serde(&f.attrs))
            && joined.item.attrs.derived().all(|m| {
                let last = m.path.last();
                last.is_some_and(|n| derives(n.as_str()))
            })
    }

    /// Edits a literal, a constructor call, or the constructor as a function value.
    fn built(&mut self, joined: &Joined, at: At) {
        let typed = self.typed(at.body);
        let db = self.editor.model.db;
        let node = typed.node(at.expr);
        let module = typed.function.module;
        let real = self.real(node.span).filter(|_| self.is_open_to_edits(at));
        let (Some(real), Some(boxed)) = (real, self.editor.std_path(module, "Box")) else {
            self.leave(node.span, "is in a macro call");
            return;
        };
        if typed.is_constant(db, at.expr) {
            self.leave(node.span, "is a constant, which cannot allocate");
            return;
        }
        let tokens = self.editor.files.get(&db.sources, real.file);
        let end = tokens.at(real.end) - 1;
        let open = match tokens.list.get(end) {
            Some(t) if t.kind == Kind::Close => t.mate as usize,
            _ => end,
        };
        let group = Span {
            file: real.file,
            start: tokens.list[open].start,
            end: tokens.list[end].end,
        };
        match (&node.kind, &joined.name) {
            (ExprKind::Struct(_, _, None), Some(new)) => {
                let Some(path) = self.path_to(joined, module, new) else {
                    self.leave(node.span, "cannot name the boxed type");
                    return;
                };
                let tight = tight(&tokens, open, group);
                let space = if tight == group { " " } else { "" };
                let open = format!("({boxed}::new({path}{space}");
                self.edits.around(tight, text::OUTER, &open, "))");
            }
            (ExprKind::Call(..), None) => {
                let inside = Span {
                    start: group.start + 1,
                    end: group.end - 1,
                    ..group
                };
                let (open, close) = match joined.is_array(&db.sources) {
                    true => ("[", "])"),
                    false => ("(", "))"),
                };
                let open = format!("{boxed}::new({open}");
                self.edits.around(inside, text::OUTER, &open, close);
            }
            _ => self.leave(node.span, "passes the constructor as a function"),
        }
    }

    /// Returns how a module can name the new struct: like the enum, with another last segment.
    pub(super) fn path_to(&self, joined: &Joined, module: ModId, new: &str) -> Option<String> {
        let db = self.editor.model.db;
        let krate = db.krate_of(module);
        let own = joined.variants.iter().find(|(adt, _)| {
            let of = db.item(*adt).module;
            db.krate_of(of) == krate
        });
        let home = |adt: ItemId| db.item(adt).module;
        if let Some(&(adt, _)) = own {
            if home(adt) == module {
                return Some(new.to_owned());
            }
            // A type defined in a function body can be named only there.
            if db.module(home(adt)).block {
                return None;
            }
        }
        let leads = |names: &[&str]| {
            let names: Vec<Name> = names.iter().map(|n| Name::new(n)).collect();
            let found = db.resolve(module, false, &names, Ns::Type);
            let Ok(Some(found)) = found else { return false };
            let is = |id: ItemId| joined.variants.iter().any(|(adt, _)| *adt == id);
            matches!(found.def, Def::Item(id) if is(id)) && found.used == names.len()
        };
        let (adt, root) = match own {
            Some(&(adt, _)) => (adt, "crate".to_owned()),
            None => {
                let &(adt, _) = joined.variants.first()?;
                (adt, db.krate(db.krate_of(home(adt))).name.to_string())
            }
        };
        let inside = db.module_path(home(adt));
        let inside: Vec<&str> = inside.split("::").filter(|p| !p.is_empty()).collect();
        let name = joined.item.name.to_string();
        let mut names = vec![root.as_str()];
        names.extend(inside);
        let mut enum_names = names.clone();
        enum_names.push(&name);
        leads(&enum_names).then(|| format!("{}::{new}", names.join("::")))
    }

    /// Edits a pattern of the variant.
    fn taken(&mut self, joined: &Joined, body: usize, pat: PatId) {
        let typed = self.typed(body);
        let node = typed.function.body.pat(pat);
        let db = self.editor.model.db;
        let Some(real) = self.real(node.span) else {
            self.leave(node.span, "is in a macro call");
            return;
        };
        let parts: Vec<PatId> = match &node.kind {
            PatKind::Struct(_, fields, _) => fields.iter().map(|(_, p)| *p).collect(),
            PatKind::TupleStruct(_, list) => list.clone(),
            _ => Vec::new(),
        };
        let idle = |p: &PatId| {
            let kind = &typed.function.body.pat(*p).kind;
            matches!(kind, PatKind::Wild | PatKind::Rest)
        };
        let tokens = self.editor.files.get(&db.sources, real.file);
        let last = tokens.at(real.end) - 1;
        let close = tokens.list[last];
        if close.kind != Kind::Close {
            self.leave(node.span, "destructures it");
            return;
        }
        let open = tokens.list[close.mate as usize];
        let group = Span {
            file: real.file,
            start: open.start,
            end: close.end,
        };
        if parts.iter().all(idle) {
            // `{ .. }` and `(..)` need no edit.
            let lone = parts.is_empty() || parts.len() == 1 && tokens.str(last - 1) == ".";
            if !lone || parts.is_empty() && tokens.str(last - 1) != "." {
                self.edits.replace(group, "(_)".to_owned());
            }
            return;
        }
        if self.in_matches(body, pat) {
            self.leave(node.span, "destructures it");
            return;
        }
        let text = db.sources.text(group);
        let whole = match &joined.name {
            Some(new) => match self.path_to(joined, typed.function.module, new) {
                Some(path) => format!("{path} {text}"),
                None => {
                    self.leave(node.span, "cannot name the boxed type");
                    return;
                }
            },
            None if joined.is_array(&db.sources) => format!("[{}]", &text[1..text.len() - 1]),
            None => text,
        };
        let tight = tight(&tokens, close.mate as usize, group);
        let indexed = joined.is_array(&db.sources);
        if self.reached(body, pat, tight, ["(", ")"], indexed) {
            return;
        }
        self.unpack(body, pat, tight, ["(", ")"], &whole);
    }

    pub(super) fn in_matches(&self, body: usize, pat: PatId) -> bool {
        let typed = self.typed(body);
        let at: Option<ExprId> = typed.pat(pat).at;
        let kind = at.map(|at| &typed.node(at).kind);
        matches!(kind, Some(ExprKind::Macro(_, MacroArgs::Matches(..))))
    }
}

/// Returns the lifetimes that these tokens name, in angle brackets; none if a separate struct
/// cannot name everything they use.
pub(super) fn lifetimes(joined: &Joined, tokens: &Tokens, range: Range<usize>) -> Option<String> {
    let ItemKind::Adt(of) = &joined.item.kind else {
        return None;
    };
    let mut lifetimes: Vec<&str> = Vec::new();
    for i in range {
        let text = tokens.str(i);
        let token = tokens.list[i];
        if token.kind == Kind::Lifetime && text != "'static" && text != "'_" {
            // Lifetimes bound by `for<…>` are not parameters of the enum.
            if tokens.str(i.wrapping_sub(2)) == "for" {
                return None;
            }
            if !lifetimes.contains(&text) {
                lifetimes.push(text);
            }
        }
        if tokens.is_ident(i)
            && (text == "Self" || of.generics.params.iter().any(|p| p.name == text))
            && joined.name.is_some()
        {
            return None;
        }
    }
    Some(match lifetimes.is_empty() {
        true => String::new(),
        false => format!("<{}>", lifetimes.join(", ")),
    })
}

/// Returns the derives of the enum that the new struct gets too, and the enum's visibility followed
/// by a space.
pub(super) fn head(tokens: &Tokens, item: Span) -> Option<(Vec<String>, String)> {
    let first = tokens.at(item.start);
    let keyword = (first..).find(|&i| {
        i >= tokens.list.len()
            || matches!(tokens.str(i), "enum" | "struct") && tokens.list[i].kind == Kind::Word
    })?;
    let mut derives = Vec::new();
    let mut at = first;
    while tokens.is(at, b'#') && tokens.is(at + 1, b'[') {
        let end = tokens.list[at + 1].mate as usize;
        let text = tokens.text(&(at..end + 1));
        if tokens.str(at + 2) == "derive" {
            derives.push(of_fields(text));
        } else if tokens.str(at + 2) == "cfg_attr" && text.contains("derive") {
            if text.contains("Error") {
                return None;
            }
            derives.push(text.to_owned());
        }
        at = end + 1;
    }
    let vis = match at < keyword {
        true => format!("{} ", tokens.text(&(at..keyword))),
        false => String::new(),
    };
    Some((derives, vis))
}

/// Returns the indentation of the line with this offset, if only whitespace precedes the offset.
pub(super) fn margin(text: &str, offset: u32) -> &str {
    &text[offset as usize - indent(text, offset)..offset as usize]
}

/// Extends a group to the end of the name before it, over the space between them.
fn tight(tokens: &Tokens, open: usize, group: Span) -> Span {
    let before = tokens.list[open - 1].end;
    let space = &tokens.source.text[before as usize..group.start as usize];
    Span {
        start: if space == " " { before } else { group.start },
        ..group
    }
}

/// Returns true for serde attributes: the serialized form follows the fields.
fn has_serde(attrs: &ir::Attrs) -> bool {
    let mut list = attrs.list.iter();
    list.any(|a| a.meta.path.first().is_some_and(|n| *n == "serde"))
}

/// Removes from a `derive` what is not for the fields: `Default` requires a marked variant, and they
/// are no error themselves.
fn of_fields(derive: &str) -> String {
    let Some((head, rest)) = derive.split_once('(') else {
        return derive.to_owned();
    };
    let list = rest.trim_end().trim_end_matches(']').trim_end();
    let list = list.trim_end_matches(')');
    let names: Vec<&str> = list
        .split(',')
        .map(str::trim)
        .filter(|n| !n.is_empty() && *n != "Default" && n.rsplit("::").next() != Some("Error"))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("{head}({})]", names.join(", ")),
    }
}

/// Returns the width of the indentation of the line with this offset, in bytes.
pub(super) fn indent(text: &str, offset: u32) -> usize {
    let line = text[..offset as usize].rfind('\n').map_or(0, |n| n + 1);
    let before = &text[line..offset as usize];
    match before.trim().is_empty() {
        true => before.len(),
        false => 0,
    }
}
