//! The result for each finding: a table for people, lines of JSON for programs.

use super::super::Terminal;
use super::sizes::Answers;
use crate::check::Diagnostic;
use crate::fix::candidates::Candidate;
use crate::fix::search::Dropped;
use crate::model::Model;
use crate::project::Project;
use crate::report::{Place, Places, count};
use crate::visible;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// The outcome for a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Became {
    Fixed,
    Dropped,
    LeftOut,
}

/// A row of the table.
// weigh: allow(unfrozen_vec, reason = "there is one for each finding that is tried")
#[derive(Debug, Serialize)]
pub(super) struct Row {
    lint: &'static str,
    package: String,
    #[serde(rename = "type")]
    ty: String,
    field: Option<String>,
    file: String,
    line: usize,
    title: Option<String>,
    outcome: Became,
    /// The number of edited places.
    places: usize,
    files: Vec<PathBuf>,
    compiled: Option<bool>,
    /// Whether other packages see the change.
    breaking: bool,
    /// Why it was not fixed.
    reason: Option<String>,
    /// Places that are not edited although the edits compile here: other builds may compile them.
    not_edited: Option<String>,
    error: Option<Error>,
    /// Size according to rustc.
    size_before: Option<u64>,
    /// Size according to rustc.
    size_after: Option<u64>,
    size_promised: Option<u64>,
}

/// The first error of the compiler.
#[derive(Debug, Serialize)]
struct Error {
    message: String,
    file: Option<PathBuf>,
    line: Option<usize>,
    column: Option<usize>,
}

impl Row {
    fn of(candidate: &Candidate, outcome: Became, sizes: &Answers) -> Row {
        // A size that stays is not what the finding is about, such as that of a key.
        let sizes = sizes.of(candidate).filter(|(before, after)| after < before);
        Row {
            lint: candidate.lint,
            package: candidate.package.clone(),
            ty: candidate.ty.clone(),
            field: candidate.field.clone(),
            file: candidate.place.file.clone(),
            line: candidate.place.start.0,
            title: Some(candidate.title.clone()),
            outcome,
            places: candidate.places(),
            files: candidate.patch.keys().cloned().collect(),
            compiled: None,
            breaking: candidate.breaking,
            reason: None,
            not_edited: None,
            error: None,
            size_before: sizes.map(|s| s.0),
            size_after: sizes.map(|s| s.1),
            size_promised: candidate.size_after,
        }
    }

    pub(super) fn fixed(candidate: &Candidate, sizes: &Answers) -> Row {
        Row {
            compiled: Some(true),
            not_edited: candidate.left.clone(),
            ..Row::of(candidate, Became::Fixed, sizes)
        }
    }

    pub(super) fn dropped(candidate: &Candidate, why: &Dropped, sizes: &Answers) -> Row {
        let mut row = Row::of(candidate, Became::Dropped, sizes);
        (row.size_before, row.size_after) = (None, None);
        let reason = match why {
            Dropped::Compiler(message, place) => {
                row.compiled = Some(false);
                row.error = Some(Error {
                    message: message.clone(),
                    file: place.as_ref().map(|p| p.0.clone()),
                    line: place.as_ref().map(|p| p.1),
                    column: place.as_ref().map(|p| p.2),
                });
                match place {
                    Some((file, line, column)) => {
                        format!("{}:{line}:{column}: {message}", file.display())
                    }
                    None => message.clone(),
                }
            }
            Dropped::Test(test) => {
                row.compiled = Some(true);
                format!("this test fails with it: {test}")
            }
            Dropped::Size(before, after) => {
                row.compiled = Some(true);
                (row.size_before, row.size_after) = (Some(*before), Some(*after));
                "the type is not smaller, according to rustc".to_owned()
            }
            Dropped::Overlap => {
                row.outcome = Became::LeftOut;
                "it conflicts with a more valuable fix: run `cargo weigh fix` again".to_owned()
            }
        };
        row.reason = Some(reason);
        row
    }

    /// Returns the row of a finding that cannot be tried.
    pub(super) fn left_out(
        model: &Model<'static>,
        places: &Places,
        diagnostic: &Diagnostic,
        why: String,
    ) -> Row {
        let krate = model.db.krate(diagnostic.krate).id;
        let package = krate.map(|id| model.db.project.krate(id).package.clone());
        let Place { file, start, .. } = places.of(diagnostic.finding.primary.span);
        Row {
            lint: diagnostic.lint.name,
            package: package.unwrap_or_default(),
            ty: diagnostic.ty.clone(),
            field: diagnostic.finding.field.clone(),
            file,
            line: start.0,
            title: None,
            outcome: Became::LeftOut,
            places: 0,
            files: Vec::new(),
            compiled: None,
            breaking: false,
            reason: Some(why),
            not_edited: None,
            error: None,
            size_before: None,
            size_after: None,
            size_promised: None,
        }
    }

    fn subject(&self) -> String {
        match &self.field {
            Some(field) => format!("{}::{}", self.ty, field.replace('.', "::")),
            None => self.ty.clone(),
        }
    }
}

/// The result of a run.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) rows: Vec<Row>,
    /// The number of findings whose remedies have no edits.
    pub(super) without: usize,
    /// The number of findings that only the pedantic group reports.
    pub(super) pedantic: usize,
    /// The number of files that change.
    pub(super) files: usize,
    /// Why a file, which is named, is not formatted.
    pub(super) unformatted: Option<String>,
    pub(super) dry_run: bool,
    pub(super) tested: bool,
}

