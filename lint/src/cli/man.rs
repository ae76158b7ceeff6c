//! `cargo weigh man`: prints the manual page, generated from the definition of the command line.

use super::arguments::Arguments;
use super::{CLEAN, Terminal};
use clap::CommandFactory;
use clap_mangen::Man;

/// Prints the page of the program or of one of its commands.
pub(super) fn run(terminal: &Terminal, name: Option<&str>) -> Result<u8, String> {
    let mut root = Arguments::command().bin_name("cargo weigh");
    // Commands get the global flags only when the definition is built.
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
    // clap_mangen 0.3 writes no argument for the empty date, and so the source in its place.
    let text = String::from_utf8_lossy(&text).replacen(" 1  \"", " 1 \"\" \"", 1);
    terminal.write(text.as_bytes())?;
    Ok(CLEAN)
}
