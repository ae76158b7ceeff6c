//! What can be fixed: of each finding the best remedy that has edits, as edits of files.

use super::edits::{Patch, Replacement, contradict, join, with_its_line_ends};
use crate::check::{Diagnostic, is_generated};
use crate::finding::{Applicability, Finding, Fix, Remedy};
use crate::model::Model;
use crate::project::CrateKind;
use crate::report::{Place, Places};
use std::path::{Path, PathBuf};

/// A remedy that can be tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The lint.
    pub lint: &'static str,
    /// Name of the package.
    pub package: String,
    /// Name and kind of its target.
    pub target: (String, CrateKind),
    /// Path of the type, relative to the crate's root.
    pub ty: String,
    /// As [`Finding::field`].
    pub field: Option<String>,
    /// The remedy's title.
    pub title: String,
    /// Where the finding is, for people.
    pub place: Place,
    /// Bytes of one value, where it is about a size.
    pub size_before: Option<u64>,
    /// Bytes that are promised.
    pub size_after: Option<u64>,
    /// All places are edited, as far as the finding knows.
    pub complete: bool,
    /// The places that are not edited, in a line: the compiler may not see them here.
    pub left: Option<String>,
    /// What is to be done.
    pub patch: Patch,
}

/// What names a finding in another run.
pub type Key = (&'static str, String, String, Option<String>);

impl Candidate {
    /// What names it in another run.
    pub fn key(&self) -> Key {
        let Candidate {
            package, ty, field, ..
        } = self;
        (self.lint, package.clone(), ty.clone(), field.clone())
    }

    /// Places that are edited.
    pub fn places(&self) -> usize {
        self.patch.values().map(Vec::len).sum()
    }
}

/// Why a finding cannot be fixed here.
#[derive(Clone, Debug)]
pub enum Without {
    /// None of its remedies has edits that can be tried.
    Edits,
    /// A file that would change must not, and why.
    File(PathBuf, &'static str),
    /// A file is no longer what was read.
    Changed(PathBuf),
    /// A place that is not edited may be compiled by another build only.
    Elsewhere(String),
}

/// The best remedy with edits that can be tried: one with complete edits before one without.
fn best(finding: &Finding) -> Option<(&Remedy, &Fix)> {
    let with = |wanted| {
        let mut fixes = finding
            .remedies
            .iter()
            .filter_map(|r| Some((r, r.fix.as_deref()?)));
        fixes.find(|(_, fix)| fix.applicability == wanted && !fix.edits.is_empty())
    };
    with(Applicability::MachineApplicable).or_else(|| with(Applicability::MaybeIncorrect))
}

/// What a finding asks for, as edits of files below `root`, which were copied to `copy`.
///
/// # Errors
/// It has none, or none that may be done.
pub fn of(
    model: &Model<'static>,
    places: &Places,
    diagnostic: &Diagnostic,
    root: &Path,
    copy: &Path,
) -> Result<Candidate, Without> {
    let finding = &diagnostic.finding;
    let (remedy, fix) = best(finding).ok_or(Without::Edits)?;
    if let Some(place) = &fix.elsewhere {
        return Err(Without::Elsewhere(place.clone()));
    }
    let krate = model.db.krate(diagnostic.krate).id.ok_or(Without::Edits)?;
    let sources = &model.db.sources;
    let mut patch = Patch::new();
    for edit in &fix.edits {
        let file = sources.get(edit.span.file);
        let path = editable(&file.path, &file.text, root)?;
        if file.expansion.is_some() {
            return Err(Without::Edits);
        }
        let copied = std::fs::read(copy.join(&path));
        if !copied.is_ok_and(|bytes| bytes == file.text.as_bytes()) {
            return Err(Without::Changed(file.path.clone()));
        }
        patch.entry(path).or_default().push(Replacement {
            range: edit.span.range(),
            text: with_its_line_ends(&edit.text, &file.text),
        });
    }
    let krate = model.db.project.krate(krate);
    Ok(Candidate {
        lint: diagnostic.lint.name,
        package: krate.package.clone(),
        target: (krate.target_name.clone(), krate.kind),
        ty: diagnostic.ty.clone(),
        field: finding.field.clone(),
        title: remedy.title.clone(),
        place: places.of(finding.primary.span),
        size_before: finding.size_before,
        size_after: remedy.size_after,
        complete: fix.applicability == Applicability::MachineApplicable,
        left: fix.left.clone(),
        patch: join([&patch].into_iter()),
    })
}

/// The path below the root of a file that may be edited. Links are followed: one file has one path.
fn editable(path: &Path, text: &str, root: &Path) -> Result<PathBuf, Without> {
    let not = |why| Without::File(path.to_owned(), why);
    let real = path.canonicalize().map_err(|_| not("it is gone"))?;
    let root = root.canonicalize().map_err(|_| not("it is gone"))?;
    let inside = real
        .strip_prefix(&root)
        .map_err(|_| not("it lies outside the workspace"))?;
    let is_built = |folder: &Path| root.join(folder).join("CACHEDIR.TAG").exists();
    if inside.ancestors().skip(1).any(is_built) {
        return Err(not("it lies in a folder for what is built"));
    }
    if is_generated(text) {
        return Err(not("it is generated"));
    }
    if real
        .metadata()
        .is_ok_and(|data| data.permissions().readonly())
    {
        return Err(not("it is read-only"));
    }
    Ok(inside.to_owned())
}

/// Joins what one place was found to need by two targets that share the file.
pub fn unite(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut united: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let same = united.iter_mut().find(|other| {
            let is = other.lint == candidate.lint && other.title == candidate.title;
            is && other.place == candidate.place && !contradict(&other.patch, &candidate.patch)
        });
        match same {
            Some(other) => {
                other.complete &= candidate.complete;
                other.patch = join([&other.patch, &candidate.patch].into_iter());
            }
            None => united.push(candidate),
        }
    }
    united
}
