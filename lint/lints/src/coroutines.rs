//! What the last run of `cargo weigh futures` has found, as long as all that it depends on is the same.

use crate::finding::Multiplicity;
use crate::project::{CrateId, Project};
use crate::resolve::CrateIx;
use crate::seen::{self, Facts};
use crate::store::{self, Folder, Kind};
use serde::{Deserialize, Serialize};

/// A future and what would make it smaller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coroutine {
    /// Its crate, by its number among the selected ones.
    pub of: usize,
    /// The function that it is, or that it is in.
    pub path: String,
    /// Its name, as written, with the type arguments of its largest instance.
    pub name: String,
    /// File, relative to the workspace, and line.
    pub place: (String, u32),
    /// Bytes of one value.
    pub size: u64,
    /// How many there are of it.
    pub number: Number,
    /// The futures that it holds by value, by their numbers in the list.
    pub holds: Vec<usize>,
    /// The await that sets its size.
    pub decides: Option<Stretch>,
    /// What lives across that await, in bytes.
    pub parts: Vec<(String, u64)>,
    /// The awaits that a box could be at, what is largest first.
    pub boxes: Vec<Boxable>,
    /// Its variables that no await needs: what ending them before it gives.
    pub idle: Vec<Variable>,
    /// Its variables that could be boxes, the one that gives most first.
    pub variables: Vec<Variable>,
}

/// How many there are of a future at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Number {
    /// It is all that `main` runs.
    Main,
    /// It is in what `main` runs, and never in an array or on the heap. One that holds it may hold it
    /// several times.
    Few,
    /// The path of the type that stores it, or what holds it, on the heap: a collection, or a task of
    /// an executor.
    Stored(String),
    /// Nothing says how many.
    Unknown,
}

/// A range of bytes in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Relative to the workspace.
    pub file: String,
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// An awaited future that a box makes small.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Boxable {
    /// The expression, without `.await`.
    pub at: Stretch,
    /// The same, on one line.
    pub expression: String,
    /// Bytes of the future with boxes at this and at all awaits before it in the list.
    pub size_after: u64,
    /// Other futures that shrink with these: name, bytes before and after.
    pub ripple: Vec<(String, u64, u64)>,
}

/// A variable that lives across an await, and need not be there as it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its declaration.
    pub at: Stretch,
    /// Its name.
    pub name: String,
    /// Bytes of its value.
    pub size: u64,
    /// Bytes of the future without it, or with it in a box.
    pub size_after: u64,
    /// Other futures that shrink: name, bytes before and after.
    pub ripple: Vec<(String, u64, u64)>,
}

impl Coroutine {
    /// How many there are at once.
    pub fn multiplicity(&self) -> Multiplicity {
        match self.number {
            Number::Main | Number::Few => Multiplicity::Singleton,
            Number::Stored(_) => Multiplicity::Stored {
                depth: 1,
                holders: 0,
            },
            Number::Unknown => Multiplicity::Unknown,
        }
    }

    /// Why there are several, in words.
    pub fn why_several(&self) -> Option<String> {
        match &self.number {
            Number::Stored(path) => Some(format!("`{path}` stores these futures on the heap")),
            _ => None,
        }
    }

    /// Returns true for its name without type arguments.
    pub fn is_named(&self, name: &str) -> bool {
        let rest = self.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('<'))
    }
}

/// The futures of the selected crates.
#[derive(Clone, Debug, Default)]
pub struct Coroutines {
    /// All of the last run.
    pub list: Vec<Coroutine>,
    /// The selected crates by their numbers in that run; `None` of what is not selected now.
    crates: Vec<Option<CrateIx>>,
}

/// Why nothing is known of futures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// They were never asked for.
    Unasked,
    /// What was found is of other code, or of another build.
    Stale,
}

impl Missing {
    /// It in a line, with what to do.
    pub fn words(self) -> &'static str {
        match self {
            Missing::Unasked => {
                "the sizes of futures are not known: `cargo weigh futures` compiles and finds them"
            }
            Missing::Stale => {
                "the sizes of futures are not known for this code and build: run `cargo weigh futures` again"
            }
        }
    }
}

/// What is kept.
#[derive(Serialize, Deserialize)]
struct Kept<L> {
    context: String,
    crates: Vec<String>,
    facts: Facts,
    list: L,
}

