//! Finds mentions of changed fields and their constructors outside of the bodies that are read: in
//! macros, and in code that this build does not compile. Mentions that are not resolved prevent a
//! complete edit.

use super::mentions::{Mentions, is_call};
use super::text::Tokens;
use super::{Buffer, Editor, Shape, Work, docs};
use crate::flow::prints;
use crate::infer::body::FieldId;
use crate::infer::effects::Effect;
use crate::infer::marks::Mark;
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
use crate::wanted_words::WantedWords;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Maximum depth of a package's folders.
const DEEPEST: usize = 24;

/// Number of files that a thread scans at a time.
const FILES: usize = 16;

/// The words of the workspace's files that may mention a changed field.
#[derive(Default)]
pub(super) struct Words {
    /// The files that contain a word.
    files: FxHashMap<Name, Vec<FileId>>,
    /// The modules of each file, one for each crate.
    modules: FxHashMap<PathBuf, Vec<ModId>>,
    /// Tokens in bodies that are resolved.
    known: FxHashSet<(FileId, u32)>,
    /// The mentions in each file, computed on demand; with and without quoted code.
    mentions: Memo<(FileId, bool), Arc<OnceLock<Arc<Mentions>>>>,
    /// The documentation examples in each file, computed on demand.
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
        let wanted = WantedWords::new(editor.wanted.iter().map(|name| name.as_str()));
        let found = spread(list, FILES, |path| {
            let bytes = read::bytes(&path).ok()?;
            let here = match std::str::from_utf8(&bytes) {
                Ok(text) => words_in(text, &wanted),
                Err(_) => words_in(&String::from_utf8_lossy(&bytes), &wanted),
            };
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

    /// Returns the modules whose file this is.
    pub(super) fn modules_of(&self, file: &Path) -> &[ModId] {
        self.modules.get(file).map_or(&[], Vec::as_slice)
    }

    /// Returns the files that contain one of some words.
    fn files_with(&self, names: &[Name]) -> Vec<FileId> {
        let lists = names.iter().filter_map(|name| self.files.get(name));
        let mut files: Vec<FileId> = lists.flatten().copied().collect();
        if names.len() > 1 {
            files.sort_unstable();
            files.dedup();
        }
        files
    }

    /// Returns the places of some words, which must be among the wanted ones.
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

    /// Returns the mentions in a file. With `quotes`, code inside `quote!` is ignored.
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
        // One thread scans a file and the others wait.
        let find = || Mentions::find(tokens, file, quotes, &editor.wanted, &self.known);
        mentions.get_or_init(|| Arc::new(find())).clone()
    }

    /// Returns true if some macro call may name a variant of an enum without the enum.
    fn give_variants(&self, editor: &Editor, ty: Name) -> bool {
        self.files_with(&[ty]).into_iter().any(|file| {
            let tokens = editor.files.get(&editor.model.db.sources, file);
            let mentions = self.mentions(editor, &tokens, file, false);
            mentions.gives_variants(ty)
        })
    }

    fn examples(&self, editor: &Editor, file: FileId) -> Arc<docs::Examples> {
        self.examples.get(&file).unwrap_or_else(|| {
            let tokens = editor.files.get(&editor.model.db.sources, file);
            let found = docs::Examples::of(&tokens.source, &editor.wanted);
            self.examples.keep(file, Arc::new(found))
        })
    }

    /// Returns true if something with this visibility can be named in a file. A file of no module
    /// is assumed to belong to the modules in whose folder it is.
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

    /// Records the tokens that bodies resolve.
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
            // The last occurrence of the name: a path may contain it twice.
            let tokens = editor.files.get(sources, real.file);
            let range = tokens.at(real.start)..tokens.at(real.end);
            let found = range.rev().find(|&i| tokens.str(i) == name.as_str());
            if let Some(i) = found {
                self.known.insert((real.file, tokens.list[i].start));
            }
        }
    }
}

/// Returns the wanted words that occur in a text, and some that are parts of words outside of
/// ASCII.
fn words_in(text: &str, wanted: &WantedWords) -> FxHashSet<Name> {
    let mut here: FxHashSet<&str> = wanted.found_in(text).collect();
    if !text.is_ascii() {
        let others = wanted.iter().filter(|word| !word.is_ascii());
        here.extend(others.filter(|word| text.contains(word)));
    }
    here.into_iter().map(Name::new).collect()
}

