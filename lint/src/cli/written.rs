//! Resolves the types that a user writes on the command line.

mod lookup;

use super::{Terminal, read};
use crate::ir::{Arg, Args, Expr, ItemKind, ParamKind, Path, Type};
use crate::model::Model;
use crate::name::Name;
use crate::project::{Member, Selection};
use crate::resolve::ty::{Const, GArg, Prim, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Def, ItemId, ModId};
use std::rc::Rc;

/// Maximum number of names that are suggested.
const MOST_NAMES: usize = 5;

/// A type that the user named, with the model that has it.
pub(super) struct Asked {
    pub model: Rc<Model<'static>>,
    /// The type, or why there is none.
    pub ty: Result<Ty, String>,
}

/// Finds types in the selected packages and, if no package is selected by name, in the rest of the
/// workspace.
///
/// # Errors
/// The workspace cannot be read.
pub(super) fn find_all(
    terminal: &Terminal,
    selection: &Selection,
    types: &[String],
) -> Result<(Rc<Model<'static>>, Vec<Asked>), String> {
    let model = Rc::new(read(terminal, selection)?);
    let mut whole: Option<Rc<Model<'static>>> = None;
    let mut list = Vec::with_capacity(types.len());
    for text in types {
        let mut asked = Asked {
            ty: Err(String::new()),
            model: model.clone(),
        };
        asked.ty = match find(&model, text) {
            Ok(ty) => Ok(ty),
            Err(Fault::Wrong(message)) => Err(message),
            Err(Fault::Missing(name)) => {
                if whole.is_none() && may_widen(&model, selection) {
                    let wide = Selection {
                        workspace: true,
                        ..selection.clone()
                    };
                    whole = Some(Rc::new(read(terminal, &wide)?));
                }
                let in_whole = whole.as_ref().map(|wide| (wide, find(wide, text)));
                match in_whole {
                    Some((wide, Ok(ty))) => {
                        terminal.note(&format!(
                            "`{name}` is in another package of the workspace: the sizes of `{text}` \
                             are those with `--workspace`"
                        ));
                        asked.model = wide.clone();
                        Ok(ty)
                    }
                    Some((_, Err(Fault::Wrong(message)))) => Err(message),
                    Some((wide, Err(Fault::Missing(name)))) => Err(missing(wide, &name)),
                    None => Err(missing(&model, &name)),
                }
            }
        };
        list.push(asked);
    }
    Ok((model, list))
}

/// Returns true if the workspace has packages that are not selected, and no package was selected by
/// name.
pub(super) fn may_widen(model: &Model<'static>, selection: &Selection) -> bool {
    let project = model.db.project;
    let selected = project.selected_packages();
    let is_left_out = |m: &Member| !selected.contains(&*m.package_id);
    let named = selection.workspace || !selection.packages.is_empty();
    !named && project.members.iter().any(is_left_out)
}

/// Why a text is not a type.
enum Fault {
    /// There is nothing of this name.
    Missing(String),
    /// Any other error message.
    Wrong(String),
}

fn wrong<T>(text: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(text.into()))
}

/// Returns the type that a text names.
fn find(model: &Model<'static>, text: &str) -> Result<Ty, Fault> {
    // `sizes` prints const parameters in this form.
    let plain = text.replace("<const ", "<").replace(", const ", ", ");
    let source = (model.db.sources).add(format!("<{text}>").into(), plain.clone(), None);
    let ty = crate::lower::ty(&source, 0..plain.len());
    let ty = ty.map_err(|e| Fault::Wrong(format!("`{text}` is not a type: {}", e.message)))?;
    let reader = Reader {
        model,
        roots: model.selected().map(|krate| model.db.root(krate)).collect(),
    };
    let found = reader.ty(&ty)?;
    match unknown_part(model, found) {
        Some(why) => wrong(format!("`{text}` is unknown: {why}")),
        None => Ok(found),
    }
}

/// Resolves the names in a text.
struct Reader<'m> {
    model: &'m Model<'static>,
    /// The roots of the selected crates.
    roots: Vec<ModId>,
}

