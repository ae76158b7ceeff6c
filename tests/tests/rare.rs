//! Enums whose authors would box the rare variant: shapes taken from what crates did by hand.

use serde_json::Value;
use weigh_tests::{fixture, run_in};

#[test]
fn the_enum_with_the_rare_variant_is_named() {
    let said = run_in(&fixture("rare"), &["--message-format", "json"]).expect(0);
    let findings = said.findings();
    let about = |ty: &str| -> Option<&Value> {
        let mut all = findings.iter().map(|f| &f["weigh"]);
        all.find(|w| w["type"] == ty)
    };
    // The enum inside would take more changes, and nothing shows that there are many.
    for (ty, field) in [
        ("Expr", "Window"),
        ("Value", "Error"),
        ("DataType", "Extension"),
        ("OpenError", "Device"),
    ] {
        let weigh = about(ty).unwrap_or_else(|| panic!("no finding on {ty}"));
        assert_eq!(weigh["field"], field, "{ty}");
    }
    assert_eq!(about("OpenError").unwrap()["lint"], "large_err");
}
