//! `cargo weigh layout`: finds types by what the user wrote, and draws them.

use super::{FAILED, Terminal, print_problems, read};
use crate::check;
use crate::draw::{self, Signs};
use crate::layout::view::View;
use crate::model::Model;
use crate::name::Name;
use crate::project::Selection;
use crate::resolve::ModId;
use crate::resolve::ty::{Const, GArg, Ty, TyKind};
use crate::resolve::types::Env;
use serde::Serialize;
use std::io::IsTerminal;

/// Words that may stand in a type and are no path.
const KEYWORDS: &[&str] = &["as", "const", "dyn", "extern", "fn", "for", "mut", "unsafe"];

/// More names than these are not offered.
const MOST_NAMES: usize = 5;

#[derive(Serialize)]
struct Json<'m> {
    #[serde(rename = "type")]
    ty: String,
    rustc: &'m str,
    triple: &'m str,
    size: u64,
    align: u64,
    variants: Vec<JsonVariant>,
    tag: Option<JsonTag>,
    niche: Option<JsonNiche>,
    uninhabited: bool,
}

#[derive(Serialize)]
struct JsonVariant {
    name: &'static str,
    absent: bool,
    size: u64,
    padding: u64,
    fields: Vec<JsonField>,
}

#[derive(Serialize)]
struct JsonField {
    name: &'static str,
    #[serde(rename = "type")]
    ty: String,
    offset: u64,
    size: u64,
    align: u64,
}

#[derive(Serialize)]
struct JsonTag {
    offset: u64,
    size: u64,
    niche_of: Option<&'static str>,
}

#[derive(Serialize)]
struct JsonNiche {
    offset: u64,
    size: u64,
    available: u128,
}

pub(super) fn run(
    terminal: &Terminal,
    selection: &Selection,
    json: bool,
    types: &[String],
) -> Result<u8, String> {
    let model = read(terminal, selection)?;
    let signs = match std::io::stdout().is_terminal() && !terminal.writes_a_file() {
        true => Signs::BLOCKS,
        false => Signs::ASCII,
    };
    let mut text = String::new();
    let mut errors = Vec::new();
    for written in types {
        let found = find(&model, written).and_then(|ty| {
            let view = model.view(ty);
            let view = view.map_err(|why| unknown(&model, written, ty, &model.reason(&why)))?;
            Ok((ty, view))
        });
        match found {
            Ok((ty, view)) if json => {
                let line = serde_json::to_string(&object(&model, ty, &view));
                text.push_str(&line.map_err(|e| e.to_string())?);
                text.push('\n');
            }
            Ok((ty, view)) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                let name = model.db.display(ty);
                text.push_str(&draw::draw(&name, &view, signs, |f| model.db.display(f.ty)));
            }
            Err(message) => errors.push(message),
        }
    }
    if !json && !text.is_empty() {
        let exactness = crate::report::exactness(model.db.project);
        text.push_str(&format!("{exactness}\n"));
    }
    let status = print_problems(terminal, &model, &check::problems(&model));
    terminal.write(text.as_bytes(), &model.db.project.target_dir.join("weigh"))?;
    for error in &errors {
        terminal.error(error);
    }
    Ok(match errors.is_empty() {
        true => status,
        false => FAILED,
    })
}

fn unknown(model: &Model<'static>, written: &str, ty: Ty, reason: &str) -> String {
    let generics = model
        .types()
        .iter()
        .find(|t| t.ty == ty)
        .map(|t| &t.generics[..]);
    match generics {
        Some(list @ [_, ..]) => format!(
            "the layout of `{written}` {reason}\nhelp: write it with arguments, `{written}<{}>`",
            vec!["…"; list.len()].join(", ")
        ),
        _ => format!("the layout of `{written}` is not known: {reason}"),
    }
}

