//! `cargo weigh completions`: prints completion scripts for shells.

use super::arguments::Arguments;
use super::{CLEAN, Terminal};
use clap::CommandFactory;
use clap_complete::Shell;

/// Completes `cargo weigh` in bash. Cargo's completion for zsh finds ours by name; the one for bash
/// does not.
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

/// Completes `cargo weigh` in fish, whose completions of cargo do not know other programs.
const FISH_BEHIND_CARGO: &str = r#"
# `cargo weigh` as well.
function __fish_cargo_weigh_behind_cargo
    set -l words (commandline -opc)
    set -l at (contains -i -- weigh $words)
    or return
    set -l rest $words[(math $at + 1)..]
    complete -C "cargo-weigh "(string join -- ' ' (string escape -- $rest) (commandline -ct))
end
complete -c cargo -n '__fish_seen_subcommand_from weigh' -f -a '(__fish_cargo_weigh_behind_cargo)'
"#;

/// fish 3.6 rejects an option without its value, which is to be completed: clap_complete 4.6.11 then
/// takes the line for one of another command.
const FISH_ARGPARSE: [&str; 2] = [
    "-- $cmd 2>/dev/null\n    or return\n",
    "-- $cmd 2>/dev/null\n    or argparse -s (__fish_cargo_weigh_global_optspecs) -- $cmd value 2>/dev/null\n    or return\n",
];

/// Returns the script for zsh without the levels after `--`: clap_complete 4.6.11 counts them as an
/// argument before the command, so that zsh would complete the options of no command.
fn with_commands_first(script: &str) -> String {
    let is_level = |line: &&str| line.starts_with("'::after -- ");
    let lines = script.lines().filter(|line| !is_level(line));
    let lines = lines.map(|line| line.replace("$line[2]", "$line[1]") + "\n");
    lines.collect()
}

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
    if shell == Shell::Zsh {
        text = with_commands_first(&text);
    }
    if shell == Shell::Fish {
        text = text.replace(FISH_ARGPARSE[0], FISH_ARGPARSE[1]);
        text.push_str(FISH_BEHIND_CARGO);
    }
    terminal.write_stdout(text.as_bytes())?;
    Ok(CLEAN)
}
