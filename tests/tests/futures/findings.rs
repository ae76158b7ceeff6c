//! Tests the lints on futures: what they find, that it is silent once an input differs, and its boxes.

use super::number;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use weigh_tests::project::Scratch;
use weigh_tests::{run, run_in, weigh};

/// A package whose futures have findings.
const LINTED: &str = "
use std::future::ready;

async fn receive(buffer: &mut [u8]) {
    ready(()).await;
    buffer[0] = 1;
}

async fn serve() -> u8 {
    let mut buffer = [0; 65536];
    receive(&mut buffer).await;
    buffer[0]
}

async fn wide(n: u8) -> u8 {
    let all = [n; 9000];
    ready(()).await;
    all[1]
}

pub async fn several(n: u8) -> u8 {
    let mut sum = serve().await;
    if n > 1 {
        sum += wide(n)
            .await;
    }
    let kept = wide(2);
    sum += wide(1).await + kept.await;
    sum
}

async fn send(bytes: usize) -> usize {
    ready(bytes).await
}

fn encode(text: &[u8], line: &mut [u8]) -> usize {
    line[..text.len()].copy_from_slice(text);
    text.len()
}

pub async fn report(text: &[u8]) -> usize {
    let mut line = [0; 4096];
    let length = encode(text, &mut line);
    send(length).await
}

pub mod deep {
    pub async fn outer(n: u8) -> u8 {
        super::several(n).await
    }

    pub fn spawned(n: u8) -> impl Future<Output = u8> {
        async move {
            let a = super::wide(n).await;
            a + super::wide(a).await
        }
    }
}
";

fn linted(name: &str, metadata: &str) -> Scratch {
    let manifest = format!(
        "[package]\nname = \"linted\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n{metadata}"
    );
    let empty = Scratch::empty(name);
    empty
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", LINTED)
}

/// What the lints on futures find, with the nursery.
fn found(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let json = ["-W", "nursery", "--message-format", "json"];
    let mut found = run_in(folder, &[&json[..], arguments].concat()).findings();
    found.retain(|line| {
        let lint = line["weigh"]["lint"].as_str().unwrap_or_default();
        ["large_future", "held_across_await", "over_budget"].contains(&lint)
    });
    found
}

/// How often a run says how to find the sizes of futures.
fn hints(folder: &Path, arguments: &[&str]) -> usize {
    let run = run_in(folder, arguments);
    run.stderr.matches("`cargo weigh futures`").count()
}

fn measure(folder: &Path) {
    run_in(folder, &["futures"]).expect(0);
}

#[test]
fn findings_hold_as_long_as_their_inputs() {
    let scratch = linted("futures-linted", "");
    let folder = scratch.folder();
    let nursery = ["-W", "nursery"];
    // Nothing is compiled unasked, and nothing is said but how.
    assert!(found(folder, &[]).is_empty());
    assert_eq!(hints(folder, &nursery), 1);
    // Without the lints nobody asks.
    assert_eq!(hints(folder, &[]), 0);
    measure(folder);
    let all = found(folder, &[]);
    let names = |found: &[Value]| -> Vec<(String, String)> {
        let name = |line: &Value| {
            let text = |key: &str| line["weigh"][key].as_str().unwrap_or_default().to_owned();
            (text("lint"), text("type"))
        };
        found.iter().map(name).collect()
    };
    let one = |lint: &str, ty: &str| (lint.to_owned(), ty.to_owned());
    // `several` and `outer` are large because of `serve`, where it can be mended.
    let expected = [
        one("large_future", "serve"),
        one("held_across_await", "report"),
    ];
    assert_eq!(names(&all), expected);
    assert_eq!(hints(folder, &nursery), 0);
    // What is said before and after by rustc.
    let held = &all[1];
    assert_eq!(held["message"]["spans"][0]["line_start"], 42);
    let block = LINTED.replace(
        "    let mut line = [0; 4096];\n    let length = encode(text, &mut line);\n",
        "    let length = {\n        let mut line = [0; 4096];\n        encode(text, &mut line)\n    };\n",
    );
    let sizes = |folder: &Path| -> BTreeMap<String, u64> {
        let lines = run_in(folder, &["futures", "--message-format", "json"])
            .expect(0)
            .json();
        let one = |line: &Value| {
            (
                line["path"].as_str().unwrap().to_owned(),
                number(&line["size"]),
            )
        };
        lines.iter().map(one).collect()
    };
    assert_eq!(held["weigh"]["size_before"], sizes(folder)["report"]);
    // Each input that changes silences them, and the same code again does not.
    let write = |file: &str, text: &str| {
        fs::write(folder.join(file), text).unwrap();
        found(folder, &[]).len()
    };
    assert_eq!(write("src/lib.rs", &block), 0);
    assert_eq!(hints(folder, &nursery), 1);
    assert_eq!(held["weigh"]["size_after"], sizes(folder)["report"]);
    // Nothing that weighs is awaited in `serve`: its variable is what a box gives most for.
    let boxed = LINTED.replace("[0; 65536]", "Box::new([0; 65536])");
    let boxed = boxed.replace("&mut buffer", "&mut *buffer");
    assert_eq!(write("src/lib.rs", &boxed), 0);
    assert_eq!(all[0]["weigh"]["size_after"], sizes(folder)["serve"]);
    assert_eq!(write("src/lib.rs", LINTED), 0);
    measure(folder);
    assert_eq!(found(folder, &[]).len(), 2);
    assert_eq!(write("src/lib.rs", &format!("{LINTED}// longer\n")), 0);
    assert_eq!(write("src/lib.rs", LINTED), 2);
    assert_eq!(found(folder, &["--release"]).len(), 0);
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let other = manifest.replace("0.1.0", "0.2.0");
    assert_eq!(write("Cargo.toml", &other), 0);
    assert_eq!(write("Cargo.toml", &manifest), 2);
    let mut flagged = weigh(folder);
    flagged.env("RUSTFLAGS", "--cfg other").args(nursery);
    let said = run(&mut flagged).expect(0);
    assert!(!said.stdout.contains("large_future"), "{said:?}");
    assert_eq!(said.stderr.matches("`cargo weigh futures`").count(), 1);
    assert_eq!(found(folder, &[]).len(), 2);
    fs::create_dir(folder.join(".cargo")).unwrap();
    assert_eq!(write(".cargo/config.toml", "[env]\nWIDTH = \"3\"\n"), 0);
}

