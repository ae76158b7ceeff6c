#![allow(non_camel_case_types)]

mod inner {
    #[derive(weigh_derive::AssertSize)]
    #[assert_size(max = 1)]
    pub struct r#fn(u16);
}

macro_rules! define {
    ($name:ident, $limit:expr) => {
        #[derive(weigh_derive::AssertSize)]
        #[assert_size(max = $limit)]
        struct $name(u16);
    };
}

define!(Defined, 1);

fn main() {
    #[derive(weigh_derive::AssertSize)]
    #[assert_size(max = 1)]
    struct Local(u16);
}
