//! Tests censuses of a program that goes on: for its own tests, at times, and on request.

use super::{adds_up, number, of_kind};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use weigh_tests::project::Scratch;
use weigh_tests::{Run, cargo, repository, run, weigh, workbench};

/// A package with the crate.
fn with_heap(name: &str) -> Scratch {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nweigh-heap = {{ path = {:?} }}\n\n[workspace]\n",
        repository().join("heap")
    );
    Scratch::empty(name).file("Cargo.toml", manifest)
}

const TREE: &str = "
pub enum Leaf { Number(u64), Text(String), Nothing }
pub struct Node { pub name: String, pub leaf: Option<Box<Leaf>>, pub children: Vec<Node> }
pub fn tree(depth: u32) -> Node {
    let leaf = match depth % 3 { 0 => Leaf::Nothing, 1 => Leaf::Number(7), _ => Leaf::Text(format!(\"leaf {depth}\")) };
    Node { name: format!(\"node of depth {depth}\"), leaf: Some(Box::new(leaf)),
        children: (0..depth).map(|_| tree(depth - 1)).collect() }
}
impl Node {
    pub fn count(&self) -> i64 { 1 + self.children.iter().map(Node::count).sum::<i64>() }
    pub fn texts(&self) -> i64 {
        i64::from(matches!(self.leaf.as_deref(), Some(Leaf::Text(_)))) + self.children.iter().map(Node::texts).sum::<i64>()
    }
    pub fn bytes(&self) -> i64 {
        let own = self.name.capacity() + std::mem::size_of::<Leaf>() + self.children.capacity() * std::mem::size_of::<Node>();
        let leaf = match self.leaf.as_deref() { Some(Leaf::Text(text)) => text.capacity(), _ => 0 };
        (own + leaf) as i64 + self.children.iter().map(Node::bytes).sum::<i64>()
    }
}
";

const TESTS: &str = "
use asks::{Leaf, Node, tree};
unsafe extern \"C\" {
    fn signal(number: i32, handler: extern \"C\" fn(i32)) -> usize;
    fn siginterrupt(number: i32, interrupts: i32) -> i32;
    fn pthread_self() -> usize;
    fn pthread_kill(thread: usize, number: i32) -> i32;
    fn malloc(size: usize) -> *mut u8;
}
extern \"C\" fn alarm(_: i32) { HANDLED.fetch_add(1, Ordering::Relaxed); }
static HANDLED: AtomicU64 = AtomicU64::new(0);
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use weigh_heap::{Uncertain, census_of, measure};

/// Whether there are numbers is asked once: all of them are there or none is.
fn told() -> bool { census_of(\"told\", &1).is_some() }

#[test]
fn what_a_value_owns() {
    if !told() { println!(\"told nothing\"); return; }
    let root = tree(5);
    let counted = census_of(\"tree\", &root).unwrap();
    // The root itself is no part of the heap.
    let nodes = root.count() - 1;
    assert_eq!(counted.values::<Node>(), Ok(nodes));
    assert_eq!(counted.values::<String>(), Ok(nodes + root.texts()));
    assert_eq!(counted.values::<Leaf>(), Ok(nodes + 1));
    assert_eq!(counted.bytes(), root.bytes());
    assert_eq!(counted.values::<Vec<u128>>(), Ok(0));
    // What is not counted is not said to be absent.
    assert_eq!(counted.values::<u64>(), Err(Uncertain { counted: 0 }));
    assert_eq!(counted.values::<()>(), Err(Uncertain { counted: 0 }));
    let map: HashMap<u64, Node> = (0..100).map(|n| (n, tree(0))).collect();
    let counted = census_of(\"map\", &map).unwrap();
    assert_eq!(counted.values::<Node>(), Ok(100));
    assert!(counted.blocks() >= 201, \"{}\", counted.blocks());
    let nothing = census_of(\"nothing\", &Vec::<Node>::new()).unwrap();
    assert_eq!((nothing.bytes(), nothing.blocks(), nothing.values::<Node>()), (0, 0, Ok(0)));
    println!(\"told what a value owns\");
}

/// Signals do not end the wait for the copy.
#[test]
fn what_a_value_owns_under_signals() {
    if !told() { return; }
    let list: Vec<Vec<u8>> = (0..20).map(|n| vec![n; 1 << 20]).collect();
    let me = unsafe { signal(14, alarm); siginterrupt(14, 1); pthread_self() };
    let is_counted = AtomicBool::new(false);
    let counted = std::thread::scope(|scope| {
        // A timer's signal would go to the first thread.
        scope.spawn(|| while !is_counted.load(Ordering::Relaxed) {
            std::thread::sleep(std::time::Duration::from_millis(1));
            unsafe { pthread_kill(me, 14) };
        });
        let counted = census_of(\"list\", &list).map(|counted| counted.blocks());
        is_counted.store(true, Ordering::Relaxed);
        counted
    });
    assert!(HANDLED.load(Ordering::Relaxed) > 0);
    assert_eq!(counted, Some(21));
}

#[test]
fn what_a_function_adds() {
    let (root, grown) = measure(|| Box::new(tree(4)));
    let Some(grown) = grown else { println!(\"told nothing\"); return; };
    assert_eq!(grown.values::<Node>(), Ok(root.count()));
    assert_eq!(grown.bytes(), root.bytes() + std::mem::size_of::<Node>() as i64);
    // Other values of the type were there before, and are not counted.
    let (map, more) = measure(|| (0..50).map(|n| (n, tree(0))).collect::<BTreeMap<u8, Node>>());
    assert_eq!(more.unwrap().values::<Node>(), Ok(50));
    let (_, less) = measure(|| drop(root));
    let less = less.unwrap();
    assert_eq!((less.bytes(), less.blocks()), (-grown.bytes(), -grown.blocks()));
    assert_eq!(less.values::<Node>().unwrap(), -grown.values::<Node>().unwrap());
    let (_, nothing) = measure(|| drop(tree(3)));
    let nothing = nothing.unwrap();
    assert_eq!((nothing.bytes(), nothing.blocks(), nothing.values::<Node>()), (0, 0, Ok(0)));
    // What a thread leaves behind counts too.
    let (_, others) = measure(|| std::thread::spawn(|| std::mem::forget(std::hint::black_box(Box::new(tree(2))))).join());
    // Whether all was read is not certain: std has changed its own list of threads.
    assert_eq!(others.unwrap().values::<Node>(), Err(Uncertain { counted: tree(2).count() }));
    // A block of no known type was there before; what it is filled with in place may be values.
    let block = unsafe { malloc(4096) };
    let (_, same) = measure(|| ());
    assert_eq!(same.unwrap().values::<Node>(), Ok(0));
    let (_, filled) = measure(|| unsafe { block.write_bytes(1, 4096) });
    assert_eq!(filled.unwrap().values::<Node>(), Err(Uncertain { counted: 0 }));
    assert_eq!(map.len(), 50);
    println!(\"told what a function adds\");
}
";

fn counted_test(package: &Scratch, test: &str, arguments: &[&str]) -> Run {
    let mut command = weigh(package.folder());
    command.args(["census", "--offline", "--target-dir"]);
    command.arg(workbench("census-asks"));
    command.args(["--test", test, "--message-format", "json"]);
    run(command.args(arguments).args(["--", "--nocapture"]))
}

/// A test that is told nothing passes without its limit: the run fails.
#[test]
fn a_test_that_is_told_nothing_is_a_failure() {
    let package = with_heap("untold").file("src/lib.rs", "").file(
        "tests/full.rs",
        "unsafe extern \"C\" { fn setrlimit(which: i32, limit: &[u64; 2]) -> i32; }\n\
         #[test] fn grows() { let list = vec![1u8; 5000]; weigh_heap::census(\"here\");\n\
         // The copy for the label has written by then; from then on none can.\n\
         std::thread::sleep(std::time::Duration::from_secs(2));\n\
         unsafe { setrlimit(1, &[0; 2]) };\n\
         for _ in 0..3 { if let Some(counted) = weigh_heap::census_of(\"list\", &list) { assert!(counted.bytes() < 10); } } }",
    );
    let said = counted_test(&package, "full", &["--at", "here#1"]).expect(2);
    let words = "a test was told nothing: the process could not be copied, or the copy not be";
    assert_eq!(said.stderr.matches(words).count(), 1, "{}", said.stderr);
}

/// The program itself compares with what it has.
#[test]
fn tests_are_told_what_was_counted() {
    let package = with_heap("asks")
        .file("src/lib.rs", TREE)
        .file("tests/whole.rs", TESTS)
        .file(
            "tests/limit.rs",
            "#[test] fn grows() { let (_kept, grown) = weigh_heap::measure(|| asks::tree(4));\n\
             assert!(grown.unwrap().bytes() < 1000, \"too much\"); }",
        );
    for profile in ["dev", "release"] {
        let said = counted_test(&package, "whole", &["--profile", profile]).expect(0);
        // In both runs.
        let said = ["told what a value owns", "told what a function adds"]
            .map(|words| said.stderr.matches(words).count());
        assert_eq!(said, [2, 2], "{profile}");
    }
    let said = counted_test(&package, "limit", &[]).expect(2);
    assert!(said.stderr.contains("too much"), "{}", said.stderr);
    // Without a census there are no numbers.
    let mut command = cargo();
    command.current_dir(package.folder());
    command.args(["test", "--offline", "--test", "whole", "--target-dir"]);
    command.arg(workbench("census-asks"));
    let said = run(command.args(["--", "--nocapture"])).expect(0);
    assert_eq!(said.stdout.matches("told nothing").count(), 2, "{said:?}");
}

/// A server: a line is a request, and each gets an answer. It has a timer of its own, whose signal
/// no other thread may get.
const SERVER: &str = "
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
pub struct Session { pub id: u64, pub name: String }
static SESSIONS: Mutex<Vec<Box<Session>>> = Mutex::new(Vec::new());
static MAIN: AtomicI32 = AtomicI32::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);
static FOREIGN: AtomicU64 = AtomicU64::new(0);
unsafe extern \"C\" {
    fn signal(number: i32, handler: extern \"C\" fn(i32)) -> usize;
    fn setitimer(which: i32, new: *const [i64; 4], old: *mut [i64; 4]) -> i32;
    fn gettid() -> i32;
}
extern \"C\" fn alarm(_: i32) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
    if unsafe { gettid() } != MAIN.load(Ordering::Relaxed) { FOREIGN.fetch_add(1, Ordering::Relaxed); }
}
fn answer(line: &str) -> String {
    match line.split_once(' ') {
        Some((\"add\", n)) => {
            let mut all = SESSIONS.lock().unwrap();
            for _ in 0..n.trim().parse().unwrap() {
                let id = all.len() as u64;
                all.push(Box::new(Session { id, name: format!(\"session {id}\") }));
            }
            format!(\"{}\", all.len())
        }
        // What is made for a request is dropped with it.
        _ => format!(\"{}\", (0..200).map(|n| format!(\"line {n}\")).collect::<Vec<_>>().join(\",\").len()),
    }
}
fn main() {
    MAIN.store(unsafe { gettid() }, Ordering::Relaxed);
    unsafe {
        signal(14, alarm);
        setitimer(0, &[0, 1000, 0, 1000], std::ptr::null_mut());
    }
    let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();
    // At once, and in a line of its own: others write there too.
    let told = format!(\"\\nport {} id {}\\n\", listener.local_addr().unwrap().port(), std::process::id());
    std::io::stderr().write_all(told.as_bytes()).unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        for line in reader.lines() {
            let line = line.unwrap();
            if line == \"end\" {
                writeln!(stream, \"handled {} foreign {}\", HANDLED.load(Ordering::Relaxed), FOREIGN.load(Ordering::Relaxed)).unwrap();
                return;
            }
            writeln!(stream, \"{}\", answer(&line)).unwrap();
        }
    }
}
";

/// A server that is recorded, and what it has written.
struct Served {
    child: Child,
    lines: std::sync::mpsc::Receiver<String>,
    said: Vec<String>,
}

/// A test that fails leaves no server behind: an interrupt ends it.
impl Drop for Served {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let process = self.child.id().to_string();
            let _ = Command::new("kill").args(["-INT", &process]).status();
        }
    }
}

impl Served {
    fn start(folder: &Scratch, arguments: &[&str]) -> Served {
        let mut command = weigh(folder.folder());
        command.args(["census", "--offline"]).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let reader = BufReader::new(child.stderr.take().unwrap());
        let (to, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in reader.lines().map_while(Result::ok) {
                if to.send(line).is_err() {
                    return;
                }
            }
        });
        Served {
            child,
            lines,
            said: Vec::new(),
        }
    }

    /// The word behind a word in what it has written, as soon as it is there.
    fn word_after(&mut self, before: &str) -> String {
        let mut at = 0;
        loop {
            for line in &self.said[at..] {
                let mut words = line.split([' ', ':']);
                if words.any(|word| word == before) {
                    return words.next().unwrap_or_default().to_owned();
                }
            }
            at = self.said.len();
            let wait = Duration::from_secs(120);
            let line = self.lines.recv_timeout(wait).expect("it says so");
            self.said.push(line);
        }
    }

    fn connect(&mut self) -> Client {
        let port: u16 = self.word_after("port").parse().unwrap();
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        Client(BufReader::new(stream))
    }

    fn end(mut self) -> (i32, String) {
        let mut text = String::new();
        let out = self.child.stdout.take().unwrap();
        BufReader::new(out).read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), text)
    }
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn ask(&mut self, line: &str) -> String {
        writeln!(self.0.get_mut(), "{line}").unwrap();
        let mut answer = String::new();
        self.0.read_line(&mut answer).unwrap();
        answer.trim().to_owned()
    }
}

/// Values of a type in a census.
fn values(lines: &[Value], ty: &str) -> u64 {
    let found = of_kind(lines, "type").find(|l| l["type"] == ty);
    found.map_or(0, |l| number(&l["values"]))
}

fn server() -> Scratch {
    let scratch = Scratch::library("served", "");
    std::fs::remove_file(scratch.folder().join("src/lib.rs")).unwrap();
    scratch.file("src/main.rs", SERVER)
}

fn now(process: &str) -> Run {
    let mut command = weigh(&std::env::temp_dir());
    run(command.args(["census", "--now", process, "--message-format", "json"]))
}

#[test]
fn a_server_is_counted_while_it_serves() {
    let server = server();
    let mut served = Served::start(&server, &["--serve"]);
    let process = served.word_after("process");
    let mut client = served.connect();
    for round in 1..=3 {
        assert_eq!(client.ask("add 1000"), (round * 1000).to_string());
        // Under load: no request fails meanwhile.
        let asked = std::thread::scope(|scope| {
            let asked = scope.spawn(|| now(&process));
            while !asked.is_finished() {
                assert_eq!(client.ask("work"), "1689");
            }
            asked.join().unwrap().expect(0)
        });
        let lines = asked.json();
        assert_eq!(values(&lines, "served::Session"), round * 1000, "{asked:?}");
        adds_up(&lines);
    }
    // Ours is killed, and the server serves on.
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    assert_eq!(client.ask("add 1"), "3001");
    now(&process).expect(2).says(&["census --serve"]);
    let last = client.ask("end");
    let numbers: Vec<u64> = last.split(' ').filter_map(|w| w.parse().ok()).collect();
    let [handled, foreign] = numbers[..] else {
        panic!("{last}");
    };
    assert!(handled > 100, "its timer goes on: {last}");
    assert_eq!(foreign, 0, "another thread got its signal: {last}");
    now(&std::process::id().to_string())
        .expect(2)
        .says(&["is not one to ask"]);
    now("4194304").expect(2).says(&["cannot read"]);
}

#[test]
fn moments_after_the_start_are_counted_in_a_program_that_waits() {
    let server = server();
    let format = ["--message-format", "json"];
    let mut served = Served::start(&server, &[&["--at", "1500ms"], &format[..]].concat());
    let mut client = served.connect();
    let start = Instant::now();
    assert_eq!(client.ask("add 500"), "500");
    // It waits for a request, and allocates nothing.
    std::thread::sleep(Duration::from_secs(3).saturating_sub(start.elapsed()));
    client.ask("add 500");
    assert!(client.ask("end").ends_with("foreign 0"));
    let (status, text) = served.end();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(
        (status, values(&lines, "served::Session")),
        (0, 500),
        "{text}"
    );
    assert_eq!(lines[0]["label"], "1.5 s");

    let kept = server.folder().join("every.json");
    let kept = kept.to_str().unwrap();
    let mut served = Served::start(&server, &["--every", "400ms", "--output", kept]);
    let mut client = served.connect();
    let start = Instant::now();
    // Another count would be taken for one of the series.
    let process = served.word_after("id");
    now(&process).expect(2).says(&["is not one to ask"]);
    let mut made = 0;
    while start.elapsed() < Duration::from_secs(4) {
        client.ask("add 50");
        client.ask("work");
        made += 50;
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(client.ask("end").ends_with("foreign 0"));
    let (status, text) = served.end();
    assert_eq!(status, 0, "{text}");
    let lines = std::fs::read_to_string(kept).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    adds_up(&lines);
    let moments: Vec<u64> = of_kind(&lines, "moment")
        .map(|m| number(&m["after_ms"]))
        .collect();
    assert!(moments.len() >= 3 && moments.is_sorted(), "{moments:?}");
    let mut growth = of_kind(&lines, "growth");
    let sessions = growth.find(|l| l["type"] == "served::Session").unwrap();
    let numbers = |key: &str| -> Vec<u64> {
        sessions[key]
            .as_array()
            .unwrap()
            .iter()
            .map(number)
            .collect()
    };
    let (bytes, counts) = (numbers("bytes"), numbers("values"));
    assert_eq!(counts.len(), moments.len());
    assert!(
        counts.is_sorted() && counts[0] < counts[counts.len() - 1],
        "{counts:?}"
    );
    assert!(counts[counts.len() - 1] <= made, "{counts:?} of {made}");
    let size = bytes[bytes.len() - 1] / counts[counts.len() - 1];
    assert!(
        bytes.iter().zip(&counts).all(|(b, n)| *b == n * size),
        "{sessions}"
    );
    // The last one is the census.
    assert_eq!(values(&lines, "served::Session"), counts[counts.len() - 1]);
    let row = text
        .lines()
        .find(|l| l.contains("served::Session: ") && l.contains("█"));
    assert!(row.is_some_and(|row| row.contains('+')), "{text}");
    // A kept one shows the same.
    let again = run(weigh(&std::env::temp_dir()).args(["census", kept])).expect(0);
    assert_eq!(again.stdout, text);

    for (arguments, words) in [
        (&["--every", "often"][..], "no time such as"),
        (&["--every", "0s"], "no time such as"),
        (
            &["--at", "1h", "--", "x"],
            "never came to 3600 s after its start",
        ),
    ] {
        let mut served = Served::start(&server, arguments);
        if arguments.contains(&"x") {
            served.connect().ask("end");
        }
        let mut said = std::mem::take(&mut served.said);
        said.extend(served.lines.iter());
        assert!(said.join("\n").contains(words), "{words}: {said:?}");
        assert_eq!(served.end().0, 2, "{said:?}");
    }
}

/// A test waits for its answer, and whoever killed us is not waited for.
#[test]
fn a_test_goes_on_if_nobody_answers() {
    let package = with_heap("goes_on").file("src/lib.rs", TREE).file(
        "tests/long.rs",
        "#[test] fn many() { let root = goes_on::tree(5); let mut told = 0;\n\
         for n in 0..20_000 { let counted = weigh_heap::census_of(\"tree\", &root);\n\
         told += u32::from(counted.is_some()); if n == 2 { eprintln!(\"told {told}\"); }\n\
         if counted.is_none() { break; } }\n\
         std::fs::write(\"ended\", format!(\"{told}\")).unwrap(); }",
    );
    let mut served = Served::start(&package, &["--test", "long", "--", "--nocapture"]);
    assert_eq!(served.word_after("told"), "3");
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    let ended = package.folder().join("ended");
    let start = Instant::now();
    while !ended.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "it still waits");
        std::thread::sleep(Duration::from_millis(50));
    }
}
