//! Two allocations hold what one could.
//!
//! # Why
//! A block from malloc costs 8 bytes of its own and is rounded up to 16, 32 at the least; a `Vec`
//! in a `Box` takes 32 bytes of heap for three words that could stand where the pointer stands. Two
//! blocks that are made and freed together are one allocation too many for each value, and a second
//! jump to read it.
//!
//! # What it does
//! Looks at the types of fields: a `Box` of a collection or text, an `Rc` or `Arc` of a buffer that
//! is made for it, a pointer to a pointer, boxes as elements of a collection, and a box that lives
//! in another. For each it calculates the sizes without the inner block, and asks of every body
//! where the pointers are made and what is asked of them.
//!
//! # Limits
//! It is silent where the second block has its use: where a type would grow that other variants or
//! absent values share (a thin pointer), where the address counts (raw pointers, `Pin`, `ptr::eq`),
//! for trait objects, for elements that are large, where boxes also go elsewhere, where an `Arc` is
//! made from a buffer that a caller has (turning it into `Arc<[T]>` copies; of one that grows in the
//! same function it is less sure), and where `get_mut`, `make_mut` or `try_unwrap` is called. What
//! is made outside of loops and cloned is shown with `-W weigh::pedantic` alone: each clone's holder
//! grows by a word. Only fields are looked at: what no field keeps is gone with its function.
//! Elements whose size depends on a parameter are left alone.
//!
//! # Example
//! ```
//! struct Name {
//!     text: Box<String>,
//! }
//! ```
//! is two blocks a name. `text: String` is one.

use crate::config::{Level, Setting};
use crate::finding::{Confidence, Evidence, Finding, Label, Multiplicity, Remedy, Rule};
use crate::ir::AdtKind;
use crate::judge::Concern;
use crate::layout::WhatIf;
use crate::lint::words::{bytes, public};
use crate::lint::{Check, Context, Group, Lint, found};
use crate::model::TypeInfo;
use crate::model::pairs::{Kind, Pair};
use crate::model::parts::Part;
use crate::resolve::ty::{Ty, TyKind};
use crate::usage::boxes::{From, To, Uses};

/// The lint.
pub static LINT: Lint = Lint {
    name: "double_allocation",
    group: Group::Heap,
    level: Level::Warn,
    source: include_str!("double_allocation.rs"),
    settings: &[LARGEST, LARGEST_IN_MAP],
    clippy: &[
        "box_collection",
        "rc_buffer",
        "redundant_allocation",
        "vec_box",
    ],
    concern: Concern::Blocks,
    check: Check::Type(|cx, info| found(check(cx, info))),
};

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
    part: &'j Part,
}

/// What speaks for a finding.
struct Case {
    message: String,
    remedy: String,
    change: WhatIf,
    trade_off: &'static str,
    confidence: Confidence,
    number: Multiplicity,
    doubts: Vec<Rule>,
    evidence: Vec<Evidence>,
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

    /// `Rc<T>` for `Rc<Box<T>>`.
    fn repointed(&self, pair: &Pair) -> Option<Ty> {
        let db = self.cx.model.db;
        let pointed = crate::usage::types::pointee(db, pair.inner)?;
        Some(self.cx.model.replaced(pair.pointer, pair.inner, pointed))
    }

    fn buffer(&self, pair: &Pair, uses: &Uses) -> Option<Finding> {
        // A pointer that may be absent is thin for the sake of the values without it.
        if pair.optional || self.is_error() {
            return None;
        }
        let model = self.cx.model;
        let shown = model.db.display(pair.inner);
        let block = model.block_of("Box", pair.inner)?;
        let change = self.change(pair.pointer, pair.inner);
        self.grows_no_more_than(&change, block)?;
        let (number, evidence) = self.number()?;
        self.finding(Case {
            message: format!(
                "`{}` is a `{shown}` in a `Box`: two allocations where one would do",
                self.part.path
            ),
            remedy: format!("hold the `{shown}` itself: no block of {block} bytes to point to it"),
            change,
            trade_off: "the holder grows by what the pointer was short of",
            confidence: self.confidence(uses),
            number,
            doubts: Vec::new(),
            evidence,
        })
    }

