//! The names of coroutines: as written in source, and as rustc's dumps have them.

use crate::census::dwarf::coroutines::Coroutine;
pub use crate::census::dwarf::names::Form;
use crate::census::dwarf::names::is_closure;

/// The names of a coroutine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The crate, as code names it.
    pub krate: String,
    /// What it is written as.
    pub form: Form,
    /// The function that it is, or that it is in, relative to the crate.
    pub path: String,
}

impl Names {
    /// The names of a coroutine in this function, as its symbol has it.
    pub fn of(coroutine: &Coroutine, function: Option<&str>) -> Names {
        let path = &*coroutine.path;
        let (around, own) = path.rsplit_once("::").unwrap_or(("", path));
        let krate = around.split("::").next().unwrap_or_default();
        let function = function.unwrap_or(around);
        Names {
            krate: krate.to_owned(),
            form: Form::named(own),
            path: written(function, krate),
        }
    }

    /// As source has it: `server::handle`, `{async block in server::spawn}`.
    pub fn shown(&self) -> String {
        self.form.of(&self.path)
    }
}

/// The path of a coroutine in rustc's dumps, relative to the crate: `server-{impl#0}-run-{closure#0}`.
pub fn in_dumps(path: &str) -> String {
    let segments = path.split("::").skip(1).map(|segment| {
        let number = segment.split_once('#').filter(|(kind, _)| *kind != "{impl");
        match number {
            Some((_, number)) => format!("{{closure#{number}"),
            None => segment.to_owned(),
        }
    });
    segments.collect::<Vec<_>>().join("-")
}

/// The path of a function without the crate, arguments and the closures that it is in.
fn written(function: &str, krate: &str) -> String {
    let mut text = String::new();
    let mut rest = function;
    while let Some(letter) = rest.chars().next() {
        let after_name = text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let krate_here = rest.strip_prefix(krate).and_then(|r| r.strip_prefix("::"));
        if let Some(behind) = krate_here
            && !after_name
            && !text.ends_with("::")
        {
            rest = behind;
            continue;
        }
        let is_impl = rest.starts_with("<impl ");
        if letter == '<' && !is_impl && (after_name || text.ends_with("::")) {
            rest = behind_arguments(rest);
            continue;
        }
        text.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    let segments = text.split("::");
    let named = segments.filter(|s| !s.is_empty() && !is_closure(s));
    let text = named.collect::<Vec<_>>().join("::");
    // `<server::Server>::run`.
    match text.strip_prefix('<').and_then(|t| t.split_once(">::")) {
        Some((own, method)) if !own.contains([' ', '<']) => format!("{own}::{method}"),
        _ => text,
    }
}

/// The text behind the `>` that belongs to the `<` at its start.
fn behind_arguments(text: &str) -> &str {
    let mut depth = 0;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = letter;
        if depth == 0 {
            return &text[at + letter.len_utf8()..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_written() {
        for (symbol, expected) in [
            ("app::server::handle", "server::handle"),
            ("app::main::{{closure}}", "main"),
            ("app::server::S::m", "server::S::m"),
            ("app::server::S<T>::m", "server::S::m"),
            ("<app::server::S<u8>>::m::<app::T>", "server::S::m"),
            (
                "<app::server::S as app::server::Tr>::go",
                "<server::S as server::Tr>::go",
            ),
            (
                "app::<impl app::Tr for alloc::vec::Vec<u8>>::go",
                "<impl Tr for alloc::vec::Vec>::go",
            ),
            ("app::f::<fn() -> u8>::{closure#0}", "f"),
            ("other::app::f", "other::app::f"),
        ] {
            assert_eq!(written(symbol, "app"), expected, "{symbol}");
        }
    }

    #[test]
    fn as_dumped() {
        let path = "app::server::{impl#0}::run::{async_fn#0}::{async_block_env#1}";
        let expected = "server-{impl#0}-run-{closure#0}-{closure#1}";
        assert_eq!(in_dumps(path), expected);
    }
}
