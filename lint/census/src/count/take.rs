//! From a walk to what was counted.

use super::kept::Kept;
use super::{Census, FORMAT, FieldCount, Head, STEPS, Summary, TextCount, TypeCount};
use super::{PartCount, PartKind, definition, made, parts, place};
use crate::dwarf::{Program, System};
use crate::image::Image;
use crate::malloc;
use crate::plan::{Field, NO_OWNER, Owner};
use crate::site::Sites;
use crate::text_types::{COMPACT, ECO, SMOL};
use crate::types::{Kind, TypeId};
use crate::walk::{Count, State, Walk};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;

/// What a census is taken of.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The program's file.
    pub path: &'s Path,
    /// What its debug information says.
    pub program: &'s Program,
    /// Its memory.
    pub image: &'s Image,
    /// The peak of the run, in bytes.
    pub peak: u64,
}

impl Source<'_> {
    /// How far the program lies from where its file says.
    pub(super) fn bias(&self) -> Result<u64, String> {
        let shown = self.path.to_string_lossy();
        let bias = self.image.bias(&shown, &self.program.segments);
        bias.ok_or_else(|| format!("{shown} is not in the memory that was recorded"))
    }

    /// Refuses a walk from a value whose type is not known.
    pub(super) fn check(&self, walk: &Walk<'_, '_>) -> Result<(), String> {
        if !walk.found.lost_root {
            return Ok(());
        }
        Err(format!(
            "`{}`: the debug information of {} does not have the type of the named value{}",
            self.image.label,
            self.path.display(),
            match self.program.system {
                System::Linux => "",
                System::MacOs => ", as always on macOS: name the moment alone, without a value",
            }
        ))
    }
}

/// Takes the census.
///
/// # Errors
/// The program is not in the memory's list of files; or what alone is to be counted has no type.
pub fn take(source: &Source<'_>) -> Result<Census, String> {
    let Source {
        path,
        program,
        image,
        peak,
    } = *source;
    let bias = source.bias()?;
    let sites = crate::site::read(image, program, bias);
    let walk = Walk::new(image, program, &sites, bias);
    source.check(&walk)?;
    let mut census = Census {
        head: Head {
            format: FORMAT,
            rustc: program.rustc.clone().unwrap_or_default(),
            triple: program.triple(),
            program: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            build_id: program.build_id.clone(),
            label: image.label.clone(),
        },
        types: Vec::new(),
        fields: Vec::new(),
        parts: Vec::new(),
        sites: Vec::new(),
        paths: Vec::new(),
        leaks: Vec::new(),
        made: Vec::new(),
        moments: Vec::new(),
        growth: Vec::new(),
        summary: summary(&walk, &sites, peak),
    };
    let counted = Counted::new(&walk);
    census.types = types(&walk, &counted);
    let kept = Kept::new(&walk);
    census.fields = fields(&walk, &counted, &kept);
    // Of a single value the rest of the heap was not read.
    if image.root.is_none() {
        (census.paths, census.leaks) = (kept.paths(), kept.leaks());
        census.made = made::made(source, &walk, &sites, bias);
        census.summary.memory = made::memory(image, !program.allocators.is_empty());
        census.summary.sizes = made::sizes(image);
    }
    let parts = parts::parts(source, &walk, &sites, bias);
    for ty in &mut census.types {
        ty.at_least = ty.unread > 0 || ty.guessed > 0 || ty.size <= parts.unknown;
    }
    (census.parts, census.sites) = (parts.list, parts.sites);
    let of = |kind| census.parts.iter().filter(move |part| part.kind == kind);
    census.summary.spare_bytes = of(PartKind::Spare).map(|part| part.bytes).sum();
    census.summary.unread_bytes = of(PartKind::Unread).map(|part| part.bytes).sum();
    let typed = census.summary.typed_bytes - census.summary.unread_bytes;
    census.summary.plain_bytes = typed.saturating_sub(census.summary.walked_bytes);
    let malloc_bytes = census.summary.malloc_bytes;
    census.parts.push(PartCount {
        kind: PartKind::Malloc,
        bytes: malloc_bytes,
        ..PartCount::default()
    });
    census
        .parts
        .sort_by_key(|part| std::cmp::Reverse(part.bytes));
    Ok(census)
}

