//! Patterns that destructure a value that is moved into a box: the pattern binds the box, and a
//! `let` at the start of the guarded code destructures its contents.

use super::places::Place;
use super::{Work, text};
use crate::infer::body::Typed;
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind, Stmt};
use crate::lower::Kind;
use crate::span::Span;

/// Names for the variable that holds the box; the first that the function does not use is taken.
const NAMES: &[&str] = &["boxed", "inside", "contents", "held", "boxed_parts"];

/// How a pattern binds a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Value,
    Ref,
    RefMut,
}

/// Where the `let` is inserted.
enum Start {
    /// After the opening brace of a block, or after a statement.
    Behind(u32),
    /// Before an expression, which gets braces.
    Around(Span),
}

impl Work<'_> {
    /// Moves a part of a pattern into a `let`. `taken` is the pattern that destructures the boxed
    /// value, by the subpatterns `parts`, or by itself; the span `replaced` becomes `before`, the
    /// variable and `after`; the `let` gets the pattern `whole`.
    pub(super) fn unpack(
        &mut self,
        body: usize,
        taken: PatId,
        parts: &[PatId],
        replaced: Span,
        [before, after]: [&str; 2],
        whole: &str,
    ) {
        let typed = self.typed(body);
        let span = typed.function.body.pat(taken).span;
        match self.unpacked(body, taken, parts) {
            Some((start, name, bind, deref)) => {
                let bound = format!("{before}{bind}{name}{after}");
                self.edits.replace(replaced, bound);
                let text = format!("let {whole} = {deref}{name};");
                let file = replaced.file;
                match start {
                    Start::Behind(at) => {
                        let at = Span {
                            file,
                            start: at,
                            end: at,
                        };
                        self.edits.around(at, text::OUTER, &format!(" {text}"), "");
                    }
                    Start::Around(value) => {
                        self.edits
                            .around(value, text::OUTER, &format!("{{ {text} "), " }");
                    }
                }
            }
            None => self.leave(span, "destructures it"),
        }
    }

    /// Returns the place of the `let`, the variable's name, its binding mode and the dereferences
    /// of the box.
    fn unpacked(
        &self,
        body: usize,
        taken: PatId,
        parts: &[PatId],
    ) -> Option<(Start, &'static str, &'static str, &'static str)> {
        let typed = self.typed(body);
        let mut bound = Vec::new();
        let mut plain = |p: &PatId| plain(typed, *p, *p == taken, &mut bound);
        if self.editor.is_alternative(body, taken) || !parts.iter().all(&mut plain) {
            return None;
        }
        let locals: Vec<u32> = bound.iter().map(|(local, _)| *local).collect();
        let named = |name: &&&str| {
            let mut locals = typed.locals.iter();
            let mut opaque = typed.opaque.iter();
            !locals.any(|l| l.name == **name) && !opaque.any(|(n, _)| *n == **name)
        };
        let name = NAMES.iter().find(named)?;
        let root = std::iter::successors(Some(taken), |p| self.editor.outer(body, *p)).last()?;
        let lends = bound.iter().any(|(_, by)| *by != By::Value);
        let by_ref = match bound.iter().any(|(_, by)| *by == By::RefMut) {
            true => "ref mut ",
            false => "ref ",
        };
        let moved = || bound.iter().filter(|(_, by)| *by == By::Value);
        let (bind, deref) = match () {
            // The pattern may be matched against a value or a reference.
            () if lends && moved().next().is_none() => (by_ref, "**"),
            () => match self.held(body, taken)? {
                Place::Shared => ("", "&**"),
                Place::Lent => ("", "&mut **"),
                _ => {
                    let mut copies = true;
                    for &(local, _) in moved() {
                        copies &= self.editor.is_copy(typed.locals[local as usize].ty)?;
                    }
                    match (copies, lends) {
                        // A pattern that moves nothing may be matched against a borrowed value.
                        (true, _) => (by_ref, "**"),
                        (false, false) => ("", "*"),
                        // The box would be dropped while parts of it are borrowed.
                        (false, true) => return None,
                    }
                }
            },
        };

        let start = self.start(typed, root, typed.pat(root).at?, &locals)?;
        Some((start, name, bind, deref))
    }

    /// Returns how the box would be bound in place of a part of a pattern.
    fn held(&self, body: usize, taken: PatId) -> Option<Place> {
        let typed = self.typed(body);
        let db = self.editor.model.db;
        let mut around = std::iter::successors(Some(taken), |p| self.editor.outer(body, *p));
        if around.any(|p| crate::infer::types::is_open(db, typed.pat(p).ty)) {
            return None;
        }
        // A variant's pattern is matched against a reference if its parts are bound by reference.
        let around = std::iter::successors(Some(taken), |p| self.editor.outer(body, *p));
        let is_ref = |p: &PatId| matches!(typed.function.body.pat(*p).kind, PatKind::Ref(_));
        let by =
            around
                .take_while(|p| !is_ref(p))
                .find_map(|p| match db.types.kind(typed.pat(p).ty) {
                    crate::resolve::ty::TyKind::Ref(_, mutable) => Some(*mutable),
                    _ => None,
                });
        Some(match by {
            Some(true) => Place::Lent,
            Some(false) => Place::Shared,
            None => Place::Owned,
        })
    }

    fn start(&self, typed: &Typed, root: PatId, at: ExprId, locals: &[u32]) -> Option<Start> {
        match &typed.node(at).kind {
            ExprKind::Match(_, arms) => {
                let arm = arms.iter().find(|a| a.pat == root)?;
                if let Some(guard) = arm.guard
                    && self.names(typed, guard, locals)
                {
                    return None;
                }
                let real = self.real(typed.node(arm.value).span)?;
                let tokens = self
                    .editor
                    .files
                    .get(&self.editor.model.db.sources, real.file);
                let first = tokens.at(real.start);
                let block = matches!(typed.node(arm.value).kind, ExprKind::Block(..));
                if block && tokens.is(first, b'{') && tokens.is(first - 1, b'>') {
                    return Some(Start::Behind(tokens.list[first].end));
                }
                tokens.element(real).map(Start::Around)
            }
            ExprKind::If(cond, then, _) | ExprKind::While(cond, then) => {
                self.guarded(typed, root, *cond, *then)
            }
            ExprKind::Let(pat, _) if *pat == root => {
                let outer = typed.fact(at).parent?;
                match &typed.node(outer).kind {
                    ExprKind::If(cond, then, _) | ExprKind::While(cond, then) if *cond == at => {
                        self.guarded(typed, root, *cond, *then)
                    }
                    _ => None,
                }
            }
            ExprKind::Block(stmts, _) => {
                let is = |s: &&Stmt| matches!(s, Stmt::Let { pat, .. } if *pat == root);
                stmts.iter().find(is)?;
                let real = self.real(typed.function.body.pat(root).span)?;
                let tokens = self
                    .editor
                    .files
                    .get(&self.editor.model.db.sources, real.file);
                let mut i = tokens.at(real.end);
                while let Some(token) = tokens.list.get(i) {
                    match token.kind {
                        Kind::Open => i = token.mate as usize,
                        Kind::Close => return None,
                        Kind::Punct if token.byte == b';' => {
                            return Some(Start::Behind(token.end));
                        }
                        _ => {}
                    }
                    i += 1;
                }
                None
            }
            _ => None,
        }
    }

    /// Returns the start of the block guarded by a `let` condition.
    fn guarded(&self, typed: &Typed, root: PatId, cond: ExprId, then: ExprId) -> Option<Start> {
        match &typed.node(cond).kind {
            ExprKind::Let(pat, _) if *pat == root => {}
            _ => return None,
        }
        let real = self.real(typed.node(then).span)?;
        let tokens = self
            .editor
            .files
            .get(&self.editor.model.db.sources, real.file);
        let first = tokens.at(real.start);
        tokens
            .is(first, b'{')
            .then(|| Start::Behind(tokens.list[first].end))
    }

    /// Returns true if an expression names one of these variables.
    fn names(&self, typed: &Typed, guard: ExprId, locals: &[u32]) -> bool {
        use crate::infer::body::Target;
        let within = |e: ExprId| {
            let mut up = std::iter::successors(Some(e), |e| typed.fact(*e).parent);
            up.any(|e| e == guard)
        };
        let mut exprs = typed.exprs();
        exprs.any(|(id, node, fact)| {
            let local = matches!(fact.target, Some(Target::Local(l)) if locals.contains(&l));
            // Macro arguments that are not parsed may name them.
            let unread = matches!(node.kind, ExprKind::Macro(_, MacroArgs::Names(_)));
            (local || unread) && within(id)
        })
    }
}

/// Returns true for an irrefutable pattern that only binds names; `outermost` may be a variant.
fn plain(typed: &Typed, pat: PatId, outermost: bool, locals: &mut Vec<(u32, By)>) -> bool {
    let body = &typed.function.body;
    match &body.pat(pat).kind {
        PatKind::Wild | PatKind::Rest => true,
        PatKind::Bind {
            by_ref,
            mutable,
            sub: None,
            ..
        } => match typed.pat(pat).local {
            Some(local) => {
                let by = match (by_ref, mutable) {
                    (true, true) => By::RefMut,
                    (true, false) => By::Ref,
                    (false, _) => By::Value,
                };
                locals.push((local, by));
                true
            }
            None => false,
        },
        PatKind::Tuple(list) => list.iter().all(|p| plain(typed, *p, false, locals)),
        PatKind::TupleStruct(_, list) if outermost => {
            list.iter().all(|p| plain(typed, *p, false, locals))
        }
        PatKind::Struct(_, fields, _) if outermost => {
            fields.iter().all(|(_, p)| plain(typed, *p, false, locals))
        }
        _ => false,
    }
}
