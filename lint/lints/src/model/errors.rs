//! Error types that make the `Result`s of functions large, and what makes them smaller.

use super::boxing::{Ask, BATCH, BoxOf, Boxing, Oversized};
use super::holders::Holders;
use super::{Model, TypeInfo};
use crate::config::Thresholds;
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::resolve::ItemId;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::spread::spread;
use crate::usage::Usage;
use crate::usage::body::Typed;
use crate::usage::types::{adt_of, field_types, pointee, std_parts};
use rustc_hash::{FxHashMap, FxHashSet};

/// From this many functions on, an error that is not large by itself matters.
const SEVERAL: usize = 2;

/// Maximum depth at which a `Result` is searched in a return type.
const MOST_DEPTH: u32 = 6;

/// When an error is large.
pub struct Limits {
    /// Minimum size of the error, in bytes.
    pub size: u64,
    /// What a change must save.
    pub thresholds: Thresholds,
    /// Whether a change of an enum that is no error must save the same.
    pub same_as_enums: bool,
    /// Whether the lint is enabled.
    pub spoken: bool,
    /// Whether types exported by a library are left alone.
    pub kept: bool,
}

/// Settings of the authors, by type and function.
pub struct ErrorSettings<'a> {
    /// When an error is large, by crate.
    pub limits: &'a Ask<'a, Limits>,
    /// Returns true for an enum whose variants may differ in size: it is not reported.
    pub may_be_uneven: &'a dyn Fn(&TypeInfo) -> bool,
}

/// An error type that makes `Result`s large.
#[derive(Debug)]
pub struct LargeError {
    /// The type and the boxings that help; none if only the whole can be boxed.
    pub of: Oversized,
    /// The functions that return it, by file and position.
    pub functions: Vec<ItemId>,
    /// The `Result` that shrinks most: its type, and its bytes before and after the best remedy.
    pub result: (Ty, u64, u64),
}

/// The large errors of a workspace.
#[derive(Debug, Default)]
pub struct LargeErrors {
    /// Errors to fix at their own definition.
    pub of: FxHashMap<ItemId, Box<LargeError>>,
    /// Enums that make the types that hold them large: to fix at the enum.
    pub roots: FxHashSet<ItemId>,
    /// The types that functions return as errors themselves, of any size.
    pub returned: FxHashSet<ItemId>,
    /// Errors that are large only because of a type inside, with that type.
    pub outer: FxHashMap<ItemId, ItemId>,
    /// Large errors for which every function that returns them has a suppression.
    pub excused: FxHashSet<ItemId>,
}

impl LargeErrors {
    /// Removes the functions that suppress the lint, and the errors that no others return.
    pub fn excuse(&mut self, allowed: impl Fn(ItemId) -> bool) {
        for (item, error) in &mut self.of {
            error.functions.retain(|f| !allowed(*f));
            if error.functions.is_empty() {
                self.excused.insert(*item);
            }
        }
        self.of.retain(|item, _| !self.excused.contains(item));
    }
}

