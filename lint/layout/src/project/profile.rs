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
    /// The settings of packages without their own.
    pub(super) settings: Settings,
    /// Settings of what is built for the host.
    of_host: Vec<Change>,
    /// Settings of some packages: a specification, or `*` for all but the members.
    of_packages: Vec<(String, Change)>,
}

/// The settings that a `cfg` can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `opt-level` is not 0.
    pub(super) is_optimized: bool,
    pub(super) debug_assertions: bool,
    pub(super) overflow_checks: bool,
    /// `panic`, if it is set.
    pub(super) panic: Option<String>,
    pub(super) rustflags: Vec<String>,
}

/// Settings that replace others.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    is_optimized: Option<bool>,
    debug_assertions: Option<bool>,
    overflow_checks: Option<bool>,
    rustflags: Option<Vec<String>>,
}

impl Change {
    fn read(table: &Table, said: impl Fn(&str) -> Option<String>) -> Change {
        let switch = |key: &str| said(key).map(|text| text == "true");
        let flags = table.get("rustflags").and_then(Value::as_array);
        let flags = flags.map(|flags| flags.iter().filter_map(Value::as_str));
        Change {
            is_optimized: said("opt-level").map(|level| level != "0"),
            debug_assertions: switch("debug-assertions"),
            overflow_checks: switch("overflow-checks"),
            rustflags: flags.map(|flags| flags.map(str::to_owned).collect()),
        }
    }
}

impl Settings {
    fn apply(&mut self, change: &Change) {
        self.is_optimized = change.is_optimized.unwrap_or(self.is_optimized);
        self.debug_assertions = change.debug_assertions.unwrap_or(self.debug_assertions);
        self.overflow_checks = change.overflow_checks.unwrap_or(self.overflow_checks);
        if let Some(flags) = &change.rustflags {
            self.rustflags.clone_from(flags);
        }
    }

    /// Returns the arguments that cargo passes to rustc for these settings; the user's flags come
    /// after them, and what is not passed is left to rustc.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut list: Vec<String> = Vec::new();
        if self.is_optimized {
            // No `cfg` tells the levels apart.
            list.push("opt-level=3".to_owned());
        }
        list.extend(self.panic.iter().map(|panic| format!("panic={panic}")));
        if self.debug_assertions == self.is_optimized {
            let on = if self.debug_assertions { "on" } else { "off" };
            list.push(format!("debug-assertions={on}"));
        }
        if self.overflow_checks != self.debug_assertions {
            let on = if self.overflow_checks { "on" } else { "off" };
            list.push(format!("overflow-checks={on}"));
        }
        let list = list.into_iter().map(|option| format!("-C{option}"));
        list.chain(self.rustflags.iter().cloned()).collect()
    }

    /// Returns those of the arguments, and of the user's flags, that rustdoc takes. It has
    /// `debug_assertions` whatever they say.
    pub(super) fn rustdoc_arguments(&self, flags: &[String]) -> Vec<String> {
        let mut all = self.arguments();
        all.extend(flags.iter().cloned());
        let mut taken = Vec::new();
        let mut next = all.into_iter();
        while let Some(flag) = next.next() {
            if ["-C", "-Z", "--codegen", "--cfg"].contains(&flag.as_str()) {
                taken.extend([Some(flag), next.next()].into_iter().flatten());
            } else if ["-C", "-Z", "--codegen=", "--cfg="]
                .iter()
                .any(|start| flag.starts_with(start))
            {
                taken.push(flag);
            }
        }
        taken
    }
}

