//! Untrusted code: programs are planted wherever a project can name one, and must not run.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use weigh_tests::project::Scratch;
use weigh_tests::{Run, few, run, weigh};

const MANIFEST: &str =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
const LIB: &str = "pub struct Plain(u32);\n#[cfg(configured)]\npub struct Configured(u8);\n";

/// A project with a program that records that it ran, then does its job.
struct Planted {
    scratch: Scratch,
    marker: PathBuf,
    log: PathBuf,
}

impl Planted {
    fn new(name: &str) -> Planted {
        let scratch = Scratch::outside(&format!("weigh-untrusted-{name}"))
            .file("p/Cargo.toml", MANIFEST)
            .file("p/src/lib.rs", LIB)
            .file("p/src/deeper/none.txt", "");
        let log = scratch.folder().join("was-run");
        let script = format!(
            "#!/bin/sh\necho \"$0 $*\" >> '{}'\ncase \"$1\" in *rustc) exec \"$@\";; esac\n\
             exec rustc \"$@\"\n",
            log.display()
        );
        let mut planted = Planted {
            marker: scratch.folder().join("p/tools/bin/rustc"),
            scratch,
            log,
        };
        for tool in ["rustc", "cargo", "ssh"] {
            planted = planted.file(&format!("tools/bin/{tool}"), &script);
            let path = planted.folder().join("tools/bin").join(tool);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
        }
        planted
    }

    fn file(self, path: &str, text: &str) -> Planted {
        let scratch = self.scratch.file(&format!("p/{path}"), text);
        Planted { scratch, ..self }
    }

    fn folder(&self) -> PathBuf {
        self.scratch.folder().join("p")
    }

    /// Returns what ran since the last call.
    fn was_run(&self) -> Option<String> {
        let told = fs::read_to_string(&self.log).ok();
        let _ = fs::remove_file(&self.log);
        told
    }

    /// Runs the program with these arguments as from a shell, with no toolchain selected yet.
    fn weigh(&self, args: &[&str]) -> Run {
        let mut command = weigh(&self.folder());
        for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTC_WRAPPER"] {
            command.env_remove(name);
        }
        // With rustup's programs first, which read toolchain files.
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        run(command.args(args))
    }

    /// Asserts that the planted program runs by default, where cargo runs it, and never with the
    /// flag; returns the run with the flag.
    #[track_caller]
    fn is_not_run(&self, by_default: bool) -> Run {
        // Cargo caches rustc's answers about itself.
        let _ = fs::remove_dir_all(self.folder().join("target"));
        self.weigh(&["sizes"]);
        let told = self.was_run();
        assert!(told.is_some() || !by_default, "the plant is dead");
        let _ = fs::remove_dir_all(self.folder().join("target"));
        let said = self.weigh(&["sizes", "--no-project-config"]);
        assert_eq!(self.was_run(), None, "{said:?}");
        said
    }
}

#[test]
fn compilers_and_wrappers() {
    let planted = Planted::new("rustc");
    let marker = planted.marker.display().to_string();
    let path = "tools/bin";
    let cases = [
        (true, "config.toml", format!("build.rustc = '{marker}'")),
        (
            true,
            "config.toml",
            "build.rustc = 'tools/bin/rustc'".into(),
        ),
        (true, "config", format!("build.rustc = '{marker}'")),
        (
            true,
            "config.toml",
            format!("build.rustc-wrapper = '{marker}'"),
        ),
        (
            true,
            "config.toml",
            format!("build.rustc-workspace-wrapper = '{marker}'"),
        ),
        (true, "config.toml", "include = ['more.toml']".into()),
        (
            false,
            "config.toml",
            format!("[env]\nRUSTC = '{marker}'\nRUSTC_WRAPPER = '{marker}'"),
        ),
        (
            false,
            "config.toml",
            format!("[env]\nPATH = {{ value = '{path}', relative = true, force = true }}"),
        ),
        (
            false,
            "config.toml",
            format!("[alias]\ntree = ['{marker}']\nmetadata = 'run'\nweigh = 'run'"),
        ),
        (
            false,
            "config.toml",
            format!(
                "build.rustdoc = '{marker}'\n[target.'cfg(all())']\nrunner = '{marker}'\nlinker = '{marker}'"
            ),
        ),
    ];
    let mut planted = planted.file(".cargo/more.toml", &format!("build.rustc = '{marker}'"));
    for (by_default, name, text) in few(&cases, 5) {
        planted = planted.file(&format!(".cargo/{name}"), text);
        let said = planted.is_not_run(*by_default).expect(0);
        assert!(said.stdout.contains("Plain"), "{said:?}");
        fs::remove_file(planted.folder().join(".cargo").join(name)).expect("it was written");
    }
    // Above the project, too.
    let text = format!("build.rustc = '{marker}'");
    let scratch = planted.scratch.file(".cargo/config.toml", text);
    Planted { scratch, ..planted }.is_not_run(true).expect(0);
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn toolchains() {
    let rustup = Command::new("rustup").arg("--version").output();
    if !rustup.is_ok_and(|said| said.status.success()) {
        eprintln!("SKIPPED: without rustup, no toolchain file counts");
        return;
    }
    for name in ["rust-toolchain.toml", "rust-toolchain"] {
        let planted = Planted::new("toolchain");
        let tools = planted.folder().join("tools");
        let text = format!("[toolchain]\npath = '{}'\n", tools.display());
        let planted = planted.file(name, &text);
        planted.is_not_run(true).expect(0);
        // Nor is it run if rustup has already selected it.
        let mut command = weigh(&planted.folder());
        let said = run(command
            .env("RUSTUP_TOOLCHAIN", &tools)
            .env("CARGO", tools.join("bin/cargo"))
            .args(["sizes", "--no-project-config"]));
        said.expect(0);
        assert_eq!(planted.was_run(), None);
    }
}

/// Starts a registry that denies every request; returns its port.
fn registry() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    // It ends with the test program.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Cargo\r\nContent-Length: 0\r\n\
                  Connection: close\r\n\r\n",
            );
        }
    });
    port
}

