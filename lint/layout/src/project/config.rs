//! Cargo's configuration: the files, the environment and `--config`, with cargo's precedence.
//!
//! <https://doc.rust-lang.org/cargo/reference/config.html>

use super::ProjectError;
use super::calls::cargo_home;
use crate::seen;
use crate::source::read;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// The configuration. Of two sources the one with higher precedence wins; lists are joined.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// `--config`, above the environment.
    flags: Table,
    /// Variables that cargo reads.
    env: BTreeMap<String, String>,
    /// Configuration files, below the environment.
    files: Table,
}

/// The output of a build script according to the configuration.
pub(super) struct Overridden {
    /// `rustc-cfg`, as a script would print them.
    pub(super) cfgs: Vec<String>,
    /// `rustc-env`.
    pub(super) env: Vec<(String, String)>,
}

/// Makes the variables of a configuration that are relative to its folder absolute.
fn root_variables(table: &mut Table, folder: &Path) {
    let variables = table.get_mut("env").and_then(Value::as_table_mut);
    for (_, variable) in variables.into_iter().flatten() {
        if let Value::Table(variable) = variable
            && variable.remove("relative") == Some(Value::Boolean(true))
            && let Some(Value::String(value)) = variable.get_mut("value")
        {
            *value = folder.join(&*value).to_string_lossy().into_owned();
        }
    }
}

