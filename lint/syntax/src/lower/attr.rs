//! Parses attributes, `cfg` and `cfg_attr` from tokens.

use super::lit;
use super::tokens::{Kind, Tokens};
use crate::ir::{Attr, Attrs, Cfg, Lit, Meta, SyntaxError};
use crate::name::Name;
use std::ops::Range;

/// Maximum depth of nested lists.
pub(super) const DEEPEST: usize = 32;

/// Parses attributes and collects their errors.
pub(super) struct AttrReader<'t> {
    pub tokens: &'t Tokens<'t>,
    /// Whether to keep attributes that do not affect what an item is (`inline`, `must_use`, …).
    pub all: bool,
    pub attrs: Attrs,
    list: Vec<Attr>,
    pub errors: Vec<SyntaxError>,
}

impl<'t> AttrReader<'t> {
    pub(super) fn new(tokens: &'t Tokens<'t>) -> Self {
        AttrReader {
            tokens,
            all: true,
            attrs: Attrs::default(),
            list: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Parses all attributes, inner or outer, at the beginning of these tokens.
    pub(super) fn read(&mut self, range: Range<usize>) {
        let mut i = range.start;
        while i < range.end && self.tokens.punct(i, b'#') {
            let open = i + 1 + usize::from(self.tokens.punct(i + 1, b'!'));
            let Some(close) = self.tokens.group(open, b'[') else {
                break;
            };
            self.attr(open + 1..close, i..close + 1, None, DEEPEST);
            i = close + 1;
        }
        self.attrs.list = std::mem::take(&mut self.list).into();
    }

    /// Parses one attribute from its content, the tokens to report as its span, and the condition
    /// of the enclosing `cfg_attr`.
    fn attr(
        &mut self,
        content: Range<usize>,
        whole: Range<usize>,
        cfg: Option<&Cfg>,
        depth: usize,
    ) {
        let tokens = self.tokens;
        let inside = tokens
            .group(content.start + 1, b'(')
            .map(|close| content.start + 2..close);
        match (tokens.str(content.start), inside) {
            ("cfg", Some(inside)) => match self.cfg_list(inside, depth) {
                Ok(list) if list.len() == 1 => {
                    let own = list.into_iter().next().unwrap_or(Cfg::Known(true));
                    self.restrict(match cfg {
                        None => own,
                        Some(cfg) => Cfg::Any(vec![Cfg::Not(Box::new(cfg.clone())), own]),
                    });
                }
                Ok(_) => self.error(whole, "`cfg` takes one condition"),
                Err(at) => self.error(at..at + 1, "this is no condition of a `cfg`"),
            },
            ("cfg_attr", Some(inside)) => self.cfg_attr(inside, cfg, depth),
            ("rustversion", _) if self.rustversion(content.clone(), cfg, depth).is_some() => {}
            ("unsafe", Some(inside)) if depth > 0 => self.attr(inside, whole, cfg, depth - 1),
            ("cfg" | "cfg_attr", None) => {
                self.error(whole, "a condition is missing");
            }
            ("doc", _) if tokens.punct(content.start + 1, b'=') => {}
            ("cold" | "inline" | "must_use" | "track_caller", None)
                if !self.all && content.len() == 1 => {}
            ("inline", Some(_)) if !self.all => {}
            _ => {
                if let Some((meta, _)) = self.meta(content.start, content.end, depth) {
                    self.list.push(Attr {
                        cfg: cfg.cloned().map(Box::new),
                        meta,
                        span: tokens.span(whole),
                    });
                }
            }
        }
    }

    /// Parses `rustversion::since(1.70)` and similar as a `cfg` on the release, and
    /// `rustversion::attr` as a `cfg_attr`. Returns `None` for conditions on more than the release
    /// number.
    fn rustversion(
        &mut self,
        content: Range<usize>,
        cfg: Option<&Cfg>,
        depth: usize,
    ) -> Option<()> {
        let first = content.start + 3;
        if !self.tokens.path_sep(content.start + 1) {
            return None;
        }
        if !self.tokens.word(first, "attr") {
            let (own, _) = self.release_cfg(first, depth)?;
            self.restrict(match cfg {
                None => own,
                Some(cfg) => Cfg::Any(vec![Cfg::Not(Box::new(cfg.clone())), own]),
            });
            return Some(());
        }
        let close = self.tokens.group(first + 1, b'(')?;
        let (own, comma) = self.release_cfg(first + 2, depth)?;
        let cfg = match cfg {
            None => own,
            Some(cfg) => Cfg::All(vec![cfg.clone(), own]),
        };
        self.tokens.punct(comma, b',').then_some(())?;
        // `attr(…, const)` makes a function `const`: it adds no attribute.
        if !self.tokens.word(comma + 1, "const") {
            self.attr(
                comma + 1..close,
                comma + 1..close,
                Some(&cfg),
                depth.checked_sub(1)?,
            );
        }
        Some(())
    }

    /// Parses the `rustversion` condition that begins at `i`; returns it and one past it.
    fn release_cfg(&self, i: usize, depth: usize) -> Option<(Cfg, usize)> {
        let depth = depth.checked_sub(1)?;
        let close = self.tokens.group(i + 1, b'(')?;
        let cfg = match self.tokens.str(i) {
            word @ ("since" | "before") => {
                let version: String = (i + 2..close).map(|i| self.tokens.str(i)).collect();
                let mut parts = version.split('.').map(|p| p.parse::<u32>().ok());
                let (major, minor) = (parts.next()??, parts.next()??);
                let since =
                    Cfg::Value(Name::new("version"), Name::new(&format!("{major}.{minor}")));
                match word {
                    "since" => since,
                    _ => Cfg::Not(Box::new(since)),
                }
            }
            word @ ("all" | "any" | "not") => {
                let (mut list, mut at) = (Vec::new(), i + 2);
                while at < close {
                    let (cfg, next) = self.release_cfg(at, depth)?;
                    list.push(cfg);
                    at = next + usize::from(self.tokens.punct(next, b','));
                }
                match word {
                    "all" => Cfg::All(list),
                    "any" => Cfg::Any(list),
                    _ => Cfg::Not(Box::new(list.pop()?)),
                }
            }
            _ => return None,
        };
        Some((cfg, close + 1))
    }

    fn cfg_attr(&mut self, inside: Range<usize>, outer: Option<&Cfg>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.error(inside, "this nests too deep");
        };
        let (cfg, mut i) = match self.cfg(inside.start, inside.end, depth) {
            Ok(read) => read,
            Err(at) => return self.error(at..at + 1, "this is no condition of a `cfg`"),
        };
        let cfg = match outer {
            None => cfg,
            Some(outer) => Cfg::All(vec![outer.clone(), cfg]),
        };
        while self.tokens.punct(i, b',') && i + 1 < inside.end {
            let end = self.next_comma(i + 1, inside.end);
            self.attr(i + 1..end, i + 1..end, Some(&cfg), depth);
            i = end;
        }
    }

    /// Adds a condition of the item.
    fn restrict(&mut self, cfg: Cfg) {
        self.attrs.restrict(&cfg);
    }

    fn error(&mut self, at: Range<usize>, message: &str) {
        self.errors.push(self.tokens.error(at, message));
    }

    fn next_comma(&self, mut i: usize, end: usize) -> usize {
        while i < end && !self.tokens.punct(i, b',') {
            let token = self.tokens.list[i];
            i = if token.kind == Kind::Open {
                token.mate as usize + 1
            } else {
                i + 1
            };
        }
        i.min(end)
    }

    /// Parses the meta item that begins at `i`; returns it and one past it.
    fn meta(&self, i: usize, end: usize, depth: usize) -> Option<(Meta, usize)> {
        let tokens = self.tokens;
        if i >= end {
            return None;
        }
        let mut meta = Meta {
            global: tokens.path_sep(i),
            path: Vec::new(),
            value: None,
            list: Vec::new(),
            tokens: tokens.span(i..i),
        };
        if let Some(value) = self.literal(i) {
            meta.value = Some(value);
            return Some((meta, i + 1));
        }
        let mut i = i + if tokens.path_sep(i) { 2 } else { 0 };
        loop {
            if !tokens.ident(i) {
                return None;
            }
            meta.path.push(tokens.name(i));
            i += 1;
            if !tokens.path_sep(i) {
                break;
            }
            i += 2;
        }
        meta.tokens = tokens.span(i..i);
        if i >= end {
            return Some((meta, i));
        }
        if tokens.punct(i, b'=') {
            if tokens.joint(i) && (tokens.punct(i + 1, b'>') || tokens.punct(i + 1, b'=')) {
                return None;
            }
            let next = self.next_comma(i + 1, end);
            if next == i + 2 {
                meta.value = self.literal(i + 1);
            }
            return Some((meta, next));
        }
        if tokens.list[i].kind == Kind::Open {
            let close = tokens.list[i].mate as usize;
            meta.tokens = tokens.inside(i);
            meta.list = self.metas(i + 1, close, depth).unwrap_or_default();
            i = close + 1;
        }
        Some((meta, i))
    }

    /// Parses a list of meta items; `None` if any element is not one.
    fn metas(&self, mut i: usize, end: usize, depth: usize) -> Option<Vec<Meta>> {
        let depth = depth.checked_sub(1)?;
        let mut list = Vec::new();
        while i < end {
            let (meta, next) = self.meta(i, end, depth)?;
            list.push(meta);
            if next < end && !self.tokens.punct(next, b',') {
                return None;
            }
            i = next + 1;
        }
        list.shrink_to_fit();
        Some(list)
    }

    fn literal(&self, i: usize) -> Option<Lit> {
        let token = self.tokens.list.get(i)?;
        let text = self.tokens.str(i);
        match token.kind {
            Kind::Number | Kind::Quoted => lit::read(text),
            Kind::Word if matches!(text, "true" | "false") => lit::read(text),
            _ => None,
        }
    }

    /// Parses a list of conditions; the error is the offending token.
    fn cfg_list(&self, inside: Range<usize>, depth: usize) -> Result<Vec<Cfg>, usize> {
        let mut list = Vec::new();
        let mut i = inside.start;
        while i < inside.end {
            let (cfg, next) = self.cfg(i, inside.end, depth)?;
            list.push(cfg);
            if next < inside.end && !self.tokens.punct(next, b',') {
                return Err(next);
            }
            i = next + 1;
        }
        Ok(list)
    }

    /// Parses the condition that begins at `i`; returns it and one past it, or the offending token.
    pub(super) fn cfg(&self, i: usize, end: usize, depth: usize) -> Result<(Cfg, usize), usize> {
        let tokens = self.tokens;
        let depth = depth.checked_sub(1).ok_or(i)?;
        if i >= end || !tokens.ident(i) {
            return Err(i);
        }
        match tokens.str(i) {
            "true" => return Ok((Cfg::Known(true), i + 1)),
            "false" => return Ok((Cfg::Known(false), i + 1)),
            _ => {}
        }
        let name = tokens.name(i);
        if i + 1 < end && tokens.punct(i + 1, b'=') && !tokens.punct(i + 2, b'>') {
            return match self.literal(i + 2) {
                Some(Lit::Str(value)) => Ok((Cfg::Value(name, Name::new(&value)), i + 3)),
                _ => Err(i + 2),
            };
        }
        let Some(close) = tokens.group(i + 1, b'(') else {
            return Ok((Cfg::Flag(name), i + 1));
        };
        let inside = i + 2..close;
        let cfg = match name.as_str() {
            "all" => Cfg::All(self.cfg_list(inside, depth)?),
            "any" => Cfg::Any(self.cfg_list(inside, depth)?),
            "not" => match self.cfg_list(inside, depth)?.as_mut_slice() {
                [one] => Cfg::Not(Box::new(std::mem::replace(one, Cfg::Known(true)))),
                _ => return Err(i),
            },
            "version" => match self.literal(i + 2) {
                Some(Lit::Str(version)) => Cfg::Value(name, Name::new(&version)),
                _ => return Err(i + 2),
            },
            // `accessible` is unstable, so no code for a stable release uses it.
            "accessible" => Cfg::Known(false),
            "target" => Cfg::All(self.target(inside, depth)?),
            _ => return Err(i),
        };
        Ok((cfg, close + 1))
    }

    /// Parses `target(os = "…", …)`, whose names lack their `target_`.
    fn target(&self, inside: Range<usize>, depth: usize) -> Result<Vec<Cfg>, usize> {
        let list = self.cfg_list(inside.clone(), depth)?;
        let short = |cfg| match cfg {
            Cfg::Value(name, value) => Ok(Cfg::Value(Name::new(&format!("target_{name}")), value)),
            _ => Err(inside.start),
        };
        list.into_iter().map(short).collect()
    }
}

impl Attrs {
    /// Adds a condition that must hold too.
    pub(super) fn restrict(&mut self, cfg: &Cfg) {
        self.cfg = Some(Box::new(match self.cfg.take() {
            None => cfg.clone(),
            Some(old) => match *old {
                Cfg::All(mut all) => {
                    all.push(cfg.clone());
                    Cfg::All(all)
                }
                old => Cfg::All(vec![old, cfg.clone()]),
            },
        }));
    }
}
