//! Tests of reading one text, by what they are about.

mod bodies;
mod broken;
mod deep;
mod items;
mod marks;
mod types;

use super::*;
use crate::ir::{File, Item, ItemKind};
use crate::source::Sources;
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Whether definitions are lowered from syn's trees alone.
    pub(super) static BY_TREES: Cell<bool> = const { Cell::new(false) };
}

fn source(text: &str) -> Arc<SourceFile> {
    Sources::default().add("test.rs".into(), text.to_owned(), None)
}

/// Lowers a text that must have no errors.
fn read(text: &str) -> File {
    let file = file(&source(text), true);
    assert!(file.errors.is_empty(), "{:?} in {text}", file.errors);
    file
}

fn names(items: &[Item]) -> Vec<&str> {
    items.iter().map(|i| i.name.as_str()).collect()
}

fn adt(item: &Item) -> &ir::Adt {
    match &item.kind {
        ItemKind::Adt(adt) => adt,
        other => panic!("not a type: {other:?}"),
    }
}

fn fields(item: &Item) -> &[ir::Field] {
    &adt(item).variants[0].fields
}

fn function_of(item: &Item) -> &Function {
    match &item.kind {
        ItemKind::Fn(f) => f,
        other => panic!("not a function: {other:?}"),
    }
}
