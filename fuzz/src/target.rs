//! The targets: each generates its input from a seed and analyses it.

use crate::corpus::{self, Sample};
use crate::generate::{self, Subject};
use crate::mutate::mutate;
use crate::random::Random;
use cargo_weigh::census;
use cargo_weigh::check::{self, Details};
use cargo_weigh::config::Level;
use cargo_weigh::ir::{self, ItemKind};
use cargo_weigh::lower;
use cargo_weigh::model::{Bodies, Model, Texts};
use cargo_weigh::project::{self, ExactFor, Project, Selection};
use cargo_weigh::resolve::expand::Macro;
use cargo_weigh::snapshot::{self, Snapshot};
use cargo_weigh::source::{SourceFile, Sources};
use cargo_weigh::span::{FileId, Span};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Every target, by name.
pub const ALL: &[(&str, fn(u64) -> Input)] = &[
    ("baseline", baseline),
    ("bodies", |seed| made(seed, Subject::Bodies)),
    ("census", census),
    ("configuration", configuration),
    ("constants", |seed| made(seed, Subject::Constants)),
    ("expand", |seed| made(seed, Subject::Macros)),
    ("layout", |seed| made(seed, Subject::Types)),
    ("lower", lowered),
    ("macros", macros),
    ("mutants", mutants),
    ("resolve", |seed| made(seed, Subject::Names)),
    ("snapshot", snapshot),
    ("whole", |seed| made(seed, Subject::All)),
];

/// The files of a package, and the function that analyses them.
pub struct Input {
    /// Path below the package, and text.
    pub files: Vec<(String, String)>,
    run: fn(&Path, &Input),
}

impl Input {
    /// Analyses the files in this folder, which contains a manifest and an empty library.
    pub fn run(&self, folder: &Path) {
        (self.run)(folder, self);
    }

    fn text(&self) -> &str {
        &self.files[0].1
    }
}

/// Modules per package: cargo and std take most of the time of a small run.
const MODULES: usize = 24;

const MANIFEST: &str =
    "[package]\nname = \"made\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// Generates modules of code, a third of them mutated.
fn made(seed: u64, subject: Subject) -> Input {
    let mut random = Random::new(seed);
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..MODULES {
        let text = generate::module(subject, &mut random);
        texts.push(match random.once_in(3) {
            true => mutate(&text, texts.last().unwrap_or(&text), &mut random),
            false => text,
        });
    }
    package(texts)
}

/// Mutates real files as modules.
fn mutants(seed: u64) -> Input {
    let mut random = Random::new(seed);
    let samples = corpus::ending(".rs");
    let texts = (0..MODULES).map(|_| mutant(&samples, &mut random));
    package(texts.collect())
}

fn mutant(samples: &[&Sample], random: &mut Random) -> String {
    let (text, other) = (&random.pick(samples).text, &random.pick(samples).text);
    mutate(text, other, random)
}

fn package(texts: Vec<String>) -> Input {
    let modules = (0..texts.len()).map(|i| format!("pub mod c{i};\n"));
    let root = modules.collect::<String>() + "pub struct Root(pub u32, pub u8);\n";
    let mut files = vec![("src/lib.rs".to_owned(), root)];
    let texts = texts.into_iter().enumerate();
    files.extend(texts.map(|(i, text)| (format!("src/c{i}.rs"), text)));
    Input {
        files,
        run: |folder, input| {
            let model = read(folder, &input.files);
            let pedantic = [("pedantic".to_owned(), Level::Warn)];
            let _ = check::check(&model, &pedantic.to_vec(), None, Details::default());
            let mut root = None;
            for info in model.types() {
                let _ = (model.view(info.ty), model.min_size(info.ty));
                if info.path == "Root" {
                    root = model.extent(info.ty).ok().map(|e| e.size);
                }
            }
            assert_eq!(root, Some(8), "the rest is known whatever one module says");
            let problems = model.problems();
            for problem in &problems {
                if let Some(span) = problem.span {
                    let _ = model.db.sources.text(model.db.sources.origin(span).0);
                }
            }
            let taken = Snapshot::of(std::slice::from_ref(&model));
            assert!(snapshot::file::read(snapshot::file::write(&taken).as_bytes()).is_ok());
        },
    }
}

/// Reads the package in this folder with these texts as its files. Cargo reads the empty package,
/// once per process: the answer is the same for every seed, and takes longer than most seeds.
fn read(folder: &Path, files: &[(String, String)]) -> Model<'static> {
    static PROJECT: OnceLock<Project> = OnceLock::new();
    let project = PROJECT.get_or_init(|| {
        let selection = Selection {
            manifest_path: Some(folder.join("Cargo.toml")),
            offline: true,
            ..Selection::default()
        };
        project::load(&selection).expect("cargo knows the package")
    });
    for (path, text) in files {
        fs::write(folder.join(path), text).expect("the folder is ours");
    }
    Model::read(project.clone(), &Texts::new(Bodies::Asked)).expect("the target is known")
}

/// Writes the empty package that [`read`] needs.
pub fn prepare(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    fs::write(folder.join("src/lib.rs"), "")
}

