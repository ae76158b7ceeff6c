//! Tests of error-prone syntax in both implementations.

use super::same::Print;
use super::*;

fn both(statement: &str) -> (Body, Body) {
    let text = format!("fn f<T>(mut self, &(a, b): &(u8, T)) {{ {statement} }}");
    let source = source(&text);
    let file = super::super::file(&source, true);
    let f = function_of(&file.items[0]);
    (body(&source, f), function_by_tree(&source, f))
}

const READ: &[&str] = &[
    "a + b * c as u8 << 2 | d ^ e & !f == -g",
    "a = b += c; a..b; ..=b; a..; .. ; (..)",
    "a < b && c > d || e <= f; a >= b; a << b >> c; a >>= 1; a <<= 2; a |= b",
    "if a == (S { x: 1 }) { b } else if let Some(c) = d && e { f } else { g }",
    "if let A | B(_) = x && let Some(y) = z.y() && y > 1 {}",
    "match x { A | B if c => {} | 1..=9 => return, -1.. => {}, ..=b'a' => {} _ => () }",
    "match x { 1 ... 2 => a, [a, .., b] => {} [a @ .., ref mut b] => c, S { x, ref y, 0: z, .. } => {} }",
    "match x { A => {} - 1, B => {}.c(), _ => unsafe { d }.e }",
    "{ a } - b; { c }.d(); unsafe { e } [0]; match f {} (g); loop {} *h = i",
    "'a: loop { break 'a 1 + 2; continue 'a } 'b: { break 'b } while a { break }",
    "for (i, &x) in y.iter().enumerate() { if i > S::N {} }",
    "|a, &(b, c): &(u8, u16)| -> u8 { a } (d); move || async move { e.await? }; for<'a> |x: &'a u8| x",
    "a || b; || c; f(|| |d| e, ||| f)",
    "&&a; &mut *b; &raw const c.d; &raw mut e; -&!*f; raw - 1; & raw",
    "x.0.1.2 .3.await.0.a::<u8, { N }>(b)?[c].d; t.0. 1; y.1.f()",
    "a::<Vec<Vec<u8>>>::b(); <T as U<V>>::w::<X>(); <[u8]>::len; ::std::a!(b); Vec::<u8>::new()",
    "x as usize >= y; (x as usize) < y; x as *const u8 as *mut [u8; 4] == z; x as fn(u8) -> u8",
    "let x: Vec<Vec<u8>>= a; let y: Box<dyn Fn(u8) -> u8 + Send + 'static>; let Some(z) = w else { return };",
    "let r#type = r#fn + union + auto + default; union { x: 1 }; raw; safe",
    "S { a, b: c, 0: d, #[cfg(x)] e: 1, ..f }; S { ..g }; S {}; <S as T>::U { x: y }",
    "#[cfg(a)] x(); #[cfg(b)] let y = 1; #[allow(z)] { w } #[cfg(c)] d = e; f(#[cfg(g)] h)",
    "m!{} [1]; m!(a) + 1; m!{ b }.c(); m!{} m![d, e; f] ; m!{ g } ",
    "format!(\"{a} {b:?} {{}} {}\", c, d = e); info!(x = ?y, z.w = %v, \"t\"); vec![0; 3]; matches!(a, B | C if d, \"e\")",
    "r#\"a\"#; b\"b\\n\"; c\"c\"; b'd'; '\\u{41}'; 1_000u64; 1.5e3; 0xff_u8; 1f32; \"a\\\n  b\"",
    "fn inner() {} use a::b; struct S; const C: u8 = { 1 }; impl T for S {} macro_rules! n { () => {} } x",
    "const { 1 }; unsafe { 2 }; async { 3 }; try { 4 }; async move {}; const fn g() {} static D: u8 = 1;",
    "return; return a = b; break; yield a; _ = c; (a, _) = d; [e, ..] = f; become g()",
    "a.b::<>(); A::<'static, u8, Item = u8, U: V, 1, -1, { 2 }>::c()",
    "impl_trait(x) as impl A; let f: impl Fn(&u8) -> Option<&u8> = g; let p: for<'a> fn(&'a u8, ...) -> !;",
    "if x {} else {} ; ; while let Some(x) = y {} ;",
    "async fn g() {} let async_ = 1; x.r#await; dyn_(); gen + gen",
    "a == b..c; a = b..c; a..b == c; f(..); x[..]; x[1..=2]; return ..; || ..",
    "match (S {}) { S {} => T { a: match b { _ => c } }, }",
    "match x { #![cfg_attr(all(a, b), deny(c))] A => { #![allow(d)] e } } loop { #![warn(f)] }",
    "let a = if b { c } else { d } + e; let _: [u8; { 1 + 2 }] = g; let (mut h, ref i, &mut j) = k;",
];

