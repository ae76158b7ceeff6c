//! Types that `macro_rules` define.

macro_rules! define {
    ($(#[$attribute:meta])* $name:ident, $field:ty, $limit:expr) => {
        /// Defined by a macro.
        $(#[$attribute])*
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(max = $limit)]
        pub struct $name(pub $field);
    };
    (enum $name:ident, $limit:literal, $($variant:ident: $field:ty),*) => {
        /// Defined by a macro.
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(max = $limit, $(variant($variant, max = size_of::<$field>())),*)]
        pub enum $name {
            $(
                /// A variant.
                $variant($field),
            )*
        }
    };
    (generic $name:ident<$parameter:ident> = $argument:ty) => {
        /// Defined by a macro.
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(for($parameter = $argument), max = 4, no_padding)]
        pub struct $name<$parameter>(pub $parameter);
    };
    (borrowed $name:ident<$lifetime:lifetime>) => {
        /// Defined by a macro.
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(max = 8)]
        pub struct $name<$lifetime>(pub &$lifetime u8);
    };
    (borrowed for $name:ident<$lifetime:lifetime, $parameter:ident> = $of:lifetime) => {
        /// Defined by a macro.
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(for($lifetime = $of, $parameter = u32), max = 8)]
        pub struct $name<$lifetime, $parameter: $lifetime>(pub &$lifetime $parameter);
    };
}

define!(Plain, u32, 4);
define!(
    /// With an attribute.
    #[derive(Clone)]
    Expression, [u8; 6], 3 * 2
);
define!(enum Variants, 8, Left: u32, Right: u8);
define!(generic Generic<T> = [u8; 4]);
define!(borrowed Borrowed<'a>);
define!(borrowed for BorrowedFor<'a, T> = 'static);

macro_rules! nested {
    ($($name:ident)*) => { $( define!($name, $crate::structs::Newtype, 8); )* };
}

nested!(First Second);

macro_rules! set {
    ($name:ident, $set:expr) => {
        /// Defined by a macro.
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(exact = $set)]
        pub struct $name(pub u16);
    };
}

set!(Set, [2, 4]);
