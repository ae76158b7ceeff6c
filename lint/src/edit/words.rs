//! What names a changed field or its constructor where bodies are not read: tests, macros, code
//! that this build leaves out. Whatever is found there and is not understood is not edited.

use super::mentions::{Mentions, is_call};
use super::text::Tokens;
use super::uses::{OF_BOXES, PRINT};
use super::{Buffer, Editor, Shape, Work, docs};
use crate::infer::body::FieldId;
use crate::infer::effects::Effect;
use crate::ir::body::{ExprKind, PatKind};
use crate::ir::{self, ItemKind, Style, Vis};
use crate::lower::{Kind, Token};
use crate::memo::Memo;
use crate::name::Name;
use crate::project::{Crate, CrateKind};
use crate::resolve::{ModId, Seen};
use crate::seen;
use crate::source::read;
use crate::span::{FileId, Span};
use crate::spread::spread;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Folders of a package deeper than this are not looked into.
const DEEPEST: usize = 24;

/// Files that a thread looks through at a time.
const FILES: usize = 16;

/// Words of the files of the workspace that are looked for.
#[derive(Default)]
pub(super) struct Words {
    /// By word: files that have it.
    files: FxHashMap<Name, Vec<FileId>>,
    /// By path: the modules that are read from it, one in each crate.
    modules: FxHashMap<PathBuf, Vec<ModId>>,
    /// Where a body that was read names something of which it is known what it is.
    known: FxHashSet<(FileId, u32)>,
    /// What each file may name, made when it is first asked for; and without what is quoted in it.
    mentions: Memo<(FileId, bool), Arc<OnceLock<Arc<Mentions>>>>,
    /// The examples of each file, likewise.
    examples: Memo<FileId, Arc<docs::Examples>>,
}

impl Words {
    pub(super) fn find(editor: &Editor) -> Words {
        let mut words = Words::default();
        let db = editor.model.db;
        let mut folders: Vec<&Path> = Vec::new();
        for id in &db.project.selected {
            let krate = db.project.krate(*id);
            folders.extend(krate.manifest_path.parent());
        }
        folders.sort();
        folders.dedup();
        let mut list = Vec::new();
        for folder in &folders {
            files(
                folder,
                &folders,
                db.project.target_dir.as_path(),
                0,
                &mut list,
            );
        }
        list.sort();
        list.dedup();
        let wanted = editor.wanted.iter().map(|name| (name.as_str(), *name));
        let wanted: FxHashMap<&str, Name> = wanted.collect();
        let found = spread(list, FILES, |path| {
            let bytes = read::bytes(&path).ok()?;
            let here = words_in(&String::from_utf8_lossy(&bytes), &wanted);
            let file = (!here.is_empty()).then(|| db.sources.load(&path).ok());
            Some((file??.id, here))
        });
        for (file, here) in found.into_iter().flatten() {
            for word in here {
                words.files.entry(word).or_default().push(file);
            }
        }
        words.understood(editor);
        for krate in &editor.crates {
            for module in db.all_modules(krate.0) {
                let file = db.module(module).file.clone();
                let of_file = file.map(|file| words.modules.entry(file).or_default());
                of_file.into_iter().for_each(|list| list.push(module));
            }
        }
        words
    }

    /// The modules that are read from a file.
    pub(super) fn modules_of(&self, file: &Path) -> &[ModId] {
        self.modules.get(file).map_or(&[], Vec::as_slice)
    }

    /// Files that have one of some words, each once.
    fn files_with(&self, names: &[Name]) -> Vec<FileId> {
        let lists = names.iter().filter_map(|name| self.files.get(name));
        let mut files: Vec<FileId> = lists.flatten().copied().collect();
        if names.len() > 1 {
            files.sort_unstable();
            files.dedup();
        }
        files
    }

    /// Where one of some words stands, which are among those that are looked for.
    pub(super) fn named(&self, editor: &Editor, names: &[&str]) -> Vec<Span> {
        let mut list = Vec::new();
        for name in names {
            for &file in self.files.get(&Name::new(name)).into_iter().flatten() {
                let tokens = editor.files.get(&editor.model.db.sources, file);
                let here = (0..tokens.list.len()).filter(|&i| tokens.str(i) == *name);
                list.extend(here.map(|i| Span {
                    file,
                    start: tokens.list[i].start,
                    end: tokens.list[i].end,
                }));
            }
        }
        list
    }

