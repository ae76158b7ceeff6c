//! `cargo weigh completions`: what shells need to complete the command line.

use super::arguments::Arguments;
use super::{CLEAN, Terminal};
use clap::CommandFactory;
use clap_complete::Shell;

/// Cargo's completion for zsh looks for this name by itself; that for bash asks nobody else.
const BASH_BEHIND_CARGO: &str = r#"
# `cargo weigh` as well: load this after cargo's own completion, which gets the rest.
_cargo_weigh_behind_cargo() {
    if [[ ${COMP_WORDS[1]} == weigh && $COMP_CWORD -gt 1 ]]; then
        local COMP_WORDS=(cargo-weigh "${COMP_WORDS[@]:2}") COMP_CWORD=$((COMP_CWORD - 1))
        _cargo__weigh cargo-weigh "$2" "$3"
    elif declare -F _cargo >/dev/null; then
        _cargo "$@"
    fi
}
complete -F _cargo_weigh_behind_cargo -o bashdefault -o default cargo
"#;

pub(super) fn run(terminal: &Terminal, shell: Shell) -> Result<u8, String> {
    let mut text = Vec::new();
    let mut command = Arguments::command().bin_name("cargo-weigh");
    clap_complete::generate(shell, &mut command, "cargo-weigh", &mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if shell == Shell::Bash {
        // clap_complete 4.6.11 spells a hyphen in the program's name in two ways.
        text = text.replace("cargo__subcmd__weigh", "cargo__weigh");
        text.push_str(BASH_BEHIND_CARGO);
    }
    terminal.write_stdout(text.as_bytes())?;
    Ok(CLEAN)
}
