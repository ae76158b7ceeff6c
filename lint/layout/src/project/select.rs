//! The user's selection, and the packages and targets of `cargo metadata` that match it.

use super::names::{did_you_mean, glob};
use super::{Crate, CrateKind, ProjectError};
use crate::seen;
use cargo_metadata::{Metadata, Package, PackageId, TargetKind};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use std::process::Command;

/// The selection flags of a command line, as in cargo; `default()` has no flag.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// `--manifest-path`.
    pub manifest_path: Option<PathBuf>,
    /// `-p`: a name, `name@version`, a package id URL, or a pattern of names.
    pub packages: Vec<String>,
    /// `--workspace`.
    pub workspace: bool,
    /// `--exclude`, only together with `workspace`.
    pub exclude: Vec<String>,
    /// `--lib`.
    pub lib: bool,
    /// `--bins`.
    pub bins: bool,
    /// `--examples`.
    pub examples: bool,
    /// `--tests`.
    pub tests: bool,
    /// `--benches`.
    pub benches: bool,
    /// `--all-targets`.
    pub all_targets: bool,
    /// `--bin NAME`.
    pub bin: Vec<String>,
    /// `--example NAME`.
    pub example: Vec<String>,
    /// `--test NAME`.
    pub test: Vec<String>,
    /// `--bench NAME`.
    pub bench: Vec<String>,
    /// `--features`; each may hold several, separated by commas or spaces.
    pub features: Vec<String>,
    /// `--all-features`.
    pub all_features: bool,
    /// `--no-default-features`.
    pub no_default_features: bool,
    /// `--release`.
    pub release: bool,
    /// `--profile`.
    pub profile: Option<String>,
    /// `--target`, the first.
    pub target: Option<String>,
    /// `--target`, the others.
    pub other_targets: Vec<String>,
    /// `--locked`.
    pub locked: bool,
    /// `--offline`.
    pub offline: bool,
    /// `--frozen`.
    pub frozen: bool,
    /// `--config`: `KEY=VALUE`, or the path of a file.
    pub config: Vec<String>,
    /// `--target-dir`.
    pub target_dir: Option<PathBuf>,
    /// Not a flag of cargo: includes the workspace libraries that the targets depend on, whose
    /// messages cargo repeats.
    pub with_members: bool,
    /// Not a flag of cargo: selected crates are read as rustdoc does, with `cfg(doc)`.
    pub documented: bool,
    /// Not a flag of cargo: the libraries and binaries of `--tests` and `--benches` are read as
    /// their unit tests, as cargo builds them then.
    pub unit_tests: bool,
    /// `--no-project-config`: no program that the project names is run, and its configuration is
    /// ignored.
    pub no_project_config: bool,
    /// `--proc-macros`: procedural macros are run and expanded.
    pub proc_macros: bool,
}

impl Selection {
    /// Returns true if a manifest is named, or if cargo finds one from the current folder.
    pub fn has_manifest(&self) -> bool {
        let above = |here: PathBuf| {
            here.ancestors()
                .any(|at| seen::is_file(&at.join("Cargo.toml")))
        };
        // Without a current folder cargo says what is wrong.
        self.manifest_path.is_some() || std::env::current_dir().map_or(true, above)
    }

    /// Returns the selection of only this crate.
    pub fn only(&self, krate: &Crate) -> Selection {
        let named = |kind: CrateKind| match krate.kind == kind {
            true => vec![krate.target_name.clone()],
            false => Vec::new(),
        };
        Selection {
            packages: vec![krate.package_id.clone()],
            workspace: false,
            exclude: Vec::new(),
            lib: matches!(krate.kind, CrateKind::Lib | CrateKind::ProcMacro),
            bins: false,
            examples: false,
            tests: false,
            benches: false,
            all_targets: false,
            bin: named(CrateKind::Bin),
            example: named(CrateKind::Example),
            test: named(CrateKind::Test),
            bench: named(CrateKind::Bench),
            ..self.clone()
        }
    }

    /// Returns true if the selected libraries and binaries are built as their unit tests only.
    pub(super) fn only_tests(&self) -> bool {
        let plain = self.lib || self.bins || self.all_targets || !self.bin.is_empty();
        self.unit_tests && !plain && (self.tests || self.benches)
    }

