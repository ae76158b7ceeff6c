//! Debug information: the program's types, statics, tables of methods, and which functions are
//! inlined where. gimli and object are named only here.

mod attributes;
mod bundle;
pub mod coroutines;
mod finish;
mod frames;
mod loaded;
mod locals;
mod merge;
pub mod names;
mod relocated;
mod sites;
mod split;
#[cfg(test)]
mod tests;
mod units;

use crate::types::{TypeId, Types, base};
use gimli::{EndianSlice, LittleEndian};
use object::{NameOrOrdinal, Object, ObjectSection, ObjectSegment, ObjectSymbol};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use loaded::Loaded;
pub use locals::Base;
pub use sites::{SourcePlace, places};

type Reader<'d> = EndianSlice<'d, LittleEndian>;

/// What a program's file and its debug information say.
#[derive(Debug, Default)]
pub struct Program {
    /// Its types, each once.
    pub types: Types,
    /// Its statics.
    pub statics: Vec<Static>,
    /// Variables of its functions that lie in memory.
    pub locals: Vec<Local>,
    /// The type of each vtable, by its address; none where two types share one.
    pub tables: FxHashMap<u64, Option<TypeId>>,
    /// Its functions.
    pub functions: Functions,
    /// Other objects that were added.
    pub loaded: Vec<Loaded>,
    /// What the linker calls this build, in hexadecimal.
    pub build_id: Option<String>,
    /// The compiler, as the first Rust unit names it.
    pub rustc: Option<String>,
    /// File offset, address and bytes of what is loaded.
    pub segments: Vec<(u64, u64, u64)>,
    /// Allocators that are linked into it.
    pub allocators: Vec<&'static str>,
    /// Share of its own functions that keep a frame pointer.
    pub frame_pointers: f64,
    /// A missing file of split debug information.
    pub missing: Option<PathBuf>,
    /// The machine it is for, as Rust names it.
    pub machine: &'static str,
    /// The system it is for.
    pub system: System,
    /// Why nothing can be preloaded.
    pub alone: Option<&'static str>,
    /// Whether the compiler merged no functions, so that their names are true.
    pub is_unmerged: bool,
    /// What its file lacks, if that describes nothing.
    pub undescribed: Option<String>,
}

/// The symbol by which a program says that none of its functions were merged.
pub const UNMERGED: &str = "weigh_unmerged";

/// A system whose programs a census can be taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// With glibc.
    #[default]
    Linux,
    /// Through the crate alone.
    MacOs,
}

impl System {
    /// As Rust names it.
    pub fn name(self) -> &'static str {
        match self {
            System::Linux => "linux",
            System::MacOs => "macos",
        }
    }
}

impl Program {
    /// The target it is for.
    pub fn triple(&self) -> String {
        let system = match self.system {
            System::Linux => "unknown-linux-gnu",
            System::MacOs => "apple-darwin",
        };
        format!("{}-{system}", self.machine)
    }

    /// The variables that lie in memory while the code is at an address, as they are declared.
    pub fn locals_at(&self, address: u64) -> impl Iterator<Item = &Local> {
        let all = self.locals.iter();
        all.filter(move |local| (local.code.0..local.code.1).contains(&address))
    }

    /// hashbrown's `Group::WIDTH`, in bytes: values of a hash table end at a multiple of it, where
    /// its control bytes begin, and these are so many more than buckets.
    pub fn table_group(&self) -> u64 {
        match self.machine {
            "aarch64" => 8,
            _ => 16,
        }
    }
}

/// A variable of a function.
#[derive(Debug)]
pub struct Local {
    /// Its name, and the function's.
    pub name: Box<str>,
    /// Its type.
    pub ty: TypeId,
    /// The addresses of code while which it lies there.
    pub code: (u64, u64),
    /// What its place is counted from, and how far it is.
    pub base: Base,
    /// Bytes from there.
    pub offset: i64,
}

