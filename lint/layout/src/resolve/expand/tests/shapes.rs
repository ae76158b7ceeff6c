//! Tests with macros shaped like those of well-known crates.

use super::{ARGS_FILE, MACRO_FILE, check, flat, try_run};
use crate::resolve::expand::{Limits, Macro, expand};
use crate::span::Span;

/// Expands `name!(…)` between items until none is left.
fn expand_all(name: &str, rules: &str, args: &str) -> String {
    let span = Span::new(MACRO_FILE, 0, rules.len());
    let mac = Macro::parse(rules, span, false, 2024).expect("the rules read");
    let mut text = format!("{name}! {{ {args} }}");
    let call = format!("{name}!");
    for _ in 0..200 {
        let Some(at) = text.find(&call) else {
            return flat(&text);
        };
        let open = at + text[at..].find(['{', '(']).expect("a group");
        let mut depth = 0;
        let close = text[open..].find(|c: char| {
            depth += i32::from("{([".contains(c)) - i32::from("})]".contains(c));
            depth == 0
        });
        let close = open + close.expect("a balanced call");
        let semicolon = text[close + 1..].trim_start().starts_with(';');
        let end = if semicolon {
            close + 1 + text[close + 1..].find(';').unwrap()
        } else {
            close
        };
        let args = &text[open + 1..close];
        let span = Span::new(ARGS_FILE, 0, args.len());
        let output = expand(&mac, "crate", args, span, Limits::default());
        let output = output.unwrap_or_else(|e| panic!("{e}: {args}"));
        text.replace_range(at..=end, &output.text);
    }
    panic!("does not end: {text}");
}

#[test]
fn blocks_under_a_condition() {
    check(
        "($($item:item)*) => { $( #[cfg(feature = \"rt\")] #[doc(cfg(x))] $item )* }",
        "mod a; pub use b::{c, D}; /// E\npub struct E { x: u8 } macro_rules! m { () => {} } m! {}",
        "#[cfg(feature = \"rt\")] #[doc(cfg(x))] mod a;
         #[cfg(feature = \"rt\")] #[doc(cfg(x))] pub use b::{c, D};
         #[cfg(feature = \"rt\")] #[doc(cfg(x))] /// E
         pub struct E { x: u8 }
         #[cfg(feature = \"rt\")] #[doc(cfg(x))] macro_rules! m { () => {} }
         #[cfg(feature = \"rt\")] #[doc(cfg(x))] m! {}",
    );
}

