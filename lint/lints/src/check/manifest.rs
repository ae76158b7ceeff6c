//! Reads `[package.metadata.weigh]` and `[workspace.metadata.weigh]`, with spans.

use super::Details;
use crate::config::{Config, ERROR_SIZE, LARGE_ERR, Level, Levels, Limit, Package, PathPattern};
use crate::coroutines::Coroutines;
use crate::lint::Context;
use crate::lints::{self, LINTS};
use crate::lists::Lists;
use crate::model::{Model, TypeInfo};
use crate::project::did_you_mean;
use crate::resolve::Problem;
use crate::source::SourceFile;
use crate::span::Span;
use glob::Pattern;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of a table other than lint names.
const KEYS: &[&str] = &[
    "lints",
    "exclude-types",
    "exclude-paths",
    "avoid-breaking-exported-api",
    "transparent-attributes",
    "proc-macros",
    "budgets",
    "least-worth",
];

/// The levels as manifests spell them.
const LEVELS: [Level; 4] = [Level::Allow, Level::Warn, Level::Deny, Level::Forbid];

/// Reads the configuration of each package, and the problems in manifests. `asked` holds the levels
/// from the environment, then the flags.
pub(super) fn read(
    model: &Model<'static>,
    asked: &Levels,
    flags: Details,
) -> (Config, Vec<Problem>) {
    let project = model.db.project;
    let mut problems = Vec::new();
    let mut table = |manifest: &Path, root: &str, there: bool| match there {
        true => Reader::read(model, manifest, root, &mut problems),
        false => Table::default(),
    };
    let root = project.workspace_root.join("Cargo.toml");
    let workspace = table(&root, "workspace", !project.workspace_metadata.is_null());
    let mut packages = Vec::new();
    let selected = project.selected_packages();
    for member in &project.members {
        let there = !member.metadata.is_null() && selected.contains(&*member.package_id);
        let own = table(&member.manifest_path, "package", there);
        let mut said = own.over(&workspace);
        let clippy = project.clippy_number(&member.manifest_path, "large-error-threshold");
        said.errors_are_large_from(clippy);
        packages.push(said.package(asked, flags));
    }
    // The workspace's configuration does not apply to crates outside it.
    let outside = packages.len();
    packages.push(Table::default().package(asked, flags));
    let members = project.members.iter().map(|m| &m.package_id).zip(0..);
    let members: FxHashMap<&String, usize> = members.collect();
    let place = |krate: u32| {
        let id = model.db.krate(krate).id?;
        members.get(&project.krate(id).package_id).copied()
    };
    let of_crate = (0..model.db.krate_count()).map(|krate| place(krate).unwrap_or(outside));
    let of_crate = of_crate.collect();
    (Config { packages, of_crate }, problems)
}

/// The content of one table.
#[derive(Clone, Default)]
struct Table {
    package: Package,
    avoid: Option<bool>,
}

impl Table {
    /// Merges this table over the workspace's.
    fn over(self, workspace: &Table) -> Table {
        let mut said = workspace.clone();
        let (all, own) = (&mut said.package, self.package);
        all.levels.extend(own.levels);
        all.settings.extend(own.settings);
        all.least_worth = own.least_worth.or(all.least_worth);
        all.budgets
            .retain(|old| own.budgets.iter().all(|new| new.path != old.path));
        all.budgets.extend(own.budgets);
        all.exclude_types.extend(own.exclude_types);
        all.exclude_paths.extend(own.exclude_paths);
        said.avoid = self.avoid.or(said.avoid);
        said
    }

    /// Takes over Clippy's threshold for large errors if ours is not set.
    fn errors_are_large_from(&mut self, bytes: Option<u64>) {
        let key = (LARGE_ERR.to_owned(), ERROR_SIZE.key.to_owned());
        if let Some(bytes) = bytes {
            self.package.settings.entry(key).or_insert(bytes);
        }
    }

