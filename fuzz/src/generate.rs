//! Generated code: mostly well-formed, with few distinct names, so that duplicate definitions,
//! cycles and missing names are frequent.

use crate::random::Random;
use std::fmt::Write;

/// The kind of item that is generated more often.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Macros,
    Constants,
    Names,
    Types,
    Bodies,
    All,
}

/// Generates the text of a module.
pub fn module(subject: Subject, random: &mut Random) -> String {
    let mut text = String::new();
    let items = 2 + random.below(14);
    let mut writer = Writer {
        random,
        subject,
        text: &mut text,
    };
    for _ in 0..items {
        writer.item(0);
    }
    text
}

struct Writer<'w> {
    random: &'w mut Random,
    subject: Subject,
    text: &'w mut String,
}

const PRIMS: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "i8", "i64", "usize", "bool", "char", "f32", "f64", "()",
    "!", "str",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "255",
    "256",
    "65536",
    "4294967296",
    "18446744073709551615",
    "170141183460469231731687303715884105727",
    "0xff",
    "1_000_000_000_000",
    "usize::MAX",
    "u32::MAX as usize",
];
const ATTRIBUTES: &[&str] = &[
    "#[repr(C)]",
    "#[repr(u8)]",
    "#[repr(transparent)]",
    "#[repr(packed)]",
    "#[repr(align(16))]",
    "#[repr(C, packed(2))]",
    "#[derive(Clone, Debug)]",
    "#[derive(Clone, Copy)]",
    "#[non_exhaustive]",
    "#[cfg(unix)]",
    "#[cfg(not(unix))]",
    "#[cfg(feature = \"x\")]",
    "#[cfg_attr(unix, repr(C))]",
    "#[allow(clippy::large_enum_variant)]",
    "// weigh: allow(oversized_variant)\n",
    "#[macro_use]",
    "#[test]",
    "#[doc(hidden)]",
    "/// words\n",
    "#[cfg(any())]",
    "#[inline]",
];
const STD: &[&str] = &[
    "Option",
    "Box",
    "Vec",
    "Rc",
    "Arc",
    "Cell",
    "RefCell",
    "Mutex",
    "PhantomData",
    "HashSet",
    "BTreeSet",
    "VecDeque",
    "LinkedList",
    "Weak",
    "ManuallyDrop",
    "MaybeUninit",
    "NonNull",
    "Wrapping",
    "Pin",
];

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn upper(&mut self) -> String {
        let letter = (b'A' + self.random.below(8) as u8) as char;
        format!("{letter}{}", ["", "", "a", "b"][self.random.below(4)])
    }

    fn lower(&mut self) -> String {
        [
            "a", "b", "f", "g", "x", "y", "n", "value", "items", "name", "r#type", "next",
        ][self.random.below(12)]
        .to_owned()
    }

    fn module_name(&mut self) -> String {
        ["m", "k", "inner", "c0", "c1", "c2"][self.random.below(6)].to_owned()
    }

    fn constant(&mut self) -> String {
        ["N", "M", "LEN", "K"][self.random.below(4)].to_owned()
    }

    fn path(&mut self, last: String) -> String {
        match self.random.below(12) {
            0 => format!("crate::{}::{last}", self.module_name()),
            1 => format!("self::{last}"),
            2 => format!("super::{last}"),
            3 => format!("{}::{last}", self.module_name()),
            4 => format!("super::super::{last}"),
            5 => format!("::std::{last}"),
            _ => last,
        }
    }

    fn ty(&mut self, depth: u32) -> String {
        if depth > 3 {
            return self.random.pick(PRIMS).to_string();
        }
        let d = depth + 1;
        match self.random.below(24) {
            0..=4 => self.random.pick(PRIMS).to_string(),
            5..=8 => {
                let name = self.upper();
                self.path(name)
            }
            9 | 10 => format!("{}<{}>", self.upper(), self.arguments(d)),
            11 | 12 => format!("{}<{}>", self.random.pick(STD), self.ty(d)),
            13 => format!("[{}; {}]", self.ty(d), self.expr(d)),
            14 => format!("({}, {})", self.ty(d), self.ty(d)),
            15 => format!("&'static {}", self.ty(d)),
            16 => format!("<{} as {}>::{}", self.ty(d), self.upper(), self.upper()),
            17 => format!(
                "Box<dyn {}<{} = {}>>",
                self.upper(),
                self.upper(),
                self.ty(d)
            ),
            18 => "Self".to_owned(),
            19 => ["T", "U", "T::A", "Self::A"][self.random.below(4)].to_owned(),
            20 => format!("fn({}) -> {}", self.ty(d), self.ty(d)),
            21 => format!("&'static [{}]", self.ty(d)),
            22 => format!("{}!({})", self.lower(), self.ty(d)),
            _ => format!("Result<{}, {}>", self.ty(d), self.ty(d)),
        }
    }

    fn arguments(&mut self, depth: u32) -> String {
        match self.random.below(6) {
            0 => format!("{}, {}", self.ty(depth), self.ty(depth)),
            1 => format!("{{ {} }}", self.expr(depth)),
            2 => self.random.pick(NUMBERS).to_string(),
            3 => format!("{}, {}", self.ty(depth), self.constant()),
            _ => self.ty(depth),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth > 4 {
            return self.random.pick(NUMBERS).to_string();
        }
        let d = depth + 1;
        match self.random.below(26) {
            0..=4 => self.random.pick(NUMBERS).to_string(),
            5..=7 => {
                let name = self.constant();
                self.path(name)
            }
            8..=10 => {
                let op = [
                    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "<",
                ][self.random.below(12)];
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            11 => format!("{}::{}", self.upper(), self.constant()),
            12 => format!("<{} as {}>::{}", self.ty(d), self.upper(), self.constant()),
            13 => format!("size_of::<{}>()", self.ty(d)),
            14 => format!("{}({})", self.lower(), self.expr(d)),
            15 => format!(
                "if {} == {} {{ {} }} else {{ {} }}",
                self.expr(d),
                self.expr(d),
                self.expr(d),
                self.expr(d)
            ),
            16 => format!(
                "match {} {{ 0 => {}, _ => {} }}",
                self.expr(d),
                self.expr(d),
                self.expr(d)
            ),
            17 => format!("{}!({})", self.lower(), self.expr(d)),
            18 => format!("{}.len()", self.expr(d)),
            19 => format!("[{}, {}][{}]", self.expr(d), self.expr(d), self.expr(d)),
            20 => format!("{} as {}", self.expr(d), self.random.pick(PRIMS)),
            21 => format!(
                "{{ let mut i = {}; while i < {} {{ i += {}; }} i }}",
                self.expr(d),
                self.expr(d),
                self.expr(d)
            ),
            22 => format!("{}::V{} as usize", self.upper(), self.random.below(3)),
            23 => format!(
                "({}, {}).{}",
                self.expr(d),
                self.expr(d),
                self.random.below(3)
            ),
            24 => format!("-{}", self.expr(d)),
            _ => "\"text\".len()".to_owned(),
        }
    }

    fn generics(&mut self) -> String {
        match self.random.below(9) {
            0 => "<T>".to_owned(),
            1 => format!("<T: {}>", self.upper()),
            2 => "<const N: usize>".to_owned(),
            3 => format!("<T, U = {}>", self.ty(2)),
            4 => "<'a, T: 'a + ?Sized>".to_owned(),
            _ => String::new(),
        }
    }

    fn attributes(&mut self) {
        while self.random.once_in(4) {
            let attribute = *self.random.pick(ATTRIBUTES);
            self.put(attribute);
            self.put(" ");
        }
    }

    fn fields(&mut self) -> String {
        let mut list = String::new();
        for i in 0..self.random.below(5) {
            let name = match self.random.once_in(6) {
                true => self.lower(),
                false => format!("f{i}"),
            };
            let _ = write!(list, "pub {name}: {}, ", self.ty(0));
        }
        list
    }

    fn item(&mut self, depth: u32) {
        self.attributes();
        let kind = match (self.subject, self.random.once_in(2)) {
            (Subject::Macros, true) => 10 + self.random.below(3),
            (Subject::Constants, true) => [5, 6, 8][self.random.below(3)],
            (Subject::Names, true) => [3, 4, 9][self.random.below(3)],
            (Subject::Types, true) => [0, 1, 2, 7, 8][self.random.below(5)],
            (Subject::Bodies, true) => [6, 8, 13][self.random.below(3)],
            _ => self.random.below(14),
        };
        let name = self.upper();
        let text = match kind {
            0 => format!(
                "pub struct {name}{} {{ {} }}",
                self.generics(),
                self.fields()
            ),
            1 => format!(
                "pub struct {name}{}(pub {}, {});",
                self.generics(),
                self.ty(0),
                self.ty(0)
            ),
            2 => {
                let mut variants = String::new();
                for i in 0..self.random.below(5) {
                    let _ = match self.random.below(4) {
                        0 => write!(variants, "V{i}, "),
                        1 => write!(variants, "V{i} = {}, ", self.expr(2)),
                        2 => write!(
                            variants,
                            "V{i} {{ {} }}, ",
                            self.fields().replace("pub ", "")
                        ),
                        _ => write!(variants, "V{i}({}), ", self.ty(0)),
                    };
                }
                format!("pub enum {name}{} {{ {variants} }}", self.generics())
            }
            3 => {
                let last = match self.random.below(4) {
                    0 => "*".to_owned(),
                    1 => format!("{} as {}", self.upper(), self.upper()),
                    2 => format!("{{{}, {}}}", self.upper(), self.lower()),
                    _ => self.upper(),
                };
                format!("pub use {};", self.path(last))
            }
            4 | 9 if depth < 3 => {
                let name = self.module_name();
                self.put(&format!("pub mod {name} {{\n"));
                for _ in 0..self.random.below(5) {
                    self.item(depth + 1);
                }
                "}".to_owned()
            }
            5 => format!(
                "pub const {}: {} = {};",
                self.constant(),
                self.random.pick(PRIMS),
                self.expr(0)
            ),
            6 => format!(
                "pub const fn {}(x: usize) -> usize {{ {} }}",
                self.lower(),
                self.expr(0)
            ),
            7 => format!("pub type {name}{} = {};", self.generics(), self.ty(0)),
            8 => {
                let generics = self.generics();
                let of = match self.random.below(3) {
                    0 => String::new(),
                    _ => format!("{} for ", self.upper()),
                };
                let inside = format!(
                    "type A = {}; const N: usize = {}; fn f(&self) -> {} {{ {} }}",
                    self.ty(1),
                    self.expr(1),
                    self.ty(1),
                    self.body(0)
                );
                format!("impl{generics} {of}{} {{ {inside} }}", self.ty(1))
            }
            10 => self.macro_rules(),
            11 => format!("{}! {{ {} }}", self.lower(), self.arguments(1)),
            12 => {
                let call = format!("{}!({})", self.lower(), self.upper());
                format!("pub struct {name}(pub {call}, pub [u8; {call}]);")
            }
            13 => format!(
                "pub fn {}(x: {}, v: Vec<{}>) -> {} {{ {} }}",
                self.lower(),
                self.ty(0),
                self.ty(1),
                self.ty(0),
                self.body(0)
            ),
            _ => format!(
                "pub trait {name}{} {{ type A: {}; const N: usize = {}; fn f(&self) -> usize {{ Self::N }} }}",
                self.generics(),
                self.upper(),
                self.expr(1)
            ),
        };
        self.put(&text);
        self.put("\n");
    }

    fn macro_rules(&mut self) -> String {
        let mut rules = String::new();
        for _ in 0..1 + self.random.below(3) {
            let kinds = [
                "ident", "ty", "expr", "tt", "item", "path", "literal", "block", "pat", "vis",
                "lifetime",
            ];
            let kind = kinds[self.random.below(kinds.len())];
            let matcher = match self.random.below(7) {
                0 => String::new(),
                1 => format!("$($x:{kind}),*"),
                2 => format!("$($x:{kind})*"),
                3 => format!("$x:{kind}, $($y:tt)*"),
                4 => "$($($x:tt)+);* $(;)?".to_owned(),
                5 => format!("$x:{kind} $(=> $y:ty)?"),
                _ => format!("$x:{kind}"),
            };
            let again = self.lower();
            let body = match self.random.below(9) {
                0 => format!("{again}! {{ $($y)* }}"),
                1 => format!("pub struct {}(pub $x);", self.upper()),
                2 => "$($x)*".to_owned(),
                3 => format!("{again}!($x) + {again}!($x)"),
                4 => self.expr(1),
                5 => format!("$crate::{}!($($x),*)", again),
                6 => "$(pub struct $x;)*".to_owned(),
                7 => format!("macro_rules! {again} {{ () => {{ $x }} }}"),
                _ => self.ty(1),
            };
            let _ = write!(rules, "({matcher}) => {{ {body} }}; ");
        }
        format!("macro_rules! {} {{ {rules} }}", self.lower())
    }

    fn body(&mut self, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(6) {
            let name = self.lower();
            let statement = match self.random.below(14) {
                0 => format!("let mut {name}: {} = {};", self.ty(1), self.value(0)),
                1 | 2 => format!("let {name} = {};", self.value(0)),
                3 => format!("{name}.push({});", self.value(1)),
                4 => format!("self.{name} = {};", self.value(1)),
                5 if depth < 3 => format!(
                    "for {name} in {} {{ {} }}",
                    self.value(1),
                    self.body(depth + 1)
                ),
                6 if depth < 3 => format!(
                    "if {} {{ {} }} else {{ {} }}",
                    self.value(1),
                    self.body(depth + 1),
                    self.body(depth + 1)
                ),
                7 if depth < 3 => format!(
                    "match {} {{ {}::V0 => {{ {} }} {}::V1({name}) => {}, Some(x) | Ok(x) => x, _ => {{}} }}",
                    self.value(1),
                    self.upper(),
                    self.body(depth + 1),
                    self.upper(),
                    self.value(1)
                ),
                8 if depth < 3 => format!(
                    "let {name} = |x, y: {}| {{ {} }};",
                    self.ty(2),
                    self.body(depth + 1)
                ),
                9 => format!("return {};", self.value(0)),
                10 => format!("{}!({}, {});", self.lower(), self.value(1), self.value(1)),
                11 => format!(
                    "while let Some({name}) = {} {{ {name}.clear(); }}",
                    self.value(1)
                ),
                12 => format!(
                    "struct {}({}); impl {} {{ fn g(self) -> Self {{ self }} }}",
                    self.upper(),
                    self.ty(1),
                    self.upper()
                ),
                _ => format!("{};", self.value(0)),
            };
            text.push_str(&statement);
            text.push(' ');
        }
        let _ = write!(text, "{}", self.value(0));
        text
    }

    fn value(&mut self, depth: u32) -> String {
        if depth > 4 {
            return self.lower();
        }
        let d = depth + 1;
        match self.random.below(20) {
            0..=3 => self.lower(),
            4 => format!(
                "{} {{ f0: {}, ..{} }}",
                self.upper(),
                self.value(d),
                self.lower()
            ),
            5 => format!("{}::new({})", self.upper(), self.value(d)),
            6 => format!("{}::V1({})", self.upper(), self.value(d)),
            7 => "Vec::new()".to_owned(),
            8 => "String::from(\"x\")".to_owned(),
            9 => {
                let methods = [
                    "clone",
                    "iter",
                    "into_iter",
                    "collect::<Vec<_>>",
                    "unwrap",
                    "as_ref",
                    "to_string",
                    "len",
                    "f",
                    "pop",
                    "take",
                    "next",
                ];
                format!(
                    "{}.{}()",
                    self.value(d),
                    methods[self.random.below(methods.len())]
                )
            }
            10 => format!("{}.map(|x| {})", self.value(d), self.value(d)),
            11 => format!("Box::new({})", self.value(d)),
            12 => format!("vec![{}; {}]", self.value(d), self.expr(d)),
            13 => format!("&mut {}", self.value(d)),
            14 => format!("{}.f{}", self.value(d), self.random.below(3)),
            15 => format!("{}[{}]", self.value(d), self.value(d)),
            16 => format!("({}, {})", self.value(d), self.value(d)),
            17 => format!("{}?", self.value(d)),
            18 => format!("format!(\"{{}} {{x}}\", {})", self.value(d)),
            _ => self.expr(d),
        }
    }
}
