//! What the string fields store, how long the strings can be, and how they are used.

mod format;
mod local;
mod method;
mod text;

pub use text::{Made, Text, all, longest_known};

use super::Usage;
use super::events::{At, variant_of};
use super::stores::{Put, StoreKind, Stores};
use crate::flow::{How, Way, edge};
use crate::infer::body::{FieldId, Typed};
use crate::infer::marks::Mark;
use crate::infer::types::{bare, is_std, std_name};
use crate::ir::body::{ExprId, ExprKind};
use crate::ir::{AdtKind, ItemKind, Vis};
use crate::resolve::ty::{Prim, Ty, TyKind};
use crate::resolve::{Db, ItemId, ModId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};

/// Maximum number of calls, returns and fields between a field and the origin of a text.
const FURTHEST: u32 = 4;

/// Maximum number of expressions that are examined for one field.
const MOST_STEPS: u32 = 20_000;

/// What one field stores, and how it is used.
#[derive(Debug, Default)]
pub struct Stored {
    /// Every text that is stored, by origin; each place once.
    pub texts: Vec<Text>,
    /// Places that modify it in place, other than by a whole new text.
    pub changed: Vec<Span>,
    /// Places that clear it and append a new text.
    pub rewritten: Vec<Span>,
    /// Places that clone it, or the value that contains it, with the number of loops around each.
    pub cloned: Vec<(Span, u16)>,
    /// Places that compare it.
    pub compared: Vec<Span>,
    /// Places that move the `String` itself out.
    pub taken: Vec<Span>,
    /// Whether other crates may store texts of their own, through exported functions or fields.
    pub outside: bool,
    /// Texts that loops store, if all of them are [`Made::Unknown`].
    pub adrift: usize,
}

/// Follows texts to their origins.
pub struct Strings<'u> {
    db: &'static Db<'static>,
    usage: &'u Usage,
    stores: &'u Stores,
    /// Expressions being followed: one that leads back to itself adds nothing.
    path: RefCell<FxHashSet<(At, Way)>>,
    /// Steps left for this field.
    left: Cell<u32>,
    /// A path led to other crates.
    outside: Cell<bool>,
}

