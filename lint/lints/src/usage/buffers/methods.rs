//! The effects of functions, macros and methods on a buffer or its wrapper, by name.

/// Returns true if a space-separated list contains a name.
pub(super) fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|n| n == name)
}

/// Returns true for a method that takes `&self` by the naming convention of the API guidelines
/// (C-CONV): used for methods of unknown types and traits.
pub(super) fn by_reference(name: &str) -> bool {
    let looks = ["as_", "has_", "is_", "to_"].iter();
    let mut looks = looks.filter_map(|prefix| name.strip_prefix(prefix));
    looks.any(|rest| !rest.starts_with("mut"))
}

/// Methods of `Option` and the like that only inspect.
pub(super) const TELLS: &str = "fmt hash is_err is_none is_none_or is_ok is_poisoned is_some is_some_and iter_mut \
    serialize strong_count weak_count";

/// Methods of `Option` and the like that store a value.
pub(super) const PUTS: &str = "get_or_insert insert replace set";

/// Methods of std that take `&[T]`, `&str` or the like, to which `&buffer` coerces.
pub(super) const TAKES_SLICE: &str = "clone_from_slice copy_from_slice extend_from_slice from_utf8 from_utf8_lossy push_str \
    put_slice write_all write_str";
