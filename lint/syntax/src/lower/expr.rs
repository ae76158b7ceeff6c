//! Lowers the expressions of constants from syn's tree.

use super::chunk::Chunk;
use super::lit;
use super::ty::{configured, name};
use crate::ir::{Expr, Lit, MethodCall, Segment};
use crate::name::Name;

impl Chunk<'_> {
    pub(super) fn expr(&self, expr: &syn::Expr) -> Expr {
        // A chain of operators may be long: its left operands are followed in a loop.
        let (mut links, mut first) = (Vec::new(), expr);
        while let Some(left) = left_of(first) {
            links.push(first);
            first = left;
        }
        let links = links.into_iter().rev();
        links.fold(self.operand(first), |left, link| self.link(link, left))
    }

    /// Lowers an operator of which [`left_of`] has returned the left operand.
    fn link(&self, link: &syn::Expr, left: Expr) -> Expr {
        match link {
            syn::Expr::Paren(_) | syn::Expr::Group(_) => left,
            syn::Expr::Binary(e) => self.binary(e, left),
            syn::Expr::Cast(e) => Expr::Cast(Box::new(left), Box::new(self.ty(&e.ty))),
            syn::Expr::Call(e) => Expr::Call(Box::new(left), self.exprs(&e.args)),
            syn::Expr::MethodCall(e) => self.method_call(e, left),
            syn::Expr::Field(e) => Expr::Field(Box::new(left), member(&e.member)),
            syn::Expr::Index(e) => Expr::Index(Box::new(left), self.boxed(&e.index)),
            other => Expr::Other(kind(other)),
        }
    }

    fn operand(&self, expr: &syn::Expr) -> Expr {
        if configured(attrs(expr)) {
            return Expr::Other("a `cfg` in an expression");
        }
        match expr {
            syn::Expr::Lit(e) => lit::expr(&e.lit),
            syn::Expr::Path(e) => self.path_expr(e),
            syn::Expr::Unary(e) => self.unary(e),
            syn::Expr::Tuple(e) => Expr::Tuple(self.exprs(&e.elems)),
            syn::Expr::Array(e) => Expr::Array(self.exprs(&e.elems)),
            syn::Expr::Repeat(e) => Expr::Repeat(self.boxed(&e.expr), self.boxed(&e.len)),
            syn::Expr::Struct(e) => self.struct_literal(e),
            // Evaluation copies values, so writes through the reference would be lost.
            syn::Expr::Reference(e) if e.mutability.is_some() => Expr::Other("`&mut`"),
            syn::Expr::Reference(e) => Expr::Ref(self.boxed(&e.expr)),
            syn::Expr::Block(e) => Expr::Block(labelled(&e.label), self.block(&e.block)),
            syn::Expr::Const(e) => Expr::Block(None, self.block(&e.block)),
            syn::Expr::Unsafe(e) => Expr::Block(None, self.block(&e.block)),
            syn::Expr::If(e) => self.if_(e),
            syn::Expr::Let(e) => Expr::Let(Box::new(self.pat(&e.pat)), self.boxed(&e.expr)),
            syn::Expr::Match(e) => self.match_(e),
            syn::Expr::While(e) => {
                let label = labelled(&e.label);
                Expr::While(label, self.boxed(&e.cond), self.block(&e.body))
            }
            syn::Expr::Loop(e) => {
                let forever = Expr::Lit(Lit::Bool(true));
                Expr::While(labelled(&e.label), Box::new(forever), self.block(&e.body))
            }
            syn::Expr::Assign(e) => Expr::Assign(self.boxed(&e.left), None, self.boxed(&e.right)),
            syn::Expr::Return(e) => Expr::Return(e.expr.as_ref().map(|e| self.boxed(e))),
            syn::Expr::Break(e) => {
                let label = e.label.as_ref().map(|l| name(&l.ident));
                Expr::Break(label, e.expr.as_ref().map(|e| self.boxed(e)))
            }
            syn::Expr::Continue(e) => Expr::Continue(e.label.as_ref().map(|l| name(&l.ident))),
            syn::Expr::Macro(e) => Expr::Macro(Box::new(self.macro_call(&e.mac))),
            other => Expr::Other(kind(other)),
        }
    }

    pub(super) fn path_expr(&self, e: &syn::ExprPath) -> Expr {
        match &e.qself {
            None => Expr::Path(self.path(&e.path)),
            Some(qself) => {
                let (ty, path, rest) = self.qualified(qself, &e.path);
                Expr::Qualified(ty, path, rest)
            }
        }
    }

    pub(super) fn boxed(&self, expr: &syn::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn exprs<'e>(&self, exprs: impl IntoIterator<Item = &'e syn::Expr>) -> Vec<Expr> {
        exprs.into_iter().map(|e| self.expr(e)).collect()
    }

    fn unary(&self, e: &syn::ExprUnary) -> Expr {
        let operator = match e.op {
            syn::UnOp::Deref(_) => '*',
            syn::UnOp::Not(_) => '!',
            syn::UnOp::Neg(_) => '-',
            _ => return Expr::Other("an operator"),
        };
        Expr::Unary(operator, self.boxed(&e.expr))
    }

    fn binary(&self, e: &syn::ExprBinary, left: Expr) -> Expr {
        let (left, right) = (Box::new(left), self.boxed(&e.right));
        match operator(&e.op) {
            Some((operator, false)) => Expr::Binary(operator, left, right),
            Some((operator, true)) => Expr::Assign(left, Some(operator), right),
            None => Expr::Other("an operator"),
        }
    }

    fn method_call(&self, e: &syn::ExprMethodCall, receiver: Expr) -> Expr {
        let method = Segment {
            name: name(&e.method),
            args: e.turbofish.as_ref().and_then(|t| self.args(t)),
        };
        Expr::MethodCall(Box::new(MethodCall {
            receiver,
            method,
            args: self.exprs(&e.args),
        }))
    }

    fn struct_literal(&self, e: &syn::ExprStruct) -> Expr {
        if e.qself.is_some() || e.rest.is_some() || e.fields.iter().any(|f| configured(&f.attrs)) {
            return Expr::Other("a struct that is not written out");
        }
        let fields = e.fields.iter();
        let fields = fields.map(|f| (member(&f.member), self.expr(&f.expr)));
        Expr::Struct(Box::new(self.path(&e.path)), fields.collect())
    }

    fn if_(&self, e: &syn::ExprIf) -> Expr {
        // A chain of `else if` may be long.
        let (mut branches, mut last) = (vec![e], &e.else_branch);
        while let Some((_, next)) = last
            && let syn::Expr::If(next) = &**next
            && !configured(&next.attrs)
        {
            branches.push(next);
            last = &next.else_branch;
        }
        let branch = |e: &syn::ExprIf, otherwise| {
            Expr::If(self.boxed(&e.cond), self.block(&e.then_branch), otherwise)
        };
        let mut otherwise = last.as_ref().map(|(_, e)| self.boxed(e));
        for e in branches.drain(1..).rev() {
            otherwise = Some(Box::new(branch(e, otherwise)));
        }
        branch(e, otherwise)
    }

    fn match_(&self, e: &syn::ExprMatch) -> Expr {
        if e.arms.iter().any(|a| configured(&a.attrs)) {
            return Expr::Other("a `cfg` in an expression");
        }
        let arms = e.arms.iter().map(|arm| {
            let (pat, guard) = match &arm.pat {
                syn::Pat::Guard(g) => (self.pat(&g.pat), Some(self.expr(&g.guard))),
                pat => (self.pat(pat), None),
            };
            (pat, guard, self.expr(&arm.body))
        });
        Expr::Match(self.boxed(&e.expr), arms.collect())
    }
}

