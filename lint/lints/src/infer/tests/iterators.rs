//! Cases: iterators, all of one type here, and collections made from them.

#![allow(unused, dead_code)]

use std::collections::{BTreeMap, HashMap, HashSet};

struct Item { name: String, size: u32 }

fn adapters(items: Vec<Item>, words: &[&str]) {
    items.iter();
  //^^^^^^^^^^^^ Iter<&Item>
    items.iter().map(|i| i.size);
    //                   ^ &Item
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<u32>
    items.iter().map(|i| &i.name);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<&String>
    items.iter().filter(|i| i.size > 1);
    //                      ^ &&Item
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<&Item>
    items.iter().filter_map(|i| i.name.chars().next());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<char>
    items.iter().enumerate().skip(1).rev();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<(usize, &Item)>
    items.iter().zip(words);
  //^^^^^^^^^^^^^^^^^^^^^^^ Iter<(&Item, &&…)>
    items.iter().flat_map(|i| i.name.chars());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<char>
    items.iter().map(|i| i.name.as_str()).chain(["a"]);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<&str>
    words.iter().copied();
  //^^^^^^^^^^^^^^^^^^^^^ Iter<&str>
    words.iter().cloned().peekable();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<&str>
    items.iter().peekable().peek();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<&&Item>
    words.chunks(2);
  //^^^^^^^^^^^^^^^ Iter<&[&…]>
    words.windows(2).map(|w| w[0]);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<&str>
    items.iter().take_while(|i| i.size > 1).last();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<&Item>
    items.iter().scan(0u8, |s, i| Some(i.size));
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<u32>
    items.iter().step_by(2).by_ref();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Iter<&Item>
    items.into_iter();
  //^^^^^^^^^^^^^^^^^ Iter<Item>
}

fn ends(items: Vec<Item>, numbers: &[u8]) {
    items.iter().next();
  //^^^^^^^^^^^^^^^^^^^ Option<&Item>
    items.iter().find(|i| i.size == 1);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<&Item>
    items.iter().position(|i| i.size == 1);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<usize>
    items.iter().any(|i| i.size == 1);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ bool
    items.iter().count();
  //^^^^^^^^^^^^^^^^^^^^ usize
    items.iter().max_by_key(|i| i.size);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<&Item>
    numbers.iter().min();
  //^^^^^^^^^^^^^^^^^^^^ Option<&u8>
    numbers.iter().sum::<u8>();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^ u8
    numbers.iter().fold(0u16, |a, b| a + *b as u16);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ u16
    numbers.iter().copied().reduce(|a, b| a.max(b));
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<u8>
    let total: u32 = items.iter().map(|i| i.size).sum();
    //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ u32
    let sums = items.iter().map(|i| i.size).sum::<u32>();
    //  ^^^^ u32
}

fn collected(items: Vec<Item>, words: &[&str]) -> Result<(), String> {
    let names: Vec<&str> = items.iter().map(|i| i.name.as_str()).collect();
    //                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Vec<&str>
    let part = items.iter().map(|i| i.size).collect::<Vec<_>>();
    //  ^^^^ Vec<u32>
    let list: Vec<_> = items.iter().map(|i| i.size).collect();
    //  ^^^^ Vec<u32>
    let all = words.iter().map(|w| w.parse::<u8>()).collect::<Result<Vec<_>, _>>();
    //  ^^^ Result<Vec<u8>, ?>
    let map: HashMap<_, _> = items.iter().map(|i| (i.size, &i.name)).collect();
    //  ^^^ HashMap<u32, &String>
    let tree = items.iter().map(|i| (i.size, 1u8)).collect::<BTreeMap<_, _>>();
    //  ^^^^ BTreeMap<u32, u8>
    let set: HashSet<&str> = words.iter().copied().collect();
    //  ^^^ HashSet<&str>
    let text: String = words.iter().copied().collect();
    //  ^^^^ String
    let (big, small): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|i| i.size > 1);
    big;
  //^^^ Vec<Item>
    Ok(())
}

struct Count(u8);
impl Iterator for Count {
    type Item = u16;
    fn next(&mut self) -> Option<u16> { None }
}
struct Bag(Vec<String>);
impl IntoIterator for Bag {
    type Item = String;
    type IntoIter = std::vec::IntoIter<String>;
    fn into_iter(self) -> Self::IntoIter { self.0.into_iter() }
}
impl<'a> IntoIterator for &'a Bag {
    type Item = &'a String;
    type IntoIter = std::slice::Iter<'a, String>;
    fn into_iter(self) -> Self::IntoIter { self.0.iter() }
}

fn own(count: Count, bag: Bag, mut lent: &mut Count) {
    for n in count {}
    //  ^ u16
    for s in &bag {}
    //  ^ &String
    for s in bag {}
    //  ^ String
    for n in lent {}
    //  ^ u16
    Count(1).map(|n| n == 1);
  //^^^^^^^^^^^^^^^^^^^^^^^^ Iter<bool>
    Count(1).collect::<Vec<_>>();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Vec<u16>
}

fn generic<I: Iterator<Item = String>>(it: I, two: impl IntoIterator<Item = u8>) {
    for s in it {}
    //  ^ I::Item
    for n in two {}
    //  ^ ?
}

fn sources() {
    for n in std::iter::repeat(1u8) {}
    //  ^ ?
    for n in std::iter::once("a") {}
    //  ^ ?
    for n in (1..4u8).rev() {}
    //  ^ u8
    for line in "a".lines() {}
    //  ^^^^ &str
    for (i, c) in "a".char_indices() {}
    //   ^ usize
    //      ^ char
    for pair in [1u8].iter().zip("a".chars()) {}
    //  ^^^^ (&u8, char)
    for word in "a b".split(' ').map(str::to_owned) {}
    //  ^^^^ String
    for arg in std::env::args() {}
    //  ^^^ ?
}
