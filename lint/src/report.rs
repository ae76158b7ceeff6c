//! Findings in the forms that people, editors and CI read: one report, one file a form.

mod human;
mod json;
mod place;

pub use human::{problem, wrapped};
pub use place::{Place, Places, relative};

use crate::check::Checked;
use crate::model::{Model, TypeInfo};
use std::io::{self, Write};

/// The Rust release whose layouts the calculator gives.
pub const RUSTC: &str = "1.95.0";

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: source, labels, numbers.
    Human,
    /// One line a finding.
    Short,
    /// Cargo's lines of JSON.
    Json(Rendered),
}

/// What a line of JSON holds as its text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// The human form.
    Plain,
    /// The human form with colours.
    Ansi,
    /// The short form.
    Short,
}

/// What there is to report.
pub struct Report<'r> {
    /// The workspace.
    pub model: &'r Model<'static>,
    /// What was found in it.
    pub checked: &'r Checked,
    /// The run ends with status 0.
    pub success: bool,
}

/// Writes a report; colours as ANSI sequences, for the stream to keep or drop.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Report, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(report.model);
    match format {
        Format::Human => {
            for d in &report.checked.diagnostics {
                out.write_all(human::rich(&places, d, true).as_bytes())?;
            }
        }
        Format::Short => {
            for d in &report.checked.diagnostics {
                writeln!(out, "{}", human::short(&places, d))?;
            }
        }
        Format::Json(rendered) => json::write(report, &places, rendered, out)?,
    }
    Ok(())
}

/// Writes what comes behind a report, and behind what others have to say in its form.
///
/// # Errors
/// Those of `out`.
pub fn end(format: Format, success: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json(_) => json::end(success, out),
        _ => Ok(()),
    }
}

/// Name of the package that defines a type; empty for the standard library.
pub fn package<'m>(model: &'m Model<'static>, info: &TypeInfo) -> &'m str {
    let id = model.db.krate(info.krate).id;
    id.map_or("", |id| &model.db.project.krate(id).package)
}

/// A number with its noun.
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// A warning if a project's compiler is not the one that sizes are exact for.
pub fn other_rustc(version: &str) -> Option<String> {
    let minor = |v: &str| {
        v.splitn(3, '.')
            .take(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    (minor(version) != minor(RUSTC)).then(|| {
        format!(
            "the project's rustc is {version}; sizes are exact for rustc {RUSTC} and may differ \
             (`cargo weigh verify` holds them against yours)"
        )
    })
}
