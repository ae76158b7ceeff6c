//! A type is larger than the limit that its author has set.
//!
//! # Why
//! `#[assert_size(max = …)]` says what a type may cost. The compiler refuses the type when it is
//! larger; this lint says so before anything is compiled, with the fields to blame.
//!
//! # What it finds
//! - `#[assert_size(max = …)]` of `weigh-derive`, with its conditions (`cfg`, `pointer_width`) and
//!   instances (`for(T = …)`), compared with the size for the target that is analysed.
//! - Nameless constants: `const _: () = assert!(size_of::<T>() <= 64);`, `const_assert!` and
//!   `assert_eq_size!` of `static_assertions`, arrays of two lengths as in rustc's
//!   `static_assert_size!`, and `weigh_derive::assert_size!(T, max = 64);`.
//! - Budgets in `Cargo.toml`, by the path from the crate's root. A budget for a type that does not
//!   exist is reported. The name of a future, as `cargo weigh futures` lists it, is a path too: such
//!   a budget is held against what that command found last, if nothing has changed since.
//!
//! ```toml
//! [package.metadata.weigh]
//! budgets = { "ast::Expr" = 64, "ast::Node<u32>" = 96, "server::handle" = 4096 }
//! ```
//!
//! # What it leaves out
//! - Assertions other than `max`, limits whose value is not understood, and types whose size is
//!   not known: these are left to the compiler.
//!
//! # Example
//! ```compile_fail
//! use weigh_derive::AssertSize;
//!
//! #[derive(AssertSize)]
//! #[assert_size(max = 16)]
//! struct Entry {
//!     name: String,
//!     hits: u64,
//! }
//! ```
//! is 32 bytes, 16 over its limit: `name` has 24 of them.

use crate::config::Level;
use crate::coroutines::Coroutine;
use crate::finding::{Finding, Label, Parts};
use crate::ir::AdtKind;
use crate::layout::view::View;
use crate::lint::futures::SAVED_PERCENT;
use crate::lint::words::of_size;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, futures, header};
use crate::model::TypeInfo;
use crate::resolve::CrateIx;

/// The lint.
pub static LINT: Lint = Lint {
    name: "over_budget",
    group: Group::Budget,
    level: Level::Deny,
    header: header!("over_budget.rs"),
    settings: &[SAVED_PERCENT],
    clippy: &[],
    concern: Concern::Asked,
    claim: Claim::None,
    check: Check::Sized(|cx, info| found(check(cx, info), NONE), check_future),
};

/// Why there is no finding for a type.
const NONE: &str = "no limit on it is exceeded";

fn check(cx: &Context, info: &TypeInfo) -> Option<Finding> {
    let model = cx.model;
    let over = cx.budgets(info).into_iter().find_map(|budget| {
        let view = model.view(budget.ty).ok()?;
        (view.size > budget.max).then_some((budget, view))
    });
    let (budget, view) = over?;
    let (limit, _) = model.db.sources.origin(budget.span);
    let name = model.db.display(budget.ty);
    let (size, max) = (view.size, budget.max);
    let message = format!(
        "`{name}` is {size} bytes, {} over its limit of {max}",
        size - max
    );
    Some(Finding {
        secondary: vec![Label::new(limit, format!("at most {max} bytes"))],
        size_before: Some(size),
        parts: Some(parts(&view)),
        ..Finding::new(message, of_size(info, size))
    })
}

fn check_future(cx: &Context, krate: CrateIx, future: &Coroutine) -> Vec<Finding> {
    let limits = cx.limits_of_futures(krate);
    let limits = limits.filter(|limit| future.is_named(limit.future()));
    let least = limits.min_by_key(|limit| limit.max);
    let over = least.filter(|limit| future.size > limit.max);
    let over = over.and_then(|limit| {
        let (size, max) = (future.size, limit.max);
        let message = format!(
            "the future `{}` is {size} bytes, {} over its limit of {max}",
            future.name,
            size - max
        );
        let (limit, _) = cx.model.db.sources.origin(limit.span);
        Some(Finding {
            secondary: vec![Label::new(limit, format!("at most {max} bytes"))],
            ..futures::finding(cx, (&LINT, krate), future, (max, message))?
        })
    });
    over.into_iter().collect()
}

/// Returns the largest fields, or variants of an enum.
fn parts(view: &View) -> Parts {
    let variants = view.variants.iter();
    match view.kind {
        Some(AdtKind::Enum) => {
            let rows = variants.map(|v| (v.name.to_string(), v.size));
            Parts::widest("bytes of each variant's fields", rows)
        }
        _ => {
            let fields = variants.flat_map(|v| &v.fields);
            let rows = fields.map(|f| (f.name.to_string(), f.size));
            Parts::widest("bytes of each field", rows)
        }
    }
}
