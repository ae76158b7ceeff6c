//! Why a future is so large: its states, what lives across each await, and what a box there gives;
//! down along the await that sets the size.

use super::body;
use super::catalog::{Catalog, Entry};
use super::dump::Span;
use super::names::Form;
use super::predict::Changed;
use super::source::Sources;
use crate::census::dwarf::coroutines::{Coroutines, HeldId, Part};
use crate::coroutines::Stretch;
use crate::layout::Extent;
use std::path::Path;

/// A future, explained.
#[derive(Clone, Debug)]
pub struct Step {
    /// The entry in the catalog, for a future that is listed.
    pub entry: Option<usize>,
    /// Its name, as debug information has it if it is not listed.
    pub name: String,
    /// Bytes of one value.
    pub size: u64,
    /// Its alignment, in bytes.
    pub align: u64,
    /// File and line.
    pub place: Option<(String, u32)>,
    /// What was moved or borrowed into it.
    pub upvars: Vec<Piece>,
    /// Its awaits, in the order of their numbers.
    pub awaits: Vec<Await>,
    /// The await that sets the size.
    pub decides: Option<usize>,
    /// What else makes it smaller.
    pub remedies: Vec<Remedy>,
    /// Why nothing is calculated for it.
    pub unknown: Option<&'static str>,
}

/// What makes a future smaller, besides a box at an await.
#[derive(Clone, Debug)]
pub struct Remedy {
    /// What it is.
    pub means: Means,
    /// Size and alignment then.
    pub now: Extent,
}

/// How a future becomes smaller.
#[derive(Clone, Debug)]
pub enum Means {
    /// A block ends a variable that no await needs.
    Block(Piece),
    /// A variable is made as a box.
    Box(Piece),
    /// A function that returns `async move { … }` keeps the arguments once.
    Once,
    /// An argument that is only read is a reference. Its callers keep the value then, and what that
    /// makes of them is not calculated.
    Reference(Piece),
}

impl Means {
    /// The variable.
    pub fn piece(&self) -> Option<&Piece> {
        match self {
            Means::Block(piece) | Means::Box(piece) | Means::Reference(piece) => Some(piece),
            Means::Once => None,
        }
    }
}

impl Remedy {
    /// Size and alignment with it, if what they make of other futures can be calculated.
    pub fn elsewhere(&self) -> Option<Extent> {
        (!matches!(self.means, Means::Reference(_))).then_some(self.now)
    }
}

impl Step {
    /// The variables that arguments were moved to, so that both are kept: each once.
    pub fn kept_twice(&self) -> Vec<&Piece> {
        let mut list: Vec<&Piece> = Vec::new();
        for piece in self.awaits.iter().flat_map(|a| &a.pieces) {
            let is_known = list.iter().any(|known| known.saved == piece.saved);
            if piece.kind == Kind::Argument && piece.size > 0 && !is_known {
                list.push(piece);
            }
        }
        list
    }
}

/// A state in which a future waits.
#[derive(Clone, Debug)]
pub struct Await {
    /// File and line of the await.
    pub place: Option<(String, u32)>,
    /// The macro that has the await, if that is not written in this crate.
    pub by_macro: bool,
    /// What lives meanwhile.
    pub pieces: Vec<Piece>,
    /// The piece that is awaited.
    pub awaited: Option<usize>,
    /// The awaited expression, as written.
    pub expression: Option<String>,
    /// Where that is.
    pub at: Option<Stretch>,
    /// Where the last piece ends, in bytes from the start of the future.
    pub end: u64,
    /// The size of the future with what is awaited in a box.
    pub boxed: Option<Extent>,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An argument or what a block captures, as it was moved in.
    Upvar,
    /// A variable that an argument was moved to: it is kept twice.
    Argument,
    /// A variable.
    Local,
    /// A value without a name.
    Temporary,
    /// What is awaited.
    Awaited,
}

impl Kind {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Upvar => "captured",
            Kind::Argument => "argument",
            Kind::Local => "local",
            Kind::Temporary => "temporary",
            Kind::Awaited => "awaited",
        }
    }
}

/// A part of a future in one state.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Its name; empty for a temporary.
    pub name: String,
    /// The name of its type.
    pub ty: String,
    /// Its number among the saved variables, if that is known.
    pub saved: Option<usize>,
    /// Bytes from the start of the future, if that is known.
    pub offset: Option<u64>,
    /// Bytes.
    pub size: u64,
    /// File and line of its declaration.
    pub place: Option<(String, u32)>,
    /// Its declaration, if it is in the workspace and in no macro.
    pub at: Option<Stretch>,
    held: Option<HeldId>,
}

/// How many futures deep a tree is drawn.
const DEEPEST: usize = 24;

