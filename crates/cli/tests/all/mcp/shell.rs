//! A user's shell: a home of its own, a tool server, and a gateway if one is started.

use crate::kit::{Folder, Run, ServedGateway, finish};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A tool server in a shell. It answers with `$RESULT`, with what it was asked, that it failed, or not at all.
const SERVER: &str = r#"while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),.*/\1/p')
    case "$line" in
        *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
        *'"tools/list"'*) result='{"tools":[{"name":"rows"},{"name":"echo","inputSchema":{"properties":{"id":{"type":"string"}}}},{"name":"fails"},{"name":"never"}]}' ;;
        *'"name":"rows"'*) result=$RESULT ;;
        *'"name":"echo"'*) result='{"content":[],"structuredContent":'$(printf '%s' "$line" | sed 's/.*"arguments":\({[^}]*}\).*/\1/')'}' ;;
        *'"name":"fails"'*) result='{"content":[{"type":"text","text":"no such row"}],"isError":true}' ;;
        *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

/// What its tool `rows` says.
pub(crate) fn rows() -> String {
    let row = |n: u32| json!({"id": n, "name": format!("row {n}"), "state": "open"});
    serde_json::to_string_pretty(&(0..60).map(row).collect::<Vec<_>>()).unwrap()
}

/// The variable that the server needs.
pub(crate) fn variable() -> String {
    format!("RESULT={}", json!({"content": [{"type": "text", "text": rows()}]}))
}

/// The program of the server, as words of a command line.
pub(crate) fn program() -> [&'static str; 3] {
    ["sh", "-c", SERVER]
}

pub(crate) struct Shell {
    pub(crate) folder: Folder,
    /// The gateway's address in the settings; nothing listens at the first one.
    pub(crate) listen: String,
    variables: Vec<(&'static str, &'static str)>,
}

impl Shell {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("project")).unwrap();
        Shell { folder, listen: "127.0.0.1:1".to_owned(), variables: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    /// A file in the project.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.path("project").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
        command
            .args(arguments)
            .current_dir(self.folder.path("project"))
            .env("HOME", self.folder.path("home"))
            .env("XDG_CONFIG_HOME", self.folder.path("home/.config"))
            .env("FORGE_DATA_DIR", self.folder.path("data"))
            .env("FORGE_CONFIG_DIR", self.folder.path("config"))
            .env("FORGE_LISTEN", &self.listen)
            .envs(self.variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it with more variables set.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let child = self.command(arguments).envs(variables.iter().copied()).spawn();
        finish(child.expect("the binary starts"), "")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_on(arguments, "")
    }

    pub(crate) fn run_on(&self, arguments: &[&str], stdin: &str) -> Run {
        finish(self.command(arguments).spawn().unwrap(), stdin)
    }

    /// `tokenforge mcp` with these words, which succeeds: its standard output.
    pub(crate) fn mcp(&self, words: &[&str]) -> String {
        let run = self.run(&[&["mcp"], words].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{words:?}\n{}", run.stdout);
        run.stdout
    }

    /// The same, which fails: its standard error.
    pub(crate) fn fail(&self, words: &[&str]) -> String {
        let run = self.run(&[&["mcp"], words].concat());
        assert_eq!(run.code, 1, "{words:?}\n{}{}", run.stdout, run.stderr);
        run.stderr
    }

    pub(crate) fn list(&self) -> Value {
        serde_json::from_str(&self.mcp(&["list", "--json"])).unwrap()
    }

    /// Adds the tool server under a name.
    pub(crate) fn add_server(&self, name: &str) -> String {
        let variable = variable();
        self.mcp(&[&["add", name, "--env", &variable, "--"], &program()[..]].concat())
    }

    /// Starts a gateway, which is where the settings say from now on.
    pub(crate) fn serve(&mut self) -> ServedGateway {
        self.listen = "127.0.0.1:0".to_owned();
        let gateway = ServedGateway::start(self.command(&["serve"]));
        self.listen = gateway.address().to_owned();
        gateway
    }
}