fn last(path: &ir::Path) -> Name {
    path.segments
        .last()
        .map_or_else(|| Name::new(""), |s| s.name)
}

/// Collects the Rust files of a package, without nested packages and linked folders.
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
    /// Returns true if the code after a field access, at token `i`, also accepts the new type.
    fn fits_as_it_is(&self, tokens: &Tokens, i: usize, id: FieldId) -> bool {
        let Some(shape) = self.changed.get(&id) else {
            return false;
        };
        if tokens.is(i + 1, b'[') {
            return matches!(shape, Shape::Boxed | Shape::Frozen(_));
        }
        let printed = is_printed(tokens, i);
        // None of the old and new types that do not lead to their contents has a field.
        let numbered = tokens
            .list
            .get(i + 2)
            .is_some_and(|t| t.kind == Kind::Number);
        if tokens.is(i + 1, b'.') && numbered {
            return true;
        }
        if !tokens.is(i + 1, b'.') || !tokens.is_ident(i + 2) {
            let looped = *shape == Shape::Frozen(Buffer::Vec) && self.is_looped(tokens, i, id);
            return printed || looped;
        }
        let name = tokens.str(i + 2);
        match (shape, is_call(tokens, i + 3)) {
            (_, false) => name != "await",
            (Shape::Boxed, true) => !self.editor.usage.is_marked(Name::new(name), Mark::OfBoxes),
            (Shape::FrozenInside(_), true) if name == "as_deref" => true,
            (Shape::Frozen(_), true) => {
                let name = Name::new(name);
                let effect = self.editor.usage.effect_named(name);
                // Buffers have no such method, so the field belongs to another type.
                effect == Some(Effect::Reads) || self.editor.usage.is_elsewhere(name)
            }
            (Shape::BoxedInside | Shape::FrozenInside(_), true) => {
                matches!(name, "is_some" | "is_none")
            }
            _ => false,
        }
    }

    /// Returns true for `for x in &y.field {`: since Rust 1.80 it accepts a boxed slice.
    fn is_looped(&self, tokens: &Tokens, i: usize, id: FieldId) -> bool {
        let db = self.editor.model.db;
        let start = receiver(tokens, i);
        self.boxes_iterate(db.krate_of(db.item(id.adt).module))
            && tokens.is(i + 1, b'{')
            && start >= 2
            && tokens.is(start - 1, b'&')
            && tokens.str(start - 2) == "in"
    }

    /// Reports mentions of changed fields that are not resolved.
    pub(super) fn outside(&mut self, ids: &[FieldId]) {
        let editor = self.editor;
        let words = editor.words();
        let db = editor.model.db;
        let mut done: FxHashSet<(Span, Name, Name)> = FxHashSet::default();
        let definition = |id: FieldId| db.sources.origin(db.item(id.adt).item.span).0;
        // The visibility of the fields by definition, for each target.
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
            let is_enum = adt.kind == ir::AdtKind::Enum;
            let of = Searched {
                ty: item.name,
                variant: variant.name,
                field: field.name,
                style: variant.style,
                is_enum,
                idle: self.changed.contains_key(&id),
                is_in_scope: is_enum && words.give_variants(editor, item.name),
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
                // A file of no module is not compiled by this build.
                let unbuilt = words.modules_of(path).is_empty();
                let own = |token: &Token| {
                    let inside = definition.start <= token.start && token.end <= definition.end;
                    file == definition.file && inside
                };
                for i in of.find(&tokens, &mentions, |i| self.fits_as_it_is(&tokens, i, id)) {
                    let token = &tokens.list[i];
                    if !own(token) {
                        let (start, end) = (token.start, token.start);
                        let elsewhere = unbuilt || mentions.is_configured(i);
                        found.push((Span { file, start, end }, elsewhere));
                    }
                }
            }
            for (span, elsewhere) in found {
                self.leave_unread(span, elsewhere);
            }
            let library = |k: &Crate| matches!(k.kind, CrateKind::Lib | CrateKind::ProcMacro);
            let public = of.is_enum || field.vis == Vis::Public;
            if serves.is_some_and(library) && public && item.vis == Vis::Public {
                self.in_examples(&of, id);
            }
        }
    }

    /// Reports documentation examples that mention a changed field; they can only use public items.
    fn in_examples(&mut self, of: &Searched, id: FieldId) {
        let editor = self.editor;
        let words = editor.words();
        let mut found = Vec::new();
        for file in words.files_with(&of.needed()) {
            let examples = words.examples(editor, file);
            for name in of.needed() {
                for example in examples.with(name) {
                    let (tokens, mentions) = (&example.tokens, &example.mentions);
                    let fits = |i| self.fits_as_it_is(tokens, i, id);
                    let mut places = of.find(tokens, mentions, fits);
                    // An example may import what it needs from a prelude.
                    if of.is_enum && (0..tokens.list.len()).any(|i| tokens.str(i) == of.ty.as_str())
                    {
                        places.extend(mentions.bare(of.variant));
                    }
                    found.extend(places.into_iter().map(|i| (file, example.place(i))));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        for (file, start) in found {
            let end = start;
            self.leave(Span { file, start, end }, "is in a documentation example");
        }
    }
}

/// What is searched for.
struct Searched {
    ty: Name,
    variant: Name,
    /// The field's name; its index in a tuple.
    field: Name,
    style: Style,
    is_enum: bool,
    /// True if the field remains in its place, so that a `_` pattern remains valid.
    idle: bool,
    /// True if macro calls may name the variant without the enum.
    is_in_scope: bool,
}

impl Searched {
    /// Words of which every mention contains one.
    fn needed(&self) -> Vec<Name> {
        match self.style {
            _ if self.is_enum => vec![self.variant],
            Style::Named => vec![self.field],
            _ => vec![self.ty, self.field],
        }
    }

    /// Returns the tokens of a file that may mention it and are not resolved. `fits` tells whether
    /// the code after a field access also accepts the new type.
    fn find(
        &self,
        tokens: &Tokens,
        mentions: &Mentions,
        fits: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let read = mentions.fields(self.ty, self.field).filter(|&i| !fits(i));
        let mut found: Vec<usize> = match self.style {
            _ if self.is_enum => {
                let named = mentions.variants(tokens, self.ty, self.variant, self.is_in_scope);
                let idle = |i: usize| fits_anything(tokens, i + 1) || fits_bound(tokens, i, &fits);
                let asks = named.filter(|&i| !(self.idle && idle(i)));
                asks.collect()
            }
            Style::Named => read.chain(mentions.literals(self.ty, self.field)).collect(),
            _ => read.chain(mentions.calls(self.ty)).collect(),
        };
        found.sort_unstable();
        found
    }
}

/// Returns the first token of the names, calls and dots before a field.
fn receiver(tokens: &Tokens, field: usize) -> usize {
    let mut start = field;
    while start >= 2 && (tokens.is(start - 1, b'.') || tokens.ends_path_sep(start - 1)) {
        let mut before = start - if tokens.is(start - 1, b'.') { 2 } else { 3 };
        let call = tokens.list.get(before).filter(|t| t.kind == Kind::Close);
        before = call.map_or(before, |close| (close.mate as usize).wrapping_sub(1));
        if before >= start || !tokens.is_ident(before) {
            break;
        }
        start = before;
    }
    start
}

/// Returns true for a field that is an argument of a printing macro.
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
    let prints = at >= 2 && tokens.is(at - 1, b'!') && prints(tokens.str(at - 2));
    start > 0 && tokens.is(start - 1, b',') && ends && prints
}

/// Returns true for a pattern with one variable, `E::V(x) =>` or `if let E::V(x) =`, if the code
/// after each use of the variable also accepts the new type.
fn fits_bound(tokens: &Tokens, variant: usize, fits: impl Fn(usize) -> bool) -> bool {
    let open = variant + 1;
    if !tokens.is(open, b'(') {
        return false;
    }
    let close = tokens.list[open].mate as usize;
    let name = if tokens.str(open + 1) == "ref" {
        open + 2
    } else {
        open + 1
    };
    if name + 1 != close || !tokens.is_ident(name) || tokens.str(name) == "_" {
        return false;
    }
    let arrow = tokens.is(close + 1, b'=') && tokens.is(close + 2, b'>');
    let guard = tokens.str(close + 1) == "if";
    let lets = tokens.is(close + 1, b'=') && !arrow && !tokens.is(close + 2, b'=');
    let end = match () {
        () if arrow || guard => end_of_arm(tokens, close + 1),
        () if lets && is_condition(tokens, variant) => end_of_condition(tokens, close + 1),
        () => None,
    };
    let variable = tokens.str(name);
    end.is_some_and(|end| {
        let mut used = (close + 1..end).filter(|&i| tokens.str(i) == variable);
        // A field of the same name is something else.
        used.all(|i| tokens.is(i - 1, b'.') && !tokens.is(i - 2, b'.') || fits(i))
    })
}

/// Returns true for the last name of a path after `if let` or `while let`.
fn is_condition(tokens: &Tokens, last: usize) -> bool {
    let start = tokens.start_of_path(last);
    let before = |back: usize| start.checked_sub(back).map_or("", |at| tokens.str(at));
    before(1) == "let" && matches!(before(2), "if" | "while")
}

/// Returns the end of the arm whose pattern ends before a token, or of a later one where a comma may
/// be between types.
fn end_of_arm(tokens: &Tokens, from: usize) -> Option<usize> {
    let mut at = from;
    let (mut arrow, mut angle) = (false, false);
    while let Some(token) = tokens.list.get(at) {
        match token.kind {
            Kind::Open if arrow && tokens.is(at - 1, b'>') && tokens.is(at, b'{') => {
                return Some(token.mate as usize);
            }
            Kind::Open => at = token.mate as usize,
            Kind::Close => return arrow.then_some(at),
            Kind::Punct if arrow && !angle && token.byte == b',' => return Some(at),
            Kind::Punct if token.byte == b'<' => angle = true,
            _ => arrow |= tokens.is(at, b'>') && at > from && tokens.is(at - 1, b'='),
        }
        at += 1;
    }
    None
}

/// Returns the end of the block after a condition.
fn end_of_condition(tokens: &Tokens, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(token) = tokens.list.get(at) {
        match token.kind {
            Kind::Open if tokens.is(at, b'{') => return Some(token.mate as usize),
            Kind::Open => at = token.mate as usize,
            Kind::Close => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns true if a pattern follows that binds nothing: `(_)`, `(..)`, `{ .. }`.
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
    use crate::source::Sources;

    #[test]
    fn uses_of_a_variable_of_a_pattern() {
        let fits = |text: &str| {
            let sources = Sources::default();
            let source = sources.add("lib.rs".into(), text.to_owned(), None);
            let tokens = Tokens::of_text(source.id, text.to_owned());
            let variant = (0..tokens.list.len()).find(|&i| tokens.str(i) == "V");
            fits_bound(&tokens, variant.expect("it is there"), |i| {
                tokens.is(i + 1, b'.')
            })
        };
        assert!(fits("match e { E::V(x) => x.a(), W(x) => x }"));
        assert!(fits(
            "match e { E::V(ref x) if x.b() => { y.x; x.a() } W(x) => x }"
        ));
        assert!(fits("if let a::E::V(x) = e && x.a() { x.b } else { x }"));
        assert!(!fits("match e { E::V(x) => x, W(x) => x.a() }"));
        assert!(!fits("match e { E::V(x) => f::<A, B>(x), W(_) => 1 }"));
        assert!(!fits("match e { E::V(x) | E::W(x) => x.a() }"));
        assert!(!fits("match e { Some(E::V(x)) => x.a() }"));
        assert!(!fits("match e { E::V(mut x) => x.a() }"));
        assert!(!fits("if let E::V(x) = e && f(x) { x.b }"));
        assert!(!fits("let E::V(x) = e else { return }; x.a()"));
        assert!(!fits("let e = E::V(x); x.a()"));
    }

    #[test]
    fn words_are_found_whole() {
        let wanted = WantedWords::new(["Part", "part", "a1", "né"].into_iter());
        let here = |text: &str| {
            let mut here: Vec<_> = words_in(text, &wanted).into_iter().collect();
            here.sort_by_key(|name| name.as_str());
            here.into_iter()
                .map(|name| name.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(here("x.part = Parts::new(r#a1)"), ["a1", "part"]);
        assert_eq!(here("part"), ["part"]);
        assert_eq!(here("// é\nParts::new() →part"), ["part"]);
        assert_eq!(here("x.né"), ["né"]);
        assert!(here("").is_empty());
    }
}
