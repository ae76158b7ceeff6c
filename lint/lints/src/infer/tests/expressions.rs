//! Cases: literals, operators, blocks, branches, loops, places, casts, macros.

#![allow(unused, dead_code, unused_must_use)]

use std::collections::{BTreeMap, HashMap, VecDeque};

struct Point {
    x: f32,
    name: String,
    tags: Vec<u8>,
    next: Option<Box<Point>>,
    pair: (u8, String),
}

static GREETING: &str = "hello";
const LIMITS: [u16; 3] = [1, 2, 3];
const SIDES: usize = 4;

fn literals() {
    let text = "a";
    //  ^^^^ &str
    //         ^^^ &str
    let bytes = b"ab";
    //  ^^^^^ &[u8; 2]
    //          ^^^^^ &[u8; 2]
    let letter = 'a';
    //  ^^^^^^ char
    //           ^^^ char
    let truth = true;
    //  ^^^^^ bool
    //          ^^^^ bool
    let typed = 1u8;
    //  ^^^^^ u8
    //          ^^^ u8
    let float = 1.5;
    //  ^^^^^ f64
    let narrow = 1.5f32;
    //  ^^^^^^ f32
    let byte = b'a';
    //  ^^^^ u8
    let c = c"x";
    //  ^ ?
}

fn numbers_wait_for_what_comes_later() {
    let n = 1;
    //      ^ ?
    let m: u64 = 1;
    //           ^ u64
    takes(1);
    //    ^ i8
    let sum = m + 1;
    //  ^^^ u64
    //        ^^^^^ u64
}
fn takes(_: i8) {}

fn operators(a: u32, b: &u32, s: String, t: &str) {
    a == *b;
  //^^^^^^^ bool
    a + *b;
  //^^^^^^ u32
    a + b;
  //^^^^^ u32
    b * 2;
  //^^^^^ u32
    2 * b;
  //^^^^^ u32
    1 << b;
  //^^^^^^ ?
    b + a;
  //^^^^^ u32
    b + b;
  //^^^^^ u32
    -1i64;
  //^^^^^ i64
    !true;
  //^^^^^ bool
    !a;
  //^^ u32
    a << 3u8;
  //^^^^^^^^ u32
    s + t;
  //^^^^^ String
    a..7;
  //^^^^ Iter<u32>
    a..=7;
  //^^^^^ Iter<u32>
}

fn casts(a: u32) {
    let byte = a as u8;
    //  ^^^^ u8
    //         ^^^^ u8
    let pointer = &a as *const u32;
    //  ^^^^^^^ *const u32
    //            ^^^^^ *const u32
    let it = a as _;
    //  ^^ u64
    let fixed: u64 = it;
}

fn lengths_of_parameters<const N: usize>() {
    [0u8; N];
  //^^^^^^^^ [u8; N]
}

fn tuples_and_arrays(p: Point) {
    (1u8, "a");
  //^^^^^^^^^^ (u8, &str)
    [1u8, 2];
  //^^^^^^^^ [u8; 2]
    [0u8; 4];
  //^^^^^^^^ [u8; 4]
    [0u8; SIDES];
  //^^^^^^^^^^^^ [u8; 4]
    [0u8; SIDES * 2];
  //^^^^^^^^^^^^^^^^ [u8; ?]
    let twice: [u8; 8] = [0u8; SIDES * 2];
    //                   ^^^^^^^^^^^^^^^^ [u8; 8]
    ();
  //^^ ()
    let table = [[0u8; 2]; 3];
    //  ^^^^^ [[u8; 2]; 3]
    //          ^^^^^^^^^^^^^ [[u8; 2]; 3]
    let pair: (u8, Option<u16>) = (1, None);
    //                             ^ u8
    //                                ^^^^ Option<u16>
    pair.1;
  //^^^^^^ Option<u16>
    LIMITS;
  //^^^^^^ [u16; 3]
    LIMITS[0];
  //^^^^^^^^^ u16
    &LIMITS[1..];
  //^^^^^^^^^^^^ &[u16]
    GREETING;
  //^^^^^^^^ &str
}

fn blocks() {
    let value = { let a = 1u8; a };
    //  ^^^^^ u8
    //          ^^^^^^^^^^^^^^^^^^ u8
    let nothing = { 1u8; };
    //  ^^^^^^^ ()
    //            ^^^^^^^^ ()
    let late;
    //  ^^^^ u16
    late = 3u16;
    late;
  //^^^^ u16
    let unsafely = unsafe { 1u8 };
    //  ^^^^^^^^ u8
    let labelled = 'a: { if true { break 'a 1u8; } 2u8 };
    //  ^^^^^^^^ u8
}

fn branches(flag: bool, maybe: Option<String>) -> u8 {
    let chosen = if flag { 1u8 } else { 2u8 };
    //  ^^^^^^ u8
    //           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ u8
    let jumped = if flag { return 1 } else { 2u8 };
    //  ^^^^^^ u8
    let matched = match maybe { Some(s) => s, None => return 3 };
    //  ^^^^^^^ String
    //            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ String
    let first_panics = match flag { true => panic!("no"), false => 1u8 };
    //  ^^^^^^^^^^^^ u8
    let empty = if flag { None } else { Some(1u8) };
    //  ^^^^^ Option<u8>
    let Some(word) = Some("a") else { return 4 };
    //       ^^^^ &str
    if let Some(n) = Some(1u8) && n == 1 { return n }
    //          ^ u8
    //                            ^^^^^^ bool
    //                                            ^ u8
    return 5
  //^^^^^^^^ !
}

