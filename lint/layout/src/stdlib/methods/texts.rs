//! Methods of texts and paths.

use super::Iter;
use crate::borrow::Cow;
use crate::ffi::{CStr, CString, OsStr, OsString};
use crate::path::{Path, PathBuf};
use crate::process::Command;

#[reads]
impl str {
    #[looks] fn len(&self) -> usize;
    #[looks] fn is_empty(&self) -> bool;
    #[looks] fn as_bytes(&self) -> &[u8];
    #[reads_as_owner] #[keeps] #[looks] fn as_str(&self) -> &str;
    #[keeps] #[converts] #[creates] #[makes] fn to_string(&self) -> String;
    #[copies] #[keeps] #[converts] #[creates] #[makes] fn to_owned(&self) -> String;
    #[takes] #[keeps] fn into_string(self) -> String;
    #[creates] #[makes] fn to_lowercase(&self) -> String;
    #[creates] #[makes] fn to_uppercase(&self) -> String;
    #[keeps] #[creates] fn to_ascii_lowercase(&self) -> String;
    #[keeps] #[creates] fn to_ascii_uppercase(&self) -> String;
    #[creates] fn repeat(&self, n: usize) -> String;
    #[creates] fn replace<P>(&self, from: P, to: &str) -> String;
    fn chars(&self) -> Iter<char>;
    fn char_indices(&self) -> Iter<(usize, char)>;
    fn bytes(&self) -> Iter<u8>;
    fn lines(&self) -> Iter<&str>;
    #[slices] fn split<P>(&self, by: P) -> Iter<&str>;
    #[slices] fn rsplit<P>(&self, by: P) -> Iter<&str>;
    #[slices] fn splitn<P>(&self, n: usize, by: P) -> Iter<&str>;
    #[slices] fn split_terminator<P>(&self, by: P) -> Iter<&str>;
    fn split_whitespace(&self) -> Iter<&str>;
    fn split_ascii_whitespace(&self) -> Iter<&str>;
    #[slices] fn split_once<P>(&self, by: P) -> Option<(&str, &str)>;
    #[slices] fn rsplit_once<P>(&self, by: P) -> Option<(&str, &str)>;
    fn split_at(&self, at: usize) -> (&str, &str);
    #[cuts] fn trim(&self) -> &str;
    #[cuts] fn trim_start(&self) -> &str;
    #[cuts] fn trim_end(&self) -> &str;
    #[cuts] fn trim_matches<P>(&self, of: P) -> &str;
    #[slices] #[cuts] fn trim_start_matches<P>(&self, of: P) -> &str;
    #[slices] #[cuts] fn trim_end_matches<P>(&self, of: P) -> &str;
    #[slices] #[cuts] fn strip_prefix<P>(&self, of: P) -> Option<&str>;
    #[slices] #[cuts] fn strip_suffix<P>(&self, of: P) -> Option<&str>;
    #[each] #[slices] fn find<P>(&self, of: P) -> Option<usize>;
    #[slices] fn rfind<P>(&self, of: P) -> Option<usize>;
    #[slices] #[looks] fn contains<P>(&self, of: P) -> bool;
    #[slices] #[looks] fn starts_with<P>(&self, of: P) -> bool;
    #[slices] #[looks] fn ends_with<P>(&self, of: P) -> bool;
    fn get<R>(&self, range: R) -> Option<&str>;
    fn as_ptr(&self) -> _;
    fn encode_utf16(&self) -> Iter<u16>;
    fn eq_ignore_ascii_case(&self, other: &str) -> bool;
    fn escape_debug(&self) -> _;
    fn escape_default(&self) -> _;
    fn is_ascii(&self) -> bool;
    fn is_char_boundary(&self, at: usize) -> bool;
    fn make_ascii_lowercase(&mut self);
    fn make_ascii_uppercase(&mut self);
    #[slices] fn match_indices<P>(&self, of: P) -> Iter<(usize, &str)>;
    #[slices] fn matches<P>(&self, of: P) -> Iter<&str>;
    fn parse<F>(&self) -> Result<F, _>;
    fn replacen<P>(&self, from: P, to: &str, n: usize) -> String;
    #[slices] fn rmatch_indices<P>(&self, of: P) -> Iter<(usize, &str)>;
    #[slices] fn rmatches<P>(&self, of: P) -> Iter<&str>;
    #[slices] fn rsplitn<P>(&self, n: usize, by: P) -> Iter<&str>;
    fn split_at_checked(&self, at: usize) -> Option<(&str, &str)>;
    #[slices] fn split_inclusive<P>(&self, by: P) -> Iter<&str>;
}

