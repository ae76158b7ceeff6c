use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(align = 64)]
struct Line([u8; 64]);

#[derive(AssertSize)]
#[assert_size(align = 1)]
struct Bytes(u16);

fn main() {}