    /// What a file may name. With `quotes` its text for other crates names nothing of its own.
    fn mentions(
        &self,
        editor: &Editor,
        tokens: &Tokens,
        file: FileId,
        quotes: bool,
    ) -> Arc<Mentions> {
        let key = (file, quotes);
        let known = self.mentions.get(&key);
        let mentions = known.unwrap_or_else(|| self.mentions.keep(key, Arc::default()));
        // As with its tokens, one thread walks over a file.
        let find = || Mentions::find(tokens, file, quotes, &editor.wanted, &self.known);
        mentions.get_or_init(|| Arc::new(find())).clone()
    }

    fn examples(&self, editor: &Editor, file: FileId) -> Arc<docs::Examples> {
        self.examples.get(&file).unwrap_or_else(|| {
            let tokens = editor.files.get(&editor.model.db.sources, file);
            let found = docs::Examples::of(&tokens.source.text);
            self.examples.keep(file, Arc::new(found))
        })
    }

    /// True if something that is seen so may be named in a file. One that no module is read from
    /// can be a part of those in whose folder it lies.
    fn may_name(&self, editor: &Editor, seen: Seen, file: &Path) -> bool {
        let db = editor.model.db;
        let Seen::Within(of) = seen else { return true };
        match self.modules.get(file) {
            Some(list) => list
                .iter()
                .any(|&m| db.visible(seen, m) || db.visible(Seen::Within(m), of)),
            None => file.starts_with(&*db.module(of).dir),
        }
    }

    /// Notes what is known of the words in bodies.
    fn understood(&mut self, editor: &Editor) {
        let sources = &editor.model.db.sources;
        let mut known = Vec::new();
        for typed in &editor.usage.bodies {
            for (_, node, fact) in typed.exprs() {
                let name = match &node.kind {
                    ExprKind::Field(_, name) => *name,
                    ExprKind::Path(path) if fact.target.is_some() => last(path),
                    ExprKind::Struct(path, ..) if fact.target.is_some() => {
                        known.push((last(path), path.span));
                        continue;
                    }
                    _ => continue,
                };
                known.push((name, node.span));
            }
            for (id, node) in typed.function.body.pats() {
                let fact = typed.pat(id);
                if !fact.live || fact.ctor.is_none() {
                    continue;
                }
                let path = match &node.kind {
                    PatKind::Path(path) => path,
                    PatKind::TupleStruct(path, _) | PatKind::Struct(path, ..) => path,
                    PatKind::Bind { name, .. } => {
                        known.push((*name, node.span));
                        continue;
                    }
                    _ => continue,
                };
                known.push((last(path), path.span));
            }
        }
        for (name, span) in known {
            if !editor.wanted.contains(&name) {
                continue;
            }
            let (real, written) = sources.origin(span);
            if !written {
                continue;
            }
            // The last of that name in it: a path may have it twice.
            let tokens = editor.files.get(sources, real.file);
            let range = tokens.at(real.start)..tokens.at(real.end);
            let found = range.rev().find(|&i| tokens.str(i) == name.as_str());
            if let Some(i) = found {
                self.known.insert((real.file, tokens.list[i].start));
            }
        }
    }
}

/// Those of some words that stand in a text.
fn words_in(text: &str, wanted: &FxHashMap<&str, Name>) -> FxHashSet<Name> {
    // What ends a word is plain among these letters alone.
    if !text.is_ascii() {
        let here = wanted.iter().filter(|(word, _)| text.contains(**word));
        return here.map(|(_, name)| *name).collect();
    }
    let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'_';
    let words = text.as_bytes().split(ends);
    let words = words.filter_map(|word| std::str::from_utf8(word).ok());
    words.filter_map(|word| wanted.get(word).copied()).collect()
}

fn last(path: &ir::Path) -> Name {
    path.segments
        .last()
        .map_or_else(|| Name::new(""), |s| s.name)
}

/// The Rust files of a package, without those of packages inside it, and of what links lead to.
fn files(folder: &Path, packages: &[&Path], target: &Path, depth: usize, list: &mut Vec<PathBuf>) {
    let Ok(names) = seen::names(folder) else {
        return;
    };
    for name in names {
        let path = folder.join(&name);
        let hidden = name.to_string_lossy().starts_with('.');
        if path.extension().is_some_and(|e| e == "rs") {
            list.extend(seen::is_file(&path).then_some(path));
        } else if !hidden && name != "target" && depth < DEEPEST && path != target {
            let inside = || {
                let real = seen::real(folder).ok()?.join(&name);
                (seen::real(&path).ok()? == real).then_some(())
            };
            let other = || {
                let manifest = seen::is_file(&path.join("Cargo.toml"));
                manifest && !packages.contains(&path.as_path())
            };
            if seen::is_dir(&path) && inside().is_some() && !other() {
                files(&path, packages, target, depth + 1, list);
            }
        }
    }
}

