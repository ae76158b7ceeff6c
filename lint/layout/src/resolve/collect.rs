//! Opens modules: declares their items and expands their macro calls in place.

use super::macros::Failure;
use super::procedural::Expanded;
use super::{
    CrateIx, Db, Entry, Guard, ItemId, ModId, Module, Ns, Opaque, Pending, State, Textual,
    TextualLink, Waiting, attrs, cfg::Open,
};
use crate::budget;
use crate::ir::{self, ItemKind};
use crate::name::Name;
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

impl<'a> Db<'a> {
    /// Opens a module if it is not open yet.
    pub fn open(&self, id: ModId) {
        let module = self.module(id);
        if module.state.get() == State::Settled {
            return;
        }
        if module.state.get() == State::Closed
            && let Some(path) = module.file.as_deref()
        {
            self.read_ahead(module.krate, path);
        }
        // Waits for a module that another thread opens, not for one that this thread opens.
        let _turn = self.turns.wait(module.krate);
        if module.state.get() != State::Closed {
            return;
        }
        module.state.set(State::Opening);
        let is_outermost = self.turns.opening(module.krate).depth == 0;
        if is_outermost {
            // What a module contains is the same whatever query opens it.
            self.walk.set_apart(|| self.open_here(id, module));
        } else {
            self.open_here(id, module);
        }
    }

    /// Opens a module that this thread has the turn to open.
    fn open_here(&self, id: ModId, module: &Module<'a>) {
        self.walk.opening.set(self.walk.opening.get() + 1);
        self.turns.opening(module.krate).depth += 1;
        let mut textual = module.textual.read().clone();
        let path = module.file.as_deref();
        let work = || format!("collecting the names of module `{}`", self.module_path(id));
        self.guarded(work, || {
            if let Some(items) = module.inline {
                self.collect(id, items, &mut textual, &None);
            } else if let Some(path) = path
                && !self.file_above(module, path)
                && let Some(file) = self.file(module.krate, path)
                && let Some(guard) = self.guard(module.krate, &file.attrs)
                && self.may_open_again(module, path, file)
            {
                self.collect(id, &file.items, &mut textual, &guard);
            }
        });
        *module.textual.write() = textual;
        module.state.set(State::Open);
        self.turns.opening(module.krate).read.push(id);
        self.close(module.krate);
        self.walk.opening.set(self.walk.opening.get() - 1);
    }

    /// Ends the opening of a module. The outermost one of a crate settles all modules opened inside
    /// it: nothing in progress in another crate affects them.
    fn close(&self, krate: CrateIx) {
        if self.turns.opening(krate).depth == 1 {
            self.retry(krate);
            for module in std::mem::take(&mut self.turns.opening(krate).read) {
                self.module(module).state.set(State::Settled);
            }
        }
        self.turns.opening(krate).depth -= 1;
    }

    /// Retries macro calls whose macro was not found, as long as one makes progress.
    fn retry(&self, krate: CrateIx) {
        // The last attempt at an item may emit calls that have to wait in turn.
        while !self.turns.opening(krate).pending.is_empty() {
            // A caught panic leaves no query in progress for the next attempt.
            let work = || "expanding macros that were not found at once".to_owned();
            self.guarded(work, || self.retry_all(krate));
        }
    }

    fn retry_all(&self, krate: CrateIx) {
        loop {
            let waiting = std::mem::take(&mut self.turns.opening(krate).pending);
            let before: Vec<_> = waiting.iter().map(Pending::span).collect();
            for mut p in waiting {
                match p.what {
                    Waiting::Call(call) => {
                        self.collect_call(p.module, call, &mut p.textual, &p.guard)
                    }
                    Waiting::Item(item) => {
                        self.collect_attributed(p.module, item, &mut p.textual, &p.guard, false)
                    }
                }
            }
            let opening = self.turns.opening(krate);
            if opening.pending.iter().map(Pending::span).eq(before) {
                break;
            }
        }
        let left = std::mem::take(&mut self.turns.opening(krate).pending);
        for mut p in left {
            let call = match p.what {
                Waiting::Call(call) => call,
                Waiting::Item(item) => {
                    self.collect_attributed(p.module, item, &mut p.textual, &p.guard, true);
                    continue;
                }
            };
            let why = match self.expand_items(p.module, call, &p.textual) {
                Ok(_) => continue,
                Err(Failure::NotFound(why) | Failure::Broken(why)) => why,
            };
            let opaque = Opaque::of(call, p.guard, why);
            self.module(p.module).scope.write().opaque.push(opaque);
        }
    }

