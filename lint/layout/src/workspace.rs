//! The library's door: a workspace that is opened once and asked for layouts as plain data.

use crate::analysis::{Analysis, Bodies, NoType, Texts, TypeInfo};
use crate::budget;
use crate::layout::WhatIf;
use crate::layout::adt;
use crate::layout::view::View;
use crate::project::{self, ProjectError, Selection};
use crate::resolve::Unknown;
use crate::resolve::ty::{Ty, TyKind};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// A workspace, read by [`Workspace::open`].
///
/// What is read stays in memory until the process ends: open a workspace once.
pub struct Workspace {
    analysis: Analysis<'static>,
    /// Types are visited recursively: all work is done on its threads, whose stacks are large.
    pool: ThreadPool,
}

/// A struct, enum or union that the selected packages define.
#[derive(Clone, Copy)]
pub struct Type<'w> {
    workspace: &'w Workspace,
    info: &'w TypeInfo,
}

/// The layout of a type. All sizes, alignments and offsets are bytes.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The type, with its arguments.
    #[serde(rename = "type")]
    pub ty: String,
    /// The size of one value.
    pub size: u64,
    /// The alignment.
    pub align: u64,
    /// The variants of an enum; one body for any other type.
    pub variants: Vec<Variant>,
    /// Where an enum stores its discriminant; none if it stores none.
    pub tag: Option<Tag>,
    /// The largest niche that an outer type can use.
    pub niche: Option<Niche>,
    /// Whether the type has no values.
    pub uninhabited: bool,
}

/// A variant of an enum, or the body of another type.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name; that of the type for a struct or union, empty for a tuple or a primitive.
    pub name: String,
    /// Whether it takes no space because it cannot exist.
    pub absent: bool,
    /// The sum of its fields' sizes, without padding and tag.
    pub size: u64,
    /// The bytes of a value that neither its fields nor the tag use.
    pub padding: u64,
    /// The fields in source order.
    pub fields: Vec<Field>,
}

/// A field.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name, or its index in a tuple.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// Its alignment.
    pub align: u64,
}

/// Where an enum stores its discriminant.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// For a discriminant encoded in a niche: the variant whose field has the niche.
    pub niche_of: Option<String>,
}

/// Values of a scalar that a type leaves unused.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Niche {
    /// Its offset.
    pub offset: u64,
    /// Its size.
    pub size: u64,
    /// The number of unused values.
    pub available: u128,
}

/// A hypothetical change of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    field: String,
    to: Option<String>,
}

impl Change {
    /// Gives a field another type: `Change::new("Shape::Path.0", "Box<[Point]>")`. A field is a
    /// path to a type or a variant, a dot, and a name or an index.
    pub fn new(field: impl Into<String>, to: impl Into<String>) -> Change {
        Change {
            field: field.into(),
            to: Some(to.into()),
        }
    }

    /// Removes a field.
    pub fn removal(field: impl Into<String>) -> Change {
        Change {
            field: field.into(),
            to: None,
        }
    }
}

/// Why a workspace could not be read.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// cargo or rustc refuses the project.
    Project(ProjectError),
    /// The target's data layout is not understood.
    Target(String),
    /// No thread can be started.
    Threads(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Project(error) => error.fmt(f),
            OpenError::Target(message) => f.write_str(message),
            OpenError::Threads(message) => write!(f, "cannot start threads: {message}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// Why there is no layout.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// Nothing has this name.
    Missing {
        /// The name.
        name: String,
        /// Paths of the most similar types, best first.
        similar: Vec<String>,
    },
    /// The text is not a type or a field, or more than one is meant; the reason is a sentence.
    Invalid(String),
    /// The layout depends on a generic parameter without an argument.
    Generic {
        /// The type.
        ty: String,
        /// The parameter.
        parameter: String,
    },
    /// The layout is unknown.
    Unknown {
        /// The type.
        ty: String,
        /// Why: a part of a sentence, such as a path that is not found.
        reason: String,
        /// A lower bound for the size, in bytes.
        min_size: u64,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::Missing { name, similar } => {
                write!(f, "there is no type `{name}`")?;
                match similar.first() {
                    Some(first) => write!(f, "; did you mean `{first}`?"),
                    None => Ok(()),
                }
            }
            LayoutError::Invalid(message) => f.write_str(message),
            LayoutError::Generic { ty, parameter } => {
                write!(f, "the layout of `{ty}` depends on `{parameter}`")
            }
            LayoutError::Unknown { ty, reason, .. } => {
                write!(f, "the layout of `{ty}` is unknown: {reason}")
            }
        }
    }
}

impl std::error::Error for LayoutError {}

impl Workspace {
    /// Reads the package or the workspace of a manifest as `cargo build` would build it. cargo and
    /// rustc are asked about it; nothing of it is compiled or run.
    ///
    /// # Errors
    /// cargo refuses the manifest, or the target is not supported.
    pub fn open(manifest: impl AsRef<Path>) -> Result<Workspace, OpenError> {
        Workspace::select(&Selection {
            manifest_path: Some(manifest.as_ref().to_owned()),
            ..Selection::default()
        })
    }

