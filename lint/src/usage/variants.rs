//! Where variants are built and matched, in loops or not, and on which side of an error.

use super::Usage;
use super::events::variant_of;
use crate::infer::body::{Site, Target, Typed};
use crate::infer::types::{may_be, std_name};
use crate::ir::body::{ExprId, ExprKind, MacroArgs, PatKind};
use crate::ir::{ItemKind, Style};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{CrateIx, Db, ItemId};
use rustc_hash::FxHashMap;

/// In a crate of so many functions a type of which there are many is built and matched by many: of
/// 32 findings that two readers judged, none of the 16 below was worth it, and a quarter of the
/// others.
const LARGE_CRATE: usize = 100;

/// At one place for so many of its functions at least.
const FUNCTIONS_A_PLACE: usize = 5;

/// So many places are enough anywhere.
const ENOUGH_PLACES: usize = 64;

/// Among so many functions that many places are wanted in small crates too: of 13 such findings
/// none of the six below was worth it, and five of the others.
const LARGE_PROJECT: usize = 3000;

/// A place where a value is built.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Where.
    pub site: Site,
    /// It becomes part of an `Err`.
    pub error: bool,
    /// No box can be made there: in a constant, or a function that may make one.
    pub constant: bool,
    /// Of which type, as far as that is known.
    ty: Ty,
}

/// Where one variant is built and matched.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Where it is built, by file and place.
    pub built: Vec<Built>,
    /// Where it is matched.
    pub matched: Vec<Site>,
}

impl Uses {
    /// What is built of one instance of a generic type, or may be.
    pub fn of(&self, db: &Db<'static>, instance: Ty) -> Uses {
        let mut uses = self.clone();
        uses.built.retain(|b| may_be(db, b.ty, instance));
        uses
    }

    /// Number of places that build it outside of tests.
    pub fn made(&self) -> usize {
        self.built.iter().filter(|b| !b.site.aside).count()
    }

    /// Of these, those in a loop.
    pub fn made_in_loops(&self) -> usize {
        let built = self.built.iter().filter(|b| !b.site.aside);
        built.filter(|b| b.site.loops > 0).count()
    }

    /// It is built, outside of tests, and always as part of an error.
    pub fn only_in_errors(&self) -> bool {
        let mut built = self.built.iter().filter(|b| !b.site.aside).peekable();
        built.peek().is_some() && built.all(|b| b.error)
    }
}

/// What happens to the variants of every type; structs are variant 0 of themselves.
#[derive(Debug, Default)]
pub struct Variants {
    uses: FxHashMap<(ItemId, u32), Uses>,
    /// By crate: its functions outside of tests.
    functions: FxHashMap<CrateIx, usize>,
}

/// Places that are enough where a crate has `own` functions, and all that is read has so many.
fn enough(own: usize, all: usize) -> usize {
    match (own, all) {
        (_, LARGE_PROJECT..) => ENOUGH_PLACES,
        (LARGE_CRATE.., _) => ENOUGH_PLACES.min(own / FUNCTIONS_A_PLACE),
        _ => 0,
    }
}

impl Variants {
    /// Looks through every body.
    pub fn find(db: &Db<'static>, usage: &Usage) -> Variants {
        let mut found = Variants::default();
        for body in &usage.bodies {
            found.read(db, body);
        }
        // Of most variants there is one place, in a list for four.
        for uses in found.uses.values_mut() {
            uses.built.shrink_to_fit();
            uses.matched.shrink_to_fit();
        }
        found
    }

    /// What happens to a variant.
    pub fn of(&self, adt: ItemId, variant: u32) -> Option<&Uses> {
        self.uses.get(&(adt, variant))
    }

    /// Number of places that build or match a type outside of tests, given how many variants it has.
    pub fn places(&self, adt: ItemId, variants: usize) -> usize {
        let uses = (0..variants as u32).filter_map(|v| self.of(adt, v));
        let each = uses.map(|u| u.made() + u.matched.iter().filter(|s| !s.aside).count());
        each.sum()
    }

    /// Of a type that much of the code is about so many places are to be seen at least, by the size
    /// of its crate and of all that is read.
    pub fn enough(&self, krate: CrateIx) -> usize {
        let own = self.functions.get(&krate).copied().unwrap_or(0);
        enough(own, self.functions.values().sum())
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
            // A call and the path in it name the same.
            if body.is_callee(id)
                || !matches!(
                    node.kind,
                    ExprKind::Call(..) | ExprKind::Struct(..) | ExprKind::Path(_)
                )
                || is_pattern(db, body, id, (adt, variant))
            {
                continue;
            }
            // `.map(Self::Variant)`: what the constructor gives as a function.
            let ty = match db.types.kind(fact.ty) {
                TyKind::FnPtr(_, output) => *output,
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

/// True for what a macro is given that reads like an expression and is none: `expect!(Token::Word)`
/// where `Word` holds something, or names that nothing has.
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

/// True if what is built here ends in an `Err`.
fn in_error(db: &Db<'static>, body: &Typed, id: ExprId) -> bool {
    let mut inner = id;
    while let Some((outer, node)) = body.around(inner) {
        let error = match &node.kind {
            ExprKind::Call(..) => match body.fact(outer).target {
                Some(Target::Ctor(adt, variant)) => {
                    variant == 1 && std_name(db, adt) == Some("Result")
                }
                // What a function does with it is not followed.
                _ => return false,
            },
            ExprKind::Method(_, name, ..) => match name.name.as_str() {
                // Their closure makes an error.
                "map_err" | "ok_or" | "ok_or_else" => true,
                "into" | "boxed" | "context" | "with_context" => false,
                _ => return false,
            },
            ExprKind::Struct(..) | ExprKind::Closure(..) | ExprKind::Return(_) => false,
            _ => return false,
        };
        if error {
            return true;
        }
        inner = outer;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::enough;

    #[test]
    fn how_much_of_the_code_is_to_be_about_a_type() {
        for (own, all, places) in [
            (99, 99, 0),
            (99, 2999, 0),
            (100, 100, 20),
            (319, 2999, 63),
            (320, 2999, 64),
            (2000, 2000, 64),
            (1, 3000, 64),
            (5000, 9000, 64),
        ] {
            assert_eq!(enough(own, all), places, "{own} of {all}");
        }
    }
}
