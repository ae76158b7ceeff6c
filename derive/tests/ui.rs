//! Tests the messages to the user: `tests/ui/*.stderr` has every message and every misuse.
//!
//! `TRYBUILD=overwrite cargo test -p weigh-derive --test ui` rewrites them.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
