//! Captured stacks.

use crate::sync::LazyLock;
use crate::vec::Vec;

pub enum BacktraceStatus { Unsupported, Disabled, Captured }
pub struct Backtrace { inner: Inner }
enum Inner { Unsupported, Disabled, Captured(LazyLock<Capture, LazyResolve>) }
// The frames are behind a pointer: declared empty.
struct Capture { actual_start: usize, frames: Vec<()> }
// A closure that owns what it will resolve.
struct LazyResolve(Capture);