    fn shared(&self, pair: &Pair, twin: Ty, uses: &Uses) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let made: Vec<_> = uses.made.iter().filter(|m| !m.site.aside).collect();
        let new = !made.is_empty() && made.iter().all(|m| m.from != From::Given);
        if !new || !uses.by_owner.is_empty() || cx.boxes().asked_of_any(pair.name) {
            return None;
        }
        let db = model.db;
        let (shown, twin_shown) = (db.display(pair.inner), db.display(twin));
        let block = model.block_of(pair.name, pair.inner)?;
        let change = self.change(pair.pointer, twin);
        self.grows_no_more_than(&change, block)?;
        let (number, mut evidence) = self.number()?;
        evidence.extend(made.iter().take(2).map(|m| Evidence {
            span: Some(db.sources.origin(m.site.span).0),
            text: match m.from {
                From::Grown => "made here, of a variable that grew".to_owned(),
                _ => "made here, of what exists for it alone".to_owned(),
            },
        }));
        let grown = made.iter().any(|m| m.from == From::Grown);
        // One block less for each that is made, a word more for each clone.
        let copied = uses.cloned.iter().any(|s| !s.aside);
        let few = copied && made.iter().all(|m| m.site.loops == 0);
        let confidence = match grown {
            true => self.confidence(uses).lowered(),
            false => self.confidence(uses),
        };
        self.finding(Case {
            message: format!(
                "`{}` shares a `{shown}`: a block for the counts, another for what it holds",
                self.part.path
            ),
            remedy: format!("`{twin_shown}`: one block, without the one of {block} bytes between"),
            change,
            trade_off: match grown {
                true => "the pointer is two words, in each holder and clone; what grew is copied",
                false => "the pointer is two words, in each holder and each clone",
            },
            confidence,
            number,
            doubts: Rule::holding([(few, Rule::FewPlaces)]),
            evidence,
        })
    }

    fn nested(&self, pair: &Pair, to: Ty, uses: &Uses) -> Option<Finding> {
        let model = self.cx.model;
        if !uses.by_owner.is_empty() {
            return None;
        }
        let db = model.db;
        let (shown, to_shown) = (db.display(pair.pointer), db.display(to));
        let word = model.word();
        let block = model.block(model.held(pair.name, word, word));
        let (number, evidence) = self.number()?;
        self.finding(Case {
            message: format!(
                "`{}` is `{shown}`: a block of {block} bytes that holds one pointer",
                self.part.path
            ),
            remedy: format!("`{to_shown}`: one block less a value"),
            change: self.change(pair.pointer, to),
            trade_off: "what made the inner pointer has to give the value",
            confidence: self.confidence(uses),
            number,
            doubts: Vec::new(),
            evidence,
        })
    }

    fn element(&self, pair: &Pair, uses: &Uses) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let extent = model.extent(pair.inner).ok()?;
        let package = cx.config(self.info.krate);
        let most = match pair.kind {
            Kind::InMap => package.setting(LINT.name, &LARGEST_IN_MAP),
            Kind::InList => package.setting(LINT.name, &LARGEST),
            _ => u64::MAX,
        };
        if extent.size == 0 || extent.size > most || self.holds_itself(pair) {
            return None;
        }
        let confidence = self.owned(pair.pointer, uses, To::Element)?;
        let db = model.db;
        let (whole, shown) = (db.display(pair.whole), db.display(pair.inner));
        let plain = db.display(model.replaced(pair.whole, pair.pointer, pair.inner));
        let block = model.block(extent.size);
        let evidence = self.made(uses, "an element's box is made here");
        let text = match pair.kind {
            Kind::InNode => format!(
                "`{}` is `{whole}`: a node and a block of {block} bytes for each `{shown}`",
                self.part.path
            ),
            _ => format!(
                "`{}` is `{whole}`: each `{shown}` of {} has a block of {block} to itself",
                self.part.path,
                bytes(extent.size)
            ),
        };
        self.finding(Case {
            message: text,
            remedy: format!("`{plain}`: no allocation an element, and no pointer"),
            change: WhatIf::default(),
            trade_off: match pair.kind {
                Kind::InList => "elements move when the list grows or is sorted",
                Kind::InMap => "empty places of the table are as large as the element",
                _ => "elements then lie in the nodes",
            },
            confidence,
            number: Multiplicity::Stored {
                depth: 1,
                holders: 1,
            },
            doubts: Vec::new(),
            evidence,
        })
    }

    /// A box in a struct that is in a block itself.
    fn boxed_part(&self) -> Option<Finding> {
        let (cx, model) = (self.cx, self.cx.model);
        let db = model.db;
        let inner = crate::usage::types::std_first(db, self.part.ty, &["Box"])?;
        let pointers = cx.pointers();
        if self.info.kind != AdtKind::Struct
            || !crate::usage::types::is_plain(db, inner)
            || !pointers.is_always_behind(self.info.item)
            || pointers.fields_of(self.part.ty) > 1
            || cx.boxes().is_pinned(inner)
        {
            return None;
        }
        let uses = cx.boxes().of(self.part.ty)?;
        let confidence = self.owned(self.part.ty, uses, To::Field)?;
        let extent = model.extent(inner).ok()?;
        let largest = cx.config(self.info.krate).setting(LINT.name, &LARGEST);
        let change = self.change(self.part.ty, inner);
        let holder = model.extent(self.info.ty).ok()?;
        let after = model
            .what_if(change.clone(), || model.extent(self.info.ty))
            .ok()?;
        if extent.size == 0 || extent.size > largest {
            return None;
        }
        let now = model.block(holder.size) + model.block(extent.size);
        let then = model.block(after.size);
        let (number, mut evidence) = self.number()?;
        evidence.extend(self.made(uses, "both are made here"));
        let name = db.item(self.info.item).item.name;
        self.finding(Case {
            message: format!(
                "each `{name}` lies in a block, and its `{}` in another, for as long: {now} bytes for two",
                self.part.path
            ),
            remedy: format!("hold the `{}` itself: one block of {then} bytes", db.display(inner)),
            change,
            trade_off: "the two can then no longer be freed one without the other",
            confidence,
            number,
            doubts: Vec::new(),
            evidence,
        })
    }

    /// How sure it is that boxes are made for one place and stay there; `None` if they do not.
    fn owned(&self, pointer: Ty, uses: &Uses, to: To) -> Option<Confidence> {
        let made = || uses.made.iter().filter(|m| !m.site.aside);
        let passed = uses.passed.iter().any(|s| !s.aside);
        let taken = uses.taken.iter().any(|s| !s.aside);
        let moved = |to| uses.moved.iter().any(|(s, t)| !s.aside && *t == to);
        let element = to == To::Element;
        let fields = element && self.cx.pointers().fields_of(pointer) > 0;
        let stays = match (fields, passed) {
            // Those of fields and those of elements never meet.
            (true, _) => {
                let apart = !passed && !taken && !moved(To::Element) && !moved(To::Field);
                apart && made().all(|m| m.to != To::Other) && made().any(|m| m.to == to)
            }
            // Own functions hand them on, and only the collection keeps any.
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
        let evidence = made.map(|m| Evidence {
            span: Some(self.cx.model.db.sources.origin(m.site.span).0),
            text: text.to_owned(),
        });
        evidence.collect()
    }

    /// True if the element would hold itself by value.
    fn holds_itself(&self, pair: &Pair) -> bool {
        let change = self.change(pair.pointer, pair.inner);
        let model = self.cx.model;
        let known = model.extent(self.info.ty).is_ok();
        known
            && model
                .what_if(change, || model.extent(self.info.ty))
                .is_err()
    }

    fn change(&self, from: Ty, to: Ty) -> WhatIf {
        let model = self.cx.model;
        let ty = model.replaced(self.part.ty, from, to);
        model.with_field(self.info, self.part, ty)
    }

    /// Nothing if an enum grows with the change, or the type by more than is saved.
    fn grows_no_more_than(&self, change: &WhatIf, saved: u64) -> Option<()> {
        let growth = self.cx.growth(self.info, change)?;
        (growth.of_enums == 0 && growth.of_type < saved).then_some(())
    }

    /// Errors are thin on purpose: each `Result` holds one.
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
        match (self.part.exported, seen) {
            (false, _) => Confidence::Proved,
            (true, true) => Confidence::Likely,
            (true, false) => Confidence::Possible,
        }
    }

    fn finding(&self, case: Case) -> Option<Finding> {
        let model = self.cx.model;
        let size = |ty| model.extent(ty).ok().map(|e| e.size);
        let changes = !case.change.fields.is_empty();
        let before = size(self.info.ty).filter(|_| changes);
        let after = model.what_if(case.change.clone(), || size(self.info.ty));
        let exported = self.part.exported.then(|| self.part.path.clone());
        let notes = Vec::from_iter(public(exported.as_slice()));
        Some(Finding {
            message: case.message,
            primary: Label {
                span: self.part.span,
                text: format!("`{}`", model.db.display(self.part.ty)),
            },
            claims: Vec::new(),
            secondary: vec![Label {
                span: self.info.span,
                text: match before {
                    Some(size) => format!("{} a value", bytes(size)),
                    None => "in this type".to_owned(),
                },
            }],
            field: Some(self.part.path.clone()),
            size_before: before,
            parts: None,
            remedies: vec![Remedy {
                title: case.remedy,
                size_after: after.filter(|_| before.is_some()),
                ripple: match before {
                    Some(_) => self
                        .cx
                        .holders()
                        .ripple(model, self.info.item, &case.change),
                    None => Vec::new(),
                },
                fix: None,
            }],
            evidence: case.evidence,
            trade_off: Some(case.trade_off.to_owned()),
            notes,
            multiplicity: case.number,
            confidence: case.confidence,
            slot: None,
            bulk: false,
            doubts: case.doubts,
        })
    }
}
