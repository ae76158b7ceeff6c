//! The tag of an enum as rustc chooses it since 1.99, computed with the calculator of an earlier
//! release.
//!
//! The valid range is the smallest one, wrapping around or not, in the tag's own bits. The pinned
//! calculator searches the largest gap between the discriminants as signed numbers. Given only the
//! two ends, as 128-bit numbers that do not wrap, it computes the same range.

use ra_ap_rustc_abi::{Integer, IntegerType, ReprOptions, TargetDataLayout, VariantIdx};

/// The first release with this choice.
const SINCE: u32 = 99;

/// From this release on the calculator's gaps are 128-bit numbers too: before, a range over more
/// than half of them had no niche.
const WIDE_SINCE: u32 = 90;

/// Input for the calculator instead of the declared discriminants.
#[derive(Debug, PartialEq)]
pub struct Tag {
    pub repr: ReprOptions,
    pub discriminants: Vec<(VariantIdx, i128)>,
    /// The integer, and whether it is signed.
    pub int: (Integer, bool),
}

/// Returns the calculator's input for an enum, if it differs from the declaration; `needed` tells
/// which variants have a tag, `filled` whether any has fields. Fails if it cannot be expressed.
pub fn since_1_99(
    dl: &TargetDataLayout,
    minor: u32,
    repr: &ReprOptions,
    written: &[(VariantIdx, i128)],
    needed: impl Fn(VariantIdx) -> bool,
    filled: bool,
) -> Result<Option<Tag>, &'static str> {
    let mut values = written.iter().filter(|(i, _)| needed(*i)).peekable();
    if minor < SINCE || values.peek().is_none() {
        let ends = values.map(|(_, n)| *n);
        let ends = ends.clone().min().zip(ends.max());
        let spans = ends.is_some_and(|(least, most)| most.checked_sub(least).is_none());
        return match spans && minor < WIDE_SINCE {
            true => Err("its tag has values at both ends of 128 bits, before 1.90"),
            false => Ok(None),
        };
    }
    let kind = repr.discr_type();
    let size = Integer::from_attr(dl, kind).size();
    let raw: Vec<u128> = values.map(|(_, n)| size.truncate(*n as u128)).collect();
    let int = match repr.int {
        Some(kind) => (Integer::from_attr(dl, kind), kind.is_signed()),
        None => smallest(dl, repr, raw.iter().map(|n| size.sign_extend(*n))),
    };
    let bits = int.0.size();
    let mut tags: Vec<u128> = raw.iter().map(|n| bits.truncate(*n)).collect();
    tags.sort_unstable();
    tags.dedup();
    let (start, end) = range(&tags, bits.bits());
    let plain = repr.int.is_none() && !repr.c();
    if plain && (filled || written.len() < 2) {
        // Discriminants count up from 0, and nothing changes unless most are left out.
        return match start == 0 && end < 128 || (start, end) == (tags[0], tags[tags.len() - 1]) {
            true => Ok(None),
            false => Err("most of its many variants can never be made"),
        };
    }
    let first = match start > end {
        true => (start as i128).wrapping_sub(1i128.unbounded_shl(bits.bits() as u32)),
        false => start as i128,
    };
    let mut ends = [end as i128].into_iter();
    let discriminants = written.iter().map(|&(i, _)| match needed(i) {
        true => (i, ends.next().unwrap_or(first)),
        false => (i, first),
    });
    let discriminants = discriminants.collect();
    let repr = ReprOptions {
        int: Some(IntegerType::Fixed(Integer::I128, false)),
        ..*repr
    };
    Ok(Some(Tag {
        repr,
        discriminants,
        int,
    }))
}

/// Returns the smallest integer for discriminants without an integer `repr`.
fn smallest(
    dl: &TargetDataLayout,
    repr: &ReprOptions,
    values: impl Iterator<Item = i128> + Clone,
) -> (Integer, bool) {
    let least = match repr.c() {
        true => dl.c_enum_min_size,
        false => Integer::I8,
    };
    let (low, high) = (values.clone().min(), values.max());
    let (low, high) = (low.unwrap_or(0).min(0), high.unwrap_or(0).max(0));
    match low {
        0 => (Integer::fit_unsigned(high as u128).max(least), false),
        low => {
            let fit = Integer::fit_signed(low).max(Integer::fit_signed(high));
            (fit.max(least), true)
        }
    }
}

/// Returns the ends of the smallest range that contains these numbers of `bits` bits; they are
/// sorted and nonempty. Of two equal ranges, the one that does not wrap around.
fn range(sorted: &[u128], bits: u64) -> (u128, u128) {
    let most = u128::MAX >> (128 - bits);
    let width = |(start, end): &(u128, u128)| end.wrapping_sub(*start) & most;
    let plain = (sorted[0], sorted[sorted.len() - 1]);
    // A wrapping range is at most half of all values only if the plain one is, too.
    if width(&plain) <= 1 << (bits - 1) {
        return plain;
    }
    let wrapped = sorted.windows(2).map(|pair| (pair[1], pair[0]));
    let all = std::iter::once(plain).chain(wrapped);
    all.min_by_key(width).unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Option<Integer>, values: &[i128]) -> Option<Tag> {
        let dl = TargetDataLayout::default();
        let repr = ReprOptions {
            int: kind.map(|int| IntegerType::Fixed(int, true)),
            ..ReprOptions::default()
        };
        let values = values.iter().enumerate();
        let values: Vec<_> = values
            .map(|(i, n)| (VariantIdx::from_usize(i), *n))
            .collect();
        since_1_99(&dl, 99, &repr, &values, |_| true, false).expect("it can be told")
    }

    #[test]
    fn the_range_is_the_smallest() {
        assert_eq!(range(&[127, 128], 8), (127, 128));
        assert_eq!(range(&[0, 100, 156], 8), (0, 156));
        assert_eq!(range(&[0, 255], 8), (255, 0));
        assert_eq!(range(&[0, 255], 16), (0, 255));
        assert_eq!(range(&[7], 128), (7, 7));
        assert_eq!(range(&[0, u128::MAX], 128), (u128::MAX, 0));
        // Equally wide.
        assert_eq!(range(&[0, 128], 8), (0, 128));
    }

    #[test]
    fn the_ends_stand_for_all() {
        let tag = of(Some(Integer::I8), &[-128, 127, -127]).expect("it is another one");
        let told: Vec<i128> = tag.discriminants.iter().map(|d| d.1).collect();
        assert_eq!((told, tag.int), (vec![129, 127, 127], (Integer::I8, true)));
        let tag = of(None, &[-1, 255]).expect("likewise");
        let told: Vec<i128> = tag.discriminants.iter().map(|d| d.1).collect();
        assert_eq!((told, tag.int), (vec![255, -1], (Integer::I16, true)));
    }

    #[test]
    fn earlier_releases_are_as_the_calculator_has_them() {
        let dl = TargetDataLayout::default();
        let values = [
            (VariantIdx::from_usize(0), -128),
            (VariantIdx::from_usize(1), 127),
        ];
        let repr = ReprOptions::default();
        let told = since_1_99(&dl, 98, &repr, &values, |_| true, false);
        assert_eq!(told, Ok(None));
        let values = [
            (VariantIdx::from_usize(0), i128::MIN),
            (VariantIdx::from_usize(1), i128::MAX),
        ];
        let told = |minor| since_1_99(&dl, minor, &repr, &values, |_| true, false);
        assert!(told(89).is_err());
        assert_eq!(told(90), Ok(None));
    }
}
