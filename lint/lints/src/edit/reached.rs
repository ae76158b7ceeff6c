//! Patterns that destructure a value that is moved into a box: where few uses follow, the pattern
//! binds the box, and the uses name its fields.

use super::places::{Place, variable};
use super::unpack::By;
use super::uses::Around;
use super::{Work, text};
use crate::flow::{How, direct};
use crate::infer::body::Typed;
use crate::ir::body::{ExprId, ExprKind, PatId, PatKind};
use crate::span::Span;
use crate::usage::events::At;

/// What replaces a use of a variable that named a part.
struct Use {
    span: Span,
    text: String,
    /// Whether the text is an argument for a format string, to insert at the span.
    named: bool,
}

impl<'w> Work<'w> {
    /// Binds a box in place of a pattern, whose span `replaced` becomes `before`, the variable and
    /// `after`, and names the parts at their uses; false if the code is better off with a `let`, or
    /// needs one. With `indexed` the box holds an array.
    pub(super) fn reached(
        &mut self,
        body: usize,
        pat: PatId,
        replaced: Span,
        [before, after]: [&str; 2],
        indexed: bool,
    ) -> bool {
        let Some((bind, name, uses)) = self.reaching(body, pat, indexed) else {
            return false;
        };
        let bound = match uses.is_empty() {
            true => "_".to_owned(),
            false => format!("{bind}{name}"),
        };
        self.edits
            .replace(replaced, format!("{before}{bound}{after}"));
        for Use { span, text, named } in uses {
            match named {
                true => self.edits.around(span, text::OUTER, "", &text),
                false => self.edits.replace(span, text),
            }
        }
        true
    }

    /// Returns how the box is bound, its name, and what the uses become.
    fn reaching(
        &self,
        body: usize,
        pat: PatId,
        indexed: bool,
    ) -> Option<(&'static str, String, Vec<Use>)> {
        let typed = self.typed(body);
        let parts = parts(typed, pat, indexed)?;
        let mut bound = Vec::new();
        for (path, part) in parts {
            match &typed.function.body.pat(part).kind {
                PatKind::Wild => {}
                PatKind::Bind {
                    by_ref, mutable, ..
                } => {
                    let by = match (by_ref, mutable) {
                        (true, true) => By::RefMut,
                        (true, false) => By::Ref,
                        (false, false) => By::Value,
                        (false, true) => return None,
                    };
                    bound.push((variable(typed, part)?, by, path));
                }
                _ => return None,
            }
        }
        let is_hidden = |local: u32| {
            let name = typed.locals[local as usize].name;
            let mut dead = typed.exprs().filter(|(_, _, fact)| !fact.live);
            typed.is_opaque(name)
                || dead.any(|(_, node, _)| {
                    matches!(&node.kind, ExprKind::Path(p) if p.last_name() == name.as_str())
                })
        };
        let once = |local: u32| typed.uses(local).len() < 2;
        if self.editor.is_alternative(body, pat)
            || bound.iter().any(|(local, ..)| is_hidden(*local))
            // An array is taken apart in fewer words.
            || bound.len() > 1 && (indexed || !bound.iter().all(|(local, ..)| once(*local)))
        {
            return None;
        }
        let locals: Vec<(u32, By)> = bound.iter().map(|(local, by, _)| (*local, *by)).collect();
        let (bind, _) = self.bind_of_box(body, pat, &locals)?;
        let name = self.name_of_box(body, pat, "")?;
        let place = self.held(body, pat)?;
        let mut uses = Vec::new();
        for (local, by, path) in &bound {
            let lends = match (by, place) {
                (By::Ref, _) | (By::Value, Place::Shared) => Some(false),
                (By::RefMut, _) | (By::Value, Place::Lent) => Some(true),
                (By::Value, _) => None,
            };
            if lends.is_none()
                && indexed
                && self.editor.is_copy(typed.locals[*local as usize].ty) != Some(true)
            {
                // What is moved out of an array leaves nothing behind.
                return None;
            }
            for &expr in typed.uses(*local) {
                let path = format!("{name}{path}");
                let one = self.reaching_use(At { body, expr }, lends, &path)?;
                // An argument has all that a text says of it.
                if !uses
                    .iter()
                    .any(|u: &Use| one.named && u.span == one.span && u.text == one.text)
                {
                    uses.push(one);
                }
            }
        }
        Some((bind, name, uses))
    }

