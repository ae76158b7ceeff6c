//! Lowers expressions and statements from syn's trees.

use super::{Builder, Pending, member};
use crate::ir::body::{Arm, ExprId, ExprKind, MacroArgs, Stmt};
use crate::ir::{Expr, Segment, Type};
use crate::lower::chunk::Chunk;
use crate::lower::expr::{attrs, operator};
use crate::lower::lit;
use crate::lower::ty::name;
use crate::span::Span;
use proc_macro2::Span as SynSpan;
use syn::spanned::Spanned;

impl Builder {
    pub(super) fn expr(&mut self, expr: &syn::Expr, c: &Chunk) -> ExprId {
        let id = self.plain(expr, c);
        match self.cfg(attrs(expr), c) {
            Some(cfg) => {
                let span = self.span(id);
                self.body.add_expr(ExprKind::Cfg(cfg, id), span)
            }
            None => id,
        }
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.body.expr(id).span
    }

    fn plain(&mut self, expr: &syn::Expr, c: &Chunk) -> ExprId {
        // Spans are joined from those of the operands: syn would walk the whole tree for each.
        let (kind, span) = match expr {
            syn::Expr::Paren(e) => return self.expr(&e.expr, c),
            syn::Expr::Group(e) => return self.expr(&e.expr, c),
            syn::Expr::Block(e) => return self.block(&e.block, c),
            syn::Expr::Const(e) => return self.block(&e.block, c),
            syn::Expr::Unsafe(e) => return self.block(&e.block, c),
            syn::Expr::TryBlock(e) => return self.block(&e.block, c),
            syn::Expr::Lit(e) => {
                let kind = match lit::expr(&e.lit) {
                    // A `&CStr`: body expressions have no such literal.
                    _ if matches!(e.lit, syn::Lit::CStr(_)) => ExprKind::Other,
                    Expr::Lit(lit) => ExprKind::Lit(lit),
                    _ => ExprKind::Other,
                };
                (kind, at(e.lit.span(), c))
            }
            syn::Expr::Path(e) => self.path(e, c),
            syn::Expr::Unary(e) => {
                let inner = self.expr(&e.expr, c);
                let (kind, sign) = match &e.op {
                    syn::UnOp::Deref(t) => (ExprKind::Deref(inner), t.span),
                    syn::UnOp::Not(t) => (ExprKind::Unary(inner), t.span),
                    syn::UnOp::Neg(t) => (ExprKind::Unary(inner), t.span),
                    _ => (ExprKind::Other, SynSpan::call_site()),
                };
                (kind, at(sign, c).to(self.span(inner)))
            }
            syn::Expr::Binary(e) => {
                let (l, r) = (self.expr(&e.left, c), self.expr(&e.right, c));
                let kind = match operator(&e.op) {
                    Some((op, false)) => ExprKind::Binary(op, l, r),
                    Some((op, true)) => ExprKind::Assign(l, Some(op), r),
                    None => ExprKind::Other,
                };
                (kind, self.span(l).to(self.span(r)))
            }
            syn::Expr::Assign(e) => {
                let (l, r) = (self.expr(&e.left, c), self.expr(&e.right, c));
                (ExprKind::Assign(l, None, r), self.span(l).to(self.span(r)))
            }
            syn::Expr::Cast(e) => {
                let inner = self.expr(&e.expr, c);
                let span = self.span(inner).to(at(e.as_token.span, c));
                (ExprKind::Cast(inner, Box::new(c.ty(&e.ty))), span)
            }
            syn::Expr::Call(e) => {
                let callee = self.expr(&e.func, c);
                let args = self.exprs(&e.args, c);
                let span = self.span(callee).to(at(e.paren_token.span.close(), c));
                (ExprKind::Call(callee, args), span)
            }
            syn::Expr::MethodCall(e) => {
                let receiver = self.expr(&e.receiver, c);
                let args = self.exprs(&e.args, c);
                let method = Segment {
                    name: name(&e.method),
                    args: e.turbofish.as_ref().and_then(|t| c.args(t)),
                };
                let place = at(e.method.span(), c);
                let span = self.span(receiver).to(at(e.paren_token.span.close(), c));
                let place = (place.start, place.end);
                (ExprKind::Method(receiver, method, place, args.into()), span)
            }
            syn::Expr::Field(e) => {
                let base = self.expr(&e.base, c);
                let end = match &e.member {
                    syn::Member::Named(ident) => ident.span(),
                    syn::Member::Unnamed(index) => index.span,
                };
                let span = self.span(base).to(at(end, c));
                (ExprKind::Field(base, member(&e.member)), span)
            }
            syn::Expr::Index(e) => {
                let (base, index) = (self.expr(&e.expr, c), self.expr(&e.index, c));
                let span = self.span(base).to(at(e.bracket_token.span.close(), c));
                (ExprKind::Index(base, index), span)
            }
            syn::Expr::Reference(e) => {
                let inner = self.expr(&e.expr, c);
                let span = at(e.and_token.span, c).to(self.span(inner));
                (ExprKind::Ref(e.mutability.is_some(), inner), span)
            }
            syn::Expr::RawAddr(e) => {
                let inner = self.expr(&e.expr, c);
                let span = at(e.and_token.span, c).to(self.span(inner));
                (ExprKind::Ref(true, inner), span)
            }
            syn::Expr::Tuple(e) => {
                let kind = ExprKind::Tuple(self.exprs(&e.elems, c));
                (kind, at(e.paren_token.span.join(), c))
            }
            syn::Expr::Array(e) => {
                let kind = ExprKind::Array(self.exprs(&e.elems, c));
                (kind, at(e.bracket_token.span.join(), c))
            }
            syn::Expr::Repeat(e) => {
                let kind = ExprKind::Repeat(self.expr(&e.expr, c), self.expr(&e.len, c));
                (kind, at(e.bracket_token.span.join(), c))
            }
            syn::Expr::Struct(e) => self.struct_literal(e, c),
            _ => self.control(expr, c),
        };
        let id = self.body.add_expr(kind, span);
        if let syn::Expr::Macro(e) = expr {
            self.wait(id, &e.mac, c);
        }
        id
    }

