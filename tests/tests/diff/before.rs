//! The types of a small crate at an earlier commit.

pub struct Span {
    pub start: u32,
    pub end: u32,
}

pub enum Token {
    Word(Span),
    Number(u64),
    End,
}

pub struct Line {
    pub tokens: [Option<Token>; 4],
    pub span: Span,
}

pub struct Lean {
    pub first: u64,
    pub second: u64,
}

pub struct Gone(pub u32);

pub struct Pair<T> {
    pub of: T,
    pub with: u8,
}

pub struct Kept {
    pub pair: Pair<u16>,
}

pub mod old {
    pub struct Mover {
        pub a: u64,
        pub b: u8,
    }
}
