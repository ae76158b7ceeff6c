//! Declares items: the names that each kind of item adds to its module.

use super::collect::{both, has_attr, push};
use super::library;
use super::load::{child_file, joined, path_attrs};
use super::{
    Bound, Db, Def, Entry, Guard, Import, ItemData, ItemId, ModId, Module, ProcMacro,
    ProcMacroKind, Progress, Scope, Seen, State, attrs,
    cfg::{Decided, Open},
};
use crate::ir::{self, ItemKind, Style, UseBind, Vis};
use crate::name::Name;
use crate::seen;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns true if a type's name is also that of a function or a value: a tuple or unit struct.
fn has_constructor(adt: &ir::Adt) -> bool {
    let first = adt.variants.first();
    adt.kind == ir::AdtKind::Struct && first.is_some_and(|v| v.style != Style::Named)
}

impl<'a> Db<'a> {
    /// Declares an item in its module. Returns its id and the child modules it opens.
    pub(super) fn declare(
        &self,
        id: ModId,
        item: &'a ir::Item,
        guard: &Guard,
    ) -> (ItemId, Vec<ModId>) {
        let module = self.module(id);
        let item_id = self.add_item(ItemData {
            item,
            module: id,
            owner: None,
            guard: guard.clone(),
            facts: Default::default(),
            textual: Default::default(),
        });
        let seen = self.seen(id, &item.vis);
        let mut children = Vec::new();
        let entry = |def| Entry {
            guard: guard.clone(),
            seen,
            to: Bound::Def(def),
        };
        let everywhere = |def| Entry {
            seen: Seen::Everywhere,
            ..entry(def)
        };
        let def = Def::Item(item_id);
        let mut scope = module.scope.write();
        let scope = &mut *scope;
        if !attrs::all_plain(&item.attrs) {
            scope.attributed.push(item_id);
        }
        let value = matches!(
            item.kind,
            ItemKind::Const(_) | ItemKind::Static(..) | ItemKind::Fn(_)
        );
        if value && self.krate(module.krate).own {
            scope.values_in_order.push(item_id);
        }
        match &item.kind {
            ItemKind::Mod(inner) => {
                for (path, guard) in self.file_choices(id, item, guard) {
                    let new = self.child_module(id, item, inner.as_deref(), path, &guard);
                    let entry = Entry {
                        guard,
                        ..entry(Def::Mod(new))
                    };
                    push(&mut scope.types, item.name, entry);
                    scope.children.push(new);
                    children.push(new);
                }
            }
            ItemKind::Block(inner) => {
                let new = self.block_module(id, item, inner, guard);
                scope.children.push(new);
                children.push(new);
            }
            ItemKind::Adt(adt) => {
                push(&mut scope.types, item.name, entry(def));
                if has_constructor(adt) {
                    push(&mut scope.values, item.name, entry(def));
                }
                scope.adts.push(item_id);
            }
            ItemKind::TypeAlias(_) | ItemKind::Trait(_) => {
                push(&mut scope.types, item.name, entry(def));
            }
            ItemKind::Const(_) | ItemKind::Static(..) => {
                push(&mut scope.values, item.name, entry(def));
            }
            ItemKind::Fn(_) => match self.proc_macro(id, item) {
                Some(of) => push(&mut scope.macros, of.name, everywhere(Def::ProcMacro(of))),
                None => push(&mut scope.values, item.name, entry(def)),
            },
            ItemKind::Impl(_) => scope.impls.push(item_id),
            ItemKind::Use(leaves) => self.declare_use(item_id, scope, leaves, guard, seen),
            ItemKind::ExternCrate(name) => self.declare_extern(id, scope, item, *name, entry),
            ItemKind::MacroDef(of) if of.decl2 => push(&mut scope.macros, item.name, entry(def)),
            ItemKind::MacroDef(_) if has_attr(&item.attrs, "macro_export") => {
                let mut exported = self.krate(module.krate).exported.write();
                push(&mut exported, item.name, everywhere(def));
            }
            ItemKind::MacroDef(_) | ItemKind::MacroCall(_) => {}
        }
        (item_id, children)
    }

