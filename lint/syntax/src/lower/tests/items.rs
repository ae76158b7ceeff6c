//! Items, their extents, attributes and imports.

use super::*;
use crate::ir::{AdtKind, Cfg, Style, UseBind, Vis};

#[test]
fn offsets_count_in_the_text_as_stored() {
    let body = "/// é🦀\nstruct Né { /* 🦀 */ #[a = \"é\"] pub x: Vec<é>, }\nfn f() { é }\n";
    for start in [
        "",
        "\u{feff}",
        "#!/bin/é\n",
        "\u{feff}#!/bin/é\n",
        "---\nx = 1\n---\n",
    ] {
        let text = format!("{start}{body}");
        let file = read(&text);
        assert_eq!(names(&file.items), ["Né", "f"]);
        let item = &file.items[0];
        assert_eq!(&text[item.name_span.range()], "Né");
        assert!(text[item.span.range()].starts_with("struct Né {"));
        let field = &fields(item)[0];
        assert_eq!(&text[field.name_span.range()], "x");
        assert_eq!(&text[field.ty_span.range()], "Vec<é>");
        assert_eq!(&text[field.attrs.list[0].span.range()], "#[a = \"é\"]");
        let Type::Path(path) = &field.ty else {
            panic!()
        };
        assert_eq!(&text[path.span.range()], "Vec<é>");
        let f = function_of(&file.items[1]);
        assert_eq!(&text[f.signature.range()], "fn f()");
        assert_eq!(&text[f.body.unwrap().range()], "{ é }");
    }
    let newline = "struct A {\n    #[doc = \"a\nb\"]\n    #[x(\"\n\")]\n    f: u8,\n}";
    let file = read(newline);
    let field = &fields(&file.items[0])[0];
    assert_eq!(&newline[field.name_span.range()], "f");
    assert_eq!(field.attrs.list.len(), 1);
}

#[test]
fn bodies_are_found_wherever_they_begin() {
    for (text, signature, body) in [
        ("fn a() {}", "fn a()", "{}"),
        (
            "fn a<const N: usize = { 3 }>() -> A<{ N }> where B<{ N }>: C { x }",
            "fn a<const N: usize = { 3 }>() -> A<{ N }> where B<{ N }>: C",
            "{ x }",
        ),
        (
            "pub(crate) const unsafe extern \"C\" fn a(f: fn() -> u8) -> [u8; { 1 }] { y }",
            "const unsafe extern \"C\" fn a(f: fn() -> u8) -> [u8; { 1 }]",
            "{ y }",
        ),
        (
            "async fn a() -> impl Fn() -> Result<(), ()> { \"}\" }",
            "async fn a() -> impl Fn() -> Result<(), ()>",
            "{ \"}\" }",
        ),
        (
            "fn a() -> <A as B>::C { '}' /* } */ }",
            "fn a() -> <A as B>::C",
            "{ '}' /* } */ }",
        ),
    ] {
        for (before, after) in [
            ("", ""),
            ("mod m { ", " }"),
            ("impl A { ", " }"),
            ("trait T { ", " }"),
        ] {
            let text = format!("{before}{text}{after}");
            let file = read(&text);
            let item = match &file.items[0].kind {
                ItemKind::Mod(Some(items)) => &items[0],
                ItemKind::Impl(i) => &i.items[0],
                ItemKind::Trait(t) => &t.items[0],
                _ => &file.items[0],
            };
            let f = function_of(item);
            assert_eq!(&text[f.signature.range()], signature);
            assert_eq!(&text[f.body.unwrap().range()], body);
            assert_eq!(f.is_const, signature.starts_with("const"));
        }
    }
    assert!(
        function_of(&read("extern \"C\" { fn f(); }").items[0])
            .body
            .is_none()
    );
}

