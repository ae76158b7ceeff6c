//! What is really in a program's heap: counted on its memory, with the types of its own debug
//! information.

#[cfg(target_os = "linux")]
pub mod build;
pub mod count;
pub mod dwarf;
pub mod file;
pub mod image;
pub mod join;
pub mod plan;
pub mod rules;
#[cfg(target_os = "linux")]
pub mod run;
pub mod site;
pub mod types;
pub mod walk;
