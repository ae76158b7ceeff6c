//! Integer methods in constants.

use super::consts::{Value, wrap};
use super::eval::number;
use super::intrinsics::not_understood;
use super::ty::Prim;
use super::{Db, Res};
use crate::name::Name;

impl<'a> Db<'a> {
    /// Returns true if the byte order in a method name (`be`, `le`, `ne`) is big-endian.
    fn begins_high(&self, name: &str) -> bool {
        let big = (Name::new("target_endian"), Some(Name::new("big")));
        match name.split('_').nth(1).unwrap_or(name) {
            "be" => true,
            "le" => false,
            _ => self.project.target.has(big.0, big.1),
        }
    }

    /// Evaluates `u32::from_be_bytes(…)` and its variants.
    pub(super) fn int_from_bytes(&self, name: &str, prim: Prim, bytes: &[Value]) -> Option<Value> {
        let (bits, signed) = prim.int(self.pointer_bits())?;
        let mut bytes: Vec<u8> = bytes
            .iter()
            .map(|b| u8::try_from(number(b)?).ok())
            .collect::<Option<_>>()?;
        if !matches!(name, "from_be_bytes" | "from_le_bytes" | "from_ne_bytes")
            || bytes.len() * 8 != bits as usize
        {
            return None;
        }
        if !self.begins_high(name) {
            bytes.reverse();
        }
        let n = bytes.iter().fold(0_u128, |n, b| n << 8 | u128::from(*b));
        Some(Value::Int(wrap(n as i128, bits, signed), Some(prim)))
    }

