//! A user with a shell, a home, a service manager that writes down what it is told, and a gateway if one is started.

use crate::kit::{Folder, Run, ServedGateway, finish};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Obeys, unless a file `no-manager` says that no service manager runs here; `environment` is its own.
const SYSTEMCTL: &str = r#"echo "systemctl $*" >> calls
[ -e no-manager ] && { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
case $2 in
    enable) [ -e no-start ] && { echo "Unit failed to load" >&2; exit 1; }; touch runs ;;
    disable) rm -f runs ;;
    is-active) if [ -e runs ]; then echo active; else echo inactive; exit 3; fi ;;
    is-enabled) echo enabled ;;
    show-environment) if [ -e environment ]; then cat environment; fi ;;
esac"#;

/// The same; if there is a file `slow`, the service takes until the next question to end.
const LAUNCHCTL: &str = r#"echo "launchctl $*" >> calls
case $1 in
    bootstrap) [ -e runs ] && { echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; }; touch runs ;;
    bootout) if [ -e slow ]; then mv slow ends; else rm -f runs; fi ;;
    print) case $2 in
        */tokenforge.gateway)
            [ -e runs ] || { echo "Could not find service" >&2; exit 113; }
            echo "	state = running"
            if [ -e ends ]; then rm ends runs; fi ;;
        *) echo domain ;;
    esac ;;
esac"#;

pub(crate) struct User {
    pub(crate) folder: Folder,
    /// The gateway's address in the settings; nothing listens at the first one.
    listen: String,
    variables: Vec<(&'static str, String)>,
}

impl User {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        for name in ["home", "project", "bin"] {
            fs::create_dir(folder.path(name)).unwrap();
        }
        let user = User { folder, listen: "127.0.0.1:1".to_owned(), variables: Vec::new() };
        let here = user.folder.path("").display().to_string();
        user.program("bin/systemctl", &format!("cd '{here}'\n{SYSTEMCTL}"));
        user.program("bin/launchctl", &format!("cd '{here}'\n{LAUNCHCTL}"));
        user
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// A program in a shell.
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        let path = self.file(name, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.folder.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.folder.path("bin").display())
    }

    /// A program with this user's environment, and nothing of the environment of the test run.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .current_dir(self.folder.path("project"))
            .env("PATH", self.path())
            .env("HOME", self.folder.path("home"))
            .env("SHELL", "/bin/bash")
            .env("FORGE_DATA_DIR", self.folder.path("data"))
            .env("FORGE_CONFIG_DIR", self.folder.path("config"))
            .env("FORGE_LISTEN", &self.listen)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// `tokenforge` with these words.
    pub(crate) fn run(&self, words: &[&str]) -> Run {
        self.run_on(words, "")
    }

    pub(crate) fn run_on(&self, words: &[&str], stdin: &str) -> Run {
        let program = env!("CARGO_BIN_EXE_tokenforge");
        finish(self.command(program).args(words).spawn().unwrap(), stdin)
    }

    /// The same, which succeeds: its standard output.
    pub(crate) fn said(&self, words: &[&str]) -> String {
        let run = self.run(words);
        assert_eq!(run.code, 0, "{words:?}\n{}{}", run.stdout, run.stderr);
        run.stdout
    }

    /// The same, which fails: its standard error.
    pub(crate) fn fails(&self, words: &[&str]) -> String {
        let run = self.run(words);
        assert_eq!(run.code, 1, "{words:?}\n{}{}", run.stdout, run.stderr);
        run.stderr
    }

    /// What is typed into a new terminal.
    pub(crate) fn types(&self, line: &str) -> Run {
        let mut shell = self.command("/bin/bash");
        shell.args(["-c", &format!(". ~/.bashrc\n{line}")]);
        finish(shell.spawn().unwrap(), "")
    }

    /// What the service manager was told, but for questions.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.folder.path("calls")).unwrap_or_default();
        let is_question =
            |line: &&str| line.contains("is-") || line.contains("show-") || line.contains("print");
        calls.lines().filter(|line| !is_question(line)).map(str::to_owned).collect()
    }

    /// Starts a gateway, which is where the settings say from now on.
    pub(crate) fn serve(&mut self) -> ServedGateway {
        self.listen = "127.0.0.1:0".to_owned();
        let mut command = self.command(env!("CARGO_BIN_EXE_tokenforge"));
        command.arg("serve");
        let gateway = ServedGateway::start(command);
        self.listen = gateway.address().to_owned();
        gateway
    }

    /// Sets where the gateway is said to be.
    pub(crate) fn set_listen(&mut self, address: &str) {
        self.listen = address.trim_start_matches("http://").to_owned();
    }

    /// Everything in the home folder, with what is in it.
    pub(crate) fn home(&self) -> Vec<(PathBuf, Option<String>)> {
        let mut found = Vec::new();
        let mut left = vec![self.folder.path("home")];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let text = fs::read_to_string(&path).ok();
                if text.is_none() {
                    left.push(path.clone());
                }
                found.push((path, text));
            }
        }
        found.sort();
        found
    }
}
