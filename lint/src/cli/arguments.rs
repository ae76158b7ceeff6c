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
    "\nsizes are exact for rustc 1.85 to 1.99; any other is asked once"
);

const AFTER_HELP: &str = "\
Examples:
  cargo weigh                            lint the package or workspace here
  cargo weigh --workspace -D warnings    in CI: status 1 for any finding
  cargo weigh sizes                      each type, the largest first
  cargo weigh layout 'Option<Box<u8>>'   a type, byte by byte
  cargo weigh fix --dry-run              which remedies compile, and what they give
  cargo weigh explain oversized_variant  what a lint looks for, and why

Lint levels also go after `--`, as with Clippy: `cargo weigh -- -D warnings`. Below them count
CARGO_WEIGH_LEVELS, cargo's build.warnings, and `lints` in [package.metadata.weigh] and
[workspace.metadata.weigh].

Exit status: 0 if nothing is at deny level; 1 for a finding at deny level, a wrong size in
`verify` or a `diff --fail-on` that is met; 2 if the work could not be done, with what could be
analysed still reported.

Nothing is compiled and no build script is run, except by `verify` and `fix`, by `census`, which also
runs the program, and by what `--with` names: build once before, so that what build scripts say is
known. Procedural macros are run with `--proc-macros` alone.";

/// Find where a crate's types waste memory: exact sizes, without compiling.
///
/// Reads the sources, works out the layout of every type with rustc's own calculator, and reports
/// what could be smaller, with the numbers. Without a subcommand it lints.
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
    /// Write all findings to `weigh.baseline.json` at the workspace's root
    ///
    /// Where that file is, the findings in it are not reported again: only new ones are. They are
    /// matched by lint, type and field. What is no longer found goes, and what other packages
    /// have in it stays.
    #[arg(long, help_heading = "Lint levels")]
    pub(super) write_baseline: bool,
    /// Show only the N most valuable findings
    ///
    /// It limits what people are shown: never the exit status, the baseline or formats for programs.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) top: Option<usize>,
    /// Show every finding in full, not only the ten most valuable
    #[arg(long, help_heading = "Output")]
    pub(super) all_details: bool,
    /// Rank findings by what they would have saved in a run: a kept census of it
    /// (`cargo weigh census --output FILE`)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) census: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: Output,
    #[command(flatten)]
    pub(super) select: Select,
    /// Run this cargo command as well, and pass on what it says
    ///
    /// For editors, which run one check a workspace: the same packages, targets and features, its
    /// lines of JSON unchanged among ours. Code that does not compile gives status 2.
    #[arg(long, value_name = "COMMAND", value_enum, help_heading = "Output")]
    pub(super) with: Option<Companion>,
    /// Lint levels as Clippy's users type them: `-- -D warnings`
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
    /// Sizes and alignments are bytes on the target, the largest first. Of a size that is not known
    /// the least that it can be is given, as `24+`, with the reason.
    Sizes(super::sizes::Arguments),
    /// Say what is known of types, and why a lint reports them or does not
    ///
    /// Size, how many values there are and what shows it, variants and where they are built, and for
    /// each lint the rule that decided.
    Why {
        /// Types: paths, or last names that are unique
        #[arg(required = true, value_name = "TYPE")]
        types: Vec<String>,
        /// Say also what follows from this census of a run
        #[arg(long = "census", id = "why-census", value_name = "FILE")]
        census: Option<PathBuf>,
    },
    /// Draw types byte by byte: fields, padding, tags and niches
    ///
    /// TYPE is a path (`gc_record::GcRecord`; its end suffices where that is unambiguous), or is
    /// written with arguments: `Option<Foo<u32>>`, `std::vec::Vec<u8>`.
    Layout {
        /// Types to draw
        #[arg(value_name = "TYPE", required = true)]
        types: Vec<String>,
    },
    /// Print the documentation of a lint
    Explain {
        /// Name of the lint, with or without `weigh::`
        #[arg(value_name = "LINT")]
        lint: String,
    },
    /// List all lints
    Lints,
    /// Write the sizes of the workspace to a file that is kept in git
    ///
    /// The file is `weigh.sizes.json` at the workspace root, or what `--output` says: JSON, one
    /// type a line. All packages are written unless some are named.
    Snapshot,
    /// Print which types grew, shrank, came and went since a snapshot or a git revision
    ///
    /// With the field or variant that did it, and what holds the type by value. A revision's files
    /// are read from git into the target folder's `weigh/diff`; nothing of it is run, and features,
    /// target and configuration are the present ones. With `--message-format json`: an object a
    /// line for each change, and one with `"change": "summary"`.
    Diff(super::diff::Arguments),
    /// Count what is in the heap of a running program, by exact types (this builds and runs it)
    ///
    /// Builds the selected binary, example, test or benchmark as cargo would, in release unless
    /// another profile is named, with full debug information and frame pointers, in a target folder
    /// of its own; runs it with a recorder loaded beside it, for a peak or a label twice; and counts
    /// values, variants, spare capacity and texts. What the program prints goes to stderr. With
    /// `--output FILE` the counts are kept there, as lines of JSON.
    Census(super::census::Arguments),
    /// Apply remedies, each checked by the compiler, or not at all (this compiles)
    ///
    /// Of each finding the best remedy with edits is tried on a copy below the target folder's
    /// `weigh/fix`: all together, then halves of what does not compile. rustc's own sure suggestions
    /// may finish what is left. Of what compiles, rustc says the new sizes. Only then the files of
    /// the workspace change, all or none; a commit before is asked for, as `cargo fix` does.
    Fix(super::fix::Arguments),
    /// Write one page of HTML to look at: the largest types, layouts, findings
    ///
    /// To the file that `--output` names. It loads nothing from anywhere: it can be sent and kept.
    #[command(name = "report")]
    Report(super::page::Arguments),
    /// Hold every size against rustc's own answer (this compiles)
    ///
    /// Runs `cargo rustdoc` with the layout of each type shown, into the target folder's
    /// `weigh/verify`, and compares. What is selected is read as rustdoc sees it, with `cfg(doc)`.
    /// Status 1 means that a size was wrong.
    Verify,
    /// Add the table of settings to the manifest, with the defaults as comments
    ///
    /// To the workspace's `Cargo.toml`: as `[workspace.metadata.weigh]`, or for a package alone as
    /// `[package.metadata.weigh]`. With `--output FILE` the new manifest goes there.
    Init,
    /// Print the manual page, of the program or of a command
    ///
    /// Into `cargo-weigh.1` in a `man1` folder of `manpath`, it is what `cargo help weigh` shows.
    Man {
        /// The command
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Print the completions for a shell
    ///
    /// For bash, `source <(cargo weigh completions bash)` in ~/.bashrc, behind cargo's own; for
    /// zsh, into a file `_cargo-weigh` in a folder of `fpath`.
    Completions {
        /// The shell
        #[arg(value_name = "SHELL", value_enum)]
        shell: Shell,
    },
}

