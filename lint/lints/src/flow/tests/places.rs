//! Cases: what is done with places, in place.

#![allow(unused, dead_code)]

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};

struct Path {
    commands: Vec<u8>,
    name: String,
    count: u32,
    next: Option<Box<Path>>,
    queue: VecDeque<u8>,
    by_name: HashMap<String, u32>,
    file: PathBuf,
    cell: Cell<u32>,
    shared: RefCell<Vec<u8>>,
    locked: Mutex<Vec<u8>>,
    held: RwLock<String>,
    kept: Option<String>,
    rest: Arc<str>,
}

impl Path {
    fn lists(&mut self, other: &mut Vec<u8>) {
        self.commands.push(1);
      //^^^^^^^^^^^^^ grows: Path::commands with 1
        self.commands.insert(0, 2);
      //^^^^^^^^^^^^^ grows: Path::commands with 2
        self.commands.extend([1, 2]);
      //^^^^^^^^^^^^^ grows: Path::commands with [1, 2]
        self.commands.extend_from_slice(&[1]);
      //^^^^^^^^^^^^^ grows: Path::commands with &[1]
        self.commands.append(other);
      //^^^^^^^^^^^^^ grows: Path::commands with other
        self.commands.resize(4, 0);
      //^^^^^^^^^^^^^ grows: Path::commands with 0
        self.commands.reserve(4);
      //^^^^^^^^^^^^^ reserves: Path::commands with 4
        self.commands.pop();
      //^^^^^^^^^^^^^ shrinks: Path::commands
        self.commands.truncate(2);
      //^^^^^^^^^^^^^ shrinks: Path::commands with 2
        self.commands.retain(|c| *c > 1);
      //^^^^^^^^^^^^^ shrinks: Path::commands with |c| *c > 1
        self.commands.clear();
      //^^^^^^^^^^^^^ empties: Path::commands
        self.commands.shrink_to_fit();
      //^^^^^^^^^^^^^ fits: Path::commands
        self.commands.sort();
      //^^^^^^^^^^^^^ reads: Path::commands
        self.commands.len();
      //^^^^^^^^^^^^^ reads: Path::commands
        self.commands.clone();
      //^^^^^^^^^^^^^ copies: Path::commands
        self.commands.as_slice();
      //^^^^^^^^^^^^^ readsasowner: Path::commands
        self.commands.iter();
      //^^^^^^^^^^^^^ reads: Path::commands
        self.commands[0];
      //^^^^^^^^^^^^^ part: Path::commands
        self.commands[0] = 1;
      //^^^^^^^^^^^^^ part: Path::commands
        self.commands[1] = 1;
      //^^^^^^^^^^^^^^^^ sets: Path::commands with 1
        self.queue.push_back(1);
      //^^^^^^^^^^ grows: Path::queue with 1
        self.queue.pop_front();
      //^^^^^^^^^^ shrinks: Path::queue
        self.by_name.insert(String::new(), 1);
      //^^^^^^^^^^^^ grows: Path::by_name with 1
        self.by_name.entry(String::new());
      //^^^^^^^^^^^^ lends: Path::by_name with String::new()
        self.by_name.get("a");
      //^^^^^^^^^^^^ reads: Path::by_name with "a"
        self.by_name.remove("a");
      //^^^^^^^^^^^^ shrinks: Path::by_name with "a"
        other.push(3);
      //^^^^^ grows: other with 3
        other.dedup();
      //^^^^^ shrinks: other
        (other);
       //^^^^^ dropped: other
    }

    fn texts(&mut self, more: &str) {
        self.name.push('a');
      //^^^^^^^^^ grows: Path::name with 'a'
        self.name.push_str(more);
      //^^^^^^^^^ grows: Path::name with more
        self.name += more;
      //^^^^^^^^^ grows: Path::name with more
        self.name = String::new();
      //^^^^^^^^^ sets: Path::name with String::new()
        self.name.insert_str(0, more);
      //^^^^^^^^^ grows: Path::name with more
        self.name.to_uppercase();
      //^^^^^^^^^ reads: Path::name
        self.name.trim();
      //^^^^^^^^^ reads: Path::name
        self.name.as_str();
      //^^^^^^^^^ readsasowner: Path::name
        write!(self.name, "{}", more);
        //     ^^^^^^^^^ grows: Path::name
        //                      ^^^^ reads: more
        writeln!(self.name);
        //       ^^^^^^^^^ grows: Path::name
        println!("{}", self.name);
        //             ^^^^^^^^^ reads: Path::name
        assert_eq!(self.name, "a");
        //         ^^^^^^^^^ reads: Path::name
        assert!(self.name.is_empty());
        //      ^^^^^^^^^ reads: Path::name
        panic!("{}", self.name);
        //           ^^^^^^^^^ reads: Path::name
        unknown!(self.name);
        //       ^^^^^^^^^ macro: Path::name
        self.name == more;
      //^^^^^^^^^ reads: Path::name
        self.file.push(more);
      //^^^^^^^^^ grows: Path::file with more
        self.file.set_extension("rs");
      //^^^^^^^^^ grows: Path::file with "rs"
        self.file.join(more);
      //^^^^^^^^^ reads: Path::file with more
        self.file.pop();
      //^^^^^^^^^ shrinks: Path::file
        self.rest.len();
      //^^^^^^^^^ reads: Path::rest
    }