impl Reader<'_> {
    fn ty(&self, ty: &Type) -> Result<Ty, Fault> {
        let types = &self.model.db.types;
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
        let understood = |&root: &ModId| self.model.db.lower(ty, &Env::plain(root));
        let mut all = self.roots.iter().map(understood);
        let first = all.next();
        let known = |ty: &Ty| unknown_part(self.model, *ty).is_none();
        let best = first.filter(known).or_else(|| all.find(known)).or(first);
        best.unwrap_or_else(|| self.model.db.types.unit())
    }

    /// Returns the length of an array.
    fn length(&self, len: &Expr) -> Const {
        let db = self.model.db;
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

    fn path(&self, path: &Path) -> Result<Ty, Fault> {
        let names = names(path);
        let item = match self.lookup(path.global, &names, false) {
            Ok(Def::Item(id)) => id,
            Ok(Def::Prim(prim)) => return Ok(self.model.db.types.prim(prim)),
            Ok(Def::Mod(_)) if names.len() == 1 && Prim::named(names[0].as_str()).is_some() => {
                return Ok(self.plain(&Type::Path(path.clone())));
            }
            Ok(Def::Variant(..)) => {
                return wrong(format!("`{}` is a variant, not a type", shown(&names)));
            }
            Ok(_) => return wrong(format!("`{}` is not a type", shown(&names))),
            // The path may name an associated type: `Foo::Item`.
            Err(fault @ Fault::Missing(_)) if names.len() > 1 => {
                let plain = self.plain(&Type::Path(path.clone()));
                return match unknown_part(self.model, plain) {
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
    fn applied(&self, item: ItemId, name: &str, args: Option<&Args>) -> Result<Ty, Fault> {
        let db = self.model.db;
        let given = args.map_or(&[][..], |args| &args.args);
        let params = db.generics(item).map_or(&[][..], |g| &g.params);
        if given.len() > params.len() {
            return wrong(format!(
                "`{name}` takes {}, not {}",
                crate::report::count(params.len(), "argument"),
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
                    Err(Fault::Missing(_)) if is_name(ty, param.name) => own[i].1.clone(),
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

    fn is_trait(&self, id: ItemId) -> bool {
        matches!(self.model.db.item(id).item.kind, ItemKind::Trait(_))
    }
}

fn names(path: &Path) -> Vec<Name> {
    path.segments.iter().map(|s| s.name).collect()
}

fn shown(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
    names.join("::")
}

/// Returns true for a type that consists of this name alone.
fn is_name(ty: &Type, name: Name) -> bool {
    matches!(ty, Type::Path(path) if matches!(&path.segments[..], [only] if only.name == name))
}

/// Returns why a part of a type is unknown.
fn unknown_part(model: &Model<'static>, ty: Ty) -> Option<String> {
    let of_const = |c: &Const| match c {
        Const::Unknown(why) => Some(model.reason(why)),
        _ => None,
    };
    let below = |ty: Ty| unknown_part(model, ty);
    match model.db.types.kind(ty) {
        TyKind::Unknown(why) => Some(model.reason(why)),
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

/// Returns the error for a missing type, with the most similar names.
fn missing(model: &Model<'static>, wrong: &str) -> String {
    format!("there is no type `{wrong}`{}", nearest(model, wrong))
}

/// Returns the names most similar to one that does not exist.
pub(super) fn nearest(model: &Model<'static>, wrong: &str) -> String {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_lowercase();
    let wanted = last(wrong);
    let mut near: Vec<(f64, &str)> = model
        .types()
        .iter()
        .map(|t| {
            (
                strsim::jaro_winkler(&wanted, &last(&t.path)),
                t.path.as_str(),
            )
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.truncate(MOST_NAMES);
    match near.is_empty() {
        true => "\nhelp: `cargo weigh sizes` lists all types".to_owned(),
        false => {
            let names: Vec<_> = near.iter().map(|(_, name)| format!("  {name}")).collect();
            format!("; similar names are:\n{}", names.join("\n"))
        }
    }
}
