//! One pass over all units: every type, function and static as it is written.

use super::attributes::{compiler, number, offset_of, reference, wide};
use super::locals::{RawLocal, Scopes};
use super::merge::{Raw, RawKind};
use super::split::Files;
use super::{Program, Reader};
use crate::types::{Scalar, UNRESUMED};
use gimli::constants as dw;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Operation, UnitRef};
use rustc_hash::FxHashMap;
use std::path::PathBuf;

pub(super) type Entry<'d> = DebuggingInformationEntry<Reader<'d>>;

/// Strings of debug info, each once.
#[derive(Default)]
pub(super) struct Names {
    numbers: FxHashMap<Box<str>, u32>,
    list: Vec<Box<str>>,
}

impl Names {
    fn intern(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    pub(super) fn get(&self, number: u32) -> &str {
        &self.list[number as usize]
    }
}

/// A function's entry: declared, abstract, or with code.
pub(super) struct RawFunction {
    pub(super) name: u32,
    /// The entry with the remaining attributes.
    pub(super) origin: Option<u64>,
    pub(super) arguments: Vec<(u32, u64)>,
}

/// Code of a function.
pub(super) struct RawCode {
    /// Start and end of each part.
    pub(super) ranges: Vec<(u64, u64)>,
    /// The function's entry.
    pub(super) entry: u64,
    /// The first of what is inlined into it, and behind the last.
    pub(super) inlined: (u32, u32),
    pub(super) unit: u32,
}

/// The parent of the entries at a depth.
#[derive(Clone, Copy)]
enum Around {
    Nothing,
    Namespace(u32),
    Type(u32, u32),
    Variants(u32),
    Variant(u32, u32),
    Function(u64, u32),
    /// Within a function's code.
    Code(u32),
}

#[derive(Default)]
pub(super) struct All {
    pub(super) names: Names,
    pub(super) types: Vec<Raw>,
    pub(super) by_offset: FxHashMap<u64, u32>,
    pub(super) functions: FxHashMap<u64, RawFunction>,
    pub(super) code: Vec<RawCode>,
    /// Start, end, and the entry of what is inlined there.
    pub(super) inlined: Vec<(u64, u64, u64)>,
    /// Name, address, type.
    pub(super) statics: Vec<(u32, u64, u64)>,
    /// Address and type of a vtable; the entry of that type names the type it is for.
    pub(super) tables: Vec<(u64, u64)>,
    pub(super) table_of: FxHashMap<u64, u64>,
    /// Name and type of variables of functions that are inlined.
    pub(super) declared: FxHashMap<u64, (u32, u64)>,
    pub(super) locals: Vec<RawLocal>,
    pub(super) scopes: Scopes,
    pub(super) rustc: Option<String>,
    /// Whether a unit is optimized.
    pub(super) optimized: Vec<bool>,
    /// What is added to the offsets of the file that is read, and how many were split off.
    base: u64,
    split: u64,
    missing: Option<PathBuf>,
}

/// Reads all units, with the parts that are split off to `files`.
pub(super) fn read(dwarf: &Dwarf<Reader<'_>>, files: &mut Files) -> gimli::Result<Program> {
    let mut all = All::default();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        all.unit(unit.unit_ref(dwarf))?;
        let base = all.base;
        let missing = files.rest(dwarf, &unit, &mut |dwarf, unit| {
            // Each file has its own offsets.
            all.split += 1;
            all.base = all.split << FILE;
            all.unit(unit.unit_ref(dwarf))
        })?;
        all.base = base;
        all.missing = all.missing.or(missing);
    }
    let missing = all.missing.take();
    let mut program = all.finish();
    program.missing = missing;
    Ok(program)
}

/// Bits of an offset in a file.
const FILE: u32 = 40;