#[test]
fn bodies_with_items_are_marked_and_read() {
    let marked = |body: &str| function_of(&read(&format!("fn f() {body}")).items[0]).has_items;
    assert!(marked("{ struct A; }") && marked("{ foo! { enum A {} } }"));
    assert!(marked("{ union A { a: u8 } }") && marked("{ x; impl A for B {} }"));
    assert!(marked("{ type A = B; }"));
    assert!(marked("{ use A::*; }") && !marked("{ let f: &dyn Fn() -> Box<dyn B + use<'_>>; }"));
    assert!(!marked(
        "{ a.union(b); let union = 1; f(|x: &dyn A| 1); \"struct\" }"
    ));
    let text = "fn f() { use a::B; if x { struct C { c: u8 } } g(|| { enum D { E } });
        macro_rules! m { () => { struct Inside; } } m!(x); println!(\"{}\", x); quote! { struct Q; }
        let z = other! { struct No; }; fn inner() { struct Deeper; } const K: u8 = 1;
        match x { A => {} #[cfg(y)] B => { struct G; } } }";
    let src = source(text);
    let file = file(&src, true);
    let body = function_of(&file.items[0]).body.unwrap();
    let found = body_items(&src, body, false);
    assert!(found.errors.is_empty());
    assert_eq!(
        names(&found.items),
        ["_", "", "", "m", "_", "_", "inner", "K", "", "_"]
    );
    let quiet = |i: usize| matches!(&found.items[i].kind, ItemKind::MacroCall(c) if c.quiet);
    assert!(quiet(9) && !quiet(4) && !quiet(5));
    assert!(function_of(&found.items[6]).has_items);
    let inside = |i: usize| match &found.items[i].kind {
        ItemKind::Block(items) => items,
        _ => panic!("no block"),
    };
    let within = [1, 2, 8].map(|i| names(inside(i)));
    assert_eq!(within[..2], [["C"], ["D"]]);
    // The `match` has braces of its own around those of the arm.
    assert_eq!(within[2], [""]);
    assert!(inside(8)[0].attrs.cfg.is_some());
    assert_eq!(&text[inside(1)[0].span.range()], "struct C { c: u8 }");
    assert!(!function_of(&super::super::file(&src, false).items[0]).has_items);
}

#[test]
fn a_condition_applies_to_the_blocks_of_its_statement() {
    let text = "fn f() {
        #[cfg(a)] let x = { struct A; }; let y = { struct B; };
        #[cfg(a)] if x(1, 2) { struct C; } else { struct D; } { struct E; }
        #[cfg(a)] g([1; 2], || { struct F; }); match x { #[cfg(a)] A => 1, _ => { struct G; } }
        #[inline] { struct H; } #[cfg(a)] let P { p } = { struct I; };
        #[cfg(a)] let m: M<u8, u8> = { struct J; };
        match x { A => 1, #[cfg(a)] B => { struct K; } C => { struct L; } }
    }";
    let src = source(text);
    let file = file(&src, true);
    let body = function_of(&file.items[0]).body.unwrap();
    let found = body_items(&src, body, false);
    let mut conditional = Vec::new();
    let mut open: Vec<_> = found.items.iter().map(|item| (item, false)).collect();
    while let Some((item, outer)) = open.pop() {
        let cfg = outer || item.attrs.cfg.is_some();
        match &item.kind {
            ItemKind::Block(inside) => open.extend(inside.iter().map(|item| (item, cfg))),
            _ if cfg => conditional.push(item.name.as_str()),
            _ => {}
        }
    }
    conditional.sort_unstable();
    assert_eq!(conditional, ["A", "C", "D", "F", "I", "J", "K"]);
}

#[test]
fn initializers_that_define_types_are_bodies() {
    let file =
        read("const _: () = { struct A; impl B for A {} }; static S: u8 = 1; const N: u8 = 2;");
    assert_eq!(file.items.len(), 4);
    let f = function_of(&file.items[1]);
    assert!(f.has_items && !f.is_const);
}

#[test]
fn every_kind_of_item() {
    let file = read(
        "extern crate self as me; extern crate a; extern crate b as _; mod m; mod n { fn x() {} }
         pub(in crate::x) union U { a: u8 } auto trait T {} unsafe impl !Send for U {}
         impl const Default for U { type A = u8 where u8: Copy; const C: u8 = 1; m! {} }
         trait Alias<T> = A<T> + B; macro dec($a:ident) { fn $a() {} } macro_rules! r { () => {} }
         a::b! { x } ::c!(d); type W<T> where T: A = T; static mut S: u8 = { 1 };
         extern \"C\" { type X; static Y: u8; pub fn z(...); } unsafe extern \"C++\" { include!(\"h\"); } const trait K: [const] L + ~const M {};",
    );
    let found: Vec<&str> = names(&file.items);
    let expected = [
        "me", "a", "_", "m", "n", "U", "T", "_", "_", "Alias", "dec", "r", "_", "_", "W", "S", "X",
        "Y", "z", "K",
    ];
    assert_eq!(found, expected);
    assert_eq!(adt(&file.items[5]).kind, AdtKind::Union);
    assert_eq!(
        file.items[5].vis,
        Vis::In(Box::new([Name::new("crate"), Name::new("x")].into()))
    );
    let ItemKind::Impl(i) = &file.items[7].kind else {
        panic!()
    };
    assert!(i.negative && i.trait_.is_some());
    let ItemKind::Impl(i) = &file.items[8].kind else {
        panic!()
    };
    assert_eq!(names(&i.items), ["A", "C", "_"]);
    let ItemKind::Trait(t) = &file.items[19].kind else {
        panic!()
    };
    assert_eq!(t.supers.len(), 2);
    assert!(matches!(&file.items[16].kind, ItemKind::TypeAlias(t) if t.ty.is_none()));
    assert!(matches!(&file.items[0].kind, ItemKind::ExternCrate(n) if *n == "self"));
}

#[test]
fn the_braces_after_a_never_type_are_a_body() {
    let file = read("impl T for ! { fn a(&self) {} } #[repr(C)] struct S; impl T for [u8] {}");
    assert_eq!(file.items.len(), 3);
    assert!(matches!(&file.items[0].kind, ItemKind::Impl(i) if i.items.len() == 1));
}

#[test]
fn macros_are_kept_as_bytes() {
    let text = "macro_rules! m { ($x:ty) => { struct A { } ) ] }; } crate::a::b![ < > };  ];";
    // Delimiters inside those of a macro call need only be balanced.
    let text = text.replace(") ]", "").replace("> };", "> ;");
    let file = read(&text);
    let ItemKind::MacroDef(def) = &file.items[0].kind else {
        panic!()
    };
    assert_eq!(&text[def.body.range()], " ($x:ty) => { struct A { }  }; ");
    let ItemKind::MacroCall(call) = &file.items[1].kind else {
        panic!()
    };
    assert_eq!(&text[call.args.range()], " < > ;  ");
    assert_eq!(&text[call.path.span.range()], "crate::a::b");
    assert!(text[call.span.range()].ends_with(']'));
    let text = "macro m { ($a:ident) => { fn $a() {} } } macro n($a:ident) { x }";
    let file = read(text);
    let bodies = file.items.iter().map(|i| match &i.kind {
        ItemKind::MacroDef(def) if def.decl2 => &text[def.body.range()],
        _ => "",
    });
    assert_eq!(
        bodies.collect::<Vec<_>>(),
        ["{ ($a:ident) => { fn $a() {} } }", "($a:ident) { x }"]
    );
}

#[test]
fn fields_and_variants() {
    let text = "enum E<T> { #[x] A, B(#[cfg(a)] pub u8, Vec<T>), C { c: [u8; 2] } = 1 << 3, }";
    let file = read(text);
    let variants = &adt(&file.items[0]).variants;
    let spans: Vec<&str> = variants.iter().map(|v| &text[v.span.range()]).collect();
    assert_eq!(spans[0], "#[x] A");
    assert_eq!(spans[2], "C { c: [u8; 2] } = 1 << 3");
    let styles: Vec<Style> = variants.iter().map(|v| v.style).collect();
    assert_eq!(styles, [Style::Unit, Style::Tuple, Style::Named]);
    let tys = variants
        .iter()
        .flat_map(|v| &v.fields)
        .map(|f| &text[f.ty_span.range()]);
    assert_eq!(tys.collect::<Vec<_>>(), ["u8", "Vec<T>", "[u8; 2]"]);
    assert!(variants[1].fields[0].attrs.cfg.is_some());
    assert!(matches!(
        variants[2].discriminant,
        Some(ir::Expr::Binary("<<", ..))
    ));
    assert_eq!(
        fields(&read("struct r#type { r#fn: u8 }").items[0])[0].name,
        "fn"
    );
}

fn cfg_of(attrs: &str) -> Option<Cfg> {
    read(&format!("{attrs} struct S;")).items[0]
        .attrs
        .cfg
        .clone()
        .map(|c| *c)
}

#[test]
fn conditions_are_joined() {
    let flag = |s: &str| Cfg::Flag(Name::new(s));
    let value = |n: &str, v: &str| Cfg::Value(Name::new(n), Name::new(v));
    let not = |c| Cfg::Not(Box::new(c));
    assert_eq!(cfg_of("#[derive(A)]"), None);
    assert_eq!(
        cfg_of("#[cfg(a)] #[cfg(b)] #[cfg(c)]"),
        Some(Cfg::All(vec![flag("a"), flag("b"), flag("c")]))
    );
    // Without whitespace, too.
    assert_eq!(
        cfg_of("#[cfg(all(a=\"x\",not(b=\"y\")))]"),
        cfg_of("#[cfg(all(a = \"x\", not(b = \"y\")))]")
    );
    assert_eq!(
        cfg_of("#[cfg(all(feature = r\"x\", not(any(a, true,)),))]"),
        Some(Cfg::All(vec![
            value("feature", "x"),
            not(Cfg::Any(vec![flag("a"), Cfg::Known(true)])),
        ]))
    );
    assert_eq!(
        cfg_of("#[cfg_attr(p, x, cfg(q))]"),
        Some(Cfg::Any(vec![not(flag("p")), flag("q")]))
    );
    assert_eq!(
        cfg_of("#[cfg_attr(p, cfg_attr(q, cfg(r)))]"),
        Some(Cfg::Any(vec![
            not(Cfg::All(vec![flag("p"), flag("q")])),
            flag("r")
        ]))
    );
    assert_eq!(
        cfg_of("#[cfg(version(\"1.96\"))]"),
        Some(value("version", "1.96"))
    );
    assert_eq!(
        cfg_of("#[cfg(target(os = \"linux\"))]"),
        Some(Cfg::All(vec![value("target_os", "linux")]))
    );
    for wrong in [
        "#[cfg]",
        "#[cfg()]",
        "#[cfg(a, b)]",
        "#[cfg(a = b)]",
        "#[cfg(not(a, b))]",
        "#[cfg(\"a\")]",
        "#[cfg(foo(a))]",
        "#[cfg_attr()]",
    ] {
        let file = file(&source(&format!("{wrong} struct S;")), true);
        assert_eq!(file.errors.len(), 1, "{wrong}");
        assert_eq!(names(&file.items), ["S"]);
    }
}

#[test]
fn attributes_are_taken_apart() {
    let text = "#![no_std] #![cfg(a)]
        /// Doc
        #[doc = \"x\"] #[repr(C, align(8), packed)] #[cfg_attr(p, derive(A, b::C), repr(u8))]
        #[unsafe(no_mangle)] #[serde(rename = \"a\\n\", x(1, -1))] #[weird(a => b)]
        mod m { #![cfg(inner)] #![allow(x)] }";
    let file = read(text);
    assert!(file.attrs.cfg.is_some() && file.attrs.list.len() == 1);
    let attrs = &file.items[0].attrs;
    assert_eq!(attrs.cfg.as_deref(), Some(&Cfg::Flag(Name::new("inner"))));
    let paths: Vec<&str> = attrs.list.iter().map(|a| a.meta.path[0].as_str()).collect();
    assert_eq!(
        paths,
        [
            "repr",
            "derive",
            "repr",
            "no_mangle",
            "serde",
            "weird",
            "allow"
        ]
    );
    assert_eq!(
        &text[attrs.list[0].span.range()],
        "#[repr(C, align(8), packed)]"
    );
    let align = &attrs.list[0].meta.list[1];
    assert_eq!(align.list[0].value, Some(ir::Lit::Int(8.into(), None)));
    assert_eq!(&text[attrs.list[1].span.range()], "derive(A, b::C)");
    assert!(attrs.list[1].cfg.is_some() && attrs.list[3].cfg.is_none());
    assert_eq!(attrs.list[1].meta.list[1].path.len(), 2);
    let serde = &attrs.list[4].meta.list;
    assert_eq!(serde[0].value, Some(ir::Lit::Str("a\n".to_owned())));
    assert!(serde[1].list.is_empty() && attrs.list[5].meta.list.is_empty());
    assert_eq!(&text[attrs.list[5].meta.tokens.range()], "a => b");
}

#[test]
fn use_trees_are_flattened() {
    let file =
        read("use ::a::{self, b as c, d::*, e::{f, g::{self as h}}, i as _,}; use *; use {j, k};");
    let mut leaves = Vec::new();
    for item in &file.items {
        let ItemKind::Use(list) = &item.kind else {
            panic!()
        };
        for leaf in list {
            let path: Vec<&str> = leaf.path.iter().map(|n| n.as_str()).collect();
            let bind = match leaf.bind {
                UseBind::Name(n) => n.as_str(),
                UseBind::Unnamed => "_",
                UseBind::Glob => "*",
            };
            leaves.push(format!(
                "{}{} {bind}",
                if leaf.global { "::" } else { "" },
                path.join("::")
            ));
        }
    }
    assert_eq!(
        leaves,
        [
            "::a a",
            "::a::b c",
            "::a::d *",
            "::a::e::f f",
            "::a::e::g h",
            "::a::i _",
            " *",
            "j j",
            "k k"
        ]
    );
    for wrong in ["use a::;", "use a b;", "use {a b};", "use a as;", "use 1;"] {
        assert_eq!(
            super::super::file(&source(wrong), true).errors.len(),
            1,
            "{wrong}"
        );
    }
}

#[test]
fn rustversion_is_a_cfg_on_the_release() {
    let text = "#[rustversion::since(1.70)] struct A; #[rustversion::before(1.70)] struct B;\
                #[rustversion::not(any(since(1.70), before(1.2)))] struct C;\
                #[rustversion::attr(since(1.70), repr(C))] struct D;\
                #[rustversion::attr(since(1.70), const)] fn e() {}\
                #[rustversion::nightly] struct F;";
    let file = read(text);
    let cfg = |i: usize| file.items[i].attrs.cfg.as_deref();
    let listed = |i: usize| file.items[i].attrs.list.len();
    let since = ir::Cfg::Value(Name::new("version"), Name::new("1.70"));
    assert_eq!(cfg(0), Some(&since));
    assert_eq!(cfg(1), Some(&ir::Cfg::Not(Box::new(since))));
    assert!(matches!(cfg(2), Some(ir::Cfg::Not(_))));
    assert_eq!((cfg(3), listed(3)), (None, 1));
    assert_eq!((cfg(4), listed(4)), (None, 0));
    assert_eq!((cfg(5), listed(5)), (None, 1));
}

/// The items of a file, read from all tokens and without those of macros and, in a dependency, of
/// function bodies.
fn in_both_ways(text: &str, own: bool) -> [String; 2] {
    let source = source(text);
    let all = file_of(&Tokens::of_file(&source), own);
    let skimmed = file_of(&Tokens::of_items_in_file(&source, own), own);
    [all, skimmed].map(|file| format!("{file:#?}"))
}

const FUNCTIONS: &str = r###"
//! A crate.
#![allow(unused)]
const A: fn() -> [u8; 2] = { fn a() -> [u8; 2] { [b'{', b'}'] } a };
const _: () = made! { impl B for C { fn b() { struct D; } } };
static E: S<{ 1 + 1 }> = S;
pub const unsafe extern "C" fn f<'a, T: G<{ '}' as usize }>, const N: usize = { 2 }>(x: &'a T) -> S<{ N }>
where
    T: H<1, { 3 }>,
{
    if x < y { struct I; } // }
    r#"}"#; '\''; 'a: for _ in x { continue 'a; }
}
impl<T> J for fn(T) -> K<{ 1 }> { const L: fn() = || { fn m() {} m() }; fn n(&self) { let x = '{'; } }
trait O { fn p() { "}" ; 'a: loop { break 'a; } } fn q(); type R: S; fn last(self) -> impl T<{ 4 }> { { } } }
mod u { macro_rules! v { ($x:tt) => { fn w() { $x } } } v!(struct X { y: u8 }); v! { } pub mod z { fn a() { () } } }
enum B { C { d: [u8; { fn e() -> usize { 3 } e() }] } = { fn f() -> isize { 1 } f() }, G }
struct H<const N: usize = { 5 }> { fn_: fn(), } union I { j: u8 } union! { fn k() {} }
extern "C" { fn l(x: u8); static M: u8; } macro n($x:ty) { fn o() {} } use p::{q, r::{s}};
fn t() -> made!{ u } { v }
fn é() { "é"; 'é'; } fn w() { é() } fn x() {}
"###;

