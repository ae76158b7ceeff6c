//! Paths without `.` and `..`, by their text alone, as cargo takes them.

use std::path::{Component, Path, PathBuf};

/// A path without `.`, and without `..` where the folder before it is named.
pub fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match (part, folded.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                folded.pop();
            }
            // Above the root there is only the root.
            (Component::ParentDir, Some(Component::RootDir)) | (Component::CurDir, _) => {}
            _ => folded.push(part),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out() {
        for (path, wanted) in [
            ("/a/b/../c/./d", "/a/c/d"),
            ("/../a", "/a"),
            ("../a/..", ".."),
            ("a/../../b", "../b"),
        ] {
            assert_eq!(folded(Path::new(path)), Path::new(wanted), "{path}");
        }
    }
}
