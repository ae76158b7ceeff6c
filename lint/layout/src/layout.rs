//! Exact layouts: computes rustc's own layout of a type, or why it is unknown.
//!
//! `rustc_abi` is named here and below, nowhere else. All arithmetic is done by its calculator;
//! this module does what rustc's query around the calculator does.

pub(crate) mod adt;
mod bound;
pub mod coroutine;
pub mod outline;
mod repr;
mod scalar;
mod tag;
pub mod view;

use crate::budget::{self, Purse};
use crate::ir::AdtKind;
use crate::memo::{Local, Numbered};
use crate::name::Name;
use crate::project::Standing;
use crate::resolve::cfg::MAX_ATOMS;
use crate::resolve::doubt::Rests;
use crate::resolve::tail::Tail;
use crate::resolve::ty::{Const, Ty, TyKind};
use crate::resolve::{Db, ItemId, Res, Unknown};
use crate::target::Target;
use bound::Bound;
use parking_lot::{Mutex, RwLock};
use ra_ap_rustc_abi as abi;
use ra_ap_rustc_abi::{FieldIdx, LayoutCalculator, LayoutData, TargetDataLayout, VariantIdx};
use ra_ap_rustc_index::IndexVec;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::ops::Deref;
use std::thread::panicking;

/// A layout as rustc's calculator returns it.
pub type Data = LayoutData<FieldIdx, VariantIdx>;

/// A layout that lives as long as its [`Layouts`].
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a>(&'a Data);

impl<'a> Deref for Layout<'a> {
    type Target = &'a Data;
    fn deref(&self) -> &&'a Data {
        &self.0
    }
}

/// Size and alignment of a type, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Size of a value, in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// Interned layouts, which live until the process ends: most types share a layout with others, as
/// do hypothetical ones.
#[derive(Default)]
pub struct LayoutArena {
    data: boxcar::Vec<Data>,
    /// Index of the first layout of each hash.
    places: Mutex<FxHashMap<u64, usize>>,
}

impl LayoutArena {
    fn keep(&self, data: Data) -> &Data {
        let hash = FxBuildHasher.hash_one(&data);
        let place = match self.places.lock().entry(hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                return &self.data[*new.insert(self.data.push(data))];
            }
        };
        match &self.data[place] {
            same if *same == data => same,
            _ => &self.data[self.data.push(data)],
        }
    }
}

/// One result and the assumptions that it depends on.
struct Cached<'a> {
    rests: Rests,
    result: Res<Layout<'a>>,
}

/// The cached results for a type: nearly always one without assumptions.
#[derive(Default)]
struct Answers<'a> {
    plain: Option<Layout<'a>>,
    /// Results that depend on assumptions, and errors.
    others: Box<[Cached<'a>]>,
}

impl<'a> Answers<'a> {
    fn keep(&mut self, answer: Cached<'a>) {
        match answer {
            Cached {
                rests,
                result: Ok(layout),
            } if rests.is_empty() => {
                self.plain.get_or_insert(layout);
            }
            other => {
                let others = std::mem::take(&mut self.others).into_iter();
                self.others = others.chain([other]).collect();
            }
        }
    }

    /// Returns the result that holds under the current assumptions.
    fn get(&self, db: &Db<'a>) -> Option<Res<Layout<'a>>> {
        if let Some(layout) = self.plain {
            return Some(Ok(layout));
        }
        let hit = self.others.iter().find(|c| db.agrees(&c.rests))?;
        db.note_reads(&hit.rests);
        Some(hit.result.clone())
    }
}

/// A hypothetical change of definitions: fields of types replaced by other types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhatIf {
    /// The new type by type, variant index and field index; `None` removes the field.
    pub fields: FxHashMap<(ItemId, usize, usize), Option<Ty>>,
}

/// The layout calculator for one target, with its cache.
pub struct Layouts<'a> {
    arena: &'a LayoutArena,
    calc: LayoutCalculator<TargetDataLayout>,
    known: RwLock<Known<'a>>,
    /// State of each thread.
    walk: Local<Walk<'a>>,
    /// Definitions of std, by path, whose layout in this release is unknown.
    doubted: FxHashSet<String>,
    /// Types of unknown size visited for lower bounds.
    bounds: Purse,
}

/// The cached results in order: the layout of a type is younger than those of its parts.
#[derive(Default)]
struct Known<'a> {
    types: Numbered<Laid<'a>>,
    /// Number of layouts so far.
    age: u32,
    /// When the first instance of each definition was laid out.
    first: FxHashMap<ItemId, u32>,
}

