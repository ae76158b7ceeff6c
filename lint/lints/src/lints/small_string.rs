//! A `String` in each of many values, where all that is stored in it is short.
//!
//! # Why
//! A `String` is 24 bytes and a heap block, and no block is smaller than 32 bytes with malloc's
//! header. For a string of a few bytes that is most of its cost, and creating, cloning and
//! dropping each value calls the allocator.
//!
//! # What it finds
//! - Fields of types of which there are many, where every string stored is short: literals,
//!   `char`s, numbers, graphemes, slices of bounded length, `format!` of these, followed through
//!   constructors, setters, other fields and functions of the workspace.
//! - With `--census FILE` also those of which 19 of 20 texts of that run fit a replacement.
//!
//! Each finding states the size of the type with each replacement that fits the field's use:
//!
//! | Replacement | Bytes | Where |
//! |---|---|---|
//! | `&'static str` | 16 | all are literals |
//! | `Cow<'static, str>` | 24 | literals, and other crates may set the field |
//! | `char` | 4 | all are single characters |
//! | `compact_str::CompactString` | 24, all of them inline | strings change |
//! | `smol_str::SmolStr` | 24, of which 23 inline | strings are cloned, never changed |
//! | `ecow::EcoString` | 16, of which 15 inline | all fit |
//!
//! # What it leaves out
//! - Fields that only ever hold one literal, or one string of more than 24 bytes.
//! - Fields where most of what is stored cannot be followed; types that a macro call names which
//!   could not be read.
//! - Types that exist once or a few times, errors, and types that a derive may fill.
//! - Targets that are not 64-bit.
//!
//! # Limits
//! A grapheme has no greatest length; nearly all have one to four bytes, and longer ones allocate
//! as before. Strings that other crates pass to a public function are not seen.
//!
//! # Example
//! ```
//! struct Cell {
//!     symbol: String,
//!     style: u16,
//! }
//!
//! fn screen(text: &str) -> Vec<Cell> {
//!     let chars = text.chars();
//!     chars.map(|c| Cell { symbol: c.to_string(), style: 0 }).collect()
//! }
//! ```
//! allocates a block of 32 bytes for each cell. With `symbol: char` there is none, and a cell is 8
//! bytes instead of 32; with `compact_str::CompactString` there is none either.

use crate::config::Level;
use crate::finding::amount::{number, percent};
use crate::finding::{
    BlockChange, Confidence, Evidence, Finding, Label, Multiplicity, Parts, Reason, Remedy,
};
use crate::ir::{Field, ItemKind};
use crate::lint::words::{may_be_exported, of_size};
use crate::lint::{
    Check, Claim, Concern, Context, Group, LEAST_COUNTED, Lint, found, header, own_count,
};
use crate::malloc;
use crate::model::{TypeInfo, freezing};
use crate::resolve::ty::Ty;
use crate::text_types::{ALL, COMPACT, ECO, SMOL, TextType};
use crate::usage::body::FieldId;
use crate::usage::strings::{Made, Stored, Text, all, longest_known};
use crate::usage::types::{fields_of, std_first};
use rustc_hash::FxHashSet;

/// The lint.
pub static LINT: Lint = Lint {
    name: "small_string",
    group: Group::Heap,
    level: Level::Warn,
    header: header!("small_string.rs"),
    settings: &[],
    clippy: &[],
    concern: Concern::Contents,
    claim: Claim::Rival(5),
    check: Check::Type(|cx, info| found(check(cx, info), NONE)),
};

/// Why there is no finding for a type.
const NONE: &str = "no `String` in it is known to hold short texts only";

/// A literal, or an owned text.
const COW: &str = "crate::borrow::Cow<'static, str>";

/// With a census: one in this many texts may be too long to be stored inline.
const ONE_LONGER_OF: u64 = 20;

/// Maximum number of places listed.
const MOST_PLACES: usize = 4;

/// Bytes of the counts before a shared text.
const COUNTS: u64 = 16;

/// More places that copy a value are many.
const MANY_COPIES: usize = 3;

