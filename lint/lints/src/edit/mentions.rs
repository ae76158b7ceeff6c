//! Index of a file's tokens that may read a field, build a struct or name a variant. A file is
//! scanned once for all findings.

use super::text::Tokens;
use crate::lower::is_quote;
use crate::lower::{Kind, Token};
use crate::name::Name;
use crate::span::FileId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::iter::Peekable;
use std::ops::Range;

/// Tokens of a file by what they may mean, without tokens that are resolved in a body that was
/// read.
pub(super) struct Mentions {
    /// Field accesses, by the type whose `self` is accessed.
    fields: FxHashMap<(Owner, Name), Vec<usize>>,
    /// Struct literals and patterns, by the fields they name.
    literals: FxHashMap<(Owner, Name), Vec<usize>>,
    /// Calls of tuple struct constructors.
    calls: FxHashMap<Owner, Vec<usize>>,
    /// Variants after the name of their enum.
    variants: FxHashMap<(Owner, Name), Vec<usize>>,
    /// Unqualified names in macro arguments that may be variants, with the outermost call's opening
    /// delimiter.
    bare_in_macros: FxHashMap<Name, Vec<(usize, usize)>>,
    /// Unqualified names elsewhere that may be variants.
    bare: FxHashMap<Name, Vec<usize>>,
    /// Types whose variants are imported.
    imported: FxHashSet<Name>,
    /// Types that definitions of macros name: a macro may put one before its arguments.
    in_definitions: FxHashSet<Name>,
    /// Other names of types in this file.
    aliases: FxHashMap<Name, FxHashSet<Name>>,
    /// Code that a `cfg` attribute may disable, except `cfg(test)`; sorted and disjoint.
    configured: Vec<Range<usize>>,
}

/// The type that a field or variant belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Named(Name),
    /// Any type.
    Open,
}

/// What is around a token.
struct Around {
    /// The `impl` blocks that are still to come.
    impls: Peekable<std::vec::IntoIter<(Range<usize>, Owner)>>,
    /// The ends of the enclosing `impl` blocks.
    owners: Vec<(usize, Owner)>,
    /// The ends of the arguments of the enclosing macro calls.
    macros: Vec<usize>,
    /// The outermost macro call.
    outermost: usize,
    /// True to look for `quote!`.
    quotes: bool,
    /// The end of the current `quote!`.
    quoted: usize,
}

impl Around {
    fn new(tokens: &Tokens, quotes: bool) -> Around {
        Around {
            impls: impls(tokens).into_iter().peekable(),
            owners: Vec::new(),
            macros: Vec::new(),
            outermost: 0,
            quotes,
            quoted: 0,
        }
    }

    /// Moves to the next token.
    fn advance(&mut self, tokens: &Tokens, i: usize) {
        while self.macros.last().is_some_and(|&end| i >= end) {
            self.macros.pop();
        }
        while let Some((inside, owner)) = self.impls.next_if(|(inside, _)| inside.start <= i) {
            self.owners.push((inside.end, owner));
        }
        while self.owners.last().is_some_and(|&(end, _)| i >= end) {
            self.owners.pop();
        }
        let called = i >= 2 && tokens.is(i - 1, b'!') && tokens.is_ident(i - 2);
        let token = &tokens.list[i];
        if token.kind == Kind::Open && called {
            if self.macros.is_empty() {
                self.outermost = i;
            }
            self.macros.push(token.mate as usize);
            if self.quotes && is_quote(tokens.str(i - 2)) {
                self.quoted = self.quoted.max(token.mate as usize);
            }
        }
    }

    fn owner(&self) -> Owner {
        self.owners.last().map_or(Owner::Open, |&(_, owner)| owner)
    }

    /// Returns the outermost macro call around the token.
    fn call(&self) -> Option<usize> {
        (!self.macros.is_empty()).then_some(self.outermost)
    }
}

