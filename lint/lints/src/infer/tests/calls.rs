//! Cases: functions, methods, generics, traits, closures.

#![allow(unused, dead_code)]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

fn plain(n: u8) -> String { String::new() }
fn same<T>(x: T) -> T { x }
fn second<A, B>(a: A, b: B) -> B { b }
fn listed<T>(x: T) -> Vec<T> { vec![x] }
fn made<T: Default>() -> T { T::default() }
fn hidden() -> impl Iterator<Item = u8> { std::iter::once(1) }
fn boxed() -> Box<dyn Iterator<Item = String>> { Box::new(std::iter::empty()) }
fn applied<A, B>(x: A, f: impl Fn(A) -> B) -> B { f(x) }
fn called<F: FnOnce() -> u16>(f: F) -> F { f }
fn never() -> ! { loop {} }

fn functions() {
    plain(1);
  //^^^^^^^^ String
    same("a");
  //^^^^^^^^^ &str
    same::<u8>(1);
  //^^^^^^^^^^^^^ u8
    second(1u8, 'a');
  //^^^^^^^^^^^^^^^^ char
    listed(1u8);
  //^^^^^^^^^^^ Vec<u8>
    let m: Vec<u8> = made();
    //               ^^^^^^ Vec<u8>
    made::<String>();
  //^^^^^^^^^^^^^^^^ String
    applied(1u8, |n| n == 1);
  //^^^^^^^^^^^^^^^^^^^^^^^^ bool
    plain;
  //^^^^^ fn(u8) -> String
    never();
  //^^^^^^^ !
    char::from_u32(65);
  //^^^^^^^^^^^^^^^^^^ Option<char>
    b'a'.to_ascii_uppercase();
  //^^^^^^^^^^^^^^^^^^^^^^^^^ u8
    1u16.wrapping_add(2).checked_sub(1);
  //^^^^^^^^^^^^^^^^^^^^ u16
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<u16>
    1.5f32.sqrt().max(1.0);
  //^^^^^^^^^^^^^^^^^^^^^^ f32
    for n in hidden() {}
    //  ^ u8
    for s in boxed() {}
    //  ^ String
}

struct Tree<T> {
    items: Vec<T>,
    left: Option<Box<Tree<T>>>,
}

impl<T> Tree<T> {
    const EMPTY: u8 = 0;
    fn new() -> Self { Tree { items: Vec::new(), left: None } }
    fn with(item: T) -> Self { let mut t = Self::new(); t.items.len(); t }
    //                                     ^^^^^^^^^^^ Tree<T>
    //                                                  ^^^^^^^ Vec<T>
    fn first(&self) -> Option<&T> { self.items.first() }
    //                              ^^^^^^^^^^^^^^^^^^ Option<&T>
    fn take(&mut self) -> Vec<T> { std::mem::take(&mut self.items) }
    //                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Vec<T>
    fn left(&self) -> Option<&Tree<T>> { self.left.as_deref() }
    //                                   ^^^^^^^^^^^^^^^^^^^^ Option<&Tree<T>>
    fn pair<U>(self, other: U) -> (T, U) { loop {} }
    fn me(&self) -> &Self { self }
    //                      ^^^^ &Tree<T>
}

impl Tree<String> {
    fn joined(&self) -> String { self.items.concat() }
    //                           ^^^^^^^^^^^^^^^^^^^ String
}

fn methods(tree: Tree<String>, rc: Rc<Tree<u8>>) {
    tree.first();
  //^^^^^^^^^^^^ Option<&String>
    tree.first().unwrap().len();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^ usize
    tree.left();
  //^^^^^^^^^^^ Option<&Tree<String>>
    rc.first();
  //^^^^^^^^^^ Option<&u8>
    Tree::<u8>::new();
  //^^^^^^^^^^^^^^^^^ Tree<u8>
    Tree::with("a");
  //^^^^^^^^^^^^^^^ Tree<&str>
    Tree::<u8>::EMPTY;
  //^^^^^^^^^^^^^^^^^ u8
    tree.joined();
  //^^^^^^^^^^^^^ String
    Tree::first(&tree);
  //^^^^^^^^^^^^^^^^^^ Option<&String>
    <Tree<u8>>::new();
  //^^^^^^^^^^^^^^^^^ Tree<u8>
    tree.pair(1u8);
  //^^^^^^^^^^^^^^ (String, u8)
    Tree { items: vec![1u8], left: None }.pair("a");
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ (u8, &str)
}

