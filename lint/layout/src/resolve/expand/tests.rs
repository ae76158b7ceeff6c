//! Expansion tests by feature; the submodules cover fragments and shapes of well-known macros.

use super::token::{Delim, Kind, Stream, lex};
use super::{ExpandError, Limits, Macro, Output, expand};
use crate::span::{FileId, Span};

mod fragments;
mod shapes;

const MACRO_FILE: FileId = FileId(1);
const ARGS_FILE: FileId = FileId(2);

fn try_run(rules: &str, args: &str) -> Result<Output, ExpandError> {
    let mac = Macro::parse(
        rules,
        Span::new(MACRO_FILE, 100, 100 + rules.len()),
        false,
        2024,
    )
    .map_err(ExpandError::Bad)?;
    let span = Span::new(ARGS_FILE, 1000, 1000 + args.len());
    expand(&mac, "this_crate", args, span, Limits::default())
}

/// Joins the tokens of a text with spaces, without fragment marks.
fn flat(text: &str) -> String {
    let tokens = lex(text, 2024).unwrap_or_else(|e| panic!("{e}: {text}"));
    let s = Stream {
        text,
        tokens: &tokens,
    };
    let mut out = String::new();
    let mut i = 0;
    while s.kind(i) != Kind::End {
        if !matches!(
            s.kind(i),
            Kind::Open(Delim::Group(_)) | Kind::Close(Delim::Group(_))
        ) {
            out.push_str(s.text(i));
            out.push(' ');
        }
        i = s.after(i);
    }
    out
}

/// Checks an expansion, and each piece against its source.
#[track_caller]
fn check(rules: &str, args: &str, expected: &str) {
    let output = try_run(rules, args).unwrap_or_else(|e| panic!("{e}: {args}"));
    assert_eq!(
        flat(&output.text),
        flat(expected),
        "in:  {args}\nout: {}",
        output.text
    );
    let mut end = 0;
    for piece in &output.pieces {
        let (text, base) = match piece.from_args {
            true => (args, 1000),
            false => (rules, 100),
        };
        assert!(piece.at >= end, "pieces overlap");
        end = piece.at + piece.from.len() as u32;
        assert_eq!(
            output.text[piece.at as usize..end as usize],
            text[piece.from.start as usize - base..piece.from.end as usize - base],
        );
        let file = if piece.from_args {
            ARGS_FILE
        } else {
            MACRO_FILE
        };
        assert_eq!(piece.from.file, file);
    }
}

#[track_caller]
fn no_rule(rules: &str, args: &str) {
    match try_run(rules, args) {
        Err(ExpandError::NoRule) => {}
        other => panic!("{:?}", other.map(|o| o.text)),
    }
}

#[test]
fn literal_tokens_choose_the_rule() {
    let rules = "(a) => {1}; (a b) => [2]; (=> ::) => (3); (>>=) => {4}; (> > =) => {5}; (\"x\") => {6}; (r#a) => {7};";
    for (args, expected) in [
        ("a", "1"),
        ("a b", "2"),
        ("=> ::", "3"),
        (">>=", "4"),
        ("> > =", "5"),
        ("\"x\"", "6"),
        ("r#a", "7"),
    ] {
        check(rules, args, expected);
    }
    for args in ["", "b", "a b c", "= > ::", ">> =", "\"y\""] {
        no_rule(rules, args);
    }
}

