//! Function bodies of the selected crates, parsed ahead of time by idle threads, or on demand.

use crate::fault;
use crate::ir::body::Body;
use crate::ir::{self, ItemKind};
use crate::lower;
use crate::name::Name;
use crate::source::SourceFile;
use crate::span::Span;
use crate::wanted_words::WantedWords;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// Minimum size in bytes of the texts in a batch: small, so that waiting for one is short.
const BATCH: usize = 16 << 10;

/// Initializers longer than this (bytes) are tables: they say nothing about how types are used.
const LONGEST_VALUE: usize = 64 << 10;

/// The source of a function, constant or static.
#[derive(Clone, Debug)]
pub struct Text {
    name: Name,
    part: Part,
}

#[derive(Clone, Debug)]
enum Part {
    Function(ir::Function),
    Value(Span),
}

impl Text {
    /// Returns the text of an item, if the item has one that is parsed.
    pub fn of(item: &ir::Item) -> Option<Text> {
        let part = match &item.kind {
            // Unnamed: the value of a constant, which is parsed with the constant.
            ItemKind::Fn(_) if item.name == ir::Item::UNNAMED => return None,
            ItemKind::Fn(function) => Part::Function(function.clone()),
            ItemKind::Const(c) => Part::Value(c.value_span?),
            ItemKind::Static(_, value) => Part::Value((*value)?),
            _ => return None,
        };
        if matches!(part, Part::Value(span) if span.len() > LONGEST_VALUE) {
            return None;
        }
        let name = item.name;
        Some(Text { name, part })
    }

    /// Returns the span that identifies the text: no two texts begin at the same place.
    pub fn span(&self) -> Span {
        match &self.part {
            Part::Function(f) => f.signature,
            Part::Value(span) => *span,
        }
    }

    /// Returns the span of the whole text.
    fn whole(&self) -> Span {
        match &self.part {
            Part::Function(f) => f.body.map_or(f.signature, |b| f.signature.to(b)),
            Part::Value(span) => *span,
        }
    }

    fn len(&self) -> usize {
        self.whole().len()
    }

    /// Returns true if the text contains one of these words.
    pub fn has_word(&self, source: &SourceFile, words: &WantedWords) -> bool {
        let text = &source.text[self.whole().range()];
        if text.is_ascii() {
            return words.found_in(text).next().is_some();
        }
        let ends = |c: char| !c.is_alphanumeric() && c != '_';
        text.split(ends).any(|word| words.contains(word))
    }

    fn read(&self, source: &SourceFile) -> Body {
        let work = || format!("reading the body of `{}`", self.name);
        let read = || match &self.part {
            Part::Function(f) => lower::body(source, f),
            Part::Value(span) => lower::value_body(source, *span),
        };
        fault::guard(work, read).unwrap_or_default()
    }
}

/// Texts of one file that are parsed together.
struct Batch {
    source: Arc<SourceFile>,
    texts: Vec<Text>,
    bodies: OnceLock<Vec<Body>>,
}

impl Batch {
    fn bodies(&self) -> &[Body] {
        let read = || self.texts.iter().map(|t| t.read(&self.source)).collect();
        self.bodies.get_or_init(read)
    }
}

/// A text of a batch.
#[derive(Clone, Copy)]
pub struct Reading {
    batch: &'static Batch,
    at: usize,
}

impl Reading {
    /// Returns the parsed body; waits if another thread is parsing it.
    pub fn body(self) -> &'static Body {
        &self.batch.bodies()[self.at]
    }
}

/// All known texts by span. Bodies live until the end of the process.
#[derive(Default)]
pub struct Ahead {
    batches: Vec<&'static Batch>,
    by_place: FxHashMap<Span, Reading>,
}

impl Ahead {
    /// Adds the texts of a file.
    pub fn add(&mut self, source: &Arc<SourceFile>, texts: Vec<Text>) {
        let mut texts = texts.into_iter().peekable();
        while texts.peek().is_some() {
            let mut batch = Vec::new();
            let mut bytes = 0;
            while let Some(text) = texts.next_if(|_| bytes < BATCH) {
                bytes += text.len();
                batch.push(text);
            }
            let batch: &'static Batch = Box::leak(Box::new(Batch {
                source: source.clone(),
                texts: batch,
                bodies: OnceLock::new(),
            }));
            for (at, text) in batch.texts.iter().enumerate() {
                self.by_place.insert(text.span(), Reading { batch, at });
            }
            self.batches.push(batch);
        }
    }

    /// Returns the reading of a text, if it is known.
    pub fn get(&self, text: &Text) -> Option<Reading> {
        self.by_place.get(&text.span()).copied()
    }

    /// Returns those of the names that paths in the files of these texts go through.
    pub fn names_in_paths(&self, names: &WantedWords) -> FxHashSet<&str> {
        let mut found = FxHashSet::default();
        let mut files: Vec<_> = self.batches.iter().map(|batch| &batch.source).collect();
        files.dedup_by_key(|source| source.id);
        for source in files {
            let text = source.text.as_str();
            for name in names.found_in(text) {
                let end = name.as_ptr().addr() - text.as_ptr().addr() + name.len();
                if text[end..].starts_with("::") {
                    found.insert(name);
                }
            }
        }
        found
    }

    /// Starts parsing all unparsed batches on other threads, without waiting for them.
    pub fn start(&self) {
        self.start_while(|| true);
    }

    /// Starts parsing all unparsed batches on other threads, as long as a condition holds.
    pub fn start_while(&self, goes_on: impl Fn() -> bool + Clone + Send + 'static) {
        for &batch in &self.batches {
            if batch.bodies.get().is_none() {
                let goes_on = goes_on.clone();
                rayon::spawn(move || {
                    if goes_on() {
                        batch.bodies();
                    }
                });
            }
        }
    }
}
