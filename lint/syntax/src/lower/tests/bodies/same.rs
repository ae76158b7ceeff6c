//! Compares both implementations on every body in a folder, up to the numbering of nodes.

use super::*;
use crate::ir::body::PatId;
use crate::place::Place;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The results of a comparison.
#[derive(Default)]
struct Count {
    files: usize,
    bodies: usize,
    nodes: usize,
    /// Number of bodies that neither parses.
    unread: usize,
    /// Number of bodies that only the token parser parses: not Rust, or newer than syn.
    newer: usize,
    /// The differing bodies in both forms.
    different: Vec<String>,
}

impl Count {
    fn and(mut self, other: Count) -> Count {
        self.files += other.files;
        self.bodies += other.bodies;
        self.nodes += other.nodes;
        self.unread += other.unread;
        self.newer += other.newer;
        self.different.extend(other.different);
        self
    }

    fn compare(&mut self, source: &SourceFile, at: Span, ours: Body, theirs: Body) {
        self.bodies += 1;
        self.nodes += ours.expr_count() + ours.pat_count();
        match (ours.unread.is_empty(), theirs.unread.is_empty()) {
            (false, false) => self.unread += 1,
            (true, false) => return self.newer += 1,
            _ => {}
        }
        let (ours, theirs) = (Print::of(&ours), Print::of(&theirs));
        if ours == theirs {
            return;
        }
        let (line, _) = source.line_col(at.start);
        let mut said = format!("{}:{line}\n", source.path.display());
        let mut lines = ours.lines().zip(theirs.lines());
        match lines.find(|(ours, theirs)| ours != theirs) {
            Some((ours, theirs)) => _ = write!(said, "  tokens: {ours}\n  trees:  {theirs}"),
            None => said += "  one has more",
        }
        self.different.push(said);
    }

    fn items(&mut self, source: &SourceFile, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Mod(Some(items)) | ItemKind::Block(items) => self.items(source, items),
                ItemKind::Impl(i) => self.items(source, &i.items),
                ItemKind::Trait(t) => self.items(source, &t.items),
                ItemKind::Const(c) => self.value(source, c.value_span),
                ItemKind::Static(_, value) => self.value(source, *value),
                ItemKind::Fn(f) if item.name != Item::UNNAMED => self.function(source, f),
                _ => {}
            }
        }
    }

    fn function(&mut self, source: &SourceFile, f: &Function) {
        let (ours, theirs) = (body(source, f), function_by_tree(source, f));
        self.compare(source, f.signature, ours, theirs);
        if let Some(body) = f.body.filter(|_| f.has_items) {
            let inner = body_items(source, body, false);
            self.items(source, &inner.items);
        }
    }

    fn value(&mut self, source: &SourceFile, value: Option<Span>) {
        // Longer values are tables, which are not parsed.
        let Some(span) = value.filter(|v| v.len() <= 64 << 10) else {
            return;
        };
        let (ours, theirs) = (value_body(source, span), value_by_tree(source, span));
        self.compare(source, span, ours, theirs);
    }

    /// Compares definitions with those lowered by syn alone.
    fn definitions(&mut self, source: &SourceFile, ours: &File) {
        BY_TREES.set(true);
        let theirs = super::file(source, true);
        BY_TREES.set(false);
        let print = |file: &File| format!("{:#?}{:#?}", file.items, file.errors);
        let (ours, theirs) = (print(ours), print(&theirs));
        let mut lines = ours.lines().zip(theirs.lines()).enumerate();
        if let Some((at, (a, b))) = lines.find(|(_, (a, b))| a != b) {
            let said = format!(
                "{}: line {at}: tokens: {a}, trees: {b}",
                source.path.display()
            );
            self.different.push(said);
        }
    }

    fn file(path: &Path) -> Count {
        let mut count = Count::default();
        // A file that cannot be loaded is skipped.
        if let Ok(source) = Sources::default().load(path) {
            count.files = 1;
            let file = super::file(&source, true);
            count.definitions(&source, &file);
            count.items(&source, &file.items);
        }
        count
    }

    fn folder(folder: &Path) -> Count {
        let mut paths = Vec::new();
        sources(folder, &mut paths);
        let counts = paths.par_iter().map(|path| Count::file(path));
        counts.reduce(Count::default, Count::and)
    }
}

