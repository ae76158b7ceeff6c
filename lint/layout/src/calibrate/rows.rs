//! The types to compare: as source text for the compiler, and resolved for the same numbers.

use super::{head, shapes};
use crate::layout::Layouts;
use crate::name::Name;
use crate::resolve::ty::{Const, GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::resolve::{Db, ItemId, ModId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Types of std with chosen arguments, one per line: every public one, so that private ones are
/// covered by those that hold them. A comment after `//` limits a line to the releases since or
/// before one.
pub const TYPES: &str = include_str!("types.txt");

/// Returns the types that can be written in a release.
pub fn types(is_since: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
    TYPES
        .lines()
        .filter_map(move |line| match line.split_once(" // ") {
            None => Some(line),
            Some((ty, when)) => match when.split_once(' ') {
                Some(("since", version)) => is_since(version).then_some(ty),
                Some(("before", version)) => (!is_since(version)).then_some(ty),
                _ => None,
            },
        })
}

/// Numbers per row: size, alignment, then the sizes of enums that reveal the niche.
pub const NUMBERS: usize = 8;

/// Larger numbers of niche values are not distinguished.
const MOST_UNITS: u128 = 256;

/// A type to compare, and enums around it.
pub struct Row {
    /// Its source text.
    pub text: String,
    /// The path of its std definition; `None` for a generated type, a primitive or a reference.
    pub head: Option<String>,
    /// The resolved type.
    pub ty: Ty,
    /// Enums around it, as text and resolved; their sizes reveal the offset and number of values of
    /// its niche.
    pub around: Vec<(String, Ty)>,
}

impl Row {
    /// Returns the numbers by the declarations; `None` if unknown.
    pub fn numbers(&self, db: &Db<'static>, layouts: &Layouts<'static>) -> Option<Vec<u64>> {
        let own = layouts.extent(db, self.ty).ok()?;
        let mut list = vec![own.size, own.align];
        for (_, ty) in &self.around {
            list.push(layouts.extent(db, *ty).ok()?.size);
        }
        Some(list)
    }
}

/// The input for one compiler.
pub struct Questions {
    /// Definitions that the rows need.
    pub text: String,
    /// The types.
    pub rows: Vec<Row>,
}

/// Collects the declared types whose layout is known for the target.
pub fn of_declarations(db: &Db<'static>, layouts: &Layouts<'static>) -> Questions {
    let std = db.root(db.std());
    let types = types(|version| {
        db.project
            .target
            .has(Name::new("version"), Some(Name::new(version)))
    });
    let types = types.map(|text| (text.to_owned(), lower(db, std, text)));
    let mut known: Vec<(String, Ty, Niche)> = types
        .filter_map(|(text, ty)| Some((text, ty, Niche::of(db, layouts, ty)?)))
        .collect();
    let of_std = known.len();

    let mut text = shapes::text();
    let generated = db.text_module(db.std(), "shapes", &text);
    for item in adts(db, generated) {
        let ty = db.identity_ty(item);
        let name = db.item(item).item.name.to_string();
        if let (true, Some(niche)) = (
            db.generics(item).is_none_or(|g| g.params.is_empty()),
            Niche::of(db, layouts, ty),
        ) {
            known.push((name, ty, niche));
        }
    }

    let wrappers = wrappers(&known);
    let module = db.text_module(db.std(), "wrappers", &wrappers);
    let wrapper: FxHashMap<Name, ItemId> = adts(db, module)
        .into_iter()
        .map(|id| (db.item(id).item.name, id))
        .collect();
    text.push_str(&wrappers);

    let option = lower(db, std, "std::option::Option<()>");
    let option = match db.types.kind(option) {
        TyKind::Adt(item, _) => Some(*item),
        _ => None,
    };
    let around = Around {
        db,
        option,
        wrapper,
    };
    let rows = known
        .into_iter()
        .enumerate()
        .map(|(i, (text, ty, niche))| Row {
            head: head(db, ty).filter(|_| i < of_std),
            around: around.of(&text, ty, &niche),
            text,
            ty,
        });
    Questions {
        rows: rows.collect(),
        text,
    }
}

/// Returns the source of the generic enums that show the niches of these types.
fn wrappers(known: &[(String, Ty, Niche)]) -> String {
    let mut text = String::from("pub enum Beside<T, const N: usize> { Held(T), Bytes([u8; N]) }\n");
    let counts = known.iter().flat_map(|(_, _, niche)| niche.units());
    for units in counts.collect::<BTreeSet<_>>() {
        let names: Vec<_> = (0..units).map(|i| format!("U{i}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "pub enum Units{units}<T> {{ Held(T), {} }}",
            names.join(", ")
        );
    }
    text
}

/// The definitions around a type that show its niche.
struct Around<'a> {
    db: &'a Db<'static>,
    option: Option<ItemId>,
    wrapper: FxHashMap<Name, ItemId>,
}

impl Around<'_> {
    /// Returns the instances around a type, each with its source.
    fn of(&self, text: &str, ty: Ty, niche: &Niche) -> Vec<(String, Ty)> {
        let optional = self.instance(self.option, vec![GArg::Ty(ty)]);
        let twice = self.instance(self.option, vec![GArg::Ty(optional)]);
        let mut around = vec![
            (format!("Option<{text}>"), optional),
            (format!("Option<Option<{text}>>"), twice),
        ];
        for bytes in niche.beside() {
            let args = vec![
                GArg::Ty(ty),
                GArg::Const(Box::new(Const::Value(bytes.into()))),
            ];
            let item = self.wrapper.get(&Name::new("Beside")).copied();
            around.push((
                format!("Beside<{text}, {bytes}>"),
                self.instance(item, args),
            ));
        }
        for units in niche.units() {
            let name = format!("Units{units}");
            let item = self.wrapper.get(&Name::new(&name)).copied();
            let ty = self.instance(item, vec![GArg::Ty(ty)]);
            around.push((format!("{name}<{text}>"), ty));
        }
        around
    }

    fn instance(&self, item: Option<ItemId>, args: Vec<GArg>) -> Ty {
        match item {
            Some(item) => self.db.types.intern(TyKind::Adt(item, args.into())),
            None => self.db.types.unit(),
        }
    }
}

/// The niche of a type, in bytes.
struct Niche {
    /// The larger part of the type outside the niche, before or after it.
    beside: u64,
    /// Number of values of the niche.
    available: u128,
}

impl Niche {
    /// Returns the niche of a type; `None` if its layout is unknown.
    fn of(db: &Db<'static>, layouts: &Layouts<'static>, ty: Ty) -> Option<Niche> {
        let extent = layouts.extent(db, ty).ok()?;
        let niche = layouts.view(db, ty).ok()?.niche;
        Some(match niche {
            None => Niche {
                beside: 0,
                available: 0,
            },
            Some(niche) => Niche {
                beside: niche.offset.max(extent.size - niche.offset - niche.size),
                available: niche.available,
            },
        })
    }

    /// Returns lengths of byte arrays that just fit beside the niche, and just do not.
    fn beside(&self) -> [u64; 2] {
        [self.beside, self.beside + 1]
    }

    /// Returns numbers of variants that just fit into the niche, and just do not.
    fn units(&self) -> [u128; 2] {
        let units = self.available.clamp(1, MOST_UNITS);
        [units, units + 1]
    }
}

pub fn lower(db: &Db, module: ModId, text: &str) -> Ty {
    let source = db
        .sources
        .add(format!("<{text}>").into(), text.to_owned(), None);
    match crate::lower::ty(&source, 0..text.len()) {
        Ok(ty) => db.lower(&ty, &Env::plain(module)),
        Err(e) => db
            .types
            .unknown(crate::resolve::Unknown::because(e.message)),
    }
}

/// Returns the types of a module, in order.
fn adts(db: &Db, module: ModId) -> Vec<ItemId> {
    db.open(module);
    db.module(module).scope.read().adts.clone()
}
