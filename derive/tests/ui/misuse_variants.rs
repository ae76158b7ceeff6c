use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(variant(Tow, max = 8))]
enum Missing {
    One,
    Two,
}

#[derive(AssertSize)]
#[assert_size(variant(One, max = 8))]
struct OfStruct(u8);

#[derive(AssertSize)]
#[assert_size(max_gap = 8)]
union GapOfUnion {
    one: u8,
}

#[derive(AssertSize)]
#[assert_size(no_padding)]
enum PaddingOfEnum {
    One(u8),
}

#[derive(AssertSize)]
#[assert_size(max = 8)]
enum OnVariant {
    #[assert_size(max = 8)]
    One(u8),
}

#[derive(AssertSize)]
#[assert_size(max = 8)]
struct OnField {
    #[assert_size(max = 8)]
    one: u8,
}

#[derive(AssertSize)]
#[assert_size(variant(Hundrd, max = 8))]
enum Near {
    Ten,
    Hundred,
}

fn main() {}