    /// Reads what the flags of a command line select.
    ///
    /// # Errors
    /// cargo refuses the selection, or the target is not supported.
    pub fn select(selection: &Selection) -> Result<Workspace, OpenError> {
        // One thread may wait for what another reads.
        let threads = available_parallelism().map_or(2, |n| n.get().max(2));
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.stack_size(budget::STACK).build();
        let pool = pool.map_err(|e| OpenError::Threads(e.to_string()))?;
        let analysis = pool.install(|| {
            let texts = Texts::early(selection, Bodies::Asked);
            let project = project::load(selection).map_err(OpenError::Project)?;
            Analysis::read(project, &texts).map_err(OpenError::Target)
        });
        Ok(Workspace {
            analysis: analysis?,
            pool,
        })
    }

    /// Returns the types that the selected packages define, by crate, file and position.
    pub fn types(&self) -> impl Iterator<Item = Type<'_>> {
        let types = self.analysis.types().iter();
        types.map(|info| Type {
            workspace: self,
            info,
        })
    }

    /// Returns the layout of a type as written in Rust, such as `Option<Foo<u32>>`. A path may name
    /// a type of the selected packages by its end, or one of std.
    ///
    /// # Errors
    /// The text is no type, or its layout is not known.
    pub fn layout_of(&self, text: &str) -> Result<Layout, LayoutError> {
        self.layout_if(text, &[])
    }

    /// Returns the layout that a type would have after changes, here or in the types it is made of.
    ///
    /// # Errors
    /// A text is no type or no field, or the layout is not known.
    pub fn layout_if(&self, text: &str, changes: &[Change]) -> Result<Layout, LayoutError> {
        self.pool.install(|| {
            let ty = self.named(text)?;
            let mut what_if = WhatIf::default();
            for change in changes {
                let place = self.field(&change.field)?;
                let to = change.to.as_deref().map(|to| self.named(to)).transpose()?;
                what_if.fields.insert(place, to);
            }
            match changes {
                [] => self.layout(ty),
                _ => self.analysis.what_if(what_if, || self.layout(ty)),
            }
        })
    }

    /// Returns what could not be read, one message each, with the file and line where it is known.
    pub fn problems(&self) -> Vec<String> {
        let sources = &self.analysis.db.sources;
        let line = |p: crate::resolve::Problem| match (p.span, p.file) {
            (Some(span), _) => {
                let (path, line) = place(sources, span);
                format!("{}:{line}: {}", path.display(), p.message)
            }
            (None, Some(file)) => format!("{}: {}", file.display(), p.message),
            (None, None) => p.message,
        };
        self.analysis.problems().into_iter().map(line).collect()
    }

    fn named(&self, text: &str) -> Result<Ty, LayoutError> {
        self.analysis.named(text).map_err(|why| match why {
            NoType::Missing(name) => LayoutError::Missing {
                similar: self
                    .analysis
                    .similar(&name)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                name,
            },
            NoType::Wrong(message) => LayoutError::Invalid(message),
        })
    }

    /// Returns the definition, variant and field that a text names.
    fn field(&self, text: &str) -> Result<(crate::resolve::ItemId, usize, usize), LayoutError> {
        let wrong = |why: String| LayoutError::Invalid(format!("`{text}` is not a field: {why}"));
        let Some((owner, name)) = text.rsplit_once('.') else {
            return Err(wrong(
                "write `Type.field` or `Enum::Variant.field`".to_owned(),
            ));
        };
        let (ty, variant) = match (self.named(owner), owner.rsplit_once("::")) {
            (Ok(ty), _) => (ty, None),
            (Err(_), Some((of, variant))) => (self.named(of)?, Some(variant)),
            (Err(why), None) => return Err(why),
        };
        let TyKind::Adt(item, _) = *self.analysis.db.types.kind(ty) else {
            return Err(wrong(format!("`{owner}` has no fields of its own")));
        };
        let shape = adt::shape(self.analysis.db, ty, item);
        let shape = shape.map_err(|why| self.unknown(ty, &why))?;
        let mut variants = shape.variants.iter();
        let found = match variant {
            Some(variant) => variants.find(|v| v.name.as_str() == variant),
            None if shape.variants.len() == 1 => variants.next(),
            None => None,
        };
        let found = found.ok_or_else(|| wrong(format!("`{owner}` is not one variant")))?;
        let mut fields = found.fields.iter();
        match fields.find(|f| f.name.as_str() == name) {
            Some(field) => Ok((item, found.index, field.index)),
            None => Err(wrong(format!("`{owner}` has no field `{name}`"))),
        }
    }

    fn layout(&self, ty: Ty) -> Result<Layout, LayoutError> {
        match self.analysis.view(ty) {
            Ok(view) => Ok(Layout::new(&self.analysis, ty, &view)),
            Err(why) => Err(self.unknown(ty, &why)),
        }
    }

    fn unknown(&self, ty: Ty, why: &Unknown) -> LayoutError {
        let name = self.analysis.db.display(ty);
        match why {
            Unknown::Generic(parameter) => LayoutError::Generic {
                ty: name,
                parameter: parameter.to_string(),
            },
            why => LayoutError::Unknown {
                ty: name,
                reason: self.analysis.reason(why),
                min_size: self.analysis.min_size(ty),
            },
        }
    }
}

