//! Where values of a type are copied into a collection or channel. What is returned or passed by
//! value is left out: rustc constructs it in place, or passes its address.

use super::Usage;
use crate::infer::body::{Site, Target, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{adt_of, is_own, std_first};
use crate::ir::body::ExprKind;
use crate::lists::Lists;
use crate::resolve::Db;
use crate::resolve::ItemId;
use crate::resolve::ty::Ty;

/// From more bytes than this on, LLVM moves a value of x86-64 or AArch64 with a call of `memcpy`.
pub const MEMCPY: u64 = 128;

/// A move.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Where.
    pub site: Site,
    /// The method that moves it.
    pub by: &'static str,
    /// The type, as far as known.
    pub ty: Ty,
}

/// The moves of every type.
#[derive(Debug, Default)]
pub struct Moves {
    of: Lists<ItemId, Move>,
}

impl Moves {
    /// Examines every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Moves {
        let mut moves = Moves::default();
        for body in &usage.bodies {
            moves.read(db, body);
        }
        moves
    }

    /// Returns the moves of a type, by file and position.
    pub fn of(&self, adt: ItemId) -> &[Move] {
        self.of.of(&adt)
    }

    fn read(&mut self, db: &Db<'static>, body: &Typed) {
        if body.function.aside {
            return;
        }
        for (id, node, _) in body.exprs() {
            let ExprKind::Method(_, name, _, args) = &node.kind else {
                continue;
            };
            if !body.is_marked(id, Mark::Stores) {
                continue;
            }
            let by = name.name.as_str();
            for &arg in args {
                let is_lent = |local: u32| body.locals[local as usize].lent;
                let fact = body.fact(arg);
                if !matches!(fact.target, Some(Target::Local(local)) if is_lent(local))
                    && let Some((item, ty)) = by_value(db, fact.ty)
                {
                    let site = body.site(arg);
                    self.of.add(item, Move { site, by, ty });
                }
            }
        }
    }
}

/// Returns the type of a selected crate that a value is, or that its `Option` or `Result` holds.
fn by_value(db: &Db<'static>, ty: Ty) -> Option<(ItemId, Ty)> {
    let id = adt_of(db, ty)?;
    match is_own(db, id) {
        true => Some((id, ty)),
        false => by_value(db, std_first(db, ty, &["Option", "Result"])?),
    }
}
