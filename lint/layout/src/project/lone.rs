//! A project of one source file.

use super::*;

impl Project {
    /// Creates a project of one library without dependencies, for `x86_64-unknown-linux-gnu`; no
    /// cargo is asked.
    pub fn of_root(root: PathBuf) -> Project {
        let fact = |(name, value): &(&str, Option<&str>)| (Name::new(name), value.map(Name::new));
        let facts = [
            ("unix", None),
            ("target_arch", Some("x86_64")),
            ("target_env", Some("gnu")),
            ("target_family", Some("unix")),
            ("target_has_atomic", Some("64")),
            ("target_has_atomic", Some("ptr")),
            ("target_os", Some("linux")),
            ("target_pointer_width", Some("64")),
        ];
        let triple = "x86_64-unknown-linux-gnu";
        Project {
            without_config: false,
            macro_server: None,
            macro_places: Default::default(),
            compiler: "rustc".to_owned(),
            rustflags: Vec::new(),
            layout_flag: None,
            runner: Vec::new(),
            linker: None,
            variables: Vec::new(),
            workspace_root: PathBuf::new(),
            target_dir: PathBuf::new(),
            built: 1,
            beside: Vec::new(),
            crates: vec![Crate {
                name: "cases".to_owned(),
                package: "cases".to_owned(),
                version: "0.0.0".to_owned(),
                package_id: String::new(),
                target_name: "cases".to_owned(),
                kind: CrateKind::Lib,
                cargo_target: serde_json::Value::Null,
                root,
                manifest_path: PathBuf::new(),
                edition: 2024,
                rust_version: None,
                publishable: false,
                used_unread: false,
                deps: Vec::new(),
                features: Vec::new(),
                build: BuildScript::None,
                env: Vec::new(),
                member: true,
                facts: FxHashSet::default(),
                script_path: None,
                script_helpers: Vec::new(),
                script_parts: Vec::new(),
                links: None,
                script: OnceLock::new(),
                is_local: true,
                for_host: false,
                settings: Settings::default(),
            }],
            selected: vec![CrateId(0)],
            unit_tests: Vec::new(),
            target: Target {
                triple: triple.to_owned(),
                layout: crate::target::DataLayout::of_triple(triple).unwrap(),
                facts: facts.iter().map(fact).collect(),
                minor: *KNOWN.end(),
            },
            rustc: Rustc {
                version: "1.99.0".to_owned(),
                host: triple.to_owned(),
                ..Rustc::default()
            },
            release: Release::declared("1.99.0").unwrap(),
            workspace_metadata: serde_json::Value::Null,
            members: Vec::new(),
            build_warnings: None,
            warnings: Vec::new(),
            missing: Vec::new(),
        }
    }
}