    /// Returns true if the content of an `Option` is unwrapped, and a field or method of it used.
    pub(super) fn reaches_in(&self, typed: &'w Typed, of: ExprId) -> bool {
        let content = match self.around(typed, of) {
            Around::Receiver(call, "unwrap" | "expect", _) => call,
            Around::Other(outer, ExprKind::Try(_)) => outer,
            Around::Receiver(call, name, _) if self.gives_contents(typed, of, name) => {
                let pat = closure(typed, call);
                return pat.is_some_and(|pat| self.only_reaches(typed, pat));
            }
            Around::Matched(pats) => return pats.iter().all(|p| self.only_reaches(typed, *p)),
            _ => return false,
        };
        match direct(typed, content).how {
            How::Bound(pat) => self.only_reaches(typed, pat),
            _ => self.is_reaching(typed, content),
        }
    }

    /// Returns true if a field or method of the contents is used where a reference to a box is.
    pub(super) fn is_reaching(&self, typed: &'w Typed, content: ExprId) -> bool {
        match self.around(typed, content) {
            Around::Receiver(call, ..) => self.is_of_contents(typed, call),
            Around::Part => true,
            _ => false,
        }
    }

    /// Returns true if a pattern binds a reference to a box, and each use reaches through it.
    fn only_reaches(&self, typed: &'w Typed, pat: PatId) -> bool {
        match &typed.function.body.pat(pat).kind {
            PatKind::Wild => true,
            PatKind::TupleStruct(_, list) => list.iter().all(|p| self.only_reaches(typed, *p)),
            PatKind::Bind { by_ref: false, .. } => {
                let Some(local) = variable(typed, pat) else {
                    let ctor = typed.pat(pat).ctor;
                    return ctor.is_some();
                };
                !typed.is_opaque(typed.locals[local as usize].name)
                    && typed
                        .uses(local)
                        .iter()
                        .all(|e| self.is_reaching(typed, *e))
            }
            PatKind::Path(_) => true,
            _ => false,
        }
    }

    /// Returns what a use of a variable becomes that is a reference to a part (mutable or not), or
    /// the part itself.
    fn reaching_use(&self, at: At, lends: Option<bool>, path: &str) -> Option<Use> {
        let typed = self.typed(at.body);
        let span = typed.node(at.expr).span;
        let real = self.real(span).filter(|_| self.is_open_to_edits(at))?;
        if self.is_quoted(typed, at.expr) {
            return self.reaching_text(at, real, path);
        }
        let whole = |span, text| {
            Some(Use {
                span,
                text,
                named: false,
            })
        };
        let of = self
            .shorthand(at)
            .map_or(String::new(), |name| format!("{name}: "));
        let Some(mutable) = lends else {
            return whole(real, format!("{of}{path}"));
        };
        let lent = match mutable {
            true => format!("{of}&mut {path}"),
            false => format!("{of}&{path}"),
        };
        match self.around(typed, at.expr) {
            Around::Receiver(_, name, _) if self.uses_up(typed, at.expr, name) => None,
            Around::Receiver(..) | Around::Part | Around::Printed => whole(real, path.to_owned()),
            Around::Other(star, ExprKind::Deref(_)) => {
                let parent = typed.fact(star).parent.map(|p| &typed.node(p).kind);
                let tight = matches!(
                    parent,
                    Some(ExprKind::Method(..) | ExprKind::Field(..) | ExprKind::Index(..))
                );
                let outer = self.real(typed.node(star).span)?;
                // `(*x).f()` keeps its parentheses otherwise.
                let rest = tokens_between(self, outer, real)?;
                (!tight && rest == "*").then_some(Use {
                    span: outer,
                    text: match self.shorthand(at.with(star)) {
                        Some(name) => format!("{name}: {path}"),
                        None => path.to_owned(),
                    },
                    named: false,
                })
            }
            Around::Other(_, ExprKind::Call(callee, _)) if *callee == at.expr => None,
            Around::Other(_, ExprKind::Binary(..) | ExprKind::Try(_) | ExprKind::Await(_)) => None,
            Around::Other(_, ExprKind::Closure(..)) => None,
            _ => whole(real, lent),
        }
    }

