//! The parts of manifests that cargo's output lacks: profiles, and levels of Clippy's lints.

use super::ProjectError;
use super::config::{Config, merge};
use super::names::did_you_mean;
use crate::source::read;
use std::cell::OnceCell;
use std::path::Path;
use toml::{Table, Value};

/// A profile with the settings that it inherits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Profile {
    /// The subfolder of the target folder with its builds.
    pub(super) folder: String,
    /// `debug-assertions`.
    pub(super) debug_assertions: bool,
    /// `overflow-checks`.
    pub(super) overflow_checks: bool,
    /// `panic`, if it is set.
    pub(super) panic: Option<String>,
    /// `debug-assertions` for some packages: a specification, or `*` for all but the members.
    pub(super) of_packages: Vec<(String, bool)>,
}

impl Profile {
    /// Loads the profile `name` from the text of the workspace's manifest and from the
    /// configuration.
    pub(super) fn load(
        name: &str,
        manifest: &str,
        config: &Config,
    ) -> Result<Profile, ProjectError> {
        let mut tables = match manifest.contains("profile") {
            // Cargo has already reported a manifest that does not parse.
            true => manifest.parse::<Table>().unwrap_or_default(),
            false => Table::new(),
        };
        let mut tables = match tables.remove("profile") {
            Some(Value::Table(tables)) => tables,
            _ => Table::new(),
        };
        merge(&mut tables, config.profiles());

        let mut chain = vec![name];
        while let Some(next) = parent(&tables, chain[chain.len() - 1]) {
            if chain.contains(&next) {
                return Err(ProjectError::new(format!(
                    "profile `{name}` inherits from itself"
                )));
            }
            chain.push(next);
        }
        let root = chain[chain.len() - 1];
        if root != "dev" && root != "release" {
            let known = tables.keys().map(String::as_str);
            let near = did_you_mean(root, known.chain(["dev", "release", "test", "bench"]));
            return Err(ProjectError::new(format!(
                "profile `{root}` is not defined{near}"
            )));
        }

        let mut profile = Profile {
            folder: match name {
                "dev" | "test" => "debug".to_owned(),
                "bench" => "release".to_owned(),
                _ => name.to_owned(),
            },
            debug_assertions: root == "dev",
            overflow_checks: root == "dev",
            panic: None,
            of_packages: Vec::new(),
        };
        for &name in chain.iter().rev() {
            profile.apply(name, &tables, config);
        }
        Ok(profile)
    }

    fn apply(&mut self, name: &str, tables: &Table, config: &Config) {
        let table = tables.get(name);
        let said = |key: &str| {
            let env = config.text(&["profile", name, key]);
            env.or_else(|| match table?.get(key)? {
                Value::String(text) => Some(text.clone()),
                value => Some(value.to_string()),
            })
        };
        let switch = |key: &str, old: bool| said(key).map_or(old, |text| text == "true");
        self.debug_assertions = switch("debug-assertions", self.debug_assertions);
        self.overflow_checks = switch("overflow-checks", self.overflow_checks);
        self.panic = said("panic").or_else(|| self.panic.take());
        let packages = table.and_then(|table| table.get("package")?.as_table());
        for (spec, table) in packages.into_iter().flatten() {
            if let Some(on) = table.get("debug-assertions").and_then(Value::as_bool) {
                self.of_packages.push((spec.clone(), on));
            }
        }
    }

    /// Returns `debug-assertions` for one package: its own entry, then that for all dependencies,
    /// then the profile's.
    pub(super) fn debug_assertions_of(&self, member: bool, matches: impl Fn(&str) -> bool) -> bool {
        let entries = || self.of_packages.iter().rev();
        entries()
            .find(|(spec, _)| spec != "*" && matches(spec))
            .or_else(|| entries().find(|(spec, _)| spec == "*" && !member))
            .map_or(self.debug_assertions, |&(_, on)| on)
    }
}

/// Returns the profile that a profile inherits from.
fn parent<'a>(tables: &'a Table, name: &str) -> Option<&'a str> {
    match name {
        "dev" | "release" => None,
        "test" => Some("dev"),
        "bench" => Some("release"),
        _ => tables.get(name)?.get("inherits")?.as_str(),
    }
}

