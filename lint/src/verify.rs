//! Compares sizes with rustc's: rustdoc compiles a crate and prints the layout of each type.

use crate::interrupt;
use crate::ir::AdtKind;
use crate::model::{Model, TypeInfo};
use crate::project::{Crate, CrateKind, Project, Selection, cargo};
use crate::resolve::Unknown;
use crate::source::read;
use crate::store::Folder;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The size of a type according to rustc, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its size.
    pub size: u64,
    /// The variants of an enum with several; without the tag, with padding.
    pub variants: Vec<(String, u64)>,
}

/// The result of a comparison with rustc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal sizes.
    Exact(u64),
    /// Different sizes: describes the difference.
    Wrong(String),
    /// The size is assumed: whether rustc agrees, and what is supposed.
    Assumed(bool, String),
    /// Only rustc knows the size; the reason why it is unknown here.
    Unknown(String),
    /// rustdoc was not run, or prints no size: types in functions, generic and unsized types.
    NotAsked,
}

/// Returns whether rustdoc can compile a crate.
pub fn is_asked(krate: &Crate) -> bool {
    !krate.kind.is_test()
}

/// The crates that rustdoc compiles in one run.
pub struct Names(Vec<String>);

impl Names {
    /// Collects the names of crates.
    pub fn of<'c>(crates: impl Iterator<Item = &'c Crate>) -> Names {
        let names: BTreeSet<&str> = crates.map(|krate| krate.name.as_str()).collect();
        Names(names.into_iter().map(str::to_owned).collect())
    }

    /// Returns the crates that may use unstable flags, so that build scripts do not take the
    /// compiler for a nightly. The value is constant in a run: some build scripts run again when it
    /// changes, and their dependents are rebuilt.
    pub fn bootstrap(&self) -> OsString {
        let names = self.0.join(",");
        match std::env::var("RUSTC_BOOTSTRAP") {
            Ok(set) if set == "1" => set.into(),
            Ok(set) if !set.is_empty() && set != "-1" => format!("{set},{names}").into(),
            _ => names.into(),
        }
    }
}

/// Runs rustdoc on a crate, one of `names`, with a target folder of ours; returns the folder with
/// its pages.
///
/// # Errors
/// Returns cargo's output if it fails.
pub fn ask(
    project: &Project,
    krate: &Crate,
    names: &Names,
    selection: &Selection,
    target_dir: &Folder,
) -> Result<PathBuf, String> {
    let mut docs = PathBuf::new();
    if let Some(target) = &selection.target {
        let file = Path::new(target);
        docs.push(
            file.file_stem()
                .filter(|_| target.ends_with(".json"))
                .unwrap_or(file.as_os_str()),
        );
    }
    docs.push("doc");
    // A library and a binary of one name share the folder; without its pages cargo generates them
    // again.
    if let Ok(docs) = target_dir.at(&docs) {
        let _ = docs.remove_tree(&krate.name);
    }
    docs.push(&krate.name);
    let mut command = cargo("rustdoc");
    command.args(["--color", "never"]);
    command.args(arguments(project, krate, selection));
    command.arg("--target-dir").arg(target_dir.path());
    command.args(["--", "-Zunstable-options", "--show-type-layout"]);
    command.args(["--document-private-items", "--document-hidden-items"]);
    // Warnings and documentation lints are irrelevant here.
    command.args(["--cap-lints", "allow"]);
    command.env("RUSTC_BOOTSTRAP", names.bootstrap());
    // rustdoc has flags of its own, which may set another `cfg`: it gets those for rustc instead.
    let flags = project.rustdocflags(krate).join("\x1f");
    command.env("CARGO_ENCODED_RUSTDOCFLAGS", flags);
    command.env_remove("RUSTDOCFLAGS");
    let output = interrupt::output(&mut command).map_err(|e| format!("cannot run cargo: {e}"))?;
    match output.status.success() {
        true => Ok(target_dir.path().join(docs)),
        false => Err(format!(
            "`cargo rustdoc` failed for {} ({}), so rustc could not be asked\n{}",
            described(krate),
            output.status,
            from_first_error(&String::from_utf8_lossy(&output.stderr))
        )),
    }
}

/// Returns a compiler's output without the warnings before its first error.
pub fn from_first_error(text: &str) -> &str {
    let start = match text.starts_with("error") {
        true => 0,
        false => text.find("\nerror").map_or(0, |at| at + 1),
    };
    text[start..].trim_end()
}

/// Describes a crate: package, kind and name.
pub fn described(krate: &Crate) -> String {
    let kind = match krate.kind {
        CrateKind::Lib | CrateKind::ProcMacro => "library",
        CrateKind::Bin => "binary",
        CrateKind::Example => "example",
        CrateKind::Test => "test",
        CrateKind::Bench => "benchmark",
    };
    format!("{kind} `{}` of {}", krate.target_name, krate.package)
}

