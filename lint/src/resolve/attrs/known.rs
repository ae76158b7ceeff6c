//! The known effects of attribute macros and derives, by the crate that defines them.
//!
//! Each entry was checked against the published source of the crate (release in the comment): what
//! its `quote!`s emit outside function bodies and `const _`, and whether the given item is returned
//! with its fields unchanged.

use crate::ir::{AdtKind, Cfg, ItemKind, Meta, Style};
use crate::name::Name;

/// What a macro leaves of its item, and what it adds next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum Leaves {
    /// The item unchanged, and no addition that a path could name.
    All,
    /// The item unchanged; added names begin with `__`, contain the item's name, or appear in its
    /// attributes.
    Named,
    /// A changed item of the same name, and no addition that a path could name.
    Alone,
    /// Nothing is known.
    Nothing,
}

impl Leaves {
    /// Returns true if the item stays as written.
    pub fn keeps(self) -> bool {
        matches!(self, Leaves::All | Leaves::Named)
    }
}

/// The items that an entry applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Any,
    /// Structs.
    Struct,
    /// Functions, `impl` blocks and traits.
    NoType,
    /// Any item but an enum with a unit variant.
    Filled,
    /// Structs, and enums unless a `cfg` adds a variant.
    AstNode,
}

use Leaves::{All, Alone, Named};
use On::{Any, AstNode, Filled, NoType, Struct};

