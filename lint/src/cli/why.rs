//! `cargo weigh why TYPE`: the worth of its findings and what each signal gave, or why there is none.

use super::{CLEAN, Terminal, levels, print_problems, written};
use crate::check::{self, Known, NOTHING, Says};
use crate::config::Levels;
use crate::finding::{Evidence, Multiplicity};
use crate::join::Index;
use crate::layout::view::View;
use crate::model::{Model, TypeInfo};
use crate::project::Selection;
use crate::report::{self, Places};
use crate::resolve::ItemId;
use crate::resolve::ty::TyKind;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

#[derive(Serialize)]
struct Line<'l> {
    package: &'l str,
    #[serde(rename = "type")]
    ty: &'l str,
    kind: &'static str,
    size: Option<u64>,
    reason: Option<String>,
    assumed_size: Option<u64>,
    population: &'static str,
    stored_by: usize,
    depth: u8,
    evidence: Vec<String>,
    variants: Vec<Variant<'l>>,
    verdicts: Vec<Verdict<'l>>,
}

#[derive(Serialize)]
struct Variant<'l> {
    name: &'l str,
    size: u64,
    built: usize,
}

#[derive(Serialize)]
struct Verdict<'l> {
    lint: &'static str,
    /// `reported`, `pedantic` (below the bar) or `silent`.
    verdict: &'static str,
    /// Why there is no finding.
    rule: Option<&'l str>,
    message: Option<&'l str>,
    worth: Option<u8>,
    signals: BTreeMap<&'static str, f64>,
    against: Vec<&'static str>,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    (flags, least_worth): (&Levels, Option<u8>),
    census: Option<&Path>,
    types: &[String],
) -> Result<u8, String> {
    let census = census.map(super::census::read).transpose()?;
    let index = census.as_ref().map(Index::new);
    let (_, asked) = written::find_all(terminal, selection, types)?;
    let mut text = String::new();
    let mut status = CLEAN;
    for (mut asked, name) in asked.into_iter().zip(types) {
        let mut found = own(&asked)?;
        // A package that is not selected may define it and be a dependency.
        if found.is_none() && written::may_widen(&asked.model, selection) {
            let wide = Selection {
                workspace: true,
                ..selection.clone()
            };
            let name = std::slice::from_ref(name);
            let (_, again) = written::find_all(terminal, &wide, name)?;
            for other in again {
                found = own(&other)?;
                asked = other;
            }
        }
        let model = &*asked.model;
        let info = found.and_then(|item| model.info(item));
        let info = info.ok_or_else(|| format!("`{name}` is not a type of the workspace"))?;
        let mut levels = levels::environment(model.db.project.build_warnings.as_deref())?;
        levels.extend_from_slice(flags);
        let known = check::why(model, &levels, least_worth, index.as_ref(), info.item);
        let places = Places::from_here(model);
        match json {
            true => {
                let line = line(model, &places, info, &known);
                let line = serde_json::to_string(&line).map_err(|e| e.to_string())?;
                let _ = writeln!(text, "{line}");
            }
            false => text.push_str(&person(model, &places, info, &known, terminal.verbose)),
        }
        status = status.max(print_problems(terminal, model, &check::problems(model)));
    }
    terminal.write(text.as_bytes())?;
    Ok(status)
}

/// Returns the item of a type, if a selected package defines it.
fn own(asked: &written::NamedType) -> Result<Option<ItemId>, String> {
    let model = &*asked.model;
    Ok(match model.db.types.kind(asked.ty.clone()?) {
        TyKind::Adt(item, _) => model.info(*item).map(|info| info.item),
        _ => None,
    })
}

/// Maximum number of variants listed.
const MOST_VARIANTS: usize = 10;

/// Maximum number of fields listed.
const MOST_FIELDS: usize = 5;

