//! The known effects of attribute macros and derives, by the crate that defines them.
//!
//! `known.tsv` beside this file is the table: what the macros emit outside function bodies and
//! `const _`, and whether the given item is returned with its fields unchanged.

use crate::ir::{AdtKind, Cfg, Expr, Item, ItemKind, Lit, Meta, Style, Variant};
use crate::name::Name;
use std::sync::LazyLock;

/// What a macro leaves of its item, and what it adds next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum Leaves {
    /// The item unchanged, and no addition that a path could name.
    All,
    /// The item unchanged; added names begin with `__` or contain the item's name.
    After,
    /// The item unchanged; added names begin with `__`, contain the item's name, or appear in its
    /// attributes.
    Named,
    /// A changed item of the same name, and no addition that a path could name.
    Alone,
    /// A struct of the same name with one field that has a size, of the type at this path, and no
    /// addition that a path could name.
    Holds(&'static str),
    /// Another item, or more names: the macro is known, and is not one of the above here.
    Other,
    /// Nothing is known.
    Nothing,
}

impl Leaves {
    /// Returns true if the item stays as written.
    pub fn keeps(self) -> bool {
        matches!(self, Leaves::All | Leaves::After | Leaves::Named)
    }
}

/// The items that a row applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    /// Structs.
    Struct,
    /// Structs, enums and unions.
    Type,
    /// Functions, `impl` blocks and traits.
    NoType,
    /// Any item but an enum with a unit variant.
    Filled,
    /// Structs, and enums unless a `cfg` adds a variant.
    AstNode,
    /// Structs, enums, unions, functions, `impl` blocks and traits.
    NoModule,
    /// Enums of unit variants, none of which is a text.
    Numbered,
}

/// A row of the table: macros of a crate, the items that it applies to, and the effect.
struct Row {
    krate: &'static str,
    /// Empty: all of the crate.
    macros: Vec<&'static str>,
    kind: Kind,
    /// Options that neither the attribute has nor another one on the item.
    without: Vec<&'static str>,
    leaves: Leaves,
    /// They are also known by name, where their crate is not found.
    by_name: bool,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| lines().filter_map(row).collect());

fn lines() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("known.tsv").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn row(line: &'static str) -> Option<Row> {
    let mut columns = line.split('\t');
    let krate = columns.next()?;
    let macros = match columns.next()? {
        "*" => Vec::new(),
        names => names.split(' ').collect(),
    };
    let mut items = columns.next()?.split(" without ");
    let kind = match items.next()? {
        "any" => Kind::Any,
        "struct" => Kind::Struct,
        "type" => Kind::Type,
        "no-type" => Kind::NoType,
        "filled" => Kind::Filled,
        "ast-node" => Kind::AstNode,
        "no-module" => Kind::NoModule,
        "numbered" => Kind::Numbered,
        _ => return None,
    };
    let without = items
        .next()
        .map_or_else(Vec::new, |options| options.split(' ').collect());
    let leaves = match columns.next()? {
        "all" => Leaves::All,
        "after" => Leaves::After,
        "named" => Leaves::Named,
        "alone" => Leaves::Alone,
        "other" => Leaves::Other,
        other => Leaves::Holds(other.strip_prefix("holds ")?),
    };
    let by_name = match columns.next()? {
        "name" => true,
        "crate" => false,
        _ => return None,
    };
    Some(Row {
        krate,
        macros,
        kind,
        without,
        leaves,
        by_name,
    })
}

/// The item that a macro is on, and a query for `cfg`s there.
pub(super) struct MacroSite<'p> {
    pub item: &'p Item,
    pub holds: &'p dyn Fn(&Cfg) -> crate::resolve::Res<bool>,
}

impl Row {
    fn covers(&self, place: &MacroSite, meta: &Meta) -> crate::resolve::Res<bool> {
        // The options of a derive are in its helper attributes.
        let on = place.item.attrs.list.iter().map(|a| &a.meta);
        let mut with_options = on.filter(|m| !super::built_in(m)).chain([meta]);
        let is_option = |m: &Meta| {
            let last = m.path.last();
            last.is_some_and(|n| self.without.contains(&n.as_str()))
        };
        // What is no list of options may be one.
        let may_have = |m: &Meta| match m.list.is_empty() {
            true => !m.tokens.is_empty(),
            false => m.list.iter().any(is_option),
        };
        if !self.without.is_empty() && with_options.any(may_have) {
            return Ok(false);
        }
        self.kind.covers(place, meta)
    }
}

