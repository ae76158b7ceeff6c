//! Infers the types of a body's expressions in one forward pass, from annotations, declarations and
//! what directly follows. What would need a solver stays unknown and is never guessed.

pub mod body;
mod call;
mod closure;
mod control;
pub mod effects;
mod expr;
mod functions;
mod library;
mod macros;
pub mod marks;
mod members;
mod pat;
mod path;
mod scope;
pub mod types;

#[cfg(test)]
mod tests;

use crate::ir::body::{ExprId, PatId, Signature, Word};
use crate::ir::{ItemKind, ParamKind};
use crate::name::Name;
use crate::resolve::ahead::Reading;
use crate::resolve::ty::{Const, GArg, Ty, TyKind};
use crate::resolve::types::{Env, param_is_sized};
use crate::resolve::{CrateIx, Db, ItemId};
use crate::spread::spread;
use crate::wanted_words::WantedWords;
use body::{Fact, Function, Local, PatFact, Typed, Uses};
use effects::Effect;
use functions::Bodied;
use members::Members;
use rustc_hash::FxHashMap;
use scope::Scope;
use std::sync::{Arc, OnceLock};
use types::{is_open, is_std, std_first};

/// Number of bodies per work item: small, so that no thread is left with a long tail.
const BATCH: usize = 16;

/// Infers every body of the selected crates on all threads; returns them by file and position.
pub fn read(db: &'static Db<'static>) -> Vec<Typed> {
    let selected = db.project.selected.iter().map(|id| id.0);
    let functions = functions::read(db, selected, |_| true);
    let members = Members::find(db, &functions);
    let bodies = spread(functions, BATCH, |(f, reading, _)| {
        guarded(db, &members, f.function(reading))
    });
    bodies.into_iter().flatten().collect()
}

/// Infers the bodies of some crates that contain one of these words, in the same order; returns the
/// others to be inferred on demand.
pub fn read_with_words(
    db: &'static Db<'static>,
    crates: impl Iterator<Item = CrateIx>,
    words: &WantedWords,
) -> (Vec<Typed>, Others) {
    let functions = functions::read(db, crates, |f| f.has_word(db, words));
    let members = Members::find(db, &functions);
    let (mut bodies, mut others) = (Vec::new(), FxHashMap::default());
    for (found, reading, wanted) in functions {
        match wanted {
            true => bodies.push((found, reading)),
            false => _ = others.insert(found.item, (found, reading, OnceLock::new())),
        }
    }
    let bodies = spread(bodies, BATCH, |(found, reading)| {
        guarded(db, &members, found.function(reading))
    });
    let bodies = bodies.into_iter().flatten().collect();
    let others = Others {
        members,
        all: others,
    };
    (bodies, others)
}

/// Bodies that are inferred on demand.
pub struct Others {
    /// The methods of all types.
    pub(crate) members: Members,
    all: FxHashMap<ItemId, (Bodied, Reading, OnceLock<Option<Typed>>)>,
}

impl Others {
    /// Returns the body of a function, constant or static.
    pub fn body(&self, item: ItemId) -> Option<&Typed> {
        let (found, reading, known) = self.all.get(&item)?;
        let (db, members) = (self.members.db, &self.members);
        // Inference of one body never needs another, so this cannot deadlock.
        let read = || guarded(db, members, found.function(*reading));
        known.get_or_init(read).as_ref()
    }
}

/// The declaration of a method of std.
#[derive(Clone, Copy, Debug)]
pub struct StdMethod {
    /// Its parameters and return type.
    pub signature: &'static Signature,
    /// The generic parameter that is the element type of the receiver; `true` if the elements are
    /// references to it.
    pub element: Option<(Name, bool)>,
}

/// Returns the generic parameter that is the element type, or that the elements refer to (`true`).
fn element_of(ty: &crate::ir::Type, lent: bool) -> Option<(Name, bool)> {
    use crate::ir::{Arg, Type};
    match ty {
        Type::Ref(inner, _) => element_of(inner, lent),
        Type::Slice(inner) | Type::Array(inner, _) => parameter(inner, lent),
        Type::Path(path) => {
            let args = path.segments.last()?.args.as_deref()?;
            match args.args.first()? {
                Arg::Type(Type::Ref(inner, _)) => parameter(inner, true),
                Arg::Type(Type::Slice(inner)) => parameter(inner, lent),
                Arg::Type(inner) => parameter(inner, lent),
                Arg::Const(_) => None,
            }
        }
        _ => None,
    }
}

fn parameter(ty: &crate::ir::Type, lent: bool) -> Option<(Name, bool)> {
    match ty {
        crate::ir::Type::Path(path) => match &path.segments[..] {
            [one] if one.args.is_none() => Some((one.name, lent)),
            _ => None,
        },
        _ => None,
    }
}

