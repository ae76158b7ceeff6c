use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(max)]
struct Missing(u8);

#[derive(AssertSize)]
#[assert_size(max(8))]
struct Parentheses(u8);

#[derive(AssertSize)]
#[assert_size(max = )]
struct Nothing(u8);

#[derive(AssertSize)]
#[assert_size(max = "8")]
struct Text(u8);

#[derive(AssertSize)]
#[assert_size(max = 1.5)]
struct Fraction(u8);

#[derive(AssertSize)]
#[assert_size(max = -8)]
struct Negative(u8);

#[derive(AssertSize)]
#[assert_size(max = 8u64)]
struct Suffix(u8);

#[derive(AssertSize)]
#[assert_size(max = [8, 16])]
struct SetOfLimits(u8);

#[derive(AssertSize)]
#[assert_size(exact = [8, "16"])]
struct TextInSet(u8);

#[derive(AssertSize)]
#[assert_size(niche = true)]
struct ValueOfNiche(bool);

#[derive(AssertSize)]
#[assert_size(max = 8, pointer_width = 48)]
struct Width(u8);

#[derive(AssertSize)]
#[assert_size(max = 8, cfg())]
struct NoCondition(u8);

fn main() {}
