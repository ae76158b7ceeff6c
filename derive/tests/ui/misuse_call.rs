use weigh_derive::AssertSize;

fn limit() -> usize {
    8
}

#[derive(AssertSize)]
#[assert_size(max = limit(), exact = 1)]
struct Call(u8);

#[derive(AssertSize)]
#[assert_size(max = LIMIT)]
struct WrongType(u8);

const LIMIT: u8 = 8;

fn main() {}
