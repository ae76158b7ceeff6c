//! `cargo weigh futures NAME`: draws why a future is so large.

use super::{Line, Output, line, short, wanted};
use crate::draw::{self, Signs, bytes};
use crate::futures::catalog::Catalog;
use crate::futures::list::Future;
use crate::futures::source::Sources;
use crate::futures::why::{self, Await, Kind, Means, Piece, Step};
use crate::layout::Extent;
use crate::report;
use crate::visible;
use serde::Serialize;
use std::fmt::Write;
use std::io::IsTerminal;

/// A future, explained, as a JSON line.
#[derive(Serialize)]
struct Explained<'s> {
    #[serde(flatten)]
    line: Line<'s>,
    /// From the future down to what weighs.
    steps: Vec<StepJson<'s>>,
}

#[derive(Serialize)]
struct StepJson<'s> {
    name: &'s str,
    size: u64,
    align: u64,
    file: Option<&'s str>,
    line: Option<u32>,
    kept_twice: u64,
    remedies: Vec<RemedyJson<'s>>,
    captured: Vec<PieceJson<'s>>,
    awaits: Vec<AwaitJson<'s>>,
    decides: Option<usize>,
    not_calculated: Option<&'s str>,
}

/// What makes a future smaller, besides a box at an await.
#[derive(Serialize)]
struct RemedyJson<'s> {
    /// `block` for a variable that a block can end, `box` for one that is made as a box, `async_move`
    /// for arguments that are kept twice, `reference` for one that is only read.
    kind: &'static str,
    name: Option<&'s str>,
    file: Option<&'s str>,
    line: Option<u32>,
    size_after: u64,
    ripple: Vec<Ripple<'s>>,
}

#[derive(Serialize)]
struct AwaitJson<'s> {
    file: Option<&'s str>,
    line: Option<u32>,
    by_macro: bool,
    expression: Option<&'s str>,
    end: u64,
    boxed: Option<u64>,
    ripple: Vec<Ripple<'s>>,
    pieces: Vec<PieceJson<'s>>,
}

/// A future that changes with one that it holds.
#[derive(Serialize)]
struct Ripple<'s> {
    name: &'s str,
    arguments: &'s str,
    size: u64,
    /// None if it is not calculated.
    size_after: Option<u64>,
}

#[derive(Serialize)]
struct PieceJson<'s> {
    kind: &'static str,
    name: &'s str,
    #[serde(rename = "type")]
    ty: &'s str,
    offset: Option<u64>,
    size: u64,
    file: Option<&'s str>,
    line: Option<u32>,
}

pub(super) fn run(
    said: &Output<'_>,
    catalog: &Catalog<'_>,
    futures: &[Future],
    names: &[String],
    text: &mut String,
) -> Result<(), String> {
    let asked = wanted(futures, names)?;
    if asked.is_empty() {
        return Err(format!(
            "no future matches `{}`: the selected targets have none",
            visible::line(&names.join(" "))
        ));
    }
    let sources = Sources::new(said.project);
    let signs = match std::io::stdout().is_terminal() && !said.terminal.writes_a_file() {
        true => Signs::BLOCKS,
        false => Signs::ASCII,
    };
    for future in asked {
        let entry = catalog.entries.iter().position(|entry| {
            std::ptr::eq(entry.future, future) && entry.instance == future.largest()
        });
        let Some(entry) = entry else {
            continue;
        };
        let steps = why::explain(catalog, &sources, entry);
        if said.json {
            let explained = Explained {
                line: line(said.project, future),
                steps: steps.iter().map(|step| json(catalog, step)).collect(),
            };
            let line = serde_json::to_string(&explained).map_err(|e| e.to_string())?;
            text.push_str(&line);
            text.push('\n');
            continue;
        }
        let drawing = Drawing {
            catalog,
            signs,
            all: said.terminal.verbose,
        };
        for (at, step) in steps.iter().enumerate() {
            drawing.step(step, at > 0, text);
        }
        if let [alone] = &future.instances[..] {
            debug_assert_eq!(alone, future.largest());
        } else {
            let _ = writeln!(
                text,
                "\nThis is the largest of {} instances.",
                future.instances.len()
            );
        }
        text.push('\n');
    }
    if !said.json {
        let _ = writeln!(text, "{}", report::exactness(said.project));
    }
    Ok(())
}

