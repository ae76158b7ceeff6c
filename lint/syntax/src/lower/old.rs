//! Recognizes syntax that only edition 2015 accepts: today's keywords as names, and trait objects
//! without `dyn`.

use super::tokens::{Kind, Tokens};

impl Tokens<'_> {
    /// Returns true for a keyword that was none in edition 2015 and is used as a name.
    pub(super) fn name_of_old(&self, i: usize) -> bool {
        let joined = || {
            let before = i >= 2 && self.path_sep(i - 2);
            before || self.path_sep(i + 1) || self.punct(i + 1, b':')
        };
        match self.str(i) {
            "async" | "await" | "try" => !matches!(self.str(i + 1), "fn" | "move" | "unsafe" | "{"),
            "dyn" => joined(),
            _ => false,
        }
    }

    /// Returns true if a trait object `Fn(…)` without `dyn` can begin at token `i`.
    pub(super) fn bare_closure(&self, i: usize) -> bool {
        if !(self.ident(i) || self.path_sep(i)) || !self.bare_type(i) {
            return false;
        }
        let mut at = i;
        if self.word(at, "for") && self.punct(at + 1, b'<') {
            at = self.after_angles(at + 1, self.list.len());
        }
        if self.path_sep(at) {
            at += 2;
        }
        while self.ident(at) && !self.keyword(at) && self.path_sep(at + 1) {
            at += 3;
        }
        self.group(at + 1, b'(').is_some() && matches!(self.str(at), "Fn" | "FnMut" | "FnOnce")
    }

    /// Returns true if a type, as opposed to a bound, can begin at token `i`.
    fn bare_type(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1) else {
            return true;
        };
        match self.list[before].kind {
            Kind::Punct => matches!(self.list[before].byte, b'<' | b',' | b'&' | b'='),
            Kind::Word => matches!(self.str(before), "mut" | "const"),
            Kind::Lifetime => before > 0 && self.punct(before - 1, b'&'),
            Kind::Open if self.list[before].byte == b'{' => false,
            Kind::Open => {
                let bound = before > 0
                    && (self.keyword(before - 1)
                        || self.list[before - 1].kind == Kind::Punct
                            && matches!(self.list[before - 1].byte, b'+' | b':' | b'?'));
                !bound
            }
            _ => false,
        }
    }
}