pub(super) fn summary(walk: &Walk<'_, '_>, sites: &Sites, peak: u64) -> Summary {
    let mut summary = Summary {
        label: walk.image.label.clone(),
        torn: walk.found.torn,
        peak_bytes: peak,
        ..Summary::default()
    };
    let types = walk.plans.types;
    for (block, state) in walk.image.blocks.iter().zip(walk.found.states.iter()) {
        let held = match state {
            State::Held(ty, ..) => Some(ty),
            _ => None,
        };
        if walk.image.root.is_some() && held.is_none() {
            continue;
        }
        let size = block.size;
        summary.live_bytes += size;
        summary.blocks += 1;
        summary.malloc_bytes += malloc::block(size) - size;
        let ty = match state {
            State::Made(site) if site.sure => Some(site.ty),
            _ => held,
        };
        match (ty, state) {
            (Some(ty), _) => {
                let known = size - walk.found.arenas.unread(block.address);
                summary.typed_bytes += known;
                summary.walked_bytes += if held.is_some() { known } else { 0 };
                if types[ty].size == 1 && matches!(types[ty].kind, Kind::Scalar(_)) {
                    summary.raw_bytes += size;
                }
            }
            (None, State::Disputed) => summary.contradicting_bytes += size,
            (None, State::Made(_)) => summary.guessed_bytes += size,
            (None, _) if sites.foreign.contains(&block.stack()) => summary.foreign_bytes += size,
            _ => {}
        }
    }
    summary
}

/// How many values there are of each type.
pub(super) struct Counted {
    pub(super) values: FxHashMap<TypeId, u64>,
    variants: FxHashMap<TypeId, FxHashMap<u32, u64>>,
    /// Values and spare capacity, in slots.
    slots: FxHashMap<TypeId, u64>,
    pub(super) guessed: FxHashMap<TypeId, u64>,
    /// Slots in blocks whose contents were not read.
    pub(super) unread: FxHashMap<TypeId, u64>,
    /// Which of several definitions of its name a type is.
    numbers: FxHashMap<TypeId, u64>,
}

impl Counted {
    pub(super) fn new(walk: &Walk<'_, '_>) -> Counted {
        let mut values: FxHashMap<TypeId, u64> = FxHashMap::default();
        let mut variants: FxHashMap<TypeId, FxHashMap<u32, u64>> = FxHashMap::default();
        for (plan, &count) in walk.plans.list.iter().zip(&walk.found.counts) {
            if count == 0 {
                continue;
            }
            for ty in &plan.contains {
                *values.entry(*ty).or_default() += count;
            }
            if let Some((ty, variant, _)) = plan.variant {
                *variants.entry(ty).or_default().entry(variant).or_default() += count;
            }
        }
        let mut slots = values.clone();
        let guessed = place::guessed(walk);
        for ty in guessed.keys() {
            slots.entry(*ty).or_default();
        }
        let mut unread: FxHashMap<TypeId, u64> = FxHashMap::default();
        let of_blocks = place::unread(walk);
        for (&ty, &n) in walk.found.spare.iter().chain(&of_blocks) {
            for inner in within(walk, ty) {
                *slots.entry(inner).or_default() += n;
            }
        }
        for (ty, n) in of_blocks {
            for inner in within(walk, ty) {
                *unread.entry(inner).or_default() += n;
            }
        }
        let types = walk.plans.types;
        slots.retain(|ty, n| (*n > 0 || guessed.contains_key(ty)) && types[*ty].size > 0);
        let owners = walk.plans.owners.iter().filter_map(|field| field.ty);
        let numbers = definition::numbers(types, slots.keys().copied().chain(owners));
        Counted {
            values,
            variants,
            slots,
            guessed,
            unread,
            numbers,
        }
    }