trait Named {
    type Id;
    fn name(&self) -> String;
    fn id(&self) -> Self::Id;
    fn twice(&self) -> (String, String) { (self.name(), self.name()) }
    //                                     ^^^^^^^^^^^ String
    fn build() -> Self where Self: Sized;
}

trait Long: Sized {
    const LONG: usize;
}

struct Dog;
impl Long for Dog {
    const LONG: usize = 3;
}
impl Named for Dog {
    type Id = u16;
    fn name(&self) -> String { String::new() }
    fn id(&self) -> u16 { 1 }
    fn build() -> Self { Dog }
    //                   ^^^ Dog
}

fn traits<N: Named + Long>(dog: Dog, any: &dyn Named<Id = u8>, n: N) {
    dog.name();
  //^^^^^^^^^^ String
    dog.id();
  //^^^^^^^^ u16
    dog.twice();
  //^^^^^^^^^^^ (String, String)
    any.name();
  //^^^^^^^^^^ String
    n.name();
  //^^^^^^^^ String
    n.id();
  //^^^^^^ N::Id
    Dog::build();
  //^^^^^^^^^^^^ Dog
    <Dog as Named>::build();
  //^^^^^^^^^^^^^^^^^^^^^^^ Dog
    N::build();
  //^^^^^^^^^^ N
    Dog::LONG;
  //^^^^^^^^^ usize
    N::LONG;
  //^^^^^^^ ?
}

struct Guard(Dog);
impl Deref for Guard {
    type Target = Dog;
    fn deref(&self) -> &Dog { &self.0 }
}
fn through(guard: Guard, arc: Arc<Mutex<Vec<u8>>>, cell: Rc<RefCell<String>>, flag: Cell<Option<u8>>) {
    guard.name();
  //^^^^^^^^^^^^ String
    &*guard;
  //^^^^^^^ &Dog
    arc.lock().unwrap().pop();
  //^^^^^^^^^^^^^^^^^^^^^^^^^ Option<u8>
    cell.borrow().len();
  //^^^^^^^^^^^^^^^^^^^ usize
    cell.borrow_mut().pop();
  //^^^^^^^^^^^^^^^^^^^^^^^ Option<char>
    flag.get();
  //^^^^^^^^^^ Option<u8>
    flag.take();
  //^^^^^^^^^^^ Option<u8>
    Arc::clone(&arc);
  //^^^^^^^^^^^^^^^^ Arc<Mutex<Vec<u8>>>
    Rc::clone(&cell);
  //^^^^^^^^^^^^^^^^ Rc<RefCell<String>>
    Rc::downgrade(&cell);
  //^^^^^^^^^^^^^^^^^^^^ Weak<RefCell<String>>
    arc.clone();
  //^^^^^^^^^^^ Arc<Mutex<Vec<u8>>>
}

fn pointers() {
    Box::new(1u8);
  //^^^^^^^^^^^^^ Box<u8>
    Rc::new(String::new());
  //^^^^^^^^^^^^^^^^^^^^^^ Rc<String>
    Arc::new(Mutex::new(1u8));
  //^^^^^^^^^^^^^^^^^^^^^^^^^ Arc<Mutex<u8>>
    RefCell::new(Dog);
  //^^^^^^^^^^^^^^^^^ RefCell<Dog>
    let b: Box<dyn Named<Id = u16>> = Box::new(Dog);
    //                                ^^^^^^^^^^^^^ Box<dyn Named>
    let v: Rc<[u8]> = Rc::from(vec![1u8]);
    //                ^^^^^^^^^^^^^^^^^^^ Rc<[u8]>
    Some(Box::new(Dog));
  //^^^^^^^^^^^^^^^^^^^ Option<Box<Dog>>
}

