//! Infers closures, whose parameter types come from the call that they are passed to.

use super::Infer;
use crate::ir::body::{ExprId, PatId};
use crate::ir::{self, Args, Bound, ParamKind, Type};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::types::names_param;

impl<'i> Infer<'i> {
    pub(super) fn closure(
        &mut self,
        inputs: &'i [(PatId, Option<Type>)],
        output: Option<Ty>,
        value: ExprId,
        expected: Ty,
    ) -> Ty {
        let (wanted, gives) = match self.db.types.kind(expected) {
            TyKind::FnPtr(inputs, output, _) => (inputs.to_vec(), *output),
            _ => (Vec::new(), self.unknown()),
        };
        let gives = output.unwrap_or(gives);
        let mut types = Vec::with_capacity(inputs.len());
        let value = self.isolated(gives, |s| {
            for (i, (pat, ty)) in inputs.iter().enumerate() {
                let wanted = wanted.get(i).copied().unwrap_or(s.unknown());
                let ty = match ty {
                    Some(ty) => {
                        let declared = s.lower(ty);
                        s.join(declared, wanted)
                    }
                    None => wanted,
                };
                s.pat(*pat, ty, None);
                types.push(ty);
            }
            s.expr(value, gives)
        });
        self.db
            .types
            .intern(TyKind::FnPtr(types.into(), value, None))
    }

    /// Infers a call of a closure or function pointer.
    pub(super) fn call_value(&mut self, callee: ExprId, args: &[ExprId]) -> Ty {
        let ty = self.any(callee);
        match self.db.types.kind(self.peeled(ty)) {
            TyKind::FnPtr(inputs, output, _) => {
                let (inputs, output) = (inputs.clone(), *output);
                for (i, &arg) in args.iter().enumerate() {
                    let wanted = inputs.get(i).copied().unwrap_or(self.unknown());
                    self.expr(arg, wanted);
                }
                output
            }
            _ => self.unasked(args),
        }
    }

    /// Converts `Fn(A) -> B` to a function pointer type.
    pub(super) fn fn_type(&self, args: &Args, lower: &dyn Fn(&Type) -> Ty) -> Ty {
        let inputs = args.args.iter().map(|a| match a {
            ir::Arg::Type(ty) => lower(ty),
            ir::Arg::Const(_) => self.unknown(),
        });
        let inputs = inputs.collect();
        let output = args.output.as_ref().map_or(self.unknown(), lower);
        self.db.types.intern(TyKind::FnPtr(inputs, output, None))
    }
}

/// Returns the `Fn` bound's arguments for a parameter whose type is a closure.
pub(super) fn closure_bounds<'t>(ty: &'t Type, generics: &'t ir::Generics) -> Option<&'t Args> {
    let of = |bounds: &'t [Bound]| {
        bounds.iter().find_map(|b| {
            let last = b.path.segments.last()?;
            let args = last.args.as_deref()?;
            args.output.is_some().then_some(args)
        })
    };
    match ty {
        Type::Impl(bounds) => of(bounds),
        Type::Path(path) if path.segments.len() == 1 => {
            let name = path.segments[0].name;
            let own = generics.params.iter().filter(|p| p.name == name);
            let mut own = own.filter_map(|p| match &p.kind {
                ParamKind::Type { bounds, .. } => of(bounds),
                ParamKind::Const { .. } => None,
            });
            own.next().or_else(|| {
                let wheres = generics.wheres.iter();
                let mut wheres = wheres.filter(|w| names_param(&w.ty, name));
                wheres.find_map(|w| of(&w.bounds))
            })
        }
        _ => None,
    }
}
