//! What containers own and how much of it is filled: one table, for std and the crates that many
//! programs use.

mod channels;
pub mod crates;
pub mod linked;

use super::image::word;
use super::plan::Owner;
use super::types::{Kind, TypeId, Types};

/// How a container leads to its values. Places are offsets in bytes from its start.
#[derive(Clone, Debug)]
pub enum Container {
    /// Pointer and capacity and length: `Vec`.
    Vec(Buffer),
    /// The same for a ring buffer, and the place of its head.
    Ring(Buffer, u64),
    /// The rest of an iterator: start of the buffer, capacity, first, end.
    Rest(Buffer, u64),
    /// One value in a block: `Box`.
    One(u64, TypeId, Owner),
    /// A pointer and a length: `Box<[T]>`.
    Slice(u64, u64, Content),
    /// A pointer and a vtable: `Box<dyn Trait>`; whether two counts come first.
    Dyn(u64, u64, bool, Owner),
    /// Two counts and a value in a shared block: `Rc`.
    Shared(u64, TypeId, Owner),
    /// The same with a length, and where values begin in the block: `Rc<[T]>`.
    SharedSlice(u64, u64, u64, Content),
    /// A hash table: control bytes, mask, number of values, how many more fit.
    Table(u64, u64, u64, u64, Content),
    /// A B-tree: place of the root's pointer, of its height, of the number of entries; the leaf.
    Tree(u64, u64, u64, Leaf, Owner),
    /// A list: place of the first node's pointer, place of the next one's in a node, the node.
    List(u64, u64, TypeId, Owner),
    /// A map whose entries are nodes of a list.
    Linked(linked::Linked),
    /// A vector with inline capacity.
    Small(Small),
    /// Values inline: place of the length and its bytes, of the values, how many fit.
    Inline(u64, u64, u64, u64, Content),
    /// Values inline, from one index to another: places of both, of the values, how many fit.
    Range(u64, u64, u64, u64, Content),
    /// Values inline where bits are set: place of the bits and their bytes, of the values, how
    /// many fit.
    Sparse(u64, u64, u64, u64, Content),
    /// Bytes that handles share: `Bytes`, `BytesMut`.
    Bytes(Handle),
    /// Messages in linked blocks: an unbounded channel.
    Queue(Queue),
    /// Messages in a ring: a bounded channel.
    Slots(Slots),
    /// Messages in linked blocks with a bit for each: tokio's channels.
    Lanes(Lanes),
    /// A text inline, or behind a header in a block that others may share: tendril.
    Tendril(Tendril),
    /// Chunks that values of any type lie in: place of the newest one's footer, the footer.
    Arena(u64, TypeId, Owner),
    /// Pointer, capacity and length of a buffer, if it lies in an arena; whether it is owned.
    InArena(Buffer, bool),
    /// A pointer to a value in an arena, if that is where it leads; whether the pointer owns it.
    Pointed(u64, TypeId, Owner, bool),
    /// Length and capacity stand in the block, before the values.
    Thin(u64, Content),
    /// The keys and values of a node.
    Node(u64, Leaf, Owner),
    /// A type of which only this field is read, if any.
    Whole(Option<(u64, TypeId)>),
}

/// Values of a type, and their owner.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// The type of one.
    pub ty: TypeId,
    /// The field.
    pub owner: Owner,
    /// Whether together they are a text.
    pub text: bool,
}

/// A buffer that can grow.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Places of pointer, capacity, length.
    pub pointer: u64,
    /// Place of the capacity.
    pub capacity: u64,
    /// Place of the length; of the end's pointer in an iterator.
    pub length: u64,
    /// What is in it.
    pub content: Content,
}

/// A vector that holds a few values in itself.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    /// Place of the capacity, which is the length while the values are inline.
    pub capacity: u64,
    /// Place of the inline values.
    pub inline: u64,
    /// How many of them fit.
    pub fits: u64,
    /// Place of the pointer to a block.
    pub pointer: u64,
    /// Place of the length in a block.
    pub length: u64,
    /// The values.
    pub content: Content,
}

/// A handle of bytes. Its lowest bit of `data` says whether it alone has the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    /// Place of the pointer to what the handle sees.
    pub pointer: u64,
    /// Place of the number of bytes that it sees.
    pub length: u64,
    /// Place of the capacity, where it can grow.
    pub capacity: Option<u64>,
    /// Place of the pointer to what handles share, or to the buffer.
    pub data: u64,
    /// A byte.
    pub byte: TypeId,
    /// What handles share: the buffer and a count.
    pub shared: [Option<TypeId>; 2],
    /// The field.
    pub owner: Owner,
}

