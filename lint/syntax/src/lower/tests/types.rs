//! Types, expressions and function bodies.

use super::*;
use crate::ir::{Arg, Expr, Lit, Pat, Stmt};

fn ty_of(text: &str) -> Type {
    ty(&source(text), 0..text.len()).unwrap()
}

fn expr_of(text: &str) -> Expr {
    expr(&source(text), 0..text.len()).unwrap()
}

#[test]
fn types_of_every_kind() {
    assert!(matches!(ty_of("((!))"), Type::Never));
    assert!(matches!(ty_of("&'a mut [u8]"), Type::Ref(t, true) if matches!(*t, Type::Slice(_))));
    assert!(
        matches!(ty_of("*const (dyn A + Send)"), Type::Ptr(t, false) if matches!(*t, Type::Dyn(_)))
    );
    assert!(matches!(ty_of("dyn for<'a> A<'a> + 'static + Send"), Type::Dyn(b) if b.len() == 2));
    assert!(matches!(ty_of("dyn Any"), Type::Dyn(b) if b.len() == 1));
    assert!(matches!(ty_of("Any"), Type::Path(_)));
    assert!(matches!(ty_of("Any + Send"), Type::Dyn(b) if b.len() == 2));
    assert!(matches!(ty_of("impl A + ?Sized"), Type::Impl(b) if b[1].maybe));
    assert!(
        matches!(ty_of("unsafe extern \"C\" fn(a: u8, ...) -> !"), Type::FnPtr(i, Some(_), Some(_)) if i.len() == 1)
    );
    assert!(matches!(ty_of("m::n![a, b]"), Type::Macro(_)));
    assert!(matches!(ty_of("(A,)"), Type::Tuple(t) if t.len() == 1));
    assert!(matches!(ty_of("_"), Type::Infer));
    let Type::Qualified(_, Some(of), rest) = ty_of("<Vec<T> as a::B<u8>>::C::D") else {
        panic!()
    };
    assert_eq!((of.segments.len(), rest.len()), (2, 2));
    assert!(matches!(ty_of("<T>::C"), Type::Qualified(_, None, _)));
    let Type::Path(path) = ty_of("A<'a, T, 3, -4, { N }, B = u8, C: D, [u8; 2]>") else {
        panic!()
    };
    let args = path.segments[0].args.as_ref().unwrap();
    assert_eq!((args.args.len(), args.assoc.len()), (5, 1));
    assert!(matches!(&args.args[2], Arg::Const(Expr::Unary('-', _))));
    assert!(matches!(&args.args[3], Arg::Const(Expr::Block(..))));
    read("enum E { Fn(u8), A, Fn(B), FnMut { a: u8 } } const C: E = f(a, Fn(1));");
    read("struct S { a: Box<A<B, Fn(u8) -> u8>>, b: &'static Fn(), c: u8 }");
    // Of the crate `duplicate`, whose attribute replaces them.
    read("struct S { a: A, pub b: referred([B]), c: u8 } fn f(a: referred([B])) -> of(A) { a }");
    // Trait objects of edition 2015.
    read("type A<'a, B> = Fn(B) -> u8 + 'a; type C = FnMut();");
    for text in [
        "Fn(A, B) -> C",
        "&'a Fn()",
        "&mut ::std::ops::FnMut(A)",
        "*const for<'a> Fn(&'a A)",
    ] {
        let shown = format!("{:?}", ty_of(text));
        assert!(shown.contains("Dyn("), "{text}: {shown}");
    }
    let Type::Path(path) = ty_of("Box<Fn(A, B) -> C + Send>") else {
        panic!()
    };
    let Arg::Type(Type::Dyn(bounds)) = &path.segments[0].args.as_ref().unwrap().args[0] else {
        panic!()
    };
    assert_eq!((bounds.len(), bounds[0].path.span.range()), (2, 4..17));
    assert!(ty(&source("A B"), 0..3).is_err() && ty(&source(""), 0..0).is_err());
    assert!(ty(&source("é"), 0..1).is_err());
}

#[test]
fn a_part_of_a_text_keeps_its_offsets() {
    let text = "struct A(/* é */ Option<B>);";
    let range = text.find("Option").unwrap()..text.find(')').unwrap();
    let Type::Path(path) = ty(&source(text), range.clone()).unwrap() else {
        panic!()
    };
    assert_eq!(path.span.range(), range);
}

