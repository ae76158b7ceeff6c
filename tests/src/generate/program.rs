//! The crate that has rustc evaluate the definitions' layouts, reported by a const panic.

use super::Definition;
use super::scopes::PRELUDE;
use std::fmt::Write;

/// Hexadecimal digits per number in the output.
pub const DIGITS: usize = 8;

const WRITER: &str = "\
const fn written<const N: usize>(lists: &[&[usize]]) -> [u8; N] {
    let mut text = [0; N];
    let (mut list, mut number, mut at) = (0, 0, 0);
    while list < lists.len() {
        if number == lists[list].len() {
            (list, number) = (list + 1, 0);
            continue;
        }
        let mut digit = DIGITS;
        while digit > 0 {
            digit -= 1;
            text[at] = b\"0123456789abcdef\"[lists[list][number] >> 4 * digit & 15];
            at += 1;
        }
        number += 1;
    }
    text
}
const TEXT: &str = match std::str::from_utf8(&written::<COUNT>(LISTS)) {
    Ok(text) => text,
    Err(_) => panic!(),
};
const _: () = panic!(\"{}\", TEXT);
";

/// Returns a library that defines each group of types in a module `b0`, `b1`, … and a constant that
/// panics with the size, the alignment and all field offsets of each type in source order: rustc
/// checks it and generates no code.
pub fn library(groups: &[Vec<Definition>]) -> String {
    let mut text = String::from(
        "#![allow(warnings)]\n#![feature(never_type, offset_of_enum)]\n\
         use std::mem::{align_of, offset_of, size_of};\n\n",
    );
    for (i, group) in groups.iter().enumerate() {
        let _ = writeln!(text, "pub mod b{i} {{\n{PRELUDE}");
        for definition in group {
            text.push_str(&definition.text);
            text.push_str("\n\n");
        }
        text.push_str("}\n");
    }
    text.push_str("const LISTS: &[&[usize]] = &[\n");
    let mut count = 0;
    for definition in groups.iter().flatten().filter(|d| d.kind != "generic") {
        let path = &definition.path;
        let _ = write!(text, "&[size_of::<{path}>(), align_of::<{path}>(), ");
        for (variant, fields) in &definition.variants {
            let prefix = match definition.kind {
                "enum" => format!("{variant}."),
                _ => String::new(),
            };
            for field in fields {
                let _ = write!(text, "offset_of!({path}, {prefix}{field}),");
            }
        }
        text.push_str("],\n");
        count += definition.numbers() * DIGITS;
    }
    let _ = write!(
        text,
        "];\nconst DIGITS: usize = {DIGITS};\nconst COUNT: usize = {count};\n{WRITER}"
    );
    text
}
