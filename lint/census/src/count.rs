//! The result: what was counted, in the order in which it is shown.

mod answer;
mod definition;
mod kept;
mod made;
mod parts;
mod place;
mod take;

use crate::malloc;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub use answer::{Reading, is_asking};
pub use take::{Source, take};

/// A census: its lines of JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Census {
    /// What was counted, and when.
    pub head: Head,
    /// Values by type, the most bytes first.
    // weigh: allow(unfrozen_builder, reason = "there is one census a run")
    pub types: Vec<TypeCount>,
    /// Containers by the field that has them, the most bytes first.
    pub fields: Vec<FieldCount>,
    /// What the heap consists of: these add up to it and to what malloc adds. The most bytes first.
    pub parts: Vec<PartCount>,
    /// Allocation sites of what has no type, the most bytes first.
    pub sites: Vec<SiteCount>,
    /// What leads to the blocks, what keeps the most first.
    pub paths: Vec<PathCount>,
    /// Cycles that nothing leads to, the most bytes first.
    pub leaks: Vec<LeakCount>,
    /// Allocation sites by type: those of the most bytes, and of the most blocks in total.
    pub made: Vec<MadeCount>,
    /// The moments, where several censuses were taken, of which this is the last.
    pub moments: Vec<MomentCount>,
    /// Types whose bytes differ between these, those that grew most first.
    pub growth: Vec<GrowthCount>,
    /// The whole.
    pub summary: Summary,
}

/// The format of the lines that are written and read.
pub const FORMAT: u32 = 1;

/// What was counted, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Of the lines.
    pub format: u32,
    /// The compiler that built the program.
    pub rustc: String,
    /// The machine.
    pub triple: String,
    /// The program's file name.
    pub program: String,
    /// The linker's build id.
    pub build_id: Option<String>,
    /// The moment.
    pub label: String,
}

/// Values of a type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeCount {
    /// As debug info writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// The package that defines it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its path there, without arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Bytes of one.
    pub size: u64,
    /// How many there are in the heap, within others included.
    pub values: u64,
    /// Values and spare capacity, in slots.
    pub slots: u64,
    /// Bytes of all slots.
    pub bytes: u64,
    /// How many there are of each variant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, u64>,
    /// Slots that lie in a block themselves, not in another value.
    #[serde(default, skip_serializing_if = "is_none")]
    pub direct: u64,
    /// Blocks that hold a few of these, by how many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub few: Vec<(u64, u64)>,
    /// Slots whose type is known only from the name of a function that may have been folded with
    /// another of equal code.
    #[serde(default, skip_serializing_if = "is_none")]
    pub guessed: u64,
    /// Slots in blocks whose contents were not read: values or spare capacity.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unread: u64,
    /// Whether there may be more: bytes that no type is known of, or that were not read, may hold
    /// some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Types of crates other than std that lead from each slot to others, or are one, by value,
    /// and how many: of an enum or union the most that any variant has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, u64>,
    /// Of an enum of std with several variants that have fields: the bytes from the first to the
    /// last in each, and what parts they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<(u64, BTreeMap<String, u64>)>,
    /// Of a type of a crate other than std: its fields and their offsets, in an enum
    /// `Variant.field`; a variant without fields has none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Option<u64>>,
    /// Where several definitions have the name: which of them it is, from 1.
    #[serde(default, skip_serializing_if = "is_none")]
    pub definition: u64,
    /// Of an enum: its variant with the most bytes, and those that values of others leave unused
    /// for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widest: Option<(String, u64)>,
}

impl TypeCount {
    /// The name that [`TypeCount::parts`] of other types use for it.
    pub fn part_name(&self) -> Cow<'_, str> {
        part_name(&self.ty, self.definition)
    }
}

/// A name, with the number of the definition where several definitions have that name.
fn part_name(name: &str, definition: u64) -> Cow<'_, str> {
    match definition {
        0 => Cow::Borrowed(name),
        n => Cow::Owned(format!("{name}#{n}")),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(n: &u64) -> bool {
    *n == 0
}

/// Blocks of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocks {
    /// How many.
    pub number: u64,
    /// Bytes that malloc takes for them.
    pub bytes: u64,
}

