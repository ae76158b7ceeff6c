//! Produces the text of a macro call or an `include!` within the budget.

use crate::budget;
use crate::ir::{self, ItemKind, MacroCall};
use crate::lower;
use crate::name::Name;
use crate::resolve::cfg::Open;
use crate::resolve::lookup::DOLLAR_CRATE;
use crate::resolve::{CrateIx, Db, Guard, ItemData, ItemId, ModId, Opaque, Unknown, expand};
use crate::source::{Expansion, SourceFile};
use crate::span::Span;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a call stands: see [`Expansion`].
#[derive(Clone, Copy)]
pub(in crate::resolve) struct Nesting {
    pub root: Span,
    pub depth: u32,
    pub level: u32,
}

impl<'a> Db<'a> {
    /// Expands a call in a crate and passes the text to `then`. While the text is one call of a
    /// macro for which `again` returns the definition, that call is expanded instead.
    pub(super) fn expanded<T>(
        &self,
        krate: CrateIx,
        item: ItemId,
        call: &MacroCall,
        again: impl Fn(&[Name]) -> Option<ItemId>,
        then: impl FnOnce(&SourceFile) -> Result<T, Arc<str>>,
    ) -> Result<T, Arc<str>> {
        let text = self.charged(krate, call.span, |nesting| {
            self.transcribe(krate, item, call, nesting, again)
        });
        then(&*text?)
    }

    /// Runs `make` to expand a call within the limits on depth and output.
    pub(in crate::resolve) fn charged(
        &self,
        krate: CrateIx,
        call: Span,
        make: impl FnOnce(Nesting) -> Result<Arc<SourceFile>, Arc<str>>,
    ) -> Result<Arc<SourceFile>, Arc<str>> {
        // One thread at a time counts costs and creates texts.
        let _turn = self.turns.wait(krate);
        let around = self.sources.about(call.file);
        let around = around.expansion.as_ref();
        let root = around.map_or(call, |e| e.root);
        let depth = around.map_or(1, |e| e.depth + 1);
        let level = around.map_or(1, |e| e.level + 1);
        if self.is_too_deep(krate, depth) || level > budget::MACRO_LEVELS {
            let why = format!("{} calls inside one another", depth - 1);
            return Err(self.stopped(krate, root, &why));
        }
        let spent = self.expanded.lock().get(&(krate, root)).copied();
        self.budget.expansion.begin(spent.unwrap_or(0));
        let left = self.budget.expansion.spend(budget::COST_OF_CALL);
        let result = match left {
            true => make(Nesting { root, depth, level }),
            false => Err(self.stopped(krate, root, "the calls in its output write too much")),
        };
        let spent = self.budget.expansion.spent();
        self.expanded.lock().insert((krate, root), spent);
        result
    }

    /// Charges for the text of a `cfg_select!`, which is read again for each one around it.
    pub(super) fn charge_select(&self, krate: CrateIx, call: &MacroCall) -> Result<(), Arc<str>> {
        let _turn = self.turns.wait(krate);
        let cost = budget::COST_OF_INNER_TEXT * u64::from(call.args.end - call.args.start);
        self.budget.expansion.begin(0);
        match self.budget.expansion.spend(cost) {
            true => Ok(()),
            false => Err(self.stopped(krate, call.span, "`cfg_select!` nests too deep")),
        }
    }

    /// Records where expansion stopped: once, at the call in the source that led there.
    pub(in crate::resolve) fn stopped(&self, krate: CrateIx, root: Span, why: &str) -> Arc<str> {
        let why = format!("macro expansion stopped here: {why}");
        if self.stopped.lock().insert(root) {
            self.problem(krate, root, why.clone());
        }
        why.into()
    }

    fn is_too_deep(&self, krate: CrateIx, depth: u32) -> bool {
        depth > budget::MACROS && depth > self.recursion_limit(krate)
    }

