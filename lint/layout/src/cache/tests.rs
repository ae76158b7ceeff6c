//! Tests of cache entries: found while they are valid, and a miss after any damage.

use super::*;
use std::collections::BTreeMap;
use std::fs::{self, File};

/// A file that an answer depends on, and the stored answer.
struct Bench {
    folder: tempfile::TempDir,
    cache: Cache,
    key: Key,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::of([folder.path().join("target")]);
        let key = Key::new("test", [OsStr::new("a")]);
        Bench { folder, cache, key }
    }

    fn keep(&self, text: &str, answer: &str) {
        let file = self.folder.path().join("file");
        fs::write(&file, text).unwrap();
        let read = || crate::seen::bytes(&file, || fs::read(&file));
        let (read, facts) = crate::seen::apart(read);
        read.unwrap();
        let target = self.folder.path().join("target");
        self.cache.keep(&target, &self.key, &facts, &answer);
    }

    fn find(&self) -> Option<String> {
        self.cache.find(&self.key).map(|(answer, _)| answer)
    }

    fn entries(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path().join("target/weigh/cache")).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }
}

#[test]
fn states_are_kept_beside_each_other_and_the_oldest_goes() {
    let bench = Bench::new();
    assert_eq!(bench.find(), None);
    for n in 0..=STATES {
        bench.keep(&format!("state {n}"), &n.to_string());
        // Entries differ in age.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(bench.entries().len(), STATES);
    for n in (0..=STATES).rev() {
        fs::write(bench.folder.path().join("file"), format!("state {n}")).unwrap();
        assert_eq!(bench.find(), (n > 0).then(|| n.to_string()), "{n}");
    }
    let other = Key::new("test", [OsStr::new("b")]);
    assert!(bench.cache.find::<String>(&other).is_none());
}

#[test]
fn any_damage_is_a_miss() {
    let bench = Bench::new();
    bench.keep("text", "answer");
    let path = bench.entries().remove(0);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(bench.find(), None, "cut at {at}");
        let bit = at % 8;
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << bit;
        fs::write(&path, damaged).unwrap();
        assert_eq!(bench.find(), None, "bit {bit} of byte {at}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(bench.find().as_deref(), Some("answer"));
    // An entry of another key under this name.
    let text = String::from_utf8(whole).unwrap();
    let (_, rest) = text.split_once('\n').unwrap();
    let mut entry: BTreeMap<String, serde_json::Value> = serde_json::from_str(rest).unwrap();
    entry.insert("key".to_owned(), "another".into());
    let rest = serde_json::to_vec(&entry).unwrap();
    let mut bytes = format!("{}\n", print(&rest).hex()).into_bytes();
    bytes.extend(rest);
    fs::write(&path, bytes).unwrap();
    assert_eq!(bench.find(), None);
}

#[test]
fn folders_do_not_grow_without_end() {
    let bench = Bench::new();
    bench.keep("text", "answer");
    let folder = bench.entries()[0].parent().unwrap().to_owned();
    let name = |n: usize| format!("old-{n:032x}-0");
    for n in 0..MOST + 10 {
        fs::write(folder.join(name(n)), "").unwrap();
    }
    // What is not an entry, by its name or its kind, is left.
    for name in ["letter.txt", "old-1-0", "run-0123456789abcdef-0"] {
        fs::write(folder.join(name), "mine").unwrap();
    }
    fs::create_dir(folder.join(name(MOST + 10))).unwrap();
    let opened = store::find(&bench.folder.path().join("target"), Kind::Cache).unwrap();
    thin(&opened);
    assert_eq!(bench.entries().len(), MOST + 4);
    for n in 0..3 {
        let file = File::create(folder.join(name(n))).unwrap();
        file.set_len(MOST_BYTES / 2).unwrap();
    }
    thin(&opened);
    let bytes: u64 = bench
        .entries()
        .iter()
        .filter(|path| path.is_file() && is_entry(path.file_name().unwrap()))
        .map(|p| p.metadata().unwrap().len())
        .sum();
    assert!(bytes <= MOST_BYTES, "{bytes}");
}

#[test]
fn what_cannot_be_asked_again_is_not_kept() {
    let bench = Bench::new();
    let mut facts = Facts::default();
    facts.spoil();
    let target = bench.folder.path().join("target");
    bench.cache.keep(&target, &bench.key, &facts, &"answer");
    bench.cache.keep(
        Path::new("elsewhere"),
        &bench.key,
        &Facts::default(),
        &"answer",
    );
    assert_eq!(bench.find(), None);
    bench
        .cache
        .keep(&target, &bench.key, &Facts::default(), &"answer");
    assert_eq!(bench.find().as_deref(), Some("answer"));
}
