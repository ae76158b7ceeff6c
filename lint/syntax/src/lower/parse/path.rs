//! Parses paths, generic arguments and macro calls straight from tokens.

use super::Cursor;
use crate::ir::{Arg, Args, Expr, MacroCall, Path, Segment, Type};
use crate::lower::chunk::{Chunk, Grammar};
use crate::lower::keyword::Keyword;
use crate::lower::tokens::Kind;
use crate::lower::{lit, simple};
use crate::span::Span;
use smallvec::smallvec;
use std::ops::Range;

/// The context of a path: generic arguments need a `::` before them in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Style {
    Expr,
    Type,
}

/// A path, or `<T as Trait>::rest`.
pub(in crate::lower) enum AnyPath {
    /// A path, and whether it has generic arguments, lifetimes included.
    Plain(Path, bool),
    Qualified {
        ty: Box<Type>,
        of_trait: Option<Box<Path>>,
        rest: Vec<Segment>,
        /// The span up to the last name, without generic arguments after it.
        span: Span,
    },
}

impl Cursor<'_> {
    /// Returns true if a path can begin here.
    pub(in crate::lower) fn is_path(&self) -> bool {
        self.is_ident() || self.word().in_path() || self.is_pair(b"::") || self.sign() == b'<'
    }

    pub(in crate::lower) fn any_path(&mut self, style: Style) -> Option<AnyPath> {
        let first = self.at;
        if !self.eat(b'<') {
            return self
                .path(style)
                .map(|(path, args)| AnyPath::Plain(path, args));
        }
        let ty = Box::new(self.ty(true)?);
        let of_trait = match self.eat_word(Keyword::As) {
            true => Some(Box::new(self.path(Style::Type)?.0)),
            false => None,
        };
        self.need(b'>')?;
        self.need_pair(b"::")?;
        let mut rest = Vec::new();
        let mut last;
        loop {
            last = self.at;
            rest.push(self.segment(style)?.0);
            if !self.eat_pair(b"::") {
                break;
            }
        }
        let span = self.tokens.span(first..last + 1);
        Some(AnyPath::Qualified {
            ty,
            of_trait,
            rest,
            span,
        })
    }

    /// Parses a path; returns whether it has generic arguments.
    pub(in crate::lower) fn path(&mut self, style: Style) -> Option<(Path, bool)> {
        let first = self.at;
        let global = self.eat_pair(b"::");
        let (segment, mut any_args) = self.segment(style)?;
        let mut segments = smallvec![segment];
        while self.is_pair(b"::") && !self.opens_at(self.at + 2, b'(') {
            self.at += 2;
            let (segment, args) = self.segment(style)?;
            any_args |= args;
            segments.push(segment);
        }
        let span = self.since(first);
        let path = Path {
            global,
            segments,
            span,
        };
        Some((path, any_args))
    }

    fn segment(&mut self, style: Style) -> Option<(Segment, bool)> {
        let word = self.word();
        if !self.is_ident() && !word.in_path() {
            return None;
        }
        let name = self.any_word();
        let bare = word.in_path() && word != Keyword::SelfType;
        let has_args = !bare
            && (style == Style::Type && self.opens_args()
                || self.is_pair(b"::") && self.sign_at(self.at + 2) == b'<');
        let args = match has_args {
            true => self.args()?,
            false => None,
        };
        Some((Segment { name, args }, has_args))
    }

    /// Returns true for a `<` that is not part of `<=` or `<<=`.
    fn opens_args(&self) -> bool {
        self.sign() == b'<' && !self.is_pair(b"<=") && !self.is_triple(b"<<=")
    }

    /// Parses `<…>` or `::<…>`; the inner `None` means lifetimes only.
    pub(in crate::lower) fn args(&mut self) -> Option<Option<Box<Args>>> {
        self.eat_pair(b"::");
        self.need(b'<')?;
        let mut args = Args::default();
        while self.sign() != b'>' {
            self.arg(&mut args)?;
            if self.sign() != b'>' {
                self.need(b',')?;
            }
        }
        self.need(b'>')?;
        args.args.shrink_to_fit();
        args.assoc.shrink_to_fit();
        let any = !args.args.is_empty() || !args.assoc.is_empty();
        Some(any.then(|| Box::new(args)))
    }

    fn arg(&mut self, args: &mut Args) -> Option<()> {
        if self.is_lifetime() && self.sign_at(self.at + 1) != b'+' {
            self.at += 1;
            return Some(());
        }
        if let Some(value) = self.const_arg() {
            args.args.push(Arg::Const(value));
            return Some(());
        }
        let first = self.at;
        let ty = self.ty(true)?;
        let name = match &ty {
            Type::Path(path) => path.segments.first().map(|s| s.name),
            _ => None,
        };
        // A type of one segment: the only form of a name before `=` or `:`.
        let lone = |path: &Path| {
            let called = path.segments[0]
                .args
                .as_ref()
                .is_some_and(|a| a.output.is_some());
            !path.global && path.segments.len() == 1 && !called
        };
        let name = name.filter(|_| {
            matches!(&ty, Type::Path(path) if lone(path)) && self.kind_at(first) != Some(Kind::Open)
        });
        match (name, self.sign()) {
            (Some(name), b'=') => {
                self.at += 1;
                // An associated constant is only a constraint.
                if self.const_arg().is_none() {
                    args.assoc.push((name, self.ty(true)?));
                }
            }
            (Some(_), b':') => {
                self.at += 1;
                self.bounds_until(|c| matches!(c.sign(), b',' | b'>'))?;
            }
            _ => args.args.push(Arg::Type(ty)),
        }
        Some(())
    }

    /// Parses a literal or a block as a generic argument.
    pub(super) fn const_arg(&mut self) -> Option<Expr> {
        if self.opens(b'{') {
            let close = self.tokens.list[self.at].mate as usize;
            let value = self.const_expr(self.at..close + 1)?;
            self.at = close + 1;
            return Some(value);
        }
        let minus = self.sign() == b'-' && self.kind_at(self.at + 1) == Some(Kind::Number);
        if !minus && !self.is_literal() {
            return None;
        }
        self.at += 1 + usize::from(minus);
        let lit = lit::read(self.tokens.str(self.at - 1)).map(Expr::Lit);
        let lit = lit.unwrap_or(lit::TOO_LARGE);
        Some(match minus {
            true => Expr::Unary('-', Box::new(lit)),
            false => lit,
        })
    }

    /// Parses a constant expression in a type.
    pub(in crate::lower) fn const_expr(&self, range: Range<usize>) -> Option<Expr> {
        simple::expr(self.tokens, range.clone()).or_else(|| {
            let chunk = Chunk::new(self.tokens, range, &[], Grammar::Values).ok()?;
            chunk.parse(|tree: &syn::Expr, chunk| chunk.expr(tree)).ok()
        })
    }

    /// Returns true if the `!` of a macro call comes next.
    pub(in crate::lower) fn is_bang(&self) -> bool {
        self.sign() == b'!' && !self.is_pair(b"!=")
    }

    /// Parses the rest of a macro call, from the `!` on.
    pub(in crate::lower) fn macro_call(&mut self, path: Path) -> Option<MacroCall> {
        self.need(b'!')?;
        let open = self.at;
        (self.kind() == Some(Kind::Open)).then_some(())?;
        let close = self.tokens.list[open].mate as usize;
        self.at = close + 1;
        Some(MacroCall {
            args: self.tokens.inside(open),
            span: path.span.to(self.place(close)),
            path,
            quiet: false,
        })
    }
}