impl All {
    /// The entry that an attribute names.
    pub(super) fn reference<'d>(
        &self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        name: gimli::DwAt,
    ) -> Option<u64> {
        Some(self.base + reference(unit, entry, name)?)
    }

    pub(super) fn text<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
    ) -> gimli::Result<Option<u32>> {
        let Some(value) = entry.attr_value(dw::DW_AT_name) else {
            return Ok(None);
        };
        let text = unit.attr_string(value)?;
        Ok(Some(
            self.names.intern(&String::from_utf8_lossy(text.slice())),
        ))
    }

    /// A path below the nearest namespace or type.
    fn joined(&mut self, stack: &[Around], name: u32) -> u32 {
        let around = stack.iter().rev().find_map(|a| match a {
            Around::Namespace(path) | Around::Type(_, path) | Around::Function(_, path) => {
                Some(*path)
            }
            _ => None,
        });
        match around {
            Some(path) => {
                let text = format!("{}::{}", self.names.get(path), self.names.get(name));
                self.names.intern(&text)
            }
            None => name,
        }
    }

    fn unit<'d>(&mut self, unit: UnitRef<'_, Reader<'d>>) -> gimli::Result<()> {
        let mut entries = unit.entries_raw(None)?;
        let mut entry = Entry::null();
        let mut stack: Vec<Around> = Vec::new();
        let number_of_unit = self.optimized.len() as u32;
        // Without optimization nearly every variable stays in one place of its frame.
        let (mut still, mut moving) = (0usize, 0usize);
        let mut rust = false;
        while !entries.is_empty() {
            if !entries.read_entry(&mut entry)? {
                continue;
            }
            let depth = usize::try_from(entry.depth()).unwrap_or(0);
            stack.truncate(depth);
            self.scopes.leave(depth);
            if depth == 0 {
                let language = entry.attr_value(dw::DW_AT_language);
                rust = language == Some(AttributeValue::Language(dw::DW_LANG_Rust));
                if rust && self.rustc.is_none() {
                    self.rustc = compiler(unit, &entry)?;
                }
            }
            match entry.attr_value(dw::DW_AT_location) {
                Some(AttributeValue::Exprloc(_)) => still += 1,
                Some(_) => moving += 1,
                None => {}
            }
            let around = match rust {
                true => self.entry(unit, &entry, &stack, number_of_unit)?,
                false => Around::Nothing,
            };
            stack.push(around);
        }
        self.optimized.push(moving * 4 > still);
        Ok(())
    }

    fn entry<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        stack: &[Around],
        number_of_unit: u32,
    ) -> gimli::Result<Around> {
        let parent = stack.last().copied().unwrap_or(Around::Nothing);
        let at = offset_of(unit, AttributeValue::UnitRef(entry.offset())).unwrap_or(0) + self.base;
        if matches!(
            entry.tag(),
            dw::DW_TAG_subprogram | dw::DW_TAG_inlined_subroutine | dw::DW_TAG_lexical_block
        ) {
            self.scope(unit, entry, stack.len(), at)?;
        }
        Ok(match entry.tag() {
            dw::DW_TAG_namespace => match self.text(unit, entry)? {
                Some(name) => Around::Namespace(self.joined(stack, name)),
                None => Around::Nothing,
            },
            dw::DW_TAG_structure_type
            | dw::DW_TAG_union_type
            | dw::DW_TAG_enumeration_type
            | dw::DW_TAG_base_type
            | dw::DW_TAG_pointer_type
            | dw::DW_TAG_array_type => {
                if entry.attr_value(dw::DW_AT_declaration).is_some() {
                    return Ok(Around::Nothing);
                }
                self.ty(unit, entry, stack, at)?
            }
            dw::DW_TAG_subrange_type
            | dw::DW_TAG_enumerator
            | dw::DW_TAG_member
            | dw::DW_TAG_variant_part
            | dw::DW_TAG_variant => self.part(unit, entry, parent, at)?,
            dw::DW_TAG_template_type_parameter => {
                self.parameter(unit, entry, parent)?;
                Around::Nothing
            }
            dw::DW_TAG_subprogram => self.function(unit, entry, stack, at, number_of_unit)?,
            dw::DW_TAG_inlined_subroutine => self.inlined_call(unit, entry, stack)?,
            dw::DW_TAG_lexical_block => match self.code_around(stack) {
                Some(code) => Around::Code(code),
                None => Around::Nothing,
            },
            dw::DW_TAG_variable => {
                self.variable(unit, entry, stack)?;
                self.local(unit, entry, at)?;
                Around::Nothing
            }
            dw::DW_TAG_formal_parameter => {
                self.local(unit, entry, at)?;
                Around::Nothing
            }
            _ => Around::Nothing,
        })
    }

    /// The entries inside of a type.
    fn part<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        parent: Around,
        at: u64,
    ) -> gimli::Result<Around> {
        match (entry.tag(), parent) {
            (dw::DW_TAG_member, _) => self.member(unit, entry, parent, at)?,
            (dw::DW_TAG_subrange_type, Around::Type(index, _)) => {
                if let RawKind::Array(_, count) = &mut self.types[index as usize].kind {
                    *count = number(entry, dw::DW_AT_count)
                        .or_else(|| Some(number(entry, dw::DW_AT_upper_bound)? + 1))
                        .unwrap_or(0);
                }
            }
            (dw::DW_TAG_enumerator, Around::Type(index, _)) => {
                if let Some(name) = self.text(unit, entry)?
                    && let RawKind::Names(list) = &mut self.types[index as usize].kind
                    && let Some(value) = wide(entry, dw::DW_AT_const_value)
                {
                    list.push((name, value));
                }
            }
            (dw::DW_TAG_variant_part, Around::Type(index, _)) => {
                let tag = self.reference(unit, entry, dw::DW_AT_discr);
                self.types[index as usize].kind = RawKind::Enum(tag, None, Vec::new());
                return Ok(Around::Variants(index));
            }
            (dw::DW_TAG_variant, Around::Variants(index)) => {
                let value = wide(entry, dw::DW_AT_discr_value);
                if let RawKind::Enum(_, _, variants) = &mut self.types[index as usize].kind {
                    variants.push((0, value, 0));
                    return Ok(Around::Variant(index, variants.len() as u32 - 1));
                }
            }
            _ => {}
        }
        Ok(Around::Nothing)
    }

    /// A generic argument of a type or function.
    fn parameter<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        parent: Around,
    ) -> gimli::Result<()> {
        let name = self.text(unit, entry)?;
        let (Some(name), Some(ty)) = (name, self.reference(unit, entry, dw::DW_AT_type)) else {
            return Ok(());
        };
        match parent {
            Around::Type(index, _) => self.types[index as usize].arguments.push((name, ty)),
            Around::Function(offset, _) => {
                if let Some(function) = self.functions.get_mut(&offset) {
                    function.arguments.push((name, ty));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A function that was inlined here, and where its code lies.
    fn inlined_call<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        stack: &[Around],
    ) -> gimli::Result<Around> {
        let origin = self.reference(unit, entry, dw::DW_AT_abstract_origin);
        let (Some(code), Some(origin)) = (self.code_around(stack), origin) else {
            return Ok(Around::Nothing);
        };
        let mut ranges = unit.die_ranges(entry)?;
        while let Some(range) = ranges.next()? {
            if range.begin < range.end {
                self.inlined.push((range.begin, range.end, origin));
            }
        }
        self.code[code as usize].inlined.1 = self.inlined.len() as u32;
        Ok(Around::Code(code))
    }

    fn code_around(&self, stack: &[Around]) -> Option<u32> {
        match stack.last()? {
            Around::Code(code) => Some(*code),
            Around::Function(offset, _) => {
                let last = self.code.last()?;
                (last.entry == *offset).then_some(self.code.len() as u32 - 1)
            }
            _ => None,
        }
    }

    fn ty<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        stack: &[Around],
        at: u64,
    ) -> gimli::Result<Around> {
        let name = self.text(unit, entry)?;
        let to = self.reference(unit, entry, dw::DW_AT_type);
        let own = name.unwrap_or_else(|| self.names.intern(""));
        let (path, kind) = match entry.tag() {
            dw::DW_TAG_base_type => {
                let encoding = entry.attr_value(dw::DW_AT_encoding);
                let scalar = match encoding {
                    Some(AttributeValue::Encoding(dw::DW_ATE_boolean)) => Scalar::Bool,
                    Some(AttributeValue::Encoding(dw::DW_ATE_UTF)) => Scalar::Char,
                    _ => Scalar::Number,
                };
                (own, RawKind::Scalar(scalar))
            }
            dw::DW_TAG_pointer_type => (own, RawKind::Pointer(to)),
            dw::DW_TAG_array_type => (own, RawKind::Array(to.unwrap_or(0), 0)),
            dw::DW_TAG_union_type => (self.joined(stack, own), RawKind::Union(Vec::new())),
            dw::DW_TAG_enumeration_type => (self.joined(stack, own), RawKind::Names(Vec::new())),
            _ => (self.joined(stack, own), RawKind::Struct(Vec::new())),
        };
        let size = match entry.tag() {
            dw::DW_TAG_pointer_type => 8,
            _ => number(entry, dw::DW_AT_byte_size).unwrap_or(0),
        };
        if let Some(of) = self.reference(unit, entry, dw::DW_AT_containing_type) {
            self.table_of.insert(at, of);
        }
        let index = self.types.len() as u32;
        self.by_offset.insert(at, index);
        self.types.push(Raw {
            name: path,
            size,
            kind,
            arguments: Vec::new(),
        });
        Ok(Around::Type(index, path))
    }

    fn member<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        parent: Around,
        at: u64,
    ) -> gimli::Result<()> {
        let Some(ty) = self.reference(unit, entry, dw::DW_AT_type) else {
            return Ok(());
        };
        let name = self.text(unit, entry)?;
        let offset = number(entry, dw::DW_AT_data_member_location).unwrap_or(0);
        match parent {
            Around::Type(index, _) => {
                if let RawKind::Struct(fields) | RawKind::Union(fields) =
                    &mut self.types[index as usize].kind
                    && let Some(name) = name
                {
                    fields.push((name, offset, ty));
                }
            }
            Around::Variants(index) => {
                if let RawKind::Enum(Some(tag), place, _) = &mut self.types[index as usize].kind
                    && *tag == at
                {
                    *place = Some((offset, ty));
                }
            }
            Around::Variant(index, variant) => {
                let state = name.and_then(|name| self.state(entry, name));
                if let RawKind::Enum(_, _, variants) = &mut self.types[index as usize].kind
                    && let Some(name) = state.or(name)
                {
                    let place = &mut variants[variant as usize];
                    (place.0, place.2) = (name, ty);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The name of a state of a coroutine, which debug info numbers: the line where it waits.
    fn state(&mut self, entry: &Entry<'_>, name: u32) -> Option<u32> {
        let state = match self.names.get(name).parse::<u32>().ok()? {
            0 => UNRESUMED.to_owned(),
            1 => "Returned".to_owned(),
            2 => "Panicked".to_owned(),
            _ => format!("line {}", number(entry, dw::DW_AT_decl_line)?),
        };
        Some(self.names.intern(&state))
    }

    fn function<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        stack: &[Around],
        at: u64,
        number_of_unit: u32,
    ) -> gimli::Result<Around> {
        let origin = self
            .reference(unit, entry, dw::DW_AT_abstract_origin)
            .or_else(|| self.reference(unit, entry, dw::DW_AT_specification));
        let own = self.text(unit, entry)?;
        let path = match own {
            Some(name) => self.joined(stack, name),
            None => self.names.intern(""),
        };
        self.functions.insert(
            at,
            RawFunction {
                name: path,
                origin,
                arguments: Vec::new(),
            },
        );
        let found = ranges_of(unit, entry)?;
        if !found.is_empty() {
            let here = self.inlined.len() as u32;
            self.code.push(RawCode {
                ranges: found,
                entry: at,
                inlined: (here, here),
                unit: number_of_unit,
            });
        }
        Ok(Around::Function(at, path))
    }

    fn variable<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        stack: &[Around],
    ) -> gimli::Result<()> {
        let Some(AttributeValue::Exprloc(expression)) = entry.attr_value(dw::DW_AT_location) else {
            return Ok(());
        };
        let mut operations = expression.operations(unit.encoding());
        let address = match operations.next()? {
            Some(Operation::Address { address }) => address,
            Some(Operation::AddressIndex { index }) => unit.address(index)?,
            _ => return Ok(()),
        };
        if address == 0 || operations.next()?.is_some() {
            return Ok(());
        }
        let (Some(name), Some(ty)) = (
            self.text(unit, entry)?,
            self.reference(unit, entry, dw::DW_AT_type),
        ) else {
            return Ok(());
        };
        match self.names.get(name).ends_with("::{vtable}") {
            true => self.tables.push((address, ty)),
            false => {
                let path = self.joined(stack, name);
                self.statics.push((path, address, ty));
            }
        }
        Ok(())
    }
}

/// The addresses of code that is there: what the linker left out starts at 0.
pub(super) fn ranges_of<'d>(
    unit: UnitRef<'_, Reader<'d>>,
    entry: &Entry<'d>,
) -> gimli::Result<Vec<(u64, u64)>> {
    let (mut found, mut ranges) = (Vec::new(), unit.die_ranges(entry)?);
    while let Some(range) = ranges.next()? {
        if range.begin < range.end && range.begin != 0 {
            found.push((range.begin, range.end));
        }
    }
    Ok(found)
}