    /// Lowers branches, loops, jumps, closures and `async`.
    fn control(&mut self, expr: &syn::Expr, c: &Chunk) -> (ExprKind, Span) {
        match expr {
            syn::Expr::Async(e) => {
                let block = self.block(&e.block, c);
                (ExprKind::Async(block), self.span(block))
            }
            syn::Expr::If(e) => {
                let (cond, then) = (self.expr(&e.cond, c), self.block(&e.then_branch, c));
                let otherwise = e.else_branch.as_ref().map(|(_, e)| self.expr(e, c));
                let end = self.span(otherwise.unwrap_or(then));
                let span = at(e.if_token.span, c).to(end);
                (ExprKind::If(cond, then, otherwise), span)
            }
            syn::Expr::Let(e) => {
                let (pat, value) = (self.pat(&e.pat, c), self.expr(&e.expr, c));
                let span = at(e.let_token.span, c).to(self.span(value));
                (ExprKind::Let(pat, value), span)
            }
            syn::Expr::Match(e) => {
                let on = self.expr(&e.expr, c);
                let arms = e.arms.iter().map(|arm| self.arm(arm, c)).collect();
                let end = at(e.brace_token.span.close(), c);
                let span = at(e.match_token.span, c).to(end);
                (ExprKind::Match(on, arms), span)
            }
            syn::Expr::Loop(e) => {
                let block = self.block(&e.body, c);
                let span = at(e.loop_token.span, c).to(self.span(block));
                (ExprKind::Loop(block), span)
            }
            syn::Expr::While(e) => {
                let (cond, block) = (self.expr(&e.cond, c), self.block(&e.body, c));
                let span = at(e.while_token.span, c).to(self.span(block));
                (ExprKind::While(cond, block), span)
            }
            syn::Expr::ForLoop(e) => {
                let on = self.expr(&e.expr, c);
                let (pat, block) = (self.pat(&e.pat, c), self.block(&e.body, c));
                let span = at(e.for_token.span, c).to(self.span(block));
                (ExprKind::For(pat, on, block), span)
            }
            syn::Expr::Closure(e) => {
                let inputs = e.inputs.iter().map(|pat| match pat {
                    syn::Pat::Type(typed) => (self.pat(&typed.pat, c), Some(c.ty(&typed.ty))),
                    pat => (self.pat(pat, c), None),
                });
                let inputs = inputs.collect();
                let output = self.output(&e.output, c);
                let value = self.expr(&e.body, c);
                let span = at(e.inputs_begin.span, c).to(self.span(value));
                let kind = ExprKind::Closure(inputs, output, value, e.capture.is_some());
                (kind, span)
            }
            syn::Expr::Return(e) => {
                let value = e.expr.as_ref().map(|e| self.expr(e, c));
                let span = self.from(e.return_token.span, value, c);
                (ExprKind::Return(value), span)
            }
            syn::Expr::Break(e) => {
                let value = e.expr.as_ref().map(|e| self.expr(e, c));
                let span = self.from(e.break_token.span, value, c);
                (ExprKind::Break(value), span)
            }
            syn::Expr::Continue(e) => (ExprKind::Continue, at(e.continue_token.span, c)),
            syn::Expr::Try(e) => {
                let inner = self.expr(&e.expr, c);
                let span = self.span(inner).to(at(e.question_token.span, c));
                (ExprKind::Try(inner), span)
            }
            syn::Expr::Await(e) => {
                let inner = self.expr(&e.base, c);
                let span = self.span(inner).to(at(e.await_token.span, c));
                (ExprKind::Await(inner), span)
            }
            syn::Expr::Range(e) => {
                let start = e.start.as_ref().map(|e| self.expr(e, c));
                let end = e.end.as_ref().map(|e| self.expr(e, c));
                let dots = match &e.limits {
                    syn::RangeLimits::HalfOpen(t) => t.spans[0],
                    syn::RangeLimits::Closed(t) => t.spans[0],
                };
                let first = start.map_or(at(dots, c), |e| self.span(e));
                let last = end.map_or(at(dots, c), |e| self.span(e));
                (ExprKind::Range(start, end), first.to(last))
            }
            syn::Expr::Macro(e) => self.macro_kind(&e.mac, c),
            other => (ExprKind::Other, at(other.span(), c)),
        }
    }

