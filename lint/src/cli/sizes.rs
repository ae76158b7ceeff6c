//! `cargo weigh sizes`: lists every type of the selected packages with its size.

use super::{
    CLEAN, FAILED, Terminal, layout, print_problems, print_reasons, read, read_each, written,
};
use crate::check;
use crate::config::type_pattern;
use crate::ir::AdtKind;
use crate::model::{Bodies, Model, TypeInfo};
use crate::project::{ExactFor, Selection};
use crate::report::{self, Places};
use crate::resolve::ty::Ty;
use crate::resolve::{CrateIx, Problem};
use crate::visible;
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt::Write;

/// Its arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only types whose path ends with this name or matches this pattern (`*` is any text)
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// Only the first N types in the order of `--sort`: the largest, by default
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Only types of at least this size
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        hide_default_value = true
    )]
    min: u64,
    /// Order of the types [default: size; with `--message-format json`: place]
    #[arg(long, value_name = "KEY", value_enum)]
    sort: Option<Sort>,
    /// Print a size assertion for TYPE, or without TYPE a module with assertions for all types
    ///
    /// For a type of the selected packages this is the attribute of `weigh-derive`, to use with
    /// `#[derive(AssertSize)]`; for any other type it is a call of `weigh_derive::assert_size!`. The
    /// module needs no dependency: it has a `const _: () = assert!(…)` for each selected type that
    /// the crate root can name.
    #[arg(long, value_name = "TYPE", num_args = 0..=1)]
    pub(super) assert: Option<Vec<String>>,
}

impl Arguments {
    /// Returns the types after the first one of `--assert`, where no list is filtered.
    pub(super) fn others(&self) -> &[String] {
        &self.filters
    }
}

/// The order of what is listed.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Sort {
    /// Largest first; an unknown size counts as its lower bound
    Size,
    /// By path
    Name,
    /// By file and line
    Place,
}

/// A type as a JSON line.
#[derive(Serialize)]
struct Line<'m> {
    package: &'m str,
    target: &'m str,
    path: &'m str,
    kind: &'static str,
    #[serde(flatten)]
    exact_for: ExactFor<'m>,
    file: String,
    line: usize,
    size: Option<u64>,
    align: Option<u64>,
    exact: bool,
    min_size: u64,
    reason: Option<String>,
    assumed_size: Option<u64>,
    assuming: Vec<String>,
    generics: &'m [String],
    variants: Option<Vec<Variant>>,
    #[serde(skip)]
    krate: CrateIx,
    #[serde(skip)]
    ty: Ty,
}

#[derive(Serialize)]
struct Variant {
    name: &'static str,
    size: u64,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    arguments: &Arguments,
) -> Result<u8, String> {
    let selection = Selection {
        unit_tests: true,
        ..selection.clone()
    };
    let models = read_each(terminal, &selection, Bodies::Asked)?;
    let several = models.len() > 1;
    let mut text = String::new();
    let mut status = CLEAN;
    for model in &models {
        if several && !json {
            let _ = writeln!(text, "{}:", model.db.project.target.triple);
        }
        let problems = list(model, json, arguments, &mut text)?;
        status = status.max(print_problems(terminal, model, &problems));
        if several && !json {
            text.push('\n');
        }
    }
    let written = terminal.write(text.trim_end_matches("\n\n").as_bytes());
    print_reasons(terminal, &check::census(&models[0]));
    match written {
        Ok(()) => Ok(status),
        Err(message) => {
            terminal.error(&message);
            Ok(FAILED)
        }
    }
}

/// Lists the types of one target; returns what could not be read.
fn list(
    model: &Model<'static>,
    json: bool,
    arguments: &Arguments,
    text: &mut String,
) -> Result<Vec<Problem>, String> {
    let places = match json {
        true => Places::new(model),
        false => Places::from_here(model),
    };
    let (lines, found) = lines(model, &places, json, arguments)?;
    let census = check::census(model);
    let problems = check::problems(model);
    match json {
        true => {
            for line in &lines {
                let line = serde_json::to_string(line).map_err(|e| e.to_string())?;
                text.push_str(&line);
                text.push('\n');
            }
        }
        false => {
            let unread = report::Unread::of(&problems).words();
            table(&lines, text);
            let all = report::types(&census);
            let types = match lines.len() {
                n if n == census.types => all,
                n if n == found || found == census.types => format!("{n} of {all}"),
                n => format!("{n} of {found} matching, of {all}"),
            };
            let exactness = report::exactness(model.db.project);
            let _ = writeln!(text, "{types}{unread}; {exactness}");
        }
    }
    Ok(problems)
}

