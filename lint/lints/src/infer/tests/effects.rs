//! Cases: effects of std's methods on their receivers.

#![allow(unused, dead_code)]

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::RwLock;

fn lists(mut list: Vec<u8>, mut queue: VecDeque<String>, array: [u8; 3]) {
    list.push(1);
  //^^^^^^^^^^^^ Grows
    list.len();
  //^^^^^^^^^^ Reads
    list.reserve(1);
  //^^^^^^^^^^^^^^^ Reserves
    list.extend([1]);
  //^^^^^^^^^^^^^^^^ Grows
    list.pop();
  //^^^^^^^^^^ Shrinks
    list.clear();
  //^^^^^^^^^^^^ Empties
    list.shrink_to_fit();
  //^^^^^^^^^^^^^^^^^^^^ Fits
    list.sort();
  //^^^^^^^^^^^ Reads
    list.capacity();
  //^^^^^^^^^^^^^^^ ReadsAsOwner
    list.write_all(b"a");
  //^^^^^^^^^^^^^^^^^^^^ Grows
    list.clone();
  //^^^^^^^^^^^^ Copies
    list.to_vec();
  //^^^^^^^^^^^^^ Reads
    list.iter();
  //^^^^^^^^^^^ Reads
    list.first_mut();
  //^^^^^^^^^^^^^^^^ Reads
    list.spare_capacity_mut();
  //^^^^^^^^^^^^^^^^^^^^^^^^^ Lends
    queue.push_back(String::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Grows
    queue.iter();
  //^^^^^^^^^^^^ Reads
    array.len();
  //^^^^^^^^^^^ Reads
    list.clone_from(&Vec::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Sets
    list.into_boxed_slice();
  //^^^^^^^^^^^^^^^^^^^^^^^ Consumes
}

fn texts(mut text: String, path: &mut PathBuf) {
    text.push_str("a");
  //^^^^^^^^^^^^^^^^^^ Grows
    text.write_str("a");
  //^^^^^^^^^^^^^^^^^^^ Grows
    text.trim();
  //^^^^^^^^^^^ Reads
    text.replace("a", "b");
  //^^^^^^^^^^^^^^^^^^^^^^ Reads
    text.as_str();
  //^^^^^^^^^^^^^ ReadsAsOwner
    path.push("a");
  //^^^^^^^^^^^^^^ Grows
    path.file_name();
  //^^^^^^^^^^^^^^^^ Reads
    text.into_bytes();
  //^^^^^^^^^^^^^^^^^ Takes
}

fn others(o: &mut Option<Vec<u8>>, map: &mut HashMap<u8, u8>, lock: &RwLock<String>, cell: &RefCell<String>) {
    o.take();
  //^^^^^^^^ Shrinks
    o.replace(Vec::new());
  //^^^^^^^^^^^^^^^^^^^^^ Sets
    o.as_mut();
  //^^^^^^^^^^ Lends
    o.as_ref();
  //^^^^^^^^^^ Unknown
    o.is_some();
  //^^^^^^^^^^^ Unknown
    map.insert(1, 2);
  //^^^^^^^^^^^^^^^^ Grows
    map.entry(1).or_insert(2);
  //^^^^^^^^^^^^^^^^^^^^^^^^^ Grows
    map.entry(1);
  //^^^^^^^^^^^^ Lends
    lock.write();
  //^^^^^^^^^^^^ Lends
    lock.read();
  //^^^^^^^^^^^ Unknown
    cell.borrow_mut();
  //^^^^^^^^^^^^^^^^^ Lends
    cell.borrow();
  //^^^^^^^^^^^^^ Unknown
}

struct Own(Vec<u8>);
impl Own {
    fn push(&mut self, n: u8) {}
    fn len(&self) -> usize { 1 }
}
trait Widths {
    fn width(&self) -> u8;
}
impl Widths for str {
    fn width(&self) -> u8 { 1 }
}
fn own(mut own: Own, text: &str) {
    own.push(1);
  //^^^^^^^^^^^ Unknown
    own.len();
  //^^^^^^^^^ Unknown
    text.width();
  //^^^^^^^^^^^^ Unknown
}

macro_rules! any { ($e:expr) => { $e } }
fn by_name() {
    let mut it = any!(Vec::new());
    it.push(1u8);
  //^^^^^^^^^^^^ Grows
    it.write(b"a");
  //^^^^^^^^^^^^^^ Lends
    it.len();
  //^^^^^^^^ Reads
    it.insert(0, 1);
  //^^^^^^^^^^^^^^^ Grows
}
