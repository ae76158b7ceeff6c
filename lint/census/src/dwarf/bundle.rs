//! Debug information on macOS: a bundle beside the program, which `dsymutil` makes from object
//! files.

use object::Object;
use std::path::{Path, PathBuf};

/// The bytes of the debug information in a program's bundle; none on other systems.
///
/// # Errors
/// There is none, or none of this build: how to have one made.
pub(super) fn of(path: &Path, program: &object::File<'_>) -> Result<Option<Vec<u8>>, String> {
    if program.format() != object::BinaryFormat::MachO {
        return Ok(None);
    }
    let folder = folder(path);
    let mut is_there = false;
    // One file, whose name is the program's when it was linked.
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let Some(data) = super::split::regular(&entry.path()) else {
            continue;
        };
        is_there = true;
        let file = object::File::parse(&*data);
        let same = file.is_ok_and(
            |file| matches!((id(&file), id(program)), (Some(of), Some(program)) if of == program),
        );
        if same {
            return Ok(Some(data));
        }
    }
    let shown = path.display();
    Err(match is_there {
        true => format!(
            "{} is of another build than {shown}: rebuild both",
            folder.display()
        ),
        false => format!(
            "{shown} has no debug information beside it ({}): build it with `debug = 2`, \
             `strip = false` and `split-debuginfo = \"packed\"`",
            folder.display()
        ),
    })
}

fn folder(path: &Path) -> PathBuf {
    let mut bundle = path.as_os_str().to_owned();
    bundle.push(".dSYM");
    Path::new(&bundle).join("Contents/Resources/DWARF")
}

/// The identifier that a linker gives each program.
fn id(file: &object::File<'_>) -> Option<[u8; 16]> {
    file.mach_uuid().ok().flatten()
}
