//! Documentation examples that name an edited type: programs of the copy, which are compiled with its
//! other targets and never run, and whose edits are made in the documentation.

use super::candidates::{Candidate, editable};
use super::edits::{Patch, Replacement};
use super::mirror::Mirror;
use super::search::Texts;
use super::trouble::Trouble;
use crate::edit::docs::{compiled, examples, examples_of_markdown};
use crate::folded::folded;
use crate::project::{CrateKind, Project};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use weigh_syntax::name::words;

/// How the names of the programs begin.
pub const NAMED: &str = "weigh_example_";

/// A file with documentation.
struct Source {
    /// The path, relative to the copied folder.
    path: PathBuf,
    /// The folder of its package.
    folder: PathBuf,
    /// The name of its library in code.
    library: String,
    /// Whether the file itself may be replaced.
    may_change: bool,
}

/// An example as a program.
#[derive(Clone)]
struct Program {
    /// The file with the documentation.
    of: PathBuf,
    /// Whether that file may be replaced.
    may_change: bool,
    lines: Vec<Line>,
}

/// A line of an example.
#[derive(Clone)]
struct Line {
    /// Where the code begins in the program, and in the file.
    at: [usize; 2],
    len: usize,
    /// What precedes the code on its line in the file.
    lead: String,
}

/// The examples.
#[derive(Default)]
pub struct Examples {
    sources: Vec<Source>,
    /// The last names of the edited types.
    types: BTreeSet<String>,
    /// `.name` of the edited fields: an example may name no type.
    fields: BTreeSet<String>,
    /// Programs that do not compile before any change.
    broken: BTreeSet<PathBuf>,
    /// The programs as last written, by path.
    programs: Mutex<BTreeMap<PathBuf, Program>>,
}

/// A package whose examples are listed, in the form that cargo writes, and one whose are not only.
const CLOSED: &str = "autoexamples = false";
const OPEN: &str = "autoexamples = true";

impl Examples {
    /// Finds the examples of the libraries of the workspace that name a type that these candidates
    /// edit. Programs of an earlier run are removed.
    ///
    /// # Errors
    ///
    /// The copy cannot be written.
    pub fn find(
        project: &Project,
        mirror: &Mirror,
        candidates: &[Candidate],
    ) -> Result<Examples, String> {
        // Every number has a `.0`.
        let is_name = |field: &&str| !field.starts_with(|c: char| c.is_ascii_digit());
        let last = |ty: &str| ty.rsplit("::").next().unwrap_or(ty).to_owned();
        let mut found = Examples {
            types: candidates.iter().map(|c| last(&c.ty)).collect(),
            fields: candidates
                .iter()
                .filter_map(|c| c.field.as_deref())
                .filter(is_name)
                .map(|f| format!(".{f}"))
                .collect(),
            ..Examples::default()
        };
        let inside = |path: &Path| path.strip_prefix(&mirror.root).map(Path::to_owned).ok();
        let members = project.crates.iter().filter(|krate| krate.member);
        for krate in members.filter(|k| k.kind == CrateKind::Lib) {
            let folder = krate.manifest_path.parent().and_then(inside);
            let root = krate.root.parent().and_then(inside);
            let (Some(folder), Some(root)) = (folder, root) else {
                continue;
            };
            // cargo writes this into what it publishes; the made programs are found by their place.
            let manifest = folder.join("Cargo.toml");
            let text = std::fs::read_to_string(mirror.copy.join(&manifest)).unwrap_or_default();
            if text.contains(CLOSED) {
                mirror.put(&manifest, &text.replace(CLOSED, OPEN))?;
            }
            for path in rust_files(&mirror.copy.join(folder.join("examples"))) {
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                if name.starts_with(NAMED) {
                    mirror.remove(&folder.join("examples").join(name))?;
                }
            }
            let mut files = rust_files(&mirror.copy.join(&root));
            let included: Vec<PathBuf> = files.iter().flat_map(|path| included(path)).collect();
            files.extend(included);
            for path in files {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let Ok(path) = path.strip_prefix(&mirror.copy) else {
                    continue;
                };
                // The library and its tests have the same files.
                let is_known = found.files().any(|known| known == path);
                if !is_known && found.in_text(path, &text).next().is_some() {
                    found.sources.push(Source {
                        path: path.to_owned(),
                        folder: folder.clone(),
                        library: krate.target_name.replace('-', "_"),
                        may_change: editable(&mirror.root.join(path), &text, &mirror.root).is_ok(),
                    });
                }
            }
        }
        Ok(found)
    }