impl Work<'_> {
    /// True if what stands behind a name of a field, at token `i`, does as well when it is changed.
    fn fits_as_it_is(&self, tokens: &Tokens, i: usize, id: FieldId) -> bool {
        let Some(shape) = self.changed.get(&id) else {
            return false;
        };
        if tokens.is(i + 1, b'[') {
            return matches!(shape, Shape::Boxed | Shape::Frozen(_));
        }
        let printed = is_printed(tokens, i);
        if !tokens.is(i + 1, b'.') || !tokens.is_ident(i + 2) {
            let looped = *shape == Shape::Frozen(Buffer::Vec) && self.is_looped(tokens, i, id);
            return printed || looped;
        }
        let name = tokens.str(i + 2);
        match (shape, is_call(tokens, i + 3)) {
            (Shape::Boxed, called) => !called || !OF_BOXES.contains(&name),
            (Shape::Frozen(_), true) => {
                let name = Name::new(name);
                let effect = self.editor.usage.effect_named(name);
                // What buffers have not is called on another type's field.
                effect == Some(Effect::Reads) || self.editor.usage.is_elsewhere(name)
            }
            (Shape::BoxedInside | Shape::FrozenInside(_), true) => {
                matches!(name, "is_some" | "is_none")
            }
            _ => false,
        }
    }

    /// True for `for x in &y.field {`, which takes a boxed slice too since Rust 1.80.
    fn is_looped(&self, tokens: &Tokens, i: usize, id: FieldId) -> bool {
        let db = self.editor.model.db;
        let krate = db.krate(db.krate_of(db.item(id.adt).module)).id;
        let supported = krate.is_some_and(|k| !db.project.krate(k).supports_before(80));
        let start = receiver(tokens, i);
        supported
            && db.project.target.minor >= 80
            && tokens.is(i + 1, b'{')
            && start >= 2
            && tokens.is(start - 1, b'&')
            && tokens.str(start - 2) == "in"
    }

    /// Leaves what names a changed field and is not understood.
    pub(super) fn outside(&mut self, ids: &[FieldId]) {
        let editor = self.editor;
        let words = editor.words();
        let db = editor.model.db;
        let mut done: FxHashSet<(Span, Name, Name)> = FxHashSet::default();
        let definition = |id: FieldId| db.sources.origin(db.item(id.adt).item.span).0;
        // Who sees any of them, by definition: in each target.
        let mut seen: FxHashMap<Span, FxHashSet<Seen>> = FxHashMap::default();
        for &id in ids {
            seen.entry(definition(id))
                .or_default()
                .extend(editor.seen(id));
        }
        for &id in ids {
            let Some((variant, field)) = editor.field(id) else {
                continue;
            };
            let item = db.item(id.adt).item;
            let definition = definition(id);
            if !done.insert((definition, variant.name, field.name)) {
                continue;
            }
            let krate = db.krate(db.krate_of(db.item(id.adt).module));
            let serves = krate.id.map(|k| db.project.krate(k));
            let exported = editor
                .infos
                .get(&id.adt)
                .is_some_and(|info| editor.model.exports(info, None));
            if exported && serves.is_some_and(|k| k.used_unread) {
                self.leave(item.name_span, "is used by packages that are not selected");
            }
            let ItemKind::Adt(adt) = &item.kind else {
                continue;
            };
            let of = Searched {
                ty: item.name,
                variant: variant.name,
                field: field.name,
                style: variant.style,
                is_enum: adt.kind == ir::AdtKind::Enum,
                idle: self.changed.contains_key(&id),
            };
            let quotes = serves.is_some_and(|k| k.kind == CrateKind::ProcMacro);
            let seen = &seen[&definition];
            let mut found = Vec::new();
            for file in words.files_with(&of.needed()) {
                let tokens = editor.files.get(&db.sources, file);
                let path = &tokens.source.path;
                if !seen.iter().any(|s| words.may_name(editor, *s, path)) {
                    continue;
                }
                let mentions = words.mentions(editor, &tokens, file, quotes);
                let own = |token: &Token| {
                    let inside = definition.start <= token.start && token.end <= definition.end;
                    file == definition.file && inside
                };
                for i in of.find(&tokens, &mentions, |i| self.fits_as_it_is(&tokens, i, id)) {
                    let token = &tokens.list[i];
                    if !own(token) {
                        let (start, end) = (token.start, token.start);
                        found.push((Span { file, start, end }, mentions.is_configured(i)));
                    }
                }
            }
            for (span, elsewhere) in found {
                self.leave_unread(span, elsewhere);
            }
            let library = |k: &Crate| matches!(k.kind, CrateKind::Lib | CrateKind::ProcMacro);
            let public = of.is_enum || field.vis == Vis::Public;
            if serves.is_some_and(library) && public && item.vis == Vis::Public {
                self.in_examples(&of);
            }
        }
    }

    /// Leaves what examples of the documentation name, which see what is public alone.
    fn in_examples(&mut self, of: &Searched) {
        let editor = self.editor;
        let (name, named) = match of.style {
            _ if of.is_enum => (of.variant, docs::Named::Variant(of.variant.as_str())),
            Style::Named => (of.field, docs::Named::Field(of.field.as_str())),
            _ => (of.ty, docs::Named::Called(of.ty.as_str())),
        };
        let words = editor.words();
        for file in words.files_with(&[name]) {
            for start in words.examples(editor, file).places(of.ty.as_str(), &named) {
                let end = start;
                let span = Span { file, start, end };
                self.leave(span, "stands in an example of the documentation");
            }
        }
    }
}

