//! From the fields that a remedy gives another type to the edits at every place that builds, takes
//! apart or reads them; what cannot be edited with certainty is named.

mod append;
mod changed;
mod compare;
mod copies;
mod define;
mod docs;
mod freeze;
mod from;
mod imports;
mod join;
mod make;
mod mentions;
mod merge;
mod niche;
mod part;
mod places;
pub mod split;
mod stated;
mod text;
mod unpack;
mod uses;
mod within;
mod words;

use crate::finding::{Applicability, Change, Finding, Fix};
use crate::infer::body::Target;
use crate::ir::body::ExprKind;
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::memo::Memo;
use crate::model::{Model, TypeInfo};
use crate::name::Name;
use crate::project::CrateId;
use crate::resolve::collect::mark;
use crate::resolve::ty::{GArg, Prim, Ty, TyKind};
use crate::resolve::{Def, ItemId, ModId, Ns, Seen};
use crate::span::{FileId, Span};
use crate::usage::Usage;
use crate::usage::body::FieldId;
use crate::usage::events::At;
use crate::usage::types::{implements, may_be, pointee, std_first, std_parts, types_of};
use changed::Changed;
use copies::Copies;
use parking_lot::Mutex;
use places::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};
use text::{Edits, Files};
use within::Element;
use words::Words;

/// More places that are not edited are counted, not named.
const MOST_NAMED: usize = 2;

/// Derives that ask each field for the same trait, and say nothing of how fields lie.
const DERIVES: &[&str] = &[
    "Clone",
    "Debug",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// What is asked for edits.
pub struct Editor<'e> {
    model: &'e Model<'static>,
    usage: Usage,
    files: Files,
    /// Fields by the place of their type: the same file may be a part of several targets.
    fields: FxHashMap<Span, Vec<FieldId>>,
    /// Types by their definition.
    infos: FxHashMap<ItemId, &'e TypeInfo>,
    /// By body: which pattern is a part of which.
    outer: Vec<OnceLock<Vec<Option<crate::ir::body::PatId>>>>,
    words: OnceLock<Words>,
    std_uses: Memo<FileId, Arc<imports::Uses>>,
    copies: OnceLock<Copies>,
    /// Names of new structs by module, with the variant that each is of.
    given: Mutex<FxHashMap<(ModId, String), Span>>,
    /// Names that are looked for outside of what is read.
    wanted: FxHashSet<Name>,
    /// The selected crates, each with its unit tests.
    crates: Vec<CrateId>,
}

/// What a field becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Boxed,
    BoxedInside,
    Frozen(Buffer),
    FrozenInside(Buffer),
    Unboxed,
    Shared(Buffer),
    Elements(Element),
    NonZero(Prim),
    NonZeroInside(Prim),
}

impl Shape {
    /// What the contents of an `Option` become.
    fn inside(self) -> Option<Shape> {
        match self {
            Shape::BoxedInside => Some(Shape::Boxed),
            Shape::FrozenInside(buffer) => Some(Shape::Frozen(buffer)),
            Shape::NonZeroInside(number) => Some(Shape::NonZero(number)),
            _ => None,
        }
    }
}

/// A buffer that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    Vec,
    String,
    PathBuf,
    OsString,
    /// A `String` that becomes a shared text.
    Counted,
}

impl Buffer {
    /// That of a type of std.
    fn named(name: &str) -> Option<Buffer> {
        Some(match name {
            "Vec" => Buffer::Vec,
            "String" => Buffer::String,
            "PathBuf" => Buffer::PathBuf,
            "OsString" => Buffer::OsString,
            _ => return None,
        })
    }

    /// The name of its type.
    fn name(self) -> &'static str {
        match self {
            Buffer::Vec => "Vec",
            Buffer::String | Buffer::Counted => "String",
            Buffer::PathBuf => "PathBuf",
            Buffer::OsString => "OsString",
        }
    }

    /// The pointer to its slice.
    fn pointer(self) -> &'static str {
        match self {
            Buffer::Counted => "Arc",
            _ => "Box",
        }
    }

    /// A method of slices that makes one, and what makes a boxed slice one.
    fn owner(self) -> (&'static str, &'static str) {
        match self {
            Buffer::Vec => ("to_vec", ".into_vec()"),
            Buffer::String => ("to_string", ".into_string()"),
            Buffer::PathBuf => ("to_path_buf", ".into_path_buf()"),
            Buffer::OsString => ("to_os_string", ".into_os_string()"),
            Buffer::Counted => ("to_string", ".to_string()"),
        }
    }

    /// Its method that makes it the boxed slice.
    fn freeze(self) -> &'static str {
        match self {
            Buffer::Vec => "into_boxed_slice",
            Buffer::String | Buffer::Counted => "into_boxed_str",
            Buffer::PathBuf => "into_boxed_path",
            Buffer::OsString => "into_boxed_os_str",
        }
    }
}