/// An unbounded channel.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Places of the indices of the first message and of the next, and of the first block.
    pub first: u64,
    /// Of the index where the next message goes.
    pub end: u64,
    /// Of the pointer to the first block.
    pub head: u64,
    /// A block.
    pub block: TypeId,
    /// Place of the next block's pointer in a block.
    pub next: u64,
    /// Places in a block.
    pub slots: Slot,
    /// The messages.
    pub content: Content,
}

/// Places of messages.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Where the first slot begins.
    pub start: u64,
    /// The type of one.
    pub ty: TypeId,
    /// Place of the message in a slot.
    pub message: u64,
    /// Place of what says whether there is one, where that is said.
    pub state: u64,
}

/// A bounded channel.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Place of the index of the first message.
    pub first: u64,
    /// Of the index where the next message goes.
    pub end: u64,
    /// Of the bit above all indices.
    pub mark: u64,
    /// Of the pointer to the slots.
    pub pointer: u64,
    /// Of their number.
    pub number: u64,
    /// Places in the slots.
    pub slots: Slot,
    /// The messages.
    pub content: Content,
}

/// What is left to receive of tokio's linked blocks.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// Place of the pointer to the block of the next message.
    pub head: u64,
    /// Place of the next message's index.
    pub index: u64,
    /// A block.
    pub block: TypeId,
    /// Place of the next block's pointer in a block.
    pub next: u64,
    /// Place of the index of a block's first message in a block.
    pub start: u64,
    /// Place of the bits of messages that were written in a block.
    pub ready: u64,
    /// Place of the messages in a block.
    pub values: u64,
    /// The messages.
    pub content: Content,
}

/// A text of tendril.
#[derive(Clone, Copy, Debug)]
pub struct Tendril {
    /// Place of the pointer, or of the length of a short text.
    pub pointer: u64,
    /// Place of a short text.
    pub inline: u64,
    /// Place of the length of a long text, four bytes.
    pub length: u64,
    /// Place of its capacity or, where it is shared, of the first byte in the block.
    pub rest: u64,
    /// Bytes in front of a long text.
    pub header: u64,
    /// A byte.
    pub content: Content,
}

/// A node of a B-tree: places of length, keys and values.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The node.
    pub ty: TypeId,
    /// A node that is not a leaf, where debug information describes it.
    pub inner: Option<TypeId>,
    /// Place of the length, two bytes.
    pub length: u64,
    /// Place and type of the keys.
    pub keys: (u64, TypeId),
    /// Place and type of the values.
    pub values: (u64, TypeId),
}

/// Entries of a B-tree's node.
pub const NODE: u64 = 11;

impl Container {
    /// The same for a value that this field has.
    pub fn of(mut self, by: Owner) -> Container {
        match &mut self {
            Container::Vec(Buffer { content, .. })
            | Container::Ring(Buffer { content, .. }, _)
            | Container::Rest(Buffer { content, .. }, _)
            | Container::InArena(Buffer { content, .. }, _)
            | Container::Slice(.., content)
            | Container::SharedSlice(.., content)
            | Container::Table(.., content)
            | Container::Small(Small { content, .. })
            | Container::Inline(.., content)
            | Container::Range(.., content)
            | Container::Sparse(.., content)
            | Container::Queue(Queue { content, .. })
            | Container::Slots(Slots { content, .. })
            | Container::Lanes(Lanes { content, .. })
            | Container::Tendril(Tendril { content, .. })
            | Container::Thin(_, content) => content.owner = by,
            Container::One(.., owner)
            | Container::Dyn(.., owner)
            | Container::Shared(.., owner)
            | Container::Tree(.., owner)
            | Container::List(.., owner)
            | Container::Arena(.., owner)
            | Container::Node(.., owner)
            | Container::Pointed(_, _, owner, _)
            | Container::Linked(linked::Linked { owner, .. })
            | Container::Bytes(Handle { owner, .. }) => *owner = by,
            Container::Whole(_) => {}
        }
        self
    }