/// Lowers a single file, including its function bodies.
fn lowered(seed: u64) -> Input {
    let mut random = Random::new(seed);
    let text = match random.once_in(2) {
        true => mutant(&corpus::ending(".rs"), &mut random),
        false => {
            let text = generate::module(Subject::All, &mut random);
            mutate(&text, &text, &mut random)
        }
    };
    Input {
        files: vec![("src/lib.rs".to_owned(), text)],
        run: |_, input| {
            let sources = Sources::default();
            let source = sources.add("lib.rs".into(), input.text().to_owned(), None);
            let file = lower::file(&source, true);
            for problem in &file.errors {
                let _ = sources.text(problem.span);
            }
            items(&source, &file.items);
            let whole = 0..input.text().len();
            let _ = lower::ty(&source, whole.clone());
            let _ = lower::expr(&source, whole);
        },
    }
}

fn items(source: &SourceFile, list: &[ir::Item]) {
    for item in list {
        match &item.kind {
            ItemKind::Fn(f) => {
                let _ = lower::signature(source, f);
                let _ = lower::function(source, f);
                let _ = lower::body(source, f);
            }
            ItemKind::Impl(block) => items(source, &block.items),
            ItemKind::Trait(of) => items(source, &of.items),
            _ => {}
        }
    }
}

/// Parses macro definitions without a package.
fn macros(seed: u64) -> Input {
    let mut random = Random::new(seed);
    let made = generate::module(Subject::Macros, &mut random);
    let text = mutate(&made, &made, &mut random);
    Input {
        files: vec![("rules.txt".to_owned(), text)],
        run: |_, input| {
            for text in input.text().lines() {
                let span = Span::new(FileId(0), 0, text.len());
                let _ = Macro::parse(text, span, true, 2024);
                if let Some((_, body)) = text.split_once('{') {
                    let body = body.strip_suffix('}').unwrap_or(body);
                    let _ = Macro::parse(body, span, false, 2024);
                }
            }
        },
    }
}

/// Reads the table of `cargo weigh` in a manifest.
fn configuration(seed: u64) -> Input {
    let mut random = Random::new(seed);
    let said = "\n[package.metadata.weigh]\nlints = { oversized_variant = \"deny\", all = \"warn\", heap = \"allow\" }\n\
        exclude-types = [\"a::*\", \"B\"]\nexclude-paths = [\"src/*.rs\", \"../**\"]\navoid-breaking-exported-api = true\n\
        transparent-attributes = [\"ast_node\"]\nbudgets = { \"Root\" = 64, \"a::B<u8>\" = 0x10 }\n\
        [package.metadata.weigh.oversized_variant]\nsaved-percent = 10\nsaved-bytes = 8\n\
        [package.metadata.weigh.large_err]\nsize = 64\n";
    let samples = corpus::ending("Cargo.toml");
    let other = &random.pick(&samples).text;
    let text = format!("{MANIFEST}{}", mutate(said, other, &mut random));
    Input {
        files: vec![("Cargo.toml".to_owned(), text)],
        run: |folder, input| {
            // Cargo reads the manifest without the table: it would reject a broken one.
            let model = read(folder, &input.files);
            let _ = check::problems(&model);
        },
    }
}

const BASELINE: &str = "[\n{\"lint\":\"oversized_variant\",\"package\":\"made\",\"type\":\"a::B\",\"field\":\"C\",\"count\":1},\n\
    {\"lint\":\"missed_niche\",\"package\":\"made\",\"type\":\"D\",\"field\":null,\"file\":\"src/lib.rs\",\"line\":3}\n]\n";

fn baseline(seed: u64) -> Input {
    let text = document(seed, "baseline.json", BASELINE);
    Input {
        files: vec![("weigh.baseline.json".to_owned(), text)],
        run: |folder, input| {
            let model = read(folder, &input.files);
            let path: PathBuf = folder.join("weigh.baseline.json");
            // The file must exist before it is read.
            fs::write(&path, "").expect("it is ours to write");
            if let Ok(Some(read)) = cargo_weigh::baseline::Baseline::read(&model, &path) {
                let _ = read.text(ExactFor::new("1.0.0", "made", false));
            }
        },
    }
}

fn snapshot(seed: u64) -> Input {
    let text = document(seed, "sizes.json", include_str!("../samples/snapshot.json"));
    Input {
        files: vec![("weigh.sizes.json".to_owned(), text)],
        run: |_, input| {
            let own = include_bytes!("../samples/snapshot.json");
            let own = snapshot::file::read(own).expect("the sample is one");
            if let Ok(read) = snapshot::file::read(input.text().as_bytes()) {
                for (base, now) in [(&own, &read), (&read, &own), (&read, &read)] {
                    let _ = snapshot::text::human(&snapshot::compare::compare(base, now));
                }
                assert!(snapshot::file::read(snapshot::file::write(&read).as_bytes()).is_ok());
            }
        },
    }
}

fn census(seed: u64) -> Input {
    let text = document(seed, "census.json", include_str!("../samples/census.jsonl"));
    Input {
        files: vec![("made.census".to_owned(), text)],
        run: |_, input| {
            if let Ok(read) = census::file::read(input.text()) {
                assert!(census::file::read(&census::file::write(&read)).is_ok());
            }
        },
    }
}

/// Mutates a document in one of our formats: from a fixture, if there is one, or from a sample.
fn document(seed: u64, end: &str, sample: &str) -> String {
    let mut random = Random::new(seed);
    let kept = corpus::ending(end);
    let text = match kept.is_empty() || random.once_in(2) {
        true => sample,
        false => &random.pick(&kept).text,
    };
    let others = corpus::ending(".json");
    let other = match others.is_empty() {
        true => sample,
        false => &random.pick(&others).text,
    };
    mutate(text, other, &mut random)
}