/// What a build script reads is an input too; one that does not say what it reads is none to rely on.
#[test]
fn what_a_build_script_reads_silences_them() {
    let script = |lines: &str| format!("fn main() {{ println!(\"{lines}\"); }}");
    let scratch = linted("futures-scripted", "").file(
        "build.rs",
        script("cargo::rerun-if-env-changed=WEIGH_TESTS_WIDTH\\ncargo:rerun-if-changed=wide.txt"),
    );
    let scratch = scratch.file("wide.txt", "1");
    let folder = scratch.folder();
    measure(folder);
    assert_eq!(found(folder, &[]).len(), 2);
    let mut wide = weigh(folder);
    wide.env("WEIGH_TESTS_WIDTH", "9").args(["-W", "nursery"]);
    let said = run(&mut wide).expect(0);
    assert!(!said.stdout.contains("large_future"), "{said:?}");
    fs::write(folder.join("wide.txt"), "2").unwrap();
    assert_eq!(found(folder, &[]).len(), 0);
    fs::write(folder.join("build.rs"), script("cargo::rustc-cfg=any")).unwrap();
    let said = run_in(folder, &["futures"]).expect(0);
    said.says(&["not kept for the lints"]);
    assert_eq!(found(folder, &[]).len(), 0);
}

#[test]
fn findings_in_every_format() {
    let budgets = "[package.metadata.weigh]\nbudgets = { \"crate::report\" = 200, \"report\" = 100, \"wide\" = 9999, \"deep::outer\" = 64, \
                   \"deep::outr\" = 8, \"{async block in deep::spawned}\" = 16 }\n\
                   large_future = { future-size = 9010 }\n";
    let scratch = linted("futures-formats", budgets);
    let folder = scratch.folder();
    // A budget asks, whatever the lints.
    let asks = run_in(folder, &[]);
    assert!(
        asks.stderr.contains("run `cargo weigh futures`")
            || asks.stderr.contains("`cargo weigh futures` compiles"),
        "{}",
        asks.stderr
    );
    measure(folder);
    let run = run_in(folder, &[]).expect(1);
    assert!(
        run.stderr.contains("no type `deep::outr` is defined"),
        "{}",
        run.stderr
    );
    for future in ["report", "deep::outer", "{async block in deep::spawned}"] {
        let message = format!("error[weigh::over_budget]: the future `{future}` is");
        assert!(run.stdout.contains(&message), "{}", run.stdout);
    }
    assert!(!run.stdout.contains("`wide`"), "{}", run.stdout);
    // Of two limits the smaller one is what it is held against.
    assert!(!run.stdout.contains("limit of 200"), "{}", run.stdout);
    let comment = "// weigh: allow(held_across_await, reason = \"it is short\")\n    let mut line";
    let allowed = LINTED.replace("let mut line", comment);
    for (format, word) in [
        ("brief", "large_future"),
        ("short", "large_future"),
        ("json", "\"weigh::large_future\""),
        ("sarif", "\"weigh::large_future\""),
        ("github", "large_future"),
        ("gitlab", "large_future"),
    ] {
        let run = run_in(folder, &["-W", "nursery", "--message-format", format]);
        assert!(run.stdout.contains(word), "{format}: {}", run.stdout);
        assert!(
            run.stdout.contains("held_across_await"),
            "{format}: {}",
            run.stdout
        );
    }
    fs::write(folder.join("src/lib.rs"), allowed).unwrap();
    measure(folder);
    let run = run_in(folder, &["-W", "nursery"]);
    assert!(!run.stdout.contains("held_across_await"), "{}", run.stdout);
}