fn closures(text: String) {
    let double = |n: u8| n * 2;
    //  ^^^^^^ fn(u8) -> u8
    double(1);
  //^^^^^^^^^ u8
    let lent = || text.len();
    //  ^^^^ fn() -> usize
    lent();
  //^^^^^^ usize
    let say = |s: &str| -> String { s.to_owned() };
    say("a");
  //^^^^^^^^ String
    let pointer: fn(u8) -> u16 = |n| n as u16;
    //  ^^^^^^^ fn(u8) -> u16
    //                               ^ u8
    pointer(1);
  //^^^^^^^^^^ u16
    let f: Box<dyn Fn(u8) -> String> = loop {};
    f(1);
  //^^^^ ?
    called(|| 1)();
  //^^^^^^^^^^^^^^ ?
    let constructor = Wrap;
    //  ^^^^^^^^^^^ fn(u8) -> Wrap
    constructor(1u8);
  //^^^^^^^^^^^^^^^^ Wrap
}
struct Wrap(u8);

fn constructors(text: &str) {
    Some(1u8);
  //^^^^^^^^^ Option<u8>
    let n: Option<u16> = None;
    //                   ^^^^ Option<u16>
    let r: Result<u8, String> = Ok(1);
    //                          ^^^^^ Result<u8, String>
    let e: Result<u8, String> = Err(text.into());
    //                          ^^^^^^^^^^^^^^^^ Result<u8, String>
    Wrap(1);
  //^^^^^^^ Wrap
    ["a", "b"].map(String::from);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^ [?; 2]
    Some(1u8).map(Wrap);
  //^^^^^^^^^^^^^^^^^^^ Option<Wrap>
    Some(text).map(str::len);
  //^^^^^^^^^^^^^^^^^^^^^^^^ Option<usize>
    Some(text).map(|t| t.to_owned());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<String>
}

fn options(o: Option<String>, r: Result<u8, String>, refs: Option<&u8>) {
    o.as_ref();
  //^^^^^^^^^^ Option<&String>
    o.as_deref();
  //^^^^^^^^^^^^ Option<&str>
    o.as_ref().map(|s| s.len());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<usize>
    o.is_some();
  //^^^^^^^^^^^ bool
    o.iter();
  //^^^^^^^^ Iter<&String>
    refs.copied();
  //^^^^^^^^^^^^^ Option<u8>
    r.as_ref().ok();
  //^^^^^^^^^^^^^^^ Option<&u8>
    r.as_ref().err();
  //^^^^^^^^^^^^^^^^ Option<&String>
    r.clone().map_err(|e| e.len());
    //                    ^ String
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Result<u8, usize>
    r.clone().unwrap_or(1);
  //^^^^^^^^^^^^^^^^^^^^^^ u8
    o.clone().ok_or("a");
  //^^^^^^^^^^^^^^^^^^^^ Result<String, &str>
    o.clone().and_then(|s| s.chars().next());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<char>
    o.clone().unwrap_or_default();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ String
    o.unwrap_or_else(|| String::new());
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ String
}

fn collections(mut v: Vec<String>, mut m: HashMap<String, Vec<u8>>, b: BTreeMap<u8, char>) {
    v.pop();
  //^^^^^^^ Option<String>
    v.push(String::new());
  //^^^^^^^^^^^^^^^^^^^^^ ()
    v.first_mut();
  //^^^^^^^^^^^^^ Option<&mut String>
    v.remove(0);
  //^^^^^^^^^^^ String
    v.len();
  //^^^^^^^ usize
    v.get(1);
  //^^^^^^^^ Option<&String>
    v.get(..1);
  //^^^^^^^^^^ ?
    v.drain(..);
  //^^^^^^^^^^^ Iter<String>
    v.split_first();
  //^^^^^^^^^^^^^^^ Option<(&String, &[…])>
    v.iter().max();
  //^^^^^^^^^^^^^^ Option<&String>
    v.as_slice();
  //^^^^^^^^^^^^ &[String]
    v.join(",");
  //^^^^^^^^^^^ ?
    m.get("a");
  //^^^^^^^^^^ Option<&Vec<u8>>
    m.entry(String::new()).or_default();
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ &mut Vec<u8>
    m.insert(String::new(), vec![]);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Option<Vec<u8>>
    m.keys();
  //^^^^^^^^ Iter<&String>
    m.values_mut();
  //^^^^^^^^^^^^^^ Iter<&mut Vec<u8>>
    m.remove("a").unwrap();
  //^^^^^^^^^^^^^^^^^^^^^^ Vec<u8>
    b.range(1..);
  //^^^^^^^^^^^^ Iter<(&u8, &char)>
    b.first_key_value();
  //^^^^^^^^^^^^^^^^^^^ Option<(&u8, &char)>
    b.iter().next_back();
  //^^^^^^^^^^^^^^^^^^^^ Option<(&u8, &char)>
}

