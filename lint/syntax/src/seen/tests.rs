//! Tests of when facts are valid and when they no longer are.

use super::*;
use std::time::Duration;

/// Asks several questions and returns the recorded facts.
fn facts(folder: &Path) -> Facts {
    let mut facts = Facts::default();
    facts.read_of(&folder.join("file"));
    facts.read_of(&folder.join("missing"));
    facts.asked(folder, |fact| {
        fact.names = Some(
            fact::names(folder)
                .ok()
                .map(|names| fact::print_names(&names)),
        );
    });
    facts
}

/// Waits until files that were written before count as settled.
fn settle() {
    std::thread::sleep(Duration::from_millis(120));
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "one").unwrap();
    folder
}

#[test]
fn facts_hold_until_an_answer_is_another() {
    for settled in [false, true] {
        let folder = folder();
        let file = folder.path().join("file");
        if settled {
            settle();
        }
        let facts = facts(folder.path());
        let holds = || facts.again().is_some();
        assert!(holds());
        // The same bytes with another time.
        fs::write(&file, "one").unwrap();
        assert!(holds());
        // Other bytes of the same length, with the old time.
        let old = file.metadata().unwrap().modified().unwrap();
        fs::write(&file, "two").unwrap();
        File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .set_modified(old)
            .unwrap();
        assert!(!holds());
        fs::write(&file, "one").unwrap();
        assert!(holds());
        fs::write(folder.path().join("missing"), "").unwrap();
        assert!(!holds());
        fs::remove_file(folder.path().join("missing")).unwrap();
        assert!(holds());
        fs::rename(&file, folder.path().join("other")).unwrap();
        assert!(!holds());
        fs::rename(folder.path().join("other"), &file).unwrap();
        assert!(holds());
        fs::write(folder.path().join("another"), "").unwrap();
        assert!(!holds(), "a folder has another name in it");
    }
}

#[test]
fn stamps_that_were_renewed_serve_the_next_time() {
    let folder = folder();
    settle();
    let first = facts(folder.path());
    fs::write(folder.path().join("file"), "one").unwrap();
    settle();
    let (second, renewed) = first.again().unwrap();
    assert_eq!(renewed, cfg!(unix));
    assert!(!second.again().unwrap().1);
}

#[test]
fn a_file_that_changes_in_the_middle_spoils_it() {
    let folder = folder();
    let mut facts = facts(folder.path());
    assert!(facts.is_whole());
    fs::write(folder.path().join("file"), "two").unwrap();
    facts.read_of(&folder.path().join("file"));
    assert!(!facts.is_whole());
}

#[test]
fn what_changed_after_a_moment_is_not_older() {
    let folder = folder();
    settle();
    let at = SystemTime::now();
    let known = Facts::default();
    let before = facts(folder.path());
    assert!(before.are_older(at, &known));
    fs::write(folder.path().join("file"), "one").unwrap();
    assert!(!before.are_older(at, &known));
    let mut gone = Facts::default();
    gone.read_of(&folder.path().join("gone"));
    assert!(gone.are_older(at, &known), "nothing came or went");
    fs::write(folder.path().join("gone"), "").unwrap();
    fs::remove_file(folder.path().join("gone")).unwrap();
    assert!(!gone.are_older(at, &known), "it was there for a moment");
    assert!(gone.are_older(at, &gone), "it is known that it was not");
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("a")).unwrap();
    fs::create_dir(at("b")).unwrap();
    fs::write(at("a/file"), "one").unwrap();
    fs::write(at("b/file"), "one").unwrap();
    symlink("a", at("link")).unwrap();
    settle();
    let path = at("link/file");
    let ((), facts) = apart(|| {
        assert_eq!(real(&path).unwrap(), path.canonicalize().unwrap());
        assert_eq!(
            real(&at("a/file")).unwrap(),
            at("a/file").canonicalize().unwrap()
        );
        assert_eq!(real(&at("nowhere")).ok(), None);
    });
    assert!(facts.again().is_some());
    fs::remove_file(at("link")).unwrap();
    symlink("b", at("link")).unwrap();
    assert!(facts.again().is_none(), "it leads elsewhere");
    fs::remove_file(at("link")).unwrap();
    symlink("a", at("link")).unwrap();
    assert!(facts.again().is_some());
    fs::rename(at("a"), at("c")).unwrap();
    symlink("c", at("a")).unwrap();
    assert!(facts.again().is_none(), "a folder on the way is a link");
}

#[test]
fn other_threads_count_for_the_run_alone() {
    let folder = folder();
    let (own, other) = (folder.path().join("file"), folder.path().join("other"));
    fs::write(&other, "two").unwrap();
    begin();
    let (_, apart) = apart(|| {
        std::thread::scope(|scope| scope.spawn(|| text(&other)).join().unwrap());
        text(&own);
    });
    let run = end().unwrap();
    let has = |facts: &Facts, path: &Path| {
        let facts = serde_json::to_value(facts).unwrap();
        facts["paths"].get(path.to_str().unwrap()).is_some()
    };
    assert!(has(&apart, &own) && has(&run, &own));
    assert!(!has(&apart, &other) && has(&run, &other));
}
