//! Parses the values of literals.

use crate::ir::{Expr, Lit};
use crate::name::Name;

/// Returns the value of a literal; `None` if the text is not one.
pub(super) fn read(text: &str) -> Option<Lit> {
    // Fast path: most are strings without escapes.
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    if let Some(inner) = inner.filter(|t| !t.contains(['\\', '"', '\r'])) {
        return Some(Lit::Str(inner.to_owned()));
    }
    match text {
        "true" => return Some(Lit::Bool(true)),
        "false" => return Some(Lit::Bool(false)),
        _ => {}
    }
    if let Some(number) = number(text) {
        return Some(number);
    }
    // Its span is cleared together with those of the enclosing chunk or file.
    value(&syn::parse_str(text).ok()?)
}

/// Parses a decimal or hexadecimal number without underscores, with or without an integer suffix.
fn number(text: &str) -> Option<Lit> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let suffix = match suffix {
        "" => None,
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" => Some(Name::new(suffix)),
        _ => return None,
    };
    let number = u128::from_str_radix(digits, radix).ok()?;
    Some(Lit::Int(number.into(), suffix))
}

/// The placeholder for an integer that does not fit in 128 bits.
pub(super) const TOO_LARGE: Expr = Expr::Other("a literal out of range");

/// Lowers a literal of syn; in patterns and generic arguments, syn includes a minus sign in it.
pub(super) fn expr(lit: &syn::Lit) -> Expr {
    match lit {
        syn::Lit::Int(l) if l.base10_digits().starts_with('-') => {
            let Ok(number) = l.base10_digits()[1..].parse::<u128>() else {
                return TOO_LARGE;
            };
            let suffix = (!l.suffix().is_empty()).then(|| Name::new(l.suffix()));
            Expr::Unary('-', Box::new(Expr::Lit(Lit::Int(number.into(), suffix))))
        }
        _ => value(lit).map_or(TOO_LARGE, Expr::Lit),
    }
}

/// Returns the value of a literal of syn; `None` for an integer that does not fit in 128 bits.
fn value(lit: &syn::Lit) -> Option<Lit> {
    Some(match lit {
        syn::Lit::Str(l) => Lit::Str(with_lines(&l.token(), l.value())),
        syn::Lit::ByteStr(l) => {
            let text = String::from_utf8(l.value());
            Lit::Bytes(match text {
                Ok(text) => with_lines(&l.token(), text).into_bytes(),
                Err(escaped) => escaped.into_bytes(),
            })
        }
        syn::Lit::CStr(l) => Lit::Bytes(l.value().into_bytes_with_nul()),
        syn::Lit::Byte(l) => Lit::Int(u128::from(l.value()).into(), Some(Name::new("u8"))),
        syn::Lit::Char(l) => Lit::Char(l.value()),
        syn::Lit::Int(l) if matches!(l.suffix(), "f16" | "f32" | "f64" | "f128") => {
            Lit::Float(Name::new(&l.to_string()))
        }
        syn::Lit::Int(l) => {
            let suffix = (!l.suffix().is_empty()).then(|| Name::new(l.suffix()));
            Lit::Int(l.base10_parse::<u128>().ok()?.into(), suffix)
        }
        syn::Lit::Float(l) => Lit::Float(Name::new(&l.to_string())),
        syn::Lit::Bool(l) => Lit::Bool(l.value),
        _ => return None,
    })
}

/// Normalizes the line ends of a raw literal as rustc does; syn leaves them as they are in the
/// file.
fn with_lines(token: &proc_macro2::Literal, text: String) -> String {
    match text.contains('\r') && token.to_string().trim_start_matches('b').starts_with('r') {
        true => text.replace("\r\n", "\n"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Lit, read};

    #[test]
    fn ends_of_lines_are_those_that_rustc_reads() {
        let text = |text: &str| Some(Lit::Str(text.to_owned()));
        assert_eq!(read("r\"a\r\nb\""), text("a\nb"));
        assert_eq!(read("\"a\r\nb\""), text("a\nb"));
        assert_eq!(read("\"a\\r\\nb\""), text("a\r\nb"));
        assert_eq!(read("br\"a\r\nb\""), Some(Lit::Bytes(b"a\nb".to_vec())));
    }
}
