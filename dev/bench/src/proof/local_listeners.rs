//! Row 30: local listeners: another program is where a hook, a shim, `wrap` or a command expects the user's gateway.

use crate::kit::{GatewayHome, GatewayProcess, ProofBench, test_run};
use crate::row::{Faults, ProofRow, RowResult};
use anyhow::Context;
use serde_json::json;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 30,
    what: "local listeners: another program answers in the gateway's place (hook, shim, `wrap`, commands): forged, replayed, \
           passed on, late",
    bar: "no pass, login or tool result reaches it, and none of its words becomes an output; another user enters no \
          folder of a socket",
    prove,
};

/// Words that a listener tries to put into outputs.
const FORGED: &str = "forged-by-a-stranger";

/// A word of the tool result, and the login of the agent.
const RESULT: &str = "a-word-of-the-tool-result";
const LOGIN: &str = "sk-ant-the-login-of-the-agent";

/// How often each kind of answer is tried.
const TIMES: usize = 10;

/// The number of a user and a group without rights.
const UNPRIVILEGED: &str = "65534";

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let user = VictimUser::new(bench)?;
    let cases = user.hooks(&mut faults)? + user.agents_and_commands(&mut faults)?;
    let (others, figure) = user.other_user(&mut faults)?;
    faults.into_result(format!("{} cases", cases + others), figure)
}

/// A user with a gateway, an agent and a shell.
struct VictimUser<'b> {
    bench: &'b ProofBench,
    home: GatewayHome,
    mock: Mock,
}

/// How a stranger answers.
#[derive(Clone)]
enum StrangerAnswer {
    Says(Vec<u8>),
    /// A byte now and then, without an end.
    Drips(Vec<u8>),
    /// What the real gateway there says.
    PassesOn(SocketAddr),
}

/// A listener that keeps all that it hears.
#[derive(Clone, Default)]
struct HeardBytes(Arc<Mutex<Vec<u8>>>);

impl HeardBytes {
    fn taken(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }
}

impl<'b> VictimUser<'b> {
    fn new(bench: &'b ProofBench) -> anyhow::Result<Self> {
        let user = VictimUser { bench, home: GatewayHome::new()?, mock: Mock::start() };
        let bin = user.home.path().join("bin");
        fs::create_dir(&bin)?;
        let agent = bin.join("claude");
        fs::write(&agent, "#!/bin/sh\necho \"address=$ANTHROPIC_BASE_URL\"\n")?;
        fs::set_permissions(&agent, Permissions::from_mode(0o755))?;
        Ok(user)
    }

    fn gateway(&self) -> anyhow::Result<GatewayProcess> {
        GatewayProcess::in_home(self.bench, self.mock.address(), &self.home, &[])
    }

    /// A command of this user; the settings say that the gateway is at this address.
    fn run(&self, words: &[&str], listen: &str, input: &str) -> anyhow::Result<String> {
        let bin = self.home.path().join("bin");
        let mut child = Command::new(&self.bench.program)
            .args(words)
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
            .env("HOME", self.home.path())
            .env("FORGE_DATA_DIR", self.home.data())
            .env("FORGE_CONFIG_DIR", self.home.path().join("config"))
            .env("FORGE_LISTEN", listen)
            .env("ANTHROPIC_API_KEY", LOGIN)
            .current_dir(self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // A command that reads nothing may be gone already.
        let _ = child.stdin.take().context("a pipe")?.write_all(input.as_bytes());
        let output = child.wait_with_output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// What a hook prints for a tool result.
    fn hook(&self) -> anyhow::Result<String> {
        let stdout = test_run(1).replace("running", &format!("running {RESULT}"));
        let result =
            json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false});
        let input = json!({
            "hook_event_name": "PostToolUse", "cwd": "/project", "tool_name": "Bash",
            "tool_input": {"command": "cargo test"}, "tool_response": result,
        });
        self.run(&["hook", "claude"], "127.0.0.1:1", &input.to_string())
    }

    /// All that no stranger may hear.
    fn secrets(&self) -> Vec<Vec<u8>> {
        let mut secrets = vec![RESULT.as_bytes().to_vec(), LOGIN.as_bytes().to_vec()];
        for name in ["admin_token", "key"] {
            let secret = fs::read(self.home.data().join(name)).unwrap_or_default();
            secrets.push(secret.trim_ascii().to_vec());
        }
        secrets.retain(|secret| !secret.is_empty());
        secrets
    }

    /// Notes what a stranger heard that it may not, and what of its words came out.
    fn check(&self, case: &str, heard: &HeardBytes, said: &str, faults: &mut Faults) {
        let heard = heard.taken();
        let leaks = |secret: &Vec<u8>| heard.windows(secret.len()).any(|part| part == secret);
        faults.check(!self.secrets().iter().any(leaks), || format!("{case}: a secret was sent"));
        faults.check(!said.contains(FORGED), || format!("{case}: it forged an output"));
    }

