//! Runs a rule's matcher over the arguments of a call and keeps what each metavariable matched.
//!
//! rustc follows all positions of a matcher at once and refuses what is ambiguous. For code that
//! it accepts there is one way through, and any search finds it: this one goes depth first, and
//! never tries the same step at the same token twice, which keeps it polynomial.

use super::ExpandError;
use super::rule::{Rule, Step, Times};
use super::token::{Kind, Stream};
use crate::name::same_identifier;
use rustc_hash::FxHashSet;

/// The tokens that a metavariable matched in one round: from, to.
pub(super) type Leaf = (u32, u32);

/// What a rule matched.
pub(super) struct Matched {
    /// For each metavariable, one match for every round of the innermost repetition around it.
    pub leaves: Vec<Vec<Leaf>>,
    /// For each repetition, by the round of the one around it (0 for the outermost): its first
    /// round. One more number at the end closes the last interval.
    pub first: Vec<Vec<u32>>,
}

/// What a search did, in order.
enum Event {
    Open(u32),
    Round(u32),
    Bind(u32, Leaf),
}

/// A search for one way through a matcher.
struct Search<'a> {
    rule: &'a Rule,
    mac: &'a Stream<'a>,
    args: &'a Stream<'a>,
    events: Vec<Event>,
    /// Other ways to go on: step, token, number of events until there.
    others: Vec<(u32, u32, u32)>,
    seen: FxHashSet<(u32, u32)>,
}

/// Matches the arguments; `None` if the rule does not fit. Takes what it costs from `steps`.
///
/// # Errors
/// [`ExpandError::Steps`] if that was not enough.
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
    /// One step; `None` if it does not fit.
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
            Step::Done => None,
        }
    }

    /// Goes on with another round if that is possible, and remembers the way out if both are.
    fn choose(
        &mut self,
        rep: u32,
        round: Option<(usize, usize)>,
        exit: Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        let Some((step, at)) = round else {
            return exit;
        };
        // As long as nothing else is left to try, no state can come up again.
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

    /// Whether a way out was not taken before.
    fn first_exit(&mut self, exit: usize, at: usize) -> bool {
        // The upper half of the numbers is free: a program has fewer steps.
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

    /// Behind the token of the macro if it stands here.
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

    /// Whether a step may begin with this token, as far as one can see at once.
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
