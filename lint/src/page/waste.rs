//! What each finding would have saved of a counted heap that no finding before it saves already: the
//! areas of the map.
//!
//! A type that holds another shrinks with it, and two remedies of an enum compete for the same
//! widest variant. Findings are taken in the order of their rank; what is already saved of a value
//! is left out of the later ones, so that the areas are at most what all remedies save together.

use crate::finding::{Change, Finding};
use crate::ir::AdtKind;
use crate::report::Item;
use crate::resolve::CrateIx;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// What a finding adds to what those before it save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Waste {
    /// Bytes of the heap that a census has counted.
    pub counted: u64,
    /// Whether a finding before it saves the rest, or all.
    pub shared: bool,
}

/// Bytes of one value that findings have saved so far.
#[derive(Clone, Copy, Default)]
struct Saved {
    /// By findings on its own fields.
    own: u64,
    /// By findings on types that it holds.
    held: u64,
}

/// Types by crate and path.
#[derive(Default)]
pub(super) struct Claims<'r> {
    saved: FxHashMap<(CrateIx, &'r str), Saved>,
}

impl<'r> Claims<'r> {
    /// Takes the next finding; `kind` is that of its type.
    pub(super) fn add(&mut self, item: &Item<'r>, kind: Option<AdtKind>) -> Waste {
        let d = item.diagnostic;
        let net = d.measured.as_ref().and_then(|m| m.net_saved_bytes);
        let net = net.map_or(0, |net| u64::try_from(net).unwrap_or(0));
        self.take(d.krate, &d.ty, &d.finding, kind, net)
    }

    fn take(
        &mut self,
        krate: CrateIx,
        path: &'r str,
        finding: &'r Finding,
        kind: Option<AdtKind>,
        net: u64,
    ) -> Waste {
        let own = finding.size_before.zip(finding.size_after());
        let (before, after) = finding.slot.or(own).unwrap_or_default();
        let all = before.saturating_sub(after);
        let saved = self.saved.entry((krate, path)).or_default();
        let left = match kind {
            // Fields add up, but for one that is boxed and holds what has shrunk.
            Some(AdtKind::Struct) if boxes(finding) => all.saturating_sub(saved.held),
            Some(AdtKind::Struct) => all,
            _ => all.saturating_sub(saved.own.max(saved.held)),
        };
        let left = left.min(before.saturating_sub(saved.own));
        saved.own += left;
        for ripple in finding.remedies.first().iter().flat_map(|r| &r.ripple) {
            let held = self.saved.entry((krate, &ripple.path)).or_default();
            held.held += ripple.before.saturating_sub(ripple.after);
        }
        let counted = match all {
            0 => net,
            _ => (u128::from(net) * u128::from(left) / u128::from(all)) as u64,
        };
        Waste {
            counted,
            shared: left < all,
        }
    }
}

/// Whether its best remedy puts a part of a value into a box.
fn boxes(finding: &Finding) -> bool {
    let changes = finding.remedies.first().map(|r| &r.change);
    changes.into_iter().flatten().any(|change| {
        matches!(
            change,
            Change::Boxed(_) | Change::BoxedInside(_) | Change::Joined(_)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Label, Remedy, Ripple};
    use crate::span::{FileId, Span};

    const SPAN: Span = Span {
        file: FileId(0),
        start: 0,
        end: 0,
    };

    fn finding(before: u64, after: u64, boxed: bool, ripple: &[(&str, u64, u64)]) -> Finding {
        let ripple = ripple.iter().map(|&(path, before, after)| Ripple {
            path: path.to_owned(),
            before,
            after,
        });
        let change = match boxed {
            true => Change::Boxed(SPAN),
            false => Change::Frozen(SPAN),
        };
        Finding {
            size_before: Some(before),
            remedies: vec![Remedy {
                size_after: Some(after),
                ripple: ripple.collect(),
                change: vec![change],
                ..Remedy::new("")
            }],
            ..Finding::new(String::new(), Label::new(SPAN, ""))
        }
    }

    /// Bytes of one value that are no other's, and whether some are, of findings in their order.
    fn wastes(list: &[(&str, AdtKind, Finding)]) -> Vec<(u64, bool)> {
        let mut claims = Claims::default();
        let all = list.iter().map(|(path, kind, finding)| {
            let net = finding.size_before.zip(finding.size_after());
            let net = net.map_or(99, |(before, after)| before - after);
            let waste = claims.take(0, path, finding, Some(*kind), net);
            (waste.counted, waste.shared)
        });
        all.collect()
    }

    #[test]
    fn no_byte_is_in_two_findings() {
        use AdtKind::{Enum, Struct};
        // What an enum holds has shrunk: of its own 40 bytes 16 are left.
        let inner = finding(64, 40, false, &[("Outer", 72, 48)]);
        let outer = finding(72, 32, true, &[]);
        let list = [("Inner", Struct, inner), ("Outer", Enum, outer)];
        assert_eq!(wastes(&list), [(24, false), (16, true)]);
        // Two that one variant holds shrink it both.
        let held = |ty, by: u64| {
            (
                ty,
                Struct,
                finding(64, 64 - by, false, &[("Outer", 72, 72 - by)]),
            )
        };
        let outer = ("Outer", Enum, finding(72, 16, true, &[]));
        let list = [held("A", 8), held("B", 16), outer];
        assert_eq!(wastes(&list)[2], (32, true));
        // Two variants of an enum compete, two fields of a struct add up.
        let one = || finding(64, 48, false, &[]);
        let two = |kind| [("T", kind, one()), ("T", kind, one())];
        assert_eq!(wastes(&two(Enum)), [(16, false), (0, true)]);
        assert_eq!(wastes(&two(Struct)), [(16, false), (16, false)]);
        // Boxed fields may be what has shrunk; never more than the value has.
        let held = finding(16, 8, false, &[("S", 64, 56)]);
        let list = [
            ("H", Struct, held),
            ("S", Struct, finding(64, 24, true, &[])),
            ("S", Struct, finding(64, 8, false, &[])),
        ];
        assert_eq!(wastes(&list), [(8, false), (32, true), (32, true)]);
        // What is not about a size has what was counted.
        let plain = Finding::new(String::new(), Label::new(SPAN, ""));
        assert_eq!(wastes(&[("T", Struct, plain)]), [(99, false)]);
    }
}