impl Mentions {
    /// Scans a file for wanted words; `known` contains the tokens that are resolved. With `quotes`,
    /// code inside `quote!` is ignored: it belongs to other crates.
    pub(super) fn find(
        tokens: &Tokens,
        file: FileId,
        quotes: bool,
        wanted: &FxHashSet<Name>,
        known: &FxHashSet<(FileId, u32)>,
    ) -> Mentions {
        let known = |token: &Token| known.contains(&(file, token.start));
        Mentions::scan(tokens, quotes, wanted, Some(&known))
    }

    /// Scans an example, in which no token is resolved.
    pub(super) fn of_example(tokens: &Tokens, wanted: &FxHashSet<Name>) -> Mentions {
        Mentions::scan(tokens, false, wanted, None)
    }

    /// Scans a file or an example. `known` tests whether a token in a body is resolved; `None` if
    /// no body was read.
    fn scan(
        tokens: &Tokens,
        quotes: bool,
        wanted: &FxHashSet<Name>,
        known: Option<&dyn Fn(&Token) -> bool>,
    ) -> Mentions {
        let is_known = |token: &Token| known.is_some_and(|known| known(token));
        let mut mentions = Mentions {
            fields: FxHashMap::default(),
            literals: FxHashMap::default(),
            calls: FxHashMap::default(),
            variants: FxHashMap::default(),
            bare_in_macros: FxHashMap::default(),
            bare: FxHashMap::default(),
            imported: FxHashSet::default(),
            in_definitions: FxHashSet::default(),
            aliases: FxHashMap::default(),
            configured: configured(tokens),
        };
        let list = &tokens.list;
        let mut around = Around::new(tokens, quotes);
        let mut in_use = false;
        // The end of the current definition of a macro.
        let mut rules = 0;
        // The end of the current enum definition, in which variant names are declared, not used.
        // And the brace or semicolon after the last word `enum`.
        let (mut defined, mut open) = (0, 0);
        for (i, token) in list.iter().enumerate() {
            around.advance(tokens, i);
            if tokens.is(i, b';') {
                in_use = false;
            }
            let own = around.owner();
            // In a body that is read, tuple fields outside of macros are resolved.
            let unread = known.is_none() || around.call().is_some();
            if token.kind == Kind::Number && unread && i >= around.quoted {
                mentions.add_numbers(tokens, i, own, |part| {
                    wanted.contains(&part) && !is_known(token)
                });
            }
            if !tokens.is_ident(i) {
                continue;
            }
            let word = tokens.str(i);
            if word == "macro_rules" || word == "macro" {
                rules = rules.max(end_of(tokens, i));
            }
            if i < rules && wanted.contains(&Name::new(word)) {
                mentions.in_definitions.insert(Name::new(word));
            }
            mentions.renames(tokens, i, wanted);
            if i < around.quoted && !tokens.is(i - 1, b'#') {
                continue;
            }
            if token.kind == Kind::Word {
                in_use |= word == "use";
                if word == "enum" && i >= defined {
                    let ends = |&at: &usize| list[at].byte == b'{' || tokens.is(at, b';');
                    if open <= i {
                        open = (i..list.len()).find(ends).unwrap_or(list.len());
                    }
                    defined = list.get(open).map_or(0, |t| t.mate as usize);
                }
            }
            if in_use && i >= 3 && tokens.ends_path_sep(i - 1) {
                let of = Name::new(tokens.str(i - 3));
                mentions.imported.extend(wanted.get(&of));
            }
            if i < defined || in_use || is_known(token) {
                continue;
            }
            mentions.add(tokens, i, own, around.call(), wanted);
        }
        mentions
    }

    /// Records tuple field accesses `x.0`. `x.0.1` is one number token with two fields.
    fn add_numbers(
        &mut self,
        tokens: &Tokens,
        i: usize,
        own: Owner,
        is_wanted: impl Fn(Name) -> bool,
    ) {
        let is = |back: usize, byte| i.checked_sub(back).is_some_and(|b| tokens.is(b, byte));
        if !is(1, b'.') || is(2, b'.') || is_literal(tokens, i) {
            return;
        }
        let of_self = i > 1 && tokens.str(i - 2) == "self" && !is(3, b'.');
        let mut owner = if of_self { own } else { Owner::Open };
        for part in tokens.str(i).split('.').map(Name::new) {
            if is_wanted(part) {
                self.fields.entry((owner, part)).or_default().push(i);
            }
            owner = Owner::Open;
        }
    }

