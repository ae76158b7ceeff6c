//! Types as a user writes them, outside any module: a path may begin anywhere.

use super::Analysis;
use crate::ir::{Arg, Args, Expr, ItemKind, ParamKind, Path, Type};
use crate::name::Name;
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Def, ItemId, ModId};

/// Maximum number of names that are suggested.
const MOST_NAMES: usize = 5;

/// Why a text is not a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoType {
    /// There is nothing of this name.
    Missing(String),
    /// Any other reason, as a sentence.
    Wrong(String),
}

pub(super) fn wrong<T>(text: impl Into<String>) -> Result<T, NoType> {
    Err(NoType::Wrong(text.into()))
}

impl Analysis<'static> {
    /// Returns the type that a text names, as a user writes it.
    ///
    /// # Errors
    /// The text is no type, nothing has this name, or several have it.
    pub fn named(&self, text: &str) -> Result<Ty, NoType> {
        // `sizes` prints const parameters in this form.
        let plain = text.replace("<const ", "<").replace(", const ", ", ");
        let source = (self.db.sources).add(format!("<{text}>").into(), plain.clone(), None);
        let ty = crate::lower::ty(&source, 0..plain.len());
        let ty = ty.map_err(|e| NoType::Wrong(format!("`{text}` is not a type: {}", e.message)))?;
        let reader = Reader {
            analysis: self,
            roots: self.selected().map(|krate| self.db.root(krate)).collect(),
        };
        let found = reader.ty(&ty)?;
        match unknown_part(self, found) {
            Some(why) => wrong(format!("`{text}` is unknown: {why}")),
            None => Ok(found),
        }
    }

    /// Returns the paths of types that are most similar to a name, best first; at most five.
    pub fn similar(&self, wrong: &str) -> Vec<&str> {
        let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_lowercase();
        let wanted = last(wrong);
        let likeness = |t: &str| strsim::jaro_winkler(&wanted, &last(t));
        let all = self.types().iter().map(|t| (likeness(&t.path), &*t.path));
        let mut near: Vec<_> = all.filter(|(likeness, _)| *likeness > 0.8).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.dedup();
        near.truncate(MOST_NAMES);
        near.into_iter().map(|(_, name)| name).collect()
    }
}

/// Resolves the names in a text.
pub(super) struct Reader<'m> {
    pub(super) analysis: &'m Analysis<'static>,
    /// The roots of the selected crates.
    pub(super) roots: Vec<ModId>,
}

