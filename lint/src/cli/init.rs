//! `cargo weigh init`: adds the table of settings to a manifest, with the defaults as comments.

use super::{CLEAN, Terminal};
use crate::config::LEAST_WORTH;
use crate::lints::LINTS;
use crate::project::{self, Selection};
use std::fmt::Write;

/// Appends the table to the manifest of the workspace, or of a package without a workspace.
pub(super) fn run(terminal: &Terminal, selection: &Selection) -> Result<u8, String> {
    let whole = Selection {
        workspace: true,
        ..selection.clone()
    };
    let project = project::load(&whole).map_err(|e| e.to_string())?;
    super::recover(terminal, &project)?;
    let path = project.workspace_root.join("Cargo.toml");
    let cannot = |e: std::io::Error| format!("cannot read `{}`: {e}", path.display());
    let old = std::fs::read_to_string(&path).map_err(cannot)?;
    let is_workspace = old
        .lines()
        .any(|l| l.trim_start().starts_with("[workspace"));
    let key = match is_workspace {
        true => "workspace",
        false => "package",
    };
    let of_root = project.members.iter().find(|m| m.manifest_path == path);
    let there = match is_workspace {
        true => Some(&project.workspace_metadata),
        false => of_root.map(|member| &member.metadata),
    };
    // In any notation: a second table would make the manifest invalid TOML.
    if there.is_some_and(|table| !table.is_null()) {
        return Err(format!(
            "`{}` already has `{key}.metadata.weigh`",
            path.display()
        ));
    }
    let mut text = old;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&table(key));
    if text.contains("\r\n") {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    terminal.write_or_to(text.as_bytes(), &path)?;
    let place = match terminal.has_output() {
        true => String::new(),
        false => format!(" to `{}`", path.display()),
    };
    terminal.status("Added", &format!("[{key}.metadata.weigh]{place}"));
    Ok(CLEAN)
}

/// Returns the table, which contains only comments.
fn table(key: &str) -> String {
    let mut text = format!(
        "# Settings of `cargo weigh`; `cargo weigh lints` lists the lints. Comments show the defaults.\n\
         [{key}.metadata.weigh]\n\
         # least-worth = {LEAST_WORTH}  # 0 to 100: from which worth on a finding is a warning\n\
         # avoid-breaking-exported-api = false\n\
         # exclude-types = []  # paths relative to the crate root: \"ast::*\"\n\
         # exclude-paths = []  # relative to this manifest: \"src/generated/**\"\n\
         # transparent-attributes = []  # attribute macros that do not change the item\n\
         # proc-macros = false  # run and expand procedural macros\n\n\
         [{key}.metadata.weigh.budgets]  # maximum size of a type in bytes\n\
         # \"ast::Expr\" = 64\n\n\
         [{key}.metadata.weigh.lints]  # \"allow\", \"warn\", \"deny\" or \"forbid\"\n"
    );
    for lint in LINTS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# {} = \"{}\"", lint.name, lint.level.as_str());
    }
    for lint in LINTS.iter().filter(|l| !l.settings.is_empty()) {
        let _ = writeln!(text, "\n[{key}.metadata.weigh.{}]", lint.name);
        for setting in lint.settings {
            let doc = setting.doc.replace('\n', " ");
            let _ = writeln!(text, "# {} = {}  # {doc}", setting.key, setting.default);
        }
    }
    text
}
