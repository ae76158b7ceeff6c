//! Every rule of the table: what it finds, what it writes, and that rustc accepts both with one
//! result.

use super::*;
use std::fmt::Write;
use std::process::Command;

/// The operands as code, with their declarations.
const OPERANDS: &[(&str, &str)] = &[
    ("bytes", "b\"a b\""),
    ("into", "given"),
    ("list", "1, 2"),
    ("osbuf", "osbuf.clone()"),
    ("osstr", "osstr"),
    ("path", "place"),
    ("pathbuf", "pathbuf.clone()"),
    ("slice", "bytes"),
    ("string", "string.clone()"),
    ("text", "text"),
    ("vec", "vec.clone()"),
];

const DECLARED: &str = "#![allow(warnings)]
use std::{ffi::{OsStr, OsString}, path::{Path, PathBuf}, sync::Arc};
fn main() {
    let text: &str = \"a b\";
    let string = text.to_string();
    let bytes: &[u8] = b\"a b\";
    let vec = bytes.to_vec();
    let place = Path::new(\"a/b\");
    let pathbuf = place.to_path_buf();
    let osstr = OsStr::new(\"a b\");
    let osbuf = osstr.to_os_string();
    let option = Some(string.clone());
    let (list_option, path_option) = (Some(vec.clone()), Some(pathbuf.clone()));
    let os_option = Some(osbuf.clone());
    let boxed = Box::new(1);
    let (text_box, list_box): (Box<str>, Box<[u8]>) = (text.into(), bytes.into());
    let (path_box, some_box): (Box<Path>, Option<Box<u8>>) = (place.into(), Some(Box::new(1)));
    let boxed_again = boxed.clone();
";

/// Returns an `Option` that becomes one of this type.
fn option(gives: &str) -> &'static str {
    match gives {
        "Option<Box<[u8]>>" => "list_option.clone()",
        "Option<Box<Path>>" => "path_option.clone()",
        "Option<Box<OsStr>>" => "os_option.clone()",
        _ => "option.clone()",
    }
}

/// Returns a variable of this type.
fn boxed_one(gives: &str) -> &'static str {
    match gives {
        "Box<str>" => "text_box",
        "Box<[u8]>" => "list_box",
        "Box<Path>" => "path_box",
        _ => "some_box",
    }
}

/// Returns what a parameter of a function becomes by `into` on the way to this type.
fn given(gives: &str) -> &'static str {
    match gives {
        "Box<[u8]>" => "Vec<u8>",
        "Box<Path>" => "PathBuf",
        "Box<OsStr>" => "OsString",
        _ => "String",
    }
}

/// Returns a side of a rule with values in place of its operands.
fn filled(side: &str, gives: &str) -> String {
    let any = match gives {
        "Box<str>" => "text.chars().rev()",
        "Box<[u8]>" => "vec.iter().copied()",
        "Box<u8>" => "boxed",
        _ => "Some(text)",
    };
    let values = OPERANDS.iter().copied().chain([("any", any)]);
    let values = values.chain([("boxed", boxed_one(gives)), ("option", option(gives))]);
    // The longest name first, as one is the start of another.
    let mut values: Vec<_> = values.collect();
    values.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let put = |text: String, (name, value): &(&str, &str)| text.replace(&format!("${name}"), value);
    values.iter().fold(side.replace('#', ""), put)
}