impl<'u> Strings<'u> {
    /// Makes a query object for these data.
    pub fn new(db: &'static Db<'static>, usage: &'u Usage, stores: &'u Stores) -> Strings<'u> {
        Strings {
            db,
            usage,
            stores,
            path: RefCell::default(),
            left: Cell::new(MOST_STEPS),
            outside: Cell::new(false),
        }
    }

    /// Returns the facts on a field whose type is a string.
    pub fn of(&self, field: FieldId) -> Stored {
        self.left.set(MOST_STEPS);
        self.outside.set(false);
        let each = self.each(field, 0);
        let looped = each.iter().filter(|(looped, _)| *looped);
        let looped: Vec<&Text> = looped.flat_map(|(_, texts)| texts).collect();
        let mut stored = Stored {
            adrift: if all(&looped, |m| m == Made::Unknown) {
                looped.len()
            } else {
                0
            },
            texts: once(each),
            ..Stored::default()
        };
        for put in self.stores.of(field) {
            let body = self.body(put.place);
            if body.function.aside {
                continue;
            }
            let span = body.node(put.place.expr).span;
            match put.how {
                StoreKind::Set => {}
                StoreKind::Cut | StoreKind::Emptied => stored.rewritten.push(span),
                StoreKind::Added if self.afresh(field, put) => stored.rewritten.push(span),
                StoreKind::Added | StoreKind::Lent => stored.changed.push(span),
            }
        }
        stored.outside = self.outside.get();
        self.asked(field, &mut stored);
        stored
    }

    /// Returns the texts that a field is set to, outside of tests, each place once.
    fn stored(&self, field: FieldId, depth: u32) -> Vec<Text> {
        once(self.each(field, depth))
    }

    /// Returns what each place outside of tests sets a field to, and whether it is in a loop.
    fn each(&self, field: FieldId, depth: u32) -> Vec<(bool, Vec<Text>)> {
        if self.exported(field) {
            self.outside.set(true);
        }
        let puts = self.stores.of(field).iter();
        let puts = puts.filter(|put| !self.body(put.place).function.aside);
        let texts = puts.map(|put| {
            let body = self.body(put.place);
            let found = match (put.how, put.value) {
                (StoreKind::Set, Some(value)) => self.text(put.place.with(value), depth),
                (StoreKind::Cut | StoreKind::Emptied, _) => Vec::new(),
                (StoreKind::Added, Some(value)) if self.afresh(field, put) => {
                    self.text(put.place.with(value), depth)
                }
                _ => vec![Text::unknown(body.node(put.place.expr).span)],
            };
            (body.fact(put.place.expr).loops > 0, found)
        });
        texts.collect()
    }

    /// Returns true if the appended text is the field's whole content: it is cleared just before.
    fn afresh(&self, field: FieldId, put: &Put) -> bool {
        if !matches!(put.how, StoreKind::Added) {
            return false;
        }
        let body = self.body(put.place);
        let loops = body.fact(put.place.expr).loops;
        let here =
            self.stores.of(field).iter().filter(|p| {
                p.place.body == put.place.body && body.fact(p.place.expr).loops == loops
            });
        let start = |p: &Put| body.node(p.place.expr).span.start;
        let mut before: Vec<&Put> = here.filter(|p| start(p) < start(put)).collect();
        before.sort_by_key(|p| start(p));
        before.last().is_some_and(|p| p.how == StoreKind::Emptied)
    }

    /// Returns true if other crates may set a field.
    fn exported(&self, field: FieldId) -> bool {
        let data = self.db.item(field.adt);
        let variant = variant_of(self.db, field.adt, field.variant);
        let field = variant.and_then(|v| v.fields.get(field.field as usize));
        let is_enum = matches!(&data.item.kind, ItemKind::Adt(a) if a.kind == AdtKind::Enum);
        let open = is_enum || field.is_some_and(|f| f.vis == Vis::Public);
        open && data.item.vis == Vis::Public && self.published(data.module)
    }

    /// Returns true for a module of a library that others can depend on.
    fn published(&self, module: ModId) -> bool {
        super::fields::is_published(self.db, self.db.krate_of(module))
    }

    fn body(&self, at: At) -> &'u Typed {
        &self.usage.bodies[at.body]
    }

    fn std_name(&self, id: ItemId) -> Option<&'static str> {
        std_name(self.db, id)
    }

    /// Returns true for `str` and `String`, inside any wrapper.
    fn is_text(&self, ty: Ty) -> bool {
        let ty = bare(self.db, ty);
        self.db.types.kind(ty) == &TyKind::Prim(Prim::Str) || is_std(self.db, ty, "String")
    }

    /// Finds how a field is used, and where values that have it are cloned.
    fn asked(&self, field: FieldId, stored: &mut Stored) {
        let events = &self.usage.events;
        let named = events.named.of(&field).iter();
        let mut places: Vec<&At> = named.chain(events.cloned.of(&field.adt)).collect();
        places.retain(|at| !self.body(**at).function.aside);
        places.sort_unstable();
        for at in places {
            let body = self.body(*at);
            match &body.node(at.expr).kind {
                ExprKind::Method(..) => {
                    let loops = body.fact(at.expr).loops;
                    stored.cloned.push((body.node(at.expr).span, loops));
                }
                _ => self.asked_here(body, at.expr, false, stored),
            }
        }
    }

    fn asked_here(&self, body: &Typed, id: ExprId, by_ref: bool, stored: &mut Stored) {
        let span = body.node(id).span;
        let edge = edge(body, id);
        match (edge.how, &body.node(edge.by).kind) {
            (How::Matched(_), _)
            | (_, ExprKind::Binary("==" | "!=" | "<" | ">" | "<=" | ">=", ..)) => {
                stored.compared.push(span);
            }
            (How::Does(_), ExprKind::Method(_, name, ..)) => match name.name.as_str() {
                "clone" | "to_string" | "to_owned" => {
                    stored.cloned.push((span, body.fact(edge.by).loops));
                }
                "as_str" | "as_ref" | "as_deref" => {
                    self.asked_here(body, edge.by, true, stored);
                }
                "eq" | "ne" | "cmp" => stored.compared.push(span),
                "into_bytes" if !by_ref => stored.taken.push(span),
                _ if !by_ref && body.is_marked(edge.by, Mark::Unwraps) => stored.taken.push(span),
                _ => {}
            },
            (How::Borrowed, _) => self.asked_here(body, edge.by, true, stored),
            _ if by_ref => {}
            (How::Argument(_), ExprKind::Call(..)) | (How::Stored, _) => stored.taken.push(span),
            _ => {}
        }
    }
}

/// Merges the texts of all places, each once: of several that a place makes alike, such as slices of
/// a parameter's arguments, the longest.
fn once(each: Vec<(bool, Vec<Text>)>) -> Vec<Text> {
    let mut places: FxHashMap<_, usize> = FxHashMap::default();
    let mut all: Vec<Text> = Vec::new();
    for text in each.into_iter().flat_map(|(_, texts)| texts) {
        let place = *places.entry((text.span, text.made)).or_insert(all.len());
        match all.get_mut(place) {
            Some(known) => known.most = known.most.zip(text.most).map(|(a, b)| a.max(b)),
            None => all.push(text),
        }
    }
    all
}
