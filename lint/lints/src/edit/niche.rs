//! Integers that are never zero become `NonZero`: values are wrapped by `new`, and reads call
//! `get`.

use super::compare::compared_with;
use super::places::Place;
use super::uses::Around;
use super::{DERIVES, Editor, Shape, Work, inner, part};
use crate::flow::{How, direct};
use crate::infer::body::{FieldId, Typed};
use crate::ir::Type;
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::name::Name;
use crate::resolve::ModId;
use crate::resolve::ty::Prim;
use crate::span::Span;
use crate::usage::events::At;
use crate::usage::types::std_first;

/// `Option::unwrap` can be called in constants since this minor release.
const CONST_UNWRAP: u32 = 83;

impl Editor<'_> {
    /// Returns the change to a field that is an integer, or an `Option` of one.
    pub(super) fn niche(&self, span: Span) -> Option<Shape> {
        let db = self.model.db;
        let mut ids = self.fields.get(&super::key(self.model, span))?.iter();
        let id = ids.find(|id| self.infos.contains_key(&id.adt))?;
        let ty = self.field_ty(*id)?;
        match std_first(db, ty, &["Option"]) {
            Some(inner) => Some(Shape::NonZeroInside(db.as_prim(inner)?)),
            None => Some(Shape::NonZero(db.as_prim(ty)?)),
        }
    }

    /// Returns how a module can name the type: with its argument in a type, and as a path for its
    /// functions.
    fn nonzero(&self, module: ModId, number: Prim) -> Option<(String, String)> {
        let written = self.model.nonzero(self.model.db.krate_of(module), number);
        let bare = written.split('<').next()?;
        let path = self.std_path(module, bare)?;
        Some((format!("{path}{}", &written[bare.len()..]), path))
    }
}

