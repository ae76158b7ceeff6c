//! The source files of a run, in the interface that codespan needs.

use crate::report::{Places, place};
use crate::source::SourceFile;
use crate::span::FileId;
use crate::visible::{self, Shown};
use codespan_reporting::files::{Error, Files};
use std::ops::Range;
use std::sync::Arc;

/// A text that codespan owns.
pub enum Text {
    /// The stored text.
    Stored(Arc<SourceFile>),
    /// The text with invisible characters as escapes.
    Shown(Arc<Shown>),
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        match self {
            Text::Stored(file) => &file.text,
            Text::Shown(shown) => &shown.text,
        }
    }
}

// All offsets refer to the text as it is shown.
impl<'f> Files<'f> for Places {
    type FileId = FileId;
    type Name = String;
    type Source = Text;

    fn name(&'f self, id: FileId) -> Result<String, Error> {
        let path = self.path(&self.file(id).path);
        Ok(visible::line(&path).into_owned())
    }

    fn source(&'f self, id: FileId) -> Result<Text, Error> {
        Ok(match self.shown(id) {
            Some(shown) => Text::Shown(shown),
            None => Text::Stored(self.file(id)),
        })
    }

    fn line_index(&'f self, id: FileId, at: usize) -> Result<usize, Error> {
        let file = self.file(id);
        let at = self.stored(id, at).min(file.text.len()) as u32;
        Ok(file.line_starts().partition_point(|&s| s <= at) - 1)
    }

    fn column_number(&'f self, id: FileId, _: usize, at: usize) -> Result<usize, Error> {
        let file = self.file(id);
        let at = self.stored(id, at).min(file.text.len());
        Ok(place::line_col(&file, at as u32).1)
    }

    fn line_range(&'f self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        let file = self.file(id);
        let starts = file.line_starts();
        let Some(&start) = starts.get(line) else {
            return Err(Error::LineTooLarge {
                given: line,
                max: starts.len(),
            });
        };
        let end = starts
            .get(line + 1)
            .map_or(file.text.len(), |&e| e as usize);
        let shown = self.shown(id);
        let shown = |at: usize| shown.as_ref().map_or(at, |text| text.shown(at));
        Ok(shown(start as usize)..shown(end))
    }
}

impl Places {
    fn stored(&self, id: FileId, at: usize) -> usize {
        self.shown(id).map_or(at, |text| text.stored(at))
    }
}
