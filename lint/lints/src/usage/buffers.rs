//! Growable fields and what happens to each: constructed, grown, borrowed, taken, moved out or only
//! read.

mod calls;
mod made;
mod receiver;
mod run;

pub use made::Maker;

use super::Usage;
use super::events::{At, variant_of};
use super::fields::{is_numbered, may_name};
use crate::flow::{Mode, Node, Summaries, reach};
use crate::infer::body::{FieldId, Typed};
use crate::infer::types::{adt_of, fields_of, is_std, std_parts};
use crate::ir::body::{ExprId, PatKind};
use crate::ir::{AdtKind, ItemKind};
use crate::lists::Lists;
use crate::memo::Memo;
use crate::name::Name;
use crate::project::CrateId;
use crate::resolve::ty::{GArg, Ty};
use crate::resolve::{CrateIx, Db, ItemId};
use crate::span::Span;
use run::Run;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Types of std that own bytes and may grow.
pub const KINDS: &[&str] = &["CString", "OsString", "PathBuf", "String", "Vec"];

/// Transparent types of std: a buffer in one is the field's own.
const AROUND: &[&str] = &[
    "Cell", "Mutex", "OnceCell", "OnceLock", "Option", "RefCell", "RwLock",
];

/// A field that holds a buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The field.
    pub field: FieldId,
    /// Its name.
    pub name: Name,
    /// Whether a field expression can name it: not if it is a variant's.
    named: bool,
    /// Its declared type.
    pub ty: Ty,
    /// The buffer's own type.
    pub inner: Ty,
    /// The type of std: `Vec`, `String` and so on.
    pub kind: &'static str,
}

/// What an expression does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferUse {
    /// Constructs it, and from what.
    Made(Maker),
    /// Grows it in place.
    Grown,
    /// Takes something out of it in place.
    Shrunk,
    /// Clears it in place.
    Emptied,
    /// Passes `&mut` to it to code that is not followed.
    Lent,
    /// Takes it and leaves an unknown value in its place.
    Taken,
    /// Clones it.
    Cloned,
    /// Moves it out of its type, to where it is no longer followed.
    Moved,
    /// Moves it into another field.
    MovedInto(FieldId),
    /// Reads it.
    Read,
    /// Not understood.
    Unclear,
}

/// Whether code would not compile, or may not, if the buffer were a boxed slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It would.
    No,
    /// It would not, or may not.
    Yes,
    /// It would if this field has the buffer.
    Unless(FieldId),
}

impl Edit {
    fn unless(field: Option<FieldId>) -> Edit {
        field.map_or(Edit::Yes, Edit::Unless)
    }
}

impl From<bool> for Edit {
    fn from(edit: bool) -> Edit {
        if edit { Edit::Yes } else { Edit::No }
    }
}

/// One use.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// What is done.
    pub how: BufferUse,
    /// Whether the code would not compile, or may not, if the buffer were a boxed slice.
    pub edit: Edit,
    /// It calls a method that no list or string type has.
    elsewhere: bool,
    /// Where.
    pub span: Span,
    /// Number of loops around it in its function.
    pub loops: u16,
    /// Whether it is in a test, bench, example or build script.
    pub aside: bool,
    /// Index of the body in [`Usage::bodies`].
    pub body: usize,
    /// The field expression from which it was reached; `None` for a pattern.
    pub origin: Option<(usize, ExprId)>,
    /// Whether the owner's type is unknown there, so that it may be a field of another type.
    pub guessed: bool,
}

impl Use {
    /// Returns true if the buffer certainly grows there, outside of tests.
    pub fn grows(&self) -> bool {
        self.how == BufferUse::Grown && !self.aside && !self.guessed
    }
}

/// The buffers of the selected crates.
#[derive(Debug, Default)]
pub struct Buffers {
    /// By type, in field order.
    of: FxHashMap<ItemId, Vec<Buffer>>,
    uses: FxHashMap<FieldId, Vec<Use>>,
    /// Types that derive `Deserialize`.
    read_in: FxHashSet<ItemId>,
}

impl Buffers {
    /// Finds the buffers in the fields of these types and follows each through every body.
    pub fn find(db: &'static Db<'static>, usage: &Usage, types: &[(ItemId, Ty)]) -> Buffers {
        let mut buffers = Buffers::default();
        for (item, ty) in types {
            let found = fields(db, *item, *ty);
            if !found.is_empty() {
                buffers.of.insert(*item, found);
                if db.item(*item).item.attrs.derives("Deserialize") {
                    buffers.read_in.insert(*item);
                }
            }
        }
        let index = Index::new(usage);
        let mut summaries = FxHashMap::default();
        for list in buffers.of.values() {
            for buffer in list {
                let known = summaries.entry(adt_of(db, buffer.inner)).or_default();
                let uses = uses_of(db, usage, &index, known, buffer);
                buffers.uses.insert(buffer.field, uses);
            }
        }
        buffers
    }

