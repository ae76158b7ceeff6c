use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(niche)]
struct Id(u32);

#[derive(AssertSize)]
#[assert_size(max = 4, niche)]
union Bits {
    number: u32,
    flag: bool,
}

#[derive(AssertSize)]
#[assert_size(niche, for(T = u8), for(T = bool))]
struct Generic<T>(T);

fn main() {}
