//! Buffers that never grow: found where the source proves it, silent otherwise, and the remedies
//! save what they promise.

use serde_json::Value;
use std::fs;
use std::path::Path;
use weigh_tests::project::Scratch;
use weigh_tests::{cargo, fixture, run, run_in, workbench};

/// Returns the findings of one lint at pedantic level.
fn findings(folder: &Path, lint: &str) -> Vec<Value> {
    let said = run_in(folder, &["-W", "pedantic", "--message-format", "json"]).expect(0);
    let mut found = said.findings();
    found.retain(|f| f["weigh"]["lint"] == lint);
    found
}

#[test]
fn a_finding_names_what_made_it_sure_and_what_to_edit() {
    let found = findings(&fixture("unfrozen_vec"), "unfrozen_vec");
    let of = |name: &str| {
        let mut found = found.iter().map(|f| &f["weigh"]);
        found.find(|w| w["type"] == name).expect("it is found")
    };
    let token = of("found::Token");
    assert_eq!(token["confidence"], "proved");
    assert_eq!(token["population"], "many");
    assert_eq!(
        (&token["size_before"], &token["size_after"]),
        (&32.into(), &24.into())
    );
    let row = of("found::Row").to_string();
    for words in [
        "from a buffer that grew",
        "places to change (tests excluded): src/found.rs:",
    ] {
        assert!(row.contains(words), "no `{words}` in {row}");
    }
    // An enum's field is prefixed with its variant.
    assert_eq!(of("found::Value")["field"], "Text");
}

#[test]
fn what_an_old_rust_and_no_std_ask_for_is_said() {
    let said = run_in(
        &fixture("unfrozen_vec"),
        &[
            "-p",
            "unfrozen_vec_old",
            "-W",
            "pedantic",
            "--message-format",
            "json",
        ],
    );
    let found = said.expect(0).findings();
    let [polygon] = &found[..] else {
        panic!("one type is found: {found:?}")
    };
    let polygon = polygon.to_string();
    for words in [
        // The constructor, and the loop, since boxed slices had no `IntoIterator`.
        "places to change (tests excluded): old/src/lib.rs:21,27",
        "use alloc::boxed::Box",
    ] {
        assert!(polygon.contains(words), "no `{words}` in {polygon}");
    }
}

#[test]
fn attributes_and_signatures_are_to_be_edited_too() {
    let scratch = Scratch::empty("frozen-edits")
        .file(
            "Cargo.toml",
            "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n
            [dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n\n[workspace]\n",
        )
        .file(
            "src/lib.rs",
            "#[derive(serde::Serialize, serde::Deserialize)]
            pub struct Line {
                #[serde(skip_serializing_if = \"String::is_empty\")]
                text: String,
                at: u64,
            }
            pub struct Page { lines: Vec<Vec<Line>> }
            impl Page {
                pub fn add(&mut self, text: &str) {
                    let text = text.to_owned();
                    self.lines.push(vec![Line { text, at: 0 }]);
                }
            }
            impl Line {
                pub fn text(
                    &self,
                ) -> &String {
                    &self.text
                }
            }",
        );
    let found = findings(scratch.folder(), "unfrozen_vec");
    let line = found.iter().find(|f| f["weigh"]["type"] == "Line");
    let line = line.expect("it is found").to_string();
    for words in [
        "`skip_serializing_if` names `String::is_empty`",
        // Its constructor, the accessor's name, and its return type.
        "places to change (tests excluded): src/lib.rs:11,15,18",
    ] {
        assert!(line.contains(words), "no `{words}` in {line}");
    }
}

#[test]
fn a_member_that_is_not_read_may_grow_what_it_sees() {
    let lines = "pub struct Line { pub words: Vec<u32>, pub at: u32 }
        pub struct Page { pub lines: Vec<Vec<Line>> }
        pub fn line(words: &[u32]) -> Line { Line { words: words.to_vec(), at: 0 } }";
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\npublish = false\n{rest}")
    };
    let workspace = Scratch::empty("frozen-members")
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"lines\", \"grower\"]\nresolver = \"2\"\n",
        )
        .file("lines/Cargo.toml", manifest("lines", ""))
        .file("lines/src/lib.rs", lines)
        .file(
            "grower/Cargo.toml",
            manifest(
                "grower",
                "[dependencies]\nlines = { path = \"../lines\" }\n",
            ),
        )
        .file(
            "grower/src/lib.rs",
            "pub fn grow(line: &mut lines::Line) { line.words.push(1); }",
        );
    let both = findings(workspace.folder(), "unfrozen_vec");
    assert!(
        !both.iter().any(|f| f["weigh"]["type"] == "Line"),
        "{both:?}"
    );
    let one = findings(&workspace.folder().join("lines"), "unfrozen_vec");
    let line = one.iter().find(|f| f["weigh"]["type"] == "Line");
    let line = line.expect("its own package makes it as long as it has to be");
    assert_eq!(line["weigh"]["confidence"], "likely");
}

