//! All coroutines of a build: each as it is written, with its instances.

use super::build::{self, Artifact, Of, Script};
use super::names::{Form, Names};
use crate::census::dwarf::coroutines::{Coroutine, Coroutines, HeldId};
use crate::project::{Crate, CrateId, CrateKind, Project, Selection};
use crate::store::{self, Folder, Kind};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// A target that was built, and what is in it.
#[derive(Debug)]
pub struct Unit {
    /// What cargo says of it.
    pub artifact: Artifact,
    /// What debug information says.
    pub coroutines: Coroutines,
}

/// File, relative to the workspace if it is in there, and line.
pub type FileLine = (String, u32);

/// A coroutine as it is written.
#[derive(Clone, Debug)]
pub struct Future {
    /// The package that has it.
    pub package: String,
    /// The target that has it.
    pub target: String,
    /// Its crate, if that is one of the project's.
    pub krate: Option<CrateId>,
    /// The function that it is, or is in.
    pub path: String,
    /// Its name, as written.
    pub name: String,
    /// What it is written as.
    pub form: Form,
    /// Where it is defined.
    pub place: Option<FileLine>,
    /// Its instances, the largest first: one if it is not generic.
    pub instances: Vec<Instance>,
}

/// A coroutine with type arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The arguments, with `<` and `>`.
    pub arguments: String,
    /// Bytes of one value.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// The unit that describes it, and its type there.
    pub at: (usize, HeldId),
}

impl Future {
    /// The largest instance.
    pub fn largest(&self) -> &Instance {
        &self.instances[0]
    }
}

/// What was built and read.
#[derive(Debug)]
pub struct Measured {
    /// The targets.
    pub units: Vec<Unit>,
    /// The build scripts that they depend on.
    pub scripts: Vec<Script>,
    /// Our folder.
    pub folder: Folder,
    /// No other run replaces what the compiler dumped until it is closed.
    _alone: File,
}

/// Compiles and reads the selected targets.
///
/// # Errors
/// The target has debug information of another format, cargo fails, or a file cannot be read.
pub fn measured(project: &Project, selection: &Selection, of: Of) -> Result<Measured, String> {
    let elsewhere = ["windows", "wasm"];
    if elsewhere.iter().any(|s| project.target.triple.contains(s)) {
        return Err(format!(
            "`futures` reads debug information in DWARF's format in object files of Unix, which is not \
             that of {}\nhelp: name another target with `--target`",
            project.target.triple
        ));
    }
    let (folder, alone) = store::alone(&project.target_dir, Kind::Futures)?;
    build::renew(&folder)?;
    let builds = folder.own(of.folder(), true);
    let builds = builds.map_err(|closed| store::needed(&closed))?;
    let links = builds.without_links(&[]);
    links.map_err(|closed| store::needed(&closed))?;
    let built = build::build(project, selection, of, &folder)?;
    Ok(Measured {
        units: units(project, built.artifacts, of == Of::Dependencies)?,
        scripts: built.scripts,
        folder,
        _alone: alone,
    })
}

/// Reads what was built; targets of dependencies only if `all`.
///
/// # Errors
/// A file cannot be read.
pub fn units(project: &Project, artifacts: Vec<Artifact>, all: bool) -> Result<Vec<Unit>, String> {
    let is_member = |id: &str| project.members.iter().any(|m| m.package_id == id);
    let chosen = |id: &str| {
        let mut selected = project.selected.iter().map(|id| project.krate(*id));
        selected.any(|krate| krate.package_id == id)
    };
    let mut units = Vec::new();
    for artifact in artifacts {
        let id = &*artifact.package_id;
        if !(all || is_member(id) || chosen(id)) {
            continue;
        }
        let mut coroutines = Coroutines::default();
        coroutines.add(&artifact.file)?;
        units.push(Unit {
            artifact,
            coroutines,
        });
    }
    Ok(units)
}

/// Lists the coroutines of the selected crates, largest first; with those of all others if `all`.
pub fn futures(project: &Project, units: &[Unit], all: bool) -> Vec<Future> {
    let selected: Vec<&Crate> = project
        .selected
        .iter()
        .map(|id| project.krate(*id))
        .collect();
    let built = &project.crates[..project.built];
    // Two blocks in one line differ in their paths, two targets of one name in their places.
    let mut found: BTreeMap<(&str, Option<FileLine>), Future> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        let own = unit.artifact.crate_name();
        for (id, ty, coroutine) in unit.coroutines.all() {
            let mut functions = units.iter().map(|unit| unit.coroutines.function(coroutine));
            let names = Names::of(coroutine, functions.find_map(|function| function));
            let mut owners = built.iter().filter(|krate| krate.name == names.krate);
            let is_own = |k: &&Crate| {
                let Artifact {
                    package_id, source, ..
                } = &unit.artifact;
                k.package_id == *package_id && k.root == *source
            };
            let owner = match names.krate == own {
                true => owners.find(is_own),
                false => owners.find(|k| k.kind == CrateKind::Lib),
            };
            let number = owner.and_then(|k| built.iter().position(|b| std::ptr::eq(b, k)));
            let is_selected = selected.iter().any(|krate| krate.name == names.krate);
            if !(all || is_selected) {
                continue;
            }
            let place = place(project, coroutine);
            let key = (&*coroutine.path, place.clone());
            let future = found.entry(key).or_insert_with(|| Future {
                package: owner.map_or_else(|| names.krate.clone(), |k| k.package.clone()),
                target: match names.krate == own {
                    true => unit.artifact.target.clone(),
                    false => owner.map_or(&names.krate, |k| &k.target_name).clone(),
                },
                krate: number.map(|n| CrateId(n as u32)),
                name: names.shown(),
                path: names.path,
                form: names.form,
                place,
                instances: Vec::new(),
            });
            let instance = Instance {
                arguments: coroutine.arguments.to_string(),
                size: ty.size,
                align: coroutine.align,
                at: (at, id),
            };
            let same = |i: &Instance| (&*i.arguments, i.size) == (&*instance.arguments, ty.size);
            if !future.instances.iter().any(same) {
                future.instances.push(instance);
            }
        }
    }
    let mut list: Vec<Future> = found.into_values().collect();
    for future in &mut list {
        let order = |i: &Instance| (Reverse(i.size), i.arguments.clone());
        future.instances.sort_by_key(order);
    }
    list.sort_by_key(|f| (Reverse(f.largest().size), f.name.clone(), f.place.clone()));
    list
}

/// Where a coroutine is defined.
fn place(project: &Project, coroutine: &Coroutine) -> Option<FileLine> {
    let first = coroutine.states.first()?;
    let (file, line) = first.place.as_ref()?;
    Some((relative(project, file), *line))
}

/// A path as the user knows it: relative to the workspace, if it is in there.
pub fn relative(project: &Project, file: &str) -> String {
    let path = crate::folded::folded(Path::new(file));
    let inside = path.strip_prefix(&project.workspace_root);
    inside
        .unwrap_or(&path)
        .display()
        .to_string()
        .replace('\\', "/")
}
