//! Generates programs that build random values of random types and count them themselves, with the
//! `Tally` of `fixtures/census`.

use crate::generate::Random;
use std::fmt::Write;
use std::ops::Range;

/// Types that own no heap memory.
const PLAIN: [&str; 12] = [
    "u8",
    "u16",
    "u32",
    "i64",
    "u128",
    "bool",
    "char",
    "f64",
    "Option<bool>",
    "Option<char>",
    "std::num::NonZeroU32",
    "&'static str",
];

/// Maximum nesting of types in one field.
const DEEPEST: u32 = 3;

/// The type of a field.
#[derive(Clone, Debug)]
enum Type {
    Plain(&'static str),
    /// A definition of the same graph.
    Own(usize),
    /// The enclosing type, as `Option<Box<_>>`.
    Itself(usize),
    Text(&'static str),
    One(&'static str, Box<Type>),
    List(&'static str, Box<Type>),
    Pair(Box<Type>, Box<Type>),
    Either(Box<Type>, Box<Type>),
    Array(Box<Type>),
    /// A generic struct of the same graph.
    Both(Box<Type>),
    /// A definition as a trait object.
    Dyn(usize),
}

impl Type {
    /// Returns true if it may contain a tree, whose size is unknown.
    fn has_tree(&self) -> bool {
        match self {
            Type::List(outer, _) => *outer == "BTreeMap",
            Type::One("Option" | "RefCell", inner) | Type::Array(inner) => inner.has_tree(),
            Type::Either(a, b) => a.has_tree() || b.has_tree(),
            _ => false,
        }
    }

    fn name(&self) -> String {
        match self {
            Type::Plain(name) | Type::Text(name) => (*name).to_owned(),
            Type::Own(n) => format!("T{n}"),
            Type::Itself(n) => format!("Option<Box<T{n}>>"),
            Type::One(outer, inner) => format!("{outer}<{}>", inner.name()),
            Type::List("Box", inner) => format!("Box<[{}]>", inner.name()),
            Type::List(outer @ ("HashMap" | "BTreeMap"), inner) => {
                format!("{outer}<u32, {}>", inner.name())
            }
            Type::List(outer, inner) => format!("{outer}<{}>", inner.name()),
            Type::Pair(a, b) => format!("({}, {})", a.name(), b.name()),
            Type::Either(a, b) => format!("Result<{}, {}>", a.name(), b.name()),
            Type::Array(inner) => format!("[{}; 2]", inner.name()),
            Type::Both(inner) => format!("Both<{}>", inner.name()),
            Type::Dyn(_) => "Box<dyn Named>".to_owned(),
        }
    }
}

/// A variant or a struct: its name, and its fields' names and types.
type Variant = (String, Vec<(String, Type)>);

/// The definitions of a graph; each contains only later ones, and itself.
struct Graph {
    number: u64,
    random: Random,
    definitions: Vec<(bool, Vec<Variant>)>,
}

/// The field that a container is counted for.
#[derive(Clone)]
struct Owner {
    ty: String,
    field: String,
}

impl Owner {
    fn inside(&self) -> Owner {
        // Deeper levels are counted together.
        let deep = self.field.matches("[]").count() > 3;
        self.further(if deep { "" } else { "[]" })
    }

    fn further(&self, more: &str) -> Owner {
        Owner {
            ty: self.ty.clone(),
            field: format!("{}{more}", self.field),
        }
    }

    /// Returns a statement that counts a container.
    fn counts(&self, len: &str, capacity: &str) -> String {
        format!(
            "b.field({:?}, {:?}, {len}, {capacity});",
            self.ty, self.field
        )
    }
}

impl Graph {
    fn new(seed: u64) -> Graph {
        let mut graph = Graph {
            number: seed,
            random: Random::new(seed),
            definitions: Vec::new(),
        };
        let count = 3 + graph.random.below(5);
        for n in 0..count {
            let is_enum = graph.random.once_in(2);
            let variants = match is_enum {
                false => vec![(String::new(), graph.fields(n, count, 1))],
                true => {
                    let variants = 2 + graph.random.below(4);
                    let named = |v: usize| format!("V{v}");
                    (0..variants)
                        .map(|v| (named(v), graph.fields(n, count, 0)))
                        .collect()
                }
            };
            graph.definitions.push((is_enum, variants));
        }
        graph
    }

    fn fields(&mut self, own: usize, count: usize, least: usize) -> Vec<(String, Type)> {
        let number = least + self.random.below(4);
        let is_tuple = self.random.once_in(3);
        let name = |n: usize| match is_tuple {
            true => n.to_string(),
            false => format!("f{n}"),
        };
        (0..number)
            .map(|n| (name(n), self.ty(own, count, DEEPEST)))
            .collect()
    }

    fn ty(&mut self, own: usize, count: usize, depth: u32) -> Type {
        let behind = count - own - 1;
        if depth == 0 || self.random.once_in(4) {
            return match behind {
                0 => Type::Plain(self.random.pick(&PLAIN)),
                _ => Type::Own(own + 1 + self.random.below(behind)),
            };
        }
        let inner = |graph: &mut Graph| Box::new(graph.ty(own, count, depth - 1));
        match self.random.below(10) {
            0 => Type::Plain(self.random.pick(&PLAIN)),
            1 => Type::Text(self.random.pick(&["String", "Box<str>", "Rc<str>"])),
            2 => {
                let outer = ["Box", "Option", "Rc", "Arc", "RefCell"];
                Type::One(self.random.pick(&outer), inner(self))
            }
            3 | 4 => {
                let outer = [
                    "Vec",
                    "VecDeque",
                    "LinkedList",
                    "HashMap",
                    "BTreeMap",
                    "Box",
                ];
                Type::List(self.random.pick(&outer), inner(self))
            }
            5 => Type::Pair(inner(self), inner(self)),
            6 => {
                let both = Type::Either(inner(self), inner(self));
                match both.has_tree() {
                    true => Type::Text("String"),
                    false => both,
                }
            }
            7 => match behind {
                _ if self.random.once_in(2) => Type::Array(inner(self)),
                0 => Type::Both(Box::new(Type::Plain("u32"))),
                // How debug information writes the names of other arguments is unknown.
                _ => Type::Both(Box::new(Type::Own(own + 1 + self.random.below(behind)))),
            },
            8 if behind > 0 => Type::Dyn(own + 1 + self.random.below(behind)),
            _ => Type::Itself(own),
        }
    }

    /// Returns the path as debug information writes it.
    fn path(&self, ty: &Type) -> String {
        let whole = |name: String| format!("graphs::g{}::{name}", self.number);
        match ty {
            Type::Own(n) => whole(format!("T{n}")),
            Type::Both(inner) => whole(format!("Both<{}>", self.path(inner))),
            other => other.name(),
        }
    }

    /// Returns an expression that constructs a value.
    fn value(&self, ty: &Type, owner: &Owner) -> String {
        match ty {
            Type::Plain(name) => plain(name).to_owned(),
            Type::Own(n) => format!("t{n}(b)"),
            Type::Itself(n) => format!(
                "if b.deeper() {{ {} let x = t{n}(b); b.depth -= 1; Some(Box::new(x)) }} \
                 else {{ None }}",
                owner.counts("1", "1")
            ),
            Type::Dyn(n) => format!(
                "{{ {} let x: Box<dyn Named> = Box::new(t{n}(b)); x }}",
                owner.counts("1", "1")
            ),
            Type::Text("String") => format!(
                "{{ let x = b.text(); {} x }}",
                owner.counts("x.len()", "x.capacity()")
            ),
            Type::Text("Rc<str>") => format!(
                "{{ let x: Rc<str> = b.text().into(); {} x }}",
                owner.counts("1", "1")
            ),
            Type::Text(_) => format!(
                "{{ let x = b.text().into_boxed_str(); {} x }}",
                owner.counts("x.len()", "x.len()")
            ),
            Type::One("Option", inner) => format!(
                "if b.below(2) == 0 {{ Some({}) }} else {{ None }}",
                self.value(inner, owner)
            ),
            Type::One("RefCell", inner) => format!("RefCell::new({})", self.value(inner, owner)),
            Type::One(outer, inner) => format!(
                "{{ {} {outer}::new({}) }}",
                owner.counts("1", "1"),
                self.value(inner, &owner.inside())
            ),
            Type::List(outer, inner) => self.list(outer, inner, owner),
            Type::Pair(first, second) => format!(
                "({}, {})",
                self.value(first, &owner.further(".0")),
                self.value(second, &owner.further(".1"))
            ),
            Type::Either(first, second) => format!(
                "if b.below(2) == 0 {{ Ok({}) }} else {{ Err({}) }}",
                self.value(first, owner),
                self.value(second, owner)
            ),
            Type::Array(inner) => format!(
                "{{ fn item(b: &mut Builder) -> {} {{ {} }} [item(b), item(b)] }}",
                inner.name(),
                self.value(inner, owner)
            ),
            Type::Both(inner) => {
                let path = self.path(ty);
                let list = Type::List("Vec", inner.clone());
                let own = |field: &str| Owner {
                    ty: path.clone(),
                    field: field.to_owned(),
                };
                format!(
                    "{{ b.value({path:?}); Both {{ one: {}, list: {} }} }}",
                    self.value(inner, &own("one")),
                    self.value(&list, &own("list"))
                )
            }
        }
    }

    /// Returns an expression for a collection, from which some elements are removed again.
    fn list(&self, outer: &str, inner: &Type, owner: &Owner) -> String {
        let within = match outer {
            "HashMap" => owner.inside().further(".1"),
            _ => owner.inside(),
        };
        let (ty, value) = (inner.name(), self.value(inner, &within));
        let (new, add, remove) = match outer {
            "Vec" => ("Vec::with_capacity(b.room())", "x.push(y);", "x.pop();"),
            "Box" => ("Vec::new()", "x.push(y);", "x.pop();"),
            "VecDeque" => ("VecDeque::new()", "x.push_back(y);", "x.pop_front();"),
            "LinkedList" => ("LinkedList::new()", "x.push_front(y);", "x.pop_back();"),
            "HashMap" => ("HashMap::new()", "x.insert(n, y);", "x.remove(&n);"),
            _ => ("BTreeMap::new()", "x.insert(n, y);", "x.remove(&n);"),
        };
        let (end, counts) = match outer {
            "Box" => (
                "let x = x.into_boxed_slice();",
                owner.counts("x.len()", "x.len()"),
            ),
            "LinkedList" => ("", owner.counts("x.len()", "x.len()")),
            // Only the map itself knows its number of nodes.
            "BTreeMap" => ("", String::new()),
            _ => ("", owner.counts("x.len()", "x.capacity()")),
        };
        format!(
            "{{ fn item(b: &mut Builder) -> {ty} {{ {value} }}
            let mut x = {new};
            for n in 1000..1000 + b.passing() {{ b.quiet += 1; let y = item(b); b.quiet -= 1; {add} }}
            for n in 1000..1000 + x.len() as u32 {{ let _ = n; {remove} }}
            for n in 0..b.some() {{ let _ = n; let y = item(b); {add} }}
            {end} {counts} x }}"
        )
    }

    /// Returns the source of the graph's module.
    fn text(&self) -> String {
        let mut text = format!(
            "mod g{} {{ use super::*;\npub trait Named {{ fn name(&self) -> u64; }}\n\
             pub struct Both<A> {{ one: A, list: Vec<A> }}\n",
            self.number
        );
        for (n, (is_enum, variants)) in self.definitions.iter().enumerate() {
            let own = format!("graphs::g{}::T{n}", self.number);
            let number = self.number * 100 + n as u64;
            let kind = if *is_enum { "enum" } else { "struct" };
            let (mut body, mut arms) = (String::new(), String::new());
            for (v, (name, fields)) in variants.iter().enumerate() {
                body.push_str(&declared(name, fields, *is_enum));
                let owner = |field: &str| Owner {
                    ty: own.clone(),
                    field: match *is_enum {
                        true => format!("{name}.{field}"),
                        false => field.to_owned(),
                    },
                };
                let mut made = String::new();
                for (field, ty) in fields {
                    let _ = write!(made, "{field}: {}, ", self.value(ty, &owner(field)));
                }
                let _ = match is_enum {
                    true => writeln!(
                        arms,
                        "{v} => {{ b.variant({own:?}, {name:?}); T{n}::{name} {{ {made} }} }}"
                    ),
                    false => writeln!(arms, "_ => T{n} {{ {made} }}"),
                };
            }
            if *is_enum {
                body = format!("{{ {body} }}");
                arms.push_str("_ => unreachable!(),");
            }
            let _ = writeln!(
                text,
                "pub {kind} T{n} {body}\n\
                 impl Named for T{n} {{ fn name(&self) -> u64 {{ {number} }} }}\n\
                 pub fn t{n}(b: &mut Builder) -> T{n} {{ b.value({own:?}); match b.below({}) {{\n\
                 {arms} }} }}",
                variants.len()
            );
        }
        text.push_str(
            "pub fn graph(b: &mut Builder) -> Vec<T0> { let mut x = Vec::new();\n\
             b.start(); while b.left > 0 && x.len() < 40 { x.push(t0(b)); } x }\n}\n",
        );
        text
    }
}

/// Returns an expression for a type that owns no heap memory.
fn plain(name: &str) -> &'static str {
    match name {
        "bool" => "b.below(2) == 0",
        "char" => "'q'",
        "f64" => "0.5",
        "Option<bool>" => "[None, Some(false), Some(true)][b.below(3) as usize]",
        "Option<char>" => "[None, Some('q')][b.below(2) as usize]",
        "std::num::NonZeroU32" => "std::num::NonZeroU32::MIN",
        "&'static str" => "\"still\"",
        _ => "7",
    }
}

/// Returns the declaration of a struct's or variant's fields.
fn declared(name: &str, fields: &[(String, Type)], is_variant: bool) -> String {
    let list = |named: bool| {
        let fields = fields.iter().map(|(field, ty)| match named {
            true => format!("{field}: {}, ", ty.name()),
            false => format!("{}, ", ty.name()),
        });
        fields.collect::<String>()
    };
    let is_tuple = fields.first().is_some_and(|(field, _)| field == "0");
    let end = if is_variant { "," } else { "" };
    match (is_tuple, is_variant) {
        (true, true) => format!("{name}({}){end}", list(false)),
        (true, false) => format!("({});", list(false)),
        (false, _) => format!("{name} {{ {} }}{end}", list(true)),
    }
}

/// The start of every program.
const START: &str = r#"#![allow(dead_code, unused)]
use std::cell::RefCell;
use std::collections::*;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use tally::{Random, Tally};

pub struct Builder { tally: Tally, random: Random, pub quiet: u32, pub depth: u32, pub left: u32 }

impl Builder {
    pub fn start(&mut self) { self.left = 300; self.depth = 0; }
    pub fn below(&mut self, n: u64) -> u64 { self.random.below(n) }
    pub fn value(&mut self, ty: &'static str) {
        self.left = self.left.saturating_sub(1);
        if self.quiet == 0 { self.tally.values(ty, 1); }
    }
    pub fn variant(&mut self, ty: &'static str, name: &'static str) {
        if self.quiet == 0 { self.tally.variant(ty, name); }
    }
    pub fn field(&mut self, ty: &'static str, field: &'static str, len: usize, capacity: usize) {
        if self.quiet == 0 { self.tally.field(ty, field, len, capacity); }
    }
    /// How many a container has.
    pub fn some(&mut self) -> u32 { if self.left == 0 { 0 } else { self.left -= 1; self.below(5) as u32 } }
    pub fn passing(&mut self) -> u32 { if self.left == 0 || self.quiet > 0 { 0 } else { self.below(4) as u32 } }
    pub fn room(&mut self) -> usize { self.below(9) as usize }
    pub fn deeper(&mut self) -> bool {
        let deeper = self.left > 0 && self.depth < 6 && self.below(2) == 0;
        if deeper { self.depth += 1; }
        deeper
    }
    pub fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(40) { text.push('x'); }
        text
    }
}
"#;

/// Returns a program that builds the graphs of these seeds.
pub fn program(seeds: Range<u64>) -> String {
    let mut text = START.to_owned();
    for seed in seeds.clone() {
        text.push_str(&Graph::new(seed).text());
    }
    text.push_str("fn main() { let mut b = Builder { tally: Tally::default(), ");
    text.push_str("random: Random::new(88172645463325252), quiet: 0, depth: 0, left: 0 };\n");
    for seed in seeds.clone() {
        let _ = writeln!(
            text,
            "let g{seed} = black_box(Box::new(g{seed}::graph(&mut b)));"
        );
    }
    text.push_str("b.tally.say(); weigh_heap::census(\"built\");\n");
    for seed in seeds {
        let _ = writeln!(
            text,
            "black_box(g{seed}.iter().map(|t| g{seed}::Named::name(t)).sum::<u64>());"
        );
    }
    text.push_str("}\n");
    text
}
