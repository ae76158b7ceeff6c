//! A body with the types of its expressions and what its paths mean.

use super::effects::Effect;
use crate::ir::ItemKind;
use crate::ir::body::{Body, ExprId, ExprKind, Node, PatId, Word};
use crate::name::Name;
use crate::place::Place;
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, Db, ItemId, ModId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function, constant or static of a selected crate.
#[derive(Debug)]
pub struct Function {
    /// The item.
    pub item: ItemId,
    /// Its crate.
    pub krate: CrateIx,
    /// The module whose names its body sees.
    pub module: ModId,
    /// The `impl` or trait around it.
    pub owner: Option<ItemId>,
    /// Where it stands, as one would say it: `parser::Reader::next`.
    pub path: String,
    /// In a test, bench, example or build script.
    pub aside: bool,
    /// What it says.
    pub body: &'static Body,
}

/// A local variable.
#[derive(Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its type, as far as known.
    pub ty: Ty,
    /// Where it is bound.
    pub pat: PatId,
    /// The expression that it is bound to, where it is the whole of it.
    pub init: Option<ExprId>,
    /// An argument of the function.
    pub argument: bool,
    /// `mut`.
    pub mutable: bool,
}

/// A field: of which type, in which variant (0 in a struct), at which place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId {
    /// The struct, enum or union.
    pub adt: ItemId,
    /// Place of the variant.
    pub variant: u32,
    /// Place of the field.
    pub field: u32,
}

impl FieldId {
    /// The field at these places.
    pub fn new(adt: ItemId, variant: usize, field: usize) -> FieldId {
        FieldId {
            adt,
            variant: variant as u32,
            field: field as u32,
        }
    }

    /// The same as layouts name it.
    pub fn place(self) -> (ItemId, usize, usize) {
        (self.adt, self.variant as usize, self.field as usize)
    }
}

impl Function {
    /// True for a function of a trait, declared or implemented: its callers are not all known.
    pub fn is_of_trait(&self, db: &Db<'static>) -> bool {
        match self.owner.map(|owner| &db.item(owner).item.kind) {
            Some(ItemKind::Impl(imp)) => imp.trait_.is_some(),
            Some(ItemKind::Trait(_)) => true,
            _ => false,
        }
    }
}

/// What an expression names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A local variable, by its place in [`Typed::locals`].
    Local(u32),
    /// A function, method, constant or static.
    Item(ItemId),
    /// A variant, or variant 0 of a struct, as a value, call or literal.
    Ctor(ItemId, u32),
    /// A field.
    Field(FieldId),
    /// A method that std declares: the name is the expression's.
    Library,
    /// A field or method of an owner that is not known: it may be any of that name.
    Open(Name),
}

/// A place in a body where something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where.
    pub span: Span,
    /// Loops (and closures that iterators call) around it in its function.
    pub loops: u16,
    /// In a test, bench, example or build script.
    pub aside: bool,
    /// The function.
    pub function: ItemId,
}

/// What one expression turned out to be.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Its type.
    pub ty: Ty,
    /// What it names.
    pub target: Option<Target>,
    /// The expression around it.
    pub parent: Option<ExprId>,
    /// Loops around it.
    pub loops: u16,
    /// For a call of a method of std, what it does to what it is called on.
    pub effect: Effect,
    /// A call of a method that no list or text has.
    pub elsewhere: bool,
    /// It is there in this build, and was looked at.
    pub live: bool,
}

/// What a pattern turned out to be.
#[derive(Clone, Copy, Debug)]
pub struct PatFact {
    /// The type of what it is held against.
    pub ty: Ty,
    /// The variant (0 for a struct) that it asks for.
    pub ctor: Option<(ItemId, u32)>,
    /// The variable that it binds.
    pub local: Option<u32>,
    /// The field that it is held against, where it stands for a whole one.
    pub field: Option<FieldId>,
    /// The expression that holds it: a `match`, `let` condition, loop or block.
    pub at: Option<ExprId>,
    /// It was looked at.
    pub live: bool,
}

