//! The worth of a finding, 0 to 100: one sum of weighted signals, and the only place where numbers
//! decide what is said.
//!
//! The weights are fitted to `tests/judged` by `tests/judged/judged.py`, which prints the table below.

use super::signals::Signals;

/// A signal as it enters the sum.
struct Term {
    /// Its name in JSON.
    name: &'static str,
    /// What it is, for the documentation.
    doc: &'static str,
    weight: f64,
    /// Its value, from the facts.
    value: fn(&Signals) -> f64,
    /// What it says of the code; empty if that is nothing.
    words: fn(&Signals) -> String,
}

/// The sum for a finding of which nothing is known.
const BASE: f64 = -3.944;

fn ln(n: u32) -> f64 {
    f64::from(n).ln_1p()
}

/// A share of 0 to 1.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn count(n: u32, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{s}")
}

/// The sum's terms.
const TERMS: [Term; 12] = [
    Term {
        name: "central",
        doc: "places that build the type, take it apart or name a field of it: their logarithm, as a share of that of the most used type of the package",
        weight: 2.406,
        value: |s| match s.most_places {
            // Without code nothing is known of it.
            0 => 0.5,
            most => share(ln(s.places), ln(most)),
        },
        words: |s| {
            let places = count(s.places, "place");
            let most = s.most_places;
            format!("{places} in the code use it; the most used type of its package has {most}")
        },
    },
    Term {
        name: "saved",
        doc: "bytes that the best remedy saves of what is stored many times, or of one value: their logarithm",
        weight: 0.206,
        value: |s| (s.saved as f64).ln_1p(),
        words: |s| format!("the best remedy saves {} bytes", s.saved),
    },
    Term {
        name: "built_share",
        doc: "share of the places that build a value which build the part for the heap",
        weight: -1.880,
        value: |s| share(f64::from(s.built), f64::from(s.all_built)),
        words: |s| {
            let places = count(s.all_built, "place");
            match s.contents {
                0 => format!("the part for the heap is built at {} of {places}", s.built),
                _ => format!("{} of {places} that count store what may not fit", s.built),
            }
        },
    },
    Term {
        name: "ripple",
        doc: "other types that shrink with it: the logarithm of their number",
        weight: 0.151,
        value: |s| ln(s.ripple),
        words: |s| match s.ripple {
            1 => "1 more type shrinks".to_owned(),
            n => format!("{n} more types shrink"),
        },
    },
    Term {
        name: "saved_share",
        doc: "share of the bytes that the best remedy saves",
        weight: 1.286,
        value: |s| share(s.saved as f64, s.size as f64),
        words: |s| format!("it saves {} of {} bytes", s.saved, s.size),
    },
    Term {
        name: "moves",
        doc: "places that copy a value of more than 128 bytes into a collection or channel: the logarithm of their number",
        weight: 0.189,
        value: |s| ln(s.moves),
        words: |s| {
            format!(
                "copied whole into collections at {}",
                count(s.moves, "place")
            )
        },
    },
    Term {
        name: "stored",
        doc: "fields that store many values, and collections around these: the logarithm of their number",
        weight: 0.111,
        value: |s| ln(s.stored),
        words: |s| match s.stored {
            1 => "1 field or collection stores it".to_owned(),
            n => format!("{n} fields and collections store it, recursion counted as two"),
        },
    },
    Term {
        name: "changes",
        doc: "boxes and other changes that the remedy takes: the logarithm of their number",
        weight: -0.264,
        value: |s| ln(s.changes),
        words: |s| format!("it takes {}", count(s.changes, "change")),
    },
    Term {
        name: "contents",
        doc: "1 where fields are seen to hold what needs no heap block (`small_string`, `copied_text`, `small_vec`, `tiny_allocation`)",
        weight: 0.982,
        value: |s| f64::from(s.contents),
        words: |_| "what its fields hold needs no heap block".to_owned(),
    },
    Term {
        name: "structs",
        doc: "1 for a struct as a whole, or what it rarely holds (`large_move`, `wide_option`)",
        weight: -1.650,
        value: |s| f64::from(s.structs),
        words: |_| "about a struct as a whole, or what it rarely holds".to_owned(),
    },
    Term {
        name: "few",
        doc: "1 if there is one value a run, by its name, its derives or all that holds it",
        weight: -1.445,
        value: |s| f64::from(s.few),
        words: |_| "there are few values".to_owned(),
    },
    Term {
        name: "aside",
        doc: "1 in tools, tests and examples of a workspace",
        weight: -5.261,
        value: |s| f64::from(s.aside),
        words: |_| "in a tool, test or example".to_owned(),
    },
];

