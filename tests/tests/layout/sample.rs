//! Types for `layout.rs`, read by the program and compiled into the test.

pub mod parts {
    #[derive(Default)]
    pub struct Foo {
        pub name: String,
        pub flag: bool,
    }

    pub mod deep {
        pub trait Worker {}
        pub type Pair<T> = (T, u32);
        pub struct SearchWorker<W> {
            pub inner: W,
            pub count: u32,
        }
        pub struct Handle<W>(pub Box<W>);
        pub struct Grid<const N: usize>(pub [u16; N]);
    }

    pub mod left {
        pub struct Twin(pub u8);
    }

    pub mod right {
        pub struct Twin(pub u16);
    }
}