/// A place that is not edited, and why: what stands there, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Left {
    span: Span,
    why: &'static str,
    /// Perhaps another build compiles it, and this one does not.
    elsewhere: bool,
}

/// The edits of one remedy while they are found.
struct Work<'e> {
    editor: &'e Editor<'e>,
    edits: Edits,
    left: Vec<Left>,
    /// What is edited compiles, as far as that can be told.
    certain: bool,
    /// Values that are of the new type as they are: what takes them is not wrapped.
    carried: FxHashSet<At>,
    /// Values that the changed fields are set to.
    sets: FxHashSet<At>,
    /// The changed fields.
    changed: FxHashMap<FieldId, Shape>,
    /// Variables, by body, that are of the new type from the start.
    followed: FxHashSet<(usize, u32)>,
}

impl<'e> Editor<'e> {
    /// For these findings.
    pub fn new<'f>(
        model: &'e Model<'static>,
        findings: impl Iterator<Item = &'f Finding>,
    ) -> Editor<'e> {
        let changed = Changed::find(model, findings);
        let infos = model.types().iter().map(|info| (info.item, info));
        let usage = changed.usage(model.db);
        Editor {
            model,
            files: Files::default(),
            wanted: changed.wanted(),
            crates: changed.crates.clone(),
            fields: changed.fields,
            infos: infos.collect(),
            outer: usage.bodies.iter().map(|_| OnceLock::new()).collect(),
            usage,
            words: OnceLock::new(),
            std_uses: Memo::default(),
            copies: OnceLock::new(),
            given: Mutex::default(),
        }
    }

    /// Gives the remedies of a finding their edits, without those that would cost memory by a
    /// census. Of several that are complete only the first is machine-applicable: a tool applies
    /// all that are.
    pub fn complete(&self, finding: &mut Finding) {
        let mut applied = false;
        let mut notes = Vec::new();
        for (n, remedy) in finding.remedies.iter_mut().enumerate() {
            if remedy.change.is_empty() {
                continue;
            }
            remedy.fix = None;
            // What was counted speaks against it.
            if remedy.net.is_some_and(|net| net.bytes < 0) {
                continue;
            }
            let work = self.work(&remedy.change);
            let mut work = work.unwrap_or_else(|| self.untouched(&remedy.change));
            work.left.sort_by_cached_key(|l| self.place(l.span));
            work.left.dedup();
            let complete = work.left.is_empty() && work.certain;
            let left = self.not_edited(&work.left);
            if n == 0 {
                notes.extend(left.clone());
            }
            if work.edits.len() == 0 {
                continue;
            }
            let Some(edits) = work.edits.finish(&self.model.db.sources) else {
                continue;
            };
            let edits = self.with_imports(edits);
            let applicability = match complete && !applied {
                true => Applicability::MachineApplicable,
                false => Applicability::MaybeIncorrect,
            };
            applied |= complete;
            remedy.fix = Some(Box::new(Fix {
                edits,
                applicability,
                elsewhere: work.left.iter().find(|l| l.elsewhere).map(|l| {
                    let (file, line) = self.place(l.span);
                    format!("{file}:{line}")
                }),
                left,
            }));
        }
        finding.notes.extend(notes);
    }

    /// The places that are not edited, in a line.
    fn not_edited(&self, left: &[Left]) -> Option<String> {
        if left.is_empty() {
            return None;
        }
        let named = left.iter().take(MOST_NAMED).map(|l| {
            let (file, line) = self.place(l.span);
            format!("{file}:{line} {}", l.why)
        });
        let named: Vec<_> = named.collect();
        let more = match left.len() - named.len() {
            0 => String::new(),
            1 => ", and 1 more place".to_owned(),
            n => format!(", and {n} more places"),
        };
        Some(format!("not edited: {}{more}", named.join(", ")))
    }

    fn copies(&self) -> &Copies {
        let sources = &self.model.db.sources;
        self.copies.get_or_init(|| Copies::find(sources))
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| Words::find(self))
    }

    /// Path and line, as one would say it.
    fn place(&self, span: Span) -> (String, usize) {
        let db = self.model.db;
        let (span, _) = db.sources.origin(span);
        let file = db.sources.get(span.file);
        let root = &db.project.workspace_root;
        let path = file.path.strip_prefix(root).unwrap_or(&file.path);
        let path = path.display().to_string().replace('\\', "/");
        (path, file.line_col(span.start).0)
    }

    fn begin(&self) -> Work<'_> {
        Work {
            editor: self,
            edits: Edits::default(),
            left: Vec::new(),
            certain: true,
            carried: FxHashSet::default(),
            sets: FxHashSet::default(),
            changed: FxHashMap::default(),
            followed: FxHashSet::default(),
        }
    }

    /// Names what is changed, and edits nothing: it is not understood.
    fn untouched(&self, changes: &[Change]) -> Work<'_> {
        let mut work = self.begin();
        for span in changes.iter().flat_map(Change::fields) {
            work.leave(span, "is not written as what can be edited");
        }
        work
    }

    fn work(&self, changes: &[Change]) -> Option<Work<'_>> {
        let db = self.model.db;
        let mut work = self.begin();
        work.stated(changes);
        let mut fields = Vec::new();
        for change in changes {
            let (span, shape) = match change {
                Change::Joined(_) => {
                    work.join(change)?;
                    continue;
                }
                Change::Split(span) => {
                    work.split(*span)?;
                    continue;
                }
                Change::Appended(format, function) => {
                    work.append(*format, *function)?;
                    continue;
                }
                Change::Boxed(span) => (*span, Some(Shape::Boxed)),
                Change::BoxedInside(span) => (*span, Some(Shape::BoxedInside)),
                Change::Unboxed(span) => (*span, Some(Shape::Unboxed)),
                Change::UnboxedElements(span) => (*span, Some(Shape::Elements(Element::Unboxed))),
                Change::Frozen(span) => (*span, self.buffer(*span, Some).map(Shape::Frozen)),
                Change::FrozenInside(span) => {
                    let inside = |ty| std_first(db, ty, &["Option"]);
                    (*span, self.buffer(*span, inside).map(Shape::FrozenInside))
                }
                Change::Counted(span) => {
                    let text = self.buffer(*span, Some).filter(|b| *b == Buffer::String);
                    (*span, text.map(|_| Shape::Frozen(Buffer::Counted)))
                }
                Change::CountedInside(span) => {
                    let inside = |ty| std_first(db, ty, &["Option"]);
                    let text = self.buffer(*span, inside).filter(|b| *b == Buffer::String);
                    (*span, text.map(|_| Shape::FrozenInside(Buffer::Counted)))
                }
                Change::Shared(span) => {
                    let buffer = self.buffer(*span, |ty| pointee(db, ty));
                    (*span, buffer.map(Shape::Shared))
                }
                Change::NonZero(span) => (*span, self.niche(*span)),
                Change::FrozenKeys(span) => {
                    let key = |ty| std_parts(db, ty).and_then(|(_, args)| types_of(args).next());
                    let element = self.buffer(*span, key).map(Element::Frozen);
                    (*span, element.map(Shape::Elements))
                }
            };
            let Some(shape) = shape else {
                return Some(work.without_edits(span));
            };
            for &id in self.fields.get(&key(self.model, span))? {
                fields.push((id, shape));
            }
        }
        for (id, shape) in &fields {
            work.changed.insert(*id, *shape);
            let set = self.usage.events.set(*id).iter();
            work.sets.extend(set.map(|(at, value)| at.with(*value)));
        }
        for &(id, shape) in &fields {
            if self.infos.contains_key(&id.adt) && work.define(id, shape).is_none() {
                return Some(work.without_edits(self.field(id)?.1.ty_span));
            }
            work.read(id, shape);
        }
        for &(id, shape) in &fields {
            work.make(id, shape);
        }
        let ids: Vec<FieldId> = fields.iter().map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            work.outside(&ids);
        }
        Some(work)
    }

    /// Which buffer a field is, by a part of its type.
    fn buffer(&self, span: Span, part: impl Fn(Ty) -> Option<Ty>) -> Option<Buffer> {
        let mut ids = self.fields.get(&key(self.model, span))?.iter();
        let id = ids.find(|id| self.infos.contains_key(&id.adt))?;
        let (name, _) = std_parts(self.model.db, part(self.field_ty(*id)?)?)?;
        Buffer::named(name)
    }

    /// A field as it is written.
    fn field(&self, id: FieldId) -> Option<(&'static ir::Variant, &'static ir::Field)> {
        let ItemKind::Adt(adt) = &self.model.db.item(id.adt).item.kind else {
            return None;
        };
        let variant = adt.variants.get(id.variant as usize)?;
        Some((variant, variant.fields.get(id.field as usize)?))
    }

    /// The type of a field, its own parameters in place.
    fn field_ty(&self, id: FieldId) -> Option<Ty> {
        let info = self.infos.get(&id.adt)?;
        let types = crate::usage::types::field_types(self.model.db, info.ty);
        let of_variant = types.get(id.variant as usize)?;
        of_variant.get(id.field as usize).copied()
    }

    /// Who may name a field; a variant's can be named by whoever sees the enum.
    fn seen(&self, id: FieldId) -> Option<Seen> {
        let db = self.model.db;
        let data = db.item(id.adt);
        let (_, field) = self.field(id)?;
        let is_enum = matches!(&data.item.kind, ItemKind::Adt(adt) if adt.kind == AdtKind::Enum);
        let vis = if is_enum { &data.item.vis } else { &field.vis };
        Some(db.seen(data.module, vis))
    }

    /// True if what names a field of an owner that is not known can be this one: it is seen there,
    /// and nothing asks for another type.
    fn may_be(&self, id: FieldId, at: At) -> bool {
        let db = self.model.db;
        let typed = &self.usage.bodies[at.body];
        let seen = self.seen(id);
        if seen.is_some_and(|seen| !db.visible(seen, typed.function.module)) {
            return false;
        }
        let fact = typed.fact(at.expr);
        let outer = fact.parent.map(|p| (typed.node(p), typed.fact(p)));
        let asked = match outer {
            // What std's methods take is not declared with all its forms.
            Some((node, fact)) => match (&node.kind, fact.target) {
                (ExprKind::Method(on, ..), _) if *on == at.expr => true,
                (ExprKind::Method(..) | ExprKind::Call(..), target) => {
                    !matches!(target, Some(Target::Library) | None)
                }
                _ => true,
            },
            None => true,
        };
        let ty = self.field_ty(id).filter(|ty| pointee(db, *ty).is_none());
        !asked || ty.is_none_or(|ty| may_be(db, fact.ty, ty))
    }

    /// How a module can name a type of std: by its own name, else by its path.
    fn std_path(&self, module: ModId, name: &str) -> Option<String> {
        let db = self.model.db;
        let of = match name {
            "Box" => "boxed",
            "Arc" => "sync",
            "Vec" => "vec",
            "String" => "string",
            "PathBuf" | "Path" => "path",
            "OsString" | "OsStr" => "ffi",
            _ if name.starts_with("NonZero") => "num",
            _ => "option",
        };
        let leads = |names: &[Name], global| {
            let found = db.resolve(module, global, names, Ns::Type);
            let Ok(Some(found)) = found else { return false };
            match found.def {
                Def::Item(item) if found.used == names.len() => {
                    let data = db.item(item);
                    db.krate_of(data.module) == db.std() && data.item.name == name
                }
                _ => false,
            }
        };
        let krate = db.krate_of(module);
        let short = leads(&[Name::new(name)], false);
        // What a prelude that is not there would give does not count.
        if short && (self.model.has_std(krate) || self.imports(module, name)) {
            return Some(name.to_owned());
        }
        let root = match (of, self.model.has_std(krate)) {
            ("option" | "num", false) => "core",
            _ => self.model.heap(krate)?,
        };
        // `alloc` has no paths and strings of the system.
        if root == "alloc" && matches!(of, "path" | "ffi") {
            return None;
        }
        Some(format!("::{root}::{of}::{name}"))
    }

    /// True if a module brings a name into scope itself.
    fn imports(&self, module: ModId, name: &str) -> bool {
        let db = self.model.db;
        let found = db.lookup(module, Name::new(name), Ns::Type, module);
        found.is_ok_and(|def| def.is_some())
    }

    /// True if a type is `Copy`; none where that is not known.
    fn is_copy(&self, ty: Ty) -> Option<bool> {
        let db = self.model.db;
        Some(match db.types.kind(ty) {
            TyKind::Prim(prim) => *prim != crate::resolve::ty::Prim::Str,
            TyKind::Ref(_, mutable) => !*mutable,
            TyKind::Ptr(..) | TyKind::FnPtr(..) | TyKind::Never => true,
            TyKind::Array(inner, _) => self.is_copy(*inner)?,
            TyKind::Tuple(list) => {
                for part in list.iter() {
                    if !self.is_copy(*part)? {
                        return Some(false);
                    }
                }
                true
            }
            TyKind::Dyn(..) | TyKind::Slice(_) => false,
            TyKind::Adt(item, args) => {
                let data = db.item(*item);
                let by_hand = implements(db, ty, ["crate", "marker", "Copy"]);
                if db.krate_of(data.module) == db.std() {
                    let says = |name| mark(&data.item.attrs, name).is_some();
                    if says("no_copy") {
                        return Some(false);
                    }
                    let mut parts = types_of(args).map(|arg| self.is_copy(arg));
                    return match says("copy") {
                        true => parts.try_fold(true, |all, part| Some(all && part?)),
                        false => None,
                    };
                }
                // What other packages write by hand is not always seen.
                if by_hand || !data.item.attrs.derives("Copy") {
                    let own = db.krate(db.krate_of(data.module)).own;
                    let fields = crate::usage::types::field_types(db, ty);
                    let mut fields = fields.into_iter().flatten();
                    let holds = !by_hand && fields.any(|f| self.is_copy(f) == Some(false));
                    return (by_hand || own || holds).then_some(by_hand);
                }
                // A derive asks the same of each parameter.
                for arg in args.iter() {
                    if let GArg::Ty(arg) = arg
                        && !self.is_copy(*arg)?
                    {
                        return Some(false);
                    }
                }
                true
            }
            _ => return None,
        })
    }
}