#[test]
fn generics_without_lifetimes() {
    let file = read("struct S<'a, T: 'a + A<B> + ?Sized, const N: usize = { 1 + 2 }, #[cfg(x)] U = [T; N]>(&'a T)
        where for<'b> T: C<'b>, 'a: 'static, Vec<T>: D;");
    let generics = &adt(&file.items[0]).generics;
    let names: Vec<&str> = generics.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["T", "N", "U"]);
    assert_eq!(generics.wheres.len(), 2);
    assert!(generics.params[2].attrs.cfg.is_some());
    let ir::ParamKind::Type { bounds, .. } = &generics.params[0].kind else {
        panic!()
    };
    assert_eq!(bounds.len(), 2);
}

#[test]
fn literals_have_their_values() {
    let int = |n: u128, s: Option<&str>| Expr::Lit(Lit::Int(n.into(), s.map(Name::new)));
    for (text, value) in [
        ("0", int(0, None)),
        ("0xFFu8", int(255, Some("u8"))),
        ("1_000", int(1000, None)),
        ("0b11_u16", int(3, Some("u16"))),
        (
            "340282366920938463463374607431768211455",
            int(u128::MAX, None),
        ),
        (
            "340282366920938463463374607431768211456",
            Expr::Other("a literal out of range"),
        ),
        ("b'a'", int(97, Some("u8"))),
        ("1f32", Expr::Lit(Lit::Float(Name::new("1f32")))),
        ("'\\u{e9}'", Expr::Lit(Lit::Char('é'))),
        ("\"a\\\"b\"", Expr::Lit(Lit::Str("a\"b".to_owned()))),
        ("r#\"a\"b\"#", Expr::Lit(Lit::Str("a\"b".to_owned()))),
        ("c\"a\"", Expr::Lit(Lit::Bytes(b"a\0".to_vec()))),
    ] {
        assert_eq!(expr_of(text), value, "{text}");
        // Values read without syn must equal those read with it.
        let file = read(&format!("const X: u8 = {text}; const Y: u8 = ({text});"));
        let values: Vec<Option<&Expr>> = file
            .items
            .iter()
            .map(|i| match &i.kind {
                ItemKind::Const(c) => c.value.as_deref(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(values[0], values[1], "{text}");
        assert_eq!(values[0], Some(&value));
    }
}

#[test]
fn what_cannot_be_evaluated_says_so() {
    for text in [
        "|x| x",
        "a..b",
        "x?",
        "S { a: 1, ..s }",
        "f(&mut x)",
        "{ #[cfg(a)] { 1 } #[cfg(not(a))] { 2 } }",
        "match a { #[cfg(a)] _ => 1, _ => 2 }",
        "{ #[cfg(a)] x += 1; x }",
        "[#[cfg(a)] 1, 2]",
    ] {
        let shown = format!("{:?}", expr_of(text));
        assert!(shown.contains("Other("), "{text}: {shown}");
    }
    let shown = format!("{:?}", expr_of("{ struct A; 1 }"));
    assert!(shown.contains("has_items: true"), "{shown}");
    for text in [
        "if a { 1 } else if let Some(x) = y && z { 2 } else { 3 }",
        "A::<u8>::B.c::<D>(1).0[2]",
        "match x { 0 | 1 => 2, 3..=4 if y => 5, (A(_), -1) => 6, _ => { 7 } }",
        "{ let mut i = 0; while i < 3 { i += 1; } i }",
        "&[0u8; size_of::<T>() * 2] as *const u8",
        "<T as A>::B",
        "unsafe { *p }",
        "m!(x)",
        "const { 1 }",
        "return 1",
        "f(a, [b], S { c })",
        "'a: loop { break 'a 1; }",
        "{ let Some(x) = y else { return }; x }",
    ] {
        let shown = format!("{:?}", expr_of(text));
        assert!(!shown.contains("Other("), "{text}: {shown}");
    }
    let Expr::Match(_, arms) = expr_of("match x { 0 | 1 => 2, _ => 3 }") else {
        panic!()
    };
    assert!(matches!(&arms[0].0, Pat::Or(p) if p.len() == 2));
}

#[test]
fn functions_are_read_whole() {
    let text = "impl A { pub const fn f<T: B>(&self, (x, y): (u8, u8), n: usize) -> Vec<T>
        { let a: u8 = !0; a } const fn g(self: Box<Self>); }";
    let src = source(text);
    let file = file(&src, true);
    let ItemKind::Impl(i) = &file.items[0].kind else {
        panic!()
    };
    let f = function(&src, function_of(&i.items[0])).unwrap();
    let names: Vec<&str> = f.inputs.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["self", "_", "n"]);
    assert!(matches!(&f.inputs[0].1, Type::Ref(..)));
    assert_eq!(f.generics.params.len(), 1);
    // The literal gets its type from the annotation.
    assert!(matches!(&f.block.stmts[0], Stmt::Let(_, Some(_), Some(_))));
    assert!(function(&src, function_of(&i.items[1])).is_err());
}