    /// Returns the profile's name; `dev` by default.
    pub fn profile_name(&self) -> &str {
        match &self.profile {
            Some(name) => name,
            None if self.release => "release",
            None => "dev",
        }
    }

    /// Returns one selection for each named target, in order; each target once.
    pub fn each_target(&self) -> Vec<Selection> {
        let mut named: Vec<&String> = Vec::new();
        for target in self.target.iter().chain(&self.other_targets) {
            if !named.contains(&target) {
                named.push(target);
            }
        }
        let of = |target: Option<&String>| Selection {
            target: target.cloned(),
            other_targets: Vec::new(),
            ..self.clone()
        };
        match named.is_empty() {
            true => vec![of(None)],
            false => named.into_iter().map(|t| of(Some(t))).collect(),
        }
    }

    /// Returns true if development dependencies are part of the build, for every selected crate.
    pub(super) fn needs_dev(&self) -> bool {
        self.all_targets
            || self.examples
            || self.tests
            || self.benches
            || !(self.example.is_empty() && self.test.is_empty() && self.bench.is_empty())
    }

    /// Passes on the flags that cargo needs to resolve the same graph.
    pub(super) fn resolve_args(&self, command: &mut Command) {
        if let Some(path) = &self.manifest_path {
            command.arg("--manifest-path").arg(path);
        }
        for features in &self.features {
            command.arg("--features").arg(features);
        }
        for config in &self.config {
            command.arg("--config").arg(config);
        }
        let flags = [
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
            (self.locked, "--locked"),
            (self.offline, "--offline"),
            (self.frozen, "--frozen"),
        ];
        command.args(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| flag));
    }

    /// Passes on the choice of packages.
    pub(super) fn package_args(&self, command: &mut Command) {
        if self.workspace {
            command.arg("--workspace");
        }
        for package in &self.packages {
            command.arg("--package").arg(package);
        }
        for package in &self.exclude {
            command.arg("--exclude").arg(package);
        }
    }

    /// Passes on all flags, so that another cargo command works on the same code.
    pub fn cargo_args(&self, command: &mut Command) {
        self.resolve_args(command);
        self.package_args(command);
        let flags = [
            (self.lib, "--lib"),
            (self.bins, "--bins"),
            (self.examples, "--examples"),
            (self.tests, "--tests"),
            (self.benches, "--benches"),
            (self.all_targets, "--all-targets"),
            (self.release, "--release"),
        ];
        command.args(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| flag));
        let named = [
            ("--bin", &self.bin),
            ("--example", &self.example),
            ("--test", &self.test),
            ("--bench", &self.bench),
        ];
        for (flag, names) in named {
            for name in names {
                command.arg(flag).arg(name);
            }
        }
        if let Some(profile) = &self.profile {
            command.arg("--profile").arg(profile);
        }
        for target in self.target.iter().chain(&self.other_targets) {
            command.arg("--target").arg(target);
        }
        if let Some(dir) = &self.target_dir {
            command.arg("--target-dir").arg(dir);
        }
    }

    fn names_targets(&self) -> bool {
        self.lib || self.bins || !self.bin.is_empty() || self.needs_dev()
    }
}