    fn declare_use(
        &self,
        item: ItemId,
        scope: &mut Scope,
        leaves: &[ir::UseLeaf],
        guard: &Guard,
        seen: Seen,
    ) {
        for leaf in leaves {
            let entry = Entry {
                guard: guard.clone(),
                seen,
                to: Bound::Import(Arc::new(Import {
                    module: self.item(item).module,
                    item,
                    global: leaf.global,
                    path: leaf.path.clone(),
                    target: Default::default(),
                })),
            };
            match leaf.bind {
                UseBind::Name(name) => push(&mut scope.imports, name, entry),
                UseBind::Glob => scope.globs.push(entry),
                UseBind::Unnamed => scope.unnamed.push(entry),
            }
        }
    }

    fn declare_extern(
        &self,
        id: ModId,
        scope: &mut Scope,
        item: &ir::Item,
        name: Name,
        entry: impl Fn(Def) -> Entry,
    ) {
        let ix = self.module(id).krate;
        let krate = self.krate(ix);
        let target = match name.as_str() {
            "self" => Some(self.root(ix)),
            _ => self.extern_root(ix, name),
        };
        let Some(root) = target else { return };
        let target = self.module(root).krate;
        if has_attr(&item.attrs, "macro_use") {
            krate.macro_use.write().push(target);
        }
        if item.name == "_" {
            return;
        }
        push(&mut scope.types, item.name, entry(Def::Mod(root)));
        if self.module(root).parent.is_some() {
            return;
        }
        if self.module(id).parent.is_none() {
            krate.externs.write().insert(item.name, target);
        }
    }

