//! Follows a buffer from its place to where its value goes: through borrows, patterns, variables,
//! functions of the workspace and what they return.

use super::made::{self, Maker, field};
use super::{BufferUse, Edit, Use};
use crate::flow::{How, Mode, Node, Summary, edge};
use crate::infer::body::Typed;
use crate::infer::effects::Effect;
use crate::infer::types::{adt_of, is_open, std_first, std_name, types_of, without_refs};
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{Db, ItemId};
use crate::span::Span;
use crate::usage::Usage;
use crate::usage::events::At;

/// The state while a buffer is followed in one function.
pub(super) struct Run<'f> {
    pub db: &'static Db<'static>,
    pub usage: &'f Usage,
    /// The buffer's type of std.
    item: Option<ItemId>,
    /// Whether no list or string type has the method that is called now.
    pub elsewhere: bool,
    pub found: Summary<Use>,
    depth: u32,
}

/// From this minor version of Rust 1 on, boxed slices are `IntoIterator`
/// (<https://blog.rust-lang.org/2024/07/25/Rust-1.80.0.html>).
const BOXED_LOOPS: u32 = 80;

/// Maximum recursion depth.
const DEEPEST: u32 = 64;

impl<'f> Run<'f> {
    /// Starts to follow buffers of a type.
    pub(super) fn new(db: &'static Db<'static>, usage: &'f Usage, ty: Ty) -> Run<'f> {
        Run {
            db,
            usage,
            item: adt_of(db, ty),
            elsewhere: false,
            found: Summary::default(),
            depth: 0,
        }
    }

    /// Follows what has the buffer in a function.
    pub(super) fn node(mut self, node: Node) -> Summary<Use> {
        match node {
            Node::Local(b, local, mode) => self.local(b, local, mode),
            Node::Calls(b, mode) => {
                let function = self.body(b).function.item;
                for &At { body, expr } in self.usage.events.calls.of(&function) {
                    self.follow(body, expr, mode);
                }
            }
        }
        self.found
    }

    pub(super) fn body(&self, b: usize) -> &'f Typed {
        &self.usage.bodies[b]
    }

    pub(super) fn note(&mut self, b: usize, span: Span, how: BufferUse, edit: impl Into<Edit>) {
        self.found.0.push(Use {
            how,
            edit: edit.into(),
            elsewhere: self.elsewhere,
            span,
            loops: 0,
            aside: self.body(b).function.aside,
            body: b,
            origin: None,
            guessed: false,
        });
    }

    pub(super) fn at(&mut self, b: usize, id: ExprId, how: BufferUse, edit: impl Into<Edit>) {
        let body = self.body(b);
        self.note(b, body.node(id).span, how, edit);
        let noted = self.found.0.last_mut();
        noted.expect("it was noted").loops = body.fact(id).loops;
    }

    /// Records a value that the field is set to.
    pub(super) fn made(&mut self, b: usize, value: ExprId) {
        // An empty `Vec` can be a constant, a box cannot.
        let constant = self.body(b).is_constant(self.db, value);
        for (maker, edit) in made::makers(self, b, value) {
            let how = match (constant && edit != Edit::No, maker) {
                (true, Maker::Empty) => BufferUse::Unclear,
                _ => BufferUse::Made(maker),
            };
            self.at(b, value, how, edit);
        }
    }

    /// Returns true if a type has the buffer in it, as itself or behind references and the like.
    pub(super) fn holds(&self, ty: Ty) -> bool {
        let types = &self.db.types;
        match types.kind(ty) {
            TyKind::Ref(inner, _) | TyKind::Ptr(inner, _) => self.holds(*inner),
            TyKind::Tuple(list) => list.iter().any(|t| self.holds(*t)),
            TyKind::Adt(item, _) if Some(*item) == self.item => true,
            TyKind::Adt(item, args) if std_name(self.db, *item).is_some() => {
                types_of(args).any(|ty| self.holds(ty))
            }
            _ => false,
        }
    }

    /// Returns true for a text, list or path by reference, or an `Option` of one.
    pub(super) fn lends(&self, ty: Ty) -> bool {
        let db = self.db;
        match db.types.kind(ty) {
            TyKind::Ref(inner, _) => match db.types.kind(*inner) {
                TyKind::Slice(_) | TyKind::Prim(Prim::Str) => true,
                TyKind::Adt(item, _) => {
                    let unsized_ = ["CStr", "OsStr", "Path"];
                    std_name(db, *item).is_some_and(|n| unsized_.contains(&n))
                }
                _ => self.lends(*inner),
            },
            _ => std_first(db, ty, &["Option"]).is_some_and(|ty| self.lends(ty)),
        }
    }

