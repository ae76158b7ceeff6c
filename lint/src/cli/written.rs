//! Resolves the types that a user writes on the command line.

use super::{Terminal, read};
use crate::analysis::NoType;
use crate::model::Model;
use crate::project::{Member, Selection};
use crate::resolve::ty::Ty;
use std::rc::Rc;

/// A type that the user named, with the model that has it.
pub(super) struct NamedType {
    pub model: Rc<Model<'static>>,
    /// The type, or why there is none.
    pub ty: Result<Ty, String>,
}

/// Finds types in the selected packages and, if no package is selected by name, in the rest of the
/// workspace.
///
/// # Errors
/// The workspace cannot be read.
pub(super) fn find_all(
    terminal: &Terminal,
    selection: &Selection,
    types: &[String],
) -> Result<(Rc<Model<'static>>, Vec<NamedType>), String> {
    let model = Rc::new(read(terminal, selection)?);
    let mut whole: Option<Rc<Model<'static>>> = None;
    let mut list = Vec::with_capacity(types.len());
    for text in types {
        let mut asked = NamedType {
            ty: Err(String::new()),
            model: model.clone(),
        };
        asked.ty = match model.named(text) {
            Ok(ty) => Ok(ty),
            Err(NoType::Wrong(message)) => Err(message),
            Err(NoType::Missing(name)) => {
                if whole.is_none() && may_widen(&model, selection) {
                    let wide = Selection {
                        workspace: true,
                        ..selection.clone()
                    };
                    whole = Some(Rc::new(read(terminal, &wide)?));
                }
                let in_whole = whole.as_ref().map(|wide| (wide, wide.named(text)));
                match in_whole {
                    Some((wide, Ok(ty))) => {
                        terminal.note(&format!(
                            "`{name}` is in another package of the workspace: the sizes of `{text}` \
                             are those with `--workspace`"
                        ));
                        asked.model = wide.clone();
                        Ok(ty)
                    }
                    Some((_, Err(NoType::Wrong(message)))) => Err(message),
                    Some((wide, Err(NoType::Missing(name)))) => Err(missing(wide, &name)),
                    None => Err(missing(&model, &name)),
                }
            }
        };
        list.push(asked);
    }
    Ok((model, list))
}

/// Returns true if the workspace has packages that are not selected, and no package was selected by
/// name.
pub(super) fn may_widen(model: &Model<'static>, selection: &Selection) -> bool {
    let project = model.db.project;
    let selected = project.selected_packages();
    let is_left_out = |m: &Member| !selected.contains(&*m.package_id);
    let named = selection.workspace || !selection.packages.is_empty();
    !named && project.members.iter().any(is_left_out)
}

/// Returns the error for a missing type, with the most similar names.
fn missing(model: &Model<'static>, wrong: &str) -> String {
    format!("there is no type `{wrong}`{}", nearest(model, wrong))
}

/// Returns the names most similar to one that does not exist.
pub(super) fn nearest(model: &Model<'static>, wrong: &str) -> String {
    let near = model.similar(wrong);
    match near.is_empty() {
        true => "\nhelp: `cargo weigh sizes` lists all types".to_owned(),
        false => {
            let names: Vec<_> = near.iter().map(|name| format!("  {name}")).collect();
            format!("; similar names are:\n{}", names.join("\n"))
        }
    }
}
