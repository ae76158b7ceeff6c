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

/// Records a named moment, through the preloaded recorder if there is one.
#[cfg(all(target_os = "linux", not(weigh_preload)))]
pub(crate) fn moment(label: &str, root: *const (), table: *const ()) {
    // SAFETY: the name is NUL-terminated; a function of this name is that of `preload`.
    unsafe {
        unsafe extern "C" {
            fn dlsym(library: *mut u8, name: *const u8) -> *const ();
        }
        type Label = unsafe extern "C" fn(*const u8, usize, usize, usize);
        static LOADED: std::sync::OnceLock<Option<Label>> = std::sync::OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            let found = dlsym(std::ptr::null_mut(), c"weigh_heap_label".as_ptr().cast());
            (!found.is_null()).then(|| std::mem::transmute::<*const (), Label>(found))
        });
        match loaded {
            Some(function) => function(label.as_ptr(), label.len(), root as usize, table as usize),
            None => {
                recorder::label(label.as_bytes(), root as usize, table as usize);
            }
        }
    }
}

/// Records a named moment: no recorder is preloaded on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn moment(label: &str, root: *const (), table: *const ()) {
    recorder::label(label.as_bytes(), root as usize, table as usize);
}
