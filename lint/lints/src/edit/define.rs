//! The edit of a field's definition.

use super::{Buffer, DERIVES, Shape, Work, inner, part, text};
use crate::ir::{self, AdtKind, ItemKind, Style, Vis};
use crate::model::budgets::Budget;
use crate::model::freezing;
use crate::name::Name;
use crate::resolve::{Def, ItemId, ModId, Ns};
use crate::span::Span;
use crate::usage::body::FieldId;

impl Work<'_> {
    /// Edits the definition; none if that is not possible.
    pub(super) fn define(&mut self, id: FieldId, shape: Shape) -> Option<()> {
        let editor = self.editor;
        let model = editor.model;
        let (variant, field) = editor.field(id)?;
        let span = self.real(field.ty_span)?;
        let module = model.db.item(id.adt).module;
        let name = editor.std_path(module, "Box")?;
        if variant.style == Style::Unit {
            return None;
        }
        self.leave_dependents(id, field, shape, &name)?;
        self.needs_heap(id.adt, field.ty_span);
        let text = model.db.sources.text(span);
        match shape {
            Shape::Boxed => self
                .edits
                .around(span, text::OUTER, &format!("{name}<"), ">"),
            Shape::BoxedInside => {
                let at = part(span, inner(&text, "Option")?);
                self.edits.around(at, text::OUTER, &format!("{name}<"), ">");
            }
            Shape::Frozen(buffer) => {
                let new = self.frozen_type(module, buffer, &text, Some(&field.ty))?;
                let pointer = editor.std_path(module, buffer.pointer())?;
                self.edits.replace(span, format!("{pointer}<{new}>"));
                self.document(span, buffer, &new);
                self.attributes(id, field, shape);
            }
            Shape::Keys(buffer) => {
                let key = first_argument(&text)?;
                let of = argument(&field.ty);
                let new = self.frozen_type(module, buffer, &text[key.clone()], of)?;
                self.edits
                    .replace(part(span, key), format!("{name}<{new}>"));
            }
            Shape::FrozenInside(buffer) => {
                let inside = inner(&text, "Option")?;
                let held = argument(&field.ty);
                let new = self.frozen_type(module, buffer, &text[inside.clone()], held)?;
                let pointer = editor.std_path(module, buffer.pointer())?;
                self.edits
                    .replace(part(span, inside), format!("{pointer}<{new}>"));
                self.document(span, buffer, &new);
                self.attributes(id, field, shape);
            }
        }
        Some(())
    }

    /// Reports a type that gets a box and that a build without `alloc` may compile.
    pub(super) fn needs_heap(&mut self, adt: ItemId, at: Span) {
        let model = self.editor.model;
        let data = model.db.item(adt);
        let krate = model.db.krate_of(data.module);
        let mut under = model.conditions(data.module);
        under.extend(data.item.attrs.cfg.as_deref());
        let info = self.editor.infos.get(&adt);
        let holds = || model.names_alloc(krate) && info.is_some_and(|of| model.holds_heap(of));
        if model.steady_heap(krate, &under).is_none() && !holds() {
            self.leave_out(at, "may be compiled without `alloc`, where no `Box` is");
        }
    }

    /// Returns true if all derives are std's and support a text that is shared.
    fn derives_of_std(&self, id: FieldId) -> bool {
        let known = |name: &Name| {
            DERIVES.contains(&name.as_str()) || matches!(name.as_str(), "Copy" | "Default")
        };
        let attrs = &self.editor.model.db.item(id.adt).item.attrs;
        let mut derives = attrs.derived();
        derives.all(|m| m.path.len() == 1 && known(&m.path[0]))
    }

    /// Names what depends on the type of a field, or on the size of its owner, and is not edited.
    fn leave_dependents(
        &mut self,
        id: FieldId,
        field: &ir::Field,
        shape: Shape,
        name: &str,
    ) -> Option<()> {
        let editor = self.editor;
        let (model, info) = (editor.model, *editor.infos.get(&id.adt)?);
        let converted = shape == Shape::Boxed && self.convert(id, name);
        let besides = if converted { "from" } else { "" };
        let counted = Shape::Frozen(Buffer::Counted);
        let free = match shape == counted || shape.inside() == Some(counted) {
            true => self.derives_of_std(id),
            false => freezing::is_surely_free(model, info),
        };
        let free = free && freezing::is_surely_plain(model, id, besides);
        let passed_on = || shape == Shape::Boxed && editor.is_subcommand(info, id);
        if !free && !passed_on() {
            self.leave(
                self.real(field.ty_span)?,
                "has a derive or an attribute that may depend on the type",
            );
        }
        if let Some(attr) = self.for_macros(id, field) {
            self.leave(attr, "leaves it to macros, which other packages may have");
        }
        let item = model.db.item(id.adt).item.span;
        let aside = |b: &Budget| b.span.file != item.file || b.span.start >= item.end;
        if let Some(budget) = model.budgets(info).into_iter().find(aside) {
            self.leave(budget.span, "asserts its size");
        }
        Some(())
    }

    /// Returns the `#[doc(hidden)]` of a public type or field: only code that macros write uses it,
    /// such as a derive of another package.
    fn for_macros(&self, id: FieldId, field: &ir::Field) -> Option<Span> {
        let item = &self.editor.model.db.item(id.adt).item;
        let is_public = item.vis == Vis::Public
            && match &item.kind {
                ItemKind::Adt(adt) if adt.kind == AdtKind::Enum => true,
                _ => field.vis == Vis::Public,
            };
        let mut attrs = item.attrs.list.iter().chain(field.attrs.list.iter());
        let is = |meta: &ir::Meta, name: &str| freezing::named(meta, &[name]);
        let is_hidden =
            |a: &&ir::Attr| is(&a.meta, "doc") && a.meta.list.iter().any(|meta| is(meta, "hidden"));
        is_public.then(|| attrs.find(is_hidden))?.map(|a| a.span)
    }

    /// Returns the slice type of a frozen buffer, from the buffer's type as written, which can be
    /// an alias.
    pub(super) fn frozen_type(
        &self,
        module: ModId,
        buffer: Buffer,
        text: &str,
        ty: Option<&ir::Type>,
    ) -> Option<String> {
        let of_alias = || ty.and_then(|ty| self.behind_alias(module, ty, buffer.name()));
        match buffer {
            Buffer::Vec => {
                let element = match inner(text, "Vec") {
                    Some(range) => text[range].to_owned(),
                    None => self.element_of(module, of_alias()?)?,
                };
                Some(format!("[{element}]"))
            }
            _ if !text.trim_end().ends_with(buffer.name()) && of_alias().is_none() => None,
            Buffer::String | Buffer::Counted => Some("str".to_owned()),
            Buffer::PathBuf => self.editor.std_path(module, "Path"),
            Buffer::OsString => self.editor.std_path(module, "OsStr"),
        }
    }

    /// Returns the path of the std type behind an alias without parameters, and the module that
    /// contains it.
    fn behind_alias(
        &self,
        module: ModId,
        ty: &ir::Type,
        name: &str,
    ) -> Option<(ModId, &'static ir::Path)> {
        let db = self.editor.model.db;
        let ir::Type::Path(path) = ty else {
            return None;
        };
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let found = db.resolve(module, path.global, &names, Ns::Type);
        let found = found.ok().flatten().filter(|f| f.used == names.len())?;
        let Def::Item(item) = found.def else {
            return None;
        };
        let data = db.item(item);
        match &data.item.kind {
            ItemKind::TypeAlias(alias) if alias.generics.params.is_empty() => {
                let ty = alias.ty.as_ref()?;
                match ty {
                    ir::Type::Path(path) if path.last_name() == name => Some((data.module, path)),
                    ty => self.behind_alias(data.module, ty, name),
                }
            }
            _ => None,
        }
    }

    /// Returns the element type of a list, as another module can write it: a single path that
    /// resolves to the same type there.
    fn element_of(&self, module: ModId, (of, list): (ModId, &ir::Path)) -> Option<String> {
        let db = self.editor.model.db;
        let element = match &list.segments.last()?.args.as_ref()?.args[..] {
            [ir::Arg::Type(ir::Type::Path(path))] => path,
            _ => return None,
        };
        let names: Vec<Name> = element.segments.iter().map(|s| s.name).collect();
        let leads = |module| {
            let found = db.resolve(module, element.global, &names, Ns::Type);
            let found = found.ok()?;
            Some(found.map(|f| (f.def, f.used)))
        };
        let plain = element.segments.iter().all(|s| s.args.is_none());
        (plain && leads(of).is_some() && leads(of) == leads(module))
            .then(|| db.sources.text(element.span))
    }
}

/// Returns the first type argument.
fn argument(ty: &ir::Type) -> Option<&ir::Type> {
    let ir::Type::Path(path) = ty else {
        return None;
    };
    let args = path.segments.last()?.args.as_ref()?;
    args.args.iter().find_map(|arg| match arg {
        ir::Arg::Type(ty) => Some(ty),
        ir::Arg::Const(_) => None,
    })
}

/// Returns the range of the first type argument in source text.
fn first_argument(text: &str) -> Option<std::ops::Range<usize>> {
    let open = text.find('<')? + 1;
    let mut depth = 0;
    let end = text[open..].find(|c| {
        depth += i32::from(matches!(c, '<' | '(' | '[')) - i32::from(matches!(c, '>' | ')' | ']'));
        depth < 0 || depth == 0 && c == ','
    })?;
    Some(open..open + end)
}
