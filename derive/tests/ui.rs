//! What the user sees: `tests/ui/*.stderr` holds every message and every misuse.
//!
//! `TRYBUILD=overwrite cargo test -p weigh-derive --test ui` writes them anew.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
