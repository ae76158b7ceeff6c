//! Enums: with and without data, with every representation and discriminants of all sizes.

use super::fields::Field;
use super::{Generator, braces, names, parentheses, total};

/// The integer types of discriminants, with the minimum and maximum value that is generated.
const INTEGERS: &[(&str, i128, i128)] = &[
    ("u8", 0, u8::MAX as i128),
    ("i8", i8::MIN as i128, i8::MAX as i128),
    ("u16", 0, u16::MAX as i128),
    ("i16", i16::MIN as i128, i16::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("u64", 0, u64::MAX as i128),
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("usize", 0, u32::MAX as i128),
    ("isize", i32::MIN as i128, i32::MAX as i128),
    ("u128", 0, i128::MAX),
    ("i128", i128::MIN, i128::MAX),
];

/// The representation of an enum.
struct Repr {
    attribute: String,
    /// Range of its discriminants.
    range: (i128, i128),
    /// Whether explicit discriminants are allowed beside data.
    explicit_with_data: bool,
    /// Alignment in bytes from `align`, or 0.
    align: u64,
}

impl Generator {
    fn repr(&mut self) -> Repr {
        let (integer, least, most) = self.random.pick(INTEGERS);
        let align: u64 = self.random.pick(&[2, 8, 16, 128]);
        let c = (i128::from(i32::MIN), i128::from(i32::MAX));
        let plain = (i128::from(i64::MIN), i128::from(i64::MAX));
        let (words, range, explicit_with_data, align) = match self.random.below(12) {
            0 | 1 => (integer.to_owned(), (least, most), true, 0),
            2 => ("C".to_owned(), c, false, 0),
            3 => (format!("C, {integer}"), (least, most), true, 0),
            4 => (format!("align({align})"), plain, false, align),
            5 => (
                format!("{integer}, align({align})"),
                (least, most),
                true,
                align,
            ),
            _ => (String::new(), plain, false, 0),
        };
        let attribute = match words.is_empty() {
            true => String::new(),
            false => format!("#[repr({words})]\n"),
        };
        Repr {
            attribute,
            range,
            explicit_with_data,
            align,
        }
    }

    pub(super) fn enumeration(&mut self, name: String) {
        if self.params == 0 && !self.length && self.random.once_in(25) {
            return self.odd_enum(name);
        }
        let repr = self.repr();
        let data = self.params > 0 || !self.random.once_in(4);
        let count = match (data, self.random.below(12)) {
            (false, 0) => self.random.pick(&[255, 256, 257, 300]),
            (true, 0) => 20 + self.random.below(10),
            _ => 1 + self.random.below(7),
        };
        let values = self.discriminants(&repr, count, data);
        // Values beyond the range of `i128`.
        let high = repr.attribute.contains("u128")
            && values.first().is_some_and(Option::is_some)
            && self.random.once_in(2);
        let mut variants = Vec::new();
        let mut texts = Vec::new();
        let (mut bound, mut aligned) = (0, repr.align > 0);
        for (i, value) in values.iter().enumerate() {
            let variant = format!("V{i}");
            let mut list: Vec<Field> = Vec::new();
            if data && !self.random.once_in(4) {
                let fields = 1 + self.random.below(4);
                list.extend((0..fields).map(|_| self.field(0)));
                if self.random.once_in(10) {
                    list.push(Field::plain("!", 0));
                }
            }
            if i == 0 {
                list.extend(self.marker());
            }
            bound = bound.max(total(&list));
            aligned |= list.iter().any(|f| f.aligned);
            let named = self.random.once_in(2);
            let body = match (list.is_empty(), named) {
                (true, _) => String::new(),
                (false, true) => format!(" {}", braces(&list, "")),
                (false, false) => parentheses(&list, ""),
            };
            let value = value.map(|v| match high {
                true => format!(" = {}", v as u128 | 1 << 127),
                false => format!(" = {v}"),
            });
            let value = value.unwrap_or_default();
            texts.push(format!("{variant}{body}{value}"));
            variants.push((variant, names(&list, named)));
        }
        // Without data, `C` and an integer type conflict.
        let attribute = match variants.iter().all(|(_, fields)| fields.is_empty()) {
            true => repr.attribute.replace("(C, ", "("),
            false => repr.attribute,
        };
        let params = self.declared_params();
        let texts = texts.join(", ");
        let text = format!("{attribute}pub enum {name}{params} {{ {texts} }}");
        self.finish(
            name,
            text,
            variants,
            "enum",
            (bound + 16 + repr.align, aligned),
        );
    }

    /// Generates an enum without variants, or a transparent one.
    fn odd_enum(&mut self, name: String) {
        if self.random.once_in(2) {
            let text = format!("pub enum {name} {{}}");
            return self.finish(name, text, Vec::new(), "enum", (0, false));
        }
        let field = self.field(0);
        let text = format!(
            "#[repr(transparent)]\npub enum {name} {{ V0({}) }}",
            field.text
        );
        let variants = vec![("V0".to_owned(), vec!["0".to_owned()])];
        self.finish(name, text, variants, "enum", (field.bound, field.aligned));
    }

    /// Returns the explicit discriminant of each variant, if any: all distinct and in range, as are
    /// the implicit ones counted from them.
    fn discriminants(&mut self, repr: &Repr, count: usize, data: bool) -> Vec<Option<i128>> {
        let (least, most) = repr.range;
        let room = most.saturating_sub(least);
        let count = count.min(usize::try_from(room).unwrap_or(usize::MAX));
        if (data && !repr.explicit_with_data) || self.random.once_in(2) {
            return vec![None; count.min(usize::try_from(most).unwrap_or(usize::MAX))];
        }
        // Ascending from the start, with a few large steps.
        let last = count as i128;
        let mut at = match self.random.below(4) {
            0 => least,
            1 => most - last,
            2 => least.max(-1 - last / 2),
            _ => least.max(0),
        }
        .min(most - last);
        let mut list = Vec::new();
        for i in 0..last {
            let left = last - i;
            let step = match self.random.below(6) {
                0 => i128::from(self.random.next() as u32 % 300),
                1 if self.random.once_in(4) => i128::from(self.random.next() >> 2),
                _ => 0,
            };
            let furthest = most - left;
            let value = at.saturating_add(step).min(furthest).max(at);
            let jump = value != at || i == 0 || self.random.once_in(5);
            list.push(jump.then_some(value));
            at = value + 1;
        }
        if self.random.once_in(3) && list.iter().all(Option::is_some) {
            list.reverse();
        }
        list
    }
}