#[test]
fn editions() {
    let run = |rules: &str, edition, args: &str| {
        let span = Span::new(MACRO_FILE, 0, rules.len());
        let mac = Macro::parse(rules, span, false, edition).expect("the rules read");
        let span = Span::new(ARGS_FILE, 0, args.len());
        let limits = Limits {
            edition,
            ..Limits::default()
        };
        let output = expand(&mac, "crate", args, span, limits);
        output.map(|output| flat(&output.text)).ok()
    };
    // Before 2021 a `pat` ends at a bar, and `c""` is two tokens.
    let bar = "($p:pat |? $e:expr) => { $e $p }";
    assert_eq!(run(bar, 2018, "b'a' |? f").as_deref(), Some("f b'a' "));
    assert_eq!(run(bar, 2021, "b'a' |? f"), None);
    let two = "($a:tt $b:tt) => { $b $a }";
    assert_eq!(run(two, 2018, "c\"a\"").as_deref(), Some("\"a\" c "));
    assert_eq!(run(two, 2018, "'r#a"), None);
    assert_eq!(run(two, 2021, "c\"a\""), None);
    // Before 2024 no `expr` begins with `_`.
    for (name, edition, fits) in [("expr", 2021, false), ("expr", 2024, true)] {
        let rules = format!("($e:{name}) => {{}}");
        assert_eq!(run(&rules, edition, "_").is_some(), fits);
        assert_eq!(run(&rules, edition, "const { 1 }").is_some(), fits);
    }
    assert_eq!(run("($e:expr_2021) => {}", 2024, "_"), None);
}

#[test]
fn repetitions() {
    check(
        "($($x:ident),* $(,)?) => { $($x;)* }",
        "a, b, c,",
        "a; b; c;",
    );
    check("($($x:ident),* $(,)?) => { $($x;)* }", "", "");
    check(
        "($($x:ident)=>+) => { $($x)|* }",
        "a => b => c",
        "a | b | c",
    );
    no_rule("($($x:ident)+) => {}", "");
    no_rule("($($x:ident)?) => {}", "a b");
    check(
        "($a:ident $(= $v:expr)?;) => { $a $([$v])? }",
        "a = 1 + 2;",
        "a [1 + 2]",
    );
    // The repetition ends before a token that it cannot match.
    check("($($x:ident)* end) => { $($x),* }", "a b end", "a, b");
    check(
        "($($x:tt)* ; $y:tt) => { $y $($x)* }",
        "a ; b ; c",
        "c a ; b",
    );
    check(
        "($($k:ident { $($f:ident : $t:ty),* })*) => { $( struct $k { $($f: [$t; 1]),* } )* }",
        "A { x: u8, y: Vec<u8> } B {}",
        "struct A { x: [u8; 1], y: [Vec<u8>; 1] } struct B {}",
    );
    // What is left of a group, within groups and repetitions too.
    check(
        "([$($x:tt)*] $($k:ident { $($y:tt)+ })* ; $($z:tt)+) => { $($x)* | $($k($($y)*))* | $($z)* }",
        "[a [b] ::] k { 1 } l { (2) >>= } ; x ; y",
        "a [b] :: | k(1) l((2) >>=) | x ; y",
    );
    no_rule("([$($x:tt)+]) => {}", "[]");
    no_rule("(a $($x:tt)+) => {}", "a");
    check("($(a $($x:tt)+)?) => { [$($($x)*)?] }", "a b c", "[b c]");
    check("($($($x:tt)+)?) => { [$($($x)*)?] }", "a b", "[a b]");
    check("($($(a $($x:tt)+)?;)*) => { [$($($($x)*)?)*] }", ";", "[]");
    check(
        "($o:ident; $($a:ident: $($b:ident)*;)*) => { $( $( $o.$a.$b )* )* }",
        "o; a: b c; d: e;",
        "o.a.b o.a.c o.d.e",
    );
    check(
        "($($a:ident)* ; $($b:ident)*) => { $($a $b,)* }",
        "a b; c d",
        "a c, b d,",
    );
    assert!(matches!(
        try_run("($($a:ident)* ; $($b:ident)*) => { $($a $b)* }", "a b; c"),
        Err(ExpandError::Bad(_))
    ));
    assert!(matches!(
        try_run("($($a:ident)*) => { $a }", "a"),
        Err(ExpandError::Bad(_))
    ));
    assert!(try_run("($($($a:ident)*)*) => {}", "a").is_err());
}

#[test]
fn metavariable_expressions() {
    check(
        "($($x:ident),*) => { ${count($x)} $( ${index()} ${len()} ${ignore($x)} )* }",
        "a, b",
        "2 0 2 1 2",
    );
    check(
        "($([$($x:ident)*])*) => { ${count(x)} ${count(x, 1)} $( ${count(x)} $( ${index(1)} ${index()} $x )* ; )* }",
        "[a b] [c]",
        "3 2 2 0 0 a 0 1 b; 1 1 0 c;",
    );
    check(
        "($a:ident $b:ident) => { fn ${concat($a, _, $b, \"_x\")}() {} }",
        "a r#type",
        "fn a_type_x() {}",
    );
}

