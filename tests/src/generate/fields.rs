//! Types of fields: primitives, pointers, types of std, earlier definitions, and nestings of these.

use super::{Generator, LIMIT, library, param};

/// The type of a field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// As written.
    pub text: String,
    /// An upper bound on its size in bytes, without its parameters.
    pub bound: u64,
    /// Whether it contains `repr(align)`.
    pub aligned: bool,
    /// Whether it is known to be `Copy`.
    pub copy: bool,
}

impl Field {
    /// Creates a type that is `Copy`.
    pub fn plain(text: &str, bound: u64) -> Field {
        let text = text.to_owned();
        Field {
            text,
            bound,
            aligned: false,
            copy: true,
        }
    }

    /// Returns a type that contains this one by value.
    pub fn within(self, before: &str, after: &str) -> Field {
        Field {
            text: format!("{before}{}{after}", self.text),
            bound: self.bound + 64,
            // Locks contain atomics, which are over-aligned.
            aligned: self.aligned || before.contains("sync::"),
            copy: false,
        }
    }

    /// Returns a type that only points to this one.
    fn behind(self, before: &str, after: &str, copy: bool) -> Field {
        let text = format!("{before}{}{after}", self.text);
        Field {
            text,
            bound: 256,
            aligned: before.contains("atomic::"),
            copy,
        }
    }
}

impl Generator {
    /// Returns any sized type; `depth` is its nesting depth.
    pub(super) fn field(&mut self, depth: usize) -> Field {
        let field = match self.random.below(if depth > 3 { 8 } else { 20 }) {
            0..=3 => self.primitive(),
            4 | 5 => self.earlier(depth),
            6 => self.parameter(),
            7 => library::plain(&mut self.random),
            8 => self.pointer(depth),
            9 => self.array(depth),
            10 => self.tuple(depth),
            11..=13 => self.field(depth + 1).within("Option<", ">"),
            14..=16 => self.wrapper(depth),
            17 => self.pair(depth),
            18 if self.random.once_in(2) => self.scoped(),
            _ => self.earlier(depth),
        };
        match field.bound > LIMIT {
            true => Field::plain("u8", 1),
            false => field,
        }
    }

    fn primitive(&mut self) -> Field {
        let text = self.random.pick(&[
            "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
            "f32", "f64", "bool", "bool", "char", "char", "()", "!",
        ]);
        Field::plain(text, 16)
    }

    fn parameter(&mut self) -> Field {
        if self.params > 0 && self.random.once_in(2) {
            let (before, after) = self.random.pick(library::RESOLVED);
            return Field::plain(param(self.random.below(self.params)), 0).within(before, after);
        }
        match (self.params, self.length) {
            (0, false) => self.primitive(),
            (0, true) => Field::plain("[u16; N]", 16),
            (n, length) => {
                let text = param(self.random.below(n));
                let text = match length && self.random.once_in(2) {
                    true => format!("[{text}; N]"),
                    false => text.to_owned(),
                };
                Field {
                    copy: false,
                    ..Field::plain(&text, 0)
                }
            }
        }
    }

    fn earlier(&mut self, depth: usize) -> Field {
        if self.known.is_empty() {
            return self.primitive();
        }
        // Mostly recent ones, so that types nest.
        let window = if self.random.once_in(3) {
            self.known.len()
        } else {
            60
        };
        let window = window.min(self.known.len());
        let at = self.known.len() - 1 - self.random.below(window);
        let known = self.known[at].clone();
        let mut field = Field {
            text: known.name,
            bound: known.bound,
            aligned: known.aligned,
            copy: false,
        };
        let mut arguments = Vec::new();
        for _ in 0..known.params {
            // Constants may not depend on parameters, types may.
            let argument = self.field(depth + 1);
            field.bound += argument.bound * 64;
            field.aligned |= argument.aligned;
            arguments.push(argument.text);
        }
        if known.length {
            arguments.push(self.random.below(6).to_string());
        }
        if !arguments.is_empty() {
            field.text = format!("{}<{}>", field.text, arguments.join(", "));
        }
        field
    }

    fn pointer(&mut self, depth: usize) -> Field {
        const THIN: &[(&str, &str, bool)] = &[
            ("&'static ", "", true),
            ("&'static mut ", "", false),
            ("*const ", "", true),
            ("*mut ", "", true),
            ("Box<", ">", false),
            ("&'static [", "]", true),
            ("*const [", "]", true),
            ("Box<[", "]>", false),
            ("fn(", ") -> u8", true),
            ("unsafe fn() -> ", "", true),
            ("std::ptr::NonNull<", ">", true),
            ("std::rc::Rc<[", "]>", false),
            ("Option<Box<[", "]>>", false),
            ("&'static &'static ", "", true),
        ];
        if self.random.once_in(4) {
            let text = self.random.pick(&[
                "&'static str",
                "&'static dyn std::fmt::Debug",
                "Box<dyn Fn(u8) -> u16 + Send>",
                "*const dyn std::any::Any",
                "std::sync::Arc<str>",
                "Box<dyn std::error::Error>",
            ]);
            return Field {
                copy: text.starts_with(['&', '*']),
                ..Field::plain(text, 16)
            };
        }
        let (before, after, copy) = self.random.pick(THIN);
        let known = self.params == 0 && !self.length && !self.scope.ahead;
        let to = match known && self.random.once_in(6) {
            // The current definition itself.
            true => Field::plain(&format!("T{}", self.made.len()), 0),
            false => self.field(depth + 1),
        };
        to.behind(before, after, copy)
    }

    fn array(&mut self, depth: usize) -> Field {
        let field = self.field(depth + 1);
        let n = self.random.pick(&[0, 0, 1, 1, 2, 3, 4, 7, 16, 33]);
        let (length, n) = match self.random.once_in(4) {
            true => self.scoped_length(),
            false => (n.to_string(), n),
        };
        let bound = field.bound * n;
        let copy = field.copy;
        Field {
            bound,
            copy,
            ..field.within("[", &format!("; {length}]"))
        }
    }

    fn tuple(&mut self, depth: usize) -> Field {
        let list: Vec<_> = (0..1 + self.random.below(4))
            .map(|_| self.field(depth + 1))
            .collect();
        let text: Vec<_> = list.iter().map(|f| f.text.as_str()).collect();
        Field {
            text: format!("({},)", text.join(", ")),
            bound: super::total(&list),
            aligned: list.iter().any(|f| f.aligned),
            copy: list.iter().all(|f| f.copy),
        }
    }

    fn wrapper(&mut self, depth: usize) -> Field {
        let inner = self.field(depth + 1);
        match self.random.once_in(2) {
            true => {
                let (before, after) = self.random.pick(library::HOLDS);
                inner.within(before, after)
            }
            false => {
                let (before, after) = self.random.pick(library::POINTS);
                inner.behind(before, after, false)
            }
        }
    }

    fn pair(&mut self, depth: usize) -> Field {
        let first = self.field(depth + 1);
        let second = self.field(depth + 1);
        let bound = first.bound + second.bound;
        let aligned = first.aligned || second.aligned;
        let (before, after, holds) = self.random.pick(library::PAIRS);
        Field {
            text: format!("{before}{}, {}{after}", first.text, second.text),
            bound: if holds { bound + 64 } else { 256 },
            aligned: aligned && holds,
            copy: false,
        }
    }
}