/// Returns the lines of evidence, at most so many fields that store it first.
fn evidence(places: &Places, known: &Known, most: usize) -> Vec<String> {
    let line = |e: &Evidence| match e.span {
        Some(span) => format!("{}: {}", places.line(span), e.text),
        None => e.text.clone(),
    };
    let mut lines: Vec<String> = known.stored_by.iter().map(line).collect();
    if lines.len() > most {
        let more = lines.len() - most;
        lines.truncate(most);
        lines.push(format!("and {more} more"));
    }
    lines.extend(known.evidence.iter().map(line));
    lines
}

fn line<'l>(
    model: &'l Model<'static>,
    places: &Places,
    info: &'l TypeInfo,
    known: &'l Known,
) -> Line<'l> {
    let view = model.view(info.ty);
    let number = known.multiplicity.unwrap_or(Multiplicity::Unknown);
    let depth = match number {
        Multiplicity::Stored { depth, .. } => depth,
        _ => 0,
    };
    let variants = view.as_ref().map_or(Vec::new(), |v| variants(v, known));
    Line {
        package: report::package(model, info),
        ty: &info.path,
        kind: info.kind.as_str(),
        size: view.as_ref().ok().map(|v| v.size),
        assumed_size: match (&view, model.assumed(info.ty)) {
            (Err(_), Ok(assumed)) => Some(assumed.extent.size),
            _ => None,
        },
        reason: view.err().map(|why| model.reason(&why)),
        population: number.as_str(),
        stored_by: known.stored_by.len(),
        depth,
        evidence: evidence(places, known, usize::MAX),
        variants: variants
            .into_iter()
            .map(|(name, size, built)| Variant { name, size, built })
            .collect(),
        verdicts: known
            .verdicts
            .iter()
            .map(|v| {
                let (verdict, weighed, rule) = match &v.says {
                    Says::Reported(weighed) => ("reported", Some(weighed), None),
                    Says::Below(weighed) => ("pedantic", Some(weighed), None),
                    Says::Silent(why) => ("silent", None, Some(&**why)),
                };
                let signals = weighed.map_or(Vec::new(), |w| w.worth.parts());
                let against = weighed.map_or(&[][..], |w| &w.against);
                Verdict {
                    lint: v.lint,
                    verdict,
                    rule,
                    message: weighed.map(|w| &*w.message),
                    worth: weighed.map(|w| w.worth.percent()),
                    signals: signals.iter().map(|p| (p.name, p.rounded())).collect(),
                    against: against.iter().map(|r| r.text()).collect(),
                }
            })
            .collect(),
    }
}

/// Returns name, bytes and number of constructions of each variant, the widest first.
fn variants(view: &View, known: &Known) -> Vec<(&'static str, u64, usize)> {
    let built = |index: usize| known.built.get(index).copied().unwrap_or(0);
    let list = view.variants.iter();
    let mut list: Vec<_> = list
        .map(|v| (v.name.as_str(), v.size, built(v.index)))
        .collect();
    list.sort_by_key(|(_, size, _)| std::cmp::Reverse(*size));
    list
}

/// Returns the number of values in words; so many fields store it.
fn number(multiplicity: Multiplicity, fields: usize) -> String {
    match multiplicity {
        Multiplicity::Singleton => "one per run".to_owned(),
        Multiplicity::Unknown => "unknown: no evidence that there are many".to_owned(),
        Multiplicity::Transient => {
            "several at a time, not stored in a field: variables, parameters, iterators or channels"
                .to_owned()
        }
        Multiplicity::Stored { depth, .. } => match (fields, depth) {
            (0, 0 | 1) => {
                "many: stored by fields of a type that exists once, or by maps from strings"
                    .to_owned()
            }
            (0, _) => "very many: in nested collections or as a node".to_owned(),
            (n, 0 | 1) => format!("many: stored by {}", report::count(n, "field")),
            (n, _) => format!(
                "very many: stored by {}, in nested collections or as a node",
                report::count(n, "field")
            ),
        },
    }
}