/// The sum in words: its base, and the name, weight and meaning of each signal.
pub fn table() -> (f64, Vec<(&'static str, f64, &'static str)>) {
    let terms = TERMS.iter().map(|t| (t.name, t.weight, t.doc));
    (BASE, terms.collect())
}

/// What a signal adds to the sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name in JSON.
    pub name: &'static str,
    adds: f64,
    /// What it says of the code.
    pub words: String,
}

impl Part {
    /// With its sign and one decimal.
    pub fn points(&self) -> String {
        format!("{:+.1}", self.adds)
    }

    /// With two decimals.
    pub fn rounded(&self) -> f64 {
        (self.adds * 100.0).round() / 100.0
    }
}

/// How likely an author would act on a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worth {
    sum: f64,
    signals: Signals,
}

impl Worth {
    /// The worth of a finding with these facts.
    pub fn of(signals: Signals) -> Worth {
        let parts = TERMS.iter().map(|t| t.weight * (t.value)(&signals));
        Worth {
            sum: BASE + parts.sum::<f64>(),
            signals,
        }
    }

    /// What is asked for by an author: a limit, a comment.
    pub fn asked() -> Worth {
        Worth {
            sum: f64::INFINITY,
            signals: Signals::default(),
        }
    }

    /// 0 to 100.
    pub fn percent(&self) -> u8 {
        (self.chance() * 100.0).round() as u8
    }

    /// 0 to `u32::MAX`, for an order without ties.
    pub(super) fn fine(&self) -> u32 {
        (self.chance() * f64::from(u32::MAX)) as u32
    }

    fn chance(&self) -> f64 {
        1.0 / (1.0 + (-self.sum).exp())
    }

    /// The facts.
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// What each signal adds to the sum, the largest first; nothing for what an author asked for.
    pub fn parts(&self) -> Vec<Part> {
        if self.sum.is_infinite() {
            return Vec::new();
        }
        let part = |t: &Term| {
            let adds = t.weight * (t.value)(&self.signals);
            (adds != 0.0).then(|| Part {
                name: t.name,
                adds,
                words: (t.words)(&self.signals),
            })
        };
        let mut parts: Vec<_> = TERMS.iter().filter_map(part).collect();
        parts.sort_by(|a, b| b.adds.abs().total_cmp(&a.adds.abs()));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals() -> Signals {
        Signals {
            size: 72,
            saved: 32,
            stored: 3,
            ripple: 1,
            built: 2,
            all_built: 8,
            places: 40,
            most_places: 90,
            moves: 0,
            changes: 1,
            contents: 0,
            structs: 0,
            few: 0,
            aside: 0,
        }
    }

    /// A signal is worth its place only if it can move the figure, in the direction that makes sense.
    #[test]
    fn each_signal_moves_the_worth_in_its_direction() {
        let than = |change: fn(&mut Signals)| {
            let mut other = signals();
            change(&mut other);
            Worth::of(other).sum - Worth::of(signals()).sum
        };
        let up: [fn(&mut Signals); 7] = [
            |s| s.places = 80,
            |s| (s.size, s.saved) = (144, 64),
            |s| s.ripple = 5,
            |s| s.saved = 60,
            |s| s.moves = 9,
            |s| s.stored = 9,
            |s| s.contents = 1,
        ];
        let down: [fn(&mut Signals); 6] = [
            |s| s.few = 1,
            |s| s.built = 7,
            |s| s.most_places = 900,
            |s| s.changes = 4,
            |s| s.structs = 1,
            |s| s.aside = 1,
        ];
        assert!(up.into_iter().all(|change| than(change) > 0.0));
        assert!(down.into_iter().all(|change| than(change) < 0.0));
        assert_eq!(TERMS.len(), 12, "each has its case here");
    }

    #[test]
    fn what_is_asked_for_has_all_worth_and_no_signals() {
        let asked = Worth::asked();
        assert_eq!((asked.percent(), asked.parts()), (100, Vec::new()));
        assert_eq!(Worth::of(signals()).parts().len(), 7);
    }
}
