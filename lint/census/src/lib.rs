//! What is really in a program's heap: counted on its memory, with the types of its own debug
//! information.
//!
//! # Map, in the order of a census
//!
//! | module | owns |
//! |---|---|
//! | [`build`], [`run`] | builds a program with the recorder, and runs it to its peak |
//! | [`image`] | the memory of the program at that moment |
//! | [`dwarf`] | debug information; the only module that uses gimli, object and addr2line |
//! | [`types`] | names of types as debug information writes them |
//! | [`rules`], [`plan`] | the table of containers; where a type holds which field |
//! | [`site`] | the type of a block, from the place of its allocation |
//! | [`walk`] | follows all owners from single values, statics and variables |
//! | [`graph`] | what would go with a node of a graph |
//! | [`count`], `file` | the result; as JSON lines |
//!
//! # From a running program to counts
//!
//! `census` shares block sizes and string types with `model`, and nothing with the layout modules:
//! debug info contains the layout of every type from the compiler that built the program.
//!
//! 1. `census/build` runs cargo with flags appended to the user's own: debug information, frame
//!    pointers, and, where LLVM has that, no merging of functions. `census/run` compiles
//!    the recorder (`weigh-heap` contains its own source as data; one that lies there could be
//!    another program) and runs the program with it: a first run finds the peak, a second one
//!    stops at 99 % of it. What is piped into it is kept for the second (`run/input`).
//! 2. The recorder (`heap/`) puts a header before every block, which refers to an entry of a
//!    table, and walks frame pointers for the stack. At the time of the census it forks with all
//!    its locks held; the child writes blocks, contents, stacks and statics to an unlinked file
//!    (with `--exec` outside a project: next to `--output`, otherwise to memory), and the program
//!    continues. Callee-saved registers are pushed first: on aarch64 the only reference to a block
//!    may be in such a register.
//!    It first asks the kernel where other threads wait, and malloc what it holds. For a time, an
//!    interval or `--now`, a thread that only the kernel knows of copies the process when a word of
//!    a second file asks for it (`run/asked`, `run/now`); a test of the program asks by the same file
//!    and waits for `count/answer`.
//! 3. `census/dwarf` reads types, inlined functions, statics and vtables, and merges equal types
//!    of different units. Data that the debug info of the distributed std lacks is taken from
//!    symbols. Split units are read from `.dwo` or `.dwp` files. Unwind tables are used to check
//!    that all functions except std's have frame pointers. On macOS, debug info is in a bundle
//!    (`dwarf/bundle`), and vtables are missing because they have no symbols there.
//! 4. `census/site` determines the type of a block from the frame inlined at its allocation. In a
//!    program built elsewhere, which does not say by a symbol that nothing was merged, an
//!    out-of-line generic function may have been merged with another one of equal code, so its
//!    name is only a guess; the same applies to a function that fat LTO merged before inlining it,
//!    which is visible in the function that it is inlined into. `census/rules` is the table of
//!    containers; `census/plan` compiles a plan of each type for the field that holds it.
//! 5. `census/walk` follows all owners from single-value blocks, statics, and the variables on the
//!    stacks of the thread that came to the moment and of those that wait (`walk/locals`). If owner and site contradict
//!    each other, neither is used, except for a buffer, which `collect` may have taken over from
//!    values of another type: there the owner wins. A buffer that only a variable owns is read up to the
//!    length found on the thread's stack (`walk/variables`), otherwise as far as its values are
//!    valid, and a buffer of enums up to the last value that owns a block; this is first tried
//!    without counting, so that inner blocks are assigned to the fields that own them. Buffers
//!    whose address no block contains come first, because spare capacity of the others may hold
//!    stale values that seem to own their blocks. A guessed type is used only if no other type of
//!    the same size in the program's containers fits as well. Values that an iterator has already
//!    yielded are recognised by the iterator's start pointer, and because their blocks have
//!    another owner. Captured variables of a suspended coroutine count unless their blocks have
//!    another owner, since they were moved then. Hash tables are read by their control bytes,
//!    arena chunks (bumpalo) by the pointers into them. Last, a raw pointer owns a block of
//!    exactly the size of what it points to, if nothing else does.
//!    Each container that leads to a block is a link (`walk/links`), but for a `Weak`: of these and
//!    the roots `count/kept` makes a graph, whose dominators say what would go with what.
//! 6. `census/count` holds the result; its parts (`count/parts`) add up to the heap, as each block
//!    has one state, and each state a type and the owner that was met first; `census/file` reads and writes it as JSON lines. Nodes of
//!    lists, trees and channels are types of it too: the slots in them change their size with
//!    them. What a type is made of (`count/place`) names types of other crates than std's
//!    directly, and of an enum of std each variant, since only its widest one decides.
//! 7. `census/join` finds the counts for a finding by crate, path, size and the names and offsets
//!    of fields (a library and a program, or two versions of a crate, may have types with the same
//!    path). A remedy states which types change size and how blocks change
//!    (`finding::BlockChange`); `census/join/net` computes the effect of both on the counted
//!    values, with malloc's block sizes, and `worth/measured` decides. Where an `Option` loses its
//!    niche with a change, that is not seen.
//!
//! Supported platforms are listed in one place, `heap/src/lib.rs`: they use `recording.rs`, all
//! others `platform.rs`. `sys.rs` and `macos.rs` provide the same functions for Linux and macOS.
//! `macos.rs` is compiled and linked with rust-lld but untested. Its fork is visible to the
//! program (`SIGCHLD`). It cannot query mappings, which are therefore recorded earlier. It uses
//! raw system calls although Apple guarantees only its library, because the library's `fork` runs
//! the program's handlers, which may allocate.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write what they need")
)]

#[cfg(unix)]
pub mod build;
pub mod count;
pub mod dwarf;
pub mod file;
pub mod graph;
pub mod image;
pub mod plan;
pub mod rules;
#[cfg(unix)]
pub mod run;
pub mod site;
pub mod types;
pub mod walk;

use weigh_layout::{interrupt, malloc, project, store, text_types};

/// A census, and how the program ended.
#[derive(Debug)]
pub struct Taken {
    /// What was counted.
    pub census: count::Census,
    /// Why the program is to be looked at: it failed, or was ended.
    pub failure: Option<String>,
    /// What the user should know of the moment.
    pub notes: Vec<String>,
}
