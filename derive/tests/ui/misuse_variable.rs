use weigh_derive::AssertSize;

fn main() {
    let limit = 8;
    assert!(limit > 0);

    #[derive(AssertSize)]
    #[assert_size(max = limit)]
    struct Local(u8);
}