    /// Lists the possible `#[path]`s of a module (`None`: the default), with their conditions.
    fn file_choices<'i>(
        &self,
        parent: ModId,
        item: &'i ir::Item,
        guard: &Guard,
    ) -> Vec<(Option<&'i str>, Guard)> {
        let krate = self.module(parent).krate;
        let mut choices = Vec::new();
        let mut otherwise = guard.clone();
        for (path, cfg) in path_attrs(&item.attrs) {
            match cfg.map_or(Decided::Known(true), |c| self.decide(krate, c)) {
                Decided::Known(false) => {}
                Decided::Known(true) => {
                    choices.push((Some(path), otherwise));
                    return choices;
                }
                Decided::Open(open) => {
                    let here = both(&otherwise, Some(open.clone()));
                    choices.push((Some(path), here));
                    otherwise = both(&otherwise, Some(Arc::new(Open::Not(open))));
                }
            }
        }
        choices.push((None, otherwise));
        choices
    }

    fn child_module(
        &self,
        parent: ModId,
        item: &'a ir::Item,
        inner: Option<&'a [ir::Item]>,
        attr: Option<&str>,
        guard: &Guard,
    ) -> ModId {
        let module = self.module(parent);
        let name = item.name.as_str();
        let included = self.included_dir(module, item);
        let (dir, path_dir) = match &included {
            Some(dir) => (dir, dir),
            None => (&module.dir, &module.path_dir),
        };
        let (mut file, mut child_dir) = (None, dir.join(name));
        // In an inline module, `#[path]` is relative to the default directory of child files.
        let mut child_path_dir = child_dir.clone();
        if inner.is_some() {
            if let Some(path) = attr {
                child_dir = path_dir.join(path);
                child_path_dir = child_dir.clone();
            }
        } else {
            let found = match attr {
                Some(path) => Some((joined(path_dir, path), None)),
                None if self.krate(module.krate).id.is_none() => library::child(dir, name),
                None => child_file(dir, name),
            };
            // Under a condition, the module may not be part of the build.
            let own = attr.is_none() && guard.is_none() && self.krate(module.krate).own;
            if own && seen::is_file(&dir.join(format!("{name}.rs"))) {
                let second = dir.join(name).join("mod.rs");
                if seen::is_file(&second) {
                    let message = format!(
                        "module `{name}` is in both `{name}.rs` and `{name}/mod.rs`: rustc takes \
                         neither (E0761)"
                    );
                    self.problem(module.krate, item.name_span, message);
                }
            }
            match found {
                Some((path, dir)) => {
                    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
                    child_dir = dir.unwrap_or_else(|| beside.clone());
                    child_path_dir = beside;
                    file = Some(path);
                }
                // Under an open condition the file may be absent.
                None if guard.is_none() => {
                    let message = format!("no file for module `{name}`");
                    self.problem(module.krate, item.name_span, message);
                }
                None => {}
            }
        }
        self.add_module(Module {
            krate: module.krate,
            parent: Some(parent),
            name: item.name,
            block: false,
            guard: guard.clone(),
            inline: inner,
            decl: Some(item),
            dir: child_dir,
            path_dir: child_path_dir,
            file,
            state: Progress::new(State::Ahead),
            textual: Default::default(),
            function: None,
            makers: Default::default(),
            scope: Default::default(),
        })
    }

    /// Returns the directory of the file that an item is in, if `include!` added that file to the
    /// module: the files of modules in it are beside it.
    fn included_dir(&self, module: &Module, item: &ir::Item) -> Option<PathBuf> {
        let source = self.sources.about(item.span.file);
        let is_own = match (&module.file, module.decl) {
            (Some(path), _) => source.path == *path,
            (None, Some(decl)) => decl.span.file == item.span.file,
            (None, None) => true,
        };
        let of_file = source.expansion.is_none() && self.krate(module.krate).id.is_some();
        (of_file && !is_own).then(|| source.path.parent().map(Path::to_owned))?
    }

    /// Creates the module of a block in a function.
    fn block_module(
        &self,
        parent: ModId,
        item: &'a ir::Item,
        inner: &'a [ir::Item],
        guard: &Guard,
    ) -> ModId {
        let module = self.module(parent);
        self.add_module(Module {
            krate: module.krate,
            parent: Some(parent),
            name: item.name,
            block: true,
            guard: guard.clone(),
            inline: Some(inner),
            decl: Some(item),
            dir: module.dir.clone(),
            path_dir: module.path_dir.clone(),
            file: Default::default(),
            state: Progress::new(State::Ahead),
            textual: Default::default(),
            function: None,
            makers: Default::default(),
            scope: Default::default(),
        })
    }

    /// Returns the macro that a function of a procedural-macro crate defines.
    fn proc_macro(&self, id: ModId, item: &ir::Item) -> Option<ProcMacro> {
        let krate = self.module(id).krate;
        if !self.is_proc_macro(krate) {
            return None;
        }
        item.attrs.list.iter().find_map(|a| {
            let [name] = a.meta.path[..] else { return None };
            let (name, kind) = match name.as_str() {
                "proc_macro" => (item.name, ProcMacroKind::Bang),
                "proc_macro_attribute" => (item.name, ProcMacroKind::Attribute),
                "proc_macro_derive" => {
                    let name = a.meta.list.first()?.path.first()?;
                    (*name, ProcMacroKind::Derive)
                }
                _ => return None,
            };
            let of = ProcMacro { krate, name, kind };
            let attributes = a.meta.list.iter().find(|m| m.path == ["attributes"]);
            let helpers = attributes.into_iter().flat_map(|m| &m.list);
            self.helpers
                .keep(of, helpers.flat_map(|m| m.path.first().copied()).collect());
            Some(of)
        })
    }

    /// Resolves a visibility in a module.
    pub fn seen(&self, id: ModId, vis: &Vis) -> Seen {
        match vis {
            Vis::Public => Seen::Everywhere,
            Vis::Private => Seen::Within(id),
            Vis::In(path) => {
                let mut at = self.normal(id);
                for (i, name) in path.iter().enumerate() {
                    let m = self.module(at);
                    match name.as_str() {
                        "crate" => at = self.root(m.krate),
                        "self" => {}
                        "super" => at = m.parent.unwrap_or(at),
                        // Any other name is an enclosing module, in edition 2015 relative to the
                        // root.
                        _ => {
                            let outer = if i == 0 { self.root(m.krate) } else { at };
                            let around = iter::successors(Some(id), |u| self.module(*u).parent);
                            let mut named = around.filter(|u| self.module(*u).name == *name);
                            let inner = named.find(|u| self.module(*u).parent == Some(outer));
                            at = inner.unwrap_or(at);
                        }
                    }
                }
                Seen::Within(at)
            }
        }
    }
}
