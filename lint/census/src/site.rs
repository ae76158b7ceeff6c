//! The type of a block, from the functions that allocated it.
//!
//! LLVM folds functions of equal code, so the name of an out-of-line function proves nothing about
//! its type arguments. A function that is inlined into one without type arguments was called there,
//! unless it was folded before it was inlined, as fat LTO does: then the function that it is
//! inlined into has another type argument. In a program that was built without folding every name
//! is true.

use super::dwarf::{Frame, Function, Program, is_std};
use super::image::Image;
use super::rules::COUNTS;
use super::types::{TypeId, Types, base};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How a block is filled with values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filled {
    /// One value.
    One,
    /// Adjacent values.
    Slice,
    /// The bytes of a text.
    Text,
    /// A hash table's values and control bytes.
    Table,
    /// Two counts and one value.
    Counted,
    /// Counts, then adjacent values from this offset on.
    CountedSlice(u32),
    /// Values of any type, and a footer that says how far.
    Arena,
}

impl Filled {
    /// Values behind a header of so many bytes, which are fewer than 4 GB.
    pub fn counted_slice(start: u64) -> Filled {
        Filled::CountedSlice(u32::try_from(start).unwrap_or(u32::MAX))
    }
}

/// The type that a stack gives to the blocks that were allocated there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The type of the values.
    pub ty: TypeId,
    /// How many there are.
    pub filled: Filled,
    /// Whether the type comes from an inlined function, and not from the name of an out-of-line one
    /// that may have been folded.
    pub sure: bool,
    /// Whether an owner of another type wins: the function may have been folded before it was
    /// inlined.
    pub yields: bool,
}

/// A container's functions: the start of the path, the type parameter that blocks hold, and how.
const RULES: &[(&str, &str, Filled)] = &[
    ("alloc::raw_vec::RawVec<", "T", Filled::Slice),
    ("alloc::vec::", "T", Filled::Slice),
    ("alloc::collections::vec_deque::", "T", Filled::Slice),
    ("alloc::collections::binary_heap::", "T", Filled::Slice),
    ("alloc::slice::", "T", Filled::Slice),
    ("alloc::boxed::Box<[", "T", Filled::Slice),
    ("alloc::boxed::box_new<", "T", Filled::One),
    ("alloc::boxed::", "T", Filled::One),
    ("hashbrown::raw::RawTable<", "T", Filled::Table),
];

/// Functions of containers that make blocks of one value, by the end of the name; others of those
/// paths are about slices and the like.
const BOXES: &[&str] = &[
    "new",
    "new_in",
    "new_uninit",
    "new_uninit_in",
    "pin",
    "box_new",
    "try_new",
];

/// Functions of std that are not generic and allocate nothing but bytes.
const BYTES: &[&str] = &[
    "alloc::fmt::format",
    "alloc::str::",
    "alloc::string::",
    "<alloc::string::String as ",
    "std::ffi::os_str::",
    "std::fs::read::",
    "std::fs::read_to_string::",
    "std::path::",
    "<std::path::PathBuf as ",
];

/// Out-of-line functions that only their own container calls: the inlined frame of the caller has
/// the type.
const INNER: &[&str] = &[
    "grow_one",
    "grow_amortized",
    "do_reserve_and_handle",
    "reserve_rehash",
    "finish_grow",
    "try_allocate_in",
    "with_capacity_in",
    "grow",
];

/// Types whose functions allocate for values of their argument.
const CONTAINERS: &[&str] = &[
    "alloc::boxed::Box<",
    "alloc::raw_vec::RawVec<",
    "alloc::collections::linked_list::LinkedList<",
    "hashbrown::raw::RawTable<",
];

/// Methods of texts, which are bytes.
const TEXT: &str = "alloc::string::String::";

/// Methods of a list, and its nodes, which have the same type argument.
const LIST: &str = "alloc::collections::linked_list::LinkedList<";
const NODE: &str = "alloc::collections::linked_list::Node";

/// The last name of a path, without arguments.
fn last(path: &str) -> &str {
    // `alloc::vec::Vec<a::B, C>::push<a::B>`: the arguments at the end are cut off first.
    let mut depth = 0i32;
    let mut end = path.len();
    let bytes = path.as_bytes();
    if path.ends_with('>') {
        for at in (0..bytes.len()).rev() {
            match bytes[at] {
                b'>' if at == 0 || bytes[at - 1] != b'-' => depth += 1,
                b'<' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = at;
                break;
            }
        }
    }
    let path = &path[..end];
    path.rsplit("::").next().unwrap_or(path)
}

