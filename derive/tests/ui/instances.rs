use std::collections::HashMap;
use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(for(T = u64), max = 8)]
#[assert_size(for(T = HashMap<u8, Vec<&'static str>>), max = 8)]
#[assert_size(for(T = Box<dyn Fn(u8) -> u8 + Send>), max = 8)]
struct Pair<T>(T, T);

#[derive(AssertSize)]
#[assert_size(for('a = 'static, T = [u8; 4], N = 2), max = 8)]
#[assert_size(for(T = (u8, u16), N = { 1 + 2 }), max = 8)]
struct All<'a, T, const N: usize>(&'a T, [u8; N]);

#[derive(AssertSize)]
#[assert_size(max = 2)]
struct Defaulted<T = u32>(T);

fn main() {}