impl Others {
    /// Returns the method of std that a call on this type resolves to.
    pub fn std_method(&self, on: Ty, name: Name) -> Option<StdMethod> {
        let (callee, _) = self.members.method(on, name)?;
        let imp = match &self.members.db.item(callee.owner).item.kind {
            ItemKind::Impl(imp) if callee.library => imp,
            _ => return None,
        };
        Some(StdMethod {
            signature: self.members.signature(callee.item)?,
            element: element_of(&imp.self_ty, false),
        })
    }
}

fn guarded(db: &'static Db<'static>, members: &Members, function: Function) -> Option<Typed> {
    let path = function.path.clone();
    let work = || format!("reading what `{path}` does");
    db.guarded(work, || infer(db, members, function))
}

/// Infers one body.
fn infer(db: &'static Db<'static>, members: &Members, function: Function) -> Typed {
    let unknown = members.unknown;
    let fact = Fact {
        ty: unknown,
        target: None,
        parent: None,
        loops: 0,
        effect: Effect::Unknown,
        elsewhere: false,
        live: false,
    };
    let pat = PatFact {
        ty: unknown,
        ctor: None,
        local: None,
        field: None,
        at: None,
        live: false,
    };
    let mut infer = Infer {
        db,
        members,
        params: params(db, &function),
        self_ty: self_ty(db, &function),
        facts: vec![fact; function.body.expr_count()],
        pats: vec![pat; function.body.pat_count()],
        locals: Vec::new(),
        scope: Scope::default(),
        opaque: Vec::new(),
        hidden: Vec::new(),
        output: unknown,
        breaks: unknown,
        at: None,
        lent: false,
        loops: 0,
        outside: 0,
        function: &function,
    };
    infer.function();
    let (facts, pats) = (infer.facts, infer.pats);
    let (locals, opaque, output) = (infer.locals, infer.opaque, infer.output);
    let hidden = infer.hidden;
    let marks = Arc::clone(&members.marks);
    let uses = Uses::find(&facts, &locals, &opaque);
    Typed {
        uses,
        facts,
        pats,
        locals,
        opaque,
        hidden,
        output,
        marks,
        function,
    }
}

struct Infer<'i> {
    db: &'static Db<'static>,
    members: &'i Members,
    function: &'i Function,
    /// Generic parameters in scope, the function's own first.
    params: Vec<(Name, GArg)>,
    self_ty: Option<Ty>,
    facts: Vec<Fact>,
    pats: Vec<PatFact>,
    locals: Vec<Local>,
    /// Variables in scope, as indices into `locals`.
    scope: Scope,
    opaque: Vec<(Name, ExprId)>,
    hidden: Vec<(Word, ExprId)>,
    /// Return type of the current function or closure.
    output: Ty,
    /// Type of the values that the current loop breaks with.
    breaks: Ty,
    /// The current expression, parent of the next one.
    at: Option<ExprId>,
    /// Whether the current pattern takes apart a value of unknown type, maybe behind a reference.
    lent: bool,
    /// Number of enclosing loops.
    loops: u16,
    /// Number of those loops that enclose the current closure, too.
    outside: u16,
}

/// Returns the generic parameters in scope of a function's body.
fn params(db: &Db<'static>, function: &Function) -> Vec<(Name, GArg)> {
    let generics = &function.body.signature.generics;
    let own = generics.params.iter().map(|p| {
        let arg = match p.kind {
            ParamKind::Type { .. } => {
                let sized = param_is_sized(generics, p.name);
                let ty = TyKind::Param(p.name, sized, function.item);
                GArg::Ty(db.types.intern(ty))
            }
            ParamKind::Const { .. } => GArg::Const(Box::new(Const::Param(p.name))),
        };
        (p.name, arg)
    });
    let mut list: Vec<_> = own.collect();
    list.extend(function.owner.map(|o| db.identity(o)).unwrap_or_default());
    list
}

/// Returns `Self` in a function.
fn self_ty(db: &Db<'static>, function: &Function) -> Option<Ty> {
    let owner = function.owner?;
    let data = db.item(owner);
    match &data.item.kind {
        ItemKind::Impl(imp) => {
            let params = db.identity(owner);
            let env = Env {
                module: data.module,
                params: &params,
                self_ty: None,
                item: Some(owner),
            };
            Some(db.lower(&imp.self_ty, &env))
        }
        ItemKind::Trait(_) => Some(
            db.types
                .intern(TyKind::Param(Name::new("Self"), false, owner)),
        ),
        _ => None,
    }
}

