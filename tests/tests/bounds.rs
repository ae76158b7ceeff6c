//! Constants behind bounds: for every kind of bound and argument, whether rustc takes that of the
//! inherent `impl` or that of a trait, and what `cargo weigh` says.

use std::collections::BTreeMap;
use std::fmt::Write;
use weigh_tests::project::Scratch;
use weigh_tests::{cargo, run, weigh, workbench};

/// The bounds; an index is part of the names made for it.
const BOUNDS: &[&str] = &[
    "Sized",
    "?Sized + Send",
    "?Sized + Sync",
    "?Sized + Unpin",
    "?Sized + UnwindSafe",
    "?Sized + RefUnwindSafe",
    "Copy",
    "Clone",
    "Default",
    "?Sized + PartialEq",
    "?Sized + Eq",
    "?Sized + PartialOrd",
    "?Sized + Ord",
    "?Sized + Hash",
    "?Sized + Debug",
    "?Sized + Display",
    "?Sized + ToString",
    "?Sized + Error",
    "?Sized + Any",
    "?Sized + Iterator",
    "Iterator<Item = u8>",
    "IntoIterator",
    "?Sized + Deref",
    "Deref<Target = str>",
    "?Sized + Future",
    "From<u8>",
    "Into<u64>",
    "TryFrom<u64>",
    "?Sized + AsRef<str>",
    "?Sized + Borrow<str>",
    "?Sized + ToOwned",
    "?Sized + Fn()",
    "?Sized + FnMut()",
    "FnOnce(u8) -> u8",
    "?Sized + Write",
    "FromStr",
    "Extend<u8>",
    "Add",
    "Not<Output = bool>",
    "?Sized + Plain",
    "?Sized + OfCopy",
    "?Sized + Below",
    "?Sized + Named<Name = u8>",
    "?Sized + With<u8>",
    "Copy + Send + 'static",
];

const ARGS: &[&str] = &[
    "u8",
    "bool",
    "char",
    "f64",
    "str",
    "()",
    "(u8, String)",
    "(u8, bool)",
    "[u8; 3]",
    "[String; 2]",
    "[u8]",
    "&'static str",
    "&'static Cell<u8>",
    "&'static mut u8",
    "*const u8",
    "fn()",
    "fn(u8) -> u8",
    "unsafe fn()",
    "extern \"C\" fn()",
    "dyn Plain",
    "dyn Fn()",
    "dyn Below + Send",
    "String",
    "Vec<u8>",
    "Vec<Rc<u8>>",
    "Box<u8>",
    "Box<dyn Fn()>",
    "Box<dyn Fn() + Send + Sync>",
    "Box<It>",
    "Rc<u8>",
    "Arc<Cell<u8>>",
    "Arc<u8>",
    "Cell<u8>",
    "RefCell<String>",
    "Mutex<u8>",
    "MutexGuard<'static, u8>",
    "Option<u8>",
    "Option<Rc<u8>>",
    "Result<u8, String>",
    "Range<u8>",
    "std::slice::Iter<'static, u8>",
    "std::vec::IntoIter<u8>",
    "Cow<'static, str>",
    "PathBuf",
    "Duration",
    "NonZero<u8>",
    "AtomicU8",
    "PhantomData<*const u8>",
    "PhantomPinned",
    "HashMap<u8, u8>",
    "std::fmt::Error",
    "std::io::Error",
    "std::env::Args",
    "std::sync::RwLockWriteGuard<'static, u8>",
    "std::iter::Chain<std::vec::IntoIter<u8>, std::slice::Iter<'static, u8>>",
    "std::sync::mpsc::Receiver<u8>",
    "std::sync::mpsc::Sender<Cell<u8>>",
    "std::thread::JoinHandle<Rc<u8>>",
    "std::cell::OnceCell<u8>",
    "std::sync::OnceLock<Rc<u8>>",
    "std::collections::BTreeMap<u8, Rc<u8>>",
    "std::task::Waker",
    "std::any::TypeId",
    "std::fmt::Arguments<'static>",
    "std::sync::Weak<u8>",
    "std::pin::Pin<Box<PhantomPinned>>",
    "std::num::Wrapping<u8>",
    "std::ptr::NonNull<u8>",
    "Unit",
    "Copied",
    "Hand",
    "Raw",
    "SentRaw",
    "UnsentByHand",
    "Pinned",
    "Generic<u8>",
    "Generic<String>",
    "Generic<Rc<u8>>",
    "Looped",
    "It",
    "Opaque",
    "Fancy",
    "Holder<Unit>",
];

const START: &str = r#"
#![allow(dead_code, unused_imports, private_interfaces, private_bounds)]
use std::any::Any;
use std::borrow::{Borrow, Cow};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error;
use std::fmt::{Debug, Display, Formatter};
use std::future::Future;
use std::hash::Hash;
use std::io::Write;
use std::marker::{PhantomData, PhantomPinned};
use std::num::NonZero;
use std::ops::{Add, Deref, Not, Range};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::PathBuf;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::atomic::AtomicU8;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub trait Plain {}
impl Plain for u8 {}
impl Plain for Unit {}
impl<T: Plain> Plain for Vec<T> {}
pub trait OfCopy {}
impl<T: Copy> OfCopy for T {}
pub trait Below: Plain {}
impl Below for Unit {}
pub trait Named { type Name; }
impl Named for u8 { type Name = u8; }
impl Named for String { type Name = String; }
impl<T: Named> Named for Option<T> { type Name = T::Name; }
pub trait With<T> {}
impl With<u8> for Unit {}
impl With<u16> for Copied {}
impl<T: Clone> With<T> for Vec<T> {}

