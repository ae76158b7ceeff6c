//! From entries at offsets to types, functions and statics by number.

use super::units::All;
use super::{Code, Function, Inlined, Local, Program, Static, merge};
use crate::types::Kind;
use rustc_hash::FxHashMap;

/// Functions by the offsets of their entries.
#[derive(Default)]
struct Numbered {
    numbers: FxHashMap<u64, u32>,
    list: Vec<Function>,
}

impl All {
    /// A function's name and arguments, which may be attributes of the entries that it refers to.
    fn whole(&self, offset: u64) -> (u32, Vec<(u32, u64)>) {
        let (mut at, mut name, mut arguments) = (offset, None, Vec::new());
        for _ in 0..4 {
            let Some(function) = self.functions.get(&at) else {
                break;
            };
            if !self.names.get(function.name).is_empty() {
                name = Some(function.name);
            }
            if arguments.is_empty() {
                arguments.clone_from(&function.arguments);
            }
            match function.origin {
                Some(origin) => at = origin,
                None => break,
            }
        }
        (name.unwrap_or(0), arguments)
    }

    /// Variables whose types may own something.
    fn locals(&self, merged: &merge::Merged, program: &mut Program) {
        let ty = |offset: &u64| Some(merged.ids[*self.by_offset.get(offset)? as usize]);
        for local in &self.locals {
            let declared = match local.declared {
                Err(origin) => self.declared.get(&origin).copied(),
                Ok(declared) => Some(declared),
            };
            let Some((name, ty)) = declared.and_then(|(name, at)| Some((name, ty(&at)?))) else {
                continue;
            };
            // A number or a pointer owns nothing.
            let described = &merged.types[ty];
            if described.size == 0 || matches!(described.kind, Kind::Scalar(_) | Kind::Opaque) {
                continue;
            }
            let function = self.names.get(self.whole(local.function).0);
            program.locals.push(Local {
                name: format!("variable {} of {function}", self.names.get(name)).into(),
                ty,
                code: local.range,
                base: local.base,
                offset: local.offset,
            });
        }
    }

    pub(super) fn finish(self) -> Program {
        let merged = merge::merge(&self.types, &self.by_offset, &self.names);
        let ty = |offset: &u64| Some(merged.ids[*self.by_offset.get(offset)? as usize]);
        let mut program = Program {
            rustc: self.rustc.clone(),
            ..Program::default()
        };
        let mut functions = Numbered::default();
        let mut function = |offset: u64| {
            *functions.numbers.entry(offset).or_insert_with(|| {
                let (name, arguments) = self.whole(offset);
                let arguments = arguments
                    .iter()
                    .filter_map(|(name, at)| Some((self.names.get(*name).into(), ty(at)?)));
                functions.list.push(Function {
                    name: self.names.get(name).into(),
                    arguments: arguments.collect(),
                });
                functions.list.len() as u32 - 1
            })
        };
        let inlined = self.inlined.iter().map(|&(start, end, origin)| Inlined {
            start,
            end,
            function: function(origin),
        });
        program.functions.inlined = inlined.collect();
        for code in &self.code {
            let function = function(code.entry);
            for &(start, end) in &code.ranges {
                program.functions.code.push(Code {
                    start,
                    end,
                    function,
                    inlined: code.inlined,
                    optimized: self.optimized[code.unit as usize],
                });
            }
        }
        program.functions.list = functions.list;
        program.functions.code.sort_by_key(|c| c.start);
        for (address, table) in &self.tables {
            let Some(of) = self.table_of.get(table).and_then(ty) else {
                continue;
            };
            let known = program.tables.entry(*address).or_insert(Some(of));
            if *known != Some(of) {
                *known = None;
            }
        }
        self.locals(&merged, &mut program);
        for (name, address, at) in &self.statics {
            if let Some(ty) = ty(at) {
                program.statics.push(Static {
                    name: self.names.get(*name).into(),
                    address: *address,
                    ty,
                });
            }
        }
        program.statics.sort_by_key(|s| s.address);
        program.statics.dedup_by_key(|s| s.address);
        program.types = merged.types;
        program
    }
}
