//! Single-consumer channels.

use crate::iter::{IntoIterator, Iterator};

pub use crate::sync::mpmc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

pub struct IntoIter<T> { rx: Receiver<T> }
pub struct Iter<'a, T> { rx: &'a Receiver<T> }
pub struct Receiver<T> { inner: crate::sync::mpmc::Receiver<T> }
pub struct Sender<T> { inner: crate::sync::mpmc::Sender<T> }
pub struct SyncSender<T> { inner: crate::sync::mpmc::Sender<T> }
pub struct TryIter<'a, T> { rx: &'a Receiver<T> }

impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = T; }
impl<'a, T> IntoIterator for &'a Receiver<T> { type Item = T; type IntoIter = Iter<'a, T>; }
impl<T> IntoIterator for Receiver<T> { type Item = T; type IntoIter = IntoIter<T>; }
impl<'a, T> Iterator for TryIter<'a, T> { type Item = T; }