#[test]
fn if_and_else_of_conditions() {
    let rules = "
        (
            if #[cfg( $first:meta )] { $( $body:tt )* }
            $( else if #[cfg( $more:meta )] { $( $more_body:tt )* } )*
            $( else { $( $last:tt )* } )?
        ) => {
            choose! {
                @step () ;
                (( $first ) ( $( $body )* )) ,
                $( (( $more ) ( $( $more_body )* )) , )*
                $( (() ( $( $last )* )) , )?
            }
        };
        (@step ( $( $no:meta , )* ) ; ) => {};
        (@step ( $( $no:meta , )* ) ; (( $( $yes:meta )? ) ( $( $items:tt )* )) , $( $rest:tt )* ) => {
            #[cfg(all( $( $yes , )? not(any( $( $no ),* )) ))]
            choose! { @same $( $items )* }
            choose! { @step ( $( $no , )* $( $yes , )? ) ; $( $rest )* }
        };
        (@same $( $items:tt )* ) => { $( $items )* };";
    let expected = "
        #[cfg(all(unix, not(any())))] struct A;
        #[cfg(all(windows, not(any(unix))))] struct B;
        #[cfg(all(not(any(unix, windows))))] struct C;";
    let args =
        "if #[cfg(unix)] { struct A; } else if #[cfg(windows)] { struct B; } else { struct C; }";
    assert_eq!(expand_all("choose", rules, args), flat(expected));
    let expected = "#[cfg(all(any(a, b), not(any())))] struct A;";
    assert_eq!(
        expand_all("choose", rules, "if #[cfg(any(a, b))] { struct A; }"),
        flat(expected)
    );
}

#[test]
fn flags() {
    let rules = "
        (
            $(#[$outer:meta])* $vis:vis struct $Name:ident: $T:ty {
                $( $(#[$inner:ident $($args:tt)*])* const $Flag:tt = $value:expr; )*
            }
            $($t:tt)*
        ) => {
            $(#[$outer])* $vis struct $Name(<$Name as $crate::__private::PublicFlags>::Internal);
            $crate::__impl! { $Name: $T { $( $(#[$inner $($args)*])* const $Flag = $value; )* } }
            flags! { $($t)* }
        };
        () => {};";
    let args = "
        /// Outer
        #[derive(Clone, Copy)]
        pub(crate) struct Flags: u32 {
            /// One
            const A = 1;
            #[cfg(x)]
            const B = 1 << 2;
            const AB = Self::A.bits() | Self::B.bits();
            const _ = !0;
        }
        struct Other: u8 {}";
    let expected = "
        #[doc = \" Outer\"]
        #[derive(Clone, Copy)]
        pub(crate) struct Flags(<Flags as crate::__private::PublicFlags>::Internal);
        crate::__impl! { Flags: u32 {
            #[doc = \" One\"] const A = 1;
            #[cfg(x)] const B = (1 << 2);
            const AB = (Self::A.bits() | Self::B.bits());
            const _ = (!0);
        } }
        struct Other(<Other as crate::__private::PublicFlags>::Internal);
        crate::__impl! { Other: u8 {} }";
    assert_eq!(expand_all("flags", rules, args), flat(expected));
}

#[test]
fn projections() {
    let rules = "($($tt:tt)*) => { $crate::__pin! { [] $($tt)* } };";
    check(
        rules,
        "#[x] struct A<T> where T: B { #[pin] a: T }",
        "this_crate::__pin! { [] #[x] struct A<T> where T: B { #[pin] a: T } }",
    );
    let rules = "
        (
            [$($attrs:tt)*] $vis:vis $kind:ident $ident:ident
            < $( $lt:lifetime $(: $lb:lifetime)? ),* $(,)? $( $par:ident $(: $b:path)? $(: ?$mb:path)? ),* $(,)? >
            $(where $( $bt:ty $(: $bb:path)? ),* $(,)? )?
            { $( $(#[$pin:ident])? $fv:vis $f:ident: $ft:ty ),+ $(,)? }
        ) => {
            $vis $kind $ident < $( $lt $(: $lb)?, )* $( $par $(: $b)? $(: ?$mb)? ),* >
            $(where $( $bt $(: $bb)? ),* )? { $( $fv $f: $ft ),+ }
        };";
    check(
        rules,
        "[x] pub struct A<'a, 'b: 'a, T: C<D>, U: ?Sized, V> where T: Iterator, Vec<U>: E { #[pin] a: Vec<Vec<T>>, pub(crate) b: &'a U, }",
        "pub struct A<'a, 'b: 'a, T: C<D>, U: ?Sized, V> where T: Iterator, Vec<U>: E { a: Vec<Vec<T>>, pub(crate) b: &'a U }",
    );
}

#[test]
fn statics() {
    let rules = "
        (@make ($(#[$a:meta])*) ($($vis:tt)*) $N:ident: $T:ty = $e:expr) => {
            $(#[$a])* $($vis)* struct $N { cell: Cell<$T> } fn init() -> $T { $e }
        };
        ($(#[$a:meta])* static ref $N:ident: $T:ty = $e:expr; $($t:tt)*) => {
            lazy!(@make ($(#[$a])*) () $N: $T = $e); lazy!($($t)*);
        };
        ($(#[$a:meta])* pub static ref $N:ident: $T:ty = $e:expr; $($t:tt)*) => {
            lazy!(@make ($(#[$a])*) (pub) $N: $T = $e); lazy!($($t)*);
        };
        ($(#[$a:meta])* pub ($($vis:tt)+) static ref $N:ident: $T:ty = $e:expr; $($t:tt)*) => {
            lazy!(@make ($(#[$a])*) (pub ($($vis)+)) $N: $T = $e); lazy!($($t)*);
        };
        () => ()";
    let args = "
        static ref A: Vec<u8> = vec![1, 2];
        /// B
        pub static ref B: &'static (dyn C + Send) = f::<D, E>(|x, y| x + y);
        pub(in a) static ref C: u8 = { 1 };";
    let expected = "
        struct A { cell: Cell<Vec<u8> > } fn init() -> Vec<u8> { vec![1, 2] }
        #[doc = \" B\"] pub struct B { cell: Cell<&'static (dyn C + Send)> }
        fn init() -> &'static (dyn C + Send) { f::<D, E>(|x, y| x + y) }
        pub (in a) struct C { cell: Cell<u8> } fn init() -> u8 { { 1 } }";
    assert_eq!(expand_all("lazy", rules, args), flat(expected));

    let rules = "
        () => {};
        ($(#[$a:meta])* $v:vis static $n:ident: $t:ty = const $init:block; $($rest:tt)*) => {
            $(#[$a])* $v const $n: Key<$t> = $init; local! { $($rest)* }
        };
        ($(#[$a:meta])* $v:vis static $n:ident: $t:ty = $init:expr; $($rest:tt)*) => {
            $(#[$a])* $v const $n: Key<$t> = f(|| $init); local! { $($rest)* }
        };
        ($(#[$a:meta])* $v:vis static $n:ident: $t:ty = $init:expr) => {
            $(#[$a])* $v const $n: Key<$t> = f(|| $init);
        };";
    assert_eq!(
        expand_all(
            "local",
            rules,
            "static A: u8 = const { 1 }; #[x] pub static B: C<D<E>> = D::<F, G>::new()"
        ),
        flat("const A: Key<u8> = { 1 }; #[x] pub const B: Key<C<D<E>> > = f(|| D::<F, G>::new());"),
    );
}

#[test]
fn syntax_trees() {
    let rules = "
        ([$($attrs:tt)*] $pub:ident struct $name:ident #full { $($fields:tt)* }) => {
            ast!(check [$($attrs)*] $pub struct $name { $($fields)* });
        };
        (check $(#[$a:meta])* [$(#[$b:meta])*] pub struct $name:ident $($rest:tt)*) => {
            $(#[$b])* pub struct $name $($rest)*
        };
        ([$($attrs:tt)*] $pub:ident enum $name:ident { $($v:ident $( ($($m:ident)::+) )*,)* }) => {
            $($attrs)* $pub enum $name { $($v $( ($($m)::+) )*,)* }
            $( $( impl From<$($m)::+> for $name {} )* )*
        };";
    assert_eq!(
        expand_all(
            "ast",
            rules,
            "[/** x */ #[y]] pub struct A #full { pub a: Vec<Token![,]>, }"
        ),
        flat("#[doc = \" x \"] #[y] pub struct A { pub a: Vec<Token![,]>, }"),
    );
    check(
        rules,
        "[] pub enum A { B(x::B), C(D), E, }",
        "pub enum A { B(x::B), C(D), E, } impl From<x::B> for A {} impl From<D> for A {}",
    );
}

#[test]
fn callbacks_with_tables() {
    let mut table = String::new();
    for i in 0..1000 {
        table += match i % 3 {
            0 => format!("@mvp Op{i} => visit_{i} (arity 1 -> 2)\n"),
            1 => format!(
                "@simd Op{i} {{ memarg: $crate::MemArg, lane: u8 }} => visit_{i} (load v128)\n"
            ),
            _ => format!("@gc Op{i} {{ ty: crate::Ty<u32> }} => visit_{i} (push $x)\n"),
        }
        .as_str();
    }
    let rules = format!("($mac:ident) => {{ $mac! {{ {table} }} }}");
    let started = std::time::Instant::now();
    let call = try_run(&rules, "define").expect("the table").text;
    let (_, args) = call.split_once('{').expect("a call");
    let args = args.trim_end().strip_suffix('}').expect("a call");
    let rules = "($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        pub enum Operator { $( $op $({ $($arg: $argty),* })?, )* }
        trait Visit { $( fn $visit(&mut self $($(, $arg: $argty)*)?); )* }
    };";
    let text = try_run(rules, args).expect("the callback").text;
    // Takes about ten milliseconds unoptimised; quadratic behaviour takes seconds.
    assert!(
        started.elapsed().as_millis() < 1000,
        "{:?}",
        started.elapsed()
    );
    let text = flat(&text);
    assert!(
        text.contains(&flat("Op999,"))
            && text.contains(&flat("Op1 { memarg: this_crate::MemArg, lane: u8 },"))
    );
    assert!(text.contains(&flat("fn visit_2(&mut self, ty: crate::Ty<u32>);")));
}

#[test]
fn munchers() {
    let rules = "
        (@ [$($out:tt)*] $a:ident => $b:ty, $($rest:tt)*) => { munch! { @ [$($out)* $a: $b,] $($rest)* } };
        (@ [$($out:tt)*] $a:ident, $($rest:tt)*) => { munch! { @ [$($out)* $a: u8,] $($rest)* } };
        (@ [$($out:tt)*]) => { struct S { $($out)* } };
        ($($t:tt)*) => { munch! { @ [] $($t)* } };";
    let fields: String = (0..60)
        .map(|i| format!("f{i} => Vec<u{i}>, g{i}, "))
        .collect();
    let expected: String = (0..60)
        .map(|i| format!("f{i}: Vec<u{i}>, g{i}: u8, "))
        .collect();
    assert_eq!(
        expand_all("munch", rules, &fields),
        flat(&format!("struct S {{ {expected} }}"))
    );
}