impl Blocks {
    /// One block of so many requested bytes.
    pub fn one(bytes: u64) -> Blocks {
        Blocks {
            number: 1,
            bytes: malloc::block(bytes),
        }
    }
}

impl std::ops::AddAssign for Blocks {
    fn add_assign(&mut self, other: Blocks) {
        self.number += other.number;
        self.bytes += other.bytes;
    }
}

/// Containers of a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldCount {
    /// The type that declares the field; empty for statics and named values.
    #[serde(rename = "type")]
    pub ty: String,
    /// The field, with `[]` for what is in a container in it.
    pub field: String,
    /// What the containers are.
    pub kind: String,
    /// How many there are.
    pub containers: u64,
    /// Values in them; bytes of texts.
    pub len: u64,
    /// Capacity, in values.
    pub capacity: u64,
    /// Bytes of one value.
    pub value_size: u64,
    /// Bytes of their blocks, as requested.
    pub bytes: u64,
    /// Bytes of spare capacity.
    pub slack_bytes: u64,
    /// Besides, those of a hash table of places, which a map in insertion order has.
    #[serde(default, skip_serializing_if = "is_none")]
    pub table_slack_bytes: u64,
    /// Empty containers.
    pub empty: u64,
    /// Containers that hold one value.
    pub one: u64,
    /// Their blocks, and what malloc takes for them.
    #[serde(default)]
    pub blocks: Blocks,
    /// What malloc would take without spare capacity, or for one block in place of a list's or
    /// tree's nodes.
    #[serde(default)]
    pub frozen_bytes: u64,
    /// Blocks of those that hold up to 32 values, by how many.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "pairs")]
    pub short: BTreeMap<u64, Blocks>,
    /// `Option`s of the field that are `None`, and all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<(u64, u64)>,
    /// Shared blocks of the field that have one owner, and all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_owner: Option<(u64, u64)>,
    /// Where they are texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<TextCount>,
    /// Where several definitions have the type's name: which of them declares it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub definition: u64,
    /// Bytes that would go without these containers: of the fields with the most bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_bytes: Option<u64>,
}

/// Maps with numbers as keys, as a list: in a line that says its kind, keys would be texts.
mod pairs {
    use super::Blocks;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<S: Serializer>(map: &BTreeMap<u64, Blocks>, to: S) -> Result<S::Ok, S::Error> {
        let list: Vec<_> = map.iter().map(|(n, b)| (n, b.number, b.bytes)).collect();
        list.serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<BTreeMap<u64, Blocks>, D::Error> {
        let list: Vec<(u64, u64, u64)> = Vec::deserialize(from)?;
        let pair = |(n, number, bytes)| (n, Blocks { number, bytes });
        Ok(list.into_iter().map(pair).collect())
    }
}

/// Containers of more values than these are not told apart by length.
pub const SHORT: u64 = 32;

impl FieldCount {
    /// Containers that hold something.
    pub fn filled(&self) -> u64 {
        self.containers.saturating_sub(self.empty)
    }

    /// Counts another instance of the field's type too.
    pub fn add(&mut self, other: &FieldCount) {
        self.containers += other.containers;
        self.len += other.len;
        self.capacity += other.capacity;
        self.bytes += other.bytes;
        self.slack_bytes += other.slack_bytes;
        self.table_slack_bytes += other.table_slack_bytes;
        self.empty += other.empty;
        self.one += other.one;
        self.blocks += other.blocks;
        self.frozen_bytes += other.frozen_bytes;
        for (len, blocks) in &other.short {
            *self.short.entry(*len).or_default() += *blocks;
        }
        let both = |a: Option<(u64, u64)>, b: Option<(u64, u64)>| match (a, b) {
            (Some(a), Some(b)) => Some((a.0 + b.0, a.1 + b.1)),
            (a, b) => a.or(b),
        };
        self.none = both(self.none, other.none);
        self.single_owner = both(self.single_owner, other.single_owner);
        match (&mut self.texts, &other.texts) {
            (Some(texts), Some(other)) => texts.add(other),
            (texts, other) => *texts = texts.take().or_else(|| other.clone()),
        }
    }

