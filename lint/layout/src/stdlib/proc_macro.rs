//! The compiler's `proc_macro` crate: handles into its server, one number each.

#[rustc_layout_scalar_valid_range_start(1)]
struct Handle(u32);

pub struct TokenStream(Option<Handle>);

pub struct Span(Handle);

struct Symbol(Handle);

#[repr(u8)]
pub enum Delimiter {
    Parenthesis,
    Brace,
    Bracket,
    None,
}

pub enum Spacing {
    Joint,
    Alone,
}

struct DelimSpan {
    open: Span,
    close: Span,
    entire: Span,
}

pub struct Group {
    delimiter: Delimiter,
    stream: Option<Handle>,
    span: DelimSpan,
}

pub struct Punct {
    ch: u8,
    joint: bool,
    span: Span,
}

pub struct Ident {
    sym: Symbol,
    #[cfg(version("1.101"))]
    kind: IdentKind,
    #[cfg(not(version("1.101")))]
    is_raw: bool,
    span: Span,
}
enum IdentKind { Normal, Raw, ForcedKeyword }

enum LitKind {
    Byte,
    Char,
    Integer,
    Float,
    Str,
    StrRaw(u8),
    ByteStr,
    ByteStrRaw(u8),
    CStr,
    CStrRaw(u8),
    ErrWithGuar,
}

pub struct Literal {
    kind: LitKind,
    symbol: Symbol,
    suffix: Option<Symbol>,
    span: Span,
}

pub enum TokenTree {
    Group(Group),
    Ident(Ident),
    Punct(Punct),
    Literal(Literal),
}

#[cfg(version("1.95"))]
pub struct LexError(crate::string::String);
#[cfg(not(version("1.95")))]
pub struct LexError;

pub mod token_stream {
    pub use super::TokenStream;

    pub struct IntoIter(crate::vec::IntoIter<super::TokenTree>);

    impl crate::iter::Iterator for IntoIter {
        type Item = super::TokenTree;
    }
}

impl crate::iter::IntoIterator for TokenStream {
    type Item = TokenTree;
    type IntoIter = token_stream::IntoIter;
}
