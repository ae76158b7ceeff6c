use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(exact = 24, pointer_width = 64)]
#[assert_size(exact = 12, pointer_width = 32)]
struct Pointer(&'static u8);

#[derive(AssertSize)]
#[assert_size(max = 4, cfg(not(all(unix, windows))))]
#[assert_size(max = 2, cfg(all(unix, windows)))]
struct Featured(u64);

#[derive(AssertSize)]
#[assert_size(variant(Gone, max = 4), cfg(not(any())))]
#[assert_size(variant(Gone, max = 4), cfg(any()))]
enum Configured {
    Kept,
    #[cfg(any())]
    Gone(u8),
}

fn main() {}