    fn package(self, asked: &Levels, flags: Details) -> Package {
        let mut package = self.package;
        package.least_worth = flags.least_worth.or(package.least_worth);
        package.levels.extend_from_slice(asked);
        package.avoid_breaking_exported_api =
            flags.avoid_breaking.unwrap_or(self.avoid == Some(true));
        package
    }
}

type Value<'t> = Spanned<DeValue<'t>>;

struct Reader<'r> {
    source: Arc<SourceFile>,
    /// Paths in the table are relative to it.
    folder: PathBuf,
    /// `package` or `workspace`.
    root: &'r str,
    said: Table,
    problems: &'r mut Vec<Problem>,
}

impl<'r> Reader<'r> {
    /// Reads the table of a manifest below `root`.
    fn read(
        model: &Model<'static>,
        manifest: &Path,
        root: &'r str,
        problems: &'r mut Vec<Problem>,
    ) -> Table {
        let source = match model.db.sources.load(manifest) {
            Ok(source) => source,
            Err(message) => {
                problems.push(Problem {
                    span: None,
                    file: Some(manifest.to_owned()),
                    message,
                    own: true,
                });
                return Table::default();
            }
        };
        let before = problems.len();
        let mut reader = Reader {
            source: source.clone(),
            folder: manifest.parent().unwrap_or(Path::new("")).to_owned(),
            root,
            said: Table::default(),
            problems,
        };
        match DeTable::parse(&source.text) {
            Ok(table) => {
                let weigh = get(table.get_ref(), root)
                    .and_then(|t| get(t.get_ref().as_table()?, "metadata"))
                    .and_then(|t| get(t.get_ref().as_table()?, "weigh"));
                if let Some(weigh) = weigh {
                    reader.table(weigh);
                }
            }
            // Unlikely, since cargo has just parsed it.
            Err(error) => reader.problem(error.span().unwrap_or(0..0), error.message()),
        }
        let said = reader.said;
        problems[before..].sort_by_key(|p| p.span.map(|s| s.start));
        said
    }

    fn problem(&mut self, at: Range<usize>, message: impl Into<String>) {
        self.problems.push(Problem {
            span: Some(Span::new(self.source.id, at.start, at.end)),
            file: None,
            message: message.into(),
            own: true,
        });
    }