/// The cached results for one type.
#[derive(Default)]
struct Laid<'a> {
    answers: Answers<'a>,
    /// Its parts, one level deep.
    parts: Box<[Ty]>,
    /// When it was laid out, or first failed to be; 0 if neither.
    age: u32,
    /// One of the results is a layout.
    known: bool,
}

impl<'a> Known<'a> {
    /// Returns the cached results for a type, if any.
    fn of(&self, ty: Ty) -> Option<&Laid<'a>> {
        self.types.get(ty.number()).filter(|laid| laid.age > 0)
    }

    fn keep(&mut self, db: &Db<'a>, ty: Ty, parts: Vec<Ty>, answer: Cached<'a>) {
        self.age += 1;
        let laid = self.types.at(ty.number());
        let is_known = answer.result.is_ok();
        laid.answers.keep(answer);
        // A failure that one of its parts caused does not list the rest.
        if is_known || !laid.known {
            laid.parts = parts.into();
        }
        // If two threads computed it, the first counts: types that hold it may be older than the
        // second.
        if laid.age == 0 || is_known && !laid.known {
            laid.age = self.age;
        }
        laid.known |= is_known;
        if let TyKind::Adt(id, _) = db.types.kind(ty) {
            self.first.entry(*id).or_insert(self.age);
        }
    }
}

/// State of one thread.
#[derive(Default)]
struct Walk<'a> {
    /// Types whose layout is being computed, to detect recursive ones, each with the parts found so
    /// far.
    stack: RefCell<Vec<(Ty, Vec<Ty>)>>,
    depth: Cell<u32>,
    what_if: RefCell<Option<Hypothesis<'a>>>,
    /// The last hypothesis: one change is usually applied to several types in a row.
    last: RefCell<Option<Hypothesis<'a>>>,
}

/// An active hypothesis.
struct Hypothesis<'a> {
    change: WhatIf,
    /// Types whose definition is changed.
    items: FxHashSet<ItemId>,
    /// When the first of them was laid out; computed on first use.
    oldest: Option<u32>,
    /// Whether each type holds one of those by value.
    touched: FxHashMap<Ty, bool>,
    /// Layouts that differ under the change.
    answers: FxHashMap<Ty, Answers<'a>>,
}

/// The calculator's description of a target.
fn data_layout(target: &Target) -> Result<TargetDataLayout, String> {
    let llvm = &target.layout.llvm;
    let mut dl = TargetDataLayout::parse_from_llvm_datalayout_string(llvm, abi::AddressSpace::ZERO)
        .map_err(|_| {
            format!(
                "the data layout of target {} is not understood",
                target.triple
            )
        })?;
    dl.c_enum_min_size = match target.layout.c_enum_min_bits {
        8 => abi::Integer::I8,
        16 => abi::Integer::I16,
        _ => abi::Integer::I32,
    };
    Ok(dl)
}

