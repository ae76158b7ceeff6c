//! Methods of lists and texts from traits of std and of well-known crates, for their effects:
//! looked up last, after the traits of the crates that are read.

use crate::ffi::OsString;
use crate::path::{Path, PathBuf};
use super::Iter;

#[reads]
impl<T> [T] {
    #[tells] fn fmt(&self, to: _) -> _;
    #[tells] fn hash(&self, to: _);
    #[tells] fn serialize(&self, to: _) -> _;
    #[each] fn par_iter(&self) -> _;
    fn par_chunks(&self, n: usize) -> _;
    fn par_iter_mut(&mut self) -> _;
    fn tuple_windows(&self) -> _;
    #[each] fn group_by(&self) -> _;
    #[lends] #[items] fn by_ref(&mut self) -> _;
    #[sets] fn clone_from(&mut self, other: _);
    #[takes] fn into(self) -> _;
    #[takes] fn try_into(self) -> _;
    #[reads_as_owner] #[looks] fn as_ref(&self) -> _;
    #[reads_as_owner] fn as_mut(&mut self) -> _;
    #[reads_as_owner] fn borrow(&self) -> _;
    #[reads_as_owner] fn cmp(&self, other: _) -> _;
    #[reads_as_owner] fn deref(&self) -> _;
    #[reads_as_owner] fn deref_mut(&mut self) -> _;
    #[reads_as_owner] fn eq(&self, other: _) -> bool;
    #[consumes] fn into_par_iter(self) -> _;
    #[reads_as_owner] fn ne(&self, other: _) -> bool;
    #[reads_as_owner] fn partial_cmp(&self, other: _) -> _;
    #[reads_as_owner] fn to_socket_addrs(&self) -> _;
}

#[reads]
impl str {
    #[tells] fn fmt(&self, to: _) -> _;
    fn grapheme_indices(&self, extended: bool) -> Iter<(usize, &str)>;
    fn graphemes(&self, extended: bool) -> Iter<&str>;
    #[tells] fn hash(&self, to: _);
    fn raw(&self) -> _;
    #[tells] fn serialize(&self, to: _) -> _;
    fn split_word_bounds(&self) -> Iter<&str>;
    fn width(&self) -> _;
    #[sets] fn clone_from(&mut self, other: _);
    #[takes] #[keeps] #[converts] fn into(self) -> _;
    #[takes] fn into_boxed_bstr(self) -> _;
    #[takes] fn try_into(self) -> _;
    #[reads_as_owner] #[keeps] #[looks] fn as_ref(&self) -> _;
    #[reads_as_owner] #[keeps] fn as_mut(&mut self) -> _;
    #[reads_as_owner] #[keeps] fn borrow(&self) -> _;
    #[reads_as_owner] fn cmp(&self, other: _) -> _;
    #[reads_as_owner] #[keeps] fn deref(&self) -> _;
    #[reads_as_owner] fn deref_mut(&mut self) -> _;
    #[reads_as_owner] fn eq(&self, other: _) -> bool;
    #[reads_as_owner] fn ne(&self, other: _) -> bool;
    #[reads_as_owner] fn partial_cmp(&self, other: _) -> _;
    #[reads_as_owner] fn to_socket_addrs(&self) -> _;
}

#[grows]
impl<T> Vec<T> {
    fn add_assign(&mut self, other: _);
    fn collect_into(&mut self, other: _) -> _;
    fn extend_one(&mut self, value: T);
    fn par_extend(&mut self, items: _);
    fn put(&mut self, from: _);
    #[as_slice] fn put_slice(&mut self, from: &[u8]);
    fn put_u8(&mut self, value: u8);
    fn write(&mut self, from: &[u8]) -> Result<usize, _>;
    #[as_slice] fn write_all(&mut self, from: &[u8]) -> Result<(), _>;
    fn write_fmt(&mut self, from: _) -> Result<(), _>;
}

#[grows]
impl String {
    fn add_assign(&mut self, other: &str);
    fn extend_one(&mut self, value: char);
    fn par_extend(&mut self, items: _);
    fn write_char(&mut self, c: char) -> Result<(), _>;
    fn write_fmt(&mut self, from: _) -> Result<(), _>;
    #[as_slice] fn write_str(&mut self, text: &str) -> Result<(), _>;
}

#[grows]
impl OsString {
    fn extend<I>(&mut self, items: I);
}

#[grows]
impl PathBuf {
    fn extend<I>(&mut self, items: I);
}

#[reads_as_owner]
impl Path {
    fn cmp(&self, other: _) -> _;
    fn eq(&self, other: _) -> bool;
}