    pub(super) fn is_unknown(&self, ty: Ty) -> bool {
        is_open(self.db, ty)
    }

    /// Returns true if a type is the buffer's own, behind references at most.
    pub(super) fn is_buffer(&self, ty: Ty) -> bool {
        let item = adt_of(self.db, without_refs(self.db, ty));
        item.is_some() && item == self.item
    }

    /// Returns how a value of this type accesses the buffer.
    pub(super) fn mode(&self, ty: Ty, otherwise: Mode) -> Mode {
        match self.db.types.kind(ty) {
            TyKind::Ref(_, false) => Mode::Shared,
            TyKind::Ref(inner, true) => match self.mode(*inner, Mode::Mut) {
                Mode::Shared => Mode::Shared,
                _ => Mode::Mut,
            },
            TyKind::Adt(_, args) if !self.is_buffer(ty) => {
                let held = types_of(args).find(|ty| self.holds(*ty));
                held.map_or(otherwise, |ty| self.mode(ty, otherwise))
            }
            _ => otherwise,
        }
    }

    /// Follows an expression that has the buffer.
    pub(super) fn follow(&mut self, b: usize, id: ExprId, mode: Mode) {
        if self.depth > DEEPEST {
            return self.at(b, id, BufferUse::Unclear, true);
        }
        self.depth += 1;
        self.step(b, id, mode);
        self.depth -= 1;
    }

    fn step(&mut self, b: usize, id: ExprId, mode: Mode) {
        let body = self.body(b);
        let ty = body.fact(id).ty;
        // Whatever is reached through `&` is shared.
        let mode = match (mode, self.mode(ty, mode)) {
            (Mode::Shared, _) => Mode::Shared,
            (_, found) => found,
        };
        let by_value = mode.by_value();
        let edge = edge(body, id);
        let by = edge.by;
        match (edge.how, &body.node(by).kind) {
            (How::Bound(_), ExprKind::Macro(..)) => self.at(b, by, BufferUse::Read, false),
            (how, ExprKind::Macro(path, _)) => self.in_macro(b, id, path.last_name(), how, mode),
            (How::Returned, _) => self.returned(b, id, by_value),
            (How::Same | How::Content, _) => self.follow(b, by, by_value),
            (How::Bound(pat), _) => self.pattern(b, pat, mode),
            (How::Matched(arms), _) => arms.iter().for_each(|arm| self.pattern(b, arm.pat, mode)),
            (How::Iterated(pat), _) => self.iterated(b, id, pat, mode),
            (How::Dropped, _) if mode == Mode::Owned => self.at(b, id, BufferUse::Read, false),
            (How::Dropped, _) => {}
            (How::Part, ExprKind::Index(..)) => self.at(b, id, BufferUse::Read, false),
            (How::Deref, _) => match (self.holds(body.fact(by).ty), mode) {
                (false, _) => self.at(b, id, BufferUse::Read, false),
                (true, Mode::Owned) => self.follow(b, by, Mode::Place),
                (true, mode) => self.follow(b, by, mode),
            },
            (How::Borrowed, _) => self.follow(b, by, Mode::Shared),
            (How::Lent, _) if mode == Mode::Shared => self.follow(b, by, Mode::Shared),
            (How::Lent, _) => self.follow(b, by, Mode::Mut),
            (How::Taken, _) if mode != Mode::Shared => self.taken(b, by, edge.value),
            (How::Swapped, _) if mode != Mode::Shared => self.at(b, by, BufferUse::Taken, true),
            (How::Does(_), ExprKind::Method(_, name, ..)) => {
                self.method(b, id, by, name.name.as_str(), mode);
            }
            (How::Does(_), ExprKind::Binary(op, left, right)) => {
                self.operand(b, id, by, op, [*left, *right]);
            }
            (How::Does(Effect::Grows), _) => self.at(b, by, BufferUse::Grown, true),
            (How::Does(Effect::Sets), _) => self.made(b, edge.value.unwrap_or(by)),
            (How::Assigned(place), _) => self.put(b, id, place, by_value),
            (How::Stored, _) => self.part(b, id, &edge, by_value),
            (How::Argument(at), _) => self.argument(b, id, by, at, by_value),
            // `..base` moves the fields that are not listed.
            (_, ExprKind::Struct(..)) => self.at(b, id, BufferUse::Unclear, true),
            _ => self.gone(b, id, by_value),
        }
    }

