//! Bounds the recursion depth of a parser from the tokens alone.

use super::chunk::Grammar;
use super::tokens::{Kind, Tokens};
use std::ops::Range;

/// Limit on the nesting depth: syntax trees are parsed, walked and dropped recursively.
pub(super) const DEEPEST: usize = 200;

/// A pair of delimiters or angle brackets, and the nesting of its content that has no delimiters.
struct Level {
    angle: bool,
    /// Operators since the last separator: each may contain all before or all after it.
    chain: usize,
    /// Prefix and postfix operators of the current operand.
    operand: usize,
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
            pattern: None,
        }
    }

    fn depth(&self) -> usize {
        1 + self.chain + self.operand
    }
}

/// The enclosing levels of the current token.
struct Levels {
    stack: Vec<Level>,
    /// The sum of their depths.
    total: usize,
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
        let chain = self.stack.last().map_or(0, |l| l.chain);
        self.pop();
        if let Some(level) = self.stack.last_mut() {
            level.chain += chain;
            self.total += chain;
        }
    }

    fn in_angles(&self) -> bool {
        self.stack.last().is_some_and(|l| l.angle)
    }

    /// Handles a separator: the expression before it is complete.
    fn reset(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            self.total -= level.chain + level.operand;
            level.chain = 0;
            level.operand = 0;
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

    fn in_pattern(&mut self, look: impl FnOnce() -> bool) -> bool {
        self.stack
            .last_mut()
            .is_some_and(|l| *l.pattern.get_or_insert_with(look))
    }

    /// Handles a binary operator: the operand on its left is complete.
    fn binary(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            self.total -= level.operand;
            level.operand = 0;
        }
        self.chain();
    }
}

/// Returns the token at which these tokens, without those in `skip` (in ascending order), nest
/// deeper than [`DEEPEST`].
///
/// Never underestimates: what is ambiguous without parsing counts as deeper.
pub(super) fn too_deep(
    tokens: &Tokens,
    range: Range<usize>,
    skip: &[Range<usize>],
    grammar: Grammar,
) -> Option<usize> {
    let mut levels = Levels {
        stack: Vec::with_capacity(16),
        total: 0,
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
        if levels.total > DEEPEST {
            return Some(i);
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
        Kind::Open => levels.operand(),
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
            levels.chain();
        }
        "as" => levels.operand(),
        "async" | "become" | "box" | "break" | "const" | "do" | "else" | "for" | "in" | "let"
        | "loop" | "match" | "move" | "return" | "static" | "unsafe" | "while" | "yield" => {
            levels.chain()
        }
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
        b'.' | b'?' | b'!' => levels.operand(),
        b'-' if tokens.punct(i + 1, b'>') && tokens.joint(i) => {}
        b'-' | b'&' | b'*' if !after_operand(tokens, i) => levels.operand(),
        b'+' if levels.grammar == Grammar::Types
            && levels.stack.iter().skip(1).all(|l| l.angle) => {}
        b'-' | b'&' | b'*' | b'+' | b'/' | b'%' | b'^' | b'=' | b'>' => levels.binary(),
        b'|' if !levels.in_pattern(|| starts_arm(tokens, i)) => levels.chain(),
        _ => {}
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