fn object<'m>(model: &'m Model<'static>, ty: Ty, view: &View) -> Json<'m> {
    let variants = view.variants.iter().map(|v| JsonVariant {
        name: v.name.as_str(),
        absent: v.absent,
        size: v.size,
        padding: match v.absent {
            true => 0,
            false => draw::padding(view, v).iter().map(|g| g.size).sum(),
        },
        fields: v
            .fields
            .iter()
            .map(|f| JsonField {
                name: f.name.as_str(),
                ty: model.db.display(f.ty),
                offset: f.offset,
                size: f.size,
                align: f.align,
            })
            .collect(),
    });
    Json {
        ty: model.db.display(ty),
        rustc: &model.db.project.release.version,
        triple: &model.db.project.target.triple,
        size: view.size,
        align: view.align,
        variants: variants.collect(),
        tag: view.tag.as_ref().map(|t| JsonTag {
            offset: t.offset,
            size: t.size,
            niche_of: t.niche_of.map(|n| n.as_str()),
        }),
        niche: view.niche.as_ref().map(|n| JsonNiche {
            offset: n.offset,
            size: n.size,
            available: n.available,
        }),
        uninhabited: view.uninhabited,
    }
}

/// The type that a text means: a path of a type of the workspace, a type as its crate root would
/// understand it, or one in which paths are shortened to their ends.
fn find(model: &Model<'static>, written: &str) -> Result<Ty, String> {
    let types = model.types();
    let plain = written.strip_prefix("crate::").unwrap_or(written);
    if let Some(info) = types.iter().find(|t| t.path == plain) {
        return Ok(info.ty);
    }
    if let Some(ty) = parse(model, written)? {
        return Ok(ty);
    }
    let mut completed = Completed::default();
    completed.text(model, written)?;
    for id in &model.db.project.selected {
        let module = completed.module.unwrap_or_else(|| model.db.root(id.0));
        let env = Env {
            module,
            params: &completed.names,
            self_ty: None,
            item: None,
        };
        let ty = lowered(model, &completed.text, &env)?;
        if !holds_unknown(model, ty) {
            return Ok(ty);
        }
    }
    let wrong = completed.missing.as_deref().unwrap_or(plain);
    Err(format!(
        "there is no type `{wrong}`{}",
        nearest(model, wrong)
    ))
}

/// The type as the root of the first selected crate that understands it does.
fn parse(model: &Model<'static>, text: &str) -> Result<Option<Ty>, String> {
    for id in &model.db.project.selected {
        let ty = lowered(model, text, &Env::plain(model.db.root(id.0)))?;
        if !holds_unknown(model, ty) {
            return Ok(Some(ty));
        }
    }
    Ok(None)
}

fn lowered(model: &Model<'static>, text: &str, env: &Env) -> Result<Ty, String> {
    let db = model.db;
    let source = db
        .sources
        .add(format!("<{text}>").into(), text.to_owned(), None);
    let ty = crate::lower::ty(&source, 0..text.len());
    let ty = ty.map_err(|e| format!("`{text}` is no type: {}", e.message))?;
    Ok(db.lower(&ty, env))
}

/// A text in which types of the workspace that only their own module may name have other names.
#[derive(Default)]
struct Completed {
    text: String,
    /// What those names stand for.
    names: Vec<(Name, GArg)>,
    /// The module to read the text in.
    module: Option<ModId>,
    /// A path that leads nowhere.
    missing: Option<String>,
}

impl Completed {
    fn text(&mut self, model: &Model<'static>, written: &str) -> Result<(), String> {
        let in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let mut rest = written;
        while !rest.is_empty() {
            let end = rest.find(|c| !in_path(c)).unwrap_or(rest.len());
            let (word, tail) = rest.split_at(end);
            let is_path = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
            match is_path && !KEYWORDS.contains(&word) {
                true => self.word(model, word)?,
                false => self.text.push_str(word),
            }
            let mut chars = tail.chars();
            self.text.extend(chars.next());
            rest = chars.as_str();
        }
        Ok(())
    }

