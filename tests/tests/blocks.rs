//! Checks the lints' facts about string types and malloc against the crates and the allocator.

use cargo_weigh::text_types::{COMPACT, ECO, SMOL, TextType};
use compact_str::CompactString;
use ecow::EcoString;
use smol_str::SmolStr;

fn size_of_optional<T>() -> u64 {
    size_of::<Option<T>>() as u64
}

/// Returns the length of the longest text that is stored inline.
fn inline(on_heap: impl Fn(&str) -> bool) -> u64 {
    let text = "x".repeat(64);
    let longest = (0..=64).rev().find(|n| !on_heap(&text[..*n]));
    longest.expect("an empty text needs no block") as u64
}

/// Returns true if a text is stored inside its value.
fn within<T>(value: &T, text: &str) -> bool {
    let start = std::ptr::from_ref(value) as usize;
    (start..start + size_of::<T>()).contains(&(text.as_ptr() as usize))
}

#[track_caller]
fn holds<T>(said: TextType, make: impl Fn(&str) -> T, text: impl Fn(&T) -> &str) {
    let on_heap = |t: &str| {
        let value = make(t);
        !t.is_empty() && !within(&value, text(&value))
    };
    let size = size_of::<T>() as u64;
    assert_eq!(size, said.size, "size of {}", said.path);
    assert_eq!(
        inline(on_heap),
        said.inline,
        "inline bytes of {}",
        said.path
    );
    let niche = size_of_optional::<T>() == size;
    assert_eq!(niche, said.niche, "niche of {}", said.path);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn string_types_are_what_the_lint_says() {
    holds(COMPACT, |t| CompactString::new(t), |v| v.as_str());
    holds(SMOL, |t| SmolStr::new(t), |v| v.as_str());
    holds(ECO, |t| EcoString::from(t), |v| v.as_str());
    // The types whose layouts stand in for these in the calculator.
    assert_eq!(size_of::<String>() as u64, COMPACT.size);
    assert_eq!(size_of_optional::<String>(), COMPACT.size);
    let smol = size_of::<(bool, u8, u16, u32, usize, usize)>() as u64;
    assert_eq!(smol, SMOL.size);
    assert_eq!(
        size_of_optional::<(bool, u8, u16, u32, usize, usize)>(),
        SMOL.size
    );
    assert_eq!(size_of::<[usize; 2]>() as u64, ECO.size);
    assert_eq!(size_of_optional::<[usize; 2]>(), ECO.size + 8);
    assert_eq!(size_of_optional::<EcoString>(), ECO.size + 8);
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[allow(unsafe_code)]
fn blocks_are_what_malloc_takes() {
    use cargo_weigh::malloc;
    for size in 1..=200 {
        // SAFETY: the block is only queried for its size, and freed once.
        let usable = unsafe {
            let block = libc::malloc(size);
            let usable = libc::malloc_usable_size(block);
            libc::free(block);
            usable
        };
        let taken = usable as u64 + malloc::HEADER;
        assert_eq!(taken, malloc::block(size as u64), "a block of {size} bytes");
    }
}