impl Config {
    /// Reads the files that cargo would read in `dir`, and the `--config` arguments.
    pub(super) fn load(dir: &Path, flags: &[String]) -> Result<Config, ProjectError> {
        let env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(key, _)| key.starts_with("CARGO_") || key.starts_with("RUST"))
            .collect();
        // A relative path refers to the current folder.
        let home = cargo_home(&std::env::current_dir().unwrap_or_else(|_| dir.to_owned()));
        let mut files = Table::new();
        let folders = home
            .iter()
            .cloned()
            .chain(ancestors_outermost_first(dir).map(|folder| folder.join(".cargo")));
        let mut seen = Vec::new();
        for folder in folders {
            // A folder below the home folder finds `~/.cargo` twice.
            if seen.contains(&folder) {
                continue;
            }
            // If both files exist, cargo uses the one without extension.
            let names = [folder.join("config"), folder.join("config.toml")];
            if let Some(path) = names.iter().find(|path| seen::is_file(path)) {
                let mut table = read(path, 0)?;
                root_variables(&mut table, folder.parent().unwrap_or(&folder));
                merge(&mut files, table);
            }
            seen.push(folder);
        }
        let mut above = Table::new();
        for flag in flags {
            let table = match flag.contains('=') && !seen::is_file(&dir.join(flag)) {
                true => flag
                    .parse()
                    .map_err(|error| ProjectError::new(format!("`--config {flag}`: {error}")))?,
                false => read(&dir.join(flag), 0)?,
            };
            merge(&mut above, table);
        }
        Ok(Config {
            flags: above,
            env,
            files,
        })
    }

    /// Returns a variable of the environment that cargo reads.
    pub(super) fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// Returns the variables that the table `env` sets for programs that cargo runs; a variable
    /// that is already set stays, unless the table forces it.
    pub(super) fn variables(&self) -> Vec<(String, String)> {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for table in [&self.files, &self.flags] {
            let table = table.get("env").and_then(Value::as_table);
            for (name, value) in table.into_iter().flatten() {
                let (text, force) = match value {
                    Value::String(text) => (Some(text.as_str()), false),
                    Value::Table(table) => (
                        table.get("value").and_then(Value::as_str),
                        table.get("force").and_then(Value::as_bool) == Some(true),
                    ),
                    _ => (None, false),
                };
                let set = seen::variable(name).and_then(|value| value.into_string().ok());
                let set = set.filter(|_| !force);
                if let Some(value) = set.or_else(|| text.map(str::to_owned)) {
                    all.insert(name.clone(), value);
                }
            }
        }
        all.into_iter().collect()
    }

    /// Returns a string or boolean as text: from `--config`, from the `CARGO_…` variable, from the
    /// files.
    pub(super) fn text(&self, path: &[&str]) -> Option<String> {
        let scalar = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Boolean(on) => Some(on.to_string()),
            _ => None,
        };
        at(&self.flags, path)
            .and_then(scalar)
            .or_else(|| self.env.get(&variable(path)).cloned())
            .or_else(|| at(&self.files, path).and_then(scalar))
    }

    /// Returns true if a key is set in any source.
    pub(super) fn has(&self, path: &[&str]) -> bool {
        let tables = [&self.flags, &self.files];
        tables.iter().any(|table| at(table, path).is_some())
            || self
                .env
                .keys()
                .any(|name| name.starts_with(&variable(path)))
    }

    /// Returns the elements of a list, or of a text that is split at spaces.
    fn words(&self, path: &[&str]) -> Vec<String> {
        let split = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let list = |value: &Value| -> Vec<String> {
            match value {
                Value::String(text) => split(text),
                Value::Array(items) => items
                    .iter()
                    .filter_map(|item| item.as_str().map(str::to_owned))
                    .collect(),
                _ => Vec::new(),
            }
        };
        let mut words = at(&self.files, path).map(list).unwrap_or_default();
        words.extend(
            self.env
                .get(&variable(path))
                .map_or_else(Vec::new, |text| split(text)),
        );
        words.extend(at(&self.flags, path).map(list).unwrap_or_default());
        words
    }

    /// Returns the program and arguments of a target's runner; only the source with the highest
    /// precedence counts.
    pub(super) fn runner(&self, triple: &str) -> Vec<String> {
        let path = ["target", triple, "runner"];
        match self.text(&path) {
            Some(text) => text.split_whitespace().map(str::to_owned).collect(),
            None => self.words(&path),
        }
    }

    /// Returns `build.target`: one triple or several.
    pub(super) fn build_targets(&self) -> Vec<String> {
        let path = ["build", "target"];
        match at(&self.flags, &path).is_some() || self.env.contains_key("CARGO_BUILD_TARGET") {
            true => self.text(&path).into_iter().collect(),
            false => self.words(&path),
        }
    }

    /// Returns true if the flags for rustc depend on the target's `cfg` facts.
    pub(super) fn flags_depend_on_cfg(&self) -> bool {
        self.env_rustflags().is_none() && self.cfg_keys().next().is_some()
    }

    /// Returns the flags for rustc: from the environment, else from the target's tables, else from
    /// `build`; never joined. `facts` are lines of `rustc --print cfg`.
    pub(super) fn rustflags(&self, triple: &str, facts: &[cargo_platform::Cfg]) -> Vec<String> {
        if let Some(flags) = self.env_rustflags() {
            return flags;
        }
        let mut flags = self.words(&["target", triple, "rustflags"]);
        for (key, expr) in self.cfg_keys() {
            if expr.matches(facts) {
                flags.extend(self.words(&["target", key, "rustflags"]));
            }
        }
        if flags.is_empty() {
            flags = self.words(&["build", "rustflags"]);
        }
        flags
    }

    fn env_rustflags(&self) -> Option<Vec<String>> {
        if let Some(flags) = self.env("CARGO_ENCODED_RUSTFLAGS") {
            let flags = flags.split('\x1f').filter(|flag| !flag.is_empty());
            return Some(flags.map(str::to_owned).collect());
        }
        let flags = self.env("RUSTFLAGS")?.split_whitespace();
        Some(flags.map(str::to_owned).collect())
    }

    /// Returns the keys `cfg(…)` of the `target` table that have flags for rustc.
    fn cfg_keys(&self) -> impl Iterator<Item = (&str, cargo_platform::CfgExpr)> {
        let tables = [&self.files, &self.flags];
        let keys = tables.into_iter().enumerate().flat_map(move |(i, table)| {
            at(table, &["target"])
                .and_then(Value::as_table)
                .into_iter()
                .flatten()
                .filter(|(_, value)| value.get("rustflags").is_some())
                .map(|(key, _)| key.as_str())
                // `words` joins both tables, so a key of both tables is queried once.
                .filter(move |key| i == 0 || at(&self.files, &["target", key]).is_none())
        });
        keys.filter_map(|key| {
            let expr = key.strip_prefix("cfg(")?.strip_suffix(')')?;
            Some((key, expr.parse().ok()?))
        })
    }

    /// Returns what the configuration states in place of the build script of the package that links
    /// `library`: `rustc-cfg` and `rustc-env`. `None` if the script is run.
    pub(super) fn overridden(&self, triple: &str, library: &str) -> Option<Overridden> {
        let (mut table, mut found) = (Table::new(), false);
        for of in [&self.files, &self.flags] {
            if let Some(Value::Table(of)) = at(of, &["target", triple, library]) {
                merge(&mut table, of.clone());
                found = true;
            }
        }
        let cfgs = table.get("rustc-cfg").and_then(Value::as_array);
        let cfgs = cfgs.into_iter().flatten().filter_map(Value::as_str);
        let env = table.get("rustc-env").and_then(Value::as_table);
        let env = env.into_iter().flatten();
        found.then(|| Overridden {
            cfgs: cfgs.map(str::to_owned).collect(),
            env: env
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect(),
        })
    }

    /// Returns the profile tables of the configuration, which override those of the manifest.
    pub(super) fn profiles(&self) -> Table {
        let mut profiles = Table::new();
        for table in [&self.files, &self.flags] {
            if let Some(Value::Table(table)) = table.get("profile") {
                merge(&mut profiles, table.clone());
            }
        }
        profiles
    }
}

