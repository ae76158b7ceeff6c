//! The body of a coroutine before its transformation, as rustc dumps it: which variables live across
//! an await although nothing needs them there, and which arguments are used whole.

use super::dump::Dump;
use rustc_hash::{FxHashMap, FxHashSet};

/// A body: blocks of statements, of which cleanup after panics is left out.
#[derive(Debug, Default)]
pub struct Body<'t> {
    /// The lines of each block and where it goes on.
    blocks: FxHashMap<u32, Block<'t>>,
    /// The types of variables, as written.
    types: FxHashMap<u32, &'t str>,
    /// Where each await goes on, in the order of the awaits.
    resumed: Vec<u32>,
    /// The blocks that end in them.
    yields: Vec<u32>,
}

#[derive(Debug, Default)]
struct Block<'t> {
    lines: Vec<&'t str>,
    next: Vec<u32>,
}

/// Reads the dump of a body.
pub fn read(text: &str) -> Body<'_> {
    let mut body = Body::default();
    let mut inside: Option<(u32, Block<'_>)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        let begun = trimmed
            .strip_suffix(": {")
            .and_then(|t| t.strip_prefix("bb"));
        match (&mut inside, begun) {
            (None, Some(name)) => {
                // `bb3 (cleanup)` is no number.
                inside = Some((name.parse().unwrap_or(u32::MAX), Block::default()));
            }
            (None, None) => body.types.extend(declared(trimmed)),
            (Some(_), _) if trimmed == "}" => {
                if let Some((number, mut block)) = inside.take()
                    && number != u32::MAX
                {
                    let last = block.lines.last().copied().unwrap_or_default();
                    block.next = targets(last);
                    body.blocks.insert(number, block);
                }
            }
            (Some((_, block)), _) => block.lines.push(trimmed),
        }
    }
    let mut numbers: Vec<&u32> = body.blocks.keys().collect();
    numbers.sort_unstable();
    let ends = numbers.into_iter().filter_map(|n| {
        let line = body.blocks[n].lines.last()?;
        let resumed = target(line, "resume: ").filter(|_| line.contains(" = yield("))?;
        Some((*n, resumed))
    });
    (body.yields, body.resumed) = ends.unzip();
    body
}

/// Number and type in `let mut _5: [u8; 512];`.
fn declared(line: &str) -> Option<(u32, &str)> {
    let line = line.strip_prefix("let ")?.strip_suffix(';')?;
    let line = line.strip_prefix("mut ").unwrap_or(line);
    let (name, ty) = line.split_once(": ")?;
    Some((name.strip_prefix('_')?.parse().ok()?, ty))
}

/// The blocks that the last line of one names, without cleanup.
fn targets(line: &str) -> Vec<u32> {
    let found = line.match_indices("bb").filter_map(|(at, _)| {
        let is_cleanup = line[..at].ends_with("unwind: ");
        number(&line[at + 2..]).filter(|_| !is_cleanup)
    });
    found.collect()
}

fn target(line: &str, kind: &str) -> Option<u32> {
    let (_, text) = line.split_once(kind)?;
    number(text.strip_prefix("bb")?)
}

/// The number at the start of a text.
fn number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

/// The variables that a line names, and where each begins.
fn named(line: &str) -> impl Iterator<Item = (usize, u32)> + '_ {
    line.match_indices('_').filter_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        let is_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '\'');
        let variable = number(&line[at + 1..]).filter(|_| !is_name)?;
        // `_5x`, and numbers with a suffix, are no variables.
        let digits = line[at + 1..].find(|c: char| !c.is_ascii_digit());
        let after = digits.and_then(|end| line[at + 1 + end..].chars().next());
        (!after.is_some_and(|c| c.is_alphanumeric() || c == '_')).then_some((at, variable))
    })
}

/// Whether a type can have a reference in it that the function itself made.
fn may_borrow(ty: &str) -> bool {
    let marks = ["&", "'", "*", "dyn ", "impl ", "{"];
    marks.iter().any(|mark| ty.contains(mark))
}

/// The saved variables of each state.
pub type States = Vec<Vec<usize>>;

/// What becomes of a value in a box.
#[derive(Debug, PartialEq, Eq)]
pub struct Boxed {
    /// The saved variables that have it, one after the other.
    pub saved: Vec<usize>,
    /// The states then.
    pub states: States,
}

/// What becomes of an argument by reference.
#[derive(Debug, PartialEq, Eq)]
pub struct Lent {
    /// Its number.
    pub upvar: usize,
    /// The states if nothing borrows the reference, and if something does.
    pub states: [States; 2],
}

