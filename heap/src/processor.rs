//! Reads registers on x86_64 and aarch64.

use core::arch::asm;

/// Returns the frame pointer of the function that this is inlined into.
#[inline(always)]
pub(crate) fn frame() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it only reads a register.
    unsafe {
        asm!("mov {}, rbp", out(reg) address, options(nostack, nomem));
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it only reads a register.
    unsafe {
        asm!("mov {}, x29", out(reg) address, options(nostack, nomem));
    };
    address
}

/// Returns the stack pointer.
#[inline(always)]
pub(crate) fn stack() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it only reads a register.
    unsafe {
        asm!("mov {}, rsp", out(reg) address, options(nostack, nomem));
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it only reads a register.
    unsafe {
        asm!("mov {}, sp", out(reg) address, options(nostack, nomem));
    };
    address
}

/// Returns the callee-saved registers, which may contain the only pointers to blocks.
#[inline(always)]
pub(crate) fn registers() -> [usize; 10] {
    let mut all = [0; 10];
    #[cfg(target_arch = "x86_64")]
    // SAFETY: writes five words to an array of ten.
    unsafe {
        asm!(
            "mov [{0}], rbx",
            "mov [{0} + 8], r12",
            "mov [{0} + 16], r13",
            "mov [{0} + 24], r14",
            "mov [{0} + 32], r15",
            in(reg) all.as_mut_ptr(),
            options(nostack, preserves_flags)
        );
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: writes ten words to an array of ten.
    unsafe {
        asm!(
            "stp x19, x20, [{0}]",
            "stp x21, x22, [{0}, #16]",
            "stp x23, x24, [{0}, #32]",
            "stp x25, x26, [{0}, #48]",
            "stp x27, x28, [{0}, #64]",
            in(reg) all.as_mut_ptr(),
            options(nostack, preserves_flags)
        );
    };
    all
}
