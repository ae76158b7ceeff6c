//! Expands procedural macros, if the user enables it: function-like macros, attributes and derives,
//! each from text to text.

use super::attrs::{AttributeMacro, Leaves};
use super::cfg::Decided;
use super::expand::{self, Attributes, Given, Limits};
use super::macros::Nesting;
use super::paste::pasted;
use super::supposed::Supposition;
use super::{CrateIx, Db, Guard, ModId, ProcMacro};
use crate::ir::{self, ItemKind, MacroCall};
use crate::lower;
use crate::macro_server::tokens::Token;
use crate::macro_server::{Call, Server};
use crate::name::Name;
use crate::source::{Expansion, SourceFile};
use crate::span::Span;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The macro server and its results.
pub(super) struct Procedural {
    server: Mutex<Server>,
    libraries: Mutex<FxHashMap<CrateIx, Result<PathBuf, Arc<str>>>>,
    /// Results of attributes and derives, by the span of their arguments.
    standing: Mutex<FxHashMap<(Span, Name), Done>>,
    /// What the expansions of macros that no table knows have shown, by the same.
    supposed: Mutex<FxHashMap<(Span, Name), Supposition>>,
}

/// Results of function-like macro calls: one in a type or value is requested repeatedly.
pub(super) type Called = Mutex<FxHashMap<(Span, ProcMacro), Outcome>>;

type Done = Result<(), Arc<str>>;

pub(super) type Outcome = Result<Arc<SourceFile>, Arc<str>>;

