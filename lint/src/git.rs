//! Queries to the git program about commits, files and the state of the work tree.

use crate::budget::FILE_BYTES;
use rustc_hash::FxHashSet;
use std::fs::DirEntry;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Git is ended after this time without an answer: it waits for something that never comes, such
/// as a pipe that its configuration names.
const PATIENCE: Duration = Duration::from_secs(60);

/// Variables that git sets for hooks; they are removed, since the workspace decides the repository.
const VARIABLES: [&str; 5] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
];

/// Overrides for settings of a repository that name programs; no query needs them.
const SETTINGS: [&str; 4] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.askPass=",
];

/// Prevents fetches, also of objects that a partial clone has left out (older versions of git know
/// only the second variable), and password prompts.
const CLOSED: [(&str, &str); 6] = [
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
];

/// Files of a work tree that `git status` opens where it finds them.
const READ_BY_STATUS: [&str; 3] = [".gitattributes", ".gitignore", ".gitmodules"];

/// A git command for the workspace that starts no other program.
fn command(workspace: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.arg("-c").arg(setting);
    }
    command.arg("-C").arg(workspace).args(args).envs(CLOSED);
    VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    command
}

/// An error if a file that git reads is a pipe or a device, for which git would wait.
fn refuse_pipes(workspace: &Path) -> Result<(), String> {
    let Some(store) = store_around(workspace) else {
        return Ok(());
    };
    let mut queue = vec![store];
    while let Some(path) = queue.pop() {
        let Ok(found) = path.metadata() else { continue };
        if found.is_dir() {
            // Links are not followed into folders: they may form a cycle.
            let passed = path.is_symlink();
            for entry in entries(&path).filter(|_| !passed) {
                // The folder itself tells which entries are regular files, without a query for each
                // of many objects.
                if entry.file_type().is_ok_and(|found| !found.is_file()) {
                    queue.push(entry.path());
                }
            }
        } else if !found.is_file() {
            return Err(not_regular(&path));
        } else if path.ends_with(".git") {
            // The `.git` file of a linked work tree or a submodule.
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let led = text.strip_prefix("gitdir: ").map(str::trim_end);
            let beside = path.parent().unwrap_or(workspace);
            queue.extend(led.map(|led| beside.join(led)));
        }
    }
    Ok(())
}

/// The `.git` of the innermost repository that contains a folder.
fn store_around(folder: &Path) -> Option<PathBuf> {
    let mut stores = folder.ancestors().map(|folder| folder.join(".git"));
    stores.find(|path| path.exists())
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let list = folder.read_dir().ok();
    list.into_iter().flatten().flatten()
}

fn not_regular(path: &Path) -> String {
    format!("{}: it is not a regular file", path.display())
}

/// As [`refuse_pipes`], for the files of the work tree that `git status` reads in any case.
fn refuse_pipes_of_status(folder: &Path) -> Result<(), String> {
    let store = store_around(folder);
    let mut queue: Vec<PathBuf> = store
        .iter()
        .filter_map(|s| Some(s.parent()?.into()))
        .collect();
    while let Some(folder) = queue.pop() {
        for entry in entries(&folder) {
            let Ok(found) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            if found.is_dir() && name != ".git" {
                queue.push(entry.path());
            } else if !found.is_dir()
                && !found.is_file()
                && READ_BY_STATUS.iter().any(|read| name == *read)
                && entry.path().metadata().is_ok_and(|found| !found.is_file())
            {
                return Err(not_regular(&entry.path()));
            }
        }
    }
    Ok(())
}

/// Runs git; an error if it does not answer in time.
fn output(command: &mut Command, patience: Duration) -> Result<Output, String> {
    let cannot = |e: std::io::Error| format!("`git` cannot be run: {e}");
    let command = command.stdin(Stdio::null());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(cannot)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = channel();
    let errors = sender.clone();
    // These threads end when git and the programs that it started close their output; they are not
    // joined.
    std::thread::spawn(move || errors.send((false, read_whole(err))));
    std::thread::spawn(move || sender.send((true, read_whole(out))));
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        match receiver.recv_timeout(patience) {
            Ok((true, bytes)) => stdout = bytes,
            Ok((false, bytes)) => stderr = bytes,
            Err(_) => {
                end(&mut child);
                return Err(silent(patience));
            }
        }
    }
    let status = child.wait().map_err(cannot)?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