#[test]
fn crate_dollars_and_inner_macros() {
    check(
        "() => { $crate::a::<$crate::B> }",
        "",
        "this_crate::a::<this_crate::B>",
    );
    check(
        "($n:ident $t:ty) => { macro_rules! $n { ($x:expr, $$y:ty) => { $x; $crate::f::<$t>($$x) } } }",
        "m Vec<u8>",
        "macro_rules! m { ($x:expr, $y:ty) => { $x; this_crate::f::<Vec<u8> >($x) } }",
    );
    check(
        "($a:ident) => { $$crate $( $b )* $a }",
        "a",
        "$crate $( $b )* a",
    );
}

#[test]
fn doc_comments_are_attributes() {
    let rules = "($(#[$m:meta])* $n:ident) => { $(#[$m])* struct $n; };";
    check(rules, "#[a] n", "#[a] struct n;");
    let output = try_run(rules, "/// He said \"hi\\\"\n/** two */ n").unwrap();
    let expected = r##"#[ doc = " He said \"hi\\\"" ] #[ doc = " two " ] struct n;"##;
    assert_eq!(flat(&output.text), flat(expected));
    let output = try_run(
        "($($t:tt)*) => { $($t)* }",
        "/// one\nstruct A; // no\n/// two\nstruct B;",
    )
    .unwrap();
    assert!(
        output.text.contains("/// two\nstruct B;"),
        "{}",
        output.text
    );
    let output = try_run("($i:item) => { $i }; ($a:tt $($t:tt)*) => { $a }", "/// x").unwrap();
    assert_eq!(output.text, "#");
    let output = try_run("($($f:tt)*) => { struct A { $($f)* } }", "a: u8, /// last").unwrap();
    assert!(output.text.contains("/// last\n"), "{}", output.text);
}

#[test]
fn runs_are_copied_whole() {
    let rules = "(@a [$($done:tt)*] $($rest:tt)*) => { m! { $($rest)* } }";
    let output = try_run(rules, "@a [x] a::b  /* c */ (d)").unwrap();
    assert_eq!(output.text, "m! { a::b  /* c */ (d) }");
    assert_eq!(output.pieces.len(), 3);
}