    /// At the socket of a gateway that was killed.
    fn hooks(&self, faults: &mut Faults) -> anyhow::Result<usize> {
        let alone = self.hook()?;
        let gateway = self.gateway()?;
        let place = fs::read_to_string(self.home.data().join("hook/place"))?;
        faults.check(self.hook()? == alone, || "the gateway says something else".to_owned());
        let mut recorded = String::new();
        let mut stream = UnixStream::connect(&place)?;
        stream.write_all(b"0123456789abcdef0123456789abcdef\n")?;
        stream.shutdown(Shutdown::Write)?;
        stream.read_to_string(&mut recorded)?;
        faults.check(recorded.trim_end().len() == 96, || format!("a proof: {recorded}"));
        drop(gateway);
        let answer = json!({"texts": [FORGED]}).to_string();
        let says = |text: String| StrangerAnswer::Says(text.into_bytes());
        let answers = [
            ("forged", says(answer.clone()), TIMES),
            ("false proof", says(format!("{}\n{answer}", "0".repeat(96))), TIMES),
            ("replayed proof", says(format!("{recorded}{answer}")), TIMES),
            ("silent", says(String::new()), TIMES),
            ("late", StrangerAnswer::Drips(format!("{recorded}{answer}").into()), 1),
        ];
        let mut cases = 0;
        for (case, answer, times) in answers {
            let _ = fs::remove_file(&place);
            let listener = UnixListener::bind(&place)?;
            let heard = HeardBytes::default();
            let ear = heard.clone();
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (ear, answer) = (ear.clone(), answer.clone());
                    thread::spawn(move || serve_unix(stream, &answer, &ear));
                }
            });
            for _ in 0..times {
                let said = self.hook()?;
                faults.check(said == alone, || format!("{case}: another output than alone"));
                self.check(case, &heard, &said, faults);
                cases += 1;
            }
        }
        fs::remove_file(&place)?;
        Ok(cases)
    }

    /// At the port where shims, `wrap` and commands look.
    fn agents_and_commands(&self, faults: &mut Faults) -> anyhow::Result<usize> {
        let gateway = self.gateway()?;
        let real = gateway.address;
        let own = self.run(&["launch", "claude"], &real.to_string(), "")?;
        faults.check(own.contains(&real.to_string()), || format!("past the own gateway: {own}"));
        let healthy = format!(
            "HTTP/1.1 200 OK\r\nx-forge-version: {}\r\nx-forge-proof: {}\r\ncontent-type: application/json\r\n\
             content-length: 40\r\n\r\n{:40}",
            env!("CARGO_PKG_VERSION"),
            "0".repeat(64),
            json!({"path": FORGED})
        );
        // The proof of another question, as this gateway once gave it.
        let replayed = ask(real, &"0123456789abcdef".repeat(2))?;
        faults.check(String::from_utf8_lossy(&replayed).contains("x-forge-proof"), || {
            "no proof".to_owned()
        });
        let answers = [
            ("says that it is a gateway", StrangerAnswer::Says(healthy.repeat(2).into()), TIMES),
            ("replayed proof", StrangerAnswer::Says(replayed), TIMES),
            ("passes the challenge on", StrangerAnswer::PassesOn(real), TIMES),
            ("late", StrangerAnswer::Drips(healthy.into()), 1),
        ];
        let commands: [&[&str]; 4] =
            [&["launch", "claude"], &["wrap", "claude"], &["dashboard"], &["mcp", "list"]];
        let mut cases = 0;
        for (case, answer, times) in answers {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let address = listener.local_addr()?.to_string();
            let heard = HeardBytes::default();
            let ear = heard.clone();
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (ear, answer) = (ear.clone(), answer.clone());
                    thread::spawn(move || serve_tcp(stream, &answer, &ear));
                }
            });
            for words in commands {
                for _ in 0..times {
                    let said = self.run(words, &address, "")?;
                    let case = format!("{}, {case}", words.join(" "));
                    let is_sent_there = said.contains(&format!("address=http://{address}"));
                    faults.check(!is_sent_there, || format!("{case}: the agent goes there"));
                    self.check(&case, &heard, &said, faults);
                    cases += 1;
                }
            }
        }
        Ok(cases)
    }

    /// A user without rights, at the files and the port.
    fn other_user(&self, faults: &mut Faults) -> anyhow::Result<(usize, String)> {
        let is_root = Command::new("id").arg("-u").output()?.stdout == b"0\n";
        let can_change = || as_other_user("true", &[]).status().is_ok_and(|it| it.success());
        if !is_root || !can_change() {
            return Ok((0, "as another user: skipped, needs root and setpriv".to_owned()));
        }
        for folder in [self.home.path(), &self.home.data()] {
            fs::set_permissions(folder, Permissions::from_mode(0o755))?;
        }
        let _gateway = self.gateway()?;
        let mut tried = 0;
        let mut refuse = |words: [&str; 3], faults: &mut Faults| -> anyhow::Result<()> {
            let status = as_other_user(words[0], &words[1..]).status()?;
            faults.check(!status.success(), || format!("another user can `{}`", words.join(" ")));
            tried += 1;
            Ok(())
        };
        let data = self.home.data();
        let shown = |name: &str| data.join(name).display().to_string();
        for name in ["admin_token", "key", "hook/place"] {
            refuse(["cat", "--", &shown(name)], faults)?;
        }
        refuse(["ls", "--", &shown("hook")], faults)?;
        refuse(["touch", "--", &shown("hook/socket2")], faults)?;
        refuse(["rm", "-f", &shown("hook/socket")], faults)?;
        tried += self.gateway_of_other_user(faults)?;
        Ok((tried, "as another user: tried".to_owned()))
    }

    /// A gateway that another user started at the port.
    fn gateway_of_other_user(&self, faults: &mut Faults) -> anyhow::Result<usize> {
        let folder = tempfile::tempdir()?;
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777))?;
        let program = folder.path().join("tokenforge");
        fs::copy(&self.bench.program, &program)?;
        let listen = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = as_other_user(&program.display().to_string(), &["serve"]);
        let mut theirs = command
            .env_clear()
            .env("FORGE_DATA_DIR", folder.path().join("data"))
            .env("FORGE_LISTEN", listen.to_string())
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let is_up =
            crate::kit::wait_until(Duration::from_secs(30), || TcpStream::connect(listen).is_ok());
        faults.check(is_up, || "the other user's gateway did not start".to_owned());
        for words in [["launch", "claude"], ["wrap", "claude"]] {
            let said = self.run(&words, &listen.to_string(), "")?;
            let is_sent_there = said.contains(&format!("address=http://{listen}"));
            faults.check(!is_sent_there, || format!("{words:?}: the agent goes to another user"));
        }
        theirs.kill()?;
        theirs.wait()?;
        Ok(2)
    }
}

