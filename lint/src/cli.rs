//! The command line: parsing, and dispatch to the subcommands.

mod arguments;
mod baseline;
mod census;
mod completions;
mod diff;
mod explain;
mod fix;
mod futures;
mod init;
mod kept;
mod layout;
mod levels;
mod lint;
mod man;
mod page;
mod progress;
mod sizes;
mod snapshot;
mod terminal;
mod unshown;
mod verify;
mod why;
mod with;
mod written;

use crate::check;
use crate::fault;
use crate::fix::journal;
use crate::futures::wrapper;
use crate::model::{Bodies, Model, Texts};
use crate::project::{self, Project, Selection};
use crate::report::{self, Format, Rendered};
use crate::resolve::supposed::Supposition;
use crate::seen::{self, Kind};
use crate::snapshot::revision;
use crate::store;
use crate::write;
use arguments::{Arguments, Command, MessageFormat};
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::path::Path;
use terminal::Terminal;

/// Exit status if no finding is at deny level.
const CLEAN: u8 = 0;
/// Exit status for a finding at deny level or a wrong size.
const FOUND: u8 = 1;
/// Exit status if the work could not be done completely.
const FAILED: u8 = 2;

/// Exit status for a bug in cargo-weigh.
pub const FAULT: u8 = 101;

/// Stack of the worker threads, in bytes: syntax trees are visited recursively.
const WORKER_STACK: usize = 32 << 20;

/// Runs the program with these arguments, the first being its own name; returns its exit status.
pub fn run(arguments: Vec<OsString>) -> u8 {
    if let Some(status) = wrapper::run(&arguments) {
        return status;
    }
    let arguments = without_subcommand_name(arguments);
    let words = arguments.clone();
    let command = Arguments::command().color(terminal::colour_before_parsing(&arguments));
    let matches = match command.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(mut error) => {
            offer_command(&mut error);
            // Help and version go to stdout and are not errors. A closed pipe is not an error either.
            let _ = error.print();
            return if error.use_stderr() { FAILED } else { CLEAN };
        }
    };
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return FAILED;
        }
    };
    let terminal = Terminal::new(&arguments.output);
    fault::keep_quiet();
    let work = || "running the command".to_owned();
    let status = match fault::guard(work, || dispatch(&words, &arguments, &matches, &terminal)) {
        Some(Ok(status)) => status,
        Some(Err(message)) => {
            terminal.error(&message);
            FAILED
        }
        None => FAULT,
    };
    for why in store::refused() {
        terminal.warning(&why);
    }
    match say_faults(&terminal) {
        true => FAULT,
        false => status,
    }
}

/// Suggests the command that a word may have meant: clap takes the word for an argument.
fn offer_command(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let root = Arguments::command();
    let names = root.get_subcommands().map(|c| c.get_name());
    let is_word = !word.starts_with('-') && error.kind() == ErrorKind::UnknownArgument;
    let likeness = |name: &str| strsim::jaro_winkler(word, name);
    let near = names.filter(|name| is_word && likeness(name) > 0.8);
    let near = near.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    if let Some(name) = near.map(str::to_owned) {
        let offer = ContextValue::Strings(vec![name]);
        error.insert(ContextKind::SuggestedSubcommand, offer);
    }
}

/// Reports bugs in cargo-weigh; returns whether there were any.
fn say_faults(terminal: &Terminal) -> bool {
    let faults = fault::take();
    for fault in &faults {
        let fault::Fault { work, message, at } = fault;
        terminal.error(&format!(
            "this is a bug in cargo-weigh {}, not in your code: {message}, at {at}, while {work}",
            env!("CARGO_PKG_VERSION")
        ));
    }
    if !faults.is_empty() {
        let at = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");
        terminal.note(&format!(
            "the rest was analysed and is reported; please report this bug with these lines: {at}"
        ));
    }
    !faults.is_empty()
}

