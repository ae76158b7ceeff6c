//! Internal faults: a panic is caught around each unit of work, the rest of the run continues, and
//! the fault is reported at the end as a bug of `cargo weigh`.
//!
//! `budget` defines every limit: recursion depth, steps per query, steps and bytes per run. A
//! query that exceeds its budget is unknown with a reason, and the rest of the run continues.
//! Which query meets an exhausted limit of the run depends on the order of threads, so no real
//! project may exhaust one: that of macro output grows with the source that is read. `fault`
//! catches panics around each file, module, layout, body and lint, and reports them at the end as
//! bugs of `cargo weigh`.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A panic, as it is reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The unit of work that panicked.
    pub work: String,
    /// The panic message.
    pub message: String,
    /// File, line and column in our source code.
    pub at: String,
}

static FAULTS: Mutex<Vec<Fault>> = Mutex::new(Vec::new());

thread_local! {
    /// Message and location of the last panic of this thread.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Installs a panic hook that prints nothing and stores the panic for [`guard`].
pub fn keep_quiet() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo| {
        let at = info.location().map_or_else(String::new, |l| l.to_string());
        let message = info.payload_as_str().unwrap_or("no message");
        let message = message.lines().next().unwrap_or_default().to_owned();
        LAST.with_borrow_mut(|last| *last = Some((message, at)));
    }));
}

/// Runs `does`; on a panic the fault is recorded and the result is `None`.
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

/// Returns true if a fault was recorded.
pub fn any() -> bool {
    !FAULTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .is_empty()
}

/// Takes the recorded faults: each location in our code once, with the first unit of work.
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

/// Panics in the unit of work whose description starts with the value of `WEIGH_PROVOKE_FAULT`, for
/// tests of the built program, which cannot cause a panic otherwise. Debug builds only.
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