    /// Records one word. `own` is the type that `Self` means here, `call` the outermost macro call
    /// around it.
    fn add(
        &mut self,
        tokens: &Tokens,
        i: usize,
        own: Owner,
        call: Option<usize>,
        wanted: &FxHashSet<Name>,
    ) {
        let word = tokens.str(i);
        let name = Name::new(word);
        let owner = match word {
            "Self" => own,
            _ => Owner::Named(name),
        };
        let before = i.checked_sub(1).map_or("", |b| tokens.str(b));
        let item = matches!(before, "struct" | "impl" | "for" | "fn" | "enum" | "trait");
        if !item && tokens.is(i + 1, b'{') && !is_output(tokens, i) {
            for field in fields_in(tokens, i + 1).intersection(wanted) {
                let of = self.literals.entry((owner, *field)).or_default();
                of.push(i);
            }
        }
        if !wanted.contains(&name) {
            return;
        }
        if !item && word != "Self" && tokens.is(i + 1, b'(') {
            self.calls.entry(owner).or_default().push(i);
        }
        let is = |back: usize, byte| i.checked_sub(back).is_some_and(|b| tokens.is(b, byte));
        let dotted = is(1, b'.') && !is(2, b'.');
        let pathed = i > 0 && tokens.ends_path_sep(i - 1);
        if dotted {
            if !is_call(tokens, i + 1) {
                let of_self = i > 1 && tokens.str(i - 2) == "self" && !is(3, b'.');
                let owner = if of_self { own } else { Owner::Open };
                self.fields.entry((owner, name)).or_default().push(i);
            }
        } else if pathed && i >= 3 && !is_in_type(tokens, i) {
            let owner = match tokens.str(i - 3) {
                "Self" => own,
                _ if is(4, b'$') => Owner::Open,
                of => Owner::Named(Name::new(of)),
            };
            self.variants.entry((owner, name)).or_default().push(i);
        } else if !pathed && may_build(tokens, i) {
            match call {
                Some(call) => {
                    let list = self.bare_in_macros.entry(name).or_default();
                    list.push((i, call));
                }
                None => self.bare.entry(name).or_default().push(i),
            }
        }
    }

    /// Records aliases of types, and imports of their contents, that begin at this word.
    fn renames(&mut self, tokens: &Tokens, i: usize, wanted: &FxHashSet<Name>) {
        let of = |at| Some(Name::new(tokens.str(at))).filter(|name| wanted.contains(name));
        if tokens.str(i + 1) == "as"
            && tokens.is_ident(i + 2)
            && let Some(name) = of(i)
        {
            let other = Name::new(tokens.str(i + 2));
            self.aliases.entry(name).or_default().insert(other);
        }
        if tokens.str(i) == "type" && tokens.is_ident(i + 1) {
            let other = Name::new(tokens.str(i + 1));
            let end = (i + 40).min(tokens.list.len());
            for at in (i + 2..end).take_while(|&at| !tokens.is(at, b';')) {
                if tokens.is_ident(at)
                    && let Some(name) = of(at)
                {
                    self.aliases.entry(name).or_default().insert(other);
                }
            }
        }
        if tokens.ends_path_sep(i + 2) && (tokens.is(i + 3, b'*') || tokens.is(i + 3, b'{')) {
            self.imported.extend(of(i));
        }
    }

    /// Returns the owners under which a type's fields and variants can be recorded.
    fn owners(&self, ty: Name) -> impl Iterator<Item = Owner> {
        let aliases = self.aliases.get(&ty).into_iter().flatten();
        let others = aliases.copied().filter(move |&alias| alias != ty);
        let names = std::iter::once(ty).chain(others);
        names.map(Owner::Named).chain([Owner::Open])
    }