    fn from(&self, word: SynSpan, value: Option<ExprId>, c: &Chunk) -> Span {
        let word = at(word, c);
        value.map_or(word, |v| word.to(self.span(v)))
    }

    pub(super) fn exprs<'e>(
        &mut self,
        list: impl IntoIterator<Item = &'e syn::Expr>,
        c: &Chunk,
    ) -> Vec<ExprId> {
        list.into_iter().map(|e| self.expr(e, c)).collect()
    }

    fn path(&mut self, e: &syn::ExprPath, c: &Chunk) -> (ExprKind, Span) {
        match &e.qself {
            None => {
                let path = c.path(&e.path);
                let span = path.span;
                (ExprKind::Path(path), span)
            }
            Some(qself) => {
                let (ty, path, rest) = c.qualified(qself, &e.path);
                let last = e.path.segments.last().map(|s| s.ident.span());
                let end = last.unwrap_or(qself.gt_token.span);
                let span = c.place(qself.lt_token.span, end);
                (ExprKind::Qualified(ty, path, rest), span)
            }
        }
    }

    fn struct_literal(&mut self, e: &syn::ExprStruct, c: &Chunk) -> (ExprKind, Span) {
        let mut fields = Vec::with_capacity(e.fields.len());
        for field in &e.fields {
            let value = self.expr(&field.expr, c);
            let value = match self.cfg(&field.attrs, c) {
                Some(cfg) => {
                    let span = self.span(value);
                    self.body.add_expr(ExprKind::Cfg(cfg, value), span)
                }
                None => value,
            };
            fields.push((member(&field.member), value));
        }
        let base = e.rest.as_ref().map(|e| self.expr(e, c));
        if e.qself.is_some() {
            return (ExprKind::Other, at(e.brace_token.span.join(), c));
        }
        let path = c.path(&e.path);
        let span = path.span.to(at(e.brace_token.span.close(), c));
        (ExprKind::Struct(path.into(), fields, base), span)
    }

    fn arm(&mut self, arm: &syn::Arm, c: &Chunk) -> Arm {
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(g) => (self.pat(&g.pat, c), Some(self.expr(&g.guard, c))),
            pat => (self.pat(pat, c), None),
        };
        Arm {
            cfg: self.cfg(&arm.attrs, c),
            pat,
            guard,
            value: self.expr(&arm.body, c),
        }
    }

    pub(super) fn block(&mut self, block: &syn::Block, c: &Chunk) -> ExprId {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let mut tail = None;
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            let (expr, value) = match stmt {
                // Items are lowered separately.
                syn::Stmt::Item(_) => continue,
                syn::Stmt::Local(local) => {
                    stmts.push(self.local(local, c));
                    continue;
                }
                // A lone semicolon.
                syn::Stmt::Expr(syn::Expr::Verbatim(t), Some(_)) if t.is_empty() => continue,
                syn::Stmt::Expr(e, semicolon) => (self.expr(e, c), semicolon.is_none()),
                syn::Stmt::Macro(m) => {
                    let (kind, span) = self.macro_kind(&m.mac, c);
                    let mut call = self.body.add_expr(kind, span);
                    self.wait(call, &m.mac, c);
                    if let Some(cfg) = self.cfg(&m.attrs, c) {
                        call = self.body.add_expr(ExprKind::Cfg(cfg, call), span);
                    }
                    (call, m.semi_token.is_none())
                }
            };
            match last && value {
                true => tail = Some(expr),
                false => stmts.push(Stmt::Expr(expr)),
            }
        }
        let span = at(block.brace_token.span.join(), c);
        self.body.add_expr(ExprKind::Block(stmts, tail), span)
    }

    fn local(&mut self, local: &syn::Local, c: &Chunk) -> Stmt {
        let init = local.init.as_ref().map(|i| self.expr(&i.expr, c));
        let diverge = local.init.as_ref().and_then(|i| i.diverge.as_ref());
        let otherwise = diverge.map(|(_, e)| self.expr(e, c));
        let (pat, ty): (_, Option<Box<Type>>) = match &local.pat {
            syn::Pat::Type(typed) => (self.pat(&typed.pat, c), Some(Box::new(c.ty(&typed.ty)))),
            pat => (self.pat(pat, c), None),
        };
        Stmt::Let {
            cfg: self.cfg(&local.attrs, c),
            pat,
            ty,
            init,
            otherwise,
        }
    }

    /// Lowers a macro call, whose arguments are parsed after the tree is dropped.
    fn macro_kind(&mut self, mac: &syn::Macro, c: &Chunk) -> (ExprKind, Span) {
        let call = c.macro_call(mac);
        let span = call.span;
        (
            ExprKind::Macro(call.path.into(), MacroArgs::Names(Vec::new())),
            span,
        )
    }

    fn wait(&mut self, expr: ExprId, mac: &syn::Macro, c: &Chunk) {
        self.pending.push(Pending {
            expr,
            call: c.macro_call(mac),
            depth: self.depth,
        });
    }
}

/// Returns the source span of a span of syn.
fn at(span: SynSpan, c: &Chunk) -> Span {
    c.place(span, span)
}