impl Work<'_> {
    /// Edits nothing: a field's type is not written as what changes.
    fn without_edits(mut self, span: Span) -> Self {
        self.edits = Edits::default();
        self.leave(span, "names the type in another way");
        self
    }

    fn leave(&mut self, span: Span, why: &'static str) {
        let (span, _) = self.editor.model.db.sources.origin(span);
        self.left.push(Left {
            span,
            why,
            elsewhere: false,
        });
    }

    /// Leaves a place of a file that is code of no build, or of none that is looked at.
    fn leave_unread(&mut self, span: Span, elsewhere: bool) {
        self.left.push(Left {
            span,
            why: "is not read (a test, a macro, or left out by `cfg`)",
            elsewhere,
        });
    }

    /// The place in a real file of what the author wrote there; nothing where a macro wrote it, or
    /// copies it to other places too.
    fn real(&self, span: Span) -> Option<Span> {
        let sources = &self.editor.model.db.sources;
        let (real, written) = sources.origin(span);
        let same = || sources.text(real) == sources.text(span);
        (written && (real == span || same() && !self.editor.copies().are_several(real)))
            .then_some(real)
    }

    fn read(&mut self, id: FieldId, shape: Shape) {
        let events = &self.editor.usage.events;
        for &at in events.named(id) {
            self.used(at, Place::Owned, shape);
        }
        for &(body, pat) in events.bound(id) {
            self.bound(body, pat, shape);
        }
        let Some((variant, field)) = self.editor.field(id) else {
            return;
        };
        let kind = &self.editor.model.db.item(id.adt).item.kind;
        let is_struct = matches!(kind, ItemKind::Adt(adt) if adt.kind == ir::AdtKind::Struct);
        if is_struct && variant.style == Style::Named {
            for &at in events.open(field.name) {
                if self.editor.may_be(id, at) {
                    self.used(at, Place::Guessed, shape);
                }
            }
        }
    }

    fn make(&mut self, id: FieldId, shape: Shape) {
        let events = &self.editor.usage.events;
        for &(at, value) in events.set(id) {
            self.set(at, value, shape);
        }
        for &at in events.uncalled(id.adt, id.variant) {
            self.passed(at, id, shape);
        }
    }
}

/// The place in a real file of a type: what a macro wrote lies in another text for each target.
fn key(model: &Model<'static>, span: Span) -> Span {
    match model.db.sources.origin(span) {
        (real, true) => real,
        _ => span,
    }
}

/// A stretch of a span, by bytes from its start.
fn part(of: Span, range: std::ops::Range<usize>) -> Span {
    Span {
        start: of.start + range.start as u32,
        end: of.start + range.end as u32,
        ..of
    }
}

/// What stands between the angle brackets of a type of this name, if that is all of it.
fn inner(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let open = text.find('<')?;
    let head = text[..open].trim_end();
    let whole = head == name || head.ends_with(&format!("::{name}"));
    let close = text.trim_end().strip_suffix('>')?.len();
    (whole && open < close).then_some(open + 1..close)
}