    /// Which of several definitions of its name a type is; 0 where there is one.
    fn definition(&self, ty: TypeId) -> u64 {
        self.numbers.get(&ty).copied().unwrap_or(0)
    }
}

fn types(walk: &Walk<'_, '_>, counted: &Counted) -> Vec<TypeCount> {
    let described = walk.plans.types;
    let mut direct = place::direct(walk);
    let parts = place::Parts::new(described);
    let mut list: Vec<TypeCount> = counted
        .slots
        .iter()
        .map(|(&ty, &slots)| {
            let name = |variant: u32| match &described[ty].kind {
                Kind::Enum(tagged) => tagged.variants[variant as usize].name.to_string(),
                Kind::Names(list) => list[variant as usize].0.to_string(),
                _ => String::new(),
            };
            let variants = counted.variants.get(&ty).into_iter().flatten();
            let values = counted.values.get(&ty).copied().unwrap_or(0);
            let widest = definition::widest(described, ty).map(|(widest, spare)| {
                let own = counted.variants.get(&ty).and_then(|all| all.get(&widest));
                (name(widest), (values - own.copied().unwrap_or(0)) * spare)
            });
            let direct = direct.remove(&ty).unwrap_or_default();
            TypeCount {
                ty: described[ty].name.to_string(),
                size: described[ty].size,
                values,
                slots,
                bytes: slots * described[ty].size,
                variants: variants.map(|(v, n)| (name(*v), *n)).collect(),
                direct: direct.slots,
                few: direct.few.into_iter().collect(),
                unread: counted.unread.get(&ty).copied().unwrap_or(0),
                guessed: counted.guessed.get(&ty).copied().unwrap_or(0),
                parts: parts.of(ty, |ty| counted.definition(ty)),
                arms: parts.arms(ty, |ty| counted.definition(ty)),
                fields: definition::fields(described, ty),
                definition: counted.definition(ty),
                widest: widest.filter(|(_, bytes)| *bytes > 0),
                ..TypeCount::default()
            }
        })
        .collect();
    list.sort_by(|a, b| {
        b.bytes
            .cmp(&a.bytes)
            .then_with(|| a.ty.cmp(&b.ty))
            .then(a.size.cmp(&b.size))
            .then(a.definition.cmp(&b.definition))
    });
    list
}

/// What each slot of a type is made of, whatever it holds.
fn within(walk: &Walk<'_, '_>, ty: TypeId) -> Vec<TypeId> {
    let types = walk.plans.types;
    let mut list = vec![ty];
    let mut at = 0;
    while at < list.len() && list.len() < 1000 {
        if let Kind::Struct(fields) = &types[list[at]].kind {
            list.extend(fields.iter().map(|f| f.ty));
        }
        at += 1;
    }
    let scalar = |ty: &TypeId| {
        matches!(
            types[*ty].kind,
            Kind::Scalar(_) | Kind::Pointer(_) | Kind::Opaque
        )
    };
    list.retain(|ty| !scalar(ty));
    list
}

/// Counts `None` among all values of the `Option`s in fields, which need no container.
fn options(walk: &Walk<'_, '_>) -> BTreeMap<Owner, (u64, u64)> {
    let types = walk.plans.types;
    let mut options: BTreeMap<Owner, (u64, u64)> = BTreeMap::new();
    for (plan, &count) in walk.plans.list.iter().zip(&walk.found.counts) {
        if let Some((ty, variant, owner)) = plan.variant
            && owner != NO_OWNER
            && types.base(ty) == "core::option::Option"
            && let Kind::Enum(tagged) = &types[ty].kind
        {
            let entry = options.entry(owner).or_default();
            entry.1 += count;
            if &*tagged.variants[variant as usize].name == "None" {
                entry.0 += count;
            }
        }
    }
    options
}

