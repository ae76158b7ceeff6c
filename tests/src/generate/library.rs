//! Types of the standard library for fields.

use super::Random;
use super::fields::Field;

/// Types that contain another by value: the text before and after it.
pub(super) const HOLDS: &[(&str, &str)] = &[
    ("std::cell::Cell<", ">"),
    ("std::cell::RefCell<", ">"),
    ("std::cell::UnsafeCell<", ">"),
    ("std::cell::OnceCell<", ">"),
    ("std::cell::LazyCell<", ">"),
    ("std::sync::Mutex<", ">"),
    ("std::sync::RwLock<", ">"),
    ("std::sync::OnceLock<", ">"),
    ("std::sync::LazyLock<", ">"),
    ("std::mem::ManuallyDrop<", ">"),
    ("std::mem::MaybeUninit<", ">"),
    ("std::task::Poll<", ">"),
    ("std::cmp::Reverse<", ">"),
    ("std::num::Wrapping<", ">"),
    ("std::ops::Range<", ">"),
    ("std::ops::RangeInclusive<", ">"),
    ("std::ops::RangeTo<", ">"),
    ("std::ops::Bound<", ">"),
    ("std::ops::ControlFlow<", ">"),
    ("std::pin::Pin<", ">"),
    ("std::option::IntoIter<", ">"),
    ("std::panic::AssertUnwindSafe<", ">"),
    ("std::iter::Once<", ">"),
    ("std::sync::mpsc::SendError<", ">"),
    ("std::sync::mpsc::TrySendError<", ">"),
    ("std::io::BufReader<", ">"),
    ("std::io::Cursor<", ">"),
    ("std::io::Take<", ">"),
    ("std::result::Result<u8, ", ">"),
    ("std::result::Result<", ", ()>"),
    ("Option<Option<", ">>"),
    ("Resolved<", ">"),
    ("<&'static ", " as Pj>::A"),
    ("cfg_select! { any() => { () } _ => { ", " } }"),
];

/// Types that an `impl` resolves to one that contains another by value.
pub(super) const RESOLVED: &[(&str, &str)] = &[
    ("<Tp<", "> as Pj>::A"),
    ("<&'static ", " as Pj>::A"),
    ("Resolved<", ">"),
    ("<Option<", "> as IntoIterator>::Item"),
    ("<(Tp<", ">, u8) as Both>::A"),
];

/// Types that only point to another.
pub(super) const POINTS: &[(&str, &str)] = &[
    ("Vec<", ">"),
    ("Box<", ">"),
    ("std::rc::Rc<", ">"),
    ("std::rc::Weak<", ">"),
    ("std::sync::Arc<", ">"),
    ("std::sync::Weak<", ">"),
    ("std::collections::VecDeque<", ">"),
    ("std::collections::LinkedList<", ">"),
    ("std::collections::HashSet<", ">"),
    ("std::collections::BTreeSet<", ">"),
    ("std::collections::BinaryHeap<", ">"),
    ("std::sync::atomic::AtomicPtr<", ">"),
    ("std::marker::PhantomData<", ">"),
    ("std::sync::mpsc::Sender<", ">"),
    ("std::sync::mpsc::Receiver<", ">"),
    ("std::sync::mpsc::SyncSender<", ">"),
    ("std::vec::IntoIter<", ">"),
    ("std::slice::Iter<'static, ", ">"),
    ("std::slice::Chunks<'static, ", ">"),
    ("std::cell::Ref<'static, ", ">"),
    ("std::cell::RefMut<'static, ", ">"),
    ("std::sync::MutexGuard<'static, ", ">"),
    ("std::sync::RwLockReadGuard<'static, ", ">"),
    ("std::thread::JoinHandle<", ">"),
    ("std::iter::Rev<std::vec::IntoIter<", ">>"),
    ("std::iter::Enumerate<std::slice::Iter<'static, ", ">>"),
    ("std::iter::Empty<", ">"),
    ("std::mem::Discriminant<Option<", ">>"),
    ("std::pin::Pin<Box<", ">>"),
];

