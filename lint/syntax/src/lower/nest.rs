//! Bounds the recursion depth of a parser from the tokens alone.

use super::chunk::Grammar;
use super::tokens::{Kind, Tokens};
use crate::ir::SyntaxError;
use std::ops::Range;

/// Limit on the nesting depth: syntax trees are parsed, walked and dropped recursively.
pub(super) const DEEPEST: usize = 200;

/// Limit on the operators of a chain whose left operand is the chain before: `a + b + c`,
/// `a.b().c()`, `if a {} else if b {}`. Parsers read these in a loop, but trees of them are dropped
/// recursively. rustc itself overflows its stack soon after.
pub(super) const LONGEST_CHAIN: usize = 10_000;

/// Says that a text is refused.
pub(super) fn refusal(tokens: &Tokens, TooDeep { at, chain }: TooDeep) -> SyntaxError {
    let message = match chain {
        false => format!("this nests more than {DEEPEST} levels deep"),
        true => format!("this is a chain of more than {LONGEST_CHAIN} operators"),
    };
    tokens.error(at..at + 1, message)
}

/// Where a text nests too deep.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooDeep {
    /// The token.
    at: usize,
    /// True if a chain is too long.
    chain: bool,
}

/// A pair of delimiters or angle brackets, and the nesting of its content that has no delimiters.
struct Level {
    angle: bool,
    /// Operators since the last separator that contain all after them.
    chain: usize,
    /// Prefix operators of the current operand.
    operand: usize,
    /// Operators since the last separator that contain all before them.
    links: usize,
    /// Postfix operators of the current operand.
    trailers: usize,
    /// Whether this is the pattern of a match arm, whose `|` does not nest; computed at the first
    /// `|`.
    pattern: Option<bool>,
}

impl Level {
    fn new(angle: bool) -> Self {
        Level {
            angle,
            chain: 0,
            operand: 0,
            links: 0,
            trailers: 0,
            pattern: None,
        }
    }

    fn depth(&self) -> usize {
        1 + self.chain + self.operand
    }

    fn chained(&self) -> usize {
        self.links + self.trailers
    }
}

/// The enclosing levels of the current token.
struct Levels {
    stack: Vec<Level>,
    /// The sum of their depths.
    total: usize,
    /// The sum of their chains.
    chained: usize,
    grammar: Grammar,
}

impl Levels {
    fn push(&mut self, angle: bool) {
        self.stack.push(Level::new(angle));
        self.total += 1;
    }

    fn pop(&mut self) -> Option<bool> {
        let level = self.stack.pop()?;
        self.total -= level.depth();
        self.chained -= level.chained();
        Some(level.angle)
    }

    fn pop_angles(&mut self) {
        while self.in_angles() {
            self.pop();
        }
    }

    /// Closes angle brackets. If the `<` was a comparison, the operators since are part of the
    /// outer expression, so they still count.
    fn close_angle(&mut self) {
        let last = self.stack.last();
        let (chain, links) = last.map_or((0, 0), |l| (l.chain, l.chained()));
        self.pop();
        if let Some(level) = self.stack.last_mut() {
            level.chain += chain;
            level.links += links;
            self.total += chain;
            self.chained += links;
        }
    }

    /// Handles what no generic arguments contain: each `<` before it was a comparison.
    fn close_angles(&mut self) {
        while self.in_angles() {
            self.close_angle();
        }
    }

    fn in_angles(&self) -> bool {
        self.stack.last().is_some_and(|l| l.angle)
    }

