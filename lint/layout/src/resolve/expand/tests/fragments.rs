//! Tests of where fragments begin and end, and that they stay in one piece.

use super::{check, flat, no_rule, try_run};

#[test]
fn fragments_end_where_rustc_ends_them() {
    for (fragment, input, rest) in [
        ("ty", "u8", ""),
        ("ty", "Vec<Vec<u8>>", ""),
        ("ty", "&'a mut [u8; { N }]", ", x"),
        ("ty", "&&str", "=> x"),
        ("ty", "fn(u8, &str) -> Box<dyn Fn() -> u8 + 'a>", "= 1"),
        ("ty", "for<'a> unsafe extern \"C\" fn(&'a u8)", ";"),
        ("ty", "dyn Fn(u8) -> u8 + Send + 'static", "{}"),
        ("ty", "impl for<'a> Tr<'a> + ?Sized + use<'a>", ", u8"),
        ("ty", "<Vec<T> as IntoIterator>::Item", ": x"),
        ("ty", "::std::vec::Vec::<u8>", "as x"),
        ("ty", "A<{ 1 > 2 }, -1, 'a, B = C>", "where"),
        ("ty", "*const *mut !", "| x"),
        ("ty", "m![a b]", "[0]"),
        ("ty", "_", ">"),
        ("ty", "(A, B)", "{}"),
        ("path", "a::b::<C>::d<E>", ", x"),
        ("path", "crate::x", "{}"),
        ("path", "Fn(A) -> Fn(B) -> C", "+ D"),
        ("vis", "pub", "struct"),
        ("vis", "pub(crate)", "x"),
        ("vis", "pub(in a::b)", "x"),
        ("vis", "pub", "(u8, u8)"),
        ("vis", "", "x"),
        ("meta", "doc = \"x\"", "y"),
        ("meta", "cfg(all(a, b))", "y"),
        ("meta", "a::b", "y"),
        ("meta", "unsafe(no_mangle)", "y"),
        ("meta", "doc = concat!(\"a\", \"b\")", ", y"),
        ("literal", "-1.5f32", "x"),
        ("literal", "true", "x"),
        ("literal", "b'a'", "x"),
        ("ident", "r#type", "x"),
        ("ident", "self", "x"),
        ("lifetime", "'static", "x"),
        ("block", "{ a; b }", "x"),
        ("tt", ">>=", "="),
        ("tt", "(a b)", "c"),
        ("pat", "Some(1 | 2) | None", "if x"),
        ("pat", "A { x, .. }", "=> y"),
        ("pat", "1..=2", "= z"),
        ("pat", "x @ <A<u8, u8>>::B", ", z"),
        ("pat_param", "A::<u8, u8>(x)", "| B"),
        ("expr", "a + b * c(d, e)", ", f"),
        ("expr", "a::<B, C>(d)", ", f"),
        ("expr", "|a, b: Vec<A, B>| -> Vec<A, B> { a }", "; f"),
        ("expr", "move || a < b", ", c > d"),
        ("expr", "<A as B<C, D>>::e() as F<G, H>", ", i"),
        ("expr", "A { b: 1, ..c }", "=> d"),
        ("expr", "match a { b => c, _ => d }", ", e"),
        ("expr", "x || y", ", z"),
        ("expr", "1", "2 3"),
        ("expr", "emit", "Some(x)"),
        ("expr", "&raw const x", "y"),
        (
            "expr",
            "if let A { x } = y { 1 } else if z { 2 } else { 3 }",
            "4",
        ),
        ("expr", "'a: for x in y.await? { break 'a 1 }", ": z"),
        ("expr", "#[a] async move { x }", "y"),
        ("expr", "a!{ b }.c::<D>() ..= !e as f32 as u8", "f"),
        ("stmt", "let a: B<C, D> = e", "; f"),
        ("stmt", "use a::{b, c};", "f"),
        ("item", "struct A;", "x"),
        (
            "item",
            "pub struct A<const N: usize = { 1 }> { x: u8 }",
            "x",
        ),
        (
            "item",
            "#[a] /** b */ pub(crate) struct A(u8) where u8: B<{ 1 }>;",
            "x",
        ),
        ("item", "enum A { B = 1 }", "struct"),
        ("item", "impl<T> A<{ 1 }> for B<T> where T: C {}", ";"),
        ("item", "const A: [u8; 2] = { [1, 2] };", "x"),
        (
            "item",
            "pub const unsafe extern \"C\" fn f() -> A<B> { c }",
            "x",
        ),
        ("item", "static mut A: u8 = 1;", "x"),
        ("item", "use a::{b, c};", "x"),
        ("item", "extern crate a as b;", "x"),
        ("item", "unsafe extern \"C\" { fn f(); }", "x"),
        ("item", "type A<T> = B<T>;", "x"),
        ("item", "union U { a: u8 }", "x"),
        ("item", "default impl A for B {}", "x"),
        ("item", "unsafe auto trait A {}", "x"),
        ("item", "macro_rules! a { () => {} }", "x"),
        ("item", "a::b!(c);", "x"),
        ("item", "a! { b }", "x"),
        ("item", "mod a { struct B; }", "x"),
    ] {
        let rules = format!("($x:{fragment} $($rest:tt)*) => {{ {{ $x }} {{ $($rest)* }} }}");
        check(
            &rules,
            &format!("{input} {rest}"),
            &format!("{{ {input} }} {{ {rest} }}"),
        );
    }
}