    /// Returns true if the file of a module contains `#![macro_use]`.
    fn says_macro_use(&self, module: &Module<'a>) -> bool {
        let path = module.file.as_deref();
        let path = path.filter(|p| !p.starts_with(super::load::STD_DIR));
        path.is_some_and(|p| self.sources.says_macro_use(p))
    }

    /// Returns true for the first module of a file, and for others while the budget lasts; reports
    /// a problem when it is exhausted.
    fn may_open_again(&self, module: &Module<'a>, path: &Path, file: &ir::File) -> bool {
        if self.opened.lock().insert(path.to_owned()) {
            return true;
        }
        let items = file.items.len() as u64;
        let left = self
            .budget
            .expansion
            .spend_of_run(budget::COST_OF_MODULE * (1 + items));
        if let (false, Some(decl)) = (left, module.decl)
            && self.stopped.lock().insert(decl.span)
        {
            let message = "modules stopped here: too many are made of the same files";
            self.problem(module.krate, decl.span, message);
        }
        left
    }

    /// Returns true, and reports a problem, if a `#[path]` leads to an enclosing module's file.
    fn file_above(&self, module: &Module<'a>, path: &std::path::Path) -> bool {
        let mut at = module.parent;
        while let Some(parent) = at {
            let parent = self.module(parent);
            if parent.file.as_deref() == Some(path) {
                if let Some(decl) = module.decl {
                    let message = "this module's file is one of those around it: a cycle";
                    self.problem(module.krate, decl.span, message);
                }
                return true;
            }
            at = parent.parent;
        }
        false
    }

    /// Declares items in a module. Plain items come first, so that macros see every import of the
    /// module; then those that depend on order.
    pub(crate) fn collect(
        &self,
        id: ModId,
        items: &'a [ir::Item],
        textual: &mut Textual,
        outer: &Guard,
    ) {
        let module = self.module(id);
        let krate = module.krate;
        self.walk.looking.changed();
        let mut later = Vec::new();
        for item in items {
            let Some(guard) = self.guard(krate, &item.attrs) else {
                continue;
            };
            let guard = both(outer, guard);
            if let ItemKind::MacroCall(_) = item.kind {
                later.push((item, guard, None, Vec::new()));
                continue;
            }
            if self.may_be_expanded(krate, item) {
                later.push((item, guard, None, Vec::new()));
                continue;
            }
            let (item_id, children) = self.declare(id, item, &guard);
            later.push((item, guard, Some(item_id), children));
        }
        for (item, guard, item_id, children) in later {
            match (&item.kind, item_id) {
                (_, Some(item_id)) => self.place(id, item, item_id, children, textual),
                (ItemKind::MacroCall(call), None) => match attrs::on_call(self, &item.attrs) {
                    None => self.collect_call(id, call, textual, &guard),
                    Some(attr) => {
                        let name = attr.meta.path.iter().map(|n| n.as_str());
                        let name = name.collect::<Vec<_>>().join("::");
                        let why = format!("attribute `{name}` may change a macro call").into();
                        let opaque = Opaque {
                            args: item.span,
                            ..Opaque::of(call, guard, why)
                        };
                        module.scope.write().opaque.push(opaque);
                    }
                },
                (_, None) => self.collect_attributed(id, item, textual, &guard, false),
            }
            // Lookups during collection see the macros found so far.
            if module.state.get() == State::Opening {
                *module.textual.write() = textual.clone();
            }
        }
    }

    /// Handles what depends on the position of an item: textual macro scope, child modules, bodies.
    fn place(
        &self,
        id: ModId,
        item: &'a ir::Item,
        item_id: ItemId,
        children: Vec<ModId>,
        textual: &mut Textual,
    ) {
        let module = self.module(id);
        // Unset so far: each inclusion of a file declares its own items.
        let _ = self.item(item_id).textual.set(textual.clone());
        match &item.kind {
            ItemKind::MacroDef(_) => {
                *textual = Some(Arc::new(TextualLink {
                    name: item.name,
                    item: item_id,
                    before: textual.take(),
                }));
            }
            ItemKind::Mod(_) | ItemKind::Block(_) => {
                for child in children {
                    let m = self.module(child);
                    *m.textual.write() = textual.clone();
                    m.state.set(State::Closed);
                    if has_attr(&item.attrs, "macro_use") || self.says_macro_use(m) {
                        self.open(child);
                        *textual = m.textual.read().clone();
                    }
                }
            }
            ItemKind::Fn(f) if f.has_items => {
                let mut scope = module.scope.write();
                scope.bodies.push((item_id, textual.clone()));
            }
            _ => {}
        }
    }