impl Outcome {
    fn number(&self, of: Became) -> usize {
        self.rows.iter().filter(|row| row.outcome == of).count()
    }

    /// Returns a summary in one line.
    fn summary(&self) -> String {
        let mut text = count(self.number(Became::Fixed), "finding");
        if self.files > 0 {
            let _ = write!(text, " in {}", count(self.files, "file"));
        }
        let others = [
            (self.number(Became::Dropped), "dropped"),
            (self.number(Became::LeftOut), "left out"),
        ];
        for (n, word) in others.iter().filter(|(n, _)| *n > 0) {
            let _ = write!(text, ", {n} {word}");
        }
        if self.dry_run {
            text.push_str("; nothing was changed");
        }
        text
    }

    /// Returns further notes for the user.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.without > 0 {
            let n = count(self.without, "finding");
            notes.push(format!("{n} without edits that can be tried"));
        }
        if self.pedantic > 0 {
            let n = count(self.pedantic, "finding");
            notes.push(format!("{n} with `-W weigh::pedantic` only"));
        }
        if let Some(why) = &self.unformatted {
            notes.push(format!("not formatted, as `rustfmt` cannot: {why}"));
        }
        if !self.tested && self.number(Became::Fixed) > 0 {
            notes.push("the code compiles; use `--test` to also run the tests".to_owned());
        }
        notes.extend(self.breaking());
        notes
    }

    /// Returns which packages' users have to follow.
    fn breaking(&self) -> Option<String> {
        let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let fixed = self.rows.iter().filter(|r| r.outcome == Became::Fixed);
        for row in fixed.filter(|row| row.breaking) {
            packages.entry(&row.package).or_default().insert(&row.ty);
        }
        let each = packages
            .iter()
            .map(|(package, types)| format!("`{package}`: {}", count(types.len(), "type")));
        let each: Vec<_> = each.collect();
        (!each.is_empty()).then(|| {
            format!(
                "changes the public API of {}; `--no-breaking` leaves that out",
                each.join(", ")
            )
        })
    }

    /// Prints the result.
    pub(super) fn print(
        &self,
        terminal: &Terminal,
        json: bool,
        project: &Project,
    ) -> Result<(), String> {
        terminal.write(&self.text(json, project))?;
        let verb = if self.dry_run { "Checked" } else { "Fixed" };
        terminal.status(verb, &self.summary());
        for note in self.notes() {
            terminal.note(&note);
        }
        Ok(())
    }

    /// Returns the text for stdout.
    fn text(&self, json: bool, project: &Project) -> Vec<u8> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        // What others have to follow comes first.
        rows.sort_by_key(|row| (row.outcome, !row.breaking));
        let mut text = String::new();
        match json {
            true => {
                for row in rows {
                    let line = serde_json::to_string(row).unwrap_or_default();
                    let _ = writeln!(text, "{line}");
                }
                let end = serde_json::json!({
                    "outcome": "summary",
                    "fixed": self.number(Became::Fixed),
                    "dropped": self.number(Became::Dropped),
                    "left_out": self.number(Became::LeftOut),
                    "without_edits": self.without,
                    "files": self.files,
                    "dry_run": self.dry_run,
                    "rustc": project.release.version,
                    "triple": project.target.triple,
                });
                let _ = writeln!(text, "{end}");
            }
            false if rows.is_empty() => {}
            false => table(&mut text, &rows),
        }
        text.into_bytes()
    }
}

fn table(text: &mut String, rows: &[&Row]) {
    let head = ["finding", "places", "compiled", "size by rustc"];
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|row| {
            let yes = match row.compiled {
                Some(true) => "yes",
                Some(false) => "no",
                None => "-",
            };
            let size = match (row.size_before, row.size_after) {
                (Some(before), Some(after)) => format!("{before} → {after}"),
                // The type is generic, say, or private to a function.
                _ if row.outcome == Became::Fixed && row.size_promised.is_some() => {
                    "not confirmed".to_owned()
                }
                _ => "-".to_owned(),
            };
            let subject = format!("{} `{}`", row.lint, visible::line(&row.subject()));
            [subject, row.places.to_string(), yes.to_owned(), size]
        })
        .collect();
    let width = |n: usize| {
        let cells = cells.iter().map(|row| row[n].chars().count());
        cells.max().unwrap_or(0).max(head[n].len())
    };
    let widths = [width(0), width(1), width(2)];
    let mut line = |row: [&str; 4]| {
        let [a, b, c] = widths;
        let line = format!("{:a$}  {:>b$}  {:c$}  {}", row[0], row[1], row[2], row[3]);
        let _ = writeln!(text, "{}", line.trim_end());
    };
    line(head);
    for (row, cells) in rows.iter().zip(&cells) {
        line([&cells[0], &cells[1], &cells[2], &cells[3]]);
        let what = match (&row.title, &row.reason) {
            (Some(title), None) => title.clone(),
            (_, Some(reason)) => match row.outcome {
                Became::Dropped => format!("dropped: {reason}"),
                _ => format!("left out: {reason}"),
            },
            (None, None) => continue,
        };
        line([&format!("    {}", visible::line(&what)), "", "", ""]);
        if row.breaking && row.outcome == Became::Fixed {
            line(["    changes the public API", "", "", ""]);
        }
        if let Some(left) = &row.not_edited {
            line([&format!("    {}", visible::line(left)), "", "", ""]);
        }
    }
}
