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
    let ends = numbers
        .into_iter()
        .filter_map(|n| body.blocks[n].lines.last());
    let yields = ends.filter(|line| line.contains(" = yield("));
    body.resumed = yields.filter_map(|line| target(line, "resume: ")).collect();
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
            lines().any(|line| {
                whole.iter().any(|text| {
                    line.match_indices(&**text).any(|(at, _)| {
                        let after = line[at + text.len()..].chars().next();
                        !after.is_some_and(|c| c.is_ascii_digit() || c == '.' || c == '[')
                    })
                })
            })
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
