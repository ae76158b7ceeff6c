//! `cargo weigh sizes`: every type of the selected packages with its size.

use super::layout::{ending, nearest};
use super::{FAILED, Terminal, print_problems, print_reasons, read};
use crate::check;
use crate::ir::AdtKind;
use crate::model::{Model, TypeInfo};
use crate::project::Selection;
use crate::report::{self, Places, relative};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt::Write;

/// A type as the contract's JSON has it.
#[derive(Serialize)]
struct Line<'m> {
    package: &'m str,
    target: &'m str,
    path: &'m str,
    kind: &'static str,
    rustc: &'m str,
    triple: &'m str,
    file: String,
    line: usize,
    size: Option<u64>,
    align: Option<u64>,
    exact: bool,
    min_size: u64,
    reason: Option<String>,
    generics: &'m [String],
    variants: Option<Vec<Variant>>,
}

#[derive(Serialize)]
struct Variant {
    name: &'static str,
    size: u64,
}

pub(super) fn run(terminal: &Terminal, selection: &Selection, json: bool) -> Result<u8, String> {
    let model = read(terminal, selection)?;
    let places = Places::new(&model);
    let lines: Vec<_> = model
        .types()
        .iter()
        .filter_map(|t| line(&model, &places, t))
        .collect();
    let census = check::census(&model);
    let mut text = String::new();
    match json {
        true => {
            for line in &lines {
                let line = serde_json::to_string(line).map_err(|e| e.to_string())?;
                text.push_str(&line);
                text.push('\n');
            }
        }
        false => {
            table(lines, &mut text);
            let types = report::types(&census);
            let exactness = report::exactness(model.db.project);
            let _ = writeln!(text, "{types}; {exactness}");
        }
    }
    let status = print_problems(terminal, &model, &check::problems(&model));
    let written = terminal.write(text.as_bytes(), &model.db.project.target_dir.join("weigh"));
    print_reasons(terminal, &census);
    match written {
        Ok(()) => Ok(status),
        Err(message) => {
            terminal.error(&message);
            Ok(FAILED)
        }
    }
}

/// Prints `#[assert_size(…)]` with the present size of each type.
pub(super) fn assert(
    terminal: &Terminal,
    selection: &Selection,
    types: &[String],
) -> Result<u8, String> {
    let model = read(terminal, selection)?;
    let mut text = String::new();
    for name in types {
        let info = match &ending(&model, name)[..] {
            [one] => &model.types()[*one],
            [] => return Err(format!("no type `{name}`{}", nearest(&model, name))),
            several => {
                let paths = several.iter().map(|&i| model.types()[i].path.as_str());
                let paths: Vec<_> = paths.collect();
                return Err(format!("`{name}` may be one of {}", paths.join(", ")));
            }
        };
        let extent = model.extent(info.ty).map_err(|why| {
            let why = model.reason(&why);
            format!("the size of `{}` is not known: it {why}", info.path)
        })?;
        let _ = writeln!(text, "#[assert_size(max = {})]", extent.size);
    }
    let status = print_problems(terminal, &model, &check::problems(&model));
    terminal.write(text.as_bytes(), &model.db.project.target_dir.join("weigh"))?;
    Ok(status)
}

fn line<'m>(model: &'m Model<'static>, places: &Places, info: &'m TypeInfo) -> Option<Line<'m>> {
    let id = model.db.krate(info.krate).id?;
    let krate = model.db.project.krate(id);
    let file = places.file(info.span.file);
    let folder = krate.manifest_path.parent().unwrap_or(&krate.root);
    let extent = model.extent(info.ty);
    let variants = match (info.kind, &extent) {
        (AdtKind::Enum, Ok(_)) => model.view(info.ty).ok().map(|view| {
            let variants = view.variants.iter().map(|v| Variant {
                name: v.name.as_str(),
                size: v.size,
            });
            variants.collect()
        }),
        _ => None,
    };
    Some(Line {
        package: &krate.package,
        target: &krate.target_name,
        path: &info.path,
        kind: match info.kind {
            AdtKind::Struct => "struct",
            AdtKind::Enum => "enum",
            AdtKind::Union => "union",
        },
        rustc: &model.db.project.release.version,
        triple: &model.db.project.target.triple,
        file: relative(&file.path, folder),
        line: places.of(info.span).start.0,
        size: extent.as_ref().ok().map(|e| e.size),
        align: extent.as_ref().ok().map(|e| e.align),
        exact: extent.is_ok(),
        min_size: match &extent {
            Ok(e) => e.size,
            Err(_) => model.min_size(info.ty),
        },
        reason: extent.err().map(|why| model.reason(&why)),
        generics: &info.generics,
        variants,
    })
}

/// The largest first, those of unknown size last.
fn table(mut lines: Vec<Line>, text: &mut String) {
    lines.sort_by_key(|l| (!l.exact, Reverse(l.size.unwrap_or(l.min_size))));
    let number = |l: &Line| match l.size {
        Some(n) => n.to_string(),
        None => format!("{}+", l.min_size),
    };
    let width = lines
        .iter()
        .map(|l| number(l).len())
        .max()
        .unwrap_or(0)
        .max(4);
    let _ = writeln!(text, "{:>width$}  {:>5}  type", "size", "align");
    let several = lines
        .iter()
        .any(|l| l.package != lines[0].package || l.target != lines[0].target);
    for line in &lines {
        let align = line.align.map_or_else(|| "?".to_owned(), |a| a.to_string());
        let crate_name = match several {
            true => format!("{}: ", line.target),
            false => String::new(),
        };
        let params = match line.generics {
            [] => String::new(),
            list => format!("<{}>", list.join(", ")),
        };
        let _ = write!(
            text,
            "{:>width$}  {align:>5}  {crate_name}{}{params}  {}:{}",
            number(line),
            line.path,
            line.file,
            line.line
        );
        if let Some(reason) = &line.reason {
            let _ = write!(text, "  ({reason})");
        }
        text.push('\n');
    }
}
