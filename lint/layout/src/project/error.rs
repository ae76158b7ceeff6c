//! Why a project could not be loaded.

use std::fmt;

/// Why a project could not be loaded: what, where, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectError {
    /// The error, one line, lower case.
    pub message: String,
    /// The output of cargo or rustc.
    pub detail: Option<String>,
    /// Advice for the user.
    pub help: Option<String>,
}

impl ProjectError {
    pub(super) fn new(message: impl Into<String>) -> ProjectError {
        ProjectError {
            message: message.into(),
            detail: None,
            help: None,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> ProjectError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(detail) = &self.detail {
            write!(f, "\n{detail}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProjectError {}