    /// Returns the buffers among the fields of a type.
    pub fn of(&self, adt: ItemId) -> &[Buffer] {
        self.of.get(&adt).map_or(&[], Vec::as_slice)
    }

    /// Returns every use of a field, by file and position of the body.
    pub fn uses(&self, field: FieldId) -> &[Use] {
        self.uses.get(&field).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a field is a buffer that grows, or may, itself or in a field that it is
    /// moved into.
    pub fn grows(&self, field: FieldId) -> bool {
        let mut seen = FxHashSet::from_iter([field]);
        let mut queue = vec![field];
        while let Some(field) = queue.pop() {
            for u in self.uses(field) {
                match u.how {
                    BufferUse::Made(_)
                    | BufferUse::Emptied
                    | BufferUse::Cloned
                    | BufferUse::Read => {}
                    BufferUse::MovedInto(next) => queue.extend(seen.insert(next).then_some(next)),
                    _ => return true,
                }
            }
        }
        false
    }

    /// Returns true if every use of a field is understood, none changes its length except by
    /// clearing it, and some code sets it to a nonempty buffer.
    pub fn is_final(&self, field: FieldId) -> bool {
        self.is_quiet(field) && (self.is_made(field) || self.is_read_in(field.adt))
    }

    /// Returns true if every use of a field is understood, and none changes its length except by
    /// clearing it.
    pub fn is_quiet(&self, field: FieldId) -> bool {
        self.uses(field).iter().all(|u| match u.how {
            BufferUse::MovedInto(field) => !self.grows(field),
            BufferUse::Emptied => true,
            how => !how.changes(),
        })
    }

    /// Returns true if some code sets a field to a nonempty buffer.
    pub fn is_made(&self, field: FieldId) -> bool {
        let mut uses = self.uses(field).iter();
        uses.any(|u| matches!(u.how, BufferUse::Made(maker) if !u.aside && maker != Maker::Empty))
    }

    /// Returns true for a type that derives `Deserialize`, which also constructs values.
    pub fn is_read_in(&self, adt: ItemId) -> bool {
        self.read_in.contains(&adt)
    }
}

/// Returns the buffer that a type is or holds inline.
pub fn buffer_in(db: &Db<'static>, ty: Ty) -> Option<(Ty, &'static str)> {
    let mut ty = ty;
    for _ in 0..4 {
        let (name, args) = std_parts(db, ty)?;
        if KINDS.contains(&name) {
            // A boxed slice would need an allocator of the program's own too.
            let global = |arg: &GArg| matches!(arg, GArg::Ty(ty) if is_std(db, *ty, "Global"));
            return args.get(1).is_none_or(global).then_some((ty, name));
        }
        match args.first() {
            Some(GArg::Ty(inner)) if AROUND.contains(&name) => ty = *inner,
            _ => return None,
        }
    }
    None
}

fn fields(db: &'static Db<'static>, item: ItemId, ty: Ty) -> Vec<Buffer> {
    let ItemKind::Adt(adt) = &db.item(item).item.kind else {
        return Vec::new();
    };
    let buffer = |(field, ty): (FieldId, Ty)| {
        let (inner, kind) = buffer_in(db, ty)?;
        let (_, variant, at) = field.place();
        Some(Buffer {
            field,
            name: adt.variants[variant].fields[at].name,
            named: adt.kind != AdtKind::Enum,
            ty,
            inner,
            kind,
        })
    };
    let mut found: Vec<Buffer> = fields_of(db, item, ty).filter_map(buffer).collect();
    found.shrink_to_fit();
    found
}

/// A name that may be a field.
struct Hidden {
    /// Index of the body.
    b: usize,
    span: Span,
    /// The name of the type or variant that has the field; `None` if it may be any.
    of: Option<Name>,
}

/// An index of the bodies that only buffers need.
#[derive(Default)]
struct Index {
    /// Names that may be fields: in macro calls that are not understood, or in patterns of an
    /// unknown type.
    opaque: Lists<Name, Hidden>,
    /// The crates whose types a crate can use, for crates that were asked about.
    reached: Memo<CrateIx, Arc<BTreeSet<CrateId>>>,
}

impl Index {
    fn new(usage: &Usage) -> Index {
        let mut index = Index::default();
        for (b, body) in usage.bodies.iter().enumerate() {
            index.read(b, body);
        }
        index
    }

