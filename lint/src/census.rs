//! What is really in a program's heap: counted on its memory, with the types of its own debug
//! information.

#[cfg(unix)]
pub mod build;
pub mod count;
pub mod dwarf;
pub mod file;
pub mod image;
pub mod join;
pub mod plan;
pub mod rules;
#[cfg(unix)]
pub mod run;
pub mod site;
pub mod types;
pub mod walk;

/// A census, and how the program ended.
#[derive(Debug)]
pub struct Taken {
    /// What was counted.
    pub census: count::Census,
    /// Why the program is to be looked at: it failed, or was ended.
    pub failure: Option<String>,
    /// What the user should know of the moment.
    pub notes: Vec<String>,
}
