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
  //^ variable: g
    let (h, i) = (1, 2);
    h;
  //^ variable: h
    let j;
    j = 1;
    j;
  //^ variable: j
    String::new()
}

fn early(n: u8) -> u8 { if n > 1 { return 1; } n + 3 }
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing that was read

fn only(n: u8) -> u8 { n }
//                   ^^^^^ returned: { n }

const LONG: &str = "text";
//                 ^^^^^^ returned: "text"