/// Explains a future, and those along the await that sets its size.
pub fn explain(catalog: &Catalog<'_>, sources: &Sources<'_>, at: usize) -> Vec<Step> {
    let entry = &catalog.entries[at];
    let mut types = catalog.types(entry);
    let mut id = entry.instance.at.1;
    let mut steps: Vec<Step> = Vec::new();
    while steps.len() < DEEPEST {
        let listed = catalog.entry(types, id);
        if let Some(entry) = listed {
            // Its own unit knows most about it.
            let entry = &catalog.entries[entry];
            types = catalog.types(entry);
            id = entry.instance.at.1;
        }
        let mut step = step(catalog, sources, types, id, listed);
        if let Some(entry) = listed {
            step.remedies = remedies(catalog, sources, entry, &step.awaits);
        }
        let next = step.decides.and_then(|i| heaviest(&step.awaits[i]));
        let next = next.and_then(|piece| piece.held);
        let size = step.size;
        steps.push(step);
        match next.and_then(|ty| coroutine_in(types, ty)) {
            // What is less than a fourth of the future does not make it large.
            Some(inner) if types.get(inner).size * 4 >= size => id = inner,
            _ => break,
        }
    }
    steps
}

/// Explains a future of the list, without those that it awaits and without remedies.
pub fn step_of(catalog: &Catalog<'_>, sources: &Sources<'_>, at: usize) -> Step {
    let entry = &catalog.entries[at];
    let types = catalog.types(entry);
    step(catalog, sources, types, entry.instance.at.1, Some(at))
}

/// The future of the list that a piece of another one is, or is most of.
pub fn held(catalog: &Catalog<'_>, entry: &Entry<'_>, piece: &Piece) -> Option<usize> {
    let types = catalog.types(entry);
    catalog.entry(types, coroutine_in(types, piece.held?)?)
}

/// The piece of an await that weighs most, if it weighs more than what was moved in.
fn heaviest(of: &Await) -> Option<&Piece> {
    of.pieces.iter().max_by_key(|piece| piece.size)
}

/// The coroutine that a type is, or that is most of it.
fn coroutine_in(types: &Coroutines, id: HeldId) -> Option<HeldId> {
    let mut at = id;
    for _ in 0..32 {
        let ty = types.get(at);
        if ty.coroutine.is_some() {
            return Some(at);
        }
        let parts = ty.parts.iter().flatten();
        let largest = parts.max_by_key(|part| types.get(part.ty).size)?;
        if types.get(largest.ty).size * 2 < ty.size {
            return None;
        }
        at = largest.ty;
    }
    None
}

fn step(
    catalog: &Catalog<'_>,
    sources: &Sources<'_>,
    types: &Coroutines,
    id: HeldId,
    listed: Option<usize>,
) -> Step {
    let ty = types.get(id);
    let entry = listed.map(|at| &catalog.entries[at]);
    let coroutine = ty.coroutine.as_ref();
    let states = coroutine.map_or(&[][..], |c| &c.states);
    let own = states.first().and_then(|state| state.place.as_ref());
    let place = own.map(|(file, line)| (sources.relative(file), *line));
    let upvars: Vec<Piece> = ty.parts.first().map_or(Vec::new(), |parts| {
        parts.iter().map(|part| upvar(types, part)).collect()
    });
    let mut awaits = Vec::new();
    // The first three states wait for nothing.
    for (at, state) in states.iter().enumerate().skip(3) {
        let parts = &ty.parts[at];
        let count = parts.len().saturating_sub(upvars.len());
        let pieces = pieces(sources, types, entry, at, &parts[..count]);
        let ends = pieces.iter().filter_map(|p| p.offset?.checked_add(p.size));
        let awaited = pieces.iter().position(|p| p.kind == Kind::Awaited);
        let place = state.place.as_ref();
        let by_macro = place.is_none_or(|(file, _)| {
            let elsewhere = Some(file) != own.map(|(file, _)| file);
            elsewhere && Path::new(&sources.relative(file)).is_absolute()
        });
        let mut this = Await {
            place: place.map(|(file, line)| (sources.relative(file), *line)),
            by_macro,
            end: ends.max().unwrap_or(0),
            awaited,
            pieces,
            expression: None,
            at: None,
            boxed: None,
        };
        complete(catalog, sources, entry, &mut this);
        awaits.push(this);
    }
    let end = states.get(1).and_then(|state| state.place.as_ref());
    call_lines(sources, own, end, &mut awaits);
    let weight = |a: &Await| (a.end, a.pieces.iter().map(|p| p.size).sum::<u64>());
    // The first of several that are equal.
    let decides = (0..awaits.len()).rev().max_by_key(|i| weight(&awaits[*i]));
    Step {
        entry: listed,
        name: entry.map_or_else(
            || ty.name.to_string(),
            |e| format!("{}{}", e.future.name, e.instance.arguments),
        ),
        size: ty.size,
        align: coroutine.map_or(1, |c| c.align),
        place: entry.map_or(place, |e| e.future.place.clone()),
        remedies: Vec::new(),
        upvars,
        awaits,
        decides,
        unknown: match entry {
            Some(entry) => entry.known.as_ref().err().copied(),
            None => Some("it is of a dependency"),
        },
    }
}