    /// Returns the maximum depth of nested macro expansion.
    fn recursion_limit(&self, krate: CrateIx) -> u32 {
        let root = self.krate(krate).id;
        let path = root.map(|id| &self.project.crates[id.0 as usize].root);
        let file = path.and_then(|path| self.file(krate, path));
        let attrs = file.map_or(&[][..], |f| &f.attrs.list);
        let said = attrs.iter().find_map(|a| match &a.meta.value {
            Some(ir::Lit::Str(n)) if a.meta.path == [Name::new("recursion_limit")] => {
                n.parse::<u32>().ok()
            }
            _ => None,
        });
        said.unwrap_or(budget::MACROS)
    }

    fn transcribe(
        &self,
        from: CrateIx,
        item: ItemId,
        call: &MacroCall,
        nesting: Nesting,
        again: impl Fn(&[Name]) -> Option<ItemId>,
    ) -> Result<Arc<SourceFile>, Arc<str>> {
        let source = self.sources.get(call.args.file);
        let by = source.expansion.as_ref().map_or(from, |e| e.krate);
        let args = &source.text[call.args.range()];
        let Nesting {
            root,
            mut depth,
            level,
        } = nesting;
        let mut item = item;
        let mut output = self.expand_once(from, item, args, call.args, by, root)?;
        // A macro that reads its arguments one at a time calls itself for the rest. What it writes
        // in between is not kept.
        while let Some((path, args)) = expand::only_call(&output.text)
            && let Some(next) = again(&path)
            && self.writes_alike(item, next, path.len())
            && !self.is_too_deep(from, depth + 1)
            && self.budget.expansion.spend(budget::COST_OF_CALL)
        {
            let krate = self.krate_of(self.item(item).module);
            let place = Span::new(call.args.file, args.start, args.end);
            let text = &output.text[args];
            let Ok(mut further) = self.expand_once(from, next, text, place, krate, root) else {
                break;
            };
            further.pieces = expand::through(&further.pieces, &output.pieces);
            (item, output, depth) = (next, further, depth + 1);
        }
        let data = self.item(item);
        let expansion = Expansion {
            call: call.span,
            krate: self.krate_of(data.module),
            calls_own: calls_own(data),
            root,
            depth,
            level,
            pieces: output.pieces,
        };
        let path = PathBuf::from(format!("<{}!>", data.item.name));
        Ok(self.sources.add(path, output.text, Some(expansion)))
    }

    /// Returns true if names in the bodies of two macros mean the same, and a path of this length
    /// in them too.
    fn writes_alike(&self, one: ItemId, other: ItemId, segments: usize) -> bool {
        let (one, other) = (self.item(one), self.item(other));
        self.krate_of(one.module) == self.krate_of(other.module)
            && calls_own(one) == calls_own(other)
            && (segments > 1 || !calls_own(one))
    }

    /// Expands arguments that the crate `by` wrote, without recording the output.
    fn expand_once(
        &self,
        from: CrateIx,
        item: ItemId,
        args: &str,
        span: Span,
        by: CrateIx,
        root: Span,
    ) -> Result<expand::Output, Arc<str>> {
        let data = self.item(item);
        let ItemKind::MacroDef(def) = &data.item.kind else {
            return Err("not a macro".into());
        };
        let name = data.item.name;
        if let Err(Unknown::Because(why)) = self.strictly(|| self.trust(item)) {
            return Err(why);
        }
        let krate = self.krate_of(data.module);
        if def.decl2 && self.krate(krate).id.is_some() {
            // Its names mean what they mean where it is defined, and items are its own.
            return Err(format!("`{name}!` is a `macro`, whose names are not followed").into());
        }
        let rules = data.facts().rules.get_or_init(|| {
            let source = self.sources.get(def.body.file);
            // A macro that another macro defines has the edition of that one.
            let by = source.expansion.as_ref().map_or(krate, |e| e.krate);
            let edition = self.krate(by).edition;
            let text = &source.text[def.body.range()];
            expand::Macro::parse(text, def.body, def.decl2, edition).map(Arc::new)
        });
        let rules = rules
            .as_ref()
            .map_err(|e| Arc::from(format!("`{name}!`: {e}")))?;
        let crate_ident = format!("{DOLLAR_CRATE}{krate}");
        let limits = expand::Limits {
            marked: self.procedural.is_some(),
            edition: self.krate(by).edition,
            ..expand::Limits::default()
        };
        let output = expand::expand(rules, &crate_ident, args, span, limits).map_err(|e| {
            let why = format!("`{name}!` could not be expanded: {e}");
            match e {
                expand::ExpandError::Output | expand::ExpandError::Steps => {
                    self.stopped(from, root, &why)
                }
                _ => Arc::from(why),
            }
        })?;
        // Matching produces no output, but takes time.
        let cost = output.text.len() as u64 + output.steps / 8;
        if !self.budget.expansion.spend(cost) {
            return Err(self.stopped(from, root, "the calls in its output write too much"));
        }
        Ok(output)
    }