    /// Tokens that may access a field of a struct.
    pub(super) fn fields(&self, ty: Name, field: Name) -> impl Iterator<Item = usize> {
        let owners = self.owners(ty);
        let lists = owners.filter_map(move |owner| self.fields.get(&(owner, field)));
        lists.flatten().copied()
    }

    /// Tokens of struct literals and patterns that may name a field.
    pub(super) fn literals(&self, ty: Name, field: Name) -> impl Iterator<Item = usize> {
        let owners = self.owners(ty);
        let lists = owners.filter_map(move |owner| self.literals.get(&(owner, field)));
        lists.flatten().copied()
    }

    /// Tokens that may call the constructor of a tuple struct.
    pub(super) fn calls(&self, ty: Name) -> impl Iterator<Item = usize> {
        let lists = self.owners(ty).filter_map(|owner| self.calls.get(&owner));
        lists.flatten().copied()
    }

    /// Tokens that may name a variant of an enum. Arguments of macros that are just its name count
    /// if it `is_in_scope`, or if the call also names the enum, which the macro may put before it.
    pub(super) fn variants(
        &self,
        tokens: &Tokens,
        ty: Name,
        variant: Name,
        is_in_scope: bool,
    ) -> impl Iterator<Item = usize> {
        let owners = self.owners(ty);
        let lists = owners.filter_map(move |owner| self.variants.get(&(owner, variant)));
        let bare = self.bare_in_macros.get(&variant).into_iter().flatten();
        // Names of one call are adjacent, and each call is searched once.
        let mut last = (usize::MAX, false);
        let bare = bare.filter(move |(_, open)| {
            if last.0 != *open {
                last = (*open, names_enum(tokens, *open, ty));
            }
            is_in_scope || last.1
        });
        let imported = self.imported.contains(&ty);
        let free = self.bare.get(&variant).filter(|_| imported);
        lists
            .chain(free)
            .flatten()
            .copied()
            .chain(bare.map(|(i, _)| *i))
    }

    /// Returns true if a variant of an enum may be named without the enum in some macro call: this
    /// file imports variants, has another name for the enum, or defines a macro that names it.
    pub(super) fn gives_variants(&self, ty: Name) -> bool {
        let mut others = self.aliases.get(&ty).into_iter().flatten();
        self.imported.contains(&ty)
            || self.in_definitions.contains(&ty)
            || others.any(|other| *other != ty)
    }

    /// Returns the unqualified names outside of macros that may be a variant.
    pub(super) fn bare(&self, variant: Name) -> impl Iterator<Item = usize> {
        self.bare.get(&variant).into_iter().flatten().copied()
    }

    /// Returns true for a token that a `cfg` attribute may disable, except `cfg(test)`.
    pub(super) fn is_configured(&self, at: usize) -> bool {
        let after = self.configured.partition_point(|range| range.start <= at);
        after > 0 && self.configured[after - 1].contains(&at)
    }
}

/// Returns the items, statements, fields and arms with a `cfg` attribute other than `cfg(test)`.
fn configured(tokens: &Tokens) -> Vec<Range<usize>> {
    let len = tokens.list.len();
    let attribute = |i| tokens.is(i, b'#') && tokens.is(i + 1, b'[');
    let mut found = Vec::new();
    let mut i = 0;
    while i < len {
        let (mut next, mut of_cfg) = (i, false);
        while attribute(next) {
            of_cfg |= tokens.str(next + 2) == "cfg" && tokens.str(next + 4) != "test";
            next = tokens.list[next + 1].mate as usize + 1;
        }
        i = next.max(i + 1);
        if of_cfg {
            let end = end_of(tokens, next);
            found.push(next..end);
            i = i.max(end);
        }
    }
    found
}