impl Kind {
    fn covers(self, place: &MacroSite, meta: &Meta) -> crate::resolve::Res<bool> {
        let adt = match &place.item.kind {
            ItemKind::Adt(adt) => Some(adt),
            _ => None,
        };
        Ok(match self {
            Kind::Any => true,
            Kind::Type => adt.is_some(),
            Kind::Struct => adt.is_some_and(|a| a.kind == AdtKind::Struct),
            // Items of an `extern` block are covered by what they expand to.
            Kind::NoType => matches!(
                place.item.kind,
                ItemKind::Fn(_) | ItemKind::Impl(_) | ItemKind::Trait(_)
            ),
            Kind::Filled => adt.is_none_or(|a| {
                let mut variants = a.variants.iter();
                a.kind != AdtKind::Enum || variants.all(|v| v.style != Style::Unit)
            }),
            Kind::NoModule => adt.is_some() || Kind::NoType.covers(place, meta)?,
            Kind::Numbered => adt.is_some_and(|a| {
                let is_number = |v: &Variant| {
                    v.style == Style::Unit
                        && !matches!(v.discriminant, Some(Expr::Lit(Lit::Str(_))))
                };
                a.kind == AdtKind::Enum && a.variants.iter().all(is_number)
            }),
            Kind::AstNode => {
                let stays = meta.list.iter().any(|m| m.path == ["no_unknown"]);
                let cfg = Cfg::Flag(Name::new("swc_ast_unknown"));
                match adt.map(|a| a.kind) {
                    Some(AdtKind::Enum) => stays || !(place.holds)(&cfg)?,
                    Some(_) => true,
                    None => false,
                }
            }
        })
    }
}

/// Returns the effect of a macro of a crate.
pub(super) fn of(
    krate: Name,
    name: Name,
    place: &MacroSite,
    meta: &Meta,
) -> crate::resolve::Res<Leaves> {
    find(place, meta, |row| {
        krate == row.krate && (row.macros.is_empty() || row.macros.iter().any(|n| name == *n))
    })
}

/// Returns the effect by the last path segment, among the macros that are known by name.
pub(super) fn by_name(place: &MacroSite, meta: &Meta) -> crate::resolve::Res<Leaves> {
    let Some(last) = meta.path.last() else {
        return Ok(Leaves::All);
    };
    find(place, meta, |row| {
        row.by_name && row.macros.iter().any(|n| last == n)
    })
}

fn find(place: &MacroSite, meta: &Meta, is: impl Fn(&Row) -> bool) -> crate::resolve::Res<Leaves> {
    let mut is_listed = false;
    for row in ROWS.iter().filter(|row| is(row)) {
        if row.covers(place, meta)? {
            return Ok(row.leaves);
        }
        is_listed = true;
    }
    Ok(match is_listed {
        true => Leaves::Other,
        false => Leaves::Nothing,
    })
}

/// Returns true for the name of a derive of std.
pub(super) fn std_derive(meta: &Meta) -> bool {
    const DERIVES: &[&str] = &[
        "Clone",
        "CoercePointee",
        "ConstParamTy",
        "Copy",
        "Debug",
        "Default",
        "Eq",
        "From",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
        "UnsizedConstParamTy",
    ];
    let last = meta.path.last();
    last.is_some_and(|n| DERIVES.contains(&n.as_str()))
}

/// Attributes that are macros of the prelude: a `use` may shadow them.
pub(super) const PRELUDE: &[&str] = &[
    "alloc_error_handler",
    "bench",
    "cfg_accessible",
    "cfg_eval",
    "derive",
    "derive_const",
    "global_allocator",
    "test",
    "test_case",
];

/// Attributes built into rustc.
#[rustfmt::skip]
pub(super) const BUILTIN: &[&str] = &[
    "alloc_error_handler", "allow", "allow_internal_unsafe", "allow_internal_unstable",
    "automatically_derived", "bench", "cfg", "cfg_accessible", "cfg_attr", "cfg_eval",
    "cfi_encoding", "cold", "collapse_debuginfo", "compiler_builtins", "const_continue",
    "const_trait", "coroutine", "coverage", "crate_name", "crate_type", "custom_mir",
    "debugger_visualizer", "default", "default_lib_allocator", "deny", "deprecated",
    "deprecated_safe", "derive", "derive_const", "diagnostic", "do_not_recommend", "doc",
    "export_name", "expect", "feature", "ffi_const", "ffi_pure", "forbid", "fundamental",
    "global_allocator", "ignore", "inline", "instruction_set", "lang", "link", "link_name",
    "link_ordinal", "link_section", "linkage", "loop_match", "macro_escape", "macro_export",
    "macro_use", "marker", "may_dangle", "must_not_suspend", "must_use", "naked",
    "needs_allocator", "needs_panic_runtime", "no_builtins", "no_core", "no_implicit_prelude",
    "no_link", "no_main", "no_mangle", "no_sanitize", "no_std", "non_exhaustive",
    "omit_gdb_pretty_printer_section", "optimize", "panic_handler", "panic_runtime", "patchable_function_entry",
    "path", "pin_v2", "pointee", "prelude_import", "proc_macro", "proc_macro_attribute",
    "proc_macro_derive", "profiler_runtime", "recursion_limit", "register_tool",
    "reexport_test_harness_main", "repr", "sanitize", "should_panic", "splat", "stable", "target_feature",
    "test", "test_case", "test_runner", "thread_local", "track_caller", "type_const", "type_length_limit",
    "unsafe_binder", "unstable", "unstable_feature_bound", "used", "warn", "weigh",
    "windows_subsystem",
];

/// First names of attributes that tools own: never macros.
pub(super) const TOOLS: &[&str] = &[
    "clippy",
    "diagnostic",
    "miri",
    "rust_analyzer",
    "rustc",
    "rustdoc",
    "rustfmt",
    "weigh",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        for line in lines() {
            assert!(row(line).is_some(), "{line}");
        }
        assert!(ROWS.len() > 200);
    }
}
