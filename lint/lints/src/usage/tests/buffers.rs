//! Cases: what happens to fields that can grow.

#![allow(unused, dead_code)]

use std::cell::RefCell;

struct Token {
    text: String,
    ends: Vec<u8>,
}

fn made(text: &str, ends: Vec<u8>, n: usize) -> Vec<Token> {
    let mut grown = Vec::new();
    for i in 0..n {
        grown.push(i as u8);
    }
    vec![
        Token { text: text.to_owned(), ends: Vec::new() },
        //            ^^^^^^^^^^^^^^^ Token::text Made(Exact), to edit
        //                                   ^^^^^^^^^^ Token::ends Made(Empty), to edit
        Token { text: format!("{n}"), ends: vec![1, 2] },
        //            ^^^^^^^^^^^^^^ Token::text Made(Collected), to edit
        //                                  ^^^^^^^^^^ Token::ends Made(Exact), to edit
        Token { text: String::from("a"), ends: ends },
        //            ^^^^^^^^^^^^^^^^^ Token::text Made(Exact), to edit
        //                                     ^^^^ Token::ends Made(Given), to edit
        Token { text: text.chars().rev().collect(), ends: grown },
        //            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Token::text Made(Collected), to edit
        //                                                ^^^^^ Token::ends Made(Grown), to edit
        Token { text: given(text), ends: Vec::with_capacity(4) },
        //            ^^^^^^^^^^^ Token::text Made(Collected), to edit
        //                               ^^^^^^^^^^^^^^^^^^^^^ Token::ends Made(Empty), to edit
        Token { text: text.into(), ends: text.bytes().collect() },
        //            ^^^^^^^^^^^ Token::text Made(Exact), to edit
        //                               ^^^^^^^^^^^^^^^^^^^^^^ Token::ends Made(Collected), to edit
    ]
}
fn given(text: &str) -> String {
    text.to_lowercase()
}

fn looked_at(token: &Token) -> usize {
    token.text.len();
  //^^^^^^^^^^^^^^^^ Token::text Read
    token.text.trim();
  //^^^^^^^^^^^^^^^^^ Token::text Read
    token.text.as_str();
  //^^^^^^^^^^^^^^^^^^^ Token::text Read, to edit
    token.ends.iter();
  //^^^^^^^^^^^^^^^^^ Token::ends Read
    token.ends.capacity();
  //^^^^^^^^^^^^^^^^^^^^^ Token::ends Read, to edit
    token.ends.clone();
  //^^^^^^^^^^^^^^^^^^ Token::ends Cloned, to edit
    token.ends.first();
  //^^^^^^^^^^^^^^^^^^ Token::ends Read
    println!("{}", token.text);
    //             ^^^^^^^^^^ Token::text Read
    let Token { text, ends } = token;
    text.len() + ends.len()
  //^^^^^^^^^^ Token::text Read
    //           ^^^^^^^^^^ Token::ends Read
}

fn changed(token: &mut Token) {
    token.text.push('a');
  //^^^^^^^^^^^^^^^^^^^^ Token::text Grown, to edit
    token.ends.pop();
  //^^^^^^^^^^^^^^^^ Token::ends Shrunk, to edit
    token.ends.clear();
  //^^^^^^^^^^^^^^^^^^ Token::ends Emptied, to edit
    token.ends.sort();
  //^^^^^^^^^^^^^^^^^ Token::ends Read
    token.ends.shrink_to_fit();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^ Token::ends Read, to edit
    token.ends.reserve(1);
  //^^^^^^^^^^^^^^^^^^^^^ Token::ends Grown, to edit
    token.text = String::new();
    //           ^^^^^^^^^^^^^ Token::text Made(Empty), to edit
    token.text += "a";
  //^^^^^^^^^^^^^^^^^ Token::text Grown, to edit
    let lent = &mut token.ends;
    lent.push(1);
  //^^^^^^^^^^^^ Token::ends Grown, to edit
    if let Some(last) = token.ends.last_mut() {}
}

fn lent(token: &mut Token) {
    std::mem::swap(&mut token.text, &mut String::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Token::text Taken, to edit
    std::mem::take(&mut token.ends);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Token::ends Emptied; Token::ends Read
    fills(&mut token.ends);
    unseen(&mut token.text);
    //     ^^^^^^^^^^^^^^^ Token::text Lent, to edit
}
fn fills(ends: &mut Vec<u8>) {
    ends.push(1);
  //^^^^^^^^^^^^ Token::ends Grown, to edit
}
fn unseen<T>(_: &mut T) {}

struct Other {
    text: String,
    boxed: Box<[u8]>,
}
fn moved(token: Token) -> Other {
    Other {
        text: token.text,
        //    ^^^^^^^^^^ Token::text MovedInto(Other::text), to edit; Other::text Made(Given), to edit
        boxed: token.ends.into_boxed_slice(),
        //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Token::ends Read, to edit
    }
}
fn taken(token: Token) -> String {
    token.text
  //^^^^^^^^^^ Token::text Read, to edit
}
pub fn published(token: Token) -> Vec<u8> {
    token.ends.into_iter().collect()
  //^^^^^^^^^^^^^^^^^^^^^^ Token::ends Read, to edit
}

struct Shared {
    text: RefCell<String>,
    maybe: Option<Vec<u8>>,
}
fn through(shared: &mut Shared) {
    shared.text.borrow().len();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^ Shared::text Read
    shared.text.borrow_mut().push('a');
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Shared::text Grown, to edit
    shared.maybe.is_some();
  //^^^^^^^^^^^^^^^^^^^^^^ Shared::maybe Read
    if let Some(list) = &mut shared.maybe {
        list.push(1);
      //^^^^^^^^^^^^ Shared::maybe Grown, to edit
    }
    shared.maybe.as_ref().unwrap().len();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Shared::maybe Read
    shared.maybe = None;
    //             ^^^^ Shared::maybe Made(Empty)
    shared.maybe = Some(vec![1]);
    //             ^^^^^^^^^^^^^ Shared::maybe Made(Exact), to edit
}

// With an allocator of its own, it is none of these buffers.
struct Local<A: std::alloc::Allocator> {
    bytes: Vec<u8, A>,
    text: Vec<u8, std::alloc::Global>,
}
fn local<A: std::alloc::Allocator>(local: &Local<A>) -> usize {
    local.text.len();
  //^^^^^^^^^^^^^^^^ Local::text Read
    local.bytes.len()
  //^^^^^^^^^^^^^^^^^ nothing
}

// No list or text has this method: the field is another type's.
fn of_another(thing: Unknown) {
    thing.ends.into_inner();
  //^^^^^^^^^^^^^^^^^^^^^^^ nothing
}
