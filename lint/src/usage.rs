//! How the code of the selected crates uses its types: every body read once, its expressions given
//! types as far as these are plain, and the facts that follow.

pub mod body;
pub mod boxes;
pub mod buffers;
pub mod chains;
pub mod clones;
pub mod fates;
pub mod fields;
mod functions;
mod infer;
pub mod kept;
pub mod loops;
mod members;
pub mod moves;
pub mod numbers;
pub mod stores;
pub mod strings;
pub mod types;
pub mod variants;
pub mod vectors;

use crate::fault;
use crate::resolve::{Db, ItemId};
use body::Typed;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// What the bodies of the selected crates say.
pub struct Usage {
    /// Every function, constant and static with its types, by file and place.
    pub bodies: Vec<Typed>,
    /// Places in `bodies`.
    by_item: FxHashMap<ItemId, usize>,
    /// Where fields are named and values copied; looked through when it is first asked.
    named: OnceCell<strings::Named>,
}

impl Usage {
    /// Reads every body of the selected crates: parsed on all threads, understood on one.
    pub fn read(db: &'static Db<'static>) -> Usage {
        let functions = functions::read(db);
        let members = members::Members::find(db, &functions);
        let bodies: Vec<Typed> = functions
            .into_iter()
            .filter_map(|f| {
                let path = f.path.clone();
                let work = || format!("reading what `{path}` does");
                fault::guard(work, || infer::infer(db, &members, f))
            })
            .collect();
        let by_item = bodies.iter().enumerate();
        let by_item = by_item.map(|(i, b)| (b.function.item, i)).collect();
        Usage {
            bodies,
            by_item,
            named: OnceCell::new(),
        }
    }

    /// The body of a function, constant or static.
    pub fn body(&self, item: ItemId) -> Option<&Typed> {
        self.position(item).map(|i| &self.bodies[i])
    }

    /// The place in `bodies` of that of a function, constant or static.
    pub fn position(&self, item: ItemId) -> Option<usize> {
        self.by_item.get(&item).copied()
    }
}