fn arguments(project: &Project, krate: &Crate, selection: &Selection) -> Vec<OsString> {
    let mut list: Vec<OsString> = Vec::new();
    let mut add = |flag: &str, value: Option<OsString>| {
        list.push(flag.into());
        list.extend(value);
    };
    // The package's own manifest: its ID may name a parent folder. A dependency is built as the
    // workspace has it.
    let manifest = match krate.member {
        true => krate.manifest_path.clone(),
        false => project.workspace_root.join("Cargo.toml"),
    };
    add("--manifest-path", Some(manifest.into()));
    add("--package", Some((&krate.package_id).into()));
    match krate.kind {
        CrateKind::Lib | CrateKind::ProcMacro => add("--lib", None),
        CrateKind::Bin => add("--bin", Some((&krate.target_name).into())),
        CrateKind::Example => add("--example", Some((&krate.target_name).into())),
        CrateKind::Test => add("--test", Some((&krate.target_name).into())),
        CrateKind::Bench => add("--bench", Some((&krate.target_name).into())),
    }
    for features in &selection.features {
        add("--features", Some(features.into()));
    }
    for config in &selection.config {
        add("--config", Some(config.into()));
    }
    for (flag, value) in [
        ("--profile", &selection.profile),
        ("--target", &selection.target),
    ] {
        if let Some(value) = value {
            add(flag, Some(value.into()));
        }
    }
    let flags = [
        (selection.all_features, "--all-features"),
        (selection.no_default_features, "--no-default-features"),
        (selection.release, "--release"),
        (selection.locked, "--locked"),
        (selection.offline, "--offline"),
        (selection.frozen, "--frozen"),
    ];
    for (_, flag) in flags.iter().filter(|(on, _)| *on) {
        add(flag, None);
    }
    list
}

/// Compares a type with rustdoc's page about it.
pub fn compare(model: &Model<'static>, info: &TypeInfo, folder: &Path) -> Verdict {
    let Some(answer) = answer(&info.path, info.kind, folder) else {
        return Verdict::NotAsked;
    };
    let extent = match model.extent(info.ty) {
        Ok(extent) => extent,
        Err(_) => {
            let least = model.min_size(info.ty);
            return match model.assumed(info.ty) {
                _ if least > answer.size => Verdict::Wrong(format!(
                    "said at least {least} bytes, rustc says {}",
                    answer.size
                )),
                Ok(assumed) => {
                    Verdict::Assumed(assumed.extent.size == answer.size, assumed.words())
                }
                // rustc's page shows a size although a type parameter could change it.
                Err(Unknown::Generic(_)) if !info.generics.is_empty() => Verdict::NotAsked,
                Err(why) => Verdict::Unknown(model.reason(&why)),
            };
        }
    };
    if extent.size != answer.size {
        return Verdict::Wrong(format!(
            "said {} bytes, rustc says {}",
            extent.size, answer.size
        ));
    }
    if let Ok(view) = model.view(info.ty) {
        for (name, room) in &answer.variants {
            let mut variants = view.variants.iter().filter(|v| !v.absent);
            if let Some(v) = variants.find(|v| v.name == name.as_str())
                && v.size > *room
            {
                return Verdict::Wrong(format!(
                    "said {} bytes of fields in variant `{name}`, rustc has room for {room}",
                    v.size
                ));
            }
        }
    }
    Verdict::Exact(extent.size)
}

/// Returns rustc's size of a type, if it has a page: `path` is relative to the crate's root.
pub fn answer(path: &str, kind: AdtKind, folder: &Path) -> Option<Answer> {
    let kind = match kind {
        AdtKind::Struct => "struct",
        AdtKind::Enum => "enum",
        AdtKind::Union => "union",
    };
    let mut file = folder.to_owned();
    let (modules, name) = path.rsplit_once("::").unwrap_or(("", path));
    file.extend(modules.split("::").filter(|m| !m.is_empty()));
    file.push(format!("{kind}.{name}.html"));
    let page = read::text(&file).ok()?;
    read_page(&page)
}

/// Parses the layout section of a rustdoc page; `None` if it has no size.
fn read_page(page: &str) -> Option<Answer> {
    let (_, section) = page.split_once("id=\"layout\"")?;
    let section = section.split("</section>").next()?;
    let (_, size) = section.split_once("<strong>Size:</strong> ")?;
    let (size, variants) = match size.split_once("<strong>Size for each variant:</strong>") {
        Some((size, variants)) => (size, variants),
        None => (size, ""),
    };
    let variants = variants.split("<li><code>").skip(1).filter_map(|item| {
        let (name, rest) = item.split_once("</code>: ")?;
        Some((name.to_owned(), number(rest)?))
    });
    Some(Answer {
        size: number(size)?,
        variants: variants.collect(),
    })
}

fn number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        let page = "<h2 id=\"layout\"><p><strong>Size:</strong> 16 bytes</p><p><strong>Size for \
                    each variant:</strong></p><ul><li><code>A</code>: 7 bytes</li><li><code>C\
                    </code>: 1 byte</li></ul></section>";
        let variants = vec![("A".to_owned(), 7), ("C".to_owned(), 1)];
        assert_eq!(read_page(page), Some(Answer { size: 16, variants }));
        let of = |text: &str| read_page(&format!("<h2 id=\"layout\">{text}</section>"));
        assert_eq!(of("<strong>Size:</strong> (unsized)"), None);
        assert_eq!(
            of("<strong>Note:</strong> Unable to compute type layout"),
            None
        );
        let empty = Answer {
            size: 0,
            variants: Vec::new(),
        };
        assert_eq!(
            of("<strong>Size:</strong> 0 bytes (uninhabited)"),
            Some(empty)
        );
        assert_eq!(read_page("<strong>Size:</strong> 8 bytes"), None);
    }
}