/// Returns the findings in a library that may be published.
fn library(name: &str, lines: &str) -> Vec<Value> {
    let manifest =
        "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    let scratch = Scratch::empty(name)
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", lines);
    findings(scratch.folder(), "unfrozen_vec")
}

#[test]
fn a_type_is_not_public_by_the_name_of_another() {
    let found = library(
        "frozen-names",
        "mod parsing {
            pub struct Map { pub entries: Vec<u8> }
            pub struct Open { pub entries: Vec<u8> }
            pub fn map(bytes: &[u8]) -> Vec<Map> { vec![Map { entries: bytes.to_vec() }] }
            pub fn open(bytes: &[u8]) -> Vec<Open> { vec![Open { entries: bytes.to_vec() }] }
        }
        pub mod value { pub struct Map; }
        pub use parsing::Open;
        pub use value::Map;
        pub fn sum() -> usize {
            let maps = parsing::map(&[1]);
            maps.iter().map(|m| m.entries.len()).sum::<usize>() + parsing::open(&[1]).len()
        }",
    );
    let of = |name: &str| {
        let found = found.iter().find(|f| f["weigh"]["type"] == name);
        found.expect("it is found").clone()
    };
    let is_public = |f: &Value| f.to_string().contains("::entries` is public");
    let (map, open) = (of("parsing::Map"), of("parsing::Open"));
    assert_eq!(map["weigh"]["confidence"], "proved", "{map}");
    assert!(!is_public(&map), "{map}");
    assert_eq!(open["weigh"]["confidence"], "likely", "{open}");
    assert!(is_public(&open), "{open}");
}

