//! Lint levels on the command line and in the environment, in order of precedence.

use crate::config::{Level, Levels};
use crate::lints;
use clap::{ArgAction, ArgMatches, Args};

/// The flags.
#[derive(Args)]
#[command(next_help_heading = "Lint levels")]
pub(super) struct Flags {
    /// Do not report this lint
    #[arg(short = 'A', long, value_name = "LINT", action = ArgAction::Append)]
    allow: Vec<String>,
    /// Report this lint as a warning
    #[arg(short = 'W', long, value_name = "LINT", action = ArgAction::Append)]
    warn: Vec<String>,
    /// Report this lint as an error: exit status 1
    #[arg(short = 'D', long, value_name = "LINT", action = ArgAction::Append)]
    deny: Vec<String>,
    /// Same as `--deny`, and cannot be overridden
    ///
    /// LINT is a lint, a group (`layout`, `heap`, `budget`, `pedantic`, `nursery`, `comments`), `all`, or
    /// `warnings` (everything that would be a warning).
    #[arg(long, value_name = "LINT", action = ArgAction::Append)]
    forbid: Vec<String>,
}

const FLAGS: [(&str, Level); 4] = [
    ("allow", Level::Allow),
    ("warn", Level::Warn),
    ("deny", Level::Deny),
    ("forbid", Level::Forbid),
];

/// Reads levels by lint or group; `after` is what follows `--`.
///
/// # Errors
///
/// There is no such lint, or an argument after `--` is not a level.
pub(super) fn read(matches: &ArgMatches, after: &[String]) -> Result<Levels, String> {
    let mut placed = Vec::new();
    for (flag, level) in FLAGS {
        let names = matches.get_many::<String>(flag).into_iter().flatten();
        let places = matches.indices_of(flag).into_iter().flatten();
        placed.extend(
            places
                .zip(names)
                .map(|(place, name)| (place, name.clone(), level)),
        );
    }
    placed.sort_by_key(|(place, ..)| *place);
    let flags = placed.into_iter().map(|(_, name, level)| (name, level));
    let all = flags.chain(behind(after)?);
    all.map(|(name, level)| Ok((known(&name)?, level)))
        .collect()
}

/// The environment variable with levels, in the form that also follows `--`.
const VARIABLE: &str = "CARGO_WEIGH_LEVELS";

/// Reads levels from the environment: cargo's own for all warnings, then [`VARIABLE`].
///
/// # Errors
///
/// There is no such level or lint.
pub(super) fn environment(build_warnings: Option<&str>) -> Result<Levels, String> {
    let mut levels = Levels::new();
    if let Some(text) = build_warnings {
        let level = FLAGS
            .iter()
            .find(|(flag, _)| *flag == text)
            .map(|(_, l)| *l);
        let Some(level) = level.filter(|l| *l != Level::Forbid) else {
            return Err(format!(
                "`build.warnings` (CARGO_BUILD_WARNINGS) is `{text}`; expected `allow`, `warn` or `deny`"
            ));
        };
        levels.push(("warnings".to_owned(), level));
    }
    let Some(text) = std::env::var_os(VARIABLE) else {
        return Ok(levels);
    };
    let text = text.to_string_lossy();
    let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
    let blame = |e: String| format!("in {VARIABLE}: {e}");
    for (name, level) in behind(&words).map_err(blame)? {
        levels.push((known(&name).map_err(blame)?, level));
    }
    Ok(levels)
}

/// Parses levels in rustc's syntax: `-D name`, `-Dname`, `--deny name`, `--deny=name`.
fn behind(after: &[String]) -> Result<Levels, String> {
    let mut list = Vec::new();
    let mut words = after.iter();
    while let Some(word) = words.next() {
        let flag = FLAGS.iter().find_map(|&(flag, level)| {
            let short = format!("-{}", flag[..1].to_uppercase());
            let long = format!("--{flag}");
            let rest = match word.strip_prefix(&long) {
                Some(rest) if rest.is_empty() || rest.starts_with('=') => {
                    rest.trim_start_matches('=')
                }
                _ => word.strip_prefix(&short)?,
            };
            Some((rest.to_owned(), level))
        });
        let Some((rest, level)) = flag else {
            return Err(format!(
                "`{word}` is not a lint level; after `--`, write `-A`, `-W`, `-D` or `-F` and a lint"
            ));
        };
        let name = match rest.is_empty() {
            true => words.next().cloned(),
            false => Some(rest),
        };
        let name = name.ok_or_else(|| format!("`{word}` needs the name of a lint"))?;
        list.push((name, level));
    }
    Ok(list)
}

/// Returns the name of a lint or group as it is registered.
///
/// # Errors
/// There is no such name; the message offers the nearest one.
pub(super) fn known(name: &str) -> Result<String, String> {
    let known = lints::known(name).map(str::to_owned);
    known.map_err(|e| format!("{e}\nhelp: `cargo weigh lints` lists them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(words: &str) -> Result<Levels, String> {
        let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
        behind(&words)
    }

    #[test]
    fn as_clippy_users_type_them() {
        let expected = [
            ("warnings", Level::Deny),
            ("a", Level::Allow),
            ("b", Level::Forbid),
            ("c", Level::Warn),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, l)| ((*n).to_owned(), *l))
            .collect();
        assert_eq!(after("-D warnings -Aa --forbid=b --warn c"), Ok(expected));
        assert!(after("-D").is_err() && after("--cap-lints warn").is_err() && after("x").is_err());
    }
}
