//! Takes a census: builds the program or takes one that is built, runs it and counts.

use super::{Arguments, ELSEWHERE};
use crate::census::{Taken, build, run};
use crate::cli::Terminal;
use crate::join;
use crate::project::{Project, Selection};
use crate::store::{self, Folder, Kind, Temporary};
use std::path::Path;

pub(super) fn take(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<Taken, String> {
    let say = |verb: &str, what: &str| terminal.status(verb, what);
    if let Some(process) = arguments.now {
        return match cfg!(target_os = "linux") {
            true => run::now(process, &say),
            false => Err(ELSEWHERE.to_owned()),
        };
    }
    let at = match &arguments.every {
        Some(interval) => run::At::Every(run::duration(interval)?),
        None => run::At::parse(&arguments.at),
    };
    if matches!(at, run::At::Every(_) | run::At::After(_)) && !cfg!(target_os = "linux") {
        return Err(ELSEWHERE.to_owned());
    }
    with_run(terminal, selection, arguments, at, |run, project| {
        let mut taken = run::run(run, &say)?;
        if let Some(project) = project {
            let crates = project.crates[..project.built].iter();
            let named = crates.map(|c| (&*c.name, &*c.package, &*c.package_id));
            join::packages(&mut taken.census, named);
        }
        Ok(taken)
    })
}

/// Runs a program of which others take censuses; returns why it failed, if it did.
pub(super) fn serve(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<Option<String>, String> {
    let say = |verb: &str, what: &str| terminal.status(verb, what);
    with_run(terminal, selection, arguments, run::At::Asked, |run, _| {
        run::serve(run, &say)
    })
}

/// Finds or builds the program, and hands on how to run it.
fn with_run<T>(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
    at: run::At,
    then: impl FnOnce(&run::Run<'_>, Option<&Project>) -> Result<T, String>,
) -> Result<T, String> {
    let say = |verb: &str, what: &str| terminal.status(verb, what);
    let timeout = arguments.timeout.map(std::time::Duration::from_secs);
    if let Some(program) = &arguments.exec {
        let places = Places::of(terminal, selection)?;
        return then(
            &run::Run {
                program,
                arguments: &arguments.args,
                at,
                once: arguments.once,
                timeout,
                folder: places.folder(),
                contents: places.contents(),
                compiler: &std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()),
                runner: &[],
                foreign: None,
                package: None,
                is_unmerged: false,
            },
            None,
        );
    }
    let project = crate::project::load(selection).map_err(|e| e.to_string())?;
    for warning in &project.warnings {
        terminal.warning(warning);
    }
    let triple = &project.target.triple;
    if !run::is_recorded(triple) {
        return Err(format!("{triple}: {ELSEWHERE}"));
    }
    let is_foreign = *triple != project.rustc.host;
    if is_foreign && project.runner.is_empty() {
        return Err(format!(
            "a program for {triple} needs a runner: set `target.{triple}.runner` in cargo's \
             configuration"
        ));
    }
    let needed = |closed| store::needed(&closed);
    let folder = store::make(&project.target_dir, Kind::Census).map_err(needed)?;
    let builds = folder.own("build", true).map_err(needed)?;
    builds.without_links(&[]).map_err(needed)?;
    let flags = build::flags(&project);
    say(
        "Building",
        &format!("with `{}` appended to your rustc flags", flags.join(" ")),
    );
    let program = build::build(&project, selection, builds.path(), &flags)?;
    then(
        &run::Run {
            program: &program.path,
            arguments: &arguments.args,
            at,
            once: arguments.once,
            timeout,
            folder: &folder,
            contents: Some(&folder),
            compiler: &project.compiler,
            runner: &project.runner,
            foreign: is_foreign.then_some((&**triple, project.linker.as_deref())),
            package: program.package.as_deref(),
            is_unmerged: flags.contains(&build::UNMERGED),
        },
        Some(&project),
    )
}

/// The folders of a run with `--exec`.
enum Places {
    /// The one of a project, for everything.
    Kept(Folder),
    /// A temporary one for the recorder, and one for the contents of the heap; `None`: they stay in
    /// memory.
    Ours(Temporary, Option<Folder>),
}

impl Places {
    fn folder(&self) -> &Folder {
        match self {
            Places::Kept(folder) => folder,
            Places::Ours(folder, _) => folder.folder(),
        }
    }

    fn contents(&self) -> Option<&Folder> {
        match self {
            Places::Kept(folder) => Some(folder),
            Places::Ours(_, beside) => beside.as_ref(),
        }
    }

    fn of(terminal: &Terminal, selection: &Selection) -> Result<Places, String> {
        let kept = build::target_folder(selection)
            .and_then(|target| store::if_ours(store::make(&target, Kind::Census)));
        if let Some(folder) = kept {
            return Ok(Places::Kept(folder));
        }
        let folder = Folder::of_user(&std::env::temp_dir())
            .and_then(|folder| run::temporary("cargo-weigh-", &folder))
            .map_err(|e| format!("cannot create a folder for the recorder: {e}"))?;
        let beside = terminal.output().map(|output| {
            let folder = output.parent().unwrap_or(Path::new(""));
            let opened = Folder::of_user(folder);
            opened.map_err(|e| format!("cannot write in {}: {e}", folder.display()))
        });
        Ok(Places::Ours(folder, beside.transpose()?))
    }
}