/// Crate, its macros (empty: all), the items that the entry applies to, and the effect.
#[rustfmt::skip]
const KNOWN: &[(&str, &[&str], On, Leaves)] = &[
    // Derives that emit only `impl`s; helper types are in function bodies or `const _`.
    ("argh_derive", &[], Any, All),                     // 0.1.19
    ("allocative_derive", &["Allocative"], Any, All),   // 0.3.6
    ("bevy_reflect_derive", &["FromReflect", "Reflect", "TypePath"], Any, All), // 0.20.1
    ("bincode_derive", &[], Any, All),                  // 2.0.1
    ("borsh_derive", &[], Any, All),                    // 1.8.1
    ("clap_derive", &[], Any, All),                     // 4.6.9
    ("darling_macro", &[], Any, All),                   // 0.24.1
    ("derivative", &[], Any, All),                      // 2.2.0
    ("derive_arbitrary", &[], Any, Named),              // 1.4.2
    ("derive_more", &[], Any, All),                     // 0.99.20
    ("derive_more_impl", &[], Any, All),                // 2.1.1
    ("derive_setters", &[], Any, All),                  // 0.1.9
    ("displaydoc", &[], Any, Named),                    // 0.2.7
    ("dupe_derive", &[], Any, All),                     // 0.9.1
    ("educe", &[], Any, All),                           // 0.6.0
    ("enum_map_derive", &[], Any, All),                 // 0.17.0
    ("enumset_derive", &["EnumSetType"], Any, Named),   // 0.15.1
    ("getset", &[], Any, All),                          // 0.1.7
    ("is_macro", &[], Any, All),                        // 0.3.5
    ("logos_derive", &["Logos"], Any, All),             // 0.16.1
    ("miette_derive", &[], Any, All),                   // 7.6.0
    ("num_derive", &[], Any, Named),                    // 0.5.1
    ("num_enum_derive", &[], Any, All),                 // 0.7.6
    ("parity_scale_codec_derive", &[], Any, All),       // 3.7.5
    ("prost_derive", &[], Any, All),                    // 0.14.6
    ("rust_embed_impl", &[], Any, All),                 // 8.13.0
    ("scale_info_derive", &[], Any, All),               // 2.11.6
    ("ra_ap_rustc_type_ir_macros", &[], Any, All),      // 0.166.0
    ("schemars_derive", &[], Any, All),                 // 1.2.3
    ("serde_derive", &["Deserialize", "Serialize"], Any, All), // 1.0.229
    ("serde_repr", &[], Any, All),                      // 0.1.21
    ("smart_default", &[], Any, All),                   // 0.7.1
    ("string_enum", &[], Any, All),                     // 1.0.2
    ("structopt_derive", &[], Any, All),                // 0.4.18
    ("thiserror_impl", &[], Any, All),                  // 2.0.21
    ("yoke_derive", &[], Any, All),                     // 0.8.4
    ("zeroize_derive", &[], Any, All),                  // 1.5.0
    ("zerofrom_derive", &[], Any, All),                 // 0.1.8
    ("alloy_rlp_derive", &[], Any, All),                // 0.3.17
    ("arg_enum_proc_macro", &[], Any, All),             // 0.3.4
    ("auto_impl", &[], Any, All),                       // 1.4.0
    ("bytecheck_derive", &[], Any, All),                // 0.8.3
    ("conflate_derive", &[], Any, All),                 // 0.2.0
    ("enum_ordinalize_derive", &[], Any, All),          // 4.4.2
    ("garde_derive", &[], Any, All),                    // 0.23.0
    ("merge2_derive", &[], Any, All),                   // 0.3.1
    ("nu_derive_value", &[], Any, All),                 // 0.115.1
    ("palette_derive", &["WithAlpha", "FromColorUnclamped", "ArrayCast"], Any, All), // 0.7.7
    ("proptest_derive", &[], Any, All),                 // 0.8.0
    ("scroll_derive", &[], Any, All),                   // 0.13.2
    ("sqlparser_derive", &["Visit", "VisitMut"], Any, All), // 0.6.0
    ("sqlx_macros", &["Encode", "Decode", "Type", "FromRow"], Any, All), // 0.9.0
    ("strong_hash_derive", &[], Any, All),              // 0.1.0
    ("swc_config_macro", &[], Any, All),                // 1.0.1
    ("swc_eq_ignore_macros", &[], Any, All),            // 1.0.1
    ("typespec_macros", &["SafeDebug"], Any, All),      // 0.10.0
    ("wezterm_dynamic_derive", &[], Any, All),          // 0.1.1
    ("zvariant_derive", &[], Any, All),                 // 5.15.1
    // Derives that also emit types: `ThingIter`, `ThingBuilder`, `ArchivedThing`, `ThingItem`.
    ("bevy_ecs_macros", &["Bundle", "Component", "EntityEvent", "Event", "FromTemplate",
        "FromWorld", "MapEntities", "Message", "QueryData", "QueryFilter", "Resource",
        "ScheduleLabel", "SystemParam", "SystemSet"], Any, Named), // 0.20.1
    ("bytemuck_derive", &[], Any, Named),               // 1.12.1
    ("derive_builder_macro", &[], Any, Named),          // 0.20.2
    ("rkyv_derive", &[], Any, Named),                   // 0.8.18
    ("strum_macros", &[], Any, Named),                  // 0.28.0
    ("typed_builder_macro", &["TypedBuilder"], Any, Named), // 0.23.2
    ("zerocopy_derive", &[], Any, Named),               // 0.8.63
    // Attributes that return the item with other attributes, or a function with another body.
    ("actix_macros", &["main", "test"], NoType, All),   // 0.2.5
    ("async_recursion", &[], NoType, All),              // 1.2.0
    ("async_trait", &["async_trait"], NoType, All),     // 0.1.92
    ("derive_where", &[], Any, All),                    // 1.7.0
    ("gix_macros", &[], NoType, All),                   // 0.1.6
    ("inherent", &["inherent"], NoType, All),           // 1.0.14
    ("serde_with_macros", &["serde_as", "skip_serializing_none", "SerializeDisplay",
        "DeserializeFromStr"], Any, All),               // 3.24.0
    ("serial_test_derive", &[], NoType, All),           // 3.5.0
    ("profiling_procmacros", &["function"], NoType, All), // 1.0.18
    ("stability", &["unstable"], Any, All),             // 0.1.1: less visible without a feature
    ("test_log_macros", &["test"], NoType, All),        // 0.2.21
    ("tokio_macros", &["main", "main_rt", "test", "test_rt"], NoType, All), // 2.7.2
    ("tracing_attributes", &["instrument"], NoType, All), // 0.1.31
    ("typetag_impl", &[], NoType, All),                 // 0.2.23
    ("wasm_bindgen_test_macro", &[], NoType, All),      // 0.3.79
    // Attributes that add types under names of their own.
    ("mockall_derive", &["automock"], NoType, Named),   // 0.15.0: `MockThing`
    ("pin_project_internal", &[], Any, Named),          // 1.1.13: `project = Name`
    ("rstest_macros", &["rstest", "fixture"], NoType, Named), // 0.26.1: a module for the cases
    ("test_case_macros", &[], NoType, Named),           // 3.3.1: the same
    // `enum_dispatch` 0.3.13 turns a variant `Thing` into `Thing(Thing)`.
    ("enum_dispatch", &["enum_dispatch"], Filled, All),
    // swc's `ast_node` 7.0.0 adds derives, and a variant to enums under `cfg(swc_ast_unknown)`.
    ("ast_node", &["ast_node"], AstNode, All),
    ("ast_node", &["ast_serde", "Spanned", "DeserializeEnum", "Encode", "Decode"], Struct, All),
    // Adds `Thing_Impl` to a struct `Thing` (0.52.0, 0.56.0, 0.57.0, 0.58.0, 0.60.2).
    ("windows_implement", &["implement"], Struct, Named),
    // pyo3 0.30.1 strips its own attributes from structs; enums are changed.
    ("pyo3_macros", &["pyclass"], Struct, Named),
    ("pyo3_macros", &["pymethods", "pyfunction"], NoType, Named),
    // wasm-bindgen 0.2.130 exports structs, functions and `impl`s unchanged. Enums get a `repr`,
    // and the types of an `extern` block become structs.
    ("wasm_bindgen_macro", &["wasm_bindgen", "BindgenedStruct"], Struct, All),
    ("wasm_bindgen_macro", &["wasm_bindgen"], NoType, All),
    // salsa 0.28.5: `db` adds functions to traits and `impl`s; the others replace a struct's fields
    // by `salsa::Id`, and add to a tracked function a struct of its name.
    ("salsa_macros", &["db"], Any, All),
    ("salsa_macros", &["input", "interned", "tracked"], Struct, Alone),
    ("salsa_macros", &["tracked"], NoType, Named),
];

