//! Input and output.

use crate::boxed::Box;
use crate::cell::RefCell;
use crate::iter::Iterator;
use crate::marker::Sized;
use crate::mem::MaybeUninit;
use crate::ops::Deref;
use crate::ptr::NonNull;
use crate::string::String;
use crate::sync::{Mutex, MutexGuard, ReentrantLock, ReentrantLockGuard};
use crate::sys::io;
use crate::vec::Vec;

pub enum ErrorKind {
    NotFound,
    PermissionDenied,
    ConnectionRefused,
    ConnectionReset,
    HostUnreachable,
    NetworkUnreachable,
    ConnectionAborted,
    NotConnected,
    AddrInUse,
    AddrNotAvailable,
    NetworkDown,
    BrokenPipe,
    AlreadyExists,
    WouldBlock,
    NotADirectory,
    IsADirectory,
    DirectoryNotEmpty,
    ReadOnlyFilesystem,
    FilesystemLoop,
    StaleNetworkFileHandle,
    InvalidInput,
    InvalidData,
    TimedOut,
    WriteZero,
    StorageFull,
    NotSeekable,
    QuotaExceeded,
    FileTooLarge,
    ResourceBusy,
    ExecutableFileBusy,
    Deadlock,
    CrossesDevices,
    TooManyLinks,
    InvalidFilename,
    ArgumentListTooLong,
    Interrupted,
    Unsupported,
    UnexpectedEof,
    OutOfMemory,
    InProgress,
    #[cfg(version("1.98"))]
    TooManyOpenFiles,
    #[cfg(version("1.99"))]
    InputOutputError,
    Other,
    Uncategorized,
}
pub enum SeekFrom { Start(u64), End(i64), Current(i64) }
#[cfg(version("1.98"))]
pub struct BorrowedBuf<'data, T> { buf: &'data mut [MaybeUninit<T>], filled: usize, init: bool }
#[cfg(not(version("1.98")))]
pub struct BorrowedBuf<'data> {
    buf: &'data mut [MaybeUninit<u8>],
    filled: usize,
    #[cfg(version("1.96"))]
    init: bool,
    #[cfg(not(version("1.96")))]
    init: usize,
}
#[cfg(version("1.98"))]
pub struct BorrowedCursor<'a, T> {
    #[cfg(version("1.100"))]
    buf: NonNull<MaybeUninit<T>>,
    #[cfg(version("1.100"))]
    borrowed_buf: NonNull<BorrowedBuf<'a, T>>,
    #[cfg(not(version("1.100")))]
    buf: &'a mut BorrowedBuf<'a, T>,
}
#[cfg(not(version("1.98")))]
pub struct BorrowedCursor<'a> {
    buf: &'a mut BorrowedBuf<'a>,
    #[cfg(not(version("1.90")))]
    start: usize,
}
pub struct BufReader<R: ?Sized> { buf: Buffer, inner: R }
pub struct BufWriter<W: ?Sized> { buf: Vec<u8>, panicked: bool, inner: W }
struct Buffer {
    buf: Box<[MaybeUninit<u8>]>,
    pos: usize,
    filled: usize,
    #[cfg(version("1.96"))]
    initialized: bool,
    #[cfg(not(version("1.96")))]
    initialized: usize,
}
pub struct Bytes<R> { inner: R }
pub struct Chain<T, U> { first: T, second: U, done_first: bool }
pub struct Cursor<T> { inner: T, pos: u64 }
pub struct Empty;
#[weigh(no_copy)]
pub struct Error { repr: Repr }
// One tagged pointer, or an enum where a pointer has too few spare bits.
#[cfg(all(target_pointer_width = "64", not(target_os = "uefi")))]
struct Repr(NonNull<()>);
#[cfg(any(not(target_pointer_width = "64"), target_os = "uefi"))]
struct Repr(ErrorData<Box<Custom>>);
enum ErrorData<C> { Os(RawOsError), Simple(ErrorKind), SimpleMessage(&'static SimpleMessage), Custom(C) }
struct Custom { kind: ErrorKind, error: Box<dyn crate::any::Any> }
pub struct IntoInnerError<W>(W, Error);
#[repr(transparent)]
pub struct IoSlice<'a>(io::IoSlice<'a>);
#[repr(transparent)]
pub struct IoSliceMut<'a>(io::IoSliceMut<'a>);
pub struct LineWriter<W: ?Sized> { inner: BufWriter<W> }
pub struct Lines<B> { buf: B }
pub struct PipeReader(io::Pipe);
pub struct PipeWriter(io::Pipe);
pub struct Repeat { byte: u8 }
#[repr(align(4))]
pub struct SimpleMessage { pub kind: ErrorKind, pub message: &'static str }
pub struct Sink;
pub struct Split<B> { buf: B, delim: u8 }
pub struct Stderr { inner: &'static ReentrantLock<RefCell<io::StderrRaw>> }
pub struct StderrLock<'a> { inner: ReentrantLockGuard<'a, RefCell<io::StderrRaw>> }
pub struct Stdin { inner: &'static Mutex<BufReader<io::StdinRaw>> }
pub struct StdinLock<'a> { inner: MutexGuard<'a, BufReader<io::StdinRaw>> }
pub struct Stdout { inner: &'static ReentrantLock<RefCell<LineWriter<io::StdoutRaw>>> }
pub struct StdoutLock<'a> { inner: ReentrantLockGuard<'a, RefCell<LineWriter<io::StdoutRaw>>> }
pub struct Take<T> {
    inner: T,
    #[cfg(version("1.89"))]
    len: u64,
    limit: u64,
}
pub struct WriterPanicked { buf: Vec<u8> }
pub trait BufRead: Read {}
pub trait IsTerminal {}
pub trait Read {}
pub trait Seek {}
pub trait Write {}
pub type RawOsError = i32;
pub type Result<T> = crate::result::Result<T, Error>;

impl<R> Iterator for Bytes<R> { type Item = crate::result::Result<u8, Error>; }
impl<'a> Deref for IoSlice<'a> { type Target = [u8]; }
impl<'a> Deref for IoSliceMut<'a> { type Target = [u8]; }
impl<B> Iterator for Lines<B> { type Item = crate::result::Result<String, Error>; }
impl<B> Iterator for Split<B> { type Item = crate::result::Result<Vec<u8>, Error>; }

pub mod prelude {
    pub use super::{BufRead, Read, Seek, Write};
}
