//! The interface for programs: a recording allocator, named moments, and what is counted for tests.

use crate::platform::{ask, moment};
use crate::protocol::answer;
use std::alloc::System;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

/// An allocator that forwards to another one and records live blocks for `cargo weigh census`.
///
/// Use it as the `#[global_allocator]`. Without a census it adds no bytes to a block.
#[derive(Debug, Default)]
pub struct Heap<A = System> {
    pub(crate) inner: A,
}

impl Heap {
    /// Creates an allocator that forwards to the system's.
    pub const fn new() -> Heap {
        Heap { inner: System }
    }
}

impl<A> Heap<A> {
    /// Creates an allocator that forwards to this one: `Heap::wrap(MiMalloc)`.
    pub const fn wrap(inner: A) -> Heap<A> {
        Heap { inner }
    }
}

/// Names a moment: `cargo weigh census --at LABEL` counts what is live now.
pub fn census(label: &str) {
    if !is_asked() {
        return;
    }
    moment(label, std::ptr::null(), std::ptr::null());
}

/// Names a moment and a value: only what the value owns is counted.
///
/// A test or benchmark that `cargo weigh census` runs (`--test`, `--bench`, `--lib`) gets what was
/// counted, and can hold it against a limit. In any other run this is `None`.
///
/// ```
/// let tree = vec![String::from("a"), String::from("b")];
/// if let Some(counted) = weigh_heap::census_of("tree", &tree) {
///     assert!(counted.bytes() < 100);
///     assert_eq!(counted.values::<String>(), Ok(2));
/// }
/// ```
pub fn census_of<T>(label: &str, value: &T) -> Option<Counted> {
    if !is_asked() {
        return None;
    }
    let root: &dyn Root = &Rooted(value);
    // Debug info has the address of each vtable, and with it the type.
    let table = table_of(root);
    let value = std::ptr::from_ref(value).cast();
    moment(label, value, table);
    let mut words = [0; answer::MOST];
    let question = Question {
        label,
        root: value,
        table,
        since: 0,
    };
    match ask(&question, &mut words) {
        0 => None,
        _ => Some(Counted::new(&words)),
    }
}

/// Runs a function, and counts by how much the heap has grown with what it returns.
///
/// As with [`census_of`], only a test or benchmark that `cargo weigh census` runs gets numbers: these
/// tests run one after the other, but what other threads do meanwhile counts too.
///
/// ```
/// let (list, grown) = weigh_heap::measure(|| vec![String::from("a")]);
/// if let Some(grown) = grown {
///     assert_eq!(grown.values::<String>(), Ok(list.len() as i64));
/// }
/// ```
pub fn measure<R>(function: impl FnOnce() -> R) -> (R, Option<Counted>) {
    if !is_asked() {
        return (function(), None);
    }
    let count = |since, words: &mut [u64]| {
        let question = Question {
            label: "measure",
            root: std::ptr::null(),
            table: std::ptr::null(),
            since,
        };
        ask(&question, words)
    };
    let mut before = count(0, &mut []);
    // Whoever has started this thread may still be at work: until nothing changes.
    for _ in 0..SETTLED {
        let mut words = [0; answer::HEAD];
        before = count(before, &mut words);
        if words[answer::BYTES] == 0 && words[answer::BLOCKS] == 0 {
            break;
        }
    }
    let value = function();
    let mut words = [0; answer::MOST];
    if before == 0 || count(before, &mut words) == 0 {
        return (value, None);
    }
    (value, Some(Counted::new(&words)))
}

/// How often is waited for other threads to settle. Where they do not, what they do counts too.
const SETTLED: usize = 4;

/// What `cargo weigh` is to count for a test.
#[allow(dead_code, reason = "it is read where programs are recorded")]
pub(crate) struct Question<'l> {
    pub(crate) label: &'l str,
    /// The only value to count, or null.
    pub(crate) root: *const (),
    pub(crate) table: *const (),
    /// The number of an earlier answer that this one is a difference to, or 0.
    pub(crate) since: u64,
}

/// What `cargo weigh` has counted for this test: of [`census_of`] all that a value owns, of
/// [`measure`] the difference, which is negative where the function has freed more.
#[derive(Clone, Debug)]
pub struct Counted {
    words: Vec<u64>,
}

/// Not all of the heap could be read: there may be other values than those that were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncertain {
    /// How many values were counted.
    pub counted: i64,
}

impl std::fmt::Display for Uncertain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.counted;
        write!(
            f,
            "{n} values were counted, and not all of the heap was read"
        )
    }
}

impl std::error::Error for Uncertain {}

impl Counted {
    fn new(words: &[u64; answer::MOST]) -> Counted {
        let types = words[answer::TYPES] as usize;
        let end = types.saturating_mul(answer::TYPE);
        let end = end.saturating_add(answer::HEAD).min(words.len());
        Counted {
            words: words[..end].to_vec(),
        }
    }

    /// Returns the live bytes, as requested from the allocator.
    pub fn bytes(&self) -> i64 {
        self.words[answer::BYTES] as i64
    }

    /// Returns the number of live blocks.
    pub fn blocks(&self) -> i64 {
        self.words[answer::BLOCKS] as i64
    }

    /// Returns the number of values of a type in these blocks, those within other values included.
    ///
    /// # Errors
    /// There may be others: some blocks that may hold them have no known type and are new or
    /// changed, as std's own list of threads is after a thread was started; or the type is one that
    /// is not counted, such as an integer; or the program asks for more than 169 types.
    pub fn values<T>(&self) -> Result<i64, Uncertain> {
        let table = table_of(&Of::<T>(PhantomData)) as u64;
        let types = self.words[answer::HEAD..].chunks_exact(answer::TYPE);
        match types.into_iter().find(|found| found[0] == table) {
            Some([_, n, 0]) => Ok(*n as i64),
            Some([_, n, _]) => Err(Uncertain { counted: *n as i64 }),
            _ => Err(Uncertain { counted: 0 }),
        }
    }
}

/// Returns true if `cargo weigh census` runs the program; reads the environment once.
#[inline]
fn is_asked() -> bool {
    const NO: u8 = 1;
    const YES: u8 = 2;
    static ASKED: AtomicU8 = AtomicU8::new(0);
    match ASKED.load(Ordering::Relaxed) {
        NO => false,
        YES => true,
        _ => {
            let asked = std::env::var_os("WEIGH_CENSUS").is_some();
            ASKED.store(if asked { YES } else { NO }, Ordering::Relaxed);
            asked
        }
    }
}

/// A trait with a distinct vtable for each type.
trait Root {
    /// Returns the type's name: without it, vtables with equal methods could be merged.
    fn name(&self) -> &'static str;
}

/// The value to count.
struct Rooted<'v, T>(#[allow(dead_code, reason = "its type is read in debug info")] &'v T);

impl<T> Root for Rooted<'_, T> {
    #[inline(never)]
    fn name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

/// A type whose values are asked for.
struct Of<T>(PhantomData<T>);

impl<T> Root for Of<T> {
    #[inline(never)]
    fn name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

fn table_of(root: &dyn Root) -> *const () {
    // Keeps the method, and with it the distinct vtable.
    std::hint::black_box(root.name());
    let parts: [*const (); 2] = {
        const _: () = assert!(size_of::<&dyn Root>() == size_of::<[*const (); 2]>());
        // SAFETY: a reference to a trait object is a pointer to the value and one to its vtable.
        unsafe { std::mem::transmute::<&dyn Root, [*const (); 2]>(root) }
    };
    parts[1]
}
