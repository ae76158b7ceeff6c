//! Macro calls: resolves the macro and expands it to items, a type or an expression.

mod output;

pub(super) use output::Nesting;

use super::cfg::{Decided, Open};
use super::collect::both;
use super::types::Env;
use super::{CrateIx, Db, Def, Guard, ItemId, ModId, Ns, ProcMacro, Res, Textual, Unknown};
use crate::ir::{self, ItemKind, MacroCall};
use crate::lower::{self, LOOKING};
use crate::name::{Name, words};
use crate::source::SourceFile;
use crate::span::{FileId, Span};
use std::sync::Arc;

/// The macro that a call resolves to.
enum Callee {
    Rules(ItemId),
    Procedural(ProcMacro),
    /// A macro that defines no names that types could need.
    Silent,
    Include,
    /// `cfg_select!`.
    Select,
}

/// Why a call was not expanded.
pub(crate) enum Failure {
    /// No macro of this name is known yet; reading more modules may define it.
    NotFound(Arc<str>),
    /// Any other reason; final.
    Broken(Arc<str>),
}

impl From<Arc<str>> for Failure {
    fn from(why: Arc<str>) -> Failure {
        Failure::Broken(why)
    }
}

impl From<Failure> for Arc<str> {
    fn from(failure: Failure) -> Arc<str> {
        match failure {
            Failure::NotFound(why) | Failure::Broken(why) => why,
        }
    }
}

/// Macros of std, beside [`LOOKING`], whose calls define nothing that has a name.
const QUIET: &[&str] = &[
    "dbg",
    "matches",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
];

/// Returns true for the path of a macro of std.
fn of_std(names: &[Name]) -> bool {
    match names {
        [_] => true,
        [first, _] => ["std", "core", "alloc"].contains(&first.as_str()),
        _ => false,
    }
}

impl<'a> Db<'a> {
    /// Finds a macro in textual scope.
    pub fn textual(&self, scope: &Textual, name: Name) -> Option<ItemId> {
        self.candidates(scope, name).first().map(|(item, _)| *item)
    }

    /// Lists the macros in textual scope that a name may refer to, nearest first: several if open
    /// `cfg`s decide, each with the condition that selects it.
    pub(crate) fn candidates(&self, scope: &Textual, name: Name) -> Vec<(ItemId, Guard)> {
        let mut found = Vec::new();
        let mut nearer: Guard = None;
        let mut at = scope.as_ref();
        while let Some(link) = at {
            at = link.before.as_ref();
            if link.name != name {
                continue;
            }
            let guard = self.whole_guard(link.item);
            found.push((link.item, both(&nearer, guard.clone())));
            let Some(open) = guard else { break };
            nearer = both(&nearer, Some(Arc::new(Open::Not(open))));
        }
        found
    }

    /// Returns the condition of an item, including those of all enclosing modules.
    pub fn whole_guard(&self, item: ItemId) -> Guard {
        let data = self.item(item);
        let mut guard = data.guard.clone();
        let mut at = Some(data.module);
        while let Some(m) = at {
            let module = self.module(m);
            guard = both(&module.guard, guard);
            at = module.parent;
        }
        guard
    }

    fn callee(&self, module: ModId, call: &MacroCall, scope: &Textual) -> Result<Callee, Failure> {
        let names: Vec<Name> = call.path.segments.iter().map(|s| s.name).collect();
        let shown = || {
            let names: Vec<_> = names.iter().map(|n| n.as_str()).collect();
            names.join("::")
        };
        if let Some(krate) = self.calls_own(call)
            && let Ok(Some(Def::Item(item))) = self.exported(krate, names[0])
        {
            return Ok(Callee::Rules(item));
        }
        if let [name] = names[..]
            && let Some(item) = self.textual(scope, name)
        {
            return Ok(Callee::Rules(item));
        }
        let found = self
            .resolve(module, call.path.global, &names, Ns::Macro)
            .map_err(|_| {
                Failure::Broken(format!("`{}!` depends on a build script", shown()).into())
            })?;
        match found.map(|f| f.def) {
            Some(Def::Item(item)) => return Ok(Callee::Rules(item)),
            Some(Def::ProcMacro(of)) if self.procedural.is_some() || self.pastes(of) => {
                return Ok(Callee::Procedural(of));
            }
            Some(Def::ProcMacro(_)) => {
                let why = format!("`{}!` is a procedural macro", shown());
                return Err(Failure::Broken(why.into()));
            }
            _ => {}
        }
        match names.last().map_or("", |n| n.as_str()) {
            "include" => Ok(Callee::Include),
            "cfg_select" => Ok(Callee::Select),
            "compile_error" | "global_asm" | "thread_local" | "assert" | "static_assert"
            | "println" | "debug_assert" => Ok(Callee::Silent),
            last if (QUIET.contains(&last) || LOOKING.contains(&last)) && of_std(&names) => {
                Ok(Callee::Silent)
            }
            _ => Err(Failure::NotFound(
                format!("macro `{}!` was not found", shown()).into(),
            )),
        }
    }