/// A body that was understood as far as it goes.
#[derive(Debug)]
pub struct Typed {
    /// What was read.
    pub function: Function,
    /// By expression.
    pub facts: Vec<Fact>,
    /// By pattern.
    pub pats: Vec<PatFact>,
    /// Its variables.
    pub locals: Vec<Local>,
    /// Names in macro calls that were not understood, with the call.
    pub opaque: Vec<(Name, ExprId)>,
    /// Of these, those that may be fields to which something happens there.
    pub hidden: Vec<(Word, ExprId)>,
    /// What it returns, `Self` and parameters in place.
    pub output: Ty,
    /// Where its variables are named.
    pub uses: Uses,
}

/// Which expressions name which variable.
#[derive(Debug, Default)]
pub struct Uses {
    /// By variable, and for each in the order of the expressions.
    list: Box<[ExprId]>,
    /// By variable: how many of the list are those of it and of the ones before.
    ends: Box<[u32]>,
    /// By the expression that it is bound to: the first such variable.
    bound: FxHashMap<ExprId, u32>,
    /// Names in macro calls that were not understood.
    opaque: FxHashSet<Name>,
}

impl Uses {
    /// Those of a body, by what is known of it.
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
            // For now where those of it begin.
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
    /// The expressions of this build that name a variable, in their order.
    pub fn uses(&self, local: u32) -> &[ExprId] {
        let end = |local: u32| self.uses.ends[local as usize] as usize;
        let start = local.checked_sub(1).map_or(0, end);
        &self.uses.list[start..end(local)]
    }

    /// The first variable that is bound to an expression.
    pub fn bound_to(&self, init: ExprId) -> Option<u32> {
        self.uses.bound.get(&init).copied()
    }

    /// True if a macro call that was not understood has a name in it.
    pub fn is_opaque(&self, name: Name) -> bool {
        self.uses.opaque.contains(&name)
    }

    /// An expression.
    pub fn node(&self, id: ExprId) -> &Node {
        self.function.body.expr(id)
    }

    /// The last name of what is called; empty where it is no path.
    pub fn called(&self, callee: ExprId) -> &str {
        match &self.node(callee).kind {
            ExprKind::Path(path) => path.last_name(),
            ExprKind::Qualified(_, _, rest) => rest.last().map_or("", |s| s.name.as_str()),
            _ => "",
        }
    }

    /// The last two names of a path that is called; empty where there are none.
    pub fn called_on(&self, callee: ExprId) -> (&str, &str) {
        match &self.node(callee).kind {
            ExprKind::Path(path) => match &path.segments[..] {
                [.., on, name] => (on.name.as_str(), name.name.as_str()),
                _ => ("", path.last_name()),
            },
            _ => ("", self.called(callee)),
        }
    }

    /// True for the path of a call, which names what the call does.
    pub fn is_callee(&self, id: ExprId) -> bool {
        matches!(self.outer(id), Some(ExprKind::Call(callee, _)) if *callee == id)
    }

    /// The expression that an expression is a part of.
    pub fn outer(&self, id: ExprId) -> Option<&ExprKind> {
        let parent = self.fact(id).parent?;
        Some(&self.node(parent).kind)
    }

    /// All expressions around one, from inside out.
    pub fn outers(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(self.fact(id).parent, |e| self.fact(*e).parent)
    }

    /// What is known of an expression.
    pub fn fact(&self, id: ExprId) -> &Fact {
        &self.facts[id.index()]
    }

    /// What is known of a pattern.
    pub fn pat(&self, id: PatId) -> &PatFact {
        &self.pats[id.index()]
    }

    /// Every expression that this build has.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Node, &Fact)> {
        let exprs = self.function.body.exprs();
        exprs
            .map(|(id, node)| (id, node, self.fact(id)))
            .filter(|(_, _, fact)| fact.live)
    }

    /// Where an expression stands.
    pub fn site(&self, id: ExprId) -> Site {
        Site {
            span: self.node(id).span,
            loops: self.fact(id).loops,
            aside: self.function.aside,
            function: self.function.item,
        }
    }

    /// True where only what the compiler can work out may stand, and so no box can be made: in a
    /// constant or a `const fn`, outside of closures.
    pub fn is_constant(&self, db: &Db<'static>, id: ExprId) -> bool {
        let constant = match &db.item(self.function.item).item.kind {
            ItemKind::Fn(function) => function.is_const,
            _ => true,
        };
        let is_closure = |e| matches!(self.node(e).kind, ExprKind::Closure(..));
        constant && !self.outers(id).any(is_closure)
    }

    /// The expression around one, macros that only look, `cfg`s and blocks that end in it left out.
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