/// Returns indices into `metadata.packages` of the selected packages, by name and version.
pub(super) fn packages(
    metadata: &Metadata,
    selection: &Selection,
    warnings: &mut Vec<String>,
) -> Result<Vec<usize>, ProjectError> {
    if !selection.exclude.is_empty() && !selection.workspace {
        return Err(ProjectError::new(
            "`--exclude` can only be used together with `--workspace`",
        ));
    }
    let all = &metadata.packages;
    let ids: FxHashSet<&PackageId> = metadata.workspace_members.iter().collect();
    let members = (0..all.len()).filter(|&i| ids.contains(&all[i].id));
    let members: Vec<usize> = members.collect();
    let mut chosen = if selection.workspace {
        let mut kept = members;
        for spec in &selection.exclude {
            let before = kept.len();
            kept.retain(|&i| !matches_spec(spec, &all[i]));
            if kept.len() == before {
                warnings.push(format!(
                    "excluded package `{spec}` is not in this workspace"
                ));
            }
        }
        kept
    } else if selection.packages.is_empty() {
        let default = &metadata.workspace_default_members;
        // Cargo before 1.71 does not report the default members.
        let default = default.is_available().then(|| default.iter().collect());
        let of_default = |i: &usize| {
            let listed = |ids: &FxHashSet<&PackageId>| ids.contains(&all[*i].id);
            default.as_ref().is_none_or(listed)
        };
        members.into_iter().filter(of_default).collect()
    } else {
        let mut chosen = Vec::new();
        for spec in &selection.packages {
            let matching = |i: &usize| matches_spec(spec, &all[*i]);
            let before = chosen.len();
            chosen.extend(members.iter().copied().filter(matching));
            if chosen.len() == before {
                // As in cargo, `-p` may also name a dependency.
                chosen.extend((0..all.len()).filter(matching));
            }
            if chosen.len() == before {
                let names = members.iter().map(|&i| all[i].name.as_str());
                return Err(ProjectError::new(format!(
                    "package `{spec}` is not in the workspace at {}{}",
                    metadata.workspace_root,
                    did_you_mean(spec, names)
                ))
                .help("`cargo metadata --no-deps` lists the packages of a workspace"));
            }
        }
        chosen
    };
    if chosen.is_empty() {
        return Err(ProjectError::new("the selection matches no package"));
    }
    chosen.sort_by(|&a, &b| {
        let key = |i: usize| (&all[i].name, &all[i].version, &all[i].id);
        key(a).cmp(&key(b))
    });
    chosen.dedup();
    Ok(chosen)
}

/// Returns the selected targets as pairs of indices, package and target. `has_feature` queries the
/// resolved features of a package.
pub(super) fn targets(
    metadata: &Metadata,
    packages: &[usize],
    selection: &Selection,
    has_feature: impl Fn(usize, &str) -> bool,
) -> Result<Vec<(usize, usize)>, ProjectError> {
    let s = selection;
    // A rule: the kind of target, whether all of that kind are selected, and the selected names.
    let no_flags = !s.names_targets();
    let no_names: &[String] = &[];
    let lib = no_flags || s.lib || s.all_targets || s.tests || s.benches;
    let bins = no_flags || s.bins || s.all_targets || s.tests || s.benches;
    let rules: [(Kind, bool, &[String]); 5] = [
        (Kind::Lib, lib, no_names),
        (Kind::Bin, bins, &s.bin),
        (Kind::Example, s.examples || s.all_targets, &s.example),
        (Kind::Test, s.tests || s.all_targets, &s.test),
        (Kind::Bench, s.benches || s.all_targets, &s.bench),
    ];
    // `--tests` leaves out libraries and binaries without tests.
    let untested = |kind: Kind, found: &cargo_metadata::Target| match kind {
        Kind::Lib => !(found.test || no_flags || s.lib || s.all_targets || s.benches),
        Kind::Bin => !(found.test || no_flags || s.bins || s.all_targets || s.benches),
        _ => false,
    };
    let mut chosen = Vec::new();
    for &package in packages {
        for (kind, all, names) in &rules {
            for (target, found) in metadata.packages[package].targets.iter().enumerate() {
                if Kind::of(&found.kind) != Some(*kind) {
                    continue;
                }
                let named = names.iter().any(|pattern| glob(pattern, &found.name));
                let missing = found
                    .required_features
                    .iter()
                    .find(|feature| !has_feature(package, feature));
                match missing {
                    None if named || *all && !untested(*kind, found) => {
                        chosen.push((package, target));
                    }
                    Some(feature) if names.contains(&found.name) => {
                        return Err(ProjectError::new(format!(
                            "{} `{}` of package `{}` requires the feature `{feature}`",
                            kind.word(),
                            found.name,
                            metadata.packages[package].name
                        ))
                        .help(format!("enable it: `--features {feature}`")));
                    }
                    _ => {}
                }
            }
        }
    }
    for (kind, _, names) in rules {
        let existing = || {
            packages
                .iter()
                .flat_map(|&i| &metadata.packages[i].targets)
                .filter(move |target| Kind::of(&target.kind) == Some(kind))
                .map(|target| target.name.as_str())
        };
        for name in names {
            if !existing().any(|target| glob(name, target)) {
                return Err(ProjectError::new(format!(
                    "no {} named `{name}` in the selected packages{}",
                    kind.word(),
                    did_you_mean(name, existing())
                )));
            }
        }
    }
    if chosen.is_empty() {
        return Err(ProjectError::new("the selection matches no target")
            .help("`cargo metadata --no-deps` lists the targets of each package"));
    }
    Ok(chosen)
}