/// Removes the name of the subcommand, which cargo passes on: `cargo weigh x` runs
/// `cargo-weigh weigh x`.
fn without_subcommand_name(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|a| a == "weigh") {
        arguments.remove(1);
    }
    arguments
}

/// Starts the threads that share the work.
fn start_threads(number: usize) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number);
    // The calling thread is one of the workers.
    let pool = pool.use_current_thread();
    let started = pool.stack_size(WORKER_STACK).build_global();
    started.map_err(|e| format!("cannot start threads: {e}"))
}

/// Returns true if the output of a run is kept for the next one.
fn is_kept(arguments: &Arguments, format: Wanted) -> bool {
    match &arguments.command {
        None => !arguments.write_baseline && !writes_a_page(format),
        Some(Command::Sizes(arguments)) => arguments.assert.is_none(),
        _ => false,
    }
}

fn dispatch(
    words: &[OsString],
    arguments: &Arguments,
    matches: &clap::ArgMatches,
    terminal: &Terminal,
) -> Result<u8, String> {
    let format = format(&arguments.output.message_format)?;
    let json = format.is_json();
    refuse(arguments, format)?;
    let levels = levels::read(matches, &arguments.after)?;
    let threads = arguments.select.threads()?;
    let least_worth = arguments.least_worth;
    let start = || start_threads(threads);
    let mut selection = arguments.select.selection();
    selection.with_members = arguments.command.is_none() && json && arguments.select.is_of_editor();
    let asked = lint::LintFlags {
        levels: &levels,
        write_baseline: arguments.write_baseline,
        top: arguments.top,
        least_worth: arguments.least_worth,
        also: arguments.also,
        all_details: arguments.all_details,
        show_suppressed: arguments.show_suppressed,
        census: arguments.census.as_deref(),
    };
    let is_kept = is_kept(arguments, format);
    let kept = |work: &dyn Fn() -> Result<u8, String>| match is_kept {
        true => kept::run(terminal, &selection, words, || {
            start().and_then(|()| work())
        }),
        false => work(),
    };
    if !is_kept {
        start()?;
    }
    match &arguments.command {
        None => {
            let lint = |wanted| kept(&|| lint::run(terminal, &selection, wanted, asked));
            match arguments.with {
                None => lint(format),
                Some(companion) => {
                    let wanted = format.without_end();
                    with::run(companion, arguments, terminal, wanted, || lint(wanted))
                }
            }
        }
        Some(Command::Completions { shell }) => completions::run(terminal, *shell),
        Some(Command::Sizes(arguments)) => match arguments.assert.as_deref() {
            None => kept(&|| sizes::run(terminal, &selection, json, arguments)),
            Some([]) => sizes::module(terminal, &selection, arguments),
            Some(types) => {
                let types = [types, arguments.others()].concat();
                sizes::assert(terminal, &selection, &types)
            }
        },
        Some(Command::Layout(asked)) => layout::run(terminal, &selection, json, asked),
        Some(Command::Why { types, census }) => why::run(
            terminal,
            &selection,
            json,
            (&levels, arguments.least_worth),
            census.as_deref(),
            types,
        ),
        Some(Command::Explain { lint }) => explain::run(terminal, json, lint.as_deref()),
        Some(Command::Init) => init::run(terminal, &selection),
        Some(Command::Man { command }) => man::run(terminal, command.as_deref()),
        Some(Command::Report(arguments)) => {
            let own = matches.subcommand_matches("report").unwrap_or(matches);
            let levels = [levels, levels::read(own, &[])?].concat();
            page::run(terminal, &selection, (&levels, least_worth), arguments)
        }
        Some(Command::Lints) => explain::all(terminal, json),
        Some(Command::Snapshot { futures: true }) => snapshot::futures(terminal, &selection),
        Some(Command::Snapshot { .. }) => snapshot::run(terminal, &selection),
        Some(Command::Diff(arguments)) => diff::run(terminal, &selection, json, arguments),
        Some(Command::Census(arguments)) => census::run(terminal, &selection, json, arguments),
        Some(Command::Fix(arguments)) => {
            let own = matches.subcommand_matches("fix").unwrap_or(matches);
            let levels = [levels, levels::read(own, &[])?].concat();
            let arguments = (arguments, least_worth);
            fix::run(terminal, &selection, json, arguments, levels)
        }
        Some(Command::Futures(arguments)) => futures::run(terminal, &selection, json, arguments),
        Some(Command::Verify) => verify::run(terminal, &selection, json),
    }
}

