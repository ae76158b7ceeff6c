//! Computes the source edits of a remedy: the changed fields' definition and every place that
//! builds, matches or reads them. Places that cannot be edited with certainty are reported.

mod append;
mod attributes;
mod changed;
mod clap;
mod coerced;
mod comment;
mod compare;
mod converted;
mod copies;
mod define;
pub mod docs;
mod error_text;
mod foreign;
mod freeze;
mod from;
mod guessed;
mod imports;
mod join;
mod make;
mod mentions;
mod named;
mod partly;
mod passed;
mod places;
mod reached;
mod reexport;
mod rekeyed;
mod stated;
mod text;
mod unpack;
mod uses;
mod within;
mod words;
mod written;

use crate::finding::{Applicability, Change, Edit, Finding, Fix};
use crate::infer::body::Target;
use crate::ir::body::ExprKind;
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::memo::Memo;
use crate::model::holders::Holders;
use crate::model::{Model, TypeInfo};
use crate::name::Name;
use crate::project::{Crate, CrateId};
use crate::resolve::collect::mark;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::{Def, ItemId, ModId, Ns, Seen};
use crate::span::{FileId, Span};
use crate::usage::Usage;
use crate::usage::body::FieldId;
use crate::usage::events::At;
use crate::usage::types::{implements, may_be, pointee, std_first, std_parts, types_of};
use changed::Changed;
use converted::Converted;
use copies::Copies;
use parking_lot::Mutex;
use places::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use text::{Edits, Files};
use words::Words;

/// At most this many places that are not edited are named; the others are counted.
const MOST_NAMED: usize = 2;

/// Derives that require the same trait of each field and do not depend on the field layout.
const DERIVES: &[&str] = &[
    "Clone",
    "Debug",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// Computes edits for the remedies of a run's findings.
pub struct Editor<'e> {
    model: &'e Model<'static>,
    usage: Usage,
    files: Files,
    /// Fields by the place of their type. One file can belong to several targets, so a place can
    /// identify several fields.
    fields: FxHashMap<Span, Vec<FieldId>>,
    /// Types by definition.
    infos: FxHashMap<ItemId, &'e TypeInfo>,
    /// By body: the parent of each pattern.
    outer: Vec<OnceLock<Vec<Option<crate::ir::body::PatId>>>>,
    words: OnceLock<Words>,
    std_uses: Memo<FileId, Arc<imports::Uses>>,
    copies: OnceLock<Copies>,
    /// The expressions of files that edits change.
    exprs: Memo<FileId, Arc<written::Places>>,
    /// The names given to new structs, by module, with the place of the variant each was made for.
    given: Mutex<FxHashMap<(ModId, String), Span>>,
    /// Names to search for in code whose bodies are not read.
    wanted: FxHashSet<Name>,
    /// Which types hold which by value.
    holders: OnceLock<Holders>,
    /// The crates that are searched: the selected ones, each with its unit tests, and the other
    /// targets of their packages.
    crates: Vec<CrateId>,
}

/// What a field's type is changed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Boxed,
    BoxedInside,
    Frozen(Buffer),
    FrozenInside(Buffer),
    /// The keys of a map.
    Keys(Buffer),
}

impl Shape {
    /// Returns the change to the contents of an `Option`, for the changes that apply to those.
    fn inside(self) -> Option<Shape> {
        match self {
            Shape::BoxedInside => Some(Shape::Boxed),
            Shape::FrozenInside(buffer) => Some(Shape::Frozen(buffer)),
            _ => None,
        }
    }
}

/// A growable buffer of std.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    Vec,
    String,
    PathBuf,
    OsString,
    /// A `String` that becomes an `Arc<str>`.
    Counted,
}

impl Buffer {
    /// Returns the buffer with this type name.
    fn named(name: &str) -> Option<Buffer> {
        Some(match name {
            "Vec" => Buffer::Vec,
            "String" => Buffer::String,
            "PathBuf" => Buffer::PathBuf,
            "OsString" => Buffer::OsString,
            _ => return None,
        })
    }

