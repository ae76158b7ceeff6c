//! Tests of conditions that a script states plainly, and of text that only looks like them.

use super::*;

/// Returns whether a script sets a name if only the feature `on` is enabled.
fn sets(text: &str, name: &str) -> Option<bool> {
    let holds = |cfg: &Cfg, of_script: bool| match cfg {
        Cfg::KeyPair(key, value) if key == "feature" => Some(value == "on"),
        Cfg::KeyPair(key, value) if key == "version" && value == "nightly" => Some(true),
        Cfg::KeyPair(key, value) if key == "version" => {
            value[2..].parse().ok().map(|minor: u32| minor <= 60)
        }
        Cfg::KeyPair(key, value) => (!of_script).then_some(key == "target_os" && value == "linux"),
        Cfg::Name(name) => (!of_script || name != "unix").then_some(name == "unix"),
    };
    Told::read(text).sets(name, &holds)
}

/// Returns whether `x` is set when `main` prints it in place of the `@`.
fn under(around: &str) -> Option<bool> {
    let print = "println!(\"cargo:rustc-cfg=x\");";
    sets(
        &format!("fn main() {{ {} }}", around.replace('@', print)),
        "x",
    )
}

#[test]
fn conditions_that_are_written_out() {
    assert_eq!(under("@"), Some(true));
    assert_eq!(under("if cfg!(feature = \"on\") { @ }"), Some(true));
    assert_eq!(under("if cfg!(feature = \"off\") { @ }"), Some(false));
    assert_eq!(
        under("if !cfg!(feature = \"off\") && !(cfg!(other)) { @ }"),
        Some(true)
    );
    assert_eq!(
        under("let a = cfg!(other); if a || cfg!(feature = \"on\") { @ }"),
        Some(true)
    );
    assert_eq!(
        under("let a = cfg!(other); if a { } else if !a { @ }"),
        Some(true)
    );
    assert_eq!(
        under("let a = cfg!(other); if a { } else { @ }"),
        Some(true)
    );
    assert_eq!(under("if a() || !cfg!(other) { @ }"), Some(true));
    assert_eq!(under("if a() && cfg!(other) { @ }"), Some(false));
    assert_eq!(under("if cfg!(other) && &b == \"c\" { @ }"), Some(false));
    // This variable is never set; those that cargo sets are not in our environment.
    let asked = |name: &str| {
        under(&format!(
            "let a = env::var_os(\"{name}\").is_some(); if !a {{ @ }}"
        ))
    };
    assert_eq!(asked("NO_SUCH_VARIABLE"), Some(true));
    assert_eq!(asked("CARGO_FEATURE_ON"), None);
    // The system that the script runs on may not be the target's.
    assert_eq!(under("if cfg!(unix) { @ }"), None);
    assert_eq!(under("if cfg!(target_os = \"linux\") { @ }"), None);
}

#[test]
fn what_is_not_plain_is_not_known() {
    for text in [
        "if rustc() > 5 { @ }",
        "if let Some(_) = a { @ }",
        "let mut a = cfg!(other); a = true; if !a { @ }",
        "let a; if b() { a = true } if a { @ }",
        "match a { _ => @ }",
        "for _ in 0..n { @ }",
        "let f = || @",
        "b.then(|| @)",
        "#[cfg(windows)] @",
        "#[cfg(windows)] { @ }",
        "#[cfg(windows)] if !cfg!(other) { @ }",
        "if matches!(a, B { .. }) { @ }",
        "{ let a = cfg!(feature = \"on\"); } if a { @ }",
        "let a = cfg!(other); for a in b() { if a { @ } }",
        "let a = cfg!(other); if let Some(a) = b() { if a { @ } }",
        "let a = cfg!(other); match b() { a => { if a { @ } } }",
        "let a = cfg!(other); let (a, _) = b(); if a { @ }",
        "let a = cfg!(other); let Some(a) = b() else { panic!() }; if a { @ }",
        "if a != \"b\" && &c != \"d\" && &e != \"f\" { @ }",
        "if a() || |b: u8| b == c { @ }",
        "if b() { return; } @",
        "let Some(a) = b() else { return }; @",
        "if b() { std::process::exit(0) } @",
    ] {
        assert_eq!(under(text), None, "{text}");
    }
    assert_eq!(under("if cfg!(other) { return; } @"), Some(true));
    assert_eq!(under("if !cfg!(other) { return; } @"), Some(false));
    let helper = "fn main() { f() } fn f() { println!(\"cargo:rustc-cfg=x\") }";
    assert_eq!(sets(helper, "x"), None);
    let inner = "mod a { pub fn main() { println!(\"cargo:rustc-cfg=x\"); } } fn main() {}";
    assert_eq!(sets(inner, "x"), None);
    let two = "#[cfg(a)] fn main() { println!(\"cargo:rustc-cfg=x\"); }";
    assert_eq!(sets(two, "x"), None);
}