#[reads]
impl String {
    #[converts] #[creates] fn new() -> String;
    fn with_capacity(n: usize) -> String;
    #[as_slice] fn from_utf8_lossy(bytes: &[u8]) -> Cow<str>;
    #[reads_as_owner] #[keeps] #[looks] fn as_str(&self) -> &str;
    #[reads_as_owner] fn as_mut_str(&mut self) -> &mut str;
    #[grows] fn push(&mut self, c: char);
    #[grows] #[as_slice] fn push_str(&mut self, text: &str);
    #[grows] fn insert(&mut self, at: usize, c: char);
    #[shrinks] fn pop(&mut self) -> Option<char>;
    #[shrinks] fn remove(&mut self, at: usize) -> char;
    #[takes] fn into_bytes(self) -> Vec<u8>;
    #[consumes] #[keeps] fn into_boxed_str(self) -> Box<str>;
    #[copies] #[keeps] #[converts] #[creates] fn clone(&self) -> String;
    #[reads_as_owner] fn capacity(&self) -> usize;
    #[reserves] fn reserve(&mut self, n: usize);
    #[reserves] fn reserve_exact(&mut self, n: usize);
    #[reserves] fn try_reserve(&mut self, n: usize) -> Result<(), _>;
    #[fits] fn shrink_to(&mut self, n: usize);
    #[fits] fn shrink_to_fit(&mut self);
    #[empties] fn clear(&mut self);
    #[shrinks] fn truncate(&mut self, n: usize);
    #[shrinks] fn drain<R>(&mut self, range: R) -> Iter<char>;
    #[shrinks] fn remove_matches<P>(&mut self, of: P);
    #[each] #[shrinks] fn retain(&mut self, f: fn(char) -> bool);
    #[shrinks] fn split_off(&mut self, at: usize) -> String;
    #[each] #[grows] fn extend<I>(&mut self, items: I);
    #[grows] fn extend_from_within<R>(&mut self, range: R);
    #[grows] fn insert_str(&mut self, at: usize, text: &str);
    #[grows] fn replace_range<R>(&mut self, range: R, with: &str);
    #[lends] fn as_mut_vec(&mut self) -> &mut Vec<u8>;
    #[takes] fn leak(self) -> &mut str;
}

impl char {
    fn from_u32(n: u32) -> Option<char>;
    fn from_digit(digit: u32, radix: u32) -> Option<char>;
    #[keeps] #[converts] #[creates] #[makes] fn to_string(&self) -> String;
    #[keeps] #[creates] fn to_ascii_lowercase(&self) -> char;
    #[keeps] #[creates] fn to_ascii_uppercase(&self) -> char;
    fn to_digit(self, radix: u32) -> Option<u32>;
    fn len_utf8(self) -> usize;
}

#[reads]
impl PathBuf {
    #[creates] fn new() -> PathBuf;
    #[reads_as_owner] fn as_path(&self) -> &Path;
    #[takes] fn into_os_string(self) -> OsString;
    #[empties] fn clear(&mut self);
    #[grows] #[slices] fn add_extension<S>(&mut self, extension: S) -> bool;
    #[grows] #[slices] fn push<P: AsRef<Path>>(&mut self, p: P);
    #[grows] #[slices] fn set_extension<S>(&mut self, extension: S) -> bool;
    #[grows] #[slices] fn set_file_name<S>(&mut self, name: S);
    #[lends] fn as_mut_os_string(&mut self) -> &mut OsString;
    #[consumes] fn into_boxed_path(self) -> Box<Path>;
    #[shrinks] fn pop(&mut self) -> bool;
}