    /// Returns the name of the growable type.
    fn name(self) -> &'static str {
        match self {
            Buffer::Vec => "Vec",
            Buffer::String | Buffer::Counted => "String",
            Buffer::PathBuf => "PathBuf",
            Buffer::OsString => "OsString",
        }
    }

    /// Returns the name of the pointer that replaces it.
    fn pointer(self) -> &'static str {
        match self {
            Buffer::Counted => "Arc",
            _ => "Box",
        }
    }

    /// Returns the method of the slice that makes a growable copy, and the call that turns the
    /// boxed slice back into the buffer.
    fn owner(self) -> (&'static str, &'static str) {
        match self {
            Buffer::Vec => ("to_vec", ".into_vec()"),
            Buffer::String => ("to_string", ".into_string()"),
            Buffer::PathBuf => ("to_path_buf", ".into_path_buf()"),
            Buffer::OsString => ("to_os_string", ".into_os_string()"),
            Buffer::Counted => ("to_string", ".to_string()"),
        }
    }

    /// Returns the method of the buffer that makes the boxed slice.
    fn freeze(self) -> &'static str {
        match self {
            Buffer::Vec => "into_boxed_slice",
            Buffer::String | Buffer::Counted => "into_boxed_str",
            Buffer::PathBuf => "into_boxed_path",
            Buffer::OsString => "into_boxed_os_str",
        }
    }
}

/// A place that is not edited, and the reason, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Left {
    span: Span,
    why: &'static str,
    /// Why the edits are not to be tried: no compiler here tells that they are wrong.
    elsewhere: Option<&'static str>,
}

/// The edits of one remedy, while they are computed.
struct Work<'e> {
    editor: &'e Editor<'e>,
    edits: Edits,
    left: Vec<Left>,
    /// False if an edit may not compile.
    certain: bool,
    /// Expressions that have the new type without an edit. A field that is set to one of them needs
    /// no conversion.
    carried: FxHashSet<At>,
    /// Expressions that changed fields are set to.
    sets: FxHashSet<At>,
    /// The changed fields, with their change.
    changed: FxHashMap<FieldId, Shape>,
    /// Variables, by body, that are declared with the new type.
    followed: FxHashSet<(usize, u32)>,
    /// Values that an `impl` may box, by that which gives them without a box.
    converted: BTreeMap<(ItemId, Ty), Vec<Converted>>,
}

