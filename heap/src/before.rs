//! What is read of the process before it is copied: its other threads exist only there, and malloc's
//! own functions may be called only there.

use super::recorder::plan;
use super::sys;

/// The most threads whose stack pointers are kept.
const SLEEPERS: usize = 4096;

/// Bytes for texts of the kernel, half of them for the names of threads: 32 for each.
const TEXT: usize = SLEEPERS * 64;

/// Bytes that are reserved for all of it.
pub(crate) const BYTES: usize = size_of::<Before>();

/// What was read, in memory of its own: a thread may have little stack left.
#[repr(C)]
pub(crate) struct Before {
    /// Pages that are resident, and those of them that belong to files.
    pub(crate) resident: [usize; 2],
    /// What malloc says.
    pub(crate) malloc: sys::Malloc,
    sleeping: usize,
    stacks: [usize; SLEEPERS],
    text: [u8; TEXT],
}

impl Before {
    /// Returns the stack pointers of the threads that were waiting in the kernel.
    pub(crate) fn stacks(&self) -> &[usize] {
        &self.stacks[..self.sleeping.min(SLEEPERS)]
    }
}

/// Reads all of it; what malloc says, only in a thread of the program, as it may not lock in a
/// program that has a single thread. The locks of the recorder must be held.
pub(crate) fn read(is_of_program: bool) {
    // SAFETY: the memory is mapped, zeroed at first, and large enough; the locks are held, so this
    // is the only reference.
    let before = unsafe { &mut *(plan().before as *mut Before) };
    before.malloc = match is_of_program {
        true => sys::malloc_state(),
        false => sys::Malloc::default(),
    };
    before.resident = sys::resident(&mut before.text);
    before.sleeping = sys::sleeping(&mut before.stacks, &mut before.text);
}

/// Returns what was read last.
pub(crate) fn get() -> &'static Before {
    // SAFETY: as above; called by the copied process, which has a single thread.
    unsafe { &*(plan().before as *const Before) }
}