/// Returns the end of the item, statement, field or arm that begins at a token.
fn end_of(tokens: &Tokens, start: usize) -> usize {
    let mut at = start;
    // Commas between generic arguments do not end it.
    let mut angles = 0;
    while at < tokens.list.len() {
        match tokens.str(at) {
            ";" | ")" | "]" | "}" => break,
            "," if angles == 0 => break,
            "<" => angles += 1,
            ">" if !matches!(tokens.str(at - 1), "-" | "=") => angles -= 1,
            _ => {}
        }
        if tokens.list[at].kind == Kind::Open {
            let close = tokens.list[at].mate as usize;
            if tokens.is(at, b'{') {
                return close;
            }
            at = close;
        }
        at += 1;
    }
    at
}

/// Returns the ranges of the `impl` blocks of a file, in order, and the last name of the path of
/// the type that each is for.
fn impls(tokens: &Tokens) -> Vec<(Range<usize>, Owner)> {
    let list = &tokens.list;
    let begins = |i: usize| {
        if list[i].byte != b'i' || list[i].kind != Kind::Word || tokens.str(i) != "impl" {
            return false;
        }
        let before = i.checked_sub(1).map_or("}", |b| tokens.str(b));
        matches!(before, "}" | "{" | ";" | "]" | "unsafe" | "default")
    };
    let mut found = Vec::new();
    for start in (0..list.len()).filter(|&i| begins(i)) {
        let (mut name, mut angles, mut plain) = (None, 0, true);
        for (i, token) in list.iter().enumerate().skip(start + 1) {
            match token.byte {
                // This word `impl` has no block, the next one has.
                b'i' if begins(i) => break,
                b'{' if token.kind == Kind::Open => {
                    let owner = name.filter(|_| plain).map_or(Owner::Open, Owner::Named);
                    found.push((i..token.mate as usize, owner));
                    break;
                }
                b'<' => angles += 1,
                b'>' if !tokens.is(i - 1, b'-') => angles -= 1,
                _ if angles > 0 => {}
                b'$' | b'(' | b'[' | b'!' => plain = false,
                b';' => break,
                _ if tokens.is_ident(i) => match tokens.str(i) {
                    // The path before `for` was the trait.
                    "for" => (name, plain) = (None, true),
                    "where" => angles = i32::MAX / 2,
                    "dyn" => plain = false,
                    "mut" => {}
                    word => name = Some(Name::new(word)),
                },
                _ => {}
            }
        }
    }
    found
}

