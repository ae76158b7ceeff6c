//! The remedies that can be tried: for each finding the best one that has edits.

use super::edits::{Patch, Replacement, contradict, join, with_its_line_ends};
use super::mirror::LINKED;
use crate::check::Diagnostic;
use crate::finding::{Applicability, Change, Finding, Fix, Remedy};
use crate::ir::ItemKind;
use crate::model::{Model, freezing};
use crate::project::CrateKind;
use crate::report::{Place, Places};
use crate::usage::body::FieldId;
use crate::worth::names::is_generated;
use std::path::{Path, PathBuf};

/// A remedy that can be tried.
// weigh: allow(unfrozen_vec, reason = "there is one for each finding that is tried")
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The lint.
    pub lint: &'static str,
    /// The name of the package.
    pub package: String,
    /// The name and kind of its target.
    pub target: (String, CrateKind),
    /// The path of the type, relative to the crate root.
    pub ty: String,
    /// True if the type is a future, whose path is that of its function.
    pub is_future: bool,
    /// As [`Finding::field`].
    pub field: Option<String>,
    /// The title of the remedy.
    pub title: String,
    /// The place of the finding, for messages.
    pub place: Place,
    /// The size of one value in bytes, for findings about a size.
    pub size_before: Option<u64>,
    /// The promised size in bytes.
    pub size_after: Option<u64>,
    /// True if the finding reports no place that is not edited.
    pub complete: bool,
    /// A note about the places that are not edited: this build may not compile them.
    pub left: Option<String>,
    /// Whether what other packages use gets another type.
    pub breaking: bool,
    /// The edits.
    pub patch: Patch,
}

/// Identifies a finding across runs.
pub type Key = (&'static str, String, String, Option<String>);

impl Candidate {
    /// Identifies the finding across runs.
    pub fn key(&self) -> Key {
        let Candidate {
            package, ty, field, ..
        } = self;
        (self.lint, package.clone(), ty.clone(), field.clone())
    }

    /// The number of edited places.
    pub fn places(&self) -> usize {
        self.patch.values().map(Vec::len).sum()
    }
}

/// Why a finding has no candidate.
#[derive(Clone, Debug)]
pub enum Without {
    /// None of its remedies has edits that can be tried.
    Edits,
    /// A file that would change must not be edited, and why.
    File(PathBuf, &'static str),
    /// A file changed since it was read.
    Changed(PathBuf),
    /// Why the edits may fail in another build.
    Elsewhere(String),
}

/// The best remedy with edits that can be tried; complete edits are preferred.
fn best(finding: &Finding) -> Option<(&Remedy, &Fix)> {
    let mut offered = finding.offered().into_iter();
    offered.find_map(|remedy| {
        let fix = remedy.fix.as_deref()?;
        let can_be_tried = fix.applicability != Applicability::HasPlaceholders;
        (can_be_tried && !fix.edits.is_empty()).then_some((remedy, fix))
    })
}

/// The candidate for a finding: edits of files below `root`, which are copied to `copy`.
///
/// # Errors
///
/// There are no edits, or a file must not be edited.
pub fn of(
    model: &Model<'static>,
    places: &Places,
    diagnostic: &Diagnostic,
    root: &Path,
    copy: &Path,
) -> Result<Candidate, Without> {
    let finding = &diagnostic.finding;
    let (remedy, fix) = best(finding).ok_or(Without::Edits)?;
    if let Some(why) = &fix.elsewhere {
        return Err(Without::Elsewhere(why.clone()));
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
        is_future: diagnostic.lint.check.of_futures().is_some(),
        field: finding.field.clone(),
        title: remedy.title.clone(),
        place: places.of(finding.primary.span),
        size_before: finding.size_before,
        size_after: remedy.size_after,
        complete: fix.is_complete(),
        left: fix.left.clone(),
        breaking: is_breaking(model, diagnostic, remedy),
        patch: join([&patch].into_iter()),
    })
}

/// Returns true if a remedy gives another type to a public field of a published library, or to
/// another part that others see.
fn is_breaking(model: &Model<'static>, diagnostic: &Diagnostic, remedy: &Remedy) -> bool {
    let mut types = model.types().iter();
    let of = types.find(|t| t.krate == diagnostic.krate && t.path == diagnostic.ty);
    let Some(info) = of else {
        return false;
    };
    let ItemKind::Adt(adt) = &model.db.item(info.item).item.kind else {
        return false;
    };
    let mut changed = remedy.change.iter().flat_map(Change::fields);
    changed.any(|span| {
        let mut variants = adt.variants.iter().enumerate();
        let field = variants.find_map(|(v, variant)| {
            let f = variant.fields.iter().position(|f| f.ty_span == span)?;
            Some(FieldId::new(info.item, v, f))
        });
        field.map_or_else(
            || model.exports(info, None),
            |field| freezing::is_exported(model, info, field),
        )
    })
}

/// The path of a file below the root, if it may be edited. Links are resolved, so a file has only
/// one path.
pub(super) fn editable(path: &Path, text: &str, root: &Path) -> Result<PathBuf, Without> {
    let not = |why| Without::File(path.to_owned(), why);
    let real = path.canonicalize().map_err(|_| not("it does not exist"))?;
    let root = root.canonicalize().map_err(|_| not("it does not exist"))?;
    let inside = real
        .strip_prefix(&root)
        .map_err(|_| not("it is outside the workspace"))?;
    let is_built = |folder: &Path| root.join(folder).join("CACHEDIR.TAG").exists();
    if inside.ancestors().skip(1).any(is_built) {
        return Err(not("it is in a build output folder"));
    }
    if is_generated(text) {
        return Err(not("it is generated"));
    }
    if inside.iter().any(|name| name == LINKED) {
        return Err(not("it is in `node_modules`, which is not copied"));
    }
    let data = real.metadata().map_err(|_| not("it does not exist"))?;
    if data.permissions().readonly() {
        return Err(not("it is read-only"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&data) > 1 {
        return Err(not(
            "it has another name (a hard link), which would keep the old text",
        ));
    }
    Ok(inside.to_owned())
}

/// Joins candidates for one place that come from two targets with a common file.
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
