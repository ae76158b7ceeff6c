//! Runs all of `load` on a small workspace that the test creates.

use super::*;
use std::process::Command;

/// A workspace in a temporary folder, removed at the end.
struct Workspace(PathBuf);

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Workspace {
        // A space and a non-ASCII letter, since paths pass through cargo's output.
        let name = format!("weigh project ä {}", std::process::id());
        let root = std::env::temp_dir().join(name);
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Workspace(root)
    }

    fn selection(&self) -> Selection {
        Selection {
            manifest_path: Some(self.0.join("Cargo.toml")),
            target_dir: Some(self.0.join("target")),
            offline: true,
            ..Selection::default()
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        r#"
        workspace = { members = ["app", "util", "mac"], resolver = "2", metadata.weigh.x = 1 }
        profile.dev.package.util.debug-assertions = false
        "#,
    ),
    (
        "app/Cargo.toml",
        r#"
        [package]
        name = "the-app"
        version = "1.2.3-beta.4"
        edition = "2021"
        metadata.weigh.y = 2
        [features]
        extra = []
        [dependencies]
        tool = { package = "util", path = "../util", features = ["normal"] }
        mac = { path = "../mac" }
        [dev-dependencies]
        tool = { package = "util", path = "../util", features = ["dev"] }
        [[bin]]
        name = "plain"
        path = "src/plain.rs"
        [[bin]]
        name = "fancy"
        path = "src/fancy.rs"
        required-features = ["extra"]
        [lints.clippy]
        vec_box = "allow"
        "#,
    ),
    (
        "app/build.rs",
        r#"fn main() {
            println!("cargo::rustc-check-cfg=cfg(fast)");
            println!("cargo::rustc-cfg=fast");
            if std::env::args().count() > 9 {
                println!("cargo::rustc-cfg=perhaps");
            }
            if cfg!(feature = "extra") {
                println!("cargo::rustc-cfg=normal");
            }
            println!("cargo::rustc-env=WHO=me");
        }"#,
    ),
    ("app/src/lib.rs", ""),
    ("app/src/plain.rs", "fn main() {}"),
    ("app/src/fancy.rs", "fn main() {}"),
    ("app/tests/it.rs", ""),
    (
        "util/Cargo.toml",
        "package = { name = 'util', version = '0.1.0' }\nfeatures = { normal = [], dev = [] }",
    ),
    ("util/src/lib.rs", ""),
    (
        "mac/Cargo.toml",
        "package = { name = 'mac', version = '0.1.0' }\nlib.proc-macro = true",
    ),
    ("mac/src/lib.rs", ""),
];

fn names(project: &Project) -> Vec<(&str, CrateKind)> {
    let selected = project.selected.iter().map(|&id| project.krate(id));
    selected
        .map(|krate| (krate.target_name.as_str(), krate.kind))
        .collect()
}

#[test]
fn a_workspace_as_cargo_sees_it() {
    let workspace = Workspace::new(FILES);
    let project = load(&workspace.selection()).unwrap();
    assert_eq!(
        names(&project),
        [
            ("mac", CrateKind::ProcMacro),
            ("the_app", CrateKind::Lib),
            ("plain", CrateKind::Bin),
            ("util", CrateKind::Lib),
        ]
    );
    assert_eq!(project.workspace_metadata["x"], 1);
    let member = project.members.iter().find(|m| m.package == "the-app");
    let member = member.unwrap();
    assert_eq!(member.metadata["y"], 2);
    assert_eq!(
        project.clippy_levels().of(&member.manifest_path),
        [("vec_box".to_owned(), "allow".to_owned())]
    );

    let ids: Vec<CrateId> = project.selected.clone();
    let (app, plain, util) = (ids[1], ids[2], ids[3]);
    let own = |name: &str, id| (name.to_owned(), id);
    assert_eq!(
        project.krate(plain).deps,
        [own("mac", ids[0]), own("tool", util), own("the_app", app)]
    );
    assert_eq!(project.krate(util).features, ["normal"]);
    assert_eq!(
        project.krate(app).env("CARGO_PKG_VERSION_PRE").unwrap(),
        "beta.4"
    );
    let ask = |id, name| project.cfg(id, Name::new(name), None);
    assert_eq!(ask(app, "fast"), Some(true));
    assert_eq!(ask(app, "perhaps"), None);
    assert_eq!(ask(app, "normal"), Some(false));
    assert_eq!(ask(app, "slow"), Some(false));
    assert_eq!(ask(util, "fast"), Some(false));
    assert_eq!(ask(app, "debug_assertions"), Some(true));
    assert_eq!(ask(util, "debug_assertions"), Some(false));
    let feature = |value| project.cfg(util, Name::new("feature"), Some(Name::new(value)));
    assert_eq!(
        (feature("normal"), feature("dev")),
        (Some(true), Some(false))
    );

    let tests = load(&Selection {
        packages: vec!["the-app@1.2".to_owned()],
        test: vec!["i*".to_owned()],
        features: vec!["extra".to_owned()],
        ..workspace.selection()
    });
    let tests = tests.unwrap();
    assert_eq!(names(&tests), [("it", CrateKind::Test)]);
    let it = tests.krate(tests.selected[0]);
    let externs: Vec<&str> = it.deps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(externs, ["mac", "tool", "the_app"]);
    assert_eq!(tests.krate(it.deps[1].1).features, ["dev", "normal"]);
    assert_eq!(tests.krate(it.deps[2].1).features, ["extra"]);
    assert_eq!(
        tests.cfg(tests.selected[0], Name::new("test"), None),
        Some(true)
    );

    let checked = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["check", "--offline", "--quiet", "--manifest-path"])
        .arg(workspace.0.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(workspace.0.join("target"))
        .status();
    assert!(checked.unwrap().success());
    let seen = load(&workspace.selection()).unwrap();
    let app = seen.selected[1];
    assert_eq!(seen.cfg(app, Name::new("fast"), None), Some(true));
    assert_eq!(seen.cfg(app, Name::new("slow"), None), Some(false));
    assert_eq!(seen.krate(app).env("WHO").unwrap(), "me");
    assert!(seen.krate(app).env("OUT_DIR").is_some());

    let fails = |change: fn(&mut Selection)| {
        let mut selection = workspace.selection();
        change(&mut selection);
        load(&selection).unwrap_err().to_string()
    };
    let said = fails(|s| s.packages = vec!["the-ap".to_owned()]);
    assert!(said.contains("did you mean `the-app`?"), "{said}");
    let said = fails(|s| s.bin = vec!["plan".to_owned()]);
    assert!(said.contains("did you mean `plain`?"), "{said}");
    let said = fails(|s| s.bin = vec!["fancy".to_owned()]);
    assert!(said.contains("`extra`"), "{said}");
    let said = fails(|s| s.manifest_path = Some("no/Cargo.toml".into()));
    assert!(said.contains("no/Cargo.toml"), "{said}");
}
