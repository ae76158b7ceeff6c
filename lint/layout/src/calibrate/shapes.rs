//! Generated structs, enums and unions that test the layout algorithm itself: the same in each run.

use std::fmt::Write;

/// Number of generated types.
const SHAPES: usize = 360;

/// Types of fields that need no definition.
const FIELDS: &[&str] = &[
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i64",
    "bool",
    "char",
    "f32",
    "f64",
    "()",
    "[u8; 3]",
    "[u16; 2]",
    "[u32; 0]",
    "[bool; 5]",
    "(u8, u32)",
    "(u16, bool, u8)",
    "&'static u8",
    "&'static str",
    "&'static [u16]",
    "*const u8",
    "fn(u8) -> u8",
    "&'static dyn Send",
    "core::convert::Infallible",
    "core::num::NonZero<u16>",
    "core::num::NonZero<u64>",
    "core::mem::MaybeUninit<bool>",
    "core::cell::Cell<bool>",
    "core::marker::PhantomData<u64>",
    "Option<u8>",
    "Option<bool>",
    "Option<char>",
    "Option<&'static u8>",
    "Result<u32, bool>",
    "Option<Option<bool>>",
    "Option<(u8, bool)>",
    "Result<(), core::convert::Infallible>",
    "Tail<u16>",
    "Tail<bool>",
    "Tail<[u8; 3]>",
    "Two<u8, u32>",
    "Two<bool, char>",
];

/// Definitions that the others use.
const GENERIC: &str = "\
pub struct Tail<T: ?Sized>(u8, u32, T);
pub struct Two<A, B> { a: A, b: B, c: u16 }
pub enum Never {}
#[repr(u8)] pub enum NeverOne { A(Never) }
#[repr(i16)] pub enum NeverTwo { A(Never), B((), Never) }
#[repr(u8)] pub enum NeverWide { A(Never, u32) }
#[repr(C)] pub enum NeverC { A(Never) }
#[repr(C, u8)] pub enum NeverCByte { A(Never), B(Never) }
#[repr(u32)] pub enum NeverPartly { A(Never), B(u8) }
pub enum NeverPlain { A(Never), B(Never, u8) }
pub enum NeverOnce { A(Never), B(u8), C(u8, Never) }
#[repr(i8)] pub enum Ends { A = -128, B = 127 }
#[repr(i16)] pub enum EndsFilled { A(u8) = -32768, B(Never) = 5, C = 32767 }
#[repr(i64)] pub enum EndsWide { A = i64::MIN, B = i64::MAX, C = 3 }
#[repr(i128)] pub enum EndsWidest { A = i128::MIN, B = i128::MAX }
#[repr(C)] pub enum EndsC { A = -2147483648, B = 2147483647 }
pub enum Apart { A = -100, B = 0, C = 100 }
pub enum ApartByte { A = 0, B = 200 }
pub enum Half { A = -64, B = 64 }
";

/// A random number generator: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list[self.below(list.len())]
    }
}

/// Returns all definitions, as Rust that compiles.
pub fn text() -> String {
    let mut numbers = Numbers(85);
    let mut text = GENERIC.to_owned();
    for n in 0..SHAPES {
        let before = n;
        let of = &mut numbers;
        // Writing to a string cannot fail.
        let _ = match of.below(8) {
            0..=2 => structure(of, n, before, &mut text),
            3..=6 => enumeration(of, n, before, &mut text),
            _ => union(of, n, &mut text),
        };
    }
    text
}

/// Returns a field's type: a plain one, or one generated before.
fn field(of: &mut Numbers, before: usize) -> String {
    match before > 0 && of.below(4) == 0 {
        true => format!("Shape{}", of.below(before)),
        false => of.pick(FIELDS).to_owned(),
    }
}

fn fields(of: &mut Numbers, most: usize, before: usize) -> Vec<String> {
    let n = of.below(most + 1);
    (0..n).map(|_| field(of, before)).collect()
}

fn structure(of: &mut Numbers, n: usize, before: usize, text: &mut String) -> std::fmt::Result {
    let reprs = [
        "",
        "",
        "",
        "",
        "#[repr(C)] ",
        "#[repr(align(16))] ",
        "#[repr(C, align(4))] ",
    ];
    let repr = of.pick(&reprs);
    writeln!(
        text,
        "{repr}pub struct Shape{n}({});",
        fields(of, 5, before).join(", ")
    )
}

fn enumeration(of: &mut Numbers, n: usize, before: usize, text: &mut String) -> std::fmt::Result {
    let reprs = [
        "",
        "",
        "",
        "",
        "",
        "",
        "#[repr(u8)] ",
        "#[repr(i16)] ",
        "#[repr(C)] ",
        "#[repr(C, u8)] ",
    ];
    let repr = of.pick(&reprs);
    // An enum without variants cannot have `repr`.
    let least = usize::from(!repr.is_empty());
    let count = least + of.below(5);
    let numbered = of.below(6) == 0;
    let mut value = -2;
    let mut variants = Vec::new();
    for v in 0..count {
        value += 1 + of.below(40) as i32;
        variants.push(match numbered {
            true => format!("V{v} = {value}"),
            false => match fields(of, 3, before) {
                list if list.is_empty() => format!("V{v}"),
                list => format!("V{v}({})", list.join(", ")),
            },
        });
    }
    let repr = if numbered {
        repr.replace("u8", "i8")
    } else {
        repr.to_owned()
    };
    writeln!(
        text,
        "{repr}pub enum Shape{n} {{ {} }}",
        variants.join(", ")
    )
}

fn union(of: &mut Numbers, n: usize, text: &mut String) -> std::fmt::Result {
    let plain = &FIELDS[..26];
    let list: Vec<_> = (0..1 + of.below(3))
        .map(|f| format!("f{f}: {}", of.pick(plain)))
        .collect();
    let repr = of.pick(&["", "", "#[repr(C)] "]);
    writeln!(text, "{repr}pub union Shape{n} {{ {} }}", list.join(", "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_are_a_few_hundred_of_each_kind() {
        let text = super::text();
        for kind in ["struct", "enum", "union"] {
            assert!(
                text.matches(&format!("pub {kind} Shape")).count() >= 30,
                "{kind}"
            );
        }
        assert_eq!(text, super::text());
    }
}
