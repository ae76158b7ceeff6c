//! The file that the recorder shares with `cargo weigh`: its words and offsets, for both sides.

/// Indices of the words of 8 bytes at the start of the file.
pub mod word {
    /// The process that records has taken the file.
    pub const CLAIMED: usize = 1;
    /// How far the census is: [`WRITING`](super::WRITING), [`DONE`](super::DONE).
    pub const STATE: usize = 2;
    /// Bytes live at the peak so far.
    pub const PEAK: usize = 3;
    /// Bytes live at the end of the process.
    pub const AT_END: usize = 4;
    /// Number of allocations and releases.
    pub const EVENTS: usize = 5;
    /// The process ran its exit handlers.
    pub const ENDED: usize = 6;
    /// Where the census ends in the file.
    pub const DATA_END: usize = 7;
    /// Bytes live at the moment of the census.
    pub const LIVE: usize = 8;
    /// The copied process.
    pub const COPY: usize = 10;
    /// The copied process that may write.
    pub const GO: usize = 11;
    /// Bytes of labels.
    pub const LABELS: usize = 12;
    /// Why there is no census: see [`failure`](super::failure).
    pub const FAILED: usize = 13;
    /// The most bytes live in a forked process.
    pub const FORKED: usize = 14;
    /// Of a file for censuses on request: the number of the one that `cargo weigh` wants.
    pub const ASK: usize = 15;
    /// The number of the last one that was taken.
    pub const TURN: usize = 16;
    /// The number of the one that the program's answer is about.
    pub const ANSWERED: usize = 17;
    /// The number of an earlier one that the answer is a difference to; 0: none.
    pub const SINCE: usize = 18;
    /// 1: no later answer is a difference to this one.
    pub const LAST: usize = 19;
}

/// Value of [`word::STATE`]: the census is being written.
pub const WRITING: u64 = 1;

/// Value of [`word::STATE`]: the census is complete.
pub const DONE: u64 = 2;

/// Why there is no census: values of [`word::FAILED`].
pub mod failure {
    /// The process could not be copied.
    pub const COPY: u64 = 1;
    /// The file could not be written.
    pub const WRITE: u64 = 2;
    /// The program has closed the file, and it cannot be opened again.
    pub const CLOSED: u64 = 3;
    /// The copied process got no memory.
    pub const MEMORY: u64 = 4;
    /// The copied process could not read its mappings.
    pub const MAPPINGS: u64 = 5;
}

/// Where labels begin, in bytes; in a file for censuses on request, where the answer does.
pub const LABELS_AT: usize = 4096;

/// Where labels end and the census begins, in bytes.
pub const DATA_AT: usize = 1 << 17;

/// Words of an answer to the program, from [`LABELS_AT`] on; after these, three for each type: the
/// address of a vtable, how many values there are, and 1 if there may be others.
pub mod answer {
    /// Live bytes.
    pub const BYTES: usize = 0;
    /// Live blocks.
    pub const BLOCKS: usize = 1;
    /// How many types follow; [`NONE`]: nothing could be counted.
    pub const TYPES: usize = 2;
    /// Value of [`TYPES`]: nothing could be counted.
    pub const NONE: u64 = u64::MAX;
    /// Words before the types.
    pub const HEAD: usize = 3;
    /// Words of a type.
    pub const TYPE: usize = 3;
    /// The most words: a thread may have little stack left for them.
    pub const MOST: usize = 512;
}

/// Indices of the words of [`section::MEMORY`], all bytes; 0 where the system does not say.
pub mod memory {
    /// Resident memory of the process.
    pub const RESIDENT: usize = 0;
    /// What of it belongs to files.
    pub const FILES: usize = 1;
    /// What of it the recorder's tables take.
    pub const RECORDER: usize = 2;
    /// What glibc's malloc has got from the system, without what it has mapped for single blocks.
    pub const ARENAS: usize = 3;
    /// What it has mapped for single blocks.
    pub const MAPPED: usize = 4;
    /// What of the arenas is free.
    pub const FREE: usize = 5;
    /// How many words there are.
    pub const WORDS: usize = 6;
}

/// Tags of the sections of a census.
pub mod section {
    /// Nothing follows.
    pub const END: u64 = 0;
    /// The mappings of the process, as in `/proc/self/maps`.
    pub const MAPS: u64 = 1;
    /// The live blocks.
    pub const BLOCKS: u64 = 2;
    /// The stacks of allocations.
    pub const STACKS: u64 = 3;
    /// Memory at an address.
    pub const REGION: u64 = 4;
    /// Contents of blocks.
    pub const CONTENTS: u64 = 5;
    /// What is counted, and where the thread's stack is.
    pub const MOMENT: u64 = 6;
    /// The stack pointers of the threads that were in the kernel: those that waited, and the one
    /// that recorded, as it was reading this there.
    pub const SLEEPING: u64 = 7;
    /// How many blocks each stack has made so far, or taken over by growing, and the bytes of those
    /// that it made: stack, blocks, bytes.
    pub const MADE: u64 = 8;
    /// Bytes of memory: [`super::memory`].
    pub const MEMORY: u64 = 9;
}
