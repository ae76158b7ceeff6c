//! Debug information that is split off: files of units (`.dwo`), or one of all (`.dwp`).

use super::Reader;
use gimli::{Dwarf, DwarfPackageSections, DwarfSections, EndianSlice, LittleEndian, Unit};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What reads each unit.
type Read<'r> = dyn FnMut(&Dwarf<Reader<'_>>, &Unit<Reader<'_>>) -> gimli::Result<()> + 'r;

/// Where split debug information may be.
pub(super) struct Files {
    program: PathBuf,
    package: Option<Vec<u8>>,
}

impl Files {
    /// For a program: a package would lie beside it, `program.dwp`.
    pub(super) fn beside(program: &Path) -> Files {
        let mut name = program.as_os_str().to_owned();
        name.push(".dwp");
        Files {
            program: program.to_owned(),
            package: regular(Path::new(&name)),
        }
    }

    /// Reads the split part of a unit; the path of the file, if it is missing. A unit that is not
    /// split is left out.
    pub(super) fn rest(
        &mut self,
        parent: &Dwarf<Reader<'_>>,
        unit: &Unit<Reader<'_>>,
        read: &mut Read<'_>,
    ) -> gimli::Result<Option<PathBuf>> {
        let Some(name) = unit.dwo_name()? else {
            return Ok(None);
        };
        let path = |value| -> gimli::Result<PathBuf> {
            let text = parent.attr_string(unit, value)?;
            Ok(String::from_utf8_lossy(text.slice()).into_owned().into())
        };
        let name = path(name)?;
        let folder = unit
            .comp_dir
            .map(|d| String::from_utf8_lossy(d.slice()).into_owned());
        if let (Some(package), Some(id)) = (&self.package, unit.dwo_id)
            && packed(package, id, parent, unit, read)?
        {
            return Ok(None);
        }
        // Where it was built; or beside the program, if both were moved.
        let made = Path::new(&folder.unwrap_or_default()).join(&name);
        let moved = self
            .program
            .with_file_name(name.file_name().unwrap_or_default());
        let Some(data) = [&made, &moved].iter().find_map(|p| regular(p)) else {
            return Ok(Some(made));
        };
        let Ok(file) = object::File::parse(&*data) else {
            return Ok(Some(made));
        };
        let sections = DwarfSections::load(|id| Ok::<_, gimli::Error>(section(&file, id)))?;
        let mut dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
        dwarf.make_dwo(parent);
        units(&dwarf, unit, read)?;
        Ok(None)
    }
}

/// The bytes of a regular file: a program may name a pipe.
pub(super) fn regular(path: &Path) -> Option<Vec<u8>> {
    std::fs::metadata(path).ok().filter(|m| m.is_file())?;
    std::fs::read(path).ok()
}

/// A section of a split file, by the name that it has there.
fn section<'d>(file: &object::File<'d>, id: gimli::SectionId) -> Cow<'d, [u8]> {
    let section = id.dwo_name().and_then(|name| file.section_by_name(name));
    let data = section.and_then(|section| section.uncompressed_data().ok());
    data.unwrap_or_default()
}

fn packed(
    data: &[u8],
    id: gimli::DwoId,
    parent: &Dwarf<Reader<'_>>,
    unit: &Unit<Reader<'_>>,
    read: &mut Read<'_>,
) -> gimli::Result<bool> {
    let Ok(file) = object::File::parse(data) else {
        return Ok(false);
    };
    let sections = DwarfPackageSections::load(|id| Ok::<_, gimli::Error>(section(&file, id)))?;
    let empty = EndianSlice::new(&[], LittleEndian);
    let package = sections.borrow(|section| EndianSlice::new(section, LittleEndian), empty)?;
    match package.find_cu(id, parent)? {
        Some(dwarf) => units(&dwarf, unit, read).map(|()| true),
        None => Ok(false),
    }
}

fn units(
    dwarf: &Dwarf<Reader<'_>>,
    skeleton: &Unit<Reader<'_>>,
    read: &mut Read<'_>,
) -> gimli::Result<()> {
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let mut unit = dwarf.unit(header)?;
        unit.copy_relocated_attributes(skeleton);
        read(dwarf, &unit)?;
    }
    Ok(())
}
