use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(max = 8, align = 4)]
struct Missing<T, const N: usize>([T; N]);

#[derive(AssertSize)]
#[assert_size(for(T = u8), max = 8)]
struct NoParameters(u8);

#[derive(AssertSize)]
#[assert_size(for(), max = 8)]
struct NoParametersAtAll(u8);

#[derive(AssertSize)]
#[assert_size(for(U = u8), max = 8)]
struct Unknown<'a, T>(&'a T);

#[derive(AssertSize)]
#[assert_size(for(T = u8), max = 8)]
struct Incomplete<T, const N: usize>([T; N]);

#[derive(AssertSize)]
#[assert_size(for(T = u8, T = u16), max = 8)]
struct Twice<T>(T);

#[derive(AssertSize)]
#[assert_size(for(U = u8), max = 8)]
struct AfterDefault<T = u8, U = u8>(T, U);

#[derive(AssertSize)]
#[assert_size(for(T = 8), max = 8)]
struct NotAType<T>(T);

#[derive(AssertSize)]
#[assert_size(for(T), max = 8)]
struct NoValue<T>(T);

fn main() {}