#[test]
fn versions_of_rustc() {
    let of = |cond: &str| under(&format!("let rustc = env(\"RUSTC\"); if {cond} {{ @ }}"));
    assert_eq!(
        (of("minor < 60"), of("minor < 61")),
        (Some(false), Some(true))
    );
    assert_eq!(
        (of("minor <= 59"), of("minor <= 60")),
        (Some(false), Some(true))
    );
    assert_eq!(
        (of("c.minor > 59"), of("c.minor > 60")),
        (Some(true), Some(false))
    );
    assert_eq!(
        (of("c.minor >= 60"), of("c.minor >= 61")),
        (Some(true), Some(false))
    );
    assert_eq!((of("minor() < 60"), of("major < 1")), (None, None));
    // The version of another program.
    assert_eq!(under("if minor < 61 { @ }"), None);
    let bound = "let c = env(\"RUSTC\"); let v = rustc_minor_version().unwrap_or(9);";
    assert_eq!(under(&format!("{bound} if v < 61 {{ @ }}")), Some(true));
    assert_eq!(
        under(&format!("{bound} let v = 5; if v < 61 {{ @ }}")),
        None
    );
    let left = format!("{bound} let v = match v {{ 9 => return, v => v }};");
    assert_eq!(under(&format!("{left} if minor < 61 {{ @ }}")), None);
    assert_eq!(under(&format!("{left} if minor < 60 {{ @ }}")), Some(false));
    let script = |version: &str, more: &str| {
        let function = format!("fn minor_rustc_version() -> Option<u32> {{ {version} }}");
        let given = format!("if let Some(v) = minor_rustc_version() {more}");
        under(&format!("{function} {given}"))
    };
    let given = |more: &str| script("run(var(\"RUSTC\")?)", more);
    assert_eq!(given("{ if v >= 60 { @ } }"), Some(true));
    assert_eq!(given("{ if v >= 61 { @ } }"), Some(false));
    assert_eq!(given("{ return } @"), Some(false));
    assert_eq!(given("{} else { @ }"), Some(false));
    assert_eq!(given("{} if v >= 60 { @ }"), None);
    assert_eq!(given("&& nightly() { @ }"), None);
    for other in [
        "run(\"cc\")",
        "if var(\"RUSTC\") == other { return None; } Some(59)",
    ] {
        assert_eq!(script(other, "{ if v >= 60 { @ } }"), None, "{other}");
    }
}

#[test]
fn the_channel_of_rustc() {
    let of = |channel: &str, cond: &str| under(&format!("let c = {channel}; if {cond} {{ @ }}"));
    let read = "version_check::Channel::read().unwrap()";
    assert_eq!(of(read, "c.is_nightly()"), Some(true));
    assert_eq!(of(read, "!c.is_nightly()"), Some(false));
    assert_eq!(of(read, "c.is_dev()"), None);
    assert_eq!(of("Channel::of(\"1.2\").unwrap()", "c.is_nightly()"), None);
    let feature = "fn main() { if cfg!(feature = \"off\") { println!(\"cargo:rustc-cfg=feature=\\\"x\\\"\") } }";
    assert_eq!(sets(feature, "feature=\"x\""), Some(false));
    assert_eq!((sets(feature, "x"), sets(feature, "feature")), (None, None));
}

#[test]
fn texts_and_comments_are_no_code() {
    assert_eq!(under("// if a() {\n @ /* } */"), Some(true));
    assert_eq!(
        under("let a = '\"'; let b = '{'; let c: &'static str = r#\"\" {\"#; @"),
        Some(true)
    );
    assert_eq!(under("let a = \"\\\" {\"; @"), Some(true));
    assert_eq!(
        sets(
            "fn main() { println!(\"cargo::rustc-cfg=x=\\\"1\\\"\"); }",
            "x"
        ),
        None
    );
}

#[test]
fn tables_of_aliases() {
    let table = "fn main() { cfg_aliases::cfg_aliases! {
        // Systems.
        here: { all(target_os = \"linux\", unix) },
        there: { any(target_os = \"windows\", /* not yet */ later,) },
        both: { any(here, feature = \"off\") },
        later: { here }
    } }";
    assert_eq!(sets(table, "here"), Some(true));
    assert_eq!(sets(table, "there"), Some(false));
    assert_eq!(sets(table, "both"), Some(true));
    assert_eq!(sets(table, "later"), Some(true));
    assert_eq!(sets(table, "linux"), None);
    let asked = "fn main() { if a() { cfg_aliases! { here: { unix } } } }";
    assert_eq!(sets(asked, "here"), None);
}

#[test]
fn hostile_scripts_end() {
    let many = |what: &str| what.repeat(8_000);
    for text in [
        format!("if {} a {{ }} @", many("!")),
        format!("if {} a {} {{ }} @", many("("), many(")")),
        format!("if cfg!({} a {}) {{ }} @", many("not("), many(")")),
        format!("if a {{ }} {} @", many("else if a { } ")),
        format!("{} {} @", many("{"), many("}")),
        format!("{} @", many("if a() { return; }")),
        format!("{} @", many("let a = cfg!(b); ")),
    ] {
        under(&text);
    }
    let aliases = |n: usize| format!("a{n}: {{ any(a{0}, a{0}) }},", n.saturating_sub(1));
    let table: String = (0..100).map(aliases).collect();
    let table = format!("fn main() {{ cfg_aliases! {{ {table} }} }}");
    assert_eq!(sets(&table, "a99"), Some(false));
}
