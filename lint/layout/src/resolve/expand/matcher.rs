//! Matches the arguments of a call against a rule and records the match of each metavariable.
//!
//! rustc follows all positions of a matcher in parallel and rejects ambiguity. Code that it accepts
//! has exactly one match, which any search finds: this one is depth-first and never tries a step at
//! the same token twice, which keeps it polynomial.

use super::ExpandError;
use super::rule::{Rule, Step, Times};
use super::token::{Kind, Stream};
use crate::name::same_identifier;
use rustc_hash::FxHashSet;

/// The tokens that a metavariable matched in one round: start and end.
pub(super) type Leaf = (u32, u32);

/// A match of a rule.
pub(super) struct Matched {
    /// For each metavariable, one match per round of the innermost enclosing repetition.
    pub leaves: Vec<Vec<Leaf>>,
    /// For each repetition, its first round by the round of the enclosing one (0 for the
    /// outermost). A final element closes the last interval.
    pub first: Vec<Vec<u32>>,
}

/// A step of the search.
enum Event {
    Open(u32),
    Round(u32),
    Bind(u32, Leaf),
}

/// A depth-first search for a match.
struct Search<'a> {
    rule: &'a Rule,
    mac: &'a Stream<'a>,
    args: &'a Stream<'a>,
    events: Vec<Event>,
    /// Alternatives left: step, token, number of events at that point.
    others: Vec<(u32, u32, u32)>,
    seen: FxHashSet<(u32, u32)>,
}

/// Matches the arguments; `None` if the rule does not match. Charges the cost to `steps`.
///
/// # Errors
/// [`ExpandError::Steps`] if `steps` is exhausted.
pub(super) fn run(
    rule: &Rule,
    mac: &Stream,
    args: &Stream,
    steps: &mut u64,
) -> Result<Option<Matched>, ExpandError> {
    let mut search = Search {
        rule,
        mac,
        args,
        events: Vec::new(),
        others: Vec::new(),
        seen: FxHashSet::default(),
    };
    let mut state = Some((0, 0));
    while let Some((step, at)) = state {
        if let Step::Done = rule.program[step]
            && args.kind(at) == Kind::End
        {
            return Ok(Some(search.collect()));
        }
        let next = search.advance(step, at);
        let cost = next.map_or(1, |(_, to)| 1 + (to.saturating_sub(at) as u64) / 8);
        *steps = steps.checked_sub(cost).ok_or(ExpandError::Steps)?;
        state = next.or_else(|| search.back());
    }
    Ok(None)
}

