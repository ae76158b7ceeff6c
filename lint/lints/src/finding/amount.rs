//! Amounts as people read them.

use super::Net;
use std::fmt;

/// `12,345`.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun.
pub fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}s", number(n)),
    }
}

/// Bytes in the largest unit of which there is one.
pub fn bytes(n: u64) -> String {
    match n {
        0..10_000 => format!("{} B", number(n)),
        10_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..10_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

/// A part of a whole.
pub fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{:.1} %", part as f64 / whole as f64 * 100.0),
    }
}

impl fmt::Display for Net {
    /// `saves 3.6 MB and 1,200 blocks`, `costs 12.0 kB and saves 3 blocks`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = |n: i64| if n < 0 { "costs" } else { "saves" };
        let (size, blocks) = (self.bytes.unsigned_abs(), self.blocks.unsigned_abs());
        let blocks = count(blocks, "block");
        match (self.bytes, self.blocks) {
            (0, 0) => write!(f, "saves nothing"),
            (n, 0) => write!(f, "{} {}", verb(n), bytes(size)),
            (0, n) => write!(f, "{} {blocks}", verb(n)),
            (n, m) if (n < 0) == (m < 0) => write!(f, "{} {} and {blocks}", verb(n), bytes(size)),
            (n, m) => write!(f, "{} {} and {} {blocks}", verb(n), bytes(size), verb(m)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"]
        );
        let shown = [9_999, 10_000, 1_500_000, 20_000_000_000].map(bytes);
        assert_eq!(shown, ["9,999 B", "10.0 kB", "1.5 MB", "20.0 GB"]);
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(1, 0), "0 %");
        let net = |bytes, blocks| Net { bytes, blocks }.to_string();
        assert_eq!(net(0, 0), "saves nothing");
        assert_eq!(net(-5, 0), "costs 5 B");
        assert_eq!(net(0, 1), "saves 1 block");
        assert_eq!(net(5, 2), "saves 5 B and 2 blocks");
        assert_eq!(net(-5, -2), "costs 5 B and 2 blocks");
        assert_eq!(net(-5, 2), "costs 5 B and saves 2 blocks");
    }
}
