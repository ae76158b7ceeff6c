//! Interned identifiers: a `Name` is a number that stands for a string for the whole run.

use crate::place::Place;
use elsa::sync::LockFreeFrozenVec;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{LazyLock, RwLock};
use unicode_normalization::UnicodeNormalization;

/// An interned string. Equality and hashing are those of a number; order by [`Name::as_str`],
/// since the numbers depend on the order in which files were read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(Place);

/// Parts of the table: threads that intern different names rarely wait for one another.
const PARTS: usize = 64;

type Part = RwLock<FxHashMap<&'static str, Place>>;

// Leaked on purpose: identifiers live as long as the run, and there are few distinct ones.
static BY_STR: LazyLock<[Part; PARTS]> = LazyLock::new(|| std::array::from_fn(|_| Part::default()));

/// By number. Read far more often than written, so without a lock.
static STRINGS: LockFreeFrozenVec<&'static str> = LockFreeFrozenVec::new();

impl Name {
    /// The name of `s`; a raw identifier loses its `r#`, and what Unicode calls canonically
    /// equivalent is one name, as rustc's lexer has it (normalization form C).
    pub fn new(s: &str) -> Name {
        let s = s.strip_prefix("r#").unwrap_or(s);
        // Not the bits that the map itself goes by.
        let part = (FxBuildHasher.hash_one(s) >> 32) as usize % PARTS;
        let part = &BY_STR[part];
        if let Some(&id) = part.read().unwrap().get(s) {
            return Name(id);
        }
        // Before the lock: it may be of the same part.
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

    /// The string.
    pub fn as_str(self) -> &'static str {
        STRINGS.get(self.0.index()).unwrap_or_default()
    }
}

/// True if two identifiers are one to rustc, however their letters are composed.
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