/// Rewrites a text as if an edit had added what is not in `old`, a part of it.
fn rewritten(text: &str, old: &str) -> String {
    let source = old.to_owned();
    let at = text.find(old).expect("it is a part");
    let end = u32::try_from(old.len()).expect("a small text");
    let edit = |at: u32, text: &str| Edit {
        span: Span {
            file: FileId(0),
            start: at,
            end: at,
        },
        text: text.to_owned(),
    };
    let edits = [edit(0, &text[..at]), edit(end, &text[at + old.len()..])];
    let whole = Span {
        file: FileId(0),
        start: 0,
        end,
    };
    let mut pieces = Pieces::new(&source, whole, &edits);
    let is = |place: Span, kind: Kind| {
        let text = &source[place.range()];
        if text.ends_with("option.clone()") {
            return kind == Kind::Option;
        }
        let of = OPERANDS.iter().find(|(_, value)| *value == text);
        let kinds = |name: &str| {
            KINDS
                .iter()
                .find(|(k, _)| *k == name)
                .map(|(_, kind)| *kind)
        };
        of.and_then(|(name, _)| kinds(name)) == Some(kind)
    };
    let names = Names { boxed: "Box" };
    rewrite(&mut pieces, FileId(0), &names, &is);
    // The edits make the same text.
    let mut again = source.clone();
    for edit in pieces.edits().into_iter().rev() {
        again.replace_range(edit.span.range(), &edit.text);
    }
    assert_eq!(again, pieces.text());
    again
}

#[test]
fn each_rule_is_found_and_means_the_same() {
    let mut program = DECLARED.to_owned();
    for rule in RULES {
        let before = filled(rule.before, rule.gives);
        let after = filled(rule.after, rule.gives);
        // Everything but the innermost operand is an edit.
        let named = |(name, _): &&(&str, &str)| rule.before.contains(&format!("${name}"));
        let old = OPERANDS
            .iter()
            .filter(named)
            .max_by_key(|(name, _)| name.len());
        let own = match rule.before.contains("$option") {
            true => Some(option(rule.gives)),
            false => rule
                .before
                .contains("$boxed")
                .then(|| boxed_one(rule.gives)),
        };
        let old = old.map_or(own.unwrap_or_default(), |(_, value)| *value);
        assert_eq!(rewritten(&before, old), after, "{}", rule.before);
        let gives = rule.gives;
        let (open, close) = match rule.before.contains("$into") {
            true => {
                let owned = given(gives);
                let open = format!("fn of(given: impl Into<{owned}> + Copy) {{");
                (open, "} of(\"a b\");")
            }
            false => (
                "let boxed = boxed.clone(); let boxed_again = boxed.clone();".to_owned(),
                "",
            ),
        };
        writeln!(
            program,
            "{{ {open} let a: {gives} = {before}; let b: {gives} = {after}; assert_eq!(a, b); {close} }}"
        )
        .expect("it is text");
    }
    program.push('}');
    assert!(RULES.len() >= 50);
    let folder = tempfile::tempdir().expect("a folder");
    let main = folder.path().join("main.rs");
    std::fs::write(&main, program).expect("it is ours to write");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2021", "-Cdebuginfo=0", "main.rs"]);
    let made = command.current_dir(folder.path()).status();
    assert!(made.expect("rustc runs").success());
    let ran = Command::new(folder.path().join("main")).status();
    assert!(ran.expect("it runs").success());
}

#[test]
fn what_the_author_wrote_stays() {
    for (text, old) in [
        // No edit touches it.
        ("vec![].into_boxed_slice()", "vec![].into_boxed_slice()"),
        // The types are not certain.
        ("String::into_boxed_str(x)", "x"),
        ("x.to_string().into_boxed_str()", "x.to_string()"),
        // It is not the whole operand.
        ("&Vec::into_boxed_slice(a, vec.clone())", "a, vec.clone()"),
        ("vec![1; 9].into_boxed_slice()", "vec![1; 9]"),
        // The star copies what a reference refers to.
        ("Box::new(*x)", "*x"),
        ("Mine::Vec::new().into_boxed_slice()", "Mine::Vec::new()"),
    ] {
        assert_eq!(rewritten(text, old), text);
    }
    let long = "::std::path::PathBuf::into_boxed_path(pathbuf.clone())";
    assert_eq!(
        rewritten(long, "pathbuf.clone()"),
        "pathbuf.clone().into_boxed_path()"
    );
    assert_eq!(
        rewritten(
            "x: a(if b { vec![\n].into_boxed_slice() } else { c })",
            "vec![\n]"
        ),
        "x: a(if b { Box::default() } else { c })"
    );
}
