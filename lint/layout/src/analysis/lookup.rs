//! Looks up a name that a user wrote: among the types of the selected packages, in the roots of their
//! crates, by the end of the path, then in the standard library.

use super::written::{NoType, Reader, shown, wrong};
use crate::name::Name;
use crate::resolve::{Bound, Def, ItemId, Ns};

/// Modules of the standard library that have lower precedence than other modules with the same names,
/// because stable code does not mean them.
const GIVE_WAY: &[&str] = &["mpmc", "nonpoison", "os", "prelude", "primitive", "range"];

impl Reader<'_> {
    /// Returns the definition that a path names: a trait if `traits`, otherwise a type.
    pub(super) fn lookup(&self, global: bool, names: &[Name], traits: bool) -> Result<Def, NoType> {
        let text = shown(names);
        let text = text.strip_prefix("crate::").unwrap_or(&text);
        let mut named = self.own(text, traits);
        let is_whole = |path: &str| path.split_once("::").is_some_and(|(_, rest)| rest == text);
        if named.iter().any(|(_, path)| is_whole(path)) {
            named.retain(|(_, path)| is_whole(path));
            return one_of(text, &named, traits);
        }
        for &root in &self.roots {
            if let Ok(Some(found)) = self.analysis.db.resolve(root, global, names, Ns::Type)
                && found.used == names.len()
                && (!traits || matches!(found.def, Def::Item(id) if self.is_trait(id)))
            {
                return Ok(found.def);
            }
        }
        if named.is_empty() {
            named = self.in_std(names);
        }
        if named.iter().any(|(id, _)| self.is_trait(*id) == traits) {
            named.retain(|(id, _)| self.is_trait(*id) == traits);
        }
        if traits && !named.first().is_some_and(|(id, _)| self.is_trait(*id)) {
            return wrong(format!("there is no trait `{text}`"));
        }
        one_of(text, &named, traits)
    }

    /// Returns types, aliases and traits of the selected crates whose path ends with `text`, each
    /// with its path including the crate name. A definition that several crates share counts once.
    /// Types have precedence.
    fn own(&self, text: &str, traits: bool) -> Vec<(ItemId, String)> {
        let db = self.analysis.db;
        let path = |id: ItemId| {
            let krate = db.krate(db.krate_of(db.item(id).module)).name;
            format!("{krate}::{}", db.item_path(id))
        };
        let place = |id: ItemId| {
            let item = db.item(id).item;
            (db.sources.origin(item.name_span).0, item.name)
        };
        let ending = |ids: &mut dyn Iterator<Item = ItemId>| {
            let mut found: Vec<(ItemId, String)> = Vec::new();
            for (id, path) in ids.map(|id| (id, path(id))) {
                let fits = path.strip_suffix(text).is_some_and(|h| h.ends_with("::"));
                let known = |(other, _): &(ItemId, String)| place(*other) == place(id);
                if (fits || path == text) && !found.iter().any(known) {
                    found.push((id, path));
                }
            }
            found
        };
        let last = Name::new(text.rsplit("::").next().unwrap_or(text));
        if !traits {
            let types = self.analysis.types().iter().map(|t| t.item);
            let types = ending(&mut types.filter(|id| db.item(*id).item.name == last));
            if !types.is_empty() {
                return types;
            }
        }
        let modules = (self.analysis.selected()).flat_map(|krate| db.modules_and_bodies(krate));
        let mut others = modules.flat_map(|module| {
            let scope = db.module(module).scope.read();
            let entries = scope.types.get(&last).into_iter().flatten();
            let items = entries.filter_map(|entry| match entry.to {
                Bound::Def(Def::Item(id)) if self.is_trait(id) || !traits => Some(id),
                _ => None,
            });
            items.collect::<Vec<_>>()
        });
        ending(&mut others)
    }

    /// Definitions with this name in public modules of the standard library.
    fn in_std(&self, names: &[Name]) -> Vec<(ItemId, String)> {
        let db = self.analysis.db;
        let (Some((last, before)), Some(&from)) = (names.split_last(), self.roots.first()) else {
            return Vec::new();
        };
        let mut found: Vec<(ItemId, String, bool)> = Vec::new();
        let mut queue = vec![(db.root(db.std()), "std".to_owned(), false)];
        while let Some((module, path, gives_way)) = queue.pop() {
            let way = format!("{path}::");
            let fits = before.is_empty() || way.ends_with(&format!("::{}::", shown(before)));
            if fits && let Ok(Some(Def::Item(id))) = db.lookup(module, *last, Ns::Type, from) {
                let known = found.iter_mut().find(|(other, ..)| *other == id);
                let path = format!("{way}{last}");
                match known {
                    // Of two paths to it, the more common one.
                    Some(known) if (gives_way, path.len()) < (known.2, known.1.len()) => {
                        *known = (id, path, gives_way);
                    }
                    Some(_) => {}
                    None => found.push((id, path, gives_way)),
                }
            }
            for &child in &db.module(module).scope.read().children {
                let name = db.module(child).name;
                let to = db.lookup(module, name, Ns::Type, from);
                if matches!(to, Ok(Some(Def::Mod(to))) if to == child) {
                    let gives_way = gives_way || GIVE_WAY.contains(&name.as_str());
                    queue.push((child, format!("{way}{name}"), gives_way));
                }
            }
        }
        if found.iter().any(|(.., gives_way)| !gives_way) {
            found.retain(|(.., gives_way)| !gives_way);
        }
        found.sort_by(|a, b| a.1.cmp(&b.1));
        found.into_iter().map(|(id, path, _)| (id, path)).collect()
    }
}

/// Returns the only one of the items; for traits any of them, because all trait objects have the
/// same layout.
fn one_of(text: &str, items: &[(ItemId, String)], traits: bool) -> Result<Def, NoType> {
    match items {
        [(first, _), ..] if traits => Ok(Def::Item(*first)),
        [(only, _)] => Ok(Def::Item(*only)),
        [] => Err(NoType::Missing(text.to_owned())),
        several => {
            let paths = several.iter().map(|(_, path)| format!("  {path}"));
            wrong(format!(
                "`{text}` is ambiguous; write more of the path:\n{}",
                paths.collect::<Vec<_>>().join("\n")
            ))
        }
    }
}