/// Returns the left operand of an operator.
fn left_of(expr: &syn::Expr) -> Option<&syn::Expr> {
    let left = match expr {
        syn::Expr::Paren(e) => &e.expr,
        syn::Expr::Group(e) => &e.expr,
        syn::Expr::Binary(e) => &e.left,
        syn::Expr::Cast(e) => &e.expr,
        syn::Expr::Call(e) => &e.func,
        syn::Expr::MethodCall(e) => &e.receiver,
        syn::Expr::Field(e) => &e.base,
        syn::Expr::Index(e) => &e.expr,
        _ => return None,
    };
    (!configured(attrs(expr))).then_some(left)
}

fn labelled(label: &Option<syn::Label>) -> Option<Name> {
    label.as_ref().map(|label| name(&label.name.ident))
}

fn member(member: &syn::Member) -> Name {
    match member {
        syn::Member::Named(ident) => name(ident),
        syn::Member::Unnamed(index) => Name::new(&index.index.to_string()),
    }
}

/// Returns the text of an operator, without the `=` of a compound assignment, and whether it is
/// one.
pub(super) fn operator(op: &syn::BinOp) -> Option<(&'static str, bool)> {
    use syn::BinOp;
    Some(match op {
        BinOp::Add(_) => ("+", false),
        BinOp::Sub(_) => ("-", false),
        BinOp::Mul(_) => ("*", false),
        BinOp::Div(_) => ("/", false),
        BinOp::Rem(_) => ("%", false),
        BinOp::And(_) => ("&&", false),
        BinOp::Or(_) => ("||", false),
        BinOp::BitXor(_) => ("^", false),
        BinOp::BitAnd(_) => ("&", false),
        BinOp::BitOr(_) => ("|", false),
        BinOp::Shl(_) => ("<<", false),
        BinOp::Shr(_) => (">>", false),
        BinOp::Eq(_) => ("==", false),
        BinOp::Lt(_) => ("<", false),
        BinOp::Le(_) => ("<=", false),
        BinOp::Ne(_) => ("!=", false),
        BinOp::Ge(_) => (">=", false),
        BinOp::Gt(_) => (">", false),
        BinOp::AddAssign(_) => ("+", true),
        BinOp::SubAssign(_) => ("-", true),
        BinOp::MulAssign(_) => ("*", true),
        BinOp::DivAssign(_) => ("/", true),
        BinOp::RemAssign(_) => ("%", true),
        BinOp::BitXorAssign(_) => ("^", true),
        BinOp::BitAndAssign(_) => ("&", true),
        BinOp::BitOrAssign(_) => ("|", true),
        BinOp::ShlAssign(_) => ("<<", true),
        BinOp::ShrAssign(_) => (">>", true),
        _ => return None,
    })
}

