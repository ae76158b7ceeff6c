//! Re-exports of a new struct beside those of the enum whose fields it holds.

use super::Work;
use super::join::Joined;
use super::text::{INNER, Tokens};
use crate::ir::Vis;
use crate::lower::Kind;
use crate::name::Name;
use crate::resolve::{Def, Ns};
use crate::span::Span;

impl Work<'_> {
    /// Re-exports the new struct wherever the enum is, if other packages can name it by that only;
    /// none if its name is taken there, or a link on the way cannot be edited.
    pub(super) fn reexport(&mut self, joined: &Joined, new: &str) -> Option<()> {
        let editor = self.editor;
        let (model, db) = (editor.model, editor.model.db);
        let own = joined.variants.iter().map(|(adt, _)| *adt);
        let is_own = |id| own.clone().any(|adt| adt == id);
        let info = own.clone().find_map(|adt| editor.infos.get(&adt))?;
        let parent = |m: &_| db.module(*m).parent;
        let mut modules = std::iter::successors(Some(db.item(info.item).module), parent);
        let is_open = modules.all(|m| db.module(m).decl.is_none_or(|d| d.vis == Vis::Public));
        if is_open || !model.exports(info, None) {
            return Some(());
        }
        for span in editor.words().named(editor, &[joined.item.name.as_str()]) {
            let tokens = editor.files.get(&db.sources, span.file);
            let leaf = match public_leaf(&tokens, tokens.at(span.start)) {
                Use::Leaf(leaf) => leaf,
                Use::Other => continue,
                Use::Inside => return None,
            };
            let found = |module, name: &str| {
                let found = db.lookup(module, Name::new(name), Ns::Type, module);
                found.ok().flatten()
            };
            let of_file = editor.words().modules_of(&tokens.source.path);
            let mut here = of_file.iter().copied();
            let name = tokens.str(leaf.last);
            let Some(module) =
                here.find(|m| matches!(found(*m, name), Some(Def::Item(id)) if is_own(id)))
            else {
                continue;
            };
            // A link to another name of the enum is not found by the enum's own.
            let is_renamed = tokens.str(leaf.last) != tokens.str(tokens.at(span.start));
            let is_linked = is_renamed && db.module(module).parent.is_some();
            if is_linked || found(module, new).is_some() {
                return None;
            }
            let whole = Span {
                end: tokens.list[leaf.last].end,
                ..span
            };
            match leaf.grouped {
                true => self.edits.around(whole, INNER, "", &format!(", {new}")),
                false => self.edits.around(whole, INNER, "{", &format!(", {new}}}")),
            }
        }
        Some(())
    }
}

/// What a name is in a file.
enum Use {
    /// A leaf of a `pub use` at the file's root.
    Leaf(Leaf),
    /// A leaf of one further inside, which is not edited.
    Inside,
    /// Nothing of the kind.
    Other,
}

/// A name in a `pub use` declaration.
struct Leaf {
    /// Its last token: the name that it gets there.
    last: usize,
    /// Whether it is in braces.
    grouped: bool,
}

/// Returns the leaf of a `pub use` that the name at a token is.
fn public_leaf(tokens: &Tokens, at: usize) -> Use {
    let last = match tokens.str(at + 1) {
        "as" => at + 2,
        _ => at,
    };
    let ends = matches!(tokens.str(last + 1), "," | "}" | ";");
    let is_named =
        at > 0 && (tokens.ends_path_sep(at - 1) || matches!(tokens.str(at - 1), "{" | ","));
    if !ends || !is_named {
        return Use::Other;
    }
    let mut grouped = false;
    let mut i = at;
    while i > 0 {
        i -= 1;
        let token = tokens.list[i];
        match token.kind {
            Kind::Close => i = token.mate as usize,
            Kind::Open if i > 0 && tokens.ends_path_sep(i - 1) => grouped = true,
            Kind::Open => return Use::Other,
            Kind::Punct if token.byte == b';' => return Use::Other,
            Kind::Word if tokens.str(i) == "use" => {
                return match tokens.outer(i) {
                    _ if i == 0 || tokens.str(i - 1) != "pub" => Use::Other,
                    Some(_) => Use::Inside,
                    None => Use::Leaf(Leaf { last, grouped }),
                };
            }
            _ => {}
        }
    }
    Use::Other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    #[test]
    fn leaves_of_public_uses() {
        let leaf = |text: &str| {
            let tokens = Tokens::of_text(FileId(0), text.to_owned());
            let at = (0..tokens.list.len()).find(|&i| tokens.str(i) == "E");
            match public_leaf(&tokens, at.expect("it is there")) {
                Use::Leaf(leaf) => Some((tokens.str(leaf.last).to_owned(), leaf.grouped)),
                Use::Inside => Some(("inside".to_owned(), false)),
                Use::Other => None,
            }
        };
        for (text, wanted) in [
            ("pub use a::E;", Some(("E", false))),
            ("use x; pub use a::{b::{c, d}, E};", Some(("E", true))),
            ("pub use a::{b::{E as F}, c};", Some(("F", true))),
            ("pub use a::E as F;", Some(("F", false))),
            ("use a::E;", None),
            ("pub(crate) use a::E;", None),
            ("mod m { pub use a::E; }", Some(("inside", false))),
            ("mod m { use a::E; }", None),
            ("pub use a::E::V;", None),
            ("pub fn f(e: E) {}", None),
            ("use a; fn f() { E }", None),
        ] {
            let wanted = wanted.map(|(name, grouped)| (name.to_owned(), grouped));
            assert_eq!(leaf(text), wanted, "{text}");
        }
    }
}