#[test]
fn hostile_input_is_refused() {
    let deep = format!("{}{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(Macro::parse(&deep, Span::new(MACRO_FILE, 0, 0), false, 2024).is_err());
    assert!(matches!(
        try_run("($($t:tt)*) => {}", &deep),
        Err(ExpandError::Bad(_))
    ));
    let types = "&".repeat(100_000) + "u8";
    assert!(try_run("($t:ty) => { $t }", &types).is_ok());
    let types = "fn() -> ".repeat(100_000) + "u8";
    assert!(try_run("($t:ty) => { $t }", &types).is_ok());
    for text in [
        "(",
        ")",
        "(a => b",
        "(]",
        "() =>",
        "() => x",
        "=> {}",
        "($x) => {}",
        "($x:foo) => {}",
        "($(a) b) => {}",
        "($",
        "$",
        "($x:ty $x:ty) => {}",
        "\"",
        "'",
        "/*",
        "/*\u{203a}*/",
        "/*\u{2039}T*/",
        "() => {$",
        "() => {$($",
    ] {
        let _ = try_run(text, "a");
        let _ = try_run(
            "($($x:ident)*) => { $($x)* }; ($i:item) => {}; ($s:stmt) => {}; ($t:ty) => {}; ($p:path) => {}; ($e:expr) => {}",
            text,
        );
    }
    // Every path through this matcher fails at the end; trying them one by one never ends.
    let twins = "a".to_owned() + &" a".repeat(3000);
    no_rule(
        "($($a:ident)* $($b:ident)* $($c:ident)* $($d:ident)* $($e:ident)* ;) => {}",
        &twins,
    );
    let big = "x".repeat(1 << 20);
    let wide = "a ".repeat(100);
    assert_eq!(
        try_run(
            "($x:ident $($a:ident)*) => { $( $x $a )* }",
            &format!("{big} {wide}")
        )
        .unwrap_err(),
        ExpandError::Output,
    );
}

#[test]
fn macros_of_the_second_kind() {
    let span = Span::new(MACRO_FILE, 0, 0);
    for text in [
        "($x:ty) { A<$x> }",
        "{ (=) => { b }, ($x:ty) => { A<$x> } }",
        "{ ($x:ty) => { A<$x> } }",
    ] {
        let mac = Macro::parse(text, span, true, 2024).unwrap();
        let output = expand(&mac, "crate", "u8", span, Limits::default()).unwrap();
        assert_eq!(flat(&output.text), flat("A<u8>"));
    }
    let text = "attr() ($x:tt) => { a }; derive() () => { b }; ($x:tt) => { c }";
    let mac = Macro::parse(text, span, false, 2024).unwrap();
    assert_eq!(
        expand(&mac, "crate", "u8", span, Limits::default())
            .unwrap()
            .text,
        "c"
    );
}

#[test]
fn texts_that_are_one_call() {
    let call = |text: &str| {
        let (path, args) = super::only_call(text)?;
        let path: Vec<_> = path.iter().map(|name| name.as_str().to_owned()).collect();
        Some(format!("{} | {}", path.join("::"), &text[args]))
    };
    for (text, expected) in [
        ("again! { [a] b }", Some("again |  [a] b ")),
        ("crate_7 :: inner ! (a, b) ;", Some("crate_7::inner | a, b")),
        ("a![')', \"]\", /* ] */]", Some("a | ')', \"]\", /* ] */")),
        ("a! {} b! {}", None),
        ("a! {} struct B;", None),
        ("#[x] a! {}", None),
        ("::a::b! {}", None),
        ("a b! {}", None),
        ("macro_rules! a { () => {} }", None),
        ("a::! {}", None),
        ("a! b", None),
        ("a", None),
        ("", None),
    ] {
        assert_eq!(call(text).as_deref(), expected, "{text}");
    }
}

/// Tests that a place in the output of a call in an output has the same source as step by step.
#[test]
fn pieces_of_a_call_in_an_output() {
    let first = try_run(
        "($a:ident { $($f:ident : $t:ty),* }) => { next! { [pub] $a ($($f $t,)*) of $($t)* } }",
        "Name { one: u8, /* and */ two: Vec<u16> }",
    )
    .unwrap();
    let (_, args) = super::only_call(&first.text).unwrap();
    let rules = "([$($v:tt)*] $a:ident ($($f:ident $t:ty,)*) $($rest:tt)*) => {
        $($v)* struct $a { $($f: $t),* } type All = ($($rest)*);
    }";
    let span = Span::new(MACRO_FILE, 0, rules.len());
    let mac = Macro::parse(rules, span, false, 2024).unwrap();
    let text = &first.text[args.clone()];
    let span = Span::new(FileId(9), args.start, args.end);
    let second = expand(&mac, "this_crate", text, span, Limits::default()).unwrap();
    let copied_from = |pieces: &[super::Piece], at: u32| {
        let len = |p: &super::Piece| p.from.end - p.from.start;
        let piece = pieces
            .iter()
            .find(|p| (p.at..p.at + len(p)).contains(&at))?;
        let place = (piece.from.file, piece.from.start + (at - piece.at));
        Some((piece.from_args, place))
    };
    let pieces = super::through(&second.pieces, &first.pieces);
    let mut of_args = 0;
    for at in 0..second.text.len() as u32 {
        let step_by_step = match copied_from(&second.pieces, at) {
            Some((true, (_, at))) => copied_from(&first.pieces, at),
            other => other,
        };
        assert_eq!(
            copied_from(&pieces, at),
            step_by_step,
            "{}",
            &second.text[at as usize..]
        );
        of_args += usize::from(step_by_step.is_some_and(|(from_args, _)| from_args));
    }
    assert!(of_args >= 30, "{}", second.text);
}