fn fields(walk: &Walk<'_, '_>, counted: &Counted, kept: &Kept<'_>) -> Vec<FieldCount> {
    let types = walk.plans.types;
    let named = |owner: Owner| -> (String, String, u64) {
        let Field { ty, name } = &walk.plans.owners[owner.0 as usize];
        (
            ty.map_or(String::new(), |ty| types[ty].name.to_string()),
            name.to_string(),
            ty.map_or(0, |ty| counted.definition(ty)),
        )
    };
    let options = options(walk);
    let mut shared: FxHashMap<Owner, (u64, u64)> = FxHashMap::default();
    for (index, owner) in &walk.found.shared_by {
        let entry = shared.entry(*owner).or_default();
        entry.1 += 1;
        entry.0 += u64::from(walk.found.shares.get(index) == Some(&1));
    }
    let empty = Count::default();
    let mut owners: Vec<Owner> = walk.found.owners.keys().copied().collect();
    owners.extend(
        options
            .iter()
            .filter(|(o, n)| n.1 > 0 && !walk.found.owners.contains_key(o))
            .map(|(o, _)| *o),
    );
    let bytes = |owner: &Owner| walk.found.owners.get(owner).map_or(0, |count| count.bytes);
    owners.retain(|owner| *owner != NO_OWNER);
    owners.sort_by_key(|owner| (std::cmp::Reverse(bytes(owner)), *owner));
    let without = match walk.image.root {
        None => kept.without(&owners),
        Some(_) => FxHashMap::default(),
    };
    let mut list: Vec<FieldCount> = owners
        .into_iter()
        .map(|owner| {
            let count = walk.found.owners.get(&owner).unwrap_or(&empty);
            let (ty, field, definition) = named(owner);
            // A map in insertion order: its table of places is not shrunk with its values.
            let (count, places) = match count.places.as_deref() {
                Some(places) if count.containers == 0 => (places, &empty),
                Some(places) => (count, places),
                None => (count, &empty),
            };
            let mut blocks = count.blocks;
            blocks += places.blocks;
            FieldCount {
                ty,
                field,
                definition,
                kind: if count.kind.is_empty() {
                    "Option"
                } else {
                    count.kind
                }
                .to_owned(),
                containers: count.containers,
                len: count.len,
                capacity: count.capacity,
                value_size: count.value_size,
                bytes: count.bytes + places.bytes,
                slack_bytes: count.slack_bytes,
                table_slack_bytes: places.slack_bytes,
                empty: count.empty,
                one: count.one,
                blocks,
                frozen_bytes: count.frozen + places.blocks.bytes,
                short: count.short.clone(),
                none: options.get(&owner).copied().filter(|n| n.1 > 0),
                single_owner: shared.get(&owner).copied(),
                texts: (!count.lengths.is_empty()).then(|| texts(count)),
                kept_bytes: without.get(&owner).copied(),
            }
        })
        .collect();
    list.sort_by(|a, b| {
        b.bytes
            .cmp(&a.bytes)
            .then_with(|| (&a.ty, &a.field).cmp(&(&b.ty, &b.field)))
            .then(a.definition.cmp(&b.definition))
    });
    list
}

fn texts(count: &Count) -> TextCount {
    let total: u64 = count.lengths.values().sum();
    let mut seen = 0;
    let median = count.lengths.iter().find_map(|(len, n)| {
        seen += n;
        (seen * 2 >= total).then_some(*len)
    });
    let mut lengths = [0; 8];
    for (len, n) in &count.lengths {
        lengths[STEPS.iter().position(|s| len <= s).unwrap_or(7)] += n;
    }
    let inline = [COMPACT, SMOL, ECO].map(|ty| {
        let fits = count.lengths.range(..=ty.inline).map(|(_, n)| n);
        (ty.path.to_owned(), fits.sum())
    });
    let (mut distinct, mut repeated, mut repeated_bytes) = (0, 0, 0);
    for (len, hashes) in &count.texts {
        let mut hashes = hashes.clone();
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        let more = (all - hashes.len()) as u64;
        distinct += hashes.len() as u64;
        repeated += more;
        repeated_bytes += more * malloc::block(*len);
    }
    TextCount {
        median: median.unwrap_or(0),
        max: count.lengths.keys().next_back().copied().unwrap_or(0),
        distinct,
        repeated,
        repeated_bytes,
        lengths,
        inline: inline.into_iter().collect(),
    }
}