impl Search<'_> {
    /// Takes one step; `None` if it does not match.
    fn advance(&mut self, step: usize, at: usize) -> Option<(usize, usize)> {
        match self.rule.program[step] {
            Step::Token(token) => Some((step + 1, self.token(token, at)?)),
            Step::Bind {
                var,
                fragment,
                wide,
            } => {
                let end = fragment.end(self.args, at, wide)?;
                self.events.push(Event::Bind(var, (at as u32, end as u32)));
                Some((step + 1, end))
            }
            Step::Enter { rep, times, exit } => {
                self.events.push(Event::Open(rep));
                let exit = exit as usize;
                let inside = self.may_go(step + 1, at, 4);
                let outside = times != Times::AtLeastOnce && self.may_go(exit, at, 4);
                self.choose(
                    rep,
                    inside.then_some((step + 1, at)),
                    outside.then_some((exit, at)),
                )
            }
            Step::Again {
                rep,
                times,
                start,
                separator,
            } => {
                let start = start as usize;
                let next = match separator {
                    _ if times == Times::AtMostOnce => None,
                    Some(token) => self.token(token, at),
                    None => Some(at),
                };
                let more = next.filter(|&next| self.may_go(start, next, 4));
                let exit = self.may_go(step + 1, at, 4);
                self.choose(
                    rep,
                    more.map(|next| (start, next)),
                    exit.then_some((step + 1, at)),
                )
            }
            Step::Rest { rep, var, times } => {
                self.events.push(Event::Open(rep));
                let mut end = at;
                while let Some(next) = self.args.tree(end) {
                    self.events.push(Event::Round(rep));
                    let leaf = (end as u32, next as u32);
                    self.events.push(Event::Bind(var, leaf));
                    end = next;
                }
                (end > at || times == Times::Any).then_some((step + 1, end))
            }
            Step::Done => None,
        }
    }

    /// Takes another round if possible, and saves the exit as an alternative if both are.
    fn choose(
        &mut self,
        rep: u32,
        round: Option<(usize, usize)>,
        exit: Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        let Some((step, at)) = round else {
            return exit;
        };
        // A state can recur only while alternatives are left.
        let branches = exit.is_some() || !self.others.is_empty();
        if branches && !self.seen.insert((step as u32, at as u32)) {
            return exit.filter(|&(step, at)| self.first_exit(step, at));
        }
        if let Some((exit, exit_at)) = exit {
            let events = self.events.len() as u32;
            self.others.push((exit as u32, exit_at as u32, events));
        }
        self.events.push(Event::Round(rep));
        Some((step, at))
    }

    /// Returns true for an exit not taken before.
    fn first_exit(&mut self, exit: usize, at: usize) -> bool {
        // The high bit is free: a program has fewer steps.
        self.seen.insert((exit as u32 | 1 << 31, at as u32))
    }

    fn back(&mut self) -> Option<(usize, usize)> {
        while let Some((step, at, events)) = self.others.pop() {
            if self.first_exit(step as usize, at as usize) {
                self.events.truncate(events as usize);
                return Some((step as usize, at as usize));
            }
        }
        None
    }

    /// Returns the index after a token of the macro if the arguments have it at `at`.
    fn token(&self, token: u32, at: usize) -> Option<usize> {
        let token = token as usize;
        let same = match (self.mac.kind(token), self.args.kind(at)) {
            (Kind::Punct(a), Kind::Punct(b)) => {
                a == b
                    && (self.mac.text(token) == self.args.text(at)
                        // The rest of a `>>` whose first half closed a type.
                        || self.mac.is(token, ">") && at > 0 && self.args.starts(at - 1, b'>'))
            }
            (Kind::Open(a), Kind::Open(b)) | (Kind::Close(a), Kind::Close(b)) => a == b,
            (a, b) => a == b && self.same_text(token, at),
        };
        same.then(|| at + self.mac.tokens[token].glue as usize)
    }

    fn same_text(&self, token: usize, at: usize) -> bool {
        if self.mac.kind(token) == Kind::Literal
            && (self.mac.tokens[token].doc || self.args.tokens[at].doc)
        {
            return false;
        }
        let (ours, theirs) = (self.mac.text(token), self.args.text(at));
        match self.mac.kind(token) {
            Kind::Ident | Kind::Lifetime => same_identifier(ours, theirs),
            _ => ours == theirs,
        }
    }

    /// Returns true if a step may begin at this token, by bounded lookahead.
    fn may_go(&self, step: usize, at: usize, depth: u32) -> bool {
        if depth == 0 {
            return true;
        }
        match self.rule.program[step] {
            Step::Token(token) => self.token(token, at).is_some(),
            Step::Bind { fragment, wide, .. } => fragment.can_begin(self.args, at, wide),
            Step::Enter { times, exit, .. } => {
                self.may_go(step + 1, at, depth - 1)
                    || times != Times::AtLeastOnce && self.may_go(exit as usize, at, depth - 1)
            }
            Step::Again { .. } => true,
            Step::Rest { times, .. } => {
                self.args.tree(at).is_some()
                    || times == Times::Any && self.may_go(step + 1, at, depth - 1)
            }
            Step::Done => self.args.kind(at) == Kind::End,
        }
    }

    fn collect(self) -> Matched {
        let mut matched = Matched {
            leaves: self.rule.vars.iter().map(|_| Vec::new()).collect(),
            first: self.rule.reps.iter().map(|_| Vec::new()).collect(),
        };
        let mut rounds = vec![0; self.rule.reps.len()];
        for event in self.events {
            match event {
                Event::Open(rep) => matched.first[rep as usize].push(rounds[rep as usize]),
                Event::Round(rep) => rounds[rep as usize] += 1,
                Event::Bind(var, leaf) => matched.leaves[var as usize].push(leaf),
            }
        }
        for (first, rounds) in matched.first.iter_mut().zip(rounds) {
            first.push(rounds);
        }
        matched
    }
}
