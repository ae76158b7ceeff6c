//! The scope of a definition: redefined macros, modules with aliases, glob imports and constants of
//! their own, and `cfg_select!`.

use super::Generator;
use super::fields::Field;

/// The start of every crate of definitions; [`Scope::new`] has the same values.
pub(super) const PRELUDE: &str = "\
macro_rules! ty0 { () => { u8 } }
macro_rules! ty1 { () => { u32 } }
macro_rules! len { () => { 1 } }
pub struct Tp<T>(pub T);
pub trait Pj { type A; }
impl<T> Pj for Tp<T> { type A = Option<T>; }
impl<'a, T> Pj for &'a T { type A = (T, bool); }
pub trait Both { type A; }
impl<T: Pj> Both for (T, u8) { type A = T::A; }
pub type Resolved<T> = <Tp<T> as Pj>::A;

";

/// What encloses the current definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrap {
    Nothing,
    Select,
    Module,
}

/// The meanings of scope-dependent names.
#[derive(Debug)]
pub(super) struct Scope {
    /// `ty0!()` and `ty1!()`.
    types: [Field; 2],
    /// `len!()`.
    length: u64,
    wrap: Wrap,
    /// Whether a macro body is being generated, whose names depend on the call site.
    in_macro: bool,
    /// Whether text before the definition is being generated, whose parameters are not yet known.
    pub(super) ahead: bool,
    /// `Alias`, in a module.
    alias: Option<Field>,
    /// `<Own as Has>::M`, in a module.
    member: Option<u64>,
}

impl Scope {
    pub(super) fn new() -> Scope {
        Scope {
            types: [Field::plain("u8", 1), Field::plain("u32", 4)],
            length: 1,
            wrap: Wrap::Nothing,
            in_macro: false,
            ahead: false,
            alias: None,
            member: None,
        }
    }
}

impl Generator {
    /// Chooses the scope of the next definition; returns the text before it and inside its module.
    pub(super) fn enter_scope(&mut self) -> (String, String) {
        let mut before = String::new();
        self.scope.ahead = true;
        if self.random.once_in(6) {
            let i = self.random.below(2);
            self.scope.in_macro = true;
            let field = self.field(2);
            self.scope.in_macro = false;
            before += &format!("macro_rules! ty{i} {{ () => {{ {} }} }}\n", field.text);
            self.scope.types[i] = field;
        }
        if self.random.once_in(8) {
            self.scope.length = self.random.below(5) as u64;
            let length = self.scope.length;
            before += &format!("macro_rules! len {{ () => {{ {length} }} }}\n");
        }
        let mut inside = String::new();
        self.scope.wrap = match self.random.below(12) {
            0 => Wrap::Select,
            1 | 2 => Wrap::Module,
            _ => Wrap::Nothing,
        };
        if self.scope.wrap == Wrap::Module {
            let (hidden, shown) = (self.field(2), self.field(2));
            let (default, own) = (self.random.below(4), self.random.below(4));
            inside = format!(
                "    use super::*;\n    mod deep {{ use super::super::*; pub type Alias = {}; }}\n    \
                 use deep::*;\n    type Alias = {};\n    trait Has {{ const N: usize = {default}; \
                 const M: usize = Self::N + 1; }}\n    struct Own;\n    impl Has for Own {{",
                hidden.text, shown.text
            );
            let known = self.random.once_in(2);
            if known {
                inside += &format!(" const N: usize = {own}; ");
            }
            inside += "}\n";
            self.scope.alias = Some(shown);
            self.scope.member = Some(if known { own } else { default } as u64 + 1);
        }
        self.scope.ahead = false;
        (before, inside)
    }

    /// Wraps the last definition in the chosen scope.
    pub(super) fn leave_scope(&mut self, (before, inside): (String, String)) {
        let wrap = std::mem::replace(&mut self.scope.wrap, Wrap::Nothing);
        (self.scope.alias, self.scope.member) = (None, None);
        let at = self.made.len() - 1;
        let Some(made) = self.made.last_mut() else {
            return;
        };
        let text = std::mem::take(&mut made.text);
        made.text = match wrap {
            Wrap::Nothing => format!("{before}{text}"),
            Wrap::Select => format!(
                "{before}cfg_select! {{\n    any() => {{ pub struct {}(u8); }}\n    \
                 not(any()) => {{ {text} }}\n    _ => {{}}\n}}",
                made.name
            ),
            Wrap::Module => {
                made.path = format!("n{at}::{}", made.name);
                format!("{before}pub mod n{at} {{\n{inside}    {text}\n}}\npub use n{at}::*;")
            }
        };
    }

    /// Returns a name with another meaning elsewhere.
    pub(super) fn scoped(&mut self) -> Field {
        if self.scope.in_macro {
            return Field::plain("u16", 2);
        }
        if let Some(alias) = &self.scope.alias
            && self.random.once_in(2)
        {
            return named(alias, "Alias");
        }
        let i = self.random.below(2);
        named(&self.scope.types[i], &format!("ty{i}!()"))
    }

    /// Returns a scope-dependent array length.
    pub(super) fn scoped_length(&mut self) -> (String, u64) {
        match self.scope.member {
            _ if self.scope.in_macro => ("2".to_owned(), 2),
            Some(n) if self.random.once_in(2) => ("<Own as Has>::M".to_owned(), n),
            _ => ("len!()".to_owned(), self.scope.length),
        }
    }
}

fn named(field: &Field, text: &str) -> Field {
    Field {
        text: text.to_owned(),
        ..field.clone()
    }
}
