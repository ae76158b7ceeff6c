//! Parses blocks and statements in bodies.

use super::{Builder, Operand, Shape};
use crate::ir::Cfg;
use crate::ir::body::{ExprId, ExprKind, Stmt};
use crate::lower::keyword::Keyword;
use crate::lower::parse::Style;
use crate::lower::split::{Head, Word};
use crate::lower::tokens::Kind;
use std::ops::Range;

impl Builder<'_> {
    pub(super) fn block(&mut self) -> Option<ExprId> {
        let first = self.c.at;
        let group = self.c.enter(b'{')?;
        self.inner_attrs()?;
        let (mut stmts, tail) = self.stmts()?;
        stmts.shrink_to_fit();
        self.c.leave(group)?;
        let block = ExprKind::Block(stmts, tail);
        Some(self.plain(block, self.c.since(first)).expr)
    }

    /// Skips inner attributes; fails if they have a condition.
    pub(super) fn inner_attrs(&mut self) -> Option<()> {
        let first = self.c.at;
        self.c.at = self.c.tokens.after_inner_attrs(first);
        // A condition of the whole block has no representation.
        match self.c.tokens.configured(first..self.c.at) {
            true => self.c.attrs_in(first).cfg.is_none().then_some(()),
            false => Some(()),
        }
    }

    /// Parses all statements of a block, and its tail expression.
    fn stmts(&mut self) -> Option<(Vec<Stmt>, Option<ExprId>)> {
        let mut stmts = Vec::new();
        loop {
            while self.c.eat(b';') {}
            if self.c.done() {
                return Some((stmts, None));
            }
            let first = self.c.at;
            let cfg = self.cfg();
            if let Some(item) = self.item(first) {
                // Items are lowered separately.
                if self.depth > 0 && self.is_template(item.start..item.end) {
                    return None;
                }
                self.c.at = item.end;
                continue;
            }
            if self.c.word() == Keyword::Let {
                let stmt = self.local(cfg)?;
                stmts.push(stmt);
                continue;
            }
            let value = match self.is_braced_call() {
                true => self.braced_call(cfg)?,
                false => self.bounded(cfg)?,
            };
            let semicolon = self.c.eat(b';');
            if self.c.done() && !semicolon {
                return Some((stmts, Some(value.expr)));
            }
            if !semicolon && value.shape != Shape::Block {
                return None;
            }
            stmts.push(Stmt::Expr(value.expr));
        }
    }

    /// Returns the item that begins here, with its attributes from `first` on.
    fn item(&self, first: usize) -> Option<Head> {
        let may = matches!(
            self.c.word(),
            Keyword::Async
                | Keyword::Auto
                | Keyword::Const
                | Keyword::Default
                | Keyword::Enum
                | Keyword::Extern
                | Keyword::Fn
                | Keyword::Impl
                | Keyword::Macro
                | Keyword::MacroRules
                | Keyword::Mod
                | Keyword::Pub
                | Keyword::Safe
                | Keyword::Static
                | Keyword::Struct
                | Keyword::Trait
                | Keyword::Type
                | Keyword::Union
                | Keyword::Unsafe
                | Keyword::Use
        );
        let head = self.c.tokens.item_at(first, self.c.end).filter(|_| may)?;
        (head.word != Word::Call).then_some(head)
    }

    /// Returns true if these tokens contain an interpolation with `#`, as in `quote!`: they are a
    /// template and not an item.
    fn is_template(&self, range: Range<usize>) -> bool {
        let c = &self.c;
        let mut i = range.start;
        while i < range.end {
            let attribute = i + 1 + usize::from(c.sign_at(i + 1) == b'!');
            if c.sign_at(i) == b'#' && !c.opens_at(attribute, b'[') {
                return true;
            }
            let skipped = c.kind_at(i) == Some(Kind::Open) && c.tokens.macro_args(i);
            i = match skipped {
                true => c.tokens.list[i].mate as usize,
                false => i + 1,
            };
        }
        false
    }

    fn local(&mut self, cfg: Option<Box<Cfg>>) -> Option<Stmt> {
        self.c.at += 1;
        let pat = self.pats()?;
        let ty = match self.c.eat(b':') {
            true => Some(Box::new(self.c.ty(true)?)),
            false => None,
        };
        let init = match self.c.eat(b'=') {
            true => Some(self.expr(true)?),
            false => None,
        };
        let otherwise = match init.is_some() && self.c.eat_word(Keyword::Else) {
            true => Some(self.block()?),
            false => None,
        };
        self.c.need(b';')?;
        Some(Stmt::Let {
            cfg,
            pat,
            ty,
            init,
            otherwise,
        })
    }

    /// Returns true if a macro call with braces comes next that is a statement, not the operand of
    /// a `.` or `?`.
    fn is_braced_call(&self) -> bool {
        let c = &self.c;
        let mut i = c.at;
        if c.is_pair_at(i, b"::") {
            i += 2;
        }
        loop {
            let word = c.word_at(i);
            let named = matches!(c.kind_at(i), Some(Kind::Word | Kind::Raw))
                && (word.in_path() || !word.is_reserved());
            if !named {
                return false;
            }
            i += 1;
            if !c.is_pair_at(i, b"::") {
                break;
            }
            i += 2;
        }
        if c.sign_at(i) != b'!' || !c.opens_at(i + 1, b'{') {
            return false;
        }
        let after = c.tokens.list[i + 1].mate as usize + 1;
        let dot = c.sign_at(after) == b'.' && !c.is_pair_at(after, b"..");
        !dot && c.sign_at(after) != b'?'
    }

    fn braced_call(&mut self, cfg: Option<Box<Cfg>>) -> Option<Operand> {
        let (path, _) = self.c.path(Style::Expr)?;
        let mut call = self.macro_call(path)?;
        if let Some(cfg) = cfg {
            call = self.restricted(cfg, call);
        }
        Some(Operand {
            shape: Shape::Block,
            ..call
        })
    }

    /// Parses an expression that ends with the block that it begins with: a statement, or the value
    /// of a match arm. Its condition applies to the first operand.
    pub(super) fn bounded(&mut self, cfg: Option<Box<Cfg>>) -> Option<Operand> {
        let cfg = cfg.or_else(|| self.cfg());
        let mut first = match self.begins_block() {
            true => self.atom(true)?,
            false => self.unary(true)?,
        };
        let mut ends = first.shape == Shape::Block;
        let asked = match self.c.sign() {
            b'.' => !self.c.is_pair(b".."),
            sign => sign == b'?',
        };
        if ends && asked {
            first = self.trailers(first)?;
            ends = false;
        }
        let conditional = cfg.is_some();
        if let Some(cfg) = cfg {
            first = Operand {
                shape: first.shape,
                ..self.restricted(cfg, first)
            };
        }
        if ends {
            return Some(first);
        }
        let value = self.operators(first, true)?;
        match conditional && value.shape == Shape::Range {
            // The condition would apply to the whole range.
            true => None,
            false => Some(value),
        }
    }
}