impl<'w> Type<'w> {
    /// Returns the name of the crate that defines the type.
    pub fn crate_name(&self) -> &'w str {
        self.workspace
            .analysis
            .db
            .krate(self.info.krate)
            .name
            .as_str()
    }

    /// Returns the path below the crate root.
    pub fn path(&self) -> &'w str {
        &self.info.path
    }

    /// Returns `struct`, `enum` or `union`.
    pub fn kind(&self) -> &'static str {
        self.info.kind.as_str()
    }

    /// Returns the names of the generic parameters; lifetimes are not listed.
    pub fn generics(&self) -> &'w [String] {
        &self.info.generics
    }

    /// Returns the file of the definition, or of the macro call that makes it, and the line,
    /// counted from one.
    pub fn place(&self) -> (PathBuf, usize) {
        place(&self.workspace.analysis.db.sources, self.info.span)
    }

    /// Returns the layout; that of a generic type is known if it does not depend on a parameter.
    ///
    /// # Errors
    /// The layout depends on a parameter, or is unknown.
    pub fn layout(&self) -> Result<Layout, LayoutError> {
        let workspace = self.workspace;
        workspace.pool.install(|| workspace.layout(self.info.ty))
    }
}

impl Layout {
    /// Makes plain data of a layout.
    #[doc(hidden)]
    pub fn new(analysis: &Analysis<'static>, ty: Ty, view: &View) -> Layout {
        let fields = |v: &crate::layout::view::VariantView| {
            let fields = v.fields.iter().map(|f| Field {
                name: f.name.to_string(),
                ty: analysis.db.display(f.ty),
                offset: f.offset,
                size: f.size,
                align: f.align,
            });
            fields.collect()
        };
        let variants = view.variants.iter().map(|v| Variant {
            name: v.name.to_string(),
            absent: v.absent,
            size: v.size,
            padding: match v.absent {
                true => 0,
                false => view.padding(v).iter().map(|gap| gap.size).sum(),
            },
            fields: fields(v),
        });
        Layout {
            ty: analysis.db.display(ty),
            size: view.size,
            align: view.align,
            variants: variants.collect(),
            tag: view.tag.as_ref().map(|t| Tag {
                offset: t.offset,
                size: t.size,
                niche_of: t.niche_of.map(|n| n.to_string()),
            }),
            niche: view.niche.as_ref().map(|n| Niche {
                offset: n.offset,
                size: n.size,
                available: n.available,
            }),
            uninhabited: view.uninhabited,
        }
    }
}

fn place(sources: &crate::source::Sources, span: crate::span::Span) -> (PathBuf, usize) {
    let (span, _) = sources.origin(span);
    let file = sources.get(span.file);
    (file.path.to_path_buf(), file.line_col(span.start).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Compares the keys of an object with those that a schema requires and describes.
    fn compare(value: &Value, schema: &Value) {
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        let told: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys, told);
        let mut required: Vec<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .map(|k| k.as_str().unwrap())
            .collect();
        required.sort_unstable();
        assert_eq!(keys, required);
    }

    #[test]
    fn the_schema_has_every_key() {
        let schema: Value = serde_json::from_str(include_str!("../layout.schema.json")).unwrap();
        let layout = Layout {
            ty: "E".to_owned(),
            size: 16,
            align: 16,
            variants: vec![Variant {
                name: "A".to_owned(),
                absent: false,
                size: 1,
                padding: 14,
                fields: vec![Field {
                    name: "0".to_owned(),
                    ty: "u8".to_owned(),
                    offset: 1,
                    size: 1,
                    align: 1,
                }],
            }],
            tag: Some(Tag {
                offset: 0,
                size: 1,
                niche_of: Some("A".to_owned()),
            }),
            niche: Some(Niche {
                offset: 0,
                size: 16,
                available: u128::MAX - 1,
            }),
            uninhabited: false,
        };
        let text = serde_json::to_string(&layout).unwrap();
        let read: Layout = serde_json::from_str(&text).unwrap();
        assert_eq!(read, layout);
        let value: Value = json!({ "variants": layout.variants, "tag": layout.tag });
        let plain = Layout {
            niche: None,
            ..layout.clone()
        };
        compare(&serde_json::to_value(&plain).unwrap(), &schema);
        let parts = &schema["$defs"];
        compare(&value["variants"][0], &parts["Variant"]);
        compare(&value["variants"][0]["fields"][0], &parts["Field"]);
        compare(&value["tag"], &parts["Tag"]);
        let niche = Niche {
            available: 2,
            ..layout.niche.unwrap()
        };
        compare(&serde_json::to_value(niche).unwrap(), &parts["Niche"]);
    }
}
