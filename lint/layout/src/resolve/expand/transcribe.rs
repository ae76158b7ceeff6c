//! Transcribes the body of a rule with the matches of its metavariables, and builds a source map.

use super::ExpandError;
use super::around::Around;
use super::fragment::Fragment;
use super::matcher::{Leaf, Matched};
use super::rule::{Out, Part, Repeat, Rule};
use super::token::{Delim, Kind, Stream, group_marks};
use super::{Limits, Output};
use crate::source::Piece;
use crate::span::Span;

/// A token stream and the location of its text.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub stream: &'a Stream<'a>,
    pub span: Span,
    pub from_args: bool,
}

/// Bytes that a macro's own body adds to most outputs.
const TEXT_OF_MACRO: usize = 256;

/// The state of a transcription.
struct Transcriber<'a> {
    rule: &'a Rule,
    matched: &'a Matched,
    mac: Origin<'a>,
    args: Origin<'a>,
    crate_ident: &'a str,
    limits: Limits,
    steps: &'a mut u64,
    /// Round and number of rounds of each enclosing repetition, outermost first.
    rounds: Vec<(u32, u32)>,
    text: String,
    pieces: Vec<Piece>,
    /// If the text ends with a copy: whether from the arguments, and the token after it.
    copied_to: Option<(bool, usize)>,
    /// True if the last copy ends with a doc comment, perhaps a line comment.
    line: bool,
    /// Pending first part of a doc comment, since the rest may follow: whether from the arguments,
    /// first token, end.
    doc: Option<(bool, usize, usize)>,
}

/// Transcribes the body of a matched rule. Charges the cost to `steps`.
///
/// # Errors
/// A metavariable has another depth than in the matcher, repetitions used together differ in
/// length, or a limit is reached.
pub(super) fn run(
    rule: &Rule,
    matched: &Matched,
    mac: Origin,
    args: Origin,
    crate_ident: &str,
    limits: Limits,
    steps: &mut u64,
) -> Result<Output, ExpandError> {
    let mut transcriber = Transcriber {
        rule,
        matched,
        mac,
        args,
        crate_ident,
        limits,
        steps,
        rounds: Vec::new(),
        // Mostly the arguments and a little more.
        text: String::with_capacity(args.stream.text.len() + TEXT_OF_MACRO),
        pieces: Vec::new(),
        copied_to: None,
        line: false,
        doc: None,
    };
    transcriber.parts(&rule.body)?;
    transcriber.flush_doc()?;
    if transcriber.line {
        transcriber.text.push('\n');
    }
    Ok(Output {
        text: transcriber.text,
        pieces: transcriber.pieces,
        steps: 0,
    })
}

