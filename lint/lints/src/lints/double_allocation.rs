//! Two allocations hold what one could.
//!
//! # Why
//! A block from malloc costs 8 bytes of its own and is rounded up to 16, with 32 as the least. A
//! `Vec` in a `Box` takes 32 bytes of heap for three words that could stand in the pointer's
//! place. Two blocks that are allocated and freed together are one allocation too many, and one
//! more indirection to read.
//!
//! # What it finds
//! - A `Box` of a collection or string.
//! - An `Rc` or `Arc` of a buffer that is created for it: `Arc<[T]>` and `Arc<str>` are one block.
//! - A pointer to a pointer.
//! - Boxes as elements of a collection.
//! - A box in a type that is itself always boxed.
//!
//! Each is sized without the inner block, and every body is read for where the pointers are
//! created and how they are used.
//!
//! # What it leaves out
//! - Types that would grow where other variants or absent values share the room (a thin pointer).
//! - Pointers whose address counts: raw pointers, `Pin`, `ptr::eq`.
//! - Trait objects, large elements, boxes that are also stored elsewhere, elements whose size
//!   depends on a parameter.
//! - An `Arc` of a buffer that a caller owns: turning it into `Arc<[T]>` copies.
//! - Whatever `get_mut`, `make_mut` or `try_unwrap` is called on.
//! - Locals: only fields are looked at.
//!
//! # Example
//! ```
//! struct Name {
//!     text: Box<String>,
//! }
//! ```
//! is two blocks per name. `text: String` is one.

use crate::config::{Level, Setting};
use crate::finding::{BlockChange, Confidence, Evidence, Finding, Multiplicity, Reason, Remedy};
use crate::ir::AdtKind;
use crate::layout::WhatIf;
use crate::lint::words::bytes;
use crate::lint::{Check, Claim, Concern, Context, Group, Lint, found, header};
use crate::model::TypeInfo;
use crate::model::pairs::{Kind, Pair};
use crate::model::parts::{Part, with_field};
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::boxes::{From, To, Uses};
use crate::usage::types::{is_plain, pointee, std_first};

/// The lint.
pub static LINT: Lint = Lint {
    name: "double_allocation",
    group: Group::Nursery,
    level: Level::Allow,
    header: header!("double_allocation.rs"),
    settings: &[LARGEST, LARGEST_IN_MAP],
    clippy: &[
        "box_collection",
        "rc_buffer",
        "redundant_allocation",
        "vec_box",
    ],
    concern: Concern::Blocks,
    claim: Claim::Rival(1),
    check: Check::Type(|cx, info| found(check(cx, info), NONE)),
};

/// Why there is no finding for a type.
const NONE: &str = "no pointer in it leads to a block that could be one with the next";

const LARGEST: Setting = Setting {
    key: "largest-element",
    default: 128,
    doc: "elements of more bytes than this may keep their boxes",
};

const LARGEST_IN_MAP: Setting = Setting {
    key: "largest-in-map",
    default: 32,
    doc: "the same for maps and sets, whose empty places would grow with the element",
};

fn check(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let parts = cx.model.parts(info);
    let of_part = |part: &Part| {
        let judge = Judge { cx, info, part };
        let pairs = cx.model.pairs(part.ty).into_iter();
        let found = pairs.filter_map(|pair| judge.pair(&pair)).next();
        found.or_else(|| judge.boxed_part())
    };
    parts.iter().filter_map(of_part).collect()
}

struct Judge<'j> {
    cx: &'j Context<'j>,
    info: &'j TypeInfo,
    part: &'j Part<'j>,
}