#[reads]
impl Path {
    #[creates] fn to_path_buf(&self) -> PathBuf;
    #[slices] #[creates] fn join<P: AsRef<Path>>(&self, p: P) -> PathBuf;
    #[copies] #[creates] fn to_owned(&self) -> PathBuf;
    fn parent(&self) -> Option<&Path>;
    fn ancestors(&self) -> Iter<&Path>;
    fn as_os_str(&self) -> &OsStr;
    fn canonicalize(&self) -> Result<PathBuf, _>;
    fn components(&self) -> _;
    fn display(&self) -> _;
    #[slices] fn ends_with<P: AsRef<Path>>(&self, end: P) -> bool;
    fn exists(&self) -> bool;
    fn extension(&self) -> Option<&OsStr>;
    fn file_name(&self) -> Option<&OsStr>;
    fn file_stem(&self) -> Option<&OsStr>;
    fn has_root(&self) -> bool;
    fn is_absolute(&self) -> bool;
    fn is_dir(&self) -> bool;
    fn is_file(&self) -> bool;
    fn is_relative(&self) -> bool;
    fn is_symlink(&self) -> bool;
    fn metadata(&self) -> _;
    fn read_dir(&self) -> _;
    #[slices] fn starts_with<P: AsRef<Path>>(&self, start: P) -> bool;
    #[slices] fn strip_prefix<P: AsRef<Path>>(&self, of: P) -> Result<&Path, _>;
    fn symlink_metadata(&self) -> _;
    fn to_str(&self) -> Option<&str>;
    fn to_string_lossy(&self) -> Cow<str>;
    fn try_exists(&self) -> Result<bool, _>;
    #[slices] fn with_extension<S>(&self, extension: S) -> PathBuf;
    #[slices] fn with_file_name<S>(&self, name: S) -> PathBuf;
}

#[reads]
impl OsStr {
    #[creates] fn to_os_string(&self) -> OsString;
    #[copies] #[creates] fn to_owned(&self) -> OsString;
    fn to_str(&self) -> Option<&str>;
    fn as_encoded_bytes(&self) -> &[u8];
    fn is_empty(&self) -> bool;
    fn len(&self) -> usize;
    fn to_string_lossy(&self) -> Cow<str>;
}

#[reads]
impl<'a> Cow<'a, str> {
    #[keeps] fn into_owned(self) -> String;
    #[takes] fn to_mut(&mut self) -> &mut String;
}

#[reads]
impl OsString {
    #[empties] fn clear(&mut self);
    #[grows] fn push<S>(&mut self, text: S);
    #[reads_as_owner] fn as_os_str(&self) -> &OsStr;
    #[reads_as_owner] fn capacity(&self) -> usize;
    #[consumes] fn into_boxed_os_str(self) -> Box<OsStr>;
    #[takes] #[keeps] fn into_string(self) -> Result<String, OsString>;
}

#[reads]
impl CString {
    #[looks] fn as_bytes(&self) -> &[u8];
    #[reads_as_owner] fn as_c_str(&self) -> &CStr;
    #[consumes] fn into_boxed_c_str(self) -> Box<CStr>;
    #[takes] fn into_bytes(self) -> Vec<u8>;
    #[takes] fn into_bytes_with_nul(self) -> Vec<u8>;
    #[takes] fn into_raw(self) -> _;
    #[takes] #[keeps] fn into_string(self) -> Result<String, _>;
}

#[reads]
impl CStr {
    fn as_ptr(&self) -> _;
    fn to_bytes(&self) -> &[u8];
    fn to_bytes_with_nul(&self) -> &[u8];
    fn to_str(&self) -> Result<&str, _>;
    fn to_string_lossy(&self) -> Cow<str>;
}

impl Command {
    #[slices] fn arg<S>(&mut self, a: S) -> &mut Command;
    #[slices] fn args<I>(&mut self, a: I) -> &mut Command;
    #[slices] fn current_dir<P: AsRef<Path>>(&mut self, p: P) -> &mut Command;
    #[slices] fn env<K, V>(&mut self, key: K, value: V) -> &mut Command;
    #[slices] fn env_remove<K>(&mut self, key: K) -> &mut Command;
}
