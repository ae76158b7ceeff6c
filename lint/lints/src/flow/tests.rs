//! Tests of edges, which are annotated under each line in `tests/*.rs`.

use super::{
    Created, Edge, How, Whole, created, edge, named, returned, sources, stored_in, value_of, whole,
};
use crate::carets::Cases;
use crate::infer::body::{FieldId, Target, Typed};
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

fn bound(body: &Typed, pat: PatId) -> String {
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
        How::Bound(pat) => ("binds".to_owned(), bound(body, pat)),
        How::Iterated(pat) => ("iterates".to_owned(), bound(body, pat)),
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
        match (sources(body, id), value_of(body, id), named(body, id)) {
            _ if body.function.body.value == Some(id) => {
                format!("returned: {}", all(&mut returned(body)))
            }
            (Some(list), ..) => format!("from: {}", all(&mut list.into_iter())),
            (_, Some(value), _) => format!("is: {}", text(value)),
            (.., Some((_, local))) => match whole(body, local.pat) {
                Some(Whole::Value(_, on)) => format!("part of: {}", text(on)),
                Some(Whole::Item(_, on)) => format!("item of: {}", text(on)),
                Some(Whole::Argument(..)) => "argument of a closure".to_owned(),
                None => format!("variable: {}", local.name),
            },
            _ => "itself".to_owned(),
        }
    });
}
