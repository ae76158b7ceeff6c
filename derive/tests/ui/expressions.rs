use weigh_derive::AssertSize;

const LIMIT: usize = 4;

#[derive(AssertSize)]
#[assert_size(max = LIMIT)]
struct Named(u64);

#[derive(AssertSize)]
#[assert_size(max = size_of::<Named>() + Self::MORE, min = 2 * LIMIT)]
struct Relative([u8; 16]);

impl Relative {
    const MORE: usize = 1;
}

#[derive(AssertSize)]
#[assert_size(for(T = u16), max = size_of::<T>())]
struct Generic<T>(T, T);

fn main() {}
