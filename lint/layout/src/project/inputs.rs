//! The inputs of cargo and rustc: files that they read or look for, and the programs themselves.
//! The set may be too large but not too small; `None` where it is not known.

use super::calls::{Calls, cargo_home};
use super::config::Config;
use crate::folded::folded;
use crate::seen;
use crate::source::read;
use cargo_metadata::Metadata;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Files that cargo or rustup looks for in the folder that programs are run in, in the folder of
/// the manifest, and in all their ancestors.
pub(super) const ABOVE: [&str; 6] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config",
    ".cargo/config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Folders of a package in which cargo looks for targets.
const TARGETS: [&str; 4] = ["src/bin", "examples", "tests", "benches"];

/// Records the inputs that are known before cargo is run.
pub(super) fn before(calls: &Calls) {
    let manifest = calls.selection.manifest_path.as_deref();
    let manifest = manifest.and_then(Path::parent).unwrap_or(Path::new(""));
    let beside = calls.folder.join(manifest);
    let folders: BTreeSet<&Path> = calls.folder.ancestors().chain(beside.ancestors()).collect();
    for folder in folders {
        for name in ABOVE {
            seen::text(&folder.join(name));
        }
    }
    for path in rustup_files(&calls.folder) {
        seen::text(&path);
    }
    // Cargo may create its target folder there, which would look like the removal of one of these.
    targets(&beside);
}

fn rustup_home(folder: &Path) -> Option<PathBuf> {
    match std::env::var_os("RUSTUP_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Some(folder.join(home)),
        None => std::env::home_dir().map(|home| home.join(".rustup")),
    }
}

fn rustup_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/rustup/settings.toml")];
    files.extend(rustup_home(folder).map(|home| home.join("settings.toml")));
    files
}

/// Records all other inputs. `sysroot` is the output of `rustc --print sysroot`.
pub(super) fn after(
    calls: &Calls,
    config: &Config,
    metadata: &Metadata,
    rustc: &str,
    sysroot: &Path,
) -> Option<()> {
    before(calls);
    // The effects of these settings are not tracked.
    let unknown = [&["paths"][..], &["patch"], &["resolver", "lockfile-path"]];
    let is_set = |name: &str| std::env::var_os(name).is_some();
    if unknown.iter().any(|path| config.has(path)) || is_set("RUST_TARGET_PATH") {
        return None;
    }
    programs(calls, config, rustc, sysroot)?;
    let selection = &calls.selection;
    for target in selection.target.iter().chain(&config.build_targets()) {
        if target.ends_with(".json") {
            seen::text(&calls.folder.join(target));
        }
    }
    let root = Path::new(&metadata.workspace_root);
    seen::text(&root.join("Cargo.lock"));
    if !seen::is_file(&root.join("Cargo.lock")) {
        return None;
    }
    let downloaded: Vec<PathBuf> = cargo_home(&calls.folder)
        .map(|home| home.join("registry"))
        .into_iter()
        .collect();
    let mut local = Manifests::default();
    local.queue.push(root.join("Cargo.toml"));
    for package in &metadata.packages {
        let manifest = Path::new(&package.manifest_path);
        seen::text(manifest);
        for target in &package.targets {
            seen::kind(Path::new(&target.src_path));
        }
        if package.source.is_none() {
            local.queue.push(manifest.to_owned());
        } else if !downloaded.iter().any(|folder| manifest.starts_with(folder)) {
            // The package is in a directory source or in a git checkout.
            let folder = manifest.parent()?;
            seen::text(&folder.join(".cargo-checksum.json"));
            seen::names(folder.parent()?).ok()?;
            targets(folder);
        }
    }
    while let Some(manifest) = local.next() {
        local.led_to(&manifest)?;
    }
    Some(())
}

/// Records the paths where cargo looks for the targets of a package.
fn targets(folder: &Path) {
    for name in ["build.rs", "src/lib.rs", "src/main.rs"] {
        seen::kind(&folder.join(name));
    }
    for name in TARGETS {
        let folder = folder.join(name);
        // Most of these folders do not exist.
        let names = match seen::is_dir(&folder) {
            true => seen::names(&folder).unwrap_or_default(),
            false => continue,
        };
        for name in names {
            seen::kind(&folder.join(name).join("main.rs"));
        }
    }
}

