//! Drives an installed rust-analyzer as an editor does.

use crate::{path_with_program, program};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A timeout longer than any start or check takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);
/// Messages that follow a check arrive within this time.
const QUIET: Duration = Duration::from_millis(1500);

/// Texts of files by path relative to the root.
pub type Texts = BTreeMap<String, String>;

/// A server with one workspace.
#[derive(Debug)]
pub struct Analyzer {
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    config: Value,
    root: PathBuf,
    requests: u64,
    versions: BTreeMap<PathBuf, u64>,
    shown: BTreeMap<String, Vec<Value>>,
    begun: usize,
    ended: usize,
    ready: bool,
}

/// Returns the program: the one `RUST_ANALYZER` names, or the one on the path, if it runs.
pub fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("RUST_ANALYZER").map(PathBuf::from);
    let path = named.unwrap_or_else(|| "rust-analyzer".into());
    // Rustup puts a proxy on the path even without the component.
    let asked = Command::new(&path).arg("--version").output();
    asked.is_ok_and(|o| o.status.success()).then_some(path)
}

impl Analyzer {
    /// Starts the server in a directory with these settings, and waits until it is ready.
    ///
    /// # Panics
    /// It does not start.
    pub fn start(server: &Path, root: &Path, check: Value) -> Analyzer {
        let mut child = Command::new(server)
            .current_dir(root)
            .env("PATH", path_with_program(program()))
            .env_remove("CARGO_TARGET_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take().expect("it has an input");
        let stdout = child.stdout.take().expect("it has an output");
        let (send, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut stream = BufReader::new(stdout);
            while let Some(message) = read(&mut stream) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut analyzer = Analyzer {
            child,
            stdin,
            messages,
            config: json!({
                "check": check,
                "cachePriming": {"enable": false},
                "procMacro": {"enable": false},
                "cargo": {"buildScripts": {"enable": false}},
                "diagnostics": {"enable": false},
            }),
            root: root.to_owned(),
            requests: 0,
            versions: BTreeMap::new(),
            shown: BTreeMap::new(),
            begun: 0,
            ended: 0,
            ready: false,
        };
        analyzer.initialize();
        analyzer
    }

    fn initialize(&mut self) {
        let root = self.uri(Path::new(""));
        let document = json!({
            "synchronization": {"didSave": true},
            "publishDiagnostics": {"relatedInformation": true, "dataSupport": true},
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix"]}},
                "isPreferredSupport": true,
                "dataSupport": true
            }
        });
        let parameters = json!({
            "processId": std::process::id(),
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "demo"}],
            "initializationOptions": self.config,
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "window": {"workDoneProgress": true},
                "workspace": {"configuration": true},
                "textDocument": document,
                "experimental": {"serverStatusNotification": true}
            }
        });
        self.request("initialize", parameters);
        self.notify("initialized", json!({}));
        self.wait("readiness", |a| a.ready);
    }

    /// Waits for `count` checks since the start, and for the messages that follow.
    pub fn checked(&mut self, count: usize) {
        self.wait("a check", |a| a.ended >= count && a.ended == a.begun);
        while self.receive(QUIET) {}
    }

    /// Opens a file with its text on disk.
    ///
    /// # Panics
    /// It cannot be read.
    pub fn open(&mut self, file: &str) {
        let text = fs::read_to_string(self.root.join(file)).expect("it can be read");
        self.versions.insert(file.into(), 1);
        let uri = self.uri(Path::new(file));
        let document = json!({"uri": uri, "languageId": "rust", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the text of an open file, saves it, and waits for its check.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn save(&mut self, file: &str, text: &str) {
        self.save_all(&Texts::from([(file.to_owned(), text.to_owned())]));
    }

    /// Replaces the texts of open files, saves them, and waits for the check of the last.
    ///
    /// # Panics
    /// They cannot be written.
    pub fn save_all(&mut self, texts: &Texts) {
        for (file, text) in texts {
            fs::write(self.root.join(file), text).expect("it can be written");
            let version = self.versions.entry(file.into()).or_default();
            *version += 1;
            let version = *version;
            let document = json!({"uri": self.uri(Path::new(file)), "version": version});
            let changes = json!([{"text": text}]);
            self.notify(
                "textDocument/didChange",
                json!({"textDocument": document, "contentChanges": changes}),
            );
        }
        let ended = self.ended;
        let last = texts.keys().last().expect("there is a file");
        let saved = json!({"textDocument": {"uri": self.uri(Path::new(last))}});
        self.notify("textDocument/didSave", saved);
        self.checked(ended + 1);
    }

    /// Returns the diagnostics shown in a file, from this source.
    pub fn shown(&self, file: &str, source: &str) -> Vec<Value> {
        let uri = self.uri(Path::new(file));
        let all = self.shown.get(&uri).into_iter().flatten();
        all.filter(|d| d["source"] == source).cloned().collect()
    }

    /// Returns the quick fixes for a diagnostic: titles, and the files' texts after each.
    pub fn fixes(&mut self, file: &str, diagnostic: &Value) -> Vec<(String, Texts)> {
        self.actions(file, diagnostic, |_| true)
    }

    /// Returns those that an editor applies without asking: machine-applicable ones.
    pub fn preferred(&mut self, file: &str, diagnostic: &Value) -> Vec<(String, Texts)> {
        self.actions(file, diagnostic, |action| action["isPreferred"] == true)
    }

    fn actions(
        &mut self,
        file: &str,
        diagnostic: &Value,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Vec<(String, Texts)> {
        let actions = self.request(
            "textDocument/codeAction",
            json!({
                "textDocument": {"uri": self.uri(Path::new(file))},
                "range": diagnostic["range"],
                "context": {"diagnostics": [diagnostic], "only": ["quickfix"]}
            }),
        );
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let root = format!("{}/", self.uri(Path::new("")));
        let after = |action: &Value| {
            let mut edits: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            let changes = action["edit"]["changes"].as_object().into_iter().flatten();
            for (uri, of_file) in changes {
                edits.insert(uri.clone(), list(of_file));
            }
            for document in list(&action["edit"]["documentChanges"]) {
                let uri = document["textDocument"]["uri"].as_str().unwrap_or_default();
                let of_file = edits.entry(uri.to_owned()).or_default();
                of_file.extend(list(&document["edits"]));
            }
            let texts = edits.iter().filter_map(|(uri, edits)| {
                let file = uri.strip_prefix(&root)?;
                let text = fs::read_to_string(self.root.join(file)).ok()?;
                Some((file.to_owned(), apply(&text, edits)))
            });
            let title = action["title"].as_str().unwrap_or_default();
            (title.to_owned(), texts.collect())
        };
        let actions = list(&actions);
        let wanted = actions.iter().filter(|action| is_wanted(action));
        wanted.map(after).collect()
    }

    fn uri(&self, file: &Path) -> String {
        let path = self.root.join(file);
        let plain = path.to_string_lossy();
        format!("file://{}", plain.trim_end_matches('/'))
    }

    fn send(&mut self, message: Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| self.stdin.flush())
            .expect("the server reads");
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn request(&mut self, method: &str, parameters: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        let end = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < end, "no answer to {method}");
            let Some(message) = self.next(Duration::from_secs(1)) else {
                continue;
            };
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].clone();
            }
            self.handle(&message);
        }
    }

    fn wait(&mut self, what: &str, done: impl Fn(&Analyzer) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !done(self) {
            assert!(Instant::now() < end, "{what} takes too long");
            self.receive(Duration::from_millis(200));
        }
    }

    /// Handles a message; returns false if none arrived in time.
    fn receive(&mut self, time: Duration) -> bool {
        let message = self.next(time);
        if let Some(message) = &message {
            self.handle(message);
        }
        message.is_some()
    }

    fn next(&mut self, time: Duration) -> Option<Value> {
        match self.messages.recv_timeout(time) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the server has ended"),
        }
    }

    fn handle(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                let uri = parameters["uri"].as_str().unwrap_or_default().to_owned();
                let list = parameters["diagnostics"].as_array();
                self.shown.insert(uri, list.cloned().unwrap_or_default());
            }
            Some("experimental/serverStatus") => {
                self.ready |= parameters["quiescent"] == true;
            }
            Some("$/progress") if parameters["token"].to_string().contains("flycheck") => {
                match parameters["value"]["kind"].as_str() {
                    Some("begin") => self.begun += 1,
                    Some("end") => self.ended += 1,
                    _ => {}
                }
            }
            _ => {}
        }
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            let result = match method {
                "workspace/configuration" => {
                    let items = parameters["items"].as_array().map_or(0, Vec::len);
                    vec![self.config.clone(); items].into()
                }
                _ => Value::Null,
            };
            self.send(json!({"jsonrpc": "2.0", "id": id, "result": result}));
        }
    }
}

impl Drop for Analyzer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a message: headers, an empty line, and `Content-Length` bytes.
fn read(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", n)) => length = n.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Applies edits, whose columns count UTF-16 code units.
fn apply(text: &str, edits: &[Value]) -> String {
    let offset = |place: &Value| {
        let number = |key: &str| place[key].as_u64().unwrap_or_default() as usize;
        let before: usize = text
            .split_inclusive('\n')
            .take(number("line"))
            .map(str::len)
            .sum();
        let mut units = 0;
        let line = text[before..].char_indices();
        let at = line.take_while(|(_, c)| {
            units += c.len_utf16();
            units <= number("character")
        });
        before + at.map(|(_, c)| c.len_utf8()).sum::<usize>()
    };
    let mut list: Vec<_> = edits
        .iter()
        .map(|e| {
            let (start, end) = (&e["range"]["start"], &e["range"]["end"]);
            let new = e["newText"].as_str().unwrap_or_default();
            (offset(start), offset(end), new)
        })
        .collect();
    list.sort_unstable();
    let mut text = text.to_owned();
    for (start, end, new) in list.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}
