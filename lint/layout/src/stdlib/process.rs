//! Child processes.

use crate::ffi::OsStr;
use crate::iter::Iterator;
use crate::option::Option;
use crate::sys::process as sys;
use crate::vec::Vec;

pub struct Child {
    handle: sys::Process,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}
pub struct ChildStderr { inner: sys::ChildPipe }
pub struct ChildStdin { inner: sys::ChildPipe }
pub struct ChildStdout { inner: sys::ChildPipe }
#[weigh(slices(new))]
pub struct Command { inner: sys::Command }
pub struct CommandArgs<'a> { inner: sys::CommandArgs<'a> }
pub struct CommandEnvs<'a> { iter: sys::CommandEnvs<'a> }
pub struct ExitCode(sys::ExitCode);
pub struct ExitStatus(sys::ExitStatus);
pub struct ExitStatusError(sys::ExitStatusError);
pub struct Output { pub status: ExitStatus, pub stdout: Vec<u8>, pub stderr: Vec<u8> }
pub struct Stdio(sys::Stdio);
pub trait Termination {}

impl<'a> Iterator for CommandArgs<'a> { type Item = &'a OsStr; }
impl<'a> Iterator for CommandEnvs<'a> { type Item = (&'a OsStr, Option<&'a OsStr>); }

impl ExitCode { pub const SUCCESS: ExitCode; pub const FAILURE: ExitCode; }
