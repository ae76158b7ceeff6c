//! What grew over the moments of one run, with a sparkline of each type.

use crate::census::count::{Census, GrowthCount, after};
use crate::finding::amount::{bytes, number};
use crate::report::counted::{is_own, name};
use std::fmt::Write;
use std::time::Duration;

/// Characters of a sparkline: of more moments the largest of several is drawn.
const WIDTH: usize = 24;

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws numbers from 0 to the largest.
fn sparkline(numbers: &[u64]) -> String {
    let most = numbers.iter().max().copied().unwrap_or(0).max(1);
    let width = numbers.len().min(WIDTH);
    let drawn = (0..width).map(|at| {
        let (from, to) = (at * numbers.len() / width, (at + 1) * numbers.len() / width);
        let here = numbers[from..to].iter().max().copied().unwrap_or(0);
        let level = here as f64 / most as f64 * (LEVELS.len() - 1) as f64;
        LEVELS[level.round() as usize]
    });
    drawn.collect()
}

fn signed(grown: i64) -> String {
    let sign = if grown < 0 { '-' } else { '+' };
    format!("{sign}{}", bytes(grown.unsigned_abs()))
}

/// Writes the heap and the types that grew, the most first.
pub(super) fn write(text: &mut String, census: &Census, shown: usize) -> std::fmt::Result {
    let [first, .., last] = &census.moments[..] else {
        return Ok(());
    };
    let time = |ms: u64| after(Duration::from_millis(ms));
    writeln!(
        text,
        "\nFrom {} to {}, {} moments: bytes from 0 to the most, growth, bytes at last",
        time(first.after_ms),
        time(last.after_ms),
        census.moments.len()
    )?;
    let width = census.moments.len().min(WIDTH);
    let mut line = |list: &[u64], grown: i64, what: &str| {
        let now = list.last().copied().unwrap_or(0);
        let drawn = sparkline(list);
        writeln!(
            text,
            "{drawn:width$} {:>10} {:>10}  {what}",
            signed(grown),
            bytes(now)
        )
    };
    let live: Vec<u64> = census.moments.iter().map(|m| m.live_bytes).collect();
    let grown = last.live_bytes.wrapping_sub(first.live_bytes) as i64;
    line(&live, grown, "the live heap")?;
    let read: Vec<u64> = census.moments.iter().map(|m| m.read_bytes).collect();
    let shares = census
        .moments
        .iter()
        .map(|m| (m.read_bytes * 1000).checked_div(m.live_bytes));
    let shares: Vec<u64> = shares.map(Option::unwrap_or_default).collect();
    // Where the share that was read differs, what a type grew by may have been there before.
    if shares.iter().max() != shares.iter().min() {
        let grown = last.read_bytes.wrapping_sub(first.read_bytes) as i64;
        line(
            &read,
            grown,
            "what was read of it: types may seem to grow with it",
        )?;
    }
    let own = |one: &&GrowthCount| is_own(&one.ty) && one.bytes.len() == census.moments.len();
    let mut all = census.growth.iter().filter(own);
    for one in all.by_ref().take(shown) {
        let ends = (one.values.first(), one.values.last());
        let (from, to) = (ends.0.copied().unwrap_or(0), ends.1.copied().unwrap_or(0));
        let at_least = if one.at_least { "at least " } else { "" };
        let always = one.bytes.len() > 2 && one.bytes.windows(2).all(|pair| pair[0] < pair[1]);
        let always = if always { ", more at each moment" } else { "" };
        let what = format!(
            "{}: {at_least}{} to {} values{always}",
            name(&one.ty),
            number(from),
            number(to)
        );
        line(&one.bytes, one.grown(), &what)?;
    }
    match all.count() {
        0 => Ok(()),
        more => writeln!(text, "and {more} more types that changed: `-v` shows all"),
    }
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, sparkline};

    #[test]
    fn sparklines_show_the_largest_of_each_step() {
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[0, 0]), "▁▁");
        assert_eq!(sparkline(&[0, 50, 100]), "▁▅█");
        let mut long = vec![0; 1000];
        long[999] = 7;
        let drawn = sparkline(&long);
        assert_eq!(drawn.chars().count(), WIDTH);
        assert!(drawn.ends_with("▁█"), "{drawn}");
    }
}
