//! Language and library support for constant expressions: operators, casts, sizes, integer methods,
//! built-in macros.

use super::consts::{Callable, Of, Value};
use super::eval::number;
use super::ty::{Prim, Ty, TyKind};
use super::types::Env;
use super::{Db, ItemId, ModId, Res, Unknown};
use crate::budget;
use crate::ir::{self, Args, MacroCall};
use crate::lower;
use crate::name::Name;
use crate::project::Crate;

pub(super) fn not_understood<T>(what: &str) -> Res<T> {
    Err(Unknown::because(format!(
        "{what} is not understood in a constant"
    )))
}

impl<'a> Db<'a> {
    /// Evaluates `-x`, `!x` or `*x`.
    pub(crate) fn unary(&self, op: char, value: Value) -> Res<Value> {
        Ok(match (op, value) {
            ('*', value) => value,
            ('!', Value::Bool(b)) => Value::Bool(!b),
            // The bits depend on the inferred type.
            ('!', Value::Int(_, None)) => {
                return not_understood("`!` of an integer whose type is not written");
            }
            ('!', Value::Int(n, p)) => self.coerce(Value::Int(!n, p), p),
            ('-', Value::Float(float)) => self.negated(float),
            ('-', Value::Int(n, p)) => self.coerce(Value::Int(n.wrapping_neg(), p), p),
            _ => return not_understood("an operator"),
        })
    }

    /// Evaluates a binary operator. Overflow is unknown, since rustc rejects it.
    pub(crate) fn binary(&self, op: &str, a: Value, b: Value) -> Res<Value> {
        if let (Value::Bool(x), Value::Bool(y)) = (&a, &b) {
            return Ok(Value::Bool(match op {
                "&" => x & y,
                "|" => x | y,
                "^" | "!=" => x != y,
                "==" => x == y,
                _ => return not_understood("an operator"),
            }));
        }
        if let (Value::Str(x), Value::Str(y)) = (&a, &b) {
            return match op {
                "==" => Ok(Value::Bool(x == y)),
                "!=" => Ok(Value::Bool(x != y)),
                _ => not_understood("an operator"),
            };
        }
        if let (Value::Float(x), Value::Float(y)) = (&a, &b) {
            return self.float_binary(op, *x, *y);
        }
        let (Some(x), Some(y)) = (number(&a), number(&b)) else {
            return not_understood("an operator");
        };
        let compared = match op {
            "==" => Some(x == y),
            "!=" => Some(x != y),
            "<" => Some(x < y),
            "<=" => Some(x <= y),
            ">" => Some(x > y),
            ">=" => Some(x >= y),
            _ => None,
        };
        if let Some(b) = compared {
            return Ok(Value::Bool(b));
        }
        let shift = matches!(op, "<<" | ">>");
        let prim = match (&a, &b) {
            (Value::Int(_, Some(p)), _) => Some(*p),
            (_, Value::Int(_, p)) if !shift => *p,
            _ => None,
        };
        let amount = u32::try_from(y).ok();
        let width = prim.and_then(|p| p.int(self.pointer_bits())).map(|w| w.0);
        if let (true, Some(width)) = (shift, width)
            && amount.is_none_or(|n| n >= width)
        {
            return not_understood("arithmetic that overflows");
        }
        let exact = match op {
            "+" => x.checked_add(y),
            "-" => x.checked_sub(y),
            "*" => x.checked_mul(y),
            "/" => x.checked_div(y),
            "%" => x.checked_rem(y),
            "&" => Some(x & y),
            "|" => Some(x | y),
            "^" => Some(x ^ y),
            "<<" if prim.is_none() && may_lose_bits(x, amount) => {
                return not_understood("`<<` of an integer whose type is not written");
            }
            "<<" => amount.filter(|n| *n < 127).map(|n| x.wrapping_shl(n)),
            ">>" => amount.filter(|n| *n < 128).map(|n| x >> n),
            _ => return not_understood("an operator"),
        };
        let Some(n) = exact else {
            return not_understood("arithmetic that overflows");
        };
        let value = self.coerce(Value::Int(n, prim), prim);
        if !shift && value != Value::Int(n, prim) {
            return not_understood("arithmetic that overflows");
        }
        Ok(value)
    }