#[test]
fn credential_providers() {
    let planted = Planted::new("credentials");
    let marker = planted.marker.display().to_string();
    let port = registry();
    let manifest =
        format!("{MANIFEST}\n[dependencies]\nx = {{ version = \"1\", registry = \"r\" }}\n");
    let index = format!("[registries.r]\nindex = \"sparse+http://127.0.0.1:{port}/\"\n");
    let mut planted = planted.file("Cargo.toml", &manifest);
    for text in [
        format!("{index}credential-provider = ['{marker}']\n"),
        format!("{index}[registry]\nglobal-credential-providers = ['{marker}']\n"),
        format!("{index}credential-provider = 'p'\n[credential-alias]\np = ['{marker}']\n"),
    ] {
        planted = planted.file(".cargo/config.toml", &text);
        planted.is_not_run(true).expect(2).says(&["`r`"]);
    }
}

/// Runs git without the user's settings.
fn git(folder: &Path, args: &[&str]) -> Run {
    run(Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=t", "-c", "user.email=t@t.example"])
        .args(["-c", "init.defaultBranch=main"])
        .args(args))
}

#[test]
fn git_fetches_and_runs_nothing() {
    let planted = Planted::new("git");
    let (project, around) = (planted.folder(), planted.scratch.folder());
    let commit = |text: &str| {
        fs::write(project.join("src/lib.rs"), text).expect("ours");
        git(&project, &["add", "--all"]).expect(0);
        git(&project, &["commit", "--quiet", "--message", "x"]).expect(0);
    };
    git(&project, &["init", "--quiet"]).expect(0);
    commit("pub struct Old(u8);\n");
    commit("pub struct New(u16);\n");
    git(&project, &["config", "uploadpack.allowFilter", "true"]).expect(0);
    let url = format!("file://{}", project.display());
    git(
        around,
        &["clone", "--quiet", "--filter=blob:none", &url, "clone"],
    )
    .expect(0);
    let clone = around.join("clone");
    let marker = planted.folder().join("tools/bin/ssh");
    let marker = marker.to_str().expect("UTF-8");
    for (key, value) in [
        ("remote.origin.url", "ssh://nobody@127.0.0.1/nothing"),
        ("core.sshCommand", marker),
        ("core.askPass", marker),
        ("core.fsmonitor", marker),
        ("core.pager", marker),
        ("diff.external", marker),
        ("filter.x.smudge", marker),
        ("filter.x.process", marker),
        ("credential.helper", marker),
        ("remote.origin.uploadpack", marker),
        ("alias.ls-tree", &format!("!{marker}")),
    ] {
        git(&clone, &["config", key, value]).expect(0);
    }
    let hook = clone.join(".git/hooks/post-index-change");
    fs::copy(marker, &hook).expect("the clone has hooks");
    fs::write(clone.join(".git/info/attributes"), "* filter=x\n").expect("ours");

    git(&clone, &["status"]);
    assert!(
        planted.was_run().is_some(),
        "the file system monitor is dead"
    );
    git(
        &clone,
        &[
            "-c",
            "core.fsmonitor=false",
            "cat-file",
            "-p",
            "HEAD~1:src/lib.rs",
        ],
    );
    assert!(planted.was_run().is_some(), "nothing is fetched");

    for base in [
        "HEAD~1",
        "HEAD",
        ":/x",
        "HEAD^{/x}",
        "main@{upstream}",
        "--upload-pack=x",
    ] {
        let said = run(weigh(&clone).args(["diff", base, "--offline"]));
        assert_eq!(planted.was_run(), None, "{base}: {said:?}");
        if base == "HEAD~1" {
            said.says(&["src/lib.rs` is omitted: git does not have it"]);
        }
    }
}

