use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(no_padding)]
struct Gap {
    wide: u64,
    narrow: u32,
    byte: u8,
}

#[derive(AssertSize)]
#[assert_size(for(T = u8), for(T = u32), no_padding)]
struct Pair<T>(T, u32);

fn main() {}
