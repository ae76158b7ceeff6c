//! Renders types as text for error messages and drawings.

use super::ty::{Const, GArg, Ty, TyKind};
use super::types::Env;
use super::{Db, ItemId};
use crate::ir::ParamKind;

/// Levels of arguments that are rendered: a recursively growing type would never end.
const DEEPEST: u32 = 4;

impl<'a> Db<'a> {
    /// Renders a type as Rust source with unqualified names; deep nesting is elided.
    pub fn display(&self, ty: Ty) -> String {
        self.display_within(ty, DEEPEST)
    }

    fn display_within(&self, ty: Ty, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return "…".to_owned();
        };
        let show = |ty: Ty| self.display_within(ty, depth);
        let list = |tys: &[Ty]| {
            let shown: Vec<_> = tys.iter().map(|t| show(*t)).collect();
            shown.join(", ")
        };
        let arg = |arg: &GArg| match arg {
            GArg::Ty(ty) => show(*ty),
            GArg::Const(c) => display_const(c),
        };
        match self.types.kind(ty) {
            TyKind::Prim(p) => p.name().to_owned(),
            TyKind::Never => "!".to_owned(),
            TyKind::Adt(id, args) => {
                let name = self.item(*id).item.name;
                let args: Vec<_> = self.without_defaults(*id, args).iter().map(arg).collect();
                match args.is_empty() {
                    true => name.to_string(),
                    false => format!("{name}<{}>", args.join(", ")),
                }
            }
            TyKind::Foreign(id) => self.item(*id).item.name.to_string(),
            TyKind::Ref(to, true) => format!("&mut {}", show(*to)),
            TyKind::Ref(to, false) => format!("&{}", show(*to)),
            TyKind::Ptr(to, true) => format!("*mut {}", show(*to)),
            TyKind::Ptr(to, false) => format!("*const {}", show(*to)),
            TyKind::Slice(of) => format!("[{}]", show(*of)),
            TyKind::Array(of, n) => format!("[{}; {}]", show(*of), display_const(n)),
            TyKind::Tuple(tys) if tys.len() == 1 => format!("({},)", list(tys)),
            TyKind::Tuple(tys) => format!("({})", list(tys)),
            TyKind::FnPtr(inputs, output, _) if *output == self.types.unit() => {
                format!("fn({})", list(inputs))
            }
            TyKind::FnPtr(inputs, output, _) => {
                format!("fn({}) -> {}", list(inputs), show(*output))
            }
            TyKind::Dyn(traits, ..) => {
                let names: Vec<_> = traits
                    .iter()
                    .map(|t| self.item(*t).item.name.as_str())
                    .collect();
                format!("dyn {}", names.join(" + "))
            }
            TyKind::Param(name, ..) => name.to_string(),
            TyKind::Proj(of, _, name, _) => format!("{}::{name}", show(*of)),
            TyKind::Written(question) => format!("{}::{}", show(question.self_ty), question.name),
            TyKind::Infer(_) => "_".to_owned(),
            TyKind::Unknown(_) => "?".to_owned(),
        }
    }

    /// Returns the arguments up to the last one that differs from its default.
    fn without_defaults<'g>(&self, id: ItemId, args: &'g [GArg]) -> &'g [GArg] {
        let params = self.generics(id).map_or(&[][..], |g| &g.params);
        let mut left = args;
        while let Some((arg, rest)) = left.split_last() {
            let Some(ParamKind::Type {
                default: Some(default),
                ..
            }) = params.get(rest.len()).map(|p| &p.kind)
            else {
                break;
            };
            let bound = self.bind(id, rest);
            let env = Env {
                params: &bound,
                ..Env::plain(self.item(id).module)
            };
            if *arg != GArg::Ty(self.lower(default, &env)) {
                break;
            }
            left = rest;
        }
        left
    }
}

fn display_const(c: &Const) -> String {
    match c {
        Const::Value(n) => n.to_string(),
        Const::Param(name) => name.to_string(),
        Const::Infer(_) | Const::Unknown(_) => "?".to_owned(),
    }
}