impl Reader<'_> {
    fn ty(&self, ty: &Type) -> Result<Ty, NoType> {
        let types = &self.analysis.db.types;
        let list = |list: &[Type]| list.iter().map(|t| self.ty(t)).collect::<Result<_, _>>();
        Ok(types.intern(match ty {
            Type::Path(path) => return self.path(path),
            Type::Ref(to, mutable) => TyKind::Ref(self.ty(to)?, *mutable),
            Type::Ptr(to, mutable) => TyKind::Ptr(self.ty(to)?, *mutable),
            Type::Slice(of) => TyKind::Slice(self.ty(of)?),
            Type::Array(of, len) => TyKind::Array(self.ty(of)?, self.length(len)),
            Type::Tuple(of) => TyKind::Tuple(list(of)?),
            Type::Never => TyKind::Never,
            Type::FnPtr(inputs, output, qualifiers) => {
                let output = match output {
                    Some(output) => self.ty(output)?,
                    None => types.unit(),
                };
                TyKind::FnPtr(list(inputs)?, output, *qualifiers)
            }
            Type::Dyn(bounds) => {
                let mut traits = Vec::new();
                for bound in bounds {
                    let names = names(&bound.path);
                    if let Def::Item(id) = self.lookup(bound.path.global, &names, true)? {
                        traits.push(id);
                    }
                }
                TyKind::Dyn(traits.into(), Box::default(), Box::default())
            }
            other => return Ok(self.plain(other)),
        }))
    }

    /// Returns a type as the root of the first crate that can resolve it understands it.
    fn plain(&self, ty: &Type) -> Ty {
        let understood = |&root: &ModId| self.analysis.db.lower(ty, &Env::plain(root));
        let mut all = self.roots.iter().map(understood);
        let first = all.next();
        let known = |ty: &Ty| unknown_part(self.analysis, *ty).is_none();
        let best = first.filter(known).or_else(|| all.find(known)).or(first);
        best.unwrap_or_else(|| self.analysis.db.types.unit())
    }

    /// Returns the length of an array.
    fn length(&self, len: &Expr) -> Const {
        let db = self.analysis.db;
        let usize = db.types.prim(Prim::Usize);
        let lengths = self.roots.iter();
        let mut lengths = lengths.map(|&root| db.const_arg(len, usize, &Env::plain(root)));
        let first = lengths.next();
        match first {
            Some(Const::Unknown(why)) => {
                let known = lengths.find(|c| !matches!(c, Const::Unknown(_)));
                known.unwrap_or(Const::Unknown(why))
            }
            Some(known) => known,
            None => Const::Value(0),
        }
    }

    fn path(&self, path: &Path) -> Result<Ty, NoType> {
        let names = names(path);
        let item = match self.lookup(path.global, &names, false) {
            Ok(Def::Item(id)) => id,
            Ok(Def::Prim(prim)) => return Ok(self.analysis.db.types.prim(prim)),
            Ok(Def::Mod(_)) if names.len() == 1 && Prim::named(names[0].as_str()).is_some() => {
                return Ok(self.plain(&Type::Path(path.clone())));
            }
            Ok(Def::Variant(..)) => {
                return wrong(format!("`{}` is a variant, not a type", shown(&names)));
            }
            Ok(_) => return wrong(format!("`{}` is not a type", shown(&names))),
            // The path may name an associated type: `Foo::Item`.
            Err(fault @ NoType::Missing(_)) if names.len() > 1 => {
                let plain = self.plain(&Type::Path(path.clone()));
                return match unknown_part(self.analysis, plain) {
                    None => Ok(plain),
                    Some(_) => Err(fault),
                };
            }
            Err(fault) => return Err(fault),
        };
        if self.is_trait(item) {
            let name = shown(&names);
            return wrong(format!(
                "`{name}` is a trait; write `dyn {name}` for a type"
            ));
        }
        let args = path.segments.last().and_then(|s| s.args.as_deref());
        self.applied(item, &shown(&names), args)
    }

    /// Returns a type with its arguments; a parameter without an argument stays generic.
    fn applied(&self, item: ItemId, name: &str, args: Option<&Args>) -> Result<Ty, NoType> {
        let db = self.analysis.db;
        let given = args.map_or(&[][..], |args| &args.args);
        let params = db.generics(item).map_or(&[][..], |g| &g.params);
        if given.len() > params.len() {
            return wrong(format!(
                "`{name}` takes {}, not {}",
                match params.len() {
                    1 => "1 argument".to_owned(),
                    several => format!("{several} arguments"),
                },
                given.len()
            ));
        }
        let own = db.identity(item);
        let mut bound: Vec<(Name, GArg)> = Vec::new();
        let mut written = Args::default();
        for (i, param) in params.iter().enumerate() {
            let arg = match (&param.kind, given.get(i)) {
                (ParamKind::Type { .. }, Some(Arg::Type(ty))) => match self.ty(ty) {
                    Ok(ty) => GArg::Ty(ty),
                    Err(NoType::Missing(_)) if is_name(ty, param.name) => own[i].1.clone(),
                    Err(fault) => return Err(fault),
                },
                (ParamKind::Const { .. }, Some(Arg::Type(ty))) if is_name(ty, param.name) => {
                    own[i].1.clone()
                }
                (_, Some(as_written)) => {
                    written.args.push(as_written.clone());
                    continue;
                }
                (ParamKind::Type { default, .. }, None) if default.is_none() => own[i].1.clone(),
                (ParamKind::Const { default, .. }, None) if default.is_none() => own[i].1.clone(),
                (_, None) => break,
            };
            let name = Name::new(&format!("__Argument{i}"));
            bound.push((name, arg));
            let path = Path::of_name(name, db.item(item).item.name_span);
            written.args.push(Arg::Type(Type::Path(path)));
        }
        let env = Env {
            params: &bound,
            ..Env::plain(self.roots[0])
        };
        Ok(db.lower_item(item, Some(&written), &env))
    }

    pub(super) fn is_trait(&self, id: ItemId) -> bool {
        matches!(self.analysis.db.item(id).item.kind, ItemKind::Trait(_))
    }
}

fn names(path: &Path) -> Vec<Name> {
    path.segments.iter().map(|s| s.name).collect()
}

pub(super) fn shown(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
    names.join("::")
}

/// Returns true for a type that consists of this name alone.
fn is_name(ty: &Type, name: Name) -> bool {
    matches!(ty, Type::Path(path) if matches!(&path.segments[..], [only] if only.name == name))
}

/// Returns why a part of a type is unknown.
fn unknown_part(analysis: &Analysis<'static>, ty: Ty) -> Option<String> {
    let of_const = |c: &Const| match c {
        Const::Unknown(why) => Some(analysis.reason(why)),
        _ => None,
    };
    let below = |ty: Ty| unknown_part(analysis, ty);
    match analysis.db.types.kind(ty) {
        TyKind::Unknown(why) => Some(analysis.reason(why)),
        TyKind::Adt(_, args) => args.iter().find_map(|arg| match arg {
            GArg::Ty(ty) => below(*ty),
            GArg::Const(c) => of_const(c),
        }),
        TyKind::Ref(to, _) | TyKind::Ptr(to, _) | TyKind::Slice(to) => below(*to),
        TyKind::Array(of, len) => of_const(len).or_else(|| below(*of)),
        TyKind::Tuple(list) => list.iter().find_map(|ty| below(*ty)),
        _ => None,
    }
}