    /// Evaluates `value as ty`.
    pub(crate) fn cast(&self, value: Value, ty: Ty) -> Res<Value> {
        if let TyKind::Unknown(why) = self.types.kind(ty) {
            return Err(why.clone());
        }
        let Some(prim) = self.as_prim(ty) else {
            return match value {
                Value::Int(..) | Value::Float(_) => not_understood("a cast"),
                other => Ok(other),
            };
        };
        if let Value::Float(float) = value {
            return self.cast_float(float, prim);
        }
        let n = match &value {
            Value::Variant(id, i, _) => self.discriminant(*id, *i)?,
            other => match number(other) {
                Some(n) => n,
                None => return not_understood("a cast"),
            },
        };
        if prim == Prim::Char {
            let c = u32::try_from(n).ok().and_then(char::from_u32);
            return c.map_or_else(|| not_understood("a cast"), |c| Ok(Value::Char(c)));
        }
        if let (Value::Int(..), Some(float)) = (&value, self.int_as_float(n, prim)) {
            return Ok(float);
        }
        if prim.int(self.pointer_bits()).is_none() {
            return not_understood("a cast");
        }
        Ok(self.coerce(Value::Int(n, Some(prim)), Some(prim)))
    }

    /// Evaluates `size_of`, `align_of` and the like; `None` for any other function.
    pub(crate) fn intrinsic(
        &self,
        id: ItemId,
        args: Option<&Args>,
        env: &Env,
    ) -> Option<Res<Value>> {
        let data = self.item(id);
        if self.krate_of(data.module) != self.std() {
            return None;
        }
        let which = data.item.name.as_str();
        let unread = ["align_of_val", "needs_drop", "size_of_val", "variant_count"];
        if unread.contains(&which) {
            return Some(not_understood(&format!("`{which}`")));
        }
        if !["size_of", "align_of", "min_align_of"].contains(&which) {
            return None;
        }
        let ty = args.and_then(|a| a.args.first()).and_then(|a| match a {
            ir::Arg::Type(ty) => Some(self.lower(ty, env)),
            ir::Arg::Const(_) => None,
        });
        let Some(ty) = ty else {
            return Some(not_understood("a size without its type"));
        };
        let Some(size_of) = self.size_of.get() else {
            return Some(not_understood("a size"));
        };
        Some(size_of(self, ty).map(|(size, align)| {
            Value::int(if which == "size_of" { size } else { align }, Prim::Usize)
        }))
    }

    /// Evaluates a method call; the receiver is the first value.
    pub(crate) fn method(
        &self,
        name: Name,
        values: Vec<Value>,
        from: ModId,
        depth: u32,
    ) -> Res<Value> {
        let receiver = &values[0];
        let of_std = self.option_method(name.as_str(), receiver);
        if let Some(value) = of_std.or_else(|| self.text_method(name.as_str(), receiver)) {
            return Ok(value);
        }
        if let Some(value) = self.float_method(name.as_str(), &values) {
            return Ok(value);
        }
        match receiver {
            Value::Array(list) if name == "len" => {
                return Ok(Value::int(list.len() as u64, Prim::Usize));
            }
            Value::Str(s) if name == "len" => return Ok(Value::int(s.len() as u64, Prim::Usize)),
            Value::Array(list) if name == "is_empty" => return Ok(Value::Bool(list.is_empty())),
            Value::Str(s) if name == "is_empty" => return Ok(Value::Bool(s.is_empty())),
            Value::Str(_) | Value::Array(_) if name == "as_bytes" || name == "as_slice" => {
                return match receiver {
                    Value::Str(s) => {
                        let byte = |b: u8| Value::int(u64::from(b), Prim::U8);
                        Ok(Value::Array(s.bytes().map(byte).collect::<Vec<_>>().into()))
                    }
                    other => Ok(other.clone()),
                };
            }
            Value::Int(n, prim) => {
                if let Some(value) = self.int_method(name.as_str(), *n, *prim, &values[1..]) {
                    return value;
                }
            }
            _ => {}
        }
        let ty = match receiver {
            Value::Struct(id, _) | Value::Variant(id, ..) => self.identity_ty(*id),
            Value::Int(_, Some(p)) => self.types.prim(*p),
            _ => return not_understood(&format!("method `{name}`")),
        };
        match self.assoc_item(Of::itself(ty), name, from)? {
            Some(callable @ Callable::Item(..)) => self.call_fn(callable, values, depth),
            _ => not_understood(&format!("method `{name}`")),
        }
    }

