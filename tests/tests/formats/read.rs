//! Parsers for each format, as its consumers have them.

use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticSpan;
use serde_json::Value;

/// The data of a finding that every format contains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub lint: String,
    pub path: String,
    pub line: usize,
    pub column: usize,
}

/// A parser of a format.
pub type Reader = fn(&str) -> Vec<Found>;

/// Returns an array's elements; empty if it is absent.
pub fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// Parses `path:line:column` for a finding of `lint`.
fn found(lint: &str, place: &str) -> Found {
    let mut parts = place.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|n| n.parse().ok()).expect(place);
    let (column, line) = (number(), number());
    Found {
        lint: lint.strip_prefix("weigh::").expect("a lint of ours").into(),
        path: parts.next().expect("a path").into(),
        line,
        column,
    }
}

/// Strips ANSI sequences.
pub fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').expect("a colour ends").1
    })
}

pub fn human(text: &str) -> Vec<Found> {
    let text = plain(text);
    let lines: Vec<_> = text.lines().collect();
    let mut list = Vec::new();
    for two in lines.windows(2) {
        let head = two[0]
            .strip_prefix("warning[")
            .or(two[0].strip_prefix("error["));
        let Some((lint, _)) = head.and_then(|h| h.split_once("]: ")) else {
            continue;
        };
        let (mark, at) = two[1].trim_start().split_once(' ').expect("a place");
        assert!(["┌─", "="].contains(&mark), "{}", two[1]);
        // If the line is too long to show, the label follows the location.
        let at = at.split_once(": ").map_or(at, |(at, _)| at);
        list.push(found(lint, at));
    }
    list
}

pub fn short(text: &str) -> Vec<Found> {
    let read = |line: &str| {
        let (place, rest) = line.split_once(": ").expect("a place");
        assert!(rest.starts_with("warning: ") || rest.starts_with("error: "));
        let (_, lint) = rest.rsplit_once(" [").expect("a lint");
        found(lint.trim_end_matches(']'), place)
    };
    text.lines().map(read).collect()
}

pub fn json(text: &str) -> Vec<Found> {
    let mut list = Vec::new();
    for message in Message::parse_stream(text.as_bytes()) {
        let message = match message.expect("cargo_metadata reads it") {
            Message::CompilerMessage(m) => m.message,
            Message::TextLine(line) => panic!("no message of cargo's: {line}"),
            _ => continue,
        };
        let primary = |s: &&DiagnosticSpan| s.is_primary;
        let span = message.spans.iter().find(primary).expect("a primary span");
        let code = message.code.expect("a code").code;
        let place = format!(
            "{}:{}:{}",
            span.file_name, span.line_start, span.column_start
        );
        list.push(found(&code, &place));
    }
    list
}

pub fn sarif(text: &str) -> Vec<Found> {
    let log: Value = serde_json::from_str(text).expect("SARIF is JSON");
    let read = |result: Value| {
        let location = &result["locations"][0]["physicalLocation"];
        let artifact = &location["artifactLocation"];
        let uri = decoded(artifact["uri"].as_str().expect("a URI"));
        let path = match uri.strip_prefix("file://") {
            Some(path) => path.to_owned(),
            None => {
                assert_eq!(artifact["uriBaseId"], "%SRCROOT%");
                uri
            }
        };
        let region = &location["region"];
        let place = format!("{path}:{}:{}", region["startLine"], region["startColumn"]);
        found(result["ruleId"].as_str().expect("a rule"), &place)
    };
    let results = list(&log["runs"][0]["results"]).into_iter();
    results.map(read).collect()
}

fn decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let two = [rest.next(), rest.next()].map(|b| b.expect("two digits"));
                let two = std::str::from_utf8(&two).expect("digits");
                bytes.push(u8::from_str_radix(two, 16).expect("digits"));
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).expect("paths are UTF-8 here")
}

/// A workflow command.
#[derive(Debug)]
pub struct Command {
    pub kind: String,
    pub title: String,
    pub file: String,
    pub line: usize,
    pub end_line: usize,
    pub column: usize,
    pub text: String,
}

/// Parses every line like GitHub's runner: reverses the escaping that its toolkit documents.
pub fn commands(text: &str) -> Vec<Command> {
    let data = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n");
        text.replace("%25", "%")
    };
    let read = |line: &str| {
        let line = line.strip_prefix("::").expect("a command and nothing else");
        let (head, text) = line.split_once("::").expect("a command ends");
        let (kind, properties) = head.split_once(' ').expect("it has properties");
        let property = |name: &str| {
            let all = properties.split(',').filter_map(|p| p.split_once('='));
            let value = all.clone().find(|(key, _)| *key == name)?.1;
            Some(data(&value.replace("%3A", ":").replace("%2C", ",")))
        };
        let number = |name: &str| property(name).map_or(0, |n| n.parse().expect("a number"));
        Command {
            kind: kind.to_owned(),
            title: property("title").expect("a title"),
            file: property("file").unwrap_or_default(),
            line: number("line"),
            end_line: number("endLine"),
            column: number("col"),
            text: data(text),
        }
    };
    text.lines().map(read).collect()
}

pub fn github(text: &str) -> Vec<Found> {
    let findings = commands(text).into_iter();
    let findings = findings.filter(|c| c.title.starts_with("weigh::"));
    findings
        .map(|c| found(&c.title, &format!("{}:{}:{}", c.file, c.line, c.column)))
        .collect()
}

pub fn gitlab(text: &str) -> Vec<Found> {
    let issues: Vec<Value> = serde_json::from_str(text).expect("an array");
    let read = |issue: &Value| {
        let location = &issue["location"];
        let begin = &location["positions"]["begin"];
        let path = location["path"].as_str().expect("a path");
        let place = format!("{path}:{}:{}", begin["line"], begin["column"]);
        found(issue["check_name"].as_str().expect("a name"), &place)
    };
    issues.iter().map(read).collect()
}

/// Applies a SARIF fix that changes one file.
pub fn fixed(source: &str, fix: &Value) -> String {
    let [change] = &list(&fix["artifactChanges"])[..] else {
        panic!("one file: {fix}")
    };
    let offset = |line: &Value, column: &Value| {
        let line = number(line);
        let begins = source.match_indices('\n').map(|(at, _)| at + 1);
        let begin = [0].into_iter().chain(begins).nth(line - 1).expect("a line");
        // A byte-order mark is not a character.
        let mark = match line {
            1 => source.len() - source.trim_start_matches('\u{feff}').len(),
            _ => 0,
        };
        let chars = source[begin + mark..].chars().take(number(column) - 1);
        begin + mark + chars.map(char::len_utf8).sum::<usize>()
    };
    let replacements = list(&change["replacements"]).into_iter();
    let mut edits: Vec<_> = replacements
        .map(|r| {
            let region = &r["deletedRegion"];
            let start = offset(&region["startLine"], &region["startColumn"]);
            let end = offset(&region["endLine"], &region["endColumn"]);
            let text = r["insertedContent"]["text"].as_str().expect("a text");
            (start..end, text.to_owned())
        })
        .collect();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = source.to_owned();
    for (range, new) in edits {
        text.replace_range(range, &new);
    }
    text
}
