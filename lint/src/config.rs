//! What the user asks of the lints: their levels and thresholds.

/// What happens to a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    Allow,
    /// It is reported.
    Warn,
    /// It is reported, and the run fails.
    Deny,
    /// As deny; nothing later lowers it.
    Forbid,
}

impl Level {
    /// As flags and manifests spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
            Level::Forbid => "forbid",
        }
    }

    /// True if a finding makes the run fail.
    pub fn fails(self) -> bool {
        self >= Level::Deny
    }
}

/// All that the user has asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Levels as they were given, the last one counts: a lint, a group, `all` or `warnings`.
    pub levels: Vec<(String, Level)>,
    /// From when on a lint speaks.
    pub thresholds: Thresholds,
}

/// From when on a lint speaks.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// Least number of bytes that a value must lose for a change of layout to be worth saying.
    pub saved_bytes: u64,
    /// Least share of a value that it must lose, in percent.
    pub saved_percent: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            saved_bytes: 8,
            saved_percent: 25,
        }
    }
}

impl Thresholds {
    /// True if this change of size, in bytes, is worth saying.
    pub fn worth(&self, before: u64, after: u64) -> bool {
        before.saturating_sub(after) >= self.least_saving(before)
    }

    /// The largest size, in bytes, down to which a change is worth saying; 0 if none is.
    pub fn largest_worth(&self, before: u64) -> u64 {
        before.saturating_sub(self.least_saving(before))
    }

    fn least_saving(&self, before: u64) -> u64 {
        let share = (u128::from(before) * u128::from(self.saved_percent)).div_ceil(100);
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        self.saved_bytes.max(share).max(1)
    }
}

impl Options {
    /// The level of a lint that belongs to a group and has a level of its own by default.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(flags: &[(&str, Level)]) -> Level {
        let levels = flags.iter().map(|(n, l)| ((*n).to_owned(), *l)).collect();
        let options = Options {
            levels,
            ..Options::default()
        };
        options.level("fat", "layout", Level::Warn)
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
        let thresholds = Thresholds::default();
        assert!(thresholds.worth(32, 24) && !thresholds.worth(40, 32));
        assert!(thresholds.worth(128, 96) && !thresholds.worth(128, 97));
        assert!(!thresholds.worth(4, 0) && !thresholds.worth(8, 4));
    }
}
