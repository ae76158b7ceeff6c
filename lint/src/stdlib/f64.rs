//! Constants of `f64` that are integers.

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
    pub const EPSILON: f64;
    pub const MIN: f64;
    pub const MIN_POSITIVE: f64;
    pub const MAX: f64;
    pub const NAN: f64;
    pub const INFINITY: f64;
    pub const NEG_INFINITY: f64;
    pub const RADIX: u32 = 2;
    pub const MANTISSA_DIGITS: u32 = 53;
    pub const DIGITS: u32 = 15;
    pub const MIN_EXP: i32 = -1021;
    pub const MAX_EXP: i32 = 1024;
}
