//! Effects on fields, marked below the lines that cause them (`tests/*.rs`).

use super::Usage;
use super::buffers::{BufferUse, Buffers, Edit};
use super::fields::is_read;
use crate::carets::Cases;
use crate::infer::body::FieldId;
use crate::ir::ItemKind;
use crate::resolve::ty::Ty;
use crate::resolve::{Db, ItemId};

/// Returns the types of the crate.
fn types(db: &'static Db<'static>) -> Vec<(ItemId, Ty)> {
    let modules = db.modules_and_bodies(0).into_iter();
    let adts = modules.flat_map(|m| db.module(m).scope.read().adts.clone());
    adts.map(|id| (id, db.identity_ty(id))).collect()
}

fn fields(db: &'static Db<'static>) -> Vec<(String, FieldId)> {
    let mut all = Vec::new();
    for (adt, _) in types(db) {
        let item = db.item(adt).item;
        let ItemKind::Adt(data) = &item.kind else {
            continue;
        };
        for (v, variant) in data.variants.iter().enumerate() {
            for (f, field) in variant.fields.iter().enumerate() {
                let name = format!("{}::{}", item.name, field.name);
                all.push((name, FieldId::new(adt, v, f)));
            }
        }
    }
    all
}

#[test]
fn buffers() {
    let cases = Cases::read("usage/tests/buffers.rs");
    let db = cases.db;
    let usage = Usage::read(db);
    let buffers = Buffers::find(db, &usage, &types(db));
    let fields = fields(db);
    let name = |of: FieldId| fields.iter().find(|(_, f)| *f == of).unwrap().0.as_str();
    cases.check(|span| {
        let mut found = Vec::new();
        for (field, id) in &fields {
            let uses = buffers.uses(*id).iter().filter(|u| u.span == span);
            found.extend(uses.map(|u| {
                let how = match u.how {
                    BufferUse::MovedInto(to) => format!("MovedInto({})", name(to)),
                    how => format!("{how:?}"),
                };
                let edit = if u.edit == Edit::Yes { ", to edit" } else { "" };
                format!("{field} {how}{edit}")
            }));
        }
        found.dedup();
        match found.is_empty() {
            true => "nothing".to_owned(),
            false => found.join("; "),
        }
    });
}

#[test]
fn reads() {
    let cases = Cases::read("usage/tests/reads.rs");
    let usage = Usage::read(cases.db);
    let fields = fields(cases.db);
    cases.check(|span| {
        let name = cases.db.sources.text(span);
        let named = fields
            .iter()
            .filter(|(path, _)| path.ends_with(&format!("::{name}")));
        let read = |(path, id): &(String, FieldId)| {
            let word = path.rsplit("::").next().unwrap();
            is_read(&usage, *id, crate::name::Name::new(word))
        };
        let all: Vec<&str> = named
            .map(|f| if read(f) { "read" } else { "not read" })
            .collect();
        all.join(", ")
    });
}