fn read_whole(from: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // An incomplete output is reported by the exit status.
    let _ = from.map(|mut from| from.read_to_end(&mut bytes));
    bytes
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn silent(patience: Duration) -> String {
    let seconds = patience.as_secs();
    format!("`git` has not answered for {seconds} seconds: does its configuration name a pipe?")
}

/// The output of git in a workspace.
///
/// # Errors
/// Git cannot be run, or fails; with git's own message.
pub fn git(workspace: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    refuse_pipes(workspace)?;
    let output = output(&mut command(workspace, args), PATIENCE)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.trim().strip_prefix("fatal: ").unwrap_or(why.trim());
    let help = match why.contains("promisor") {
        true => {
            "\nhelp: the clone is partial, and nothing is fetched here; `git archive` of that \
             revision fetches it"
        }
        false => "",
    };
    Err(match why {
        "" => format!("`git {}` failed ({})", args[0], output.status),
        why => format!("`git {}`: {why}{help}", args[0]),
    })
}

/// The single line that git prints.
///
/// # Errors
/// As [`git`], or the line is not UTF-8.
pub fn ask(workspace: &Path, args: &[&str]) -> Result<String, String> {
    let text = String::from_utf8(git(workspace, args)?);
    let text = text.map_err(|_| format!("`git {}` printed text that is not UTF-8", args[0]))?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// A path with uncommitted changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the repository's root, with `/`.
    pub path: String,
    /// All changes are staged.
    pub staged: bool,
}

/// The uncommitted changes of the repository around a folder, including untracked files; `None`
/// without a repository, or with one that ignores the folder.
///
/// # Errors
/// Git cannot be run, or fails.
pub fn changes(folder: &Path) -> Result<Option<Vec<Change>>, String> {
    if store_around(folder).is_none() {
        return Ok(None);
    }
    refuse_pipes_of_status(folder)?;
    if ask(folder, &["rev-parse", "--is-inside-work-tree"])? != "true" {
        return Ok(None);
    }
    // It fails for paths that are not ignored.
    if git(folder, &["check-ignore", "--quiet", "."]).is_ok() {
        return Ok(None);
    }
    let args = ["status", "--porcelain=v1", "-z", "--untracked-files=normal"];
    Ok(Some(read_changes(&git(folder, &args)?)))
}

/// Parses `XY path NUL`, or for a rename `XY path NUL old NUL`.
fn read_changes(listed: &[u8]) -> Vec<Change> {
    let text = String::from_utf8_lossy(listed);
    let mut entries = text.split('\0').filter(|entry| !entry.is_empty());
    let mut changes = Vec::new();
    while let Some(entry) = entries.next() {
        let Some((marks, path)) = entry.split_at_checked(3) else {
            continue;
        };
        if marks.starts_with(['R', 'C']) {
            entries.next();
        }
        changes.push(Change {
            path: path.to_owned(),
            staged: marks.as_bytes()[1] == b' ',
        });
    }
    changes
}

/// A file of a tree.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    /// The mode, as git writes it.
    pub mode: u32,
    /// The object id.
    pub id: String,
    /// Relative to the repository's root, with `/`.
    pub path: String,
}

/// The mode of a symbolic link.
pub const LINK: u32 = 0o120_000;
/// The mode of a submodule.
pub const SUBMODULE: u32 = 0o160_000;

