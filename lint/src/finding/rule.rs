//! The rules by which a true finding is not worth saying by default.

/// Why a finding is only for `weigh::pedantic`, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The type exists once a run.
    Singleton,
    /// Nothing shows that there are many.
    UnknownNumber,
    /// There are several, but not for long.
    Transient,
    /// No more than one field stores it in a collection.
    OneCollection,
    /// A channel passes it on.
    Channel,
    /// What would be boxed is what many values are.
    CommonVariant,
    /// What would be boxed stands first, where authors put what is common.
    ListedFirst,
    /// Only the values of one variant have what it is about.
    OneVariant,
    /// There is one other variant, or none with data.
    TwoVariants,
    /// The contents of many variants would have to be boxed, or of several for too little.
    ManyBoxes,
    /// The part that would be boxed is a generic parameter.
    Parameter,
    /// What is stored many times stays as large.
    NothingShrinks,
    /// What is stored many times loses too little.
    SmallSaving,
    /// The uses leave a doubt.
    NotProved,
    /// Types with such a name are rarely many.
    RoleName,
    /// A generator wrote the file.
    Generated,
    /// It is a tool of its workspace, or of its tests.
    Tool,
    /// It is read once, from what a user has configured.
    Configuration,
    /// It makes Rust code, once.
    MakesCode,
    /// Values are made to be written out, or used up, at once.
    ShortLived,
    /// It is an error: there is one at a time.
    ErrorType,
    /// Many functions that return it are `async`: what they wait for takes longer than a move.
    Awaited,
    /// Other packages may change what the evidence rests on.
    Exported,
    /// The value is moved out where it is used.
    MovedOut,
    /// The loop is not inside another, nor in a function that a loop calls.
    OneLoop,
    /// Too few places show it.
    FewPlaces,
    /// An alias prescribes the pointer, here as elsewhere.
    Convention,
    /// An assertion of its author holds its size.
    SizeHeld,
    /// Much code has little to do with it, and the change is small or not simple.
    WeakCase,
    /// Of a package of many functions, this is rarely what counts.
    Incidental,
    /// Some places store more than the remedy has room for.
    SomeMore,
    /// Of much code little is about it.
    LittleUsed,
    /// What is stored was read from outside, and may be long.
    FromOutside,
    /// What makes it wide is only in builds with `debug_assertions`.
    OfDebugging,
    /// Threads share it.
    Synchronized,
    /// The remedy of another finding mends it.
    Repeated,
}

impl Rule {
    /// Those of a list that hold.
    pub fn holding<const N: usize>(rules: [(bool, Rule); N]) -> Vec<Rule> {
        let holding = rules.into_iter().filter(|(holds, _)| *holds);
        holding.map(|(_, rule)| rule).collect()
    }

    /// The rule in words: lower case, no full stop.
    pub fn text(self) -> &'static str {
        match self {
            Rule::Singleton => "there is one value a run",
            Rule::UnknownNumber => "nothing shows that there are many values",
            Rule::Transient => "only variables, parameters, iterators or channels hold several",
            Rule::OneCollection => "only one field stores it in a collection",
            Rule::Channel => "it goes through a channel, which holds few at a time",
            Rule::CommonVariant => "the variant to box looks like a common one",
            Rule::ListedFirst => "the variant to box is listed first, as common ones are",
            Rule::OneVariant => "only values of one variant hold it",
            Rule::TwoVariants => "no third variant shows that the wide one is rare",
            Rule::ManyBoxes => "it takes many boxes for what it saves",
            Rule::Parameter => "the part to box is a generic parameter",
            Rule::NothingShrinks => "what is stored many times stays as large",
            Rule::SmallSaving => "it saves little of each value",
            Rule::NotProved => "the uses leave a doubt",
            Rule::RoleName => "by its name, few exist at a time",
            Rule::Generated => "the file is generated",
            Rule::Tool => "it is a tool or an example of its workspace, or of its tests",
            Rule::Configuration => "it looks like configuration, of which there is little",
            Rule::MakesCode => "the package makes Rust code, and ends",
            Rule::ShortLived => "its values are used up at once",
            Rule::ErrorType => "an error exists once at a time",
            Rule::Awaited => "functions that return it wait for what takes longer",
            Rule::Exported => "other packages may use it in another way",
            Rule::MovedOut => "the buffer is moved out where it is used",
            Rule::OneLoop => "too few loops around it show how often",
            Rule::FewPlaces => "too few places show it",
            Rule::Convention => "an alias prescribes the pointer, here as elsewhere",
            Rule::SizeHeld => "an assertion holds it to this size",
            Rule::WeakCase => "little else shrinks with it, and the change is small or not simple",
            Rule::Incidental => "in a package of this size it rarely counts",
            Rule::SomeMore => "some places store more items",
            Rule::LittleUsed => "little of the code is about it",
            Rule::FromOutside => "some of what it holds comes from outside, or is not followed",
            Rule::OfDebugging => "it depends on `debug_assertions`, which release builds lack",
            Rule::Synchronized => "of locks and atomics there are few",
            Rule::Repeated => "the remedy of another finding mends it",
        }
    }
}
