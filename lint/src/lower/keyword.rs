//! The words that Rust gives a meaning to, told apart once for each token.

macro_rules! keywords {
    ($($text:literal $name:ident,)*) => {
        /// A word that Rust gives a meaning to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Keyword {
            /// Any other token.
            No,
            $(#[doc = concat!("`", $text, "`.")] $name,)*
        }

        impl Keyword {
            /// The keyword that a word is, raw identifiers apart.
            pub(super) fn of(word: &str) -> Keyword {
                // Names are mostly longer than any keyword, or begin with a capital.
                let first = word.as_bytes().first().copied().unwrap_or_default();
                let may = word.len() <= "macro_rules".len()
                    && (first.is_ascii_lowercase() || matches!(first, b'_' | b'S'));
                match word {
                    _ if !may => Keyword::No,
                    $($text => Keyword::$name,)*
                    _ => Keyword::No,
                }
            }
        }
    };
}

// Those that may be names come last, from `auto` on.
keywords! {
    "_" Underscore,
    "abstract" Abstract,
    "as" As,
    "async" Async,
    "await" Await,
    "become" Become,
    "box" Box,
    "break" Break,
    "const" Const,
    "continue" Continue,
    "crate" Crate,
    "do" Do,
    "dyn" Dyn,
    "else" Else,
    "enum" Enum,
    "extern" Extern,
    "false" False,
    "final" Final,
    "fn" Fn,
    "for" For,
    "if" If,
    "impl" Impl,
    "in" In,
    "let" Let,
    "loop" Loop,
    "macro" Macro,
    "match" Match,
    "mod" Mod,
    "move" Move,
    "mut" Mut,
    "override" Override,
    "priv" Priv,
    "pub" Pub,
    "ref" Ref,
    "return" Return,
    "Self" SelfType,
    "self" SelfValue,
    "static" Static,
    "struct" Struct,
    "super" Super,
    "trait" Trait,
    "true" True,
    "try" Try,
    "type" Type,
    "typeof" Typeof,
    "unsafe" Unsafe,
    "unsized" Unsized,
    "use" Use,
    "virtual" Virtual,
    "where" Where,
    "while" While,
    "yield" Yield,
    "auto" Auto,
    "builtin" Builtin,
    "default" Default,
    "macro_rules" MacroRules,
    "raw" Raw,
    "safe" Safe,
    "union" Union,
}

impl Keyword {
    /// True for one that no name can be without `r#`.
    pub(super) fn is_reserved(self) -> bool {
        self != Keyword::No && (self as u8) < Keyword::Auto as u8
    }

    /// True for one that a path can begin with, or consist of.
    pub(super) fn in_path(self) -> bool {
        matches!(
            self,
            Keyword::Crate | Keyword::SelfType | Keyword::SelfValue | Keyword::Super | Keyword::Try
        )
    }
}
