//! Compares the declarations of std with compilers: the one that builds this test, and in
//! `.ci/slow` every supported release.

use super::*;
use crate::ir::ItemKind;
use crate::project::{Selection, load};
use crate::resolve::{Def, Ns, Seen};

/// Returns public types of the declarations that are not in the list, by public path.
fn left_out() -> Vec<String> {
    let project: &'static Project = Box::leak(Box::new(project(None, None)));
    let arenas: &'static Arenas<'static> = Box::leak(Box::default());
    let sources = Arc::new(Sources::default());
    let db = Db::new(project, sources, arenas, Default::default());
    let std = db.root(db.std());
    let mut listed = BTreeSet::new();
    for line in rows::types(|_| true).chain(rows::types(|_| false)) {
        let ty = rows::lower(&db, std, line);
        listed.extend(head(&db, ty));
        // An unsized type occurs only behind a pointer.
        if let TyKind::Ref(to, _) = db.types.kind(ty) {
            listed.extend(head(&db, *to));
        }
    }
    let mut missing = BTreeSet::new();
    let mut modules = vec![(std, "std".to_owned())];
    let mut seen = FxHashSet::default();
    while let Some((module, path)) = modules.pop() {
        if !seen.insert(module) {
            continue;
        }
        db.open(module);
        let scope = db.module(module).scope.read();
        let names: FxHashSet<_> = scope
            .types
            .keys()
            .chain(scope.imports.keys())
            .copied()
            .collect();
        let public: Vec<_> = names
            .into_iter()
            .filter(|n| {
                let entries = scope
                    .types
                    .get(n)
                    .into_iter()
                    .chain(scope.imports.get(n))
                    .flatten();
                entries.into_iter().any(|e| e.seen == Seen::Everywhere)
            })
            .collect();
        drop(scope);
        for name in public {
            let below = format!("{path}::{name}");
            let found = db.resolve(module, false, &[name], Ns::Type);
            match found.ok().flatten().map(|f| f.def) {
                Some(Def::Mod(child)) => modules.push((child, below)),
                Some(Def::Item(item)) if matches!(db.item(item).item.kind, ItemKind::Adt(_)) => {
                    let path = db.item_path(item);
                    let of_std = db.krate(db.krate_of(db.item(item).module)).id.is_none();
                    if of_std && !listed.contains(&path) {
                        let generics = db.generics(item).map_or(&[][..], |g| &g.params);
                        let params: Vec<_> = generics.iter().map(|p| p.name.to_string()).collect();
                        missing.insert(format!("{below}<{}>", params.join(", ")));
                    }
                }
                _ => {}
            }
        }
    }
    missing.into_iter().collect()
}

#[test]
fn every_public_type_is_asked_about() {
    let missing = left_out();
    assert!(
        missing.is_empty(),
        "{} missing:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

/// Returns an empty project with a compiler, for a target.
fn project(rustc: Option<&str>, target: Option<&str>) -> Project {
    let manifest = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/showcase/Cargo.toml"
    );
    let rustc = rustc.map(|path| format!("build.rustc = '{path}'"));
    let selection = Selection {
        manifest_path: Some(manifest.into()),
        config: rustc.into_iter().collect(),
        target: target.map(str::to_owned),
        ..Selection::default()
    };
    load(&selection).unwrap()
}

/// Returns the differences of a compiler.
fn faults(project: &Project) -> Vec<String> {
    let measured = measure(project).unwrap_or_else(|why| panic!("{why}"));
    println!(
        "rustc {} on {}: {} std types compared, {} not there",
        project.rustc.version,
        project.target.triple,
        measured.compared.len(),
        measured.absent.len()
    );
    let least = measured.compared.len() > 400;
    assert!(least, "only {} compared", measured.compared.len());
    [measured.wrong, measured.refused].concat()
}

#[test]
fn declarations_have_the_layout_of_the_compiler() {
    let faults = faults(&project(None, None));
    assert!(
        faults.is_empty(),
        "{} wrong:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// `WEIGH_RUSTCS`: paths of compilers, separated by spaces; `WEIGH_TARGETS`: triples besides the
/// host's whose standard library they have.
#[test]
#[ignore = "asks every release: `.ci/slow releases`"]
fn declarations_hold_for_every_release() {
    let list = std::env::var("WEIGH_RUSTCS").expect("WEIGH_RUSTCS names compilers");
    let targets = std::env::var("WEIGH_TARGETS").unwrap_or_default();
    let mut wrong = 0;
    for path in list.split_whitespace() {
        let targets = targets.split_whitespace().map(Some);
        for target in std::iter::once(None).chain(targets) {
            for fault in faults(&project(Some(path), target)) {
                println!("  {fault}");
                wrong += 1;
            }
        }
    }
    assert_eq!(wrong, 0);
}