pub struct Unit;
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Copied(u8);
pub struct Hand(u8);
impl Clone for Hand { fn clone(&self) -> Self { Hand(self.0) } }
impl Default for Hand { fn default() -> Self { Hand(0) } }
impl Debug for Hand { fn fmt(&self, _: &mut Formatter) -> std::fmt::Result { Ok(()) } }
impl Display for Hand { fn fmt(&self, _: &mut Formatter) -> std::fmt::Result { Ok(()) } }
impl Error for Hand {}
impl From<u8> for Hand { fn from(n: u8) -> Hand { Hand(n) } }
impl FromStr for Hand { type Err = (); fn from_str(_: &str) -> Result<Hand, ()> { Err(()) } }
impl AsRef<str> for Hand { fn as_ref(&self) -> &str { "" } }
impl Add for Hand { type Output = Hand; fn add(self, _: Hand) -> Hand { self } }
impl Deref for Hand { type Target = str; fn deref(&self) -> &str { "" } }
impl PartialEq for Hand { fn eq(&self, _: &Self) -> bool { true } }
pub struct Raw(*const u8);
pub struct SentRaw(*const u8);
unsafe impl Send for SentRaw {}
pub struct UnsentByHand(Cell<u8>, MutexGuard<'static, u8>);
pub struct Pinned(PhantomPinned, u8);
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generic<T>(T);
unsafe impl<T: Copy> Sync for Generic<T> {}
pub struct Looped(Option<Box<Looped>>, Vec<Looped>);
pub struct It;
impl Iterator for It { type Item = u8; fn next(&mut self) -> Option<u8> { None } }
pub union Opaque { a: u8, b: char }
#[derive(Clone)]
pub enum Fancy { A(Rc<str>), B { b: Cell<u8> } }
pub struct Holder<T: ?Sized>(Box<T>, PhantomData<fn() -> T>);
"#;

/// A module each for a bound, with a type each for an argument.
fn library() -> String {
    let mut text = START.to_owned();
    for (b, bound) in BOUNDS.iter().enumerate() {
        let _ = writeln!(
            text,
            "pub mod b{b} {{ use super::*;
             pub struct W<T: ?Sized>(PhantomData<T>);
             impl<T: {bound}> W<T> {{ pub const I: usize = 1; }}
             pub trait No {{ const I: usize = 2; }}
             impl<T: ?Sized> No for W<T> {{}}"
        );
        for (a, arg) in ARGS.iter().enumerate() {
            let _ = writeln!(text, "pub struct A{a}([u8; <W<{arg}>>::I]);");
        }
        text.push_str("}\n");
    }
    text
}

fn program() -> String {
    let mut text = "use bounds::*;\nfn main() {\n".to_owned();
    for b in 0..BOUNDS.len() {
        for a in 0..ARGS.len() {
            let _ = writeln!(text, "println!(\"{{}}\", size_of::<b{b}::A{a}>());");
        }
    }
    text + "}\n"
}

#[test]
fn a_bound_holds_as_in_rustc_or_is_not_decided() {
    let scratch = Scratch::library("bounds", &library()).file("src/main.rs", program());
    let target = workbench("bounds");
    let mut command = cargo();
    command.current_dir(scratch.folder());
    command.args(["run", "--quiet", "--offline", "--target-dir"]);
    let truth = run(command.arg(&target)).expect(0);
    let mut command = weigh(scratch.folder());
    command.args(["sizes", "--lib", "--message-format", "json"]);
    let said = run(command.arg("--target-dir").arg(&target)).expect(0);
    let said: BTreeMap<String, _> = said
        .json()
        .into_iter()
        .map(|line| (line["path"].as_str().unwrap_or_default().to_owned(), line))
        .collect();
    let cases = BOUNDS.iter().enumerate().flat_map(|(b, bound)| {
        let args = ARGS.iter().enumerate();
        args.map(move |(a, arg)| (format!("b{b}::A{a}"), format!("`{arg}: {bound}`")))
    });
    let (mut wrong, mut unknown, mut count) = (Vec::new(), 0, 0);
    for ((path, case), size) in cases.zip(truth.stdout.lines()) {
        count += 1;
        let line = &said[&path];
        match line["size"].as_u64() {
            None => unknown += 1,
            Some(says) if says.to_string() == size => {}
            Some(says) => wrong.push(format!("{case} is {size}, said {says}")),
        }
    }
    assert_eq!(count, BOUNDS.len() * ARGS.len());
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
    // Of std, which implements most, few `impl`s are declared.
    assert!(unknown * 2 < count, "{unknown} of {count} are unknown");
}
