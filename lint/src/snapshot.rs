//! The sizes of a workspace as plain data that outlives a run: collected, stored in a file,
//! compared.
//!
//! Compares two snapshots. The files of a revision are read with git's plumbing commands
//! (`ls-tree`, `cat-file`), so that no index is written, no filter runs and no attribute excludes
//! files. They are written below `target/package`, because cargo does not search above that folder
//! for a workspace.

pub mod cause;
pub mod compare;
pub mod file;
pub mod json;
pub mod markdown;
pub mod page;
pub mod revision;
pub mod text;

use crate::ir::AdtKind;
use crate::layout::view::VariantView;
use crate::model::{Model, TypeInfo};
use crate::project::{CrateKind, ExactFor};
use crate::resolve::ItemId;
use crate::resolve::ty::{Const, Ty, TyKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Every type of the selected packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The Rust release whose layouts the sizes match.
    pub rustc: String,
    /// The target triples, in the requested order.
    pub triples: Vec<String>,
    /// True if the project's configuration was ignored.
    pub without_config: bool,
    /// By package, target, kind of target, path and triple; entries with equal keys in source
    /// order.
    pub types: Vec<Entry>,
}

/// A struct, enum or union. All sizes are bytes.
// weigh: allow(unfrozen_vec, reason = "there is one for each type that an author wrote")
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its package.
    pub package: String,
    /// Its target in the package.
    pub target: String,
    /// The kind of that target: `lib`, `bin`, ….
    #[serde(rename = "crate")]
    pub krate: String,
    /// Path relative to the crate root.
    pub path: String,
    /// The triple that its sizes are for; written to a file only if that has several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub triple: String,
    /// `struct`, `enum` or `union`.
    pub kind: String,
    /// Names of its generic parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generics: Vec<String>,
    /// Size of a value in bytes, if known.
    pub size: Option<u64>,
    /// Alignment, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<u64>,
    /// Lower bound of the size, if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_size: Option<u64>,
    /// Why the size is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The fields of a struct or union of known size, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// The variants of an enum of known size, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
}

/// One variant of an enum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Sum of its fields' sizes, without padding or tag.
    pub size: u64,
    /// Its fields, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
}

/// One field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name, or its index.
    pub name: String,
    /// Its type, with only the last segment of each path.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its size, in bytes.
    pub size: u64,
    /// The nearest types of this snapshot that it is or holds by value: a path of the same crate,
    /// or `package/target/kind#path`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
}

impl Entry {
    /// Returns its key, which is unique except for types of the same name in one crate.
    pub fn key(&self) -> Key<'_> {
        (
            &self.package,
            &self.target,
            &self.krate,
            &self.path,
            &self.triple,
        )
    }

    /// Returns the last segment of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }

    /// Returns a lower bound of its size, in bytes.
    pub fn least(&self) -> u64 {
        self.size.or(self.min_size).unwrap_or(0)
    }

    /// Returns the key that an entry of a field's `holds` refers to.
    pub fn held<'e>(&'e self, text: &'e str) -> Key<'e> {
        let elsewhere = text.split_once('#').and_then(|(krate, path)| {
            let mut words = krate.splitn(3, '/');
            let (package, target, kind) = (words.next()?, words.next()?, words.next()?);
            Some((package, target, kind, path, self.triple.as_str()))
        });
        let here = (&*self.package, &*self.target, &*self.krate, text);
        elsewhere.unwrap_or((here.0, here.1, here.2, here.3, &self.triple))
    }

    /// Iterates over all its fields, including those of variants.
    pub fn all_fields(&self) -> impl Iterator<Item = &Field> {
        let of_variants = self.variants.iter().flat_map(|v| &v.fields);
        self.fields.iter().chain(of_variants)
    }
}

/// Package, target, kind of target, path, triple.
pub type Key<'e> = (&'e str, &'e str, &'e str, &'e str, &'e str);

impl Snapshot {
    /// Returns what its sizes are exact for; of several targets the first.
    pub fn exact_for(&self) -> ExactFor<'_> {
        let first = self.triples.first().map_or("", String::as_str);
        ExactFor::new(&self.rustc, first, self.without_config)
    }

    /// Collects the sizes of a workspace for each target that it was read for.
    pub fn of(models: &[Model<'static>]) -> Snapshot {
        let mut all = Snapshot::of_one(&models[0]);
        for model in &models[1..] {
            let other = Snapshot::of_one(model);
            all.triples.extend(other.triples);
            all.types.extend(other.types);
        }
        sort(&mut all.types);
        all
    }

    /// Removes the targets that are not among these.
    pub fn only(&mut self, triples: &[String]) {
        self.types.retain(|t| triples.contains(&t.triple));
        self.triples.retain(|t| triples.contains(t));
    }

    fn of_one(model: &Model<'static>) -> Snapshot {
        let infos = model.types();
        let mut taker = Taker {
            model,
            own: FxHashMap::default(),
            held: FxHashMap::default(),
        };
        for (i, info) in infos.iter().enumerate() {
            taker.own.insert(info.item, i);
        }
        let types: Vec<Entry> = infos.iter().filter_map(|t| taker.entry(t)).collect();
        Snapshot {
            rustc: model.db.project.release.version.clone(),
            triples: vec![model.db.project.target.triple.clone()],
            without_config: model.db.project.without_config,
            types,
        }
    }
}

