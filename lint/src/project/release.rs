//! The release of rustc that sizes are for, and how it is known that they are exact.

use std::fmt;
use std::ops::RangeInclusive;

/// Minor versions of Rust 1 that the declarations of std and the calculator hold for: each is held
/// against that release by the calibration probe (`.ci/slow releases`).
pub const KNOWN: RangeInclusive<u32> = 85..=99;

/// A release and what sizes are worth there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// As `rustc -vV` says it: the project's own, unless it could not be asked.
    pub version: String,
    /// How it is known.
    pub standing: Standing,
}

/// How it is known what sizes are in a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The declarations are made for it.
    Declared,
    /// The compiler laid out std's types itself.
    Calibrated {
        /// Types of std that were compared.
        types: usize,
        /// Those among them that are not as declared: paths below the crate's root, sorted.
        unknown: Vec<String>,
    },
    /// The compiler lays out plain structs and enums in another way: which one.
    Foreign(String),
    /// The compiler could not be asked, and why; the release is then one that is known.
    NotAsked(String),
}

impl Release {
    /// A release that the declarations are made for; `None` for any other, which has to be asked.
    pub fn declared(version: &str) -> Option<Release> {
        // A beta or nightly may change until it is a release.
        let is_known = !version.contains('-') && KNOWN.contains(&minor(version)?);
        is_known.then(|| Release {
            version: version.to_owned(),
            standing: Standing::Declared,
        })
    }

    /// What stands for a release that could not be asked: the nearest that is known.
    pub fn not_asked(version: &str, why: impl Into<String>) -> Release {
        let newest = *KNOWN.end();
        let nearest = minor(version).map_or(newest, |m| m.clamp(*KNOWN.start(), newest));
        Release {
            version: format!("1.{nearest}.0"),
            standing: Standing::NotAsked(why.into()),
        }
    }

    /// The minor version in this; the newest that is known for what is no version.
    pub fn minor_of(version: &str) -> u32 {
        minor(version).unwrap_or(*KNOWN.end())
    }
}

/// For which rustc sizes are exact, as the end of a sentence.
impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = &self.version;
        match &self.standing {
            Standing::Declared => write!(f, "exact for rustc {version}"),
            Standing::Calibrated { types, unknown } => write!(
                f,
                "calibrated against rustc {version}: {} of {types} std types not known",
                unknown.len()
            ),
            Standing::Foreign(what) => write!(
                f,
                "nothing is exact for rustc {version}, which lays out types in another way: {what}"
            ),
            Standing::NotAsked(why) => write!(
                f,
                "as of rustc {version}: the project's own could not be asked ({why})"
            ),
        }
    }
}

fn minor(version: &str) -> Option<u32> {
    let mut parts = version.split('.');
    (parts.next() == Some("1")).then(|| parts.next()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_declared_and_others_are_asked() {
        for version in ["1.85.0", "1.99.1", "1.90.7"] {
            let release = Release::declared(version).unwrap();
            assert_eq!(release.to_string(), format!("exact for rustc {version}"));
        }
        for version in [
            "1.84.1",
            "1.100.0",
            "1.99.0-nightly",
            "1.95.0-beta.2",
            "2.90.0",
            "",
        ] {
            assert_eq!(Release::declared(version), None, "{version}");
        }
        assert_eq!(Release::not_asked("1.200.0", "").version, "1.99.0");
        assert_eq!(Release::not_asked("1.63.0", "").version, "1.85.0");
    }
}