/// Returns the binaries, examples, tests and benchmarks that are not selected, of packages of the
/// workspace whose library is, as pairs of indices; without those that lack a feature.
pub(super) fn others(
    metadata: &Metadata,
    selected: &[(usize, usize)],
    has_feature: impl Fn(usize, &str) -> bool,
) -> Vec<(usize, usize)> {
    let mut others = Vec::new();
    let known: FxHashSet<&(usize, usize)> = selected.iter().collect();
    let members: FxHashSet<&PackageId> = metadata.workspace_members.iter().collect();
    for &(package, library) in selected {
        let of_package = &metadata.packages[package];
        let is_library = Kind::of(&of_package.targets[library].kind) == Some(Kind::Lib);
        if !is_library || !members.contains(&of_package.id) {
            continue;
        }
        for (target, found) in of_package.targets.iter().enumerate() {
            let is_built = Kind::of(&found.kind).is_some_and(|kind| kind != Kind::Lib);
            let missing = |feature: &String| !has_feature(package, feature);
            if is_built
                && !known.contains(&(package, target))
                && !found.required_features.iter().any(missing)
            {
                others.push((package, target));
            }
        }
    }
    others
}

/// The kinds of target that flags distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lib,
    Bin,
    Example,
    Test,
    Bench,
}

impl Kind {
    fn of(kinds: &[TargetKind]) -> Option<Kind> {
        Some(match kinds.first()? {
            TargetKind::Bin => Kind::Bin,
            TargetKind::Example => Kind::Example,
            TargetKind::Test => Kind::Test,
            TargetKind::Bench => Kind::Bench,
            TargetKind::CustomBuild => return None,
            _ => Kind::Lib,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Lib => "library",
            Kind::Bin => "binary",
            Kind::Example => "example",
            Kind::Test => "test",
            Kind::Bench => "benchmark",
        }
    }
}

/// Returns true if a package id specification
/// (<https://doc.rust-lang.org/cargo/reference/pkgid-spec.html>) matches this package.
pub(super) fn matches_spec(spec: &str, package: &Package) -> bool {
    if spec == package.id.repr {
        return true;
    }
    let (name, version) = match spec.split_once("://") {
        None => match spec.split_once(['@', ':']) {
            Some((name, version)) => (name, Some(version)),
            None => (spec, None),
        },
        Some(_) => {
            let (url, fragment) = spec.split_once('#').unwrap_or((spec, ""));
            let id = &package.id.repr;
            let (id_url, _) = id.split_once('#').unwrap_or((id, ""));
            if plain_url(url) != plain_url(id_url) {
                return false;
            }
            match fragment.split_once('@') {
                Some((name, version)) => (name, Some(version)),
                None if fragment.is_empty() => return true,
                None if fragment.starts_with(|c: char| c.is_ascii_digit()) => {
                    (package.name.as_str(), Some(fragment))
                }
                None => (fragment, None),
            }
        }
    };
    glob(name, &package.name) && version.is_none_or(|part| version_fits(part, package))
}

/// Returns a URL without the prefix for the kind of source and without the query.
fn plain_url(url: &str) -> &str {
    let start = match (url.find('+'), url.find("://")) {
        (Some(plus), Some(colon)) if plus < colon => plus + 1,
        _ => 0,
    };
    let end = url.find('?').unwrap_or(url.len());
    url[start..end.max(start)].trim_end_matches('/')
}

/// Returns true if a version matches a specification, which may omit its last parts.
fn version_fits(part: &str, package: &Package) -> bool {
    let whole = package.version.to_string();
    whole
        .strip_prefix(part)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '+']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_without_kind_and_query() {
        assert_eq!(plain_url("git+https://x/y?rev=1+2"), "https://x/y");
        assert_eq!(plain_url("path+file:///a b/c+d"), "file:///a b/c+d");
        assert_eq!(plain_url("https://x/y"), "https://x/y");
    }
}
