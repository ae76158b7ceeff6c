//! The definition of the command line: every subcommand and flag with its help.

use super::levels::Flags;
use crate::project::Selection;
use clap::builder::styling::Styles;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

const STYLES: Styles = clap_cargo::style::CLAP_STYLING;

pub(super) const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nsizes are exact for rustc 1.85 to 1.99; any other release is asked once"
);

const AFTER_HELP: &str = "\
Examples:
  cargo weigh                            lint the current package or workspace
  cargo weigh --workspace -D warnings    in CI: exit status 1 for any finding
  cargo weigh sizes                      list every type, largest first
  cargo weigh layout 'Option<Box<u8>>'   draw a type byte by byte
  cargo weigh fix --dry-run              try remedies with the compiler, change nothing
  cargo weigh explain oversized_variant  what a lint looks for, and why

Lint levels may also follow `--`, as with Clippy: `cargo weigh -- -D warnings`. Flags override
CARGO_WEIGH_LEVELS, then cargo's build.warnings, then `lints` in [package.metadata.weigh], then
`lints` in [workspace.metadata.weigh].

Exit status: 0 if no finding is at deny level; 1 for a finding at deny level, a wrong size in
`verify`, or a size that fails `diff --fail-on`; 2 if the work could not be done. With 2, everything
that could be analysed is still reported.

Nothing is compiled and no build script is run, except by `verify`, `futures`, `fix`, `census` (which
also runs the program) and `--with`. Build the project once beforehand, so that the output of its build
scripts is known. Procedural macros are run only with `--proc-macros`.";

