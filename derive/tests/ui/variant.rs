#![allow(non_camel_case_types)]

use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(variant(ClassDump, max = 64, min = 1000), variant(End, exact = 1))]
enum Record {
    ClassDump { id: u64, fields: [u8; 113] },
    End,
}

#[derive(AssertSize)]
#[assert_size(for(T = u64), variant(Full, max = 4))]
#[assert_size(variant(r#type, exact = [2, 8]), for(T = u32))]
enum Slot<T> {
    Full(T),
    r#type(T),
}

#[derive(AssertSize)]
#[assert_size(variant(InOrder, max = 8))]
#[repr(C)]
enum Foreign {
    InOrder(u8, u32, u8),
}

fn main() {}