/// Prints a body: its nodes in the order in which they are reached from its value, then
/// unreferenced nodes.
pub(super) struct Print<'b> {
    body: &'b Body,
    names: FxHashMap<(bool, u32), usize>,
    queue: Vec<(bool, u32)>,
    text: String,
}

impl Print<'_> {
    pub(super) fn of(body: &Body) -> String {
        let mut print = Print {
            body,
            names: FxHashMap::default(),
            queue: Vec::new(),
            text: String::new(),
        };
        let head = format!(
            "{:?} {:?} {:?} {:?}",
            body.signature, body.params, body.value, body.unread
        );
        print.line(&head);
        print.drain();
        let mut rest: Vec<(Span, (bool, u32))> = Vec::new();
        rest.extend(
            body.exprs()
                .map(|(id, n)| (n.span, (true, id.index() as u32))),
        );
        rest.extend(
            body.pats()
                .map(|(id, n)| (n.span, (false, id.index() as u32))),
        );
        // A parent begins no later and ends no earlier than its children.
        rest.sort_by_key(|(span, (_, id))| (span.start, u32::MAX - span.end, u32::MAX - id));
        for (_, node) in rest {
            if !print.names.contains_key(&node) {
                print.name(node);
                print.drain();
            }
        }
        print.text
    }

    fn drain(&mut self) {
        let mut at = 0;
        while let Some(&(is_expr, id)) = self.queue.get(at) {
            at += 1;
            let line = match is_expr {
                true => format!("{:?}", self.body.expr(ExprId(Place::new(id as usize)))),
                false => format!("{:?}", self.body.pat(PatId(Place::new(id as usize)))),
            };
            self.line(&line);
        }
        self.queue.clear();
    }

    fn name(&mut self, node: (bool, u32)) -> usize {
        let next = self.names.len();
        let queue = &mut self.queue;
        *self.names.entry(node).or_insert_with(|| {
            queue.push(node);
            next
        })
    }

    /// Adds a line in which node numbers are replaced by their order.
    fn line(&mut self, line: &str) {
        let mut rest = line;
        loop {
            let next = [(true, "ExprId("), (false, "PatId(")].into_iter();
            let found = next.filter_map(|(is_expr, word)| {
                let at = rest.find(word)? + word.len();
                Some((at, is_expr))
            });
            let Some((at, is_expr)) = found.min() else {
                break;
            };
            self.text.push_str(&rest[..at]);
            let end = at + rest[at..].find(')').unwrap_or_default();
            match rest[at..end].parse() {
                Ok(id) => {
                    let name = self.name((is_expr, id));
                    let _ = write!(self.text, "{name}");
                }
                Err(_) => self.text.push_str(&rest[at..end]),
            }
            rest = &rest[end..];
        }
        self.text.push_str(rest);
        self.text.push('\n');
    }
}

fn sources(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()) {
        // `dyn::a` is a path in that edition alone: the token parser leaves that to the resolver.
        if path.ends_with("edition2015") {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            sources(&path, paths);
        } else if path.extension().is_some_and(|e| e == "rs") {
            paths.push(path);
        }
    }
}

/// Compares all bodies in a folder. Syntax trees of the maximum depth need more stack than a
/// default worker thread has.
fn compare(folder: PathBuf) -> Count {
    let pool = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build();
    pool.unwrap().install(|| Count::folder(&folder))
}

#[test]
fn bodies_of_the_fixtures() {
    let count = compare(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"));
    assert!(count.bodies > 1_000, "only {} bodies", count.bodies);
    assert!(count.different.is_empty(), "{}", count.different.join("\n"));
}

/// Compares any folder: `WEIGH_BODIES`.
#[test]
#[ignore = "asked for by `.ci/slow bodies FOLDER`"]
fn bodies_of_a_folder() {
    let folder = std::env::var_os("WEIGH_BODIES").expect("a folder in WEIGH_BODIES");
    let count = compare(PathBuf::from(folder));
    println!(
        "{} files, {} bodies, {} nodes; read by neither: {}; from tokens alone: {}; different: {}",
        count.files,
        count.bodies,
        count.nodes,
        count.unread,
        count.newer,
        count.different.len()
    );
    assert!(count.different.is_empty(), "{}", count.different.join("\n"));
}
