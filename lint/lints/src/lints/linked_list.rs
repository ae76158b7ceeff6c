//! A list with an allocation for each element.
//!
//! # Why
//! Each element of a linked list is a block of its own, with one or two pointers and what malloc
//! adds: 32 bytes at least, and one indirection per element. A `VecDeque` or `Vec` stores the
//! elements side by side in one block, and pushes and pops at its ends as well.
//!
//! # What it finds
//! - Fields and variables that are a `LinkedList`.
//! - Structs whose only link to their own type is an `Option<Box<Self>>`, where the code pushes
//!   and pops at the head of that chain.
//!
//! # What it leaves out
//! - Lists of `Vec` or `VecDeque`, whose nodes hold many elements each (rayon collects so).
//! - Lists that are split or joined (`append`, `split_off`, cursors), chains with nodes removed
//!   from the middle, and trees.
//! - Lists that are passed to a function or returned by one.
//!
//! # Example
//! ```
//! struct Queue {
//!     jobs: std::collections::LinkedList<u64>,
//! }
//! ```
//! takes 32 bytes of heap for each job. With `VecDeque<u64>` it is 8.

use crate::config::Level;
use crate::finding::{BlockChange, Confidence, Finding, Label, Multiplicity, Remedy};
use crate::ir::AdtKind;
use crate::lint::words::of_type;
use crate::lint::{self, Check, Claim, Concern, Context, Group, Lint, header};
use crate::model::TypeInfo;
use crate::model::parts::{Part, with_field};
use crate::resolve::ty::{Ty, TyKind};
use crate::span::Span;
use crate::usage::body::{Target, Typed};
use crate::usage::linked_lists::{is_spliced, links};
use crate::usage::types::{adt_of, any_part, inner, std_first, std_parts};

/// The lint.
pub static LINT: Lint = Lint {
    name: "linked_list",
    group: Group::Nursery,
    level: Level::Allow,
    header: header!("linked_list.rs"),
    settings: &[],
    clippy: &["linkedlist"],
    concern: Concern::Code,
    claim: Claim::Rival(0),
    check: Check::Both(|cx, info| lint::found(types(cx, info), NONE), bodies),
};

/// Why there is no finding for a type.
const NONE: &str = "no field of it is a list with a block a node";

/// Types of std that store many elements in one block.
const CHUNKS: &[&str] = &["Vec", "VecDeque"];

fn types(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let parts = cx.model.parts(info);
    let found = parts.iter().filter_map(|part| {
        let list = list(cx, part.ty);
        list.map_or_else(|| chain(cx, info, part), |l| field(cx, info, part, l))
    });
    found.collect()
}

/// Returns the list of std that a type is or holds inline.
fn list(cx: &Context, ty: Ty) -> Option<Ty> {
    let db = cx.model.db;
    if let Some(element) = std_first(db, ty, &["LinkedList"]) {
        // A node that holds a whole block of elements is not one per element.
        let chunk = std_parts(db, element).is_some_and(|(n, _)| CHUNKS.contains(&n));
        return (!chunk && !is_spliced(db, cx.usage(), ty)).then_some(ty);
    }
    let through = match db.types.kind(ty) {
        TyKind::Tuple(_) | TyKind::Array(..) => true,
        _ => std_parts(db, ty).is_some(),
    };
    let mut parts = inner(db, ty).into_iter().filter(|_| through);
    parts.find_map(|ty| list(cx, ty))
}

fn field(cx: &Context, info: &TypeInfo, part: &Part, list: Ty) -> Option<Finding> {
    let model = cx.model;
    let element = std_first(model.db, list, &["LinkedList"])?;
    let deque = model.std_type("crate::collections::VecDeque<()>")?;
    let deque = model.replaced(deque, model.db.types.unit(), element);
    let change = with_field(part.id, model.replaced(part.ty, list, deque));
    let finding = found(cx, &part.shown(), part.span, part.ty, list);
    let title = finding.remedies[0].title.clone();
    let remedy = cx.remedy(info, &change, &*title);
    let said = (finding.message, finding.primary.text);
    let heap = BlockChange::Joined(part.path());
    Some(Finding {
        after: remedy.as_ref().and_then(|_| cx.drawing(&change, info.ty)),
        trade_off: finding.trade_off,
        multiplicity: finding.multiplicity,
        confidence: match part.exported() {
            true => Confidence::Likely,
            false => finding.confidence,
        },
        ..cx.on_part(
            (info, part),
            said,
            remedy.unwrap_or_else(|| Remedy::new(title)),
            heap,
        )
    })
}