#[test]
fn tokens_and_trees_say_the_same() {
    for statement in READ {
        let (ours, theirs) = both(statement);
        assert_eq!(Print::of(&ours), Print::of(&theirs), "{statement}");
    }
}

/// What both reject must not be parsed as something else.
#[test]
fn what_is_no_rust_is_not_read() {
    let wrong = [
        "a b",
        "a < b < c",
        "a == b == c",
        "x as u8.y",
        "x as usize < y",
        "f(a b)",
        "f(a,, b)",
        "let a",
        "S { a b }",
        "match x { a b }",
        "match x { A => b C => d }",
        "break 'a: loop {}",
        "x.1u8",
        "x.0e1",
        "a ... b",
        "..=",
        "become",
        "m!(a) b",
        "quote! x",
        "|a b| c",
        "|| -> u8 a",
        "a <- b",
        "'a x",
        "for x y {}",
        "let x: Fn(u8 = 1;",
    ];
    for statement in wrong {
        let (ours, theirs) = both(statement);
        assert!(!ours.unread.is_empty(), "{statement}: {ours:?}");
        assert!(!theirs.unread.is_empty(), "{statement}: {theirs:?}");
    }
}

/// Macro arguments that are a template keep the names of their interpolations.
#[test]
fn templates_are_names() {
    let (ours, theirs) = both("quote!({ #[link = #a] static S: u8 = #b; &S })");
    assert_eq!(Print::of(&ours), Print::of(&theirs));
    let put_in = format!("{ours:?}").matches("put_in: true").count();
    assert_eq!(put_in, 2, "{ours:?}");
}

/// Macro arguments that are not Rust keep their raw identifiers too.
#[test]
fn raw_names_in_what_is_not_read() {
    let (ours, theirs) = both("grow!(i.r#type.push(1) => r#fn)");
    assert_eq!(Print::of(&ours), Print::of(&theirs));
    for name in ["name: type,", "name: fn,"] {
        assert!(format!("{ours:?}").contains(name), "{name}: {ours:?}");
    }
}

/// A string that is compared is not the format.
#[test]
fn captures_are_of_the_format() {
    let captures = |statement| {
        let (ours, theirs) = both(statement);
        assert_eq!(Print::of(&ours), Print::of(&theirs));
        format!("{ours:?}").matches("name: captured,").count()
    };
    assert_eq!(captures("assert_eq!(s, \"{captured}\")"), 0);
    assert_eq!(captures("assert_eq!(s, \"{captured}\", \"{captured}\")"), 1);
    assert_eq!(
        captures("assert!(\"{captured}\".is_empty(), \"{captured}\")"),
        1
    );
    assert_eq!(captures("write!(f, \"{captured}\")"), 1);
    assert_eq!(captures("panic!(\"{captured}\")"), 1);
}

/// In edition 2015, some keywords are names, and trait objects need no `dyn`.
#[test]
fn names_of_old() {
    for statement in [
        "let async = await + dyn::x; async.try()",
        "let f: Box<Fn(u8) -> u8> = dyn::g();",
        "f(x as &Fn(u8)); m!(async, b)",
    ] {
        let (ours, theirs) = both(statement);
        assert!(ours.unread.is_empty(), "{statement}");
        assert_eq!(Print::of(&ours), Print::of(&theirs), "{statement}");
    }
}