    /// The blocks of those that hold up to so many values.
    pub fn up_to(&self, most: u64) -> Blocks {
        if most > SHORT {
            return self.blocks;
        }
        let mut blocks = Blocks::default();
        for some in self.short.range(..=most).map(|(_, some)| *some) {
            blocks += some;
        }
        blocks
    }
}

/// Texts of a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextCount {
    /// Bytes.
    pub median: u64,
    /// Bytes.
    pub max: u64,
    /// Different texts, the empty one left out.
    pub distinct: u64,
    /// Texts that are equal to one that was counted earlier.
    pub repeated: u64,
    /// Bytes of their blocks, as malloc rounds them.
    pub repeated_bytes: u64,
    /// Texts by length: none, to 8, to 15, to 23, to 24, to 64, to 255, longer.
    pub lengths: [u64; 8],
    /// Texts that would fit inline, by string type.
    pub inline: BTreeMap<String, u64>,
}

impl TextCount {
    /// Counts others too, of which the median is not known then.
    fn add(&mut self, other: &TextCount) {
        self.median = 0;
        self.max = self.max.max(other.max);
        self.distinct += other.distinct;
        self.repeated += other.repeated;
        self.repeated_bytes += other.repeated_bytes;
        for (n, more) in self.lengths.iter_mut().zip(other.lengths) {
            *n += more;
        }
        for (ty, n) in &other.inline {
            *self.inline.entry(ty.clone()).or_default() += n;
        }
    }
}

/// The longest text of each step but the last, in bytes.
pub const STEPS: [u64; 7] = [0, 8, 15, 23, 24, 64, 255];

/// What bytes of the heap are.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// Values of a type, with the counts and links of the containers that hold them.
    Values,
    /// Texts.
    Texts,
    /// Buffers of bytes.
    Bytes,
    /// Spare capacity.
    Spare,
    /// The type is known, and the contents were not read.
    Unread,
    /// The type is a guess.
    Guessed,
    /// No type is known.
    #[default]
    Untyped,
    /// Owner and site give different types.
    Contradicting,
    /// Requested by other code than Rust.
    Other,
    /// Added by malloc.
    Malloc,
}

impl PartKind {
    /// Whether its bytes have no certain type.
    pub fn is_untyped(self) -> bool {
        use PartKind::{Contradicting, Guessed, Other, Untyped};
        matches!(self, Untyped | Guessed | Contradicting | Other)
    }
}

/// A part of the heap: no byte is in two of them, and none is missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartCount {
    /// What its bytes are.
    pub kind: PartKind,
    /// The type of the values in the blocks; empty where there is none, and of texts and bytes.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub ty: String,
    /// The field or static that owns the blocks, or the code that allocated them; empty where the
    /// type says enough.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// Blocks, none of spare capacity, which is in others.
    pub blocks: u64,
    /// Bytes, as requested.
    pub bytes: u64,
}

/// Blocks that owners lead to, one through the other, and nothing else does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathCount {
    /// A static or variable, then fields. An owner that leads on to itself is named once.
    pub path: Vec<String>,
    /// The type of the values in the first of these blocks; empty where none is known.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub ty: String,
    /// Blocks.
    pub blocks: u64,
    /// Their bytes, as requested.
    pub bytes: u64,
    /// With what only they keep: what would go with them.
    pub kept_bytes: u64,
    /// Bytes of the largest.
    pub largest: u64,
    /// Where the blocks have several owners: how many links of each lead to them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub owners: BTreeMap<String, u64>,
}

/// Blocks with counts that lead to each other in cycles, and that nothing else leads to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeakCount {
    /// The type of a value in a block with counts.
    #[serde(rename = "type")]
    pub ty: String,
    /// The fields of the cycle.
    pub owners: Vec<String>,
    /// How many of such cycles there are.
    pub cycles: u64,
    /// Their blocks, and what is lost with them, each once.
    pub blocks: u64,
    /// Bytes of these, as requested.
    pub bytes: u64,
}

/// What an allocation site has made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MadeCount {
    /// The type of the values; empty where none is known.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub ty: String,
    /// The functions outside of std that asked for the blocks, the innermost first, with their
    /// places.
    pub frames: Vec<String>,
    /// Live blocks.
    pub blocks: u64,
    /// Their bytes, as requested.
    pub bytes: u64,
    /// Blocks that were made until the moment, or taken over from another site by growing, freed
    /// ones included.
    pub made_blocks: u64,
    /// Bytes of those that were made, at that time: what they grew by later is not in it.
    pub made_bytes: u64,
    /// There were too many stacks: some of the site may not be counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

