//! A census as lines of JSON, and back.

use super::count::{
    Census, FORMAT, FieldCount, GrowthCount, Head, LeakCount, MadeCount, MomentCount, PartCount,
    PathCount, SiteCount, Summary, TypeCount,
};
use super::plan::is_transparent;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;

/// A line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "census", rename_all = "lowercase")]
enum Line {
    Head(Head),
    Type(TypeCount),
    Field(Box<FieldCount>),
    Part(PartCount),
    Site(SiteCount),
    Path(PathCount),
    Leak(LeakCount),
    Made(MadeCount),
    Moment(MomentCount),
    Growth(GrowthCount),
    Summary(Summary),
}

/// The lines of a census, the summary last.
pub fn write(census: &Census) -> String {
    let mut text = String::new();
    let types = census.types.iter().cloned().map(Line::Type);
    let fields = census.fields.iter().cloned();
    let fields = fields.map(|field| Line::Field(Box::new(field)));
    let parts = census.parts.iter().cloned().map(Line::Part);
    let sites = census.sites.iter().cloned().map(Line::Site);
    let paths = census.paths.iter().cloned().map(Line::Path);
    let leaks = census.leaks.iter().cloned().map(Line::Leak);
    let made = census.made.iter().cloned().map(Line::Made);
    let moments = census.moments.iter().cloned().map(Line::Moment);
    let growth = census.growth.iter().cloned().map(Line::Growth);
    let lines = std::iter::once(Line::Head(census.head.clone()))
        .chain(types)
        .chain(fields)
        .chain(parts)
        .chain(sites)
        .chain(paths)
        .chain(leaks)
        .chain(made)
        .chain(moments)
        .chain(growth)
        .chain([Line::Summary(census.summary.clone())]);
    for line in lines {
        // Numbers and texts can always be written, and writing to a string cannot fail.
        let line = serde_json::to_string(&line).unwrap_or_default();
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The start of the first line, in every format.
#[derive(Deserialize)]
struct Start {
    census: String,
    #[serde(default)]
    format: u32,
}

/// No number of a census is larger: as many bytes as addresses of 48 bits reach.
const MOST: u64 = 1 << 48;

/// Reads a census from its lines.
///
/// # Errors
/// A line is not one of a census, the format is another, or the end is missing.
pub fn read(text: &str) -> Result<Census, String> {
    let mut lines = text.lines().enumerate();
    let Some((_, first)) = lines.next() else {
        return Err("the file is empty".to_owned());
    };
    // Before the rest of the line, which another format may write in another way.
    let start: Start = parsed(0, first)?;
    if start.census != "head" {
        return Err("line 1: not the head of a census".to_owned());
    }
    if start.format != FORMAT {
        let format = start.format;
        return Err(format!(
            "line 1: format {format} is of another version of cargo weigh"
        ));
    }
    let mut census = Census::default();
    let mut ended = false;
    let mut seen = FxHashSet::default();
    for (n, line) in std::iter::once((0, first)).chain(lines) {
        if ended {
            return Err(format!("line {}: a line after the summary", n + 1));
        }
        if largest(&parsed(n, line)?) > MOST {
            return Err(format!("line {}: a number is too large", n + 1));
        }
        match parsed(n, line)? {
            Line::Head(_) if n > 0 => return Err(format!("line {}: a second head", n + 1)),
            Line::Head(head) => census.head = head,
            Line::Type(ty) => {
                // Of std's types with one name the definitions have no numbers.
                let key = (ty.ty.clone(), ty.size, ty.definition, String::new());
                if !is_transparent(&ty.ty) && !seen.insert(key) {
                    return Err(format!("line {}: a second line of `{}`", n + 1, ty.ty));
                }
                census.types.push(ty);
            }
            Line::Field(field) => {
                let FieldCount {
                    ty,
                    field: name,
                    definition,
                    ..
                } = &*field;
                if !seen.insert((ty.clone(), 0, *definition, name.clone())) {
                    return Err(format!("line {}: a second line of `{ty}::{name}`", n + 1));
                }
                census.fields.push(*field);
            }
            Line::Part(part) => census.parts.push(part),
            Line::Site(site) => census.sites.push(site),
            Line::Path(path) => census.paths.push(path),
            Line::Leak(leak) => census.leaks.push(leak),
            Line::Made(made) => census.made.push(made),
            Line::Moment(moment) => census.moments.push(moment),
            Line::Growth(growth) => census.growth.push(growth),
            Line::Summary(summary) => {
                census.summary = summary;
                ended = true;
            }
        }
    }
    match ended {
        true => Ok(census),
        false => Err("the summary line is missing: the file is cut off".to_owned()),
    }
}

/// Reads a line, counted from 0.
fn parsed<'l, T: Deserialize<'l>>(n: usize, line: &'l str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|e| {
        let n = n + 1;
        if e.is_eof() {
            return format!("line {n}: the file is cut off");
        }
        // Its own line number counts from the start of this line.
        let why = e.to_string();
        let place = format!(" at line {} column {}", e.line(), e.column());
        let why = why.strip_suffix(&place).unwrap_or(&why);
        format!("line {n}: not a line of a census: {why}")
    })
}

