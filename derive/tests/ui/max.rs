use weigh_derive::AssertSize;

#[derive(AssertSize)]
#[assert_size(max = 8)]
struct Header {
    kind: u8,
    length: u64,
}

#[derive(AssertSize)]
#[assert_size(max = 128)]
enum Record {
    GcSegment([u64; 16]),
    AllocationSites([u16; 29]),
    End,
}

#[derive(AssertSize)]
#[assert_size(max = 4)]
enum Five {
    One(u8),
    Two([u8; 2]),
    Three([u8; 3]),
    Four([u8; 4]),
    Five([u8; 5]),
}

#[derive(AssertSize)]
#[assert_size(max = 0)]
struct OneByte(u8);

#[derive(AssertSize)]
#[assert_size(max = 3)]
union Bits {
    number: u32,
    float: f32,
}

fn main() {}