fn taught() {
    let mut list = Vec::new();
    //      ^^^^ Vec<u8>
    list.push(1u8);
    list;
  //^^^^ Vec<u8>
    let mut map = HashMap::new();
    //      ^^^ HashMap<&str, u8>
    map.insert("a", 1u8);
    map;
  //^^^ HashMap<&str, u8>
    let mut set = HashSet::new();
    set.insert('a');
    set;
  //^^^ HashSet<char>
    let mut queue = VecDeque::new();
    queue.push_back("a");
    queue.pop_front();
  //^^^^^^^^^^^^^^^^^ Option<&str>
    let mut chain = LinkedList::new();
    chain.push_back(1u8);
    chain;
  //^^^^^ LinkedList<u8>
    let heap = BinaryHeap::from(vec![1u8]);
    heap.peek();
  //^^^^^^^^^^^ Option<&?>
    let set: BTreeSet<u8> = BTreeSet::new();
    //                      ^^^^^^^^^^^^^^^ BTreeSet<u8>
}

fn texts(s: &str, owned: String) {
    s.to_string();
  //^^^^^^^^^^^^^ String
    s.to_owned();
  //^^^^^^^^^^^^ String
    s.trim();
  //^^^^^^^^ &str
    s.as_bytes();
  //^^^^^^^^^^^^ &[u8]
    s.find('a');
  //^^^^^^^^^^^ Option<usize>
    s.split_once(',');
  //^^^^^^^^^^^^^^^^^ Option<(&str, &str)>
    s.chars().rev();
  //^^^^^^^^^^^^^^^ Iter<char>
    String::from(s);
  //^^^^^^^^^^^^^^^ String
    owned.as_str();
  //^^^^^^^^^^^^^^ &str
    owned.into_bytes();
  //^^^^^^^^^^^^^^^^^^ Vec<u8>
    let word: String = s.into();
    //                 ^^^^^^^^ String
    s.parse::<u8>();
  //^^^^^^^^^^^^^^^ Result<u8, ?>
    let n: Result<u16, _> = s.parse();
    n;
  //^ Result<u16, ?>
    1u8.to_string();
  //^^^^^^^^^^^^^^^ String
}

fn derived<T: Clone>(t: T, list: &[T], text: &String) {
    t.clone();
  //^^^^^^^^^ T
    list.to_vec();
  //^^^^^^^^^^^^^ Vec<T>
    list[0].clone();
  //^^^^^^^^^^^^^^^ T
    text.clone();
  //^^^^^^^^^^^^ String
    text.as_str().to_string();
  //^^^^^^^^^^^^^^^^^^^^^^^^^ String
}

#[derive(Deserialize, Parser)]
struct Given {
    list: Vec<u8>,
}

struct Plain;

/// What derives of other crates generate.
fn generated() {
    Given::parse();
  //^^^^^^^^^^^^^^ Given
    Given::try_parse();
  //^^^^^^^^^^^^^^^^^^ Result<Given, ?>
    Given::deserialize(1);
  //^^^^^^^^^^^^^^^^^^^^^ Result<Given, ?>
    Plain::parse();
  //^^^^^^^^^^^^^^ ?
}
