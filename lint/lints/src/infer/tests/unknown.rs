//! Cases: types that must be unknown, since they cannot be known for sure.

#![allow(unused, dead_code)]

use std::collections::HashMap;

/// Has the name of a type of std.
pub enum Option<T> {
    One(T),
    Other(u8),
}
impl<T> Option<T> {
    fn map(self, f: impl Fn(T) -> u8) -> u16 { 1 }
    fn filter(&self, f: impl Fn(&T) -> bool) {}
}
pub struct Vec<T>(T);
impl<T> Vec<T> {
    fn push(&mut self, x: u8) -> T { loop {} }
}
pub struct Box<T>(T);
impl<T> Box<T> {
    fn new(x: u8) -> Box<T> { loop {} }
}

fn own_types_of_known_names(own: Option<String>, mut list: Vec<String>) {
    own.filter(|s| true);
  //^^^^^^^^^^^^^^^^^^^^ ()
    own.map(|s| 1);
  //^^^^^^^^^^^^^^ u16
    list.push(1);
  //^^^^^^^^^^^^ String
    list[0];
  //^^^^^^^ ?
    let b: Box<u16> = Box::new(1);
    //                ^^^^^^^^^^^ Box<u16>
    let other: Box<u16> = Box::<u16>::new(1);
    //                    ^^^^^^^^^^^^^^^^^^ Box<u16>
    for x in list {}
    //  ^ u8
}
impl<T> std::ops::Index<usize> for Vec<T> {
    type Output = u16;
    fn index(&self, _: usize) -> &u16 { &1 }
}
impl<T> IntoIterator for Vec<T> {
    type Item = u8;
    type IntoIter = std::vec::IntoIter<u8>;
    fn into_iter(self) -> Self::IntoIter { loop {} }
}

fn numbers_without_a_suffix(flag: bool) {
    let n = 1;
    //  ^ ?
    let list = [1, 2];
    //  ^^^^ [?; 2]
    let sum = 1 + 2;
    //  ^^^ ?
    let negative = -1;
    //  ^^^^^^^^ ?
}

fn nothing_is_put_in() {
    let list = std::vec::Vec::<_>::from([]);
    //  ^^^^ Vec<u8>
    let all: &std::vec::Vec<u8> = &list;
    let none = std::option::Option::None;
    //  ^^^^ Option<u8>
    let other: std::option::Option<u8> = none;
}

fn unseen<T>() -> T { loop {} }
struct Unit;
impl std::ops::Mul<Unit> for f64 {
    type Output = Unit;
    fn mul(self, _: Unit) -> Unit { Unit }
}
struct Meters(f32);
impl std::ops::Add for Meters {
    type Output = Unit;
    fn add(self, _: Meters) -> Unit { Unit }
}
impl std::ops::Neg for Meters {
    type Output = Unit;
    fn neg(self) -> Unit { Unit }
}
impl std::ops::Not for Meters {
    type Output = u8;
    fn not(self) -> u8 { 1 }
}
impl std::ops::Mul<Meters> for u8 {
    type Output = Meters;
    fn mul(self, m: Meters) -> Meters { m }
}
impl std::ops::Add<char> for Unit {
    type Output = String;
    fn add(self, c: char) -> String { String::new() }
}
fn operators_of_own_types(a: Meters, b: Meters, c: Meters, d: Meters, e: Meters) {
    a + b;
  //^^^^^ Unit
    -c;
  //^^ ?
    !d;
  //^^ ?
    2u8 * e;
  //^^^^^^^ Meters
    Unit + 'a';
  //^^^^^^^^^^ String
    2.0f64 * unseen::<Unit>();
  //^^^^^^^^^^^^^^^^^^^^^^^^^ Unit
    1u8 + unseen::<u8>();
  //^^^^^^^^^^^^^^^^^^^^ u8
}

macro_rules! number { () => { 1u8 } }
macro_rules! listed { ($x:expr) => { [$x] } }
fn own_macros() {
    number!();
  //^^^^^^^^^ ?
    listed!(1u8);
  //^^^^^^^^^^^^ ?
}

mod own {
    macro_rules! vec { ($($x:tt)*) => { 1u8 } }
    macro_rules! format { ($($x:tt)*) => { 2u16 } }
    fn named_as_those_of_std() {
        vec![1, 2];
      //^^^^^^^^^^ ?
        format!("a");
      //^^^^^^^^^^^^ ?
    }
}

fn generic<T: Iterator>(t: T, f: impl Fn() -> T::Item) {
    for x in t {}
    //  ^ T::Item
    f();
  //^^^ ?
}

trait Shaped {
    fn shape(&self) -> u8;
}
trait Also {
    fn shape(&self) -> String;
}
fn of_one_of_two<T: Also>(t: T) {
    t.shape();
  //^^^^^^^^^ String
}

union Bits { a: u32, b: f32 }
fn unions(bits: Bits) {
    unsafe { bits.a };
    //     ^^^^^^^^^^ u32
}

fn branches_of_which_none_says_all(flag: bool) {
    let first = if flag { std::option::Option::None } else { Some(1u8) };
    //  ^^^^^ Option<u8>
    let second = if flag { Err(1u8) } else { Ok("a") };
    //  ^^^^^^ Result<&str, u8>
    let third = match flag { true => std::option::Option::None, _ => std::option::Option::None };
    //  ^^^^^ Option<u8>
    let check: std::option::Option<u8> = third;
}

fn coerced(list: &std::vec::Vec<u8>, boxed: std::boxed::Box<String>) {
    let text: &str = &boxed;
    //               ^^^^^^ &Box<String>
    let slice: &[u8] = list;
    //                 ^^^^ &Vec<u8>
    let branch = if true { list } else { slice };
    //  ^^^^^^ ?
}
