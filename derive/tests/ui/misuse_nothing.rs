use weigh_derive::AssertSize;

#[derive(AssertSize)]
struct Bare(u8);

#[derive(AssertSize)]
#[assert_size]
struct Word(u8);

#[derive(AssertSize)]
#[assert_size()]
struct Empty(u8);

#[derive(AssertSize)]
#[assert_size = 8]
struct Equals(u8);

#[derive(AssertSize)]
#[assert_size(pointer_width = 64, cfg(unix))]
struct OnlyConditions(u8);

#[derive(AssertSize)]
#[assert_size(for(T = u8))]
struct OnlyInstance<T>(T);

#[derive(AssertSize)]
#[assert_size(variant(One))]
enum OnlyVariant {
    One,
}

#[derive(AssertSize)]
#[assert_size(exact = [])]
struct NoSize(u8);

fn main() {}
