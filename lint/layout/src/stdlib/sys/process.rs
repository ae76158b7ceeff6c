//! Child processes as the system starts and ends them.

use crate::any::Any;
use crate::boxed::Box;
use crate::collections::btree_map::{self, BTreeMap};
use crate::ffi::{CString, OsString};
use crate::num::NonZero;
use crate::option::Option;
use crate::slice;
use crate::sys::io::Pipe;
use crate::vec::Vec;

pub struct CommandEnv { clear: bool, saw_path: bool, vars: BTreeMap<EnvKey, Option<OsString>> }
pub struct CommandEnvs<'a> { iter: btree_map::Iter<'a, EnvKey, Option<OsString>> }
#[cfg(not(windows))]
type EnvKey = OsString;
#[cfg(windows)]
struct EnvKey { os_string: OsString, utf16: Vec<u16> }

pub type ChildPipe = Pipe;

#[cfg(unix)]
use crate::os::fd::{BorrowedFd, OwnedFd};
#[cfg(unix)]
pub struct Command {
    program: CString,
    #[cfg(version("1.89"))]
    args: CStringArray,
    #[cfg(not(version("1.89")))]
    args: Vec<CString>,
    #[cfg(not(version("1.89")))]
    argv: Vec<*const i8>,
    env: CommandEnv,
    program_kind: ProgramKind,
    cwd: Option<CString>,
    #[cfg(version("1.89"))]
    chroot: Option<CString>,
    uid: Option<u32>,
    gid: Option<u32>,
    saw_nul: bool,
    closures: Vec<Box<dyn Any>>,
    groups: Option<Box<[u32]>>,
    stdin: Option<Stdio>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
    #[cfg(target_os = "linux")]
    create_pidfd: bool,
    pgroup: Option<i32>,
    #[cfg(version("1.89"))]
    setsid: bool,
}
#[cfg(unix)]
struct CStringArray { ptrs: Vec<*const i8> }
#[cfg(unix)]
enum ProgramKind { PathLookup, Relative, Absolute }
#[cfg(unix)]
pub struct CommandArgs<'a> { iter: slice::Iter<'a, *const i8> }
#[cfg(unix)]
pub enum Stdio { Inherit, Null, MakePipe, Fd(OwnedFd), StaticFd(BorrowedFd<'static>) }
#[cfg(unix)]
pub struct Process {
    pid: i32,
    status: Option<ExitStatus>,
    #[cfg(target_os = "linux")]
    pidfd: Option<OwnedFd>,
}
#[cfg(unix)]
pub struct ExitStatus(i32);
#[cfg(unix)]
pub struct ExitStatusError(NonZero<i32>);
#[cfg(unix)]
pub struct ExitCode(u8);

#[cfg(windows)]
pub struct Command {
    program: OsString,
    args: Vec<Arg>,
    env: CommandEnv,
    cwd: Option<OsString>,
    flags: u32,
    show_window: Option<u16>,
    detach: bool,
    stdin: Option<Stdio>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
    force_quotes_enabled: bool,
    startupinfo_fullscreen: bool,
    startupinfo_untrusted_source: bool,
    startupinfo_force_feedback: Option<bool>,
    inherit_handles: bool,
}
#[cfg(windows)]
enum Arg { Regular(OsString), Raw(OsString) }
#[cfg(windows)]
pub struct CommandArgs<'a> { iter: slice::Iter<'a, Arg> }
#[cfg(windows)]
pub enum Stdio {
    Inherit,
    InheritSpecific { from_stdio_id: u32 },
    Null,
    MakePipe,
    Pipe(ChildPipe),
    Handle(OwnedHandle),
}
#[cfg(windows)]
use crate::os::windows::io::OwnedHandle;
#[cfg(windows)]
pub struct Process { handle: OwnedHandle, main_thread_handle: OwnedHandle }
#[cfg(windows)]
pub struct ExitStatus(u32);
#[cfg(windows)]
pub struct ExitStatusError(NonZero<u32>);
#[cfg(windows)]
pub struct ExitCode(u32);

#[cfg(target_family = "wasm")]
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    env: CommandEnv,
    cwd: Option<OsString>,
    stdin: Option<Stdio>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
}
#[cfg(target_family = "wasm")]
pub struct CommandArgs<'a> { iter: slice::Iter<'a, OsString> }
#[cfg(target_family = "wasm")]
pub enum Stdio { Inherit, Null, MakePipe, ParentStdout, ParentStderr, InheritFile(crate::sys::fs::File) }
#[cfg(target_family = "wasm")]
pub struct Process(!);
#[cfg(target_family = "wasm")]
pub struct ExitStatus();
#[cfg(target_family = "wasm")]
pub struct ExitStatusError(!);
#[cfg(target_family = "wasm")]
pub struct ExitCode(u8);
