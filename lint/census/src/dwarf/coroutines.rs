//! The coroutines that debug information describes, and the types of what they hold.

use super::attributes::{number, offset_of, reference};
use super::units::Entry;
use super::{Reader, relocated, sites};
use gimli::constants as dw;
use gimli::{AttributeValue, Dwarf, Unit, UnitRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// A type of [`Held`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeldId(pub u32);

/// A type, as far as it matters for the coroutines that hold it by value.
#[derive(Clone, Debug)]
pub struct Held {
    /// As debug info writes it, with its path and arguments.
    pub name: Box<str>,
    /// Bytes of one value.
    pub size: u64,
    /// How its parts make its size.
    pub makeup: Makeup,
    /// What is in it by value, one list for each variant; empty for a number or a pointer.
    pub parts: Vec<Vec<Part>>,
    /// If it is a coroutine.
    pub coroutine: Option<Coroutine>,
}

/// How the parts of a type make its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makeup {
    /// It is a number or an address. The first and the last of its values, if it cannot have all:
    /// they wrap around if the last is the smaller one.
    Scalar(Option<(u128, u128)>),
    /// It has one list of parts.
    Struct,
    /// It has one list for each variant, and offset and size of what tells them apart, if anything
    /// does.
    Enum(Option<(u64, u64)>),
    /// Each list has one part, at the same place.
    Union,
    /// It is so many of the one part.
    Array(u64),
}

/// A field, variable or argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: Box<str>,
    /// Bytes from the start of the value.
    pub offset: u64,
    /// Its alignment, in bytes.
    pub align: u64,
    /// Its type.
    pub ty: HeldId,
}

/// What a coroutine has besides its size: `Held::parts` are those of its states, in order.
#[derive(Clone, Debug)]
pub struct Coroutine {
    /// Its alignment, in bytes.
    pub align: u64,
    /// Bytes of an address.
    pub pointer: u64,
    /// Its path, with the name of the crate, such as `app::server::{impl#0}::run::{async_fn_env#0}`,
    /// without arguments.
    pub path: Box<str>,
    /// Its type arguments with `<` and `>`, or nothing.
    pub arguments: Box<str>,
    /// Its states.
    pub states: Vec<State>,
}

/// A state of a coroutine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// `Unresumed`, `Returned`, `Panicked`, `Suspend0`, …
    pub name: Box<str>,
    /// File and line of what it waits for.
    pub place: Option<(Box<str>, u32)>,
}

/// The coroutines of several files.
#[derive(Debug, Default)]
pub struct Coroutines {
    /// All types; each is named once.
    pub types: Vec<Held>,
    by_name: FxHashMap<(Box<str>, u64), HeldId>,
    /// By the paths of coroutines.
    functions: FxHashMap<Box<str>, Box<str>>,
    /// The types in which the heap has room for coroutines: collections, and blocks of an executor.
    stored: FxHashMap<HeldId, Box<str>>,
    /// Those that a box may own, or something else in a box.
    boxed: FxHashSet<HeldId>,
}

impl Coroutines {
    /// Adds what a program, an object or a library describes.
    ///
    /// # Errors
    /// The file cannot be read, or its debug information is damaged or missing.
    pub fn add(&mut self, path: &Path) -> Result<(), String> {
        let mut described = false;
        let objects = relocated::each(path, &mut |dwarf| {
            described |= read(dwarf, self)?;
            Ok(())
        })?;
        match objects > 0 && !described {
            true => Err(format!(
                "{} has no debug information in DWARF's format",
                path.display()
            )),
            false => Ok(()),
        }
    }

    /// The coroutines.
    pub fn all(&self) -> impl Iterator<Item = (HeldId, &Held, &Coroutine)> {
        let list = self.types.iter().enumerate();
        list.filter_map(|(at, ty)| Some((HeldId(at as u32), ty, ty.coroutine.as_ref()?)))
    }

    /// The path of the function that a coroutine is the body of, or is in, as symbols write it.
    pub fn function(&self, coroutine: &Coroutine) -> Option<&str> {
        self.functions.get(&coroutine.path).map(|path| &**path)
    }

