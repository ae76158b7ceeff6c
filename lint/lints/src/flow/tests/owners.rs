//! Cases: who owns a value that is named.

#![allow(unused, dead_code)]

use std::rc::Rc;

#[derive(Clone, Default)]
struct Lines { starts: Vec<u32>, size: u32 }

struct File { lines: Lines }

struct Many { all: Vec<Lines>, shared: Rc<Lines>, perhaps: Option<Lines> }

struct Guard<'a> { lines: &'a mut Lines }

struct Wrap(Lines);

fn made() -> Lines { Lines::default() }

fn same(lines: &mut Lines) -> &mut Lines { lines }

fn pick<'a>(from: &'a mut Vec<u32>) -> &'a mut Lines { panic!() }

fn of_variables(given: Lines, lent: &mut Lines, text: &mut Vec<u32>) {
    let mut a = Lines { starts: Vec::new(), size: 1 };
    a.starts.push(1);
  //^ made here
    let mut b = Lines::default();
    b.starts.push(1);
  //^ made here
    let mut c = made();
    c.starts.push(1);
  //^ made here
    let mut d = a.clone();
    d.starts.push(1);
  //^ made here
    let e = &mut d;
    e.starts.push(1);
  //^ made here
    given.starts.len();
  //^^^^^ the caller's
    lent.starts.push(1);
  //^^^^ the caller's
    let f = lent;
    f.starts.push(1);
  //^ the caller's
    let g = same(&mut b);
    g.starts.push(1);
  //^ made here
    let h = same(f);
    h.starts.push(1);
  //^ the caller's
    let i = pick(text);
    i.starts.push(1);
  //^ not known
    let mut j;
    j = made();
    j.starts.push(1);
  //^ not known
    let (mut k, l) = (made(), 1);
    k.starts.push(1);
  //^ not known
    let mut m = { made() };
    m.starts.push(1);
  //^ made here
    let mut n = if l > 1 { made() } else { c };
    n.starts.push(1);
  //^ not known
    let mut o = Box::new(made());
    o.starts.push(1);
  //^ not known
    let mut p = Wrap(m);
    p.0.starts.push(1);
  //^^^ in Wrap::0
    let q: Lines = Clone::clone(&a);
    q.starts.push(1);
  //^ made here
    let r = made();
    let r = r; let r = r; let r = r; let r = r; let r = r; let r = r; let r = r; let r = r;
    let r = r; let r = r; let r = r; let r = r; let r = r; let r = r; let r = r; let r = r;
    let r = r; let r = r;
    r.starts.push(1);
  //^ made here
}

fn of_fields(file: &mut File, many: &mut Many, guard: Guard) {
    file.lines.starts.push(1);
  //^^^^^^^^^^ in File::lines
    let a = &mut file.lines;
    a.starts.push(1);
  //^ in File::lines
    same(&mut file.lines).starts.push(1);
  //^^^^^^^^^^^^^^^^^^^^^ in File::lines
    many.all[0].starts.push(1);
  //^^^^^^^^^^^ not known
    guard.lines.starts.push(1);
  //^^^^^^^^^^^ made here
    for b in &mut many.all {
        b.starts.push(1);
      //^ not known
    }
    if let Some(c) = &mut many.perhaps {
        c.starts.push(1);
      //^ not known
    }
    if let Some(mut d) = many.all.pop() {
        d.starts.push(1);
      //^ not known
    }
    many.perhaps.as_mut().unwrap().starts.push(1);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ not known
    Rc::make_mut(&mut many.shared).starts.push(1);
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ not known
    let e = std::mem::take(&mut file.lines);
    e.starts.len();
  //^ not known
}

impl Lines {
    fn grow(&mut self) -> &mut Self {
        self.starts.push(1);
      //^^^^ the caller's
        self
    }

    fn new(size: u32) -> Lines {
        let mut new = Lines { size, ..Lines::default() };
        new.grow().starts.push(1);
      //^^^^^^^^^^ made here
        new
    }
}
