//! Attribute macros and derives: which may change their item or add names next to it, and which
//! never do.

mod known;

pub(super) use known::Leaves;

use super::cfg::Decided;
use super::ty::{Ty, TyKind};
use super::{Db, Def, ItemId, ModId, Ns, ProcMacro, ProcMacroKind, Res, Unknown};
use crate::ir::{Attr, Attrs, Cfg, Item, ItemKind, Meta};
use crate::name::Name;
use crate::span::Span;
use known::MacroSite;
use std::sync::Arc;

/// An attribute macro or a derive on an item.
pub(super) struct AttributeMacro {
    /// Its path as written.
    pub name: String,
    /// True for a derive: the item itself is unchanged.
    pub derive: bool,
    /// Its known effect.
    pub leaves: Leaves,
    /// The span of its arguments.
    pub args: Span,
    /// The span of the whole attribute.
    pub attr: Span,
    /// The procedural macro it resolves to, if found.
    pub of: Option<ProcMacro>,
    /// True if it is built into rustc.
    pub built_in: bool,
    /// True if a manifest declares that it leaves the item unchanged.
    pub vouched: bool,
    /// Why it was not expanded, if expansion was attempted.
    unexpanded: Option<Arc<str>>,
}

/// All macros on an item.
pub(super) struct AllStanding {
    /// In source order, unresolved ones last.
    pub list: Vec<AttributeMacro>,
    /// True if one has a single-segment path and is unresolved: it may be another's helper
    /// attribute.
    pub open: bool,
}

impl AttributeMacro {
    /// Describes the macro as possibly doing `what`, with the setting that vouches for it.
    pub fn may(&self, what: &str) -> String {
        let last = self.name.rsplit("::").next().unwrap_or(&self.name);
        let named = self.named();
        if let Some(why) = &self.unexpanded {
            return format!("{named} may {what}, and was not expanded: {why}");
        }
        format!(
            "{named} may {what} (if not: `transparent-attributes = [\"{last}\"]` in \
             `[package.metadata.weigh]`)"
        )
    }

    /// Says what is supposed of it. It is one clause for all that it might do: which of that a
    /// size depends on may differ with the order of questions.
    pub fn supposed(&self) -> String {
        let named = self.named();
        match self.derive {
            true => format!("{named} adds no name that is used here"),
            false => {
                format!("{named} leaves its item as written and adds no name that is used here")
            }
        }
    }

    /// Returns what it is, and its name.
    pub fn named(&self) -> String {
        format!("{} `{}`", self.kind(), self.name)
    }

    /// Returns what it is.
    pub(super) fn kind(&self) -> &'static str {
        match self.derive {
            true => "derive",
            false => "attribute macro",
        }
    }
}

/// Returns true if all are built-in or tool attributes that cannot be shadowed, or empty derives.
pub(super) fn all_plain(attrs: &Attrs) -> bool {
    not_plain(attrs).next().is_none()
}

/// Iterates over the other attributes.
fn not_plain(attrs: &Attrs) -> impl Iterator<Item = &Attr> {
    attrs.list.iter().filter(|a| {
        let first = a.meta.path.first();
        let shadowed = first.is_some_and(|n| known::PRELUDE.contains(&n.as_str()));
        match is(&a.meta, "derive") {
            true => a.meta.list.iter().any(|m| !m.path.is_empty()),
            false => !built_in(&a.meta) || shadowed,
        }
    })
}

/// Finds an attribute on a macro call that is neither built-in nor vouched for.
pub(super) fn on_call<'t>(db: &Db, attrs: &'t Attrs) -> Option<&'t Attr> {
    let mut list = attrs.list.iter();
    list.find(|a| !built_in(&a.meta) && !db.vouched(&a.meta))
}

impl<'a> Db<'a> {
    /// Checks that no macro may change an item.
    ///
    /// # Errors
    /// [`Unknown`] names the attribute macro, or the open `cfg` that decides.
    pub fn trust(&self, id: ItemId) -> Res<()> {
        let data = self.item(id);
        let krate = self.krate_of(data.module);
        // The declarations of std are our own.
        if self.krate(krate).id.is_none() {
            return Ok(());
        }
        self.trust_item(id, "change it")?;
        self.trust_around(id)
    }

