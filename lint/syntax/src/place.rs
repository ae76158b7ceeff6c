//! List indices of 4 bytes with a niche for `Option`.

use std::fmt;
use std::num::NonZeroU32;

/// A zero-based index into a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(NonZeroU32);

impl Place {
    /// Creates an index, which must be less than 2³² - 1; larger ones saturate.
    ///
    /// No list gets that long. A body would need four expressions or patterns per byte of a file,
    /// whose size is limited to 2³⁰ bytes before it is read (`budget::FILE_BYTES`; macro output is
    /// limited to less). Items and names of a run would fill 64 GB of memory before.
    pub fn new(index: usize) -> Place {
        let next = u32::try_from(index).ok().and_then(|i| i.checked_add(1));
        Place(next.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX))
    }

    /// Returns the index.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}

const _: () = assert!(size_of::<Option<Place>>() == size_of::<u32>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_0() {
        for index in [0, 1, u32::MAX as usize - 2] {
            assert_eq!(Place::new(index).index(), index);
        }
        assert!(Place::new(0) < Place::new(1));
        assert_eq!(format!("{:?}", Place::new(7)), "7");
    }
}