#[test]
fn what_follows_from_a_box_is_listed() {
    let found = library(
        "frozen-follows",
        "pub struct Label { text: Option<String> }
pub enum Element { Word, List(Vec<Element>) }
enum Outcome { Version(String), Missing(String) }
enum Puzzle { Solved(u8), Hidden(String) }
enum Riddle { Told(u8), Kept(String) }
pub struct All { labels: Vec<Label>, elements: Vec<Vec<Element>> }
struct Outcomes { outcomes: Vec<Outcome>, puzzles: Vec<Puzzle>, riddles: Vec<Riddle> }
impl Label {
    pub fn new(text: &str) -> Label { Label { text: Some(text.to_owned()) } }
    pub fn wide(&self) -> usize {
        width(
            &self.text
        )
    }
}
fn width(text: &Option<String>) -> usize { text.as_ref().map_or(0, |t| t.len()) }
pub trait Words { fn words(&self) -> usize; }
impl Words for Vec<Element> {
    fn words(&self) -> usize {
        let of = |e: &Element| match e {
            Element::List(list) => list.words(),
            Element::Word => 1,
        };
        self.iter().map(of).sum()
    }
}
pub trait Widths { fn widths(&self) -> usize; }
impl Widths for [Element] {
    fn widths(&self) -> usize { self.len() }
}
pub fn widths(element: &Element) -> usize {
    match element {
        Element::List(list) => list.widths(),
        Element::Word => 1,
    }
}
pub fn element(n: usize) -> Element {
    Element::List((0..n).map(|_| Element::Word).collect())
}
fn outcomes(text: &str) -> Outcomes {
    let outcomes = vec![Outcome::Version(text.to_owned()), Outcome::Missing(text.to_owned())];
    let puzzles = vec![Puzzle::Solved(1), Puzzle::Hidden(text.to_owned())];
    let riddles = vec![Riddle::Told(1), Riddle::Kept(text.to_owned())];
    Outcomes { outcomes, puzzles, riddles }
}
fn shown(outcome: &mut Outcome) -> Option<String> {
    type Known = Outcome;
    match outcome {
        Known::Version(version) => Some(version.clone()),
        Known::Missing(missing) => {
            missing.push('.');
            None
        }
    }
}
fn solved(puzzle: &mut Puzzle) {
    if let Unknown::Hidden(hidden) = puzzle { hidden.push('.') }
    if let Unknown::Kept(_) = puzzle { solved(puzzle) }
}",
    );
    let listed = |name: &str, field: &str| {
        let mut found = found.iter();
        let found = found.find(|f| f["weigh"]["type"] == name).expect(name);
        assert_eq!(found["weigh"]["field"], field, "{found}");
        let evidence = found["weigh"]["evidence"].as_array().expect("a list");
        let lines = evidence.iter().filter_map(Value::as_str);
        let mut edits = lines.filter_map(|l| l.split_once("places to change (tests excluded): "));
        edits.next().expect("places to edit").1.to_owned()
    };
    // The constructor, the place that passes it on, and the signature that names its type.
    assert_eq!(listed("Label", "text"), "src/lib.rs:9,12,16");
    // The method is one of `Vec` only, and has to become one of slices.
    assert_eq!(listed("Element", "List"), "src/lib.rs:19,21,38");
    // An alias in a body refers to the same variants.
    assert_eq!(listed("Outcome", "Version"), "src/lib.rs:41,49");
    // What an unresolved name refers to is unknown.
    let is_found = |name: &str| found.iter().any(|f| f["weigh"]["type"] == name);
    assert!(!is_found("Puzzle") && is_found("Riddle"));
}

#[test]
fn a_constant_has_no_box() {
    let scratch = Scratch::library(
        "frozen-constant",
        "use std::sync::LazyLock;
        pub enum Fixed { None, Count(u32), Each([u64; 8]) }
        pub enum Lazy { None, Count(u32), Each([u64; 8]) }
        pub struct All { pub fixed: Vec<Vec<Fixed>>, pub lazy: Vec<Vec<Lazy>> }
        pub static FIXED: Fixed = Fixed::Each([1; 8]);
        pub static LAZY: LazyLock<Lazy> = LazyLock::new(|| Lazy::Each([1; 8]));",
    );
    let found = findings(scratch.folder(), "oversized_variant");
    let types = found.iter().map(|f| f["weigh"]["type"].as_str());
    // A closure runs at run time.
    assert_eq!(types.collect::<Vec<_>>(), [Some("Lazy")]);
}

#[test]
fn tests_that_were_not_read_are_left_aside() {
    let scratch = Scratch::library(
        "frozen-aside",
        "pub struct Row { cells: Vec<u8>, at: u64 }
        pub struct Table { pub rows: Vec<Vec<Row>> }
        pub fn row(cells: &[u8]) -> Row { Row { cells: cells.to_vec(), at: 1 } }",
    );
    let scratch = scratch.file("tests/rows.rs", "#[test] fn rows() {}");
    let said = |arguments: &[&str]| {
        let all = [arguments, &["-W", "pedantic"]].concat();
        let said = run_in(scratch.folder(), &all).expect(0);
        said.stdout + &said.stderr
    };
    assert!(said(&[]).contains("places to change (tests excluded)"));
    assert!(said(&["--tests"]).contains("places to change (unit tests excluded)"));
}

