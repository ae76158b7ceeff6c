//! Function, file and line of addresses of code.

use super::{Loaded, Reader, bundle, sections};
use gimli::{EndianSlice, LittleEndian};
use std::path::Path;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The function, without hash.
    pub function: String,
    /// The file as debug info has it, and the line.
    pub file: Option<(String, u32)>,
}

/// The frames of each address, the innermost first; none of an address that cannot be resolved.
pub fn places(program: &Path, loaded: &[Loaded], addresses: &[u64]) -> Vec<Vec<SourcePlace>> {
    let nothing = || vec![Vec::new(); addresses.len()];
    let mut all = read(program, addresses).unwrap_or_else(nothing);
    for object in loaded {
        let (start, end) = object.addresses;
        let inside: Vec<usize> = (0..addresses.len())
            .filter(|at| addresses[*at].wrapping_sub(start) < end.wrapping_sub(start))
            .collect();
        let own = inside
            .iter()
            .map(|at| addresses[*at].wrapping_sub(object.shift));
        let own: Vec<u64> = own.collect();
        for (at, frames) in inside
            .iter()
            .zip(read(&object.path, &own).into_iter().flatten())
        {
            all[*at] = frames;
        }
    }
    all
}

fn read(program: &Path, addresses: &[u64]) -> Option<Vec<Vec<SourcePlace>>> {
    let data = std::fs::read(program).ok()?;
    let bundle = bundle::of(program, &object::File::parse(&*data).ok()?).ok()?;
    let file = object::File::parse(bundle.as_deref().unwrap_or(&data)).ok()?;
    let sections = sections(&file).ok()?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let context = addr2line::Context::from_dwarf(dwarf).ok()?;
    let all = addresses.iter();
    Some(
        all.map(|at| frames(&context, *at).unwrap_or_default())
            .collect(),
    )
}

fn frames(context: &addr2line::Context<Reader<'_>>, address: u64) -> Option<Vec<SourcePlace>> {
    let mut frames = context.find_frames(address).skip_all_loads().ok()?;
    let mut list = Vec::new();
    while let Some(frame) = frames.next().ok()? {
        let name = frame.function.as_ref()?.demangle().ok()?.into_owned();
        let location = frame.location;
        list.push(SourcePlace {
            function: without_hash(&name).to_owned(),
            file: location.and_then(|l| Some((l.file?.to_owned(), l.line.unwrap_or(0)))),
        });
    }
    Some(list)
}

/// A legacy symbol's name without the hash at its end.
pub(super) fn without_hash(name: &str) -> &str {
    match name.rfind("::h") {
        Some(at) if name.len() == at + 19 => &name[..at],
        _ => name,
    }
}