fn found(cx: &Context, name: &str, span: Span, ty: Ty, list: Ty) -> Finding {
    let (model, db) = (cx.model, cx.model.db);
    let element = inner(db, list).first().copied();
    let size = element.and_then(|ty| model.size(ty));
    let each = match size {
        Some(size) => {
            let block = model.block(2 * model.word() + size);
            format!("every element of {size} bytes takes a block of {block}")
        }
        None => "every element takes a block of its own".to_owned(),
    };
    let element = element.map(|ty| db.display(ty)).unwrap_or_default();
    let title = format!("use `VecDeque<{element}>`: one block for all elements");
    Finding {
        remedies: vec![Remedy::new(title)],
        trade_off: Some("a `VecDeque` moves its elements when it grows".to_owned()),
        multiplicity: Multiplicity::Transient,
        ..Finding::new(
            format!("`{name}` is a linked list: {each}"),
            Label::new(span, format!("`{}`", db.display(ty))),
        )
    }
}

/// Checks lists that are local to a function.
fn bodies(cx: &Context, body: &Typed) -> Vec<Finding> {
    let db = cx.model.db;
    if body.function.aside {
        return Vec::new();
    }
    let locals = body.locals.iter().filter(|l| !l.argument);
    let found = locals.filter_map(|local| {
        let ty = list(cx, local.ty).filter(|ty| *ty == local.ty)?;
        let (span, written) = db.sources.origin(body.function.body.pat(local.pat).span);
        let init = local.init.map(|init| body.fact(init).target);
        // A list from another function or a field is theirs.
        let made = matches!(init, Some(Some(Target::Library)));
        let given = any_part(db, body.output, &|output| output == ty);
        let list = || found(cx, local.name.as_str(), span, ty, ty);
        (written && made && !given).then(list)
    });
    found.collect()
}

/// Checks a hand-written list that is pushed and popped at its head.
fn chain(cx: &Context, info: &TypeInfo, part: &Part) -> Option<Finding> {
    let model = cx.model;
    let db = model.db;
    let is_self = |ty: Ty| adt_of(db, ty) == Some(info.item);
    let next = std_first(db, part.ty, &["Option"]).and_then(|ty| std_first(db, ty, &["Box"]));
    if info.kind != AdtKind::Struct || !is_self(next?) {
        return None;
    }
    let others = model.parts(info).into_iter();
    let mut others = others.filter(|p| p.id != part.id);
    if others.any(|p| any_part(db, p.ty, &is_self)) {
        return None;
    }
    let links = links(cx.usage(), part.id);
    if links.spliced {
        return None;
    }
    let (pushed, popped) = links.pushed.first().zip(links.popped.first())?;
    let name = db.item(info.item).item.name;
    let size = model.size(info.ty);
    let each = match size {
        Some(size) => format!("every node takes a block of {} bytes", model.block(size)),
        None => "every node takes a block of its own".to_owned(),
    };
    let title = format!(
        "store the nodes in a `Vec`, or in a `VecDeque` for a queue, without `{}`",
        part.shown()
    );
    Some(Finding {
        secondary: vec![of_type(info, size)],
        field: Some(part.path()),
        remedies: vec![Remedy::new(title)],
        evidence: vec![
            model.evidence(pushed.span, "a node is pushed at the head here"),
            model.evidence(popped.span, "the head is popped here"),
        ],
        trade_off: Some("a `Vec` moves its elements when it grows".to_owned()),
        multiplicity: Multiplicity::Transient,
        confidence: Confidence::Likely,
        ..Finding::new(
            format!("`{name}` is a hand-written linked list: {each}"),
            Label::new(part.span, "the link to the next node"),
        )
    })
}
