//! Variants of clap's subcommands, whose contents may go into a box: clap implements its traits for
//! the box of each type that has them.

use super::Editor;
use crate::infer::body::FieldId;
use crate::ir::{self, AdtKind, ItemKind, Style};
use crate::model::{TypeInfo, freezing};

/// Derives that pass on to the type in each tuple variant.
const DERIVES: &[&str] = &["Parser", "Subcommand"];

/// Attributes of clap. On a tuple variant they do not depend on the type, except one.
const ATTRIBUTES: &[&str] = &["clap", "command"];

/// Requires a list of strings in the variant.
const EXTERNAL: &str = "external_subcommand";

impl Editor<'_> {
    /// Returns true if besides clap's derive and attributes nothing depends on the type of the only
    /// field of a tuple variant.
    pub(super) fn is_subcommand(&self, info: &TypeInfo, id: FieldId) -> bool {
        let db = self.model.db;
        let data = db.item(id.adt);
        let ItemKind::Adt(adt) = &data.item.kind else {
            return false;
        };
        let Some((variant, field)) = self.field(id) else {
            return false;
        };
        let of_clap =
            |derive: &ir::Meta| self.is_derive(data.module, derive, "clap_derive", DERIVES);
        let plain = |attr: &ir::Attr| {
            let name = attr.meta.path.last().map(|n| n.as_str());
            let own = attr.meta.path.len() == 1 && name.is_some_and(|n| ATTRIBUTES.contains(&n));
            let text = || db.sources.text(attr.span);
            match own {
                true => attr.cfg.is_none() && !text().contains(EXTERNAL),
                false => freezing::is_plain_attribute(&attr.meta),
            }
        };
        let attrs = [&data.item.attrs, &variant.attrs, &field.attrs];
        adt.kind == AdtKind::Enum
            && variant.style == Style::Tuple
            && variant.fields.len() == 1
            && info.written
            && info.certain
            && data.item.attrs.derived().any(of_clap)
            && data
                .item
                .attrs
                .derived()
                .all(|m| of_clap(m) || freezing::is_plain_derive(self.model, info, m))
            && (variant.attrs.cfg.is_none() || adt.is_single(variant))
            && field.attrs.cfg.is_none()
            && attrs.iter().flat_map(|a| &a.list).all(plain)
    }
}
