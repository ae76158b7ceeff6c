//! The release of rustc that sizes are for, and the evidence that they are exact.

use super::Project;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Minor versions of Rust 1 that the declarations of std and the calculator hold for: the
/// calibration probe compares them with each release (`.ci/slow releases`).
pub const KNOWN: RangeInclusive<u32> = 85..=99;

/// A release and the reliability of sizes for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The version from `rustc -vV`, of the project's own compiler unless it could not be run.
    pub version: String,
    /// The evidence.
    pub standing: Standing,
}

/// The compiler and target that sizes are for, as stated in JSON output.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExactFor<'p> {
    /// The release of rustc.
    pub rustc: &'p str,
    /// The target.
    pub triple: &'p str,
    /// False if the project's configuration is ignored; else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_config: Option<bool>,
}

impl<'p> ExactFor<'p> {
    /// Creates the statement.
    pub fn new(rustc: &'p str, triple: &'p str, without_config: bool) -> ExactFor<'p> {
        ExactFor {
            rustc,
            triple,
            project_config: without_config.then_some(false),
        }
    }
}

impl Project {
    /// Returns the compiler and target that sizes are for.
    pub fn exact_for(&self) -> ExactFor<'_> {
        ExactFor::new(
            &self.release.version,
            &self.target.triple,
            self.without_config,
        )
    }
}

/// The evidence that sizes are exact for a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The declarations are tested against this release.
    Declared,
    /// The compiler itself was asked for the layouts of std's types.
    Calibrated {
        /// Number of std types that were compared.
        types: usize,
        /// The types that differ from the declaration: paths relative to the crate root, sorted.
        unknown: Vec<String>,
    },
    /// The compiler lays out plain structs and enums differently: the first such type.
    Foreign(String),
    /// The compiler could not be asked, with the reason; a known release is used instead.
    NotAsked(String),
}

impl Release {
    /// Returns a release that the declarations are tested against; `None` for any other, which must
    /// be calibrated.
    pub fn declared(version: &str) -> Option<Release> {
        // A beta or nightly may change until its release.
        let is_known = !version.contains('-') && KNOWN.contains(&minor(version)?);
        is_known.then(|| Release {
            version: version.to_owned(),
            standing: Standing::Declared,
        })
    }

    /// Returns the substitute for a release that could not be asked: the nearest known release.
    pub fn not_asked(version: &str, why: impl Into<String>) -> Release {
        let newest = *KNOWN.end();
        let nearest = minor(version).map_or(newest, |m| m.clamp(*KNOWN.start(), newest));
        Release {
            version: format!("1.{nearest}.0"),
            standing: Standing::NotAsked(why.into()),
        }
    }

    /// Describes for which rustc and target sizes are exact, as the end of a sentence.
    pub fn exactness(&self, triple: &str) -> String {
        let version = &self.version;
        match &self.standing {
            Standing::Declared => format!("exact for rustc {version} on {triple}"),
            Standing::Calibrated { types, unknown } => format!(
                "exact for rustc {version} on {triple}, calibrated against rustc {version}: {} of \
                 {types} std types not known",
                unknown.len()
            ),
            Standing::Foreign(what) => format!(
                "nothing is exact for rustc {version} on {triple}, which lays out types in another \
                 way (`{what}`)"
            ),
            Standing::NotAsked(_) => format!("as of rustc {version} on {triple}"),
        }
    }

    /// Returns the warning for the user, in one line.
    pub fn warning(&self) -> Option<String> {
        let version = &self.version;
        match &self.standing {
            Standing::Declared | Standing::Calibrated { .. } => None,
            Standing::Foreign(what) => Some(format!(
                "rustc {version} lays out types in another way than this program knows (`{what}` \
                 among its generated types): no size is known"
            )),
            Standing::NotAsked(why) => Some(format!(
                "sizes are those of rustc {version} and may differ from the project's, which could \
                 not be asked: {why}"
            )),
        }
    }

    /// Returns the minor version of a version number; the newest known one for a text that is no
    /// version.
    pub fn minor_of(version: &str) -> u32 {
        minor(version).unwrap_or(*KNOWN.end())
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
            let exactness = format!("exact for rustc {version} on x");
            assert_eq!(
                (release.exactness("x"), release.warning()),
                (exactness, None)
            );
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
        let newest = Release::not_asked("1.200.0", "no rustc");
        assert_eq!(newest.exactness("x"), "as of rustc 1.99.0 on x");
        assert!(
            newest
                .warning()
                .unwrap()
                .ends_with("could not be asked: no rustc")
        );
        assert_eq!(Release::not_asked("1.63.0", "").version, "1.85.0");
    }
}
