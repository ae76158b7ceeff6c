//! Every function, constant and static of the selected crates: found in order, read on all threads.

use super::body::Function;
use crate::fault;
use crate::ir::body::Body;
use crate::ir::{self, ItemKind};
use crate::lower;
use crate::project::CrateKind;
use crate::resolve::{CrateIx, Db, Def, ItemId, ModId, collect::has_attr};
use crate::source::SourceFile;
use crate::span::Span;
use rayon::prelude::*;
use std::sync::Arc;

/// Values longer than this (bytes) are tables: they tell nothing of how types are used.
const LONGEST_VALUE: usize = 64 << 10;

/// Something with a body.
struct Found {
    item: ItemId,
    krate: CrateIx,
    module: ModId,
    owner: Option<ItemId>,
    path: String,
    aside: bool,
    text: Text,
}

/// What is to be read of it.
enum Text {
    Function(ir::Function),
    Value(Span),
}

impl Text {
    fn span(&self) -> Span {
        match self {
            Text::Function(f) => f.signature,
            Text::Value(span) => *span,
        }
    }

    fn read(&self, source: &SourceFile) -> Body {
        match self {
            Text::Function(f) => lower::body(source, f),
            Text::Value(span) => lower::value_body(source, *span),
        }
    }
}

/// Reads all bodies, by file and place.
pub(super) fn read(db: &Db<'static>, crates: impl Iterator<Item = CrateIx>) -> Vec<Function> {
    let mut found = Vec::new();
    for krate in crates {
        for module in db.modules_and_bodies(krate) {
            of_module(db, krate, module, &mut found);
        }
    }
    let sources: Vec<Arc<SourceFile>> = found
        .iter()
        .map(|f| db.sources.get(f.text.span().file))
        .collect();
    let bodies: Vec<Body> = found
        .par_iter()
        .zip(&sources)
        .map(|(f, source)| {
            let work = || format!("reading the body of `{}`", f.path);
            fault::guard(work, || f.text.read(source)).unwrap_or_default()
        })
        .collect();
    let all = found.into_iter().zip(bodies);
    all.map(|(f, body)| Function {
        item: f.item,
        krate: f.krate,
        module: f.module,
        owner: f.owner,
        path: f.path,
        aside: f.aside,
        body,
    })
    .collect()
}

fn of_module(db: &Db<'static>, krate: CrateIx, module: ModId, found: &mut Vec<Found>) {
    let scope = db.module(module).scope.borrow();
    let (values, impls) = (scope.values_in_order.clone(), scope.impls.clone());
    let entries = scope.types.values().flatten();
    let mut traits: Vec<ItemId> = entries
        .filter_map(|e| match e.to {
            crate::resolve::Bound::Def(Def::Item(id)) => Some(id),
            _ => None,
        })
        .filter(|id| matches!(db.item(*id).item.kind, ItemKind::Trait(_)))
        .collect();
    drop(scope);
    traits.sort();
    traits.dedup();
    for item in values {
        add(db, krate, module, None, item, found);
    }
    for owner in impls.into_iter().chain(traits) {
        if db.item_present(owner) == Ok(false) {
            continue;
        }
        for &member in db.members(owner) {
            add(db, krate, module, Some(owner), member, found);
        }
    }
}

fn add(
    db: &Db<'static>,
    krate: CrateIx,
    module: ModId,
    owner: Option<ItemId>,
    item: ItemId,
    found: &mut Vec<Found>,
) {
    let data = db.item(item);
    let text = match &data.item.kind {
        // Nameless: a constant's value, read with the constant.
        ItemKind::Fn(_) if data.item.name == ir::Item::UNNAMED => return,
        ItemKind::Fn(function) => Text::Function(function.clone()),
        ItemKind::Const(c) => match c.value_span {
            Some(span) => Text::Value(span),
            None => return,
        },
        ItemKind::Static(_, Some(span)) => Text::Value(*span),
        _ => return,
    };
    if matches!(text, Text::Value(span) if span.len() > LONGEST_VALUE) {
        return;
    }
    if db.item_present(item) == Ok(false) {
        return;
    }
    let kind = db.krate(krate).id.map(|id| db.project.krate(id).kind);
    let main = matches!(
        kind,
        Some(CrateKind::Lib | CrateKind::Bin | CrateKind::ProcMacro)
    );
    let test = has_attr(&data.item.attrs, "test") || has_attr(&data.item.attrs, "bench");
    let within = match owner.map(|o| &db.item(o).item.kind) {
        Some(ItemKind::Impl(imp)) => written(&imp.self_ty).map(|n| format!("{n}::")),
        Some(ItemKind::Trait(_)) => owner.map(|o| format!("{}::", db.item(o).item.name)),
        _ => None,
    };
    found.push(Found {
        item,
        krate,
        module: db.body_module(item).unwrap_or(module),
        owner,
        path: format!(
            "{}{}{}",
            db.module_path(module),
            within.unwrap_or_default(),
            data.item.name
        ),
        aside: !main || test,
        text,
    });
}

/// The last name of the type that an `impl` is for.
fn written(ty: &ir::Type) -> Option<String> {
    match ty {
        ir::Type::Path(path) => path.segments.last().map(|s| s.name.to_string()),
        ir::Type::Ref(inner, _) => written(inner),
        _ => None,
    }
}