/// Whether a word in a line stands before a variable or a part of it.
fn has_place(line: &str, word: &str, local: u32) -> bool {
    let mut ends = line.match_indices(word).map(|(at, _)| at + word.len());
    ends.any(|end| {
        let place = line[end..].trim_start_matches('(');
        place.strip_prefix('_').and_then(number) == Some(local)
    })
}

/// Whether a line has a text that ends with the name of a variable, which is meant as a whole.
fn has_whole(line: &str, text: &str) -> bool {
    let mut ends = line.match_indices(text).map(|(at, _)| at + text.len());
    ends.any(|end| !line[end..].starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '['))
}

impl Body<'_> {
    /// Whether the awaits of a dump are those of this body.
    fn fits(&self, dump: &Dump) -> bool {
        let states = dump.states.iter().skip(3);
        states.len() == self.resumed.len()
            && states.zip(&self.resumed).all(|(state, resumed)| {
                let awaited = state.iter().map(|local| &dump.saved[*local]);
                let mut awaited = awaited.filter(|s| s.name.as_deref() == Some("__awaitee"));
                let local = awaited.next().and_then(|saved| saved.local.as_deref());
                match (local, awaited.next()) {
                    (Some(local), None) => self.polls(*resumed, local),
                    _ => false,
                }
            })
    }

    /// Whether the first thing that is borrowed from a block on is this variable.
    fn polls(&self, from: u32, local: &str) -> bool {
        let mut at = from;
        for _ in 0..4 {
            let Some(block) = self.blocks.get(&at) else {
                return false;
            };
            let mut lines = block.lines.iter();
            if let Some(line) = lines.find(|line| line.contains(" = &mut ")) {
                return line.ends_with(&format!(" = &mut {local};"));
            }
            match block.next[..] {
                [next] => at = next,
                _ => return false,
            }
        }
        false
    }

    /// The saved variables, by number, that no await needs: each is used only before, apart from
    /// being dropped.
    pub fn idle(&self, dump: &Dump) -> Vec<usize> {
        if !self.fits(dump) {
            return Vec::new();
        }
        let is_idle = |saved: &usize| {
            let of = &dump.saved[*saved];
            let local = of
                .local
                .as_deref()
                .and_then(|l| number(l.strip_prefix('_')?));
            let Some(local) = local.filter(|_| of.name.as_deref() != Some("__awaitee")) else {
                return false;
            };
            let Some(borrowers) = self.borrowers(local) else {
                return false;
            };
            let states = dump.states.iter().skip(3).zip(&self.resumed);
            let mut states = states.filter(|(state, _)| state.contains(saved));
            states.all(|(_, resumed)| !self.is_needed(*resumed, local, &borrowers))
        };
        (0..dump.saved.len()).filter(is_idle).collect()
    }

    /// The variables that may hold a reference to a variable, or `None` if that cannot be told.
    fn borrowers(&self, local: u32) -> Option<FxHashSet<u32>> {
        let mut found: FxHashSet<u32> = FxHashSet::default();
        loop {
            let before = found.len();
            for line in self.blocks.values().flat_map(|block| &block.lines) {
                let Some((to, from)) = line.split_once(" = ") else {
                    continue;
                };
                let borrows = |(at, variable): (usize, u32)| {
                    let is_reference = from[..at].rsplit([',', '[']).next();
                    let is_reference = is_reference.is_some_and(|text| text.contains('&'));
                    found.contains(&variable) || variable == local && is_reference
                };
                if !named(from).any(borrows) {
                    continue;
                }
                // A call may put the reference behind another argument.
                for (_, other) in named(from) {
                    let is_it = other == local || found.contains(&other);
                    if !is_it && self.may_keep(other) {
                        return None;
                    }
                }
                let is_behind = to.contains('*');
                let (_, to) = named(to).next()?;
                if is_behind && self.may_keep(to) {
                    return None;
                }
                if to != local && self.types.get(&to).is_none_or(|ty| may_borrow(ty)) {
                    found.insert(to);
                }
            }
            if found.len() == before {
                return Some(found);
            }
        }
    }

    /// Whether something behind a variable can keep a reference.
    fn may_keep(&self, variable: u32) -> bool {
        let Some(ty) = self.types.get(&variable) else {
            return true;
        };
        let behind = ty.strip_prefix("&mut ").or(ty.strip_prefix('&'));
        behind.is_some_and(may_borrow) || behind.is_none() && may_borrow(ty)
    }

    /// Whether a variable, or what borrows from it, is used from a block on before it is dead.
    fn is_needed(&self, from: u32, local: u32, borrowers: &FxHashSet<u32>) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            let Some(block) = self.blocks.get(&at) else {
                continue;
            };
            let mut is_dead = false;
            for line in &block.lines {
                if line.starts_with("StorageDead(") || line.starts_with("StorageLive(") {
                    is_dead = named(line).any(|(_, variable)| variable == local);
                    if is_dead {
                        break;
                    }
                    continue;
                }
                if line.starts_with(&format!("drop(_{local})")) {
                    continue;
                }
                let mut used = named(line).map(|(_, variable)| variable);
                if used.any(|variable| variable == local || borrowers.contains(&variable)) {
                    return true;
                }
            }
            if !is_dead {
                open.extend(&block.next);
            }
        }
        false
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.blocks.values().flat_map(|block| &block.lines).copied()
    }

    /// What a box around the value of a saved variable changes, from where it is made on; `None` if
    /// something other than an await takes the value as a whole, or a part of it.
    pub fn boxed(&self, dump: &Dump, saved: usize) -> Option<Boxed> {
        let local = number(dump.saved[saved].local.as_deref()?.strip_prefix('_')?)?;
        if !self.fits(dump) || self.assignments(local).count() != 1 {
            return None;
        }
        let mut held = vec![local];
        let mut at = 0;
        while let Some(of) = held.get(at).copied() {
            let value = format!("move _{of}");
            let copied = format!("copy _{of}");
            for line in self.lines() {
                // A closure may take it, which would then take the box.
                if has_whole(line, &copied) {
                    return None;
                }
                if !has_whole(line, &value) {
                    match has_place(line, "move ", of) {
                        true => return None,
                        false => continue,
                    }
                }
                let (to, from) = line.split_once(" = ")?;
                let to = number(to.strip_prefix('_')?)?;
                let awaits = format!(" as IntoFuture>::into_future({value})");
                let goes_on = from == format!("{value};") || from.contains(&*awaits);
                let is_same = self.types.get(&to) == self.types.get(&of);
                if !goes_on || !is_same || self.assignments(to).count() != 1 {
                    return None;
                }
                held.push(to);
            }
            at += 1;
        }
        let is_dropped = self
            .lines()
            .any(|l| l.starts_with(&format!("drop(_{local})")));
        let states = match held.len() {
            // A box is dropped where its variable ends, whatever is in it.
            1 => self.stored(dump, saved, local)?,
            // What has nothing to drop needs no flag that says whether it was moved.
            _ if !is_dropped => return None,
            _ => dump.states.clone(),
        };
        let of = |saved: &usize| {
            let of = dump.saved[*saved].local.as_deref();
            let number = of.and_then(|of| number(of.strip_prefix('_')?));
            number.is_some_and(|number| held.contains(&number))
        };
        Some(Boxed {
            saved: (0..dump.saved.len()).filter(of).collect(),
            states,
        })
    }

    /// What a reference in place of an argument changes; `None` if more than reading is done with the
    /// argument, or it is dropped here.
    pub fn lent(&self, dump: &Dump, saved: usize) -> Option<Lent> {
        let of = &dump.saved[saved];
        let local = number(of.local.as_deref()?.strip_prefix('_')?)?;
        let upvar = of.upvar?;
        let captured = format!("(_1.{upvar}: ");
        let mut taken = self.lines().filter(|line| line.contains(&captured));
        if !self.fits(dump) || taken.next().is_none() || taken.next().is_some() {
            return None;
        }
        let parts = ["move ", "&mut ", "&raw mut ", "drop("];
        let reads = self.lines().all(|line| {
            let to = line.split_once(" = ").map(|(to, _)| to);
            let is_set = to.is_some_and(|to| named(to).any(|(_, v)| v == local));
            let is_first = line.contains(&captured);
            let of_part = parts.iter().any(|word| has_place(line, word, local));
            is_first || !(is_set || of_part)
        });
        if !reads {
            return None;
        }
        let long = self.stored(dump, saved, local)?;
        let nobody = FxHashSet::default();
        let mut short = long.clone();
        for (state, resumed) in short.iter_mut().skip(3).zip(&self.resumed) {
            if !self.is_needed(*resumed, local, &nobody) {
                state.retain(|of| *of != saved);
            }
        }
        let states = [short, long];
        Some(Lent { upvar, states })
    }

    /// The lines that give a variable a value.
    fn assignments(&self, local: u32) -> impl Iterator<Item = &str> {
        let start = format!("_{local} = ");
        self.lines().filter(move |line| line.starts_with(&start))
    }

    /// The states of a dump, with a variable in each in which it has its place: from where it is made
    /// to its end. `None` if today it is in another one.
    fn stored(&self, dump: &Dump, saved: usize, local: u32) -> Option<States> {
        let start = format!("_{local} = ");
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (number, block) in &self.blocks {
            let at = block.lines.iter().position(|line| line.starts_with(&start));
            open.extend(at.map(|at| (*number, at + 1)));
        }
        let mut seen = FxHashSet::default();
        let mut states = dump.states.clone();
        let end = format!("StorageDead(_{local});");
        let mut found = Vec::new();
        while let Some((at, from)) = open.pop() {
            let Some(block) = self.blocks.get(&at) else {
                continue;
            };
            if block.lines[from..].contains(&&*end) {
                continue;
            }
            found.extend(self.yields.iter().position(|y| *y == at).map(|y| y + 3));
            let next = block.next.iter().filter(|next| seen.insert(**next));
            open.extend(next.map(|next| (*next, 0)));
        }
        for (at, state) in states.iter_mut().enumerate() {
            match (state.contains(&saved), found.contains(&at)) {
                (true, false) => return None,
                (false, true) => {
                    state.push(saved);
                    state.sort_unstable();
                }
                _ => {}
            }
        }
        Some(states)
    }

    /// Whether each of the first `count` arguments is used as a whole, so that a block captures it
    /// as it is.
    pub fn uses_whole(&self, count: usize) -> bool {
        let lines = || self.blocks.values().flat_map(|block| &block.lines);
        (0..count).all(|upvar| {
            let moved = format!("(_1.{upvar}: ");
            let mut moves = lines().filter_map(|line| {
                let (to, from) = line.split_once(" = ")?;
                let from = from.strip_prefix("move ").or(from.strip_prefix("copy "))?;
                from.starts_with(&moved).then_some(to)
            });
            let (Some(to), None) = (moves.next(), moves.next()) else {
                return false;
            };
            let whole = [
                format!("&{to}"),
                format!("&mut {to}"),
                format!("move {to}"),
                format!("copy {to}"),
            ];
            lines().any(|line| whole.iter().any(|text| has_whole(line, text)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::futures::dump::Saved;

    /// `_3` is borrowed and used, and then lives across an await in vain.
    const BODY: &str = "
    let _3: [u8; 9];
    let _4: &[u8; 9];
    let _5: usize;
    let mut _9: Ready<()>;
    bb0: {
        StorageLive(_3);
        _3 = [const 1_u8; 9];
        _4 = &_3;
        _5 = len(copy _4) -> [return: bb1, unwind: bb7];
    }
    bb1: {
        _9 = ready() -> [return: bb2, unwind: bb7];
    }
    bb2: {
        _11 = &mut _9;
        _12 = poll(move _11) -> [return: bb3, unwind: bb7];
    }
    bb3: {
        switchInt(move _12) -> [0: bb5, otherwise: bb4];
    }
    bb4: {
        _13 = yield(move _14) -> [resume: bb2, drop: bb6];
    }
    bb5: {
        USE
        StorageDead(_3);
        return;
    }
    bb6: {
        coroutine_drop;
    }
    bb7 (cleanup): {
        resume;
    }
";

    fn dump() -> Dump {
        let saved = |name: &str, local: &str| Saved {
            name: Some(name.to_owned()),
            local: Some(local.to_owned()),
            ..Saved::default()
        };
        Dump {
            saved: vec![saved("buf", "_3"), saved("__awaitee", "_9")],
            states: vec![vec![], vec![], vec![], vec![0, 1]],
            conflicts: Vec::new(),
        }
    }

    fn idle(used: &str) -> Vec<usize> {
        read(&BODY.replace("USE", used)).idle(&dump())
    }

    #[test]
    fn what_is_not_needed() {
        assert_eq!(idle(""), [0]);
        assert_eq!(idle("drop(_3) -> [return: bb6, unwind: bb7];"), [0]);
        assert_eq!(idle("_0 = copy _5;"), [0]);
    }

    #[test]
    fn what_is_needed() {
        for used in [
            "_0 = copy _3[_5];",
            "_0 = f(move _4) -> [return: bb6, unwind: bb7];",
            "_0 = copy (*_4)[0 of 1];",
        ] {
            assert_eq!(idle(used), [0; 0], "{used}");
        }
        // Something else may keep the reference.
        let kept = BODY.replace("len(copy _4)", "len(copy _4, copy _20)");
        let body = kept.replace("let _5", "let _20: &mut Vec<&u8>;\n    let _5");
        assert_eq!(read(&body).idle(&dump()), [0; 0]);
        let plain = body.replace("&mut Vec<&u8>", "&mut Vec<u8>");
        assert_eq!(read(&plain).idle(&dump()), [0]);
        let behind = BODY.replace("_9 = ready()", "(*_20) = copy _4;\n        _9 = ready()");
        let body = behind.replace("let _5", "let _20: &mut &[u8; 9];\n    let _5");
        assert_eq!(read(&body).idle(&dump()), [0; 0]);
        // Another form of dump.
        assert_eq!(read(&BODY.replace("resume: ", "")).idle(&dump()), [0; 0]);
    }
}
