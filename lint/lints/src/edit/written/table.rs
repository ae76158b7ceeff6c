//! The table: what edits leave in the code, and how a person writes it.

use super::Kind;

/// A pattern and what replaces it.
pub(super) struct Rule {
    /// The tokens to find. `$text` stands for an operand of this [`Kind`], `$any` for an operand of
    /// any type, `$list` for what is between brackets; the token behind a `#` is one that an edit
    /// wrote.
    pub(super) before: &'static str,
    /// What they become.
    pub(super) after: &'static str,
    /// The type of both, for the test: with `text: &str`, `string: String` and so on.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the test declares values by it")
    )]
    pub(super) gives: &'static str,
}

const fn rule(gives: &'static str, before: &'static str, after: &'static str) -> Rule {
    Rule {
        before,
        after,
        gives,
    }
}

/// The kinds that a pattern can name.
pub(super) const KINDS: &[(&str, Kind)] = &[
    ("any", Kind::Any),
    ("boxed", Kind::Any),
    ("bytes", Kind::Bytes),
    ("into", Kind::Into),
    ("list", Kind::List),
    ("option", Kind::Option),
    ("osbuf", Kind::OsString),
    ("osstr", Kind::OsStr),
    ("path", Kind::Path),
    ("pathbuf", Kind::PathBuf),
    ("slice", Kind::Slice),
    ("string", Kind::String),
    ("text", Kind::Text),
    ("vec", Kind::Vec),
];

