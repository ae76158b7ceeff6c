//! Hashing.

use crate::marker::PhantomData;

pub struct BuildHasherDefault<H>(PhantomData<fn() -> H>);
pub struct DefaultHasher(SipHasher13);
pub struct RandomState { k0: u64, k1: u64 }
pub struct SipHasher(SipHasher24);
struct SipHasher13 { hasher: SipState }
struct SipHasher24 { hasher: SipState }
struct SipState {
    k0: u64,
    k1: u64,
    length: usize,
    v0: u64,
    v2: u64,
    v1: u64,
    v3: u64,
    tail: u64,
    ntail: usize,
}
pub trait BuildHasher { type Hasher: Hasher; }
#[weigh(slices(hash))]
pub trait Hash {}
pub trait Hasher {}

impl Hasher for DefaultHasher {}
impl Hasher for SipHasher {}
impl<H: Hasher> BuildHasher for BuildHasherDefault<H> { type Hasher = H; }
impl BuildHasher for RandomState { type Hasher = DefaultHasher; }

macro_rules! hashed {
    ($($type:ty)*) => { $( impl Hash for $type {} )* };
}
hashed! { bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize () str crate::string::String }
