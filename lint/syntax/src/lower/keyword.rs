//! Keywords, identified once per token.

macro_rules! keywords {
    ($($text:literal $name:ident,)*) => {
        /// A strict, reserved or weak keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Keyword {
            /// Any other token.
            No,
            $(#[doc = concat!("`", $text, "`.")] $name,)*
        }

        impl Keyword {
            /// Returns the keyword that a non-raw word is.
            pub(super) fn of(word: &str) -> Keyword {
                // Fast path: most names are longer than any keyword or begin with a capital.
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

// Weak keywords, which are valid names, come last, from `auto` on.
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
    /// Returns true for a keyword that is not a valid name without `r#`.
    pub(super) fn is_reserved(self) -> bool {
        self != Keyword::No && (self as u8) < Keyword::Auto as u8
    }

    /// Returns true for a keyword that may be a path segment.
    pub(super) fn in_path(self) -> bool {
        matches!(
            self,
            Keyword::Crate | Keyword::SelfType | Keyword::SelfValue | Keyword::Super | Keyword::Try
        )
    }
}
