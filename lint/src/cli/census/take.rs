//! Takes a census: builds the program or takes one that is built, runs it and counts.

use super::{Arguments, ELSEWHERE};
use crate::census::{Taken, build, join, run};
use crate::cli::Terminal;
use crate::project::Selection;
use std::path::{Path, PathBuf};

pub(super) fn take(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<Taken, String> {
    let say = |verb: &str, what: &str| terminal.status(verb, what);
    let at = run::At::parse(&arguments.at);
    let timeout = arguments.timeout.map(std::time::Duration::from_secs);
    if let Some(program) = &arguments.exec {
        let places = Places::of(terminal, selection)?;
        return run::run(
            &run::Run {
                program,
                arguments: &arguments.args,
                at,
                once: arguments.once,
                timeout,
                folder: places.folder.path(),
                contents: places.contents.as_deref(),
                compiler: &std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()),
                runner: &[],
                foreign: None,
            },
            &say,
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
    let folder = project.target_dir.join("weigh").join("census");
    say(
        "Building",
        &format!(
            "with `{}` appended to your rustc flags",
            run::rustflags(triple).join(" ")
        ),
    );
    let program = build::build(&project, selection, &folder.join("build"))?;
    let mut taken = run::run(
        &run::Run {
            program: &program,
            arguments: &arguments.args,
            at,
            once: arguments.once,
            timeout,
            folder: &folder,
            contents: Some(&folder),
            compiler: &project.compiler,
            runner: &project.runner,
            foreign: is_foreign.then_some((&**triple, project.linker.as_deref())),
        },
        &say,
    )?;
    let crates = project.crates[..project.built].iter();
    let named = crates.map(|c| (&*c.name, &*c.package, &*c.package_id));
    join::packages(&mut taken.census, named);
    Ok(taken)
}

/// The folders of a run with `--exec`.
struct Places {
    folder: Folder,
    /// The file for the contents of the heap; `None`: they stay in memory.
    contents: Option<PathBuf>,
}

/// A folder of a project, or a temporary one.
enum Folder {
    Kept(PathBuf),
    Ours(tempfile::TempDir),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Folder::Kept(path) => path,
            Folder::Ours(folder) => folder.path(),
        }
    }
}

impl Places {
    fn of(terminal: &Terminal, selection: &Selection) -> Result<Places, String> {
        if let Some(target) = build::target_folder(selection) {
            let folder = target.join("weigh").join("census");
            return Ok(Places {
                contents: Some(folder.clone()),
                folder: Folder::Kept(folder),
            });
        }
        let folder = run::temporary("cargo-weigh-", &std::env::temp_dir());
        let folder = folder.map_err(|e| format!("cannot create a folder for the recorder: {e}"))?;
        let beside = terminal.output().map(|output| match output.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        });
        Ok(Places {
            contents: beside,
            folder: Folder::Ours(folder),
        })
    }
}