    /// The path of a type that stores a coroutine on the heap beside others, or with what an executor
    /// needs to run it on its own. A box around it alone, as at an await, is none.
    pub fn stored(&self, id: HeldId) -> Option<&str> {
        self.stored.get(&id).map(|name| &**name)
    }

    /// Whether there are boxes with a coroutine: such a box may be awaited, or one of many.
    pub fn is_boxed(&self, id: HeldId) -> bool {
        self.boxed.contains(&id)
    }

    /// A type.
    pub fn get(&self, id: HeldId) -> &Held {
        &self.types[id.0 as usize]
    }
}

/// An entry that may matter, in the order of debug info.
struct Node<'d> {
    at: u64,
    tag: gimli::DwTag,
    depth: usize,
    /// The nearest entry around it that is a node.
    parent: Option<u32>,
    unit: u32,
    name: Reader<'d>,
    size: u64,
    align: u64,
    /// The entry of its type.
    ty: Option<u64>,
    /// Of a member its offset, of a range its length, of an enumerator its value.
    number: u64,
    place: Option<(u64, u64)>,
    symbol: Option<Reader<'d>>,
}

/// One file.
struct File<'d, 'u> {
    dwarf: &'u Dwarf<Reader<'d>>,
    units: Vec<Unit<Reader<'d>>>,
    nodes: Vec<Node<'d>>,
    by_offset: FxHashMap<u64, u32>,
}

/// Adds what a file describes; returns whether there is anything.
fn read(dwarf: &Dwarf<Reader<'_>>, all: &mut Coroutines) -> gimli::Result<bool> {
    let mut file = File {
        dwarf,
        units: Vec::new(),
        nodes: Vec::new(),
        by_offset: FxHashMap::default(),
    };
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        file.unit(&unit)?;
        file.units.push(unit);
    }
    file.take(all)?;
    Ok(!file.units.is_empty())
}

fn is_wanted(tag: gimli::DwTag) -> bool {
    matches!(
        tag,
        dw::DW_TAG_namespace
            | dw::DW_TAG_structure_type
            | dw::DW_TAG_union_type
            | dw::DW_TAG_enumeration_type
            | dw::DW_TAG_enumerator
            | dw::DW_TAG_base_type
            | dw::DW_TAG_pointer_type
            | dw::DW_TAG_array_type
            | dw::DW_TAG_subrange_type
            | dw::DW_TAG_variant_part
            | dw::DW_TAG_variant
            | dw::DW_TAG_member
            | dw::DW_TAG_subprogram
            | dw::DW_TAG_template_type_parameter
    )
}