/// The heap at one of several moments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MomentCount {
    /// Milliseconds since the start of the program.
    pub after_ms: u64,
    /// Bytes of all live blocks, as requested.
    pub live_bytes: u64,
    /// Live blocks.
    pub blocks: u64,
    /// Bytes of those that were read: where they are fewer, types are too.
    pub read_bytes: u64,
}

/// A type at several moments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthCount {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its bytes at each, spare capacity included.
    pub bytes: Vec<u64>,
    /// Its values at each.
    pub values: Vec<u64>,
    /// Whether there may be more at the last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

impl GrowthCount {
    /// Bytes that there are more at the last moment than at the first.
    pub fn grown(&self) -> i64 {
        let ends = self.bytes.first().zip(self.bytes.last());
        ends.map_or(0, |(first, last)| last.wrapping_sub(*first) as i64)
    }
}

/// A time after the start of the program, in words.
pub fn after(time: std::time::Duration) -> String {
    match time.as_millis() {
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms if ms % 100 != 0 => format!("{ms} ms"),
        ms => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
    }
}

/// What the process takes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryCount {
    /// Resident memory of the process that was recorded.
    pub resident_bytes: u64,
    /// What of it belongs to files: code and the like.
    pub file_bytes: u64,
    /// What of it the recorder took: its tables, and its headers before live blocks.
    pub recorder_bytes: u64,
    /// What glibc's malloc has got from the system; 0 where it is not known.
    pub malloc_bytes: u64,
    /// What of that is in no block.
    pub free_bytes: u64,
}

/// Blocks of some sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeCount {
    /// The most bytes of one, as requested; 0: any number.
    pub up_to: u64,
    /// How many there are.
    pub blocks: u64,
    /// Their bytes, as requested.
    pub bytes: u64,
    /// What malloc takes for them.
    pub malloc_bytes: u64,
}

/// Blocks of an allocation site that have no type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteCount {
    /// The function outside of std that asked for them.
    pub function: String,
    /// Its file and line.
    pub place: String,
    /// How many.
    pub blocks: u64,
    /// Bytes, as requested.
    pub bytes: u64,
}

/// The whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The moment.
    pub label: String,
    /// Bytes of all live blocks, as requested.
    pub live_bytes: u64,
    /// Live blocks.
    pub blocks: u64,
    /// Bytes of blocks that have a type.
    pub typed_bytes: u64,
    /// Bytes of blocks whose values were read.
    pub walked_bytes: u64,
    /// Bytes of blocks to which an owner and the allocation site give different types.
    pub contradicting_bytes: u64,
    /// Bytes without a type that were allocated by a function whose name has a type argument: it
    /// may have been folded with another function of equal code.
    pub guessed_bytes: u64,
    /// Bytes that code other than Rust requested.
    pub foreign_bytes: u64,
    /// Bytes of texts and buffers of bytes.
    pub raw_bytes: u64,
    /// Bytes of buffers of bytes whose owner is not known: nothing in them is to be read.
    #[serde(default)]
    pub plain_bytes: u64,
    /// Bytes of spare capacity in blocks whose contents were read.
    #[serde(default)]
    pub spare_bytes: u64,
    /// Bytes of blocks that have a type, and whose contents were not read.
    #[serde(default)]
    pub unread_bytes: u64,
    /// Bytes that malloc adds: its header, and rounding.
    pub malloc_bytes: u64,
    /// Containers whose parts contradict each other.
    pub torn: u64,
    /// The most bytes that were ever live in that run.
    pub peak_bytes: u64,
    /// What the process takes, where the recorder knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryCount>,
    /// Live blocks by size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeCount>,
}

impl Summary {
    /// Bytes of blocks whose values were read, or that hold nothing but bytes.
    pub fn read_bytes(&self) -> u64 {
        self.walked_bytes + self.plain_bytes
    }

    /// Whether so little was read that what was not counted may well be there: less than nine
    /// tenths of what Rust requested.
    pub fn is_partial(&self) -> bool {
        let own = self.live_bytes.saturating_sub(self.foreign_bytes);
        self.read_bytes().saturating_mul(10) < own.saturating_mul(9)
    }
}
