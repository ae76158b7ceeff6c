//! Chains of type aliases: a long chain is resolved from its end, so that recursion depth does not
//! grow with its length.

use super::lookup::Found;
use super::types::Env;
use super::{Db, Def, ItemId, Ns};
use crate::ir::{ItemKind, Type};
use crate::name::Name;
use rustc_hash::FxHashSet;

/// Shorter chains are cheaper to resolve recursively.
const LONG: usize = 64;

impl Db<'_> {
    /// Returns true for an alias that only renames another. Resolves and caches a long chain of
    /// these from its end; aliases queried meanwhile do not search for chains again.
    pub(super) fn ask_chain(&self, id: ItemId) -> bool {
        if self.alias_behind(id).is_none() {
            return false;
        }
        if self.walk.chained.get() {
            return true;
        }
        let (chain, _) = self.recording(|| self.chain(id));
        if chain.len() < LONG {
            return true;
        }
        self.walk.chained.set(true);
        for next in chain.into_iter().rev() {
            self.lower_item(next, None, &Env::at(self, next));
            // If this one is unknown, so is every alias before it.
            if !self.knows_alias(next) {
                break;
            }
        }
        self.walk.chained.set(false);
        true
    }

    /// Returns the unresolved aliases behind an alias; none if they form a cycle.
    fn chain(&self, id: ItemId) -> Vec<ItemId> {
        let mut chain = Vec::new();
        let mut passed = FxHashSet::from_iter([id]);
        let mut at = id;
        while let Some(next) = self
            .alias_behind(at)
            .filter(|next| !self.knows_alias(*next))
        {
            if !passed.insert(next) || !self.budget.types.spend(1) {
                return Vec::new();
            }
            chain.push(next);
            at = next;
        }
        chain
    }

    fn knows_alias(&self, id: ItemId) -> bool {
        let aliases = &self.aliases[usize::from(self.walk.as_written.get())];
        aliases.get(self, &(id, Vec::new())).is_some()
    }

    /// Returns the alias that another renames, if neither has parameters.
    fn alias_behind(&self, id: ItemId) -> Option<ItemId> {
        let data = self.item(id);
        let ItemKind::TypeAlias(alias) = &data.item.kind else {
            return None;
        };
        let Some(Type::Path(path)) = &alias.ty else {
            return None;
        };
        if path.segments.iter().any(|segment| segment.args.is_some()) {
            return None;
        }
        let names: Vec<Name> = path.segments.iter().map(|s| s.name).collect();
        let found = self.resolve(data.module, path.global, &names, Ns::Type);
        let Found { def, used, .. } = found.ok()??;
        let Def::Item(next) = def else { return None };
        let is_alias = matches!(self.item(next).item.kind, ItemKind::TypeAlias(_));
        let plain = self.generics(next).is_none_or(|g| g.params.is_empty());
        (is_alias && plain && used == names.len()).then_some(next)
    }
}
