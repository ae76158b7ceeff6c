//! What the `derive` attributes of an item list.

use super::{Attrs, Meta};

impl Attrs {
    /// What is derived, in order; those of a `cfg_attr` too, whether or not it holds.
    pub fn derived(&self) -> impl Iterator<Item = &Meta> {
        let derives = self.list.iter().filter(|a| a.meta.path == ["derive"]);
        derives.flat_map(|a| &a.meta.list)
    }

    /// True if something of this name is derived, however its path begins.
    pub fn derives(&self, name: &str) -> bool {
        self.derives_any(&[name])
    }

    /// The same of one of several names.
    pub fn derives_any(&self, names: &[&str]) -> bool {
        let mut last = self.derived().filter_map(|m| m.path.last());
        last.any(|n| names.contains(&n.as_str()))
    }
}
