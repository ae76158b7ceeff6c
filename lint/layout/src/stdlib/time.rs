//! Points and spans of time.

use crate::niche::Nanoseconds;
use crate::ops::{Add, Div, Mul, Sub};
use crate::sys::time;

pub struct Duration { secs: u64, nanos: Nanoseconds }
pub struct Instant(time::Instant);
pub struct SystemTime(time::SystemTime);
pub struct SystemTimeError(Duration);
enum TryFromFloatSecsErrorKind { Negative, OverflowOrNan }
pub struct TryFromFloatSecsError { kind: TryFromFloatSecsErrorKind }

impl Add<Duration> for Instant { type Output = Instant; }
impl Add<Duration> for SystemTime { type Output = SystemTime; }
impl Add for Duration { type Output = Duration; }
impl Div<u32> for Duration { type Output = Duration; }
impl Mul<Duration> for u32 { type Output = Duration; }
impl Mul<u32> for Duration { type Output = Duration; }
impl Sub<Duration> for Instant { type Output = Instant; }
impl Sub<Duration> for SystemTime { type Output = SystemTime; }
impl Sub for Duration { type Output = Duration; }
impl Sub for Instant { type Output = Duration; }

impl Duration { pub const ZERO: Duration; pub const MAX: Duration; }
impl SystemTime { pub const UNIX_EPOCH: SystemTime; }
