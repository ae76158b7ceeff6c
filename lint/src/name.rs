//! Interned identifiers: a `Name` is a number that stands for a string for the whole run.

use rustc_hash::FxHashMap;
use std::sync::{LazyLock, RwLock};

/// An interned string. Equality and hashing are those of a number; order by [`Name::as_str`],
/// since the numbers depend on the order in which files were read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

#[derive(Default)]
struct Table {
    by_str: FxHashMap<&'static str, u32>,
    strings: Vec<&'static str>,
}

// Leaked on purpose: identifiers live as long as the run, and there are few distinct ones.
static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(Default::default);

impl Name {
    /// The name of `s`; a raw identifier loses its `r#`.
    pub fn new(s: &str) -> Name {
        let s = s.strip_prefix("r#").unwrap_or(s);
        if let Some(&id) = TABLE.read().unwrap().by_str.get(s) {
            return Name(id);
        }
        let mut table = TABLE.write().unwrap();
        if let Some(&id) = table.by_str.get(s) {
            return Name(id);
        }
        let id = table.strings.len() as u32;
        let s: &'static str = Box::leak(s.into());
        table.strings.push(s);
        table.by_str.insert(s, id);
        Name(id)
    }

    /// The string.
    pub fn as_str(self) -> &'static str {
        TABLE.read().unwrap().strings[self.0 as usize]
    }
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