    /// Returns the argument that gives a name in a format string its value.
    fn reaching_text(&self, at: At, literal: Span, path: &str) -> Option<Use> {
        let typed = self.typed(at.body);
        let name = typed.name_of(at.expr)?;
        let sources = &self.editor.model.db.sources;
        let tokens = self.editor.files.get(sources, literal.file);
        let open = tokens.outer(tokens.at(literal.start))?;
        let close = tokens.list[open].mate as usize;
        let is_given = |i: usize| {
            tokens.str(i) == name.as_str()
                && tokens.str(i + 1) == "="
                && !matches!(tokens.str(i + 2), "=" | ">")
        };
        if (open + 1..close).any(is_given) {
            return None;
        }
        let last = close - 1 - usize::from(tokens.is(close - 1, b','));
        let end = tokens.list[last].end;
        Some(Use {
            span: Span {
                start: end,
                end,
                ..literal
            },
            text: format!(", {name} = {path}"),
            named: true,
        })
    }
}

/// Returns the only parameter of the closure that is a method's last argument.
pub(super) fn closure(typed: &Typed, call: ExprId) -> Option<PatId> {
    let ExprKind::Method(_, _, _, args) = &typed.node(call).kind else {
        return None;
    };
    match &typed.node(*args.last()?).kind {
        ExprKind::Closure(params, ..) => match params[..] {
            [(one, None)] => Some(one),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the text of a span before an inner one, if that ends both.
fn tokens_between(work: &Work, outer: Span, inner: Span) -> Option<String> {
    let sources = &work.editor.model.db.sources;
    let before = Span {
        end: inner.start,
        ..outer
    };
    (outer.file == inner.file && outer.end == inner.end).then(|| sources.text(before))
}

/// Returns the subpatterns of a pattern, each with how an expression names that part.
fn parts(typed: &Typed, pat: PatId, indexed: bool) -> Option<Vec<(String, PatId)>> {
    let body = &typed.function.body;
    match &body.pat(pat).kind {
        PatKind::Struct(_, fields, _) => {
            let fields = fields.iter().map(|(name, p)| (format!(".{name}"), *p));
            Some(fields.collect())
        }
        PatKind::TupleStruct(_, list) | PatKind::Tuple(list) => {
            let is_rest = |p: &PatId| matches!(body.pat(*p).kind, PatKind::Rest);
            // Behind `..` the index is not known here.
            let known = list.iter().take_while(|p| !is_rest(p)).enumerate();
            let known: Vec<_> = known
                .map(|(i, p)| match indexed {
                    true => (format!("[{i}]"), *p),
                    false => (format!(".{i}"), *p),
                })
                .collect();
            (known.len() + 1 >= list.len()).then_some(known)
        }
        _ => None,
    }
}

/// Returns the expression whose value a pattern takes apart.
pub(super) fn scrutinee(typed: &Typed, root: PatId) -> Option<ExprId> {
    let at = typed.pat(root).at?;
    match &typed.node(at).kind {
        ExprKind::Match(on, _) => Some(*on),
        ExprKind::Let(_, on) => Some(*on),
        ExprKind::Block(stmts, _) => stmts.iter().find_map(|stmt| match stmt {
            crate::ir::body::Stmt::Let { pat, init, .. } if *pat == root => *init,
            _ => None,
        }),
        _ => None,
    }
}
