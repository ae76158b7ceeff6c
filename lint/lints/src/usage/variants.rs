//! Where variants are constructed and matched, in loops or not, and whether only in errors.

use super::Usage;
use super::events::variant_of;
use crate::flow::{How, edge};
use crate::infer::body::{Site, Target, Typed};
use crate::infer::types::may_be;
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatKind};
use crate::ir::{ItemKind, Style};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{CrateIx, Db, ItemId};
use rustc_hash::FxHashMap;

/// A place that constructs a value.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Where.
    pub site: Site,
    /// Whether the value becomes part of an `Err`.
    pub error: bool,
    /// Whether no box can be created there: in a constant, or a `const fn`.
    pub constant: bool,
    /// The type, as far as known.
    ty: Ty,
}

/// Where one variant is constructed and matched.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Where it is constructed, by file and position.
    pub built: Vec<Built>,
    /// Where it is matched.
    pub matched: Vec<Site>,
}

impl Uses {
    /// Keeps the places that construct this instance of a generic type, or may.
    pub fn of(&self, db: &Db<'static>, instance: Ty) -> Uses {
        let mut uses = self.clone();
        uses.built.retain(|b| may_be(db, b.ty, instance));
        uses
    }

    /// Returns the number of places that construct it outside of tests.
    pub fn made(&self) -> usize {
        self.built.iter().filter(|b| !b.site.aside).count()
    }

    /// Returns how many of those are in a loop.
    pub fn made_in_loops(&self) -> usize {
        let built = self.built.iter().filter(|b| !b.site.aside);
        built.filter(|b| b.site.loops > 0).count()
    }

    /// Returns true if it is constructed outside of tests, and always as part of an error.
    pub fn only_in_errors(&self) -> bool {
        let mut built = self.built.iter().filter(|b| !b.site.aside).peekable();
        built.peek().is_some() && built.all(|b| b.error)
    }
}

/// What happens to the variants of every type; a struct has a single variant 0.
#[derive(Debug, Default)]
pub struct Variants {
    uses: FxHashMap<(ItemId, u32), Uses>,
    /// Number of functions outside of tests, by crate.
    functions: FxHashMap<CrateIx, usize>,
}

impl Variants {
    /// Examines every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Variants {
        let mut found = Variants::default();
        for body in &usage.bodies {
            found.read(db, body);
        }
        // Most variants have one place, in a list with capacity for four.
        for uses in found.uses.values_mut() {
            uses.built.shrink_to_fit();
            uses.matched.shrink_to_fit();
        }
        found
    }

    /// Returns the uses of a variant.
    pub fn of(&self, adt: ItemId, variant: u32) -> Option<&Uses> {
        self.uses.get(&(adt, variant))
    }

    /// Returns the number of places that construct or match a type outside of tests, given its
    /// number of variants.
    pub fn places(&self, adt: ItemId, variants: usize) -> usize {
        let uses = (0..variants as u32).filter_map(|v| self.of(adt, v));
        let each = uses.map(|u| u.made() + u.matched.iter().filter(|s| !s.aside).count());
        each.sum()
    }

    /// Returns the number of functions of a crate outside of tests.
    pub fn functions(&self, krate: CrateIx) -> usize {
        self.functions.get(&krate).copied().unwrap_or(0)
    }

    fn read(&mut self, db: &Db<'static>, body: &Typed) {
        let item = db.item(body.function.item).item;
        if !body.function.aside && matches!(item.kind, ItemKind::Fn(_)) {
            *self.functions.entry(body.function.krate).or_default() += 1;
        }
        for (id, node, fact) in body.exprs() {
            let Some(Target::Ctor(adt, variant)) = fact.target else {
                continue;
            };
            // A call and the path in it name the same constructor.
            if body.is_callee(id)
                || !matches!(
                    node.kind,
                    ExprKind::Call(..) | ExprKind::Struct(..) | ExprKind::Path(_)
                )
                || is_pattern(db, body, id, (adt, variant))
            {
                continue;
            }
            // `.map(Self::Variant)`: the return type of the constructor as a function.
            let ty = match db.types.kind(fact.ty) {
                TyKind::FnPtr(_, output, _) => *output,
                _ => fact.ty,
            };
            let uses = self.uses.entry((adt, variant)).or_default();
            uses.built.push(Built {
                site: body.site(id),
                error: in_error(db, body, id),
                constant: body.is_constant(db, id),
                ty,
            });
        }
        for (id, node) in body.function.body.pats() {
            let fact = body.pat(id);
            if let (true, Some(ctor), Some(at)) = (fact.live, fact.ctor, fact.at)
                && !matches!(node.kind, PatKind::Wild)
            {
                let mut site = body.site(at);
                site.span = node.span;
                self.uses.entry(ctor).or_default().matched.push(site);
            }
        }
    }
}

/// Returns true for a macro argument that parses as an expression but is a pattern:
/// `expect!(Token::Word)` where `Word` has fields, or unresolved names.
fn is_pattern(db: &Db<'static>, body: &Typed, id: ExprId, (adt, variant): (ItemId, u32)) -> bool {
    let Some(ExprKind::Macro(_, MacroArgs::Exprs(_))) = body.outer(id) else {
        return false;
    };
    let is_name = |arg: &ExprId| {
        body.fact(*arg).target.is_none()
            && match &body.node(*arg).kind {
                ExprKind::Path(path) => path.segments.len() == 1,
                ExprKind::Other => true,
                _ => false,
            }
    };
    match &body.node(id).kind {
        ExprKind::Path(_) => {
            let variant = variant_of(db, adt, variant);
            variant.is_some_and(|v| v.style == Style::Tuple)
        }
        ExprKind::Call(_, args) => args.iter().any(is_name),
        _ => false,
    }
}

/// Returns true if the value constructed here ends in an `Err`.
fn in_error(db: &Db<'static>, body: &Typed, id: ExprId) -> bool {
    let edge = edge(body, id);
    let passes = match (edge.how, &body.node(edge.by).kind) {
        (How::Stored, _) if body.std_variant(db, edge.by) == Some("Err") => return true,
        (_, ExprKind::Method(_, name, ..)) => match name.name.as_str() {
            // Their closure returns an error.
            "map_err" | "ok_or" | "ok_or_else" => return true,
            name => matches!(name, "into" | "boxed" | "context" | "with_context"),
        },
        // A constant may be the closure itself.
        (How::Returned, ExprKind::Closure(..) | ExprKind::Return(_)) => edge.by != id,
        // What a function does with it is not followed.
        (how, _) => matches!(how, How::Stored),
    };
    passes && in_error(db, body, edge.by)
}