fn check(cx: &Context, info: &TypeInfo) -> Vec<Finding> {
    let model = cx.model;
    let ItemKind::Adt(adt) = &model.db.item(info.item).item.kind else {
        return Vec::new();
    };
    if model.db.project.target.layout.pointer_bits != 64
        || model.is_error(info)
        || model.is_repr_c(info)
        || model.is_filled_by_derive(info)
    {
        return Vec::new();
    }
    let Some(text) = model.std_type("crate::string::String") else {
        return Vec::new();
    };
    let is_text = |ty: Ty| ty == text || std_first(model.db, ty, &["Option"]) == Some(text);
    let fields = fields_of(model.db, info.item, info.ty).filter(|(_, ty)| is_text(*ty));
    let found = fields.filter_map(|(id, ty)| {
        let (_, variant, at) = id.place();
        let place = TextField {
            cx,
            info,
            id,
            ty,
            name: freezing::field_name(model, id),
            path: freezing::field_path(model, id),
            data: &adt.variants[variant].fields[at],
        };
        place.check().or_else(|| place.counted())
    });
    found.collect()
}

/// A field that is a string.
struct TextField<'p> {
    cx: &'p Context<'p>,
    info: &'p TypeInfo,
    id: FieldId,
    ty: Ty,
    /// `field`, `Variant` or `Variant.field`.
    name: String,
    /// `Type::field` or `Enum::Variant::field`.
    path: String,
    data: &'p Field,
}

/// A candidate type for the field.
struct Offer {
    name: &'static str,
    /// Size of a value with it, in bytes.
    after: u64,
    remedy: Remedy,
}

