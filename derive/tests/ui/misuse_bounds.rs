use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(for(T = Vec<u8>), max = 8, min = 8)]
struct Bound<T: Copy>(T);

#[derive(AssertSize)]
#[assert_size(for(T = u8), max = 8, max_gap = 8, variant(One, max = 1), niche)]
enum BoundEnum<T>
where
    T: Iterator<Item = u8>,
{
    One(T),
    Two(T::Item),
}

#[derive(AssertSize)]
#[assert_size(for(T = NoSuchType), max = 8, min = 8)]
struct Unresolved<T>(T);

fn main() {}
