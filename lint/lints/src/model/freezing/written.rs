//! The frozen type of a field as its author would write it: with the names that are in scope there.

use crate::ir::{Arg, Field, Path, Type};
use crate::source::Sources;

/// Longer types are not written out, in bytes.
const LONGEST: usize = 60;

/// Contents of the box for each string type.
const TEXTS: &[(&str, &str)] = &[
    ("CString", "CStr"),
    ("OsString", "OsStr"),
    ("PathBuf", "Path"),
    ("String", "str"),
];

/// Returns `Option<Box<[Row]>>` for `Option<Vec<Row>>`: boxes the outermost type of this name.
/// `None` if there is none, as behind an alias, if a macro wrote it, or if it is long.
pub(super) fn frozen(sources: &Sources, field: &Field, kind: &str) -> Option<String> {
    let ((whole, true), (buffer, true)) = (
        sources.origin(field.ty_span),
        sources.origin(outermost(&field.ty, kind)?.span),
    ) else {
        return None;
    };
    let (from, to) = (whole.range(), buffer.range());
    if whole.file != buffer.file || to.start < from.start || to.end > from.end {
        return None;
    }
    let text = sources.text(whole);
    let (before, rest) = text.split_at(to.start - from.start);
    let (buffer, after) = rest.split_at(to.len());
    let boxed = match TEXTS.iter().find(|(name, _)| *name == kind) {
        // `str` has no path.
        Some((_, "str")) => "str".to_owned(),
        Some((_, name)) => format!("{}{name}", buffer.strip_suffix(kind)?),
        None => {
            let element = buffer.split_once('<')?.1.strip_suffix('>')?;
            format!("[{element}]")
        }
    };
    let text = format!("{before}Box<{boxed}>{after}");
    let words: Vec<_> = text.split_whitespace().collect();
    Some(words.join(" ")).filter(|text| text.len() <= LONGEST)
}

/// Finds the outermost path that ends in a name.
fn outermost<'t>(ty: &'t Type, name: &str) -> Option<&'t Path> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.segments.last()?;
    if last.name == name {
        return Some(path);
    }
    let mut args = last.args.iter().flat_map(|a| &a.args);
    args.find_map(|arg| match arg {
        Arg::Type(ty) => outermost(ty, name),
        Arg::Const(_) => None,
    })
}