    /// Handles a `for` loop over an expression that has the buffer.
    fn iterated(&mut self, b: usize, id: ExprId, pat: PatId, mode: Mode) {
        let body = self.body(b);
        let ty = body.fact(id).ty;
        // A loop over an `Option` yields its content; an unknown type may be one.
        if !self.is_buffer(ty) && (self.holds(ty) || mode == Mode::Mut) {
            return self.pattern(b, pat, mode.by_value());
        }
        // Only newer versions of Rust iterate over a boxed slice like over a vector.
        let krate = self.db.krate(body.function.krate).id;
        let krate = krate.map(|id| self.db.project.krate(id));
        let edit = krate.is_some_and(|k| k.supports_before(BOXED_LOOPS));
        self.at(b, id, BufferUse::Read, edit);
    }

    /// Handles an operand of a binary operator.
    fn operand(&mut self, b: usize, id: ExprId, parent: ExprId, op: &str, operands: [ExprId; 2]) {
        let body = self.body(b);
        let [left, right] = operands.map(|e| field(body, e));
        let alike = left.filter(|_| left == right);
        let how = match (op, operands[0] == id) {
            ("+", true) => BufferUse::Moved,
            _ => BufferUse::Read,
        };
        self.at(b, parent, how, Edit::unless(alike));
    }

    /// Records a value that is followed no further.
    pub(super) fn gone(&mut self, b: usize, id: ExprId, mode: Mode) {
        let how = match mode {
            Mode::Shared => BufferUse::Read,
            Mode::Mut => BufferUse::Lent,
            Mode::Owned => BufferUse::Moved,
            Mode::Place => BufferUse::Unclear,
        };
        self.at(b, id, how, true);
    }

    /// Follows what a pattern binds of a value that has the buffer.
    pub(super) fn pattern(&mut self, b: usize, pat: PatId, mode: Mode) {
        let body = self.body(b);
        let node = body.function.body.pat(pat);
        match &node.kind {
            PatKind::Bind {
                by_ref,
                mutable,
                sub,
                ..
            } => {
                let fact = body.pat(pat);
                let Some(local) = fact.local else { return };
                let ty = body.locals[local as usize].ty;
                if !self.is_unknown(ty) && !self.holds(ty) && !self.holds(fact.ty) {
                    return;
                }
                let inherited = match (mode, by_ref) {
                    (Mode::Shared, _) => Mode::Shared,
                    (_, true) if !mutable => Mode::Shared,
                    (_, true) => Mode::Mut,
                    (Mode::Place, false) => Mode::Owned,
                    (mode, false) => mode,
                };
                let mode = self.mode(ty, inherited);
                self.found.1.push(Node::Local(b, local, mode));
                if let Some(sub) = sub {
                    self.pattern(b, *sub, mode);
                }
            }
            PatKind::TupleStruct(_, list)
            | PatKind::Tuple(list)
            | PatKind::Slice(list)
            | PatKind::Or(list) => list.iter().for_each(|p| self.pattern(b, *p, mode)),
            PatKind::Struct(_, list, _) => {
                list.iter().for_each(|(_, p)| self.pattern(b, *p, mode));
            }
            PatKind::Ref(inner) => self.pattern(b, *inner, mode),
            PatKind::Wild | PatKind::Rest | PatKind::Value | PatKind::Path(_) => {}
            PatKind::Other => self.note(b, node.span, BufferUse::Unclear, true),
        }
    }

    /// Follows a variable that has the buffer.
    fn local(&mut self, b: usize, local: u32, mode: Mode) {
        let body = self.body(b);
        let name = body.locals[local as usize].name;
        for &id in body.uses(local) {
            self.follow(b, id, mode);
        }
        let span = body.function.body.pat(body.locals[local as usize].pat).span;
        if mode == Mode::Owned {
            self.note(b, span, BufferUse::Read, true);
        }
        if mode != Mode::Shared && body.is_opaque(name) {
            self.note(b, span, BufferUse::Unclear, true);
        }
    }
}
