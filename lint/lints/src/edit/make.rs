//! Edits values that changed fields are set to: they are converted to the new type.

use super::{Buffer, Shape, Work, text};
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::types::std_name;
use crate::ir::Style;
use crate::ir::body::{ExprId, ExprKind, MacroArgs};
use crate::resolve::ty::TyKind;
use crate::span::Span;
use crate::usage::events::At;

/// Parameter names for a closure that replaces a constructor.
const ARGUMENTS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h"];

/// Methods whose result type does not depend on the expected type.
const PLAIN: &[&str] = &[
    "concat",
    "into_owned",
    "join",
    "repeat",
    "replace",
    "to_lowercase",
    "to_owned",
    "to_path_buf",
    "to_string",
    "to_uppercase",
    "to_vec",
];

/// Variables initialized by variables are followed up to this depth.
const DEEPEST: usize = 4;

impl Work<'_> {
    /// Edits the value that a literal or a constructor call gives the field.
    pub(super) fn set(&mut self, at: At, value: ExprId, shape: Shape) {
        let typed = self.typed(at.body);
        let parent = typed.fact(at.expr).parent.map(|p| &typed.node(p).kind);
        if matches!(parent, Some(ExprKind::Assign(to, ..)) if *to == at.expr) {
            self.leave(typed.node(at.expr).span, "destructures it");
            return;
        }
        self.value(at.with(value), shape);
    }

    /// Edits a value that a changed field is set to.
    pub(super) fn value(&mut self, at: At, shape: Shape) {
        if self.carried.contains(&at) {
            return;
        }
        if let Shape::Keys(buffer) = shape {
            return self.collection_value(at, buffer);
        }
        let db = self.editor.model.db;
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        if let Some(inside) = shape.inside() {
            let ctor = typed.std_variant(self.editor.model.db, at.expr);
            match (ctor, &node.kind) {
                (Some("None"), _) => return,
                (Some("Some"), ExprKind::Call(_, args)) if args.len() == 1 => {
                    return self.value(at.with(args[0]), inside);
                }
                _ => {}
            }
        }
        if shape == Shape::Frozen(Buffer::Vec) && self.is_collected(typed, at.expr) {
            return;
        }
        if typed.is_constant(db, at.expr) {
            self.leave(node.span, "is a constant, which cannot allocate");
            return;
        }
        let Some(span) = self.whole_value(at) else {
            self.leave(node.span, "is in a macro call");
            return;
        };
        let Some((mut open, close)) = self.conversion(at, shape) else {
            self.leave(node.span, "constructs it in an unsupported way");
            return;
        };
        if let Some(name) = self.shorthand(at) {
            open = format!("{name}: {open}");
        }
        if self.is_converted(at, shape, (span, &open, &close)) {
            return;
        }
        self.edits.around(span, text::OUTER, &open, &close);
    }

    /// Returns the text of a value to the next comma or semicolon, if the author wrote it once.
    fn whole_value(&self, at: At) -> Option<Span> {
        let typed = self.typed(at.body);
        let real = self.real(typed.node(at.expr).span);
        let real = real.filter(|_| self.is_open_to_edits(at))?;
        let sources = &self.editor.model.db.sources;
        let tokens = self.editor.files.get(sources, real.file);
        let whole = tokens.element(real)?;
        let parent = typed.fact(at.expr).parent;
        let start = match parent.map(|p| &typed.node(p).kind) {
            Some(ExprKind::Assign(..)) => tokens.balanced(real).start,
            _ => whole.start,
        };
        Some(Span { start, ..whole })
    }

    /// Returns what is put before and after a value to convert it to the new type.
    fn conversion(&self, at: At, shape: Shape) -> Option<(String, String)> {
        let db = self.editor.model.db;
        let typed = self.typed(at.body);
        let module = typed.function.module;
        let call = |ty: &str, function: &str| {
            let ty = self.editor.std_path(module, ty)?;
            Some((format!("{ty}::{function}("), ")".to_owned()))
        };
        // Whether the method can be called on the value: the value's type must be known.
        let direct = |name: &str| {
            let known = match db.types.kind(typed.fact(at.expr).ty) {
                TyKind::Adt(id, _) => std_name(db, *id) == Some(name),
                _ => false,
            };
            known && self.says_its_type(typed, at.expr, 0)
        };
        match shape {
            Shape::Boxed => call("Box", "new"),
            Shape::BoxedInside | Shape::FrozenInside(_) => {
                let (ty, function) = match shape {
                    Shape::FrozenInside(Buffer::Counted) => ("Arc", "from"),
                    Shape::FrozenInside(buffer) => (buffer.name(), buffer.freeze()),
                    _ => ("Box", "new"),
                };
                let ty = self.editor.std_path(module, ty)?;
                if direct("Option") {
                    return Some((String::new(), format!(".map({ty}::{function})")));
                }
                let (open, _) = call("Option", "map")?;
                if shape != Shape::FrozenInside(Buffer::Counted) {
                    return Some((open, format!(", {ty}::{function})")));
                }
                let text = self.editor.std_path(module, "String")?;
                let whole = format!(", <{ty}<str> as From<{text}>>::{function})");
                Some((open, whole))
            }
            // The type of the value may be inferred from the field's type only.
            Shape::Frozen(Buffer::Counted) => match direct("String") {
                true => call("Arc", "from"),
                false => {
                    let (open, close) = call("String", "into_boxed_str")?;
                    Some((open, format!("{close}.into()")))
                }
            },
            Shape::Frozen(buffer) => match direct(buffer.name()) {
                true => Some((String::new(), format!(".{}()", buffer.freeze()))),
                false => call(buffer.name(), buffer.freeze()),
            },
            Shape::Keys(_) => None,
        }
    }

    /// Returns true for `collect()` of a std iterator: it can collect into a boxed slice directly.
    fn is_collected(&self, typed: &Typed, expr: ExprId) -> bool {
        let ExprKind::Method(on, name, _, args) = &typed.node(expr).kind else {
            return false;
        };
        let known = || self.editor.usage.std_method(typed.fact(*on).ty, name.name);
        name.name == "collect" && name.args.is_none() && args.is_empty() && known().is_some()
    }

    /// Returns true for an expression whose type does not depend on the expected type.
    pub(super) fn says_its_type(&self, typed: &Typed, expr: ExprId, depth: usize) -> bool {
        match &typed.node(expr).kind {
            _ if depth > DEEPEST => false,
            ExprKind::Path(_) => match typed.fact(expr).target {
                Some(Target::Local(local)) => {
                    let local = &typed.locals[local as usize];
                    let init = local.init.map(|i| self.says_its_type(typed, i, depth + 1));
                    local.argument || init.unwrap_or(false)
                }
                _ => false,
            },
            ExprKind::Field(..) => matches!(typed.fact(expr).target, Some(Target::Field(_))),
            ExprKind::Macro(path, args) => match path.last_name() {
                "format" => true,
                // A variable has the field's type already.
                "vec" => depth > 0 || self.has_plain_elements(typed, args),
                _ => false,
            },
            ExprKind::Method(_, name, ..) => PLAIN.contains(&name.name.as_str()),
            ExprKind::Call(callee, _) => {
                matches!(typed.called(*callee), "with_capacity" | "new" | "from")
                    || match typed.fact(expr).target {
                        Some(Target::Item(item)) => {
                            let body = self.editor.usage.body(item);
                            body.is_some_and(|b| {
                                b.function.body.signature.generics.params.is_empty()
                            })
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    /// Returns true for the elements of a `vec!` that are not converted to those of the field, as a
    /// `Box<T>` is to a `Box<dyn Trait>`.
    fn has_plain_elements(&self, typed: &Typed, args: &MacroArgs) -> bool {
        let elements = match args {
            MacroArgs::Exprs(list) => &list[..],
            MacroArgs::Repeat(element, _) => std::slice::from_ref(element),
            MacroArgs::Matches(..) | MacroArgs::Names(_) => return false,
        };
        let types = &self.editor.model.db.types;
        elements
            .iter()
            .all(|e| match types.kind(typed.fact(*e).ty) {
                TyKind::Prim(_) => true,
                TyKind::Adt(_, args) => args.is_empty(),
                _ => false,
            })
    }

    /// Replaces a constructor that is used as a function value by a closure.
    pub(super) fn passed(&mut self, at: At, id: FieldId, shape: Shape) {
        let db = self.editor.model.db;
        let typed = self.typed(at.body);
        let node = typed.node(at.expr);
        let Some((variant, _)) = self.editor.field(id) else {
            return;
        };
        let constant = typed.is_constant(db, at.expr);
        let path = |name| self.editor.std_path(typed.function.module, name);
        let function = match shape {
            Shape::Boxed => path("Box").map(|ty| format!("{ty}::new")),
            Shape::Frozen(Buffer::Counted) => path("Arc").map(|ty| format!("{ty}::from")),
            Shape::Frozen(of) => path(of.name()).map(|ty| format!("{ty}::{}", of.freeze())),
            _ => None,
        };
        // A second changed field in the same constructor would need its own closure.
        let mut changed = self.changed.keys();
        let others =
            changed.any(|f| (f.adt, f.variant) == (id.adt, id.variant) && f.field != id.field);
        let span = self.real(node.span).filter(|_| self.is_open_to_edits(at));
        let (Style::Tuple, false, Some(function), Some(span)) =
            (variant.style, constant || others, function, span)
        else {
            self.leave(node.span, "passes the constructor as a function");
            return;
        };
        let Some(names) = ARGUMENTS.get(..variant.fields.len()) else {
            self.leave(node.span, "passes the constructor as a function");
            return;
        };
        let one = ["value"];
        let names = if names.len() == 1 { &one[..] } else { names };
        let values = names
            .iter()
            .enumerate()
            .map(|(i, name)| match i == id.field as usize {
                true => format!("{function}({name})"),
                false => (*name).to_owned(),
            });
        let values: Vec<_> = values.collect();
        let open = format!("|{}| ", names.join(", "));
        let close = format!("({})", values.join(", "));
        self.edits.around(span, text::OUTER, &open, &close);
    }
}
