//! The program: arguments in, exit status out.

use cargo_weigh::cli;
use std::process::ExitCode;

/// Stack of the thread that does the work, in bytes. Types and modules are descended recursively;
/// what is not touched costs address space alone.
const STACK: usize = 512 << 20;

fn main() -> ExitCode {
    let work = || cli::run(std::env::args_os().collect());
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let status = match thread {
        Ok(thread) => thread.join().unwrap_or(cli::FAULT),
        // Address space may be limited: then with the stack there is.
        Err(_) => work(),
    };
    ExitCode::from(status)
}