/// The largest number in a line.
fn largest(value: &Value) -> u64 {
    match value {
        Value::Number(n) => n.as_u64().unwrap_or(0),
        Value::Array(list) => list.iter().map(largest).max().unwrap_or(0),
        Value::Object(map) => map.values().map(largest).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a census of one type with so many values.
    fn lines(values: &str) -> Vec<String> {
        let mut census = Census::default();
        census.head.format = FORMAT;
        census.types.push(TypeCount {
            ty: "a::B".to_owned(),
            values: 7,
            ..TypeCount::default()
        });
        let text = write(&census).replace(":7,", &format!(":{values},"));
        text.lines().map(str::to_owned).collect()
    }

    fn why(lines: &[String]) -> String {
        read(&lines.join("\n")).expect_err("it is no census")
    }

    #[test]
    fn what_is_written_is_read() {
        let census = read(&lines("7").join("\n")).unwrap();
        assert_eq!(census.types[0].values, 7);
    }

    #[test]
    fn a_file_that_is_cut_says_so() {
        assert_eq!(read("").unwrap_err(), "the file is empty");
        let all = lines("7");
        let missing = "the summary line is missing: the file is cut off";
        assert_eq!(why(&all[..2]), missing);
        let whole = all.join("\n");
        for cut in 1..whole.len() {
            let why = read(&whole[..cut]).expect_err("it is cut");
            assert!(why.ends_with("the file is cut off"), "{cut}: {why}");
        }
    }

    #[test]
    fn another_format_is_named_whatever_its_head_has() {
        let newer = r#"{"census":"head","format":2,"compiler":["rustc"]}"#.to_owned();
        let wanted = "line 1: format 2 is of another version of cargo weigh";
        assert_eq!(why(&[newer]), wanted);
    }

    #[test]
    fn lines_in_another_order_are_refused() {
        let all = lines("7");
        assert_eq!(why(&all[1..]), "line 1: not the head of a census");
        let twice = [&all[..1], &all[..]].concat();
        assert_eq!(why(&twice), "line 2: a second head");
        let after = [&all[..], &all[1..]].concat();
        assert_eq!(why(&after), "line 4: a line after the summary");
    }

    #[test]
    fn a_second_line_of_a_type_or_field_is_refused() {
        let mut all = lines("7");
        all.insert(2, all[1].clone());
        assert_eq!(why(&all), "line 3: a second line of `a::B`");
        // Another definition of that name.
        all[2] = all[2].replace("\"size\":0", "\"size\":8");
        assert_eq!(read(&all.join("\n")).unwrap().types.len(), 2);
        let field = FieldCount {
            ty: "a::B".to_owned(),
            field: "list".to_owned(),
            ..FieldCount::default()
        };
        let field = serde_json::to_string(&Line::Field(Box::new(field))).unwrap();
        all.splice(2..2, [field.clone(), field]);
        assert_eq!(why(&all), "line 4: a second line of `a::B::list`");
        // Two definitions of std's, whose lines have no numbers.
        let std = lines("7")[1].replace("a::B", "core::option::Option<a::B>");
        let all = lines("7");
        let all = [&all[..1], &[std.clone(), std], &all[1..]].concat();
        assert_eq!(read(&all.join("\n")).unwrap().types.len(), 3);
    }

    #[test]
    fn numbers_that_no_memory_has_are_refused() {
        assert_eq!(
            why(&lines(&u64::MAX.to_string())),
            "line 2: a number is too large"
        );
        for values in ["-7", "7.5", "18446744073709551616", "1e99"] {
            let why = why(&lines(values));
            assert!(
                why.starts_with("line 2: not a line of a census: invalid"),
                "{why}"
            );
            assert!(why.ends_with("u64"), "{why}");
        }
    }
}
