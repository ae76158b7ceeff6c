//! Buffers passed as arguments, made part of a value, or returned from a function.

use super::BufferUse;
use super::run::Run;
use crate::flow::{Edge, Mode, Node, returned_by, stored_in};
use crate::infer::body::Target;
use crate::infer::marks::Mark;
use crate::infer::types::{referent, std_name};
use crate::ir::body::{ExprId, ExprKind};
use crate::resolve::ItemId;
use crate::resolve::ty::TyKind;

impl Run<'_> {
    /// Follows an argument of a call.
    pub(super) fn argument(&mut self, b: usize, id: ExprId, call: ExprId, at: usize, mode: Mode) {
        let body = self.body(b);
        if let Some(Target::Item(item)) = body.fact(call).target {
            return self.passed(b, id, item, at, mode);
        }
        let (name, left) = match &body.node(call).kind {
            ExprKind::Method(_, name, ..) => (name.name.as_str(), None),
            ExprKind::Call(callee, args) => {
                (body.called(*callee), Some(&args[1..]).filter(|_| at == 0))
            }
            _ => ("", None),
        };
        match (mode, name, left) {
            (Mode::Mut, "take" | "replace", Some(left)) => {
                self.taken(b, call, left.first().copied());
            }
            (Mode::Mut, "take" | "replace" | "swap", _) => {
                self.at(b, call, BufferUse::Taken, true);
            }
            (Mode::Owned, "drop", _) => self.at(b, id, BufferUse::Read, false),
            (Mode::Shared, ..) if body.is_marked(call, Mark::AsSlice) => {
                self.at(b, id, BufferUse::Read, false);
            }
            _ => self.gone(b, id, mode),
        }
    }

    /// Handles `mem::take` and `mem::replace`: constructs what is left, and follows the result.
    pub(super) fn taken(&mut self, b: usize, call: ExprId, left: Option<ExprId>) {
        self.at(b, call, BufferUse::Emptied, left.is_some());
        if let Some(left) = left {
            self.made(b, left);
        }
        self.follow(b, call, Mode::Owned);
    }

    /// Follows a part of a value of a struct or variant.
    pub(super) fn part(&mut self, b: usize, id: ExprId, edge: &Edge, mode: Mode) {
        let db = self.db;
        let body = self.body(b);
        if let Some(Target::Ctor(adt, _)) = body.fact(edge.by).target
            && std_name(db, adt).is_some()
        {
            // `Some(x)` has it just as `x` had.
            return self.follow(b, edge.by, mode);
        }
        match (stored_in(db, body, edge), mode) {
            (Some(field), Mode::Owned) => self.at(b, id, BufferUse::MovedInto(field), true),
            _ => self.gone(b, id, mode),
        }
    }

    /// Handles `place = value`, where the value has the buffer.
    pub(super) fn put(&mut self, b: usize, id: ExprId, place: ExprId, mode: Mode) {
        let body = self.body(b);
        match (body.fact(place).target, mode) {
            (Some(Target::Field(field)), Mode::Owned) => {
                self.at(b, id, BufferUse::MovedInto(field), true);
            }
            (Some(Target::Local(local)), mode) => self.found.1.push(Node::Local(b, local, mode)),
            _ => self.gone(b, id, mode),
        }
    }

    /// Follows an argument of a function of the workspace.
    fn passed(&mut self, b: usize, id: ExprId, item: ItemId, at: usize, mode: Mode) {
        let Some(callee) = self.usage.position(item) else {
            return self.gone(b, id, mode);
        };
        let body = self.body(callee);
        let Some(&pat) = body.function.body.params.get(at) else {
            return self.gone(b, id, mode);
        };
        let ty = body.pat(pat).ty;
        let db = self.db;
        let slice = match db.types.kind(referent(db, ty)) {
            TyKind::Slice(_) | TyKind::Prim(_) => true,
            TyKind::Adt(item, _) => matches!(std_name(db, *item), Some("Path" | "OsStr" | "CStr")),
            _ => false,
        };
        match mode {
            Mode::Shared | Mode::Mut if slice => self.at(b, id, BufferUse::Read, false),
            Mode::Shared => {
                self.at(b, id, BufferUse::Read, true);
                self.sign(item, self.holds(ty));
            }
            Mode::Mut | Mode::Owned if self.holds(ty) => {
                self.at(b, id, BufferUse::Read, true);
                self.pattern(callee, pat, mode);
            }
            _ => self.gone(b, id, mode),
        }
    }

    /// Records a workspace function that has the buffer's type in its signature, or is a method of
    /// it.
    pub(super) fn sign(&mut self, function: ItemId, names: bool) {
        if let (true, Some(at)) = (names, self.usage.position(function)) {
            let span = self.db.item(function).item.name_span;
            self.note(at, span, BufferUse::Read, true);
        }
    }

    /// Follows a value that leaves its function, or its closure.
    pub(super) fn returned(&mut self, b: usize, id: ExprId, mode: Mode) {
        let body = self.body(b);
        if returned_by(body, id).is_none() {
            return self.gone(b, id, mode);
        }
        let function = body.function.item;
        let output = body.output;
        if matches!(mode, Mode::Shared | Mode::Mut) && !self.holds(output) {
            // A slice cannot grow; an unknown type may be the buffer itself.
            return match self.is_unknown(output) && mode == Mode::Mut {
                true => self.at(b, id, BufferUse::Lent, true),
                false => self.at(b, id, BufferUse::Read, self.is_unknown(output)),
            };
        }
        if body.function.is_of_trait(self.db) {
            // The trait may fix the signature, but nothing grows through `&`.
            let how = match mode {
                Mode::Owned => BufferUse::Moved,
                Mode::Shared => BufferUse::Read,
                _ => BufferUse::Lent,
            };
            return self.at(b, id, how, true);
        }
        let how = match mode {
            _ if !self.exported(b) => BufferUse::Read,
            Mode::Shared => BufferUse::Read,
            Mode::Owned => BufferUse::Moved,
            _ => BufferUse::Lent,
        };
        self.at(b, id, how, true);
        if matches!(mode, Mode::Shared | Mode::Mut) {
            // The signature names the returned type.
            self.sign(function, true);
        }
        self.found.1.push(Node::Calls(b, mode));
    }

    /// Returns true if other packages may call the function.
    fn exported(&self, b: usize) -> bool {
        let db = self.db;
        let function = &self.body(b).function;
        let public = db.item(function.item).item.vis == crate::ir::Vis::Public;
        public && crate::usage::fields::is_published(db, function.krate)
    }
}
