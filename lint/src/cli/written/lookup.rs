//! What a name means that a user has written: it is looked for where a reader of the code would
//! expect it. Among the types of the selected packages, in the roots of their crates, by its end
//! alone, then in the standard library.

use super::{Fault, Reader, shown, wrong};
use crate::name::Name;
use crate::resolve::{Bound, Def, ItemId, Ns};

/// Modules of the standard library whose names give way to the same ones elsewhere in it: stable
/// code does not mean these.
const GIVE_WAY: &[&str] = &["mpmc", "nonpoison", "os", "prelude", "primitive", "range"];

impl Reader<'_> {
    /// What a path means where a trait or a type is wanted.
    pub(super) fn lookup(&self, global: bool, names: &[Name], traits: bool) -> Result<Def, Fault> {
        let text = shown(names);
        let text = text.strip_prefix("crate::").unwrap_or(&text);
        let mut named = self.own(text, traits);
        let is_whole = |path: &str| path.split_once("::").is_some_and(|(_, rest)| rest == text);
        if named.iter().any(|(_, path)| is_whole(path)) {
            named.retain(|(_, path)| is_whole(path));
            return one_of(text, &named, traits);
        }
        for &root in &self.roots {
            if let Ok(Some(found)) = self.model.db.resolve(root, global, names, Ns::Type)
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

    /// Types, aliases and traits of the selected crates whose path ends so, each with its path from
    /// the crate's name on. What several crates share counts once; types go before the others.
    fn own(&self, text: &str, traits: bool) -> Vec<(ItemId, String)> {
        let db = self.model.db;
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
            let types = self.model.types().iter().map(|t| t.item);
            let types = ending(&mut types.filter(|id| db.item(*id).item.name == last));
            if !types.is_empty() {
                return types;
            }
        }
        let modules = (self.model.selected()).flat_map(|krate| db.modules_and_bodies(krate));
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

    /// What the standard library has by this name, in modules that all may name.
    fn in_std(&self, names: &[Name]) -> Vec<(ItemId, String)> {
        let db = self.model.db;
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
                    // Of two ways to it, the one that is written.
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

/// The only one of several items with their paths; of traits any, as a pointer to one is as large
/// as to another.
fn one_of(text: &str, items: &[(ItemId, String)], traits: bool) -> Result<Def, Fault> {
    match items {
        [(first, _), ..] if traits => Ok(Def::Item(*first)),
        [(only, _)] => Ok(Def::Item(*only)),
        [] => Err(Fault::Missing(text.to_owned())),
        several => {
            let paths = several.iter().map(|(_, path)| format!("  {path}"));
            wrong(format!(
                "`{text}` may be one of several types; write more of the path:\n{}",
                paths.collect::<Vec<_>>().join("\n")
            ))
        }
    }
}
