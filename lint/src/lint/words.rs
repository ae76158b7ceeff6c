//! Numbers and names in words, the same in every lint.

use super::Context;
use crate::layout::view::VariantView;
use crate::model::TypeInfo;
use crate::name::Name;

/// Two names of more characters than these are counted in place of named.
const MOST_NAMED: usize = 20;

/// A number of bytes.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// A number of things.
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Fields of a variant.
pub fn fields_of(variant: &VariantView, fields: &[usize]) -> String {
    let names: Vec<_> = fields
        .iter()
        .map(|&f| variant.fields[f].name.as_str())
        .collect();
    if let [one] = names[..] {
        return format!("`{}::{one}`", variant.name);
    }
    let numbered = names.iter().all(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let names: Vec<_> = match numbered {
        true => names.iter().map(|n| (*n).to_owned()).collect(),
        false => names.iter().map(|n| format!("`{n}`")).collect(),
    };
    let noun = if numbered { "fields " } else { "" };
    format!("{noun}{} of `{}`", listed(&names), variant.name)
}

/// Fields by their paths, as the subject of a sentence: one or two, else how many of the type.
pub fn subject(paths: &[String], owner: Name) -> String {
    match paths {
        [one] => format!("`{one}`"),
        [a, b] if a.len() + b.len() <= MOST_NAMED => format!("`{a}` and `{b}`"),
        many => format!("{} fields of `{owner}`", many.len()),
    }
}

/// What a change of public fields is; none if there are none.
pub fn public(fields: &[String]) -> Option<String> {
    let names: Vec<_> = fields.iter().map(|f| format!("`{f}`")).collect();
    let is = match names.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let names = listed(&names);
    Some(format!("{names} {is} public: this is a breaking change"))
}

/// What has to be imported before a type can hold a box.
pub fn import(cx: &Context, info: &TypeInfo) -> Option<String> {
    let named = cx.model.names_box(info);
    (!named).then(|| "`Box` is not in scope here: `use alloc::boxed::Box`".to_owned())
}

/// `a`, `b` and `c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}
