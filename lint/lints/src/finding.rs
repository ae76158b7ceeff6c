//! What a lint found: plain data that every report is made from.

pub mod amount;
mod reason;

pub use reason::Reason;

use crate::shape::Shape;
use crate::span::Span;
use std::cmp::Reverse;

/// A fault at the place where it can be mended. Its lint's name and level are stamped on it later.
// weigh: allow(large_move, reason = "a lint makes it once, and lists hold it in a box")
// weigh: allow(unfrozen_vec, reason = "there are few, and plain lists are simpler")
#[derive(Clone, Debug)]
pub struct Finding {
    /// The fault: one line, lower case, no full stop.
    pub message: String,
    /// The field or variant to change, else the type's name.
    pub primary: Label,
    /// Where else its remedies change a field: of several findings on one field, the strongest is
    /// reported.
    pub claims: Vec<Span>,
    /// Other places that the message is about.
    pub secondary: Vec<Label>,
    /// The field: `field`, `Variant` or `Variant.field`.
    pub field: Option<String>,
    /// Bytes of one value today, where the finding is about a size.
    pub size_before: Option<u64>,
    /// What the size is made of.
    pub parts: Option<Parts>,
    /// What would mend it, the best first.
    pub remedies: Vec<Remedy>,
    /// The layout of the type after the best remedy, to be drawn beside the present one.
    pub after: Option<Box<Shape>>,
    /// Why it matters, each with its place.
    pub evidence: Vec<Evidence>,
    /// What the remedies cost: one sentence.
    pub trade_off: Option<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// How many values there are.
    pub multiplicity: Multiplicity,
    /// How sure it is.
    pub confidence: Confidence,
    /// Bytes before and after the best remedy of what is stored many times: the slot of a
    /// collection, the block of a node.
    pub slot: Option<(u64, u64)>,
    /// Places that build the part which the best remedy puts on the heap, and places that build a
    /// value; `None` if it puts none there.
    pub built: Option<(usize, usize)>,
    /// Facts of the code that speak against it.
    pub against: Vec<Reason>,
    /// What it supposes of unread macros, one clause each.
    pub assuming: Vec<String>,
}

impl Finding {
    /// Returns the remedies in the order in which they are offered as fixes: users take the first, so
    /// remedies whose edits are complete precede those that leave places to the user.
    pub fn offered(&self) -> Vec<&Remedy> {
        let mut remedies: Vec<&Remedy> = self.remedies.iter().collect();
        remedies.sort_by_key(|r| !r.fix.as_ref().is_some_and(|fix| fix.is_complete()));
        remedies
    }

    /// A finding that says no more than this.
    pub fn new(message: String, primary: Label) -> Finding {
        Finding {
            message,
            primary,
            claims: Vec::new(),
            secondary: Vec::new(),
            field: None,
            size_before: None,
            parts: None,
            remedies: Vec::new(),
            after: None,
            evidence: Vec::new(),
            trade_off: None,
            notes: Vec::new(),
            multiplicity: Multiplicity::Unknown,
            confidence: Confidence::Proved,
            slot: None,
            built: None,
            against: Vec::new(),
            assuming: Vec::new(),
        }
    }

    /// Drops what only a report needs. What another finding on the same field mentions stays, and
    /// what its value is calculated from.
    pub fn forget_details(&mut self) {
        self.secondary = Vec::new();
        self.parts = None;
        self.after = None;
        self.evidence = Vec::new();
        self.trade_off = None;
        self.notes = Vec::new();
        self.remedies.truncate(1);
    }

    /// Releases the spare capacity of its lists: there may be very many findings.
    pub fn shrink(&mut self) {
        self.message.shrink_to_fit();
        self.secondary.shrink_to_fit();
        self.evidence.shrink_to_fit();
        self.notes.shrink_to_fit();
        self.remedies.shrink_to_fit();
        for remedy in &mut self.remedies {
            remedy.title.shrink_to_fit();
        }
    }

    /// Returns true if it says the same as another, whatever each supposes.
    pub fn says_as(&self, other: &Finding) -> bool {
        let after = |f: &Finding| -> Vec<_> {
            let remedies = f.remedies.iter();
            let after = remedies.map(|r| (r.title.clone(), r.size_after, r.ripple.clone()));
            after.collect()
        };
        self.message == other.message
            && self.primary.span == other.primary.span
            && self.size_before == other.size_before
            && self.slot == other.slot
            && after(self) == after(other)
    }

    /// What the best remedy saves of a heap that was counted.
    pub fn best_net(&self) -> Option<Net> {
        let nets = self.remedies.iter().filter_map(|r| r.net);
        nets.max()
    }

    /// Bytes of one value after the best remedy.
    pub fn size_after(&self) -> Option<u64> {
        self.remedies.first()?.size_after
    }
}

/// A place with words to it.
#[derive(Clone, Debug)]
pub struct Label {
    /// In a real file.
    pub span: Span,
    /// Lower case, no full stop.
    pub text: String,
}