/// Returns the environment variable for a configuration key.
fn variable(path: &[&str]) -> String {
    let mut name = String::from("CARGO");
    for part in path {
        name.push('_');
        name.push_str(&part.to_uppercase().replace(['-', '.'], "_"));
    }
    name
}

fn ancestors_outermost_first(dir: &Path) -> impl Iterator<Item = &Path> {
    let ancestors: Vec<&Path> = dir.ancestors().collect();
    ancestors.into_iter().rev()
}

fn at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(table.get(*first)?, |value, key| value.get(key))
}

/// Overrides values of `below` by those of `above`.
pub(super) fn merge(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (Some(Value::Array(old)), Value::Array(new)) => old.extend(new),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

/// Reads a configuration file and the files it includes, which have lower precedence.
fn read(path: &Path, depth: usize) -> Result<Table, ProjectError> {
    let fail = |why: String| ProjectError::new(format!("{}: {why}", path.display()));
    if depth > 16 {
        return Err(fail("configuration files include each other".into()));
    }
    let text = read::text(path).map_err(|error| fail(error.to_string()))?;
    let mut table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| fail(error.to_string().trim_end().to_owned()))?;
    let Some(include) = table.remove("include") else {
        return Ok(table);
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut whole = Table::new();
    let several = match include {
        Value::Array(several) => several,
        one => vec![one],
    };
    for one in several {
        let optional = one.get("optional").and_then(Value::as_bool) == Some(true);
        let name = one.as_str().or_else(|| one.get("path")?.as_str());
        let Some(path) = name.map(|name| folder.join(name)) else {
            continue;
        };
        if !optional || seen::is_file(&path) {
            merge(&mut whole, read(&path, depth + 1)?);
        }
    }
    merge(&mut whole, table);
    Ok(whole)
}

#[cfg(test)]
impl Config {
    /// Creates the configuration of one file, without environment.
    pub(super) fn of(files: Table) -> Config {
        Config {
            files,
            ..Config::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(files: &str, env: &[(&str, &str)], flags: &str) -> Config {
        let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        Config {
            flags: flags.parse().unwrap(),
            env: env.iter().map(own).collect(),
            files: files.parse().unwrap(),
        }
    }

    fn facts() -> Vec<cargo_platform::Cfg> {
        vec![
            "unix".parse().unwrap(),
            "target_os=\"linux\"".parse().unwrap(),
        ]
    }

    #[test]
    fn rustflags_come_from_one_source() {
        let files = r#"
            build.rustflags = "--cfg build"
            [target.'cfg(unix)']
            rustflags = ["--cfg", "cfg_unix"]
            [target.'cfg(windows)']
            rustflags = ["--cfg", "cfg_windows"]
            [target.t]
            rustflags = ["--cfg", "triple"]
        "#;
        let env = [("RUSTFLAGS", " --cfg  env ")];
        let encoded = [("CARGO_ENCODED_RUSTFLAGS", "--cfg\x1fa b"), env[0]];
        let flags =
            |files: &str, env: &[(&str, &str)]| config(files, env, "").rustflags("t", &facts());
        assert_eq!(flags(files, &encoded), ["--cfg", "a b"]);
        assert_eq!(flags(files, &env), ["--cfg", "env"]);
        assert_eq!(flags(files, &[]), ["--cfg", "triple", "--cfg", "cfg_unix"]);
        assert_eq!(
            flags("build.rustflags = '-g'", &[("RUSTFLAGS", "")]),
            [""; 0]
        );
        assert_eq!(
            flags("build.rustflags = '-g'", &[("CARGO_BUILD_RUSTFLAGS", "-O")]),
            ["-g", "-O"]
        );
        assert_eq!(
            flags(
                "build.rustflags = '-g'",
                &[("CARGO_TARGET_T_RUSTFLAGS", "-O")]
            ),
            ["-O"]
        );
        assert!(config(files, &[], "").flags_depend_on_cfg());
        assert!(!config(files, &env, "").flags_depend_on_cfg());
    }

    #[test]
    fn a_flag_beats_the_environment_and_that_the_files() {
        let target = |files, env: &[(&str, &str)], flags| config(files, env, flags).build_targets();
        let file = "build.target = ['a', 'b']";
        let env = [("CARGO_BUILD_TARGET", "c")];
        assert_eq!(target(file, &[], ""), ["a", "b"]);
        assert_eq!(target(file, &env, ""), ["c"]);
        assert_eq!(target(file, &env, "build.target = 'd'"), ["d"]);
    }

    #[test]
    fn nearer_files_win_and_lists_are_joined() {
        let mut below: Table = "a = 1\nb = [1]\n[c]\nx = 1\ny = 1".parse().unwrap();
        merge(&mut below, "a = 2\nb = [2]\n[c]\nx = 2".parse().unwrap());
        assert_eq!(
            below,
            "a = 2\nb = [1, 2]\n[c]\nx = 2\ny = 1".parse().unwrap()
        );
    }
}
