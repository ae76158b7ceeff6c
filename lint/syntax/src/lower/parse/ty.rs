//! Parses types and bounds straight from tokens.

use super::Cursor;
use super::path::{AnyPath, Style};
use crate::ir::{Arg, Args, Bound, Type};
use crate::lower::keyword::Keyword;
use crate::lower::tokens::Kind;

impl Cursor<'_> {
    /// Parses a type; `plus` allows bounds after a `+`.
    pub(in crate::lower) fn ty(&mut self, plus: bool) -> Option<Type> {
        if self.old && self.tokens.bare_closure(self.at) {
            return object(self.bounds(plus)?, true);
        }
        if self.kind() == Some(Kind::Open) {
            return match self.tokens.list[self.at].byte {
                b'(' => self.tuple(),
                b'[' => self.slice(),
                _ => None,
            };
        }
        match self.sign() {
            b'&' => {
                self.at += 1;
                self.eat_lifetime();
                let mutable = self.eat_word(Keyword::Mut);
                return Some(Type::Ref(Box::new(self.ty(false)?), mutable));
            }
            b'*' => {
                self.at += 1;
                let mutable = self.eat_word(Keyword::Mut);
                if !mutable {
                    self.need_word(Keyword::Const)?;
                }
                return Some(Type::Ptr(Box::new(self.ty(false)?), mutable));
            }
            b'!' => {
                self.at += 1;
                return Some(Type::Never);
            }
            _ => {}
        }
        match self.word() {
            Keyword::Underscore => {
                self.at += 1;
                Some(Type::Infer)
            }
            Keyword::Dyn => {
                self.at += 1;
                object(self.bounds(plus)?, true)
            }
            Keyword::Impl => {
                self.at += 1;
                Some(Type::Impl(self.bounds(plus)?)).filter(|ty| *ty != Type::Impl(Vec::new()))
            }
            Keyword::Fn | Keyword::Unsafe | Keyword::Extern => self.fn_ptr(),
            Keyword::For => {
                let mut ahead = *self;
                ahead.binder()?;
                match ahead.word() {
                    Keyword::Fn | Keyword::Unsafe | Keyword::Extern => {
                        *self = ahead;
                        self.fn_ptr()
                    }
                    _ => object(self.bounds(plus)?, false),
                }
            }
            _ if self.is_path() => self.path_ty(plus),
            _ => None,
        }
    }

    /// Parses `(…)`: a tuple, or a parenthesized type.
    fn tuple(&mut self) -> Option<Type> {
        let group = self.enter(b'(')?;
        let mut list = Vec::new();
        let mut comma = false;
        while !self.done() {
            list.push(self.ty(true)?);
            comma = self.eat(b',');
            if !comma {
                break;
            }
        }
        self.leave(group)?;
        match list.len() == 1 && !comma {
            true => list.pop(),
            false => Some(Type::Tuple(list)),
        }
    }

    /// Parses `[T]` or `[T; n]`.
    fn slice(&mut self) -> Option<Type> {
        let group = self.enter(b'[')?;
        let item = Box::new(self.ty(true)?);
        if !self.eat(b';') {
            self.leave(group)?;
            return Some(Type::Slice(item));
        }
        let len = self.const_expr(self.at..self.end)?;
        self.skip(group);
        Some(Type::Array(item, Box::new(len)))
    }

    fn path_ty(&mut self, plus: bool) -> Option<Type> {
        let before = *self;
        let (path, any_args) = match self.any_path(Style::Type)? {
            AnyPath::Plain(path, any_args) => (path, any_args),
            AnyPath::Qualified {
                ty, of_trait, rest, ..
            } => return Some(Type::Qualified(ty, of_trait, rest)),
        };
        if !any_args && self.is_bang() {
            return Some(Type::Macro(Box::new(self.macro_call(path)?)));
        }
        if self.opens(b'(') {
            // A trait object without `dyn`, or what an attribute macro replaces: syntax allows it
            // for any name.
            *self = before;
            return object(self.bounds(plus)?, true);
        }
        if !plus || !self.eat(b'+') {
            return Some(Type::Path(path));
        }
        let mut bounds = vec![Bound { path, maybe: false }];
        if self.is_bound() {
            bounds.append(&mut self.bounds(true)?);
        }
        object(bounds, false)
    }

    /// Parses `unsafe extern "C" fn(a: A, …) -> B`.
    fn fn_ptr(&mut self) -> Option<Type> {
        let is_unsafe = self.eat_word(Keyword::Unsafe);
        let has_abi = self.word() == Keyword::Extern;
        self.abi();
        let abi = has_abi.then(|| {
            let name = self.kind_at(self.at - 1) == Some(Kind::Quoted);
            name.then(|| self.tokens.str(self.at - 1).trim_matches(['r', '#', '"']))
        });
        let mut variadic = false;
        self.need_word(Keyword::Fn)?;
        let group = self.enter(b'(')?;
        let mut inputs = Vec::new();
        while !self.done() {
            self.skip_attrs();
            let named = self.is_ident() || self.word() == Keyword::Underscore;
            if named && self.sign_at(self.at + 1) == b':' && !self.is_pair_at(self.at + 1, b"::") {
                self.at += 2;
            }
            if self.is_triple(b"...") {
                self.at += 3;
                self.eat(b',');
                variadic = true;
                break;
            }
            inputs.push(self.ty(true)?);
            if !self.eat(b',') {
                break;
            }
        }
        self.leave(group)?;
        let qualifiers = crate::ir::qualifiers(is_unsafe, abi, variadic);
        let output = self.output(false)?.map(Box::new);
        Some(Type::FnPtr(inputs, output, qualifiers))
    }

    /// Skips an optional `extern "C"`.
    pub(in crate::lower) fn abi(&mut self) {
        if self.eat_word(Keyword::Extern) && self.kind() == Some(Kind::Quoted) {
            self.at += 1;
        }
    }

    /// Parses an optional `-> T`; the inner `None` means that there is none.
    pub(in crate::lower) fn output(&mut self, plus: bool) -> Option<Option<Type>> {
        match self.eat_pair(b"->") {
            true => Some(Some(self.ty(plus)?)),
            false => Some(None),
        }
    }

    /// Skips `for<'a, …>`.
    fn binder(&mut self) -> Option<()> {
        self.need_word(Keyword::For)?;
        self.need(b'<')?;
        while self.sign() != b'>' {
            (self.eat_lifetime() || self.eat(b',') || self.eat(b':') || self.eat(b'+'))
                .then_some(())?;
        }
        self.need(b'>')
    }

    /// Skips an optional `for<'a, …>`.
    pub(in crate::lower) fn skip_binder(&mut self) -> Option<()> {
        match self.word() {
            Keyword::For => self.binder(),
            _ => Some(()),
        }
    }

    /// Parses trait bounds; `plus` allows more than one.
    pub(super) fn bounds(&mut self, plus: bool) -> Option<Vec<Bound>> {
        let mut bounds = Vec::new();
        loop {
            bounds.extend(self.bound()?);
            if !plus || !self.eat(b'+') || !self.is_bound() {
                bounds.shrink_to_fit();
                return Some(bounds);
            }
        }
    }

    /// Parses bounds separated by `+`, up to where `ends` is true.
    pub(super) fn bounds_until(&mut self, ends: impl Fn(&Self) -> bool) -> Option<Vec<Bound>> {
        let mut bounds = Vec::new();
        while !self.done() && !ends(self) {
            bounds.extend(self.bound()?);
            if !self.eat(b'+') {
                break;
            }
        }
        bounds.shrink_to_fit();
        Some(bounds)
    }

    /// Returns true if a bound can begin here.
    fn is_bound(&self) -> bool {
        let sign = self.sign();
        matches!(self.kind(), Some(Kind::Word | Kind::Raw | Kind::Lifetime))
            || self.is_pair(b"::")
            || matches!(sign, b'?' | b'~')
            || self.opens(b'(')
            || self.opens(b'[')
    }

    /// Parses a bound; the inner `None` stands for a lifetime or a precise capture (`use<…>`).
    fn bound(&mut self) -> Option<Option<Bound>> {
        if self.eat_lifetime() {
            return Some(None);
        }
        if self.eat_word(Keyword::Use) {
            let after = self.tokens.after_angles(self.at, self.end);
            (after > self.at).then_some(())?;
            self.at = after;
            return Some(None);
        }
        if !self.opens(b'(') {
            return self.trait_bound().map(Some);
        }
        let group = self.enter(b'(')?;
        let bound = self.trait_bound()?;
        self.leave(group)?;
        Some(Some(bound))
    }

    fn trait_bound(&mut self) -> Option<Bound> {
        self.skip_binder()?;
        // Constness does not affect layout.
        if self.opens(b'[') {
            let group = self.enter(b'[')?;
            self.need_word(Keyword::Const)?;
            self.leave(group)?;
        } else {
            self.eat(b'~');
            self.eat_word(Keyword::Const);
        }
        let maybe = self.eat(b'?');
        self.skip_binder()?;
        let first = self.at;
        let (mut path, _) = self.path(Style::Type)?;
        let called = match self.is_pair(b"::") {
            true => self.opens_at(self.at + 2, b'('),
            false => self.opens(b'('),
        };
        if called && path.segments.last().is_some_and(|s| s.args.is_none()) {
            self.eat_pair(b"::");
            let (inputs, _) = self.listed(b'(', |c| c.ty(true))?;
            let output = self.output(false)?;
            if let Some(last) = path.segments.last_mut() {
                last.args = Some(Box::new(Args {
                    args: inputs.into_iter().map(Arg::Type).collect(),
                    assoc: Vec::new(),
                    output: Some(output.unwrap_or(Type::Tuple(Vec::new()))),
                }));
            }
            path.span = self.since(first);
        }
        Some(Bound { path, maybe })
    }
}

/// Creates a trait object. Without `dyn`, a lone path may be any type: name resolution decides.
fn object(mut bounds: Vec<Bound>, is_dyn: bool) -> Option<Type> {
    match bounds.pop()? {
        only if bounds.is_empty() && !is_dyn && !only.maybe => Some(Type::Path(only.path)),
        last => {
            bounds.push(last);
            Some(Type::Dyn(bounds))
        }
    }
}