    fn wrong(&mut self, value: &Value, what: &str, wanted: &str) {
        let found = value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) {
            "an"
        } else {
            "a"
        };
        let message = format!("`{what}` wants {wanted}, not {article} {found}");
        self.problem(value.span(), message);
    }

    fn table(&mut self, weigh: &Value) {
        let Some(table) = weigh.get_ref().as_table() else {
            return self.wrong(weigh, "weigh", "a table");
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "lints" => self.lints(value),
                "budgets" => self.budgets(value),
                "exclude-types" => {
                    for (pattern, _) in self.patterns(value, "exclude-types") {
                        self.said.package.exclude_types.push(pattern);
                    }
                }
                "exclude-paths" => {
                    for (pattern, _) in self.patterns(value, "exclude-paths") {
                        let folder = self.folder.clone();
                        let path = PathPattern { folder, pattern };
                        self.said.package.exclude_paths.push(path);
                    }
                }
                // Only checked here: attribute resolution reads the names itself.
                "transparent-attributes" => drop(self.strings(value, "transparent-attributes")),
                // Only checked here: it takes effect before anything is read.
                "proc-macros" => {
                    if value.get_ref().as_bool().is_none() {
                        self.wrong(value, "proc-macros", "true or false");
                    }
                }
                "avoid-breaking-exported-api" => match value.get_ref().as_bool() {
                    Some(on) => self.said.avoid = Some(on),
                    None => self.wrong(value, "avoid-breaking-exported-api", "true or false"),
                },
                "least-worth" => {
                    let number = value.get_ref().as_integer();
                    let number =
                        number.and_then(|n| u8::from_str_radix(n.as_str(), n.radix()).ok());
                    match number.filter(|n| *n <= 100) {
                        Some(n) => self.said.package.least_worth = Some(n),
                        None => self.wrong(value, "least-worth", "a number from 0 to 100"),
                    }
                }
                name => match LINTS.iter().find(|l| l.name == name) {
                    Some(lint) => self.settings(lint, value),
                    None => self.unknown(key.span(), name),
                },
            }
        }
    }

    fn unknown(&mut self, at: Range<usize>, name: &str) {
        let lints = LINTS.iter().map(|l| l.name);
        let near = match did_you_mean(name, KEYS.iter().copied().chain(lints)) {
            near if near.is_empty() => format!(
                "; the keys are {} and, with a table of its settings, a lint's name",
                listed(KEYS.iter().copied())
            ),
            near => near,
        };
        let table = format!("[{}.metadata.weigh]", self.root);
        self.problem(at, format!("there is no key `{name}` in `{table}`{near}"));
    }

    /// Reads `lints = { name = "level" }`; a lint's own level overrides `all` and groups.
    fn lints(&mut self, value: &Value) {
        let Some(table) = value.get_ref().as_table() else {
            return self.wrong(value, "lints", "a table of lints and levels");
        };
        let mut levels = Levels::new();
        for (key, value) in table {
            let name = match lints::known(key.get_ref()) {
                Ok(name) => name,
                Err(message) => {
                    self.problem(key.span(), message);
                    continue;
                }
            };
            let wanted = "a level: \"allow\", \"warn\", \"deny\" or \"forbid\"";
            let Some(text) = value.get_ref().as_str() else {
                self.wrong(value, name, wanted);
                continue;
            };
            match LEVELS.iter().find(|l| l.as_str() == text) {
                Some(level) => levels.push((name.to_owned(), *level)),
                None => {
                    let near = did_you_mean(text, LEVELS.iter().map(|l| l.as_str()));
                    let message = format!("`{name}` wants {wanted}, not \"{text}\"{near}");
                    self.problem(value.span(), message);
                }
            }
        }
        let width = |name: &str| match name {
            "all" | "warnings" => 0,
            name if LINTS.iter().any(|l| l.name == name) => 2,
            _ => 1,
        };
        levels.sort_by_key(|(name, _)| width(name));
        self.said.package.levels = levels;
    }

    fn settings(&mut self, lint: &crate::lint::Lint, value: &Value) {
        let Some(table) = value.get_ref().as_table() else {
            let wanted = "a table of settings (its level goes into `lints`)";
            return self.wrong(value, lint.name, wanted);
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if lint.settings.iter().all(|s| s.key != name) {
                let keys = || lint.settings.iter().map(|s| s.key);
                let message = match did_you_mean(name, keys()) {
                    _ if lint.settings.is_empty() => format!("`{}` has no settings", lint.name),
                    near if near.is_empty() => {
                        let keys = listed(keys());
                        format!("`{}` has no setting `{name}`; it has {keys}", lint.name)
                    }
                    near => format!("`{}` has no setting `{name}`{near}", lint.name),
                };
                self.problem(key.span(), message);
                continue;
            }
            if let Some(number) = self.number(value, name) {
                let key = (lint.name.to_owned(), name.to_owned());
                self.said.package.settings.insert(key, number);
            }
        }
    }

    fn budgets(&mut self, value: &Value) {
        let Some(table) = value.get_ref().as_table() else {
            return self.wrong(value, "budgets", "a table of types and bytes");
        };
        for (key, value) in table {
            let path = key.get_ref().as_ref();
            if let Some(max) = self.number(value, path) {
                let at = value.span();
                self.said.package.budgets.push(Limit {
                    path: path.to_owned(),
                    max,
                    span: Span::new(self.source.id, at.start, at.end),
                });
            }
        }
    }

    fn number(&mut self, value: &Value, what: &str) -> Option<u64> {
        let number = value.get_ref().as_integer().and_then(|n| {
            let digits = n.as_str().replace('_', "");
            u64::from_str_radix(digits.trim_start_matches('+'), n.radix()).ok()
        });
        if number.is_none() {
            match value.get_ref().is_integer() {
                true => self.problem(value.span(), format!("`{what}` wants a number from 0 on")),
                false => self.wrong(value, what, "a whole number"),
            }
        }
        number
    }

    fn strings(&mut self, value: &Value, what: &str) -> Vec<(String, Range<usize>)> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(value, what, "a list of strings");
            return Vec::new();
        };
        let mut strings = Vec::new();
        for value in list.iter() {
            match value.get_ref().as_str() {
                Some(text) => strings.push((text.to_owned(), value.span())),
                None => self.wrong(value, what, "a list of strings"),
            }
        }
        strings
    }

    fn patterns(&mut self, value: &Value, what: &str) -> Vec<(Pattern, Range<usize>)> {
        let mut patterns = Vec::new();
        for (text, at) in self.strings(value, what) {
            let plain = text.trim_start_matches("./").trim_end_matches('/');
            match Pattern::new(plain) {
                Ok(pattern) => patterns.push((pattern, at)),
                Err(error) => {
                    let message = format!("`{text}` is no pattern: {}", error.msg);
                    self.problem(at, message);
                }
            }
        }
        patterns
    }
}

