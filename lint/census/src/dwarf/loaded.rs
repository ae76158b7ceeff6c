//! Rust objects that a program has loaded, such as plugins: their types and functions are added to
//! its own, at the addresses where they lie from it.

use super::merge::deepened;
use super::{Code, Functions, Inlined, Program};
use crate::types::{Kind, Type, TypeId, Types};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// An object beside the program's own file.
#[derive(Debug)]
pub struct Loaded {
    /// Its file.
    pub path: PathBuf,
    /// What is added to its addresses to count them from where the program lies.
    pub shift: u64,
    /// Its addresses, counted like that.
    pub addresses: (u64, u64),
}

impl Program {
    /// Adds an object that lies so far from the program.
    pub fn join(&mut self, mut other: Program, path: &Path, shift: u64) {
        let ends = other.segments.iter().map(|s| s.1.saturating_add(s.2));
        self.loaded.push(Loaded {
            path: path.to_owned(),
            shift,
            addresses: (shift, shift.wrapping_add(ends.max().unwrap_or(0))),
        });
        // Whether names are true is known of each file apart.
        if self.is_unmerged != other.is_unmerged {
            for program in [&mut *self, &mut other] {
                if program.is_unmerged {
                    let code = program.functions.code.iter_mut();
                    code.for_each(|code| code.optimized = false);
                }
                program.is_unmerged = false;
            }
        }
        self.rustc = self.rustc.take().or(other.rustc);
        let ids = add(&mut self.types, other.types);
        let id = |ty: TypeId| ids[ty.0 as usize];
        let at = |address: u64| address.wrapping_add(shift);
        self.statics
            .extend(other.statics.into_iter().map(|mut own| {
                (own.address, own.ty) = (at(own.address), id(own.ty));
                own
            }));
        self.locals.extend(other.locals.into_iter().map(|mut own| {
            own.code = (at(own.code.0), at(own.code.1));
            own.ty = id(own.ty);
            own
        }));
        let tables = other.tables.into_iter();
        self.tables
            .extend(tables.map(|(address, ty)| (at(address), ty.map(id))));
        self.functions.join(other.functions, id, at);
    }
}

impl Functions {
    fn join(&mut self, other: Functions, id: impl Fn(TypeId) -> TypeId, at: impl Fn(u64) -> u64) {
        let (first, inlined) = (self.list.len() as u32, self.inlined.len() as u32);
        let renamed = |mut function: super::Function| {
            for (_, ty) in &mut function.arguments {
                *ty = id(*ty);
            }
            function
        };
        self.list.extend(other.list.into_iter().map(renamed));
        self.inlined
            .extend(other.inlined.into_iter().map(|own| Inlined {
                start: at(own.start),
                end: at(own.end),
                function: own.function + first,
            }));
        self.code.extend(other.code.into_iter().map(|own| Code {
            start: at(own.start),
            end: at(own.end),
            function: own.function + first,
            inlined: (own.inlined.0 + inlined, own.inlined.1 + inlined),
            ..own
        }));
        let symbols = other.symbols.into_iter();
        self.symbols
            .extend(symbols.map(|(start, end, function)| (at(start), at(end), function)));
        self.code.sort_by_key(|code| code.start);
        self.symbols.sort_by_key(|symbol| symbol.0);
    }
}

/// Adds types, each once; returns what each has become.
fn add(types: &mut Types, other: Types) -> Vec<TypeId> {
    let first = types.list.len();
    let moved = |ty: TypeId| TypeId(ty.0 + first as u32);
    types
        .list
        .extend(other.list.into_iter().map(|ty| with(ty, &moved)));
    let hashes = hashes(&types.list);
    let mut known: FxHashMap<(u64, &str), TypeId> = FxHashMap::default();
    let mut ids: Vec<TypeId> = Vec::with_capacity(types.list.len());
    for (at, (ty, hash)) in types.list.iter().zip(&hashes).enumerate() {
        // The first ones stay as they are.
        let own = TypeId(at as u32);
        let entry = *known.entry((*hash, &*ty.name)).or_insert(own);
        ids.push(if at < first { own } else { entry });
    }
    let mut next = first as u32;
    for at in first..ids.len() {
        let is_kept = ids[at].0 as usize == at;
        ids[at] = match is_kept {
            true => {
                next += 1;
                TypeId(next - 1)
            }
            false => ids[ids[at].0 as usize],
        };
    }
    let all = std::mem::take(&mut types.list);
    for (at, ty) in all.into_iter().enumerate() {
        if at < first {
            types.list.push(ty);
        } else if ids[at].0 as usize == types.list.len() {
            types.list.push(with(ty, &|ty| ids[ty.0 as usize]));
        }
    }
    ids.split_off(first)
}