    /// Evaluates a call of a built-in macro; `None` for any other.
    pub(crate) fn built_in_value(&self, call: &MacroCall, env: &Env) -> Option<Res<Value>> {
        let name = call.path.segments.last().map_or("", |s| s.name.as_str());
        let source = self.sources.get(call.args.file);
        Some(match name {
            "concat" => self.concat(call, env),
            "env" => self.macro_args(call).and_then(|list| {
                match list.first().map(|e| self.eval(e, env)) {
                    Some(Ok(Value::Str(key))) => self.env_var(env, &key),
                    _ => not_understood("`env!`"),
                }
            }),
            // rustc reformats input of more than one token.
            "stringify" if !source.text[call.args.range()].chars().all(is_word) => {
                not_understood("`stringify!` of more than a word")
            }
            "stringify" => Ok(Value::Str(source.text[call.args.range()].into())),
            "cfg" => {
                let krate = self.krate_of(env.module);
                let text = &source.text[call.args.range()];
                self.cfg_text(krate, text).map(Value::Bool)
            }
            "offset_of" => self.offset_of(call, env),
            "assert" | "debug_assert" | "assert_eq" | "assert_ne" => Ok(Value::Tuple(Vec::new())),
            "module_path" => Ok(Value::Str(self.full_path_of(env.module).into())),
            "line" if self.sources.origin(call.span).0 == call.span => {
                let line = source.text[..call.span.start as usize]
                    .matches('\n')
                    .count()
                    + 1;
                Ok(Value::int(line as u64, Prim::U32))
            }
            "option_env" => self.macro_args(call).and_then(|list| {
                let value = match list.first().map(|e| self.eval(e, env)) {
                    Some(Ok(Value::Str(key))) => self.env_var(env, &key)?,
                    _ => return not_understood("`option_env!`"),
                };
                let value = self.option(Some(value));
                value.ok_or_else(|| Unknown::because("`option_env!` is not understood"))
            }),
            "line" | "column" | "file" => not_understood(&format!("`{name}!`")),
            "include_bytes" | "include_str" => self.included(call, env, name == "include_str"),
            _ => return None,
        })
    }

    /// Returns the path of a module as `module_path!` gives it.
    fn full_path_of(&self, module: ModId) -> String {
        let mut names = Vec::new();
        let mut at = Some(module);
        while let Some(id) = at {
            let data = self.module(id);
            if !data.block && !data.name.as_str().is_empty() {
                names.push(data.name.as_str());
            }
            at = data.parent;
        }
        names.push(self.krate(self.krate_of(module)).name.as_str());
        names.reverse();
        names.join("::")
    }

    fn concat(&self, call: &MacroCall, env: &Env) -> Res<Value> {
        let mut text = String::new();
        for expr in &self.macro_args(call)? {
            match self.eval(expr, env)? {
                Value::Str(s) if text.len() + s.len() > budget::STRING_BYTES => {
                    return Err(Unknown::because("a constant stopped here: it is too long"));
                }
                Value::Str(s) => text.push_str(&s),
                Value::Int(n, _) => text.push_str(&n.to_string()),
                Value::Char(c) => text.push(c),
                Value::Bool(b) => text.push_str(if b { "true" } else { "false" }),
                _ => return not_understood("`concat!`"),
            }
        }
        Ok(Value::Str(text.into()))
    }

    /// Reads the file that `include_bytes!` or `include_str!` names.
    fn included(&self, call: &MacroCall, env: &Env, text: bool) -> Res<Value> {
        let source = self.sources.get(call.args.file);
        let arg = lower::expr(&source, call.args.range());
        let Value::Str(path) = self.eval(&arg.map_err(|e| Unknown::because(e.message))?, env)?
        else {
            return not_understood("the path of an included file");
        };
        let (real, _) = self.sources.origin(call.span);
        let from = self.sources.about(real.file).path.clone();
        let folder = from.parent().unwrap_or(std::path::Path::new(""));
        let path = folder.join(&*path);
        let fits = |len| len <= budget::STRING_BYTES as u64;
        if !matches!(crate::seen::state(&path), Ok((_, len)) if fits(len)) {
            return not_understood("an included file");
        }
        let Ok(bytes) = crate::source::read::bytes(&path) else {
            return not_understood("an included file");
        };
        self.charge(bytes.len() as u32 / 64)?;
        if text {
            let text = String::from_utf8(bytes);
            return text.map_or_else(
                |_| not_understood("an included file"),
                |text| Ok(Value::Str(text.into())),
            );
        }
        let bytes = bytes.into_iter().map(|b| Value::int(b.into(), Prim::U8));
        Ok(Value::Array(bytes.collect::<Vec<_>>().into()))
    }

