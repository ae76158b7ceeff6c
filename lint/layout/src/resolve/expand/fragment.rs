//! Fragment specifiers of `macro_rules!`: where each may begin and where it ends.

use super::token::{Delim, Kind, Stream};
use super::{grammar, item};

/// A fragment specifier. `expr_2021` is [`Fragment::Expr`] too: see [`Fragment::end`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fragment {
    Block,
    Expr,
    Ident,
    Item,
    Lifetime,
    Literal,
    Meta,
    Pat,
    PatParam,
    Path,
    Stmt,
    Tt,
    Ty,
    Vis,
}

const NAMES: [(&str, &str, Fragment); 15] = [
    ("block", "b", Fragment::Block),
    ("expr", "e", Fragment::Expr),
    ("expr_2021", "", Fragment::Expr),
    ("ident", "i", Fragment::Ident),
    ("item", "I", Fragment::Item),
    ("lifetime", "l", Fragment::Lifetime),
    ("literal", "L", Fragment::Literal),
    ("meta", "m", Fragment::Meta),
    ("pat", "p", Fragment::Pat),
    ("pat_param", "q", Fragment::PatParam),
    ("path", "P", Fragment::Path),
    ("stmt", "s", Fragment::Stmt),
    ("tt", "t", Fragment::Tt),
    ("ty", "T", Fragment::Ty),
    ("vis", "v", Fragment::Vis),
];

/// Reserved words of all or most editions, sorted; without those that may begin a path.
const RESERVED: [&str; 45] = [
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "type", "typeof", "unsafe", "use", "where", "while",
    "yield",
];

/// Returns true for a word that cannot be in a path.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

impl Fragment {
    /// Returns the fragment of a specifier.
    pub fn from_name(name: &str) -> Option<Fragment> {
        NAMES.iter().find(|n| n.0 == name).map(|n| n.2)
    }

    /// Returns the fragment with this [`Fragment::mark`].
    pub fn from_mark(mark: &str) -> Option<Fragment> {
        NAMES
            .iter()
            .find(|n| n.1 == mark && !mark.is_empty())
            .map(|n| n.2)
    }

    /// Returns the letter that marks it in the text.
    pub fn mark(self) -> &'static str {
        NAMES.iter().find(|n| n.2 == self).map_or("t", |n| n.1)
    }

    /// Returns true if a match stays one opaque token tree when passed to another macro.
    pub fn is_opaque(self) -> bool {
        use Fragment::*;
        !matches!(self, Ident | Lifetime | Tt | Block)
    }

    /// Returns the end of the fragment at `i`; `None` if none can begin there. A `vis` may be
    /// empty. If `wide`, as for `expr` since edition 2024, it may also be `_` or `const { … }`.
    pub fn end(self, s: &Stream, i: usize, wide: bool) -> Option<usize> {
        use Fragment::*;
        if !self.can_begin(s, i, wide) {
            return None;
        }
        match self {
            Block => Some(s.mate(i) + 1),
            Expr => grammar::expr(s, i),
            Ident | Lifetime => Some(i + 1),
            Item => item::item(s, i),
            Literal => match s.kind(i) {
                Kind::Open(_) => s.tree(i),
                _ => Some(if s.starts(i, b'-') { i + 2 } else { i + 1 }),
            },
            Meta => item::meta(s, i),
            Pat => grammar::pat(s, i, true),
            PatParam => grammar::pat(s, i, false),
            Path => grammar::whole_path(s, i),
            Stmt => item::stmt(s, i),
            Tt => s.tree(i),
            Ty => grammar::ty(s, i, true),
            Vis => Some(item::vis(s, i)),
        }
    }

    /// Applies rustc's test of the next token, which decides between another round of a repetition
    /// and what follows it.
    pub fn can_begin(self, s: &Stream, i: usize, wide: bool) -> bool {
        use Fragment::*;
        let kind = s.kind(i);
        if let Kind::Open(Delim::Group(group)) = kind {
            return self.takes(group);
        }
        if matches!(kind, Kind::Close(_) | Kind::End) {
            return false;
        }
        match self {
            Tt | Item | Stmt => true,
            Block => s.is_open(i, Delim::Brace),
            Ident => s.ident(i).is_some_and(|w| w != "_"),
            Lifetime => kind == Kind::Lifetime,
            Literal => is_literal(s, i) || s.is(i, "-") && is_literal(s, i + 1),
            Path | Meta => kind == Kind::Ident || s.is(i, "::"),
            Ty => begins_ty(s, i),
            Vis => s.is(i, ",") || s.ident(i).is_some_and(|w| w != "priv") || begins_ty(s, i),
            Expr => begins_expr(s, i, wide),
            Pat | PatParam => match kind {
                Kind::Ident | Kind::Literal => true,
                Kind::Open(d) => d != Delim::Brace,
                Kind::Punct(b'|') => self == Pat && s.is(i, "|"),
                _ => ["&", "&&", "-", "..", "...", "::", "<", "<<"].contains(&s.text(i)),
            },
        }
    }

    /// Returns true if a match of the fragment `group` in one macro may match this in another.
    fn takes(self, group: Fragment) -> bool {
        use Fragment::*;
        match self {
            Tt | Stmt => true,
            Expr => matches!(group, Expr | Literal | Path | Block),
            Ty => matches!(group, Ty | Path),
            Path => matches!(group, Path | Ty),
            Meta => matches!(group, Meta | Path),
            Pat | PatParam => matches!(group, Pat | PatParam | Expr | Literal | Path | Ty),
            Item => matches!(group, Item | Stmt | Vis | Path),
            // An empty one may be before any fragment.
            Vis => true,
            Literal => group == Literal,
            Block | Ident | Lifetime => self == group,
        }
    }
}

pub(super) fn is_literal(s: &Stream, i: usize) -> bool {
    s.kind(i) == Kind::Literal || matches!(s.ident(i), Some("true" | "false"))
}

fn begins_ty(s: &Stream, i: usize) -> bool {
    match s.kind(i) {
        Kind::Ident => {
            let w = s.text(i);
            !is_reserved(w)
                || matches!(
                    w,
                    "_" | "for" | "impl" | "fn" | "unsafe" | "extern" | "typeof" | "dyn"
                )
        }
        Kind::Lifetime | Kind::Open(Delim::Paren | Delim::Bracket) => true,
        Kind::Punct(_) => ["!", "*", "&", "&&", "?", "<", "<<", "::"].contains(&s.text(i)),
        _ => false,
    }
}

fn begins_expr(s: &Stream, i: usize, wide: bool) -> bool {
    match s.kind(i) {
        Kind::Ident => match s.text(i) {
            "_" | "const" => wide,
            "async" | "break" | "continue" | "do" | "false" | "for" | "if" | "loop" | "match"
            | "move" | "return" | "true" | "unsafe" | "while" | "yield" | "static" => true,
            w => !is_reserved(w),
        },
        Kind::Literal | Kind::Lifetime | Kind::Open(_) => true,
        Kind::Punct(_) => [
            "!", "-", "*", "|", "||", "&", "&&", "..", "...", "..=", "<", "<<", "::", "#",
        ]
        .contains(&s.text(i)),
        _ => false,
    }
}
