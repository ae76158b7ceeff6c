//! The same crate after the change.

pub struct Span {
    pub start: u32,
    pub end: u32,
}

pub enum Token {
    Word(Span, Option<Box<str>>),
    Number(u64),
    End,
}

pub struct Line {
    pub tokens: [Option<Token>; 4],
    pub span: Span,
}

pub struct Lean {
    pub first: u64,
}

pub struct Fresh {
    pub span: Span,
}

pub struct Pair<T> {
    pub of: T,
    pub with: u8,
}

pub struct Kept {
    pub pair: Pair<u16>,
}

pub mod new {
    pub struct Mover {
        pub a: u64,
        pub b: u8,
    }
}
