//! `cargo weigh verify`: compares every size with rustc's own.

use super::{CLEAN, FAILED, FOUND, Terminal, print_problems, read_one};
use crate::check;
use crate::interrupt;
use crate::model::{Bodies, Model, Texts};
use crate::project::{self, Crate, Project, Selection};
use crate::report::{self, Places};
use crate::store::{self, Folder, Kind};
use crate::verify::{self, Names, Verdict};
use crate::visible;
use std::fmt::Write as _;
use std::path::Path;

#[derive(Default)]
struct Tally {
    exact: usize,
    wrong: usize,
    /// Assumed sizes, and how many of them are right.
    assumed: (usize, usize),
    unknown: usize,
    not_asked: usize,
    /// Crates that rustc could not compile, and what could not be read.
    unread: report::Unread,
}

pub(super) fn run(terminal: &Terminal, selection: &Selection, json: bool) -> Result<u8, String> {
    let project = project::load(selection).map_err(|e| e.to_string())?;
    interrupt::end_all_and_this();
    terminal.status("Verifying", "with `cargo rustdoc`: this compiles");
    // Another run would remove the pages that this one reads.
    let (folder, _alone) = store::alone(&project.target_dir, Kind::Verify)?;
    let links = folder.without_links(&[]);
    links.map_err(|closed| store::needed(&closed))?;
    let selected = || project.selected.iter().map(|&id| project.krate(id));
    let mut run = Run {
        terminal,
        selection,
        project: &project,
        names: Names::of(selected()),
        texts: Texts::new(Bodies::Asked),
        said: Vec::new(),
        json,
        folder,
        text: String::new(),
        tally: Tally::default(),
        status: CLEAN,
    };
    for krate in selected() {
        run.verify(krate)?;
    }
    let Run {
        mut text,
        tally,
        mut status,
        ..
    } = run;
    if !json {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} exact, {} wrong, {}{} unknown; {} not checked (generic, unsized, or inside \
             functions){}; rustc {} on {}",
            tally.exact,
            tally.wrong,
            match tally.assumed {
                (0, _) => String::new(),
                (all, right) => format!("{all} assumed ({right} of them right), "),
            },
            tally.unknown,
            tally.not_asked,
            tally.unread.words(),
            project.rustc.version,
            project.target.triple
        );
    }
    if status == CLEAN && tally.wrong > 0 {
        status = FOUND;
    }
    terminal.write(text.as_bytes())?;
    Ok(status)
}

struct Run<'r> {
    terminal: &'r Terminal,
    selection: &'r Selection,
    project: &'r Project,
    names: Names,
    texts: Texts,
    /// The warnings printed so far.
    said: Vec<String>,
    json: bool,
    folder: Folder,
    text: String,
    tally: Tally,
    status: u8,
}

impl Run<'_> {
    /// Compiles a crate and compares its sizes. The crate is read alone, as rustdoc sees it: with the
    /// features of this package alone, `cfg(doc)`, and the output of the build scripts.
    fn verify(&mut self, krate: &Crate) -> Result<(), String> {
        let is_asked = verify::is_asked(krate);
        let mut pages = None;
        if is_asked {
            self.terminal.status("Compiling", &verify::described(krate));
            let names = &self.names;
            match verify::ask(self.project, krate, names, self.selection, &self.folder) {
                Ok(folder) => pages = Some(folder),
                Err(message) => {
                    self.terminal.error(&message);
                    self.status = FAILED;
                    self.tally.unread.own += 1;
                    return Ok(());
                }
            }
        }
        let alone = Selection {
            documented: true,
            target_dir: is_asked.then(|| self.folder.path().to_owned()),
            ..self.selection.only(krate)
        };
        let model = read_one(self.terminal, &alone, &self.texts, &mut self.said)?;
        for &id in &model.db.project.selected {
            match &pages {
                Some(pages) => self.compare(&model, id.0, pages),
                None => {
                    let types = model.types().iter().filter(|t| t.krate == id.0);
                    self.tally.not_asked += types.count();
                }
            }
        }
        let problems = check::problems(&model);
        self.tally.unread += report::Unread::of(&problems);
        let status = print_problems(self.terminal, &model, &problems);
        self.status = self.status.max(status);
        Ok(())
    }

    fn compare(&mut self, model: &Model<'static>, krate: u32, pages: &Path) {
        let places = Places::new(model);
        for info in model.types().iter().filter(|t| t.krate == krate) {
            let verdict = verify::compare(model, info, pages);
            let (word, why) = match &verdict {
                Verdict::Exact(_) => {
                    self.tally.exact += 1;
                    ("exact", None)
                }
                Verdict::Wrong(what) => {
                    self.tally.wrong += 1;
                    ("wrong", Some(what))
                }
                Verdict::Assumed(is_right, if_) => {
                    self.tally.assumed.0 += 1;
                    self.tally.assumed.1 += usize::from(*is_right);
                    match is_right {
                        true => ("assumed-right", Some(if_)),
                        false => ("assumed-wrong", Some(if_)),
                    }
                }
                Verdict::Unknown(why) => {
                    self.tally.unknown += 1;
                    ("unknown", Some(why))
                }
                Verdict::NotAsked => {
                    self.tally.not_asked += 1;
                    ("not-asked", None)
                }
            };
            let place = places.of(info.span);
            if self.json {
                let line = serde_json::json!({
                    "package": report::package(model, info),
                    "path": info.path,
                    "rustc": model.db.project.release.version,
                    "triple": model.db.project.target.triple,
                    "file": place.file,
                    "line": place.start.0,
                    "verdict": word,
                    "reason": why,
                });
                let _ = writeln!(self.text, "{line}");
            } else if matches!(verdict, Verdict::Wrong(_)) || self.terminal.verbose && why.is_some()
            {
                let why = why.map_or("", String::as_str);
                let _ = writeln!(
                    self.text,
                    "{word}: {} ({}:{}): {why}",
                    info.path,
                    visible::line(&place.file),
                    place.start.0
                );
            }
        }
    }
}
