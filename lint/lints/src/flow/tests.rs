//! Tests of edges, which are annotated under each line in `tests/*.rs`.

use super::{
    Created, Edge, How, Origin, Owner, Step, bound, created, edge, named, origins, owner, returned,
    stored_in,
};
use crate::carets::Cases;
use crate::infer::body::{FieldId, Target, Typed};
use crate::infer::types::{adt_of, bare};
use crate::ir::ItemKind;
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::resolve::Db;
use crate::span::Span;

/// Returns the body that contains an expression with exactly this span, and the outermost one.
fn at(bodies: &[Typed], span: Span) -> Option<(&Typed, ExprId)> {
    bodies.iter().find_map(|body| {
        let here = body.exprs().filter(|(_, node, _)| node.span == span);
        Some((body, here.map(|(id, ..)| id).last()?))
    })
}

fn field_name(db: &Db<'static>, field: FieldId) -> String {
    let item = db.item(field.adt).item;
    let ItemKind::Adt(adt) = &item.kind else {
        return String::new();
    };
    let (_, variant, at) = field.place();
    format!("{}::{}", item.name, adt.variants[variant].fields[at].name)
}

/// Names the place that an expression is.
fn place(db: &Db<'static>, body: &Typed, id: ExprId) -> String {
    match (body.fact(id).target, &body.node(id).kind) {
        (Some(Target::Local(local)), _) => body.locals[local as usize].name.to_string(),
        (Some(Target::Field(field)), _) => field_name(db, field),
        (Some(Target::Open(name)), ExprKind::Field(..)) => format!("?::{name}"),
        (_, ExprKind::Deref(inner) | ExprKind::Index(inner, _)) => place(db, body, *inner),
        _ => "a value".to_owned(),
    }
}

fn binding(body: &Typed, pat: PatId) -> String {
    match &body.function.body.pat(pat).kind {
        PatKind::Bind { name, .. } => name.to_string(),
        _ => "a pattern".to_owned(),
    }
}

/// Says what an edge does, and with what.
fn said(db: &Db<'static>, body: &Typed, id: ExprId, edge: &Edge) -> String {
    let text = |id: ExprId| db.sources.text(body.node(id).span);
    let on = place(db, body, id);
    let (verb, what) = match edge.how {
        How::Does(effect) => {
            let value = edge.value.filter(|v| *v != edge.by).map(text);
            let with = value.map(|v| format!(" with {v}")).unwrap_or_default();
            (format!("{effect:?}").to_lowercase(), on + &with)
        }
        How::Stored => {
            let field = stored_in(db, body, edge).map(|f| field_name(db, f));
            ("stores".to_owned(), field.unwrap_or(on))
        }
        How::Assigned(to) => ("assigns to".to_owned(), place(db, body, to)),
        How::Argument(at) => {
            let name = match &body.node(edge.by).kind {
                ExprKind::Method(_, name, ..) => name.name.as_str(),
                ExprKind::Call(callee, _) => body.called(*callee),
                _ => "",
            };
            ("passes to".to_owned(), format!("{name}, {at}"))
        }
        How::Bound(pat) => ("binds".to_owned(), binding(body, pat)),
        How::Iterated(pat) => ("iterates".to_owned(), binding(body, pat)),
        How::Matched(arms) => ("matches".to_owned(), format!("{} arms", arms.len())),
        how => (format!("{how:?}").to_lowercase(), on),
    };
    format!("{verb}: {what}")
}

fn check_edges(file: &str) {
    let cases = Cases::read(&format!("flow/tests/{file}.rs"));
    let bodies = crate::infer::read(cases.db);
    cases.check(|span| match at(&bodies, span) {
        Some((body, id)) => said(cases.db, body, id, &edge(body, id)),
        None => "nothing that was read".to_owned(),
    });
}

#[test]
fn places() {
    check_edges("places");
}

#[test]
fn moves() {
    check_edges("moves");
}

#[test]
fn owners() {
    let cases = Cases::read("flow/tests/owners.rs");
    let bodies = crate::infer::read(cases.db);
    cases.check(|span| {
        let Some((body, id)) = at(&bodies, span) else {
            return "nothing that was read".to_owned();
        };
        let of = adt_of(cases.db, bare(cases.db, body.fact(id).ty));
        match of.map(|of| owner(cases.db, body, id, of)) {
            Some(Owner::Made) => "made here".to_owned(),
            Some(Owner::Argument) => "the caller's".to_owned(),
            Some(Owner::Field(field)) => format!("in {}", field_name(cases.db, field)),
            Some(Owner::Elsewhere) | None => "not known".to_owned(),
        }
    });
}

/// Says which part of a value it is.
fn words(way: &[Step]) -> String {
    let steps = way.iter().rev().map(|step| match step {
        Step::Part(at) => format!("part {at} of "),
        Step::Item => "each item of ".to_owned(),
    });
    steps.collect()
}

#[test]
fn values() {
    let cases = Cases::read("flow/tests/values.rs");
    let bodies = crate::infer::read(cases.db);
    cases.check(|span| {
        let Some((body, id)) = at(&bodies, span) else {
            return "nothing that was read".to_owned();
        };
        let text = |id: ExprId| cases.db.sources.text(body.node(id).span);
        let all = |list: &mut dyn Iterator<Item = ExprId>| {
            let texts: Vec<String> = list.map(text).collect();
            texts.join("; ")
        };
        if let Some(created) = created(body, id) {
            return match created {
                Created::Room(n) => format!("creates: room for {}", text(n)),
                Created::Repeated(n) => format!("creates: {} items", text(n)),
                created => format!("creates: {created:?}"),
            };
        }
        if body.function.body.value == Some(id) {
            return format!("returned: {}", all(&mut returned(body)));
        }
        if let Some((_, local)) = named(body, id) {
            return match (local.init, bound(cases.db, body, local.pat)) {
                (Some(value), _) => format!("is: {}", text(value)),
                (_, Some((on, way))) => format!("is: {}{}", words(&way), text(on)),
                _ => format!("variable: {}", local.name),
            };
        }
        let Some(list) = origins(cases.db, body, id, &[]) else {
            return "itself".to_owned();
        };
        let name = |item| cases.db.item(item).item.name;
        let texts = list.into_iter().map(|origin| match origin {
            Origin::Value(id, way) => words(&way) + &text(id),
            Origin::Returned(item, way) => format!("{}what {} returns", words(&way), name(item)),
            Origin::Constant(item, way) => format!("{}constant {}", words(&way), name(item)),
        });
        let texts: Vec<String> = texts.collect();
        match texts.is_empty() {
            true => "has no value".to_owned(),
            false => format!("from: {}", texts.join("; ")),
        }
    });
}
