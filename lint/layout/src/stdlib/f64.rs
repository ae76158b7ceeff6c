//! Constants of `f64`.

pub const RADIX: u32 = 2;
pub const MANTISSA_DIGITS: u32 = 53;
pub const DIGITS: u32 = 15;
pub const MIN_EXP: i32 = -1021;
pub const MAX_EXP: i32 = 1024;
pub const MIN_10_EXP: i32 = -307;
pub const MAX_10_EXP: i32 = 308;

impl f64 {
    pub const MIN_10_EXP: i32 = -307;
    pub const MAX_10_EXP: i32 = 308;
    pub const EPSILON: f64 = 2.2204460492503131e-16;
    pub const MIN: f64 = -1.7976931348623157e+308;
    pub const MIN_POSITIVE: f64 = 2.2250738585072014e-308;
    pub const MAX: f64 = 1.7976931348623157e+308;
    pub const NAN: f64 = 0.0 / 0.0;
    pub const INFINITY: f64 = 1.0 / 0.0;
    pub const NEG_INFINITY: f64 = -1.0 / 0.0;
    pub const RADIX: u32 = 2;
    pub const MANTISSA_DIGITS: u32 = 53;
    pub const DIGITS: u32 = 15;
    pub const MIN_EXP: i32 = -1021;
    pub const MAX_EXP: i32 = 1024;
}
