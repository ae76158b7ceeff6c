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
  //^ part of: 1
    let (h, i) = (1, 2);
    h;
  //^ part of: (1, 2)
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
    //      ^^^^^^^^ itself
}

fn parts(pair: (u8, u8), list: Vec<(u8, Option<u8>)>, maybe: Option<u8>) {
    let (a, b) = pair;
    a;
  //^ part of: pair
    for (c, d) in list.iter() {
        c;
      //^ item of: list.iter()
    }
    if let Some(e) = maybe {
        e;
      //^ part of: maybe
    }
    match maybe {
        Some(f) if f > 1 => drop(f),
        //         ^ part of: maybe
        _ => {}
    }
    let g = list.iter().map(|(h, _)| h);
    //                               ^ argument of a closure
    let Some(i) = maybe else { return };
    i;
  //^ part of: maybe
    while let Some(j) = maybe {
        j;
      //^ part of: maybe
    }
}