/// Types of two others; `true` if it contains them by value.
pub(super) const PAIRS: &[(&str, &str, bool)] = &[
    ("Result<", ">", true),
    ("Result<", ">", true),
    ("std::ops::ControlFlow<", ">", true),
    ("std::collections::HashMap<", ">", false),
    ("std::collections::BTreeMap<", ">", false),
    ("std::collections::hash_map::IntoIter<", ">", false),
    ("std::collections::btree_map::IntoIter<", ">", false),
    ("fn(", ")", false),
    ("std::iter::Map<std::vec::IntoIter<u8>, fn(", ")>", false),
];

const PLAIN: &[&str] = &[
    "String",
    "std::path::PathBuf",
    "std::ffi::OsString",
    "std::ffi::CString",
    "std::time::Duration",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::net::IpAddr",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
    "std::net::SocketAddr",
    "std::net::SocketAddrV6",
    "std::net::TcpStream",
    "std::fs::File",
    "std::fs::Metadata",
    "std::fs::OpenOptions",
    "std::thread::Thread",
    "std::thread::ThreadId",
    "std::process::Child",
    "std::process::Command",
    "std::process::ExitStatus",
    "std::io::Error",
    "std::io::ErrorKind",
    "std::io::Stdin",
    "std::fmt::Error",
    "std::fmt::Alignment",
    "std::cmp::Ordering",
    "std::sync::Condvar",
    "std::sync::Once",
    "std::sync::Barrier",
    "std::alloc::Layout",
    "std::any::TypeId",
    "std::task::Waker",
    "std::task::Context<'static>",
    "std::sync::atomic::AtomicBool",
    "std::sync::atomic::AtomicU64",
    "std::num::NonZeroU8",
    "std::num::NonZeroU32",
    "std::num::NonZeroI64",
    "std::num::NonZero<u128>",
    "std::num::NonZero<char>",
    "std::num::ParseIntError",
    "std::num::TryFromIntError",
    "std::str::Utf8Error",
    "std::str::Chars<'static>",
    "std::str::CharIndices<'static>",
    "std::string::FromUtf8Error",
    "std::env::VarError",
    "std::env::Args",
    "std::convert::Infallible",
    "std::ops::RangeFull",
    "std::borrow::Cow<'static, str>",
    "std::borrow::Cow<'static, [u32]>",
    "std::fmt::Arguments<'static>",
    "std::panic::Location<'static>",
    "std::collections::hash_map::DefaultHasher",
    "std::collections::hash_map::RandomState",
    "std::sync::mpsc::RecvError",
    "std::sync::mpsc::TryRecvError",
    "std::vec::Drain<'static, u8>",
    "std::marker::PhantomPinned",
    "std::ascii::EscapeDefault",
    "std::char::ToUppercase",
    "std::path::Component<'static>",
    "std::path::Components<'static>",
    "std::ffi::c_void",
    "std::array::IntoIter<u16, 3>",
];

#[cfg(target_arch = "x86_64")]
const VECTORS: &[&str] = &[
    "core::arch::x86_64::__m128i",
    "core::arch::x86_64::__m256",
    "core::arch::x86_64::__m512d",
];
#[cfg(target_arch = "aarch64")]
const VECTORS: &[&str] = &[
    "core::arch::aarch64::uint8x16_t",
    "core::arch::aarch64::float32x2_t",
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const VECTORS: &[&str] = &["u8"];

/// Returns a type without parameters.
pub(super) fn plain(random: &mut Random) -> Field {
    let list = if random.once_in(12) { VECTORS } else { PLAIN };
    // Any of them may contain atomics, which are over-aligned.
    Field {
        copy: false,
        aligned: true,
        ..Field::plain(random.pick(list), 512)
    }
}
