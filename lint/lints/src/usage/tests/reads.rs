//! Cases: which fields are read.

#![allow(unused, dead_code)]

pub struct Wide {
    pub f0: u8,
    pub f1: u8,
    pub f2: u8,
    pub f3: u8,
    pub f4: u8,
    pub f5: u8,
    pub f6: u8,
    pub f7: u8,
    pub f8: u8,
    pub f9: u8,
    pub f10: u8,
    pub f11: u8,
    pub f12: u8,
    pub f13: u8,
    pub f14: u8,
    pub f15: u8,
    pub f16: u8,
    pub f17: u8,
    pub f18: u8,
    pub f19: u8,
    pub f20: u8,
    pub f21: u8,
    pub f22: u8,
    pub f23: u8,
    pub f24: u8,
    pub f25: u8,
    pub f26: u8,
    pub f27: u8,
    pub f28: u8,
    pub f29: u8,
    pub f30: u8,
    pub f31: u8,
    pub f32: u8,
    pub f33: u8,
    pub f34: u8,
    pub f35: u8,
    pub f36: u8,
    pub f37: u8,
    pub f38: u8,
    pub f39: u8,
    pub f40: u8,
    pub f41: u8,
    pub f42: u8,
    pub f43: u8,
    pub f44: u8,
    pub f45: u8,
    pub f46: u8,
    pub f47: u8,
    pub f48: u8,
    pub f49: u8,
    pub f50: u8,
    pub f51: u8,
    pub f52: u8,
    pub f53: u8,
    pub f54: u8,
    pub f55: u8,
    pub f56: u8,
    pub f57: u8,
    pub f58: u8,
    pub f59: u8,
    pub f60: u8,
    pub f61: u8,
    pub f62: u8,
    pub f63: u8,
    pub f64: u8,
    pub f65: u8,
    pub last: u8,
  //    ^^^^ read
    pub written: u8,
  //    ^^^^^^^ not read
    pub once: u8,
  //    ^^^^ read
}

fn based(wide: Wide, other: Wide) -> (Wide, Wide) {
    let a = Wide { written: 1, once: 1, ..wide };
    (a, Wide { written: 2, ..other })
}

struct Plain {
    seen: u8,
  //^^^^ read
    put: u8,
  //^^^ not read
    unused: u8,
  //^^^^^^ not read
    opened: u8,
  //^^^^^^ read
    skipped: u8,
  //^^^^^^^ not read
    underscored: u8,
  //^^^^^^^^^^^ not read
}

fn plain(mut p: Plain) -> u8 {
    p.put = 1;
    let Plain { opened, skipped: _, underscored: _u, .. } = p;
    p.seen + opened
}

macro_rules! own {
    ($($t:tt)*) => { 1 };
}
struct Hidden {
    in_a_macro: u8,
  //^^^^^^^^^^ read
}
fn hidden(hidden: Hidden) {
    own!(let hidden.in_a_macro);
}
