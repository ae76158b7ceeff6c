//! Words for what a census has counted, of the terminal and of the page: names without the paths of
//! their arguments, and places without those of this machine.

use crate::census::count::{FieldCount, PartCount, PartKind, STEPS};
use crate::census::dwarf::{is_std, names};
use crate::census::plan::is_transparent;

/// Returns whether a type is neither std's, nor a container of a known crate, nor a pointer.
pub fn is_own(path: &str) -> bool {
    !is_transparent(path) && !is_std(path) && !path.starts_with(['*', '&'])
}

/// A field with the type that declares it.
pub fn path(field: &FieldCount) -> String {
    match &*field.ty {
        "" => field.field.clone(),
        ty => format!("{}::{}", name(ty), field.field.replace('.', "::")),
    }
}

/// What a part is, in words.
pub fn part(part: &PartCount) -> String {
    let ty = match part.ty.contains("::") {
        true => name(&part.ty),
        false => part.ty.clone(),
    };
    let of = owner(&part.owner);
    let by = match &*of {
        "" => String::new(),
        of => format!(", {of}"),
    };
    match part.kind {
        PartKind::Values => format!("{ty}{by}"),
        PartKind::Texts => format!("texts{by}"),
        PartKind::Bytes => format!("bytes{by}"),
        PartKind::Spare if of.is_empty() => format!("spare capacity for {ty}"),
        PartKind::Spare => format!("spare capacity{by}"),
        PartKind::Unread => format!("{ty}{by}: contents not read"),
        PartKind::Guessed => format!("perhaps {ty}{by}"),
        PartKind::Untyped => format!("no type{by}"),
        PartKind::Contradicting => format!("two types{by}"),
        PartKind::Other => format!("other code than Rust{by}"),
        PartKind::Malloc => "added by malloc".to_owned(),
    }
}

/// The lengths of texts at a place of [`crate::census::count::TextCount::lengths`], in bytes.
pub fn length(at: usize) -> String {
    let step = |at: usize| STEPS.get(at);
    match (at.checked_sub(1).and_then(step), step(at)) {
        (None, _) => "empty".to_owned(),
        (Some(last), None) => format!("over {last}"),
        (Some(last), Some(to)) if last + 1 == *to => to.to_string(),
        (Some(last), Some(to)) => format!("{} to {to}", last + 1),
    }
}

/// Returns a type without the paths of its arguments: `a::b::List<c::d::Item>` as
/// `a::b::List<Item>`; a future by the name that `futures` gives it.
pub fn name(full: &str) -> String {
    let mut short = String::new();
    let mut depth = 0u32;
    let mut rest = full;
    while let Some(c) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || "_:{}#$".contains(c);
        if is_part(c) {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (path, after) = rest.split_at(end);
            let path = if depth == 0 { path } else { last(path) };
            match names::written(path) {
                Some(written) => short.push_str(&written),
                None => short.push_str(path),
            }
            rest = after;
            continue;
        }
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        short.push(c);
        rest = &rest[c.len_utf8()..];
    }
    short
}

/// Returns the last part of a path, with the one before it for closures and the like.
fn last(path: &str) -> &str {
    let mut ends = path.rmatch_indices("::").map(|(at, _)| at + 2);
    let Some(at) = ends.next() else {
        return path;
    };
    match path[at..].starts_with('{') {
        true => ends.next().map_or(path, |at| &path[at..]),
        false => &path[at..],
    }
}

/// Returns the path of a file of a dependency or of std, without the registry or the root of std.
fn place(full: &str) -> &str {
    let after = |start: &str| Some(full.split_once(start)?.1.split_once('/')?.1);
    after("/registry/src/")
        .or_else(|| after("/rustc/"))
        .unwrap_or(full)
}

/// Returns an owner or an allocation site, its place shortened.
pub fn owner(full: &str) -> String {
    match full.rsplit_once(" at ") {
        Some((function, at)) => format!("{} at {}", name(function), place(at)),
        None => name(full),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_lose_their_paths() {
        assert_eq!(name("a::b::List<c::d::Item, u8>"), "a::b::List<Item, u8>");
        assert_eq!(name("(a::B, [c::D; 2])"), "(B, [D; 2])");
        assert_eq!(
            name("a::Of<b::main::{closure_env#0}>"),
            "a::Of<main::{closure_env#0}>"
        );
        assert_eq!(name("static a::b"), "static a::b");
        let future = "a::Of<b::serve::{async_fn_env#0}<c::D>>";
        assert_eq!(name(future), "a::Of<serve<D>>");
    }

    #[test]
    fn files_of_others_are_named_by_their_package() {
        let registry = "/home/me/.cargo/registry/src/index.crates.io-1/syn-2.0.1/src/a.rs:7";
        assert_eq!(place(registry), "syn-2.0.1/src/a.rs:7");
        assert_eq!(
            place("/rustc/59807/library/alloc/src/a.rs:9"),
            "library/alloc/src/a.rs:9"
        );
        assert_eq!(place("src/main.rs:3"), "src/main.rs:3");
    }

    #[test]
    fn lengths_of_texts() {
        let all: Vec<_> = (0..8).map(length).collect();
        let words = "empty, 1 to 8, 9 to 15, 16 to 23, 24, 25 to 64, 65 to 255, over 255";
        assert_eq!(all.join(", "), words);
    }
}