/// Returns an error for arguments that contradict each other, where `clap` cannot see it.
fn refuse(arguments: &Arguments, format: Wanted) -> Result<(), String> {
    if arguments.command.is_some() && format.is_for_findings() {
        return Err(
            "`sarif`, `github` and `gitlab` are formats of findings: use them without a command"
                .to_owned(),
        );
    }
    let compiles = match &arguments.command {
        Some(Command::Verify | Command::Fix(_) | Command::Futures(_)) => true,
        Some(Command::Snapshot { futures }) => *futures,
        Some(Command::Diff(diff)) => diff.futures,
        Some(Command::Census(census)) => census.runs_a_program(),
        _ => arguments.with.is_some(),
    };
    if arguments.select.no_project_config && compiles {
        return Err(
            "`--no-project-config` cannot be used with `verify`, `futures`, `fix`, `census` or \
             `--with`, which compile the project"
                .to_owned(),
        );
    }
    if arguments.select.no_project_config && arguments.select.proc_macros {
        return Err(
            "`--no-project-config` cannot be used with `--proc-macros`, which runs the project's macros"
                .to_owned(),
        );
    }
    if arguments.census.is_some() && arguments.command.is_some() {
        return Err(
            "`--census` is for the lints; `why`, `fix` and `report` take it after the name of the command"
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns true if findings are also added to the summary page of a GitHub job.
fn writes_a_page(wanted: Wanted) -> bool {
    wanted.format == Format::Github && std::env::var_os("GITHUB_STEP_SUMMARY").is_some()
}

/// The output that `--message-format` selects.
#[derive(Clone, Copy)]
struct Wanted {
    format: Format,
    /// True for cargo's `json-render-diagnostics`: findings as text on stderr, the rest as JSON.
    aside: bool,
    /// True if the last JSON line, `build-finished`, is written.
    ends: bool,
}

impl Wanted {
    fn is_json(self) -> bool {
        matches!(self.format, Format::Json(_))
    }

    /// Omits the last JSON line, as cargo's lines follow.
    fn without_end(self) -> Wanted {
        Wanted {
            ends: false,
            ..self
        }
    }

    fn is_for_findings(self) -> bool {
        matches!(self.format, Format::Sarif | Format::Github | Format::Gitlab)
    }
}

fn format(list: &[MessageFormat]) -> Result<Wanted, String> {
    let mut wanted = Wanted {
        format: Format::Human,
        aside: false,
        ends: true,
    };
    let mut plain = 0;
    for format in list {
        wanted.format = match format {
            MessageFormat::Human => Format::Human,
            MessageFormat::Brief => Format::Brief,
            MessageFormat::Short => Format::Short,
            MessageFormat::Sarif => Format::Sarif,
            MessageFormat::Github => Format::Github,
            MessageFormat::Gitlab => Format::Gitlab,
            // A more specific spelling takes precedence.
            MessageFormat::Json => match wanted.format {
                Format::Json(rendered) => Format::Json(rendered),
                _ => Format::Json(Rendered::Plain),
            },
            MessageFormat::JsonDiagnosticShort => Format::Json(Rendered::Short),
            MessageFormat::JsonDiagnosticRenderedAnsi => Format::Json(Rendered::Ansi),
            MessageFormat::JsonRenderDiagnostics => {
                wanted.aside = true;
                Format::Json(Rendered::Plain)
            }
        };
        plain += usize::from(!wanted.is_json());
    }
    match plain > 0 && list.len() > 1 {
        true => Err("only JSON formats of `--message-format` can be combined".to_owned()),
        false => Ok(wanted),
    }
}

/// Reads the selected packages. Warnings go to stderr.
fn read(terminal: &Terminal, selection: &Selection) -> Result<Model<'static>, String> {
    let texts = Texts::early(selection, Bodies::Asked);
    read_one(terminal, selection, &texts, &mut Vec::new())
}

/// Reads the selected packages for each selected target; a text has the same number in all of them.
fn read_each(
    terminal: &Terminal,
    selection: &Selection,
    bodies: Bodies,
) -> Result<Vec<Model<'static>>, String> {
    let texts = Texts::early(selection, bodies);
    let mut said = Vec::new();
    let mut read = |s: &Selection| read_one(terminal, s, &texts, &mut said);
    let selections = selection.each_target();
    let mut models: Vec<Model<'static>> = Vec::new();
    for selection in &selections {
        let model = read(selection)?;
        // `host-tuple` may be an alias of another selected target.
        let triple = &model.db.project.target.triple;
        if !models.iter().any(|m| m.db.project.target.triple == *triple) {
            models.push(model);
        }
    }
    Ok(models)
}

fn read_one(
    terminal: &Terminal,
    selection: &Selection,
    texts: &Texts,
    said: &mut Vec<String>,
) -> Result<Model<'static>, String> {
    let mut warn = |warning: &str| {
        if !said.iter().any(|s| s == warning) {
            said.push(warning.to_owned());
            terminal.warning(warning);
        }
    };
    terminal.progress("asking cargo");
    let project = project::load(selection).map_err(|e| e.to_string())?;
    terminal.keep_in(&project.target_dir);
    project::cache(selection).ask(&project.target_dir);
    recover(terminal, &project)?;
    // Temporary files of killed runs.
    write::sweep(&project.workspace_root);
    revision::sweep(&project.target_dir);
    project.warnings.iter().for_each(|w| warn(w));
    terminal.progress("reading");
    let model = Model::read(project, texts)?;
    if let Some(warning) = model.db.project.release.warning() {
        warn(&warning);
    }
    Ok(model)
}

