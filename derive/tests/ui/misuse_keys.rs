use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(maximum = 8)]
struct Unknown(u8);

#[derive(AssertSize)]
#[assert_size(8)]
struct NoKey(u8);

#[derive(AssertSize)]
#[assert_size(exat = 8)]
struct Near(u8);

#[derive(AssertSize)]
#[assert_size(colour = 8)]
struct Far(u8);

#[derive(AssertSize)]
#[assert_size(max = 8 align = 4)]
struct NoComma(u8);

#[derive(AssertSize)]
#[assert_size(max = 8, max = 4)]
struct Twice(u8);

#[derive(AssertSize)]
#[assert_size(max = 8)]
#[assert_size(align = 1, max = 4)]
struct TwiceApart(u8);

#[derive(AssertSize)]
#[assert_size(max = 8, cfg(unix), pointer_width = 64)]
#[assert_size(max = 8, pointer_width = 64, cfg(unix))]
struct TwiceUnderConditions(u8);

#[derive(AssertSize)]
#[assert_size(max = 8, for(T = u8))]
#[assert_size(max = 8, for(T = u16), for(T = u8))]
struct TwiceForInstance<T>(T);

#[derive(AssertSize)]
#[assert_size(variant(One, max = 8), variant(One, max = 4))]
enum TwiceForVariant {
    One,
}

#[derive(AssertSize)]
#[assert_size(max = 8, pointer_width = 64, pointer_width = 32)]
struct TwoWidths(u8);

#[derive(AssertSize)]
#[assert_size(variant(One, align = 4))]
enum NotOfAVariant {
    One,
}

fn main() {}
