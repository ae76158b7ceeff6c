//! The documentation of a lint: the comment at the head of its file, without the code below it.

/// Returns the comment at the head of `$file`, a path as in `include_str!`. Only the comment
/// becomes part of the program: the files of all lints would be 190 kB.
macro_rules! header {
    ($file:literal) => {{
        const SOURCE: &str = include_str!($file);
        const HEADER: [u8; $crate::lint::header::length(SOURCE)] =
            $crate::lint::header::copied(SOURCE);
        match std::str::from_utf8(&HEADER) {
            Ok(header) => header,
            Err(_) => unreachable!(),
        }
    }};
}
pub(crate) use header;

/// Returns the length of the lines of `source` before the first that does not begin with `//!`, in
/// bytes.
pub const fn length(source: &str) -> usize {
    let bytes = source.as_bytes();
    let mut at = 0;
    while at + 2 < bytes.len()
        && bytes[at] == b'/'
        && bytes[at + 1] == b'/'
        && bytes[at + 2] == b'!'
    {
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        if at < bytes.len() {
            at += 1;
        }
    }
    at
}

/// Returns the first `N` bytes of `source`.
pub const fn copied<const N: usize>(source: &str) -> [u8; N] {
    let mut copy = [0; N];
    let mut at = 0;
    while at < N {
        copy[at] = source.as_bytes()[at];
        at += 1;
    }
    copy
}