impl Label {
    /// These words at this place.
    pub fn new(span: Span, text: impl Into<String>) -> Label {
        Label {
            span,
            text: text.into(),
        }
    }
}

/// A list of parts with their bytes.
#[derive(Clone, Debug)]
pub struct Parts {
    /// What they are parts of.
    pub title: String,
    /// Name and bytes, in the order to show.
    pub rows: Vec<(String, u64)>,
    /// How many smaller ones are left out.
    pub left_out: usize,
}

/// More parts than these are left out of a list.
const MOST_PARTS: usize = 6;

impl Parts {
    /// The widest of some parts.
    pub fn widest(title: &str, parts: impl Iterator<Item = (String, u64)>) -> Parts {
        let mut rows: Vec<_> = parts.collect();
        rows.sort_by_key(|(_, size)| Reverse(*size));
        let left_out = rows.len().saturating_sub(MOST_PARTS);
        rows.truncate(MOST_PARTS);
        Parts {
            title: title.to_owned(),
            rows,
            left_out,
        }
    }
}

/// One change that mends a fault, with what it gives.
// weigh: allow(unfrozen_vec, reason = "there are few, and plain lists are simpler")
#[derive(Clone, Debug)]
pub struct Remedy {
    /// What to do: an imperative, lower case, no full stop.
    pub title: String,
    /// Bytes of one value after it, where it is about a size.
    pub size_after: Option<u64>,
    /// Other types that change with it.
    pub ripple: Vec<Ripple>,
    /// How heap blocks change; `None` if a census cannot tell what it saves.
    pub heap: Option<Vec<BlockChange>>,
    /// What it saves of the heap that a census has counted.
    pub net: Option<Net>,
    /// The fields that get another type, where that is all of it: the edits follow from these.
    pub change: Vec<Change>,
    /// The edits: at every place that it asks for if they are machine-applicable, else at those
    /// that are sure.
    pub fix: Option<Box<Fix>>,
}

/// Another type for fields, each named by the place of its type in the definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `T` becomes `Box<T>`.
    Boxed(Span),
    /// `Option<T>` becomes `Option<Box<T>>`.
    BoxedInside(Span),
    /// A buffer that grows becomes a boxed slice: `Vec<T>` becomes `Box<[T]>`.
    Frozen(Span),
    /// Likewise inside an `Option`: `Option<Vec<T>>` becomes `Option<Box<[T]>>`.
    FrozenInside(Span),
    /// Fields of one variant go into one box, in the order of the source.
    Joined(Vec<Span>),
    /// A text becomes a shared one: `String` becomes `Arc<str>`.
    Counted(Span),
    /// Likewise inside an `Option`.
    CountedInside(Span),
    /// Keys become boxed slices: `HashMap<String, V>` becomes `HashMap<Box<str>, V>`.
    FrozenKeys(Span),
    /// No field: what a `format!` makes is written to the text that it is appended to; with the
    /// body of the function around it.
    Appended(Span, Span),
}

impl Change {
    /// The fields that it is about, by the places of their types.
    pub fn fields(&self) -> Vec<Span> {
        match self {
            Change::Boxed(span)
            | Change::BoxedInside(span)
            | Change::Frozen(span)
            | Change::FrozenInside(span)
            | Change::Counted(span)
            | Change::CountedInside(span)
            | Change::FrozenKeys(span) => vec![*span],
            Change::Joined(list) => list.clone(),
            Change::Appended(..) => Vec::new(),
        }
    }
}

impl Remedy {
    /// A remedy of which nothing but what to do is known.
    pub fn new(title: impl Into<String>) -> Remedy {
        Remedy {
            title: title.into(),
            size_after: None,
            ripple: Vec::new(),
            heap: None,
            net: None,
            change: Vec::new(),
            fix: None,
        }
    }

    /// It as an editor offers it: what to do, and what it makes of a value of this type, or of one
    /// that holds it.
    pub fn effect(&self, ty: &str, before: Option<u64>) -> String {
        let own = before.zip(self.size_after).filter(|(b, a)| b != a);
        let holder = self.ripple.first().filter(|_| before.is_some());
        let holder = holder.map(|r| (r.path.as_str(), (r.before, r.after)));
        match own.map(|sizes| (ty, sizes)).or(holder) {
            Some((path, (before, after))) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                format!("{}: `{name}` {before} → {after} bytes", self.title)
            }
            None => self.words(before),
        }
    }

    /// It in one line: what to do, and bytes of one value before and after it.
    pub fn words(&self, before: Option<u64>) -> String {
        let mut words = self.title.clone();
        if let Some(after) = self.size_after {
            let noun = if after == 1 { "byte" } else { "bytes" };
            words += &match before {
                Some(before) if before == after && after != 1 => {
                    format!(" ({after} bytes as before)")
                }
                Some(before) => format!(" ({before} → {after} {noun})"),
                None => format!(" ({after} {noun})"),
            };
        }
        if let Some(net) = self.net {
            words += &format!(": {net}");
        }
        words
    }
}

