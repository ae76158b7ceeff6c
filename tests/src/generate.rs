//! Generates type definitions that compile, deterministically from a seed.

mod enums;
mod fields;
mod library;
mod program;
mod scopes;

use fields::Field;
pub use program::{DIGITS, library};
use scopes::Scope;

/// A random number generator: splitmix64.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator; each seed has its own sequence.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Returns true with probability `1/n`.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A generated struct, enum or union.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its path in the crate.
    pub path: String,
    /// Its definition, with the items that it needs.
    pub text: String,
    /// The names of each variant and its fields; a struct or union is one variant.
    pub variants: Vec<(String, Vec<String>)>,
    /// `struct`, `enum`, `union`; `generic` with parameters, and so without a size of its own.
    pub kind: &'static str,
}

/// A struct, enum or union that later definitions may use.
#[derive(Clone, Debug)]
struct Known {
    // weigh: allow(small_string, reason = "a few hundred, in a test")
    name: String,
    /// Number of its type parameters, and whether it has a const parameter.
    params: usize,
    length: bool,
    /// An upper bound on its size in bytes, without its parameters.
    bound: u64,
    /// Whether it contains `repr(align)`, so that `packed` types may not contain it.
    aligned: bool,
}

/// The generator with the definitions so far.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    known: Vec<Known>,
    made: Vec<Definition>,
    /// Parameters of the current definition.
    params: usize,
    length: bool,
    scope: Scope,
}

/// Maximum size of a type, in bytes.
const LIMIT: u64 = 1 << 20;

impl Definition {
    /// Returns the count of numbers in its layout: size, alignment, and an offset per field.
    pub fn numbers(&self) -> usize {
        let fields = self.variants.iter().map(|(_, fields)| fields.len());
        2 + fields.sum::<usize>()
    }
}

impl Generator {
    /// Generates `count` types without parameters, and the generic ones that they use.
    pub fn types(seed: u64, count: usize) -> Vec<Definition> {
        let mut generator = Generator {
            random: Random::new(seed),
            known: Vec::new(),
            made: Vec::new(),
            params: 0,
            length: false,
            scope: Scope::new(),
        };
        while generator
            .made
            .iter()
            .filter(|d| d.kind != "generic")
            .count()
            < count
        {
            generator.define();
        }
        generator.made
    }

    fn define(&mut self) {
        let name = format!("T{}", self.made.len());
        let around = self.enter_scope();
        if self.random.once_in(8) {
            self.params = self.random.below(3);
            self.length = self.params == 0 || self.random.once_in(3);
        }
        match self.random.below(10) {
            0..=3 => self.structure(name),
            4..=8 => self.enumeration(name),
            _ => self.union(name),
        }
        (self.params, self.length) = (0, false);
        self.leave_scope(around);
    }

    /// Returns `<A, B, const N: usize>`, or nothing.
    fn declared_params(&self) -> String {
        let mut list: Vec<String> = (0..self.params)
            .map(|i| format!("{}: 'static", param(i)))
            .collect();
        if self.length {
            list.push("const N: usize".to_owned());
        }
        match list.is_empty() {
            true => String::new(),
            false => format!("<{}>", list.join(", ")),
        }
    }

    /// Returns a zero-sized field that uses each type parameter.
    fn marker(&self) -> Option<Field> {
        let names: Vec<_> = (0..self.params).map(param).collect();
        (!names.is_empty()).then(|| {
            let text = format!("std::marker::PhantomData<({},)>", names.join(", "));
            Field {
                text,
                bound: 0,
                aligned: false,
                copy: true,
            }
        })
    }

    fn finish(
        &mut self,
        name: String,
        text: String,
        variants: Vec<(String, Vec<String>)>,
        kind: &'static str,
        (bound, aligned): (u64, bool),
    ) {
        let generic = self.params > 0 || self.length;
        self.known.push(Known {
            name: name.clone(),
            params: self.params,
            length: self.length,
            bound,
            aligned,
        });
        let kind = if generic { "generic" } else { kind };
        self.made.push(Definition {
            path: name.clone(),
            name,
            text,
            variants,
            kind,
        });
    }