    fn read(&mut self, b: usize, body: &Typed) {
        for (word, id) in &body.hidden {
            let (span, of) = (body.node(*id).span, word.of);
            self.opaque.add(word.name, Hidden { b, span, of });
        }
        for (id, node) in body.function.body.pats() {
            let fact = body.pat(id);
            let (path, names): (_, Vec<Name>) = match (&node.kind, fact.ctor) {
                _ if !fact.live => continue,
                (PatKind::Struct(path, fields, _), None) => {
                    (path, fields.iter().map(|(name, _)| *name).collect())
                }
                (PatKind::TupleStruct(path, list), None) => {
                    let looks = |p| !matches!(body.function.body.pat(p).kind, PatKind::Wild);
                    let places = (0..list.len()).filter(|i| looks(list[*i]));
                    (path, places.map(|i| Name::new(&i.to_string())).collect())
                }
                _ => continue,
            };
            let (span, of) = (node.span, path.segments.last().map(|s| s.name));
            for name in names {
                self.opaque.add(name, Hidden { b, span, of });
            }
        }
    }
}

/// Returns the names that a literal or pattern with a field may have before its braces.
fn names_of(db: &Db<'static>, field: FieldId) -> [Name; 3] {
    let own = db.item(field.adt).item.name;
    let variant = variant_of(db, field.adt, field.variant);
    [own, variant.map_or(own, |v| v.name), Name::new("Self")]
}

/// How a field is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// By its type.
    Type,
    /// By its name alone, as the owner's type is unknown.
    Name,
    /// By an index that any tuple may have.
    Index,
}

fn uses_of(
    db: &'static Db<'static>,
    usage: &Usage,
    index: &Index,
    known: &mut Summaries<Use>,
    buffer: &Buffer,
) -> Vec<Use> {
    let (mut uses, mut seen) = (Vec::new(), FxHashSet::default());
    let mut add = |by: By, origin: Option<At>, start: &dyn Fn(&mut Run)| {
        let mut run = Run::new(db, usage, buffer.inner);
        start(&mut run);
        let find = |node| Run::new(db, usage, buffer.inner).node(node);
        reach(known, run.found, &mut seen, find, |found| {
            if by != By::Type && buffer.ty == buffer.inner && found.elsewhere {
                return;
            }
            let itself = found.how == BufferUse::MovedInto(buffer.field);
            let alike = itself || found.edit == Edit::Unless(buffer.field) || by == By::Index;
            uses.push(Use {
                how: if itself { BufferUse::Read } else { found.how },
                edit: Edit::from(found.edit != Edit::No && !alike),
                origin: origin.map(|at| (at.body, at.expr)),
                guessed: by != By::Type,
                ..*found
            });
        });
        // The calls of a function are followed once, its variables for each place.
        seen.retain(|node| matches!(node, Node::Calls(..)));
    };
    let events = &usage.events;
    for &at in events.named.of(&buffer.field) {
        let start = |run: &mut Run| run.follow(at.body, at.expr, Mode::Place);
        add(By::Type, Some(at), &start);
    }
    let home = db.krate_of(db.item(buffer.field.adt).module);
    let named = |b: usize| {
        let function = &usage.bodies[b].function;
        let krate = function.krate;
        let find = || {
            let all = db
                .krate(krate)
                .id
                .map(|id| db.project.with_dependencies(id));
            index.reached.keep(krate, Arc::new(all.unwrap_or_default()))
        };
        let reached = index.reached.get(&krate).unwrap_or_else(find);
        (krate == home || reached.contains(&CrateId(home)))
            && may_name(db, buffer.field, function.module)
    };
    // Only patterns reach a variant's field.
    let open = events.open.of(&buffer.name).iter().filter(|_| buffer.named);
    // Every tuple has a first field.
    let by = match is_numbered(buffer.name) {
        true => By::Index,
        false => By::Name,
    };
    for &at in open.filter(|at| named(at.body)) {
        let start = |run: &mut Run| run.follow(at.body, at.expr, Mode::Place);
        add(by, Some(at), &start);
    }
    for &(b, pat) in events.bound.of(&buffer.field) {
        add(By::Type, None, &|run| run.pattern(b, pat, Mode::Place));
    }
    add(By::Type, None, &|run| {
        let mut opaque = index.opaque.of(&buffer.name).iter();
        let names = names_of(db, buffer.field);
        let may_be = |h: &&Hidden| named(h.b) && h.of.is_none_or(|of| names.contains(&of));
        if let Some(hidden) = opaque.find(may_be) {
            run.note(hidden.b, hidden.span, BufferUse::Unclear, true);
        }
        for &(at, value) in events.set.of(&buffer.field) {
            run.made(at.body, value);
        }
        let of = (buffer.field.adt, buffer.field.variant);
        for at in events.uncalled.of(&of) {
            let span = usage.bodies[at.body].node(at.expr).span;
            run.note(at.body, span, BufferUse::Made(Maker::Given), true);
        }
    });
    uses.shrink_to_fit();
    uses.sort_by_key(|u| (u.body, u.span.start, u.span.end));
    uses
}