    /// The address of the block that this container alone owns, if it owns one.
    pub fn own_block(&self, bytes: &[u8]) -> Option<u64> {
        let at = |place: &u64| word(bytes, *place as usize);
        match self {
            Container::Vec(b) | Container::Ring(b, _) | Container::Rest(b, _) => {
                (at(&b.capacity) > 0).then(|| at(&b.pointer))
            }
            Container::One(p, ..) | Container::Dyn(p, _, false, _) => Some(at(p)),
            Container::Slice(p, length, _) => (at(length) > 0).then(|| at(p)),
            Container::Tree(root, ..) | Container::List(root, ..) => Some(at(root)),
            Container::Thin(p, _) => Some(at(p)),
            Container::Tendril(t) => {
                let pointer = at(&t.pointer);
                (pointer > INLINE && pointer & 1 == 0).then_some(pointer)
            }
            Container::Small(s) => (at(&s.capacity) > s.fits).then(|| at(&s.pointer)),
            _ => None,
        }
    }
}

const NO_OWNER: Owner = super::plan::NO_OWNER;

/// The largest pointer of a tendril that is the length of a text, itself for none.
pub const INLINE: u64 = 15;

/// Behind the values of each chunk of a `Bump`.
pub const FOOTER: &str = "bumpalo::ChunkFooter";

/// Bytes of the two counts in front of a shared value of std.
pub const COUNTS: u64 = 16;

/// Structs whose field may have been dropped or moved out.
pub fn is_hidden(base: &str) -> bool {
    matches!(
        base,
        "core::mem::manually_drop::ManuallyDrop" | "core::mem::maybe_dangling::MaybeDangling"
    )
}

/// The counts' place and the value of a shared block: `RcInner`, `ArcInner`.
pub fn counted(types: &Types, ty: TypeId) -> Option<(u64, (u64, TypeId))> {
    let base = types.base(ty);
    match base {
        "alloc::rc::RcInner" | "alloc::rc::RcBox" => {
            let (offset, value) = types.path(ty, "value")?;
            Some((types.path(ty, "strong")?.0, (offset, value)))
        }
        "alloc::sync::ArcInner" => {
            let (offset, value) = types.path(ty, "data")?;
            Some((types.path(ty, "strong")?.0, (offset, value)))
        }
        "triomphe::arc::ArcInner" => {
            let (offset, value) = types.path(ty, "data")?;
            Some((types.path(ty, "count")?.0, (offset, value)))
        }
        _ => None,
    }
}

/// What is there once a `Once` is complete: its place and bytes, the value that says so, and place
/// and type of what is there.
pub fn once(types: &Types, ty: TypeId) -> Option<(u64, u64, u128, (u64, TypeId))> {
    let place = match types.base(ty) {
        "std::sync::once_lock::OnceLock" => "value",
        "std::sync::lazy_lock::LazyLock" => "data",
        _ => return None,
    };
    let (at, state) = types.path(ty, "once")?;
    let (further, state) = types.innermost(state);
    let value = (types.path(ty, place)?.0, types.argument(ty, "T")?);
    Some((at + further, types[state].size, COMPLETE, value))
}

/// Of a `Once` that waits by futex, as all do on Linux.
const COMPLETE: u128 = 0;

