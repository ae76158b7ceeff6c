//! A body with the types of its expressions and the definitions that its paths name.

use super::effects::Effect;
use super::marks::Marks;
use super::types::std_variant;
use crate::ir::ItemKind;
use crate::ir::body::{Body, ExprId, ExprKind, Node, PatId, Word};
use crate::name::Name;
use crate::place::Place;
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, Db, ItemId, ModId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A function, constant or static with a body.
#[derive(Debug)]
pub struct Function {
    /// The item.
    pub item: ItemId,
    /// Its crate.
    pub krate: CrateIx,
    /// The module in which names of the body resolve.
    pub module: ModId,
    /// The enclosing `impl` or trait.
    pub owner: Option<ItemId>,
    /// The path as displayed: `parser::Reader::next`.
    // weigh: allow(unfrozen_vec, reason = "8 bytes a function that has a body")
    pub path: String,
    /// Whether it is in a test, bench, example or build script.
    pub aside: bool,
    /// Its parsed body and signature.
    pub body: &'static Body,
}

/// A local variable.
#[derive(Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its type, as far as known.
    pub ty: Ty,
    /// The pattern that binds it.
    pub pat: PatId,
    /// The expression that it is bound to, if the pattern binds the whole value.
    pub init: Option<ExprId>,
    /// Whether it is a parameter of the function.
    pub argument: bool,
    /// Whether it is `mut`.
    pub mutable: bool,
    /// Whether it may be a reference to that type: it is a part of a value of unknown type.
    pub lent: bool,
}

/// A field of a variant (0 for a struct), as an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId {
    /// The struct, enum or union.
    pub adt: ItemId,
    /// Index of the variant.
    pub variant: u32,
    /// Index of the field.
    pub field: u32,
}

impl FieldId {
    /// Creates a field from its indices.
    pub fn new(adt: ItemId, variant: usize, field: usize) -> FieldId {
        FieldId {
            adt,
            variant: variant as u32,
            field: field as u32,
        }
    }

    /// Returns the type, variant and field as in layouts.
    pub fn place(self) -> (ItemId, usize, usize) {
        (self.adt, self.variant as usize, self.field as usize)
    }
}

impl Function {
    /// Returns true for a function of a trait or trait `impl`: not all of its callers are known.
    pub fn is_of_trait(&self, db: &Db<'static>) -> bool {
        match self.owner.map(|owner| &db.item(owner).item.kind) {
            Some(ItemKind::Impl(imp)) => imp.trait_.is_some(),
            Some(ItemKind::Trait(_)) => true,
            _ => false,
        }
    }
}

/// The definition that an expression names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A local variable, as an index into [`Typed::locals`].
    Local(u32),
    /// A function, method, constant or static.
    Item(ItemId),
    /// A variant, or variant 0 of a struct, as a value, call or literal.
    Ctor(ItemId, u32),
    /// A field.
    Field(FieldId),
    /// A method that std declares, or that is not found on a known type; its name is in the
    /// expression.
    Library,
    /// A field or method of a type that is unknown: any of that name.
    Open(Name),
}

/// The position of an event in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The span.
    pub span: Span,
    /// Number of enclosing loops and closures of iterator methods in the function.
    pub loops: u16,
    /// Whether it is in a test, bench, example or build script.
    pub aside: bool,
    /// The function.
    pub function: ItemId,
}

/// The inferred properties of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Its type.
    pub ty: Ty,
    /// The definition that it names.
    pub target: Option<Target>,
    /// The enclosing expression.
    pub parent: Option<ExprId>,
    /// Number of enclosing loops.
    pub loops: u16,
    /// For a method call, the effect on the receiver, by name if the receiver's type is unknown.
    pub effect: Effect,
    /// Whether it calls a method that std declares, but not for collections, slices or strings.
    pub elsewhere: bool,
    /// Whether it exists in this build and was visited.
    pub live: bool,
}