fn get<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    let mut entries = table.iter();
    entries.find(|(k, _)| k.get_ref() == key).map(|(_, v)| v)
}

/// Joins names as `a`, `b`, `c`.
fn listed<'t>(names: impl Iterator<Item = &'t str>) -> String {
    let names: Vec<_> = names.map(|n| format!("`{n}`")).collect();
    names.join(", ")
}

/// Reports budgets that cannot be checked: the type does not exist, or its size is unknown.
/// Those for futures have no effect if there are none of that name; without sizes of futures that is
/// not known.
pub(super) fn idle_budgets(cx: &Context, config: &Config) -> Vec<Problem> {
    let model = cx.model;
    let mut warnings: Vec<Problem> = Vec::new();
    let mut limits: Vec<&Limit> = Vec::new();
    let mut crates: Lists<Span, u32> = Lists::default();
    for krate in model.selected() {
        for limit in &config.of(krate).budgets {
            if crates.of(&limit.span).is_empty() {
                limits.push(limit);
            }
            crates.add(limit.span, krate);
        }
    }
    let mut of_crate: Lists<u32, &TypeInfo> = Lists::default();
    if !limits.is_empty() {
        let types = model.types().iter();
        types.for_each(|info| of_crate.add(info.krate, info));
    }
    for limit in limits {
        let crates = crates.of(&limit.span).iter();
        let types = || crates.clone().flat_map(|krate| of_crate.of(krate));
        let mut found = types().filter_map(|t| model.limited(t, limit)).peekable();
        let is_it = |l: &Limit| l.span == limit.span;
        let mut of_futures = crates
            .clone()
            .filter(|k| cx.limits_of_futures(**k).any(is_it));
        let is_of_future = of_futures.next().is_some();
        let has = |futures: &Coroutines| crates.clone().any(|k| futures.has(*k, limit.future()));
        let message = match found.peek() {
            None if is_of_future => cx.coroutines().ok().filter(|f| !has(f)).map(|_| {
                format!(
                    "no future `{}` was found by `cargo weigh futures`",
                    limit.path
                )
            }),
            None => Some(format!(
                "no type `{}` is defined in what was analysed{}",
                limit.path,
                did_you_mean(&limit.path, types().map(|t| t.path.as_str()))
            )),
            Some(_) => found.find_map(|b| model.extent(b.ty).err()).map(|why| {
                format!(
                    "`{}` cannot be held against its budget: {}",
                    limit.path,
                    model.reason(&why)
                )
            }),
        };
        warnings.extend(message.map(|message| Problem {
            span: Some(limit.span),
            file: None,
            message,
            own: true,
        }));
    }
    warnings
}
