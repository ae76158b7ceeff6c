//! The program that asks rustc about the definitions, in a crate of theirs.

use super::Definition;
use super::scopes::PRELUDE;
use std::fmt::Write;

/// A program that defines the types and prints a line for each: name, size, alignment, and the
/// offsets of its fields in the order of the text, separated by tabs and commas.
pub fn program(definitions: &[Definition]) -> String {
    let mut text = String::from(
        "#![allow(warnings)]\n#![feature(never_type, offset_of_enum)]\n\
         use std::mem::{align_of, offset_of, size_of};\n\n",
    );
    text.push_str(PRELUDE);
    for definition in definitions {
        text.push_str(&definition.text);
        text.push_str("\n\n");
    }
    text.push_str("const TABLE: &[(&str, usize, usize, &[usize])] = &[\n");
    for definition in definitions.iter().filter(|d| d.kind != "generic") {
        let path = &definition.path;
        let _ = write!(
            text,
            "(\"{path}\", size_of::<{path}>(), align_of::<{path}>(), &["
        );
        for (variant, fields) in &definition.variants {
            let prefix = match definition.kind {
                "enum" => format!("{variant}."),
                _ => String::new(),
            };
            for field in fields {
                let _ = write!(text, "offset_of!({path}, {prefix}{field}),");
            }
        }
        text.push_str("]),\n");
    }
    text.push_str(
        "];\n\nfn main() {\n    for (name, size, align, offsets) in TABLE {\n        \
         let offsets: Vec<_> = offsets.iter().map(usize::to_string).collect();\n        \
         println!(\"{name}\\t{size}\\t{align}\\t{}\", offsets.join(\",\"));\n    }\n}\n",
    );
    text
}