#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Output {
    /// How to print: several of cargo's JSON spellings may be joined by commas
    #[arg(
        long,
        value_name = "FMT",
        value_enum,
        value_delimiter = ',',
        action = ArgAction::Append,
        global = true
    )]
    pub(super) message_format: Vec<MessageFormat>,
    /// Write the results to a file instead of stdout
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) output: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, global = true)]
    pub(super) color: Option<clap::ColorChoice>,
    /// No summary and no warnings about the run itself
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Say why types could not be sized, and what is wrong in dependencies
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(super) verbose: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// Source, labels, numbers
    Human,
    /// Headline, places and the best remedy of a finding
    Brief,
    /// One line a finding
    Short,
    /// Cargo's lines of JSON
    Json,
    /// The same, with `short` as the text for people
    JsonDiagnosticShort,
    /// The same, with colours in the text for people
    JsonDiagnosticRenderedAnsi,
    /// The text for people on stderr, the rest as JSON
    JsonRenderDiagnostics,
    /// SARIF 2.1.0, as code scanning reads it
    Sarif,
    /// Annotations in GitHub Actions, and a table where GITHUB_STEP_SUMMARY is set
    Github,
    /// GitLab's code quality report
    Gitlab,
}

impl MessageFormat {
    /// Not for programs.
    pub(super) fn is_for_people(self) -> bool {
        matches!(
            self,
            MessageFormat::Human | MessageFormat::Brief | MessageFormat::Short
        )
    }
}

/// A cargo command that can run beside ours.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Companion {
    Check,
    Clippy,
}

impl Companion {
    /// As cargo calls it.
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
    /// Packages to leave out
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
    /// Sizes on this target; of several, on the first
    #[arg(long, value_name = "TRIPLE", global = true, help_heading = "Build")]
    pub(super) target: Vec<String>,
    /// Folder for all that is generated
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
    /// Run nothing that the project names, for code that is not trusted
    ///
    /// Cargo and rustc are run in the root folder, so that no `.cargo/config.toml` and no
    /// `rust-toolchain.toml` of the project counts: no compiler, wrapper or credential provider of
    /// its choice is run. Sizes are then those without its configuration. Call `cargo-weigh`
    /// itself, or stand elsewhere: before this program begins, rustup and cargo have read the
    /// configuration of the folder they are called in.
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) no_project_config: bool,
    /// Expand procedural macros: this RUNS them, as a build does
    ///
    /// The toolchain's own `rust-analyzer-proc-macro-srv` runs the libraries that the last build
    /// left in the target folder; a macro may read and write whatever you may. What they write is
    /// then known, and what derives make is listed by `sizes`. Build first: a macro whose library is
    /// not there or not current stays unexpanded. In `[workspace.metadata.weigh]` it is
    /// `proc-macros = true`.
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) proc_macros: bool,
    /// Number of threads; negative: so many fewer than there are
    #[arg(
        short,
        long,
        value_name = "N",
        global = true,
        allow_hyphen_values = true,
        help_heading = "Build"
    )]
    pub(super) jobs: Option<String>,
    /// Accepted for cargo's sake: as much as possible is always analysed
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) keep_going: bool,
    /// Cargo.lock must stay as it is
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) locked: bool,
    /// Do not use the network
    #[arg(long, global = true, help_heading = "Build")]
    pub(super) offline: bool,
    /// Both `--locked` and `--offline`
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
            no_project_config: self.no_project_config,
            proc_macros: self.proc_macros,
        }
    }

    /// A package is named by its whole id, as rust-analyzer does for the file that was saved. It
    /// then forgets what it showed for the libraries that the package is built from as well.
    pub(super) fn is_of_editor(&self) -> bool {
        self.package.iter().any(|spec| spec.contains("://"))
    }

    /// Number of threads to use; 0 leaves it to rayon.
    pub(super) fn threads(&self) -> Result<usize, String> {
        let Some(text) = self.jobs.as_deref().filter(|t| *t != "default") else {
            return Ok(0);
        };
        let there = std::thread::available_parallelism().map_or(1, usize::from);
        match text.parse::<isize>() {
            Ok(0) => Err("jobs may not be 0".to_owned()),
            Ok(n) if n > 0 => Ok(n.unsigned_abs()),
            Ok(n) => Ok(there.saturating_sub(n.unsigned_abs()).max(1)),
            Err(_) => Err(format!("`{text}` is no number of jobs")),
        }
    }
}
