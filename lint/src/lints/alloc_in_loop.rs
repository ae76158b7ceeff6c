//! A loop allocates in each turn what it frees at the turn's end.
//!
//! # Why
//! A text or list that is made in a loop, looked at and dropped costs an allocation and a free a
//! turn. One that is made before the loop and cleared in it costs as many as it grows.
//!
//! # What it does
//! Follows each `String` and `Vec` that is made in the body of a `for`, `while` or `loop`, in each
//! turn, to all its uses, and speaks where none moves it away. Likewise buffers of methods that
//! loops call.
//!
//! # Limits
//! Closures are not counted, nor are paths that leave the loop or end in an error, loops over a few
//! written items, and lists whose elements borrow from what the turn has. Shown with
//! `-W weigh::pedantic` alone: what is made only in some turns, beside slow things (files,
//! processes, locks on standard output, `await`), for errors, texts that are only lent or looked
//! at, and in one loop that no loop calls, unless it is a text that is appended to another.
//!
//! # Example
//! ```
//! fn total(rows: &[Vec<u32>], out: &mut String) {
//!     for row in rows {
//!         out.push_str(&format!("{}\n", row.len()));
//!     }
//! }
//! ```
//! `writeln!(out, "{}", row.len())` writes the same without a text between.

use crate::config::Level;
use crate::finding::{Confidence, Evidence, Finding, Label, Multiplicity, Remedy, Rule};
use crate::ir::Type;
use crate::judge::Concern;
use crate::lint::{Check, Context, Group, Lint};
use crate::usage::body::Typed;
use crate::usage::loops::{Anew, For, What};

/// The lint.
pub static LINT: Lint = Lint {
    name: "alloc_in_loop",
    group: Group::Heap,
    level: Level::Warn,
    source: include_str!("alloc_in_loop.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Code,
    check: Check::Body(check),
};

/// Arrays of more elements than this are no matter for the stack.
const LONGEST: u128 = 1024;

fn check(cx: &Context, body: &Typed) -> Vec<Finding> {
    if body.function.aside || !cx.model.has_heap(body.function.krate) {
        return Vec::new();
    }
    let anew = cx.loops().anew(body.function.item).iter();
    anew.filter_map(|a| finding(cx, body, a)).collect()
}

fn finding(cx: &Context, body: &Typed, anew: &Anew) -> Option<Finding> {
    let db = cx.model.db;
    let (span, written) = db.sources.origin(anew.site.span);
    if !written {
        return None;
    }
    let calls = cx.loops().calls(body.function.item);
    let (confidence, kept, secondary) = match anew.around {
        Some(around) => {
            let at = head(cx, db.sources.origin(body.node(around).span).0);
            let text = "in each turn of this loop".to_owned();
            (Confidence::Proved, true, Label { span: at, text })
        }
        None => {
            let call = calls.first()?;
            let keeps = method(body) && anew.used == For::Filled;
            let often = calls.iter().any(|c| c.loops > 1);
            let span = db.sources.origin(call.span).0;
            let text = "this call stands in a loop".to_owned();
            (Confidence::Likely, keeps && often, Label { span, text })
        }
    };
    // What prints for debugging, and what runs once, may take its time.
    let path = body.function.path.as_str();
    let rare = path == "main" || path.ends_with("::fmt");
    // One loop may be short; what is in two, of a function that a loop calls, has many turns.
    let often = anew.around.is_none() || anew.site.loops > 1 && !calls.is_empty();
    // To keep a text that is only shown to a call takes more lines than it may be worth.
    let shown = matches!(anew.what, What::Format | What::Text(_))
        && matches!(anew.used, For::Lent | For::Read);
    // Clippy has this as `format_push_string`, in its restriction group.
    let appended = anew.used == For::Appended;
    let doubts = [
        (!kept || !often, Rule::OneLoop),
        (!anew.always || shown || appended, Rule::SmallSaving),
        (anew.slow || anew.told || rare, Rule::ShortLived),
    ];
    let name = anew.local.map(|l| body.locals[l as usize].name);
    let what = match (anew.what, name) {
        (_, Some(name)) => format!("`{name}`"),
        (What::Format, None) => "a text".to_owned(),
        (What::Copy, None) => "a copy".to_owned(),
        (What::Text(_), None) => "a text".to_owned(),
        (_, None) => "a list".to_owned(),
    };
    let message = match anew.around {
        Some(_) if anew.used == For::Appended => {
            format!("{what} is allocated in each turn only to be appended to another")
        }
        Some(_) => format!("{what} is allocated and freed in each turn"),
        None => format!("{what} is allocated and freed in each call, and a loop calls"),
    };
    Some(Finding {
        message,
        primary: Label {
            span,
            text: match anew.used {
                For::Appended => "appended, and gone".to_owned(),
                For::Filled => "filled, and gone at the end of it".to_owned(),
                _ => "only looked at".to_owned(),
            },
        },
        claims: Vec::new(),
        secondary: vec![secondary],
        field: None,
        size_before: None,
        parts: None,
        remedies: vec![Remedy {
            title: remedy(anew),
            size_after: None,
            ripple: Vec::new(),
            fix: None,
        }],
        evidence: match anew.around {
            Some(_) => Vec::new(),
            None => calls.iter().skip(1).take(2).map(place(cx)).collect(),
        },
        trade_off: Some(match anew.used {
            For::Filled | For::Read => "what is kept holds its largest size".to_owned(),
            _ => "a little more to write".to_owned(),
        }),
        notes: Vec::new(),
        multiplicity: Multiplicity::Transient,
        confidence,
        slot: None,
        bulk: false,
        doubts: Rule::holding(doubts),
    })
}

fn place<'c>(cx: &'c Context) -> impl Fn(&crate::usage::body::Site) -> Evidence + 'c {
    |site| Evidence {
        span: Some(cx.model.db.sources.origin(site.span).0),
        text: "a loop calls it here".to_owned(),
    }
}

/// The first line of a loop.
fn head(cx: &Context, span: crate::span::Span) -> crate::span::Span {
    let text = cx.model.db.sources.text(span);
    let line = text.find(['{', '\n']).unwrap_or(text.len());
    let line = text[..line].trim_end().len();
    let mut head = span;
    head.end = head.start + line.max(1) as u32;
    head
}

/// True for a method that can keep a buffer in what it is called on.
fn method(body: &Typed) -> bool {
    let signature = &body.function.body.signature;
    signature.method && matches!(signature.inputs.first(), Some(Type::Ref(_, true)))
}

fn remedy(anew: &Anew) -> String {
    let before = match anew.around {
        Some(_) => "before the loop",
        None => "in what the method is called on",
    };
    let text = match (anew.used, anew.what) {
        (For::Appended, _) => "append with `write!`, without a text between",
        (For::Formatted, _) => "hand its parts to the format around it",
        (_, What::List(Some(n))) if n <= LONGEST => "an array on the stack",
        (For::Filled, _) => return format!("make it {before}, and `clear` it here"),
        (_, What::Format) => {
            return format!("make a `String` {before}; here `clear` it and `write!` into it");
        }
        (_, What::Collected) => {
            return format!("make it {before}; here `clear` and `extend` it, or do without");
        }
        (_, What::Copy) => "lend what it is copied from",
        (_, What::Text("to_string")) => {
            return format!("make a `String` {before}; here `clear` it and `write!` into it");
        }
        _ => return format!("make it {before}; here `clear` it and fill it"),
    };
    text.to_owned()
}