fn loops(list: Vec<String>, map: HashMap<u8, String>, tree: &BTreeMap<u8, u16>) {
    let found = loop { break 7u8; };
    //  ^^^^^ u8
    //          ^^^^^^^^^^^^^^^^^^^ u8
    for item in &list { item; }
    //  ^^^^ &String
    //                  ^^^^ &String
    for item in &mut list.clone() {}
    //  ^^^^ &mut String
    for (i, item) in list.iter().enumerate() {}
    //   ^ usize
    //      ^^^^ &String
    for item in list {}
    //  ^^^^ String
    for (key, value) in &map {}
    //   ^^^ &u8
    //        ^^^^^ &String
    for (key, value) in map {}
    //   ^^^ u8
    //        ^^^^^ String
    for (key, value) in tree {}
    //   ^^^ &u8
    //        ^^^^^ &u16
    for n in 0..9u8 {}
    //  ^ u8
    for n in [1u8, 2] {}
    //  ^ u8
    for c in "ab".chars() {}
    //  ^ char
    while let Some(top) = vec![1u8].pop() {}
    //             ^^^ u8
    let while_loop = while false {};
    //  ^^^^^^^^^^ ()
    let outer = 'a: loop { loop { break 'a 1u8; } };
    let unlabelled = loop { loop { break; } break 1u8 };
    //  ^^^^^^^^^^ u8
}

fn places(p: Point, q: &Point, m: &mut Point, boxed: Box<Point>) {
    p.x;
  //^^^ f32
    q.name.len();
  //^^^^^^ String
    &q.name;
  //^^^^^^^ &String
    &mut m.tags;
  //^^^^^^^^^^^ &mut Vec<u8>
    boxed.pair.1.len();
  //^^^^^^^^^^^^ String
    p.tags[0];
  //^^^^^^^^^ u8
    &p.tags[..1];
  //^^^^^^^^^^^^ &[u8]
    p.name[1..].len();
  //^^^^^^^^^^^ str
    p.next.as_ref().unwrap().next.is_some();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<Box<Point>>
    &*boxed;
   //^^^^^^ Point
    (*q).name.len();
   //^^ Point
    m.x = 1.0;
  //^^^^^^^^^ ()
    let queue: VecDeque<u16> = VecDeque::new();
    queue[0];
  //^^^^^^^^ u16
    let map: HashMap<&str, u16> = HashMap::new();
    map["a"];
  //^^^^^^^^ u16
}

fn structs(base: Point) {
    let whole = Point { x: 1.0, ..base };
    //  ^^^^^ Point
    //          ^^^^^^^^^^^^^^^^^^^^^^^^ Point
    let holder = Holder { inner: 1u8 };
    //  ^^^^^^ Holder<u8>
    let generic = Pair(1u8, "a");
    //  ^^^^^^^ Pair<u8, &str>
    let given = Holder::<u16> { inner: 1 };
    //  ^^^^^ Holder<u16>
    let aliased = Bytes { inner: 2 };
    //  ^^^^^^^ Holder<u8>
}
struct Holder<T> { inner: T }
struct Pair<A, B>(A, B);
type Bytes = Holder<u8>;

fn macros(p: &Point) {
    vec![1u8, 2];
  //^^^^^^^^^^^^ Vec<u8>
    vec![0u16; 3];
  //^^^^^^^^^^^^^ Vec<u16>
    let empty: Vec<String> = vec![];
    //                       ^^^^^^ Vec<String>
    format!("{}", p.x);
  //^^^^^^^^^^^^^^^^^^ String
    println!("{}", p.x);
  //^^^^^^^^^^^^^^^^^^^ ()
    matches!(p.next, Some(_));
  //^^^^^^^^^^^^^^^^^^^^^^^^^ bool
    dbg!(p.x);
  //^^^^^^^^^ f32
    let polled: std::task::Poll<u8> = std::task::Poll::Pending;
    assert!(true);
  //^^^^^^^^^^^^^ ()
    concat!("a", "b");
  //^^^^^^^^^^^^^^^^^ ?
    line!();
  //^^^^^^^ ?
    stringify!(a);
  //^^^^^^^^^^^^^ ?
}

fn questions(a: Option<u8>, b: Result<u16, String>) -> Option<()> {
    let x = a?;
    //  ^ u8
    //      ^^ u8
    let y = b.ok()?;
    //  ^ u16
    None
}

fn tries(b: Result<u16, std::fmt::Error>) -> std::fmt::Result {
    let y = b?;
    //  ^ u16
    //      ^^ u16
    Ok(())
  //^^^^^^ Result<(), Error>
}

async fn word(x: u8) -> String { String::new() }
async fn waits(x: u8) -> String {
    let word = word(1).await;
    //  ^^^^ String
    //         ^^^^^^^^^^^^^ String
    let block = async { 1u8 }.await;
    //  ^^^^^ u8
    word
}