fn json<'s>(catalog: &'s Catalog<'_>, step: &'s Step) -> StepJson<'s> {
    let awaits = step.awaits.iter().map(|a| AwaitJson {
        file: a.place.as_ref().map(|(file, _)| &**file),
        line: a.place.as_ref().map(|(_, line)| *line),
        by_macro: a.by_macro,
        expression: a.expression.as_deref(),
        end: a.end,
        boxed: a.boxed.map(|extent| extent.size),
        ripple: ripple(catalog, step, a.boxed),
        pieces: a.pieces.iter().map(piece_json).collect(),
    });
    let remedies = step.remedies.iter().map(|remedy| {
        let piece = remedy.means.piece();
        let place = piece.and_then(|piece| piece.place.as_ref());
        RemedyJson {
            kind: match remedy.means {
                Means::Block(_) => "block",
                Means::Box(_) => "box",
                Means::Once => "async_move",
                Means::Reference(_) => "reference",
            },
            name: piece.map(|piece| &*piece.name),
            file: place.map(|(file, _)| &**file),
            line: place.map(|(_, line)| *line),
            size_after: remedy.now.size,
            ripple: ripple(catalog, step, remedy.elsewhere()),
        }
    });
    StepJson {
        name: &step.name,
        size: step.size,
        align: step.align,
        file: step.place.as_ref().map(|(file, _)| &**file),
        line: step.place.as_ref().map(|(_, line)| *line),
        remedies: remedies.collect(),
        kept_twice: step.kept_twice().iter().map(|p| p.size).sum(),
        captured: step.upvars.iter().map(piece_json).collect(),
        awaits: awaits.collect(),
        decides: step.decides,
        not_calculated: step.unknown,
    }
}

fn piece_json(piece: &Piece) -> PieceJson<'_> {
    PieceJson {
        kind: piece.kind.word(),
        name: &piece.name,
        ty: &piece.ty,
        offset: piece.offset,
        size: piece.size,
        file: piece.place.as_ref().map(|(file, _)| &**file),
        line: piece.place.as_ref().map(|(_, line)| *line),
    }
}

/// What another size gives to the futures that hold this one, those that nothing holds first.
fn ripple<'c>(catalog: &'c Catalog<'_>, step: &Step, now: Option<Extent>) -> Vec<Ripple<'c>> {
    let Some((at, now)) = step.entry.zip(now) else {
        return Vec::new();
    };
    let sizes = catalog.ripple(at, now).into_iter();
    let mut others: Vec<_> = sizes.filter(|(other, _)| *other != at).collect();
    others.sort_by_key(|(other, _)| {
        let size = catalog.entries[*other].instance.size;
        (!catalog.is_root(*other), std::cmp::Reverse(size), *other)
    });
    let line = |(other, new): (usize, Option<Extent>)| {
        let entry = &catalog.entries[other];
        Ripple {
            name: &entry.future.name,
            arguments: &entry.instance.arguments,
            size: entry.instance.size,
            size_after: new.map(|new| new.size),
        }
    };
    others.into_iter().map(line).collect()
}

/// How many holders of a future are named.
const MOST_HOLDERS: usize = 4;

struct Drawing<'c> {
    catalog: &'c Catalog<'c>,
    signs: Signs,
    /// Every state is drawn.
    all: bool,
}

/// A row of a drawing.
struct Row {
    offset: Option<u64>,
    size: u64,
    words: String,
    /// How many pieces it is.
    count: usize,
}

impl Row {
    /// Whether a piece with these words lies right behind.
    fn continues(&self, piece: &Piece, words: &str) -> bool {
        let end = self.offset.and_then(|at| at.checked_add(self.size));
        self.words == words && end.is_some() && end == piece.offset
    }
}

