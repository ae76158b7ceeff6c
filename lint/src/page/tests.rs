//! Tests of the content policy of the page, and of its escaping.

use super::*;

/// Returns the hash of a text, as a content policy states it.
fn hash(text: &str) -> String {
    use base64::Engine;
    use sha2::Digest;
    let digest = sha2::Sha256::digest(text.as_bytes());
    let digest = base64::engine::general_purpose::STANDARD.encode(digest);
    format!("sha256-{digest}")
}

#[test]
fn the_policy_lets_this_script_and_this_style_run() {
    let found = [("STYLE_HASH", hash(STYLE)), ("SCRIPT_HASH", hash(SCRIPT))];
    let said = [STYLE_HASH, SCRIPT_HASH];
    let right = found.each_ref().map(|(_, h)| h.as_str());
    if std::env::var_os("BLESS").is_some() && said != right {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/page.rs");
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().map(|line| {
            let fresh = found
                .iter()
                .find(|(name, _)| line.starts_with(&format!("const {name}:")));
            fresh.map_or(line.to_owned(), |(name, h)| {
                format!("const {name}: &str = \"{h}\";")
            })
        });
        std::fs::write(path, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
        return;
    }
    assert_eq!(said, right, "`BLESS=1` writes them");
}

#[test]
fn nothing_in_the_assets_ends_their_elements_or_leads_away() {
    assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--") && !STYLE.contains("</"));
    assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval("));
    for text in [PAGE, STYLE, SCRIPT] {
        assert!(!text.contains("http:") && !text.contains("https:") && !text.contains("url("));
    }
}

#[test]
fn data_is_no_markup() {
    let value = serde_json::json!({"a": "</script><!--<b>&amp;", "\u{202e}x": ["\u{202e}"]});
    let text = embedded(&shown(value.clone()));
    assert!(!text.contains(['<', '>', '&', '\u{202e}']), "{text}");
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["a"], value["a"]);
    assert_eq!(escaped("<a \"b\"&"), "&lt;a &quot;b&quot;&amp;");
}

#[test]
fn spare_capacity_is_behind_all_that_saves_as_much() {
    assert_eq!(
        between(&[u64::MAX, 10, 100, 0], [200, 100, 5].into_iter()),
        [2, 5, 6]
    );
    assert_eq!(between(&[], [2, 1].into_iter()), [1, 2]);
}

#[test]
fn pieces_are_put_in_once() {
    let pieces = [("@a@", "1@b@".to_owned()), ("@b@", "2".to_owned())];
    assert_eq!(filled("x@a@y@b@z", &pieces), "x1@b@y2z");
}

#[test]
fn a_line_is_marked_by_letters() {
    let parts = |list: &[(&str, u8)]| -> Vec<(String, u8)> {
        list.iter().map(|(t, k)| ((*t).to_owned(), *k)).collect()
    };
    assert_eq!(
        marked("aäb", 1, 2, MAIN),
        parts(&[("a", 0), ("ä", 2), ("b", 0)])
    );
    assert_eq!(marked("\tab", usize::MAX, 0, MAIN), parts(&[(" ab", 0)]));
    assert_eq!(
        marked(&"x".repeat(999), 0, 1, MARKED)[1].0.len(),
        LONGEST_LINE - 1
    );
}
