//! Base URL probe: does an agent that is installed ask the address that it is given?
//!
//! It is started once, in an empty home folder and with a made-up key, and told the address of a listener of ours. That
//! listener is its proxy, too: what it would ask elsewhere comes here instead, and goes no further. No file, login or
//! session of the user is seen by it.

use super::clients;
use super::finding::Finding;
use crate::output::printable;
use crate::wrap::{self, ClientLaunch, wrappable_names};
use anyhow::{Context, bail};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokenforge_agents::{Agent, AgentProbe, find};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

const CHECK: &str = "probe";

/// How long an agent has until it asks its model. Some unpack themselves first.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many requests may wait to be looked at, and how many hosts are named.
const WAITING: usize = 64;
const NAMED: usize = 3;

/// What an agent must know to start at all.
const KEPT_VARIABLES: [&str; 6] = ["PATH", "LANG", "TERM", "TMPDIR", "SYSTEMROOT", "PATHEXT"];

pub(super) async fn check() -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in wrappable_names() {
        let (Some(agent), Some(program)) = (find(name), clients::on_path(name)) else { continue };
        findings.push(match &agent.probe {
            Some(probe) => finding(agent, &program, asked(agent, probe, &program).await),
            None => {
                Finding::note(CHECK, format!("{name} cannot be tried without its user's settings"))
            }
        });
    }
    findings
}

fn finding(agent: &Agent, program: &Path, asked: anyhow::Result<ProbeOutcome>) -> Finding {
    let version =
        clients::version(program).map(|version| format!(" {version}")).unwrap_or_default();
    let name = format!("{}{version}", agent.id);
    match asked {
        Ok(ProbeOutcome::Asked(path)) => {
            Finding::ok(CHECK, format!("{name} asks the address that it is given (POST {path})"))
        }
        Ok(ProbeOutcome::WentPast(hosts)) => {
            let hosts: Vec<_> = hosts.into_iter().take(NAMED).collect();
            let says = format!(
                "{name} does not ask the address that it is given, but {}",
                hosts.join(", ")
            );
            let tested = agent.tested.as_deref().unwrap_or("none");
            Finding::broken(CHECK, says).remedied_by(format!(
                "its requests do not go through Tokenforge; the version that was tested is {tested}"
            ))
        }
        Ok(ProbeOutcome::Silent) => {
            Finding::note(CHECK, format!("{name} ended without asking its model anything"))
        }
        Ok(ProbeOutcome::Late) => {
            let seconds = PATIENCE.as_secs();
            Finding::note(CHECK, format!("{name} asked its model nothing for {seconds} seconds"))
        }
        Err(error) => Finding::note(CHECK, format!("{name} cannot be tried: {error:#}")),
    }
}

/// What an agent did.
enum ProbeOutcome {
    /// It asked the listener, at this path.
    Asked(String),
    /// It asked others only.
    WentPast(BTreeSet<String>),
    /// It ended, and asked nobody.
    Silent,
    /// It did neither in time.
    Late,
}

/// A request of an agent.
enum SeenRequest {
    Model(String),
    Elsewhere(String),
}

async fn asked(
    agent: &'static Agent,
    probe: &AgentProbe,
    program: &Path,
) -> anyhow::Result<ProbeOutcome> {
    let home = tempfile::tempdir().context("there is no place for a home folder")?;
    for (name, text) in &probe.files {
        let file = home.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(home.path()))?;
        fs::write(file, text)?;
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("cannot listen")?;
    let url = format!("http://{}", listener.local_addr()?);
    let Some(path) = program.to_str() else { bail!("the path of its program is not UTF-8") };
    let launch = wrap::probe_launch(agent, path, &url)?;
    let (sender, mut seen) = mpsc::channel(WAITING);
    let serving = tokio::spawn(listen(listener, sender));
    let mut child = start(program, probe, &launch, home.path(), &url)?;
    let outcome = watch(&mut child, &mut seen).await;
    end(child).await;
    serving.abort();
    Ok(outcome)
}

fn start(
    program: &Path,
    probe: &AgentProbe,
    launch: &ClientLaunch,
    home: &Path,
    url: &str,
) -> anyhow::Result<Child> {
    let mut command = Command::new(program);
    command.env_clear();
    for name in KEPT_VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] {
        command.env(name, url);
    }
    command.envs([("NO_PROXY", "127.0.0.1,localhost"), ("no_proxy", "127.0.0.1,localhost")]);
    command.env("HOME", home).env("USERPROFILE", home).envs(&probe.variables);
    command.envs(launch.variables.iter().map(|(name, value)| (name, value)));
    command.args(&launch.arguments).args(&probe.arguments);
    command.current_dir(home).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Most are scripts that start the agent itself, which is to end with them.
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().context("it cannot be started")
}

/// Waits until it asks its model, or ends.
async fn watch(child: &mut Child, seen: &mut mpsc::Receiver<SeenRequest>) -> ProbeOutcome {
    let until = Instant::now() + PATIENCE;
    let mut hosts = BTreeSet::new();
    let otherwise = loop {
        tokio::select! {
            biased;
            request = seen.recv() => match request {
                Some(SeenRequest::Model(path)) => return ProbeOutcome::Asked(path),
                Some(SeenRequest::Elsewhere(host)) => drop(hosts.insert(host)),
                None => break ProbeOutcome::Silent,
            },
            _ = child.wait() => break ProbeOutcome::Silent,
            () = sleep_until(until) => break ProbeOutcome::Late,
        }
    };
    if hosts.is_empty() { otherwise } else { ProbeOutcome::WentPast(hosts) }
}

async fn end(mut child: Child) {
    #[cfg(unix)]
    if let Some(group) = child.id().and_then(|id| i32::try_from(id).ok()) {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = Pid::from_raw(group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let _ = child.kill().await;
}

/// Notes what is asked, and answers nothing of it.
async fn listen(listener: TcpListener, seen: mpsc::Sender<SeenRequest>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let seen = seen.clone();
        let service = service_fn(move |request| note(request, seen.clone()));
        connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        while connections.try_join_next().is_some() {}
    }
}

async fn note(
    request: Request<Incoming>,
    seen: mpsc::Sender<SeenRequest>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let told = match (request.uri().authority(), request.method()) {
        (Some(host), _) => Some(SeenRequest::Elsewhere(short(host.as_str()))),
        (None, &Method::POST) => Some(SeenRequest::Model(short(request.uri().path()))),
        // Clients look around before they ask: is there a WebSocket, is anybody there.
        (None, _) => None,
    };
    if let Some(told) = told {
        let _ = seen.try_send(told);
    }
    let mut answer = Response::new(Full::new(Bytes::from_static(
        b"{\"error\":{\"message\":\"tokenforge doctor\"}}",
    )));
    *answer.status_mut() = StatusCode::FORBIDDEN;
    Ok(answer)
}

fn short(text: &str) -> String {
    printable(&text.chars().take(80).collect::<String>())
}
