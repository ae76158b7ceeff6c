//! The files of a program that are read: its own, and the libraries that it has loaded.

use crate::dwarf::{self, Program};
use crate::image::Image;
use rustc_hash::FxHashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Looks a bare name up as a shell does, then here.
pub(super) fn found(program: &Path) -> PathBuf {
    let is_name = program.parent() == Some(Path::new(""));
    let all = std::env::var_os("PATH").filter(|_| is_name);
    let folders = all.iter().flat_map(std::env::split_paths);
    let mut there = folders.map(|folder| folder.join(program));
    let found = there.find(|path| is_executable(path));
    std::path::absolute(found.as_deref().unwrap_or(program)).unwrap_or_else(|_| program.to_owned())
}

fn is_executable(path: &Path) -> bool {
    let of = path.metadata();
    of.is_ok_and(|of| of.is_file() && of.permissions().mode() & 0o111 != 0)
}

/// Reads a program's debug information, which an interpreter need not have; `is_unmerged` if it was
/// built without merged functions.
pub(super) fn counted_program(path: &Path, is_unmerged: bool) -> Result<Program, String> {
    let mut program = dwarf::read(path)?;
    program.is_unmerged |= is_unmerged;
    program.is_unmerged &= !program.functions.any_merged();
    Ok(program)
}

/// The objects that were added to a program.
pub(super) type Recorded = FxHashSet<String>;

/// Other Rust objects with debug information which the program has loaded, and how far from it.
pub(super) fn loaded(
    program: &Program,
    path: &Path,
    image: &Image,
    recorded: &mut Recorded,
) -> Vec<(Program, PathBuf, u64)> {
    let Some(own) = image.bias(&path.to_string_lossy(), &program.segments) else {
        return Vec::new();
    };
    let others = image.objects().into_iter().filter_map(|object| {
        if Path::new(object) == path || !recorded.insert(object.to_owned()) {
            return None;
        }
        let other = dwarf::read(Path::new(object)).ok()?;
        if other.undescribed.is_some() {
            return None;
        }
        let bias = image.bias(object, &other.segments)?;
        Some((other, PathBuf::from(object), bias.wrapping_sub(own)))
    });
    others.collect()
}

/// Adds what they have.
///
/// # Errors
/// Nothing is described, by the program or by them.
pub(super) fn with_loaded(
    program: &mut Program,
    path: &Path,
    image: &Image,
    recorded: &mut Recorded,
) -> Result<(), String> {
    for (other, object, shift) in loaded(program, path, image, recorded) {
        program.join(other, &object, shift);
    }
    match &program.undescribed {
        Some(why) if program.loaded.is_empty() => {
            Err(format!("{why} (nor has any library that it loaded)"))
        }
        _ => Ok(()),
    }
}