impl Work<'_> {
    /// Edits the field's type.
    pub(super) fn define_nonzero(
        &mut self,
        id: FieldId,
        span: Span,
        number: Prim,
        optional: bool,
    ) -> Option<()> {
        let db = self.editor.model.db;
        let data = db.item(id.adt);
        let text = db.sources.text(span);
        let at = match optional {
            true => inner(&text, "Option")?,
            false => 0..text.len(),
        };
        if text[at.clone()].trim() != number.name() {
            return None;
        }
        let (ty, _) = self.editor.nonzero(data.module, number)?;
        self.edits.replace(part(span, at), ty);
        Some(())
    }

    /// Returns true if all derives are std's and support the new type; `Default` only if it has a
    /// default.
    pub(super) fn derives_of_std(&self, id: FieldId, default: bool) -> bool {
        let known = |name: &Name| {
            let plain = DERIVES.contains(&name.as_str()) || *name == "Copy";
            plain || default && *name == "Default"
        };
        let attrs = &self.editor.model.db.item(id.adt).item.attrs;
        let mut derives = attrs.derived();
        derives.all(|m| m.path.len() == 1 && known(&m.path[0]))
    }

    /// Edits a use of the number.
    pub(super) fn nonzero_use(&mut self, at: At, place: Place, number: Prim) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        // It may be a format width, which must be `usize`.
        let width = number.name() == "usize";
        match self.around(typed, at.expr) {
            Around::Printed if !width => {}
            Around::Printed if self.is_quoted(typed, at.expr) => {
                self.leave(span, "uses it in an unsupported way");
            }
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            Around::Receiver(call, "clone", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Other(_, ExprKind::Assign(to, None, value))
                if *to == at.expr && place == Place::Owned =>
            {
                self.value(at.with(*value), Shape::NonZero(number));
            }
            Around::Other(_, ExprKind::Assign(to, ..)) if *to == at.expr => {
                self.leave(span, "adds to it");
            }
            Around::Other(outer, ExprKind::Deref(_)) if place == Place::Shared => {
                self.without_star(at, outer);
                self.behind(at, ".get()");
            }
            Around::Other(outer, ExprKind::Ref(false, _)) if place == Place::Owned => {
                match self.ends_with_call(typed, outer) {
                    true => self.behind(at, ".get()"),
                    false => self.leave(span, "borrows it"),
                }
            }
            Around::Other(_, ExprKind::Ref(..)) => self.leave(span, "borrows it"),
            // Operators give the same result for references to numbers.
            Around::Other(outer, ExprKind::Binary(..))
                if place == Place::Shared && compared_with(typed, outer, at.expr).is_none() =>
            {
                match &typed.node(outer).kind {
                    ExprKind::Binary("<" | "<=" | ">" | ">=", ..) => {
                        self.leave(span, "compares it")
                    }
                    _ => self.behind(at, ".get()"),
                }
            }
            Around::Receiver(_, name, _) if place == Place::Shared => {
                match self.uses_up(typed, at.expr, name) || is_plain(name) {
                    true => self.behind(at, ".get()"),
                    false => self.leave(span, "borrows it"),
                }
            }
            _ if place == Place::Owned => self.behind(at, ".get()"),
            _ => self.leave(span, "borrows it"),
        }
    }

    /// Edits a use of an `Option` of the number.
    pub(super) fn nonzero_option(&mut self, at: At, place: Place, number: Prim) {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let shape = Shape::NonZeroInside(number);
        let path = self.editor.nonzero(typed.function.module, number);
        let Some(get) = path.map(|(_, path)| format!(".map({path}::get)")) else {
            self.leave(span, "cannot name `NonZero`");
            return;
        };
        match self.around(typed, at.expr) {
            Around::Receiver(_, "is_some" | "is_none", _) | Around::Printed => {}
            _ if place == Place::Guessed => self.leave(span, "names a field of an unknown type"),
            Around::Receiver(call, "clone", _) if self.sets.contains(&at.with(call)) => {
                self.carried.insert(at.with(call));
            }
            Around::Receiver(call, "take", _) if place == Place::Owned => {
                match self.sets.contains(&at.with(call)) {
                    true => {
                        self.carried.insert(at.with(call));
                    }
                    false if self.is_dropped(typed, call) => {}
                    false => self.behind(at.with(call), &get),
                }
            }
            Around::Receiver(_, name, _) => match self.uses_up(typed, at.expr, name) {
                true => self.behind(at, &get),
                false => self.leave(span, "borrows it"),
            },
            Around::Matched(pats) if place == Place::Owned => {
                match pats.iter().all(|p| self.binds_values(typed, *p)) {
                    true => self.behind(at, &get),
                    false => self.leave(span, "destructures it"),
                }
            }
            Around::Matched(pats) => self.matched(at.body, &pats, shape),
            Around::Other(outer, ExprKind::Ref(false, _)) if place == Place::Owned => {
                match self.around(typed, outer) {
                    Around::Matched(pats) => self.matched(at.body, &pats, shape),
                    Around::Printed => {}
                    _ => self.leave(span, "borrows it"),
                }
            }
            Around::Other(_, ExprKind::Ref(..)) => self.leave(span, "borrows it"),
            Around::Other(_, ExprKind::Assign(to, None, value))
                if *to == at.expr && place == Place::Owned =>
            {
                self.value(at.with(*value), shape);
            }
            Around::Other(_, ExprKind::Assign(to, ..)) if *to == at.expr => {
                self.leave(span, "reassigns the variable");
            }
            Around::Other(outer, _)
                if let Some(other) = compared_with(typed, outer, at.expr)
                    && self.are_alike(typed, at.expr, other) => {}
            _ if place == Place::Owned => self.behind(at, &get),
            _ => self.leave(span, "borrows it"),
        }
    }

    /// Returns a value for the `Option`; true if it was edited.
    pub(super) fn nonzero_some(&mut self, at: At, number: Prim) -> bool {
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        let ctor = typed.std_variant(self.editor.model.db, at.expr);
        match (ctor, &node.kind) {
            (Some("None"), _) => true,
            (Some("Some"), ExprKind::Call(callee, args)) if args.len() == 1 => {
                let real = self.real(typed.node(*callee).span);
                let path = self.editor.nonzero(typed.function.module, number);
                match real.zip(path).filter(|_| self.is_open_to_edits(at)) {
                    Some((real, (_, path))) => self.edits.replace(real, format!("{path}::new")),
                    None => self.leave(node.span, "is in a macro call"),
                }
                true
            }
            _ => false,
        }
    }

    /// Returns the text before and after a value for a changed field; none if it cannot be wrapped.
    pub(super) fn nonzero_put(
        &self,
        module: ModId,
        number: Prim,
        option: Option<&str>,
        direct: bool,
    ) -> Option<(String, String)> {
        let (_, path) = self.editor.nonzero(module, number)?;
        Some(match option {
            None => (format!("{path}::new("), ").unwrap()".to_owned()),
            Some(_) if direct => (String::new(), format!(".and_then({path}::new)")),
            Some(option) => (format!("{option}::and_then("), format!(", {path}::new)")),
        })
    }

    /// Returns true if constants can call `Option::unwrap`.
    pub(super) fn unwraps_in_constants(&self, module: ModId) -> bool {
        let db = self.editor.model.db;
        let id = db.krate(db.krate_of(module)).id;
        id.is_some_and(|id| !db.project.krate(id).supports_before(CONST_UNWRAP))
    }

    /// Returns true for a reference that does not outlive the call it is passed to.
    fn ends_with_call(&self, typed: &Typed, reference: ExprId) -> bool {
        let edge = direct(typed, reference);
        let (How::Argument(index), ExprKind::Method(on, name, ..)) =
            (edge.how, &typed.node(edge.by).kind)
        else {
            return compared_with(typed, edge.by, reference).is_some();
        };
        let method = self.editor.usage.std_method(typed.fact(*on).ty, name.name);
        let Some(method) = method else {
            return false;
        };
        // A key that is passed by reference is not returned.
        let asked = method.signature.inputs.get(index);
        let Some(Type::Ref(key, false)) = asked else {
            return false;
        };
        super::within::lone(key).is_some_and(|name| {
            let mut params = method.signature.generics.params.iter();
            let mut given = Vec::new();
            if let Some(output) = &method.signature.output {
                super::within::names(output, &mut given);
            }
            params.any(|p| p.name == name) && !given.contains(&name)
        })
    }

    /// Returns true if no part of a pattern binds by reference.
    fn binds_values(&self, typed: &Typed, pat: PatId) -> bool {
        match &typed.function.body.pat(pat).kind {
            PatKind::Bind { by_ref, sub, .. } => {
                !by_ref && sub.is_none_or(|p| self.binds_values(typed, p))
            }
            PatKind::TupleStruct(_, list) | PatKind::Tuple(list) | PatKind::Or(list) => {
                list.iter().all(|p| self.binds_values(typed, *p))
            }
            PatKind::Wild | PatKind::Rest | PatKind::Path(_) | PatKind::Value => true,
            _ => false,
        }
    }
}

/// Returns true for a method that gives the same result for a number and a reference to it.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "clone" | "cmp" | "count_ones" | "to_owned" | "to_string"
    )
}