    /// Evaluates an integer method; `None` if it is not supported.
    #[expect(clippy::too_many_lines, reason = "a table of methods")]
    pub(super) fn int_method(
        &self,
        name: &str,
        n: i128,
        prim: Option<Prim>,
        args: &[Value],
    ) -> Option<Res<Value>> {
        let known = prim.and_then(|p| p.int(self.pointer_bits()));
        let by_width = [
            "checked_",
            "overflowing_",
            "wrapping_",
            "saturating_",
            "leading_",
            "count_",
            "trailing_",
        ];
        if known.is_none() && by_width.iter().any(|start| name.starts_with(start)) {
            let what = format!("`{name}` of an integer whose type is not written");
            return Some(not_understood(&what));
        }
        let (bits, signed) = known.unwrap_or((128, true));
        number(&Value::Int(n, prim))?;
        let arg = args.first().and_then(number);
        let fit = |m: i128| wrap(m, bits, signed);
        let int = |m: i128| Some(Ok(Value::Int(m, prim)));
        let count = |m: u32| Some(Ok(Value::int(u64::from(m), Prim::U32)));
        let low = (n & if bits >= 128 { -1 } else { (1i128 << bits) - 1 }) as u128;
        match (name, arg) {
            ("wrapping_add", Some(m)) => int(fit(n.wrapping_add(m))),
            ("wrapping_sub", Some(m)) => int(fit(n.wrapping_sub(m))),
            ("wrapping_mul", Some(m)) => int(fit(n.wrapping_mul(m))),
            ("saturating_sub" | "saturating_add" | "saturating_mul", Some(m)) if bits < 128 => {
                let exact = match name {
                    "saturating_sub" => n.checked_sub(m),
                    "saturating_add" => n.checked_add(m),
                    _ => n.checked_mul(m),
                }?;
                let (least, most) = match signed {
                    true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                int(exact.clamp(least, most))
            }
            ("get", None) => int(n),
            (
                "checked_add" | "checked_sub" | "checked_mul" | "checked_div" | "checked_rem",
                Some(m),
            ) if bits < 128 => {
                let exact = exactly(name, n, m).filter(|exact| fit(*exact) == *exact);
                self.option(exact.map(|n| Value::Int(n, prim))).map(Ok)
            }
            ("checked_pow", Some(m)) if bits < 128 => {
                let exact = u32::try_from(m).ok().and_then(|m| n.checked_pow(m));
                let exact = exact.filter(|exact| fit(*exact) == *exact);
                self.option(exact.map(|n| Value::Int(n, prim))).map(Ok)
            }
            ("overflowing_add" | "overflowing_sub" | "overflowing_mul", Some(m)) if bits < 128 => {
                let exact = exactly(name, n, m)?;
                let (wrapped, over) = (fit(exact), fit(exact) != exact);
                Some(Ok(Value::Tuple(vec![
                    Value::Int(wrapped, prim),
                    Value::Bool(over),
                ])))
            }
            ("wrapping_neg", None) => int(fit(n.wrapping_neg())),
            ("isqrt", None) if n >= 0 => int(n.isqrt()),
            ("signum", None) if signed => int(n.signum()),
            ("is_positive", None) if signed => Some(Ok(Value::Bool(n > 0))),
            ("is_negative", None) if signed => Some(Ok(Value::Bool(n < 0))),
            ("ilog10", None) if n > 0 => count(n.ilog10()),
            ("ilog", Some(m)) if n > 0 && m > 1 => count(n.ilog(m)),
            ("is_multiple_of", Some(m)) if !signed => {
                Some(Ok(Value::Bool(if m == 0 { n == 0 } else { n % m == 0 })))
            }
            ("unsigned_abs", None) if signed && known.is_some() => {
                let unsigned = prim.and_then(unsigned_of);
                Some(Ok(Value::Int(n.wrapping_abs(), unsigned)))
            }
            ("leading_ones", None) if known.is_some() => {
                count((!low << (128 - bits)).leading_zeros().min(bits))
            }
            ("trailing_ones", None) if known.is_some() => count(low.trailing_ones()),
            (
                "swap_bytes" | "reverse_bits" | "to_be" | "to_le" | "rotate_left" | "rotate_right",
                _,
            ) if known.is_none() => {
                let what = format!("`{name}` of an integer whose type is not written");
                Some(not_understood(&what))
            }
            ("swap_bytes", None) => int(fit(swapped(low, bits))),
            ("reverse_bits", None) => int(fit((low.reverse_bits() >> (128 - bits)) as i128)),
            ("to_be_bytes" | "to_le_bytes" | "to_ne_bytes", None) if known.is_some() => {
                let byte = |b: &u8| Value::Int(i128::from(*b), Some(Prim::U8));
                let bytes = &low.to_be_bytes()[(128 - bits as usize) / 8..];
                let bytes = bytes.iter().map(byte);
                Some(Ok(Value::Array(match self.begins_high(name) {
                    true => bytes.collect::<Vec<_>>().into(),
                    false => bytes.rev().collect::<Vec<_>>().into(),
                })))
            }
            ("to_be" | "to_le", None) => {
                let big = self.begins_high("ne");
                match (name == "to_be") == big {
                    true => int(n),
                    false => int(fit(swapped(low, bits))),
                }
            }
            ("rotate_left" | "rotate_right", Some(m)) if m >= 0 => {
                let by = (m % i128::from(bits)) as u32;
                let by = if name == "rotate_left" {
                    by
                } else {
                    (bits - by) % bits
                };
                let high = if by == 0 { 0 } else { low >> (bits - by) };
                int(fit((low << by | high) as i128))
            }
            ("pow", Some(m)) => {
                let value = u32::try_from(m).ok().and_then(|m| n.checked_pow(m));
                match value.filter(|v| fit(*v) == *v) {
                    Some(v) => int(v),
                    None => Some(not_understood("arithmetic that overflows")),
                }
            }
            ("div_ceil", Some(m)) if m > 0 && n >= 0 => int((n + m - 1) / m),
            ("next_multiple_of", Some(m)) if m > 0 && n >= 0 => int((n + m - 1) / m * m),
            ("min", Some(m)) => int(n.min(m)),
            ("max", Some(m)) => int(n.max(m)),
            ("abs_diff", Some(m)) => {
                let unsigned = if signed {
                    prim.and_then(unsigned_of)
                } else {
                    prim
                };
                Some(Ok(Value::Int(n.checked_sub(m)?.checked_abs()?, unsigned)))
            }
            ("rem_euclid", Some(m)) if m != 0 => int(n.rem_euclid(m)),
            ("div_euclid", Some(m)) if m != 0 => int(n.div_euclid(m)),
            ("abs", None) => int(n.abs()),
            ("count_ones", None) => count(low.count_ones()),
            ("count_zeros", None) => count(bits - low.count_ones()),
            ("leading_zeros", None) => count(low.leading_zeros() - (128 - bits)),
            ("trailing_zeros", None) => count(if low == 0 { bits } else { low.trailing_zeros() }),
            ("ilog2", None) if n > 0 => count(127 - low.leading_zeros()),
            ("is_power_of_two", None) => Some(Ok(Value::Bool(low.is_power_of_two()))),
            ("next_power_of_two", None) if n >= 0 => int(low.next_power_of_two() as i128),
            _ => None,
        }
    }
}

/// Evaluates the operator in the name of a method, like `checked_add`.
fn exactly(name: &str, n: i128, m: i128) -> Option<i128> {
    match name.rsplit('_').next() {
        Some("add") => n.checked_add(m),
        Some("sub") => n.checked_sub(m),
        Some("mul") => n.checked_mul(m),
        Some("div") => n.checked_div(m),
        // The quotient may overflow where the remainder does not.
        Some("rem") if m != -1 => n.checked_rem(m),
        _ => None,
    }
}

/// Swaps the bytes of an integer of this width.
fn swapped(low: u128, bits: u32) -> i128 {
    (low.swap_bytes() >> (128 - bits)) as i128
}

/// Returns the unsigned integer type of the same width.
fn unsigned_of(prim: Prim) -> Option<Prim> {
    match prim {
        Prim::I8 => Some(Prim::U8),
        Prim::I16 => Some(Prim::U16),
        Prim::I32 => Some(Prim::U32),
        Prim::I64 => Some(Prim::U64),
        Prim::I128 => Some(Prim::U128),
        Prim::Isize => Some(Prim::Usize),
        _ => None,
    }
}
