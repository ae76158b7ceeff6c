//! A program's types as plain data: sizes, fields at offsets, tags, parameters.

use std::ops::Index;

/// A type of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// The description of a type.
#[derive(Debug)]
pub struct Type {
    /// As debug info writes it, with its path and arguments.
    pub name: Box<str>,
    /// Bytes of one value.
    pub size: u64,
    /// What it is made of.
    pub kind: Kind,
    /// Its type arguments by the names of their parameters.
    pub arguments: Vec<(Box<str>, TypeId)>,
}

/// What a type is made of.
#[derive(Debug)]
pub enum Kind {
    /// A number or the like.
    Scalar(Scalar),
    /// A pointer or reference to one value; of a thin `Box`, with `Box` in the name.
    Pointer(Option<TypeId>),
    /// A struct, a tuple, a closure, or one variant of an enum.
    Struct(Vec<Field>),
    /// An enum with data, or the state of a coroutine.
    Enum(Tagged),
    /// An enum without data: names by value.
    Names(Vec<(Box<str>, u128)>),
    /// A union: which field is active is not known.
    Union(Vec<Field>),
    /// So many adjacent values.
    Array(TypeId, u64),
    /// A type that debug info does not describe.
    Opaque,
}

/// The scalars that not every bit pattern is a value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// 0 or 1.
    Bool,
    /// A Unicode scalar value.
    Char,
    /// Anything else.
    Number,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name, `__0` for the first of a tuple.
    pub name: Box<str>,
    /// Bytes from the start of the value.
    pub offset: u64,
    /// Its type.
    pub ty: TypeId,
}

/// The variants of an enum and what tells them apart.
#[derive(Debug)]
pub struct Tagged {
    /// Offset and bytes of the tag; none where there is one variant.
    pub tag: Option<(u64, u64)>,
    /// The variants, in the order of debug info.
    pub variants: Vec<Variant>,
}

/// The variant of a coroutine that has not started, with what it has captured.
pub const UNRESUMED: &str = "Unresumed";

/// A variant.
#[derive(Debug)]
pub struct Variant {
    /// Its name.
    pub name: Box<str>,
    /// The tag that says so; none for the variant of all tags that no other has.
    pub value: Option<u128>,
    /// A struct of its fields, at their offsets in the enum.
    pub ty: TypeId,
}

/// All types of a program.
#[derive(Debug, Default)]
pub struct Types {
    /// By number.
    pub list: Vec<Type>,
}

impl Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }
}

impl Types {
    /// The numbers of all types.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.list.len() as u32).map(TypeId)
    }

    /// A field by name.
    pub fn field(&self, ty: TypeId, name: &str) -> Option<&Field> {
        match &self[ty].kind {
            Kind::Struct(fields) | Kind::Union(fields) => fields.iter().find(|f| &*f.name == name),
            _ => None,
        }
    }

    /// Offset and type of a field of a field, names separated by dots.
    pub fn path(&self, ty: TypeId, path: &str) -> Option<(u64, TypeId)> {
        path.split('.').try_fold((0, ty), |(offset, ty), name| {
            let field = self.field(ty, name)?;
            Some((offset + field.offset, field.ty))
        })
    }

    /// Offset and type of the innermost field of structs that have a single field with a size.
    pub fn innermost(&self, mut ty: TypeId) -> (u64, TypeId) {
        let mut offset = 0;
        for _ in 0..16 {
            let Kind::Struct(fields) = &self[ty].kind else {
                break;
            };
            let mut sized = fields.iter().filter(|f| self[f.ty].size > 0);
            match (sized.next(), sized.next()) {
                (Some(only), None) => {
                    offset += only.offset;
                    ty = only.ty;
                }
                _ => break,
            }
        }
        (offset, ty)
    }

    /// A type argument by the name of its parameter.
    pub fn argument(&self, ty: TypeId, name: &str) -> Option<TypeId> {
        let found = self[ty].arguments.iter().find(|(n, _)| &**n == name);
        found.map(|(_, ty)| *ty)
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self[ty].kind {
            Kind::Pointer(to) => to,
            _ => None,
        }
    }

    /// The name up to its arguments.
    pub fn base(&self, ty: TypeId) -> &str {
        base(&self[ty].name)
    }
}

/// A name up to its arguments: `alloc::vec::Vec`.
pub fn base(name: &str) -> &str {
    // `<T as Trait>::{vtable}` and `{impl#0}` have none.
    match name.find('<') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}