    fn structure(&mut self, name: String) {
        let repr = self.random.below(12);
        let packed = repr < 2 && self.params == 0;
        let transparent = repr == 2;
        let mut list = Vec::new();
        let count = if transparent { 1 } else { self.random.below(8) };
        while list.len() < count {
            let field = self.field(0);
            if !(packed && field.aligned) {
                list.push(field);
            }
        }
        if transparent && self.random.once_in(2) {
            let unit = ["()", "[u8; 0]", "std::marker::PhantomData<u64>"];
            list.push(Field::plain(self.random.pick(&unit), 0));
        }
        // At a random index: whether the last field may be unsized affects the layout.
        if let Some(marker) = self.marker() {
            let at = self.random.below(list.len() + 1);
            list.insert(at, marker);
        }
        let n = self.random.pick(&[2, 4, 8, 16, 64, 1024]);
        let small = self.random.pick(&[1, 2, 4, 8, 16]);
        let attribute = match repr {
            0 if packed => format!("#[repr(packed({small}))]\n"),
            1 if packed => format!("#[repr(C, packed({small}))]\n"),
            2 => "#[repr(transparent)]\n".to_owned(),
            3 => format!("#[repr(align({n}))]\n"),
            4 => format!("#[repr(C, align({n}))]\n"),
            5 | 6 => "#[repr(C)]\n".to_owned(),
            _ => String::new(),
        };
        let aligned = matches!(repr, 3 | 4) || list.iter().any(|f| f.aligned);
        let bound = total(&list) + if matches!(repr, 3 | 4) { n } else { 0 };
        let named = self.random.once_in(2);
        let params = self.declared_params();
        let fields = names(&list, named);
        let body = match named {
            true => format!(" {}", braces(&list, "pub ")),
            false => format!("{};", parentheses(&list, "pub ")),
        };
        let text = format!("{attribute}pub struct {name}{params}{body}");
        let variants = vec![(name.clone(), fields)];
        self.finish(name, text, variants, "struct", (bound, aligned));
    }

    fn union(&mut self, name: String) {
        let repr = self.random.below(8);
        let packed = repr < 2 && self.params == 0;
        let mut list: Vec<Field> = Vec::new();
        let count = 1 + self.random.below(4);
        while list.len() < count {
            let field = self.field(0);
            if packed && field.aligned {
                continue;
            }
            list.push(match field.copy {
                true => field,
                false => field.within("std::mem::ManuallyDrop<", ">"),
            });
        }
        list.extend(self.marker());
        let attribute = match repr {
            0 if packed => "#[repr(packed)]\n",
            1 if packed => "#[repr(C, packed(2))]\n",
            2 => "#[repr(C)]\n",
            3 => "#[repr(C, align(32))]\n",
            4 => "#[repr(align(8))]\n",
            _ => "",
        };
        let aligned = matches!(repr, 3 | 4) || list.iter().any(|f| f.aligned);
        let params = self.declared_params();
        let text = format!(
            "{attribute}pub union {name}{params} {}",
            braces(&list, "pub ")
        );
        let variants = vec![(name.clone(), names(&list, true))];
        let bound = total(&list) + 32;
        self.finish(name, text, variants, "union", (bound, aligned));
    }
}

fn param(i: usize) -> &'static str {
    ["A", "B"][i]
}

fn total(list: &[Field]) -> u64 {
    list.iter().map(|f| f.bound + 16).sum()
}

fn names(list: &[Field], named: bool) -> Vec<String> {
    let name = |i| {
        if named {
            format!("f{i}")
        } else {
            format!("{i}")
        }
    };
    (0..list.len()).map(name).collect()
}

fn braces(list: &[Field], vis: &str) -> String {
    let fields = list
        .iter()
        .enumerate()
        .map(|(i, f)| format!("{vis}f{i}: {}", f.text));
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

fn parentheses(list: &[Field], vis: &str) -> String {
    let fields: Vec<_> = list.iter().map(|f| format!("{vis}{}", f.text)).collect();
    format!("({})", fields.join(", "))
}
