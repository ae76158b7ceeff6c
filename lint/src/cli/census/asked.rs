//! What a census says of one type or field: who has it, what it keeps, and what made it.

use super::narrow;
use crate::census::count::{Census, FieldCount, MadeCount, PathCount, TypeCount};
use crate::census::dwarf::names;
use crate::census::types::base;
use crate::finding::amount::{bytes, count, number};
use crate::report::counted;
use std::fmt::Write;

/// Lines of a list.
const SHOWN: usize = 12;

/// What was asked for, and the lines that are about it.
pub(super) struct Asked<'c> {
    types: Vec<&'c TypeCount>,
    fields: Vec<&'c FieldCount>,
    paths: Vec<&'c PathCount>,
    made: Vec<&'c MadeCount>,
}

/// Whether a type is the one of this name: whole, or from one of its modules on.
fn is_named(full: &str, name: &str) -> bool {
    let is_it =
        |full: &str| full == name || full.strip_suffix(name).is_some_and(|m| m.ends_with("::"));
    let written = || names::written(base(full));
    is_it(full) || is_it(base(full)) || written().is_some_and(|written| is_it(&written))
}

/// Returns what is known of `TYPE` or `TYPE.field`.
///
/// # Errors
/// The census has no type or field of that name.
pub(super) fn of<'c>(census: &'c Census, name: &str) -> Result<Asked<'c>, String> {
    let types: Vec<&TypeCount> = census
        .types
        .iter()
        .filter(|ty| is_named(&ty.ty, name))
        .collect();
    if !types.is_empty() {
        let mut holds: Vec<&str> = types.iter().map(|ty| &*ty.ty).collect();
        // Tuples and containers of std that have one by value, such as the entries of a map.
        let within = census.types.iter().filter(|ty| {
            !ty.ty.contains("::") || ty.ty.starts_with(['(', '[']) || ty.ty.starts_with("alloc::")
        });
        let within =
            within.filter(|ty| types.iter().any(|t| ty.parts.contains_key(&*t.part_name())));
        holds.extend(within.map(|ty| &*ty.ty));
        let paths = census.paths.iter().filter(|p| holds.contains(&&*p.ty));
        let fields = census.fields.iter().filter(|f| is_named(&f.ty, name));
        let made = census.made.iter().filter(|m| holds.contains(&&*m.ty));
        return Ok(Asked {
            types,
            fields: fields.collect(),
            paths: paths.collect(),
            made: made.collect(),
        });
    }
    let fields: Vec<&FieldCount> = match name.rsplit_once('.') {
        Some((ty, field)) => {
            let all = census.fields.iter().filter(|f| is_named(&f.ty, ty));
            all.filter(|f| {
                f.field == field || f.field.rsplit_once('.').is_some_and(|p| p.1 == field)
            })
            .collect()
        }
        None => {
            let all = census.fields.iter();
            all.filter(|f| f.ty.is_empty() && f.field == name).collect()
        }
    };
    if fields.is_empty() {
        return Err(format!(
            "no type or field of this census is called `{name}`: `cargo weigh census FILE -v` names all"
        ));
    }
    let names: Vec<String> = fields.iter().map(|f| owner(f)).collect();
    let is_of = |path: &&PathCount| path.path.last().is_some_and(|last| names.contains(last));
    Ok(Asked {
        types: Vec::new(),
        paths: census.paths.iter().filter(is_of).collect(),
        made: Vec::new(),
        fields,
    })
}

/// A field as paths name it.
fn owner(field: &FieldCount) -> String {
    match &*field.ty {
        "" => field.field.clone(),
        ty => format!("{ty}::{}", field.field.replace('.', "::")),
    }
}

/// A path in one line.
pub(super) fn path(path: &[String]) -> String {
    let names: Vec<String> = path.iter().map(|name| counted::owner(name)).collect();
    names.join(" → ")
}

impl Asked<'_> {
    /// Returns the lines as they are in the census.
    pub(super) fn json(&self) -> String {
        let mut text = String::new();
        let mut add = |kind: &str, value: serde_json::Result<serde_json::Value>| {
            if let Ok(serde_json::Value::Object(mut line)) = value {
                line.insert("census".to_owned(), kind.into());
                let _ = writeln!(text, "{}", serde_json::Value::Object(line));
            }
        };
        self.types
            .iter()
            .for_each(|one| add("type", serde_json::to_value(one)));
        self.fields
            .iter()
            .for_each(|one| add("field", serde_json::to_value(one)));
        self.paths
            .iter()
            .for_each(|one| add("path", serde_json::to_value(one)));
        self.made
            .iter()
            .for_each(|one| add("made", serde_json::to_value(one)));
        text
    }

    /// Returns it as text, at most `width` characters wide.
    pub(super) fn text(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        match width {
            Some(width) => narrow::lines(&text, width),
            None => text,
        }
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        for ty in &self.types {
            let at_least = if ty.at_least { "at least " } else { "" };
            writeln!(
                text,
                "{} ({} bytes): {at_least}{}, {} slots, {}",
                counted::name(&ty.ty),
                ty.size,
                count(ty.values, "value"),
                number(ty.slots),
                bytes(ty.bytes)
            )?;
        }
        if !self.paths.is_empty() {
            writeln!(
                text,
                "\nWho has it, what would go with it, and the largest block"
            )?;
        }
        for one in self.paths.iter().take(SHOWN) {
            writeln!(
                text,
                "{:>10}  {}, {}: {}",
                bytes(one.kept_bytes),
                count(one.blocks, "block"),
                bytes(one.largest),
                path(&one.path)
            )?;
            for (owner, links) in one.owners.iter().take(SHOWN) {
                let owner = counted::owner(owner);
                writeln!(text, "{:>10}  {owner}: {}", "", count(*links, "owner"))?;
            }
        }
        if !self.fields.is_empty() {
            writeln!(text, "\nIts fields that own blocks")?;
        }
        for field in self.fields.iter().take(SHOWN) {
            write!(
                text,
                "{:>10}  {} ({}): {}, {} of {} used, {} spare",
                bytes(field.bytes),
                counted::owner(&owner(field)),
                field.kind,
                number(field.containers),
                number(field.len),
                number(field.capacity),
                bytes(field.slack_bytes)
            )?;
            match field.kept_bytes {
                Some(kept) => writeln!(text, "; {} would go without them", bytes(kept))?,
                None => writeln!(text)?,
            }
        }
        if !self.made.is_empty() {
            writeln!(text, "\nWhere it was allocated")?;
        }
        for made in self.made.iter().take(SHOWN) {
            writeln!(
                text,
                "{:>10}  {}{} live of {} made",
                bytes(made.bytes),
                if made.at_least { "at least " } else { "" },
                count(made.blocks, "block"),
                number(made.made_blocks)
            )?;
            for frame in &made.frames {
                writeln!(text, "{:>10}  {}", "", counted::owner(frame))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn a_type_is_named_from_any_of_its_modules_on() {
        for name in ["a::b::C<u8>", "a::b::C", "b::C", "C"] {
            assert!(is_named("a::b::C<u8>", name), "{name}");
        }
        for name in ["a", "::C", "", "B::C", "c"] {
            assert!(!is_named("a::b::C<u8>", name), "{name}");
        }
    }
}
