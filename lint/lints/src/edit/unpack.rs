//! Patterns that destructure a value that is moved into a box: the pattern binds the box, and a
//! `let` at the start of the guarded code destructures its contents.

use super::places::{Place, variable};
use super::reached::scrutinee;
use super::{Work, text};
use crate::infer::body::{Target, Typed};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatId, PatKind, Stmt};
use crate::ir::{AdtKind, ItemKind};
use crate::lower::Kind;
use crate::name::Name;
use crate::resolve::ty::TyKind;
use crate::span::Span;
use crate::usage::events::{At, variant_of};
use heck::ToSnakeCase;

/// Names for the variable that holds the box, if the code gives it none; the first that the function
/// does not use is taken.
const NAMES: &[&str] = &["inner", "boxed", "contents", "held", "boxed_parts"];

/// A longer name of a variable is shortened.
const LONGEST: usize = 20;

/// Words that a variant's name may become, and that name no variable.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// How a pattern binds a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
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
    /// Inserts a `let` that copies a `Copy` value, which a pattern bound, out of the box.
    pub(super) fn copied(&mut self, body: usize, pat: PatId, mutable: bool) {
        let typed = self.typed(body);
        let node = typed.function.body.pat(pat);
        let Some(real) = self.real(node.span) else {
            self.leave(node.span, "is in a macro call");
            return;
        };
        let sources = &self.editor.model.db.sources;
        let tokens = self.editor.files.get(sources, real.file);
        let name = sources.text(real);
        let first = tokens.at(real.start);
        let (start, whole) = match mutable && first > 0 && tokens.str(first - 1) == "mut" {
            true => (first - 1, format!("mut {name}")),
            false => (first, name.clone()),
        };
        let replaced = Span {
            start: tokens.list[start].start,
            ..real
        };
        if !mutable && self.is_used_up(body, pat) && !typed.is_opaque(Name::new(&name)) {
            // The box itself is bound.
            for expr in self.unreached(body, pat) {
                self.before(At { body, expr }, "*");
            }
            return;
        }
        if !mutable && let Some(used) = self.copied_in_place(body, pat, &name) {
            self.edits.replace(replaced, format!("ref {name}"));
            for expr in used {
                self.before(At { body, expr }, "**");
            }
            return;
        }
        let outer = self.editor.outer(body, pat);
        let outer = outer.map(|p| &typed.function.body.pat(p).kind);
        let colon = start > 0 && tokens.is(start - 1, b':');
        let before = match outer {
            Some(PatKind::Struct(..)) if !colon => format!("{name}: "),
            _ => String::new(),
        };
        self.unpack(body, pat, replaced, [&before, ""], &whole);
    }

    /// Returns the uses of a copied value that are to be dereferenced, if that is one at most and
    /// no code between the pattern and it may need what the pattern then borrows.
    fn copied_in_place(&self, body: usize, pat: PatId, name: &str) -> Option<Vec<ExprId>> {
        let typed = self.typed(body);
        let uses = typed.uses(variable(typed, pat)?);
        if typed.opaque.iter().any(|(word, _)| *word == *name) {
            return None;
        }
        let root = std::iter::successors(Some(pat), |p| self.editor.outer(body, *p)).last()?;
        let at = typed.pat(root).at?;
        let whole = match (&typed.node(at).kind, typed.fact(at).parent) {
            (ExprKind::Match(..), _) => at,
            (ExprKind::Let(..), Some(outer)) if is_condition(typed, outer, at) => outer,
            _ => return None,
        };
        let is_direct = |expr: &ExprId| {
            let mut between = typed.outers(*expr).take_while(|outer| *outer != whole);
            between.all(|outer| is_alone(typed, outer))
        };
        let others = self.unreached(body, pat);
        (uses.iter().all(is_direct) && others.len() < 2).then_some(others)
    }

    /// Returns the uses of the variable that a pattern binds, but for those that reach through a box.
    fn unreached(&self, body: usize, pat: PatId) -> Vec<ExprId> {
        let typed = self.typed(body);
        let uses = variable(typed, pat).into_iter();
        let uses = uses.flat_map(|local| typed.uses(local).iter().copied());
        // A box prints as what is in it.
        uses.filter(|expr| !self.is_reaching(typed, *expr) && !self.is_quoted(typed, *expr))
            .collect()
    }

    /// Moves a part of a pattern into a `let`. `taken` is the pattern that destructures the boxed
    /// value; the span `replaced` becomes `before`, the
    /// variable and `after`; the `let` gets the pattern `whole`.
    pub(super) fn unpack(
        &mut self,
        body: usize,
        taken: PatId,
        replaced: Span,
        [before, after]: [&str; 2],
        whole: &str,
    ) {
        let typed = self.typed(body);
        let span = typed.function.body.pat(taken).span;
        let field = before.strip_suffix(": ");
        match self.unpacked(body, taken, field.unwrap_or(whole)) {
            Some((start, name, bind, deref)) => {
                // `x: x` is written as `x`.
                let before = if field == Some(&*name) { "" } else { before };
                let bound = format!("{before}{bind}{name}{after}");
                self.edits.replace(replaced, bound);
                let mut whole = whole.to_owned();
                if deref == "&**" {
                    // A reference binds the same without a word for each.
                    for before in ["(", "[", "{ ", " "] {
                        whole = whole.replace(&format!("{before}ref "), before);
                    }
                }
                let text = format!("let {whole} = {deref}{name};");
                let file = replaced.file;
                match start {
                    Start::Behind(at) => {
                        let at = Span {
                            file,
                            start: at,
                            end: at,
                        };
                        let source = self.editor.model.db.sources.get(file);
                        let text = on_its_line(&source.text, at.start as usize, &text);
                        self.edits.around(at, text::OUTER, &text, "");
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
    /// of the box; `own` is a name that the code has for it.
    fn unpacked(
        &self,
        body: usize,
        taken: PatId,
        own: &str,
    ) -> Option<(Start, String, &'static str, &'static str)> {
        let typed = self.typed(body);
        let mut bound = Vec::new();
        if self.editor.is_alternative(body, taken) || !plain(typed, taken, true, &mut bound) {
            return None;
        }
        let locals: Vec<u32> = bound.iter().map(|(local, _)| *local).collect();
        let name = self.name_of_box(body, taken, own)?;
        let root = std::iter::successors(Some(taken), |p| self.editor.outer(body, *p)).last()?;
        let (bind, deref) = self.bind_of_box(body, taken, &bound)?;
        let start = self.start(typed, root, typed.pat(root).at?, &locals)?;
        Some((start, name, bind, deref))
    }

    /// Returns how a pattern binds the box in place of what it took apart, and the dereferences that
    /// lead from there to the contents.
    pub(super) fn bind_of_box(
        &self,
        body: usize,
        taken: PatId,
        bound: &[(u32, By)],
    ) -> Option<(&'static str, &'static str)> {
        let typed = self.typed(body);
        let lends = bound.iter().any(|(_, by)| *by != By::Value);
        let by_ref = match bound.iter().any(|(_, by)| *by == By::RefMut) {
            true => "ref mut ",
            false => "ref ",
        };
        let moved = || bound.iter().filter(|(_, by)| *by == By::Value);
        // The pattern may be matched against a value or a reference.
        if lends && moved().next().is_none() {
            let mutable = by_ref == "ref mut ";
            return Some((by_ref, if mutable { "**" } else { "&**" }));
        }
        match self.held(body, taken)? {
            Place::Shared => return Some(("", "&**")),
            Place::Lent => return Some(("", "&mut **")),
            _ => {}
        }
        let mut copies = true;
        for &(local, _) in moved() {
            copies &= self.editor.is_copy(typed.locals[local as usize].ty)?;
        }
        match (copies, lends) {
            (true, false) if self.is_used_up(body, taken) => Some(("", "*")),
            // A pattern that moves nothing may be matched against a borrowed value.
            (true, _) => Some((by_ref, "**")),
            (false, false) => Some(("", "*")),
            // The box would be dropped while parts of it are borrowed.
            (false, true) => None,
        }
    }

    /// Returns true if a pattern takes apart a value that nothing else has: the result of a call, or
    /// a variable that is used nowhere else.
    fn is_used_up(&self, body: usize, pat: PatId) -> bool {
        let typed = self.typed(body);
        let root = std::iter::successors(Some(pat), |p| self.editor.outer(body, *p)).last();
        let Some(on) = root.and_then(|root| scrutinee(typed, root)) else {
            return false;
        };
        let types = &self.editor.model.db.types;
        let is_value = matches!(
            types.kind(typed.fact(on).ty),
            TyKind::Adt(..) | TyKind::Tuple(_)
        );
        is_value
            && match &typed.node(on).kind {
                ExprKind::Call(..) | ExprKind::Method(..) | ExprKind::Try(_) => true,
                ExprKind::Path(_) => match typed.fact(on).target {
                    Some(Target::Local(local)) => {
                        let is_closure = |e| matches!(typed.node(e).kind, ExprKind::Closure(..));
                        typed.uses(local).len() == 1
                            && typed.fact(on).loops == 0
                            && !typed.outers(on).any(is_closure)
                    }
                    _ => false,
                },
                _ => false,
            }
    }

    /// Returns a name for the variable that holds the box: the one that the value has in the code, or
    /// that of its variant or type.
    pub(super) fn name_of_box(&self, body: usize, taken: PatId, own: &str) -> Option<String> {
        let typed = self.typed(body);
        let db = self.editor.model.db;
        let bound = own.strip_prefix("mut ").unwrap_or(own);
        let lone = typed.locals.iter().any(|l| l.name == bound);
        let is_single = matches!(typed.function.body.pat(taken).kind, PatKind::Bind { .. });
        if lone && is_single {
            // The `let` gives it to the contents.
            return Some(bound.to_owned());
        }
        let mut around = std::iter::successors(Some(taken), |p| self.editor.outer(body, *p));
        let ctor = |p: PatId| {
            let (adt, variant) = typed.pat(p).ctor?;
            let kind = &db.item(adt).item.kind;
            let is_enum = matches!(kind, ItemKind::Adt(adt) if adt.kind == AdtKind::Enum);
            let of = variant_of(db, adt, variant).filter(|_| is_enum)?;
            let name = db.item(adt).item.name;
            Some([of.name, name].map(|name| short_name(name.as_str())))
        };
        let of = around.find_map(ctor).map(|[variant, name]| {
            let last = name.rsplit('_').next().unwrap_or(&name).to_owned();
            let first = variant.chars().take(1).collect();
            [variant, last, first]
        });
        let field = !own.is_empty() && own.chars().all(|c| c.is_alphanumeric() || c == '_');
        let field = field.then(|| own.to_owned());
        let span = db.item(typed.function.item).item.span;
        let tokens = self.editor.files.get(&db.sources, span.file);
        let inside = tokens.at(span.start)..tokens.at(span.end);
        let is_used = |name: &str| {
            let mut tokens = inside.clone().map(|i| tokens.str(i));
            tokens.any(|token| token == name || token.starts_with('"') && captures(token, name))
        };
        let is_free = |name: &String| !KEYWORDS.contains(&&**name) && !is_used(name);
        let mut from_code = field.into_iter().chain(of.into_iter().flatten());
        let given = || {
            let mut names = NAMES.iter().map(|name| (*name).to_owned());
            names.find(|name| {
                let mut locals = typed.locals.iter();
                let mut opaque = typed.opaque.iter();
                !locals.any(|l| l.name == **name) && !opaque.any(|(n, _)| *n == **name)
            })
        };
        from_code.find(is_free).or_else(given)
    }

    /// Returns how the box would be bound in place of a part of a pattern.
    pub(super) fn held(&self, body: usize, taken: PatId) -> Option<Place> {
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
                    TyKind::Ref(_, mutable) => Some(*mutable),
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

/// Returns true if an `if let` has only this condition.
fn is_condition(typed: &Typed, outer: ExprId, condition: ExprId) -> bool {
    matches!(&typed.node(outer).kind, ExprKind::If(cond, ..) if *cond == condition)
}

/// Returns true for an expression that runs no code but that of one operand before it is done.
fn is_alone(typed: &Typed, expr: ExprId) -> bool {
    let is_still = |id: ExprId| matches!(typed.node(id).kind, ExprKind::Path(_) | ExprKind::Lit(_));
    match &typed.node(expr).kind {
        ExprKind::Call(callee, args) => args.len() == 1 && is_still(*callee),
        ExprKind::Method(_, _, _, args) => args.is_empty(),
        ExprKind::Index(on, index) => is_still(*on) || is_still(*index),
        ExprKind::Block(stmts, _) => stmts.is_empty(),
        ExprKind::Field(..)
        | ExprKind::Deref(_)
        | ExprKind::Unary(_)
        | ExprKind::Ref(..)
        | ExprKind::Cast(..)
        | ExprKind::Try(_)
        | ExprKind::Return(_)
        | ExprKind::Break(_)
        | ExprKind::Cfg(..) => true,
        _ => false,
    }
}

/// Returns true if a string, which may be a format string, names a variable.
fn captures(text: &str, name: &str) -> bool {
    let mut named = text.match_indices(name);
    named.any(|(at, _)| text[..at].ends_with('{'))
}

/// Returns a variable's name for a variant: all its words, or the last one if they are many.
fn short_name(variant: &str) -> String {
    let name = variant.to_snake_case();
    match name.rsplit_once('_') {
        Some((_, last)) if name.len() > LONGEST => last.to_owned(),
        _ => name,
    }
}

/// Returns a statement to insert behind the brace of a block, or behind another statement: on a line
/// of its own if nothing follows there.
fn on_its_line(source: &str, at: usize, statement: &str) -> String {
    let rest = source[at..].split('\n').next().unwrap_or_default();
    if !rest.trim().is_empty() {
        return format!(" {statement}");
    }
    let line = source[..at].rfind('\n').map_or(0, |n| n + 1);
    let text = &source[line..at];
    let margin = &text[..text.len() - text.trim_start().len()];
    let deeper = match (text.ends_with('{'), margin.starts_with('\t')) {
        (true, true) => "\t",
        (true, false) => "    ",
        (false, _) => "",
    };
    format!("\n{margin}{deeper}{statement}")
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