/// Returns the field names in the braces that open at `open`, as in a struct literal or pattern.
fn fields_in(tokens: &Tokens, open: usize) -> FxHashSet<Name> {
    let end = tokens.list[open].mate as usize;
    let mut names = FxHashSet::default();
    let mut at = open + 1;
    while at < end {
        match tokens.list[at].kind {
            Kind::Open => at = tokens.list[at].mate as usize,
            Kind::Word | Kind::Raw => {
                let begins = matches!(tokens.str(at - 1), "{" | "," | "ref" | "mut" | "]");
                if begins && matches!(tokens.str(at + 1), ":" | "," | "}" | "@") {
                    names.insert(Name::new(tokens.str(at)));
                }
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// Returns true if a macro call, whose arguments begin at a token, names an enum or `Self`.
fn names_enum(tokens: &Tokens, open: usize, ty: Name) -> bool {
    let mut call = open..tokens.list[open].mate as usize;
    call.any(|i| matches!(tokens.str(i), word if word == "Self" || word == ty.as_str()))
}

/// Returns true for the last part of numbers that no name precedes: `2.5.29`, in macro arguments.
fn is_literal(tokens: &Tokens, i: usize) -> bool {
    let number = |at: usize| tokens.list[at].kind == Kind::Number;
    let mut first = i;
    while first >= 2 && tokens.is(first - 1, b'.') && number(first - 2) {
        first -= 2;
    }
    first < i && !(first > 0 && tokens.is(first - 1, b'.'))
}

/// Returns true for the last name of a path that is a type: `Result<T, Self::Error>`, `-> a::B {`. A
/// variant with fields is followed by these, or passed as a function.
fn is_in_type(tokens: &Tokens, i: usize) -> bool {
    tokens.is(i + 1, b'>') && !tokens.is(i + 2, b'=') || is_output(tokens, i)
}

/// Returns true for the last name of a function's declared result, so that its body follows.
fn is_output(tokens: &Tokens, i: usize) -> bool {
    let mut start = tokens.start_of_path(i);
    if start > 1 && tokens.ends_path_sep(start - 1) {
        start -= 2;
    }
    start > 1 && tokens.is(start - 1, b'>') && tokens.is(start - 2, b'-')
}

/// Returns true if a word can be a variant that is built, matched or passed as a function; false
/// for type names and definitions.
fn may_build(tokens: &Tokens, i: usize) -> bool {
    let before = i.checked_sub(1).map_or("", |b| tokens.str(b));
    let defines = matches!(
        before,
        "struct" | "enum" | "fn" | "impl" | "for" | "trait" | "union" | "mod" | "type" | "dyn"
    );
    let typed = before == ">" && i >= 2 && tokens.is(i - 2, b'-');
    let passed = matches!(before, "(" | ",") && matches!(tokens.str(i + 1), ")" | ",");
    !defines && !typed && (passed || matches!(tokens.str(i + 1), "(" | "{"))
}

/// Returns true if a call follows: `(`, or `::<…>(`.
pub(super) fn is_call(tokens: &Tokens, i: usize) -> bool {
    tokens.is(i, b'(') || tokens.ends_path_sep(i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower;
    use crate::source::Sources;

    /// A text and the mentions in it.
    struct Asked {
        tokens: Tokens,
        mentions: Mentions,
    }

    fn ask(text: &str, wanted: &[&str]) -> Asked {
        let sources = Sources::default();
        let source = sources.add("lib.rs".into(), text.to_owned(), None);
        let list = lower::tokens(&source);
        let file = source.id;
        let tokens = Tokens { source, list };
        let wanted = wanted.iter().map(|w| Name::new(w)).collect();
        let mentions = Mentions::find(&tokens, file, false, &wanted, &FxHashSet::default());
        Asked { tokens, mentions }
    }

    impl Asked {
        /// Returns the found tokens, each with its neighbours.
        fn said(&self, found: impl Iterator<Item = usize>) -> Vec<String> {
            let mut found: Vec<usize> = found.collect();
            found.sort_unstable();
            let around = |i: usize| {
                let words = (i.saturating_sub(3)..=i + 1).map(|at| self.tokens.str(at));
                words.collect::<String>()
            };
            found.into_iter().map(around).collect()
        }

        fn variants(&self, ty: &str, variant: &str) -> Vec<String> {
            let (ty, variant) = (Name::new(ty), Name::new(variant));
            let in_scope = self.mentions.gives_variants(ty);
            let found = self.mentions.variants(&self.tokens, ty, variant, in_scope);
            self.said(found)
        }
    }

    #[test]
    fn one_of_many_types_with_a_variant_of_one_name() {
        let each = |i: usize| {
            format!(
                "enum E{i} {{ Fat(u8), Thin }} impl E{i} {{ fn f() {{ Self::Fat(1); E{i}::Fat(2); }} }}\n"
            )
        };
        let text: String = (0..2_000).map(each).collect();
        let asked = ask(&text, &["Fat", "E7", "Self"]);
        // Only matching entries are visited, not all tokens with this name.
        assert_eq!(asked.variants("E7", "Fat"), ["Self::Fat(", "E7::Fat("]);
    }

    #[test]
    fn variants_by_other_names() {
        let text = "use m::E as F; type G = Vec<E>; use H::*;
            fn f() { E::A(1); F::A(2); G::A(3); X::A(4); $t::A(5); A(6); m!(A(7)); x.A(8); }
            fn g() { H::B; B(1); Self::B(2); }";
        let asked = ask(text, &["A", "B", "E", "H"]);
        let found = ["E::A(", "F::A(", "G::A(", "t::A(", "m!(A("];
        let types =
            "fn h() -> Result<u8, E::A> { m!(Result<u8, E::A>) } fn i() -> E::A { x.map(E::A) }";
        assert_eq!(ask(types, &["A", "E"]).variants("E", "A"), ["E::A)"]);
        assert_eq!(asked.variants("E", "A"), found);
        assert_eq!(asked.variants("H", "B"), ["H::B;", ":B;B(", "Self::B("]);
    }

    #[test]
    fn variants_that_a_macro_names_alone() {
        let found = |text: &str| ask(text, &["A", "E", "Self"]).variants("E", "A").len();
        // Nothing puts the enum's name before it, so that it is something else.
        assert_eq!(found("enum E { A(u8) } fn f() { m!(A(1)); }"), 0);
        // The call names the enum.
        assert_eq!(found("fn f() { m!(E, A(1)); m!(Self, n!(A)); }"), 2);
        // A macro names it, or the variant is imported.
        let rules = "macro_rules! m { ($v:ident) => { E::$v(1) } }";
        assert_eq!(found(&format!("{rules} fn f() {{ m!(A); m!(B); }}")), 1);
        assert_eq!(found("use m::E::A; fn f() { m!(A(1)); }"), 1);
        assert_eq!(found("use m::{B, E::{A, C}}; fn f() { m!(A(1)); }"), 1);
    }

    #[test]
    fn a_body_is_no_literal() {
        let text = "fn f() -> S { a, b } fn g() -> m::S { a, b } fn h() -> ::m::S { a }
            fn i() { S { a }; |x| m::S { a }; match x { y => S { a } } }";
        let asked = ask(text, &["S", "a"]);
        let literals = asked.mentions.literals(Name::new("S"), Name::new("a"));
        assert_eq!(literals.count(), 3);
    }

    #[test]
    fn fields_literals_and_calls() {
        let text = "impl S { fn f(&self) { self.a; x.a; self.b.a; self.a(); Self { a: 1, b } } }
            impl T { fn f(&self) { self.a; Self { a } } }
            fn g() { S { a, .. }; S { b: a }; S(1); if a { b } P(2); struct P(u8); }";
        let asked = ask(text, &["S", "P", "a"]);
        let (s, a) = (Name::new("S"), Name::new("a"));
        let read = asked.said(asked.mentions.fields(s, a));
        assert_eq!(read, ["{self.a;", ";x.a;", ".b.a;"]);
        assert_eq!(asked.mentions.literals(s, a).count(), 2);
        assert_eq!(asked.mentions.calls(Name::new("P")).count(), 1);
        let text = "impl S { fn f(&self) { self.0; m!(self.0, x.0.len(), y.1.0, 0, 0..1, ..0); } }
            fn g() { x.0; m! { x.1; n!(x.0) } quote!(x.0) }";
        let asked = ask(text, &["0"]);
        let read = asked.said(asked.mentions.fields(s, Name::new("0")));
        let numbers = ask("fn f() { m!(2.5.0, 1.2.3.4.0) }", &["0"]);
        assert_eq!(numbers.mentions.fields(s, Name::new("0")).count(), 0);
        assert_eq!(read, ["(self.0,", ",x.0.", ",y.1.0,", "(x.0)", "(x.0)"]);
    }

    #[test]
    fn what_a_cfg_may_leave_out() {
        let text = "fn a() { here } #[cfg(x)] #[inline] fn b() { there } fn c() { here }
            #[cfg(test)] fn d() { here } struct S { #[cfg(x)] e: B<there, there>, f: here }";
        let asked = ask(text, &[]);
        let list = 0..asked.tokens.list.len();
        for i in list.filter(|&i| matches!(asked.tokens.str(i), "here" | "there")) {
            let left_out = asked.tokens.str(i) == "there";
            assert_eq!(asked.mentions.is_configured(i), left_out, "token {i}");
        }
    }
}
