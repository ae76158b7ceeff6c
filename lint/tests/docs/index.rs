//! The index page of the lints: one file to publish, with a filter by group and text, made from the
//! same headers as `LINTS.md`.

use cargo_weigh::lint::Lint;
use cargo_weigh::lints::LINTS;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html};
use std::collections::BTreeSet;
use std::path::Path;

const FRAME: &str = include_str!("index.html");
/// The colours of the report.
const STYLE: &str = include_str!("../../src/page/style.css");

/// Returns a lint's documentation as HTML, with headings below that of the lint.
fn docs(lint: &Lint) -> String {
    let below = |event| match event {
        Event::Start(Tag::Heading {
            id, classes, attrs, ..
        }) => Event::Start(Tag::Heading {
            level: HeadingLevel::H3,
            id,
            classes,
            attrs,
        }),
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(HeadingLevel::H3)),
        other => other,
    };
    let mut text = String::new();
    html::push_html(&mut text, Parser::new(&lint.docs()).map(below));
    text
}

fn page() -> String {
    let groups: BTreeSet<&str> = LINTS.iter().map(|lint| lint.group.as_str()).collect();
    let options = groups
        .iter()
        .map(|group| format!("<option>{group}</option>\n"));
    let lints = LINTS.iter().map(|lint| {
        let (name, group, level) = (lint.name, lint.group.as_str(), lint.level.as_str());
        format!(
            "<details id=\"{name}\" data-group=\"{group}\">\n<summary><code>{name}</code> \
             <span class=\"soft\">{group}, {level}</span></summary>\n{}</details>\n",
            docs(lint)
        )
    });
    FRAME
        .replace("@style@", STYLE)
        .replace("@groups@", &options.collect::<String>())
        .replace("@lints@", &lints.collect::<String>())
}

/// The page is left in `target/tmp/lints`, from where `.github/workflows/lints.yml` publishes it.
#[test]
fn the_index_has_every_lint() {
    let page = page();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lints");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("index.html"), &page).unwrap();
    for lint in LINTS {
        let begin = format!("<details id=\"{}\"", lint.name);
        let (_, rest) = page.split_once(&begin).expect(lint.name);
        let (own, _) = rest.split_once("</details>").expect("its end");
        assert!(own.contains("<h3>Why</h3>"), "{own}");
        let group = format!("data-group=\"{}\"", lint.group.as_str());
        assert!(own.starts_with(&format!(" {group}")), "{own}");
    }
    assert_eq!(page.matches("<details ").count(), LINTS.len());
    // Nothing is loaded, and no documentation is left as Markdown.
    assert!(!page.contains("src=") && !page.contains("```") && !page.contains("@lints@"));
}
