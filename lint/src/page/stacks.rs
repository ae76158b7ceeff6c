//! Who asked for the counted heap: a tree of functions, the outermost first, with the types in it.

use super::counted::{last_two, without_path};
use crate::census::count::{Census, MadeCount};
use crate::report::counted::name;
use serde::Serialize;
use std::cmp::Reverse;

/// Live blocks that a function and what it called have asked for.
#[derive(Serialize)]
pub(super) struct Stack {
    /// The function with its place, or the type that most bytes of the site have.
    name: String,
    /// In few words: the last two names of the function, or the type without its path.
    short: String,
    /// It is a type.
    is_type: bool,
    /// Bytes, as requested.
    bytes: u64,
    blocks: u64,
    /// The most bytes first.
    under: Vec<Stack>,
}

/// Of all sites that a census has kept.
pub(super) fn of(census: &Census) -> Stack {
    let live = census.made.iter().filter(|made| made.bytes > 0);
    let mut sites: Vec<(Vec<String>, &MadeCount)> = live.map(|made| (path(made), made)).collect();
    sites.sort_by(|a, b| a.0.cmp(&b.0));
    let mut whole = Stack::new(census.head.program.clone());
    for (path, made) in sites {
        whole.add(&path, made);
    }
    whole.sort();
    whole
}

/// More functions of a stack are not drawn, whatever a file says.
const DEEPEST: usize = 100;

/// From the outermost function to the type.
fn path(made: &MadeCount) -> Vec<String> {
    let ty = match &*made.ty {
        "" => "no type".to_owned(),
        ty => name(ty),
    };
    let functions = made.frames.iter().take(DEEPEST).rev().cloned();
    functions.chain([ty]).collect()
}

impl Stack {
    fn new(name: String) -> Stack {
        let (function, _) = name.rsplit_once(" at ").unwrap_or((&name, ""));
        Stack {
            short: last_two(function),
            name,
            is_type: false,
            bytes: 0,
            blocks: 0,
            under: Vec::new(),
        }
    }

    /// Adds a site; sites come in the order of their paths.
    fn add(&mut self, path: &[String], made: &MadeCount) {
        self.bytes += made.bytes;
        self.blocks += made.blocks;
        let Some((name, rest)) = path.split_first() else {
            self.is_type = true;
            self.short = without_path(&self.name);
            return;
        };
        let last = self.under.pop_if(|last| last.name == *name);
        let mut next = last.unwrap_or_else(|| Stack::new(name.clone()));
        next.add(rest, made);
        self.under.push(next);
    }

    fn sort(&mut self) {
        self.under.sort_by_key(|under| Reverse(under.bytes));
        self.under.iter_mut().for_each(Stack::sort);
    }
}
