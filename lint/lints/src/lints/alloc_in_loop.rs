//! A loop allocates in every iteration what it frees at the iteration's end.
//!
//! # Why
//! A `String` or `Vec` that is created in a loop, read and dropped costs an allocation and a free
//! per iteration. Created before the loop and cleared in it, it allocates only while it grows.
//!
//! # What it finds
//! - A `String` or `Vec` that is created in the body of a `for`, `while` or `loop`, in every
//!   iteration, and that no use moves away.
//! - The same in a method that a loop calls.
//! - A `String` that is built only to be appended to another.
//!
//! # What it leaves out
//! - Closures, paths that leave the loop or end in an error, and loops over a few written items.
//! - Lists whose elements borrow from the iteration.
//! - What each call of a function creates that calls itself, directly or through others: several
//!   are in use at once.
//!
//! # Example
//! ```
//! fn total(rows: &[Vec<u32>], out: &mut String) {
//!     for row in rows {
//!         out.push_str(&format!("{}\n", row.len()));
//!     }
//! }
//! ```
//! `writeln!(out, "{}", row.len())` writes the same without a temporary `String`.

use crate::config::Level;
use crate::finding::{Change, Confidence, Finding, Label, Multiplicity, Reason, Remedy};
use crate::ir::Type;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, header};
use crate::span::Span;
use crate::usage::body::{Site, Typed};
use crate::usage::loops::{Anew, For, What};

/// The lint.
pub static LINT: Lint = Lint {
    name: "alloc_in_loop",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("alloc_in_loop.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Code,
    claim: Claim::Rival(12),
    check: Check::Body(check),
};

/// Arrays with more elements are not suggested for the stack.
const LONGEST: u128 = 1024;

/// Label of a call in a loop.
const CALLED: &str = "called in a loop here";

/// Words in the names of functions that write output for people: `debug_draw`, `coverage_report`.
const FOR_PEOPLE: &[&str] = &["debug", "dump", "fmt", "print", "report"];

fn check(cx: &Context, body: &Typed) -> Vec<Finding> {
    if body.function.aside || !cx.model.has_heap(body.function.krate) {
        return Vec::new();
    }
    let anew = cx.loops().anew(body.function.item).iter();
    anew.filter_map(|a| finding(cx, body, a)).collect()
}

/// Returns true for output for people, and code that runs once: it need not be fast.
fn is_rare(body: &Typed) -> bool {
    let path = body.function.path.as_str();
    let last = path.rsplit("::").next().unwrap_or(path);
    path == "main" || last.split('_').any(|word| FOR_PEOPLE.contains(&word))
}

/// Returns true if there are surely many turns. One loop may have few; two, or one in a function
/// that a loop calls, have many. For a buffer that an inner loop fills, one loop around it, or around
/// its function, suffices.
const fn is_often(anew: &Anew, called: bool) -> bool {
    anew.around.is_none()
        || anew.site.loops > 1 && called
        || anew.by_loop && (anew.nested || called)
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
            let label = Label::new(at, "in this loop");
            (Confidence::Proved, true, label)
        }
        // Each call that is under way needs its own.
        None if cx.usage().calls_itself(body.function.item) => return None,
        None => {
            let call = calls.first()?;
            let keeps = method(body) && anew.used == For::Filled;
            // A loop in a function that a loop calls is nested.
            let twice = |c: &Site| anew.by_loop && !cx.loops().calls(c.function).is_empty();
            let often = calls.iter().any(|c| c.loops > 1 || twice(c));
            let label = Label::new(db.sources.origin(call.span).0, CALLED);
            (Confidence::Likely, keeps && often, label)
        }
    };
    // Clippy has this as `format_push_string`, in its restriction group.
    let appended = anew.used == For::Appended;
    let label = match anew.used {
        For::Appended => "appended, then dropped",
        For::Filled => "filled, then dropped",
        _ => "used, then dropped",
    };
    let more = calls.iter().skip(1).take(2);
    Some(Finding {
        secondary: vec![secondary],
        remedies: vec![Remedy {
            change: match (appended && !anew.same, anew.what, body.function.body.value) {
                (true, What::Format, Some(value)) => {
                    vec![Change::Appended(anew.site.span, body.node(value).span)]
                }
                _ => Vec::new(),
            },
            ..Remedy::new(remedy(anew))
        }],
        evidence: match anew.around {
            Some(_) => Vec::new(),
            None => more.map(|c| cx.model.evidence(c.span, CALLED)).collect(),
        },
        trade_off: Some(trade_off(anew).to_owned()),
        multiplicity: Multiplicity::Transient,
        confidence: match kept && is_often(anew, !calls.is_empty()) {
            true => confidence,
            false => confidence.lowered(),
        },
        against: Reason::holding([(anew.slow || anew.told || is_rare(body), Reason::Brief)]),
        ..Finding::new(message(body, anew), Label::new(span, label))
    })
}