/// A static.
#[derive(Debug)]
pub struct Static {
    /// Its path.
    pub name: Box<str>,
    /// Its address before the program is loaded.
    pub address: u64,
    /// Its type.
    pub ty: TypeId,
}

/// A function as it is declared, instantiated.
#[derive(Debug, Default)]
pub struct Function {
    /// Its path, with arguments.
    pub name: Box<str>,
    /// Its type arguments by the names of their parameters, those of the `impl` included.
    pub arguments: Vec<(Box<str>, TypeId)>,
}

/// The code of functions, and what is inlined into it.
#[derive(Debug, Default)]
pub struct Functions {
    list: Vec<Function>,
    /// By start.
    code: Vec<Code>,
    inlined: Vec<Inlined>,
    /// Start and end of Rust functions without debug info, such as most of std's; by start.
    symbols: Vec<(u64, u64, Function)>,
}

#[derive(Debug)]
struct Code {
    start: u64,
    end: u64,
    function: u32,
    /// The first of what is inlined into it, and behind the last.
    inlined: (u32, u32),
    /// Whether its unit is.
    optimized: bool,
}

#[derive(Debug)]
struct Inlined {
    start: u64,
    end: u64,
    function: u32,
}

/// A frame: physical or inlined.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'p> {
    /// The function.
    pub function: &'p Function,
    /// Whether it is inlined into the next.
    pub inlined: bool,
    /// Whether the code is optimized: functions of equal code may be folded then.
    pub optimized: bool,
}

impl Functions {
    /// Whether two functions outside of std have one address: a linker has merged them.
    pub fn any_merged(&self) -> bool {
        let mut pairs = self.code.windows(2);
        let name = |code: &Code| &*self.list[code.function as usize].name;
        pairs.any(|pair| {
            pair[0].start == pair[1].start
                && name(&pair[0]) != name(&pair[1])
                && pair.iter().all(|code| !is_std(base(name(code))))
        })
    }

    /// Whether there is a function whose path starts so.
    pub fn has(&self, start: &str) -> bool {
        self.list.iter().any(|f| f.name.starts_with(start))
    }

    /// The declarations of all functions.
    pub fn all(&self) -> impl Iterator<Item = &Function> {
        self.list.iter()
    }

    /// Whether an address is in a function.
    pub fn is_in_one(&self, address: u64) -> bool {
        let after = self.code.partition_point(|c| c.start <= address);
        let code = self.code[..after].last();
        let after = self.symbols.partition_point(|s| s.0 <= address);
        let symbol = self.symbols[..after].last();
        code.is_some_and(|c| address < c.end) || symbol.is_some_and(|s| address < s.1)
    }

    /// The functions that an address is in, the innermost first.
    pub fn at(&self, address: u64) -> Vec<Frame<'_>> {
        let after = self.code.partition_point(|c| c.start <= address);
        let Some(code) = self.code[..after].last().filter(|c| address < c.end) else {
            let after = self.symbols.partition_point(|s| s.0 <= address);
            let symbol = self.symbols[..after].last().filter(|s| address < s.1);
            let frame = symbol.map(|(_, _, function)| Frame {
                function,
                inlined: false,
                optimized: true,
            });
            return frame.into_iter().collect();
        };
        let inlined = &self.inlined[code.inlined.0 as usize..code.inlined.1 as usize];
        let frame = |function: u32, inlined| Frame {
            function: &self.list[function as usize],
            inlined,
            optimized: code.optimized,
        };
        let mut frames = vec![frame(code.function, false)];
        frames.extend(
            inlined
                .iter()
                .filter(|i| (i.start..i.end).contains(&address))
                .map(|i| frame(i.function, true)),
        );
        frames.reverse();
        frames
    }
}