    /// Handles a separator: the expression before it is complete.
    fn reset(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            self.total -= level.chain + level.operand;
            self.chained -= level.chained();
            level.chain = 0;
            level.operand = 0;
            level.links = 0;
            level.trailers = 0;
            level.pattern = None;
        }
    }

    fn chain(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.chain += 1;
            self.total += 1;
        }
    }

    fn operand(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.operand += 1;
            self.total += 1;
        }
    }

    fn link(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.links += 1;
            self.chained += 1;
        }
    }

    /// Handles a postfix operator.
    fn trailer(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.trailers += 1;
            self.chained += 1;
        }
    }

    fn in_pattern(&mut self, look: impl FnOnce() -> bool) -> bool {
        self.stack
            .last_mut()
            .is_some_and(|l| *l.pattern.get_or_insert_with(look))
    }

    /// Handles the end of an operand.
    fn end_operand(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            self.total -= level.operand;
            self.chained -= level.trailers;
            level.operand = 0;
            level.trailers = 0;
        }
    }

    /// Handles a binary operator whose left operand is all before it.
    fn binary(&mut self) {
        self.end_operand();
        self.link();
    }

    /// Handles a binary operator whose right operand is all after it.
    fn assign(&mut self) {
        self.end_operand();
        self.chain();
    }
}

/// Returns the token at which these tokens, without those in `skip` (in ascending order), nest
/// deeper than [`DEEPEST`], or have a chain longer than [`LONGEST_CHAIN`].
///
/// Never underestimates: what is ambiguous without parsing counts as deeper.
pub(super) fn too_deep(
    tokens: &Tokens,
    range: Range<usize>,
    skip: &[Range<usize>],
    grammar: Grammar,
) -> Option<TooDeep> {
    let mut levels = Levels {
        stack: Vec::with_capacity(16),
        total: 0,
        chained: 0,
        grammar,
    };
    levels.push(false);
    let mut skip = skip.iter().peekable();
    let mut i = range.start;
    while i < range.end {
        if let Some(s) = skip.next_if(|s| s.start <= i) {
            i = i.max(s.end);
            continue;
        }
        let token = tokens.list[i];
        match token.kind {
            Kind::Open if tokens.macro_args(i) => i = token.mate as usize,
            Kind::Open => levels.push(false),
            Kind::Close => {
                while levels.pop() == Some(true) {}
                after_group(tokens, i, &mut levels);
            }
            Kind::Word => word(tokens, i, &mut levels),
            Kind::Punct => punct(tokens, i, &mut levels),
            _ => {}
        }
        let chain = levels.chained > LONGEST_CHAIN;
        if chain || levels.total > DEEPEST {
            return Some(TooDeep { at: i, chain });
        }
        i += 1;
    }
    None
}

fn after_group(tokens: &Tokens, i: usize, levels: &mut Levels) {
    let Some(next) = tokens.list.get(i + 1) else {
        return;
    };
    let braces = tokens.list[i].byte == b'}';
    match next.kind {
        // A block ended a statement or an arm: no expression continues with such a token.
        Kind::Word | Kind::Raw | Kind::Number | Kind::Quoted | Kind::Lifetime
            if braces && !matches!(tokens.str(i + 1), "else" | "as") =>
        {
            levels.pop_angles();
            levels.reset();
        }
        Kind::Open => levels.trailer(),
        _ => {}
    }
}

fn word(tokens: &Tokens, i: usize, levels: &mut Levels) {
    match tokens.str(i) {
        "if" => {
            // A guard ends the pattern.
            if let Some(level) = levels.stack.last_mut() {
                level.pattern = Some(false);
            }
            match i > 0 && tokens.word(i - 1, "else") {
                true => levels.link(),
                false => levels.chain(),
            }
        }
        "as" => levels.trailer(),
        "else" => {
            levels.close_angles();
            if !tokens.word(i + 1, "if") {
                levels.chain();
            }
        }
        "async" | "become" | "box" | "break" | "const" | "do" | "for" | "in" | "let" | "loop"
        | "match" | "move" | "return" | "static" | "unsafe" | "while" | "yield" => levels.chain(),
        _ => {}
    }
}

