use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(max = 8, align = 4, niche, no_padding)]
struct Everything {
    wide: u64,
    narrow: u8,
}

fn main() {}
