//! Atomic replacement of files that a user names: the new content is in place completely, or the
//! old file is intact.
//!
//! Links are followed here, as the user made them. What cargo-weigh keeps for itself is written by
//! `store`.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the door for the user's files"
)]

use crate::store::{Folder, PART};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempPath};

/// Symbolic links that are followed in a row; the limit of Linux.
const MOST_LINKS: usize = 40;

/// Attempts to create a file: another run may remove it as abandoned before it is locked.
const ATTEMPTS: usize = 4;

/// Replaces a file: the content is written to a new file in the same folder, synced and renamed,
/// so that either the old or the new content is there at any time. Links are followed, and the
/// permissions of the old file are kept. A pipe, a device or an open descriptor is written to
/// directly.
///
/// # Errors
/// The file is read-only or a folder, or a step fails; the old file is unchanged then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = match target(path)? {
        Target::File(path) => path,
        Target::Stream => return stream(path, bytes),
    };
    let old = match fs::metadata(&path) {
        Ok(old) => Some(old),
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it is read-only",
        ));
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    sweep(folder);
    let mut attempts = 0;
    loop {
        attempts += 1;
        let (file, part) = begin(folder)?;
        fill(file, bytes, old.as_ref())?;
        match fs::rename(&part, &path) {
            Ok(()) => {
                // It is renamed: there is no temporary file to remove.
                let _ = part.keep();
                break;
            }
            Err(e) if e.kind() == ErrorKind::NotFound && attempts < ATTEMPTS => {}
            Err(e) => return Err(e),
        }
    }
    // Makes the rename durable. Some file systems do not support it, which is no error: the file
    // is complete either way.
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Appends to a file, or creates it; atomic as in [`replace`].
///
/// # Errors
/// As [`replace`], or the old content cannot be read.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Target::Stream = target(path)? {
        return stream(path, bytes);
    }
    let mut text = match fs::read(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Vec::new(),
        read => read?,
    };
    text.extend_from_slice(bytes);
    replace(path, &text)
}

/// Removes the incomplete files that killed runs have left in a folder.
pub fn sweep(folder: &Path) {
    if let Ok(folder) = Folder::of_user(folder) {
        folder.sweep();
    }
}

/// How the bytes for a path are written.
enum Target {
    File(PathBuf),
    Stream,
}

/// Follows links, also to a file that does not exist yet.
fn target(path: &Path) -> io::Result<Target> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        // `/dev/stdout` leads to the file of its redirection, which other programs also write.
        if ["/proc", "/dev/fd"].iter().any(|of| at.starts_with(of)) {
            return Ok(Target::Stream);
        }
        let Ok(to) = fs::read_link(&at) else {
            return match fs::metadata(&at) {
                Ok(data) if data.is_dir() => Err(ErrorKind::IsADirectory.into()),
                Ok(data) if !data.is_file() => Ok(Target::Stream),
                _ => Ok(Target::File(at)),
            };
        };
        at = at.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("links lead to one another"))
}

fn stream(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    file.write_all(bytes)
}

/// Creates an incomplete file, with the default mode of a new one, and locks it.
fn begin(folder: &Path) -> io::Result<(File, TempPath)> {
    let mut builder = Builder::new();
    builder.prefix(PART.0).suffix(PART.1);
    // Not `tempfile_in`, whose errors name the temporary file: nobody has asked for that.
    let part = builder.make_in(folder, |path| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).open(path)
    })?;
    let (file, part) = part.into_parts();
    // Without locks, the age of the file decides (`store::is_left`).
    let _ = file.lock();
    Ok((file, part))
}

fn fill(mut file: File, bytes: &[u8], old: Option<&fs::Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let new = file.metadata()?;
            if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
                // Only root may change the owner of a file.
                let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
            }
        }
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Returns an empty temporary folder.
    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn whole_and_nothing_else() {
        let folder = folder();
        let path = folder.path().join("a");
        for text in ["one", "", "three"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        append(&path, b", four").unwrap();
        append(&folder.path().join("b"), b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three, four");
        assert_eq!(names(folder.path()), ["a", "b"]);
        assert!(replace(folder.path(), b"").is_err());
        let e = replace(&folder.path().join("none/a"), b"").unwrap_err();
        assert!(!e.to_string().contains("part"), "{e}");
    }

    #[test]
    fn what_was_left_goes_and_what_is_being_written_stays() {
        let folder = folder();
        let left = folder.path().join(".weigh-killed.part");
        fs::write(&left, "hal").unwrap();
        let (_file, part) = begin(folder.path()).unwrap();
        replace(&folder.path().join("a"), b"whole").unwrap();
        assert!(part.exists() && !left.exists());
    }

    #[test]
    fn a_part_that_was_taken_away_is_written_again() {
        let folder = folder();
        let path = folder.path().join("a");
        // Parts that may still be taken from the current write, and all that were taken.
        let (left, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // More hostile than another run: it ignores the locks.
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    let entries = fs::read_dir(folder.path()).unwrap().flatten();
                    for entry in entries.filter(|e| e.file_name() != "a") {
                        if left.load(Ordering::SeqCst) > 0 && fs::remove_file(entry.path()).is_ok()
                        {
                            left.fetch_sub(1, Ordering::SeqCst);
                            taken.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                }
            });
            let enough = || taken.load(Ordering::SeqCst) >= 40;
            let failed = (0..100_000).take_while(|_| !enough()).find(|n| {
                left.store(ATTEMPTS - 1, Ordering::SeqCst);
                replace(&path, n.to_string().as_bytes()).is_err()
            });
            stop.store(true, Ordering::SeqCst);
            assert_eq!(
                failed, None,
                "this write, although its last part was left alone"
            );
            assert!(enough(), "hardly anything was taken away");
        });
        assert!(fs::read_to_string(&path).unwrap().parse::<u32>().is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_streams() {
        use std::fs::Permissions;
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (here, there) = (folder(), folder());
        let file = there.path().join("file");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink(&file, here.path().join("absolute")).unwrap();
        symlink("absolute", here.path().join("link")).unwrap();
        replace(&here.path().join("link"), b"new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(mode(&file), 0o640);
        assert!(here.path().join("link").is_symlink() && here.path().join("absolute").is_symlink());

        symlink(there.path().join("fresh"), here.path().join("dangling")).unwrap();
        replace(&here.path().join("dangling"), b"made").unwrap();
        assert_eq!(
            fs::read_to_string(there.path().join("fresh")).unwrap(),
            "made"
        );

        symlink("loop", here.path().join("loop")).unwrap();
        assert!(replace(&here.path().join("loop"), b"").is_err());

        fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
        let refused = replace(&file, b"newer").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");

        replace(Path::new("/dev/null"), b"gone").unwrap();
        let is_device = fs::metadata("/dev/null").is_ok_and(|data| !data.is_file());
        assert!(is_device);
        #[cfg(target_os = "linux")]
        assert!(replace(Path::new("/dev/full"), b"too much").is_err());
    }
}