/// Returns the types whose paths match one of the filters; all types without a filter.
fn wanted<'m>(
    model: &'m Model<'static>,
    filters: &[String],
) -> Result<impl Iterator<Item = &'m TypeInfo>, String> {
    let mut fits = vec![filters.is_empty(); model.types().len()];
    for text in filters {
        let text = text.strip_prefix("crate::").unwrap_or(text);
        let whole = type_pattern(text)?;
        let mut any = false;
        for (info, fits) in model.types().iter().zip(&mut fits) {
            let path = format!("{}::{}", model.db.krate(info.krate).name, info.path);
            let mut ends = path.match_indices("::").map(|(at, _)| &path[at + 2..]);
            let fit = match text.contains(['*', '?', '[']) {
                true => whole.matches(&info.path) || whole.matches(&path),
                false => path == text || ends.any(|end| end == text),
            };
            any |= fit;
            *fits |= fit;
        }
        if !any {
            return Err(format!(
                "no type matches `{text}`{}",
                written::nearest(model, text)
            ));
        }
    }
    let list = model.types().iter().zip(fits);
    Ok(list.filter_map(|(info, fits)| fits.then_some(info)))
}

/// Returns the selected types in their order, and how many there are without `--top`.
fn lines<'m>(
    model: &'m Model<'static>,
    places: &Places,
    json: bool,
    arguments: &Arguments,
) -> Result<(Vec<Line<'m>>, usize), String> {
    let mut lines = Vec::new();
    for info in wanted(model, &arguments.filters)? {
        lines.extend(line(model, places, info).filter(|l| l.least() >= arguments.min));
    }
    let found = lines.len();
    let order = match json {
        true if arguments.top.is_none() => Sort::Place,
        _ => Sort::Size,
    };
    match arguments.sort.unwrap_or(order) {
        Sort::Size => lines.sort_by_key(|l| (Reverse(l.least()), l.exact)),
        Sort::Name => lines.sort_by(|a, b| (a.path, a.target).cmp(&(b.path, b.target))),
        Sort::Place => {}
    }
    lines.truncate(arguments.top.unwrap_or(usize::MAX));
    Ok((lines, found))
}

/// Prints a module of unnamed constants that do not compile if a type has grown.
pub(super) fn module(
    terminal: &Terminal,
    selection: &Selection,
    arguments: &Arguments,
) -> Result<u8, String> {
    let model = read(terminal, selection)?;
    let places = Places::new(&model);
    let (lines, _) = lines(&model, &places, true, arguments)?;
    let Some(first) = lines.first() else {
        return Err(
            "the selected packages define no matching types\nhelp: `-p` selects another package"
                .to_owned(),
        );
    };
    if let Some(other) = lines.iter().find(|l| l.krate != first.krate) {
        return Err(format!(
            "a module belongs to one crate, and `{}` and `{}` are selected\nhelp: choose one with \
             `-p`, `--lib` or `--bin`",
            first.target, other.target
        ));
    }
    let bits = model.db.project.target.layout.pointer_bits;
    let mut text = format!(
        "//! The most bytes that types may have, as `cargo weigh sizes --assert` writes it.\n\
         #![cfg(target_pointer_width = \"{bits}\")]\n\n"
    );
    let mut left_out = 0;
    for line in &lines {
        // The crate root can name it, and the name means this type.
        let named = model.parse_type(line.path, line.krate) == Ok(line.ty);
        match line.size {
            Some(size) if named && line.generics.is_empty() => {
                let path = line.path;
                let _ = writeln!(
                    text,
                    "const _: () = assert!(core::mem::size_of::<crate::{path}>() <= {size});"
                );
            }
            _ => left_out += 1,
        }
    }
    let status = print_problems(terminal, &model, &check::problems(&model));
    terminal.write(text.as_bytes())?;
    if left_out > 0 {
        terminal.note(&format!(
            "{} omitted: generic, of unknown size, or not nameable in the crate root",
            report::count(left_out, "type")
        ));
    }
    Ok(status)
}