/// Reads a program's file. One that is not of Rust, such as an interpreter, may describe nothing.
///
/// # Errors
/// It cannot be read, is no program that a census can be taken of, or has no full debug
/// information: what is missing, and the flag that adds it.
pub fn read(path: &Path) -> Result<Program, String> {
    let shown = path.display();
    let data = std::fs::read(path).map_err(|e| format!("cannot read {shown}: {e}"))?;
    if data.starts_with(b"#!") {
        return Err(format!(
            "{shown} is a script: name the program that reads it"
        ));
    }
    let file = object::File::parse(&*data).map_err(|e| format!("{shown} is not a program: {e}"))?;
    let (system, machine) = target(&file).ok_or_else(|| {
        format!(
            "{shown} is not for Linux or macOS on x86_64 or aarch64, where alone a census can be \
             taken"
        )
    })?;
    let mut program = match &bundle::of(path, &file)? {
        Some(data) => {
            let file = object::File::parse(&**data).map_err(|e| format!("{shown}.dSYM: {e}"))?;
            described(path, &file)?
        }
        None => described(path, &file)?,
    };
    // What loads libraries may load one that is described.
    if let Some(why) = program
        .undescribed
        .take_if(|_| is_of_rust(&data) && !loads(&file))
    {
        return Err(why);
    }
    (program.system, program.machine) = (system, machine);
    program.alone = alone(&file, system);
    program.build_id = build_id(&file).map(|id| {
        let digits = id.iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    });
    program.segments = file
        .segments()
        .filter(|s| s.file_range().1 > 0)
        .map(|s| (s.file_range().0, s.address(), s.size()))
        .collect();
    symbols(&file, &mut program);
    let mut names = file.symbols().map(|symbol| symbol.name());
    program.is_unmerged = names.any(|name| name == Ok(UNMERGED));
    program.frame_pointers = match system {
        System::Linux => frames::share(&file, machine, &program.functions),
        // All code on macOS has them: unwinding relies on them.
        System::MacOs => 1.0,
    };
    Ok(program)
}

/// Whether a program can load libraries while it runs.
fn loads(file: &object::File<'_>) -> bool {
    let mut all = file.imports().into_iter().flatten().flatten();
    all.any(|import| import.name() == NameOrOrdinal::Name(b"dlopen"))
}

/// Whether a file has code of std, stripped or not: std's own files are named where it panics.
fn is_of_rust(data: &[u8]) -> bool {
    let std = b"/rustc/";
    data.windows(std.len()).any(|part| part == std)
}

/// The system and machine that a file is for, if a census can be taken there.
fn target(file: &object::File<'_>) -> Option<(System, &'static str)> {
    let machine = match file.architecture() {
        object::Architecture::X86_64 => "x86_64",
        object::Architecture::Aarch64 => "aarch64",
        _ => return None,
    };
    match file.format() {
        object::BinaryFormat::Elf => Some((System::Linux, machine)),
        object::BinaryFormat::MachO => Some((System::MacOs, machine)),
        _ => None,
    }
}

/// Why nothing can be preloaded into a program, if so.
fn alone(file: &object::File<'_>, system: System) -> Option<&'static str> {
    if system == System::MacOs {
        return Some("is for macOS");
    }
    let Some(linker) = file.section_by_name(".interp") else {
        return Some("is linked statically");
    };
    let path = linker.data().unwrap_or_default();
    let is_musl = path.windows(7).any(|part| part == b"ld-musl");
    is_musl.then_some("is linked with musl")
}

fn build_id<'d>(file: &object::File<'d>) -> Option<Cow<'d, [u8]>> {
    if let Some(id) = file.build_id().ok()? {
        return Some(id.into());
    }
    Some(file.mach_uuid().ok()??.to_vec().into())
}

