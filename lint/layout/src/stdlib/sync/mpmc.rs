//! Multi-consumer channels.

use crate::iter::{IntoIterator, Iterator};

pub enum RecvTimeoutError { Timeout, Disconnected }
pub enum SendTimeoutError<T> { Timeout(T), Disconnected(T) }
pub enum TryRecvError { Empty, Disconnected }
pub enum TrySendError<T> { Full(T), Disconnected(T) }
pub struct IntoIter<T> { rx: Receiver<T> }
pub struct Iter<'a, T> { rx: &'a Receiver<T> }
pub struct Receiver<T> { flavor: ReceiverFlavor<T> }
// A pointer to the shared part, for any flavor.
enum ReceiverFlavor<T> { Array(Counter<T>), List(Counter<T>), Zero(Counter<T>) }
enum SenderFlavor<T> { Array(Counter<T>), List(Counter<T>), Zero(Counter<T>) }
struct Counter<T> { counter: *mut T }
pub struct RecvError;
pub struct SendError<T>(pub T);
pub struct Sender<T> { flavor: SenderFlavor<T> }
pub struct TryIter<'a, T> { rx: &'a Receiver<T> }

impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = T; }
impl<'a, T> IntoIterator for &'a Receiver<T> { type Item = T; type IntoIter = Iter<'a, T>; }
impl<T> IntoIterator for Receiver<T> { type Item = T; type IntoIter = IntoIter<T>; }
impl<'a, T> Iterator for TryIter<'a, T> { type Item = T; }