/// Find types that waste memory: exact sizes, without compiling
///
/// Reads source code, computes the layout of every type with rustc's own layout code, and reports
/// what could be smaller and by how much. Without a subcommand it lints.
#[derive(Parser)]
#[command(
    name = "cargo-weigh",
    bin_name = "cargo weigh",
    version = VERSION,
    styles = STYLES,
    after_help = AFTER_HELP,
    subcommand_negates_reqs = true,
    disable_help_subcommand = false
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) levels: Flags,
    /// Write all findings to `weigh.baseline.json` at the workspace root
    ///
    /// Findings in that file are not reported again. They are matched by package, lint, type and
    /// field. Entries that are no longer found are removed; entries of packages that are not
    /// selected stay.
    #[arg(long, help_heading = "Lint levels")]
    pub(super) write_baseline: bool,
    /// Show only the N most valuable findings
    ///
    /// This affects text output only, not the exit status, the baseline or machine formats.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) top: Option<usize>,
    /// Report findings of this worth and more, 0 to 100: how likely an author would act
    ///
    /// Overrides `least-worth` in the manifest. `cargo weigh why TYPE` shows what a worth is made of.
    #[arg(
        long,
        global = true,
        overrides_with = "least_worth",
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "Lint levels"
    )]
    pub(super) least_worth: Option<u8>,
    /// List the N best findings below that worth, in one line each [default: 5]
    ///
    /// They are no warnings: they have no effect on the exit status or the baseline. JSON has them,
    /// with level `note`, only if this flag is given.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) also: Option<usize>,
    /// Show every finding in full, not only the ten most valuable
    #[arg(long, help_heading = "Output")]
    pub(super) all_details: bool,
    /// Also list the findings that comments, levels of Clippy's lints, the manifest or the baseline
    /// suppress, in one line each
    #[arg(long, help_heading = "Output")]
    pub(super) show_suppressed: bool,
    /// Rank findings by what they would have saved in the run of this census (a file written by
    /// `cargo weigh census --output FILE`)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) census: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: Output,
    #[command(flatten)]
    pub(super) select: Select,
    /// Also run this cargo command and pass on its messages
    ///
    /// For editors, which run one check command per workspace. The command gets the same packages,
    /// targets and features, and its JSON lines are passed on unchanged. Exit status 2 if the code
    /// does not compile.
    #[arg(long, value_name = "COMMAND", value_enum, help_heading = "Output")]
    pub(super) with: Option<Companion>,
    /// Lint levels as for Clippy: `-- -D warnings`
    #[arg(
        last = true,
        value_name = "LEVELS",
        allow_hyphen_values = true,
        help_heading = "Lint levels"
    )]
    pub(super) after: Vec<String>,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// List every struct, enum and union with its size
    ///
    /// Sizes and alignments are in bytes on the target, largest first. If a size is unknown, its
    /// lower bound is shown, as `24+`, with the reason.
    Sizes(super::sizes::Arguments),
    /// Explain why lints report a type, or do not
    ///
    /// Prints its size, how many values exist and the evidence for that, where each variant is
    /// built, and for each lint the rule that decided.
    Why {
        /// Paths of types, or their last segments if unique
        #[arg(required = true, value_name = "TYPE")]
        types: Vec<String>,
        /// Also use the counts of this census
        #[arg(long = "census", id = "why-census", value_name = "FILE")]
        census: Option<PathBuf>,
    },
    /// Draw types byte by byte: fields, padding, tags and niches
    ///
    /// TYPE is a path (`gc_record::GcRecord`) or its last segments if unique. It may have generic
    /// arguments: `Option<Foo<u32>>`, `std::vec::Vec<u8>`.
    Layout(super::layout::Arguments),
    /// Print the documentation of a lint, or list all lints
    Explain {
        /// Name of the lint, with or without `weigh::`
        #[arg(value_name = "LINT")]
        lint: Option<String>,
    },
    /// List all lints
    Lints,
    /// Write the sizes of the workspace to a file to commit
    ///
    /// The file is `weigh.sizes.json` at the workspace root, or the one that `--output` names: JSON
    /// with one type per line. It holds all packages unless some are selected.
    Snapshot {
        /// Write the sizes of `async` functions, blocks and closures instead (this compiles), to
        /// `weigh.futures.json`
        #[arg(long)]
        futures: bool,
    },
    /// Print types that grew, shrank, were added or removed since a snapshot or a git revision
    ///
    /// Names the field or variant that caused a change, and the types that contain the changed type
    /// by value. The files of a revision are read from git into `weigh/diff` in the target folder;
    /// none of its code is run, except with `--futures`, which builds it. Features, target and
    /// configuration are the current ones. With `--message-format json`: one object per change, then
    /// one with `"change": "summary"`.
    Diff(super::diff::Arguments),
    /// Count the heap of a running program by exact types (this builds and runs it)
    ///
    /// Builds the selected binary, example, test or benchmark with full debug information and frame
    /// pointers, in its own target folder, with the release profile unless another one is selected.
    /// Runs it with a recorder (twice for `--at peak` or a label) and counts values, variants, spare
    /// capacity and strings. The program's output goes to stderr. `--output FILE` stores the counts
    /// as JSON lines.
    Census(super::census::Arguments),
    /// Apply the remedies that the compiler accepts (this compiles)
    ///
    /// Tries the best remedy of each finding on a copy of the workspace in `weigh/fix` in the target
    /// folder: all together, then bisecting what does not compile. rustc's machine-applicable
    /// suggestions may complete an edit. rustc reports the new sizes of what compiles. Only then
    /// are the files of the workspace changed, all or none. Like `cargo fix`, it requires a clean
    /// working tree.
    Fix(super::fix::Arguments),
    /// Write an HTML page with the largest types, their layouts and the findings
    ///
    /// `--output` names the file. It is self-contained and loads nothing from the network.
    #[command(name = "report")]
    Report(super::page::Arguments),
    /// Compare every size with rustc's own answer (this compiles)
    ///
    /// Runs `cargo rustdoc` into `weigh/verify` in the target folder and compares the layouts that
    /// it documents. The selected crates are read as rustdoc sees them, with `cfg(doc)` and the flags for
    /// rustc, which are passed on in place of `RUSTDOCFLAGS`. Exit
    /// status 1 if a size is wrong.
    Verify,
    /// List every `async` function, block and closure by size (this compiles)
    ///
    /// Builds the selected targets with full debug information, into `weigh/futures` in the target
    /// folder, and lists the futures in them, the largest first; a generic one with its largest
    /// instance. With a plain NAME, a tree shows which `.await` makes that future so large and what
    /// lives across it, and what a box at each await would give, as far as that is certain.
    Futures(super::futures::Arguments),
    /// Add a table with all settings to the manifest, with the defaults as comments
    ///
    /// Adds `[workspace.metadata.weigh]` to the `Cargo.toml` of a workspace, or
    /// `[package.metadata.weigh]` to that of a single package. `--output FILE` writes the new
    /// manifest there instead.
    Init,
    /// Print the manual page of the program or of a command
    ///
    /// As `cargo-weigh.1` in a `man1` folder on the `manpath`, it is what `cargo help weigh` shows.
    Man {
        /// The command, if not the program itself
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Print completions for a shell
    ///
    /// For bash, add `source <(cargo weigh completions bash)` to ~/.bashrc, after cargo's own
    /// completions. For zsh, write them to a file `_cargo-weigh` in a folder on the `fpath`. For
    /// fish, write them to ~/.config/fish/completions/cargo-weigh.fish.
    Completions {
        /// The shell
        #[arg(value_name = "SHELL", value_enum)]
        shell: Shell,
    },
}

