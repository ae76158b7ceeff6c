//! Programs for macOS, which cannot be run here: as rustc compiles them, and linked where the tools
//! for that are installed.

use super::{Program, System, described, read};
use crate::image::Image;
use crate::types::{Kind, Type};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGETS: [(&str, &str); 2] = [
    ("aarch64-apple-darwin", "aarch64"),
    ("x86_64-apple-darwin", "x86_64"),
];

/// Needs nothing of the system.
const TEXT: &str = r#"
#![no_std]
#![no_main]
pub enum Kind { Wide([u64; 4]), Thin(u8), Empty }
pub struct Item { pub kind: Kind, pub next: Option<&'static Item>, pub small: u16 }
pub trait Named { fn name(&self) -> &'static str; }
impl Named for Item {
    #[inline(never)]
    fn name(&self) -> &'static str { if self.small > 0 { "some" } else { "none" } }
}
pub static FIRST: Item = Item { kind: Kind::Thin(1), next: None, small: 2 };
#[inline(never)]
pub fn length(named: &dyn Named) -> usize { named.name().len() }
#[unsafe(no_mangle)]
pub extern "C" fn main(n: i32) -> i32 {
    let more = Item { kind: Kind::Wide([n as u64; 4]), next: Some(&FIRST), small: n as u16 };
    length(&more) as i32 + matches!(FIRST.kind, Kind::Empty) as i32
}
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }
"#;

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Compiles the text for a target; nothing where that cannot be done here.
fn compile(folder: &Path, target: &str, more: &[&str]) -> Option<()> {
    let library = rustc()
        .args(["--print", "target-libdir", "--target", target])
        .output()
        .ok()?;
    let library = PathBuf::from(String::from_utf8(library.stdout).ok()?.trim());
    if !library.is_dir() {
        println!("left out: there is no `core` for {target}");
        return None;
    }
    std::fs::write(folder.join("program.rs"), TEXT).unwrap();
    let output = rustc()
        .current_dir(folder)
        .args(["--edition", "2024", "--target", target, "program.rs"])
        .args(["-Cdebuginfo=2", "-Cpanic=abort"])
        .args(more)
        .env("SDKROOT", folder)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("dsymutil") {
        println!("left out: there is no `dsymutil`");
        return None;
    }
    assert!(output.status.success(), "{said}");
    Some(())
}

fn ty<'p>(program: &'p Program, name: &str) -> &'p Type {
    let found = program.types.list.iter().find(|ty| &*ty.name == name);
    found.unwrap_or_else(|| panic!("no type {name}"))
}

/// What is the same whether it is linked or not.
#[track_caller]
fn has_types(program: &Program) {
    let item = ty(program, "program::Item");
    // 40 bytes of the enum, a pointer, two bytes, and what is between.
    assert_eq!(item.size, 56);
    let Kind::Struct(fields) = &item.kind else {
        panic!("{item:?}");
    };
    let mut names: Vec<&str> = fields.iter().map(|f| &*f.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["kind", "next", "small"]);
    let Kind::Enum(kind) = &ty(program, "program::Kind").kind else {
        panic!("no enum");
    };
    let names: Vec<&str> = kind.variants.iter().map(|v| &*v.name).collect();
    assert_eq!(names, ["Wide", "Thin", "Empty"]);
    assert!(program.functions.has("program::length"));
    assert!(program.rustc.is_some());
}

#[test]
fn objects_for_macos_are_read() {
    for (target, _) in TARGETS {
        let folder = tempfile::tempdir().unwrap();
        let Some(()) = compile(folder.path(), target, &["--emit=obj"]) else {
            continue;
        };
        let path = folder.path().join("program.o");
        let data = std::fs::read(&path).unwrap();
        let file = object::File::parse(&*data).unwrap();
        has_types(&described(&path, &file).unwrap());
        // Alone it is no program, and has no bundle.
        let said = read(&path).unwrap_err();
        assert!(said.contains("split-debuginfo = \"packed\""), "{said}");
    }
}

#[test]
fn programs_for_macos_are_read() {
    for (target, machine) in TARGETS {
        let folder = tempfile::tempdir().unwrap();
        let libraries = folder.path().join("usr/lib");
        std::fs::create_dir_all(&libraries).unwrap();
        // What the linker wants to see of the system.
        std::fs::write(
            libraries.join("libSystem.tbd"),
            "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos, x86_64-macos ]\n\
             install-name: '/usr/lib/libSystem.B.dylib'\nexports:\n  - targets: [ arm64-macos, \
             x86_64-macos ]\n    symbols: [ dyld_stub_binder, _memset, _memcpy ]\n...\n",
        )
        .unwrap();
        let linked = [
            "-Clinker=rust-lld",
            "-Clinker-flavor=ld64.lld",
            "-Csplit-debuginfo=packed",
            "-Clink-arg=-lSystem",
        ];
        let Some(()) = compile(folder.path(), target, &linked) else {
            continue;
        };
        let path = folder.path().join("program");
        let program = read(&path).unwrap();
        has_types(&program);
        assert_eq!((program.system, program.machine), (System::MacOs, machine));
        assert_eq!(program.triple(), target);
        assert_eq!(program.alone, Some("is for macOS"));
        assert!(program.build_id.as_ref().is_some_and(|id| id.len() == 32));
        // Symbols are in the program, and reach to the next.
        let symbols = &program.functions.symbols;
        let known = symbols
            .iter()
            .find(|(.., function)| &*function.name == "program::length");
        let (start, end, _) = known.expect("a symbol of a function");
        let frames = program.functions.at(end - 1);
        assert_eq!(&*frames.last().unwrap().function.name, "program::length");
        // Statics have the addresses of the program, not of what it was linked from.
        let first = program
            .statics
            .iter()
            .find(|s| &*s.name == "program::FIRST");
        let first = first.expect("a static").address;
        let holds = |&&(_, from, bytes): &&(u64, u64, u64)| (from..from + bytes).contains(&first);
        assert!(program.segments.iter().find(holds).is_some_and(|s| s.1 > 0));
        // `dsymutil` leaves out what has no symbol, such as tables of methods.
        assert!(program.tables.is_empty());
        // The first segment that is in the file is where the program is loaded.
        let (_, text, _) = program.segments[0];
        assert!(start > &text);
        let shown = path.to_string_lossy();
        let maps = format!(
            "{:x}-{:x} r--p 0 00:00 0 {shown}\n",
            text + 0x4000,
            text + 0x8000
        );
        let image = Image::mapped(&maps);
        assert_eq!(image.bias(&shown, &program.segments), Some(0x4000));
        // The bundle of another build is not this program's.
        let (bundle, kept) = (
            folder.path().join("program.dSYM"),
            folder.path().join("kept"),
        );
        std::fs::rename(&bundle, &kept).unwrap();
        let other = [&linked[..], &["-Copt-level=1"]].concat();
        compile(folder.path(), target, &other).unwrap();
        std::fs::remove_dir_all(&bundle).unwrap();
        std::fs::rename(&kept, &bundle).unwrap();
        let said = read(&path).unwrap_err();
        assert!(said.contains("is of another build"), "{said}");
    }
}
