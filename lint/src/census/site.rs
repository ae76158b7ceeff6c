//! What a block holds, by the functions that made it.
//!
//! LLVM makes one function of two with equal code, so the name of a function that is called proves
//! nothing about its type arguments. What is inlined into a function without type arguments was
//! written there, unless it had been made one with another before it was inlined, as fat LTO does:
//! then it is called by a function that says another type.

use super::dwarf::{Frame, Program, is_std};
use super::image::Image;
use super::types::{TypeId, Types, base};
use rustc_hash::FxHashMap;

/// How a block is filled with values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filled {
    /// One value.
    One,
    /// Values one behind the other.
    Slice,
    /// A hash table's values and control bytes.
    Table,
    /// Two counts and one value.
    Counted,
    /// Counts, and from there on values one behind the other.
    CountedSlice(u64),
    /// Values of any type, and what says how far.
    Arena,
}

/// What a stack says of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The type of the values.
    pub ty: TypeId,
    /// How many there are.
    pub filled: Filled,
    /// Whether it cannot be the name of another function of equal code.
    pub sure: bool,
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

/// Functions that are not inlined and that only their own container calls: the caller's inlined
/// frame says of what.
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

/// Methods of a list, whose nodes have the type argument that they have.
const LIST: &str = "alloc::collections::linked_list::LinkedList<";

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

fn rule(frame: &Frame<'_>) -> Option<(TypeId, Filled)> {
    let path = &*frame.function.name;
    RULES.iter().find_map(|(start, parameter, filled)| {
        if !path.starts_with(start) {
            return None;
        }
        if *filled == Filled::One && !BOXES.contains(&last(path)) {
            return None;
        }
        let arguments = &frame.function.arguments;
        let (_, ty) = arguments.iter().find(|(name, _)| &**name == *parameter)?;
        Some((*ty, *filled))
    })
}

/// What each stack says.
#[derive(Debug, Default)]
pub struct Sites {
    /// By the stack's number.
    pub by_stack: FxHashMap<u32, Site>,
    /// Stacks that no Rust code is in first.
    pub foreign: rustc_hash::FxHashSet<u32>,
}

/// Asks every stack.
pub fn read(image: &Image, program: &Program, bias: u64) -> Sites {
    let functions = &program.functions;
    let mut known: FxHashMap<u64, Vec<Frame<'_>>> = FxHashMap::default();
    let mut sites = Sites::default();
    let mut stacks: Vec<_> = image.stacks.iter().collect();
    stacks.sort_unstable();
    for (&id, stack) in stacks {
        let mut chains = Vec::new();
        let mut foreign = None;
        for &address in stack.iter().take(16) {
            // The call is before the place that it returns to.
            let at = address.wrapping_sub(bias).wrapping_sub(1);
            let frames = known.entry(at).or_insert_with(|| functions.at(at)).clone();
            foreign.get_or_insert(frames.is_empty());
            let ends = frames
                .iter()
                .any(|f| !is_std(&f.function.name) && !is_ours(f));
            let allocates = is_allocator(&frames, chains.is_empty());
            chains.push(frames);
            if allocates {
                // What the program's own allocator is made of says nothing of the block.
                chains.clear();
                continue;
            }
            if ends {
                break;
            }
        }
        if foreign.unwrap_or(true) {
            sites.foreign.insert(id);
        } else if let Some(site) = of(&chains, &program.types) {
            sites.by_stack.insert(id, site);
        }
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
    let shim = ["__rust_", "__rg_", "__rdl_"];
    shim.iter().any(|start| name.starts_with(start))
        || is_first
            && ["alloc", "alloc_zeroed", "realloc"].contains(&name)
            && !is_std(&physical.function.name)
}

fn is_ours(frame: &Frame<'_>) -> bool {
    frame.function.name.starts_with("weigh_heap::")
}

/// Whether one of the functions of std that an allocation is inlined into is about other values of
/// the same size. Of equal code are only functions whose values have one size; a container of
/// containers allocates for values of both.
fn is_other(outer: &[Frame<'_>], ty: TypeId, types: &Types) -> bool {
    let own = outer
        .iter()
        .take_while(|frame| is_std(base(&frame.function.name)));
    own.into_iter().any(|frame| {
        let is_list = frame.function.name.starts_with(LIST);
        let mut arguments = frame.function.arguments.iter();
        let node = types.argument(ty, "T").filter(|_| is_list);
        match (node, rule(frame)) {
            (Some(element), _) => arguments.any(|(name, ty)| &**name == "T" && *ty != element),
            (None, Some((other, _))) => other != ty && types[other].size == types[ty].size,
            (None, None) => false,
        }
    })
}

fn of(chains: &[Vec<Frame<'_>>], types: &Types) -> Option<Site> {
    let mut guess = None;
    for frames in chains {
        let physical = frames.last()?;
        let generic = !physical.function.arguments.is_empty();
        for (index, frame) in frames.iter().enumerate() {
            if is_ours(frame) {
                continue;
            }
            if let Some((ty, filled)) = rule(frame) {
                let sure = match (frame.optimized, frame.inlined) {
                    (false, _) => true,
                    (true, inlined) => {
                        inlined && !generic && !is_other(&frames[index + 1..], ty, types)
                    }
                };
                let site = Site { ty, filled, sure };
                if sure {
                    return Some(site);
                }
                guess.get_or_insert(site);
                // A function of std with code of its own, perhaps called for another type: the
                // caller knows, if this is a part of what it does.
                if !is_std(&physical.function.name)
                    || !INNER.contains(&last(&physical.function.name))
                {
                    return guess;
                }
                break;
            }
            if !is_std(base(&frame.function.name)) {
                return guess;
            }
        }
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::{Filled, Site, last, of};
    use crate::census::dwarf::{Frame, Function};
    use crate::census::types::{Kind, Type, TypeId, Types};

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
    const NODE: TypeId = TypeId(3);
    const OTHER: TypeId = TypeId(4);

    /// What these functions say, each inlined into the next, and these into one of a program.
    fn said(functions: &[(&str, TypeId)]) -> Option<Site> {
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
        ];
        let function = |(name, ty): &(&str, TypeId)| Function {
            name: (*name).into(),
            arguments: vec![("T".into(), *ty)],
        };
        let inlined: Vec<Function> = functions.iter().map(function).collect();
        let physical = Function {
            name: "a::f".into(),
            arguments: Vec::new(),
        };
        let frame = |function, inlined| Frame {
            function,
            inlined,
            optimized: true,
        };
        let mut frames: Vec<Frame<'_>> = inlined.iter().map(|f| frame(f, true)).collect();
        frames.push(frame(&physical, false));
        of(&[frames], &Types { list })
    }

    #[test]
    fn a_function_that_was_folded_before_it_was_inlined_proves_nothing() {
        let is_sure = |functions: &[(&str, TypeId)]| said(functions).map(|site| site.sure);
        let (uninit, new) = (
            "alloc::boxed::{impl#1}::new_uninit_in",
            "alloc::boxed::{impl#1}::new_in",
        );
        let push = "alloc::collections::linked_list::LinkedList<i64>::push_front";
        let agreed = [(uninit, NODE), (new, NODE), (push, NUMBER)];
        assert_eq!(is_sure(&agreed), Some(true));
        assert_eq!(is_sure(&[(uninit, OTHER), (new, NODE)]), Some(false));
        let whole = [(uninit, OTHER), (new, OTHER), (push, NUMBER)];
        assert_eq!(is_sure(&whole), Some(false));
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
        };
        assert_eq!(site, Some(wanted));
    }
}
