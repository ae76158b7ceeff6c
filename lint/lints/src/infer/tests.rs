//! Tests of inferred types, which are annotated under each line in `tests/*.rs`.

use super::body::{Target, Typed};
use super::marks::MARKS;
use super::types::any_part;
use crate::carets::Cases;
use crate::resolve::ty::{Ty, TyKind};
use crate::span::Span;

/// Returns the type of the expression or pattern with exactly this span.
fn type_at(bodies: &[Typed], span: Span) -> Option<Ty> {
    for typed in bodies {
        let mut exprs = typed.exprs();
        if let Some((_, _, fact)) = exprs.find(|(_, node, _)| node.span == span) {
            return Some(fact.ty);
        }
        let mut pats = typed.function.body.pats();
        if let Some((id, _)) = pats.find(|(id, pat)| pat.span == span && typed.pat(*id).live) {
            let pat = typed.pat(id);
            let ty = pat.local.map_or(pat.ty, |l| typed.locals[l as usize].ty);
            return Some(ty);
        }
    }
    None
}

fn check_types(file: &str) {
    let cases = Cases::read(&format!("infer/tests/{file}.rs"));
    let bodies = super::read(cases.db);
    cases.check(|span| match type_at(&bodies, span) {
        Some(ty) => cases.db.display(ty),
        None => "nothing that was read".to_owned(),
    });
}

/// The type of std, for other arguments, whose layout a type has: one for all that lead to a value
/// in the same way, so that many types take few layouts.
#[test]
fn shared_layouts() {
    let cases = Cases::read("infer/tests/shared.rs");
    let bodies = super::read(cases.db);
    cases.check(|span| {
        let ty = type_at(&bodies, span).map(|ty| cases.db.types.kind(ty));
        let Some(TyKind::Adt(id, args)) = ty else {
            return "no type of std".to_owned();
        };
        let shared = cases.db.laid_out_as(*id, args);
        shared.map_or("none".to_owned(), |ty| cases.db.display(ty))
    });
}

#[test]
fn expressions() {
    check_types("expressions");
}

#[test]
fn patterns() {
    check_types("patterns");
}

#[test]
fn calls() {
    check_types("calls");
}

#[test]
fn iterators() {
    check_types("iterators");
}

#[test]
fn unknown() {
    check_types("unknown");
}

#[test]
fn effects() {
    let cases = Cases::read("infer/tests/effects.rs");
    let bodies = super::read(cases.db);
    cases.check(|span| {
        let mut exprs = bodies.iter().flat_map(Typed::exprs);
        let found = exprs.find(|(_, node, _)| node.span == span);
        found.map_or("nothing".to_owned(), |(_, _, fact)| {
            format!("{:?}", fact.effect)
        })
    });
}

#[test]
fn marks() {
    let cases = Cases::read("infer/tests/marks.rs");
    let bodies = super::read(cases.db);
    cases.check(|span| {
        let all = bodies
            .iter()
            .flat_map(|body| body.exprs().map(move |(id, ..)| (body, id)));
        let mut found = all.filter(|(body, id)| body.node(*id).span == span);
        let Some((body, id)) = found.next() else {
            return "nothing".to_owned();
        };
        let marks = MARKS.iter().filter(|(_, mark)| body.is_marked(id, *mark));
        let names: Vec<&str> = marks.map(|(name, _)| *name).collect();
        match names.is_empty() {
            true => "no mark".to_owned(),
            false => names.join(", "),
        }
    });
}

/// Each part is looked at once, however often it occurs: here up to 4,096 times.
#[test]
fn parts_that_occur_often() {
    let db = Cases::read("infer/tests/shared.rs").db;
    let unit = db.types.intern(TyKind::Tuple(Box::default()));
    let twice = |ty: &Ty| Some(db.types.intern(TyKind::Tuple(vec![*ty, *ty].into())));
    let pairs = std::iter::successors(Some(unit), twice);
    let whole = pairs.take(13).last().expect("a type");
    let looked = std::cell::Cell::new(0);
    let found = any_part(db, whole, &|ty| {
        looked.set(looked.get() + 1);
        matches!(db.types.kind(ty), TyKind::Adt(..))
    });
    assert_eq!((found, looked.get()), (false, 13));
}

/// The index of uses must equal a walk over the body.
#[test]
fn uses() {
    for file in ["expressions", "patterns", "calls", "iterators", "unknown"] {
        let cases = Cases::read(&format!("infer/tests/{file}.rs"));
        for typed in super::read(cases.db) {
            for (i, local) in (0..).zip(&typed.locals) {
                let named = typed
                    .exprs()
                    .filter(|(_, _, f)| f.target == Some(Target::Local(i)));
                assert!(named.map(|(id, ..)| id).eq(typed.uses(i).iter().copied()));
                let bound = local.init.and_then(|init| typed.bound_to(init));
                assert_eq!(bound.is_some(), local.init.is_some());
                assert!(bound.is_none_or(|first| typed.locals[first as usize].init == local.init));
                let opaque = typed.opaque.iter().any(|(name, _)| *name == local.name);
                assert_eq!(typed.is_opaque(local.name), opaque);
            }
        }
    }
}
