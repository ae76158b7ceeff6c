//! Size limits set apart from the type: anonymous constants that fail to compile at any other size,
//! written by hand or by the macros of many crates.

use super::{Budget, arguments, comma};
use crate::ir::{Arg, Expr, ItemKind, Path, Stmt, Type};
use crate::lower;
use crate::model::Model;
use crate::resolve::ItemId;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::Env;
use crate::source::SourceFile;
use crate::span::Span;
use std::ops::Range;

/// How `static_assertions::const_assert!` wraps its condition.
const CONDITION: (&str, &str) = ("const ASSERT: bool =", "; ASSERT");
/// How `static_assertions::assert_eq_size!` compares types.
const TRANSMUTE: &str = "transmute::<";

/// A limit and the definition that it limits.
pub(super) type Asserted = (ItemId, Budget);

/// Finds the limits that anonymous constants of the selected crates set.
pub(super) fn find(model: &Model<'static>) -> Vec<Asserted> {
    let db = model.db;
    let mut list = Vec::new();
    for module in model
        .selected()
        .flat_map(|krate| db.modules_and_bodies(krate))
    {
        let scope = db.module(module).scope.read();
        for &id in &scope.values_in_order {
            let item = db.item(id).item;
            if let ItemKind::Const(constant) = &item.kind
                && item.name == crate::ir::Item::UNNAMED
                && db.item_present(id) == Ok(true)
            {
                let mut reader = Reader {
                    model,
                    env: Env::plain(module),
                    span: item.span,
                    list: &mut list,
                };
                if let Some(value) = &constant.value {
                    reader.value(&constant.ty, value);
                }
                reader.text(&db.sources.get(item.span.file));
            }
        }
        for call in &scope.asserts {
            let mut reader = Reader {
                model,
                env: Env::plain(module),
                span: call.span,
                list: &mut list,
            };
            reader.own_macro(call.args);
        }
    }
    list
}

struct Reader<'r> {
    model: &'r Model<'static>,
    env: Env<'r>,
    /// The span reported for a limit.
    span: Span,
    list: &'r mut Vec<Asserted>,
}

impl Reader<'_> {
    /// Reads the constant's own type and value.
    fn value(&mut self, ty: &Type, value: &Expr) {
        match (ty, value) {
            // `static_assert_size!` of rustc: `const _: [(); 16] = [(); size_of::<T>()];`
            (Type::Array(_, one), Expr::Repeat(_, other)) => self.compared("==", one, other),
            // Its names may be those of an item in it.
            (_, Expr::Block(_, block)) if block.has_items => {}
            (_, Expr::Block(_, block)) => {
                for stmt in &block.stmts {
                    if let Stmt::Expr(expr) = stmt {
                        self.value(ty, expr);
                    }
                }
                if let Some(tail) = &block.tail {
                    self.value(ty, tail);
                }
            }
            (_, Expr::Macro(call)) => {
                let name = call.path.segments.last().map(|s| s.name);
                if name.is_some_and(|n| n == "assert")
                    && let Ok(args) = self.model.db.macro_args(call)
                    && let Some(condition) = args.first()
                {
                    self.condition(condition);
                }
            }
            _ => {}
        }
    }

    /// Reads a condition that must hold.
    fn condition(&mut self, condition: &Expr) {
        if let Expr::Binary(op, one, other) = condition {
            match *op {
                "&&" => {
                    self.condition(one);
                    self.condition(other);
                }
                op => self.compared(op, one, other),
            }
        }
    }

    fn compared(&mut self, op: &str, one: &Expr, other: &Expr) {
        let (less, more) = match op {
            "==" | "<=" | "<" => (one, other),
            ">=" | ">" => (other, one),
            _ => return,
        };
        let strict = u64::from(matches!(op, "<" | ">"));
        self.at_most(less, more, strict);
        if op == "==" {
            self.at_most(more, less, strict);
        }
    }

    /// Records that `size_of::<T>()` is at most the limit, less `strict`.
    fn at_most(&mut self, size: &Expr, limit: &Expr, strict: u64) {
        if let Some(ty) = measured(size)
            && let Ok(max) = self.model.db.const_bytes(limit, &self.env)
            && let Some(max) = max.checked_sub(strict)
        {
            let ty = self.model.db.lower(ty, &self.env);
            self.limit(ty, max);
        }
    }

    fn limit(&mut self, ty: Ty, max: u64) {
        if let TyKind::Adt(item, _) = self.model.db.types.kind(ty) {
            let span = self.span;
            self.list.push((*item, Budget { ty, max, span }));
        }
    }

    /// Reads the output of `static_assertions` macros that is not part of a constant's value.
    fn text(&mut self, source: &SourceFile) {
        let range = self.span.range();
        let text = &source.text[range.clone()];
        if let Some((_, behind)) = text.split_once(CONDITION.0)
            && let Some((condition, _)) = behind.split_once(CONDITION.1)
            && let Ok(condition) = lower::expr(source, within(source, condition))
        {
            self.condition(&condition);
        }
        for (at, _) in text.match_indices(TRANSMUTE) {
            let types = &text[at + TRANSMUTE.len()..];
            let first = comma(types);
            let Some(rest) = types.get(first + 1..) else {
                continue;
            };
            let second = &rest[..comma(rest)];
            let end = second.rfind(">;").or_else(|| second.rfind('>'));
            let read = |text: &str| {
                let ty = lower::ty(source, within(source, text)).ok()?;
                Some(self.model.db.lower(&ty, &self.env))
            };
            if let Some(one) = read(&types[..first])
                && let Some(other) = end.and_then(|end| read(&second[..end]))
            {
                for (ty, limit) in [(one, other), (other, one)] {
                    if let Ok(extent) = self.model.extent(limit) {
                        self.limit(ty, extent.size);
                    }
                }
            }
        }
    }

    /// Reads `weigh_derive::assert_size!(T, max = 16)`.
    fn own_macro(&mut self, args: Span) {
        let source = self.model.db.sources.get(args.file);
        let text = &source.text[args.range()];
        let first = comma(text);
        let Some(rest) = text.get(first + 1..) else {
            return;
        };
        let max = arguments(rest).find(|a| matches!(a.key, "max" | "exact") && !a.list);
        let Some((value, _)) = max.and_then(|a| a.value) else {
            return;
        };
        let ty = lower::ty(&source, within(&source, &text[..first]));
        let limit = lower::expr(&source, within(&source, value));
        if let (Ok(ty), Ok(limit)) = (ty, limit)
            && let Ok(max) = self.model.db.const_bytes(&limit, &self.env)
        {
            let ty = self.model.db.lower(&ty, &self.env);
            self.limit(ty, max);
        }
    }
}

/// Returns the range of a subslice of a file's text.
fn within(source: &SourceFile, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - source.text.as_ptr() as usize;
    start..start + part.len()
}

/// Returns `T` of `size_of::<T>()`.
fn measured(expr: &Expr) -> Option<&Type> {
    let Expr::Call(function, arguments) = expr else {
        return None;
    };
    let Expr::Path(Path { segments, .. }) = &**function else {
        return None;
    };
    let last = segments.last()?;
    match &last.args.as_deref()?.args[..] {
        [Arg::Type(ty)] if last.name == "size_of" && arguments.is_empty() => Some(ty),
        _ => None,
    }
}
