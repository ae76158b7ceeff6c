//! Lexical path normalisation, as in cargo: without `.` and `..`, and without file system access.

use std::path::{Component, Path, PathBuf};

/// Removes `.` components, and each `..` together with the named directory before it.
pub fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match (part, folded.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                folded.pop();
            }
            // The parent of the root is the root.
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