/// Returns a value of a table as text.
fn text(table: &Table, key: &str) -> Option<String> {
    Some(match table.get(key)? {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    })
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
            settings: Settings {
                is_optimized: root == "release",
                debug_assertions: root == "dev",
                overflow_checks: root == "dev",
                panic: None,
                rustflags: Vec::new(),
            },
            of_host: Vec::new(),
            of_packages: Vec::new(),
        };
        for &name in chain.iter().rev() {
            profile.apply(name, &tables, config);
        }
        Ok(profile)
    }

    fn apply(&mut self, name: &str, tables: &Table, config: &Config) {
        let none = Table::new();
        let table = tables.get(name).and_then(Value::as_table).unwrap_or(&none);
        let said = |key: &str| {
            let env = config.text(&["profile", name, key]);
            env.or_else(|| text(table, key))
        };
        self.settings.apply(&Change::read(table, said));
        self.settings.panic = said("panic").or_else(|| self.settings.panic.take());
        let change = |table: &Table| Change::read(table, |key| text(table, key));
        let of_host = table.get("build-override").and_then(Value::as_table);
        self.of_host.extend(of_host.map(change));
        let packages = table.get("package").and_then(Value::as_table);
        for (spec, table) in packages.into_iter().flatten() {
            if let Some(table) = table.as_table() {
                self.of_packages.push((spec.clone(), change(table)));
            }
        }
    }

    /// Returns the settings of one package: its own, else those for all dependencies, else the
    /// profile's.
    pub(super) fn settings_of(
        &self,
        member: bool,
        host: bool,
        matches: impl Fn(&str) -> bool,
    ) -> Settings {
        let mut settings = self.settings.clone();
        if host {
            settings.is_optimized = false;
            // What cargo or rustc runs itself must unwind.
            settings.panic = None;
            self.of_host
                .iter()
                .for_each(|change| settings.apply(change));
        }
        let all = self
            .of_packages
            .iter()
            .filter(|(spec, _)| spec == "*" && !member);
        let own = self.of_packages.iter();
        let own = own.filter(|(spec, _)| spec != "*" && matches(spec));
        all.chain(own)
            .for_each(|(_, change)| settings.apply(change));
        settings
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
        assert!(dev.settings.debug_assertions && dev.settings.overflow_checks);
        assert_eq!(dev.folder, "debug");
        assert!(dev.settings.arguments().is_empty());
        let bench = load("bench", "").unwrap();
        assert_eq!(bench.settings.arguments(), ["-Copt-level=3"]);
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
            overflow-checks = true
            rustflags = ["--cfg", "a"]
            [profile.dist.build-override]
            overflow-checks = true
        "#;
        let dist = load("dist", manifest).unwrap();
        assert_eq!(dist.folder, "dist");
        let of = |member: bool, host: bool, name: &str| {
            let settings = dist.settings_of(member, host, |spec| spec == name);
            settings.arguments().join(" ")
        };
        assert_eq!(
            of(true, false, ""),
            "-Copt-level=3 -Cpanic=abort -Cdebug-assertions=on -Coverflow-checks=off"
        );
        assert_eq!(of(false, false, ""), "-Copt-level=3 -Cpanic=abort");
        assert_eq!(
            of(false, false, "a"),
            "-Copt-level=3 -Cpanic=abort -Cdebug-assertions=on --cfg a"
        );
        assert_eq!(
            of(false, true, ""),
            "-Cdebug-assertions=off -Coverflow-checks=on"
        );
    }

    #[test]
    fn flags_for_rustdoc() {
        let release = load("release", "").unwrap().settings;
        let flags = "-O --cfg a -g -Ctarget-cpu=native -C panic=abort -Lx -Zthreads=1 --cfg=b";
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        assert_eq!(
            release.rustdoc_arguments(&flags).join(" "),
            "-Copt-level=3 --cfg a -Ctarget-cpu=native -C panic=abort -Zthreads=1 --cfg=b"
        );
    }

    #[test]
    fn profiles_that_do_not_exist_or_go_in_circles() {
        let missing = load("distt", "[profile.dist]\ninherits = 'dev'").unwrap_err();
        assert!(missing.to_string().contains("`dist`"), "{missing}");
        let circle = "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'";
        assert!(load("a", circle).is_err());
    }
}