/// The result of expanding the macros on an item.
pub(super) enum Expanded<'a> {
    /// The item stays, and these files are added.
    Beside(Vec<&'a ir::File>),
    /// These files replace the item.
    Instead(Vec<&'a ir::File>),
    /// A macro's name is not defined yet.
    Later,
}

impl Procedural {
    pub(super) fn new(server: PathBuf) -> Procedural {
        Procedural {
            server: Mutex::new(Server::new(server)),
            libraries: Mutex::default(),
            standing: Mutex::default(),
            supposed: Mutex::default(),
        }
    }
}

impl<'a> Db<'a> {
    /// Returns true if macros on an item are resolved before the item is declared.
    pub(super) fn may_be_expanded(&self, krate: CrateIx, item: &ir::Item) -> bool {
        let kind = match &item.kind {
            // Their order among items matters.
            ItemKind::ExternCrate(_) | ItemKind::MacroDef(_) => false,
            ItemKind::Block(_) | ItemKind::MacroCall(_) => false,
            // The value of a constant: the constant itself is a separate item.
            ItemKind::Fn(_) => item.name != ir::Item::UNNAMED,
            _ => true,
        };
        kind && self.procedural.is_some()
            && self.krate(krate).id.is_some()
            && !super::attrs::all_plain(&item.attrs)
    }

    /// Returns what the expansions so far have shown of the macros that no table knows.
    pub fn suppositions(&self) -> Vec<Supposition> {
        let mut list = Vec::new();
        if let Some(procedural) = &self.procedural {
            for shown in procedural.supposed.lock().values() {
                Supposition::merge(&mut list, shown);
            }
        }
        list
    }

    /// Returns the result of expanding a macro on an item; `None` if that was not attempted.
    pub(super) fn was_expanded(&self, args: Span, name: Name) -> Option<Result<(), Arc<str>>> {
        let procedural = self.procedural.as_ref()?;
        procedural.standing.lock().get(&(args, name)).cloned()
    }

    /// Expands the macros on an item of a module, or of an `impl` or trait there (`member`), in
    /// rustc's order: derives add items, the first attribute replaces the item. With `last`, an
    /// unresolved name is taken for a helper attribute.
    pub(super) fn expand_item(
        &self,
        module: ModId,
        item: &ir::Item,
        guard: &Guard,
        (member, last): (bool, bool),
    ) -> Expanded<'a> {
        let krate = self.krate_of(module);
        let own = self.krate(krate).own;
        let mut beside = Vec::new();
        if guard.is_some() {
            return Expanded::Beside(beside);
        }
        let on = match self.all_standing(module, item, false, true) {
            Ok(on) => on,
            Err(_) => return Expanded::Beside(beside),
        };
        if !last && (on.open || on.list.iter().any(|s| s.of.is_none() && !s.built_in)) {
            return Expanded::Later;
        }
        let on = on.list;
        let is_type = matches!(item.kind, ItemKind::Adt(_));
        // Attributes already expanded: a derive is removed with its whole list.
        let mut without = Vec::new();
        for (i, macro_) in on.iter().enumerate() {
            if macro_.of.is_some() || macro_.derive {
                without.push(macro_.attr.start);
            }
            let wanted = match macro_.leaves {
                // Later derives may depend on attributes in its output.
                Leaves::All => own && (macro_.derive || is_type && !macro_.vouched),
                Leaves::After
                | Leaves::Named
                | Leaves::Alone
                | Leaves::Holds(_)
                | Leaves::Other
                | Leaves::Nothing => true,
            };
            let twice = |b: &AttributeMacro| b.args == macro_.args && b.name == macro_.name;
            let (Some(of), true) = (macro_.of, wanted && !on[..i].iter().any(twice)) else {
                continue;
            };
            let result = self.expand_on(module, item, macro_, of, &without);
            let (result, told) = match result {
                Ok(source) => (Some(source), Ok(())),
                Err(why) => (None, Err(why)),
            };
            if let Some(procedural) = &self.procedural {
                let key = (macro_.args, Name::new(&macro_.name));
                procedural.standing.lock().insert(key, told);
            }
            match result {
                Some(source) => {
                    let whole = source.whole();
                    let output = match member {
                        true => self.read_members(krate, &source, whole),
                        false => self.read_items(module, &source, whole),
                    };
                    if macro_.leaves == Leaves::Nothing
                        && let Some(procedural) = &self.procedural
                    {
                        let shown = self.supposed(krate, item, macro_, of, output);
                        let key = (macro_.args, Name::new(&macro_.name));
                        procedural.supposed.lock().insert(key, shown);
                    }
                    beside.push(output);
                    if !macro_.derive {
                        return Expanded::Instead(beside);
                    }
                }
                // Later macros would receive its output, which is missing.
                None if !macro_.derive => break,
                None => {}
            }
        }
        Expanded::Beside(beside)
    }

    fn expand_on(
        &self,
        module: ModId,
        item: &ir::Item,
        macro_: &AttributeMacro,
        of: ProcMacro,
        without: &[u32],
    ) -> Outcome {
        let span = item.span;
        let attr = macro_.attr;
        if attr.file != span.file || attr.start < span.start || attr.end > item.name_span.end {
            return Err("it stands on an `extern` block, or inside of what it is to change".into());
        }
        let source = self.sources.get(span.file);
        let krate = self.krate_of(module);
        let base = span.start as usize;
        let holds = |part: std::ops::Range<usize>| {
            if part.is_empty() {
                return Err("a condition is missing".to_owned());
            }
            let part = base + part.start..base + part.end;
            let cfg = lower::cfg(&source, part).map_err(|e| e.message)?;
            match self.decide(krate, &cfg) {
                Decided::Known(holds) => Ok(holds),
                Decided::Open(_) => Err("a `cfg` in it depends on a build script".to_owned()),
            }
        };
        let without: Vec<u32> = without.iter().map(|at| at - span.start).collect();
        let attributes = Attributes {
            without: &without,
            holds: &holds,
            deep: macro_.derive,
        };
        let mut given = Given::default();
        given.body(&source, span, Some(&attributes))?;
        if !macro_.derive {
            given.attribute(&source, macro_.args)?;
        }
        self.run(krate, of, &given, &source, attr)
    }

    /// Expands a call of a function-like macro.
    pub(super) fn expand_procedural(
        &self,
        krate: CrateIx,
        of: ProcMacro,
        call: &MacroCall,
    ) -> Outcome {
        let last = call.path.last_name();
        let failed = |why: Arc<str>| Arc::from(format!("`{last}!` was not expanded: {why}"));
        let key = (call.span, of);
        if let Some(known) = self.called.lock().get(&key) {
            return known.clone();
        }
        let source = self.sources.get(call.args.file);
        let mut given = Given::default();
        let read = given.body(&source, call.args, None);
        let outcome = read.map_err(Arc::from);
        let outcome = outcome.and_then(|()| self.run(krate, of, &given, &source, call.span));
        let outcome = outcome.map_err(failed);
        self.called.lock().insert(key, outcome.clone());
        outcome
    }

    /// Runs a macro that a crate calls at `call`.
    fn run(
        &self,
        from: CrateIx,
        of: ProcMacro,
        given: &Given,
        source: &SourceFile,
        call: Span,
    ) -> Outcome {
        self.charged(from, call, |Nesting { root, depth, level }| {
            let tokens = match self.pastes(of) {
                true => pasted(&given.body)?,
                false => self.served(from, of, given)?,
            };
            let output = expand::written(&tokens, given, source, Limits::default());
            let output = output.map_err(|e| e.to_string())?;
            if !self.budget.expansion.spend(output.text.len() as u64) {
                return Err(self.stopped(from, root, "the calls in its output write too much"));
            }
            let expansion = Expansion {
                calls_own: false,
                call,
                krate: from,
                root,
                depth,
                level,
                pieces: output.pieces,
            };
            let path = PathBuf::from(format!("<{}>", of.name));
            Ok(self.sources.add(path, output.text, Some(expansion)))
        })
    }

    /// Runs a macro in the macro server.
    fn served(&self, from: CrateIx, of: ProcMacro, given: &Given) -> Result<Vec<Token>, Arc<str>> {
        let Some(procedural) = &self.procedural else {
            return Err("it is a procedural macro".into());
        };
        let library = self.macro_library(procedural, of.krate)?;
        let krate = self.krate(from).id.map(|id| self.project.krate(id));
        let krate = krate.ok_or("it stands in std")?;
        // Cargo compiles a member in the workspace root, other crates in their own directory.
        let folder = match krate.member {
            true => &*self.project.workspace_root,
            false => krate
                .manifest_path
                .parent()
                .unwrap_or(&self.project.workspace_root),
        };
        let answer = procedural.server.lock().expand(&Call {
            library: &library,
            name: of.name.as_str(),
            body: &given.body,
            attribute: given.attribute.as_deref(),
            env: &krate.all_env(),
            folder,
        });
        answer.map_err(Arc::from)
    }

    fn macro_library(&self, procedural: &Procedural, krate: CrateIx) -> Result<PathBuf, Arc<str>> {
        let find = || match self.krate(krate).id {
            Some(id) => self.project.macro_library(id).map_err(Arc::from),
            None => Err(Arc::from("std has no such macro")),
        };
        let mut libraries = procedural.libraries.lock();
        libraries.entry(krate).or_insert_with(find).clone()
    }
}