/// What is not known is no reason to call an expectation of it unfulfilled.
#[test]
fn an_expectation_waits_for_sizes() {
    let expected = "// weigh: expect(large_future)\nasync fn send";
    let text = LINTED.replace("async fn send", expected);
    let scratch = linted("futures-expected", "").file("src/lib.rs", text);
    let folder = scratch.folder();
    let is_said = || {
        let run = run_in(folder, &["-W", "nursery"]);
        run.stdout.contains("unfulfilled expectation")
    };
    assert!(!is_said());
    measure(folder);
    assert!(is_said());
}

/// Without `std`, `Box` may have no name: the edit is left to its reader.
#[test]
fn no_box_without_std() {
    let table = "[package.metadata.weigh]\nbudgets = { \"several\" = 4000 }\n";
    let text = format!("#![no_std]\n{}", LINTED.replace("std::", "core::"));
    let scratch = linted("futures-bare", table).file("src/lib.rs", text);
    let folder = scratch.folder();
    measure(folder);
    let all = found(folder, &[]);
    let several = all.iter().find(|line| line["weigh"]["type"] == "several");
    let several = several.expect("it is found").to_string();
    assert!(!several.contains("MachineApplicable"), "{several}");
}

/// A large future of a package that is not asked about hides none of one that is.
#[test]
fn packages_that_are_not_selected() {
    let manifest = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{more}")
    };
    let base = "pub async fn wide(n: u8) -> u8 {\n    let all = [n; 20000];\n    \
                std::future::ready(()).await;\n    all[1]\n}\n";
    let app = "pub async fn outer(n: u8) -> u8 {\n    base::wide(n).await\n}\n";
    let needs = "[dependencies]\nbase = { path = \"../base\" }\n";
    let scratch = Scratch::empty("futures-selected")
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"app\", \"base\"]\nresolver = \"3\"\n",
        )
        .file("base/Cargo.toml", manifest("base", ""))
        .file("base/src/lib.rs", base)
        .file("app/Cargo.toml", manifest("app", needs))
        .file("app/src/lib.rs", app);
    let folder = scratch.folder();
    let names = |arguments: &[&str]| -> Vec<String> {
        let all = found(folder, arguments);
        let name = |line: &Value| {
            line["weigh"]["type"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        all.iter().map(name).collect()
    };
    run_in(folder, &["futures", "--workspace"]).expect(0);
    assert_eq!(names(&["--workspace"]), ["wide"]);
    assert_eq!(names(&["-p", "app"]), ["outer"]);
}

#[test]
fn boxes_are_applied_and_measured() {
    let table = "[package.metadata.weigh]\nbudgets = { \"several\" = 4000 }\nlarge_future = { future-size = 60000 }\n";
    let scratch = linted("futures-fix", table);
    let folder = scratch.folder();
    // Its fix adds lines above the futures, which keep their order.
    let above = "pub enum Of { Much { a: [u64; 40], b: [u64; 40] }, Little(u8) }\n\
                 pub fn little() -> Vec<Of> { vec![Of::Little(1), Of::Much { a: [0; 40], b: [1; 40] }] }\n";
    fs::write(folder.join("src/lib.rs"), format!("{above}{LINTED}")).unwrap();
    measure(folder);
    let lints = ["large_future", "over_budget", "oversized_variant"];
    let lints: Vec<&str> = lints.iter().flat_map(|lint| ["--lint", lint]).collect();
    let fix = ["fix", "--allow-no-vcs", "--message-format", "json"];
    let rows = run_in(folder, &[&fix[..], &lints].concat())
        .expect(0)
        .json();
    let row = |ty: &str| rows.iter().find(|row| row["type"] == ty);
    let text = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
    // What is made before it is awaited gains nothing, and is left.
    for part in [
        "= Box::pin(serve()).await",
        "+= Box::pin(wide(n))\n            .await",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in [
        "let mut buffer = Box::new([0; 65536]);",
        "    receive(&mut *buffer).await",
        "    buffer[0]\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("Much(Box<"), "{text}");
    for ty in ["several", "serve"] {
        let row = row(ty).expect("a row");
        assert!(number(&row["size_after"]) < number(&row["size_before"]));
        // A box of a variable in `wide` may be made besides.
        assert!(number(&row["size_after"]) <= number(&row["size_promised"]));
    }
    let serve = row("serve").expect("a row");
    assert_eq!(serve["size_after"], serve["size_promised"], "{serve}");
}

/// 1,000 futures of a function wait, 500 were not begun, and 300 are of a block.
#[test]
fn a_census_counts_them() {
    let text = "use std::{future::Future, pin::Pin, task::{Context, Poll, Waker}};\n\
                struct Gate;\n\
                impl Future for Gate { type Output = ();\n\
                fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> { Poll::Pending } }\n\
                async fn serve<T: Copy + Into<u64>>(id: T) -> u64 {\n\
                Gate.await;\n\
                id.into() }\n\
                async fn unused() { Gate.await }\n\
                type Task = Pin<Box<dyn Future<Output = u64>>>;\n\
                fn main() {\n\
                let mut tasks: Vec<Task> = Vec::new();\n\
                for n in 0..500u64 { tasks.push(Box::pin(serve(n))); tasks.push(Box::pin(serve(3u8))); }\n\
                for n in 0..300 { tasks.push(Box::pin(async move { Gate.await; n })); }\n\
                let mut cx = Context::from_waker(Waker::noop());\n\
                for task in &mut tasks { assert!(task.as_mut().poll(&mut cx).is_pending()); }\n\
                for n in 0..500u64 { tasks.push(Box::pin(serve(n))); }\n\
                drop(unused());\n\
                drop(std::hint::black_box(vec![1u8; 2_000_000]));\n\
                println!(\"{}\", std::hint::black_box(tasks).len());\n}\n";
    let scratch = Scratch::empty("futures-counted")
        .file(
            "Cargo.toml",
            "[package]\nname = \"counted\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        )
        .file("src/main.rs", text);
    let folder = scratch.folder();
    run_in(folder, &["census", "--output", "kept.json"]).expect(0);
    let lines = run_in(
        folder,
        &[
            "futures",
            "--census",
            "kept.json",
            "--message-format",
            "json",
        ],
    );
    let lines = lines.expect(0).json();
    let counted = |path: &str, kind: &str| {
        let is_it = |line: &&Value| line["path"] == path && line["kind"] == kind;
        lines.iter().find(is_it).expect("a future")["counted"].clone()
    };
    assert_eq!(
        counted("serve", "async fn"),
        serde_json::json!({"values": 1500, "states": {"Unresumed": 500, "line 6": 1000}, "at_least": false})
    );
    assert_eq!(counted("main", "async block")["values"], 300);
    assert_eq!(counted("unused", "async fn")["values"], 0);
    let text = run_in(folder, &["futures", "--census", "kept.json"])
        .expect(0)
        .stdout;
    assert!(
        text.contains("[1500: 500 Unresumed, 1000 line 6]"),
        "{text}"
    );
    let text = run_in(folder, &["census", "kept.json"]).expect(0).stdout;
    for name in [
        " counted::serve<u64> (",
        " {async block in counted::main} (",
    ] {
        assert!(text.contains(name), "{text}");
    }
    assert!(!text.contains("{async_"), "{text}");
    let asked = run_in(folder, &["census", "kept.json", "counted::serve"]).expect(0);
    assert!(
        asked.stdout.contains("counted::serve<u64>"),
        "{}",
        asked.stdout
    );
}

/// How many there are of each future: as many as a collection or an executor's block has room for;
/// one of what only `main` runs, in a box too.
#[test]
fn how_many_there_are() {
    let text = "use std::{future::{Future, ready}, hint::black_box, pin::Pin, sync::Arc};\n\
                async fn wide(n: u8) -> u8 { let all = [n; 20000]; ready(()).await; all[1] }\n\
                async fn listed(n: u8) -> u8 { let all = [n; 20001]; ready(()).await; all[1] }\n\
                async fn boxes(n: u8) -> u8 { let all = [n; 20002]; ready(()).await; all[1] }\n\
                async fn shared(n: u8) -> u8 { let all = [n; 20003]; ready(()).await; all[1] }\n\
                async fn tasked(n: u8) -> u8 { let all = [n; 20004]; ready(()).await; all[1] }\n\
                async fn alone(n: u8) -> u8 { let all = [n; 20005]; ready(()).await; all[1] }\n\
                async fn inside(n: u8) -> u8 { let all = [n; 20006]; ready(()).await; all[1] }\n\
                async fn spawned(n: u8) -> u8 { inside(n).await + inside(2).await }\n\
                async fn once(n: u8) -> u8 { let all = [n; 20007]; ready(()).await; all[1] }\n\
                async fn row(n: u8) -> u8 { let all = [n; 20009]; ready(()).await; all[1] }\n\
                async fn dynamic(n: u8) -> u8 { let all = [n; 20010]; ready(()).await; all[1] }\n\
                pub async fn any(n: u8) -> u8 { let all = [n; 20008]; ready(()).await; all[1] }\n\
                struct Task<F> { state: [u64; 3], future: Option<F> }\n\
                trait Run { fn run(&self) -> usize; }\n\
                impl<F: Future> Run for Task<F> { fn run(&self) -> usize { \
                usize::from(self.future.is_some()) + self.state.len() } }\n\
                fn spawn<F: Future + 'static>(future: F) -> usize { \
                let task: Box<dyn Run> = Box::new(Task { state: [1; 3], future: Some(future) }); \
                black_box(task).run() }\n\
                fn block_on<F: Future>(future: F) -> usize { size_of_val(&black_box(future)) }\n\
                fn main() {\n\
                let listed = vec![listed(1), listed(2)];\n\
                let boxes: Vec<Pin<Box<_>>> = vec![Box::pin(boxes(1)), Box::pin(boxes(2))];\n\
                let shared = Arc::new((1u8, shared(1)));\n\
                let n = spawn(tasked(1)) + spawn(spawned(1)) + listed.len() + boxes.len();\n\
                drop(black_box(any(3)));\n\
                let m = block_on(async move { \
                once(1).await; Box::pin(alone(2)).await; wide(n as u8).await;\n\
                for one in [row(1), row(2), row(3)] { one.await; }\n\
                let mut all: Vec<Pin<Box<dyn Future<Output = u8>>>> = Vec::new();\n\
                for n in 0..9 { all.push(Box::pin(dynamic(n))); }\n\
                for one in all { one.await; }\n\
                dynamic(1).await });\n\
                println!(\"{} {m}\", Arc::strong_count(&shared));\n}\n";
    let scratch = Scratch::empty("futures-many")
        .file(
            "Cargo.toml",
            "[package]\nname = \"many\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        )
        .file("src/main.rs", text);
    let folder = scratch.folder();
    measure(folder);
    let all = found(folder, &[]);
    let population: BTreeMap<&str, &str> = all
        .iter()
        .map(|line| {
            let text = |key: &str| line["weigh"][key].as_str().unwrap_or_default();
            (text("type"), text("population"))
        })
        .collect();
    let expected = [
        ("alone", "unknown"),
        ("any", "unknown"),
        ("boxes", "many"),
        ("dynamic", "unknown"),
        ("inside", "many"),
        ("listed", "many"),
        ("once", "few"),
        ("row", "unknown"),
        ("shared", "many"),
        ("tasked", "many"),
        ("wide", "few"),
    ];
    assert_eq!(population, BTreeMap::from(expected));
    let listed = all.iter().find(|line| line["weigh"]["type"] == "listed");
    let listed = listed.expect("it is found").to_string();
    assert!(
        listed.contains("`alloc::vec::Vec` stores these futures"),
        "{listed}"
    );
    let task = all.iter().find(|line| line["weigh"]["type"] == "inside");
    let task = task.expect("it is found").to_string();
    assert!(task.contains("`many::Task` stores these futures"), "{task}");
}

/// The variables that cargo's own home sets are an input too.
#[test]
fn what_cargos_home_sets_silences_them() {
    let scratch = linted("futures-home", "")
        .file("home/config.toml", "[env]\nWIDTH = \"3\"\n")
        .file("other/config.toml", "[env]\nWIDTH = \"4\"\n");
    let folder = scratch.folder();
    let findings = |home: &str, arguments: &[&str]| {
        let mut command = weigh(folder);
        command.env("CARGO_HOME", folder.join(home)).args(arguments);
        run(&mut command).stdout.matches("large_future").count()
    };
    let nursery = ["-W", "nursery", "--message-format", "brief"];
    findings("home", &["futures"]);
    assert_eq!(findings("home", &nursery), 1);
    assert_eq!(findings("other", &nursery), 0);
    fs::write(folder.join("home/config.toml"), "[env]\nWIDTH = \"5\"\n").unwrap();
    assert_eq!(findings("home", &nursery), 0);
}
