use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(max_gap = 32)]
enum Message {
    Tick,
    Frame([u8; 128]),
    Text([u8; 24]),
}

#[derive(AssertSize)]
#[assert_size(max_gap = 32)]
enum Lonely {
    Tick,
    Frame([u8; 128]),
}

fn main() {}
