//! Calibration against an unknown compiler release: it computes the layouts of std's types and of a
//! few hundred generated ones, and whatever differs from the declarations is unknown.
//!
//! The compiler reads only text generated here and stops at an error that states the numbers: no
//! code of the project is compiled, and nothing is run.
//!
//! # Compilers
//!
//! Declarations of std state the releases that they apply to (`#[cfg(version("1.97"))]`); the
//! version of the project's compiler decides. An unknown release is *calibrated* (`calibrate`): it
//! compiles one generated file with every public type of std at chosen arguments and a few hundred
//! synthetic types, and stops at an error that states sizes, alignments and niches. A type of std
//! that differs is unknown; if a synthetic type differs, all types are unknown. The result is
//! cached per compiler, target and declarations.

mod kept;
mod probe;
mod rows;
mod shapes;
#[cfg(test)]
mod tests;

use crate::layout::{LayoutArena, Layouts};
use crate::project::{Project, Release, Standing};
use crate::resolve::ty::{Ty, TyKind};
use crate::resolve::{Arenas, Db};
use crate::seen;
use crate::source::Sources;
use probe::{Answer, Fault};
use rows::Row;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns what is known of the layouts of the project's compiler. A new one is run once, which
/// takes a second or two; the result is stored in the user's cache folder.
pub fn release(project: &Project) -> Release {
    let version = &project.rustc.version;
    if let Some(release) = Release::declared(version) {
        return release;
    }
    let key = key(project);
    let folder = kept::folder();
    let standing = folder.as_deref().and_then(|f| kept::read(f, &key));
    let standing = standing.map(Ok).unwrap_or_else(|| {
        let standing = measure(project)?.standing();
        if let Some(folder) = &folder {
            kept::write(folder, &key, &standing);
        }
        Ok::<_, String>(standing)
    });
    match standing {
        Ok(standing) => Release {
            version: version.clone(),
            standing,
        },
        Err(why) => {
            // It may succeed another time.
            seen::spoil();
            Release::not_asked(version, why)
        }
    }
}

/// Returns the cache key: all that a result depends on, the compiler, the target, and the declared
/// layouts.
fn key(project: &Project) -> String {
    let declared = kept::fingerprint(
        crate::stdlib::FILES
            .iter()
            .map(|(_, text)| *text)
            .chain([rows::TYPES, &shapes::text()]),
    );
    format!(
        "{}{}\n{} {declared:016x}",
        project.rustc.verbose,
        project.target.triple,
        env!("CARGO_PKG_VERSION"),
    )
}

/// How a compiler's layouts compare with the declared ones.
struct Measured {
    /// Definitions of std that were compared, by path.
    compared: BTreeSet<String>,
    /// Those among them that differ or were not understood, by path.
    unknown: BTreeSet<String>,
    /// Rows that differ, with the numbers of both sides.
    wrong: Vec<String>,
    /// Rows whose type this compiler cannot name.
    absent: Vec<String>,
    /// Rows that the compiler rejects although it can name the type, with its error.
    refused: Vec<String>,
    /// The first generated type that differs.
    foreign: Option<String>,
}

impl Measured {
    fn standing(self) -> Standing {
        match self.foreign {
            Some(what) => Standing::Foreign(what),
            None => Standing::Calibrated {
                types: self.compared.len(),
                unknown: self.unknown.into_iter().collect(),
            },
        }
    }
}

/// Runs the project's compiler for the project's target.
///
/// # Errors
/// Describes in one line why it cannot be run or its output is not understood.
fn measure(project: &Project) -> Result<Measured, String> {
    // Only the standard library. It stays in memory until the process ends, as in a `Model`.
    let bare: &'static Project = Box::leak(Box::new(Project {
        workspace_root: project.workspace_root.clone(),
        target_dir: project.target_dir.clone(),
        crates: Vec::new(),
        built: 0,
        compiler: project.compiler.clone(),
        rustflags: Vec::new(),
        layout_flag: None,
        runner: Vec::new(),
        linker: None,
        variables: Vec::new(),
        missing: Vec::new(),
        selected: Vec::new(),
        unit_tests: Vec::new(),
        beside: Vec::new(),
        target: project.target.clone(),
        rustc: project.rustc.clone(),
        release: Release {
            version: project.rustc.version.clone(),
            standing: Standing::Declared,
        },
        workspace_metadata: serde_json::Value::Null,
        members: Vec::new(),
        build_warnings: None,
        warnings: Vec::new(),
        without_config: project.without_config,
        macro_server: None,
        macro_places: Default::default(),
    }));
    let arenas: &'static Arenas<'static> = Box::leak(Box::default());
    let sources = Arc::new(Sources::default());
    let db: &'static Db<'static> =
        Box::leak(Box::new(Db::new(bare, sources, arenas, Default::default())));
    let layouts = layouts(db, &BTreeSet::new())?;
    let asked = rows::of_declarations(db, layouts);
    let answers = probe::ask(bare, &asked)?;
    compare(db, layouts, &asked.rows, answers)
}