    /// Returns true for a macro statement that defines no type: its macro is known and contains no
    /// keyword of a type definition, or no such macro was found.
    pub(crate) fn writes_no_item(&self, module: ModId, call: &MacroCall, scope: &Textual) -> bool {
        match self.callee(module, call, scope) {
            Ok(Callee::Rules(item)) => match &self.item(item).item.kind {
                ItemKind::MacroDef(def) => {
                    let text = &self.sources.get(def.body.file).text[def.body.range()];
                    !words(text).any(|w| matches!(w, "struct" | "enum" | "union" | "type"))
                }
                _ => true,
            },
            Ok(Callee::Procedural(_)) | Err(Failure::Broken(_)) => false,
            Ok(_) | Err(Failure::NotFound(_)) => true,
        }
    }

    /// Expands a call to items, each file with the condition that selects it.
    pub(crate) fn expand_items(
        &self,
        module: ModId,
        call: &MacroCall,
        scope: &Textual,
    ) -> Result<Vec<(&'a ir::File, Guard)>, Failure> {
        if let Some(name) = self.lone_name(call) {
            let candidates = self.candidates(scope, name);
            if candidates.len() > 1 {
                let files = candidates.into_iter().map(|(item, guard)| {
                    Ok((self.expand_rules(module, item, call, scope)?, guard))
                });
                return files.collect();
            }
        }
        Ok(match self.callee(module, call, scope)? {
            Callee::Silent => Vec::new(),
            Callee::Include => vec![self.include(module, call)?],
            Callee::Rules(item) => vec![(self.expand_rules(module, item, call, scope)?, None)],
            Callee::Procedural(of) => {
                let source = self.expand_procedural(self.krate_of(module), of, call)?;
                vec![(self.read_items(module, &source, source.whole()), None)]
            }
            Callee::Select => {
                let source = self.sources.get(call.args.file);
                let arms = self.arms(module, call)?.into_iter();
                arms.map(|(arm, guard)| (self.read_items(module, &source, arm.body), guard))
                    .collect()
            }
        })
    }

