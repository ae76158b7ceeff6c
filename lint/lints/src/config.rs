//! The configuration of the lints: levels, thresholds and budgets, for each package.

use crate::span::Span;
use glob::{MatchOptions, Pattern};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What happens to a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is ignored.
    Allow,
    /// It is reported.
    Warn,
    /// It is reported, and the run fails.
    Deny,
    /// Like deny; no later setting lowers it.
    Forbid,
}

impl Level {
    /// Returns the name used in flags and manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
            Level::Forbid => "forbid",
        }
    }

    /// Returns true if a finding makes the run fail.
    pub fn fails(self) -> bool {
        self >= Level::Deny
    }
}

/// Levels in the order in which they are set: of a lint, a group, `all` or `warnings`.
pub type Levels = Vec<(String, Level)>;

/// A numeric setting of a lint.
#[derive(Debug)]
pub struct Setting {
    /// The key in the lint's table in a manifest.
    pub key: &'static str,
    /// The value without a manifest entry.
    pub default: u64,
    /// What it means, with its unit: lower case, no full stop.
    pub doc: &'static str,
}

/// Minimum saving, in bytes per value.
pub const SAVED_BYTES: Setting = Setting {
    key: "saved-bytes",
    default: 8,
    doc: "least number of bytes that a value must lose",
};

/// Minimum saving, as a share.
pub const SAVED_PERCENT: Setting = Setting {
    key: "saved-percent",
    default: 0,
    doc: "least share of its size that a value must lose, in percent",
};

/// The worth from which on findings are warnings, unless a manifest or flag says otherwise: fitted
/// with the weights in `worth::score`.
pub const LEAST_WORTH: u8 = 25;

/// The name of the lint about large errors, whose settings others ask for.
pub const LARGE_ERR: &str = "large_err";

/// The name of the lint about enums, whose settings others ask for.
pub const OVERSIZED_VARIANT: &str = "oversized_variant";

/// Minimum size of a large error.
pub const ERROR_SIZE: Setting = Setting {
    key: "error-size",
    default: 128,
    doc: "least number of bytes of an error type that is large",
};

/// The maximum size of a type, as set in a manifest.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The path of a type relative to its crate's root, optionally with generic arguments; or the
    /// name of a future.
    pub path: String,
    /// Bytes.
    pub max: u64,
    /// The number in the manifest.
    pub span: Span,
}

impl Limit {
    /// The path, as futures are named.
    pub fn future(&self) -> &str {
        self.path.trim().trim_start_matches("crate::")
    }
}

/// Files and folders of a package or workspace.
#[derive(Clone, Debug)]
pub struct PathPattern {
    /// The folder that the pattern is relative to.
    pub folder: PathBuf,
    /// `*` and `?` match any characters but `/`, `**` any folders.
    pub pattern: Pattern,
}

/// The configuration of one package.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Levels in the order of precedence: the last one counts.
    pub levels: Levels,
    /// Settings of lints from manifests, by lint and key.
    pub settings: BTreeMap<(String, String), u64>,
    /// Limits on types.
    pub budgets: Vec<Limit>,
    /// Types without findings: `*` matches any text.
    pub exclude_types: Vec<Pattern>,
    /// Files whose types have no findings.
    pub exclude_paths: Vec<PathPattern>,
    /// Suppresses findings that would change the public API of a published library.
    pub avoid_breaking_exported_api: bool,
    /// From which worth on a finding is a warning, if set.
    pub least_worth: Option<u8>,
}

/// The configuration, by crate.
#[derive(Debug, Default)]
pub struct Config {
    /// The packages.
    pub packages: Vec<Package>,
    /// Index into `packages` by crate number; other crates have the defaults.
    pub of_crate: Vec<usize>,
}

static DEFAULTS: Package = Package {
    levels: Vec::new(),
    settings: BTreeMap::new(),
    budgets: Vec::new(),
    exclude_types: Vec::new(),
    exclude_paths: Vec::new(),
    avoid_breaking_exported_api: false,
    least_worth: None,
};

impl Config {
    /// Returns the configuration of a crate.
    pub fn of(&self, krate: u32) -> &Package {
        let package = self.of_crate.get(krate as usize);
        package.map_or(&DEFAULTS, |&p| &self.packages[p])
    }
}

/// The thresholds of a lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Minimum saving for a change of layout to be reported, in bytes per value.
    pub saved_bytes: u64,
    /// Minimum saving as a share of a value, in percent.
    pub saved_percent: u64,
}

impl Thresholds {
    /// Returns true if this change of size, in bytes, is reported.
    pub fn worth(&self, before: u64, after: u64) -> bool {
        before.saturating_sub(after) >= self.least_saving(before)
    }

    /// Returns the largest size, in bytes, down to which a change is reported; 0 if none is.
    pub fn largest_worth(&self, before: u64) -> u64 {
        before.saturating_sub(self.least_saving(before))
    }

    fn least_saving(&self, before: u64) -> u64 {
        let share = (u128::from(before) * u128::from(self.saved_percent)).div_ceil(100);
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        self.saved_bytes.max(share).max(1)
    }
}

