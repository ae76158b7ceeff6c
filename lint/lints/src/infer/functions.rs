//! Finds every function, constant and static of some crates, in order.

use super::body::Function;
use crate::ir::{self, ItemKind};
use crate::project::CrateKind;
use crate::resolve::ahead::{Ahead, Reading, Text};
use crate::resolve::{CrateIx, Db, Def, ItemId, ModId, collect::has_attr};
use crate::span::FileId;
use crate::wanted_words::WantedWords;

/// An item with a body.
pub(super) struct Bodied {
    pub item: ItemId,
    krate: CrateIx,
    module: ModId,
    pub owner: Option<ItemId>,
    path: String,
    aside: bool,
    text: Text,
}

impl Bodied {
    /// Returns true if the text contains one of these words.
    pub(super) fn has_word(&self, db: &Db<'static>, words: &WantedWords) -> bool {
        let source = db.sources.get(self.text.span().file);
        self.text.has_word(&source, words)
    }

    /// Returns the function with its body, parsed on demand.
    pub(super) fn function(&self, reading: Reading) -> Function {
        Function {
            item: self.item,
            krate: self.krate,
            module: self.module,
            owner: self.owner,
            path: self.path.clone(),
            aside: self.aside,
            body: reading.body(),
        }
    }
}

/// Finds the items with bodies in some crates, by file and position, each with the handle of its
/// body; parsing starts for those that are wanted.
pub(super) fn read(
    db: &Db<'static>,
    crates: impl Iterator<Item = CrateIx>,
    wanted: impl Fn(&Bodied) -> bool,
) -> Vec<(Bodied, Reading, bool)> {
    let mut found = Vec::new();
    for krate in crates {
        for module in db.modules_and_bodies(krate) {
            of_module(db, krate, module, &mut found);
        }
    }
    let found: Vec<_> = found.into_iter().map(|f| (wanted(&f), f)).collect();
    let (first, later) = (gather(db, &found, true), gather(db, &found, false));
    db.ahead.start();
    first.start();
    let found = found.into_iter().filter_map(|(wanted, f)| {
        let reading = [&db.ahead, &first, &later]
            .into_iter()
            .find_map(|a| a.get(&f.text))?;
        Some((f, reading, wanted))
    });
    found.collect()
}

/// Gathers the texts that are not in the database's batch, those of macro expansions and nested
/// functions: either the wanted or the other ones.
fn gather(db: &Db<'static>, found: &[(bool, Bodied)], wanted: bool) -> Ahead {
    let mut more: Vec<(FileId, Vec<Text>)> = Vec::new();
    let new = found
        .iter()
        .filter(|(is, f)| *is == wanted && db.ahead.get(&f.text).is_none());
    for (_, f) in new {
        let file = f.text.span().file;
        match more.last_mut() {
            Some((last, texts)) if *last == file => texts.push(f.text.clone()),
            _ => more.push((file, vec![f.text.clone()])),
        }
    }
    let mut ahead = Ahead::default();
    for (file, texts) in more {
        ahead.add(&db.sources.get(file), texts);
    }
    ahead
}

fn of_module(db: &Db<'static>, krate: CrateIx, module: ModId, found: &mut Vec<Bodied>) {
    let scope = db.module(module).scope.read();
    let (values, impls) = (scope.values_in_order.clone(), scope.impls.clone());
    let entries = scope.types.values().flatten();
    let mut traits: Vec<ItemId> = entries
        .filter_map(|e| match e.to {
            crate::resolve::Bound::Def(Def::Item(id)) => Some(id),
            _ => None,
        })
        .filter(|id| matches!(db.item(*id).item.kind, ItemKind::Trait(_)))
        .collect();
    drop(scope);
    traits.sort();
    traits.dedup();
    for item in values {
        add(db, krate, module, None, item, found);
    }
    for owner in impls.into_iter().chain(traits) {
        if db.item_present(owner) == Ok(false) {
            continue;
        }
        for &member in db.members(owner) {
            add(db, krate, module, Some(owner), member, found);
        }
    }
}

fn add(
    db: &Db<'static>,
    krate: CrateIx,
    module: ModId,
    owner: Option<ItemId>,
    item: ItemId,
    found: &mut Vec<Bodied>,
) {
    let data = db.item(item);
    let Some(text) = Text::of(data.item) else {
        return;
    };
    if db.item_present(item) == Ok(false) {
        return;
    }
    let kind = db.krate(krate).id.map(|id| db.project.krate(id).kind);
    let main = matches!(
        kind,
        Some(CrateKind::Lib | CrateKind::Bin | CrateKind::ProcMacro)
    );
    let test = has_attr(&data.item.attrs, "test") || has_attr(&data.item.attrs, "bench");
    let within = match owner.map(|o| &db.item(o).item.kind) {
        Some(ItemKind::Impl(imp)) => written(&imp.self_ty).map(|n| format!("{n}::")),
        Some(ItemKind::Trait(_)) => owner.map(|o| format!("{}::", db.item(o).item.name)),
        _ => None,
    };
    found.push(Bodied {
        item,
        krate,
        module: db.body_module(item).unwrap_or(module),
        owner,
        path: format!(
            "{}{}{}",
            db.module_path(module),
            within.unwrap_or_default(),
            data.item.name
        ),
        aside: !main || test,
        text,
    });
}

/// Returns the last segment of the self type of an `impl`.
fn written(ty: &ir::Type) -> Option<String> {
    match ty {
        ir::Type::Path(path) => path.segments.last().map(|s| s.name.to_string()),
        ir::Type::Ref(inner, _) => written(inner),
        _ => None,
    }
}
