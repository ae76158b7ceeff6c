//! What the methods of std's buffers, and of slices, do to a buffer.

/// What a method does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// It may need more room.
    Grows,
    /// It takes something out, or lends spare room: only a growable buffer has it.
    Shrinks,
    /// It takes everything out: an empty box in its place does the same.
    Empties,
    /// It gives room back.
    Fits,
    /// It looks, and a boxed slice has it too.
    Reads,
    /// It looks, and a boxed slice has it not, or not so.
    Differs,
    /// It copies the buffer as it is.
    Clones,
    /// It turns the buffer, by value, into something else.
    Turns,
    /// Not known.
    Unknown,
}

const GROWS: &str = "add_assign add_extension append collect_into extend extend_from_slice extend_from_within \
    extend_one insert insert_str or_insert par_extend push push_str push_within_capacity put \
    put_slice put_u8 reserve reserve_exact resize resize_with set_extension set_file_name \
    splice try_reserve try_reserve_exact write write_all write_char write_fmt write_str";

const SHRINKS: &str = "as_mut_vec clone_from dedup dedup_by dedup_by_key drain extract_if leak \
    pop pop_if remove remove_matches retain retain_mut set_len shrink_to spare_capacity_mut \
    split_off swap_remove take truncate";

/// Of slices, `str`, `Path`, `OsStr`, `CStr`, and of traits that a box passes on.
const READS: &str = "all ancestors any array_chunks array_windows as_bytes as_chunks as_encoded_bytes \
    as_mut_ptr as_mut_ptr_range as_os_str as_ptr as_ptr_range binary_search binary_search_by \
    binary_search_by_key bytes canonicalize char_indices chars chunk_by chunks chunks_exact \
    chunks_exact_mut chunks_mut clone_from_slice components concat contains copy_from_slice \
    copy_within display encode_utf16 ends_with eq_ignore_ascii_case escape_ascii \
    escape_debug escape_default exists extension file_name file_stem fill fill_with find \
    first first_chunk first_mut fmt get get_mut get_unchecked get_unchecked_mut \
    grapheme_indices graphemes group_by has_root hash is_absolute is_ascii is_char_boundary \
    is_dir is_empty is_file is_relative is_sorted is_sorted_by is_sorted_by_key is_symlink \
    iter iter_mut join last last_chunk last_mut len lines make_ascii_lowercase \
    make_ascii_uppercase match_indices matches metadata par_chunks par_iter par_iter_mut \
    parent parse partition_point raw rchunks read_dir repeat replace replacen reverse rfind \
    rmatch_indices rmatches rotate_left rotate_right rsplit rsplit_once rsplitn \
    select_nth_unstable select_nth_unstable_by select_nth_unstable_by_key serialize sort \
    sort_by sort_by_cached_key sort_by_key sort_unstable sort_unstable_by \
    sort_unstable_by_key split split_ascii_whitespace split_at split_at_checked split_at_mut \
    split_first split_first_mut split_inclusive split_last split_last_mut split_once \
    split_terminator split_whitespace split_word_bounds splitn starts_with strip_prefix \
    strip_suffix swap swap_with_slice symlink_metadata to_ascii_lowercase to_ascii_uppercase \
    to_bytes to_bytes_with_nul to_lowercase to_os_string to_path_buf to_str to_string \
    to_string_lossy to_uppercase to_vec trim trim_end trim_end_matches trim_matches \
    trim_start trim_start_matches try_exists tuple_windows utf8_chunks width windows \
    with_extension with_file_name";

/// Of options, results, cells, locks and numbers: no buffer has them.
pub(super) const ELSEWHERE: &str = "and_then as_deref_mut borrow_mut checked_add checked_sub compare_exchange \
    expect fetch_add fetch_sub get_or_init get_or_insert get_or_insert_with into_owned is_err \
    is_none is_ok is_some is_some_and load lock map_err ok ok_or ok_or_else saturating_add \
    saturating_sub store try_borrow try_borrow_mut try_lock unwrap unwrap_or \
    unwrap_or_default unwrap_or_else wrapping_add wrapping_sub";

const DIFFERS: &str = "as_c_str as_deref as_mut as_mut_slice as_mut_str as_path as_ref as_slice as_str borrow \
    capacity cmp deref deref_mut eq into_boxed_c_str into_boxed_os_str into_boxed_path \
    into_boxed_slice into_boxed_str into_iter into_par_iter is_none is_some ne partial_cmp \
    to_socket_addrs";

const TURNS: &str = "into into_boxed_bstr into_bytes into_bytes_with_nul into_os_string into_raw \
    into_raw_parts into_string into_vec to_mut try_into";

/// True if a name is one of a list between blanks.
pub(super) fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|n| n == name)
}

/// What a method of this name does with a buffer.
pub(super) fn does(name: &str) -> Does {
    let lists = [
        (GROWS, Does::Grows),
        (SHRINKS, Does::Shrinks),
        (READS, Does::Reads),
        (DIFFERS, Does::Differs),
        (TURNS, Does::Turns),
    ];
    let found = lists.iter().find(|(list, _)| listed(list, name));
    match (found, name) {
        (Some((_, does)), _) => *does,
        (None, "clone" | "to_owned" | "cloned") => Does::Clones,
        (None, "shrink_to_fit") => Does::Fits,
        (None, "clear") => Does::Empties,
        _ => Does::Unknown,
    }
}

/// True for a method that by its name only looks, as the API guidelines want it (C-CONV): of a
/// field of this name of another type, or of a trait.
pub(super) fn by_reference(name: &str) -> bool {
    let looks = ["as_", "has_", "is_", "to_"].iter();
    let mut looks = looks.filter_map(|prefix| name.strip_prefix(prefix));
    looks.any(|rest| !rest.starts_with("mut"))
}

/// Methods of `Option` and the like that only tell something.
pub(super) const TELLS: &str = "fmt hash is_err is_none is_none_or is_ok is_poisoned is_some is_some_and iter_mut \
    serialize strong_count weak_count";

/// Methods of `Option` and the like that put a value in.
pub(super) const PUTS: &str = "get_or_insert insert replace set";

/// Methods of std that take `&[T]`, `&str` or the like where a buffer's reference is given.
pub(super) const TAKES_SLICE: &str = "clone_from_slice copy_from_slice extend_from_slice from_utf8 from_utf8_lossy push_str \
    put_slice write_all write_str";

/// Macros that print what they are given.
pub(super) const PRINTS: &str = "anyhow assert bail concat debug debug_assert debug_span ensure eprint eprintln error \
    error_span event eyre format format_args info info_span log panic print println span todo trace \
    trace_span unimplemented unreachable warn warn_span write writeln";