fn layouts(
    db: &'static Db<'static>,
    doubted: &BTreeSet<String>,
) -> Result<&'static Layouts<'static>, String> {
    let arena: &'static LayoutArena = Box::leak(Box::default());
    let mut layouts = Layouts::new(db, arena)?;
    layouts.doubt(doubted);
    let layouts: &'static Layouts<'static> = Box::leak(Box::new(layouts));
    layouts.serve(db);
    Ok(layouts)
}

/// Compares rustc's answers with the declared layouts.
fn compare(
    db: &'static Db<'static>,
    declared: &'static Layouts<'static>,
    rows: &[Row],
    answers: Vec<Answer>,
) -> Result<Measured, String> {
    let mut measured = Measured {
        compared: BTreeSet::new(),
        unknown: BTreeSet::new(),
        wrong: Vec::new(),
        refused: Vec::new(),
        absent: Vec::new(),
        foreign: None,
    };
    let mut differing: Vec<&Row> = Vec::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (row, answer) in rows.iter().zip(answers) {
        let theirs = match answer {
            Ok(numbers) => numbers,
            Err(Fault::Absent) => {
                measured.absent.push(row.text.clone());
                continue;
            }
            Err(Fault::Refused(why)) => {
                measured.refused.push(format!("{}: {why}", row.text));
                open.extend(row.head.as_deref());
                continue;
            }
        };
        let same = row.numbers(db, declared).as_ref() == Some(&theirs);
        let said = || {
            let ours = row.numbers(db, declared).unwrap_or_default();
            format!("{}: {ours:?}, but rustc says {theirs:?}", row.text)
        };
        match &row.head {
            Some(head) => {
                measured.compared.insert(head.clone());
                if !same {
                    measured.wrong.push(said());
                    differing.push(row);
                }
            }
            None if !same => {
                measured.wrong.push(said());
                measured.foreign.get_or_insert_with(|| row.text.clone());
            }
            None => {}
        }
    }
    // A type without a row counts as different.
    let unasked = open
        .iter()
        .filter(|head| !measured.compared.contains(**head));
    let unasked: Vec<String> = unasked.map(|head| (*head).to_owned()).collect();
    measured.compared.extend(unasked.iter().cloned());
    measured.unknown.extend(unasked);
    mark_innermost(db, declared, differing, &mut measured.unknown)?;
    Ok(measured)
}

/// Marks definitions as unknown until no row states wrong numbers. Of nested types the innermost is
/// wrong; a type that holds it is unknown for that reason only.
fn mark_innermost(
    db: &'static Db<'static>,
    declared: &'static Layouts<'static>,
    mut differing: Vec<&Row>,
    unknown: &mut BTreeSet<String>,
) -> Result<(), String> {
    while !differing.is_empty() {
        let layouts = layouts(db, unknown)?;
        let is_stated = |row: &&Row| {
            let head = row.head.as_ref();
            !head.is_some_and(|head| unknown.contains(head)) && row.numbers(db, layouts).is_some()
        };
        differing.retain(is_stated);
        let heads: FxHashSet<&str> = differing.iter().filter_map(|r| r.head.as_deref()).collect();
        let innermost = differing.iter().filter(|row| {
            let others = |ty| {
                head(db, ty).is_some_and(|h| {
                    Some(h.as_str()) != row.head.as_deref() && heads.contains(h.as_str())
                })
            };
            !declared.parts_of(row.ty).into_iter().any(others)
        });
        let mut found: Vec<_> = innermost.filter_map(|row| row.head.clone()).collect();
        if found.is_empty() {
            found = heads.into_iter().map(str::to_owned).collect();
        }
        unknown.extend(found);
    }
    Ok(())
}

/// Returns the path of the definition that a type is an instance of.
fn head(db: &Db, ty: Ty) -> Option<String> {
    match db.types.kind(ty) {
        TyKind::Adt(item, _) => Some(db.item_path(*item)),
        _ => None,
    }
}
