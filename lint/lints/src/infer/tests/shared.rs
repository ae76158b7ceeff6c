//! The type, for other arguments, whose layout a type of std has.

use std::cell::RefCell;
use std::fmt::Debug;
use std::iter::Peekable;
use std::rc::Rc;
use std::vec::IntoIter;

struct Own(u64, u8);

fn pointers(
    list: Vec<Own>,
//  ^^^^ Vec<()>
    of_boxes: Vec<Box<Own>>,
//  ^^^^^^^^ Vec<()>
    boxed: Box<Own>,
//  ^^^^^ Box<()>
    slice: Box<[Own]>,
//  ^^^^^ Box<[()]>
    text: Rc<str>,
//  ^^^^ Rc<[()]>
    object: Box<dyn Debug>,
//  ^^^^^^ none
) {
}

fn values(
    own: Option<Own>,
//  ^^^ none
    boxed: Option<Box<Own>>,
//  ^^^^^ Option<Box<()>>
    slice: Option<Box<[Own]>>,
//  ^^^^^ Option<Box<[()]>>
    result: Result<Vec<Own>, Box<dyn Debug>>,
//  ^^^^^^ Result<Vec<()>, Box<dyn Debug>>
    nested: RefCell<Option<Vec<Own>>>,
//  ^^^^^^ RefCell<Option<Vec<()>>>
    shared: Vec<()>,
//  ^^^^^^ none
) {
}

fn associated(
    iterator: IntoIter<Own>,
//  ^^^^^^^^ IntoIter<()>
    ahead: Peekable<IntoIter<Own>>,
//  ^^^^^ none
    optional: Option<Peekable<IntoIter<Own>>>,
//  ^^^^^^^^ none
) {
}