impl<'d> File<'d, '_> {
    fn unit(&mut self, unit: &Unit<Reader<'d>>) -> gimli::Result<()> {
        let unit = unit.unit_ref(self.dwarf);
        let mut entries = unit.entries_raw(None)?;
        let mut entry = Entry::null();
        // The nodes around, with their depths.
        let mut around: Vec<(usize, u32)> = Vec::new();
        while !entries.is_empty() {
            if !entries.read_entry(&mut entry)? {
                continue;
            }
            let depth = usize::try_from(entry.depth()).unwrap_or(0);
            while around.last().is_some_and(|(d, _)| *d >= depth) {
                around.pop();
            }
            let is_rust = || {
                let language = entry.attr_value(dw::DW_AT_language);
                language == Some(AttributeValue::Language(dw::DW_LANG_Rust))
            };
            if depth == 0 && !is_rust() {
                break;
            }
            if !is_wanted(entry.tag()) || entry.attr_value(dw::DW_AT_declaration).is_some() {
                // Declared methods name what they return.
                if entry.tag() != dw::DW_TAG_subprogram {
                    continue;
                }
            }
            let parent = around.last().map(|(_, node)| *node);
            // Only those of types that own blocks of the heap matter.
            let owns = || parent.is_some_and(|parent| self.is_of_alloc(parent));
            if entry.tag() == dw::DW_TAG_template_type_parameter && !owns() {
                continue;
            }
            let node = self.node(unit, &entry, depth, parent)?;
            let index = self.nodes.len() as u32;
            around.push((depth, index));
            self.by_offset.insert(node.at, index);
            self.nodes.push(node);
        }
        Ok(())
    }

    fn node(
        &self,
        unit: UnitRef<'_, Reader<'d>>,
        entry: &Entry<'d>,
        depth: usize,
        parent: Option<u32>,
    ) -> gimli::Result<Node<'d>> {
        let text = |name| match entry.attr_value(name) {
            Some(value) => unit.attr_string(value).map(Some),
            None => Ok(None),
        };
        let line = number(entry, dw::DW_AT_decl_line);
        let file = match entry.attr_value(dw::DW_AT_decl_file) {
            Some(AttributeValue::FileIndex(file)) => Some(file),
            Some(other) => other.udata_value(),
            None => None,
        };
        let tag = entry.tag();
        let counted = || {
            number(entry, dw::DW_AT_count)
                .or_else(|| Some(number(entry, dw::DW_AT_upper_bound)? + 1))
        };
        let number_of = match tag {
            dw::DW_TAG_subrange_type => counted(),
            dw::DW_TAG_enumerator => number(entry, dw::DW_AT_const_value),
            _ => number(entry, dw::DW_AT_data_member_location),
        };
        let size = match tag {
            dw::DW_TAG_pointer_type => Some(u64::from(unit.encoding().address_size)),
            _ => number(entry, dw::DW_AT_byte_size),
        };
        let ty = match tag {
            dw::DW_TAG_variant_part => reference(unit, entry, dw::DW_AT_discr),
            _ => reference(unit, entry, dw::DW_AT_type),
        };
        Ok(Node {
            at: offset_of(unit, AttributeValue::UnitRef(entry.offset())).unwrap_or(0),
            tag,
            depth,
            parent,
            unit: self.units.len() as u32,
            name: text(dw::DW_AT_name)?.unwrap_or_default(),
            size: size.unwrap_or(0),
            align: number(entry, dw::DW_AT_alignment).unwrap_or(0),
            ty,
            number: number_of.unwrap_or(0),
            place: file.zip(line),
            symbol: match tag {
                dw::DW_TAG_subprogram => text(dw::DW_AT_linkage_name)?,
                _ => None,
            },
        })
    }

    fn children(&self, of: u32) -> impl Iterator<Item = (u32, &Node<'d>)> {
        let depth = self.nodes[of as usize].depth;
        let after = of as usize + 1;
        let inner = self.nodes[after..].iter();
        inner
            .take_while(move |n| n.depth > depth)
            .enumerate()
            .filter(move |(_, n)| n.depth == depth + 1)
            .map(move |(i, n)| ((after + i) as u32, n))
    }

    fn path(&self, node: u32) -> String {
        let node = &self.nodes[node as usize];
        let own = String::from_utf8_lossy(node.name.slice());
        match node.parent {
            Some(parent) if !self.nodes[parent as usize].name.is_empty() => {
                format!("{}::{own}", self.path(parent))
            }
            _ => own.into_owned(),
        }
    }

    /// Whether it is a struct of the crate `alloc`.
    fn is_of_alloc(&self, node: u32) -> bool {
        let mut at = &self.nodes[node as usize];
        let is_struct = at.tag == dw::DW_TAG_structure_type;
        while let Some(parent) = at.parent {
            at = &self.nodes[parent as usize];
        }
        is_struct && at.tag == dw::DW_TAG_namespace && at.name.slice() == b"alloc"
    }

    /// The part of a coroutine's entry that has its states.
    fn states(&self, node: u32) -> Option<u32> {
        let (part, _) = self
            .children(node)
            .find(|(_, n)| n.tag == dw::DW_TAG_variant_part)?;
        let tag = *self.by_offset.get(&self.nodes[part as usize].ty?)?;
        (self.nodes[tag as usize].name.slice() == b"__state").then_some(part)
    }

    fn take(&self, all: &mut Coroutines) -> gimli::Result<()> {
        self.functions(all);
        let mut known: FxHashMap<u32, HeldId> = FxHashMap::default();
        let mut open: Vec<(u32, HeldId)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let at = at as u32;
            let is_struct = node.tag == dw::DW_TAG_structure_type;
            if is_struct && node.name.starts_with(b"{") && self.states(at).is_some() {
                self.id(at, all, &mut known, &mut open);
            }
        }
        while let Some((node, id)) = open.pop() {
            let states = self.states(node);
            let mut lists = Vec::new();
            let mut of_states = Vec::new();
            match states {
                Some(part) => {
                    for (list, state) in self.variants(part)? {
                        lists.push(list);
                        of_states.push(state);
                    }
                }
                None => lists = self.lists(node),
            }
            if self.nodes[node as usize].tag == dw::DW_TAG_array_type
                && let Some(element) = self.element(node).filter(|_| self.count(node) > 0)
            {
                let ty = self.id(element, all, &mut known, &mut open);
                let element = Part {
                    name: "[]".into(),
                    offset: 0,
                    align: 0,
                    ty,
                };
                all.types[id.0 as usize].parts = vec![vec![element]];
                continue;
            }
            let parts = lists.into_iter().map(|list| {
                let list = list.into_iter().filter_map(|member| {
                    let member = &self.nodes[member as usize];
                    let ty = *self.by_offset.get(&member.ty?)?;
                    let ty = self.id(ty, all, &mut known, &mut open);
                    Some(Part {
                        name: String::from_utf8_lossy(member.name.slice()).into(),
                        offset: member.number,
                        align: member.align,
                        ty,
                    })
                });
                list.collect()
            });
            let parts = parts.collect();
            all.types[id.0 as usize].parts = parts;
            if states.is_some() {
                let coroutine = self.coroutine(node, of_states);
                all.types[id.0 as usize].coroutine = Some(coroutine);
            }
        }
        self.stored(all, &known);
        Ok(())
    }

    /// The node of the type of a node.
    fn of(&self, node: &Node<'d>) -> Option<u32> {
        self.by_offset.get(&node.ty?).copied()
    }

    /// Whether it is a box around one value.
    fn is_box(node: &Node<'d>) -> bool {
        node.tag == dw::DW_TAG_pointer_type && node.name.starts_with(b"alloc::boxed::Box<")
    }

    /// The type that a member is in.
    fn owner(&self, member: &Node<'d>) -> Option<u32> {
        let mut at = member.parent?;
        loop {
            let node = &self.nodes[at as usize];
            match node.tag {
                dw::DW_TAG_variant | dw::DW_TAG_variant_part => at = node.parent?,
                dw::DW_TAG_structure_type | dw::DW_TAG_union_type => return Some(at),
                _ => return None,
            }
        }
    }

    /// Notes which coroutines are stored on the heap, and in what.
    fn stored(&self, all: &mut Coroutines, known: &FxHashMap<u32, HeldId>) {
        // By what they hold: types, and types of the heap with the nodes that are owned.
        let mut around: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut owners: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(of) = self.of(node) else {
                continue;
            };
            match node.tag {
                dw::DW_TAG_member => around.entry(of).or_default().extend(self.owner(node)),
                dw::DW_TAG_array_type => around.entry(of).or_default().push(at as u32),
                dw::DW_TAG_template_type_parameter => {
                    owners.entry(of).or_default().extend(node.parent);
                }
                _ if Self::is_box(node) => owners.entry(of).or_default().push(at as u32),
                _ => {}
            }
        }
        let is_pinned = |of: &u32| {
            let around = around.get(of).into_iter().flatten();
            let mut names = around.map(|at| &self.nodes[*at as usize].name);
            names.any(|name| name.starts_with(b"Pin<"))
        };
        for (node, id) in known {
            let size = all.types[id.0 as usize].size;
            if all.types[id.0 as usize].coroutine.is_none() {
                continue;
            }
            let mut held = vec![*node];
            let mut at = 0;
            while let Some(of) = held.get(at).copied() {
                at += 1;
                for next in around.get(&of).into_iter().flatten() {
                    // Coroutines that hold each other are known otherwise.
                    let is_coroutine = known
                        .get(next)
                        .is_some_and(|id| all.types[id.0 as usize].coroutine.is_some());
                    if !is_coroutine && !held.contains(next) {
                        held.push(*next);
                    }
                }
            }
            let mut of_held = held.iter().filter_map(|of| owners.get(of)).flatten();
            if of_held.any(|at| Self::is_box(&self.nodes[*at as usize])) {
                all.boxed.insert(*id);
            }
            // What is stored may be a box with it.
            let own = owners.get(node).into_iter().flatten();
            let boxes = own.filter(|at| Self::is_box(&self.nodes[**at as usize]));
            let boxes = boxes.flat_map(|at| {
                let around = around.get(at).into_iter().flatten();
                around.copied().chain([*at])
            });
            let boxes: Vec<u32> = boxes.collect();
            let names = held.iter().chain(&boxes).flat_map(|of| {
                let owners = owners.get(of).into_iter().flatten();
                owners.filter_map(|at| {
                    let owner = &self.nodes[*at as usize];
                    let name = match Self::is_box(owner) {
                        false => self.path(*at),
                        // Such a box is awaited, or there is nothing but the future in it.
                        true if is_pinned(at) || self.size(*of, 0) <= size => return None,
                        true => self.path(*of),
                    };
                    Some(split(&name).0.to_owned())
                })
            });
            if let Some(name) = names.min_by_key(|name| (name.len(), name.clone())) {
                all.stored.entry(*id).or_insert_with(|| name.into());
            }
        }
    }

    /// The number of a type, which is read later if it is new.
    fn id(
        &self,
        node: u32,
        all: &mut Coroutines,
        known: &mut FxHashMap<u32, HeldId>,
        open: &mut Vec<(u32, HeldId)>,
    ) -> HeldId {
        if let Some(id) = known.get(&node) {
            return *id;
        }
        let size = self.size(node, 0);
        let name: Box<str> = self.type_name(node, 0).into();
        let makeup = self.makeup(node, size);
        let id = match all.by_name.get(&(name.clone(), size)) {
            Some(id) => *id,
            None => {
                let id = HeldId(all.types.len() as u32);
                all.by_name.insert((name.clone(), size), id);
                all.types.push(Held {
                    name,
                    size,
                    makeup,
                    parts: Vec::new(),
                    coroutine: None,
                });
                open.push((node, id));
                id
            }
        };
        known.insert(node, id);
        id
    }

    fn makeup(&self, node: u32, size: u64) -> Makeup {
        let of = &self.nodes[node as usize];
        let name = of.name.slice();
        let bits = 8 * size.clamp(1, 16) as u32;
        let last = u128::MAX >> (128 - bits);
        match of.tag {
            dw::DW_TAG_base_type => Makeup::Scalar(match name {
                b"bool" => Some((0, 1)),
                b"char" => Some((0, u128::from(u32::from(char::MAX)))),
                _ => None,
            }),
            // References, boxes and functions are never null.
            dw::DW_TAG_pointer_type => {
                let is_raw = name.is_empty() || name.starts_with(b"*");
                Makeup::Scalar((!is_raw).then_some((1, last)))
            }
            dw::DW_TAG_enumeration_type => {
                let names = self.children(node);
                let names = names.filter(|(_, n)| n.tag == dw::DW_TAG_enumerator);
                // Negative ones are wider than the type.
                let mut values: Vec<u128> =
                    names.map(|(_, n)| n.number as i64 as u128 & last).collect();
                values.sort_unstable();
                Makeup::Scalar(smallest_range(&values, last))
            }
            dw::DW_TAG_union_type => Makeup::Union,
            dw::DW_TAG_array_type => Makeup::Array(self.count(node)),
            _ => {
                let mut parts = self.children(node);
                let part = parts.find(|(_, n)| n.tag == dw::DW_TAG_variant_part);
                part.map_or(Makeup::Struct, |(_, part)| {
                    let tag = part.ty.and_then(|at| self.by_offset.get(&at));
                    Makeup::Enum(tag.and_then(|tag| {
                        let tag = &self.nodes[*tag as usize];
                        let ty = *self.by_offset.get(&tag.ty?)?;
                        Some((tag.number, self.nodes[ty as usize].size))
                    }))
                })
            }
        }
    }

    /// How often an array has its element.
    fn count(&self, node: u32) -> u64 {
        let mut ranges = self
            .children(node)
            .filter(|(_, n)| n.tag == dw::DW_TAG_subrange_type);
        ranges.next().map_or(0, |(_, n)| n.number)
    }

    fn element(&self, node: u32) -> Option<u32> {
        self.by_offset.get(&self.nodes[node as usize].ty?).copied()
    }

    fn size(&self, node: u32, depth: u32) -> u64 {
        let of = &self.nodes[node as usize];
        if of.tag != dw::DW_TAG_array_type || depth > 32 {
            return of.size;
        }
        let element = self.element(node).map_or(0, |e| self.size(e, depth + 1));
        element.saturating_mul(self.count(node))
    }

    fn type_name(&self, node: u32, depth: u32) -> String {
        if self.nodes[node as usize].tag != dw::DW_TAG_array_type || depth > 32 {
            return self.path(node);
        }
        let element = self.element(node).map(|e| self.type_name(e, depth + 1));
        format!("[{}; {}]", element.unwrap_or_default(), self.count(node))
    }

    /// The members of each variant of a type that is no coroutine.
    fn lists(&self, node: u32) -> Vec<Vec<u32>> {
        let members = |of: u32| {
            let members = self.children(of);
            let members = members.filter(|(_, n)| n.tag == dw::DW_TAG_member);
            members.map(|(at, _)| at).collect::<Vec<u32>>()
        };
        let of = &self.nodes[node as usize];
        let part = self
            .children(node)
            .find(|(_, n)| n.tag == dw::DW_TAG_variant_part);
        match (of.tag, part) {
            (dw::DW_TAG_structure_type, Some((part, _))) => {
                let variants = self.children(part);
                let variants = variants.filter(|(_, n)| n.tag == dw::DW_TAG_variant);
                variants.map(|(at, _)| members(at)).collect()
            }
            (dw::DW_TAG_structure_type, None) => vec![members(node)],
            (dw::DW_TAG_union_type, _) => members(node).into_iter().map(|m| vec![m]).collect(),
            _ => Vec::new(),
        }
    }

    /// The members of each state of a coroutine, and the state.
    fn variants(&self, part: u32) -> gimli::Result<Vec<(Vec<u32>, State)>> {
        let mut list = Vec::new();
        for (variant, node) in self.children(part) {
            if node.tag != dw::DW_TAG_variant {
                continue;
            }
            let Some((_, member)) = self.children(variant).next() else {
                continue;
            };
            let ty = member.ty.and_then(|at| self.by_offset.get(&at).copied());
            let Some(ty) = ty else {
                continue;
            };
            let members = self.children(ty);
            let members = members.filter(|(_, n)| n.tag == dw::DW_TAG_member);
            let state = State {
                name: String::from_utf8_lossy(self.nodes[ty as usize].name.slice()).into(),
                place: match member.place {
                    Some((file, line)) => self.file(member.unit, file)?.zip(Some(line as u32)),
                    None => None,
                },
            };
            list.push((members.map(|(at, _)| at).collect(), state));
        }
        Ok(list)
    }

    fn file(&self, unit: u32, file: u64) -> gimli::Result<Option<Box<str>>> {
        let unit = self.units[unit as usize].unit_ref(self.dwarf);
        let Some(program) = &unit.line_program else {
            return Ok(None);
        };
        let header = program.header();
        let Some(entry) = header.file(file) else {
            return Ok(None);
        };
        let mut path = std::path::PathBuf::new();
        if let Some(folder) = unit.comp_dir {
            path.push(&*String::from_utf8_lossy(folder.slice()));
        }
        if let Some(folder) = entry.directory(header) {
            let folder = unit.attr_string(folder)?;
            path.push(&*String::from_utf8_lossy(folder.slice()));
        }
        let name = unit.attr_string(entry.path_name())?;
        path.push(&*String::from_utf8_lossy(name.slice()));
        Ok(Some(path.to_string_lossy().into()))
    }

    /// Notes the paths of functions that coroutines are in: of the one that polls it, or that returns
    /// it if it has its name.
    fn functions(&self, all: &mut Coroutines) {
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(symbol) = node.symbol else {
                continue;
            };
            let name = String::from_utf8_lossy(node.name.slice());
            let name = split(&name).0;
            let returned = || self.by_offset.get(&node.ty?).copied();
            let path = match name.strip_prefix('{') {
                Some(_) if name.contains('#') => {
                    let path = self.path(at as u32);
                    split(&path).0.to_owned()
                }
                Some(_) => continue,
                None => match returned() {
                    Some(ty) if self.nodes[ty as usize].name.starts_with(b"{async_fn_env") => {
                        let path = self.path(ty);
                        let (path, _) = split(&path);
                        let around = path.rsplit_once("::").map(|(around, _)| around);
                        match around.is_some_and(|a| a.ends_with(&format!("::{name}"))) {
                            true => path.to_owned(),
                            false => continue,
                        }
                    }
                    _ => continue,
                },
            };
            let path = env(&path);
            if !all.functions.contains_key(&*path)
                && let Some(function) = function(&symbol, name)
            {
                all.functions.insert(path.into(), function.into());
            }
        }
    }

    fn coroutine(&self, node: u32, states: Vec<State>) -> Coroutine {
        let path = self.path(node);
        let (path, arguments) = split(&path);
        let node = &self.nodes[node as usize];
        let encoding = self.units[node.unit as usize].encoding();
        Coroutine {
            align: node.align,
            pointer: u64::from(encoding.address_size),
            path: path.into(),
            arguments: arguments.into(),
            states,
        }
    }
}

