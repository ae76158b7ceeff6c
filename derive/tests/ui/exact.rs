use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(exact = 8)]
struct Over(u64, u32);

#[derive(AssertSize)]
#[assert_size(exact = 24)]
struct Under(u64, u32);

#[derive(AssertSize)]
#[assert_size(exact = [8, 24, 32])]
enum Set {
    One(u64),
    Two(u32),
}

fn main() {}
