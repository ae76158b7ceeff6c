//! Cases: bindings of patterns, by value and by reference.

#![allow(unused, dead_code)]

enum Shape {
    Circle(f32),
    Named { name: String, sides: u8 },
    Both(Box<Shape>, Box<Shape>),
    Empty,
}
use Shape::Empty;
struct Wrap<T>(T);
struct Two<A, B> { a: A, b: B }

fn by_value(shape: Shape) {
    match shape {
        Shape::Circle(r) => {}
        //            ^ f32
        Shape::Named { name, sides: n } => {}
        //             ^^^^ String
        //                          ^ u8
        Shape::Both(a, ..) => {}
        //          ^ Box<Shape>
        Empty => {}
    }
}

fn by_reference(shape: &Shape) {
    match shape {
        Shape::Circle(r) => {}
        //            ^ &f32
        Shape::Named { name, .. } => { name.len(); }
        //             ^^^^ &String
        //                             ^^^^^^^^^^ usize
        Shape::Both(.., b) => {}
        //              ^ &Box<Shape>
        _ => {}
    }
    match *shape {
        Shape::Circle(r) => {}
        //            ^ f32
        Shape::Named { ref name, .. } => { name; }
        //                                 ^^^^ &String
        _ => {}
    }
}

fn by_mutable_reference(shape: &mut Shape) {
    if let Shape::Named { name, sides } = shape {
    //                    ^^^^ &mut String
        *sides = 3;
      //^^^^^^ u8
    }
    let Shape::Both(ref mut a, _) = *shape else { return };
    a;
  //^ &mut Box<Shape>
}

fn generic(wrap: Wrap<u8>, two: &Two<String, Wrap<u16>>) {
    let Wrap(inner) = wrap;
    //       ^^^^^ u8
    let Two { a, b: Wrap(b) } = two;
    //        ^ &String
    //                   ^ &u16
}

fn tuples(pair: (u8, (String, bool)), shared: &(u8, String)) {
    let (a, (b, c)) = pair;
    //   ^ u8
    //       ^ String
    //          ^ bool
    let (x, y) = shared;
    //   ^ &u8
    //      ^ &String
    let (first, .., last) = (1u8, 2u16, 3u32);
    //              ^^^^ u32
    let (.., end) = shared;
    //       ^^^ &String
}

fn slices(list: &[String], fixed: [u8; 3]) {
    if let [first, rest @ ..] = list {}
    //      ^^^^^ &String
    //             ^^^^ &[String]
    if let [.., last] = list {}
    //          ^^^^ &String
    let [a, _, c] = fixed;
    //   ^ u8
    //         ^ u8
    let [head, tail @ ..] = fixed;
    //   ^^^^ u8
    //         ^^^^ ?
    if let [narrow @ 1..=3, ..] = fixed {}
    //      ^^^^^^ u8
    for [others @ .., _] in &[fixed] {}
    //   ^^^^^^ ?
    match &list {
        [one] => {}
       //^^^ &String
        [all @ ..] => {}
       //^^^ &[String]
    }
}

fn deref(list: &[u8], option: Option<&u8>) {
    for &byte in list {}
    //   ^^^^ u8
    if let Some(&b) = option {}
    //           ^ u8
    if let Some(r) = option {}
    //          ^ &u8
}

fn alternatives(n: Result<u8, u8>, o: Option<Shape>) {
    let (Ok(v) | Err(v)) = n;
    //      ^ u8
    match o {
        Some(whole @ Shape::Circle(_)) => {}
        //   ^^^^^ Shape
        Some(Shape::Named { sides: 3 | 4, name }) => {}
        //                                ^^^^ String
        None => {}
      //^^^^ Option<Shape>
        _ => {}
    }
}

fn nested(deep: &Option<Box<(u8, Vec<String>)>>) {
    if let Some(boxed) = deep {
        let (n, list) = &**boxed;
        //   ^ &u8
        //      ^^^^ &Vec<String>
        boxed;
      //^^^^^ &Box<(u8, Vec<…>)>
    }
}

fn arguments((a, b): (u8, String), &c: &u16, Wrap(d): Wrap<bool>) {
//           ^^^^^^ (u8, String)
//                                 ^^ &u16
//                                                ^ bool
    a;
  //^ u8
    c;
  //^ u16
}

fn closures() {
    let f = |(a, b): (u8, &str), Wrap(c): Wrap<u16>| {};
    //        ^ u8
    //           ^ &str
    //                                ^ u16
    let items = vec![(1u8, "a")];
    items.iter().for_each(|(n, s)| {});
    //                      ^ &u8
    //                         ^ &&str
    items.into_iter().for_each(|(n, s)| {});
    //                           ^ u8
    //                              ^ &str
}

fn shadowed(x: u8) {
    let x = x.to_string();
    //      ^^^^^^^^^^^^^ String
    let x = x.len();
    //      ^ String
    { let x = "a"; x; }
    //             ^ &str
    x;
  //^ usize
}

const ZERO: u8 = 0;
fn constants(n: u8) {
    match n {
        ZERO => {}
      //^^^^ u8
        1..=9 => {}
        other => {}
      //^^^^^ u8
    }
}

mod shapes {
    pub struct Side(pub u8);
    pub enum Shape<T> {
        Square(T),
        Circle { radius: u16 },
    }
}

/// What an unknown derive may generate does not hide the names in bodies.
mod beside_an_unknown_derive {
    use super::shapes::*;

    #[derive(Grammar)]
    struct Grammar;

    fn made(side: Side) {
        let square = Shape::Square(1_u8);
        //  ^^^^^^ Shape<u8>
        match (Shape::<u8>::Circle { radius: 1 }) {
            Shape::Square(side) => {}
            //            ^^^^ u8
            Shape::Circle { radius } => {}
            //              ^^^^^^ u16
        }
        let field = side.0;
        //  ^^^^^ u8
    }
}
