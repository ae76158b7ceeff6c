//! Attributes of an entry, in the forms that rustc and LLVM write.

use super::Reader;
use super::units::Entry;
use gimli::constants as dw;
use gimli::{AttributeValue, UnitRef};

pub(super) fn offset_of<'d>(
    unit: UnitRef<'_, Reader<'d>>,
    value: AttributeValue<Reader<'d>>,
) -> Option<u64> {
    match value {
        AttributeValue::UnitRef(offset) => {
            Some(offset.to_debug_info_offset(&unit.header)?.0 as u64)
        }
        AttributeValue::DebugInfoRef(offset) => Some(offset.0 as u64),
        _ => None,
    }
}

pub(super) fn reference<'d>(
    unit: UnitRef<'_, Reader<'d>>,
    entry: &Entry<'d>,
    name: gimli::DwAt,
) -> Option<u64> {
    offset_of(unit, entry.attr_value(name)?)
}

pub(super) fn number(entry: &Entry<'_>, name: gimli::DwAt) -> Option<u64> {
    match entry.attr_value(name)? {
        AttributeValue::Sdata(n) => Some(n as u64),
        other => other.udata_value(),
    }
}

/// A constant of up to sixteen bytes.
pub(super) fn wide(entry: &Entry<'_>, name: gimli::DwAt) -> Option<u128> {
    match entry.attr_value(name)? {
        AttributeValue::Data16(n) => Some(n),
        AttributeValue::Sdata(n) => Some(i128::from(n) as u128),
        AttributeValue::Block(bytes) if bytes.len() <= 16 => {
            let mut buffer = [0; 16];
            buffer[..bytes.len()].copy_from_slice(bytes.slice());
            Some(u128::from_le_bytes(buffer))
        }
        other => other.udata_value().map(u128::from),
    }
}

/// The compiler's version, from the unit's producer.
pub(super) fn compiler<'d>(
    unit: UnitRef<'_, Reader<'d>>,
    entry: &Entry<'d>,
) -> gimli::Result<Option<String>> {
    let Some(value) = entry.attr_value(dw::DW_AT_producer) else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(unit.attr_string(value)?.slice()).into_owned();
    let version = text.split("rustc version ").nth(1);
    Ok(version
        .and_then(|v| v.split([' ', ')']).next())
        .map(str::to_owned))
}