fn punct(tokens: &Tokens, i: usize, levels: &mut Levels) {
    match tokens.list[i].byte {
        b',' => levels.reset(),
        b';' => {
            levels.pop_angles();
            levels.reset();
        }
        b'<' if comparison(tokens, i) => levels.binary(),
        b'<' => levels.push(true),
        b'>' if tokens.arrow(i) => {
            if tokens.punct(i - 1, b'=') {
                levels.pop_angles();
                levels.reset();
            } else {
                levels.chain();
            }
        }
        b'>' if levels.in_angles() => levels.close_angle(),
        b'.' if tokens.punct(i + 1, b'.') && tokens.joint(i) => levels.chain(),
        b'.' | b'?' => levels.trailer(),
        b'!' if tokens.punct(i + 1, b'=') && tokens.joint(i) => levels.binary(),
        b'!' => levels.operand(),
        b'-' if tokens.punct(i + 1, b'>') && tokens.joint(i) => {}
        b'-' | b'&' | b'*' if !after_operand(tokens, i) => levels.operand(),
        b'+' if levels.grammar == Grammar::Types
            && levels.stack.iter().skip(1).all(|l| l.angle) => {}
        b'=' => match equals(tokens, i) {
            Equals::Alone => levels.assign(),
            Equals::First => levels.binary(),
            Equals::Second => {}
        },
        b'-' | b'&' | b'*' | b'/' | b'%' | b'^' => {
            levels.close_angles();
            levels.binary();
        }
        b'+' | b'>' => levels.binary(),
        b'|' if !levels.in_pattern(|| starts_arm(tokens, i)) => {
            if after_operand(tokens, i) {
                levels.binary();
            } else if !tokens.joined(i, b'|') || !after_operand(tokens, i - 1) {
                // It opens the parameters of a closure.
                levels.chain();
            }
        }
        _ => {}
    }
}

/// The part of an operator that a `=` is.
enum Equals {
    /// An assignment, also a compound one.
    Alone,
    /// The first of a comparison.
    First,
    /// The second of a comparison.
    Second,
}

fn equals(tokens: &Tokens, i: usize) -> Equals {
    let shifts = |sign| i > 0 && tokens.joined(i - 1, sign);
    if tokens.joined(i, b'=')
        || tokens.joined(i, b'!')
        || tokens.joined(i, b'<') && !shifts(b'<')
        || tokens.joined(i, b'>') && !shifts(b'>')
    {
        return Equals::Second;
    }
    match tokens.punct(i + 1, b'=') && tokens.joint(i) {
        true => Equals::First,
        false => Equals::Alone,
    }
}

/// Returns true if neither the `<` at `i` nor, in `<<`, the one after it can open generic
/// arguments.
fn comparison(tokens: &Tokens, i: usize) -> bool {
    let number = |i: usize| tokens.list.get(i).is_some_and(|t| t.kind == Kind::Number);
    let shift = tokens.punct(i + 1, b'<') && number(i + 2)
        || i > 0 && tokens.punct(i - 1, b'<') && number(i + 1);
    let less = i > 0 && (number(i - 1) || tokens.list[i - 1].byte == b')');
    shift || less || tokens.punct(i + 1, b'=') && tokens.joint(i)
}

/// Returns true if the text at `i` continues the pattern of a match arm: a `=>` or a guard follows.
fn starts_arm(tokens: &Tokens, mut i: usize) -> bool {
    // Longer patterns count as nested, since scanning them at each `|` takes quadratic time.
    const LONGEST: usize = 4096;
    let end = i + LONGEST;
    while let Some(token) = tokens.list.get(i).filter(|_| i < end) {
        match (token.kind, token.byte) {
            (Kind::Open, _) => i = token.mate as usize,
            (Kind::Close, _) | (Kind::Punct, b',' | b';') => return false,
            (Kind::Punct, b'>') if tokens.arrow(i) => return tokens.punct(i - 1, b'='),
            (Kind::Word, _) if tokens.word(i, "if") => return true,
            _ => {}
        }
        i += 1;
    }
    false
}

/// Returns true if an operand ends just before token `i`.
fn after_operand(tokens: &Tokens, i: usize) -> bool {
    let Some(before) = i.checked_sub(1).map(|i| tokens.list[i]) else {
        return false;
    };
    match before.kind {
        Kind::Word => !tokens.keyword(i - 1),
        Kind::Raw | Kind::Number | Kind::Quoted | Kind::Close => true,
        Kind::Punct => before.byte == b'?',
        Kind::Open | Kind::Lifetime => false,
    }
}