impl<'a> Layouts<'a> {
    /// Makes a calculator for the project's target.
    ///
    /// # Errors
    /// Fails if the target's data layout cannot be parsed.
    pub fn new(db: &Db<'a>, arena: &'a LayoutArena) -> Result<Layouts<'a>, String> {
        let dl = data_layout(&db.project.target)?;
        Ok(Layouts {
            arena,
            calc: LayoutCalculator::new(dl),
            known: RwLock::default(),
            walk: Local::default(),
            doubted: FxHashSet::default(),
            bounds: Purse::new(budget::BOUNDS),
        })
    }

    /// Marks the layouts of these definitions of std, by path, as unknown.
    pub fn doubt<'p>(&mut self, paths: impl IntoIterator<Item = &'p String>) {
        self.doubted.extend(paths.into_iter().cloned());
    }

    /// Returns the transitive parts of a type, as far as its layout was computed.
    pub fn parts_of(&self, ty: Ty) -> Vec<Ty> {
        let known = self.known.read();
        let below = |ty: &Ty| known.of(*ty).map_or(&[][..], |laid| &laid.parts).to_vec();
        let mut list = below(&ty);
        let mut seen: FxHashSet<Ty> = list.iter().copied().collect();
        let mut next = 0;
        while let Some(part) = list.get(next) {
            list.extend(below(part).into_iter().filter(|p| seen.insert(*p)));
            next += 1;
        }
        list
    }

    /// Lets constant expressions query sizes and offsets.
    pub fn serve(&'a self, db: &Db<'a>) {
        let hook = move |db: &Db<'a>, ty| {
            let extent = self.extent(db, ty)?;
            Ok((extent.size, extent.align))
        };
        // A second call would set the same hook.
        let _ = db.size_of.set(Box::new(hook));
        let hook = move |db: &Db<'a>, ty, fields: &[Name]| self.offset(db, ty, fields);
        let _ = db.offset_of.set(Box::new(hook));
    }

    /// Returns the offset of a possibly nested field of a struct, tuple or union, in bytes.
    fn offset(&self, db: &Db<'a>, ty: Ty, fields: &[Name]) -> Res<u64> {
        let mut at = 0;
        let mut ty = ty;
        for name in fields {
            let view = self.view(db, ty)?;
            let field = match (&view.kind, &view.variants[..]) {
                (Some(AdtKind::Enum), _) => None,
                (_, [only]) => only.fields.iter().find(|f| f.name == *name),
                _ => None,
            };
            let why = || Unknown::because(format!("no field `{name}` to take the offset of"));
            let field = field.ok_or_else(why)?;
            at += field.offset;
            ty = field.ty;
        }
        Ok(at)
    }

    /// Runs `f` with changed definitions.
    pub fn what_if<T>(&self, change: WhatIf, f: impl FnOnce() -> T) -> T {
        let walk = &*self.walk;
        let last = walk.last.take().filter(|last| last.change == change);
        let hypothesis = last.unwrap_or_else(|| Hypothesis {
            oldest: None,
            items: change.fields.keys().map(|(item, ..)| *item).collect(),
            change,
            touched: FxHashMap::default(),
            answers: FxHashMap::default(),
        });
        /// Restores the outer hypothesis, after a panic too.
        struct Around<'q, 'a>(&'q Walk<'a>, Option<Hypothesis<'a>>);
        impl Drop for Around<'_, '_> {
            fn drop(&mut self) {
                let asked = self.0.what_if.replace(self.1.take());
                self.0.last.replace(asked.filter(|_| !panicking()));
            }
        }
        let around = walk.what_if.replace(Some(hypothesis));
        let _around = Around(walk, around);
        f()
    }

    /// Returns true if the active hypothesis changes a type: its definition is changed, or it holds
    /// one of those by value as far as known.
    fn is_touched(&self, db: &Db<'a>, walk: &Walk<'a>, ty: Ty) -> bool {
        let mut what_if = walk.what_if.borrow_mut();
        let Some(hypothesis) = what_if.as_mut() else {
            return false;
        };
        touches(db, &self.known.read(), hypothesis, ty)
    }

    /// Returns the size and alignment of a type.
    ///
    /// # Errors
    /// Returns the reason if they are unknown.
    pub fn extent(&self, db: &Db<'a>, ty: Ty) -> Res<Extent> {
        let layout = match self.of(db, ty) {
            Ok(layout) => layout,
            Err(why) => return self.extent_by_repr(db, ty).ok_or(why),
        };
        if layout.is_unsized() {
            return Err(Unknown::Unsized);
        }
        Ok(Extent {
            size: layout.size.bytes(),
            align: layout.align.bytes(),
        })
    }

    /// Returns the layout of a type.
    ///
    /// # Errors
    /// Returns the reason if it is unknown.
    pub fn of(&self, db: &Db<'a>, ty: Ty) -> Res<Layout<'a>> {
        let walk = &*self.walk;
        if let Some((_, parts)) = walk.stack.borrow_mut().last_mut() {
            parts.push(ty);
        }
        let touched = self.is_touched(db, walk, ty);
        if let Some(hit) = self.answered(db, walk, ty, touched) {
            return hit;
        }
        let depth = walk.stack.borrow().len();
        if walk.stack.borrow().iter().any(|(t, _)| *t == ty) {
            let why = format!("`{}` holds itself by value", db.display(ty));
            return Err(Unknown::Invalid(why.into()));
        }
        if walk.depth.get() > budget::VALUES {
            return Err(Unknown::because("the type is nested too deep"));
        }
        walk.depth.set(walk.depth.get() + 1);
        walk.stack.borrow_mut().push((ty, Vec::new()));
        let (result, rests) = db.recording(|| match depth {
            0 => {
                let work = || format!("laying out `{}`", db.display(ty));
                let result = db.guarded(work, || self.attempt(db, ty));
                result.unwrap_or_else(|| {
                    walk.depth.set(1);
                    walk.stack.borrow_mut().truncate(1);
                    Err(Unknown::because("a bug in cargo-weigh hides it"))
                })
            }
            _ => self.attempt(db, ty),
        });
        let (_, parts) = walk.stack.borrow_mut().pop().unwrap_or((ty, Vec::new()));
        walk.depth.set(walk.depth.get() - 1);
        // An error of a part of a recursive type may be due to the cycle: it is not cached.
        let final_ = !matches!(result, Err(Unknown::Invalid(_))) || walk.stack.borrow().is_empty();
        if final_ {
            let answer = Cached {
                rests,
                result: result.clone(),
            };
            match (touched, walk.what_if.borrow_mut().as_mut()) {
                (true, Some(h)) => h.answers.entry(ty).or_default().keep(answer),
                // A type seen for the first time may hold a changed one, which is known only now.
                (false, Some(h)) if parts.iter().any(|p| h.touched.get(p) == Some(&true)) => {
                    h.touched.insert(ty, true);
                    h.answers.entry(ty).or_default().keep(answer);
                }
                _ => self.known.write().keep(db, ty, parts, answer),
            }
        }
        result
    }

    fn answered(
        &self,
        db: &Db<'a>,
        walk: &Walk<'a>,
        ty: Ty,
        touched: bool,
    ) -> Option<Res<Layout<'a>>> {
        match (touched, walk.what_if.borrow().as_ref()) {
            (true, Some(h)) => h.answers.get(&ty)?.get(db),
            _ => self.known.read().of(ty)?.answers.get(db),
        }
    }

    /// Computes a layout; if it depends on an unresolved `cfg`, once for each value of it, and the
    /// results must agree.
    fn attempt(&self, db: &Db<'a>, ty: Ty) -> Res<Layout<'a>> {
        let result = self.compute(db, ty);
        let Err(Unknown::Atom(atom)) = result else {
            return result;
        };
        if db.is_assumed(atom) {
            // The type was cached before that assumption: the caller must retry.
            return Err(Unknown::Atom(atom));
        }
        if db.assumed() >= MAX_ATOMS {
            return Err(Unknown::because("more than six open `cfg`s decide"));
        }
        let yes = db.assume(atom, true, || self.attempt(db, ty));
        let no = db.assume(atom, false, || self.attempt(db, ty));
        match (yes, no) {
            (Ok(a), Ok(b)) if same(&a, &b) => Ok(a),
            (Err(Unknown::Atom(a)), _) | (_, Err(Unknown::Atom(a))) if a != atom => {
                Err(Unknown::Atom(a))
            }
            (Err(a), Err(b)) if a == b => Err(a),
            _ => Err(Unknown::Atom(atom)),
        }
    }

    fn compute(&self, db: &Db<'a>, ty: Ty) -> Res<Layout<'a>> {
        if let Standing::Foreign(_) = &db.project.release.standing {
            let why = format!(
                "rustc {} lays types out in another way",
                db.project.release.version
            );
            return Err(Unknown::because(why));
        }
        let dl = &self.calc.cx;
        let data = match db.types.kind(ty) {
            TyKind::Prim(prim) => scalar::prim(dl, *prim),
            TyKind::Never => Data::never_type(dl),
            TyKind::Ref(to, _) => self.pointer(db, *to, true)?,
            TyKind::Ptr(to, _) => self.pointer(db, *to, false)?,
            TyKind::FnPtr(..) => Data::scalar(dl, scalar::pointer(dl, true)),
            TyKind::Slice(_) | TyKind::Dyn(..) | TyKind::Foreign(_) => scalar::unsized_tail(dl),
            TyKind::Array(element, len) => {
                let len = match len {
                    Const::Value(n) => u64::try_from(*n)
                        .map_err(|_| Unknown::Invalid("an array of negative length".into()))?,
                    Const::Param(name) => return Err(Unknown::Generic(*name)),
                    Const::Unknown(why) => return Err(why.clone()),
                    Const::Infer(_) => return Err(Unknown::because("an array length left open")),
                };
                let element = self.of(db, *element)?;
                self.calc
                    .array_like(&element, Some(len))
                    .map_err(|e| adt::error::<Layout>(db, ty, &e))?
            }
            TyKind::Tuple(list) => {
                let fields: IndexVec<FieldIdx, Layout<'a>> =
                    list.iter().map(|t| self.of(db, *t)).collect::<Res<_>>()?;
                // As in rustc: a tuple's last field stays last, for it may be unsized elsewhere.
                let kind = match list.len() {
                    0 => abi::StructKind::AlwaysSized,
                    _ => abi::StructKind::MaybeUnsized,
                };
                self.calc
                    .univariant(&fields, &abi::ReprOptions::default(), kind)
                    .map_err(|e| adt::error(db, ty, &e))?
            }
            TyKind::Adt(id, args) => {
                if let Some(plain) = db.laid_out_as(*id, args)
                    && let Ok(layout) = self.of(db, plain)
                {
                    return Ok(layout);
                }
                self.adt(db, ty, *id)?
            }
            TyKind::Param(name, ..) | TyKind::Proj(_, _, name, _) => {
                return Err(Unknown::Generic(*name));
            }
            TyKind::Infer(_) | TyKind::Written(_) => {
                return Err(Unknown::because("a type left open"));
            }
            TyKind::Unknown(why) => return Err(why.clone()),
        };
        Ok(self.keep(data))
    }

    fn keep(&self, data: Data) -> Layout<'a> {
        Layout(self.arena.keep(data))
    }

    /// Returns a pointer's layout: thin, or with a length or vtable.
    fn pointer(&self, db: &Db<'a>, to: Ty, non_null: bool) -> Res<Data> {
        let dl = &self.calc.cx;
        let thin = scalar::pointer(dl, non_null);
        Ok(match db.tail(to)? {
            Tail::Sized | Tail::Foreign => Data::scalar(dl, thin),
            Tail::Slice => Data::scalar_pair(dl, thin, scalar::length(dl)),
            Tail::Dyn => Data::scalar_pair(dl, thin, scalar::pointer(dl, true)),
        })
    }

    /// Returns a lower bound for the size of a type, in bytes: the size if it is known, otherwise
    /// the sum of the fields' bounds, or the largest variant's for an enum.
    pub fn min_size(&self, db: &Db<'a>, ty: Ty) -> u64 {
        self.bounds.begin(0);
        Bound::new(self, db).of(ty)
    }

    /// Returns true unless every variant is known to be inhabited.
    fn may_be_uninhabited(&self, db: &Db<'a>, shape: &adt::Shape) -> bool {
        let fields = shape.variants.iter().flat_map(|v| &v.fields);
        fields
            .into_iter()
            .any(|f| self.of(db, f.ty).map_or(true, |l| l.is_uninhabited()))
    }

    /// Describes in words why something is unknown.
    pub fn reason(&self, db: &Db<'a>, why: &Unknown) -> String {
        match why {
            Unknown::Atom(atom) => format!("depends on {}", db.atom_text(*atom)),
            Unknown::Generic(name) => format!("depends on the generic parameter `{name}`"),
            Unknown::Unsized => "the type is unsized".to_owned(),
            Unknown::Invalid(text) | Unknown::Because(text) => text.to_string(),
        }
    }
}

/// Returns true if a type is, or holds by value, one whose definition is changed. A type without a
/// computed layout counts as untouched; its parts are checked when it is laid out.
fn touches(db: &Db, known: &Known, hypothesis: &mut Hypothesis, ty: Ty) -> bool {
    if let Some(&touched) = hypothesis.touched.get(&ty) {
        return touched;
    }
    if let TyKind::Adt(id, _) = db.types.kind(ty)
        && hypothesis.items.contains(id)
    {
        hypothesis.touched.insert(ty, true);
        return true;
    }
    let Some(laid) = known.of(ty) else {
        return false;
    };
    // A type older than all changed ones holds none of them: chains of types are not followed.
    let items = &hypothesis.items;
    let oldest = *hypothesis.oldest.get_or_insert_with(|| {
        let first = items.iter().map(|item| known.first.get(item));
        first
            .map(|age| age.copied().unwrap_or(0))
            .min()
            .unwrap_or(0)
    });
    if laid.age < oldest {
        return false;
    }
    // Breaks the cycle of a recursive type, which has no layout to change.
    hypothesis.touched.insert(ty, false);
    let found = laid
        .parts
        .iter()
        .any(|p| touches(db, known, hypothesis, *p));
    hypothesis.touched.insert(ty, found);
    found
}

/// Returns true if two layouts are the same for every type that holds them; signs do not matter.
fn same(a: &Data, b: &Data) -> bool {
    let niche = |d: &Data| {
        let niche = d.largest_niche?;
        Some((
            niche.offset,
            scalar::unsigned(niche.value),
            niche.valid_range,
        ))
    };
    a.size == b.size
        && a.align == b.align
        && niche(a) == niche(b)
        && scalar::unsigned_repr(a.backend_repr) == scalar::unsigned_repr(b.backend_repr)
        && a.uninhabited == b.uninhabited
        && a.max_repr_align == b.max_repr_align
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_is_kept_once() {
        let dl = TargetDataLayout::default();
        let arena = LayoutArena::default();
        let never: *const Data = arena.keep(Data::never_type(&dl));
        let pointer = || Data::scalar(&dl, scalar::pointer(&dl, true));
        let first: *const Data = arena.keep(pointer());
        let again: *const Data = arena.keep(pointer());
        assert!(std::ptr::eq(first, again) && !std::ptr::eq(first, never));
        assert_eq!(arena.data.count(), 2);
    }
}
