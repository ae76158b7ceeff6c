//! The snapshot file, for version control: a JSON document with one type per line.

use super::{Entry, Snapshot, sort};
use serde::Deserialize;

/// Its name in the workspace root.
pub const NAME: &str = "weigh.sizes.json";

/// Format versions of a document for one target, and for several. New keys are compatible; any
/// other change increments these.
const FORMAT: u32 = 1;
const OF_SEVERAL: u32 = 2;

#[derive(Deserialize)]
struct Head {
    format: u32,
}

#[derive(Deserialize)]
struct Document {
    rustc: String,
    /// In the format for one target.
    target: Option<String>,
    /// In the format for several.
    #[serde(default)]
    targets: Vec<String>,
    #[serde(default)]
    without_config: bool,
    types: Vec<Entry>,
}

/// Writes the document, deterministically.
pub fn write(snapshot: &Snapshot) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let rustc = quoted(&snapshot.rustc);
    let mut text = match snapshot.triples.as_slice() {
        [one] => {
            let target = quoted(one);
            format!("{{\n\"format\": {FORMAT},\n\"rustc\": {rustc},\n\"target\": {target},\n")
        }
        all => {
            let all: Vec<_> = all.iter().map(|t| quoted(t)).collect();
            let targets = all.join(", ");
            format!(
                "{{\n\"format\": {OF_SEVERAL},\n\"rustc\": {rustc},\n\"targets\": [{targets}],\n"
            )
        }
    };
    let one = snapshot.triples.len() == 1;
    if snapshot.without_config {
        text.push_str("\"without_config\": true,\n");
    }
    text.push_str("\"types\": [");
    for (i, entry) in snapshot.types.iter().enumerate() {
        text.push_str(if i == 0 { "\n" } else { ",\n" });
        // An entry has only strings, numbers and lists of them: this cannot fail.
        text.push_str(&match one {
            true => {
                let triple = String::new();
                serde_json::to_string(&Entry {
                    triple,
                    ..entry.clone()
                })
                .unwrap_or_default()
            }
            false => serde_json::to_string(entry).unwrap_or_default(),
        });
    }
    text.push_str("\n]\n}\n");
    text
}

/// Reads a document.
///
/// # Errors
/// Describes what is wrong with it, and where.
pub fn read(bytes: &[u8]) -> Result<Snapshot, String> {
    let wrong = |e: serde_json::Error| match conflict(bytes) {
        Some(line) => format!("it holds a merge conflict (line {line})"),
        None => e.to_string(),
    };
    let head: Head = serde_json::from_slice(bytes).map_err(wrong)?;
    if head.format != FORMAT && head.format != OF_SEVERAL {
        return Err(format!(
            "it has format {}, and this program reads {FORMAT} and {OF_SEVERAL}",
            head.format
        ));
    }
    let mut document: Document = serde_json::from_slice(bytes).map_err(wrong)?;
    let triples = match document.target {
        Some(one) if document.targets.is_empty() => vec![one],
        _ => document.targets,
    };
    let first = triples.first().ok_or("it names no target")?;
    for entry in document.types.iter_mut().filter(|e| e.triple.is_empty()) {
        entry.triple.clone_from(first);
    }
    // A merge may have reordered lines.
    sort(&mut document.types);
    Ok(Snapshot {
        rustc: document.rustc,
        triples,
        without_config: document.without_config,
        types: document.types,
    })
}

/// Returns the line of the first merge conflict marker.
fn conflict(bytes: &[u8]) -> Option<usize> {
    let mut lines = bytes.split(|&b| b == b'\n');
    lines
        .position(|line| line.starts_with(b"<<<<<<<"))
        .map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Field, Variant};
    use super::*;

    fn sample() -> Snapshot {
        let field = Field {
            name: "a".into(),
            ty: "Option<\"ä\">".into(),
            size: 8,
            holds: vec!["b::C".into()],
        };
        let of = |path: &str| Entry {
            package: "p".into(),
            target: "t".into(),
            krate: "lib".into(),
            path: path.into(),
            triple: "x".into(),
            kind: "enum".into(),
            ..Entry::default()
        };
        let known = Entry {
            size: Some(8),
            align: Some(8),
            variants: vec![Variant {
                name: "V".into(),
                size: 8,
                fields: vec![field],
            }],
            ..of("a::A")
        };
        let unknown = Entry {
            generics: vec!["T".into()],
            min_size: Some(3),
            reason: Some("depends on the generic parameter `T`".into()),
            ..of("a::B")
        };
        Snapshot {
            rustc: "1.99.0".into(),
            triples: vec!["x".into()],
            without_config: false,
            types: vec![known, unknown],
        }
    }

    #[test]
    fn what_is_written_is_read_and_has_one_type_a_line() {
        let text = write(&sample());
        assert_eq!(read(text.as_bytes()).as_ref(), Ok(&sample()));
        assert_eq!(text.lines().filter(|l| l.contains("\"path\"")).count(), 2);
        let none = Snapshot {
            types: Vec::new(),
            ..sample()
        };
        assert_eq!(read(write(&none).as_bytes()), Ok(none));
        let mut lines: Vec<&str> = text.lines().collect();
        let (first, second) = (format!("{},", lines[6]), lines[5].trim_end_matches(','));
        (lines[5], lines[6]) = (&first, second);
        assert_eq!(read(lines.join("\n").as_bytes()), Ok(sample()));
    }

    #[test]
    fn of_several_targets_each_type_has_its_own() {
        let mut two = sample();
        two.triples.push("y".into());
        let other = Entry {
            triple: "y".into(),
            ..two.types[0].clone()
        };
        two.types.insert(1, other);
        let text = write(&two);
        assert_eq!(read(text.as_bytes()), Ok(two));
        assert!(
            text.contains("\"targets\": [\"x\", \"y\"]") && !text.contains("\"target\": \"x\"")
        );
        let none = text.replace("\"targets\": [\"x\", \"y\"],\n", "");
        assert!(read(none.as_bytes()).unwrap_err().contains("no target"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let text = write(&sample());
        let fault = |from: &str, to: &str| read(text.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(fault("\"kind\"", "\"kin\"").contains("line 6"));
        assert!(fault("\"a::B\"", "a::B").contains("line 7"));
        assert!(fault("{\"package", "<<<<<<< main\n{\"package").contains("conflict (line 6)"));
        assert!(fault("\"format\": 1", "\"format\": 3").contains("format 3"));
        assert!(read(&text.as_bytes()[..text.len() / 2]).is_err());
        assert!(read(b"\xff\xfe").is_err() && read(b"").is_err() && read(b"[]").is_err());
    }
}