/// Parses a pattern for the paths of types: `*` matches any text.
///
/// # Errors
/// Describes an invalid pattern in one line.
pub fn type_pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|e| format!("`{text}` is no pattern: {}", e.msg))
}

impl PathPattern {
    /// Returns true if the pattern matches a file, or a folder that contains it.
    fn matches(&self, file: &Path) -> bool {
        let options = MatchOptions {
            require_literal_separator: true,
            ..MatchOptions::default()
        };
        let Ok(path) = file.strip_prefix(&self.folder) else {
            return false;
        };
        let mut folders = path.ancestors().filter(|p| !p.as_os_str().is_empty());
        folders.any(|p| self.pattern.matches_path_with(p, options))
    }
}

impl Package {
    /// Returns the level of a lint, given its group and its default level.
    pub fn level(&self, lint: &str, group: &str, default: Level) -> Level {
        let mut level = default;
        let mut of_warnings = Level::Warn;
        for (name, asked) in &self.levels {
            if name == "warnings" {
                of_warnings = match of_warnings {
                    Level::Forbid => Level::Forbid,
                    _ => *asked,
                };
            } else if (name == lint || name == group || name == "all") && level != Level::Forbid {
                level = *asked;
            }
        }
        match level {
            Level::Warn => of_warnings,
            other => other,
        }
    }

    /// Returns true if a type defined in a file is excluded.
    pub fn excludes(&self, ty: &str, file: &Path) -> bool {
        self.exclude_types.iter().any(|p| p.matches(ty))
            || self.exclude_paths.iter().any(|p| p.matches(file))
    }

    /// Returns the value of one of a lint's settings.
    pub fn setting(&self, lint: &str, setting: &Setting) -> u64 {
        if self.settings.is_empty() {
            return setting.default;
        }
        let key = (lint.to_owned(), setting.key.to_owned());
        self.settings.get(&key).copied().unwrap_or(setting.default)
    }

    /// Returns from which worth on a finding is a warning.
    pub fn bar(&self) -> u8 {
        self.least_worth.unwrap_or(LEAST_WORTH)
    }

    /// Returns true if uncertain findings are shown too.
    pub fn shows_unsure(&self) -> bool {
        self.level("", "pedantic", Level::Allow) > Level::Allow
    }

    /// Returns the thresholds of a lint that has [`SAVED_BYTES`] and [`SAVED_PERCENT`].
    pub fn thresholds(&self, lint: &str) -> Thresholds {
        Thresholds {
            saved_bytes: self.setting(lint, &SAVED_BYTES),
            saved_percent: self.setting(lint, &SAVED_PERCENT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(flags: &[(&str, Level)]) -> Level {
        let levels = flags.iter().map(|(n, l)| ((*n).to_owned(), *l)).collect();
        let package = Package {
            levels,
            ..Package::default()
        };
        package.level("fat", "layout", Level::Warn)
    }

    #[test]
    fn the_last_level_counts() {
        assert_eq!(level(&[]), Level::Warn);
        assert_eq!(
            level(&[("fat", Level::Deny), ("layout", Level::Allow)]),
            Level::Allow
        );
        assert_eq!(
            level(&[("thin", Level::Deny), ("heap", Level::Deny)]),
            Level::Warn
        );
    }

    #[test]
    fn patterns_of_paths_know_folders() {
        let matches = |pattern: &str, path: &str| {
            let pattern = PathPattern {
                folder: PathBuf::from("/w/a"),
                pattern: Pattern::new(pattern).unwrap(),
            };
            pattern.matches(&Path::new("/w/a").join(path))
        };
        for pattern in ["src/generated/**", "src/generated", "src/gen*", "**/b.rs"] {
            assert!(matches(pattern, "src/generated/a/b.rs"), "{pattern}");
        }
        for pattern in ["generated", "src/generated/*.rs", "*.rs", "src/generate"] {
            assert!(!matches(pattern, "src/generated/a/b.rs"), "{pattern}");
        }
        assert!(!matches("**", "/w/b/src/lib.rs"));
    }

    #[test]
    fn forbid_stays() {
        assert_eq!(
            level(&[("all", Level::Forbid), ("fat", Level::Allow)]),
            Level::Forbid
        );
    }

    #[test]
    fn warnings_change_what_warns() {
        assert_eq!(level(&[("warnings", Level::Deny)]), Level::Deny);
        assert_eq!(
            level(&[("warnings", Level::Deny), ("fat", Level::Allow)]),
            Level::Allow
        );
        assert_eq!(
            level(&[("fat", Level::Deny), ("warnings", Level::Allow)]),
            Level::Deny
        );
    }

    #[test]
    fn both_thresholds_must_be_met() {
        let thresholds = Thresholds {
            saved_bytes: 8,
            saved_percent: 25,
        };
        assert!(thresholds.worth(32, 24) && !thresholds.worth(40, 32));
        assert!(thresholds.worth(128, 96) && !thresholds.worth(128, 97));
        assert!(!thresholds.worth(4, 0) && !thresholds.worth(8, 4));
    }
}