/// Returns the word for a kind of target.
pub fn kind_of_target(kind: CrateKind) -> &'static str {
    match kind {
        CrateKind::Lib => "lib",
        CrateKind::ProcMacro => "proc-macro",
        CrateKind::Bin => "bin",
        CrateKind::Example => "example",
        CrateKind::Test => "test",
        CrateKind::Bench => "bench",
    }
}

fn sort(types: &mut [Entry]) {
    types.sort_by(|a, b| a.key().cmp(&b.key()));
}

struct Taker<'m> {
    model: &'m Model<'static>,
    /// Indices into [`Model::types`].
    own: FxHashMap<ItemId, usize>,
    /// The nearest types of the workspace that each type is or holds.
    held: FxHashMap<Ty, Rc<[usize]>>,
}

impl Taker<'_> {
    fn entry(&mut self, info: &TypeInfo) -> Option<Entry> {
        let model = self.model;
        let mut entry = Entry {
            path: info.path.clone(),
            kind: info.kind.as_str().to_owned(),
            generics: info.generics.clone(),
            triple: model.db.project.target.triple.clone(),
            ..Entry::default()
        };
        (entry.package, entry.target, entry.krate) = self.krate(info)?;
        match model.extent(info.ty) {
            Ok(extent) => {
                entry.size = Some(extent.size);
                entry.align = Some(extent.align);
                let view = model.view(info.ty).ok();
                for variant in view.iter().flat_map(|v| &v.variants) {
                    let fields = self.fields(info, variant);
                    match info.kind {
                        AdtKind::Enum => entry.variants.push(Variant {
                            name: variant.name.to_string(),
                            size: variant.size,
                            fields,
                        }),
                        _ => entry.fields = fields,
                    }
                }
            }
            Err(why) => {
                entry.min_size = Some(model.min_size(info.ty));
                entry.reason = Some(model.reason(&why));
            }
        }
        Some(entry)
    }

    /// Returns package, target and kind of target.
    fn krate(&self, info: &TypeInfo) -> Option<(String, String, String)> {
        let id = self.model.db.krate(info.krate).id?;
        let krate = self.model.db.project.krate(id);
        let kind = kind_of_target(krate.kind);
        let (package, target) = (krate.package.clone(), krate.target_name.clone());
        Some((package, target, kind.to_owned()))
    }

    fn fields(&mut self, of: &TypeInfo, variant: &VariantView) -> Vec<Field> {
        let fields = variant.fields.iter().map(|field| {
            let held = self.held(field.ty);
            let mut holds: Vec<String> = held.iter().filter_map(|&i| self.spelled(of, i)).collect();
            holds.sort();
            holds.dedup();
            Field {
                name: field.name.to_string(),
                ty: self.model.db.display(field.ty),
                size: field.size,
                holds,
            }
        });
        fields.collect()
    }

    /// Formats a type as a field of `of` refers to it.
    fn spelled(&self, of: &TypeInfo, held: usize) -> Option<String> {
        let held = &self.model.types()[held];
        if held.krate == of.krate {
            return Some(held.path.clone());
        }
        let (package, target, kind) = self.krate(held)?;
        Some(format!("{package}/{target}/{kind}#{}", held.path))
    }

    fn held(&mut self, ty: Ty) -> Rc<[usize]> {
        if let Some(held) = self.held.get(&ty) {
            return held.clone();
        }
        let mut found = Vec::new();
        match self.model.db.types.kind(ty) {
            TyKind::Adt(item, _) => match self.own.get(item) {
                Some(&own) => found.push(own),
                None => {
                    let view = self.model.view(ty).ok();
                    let variants = view.iter().flat_map(|v| &v.variants);
                    variants
                        .flat_map(|v| &v.fields)
                        .for_each(|f| found.extend(self.held(f.ty).iter()));
                }
            },
            TyKind::Tuple(list) => list.iter().for_each(|t| found.extend(self.held(*t).iter())),
            TyKind::Array(element, Const::Value(1..)) => found.extend(self.held(*element).iter()),
            _ => {}
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[usize]> = found.into();
        self.held.insert(ty, found.clone());
        found
    }
}