    /// The files with examples.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.sources.iter().map(|source| &source.path)
    }

    /// True if a type of this path is named in an example.
    pub fn names(&self, ty: &str) -> bool {
        !self.sources.is_empty() && self.types.contains(ty.rsplit("::").next().unwrap_or(ty))
    }

    /// The examples of a text that name an edited type, with their number in the text.
    fn in_text<'t>(
        &self,
        path: &Path,
        text: &'t str,
    ) -> impl Iterator<Item = (usize, Vec<(u32, &'t str)>)> + use<'_, 't> {
        let mut words_of = self.types.iter().chain(&self.fields);
        let all = match words_of.any(|word| text.contains(word)) {
            true if is_rust(path) => examples(text),
            true => examples_of_markdown(text),
            false => Vec::new(),
        };
        all.into_iter().enumerate().filter(|(_, lines)| {
            let mut names = lines.iter().flat_map(|(_, line)| words(line));
            let names_field = |line: &str| self.fields.iter().any(|field| line.contains(field));
            names.any(|word| self.types.contains(word))
                || lines.iter().any(|(_, line)| names_field(line))
        })
    }

    /// Writes the examples of these texts as programs.
    ///
    /// # Errors
    ///
    /// The copy cannot be written.
    pub fn write<'t>(
        &self,
        mirror: &Mirror,
        text: impl Fn(&Path) -> Option<&'t str>,
    ) -> Result<(), String> {
        let mut programs = self.programs.lock();
        programs.clear();
        for (n, source) in self.sources.iter().enumerate() {
            let Some(text) = text(&source.path) else {
                continue;
            };
            for (nth, lines) in self.in_text(&source.path, text) {
                let name = format!("examples/{NAMED}{n}_{nth}.rs");
                let path = source.folder.join(name);
                if self.broken.contains(&path) {
                    continue;
                }
                let (code, lines) = program(text, &lines, &source.library);
                mirror.put(&path, &code)?;
                let of = source.path.clone();
                let may_change = source.may_change;
                let program = Program {
                    of,
                    may_change,
                    lines,
                };
                programs.insert(path, program);
            }
        }
        Ok(())
    }

    /// Removes the programs that are not among these targets, which compiled.
    ///
    /// # Errors
    ///
    /// The copy cannot be written.
    pub fn keep<'n>(
        &mut self,
        mirror: &Mirror,
        compiled: impl Iterator<Item = &'n str>,
    ) -> Result<bool, String> {
        let compiled: BTreeSet<&str> = compiled.collect();
        let mut programs = self.programs.lock();
        let is_broken = |path: &&PathBuf| {
            let name = path.file_stem().unwrap_or_default();
            !compiled.contains(&*name.to_string_lossy())
        };
        let broken: Vec<PathBuf> = programs.keys().filter(is_broken).cloned().collect();
        for path in &broken {
            mirror.remove(path)?;
            programs.remove(path);
        }
        self.broken.extend(broken.iter().cloned());
        Ok(!broken.is_empty())
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.programs.lock().is_empty()
    }

    /// Removes all programs until they are written again.
    ///
    /// # Errors
    ///
    /// The copy cannot be written.
    pub fn remove(&self, mirror: &Mirror) -> Result<(), String> {
        let programs = self.programs.lock();
        programs.keys().try_for_each(|path| mirror.remove(path))
    }

    /// Maps places and suggestions in programs to the documentation.
    pub fn explain(&self, troubles: &mut [Trouble]) {
        let programs = self.programs.lock();
        for trouble in troubles {
            for place in &mut trouble.places {
                if let Some(program) = programs.get(&place.path)
                    && let Some((range, _)) = program.back(place.offset..place.offset, "")
                {
                    (place.path, place.offset) = (program.of.clone(), range.start);
                    place.end = range.end;
                }
            }
            let mapped = trouble.suggestion.iter().map(|(path, range, text)| {
                let Some(program) = programs.get(path) else {
                    return Some((path.clone(), range.clone(), text.clone()));
                };
                let (range, text) = program.changed(range.clone(), text)?;
                Some((program.of.clone(), range, text))
            });
            trouble.suggestion = mapped.collect::<Option<Vec<_>>>().unwrap_or_default();
        }
    }

    /// Maps edits in programs to the documentation; none if one cannot be made there.
    pub fn back(&self, patch: Patch) -> Option<Patch> {
        let programs = self.programs.lock();
        let mut mapped = Patch::new();
        for (path, edits) in patch {
            let Some(program) = programs.get(&path) else {
                mapped.entry(path).or_default().extend(edits);
                continue;
            };
            for edit in edits {
                let (range, text) = program.changed(edit.range, &edit.text)?;
                let of = mapped.entry(program.of.clone()).or_default();
                of.push(Replacement { range, text });
            }
        }
        for edits in mapped.values_mut() {
            edits.sort_by_key(|e| (e.range.start, e.range.end));
        }
        Some(mapped)
    }

    /// Returns the texts of the files with examples among some.
    pub fn of_texts(&self, texts: &Texts) -> Texts {
        let texts = self
            .files()
            .filter_map(|path| Some((path.clone(), texts.get(path)?.clone())));
        texts.collect()
    }
}