    /// Expands the macros on an item and collects the result; `last` if no further macro
    /// definitions are expected.
    fn collect_attributed(
        &self,
        id: ModId,
        item: &'a ir::Item,
        textual: &mut Textual,
        guard: &Guard,
        last: bool,
    ) {
        let (files, stays) = match self.expand_item(id, item, guard, (false, last)) {
            Expanded::Later => {
                let krate = self.krate_of(id);
                self.turns.opening(krate).pending.push(Pending {
                    module: id,
                    what: Waiting::Item(item),
                    textual: textual.clone(),
                    guard: guard.clone(),
                });
                return;
            }
            Expanded::Beside(files) => (files, true),
            Expanded::Instead(files) => (files, false),
        };
        self.walk.looking.changed();
        if stays {
            let (item_id, children) = self.declare(id, item, guard);
            self.place(id, item, item_id, children, textual);
        }
        for file in files {
            self.collect(id, &file.items, textual, guard);
        }
    }

    fn collect_call(
        &self,
        id: ModId,
        call: &'a ir::MacroCall,
        textual: &mut Textual,
        guard: &Guard,
    ) {
        let module = self.module(id);
        if call.quiet && self.writes_no_item(id, call, textual) {
            return;
        }
        match self.expand_items(id, call, textual) {
            Ok(files) => {
                for (file, condition) in files {
                    let guard = both(guard, condition);
                    self.collect(id, &file.items, textual, &guard);
                }
            }
            Err(Failure::NotFound(_)) => {
                self.turns.opening(module.krate).pending.push(Pending {
                    module: id,
                    what: Waiting::Call(call),
                    textual: textual.clone(),
                    guard: guard.clone(),
                });
            }
            Err(Failure::Broken(_)) if is_assertion(call) => {
                if matches!(self.holds(guard), Ok(true)) {
                    module.scope.write().asserts.push(call.clone());
                }
            }
            Err(Failure::Broken(why)) => {
                let opaque = Opaque::of(call, guard.clone(), why);
                module.scope.write().opaque.push(opaque);
            }
        }
    }

    /// Returns the entries of a name in one namespace, direct ones before imports.
    pub(crate) fn entries(&self, id: ModId, name: Name, ns: Ns) -> Vec<Entry> {
        let scope = self.module(id).scope.read();
        let direct = match ns {
            Ns::Type => scope.types.get(&name),
            Ns::Value => scope.values.get(&name),
            Ns::Macro => scope.macros.get(&name),
        };
        let imports = scope.imports.get(&name);
        direct
            .into_iter()
            .chain(imports)
            .flatten()
            .cloned()
            .collect()
    }
}

impl Pending<'_> {
    fn span(&self) -> Span {
        match self.what {
            Waiting::Call(call) => call.span,
            Waiting::Item(item) => item.span,
        }
    }
}

pub(super) fn push(map: &mut FxHashMap<Name, Vec<Entry>>, name: Name, entry: Entry) {
    // Few names have a second entry.
    let list = map.entry(name).or_insert_with(|| Vec::with_capacity(1));
    list.push(entry);
}

/// Returns true for a call of `weigh-derive`'s `assert_size!`.
fn is_assertion(call: &ir::MacroCall) -> bool {
    let last = call.path.segments.last();
    last.is_some_and(|segment| segment.name == "assert_size")
}

/// Returns the conjunction of two conditions.
pub(crate) fn both(a: &Guard, b: Guard) -> Guard {
    match (a, b) {
        (None, b) => b,
        (Some(a), None) => Some(a.clone()),
        (Some(a), Some(b)) => Some(Arc::new(Open::All(vec![a.clone(), b]))),
    }
}

/// Returns true if an attribute of this single-segment name is present.
pub fn has_attr(attrs: &ir::Attrs, name: &str) -> bool {
    attrs
        .list
        .iter()
        .any(|a| a.meta.path.len() == 1 && a.meta.path[0] == name)
}

/// Returns the argument of this name in `#[weigh(…)]` on a declaration of std.
pub fn mark<'a>(attrs: &'a ir::Attrs, name: &str) -> Option<&'a ir::Meta> {
    let marks = attrs.list.iter().map(|a| &a.meta);
    let marks = marks.filter(|m| m.path.len() == 1 && m.path[0] == "weigh");
    let mut said = marks.flat_map(|m| &m.list);
    said.find(|m| m.path.len() == 1 && m.path[0] == name)
}

/// Returns true if `#[lang = "…"]` with this name is present.
pub(crate) fn has_lang(attrs: &ir::Attrs, name: &str) -> bool {
    attrs.list.iter().any(|a| {
        a.meta.path.len() == 1
            && a.meta.path[0] == "lang"
            && matches!(&a.meta.value, Some(ir::Lit::Str(s)) if s == name)
    })
}