impl Infer<'_> {
    fn function(&mut self) {
        let body = &self.function.body;
        let declared = match &self.db.item(self.function.item).item.kind {
            ItemKind::Const(c) => Some(&c.ty),
            ItemKind::Static(ty, _) => Some(&**ty),
            _ => body.signature.output.as_ref(),
        };
        self.output = match declared {
            Some(ty) => self.lower(ty),
            None => self.db.types.unit(),
        };
        for (&pat, ty) in body.params.iter().zip(&body.signature.inputs) {
            let ty = self.lower(ty);
            let first = self.locals.len();
            self.pat(pat, ty, None);
            self.locals[first..]
                .iter_mut()
                .for_each(|l| l.argument = true);
        }
        for word in &body.unread {
            if let Some(value) = body.value {
                self.opaque.push((word.name, value));
                self.hidden.push((*word, value));
            }
        }
        if let Some(value) = body.value {
            self.expr(value, self.output);
        }
    }

    /// Lowers a type in the body.
    fn lower(&self, ty: &crate::ir::Type) -> Ty {
        use crate::ir::Type;
        // `impl Trait` is treated as a trait object.
        let shown;
        let ty = match ty {
            Type::Impl(bounds) => {
                shown = Type::Dyn(bounds.clone());
                &shown
            }
            ty => ty,
        };
        let lowered = self.db.lower(ty, &self.env());
        match ty {
            Type::Path(path) if self.is_unknown(lowered) => {
                self.adt_as_read(path).unwrap_or(lowered)
            }
            _ => lowered,
        }
    }

    /// Returns the environment in which types in the body are lowered.
    fn env(&self) -> Env<'_> {
        Env {
            module: self.function.module,
            params: &self.params,
            self_ty: self.self_ty,
            item: Some(self.function.item),
        }
    }

    fn unknown(&self) -> Ty {
        self.members.unknown
    }

    fn is_unknown(&self, ty: Ty) -> bool {
        is_open(self.db, ty)
    }

    /// Merges an inferred and an expected type: each fills the unknown parts of the other.
    fn join(&self, found: Ty, expected: Ty) -> Ty {
        let types = &self.db.types;
        if found == expected || self.is_unknown(expected) {
            return found;
        }
        match (types.kind(found), types.kind(expected)) {
            (TyKind::Unknown(_) | TyKind::Infer(_), _) => expected,
            (TyKind::Adt(a, xs), TyKind::Adt(b, ys)) if a == b => {
                let join = |(x, y): (&GArg, &GArg)| match (x, y) {
                    (GArg::Ty(x), GArg::Ty(y)) => GArg::Ty(self.join(*x, *y)),
                    (x, _) => x.clone(),
                };
                let args = xs.iter().zip(ys).map(join).collect();
                types.intern(TyKind::Adt(*a, args))
            }
            (TyKind::Ref(x, m), TyKind::Ref(y, _)) => {
                types.intern(TyKind::Ref(self.join(*x, *y), *m))
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) if xs.len() == ys.len() => {
                let list = xs.iter().zip(ys).map(|(x, y)| self.join(*x, *y)).collect();
                types.intern(TyKind::Tuple(list))
            }
            _ => found,
        }
    }

    fn std_is(&self, ty: Ty, name: &str) -> bool {
        is_std(self.db, ty, name)
    }

    /// Returns the first argument of a type, if it is one of these types of std.
    fn first_of(&self, ty: Ty, names: &[&str]) -> Option<Ty> {
        std_first(self.db, ty, names)
    }

    /// Returns the type behind references and raw pointers.
    fn peeled(&self, ty: Ty) -> Ty {
        let mut ty = ty;
        for _ in 0..8 {
            ty = match self.db.types.kind(ty) {
                TyKind::Ref(inner, _) | TyKind::Ptr(inner, _) => *inner,
                _ => break,
            };
        }
        ty
    }

    fn local(&self, name: Name) -> Option<u32> {
        self.scope.get(name)
    }

    fn fact_mut(&mut self, id: ExprId) -> &mut Fact {
        &mut self.facts[id.index()]
    }

    fn pat_mut(&mut self, id: PatId) -> &mut PatFact {
        &mut self.pats[id.index()]
    }

    /// Pairs the generic parameters of a definition with inference variables, numbered from `from`.
    fn holes(&self, params: &[Name], from: u32) -> Vec<(Name, GArg)> {
        let hole = |(i, name): (usize, &Name)| {
            let ty = self.db.types.intern(TyKind::Infer(from + i as u32));
            (*name, GArg::Ty(ty))
        };
        params.iter().enumerate().map(hole).collect()
    }

    /// Pairs generic parameters with what they are bound to, or unknown.
    fn filled(&self, params: &[Name], bound: &[Option<GArg>]) -> Vec<(Name, GArg)> {
        let fill = |(name, bound): (&Name, &Option<GArg>)| {
            let arg = bound.clone().unwrap_or(GArg::Ty(self.unknown()));
            (*name, arg)
        };
        params.iter().zip(bound).map(fill).collect()
    }

    /// Returns the names of an item's generic parameters, including const parameters, which are not
    /// inferred.
    fn type_params(&self, item: ItemId) -> Vec<Name> {
        let params = self.db.generics(item).map_or(&[][..], |g| &g.params);
        params.iter().map(|p| p.name).collect()
    }
}
