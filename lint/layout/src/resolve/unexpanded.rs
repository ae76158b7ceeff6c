//! What unexpanded macros may have defined: items that shadow a glob import or are imported by name,
//! and associated items that override a trait's.
//!
//! A procedural macro, an attribute macro, a derive, or an `include!` of a missing file may define
//! any name. A direct definition or a named import in the same module cannot have a second
//! definition there; a glob import, a name from outside a function body, and a trait's default can
//! be overridden silently. A named import that leads nowhere is of what one of these defines in another
//! module.

use super::attrs::Leaves;
use super::hidden::What;
use super::{Bound, CrateIx, Db, Def, Guard, Import, ItemId, ModId, Ns, Res, Unknown};
use crate::ir::{Item, ItemKind, Type};
use crate::name::{Name, words};
use crate::span::Span;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of imports that lead to an item of std, one through the next.
const DEEPEST: u32 = 8;

/// Something in a module that may have defined names.
#[derive(Clone, Debug)]
pub struct Maker {
    /// The `cfg` condition under which it exists.
    guard: Guard,
    /// What it is and what it may do.
    why: Arc<str>,
    /// What is supposed of it, if it is not known to define names.
    supposed: Option<Arc<str>>,
    /// The span of its input.
    input: Span,
    /// What its names are derived from, if known.
    from: Option<Arc<Origin>>,
}

/// What a macro derives names from: the name of its item (of an `impl`, that of its self type), and
/// the item's attributes, if it takes names from them.
#[derive(Debug)]
struct Origin {
    name: Name,
    attrs: String,
}

impl Maker {
    fn makes(&self, name: Name) -> bool {
        let Some(from) = &self.from else {
            return true;
        };
        // `ThingIter` and `thing_builder` for `Thing`.
        let plain = |name: Name| name.as_str().replace('_', "").to_lowercase();
        // Vectors of std: `__m128`.
        let digits = name.as_str().strip_prefix("__m");
        let of_std = digits.is_some_and(|d| d.starts_with(|c: char| c.is_ascii_digit()));
        name.as_str().starts_with("__") && !of_std
            || plain(name).contains(&plain(from.name))
            || has_word(&from.attrs, name)
    }
}

/// Why an `impl` may not have been read.
pub(super) const HIDDEN: &str = "an `impl` inside an expression is not read";

impl<'a> Db<'a> {
    /// Fails if a macro may have defined this name in a module, which would shadow its globs.
    pub(super) fn glob_decides(&self, id: ModId, name: Name) -> Res<()> {
        if self.unguarded() {
            return Ok(());
        }
        self.trust_module(id)?;
        self.import_decides(id, name)?;
        self.makers_decide(id, name, false)
    }

    /// Fails if a macro may have defined this name in a module or its glob targets, which would
    /// shadow the same name from further out. Against the prelude, only macros whose input contains
    /// the name count.
    pub fn outside_decides(&self, id: ModId, name: Name, prelude: bool) -> Res<()> {
        if self.unguarded() {
            return Ok(());
        }
        self.import_decides(id, name)?;
        let mut queue = VecDeque::from([id]);
        let mut seen = FxHashSet::from_iter([id]);
        while let Some(module) = queue.pop_front() {
            self.makers_decide(module, name, prelude)?;
            let globs = self.module(module).scope.read().globs.clone();
            for glob in &globs {
                if let Bound::Import(import) = &glob.to
                    && self.visible(glob.seen, id)
                    && let Some(&Def::Mod(target)) = import.target.get()
                    && seen.insert(target)
                {
                    queue.push_back(target);
                }
            }
        }
        Ok(())
    }

    /// Fails if a module imports this name from where no namespace has it: what a build script or a
    /// macro defines there hides the same name from globs and from further out.
    pub(super) fn import_decides(&self, id: ModId, name: Name) -> Res<()> {
        if self.unguarded() {
            return Ok(());
        }
        let imports = self.module(id).scope.read().imports.get(&name).cloned();
        for entry in imports.into_iter().flatten() {
            let Bound::Import(import) = &entry.to else {
                continue;
            };
            if !self.holds(&entry.guard)? {
                continue;
            }
            // `use serde;` asks for itself. Imports never move, so the address identifies it.
            let asked = std::ptr::from_ref(&**import).addr();
            if !self.walk.globs.borrow_mut().insert(asked) {
                self.walk.looking.rests_on_all();
                continue;
            }
            let (found, rests) = self.walk.looking.resting(|| {
                let mut spaces = [Ns::Type, Ns::Value, Ns::Macro].into_iter();
                let found = spaces.find_map(|ns| self.follow(import, ns).transpose());
                found.transpose()
            });
            // `use quat::{quat, Quat}`, where a glob brings the module: its own name is asked for.
            let last = import.path.len().saturating_sub(1);
            let asks_itself = rests && import.path[..last].contains(&name);
            let of_std = matches!(found, Ok(None)) && self.leads_to_std(import, 0);
            self.walk.globs.borrow_mut().remove(&asked);
            if found?.is_none() && !of_std && !asks_itself {
                return Err(hidden(name, "it is imported, and was not found there"));
            }
        }
        Ok(())
    }