/// The inferred properties of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct PatFact {
    /// The type of the matched value.
    pub ty: Ty,
    /// The variant (0 for a struct) that it matches.
    pub ctor: Option<(ItemId, u32)>,
    /// The variable that it binds.
    pub local: Option<u32>,
    /// The field that it matches, if it matches a whole field.
    pub field: Option<FieldId>,
    /// The enclosing expression: a `match`, `let` condition, loop or block.
    pub at: Option<ExprId>,
    /// Whether it was visited.
    pub live: bool,
}

/// A body with everything that was inferred.
// weigh: allow(unfrozen_vec, reason = "it grows while a body is inferred: 40 bytes a body")
#[derive(Debug)]
pub struct Typed {
    /// The function.
    pub function: Function,
    /// For each expression, its properties.
    pub facts: Vec<Fact>,
    /// For each pattern, its properties.
    pub pats: Vec<PatFact>,
    /// The variables.
    pub locals: Vec<Local>,
    /// Names in macro calls that could not be parsed, with the call.
    pub opaque: Vec<(Name, ExprId)>,
    /// Those of them that may be fields modified in the call.
    pub hidden: Vec<(Word, ExprId)>,
    /// Return type, with `Self` and generic parameters resolved.
    pub output: Ty,
    /// The expressions that name the variables.
    pub uses: Uses,
    /// What std's declarations say of methods by name.
    pub(super) marks: Arc<Marks>,
}

/// An index of the expressions that name each variable.
#[derive(Debug, Default)]
pub struct Uses {
    /// The expressions, grouped by variable, in order of their ids.
    list: Box<[ExprId]>,
    /// For each variable, the end of its group in `list`.
    ends: Box<[u32]>,
    /// The first variable that is bound to each initialiser.
    bound: FxHashMap<ExprId, u32>,
    /// Names in macro calls that could not be parsed.
    opaque: FxHashSet<Name>,
}

impl Uses {
    /// Builds the index of a body.
    pub fn find(facts: &[Fact], locals: &[Local], opaque: &[(Name, ExprId)]) -> Uses {
        let named = || {
            facts.iter().enumerate().filter_map(|(i, fact)| {
                match fact.target.filter(|_| fact.live) {
                    Some(Target::Local(local)) => Some((ExprId(Place::new(i)), local as usize)),
                    _ => None,
                }
            })
        };
        let mut ends = vec![0; locals.len()];
        named().for_each(|(_, local)| ends[local] += 1);
        let mut before = 0;
        for end in &mut ends {
            // Starts for now; filling the list turns them into ends.
            before += std::mem::replace(end, before);
        }
        let mut list = vec![ExprId(Place::new(0)); before as usize];
        for (id, local) in named() {
            list[ends[local] as usize] = id;
            ends[local] += 1;
        }
        let mut bound = FxHashMap::default();
        for (i, local) in (0..).zip(locals) {
            if let Some(init) = local.init {
                bound.entry(init).or_insert(i);
            }
        }
        Uses {
            list: list.into(),
            ends: ends.into(),
            bound,
            opaque: opaque.iter().map(|(name, _)| *name).collect(),
        }
    }
}

impl Typed {
    /// Returns the live expressions that name a variable, in order of their ids.
    pub fn uses(&self, local: u32) -> &[ExprId] {
        let end = |local: u32| self.uses.ends[local as usize] as usize;
        let start = local.checked_sub(1).map_or(0, end);
        &self.uses.list[start..end(local)]
    }

    /// Returns the first variable that is bound to an expression.
    pub fn bound_to(&self, init: ExprId) -> Option<u32> {
        self.uses.bound.get(&init).copied()
    }

    /// Returns true if a macro call that could not be parsed contains the name.
    pub fn is_opaque(&self, name: Name) -> bool {
        self.uses.opaque.contains(&name)
    }

    /// Returns an expression.
    pub fn node(&self, id: ExprId) -> &Node {
        self.function.body.expr(id)
    }