/// What is looked for.
struct Searched {
    ty: Name,
    variant: Name,
    /// Its name; in a tuple its number.
    field: Name,
    style: Style,
    is_enum: bool,
    /// Its fields stay where they are, so that `_` is what it was.
    idle: bool,
}

impl Searched {
    /// Words of which one stands wherever something is found.
    fn needed(&self) -> Vec<Name> {
        match self.style {
            _ if self.is_enum => vec![self.variant],
            Style::Named => vec![self.field],
            _ => vec![self.ty, self.field],
        }
    }

    /// The tokens of a file that may name it in a way that is not known. `fits` is true where what
    /// stands behind a name of the field does as well when that is changed.
    fn find(
        &self,
        tokens: &Tokens,
        mentions: &Mentions,
        fits: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let read = mentions.fields(self.ty, self.field).filter(|&i| !fits(i));
        let mut found: Vec<usize> = match self.style {
            _ if self.is_enum => {
                let named = mentions.variants(self.ty, self.variant);
                let asks = named.filter(|&i| !(self.idle && fits_anything(tokens, i + 1)));
                asks.collect()
            }
            Style::Named => read.chain(mentions.literals(self.ty, self.field)).collect(),
            _ => read.chain(mentions.calls(self.ty)).collect(),
        };
        found.sort_unstable();
        found
    }
}

/// The first token of the names and dots that lead to a field.
fn receiver(tokens: &Tokens, field: usize) -> usize {
    let mut start = field;
    while start >= 2 && tokens.is(start - 1, b'.') && tokens.is_ident(start - 2) {
        start -= 2;
    }
    start
}

/// True for a field that is an argument of a macro that prints.
fn is_printed(tokens: &Tokens, i: usize) -> bool {
    let start = receiver(tokens, i);
    let mut at = start;
    // The group around it.
    while at > 0 {
        at -= 1;
        match tokens.list[at].kind {
            Kind::Close => at = tokens.list[at].mate as usize,
            Kind::Open => break,
            _ => {}
        }
    }
    let ends = tokens.is(i + 1, b',') || tokens.list[at].mate as usize == i + 1;
    let prints = at >= 2 && tokens.is(at - 1, b'!') && PRINT.contains(&tokens.str(at - 2));
    start > 0 && tokens.is(start - 1, b',') && ends && prints
}

/// True if a pattern follows that asks nothing of the only field, or of any: `(_)`, `(..)`, `{ .. }`.
fn fits_anything(tokens: &Tokens, open: usize) -> bool {
    let Some(token) = tokens.list.get(open).filter(|t| t.kind == Kind::Open) else {
        return false;
    };
    let inside = (open + 1..token.mate as usize).map(|i| tokens.str(i));
    let inside: Vec<&str> = inside.take(3).collect();
    matches!(inside[..], ["_"] | [".", "."] | [".."])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_where_what_ends_them_is_plain() {
        let wanted = ["Part", "part", "a1"].map(|word| (word, Name::new(word)));
        let wanted: FxHashMap<&str, Name> = wanted.into_iter().collect();
        let here = |text: &str| {
            let mut here: Vec<_> = words_in(text, &wanted).into_iter().collect();
            here.sort_by_key(|name| name.as_str());
            here.into_iter()
                .map(|name| name.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(here("x.part = Parts::new(r#a1)"), ["a1", "part"]);
        assert_eq!(here("part"), ["part"]);
        assert_eq!(here("// é\nParts::new()"), ["Part"]);
        assert!(here("").is_empty());
    }
}