/// A type with others in place of those that it is made of.
fn with(mut ty: Type, id: &impl Fn(TypeId) -> TypeId) -> Type {
    each_type(&mut ty, &mut |own| *own = id(*own));
    ty
}

fn each_type(ty: &mut Type, each: &mut dyn FnMut(&mut TypeId)) {
    ty.arguments.iter_mut().for_each(|(_, ty)| each(ty));
    match &mut ty.kind {
        Kind::Scalar(_) | Kind::Names(_) | Kind::Opaque | Kind::Pointer(None) => {}
        Kind::Pointer(Some(to)) | Kind::Array(to, _) => each(to),
        Kind::Struct(fields) | Kind::Union(fields) => {
            fields.iter_mut().for_each(|field| each(&mut field.ty));
        }
        Kind::Enum(tagged) => tagged.variants.iter_mut().for_each(|v| each(&mut v.ty)),
    }
}

/// A hash of each type, equal for types that are equal, fields included.
fn hashes(list: &[Type]) -> Vec<u64> {
    deepened(list.iter().map(own).collect(), |at, each| {
        let ty = &list[at];
        let mut add = |ty: TypeId| each(Some(ty.0));
        ty.arguments.iter().for_each(|(_, ty)| add(*ty));
        match &ty.kind {
            Kind::Scalar(_) | Kind::Names(_) | Kind::Opaque | Kind::Pointer(None) => {}
            Kind::Pointer(Some(to)) | Kind::Array(to, _) => add(*to),
            Kind::Struct(fields) | Kind::Union(fields) => {
                fields.iter().for_each(|field| add(field.ty));
            }
            Kind::Enum(tagged) => tagged.variants.iter().for_each(|v| add(v.ty)),
        }
    })
}

/// A hash of a type without the types of its fields.
fn own(ty: &Type) -> u64 {
    let mut hasher = FxHasher::default();
    (&ty.name, ty.size).hash(&mut hasher);
    std::mem::discriminant(&ty.kind).hash(&mut hasher);
    match &ty.kind {
        Kind::Scalar(scalar) => scalar.hash(&mut hasher),
        Kind::Pointer(to) => to.is_some().hash(&mut hasher),
        Kind::Struct(fields) | Kind::Union(fields) => {
            for field in fields {
                (&field.name, field.offset).hash(&mut hasher);
            }
        }
        Kind::Enum(tagged) => {
            tagged.tag.hash(&mut hasher);
            for variant in &tagged.variants {
                (&variant.name, variant.value).hash(&mut hasher);
            }
        }
        Kind::Names(list) => list.hash(&mut hasher),
        Kind::Array(_, count) => count.hash(&mut hasher),
        Kind::Opaque => {}
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::add;
    use crate::types::{Field, Kind, Scalar, Type, TypeId, Types};

    fn types(list: &[(&str, u64, &[u32])]) -> Types {
        let ty = |&(name, size, fields): &(&str, u64, &[u32])| Type {
            name: name.into(),
            size,
            kind: match fields {
                [] => Kind::Scalar(Scalar::Number),
                _ => Kind::Struct(
                    fields
                        .iter()
                        .map(|ty| Field {
                            name: "f".into(),
                            offset: 0,
                            ty: TypeId(*ty),
                        })
                        .collect(),
                ),
            },
            arguments: Vec::new(),
        };
        Types {
            list: list.iter().map(ty).collect(),
        }
    }

    #[test]
    fn equal_types_of_two_objects_are_one() {
        let mut all = types(&[("u8", 1, &[]), ("a::A", 1, &[0]), ("a::B", 1, &[1])]);
        let other = types(&[
            ("a::B", 1, &[2]),
            ("a::C", 1, &[0]),
            ("a::A", 1, &[3]),
            ("u8", 1, &[]),
            // Another of the same name.
            ("a::A", 2, &[1]),
        ]);
        let ids = add(&mut all, other);
        let ids: Vec<u32> = ids.into_iter().map(|id| id.0).collect();
        assert_eq!(ids, [2, 3, 1, 0, 4]);
        let fields = |at: usize| match &all.list[at].kind {
            Kind::Struct(fields) => fields.iter().map(|f| f.ty.0).collect(),
            _ => Vec::new(),
        };
        assert_eq!(all.list.len(), 5);
        assert_eq!([3, 4].map(fields), [vec![2], vec![3]]);
    }
}
