//! Types in places other than a module.

use weigh_derive::AssertSize;

/// Types inside a function.
#[must_use]
pub fn inside() -> usize {
    #[derive(AssertSize)]
    #[assert_size(max = 4)]
    struct Local(u32);

    #[derive(AssertSize)]
    #[assert_size(max = 8, max_gap = 0, variant(Left, max = 4))]
    enum LocalEnum {
        Left(Local),
        Right(Local),
    }

    let value = if size_of::<usize>() > 4 {
        LocalEnum::Left(Local(1))
    } else {
        LocalEnum::Right(Local(2))
    };
    match value {
        LocalEnum::Left(one) | LocalEnum::Right(one) => one.0 as usize,
    }
}

/// Types inside a generic function.
#[must_use]
pub fn inside_generic<T>(_: &T) -> usize {
    #[derive(AssertSize)]
    #[assert_size(for(T = u8), max = 1, no_padding)]
    struct Local<T>(T);

    size_of_val(&Local(1u8).0)
}

/// Types inside a method, a constant and a closure.
pub struct Holder;

impl Holder {
    /// A constant with a block.
    pub const SIZE: usize = {
        #[derive(AssertSize)]
        #[assert_size(max = 2)]
        struct InConst(u16);
        InConst(2).0 as usize
    };

    /// A method.
    #[must_use]
    pub fn method(&self) -> usize {
        let closure = || {
            #[derive(AssertSize)]
            #[assert_size(max = 1)]
            struct InClosure(u8);
            usize::from(InClosure(1).0)
        };
        closure()
    }
}

/// Without any prelude.
pub mod bare {
    #![no_implicit_prelude]

    /// A struct.
    #[derive(::weigh_derive::AssertSize)]
    #[assert_size(max = 3, no_padding, align = 1)]
    pub struct Bare(pub [u8; 3]);

    /// An enum.
    #[derive(::weigh_derive::AssertSize)]
    #[assert_size(max = 4, max_gap = 2, niche, variant(Left, exact = 3))]
    pub enum BareEnum {
        /// One.
        Left([u8; 3]),
        /// Two.
        Right(u8),
    }
}