impl TextField<'_> {
    fn check(&self) -> Option<Finding> {
        let (cx, id) = (self.cx, self.id);
        let model = cx.model;
        let size = model.size(self.info.ty)?;
        let variant = cx.variants().of(self.info.item, id.variant);
        if variant.is_some_and(|v| v.only_in_errors()) {
            return None;
        }
        let counted = cx.population(self.info.item);
        let name = self.data.name;
        let open = cx.may_be_set_unseen(id, name);
        if counted.multiplicity == Multiplicity::Singleton || open {
            return None;
        }
        let mut stored = cx.strings().of(id);
        let is_read_back = model.is_read_back(self.info);
        stored.outside |= is_read_back;
        let filled = stored.texts.iter().filter(|t| t.made != Made::Empty);
        let filled: Vec<&Text> = filled.collect();
        let unknown = unknown(&filled);
        let exported = model.exports(self.info, Some(&self.name));
        if unknown * 2 > filled.len() || filled.is_empty() {
            return None;
        }
        let confidence = match unknown > 0 || exported || stored.outside {
            _ if stored.adrift > 0 => Confidence::Possible,
            true => Confidence::Likely,
            false => Confidence::Proved,
        };
        // A place in a loop is many: those outside say little beside it.
        let built = match stored.adrift {
            0 => (unknown, filled.len()),
            looped => (looped, looped),
        };
        let offers = self.offers(&stored, &filled, exported);
        if offers.is_empty() {
            return None;
        }
        let mut rows = vec![("String".to_owned(), size)];
        rows.extend(offers.iter().map(|o| (o.name.to_owned(), o.after)));
        let remedies: Vec<Remedy> = offers.into_iter().map(|o| o.remedy).collect();
        let evidence = [&counted.evidence[..], &self.evidence(&filled)].concat();
        let owner = model.db.item(self.info.item).item.name;
        let block = malloc::block(longest_known(&filled));
        let primary = cx.written(self.info, self.data.name_span);
        Some(Finding {
            secondary: vec![of_size(self.info, size)],
            field: Some(self.name.clone()),
            size_before: Some(size),
            parts: Some(Parts {
                title: format!("bytes of `{owner}` with each type"),
                rows,
                left_out: 0,
            }),
            trade_off: Some(self.trade_off(&stored, &remedies)),
            remedies,
            evidence,
            notes: self.notes(&stored, exported),
            multiplicity: counted.multiplicity,
            confidence,
            built: Some(built),
            against: self.against(&stored, &filled),
            ..Finding::new(
                self.message(&filled, unknown, is_read_back),
                Label::new(primary, format!("a block of {block} bytes each")),
            )
        })
    }

    /// Returns the facts that speak against a finding.
    fn against(&self, stored: &Stored, filled: &[&Text]) -> Vec<Reason> {
        let model = self.cx.model;
        let is_read_back = model.is_read_back(self.info);
        // Literals say little about the texts that are read.
        let built_in = all(filled, |m| matches!(m, Made::Literal(_) | Made::Unknown));
        let read = unknown(filled) > 0 || stored.outside;
        Reason::holding([
            (
                is_read_back || read && built_in || stored.adrift > 0,
                Reason::Unseen,
            ),
            (model.is_output(self.info), Reason::Brief),
        ])
    }

    /// The finding about a field whose texts in a run were short.
    fn counted(&self) -> Option<Finding> {
        let (cx, info) = (self.cx, self.info);
        let texts = own_count(cx.counts(info)?(&self.name))?.texts?;
        let empty = texts.lengths[0];
        let all = texts.lengths.iter().sum::<u64>() - empty;
        let inline = |t: &TextType| texts.inline.get(t.path).copied().unwrap_or(0);
        let fit = |t: &TextType| inline(t).saturating_sub(empty).min(all);
        let stored = cx.strings().of(self.id);
        let fits = |t: &TextType| {
            let longer = all - fit(t);
            longer * ONE_LONGER_OF <= all && (t.mutable || stored.changed.is_empty())
        };
        let mut types: Vec<TextType> = ALL.into_iter().filter(fits).collect();
        types.sort_by_key(|t| t.size);
        let offers: Vec<Offer> = types.iter().filter_map(|t| self.offer_of(*t)).collect();
        if all < LEAST_COUNTED || offers.is_empty() {
            return None;
        }
        let size = cx.model.size(info.ty)?;
        let remedies: Vec<Remedy> = offers.into_iter().map(|o| o.remedy).collect();
        let exported = cx.model.exports(info, Some(&self.name));
        let population = cx.population(info.item);
        Some(Finding {
            secondary: vec![of_size(info, size)],
            field: Some(self.name.clone()),
            size_before: Some(size),
            trade_off: Some(self.trade_off(&stored, &remedies)),
            remedies,
            evidence: population.evidence.clone(),
            notes: self.notes(&stored, exported),
            multiplicity: population.multiplicity,
            confidence: Confidence::Likely,
            ..Finding::new(
                format!(
                    "of the {} texts in `{}` in the run {} fit inline",
                    number(all),
                    self.path,
                    percent(fit(&types[0]), all),
                ),
                Label::new(
                    cx.written(info, self.data.name_span),
                    "a block for each text",
                ),
            )
        })
    }

    fn message(&self, filled: &[&Text], unknown: usize, is_read_back: bool) -> String {
        let what = match () {
            () if all(filled, |m| matches!(m, Made::Literal(_))) => "string literals".to_owned(),
            () if all(filled, |m| m == Made::Char) => "single characters".to_owned(),
            () if all(filled, |m| m == Made::Number) => "numbers".to_owned(),
            () => match filled.iter().map(|t| t.most).max() {
                Some(Some(most)) if filled.iter().all(|t| t.most.is_some()) => {
                    format!("strings of at most {most} bytes")
                }
                _ => "short strings".to_owned(),
            },
        };
        let block = malloc::block(longest_known(filled));
        let path = &self.path;
        match unknown {
            0 if is_read_back => {
                format!("this code sets `{path}` to {what}, each in a block of {block} bytes")
            }
            0 => format!("`{path}` holds only {what}, each in a block of {block} bytes"),
            _ => format!(
                "`{path}` is set to {what} at {} of {} places, each in a block of {block} bytes",
                filled.len() - unknown,
                filled.len(),
            ),
        }
    }

    /// Returns the candidates, the best first.
    fn offers(&self, stored: &Stored, filled: &[&Text], exported: bool) -> Vec<Offer> {
        let open = exported || stored.outside;
        let name = &self.path;
        let mut list = Vec::new();
        let literals = all(filled, |m| matches!(m, Made::Literal(_)));
        let distinct: FxHashSet<Made> = filled.iter().map(|t| t.made).collect();
        let distinct = distinct.len();
        // A single literal is most likely a placeholder.
        if literals && distinct < 2 {
            return list;
        }
        if literals && !open && stored.changed.is_empty() {
            if distinct < 256 && !stored.compared.is_empty() {
                let title = format!("make `{name}` an enum of the {distinct} literals");
                list.extend(self.offer("u8", "an enum", title));
            }
            let title = format!("make `{name}` a `&'static str`");
            list.extend(self.offer("&'static str", "&'static str", title));
            return list;
        }
        if literals {
            let title = format!("make `{name}` a `Cow<'static, str>`");
            list.extend(self.offer(COW, "Cow", title));
        }
        let never_empty = filled.len() == stored.texts.len();
        if all(filled, |m| m == Made::Char) && !open && never_empty && stored.changed.is_empty() {
            let title = format!("make `{name}` a `char`");
            list.extend(self.offer("char", "char", title));
        }
        let chosen = self.chosen(stored, filled).into_iter();
        list.extend(chosen.filter_map(|text| self.offer_of(text)));
        list
    }

    fn offer_of(&self, text: TextType) -> Option<Offer> {
        let (path, inline) = (text.path, text.inline);
        let article = if path.starts_with('e') { "an" } else { "a" };
        let name = &self.path;
        let title = format!("make `{name}` {article} `{path}` (inline up to {inline} bytes)");
        let short = path.rsplit(':').next().unwrap_or_default();
        self.offer(text.shape, short, title)
    }

    /// Measures a type for the field.
    fn offer(&self, shape: &str, name: &'static str, title: String) -> Option<Offer> {
        // A shared text is preceded by its counts.
        let known = ALL.iter().find(|t| t.path.ends_with(name));
        let (most, more) = known.map_or((u64::MAX, 0), |t| {
            let counts = if t.shared { COUNTS } else { 0 };
            (t.inline, counts)
        });
        let heap = BlockChange::Inlined(self.name.clone(), most, more);
        let model = self.cx.model;
        let change = model.retyped(self.id, self.ty, model.std_type(shape)?);
        let remedy = self.cx.remedy(self.info, &change, title)?;
        Some(Offer {
            name,
            after: remedy.size_after?,
            remedy: Remedy {
                heap: Some(vec![heap]),
                ..remedy
            },
        })
    }

    /// Returns the string types that fit the texts, the best for the field's use first.
    fn chosen(&self, stored: &Stored, filled: &[&Text]) -> Vec<TextType> {
        let bound = filled
            .iter()
            .map(|t| t.most)
            .try_fold(0, |a, b| Some(a.max(b?)));
        let copies = stored.cloned.iter().filter(|(_, loops)| *loops > 0).count() > 0
            || stored.cloned.len() >= MANY_COPIES;
        let fits = |t: &TextType| {
            filled
                .iter()
                .all(|text| text.made == Made::Unknown || text.is_short(t.inline))
        };
        let mut list: Vec<TextType> = ALL.into_iter().filter(fits).collect();
        let rank = |t: &TextType| match bound {
            // All fit: the smallest, then the mutable one.
            Some(_) => match *t {
                ECO => 0,
                COMPACT => 1,
                _ => 2,
            },
            // Some may not fit: if they are copied, a copy must be cheap.
            None if copies && stored.rewritten.is_empty() && *t == SMOL => 0,
            None => match *t {
                COMPACT => 1,
                ECO => 2,
                _ => 3,
            },
        };
        list.sort_by_key(rank);
        list.retain(|t| t.mutable || stored.changed.is_empty());
        list
    }

    fn evidence(&self, filled: &[&Text]) -> Vec<Evidence> {
        let known = filled.iter().copied().filter(|t| t.made != Made::Unknown);
        let known: Vec<&Text> = known.collect();
        // One of each kind first.
        let mut kinds = FxHashSet::default();
        let is_first = |t: &&Text| kinds.insert(std::mem::discriminant(&t.made));
        let (first, rest): (Vec<&Text>, Vec<&Text>) = known.iter().copied().partition(is_first);
        let shown = first.into_iter().chain(rest).take(MOST_PLACES);
        let mut list: Vec<Evidence> = shown
            .map(|text| {
                let what = format!("`{}` is set to {}", self.path, text.words());
                self.cx.model.evidence(text.span, what)
            })
            .collect();
        if filled.len() > list.len() {
            list.push(Evidence {
                span: None,
                text: format!(
                    "{} of {} strings stored are known to be short",
                    known.len(),
                    filled.len()
                ),
            });
        }
        list
    }

    fn trade_off(&self, stored: &Stored, remedies: &[Remedy]) -> String {
        let first = remedies.first().map_or("", |r| r.title.as_str());
        let foreign = ALL.iter().any(|t| first.contains(t.path));
        let taken = stored.taken.len();
        match (foreign, taken) {
            (true, 0) => "one more dependency; longer strings allocate as before",
            (true, _) => "one more dependency; code that takes the `String` has to convert it",
            (false, _) if first.contains("Cow") => "other strings allocate as before",
            (false, _) => "strings built at run time no longer fit",
        }
        .to_owned()
    }

    fn notes(&self, stored: &Stored, exported: bool) -> Vec<String> {
        let note = match () {
            () if stored.adrift > 0 => "what loops store in it is not known to be short".to_owned(),
            () if exported => may_be_exported(&self.path),
            () if self.cx.model.is_read_back(self.info) => {
                "`Deserialize` may read longer strings than this code writes".to_owned()
            }
            () if stored.outside => {
                "other crates may pass longer strings to a public function".to_owned()
            }
            () => return Vec::new(),
        };
        vec![note]
    }
}

/// Returns the number of texts that could not be followed to their origin.
fn unknown(filled: &[&Text]) -> usize {
    filled.iter().filter(|t| t.made == Made::Unknown).count()
}
