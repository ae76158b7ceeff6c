//! The trait of errors.

use crate::boxed::Box;
use crate::fmt::{Debug, Display};

pub trait Error: Debug + Display {}
pub struct Report<E = Box<dyn Error>> { error: E, show_backtrace: bool, pretty: bool }