/// Lists what makes a future with these awaits smaller: blocks for variables that no await needs,
/// variables in boxes, arguments that are kept once or elsewhere; of each the best first.
pub fn remedies(
    catalog: &Catalog<'_>,
    sources: &Sources<'_>,
    at: usize,
    awaits: &[Await],
) -> Vec<Remedy> {
    let entry = &catalog.entries[at];
    let (Ok(known), Some(dump)) = (&entry.known, &entry.dump) else {
        return Vec::new();
    };
    let calculator = catalog.calculator();
    let body = body::read(&entry.before);
    let is_less = |now: &Extent| now.size < entry.instance.size;
    let pointer = pointer(catalog, entry);
    let idle = body.idle(dump);
    let arguments = (0..dump.saved.len()).filter(|i| dump.saved[*i].upvar.is_some());
    let arguments: Vec<usize> = arguments.collect();
    let mut list: Vec<Remedy> = Vec::new();
    let mut add = |mut found: Vec<Remedy>| {
        found.retain(|remedy| is_less(&remedy.now));
        found.sort_by_key(|remedy| remedy.now.size);
        list.append(&mut found);
    };
    let each = |remedy: &dyn Fn(usize, &Piece) -> Option<Remedy>| -> Vec<Remedy> {
        let of = |saved: usize| {
            let mut pieces = awaits.iter().flat_map(|a| &a.pieces);
            // What has no name cannot be written otherwise.
            let piece = pieces.find(|p| p.saved == Some(saved) && p.name != "_");
            remedy(saved, piece?)
        };
        (0..dump.saved.len()).filter_map(of).collect()
    };
    add(each(&|saved, piece| {
        let means = Means::Block(piece.clone());
        let now = known.without(calculator, &[saved]);
        let now = now.filter(|_| idle.contains(&saved))?;
        Some(Remedy { means, now })
    }));
    add(each(&|saved, piece| {
        let span = dump.saved[saved].span.as_ref()?;
        let is_let = piece.kind == Kind::Local && piece.at.is_some() && sources.is_let(span);
        if !is_let || piece.size <= pointer.size || idle.contains(&saved) {
            return None;
        }
        let boxed = body.boxed(dump, saved)?;
        let changes = boxed.saved.iter().map(|of| (Changed::Local(*of), pointer));
        let changes: Vec<_> = changes.collect();
        Some(Remedy {
            means: Means::Box(piece.clone()),
            now: known.saving(calculator, &changes, &boxed.states)?,
        })
    }));
    if entry.future.form == Form::Function
        && !arguments.is_empty()
        && body.uses_whole(known.saved.upvars.len())
        && let Some(now) = known.without(calculator, &arguments)
    {
        let means = Means::Once;
        add(vec![Remedy { means, now }]);
    }
    add(each(&|saved, piece| {
        if !catalog.may_borrow(at) || piece.size <= pointer.size {
            return None;
        }
        let lent = body.lent(dump, saved)?;
        let changes = [
            (Changed::Local(saved), pointer),
            (Changed::Upvar(lent.upvar), pointer),
        ];
        let [short, long] = lent.states;
        let now = known.saving(calculator, &changes, &short)?;
        let is_sure = known.saving(calculator, &changes, &long) == Some(now);
        let means = Means::Reference(piece.clone());
        is_sure.then_some(Remedy { means, now })
    }));
    list
}

/// Gives awaits in other crates' macros the line of the call, where there are as many calls between
/// the awaits around them as there are such awaits.
fn call_lines(
    sources: &Sources<'_>,
    own: Option<&(Box<str>, u32)>,
    end: Option<&(Box<str>, u32)>,
    awaits: &mut [Await],
) {
    let Some(((file, start), (_, end))) = own.zip(end) else {
        return;
    };
    let file = sources.relative(file);
    let line = |a: &Await| a.place.as_ref().filter(|_| !a.by_macro).map(|p| p.1);
    let mut at = 0;
    while at < awaits.len() {
        let count = awaits[at..].iter().take_while(|a| a.by_macro).count();
        let (before, rest) = awaits.split_at_mut(at);
        let (macros, after) = rest.split_at_mut(count);
        at += count.max(1);
        let before = before.last().and_then(line).unwrap_or(*start);
        let after = after.first().and_then(line).unwrap_or(*end);
        let Some(of) = macros.first().and_then(|a| a.place.clone()) else {
            continue;
        };
        let same = macros.iter().all(|a| a.place.as_ref() == Some(&of));
        let calls = sources.calls(&file, &of.0, (before, after));
        let calls = calls.filter(|calls| same && calls.len() == count);
        for (of, line) in macros.iter_mut().zip(calls.into_iter().flatten()) {
            of.place = Some((file.clone(), line));
        }
    }
}