    /// Evaluates `offset_of!(Type, field.field)`.
    fn offset_of(&self, call: &MacroCall, env: &Env) -> Res<Value> {
        let source = self.sources.get(call.args.file);
        let range = call.args.range();
        let text =
            source.text[range.clone()].trim_end_matches(|c: char| c == ',' || c.is_whitespace());
        let (Some((ty, fields)), Some(offset_of)) = (text.rsplit_once(','), self.offset_of.get())
        else {
            return not_understood("`offset_of!`");
        };
        let ty = lower::ty(&source, range.start..range.start + ty.len());
        let ty = self.lower(&ty.map_err(|e| Unknown::because(e.message))?, env);
        let fields: Vec<Name> = fields
            .split('.')
            .map(|name| Name::new(name.trim()))
            .collect();
        Ok(Value::int(offset_of(self, ty, &fields)?, Prim::Usize))
    }

    /// Evaluates a `cfg` condition given as text for a crate.
    pub fn cfg_text(&self, krate: super::CrateIx, condition: &str) -> Res<bool> {
        let text = format!("#[cfg({condition})] struct S;");
        let path = format!("<{text}>");
        let file = lower::file(&self.sources.add(path.into(), text, None), false);
        match file.items.first() {
            Some(item) => self.present(krate, &item.attrs),
            None => not_understood("a condition"),
        }
    }

    /// Evaluates a constant expression as a number of bytes.
    pub fn const_bytes(&self, expr: &ir::Expr, env: &Env) -> Res<u64> {
        match self.eval_as(expr, env, Some(self.types.prim(Prim::Usize)))? {
            Value::Int(n, _) => u64::try_from(n).or_else(|_| not_understood("a negative size")),
            _ => not_understood("a size that is no number"),
        }
    }

    /// Parses the arguments of a macro: expressions that form a tuple with its delimiters.
    pub fn macro_args(&self, call: &MacroCall) -> Res<Vec<ir::Expr>> {
        let source = self.sources.get(call.args.file);
        let range = call.args.range();
        let around = range.start.saturating_sub(1)..range.end + 1;
        match lower::expr(&source, around) {
            Ok(ir::Expr::Tuple(list) | ir::Expr::Array(list)) => Ok(list),
            Ok(one) => Ok(vec![one]),
            Err(e) => Err(Unknown::because(e.message)),
        }
    }

    fn env_var(&self, env: &Env, key: &str) -> Res<Value> {
        let krate = self.krate(self.krate_of(env.module));
        let krate = krate.id.map(|id| self.project.krate(id));
        if let Some(value) = krate.and_then(|krate| krate.env(key)) {
            return Ok(Value::Str(value.into()));
        }
        let why = || {
            let script = match krate.and_then(Crate::script_ran) {
                Some(ran) => format!("a build script, {ran}"),
                None => "a build script that has not run".to_owned(),
            };
            let why = format!("environment variable `{key}` is set by cargo or {script}");
            Unknown::because(why)
        };
        let last = krate.and_then(|krate| krate.last_said()?.env(key));
        let last = last.ok_or_else(why)?;
        if !self.walk.as_last_written.get() {
            self.doubt(|| self.still_holds(self.krate_of(env.module)), why)?;
        }
        Ok(Value::Str(last.into()))
    }
}

/// Returns true if a left shift drops bits, or reaches the sign bit, in the narrowest possible
/// type: one wider than the amount.
fn may_lose_bits(n: i128, amount: Option<u32>) -> bool {
    let Some(amount) = amount else { return true };
    let length = 128 - if n < 0 { !n } else { n }.leading_zeros();
    let widths = [8, 16, 32, 64, 128];
    let least = widths.iter().find(|w| **w > amount && **w >= length);
    least.is_none_or(|width| length + amount >= *width)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
