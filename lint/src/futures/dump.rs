//! rustc's dump of a coroutine, read: what is saved where, which variables are in use at once, and
//! where they are declared.

use rustc_hash::FxHashMap;

/// A dump of a coroutine after its transformation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// The saved variables, in rustc's order.
    pub saved: Vec<Saved>,
    /// The variables of each state, by their numbers.
    pub states: Vec<Vec<usize>>,
    /// Pairs of variables whose storage is in use at once.
    pub conflicts: Vec<(usize, usize)>,
}

/// A variable that lives across an await.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Its type, in the words of the dump.
    pub ty: String,
    /// Where it is declared; of what is awaited, the expression with `.await`.
    pub span: Option<Span>,
    /// Its name; none of a temporary.
    pub name: Option<String>,
    /// The number of the argument or captured variable that is moved into it.
    pub upvar: Option<usize>,
    /// What the dump before the transformation calls it, such as `_5`.
    pub local: Option<String>,
}

/// A range in a file, lines and columns from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// As rustc was given it.
    pub file: String,
    /// Line and column of the start.
    pub start: (u32, u32),
    /// Line and column behind the end.
    pub end: (u32, u32),
    /// It is in the expansion of a macro, or of `.await`.
    pub expanded: bool,
}

/// Reads a dump; `None` if it is not of the form that is known.
pub fn read(after: &str) -> Option<Dump> {
    let (_, layout) = after.split_once("/* coroutine_layout = CoroutineLayout {")?;
    let (layout, code) = layout.split_once("\n} */")?;
    let (fields, rest) = layout.split_once("    variant_fields: {")?;
    let (variants, conflicts) = rest.split_once("    storage_conflicts: BitMatrix(")?;
    let mut dump = Dump {
        saved: fields_of(fields)?,
        ..Dump::default()
    };
    for text in variants.split(']').filter(|text| text.contains('[')) {
        let (_, list) = text.rsplit_once('[')?;
        let words = list.split(',').map(str::trim).filter(|w| !w.is_empty());
        dump.states.push(words.map(number).collect::<Option<_>>()?);
    }
    let (_, pairs) = conflicts.split_once('{')?;
    for text in pairs.split('(').skip(1) {
        let (pair, _) = text.split_once(')')?;
        let (a, b) = pair.split_once(',')?;
        dump.conflicts.push((number(a.trim())?, number(b.trim())?));
    }
    let count = dump.saved.len();
    let all = dump.states.iter().flatten();
    let paired = dump.conflicts.iter().flat_map(|(a, b)| [a, b]);
    if all.chain(paired).any(|local| *local >= count) {
        return None;
    }
    dump.name(code);
    Some(dump)
}

/// The number in `_s3`, in earlier releases `_3`.
fn number(word: &str) -> Option<usize> {
    let word = word.strip_prefix('_')?;
    word.strip_prefix('s').unwrap_or(word).parse().ok()
}

fn fields_of(text: &str) -> Option<Vec<Saved>> {
    let mut list = Vec::new();
    for (at, text) in text.split(": CoroutineSavedTy {").enumerate().skip(1) {
        let (_, text) = text.split_once("ty: ")?;
        let (ty, rest) = text.split_once("source_info: SourceInfo {")?;
        let lines = ty.lines().map(str::trim);
        let ty: String = lines.collect::<Vec<_>>().join(" ");
        let span = rest.lines().find_map(|l| l.trim().strip_prefix("span: "));
        debug_assert_eq!(list.len() + 1, at);
        list.push(Saved {
            ty: ty.trim_end_matches([',', ' ']).to_owned(),
            span: span.and_then(span_of),
            ..Saved::default()
        });
    }
    Some(list)
}

/// Reads `src/main.rs:12:13: 13:23 (#29)`.
fn span_of(text: &str) -> Option<Span> {
    let text = text.trim_end_matches(',');
    let (text, context) = text.rsplit_once(" (#").unwrap_or((text, "0)"));
    let (start, end) = text.rsplit_once(": ")?;
    let (file, column) = start.rsplit_once(':')?;
    let (file, line) = file.rsplit_once(':')?;
    let (end_line, end_column) = end.split_once(':')?;
    Some(Span {
        file: file.to_owned(),
        start: (line.parse().ok()?, column.parse().ok()?),
        end: (end_line.parse().ok()?, end_column.parse().ok()?),
        expanded: context != "0)",
    })
}

impl Dump {
    /// The number of the variable at a place such as `(((*_55) as variant#4).0: server::Big)`.
    fn variable(&self, place: &str) -> Option<usize> {
        let (_, text) = place.split_once(" as variant#")?;
        let (state, text) = text.split_once(").")?;
        let (field, _) = text.split_once(':')?;
        let state = self.states.get(state.parse::<usize>().ok()?)?;
        state.get(field.parse::<usize>().ok()?).copied()
    }

    /// Takes names from the code.
    fn name(&mut self, code: &str) {
        for line in code.lines().map(str::trim) {
            if let Some((name, place)) = debugged(line) {
                // A part of a variable is no variable.
                let whole = place.starts_with("(((");
                if let Some(local) = self.variable(place).filter(|_| whole) {
                    let saved = &mut self.saved[local];
                    saved.name.get_or_insert_with(|| name.to_owned());
                }
            }
        }
    }

