//! Tests that very deep nesting is refused and never overflows the stack.

use super::*;

/// Fifteen times the limit.
const N: usize = 3_000;

/// Returns types and values that a parser would recurse into `N` times.
fn deep() -> Vec<(String, String)> {
    let around = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(N), close.repeat(N))
    };
    let types = [
        around("(", "u8", ")"),
        around("[", "u8", "]"),
        around("A<", "u8", ">"),
        around("<", "u8", "as A>::B"),
        around("&", "u8", ""),
        around("&'a mut ", "u8", ""),
        around("*const ", "u8", ""),
        around("fn() -> ", "u8", ""),
        around("Box<dyn Fn(A, ", "u8", ")>"),
        around("A<B, ", "u8", ">"),
        around("A<{", "1", "}>"),
        around("Fn() -> impl ", "A", ""),
        around("A<<B as C>::D, ", "u8", ">"),
        around("A << B as C>::D, ", "u8", ">"),
    ];
    let values = [
        around("(", "1", ")"),
        around("[", "1", "]"),
        around("{", "1", "}"),
        around("-", "1", ""),
        around("!", "1", ""),
        around("&", "1", ""),
        around("*", "1", ""),
        around("1 + ", "1", ""),
        around("a && ", "b", ""),
        around("a < b && c > d && ", "b", ""),
        around("a | ", "b", ""),
        around("a = ", "b", ""),
        around("a..", "b", ""),
        around("..", "b", ""),
        around("|x| ", "b", ""),
        around("return ", "b", ""),
        around("return -a + ", "b", ""),
        around("", "a", ".b().c"),
        around("", "a", "?"),
        around("", "a", "()"),
        around("", "a", "[0]"),
        around("", "a", " as u8"),
        around("if a {} else ", "{}", ""),
        around("if ", "a", "{}"),
        around("match a { _ => ", "a", "}"),
        around("match a { _ if ", "a", " => 1 }"),
        around("A { a: ", "1", "}"),
        around("async move ", "{}", ""),
        around("'a: loop { ", "1", "}"),
        around("let a = ", "b", ""),
        around("f(a, ", "1", ")"),
        around("m!(", "1", ")"),
        around("a::<", "1", ">"),
        around("match a { B if b | ", "1", " => 1 }"),
        around("&mut *&", "1", ""),
    ];
    let mut texts = Vec::new();
    for ty in types {
        texts.push((format!("struct Deep {{ x: {ty} }}"), ty.clone()));
        texts.push((format!("type Deep = {ty};"), ty.clone()));
        texts.push((format!("impl A<{ty}> for B {{}}"), ty));
    }
    for value in values {
        texts.push((format!("const DEEP: u8 = {value};"), value.clone()));
        texts.push((format!("enum Deep {{ A = {value} }}"), value.clone()));
        texts.push((format!("struct Deep([u8; {value}]);"), value));
    }
    texts.push((around("mod m { ", "", "}"), String::new()));
    texts.push((
        format!("#[{}]\nstruct Deep;", around("a(", "b", ")")),
        String::new(),
    ));
    texts.push((
        format!("#[cfg({})]\nstruct Deep;", around("not(", "b", ")")),
        String::new(),
    ));
    texts.push((format!("use {};", around("{", "b", "}")), String::new()));
    texts.push((
        around("#[cfg_attr(a, cfg_attr(b, ", "c", "))] struct Deep;"),
        String::new(),
    ));
    texts
}

#[test]
fn nothing_overflows_the_stack() {
    let read = |texts: &[(String, String)]| {
        for (item, part) in texts {
            let text = format!("struct Before;\n{item}\nstruct After;\n");
            let src = source(&text);
            let file = file(&src, true);
            let found = names(&file.items);
            assert!(found.contains(&"Before"), "{}", &text[..60]);
            assert!(found.contains(&"After"), "{}", &text[..60]);
            let body = format!("const fn f() {{ {part}; }}");
            let src = source(&body);
            let file = super::super::file(&src, true);
            let _ = function(&src, function_of(&file.items[0]));
            let _ = super::super::body(&src, function_of(&file.items[0]));
            body_items(&src, Span::new(src.id, 0, body.len()), false);
            let src = source(part);
            let _ = ty(&src, 0..part.len());
            let _ = expr(&src, 0..part.len());
            value_body(&src, Span::new(src.id, 0, part.len()));
        }
    };
    let texts = deep();
    std::thread::scope(|scope| {
        for part in texts.chunks(texts.len() / 8) {
            // The stack size of a main thread.
            let thread = std::thread::Builder::new().stack_size(8 << 20);
            thread.spawn_scoped(scope, || read(part)).unwrap();
        }
    });
}