#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Output {
    /// Output format; cargo's JSON formats may be combined, separated by commas
    #[arg(
        long,
        value_name = "FMT",
        value_enum,
        value_delimiter = ',',
        action = ArgAction::Append,
        global = true
    )]
    pub(super) message_format: Vec<MessageFormat>,
    /// Write the results to a file instead of stdout, which `-` stands for
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) output: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, global = true)]
    pub(super) color: Option<clap::ColorChoice>,
    /// Print no summary and no warnings about the run itself
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print why types have no size, and problems in dependencies
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(super) verbose: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// Source snippets with labels and numbers
    Human,
    /// Headline, places and best remedy of each finding
    Brief,
    /// One line per finding
    Short,
    /// Cargo's JSON lines
    Json,
    /// The same, with `rendered` in the `short` format
    JsonDiagnosticShort,
    /// The same, with colours in `rendered`
    JsonDiagnosticRenderedAnsi,
    /// The same, with findings as text on stderr
    JsonRenderDiagnostics,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations, and a table if GITHUB_STEP_SUMMARY is set
    Github,
    /// GitLab code quality report
    Gitlab,
}

impl MessageFormat {
    /// Returns true for text for people, false for a machine format.
    pub(super) fn is_for_people(self) -> bool {
        matches!(
            self,
            MessageFormat::Human | MessageFormat::Brief | MessageFormat::Short
        )
    }
}

/// A cargo command that can run alongside the lints.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Companion {
    Check,
    Clippy,
}

impl Companion {
    /// Returns the name of the cargo subcommand.
    pub(super) fn name(self) -> &'static str {
        match self {
            Companion::Check => "check",
            Companion::Clippy => "clippy",
        }
    }
}

/// Cargo's flags for choosing what to analyse.
#[derive(Args)]
pub(super) struct Select {
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH", global = true, help_heading = "Selection")]
    pub(super) manifest_path: Option<PathBuf>,
    /// Package to analyse: a name, `name@version` or a package id
    #[arg(
        short,
        long = "package",
        value_name = "SPEC",
        global = true,
        help_heading = "Selection"
    )]
    pub(super) package: Vec<String>,
    /// All packages of the workspace
    #[arg(long, visible_alias = "all", global = true, help_heading = "Selection")]
    pub(super) workspace: bool,
    /// Packages to exclude
    #[arg(long, value_name = "SPEC", global = true, help_heading = "Selection")]
    pub(super) exclude: Vec<String>,
    /// Only the library
    #[arg(long, global = true, help_heading = "Selection")]
    pub(super) lib: bool,
    /// Only this binary
    #[arg(long, value_name = "NAME", global = true, help_heading = "Selection")]
    pub(super) bin: Vec<String>,
    /// All binaries
    #[arg(long, global = true, help_heading = "Selection")]
    pub(super) bins: bool,
    /// Only this example
    #[arg(long, value_name = "NAME", global = true, help_heading = "Selection")]
    pub(super) example: Vec<String>,
    /// All examples
    #[arg(long, global = true, help_heading = "Selection")]
    pub(super) examples: bool,
    /// Only this integration test
    #[arg(long, value_name = "NAME", global = true, help_heading = "Selection")]
    pub(super) test: Vec<String>,
    /// All targets that are tested
    #[arg(long, global = true, help_heading = "Selection")]
    pub(super) tests: bool,
    /// Only this benchmark
    #[arg(long, value_name = "NAME", global = true, help_heading = "Selection")]
    pub(super) bench: Vec<String>,
    /// All targets that are benchmarked
    #[arg(long, global = true, help_heading = "Selection")]
    pub(super) benches: bool,
    /// All targets
    #[arg(long, global = true, help_heading = "Selection")]
    pub(super) all_targets: bool,
    /// Features to activate, separated by spaces or commas
    #[arg(
        short = 'F',
        long,
        value_name = "FEATURES",
        global = true,
        help_heading = "Features"
    )]
    pub(super) features: Vec<String>,
    /// Activate all features
    #[arg(long, global = true, help_heading = "Features")]
    pub(super) all_features: bool,
    /// Do not activate the `default` feature
    #[arg(long, global = true, help_heading = "Features")]
    pub(super) no_default_features: bool,
    /// Sizes as in release builds
    #[arg(
        short,
        long,
        global = true,
        help_heading = "Build",
        conflicts_with = "profile"
    )]
    pub(super) release: bool,
    /// Sizes as in builds with this profile
    #[arg(
        long,
        value_name = "PROFILE-NAME",
        global = true,
        help_heading = "Build"
    )]
    pub(super) profile: Option<String>,
    /// Sizes on this target; may be given several times
    #[arg(long, value_name = "TRIPLE", global = true, help_heading = "Build")]
    pub(super) target: Vec<String>,
    /// Directory for all generated files
    #[arg(long, value_name = "DIRECTORY", global = true, help_heading = "Build")]
    pub(super) target_dir: Option<PathBuf>,
    /// Override a configuration value
    #[arg(
        long,
        value_name = "KEY=VALUE|PATH",
        global = true,
        help_heading = "Build"
    )]
    pub(super) config: Vec<String>,
    /// Run no program that the project's configuration names, for untrusted code
    ///
    /// Runs cargo and rustc in the root folder of the file system, so that the project's
    /// `.cargo/config.toml` and `rust-toolchain.toml` have no effect: no compiler, wrapper or
    /// credential provider of its choice is run. Sizes are those without its configuration. Call
    /// `cargo-weigh` directly or from another folder: `cargo weigh` makes rustup and cargo read the
    /// configuration of the current folder first.
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) no_project_config: bool,
    /// Expand procedural macros: this RUNS them, as a build does
    ///
    /// The toolchain's own `rust-analyzer-proc-macro-srv` loads the macro libraries that the last
    /// build left in the target folder. A macro can read and write anything that you can. The types
    /// that macros and derives define are then known. Build first: a macro without a current
    /// library is not expanded. The manifest key is `proc-macros = true`.
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) proc_macros: bool,
    /// Number of threads; a negative number is subtracted from the number of CPUs
    #[arg(
        short,
        long,
        value_name = "N",
        global = true,
        allow_hyphen_values = true,
        help_heading = "Build"
    )]
    pub(super) jobs: Option<String>,
    /// Accepted for compatibility with cargo: as much as possible is always analysed
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) keep_going: bool,
    /// Require that Cargo.lock is up to date
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) locked: bool,
    /// Do not use the network
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) offline: bool,
    /// Same as `--locked` and `--offline`
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) frozen: bool,
}

