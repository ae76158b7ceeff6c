//! Futures.

use crate::marker::PhantomData;
use crate::ops::FnOnce;
use crate::option::Option;
use crate::ptr::NonNull;
use crate::task::{Context, Poll};

pub struct Pending<T> { _data: PhantomData<fn() -> T> }
pub struct PollFn<F> { f: F }
pub struct Ready<T>(Option<T>);
pub struct ResumeTy(NonNull<Context<'static>>);
pub trait AsyncDrop {}
pub trait Future { type Output; }
pub trait IntoFuture { type Output; type IntoFuture; }

impl<F: Future + ?Sized> Future for &mut F { type Output = <F as Future>::Output; }
impl<F: Future> IntoFuture for F { type Output = <F as Future>::Output; type IntoFuture = F; }
impl<T> Future for Pending<T> { type Output = T; }
impl<T, F: FnOnce<(&'static mut Context<'static>,), Output = Poll<T>>> Future for PollFn<F> { type Output = T; }
impl<T> Future for Ready<T> { type Output = T; }
