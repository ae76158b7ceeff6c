//! The variables in scope.

use crate::name::Name;
use rustc_hash::FxHashMap;

/// Variables in scope, with shadowing.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Each with its name, and the index in the list of the one that it shadows.
    list: Vec<(Name, u32, Option<usize>)>,
    /// For each name, the index of the innermost variable.
    last: FxHashMap<Name, usize>,
}

impl Scope {
    /// Returns the number of variables, including shadowed ones.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds a variable.
    pub(super) fn push(&mut self, name: Name, local: u32) {
        let hidden = self.last.insert(name, self.list.len());
        self.list.push((name, local, hidden));
    }

    /// Removes all but the first `len` variables.
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

    /// Returns the variable that a name refers to.
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