/// The first and the last of sorted values, if these are not all up to `last`: the widest gap lies
/// between the last and the first, around the end or not.
fn smallest_range(sorted: &[u128], last: u128) -> Option<(u128, u128)> {
    let (least, most) = (*sorted.first()?, *sorted.last()?);
    let outer = (
        least.wrapping_sub(most).wrapping_sub(1) & last,
        (least, most),
    );
    let inner = sorted.windows(2).map(|pair| {
        let gap = (pair[1] - pair[0]).saturating_sub(1);
        (gap, (pair[1], pair[0]))
    });
    let (gap, range) = inner.chain([outer]).max_by_key(|(gap, _)| *gap)?;
    (gap > 0).then_some(range)
}

/// The path of a function by its symbol; of a closure named `{…}`, that of the function around.
fn function(symbol: &Reader<'_>, name: &str) -> Option<String> {
    let symbol = String::from_utf8_lossy(symbol.slice());
    let readable = addr2line::demangle(&symbol, gimli::DW_LANG_Rust)?;
    let readable = sites::without_hash(&readable);
    if !name.starts_with('{') {
        return Some(readable.to_owned());
    }
    let (around, last) = readable.rsplit_once("::")?;
    last.starts_with('{').then(|| around.to_owned())
}

/// The path of a coroutine's type by that of the function that polls it.
fn env(path: &str) -> String {
    match path.rsplit_once('#') {
        Some((start, number)) if !start.ends_with("_env") => format!("{start}_env#{number}"),
        _ => path.to_owned(),
    }
}

/// Splits the arguments off a path, which is `{impl#0}::f::{async_fn_env#0}<u8>`.
fn split(path: &str) -> (&str, &str) {
    // Namespaces have no arguments.
    path.split_at(path.find('<').unwrap_or(path.len()))
}
