//! The effects of methods on a list or string receiver, from attributes in the declarations of std.

use super::members::Members;
use crate::ir::{ItemKind, Type};
use crate::name::Name;
use crate::resolve::collect::has_attr;
use crate::resolve::ty::Ty;
use crate::resolve::{Db, ItemId};
use rustc_hash::FxHashMap;

/// The effect of a method on its receiver. If a name has several effects and the receiver's type is
/// unknown, the last of these applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The effect is unknown.
    #[default]
    Unknown,
    /// Reads, or modifies elements in place; slices have the method too.
    Reads,
    /// Reads, but slices lack the method or have a different one.
    ReadsAsOwner,
    /// Consumes the whole; boxed slices have the method too.
    Consumes,
    /// Copies the whole.
    Copies,
    /// Releases spare capacity.
    Fits,
    /// Removes all elements.
    Empties,
    /// Removes elements.
    Shrinks,
    /// Converts the whole into something else.
    Takes,
    /// Replaces the content with that of the argument.
    Sets,
    /// Reserves capacity.
    Reserves,
    /// Adds elements.
    Grows,
    /// Returns something that allows any modification.
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

/// The effects and other attributes of std's methods.
#[derive(Default)]
pub(super) struct Effects {
    of: FxHashMap<ItemId, Effect>,
    named: FxHashMap<Name, Effect>,
    /// For each name, whether no collection, slice or string has a method of this name.
    elsewhere: FxHashMap<Name, bool>,
    /// For each name, whether every method of std of this name accepts anything that can be
    /// borrowed as a slice.
    slices: FxHashMap<Name, bool>,
    /// For each name, whether a method calls its closure for each item, and whether one with a
    /// single value has the name too.
    each: FxHashMap<Name, (bool, bool)>,
}

impl Effects {
    /// Adds the methods of an `impl`, whose attribute applies to methods without one.
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

/// Returns true for an array, which has methods that no list has.
fn is_array(ty: &Type) -> bool {
    match ty {
        Type::Ref(inner, _) => is_array(inner),
        ty => matches!(ty, Type::Array(..)),
    }
}

impl Members {
    /// Returns the effect of a method of std.
    pub(super) fn effect(&self, method: ItemId, args: usize) -> Effect {
        let effect = self.effects.of.get(&method).copied();
        effect.map_or(Effect::Unknown, |e| e.with(args))
    }

    /// Returns the effect of a method by its name, if the receiver's type is unknown.
    pub fn effect_named(&self, name: Name, args: usize) -> Effect {
        let effect = self.effects.named.get(&name).copied();
        effect.map_or(Effect::Unknown, |e| e.with(args))
    }

    /// Returns true if std declares a method of this name, but not for collections, slices or
    /// strings.
    pub fn is_elsewhere(&self, name: Name) -> bool {
        self.effects.elsewhere.get(&name) == Some(&true)
    }

    /// Returns true if a method of std accepts anything that can be borrowed as a slice, string or
    /// path. If the method is not found, all methods of its name must.
    pub fn takes_slices(&self, on: Ty, name: Name) -> bool {
        match self.method(on, name) {
            Some((callee, _)) => {
                callee.library && has_attr(&self.db.item(callee.item).item.attrs, "slices")
            }
            None => self.effects.slices.get(&name) == Some(&true),
        }
    }

    /// Returns whether a method of this name calls its closure for each item: `true` on all types,
    /// `false` except on types that hold one value, `None` if it does not.
    pub(super) fn each(&self, name: Name) -> Option<bool> {
        let (some, once) = self.effects.each.get(&name).copied()?;
        some.then_some(!once)
    }
}

impl Effect {
    /// Returns the effect for this number of arguments: `str::replace`, unlike others of the name,
    /// takes two.
    fn with(self, args: usize) -> Effect {
        match self {
            Effect::Sets if args != 1 => Effect::Reads,
            effect => effect,
        }
    }
}