#[test]
fn macros_and_function_bodies_of_a_dependency_have_no_tokens() {
    for own in [false, true] {
        let [all, skimmed] = in_both_ways(FUNCTIONS, own);
        assert_eq!(all, skimmed);
        let source = source(FUNCTIONS);
        let skimmed = Tokens::of_items_in_file(&source, own);
        let within = |word: &str| (0..skimmed.list.len()).any(|i| skimmed.word(i, word));
        for word in ["break", "loop"] {
            assert_eq!(within(word), own, "{word}");
        }
        assert!(within("last") && within("D") && !within("X"));
    }
}

#[test]
fn the_value_of_an_unnamed_constant_is_read_if_it_asserts() {
    let file = read(
        "const _: () = { impl A for B {} };\
         const _: () = { struct C; assert!(true) };\
         const D: u8 = { struct E; 1 };\
         const _: () = assert!(true);",
    );
    let values = file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Const(constant) => Some(constant.value.is_some()),
        _ => None,
    });
    assert!(values.eq([false, true, true, true]));
}

/// Nothing before the argument ends the search for the body.
#[test]
fn a_constant_argument_of_the_first_item() {
    for text in [
        "impl<const N: usize> A for B<{ N }> { fn f() { g() } }",
        "fn f<const N: usize>() -> B<C, { N }> where B<{ N }>: D { g() }",
        "trait A<const N: usize = { 1 }> { fn f() { g() } }",
        "fn f(x: B<{ N ",
    ] {
        for own in [false, true] {
            let [all, skimmed] = in_both_ways(text, own);
            assert_eq!(all, skimmed, "{text}");
        }
    }
}

/// Compares both readings of all files in a folder, and returns the number of files.
fn compare_skipped(folder: &std::path::Path) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files += compare_skipped(&path);
        } else if path.extension().is_some_and(|e| e == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            for own in [false, true] {
                let [all, skimmed] = in_both_ways(&text, own);
                assert!(all == skimmed, "{}", path.display());
            }
            files += 1;
        }
    }
    files
}

#[test]
fn files_of_a_dependency_have_the_same_items_without_function_bodies() {
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "src/lower",
        "../layout/src/stdlib",
        "../layout/src/resolve/expand",
    ];
    let files = folders.map(|folder| compare_skipped(&own.join(folder)));
    assert!(files.iter().sum::<usize>() > 50, "{files:?}");
}

/// For any folder: `WEIGH_BODIES`.
#[test]
#[ignore = "asked for by `.ci/slow bodies FOLDER`"]
fn skipped_bodies_of_a_folder() {
    let folder = std::env::var_os("WEIGH_BODIES").expect("a folder in WEIGH_BODIES");
    println!("{} files", compare_skipped(folder.as_ref()));
}
