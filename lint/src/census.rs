//! What is really in a program's heap: counted on its memory, with the types of its own debug
//! information.

pub mod count;
pub mod dwarf;
pub mod image;
pub mod plan;
pub mod rules;
pub mod site;
pub mod types;
pub mod walk;
