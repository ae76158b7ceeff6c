//! The variables that a place in a body sees.

use crate::name::Name;
use rustc_hash::FxHashMap;

/// Variables in scope: the last of a name counts.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Each with its name, and the place here of the one that it hides.
    list: Vec<(Name, u32, Option<usize>)>,
    /// The place of the last of each name.
    last: FxHashMap<Name, usize>,
}

impl Scope {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds a variable.
    pub(super) fn push(&mut self, name: Name, local: u32) {
        let hidden = self.last.insert(name, self.list.len());
        self.list.push((name, local, hidden));
    }

    /// Leaves what came after the first so many.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.list.len() > len {
            let Some((name, _, hidden)) = self.list.pop() else {
                return;
            };
            match hidden {
                Some(at) => self.last.insert(name, at),
                None => self.last.remove(&name),
            };
        }
    }

    /// The variable that a name means.
    pub(super) fn get(&self, name: Name) -> Option<u32> {
        self.last.get(&name).map(|&at| self.list[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_last_of_those_that_are_left() {
        let (a, b) = (Name::new("a"), Name::new("b"));
        let mut scope = Scope::default();
        scope.push(a, 0);
        scope.push(b, 1);
        scope.push(a, 2);
        scope.push(a, 3);
        assert_eq!((scope.get(a), scope.get(b)), (Some(3), Some(1)));
        scope.truncate(3);
        assert_eq!((scope.get(a), scope.get(b)), (Some(2), Some(1)));
        scope.truncate(1);
        assert_eq!((scope.get(a), scope.get(b)), (Some(0), None));
        scope.truncate(0);
        assert_eq!((scope.get(a), scope.len()), (None, 0));
    }
}