    fn expand_rules(
        &self,
        module: ModId,
        item: ItemId,
        call: &MacroCall,
        scope: &Textual,
    ) -> Result<&'a ir::File, Arc<str>> {
        // In a function, calls that define nothing are left out, and not expanded.
        let block = self.module(module).block;
        let again = |path: &[Name]| (!block).then(|| self.called_again(module, path, scope))?;
        self.expanded(self.krate_of(module), item, call, again, |source| {
            Ok(self.read_items(module, source, source.whole()))
        })
    }

    /// Returns the macro by example that a call in the output of another macro refers to, if no
    /// condition decides.
    fn called_again(&self, module: ModId, path: &[Name], scope: &Textual) -> Option<ItemId> {
        if let [name] = path {
            match self.candidates(scope, *name)[..] {
                [] => {}
                [(item, _)] => return Some(item),
                _ => return None,
            }
        }
        let found = self.resolve(module, false, path, Ns::Macro).ok()??;
        match found.def {
            Def::Item(item) => Some(item),
            _ => None,
        }
    }

    /// Parses a part of a macro's output as items of a module.
    pub(super) fn read_items(
        &self,
        module: ModId,
        source: &SourceFile,
        part: Span,
    ) -> &'a ir::File {
        let krate = self.krate_of(module);
        let file = match self.module(module).block {
            // In a function, a macro may also expand to statements.
            true => {
                let every = self.module(module).name == ir::Item::UNNAMED;
                lower::body_items(source, part, every)
            }
            false => lower::items(source, part, self.krate(krate).own),
        };
        self.keep(krate, file)
    }

    /// Parses a part of a macro's output as associated items.
    pub(super) fn read_members(
        &self,
        krate: CrateIx,
        source: &SourceFile,
        part: Span,
    ) -> &'a ir::File {
        self.keep(krate, lower::impl_items(source, part))
    }

    /// Expands a call in an `impl` or trait to associated items, each file with the condition that
    /// selects it.
    pub(crate) fn expand_members(
        &self,
        owner: ItemId,
        call: &MacroCall,
    ) -> Result<Vec<(&'a ir::File, Guard)>, Arc<str>> {
        let module = self.item(owner).module;
        let krate = self.krate_of(module);
        let read = |source: &SourceFile, part| self.read_members(krate, source, part);
        let scope = self.textual_scope(module, Some(owner));
        let again = |path: &[Name]| self.called_again(module, path, &scope);
        let rules = |item| {
            let read = |source: &SourceFile| Ok(read(source, source.whole()));
            self.expanded(krate, item, call, again, read)
        };
        let candidates = match self.lone_name(call) {
            Some(name) => self.candidates(&scope, name),
            None => Vec::new(),
        };
        if candidates.len() > 1 {
            let files = candidates.into_iter();
            return files
                .map(|(item, guard)| Ok((rules(item)?, guard)))
                .collect();
        }
        match self.callee(module, call, &scope)? {
            Callee::Rules(item) => Ok(vec![(rules(item)?, None)]),
            Callee::Procedural(of) => {
                let source = self.expand_procedural(krate, of, call)?;
                Ok(vec![(read(&source, source.whole()), None)])
            }
            Callee::Select => {
                let source = self.sources.get(call.args.file);
                let arms = self.arms(module, call)?.into_iter();
                Ok(arms
                    .map(|(arm, guard)| (read(&source, arm.body), guard))
                    .collect())
            }
            Callee::Silent => Ok(Vec::new()),
            Callee::Include => Err("an `include!` in it is not read".into()),
        }
    }

    /// Expands a call to a type.
    pub(crate) fn expand_type(&self, env: &Env, call: &MacroCall) -> Res<ir::Type> {
        self.expand_part(env, call, |source, part, _| {
            lower::ty(source, part.range()).map_err(|e| e.message.into())
        })
    }

    /// Returns true if a call in an expression resolves to a macro of the language or std rather
    /// than a user-defined one.
    pub(crate) fn is_built_in(&self, call: &MacroCall, env: &Env) -> Res<bool> {
        if let Some(name) = self.lone_name(call)
            && self.textual_at(env.module, env.item, name)?.is_some()
        {
            return Ok(false);
        }
        match self.callee(env.module, call, &None) {
            Ok(Callee::Rules(item)) => Ok(self.krate_of(self.item(item).module) == self.std()),
            Ok(Callee::Procedural(_)) => Ok(false),
            Err(Failure::Broken(why)) => Err(Unknown::Because(why)),
            Ok(_) | Err(Failure::NotFound(_)) => Ok(true),
        }
    }

    /// Expands a call to an expression; returns the file it was parsed from too.
    pub(crate) fn expand_expr(&self, env: &Env, call: &MacroCall) -> Res<(ir::Expr, FileId)> {
        self.expand_part(env, call, |source, part, braced| {
            let read = |range| match lower::expr(source, range) {
                Ok(expr) => Ok((expr, source.id)),
                Err(error) => Err(Arc::from(error.message)),
            };
            match read(part.range()) {
                // At the end of a function, an arm of `cfg_select!` may be statements.
                Err(_) if braced => read(part.start as usize - 1..part.end as usize + 1),
                result => result,
            }
        })
    }

    /// Expands a call in a position without items; `read` parses the text in a span, with `true` if
    /// that is in braces.
    fn expand_part<T>(
        &self,
        env: &Env,
        call: &MacroCall,
        read: impl Fn(&SourceFile, Span, bool) -> Result<T, Arc<str>>,
    ) -> Res<T> {
        let krate = self.krate_of(env.module);
        let rules = |item| {
            let read = |source: &SourceFile| read(source, source.whole(), false);
            self.expanded(krate, item, call, |_| None, read)
                .map_err(Unknown::Because)
        };
        if let Some(name) = self.lone_name(call)
            && let Some(item) = self.textual_at(env.module, env.item, name)?
        {
            return rules(item);
        }
        match self.callee(env.module, call, &None) {
            Ok(Callee::Rules(item)) => rules(item),
            Ok(Callee::Procedural(of)) => {
                let source = self.expand_procedural(krate, of, call);
                let source = source.map_err(Unknown::Because)?;
                read(&source, source.whole(), false).map_err(Unknown::Because)
            }
            Ok(Callee::Select) => {
                let source = self.sources.get(call.args.file);
                let arms = self.arms(env.module, call).map_err(Unknown::Because)?;
                for (arm, guard) in arms {
                    if self.holds(&guard)? {
                        return read(&source, arm.body, arm.braced).map_err(Unknown::Because);
                    }
                }
                Err(Unknown::because("no arm of a `cfg_select!` holds"))
            }
            Ok(_) => {
                let last = call.path.segments.last();
                let name = last.map_or("", |s| s.name.as_str());
                let why = format!("`{name}!` is not understood in a constant");
                Err(Unknown::because(why))
            }
            Err(why) => Err(Unknown::Because(why.into())),
        }
    }

    /// Returns the name of a call without a path, which may be a macro in textual scope.
    fn lone_name(&self, call: &MacroCall) -> Option<Name> {
        match &call.path.segments[..] {
            [only] if !call.path.global && self.calls_own(call).is_none() => Some(only.name),
            _ => None,
        }
    }

    /// Returns the crate whose exported macro a call without a path refers to, if the call is in
    /// the body of a macro with `local_inner_macros`.
    fn calls_own(&self, call: &MacroCall) -> Option<CrateIx> {
        if call.path.global || call.path.segments.len() != 1 {
            return None;
        }
        let by = self.sources.writer(call.path.span);
        let by = by.expansion.as_ref()?;
        by.calls_own.then_some(by.krate)
    }

    /// Returns the textual macro scope at an item or, if collection has not reached the item, at
    /// the current point of its module.
    fn textual_scope(&self, module: ModId, item: Option<ItemId>) -> Textual {
        let data = item.map(|item| self.item(item));
        let owner = data.and_then(|data| data.owner).map(|id| self.item(id));
        let known = [data, owner].into_iter().flatten();
        let mut known = known.filter_map(|data| data.textual.get());
        match known.next() {
            Some(scope) => scope.clone(),
            None => self.module(module).textual.read().clone(),
        }
    }

    /// Finds a macro in the textual scope of an item.
    ///
    /// # Errors
    /// An open `cfg` decides.
    pub(crate) fn textual_at(
        &self,
        module: ModId,
        item: Option<ItemId>,
        name: Name,
    ) -> Res<Option<ItemId>> {
        let scope = self.textual_scope(module, item);
        for (item, guard) in self.candidates(&scope, name) {
            if self.holds(&guard)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// Lists the arms of a `cfg_select!` that may be selected, with their conditions.
    fn arms(&self, module: ModId, call: &MacroCall) -> Result<Vec<(lower::Arm, Guard)>, Arc<str>> {
        let krate = self.krate_of(module);
        let source = self.sources.get(call.args.file);
        self.charge_select(krate, call)?;
        let arms = lower::select_arms(&source, call.args.range());
        let mut list = Vec::new();
        let mut otherwise: Guard = None;
        for arm in arms.map_err(|e| Arc::from(e.message))? {
            match self.decide(krate, &arm.cfg) {
                Decided::Known(false) => {}
                Decided::Known(true) => {
                    list.push((arm, otherwise));
                    break;
                }
                Decided::Open(open) => {
                    list.push((arm, both(&otherwise, Some(open.clone()))));
                    otherwise = both(&otherwise, Some(Arc::new(Open::Not(open))));
                }
            }
        }
        Ok(list)
    }
}