fn person(
    model: &Model<'static>,
    places: &Places,
    info: &TypeInfo,
    known: &Known,
    verbose: bool,
) -> String {
    let mut text = String::new();
    let kind = info.kind.as_str();
    let at = places.line(info.span);
    let view = model.view(info.ty);
    let size = match (&view, model.assumed(info.ty)) {
        (Ok(view), _) => format!("{} bytes, align {}", view.size, view.align),
        (Err(_), Ok(assumed)) => {
            let (size, words) = (assumed.extent.size, assumed.words());
            format!("{size} bytes, assuming that {words}")
        }
        (Err(_), Err(why)) => format!("size unknown: {}", model.reason(&why)),
    };
    let _ = writeln!(text, "{kind} `{}` ({at}): {size}", info.path);
    verdicts(&mut text, known, verbose);
    let multiplicity = known.multiplicity.unwrap_or(Multiplicity::Unknown);
    let many = number(multiplicity, known.stored_by.len());
    let _ = writeln!(text, "\nvalues: {many}");
    for line in evidence(places, known, MOST_FIELDS) {
        let _ = writeln!(text, "  {line}");
    }
    if let Ok(view) = &view
        && view.variants.len() > 1
    {
        table(&mut text, &variants(view, known), verbose);
    }
    text.push('\n');
    text
}

/// Prints the variants, the widest first.
fn table(text: &mut String, rows: &[(&'static str, u64, usize)], verbose: bool) {
    let _ = writeln!(text, "\nvariants, by size of their fields in bytes:");
    let most = if verbose { usize::MAX } else { MOST_VARIANTS };
    let shown = &rows[..rows.len().min(most)];
    let name = shown.iter().map(|r| r.0.chars().count()).max();
    let name = name.unwrap_or(0);
    let size = shown.first().map_or(0, |r| r.1.to_string().len());
    for (variant, bytes, built) in shown {
        let built = report::count(*built, "place");
        let _ = writeln!(text, "  {variant:name$}  {bytes:>size$}  built at {built}");
    }
    if rows.len() > shown.len() {
        let more = rows.len() - shown.len();
        let _ = writeln!(text, "  and {more} that are no wider (-v shows them)");
    }
}

/// Prints what each lint says: the findings with their worth, then those that are silent, each with
/// its reason if there is no finding.
fn verdicts(text: &mut String, known: &Known, verbose: bool) {
    let bar = known.bar;
    let _ = writeln!(text, "\nlints (a worth of {bar} and more is a warning):");
    let mut silent = Vec::new();
    for v in &known.verdicts {
        let (word, weighed) = match &v.says {
            Says::Reported(weighed) => ("warning", weighed),
            Says::Below(weighed) => ("below", weighed),
            Says::Silent(why) => {
                silent.push((v.lint, why));
                continue;
            }
        };
        let worth = weighed.worth.percent();
        let _ = writeln!(
            text,
            "  worth {worth:2}, {word}: {}: {}",
            v.lint, weighed.message
        );
        for part in weighed.worth.parts() {
            let _ = writeln!(text, "    {:+5.1}  {}", part.rounded(), part.words);
        }
        for reason in &weighed.against {
            let _ = writeln!(text, "           against it: {}", reason.text());
        }
    }
    let names = |list: &[(&'static str, &String)]| {
        let names: Vec<&str> = list.iter().map(|(lint, _)| *lint).collect();
        names.join(", ")
    };
    // Without a finding the reasons are the answer.
    if !verbose && silent.len() < known.verdicts.len() {
        let _ = writeln!(text, "  silent (-v says why): {}", names(&silent));
        return;
    }
    let (plain, said): (Vec<_>, Vec<_>) = silent.iter().partition(|(_, why)| *why == NOTHING);
    for (lint, why) in said {
        let _ = writeln!(text, "  silent: {lint}: {why}");
    }
    if !plain.is_empty() {
        let _ = writeln!(text, "  nothing of their kind: {}", names(&plain));
    }
}