/// The container that a type is, with places from its start.
#[expect(clippy::too_many_lines, reason = "a table of containers")]
pub fn container(types: &Types, ty: TypeId) -> Option<Container> {
    let described = &types[ty];
    let name = &*described.name;
    if let Kind::Pointer(Some(to)) = described.kind {
        // A pointer is all that a `Box` of one value is.
        return name
            .starts_with("alloc::boxed::Box<")
            .then_some(Container::One(0, to, NO_OWNER));
    }
    if !matches!(described.kind, Kind::Struct(_)) {
        return None;
    }
    let content = |ty: TypeId, text: bool| Content {
        ty,
        owner: NO_OWNER,
        text,
    };
    match types.base(ty) {
        "alloc::vec::Vec" => vec(types, ty, false).map(Container::Vec),
        "alloc::string::String" | "std::sys::os_str::bytes::Buf" => {
            let inner = types.path(ty, "vec").or_else(|| types.path(ty, "inner"));
            let (at, inner) = inner?;
            let mut buffer = vec(types, inner, true)?;
            buffer.pointer += at;
            buffer.capacity += at;
            buffer.length += at;
            Some(Container::Vec(buffer))
        }
        "alloc::collections::vec_deque::VecDeque" => {
            let (at, raw) = types.path(ty, "buf")?;
            let (pointer, capacity) = raw_vec(types, raw)?;
            let buffer = Buffer {
                pointer: at + pointer,
                capacity: at + capacity,
                length: types.path(ty, "len")?.0,
                content: content(types.argument(ty, "T")?, false),
            };
            Some(Container::Ring(buffer, types.path(ty, "head")?.0))
        }
        "alloc::vec::into_iter::IntoIter" => {
            let buffer = Buffer {
                pointer: types.path(ty, "buf")?.0,
                capacity: types.path(ty, "cap")?.0,
                length: types.path(ty, "end")?.0,
                content: content(types.argument(ty, "T")?, false),
            };
            Some(Container::Rest(buffer, types.path(ty, "ptr")?.0))
        }
        "alloc::boxed::Box" => fat(types, ty, 0, ty, false),
        "alloc::rc::Rc" | "alloc::sync::Arc" | "alloc::rc::Weak" | "alloc::sync::Weak" => {
            shared(types, ty, "ptr")
        }
        "hashbrown::raw::RawTable" | "hashbrown::raw::inner::RawTable" => Some(Container::Table(
            types.path(ty, "table.ctrl")?.0,
            types.path(ty, "table.bucket_mask")?.0,
            types.path(ty, "table.items")?.0,
            types.path(ty, "table.growth_left")?.0,
            content(types.argument(ty, "T")?, false),
        )),
        "alloc::collections::btree::map::BTreeMap" => tree(types, ty),
        "alloc::collections::btree::node::LeafNode" => {
            Some(Container::Node(0, leaf(types, ty)?, NO_OWNER))
        }
        "alloc::collections::btree::node::InternalNode" => {
            let (at, data) = types.path(ty, "data")?;
            Some(Container::Node(at, leaf(types, data)?, NO_OWNER))
        }
        "alloc::collections::linked_list::LinkedList" => {
            let (at, head) = types.path(ty, "head")?;
            let node = some_pointee(types, head)?;
            let next = types.path(node, "next")?.0;
            Some(Container::List(at, next, node, NO_OWNER))
        }
        "alloc::collections::linked_list::Node" => {
            Some(Container::Whole(Some(types.path(ty, "element")?)))
        }
        "smallvec::SmallVec" => small(types, ty),
        "arrayvec::arrayvec::ArrayVec" => {
            let (at, length) = types.path(ty, "len")?;
            let (values, array) = types.path(ty, "xs")?;
            let Kind::Array(_, fits) = types[array].kind else {
                return None;
            };
            let content = content(types.argument(ty, "T")?, false);
            Some(Container::Inline(
                at,
                types[length].size,
                values,
                fits,
                content,
            ))
        }
        "thin_vec::ThinVec" => {
            let (at, _) = types.path(ty, "ptr")?;
            Some(Container::Thin(
                at,
                content(types.argument(ty, "T")?, false),
            ))
        }
        _ => crates::container(types, ty)
            .or_else(|| linked::container(types, ty))
            .or_else(|| channels::container(types, ty)),
    }
}

/// A pointer to a block with counts, in the field of that name.
fn shared(types: &Types, ty: TypeId, field: &str) -> Option<Container> {
    let (at, pointer) = types.path(ty, field)?;
    let (further, pointer) = types.innermost(pointer);
    match types[pointer].kind {
        Kind::Pointer(Some(to)) => {
            counted(types, to)?;
            Some(Container::Shared(at + further, to, NO_OWNER))
        }
        _ => fat(types, pointer, at + further, ty, true),
    }
}

/// Places of pointer and capacity in a `RawVec`.
fn raw_vec(types: &Types, raw: TypeId) -> Option<(u64, u64)> {
    let (at, inner) = types.path(raw, "inner").unwrap_or((0, raw));
    let (pointer, ty) = types.path(inner, "ptr")?;
    let (further, _) = types.innermost(ty);
    let (capacity, _) = types.path(inner, "cap")?;
    Some((at + pointer + further, at + capacity))
}

fn vec(types: &Types, ty: TypeId, text: bool) -> Option<Buffer> {
    let (at, raw) = types.path(ty, "buf")?;
    let (pointer, capacity) = raw_vec(types, raw)?;
    Some(Buffer {
        pointer: at + pointer,
        capacity: at + capacity,
        length: types.path(ty, "len")?.0,
        content: Content {
            ty: types.argument(ty, "T")?,
            owner: NO_OWNER,
            text,
        },
    })
}

