//! Default values.

use crate::marker::Sized;

pub trait Default: Sized {}
