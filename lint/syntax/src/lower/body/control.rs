//! Parses expressions that begin with a keyword or a delimiter: branches, loops, jumps, closures
//! and `async`.

use super::{Builder, Operand, Shape};
use crate::ir::body::{Arm, ExprId, ExprKind};
use crate::ir::{MacroCall, Path};
use crate::lower::keyword::Keyword;
use crate::lower::tokens::Kind;
use crate::span::Span;

impl Builder<'_> {
    /// Parses an expression without prefix, postfix and binary operators.
    pub(super) fn atom(&mut self, structs: bool) -> Option<Operand> {
        match self.c.kind()? {
            Kind::Number | Kind::Quoted => return Some(self.literal()),
            Kind::Raw => return self.path(structs),
            Kind::Lifetime => return self.labelled(),
            Kind::Open => {
                return match self.c.tokens.list[self.c.at].byte {
                    b'(' => self.parens(),
                    b'[' => self.array(),
                    _ => self.braces(),
                };
            }
            Kind::Close => return None,
            Kind::Punct => {
                return match self.c.sign() {
                    b'|' => self.closure(structs),
                    b'.' if self.c.is_pair(b"..") => self.range(None, structs),
                    b'<' => self.path(structs),
                    b':' => self.path(structs),
                    _ => None,
                };
            }
            Kind::Word => {}
        }
        let word = self.c.word();
        match word {
            Keyword::True | Keyword::False => Some(self.literal()),
            Keyword::Async if self.begins_closure() => self.closure(structs),
            Keyword::Async => self.async_block(),
            Keyword::Const | Keyword::Try | Keyword::Unsafe
                if self.c.opens_at(self.c.at + 1, b'{') =>
            {
                self.c.at += 1;
                self.braces()
            }
            Keyword::Const | Keyword::Static | Keyword::Move => self.closure(structs),
            Keyword::For if self.c.sign_at(self.c.at + 1) == b'<' && self.begins_binder() => {
                self.closure(structs)
            }
            Keyword::If | Keyword::While | Keyword::For | Keyword::Loop | Keyword::Match => {
                self.branching()
            }
            Keyword::Break => self.break_(structs),
            Keyword::Continue => {
                self.c.at += 1;
                let span = self.c.last();
                self.c.eat_lifetime();
                Some(self.plain(ExprKind::Continue, span))
            }
            Keyword::Return => {
                let (value, span) = self.jump()?;
                Some(self.plain(ExprKind::Return(value), span))
            }
            Keyword::Become | Keyword::Yield => {
                let mark = self.mark();
                let (value, span) = self.jump()?;
                if word == Keyword::Become && value.is_none() {
                    return None;
                }
                self.back_to(mark);
                Some(self.plain(ExprKind::Other, span))
            }
            Keyword::Let => self.let_(structs),
            Keyword::Underscore => {
                self.c.at += 1;
                Some(self.plain(ExprKind::Other, self.c.last()))
            }
            Keyword::Builtin if self.c.sign_at(self.c.at + 1) == b'#' => self.builtin(),
            _ if word.in_path() || !word.is_reserved() => self.path(structs),
            _ => None,
        }
    }

    /// Returns true if an expression begins here that ends a statement without a semicolon.
    pub(super) fn begins_block(&self) -> bool {
        match self.c.word() {
            Keyword::If | Keyword::While | Keyword::Loop | Keyword::Match | Keyword::Unsafe => true,
            Keyword::For => !(self.c.sign_at(self.c.at + 1) == b'<' && self.begins_binder()),
            Keyword::Const | Keyword::Try => self.c.opens_at(self.c.at + 1, b'{'),
            _ => self.c.opens(b'{') || self.c.is_lifetime(),
        }
    }

    /// Returns true if the `for` here begins a binder of lifetimes. In a `for` loop, a pattern may
    /// begin with `<`, but no lifetime follows.
    fn begins_binder(&self) -> bool {
        let after = self.c.at + 2;
        self.c.kind_at(after) == Some(Kind::Lifetime) || self.c.sign_at(after) == b'>'
    }

    /// Returns true if the `async` here begins a closure.
    fn begins_closure(&self) -> bool {
        let next = self.c.at + 1;
        let moves = self.c.word_at(next) == Keyword::Move;
        self.c.sign_at(next + usize::from(moves)) == b'|'
    }

    /// Parses `builtin # name(…)`.
    fn builtin(&mut self) -> Option<Operand> {
        let first = self.c.at;
        self.c.at += 2;
        self.c.ident()?;
        let group = self.c.enter(b'(')?;
        self.c.skip(group);
        Some(self.plain(ExprKind::Other, self.c.since(first)))
    }

    fn async_block(&mut self) -> Option<Operand> {
        self.c.at += 1;
        self.c.eat_word(Keyword::Move);
        let block = self.block()?;
        let span = self.span(block);
        Some(self.plain(ExprKind::Async(block), span))
    }

    /// Parses `{ … }` as an operand.
    fn braces(&mut self) -> Option<Operand> {
        Some(Operand {
            expr: self.block()?,
            shape: Shape::Block,
        })
    }

    fn labelled(&mut self) -> Option<Operand> {
        self.c.at += 1;
        self.c.need(b':')?;
        match self.c.word() {
            Keyword::While | Keyword::For | Keyword::Loop => self.branching(),
            _ => self.braces(),
        }
    }

    /// Parses `if`, `match` and loops.
    fn branching(&mut self) -> Option<Operand> {
        let first = self.c.at;
        let word = self.c.word();
        self.c.at += 1;
        let kind = match word {
            Keyword::If => self.ifs()?,
            Keyword::Match => ExprKind::Match(self.expr(false)?, self.arms()?),
            Keyword::Loop => ExprKind::Loop(self.block()?),
            Keyword::While => ExprKind::While(self.expr(false)?, self.block()?),
            _ => {
                let pat = self.pats()?;
                self.c.need_word(Keyword::In)?;
                ExprKind::For(pat, self.expr(false)?, self.block()?)
            }
        };
        let loops = self.plain(kind, self.c.since(first));
        Some(Operand {
            shape: Shape::Block,
            ..loops
        })
    }

    /// Parses what follows an `if`. A chain of `else if` may be long, so this is a loop.
    fn ifs(&mut self) -> Option<ExprKind> {
        let mut branches = vec![(self.c.at, self.expr(false)?, self.block()?)];
        let mut last = None;
        while self.c.eat_word(Keyword::Else) {
            if self.c.word() != Keyword::If {
                last = Some(self.block()?);
                break;
            }
            let at = self.c.at;
            self.c.at += 1;
            branches.push((at, self.expr(false)?, self.block()?));
        }
        let (_, condition, then) = branches.remove(0);
        for (at, condition, then) in branches.into_iter().rev() {
            let kind = ExprKind::If(condition, then, last);
            last = Some(self.plain(kind, self.c.since(at)).expr);
        }
        Some(ExprKind::If(condition, then, last))
    }

    fn arms(&mut self) -> Option<Vec<Arm>> {
        let group = self.c.enter(b'{')?;
        self.inner_attrs()?;
        let mut arms = Vec::new();
        while !self.c.done() {
            let cfg = self.cfg();
            let pat = self.pats()?;
            let guard = match self.c.eat_word(Keyword::If) {
                true => Some(self.expr(true)?),
                false => None,
            };
            self.c.need_pair(b"=>")?;
            let value = self.bounded(None)?;
            let comma = self.c.eat(b',');
            if !comma && !self.c.done() && value.shape != Shape::Block {
                return None;
            }
            arms.push(Arm {
                cfg,
                pat,
                guard,
                value: value.expr,
            });
        }
        self.c.leave(group)?;
        arms.shrink_to_fit();
        Some(arms)
    }

    fn let_(&mut self, structs: bool) -> Option<Operand> {
        let first = self.c.place(self.c.at);
        self.c.at += 1;
        let pat = self.pats()?;
        self.c.need(b'=')?;
        let value = self.compared(structs)?;
        let span = first.to(self.span(value));
        Some(self.plain(ExprKind::Let(pat, value), span))
    }

    fn closure(&mut self, structs: bool) -> Option<Operand> {
        self.c.skip_binder()?;
        self.c.eat_word(Keyword::Const);
        self.c.eat_word(Keyword::Static);
        self.c.eat_word(Keyword::Async);
        let moves = self.c.eat_word(Keyword::Move);
        let first = self.c.place(self.c.at);
        self.c.need(b'|')?;
        let mut inputs = Vec::new();
        while self.c.sign() != b'|' {
            self.c.skip_attrs();
            let pat = self.pat()?;
            let ty = match self.c.eat(b':') {
                true => Some(self.c.ty(true)?),
                false => None,
            };
            inputs.push((pat, ty));
            if self.c.sign() != b'|' {
                self.c.need(b',')?;
            }
        }
        self.c.at += 1;
        let output = self.c.output(true)?.map(Box::new);
        let value = match output {
            Some(_) => self.block()?,
            None => self.expr(structs)?,
        };
        let span = first.to(self.span(value));
        Some(self.plain(ExprKind::Closure(inputs, output, value, moves), span))
    }

    fn break_(&mut self, structs: bool) -> Option<Operand> {
        let word = self.c.place(self.c.at);
        self.c.at += 1;
        if self.c.eat_lifetime() && self.c.sign() == b':' && !self.c.is_pair(b"::") {
            return None;
        }
        let value = match self.begins_expr() && (structs || !self.c.opens(b'{')) {
            true => Some(self.expr(true)?),
            false => None,
        };
        let span = value.map_or(word, |v| word.to(self.span(v)));
        Some(self.plain(ExprKind::Break(value), span))
    }

    /// Parses a keyword with an optional value; returns the value and the span of both.
    fn jump(&mut self) -> Option<(Option<ExprId>, Span)> {
        let word = self.c.place(self.c.at);
        self.c.at += 1;
        let value = match self.begins_expr() {
            true => Some(self.expr(true)?),
            false => None,
        };
        let span = value.map_or(word, |v| word.to(self.span(v)));
        Some((value, span))
    }

    /// Returns true if an expression begins here, as opposed to an operator or the end of one.
    fn begins_expr(&self) -> bool {
        match self.c.kind() {
            None | Some(Kind::Close) => false,
            Some(Kind::Word) => self.c.word() != Keyword::As,
            Some(Kind::Punct) => match self.c.sign() {
                b'-' if self.c.is_pair(b"->") => false,
                sign @ (b'!' | b'-' | b'*' | b'|' | b'&') => !self.c.is_pair(&[sign, b'=']),
                b'<' => !self.c.is_pair(b"<=") && !self.c.is_triple(b"<<="),
                b'.' => self.c.is_pair(b".."),
                b':' => self.c.is_pair(b"::"),
                sign => sign == b'#',
            },
            Some(_) => true,
        }
    }

    /// Parses a macro call from its `!` on; its arguments are parsed after all code around it.
    pub(super) fn macro_call(&mut self, path: Path) -> Option<Operand> {
        let call: MacroCall = self.c.macro_call(path)?;
        let operand = self.plain(ExprKind::Other, call.span);
        self.wait(operand.expr, call);
        Some(operand)
    }
}
