use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(max = 8)]
struct Slice {
    length: u8,
    bytes: [u8],
}

#[derive(AssertSize)]
#[assert_size(max = 8)]
struct Text(u8, str);

#[derive(AssertSize)]
#[assert_size(max = 8)]
struct Object(dyn Send);

fn main() {}
