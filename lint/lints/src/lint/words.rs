//! Numbers and names in words, the same in every lint.

use super::Context;
use crate::finding::Label;
use crate::layout::view::VariantView;
use crate::model::TypeInfo;
use crate::model::parts::Part;
use crate::name::Name;
use std::fmt::Display;

/// Two names with more characters than this are counted instead of named.
const MOST_NAMED: usize = 20;

/// Formats a number of bytes.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// Labels the name of a type with the bytes of one value.
pub fn of_size(info: &TypeInfo, size: u64) -> Label {
    Label::new(info.span, format!("{} a value", bytes(size)))
}

/// The same, for a size that may be unknown.
pub fn of_type(info: &TypeInfo, size: Option<u64>) -> Label {
    let unknown = || Label::new(info.span, "in this type");
    size.map_or_else(unknown, |size| of_size(info, size))
}

/// Formats a number of things.
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Lists fields of a variant.
pub fn fields_of(variant: &VariantView, fields: &[usize]) -> String {
    let names: Vec<_> = fields
        .iter()
        .map(|&f| variant.fields[f].name.as_str())
        .collect();
    if let [one] = names[..] {
        return format!("`{}::{one}`", variant.name);
    }
    let is_number = |n: &&str| n.bytes().all(|b| b.is_ascii_digit());
    let (noun, names) = match names.iter().all(is_number) {
        true => ("fields ", names.into_iter().map(str::to_owned).collect()),
        false => ("", quoted(names)),
    };
    format!("{noun}{} of `{}`", listed(&names), variant.name)
}

/// Puts names in backticks.
pub fn quoted(names: impl IntoIterator<Item = impl Display>) -> Vec<String> {
    names.into_iter().map(|n| format!("`{n}`")).collect()
}

/// Titles the remedy that gives these fields these types; equal types are named once.
pub fn retyped(fields: &[String], types: Vec<String>) -> String {
    let mut types = types;
    if types.iter().all(|ty| *ty == types[0]) {
        types.truncate(1);
    }
    format!("make {} {}", listed(fields), listed(&types))
}

/// Titles the remedy that gives the keys of these fields these types, given a key's bytes before and
/// after.
pub fn with_keys(fields: &[String], types: &[String], (before, after): (u64, u64)) -> String {
    let (fields, types) = (listed(fields), listed(types));
    format!("make the keys of {fields} {types} ({before} → {after} bytes)")
}

/// Names fields by their paths, as the subject of a sentence: one or two, else how many of the
/// type.
pub fn subject(paths: &[String], owner: Name) -> String {
    match paths {
        [one] => format!("`{one}`"),
        [a, b] if a.len() + b.len() <= MOST_NAMED => format!("`{a}` and `{b}`"),
        many => format!("{} fields of `{owner}`", many.len()),
    }
}

/// Notes that public fields change; none if there are none.
pub fn public(fields: &[String]) -> Option<String> {
    let is = match fields.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let names = listed(&quoted(fields));
    Some(format!("{names} {is} public: this is a breaking change"))
}

/// Notes that a field in the public API of a published library changes.
pub fn public_part(part: &Part) -> Vec<String> {
    let shown = part.exported().then(|| part.shown());
    Vec::from_iter(public(shown.as_slice()))
}

/// Notes that an item that may be exported changes.
pub fn may_be_exported(name: impl Display) -> String {
    format!("`{name}` is public: where it is exported, this is a breaking change")
}

/// Notes what to import before a type can hold a box.
pub fn import(cx: &Context, info: &TypeInfo) -> Option<String> {
    let named = cx.model.names_box(info);
    let root = cx.model.heap_name(info.krate).filter(|_| !named)?;
    let builds = match cx.model.has_always_heap(info.krate) {
        true => "",
        false => "; builds without it have no `Box`",
    };
    Some(format!(
        "`Box` is not in scope here: `use {root}::boxed::Box`{builds}"
    ))
}

/// Formats a list: `a`, `b` and `c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}
