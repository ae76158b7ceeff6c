//! How the values of a type are read: which of their bytes are tags and which own blocks.
//!
//! A type is compiled once for each place that owns it, so that what is counted belongs to a
//! field.

use super::rules;
use crate::types::{self, Kind, Scalar, Tagged, TypeId, Types, UNRESUMED, base};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A compiled type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlanId(pub u32);

/// A field, or whatever else owns blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner(pub u32);

/// The owner of values whose owner is unknown.
pub const NO_OWNER: Owner = Owner(0);

/// A place that owns blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The type that declares it.
    pub ty: Option<TypeId>,
    /// The field's name, `[]` behind it for what is in a container in it.
    pub name: Box<str>,
}

/// A step of reading a value. Places are bytes from its start.
#[derive(Clone, Debug)]
pub enum Op {
    /// A `bool` or `char`: not every bit pattern is a value.
    Check(u64, Scalar),
    /// A reference: never null.
    Reference(u64),
    /// The discriminant of an enum, which selects a variant.
    Enum {
        /// Place of the tag.
        tag: u64,
        /// Bytes of the tag; 0 where there is one variant.
        bytes: u64,
        /// Where the enum starts.
        start: u64,
        /// Of each tag.
        variants: Rc<FxHashMap<u128, PlanId>>,
        /// Of all others.
        other: Option<PlanId>,
    },
    /// A container that starts there.
    Container(u64, Box<rules::Container>),
    /// The same for one that keeps nothing alive.
    Weak(u64, Box<rules::Container>),
    /// So many values behind each other.
    Repeat(u64, u64, u64, PlanId),
    /// A captured variable of a coroutine, unless it was moved out: then its blocks have another
    /// owner.
    Captured(u64, PlanId),
    /// A variable of a suspended coroutine, which may have been dropped or moved out: then its blocks
    /// are gone, or have another owner.
    Kept(u64, PlanId),
    /// A raw pointer, which may own one value of this type.
    Raw(u64, TypeId, Owner),
    /// A value that is there while some of these bits of a word are set: place of the word, the
    /// bits, place of the value.
    If(u64, u64, u64, PlanId),
}

/// A compiled type.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The steps of reading a value.
    pub ops: Rc<[Op]>,
    /// The types that each value is made of, itself included.
    pub contains: Vec<TypeId>,
    /// The enum and variant that it is the payload of, and who owns the enum.
    pub variant: Option<(TypeId, u32, Owner)>,
    /// Whether some bit patterns are no value, so that values can be told from uninitialized
    /// memory.
    pub checks: bool,
}

/// A plan that is being built.
#[derive(Default)]
struct Draft {
    plan: Plan,
    ops: Vec<Op>,
}

impl Draft {
    fn done(self) -> Plan {
        Plan {
            ops: self.ops.into(),
            ..self.plan
        }
    }
}

/// The plans of an enum's variants by tag, and that of all other tags.
type Variants = (Rc<FxHashMap<u128, PlanId>>, Option<PlanId>);

/// All compiled types of a run.
#[derive(Debug)]
pub struct Plans<'t> {
    /// The program's types.
    pub types: &'t Types,
    /// By number.
    pub list: Vec<Plan>,
    /// By number.
    pub owners: Vec<Field>,
    by_owner: FxHashMap<Field, Owner>,
    by_type: FxHashMap<(TypeId, Owner), PlanId>,
    /// The variants of each enum: an enum lies in many types and variants, and these in others.
    by_enum: FxHashMap<(TypeId, Owner), Variants>,
    has_arenas: bool,
}

/// Crates whose types are transparent: what they own belongs to the field that has them.
const TRANSPARENT: &[&str] = &[
    "alloc",
    "core",
    "std",
    "hashbrown",
    "hashlink",
    "indexmap",
    "smallvec",
    "arrayvec",
    "thin_vec",
    "either",
    "triomphe",
    "once_cell",
    "parking_lot",
    "lock_api",
    "typed_arena",
    "bumpalo",
    "bytes",
    "crossbeam_channel",
    "crossbeam_utils",
    "id_arena",
    "im",
    "im_rc",
    "linked_hash_map",
    "lru",
    "sized_chunks",
    "slab",
    "slotmap",
    "dashmap",
    "arc_swap",
];

/// Whether a type is of one of these crates, or a tuple, slice, array or primitive type.
pub fn is_transparent(name: &str) -> bool {
    let krate = name.split("::").next().unwrap_or_default();
    TRANSPARENT.contains(&krate) || name.starts_with(['(', '[']) || !name.contains("::")
}