/// The name of the file in our folder for futures.
fn file(project: &Project) -> String {
    format!("last-{}.json", project.target.triple)
}

/// What sizes depend on besides sources, manifests and the crates.
fn context(project: &Project) -> String {
    let Project {
        release,
        compiler,
        rustflags,
        variables,
        ..
    } = project;
    let own = env!("CARGO_PKG_VERSION");
    // Their values may be secrets.
    let variables = seen::print(format!("{variables:?}").as_bytes()).hex();
    format!(
        "{own} {} {compiler} {rustflags:?} {variables}",
        release.version
    )
}

/// Identifies the build of each selected crate, with its dependencies.
fn crates(project: &Project) -> Vec<String> {
    let one = |id: &CrateId| {
        let all = project.with_dependencies(*id).into_iter();
        let words = all.map(|id| project.krate(id).build_words());
        let words: Vec<String> = words.collect();
        let krate = project.krate(*id);
        let own = format!(
            "{} {:?} {}",
            krate.package_id, krate.kind, krate.target_name
        );
        format!("{own} {}", seen::print(words.join("\n").as_bytes()).hex())
    };
    project.selected.iter().map(one).collect()
}

/// Keeps what was found in our folder for futures. `facts` are the sources and manifests.
///
/// # Errors
/// It cannot be written.
pub fn keep(
    folder: &Folder,
    project: &Project,
    facts: Facts,
    list: &[Coroutine],
) -> std::io::Result<()> {
    let kept = Kept {
        context: context(project),
        crates: crates(project),
        facts,
        list,
    };
    folder.put(file(project), &serde_json::to_vec(&kept)?)
}

/// Removes what was kept.
pub fn forget(folder: &Folder, project: &Project) {
    folder.remove_file(file(project));
}

impl Coroutines {
    /// Reads what was kept.
    ///
    /// # Errors
    /// There is nothing, or it does not hold any more.
    pub fn read(project: &Project) -> Result<Coroutines, Missing> {
        let (top, name) = Kind::Futures.names();
        let path = project.target_dir.join(top).join(name).join(file(project));
        // Where nothing is, that is a fact too.
        if project.without_config || !seen::is_file(&path) {
            return Err(Missing::Unasked);
        }
        let folder = store::find(&project.target_dir, Kind::Futures);
        let folder = folder.map_err(|_| Missing::Unasked)?;
        seen::text(&path);
        let bytes = folder.read(file(project));
        let bytes = bytes.map_err(|_| Missing::Unasked)?;
        let kept: Result<Kept<Vec<Coroutine>>, _> = serde_json::from_slice(&bytes);
        let holds = kept.ok().filter(|k| k.context == context(project));
        let holds = holds.and_then(|kept| Some((kept.facts.again()?.0, kept.crates, kept.list)));
        let Some((facts, crates, list)) = holds else {
            // Which fact differs is not noted.
            seen::spoil();
            return Err(Missing::Stale);
        };
        seen::add(&facts);
        let now = self::crates(project);
        let of = |krate: &String| {
            let at = now.iter().position(|other| other == krate)?;
            Some(project.selected[at].0)
        };
        let crates: Vec<Option<CrateIx>> = crates.iter().map(of).collect();
        let is_known = |id: &CrateId| crates.contains(&Some(id.0));
        match project.selected.iter().all(is_known) {
            true => Ok(Coroutines { list, crates }),
            false => Err(Missing::Stale),
        }
    }

    /// Returns true if a crate has a future of this name.
    pub fn has(&self, krate: CrateIx, name: &str) -> bool {
        let mut all = self.selected();
        all.any(|(of, future)| of == krate && future.is_named(name))
    }

    /// The futures of the selected crates, with these.
    pub fn selected(&self) -> impl Iterator<Item = (CrateIx, &Coroutine)> {
        let of = |future: &Coroutine| self.crates.get(future.of).copied().flatten();
        self.list.iter().filter_map(move |f| Some((of(f)?, f)))
    }

    /// The largest future of the selected crates over a size that a future holds.
    pub fn largest_held(&self, future: &Coroutine, over: u64) -> Option<&Coroutine> {
        let held = future.holds.iter().filter_map(|at| self.list.get(*at));
        let held = held.filter(|f| self.crates.get(f.of).is_some_and(Option::is_some));
        held.filter(|f| f.size > over).max_by_key(|f| f.size)
    }
}