/// A pointer with a length or a table of methods, within a struct of the name that `whole` has.
fn fat(types: &Types, pointer: TypeId, at: u64, whole: TypeId, shared: bool) -> Option<Container> {
    let name = &*types[whole].name;
    let place = |names: [&str; 2]| names.iter().find_map(|n| types.path(pointer, n));
    let (data, to) = place(["data_ptr", "pointer"])?;
    if let Some((length, _)) = types.path(pointer, "length") {
        // `alloc::boxed::Box<str, alloc::alloc::Global>`.
        let arguments = &name[types.base(whole).len()..];
        let text = arguments.starts_with("<str,") || arguments.starts_with("<str>");
        let mut ty = types.pointee(to)?;
        let mut values = COUNTS;
        if shared {
            // `RcInner<[T]>` is described with one value of what is in it, or not at all.
            let inner = types.path(ty, "value").or_else(|| types.path(ty, "data"));
            (values, ty) = inner.unwrap_or((values, ty));
        }
        // Newer compilers describe `str` and `[T]` as an array without a length.
        if let Kind::Array(element, 0) = types[ty].kind {
            ty = element;
        }
        let content = Content {
            ty,
            owner: NO_OWNER,
            text,
        };
        let (data, length) = (at + data, at + length);
        return Some(match shared {
            true => Container::SharedSlice(data, length, values, content),
            false => Container::Slice(data, length, content),
        });
    }
    let (table, _) = types.path(pointer, "vtable")?;
    Some(Container::Dyn(at + data, at + table, shared, NO_OWNER))
}

/// What an `Option` of a pointer points to.
fn some_pointee(types: &Types, ty: TypeId) -> Option<TypeId> {
    let Kind::Enum(tagged) = &types[ty].kind else {
        return None;
    };
    let some = tagged.variants.iter().find(|v| &*v.name == "Some")?;
    let (_, value) = types.path(some.ty, "__0")?;
    let (_, pointer) = types.innermost(value);
    types.pointee(pointer)
}

fn tree(types: &Types, ty: TypeId) -> Option<Container> {
    let (at, root) = types.path(ty, "root")?;
    let Kind::Enum(tagged) = &types[root].kind else {
        return None;
    };
    let some = tagged.variants.iter().find(|v| &*v.name == "Some")?;
    let (node, pointer) = types.path(some.ty, "__0.node")?;
    let (further, pointer) = types.innermost(pointer);
    let (height, _) = types.path(some.ty, "__0.height")?;
    let leaf = leaf(types, types.pointee(pointer)?)?;
    let length = types.path(ty, "length")?.0;
    Some(Container::Tree(
        at + node + further,
        at + height,
        length,
        leaf,
        NO_OWNER,
    ))
}

fn leaf(types: &Types, ty: TypeId) -> Option<Leaf> {
    let (_, parent) = types.path(ty, "parent")?;
    Some(Leaf {
        ty,
        inner: some_pointee(types, parent).filter(|inner| types[*inner].size > 0),
        length: types.path(ty, "len")?.0,
        keys: (types.path(ty, "keys")?.0, types.argument(ty, "K")?),
        values: (types.path(ty, "vals")?.0, types.argument(ty, "V")?),
    })
}

/// smallvec 1: the capacity is the length while the values are inline.
fn small(types: &Types, ty: TypeId) -> Option<Container> {
    let capacity = types.path(ty, "capacity")?.0;
    let (data, stored) = types.path(ty, "data")?;
    let Kind::Array(element, fits) = types[types.argument(ty, "A")?].kind else {
        return None;
    };
    let Kind::Enum(tagged) = &types[stored].kind else {
        return None;
    };
    let variant = |name: &str| Some(tagged.variants.iter().find(|v| &*v.name == name)?.ty);
    let inline = types.path(variant("Inline")?, "__0")?.0;
    let heap = variant("Heap")?;
    let (pointer, length) = (types.path(heap, "ptr")?.0, types.path(heap, "len")?.0);
    let content = Content {
        ty: element,
        owner: NO_OWNER,
        text: false,
    };
    Some(Container::Small(Small {
        capacity,
        inline: data + inline,
        fits,
        pointer: data + pointer,
        length: data + length,
        content,
    }))
}