/// `__0` as `0`.
pub fn plain(name: &str) -> &str {
    match name.strip_prefix("__") {
        Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => number,
        _ => name,
    }
}

/// The states of a coroutine that has ended.
const ENDED: [&str; 2] = ["Returned", "Panicked"];

/// The captured variables, if these are the states of a coroutine.
fn captured<'t>(types: &'t Types, states: &Tagged) -> Option<&'t [types::Field]> {
    let mut all = states.variants.iter();
    let first = all.find(|variant| &*variant.name == UNRESUMED)?;
    let ended = |name: &&str| {
        states
            .variants
            .iter()
            .any(|variant| &*variant.name == *name)
    };
    match &types[first.ty].kind {
        Kind::Struct(fields) if ENDED.iter().all(ended) => Some(fields),
        _ => None,
    }
}

/// Whether a raw pointer to a value of a type may own it: another value rarely has its size.
fn may_be_owned(ty: &types::Type) -> bool {
    let is_whole = matches!(ty.kind, Kind::Struct(_) | Kind::Enum(_));
    is_whole && ty.size >= 16
}

/// The deepest nesting of types by value that is followed.
const DEEPEST: u32 = 64;

impl<'t> Plans<'t> {
    /// None yet.
    pub fn new(types: &'t Types) -> Plans<'t> {
        let no_owner = Field {
            ty: None,
            name: "".into(),
        };
        Plans {
            types,
            list: Vec::new(),
            owners: vec![no_owner.clone()],
            by_owner: FxHashMap::from_iter([(no_owner, NO_OWNER)]),
            by_type: FxHashMap::default(),
            by_enum: FxHashMap::default(),
            has_arenas: rules::crates::has_arenas(types),
        }
    }

    /// The owner of that name.
    pub fn owner(&mut self, ty: Option<TypeId>, name: &str) -> Owner {
        let field = Field {
            ty,
            name: name.into(),
        };
        if let Some(&owner) = self.by_owner.get(&field) {
            return owner;
        }
        let owner = Owner(self.owners.len() as u32);
        self.owners.push(field.clone());
        self.by_owner.insert(field, owner);
        owner
    }

    /// The owner of the values in a container of an owner.
    fn inside(&mut self, owner: Owner) -> Owner {
        let field = self.owners[owner.0 as usize].clone();
        match owner == NO_OWNER || field.name.matches("[]").count() > 3 {
            true => owner,
            false => self.owner(field.ty, &format!("{}[]", field.name)),
        }
    }

    /// The plan of the values in a container of `owner`.
    pub fn element(&mut self, ty: TypeId, owner: Owner) -> PlanId {
        let inside = self.inside(owner);
        self.of(ty, inside)
    }

    /// The plan of a type whose values belong to `owner`.
    pub fn of(&mut self, ty: TypeId, owner: Owner) -> PlanId {
        if let Some(&plan) = self.by_type.get(&(ty, owner)) {
            return plan;
        }
        let id = self.reserve();
        self.by_type.insert((ty, owner), id);
        let mut draft = Draft::default();
        self.compile(ty, 0, owner, &mut draft, 0);
        self.list[id.0 as usize] = draft.done();
        id
    }

    fn reserve(&mut self) -> PlanId {
        self.list.push(Plan::default());
        PlanId(self.list.len() as u32 - 1)
    }

    fn compile(&mut self, ty: TypeId, at: u64, owner: Owner, draft: &mut Draft, depth: u32) {
        if depth > DEEPEST {
            return;
        }
        let types = self.types;
        let described = &types[ty];
        if !matches!(
            described.kind,
            Kind::Scalar(_) | Kind::Pointer(_) | Kind::Opaque
        ) {
            draft.plan.contains.push(ty);
        }
        if self.by_rule(ty, at, owner, draft, depth) {
            return;
        }
        match &described.kind {
            Kind::Scalar(Scalar::Number) | Kind::Opaque | Kind::Union(_) => {}
            Kind::Scalar(scalar) => draft.ops.push(Op::Check(at, *scalar)),
            Kind::Pointer(to) => {
                if described.name.starts_with('&') {
                    draft.plan.checks = true;
                    draft.ops.push(Op::Reference(at));
                }
                if let Some(to) = to.filter(|to| may_be_owned(&types[*to])) {
                    draft.ops.push(Op::Raw(at, to, owner));
                }
            }
            Kind::Names(list) => {
                let (variants, other) = self.shared(ty, owner, depth, |plans, owner| {
                    let variants = list.iter().enumerate().map(|(index, (_, value))| {
                        let id = plans.reserve();
                        plans.list[id.0 as usize].variant = Some((ty, index as u32, owner));
                        let bits = described.size.clamp(1, 16) * 8;
                        (*value & (u128::MAX >> (128 - bits)), id)
                    });
                    (Rc::new(variants.collect()), None)
                });
                draft.ops.push(Op::Enum {
                    tag: at,
                    bytes: described.size,
                    start: at,
                    variants,
                    other,
                });
            }
            Kind::Enum(tagged) => {
                let (variants, other) = self.shared(ty, owner, depth, |plans, owner| {
                    plans.variants(ty, tagged, owner, depth)
                });
                let (tag, bytes) = tagged.tag.unwrap_or((0, 0));
                draft.ops.push(Op::Enum {
                    tag: at + tag,
                    bytes,
                    start: at,
                    variants,
                    other,
                });
            }
            Kind::Array(element, count) => {
                let size = types[*element].size;
                if size > 0 && *count > 0 {
                    let id = self.of(*element, owner);
                    let inner = &self.list[id.0 as usize];
                    draft.plan.checks |= inner.checks;
                    if !inner.ops.is_empty() || !inner.contains.is_empty() {
                        draft.ops.push(Op::Repeat(at, size, *count, id));
                    }
                }
            }
            Kind::Struct(fields) => self.fields(ty, fields, at, owner, draft, depth),
        }
    }

    /// Adds the steps for a type that the table of containers lists. True if nothing else of it is
    /// to be read.
    fn by_rule(
        &mut self,
        ty: TypeId,
        at: u64,
        owner: Owner,
        draft: &mut Draft,
        depth: u32,
    ) -> bool {
        let types = self.types;
        if let Some(container) = rules::container(types, ty) {
            let container = container.of(owner);
            if let rules::Container::Whole(field) = container {
                if let Some((offset, ty)) = field {
                    self.compile(ty, at + offset, owner, draft, depth + 1);
                }
            } else {
                if let rules::Container::Linked(map) = &container {
                    // Of pointers to what the list owns: no container of the field.
                    let (table, ty) = map.table;
                    self.compile(ty, at + table, NO_OWNER, draft, depth + 1);
                }
                draft.plan.checks = true;
                let container = Box::new(container);
                let is_weak = matches!(types.base(ty), "alloc::rc::Weak" | "alloc::sync::Weak");
                draft.ops.push(match is_weak {
                    true => Op::Weak(at, container),
                    false => Op::Container(at, container),
                });
            }
            return true;
        }
        if let Some((at_once, bytes, complete, value)) = rules::once(types, ty) {
            let inner = self.apart(value.1, owner, depth);
            let nothing = self.reserve();
            draft.ops.push(Op::Enum {
                tag: at + at_once,
                bytes,
                start: at + value.0,
                variants: Rc::new(FxHashMap::from_iter([(complete, inner)])),
                other: Some(nothing),
            });
            return true;
        }
        if self.has_arenas
            && types[ty].name.starts_with('&')
            && let Some(container) = rules::crates::borrowed(types, ty)
        {
            let container = Box::new(container.of(owner));
            draft.ops.push(Op::Container(at, container));
        }
        let counted = rules::counted(types, ty).map(|(count, value)| (count, u64::MAX, value));
        if let Some((word, bits, value)) = counted.or_else(|| rules::crates::slot(types, ty)) {
            let inner = self.apart(value.1, owner, depth);
            let (word, value) = (at + word, at + value.0);
            draft.ops.push(Op::If(word, bits, value, inner));
            return true;
        }
        false
    }

    /// A separate plan for a value that is present only under a condition.
    fn apart(&mut self, ty: TypeId, owner: Owner, depth: u32) -> PlanId {
        let id = self.reserve();
        let mut whole = Draft::default();
        self.compile(ty, 0, owner, &mut whole, depth + 1);
        self.list[id.0 as usize] = whole.done();
        id
    }

    /// The variants of an enum, compiled once for each owner that its values are counted for.
    fn shared(
        &mut self,
        ty: TypeId,
        owner: Owner,
        depth: u32,
        compile: impl FnOnce(&mut Self, Owner) -> Variants,
    ) -> Variants {
        // Only what a transparent type owns belongs to the field that has the value.
        let owner = match is_transparent(&self.types[ty].name) {
            true => owner,
            false => NO_OWNER,
        };
        if let Some(known) = self.by_enum.get(&(ty, owner)) {
            return known.clone();
        }
        let variants = compile(self, owner);
        // Variants that are nested deeper may be cut off at the limit, which others are not.
        if depth <= DEEPEST / 2 {
            self.by_enum.insert((ty, owner), variants.clone());
        }
        variants
    }

    /// Compiles each variant of an enum.
    fn variants(&mut self, ty: TypeId, tagged: &Tagged, owner: Owner, depth: u32) -> Variants {
        let types = self.types;
        let own = !is_transparent(&types[ty].name);
        let captured = captured(types, tagged);
        let (mut variants, mut other) = (FxHashMap::default(), None);
        for (index, variant) in tagged.variants.iter().enumerate() {
            let id = self.reserve();
            let mut inner = Draft::default();
            inner.plan.variant = Some((ty, index as u32, owner));
            // A coroutine that has ended has dropped everything.
            let is_over = captured.is_some() && ENDED.contains(&&*variant.name);
            if let Kind::Struct(fields) = &types[variant.ty].kind
                && !is_over
            {
                let mut moved = Vec::new();
                for field in fields {
                    let owner = match own {
                        true => {
                            let name = format!("{}.{}", variant.name, plain(&field.name));
                            self.owner(Some(ty), &name)
                        }
                        false => owner,
                    };
                    let is_captured = captured.is_some_and(|captured| {
                        let same = |other: &types::Field| {
                            (other.offset, other.ty) == (field.offset, field.ty)
                        };
                        &*variant.name != UNRESUMED && captured.iter().any(same)
                    });
                    if is_captured {
                        let plan = self.apart(field.ty, owner, depth);
                        moved.push(Op::Captured(field.offset, plan));
                        continue;
                    }
                    if captured.is_some() && &*variant.name != UNRESUMED {
                        let plan = self.apart(field.ty, owner, depth);
                        inner.ops.push(Op::Kept(field.offset, plan));
                        continue;
                    }
                    self.compile(field.ty, field.offset, owner, &mut inner, depth + 1);
                }
                // What they were moved to is read first.
                inner.ops.extend(moved);
            }
            self.list[id.0 as usize] = inner.done();
            match (variant.value, tagged.tag) {
                (Some(value), Some(_)) => {
                    variants.insert(value, id);
                }
                _ => other = Some(id),
            }
        }
        (Rc::new(variants), other)
    }

    /// The fields of a struct or tuple, each with its owner.
    fn fields(
        &mut self,
        ty: TypeId,
        fields: &[types::Field],
        at: u64,
        owner: Owner,
        draft: &mut Draft,
        depth: u32,
    ) {
        let name = &self.types[ty].name;
        if rules::is_hidden(base(name)) {
            return;
        }
        let own = !is_transparent(name);
        let tuple = name.starts_with('(') && fields.len() > 1;
        for field in fields {
            let owner = match (own, tuple && owner != NO_OWNER) {
                (true, _) => self.owner(Some(ty), plain(&field.name)),
                (_, true) => {
                    let whole = self.owners[owner.0 as usize].clone();
                    let name = format!("{}.{}", whole.name, plain(&field.name));
                    self.owner(whole.ty, &name)
                }
                _ => owner,
            };
            self.compile(field.ty, at + field.offset, owner, draft, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NO_OWNER, Plans, is_transparent};
    use crate::types::{Field, Kind, Tagged, Type, TypeId, Types, Variant};

    /// Enums of two variants, each of which has the next enum as its field.
    fn nested(levels: u32) -> Types {
        let mut list = Vec::new();
        for level in 0..levels {
            let first = level * 3;
            let variant = |n: u32| Variant {
                name: n.to_string().into(),
                value: Some(n.into()),
                ty: TypeId(first + n),
            };
            let tagged = Tagged {
                tag: Some((0, 1)),
                variants: vec![variant(1), variant(2)],
            };
            let fields = || match level + 1 < levels {
                true => vec![Field {
                    name: "__0".into(),
                    offset: 1,
                    ty: TypeId(first + 3),
                }],
                false => Vec::new(),
            };
            let ty = |kind| Type {
                name: format!("own::Level{level}").into(),
                size: u64::from(levels - level),
                kind,
                arguments: Vec::new(),
            };
            list.push(ty(Kind::Enum(tagged)));
            list.extend([Kind::Struct(fields()), Kind::Struct(fields())].map(ty));
        }
        Types { list }
    }

    #[test]
    fn an_enum_in_many_variants_is_compiled_once() {
        let types = nested(20);
        let mut plans = Plans::new(&types);
        plans.of(TypeId(0), NO_OWNER);
        // The outermost enum, and two variants of each.
        assert_eq!(plans.list.len(), 41);
    }

    #[test]
    fn what_a_field_is_made_of() {
        assert!(is_transparent("core::option::Option<a::B>"));
        assert!(is_transparent("(a::B, a::C)"));
        assert!(is_transparent("[a::B; 2]"));
        assert!(!is_transparent("a::B"));
    }
}