/// Finishes or undoes an interrupted `fix`, and warns about it.
fn recover(terminal: &Terminal, project: &Project) -> Result<(), String> {
    // The journal is in a folder of the project.
    if !project.without_config
        && let Some(said) = journal::recover(project)?
    {
        terminal.warning(&said);
    }
    Ok(())
}

/// Refuses to write a file of the workspace to a pipe, which could block, or through a symbolic
/// link in an untrusted project.
fn refuse_place(project: &Project, path: &Path) -> Result<(), String> {
    let shown = path.display();
    if project.without_config && path.is_symlink() {
        return Err(format!(
            "cannot write `{shown}`: it is a symbolic link, which `--no-project-config` does not \
             follow"
        ));
    }
    match seen::kind(path) {
        Kind::Other => Err(format!("cannot write `{shown}`: it is not a regular file")),
        _ => Ok(()),
    }
}

/// Prints what could not be read and how much; returns the exit status that follows.
fn print_problems(
    terminal: &Terminal,
    model: &Model<'static>,
    problems: &[crate::resolve::Problem],
) -> u8 {
    print_each(terminal, model, problems);
    count_problems(terminal, problems)
}

/// Prints what could not be read.
fn print_each(terminal: &Terminal, model: &Model<'static>, problems: &[crate::resolve::Problem]) {
    let places = report::Places::new(model);
    for problem in problems.iter().filter(|p| p.own || terminal.verbose) {
        terminal.write_stderr(&report::problem(&places, problem));
    }
}

/// Prints how much could not be read; returns the exit status that follows.
fn count_problems(terminal: &Terminal, problems: &[crate::resolve::Problem]) -> u8 {
    match problems.iter().filter(|p| p.own).count() {
        0 => CLEAN,
        n => {
            let noun = report::count(n, "problem");
            terminal.error(&format!(
                "{noun} in the selected packages; everything else was analysed"
            ));
            FAILED
        }
    }
}