fn message(body: &Typed, anew: &Anew) -> String {
    let what = match (anew.what, anew.local) {
        (_, Some(local)) => format!("`{}`", body.locals[local as usize].name),
        (What::Format | What::Text(_), None) => "a `String`".to_owned(),
        (What::Copy, None) => "a copy".to_owned(),
        (_, None) => "a `Vec`".to_owned(),
    };
    let fate = match (anew.around, anew.used) {
        (Some(_), For::Appended) => "anew in a loop, just to be appended",
        (Some(_), _) => "and freed anew in a loop",
        (None, _) => "and freed anew by calls from a loop",
    };
    format!("{what} is allocated {fate}")
}

/// Returns what the remedy costs.
const fn trade_off(anew: &Anew) -> &'static str {
    match (anew.used, anew.what) {
        (_, What::Format) if anew.same => "it lives longer",
        (For::Appended, _) => "`write!` returns a `Result` to handle",
        (For::Formatted, _) => "one long macro call in place of two",
        (For::Read | For::Lent, What::List(Some(n))) if n <= LONGEST => {
            "it takes room on the stack"
        }
        (For::Read | For::Lent, What::Copy) => "what is borrowed must stay as it is meanwhile",
        _ => "the reused buffer keeps its largest capacity",
    }
}

/// Returns the first line of a loop.
fn head(cx: &Context, span: Span) -> Span {
    let text = cx.model.db.sources.text(span);
    let line = text.find(['{', '\n']).unwrap_or(text.len());
    let line = text[..line].trim_end().len();
    let mut head = span;
    head.end = head.start + line.max(1) as u32;
    head
}

/// Returns true for a method that can store a buffer in its receiver.
fn method(body: &Typed) -> bool {
    let signature = &body.function.body.signature;
    signature.method && matches!(signature.inputs.first(), Some(Type::Ref(_, true)))
}

fn remedy(anew: &Anew) -> String {
    let before = match anew.around {
        Some(_) => "before the loop",
        None => "in the caller or in `self`",
    };
    let rewritten = || format!("create a `String` {before}; here `clear` it and `write!` into it");
    match (anew.used, anew.what) {
        (_, What::Format) if anew.same => format!("create it once, {before}"),
        (For::Appended, _) => "append with `write!`, without a temporary `String`".to_owned(),
        (For::Formatted, _) => "pass its arguments to the outer format macro".to_owned(),
        (For::Read, What::List(Some(n))) if n <= LONGEST => "use an array on the stack".to_owned(),
        (For::Lent, What::List(Some(n))) if n <= LONGEST => {
            "use an array on the stack, if what it is lent to takes a slice".to_owned()
        }
        (For::Filled, What::List(_)) => {
            format!("create it {before}; here `clear` and `resize` it")
        }
        (For::Filled, _) => format!("create it {before}, and `clear` it here"),
        (_, What::Format | What::Text("to_string")) => rewritten(),
        (_, What::Collected) => {
            format!("create it {before}; here `clear` and `extend` it")
        }
        (_, What::Copy) => "borrow instead of copying".to_owned(),
        _ => format!("create it {before}; here `clear` and refill it"),
    }
}