#[test]
fn room_is_to_spare_where_nobody_asked_for_it() {
    let found = library(
        "frozen-spare",
        "pub struct Filled { values: Vec<u8> }
pub struct Planned { values: Vec<u8> }
pub struct Grown { values: Vec<u8> }
pub struct All { a: Vec<Filled>, b: Vec<Planned>, c: Vec<Grown> }
pub fn all(n: usize, read: impl Fn(&mut [u8])) -> All {
    let mut values = vec![0; n];
    read(&mut values);
    let a = vec![Filled { values }];
    let mut values = Vec::with_capacity(n);
    values.push(1);
    let b = vec![Planned { values }];
    let mut values = Vec::new();
    values.push(1);
    let c = vec![Grown { values }];
    All { a, b, c }
}",
    );
    let made = |name: &str| {
        let mut found = found.iter();
        let found = found.find(|f| f["weigh"]["type"] == name).expect(name);
        let evidence = found["weigh"]["evidence"].as_array().expect("a list");
        let lines = evidence.iter().filter_map(Value::as_str);
        let mut made = lines.filter_map(|l| l.split_once("::values` is created here"));
        made.next().expect("a place that makes it").1.to_owned()
    };
    assert_eq!(made("Filled"), " with exact capacity");
    assert_eq!(made("Planned"), "");
    assert_eq!(made("Grown"), " from a buffer that grew");
}