    /// Returns the name of the method or function that a call, or a path, names.
    pub fn name_of(&self, id: ExprId) -> Option<Name> {
        match &self.node(id).kind {
            ExprKind::Call(callee, _) => self.name_of(*callee),
            ExprKind::Method(_, name, ..) => Some(name.name),
            ExprKind::Path(path) => path.segments.last().map(|s| s.name),
            ExprKind::Qualified(_, _, rest) => rest.last().map(|s| s.name),
            _ => None,
        }
    }

    /// Returns the variant of `Option` or `Result` that an expression names or constructs.
    pub fn std_variant(&self, db: &Db<'static>, id: ExprId) -> Option<&'static str> {
        match self.fact(id).target {
            Some(Target::Ctor(adt, variant)) => std_variant(db, (adt, variant)),
            _ => None,
        }
    }

    /// Returns the last segment of the called path; empty if the callee is no path.
    pub fn called(&self, callee: ExprId) -> &str {
        match &self.node(callee).kind {
            ExprKind::Path(path) => path.last_name(),
            ExprKind::Qualified(_, _, rest) => rest.last().map_or("", |s| s.name.as_str()),
            _ => "",
        }
    }

    /// Returns the last two segments of the called path; empty if there are none.
    pub fn called_on(&self, callee: ExprId) -> (&str, &str) {
        match &self.node(callee).kind {
            ExprKind::Path(path) => match &path.segments[..] {
                [.., on, name] => (on.name.as_str(), name.name.as_str()),
                _ => ("", path.last_name()),
            },
            _ => ("", self.called(callee)),
        }
    }

    /// Returns true for the path of a call, whose target is also that of the call.
    pub fn is_callee(&self, id: ExprId) -> bool {
        matches!(self.outer(id), Some(ExprKind::Call(callee, _)) if *callee == id)
    }

    /// Returns the parent of an expression.
    pub fn outer(&self, id: ExprId) -> Option<&ExprKind> {
        let parent = self.fact(id).parent?;
        Some(&self.node(parent).kind)
    }

    /// Iterates over the ancestors of an expression, innermost first.
    pub fn outers(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(self.fact(id).parent, |e| self.fact(*e).parent)
    }

    /// Returns the properties of an expression.
    pub fn fact(&self, id: ExprId) -> &Fact {
        &self.facts[id.index()]
    }

    /// Returns the properties of a pattern.
    pub fn pat(&self, id: PatId) -> &PatFact {
        &self.pats[id.index()]
    }

    /// Iterates over the expressions that exist in this build.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Node, &Fact)> {
        let exprs = self.function.body.exprs();
        exprs
            .map(|(id, node)| (id, node, self.fact(id)))
            .filter(|(_, _, fact)| fact.live)
    }

    /// Returns the position of an expression.
    pub fn site(&self, id: ExprId) -> Site {
        Site {
            span: self.node(id).span,
            loops: self.fact(id).loops,
            aside: self.function.aside,
            function: self.function.item,
        }
    }

    /// Returns true for code that may be evaluated at compile time and so cannot allocate: in a
    /// constant or a `const fn`, outside of closures.
    pub fn is_constant(&self, db: &Db<'static>, id: ExprId) -> bool {
        let constant = match &db.item(self.function.item).item.kind {
            ItemKind::Fn(function) => function.is_const,
            _ => true,
        };
        let is_closure = |e| matches!(self.node(e).kind, ExprKind::Closure(..));
        constant && !self.outers(id).any(is_closure)
    }

    /// Returns the closest ancestor that is neither a `cfg` nor a block with the expression as its
    /// tail.
    pub fn around(&self, id: ExprId) -> Option<(ExprId, &Node)> {
        let mut inner = id;
        loop {
            let outer = self.fact(inner).parent?;
            let node = self.node(outer);
            match &node.kind {
                ExprKind::Cfg(..) => inner = outer,
                ExprKind::Block(_, tail) if *tail == Some(inner) => inner = outer,
                _ => return Some((outer, node)),
            }
        }
    }
}