/// Returns the manifests that cargo reads for a package in a folder, as far as they are known
/// before cargo is run.
pub(super) fn manifests(folder: &Path) -> BTreeSet<PathBuf> {
    let above = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
    let mut manifests = Manifests {
        queue: above.filter(|path| seen::is_file(path)).collect(),
        ..Manifests::default()
    };
    while let Some(manifest) = manifests.next() {
        // What does not parse leads nowhere.
        let _ = manifests.led_to(&manifest);
    }
    manifests.done
}

/// A walk over manifests that refer to one another.
#[derive(Default)]
struct Manifests {
    queue: Vec<PathBuf>,
    done: BTreeSet<PathBuf>,
    /// Those whose text is recorded: all members lead to the manifest of their workspace.
    recorded: FxHashSet<PathBuf>,
}

impl Manifests {
    fn next(&mut self) -> Option<PathBuf> {
        let done = &mut self.done;
        let is_new = |manifest: &PathBuf| done.insert(manifest.clone());
        std::iter::from_fn(|| self.queue.pop()).find(is_new)
    }

    fn record(&mut self, manifest: PathBuf) {
        if !self.recorded.contains(&manifest) {
            seen::text(&manifest);
            self.recorded.insert(manifest);
        }
    }

    /// Records the files that a local manifest refers to; other manifests are queued.
    fn led_to(&mut self, manifest: &Path) -> Option<()> {
        let folder = manifest.parent()?;
        // The workspace that the package may belong to.
        for above in folder.ancestors() {
            self.record(above.join("Cargo.toml"));
        }
        targets(folder);
        if !seen::is_file(manifest) {
            return Some(());
        }
        let table: Table = read::text(manifest).ok()?.parse().ok()?;
        let mut paths = Vec::new();
        collect_paths(&table, &mut paths);
        let mut folders: Vec<PathBuf> = paths.into_iter().map(|path| folder.join(path)).collect();
        // Possible root files of a library in old editions.
        let name = table.get("package").and_then(|p| p.get("name")?.as_str());
        if let Some(name) = name {
            seen::kind(&folder.join("src").join(format!("{name}.rs")));
        }
        for key in ["members", "default-members"] {
            folders.extend(members(folder, &table, key));
        }
        for folder in folders {
            // A member may refer back to its workspace; normalized paths end the cycle.
            let manifest = folded(&folder.join("Cargo.toml"));
            self.record(manifest.clone());
            self.queue.push(manifest);
        }
        Some(())
    }
}

/// Collects all values of `path` and `workspace` in a manifest, in any table.
fn collect_paths<'t>(table: &'t Table, paths: &mut Vec<&'t str>) {
    for (key, value) in table {
        match value {
            Value::String(path) if key == "path" || key == "workspace" => paths.push(path),
            Value::Table(table) => collect_paths(table, paths),
            Value::Array(list) => {
                let tables = list.iter().filter_map(Value::as_table);
                tables.for_each(|table| collect_paths(table, paths));
            }
            _ => {}
        }
    }
}

/// Returns the folders that the patterns of a key of `[workspace]` name.
pub(super) fn members(folder: &Path, manifest: &Table, key: &str) -> Vec<PathBuf> {
    let workspace = manifest.get("workspace");
    let list = workspace.and_then(|w| w.get(key)?.as_array());
    let patterns = list.into_iter().flatten().filter_map(Value::as_str);
    patterns
        .flat_map(|pattern| fitting(folder, pattern))
        .collect()
}

