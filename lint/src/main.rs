//! The program: arguments in, exit status out.

use cargo_weigh::{budget, cli};
use std::process::ExitCode;

fn main() -> ExitCode {
    let work = || cli::run(std::env::args_os().collect());
    let thread = std::thread::Builder::new()
        .stack_size(budget::STACK)
        .spawn(work);
    let status = match thread {
        Ok(thread) => thread.join().unwrap_or(cli::FAULT),
        // Address space may be limited: then with the stack there is.
        Err(_) => work(),
    };
    ExitCode::from(status)
}
