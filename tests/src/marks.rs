//! What a fixture's source says of itself: `//~ LINT …` on a line that must be found.

use crate::Run;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// By file and line: the words of the mark, or of what was found there.
pub type Marks = BTreeMap<(String, u64), Vec<String>>;

/// The marks of these lints in the `src` folder of a fixture.
///
/// # Panics
/// A file is not to be read.
pub fn marked(fixture: &Path, lints: &[&str]) -> Marks {
    let mut marks = Marks::new();
    let mut folders = vec![fixture.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a fixture has sources") {
            let path = entry.expect("a folder lists its files").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("sources are text");
            let name = path.strip_prefix(fixture).expect("it lies there");
            let name = name.to_str().expect("a name in ASCII").replace('\\', "/");
            for (line, text) in (1..).zip(text.lines()) {
                let Some((_, mark)) = text.split_once("//~ ") else {
                    continue;
                };
                let words: Vec<String> = mark.split_whitespace().map(str::to_owned).collect();
                if words.first().is_some_and(|l| lints.contains(&l.as_str())) {
                    marks.insert((name.clone(), line), words);
                }
            }
        }
    }
    marks
}

/// The findings of these lints in a run with `--message-format json`: lint, confidence, title of
/// the first remedy and size after it.
///
/// # Panics
/// A finding has no place.
pub fn found(run: &Run, lints: &[&str]) -> Marks {
    let mut marks = Marks::new();
    for finding in run.findings() {
        let weigh = &finding["weigh"];
        let lint = weigh["lint"].as_str().expect("a finding has a lint");
        if !lints.contains(&lint) {
            continue;
        }
        let spans = finding["message"]["spans"].as_array();
        let mut spans = spans.expect("a message has spans").iter();
        let primary = spans.find(|s| s["is_primary"] == true);
        let primary = primary.expect("one is primary");
        let file = primary["file_name"].as_str().expect("it is in a file");
        let line = primary["line_start"].as_u64().expect("it is on a line");
        let title = weigh["remedies"][0]["title"].as_str();
        let words = [
            lint.to_owned(),
            weigh["confidence"].as_str().unwrap_or_default().to_owned(),
            title.unwrap_or_default().to_owned(),
            weigh["size_after"].to_string(),
        ];
        marks.insert((file.to_owned(), line), words.into());
    }
    marks
}

/// Asserts that what is found is what is marked, word for word but for the title of the remedy,
/// which must only contain what the mark says.
#[track_caller]
pub fn agree(marked: &Marks, found: &Marks) {
    let mut wrong = Vec::new();
    for (place, mark) in marked {
        let Some(found) = found.get(place) else {
            wrong.push(format!("{place:?}: not found: {mark:?}"));
            continue;
        };
        let same = (0..mark.len()).all(|i| match i {
            2 => found[i].contains(&mark[i]),
            _ => found[i] == mark[i],
        });
        if !same {
            wrong.push(format!("{place:?}: {mark:?} marked, {found:?} found"));
        }
    }
    for (place, found) in found {
        if !marked.contains_key(place) {
            wrong.push(format!("{place:?}: not marked: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