/// What a file's debug information says.
fn described(path: &Path, file: &object::File<'_>) -> Result<Program, String> {
    let shown = path.display();
    let sections = sections(file).map_err(|e| format!("{shown}: {e}"))?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut program = units::read(&dwarf, &mut split::Files::beside(path))
        .map_err(|e| format!("{shown}: debug information is damaged: {e}"))?;
    if let Some(missing) = &program.missing {
        return Err(format!(
            "{shown} has its debug information split off into other files, and {} cannot be read: \
             rebuild it, or build it with `-Csplit-debuginfo=off`",
            missing.display()
        ));
    }
    // One type stands for all that is not described.
    if program.types.list.len() <= 1 {
        program.undescribed = Some(match file.section_by_name(".debug_info") {
            Some(info) if info.size() > 0 => format!(
                "{shown} has no debug information of its own code, or only line tables: types need \
                 full debug information, `debug = 2`"
            ),
            Some(_) => format!("{shown} has no debug information: build it with `debug = 2`"),
            None => format!(
                "{shown} has no debug information: build it with `debug = 2` and `strip = false`"
            ),
        });
    }
    Ok(program)
}

/// Takes from symbols what debug info lacks: std's functions, and the allocators that are linked.
fn symbols(file: &object::File<'_>, program: &mut Program) {
    // Functions that each allocator's crate calls to free a block, so that no linker drops them.
    let known = [
        ("mi_free", "mimalloc"),
        ("_rjem_sdallocx", "jemalloc"),
        ("je_sdallocx", "jemalloc"),
        ("sdallocx", "jemalloc"),
        ("sn_rust_dealloc", "snmalloc"),
        ("rpfree", "rpmalloc"),
    ];
    let functions = &mut program.functions.symbols;
    for symbol in file.symbols().filter(|s| s.is_definition()) {
        let name = symbol.name().unwrap_or_default();
        let name = match program.system {
            System::Linux => name,
            // Names of C have an underscore in front on macOS.
            System::MacOs => name.strip_prefix('_').unwrap_or(name),
        };
        let (start, size) = (symbol.address(), symbol.size());
        if name.starts_with("_R") || name.starts_with("_ZN") {
            let readable = addr2line::demangle(name, gimli::DW_LANG_Rust);
            let function = Function {
                name: sites::without_hash(&readable.unwrap_or_default()).into(),
                arguments: Vec::new(),
            };
            functions.push((start, start + size, function));
        } else if program.system == System::MacOs && symbol.kind() == object::SymbolKind::Text {
            functions.push((start, start, Function::default()));
        }
        if let Some((_, allocator)) = known.iter().find(|(n, _)| *n == name)
            && !program.allocators.contains(allocator)
        {
            program.allocators.push(allocator);
        }
    }
    functions.sort_by_key(|s| s.0);
    if program.system == System::MacOs {
        up_to_the_next(functions);
    }
}

/// Symbols on macOS have no sizes: each ends at the next one, which may be another language's.
fn up_to_the_next(symbols: &mut Vec<(u64, u64, Function)>) {
    for at in 1..symbols.len() {
        symbols[at - 1].1 = symbols[at].0;
    }
    symbols.retain(|(start, end, function)| start < end && !function.name.is_empty());
}

fn sections<'d>(
    file: &object::File<'d>,
) -> Result<gimli::DwarfSections<Cow<'d, [u8]>>, object::Error> {
    gimli::DwarfSections::load(|id| match file.section_by_name(id.name()) {
        Some(section) => section.uncompressed_data(),
        None => Ok(Cow::Borrowed(&[][..])),
    })
}

/// Whether a path is of the standard library.
pub fn is_std(path: &str) -> bool {
    let path = path.trim_start_matches(['<', '&', '*', '(', '[']);
    let path = path.strip_prefix("dyn ").unwrap_or(path);
    // `<u8 as alloc::vec::spec_from_elem::SpecFromElem>::from_elem`.
    if let Some((own, implemented)) = path.split_once(" as ")
        && !own.contains("::")
    {
        return is_std(implemented);
    }
    [
        "core::",
        "alloc::",
        "std::",
        "hashbrown::",
        "__r",
        "compiler_builtins::",
        // A slice's own methods, in symbols.
        "_]>::",
    ]
    .iter()
    .any(|start| path.starts_with(start))
}