/// Prints an assertion with the current size of each type.
pub(super) fn assert(
    terminal: &Terminal,
    selection: &Selection,
    types: &[String],
) -> Result<u8, String> {
    let (model, asked) = written::find_all(terminal, selection, types)?;
    let mut text = String::new();
    for (asked, name) in asked.into_iter().zip(types) {
        let (model, ty) = (&*asked.model, asked.ty?);
        let extent = model
            .extent(ty)
            .map_err(|why| layout::unknown(model, ty, &why))?;
        let own = model
            .types()
            .iter()
            .any(|t| t.ty == ty && t.generics.is_empty());
        let size = extent.size;
        let _ = match own {
            true => writeln!(text, "#[assert_size(max = {size})]"),
            false => writeln!(text, "weigh_derive::assert_size!({name}, max = {size});"),
        };
    }
    let status = print_problems(terminal, &model, &check::problems(&model));
    terminal.write(text.as_bytes())?;
    Ok(status)
}

fn line<'m>(model: &'m Model<'static>, places: &Places, info: &'m TypeInfo) -> Option<Line<'m>> {
    let id = model.db.krate(info.krate).id?;
    let krate = model.db.project.krate(id);
    let place = places.of(info.span);
    let extent = model.extent(info.ty);
    let (assumed, reason) = match &extent {
        Ok(_) => (None, None),
        Err(why) => match model.assumed(info.ty) {
            Ok(assumed) => (Some(assumed), Some(model.reason(why))),
            // What is unknown even then is a better reason.
            Err(why) => (None, Some(model.reason(&why))),
        },
    };
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
        kind: info.kind.as_str(),
        exact_for: model.db.project.exact_for(),
        file: place.file,
        line: place.start.0,
        size: extent.as_ref().ok().map(|e| e.size),
        align: extent.as_ref().ok().map(|e| e.align),
        exact: extent.is_ok(),
        min_size: match &extent {
            Ok(e) => e.size,
            Err(_) => model.min_size(info.ty),
        },
        reason,
        assumed_size: assumed.as_ref().map(|a| a.extent.size),
        assuming: assumed.map(|a| a.assuming).unwrap_or_default(),
        generics: &info.generics,
        variants,
        krate: info.krate,
        ty: info.ty,
    })
}

impl Line<'_> {
    /// Returns the size, the assumed one, or its lower bound, in bytes.
    fn least(&self) -> u64 {
        self.size.or(self.assumed_size).unwrap_or(self.min_size)
    }
}

/// Maximum width of a column.
const WIDEST: usize = 72;

/// Writes one line per type, in columns.
fn table(lines: &[Line], text: &mut String) {
    let several = lines
        .iter()
        .any(|l| l.package != lines[0].package || l.target != lines[0].target);
    let rows: Vec<[String; 4]> = lines
        .iter()
        .map(|l| {
            let size = match (l.size, l.assumed_size) {
                (Some(n), _) => n.to_string(),
                (None, Some(n)) => format!("{n}?"),
                (None, None) => format!("{}+", l.min_size),
            };
            let crate_name = match several {
                true => format!("{}: ", l.target),
                false => String::new(),
            };
            let params = match l.generics {
                [] => String::new(),
                list => format!("<{}>", list.join(", ")),
            };
            let align = l.align.map_or_else(|| "?".to_owned(), |a| a.to_string());
            let place = format!("{}:{}", visible::line(&l.file), l.line);
            [
                size,
                align,
                format!("{crate_name}{}{params}", l.path),
                place,
            ]
        })
        .collect();
    let width = |i: usize| {
        rows.iter()
            .map(|row: &[String; 4]| row[i].chars().count().min(WIDEST))
            .max()
    };
    let width = |i: usize, title: &str| width(i).unwrap_or(0).max(title.len());
    let titles = ["size", "align", "type", "place"];
    let widths: Vec<usize> = (0..4).map(|i| width(i, titles[i])).collect();
    let mut row = |[size, align, ty, place]: [&str; 4], reason: Option<&str>| {
        let _ = write!(
            text,
            "{size:>0$}  {align:>1$}  {ty:<2$}  ",
            widths[0], widths[1], widths[2]
        );
        // No trailing blanks.
        let _ = match reason {
            Some(reason) => writeln!(text, "{place:<0$}  ({reason})", widths[3]),
            None => writeln!(text, "{place}"),
        };
    };
    row(titles, None);
    for (cells, line) in rows.iter().zip(lines) {
        let reason = match line.assumed_size {
            Some(_) => Some(format!("if {}", line.assuming.join("; "))),
            None => line.reason.clone(),
        };
        row(cells.each_ref().map(String::as_str), reason.as_deref());
    }
}
