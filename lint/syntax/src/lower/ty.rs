//! Lowers types, paths and generic parameters from syn's tree.

use super::chunk::Chunk;
use crate::ir::{
    Arg, Args, Bound, Generics, MacroCall, Param, ParamKind, Path, Segment, Type, Where,
};
use crate::name::Name;
use proc_macro2::Span as SynSpan;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// Returns the name of an identifier.
pub(super) fn name(ident: &syn::Ident) -> Name {
    Name::new(&ident.to_string())
}

/// Returns true if one of the attributes is a `cfg` or `cfg_attr`.
pub(super) fn configured(attrs: &[syn::Attribute]) -> bool {
    attrs
        .iter()
        .any(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr"))
}

impl Chunk<'_> {
    /// Returns the source span from the first to the last of two of syn's spans.
    pub(super) fn place(&self, first: SynSpan, last: SynSpan) -> crate::span::Span {
        let first = self.tokens_of(first).0;
        let last = self.tokens_of(last).1;
        self.tokens.span(first..last + 1)
    }

    pub(super) fn ty(&self, ty: &syn::Type) -> Type {
        match ty {
            syn::Type::Array(t) => {
                Type::Array(Box::new(self.ty(&t.elem)), Box::new(self.expr(&t.len)))
            }
            syn::Type::FnPtr(t) => {
                let inputs = t.inputs.iter().map(|a| self.ty(&a.ty)).collect();
                let output = match &t.output {
                    syn::ReturnType::Default => None,
                    syn::ReturnType::Type(_, t) => Some(Box::new(self.ty(t))),
                };
                let abi = t
                    .abi
                    .as_ref()
                    .map(|abi| abi.name.as_ref().map(syn::LitStr::value));
                let abi = abi.as_ref().map(|name| name.as_deref());
                let qualifiers =
                    crate::ir::qualifiers(t.unsafety.is_some(), abi, t.variadic.is_some());
                Type::FnPtr(inputs, output, qualifiers)
            }
            syn::Type::Group(t) => self.ty(&t.elem),
            syn::Type::Paren(t) => self.ty(&t.elem),
            syn::Type::ImplTrait(t) => Type::Impl(self.bounds(&t.bounds)),
            syn::Type::Infer(_) => Type::Infer,
            syn::Type::Macro(t) => Type::Macro(Box::new(self.macro_call(&t.mac))),
            syn::Type::Never(_) => Type::Never,
            syn::Type::Path(t) => match &t.qself {
                None => Type::Path(self.path(&t.path)),
                Some(qself) => {
                    let (ty, path, rest) = self.qualified(qself, &t.path);
                    Type::Qualified(ty, path, rest)
                }
            },
            syn::Type::Ptr(t) => {
                let mutable = matches!(t.mutability, syn::PointerMutability::Mut(_));
                Type::Ptr(Box::new(self.ty(&t.elem)), mutable)
            }
            syn::Type::Reference(t) => {
                Type::Ref(Box::new(self.ty(&t.elem)), t.mutability.is_some())
            }
            syn::Type::Slice(t) => Type::Slice(Box::new(self.ty(&t.elem))),
            syn::Type::TraitObject(t) => self.trait_object(t),
            syn::Type::Tuple(t) => Type::Tuple(t.elems.iter().map(|t| self.ty(t)).collect()),
            syn::Type::Verbatim(_) => Type::Other("syntax that is not read"),
            _ => Type::Other("new syntax"),
        }
    }

    fn trait_object(&self, object: &syn::TypeTraitObject) -> Type {
        let known = |b: &syn::TypeParamBound| {
            matches!(
                b,
                syn::TypeParamBound::Trait(_) | syn::TypeParamBound::Lifetime(_)
            )
        };
        if !object.bounds.iter().all(known) {
            return Type::Other("a bound that is not read");
        }
        let mut bounds = self.bounds(&object.bounds);
        match bounds.pop() {
            // Without `dyn`, a lone path may be any type: name resolution decides.
            Some(only) if bounds.is_empty() && object.dyn_token.is_none() && !only.maybe => {
                Type::Path(only.path)
            }
            Some(last) => {
                bounds.push(last);
                Type::Dyn(bounds)
            }
            None => Type::Other("a trait object without a trait"),
        }
    }

    /// Splits `<T as Trait>::rest` into its three parts.
    pub(super) fn qualified(
        &self,
        qself: &syn::QSelf,
        path: &syn::Path,
    ) -> (Box<Type>, Option<Box<Path>>, Vec<Segment>) {
        let ty = Box::new(self.ty(&qself.ty));
        let segments: Vec<&syn::PathSegment> = path.segments.iter().collect();
        let (of_trait, rest) = segments.split_at(qself.position.min(segments.len()));
        let trait_ = (!of_trait.is_empty()).then(|| Box::new(self.path_of(path, of_trait)));
        (ty, trait_, rest.iter().map(|s| self.segment(s)).collect())
    }

    pub(super) fn path(&self, path: &syn::Path) -> Path {
        let segments: Vec<&syn::PathSegment> = path.segments.iter().collect();
        self.path_of(path, &segments)
    }

    fn path_of(&self, path: &syn::Path, segments: &[&syn::PathSegment]) -> Path {
        let call_site = SynSpan::call_site();
        let first = match (&path.leading_colon, segments.first()) {
            (Some(colon), _) => colon.spans[0],
            (None, Some(s)) => s.ident.span(),
            (None, None) => call_site,
        };
        let last = segments.last().map_or(call_site, |s| match &s.arguments {
            syn::PathArguments::None => s.ident.span(),
            syn::PathArguments::AngleBracketed(a) => a.gt_token.span,
            syn::PathArguments::Parenthesized(a) => match &a.output {
                syn::ReturnType::Default => a.paren_token.span.close(),
                syn::ReturnType::Type(_, ty) => ty.span(),
            },
        });
        Path {
            global: path.leading_colon.is_some(),
            segments: segments.iter().map(|s| self.segment(s)).collect(),
            span: self.place(first, last),
        }
    }

    fn segment(&self, segment: &syn::PathSegment) -> Segment {
        let args = match &segment.arguments {
            syn::PathArguments::None => None,
            syn::PathArguments::AngleBracketed(a) => self.args(a),
            syn::PathArguments::Parenthesized(a) => Some(Box::new(Args {
                args: a.inputs.iter().map(|t| Arg::Type(self.ty(&t.ty))).collect(),
                assoc: Vec::new(),
                output: Some(self.output(&a.output)),
            })),
        };
        Segment {
            name: name(&segment.ident),
            args,
        }
    }

    /// Lowers the return type of a function, `()` by default.
    pub(super) fn output(&self, output: &syn::ReturnType) -> Type {
        match output {
            syn::ReturnType::Default => Type::Tuple(Vec::new()),
            syn::ReturnType::Type(_, ty) => self.ty(ty),
        }
    }

    /// Lowers generic arguments; `None` if they are all lifetimes.
    pub(super) fn args(&self, generic: &syn::AngleBracketedGenericArguments) -> Option<Box<Args>> {
        let mut args = Args::default();
        for arg in &generic.args {
            match arg {
                syn::GenericArgument::Type(t) => args.args.push(Arg::Type(self.ty(t))),
                syn::GenericArgument::Const(e) => args.args.push(Arg::Const(self.expr(e))),
                syn::GenericArgument::AssocType(a) => {
                    args.assoc.push((name(&a.ident), self.ty(&a.ty)));
                }
                // Lifetimes, and constraints: bounds and associated constants.
                _ => {}
            }
        }
        args.args.shrink_to_fit();
        args.assoc.shrink_to_fit();
        (!args.args.is_empty() || !args.assoc.is_empty()).then(|| Box::new(args))
    }

    pub(super) fn bounds(
        &self,
        bounds: &Punctuated<syn::TypeParamBound, syn::Token![+]>,
    ) -> Vec<Bound> {
        let of_trait = bounds.iter().filter_map(|b| match b {
            syn::TypeParamBound::Trait(b) => Some(b),
            _ => None,
        });
        of_trait
            .map(|b| Bound {
                path: self.path(&b.path),
                maybe: b.maybe.is_some(),
            })
            .collect()
    }

    pub(super) fn generics(&self, generics: &syn::Generics) -> Generics {
        let mut params = Vec::new();
        for param in &generics.params {
            let (attrs, ident, kind) = match param {
                syn::GenericParam::Lifetime(_) => continue,
                syn::GenericParam::Type(p) => {
                    let bounds = self.bounds(&p.bounds);
                    let default = p.default.as_ref().map(|(_, t)| self.ty(t));
                    (&p.attrs, &p.ident, ParamKind::Type { bounds, default })
                }
                syn::GenericParam::Const(p) => {
                    let ty = self.ty(&p.ty);
                    let default = p.default.as_ref().map(|(_, e)| self.boxed(e));
                    (&p.attrs, &p.ident, ParamKind::Const { ty, default })
                }
            };
            params.push(Param {
                name: name(ident),
                attrs: self.attrs(attrs),
                kind,
            });
        }
        let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates);
        let wheres = predicates.filter_map(|p| match p {
            syn::WherePredicate::Type(p) => Some(Where {
                ty: self.ty(&p.bounded_ty),
                bounds: self.bounds(&p.bounds),
            }),
            _ => None,
        });
        Generics {
            params,
            wheres: wheres.collect(),
            lifetimes: generics.lifetimes().next().is_some(),
        }
    }

    pub(super) fn macro_call(&self, mac: &syn::Macro) -> MacroCall {
        let path = self.path(&mac.path);
        let (open, _) = self.tokens_of(mac.delimiter.span().open());
        let close = self.tokens.list[open].mate as usize;
        let end = self.tokens.span(close..close + 1);
        MacroCall {
            args: self.tokens.inside(open),
            span: path.span.to(end),
            path,
            quiet: false,
        }
    }
}
