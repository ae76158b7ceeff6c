//! Tests of the door: what is ours, and that no step leads through a link.

use super::*;
use std::fs;

/// Returns an empty target folder.
fn base() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Returns why a folder is not ours; empty if it is missing.
fn refused(opened: Result<Folder, Closed>) -> String {
    match opened {
        Err(Closed::Missing) => String::new(),
        Err(Closed::Foreign(_, why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_folders_with_our_marker() {
    let base = base();
    let at = |path: &str| base.path().join(path);
    assert_eq!(refused(find(base.path(), Kind::Cache)), "");
    assert!(!at("weigh").exists());
    make(base.path(), Kind::Cache).unwrap();
    assert_eq!(fs::read(at("weigh/CACHEDIR.TAG")).unwrap(), MARKER.1);
    assert!(find(base.path(), Kind::Cache).is_ok());
    assert_eq!(refused(find(base.path(), Kind::Diff)), "");
    // A run was killed before it wrote the marker.
    fs::remove_file(at("weigh/CACHEDIR.TAG")).unwrap();
    fs::remove_dir(at("weigh/cache")).unwrap();
    fs::write(at("weigh/.weigh-a1B2c3.part"), "Signature").unwrap();
    assert_eq!(refused(find(base.path(), Kind::Cache)), "");
    make(base.path(), Kind::Cache).unwrap();
    assert_eq!(fs::read_dir(at("weigh")).unwrap().count(), 2);
    // A folder of someone else, whatever the name of what is in it.
    for text in [
        None,
        Some(""),
        Some("Signature: 8a477f597d28d172789f06886806bc55\n"),
    ] {
        fs::remove_file(at("weigh/CACHEDIR.TAG")).unwrap_or_default();
        if let Some(text) = text {
            fs::write(at("weigh/CACHEDIR.TAG"), text).unwrap();
        }
        for opened in [
            make(base.path(), Kind::Cache),
            find(base.path(), Kind::Diff),
        ] {
            assert!(refused(opened).contains("CACHEDIR.TAG"), "{text:?}");
        }
    }
}

#[test]
fn a_target_folder_of_ours_lies_in_one_of_ours() {
    for (path, outer, inner) in [
        ("/a/target", "/a/target", ""),
        ("/a/weigh/verify", "/a", "weigh/verify"),
        (
            "/weigh/fix/weigh/fix/01/target",
            "/weigh/fix",
            "weigh/fix/01/target",
        ),
        ("/a/weigh/census/build", "/a", "weigh/census/build"),
        ("/a/weigh/cache/x/target", "/a/weigh/cache/x/target", ""),
    ] {
        let (found, names) = around(Path::new(path));
        let names: PathBuf = names.iter().collect();
        assert_eq!((&*found, &*names), (Path::new(outer), Path::new(inner)));
    }
}

#[test]
fn names_of_incomplete_files() {
    for (name, is) in [
        (".weigh-a1B2c3.part", true),
        (".weigh-notes-of-mine.part", false),
        (".weigh-.part", false),
        (".weigh-a1B2c3", false),
    ] {
        assert_eq!(is_part(name.as_ref()), is, "{name}");
    }
}

#[test]
fn what_was_left_goes_and_what_is_being_written_stays() {
    let base = base();
    let folder = Folder::of_user(base.path()).unwrap();
    for name in [
        ".weigh-killed.part",
        ".weigh-living.part",
        ".weigh-notes-of-mine.part",
    ] {
        fs::write(base.path().join(name), "hal").unwrap();
    }
    let writer = File::open(base.path().join(".weigh-living.part")).unwrap();
    writer.lock().unwrap();
    folder.put("a", b"text").unwrap();
    folder.sweep();
    let mut names = folder.names().unwrap();
    names.sort();
    assert_eq!(
        names,
        [".weigh-living.part", ".weigh-notes-of-mine.part", "a"]
    );
}

#[test]
fn a_name_is_no_path() {
    let base = base();
    let folder = Folder::of_user(base.path()).unwrap();
    folder.make_at(Path::new("a/b")).unwrap();
    for name in ["", ".", "..", "a/b", "/", "a/", "./a"] {
        assert!(folder.put(name, b"").is_err(), "{name}");
        assert!(folder.remove_tree(name).is_err(), "{name}");
        assert!(folder.folder(name).is_err(), "{name}");
    }
}

#[test]
fn a_temporary_folder_goes_unless_it_is_kept() {
    let base = base();
    let folder = Folder::of_user(base.path()).unwrap();
    let first = folder.temporary("part-").unwrap();
    first.folder().create("a", b"").unwrap();
    let second = folder.temporary("part-").unwrap();
    second.keep("kept").unwrap();
    drop(first);
    assert_eq!(folder.names().unwrap(), ["kept"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A target folder, and beside it a folder of the user with a file.
    fn bench() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let bench = base();
        let (target, outside) = (bench.path().join("target"), bench.path().join("outside"));
        for folder in [&target, &outside] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(outside.join("letter"), "mine").unwrap();
        (bench, target, outside)
    }

    fn is_as_before(outside: &Path) -> bool {
        fs::read_dir(outside).unwrap().count() == 1
            && fs::read(outside.join("letter")).unwrap() == b"mine"
    }

    #[test]
    fn no_link_is_followed() {
        let (bench, target, outside) = bench();
        // The target folder itself may be one.
        symlink(&target, bench.path().join("link")).unwrap();
        let base = &bench.path().join("link");
        make(base, Kind::Cache).unwrap();
        for (path, kind) in [("weigh/cache", Kind::Cache), ("weigh", Kind::Diff)] {
            let path = target.join(path);
            fs::rename(&path, path.with_extension("away")).unwrap();
            symlink(&outside, &path).unwrap();
            assert_eq!(refused(find(base, kind)), LINK);
            assert_eq!(refused(make(base, kind)), LINK);
            fs::remove_file(&path).unwrap();
            fs::write(&path, "").unwrap();
            assert_eq!(refused(make(base, kind)), "it is no folder");
            fs::remove_file(&path).unwrap();
            fs::rename(path.with_extension("away"), &path).unwrap();
        }
        // The marker as a link to one.
        let tag = target.join("weigh/CACHEDIR.TAG");
        fs::rename(&tag, bench.path().join("tag")).unwrap();
        symlink(bench.path().join("tag"), &tag).unwrap();
        assert!(refused(make(base, Kind::Cache)).contains("CACHEDIR.TAG"));
        assert!(is_as_before(&outside));
    }

    #[test]
    fn files_behind_links_stay() {
        let (_bench, target, outside) = bench();
        let folder = make(&target, Kind::Fix).unwrap();
        let deep = folder.make_at(Path::new("a/b")).unwrap();
        for (at, name) in [(&folder, "link"), (&deep, "link")] {
            at.link(name, &outside).unwrap();
        }
        folder.link("file", &outside.join("letter")).unwrap();
        assert!(folder.open("file").is_err() && folder.lock("file").is_err());
        assert!(folder.create("file", b"new").is_err() && folder.create("link", b"").is_err());
        assert!(folder.make("link").is_err() && folder.folder("link").is_err());
        assert!(folder.at(Path::new("link/x")).is_err());
        assert!(folder.remove_tree("link").is_err());
        folder.remove_file("file");
        assert_eq!(folder.type_of("file"), Some(Type::Link));
        folder.replace("file", b"new").unwrap();
        assert_eq!(folder.type_of("file"), Some(Type::File));
        folder.remove_tree("a").unwrap();
        folder.make_over("link").unwrap().create("x", b"").unwrap();
        assert!(is_as_before(&outside));
    }

    #[test]
    fn a_link_that_is_put_in_the_place_of_an_open_folder_leads_nowhere() {
        let (_bench, target, outside) = bench();
        let folder = make(&target, Kind::Cache).unwrap();
        let temporary = folder.temporary("part-").unwrap();
        fs::rename(target.join("weigh"), target.join("away")).unwrap();
        fs::create_dir(target.join("weigh")).unwrap();
        symlink(&outside, target.join("weigh/cache")).unwrap();
        folder.put("letter", b"new").unwrap();
        folder.replace("other", b"new").unwrap();
        folder.remove_file("letter");
        drop(temporary);
        assert_eq!(folder.names().unwrap(), ["other"]);
        assert!(target.join("away/cache/other").exists() && is_as_before(&outside));
    }

    #[test]
    fn what_others_may_write_is_not_used() {
        let (_bench, target, _) = bench();
        let folder = make(&target, Kind::Cache).unwrap();
        folder.put("entry", b"").unwrap();
        let mode = |path: &str, mode| {
            fs::set_permissions(target.join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        mode("weigh/cache/entry", 0o620);
        assert!(folder.read("entry").is_err());
        for path in ["weigh", "weigh/cache"] {
            mode(path, 0o770);
            assert!(refused(find(&target, Kind::Cache)).contains("mode is 770"));
            mode(path, 0o700);
        }
        assert!(find(&target, Kind::Cache).is_ok());
    }

    #[test]
    fn links_where_cargo_would_write() {
        let (_bench, target, outside) = bench();
        let folder = make(&target, Kind::Verify).unwrap();
        let deps = folder.make_at(Path::new("x/debug/deps")).unwrap();
        deps.link("below-what-is-known", &outside).unwrap();
        folder.link("program.dSYM", &outside).unwrap();
        folder.link("package", &outside).unwrap();
        folder.without_links(&["package"]).unwrap();
        assert!(folder.without_links(&[]).is_err());
        let debug = folder.at(Path::new("x/debug")).unwrap();
        debug.link("build", &outside).unwrap();
        assert!(folder.without_links(&["package"]).is_err());
    }
}