impl<'e> Editor<'e> {
    /// Prepares for the remedies of these findings.
    pub fn new<'f>(
        model: &'e Model<'static>,
        findings: impl Iterator<Item = &'f Finding>,
    ) -> Editor<'e> {
        let remedies = findings.flat_map(|finding| &finding.remedies);
        let changed = Changed::find(model, remedies);
        let infos = model.types().iter().map(|info| (info.item, info));
        let usage = changed.usage(model.db);
        Editor {
            model,
            files: Files::default(),
            wanted: changed.wanted(),
            holders: OnceLock::new(),
            crates: changed.crates.clone(),
            fields: changed.fields,
            infos: infos.collect(),
            outer: usage.bodies.iter().map(|_| OnceLock::new()).collect(),
            usage,
            words: OnceLock::new(),
            std_uses: Memo::default(),
            copies: OnceLock::new(),
            exprs: Memo::default(),
            given: Mutex::default(),
        }
    }

    /// Adds edits to the remedies of a finding, except to remedies that a census shows to cost
    /// memory. Of several complete remedies only the first is machine-applicable, because tools
    /// apply every machine-applicable suggestion.
    pub fn complete(&self, finding: &mut Finding) {
        let mut applied = false;
        let mut notes = Vec::new();
        for (n, remedy) in finding.remedies.iter_mut().enumerate() {
            if remedy.change.is_empty() {
                continue;
            }
            remedy.fix = None;
            // The census shows that the remedy costs memory.
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
            // The build script would write the file again.
            if let Some(edit) = edits.iter().find(|e| self.is_generated(e.span.file)) {
                let (file, line) = self.place(edit.span);
                let note = format!("not edited: {file}:{line} is generated by a build script");
                notes.extend((n == 0).then_some(note));
                continue;
            }
            let edits = self.by_hand(edits);
            let applicability = match complete && !applied {
                true => Applicability::MachineApplicable,
                false => Applicability::MaybeIncorrect,
            };
            applied |= complete;
            remedy.fix = Some(Box::new(Fix {
                edits,
                applicability,
                elsewhere: work.left.iter().find_map(|l| {
                    let (file, line) = self.place(l.span);
                    Some(format!("{file}:{line} {}", l.elsewhere?))
                }),
                left,
            }));
        }
        if !applied {
            let partly = self.partly(finding);
            finding.remedies.extend(partly);
        }
        finding.notes.extend(notes);
    }

    /// Returns sorted edits as a person makes them.
    fn by_hand(&self, edits: Vec<Edit>) -> Vec<Edit> {
        self.with_short_names(self.with_imports(self.as_written(edits)))
    }

    /// Returns a one-line note about the places that are not edited.
    fn not_edited(&self, left: &[Left]) -> Option<String> {
        if left.is_empty() {
            return None;
        }
        let places = left.iter().map(|l| {
            let (file, line) = self.place(l.span);
            format!("{file}:{line} {}", l.why)
        });
        let mut named: Vec<_> = places.collect();
        // The places are sorted.
        named.dedup();
        let count = named.len();
        named.truncate(MOST_NAMED);
        let more = match count - named.len() {
            0 => String::new(),
            1 => ", and 1 more place".to_owned(),
            n => format!(", and {n} more places"),
        };
        Some(format!("not edited: {}{more}", named.join(", ")))
    }

    /// Returns true for a file in the target folder, or in the output folder of a build script.
    fn is_generated(&self, file: FileId) -> bool {
        let db = self.model.db;
        let path = &db.sources.get(file).path;
        let crates = db.project.crates.iter();
        let mut written = crates.filter_map(Crate::written_by_script);
        let target = &db.project.target_dir;
        // The copy that `fix` reads again lies in a target folder.
        let is_copy = db.project.workspace_root.starts_with(target);
        path.starts_with(target) && !is_copy || written.any(|folder| path.starts_with(folder))
    }

    fn copies(&self) -> &Copies {
        let sources = &self.model.db.sources;
        self.copies.get_or_init(|| Copies::find(sources))
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| Words::find(self))
    }

    /// Returns the path relative to the workspace and the line.
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
            converted: BTreeMap::new(),
        }
    }

    /// Handles changes that are not supported: no edits, and each changed field is reported.
    fn untouched(&self, changes: &[Change]) -> Work<'_> {
        let mut work = self.begin();
        for span in changes.iter().flat_map(Change::fields) {
            work.leave(span, "is not in a form that can be edited");
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
                Change::Appended(format, function) => {
                    work.append(*format, *function)?;
                    continue;
                }
                Change::Boxed(span) => (*span, Some(Shape::Boxed)),
                Change::BoxedInside(span) => (*span, Some(Shape::BoxedInside)),
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
                Change::FrozenKeys(span) => {
                    let key = |ty| std_parts(db, ty).and_then(|(_, args)| types_of(args).next());
                    (*span, self.buffer(*span, key).map(Shape::Keys))
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
            let set = self.usage.events.set.of(id).iter();
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
        work.write_converted();
        let ids: Vec<FieldId> = fields.iter().map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            work.outside(&ids);
        }
        Some(work)
    }

    /// Returns the buffer that a field holds; `part` selects the part of the field's type that is
    /// asked about.
    fn buffer(&self, span: Span, part: impl Fn(Ty) -> Option<Ty>) -> Option<Buffer> {
        let mut ids = self.fields.get(&key(self.model, span))?.iter();
        let id = ids.find(|id| self.infos.contains_key(&id.adt))?;
        let (name, _) = std_parts(self.model.db, part(self.field_ty(*id)?)?)?;
        Buffer::named(name)
    }

    /// Returns the definition of a field.
    fn field(&self, id: FieldId) -> Option<(&'static ir::Variant, &'static ir::Field)> {
        let ItemKind::Adt(adt) = &self.model.db.item(id.adt).item.kind else {
            return None;
        };
        let variant = adt.variants.get(id.variant as usize)?;
        Some((variant, variant.fields.get(id.field as usize)?))
    }

    /// Returns the type of a field, with the type's own parameters.
    fn field_ty(&self, id: FieldId) -> Option<Ty> {
        let info = self.infos.get(&id.adt)?;
        let types = crate::usage::types::field_types(self.model.db, info.ty);
        let of_variant = types.get(id.variant as usize)?;
        of_variant.get(id.field as usize).copied()
    }

    /// Returns where a field can be named. A variant's fields can be named wherever the enum can.
    fn seen(&self, id: FieldId) -> Option<Seen> {
        let db = self.model.db;
        let data = db.item(id.adt);
        let (_, field) = self.field(id)?;
        let is_enum = matches!(&data.item.kind, ItemKind::Adt(adt) if adt.kind == AdtKind::Enum);
        let vis = if is_enum { &data.item.vis } else { &field.vis };
        Some(db.seen(data.module, vis))
    }

    /// Returns true if a field access on a receiver of unknown type can mean this field: the field
    /// is visible there, and the context does not require another type.
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
            // The declarations of std's methods do not list every accepted type.
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

    /// Returns how a module can name a type of std: the short name if it is in scope, otherwise the
    /// full path.
    fn std_path(&self, module: ModId, name: &str) -> Option<String> {
        let db = self.model.db;
        let of = match name {
            "Box" => "boxed",
            "Arc" => "sync",
            "Vec" => "vec",
            "String" => "string",
            "PathBuf" | "Path" => "path",
            "OsString" | "OsStr" => "ffi",
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
        let steady = self
            .model
            .steady_heap(krate, &self.model.conditions(module));
        // Without `std` the prelude does not provide the name, so an import is required.
        let is_given = steady == Some("std") || of == "option";
        if short && (is_given || self.imports(module, name)) {
            return Some(name.to_owned());
        }
        let root = match (of, steady) {
            ("option", Some("std")) => "std",
            ("option", _) => "core",
            // The code around has what it allocates with.
            _ => match self.model.names_alloc(krate) {
                true if steady != Some("std") && !matches!(of, "path" | "ffi") => "alloc",
                _ => self.model.heap(krate)?,
            },
        };
        // `alloc` has no path and OS string types.
        if root == "alloc" && matches!(of, "path" | "ffi") {
            return None;
        }
        Some(format!("::{root}::{of}::{name}"))
    }

    /// Returns true if a module imports or defines a name; a block has the names of what is around.
    fn imports(&self, module: ModId, name: &str) -> bool {
        let db = self.model.db;
        let outer = |m: &ModId| db.module(*m).parent.filter(|_| db.module(*m).block);
        let mut around = std::iter::successors(Some(module), outer);
        around.any(|m| {
            let found = db.lookup(m, Name::new(name), Ns::Type, module);
            found.is_ok_and(|def| def.is_some())
        })
    }

    /// Returns whether a type is `Copy`; none if unknown.
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
                // Manual impls of other packages are not always read.
                if by_hand || !data.item.attrs.derives("Copy") {
                    let own = db.krate(db.krate_of(data.module)).own;
                    let fields = crate::usage::types::field_types(db, ty);
                    let mut fields = fields.into_iter().flatten();
                    let holds = !by_hand && fields.any(|f| self.is_copy(f) == Some(false));
                    return (by_hand || own || holds).then_some(by_hand);
                }
                // `derive(Copy)` requires `Copy` of each type parameter.
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
    /// Discards all edits: the field's type is written in a form that is not supported.
    fn without_edits(mut self, span: Span) -> Self {
        self.edits = Edits::default();
        self.leave(span, "writes the type in an unsupported form");
        self
    }

    fn leave(&mut self, span: Span, why: &'static str) {
        let (span, _) = self.editor.model.db.sources.origin(span);
        self.left.push(Left {
            span,
            why,
            elsewhere: None,
        });
    }

    /// Reports a place for which the edits are not to be tried.
    fn leave_out(&mut self, span: Span, why: &'static str) {
        let (span, _) = self.editor.model.db.sources.origin(span);
        let elsewhere = Some(why);
        self.left.push(Left {
            span,
            why,
            elsewhere,
        });
    }

    /// Reports a place in a file that is not compiled, or not read.
    fn leave_unread(&mut self, span: Span, elsewhere: bool) {
        self.left.push(Left {
            span,
            why: "is not analysed (a macro, or code that this build does not compile)",
            elsewhere: elsewhere
                .then_some("needs an edit, and may be compiled by another build only"),
        });
    }

    /// Returns the place in a real file of code that the author wrote once; none for code that a
    /// macro generated or duplicates.
    fn real(&self, span: Span) -> Option<Span> {
        let sources = &self.editor.model.db.sources;
        let (real, written) = sources.origin(span);
        let same = || sources.text(real) == sources.text(span);
        (written && (real == span || same() && !self.editor.copies().are_several(real)))
            .then_some(real)
    }

    fn read(&mut self, id: FieldId, shape: Shape) {
        let events = &self.editor.usage.events;
        for &at in events.named.of(&id) {
            self.used(at, Place::Owned, shape);
        }
        for &(body, pat) in events.bound.of(&id) {
            self.bound(body, pat, shape);
        }
        let Some((variant, field)) = self.editor.field(id) else {
            return;
        };
        let kind = &self.editor.model.db.item(id.adt).item.kind;
        let is_struct = matches!(kind, ItemKind::Adt(adt) if adt.kind == ir::AdtKind::Struct);
        if is_struct {
            for &at in events.open.of(&field.name) {
                if self.editor.may_be(id, at)
                    && (variant.style == Style::Named || self.mentions_type(id, at))
                {
                    self.used(at, Place::Guessed, shape);
                }
            }
        }
    }

    /// Returns true if the function around an expression mentions a field's type. Most tuples have
    /// a field of the same index as a tuple struct.
    fn mentions_type(&self, id: FieldId, at: At) -> bool {
        let db = self.editor.model.db;
        let span = db.item(self.typed(at.body).function.item).item.span;
        let source = db.sources.get(span.file);
        imports::has_word(
            &source.text[span.range()],
            db.item(id.adt).item.name.as_str(),
        )
    }

    fn make(&mut self, id: FieldId, shape: Shape) {
        let events = &self.editor.usage.events;
        for &(at, value) in events.set.of(&id) {
            self.set(at, value, shape);
        }
        for &at in events.uncalled.of(&(id.adt, id.variant)) {
            self.passed(at, id, shape);
        }
    }
}

/// Returns the place of a type in a real file. The output of a macro is a separate text for each
/// target.
fn key(model: &Model<'static>, span: Span) -> Span {
    match model.db.sources.origin(span) {
        (real, true) => real,
        _ => span,
    }
}

/// Returns a part of a span, by byte offsets from its start.
fn part(of: Span, range: std::ops::Range<usize>) -> Span {
    Span {
        start: of.start + range.start as u32,
        end: of.start + range.end as u32,
        ..of
    }
}

/// Returns the range between the angle brackets of a type with this name, if the whole text is that
/// type.
fn inner(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let open = text.find('<')?;
    let head = text[..open].trim_end();
    let whole = head == name || head.ends_with(&format!("::{name}"));
    let close = text.trim_end().strip_suffix('>')?.len();
    (whole && open < close).then_some(open + 1..close)
}