#[test]
fn fragments_begin_where_rustc_lets_them() {
    for (fragment, args) in [
        ("expr", "=>"),
        ("expr", "struct"),
        ("expr", "pub"),
        ("expr", ""),
        ("expr", "=> a"),
        ("ty", "struct"),
        ("ty", "1"),
        ("ident", "_"),
        ("ident", "'a"),
        ("literal", "-a"),
        ("path", "1"),
        ("path", "struct"),
        ("item", "x"),
        ("item", "1 + 1"),
        ("block", "(a)"),
        ("lifetime", "a"),
        ("pat", "=> x"),
        ("tt", ""),
        ("vis", ""),
    ] {
        no_rule(&format!("($x:{fragment}) => {{ $x }}"), args);
    }
    check("($x:expr) => { $x }", "_", "_");
    check("($x:expr_2021) => { a }; (_) => { b }", "_", "b");
}

#[test]
fn expressions_and_types_stay_one() {
    for (body, args, expected) in [
        ("$e * 2", "1 + 2", "(1 + 2) * 2"),
        ("$e * 2", "f(1 + 2)", "f(1 + 2) * 2"),
        ("$e * 2", "a::<B>::C", "a::<B>::C * 2"),
        ("!$e", "a == b", "!(a == b)"),
        ("$e.len()", "&a", "(&a).len()"),
        ("$e as u8", "a | b", "(a | b) as u8"),
        ("-$e", "-1", "- -1"),
        ("$e.abs()", "-1", "(-1).abs()"),
        ("[u8; $e]", "1 + 2", "[u8; 1 + 2]"),
        ("A<$e>", "-1", "A< -1>"),
        ("f($e, 1)", "a + b", "f(a + b, 1)"),
        ("let x = $e;", "a + b", "let x = a + b;"),
        ("#[doc = $e] x", "concat!(1, 2)", "#[doc = concat!(1, 2)] x"),
    ] {
        check(&format!("($e:expr) => {{ {body} }}"), args, expected);
    }
    for (body, args, expected) in [
        ("&'a $t", "dyn A + B", "&'a (dyn A + B)"),
        ("*const $t", "dyn A<B + C>", "*const dyn A<B + C>"),
        ("Box<$t>", "dyn A + B", "Box<dyn A + B>"),
        ("x as $t << y", "u8", "x as (u8) << y"),
        ("$t::new()", "Vec<u8>", "<Vec<u8> >::new()"),
        ("$t::new()", "a::Vec", "a::Vec::new()"),
    ] {
        check(&format!("($t:ty) => {{ {body} }}"), args, expected);
    }
}

#[test]
fn a_fragment_is_opaque_to_the_next_macro() {
    // Two macros in a row: the first passes on its match.
    let through = |first: &str, args: &str, second: &str| {
        let one = try_run(first, args).expect("the first fits").text;
        let (_, call) = one.split_once('(').expect("a call");
        let call = call.rsplit_once(')').expect("a call").0;
        let two = try_run(second, call).map(|o| flat(&o.text));
        two.map_err(|e| e.to_string())
    };
    let rules = "(u8) => { literal }; ($a:tt $b:tt) => { two }; ($t:tt) => { one $t };";
    let both =
        |kind: &str, args: &str| through(&format!("($x:{kind}) => {{ m!($x); }}"), args, rules);
    assert_eq!(both("ty", "u8").unwrap(), "one u8 ");
    assert_eq!(both("ty", "Vec<u8>").unwrap(), flat("one Vec<u8>"));
    assert_eq!(both("tt", "u8").unwrap(), "literal ");
    assert_eq!(both("vis", "pub(crate)").unwrap(), flat("one pub(crate)"));
    assert_eq!(
        through(
            "($e:expr, $v:vis x) => { m!($e; $v;); }",
            "1 + 2, x",
            "($x:expr; $v:vis;) => { [$v] $x * 3 }"
        ),
        Ok(flat("[] (1 + 2) * 3")),
    );
    assert_eq!(
        through(
            "($e:expr, $v:vis x) => { m!($e; $v f) }",
            "1 + 2, pub x",
            "($x:expr; $v:vis f) => { [$v] $x * 3 }"
        ),
        Ok(flat("[pub] (1 + 2) * 3")),
    );
    assert_eq!(
        through(
            "($($m:meta),* $i:item) => { m!($(#[$m])* $i) }",
            "a = \"b\", c(d) struct S;",
            "($($i:item)*) => { $($i)* }"
        ),
        Ok(flat("#[a = \"b\"] #[c(d)] struct S;")),
    );
    // A name before it makes no call of it: rustc tries the next rule.
    assert_eq!(
        through(
            "($n:expr) => { m!(!div $n / 2, B) }",
            "4096",
            "($e:expr, $b:ident) => { one $b }; (!div $n:expr, $b:ident) => { two $n }"
        ),
        Ok(flat("two 4096 / 2")),
    );
    assert_eq!(
        through(
            "($t:ty, $p:path) => { m!($t, $p, Vec<$t>) }",
            "dyn A + B, c::D",
            "($t:ty, $($u:ty),*) => { &$t $(; $u)* }"
        ),
        Ok(flat("&(dyn A + B); c::D; Vec<(dyn A + B)>")),
    );
}
