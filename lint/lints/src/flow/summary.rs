//! Summaries: what becomes of a value in one function, found once for each variable, argument and
//! result, and where it goes on from there.

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How code accesses a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As a place expression.
    Place,
    /// By `&`.
    Shared,
    /// By `&mut`.
    Mut,
    /// By value, moved out of its place.
    Owned,
}

impl Mode {
    /// Returns the mode after a move out of the place.
    pub fn by_value(self) -> Mode {
        match self {
            Mode::Place => Mode::Owned,
            mode => mode,
        }
    }
}

/// What has a value in a function, by the index of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A variable, an argument included.
    Local(usize, u32, Mode),
    /// Calls of the function, which returns it.
    Calls(usize, Mode),
}

/// What is done with a value in a function, and what has it next.
pub type Summary<U> = (Vec<U>, Vec<Node>);

/// The summaries that were found.
pub type Summaries<U> = FxHashMap<Node, Rc<Summary<U>>>;

/// Calls `each` with the uses of a summary and of all that it leads to, except what was seen.
pub fn reach<U>(
    known: &mut Summaries<U>,
    from: Summary<U>,
    seen: &mut FxHashSet<Node>,
    find: impl Fn(Node) -> Summary<U>,
    mut each: impl FnMut(&U),
) {
    let mut queue = vec![Rc::new(from)];
    while let Some(summary) = queue.pop() {
        summary.0.iter().for_each(&mut each);
        for &node in summary.1.iter().filter(|node| seen.insert(**node)) {
            let found = known.entry(node).or_insert_with(|| Rc::new(find(node)));
            queue.push(Rc::clone(found));
        }
    }
}
