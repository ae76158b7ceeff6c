//! Reads whole files: only regular files, up to a size limit.

use crate::budget::FILE_BYTES;
use crate::seen;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Returns the bytes of a regular file.
///
/// # Errors
/// The file cannot be read, is a device, a pipe or a folder, or is larger than 1 GiB.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    seen::bytes(path, || whole(path))
}

fn whole(path: &Path) -> Result<Vec<u8>> {
    // Checked before the file is opened: opening a pipe waits for a writer.
    is_fit(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    let length = is_fit(&file.metadata()?)?;
    // A file with length 0 is not read: some files in `/proc` have that length and never end.
    if length == 0 && is_made_when_read(&file.metadata()?) {
        return Err(unfit("it is not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the text of a regular file.
///
/// # Errors
/// As [`bytes`], or the file is not UTF-8.
pub fn text(path: &Path) -> Result<String> {
    let not_utf8 = |_| Error::new(ErrorKind::InvalidData, "the file is not UTF-8");
    String::from_utf8(bytes(path)?).map_err(not_utf8)
}

/// Returns the length of a file, if it may be read.
fn is_fit(metadata: &std::fs::Metadata) -> Result<u64> {
    if metadata.is_dir() {
        return Err(unfit("it is a folder"));
    }
    if !metadata.is_file() {
        return Err(unfit("it is not a regular file"));
    }
    match metadata.len() {
        length if length > FILE_BYTES => Err(unfit(&format!(
            "it is larger than {} MiB",
            FILE_BYTES >> 20
        ))),
        length => Ok(length),
    }
}

fn unfit(why: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, why)
}

/// Returns true for a file whose content the system generates, although its type is regular.
fn is_made_when_read(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let device = |path: &str| std::fs::metadata(path).ok().map(|of| of.dev());
        let made = device("/proc").filter(|made| Some(*made) != device("/"));
        made == Some(metadata.dev())
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}