/// Returns the folders that match a pattern of members; every folder on the way is recorded with
/// its names.
fn fitting(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if !part.contains(['*', '?', '[']) {
            found.iter_mut().for_each(|folder| folder.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in &found {
            match part {
                "**" => below(folder, &mut next),
                _ => next.extend(folders(folder).into_iter().filter(|path| {
                    let name = path.file_name().unwrap_or_default();
                    super::names::glob(part, &name.to_string_lossy())
                })),
            }
        }
        found = next;
    }
    found
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let names = seen::names(folder).unwrap_or_default();
    let paths = names.iter().map(|name| folder.join(name));
    paths.filter(|path| seen::is_dir(path)).collect()
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    found.push(folder.to_owned());
    for folder in folders(folder) {
        match folder.is_symlink() {
            false => below(&folder, found),
            // A link may form a cycle.
            true => seen::spoil(),
        }
    }
}

/// Records the programs that are run. `None` if one is neither part of a toolchain nor rustup: it
/// may depend on anything.
fn programs(calls: &Calls, config: &Config, rustc: &str, sysroot: &Path) -> Option<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut through_rustup = false;
    for (program, name) in [(cargo.as_os_str(), "cargo"), (OsStr::new(rustc), "rustc")] {
        let path = on_path(program, &calls.folder)?;
        let real = seen::real(&path).ok()?;
        seen::program(&real);
        let bin = real.parent()?;
        let stem = real.file_stem()?;
        if stem == name && seen::is_dir(&bin.parent()?.join("lib/rustlib")) {
            continue;
        }
        if !is_rustup(&real) {
            return None;
        }
        through_rustup = true;
    }
    if through_rustup {
        // The names of toolchains, which may be links.
        let toolchains = rustup_home(&calls.folder)?.join("toolchains");
        for name in seen::names(&toolchains).ok()? {
            seen::real(&toolchains.join(name)).ok()?;
        }
    }
    let wrappers = [
        ("RUSTC_WRAPPER", "rustc-wrapper"),
        ("RUSTC_WORKSPACE_WRAPPER", "rustc-workspace-wrapper"),
    ];
    for (variable, key) in wrappers {
        let set = config.env(variable).map(str::to_owned);
        let wrapper = set.or_else(|| config.text(&["build", key]));
        if let Some(wrapper) = wrapper.filter(|wrapper| !wrapper.is_empty()) {
            let path = on_path(OsStr::new(&wrapper), &calls.folder)?;
            let path = seen::real(&path).ok()?;
            if read::bytes(&path).ok()?.starts_with(b"#!") {
                return None;
            }
        }
    }
    let bin = sysroot.join("bin");
    for name in ["rustc", "cargo"] {
        let path = bin.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        if !seen::is_file(&path) {
            // It is not known which program is used instead.
            match name == "cargo" && !through_rustup {
                true => continue,
                false => return None,
            }
        }
        seen::program(&path);
    }
    for folder in [bin, sysroot.join("lib")] {
        for name in seen::names(&folder).ok()? {
            if name.to_string_lossy().contains("rustc_driver") {
                seen::program(&folder.join(name));
            }
        }
    }
    Some(())
}

/// Returns true if a program is rustup, under any name.
fn is_rustup(real: &Path) -> bool {
    if real.file_stem() == Some(OsStr::new("rustup")) {
        return true;
    }
    // A copy of rustup has the same length.
    let length = |path: &Path| seen::state(path).map(|(_, length)| length).ok();
    let name = format!("rustup{}", std::env::consts::EXE_SUFFIX);
    let beside = real.parent().and_then(|bin| length(&bin.join(name)));
    beside.is_some() && beside == length(real)
}

/// Returns the program that rustup would start under this name. Rustup has set the toolchain when
/// it started the cargo that started us; another start of rustup would only cost time.
pub(super) fn behind_rustup(calls: &Calls, name: &str) -> Option<String> {
    let toolchain = calls.toolchain()?;
    let proxy = on_path(OsStr::new(name), &calls.folder)?;
    if !is_rustup(&seen::real(&proxy).ok()?) {
        return None;
    }
    let toolchains = rustup_home(&calls.folder)?.join("toolchains");
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = toolchains.join(toolchain).join("bin").join(file);
    let found = seen::is_file(&path).then_some(path)?;
    found.into_os_string().into_string().ok()
}

/// Returns the path of a program that is given as a path or as a name on `PATH`.
fn on_path(program: &OsStr, folder: &Path) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(folder.join(path));
    }
    let name = match path.extension() {
        Some(_) => path.to_owned(),
        None => {
            let mut name = program.to_owned();
            name.push(std::env::consts::EXE_SUFFIX);
            name.into()
        }
    };
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|at| folder.join(at).join(&name));
    places.find(|path| seen::is_file(path))
}
