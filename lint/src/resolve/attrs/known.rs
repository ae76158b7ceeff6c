//! The known effects of attribute macros and derives, by the crate that defines them.
//!
//! Each entry was checked against the published source of the crate (release in the comment): what
//! its `quote!`s emit outside function bodies and `const _`, and whether the given item is returned
//! with its fields unchanged.

use crate::ir::{AdtKind, Cfg, Expr, ItemKind, Lit, Meta, Style, Variant};
use crate::name::Name;

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

/// The items that an entry applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Any,
    /// Structs.
    Struct,
    /// Structs, enums and unions.
    Adt,
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
    /// Those of the first, if the attribute has none of these options.
    Without(&'static On, &'static [&'static str]),
}

use Leaves::{After, All, Alone, Named};
use On::{Adt, Any, AstNode, Filled, NoModule, NoType, Numbered, Struct, Without};

/// Crate, its macros (empty: all), the items that the entry applies to, and the effect.
type Entry = (&'static str, &'static [&'static str], On, Leaves);

/// The macros that are known by crate and, where they are listed and their crate is not found, by name.
#[rustfmt::skip]
const KNOWN: &[Entry] = &[
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
    // Written by a macro, so that the crate does not show it.
    ("encase_derive", &["ShaderType"], Any, All),       // 0.6.1, 0.13.0; bevy_encase_derive 0.19.1
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
    ("bytemuck_derive", &["CheckedBitPattern"], Any, After), // 1.12.1
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
    // pyo3 0.13.2 and 0.29.3 strip their own attributes; variants with fields add structs that are
    // named after the enum.
    ("pyo3_macros", &["pyclass"], Any, After),
    ("pyo3_macros", &["pymethods", "pyfunction"], NoType, After),
    // wasm-bindgen 0.2.130 exports structs (but adds a field for `extends`), functions, `impl`s and
    // enums of numbers unchanged. Enums of texts get a `repr`, and the types of an `extern` block
    // become structs.
    ("wasm_bindgen_macro", &["wasm_bindgen", "BindgenedStruct"], Without(&Struct, &["extends"]), All),
    ("wasm_bindgen_macro", &["wasm_bindgen"], NoType, All),
    ("wasm_bindgen_macro", &["wasm_bindgen"], Numbered, All),
    // salsa 0.28.5: `db` adds functions to traits and `impl`s; the others replace a struct's fields
    // by `salsa::Id`, and add to a tracked function a struct of its name.
    ("salsa_macros", &["db"], Any, All),
    ("salsa_macros", &["input", "interned", "tracked"], Struct, Alone),
    ("salsa_macros", &["tracked"], NoType, Named),
];

/// Those that are known by crate alone: other crates have macros of these names.
#[rustfmt::skip]
const OF_CRATE: &[Entry] = &[
    // Derives that emit only `impl`s; helper types are in function bodies or `const _`.
    ("amplify_derive", &["AsAny", "Display", "Error", "From", "Getters", "Wrapper", "WrapperMut"], Any, All), // 2.11.3, 4.0.1
    ("anchor_derive_serde", &[], Any, All),             // 0.29.0, 1.2.2
    ("anchor_derive_space", &[], Any, All),             // 0.28.0, 1.2.2
    ("apache_avro_derive", &[], Any, All),              // 0.16.0, 0.22.0
    ("ark_ff_macros", &["MontConfig", "SmallFpConfig", "unroll_for_loops"], Any, All), // 0.3.0, 0.6.0
    ("ark_serialize_derive", &[], Any, All),            // 0.3.0, 0.6.0
    ("askama_derive", &["Template"], Any, All),         // 0.12.5, 0.14.0
    ("askama_macros", &["Template"], Any, All),         // 0.16.1
    ("asn1_derive", &[], Any, All),                     // 0.20.0, 0.24.1
    ("async_graphql_derive", &["ComplexObject", "Description", "Enum", "InputObject", "Interface",
        "MergedObject", "MergedSubscription", "NewType", "Object", "OneofObject", "Scalar",
        "SimpleObject", "Subscription", "Union"], Any, All), // 4.0.16, 7.2.1
    ("bevy_animation_macros", &["AnimationEvent"], Any, All), // 0.19.1
    ("bevy_asset_macros", &["Asset", "VisitAssetDependencies"], Any, All), // 0.13.2, 0.19.1
    ("bevy_cobweb_derive", &["ReactComponent", "ReactResource"], Any, All), // 0.1.0
    ("bevy_derive", &["AppLabel", "Deref", "DerefMut", "EnumVariantMeta"], Any, All), // 0.11.3, 0.19.1
    ("bevy_gizmos_macros", &["GizmoConfigGroup"], Any, All), // 0.13.2, 0.19.1
    ("bevy_material_macros", &["DrawFunctionLabel", "ShaderLabel"], Any, All), // 0.19.1
    ("bevy_render_macros", &["DrawFunctionLabel", "ExtractComponent", "ExtractResource",
        "RenderLabel", "RenderSubGraph", "ShaderLabel", "Specializer", "SpecializerKey"], Any, All), // 0.11.3, 0.19.1
    ("bevy_state_macros", &["States", "SubStates"], Any, All), // 0.14.2, 0.19.1
    ("boa_macros", &["Finalize", "JsData", "Trace", "TryFromJs", "TryIntoJs"], Any, All), // 0.22.0
    ("boxed_error", &["Boxed"], Any, All),              // 0.2.3
    ("bytemuck_derive", &["AnyBitPattern", "ByteEq", "ByteHash", "Contiguous", "NoUninit", "Pod",
        "TransparentWrapper", "Zeroable"], Any, All),   // 1.0.1, 1.12.1
    ("candid_derive", &[], Any, All),                   // 0.6.6, 0.10.39
    ("clickhouse_derive", &["Row"], Any, All),          // 0.2.0
    ("clickhouse_macros", &["Row"], Any, All),          // 0.3.0
    ("cosmwasm_schema_derive", &["QueryResponses", "cw_serde"], Any, All), // 1.5.5, 3.0.11
    ("datasize_derive", &[], Any, All),                 // 0.2.15
    ("deepsize_derive", &[], Any, All),                 // 0.1.2
    ("defmt_macros", &["Format"], Any, All),            // 0.4.0, 1.2.0
    ("deku_derive", &["DekuRead", "DekuWrite"], Any, All), // 0.18.1, 0.20.3
    ("delegate_display", &[], Any, All),                // 2.1.1, 3.0.1
    ("derive_getters", &[], Any, All),                  // 0.2.1, 0.5.0
    ("derive_new", &[], Any, All),                      // 0.5.8, 0.7.0
    ("diesel_derives", &["HasQuery", "Selectable", "ValidGrouping"], Any, All), // 2.1.4, 2.3.10
    ("dummy", &["Dummy"], Any, All),                    // 0.8.0, 0.12.0
    ("enum_as_inner", &[], Any, All),                   // 0.2.1, 0.7.0
    ("enum_iterator_derive", &[], Any, All),            // 0.6.0, 1.5.0
    ("frame_support_procedural", &["CloneNoBound", "DebugNoBound", "DefaultNoBound", "EqNoBound",
        "OrdNoBound", "PalletError", "PartialEqNoBound", "PartialOrdNoBound",
        "require_transactional", "transactional"], Any, All), // 16.0.0, 41.0.1
    ("get_size_derive", &[], Any, All),                 // 0.1.3
    ("get_size_derive2", &[], Any, All),                // 0.9.0, 0.11.1
    ("glib_macros", &["Boxed", "ErrorDomain", "SharedBoxed", "ValueDelegate", "Variant"], Any, All), // 0.15.13, 0.22.9
    ("gtk4_macros", &["CompositeTemplate", "template_callbacks"], Any, All), // 0.6.6, 0.11.5
    ("heapsize_derive", &[], Any, All),                 // 0.1.4
    ("hecs_macros", &[], Any, All),                     // 0.10.0, 0.11.1
    ("iroh_metrics_derive", &[], Any, All),             // 0.2.0, 1.0.1
    ("juniper_codegen", &["GraphQLEnum", "GraphQLInputObject", "GraphQLObject", "GraphQLScalar",
        "GraphQLScalarValue", "GraphQLUnion", "ScalarValue", "graphql_object", "graphql_scalar",
        "graphql_subscription", "graphql_union"], Any, All), // 0.14.2, 0.18.0
    ("kameo_macros", &["Actor", "RemoteActor", "Reply", "remote_message"], Any, All), // 0.16.0, 0.21.1
    ("loupe_derive", &[], Any, All),                    // 0.1.3, 0.2.0
    ("malloc_size_of_derive", &[], Any, All),           // 0.1.3
    ("mem_dbg_derive", &[], Any, All),                  // 0.2.1, 0.3.4
    ("minicbor_derive", &[], Any, All),                 // 0.8.0, 0.19.5
    ("miniconf_derive", &[], Any, All),                 // 0.22.0
    ("modular_bitfield_impl", &["BitfieldSpecifier", "Specifier"], Any, All), // 0.11.2, 0.13.1
    ("musli_macros", &["Decode", "Encode", "MusliCoreDecode", "MusliCoreEncode"], Any, All), // 0.1.9, 0.2.0
    ("n0_error_macros", &["StackError"], Any, All),     // 0.1.3, 1.0.1
    ("nanoserde_derive", &[], Any, All),                // 0.1.22, 0.2.1
    ("near_sdk_macros", &["BorshStorageKey", "EventMetadata", "FunctionError", "NearSchema",
        "PanicOnDefault"], Any, All),                   // 3.1.0, 5.30.0
    ("oxicode_derive", &[], Any, All), // 0.2.6
    ("parity_util_mem_derive", &[], Any, All),          // 0.1.0
    ("poem_openapi_derive", &[], Any, All),             // 5.1.16
    ("poise_macros", &["ChoiceParameter", "Modal", "SlashChoiceParameter"], Any, All), // 0.7.1
    ("postcard_derive", &[], Any, All),                 // 0.1.2, 0.2.2
    ("postgres_derive", &[], Any, All),                 // 0.4.2, 0.4.9
    ("prometheus_client_derive_encode", &[], Any, All), // 0.4.1, 0.5.1
    ("prometheus_client_derive_text_encode", &[], Any, All), // 0.3.0
    ("prost_reflect_derive", &[], Any, All), // 0.16.1
    ("pyo3_macros", &["FromPyObject", "IntoPyObject", "IntoPyObjectRef"], Any, All), // 0.13.2, 0.29.3
    ("ractor_cluster_derive", &[], Any, All),           // 0.16.5
    ("rasn_derive", &[], Any, All),                     // 0.12.5, 0.30.0
    ("ref_cast_impl", &[], Any, All),                   // 1.0.3, 1.0.27
    ("rinja_derive", &["Template"], Any, All),          // 0.3.5
    ("rlp_derive", &[], Any, All),                      // 0.1.0, 0.2.0
    ("rocket_codegen", &["FromForm", "FromFormField", "FromFormValue", "Responder",
        "UriDisplayPath", "UriDisplayQuery"], Any, All), // 0.4.11, 0.5.2
    ("ruma_macros", &["AsRefStr", "AsStrAsRefStr", "DebugAsRefStr", "DeserializeFromCowStr",
        "DisplayAsRefStr", "EqAsRefStr", "Event", "EventEnumFromEvent", "FromString", "OrdAsRefStr",
        "SerializeAsRefStr", "StringEnum"], Any, All), // 0.20.2
    ("rustyline_derive", &[], Any, All),                // 0.3.1, 0.13.0
    ("salvo_macros", &["Extractible"], Any, All),       // 0.90.1, 1.1.0
    ("salvo_oapi_macros", &["ToParameters", "ToResponse", "ToResponses", "ToSchema"], Any, All), // 1.1.0
    ("scale_decode_derive", &[], Any, All),             // 0.7.0, 0.16.2
    ("scale_encode_derive", &[], Any, All),             // 0.3.0, 0.10.1
    ("scylla_macros", &[], Any, All),                   // 0.4.0, 1.9.0
    ("sea_orm_macros", &["DeriveActiveModelBehavior", "DeriveColumn", "DeriveCustomColumn",
        "DeriveDisplay", "DeriveEntity", "DeriveIden", "DeriveMigrationName", "DeriveModel",
        "DerivePrimaryKey", "DeriveRelatedEntity", "DeriveRelation", "DeriveValueType",
        "FromJsonQueryResult", "FromQueryResult"], Any, All), // 0.9.3, 2.0.4
    ("sea_query_derive", &["Iden", "IdenStatic"], Any, All), // 0.2.0, 1.0.0
    ("shred_derive", &[], Any, All),                    // 0.7.0
    ("solana_frozen_abi_macro", &["AbiEnumVisitor", "AbiExample", "StableAbi", "StableAbiSample"], Any, All), // 1.14.13, 3.7.0
    ("specs_derive", &["Component"], Any, All),         // 0.4.1
    ("specta_macros", &["DataTypeFrom", "RSPCType", "Type"], Any, All), // 1.0.5, 2.0.0-rc.18
    ("speedy_derive", &[], Any, All),                   // 0.8.5, 0.8.7
    ("spl_discriminator_derive", &[], Any, All),        // 0.1.0, 0.2.0
    ("spl_program_error_derive", &["DecodeError", "IntoProgramError", "PrintProgramError", "ToStr"], Any, All), // 0.3.0, 0.6.0
    ("ssz_derive", &[], Any, All),                      // 0.2.0, 0.3.0, 0.10.4
    ("tabled_derive", &[], Any, All),                   // 0.4.0, 0.12.0
    ("tls_codec_derive", &["TlsDeserialize", "TlsDeserializeBytes", "TlsSerialize",
        "TlsSerializeBytes", "TlsSize"], Any, All),     // 0.4.2, 0.5.0
    ("tree_hash_derive", &[], Any, All),                // 0.5.2, 0.12.1
    ("tsify_macros", &[], Any, All),                    // 0.4.5, 0.5.8
    ("tsify_next_macros", &[], Any, All),               // 0.5.6
    ("twilight_interactions_derive", &[], Any, All),    // 0.18.0
    ("utoipa_gen", &["IntoParams", "IntoResponses", "OpenApi", "ToResponse"], Any, All), // 3.5.0, 6.0.1
    ("validator_derive", &["Validate"], Any, All),      // 0.12.0, 0.20.1
    ("valuable_derive", &[], Any, All),                 // 0.1.0, 0.1.1
    ("variantly", &[], Any, All),                       // 0.4.0
    ("zbus_macros", &["DBusError", "DeserializeDict", "OwnedVariant", "SerializeDict", "Type",
        "Variant"], Any, All),                          // 1.9.3, 6.2.1
    ("zerovec_derive", &["ULE"], Any, All),             // 0.9.7, 0.11.7
    // Derives that also emit items, under names that contain the type's.
    ("abi_stable_derive", &["StableAbi"], Any, Named), // 0.10.3, 0.11.3
    ("actix_derive", &["Message", "MessageResponse"], Any, After), // 0.3.2, 0.6.2
    ("anchor_derive_accounts", &["Accounts"], Any, After), // 0.26.0, 1.2.2
    ("axum_macros", &["FromRef", "FromRequest", "FromRequestParts", "TypedPath"], Any, After), // 0.2.3, 0.5.1
    ("bevy_ecs_macros", &["WorldQuery"], Any, Named),   // 0.11.3, 0.20.1
    ("bevy_render_macros", &["AsBindGroup"], Any, After), // 0.11.3, 0.19.1
    ("binrw_derive", &["BinRead", "BinWrite", "NamedArgs"], Any, Named), // 0.4.0, 0.15.2
    ("bon_macros", &["Builder"], Any, Named),           // 2.3.0, 3.10.3
    ("burn_derive", &["Config", "Module", "Record"], Any, After), // 0.17.1, 0.22.1
    ("der_derive", &[], Any, After),                    // 0.4.1, 0.8.0
    ("derive_builder", &["Builder"], Any, Named),       // 0.7.2, 0.9.0
    ("diesel_derives", &["AsChangeset", "AsExpression", "Associations", "DieselNumericOps",
        "FromSqlRow", "Identifiable", "Insertable", "QueryId", "Queryable", "QueryableByName",
        "SqlType"], Any, After),                        // 1.4.1, 2.3.10
    ("dioxus_core_macro", &["Props"], Any, After), // 0.5.6, 0.7.10
    ("enum_kinds", &[], Any, Named),                    // 0.5.1: the name in its helper attribute
    ("failure_derive", &[], Any, After),                // 0.1.8
    ("gc_arena_derive", &["Collect"], Any, After),      // 0.5.3, 0.7.0
    ("glib_macros", &["Downgrade", "Enum"], Any, After), // 0.15.13, 0.22.9
    ("libp2p_swarm_derive", &[], Any, Named),           // 0.29.0, 0.36.0
    ("sea_orm_macros", &["DeriveActiveEnum", "DeriveIntoActiveModel", "DerivePartialModel",
        "EnumIter"], Any, After),                       // 0.9.3, 2.0.4
    ("sp_debug_derive", &["RuntimeDebug"], Any, After), // 4.0.0, 15.0.0
    ("ts_rs_macros", &["TS"], Any, After),              // 8.1.0, 12.0.1
    ("uniffi_macros", &["Enum", "Error", "Object", "Record"], Any, Named), // 0.22.0, 0.32.2
    ("utoipa_gen", &["ToSchema"], Any, Named),          // 3.5.0, 6.0.1: aliases in its helper attribute
    ("yew_macro", &["Properties"], Any, After), // 0.20.0, 0.23.0
    ("zerovec_derive", &["VarULE"], Any, After),        // 0.9.7, 0.11.7
    // Attributes that return the item with other attributes, or a function with another body.
    ("actix_derive", &["main", "test"], NoType, All),   // 0.6.2
    ("actix_web_codegen", &["main", "test"], NoType, All), // 0.4.0, 4.5.0
    ("aquamarine", &["aquamarine"], Any, All),          // 0.1.11, 0.6.0
    ("async_attributes", &["bench", "main", "test"], NoType, All), // 1.1.2
    ("comemo_macros", &["memoize", "track"], NoType, All), // 0.4.0, 0.5.1
    ("datafusion_macros", &["user_doc"], Any, All),     // 44.0.0, 55.2.0
    ("defmt_macros", &["panic_handler"], NoType, All),  // 0.4.0, 1.2.0
    ("docify_macros", &["export", "export_content"], Any, All), // 0.2.8, 0.4.1
    ("fastrace_macro", &["trace"], NoType, All),        // 0.7.17, 0.7.19
    ("flutter_rust_bridge_macros", &["frb"], Without(&NoModule, &["external", "ui_state"]), All), // 2.11.1, 2.13.0
    ("frame_support_procedural", &["stored"], Any, All), // 41.0.1
    ("glib_macros", &["async_test", "derived_properties"], NoType, All), // 0.22.9
    ("gtk4_macros", &["test"], NoType, All),            // 0.11.5
    ("instability", &["stable"], Any, All),             // 0.3.10, 0.3.14
    ("maybe_async", &["maybe_async", "must_be_async", "must_be_sync"], NoType, All), // 0.2.7, 0.2.11
    ("mutants", &["skip"], Any, All),                   // 0.0.3, 0.0.4
    ("n0_error_macros", &["stack_error"], Without(&Adt, &["add_meta"]), All), // 0.1.3, 1.0.1
    ("near_sdk_macros", &["near"], Without(&Adt, &["contract_state", "event_json"]), All), // 5.19.0, 5.30.0
    ("openssl_macros", &["corresponds"], NoType, All),  // 0.1.0, 0.1.1
    ("poise_macros", &["command"], NoType, All),        // 0.6.1, 0.7.1
    ("proptest_macro", &["property_test"], NoType, All), // 0.1.0, 0.6.0
    ("pyo3_stub_gen_derive", &[], NoModule, All),       // 0.16.2, 0.23.2
    ("qualifier_attr", &["field_qualifiers", "qualifiers"], Any, All), // 0.2.2
    ("recursive_proc_macro_impl", &["recursive"], NoType, All), // 0.1.1
    ("rmcp_macros", &["prompt_handler", "prompt_router", "task_handler", "tool_handler",
        "tool_router"], NoType, All),                   // 0.2.1, 3.11.0
    ("rocket_codegen", &["async_test", "main"], NoType, All), // 0.5.2
    ("snafu_derive", &["report"], NoType, All),         // 0.6.10, 0.9.2
    ("typeshare_annotation", &["typeshare"], Any, All), // 1.0.5
    ("visibility", &["make"], Any, All),                // 0.0.1, 0.1.1
    ("yew_macro", &["hook"], NoType, All), // 0.20.0, 0.23.0
    // Attributes that add items, under names that contain the item's or are in their arguments.
    ("actix_web_codegen", &["connect", "delete", "get", "head", "options", "patch", "post", "put",
        "route", "routes", "trace"], NoType, After),    // 4.5.0: a struct in place of the function
    ("anchor_attribute_account", &["account"], Without(&Struct, &["zero_copy"]), After), // 0.26.0, 1.2.2
    ("anchor_attribute_event", &["event"], Struct, After), // 0.26.0, 1.2.2
    ("axum_macros", &["debug_handler", "debug_middleware"], NoType, After), // 0.2.3, 0.5.1
    ("cached_proc_macro", &["cached", "concurrent_cached", "io_cached", "once"], NoType, Named), // 0.6.1, 3.0.1
    ("cosmwasm_derive", &["entry_point"], NoType, After), // 1.5.5, 3.0.11
    ("ctor", &["ctor", "dtor"], Without(&NoType, &["anonymous"]), After), // 0.1.26, 0.2.9
    ("ctor_proc_macro", &["ctor"], Without(&NoType, &["anonymous"]), After), // 0.0.13
    ("dioxus_core_macro", &["component"], NoType, After), // 0.5.6, 0.7.10
    ("divan_macros", &["bench"], NoType, After), // 0.1.8, 0.1.21
    ("dtor_proc_macro", &["dtor"], Without(&NoType, &["anonymous"]), After), // 0.0.13
    ("glib_macros", &["object_interface", "object_subclass"], NoType, After), // 0.15.13, 0.22.9
    ("ic_cdk_macros", &["heartbeat", "init", "inspect_message", "on_low_wasm_memory",
        "post_upgrade", "pre_upgrade", "query", "update"], NoType, After), // 0.17.2, 0.20.3
    ("icu_provider_macros", &["data_struct"], Any, Named), // 1.2.0, 1.5.0
    ("linkme_impl", &["distributed_slice"], NoType, After), // 0.3.22, 0.3.37
    ("linktime_proc_macro", &["ctor", "dtor"], Without(&NoType, &["anonymous"]), After), // 0.2.3
    ("napi_derive", &["napi"], NoModule, After),        // 2.13.0, 3.7.0
    ("poem_derive", &["handler"], NoType, After),       // 3.1.12: a struct in place of the function
    ("pyo3_macros", &["pymodule"], NoType, Named),      // 0.13.2, 0.29.3
    ("rhai_codegen", &["export_fn"], NoType, After), // 1.2.0, 3.3.0
    ("rmcp_macros", &["prompt", "tool"], NoType, After), // 0.2.1, 3.11.0
    ("rocket_codegen", &["catch", "delete", "get", "head", "options", "patch", "post", "put",
        "route"], NoType, After),                       // 0.4.11, 0.5.2
    ("salvo_macros", &["handler"], NoType, After),      // 0.90.1, 1.1.0: the same
    ("salvo_oapi_macros", &["endpoint"], NoType, After), // 1.1.0: the same
    ("sea_query_derive", &["enum_def"], Struct, Named), // 1.0.0
    ("sealed", &["sealed"], NoType, After),             // 0.3.0, 0.7.0
    ("solana_frozen_abi_macro", &["frozen_abi"], Any, After), // 1.14.13, 3.7.0
    ("specta_macros", &["specta"], NoType, After),      // 1.0.5, 2.0.0-rc.18
    ("tauri_macros", &["command"], NoType, After),      // 1.2.1, 2.7.4
    ("uniffi_macros", &["constructor", "export", "method"], NoModule, Named), // 0.22.0, 0.32.2
    ("utoipa_gen", &["path"], NoType, After),           // 3.5.0, 6.0.1
    ("zbus_macros", &["dbus_interface", "interface"], Without(&NoType, &["proxy"]), After), // 2.3.2, 6.2.1
    ("zerovec_derive", &["make_ule", "make_varule"], Any, Named), // 0.9.7, 0.11.7
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
            Adt => adt.is_some(),
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
            NoModule => adt.is_some() || NoType.covers(place, meta)?,
            Numbered => adt.is_some_and(|a| {
                let is_number = |v: &Variant| {
                    v.style == Style::Unit
                        && !matches!(v.discriminant, Some(Expr::Lit(Lit::Str(_))))
                };
                a.kind == AdtKind::Enum && a.variants.iter().all(is_number)
            }),
            Without(on, options) => {
                // What is no list of options may be one.
                let read = meta.tokens.is_empty() || !meta.list.is_empty();
                let has = |m: &Meta| m.path.last().is_some_and(|n| options.contains(&n.as_str()));
                read && !meta.list.iter().any(has) && on.covers(place, meta)?
            }
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
    find(&[KNOWN, OF_CRATE], place, meta, |of, names| {
        krate == of && (names.is_empty() || names.iter().any(|n| name == *n))
    })
}

/// Returns the effect by the last path segment, among the entries that list their macros.
pub(super) fn by_name(place: &Place, meta: &Meta) -> crate::resolve::Res<Leaves> {
    let Some(last) = meta.path.last() else {
        return Ok(All);
    };
    find(&[KNOWN], place, meta, |_, names| {
        names.iter().any(|n| last == n)
    })
}

fn find(
    tables: &[&[Entry]],
    place: &Place,
    meta: &Meta,
    is: impl Fn(&str, &[&str]) -> bool,
) -> crate::resolve::Res<Leaves> {
    let mut is_listed = false;
    for (krate, names, on, leaves) in tables.iter().copied().flatten() {
        if is(krate, names) {
            if on.covers(place, meta)? {
                return Ok(*leaves);
            }
            is_listed = true;
        }
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