/// The rules; of several that fit, the first is used. The field's type is known where they apply,
/// and it is that of the result.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    // What a caller gives.
    rule("Arc<str>", "String::into_boxed_str($into.into()).into()", "$into.into().into()"),
    rule("Box<str>", "String::into_boxed_str($into.into())", "$into.into().into_boxed_str()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($into.into())", "$into.into().into_boxed_slice()"),
    rule("Box<Path>", "PathBuf::into_boxed_path($into.into())", "$into.into().into_boxed_path()"),
    rule("Box<OsStr>", "OsString::into_boxed_os_str($into.into())", "$into.into().into_boxed_os_str()"),
    // Texts.
    rule("Arc<str>", "String::into_boxed_str($text.to_string()).into()", "$text.into()"),
    rule("Arc<str>", "String::into_boxed_str($text.to_owned()).into()", "$text.into()"),
    rule("Arc<str>", "String::into_boxed_str($text.into()).into()", "$text.into()"),
    rule("Arc<str>", "String::into_boxed_str($string.into()).into()", "$string.into()"),
    rule("Arc<str>", "String::into_boxed_str($string).into()", "$string.into()"),
    rule("Arc<str>", "Arc::from($text.to_string())", "$text.into()"),
    rule("Arc<str>", "Arc::from($text.to_owned())", "$text.into()"),
    rule("Arc<str>", "Arc::from(String::from($text))", "$text.into()"),
    rule("Arc<str>", "Arc::from(String::new())", "\"\".into()"),
    rule("Box<str>", "String::into_boxed_str($text.into())", "$text.into()"),
    rule("Box<str>", "String::into_boxed_str($string.into())", "$string.into()"),
    rule("Box<str>", "String::into_boxed_str($text.to_string())", "$text.into()"),
    rule("Box<str>", "String::into_boxed_str($text.to_owned())", "$text.into()"),
    rule("Box<str>", "String::into_boxed_str(String::from($text))", "$text.into()"),
    rule("Box<str>", "String::into_boxed_str(String::new())", "Box::default()"),
    rule("Box<str>", "String::into_boxed_str(Default::default())", "Box::default()"),
    rule("Box<str>", "String::into_boxed_str($string)", "$string.into_boxed_str()"),
    rule("Box<str>", "String::into_boxed_str($any.collect())", "$any.collect::<String>().into_boxed_str()"),
    rule("Box<str>", "$text.to_string().into_boxed_str()", "$text.into()"),
    rule("Box<str>", "$text.to_owned().into_boxed_str()", "$text.into()"),
    rule("Box<str>", "String::from($text).into_boxed_str()", "$text.into()"),
    rule("Box<str>", "String::new().into_boxed_str()", "Box::default()"),
    rule("Box<str>", "String::default().into_boxed_str()", "Box::default()"),
    // Lists.
    rule("Box<[u8]>", "Vec::into_boxed_slice($slice.into())", "$slice.into()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($slice.to_vec())", "$slice.into()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($slice.to_owned())", "$slice.into()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($vec.into())", "$vec.into()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice(Vec::new())", "Box::default()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice(vec![])", "Box::default()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice(Default::default())", "Box::default()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($vec)", "$vec.into_boxed_slice()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($any.collect())", "$any.collect()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($any.collect::<Vec<_>>())", "$any.collect()"),
    rule("Box<[u8]>", "$any.collect::<Vec<_>>().into_boxed_slice()", "$any.collect()"),
    rule("Box<[u8]>", "$bytes.to_vec().into_boxed_slice()", "Box::new(*$bytes)"),
    rule("Box<[u8]>", "$slice.to_vec().into_boxed_slice()", "$slice.into()"),
    rule("Box<[u8]>", "$slice.to_owned().into_boxed_slice()", "$slice.into()"),
    rule("Box<[u8]>", "Vec::from($slice).into_boxed_slice()", "$slice.into()"),
    rule("Box<[u8]>", "Vec::new().into_boxed_slice()", "Box::default()"),
    rule("Box<[u8]>", "Vec::default().into_boxed_slice()", "Box::default()"),
    rule("Box<[u8]>", "Vec::with_capacity(0).into_boxed_slice()", "Box::default()"),
    rule("Box<[u8]>", "vec![].into_boxed_slice()", "Box::default()"),
    rule("Box<[u8]>", "vec![$list].into_boxed_slice()", "Box::new([$list])"),
    // Paths and texts of the system.
    rule("Box<Path>", "PathBuf::into_boxed_path($path.into())", "$path.into()"),
    rule("Box<Path>", "PathBuf::into_boxed_path($path.to_path_buf())", "$path.into()"),
    rule("Box<Path>", "PathBuf::into_boxed_path($pathbuf.into())", "$pathbuf.into()"),
    rule("Box<Path>", "PathBuf::into_boxed_path($pathbuf)", "$pathbuf.into_boxed_path()"),
    rule("Box<Path>", "$path.to_path_buf().into_boxed_path()", "$path.into()"),
    rule("Box<Path>", "$path.to_owned().into_boxed_path()", "$path.into()"),
    rule("Box<OsStr>", "OsString::into_boxed_os_str($osstr.into())", "$osstr.into()"),
    rule("Box<OsStr>", "OsString::into_boxed_os_str($osbuf)", "$osbuf.into_boxed_os_str()"),
    rule("Box<OsStr>", "$osstr.to_os_string().into_boxed_os_str()", "$osstr.into()"),
    rule("Box<OsStr>", "$osstr.to_owned().into_boxed_os_str()", "$osstr.into()"),
    // Options.
    rule("Option<Box<String>>", "Option::map($option, Box::new)", "$option.map(Box::new)"),
    rule("Option<Box<str>>", "Option::map($option, String::into_boxed_str)", "$option.map(String::into_boxed_str)"),
    rule("Option<Box<[u8]>>", "Option::map($option, Vec::into_boxed_slice)", "$option.map(Vec::into_boxed_slice)"),
    rule("Option<Box<Path>>", "Option::map($option, PathBuf::into_boxed_path)", "$option.map(PathBuf::into_boxed_path)"),
    rule("Option<Box<OsStr>>", "Option::map($option, OsString::into_boxed_os_str)", "$option.map(OsString::into_boxed_os_str)"),
    rule("Option<Box<str>>", "$any.map(str::to_string).map(String::into_boxed_str)", "$any.map(Into::into)"),
    rule("Option<Box<str>>", "$any.map(str::to_owned).map(String::into_boxed_str)", "$any.map(Into::into)"),
    // Boxes.
    rule("Box<u8>", "Box::new(Default::default())", "Box::default()"),
    rule("Box<u8>", "Box::new(#*$any)", "$any"),
    rule("Box<u8>", "Box::new((#*$any))", "$any"),
    // What an edit copied out of a box goes into one.
    rule("Box<str>", "String::into_boxed_str($boxed.#to_string())", "$boxed.clone()"),
    rule("Box<str>", "$boxed.#to_string().into_boxed_str()", "$boxed.clone()"),
    rule("Box<[u8]>", "Vec::into_boxed_slice($boxed.#to_vec())", "$boxed.clone()"),
    rule("Box<[u8]>", "$boxed.#to_vec().into_boxed_slice()", "$boxed.clone()"),
    rule("Box<Path>", "PathBuf::into_boxed_path($boxed.#to_path_buf())", "$boxed.clone()"),
    rule("Box<Path>", "$boxed.#to_path_buf().into_boxed_path()", "$boxed.clone()"),
    rule("Option<Box<u8>>", "Option::map($boxed.#as_deref().cloned(), Box::new)", "$boxed.clone()"),
    rule("Option<Box<u8>>", "$boxed.#as_deref().cloned().map(Box::new)", "$boxed.clone()"),
];
