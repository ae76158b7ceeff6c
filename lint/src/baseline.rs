//! The baseline: accepted findings, stored in a file and matched by their subject.
//!
//! The file is a JSON list with one finding per line. Commas come first, so that adding a line on
//! one branch never changes a line added on another.

use crate::check::{By, Checked, Diagnostic};
use crate::config::Level;
use crate::lint::Group;
use crate::lints::LINTS;
use crate::model::Model;
use crate::project::{CrateKind, ExactFor};
use crate::resolve::{CrateIx, Problem};
use crate::seen;
use crate::span::Span;
use crate::visible;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Its name in the workspace root.
pub const FILE: &str = "weigh.baseline.json";

/// The version of the format.
const VERSION: u32 = 1;

/// The findings that are not reported again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<Entry>,
}

/// A finding, without its line number.
#[derive(Clone, Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    package: String,
    lint: String,
    #[serde(rename = "type")]
    ty: String,
    field: Option<String>,
    /// Informative only.
    size_before: Option<u64>,
    /// Informative, and to determine what a run could have found.
    target: Option<String>,
    /// The triples for which it holds, if the file covers several: identical findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    triples: Vec<String>,
}

/// The key by which a finding is matched: package, lint, type and field.
type Key = (String, String, String, Option<String>);

impl Entry {
    fn key(&self) -> Key {
        let (package, lint) = (self.package.clone(), self.lint.clone());
        (package, lint, self.ty.clone(), self.field.clone())
    }

    /// Describes it in words.
    pub fn shown(&self) -> String {
        let field = self.field.as_deref();
        let field = field.map_or_else(String::new, |f| format!(" (`{f}`)"));
        let text = format!("{} in `{}`{field} of {}", self.lint, self.ty, self.package);
        visible::line(&text).into_owned()
    }
}

/// The first line of the file.
#[derive(Serialize)]
struct Head<'a> {
    weigh: &'static str,
    version: u32,
    #[serde(flatten)]
    exact_for: ExactFor<'a>,
}

/// A line of the file: the first is the header, which has only a version.
#[derive(Deserialize)]
struct Line {
    version: Option<u32>,
    package: Option<String>,
    lint: Option<String>,
    #[serde(rename = "type")]
    ty: Option<String>,
    field: Option<String>,
    size_before: Option<u64>,
    target: Option<String>,
    #[serde(default)]
    triples: Vec<String>,
}

impl Line {
    /// Converts it to an entry; `None` for the header.
    fn entry(self) -> Result<Option<Entry>, String> {
        match self.version {
            Some(version) if version > VERSION => {
                return Err("it was written by a newer cargo-weigh".to_owned());
            }
            Some(_) => return Ok(None),
            None => {}
        }
        let missing = |key: &str| format!("a finding without `{key}`");
        Ok(Some(Entry {
            package: self.package.ok_or_else(|| missing("package"))?,
            lint: self.lint.ok_or_else(|| missing("lint"))?,
            ty: self.ty.ok_or_else(|| missing("type"))?,
            field: self.field,
            size_before: self.size_before,
            target: self.target,
            triples: self.triples,
        }))
    }
}

/// The result of applying a baseline to a run.
#[derive(Debug, Default)]
pub struct Settled {
    /// Entries that no longer occur.
    pub stale: Vec<Entry>,
    /// The baseline to write.
    pub now: Baseline,
}

impl Baseline {
    /// Reads the file, if it exists.
    ///
    /// # Errors
    /// Fails if it cannot be read or parsed.
    pub fn read(model: &Model<'static>, path: &Path) -> Result<Option<Baseline>, Problem> {
        if !seen::exists(path) {
            return Ok(None);
        }
        let problem = |span, message| Problem {
            span,
            file: Some(path.to_owned()),
            message,
            own: true,
        };
        let source = model.db.sources.load(path);
        let source = source.map_err(|message| problem(None, message))?;
        Baseline::parse(&source.text)
            .map(Some)
            .map_err(|(line, why)| {
                let starts = source.line_starts();
                let start = starts[line.clamp(1, starts.len()) - 1] as usize;
                let rest = source.text[start..].lines().next().unwrap_or_default();
                let span = Span::new(source.id, start, start + rest.len());
                let message = format!("the baseline is not understood: {why}");
                problem(Some(span), message)
            })
    }

