//! Floats in constants: arithmetic, comparisons and casts, in the width that rustc uses.

use super::consts::{Value, wrap};
use super::intrinsics::not_understood;
use super::ty::Prim;
use super::{Db, Res};
use std::cmp::Ordering;

/// A float; one whose type is not written is calculated in both widths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Float {
    /// An `f32`.
    Narrow(f32),
    /// An `f64`.
    Wide(f64),
    /// Either.
    Open(f32, f64),
}

/// An operation in one width.
trait Both {
    fn narrow(&self, a: f32, b: f32) -> f32;
    fn wide(&self, a: f64, b: f64) -> f64;
}

macro_rules! both {
    ($name:ident, |$a:ident, $b:ident| $result:expr) => {
        struct $name;
        impl Both for $name {
            fn narrow(&self, $a: f32, $b: f32) -> f32 {
                $result
            }
            fn wide(&self, $a: f64, $b: f64) -> f64 {
                $result
            }
        }
    };
}

both!(Add, |a, b| a + b);
both!(Sub, |a, b| a - b);
both!(Mul, |a, b| a * b);
both!(Div, |a, b| a / b);
both!(Rem, |a, b| a % b);
both!(Min, |a, b| a.min(b));
both!(Max, |a, b| a.max(b));
both!(Neg, |a, _b| -a);
both!(Abs, |a, _b| a.abs());
both!(Floor, |a, _b| a.floor());
both!(Ceil, |a, _b| a.ceil());
both!(Round, |a, _b| a.round());
both!(Trunc, |a, _b| a.trunc());

impl Float {
    /// Parses a literal.
    pub(super) fn parse(text: &str) -> Option<Float> {
        let text = text.replace('_', "");
        if let Some(text) = text.strip_suffix("f32") {
            return Some(Float::Narrow(text.parse().ok()?));
        }
        if let Some(text) = text.strip_suffix("f64") {
            return Some(Float::Wide(text.parse().ok()?));
        }
        Some(Float::Open(text.parse().ok()?, text.parse().ok()?))
    }

    /// Returns it as this type, if it may have it.
    pub(super) fn of_type(self, prim: Prim) -> Float {
        match (self, prim) {
            (Float::Open(narrow, _), Prim::F32) => Float::Narrow(narrow),
            (Float::Open(_, wide), Prim::F64) => Float::Wide(wide),
            _ => self,
        }
    }

    fn with(self, other: Float, op: &dyn Both) -> Option<Float> {
        use Float::{Narrow, Open, Wide};
        Some(match (self, other) {
            (Narrow(a), Narrow(b) | Open(b, _)) | (Open(a, _), Narrow(b)) => {
                Narrow(op.narrow(a, b))
            }
            (Wide(a), Wide(b) | Open(_, b)) | (Open(_, a), Wide(b)) => Wide(op.wide(a, b)),
            (Open(a, c), Open(b, d)) => Open(op.narrow(a, b), op.wide(c, d)),
            _ => return None,
        })
    }

    /// Compares two; `None` if the widths differ in the result.
    fn order(self, other: Float) -> Option<Option<Ordering>> {
        use Float::{Narrow, Open, Wide};
        match (self, other) {
            (Narrow(a), Narrow(b) | Open(b, _)) | (Open(a, _), Narrow(b)) => {
                Some(a.partial_cmp(&b))
            }
            (Wide(a), Wide(b) | Open(_, b)) | (Open(_, a), Wide(b)) => Some(a.partial_cmp(&b)),
            (Open(a, c), Open(b, d)) => {
                let order = a.partial_cmp(&b);
                (order == c.partial_cmp(&d)).then_some(order)
            }
            _ => None,
        }
    }

    /// Returns what a question has for an answer; `None` if the widths differ in it.
    fn ask<T: PartialEq>(self, narrow: impl Fn(f32) -> T, wide: impl Fn(f64) -> T) -> Option<T> {
        match self {
            Float::Narrow(n) => Some(narrow(n)),
            Float::Wide(n) => Some(wide(n)),
            Float::Open(a, b) => {
                let answer = narrow(a);
                (answer == wide(b)).then_some(answer)
            }
        }
    }
}

