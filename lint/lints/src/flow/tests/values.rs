//! Cases: where values come from.

#![allow(unused, dead_code)]

fn branches(n: u8, text: String) -> String {
    let a = if n > 1 { "one" } else { "two" };
    //      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: { "one" }; { "two" }
    let b = match n { 1 => "one", 2 => { "two" } _ => return String::new() };
    //      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: "one"; { "two" }; return String::new()
    let c = { let d = n; d + 1 };
    //      ^^^^^^^^^^^^^^^^^^^^ from: d + 1
    let d = unsafe { n };
    //             ^^^^^ from: n
    let e = if n > 1 { "one" } else if n > 2 { "two" } else { "three" };
    //      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: { "one" }; if n > 2 { "two" } else { "three" }
    let f = loop { break 1; };
    //      ^^^^^^^^^^^^^^^^^ itself
    a;
  //^ is: if n > 1 { "one" } else { "two" }
    b.len();
  //^^^^^^^ itself
    text;
  //^^^^ variable: text
    let mut g = 1;
    g;
  //^ is: 1
    let (h, i) = (1, 2);
    h;
  //^ is: part 0 of (1, 2)
    let j;
    j = 1;
    j;
  //^ variable: j
    String::new()
}

fn early(n: u8) -> u8 { if n > 1 { return 1; } n + 3 }
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ returned: { if n > 1 { return 1; } n + 3 }; 1

fn only(n: u8) -> u8 { n }
//                   ^^^^^ returned: { n }

const LONG: &str = "text";
//                 ^^^^^^ returned: "text"

fn made(n: usize) {
    let a = vec![1, 2];
    //      ^^^^^^^^^^ creates: Items(2)
    let b = vec![0u8; n];
    //      ^^^^^^^^^^^^ creates: n items
    let c: Vec<u8> = vec![];
    //               ^^^^^^ creates: Empty
    let d: Vec<u8> = Vec::new();
    //               ^^^^^^^^^^ creates: Empty
    let e = String::with_capacity(8);
    //      ^^^^^^^^^^^^^^^^^^^^^^^^ creates: room for 8
    let f = format!("{n}");
    //      ^^^^^^^^^^^^^^ creates: Text
    let g: String = Default::default();
    //              ^^^^^^^^^^^^^^^^^^ creates: Empty
    let h = early(1);
    //      ^^^^^^^^ from: what early returns
}

fn parts(pair: (u8, u8), list: Vec<(u8, Option<u8>)>, maybe: Option<u8>) {
    let (a, b) = pair;
    a;
  //^ is: part 0 of pair
    for (c, d) in list.iter() {
        c;
      //^ is: part 0 of each item of list.iter()
    }
    if let Some(e) = maybe {
        e;
      //^ is: maybe
    }
    match maybe {
        Some(f) if f > 1 => drop(f),
        //         ^ is: maybe
        _ => {}
    }
    let g = list.iter().map(|(h, _)| h);
    //                               ^ is: part 0 of each item of list.iter()
    let Some(i) = maybe else { return };
    i;
  //^ is: maybe
    while let Some(j) = maybe {
        j;
      //^ is: maybe
    }
}

fn passed_on(list: Vec<(u8, String)>, maybe: Option<String>, cell: &mut Option<String>, flag: bool) {
    maybe.unwrap();
  //^^^^^^^^^^^^^^ from: maybe
    maybe.unwrap_or(String::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: maybe; String::new()
    maybe.unwrap_or_else(text);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^ from: maybe; what text returns
    maybe.map_or(String::new(), |held| held);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: String::new(); held
    maybe.map(Some);
  //^^^^^^^^^^^^^^^ from: maybe
    maybe.map(|held| { if held.len() > 1 { return 0; } held.len() });
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: |held| { if held.len() > 1 { return 0; } held.len() }
    maybe.map(|held| { list.map(|h| return h); held.len() });
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: { list.map(|h| return h); held.len() }
    maybe.map(|held| held.len());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from: held.len()
    flag.then(|| text());
  //^^^^^^^^^^^^^^^^^^^^ from: text()
    flag.then_some(text());
  //^^^^^^^^^^^^^^^^^^^^^^ from: text()
    std::mem::take(cell);
  //^^^^^^^^^^^^^^^^^^^^ itself
    std::mem::take(&mut list);
  //^^^^^^^^^^^^^^^^^^^^^^^^^ from: list
    Some(maybe);
  //^^^^^^^^^^^ from: maybe
    Err::<u8, String>(text());
  //^^^^^^^^^^^^^^^^^^^^^^^^^ has no value
    None::<u8>;
  //^^^^^^^^^^ has no value
    LONG;
  //^^^^ from: constant LONG
    text();
  //^^^^^^ from: what text returns
    &*maybe?;
  //^^^^^^^^ from: *maybe?
    list.first();
  //^^^^^^^^^^^^ from: each item of list
    1 as u8;
  //^^^^^^^ nothing that was read
    Own(1);
  //^^^^^^ itself
    list.len();
  //^^^^^^^^^^ itself
}

struct Own(u8);

fn text() -> String { String::new() }

fn iterated(list: Vec<(u8, String)>, other: Vec<u8>, maybe: Option<(u8, u8)>) {
    for (a, (b, c)) in list.iter().enumerate() {
        a;
      //^ is: part 0 of each item of list.iter().enumerate()
        c;
      //^ is: part 1 of part 1 of each item of list.iter().enumerate()
    }
    for (d, e) in list.into_iter().zip(other) {
        d;
      //^ is: part 0 of each item of list.into_iter().zip(other)
    }
    list.iter().map(|(f, g)| g);
    //                       ^ is: part 1 of each item of list.iter()
    list.iter().any(|(h, ..)| h == 1);
    //                        ^ is: part 0 of each item of list.iter()
    maybe.map(|(i, _)| i);
    //                 ^ is: part 0 of maybe
    other.sort_by_key(|k| k);
    //                    ^ variable: k
    if let Some((l, _)) = maybe { l; }
    //                            ^ is: part 0 of maybe
    for m in [1, 2] { m; }
    //                ^ is: each item of [1, 2]
}
