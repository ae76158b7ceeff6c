//! Faults of ours: a panic is caught where it happened, so that the rest goes on, and said at the
//! end as what it is.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Where a panic came from, for who reports it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// What was being worked on.
    pub work: String,
    /// What the panic said.
    pub message: String,
    /// File, line and column of our own code.
    pub at: String,
}

static FAULTS: Mutex<Vec<Fault>> = Mutex::new(Vec::new());

thread_local! {
    /// What the last panic of this thread said, and where.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Has panics say nothing by themselves: whoever catches one keeps it.
pub fn keep_quiet() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo| {
        let at = info.location().map_or_else(String::new, |l| l.to_string());
        let message = info.payload_as_str().unwrap_or("no message");
        let message = message.lines().next().unwrap_or_default().to_owned();
        LAST.with_borrow_mut(|last| *last = Some((message, at)));
    }));
}

/// Does some work; `None` if it panics, which is kept.
pub fn guard<T>(work: impl Fn() -> String, does: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        provoke(&work);
        does()
    }));
    match result {
        Ok(value) => Some(value),
        Err(_) => {
            let (message, at) = LAST.take().unwrap_or_default();
            let fault = Fault {
                work: work(),
                message,
                at,
            };
            let mut faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
            if !faults.contains(&fault) {
                faults.push(fault);
            }
            None
        }
    }
}

/// True if something went wrong so far.
pub fn any() -> bool {
    !FAULTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .is_empty()
}

/// What went wrong, each place in our code once, with the first work that led there.
pub fn take() -> Vec<Fault> {
    let mut faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut list = std::mem::take(&mut *faults);
    list.sort();
    let mut seen = Vec::new();
    list.retain(|fault| {
        let new = !seen.contains(&fault.at);
        seen.push(fault.at.clone());
        new
    });
    list
}

/// For tests of the built program, which have no other way to find a panic: one at the work that
/// begins with what this variable says. Not in a release.
fn provoke(work: &impl Fn() -> String) {
    static AT: LazyLock<Option<String>> = LazyLock::new(|| {
        let name = std::env::var("WEIGH_PROVOKE_FAULT").ok();
        name.filter(|_| cfg!(debug_assertions))
    });
    if let Some(at) = AT.as_ref()
        && work().starts_with(at)
    {
        panic!("provoked");
    }
}