impl Db<'_> {
    /// Evaluates `-x`.
    pub(super) fn negated(&self, of: Float) -> Value {
        Value::Float(of.with(of, &Neg).unwrap_or(of))
    }

    /// Evaluates a binary operator of floats.
    pub(super) fn float_binary(&self, op: &str, a: Float, b: Float) -> Res<Value> {
        let arithmetic: Option<&dyn Both> = match op {
            "+" => Some(&Add),
            "-" => Some(&Sub),
            "*" => Some(&Mul),
            "/" => Some(&Div),
            "%" => Some(&Rem),
            _ => None,
        };
        if let Some(arithmetic) = arithmetic {
            let value = a.with(b, arithmetic).map(Value::Float);
            return value.map_or_else(|| not_understood("arithmetic of two types"), Ok);
        }
        let Some(order) = a.order(b) else {
            return not_understood("a comparison of floats whose type is not written");
        };
        Ok(Value::Bool(match op {
            "==" => order.is_some_and(|o| o.is_eq()),
            "!=" => !order.is_some_and(|o| o.is_eq()),
            "<" => order.is_some_and(|o| o.is_lt()),
            "<=" => order.is_some_and(|o| o.is_le()),
            ">" => order.is_some_and(|o| o.is_gt()),
            ">=" => order.is_some_and(|o| o.is_ge()),
            _ => return not_understood("an operator"),
        }))
    }

    /// Evaluates a cast of a float.
    pub(super) fn cast_float(&self, of: Float, prim: Prim) -> Res<Value> {
        let unclear = || not_understood("a cast of a float whose type is not written");
        match prim {
            Prim::F64 => match of {
                Float::Narrow(n) => Ok(Value::Float(Float::Wide(f64::from(n)))),
                _ => Ok(Value::Float(of.of_type(Prim::F64))),
            },
            Prim::F32 => {
                let narrow = of.ask(f32::to_bits, |n| (n as f32).to_bits());
                let narrow = narrow.map(|bits| Value::Float(Float::Narrow(f32::from_bits(bits))));
                narrow.map_or_else(unclear, Ok)
            }
            _ => {
                let width = prim.int(self.pointer_bits());
                let Some((bits, signed)) = width.filter(|(bits, _)| *bits < 128) else {
                    return not_understood("a cast");
                };
                // It saturates, like the cast in Rust.
                let (least, most) = match signed {
                    true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                let fit = |n: i128| n.clamp(least, most);
                let n = of.ask(|n| fit(n as i128), |n| fit(n as i128));
                let int = |n| Ok(Value::Int(wrap(n, bits, signed), Some(prim)));
                n.map_or_else(unclear, int)
            }
        }
    }

    /// Evaluates `n as f64`.
    pub(super) fn int_as_float(&self, n: i128, prim: Prim) -> Option<Value> {
        match prim {
            Prim::F32 => Some(Value::Float(Float::Narrow(n as f32))),
            Prim::F64 => Some(Value::Float(Float::Wide(n as f64))),
            _ => None,
        }
    }

    /// Evaluates a method of a float.
    pub(super) fn float_method(&self, name: &str, values: &[Value]) -> Option<Value> {
        let floats: Option<Vec<Float>> = values
            .iter()
            .map(|value| match value {
                Value::Float(float) => Some(*float),
                _ => None,
            })
            .collect();
        let op: &dyn Both = match name {
            "min" => &Min,
            "max" => &Max,
            "abs" => &Abs,
            "floor" => &Floor,
            "ceil" => &Ceil,
            "round" => &Round,
            "trunc" => &Trunc,
            _ => return self.bits_of(name, &floats?),
        };
        let value = match (name, &floats?[..]) {
            ("min" | "max", [a, b]) => a.with(*b, op),
            ("min" | "max", _) => None,
            (_, [a]) => a.with(*a, op),
            _ => None,
        };
        value.map(Value::Float)
    }

    fn bits_of(&self, name: &str, floats: &[Float]) -> Option<Value> {
        match (name, floats) {
            // The bits of what is no number are not determined.
            ("to_bits", [Float::Narrow(n)]) if !n.is_nan() => {
                Some(Value::int(u64::from(n.to_bits()), Prim::U32))
            }
            ("to_bits", [Float::Wide(n)]) if !n.is_nan() => {
                Some(Value::int(n.to_bits(), Prim::U64))
            }
            ("is_nan", [n]) => n.ask(f32::is_nan, f64::is_nan).map(Value::Bool),
            ("is_infinite", [n]) => n.ask(f32::is_infinite, f64::is_infinite).map(Value::Bool),
            ("is_finite", [n]) => n.ask(f32::is_finite, f64::is_finite).map(Value::Bool),
            _ => None,
        }
    }
}
