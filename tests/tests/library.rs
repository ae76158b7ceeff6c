//! `weigh-layout` as a library: a crate outside the workspace runs the README's example, and
//! compares with rustc.

use std::fs;
use weigh_tests::{cargo, repository, run, workbench};

/// What the example reads.
const SHAPES: &str = "\
pub enum Shape<T> { Polygon { points: [T; 64] }, Circle(T, u8) }
pub struct Pair<T>(pub T, pub u8);
pub mod inner { pub struct Held { pub shape: super::Shape<u32>, pub flag: bool } }
pub enum Never {}
pub struct Lost(Missing);
";

/// What else is asked, after the example.
const MORE: &str = r#"
    use shapes::{Never, Pair, Shape, inner::Held};
    use weigh_layout::LayoutError;
    fn same<T>(workspace: &Workspace, text: &str) {
        let found = workspace.layout_of(text).unwrap();
        let real = (size_of::<T>() as u64, align_of::<T>() as u64);
        assert_eq!((found.size, found.align), real, "{text}");
    }
    same::<Option<Shape<u32>>>(&workspace, "Option<Shape<u32>>");
    same::<Pair<u64>>(&workspace, "Pair<u64>");
    same::<Held>(&workspace, "inner::Held");
    same::<Never>(&workspace, "shapes::Never");
    same::<Vec<Held>>(&workspace, "Vec<Held>");
    assert_eq!(boxed.size, size_of::<Result<Box<[u32; 64]>, (u32, u8)>>() as u64);
    let removed = workspace.layout_if("Held", &[Change::removal("Held.shape")]).unwrap();
    assert_eq!(removed.size, size_of::<bool>() as u64);
    let padding: u64 = workspace.layout_of("Pair<u64>").unwrap().variants[0].padding;
    assert_eq!(padding as usize, size_of::<Pair<u64>>() - size_of::<u64>() - size_of::<u8>());

    let wrong = |text: &str| workspace.layout_of(text).unwrap_err();
    assert!(matches!(wrong("Shap"), LayoutError::Missing { name, similar } if name == "Shap" && similar == ["Shape"]));
    assert!(matches!(wrong("Shape"), LayoutError::Generic { parameter, .. } if parameter == "T"));
    assert!(matches!(wrong("Lost"), LayoutError::Unknown { reason, .. } if reason.contains("`Missing`")));
    assert!(matches!(wrong("fn fn"), LayoutError::Invalid(_)));
    let none = workspace.layout_if("Held", &[Change::removal("Held.color")]).unwrap_err();
    assert!(none.to_string().contains("no field `color`"), "{none}");
    let missing = match Workspace::open("no/Cargo.toml") { Err(why) => why.to_string(), Ok(_) => panic!() };
    assert!(missing.contains("no/Cargo.toml"), "{missing}");
    let held = workspace.types().find(|t| t.path() == "inner::Held").unwrap();
    assert_eq!((held.crate_name(), held.kind(), held.place().1), ("shapes", "struct", 3));
    println!("compared");
"#;

#[test]
fn another_crate_uses_it() {
    let readme = fs::read_to_string(repository().join("lint/layout/README.md")).expect("a readme");
    let example = readme.split("```rust,no_run\n").nth(1).expect("an example");
    let example = example.split("```").next().expect("its end");
    let (uses, end) = ("use weigh_layout::{Change, Workspace};\n", "# Ok::<");
    let body = example.split(end).next().expect("a hidden end");
    let body = body.strip_prefix(uses).expect("it begins with its imports");

    let bench = workbench("library");
    // What is compiled for the workspace serves here: same versions, same profile.
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("a manifest");
    let profile = manifest.find("[profile.dev]").expect("a profile");
    let until = manifest.find("[profile.release]").expect("the next");
    let library = repository().join("lint/layout");
    let write = |path: &str, text: String| {
        let path = bench.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    };
    write(
        "Cargo.toml",
        format!(
            "[workspace]\nresolver = \"1\"\n[package]\nname = \"user\"\nedition = \"2024\"\n\
             [dependencies]\nweigh-layout = {{ path = {library:?} }}\n\
             shapes = {{ path = \"shapes\" }}\n\n{}",
            manifest[profile..until].trim_end()
        ),
    );
    write(
        "src/main.rs",
        format!(
            "{uses}fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}{MORE}Ok(())\n}}\n"
        ),
    );
    let shapes = "[package]\nname = \"shapes\"\nedition = \"2024\"\n[features]\ndefault = []\n";
    write("shapes/Cargo.toml", shapes.to_owned());
    // rustc reads the same file without the type that cannot be compiled.
    write(
        "shapes/src/lib.rs",
        SHAPES.replace("pub struct Lost(Missing);\n", ""),
    );
    write("read/Cargo.toml", format!("{shapes}[workspace]\n"));
    write("read/src/lib.rs", SHAPES.to_owned());
    let lock = fs::read(repository().join("Cargo.lock")).expect("a lock file");
    fs::write(bench.join("Cargo.lock"), lock).expect("it can be written");

    let target = bench
        .ancestors()
        .nth(2)
        .expect("it lies in the target folder");
    let mut build = cargo();
    build.args(["build", "--quiet", "--offline", "--manifest-path"]);
    build.arg(bench.join("Cargo.toml"));
    run(build.arg("--target-dir").arg(target)).expect(0);
    let mut user = std::process::Command::new(target.join("debug/user"));
    let said = run(user.current_dir(bench.join("read"))).expect(0).stdout;
    assert!(said.ends_with("compared\n"), "{said}");
}