impl Program {
    /// As [`Program::back`], if the documentation may be changed.
    fn changed(&self, range: Range<usize>, text: &str) -> Option<(Range<usize>, String)> {
        self.may_change.then(|| self.back(range, text))?
    }

    /// The place in the documentation of a range, and what a text in its place is there.
    fn back(&self, range: Range<usize>, text: &str) -> Option<(Range<usize>, String)> {
        let line = |at: usize| {
            let line = self.lines.iter().rfind(|line| line.at[0] <= at)?;
            (at <= line.at[0] + line.len).then_some(line)
        };
        let (first, last) = (line(range.start)?, line(range.end)?);
        let [start, end] = [(first, range.start), (last, range.end)]
            .map(|(line, at)| line.at[1] + at - line.at[0]);
        Some((start..end, text.replace('\n', &format!("\n{}", first.lead))))
    }
}

/// Returns an example as a program, as rustdoc makes it, and its lines.
fn program(text: &str, example: &[(u32, &str)], library: &str) -> (String, Vec<Line>) {
    let codes = example.iter().map(|(_, line)| compiled(line));
    let has_main = codes.clone().any(|code| code.contains("fn main"));
    let last = codes.clone().rfind(|code| !code.trim().is_empty());
    let fails = last.is_some_and(|code| code.trim_end().ends_with("(())"));
    let mut made = "#![allow(unused)]\n".to_owned();
    let attributes = codes.clone().filter(|code| code.starts_with("#!["));
    attributes.for_each(|code| made.extend([code, "\n"]));
    let end = match (has_main, fails) {
        (true, _) => "",
        (false, true) => {
            made.push_str(
                "fn main() { fn example() -> ::core::result::Result<(), impl ::core::fmt::Debug> {\n",
            );
            "} example().unwrap() }\n"
        }
        (false, false) => {
            made.push_str("fn main() {\n");
            "}\n"
        }
    };
    if !has_main && codes.clone().any(|code| code.contains(library)) {
        made.push_str(&format!("extern crate {library};\n"));
    }
    let mut lines = Vec::new();
    for ((at, doc), code) in example.iter().zip(codes) {
        if code.starts_with("#![") {
            continue;
        }
        let (before, rest) = text.split_at(*at as usize);
        let line = rest.split('\n').next().unwrap_or_default();
        // What is hidden from readers begins behind its mark.
        let shift = line.find(doc).unwrap_or(0) + doc.len() - code.len();
        let old = *at as usize + shift;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        lines.push(Line {
            at: [made.len(), old],
            len: code.len(),
            lead: text[start..old].to_owned(),
        });
        made.extend([code, "\n"]);
    }
    made.push_str(end);
    (made, lines)
}

/// Returns true for a file of Rust code.
fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "rs")
}

/// Returns the files that the documentation of a file includes.
fn included(path: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let calls = text
        .match_indices("include_str!(\"")
        .filter_map(|(at, call)| {
            let before = text[..at].trim_end().strip_suffix('=')?.trim_end();
            let (name, _) = text[at + call.len()..].split_once('"')?;
            let file = folded(&folder.join(name));
            let is_own = std::fs::symlink_metadata(&file).is_ok_and(|m| m.is_file());
            (before.ends_with("doc") && is_own).then_some(file)
        });
    calls.collect()
}

/// Returns the Rust files in a folder and below it, in order.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && is_rust(&path) => files.push(path),
                _ => {}
            }
        }
    }
    files.sort_unstable();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_program_whose_places_are_in_its_documentation() {
        let text = "//! Text.\n//!\n//! ```\n//! # use demo::Part;\n//! let a = Part::new();\n\
            //! # Ok::<(), ()>(())\n//! ```\n";
        let all = examples(text);
        let (code, lines) = program(text, &all[0], "demo");
        assert!(code.contains("extern crate demo;\nuse demo::Part;\nlet a = Part::new();\nOk::"));
        assert!(code.contains("fn example()") && code.ends_with("} example().unwrap() }\n"));
        let of = Program {
            may_change: true,
            of: "src/lib.rs".into(),
            lines,
        };
        for word in ["use demo", "Part::new()", "Ok::"] {
            let at = code.find(word).expect("it is there");
            let (range, _) = of.back(at..at + word.len(), "").expect("it is in a line");
            assert_eq!(&text[range], word);
        }
        let two = code.find("Part;").expect("it is there");
        // What is put in place of two lines is documentation too.
        let (range, text_there) = of.back(two..two + 9, "a\nb").expect("both are in it");
        assert_eq!(&text[range], "Part;\n//! let");
        assert_eq!(text_there, "a\n//! # b");
        assert_eq!(of.back(0..1, ""), None);
        let (code, _) = program(
            "/// ```\n/// fn main() {}\n/// ```",
            &examples("/// ```\n/// fn main() {}\n/// ```")[0],
            "demo",
        );
        assert_eq!(code, "#![allow(unused)]\nfn main() {}\n");
    }
}