impl Drawing<'_> {
    fn step(&self, step: &Step, is_inner: bool, text: &mut String) {
        if is_inner {
            text.push('\n');
        }
        let place = step.place.as_ref().map_or(String::new(), |place| {
            format!(", {}", self.place(Some(place)))
        });
        let _ = writeln!(
            text,
            "{}: {}, align {}{place}",
            visible::line(&step.name),
            bytes(step.size),
            step.align
        );
        let twice = step.kept_twice();
        if !twice.is_empty() {
            let names: Vec<String> = twice
                .iter()
                .map(|p| format!("`{}`", visible::line(&p.name)))
                .collect();
            let sum = twice.iter().map(|p| p.size).sum();
            let _ = writeln!(
                text,
                "{} are kept twice, as argument and as variable: {}",
                bytes(sum),
                names.join(", ")
            );
        }
        if let Some(why) = step.unknown {
            let _ = writeln!(text, "what a box gives is not calculated: {why}");
        }
        self.awaits(step, text);
        for (at, of) in step.awaits.iter().enumerate() {
            if self.all || step.decides == Some(at) {
                self.state(step, of, text);
            }
        }
        self.remedies(step, text);
    }

    fn place(&self, place: Option<&(String, u32)>) -> String {
        place.map_or("?".to_owned(), |(file, line)| {
            format!("{}:{line}", visible::line(file))
        })
    }

    /// The table of awaits.
    fn awaits(&self, step: &Step, text: &mut String) {
        if step.awaits.is_empty() {
            let _ = writeln!(text, "it awaits nothing");
            return;
        }
        let titles = ["bytes", "await", "awaits", "size", "with a box"].map(str::to_owned);
        let rows = step.awaits.iter().enumerate().map(|(at, of)| {
            let awaited = of.awaited.map(|i| &of.pieces[i]);
            let marker = if step.decides == Some(at) { ">" } else { " " };
            [
                format!("{marker}{}", of.end),
                self.place(of.place.as_ref()),
                self.awaited(of),
                awaited.map_or(String::new(), |piece| piece.size.to_string()),
                match (of.boxed, step.size) {
                    (Some(new), today) if new.size < today => new.size.to_string(),
                    (Some(_), _) => "no gain".to_owned(),
                    (None, _) => String::new(),
                },
            ]
        });
        let rows: Vec<[String; 5]> = std::iter::once(titles).chain(rows).collect();
        let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
        let w = [width(0), width(1), width(2), width(3), width(4)];
        text.push('\n');
        for [end, place, awaited, size, boxed] in &rows {
            let line = format!(
                "{end:>0$}  {place:<1$}  {awaited:<2$}  {size:>3$}  {boxed:>4$}",
                w[0], w[1], w[2], w[3], w[4]
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }

    fn awaited(&self, of: &Await) -> String {
        let ty = of.awaited.map(|i| &*of.pieces[i].ty);
        let shown = match (&of.expression, ty) {
            (Some(expression), _) => format!("`{expression}`"),
            (None, Some(ty)) => ty.to_owned(),
            (None, None) => String::new(),
        };
        let shown = visible::line(&shown);
        short(&shown)
    }

    /// Draws what lives while a future waits.
    fn state(&self, step: &Step, of: &Await, text: &mut String) {
        let _ = writeln!(
            text,
            "\nWhile it waits at {}:",
            self.place(of.place.as_ref())
        );
        let end = step.size.to_string();
        let cells = draw::bar(step.size, (0, 0), self.signs).chars().count();
        let width = cells.saturating_sub(1).max(end.len() + 1);
        let _ = writeln!(text, "{:>7}{:>7}  0{end:>width$}", "offset", "size");
        let pieces = step.upvars.iter().chain(&of.pieces);
        let mut pieces: Vec<&Piece> = pieces.filter(|piece| piece.size > 0).collect();
        pieces.sort_by_key(|piece| (piece.offset, piece.size));
        let mut rows: Vec<Row> = Vec::new();
        for piece in pieces {
            let words = self.words(piece);
            match rows.last_mut() {
                // Flags that say what is still to be dropped are many.
                Some(row) if piece.kind == Kind::Temporary && row.continues(piece, &words) => {
                    row.size += piece.size;
                    row.count += 1;
                }
                _ => rows.push(Row {
                    offset: piece.offset,
                    size: piece.size,
                    words,
                    count: 1,
                }),
            }
        }
        let mut at = 0;
        for row in &rows {
            let (offset, bar) = match row.offset {
                Some(offset) => {
                    self.gap(step, (at, offset), text);
                    at = at.max(offset.saturating_add(row.size));
                    let bar = draw::bar(step.size, (offset, row.size), self.signs);
                    (offset.to_string(), bar)
                }
                None => ("?".to_owned(), String::new()),
            };
            let times = match row.count {
                1 => String::new(),
                n => format!(", {n} times"),
            };
            let _ = writeln!(
                text,
                "{offset:>7}{:>7}  {bar:<cells$}  {}{times}",
                row.size, row.words
            );
        }
        self.gap(step, (at, step.size), text);
    }

    /// Name, type and place of a piece.
    fn words(&self, piece: &Piece) -> String {
        let words = match &*piece.name {
            "" => format!("({}) {}", piece.kind.word(), piece.ty),
            name => format!("{name}: {} ({})", piece.ty, self.kind(piece)),
        };
        let words = visible::line(&words);
        match piece.place.as_ref().filter(|_| piece.kind != Kind::Awaited) {
            Some(place) => format!("{words}  {}", self.place(Some(place))),
            None => words.into_owned(),
        }
    }

    fn kind(&self, piece: &Piece) -> &'static str {
        match piece.kind {
            Kind::Argument => "argument, a second time",
            kind => kind.word(),
        }
    }

    /// Bytes that nothing uses in this state: the tag, padding, or variables of other states.
    fn gap(&self, step: &Step, (start, end): (u64, u64), text: &mut String) {
        if start >= end {
            return;
        }
        let bar = draw::bar(step.size, (start, end - start), self.signs);
        let _ = writeln!(
            text,
            "{start:>7}{:>7}  {bar}  (state, padding, or of other awaits)",
            end - start
        );
    }

    /// What makes a future smaller, and those around it.
    fn remedies(&self, step: &Step, text: &mut String) {
        let boxes = step.awaits.iter().filter_map(|of| Some((of, of.boxed?)));
        let boxes = boxes.filter(|(_, now)| now.size < step.size);
        if let Some((of, now)) = boxes.min_by_key(|(_, now)| now.size) {
            let expression = of.expression.as_deref().unwrap_or("…");
            let what = format!(
                "`Box::pin({}).await` at {}",
                short(expression),
                self.place(of.place.as_ref())
            );
            self.remedy(step, &what, (now, Some(now)), text);
        }
        for remedy in &step.remedies {
            let named = |piece: &Piece| {
                let place = self.place(piece.place.as_ref());
                format!("`{}` ({place})", piece.name)
            };
            let what = match &remedy.means {
                Means::Block(piece) => format!(
                    "{} in a block that ends before it is awaited: nothing needs it then",
                    named(piece)
                ),
                Means::Box(piece) => format!("{} made as a box", named(piece)),
                Means::Once => {
                    "arguments kept once, by a function that returns `async move { … }`".to_owned()
                }
                Means::Reference(piece) => format!(
                    "{} as a reference, for it is only read (callers keep the value)",
                    named(piece)
                ),
            };
            self.remedy(step, &what, (remedy.now, remedy.elsewhere()), text);
        }
    }

    /// A remedy, with what it makes of the future, and of others if that is calculated.
    fn remedy(
        &self,
        step: &Step,
        what: &str,
        (now, elsewhere): (Extent, Option<Extent>),
        text: &mut String,
    ) {
        let what = visible::line(what);
        let _ = writeln!(text, "\n{what}: {} -> {}", step.size, now.size);
        let list = ripple(self.catalog, step, elsewhere);
        for other in list.iter().take(MOST_HOLDERS) {
            let after = other.size_after.map(|after| after.to_string());
            let name = format!("{}{}", other.name, other.arguments);
            let _ = writeln!(
                text,
                "  then {}: {} -> {}",
                visible::line(&name),
                other.size,
                after.as_deref().unwrap_or("not calculated")
            );
        }
        if list.len() > MOST_HOLDERS {
            let _ = writeln!(text, "  and {} more", list.len() - MOST_HOLDERS);
        }
    }
}