    /// Takes from the dump before the transformation what it calls the named variables, and which
    /// arguments are moved into them: both have the same list of names.
    pub fn join(&mut self, after: &str, before: &str) {
        let text = before;
        let names = |text: &str| -> Vec<(String, String)> {
            let lines = text.lines().map(str::trim).filter_map(debugged);
            lines.map(|(n, p)| (n.to_owned(), p.to_owned())).collect()
        };
        let (after, before) = (names(after), names(before));
        let same =
            after.len() == before.len() && after.iter().zip(&before).all(|(a, b)| a.0 == b.0);
        if !same {
            return;
        }
        let mut locals: FxHashMap<usize, String> = FxHashMap::default();
        for ((_, place), (_, local)) in after.iter().zip(&before) {
            if place.starts_with("(((")
                && is_local(local)
                && let Some(saved) = self.variable(place)
            {
                locals.insert(saved, local.clone());
            }
        }
        for (saved, local) in locals {
            self.saved[saved].local = Some(local);
        }
        for (to, from) in text.lines().filter_map(|l| l.trim().split_once(" = ")) {
            let from = from.strip_prefix("move ").or(from.strip_prefix("copy "));
            let part = from.and_then(|from| from.strip_prefix("(_1.")?.split_once(':'));
            if let Some(upvar) = part.and_then(|(number, _)| number.parse().ok()) {
                let mut all = self.saved.iter_mut();
                let saved = all.find(|saved| saved.local.as_deref() == Some(to));
                saved
                    .into_iter()
                    .for_each(|saved| saved.upvar = Some(upvar));
            }
        }
    }
}

/// Whether a place is a whole variable of the function.
fn is_local(place: &str) -> bool {
    place
        .strip_prefix('_')
        .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Name and place in `debug buf => _5;`.
fn debugged(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("debug ")?.strip_suffix(';')?;
    line.split_once(" => ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As rustc 1.95 has it, shortened.
    const AFTER: &str = "\
// MIR for `f::{closure#0}` after StateTransform
/* coroutine_layout = CoroutineLayout {
    field_tys: {
        _s0: CoroutineSavedTy {
            ty: Big,
            source_info: SourceInfo {
                span: src/main.rs:6:25: 6:26 (#0),
                scope: scope[0],
            },
            ignore_for_traits: false,
        },
        _s1: CoroutineSavedTy {
            ty: Coroutine(
                DefId(0:12 ~ x[b051]::leaf::{closure#0}),
                [
                    (),
                ],
            ),
            source_info: SourceInfo {
                span: src/main.rs:8:9: 9:21 (#27),
                scope: scope[3],
            },
            ignore_for_traits: false,
        },
    },
    variant_fields: {
        Unresumed(0): [],
        Returned (1): [],
        Panicked (2): [],
        Suspend0 (3): [_s0, _s1],
    },
    storage_conflicts: BitMatrix(2x2) {
        (_s0, _s0),
        (_s0, _s1),
        (_s1, _s0),
    },
} */

fn f::{closure#0}(_1: Pin<&mut {async fn body of f()}>, _2: &mut Context<'_>) -> Poll<usize> {
    debug b => ((*_55).0: Big);
    scope 1 {
        debug b => (((*_55) as variant#3).0: Big);
        debug __awaitee => (((*_55) as variant#3).1: {async fn body of leaf()});
    }
    bb0: {
        return;
    }
}
";

    const BEFORE: &str = "
    debug b => (_1.0: Big);
        debug b => _3;
        debug __awaitee => _9;
        _3 = move (_1.0: Big);
        _9 = move (_2.0: Other);
";

    #[test]
    fn of_a_release() {
        let mut dump = read(AFTER).unwrap();
        dump.join(AFTER, BEFORE);
        assert_eq!(dump.states, [vec![], vec![], vec![], vec![0, 1]]);
        assert_eq!(dump.conflicts, [(0, 0), (0, 1), (1, 0)]);
        let [big, awaited] = &dump.saved[..] else {
            panic!("{dump:?}");
        };
        assert_eq!((big.name.as_deref(), big.upvar), (Some("b"), Some(0)));
        assert_eq!((big.local.as_deref(), awaited.upvar), (Some("_3"), None));
        let span = awaited.span.as_ref().unwrap();
        assert_eq!(
            (span.start, span.end, span.expanded),
            ((8, 9), (9, 21), true)
        );
        assert!(awaited.ty.starts_with("Coroutine( DefId"));
        let older = AFTER.replace("_s", "_");
        assert_eq!(read(&older).map(|d| d.states), Some(dump.states));
    }

    #[test]
    fn of_an_unknown_form() {
        for (from, to) in [
            ("coroutine_layout", "layout"),
            ("_s1]", "_s7]"),
            ("(_s0, _s1)", "(_s0, _s9)"),
            ("_s0, _s1]", "s0, s1]"),
            ("variant_fields", "variants"),
        ] {
            assert_eq!(read(&AFTER.replace(from, to)), None, "{from}");
        }
        assert_eq!(read(""), None);
    }
}