/// Returns the end of a summary line: how many types have a size, and for which compiler.
fn exactness(models: &[Model<'static>], census: &check::Census) -> String {
    let types = report::count(census.types, "type");
    let parts = report::parts_without_size(census).join(", ");
    let unknown = match parts.is_empty() {
        true => String::new(),
        false => {
            let parts = parts.replacen("of them", &format!("of {types}"), 1);
            format!("{parts} (-v says why), ")
        }
    };
    let project = models[0].db.project;
    format!(
        "{unknown}{}",
        report::exactness_on(project, &report::triples(models))
    )
}

/// Notes about unread `include!`s without `-v`; most are of one build script.
const MOST_INCLUDES: usize = 3;

/// Prints whether macros do what is supposed of them where they are not expanded.
fn print_suppositions(terminal: &Terminal, list: &[Supposition]) {
    if list.is_empty() {
        return;
    }
    let held = list.iter().filter(|one| one.failed == 0).count();
    let more = if terminal.verbose {
        ""
    } else {
        " (-v lists them)"
    };
    terminal.note(&format!(
        "{} of {} do what is supposed of them without `--proc-macros`{more}",
        held,
        report::count(list.len(), "macro"),
    ));
    for one in list.iter().filter(|_| terminal.verbose) {
        let places = report::count(one.held + one.failed, "place");
        terminal.note(&match &one.instead {
            None => format!("{}: as is supposed of it in {places}", one.of),
            Some(instead) => format!(
                "{}: not as is supposed of it in {} of {places}: {instead}",
                one.of, one.failed
            ),
        });
    }
}

/// Prints which types may be missing, what expansions have shown of unknown macros and, with `-v`,
/// why the sizes of others are unknown.
fn print_reasons(terminal: &Terminal, census: &check::Census) {
    for (i, why) in census.unread_includes.iter().enumerate() {
        match census.unread_includes.len() - i {
            more if i == MOST_INCLUDES && !terminal.verbose => {
                terminal.note(&format!("types may be missing: {more} more of `include!`"));
                break;
            }
            _ => terminal.note(&format!("types may be missing: {why}")),
        }
    }
    print_suppositions(terminal, &census.suppositions);
    if !terminal.verbose {
        return;
    }
    let kinds = [
        ("assumed size, if", &census.assumed),
        ("unknown size:", &census.unknown),
    ];
    for (kind, reasons) in kinds {
        let mut reasons: Vec<_> = reasons.iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for (reason, n) in reasons {
            let types = report::count(*n, "type");
            terminal.note(&format!("{types} of {kind} {reason}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::arguments::VERSION;
    use super::*;
    use crate::project::KNOWN;
    use clap::Parser;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_version_names_the_compilers() {
        let releases = format!("rustc 1.{} to 1.{}", KNOWN.start(), KNOWN.end());
        assert!(VERSION.contains(&releases));
    }

    #[test]
    fn all_three_ways_of_calling() {
        for call in [
            "cargo-weigh weigh sizes",
            "cargo-weigh sizes",
            "cargo-weigh sizes --lib",
        ] {
            let list = call.split(' ').map(OsString::from).collect();
            let parsed = Arguments::try_parse_from(without_subcommand_name(list)).unwrap();
            assert!(matches!(parsed.command, Some(Command::Sizes(_))));
        }
    }

    #[test]
    fn what_editors_pass() {
        let line = "cargo-weigh weigh --workspace --message-format=json --manifest-path P \
                    --keep-going --all-targets";
        let list = line.split_whitespace().map(OsString::from).collect();
        let parsed = Arguments::try_parse_from(without_subcommand_name(list)).unwrap();
        assert!(parsed.select.all_targets && parsed.command.is_none());
    }
}
