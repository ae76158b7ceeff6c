//! Attribute macros: which attributes of a type may change its fields, and which never do.

use super::{Db, Def, ItemId, ModId, Ns, ProcMacro, Res, Unknown};
use crate::ir::{Attr, ItemKind};

/// Attributes that rustc itself understands on types and modules, and inert ones of its tools.
const BUILTIN: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "default",
    "deny",
    "deprecated",
    "derive",
    "diagnostic",
    "doc",
    "expect",
    "forbid",
    "fundamental",
    "global_allocator",
    "ignore",
    "inline",
    "lang",
    "link",
    "macro_export",
    "macro_use",
    "marker",
    "may_dangle",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "optimize",
    "path",
    "pin_v2",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "repr",
    "should_panic",
    "stable",
    "target_feature",
    "test",
    "track_caller",
    "unstable",
    "used",
    "warn",
    "weigh",
    "type_const",
    "const_trait",
    "coverage",
    "no_implicit_prelude",
    "recursion_limit",
];

/// First names of attributes that tools own: never macros.
const TOOLS: &[&str] = &[
    "clippy",
    "diagnostic",
    "miri",
    "rust_analyzer",
    "rustfmt",
    "weigh",
];

/// Attribute macros known to leave the fields of a type as they are written.
const TRANSPARENT: &[&str] = &[
    "async_trait",
    "automock",
    "cfg_eval",
    "derive_where",
    "educe",
    "enum_dispatch",
    "instrument",
    "pin_project",
    "serde_as",
    "skip_serializing_none",
    "typetag",
    "unstable",
];

impl<'a> Db<'a> {
    /// Why the fields of an item are not to be trusted as written, if so.
    ///
    /// # Errors
    /// [`Unknown`] names the attribute macro, or the open `cfg` that decides.
    pub fn trust(&self, id: ItemId) -> Res<()> {
        let data = self.item(id);
        let krate = self.krate_of(data.module);
        // The declarations of std are ours.
        if self.krate(krate).id.is_none() {
            return Ok(());
        }
        let derives = data.item.attrs.list.iter().any(|a| is(a, "derive"));
        for attr in &data.item.attrs.list {
            if self.attr_is_macro(data.module, attr, derives)? {
                return Err(Unknown::because(format!(
                    "attribute macro `{}` may change its fields",
                    shown(attr)
                )));
            }
        }
        let mut at = Some(data.module);
        while let Some(m) = at {
            let module = self.module(m);
            if let Some(decl) = module.decl
                && matches!(decl.kind, ItemKind::Mod(_))
            {
                for attr in &decl.attrs.list {
                    if self.attr_is_macro(module.parent.unwrap_or(m), attr, false)? {
                        return Err(Unknown::because(format!(
                            "attribute macro `{}` may change its module",
                            shown(attr)
                        )));
                    }
                }
            }
            at = module.parent;
        }
        Ok(())
    }

    fn attr_is_macro(&self, module: ModId, attr: &Attr, derives: bool) -> Res<bool> {
        let path = &attr.meta.path;
        let (Some(first), Some(last)) = (path.first(), path.last()) else {
            return Ok(false);
        };
        if path.len() == 1
            && (BUILTIN.contains(&first.as_str()) || first.as_str().starts_with("rustc_"))
        {
            return Ok(false);
        }
        if path.len() > 1 && TOOLS.contains(&first.as_str()) {
            return Ok(false);
        }
        if TRANSPARENT.contains(&last.as_str())
            || self.transparent.iter().any(|t| last == t.as_str())
        {
            return Ok(false);
        }
        let krate = self.krate_of(module);
        if let Some(cfg) = &attr.cfg
            && !self.cfg_holds(krate, cfg)?
        {
            return Ok(false);
        }
        match self.resolve(module, false, path, Ns::Macro)?.map(|f| f.def) {
            Some(Def::ProcMacro(ProcMacro::Attribute)) => Ok(true),
            Some(_) => Ok(false),
            // A lone name that leads nowhere is a derive's helper; without a derive, or with a
            // path, it is a macro that we do not see.
            None => Ok(path.len() > 1 || !derives),
        }
    }
}

fn is(attr: &Attr, name: &str) -> bool {
    attr.meta.path.len() == 1 && attr.meta.path[0] == name
}

fn shown(attr: &Attr) -> String {
    let names: Vec<_> = attr.meta.path.iter().map(|n| n.as_str()).collect();
    names.join("::")
}
