//! `cargo weigh layout`: draws the types that the user names.

use super::{FAILED, Terminal, print_problems, written};
use crate::check;
use crate::draw::{self, Room, Signs};
use crate::model::Model;
use crate::project::{ExactFor, Selection};
use crate::report;
use crate::resolve::Unknown;
use crate::resolve::ty::Ty;
use crate::store::Temporary;
use serde::Serialize;
use std::io::IsTerminal;

/// A layout as a JSON line.
#[derive(Serialize)]
struct Line<'m> {
    #[serde(flatten)]
    exact_for: ExactFor<'m>,
    #[serde(flatten)]
    layout: weigh_layout::Layout,
}

/// The arguments of `layout`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Types to draw
    #[arg(value_name = "TYPE", required = true)]
    types: Vec<String>,
    /// Draw the N widest variants of an enum
    #[arg(long = "top", id = "widest", value_name = "N", default_value_t = 10)]
    widest: usize,
    /// Draw all variants of an enum
    #[arg(long, conflicts_with = "widest")]
    all_variants: bool,
}

/// The package that is read where there is none: types of std need nothing of it.
const SCRATCH: [(&str, &str); 2] = [
    (
        "Cargo.toml",
        "[package]\nname = \"no-package\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
    ),
    ("lib.rs", ""),
];

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    asked: &Arguments,
) -> Result<u8, String> {
    if selection.has_manifest() {
        return drawn(terminal, selection, json, asked);
    }
    let scratch = Temporary::anywhere().and_then(|scratch| {
        for (name, text) in SCRATCH {
            scratch.folder().create(name, text.as_bytes())?;
        }
        Ok(scratch)
    });
    let scratch = scratch.map_err(|e| format!("cannot create a package to read std with: {e}"))?;
    let selection = Selection {
        manifest_path: Some(scratch.folder().path().join("Cargo.toml")),
        ..selection.clone()
    };
    terminal.note("there is no `Cargo.toml` here: only types of std are known");
    drawn(terminal, &selection, json, asked)
}

fn drawn(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    asked: &Arguments,
) -> Result<u8, String> {
    let most = match asked.all_variants {
        true => usize::MAX,
        false => asked.widest,
    };
    let (model, asked) = written::find_all(terminal, selection, &asked.types)?;
    let signs = match std::io::stdout().is_terminal() && !terminal.writes_a_file() {
        true => Signs::BLOCKS,
        false => Signs::ASCII,
    };
    let mut text = String::new();
    let mut errors = Vec::new();
    for asked in asked {
        let model = &*asked.model;
        let found = asked.ty.and_then(|ty| match model.view(ty) {
            Ok(view) => Ok((ty, view, Vec::new())),
            // A drawing says what it assumes; a document has exact layouts alone.
            Err(why) => match model.db.supposing(|| model.view(ty)) {
                (Ok(view), assuming) if !json && !assuming.is_empty() => Ok((ty, view, assuming)),
                _ => Err(unknown(model, ty, &why)),
            },
        });
        match found {
            Ok((ty, view, _)) if json => {
                let line = serde_json::to_string(&Line {
                    exact_for: model.db.project.exact_for(),
                    layout: weigh_layout::Layout::new(model, ty, &view),
                });
                text.push_str(&line.map_err(|e| e.to_string())?);
                text.push('\n');
            }
            Ok((ty, view, assuming)) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                let name = model.db.display(ty);
                let columns = terminal.columns();
                let room = Room { columns, most };
                let drawn = draw::draw(&name, &view, signs, room, |f| model.db.display(f.ty));
                text.push_str(&drawn);
                if !assuming.is_empty() {
                    text.push_str(&format!("assuming that {}\n", assuming.join("; ")));
                }
            }
            Err(message) => errors.push(message),
        }
    }
    let problems = check::problems(&model);
    if !json && !text.is_empty() {
        let exactness = report::exactness(model.db.project);
        let unread = report::Unread::of(&problems).words();
        text.push_str(&format!("{exactness}{unread}\n"));
    }
    let status = print_problems(terminal, &model, &problems);
    terminal.write(text.as_bytes())?;
    for error in &errors {
        terminal.error(error);
    }
    Ok(match errors.is_empty() {
        true => status,
        false => FAILED,
    })
}

/// Returns the error for an unknown layout.
pub(super) fn unknown(model: &Model<'static>, ty: Ty, why: &Unknown) -> String {
    let name = model.db.display(ty);
    match why {
        Unknown::Generic(param) => format!(
            "the layout of `{name}` depends on `{param}`\nhelp: give it an argument, as in \
             `Option<u8>`"
        ),
        why => {
            let why = model.reason(why);
            match model.extent(ty) {
                Ok(of) => format!(
                    "`{name}` has a size of {} bytes and an alignment of {}, but its fields are \
                     unknown: {why}",
                    of.size, of.align
                ),
                Err(_) => format!("the layout of `{name}` is unknown: {why}"),
            }
        }
    }
}
