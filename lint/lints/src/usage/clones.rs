//! Where values are copied by `clone` and related methods, and which types' values are copied with
//! them.

use super::Usage;
use crate::infer::body::{Site, Typed};
use crate::infer::types::{COLLECTIONS, INLINE, is_marked, is_own, referent, std_parts, types_of};
use crate::ir::body::{ExprId, ExprKind};
use crate::lists::Lists;
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Db, ItemId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place that copies values of a type.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// Where.
    pub site: Site,
    /// The type that is cloned: the type itself, or one that holds it.
    pub whole: Ty,
    /// Whether it copies many, or one in every iteration of a loop.
    pub many: bool,
}

/// The places that copy values, by type of the workspace.
#[derive(Debug, Default)]
pub struct Clones {
    of: Lists<ItemId, Copied>,
}

/// Types that are copied with a value, and whether many of each are.
type With = Vec<(ItemId, bool)>;

impl Clones {
    /// Examines every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Clones {
        let mut clones = Clones::default();
        let mut known: FxHashMap<Ty, With> = FxHashMap::default();
        for body in &usage.bodies {
            for (id, node, _) in body.exprs() {
                let ExprKind::Method(receiver, name, ..) = &node.kind else {
                    continue;
                };
                let Some((whole, each)) = copied(db, body, *receiver, name.name.as_str()) else {
                    continue;
                };
                let site = body.site(id);
                let with = known.entry(whole).or_insert_with(|| with(db, whole));
                for &(item, many) in with.iter() {
                    let many = many || each || site.loops > 0;
                    clones.of.add(item, Copied { site, whole, many });
                }
            }
        }
        clones
    }

    /// Returns the places that copy values of a type, by file and position.
    pub fn of(&self, item: ItemId) -> &[Copied] {
        self.of.of(&item)
    }
}

/// Returns the type that a method of this name copies, and whether it copies many.
fn copied(db: &Db<'static>, body: &Typed, receiver: ExprId, name: &str) -> Option<(Ty, bool)> {
    let ty = body.fact(receiver).ty;
    match name {
        "clone" | "to_owned" => Some((referent(db, ty), false)),
        "to_vec" => Some((referent(db, ty), true)),
        "cloned" => given(db, ty),
        _ => None,
    }
}

/// Returns what `cloned` copies, of an `Option` or of an iterator.
fn given(db: &Db<'static>, ty: Ty) -> Option<(Ty, bool)> {
    let (name @ ("Iter" | "Option"), args) = std_parts(db, ty)? else {
        return None;
    };
    let of = types_of(args).last()?;
    Some((referent(db, of), name == "Iter"))
}

/// Returns the workspace types whose values a copy of this type copies, and whether it copies many
/// of them. Pointees of reference-counted pointers and references are not copied. Lists a workspace
/// type itself, not what it holds.
fn with(db: &Db<'static>, whole: Ty) -> With {
    let mut found = With::new();
    let mut seen = FxHashSet::default();
    let mut queue = vec![(whole, false)];
    while let Some((ty, many)) = queue.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match db.types.kind(ty) {
            TyKind::Slice(inner) | TyKind::Array(inner, _) => queue.push((*inner, true)),
            TyKind::Tuple(list) => queue.extend(list.iter().map(|t| (*t, many))),
            TyKind::Adt(item, _) => match std_parts(db, ty) {
                // These clone their content with themselves.
                Some((name, args))
                    if name == "Box"
                        || is_marked(db, ty, INLINE)
                        || is_marked(db, ty, COLLECTIONS) =>
                {
                    let many = many || is_marked(db, ty, COLLECTIONS);
                    queue.extend(types_of(args).map(|ty| (ty, many)));
                }
                None if is_own(db, *item) && db.item(*item).item.attrs.derives("Clone") => {
                    found.push((*item, many));
                }
                _ => {}
            },
            _ => {}
        }
    }
    found
}
