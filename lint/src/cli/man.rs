//! `cargo weigh man`: the manual page, from the definition of the command line.

use super::arguments::Arguments;
use super::{CLEAN, Terminal};
use clap::CommandFactory;
use clap_mangen::Man;

/// Prints the page of the program, or of one of its commands.
pub(super) fn run(terminal: &Terminal, name: Option<&str>) -> Result<u8, String> {
    let mut root = Arguments::command().bin_name("cargo weigh");
    // Flags that all commands share are known to these only when it is built.
    root.build();
    let command = match name {
        None => root.display_name("cargo-weigh").name("cargo-weigh"),
        Some(name) => {
            let Some(command) = root.find_subcommand(name) else {
                return Err(format!("there is no command `{name}`"));
            };
            let page = format!("cargo-weigh-{name}");
            command.clone().display_name(page)
        }
    };
    let mut text = Vec::new();
    let version = concat!("cargo-weigh ", env!("CARGO_PKG_VERSION"));
    let page = Man::new(command).source(version).manual("Cargo Manual");
    page.render(&mut text)
        .map_err(|e| format!("cannot write the page: {e}"))?;
    terminal.write(&text)?;
    Ok(CLEAN)
}
