//! Function bodies that define items, opened as modules.

use super::{Db, ItemId, ModId, Module, Progress, State, Textual};
use crate::budget;
use crate::ir::{self, ItemKind};
use crate::lower;
use crate::name::Name;
use crate::span::Span;
use parking_lot::RwLock;

impl<'a> Db<'a> {
    /// Returns every module of a crate and every function body that defines items, in order.
    pub fn modules_and_bodies(&self, krate: u32) -> Vec<ModId> {
        let mut list = self.all_modules(krate);
        let mut next = 0;
        while let Some(&module) = list.get(next) {
            next += 1;
            self.open(module);
            list.extend(self.bodies_of(module));
            if self.module(module).block {
                // `mod` items in functions.
                list.extend(self.module(module).scope.read().children.iter());
            }
        }
        list
    }

    /// Opens the function bodies of a module that define items; in a crate that is not selected,
    /// only those with `impl`s, and the values of unnamed constants.
    pub(super) fn bodies_of(&self, module: ModId) -> Vec<ModId> {
        let m = self.module(module);
        let mut found = Vec::new();
        let bodies = m.scope.read().bodies.clone();
        for (item, textual) in bodies {
            let name = self.item(item).item.name;
            found.extend(self.body(module, item, name, textual));
        }
        let textual = m.textual.read().clone();
        let scope = m.scope.read();
        let impls = scope.impls.clone();
        let traits = scope.types.values().flatten().filter_map(|e| match e.to {
            super::Bound::Def(super::Def::Item(id)) => Some(id),
            _ => None,
        });
        let mut owners = impls;
        let mut traits: Vec<_> = traits
            .filter(|id| matches!(self.item(*id).item.kind, ItemKind::Trait(_)))
            .collect();
        traits.sort();
        owners.extend(traits);
        drop(scope);
        for owner in owners {
            let (prefix, items) = match &self.item(owner).item.kind {
                ItemKind::Impl(imp) => (self_name(&imp.self_ty), &imp.items),
                ItemKind::Trait(tr) => (Some(self.item(owner).item.name), &tr.items),
                _ => continue,
            };
            // Most have none, and listing members expands macros.
            let may = |i: &ir::Item| match &i.kind {
                ItemKind::Fn(f) => f.has_items,
                _ => false,
            };
            if !items.iter().any(may) {
                continue;
            }
            let textual = self.item(owner).textual.get().unwrap_or(&textual);
            for &member in self.members(owner) {
                let item = self.item(member).item;
                if may(item) {
                    let name = match prefix {
                        Some(p) => Name::new(&format!("{p}::{}", item.name)),
                        None => item.name,
                    };
                    found.extend(self.body(module, member, name, textual.clone()));
                }
            }
        }
        found
    }

    /// Returns the module of the items in a function body, if there is one and it was opened.
    pub fn body_module(&self, function: ItemId) -> Option<ModId> {
        self.bodies.get(&function).flatten()
    }

    /// Opens the body of a function as a module, whether or not it is listed.
    pub(super) fn module_of_body(&self, function: ItemId) -> Option<ModId> {
        let data = self.item(function);
        let around = || self.module(data.module).textual.read().clone();
        let textual = data.textual.get().cloned().unwrap_or_else(around);
        self.body(data.module, function, data.item.name, textual)
    }

    /// Opens the value of a constant of a module as a module.
    pub(super) fn module_of_value(&self, module: ModId, value: Span) -> Option<ModId> {
        let of_value = |id: &ModId| {
            let function = self.module(*id).function.map(|f| &self.item(f).item.kind);
            matches!(function, Some(ItemKind::Fn(f)) if f.body == Some(value))
        };
        self.bodies_of(module).into_iter().find(of_value)
    }

    fn body(&self, parent: ModId, item: ItemId, name: Name, textual: Textual) -> Option<ModId> {
        if let Some(module) = self.bodies.get(&item) {
            return module;
        }
        let _turn = self.turns.wait(self.module(parent).krate);
        if let Some(module) = self.bodies.get(&item) {
            return module;
        }
        let module = self.strictly(|| self.open_body(parent, item, name, textual));
        self.bodies.keep(item, module)
    }

    fn open_body(
        &self,
        parent: ModId,
        item: ItemId,
        name: Name,
        textual: Textual,
    ) -> Option<ModId> {
        let data = self.item(item);
        let ItemKind::Fn(function) = &data.item.kind else {
            return None;
        };
        let body = function.body?;
        let module = self.module(parent);
        // The text of a nested function is parsed once more per enclosing function.
        let cost = budget::COST_OF_INNER_TEXT * u64::from(body.end - body.start);
        if module.block && !self.budget.expansion.spend_of_run(cost) {
            if self.stopped.lock().insert(body) {
                let message = "functions inside functions stopped here: they nest too deep";
                self.problem(module.krate, data.item.name_span, message);
            }
            return None;
        }
        let source = self.sources.get(body.file);
        // A library and its unit tests share the items, as they share files.
        let file = match self.inner.get(&body) {
            Some(file) => file,
            None => {
                let file = lower::body_items(&source, body, name == ir::Item::UNNAMED);
                self.inner.keep(body, self.keep(module.krate, file))
            }
        };
        if file.items.is_empty() {
            return None;
        }
        let dir = module.dir.clone();
        let path_dir = module.path_dir.clone();
        Some(self.add_module(Module {
            krate: module.krate,
            parent: Some(parent),
            name,
            block: true,
            guard: data.guard.clone(),
            inline: Some(&file.items),
            decl: Some(data.item),
            dir,
            path_dir,
            file: Default::default(),
            state: Progress::new(State::Closed),
            textual: RwLock::new(textual),
            function: Some(item),
            makers: Default::default(),
            scope: Default::default(),
        }))
    }
}

/// Returns the last path segment of an `impl`'s self type.
fn self_name(ty: &ir::Type) -> Option<Name> {
    match ty {
        ir::Type::Path(path) => path.segments.last().map(|s| s.name),
        ir::Type::Ref(inner, _) => self_name(inner),
        _ => None,
    }
}