    /// Parses the entries; on failure returns the line, counted from 1, and the error.
    fn parse(text: &str) -> Result<Baseline, (usize, String)> {
        let lines: Vec<Line> = serde_json::from_str(text).map_err(|e| {
            let why = e.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            (e.line(), why.to_owned())
        })?;
        let mut entries = Vec::new();
        for line in lines {
            entries.extend(line.entry().map_err(|why| {
                let faulty = |line: &str| {
                    let line = line.trim_matches([',', '[', ']', ' ', '\r']);
                    serde_json::from_str(line).is_ok_and(|l: Line| l.entry().is_err())
                };
                // A reformatted file does not have one line per entry.
                (text.lines().position(faulty).map_or(1, |n| n + 1), why)
            })?);
        }
        Ok(Baseline { entries })
    }

    /// Formats the file, with what its sizes are exact for.
    pub fn text(&self, exact_for: ExactFor) -> String {
        let head = Head {
            weigh: "baseline",
            version: VERSION,
            exact_for,
        };
        // It has only strings and a number: this cannot fail.
        let head = serde_json::to_string(&head).unwrap_or_default();
        let mut text = format!("[{head}\n");
        for entry in &self.entries {
            // An entry has only strings and numbers: this cannot fail.
            let line = serde_json::to_string(entry).unwrap_or_default();
            text.push_str(&format!(",{line}\n"));
        }
        text.push_str("]\n");
        text
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes its findings from the runs; all findings if the baseline is being `written`.
    pub fn settle(
        &self,
        models: &[Model<'static>],
        runs: &mut [Checked],
        written: bool,
    ) -> Settled {
        let whole = runs.iter().flat_map(|r| &r.problems).all(|p| !p.own);
        let mut left: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        for (at, entry) in self.entries.iter().enumerate().rev() {
            left.entry(entry.key()).or_default().push(at);
        }
        let mut gone = vec![true; self.entries.len()];
        let mut now = Vec::new();
        let mut occurs = |entry: Entry, keep: bool| {
            // Of several equal findings, the first are the old ones.
            let old = left.get_mut(&entry.key()).and_then(Vec::pop);
            old.inspect(|&at| gone[at] = false);
            if keep || old.is_some() {
                now.push(entry);
            }
            old.is_some()
        };
        for (model, checked) in models.iter().zip(&mut *runs) {
            for d in &checked.unsure {
                // It is not shown, so it is not new; it is not stale either.
                occurs(entry(model, d), false);
            }
            let Checked {
                diagnostics,
                hidden,
                ..
            } = checked;
            diagnostics.retain(|d| {
                let about_comments = d.lint.group == Group::Comments;
                // What rests on an assumption is recorded nowhere.
                let is_certain = d.finding.assuming.is_empty();
                let keep = about_comments
                    || !(occurs(entry(model, d), is_certain) | (written && is_certain));
                hidden.extend((!keep).then(|| d.hidden(By::Baseline)));
                keep
            });
        }
        let gone = self.entries.iter().zip(gone).filter(|(_, gone)| *gone);
        let runs = models.iter().zip(&*runs);
        let runs: Vec<Run> = runs
            .map(|(model, checked)| Run::new(model, checked))
            .collect();
        let mut stale = Vec::new();
        for (entry, _) in gone {
            match whole && runs.iter().any(|run| run.would_find(entry)) {
                true => stale.push(entry.clone()),
                false => now.push(entry.clone()),
            }
        }
        now.sort();
        stale.sort();
        let now = Baseline { entries: now };
        Settled { stale, now }
    }
}

/// What was analysed.
struct Run<'r> {
    model: &'r Model<'static>,
    checked: &'r Checked,
    /// Package and target of each selected crate.
    targets: FxHashSet<(&'r str, String)>,
    /// A selected crate of each package.
    packages: FxHashMap<&'r str, CrateIx>,
}

impl<'r> Run<'r> {
    fn new(model: &'r Model<'static>, checked: &'r Checked) -> Run<'r> {
        let project = model.db.project;
        let selected = project.selected.iter();
        let selected = selected.map(|id| (project.krate(*id).package.as_str(), id.0));
        let targets = selected
            .clone()
            .map(|(of, krate)| (of, target(model, krate)));
        Run {
            model,
            checked,
            targets: targets.collect(),
            // The last one of a package counts: its first crate.
            packages: selected.rev().collect(),
        }
    }

    /// Returns true if a finding would have been found if it still existed.
    fn would_find(&self, entry: &Entry) -> bool {
        let package = entry.package.as_str();
        let triple = &self.model.db.project.target.triple;
        if !entry.triples.is_empty() && !entry.triples.contains(triple) {
            return false;
        }
        let there = match &entry.target {
            Some(target) => self.targets.contains(&(package, target.clone())),
            None => self.packages.contains_key(package),
        };
        // A removed lint finds nothing.
        let lint = LINTS.iter().find(|l| l.name == entry.lint);
        let asked = lint
            .zip(self.packages.get(package))
            .is_none_or(|(lint, krate)| {
                let levels = self.checked.config.of(*krate);
                levels.level(lint.name, lint.group.as_str(), lint.level) > Level::Allow
            });
        there && asked
    }
}

fn entry(model: &Model<'static>, d: &Diagnostic) -> Entry {
    let id = model.db.krate(d.krate).id;
    let package = id.map_or("", |id| &model.db.project.krate(id).package);
    Entry {
        package: package.to_owned(),
        lint: d.lint.name.to_owned(),
        ty: d.ty.clone(),
        field: d.finding.field.clone(),
        size_before: d.finding.size_before,
        target: Some(target(model, d.krate)),
        triples: d.triples.clone(),
    }
}

/// Returns `lib`, or the kind and name of another target.
fn target(model: &Model<'static>, krate: CrateIx) -> String {
    let Some(id) = model.db.krate(krate).id else {
        return String::new();
    };
    let krate = model.db.project.krate(id);
    let kind = match krate.kind {
        CrateKind::Lib | CrateKind::ProcMacro => return "lib".to_owned(),
        CrateKind::Bin => "bin",
        CrateKind::Example => "example",
        CrateKind::Test => "test",
        CrateKind::Bench => "bench",
    };
    format!("{kind} {}", krate.target_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT_FOR: ExactFor = ExactFor {
        rustc: "1.99.0",
        triple: "x",
        project_config: None,
    };

    fn entry(lint: &str, field: Option<&str>) -> Entry {
        Entry {
            package: "p".to_owned(),
            lint: lint.to_owned(),
            ty: "m::T".to_owned(),
            field: field.map(str::to_owned),
            size_before: Some(104),
            target: Some("lib".to_owned()),
            triples: Vec::new(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let entries = vec![entry("fat", None), entry("fat", Some("A"))];
        let baseline = Baseline { entries };
        let text = baseline.text(EXACT_FOR);
        assert_eq!(text.lines().count(), 4);
        assert_eq!(Baseline::parse(&text), Ok(baseline));
        let empty = Baseline::default();
        assert_eq!(Baseline::parse(&empty.text(EXACT_FOR)), Ok(empty));
        // As a formatter may have left it.
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(Baseline::parse(&pretty).unwrap().len(), 2);
    }

    #[test]
    fn lines_of_two_branches_do_not_touch() {
        let text = |entries: &[Entry]| {
            let entries = entries.to_vec();
            Baseline { entries }.text(EXACT_FOR)
        };
        let (a, b) = (entry("a", None), entry("b", None));
        let both = [a, b];
        let (one, two) = (text(&both[..1]), text(&both));
        let kept = one.lines().all(|line| two.lines().any(|l| l == line));
        assert!(kept, "{two}");
    }

    #[test]
    fn faults_have_lines() {
        let head = "[{\"weigh\":\"baseline\",\"version\":1}\n";
        let bad = [
            (format!("{head}<<<<<<< ours\n]"), 2, "expected"),
            (
                format!("{head},{{\"package\":\"p\",\"lint\":3}}\n]"),
                2,
                "invalid type",
            ),
            (
                format!("{head}\n,{{\"package\":\"p\",\"lint\":\"l\"}}\n]"),
                3,
                "without `type`",
            ),
            ("[{\"version\":2}]".to_owned(), 1, "newer"),
            (String::new(), 1, "EOF"),
        ];
        for (text, line, why) in bad {
            let (at, said) = Baseline::parse(&text).unwrap_err();
            assert!(at.max(1) == line && said.contains(why), "{at}: {said}");
        }
    }
}