/// The item that a macro is on, and a query for `cfg`s there.
pub(super) struct Place<'p> {
    pub item: Option<&'p ItemKind>,
    pub holds: &'p dyn Fn(&Cfg) -> crate::resolve::Res<bool>,
}

impl On {
    fn covers(self, place: &Place, meta: &Meta) -> crate::resolve::Res<bool> {
        let adt = match place.item {
            Some(ItemKind::Adt(adt)) => Some(adt),
            _ => None,
        };
        Ok(match self {
            Any => true,
            Struct => adt.is_some_and(|a| a.kind == AdtKind::Struct),
            // Items of an `extern` block are covered by what they expand to.
            NoType => matches!(
                place.item,
                Some(ItemKind::Fn(_) | ItemKind::Impl(_) | ItemKind::Trait(_))
            ),
            Filled => adt.is_none_or(|a| {
                let mut variants = a.variants.iter();
                a.kind != AdtKind::Enum || variants.all(|v| v.style != Style::Unit)
            }),
            AstNode => {
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
    place: &Place,
    meta: &Meta,
) -> crate::resolve::Res<Leaves> {
    find(place, meta, |of, names| {
        krate == of && (names.is_empty() || names.iter().any(|n| name == *n))
    })
}

/// Returns the effect by the last path segment, among the entries that list their macros.
pub(super) fn by_name(place: &Place, meta: &Meta) -> crate::resolve::Res<Leaves> {
    let Some(last) = meta.path.last() else {
        return Ok(All);
    };
    find(place, meta, |_, names| names.iter().any(|n| last == n))
}

fn find(
    place: &Place,
    meta: &Meta,
    is: impl Fn(&str, &[&str]) -> bool,
) -> crate::resolve::Res<Leaves> {
    for (krate, names, on, leaves) in KNOWN {
        if is(krate, names) && on.covers(place, meta)? {
            return Ok(*leaves);
        }
    }
    Ok(Leaves::Nothing)
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
