//! Allocators and the layouts of allocations.

use crate::ptr::Alignment;

pub struct AllocError;
pub struct Global;
pub struct System;
pub struct Layout { size: usize, align: Alignment }
pub struct LayoutError;
pub type LayoutErr = LayoutError;
pub trait Allocator {}
pub trait GlobalAlloc {}