/// The levels of Clippy's lints in manifests.
pub struct ClippyLevels<'p> {
    workspace_root: &'p Path,
    /// Those of the workspace, which many packages inherit.
    workspace: OnceCell<Option<Vec<(String, String)>>>,
}

impl<'p> ClippyLevels<'p> {
    pub(super) fn new(workspace_root: &'p Path) -> ClippyLevels<'p> {
        ClippyLevels {
            workspace_root,
            workspace: OnceCell::new(),
        }
    }

    /// Returns lint and level of each entry of `lints.clippy`, of the workspace if the package
    /// inherits it; the last entry for a lint counts.
    pub fn of(&self, manifest_path: &Path) -> Vec<(String, String)> {
        self.find(manifest_path).unwrap_or_default()
    }

    fn find(&self, manifest_path: &Path) -> Option<Vec<(String, String)>> {
        let read = |path: &Path| read::text(path).ok()?.parse::<Table>().ok();
        let manifest = read(manifest_path)?;
        let own = manifest.get("lints")?;
        let of_workspace = || {
            let root = read(&self.workspace_root.join("Cargo.toml"))?;
            entries(root.get("workspace")?.get("lints")?)
        };
        match own.get("workspace").and_then(Value::as_bool) {
            Some(true) => self.workspace.get_or_init(of_workspace).clone(),
            _ => entries(own),
        }
    }
}

fn entries(lints: &Value) -> Option<Vec<(String, String)>> {
    let entry = |(lint, value): (&String, &Value)| {
        let level = value.as_str().or_else(|| value.get("level")?.as_str())?;
        let priority = value.get("priority").and_then(Value::as_integer);
        Some((lint.clone(), level.to_owned(), priority.unwrap_or(0)))
    };
    let table = lints.get("clippy")?.as_table()?;
    let mut entries: Vec<_> = table.iter().filter_map(entry).collect();
    // In the order in which cargo passes them to the compiler.
    entries.sort_by(|a, b| (a.2, &b.0).cmp(&(b.2, &a.0)));
    let entries = entries.into_iter().map(|(lint, level, _)| (lint, level));
    Some(entries.collect())
}

/// Finds Clippy's configuration file as Clippy does: the first in the package's folder and its
/// ancestors, up to the workspace's folder.
pub(super) fn clippy_number(manifest_path: &Path, workspace_root: &Path, key: &str) -> Option<u64> {
    let folders = manifest_path.parent()?.ancestors();
    let folders = folders.take_while(|folder| folder.starts_with(workspace_root));
    let mut files = folders.flat_map(|f| [f.join(".clippy.toml"), f.join("clippy.toml")]);
    let text = files.find_map(|file| read::text(&file).ok())?;
    let number = text.parse::<Table>().ok()?.get(key)?.as_integer()?;
    u64::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, manifest: &str) -> Result<Profile, ProjectError> {
        Profile::load(name, manifest, &Config::default())
    }

    #[test]
    fn built_in_profiles() {
        let dev = load("dev", "").unwrap();
        assert!(dev.debug_assertions && dev.overflow_checks);
        assert_eq!(dev.folder, "debug");
        let bench = load("bench", "").unwrap();
        assert!(!bench.debug_assertions);
        assert_eq!(bench.folder, "release");
    }

    #[test]
    fn a_profile_inherits() {
        let manifest = r#"
            [profile.release]
            debug-assertions = true
            [profile.dist]
            inherits = "release"
            panic = "abort"
            [profile.dist.package."*"]
            debug-assertions = false
            [profile.dist.package.a]
            debug-assertions = true
        "#;
        let dist = load("dist", manifest).unwrap();
        assert!(dist.debug_assertions && !dist.overflow_checks);
        assert_eq!(
            (dist.folder.as_str(), dist.panic.as_deref()),
            ("dist", Some("abort"))
        );
        assert!(dist.debug_assertions_of(false, |spec| spec == "a"));
        assert!(!dist.debug_assertions_of(false, |_| false));
        assert!(dist.debug_assertions_of(true, |_| false));
    }

    #[test]
    fn profiles_that_do_not_exist_or_go_in_circles() {
        let missing = load("distt", "[profile.dist]\ninherits = 'dev'").unwrap_err();
        assert!(missing.to_string().contains("`dist`"), "{missing}");
        let circle = "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'";
        assert!(load("a", circle).is_err());
    }
}