/// rowan's shared blocks, of which syntax trees are made: a count, a kind with a length of text, and
/// the number of values come before these (`ThinArc<GreenNodeHead, _>` in `src/arc.rs` of 0.15 and
/// 0.16).
const TREES: &str = "rowan::arc::";
const TREE_HEAD: u32 = 24;

/// Modules whose containers put counts in front of a slice, and the functions that make its block.
const SHARED: &[&str] = &["alloc::rc::", "alloc::sync::"];
const SHARED_SLICES: &[&str] = &["allocate_for_slice", "from_iter_exact", "copy_from_slice"];

fn rule(function: &Function) -> Option<(TypeId, Filled)> {
    let path = &*function.name;
    if path.starts_with(TREES) && last(path) == "from_header_and_iter" {
        let mut arguments = function.arguments.iter();
        let (_, ty) = arguments.find(|(name, _)| &**name == "T")?;
        return Some((*ty, Filled::CountedSlice(TREE_HEAD)));
    }
    if SHARED.iter().any(|start| path.starts_with(start)) && SHARED_SLICES.contains(&last(path)) {
        let mut arguments = function.arguments.iter();
        let (_, ty) = arguments.find(|(name, _)| &**name == "T")?;
        return Some((*ty, Filled::counted_slice(COUNTS)));
    }
    RULES.iter().find_map(|(start, parameter, filled)| {
        if !path.starts_with(start) {
            return None;
        }
        if *filled == Filled::One && !BOXES.contains(&last(path)) {
            return None;
        }
        let (_, ty) = function
            .arguments
            .iter()
            .find(|(name, _)| &**name == *parameter)?;
        Some((*ty, *filled))
    })
}

/// The type that each stack gives to its blocks.
#[derive(Debug, Default)]
pub struct Sites {
    /// By the stack's number.
    pub by_stack: FxHashMap<u32, Site>,
    /// Stacks whose innermost function is not Rust.
    pub foreign: rustc_hash::FxHashSet<u32>,
}

/// Works out the type of each stack.
pub fn read(image: &Image, program: &Program, bias: u64) -> Sites {
    let functions = &program.functions;
    let byte = program.types.ids();
    let byte = byte
        .into_iter()
        .find(|ty| &*program.types[*ty].name == "u8");
    let mut known: FxHashMap<u64, Vec<Frame<'_>>> = FxHashMap::default();
    let mut sites = Sites::default();
    let (mut all, mut is_folded) = (Vec::new(), false);
    let mut stacks: Vec<_> = image.stacks.iter().collect();
    stacks.sort_unstable();
    for (&id, stack) in stacks {
        let mut chains = Vec::new();
        let mut foreign = None;
        for &address in stack.iter().take(16) {
            // The call instruction ends where it returns to.
            let at = address.wrapping_sub(bias).wrapping_sub(1);
            let frames = known.entry(at).or_insert_with(|| functions.at(at)).clone();
            foreign.get_or_insert(frames.is_empty());
            let ends = frames
                .iter()
                .any(|f| !is_std(&f.function.name) && !is_ours(f));
            let allocates = is_allocator(&frames, chains.is_empty());
            chains.push(frames);
            if allocates {
                // Frames of the program's own allocator say nothing about the block.
                chains.clear();
                continue;
            }
            if ends {
                break;
            }
        }
        if foreign.unwrap_or(true) {
            sites.foreign.insert(id);
        } else if let Some(said) = of(&chains, &program.types, byte, program.is_unmerged) {
            is_folded |= said.doubt == Some(Doubt::Folded);
            all.push((id, said));
        }
    }
    let alone = (!program.is_unmerged).then(|| contained(program));
    // Where one function was folded before it was inlined, others were too, mostly without a trace.
    let shared = is_folded.then(|| shared_sizes(program));
    for (
        id,
        TypedStack {
            mut site,
            optimized,
            ..
        },
    ) in all
    {
        let size = program.types[site.ty].size;
        // Equal code has values of one size: of all containers, those of one type alone.
        site.sure |= alone
            .as_ref()
            .and_then(|all| all.get(&size))
            .is_some_and(|types| types.len() == 1 && types.contains(&site.ty));
        site.yields = optimized && shared.as_ref().is_some_and(|s| s.contains(&size));
        sites.by_stack.insert(id, site);
    }
    sites
}

