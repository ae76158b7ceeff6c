use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(min = 16)]
struct CacheLine([u8; 15]);

#[derive(AssertSize)]
#[assert_size(min = 2)]
enum Small {
    One,
    Two,
}

fn main() {}