#[test]
fn a_frozen_type_is_written_with_the_names_of_its_author() {
    let found = library(
        "frozen-written",
        "use std::path;
        type Vector = [f32; 3];
        type Rows = Vec<u16>;
        pub struct All {
            a: Vec<Vector>,
            b: Option<::std::vec::Vec<Vec<u8>>>,
            c: Option<path::PathBuf>,
            d: Option<std::string::String>,
            e: Rows,
            f: Vec<(u8,
                Option<u8>)>,
        }
        pub struct Lists { pub all: Vec<All> }
        pub fn all(a: &[Vector], b: &[Vec<u8>], e: &[u16], f: &[(u8, Option<u8>)]) -> All {
            let (b, c) = (Some(b.to_vec()), Some(path::Path::new(\"a\").to_path_buf()));
            let d = Some(\"d\".to_owned());
            All { a: a.to_vec(), b, c, d, e: e.to_vec(), f: f.to_vec() }
        }
        impl Lists {
            pub fn add(&mut self, all: All) { self.all.push(all); }
            pub fn length(&self) -> usize {
                let of = |a: &All| a.a.len() + a.e.len() + a.f.len()
                    + a.b.as_ref().map_or(0, |b| b.len())
                    + a.c.as_ref().map_or(0, |c| c.as_os_str().len())
                    + a.d.as_ref().map_or(0, |d| d.len());
                self.all.iter().map(of).sum()
            }
        }",
    );
    let spans = found.iter().flat_map(|f| f["message"]["spans"].as_array());
    let labels = spans.flatten().filter_map(|s| s["label"].as_str());
    let mut types: Vec<_> = labels.filter_map(|l| l.strip_prefix("could be ")).collect();
    types.sort_unstable();
    let wanted = [
        "`Box<[(u8, Option<u8>)]>`",
        "`Box<[Vector]>`",
        "`Box<[u16]>`",
        "`Option<Box<[Vec<u8>]>>`",
        "`Option<Box<path::Path>>`",
        "`Option<Box<str>>`",
    ];
    assert_eq!(types, wanted);
}

#[test]
fn what_another_lint_speaks_of_is_no_part_of_what_is_won_together() {
    let found = library(
        "frozen-claimed",
        "pub enum Node { Leaf(u32), Named(Named), Titled(Titled), Called(Called) }
        pub struct Called { arguments: Vec<u8>, at: u64 }
        pub struct Named { name: String, at: u64 }
        pub struct Titled { title: String, at: u64 }
        pub struct Tree { pub nodes: Vec<Node> }
        impl Tree {
            pub fn add(&mut self, text: &str, bytes: &[u8]) {
                for c in text.chars() {
                    let named = Named { name: c.to_string(), at: 0 };
                    self.nodes.push(Node::Named(named));
                    let titled = Titled { title: c.to_string(), at: 0 };
                    self.nodes.push(Node::Titled(titled));
                    let called = Called { arguments: bytes.to_vec(), at: 1 };
                    self.nodes.push(Node::Called(called));
                }
            }
            pub fn length(&self) -> u64 {
                let of = |node: &Node| match node {
                    Node::Leaf(n) => u64::from(*n),
                    Node::Named(n) => n.name.len() as u64 + n.at,
                    Node::Titled(t) => t.title.len() as u64 + t.at,
                    Node::Called(c) => c.arguments.len() as u64 + c.at,
                };
                self.nodes.iter().map(of).sum()
            }
        }",
    );
    let called = found.iter().find(|f| f["weigh"]["type"] == "Called");
    let called = called.expect("it is found").to_string();
    assert!(!called.contains("with those of"), "{called}");
}

#[test]
fn the_plainest_place_shows_that_there_are_many() {
    let found = library(
        "frozen-places",
        "pub struct Part { name: String }
        struct Whole { part: Part }
        pub struct All { wholes: Vec<Whole>, parts: Vec<Part> }
        pub struct Spanned<T> { of: T, at: u64 }
        pub struct Root { one: Spanned<Tree<u8>> }
        pub struct Leaf { text: String, at: u64 }
        pub enum Tree<T> { Leaf(Leaf), Of(T), Fork(Vec<Spanned<Tree<T>>>) }
        pub fn one(text: &str) -> Root {
            let of = Tree::Leaf(Leaf { text: text.to_owned(), at: 0 });
            Root { one: Spanned { of, at: 0 } }
        }
        impl All {
            pub fn add(&mut self, name: &str) {
                let part = || Part { name: name.to_owned() };
                self.wholes.push(Whole { part: part() });
                self.parts.push(part());
            }
            pub fn length(&self) -> usize {
                let wholes = self.wholes.iter().map(|w| w.part.name.len());
                wholes.chain(self.parts.iter().map(|p| p.name.len())).sum()
            }
        }",
    );
    let of = |name: &str| {
        let mut found = found.iter().map(|f| &f["weigh"]);
        let found = found.find(|w| w["type"] == name).expect("it is found");
        found["evidence"][0].to_string()
    };
    let part = of("Part");
    assert!(part.contains("`All::parts` holds"), "{part}");
    // There is one root, but its value contains many trees.
    let leaf = of("Leaf");
    let inside = "`Root::one` holds `Tree<u8>`, with `Vec<Spanned<Tree<u8>>>` inside";
    assert!(leaf.contains(inside), "{leaf}");
}

/// The tree of the fixture, with rustc's size: three variants with a buffer and a number.
#[expect(dead_code, reason = "rustc says how large it is")]
enum Node<A, B, C> {
    Leaf(u32),
    Group(A, u64),
    Call(B, u64),
    Index(C, u64),
}

#[test]
fn several_buffers_make_an_enum_smaller_together() {
    type Grows = Vec<u8>;
    type Frozen = Box<[u8]>;
    let found = findings(&fixture("unfrozen_vec"), "unfrozen_vec");
    let mut group = found.iter().map(|f| &f["weigh"]);
    let group = group.find(|w| w["type"] == "together::Group");
    let words = format!(
        "shrinks only if buffers of `Call` are frozen too: {} → {} bytes",
        size_of::<Node<Grows, Grows, Grows>>(),
        size_of::<Node<Frozen, Frozen, Grows>>(),
    );
    let text = group.expect("it is found").to_string();
    assert!(text.contains(&words), "no `{words}` in {text}");
}

#[test]
fn librsvg_shared_a_builder() {
    let folder = fixture("librsvg");
    let found = findings(&folder, "unfrozen_builder");
    let [finding] = &found[..] else {
        panic!("{found:?}")
    };
    let weigh = &finding["weigh"];
    assert_eq!(weigh["type"], "path_builder::PathBuilder");
    assert_eq!(weigh["field"], "path_commands");
    assert_eq!(
        (&weigh["size_before"], &weigh["size_after"]),
        (&24.into(), &16.into())
    );
    let text = finding["message"].to_string();
    for words in [
        "`Rc<PathBuilder>`",
        "`Path::builder`",
        "`Box<[PathCommand]>`",
        "in `Shape` of 16 bytes",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // At default levels, too.
    let said = run_in(&folder, &["--message-format", "short"]).expect(0);
    assert!(
        said.stdout.contains("[weigh::unfrozen_builder]"),
        "{}",
        said.stdout
    );
}

/// Measures a fixture for a document of `count` paths: builds a program against it that counts
/// allocations and has rustc compute the shared type's size.
fn measured(name: &str, shared: &str) -> Vec<usize> {
    let package = Path::new(name).components().count();
    let folder = workbench("frozen").join(format!("librsvg-{package}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src")).expect("the target folder is ours to write");
    let of = if package == 1 {
        "librsvg"
    } else {
        "librsvg-after"
    };
    let manifest = format!(
        "[package]\nname = \"counts\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nlibrsvg = {{ package = {of:?}, path = {:?} }}\n",
        fixture(name)
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("it is ours");
    let program = COUNTS.replace("SHARED", shared);
    fs::write(folder.join("src/main.rs"), program).expect("it is ours");
    let mut command = cargo();
    command
        .current_dir(&folder)
        .args(["run", "--quiet", "--offline"]);
    let said = run(command.arg("--target-dir").arg(folder.join("target"))).expect(0);
    let numbers = said.stdout.split_whitespace();
    numbers.map(|n| n.parse().expect("a number")).collect()
}

/// Prints the size of the shared type, and the bytes allocated when everything is loaded.
const COUNTS: &str = r#"
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;
static HELD: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn main() {
    let data = format!("M 0 0 {}", "L 1 1 ".repeat(32));
    let document = vec![data.as_str(); 1000];
    let before = HELD.load(Relaxed);
    let elements = librsvg::load(&document);
    let held = HELD.load(Relaxed) - before;
    let mut commands = 0;
    for element in &elements {
        let shape = element.shape().expect("each has a path");
        shape.draw(&mut |_| commands += 1);
    }
    println!("{} {held} {commands}", size_of::<librsvg::path_builder::SHARED>());
}
"#;

#[test]
fn the_remedy_gives_back_what_was_to_spare() {
    let before = measured("librsvg", "PathBuilder");
    let after = measured("librsvg/after", "Path");
    let found = findings(&fixture("librsvg"), "unfrozen_builder");
    let weigh = &found[0]["weigh"];
    assert_eq!(weigh["size_before"], before[0]);
    assert_eq!(weigh["size_after"], after[0]);
    assert_eq!(before[2], after[2], "both draw the same");
    // 33 commands of 56 bytes use a capacity for 64, a thousand times: nearly half is unused.
    let command = run_in(&fixture("librsvg"), &["sizes", "--message-format", "json"]).expect(0);
    let command = command.size_of("path_builder::PathCommand")["size"].as_u64();
    let spare = usize::try_from(command.expect("it is known")).expect("it is small") * (64 - 33);
    let counters_and_all = before[0] - after[0];
    assert_eq!(before[1] - after[1], 1000 * (spare + counters_and_all));
}
