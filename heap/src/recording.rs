//! The implementation for systems where programs are recorded.

#[cfg(not(weigh_preload))]
mod allocator;
mod before;
mod dump;
#[cfg(weigh_preload)]
mod preload;
mod processor;
mod recorder;
#[cfg_attr(target_os = "macos", path = "macos.rs")]
mod sys;

extern "C" fn end() {
    recorder::end();
}

/// Runs at exit, after the program's own destructors: blocks that were never freed are still live.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// Returns the function of this name in the preloaded recorder, if one is loaded.
#[cfg(all(target_os = "linux", not(weigh_preload)))]
fn preloaded(name: &std::ffi::CStr) -> Option<*const ()> {
    unsafe extern "C" {
        fn dlsym(library: *mut u8, name: *const u8) -> *const ();
    }
    // SAFETY: the name is NUL-terminated.
    let found = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr().cast()) };
    (!found.is_null()).then_some(found)
}

/// Records a named moment, through the preloaded recorder if there is one.
#[cfg(all(target_os = "linux", not(weigh_preload)))]
pub(crate) fn moment(label: &str, root: *const (), table: *const ()) {
    type Label = unsafe extern "C" fn(*const u8, usize, usize, usize);
    static LOADED: std::sync::OnceLock<Option<Label>> = std::sync::OnceLock::new();
    // SAFETY: a function of this name is that of `preload`.
    let find = |found| unsafe { std::mem::transmute::<*const (), Label>(found) };
    match LOADED.get_or_init(|| preloaded(c"weigh_heap_label").map(find)) {
        // SAFETY: the name has these bytes.
        Some(label_at) => unsafe {
            label_at(label.as_ptr(), label.len(), root as usize, table as usize);
        },
        None => recorder::label(label.as_bytes(), root as usize, table as usize),
    }
}

/// The type of `weigh_heap_ask` in `preload.rs`.
#[cfg(not(weigh_preload))]
type Ask = unsafe extern "C" fn(*const u8, usize, usize, usize, u64, *mut u64, usize) -> u64;

/// Returns what asks in the preloaded recorder, if one is loaded.
#[cfg(all(target_os = "linux", not(weigh_preload)))]
fn loaded() -> Option<Ask> {
    static LOADED: std::sync::OnceLock<Option<Ask>> = std::sync::OnceLock::new();
    // SAFETY: a function of this name is that of `preload`.
    let find = |found| unsafe { std::mem::transmute::<*const (), Ask>(found) };
    *LOADED.get_or_init(|| preloaded(c"weigh_heap_ask").map(find))
}

/// Returns nothing: no recorder is preloaded on this system.
#[cfg(not(target_os = "linux"))]
fn loaded() -> Option<Ask> {
    None
}

/// Has `cargo weigh` count, through the preloaded recorder if there is one.
#[cfg(not(weigh_preload))]
pub(crate) fn ask(question: &crate::heap::Question<'_>, into: &mut [u64]) -> u64 {
    let (label, since) = (question.label, question.since);
    let (root, table) = (question.root as usize, question.table as usize);
    match loaded() {
        // SAFETY: the name has these bytes, and the words are for the answer.
        Some(ask) => unsafe {
            let (words, number) = (into.as_mut_ptr(), into.len());
            ask(
                label.as_ptr(),
                label.len(),
                root,
                table,
                since,
                words,
                number,
            )
        },
        None => recorder::ask(label.as_bytes(), root, table, since, into),
    }
}

/// Records a named moment: no recorder is preloaded on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn moment(label: &str, root: *const (), table: *const ()) {
    recorder::label(label.as_bytes(), root as usize, table as usize);
}
