//! What the declarations of std say of methods and functions by name, besides their effect.

use super::body::Typed;
use crate::ir::body::ExprId;
use crate::name::Name;
use crate::resolve::collect::has_attr;
use crate::resolve::{Db, ItemId};
use rustc_hash::FxHashMap;

/// An attribute of a declaration. It holds for every method or function of the name, since the
/// type of the receiver may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Depends on the address of a value.
    Address,
    /// Takes a slice, text or path by reference as its argument.
    AsSlice,
    /// Converts its argument to a text that is the same.
    Converts,
    /// The length of its iterator is known where that of the receiver is.
    Counts,
    /// Creates a text or list, or a copy of one.
    Creates,
    /// Returns a part of a text, no longer than it.
    Cuts,
    /// Consumes all items of an iterator at once.
    Ends,
    /// Returns a value of its own, whatever the type.
    Fresh,
    /// Passes its argument or receiver on.
    HandsOn,
    /// Yields the items of its receiver.
    Items,
    /// Returns the text of its receiver, or a part of it.
    Keeps,
    /// A method of a trait that a box implements as its contents do, which hides one that the contents
    /// have besides.
    LikeContents,
    /// Reads a text or list, or lends it, without moving it.
    Looks,
    /// Creates a text or list from its receiver.
    Makes,
    /// A box, or a reference to one, has such a method itself.
    OfBoxes,
    /// Takes another value of the same type by reference.
    OfPairs,
    /// Depends on the number of owners.
    Owners,
    /// Returns one item of an iterator or list.
    Picks,
    /// Stores its argument in an `Option`, a cell or the like.
    Puts,
    /// Waits for files, other programs or threads, beside which an allocation costs nothing.
    Slow,
    /// Works without moving items only in a linked list.
    Splices,
    /// Moves its argument into a collection or channel.
    Stores,
    /// Only inspects an `Option` or the like.
    Tells,
    /// Gives mutable access to what a pointer shares, or moves it out.
    Unshares,
    /// Returns what an `Option` or `Result` holds, as it is.
    Unwraps,
    /// Returns the contents of a buffer by reference.
    Views,
}

pub(super) const MARKS: [(&str, Mark); 26] = [
    ("address", Mark::Address),
    ("as_slice", Mark::AsSlice),
    ("converts", Mark::Converts),
    ("counts", Mark::Counts),
    ("creates", Mark::Creates),
    ("cuts", Mark::Cuts),
    ("ends", Mark::Ends),
    ("fresh", Mark::Fresh),
    ("hands_on", Mark::HandsOn),
    ("items", Mark::Items),
    ("keeps", Mark::Keeps),
    ("like_contents", Mark::LikeContents),
    ("looks", Mark::Looks),
    ("makes", Mark::Makes),
    ("of_boxes", Mark::OfBoxes),
    ("of_pairs", Mark::OfPairs),
    ("owners", Mark::Owners),
    ("picks", Mark::Picks),
    ("puts", Mark::Puts),
    ("slow", Mark::Slow),
    ("splices", Mark::Splices),
    ("stores", Mark::Stores),
    ("tells", Mark::Tells),
    ("unshares", Mark::Unshares),
    ("unwraps", Mark::Unwraps),
    ("views", Mark::Views),
];

/// The marks of each name, a bit each.
#[derive(Debug, Default)]
pub struct Marks(FxHashMap<Name, u32>);

impl Marks {
    /// Adds those of a declaration.
    pub(super) fn add(&mut self, db: &Db<'static>, method: ItemId) {
        let item = db.item(method).item;
        let has = MARKS.iter().filter(|(name, _)| has_attr(&item.attrs, name));
        for (_, mark) in has {
            *self.0.entry(item.name).or_default() |= 1 << *mark as u32;
        }
    }

    /// Returns true if std declares this of a method or function of this name.
    pub fn has(&self, name: Name, mark: Mark) -> bool {
        let marks = self.0.get(&name).copied().unwrap_or_default();
        marks & 1 << mark as u32 != 0
    }
}

impl Typed {
    /// Returns true if std declares this of the method or function that a call, or a path, names.
    pub fn is_marked(&self, id: ExprId, mark: Mark) -> bool {
        self.name_of(id)
            .is_some_and(|name| self.marks.has(name, mark))
    }
}
