//! The files of the standard library's declarations, each parsed once: on background threads while
//! cargo runs, or on first use.

use super::load::STD_DIR;
use crate::ir;
use crate::lower;
use crate::source::Sources;
use crate::stdlib;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The declarations of std among the source texts.
pub struct Library {
    sources: Arc<Sources>,
    /// In the order of [`stdlib::FILES`].
    files: Vec<OnceLock<ir::File>>,
}

impl Library {
    /// Creates the library without parsing. It lives until the process ends.
    pub(super) fn new(sources: &Arc<Sources>) -> &'static Library {
        Box::leak(Box::new(Library {
            sources: sources.clone(),
            files: stdlib::FILES.iter().map(|_| OnceLock::new()).collect(),
        }))
    }

    /// Starts parsing all files on other threads.
    pub fn begin(sources: &Arc<Sources>) -> &'static Library {
        let library = Library::new(sources);
        for at in 0..library.files.len() {
            rayon::spawn(move || _ = library.read(at));
        }
        library
    }

    fn read(&self, at: usize) -> &ir::File {
        self.files[at].get_or_init(|| {
            let (name, text) = stdlib::FILES[at];
            let path = Path::new(STD_DIR).join(name);
            let source = self.sources.add(path, text.to_owned(), None);
            lower::file(&source, false)
        })
    }

    /// Returns the file at a path below [`STD_DIR`].
    ///
    /// # Errors
    /// There is none.
    pub(super) fn file(&self, path: &Path) -> Result<&ir::File, String> {
        match place(path) {
            Some(at) => Ok(self.read(at)),
            None => Err(format!(
                "`{}` is not among the declarations of std",
                path.display()
            )),
        }
    }
}

fn place(path: &Path) -> Option<usize> {
    let name = path.strip_prefix(STD_DIR).ok()?;
    let name = name.to_string_lossy().replace('\\', "/");
    stdlib::FILES.iter().position(|(n, _)| *n == name)
}

/// Returns a module's file and directory, if it is among the declarations of std.
pub(super) fn child(dir: &Path, name: &str) -> Option<(PathBuf, Option<PathBuf>)> {
    let file = dir.join(format!("{name}.rs"));
    place(&file)?;
    Some((file, Some(dir.join(name))))
}
