//! Size limits set by authors: `#[assert_size(max = …)]` and other compile-time assertions, read
//! ahead of the compiler.

pub mod asserted;

use super::{Model, TypeInfo};
use crate::config::Limit;
use crate::ir::Attr;
use crate::name::Name;
use crate::resolve::Res;
use crate::resolve::ty::{GArg, Ty, TyKind};
use crate::resolve::types::Env;
use crate::span::Span;

/// A type, or one instance of a generic one, with its maximum size.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The type.
    pub ty: Ty,
    /// Maximum size in bytes.
    pub max: u64,
    /// The limit's value in the source.
    pub span: Span,
}

/// One argument of the attribute: `key`, `key = value` or `key(value)`, with the spans of both.
struct Argument<'t> {
    key: &'t str,
    value: Option<(&'t str, usize)>,
    list: bool,
}

impl Model<'static> {
    /// Returns the limits on a type that apply to the current target and features. The compiler
    /// reports what cannot be parsed here.
    pub fn budgets(&self, info: &TypeInfo) -> Vec<Budget> {
        let attrs = &self.db.item(info.item).item.attrs.list;
        let ours = attrs.iter().filter(|a| {
            let last = a.meta.path.last();
            last.is_some_and(|name| *name == "assert_size")
        });
        let mut list: Vec<_> = ours.flat_map(|attr| self.budgets_of(info, attr)).collect();
        // A limit is no limit if it is assumed.
        let find = || self.db.strictly(|| asserted::find(self).into());
        let asserted = self.asserted.get_or_init(find);
        let own = asserted.iter().filter(|(item, _)| *item == info.item);
        list.extend(own.map(|(_, budget)| budget.clone()));
        list
    }

    /// Returns the limit that a manifest sets, if it applies to this type or an instance of it.
    pub fn limited(&self, info: &TypeInfo, limit: &Limit) -> Option<Budget> {
        let path = limit.path.trim().trim_start_matches("crate::");
        let (name, arguments) = match path.find('<') {
            Some(at) => (path[..at].trim_end().trim_end_matches("::"), true),
            None => (path, false),
        };
        if name != info.path {
            return None;
        }
        let ty = match arguments {
            true => self.parse_type(path, info.krate).ok()?,
            false => info.ty,
        };
        Some(Budget {
            ty,
            max: limit.max,
            span: limit.span,
        })
    }

    fn budgets_of(&self, info: &TypeInfo, attr: &Attr) -> Vec<Budget> {
        let tokens = attr.meta.tokens;
        let source = self.db.sources.get(tokens.file);
        let text = &source.text[tokens.range()];
        let arguments: Vec<_> = arguments(text).collect();
        let holds = |a: &Argument| match (a.key, a.value) {
            ("pointer_width", Some((value, _))) => {
                value.trim().parse() == Ok(self.db.project.target.layout.pointer_bits)
            }
            ("cfg", Some((value, _))) => self.db.cfg_text(info.krate, value) == Ok(true),
            _ => true,
        };
        let condition = attr.cfg.as_ref();
        let there = condition.is_none_or(|c| self.db.cfg_holds(info.krate, c) == Ok(true));
        if !there || !arguments.iter().all(holds) {
            return Vec::new();
        }
        let instances = arguments.iter().filter(|a| a.key == "for" && a.list);
        let mut types: Vec<Ty> = instances.filter_map(|a| self.instance(info, a)).collect();
        if types.is_empty() {
            types.push(info.ty);
        }
        let max = arguments.iter().find(|a| a.key == "max" && !a.list);
        let Some((value, at)) = max.and_then(|a| a.value) else {
            return Vec::new();
        };
        let start = tokens.start as usize + at;
        let span = Span::new(tokens.file, start, start + value.len());
        let budget = |ty| {
            let max = self.bytes(info, ty, span).ok()?;
            Some(Budget { ty, max, span })
        };
        types.into_iter().filter_map(budget).collect()
    }

    /// Returns the instance of a generic type that `for(T = u64, …)` names.
    fn instance(&self, info: &TypeInfo, argument: &Argument) -> Option<Ty> {
        let db = self.db;
        let TyKind::Adt(id, args) = db.types.kind(info.ty) else {
            return None;
        };
        let mut args = args.clone();
        let (text, _) = argument.value?;
        for part in arguments(text) {
            let (value, _) = part.value?;
            let at = db.identity(*id).iter().position(|(n, _)| *n == part.key)?;
            args[at] = match &args[at] {
                GArg::Ty(_) => GArg::Ty(self.parse_in(value, info).ok()?),
                GArg::Const(_) => {
                    // A constant is evaluated as an array length.
                    let array = self.parse_in(&format!("[u8; {value}]"), info).ok()?;
                    match db.types.kind(array) {
                        TyKind::Array(_, n) => GArg::Const(Box::new(n.clone())),
                        _ => return None,
                    }
                }
            };
        }
        Some(db.types.intern(TyKind::Adt(*id, args)))
    }

    fn parse_in(&self, text: &str, info: &TypeInfo) -> Result<Ty, String> {
        self.parse_type_in(text, self.db.item(info.item).module)
    }

    /// Evaluates a limit: a constant expression in which `Self` and the generic parameters are in
    /// scope.
    fn bytes(&self, info: &TypeInfo, ty: Ty, span: Span) -> Res<u64> {
        let db = self.db;
        let source = db.sources.get(span.file);
        let unknown = |m: String| crate::resolve::Unknown::because(m);
        let expr = crate::lower::expr(&source, span.range()).map_err(|e| unknown(e.message))?;
        let args: Vec<GArg> = match db.types.kind(ty) {
            TyKind::Adt(_, args) => args.to_vec(),
            _ => Vec::new(),
        };
        let params: Vec<(Name, GArg)> = db.bind(info.item, &args);
        let env = Env {
            module: db.item(info.item).module,
            params: &params,
            self_ty: Some(ty),
            item: Some(info.item),
        };
        db.const_bytes(&expr, &env)
    }
}