impl Select {
    pub(super) fn selection(&self) -> Selection {
        Selection {
            manifest_path: self.manifest_path.clone(),
            packages: self.package.clone(),
            workspace: self.workspace,
            exclude: self.exclude.clone(),
            lib: self.lib,
            bins: self.bins,
            examples: self.examples,
            tests: self.tests,
            benches: self.benches,
            all_targets: self.all_targets,
            bin: self.bin.clone(),
            example: self.example.clone(),
            test: self.test.clone(),
            bench: self.bench.clone(),
            features: self.features.clone(),
            all_features: self.all_features,
            no_default_features: self.no_default_features,
            release: self.release,
            profile: self.profile.clone(),
            target: self.target.first().cloned(),
            other_targets: self.target.iter().skip(1).cloned().collect(),
            locked: self.locked,
            offline: self.offline,
            frozen: self.frozen,
            config: self.config.clone(),
            target_dir: self.target_dir.clone(),
            with_members: false,
            documented: false,
            unit_tests: false,
            no_project_config: self.no_project_config,
            proc_macros: self.proc_macros,
        }
    }

    /// Returns true if a package is named by its whole id, as rust-analyzer does for the file that
    /// was saved. It then also clears the diagnostics of the libraries that the package is built
    /// from.
    pub(super) fn is_of_editor(&self) -> bool {
        self.package.iter().any(|spec| spec.contains("://"))
    }

    /// Returns the number of threads to use; 0 leaves it to rayon.
    pub(super) fn threads(&self) -> Result<usize, String> {
        let Some(text) = self.jobs.as_deref().filter(|t| *t != "default") else {
            return Ok(0);
        };
        let there = std::thread::available_parallelism().map_or(1, usize::from);
        match text.parse::<isize>() {
            Ok(0) => Err("the number of jobs must not be 0".to_owned()),
            Ok(n) if n > 0 => Ok(n.unsigned_abs()),
            Ok(n) => Ok(there.saturating_sub(n.unsigned_abs()).max(1)),
            Err(_) => Err(format!("`{text}` is not a number of jobs")),
        }
    }
}