/// Text at the limit is parsed, also on a worker thread with the default 2 MiB (ours have 32).
#[test]
fn what_is_not_refused_fits_the_stack() {
    let read = || {
        for n in [90, 150, 190, 198] {
            for (open, close) in [
                ("(", ")"),
                ("[", "]"),
                ("{", "}"),
                ("-", ""),
                ("1 + ", ""),
                ("a.b().", ""),
            ] {
                let text = format!("{}1{}", open.repeat(n), close.repeat(n));
                let src = source(&text);
                let _ = expr(&src, 0..text.len());
                value_body(&src, Span::new(src.id, 0, text.len()));
            }
            for (open, close) in [
                ("(", ",)"),
                ("A<", ">"),
                ("&", ""),
                ("fn() -> ", ""),
                ("[", "; 1]"),
            ] {
                let text = format!("{}u8{}", open.repeat(n), close.repeat(n));
                assert!(ty(&source(&text), 0..text.len()).is_ok(), "{open} {n}");
            }
        }
    };
    // Unoptimized frames are several times as large.
    let stack = if cfg!(debug_assertions) { 16 } else { 2 };
    let thread = std::thread::Builder::new()
        .stack_size(stack << 20)
        .spawn(read);
    thread.unwrap().join().unwrap();
}

/// Chains of operators are dropped recursively: the longest fits the stack of a main thread.
#[test]
fn long_chains_are_not_deep() {
    let links = crate::lower::nest::LONGEST_CHAIN - 8;
    let read = move || {
        for (first, link, width) in [
            ("1", "+1", 1),
            ("1", "-1*2", 2),
            ("a", "&&b", 1),
            ("a", "||b", 1),
            ("a", "<<1", 2),
            ("a", "==b&&c", 2),
            ("a", ".b()", 1),
            ("a", ".b", 1),
            ("a", "?", 1),
            ("a", "[0]", 1),
            ("a", " as u8", 1),
            ("if a {}", "else if a {}", 1),
            ("if a < b {}", "else if a < b {}", 1),
        ] {
            let text = format!("{first}{}", link.repeat(links / width));
            let src = source(&text);
            let read = expr(&src, 0..text.len());
            assert!(read.is_ok(), "{link}");
            let body = value_body(&src, Span::new(src.id, 0, text.len()));
            assert!(body.exprs().nth(1).is_some(), "{link}");
            let longer = format!("{text}{}", link.repeat(20));
            let read = expr(&source(&longer), 0..longer.len()).err();
            let refused =
                |fault: &crate::ir::SyntaxError| fault.message.contains("a chain of more than");
            assert!(read.as_ref().is_some_and(refused), "{link}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(read);
    thread.unwrap().join().unwrap();
}

#[test]
fn long_lists_are_not_deep() {
    let list = |unit: &str| unit.repeat(2000);
    read(&format!("const A: &[u8] = &[{}];", list("1 << 3,")));
    read(&format!("trait T: {} Z {{}}", list("A + ")));
    let variants = (0..2000).map(|i| format!("A{i}(B<C, D>) = -{i},"));
    read(&format!("enum E {{ {} }}", variants.collect::<String>()));
    let arms = (0..2000).map(|i| format!("{i} | ")).collect::<String>();
    let text = format!("const fn f() -> u8 {{ match x {{ {arms} 7 => 1, _ => 2 }} }}");
    let src = source(&text);
    assert!(function(&src, function_of(&file(&src, true).items[0])).is_ok());
    let ifs = list("if a < b { return c; } ");
    let text = format!("const fn f() -> u8 {{ {ifs} 1 }}");
    let src = source(&text);
    assert!(function(&src, function_of(&file(&src, true).items[0])).is_ok());
}