impl Transcriber<'_> {
    fn parts(&mut self, parts: &[Out]) -> Result<(), ExpandError> {
        for part in parts {
            *self.steps = self.steps.checked_sub(1).ok_or(ExpandError::Steps)?;
            match part {
                Out::Copy(range) => {
                    self.copy(self.mac, range.start as usize, range.end as usize)?
                }
                Out::Var(var, around) => self.var(*var, *around)?,
                Out::Crate => self.word(self.crate_ident)?,
                Out::Repeat(repeat) => self.repeat(repeat)?,
                Out::Count(var, depth) => {
                    let count = self.count(*var, *depth)?;
                    self.word(&count.to_string())?;
                }
                Out::Index(depth) => {
                    let round = self.round(*depth)?.0;
                    self.word(&round.to_string())?;
                }
                Out::Len(depth) => {
                    let rounds = self.round(*depth)?.1;
                    self.word(&rounds.to_string())?;
                }
                Out::Concat(parts) => self.concat(parts)?,
            }
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), ExpandError> {
        let depth = self.rounds.len();
        let mut rounds = None;
        for &var in &repeat.vars {
            let Some(&rep) = self.rule.vars[var as usize].reps.get(depth) else {
                continue;
            };
            let first = &self.matched.first[rep as usize];
            let outer = self.instance(var);
            let len = first[outer + 1] - first[outer];
            if rounds.is_some_and(|other| other != len) {
                return Err(bad("repetitions of unlike length go together"));
            }
            rounds = Some(len);
        }
        let rounds = rounds.ok_or_else(|| bad("a repetition without a repeating variable"))?;
        if let Some((start, end)) = self.run(repeat, rounds) {
            *self.steps = self
                .steps
                .checked_sub(rounds.into())
                .ok_or(ExpandError::Steps)?;
            return self.copy(self.args, start as usize, end as usize);
        }
        for round in 0..rounds {
            *self.steps = self.steps.checked_sub(1).ok_or(ExpandError::Steps)?;
            if let Some(token) = repeat.separator
                && round > 0
            {
                let token = token as usize;
                self.copy(self.mac, token, self.mac.stream.after(token))?;
            }
            self.rounds.push((round, rounds));
            self.parts(&repeat.body)?;
            self.rounds.pop();
        }
        Ok(())
    }

    /// Returns the tokens of all rounds if the repetition copies one after the other as they are:
    /// mostly `$($rest)*`.
    fn run(&self, repeat: &Repeat, rounds: u32) -> Option<Leaf> {
        let [Out::Var(var, _)] = repeat.body[..] else {
            return None;
        };
        let reps = &self.rule.vars[var as usize].reps;
        let is_plain = repeat.separator.is_none()
            && self.rule.vars[var as usize].fragment == Fragment::Tt
            && reps.len() == self.rounds.len() + 1;
        if !is_plain || rounds == 0 {
            return None;
        }
        let first =
            self.matched.first[reps[self.rounds.len()] as usize][self.instance(var)] as usize;
        let leaves = &self.matched.leaves[var as usize][first..first + rounds as usize];
        let is_group = |leaf: &Leaf| {
            let kind = self.args.stream.kind(leaf.0 as usize);
            matches!(kind, Kind::Open(Delim::Group(_)))
        };
        let goes_on = leaves.windows(2).all(|pair| pair[0].1 == pair[1].0);
        (goes_on && !leaves.iter().any(is_group)).then(|| (leaves[0].0, leaves[leaves.len() - 1].1))
    }

    /// Returns the current round among all rounds of the variable's innermost repetition being
    /// transcribed; 0 outside all.
    fn instance(&self, var: u32) -> usize {
        let reps = &self.rule.vars[var as usize].reps;
        let rounds = reps.iter().zip(&self.rounds);
        rounds.fold(0, |outer, (&rep, &(round, _))| {
            (self.matched.first[rep as usize][outer] + round) as usize
        })
    }

    fn round(&self, depth: u32) -> Result<(u32, u32), ExpandError> {
        let innermost = self.rounds.iter().rev().nth(depth as usize);
        innermost
            .copied()
            .ok_or_else(|| bad("no repetition at this depth"))
    }

    /// Counts the matches of a variable below the current round; the `depth` innermost repetitions
    /// count as one each.
    fn count(&self, var: u32, depth: u32) -> Result<u32, ExpandError> {
        let reps = &self.rule.vars[var as usize].reps;
        let inner = reps.get(self.rounds.len()..).unwrap_or_default();
        let levels = inner
            .len()
            .checked_sub(depth as usize)
            .ok_or_else(|| bad("no repetition at this depth"))?;
        let first = self.instance(var) as u32;
        let (from, to) = inner[..levels]
            .iter()
            .fold((first, first + 1), |range, &rep| {
                let first = &self.matched.first[rep as usize];
                (first[range.0 as usize], first[range.1 as usize])
            });
        Ok(to - from)
    }

    fn leaf(&self, var: u32) -> Result<Leaf, ExpandError> {
        if self.rule.vars[var as usize].reps.len() > self.rounds.len() {
            return Err(bad("a variable stands outside of its repetition"));
        }
        Ok(self.matched.leaves[var as usize][self.instance(var)])
    }

    fn var(&mut self, var: u32, around: Around) -> Result<(), ExpandError> {
        let (start, end) = self.leaf(var)?;
        let (start, end) = (start as usize, end as usize);
        let s = self.args.stream;
        let fragment = self.rule.vars[var as usize].fragment;
        let grouped = start < end
            && matches!(s.kind(start), Kind::Open(Delim::Group(_)))
            && s.mate(start) + 1 == end;
        let mark = (around.call || self.limits.marked) && fragment.is_opaque() && !grouped;
        let (inner_start, inner_end) = match grouped {
            true => (start + 1, end - 1),
            false => (start, end),
        };
        let kind = match s.kind(start) {
            Kind::Open(Delim::Group(group)) if grouped => group,
            _ => fragment,
        };
        let brackets = around.brackets(kind, s, inner_start, inner_end, mark);
        let marks = mark.then(|| group_marks(fragment));
        if let Some((open, _)) = &marks {
            self.word(open)?;
        }
        if let Some((open, _)) = brackets {
            self.word(open)?;
        }
        self.copy(self.args, start, end)?;
        if let Some((_, close)) = brackets {
            self.word(close)?;
        }
        if let Some((_, close)) = marks {
            self.word(close)?;
        }
        Ok(())
    }

    fn concat(&mut self, parts: &[Part]) -> Result<(), ExpandError> {
        let mut name = String::new();
        for part in parts {
            let (s, token) = match *part {
                Part::Token(token) => (self.mac.stream, token),
                Part::Var(var) => (self.args.stream, self.leaf(var)?.0),
            };
            let text = s.text(token as usize);
            let text = text.strip_prefix("r#").unwrap_or(text);
            name.push_str(text.trim_matches('"'));
        }
        self.word(&name)
    }

    /// Separates the next text from the last, so that no tokens merge.
    fn separate(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line {
            self.text.push('\n');
        } else if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.copied_to = None;
    }

    fn room(&self, bytes: usize) -> Result<(), ExpandError> {
        match self.text.len() + bytes < self.limits.output {
            true => Ok(()),
            false => Err(ExpandError::Output),
        }
    }

    /// Writes a text that is not a copy.
    fn word(&mut self, text: &str) -> Result<(), ExpandError> {
        self.flush_doc()?;
        self.push(text)
    }

    fn push(&mut self, text: &str) -> Result<(), ExpandError> {
        self.room(text.len())?;
        self.separate();
        self.text.push_str(text);
        Ok(())
    }

    /// Copies tokens with everything between them.
    fn copy(&mut self, from: Origin, start: usize, end: usize) -> Result<(), ExpandError> {
        let s = from.stream;
        let is_start = |i: usize| s.starts(i, b'#');
        let is_end = |i: usize| matches!(s.kind(i), Kind::Close(_));
        let (mut first, mut last) = (start, end);
        match self.doc {
            Some((from_args, begin, until)) if (from_args, until) == (from.from_args, start) => {
                first = begin;
                self.doc = None;
            }
            _ => self.flush_doc()?,
        }
        // A doc comment can only be copied as a whole.
        while last > first && s.tokens[last - 1].doc && !is_end(last - 1) {
            last -= 1;
        }
        while first < last && s.tokens[first].doc && !is_start(first) {
            self.doc_token(s, first)?;
            first += 1;
        }
        if first < last {
            self.slice(from, first, last)?;
        }
        if last < end {
            self.doc = Some((from.from_args, last, end));
        }
        Ok(())
    }

    fn flush_doc(&mut self) -> Result<(), ExpandError> {
        let Some((from_args, start, end)) = self.doc.take() else {
            return Ok(());
        };
        let from = if from_args { self.args } else { self.mac };
        (start..end).try_for_each(|i| self.doc_token(from.stream, i))
    }

    fn doc_token(&mut self, s: &Stream, i: usize) -> Result<(), ExpandError> {
        match s.kind(i) {
            Kind::Literal => self.push(&s.doc_literal(i)),
            _ => self.push(s.text(i)),
        }
    }

    fn slice(&mut self, from: Origin, first: usize, last: usize) -> Result<(), ExpandError> {
        let s = from.stream;
        let end = s.tokens[last - 1].end;
        let goes_on = self.copied_to == Some((from.from_args, first));
        let start = match goes_on {
            true => s.tokens[first - 1].end,
            false => s.tokens[first].start,
        };
        self.room((end - start) as usize + 1)?;
        if !goes_on {
            self.separate();
        }
        let at = self.text.len() as u32;
        self.text.push_str(&s.text[start as usize..end as usize]);
        match self.pieces.last_mut() {
            Some(piece) if goes_on => piece.from.end += end - start,
            _ => {
                let base = from.span.start + start;
                self.pieces.push(Piece {
                    at,
                    from: Span {
                        file: from.span.file,
                        start: base,
                        end: base + end - start,
                    },
                    from_args: from.from_args,
                });
            }
        }
        self.copied_to = Some((from.from_args, last));
        self.line = s.tokens[last - 1].doc;
        Ok(())
    }
}

fn bad(message: &str) -> ExpandError {
    ExpandError::Bad(message.to_owned())
}
