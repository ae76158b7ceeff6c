//! Whether the macros that no table knows do what is supposed of them, where they were expanded.

use super::attrs::AttributeMacro;
use super::{CrateIx, Db, ProcMacro};
use crate::ir::{self, Adt, Attrs, Item, ItemKind, UseBind};
use crate::span::Span;
use std::sync::Arc;

/// What the expansions of a macro that no table knows have shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supposition {
    /// The macro and its crate, as in "derive `Builder` of `maker`".
    pub of: String,
    /// The number of places where it did what is supposed of it.
    pub held: usize,
    /// The number of other places.
    pub failed: usize,
    /// What it did in one of these.
    pub instead: Option<Arc<str>>,
}

impl Supposition {
    /// Adds the places of one more to a list that is sorted by macro.
    pub(super) fn merge(list: &mut Vec<Supposition>, more: &Supposition) {
        match list.binary_search_by(|known| known.of.cmp(&more.of)) {
            Ok(at) => {
                let known = &mut list[at];
                known.held += more.held;
                known.failed += more.failed;
                // The same one in each order of places.
                let both = [known.instead.take(), more.instead.clone()];
                known.instead = both.into_iter().flatten().min();
            }
            Err(at) => list.insert(at, more.clone()),
        }
    }
}

impl Db<'_> {
    /// Compares the output of a macro on an item with what is supposed of it.
    pub(super) fn supposed(
        &self,
        krate: CrateIx,
        item: &Item,
        macro_: &AttributeMacro,
        of: ProcMacro,
        output: &ir::File,
    ) -> Supposition {
        let instead = self.against(krate, item, macro_, output);
        Supposition {
            of: format!(
                "{} `{}` of `{}`",
                macro_.kind(),
                of.name,
                self.krate(of.krate).name
            ),
            held: usize::from(instead.is_none()),
            failed: usize::from(instead.is_some()),
            instead: instead.map(Into::into),
        }
    }

    /// Returns what in the output is against it.
    fn against(
        &self,
        krate: CrateIx,
        item: &Item,
        macro_: &AttributeMacro,
        output: &ir::File,
    ) -> Option<String> {
        let mut kept = macro_.derive;
        for made in &output.items {
            if !kept && made.name == item.name && self.is_as_written(krate, item, made) {
                kept = true;
                continue;
            }
            match &made.kind {
                ItemKind::Impl(_) | ItemKind::Block(_) => {}
                ItemKind::MacroCall(call) => {
                    return Some(format!("calls `{}!`", call.path.last_name()));
                }
                ItemKind::Use(list) if list.iter().all(|leaf| leaf.bind == UseBind::Unnamed) => {}
                _ if made.name == Item::UNNAMED => {}
                _ if made.name == item.name => return Some(format!("changes `{}`", item.name)),
                _ => return Some(format!("adds `{}`", made.name)),
            }
        }
        (!kept).then(|| format!("removes `{}`", item.name))
    }

    /// Returns true for an item of the same kind; for a type, with the same variants and fields.
    fn is_as_written(&self, krate: CrateIx, item: &Item, made: &Item) -> bool {
        let reprs = |item: &Item| {
            let reprs = item.attrs.list.iter().filter(|a| a.meta.path == ["repr"]);
            let texts = reprs.map(|a| self.without_blanks(a.span));
            let mut texts: Vec<_> = texts.collect();
            texts.sort_unstable();
            texts
        };
        match (&item.kind, &made.kind) {
            (ItemKind::Adt(a), ItemKind::Adt(b)) => {
                reprs(item) == reprs(made) && self.alike(krate, a, b)
            }
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// Returns true if both have the same variants and fields, but for those that a `cfg` removes.
    fn alike(&self, krate: CrateIx, a: &Adt, b: &Adt) -> bool {
        let is_there = |attrs: &Attrs| self.present(krate, attrs).unwrap_or(true);
        let fields = |of: &ir::Variant| {
            let there = of.fields.iter().filter(|f| is_there(&f.attrs));
            there.map(|f| (f.name, f.ty.clone())).collect::<Vec<_>>()
        };
        let variants = |of: &Adt| {
            let there = of.variants.iter().filter(|v| is_there(&v.attrs));
            let parts = there.map(|v| (v.name, v.style, v.discriminant.clone(), fields(v)));
            parts.collect::<Vec<_>>()
        };
        a.kind == b.kind && variants(a) == variants(b)
    }

    fn without_blanks(&self, span: Span) -> String {
        let text = &self.sources.get(span.file).text[span.range()];
        text.split_whitespace().collect()
    }
}