    /// Checks that no macro may change what an item is in.
    fn trust_around(&self, id: ItemId) -> Res<()> {
        let data = self.item(id);
        if let Some(owner) = data.owner {
            self.trust_item(owner, "change what it stands on")?;
        }
        let mut at = Some(data.module);
        while let Some(m) = at {
            self.trust_module(m)?;
            at = self.module(m).parent;
        }
        Ok(())
    }

    /// Returns the type of the one field that a known attribute macro leaves in a struct.
    ///
    /// # Errors
    /// [`Unknown`] names the macro around it that may change it, or the open `cfg` that decides.
    pub fn one_field(&self, id: ItemId) -> Res<Option<Ty>> {
        let data = self.item(id);
        if all_plain(&data.item.attrs) {
            return Ok(None);
        }
        let on = self.standing(data.module, data.item, false, false)?;
        let mut changing = on.iter().filter(|s| !s.leaves.keeps());
        let (Some(one), None) = (changing.next(), changing.next()) else {
            return Ok(None);
        };
        // A macro that was not found may be any of this name.
        let (Leaves::Holds(path), Some(_)) = (one.leaves, one.of) else {
            return Ok(None);
        };
        self.trust_around(id)?;
        let names: Vec<_> = path.split("::").map(Name::new).collect();
        // Macros write it with and without leading colons.
        let find = |global| self.resolve(data.module, global, &names, Ns::Type);
        Ok(match (find(true)?, find(false)?) {
            (Some(a), Some(b)) if a.used == names.len() && a.def == b.def => match a.def {
                Def::Item(of) if matches!(self.item(of).item.kind, ItemKind::Adt(_)) => {
                    Some(self.types.intern(TyKind::Adt(of, Box::default())))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// Checks that no macro may change a module or function body, regardless of what encloses it.
    pub(super) fn trust_module(&self, id: ModId) -> Res<()> {
        let module = self.module(id);
        if let Some(function) = module.function {
            self.trust_item(function, "change its function")?;
            if let Some(owner) = self.item(function).owner {
                self.trust_item(owner, "change its function")?;
            }
        } else if let Some(decl) = module.decl
            && matches!(decl.kind, ItemKind::Mod(_))
        {
            let around = module.parent.unwrap_or(id);
            self.trust_attrs(around, decl, false, "change its module")?;
        }
        Ok(())
    }

    /// Checks that no macro may change a `use`.
    pub(super) fn trust_import(&self, id: ItemId) -> Res<()> {
        match all_plain(&self.item(id).item.attrs) || self.unguarded() {
            true => Ok(()),
            false => self.trust_item(id, "change what it brings"),
        }
    }

    fn trust_item(&self, id: ItemId, what: &str) -> Res<()> {
        let data = self.item(id);
        let what = match (&data.item.kind, what) {
            (ItemKind::Adt(_), "change it") => "change its fields",
            _ => what,
        };
        let around = |o| self.has_macros(data.module, self.item(o).item);
        let plain = all_plain(&data.item.attrs);
        let helped = !plain && data.owner.is_some_and(around);
        self.trust_attrs(data.module, data.item, helped, what)
    }

    fn trust_attrs(&self, module: ModId, item: &Item, helped: bool, what: &str) -> Res<()> {
        let on = self.standing(module, item, helped, false)?.into_iter();
        for s in on.filter(|s| !s.derive && !s.leaves.keeps()) {
            let why = || Unknown::because(s.may(what));
            if s.leaves != Leaves::Nothing {
                return Err(why());
            }
            self.doubt(|| s.supposed().into(), why)?;
        }
        Ok(())
    }

    /// Returns true if macros are on an item: its members may have helper attributes for them.
    fn has_macros(&self, module: ModId, item: &Item) -> bool {
        let on = self.standing(module, item, false, false);
        on.map_or(true, |on| on.iter().any(|s| !s.derive))
    }

    /// Lists the attribute macros on an item, and its derives if `derives`; `helped` if a macro
    /// around it may define helper attributes.
    ///
    /// # Errors
    /// An open `cfg` decides.
    pub(super) fn standing(
        &self,
        module: ModId,
        item: &Item,
        helped: bool,
        derives: bool,
    ) -> Res<Vec<AttributeMacro>> {
        Ok(self.all_standing(module, item, helped, derives)?.list)
    }

    /// Lists the macros on an item, and whether unresolved names are among them.
    pub(super) fn all_standing(
        &self,
        module: ModId,
        item: &Item,
        helped: bool,
        derives: bool,
    ) -> Res<AllStanding> {
        let krate = self.krate_of(module);
        let holds = |cfg: &_| self.cfg_holds(krate, cfg);
        self.standing_where(module, item, helped, derives, &holds)
    }

    /// Lists all macros that may be on an item for any value of open `cfg`s.
    pub(super) fn may_stand(&self, module: ModId, item: &Item) -> Res<Vec<AttributeMacro>> {
        let krate = self.krate_of(module);
        let holds = |cfg: &_| match self.decide(krate, cfg) {
            Decided::Known(holds) => Ok(holds),
            Decided::Open(_) => Ok(true),
        };
        let all = self.standing_where(module, item, false, true, &holds)?;
        Ok(all.list)
    }

    /// Lists the macros on an item that may define names, judged by their own names alone: for
    /// items where an open `cfg` decides which macros these are.
    pub(super) fn may_stand_by_name<'t>(&self, item: &'t Item) -> Vec<&'t Meta> {
        let place = MacroSite {
            item,
            holds: &|_| Ok(true),
        };
        let metas = not_plain(&item.attrs).flat_map(|a| match is(&a.meta, "derive") {
            true => &a.meta.list[..],
            false => std::slice::from_ref(&a.meta),
        });
        let quiet = |m: &Meta| {
            let leaves = known::by_name(&place, m);
            matches!(leaves, Ok(Leaves::All | Leaves::Alone | Leaves::Holds(_)))
        };
        metas
            .filter(|m| !quiet(m) && !known::std_derive(m))
            .collect()
    }

    fn standing_where(
        &self,
        module: ModId,
        item: &Item,
        helped: bool,
        derives: bool,
        holds: &dyn Fn(&Cfg) -> Res<bool>,
    ) -> Res<AllStanding> {
        let attrs = &item.attrs;
        let mut list = Vec::new();
        if all_plain(attrs) {
            return Ok(AllStanding { list, open: false });
        }
        let place = MacroSite { item, holds };
        let mut open = Vec::new();
        for (at, attr) in attrs.list.iter().enumerate() {
            let plain = built_in(&attr.meta) && !self.is_shadowed(module, &attr.meta);
            if plain && !(derives && is(&attr.meta, "derive")) {
                continue;
            }
            if let Some(cfg) = &attr.cfg
                && !holds(cfg)?
            {
                continue;
            }
            let derive = match plain {
                true => true,
                false => match self.macro_named(module, &attr.meta)? {
                    Some(Def::ProcMacro(_))
                        if self.is_helper(module, &attr.meta, &attrs.list[..at], &place)? =>
                    {
                        continue;
                    }
                    Some(Def::ProcMacro(of)) if of.kind == ProcMacroKind::Attribute => {
                        let krate = self.krate(of.krate).name;
                        let leaves = known::of(krate, of.name, &place, &attr.meta)?;
                        list.push(self.stands(attr, &attr.meta, false, leaves, Some(of)));
                        continue;
                    }
                    Some(Def::Item(id)) => self.is_derive(id),
                    Some(_) => false,
                    None => {
                        open.push(attr);
                        continue;
                    }
                },
            };
            if derive && derives {
                for meta in &attr.meta.list {
                    let (leaves, of, known) = self.derive_leaves(module, meta, &place)?;
                    let mut derive = self.stands(attr, meta, true, leaves, of);
                    derive.built_in = known && of.is_none();
                    list.push(derive);
                }
            }
        }
        // An unresolved single name is a helper attribute if another macro is present; otherwise,
        // or with a path, it is a macro that was not found.
        let helped = helped || !list.is_empty() || attrs.list.iter().any(|a| is(&a.meta, "derive"));
        let lone = !open.is_empty();
        for attr in open {
            let meta = &attr.meta;
            if meta.path.len() > 1 || !helped {
                let leaves = known::by_name(&place, meta)?;
                list.push(self.stands(attr, meta, false, leaves, None));
            }
        }
        Ok(AllStanding { list, open: lone })
    }

    /// Returns true for a helper attribute of an earlier derive; it shadows a macro of its name.
    fn is_helper(&self, module: ModId, meta: &Meta, before: &[Attr], on: &MacroSite) -> Res<bool> {
        let [name] = meta.path[..] else {
            return Ok(false);
        };
        for attr in before.iter().filter(|a| is(&a.meta, "derive")) {
            if attr.cfg.as_ref().map_or(Ok(true), |cfg| (on.holds)(cfg))? {
                for derive in &attr.meta.list {
                    let (_, of, _) = self.derive_leaves(module, derive, on)?;
                    let helpers = of.and_then(|of| self.helpers.get(&of));
                    if helpers.is_some_and(|h| h.contains(&name)) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    fn stands(
        &self,
        attr: &Attr,
        meta: &Meta,
        derive: bool,
        leaves: Leaves,
        of: Option<ProcMacro>,
    ) -> AttributeMacro {
        let vouched = self.vouched(meta);
        let name = shown(meta);
        let (known, unexpanded) = match self.was_expanded(meta.tokens, Name::new(&name)) {
            Some(Ok(())) => (true, None),
            Some(Err(why)) => (false, Some(why)),
            None => (false, None),
        };
        AttributeMacro {
            name,
            derive,
            // The output of an expanded macro is analysed itself.
            leaves: if vouched || known {
                Leaves::All
            } else {
                leaves
            },
            args: meta.tokens,
            attr: attr.span,
            of,
            built_in: false,
            vouched,
            unexpanded,
        }
    }

    /// Returns true if a manifest declares that the macro keeps fields as written.
    fn vouched(&self, meta: &Meta) -> bool {
        let last = meta.path.last();
        last.is_some_and(|last| self.transparent.iter().any(|t| last == t.as_str()))
    }

    /// Returns the effect of a derive, the macro it resolves to, and whether it was identified.
    fn derive_leaves(
        &self,
        module: ModId,
        meta: &Meta,
        place: &MacroSite,
    ) -> Res<(Leaves, Option<ProcMacro>, bool)> {
        let lone = meta.path.len() == 1 && !meta.global;
        if meta.path.is_empty()
            || lone && known::std_derive(meta) && !self.names_a_macro(module, meta.path[0])
        {
            return Ok((Leaves::All, None, true));
        }
        Ok(match self.macro_named(module, meta)? {
            Some(Def::ProcMacro(of)) => {
                let leaves = known::of(self.krate(of.krate).name, of.name, place, meta)?;
                (leaves, Some(of), true)
            }
            Some(_) => (Leaves::All, None, true),
            None if known::std_derive(meta) => (Leaves::All, None, true),
            // A renamed import of a trait of std that has a derive.
            None => match self.resolve(module, meta.global, &meta.path, Ns::Type)? {
                Some(f) if matches!(f.def, Def::Item(id) if self.is_of_std(id)) => {
                    (Leaves::All, None, true)
                }
                _ => (known::by_name(place, meta)?, None, false),
            },
        })
    }

    fn macro_named(&self, module: ModId, meta: &Meta) -> Res<Option<Def>> {
        let found = self.resolve(module, meta.global, &meta.path, Ns::Macro)?;
        Ok(found.map(|f| f.def))
    }

    pub(super) fn is_of_std(&self, id: ItemId) -> bool {
        self.krate_of(self.item(id).module) == self.std()
    }

    fn is_derive(&self, id: ItemId) -> bool {
        self.is_of_std(id) && self.item(id).item.name == "derive"
    }

    /// Returns true if another macro shadows one of the prelude here.
    fn is_shadowed(&self, module: ModId, meta: &Meta) -> bool {
        let [name] = meta.path[..] else { return false };
        known::PRELUDE.contains(&name.as_str()) && self.names_a_macro(module, name)
    }

    /// Returns true if the module or a function body around may define a macro of this name.
    fn names_a_macro(&self, module: ModId, name: Name) -> bool {
        let mut at = Some(module);
        while let Some(m) = at {
            if !self.entries(m, name, Ns::Macro).is_empty() {
                return true;
            }
            at = self.module(m).parent.filter(|_| self.module(m).block);
        }
        false
    }
}

/// Returns true for an attribute of rustc itself or one of its tools.
fn built_in(meta: &Meta) -> bool {
    let Some(first) = meta.path.first() else {
        return true;
    };
    match meta.path.len() {
        1 => known::BUILTIN.contains(&first.as_str()) || first.as_str().starts_with("rustc_"),
        _ => known::TOOLS.contains(&first.as_str()),
    }
}

fn is(meta: &Meta, name: &str) -> bool {
    meta.path.len() == 1 && meta.path[0] == name
}

fn shown(meta: &Meta) -> String {
    let names: Vec<_> = meta.path.iter().map(|n| n.as_str()).collect();
    names.join("::")
}
