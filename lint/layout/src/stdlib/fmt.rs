//! Formatting.

use crate::marker::PhantomData;
use crate::ptr::NonNull;

pub enum Alignment { Left, Right, Center }
pub enum DebugAsHex { Lower, Upper }
pub enum Sign { Plus, Minus }
#[cfg(version("1.93"))]
pub struct Arguments<'a> { template: NonNull<u8>, args: NonNull<Argument<'a>> }
#[cfg(not(version("1.93")))]
pub struct Arguments<'a> {
    pieces: &'a [&'static str],
    fmt: crate::option::Option<&'a [Placeholder]>,
    args: &'a [Argument<'a>],
}
// Behind a pointer: declared empty.
struct Placeholder;
struct DebugInner<'a, 'b> { fmt: &'a mut Formatter<'b>, result: crate::result::Result<(), Error>, has_fields: bool }
struct PadAdapterState { on_newline: bool }
pub struct DebugList<'a, 'b> { inner: DebugInner<'a, 'b> }
pub struct DebugMap<'a, 'b> {
    fmt: &'a mut Formatter<'b>,
    result: crate::result::Result<(), Error>,
    has_fields: bool,
    has_key: bool,
    state: PadAdapterState,
}
pub struct DebugSet<'a, 'b> { inner: DebugInner<'a, 'b> }
pub struct DebugStruct<'a, 'b> {
    fmt: &'a mut Formatter<'b>,
    result: crate::result::Result<(), Error>,
    has_fields: bool,
}
struct Argument<'a> { value: NonNull<()>, formatter: fn(NonNull<()>, &mut Formatter<'a>), _lifetime: PhantomData<&'a ()> }
pub struct DebugTuple<'a, 'b> {
    fmt: &'a mut Formatter<'b>,
    result: crate::result::Result<(), Error>,
    fields: usize,
    empty_name: bool,
}
pub struct Error;
pub struct Formatter<'a> { options: FormattingOptions, buf: &'a mut dyn Write }
#[cfg(version("1.87"))]
pub struct FormattingOptions { flags: u32, width: u16, precision: u16 }
#[cfg(not(version("1.87")))]
pub struct FormattingOptions {
    flags: u32,
    fill: char,
    align: crate::option::Option<Alignment>,
    width: crate::option::Option<usize>,
    precision: crate::option::Option<usize>,
}
pub struct FromFn<F>(F);
pub trait Binary {}
#[weigh(slices(fmt))]
pub trait Debug {}
#[weigh(slices(fmt))]
pub trait Display {}
pub trait LowerExp {}
pub trait LowerHex {}
pub trait Octal {}
pub trait Pointer {}
pub trait UpperExp {}
pub trait UpperHex {}
pub trait Write {}
pub type Result = crate::result::Result<(), Error>;

macro_rules! shown {
    ($($type:ty)*) => { $(
        impl Debug for $type {}
        impl Display for $type {}
    )* };
}
shown! { bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize str crate::string::String }