fn upvar(types: &Coroutines, part: &Part) -> Piece {
    Piece {
        kind: Kind::Upvar,
        name: part.name.to_string(),
        ty: types.get(part.ty).name.to_string(),
        saved: None,
        offset: Some(part.offset),
        size: types.get(part.ty).size,
        place: None,
        at: None,
        held: Some(part.ty),
    }
}

/// The pieces of a state, which debug information has in the order of the dump.
fn pieces(
    sources: &Sources<'_>,
    types: &Coroutines,
    entry: Option<&Entry<'_>>,
    state: usize,
    parts: &[Part],
) -> Vec<Piece> {
    let dump = entry.and_then(|entry| entry.dump.as_ref());
    let locals = dump.and_then(|dump| dump.states.get(state));
    let locals = locals.filter(|locals| locals.len() == parts.len());
    let of = |(at, part): (usize, &Part)| {
        let number = locals.map(|locals| locals[at]);
        let saved = number.zip(dump).map(|(number, dump)| &dump.saved[number]);
        let is_first = parts[..at].iter().all(|p| p.name != part.name);
        let known = entry.and_then(|e| e.known.as_ref().ok()).zip(number);
        let held = known.map_or(Some(part.ty), |(known, number)| known.types[number]);
        let shown = held.map(|held| types.get(held).name.to_string());
        let extent = known.map(|(known, number)| known.saved.locals[number]);
        let kind = match saved {
            _ if &*part.name == "__awaitee" => Kind::Awaited,
            Some(saved) if saved.upvar.is_some() => Kind::Argument,
            Some(saved) if saved.name.is_none() => Kind::Temporary,
            // `__0` is what debug information calls a value without a name.
            None if part.name.starts_with("__") => Kind::Temporary,
            _ => Kind::Local,
        };
        let place = saved.and_then(|saved| saved.span.as_ref());
        Piece {
            kind,
            name: match kind {
                Kind::Temporary | Kind::Awaited => String::new(),
                _ => part.name.to_string(),
            },
            ty: shown.or(saved.map(|s| s.ty.clone())).unwrap_or_default(),
            saved: number,
            offset: is_first.then_some(part.offset),
            size: extent.map_or(types.get(part.ty).size, |extent| extent.size),
            place: place.map(|span| (sources.of_span(span), span.start.0)),
            at: place
                .filter(|span| !span.expanded && sources.is_own(span))
                .and_then(|span| sources.bytes(span)),
            held,
        }
    };
    parts.iter().enumerate().map(of).collect()
}

/// Adds to an await what the dump knows: the expression, and what a box gives.
fn complete(
    catalog: &Catalog<'_>,
    sources: &Sources<'_>,
    entry: Option<&Entry<'_>>,
    this: &mut Await,
) {
    let Some((entry, piece)) = entry.zip(this.awaited.map(|at| &this.pieces[at])) else {
        return;
    };
    let saved = piece.saved.zip(entry.dump.as_ref());
    let span = saved.and_then(|(saved, dump)| dump.saved[saved].span.as_ref());
    let is_own = |span: &&Span| !this.by_macro && sources.is_own(span);
    let Some(span) = span.filter(is_own) else {
        return;
    };
    this.expression = sources.awaited(span);
    this.at = sources.bytes_awaited(span);
    let boxed = pointer(catalog, entry);
    if this.expression.is_some()
        && piece.size > boxed.size
        && let (Ok(known), Some(saved)) = (&entry.known, piece.saved)
    {
        this.boxed = known.with(catalog.calculator(), &[(Changed::Local(saved), boxed)]);
    }
}

/// Size and alignment of a future with what it awaits at some places in boxes.
pub fn with_boxes(catalog: &Catalog<'_>, entry: &Entry<'_>, awaits: &[&Await]) -> Option<Extent> {
    let known = entry.known.as_ref().ok()?;
    let saved = awaits.iter().map(|a| a.pieces[a.awaited?].saved);
    let changes = saved.map(|saved| Some((Changed::Local(saved?), pointer(catalog, entry))));
    let changes: Vec<_> = changes.collect::<Option<_>>()?;
    known.with(catalog.calculator(), &changes)
}

/// Size and alignment of a box.
fn pointer(catalog: &Catalog<'_>, entry: &Entry<'_>) -> Extent {
    let ty = catalog.types(entry).get(entry.instance.at.1);
    let bytes = ty.coroutine.as_ref().map_or(8, |c| c.pointer);
    Extent {
        size: bytes,
        align: bytes,
    }
}
