//! `cargo weigh explain` and `cargo weigh lints`: the documentation of the lints.

use super::{CLEAN, Terminal, levels};
use crate::lint::Lint;
use crate::lints::{self, LINTS};
use std::fmt::Write;

/// Documents one lint, or lists all.
pub(super) fn run(terminal: &Terminal, json: bool, lint: Option<&str>) -> Result<u8, String> {
    match lint {
        Some(name) => one(terminal, name),
        None => all(terminal, json),
    }
}

fn one(terminal: &Terminal, name: &str) -> Result<u8, String> {
    let known = match levels::known(name) {
        Ok(known) => known,
        Err(message) => {
            let (lint, how) = lints::meant(name).ok_or(message)?;
            if how == lints::Meant::Clippy {
                terminal.note(&format!(
                    "`{name}` is a Clippy lint; this is the equivalent lint"
                ));
            }
            lint.to_owned()
        }
    };
    let Some(lint) = LINTS.iter().find(|l| l.name == known) else {
        return Err(format!(
            "`{known}` is a group; `cargo weigh lints` lists its lints"
        ));
    };
    let mut text = format!(
        "# weigh::{}\n\n(group `{}`, level `{}`)\n\n",
        lint.name,
        lint.group.as_str(),
        lint.level.as_str()
    );
    text.push_str(lint.docs().trim_end());
    text.push('\n');
    terminal.write_stdout(text.as_bytes())?;
    Ok(CLEAN)
}

pub(super) fn all(terminal: &Terminal, json: bool) -> Result<u8, String> {
    let text = match json {
        true => lines(),
        false => table(),
    };
    terminal.write_stdout(text.as_bytes())?;
    Ok(CLEAN)
}

fn table() -> String {
    let width = |f: fn(&Lint) -> &str| LINTS.iter().map(|l| f(l).len()).max().unwrap_or(0);
    let (name, group) = (width(|l| l.name), width(|l| l.group.as_str()));
    let mut text = String::new();
    for lint in LINTS {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:name$}  {:group$}  {:6}  {}",
            lint.name,
            lint.group.as_str(),
            lint.level.as_str(),
            lint.summary()
        );
    }
    text
}

fn lines() -> String {
    let mut text = String::new();
    for lint in LINTS {
        let line = serde_json::json!({
            "lint": lint.name,
            "group": lint.group.as_str(),
            "level": lint.level.as_str(),
            "summary": lint.summary(),
            "docs": lint.docs(),
        });
        let _ = writeln!(text, "{line}");
    }
    text
}