/// Splits an attribute's arguments at the top-level commas.
fn arguments(text: &str) -> impl Iterator<Item = Argument<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        if rest >= text.len() {
            return None;
        }
        let start = rest;
        let end = start + comma(&text[start..]);
        rest = end + 1;
        Some(argument(&text[start..end], start))
    })
}

/// Finds the first comma outside of brackets, strings and generic argument lists.
fn comma(text: &str) -> usize {
    let mut depth = 0;
    let mut quoted = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '<' if before == ':' || before.is_alphanumeric() => depth += 1,
            '>' if depth > 0 && before != '-' && before != '=' => depth -= 1,
            ',' if depth == 0 => return at,
            _ => {}
        }
        before = c;
    }
    text.len()
}

fn argument(text: &str, at: usize) -> Argument<'_> {
    let word = text.trim_start();
    let at = at + text.len() - word.len();
    let end = word.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (key, after) = word.split_at(end.unwrap_or(word.len()));
    let rest = after.trim();
    let value = |inner: &str| {
        let offset = inner.as_ptr() as usize - word.as_ptr() as usize;
        at + offset
    };
    if let Some(list) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
        return Argument {
            key,
            value: Some((list, value(list))),
            list: true,
        };
    }
    let given = rest.strip_prefix('=').map(str::trim);
    Argument {
        key,
        value: given.map(|v| (v, value(v))),
        list: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        let pair = |a: Argument| (a.key.to_owned(), a.value.map(|(v, _)| v.to_owned()));
        arguments(text).map(pair).collect()
    }

    #[test]
    fn arguments_end_at_their_commas() {
        let found = read(
            "max = size_of::<Pair<u8, u16>>(), niche, for(T = (u8, u8), N = 3), cfg(a = \"x,y\")",
        );
        let expected = [
            ("max", Some("size_of::<Pair<u8, u16>>()")),
            ("niche", None),
            ("for", Some("T = (u8, u8), N = 3")),
            ("cfg", Some("a = \"x,y\"")),
        ];
        let expected = expected.map(|(k, v)| (k.to_owned(), v.map(str::to_owned)));
        assert_eq!(found, expected);
    }

    #[test]
    fn values_know_their_place() {
        let text = "  align = 8 , max =  64 ";
        let max = arguments(text).find(|a| a.key == "max").unwrap();
        let (value, at) = max.value.unwrap();
        assert_eq!((value, &text[at..at + value.len()]), ("64", "64"));
    }
}