    pub(super) fn include(
        &self,
        module: ModId,
        call: &MacroCall,
    ) -> Result<(&'a ir::File, Guard), Arc<str>> {
        let krate = self.krate_of(module);
        let source = self.sources.get(call.args.file);
        let arg = lower::expr(&source, call.args.range()).map_err(|e| Arc::from(e.message))?;
        let (path, guard) = match self.const_str(module, &arg) {
            Ok(path) => (path, None),
            Err(why) => self.last_path(module, &arg, call, why)?,
        };
        let (real, _) = self.sources.origin(call.span);
        let from = self.sources.about(real.file).path.clone();
        let path = from.parent().unwrap_or(std::path::Path::new("")).join(path);
        if !crate::seen::exists(&path) {
            return Err(
                format!("`include!` of a file that is not there: {}", path.display()).into(),
            );
        }
        if self.closes_circle(&from, &path) {
            let why = "this file includes itself";
            self.problem(krate, call.span, why);
            return Err(why.into());
        }
        let file = self
            .file(krate, &path)
            .ok_or_else(|| Arc::from("an included file could not be read"))?;
        // Each inclusion has its own items.
        let again = !self.opened.lock().insert(path);
        let cost = budget::COST_OF_MODULE * (1 + file.items.len() as u64);
        match again && !self.budget.expansion.spend_of_run(cost) {
            true => Err(self.stopped(krate, call.span, "too much is made of the same files")),
            false => Ok((file, guard)),
        }
    }

    /// Returns the path of an `include!` as of the last run of a build script that may still hold,
    /// with the condition that it does; if it does not, the call may define anything.
    fn last_path(
        &self,
        module: ModId,
        arg: &ir::Expr,
        call: &MacroCall,
        why: Unknown,
    ) -> Result<(String, Guard), Arc<str>> {
        let because = match why {
            Unknown::Because(why) => format!(": {why}"),
            _ => String::new(),
        };
        let why: Arc<str> = format!("the path of an `include!` is not known{because}").into();
        let outer = self.walk.as_last_written.replace(true);
        let path = self.const_str(module, arg);
        self.walk.as_last_written.set(outer);
        let path = path.map_err(|_| why.clone())?;
        let holds = self.written_last(self.krate_of(module));
        let other = Some(Arc::new(Open::Not(holds.clone())));
        let opaque = Opaque::of(call, other, why);
        self.module(module).scope.write().opaque.push(opaque);
        Ok((path, Some(holds)))
    }

    /// Records that a file includes another; returns true if that closes a cycle.
    fn closes_circle(&self, from: &Path, to: &Path) -> bool {
        let real = |path: &Path| crate::seen::real(path).unwrap_or_else(|_| path.to_owned());
        let (from, to) = (real(from), real(to));
        let mut includes = self.includes.lock();
        let mut seen = vec![to.clone()];
        let mut next = 0;
        while let Some(path) = seen.get(next) {
            if *path == from {
                return true;
            }
            let more = includes.get(path).into_iter().flatten();
            let more: Vec<_> = more.filter(|p| !seen.contains(p)).cloned().collect();
            seen.extend(more);
            next += 1;
        }
        let list = includes.entry(from).or_default();
        if !list.contains(&to) {
            list.push(to);
        }
        false
    }
}

/// Returns true if calls without a path in a macro's body refer to macros of its crate.
fn calls_own(of: &ItemData) -> bool {
    let mut exported = of.item.attrs.list.iter().map(|a| &a.meta);
    exported.any(|m| {
        m.path == [Name::new("macro_export")]
            && m.list
                .iter()
                .any(|m| m.path == [Name::new("local_inner_macros")])
    })
}
