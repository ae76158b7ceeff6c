//! The texts of a run as codespan asks for them.

use crate::report::{Places, place};
use crate::source::SourceFile;
use crate::span::FileId;
use codespan_reporting::files::{Error, Files};
use std::ops::Range;
use std::sync::Arc;

/// A text, as codespan wants to own it.
pub struct Text(Arc<SourceFile>);

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0.text
    }
}

impl<'f> Files<'f> for Places {
    type FileId = FileId;
    type Name = String;
    type Source = Text;

    fn name(&'f self, id: FileId) -> Result<String, Error> {
        Ok(self.path(&self.file(id).path))
    }

    fn source(&'f self, id: FileId) -> Result<Text, Error> {
        Ok(Text(self.file(id)))
    }

    fn line_index(&'f self, id: FileId, at: usize) -> Result<usize, Error> {
        let file = self.file(id);
        let at = at.min(file.text.len()) as u32;
        Ok(file.line_starts().partition_point(|&s| s <= at) - 1)
    }

    fn column_number(&'f self, id: FileId, _: usize, at: usize) -> Result<usize, Error> {
        let file = self.file(id);
        Ok(place::line_col(&file, at.min(file.text.len()) as u32).1)
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
        Ok(start as usize..end)
    }
}
