//! Lowers blocks, statements and patterns from syn's tree.

use super::chunk::Chunk;
use super::lit;
use super::ty::{configured, name};
use crate::ir::{Block, Expr, Pat, Stmt};

impl Chunk<'_> {
    /// Lowers a block; a statement that cannot be evaluated becomes an [`Expr::Other`].
    pub(super) fn block(&self, block: &syn::Block) -> Block {
        // Items shadow outer names in the whole block, also before their definition.
        let has_items = block.stmts.iter().any(|s| matches!(s, syn::Stmt::Item(_)));
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let mut tail = None;
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => stmts.push(self.local(local)),
                syn::Stmt::Item(_) => {}
                syn::Stmt::Expr(e, None) if last => tail = Some(Box::new(self.expr(e))),
                syn::Stmt::Expr(e, _) => stmts.push(Stmt::Expr(self.expr(e))),
                syn::Stmt::Macro(m) => {
                    let call = if configured(&m.attrs) {
                        Expr::Other("a `cfg` in an expression")
                    } else {
                        Expr::Macro(Box::new(self.macro_call(&m.mac)))
                    };
                    if last && m.semi_token.is_none() {
                        tail = Some(Box::new(call));
                    } else {
                        stmts.push(Stmt::Expr(call));
                    }
                }
            }
        }
        Block {
            stmts,
            tail,
            has_items,
        }
    }

    fn local(&self, local: &syn::Local) -> Stmt {
        if configured(&local.attrs) {
            return Stmt::Expr(Expr::Other("a `cfg` in an expression"));
        }
        let pat = match &local.pat {
            syn::Pat::Type(typed) => &typed.pat,
            pat => pat,
        };
        if let Some(init) = &local.init
            && let Some((_, otherwise)) = &init.diverge
        {
            return match &**otherwise {
                syn::Expr::Block(otherwise) => Stmt::LetElse(
                    self.pat(pat),
                    self.boxed(&init.expr),
                    self.block(&otherwise.block),
                ),
                _ => Stmt::Expr(Expr::Other("`let … else`")),
            };
        }
        let init = local.init.as_ref().map(|i| self.boxed(&i.expr));
        let ty = match &local.pat {
            syn::Pat::Type(typed) => Some(Box::new(self.ty(&typed.ty))),
            _ => None,
        };
        Stmt::Let(self.pat(pat), ty, init)
    }

    pub(super) fn pat(&self, pat: &syn::Pat) -> Pat {
        match pat {
            syn::Pat::Wild(_) => Pat::Wild,
            // Values ignore references.
            syn::Pat::Ident(p) if p.by_ref.is_none() || p.mutability.is_none() => match &p.subpat {
                None => Pat::Name(name(&p.ident)),
                Some((_, pat)) => Pat::Bind(name(&p.ident), Box::new(self.pat(pat))),
            },
            syn::Pat::Reference(p) if p.mutability.is_none() => self.pat(&p.pat),
            syn::Pat::Slice(p) => Pat::Slice(self.pats(&p.elems)),
            syn::Pat::Rest(_) => Pat::Rest,
            syn::Pat::Lit(e) => Pat::Value(Box::new(lit::expr(&e.lit))),
            syn::Pat::Path(e) => Pat::Value(Box::new(self.path_expr(e))),
            syn::Pat::Range(e) => {
                let end = |e: &Option<Box<syn::Expr>>| e.as_ref().map(|e| Box::new(self.expr(e)));
                let closed = matches!(e.limits, syn::RangeLimits::Closed(_));
                Pat::Range(end(&e.start), end(&e.end), closed)
            }
            syn::Pat::Paren(p) => self.pat(&p.pat),
            syn::Pat::Or(p) => Pat::Or(p.cases.iter().map(|p| self.pat(p)).collect()),
            syn::Pat::Tuple(p) => Pat::Tuple(self.pats(&p.elems)),
            syn::Pat::TupleStruct(p) if p.qself.is_none() => {
                Pat::TupleStruct(Box::new(self.path(&p.path)), self.pats(&p.elems))
            }
            _ => Pat::Other,
        }
    }

    fn pats<'p>(&self, pats: impl IntoIterator<Item = &'p syn::Pat>) -> Vec<Pat> {
        pats.into_iter().map(|p| self.pat(p)).collect()
    }
}
