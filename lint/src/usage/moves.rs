//! Where values of a type are moved: pushed, sent, returned, passed by value.

use super::Usage;
use crate::infer::body::{Site, Target, Typed};
use crate::infer::types::{adt_of, is_own, std_first};
use crate::ir::body::{ExprId, ExprKind};
use crate::lists::Lists;
use crate::resolve::Db;
use crate::resolve::ItemId;
use crate::resolve::ty::Ty;

/// From more bytes than this on, LLVM moves a value of x86-64 or AArch64 with a call of `memcpy`.
pub const MEMCPY: u64 = 128;

/// Methods that move their argument into a collection or channel.
const TAKERS: &[&str] = &[
    "append",
    "enqueue",
    "insert",
    "push",
    "push_back",
    "push_front",
    "replace",
    "send",
    "set",
    "try_send",
];

/// How a value is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Into a collection or channel, by the method of this name.
    Put(&'static str),
    /// Out of a function.
    Returned,
    /// Into a function.
    Passed,
}

/// A move.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Where.
    pub site: Site,
    /// How.
    pub how: MoveKind,
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
        if let Some(value) = body.function.body.value
            && let Some((item, ty)) = by_value(db, body.output)
            && matches!(body.node(value).kind, ExprKind::Block(..))
        {
            let mut site = body.site(value);
            site.span = db.item(body.function.item).item.name_span;
            let how = MoveKind::Returned;
            self.of.add(item, Move { site, how, ty });
        }
        for (_, node, fact) in body.exprs() {
            let (args, how): (&[ExprId], MoveKind) = match &node.kind {
                ExprKind::Method(_, name, _, args) => {
                    let taker = TAKERS.iter().find(|t| name.name == **t);
                    let own = matches!(fact.target, Some(Target::Item(_)));
                    match taker {
                        Some(name) => (args, MoveKind::Put(name)),
                        None if own => (args, MoveKind::Passed),
                        None => continue,
                    }
                }
                ExprKind::Call(_, args) if matches!(fact.target, Some(Target::Item(_))) => {
                    (args, MoveKind::Passed)
                }
                _ => continue,
            };
            for &arg in args {
                let is_lent = |local: u32| body.locals[local as usize].lent;
                let fact = body.fact(arg);
                if !matches!(fact.target, Some(Target::Local(local)) if is_lent(local))
                    && let Some((item, ty)) = by_value(db, fact.ty)
                {
                    let site = body.site(arg);
                    self.of.add(item, Move { site, how, ty });
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