/// Parses `mode type id TAB path NUL`. Names that are not UTF-8 are skipped: cargo supports none.
pub fn parse(listed: &[u8]) -> Vec<File> {
    let entries = listed.split(|&b| b == 0);
    let file = |entry: &[u8]| {
        let (head, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
        let mut words = head.split(' ');
        Some(File {
            mode: u32::from_str_radix(words.next()?, 8).ok()?,
            id: words.nth(1)?.to_owned(),
            path: path.to_owned(),
        })
    };
    entries.filter_map(file).collect()
}

/// The objects of a commit's files that a partial clone has left out: a request for one would make
/// git fail.
pub fn missing(workspace: &Path, commit: &str) -> FxHashSet<String> {
    let args = [
        "rev-list",
        "--objects",
        "--no-walk",
        "--missing=print",
        commit,
    ];
    // A version without the flag reports the error when a file is requested.
    let listed = git(workspace, &args).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let ids = listed.lines().filter_map(|line| line.strip_prefix('?'));
    ids.map(str::to_owned).collect()
}

/// Passes the bytes of each file to `take`, as they are stored: no filter or conversion runs.
/// `None` for a file that this clone does not have.
///
/// # Errors
/// Git cannot be run or ends early, or `take` fails.
pub fn cat<'f>(
    workspace: &Path,
    files: &[&'f File],
    mut take: impl FnMut(&'f File, Option<Vec<u8>>) -> Result<(), String>,
) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("`git cat-file`: {e}");
    let mut child = command(workspace, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("`git` cannot be run: {e}"))?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (Some(input), Some(output)) = (input, output) else {
        return Err("`git cat-file` has no pipes".to_owned());
    };
    let (answers, watched) = channel();
    let running = &mut child;
    let (result, timely) = std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut input = BufWriter::new(input);
            // If git ends early, the reader reports it.
            let _ = files.iter().try_for_each(|f| writeln!(input, "{}", f.id));
        });
        let watch = scope.spawn(move || {
            let silence = loop {
                if let Err(silence) = watched.recv_timeout(PATIENCE) {
                    break silence;
                }
            };
            let timely = silence == RecvTimeoutError::Disconnected;
            if !timely {
                let _ = running.kill();
            }
            timely
        });
        let result = hand_over(files, output, &mut take, answers);
        (result, watch.join().unwrap_or(true))
    });
    // After an error git may still be writing.
    if result.is_err() {
        let _ = child.kill();
    }
    child.wait().map_err(failed)?;
    match timely {
        true => result,
        false => Err(silent(PATIENCE)),
    }
}

fn hand_over<'f>(
    files: &[&'f File],
    output: ChildStdout,
    mut take: impl FnMut(&'f File, Option<Vec<u8>>) -> Result<(), String>,
    answers: Sender<()>,
) -> Result<(), String> {
    let mut output = BufReader::new(output);
    for file in files {
        let bytes = blob(&mut output).map_err(|e| format!("`git cat-file`: {e}"))?;
        let _ = answers.send(());
        take(file, bytes)?;
    }
    Ok(())
}

/// Reads `id type size LF`, the bytes, and LF; `None` for a missing object.
fn blob(output: &mut BufReader<ChildStdout>) -> std::io::Result<Option<Vec<u8>>> {
    let mut head = String::new();
    output.read_line(&mut head)?;
    let mut words = head.trim_end().split(' ').skip(1);
    let size = match (words.next(), words.next()) {
        (Some("missing"), None) => return Ok(None),
        (_, size) => size.and_then(|size| size.parse().ok()),
    };
    // Git has reported the reason on stderr.
    let size: usize = size.ok_or_else(|| std::io::Error::other("it ended early"))?;
    if size as u64 > FILE_BYTES {
        return Err(std::io::Error::other("a file is too large"));
    }
    let mut bytes = vec![0; size];
    output.read_exact(&mut bytes)?;
    output.read_exact(&mut [0])?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_status() {
        let listed = b"M  a.rs\0 M b c.rs\0?? new/\0R  to.rs\0from.rs\0MM both.rs\0";
        let found = read_changes(listed);
        let found: Vec<_> = found.iter().map(|c| (&*c.path, c.staged)).collect();
        let wanted = [
            ("a.rs", true),
            ("b c.rs", false),
            ("new/", false),
            ("to.rs", true),
            ("both.rs", false),
        ];
        assert_eq!(found, wanted);
    }

    #[cfg(unix)]
    #[test]
    fn what_says_nothing_is_ended() {
        let started = std::time::Instant::now();
        let mut waits = Command::new("sleep");
        let said = output(waits.arg("100"), Duration::from_millis(50));
        assert!(said.is_err_and(|why| why.contains("has not answered")));
        assert!(started.elapsed() < Duration::from_secs(50));
        let said = output(Command::new("echo").arg("1"), PATIENCE);
        assert!(said.is_ok_and(|said| said.stdout == b"1\n"));
    }

    #[test]
    fn lines_of_ls_tree() {
        let listed = b"100644 blob 0a1b\ta b/\xc3\xa4.rs\x00160000 commit ff\tsub\0\
                       120000 blob 0c\tl\tm\x00100644 blob 0d\t\xff.rs\0";
        let file = |mode, id: &str, path: &str| File {
            mode,
            id: id.into(),
            path: path.into(),
        };
        assert_eq!(
            parse(listed),
            [
                file(0o100_644, "0a1b", "a b/ä.rs"),
                file(SUBMODULE, "ff", "sub"),
                file(LINK, "0c", "l\tm")
            ]
        );
    }
}