/// What a remedy does to the blocks that a type or one of its fields owns. Fields are named as in
/// [`Finding::field`], with `[]` behind for what is in a container in the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockChange {
    /// What a variant or field holds moves into a block of so many bytes; of an `Option` if it is
    /// there.
    Boxed {
        /// The variant; none for structs.
        variant: Option<String>,
        /// The field; none for all fields of a variant.
        field: Option<String>,
        /// Bytes that are asked for.
        bytes: u64,
    },
    /// The field's blocks are no more.
    Freed(String),
    /// The field's blocks have no spare capacity any more.
    Frozen(String),
    /// The field's blocks grow by so many bytes each.
    Grown(String, u64),
    /// Slots of the field's buffers change from so many bytes to so many.
    Resized(String, u64, u64),
    /// What is no longer than so many values (bytes of a text) needs no block; other blocks have
    /// so many bytes more.
    Inlined(String, u64, u64),
    /// Equal texts of the field share one block.
    Shared(String),
    /// One block for all elements of a linked list or entries of a tree.
    Joined(String),
}

/// What a remedy saves of a heap that was counted: less than nothing where it costs more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Net {
    /// Bytes, with what malloc adds to each block.
    pub bytes: i64,
    /// Blocks.
    pub blocks: i64,
}

/// A type that changes because a part of it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ripple {
    /// Its path relative to its crate's root.
    pub path: String,
    /// Bytes of one value today.
    pub before: u64,
    /// Bytes of one value after the remedy.
    pub after: u64,
}

/// A fact that supports a finding.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Where.
    pub span: Option<Span>,
    /// What: lower case, no full stop.
    pub text: String,
}

/// Edits that belong together.
#[derive(Clone, Debug)]
pub struct Fix {
    /// They do not overlap.
    pub edits: Vec<Edit>,
    /// How safe they are.
    pub applicability: Applicability,
    /// The places that want an edit and have none, in a line.
    pub left: Option<String>,
    /// Why they may fail in another build, with the place: no compiler here tells.
    pub elsewhere: Option<String>,
}

impl Fix {
    /// Returns true if every place of the change is edited.
    pub fn is_complete(&self) -> bool {
        self.applicability == Applicability::MachineApplicable
    }
}

/// A stretch of a real file and what to put there.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub text: String,
}

/// rustc's words for how safe a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// Right as it is.
    MachineApplicable,
    /// Uses may have to follow.
    MaybeIncorrect,
    /// Something is to be filled in.
    HasPlaceholders,
}

impl Applicability {
    /// As rustc's JSON spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Applicability::MachineApplicable => "MachineApplicable",
            Applicability::MaybeIncorrect => "MaybeIncorrect",
            Applicability::HasPlaceholders => "HasPlaceholders",
        }
    }
}

/// How many values of a type there are at once, as far as the code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Multiplicity {
    /// One a run: by its name, its derives, or because all that hold it are of that kind.
    Singleton,
    /// The code does not tell.
    Unknown,
    /// Only parameters, variables, iterators, channels or a loop have several: they are soon gone.
    Transient,
    /// Fields store it in collections, or it is a node of a tree.
    Stored {
        /// Collections around it, one inside the other, up to two; a node of a tree has two.
        depth: u8,
        /// Fields that store it, without those of types that exist once; a recursive type has two
        /// more.
        holders: u16,
    },
}

/// From so many fields on that store it there are many of a type, whatever else is known of it.
const MANY_HOLDERS: u16 = 3;

impl Multiplicity {
    /// As reports spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Multiplicity::Singleton => "few",
            Multiplicity::Unknown => "unknown",
            Multiplicity::Transient | Multiplicity::Stored { .. } => "many",
        }
    }

    /// True if fields store many of them.
    pub fn is_stored(self) -> bool {
        matches!(self, Multiplicity::Stored { .. })
    }

    /// True if there are many of many: one collection has tens as often as thousands.
    pub fn is_many(self) -> bool {
        self.is_nested() || self.holders() > 1
    }

    /// True for what collections of collections store, and for nodes of a tree.
    pub fn is_nested(self) -> bool {
        matches!(self, Multiplicity::Stored { depth, .. } if depth > 1)
    }

    /// Fields that store it.
    pub fn holders(self) -> u16 {
        match self {
            Multiplicity::Stored { holders, .. } => holders,
            _ => 0,
        }
    }

    /// True for what so many fields store that neither its name nor a channel says otherwise, and
    /// that little of each is enough.
    pub fn is_held_by_many(self) -> bool {
        self.holders() >= MANY_HOLDERS
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Shown only with `weigh::pedantic`.
    Possible,
    /// Probably true.
    Likely,
    /// Calculated, without a doubt.
    Proved,
}

impl Confidence {
    /// As reports spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Proved => "proved",
        }
    }

    /// One step less.
    pub fn lowered(self) -> Confidence {
        match self {
            Confidence::Proved => Confidence::Likely,
            _ => Confidence::Possible,
        }
    }
}