    /// Returns true if an import leads into std, itself or through others: not every function and
    /// macro of std is declared.
    fn leads_to_std(&self, import: &Import, depth: u32) -> bool {
        let path = &import.path;
        let module = |names: &[Name]| {
            let found = self.resolve(import.module, import.global, names, Ns::Type);
            let found = found.ok().flatten().filter(|f| f.used == names.len());
            found.and_then(|f| match f.def {
                Def::Mod(module) => Some(module),
                _ => None,
            })
        };
        let modules: Vec<ModId> = (1..path.len()).map_while(|n| module(&path[..n])).collect();
        let in_std = |m: &ModId| self.krate_of(*m) == self.std();
        if modules.iter().any(in_std) || depth == DEEPEST {
            return true;
        }
        let (Some(last), true) = (modules.last(), modules.len() + 1 == path.len()) else {
            return false;
        };
        let name = path[path.len() - 1];
        // No lock is held while the next ones are followed.
        let imports = self.module(*last).scope.read().imports.get(&name).cloned();
        imports.into_iter().flatten().any(|entry| match &entry.to {
            Bound::Import(next) => self.leads_to_std(next, depth + 1),
            Bound::Def(_) => false,
        })
    }

    /// Returns true while these checks are off: in macro paths, where rustc rejects such shadowing,
    /// and while a module is being opened, when its names are incomplete.
    pub(super) fn unguarded(&self) -> bool {
        let unguarded = self.walk.early.get() > 0 || self.walk.opening.get() > 0;
        if unguarded {
            self.walk.unguarded.set(true);
        }
        unguarded
    }

