//! Which functions keep a frame pointer, from the tables for unwinding.

use super::{Functions, is_std};
use gimli::{BaseAddresses, CieOrFde, LittleEndian, Register, UnwindContext, UnwindSection};
use object::{Object, ObjectSection};

/// The crates that std is shipped with, without frame pointers.
const SHIPPED: &[&str] = &[
    "addr2line",
    "adler2",
    "gimli",
    "memchr",
    "miniz_oxide",
    "object",
    "rustc_demangle",
];

/// Functions with less code may only jump or return.
const SMALL: u64 = 48;

/// The share of functions whose frame is found by the frame pointer. Those of std are as shipped
/// and left out. A function without an entry in the tables counts as one without.
pub(super) fn share(file: &object::File<'_>, machine: &str, functions: &Functions) -> f64 {
    let frame_pointer = Register(match machine {
        "aarch64" => 29,
        _ => 6,
    });
    let address = |name| file.section_by_name(name).map_or(0, |s| s.address());
    let bases = BaseAddresses::default()
        .set_eh_frame(address(".eh_frame"))
        .set_text(address(".text"))
        .set_got(address(".got"));
    let data = |name| {
        let section = file.section_by_name(name);
        section.and_then(|s| s.uncompressed_data().ok())
    };
    let mut known = Vec::new();
    if let Some(data) = data(".eh_frame") {
        let mut section = gimli::EhFrame::new(&data, LittleEndian);
        section.set_address_size(8);
        all(&section, &bases, frame_pointer, &mut known);
    }
    if let Some(data) = data(".debug_frame") {
        let mut section = gimli::DebugFrame::new(&data, LittleEndian);
        section.set_address_size(8);
        all(&section, &bases, frame_pointer, &mut known);
    }
    known.sort_unstable();
    let (mut with, mut looked_at) = (0u64, 0u64);
    for code in &functions.code {
        let name = &functions.list[code.function as usize].name;
        let krate = name.split("::").next().unwrap_or_default();
        let shipped = is_std(name) || SHIPPED.contains(&krate);
        if shipped || code.end - code.start < SMALL {
            continue;
        }
        looked_at += 1;
        let found = known.binary_search_by_key(&code.start, |(start, _)| *start);
        with += u64::from(found.is_ok_and(|at| known[at].1));
    }
    match looked_at {
        0 => 1.0,
        all => with as f64 / all as f64,
    }
}

/// The start of each function, and whether anywhere in it that register finds the frame.
fn all<'d, S>(
    section: &S,
    bases: &BaseAddresses,
    frame_pointer: Register,
    known: &mut Vec<(u64, bool)>,
) where
    S: UnwindSection<gimli::EndianSlice<'d, LittleEndian>>,
{
    let mut context = UnwindContext::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(function) = partial.parse(S::cie_from_offset) else {
            continue;
        };
        let Ok(mut rows) = function.rows(section, bases, &mut context) else {
            continue;
        };
        let mut keeps = false;
        while let Ok(Some(row)) = rows.next_row() {
            keeps |= matches!(
                row.cfa(),
                gimli::CfaRule::RegisterAndOffset { register, .. } if *register == frame_pointer
            );
        }
        known.push((function.initial_address(), keeps));
    }
}
