//! Cases: what std's declarations say of the methods and functions that are called.

#![allow(unused, dead_code)]

use std::collections::LinkedList;
use std::rc::Rc;

fn lists(mut list: Vec<String>, mut links: LinkedList<u8>, text: &str, unknown: Unknown) {
    list.push(String::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^ stores
    list.iter();
  //^^^^^^^^^^^ counts, items
    list.iter().map(|x| x);
  //^^^^^^^^^^^^^^^^^^^^^^ counts, hands_on
    list.iter().take(1);
  //^^^^^^^^^^^^^^^^^^^ counts, items, keeps
    list.iter().filter(|x| x.len() > 1);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ items
    list.iter().any(|x| x == text);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ends
    list.iter().cloned().collect::<Vec<_>>();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ creates, ends, hands_on, items, makes
    list.pop();
  //^^^^^^^^^^ picks
    list.first();
  //^^^^^^^^^^^^ picks
    list.clone();
  //^^^^^^^^^^^^ converts, creates, fresh, keeps, of_boxes
    list.len();
  //^^^^^^^^^^ looks
    list.as_ptr();
  //^^^^^^^^^^^^^ address
    list.extend_from_slice(&[]);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^ as_slice
    list.join(text);
  //^^^^^^^^^^^^^^^ creates
    links.append(&mut LinkedList::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ splices, stores
    links.cursor_front_mut();
  //^^^^^^^^^^^^^^^^^^^^^^^^ splices
    list.dedup();
  //^^^^^^^^^^^^ no mark
    unknown.send(text);
  //^^^^^^^^^^^^^^^^^^ slow, stores
    unknown.enqueue(text);
  //^^^^^^^^^^^^^^^^^^^^^ stores
    unknown.frobnicate(text);
  //^^^^^^^^^^^^^^^^^^^^^^^^ no mark
}

fn texts(text: &str, maybe: Option<String>, mut cell: std::cell::Cell<u8>) {
    text.trim();
  //^^^^^^^^^^^ cuts
    text.to_owned();
  //^^^^^^^^^^^^^^^ converts, creates, fresh, keeps, makes, of_boxes
    text.to_string();
  //^^^^^^^^^^^^^^^^ converts, creates, keeps, makes
    text.to_uppercase();
  //^^^^^^^^^^^^^^^^^^^ creates, makes
    text.starts_with("a");
  //^^^^^^^^^^^^^^^^^^^^^ looks
    String::from(text);
  //^^^^^^^^^^^^^^^^^^ converts, fresh
    String::new();
  //^^^^^^^^^^^^^ converts, creates
    maybe.is_some();
  //^^^^^^^^^^^^^^^ tells
    maybe.as_deref();
  //^^^^^^^^^^^^^^^^ keeps
    maybe.clone().unwrap();
  //^^^^^^^^^^^^^^^^^^^^^^ keeps, unwraps
    maybe.clone().unwrap_or_default();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ keeps, unwraps
    cell.set(1);
  //^^^^^^^^^^^ puts, stores
    cell.replace(1);
  //^^^^^^^^^^^^^^^ creates, puts, stores
    std::str::from_utf8(&[]);
  //^^^^^^^^^^^^^^^^^^^^^^^^ as_slice
}

fn pointers(one: Rc<u8>, mut two: Rc<u8>, text: Box<str>) {
    Rc::ptr_eq(&one, &two);
  //^^^^^^^^^^^^^^^^^^^^^^ address
    Rc::strong_count(&one);
  //^^^^^^^^^^^^^^^^^^^^^^ owners, tells
    Rc::get_mut(&mut two);
  //^^^^^^^^^^^^^^^^^^^^^ unshares
    Rc::try_unwrap(two);
  //^^^^^^^^^^^^^^^^^^^ unshares
    Rc::into_raw(one);
  //^^^^^^^^^^^^^^^^^ address
    Box::leak(text);
  //^^^^^^^^^^^^^^^ address
    Box::pin(1);
  //^^^^^^^^^^^ address
    let f = String::from;
    //      ^^^^^^^^^^^^ converts, fresh
}

fn waits(mut file: std::fs::File, mut text: String, unknown: Unknown) {
    file.metadata();
  //^^^^^^^^^^^^^^^ slow
    unknown.recv();
  //^^^^^^^^^^^^^^ slow
    std::thread::sleep(unknown);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^ slow
    file.flush();
  //^^^^^^^^^^^^ like_contents
}