    /// Runs `work`; returns its result, and false if a check for unexpanded macros was skipped.
    pub(super) fn guarding<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let outer = self.walk.unguarded.replace(false);
        let result = work();
        let guarded = !self.walk.unguarded.get();
        self.walk.unguarded.set(outer || !guarded);
        (result, guarded)
    }

    /// Fails if a macro may have defined this name in a module; if `given_only`, one whose input
    /// contains it.
    fn makers_decide(&self, id: ModId, name: Name, given_only: bool) -> Res<()> {
        for maker in self.makers(id).iter() {
            let given = || self.text_of(maker.input, |text| has_word(text, name));
            if (!given_only || given()) && maker.makes(name) && self.holds(&maker.guard)? {
                let why = || hidden(name, &maker.why);
                match &maker.supposed {
                    Some(supposed) => self.doubt(|| supposed.clone(), why)?,
                    None => return Err(why()),
                }
            }
        }
        Ok(())
    }

    /// Returns the words in the macro calls of a crate that could not be expanded: what the calls do
    /// with what they name is not seen.
    pub fn unread_words(&self, krate: CrateIx) -> FxHashSet<Name> {
        let mut found = FxHashSet::default();
        for module in self.all_modules(krate) {
            for opaque in &self.module(module).scope.read().opaque {
                self.text_of(opaque.args, |text| found.extend(words(text).map(Name::new)));
            }
        }
        found
    }

    /// Returns why each `include!` of a crate is not read that may define types.
    pub fn unread_includes(&self, krate: CrateIx) -> Vec<Arc<str>> {
        let mut found = Vec::new();
        for module in self.all_modules(krate) {
            for opaque in &self.module(module).scope.read().opaque {
                if opaque.include && !matches!(self.holds(&opaque.guard), Ok(false)) {
                    found.push(opaque.why.clone());
                }
            }
        }
        found
    }

    fn text_of<T>(&self, span: Span, f: impl FnOnce(&str) -> T) -> T {
        f(&self.sources.get(span.file).text[span.range()])
    }

    /// Lists everything in a module that may have defined names.
    fn makers(&self, id: ModId) -> Arc<[Maker]> {
        let module = self.module(id);
        if self.krate(module.krate).id.is_none() {
            return Arc::default();
        }
        if let Some(makers) = module.makers.get() {
            return makers.clone();
        }
        let scope = module.scope.read();
        let (opaque, attributed) = (scope.opaque.clone(), scope.attributed.clone());
        drop(scope);
        let mut list: Vec<Maker> = opaque
            .into_iter()
            .map(|o| Maker {
                guard: o.guard,
                // A file may define anything; a macro hardly ever what hides another name.
                supposed: (!o.include).then(|| {
                    let what = "no name here is hidden by what was not read";
                    format!("{what}: {}", o.why).into()
                }),
                why: o.why,
                input: o.args,
                from: None,
            })
            .collect();
        // The attributes are resolved with these checks off: they would recurse into this list.
        self.walk.early.set(self.walk.early.get() + 1);
        for item in attributed {
            self.item_makers(item, &mut list);
        }
        self.walk.early.set(self.walk.early.get() - 1);
        let makers: Arc<[Maker]> = list.into();
        module.makers.get_or_init(|| makers).clone()
    }

    fn item_makers(&self, id: ItemId, list: &mut Vec<Maker>) {
        let data = self.item(id);
        let maker = |why: Arc<str>, supposed, input, from| Maker {
            guard: data.guard.clone(),
            why,
            supposed,
            input,
            from,
        };
        let attrs = || {
            let spans = data.item.attrs.list.iter().map(|a| a.span);
            let texts = spans.map(|s| self.text_of(s, str::to_owned));
            texts.collect::<Vec<_>>().join(" ")
        };
        let origin = |attrs: String| {
            let name = named_after(data.item);
            Some(Arc::new(Origin { name, attrs }))
        };
        match self.may_stand(data.module, data.item) {
            Ok(standing) => list.extend(standing.iter().filter_map(|s| {
                let from = match s.leaves {
                    Leaves::All | Leaves::Alone | Leaves::Holds(_) => return None,
                    Leaves::After => origin(String::new()),
                    Leaves::Named => origin(attrs()),
                    Leaves::Nothing | Leaves::Other => None,
                };
                let supposed = (s.leaves == Leaves::Nothing).then(|| s.supposed().into());
                Some(maker(
                    s.may("define names here").into(),
                    supposed,
                    s.args,
                    from,
                ))
            })),
            // An open `cfg` decides which macro it is.
            Err(_) => {
                let why: Arc<str> = "an attribute depends on a build script".into();
                let open = self.may_stand_by_name(data.item).into_iter();
                list.extend(open.map(|meta| maker(why.clone(), None, meta.tokens, None)));
            }
        }
    }

    /// Returns why items of a crate may be missing, if so: an `impl` of any of its types may be
    /// among them.
    pub(super) fn unseen_in(&self, krate: CrateIx) -> Option<Arc<str>> {
        let data = self.krate(krate);
        data.id?;
        if let Some(known) = data.unseen.get() {
            return known.clone();
        }
        let modules = self.modules_with_impls(krate);
        let mut makers = modules.iter().flat_map(|m| self.makers(*m).to_vec());
        let found = makers.find(|m| m.from.is_none()).map(|m| m.why);
        if self.walk.opening.get() > 0 {
            return found;
        }
        data.unseen.get_or_init(|| found).clone()
    }

    /// Returns why a crate may contain an `impl` that was not read, if so.
    pub(super) fn may_hide(&self, krate: CrateIx, what: What) -> Option<Arc<str>> {
        if let Some(why) = self.unseen_in(krate) {
            return Some(why);
        }
        let hidden = self.is_hidden(krate, what);
        hidden.then(|| HIDDEN.into())
    }

    /// Fails if a macro may have defined an associated item in a trait or `impl`.
    pub(super) fn whole(&self, owner: ItemId) -> Res<()> {
        self.trust(owner)?;
        for member in self.members(owner) {
            self.trust(*member)?;
        }
        match &*self.item(owner).facts().unseen.read() {
            Some(why) => Err(Unknown::because(why.clone())),
            None => Ok(()),
        }
    }
}

/// Returns what macros name things after: an item's name, or that of an `impl`'s self type.
fn named_after(item: &Item) -> Name {
    match &item.kind {
        ItemKind::Impl(of) => match &of.self_ty {
            Type::Path(path) => path.segments.last().map_or(item.name, |s| s.name),
            _ => item.name,
        },
        _ => item.name,
    }
}

pub(super) fn has_word(text: &str, name: Name) -> bool {
    let ends = |c: char| !c.is_alphanumeric() && c != '_';
    text.split(ends).any(|w| name == w)
}

fn hidden(name: Name, why: &str) -> Unknown {
    Unknown::because(format!("`{name}` may be another one here: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    #[test]
    fn names_are_made_of_what_is_known() {
        let maker = |from: Option<(&str, &str)>| Maker {
            guard: None,
            why: "".into(),
            supposed: None,
            input: Span::new(FileId(0), 0, 0),
            from: from.map(|(name, attrs)| {
                let (name, attrs) = (Name::new(name), attrs.to_owned());
                Arc::new(Origin { name, attrs })
            }),
        };
        let makes = |m: &Maker, name| m.makes(Name::new(name));
        assert!(makes(&maker(None), "Any"));
        let named = maker(Some(("Thing", "#[pin_project(project = Proj)]")));
        for name in [
            "Proj",
            "__Hidden",
            "ThingIter",
            "thing_builder",
            "MockThing",
        ] {
            assert!(makes(&named, name), "{name}");
        }
        for name in ["Pro", "Other", "__m128i"] {
            assert!(!makes(&named, name), "{name}");
        }
    }
}
