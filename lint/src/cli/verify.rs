//! `cargo weigh verify`: lets rustc compile what is selected and holds every size against its own.

use super::{CLEAN, FAILED, FOUND, Terminal, print_problems, read};
use crate::check;
use crate::model::Model;
use crate::project::{CrateId, Selection};
use crate::report::{self, Places};
use crate::verify::{self, Names, Verdict};
use crate::{visible, write};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(Default)]
struct Tally {
    exact: usize,
    wrong: usize,
    unknown: usize,
    not_asked: usize,
    /// Crates that rustc could not be asked about, and what could not be read.
    unread: report::Unread,
}

pub(super) fn run(terminal: &Terminal, selection: &Selection, json: bool) -> Result<u8, String> {
    let selection = &Selection {
        documented: true,
        ..selection.clone()
    };
    let all = read(terminal, selection)?;
    let project = all.db.project;
    let temporary = project.target_dir.join("weigh");
    let mut packages: Vec<&str> = Vec::new();
    for &id in &project.selected {
        let package = project.krate(id).package_id.as_str();
        if !packages.contains(&package) {
            packages.push(package);
        }
    }
    terminal.status("Verifying", "with `cargo rustdoc`: this compiles");
    let cannot = |e| format!("cannot write below `{}`: {e}", temporary.display());
    std::fs::create_dir_all(&temporary).map_err(cannot)?;
    // Another run would remove the pages that this one is about to read.
    let _alone = write::lock(&temporary.join("verify.lock")).map_err(cannot)?;
    let mut run = Run {
        terminal,
        selection,
        names: Names::of(project.selected.iter().map(|&id| project.krate(id))),
        json,
        folder: temporary.join("verify"),
        text: String::new(),
        tally: Tally::default(),
        status: CLEAN,
    };
    match packages[..] {
        [_] => run.package(&all, selection)?,
        // Cargo documents one package at a time, with the features that it has alone.
        _ => {
            for package in packages {
                let alone = Selection {
                    packages: vec![package.to_owned()],
                    workspace: false,
                    exclude: Vec::new(),
                    ..selection.clone()
                };
                run.package(&read(terminal, &alone)?, &alone)?;
            }
        }
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
            "{} exact, {} wrong, {} unknown; {} not asked (generic, unsized, or inside functions)\
             {}; rustc {} on {}",
            tally.exact,
            tally.wrong,
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
    names: Names,
    json: bool,
    folder: PathBuf,
    text: String,
    tally: Tally,
    status: u8,
}

impl Run<'_> {
    /// Compiles the crates of a package, and compares. What build scripts say is known then, so all
    /// is read again.
    fn package(&mut self, model: &Model<'static>, selection: &Selection) -> Result<(), String> {
        let pages = self.compile(model);
        let built = Selection {
            target_dir: Some(self.folder.clone()),
            ..selection.clone()
        };
        let model = read(self.terminal, &built)?;
        for (id, pages) in pages {
            match pages {
                Some(pages) => self.krate(&model, id.0, &pages),
                None => {
                    let types = model.types().iter().filter(|t| t.krate == id.0);
                    self.tally.not_asked += types.count();
                }
            }
        }
        let problems = check::problems(&model);
        self.tally.unread += report::Unread::of(&problems);
        self.status = self
            .status
            .max(print_problems(self.terminal, &model, &problems));
        Ok(())
    }

    /// What rustdoc wrote about each crate; nothing for those that it is not asked about.
    fn compile(&mut self, model: &Model<'static>) -> Vec<(CrateId, Option<PathBuf>)> {
        let project = model.db.project;
        let mut list = Vec::new();
        for &id in &project.selected {
            let krate = project.krate(id);
            if !verify::is_asked(krate) {
                list.push((id, None));
                continue;
            }
            self.terminal.status("Compiling", &verify::described(krate));
            let pages = verify::ask(project, krate, &self.names, self.selection, &self.folder);
            // A library and a binary of one name have the same place for them.
            let kept = self.folder.join("pages").join(id.0.to_string());
            let pages = pages.and_then(|pages| {
                let moved = write::move_folder(&pages, &kept);
                moved.map_err(|e| format!("cannot write `{}`: {e}", kept.display()))
            });
            match pages {
                Ok(()) => list.push((id, Some(kept))),
                Err(message) => {
                    self.terminal.error(&message);
                    self.status = FAILED;
                    self.tally.unread.own += 1;
                }
            }
        }
        list
    }

    fn krate(&mut self, model: &Model<'static>, krate: u32, pages: &Path) {
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
