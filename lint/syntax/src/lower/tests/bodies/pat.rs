//! Lowers patterns from syn's trees.

use super::{Builder, member};
use crate::ir::body::{PatId, PatKind};
use crate::lower::chunk::Chunk;
use crate::lower::ty::name;
use crate::span::Span;
use proc_macro2::Span as SynSpan;
use syn::spanned::Spanned;

impl Builder {
    pub(super) fn pat(&mut self, pat: &syn::Pat, c: &Chunk) -> PatId {
        let at = |span: SynSpan| c.place(span, span);
        let (kind, span) = match pat {
            syn::Pat::Paren(p) => return self.pat(&p.pat, c),
            syn::Pat::Type(p) => return self.pat(&p.pat, c),
            syn::Pat::Guard(p) => {
                // The guard is lowered for its effects; the pattern itself has no node for it.
                self.expr(&p.guard, c);
                return self.pat(&p.pat, c);
            }
            syn::Pat::Wild(p) => (PatKind::Wild, at(p.underscore_token.span)),
            syn::Pat::Rest(p) => (PatKind::Rest, at(p.dot2_token.spans[0])),
            syn::Pat::Ident(p) => {
                let sub = p.subpat.as_ref().map(|(_, p)| self.pat(p, c));
                let kind = PatKind::Bind {
                    name: name(&p.ident),
                    by_ref: p.by_ref.is_some(),
                    mutable: p.mutability.is_some(),
                    sub,
                };
                (kind, at(p.ident.span()))
            }
            syn::Pat::Path(p) if p.qself.is_none() => {
                let path = c.path(&p.path);
                let span = path.span;
                (PatKind::Path(path), span)
            }
            syn::Pat::TupleStruct(p) if p.qself.is_none() => {
                let path = c.path(&p.path);
                let span = path.span.to(at(p.paren_token.span.close()));
                (
                    PatKind::TupleStruct(path.into(), self.pats(&p.elems, c)),
                    span,
                )
            }
            syn::Pat::Struct(p) if p.qself.is_none() => {
                let path = c.path(&p.path);
                let span = path.span.to(at(p.brace_token.span.close()));
                let fields = p.fields.iter();
                let fields = fields.map(|f| (member(&f.member), self.pat(&f.pat, c)));
                let kind = PatKind::Struct(path.into(), fields.collect(), p.rest.is_some());
                (kind, span)
            }
            syn::Pat::Tuple(p) => {
                let kind = PatKind::Tuple(self.pats(&p.elems, c));
                (kind, at(p.paren_token.span.join()))
            }
            syn::Pat::Slice(p) => {
                let kind = PatKind::Slice(self.pats(&p.elems, c));
                (kind, at(p.bracket_token.span.join()))
            }
            syn::Pat::Reference(p) => {
                let inner = self.pat(&p.pat, c);
                let span = at(p.and_token.span).to(self.pat_span(inner));
                (PatKind::Ref(inner), span)
            }
            syn::Pat::Or(p) => {
                let cases = self.pats(&p.cases, c);
                let span = match (cases.first(), cases.last()) {
                    (Some(first), Some(last)) => self.pat_span(*first).to(self.pat_span(*last)),
                    _ => at(SynSpan::call_site()),
                };
                (PatKind::Or(cases), span)
            }
            syn::Pat::Lit(p) => (PatKind::Value, at(p.lit.span())),
            syn::Pat::Range(p) => {
                for end in [&p.start, &p.end].into_iter().flatten() {
                    self.expr(end, c);
                }
                let dots = match &p.limits {
                    syn::RangeLimits::HalfOpen(t) => t.spans[0],
                    syn::RangeLimits::Closed(t) => t.spans[0],
                };
                (PatKind::Value, at(dots))
            }
            other => (PatKind::Other, at(other.span())),
        };
        self.body.add_pat(kind, span)
    }

    fn pat_span(&self, pat: PatId) -> Span {
        self.body.pat(pat).span
    }

    fn pats<'p>(&mut self, pats: impl IntoIterator<Item = &'p syn::Pat>, c: &Chunk) -> Vec<PatId> {
        pats.into_iter().map(|p| self.pat(p, c)).collect()
    }
}
