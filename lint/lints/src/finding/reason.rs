//! Facts of the code that speak against a finding that is true.

/// Why an author may well leave it as it is. None weighs in the worth: they are said beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It is an error: there is one at a time.
    Error,
    /// An assertion or an alias of its author prescribes what it is.
    Held,
    /// A channel or the code around it uses values up at once.
    Brief,
    /// Most places build what is put on the heap.
    Common,
    /// Some turns of a loop leave it empty.
    Empty,
    /// Only builds with `debug_assertions` have it.
    Debugging,
    /// Threads share it.
    Synchronized,
    /// Code that is not seen may use it in another way.
    Unseen,
    /// The remedy of another finding mends it.
    Repeated,
}

impl Reason {
    /// Those of a list that hold.
    pub fn holding<const N: usize>(reasons: [(bool, Reason); N]) -> Vec<Reason> {
        let holding = reasons.into_iter().filter(|(holds, _)| *holds);
        holding.map(|(_, reason)| reason).collect()
    }

    /// The reason in words: lower case, no full stop.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Error => "an error exists once at a time",
            Reason::Held => "its author prescribes it, here or by an alias",
            Reason::Brief => "its values are soon used up",
            Reason::Common => "most places build what would be on the heap",
            Reason::Empty => "where nothing fills it, it has no block",
            Reason::Debugging => "it depends on `debug_assertions`, which release builds lack",
            Reason::Synchronized => "threads share it, and of such there are few",
            Reason::Unseen => "code that is not seen may use it in another way",
            Reason::Repeated => "the remedy of another finding mends it",
        }
    }
}