impl Model<'static> {
    /// Returns the types that functions return as errors.
    pub fn returned_errors(&self, usage: &Usage) -> FxHashSet<ItemId> {
        let errors = self.error_types(usage).into_iter();
        errors.filter_map(|ty| adt_of(self.db, ty)).collect()
    }

    fn error_types(&self, usage: &Usage) -> Vec<Ty> {
        let bodies = usage.bodies.iter().filter(|b| !b.function.aside);
        let results = bodies.flat_map(|body| self.returned(body));
        results.map(|(_, error)| error).collect()
    }

    /// Returns the types that functions return as errors, behind a pointer or not, and what these
    /// hold by value.
    pub fn errors(&self, usage: &Usage) -> FxHashSet<ItemId> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut queue = self.error_types(usage);
        while let Some(ty) = queue.pop() {
            if !seen.insert(ty) {
                continue;
            }
            if let Some(item) = adt_of(self.db, ty) {
                queue.extend(pointee(self.db, ty));
                queue.extend(field_types(self.db, ty).into_iter().flatten());
                found.insert(item);
            }
        }
        found
    }

    /// Finds the error types that the workspace defines and returns, where a change helps.
    pub fn large_errors(
        &self,
        usage: &Usage,
        holders: &Holders,
        oversized: &FxHashMap<ItemId, Box<Oversized>>,
        asked: &ErrorSettings,
    ) -> LargeErrors {
        let mut returned: FxHashMap<Ty, (Vec<ItemId>, Vec<Ty>)> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        for body in usage.bodies.iter().filter(|b| !b.function.aside) {
            for (result, error) in self.returned(body) {
                let (functions, types) = returned.entry(error).or_default();
                functions.push(body.function.item);
                if seen.insert(result) {
                    types.push(result);
                }
            }
        }
        let mut by_item: FxHashMap<ItemId, Vec<Ty>> = FxHashMap::default();
        for &ty in returned.keys() {
            if let Some(item) = adt_of(self.db, ty) {
                by_item.entry(item).or_default().push(ty);
            }
        }
        for list in by_item.values_mut() {
            list.sort_by_cached_key(|ty| self.db.display(*ty));
        }
        let all = self.returned_errors(usage);
        let mut large = LargeErrors::default();
        let is_error = |t: &&TypeInfo| by_item.contains_key(&t.item) && self.is_authored(t);
        let errors: Vec<_> = self.types().iter().filter(is_error).collect();
        let found = spread(errors, BATCH, |info| {
            let limits = (asked.limits)(info.krate);
            if !limits.spoken || limits.kept && self.exports(info, None) {
                return None;
            }
            by_item[&info.item].iter().find_map(|&ty| {
                let (functions, results) = &returned[&ty];
                let tried = oversized.get(&info.item).filter(|o| o.ty == ty);
                let tried = tried.filter(|_| limits.same_as_enums);
                let tried = tried.map(|o| &o.boxings[..]);
                let ask = || self.large_error(info, ty, functions, results, &limits, tried);
                let work = || format!("looking at the error `{}`", info.path);
                Some((info.item, Box::new(self.db.guarded(work, ask)??)))
            })
        });
        large.of.extend(found.into_iter().flatten());
        self.to_the_root(&mut large, holders, oversized, asked);
        for info in self.types().iter().filter(|t| self.is_authored(t)) {
            let errors = by_item.get(&info.item).into_iter().flatten();
            for &ty in errors.filter(|_| info.kind == AdtKind::Struct) {
                let (functions, results) = &returned[&ty];
                if functions.len() < SEVERAL {
                    continue;
                }
                let kind = self.uneven_kind(info, ty, results, holders, oversized, asked);
                large.roots.extend(kind);
            }
        }
        large.returned = all;
        large
    }

    /// Removes the errors that are large only because of a type inside, and adds that type to
    /// `roots`.
    fn to_the_root(
        &self,
        large: &mut LargeErrors,
        holders: &Holders,
        oversized: &FxHashMap<ItemId, Box<Oversized>>,
        asked: &ErrorSettings,
    ) {
        let mut outer = Vec::new();
        for info in self.types() {
            let Some(error) = large.of.get(&info.item) else {
                continue;
            };
            let limits = (asked.limits)(info.krate);
            let before = error.of.view.size;
            let mends = |inner: &TypeInfo, of: &Oversized| {
                let change = of.change(self, inner);
                let after = change.and_then(|change| self.size_if(error.of.ty, &change));
                after.is_some_and(|a| a < limits.size && limits.thresholds.worth(before, a))
            };
            let inside = || holders.inside(info.item).iter().map(|&i| &self.types()[i]);
            let by_error = inside().find(|inner| {
                let of = large.of.get(&inner.item).map(|l| &l.of);
                // Only a large error can be the root of another.
                of.is_some_and(|of| of.view.size >= limits.size && mends(inner, of))
            });
            if let Some(inner) = by_error {
                outer.push((info.item, inner.item, false));
            } else if info.kind == AdtKind::Struct {
                let root = inside().find(|inner| {
                    let of = oversized.get(&inner.item);
                    // If that enum is left as it is, the error can still box it.
                    of.is_some_and(|of| mends(inner, of) && !(asked.may_be_uneven)(inner))
                });
                outer.extend(root.map(|root| (info.item, root.item, true)));
            }
        }
        for (item, inner, is_root) in outer {
            large.of.remove(&item);
            large.outer.insert(item, inner);
            large.roots.extend(is_root.then_some(inner));
        }
    }

    /// Finds, in an error below the limit, the inner enum whose rare variants make up half of the
    /// error.
    fn uneven_kind(
        &self,
        info: &TypeInfo,
        ty: Ty,
        results: &[Ty],
        holders: &Holders,
        oversized: &FxHashMap<ItemId, Box<Oversized>>,
        asked: &ErrorSettings,
    ) -> Option<ItemId> {
        let limits = (asked.limits)(info.krate);
        let before = self.size(ty)?;
        let small = before < limits.size && before * 2 > limits.size;
        if !small || !limits.spoken || limits.kept && self.exports(info, None) {
            return None;
        }
        let halves = |inner: &TypeInfo| {
            let change = oversized.get(&inner.item)?.change(self, inner)?;
            let halved = self.size_if(ty, &change)? * 2 <= before;
            let mut results = results.iter();
            let shrinks = |ty: &Ty| {
                let sizes = self.size_if(*ty, &change).zip(self.size(*ty));
                sizes.is_some_and(|(after, before)| after < before)
            };
            (halved && results.any(shrinks)).then_some(inner.item)
        };
        let inside = holders.inside(info.item).iter().map(|&i| &self.types()[i]);
        let mut inside = inside.filter(|inner| !(asked.may_be_uneven)(inner));
        inside.find_map(halves)
    }

    /// Returns the `Result`s that a function returns, with their errors, except an error that only
    /// hands an argument back.
    fn returned(&self, body: &Typed) -> Vec<(Ty, Ty)> {
        let mut found = Vec::new();
        self.results(body.output, &mut found, 0);
        let taken = |ty: Ty| body.locals.iter().any(|l| l.argument && l.ty == ty);
        found.retain(|(_, error)| !taken(*error));
        found
    }

    /// Collects the `Result`s in a type, with their errors.
    fn results(&self, ty: Ty, found: &mut Vec<(Ty, Ty)>, depth: u32) {
        if let TyKind::Dyn(_, bindings, _) = self.db.types.kind(ty) {
            for (_, ty) in bindings.iter().filter(|(name, _)| *name == "Output") {
                self.results(*ty, found, depth + 1);
            }
        }
        match std_parts(self.db, ty).filter(|_| depth < MOST_DEPTH) {
            Some(("Result", [_, GArg::Ty(error)])) => found.push((ty, *error)),
            Some(("Box" | "Option" | "Pin" | "Poll", [GArg::Ty(inner), ..])) => {
                self.results(*inner, found, depth + 1)
            }
            _ => {}
        }
    }

    fn large_error(
        &self,
        info: &TypeInfo,
        ty: Ty,
        functions: &[ItemId],
        results: &[Ty],
        limits: &Limits,
        tried: Option<&[Boxing]>,
    ) -> Option<LargeError> {
        let view = self.view(ty).ok()?;
        if view.size * 2 <= limits.size || !self.has_heap(info.krate) {
            return None;
        }
        let small = view.size < limits.size;
        let can_box = !self.is_copy(info) && !self.is_repr_c(info);
        let boxings = match info.kind {
            _ if !can_box => Vec::new(),
            AdtKind::Enum if let Some(tried) = tried => tried.to_vec(),
            AdtKind::Enum => {
                let none = WhatIf::default();
                self.boxings(info, ty, &view, &none, &limits.thresholds)
            }
            AdtKind::Struct => self.struct_boxings(info, ty, limits),
            AdtKind::Union => Vec::new(),
        };
        // Below the limit only an enum that boxes would halve, and only if several functions return
        // it.
        let halved = |b: &Boxing| info.kind == AdtKind::Enum && b.size * 2 <= view.size;
        if small && (functions.len() < SEVERAL || !boxings.first().is_some_and(halved)) {
            return None;
        }
        let of = Oversized { ty, view, boxings };
        let after = |result: &Ty| {
            let before = self.size(*result)?;
            let after = match of.change(self, info) {
                Some(change) => self.size_if(*result, &change)?,
                None => self.size(self.with_boxed_error(*result))?,
            };
            (after < before).then_some((*result, before, after))
        };
        let losses = results.iter().filter_map(after);
        let result = losses.reduce(|a, b| if b.1 - b.2 > a.1 - a.2 { b } else { a })?;
        Some(LargeError {
            of,
            functions: functions.to_vec(),
            result,
        })
    }

    /// Returns `Result<T, Box<E>>` for a `Result<T, E>`.
    pub fn with_boxed_error(&self, result: Ty) -> Ty {
        match std_parts(self.db, result) {
            Some((_, [_, GArg::Ty(error)])) => self.with_argument(result, 1, self.boxed(*error)),
            _ => result,
        }
    }

    /// Boxes the widest fields of a struct together: as few as get it below the limit.
    fn struct_boxings(&self, info: &TypeInfo, ty: Ty, limits: &Limits) -> Vec<Boxing> {
        let Ok(view) = self.view(ty) else {
            return Vec::new();
        };
        let Some(body) = view.variants.first() else {
            return Vec::new();
        };
        let mut order: Vec<usize> = (0..body.fields.len()).collect();
        order.retain(|&f| body.fields[f].size >= 16);
        order.sort_by_key(|&f| std::cmp::Reverse(body.fields[f].size));
        for n in 1..=order.len() {
            let mut fields = order[..n].to_vec();
            fields.sort_unstable();
            let boxes = vec![BoxOf { variant: 0, fields }];
            let change = self.boxed_definition(info, &view, &boxes, &WhatIf::default());
            let size = self.size_if(ty, &change);
            let worth = |s: &u64| *s < limits.size && limits.thresholds.worth(view.size, *s);
            if let Some(size) = size.filter(worth) {
                return vec![Boxing {
                    boxes,
                    size,
                    variants: 1,
                }];
            }
        }
        Vec::new()
    }
}
