use weigh_derive::AssertSize;

fn limit() -> usize {
    8
}

#[derive(AssertSize)]
#[assert_size(max = limit(), exact = 1)]
struct Call(u8);

fn main() {}
