//! Constants of `f32`.

pub const RADIX: u32 = 2;
pub const MANTISSA_DIGITS: u32 = 24;
pub const DIGITS: u32 = 6;
pub const MIN_EXP: i32 = -125;
pub const MAX_EXP: i32 = 128;
pub const MIN_10_EXP: i32 = -37;
pub const MAX_10_EXP: i32 = 38;

impl f32 {
    pub const MIN_10_EXP: i32 = -37;
    pub const MAX_10_EXP: i32 = 38;
    pub const EPSILON: f32 = 1.19209290e-07;
    pub const MIN: f32 = -3.40282347e+38;
    pub const MIN_POSITIVE: f32 = 1.17549435e-38;
    pub const MAX: f32 = 3.40282347e+38;
    pub const NAN: f32 = 0.0 / 0.0;
    pub const INFINITY: f32 = 1.0 / 0.0;
    pub const NEG_INFINITY: f32 = -1.0 / 0.0;
    pub const RADIX: u32 = 2;
    pub const MANTISSA_DIGITS: u32 = 24;
    pub const DIGITS: u32 = 6;
    pub const MIN_EXP: i32 = -125;
    pub const MAX_EXP: i32 = 128;
}
