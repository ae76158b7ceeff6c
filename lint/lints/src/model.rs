//! Read-only queries of the lints on an analysed workspace.

pub mod blocks;
pub mod boxing;
pub mod budgets;
pub mod errors;
pub mod exports;
pub mod facts;
pub mod freezing;
pub mod growth;
pub mod holders;
pub mod pairs;
pub mod parts;
pub mod pointers;
pub mod population;
mod shape;
pub mod texts;

pub use crate::analysis::{Assumed, Bodies, Texts, TypeInfo};

use crate::analysis::Analysis;
use crate::budget::{self, Purse};
use crate::finding::Evidence;
use crate::memo::Memo;
use crate::project::Project;
use crate::resolve::{CrateIx, ItemId};
use crate::span::Span;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// An analysed workspace, and what lints ask of it.
pub struct Model<'a> {
    analysis: Analysis<'a>,
    /// Budget for hypothetical layouts of types inside others.
    changes: Purse,
    /// Budgets asserted in anonymous constants (`const _`); read on first use.
    asserted: OnceLock<Box<[(ItemId, budgets::Budget)]>>,
    /// What the `pub use` items of each crate lead to.
    reexports: Memo<CrateIx, Arc<exports::Reexports>>,
}

impl<'a> Deref for Model<'a> {
    type Target = Analysis<'a>;
    fn deref(&self) -> &Analysis<'a> {
        &self.analysis
    }
}

impl Model<'_> {
    /// Reads the selected crates of a project and everything that their types refer to.
    ///
    /// # Errors
    /// Fails if the target's data layout cannot be parsed.
    pub fn read(project: Project, texts: &Texts) -> Result<Model<'static>, String> {
        Ok(Model {
            analysis: Analysis::read(project, texts)?,
            changes: Purse::new(budget::CHANGES),
            asserted: OnceLock::new(),
            reexports: Memo::default(),
        })
    }

    /// Returns the budget for hypothetical layouts of types inside others.
    pub fn budget(&self) -> &Purse {
        &self.changes
    }

    /// Makes evidence that points to a place in the code.
    pub fn evidence(&self, span: Span, text: impl Into<String>) -> Evidence {
        population::place(self.db, span, text)
    }
}
