use std::collections::HashMap;
use weigh_derive::{AssertSize, assert_size};

#[derive(AssertSize)]
#[assert_size(max = 8)]
struct Both(u64);

assert_size!(HashMap<String, Both>, max = 48, niche, pointer_width = 64);
assert_size!([Both; 2], exact = 2 * size_of::<Both>(), align = 8);
assert_size!(Option<u8>, max = 1, cfg(target_pointer_width = "16"));

assert_size!(Vec<Option<u8>>, max = 16);
assert_size!((u8, u64), exact = [4, 8]);
assert_size!(u64, niche);
assert_size!(u64, align = 4);
assert_size!(u64);
assert_size!(u64, 8);
assert_size!(u64, no_padding);
assert_size!(Vec<u8>, variant(A, max = 8));
assert_size!();

fn main() {
    assert_size!(&'static str, max = 8);
}