    fn word(&mut self, model: &Model<'static>, word: &str) -> Result<(), String> {
        let types = model.types();
        if let Some(ty) = parse(model, word)? {
            self.bind(ty);
            return Ok(());
        }
        if is_name(model, word)? {
            self.text.push_str(word);
            return Ok(());
        }
        match &ending(model, word.strip_prefix("crate::").unwrap_or(word))[..] {
            [] => {
                self.missing.get_or_insert_with(|| word.to_owned());
                self.text.push_str(word);
            }
            [one] if types[*one].generics.is_empty() => {
                let name = format!("__Type{}", self.names.len());
                self.text.push_str(&name);
                self.names
                    .push((Name::new(&name), GArg::Ty(types[*one].ty)));
            }
            // Its arguments follow: read all of it where the type is at home.
            [one] => {
                let last = word.rsplit("::").next().unwrap_or(word);
                self.text.push_str(last);
                self.module = Some(model.db.item(types[*one].item).module);
            }
            several => {
                let paths = several.iter().map(|&i| format!("  {}", types[i].path));
                return Err(format!(
                    "`{word}` may be one of several types; write more of the path:\n{}",
                    paths.collect::<Vec<_>>().join("\n")
                ));
            }
        }
        Ok(())
    }

    /// A name that stands for a type, whatever the module.
    fn bind(&mut self, ty: Ty) {
        let name = format!("__Type{}", self.names.len());
        self.text.push_str(&name);
        self.names.push((Name::new(&name), GArg::Ty(ty)));
    }
}

/// True for a path to a type that wants arguments.
fn is_name(model: &Model<'static>, word: &str) -> Result<bool, String> {
    for id in &model.db.project.selected {
        let ty = lowered(model, word, &Env::plain(model.db.root(id.0)))?;
        if !matches!(model.db.types.kind(ty), TyKind::Unknown(_)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn holds_unknown(model: &Model<'static>, ty: Ty) -> bool {
    let types = &model.db.types;
    match types.kind(ty) {
        TyKind::Unknown(_) => true,
        TyKind::Adt(_, args) => args.iter().any(|a| match a {
            GArg::Ty(t) => holds_unknown(model, *t),
            GArg::Const(c) => matches!(**c, Const::Unknown(_)),
        }),
        TyKind::Ref(t, _) | TyKind::Ptr(t, _) | TyKind::Slice(t) => holds_unknown(model, *t),
        TyKind::Array(t, n) => matches!(n, Const::Unknown(_)) || holds_unknown(model, *t),
        TyKind::Tuple(list) => list.iter().any(|t| holds_unknown(model, *t)),
        _ => false,
    }
}

/// Indices of the types whose path ends so; one that several targets share counts once.
pub(super) fn ending(model: &Model<'static>, text: &str) -> Vec<usize> {
    let types = model.types();
    let mut found: Vec<usize> = Vec::new();
    for (i, info) in types.iter().enumerate() {
        let head = info.path.strip_suffix(text);
        let fits = head.is_some_and(|h| h.is_empty() || h.ends_with("::"));
        if fits && !found.iter().any(|&f| types[f].span == info.span) {
            found.push(i);
        }
    }
    found
}

/// The names most like a name that does not exist.
pub(super) fn nearest(model: &Model<'static>, wrong: &str) -> String {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_lowercase();
    let wanted = last(wrong);
    let mut near: Vec<(f64, &str)> = model
        .types()
        .iter()
        .map(|t| {
            (
                strsim::jaro_winkler(&wanted, &last(&t.path)),
                t.path.as_str(),
            )
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.truncate(MOST_NAMES);
    match near.is_empty() {
        true => "\nhelp: `cargo weigh sizes` lists the types there are".to_owned(),
        false => {
            let names: Vec<_> = near.iter().map(|(_, name)| format!("  {name}")).collect();
            format!("; the nearest names are:\n{}", names.join("\n"))
        }
    }
}
