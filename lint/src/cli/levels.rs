//! Lint levels on the command line, in the order in which they were given.

use crate::config::Level;
use crate::lint::Group;
use crate::lints::LINTS;
use crate::project::did_you_mean;
use clap::{ArgAction, ArgMatches, Args};

/// The flags.
#[derive(Args)]
#[command(next_help_heading = "Lint levels")]
pub(super) struct Levels {
    /// Do not report
    #[arg(short = 'A', long, value_name = "LINT", action = ArgAction::Append)]
    allow: Vec<String>,
    /// Report
    #[arg(short = 'W', long, value_name = "LINT", action = ArgAction::Append)]
    warn: Vec<String>,
    /// Report, and end with status 1
    #[arg(short = 'D', long, value_name = "LINT", action = ArgAction::Append)]
    deny: Vec<String>,
    /// As `--deny`, and nothing later lowers it
    ///
    /// LINT is a lint, a group (`layout`, `heap`, `budget`, `pedantic`), `all`, or `warnings`:
    /// whatever would be a warning.
    #[arg(long, value_name = "LINT", action = ArgAction::Append)]
    forbid: Vec<String>,
}

const FLAGS: [(&str, Level); 4] = [
    ("allow", Level::Allow),
    ("warn", Level::Warn),
    ("deny", Level::Deny),
    ("forbid", Level::Forbid),
];

/// Levels by lint or group; `after` is what follows `--`.
///
/// # Errors
/// There is no such lint, or something else than levels follows `--`.
pub(super) fn read(matches: &ArgMatches, after: &[String]) -> Result<Vec<(String, Level)>, String> {
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

/// Levels as rustc takes them: `-D name`, `-Dname`, `--deny name`, `--deny=name`.
fn behind(after: &[String]) -> Result<Vec<(String, Level)>, String> {
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
                "`{word}` after `--` is no lint level: only `-A`, `-W`, `-D`, `-F` with a lint go there"
            ));
        };
        let name = match rest.is_empty() {
            true => words.next().cloned(),
            false => Some(rest),
        };
        let name = name.ok_or_else(|| format!("`{word}` wants the name of a lint"))?;
        list.push((name, level));
    }
    Ok(list)
}

/// The name of a lint or group as it is registered.
///
/// # Errors
/// There is none; the nearest name is offered.
pub(super) fn known(name: &str) -> Result<String, String> {
    let plain = name
        .strip_prefix("weigh::")
        .unwrap_or(name)
        .replace('-', "_");
    let groups = Group::ALL
        .iter()
        .map(|g| g.as_str())
        .chain(["all", "warnings"]);
    let names: Vec<&str> = LINTS.iter().map(|l| l.name).chain(groups).collect();
    match names.contains(&plain.as_str()) {
        true => Ok(plain),
        false => Err(format!(
            "there is no lint `{name}`{}\nhelp: `cargo weigh lints` lists them",
            did_you_mean(&plain, names.into_iter())
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(words: &str) -> Result<Vec<(String, Level)>, String> {
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

    #[test]
    fn names_in_all_spellings() {
        for name in [
            "oversized_variant",
            "weigh::oversized_variant",
            "oversized-variant",
        ] {
            assert_eq!(known(name).as_deref(), Ok("oversized_variant"));
        }
        assert!(
            known("weigh::oversize_variant")
                .unwrap_err()
                .contains("`oversized_variant`")
        );
    }
}
