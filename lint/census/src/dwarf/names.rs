//! The names of coroutines in debug information, and as they are written.

/// What a coroutine is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// `async fn`.
    Function,
    /// `async { … }`.
    Block,
    /// `async |…| …`.
    Closure,
    /// Of an unstable kind: `gen`.
    Generator,
}

impl Form {
    /// The form, by the name that debug information gives to a coroutine's type.
    pub fn named(own: &str) -> Form {
        match own {
            _ if own.starts_with("{async_fn_env") => Form::Function,
            _ if own.starts_with("{async_block_env") => Form::Block,
            _ if own.starts_with("{async_closure_env") => Form::Closure,
            _ => Form::Generator,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Form::Function => "async fn",
            Form::Block => "async block",
            Form::Closure => "async closure",
            Form::Generator => "generator",
        }
    }

    /// One in the function of a path, or the body of that: `server::handle`,
    /// `{async block in server::spawn}`.
    pub fn of(self, path: &str) -> String {
        match self {
            Form::Function => path.to_owned(),
            form => format!("{{{} in {path}}}", form.words()),
        }
    }
}

/// Whether a segment of a path is a closure, a block, or the body of an `async fn`.
pub fn is_closure(segment: &str) -> bool {
    let is_kind = |kind: &str| segment.starts_with(kind);
    ["{closure", "{{closure", "{async", "{gen"]
        .into_iter()
        .any(is_kind)
}

/// A coroutine's type without arguments as it is written; `None` for another type.
pub fn written(path: &str) -> Option<String> {
    let (around, own) = path.rsplit_once("::")?;
    let is_coroutine = own.contains("_env#") && is_closure(own) && !own.starts_with("{closure");
    let named = around.split("::").filter(|segment| !is_closure(segment));
    is_coroutine.then(|| Form::named(own).of(&named.collect::<Vec<_>>().join("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_coroutines() {
        for (path, expected) in [
            ("app::serve::{async_fn_env#0}", Some("app::serve")),
            (
                "app::f::{closure#0}::{async_block_env#1}",
                Some("{async block in app::f}"),
            ),
            ("f::{async_closure_env#0}", Some("{async closure in f}")),
            ("app::f::{closure_env#0}", None),
            ("app::serve", None),
            ("serve", None),
        ] {
            assert_eq!(written(path).as_deref(), expected, "{path}");
        }
    }
}
