//! Debug information of files that no linker has seen: of an object, or of each object of a library.

use super::Reader;
use gimli::{Dwarf, DwarfSections, EndianSlice, LittleEndian};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind};
use std::borrow::Cow;
use std::path::Path;

/// Calls `read` with the debug information of each object in a file, which may have none; returns how
/// many have code.
///
/// # Errors
/// The file cannot be read, is neither an object nor an archive of them, or is damaged.
pub(super) fn each(
    path: &Path,
    read: &mut dyn FnMut(&Dwarf<Reader<'_>>) -> gimli::Result<()>,
) -> Result<usize, String> {
    let shown = path.display();
    let data = std::fs::read(path).map_err(|e| format!("cannot read {shown}: {e}"))?;
    if !data.starts_with(&object::archive::MAGIC) {
        let read = object(&data, read);
        return read.map(usize::from).map_err(|e| format!("{shown}: {e}"));
    }
    let archive = ArchiveFile::parse(&*data).map_err(|e| format!("{shown}: {e}"))?;
    let mut count = 0;
    for member in archive.members() {
        let member = member.map_err(|e| format!("{shown}: {e}"))?;
        // Metadata, and objects of other languages' compilers, are no concern.
        if !member.name().ends_with(b".o") {
            continue;
        }
        let bytes = member.data(&*data).map_err(|e| format!("{shown}: {e}"))?;
        let has_code = object(bytes, read).map_err(|e| format!("{shown}: {e}"))?;
        count += usize::from(has_code);
    }
    Ok(count)
}

/// Returns whether it has code.
fn object(
    data: &[u8],
    read: &mut dyn FnMut(&Dwarf<Reader<'_>>) -> gimli::Result<()>,
) -> Result<bool, String> {
    let file = object::File::parse(data).map_err(|e| e.to_string())?;
    if !file.is_little_endian() {
        return Err("only targets with little-endian numbers are read".to_owned());
    }
    let sections = DwarfSections::load(|id| section(&file, id)).map_err(|e| e.to_string())?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    read(&dwarf).map_err(|e| format!("debug information is damaged: {e}"))?;
    let is_code = |s: object::Section<'_, '_>| s.kind() == SectionKind::Text && s.size() > 0;
    Ok(file.sections().any(is_code))
}

/// A section of debug information, as a linker would write it.
fn section<'d>(
    file: &object::File<'d>,
    id: gimli::SectionId,
) -> Result<Cow<'d, [u8]>, object::Error> {
    let Some(section) = file.section_by_name(id.name()) else {
        return Ok(Cow::Borrowed(&[]));
    };
    let mut data = section.uncompressed_data()?;
    for (at, relocation) in section.relocations() {
        let base = match relocation.target() {
            RelocationTarget::Symbol(index) => file.symbol_by_index(index)?.address(),
            _ => 0,
        };
        let size = usize::from(relocation.size() / 8);
        let at = at as usize;
        if !matches!(size, 4 | 8) || at + size > data.len() {
            continue;
        }
        let place = &mut data.to_mut()[at..at + size];
        let mut value = base.wrapping_add_signed(relocation.addend());
        if relocation.has_implicit_addend() {
            let mut written = [0; 8];
            written[..size].copy_from_slice(place);
            value = value.wrapping_add(u64::from_le_bytes(written));
        }
        place.copy_from_slice(&value.to_le_bytes()[..size]);
    }
    Ok(data)
}