#[test]
#[ignore = "slow: .ci/slow tests"]
fn sizes_without_the_configuration_are_marked() {
    let planted = Planted::new("marked").file(
        ".cargo/config.toml",
        "build.rustflags = ['--cfg', 'configured']\nbuild.target-dir = 'elsewhere'\n",
    );
    let listed = planted.weigh(&["sizes"]).expect(0);
    assert!(listed.stdout.contains("Configured") && !listed.stdout.contains("without"));
    let words = ["without the project's configuration"];
    for args in [
        &["sizes", "--no-project-config"][..],
        &["layout", "Plain", "--no-project-config"],
    ] {
        let said = planted.weigh(args).expect(0);
        assert!(
            said.stdout.contains(words[0]) && !said.stdout.contains("Configured"),
            "{said:?}"
        );
        said.says(&["--no-project-config"]);
    }
    planted
        .weigh(&["--no-project-config"])
        .expect(0)
        .says(&words);
    let mark = "\"project_config\":false";
    for args in [&[][..], &["sizes"], &["layout", "Plain"]] {
        let json = [args, &["--message-format", "json"]].concat();
        let said = planted
            .weigh(&[&json[..], &["--no-project-config"]].concat())
            .expect(0);
        let lines = said.stdout.lines().filter(|l| l.contains("\"rustc\""));
        assert!(
            lines.clone().count() > 0 && lines.clone().all(|l| l.contains(mark)),
            "{said:?}"
        );
        let said = planted.weigh(&json).expect(0);
        assert!(!said.stdout.contains("project_config"), "{said:?}");
    }

    // From a subdirectory, and with paths relative to it.
    let mut command = weigh(&planted.folder().join("src/deeper"));
    run(command.args(["snapshot", "--no-project-config", "--target-dir", "built"])).expect(0);
    assert!(planted.folder().join("weigh.sizes.json").is_file());
    let mut command = weigh(planted.scratch.folder());
    let manifest = ["--no-project-config", "--manifest-path", "p/Cargo.toml"];
    run(command
        .args(["sizes", "--output", "sizes.txt"])
        .args(manifest))
    .expect(0);
    assert!(planted.scratch.folder().join("sizes.txt").is_file());
    let said = planted.weigh(&["diff", "weigh.sizes.json"]).expect(0);
    said.says(&["without the project's configuration"]);
    let said = planted
        .weigh(&["diff", "weigh.sizes.json", "--message-format", "json"])
        .expect(0);
    let lines = said.json();
    let summary = lines.last().expect("there is one");
    assert_eq!(summary["base"]["project_config"], false, "{summary}");
    assert!(summary["now"].get("project_config").is_none(), "{summary}");
    assert!(summary.get("project_config").is_none(), "{summary}");

    // A symlink in the project does not redirect output outside it.
    let elsewhere = planted.scratch.folder().join("elsewhere");
    for (name, args) in [
        ("weigh.sizes.json", "snapshot"),
        ("weigh.baseline.json", "--write-baseline"),
    ] {
        let place = planted.folder().join(name);
        let _ = fs::remove_file(&place);
        fs::write(&elsewhere, "[]").expect("ours");
        std::os::unix::fs::symlink(&elsewhere, &place).expect("links can be made");
        let said = planted.weigh(&[args, "--no-project-config"]).expect(2);
        said.says(&["is a symbolic link"]);
        assert_eq!(fs::read_to_string(&elsewhere).expect("ours"), "[]");
        planted.weigh(&[args]).expect(0);
        assert_ne!(fs::read_to_string(&elsewhere).expect("ours"), "[]");
        fs::remove_file(&place).expect("a link");
    }

    for args in [
        &["verify", "--no-project-config"][..],
        &["--no-project-config", "--with", "check"],
        &["census", "--no-project-config"],
        &["census", "--no-project-config", "--exec", "planted"],
    ] {
        planted.weigh(args).expect(2).says(&["compile"]);
    }
}