fn kind(expr: &syn::Expr) -> &'static str {
    match expr {
        syn::Expr::Async(_) => "an async block",
        syn::Expr::Await(_) => "`await`",
        syn::Expr::Closure(_) => "a closure",
        syn::Expr::ForLoop(_) => "a `for` loop",
        syn::Expr::Infer(_) => "`_`",
        syn::Expr::Range(_) => "a range",
        syn::Expr::RawAddr(_) => "a raw address",
        syn::Expr::Try(_) => "`?`",
        syn::Expr::TryBlock(_) => "a `try` block",
        syn::Expr::Yield(_) => "`yield`",
        _ => "syntax that is not read",
    }
}

pub(super) fn attrs(expr: &syn::Expr) -> &[syn::Attribute] {
    use syn::*;
    match expr {
        Expr::Array(ExprArray { attrs, .. })
        | Expr::Assign(ExprAssign { attrs, .. })
        | Expr::Async(ExprAsync { attrs, .. })
        | Expr::Await(ExprAwait { attrs, .. })
        | Expr::Binary(ExprBinary { attrs, .. })
        | Expr::Block(ExprBlock { attrs, .. })
        | Expr::Break(ExprBreak { attrs, .. })
        | Expr::Call(ExprCall { attrs, .. })
        | Expr::Cast(ExprCast { attrs, .. })
        | Expr::Closure(ExprClosure { attrs, .. })
        | Expr::Const(ExprConst { attrs, .. })
        | Expr::Continue(ExprContinue { attrs, .. })
        | Expr::Field(ExprField { attrs, .. })
        | Expr::ForLoop(ExprForLoop { attrs, .. })
        | Expr::Group(ExprGroup { attrs, .. })
        | Expr::If(ExprIf { attrs, .. })
        | Expr::Index(ExprIndex { attrs, .. })
        | Expr::Let(ExprLet { attrs, .. })
        | Expr::Lit(ExprLit { attrs, .. })
        | Expr::Loop(ExprLoop { attrs, .. })
        | Expr::Macro(ExprMacro { attrs, .. })
        | Expr::Match(ExprMatch { attrs, .. })
        | Expr::MethodCall(ExprMethodCall { attrs, .. })
        | Expr::Paren(ExprParen { attrs, .. })
        | Expr::Path(ExprPath { attrs, .. })
        | Expr::Reference(ExprReference { attrs, .. })
        | Expr::Repeat(ExprRepeat { attrs, .. })
        | Expr::Return(ExprReturn { attrs, .. })
        | Expr::Struct(ExprStruct { attrs, .. })
        | Expr::Try(ExprTry { attrs, .. })
        | Expr::Tuple(ExprTuple { attrs, .. })
        | Expr::Unary(ExprUnary { attrs, .. })
        | Expr::Unsafe(ExprUnsafe { attrs, .. })
        | Expr::While(ExprWhile { attrs, .. }) => attrs,
        // The others are lowered to `Other` in any case.
        _ => &[],
    }
}