impl Judge<'_> {
    fn pair(&self, pair: &Pair) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        if cx.boxes().is_pinned(pair.inner) || cx.boxes().is_pinned(pair.pointer) {
            return None;
        }
        let none = Uses::default();
        let uses = cx.boxes().of(pair.pointer).unwrap_or(&none);
        if !uses.by_address.is_empty() {
            return None;
        }
        match pair.kind {
            Kind::Buffer => self.buffer(pair, uses),
            Kind::Shared(twin) => self.shared(pair, twin, uses),
            Kind::Nested => {
                let to = match model.db.types.kind(pair.inner) {
                    TyKind::Ref(..) => pair.inner,
                    _ if pair.name == "Box" => pair.inner,
                    _ => self.repointed(pair)?,
                };
                self.nested(pair, to, uses)
            }
            Kind::InList | Kind::InMap | Kind::InNode => self.element(pair, uses),
        }
    }

    /// Returns `Rc<T>` for `Rc<Box<T>>`.
    fn repointed(&self, pair: &Pair) -> Option<Ty> {
        let db = self.cx.model.db;
        let pointed = pointee(db, pair.inner)?;
        Some(self.cx.model.replaced(pair.pointer, pair.inner, pointed))
    }

    fn buffer(&self, pair: &Pair, uses: &Uses) -> Option<Finding> {
        // An optional pointer is thin for the sake of the values without it.
        if pair.optional || self.is_error() {
            return None;
        }
        let model = self.cx.model;
        let shown = model.db.display(pair.inner);
        let block = model.block_of("Box", pair.inner)?;
        let change = self.change(pair.pointer, pair.inner);
        self.grows_no_more_than(&change, block)?;
        Some(Finding {
            trade_off: Some("the type that holds it grows".to_owned()),
            confidence: self.confidence(uses),
            ..self.finding(
                self.two_allocations(pair),
                format!("store the `{shown}` inline: one block of {block} bytes less"),
                &change,
                self.number()?,
            )
        })
    }

    fn shared(&self, pair: &Pair, twin: Ty, uses: &Uses) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let made: Vec<_> = uses.made.iter().filter(|m| !m.site.aside).collect();
        let new = !made.is_empty() && made.iter().all(|m| m.from != From::Given);
        if !new || !uses.by_owner.is_empty() || cx.boxes().asked_of_any(pair.name) {
            return None;
        }
        let twin_shown = model.db.display(twin);
        // The counts move into the other block.
        let block = model.block_of(pair.name, pair.inner)? - 2 * model.word();
        let change = self.change(pair.pointer, twin);
        self.grows_no_more_than(&change, block)?;
        let (number, mut evidence) = self.number()?;
        evidence.extend(made.iter().take(2).map(|m| {
            let from = match m.from {
                From::Grown => "that grew",
                _ => "of its own",
            };
            let text = format!("a pointer of this type is created here from a buffer {from}");
            model.evidence(m.site.span, text)
        }));
        let (trade_off, confidence) = match made.iter().any(|m| m.from == From::Grown) {
            true => (
                "every holder and clone grows by a word; a buffer that grew is copied once",
                self.confidence(uses).lowered(),
            ),
            false => (
                "every holder and clone grows by a word",
                self.confidence(uses),
            ),
        };
        let mut finding = self.finding(
            self.two_allocations(pair),
            format!("use `{twin_shown}`: one block less, about {block} bytes"),
            &change,
            (number, evidence),
        );
        let held = format!("{}[]", self.part.path());
        finding.remedies[0].heap.get_or_insert_default().extend([
            BlockChange::Frozen(held.clone()),
            BlockChange::Grown(held, 2 * model.word()),
        ]);
        finding.trade_off = Some(trade_off.to_owned());
        finding.confidence = confidence;
        Some(finding)
    }

    fn nested(&self, pair: &Pair, to: Ty, uses: &Uses) -> Option<Finding> {
        let model = self.cx.model;
        if !uses.by_owner.is_empty() {
            return None;
        }
        let (shown, to_shown) = (model.db.display(pair.pointer), model.db.display(to));
        let word = model.word();
        let block = model.block(model.held(pair.name, word, word));
        let trade_off = "code that creates the inner pointer has to create the value instead";
        Some(Finding {
            trade_off: Some(trade_off.to_owned()),
            confidence: self.confidence(uses),
            ..self.finding(
                format!(
                    "`{}` is `{shown}`: a block of {block} bytes for a pointer",
                    self.part.shown()
                ),
                format!("use `{to_shown}`: one block less per value"),
                &self.change(pair.pointer, to),
                self.number()?,
            )
        })
    }

    fn element(&self, pair: &Pair, uses: &Uses) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let size = model.size(pair.inner)?;
        let package = cx.config(self.info.krate);
        let (most, trade_off) = match pair.kind {
            Kind::InMap => (
                package.setting(LINT.name, &LARGEST_IN_MAP),
                "empty slots are as large as an element",
            ),
            Kind::InList => (
                package.setting(LINT.name, &LARGEST),
                "elements move when the collection grows or is sorted",
            ),
            _ => (u64::MAX, "elements are stored in the nodes"),
        };
        if size == 0 || size > most || self.holds_itself(pair) {
            return None;
        }
        let confidence = self.owned(pair.pointer, uses, To::Element)?;
        let db = model.db;
        let plain = db.display(model.replaced(pair.whole, pair.pointer, pair.inner));
        let (shown, block) = (self.part.shown(), model.block(size));
        let message = match pair.kind {
            Kind::InNode => {
                format!(
                    "`{shown}` boxes its elements: a node and a block of {block} bytes for each"
                )
            }
            _ => format!(
                "`{shown}` boxes its elements of {}: a block of {block} for each",
                bytes(size)
            ),
        };
        let stored = Multiplicity::Stored {
            depth: 1,
            holders: 1,
        };
        let mut finding = self.finding(
            message,
            format!("use `{plain}`: no allocation per element"),
            &WhatIf::default(),
            (stored, self.made(uses, "an element is boxed here")),
        );
        finding.remedies[0].heap = Some(vec![
            BlockChange::Freed(format!("{}[]", self.part.path())),
            BlockChange::Resized(self.part.path(), model.word(), size),
        ]);
        Some(Finding {
            trade_off: Some(trade_off.to_owned()),
            confidence,
            against: Reason::holding([(!self.part.says(pair.name), Reason::Held)]),
            ..finding
        })
    }

    /// Checks a box in a struct that is boxed itself.
    fn boxed_part(&self) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let db = model.db;
        let inner = std_first(db, self.part.ty, &["Box"])?;
        let pointers = cx.pointers();
        if self.info.kind != AdtKind::Struct
            || !is_plain(db, inner)
            || !pointers.is_always_behind(self.info.item)
            || pointers.fields_of(self.part.ty) > 1
            || cx.boxes().is_pinned(inner)
        {
            return None;
        }
        let uses = cx.boxes().of(self.part.ty)?;
        let confidence = self.owned(self.part.ty, uses, To::Field)?;
        let size = model.size(inner)?;
        let largest = cx.config(self.info.krate).setting(LINT.name, &LARGEST);
        let change = self.change(self.part.ty, inner);
        let then = model.block(model.size_if(self.info.ty, &change)?);
        let now = model.block(model.size(self.info.ty)?) + model.block(size);
        if size == 0 || size > largest {
            return None;
        }
        let (number, mut evidence) = self.number()?;
        evidence.extend(self.made(uses, "both are allocated here"));
        Some(Finding {
            trade_off: Some("neither can be freed without the other".to_owned()),
            confidence,
            ..self.finding(
                format!(
                    "`{}` is a box in a type that is boxed itself: two blocks, {now} bytes in all",
                    self.part.shown()
                ),
                format!(
                    "store the `{}` inline: one block of {then} bytes is left",
                    db.display(inner)
                ),
                &change,
                (number, evidence),
            )
        })
    }

    fn two_allocations(&self, pair: &Pair) -> String {
        let verb = match self.part.ty == pair.pointer {
            true => "is",
            false => "holds",
        };
        let inner = self.cx.model.db.display(pair.inner);
        format!(
            "`{}` {verb} `{}<{inner}>`: two allocations instead of one",
            self.part.shown(),
            pair.name
        )
    }

    /// Returns how certain it is that boxes are created for one place and stay there; `None` if
    /// they do not.
    fn owned(&self, pointer: Ty, uses: &Uses, to: To) -> Option<Confidence> {
        let made = || uses.made.iter().filter(|m| !m.site.aside);
        let passed = uses.passed.iter().any(|s| !s.aside);
        let taken = uses.taken.iter().any(|s| !s.aside);
        let moved = |to| uses.moved.iter().any(|(s, t)| !s.aside && *t == to);
        let element = to == To::Element;
        let fields = element && self.cx.pointers().fields_of(pointer) > 0;
        let stays = match (fields, passed) {
            // Boxes of fields and boxes of elements are never exchanged.
            (true, _) => {
                let apart = !passed && !taken && !moved(To::Element) && !moved(To::Field);
                apart && made().all(|m| m.to != To::Other) && made().any(|m| m.to == to)
            }
            // Workspace functions pass them on, and only the collection stores any.
            (false, true) => element && moved(to) && made().next().is_some(),
            (false, false) => made().all(|m| m.to == to) && made().next().is_some(),
        };
        if !stays || !uses.by_address.is_empty() {
            return None;
        }
        match taken || passed {
            true => Some(self.confidence(uses).lowered()),
            false => Some(self.confidence(uses)),
        }
    }

    fn made(&self, uses: &Uses, text: &str) -> Vec<Evidence> {
        let made = uses.made.iter().filter(|m| !m.site.aside).take(3);
        made.map(|m| self.cx.model.evidence(m.site.span, text))
            .collect()
    }

    /// Returns true if the element would hold itself by value.
    fn holds_itself(&self, pair: &Pair) -> bool {
        let change = self.change(pair.pointer, pair.inner);
        let (model, ty) = (self.cx.model, self.info.ty);
        model.size(ty).is_some() && model.size_if(ty, &change).is_none()
    }

    fn change(&self, from: Ty, to: Ty) -> WhatIf {
        with_field(self.part.id, self.cx.model.replaced(self.part.ty, from, to))
    }

    /// Returns `None` if an enum grows with the change, or the type by more than is saved.
    fn grows_no_more_than(&self, change: &WhatIf, saved: u64) -> Option<()> {
        let growth = self.cx.growth(self.info, change)?;
        (growth.of_enums == 0 && growth.of_type < saved).then_some(())
    }

    /// Returns true for an error, which is thin on purpose: each `Result` holds one.
    fn is_error(&self) -> bool {
        self.info.path.ends_with("Error") || self.info.path.ends_with("ErrorKind")
    }

    fn number(&self) -> Option<(Multiplicity, Vec<Evidence>)> {
        let counted = self.cx.population(self.info.item);
        let single = counted.multiplicity == Multiplicity::Singleton;
        (!single).then(|| (counted.multiplicity, counted.evidence.clone()))
    }

    fn confidence(&self, uses: &Uses) -> Confidence {
        let seen = uses.made.iter().any(|m| !m.site.aside);
        match (self.part.exported(), seen) {
            (false, _) => Confidence::Proved,
            (true, true) => Confidence::Likely,
            (true, false) => Confidence::Possible,
        }
    }

    /// Returns the finding with a remedy that frees the block of each value.
    fn finding(
        &self,
        message: String,
        title: String,
        change: &WhatIf,
        (multiplicity, evidence): (Multiplicity, Vec<Evidence>),
    ) -> Finding {
        let (cx, info, part) = (self.cx, self.info, self.part);
        let changes = !change.fields.is_empty();
        let remedy = cx.remedy(info, change, &*title).filter(|_| changes);
        let said = (message, format!("`{}`", cx.model.db.display(part.ty)));
        Finding {
            after: remedy.as_ref().and_then(|_| cx.drawing(change, info.ty)),
            evidence,
            multiplicity,
            ..cx.on_part(
                (info, part),
                said,
                remedy.unwrap_or_else(|| Remedy::new(title)),
                BlockChange::Freed(part.path()),
            )
        }
    }
}