/// Whether a call is a part of the global allocator: rustc's functions around it, or, where these
/// only jump, its own.
fn is_allocator(frames: &[Frame<'_>], is_first: bool) -> bool {
    let Some(physical) = frames.last() else {
        return false;
    };
    let name = last(&physical.function.name);
    let shim = ["__rust_alloc", "__rust_realloc", "__rg_", "__rdl_"];
    shim.iter().any(|start| name.starts_with(start))
        || is_first
            && ["alloc", "alloc_zeroed", "realloc"].contains(&name)
            && !is_std(&physical.function.name)
}

fn is_ours(frame: &Frame<'_>) -> bool {
    frame.function.name.starts_with("weigh_heap::")
}

/// A contradiction between an allocation and the functions of std that it is inlined into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// They cannot have called the inlined function: it was folded with another.
    Folded,
    /// They are about other values of the same size. Of equal code are only functions whose values
    /// have one size; containers of containers allocate for values of both.
    Perhaps,
}

fn doubt(outer: &[Frame<'_>], said: (TypeId, Filled), types: &Types) -> Option<Doubt> {
    let (ty, filled) = said;
    let own = outer
        .iter()
        .take_while(|frame| is_std(base(&frame.function.name)));
    let doubts = own.into_iter().filter_map(|frame| {
        let name = &*frame.function.name;
        let mut arguments = frame.function.arguments.iter();
        if name.starts_with(LIST) && types.base(ty) == NODE {
            let element = types.argument(ty, "T")?;
            let other = arguments.any(|(name, ty)| &**name == "T" && *ty != element);
            return other.then_some(Doubt::Folded);
        }
        if name.starts_with(TEXT) && types[ty].size == 1 && &*types[ty].name != "u8" {
            return Some(Doubt::Folded);
        }
        match rule(frame.function) {
            Some((other, how)) if other != ty && types[other].size == types[ty].size => {
                Some(match (how, filled) {
                    (Filled::One, Filled::One) => Doubt::Folded,
                    _ => Doubt::Perhaps,
                })
            }
            _ => None,
        }
    });
    doubts.reduce(|a, b| if a == Doubt::Folded { a } else { b })
}

/// Sizes for which containers have values of several types.
fn shared_sizes(program: &Program) -> FxHashSet<u64> {
    let all = contained(program).into_iter();
    let several = all.filter(|(_, types)| types.len() > 1);
    several.map(|(size, _)| size).collect()
}

/// The types of values in the program's containers, by size.
pub fn contained(program: &Program) -> FxHashMap<u64, BTreeSet<TypeId>> {
    let types = &program.types;
    let of_types = types.ids().filter_map(|ty| {
        let is_one = CONTAINERS.iter().any(|c| types[ty].name.starts_with(c));
        is_one.then(|| types.argument(ty, "T").or_else(|| types.pointee(ty)))?
    });
    let of_functions = program.functions.all().filter_map(rule).map(|(ty, _)| ty);
    let mut by_size: FxHashMap<u64, BTreeSet<TypeId>> = FxHashMap::default();
    for ty in of_types.chain(of_functions) {
        by_size.entry(types[ty].size).or_default().insert(ty);
    }
    by_size
}

/// Whether one of the functions that another is inlined into is not generic, or is a closure in
/// such a function.
fn is_written_there(outer: &[Frame<'_>]) -> bool {
    let (physical, inlined) = outer.split_last().unzip();
    let alone = |frame: &Frame<'_>| frame.function.arguments.is_empty();
    physical.is_some_and(alone)
        || inlined
            .into_iter()
            .flatten()
            .any(|frame| alone(frame) && !is_std(base(&frame.function.name)) && !is_ours(frame))
}

/// The type that a stack gives, and whether it is sure.
#[derive(Clone, Copy, Debug)]
struct TypedStack {
    site: Site,
    optimized: bool,
    doubt: Option<Doubt>,
}

fn of(
    chains: &[Vec<Frame<'_>>],
    types: &Types,
    byte: Option<TypeId>,
    is_unmerged: bool,
) -> Option<TypedStack> {
    let mut guess = None;
    for frames in chains {
        let physical = frames.last()?;
        for (index, frame) in frames.iter().enumerate() {
            if is_ours(frame) {
                continue;
            }
            if let Some((ty, filled)) = rule(frame.function) {
                let in_doubt = frame.optimized && !is_unmerged;
                let doubt = match in_doubt {
                    true => doubt(&frames[index + 1..], (ty, filled), types),
                    false => None,
                };
                let sure = match frame.inlined {
                    true => {
                        let outer = &frames[index + 1..];
                        !in_doubt || doubt.is_none() && is_written_there(outer)
                    }
                    false => !in_doubt,
                };
                let said = TypedStack {
                    site: Site {
                        ty,
                        filled,
                        sure,
                        yields: false,
                    },
                    optimized: frame.optimized,
                    doubt,
                };
                if sure {
                    return Some(said);
                }
                guess.get_or_insert(said);
                // An out-of-line function of std, perhaps folded: the caller has the type, if the
                // call is a part of its own work.
                if !is_std(&physical.function.name)
                    || !INNER.contains(&last(&physical.function.name))
                {
                    return guess;
                }
                break;
            }
            let name = &*frame.function.name;
            if guess.is_none()
                && frame.function.arguments.is_empty()
                && BYTES.iter().any(|start| name.starts_with(start))
                && let Some(ty) = byte
            {
                let site = Site {
                    ty,
                    filled: Filled::Slice,
                    sure: true,
                    yields: false,
                };
                return Some(TypedStack {
                    site,
                    optimized: frame.optimized,
                    doubt: None,
                });
            }
            if !is_std(base(name)) {
                return guess;
            }
        }
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::{Filled, Site, is_allocator, is_std, last, of};
    use crate::dwarf::{Frame, Function};
    use crate::types::{Kind, Type, TypeId, Types};

    #[test]
    fn the_last_name_of_a_path() {
        assert_eq!(
            last("alloc::vec::Vec<a::B<u8>, C>::push<a::B<u8>, C>"),
            "push"
        );
        assert_eq!(last("a::b"), "b");
        assert_eq!(last("a::b<fn() -> u8>"), "b");
        assert_eq!(last("alloc::vec::{impl#3}::clone<T>"), "clone");
    }

    const BYTE: TypeId = TypeId(0);
    const NUMBER: TypeId = TypeId(1);
    const BYTES: TypeId = TypeId(2);
    const ENTRY: TypeId = TypeId(3);
    const OTHER: TypeId = TypeId(4);
    const FLAG: TypeId = TypeId(5);

    fn types() -> Types {
        let ty = |name: &str, size, arguments: &[TypeId]| Type {
            name: name.into(),
            size,
            kind: Kind::Opaque,
            arguments: arguments.iter().map(|ty| ("T".into(), *ty)).collect(),
        };
        let list = vec![
            ty("u8", 1, &[]),
            ty("i64", 8, &[]),
            ty("alloc::vec::Vec<u8>", 24, &[BYTE]),
            ty("alloc::collections::linked_list::Node<i64>", 24, &[NUMBER]),
            ty("alloc::collections::linked_list::Node<u8>", 24, &[BYTE]),
            ty("bool", 1, &[]),
        ];
        Types { list }
    }

    /// What these functions say, each inlined into the next, and these into one of a program.
    fn said(functions: &[(&str, TypeId)]) -> Option<Site> {
        let function = |(name, ty): &(&str, TypeId)| Function {
            name: (*name).into(),
            arguments: vec![("T".into(), *ty)],
        };
        let inlined: Vec<Function> = functions.iter().map(function).collect();
        let physical = Function {
            name: "a::f".into(),
            arguments: Vec::new(),
        };
        let mut frames: Vec<Frame<'_>> = inlined.iter().map(|f| frame(f, true)).collect();
        frames.push(frame(&physical, false));
        of(&[frames], &types(), Some(BYTE), false).map(|said| said.site)
    }

    #[test]
    fn a_function_that_was_folded_before_it_was_inlined_proves_nothing() {
        let is_sure = |functions: &[(&str, TypeId)]| said(functions).map(|site| site.sure);
        let (uninit, new) = (
            "alloc::boxed::{impl#1}::new_uninit_in",
            "alloc::boxed::{impl#1}::new_in",
        );
        let push = "alloc::collections::linked_list::LinkedList<i64>::push_front";
        let agreed = [(uninit, ENTRY), (new, ENTRY), (push, NUMBER)];
        assert_eq!(is_sure(&agreed), Some(true));
        assert_eq!(is_sure(&[(uninit, OTHER), (new, ENTRY)]), Some(false));
        let whole = [(uninit, OTHER), (new, OTHER), (push, NUMBER)];
        assert_eq!(is_sure(&whole), Some(false));
    }

    #[test]
    fn blocks_of_syntax_trees_have_a_head() {
        for name in [
            "rowan::arc::ThinArc<H,T>::from_header_and_iter",
            "rowan::arc::{impl#11}::from_header_and_iter<a::Head, a::Child, a::Iter>",
        ] {
            let site = said(&[(name, ENTRY)]).map(|site| (site.ty, site.filled));
            assert_eq!(site, Some((ENTRY, Filled::CountedSlice(24))), "{name}");
        }
        assert!(said(&[("rowan::arc::{impl#11}::other", ENTRY)]).is_none());
    }

    fn frame(function: &Function, inlined: bool) -> Frame<'_> {
        Frame {
            function,
            inlined,
            optimized: true,
        }
    }

    #[test]
    fn what_allocates_and_what_only_begins_so() {
        let allocates = |name: &str| {
            let function = Function {
                name: name.into(),
                arguments: Vec::new(),
            };
            is_allocator(&[frame(&function, false)], false)
        };
        assert!(allocates("__rustc::__rust_alloc_zeroed"));
        assert!(allocates("__rustc::__rdl_realloc"));
        // All that a thread does may be inlined into it.
        assert!(!allocates(
            "std::sys::backtrace::__rust_begin_short_backtrace<a::f::{closure_env#0}, ()>"
        ));
    }

    #[test]
    fn what_std_implements_for_primitive_types_is_its_own() {
        assert!(is_std(
            "<u8 as alloc::vec::spec_from_elem::SpecFromElem>::from_elem"
        ));
        assert!(is_std("<u8 as <[_]>::to_vec_in::ConvertVec>::to_vec"));
        assert!(is_std(
            "<&str as <std::ffi::os_str::OsString>::push::SpecPushTo>::spec_push_to"
        ));
        assert!(is_std(
            "<alloc::string::String as core::fmt::Write>::write_str"
        ));
        assert!(!is_std("<u8 as a::Bytes>::all"));
        assert!(!is_std("<a::B as core::clone::Clone>::clone"));
    }

    #[test]
    fn a_closure_of_a_function_that_is_not_generic_was_written_there() {
        let function = |name: &str, ty: Option<TypeId>| Function {
            name: name.into(),
            arguments: ty.map(|ty| ("T".into(), ty)).into_iter().collect(),
        };
        let push = function("alloc::vec::Vec<i64>::push", Some(NUMBER));
        let thread = function("std::thread::run<a::f::{closure_env#0}>", Some(ENTRY));
        let sure = |closure: &Function| {
            let frames = vec![
                frame(&push, true),
                frame(closure, true),
                frame(&thread, false),
            ];
            of(&[frames], &types(), Some(BYTE), false).map(|said| said.site.sure)
        };
        assert_eq!(sure(&function("a::f::{closure#0}", None)), Some(true));
        assert_eq!(
            sure(&function("a::f::{closure#0}<i64>", Some(NUMBER))),
            Some(false)
        );
    }

    #[test]
    fn functions_of_std_without_arguments_ask_for_bytes() {
        let said = |name: &str| {
            let function = Function {
                name: name.into(),
                arguments: Vec::new(),
            };
            let said = of(
                &[vec![frame(&function, false)]],
                &types(),
                Some(BYTE),
                false,
            );
            said.map(|said| (said.site.ty, said.site.sure))
        };
        assert_eq!(said("std::path::Path::_join"), Some((BYTE, true)));
        assert_eq!(said("a::path::join"), None);
    }

    #[test]
    fn a_text_is_of_bytes() {
        let (inner, outer) = (
            "alloc::vec::Vec<bool>::into_boxed_slice",
            "alloc::string::String::into_boxed_str",
        );
        let sure = |ty| said(&[(inner, ty), (outer, ty)]).map(|site| site.sure);
        assert_eq!(sure(BYTE), Some(true));
        assert_eq!(sure(FLAG), Some(false));
    }

    #[test]
    fn a_container_of_containers_is_no_contradiction() {
        let inner = "alloc::vec::Vec<u8>::clone";
        let outer = "alloc::slice::{impl#0}::to_vec_in";
        let site = said(&[(inner, BYTE), (outer, BYTES)]);
        let wanted = Site {
            ty: BYTE,
            filled: Filled::Slice,
            sure: true,
            yields: false,
        };
        assert_eq!(site, Some(wanted));
    }
}
