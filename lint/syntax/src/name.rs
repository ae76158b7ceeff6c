//! The identifier interner: a `Name` is the index of a string that lives for the whole run.

use crate::place::Place;
use elsa::sync::LockFreeFrozenVec;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{LazyLock, RwLock};
use unicode_normalization::UnicodeNormalization;

/// An interned string. Equality and hashing use the index; sort by [`Name::as_str`], since indices
/// depend on the order in which files are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(Place);

/// Number of shards: threads that intern different names rarely contend.
const PARTS: usize = 64;

type Part = RwLock<FxHashMap<&'static str, Place>>;

// Leaked on purpose: identifiers live for the whole run, and few are distinct.
static BY_STR: LazyLock<[Part; PARTS]> = LazyLock::new(|| std::array::from_fn(|_| Part::default()));

/// Strings by index; lock-free, because it is read far more often than written.
static STRINGS: LockFreeFrozenVec<&'static str> = LockFreeFrozenVec::new();

impl Name {
    /// Interns `s`. Strips `r#`, and normalises to NFC as rustc's lexer does, so that canonically
    /// equivalent identifiers are one name.
    pub fn new(s: &str) -> Name {
        let s = s.strip_prefix("r#").unwrap_or(s);
        // Other bits of the hash than those that the map uses.
        let part = (FxBuildHasher.hash_one(s) >> 32) as usize % PARTS;
        let part = &BY_STR[part];
        if let Some(&id) = part.read().unwrap().get(s) {
            return Name(id);
        }
        // Interned before locking: it may be in the same shard.
        let composed = (!s.is_ascii()).then(|| s.nfc().collect::<String>());
        let same = composed.filter(|c| c != s).map(|c| Name::new(&c));
        let mut part = part.write().unwrap();
        if let Some(&id) = part.get(s) {
            return Name(id);
        }
        let s: &'static str = Box::leak(s.into());
        let id = match same {
            Some(name) => name.0,
            None => Place::new(STRINGS.push(s)),
        };
        part.insert(s, id);
        Name(id)
    }

    /// Returns the string.
    pub fn as_str(self) -> &'static str {
        STRINGS.get(self.0.index()).unwrap_or_default()
    }
}

/// Returns true if rustc treats two identifiers as the same after NFC normalisation.
pub fn same_identifier(a: &str, b: &str) -> bool {
    a == b || !(a.is_ascii() && b.is_ascii()) && a.nfc().eq(b.nfc())
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// Returns the words of a text: what may be identifiers or keywords, and numbers.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    all.filter(|word| !word.is_empty())
}
