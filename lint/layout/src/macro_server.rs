//! Procedural macros, run by the toolchain's own server in a separate process.
//!
//! The protocol is one line of JSON per message. A server or macro can affect only the result of
//! one call: a timeout kills the process, a crash disables that macro, and output of macros is
//! ignored.

pub mod tokens;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tokens::{Flat, Token};

/// Timeout of one expansion: debug builds of large macros need seconds.
const TIME: Duration = Duration::from_secs(10);

/// Memory that the server may have for its data, in bytes: a macro that takes more ends it. Only
/// Linux can limit a process that runs.
const MEMORY: u64 = 512 << 20;

/// Maximum length of one line of a response, in bytes.
const LINE: u64 = 64 << 20;

/// Supported protocol versions; they do not differ in the messages used here.
const VERSIONS: std::ops::RangeInclusive<u64> = 5..=6;

/// Environment variable that the server requires to start.
const CONSENT: (&str, &str) = ("RUST_ANALYZER_INTERNALS_DO_NOT_USE", "this is unstable");

/// One macro call.
pub struct Call<'c> {
    /// The dynamic library.
    pub library: &'c Path,
    /// The macro's name in it.
    pub name: &'c str,
    /// Its input: arguments, or the annotated item.
    pub body: &'c [Token],
    /// For an attribute: the tokens in its parentheses.
    pub attribute: Option<&'c [Token]>,
    /// Variables that cargo sets while the calling crate is compiled.
    pub env: &'c [(String, String)],
    /// Working directory in which that crate is compiled.
    pub folder: &'c Path,
}

/// The server, started on first use.
pub struct Server {
    program: PathBuf,
    process: Option<Process>,
    /// Why it cannot be used at all.
    broken: Option<String>,
    /// Macros that crashed or hung the process, and are not called again.
    given_up: FxHashMap<(PathBuf, String), String>,
}

struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why there is no response.
enum Silence {
    /// Timeout.
    Late,
    /// The process has exited.
    Gone,
}

#[derive(Deserialize)]
enum Answer {
    ApiVersionCheck(u64),
    ExpandMacro(Result<Flat, String>),
}

#[derive(Serialize)]
struct Expand<'c> {
    lib: Cow<'c, str>,
    env: &'c [(String, String)],
    current_dir: Cow<'c, str>,
    macro_body: Flat,
    macro_name: &'c str,
    attributes: Option<Flat>,
    has_global_spans: Value,
}

impl Server {
    /// Makes a server with this program.
    pub fn new(program: PathBuf) -> Server {
        Server {
            program,
            process: None,
            broken: None,
            given_up: FxHashMap::default(),
        }
    }

    /// Expands one call.
    ///
    /// # Errors
    /// Fails if the macro panicked, crashed the process or hung, or if there is no server. The text
    /// continues a sentence after "because".
    pub fn expand(&mut self, call: &Call) -> Result<Vec<Token>, String> {
        let key = (call.library.to_owned(), call.name.to_owned());
        if let Some(why) = self.given_up.get(&key) {
            return Err(why.clone());
        }
        let here = call.body.len() + call.attribute.map_or(0, <[Token]>::len);
        let here = here as u32 + 1;
        let request = json!({ "ExpandMacro": Expand {
            lib: call.library.to_string_lossy(),
            env: call.env,
            current_dir: call.folder.to_string_lossy(),
            macro_body: Flat::write(call.body, here),
            macro_name: call.name,
            attributes: call.attribute.map(|a| Flat::write(a, here)),
            has_global_spans: json!({ "def_site": here, "call_site": here, "mixed_site": here }),
        }});
        let process = self.started()?;
        match process.ask(&request) {
            Ok(Answer::ExpandMacro(Ok(tree))) => tree
                .read()
                .ok_or_else(|| "the server's answer is not understood".to_owned()),
            Ok(Answer::ExpandMacro(Err(why))) => Err(first_line(&why)),
            Ok(_) => Err("the server's answer is not understood".to_owned()),
            Err(silence) => {
                self.process = None;
                let why = match silence {
                    Silence::Late => format!("it did not end within {} s", TIME.as_secs()),
                    Silence::Gone => ended(),
                };
                self.given_up.insert(key, why.clone());
                Err(why)
            }
        }
    }

    fn started(&mut self) -> Result<&mut Process, String> {
        if let Some(why) = &self.broken {
            return Err(why.clone());
        }
        if self.process.is_none() {
            match Process::start(&self.program) {
                Ok(process) => self.process = Some(process),
                Err(why) => {
                    let why = format!("`{}` {why}", self.program.display());
                    return Err(self.broken.insert(why).clone());
                }
            }
        }
        let process = self.process.as_mut();
        process.ok_or_else(|| "there is no server".to_owned())
    }
}

impl Process {
    fn start(program: &Path) -> Result<Process, String> {
        let mut child = Command::new(program)
            .env(CONSENT.0, CONSENT.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot be run: {e}"))?;
        limit(&child);
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("cannot be spoken with".to_owned());
        };
        let (send, lines) = sync_channel(16);
        std::thread::spawn(move || pass_lines(stdout, &send));
        let mut process = Process {
            child,
            stdin,
            lines,
        };
        match process.ask(&json!({ "ApiVersionCheck": {} })) {
            Ok(Answer::ApiVersionCheck(version)) if VERSIONS.contains(&version) => Ok(process),
            Ok(Answer::ApiVersionCheck(version)) => Err(format!(
                "speaks version {version} of its protocol, and only {} to {} are known",
                VERSIONS.start(),
                VERSIONS.end()
            )),
            _ => Err("does not answer".to_owned()),
        }
    }

    fn ask(&mut self, request: &Value) -> Result<Answer, Silence> {
        let line = format!("{request}\n");
        let written = self.stdin.write_all(line.as_bytes());
        written
            .and_then(|()| self.stdin.flush())
            .map_err(|_| Silence::Gone)?;
        let until = Instant::now() + TIME;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(answer) = answer(&line) {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Gone),
            }
        }
    }
}

/// Limits the memory of a process that has just started.
#[cfg(target_os = "linux")]
fn limit(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    // Without the limit it works all the same.
    if let Some(server) = Pid::from_raw(child.id().cast_signed()) {
        let _ = prlimit(Some(server), Resource::Data, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_: &Child) {}

/// Says that a macro ended the server.
fn ended() -> String {
    let ended = "it ended the process that it was run in";
    match cfg!(target_os = "linux") {
        true => format!("{ended}, which may use {} MiB of memory", MEMORY >> 20),
        false => ended.to_owned(),
    }
}

/// Parses a response from a line, which may begin with output of a macro.
fn answer(line: &str) -> Option<Answer> {
    let starts = ["{\"ExpandMacro\":", "{\"ApiVersionCheck\":"];
    let mut starts = starts.iter().filter_map(|start| line.find(start));
    serde_json::from_str(&line[starts.next()?..]).ok()
}

fn pass_lines(stdout: ChildStdout, to: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = stdout.by_ref().take(LINE).read_until(b'\n', &mut line);
        if read.is_err() || line.last() != Some(&b'\n') {
            return;
        }
        if to
            .send(String::from_utf8_lossy(&line).into_owned())
            .is_err()
        {
            return;
        }
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(200).collect();
    match short.is_empty() {
        true => "it panicked".to_owned(),
        false => format!("it panicked: {short}"),
    }
}
