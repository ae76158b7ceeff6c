//! The declarations of the standard library as texts, built into the program.

/// Path below the crate's root and text of every file, sorted by path. `lib.rs` is the root of one
/// crate that replaces `core`, `alloc` and `std`.
pub static FILES: &[(&str, &str)] = &[
    ("alloc.rs", include_str!("stdlib/alloc.rs")),
    ("any.rs", include_str!("stdlib/any.rs")),
    ("arch.rs", include_str!("stdlib/arch.rs")),
    ("array.rs", include_str!("stdlib/array.rs")),
    ("ascii.rs", include_str!("stdlib/ascii.rs")),
    ("backtrace.rs", include_str!("stdlib/backtrace.rs")),
    ("borrow.rs", include_str!("stdlib/borrow.rs")),
    ("boxed.rs", include_str!("stdlib/boxed.rs")),
    ("cell.rs", include_str!("stdlib/cell.rs")),
    ("char.rs", include_str!("stdlib/char.rs")),
    ("clone.rs", include_str!("stdlib/clone.rs")),
    ("cmp.rs", include_str!("stdlib/cmp.rs")),
    ("collections.rs", include_str!("stdlib/collections.rs")),
    (
        "collections/binary_heap.rs",
        include_str!("stdlib/collections/binary_heap.rs"),
    ),
    (
        "collections/btree.rs",
        include_str!("stdlib/collections/btree.rs"),
    ),
    (
        "collections/btree_map.rs",
        include_str!("stdlib/collections/btree_map.rs"),
    ),
    (
        "collections/btree_set.rs",
        include_str!("stdlib/collections/btree_set.rs"),
    ),
    (
        "collections/hash_map.rs",
        include_str!("stdlib/collections/hash_map.rs"),
    ),
    (
        "collections/hash_set.rs",
        include_str!("stdlib/collections/hash_set.rs"),
    ),
    (
        "collections/hashbrown.rs",
        include_str!("stdlib/collections/hashbrown.rs"),
    ),
    (
        "collections/linked_list.rs",
        include_str!("stdlib/collections/linked_list.rs"),
    ),
    (
        "collections/vec_deque.rs",
        include_str!("stdlib/collections/vec_deque.rs"),
    ),
    ("convert.rs", include_str!("stdlib/convert.rs")),
    ("default.rs", include_str!("stdlib/default.rs")),
    ("env.rs", include_str!("stdlib/env.rs")),
    ("error.rs", include_str!("stdlib/error.rs")),
    ("f32.rs", include_str!("stdlib/f32.rs")),
    ("f64.rs", include_str!("stdlib/f64.rs")),
    ("ffi.rs", include_str!("stdlib/ffi.rs")),
    ("fmt.rs", include_str!("stdlib/fmt.rs")),
    ("fs.rs", include_str!("stdlib/fs.rs")),
    ("future.rs", include_str!("stdlib/future.rs")),
    ("hash.rs", include_str!("stdlib/hash.rs")),
    ("io.rs", include_str!("stdlib/io.rs")),
    ("iter.rs", include_str!("stdlib/iter.rs")),
    ("lib.rs", include_str!("stdlib/lib.rs")),
    ("marker.rs", include_str!("stdlib/marker.rs")),
    ("mem.rs", include_str!("stdlib/mem.rs")),
    ("methods.rs", include_str!("stdlib/methods.rs")),
    ("methods/lists.rs", include_str!("stdlib/methods/lists.rs")),
    ("methods/maps.rs", include_str!("stdlib/methods/maps.rs")),
    ("methods/named.rs", include_str!("stdlib/methods/named.rs")),
    ("methods/texts.rs", include_str!("stdlib/methods/texts.rs")),
    (
        "methods/traits.rs",
        include_str!("stdlib/methods/traits.rs"),
    ),
    ("net.rs", include_str!("stdlib/net.rs")),
    ("niche.rs", include_str!("stdlib/niche.rs")),
    ("num.rs", include_str!("stdlib/num.rs")),
    ("ops.rs", include_str!("stdlib/ops.rs")),
    ("option.rs", include_str!("stdlib/option.rs")),
    ("os.rs", include_str!("stdlib/os.rs")),
    ("os/fd.rs", include_str!("stdlib/os/fd.rs")),
    ("os/linux.rs", include_str!("stdlib/os/linux.rs")),
    ("os/unix.rs", include_str!("stdlib/os/unix.rs")),
    ("os/windows.rs", include_str!("stdlib/os/windows.rs")),
    ("panic.rs", include_str!("stdlib/panic.rs")),
    ("path.rs", include_str!("stdlib/path.rs")),
    ("pin.rs", include_str!("stdlib/pin.rs")),
    ("prelude.rs", include_str!("stdlib/prelude.rs")),
    ("primitive.rs", include_str!("stdlib/primitive.rs")),
    ("proc_macro.rs", include_str!("stdlib/proc_macro.rs")),
    ("process.rs", include_str!("stdlib/process.rs")),
    ("ptr.rs", include_str!("stdlib/ptr.rs")),
    ("range.rs", include_str!("stdlib/range.rs")),
    ("raw_vec.rs", include_str!("stdlib/raw_vec.rs")),
    ("rc.rs", include_str!("stdlib/rc.rs")),
    ("result.rs", include_str!("stdlib/result.rs")),
    ("slice.rs", include_str!("stdlib/slice.rs")),
    ("str.rs", include_str!("stdlib/str.rs")),
    ("str/pattern.rs", include_str!("stdlib/str/pattern.rs")),
    ("string.rs", include_str!("stdlib/string.rs")),
    ("sync.rs", include_str!("stdlib/sync.rs")),
    ("sync/atomic.rs", include_str!("stdlib/sync/atomic.rs")),
    ("sync/mpmc.rs", include_str!("stdlib/sync/mpmc.rs")),
    ("sync/mpsc.rs", include_str!("stdlib/sync/mpsc.rs")),
    (
        "sync/nonpoison.rs",
        include_str!("stdlib/sync/nonpoison.rs"),
    ),
    ("sys.rs", include_str!("stdlib/sys.rs")),
    ("sys/fs.rs", include_str!("stdlib/sys/fs.rs")),
    ("sys/io.rs", include_str!("stdlib/sys/io.rs")),
    ("sys/process.rs", include_str!("stdlib/sys/process.rs")),
    ("sys/sync.rs", include_str!("stdlib/sys/sync.rs")),
    ("task.rs", include_str!("stdlib/task.rs")),
    ("thread.rs", include_str!("stdlib/thread.rs")),
    ("time.rs", include_str!("stdlib/time.rs")),
    ("vec.rs", include_str!("stdlib/vec.rs")),
];

#[cfg(test)]
mod tests {
    use super::FILES;
    use std::path::Path;

    fn collect(dir: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                collect(&path, &format!("{name}/"), found);
            } else {
                found.push(name);
            }
        }
    }

    #[test]
    fn the_list_is_the_folder() {
        let mut found = Vec::new();
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/stdlib");
        collect(&dir, "", &mut found);
        found.sort();
        let listed: Vec<&str> = FILES.iter().map(|&(name, _)| name).collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn every_file_says_what_it_owns() {
        for (name, text) in FILES {
            assert!(text.starts_with("//! "), "{name} has no header");
            assert!(text.lines().count() <= 400, "{name} is too long");
        }
    }
}
