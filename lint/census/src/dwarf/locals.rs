//! Variables of functions that lie in memory: where, and while the code is at which addresses.

use super::Reader;
use super::units::{All, Entry, ranges_of};
use gimli::constants as dw;
use gimli::{AttributeValue, Expression, Operation, Register, UnitRef};

/// A variable as a unit describes it; other entries are offsets in the section.
pub(super) struct RawLocal {
    /// Name and type, or the entry that has them.
    pub(super) declared: Result<(u32, u64), u64>,
    /// The function that it is written in.
    pub(super) function: u64,
    /// Addresses of code.
    pub(super) range: (u64, u64),
    pub(super) base: Base,
    pub(super) offset: i64,
}

/// What the place of a variable is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The frame pointer.
    Frame,
    /// The stack pointer.
    Stack,
}

/// The parts of a function that the entries being read are in, the innermost last.
#[derive(Default)]
pub(super) struct Scopes {
    list: Vec<Scope>,
    base: Option<Base>,
}

struct Scope {
    depth: usize,
    /// Addresses of its code.
    ranges: Vec<(u64, u64)>,
    /// The function that is written there.
    function: u64,
}

impl Scopes {
    /// Before an entry at a depth.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.list.last().is_some_and(|own| own.depth >= depth) {
            self.list.pop();
        }
    }
}

fn register(Register(number): Register) -> Option<Base> {
    // On x86_64, and on aarch64.
    match number {
        6 | 29 => Some(Base::Frame),
        7 | 31 => Some(Base::Stack),
        _ => None,
    }
}

impl All {
    /// Begins a function, what is inlined, or a block.
    pub(super) fn scope<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        depth: usize,
        at: u64,
    ) -> gimli::Result<()> {
        let outer = self.scopes.list.last().map(|scope| scope.function);
        let function = match entry.tag() {
            dw::DW_TAG_lexical_block => outer,
            dw::DW_TAG_inlined_subroutine => self.reference(unit, entry, dw::DW_AT_abstract_origin),
            _ => Some(at),
        };
        let Some(function) = function else {
            return Ok(());
        };
        if entry.tag() == dw::DW_TAG_subprogram {
            self.scopes.base = None;
            if let Some(AttributeValue::Exprloc(base)) = entry.attr_value(dw::DW_AT_frame_base)
                && let Some(Operation::Register { register: number }) =
                    base.operations(unit.encoding()).next()?
            {
                self.scopes.base = register(number);
            }
        }
        let found = ranges_of(unit, entry)?;
        if !found.is_empty() {
            self.scopes.list.push(Scope {
                depth,
                ranges: found,
                function,
            });
        }
        Ok(())
    }

    /// A variable or parameter in code, or its declaration.
    pub(super) fn local<'d>(
        &mut self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        at: u64,
    ) -> gimli::Result<()> {
        let ty = self.reference(unit, entry, dw::DW_AT_type);
        let declared = match (self.text(unit, entry)?, ty) {
            (Some(name), Some(ty)) => Ok((name, ty)),
            _ => match self.reference(unit, entry, dw::DW_AT_abstract_origin) {
                Some(origin) => Err(origin),
                None => return Ok(()),
            },
        };
        let Some(scope) = self.scopes.list.last() else {
            if let Ok(declared) = declared {
                self.declared.insert(at, declared);
            }
            return Ok(());
        };
        let (ranges, function) = (scope.ranges.clone(), scope.function);
        let Some(location) = entry.attr_value(dw::DW_AT_location) else {
            return Ok(());
        };
        let mut add = |(base, offset), range| {
            self.locals.push(RawLocal {
                declared,
                function,
                range,
                base,
                offset,
            });
        };
        let frame = self.scopes.base;
        if let AttributeValue::Exprloc(expression) = location {
            if let Some(place) = place(unit, expression, frame)? {
                ranges.into_iter().for_each(|range| add(place, range));
            }
        } else if let Some(mut list) = unit.attr_locations(location)? {
            while let Some(part) = list.next()? {
                if let Some(place) = place(unit, part.data, frame)? {
                    add(place, (part.range.begin, part.range.end));
                }
            }
        }
        Ok(())
    }
}

/// The place of a variable that lies whole in memory.
fn place(
    unit: UnitRef<'_, Reader<'_>>,
    expression: Expression<Reader<'_>>,
    frame: Option<Base>,
) -> gimli::Result<Option<(Base, i64)>> {
    let mut operations = expression.operations(unit.encoding());
    let found = match operations.next()? {
        Some(Operation::FrameOffset { offset }) => frame.map(|base| (base, offset)),
        Some(Operation::RegisterOffset {
            register: number,
            offset,
            ..
        }) => register(number).map(|base| (base, offset)),
        _ => None,
    };
    Ok(found.filter(|_| matches!(operations.next(), Ok(None))))
}
