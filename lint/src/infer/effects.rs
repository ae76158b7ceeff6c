//! What a method does to the list or text that it is called on, as std's declarations are marked.

use super::members::Members;
use crate::ir::{ItemKind, Type};
use crate::name::Name;
use crate::resolve::collect::has_attr;
use crate::resolve::ty::Ty;
use crate::resolve::{Db, ItemId};
use rustc_hash::FxHashMap;

/// What a method does to what it is called on. Where a name has several meanings and the type is
/// not known, the last of these counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing is known of the method.
    #[default]
    Unknown,
    /// It looks, or changes elements in their places, and slices have it too.
    Reads,
    /// It looks, but slices have it not, or not so.
    ReadsAsOwner,
    /// It takes the whole, and a boxed slice has it too.
    Consumes,
    /// It makes a copy of the whole.
    Copies,
    /// It gives room back.
    Fits,
    /// It takes all out.
    Empties,
    /// It takes something out.
    Shrinks,
    /// It takes the whole and gives something else.
    Takes,
    /// It puts its argument in the place of what was there.
    Sets,
    /// It asks for room.
    Reserves,
    /// It puts something in.
    Grows,
    /// It gives something through which anything may happen.
    Lends,
}

const MARKS: [(&str, Effect); 12] = [
    ("consumes", Effect::Consumes),
    ("copies", Effect::Copies),
    ("empties", Effect::Empties),
    ("fits", Effect::Fits),
    ("grows", Effect::Grows),
    ("lends", Effect::Lends),
    ("reads", Effect::Reads),
    ("reads_as_owner", Effect::ReadsAsOwner),
    ("reserves", Effect::Reserves),
    ("sets", Effect::Sets),
    ("shrinks", Effect::Shrinks),
    ("takes", Effect::Takes),
];

/// The marks of std's methods.
#[derive(Default)]
pub(super) struct Effects {
    of: FxHashMap<ItemId, Effect>,
    named: FxHashMap<Name, Effect>,
    /// Names of methods that only other types of std have.
    elsewhere: FxHashMap<Name, bool>,
    /// By name: every method of std of this name takes whatever can be lent as a slice.
    slices: FxHashMap<Name, bool>,
    /// By name: it calls its closure for each item; what holds one value has it too.
    each: FxHashMap<Name, (bool, bool)>,
}

impl Effects {
    /// Adds the methods of an `impl`; those without a mark of their own have its.
    pub(super) fn add(&mut self, db: &Db<'static>, owner: ItemId, of_lists: bool) {
        let of = |item: ItemId| {
            let attrs = &db.item(item).item.attrs;
            MARKS.iter().find(|(name, _)| has_attr(attrs, name))
        };
        let whole = of(owner);
        let of_arrays = match &db.item(owner).item.kind {
            ItemKind::Impl(imp) => is_array(&imp.self_ty),
            _ => false,
        };
        for &item in db.members(owner) {
            let data = db.item(item).item;
            let effect = of(item).or(whole).map_or(Effect::Unknown, |m| m.1);
            self.of.insert(item, effect);
            let named = self.named.entry(data.name).or_default();
            *named = effect.max(*named);
            *self.elsewhere.entry(data.name).or_insert(true) &= !of_lists || of_arrays;
            let slices = has_attr(&data.attrs, "slices");
            *self.slices.entry(data.name).or_insert(true) &= slices;
            let each = has_attr(&data.attrs, "each");
            let (some, once) = self.each.entry(data.name).or_default();
            *some |= each;
            *once |= !each && effect == Effect::Unknown;
        }
    }
}

/// True for an array, which has methods that no list has.
fn is_array(ty: &Type) -> bool {
    match ty {
        Type::Ref(inner, _) => is_array(inner),
        ty => matches!(ty, Type::Array(..)),
    }
}

impl Members {
    /// What a method of std does.
    pub(super) fn effect(&self, method: ItemId, args: usize) -> Effect {
        let effect = self.effects.of.get(&method).copied();
        effect.map_or(Effect::Unknown, |e| e.with(args))
    }

    /// What a method of this name does where it is not known of which type it is.
    pub(super) fn effect_named(&self, name: Name, args: usize) -> Effect {
        let effect = self.effects.named.get(&name).copied();
        effect.map_or(Effect::Unknown, |e| e.with(args))
    }

    /// True if neither a list nor a text of std has a method of this name, but another type has.
    pub(super) fn is_elsewhere(&self, name: Name) -> bool {
        self.effects.elsewhere.get(&name) == Some(&true)
    }

    /// True if a method of std takes whatever can be lent as a slice, text or path; where it is not
    /// known of which type it is, if all of that name do.
    pub(super) fn takes_slices(&self, on: Ty, name: Name) -> bool {
        match self.method(on, name) {
            Some((callee, _)) => {
                callee.library && has_attr(&self.db.item(callee.item).item.attrs, "slices")
            }
            None => self.effects.slices.get(&name) == Some(&true),
        }
    }

    /// Whether a method of this name calls its closure for each item: on all types (`true`), or
    /// not on those that hold one.
    pub(super) fn each(&self, name: Name) -> Option<bool> {
        let (some, once) = self.effects.each.get(&name).copied()?;
        some.then_some(!once)
    }
}

impl Effect {
    /// The effect with so many arguments: `str::replace` takes two.
    fn with(self, args: usize) -> Effect {
        match self {
            Effect::Sets if args != 1 => Effect::Reads,
            effect => effect,
        }
    }
}