/// A command of a user without rights.
fn as_other_user(program: &str, words: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args([&format!("--reuid={UNPRIVILEGED}"), &format!("--regid={UNPRIVILEGED}")])
        .args(["--clear-groups", "--", program])
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The health of a gateway, with the answer to a challenge.
fn ask(gateway: SocketAddr, challenge: &str) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(gateway)?;
    let ready = format!("GET /_forge/readyz HTTP/1.1\r\nhost: {gateway}\r\n\r\n");
    let health = format!(
        "GET /_forge/healthz HTTP/1.1\r\nhost: {gateway}\r\nx-forge-challenge: {challenge}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all((ready + &health).as_bytes())?;
    let mut said = Vec::new();
    stream.read_to_end(&mut said)?;
    Ok(said)
}

fn serve_unix(stream: UnixStream, answer: &StrangerAnswer, heard: &HeardBytes) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let close = |stream: &UnixStream| stream.shutdown(Shutdown::Write);
    let _ = serve(stream, answer, heard, close);
}

fn serve_tcp(stream: TcpStream, answer: &StrangerAnswer, heard: &HeardBytes) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let _ = serve(stream, answer, heard, |stream| stream.shutdown(Shutdown::Write));
}

fn serve<S: Read + Write>(
    mut stream: S,
    answer: &StrangerAnswer,
    heard: &HeardBytes,
    close: impl Fn(&S) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut block = [0; 16 << 10];
    let read = stream.read(&mut block)?;
    heard.add(&block[..read]);
    match answer {
        StrangerAnswer::Says(text) => stream.write_all(text)?,
        StrangerAnswer::Drips(text) => {
            // The last byte is kept back: the answer is never complete in time.
            for byte in &text[..text.len() - 1] {
                stream.write_all(&[*byte])?;
                thread::sleep(Duration::from_millis(100));
            }
        }
        StrangerAnswer::PassesOn(real) => {
            let mut gateway = TcpStream::connect(real)?;
            gateway.set_read_timeout(Some(Duration::from_secs(1)))?;
            gateway.write_all(&block[..read])?;
            let mut said = Vec::new();
            let _ = gateway.read_to_end(&mut said);
            stream.write_all(&said)?;
        }
    }
    close(&stream)?;
    while let Ok(read @ 1..) = stream.read(&mut block) {
        heard.add(&block[..read]);
    }
    Ok(())
}
