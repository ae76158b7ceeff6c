//! `cargo weigh report`: everything is in the page, no data becomes markup, and a browser draws it,
//! if there is one.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::{fixture, run, run_in, weigh, workbench};

/// Returns the page of a directory's package.
fn page(folder: &Path, name: &str, more: &[&str]) -> (PathBuf, String) {
    let file = workbench("pages").join(format!("{name}.html"));
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let output = file.to_str().expect("a plain path");
    let words = [&["report", "--output", output][..], more].concat();
    run(weigh(folder).args(words)).expect(0);
    let text = fs::read_to_string(&file).expect("a page");
    (file, text)
}

fn data(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(start).expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

/// Checks that elements are closed in the right order.
fn well_formed(page: &str) {
    const VOID: [&str; 2] = ["meta", "input"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a document");
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("an end of a tag");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
            None => {
                let name = tag.split(' ').next().unwrap_or_default();
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "<{tag}>");
                if VOID.contains(&name) {
                    continue;
                }
                open.push(name.to_owned());
                if name == "script" || name == "style" {
                    let end = rest.find(&format!("</{name}>")).expect("its end");
                    rest = &rest[end..];
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_finding_and_type_is_there() {
    let folder = fixture("showcase");
    let (_, text) = page(&folder, "showcase", &["-W", "weigh::pedantic"]);
    well_formed(&text);
    let data = data(&text);
    let said = run_in(
        &folder,
        &["--message-format", "json", "-W", "weigh::pedantic"],
    );
    let key = |f: &Value| {
        (
            f["lint"].to_string(),
            f["type"].to_string(),
            f["rank"].to_string(),
        )
    };
    let listed = |list: &[Value]| list.iter().map(key).collect::<BTreeSet<_>>();
    let findings: Vec<Value> = said
        .expect(0)
        .findings()
        .into_iter()
        .map(|f| f["weigh"].clone())
        .collect();
    assert!(findings.len() > 5);
    let there = data["findings"].as_array().expect("a list");
    assert_eq!(listed(there), listed(&findings));
    for finding in there {
        assert!(
            !finding["labels"][0]["lines"]
                .as_array()
                .expect("a list")
                .is_empty()
        );
    }
    let signal = &there[0]["signals"][0];
    let points = signal["points"].as_str().and_then(|p| p.parse().ok());
    assert!(
        points > Some(0.0) && signal["words"].is_string(),
        "{signal}"
    );
    let sizes = run_in(&folder, &["sizes", "--message-format", "json"]).expect(0);
    let sizes: Vec<Value> = sizes
        .json()
        .iter()
        .map(|t| json!([t["path"], t["size"]]))
        .collect();
    let types = data["types"].as_array().expect("a list").iter();
    let types: Vec<Value> = types.map(|t| json!([t["path"], t["size"]])).collect();
    assert_eq!(types, sizes);
    // An enum that a remedy makes smaller has a layout after the remedy.
    let inline = there.iter().find(|f| f["type"] == "document::Inline");
    let inline = inline.expect("the README's finding");
    assert_eq!(inline["after_shape"]["size"], inline["after"]);
    // The page has no time or place: another run gives the same bytes.
    let (_, again) = page(&folder, "showcase-again", &["-W", "weigh::pedantic"]);
    assert!(again == text);
}

#[test]
fn nothing_of_the_project_is_markup() {
    let scratch = Scratch::empty("page-hostile")
        .file(
            "Cargo.toml",
            "[package]\nname = \"hostile\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [package.metadata.weigh]\nbudgets = { \"Bad\" = 1 }\n\n[workspace]\n",
        )
        .file(
            "src/lib.rs",
            "// </script><script>alert(1)</script> <!-- \u{202e} &amp;\n\
             pub struct Bad([u8; \"</style><img src=x onerror=alert(2)>\".len()]); // </SCRIPT >\n",
        );
    let file = workbench("pages").join("hostile.html");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let output = file.to_str().expect("a plain path");
    run_in(scratch.folder(), &["report", "--output", output]).expect(1);
    let text = fs::read_to_string(&file).expect("a page");
    well_formed(&text);
    assert_eq!(text.matches("<script").count(), 2);
    assert_eq!(text.to_lowercase().matches("</script").count(), 2);
    assert!(!text.contains("<img") && !text.contains('\u{202e}'));
    let data = data(&text);
    let lines = data["findings"][0]["labels"][0]["lines"].to_string();
    assert!(
        lines.contains("</script><script>") && lines.contains("onerror"),
        "{lines}"
    );
    // Without `--output` it is an error.
    let said = run_in(scratch.folder(), &["report"]).expect(2);
    assert!(
        said.stderr.contains("--output weigh.html"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_diff_and_a_census_are_sections() {
    let scratch = Scratch::empty("page-diff")
        .file(
            "Cargo.toml",
            "[package]\nname = \"grown\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n",
        )
        .file("src/lib.rs", "pub struct S(pub u32);\n");
    run_in(scratch.folder(), &["snapshot"]).expect(0);
    let scratch = scratch.file("src/lib.rs", "pub struct S(pub u32, pub u64);\n");
    let (_, text) = page(scratch.folder(), "diff", &["--diff", "weigh.sizes.json"]);
    let data = data(&text);
    let change = &data["diff"]["changes"][0];
    assert_eq!(
        (&change["fate"], &change["name"]),
        (&json!("grew"), &json!("S"))
    );
    assert_eq!(
        (&change["before"], &change["after"]),
        (&json!("4"), &json!("16"))
    );
    assert!(data["census"].is_null());
    // What the terminal says of a census, the page has too.
    let said = run_in(&fixture("counted"), &["census", "census.json", "--verbose"]);
    let said = said.expect(0).stdout;
    let (_, text) = page(
        &fixture("counted"),
        "counted",
        &["--offline", "--census", "census.json"],
    );
    let data = self::data(&text);
    let census = &data["census"];
    let first = |list: &str| census[list][0]["name"].as_str().expect("a name");
    for (list, heading) in [
        ("types", "Values by type"),
        ("fields", "Fields that own blocks"),
    ] {
        let (_, rest) = said.split_once(heading).expect("a heading");
        // The columns have heads.
        let line = rest.lines().nth(2).expect("a line");
        assert!(
            line.contains(&format!("  {} (", first(list))),
            "{line}: {}",
            first(list)
        );
    }
    // A finding has what it saves, and no more is in the map than all save.
    let findings = data["findings"].as_array().expect("a list");
    let best = &findings[0];
    assert!(best["net"].as_i64() > Some(100_000), "{best}");
    assert_eq!(best["waste"]["counted"], best["net"]);
    let counted = best["counted"][0].as_str().expect("words");
    assert!(counted.starts_with("in this run it saves"), "{counted}");
    let path = census["types"][0]["index"].as_u64().expect("a type") as usize;
    let name = data["types"][path]["path"].as_str().expect("a path");
    assert!(first("types").ends_with(name), "{name}");
}

/// The rows of a tree of stacks: depth, name, whether it is a type, bytes and blocks.
fn rows_of(stack: &Value) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut left = vec![(0, stack)];
    while let Some((depth, of)) = left.pop() {
        rows.push(json!([
            depth,
            of["short"],
            of["is_type"],
            of["bytes"],
            of["blocks"]
        ]));
        let under = of["under"].as_array().expect("a list");
        left.extend(under.iter().rev().map(|under| (depth + 1, under)));
    }
    rows
}

/// A package without findings, and a census of a program that depends on another crate.
fn spare_elsewhere() -> Scratch {
    let head = json!({"census": "head", "format": 1, "rustc": "1.95.0", "program": "clean",
        "triple": "x86_64-unknown-linux-gnu", "build_id": null, "label": "peak"});
    let field = |ty: &str, field: &str, spare: u64, table: u64| {
        json!({"census": "field", "type": ty, "field": field, "kind": "Vec", "containers": 9,
            "len": 1000, "capacity": 3000, "value_size": 1, "bytes": 3 * spare,
            "slack_bytes": spare, "table_slack_bytes": table, "empty": 0, "one": 0})
    };
    let part = |owner: &str, ty: &str, bytes: u64| {
        json!({"census": "part", "kind": "spare", "type": ty, "blocks": 0, "bytes": bytes,
            "owner": owner})
    };
    let made = |ty: &str, frames: &[&str], bytes: u64| {
        json!({"census": "made", "type": ty, "frames": frames, "blocks": bytes / 100,
            "bytes": bytes, "made_blocks": 9, "made_bytes": 900})
    };
    let index = "elsewhere::Index::children";
    let summary = json!({"census": "summary", "label": "peak", "live_bytes": 9_000_000,
        "blocks": 20, "typed_bytes": 9_000_000, "walked_bytes": 9_000_000,
        "contradicting_bytes": 0, "guessed_bytes": 0, "foreign_bytes": 0, "raw_bytes": 0,
        "malloc_bytes": 1_000_000, "torn": 0, "peak_bytes": 9_000_000});
    let lines = [
        head,
        field("clean::Own", "list", 5_000, 0),
        field("elsewhere::Index", "children", 2_000_000, 300_000),
        field("a_sibling::List", "items", 90_000, 0),
        part(index, "elsewhere::Leaf", 1_500_000),
        part(index, "elsewhere::Inner", 500_000),
        part(index, "usize", 300_000),
        part("a_sibling::List<u8>::items", "usize", 99_000),
        json!({"census": "part", "kind": "values", "type": "u64", "blocks": 1, "bytes": 400,
            "owner": "static clean::ALL"}),
        json!({"census": "part", "kind": "values", "type": "clean::Of<clean::Own>", "blocks": 1,
            "bytes": 300}),
        json!({"census": "part", "kind": "malloc", "blocks": 0, "bytes": 200}),
        field("", "variable text of clean::main", 700, 0),
        made(
            "u64",
            &["clean::read at src/lib.rs:3", "clean::main at src/lib.rs:1"],
            300,
        ),
        made("", &["clean::main at src/lib.rs:2"], 500),
        made(
            "u8",
            &["clean::read at src/lib.rs:3", "clean::main at src/lib.rs:1"],
            400,
        ),
        made("u8", &["clean::gone at src/lib.rs:9"], 0),
        summary,
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let manifest = "[package]\nname = \"clean\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\nmembers = [\"a\"]\n";
    let sibling = "[package]\nname = \"a-sibling\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    Scratch::empty("page-spare")
        .file("a/Cargo.toml", sibling)
        .file("a/src/lib.rs", "")
        .file("Cargo.toml", manifest)
        .file(
            "src/lib.rs",
            "pub struct Own { pub list: Vec<u8> }\npub enum Split { A(u8, u32), B(u16, u32) }\n",
        )
        .file("census.json", lines)
}

#[test]
fn what_a_census_found_in_other_crates_is_said_first() {
    let scratch = spare_elsewhere();
    let census = ["--census", "census.json"];
    let said = run_in(scratch.folder(), &census).expect(0);
    assert!(!said.stderr.contains("nothing found"), "{}", said.stderr);
    said.says(&[
        "no warnings",
        "spare capacity without a finding, of 10.0 MB: `elsewhere::Index::children` 2.0 MB, \
         in a crate that was not read; `a_sibling::List::items` 90.0 kB, in a package of the \
         workspace that was not selected; `clean::Own::list` 5,000 B",
    ]);
    let (_, text) = page(scratch.folder(), "spare", &census);
    let data = data(&text);
    let summary = data["head"]["summary"].as_str().expect("a text");
    assert!(!summary.contains("nothing found"), "{summary}");
    let spare = data["census"]["spare"].as_array().expect("a list");
    let key = |s: &Value| json!([s["rank"], s["crate"], s["place"], s["spare"]]);
    assert_eq!(
        spare.iter().map(key).collect::<Vec<_>>(),
        [
            json!([1, "elsewhere", "in a crate that was not read", 2_000_000]),
            json!([
                2,
                "a-sibling",
                "in a package of the workspace that was not selected",
                90_000
            ]),
            json!([3, "clean", null, 5_000]),
            json!([4, "", null, 700]),
        ]
    );
    // The map has it once, as in the ranking, and the table of a map in insertion order apart, but
    // no other.
    let parts = data["census"]["parts"].as_array().expect("a list");
    let parts: Vec<_> = parts
        .iter()
        .map(|p| json!([p["what"], p["short"], p["crate"], p["bytes"]]))
        .collect();
    assert_eq!(
        parts,
        [
            json!([
                "spare capacity, elsewhere::Index::children",
                "Index::children",
                "elsewhere",
                2_000_000
            ]),
            json!([
                "free slots of a hash table, elsewhere::Index::children",
                "hash table of Index::children",
                "elsewhere",
                300_000
            ]),
            json!([
                "spare capacity, a_sibling::List<u8>::items",
                "List::items",
                "a_sibling",
                99_000
            ]),
            json!(["u64, static clean::ALL", "u64", "clean", 400]),
            json!(["clean::Of<Own>", "Of<Own>", "clean", 300]),
            json!(["added by malloc", "added by malloc", null, 200]),
        ]
    );
    // Who asked for it, from the outermost function to the type.
    assert_eq!(
        rows_of(&data["census"]["stacks"]),
        [
            json!([0, "clean", false, 1200, 12]),
            json!([1, "clean::main", false, 700, 7]),
            json!([2, "clean::read", false, 700, 7]),
            json!([3, "u8", true, 400, 4]),
            json!([3, "u64", true, 300, 3]),
            json!([1, "clean::main", false, 500, 5]),
            json!([2, "no type", true, 500, 5]),
        ]
    );
    // A finding that would release it takes its place.
    let (_, text) = page(
        &fixture("counted"),
        "counted-spare",
        &["--offline", "--census", "census.json"],
    );
    let data = self::data(&text);
    let spare = data["census"]["spare"].as_array().expect("a list");
    assert!(spare.is_empty(), "{spare:?}");
}

/// Returns Chromium on the path, or the program in `CHROMIUM`.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| {
            ["chromium", "chromium-browser", "google-chrome"].map(|n| folder.join(n))
        })
        .find(|program| program.is_file());
    named.or(found)
}

/// A page that opens the report in a frame and uses it as a person would; its results are the text
/// of its body.
const HARNESS: &str = r##"<!DOCTYPE html><meta charset="utf-8"><body></body><script>
const seen = {};
const frame = document.createElement("iframe");
frame.width = 1000; frame.height = 800;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
frame.onload = async () => {
  const d = frame.contentDocument, w = frame.contentWindow;
  const one = (s) => d.querySelector(s), all = (s) => d.querySelectorAll(s);
  const key = (name, on) => (on || d.activeElement).dispatchEvent(new w.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const steps = async (...list) => { for (const step of list) { step(); await wait(300); } };
  const reach = () => { for (const b of all("button.all")) b.click(); };
  const ranks = () => [...all("#ranking li .rank")].map((r) => Number(r.textContent.replaceAll(",", "")));
  const rows = () => { reach(); return [all("#ranking li").length, all("#sizes tbody tr").length]; };
  try {
    seen.top = all("#ranking > ol:first-of-type li").length;
    seen.first = one("#first").textContent;
    seen.best = one("#ranking li .grow").textContent;
    const split = [...all("#sizes tbody a")].find((a) => a.textContent === "Split");
    if (split) {
      await steps(() => split.click());
      seen.split = [...all("#page .bar")].map((b) => b.getAttribute("aria-label"));
      await steps(() => key("Escape"));
    }
    [seen.findings, seen.types] = rows();
    seen.all = ranks();
    const whole = seen.findings;
    seen.findings -= all("#ranking li:not([id])").length;
    seen.modes = [...all("[data-mode]")].map((b) => b.dataset.mode);
    seen.boxes = all("#map .leaf").length;
    seen.labels = [...all("#map .leaf")].every((l) => l.getAttribute("aria-label").length > 10);
    seen.leaves = [...all("[data-mode]")].map((b) => { b.click(); return all("#map .leaf").length; });
    one("[data-mode]")?.click();
    const asked = one("[data-mode='stacks']");
    if (asked) {
      asked.click();
      await steps(() => all("#map .leaf")[1].click());
      seen.inner = [...all("#map .leaf")].map((l) => l.textContent);
      await steps(() => key("Escape", one("#map .leaf")));
      seen.outer = w.location.hash;
      one("[data-mode]").click();
      await steps(() => { w.location.hash = "#all"; });
    }
    seen.stops = all("#map [tabindex='0']").length;
    // With the keyboard: in the map, to a type's page, and back.
    const first = one("#map [tabindex='0']");
    first.focus();
    seen.said = one("#says").textContent === first.getAttribute("aria-label");
    for (const arrow of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) {
      if (d.activeElement === first) key(arrow);
    }
    seen.moved = d.activeElement !== first && one("#map").contains(d.activeElement);
    const leaf = one("#map .leaf[href^='#t-']");
    leaf.focus();
    await steps(() => leaf.click());
    seen.page = one("#overview").hidden && one("#page h2").textContent.length > 0 && d.activeElement.tagName;
    seen.drawn = all("#page .bar span").length;
    await steps(() => key("Escape"));
    seen.back = !one("#overview").hidden && d.activeElement.getAttribute("href") === leaf.getAttribute("href");
    const lint = d.getElementById("lint");
    lint.value = lint.options[lint.options.length - 1].value;
    seen.lint = lint.value;
    await steps(() => lint.dispatchEvent(new w.Event("input", { bubbles: true })));
    seen.filtered = rows()[0];
    seen.ranks = ranks();
    await steps(() => { w.location.hash = "#f-1"; });
    seen.opened = all("#page article h4").length;
    await steps(() => { w.location.hash = "#all"; }, () => { w.location.hash = ""; }, () => { w.location.hash = "#all"; });
    seen.unfiltered = lint.value === "" && one("#count").textContent === "" && rows()[0] === whole;
    const head = one("#map a.head");
    if (head) {
      await steps(() => head.click());
      seen.within = all("#map .leaf").length;
      await steps(() => key("Escape", one("#map .leaf")));
    }
    key("/", d.body);
    seen.slash = d.activeElement.id;
    const by = one("#sizes [data-by=padding]");
    by.click();
    seen.sorted = one("#sizes th[aria-sort]").textContent;
    seen.bars = all("#census .share, #census ~ * .share").length;
    seen.objects = /\[object|undefined|NaN/.test(d.body.innerText);
    const wide = () => d.documentElement.scrollWidth - d.documentElement.clientWidth;
    seen.wide = [wide()];
    frame.width = 375;
    await wait(600);
    seen.wide.push(wide());
    await steps(() => { w.location.hash = "#f-1"; });
    seen.wide.push(wide());
  } catch (error) { seen.error = String(error.stack); }
  document.body.replaceChildren();
  document.body.textContent = "SEEN" + JSON.stringify(seen) + "END";
};
frame.src = "@page@";
document.body.append(frame);
</script>"##;

/// Measures the time in milliseconds until a page is drawn.
const CLOCK: &str = r##"<!DOCTYPE html><meta charset="utf-8"><body></body><script>
const frame = document.createElement("iframe");
frame.width = 1000; frame.height = 800;
const start = performance.now();
frame.onload = () => {
  frame.contentDocument.body.getBoundingClientRect();
  document.body.textContent = String(Math.round(performance.now() - start));
};
frame.src = "@page@";
document.body.append(frame);
</script>"##;

/// Returns the document at an address after a browser has run its scripts, and the messages on its
/// console.
fn dump(browser: &Path, address: &str, more: &[&str]) -> (String, String) {
    let profile = workbench("pages").join("profile");
    let _ = fs::remove_dir_all(&profile);
    let said = run(Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync"])
        .args(["--allow-file-access-from-files", "--enable-logging=stderr"])
        .args(["--window-size=1100,900", "--dump-dom"])
        .args(more)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(address));
    let console = said.stderr.lines().filter(|line| line.contains("CONSOLE"));
    (said.stdout, console.collect::<Vec<_>>().join("\n"))
}

/// Returns the results of [`HARNESS`] for a page, and the messages on the console.
fn look(browser: &Path, page: &Path) -> (Value, String) {
    let harness = page.with_extension("harness.html");
    let name = page.file_name().and_then(|n| n.to_str()).expect("a name");
    fs::write(&harness, HARNESS.replace("@page@", name)).expect("a page");
    let address = format!("file://{}", harness.display());
    // The clock of the browser advances while it is idle.
    let (text, console) = dump(browser, &address, &["--virtual-time-budget=30000"]);
    let seen = text
        .split_once("<body>SEEN")
        .and_then(|(_, rest)| rest.split_once("END</body>"));
    let (seen, _) = seen.unwrap_or_else(|| panic!("{text}{console}"));
    let seen = seen.replace("&amp;", "&");
    (serde_json::from_str(&seen).expect("JSON"), console)
}

#[test]
#[ignore = "needs chromium: `.ci/slow browser`"]
fn a_browser_draws_it() {
    let Some(browser) = browser() else {
        println!("skipped: needs chromium");
        return;
    };
    let all = ["-W", "weigh::pedantic"];
    let counted = ["--offline", "--census", "census.json"];
    let cases = [
        ("showcase", &all[..], false),
        ("showcase", &[], false),
        ("counted", &counted, true),
    ];
    for (name, arguments, has_census) in cases {
        let (file, text) = page(&fixture(name), &format!("browser-{name}"), arguments);
        let data = data(&text);
        let (seen, console) = look(&browser, &file);
        println!("{seen}");
        assert_eq!(console, "");
        works(&data, &seen);
        let list = data["findings"].as_array().expect("a list");
        let has_minor = list.iter().any(|f| f["below"] == true);
        let modes = match has_minor {
            true => json!(["warnings", "all", "sizes"]),
            false => json!(["warnings", "sizes"]),
        };
        assert_eq!((&seen["modes"], &seen["top"]), (&modes, &json!(5)));
        assert!(seen["filtered"].as_u64() < seen["findings"].as_u64());
        assert_eq!(seen["bars"].as_u64() > Some(10), has_census);
    }
    let scratch = spare_elsewhere();
    let (file, _) = page(
        scratch.folder(),
        "browser-spare",
        &["--census", "census.json"],
    );
    let (seen, _) = look(&browser, &file);
    for key in ["first", "best"] {
        let words = seen[key].as_str().expect("a text");
        assert!(words.contains("elsewhere::Index::children"), "{seen}");
    }
    // A function that is opened, and what called it.
    let inner = json!([
        "clean::main 700 B",
        "clean::read 700 B",
        "u8 400 B",
        "u64 300 B"
    ]);
    assert_eq!(
        (&seen["inner"], &seen["outer"]),
        (&inner, &json!("#stack-")),
        "{seen}"
    );
    // A gap where another variant has a field is no padding.
    let split = [
        "0 to 1: (tag), 1 to 2: 0, 2 to 4: (unused in this variant), 4 to 8: 1",
        "0 to 1: (tag), 1 to 2: (unused in this variant), 2 to 4: 0, 4 to 8: 1",
    ];
    let drawn = seen["split"].as_array().expect("a list");
    assert!(
        drawn.len() == 2 && split.iter().all(|s| drawn.contains(&json!(s))),
        "{seen}"
    );
}

/// Checks what [`HARNESS`] saw of a page with these data.
fn works(data: &Value, seen: &Value) {
    let findings = data["findings"].as_array().expect("a list");
    assert_eq!(seen["error"], Value::Null, "{seen}");
    let first = seen["first"].as_str().expect("a text");
    let head = match data["census"]["spare"].as_array().map(Vec::len) {
        None => "Best candidate: ",
        Some(0) => "Change first: ",
        Some(_) => "Largest waste: ",
    };
    assert!(first.starts_with(head), "{first}");
    assert_eq!(seen["findings"], findings.len());
    assert_eq!(
        seen["types"],
        data["types"].as_array().expect("a list").len()
    );
    let filtered = findings.iter().filter(|f| f["lint"] == seen["lint"]);
    let ranks: Vec<&Value> = filtered.map(|f| &f["rank"]).collect();
    assert_eq!(seen["filtered"], ranks.len());
    assert_eq!(seen["ranks"], json!(ranks));
    // Spare capacity is numbered with the findings.
    let rows = seen["all"].as_array().map_or(0, Vec::len);
    assert_eq!(seen["all"], json!((1..=rows).collect::<Vec<_>>()));
    for key in ["labels", "said", "moved", "back", "unfiltered"] {
        assert_eq!(seen[key], true, "{key}: {seen}");
    }
    for key in ["drawn", "boxes", "opened"] {
        assert!(seen[key].as_u64() > Some(1), "{key}: {seen}");
    }
    // Each view of the map draws something.
    let leaves = seen["leaves"].as_array().expect("a list");
    assert!(leaves.iter().all(|n| n.as_u64() > Some(0)), "{seen}");
    assert_eq!(leaves.len(), seen["modes"].as_array().map_or(0, Vec::len));
    // The map is one stop of the tab key; the page of a type has the focus when it opens.
    assert_eq!((&seen["stops"], &seen["page"]), (&json!(1), &json!("H2")));
    assert_eq!(seen["slash"], "text");
    assert_eq!(seen["sorted"], "padding");
    assert_eq!(seen["objects"], false);
    assert_eq!(seen["wide"], json!([0, 0, 0]), "{seen}");
}

/// A census of 5,000 types, each with a field that owns blocks and is spare in part.
fn census_of_large() -> String {
    let head = json!({"census": "head", "format": 1, "rustc": "1.95.0", "program": "large",
        "triple": "x86_64-unknown-linux-gnu", "build_id": null, "label": "peak"});
    let mut lines = vec![head];
    for n in 0..5000 {
        let size = 8 * (n % 60 + 1) + 32;
        let ty = format!("large::T{n}");
        lines.push(
            json!({"census": "type", "type": ty, "package": "large", "path": format!("T{n}"),
            "size": size, "values": 100, "slots": 120, "bytes": 120 * size, "direct": 120,
            "variants": {"Wide": 20, "Thin": 70, "Other": 10}}),
        );
        lines.push(
            json!({"census": "field", "type": ty, "field": "Wide.1", "kind": "String",
            "containers": 20, "len": 200, "capacity": 400, "value_size": 1, "bytes": 400,
            "slack_bytes": 200, "empty": 2, "one": 1, "none": [80, 100]}),
        );
        lines.push(
            json!({"census": "part", "kind": "values", "type": ty, "blocks": 10,
            "bytes": 120 * size}),
        );
    }
    lines.push(
        json!({"census": "summary", "label": "peak", "live_bytes": 200_000_000, "blocks": 100_000,
        "typed_bytes": 200_000_000, "walked_bytes": 200_000_000, "contradicting_bytes": 0,
        "guessed_bytes": 0, "foreign_bytes": 0, "raw_bytes": 0, "malloc_bytes": 0, "torn": 0,
        "peak_bytes": 200_000_000}),
    );
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
#[ignore = "needs chromium: `.ci/slow browser`"]
fn five_thousand_types_open_in_a_second() {
    let Some(browser) = browser() else {
        println!("skipped: needs chromium");
        return;
    };
    let mut source = String::new();
    for n in 0..5000 {
        let array = n % 60 + 1;
        writeln!(
            source,
            "pub enum T{n} {{ Wide([u64; {array}], Option<String>), Thin(u8), Other {{ a: u16, b: u32 }} }}"
        )
        .expect("a String takes all");
    }
    let scratch = Scratch::empty("page-large")
        .file(
            "Cargo.toml",
            "[package]\nname = \"large\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n",
        )
        .file("src/lib.rs", &source)
        .file("census.json", census_of_large());
    let arguments = ["-W", "weigh::pedantic", "--census", "census.json"];
    let (file, text) = page(scratch.folder(), "large", &arguments);
    let data = data(&text);
    assert_eq!(data["census"]["types"][7]["index"], 7);
    let (seen, console) = look(&browser, &file);
    println!("{seen}");
    assert_eq!(console, "");
    works(&data, &seen);
    let clock = file.with_extension("clock.html");
    let name = file.file_name().and_then(|n| n.to_str()).expect("a name");
    fs::write(&clock, CLOCK.replace("@page@", name)).expect("a page");
    let times = (0..3).map(|_| {
        let (text, _) = dump(&browser, &format!("file://{}", clock.display()), &[]);
        let number = text.split_once("<body>").expect("a body").1;
        let number = number.split('<').next().unwrap_or_default();
        number.parse::<u64>().expect("milliseconds")
    });
    let opened = times.min().unwrap_or_default();
    println!("5,000 types open in {} ms", opened);
    assert!(opened < 1000);
}
