//! Attributes of fields that name functions, in packages such as serde: the functions must accept or
//! return the new type.

use super::{Buffer, Shape, Work};
use crate::infer::body::FieldId;
use crate::ir::{self, Bound, ItemKind, Lit, ParamKind, Type};
use crate::name::Name;
use crate::resolve::{Def, ItemId, Ns};
use crate::span::Span;

/// Keys of attributes that name a function.
const FUNCTIONS: &[&str] = &["default", "skip_serializing_if"];

/// Traits that boxed slices have if the buffers have them; `Box<Path>` lacks `Default`.
const TRAITS: &[&str] = &["Default", "Eq", "PartialEq"];

impl Work<'_> {
    /// Edits field attributes that name functions of the growable type.
    pub(super) fn attributes(&mut self, id: FieldId, field: &ir::Field, shape: Shape) {
        let (Shape::Frozen(buffer) | Shape::FrozenInside(buffer)) = shape else {
            return;
        };
        let (kind, slice) = match buffer {
            Buffer::Vec => ("Vec", "<[_]>"),
            Buffer::String | Buffer::Counted => ("String", "str"),
            Buffer::PathBuf => ("PathBuf", ""),
            Buffer::OsString => ("OsString", ""),
        };
        for attr in &field.attrs.list {
            let Some(real) = self.real(attr.span) else {
                self.leave(attr.span, "is in a macro call");
                continue;
            };
            let own = |m: &&ir::Meta| {
                let text = match &m.value {
                    Some(Lit::Str(text)) => &**text,
                    _ => return false,
                };
                let last = m.path.last().map(|n| n.as_str());
                let known = text.starts_with("Option::") || text == "Default::default";
                last.is_some_and(|n| FUNCTIONS.contains(&n))
                    && !known
                    && !text.starts_with(&format!("{kind}::"))
            };
            let mut own = attr.meta.list.iter().filter(own);
            if !own.all(|m| self.takes_both(id, m, shape)) {
                self.leave(real, "names a function that returns it or takes it");
                continue;
            }
            let text = self.editor.model.db.sources.text(real);
            let named = text.matches(&format!("{kind}::")).count();
            // What the attribute says, and what it says afterwards.
            let asks = (
                format!("\"{kind}::is_empty\""),
                format!("\"{slice}::is_empty\""),
            );
            let makes = (
                format!("\"{kind}::new\""),
                "\"Default::default\"".to_owned(),
            );
            // `Box<Path>` and, before Rust 1.80, `Arc<str>` have no default.
            let known = match (slice, buffer) {
                ("", _) => Vec::new(),
                (_, Buffer::Counted) => vec![asks],
                _ => vec![asks, makes],
            };
            let known: Vec<_> = known
                .iter()
                .filter_map(|(old, new)| Some((text.find(&**old)?, old.len(), new)))
                .collect();
            match named == known.len() {
                true => {
                    for (at, len, new) in known {
                        let start = real.start + at as u32;
                        let end = start + len as u32;
                        self.edits.replace(Span { start, end, ..real }, new.clone());
                    }
                }
                false => self.leave(real, "names a function of the growable type"),
            }
        }
    }

    /// Returns true if a function that tests a field also accepts the field's new type: a generic
    /// one, or one of a trait that the new type has too.
    fn takes_both(&self, id: FieldId, named: &ir::Meta, shape: Shape) -> bool {
        let (Some(Lit::Str(text)), Some(key)) = (&named.value, named.path.last()) else {
            return false;
        };
        let db = self.editor.model.db;
        let module = db.item(id.adt).module;
        let names: Vec<Name> = text
            .split("::")
            .map(|part| Name::new(part.trim()))
            .collect();
        let plain = names.iter().all(|n| {
            let mut letters = n.as_str().chars();
            letters.all(|c| c.is_alphanumeric() || c == '_')
        });
        let Some((function, of)) = names.split_last().filter(|_| plain) else {
            return false;
        };
        let counted = Shape::Frozen(Buffer::Counted);
        if *key != "skip_serializing_if" || shape == counted || shape.inside() == Some(counted) {
            return false;
        }
        let resolved = |names: &[Name], ns| {
            let found = db.resolve(module, false, names, ns).ok()??;
            match found.def {
                Def::Item(item) if found.used == names.len() => Some(item),
                _ => None,
            }
        };
        if let Some(item) = resolved(&names, Ns::Value)
            && matches!(db.item(item).item.kind, ItemKind::Fn(_))
        {
            return self.is_open(item, shape);
        }
        let of = resolved(of, Ns::Type).filter(|of| {
            let mut members = db.members(*of).iter();
            matches!(db.item(*of).item.kind, ItemKind::Trait(_))
                && members.any(|m| db.item(*m).item.name == *function)
        });
        of.is_some_and(|of| self.has_trait(id, of, shape))
    }

    /// Returns true for a function of one reference to a parameter of which it requires only traits
    /// that both types have.
    fn is_open(&self, function: ItemId, shape: Shape) -> bool {
        let Some(signature) = self.editor.usage.signature(function) else {
            return false;
        };
        let [Type::Ref(asked, false)] = &signature.inputs[..] else {
            return false;
        };
        let generics = &signature.generics;
        let [one] = &generics.params[..] else {
            return false;
        };
        let ParamKind::Type { bounds, .. } = &one.kind else {
            return false;
        };
        let is_it = |ty: &Type| super::within::lone(ty) == Some(one.name);
        let path = matches!(shape, Shape::Frozen(Buffer::PathBuf));
        let fits = |b: &Bound| {
            let name = b.path.last_name();
            b.maybe || TRAITS.contains(&name) && !(path && name == "Default")
        };
        is_it(asked)
            && bounds.iter().all(fits)
            && generics
                .wheres
                .iter()
                .all(|w| is_it(&w.ty) && w.bounds.iter().all(fits))
    }

    /// Returns true if the field's new type has a trait.
    fn has_trait(&self, id: FieldId, of: ItemId, shape: Shape) -> bool {
        let db = self.editor.model.db;
        let optional = matches!(shape, Shape::FrozenInside(_));
        let frozen = self.editor.frozen_as(id, optional);
        frozen.is_some_and(|f| db.find_impl(f.ty, of, &[]).is_ok_and(|i| i.is_some()))
    }
}