    fn numbers(&mut self) {
        self.count += 1;
      //^^^^^^^^^^ grows: Path::count with 1
        self.count = 1;
      //^^^^^^^^^^ sets: Path::count with 1
        self.count as u64;
      //^^^^^^^^^^ cast: Path::count
        -(self.count as i64);
        //^^^^^^^^^^ cast: Path::count
        self.count + 1;
      //^^^^^^^^^^ takes: Path::count
        1 + self.count;
        //  ^^^^^^^^^^ reads: Path::count
        if self.count > 1 {}
        // ^^^^^^^^^^ reads: Path::count
        while self.count < 2 {}
        //    ^^^^^^^^^^ reads: Path::count
        let x = [1, 2][self.count as usize];
        //             ^^^^^^^^^^ cast: Path::count
        self.count.checked_add(1);
      //^^^^^^^^^^ unknown: Path::count with 1
    }

    fn inside(&mut self, text: String) {
        self.next.take();
      //^^^^^^^^^ shrinks: Path::next
        self.next.as_mut();
      //^^^^^^^^^ lends: Path::next
        self.next.is_some();
      //^^^^^^^^^ unknown: Path::next
        self.next.replace(Box::new(Path::new()));
      //^^^^^^^^^ sets: Path::next with Box::new(Path::new())
        self.kept.insert(text);
      //^^^^^^^^^ sets: Path::kept with text
        self.kept.get_or_insert_with(String::new).push('a');
      //^^^^^^^^^ lends: Path::kept with String::new
        self.kept.get_or_insert_with(String::new);
        self.cell.set(1);
      //^^^^^^^^^ unknown: Path::cell with 1
        self.cell.get();
      //^^^^^^^^^ unknown: Path::cell
        self.cell.replace(2);
      //^^^^^^^^^ sets: Path::cell with 2
        self.shared.borrow_mut().push(1);
      //^^^^^^^^^^^ lends: Path::shared
        self.shared.borrow_mut().push(1);
      //^^^^^^^^^^^^^^^^^^^^^^^^ grows: a value with 1
        self.shared.borrow();
      //^^^^^^^^^^^ unknown: Path::shared
        self.locked.lock().unwrap().push(1);
      //^^^^^^^^^^^ lends: Path::locked
        self.locked.lock().unwrap().push(1);
      //^^^^^^^^^^^^^^^^^^^^^^^^^^^ grows: a value with 1
        self.held.write().unwrap().clear();
      //^^^^^^^^^ lends: Path::held
        self.held.write().unwrap().clear();
      //^^^^^^^^^^^^^^^^^^^^^^^^^^ empties: a value
        self.held.read();
      //^^^^^^^^^ unknown: Path::held
    }

    fn lent(&mut self, mut other: Path) {
        grow(&mut self.commands);
        //        ^^^^^^^^^^^^^ lent: Path::commands
        look(&self.commands);
        //    ^^^^^^^^^^^^^ borrowed: Path::commands
        std::mem::take(&mut self.commands);
        //                  ^^^^^^^^^^^^^ taken: Path::commands
        std::mem::replace(&mut self.name, String::new());
        //                     ^^^^^^^^^ taken: Path::name
        std::mem::swap(&mut self.name, &mut other.name);
        //                  ^^^^^^^^^ swapped: Path::name
        //                                  ^^^^^^^^^^ swapped: Path::name
        take(&mut self.commands);
        //        ^^^^^^^^^^^^^ lent: Path::commands
        Option::take(&mut self.next);
        //                ^^^^^^^^^ taken: Path::next
        self.swap(&mut self.commands, &mut other.commands);
        //             ^^^^^^^^^^^^^ lent: Path::commands
        let lent = &mut self.commands;
        //              ^^^^^^^^^^^^^ lent: Path::commands
        lent.push(1);
      //^^^^ grows: lent with 1
        *lent = Vec::new();
      //^^^^^ sets: lent with Vec::new()
        lent[0] = 1;
      //^^^^ part: lent
        look(lent);
        //   ^^^^ passes to: look, 0
        let seen = &self.commands;
        //          ^^^^^^^^^^^^^ borrowed: Path::commands
        seen.len();
      //^^^^ reads: seen
        *seen;
      //^^^^^ dropped: seen
        (self).numbers();
       //^^^^ unknown: self
        self.next;
      //^^^^^^^^^ dropped: Path::next
    }

    fn new() -> Path {
        loop {}
    }
}

fn grow(list: &mut Vec<u8>) {}
fn take(list: &mut Vec<u8>) {}
fn look(list: &[u8]) {}

fn open(thing: Unknown) {
    thing.list.push(1);
  //^^^^^^^^^^ grows: ?::list with 1
    thing.list.len();
  //^^^^^^^^^^ reads: ?::list
    thing.list.clear();
  //^^^^^^^^^^ empties: ?::list
    thing.list.frobnicate();
  //^^^^^^^^^^ unknown: ?::list
    thing.list;
  //^^^^^^^^^^ dropped: ?::list
}
