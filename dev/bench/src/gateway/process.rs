//! A server in a process of its own, so that its processor time and its memory are its own too.

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::net::TcpStream;

/// Linux counts a process's time in these, for every program that reads it.
const TICK: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server. It is killed when it is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
    /// How long it took from its start until it answered.
    pub(crate) ready_after: Duration,
    /// The data folder of a gateway.
    _home: TempDir,
}

impl ServerProcess {
    /// The gateway, in front of `upstream`.
    pub(crate) async fn gateway(
        program: &Path,
        upstream: SocketAddr,
        mode: &str,
    ) -> anyhow::Result<Self> {
        let address = free_address()?;
        let home = tempfile::tempdir()?;
        let mut command = serve(program, address, upstream, home.path());
        command.args(["--tool-output-compression", mode]);
        Self::start(command, address, home).await
    }

    /// The same, with these settings, as YAML.
    pub(crate) async fn gateway_with(
        program: &Path,
        upstream: SocketAddr,
        settings: &str,
    ) -> anyhow::Result<Self> {
        let address = free_address()?;
        let file = std::env::temp_dir().join(format!("tokenforge-bench-{}.yaml", address.port()));
        std::fs::write(&file, settings)?;
        let home = tempfile::tempdir()?;
        let mut command = serve(program, address, upstream, home.path());
        command.arg("--config").arg(&file);
        let started = Self::start(command, address, home).await;
        std::fs::remove_file(&file)?;
        started
    }

    /// A server that this program is too; see `serve.rs`.
    pub(crate) async fn own(role: &str, upstream: Option<SocketAddr>) -> anyhow::Result<Self> {
        Self::own_at(free_address()?, role, upstream).await
    }

    /// The same, at an address that others know already.
    pub(crate) async fn own_at(
        address: SocketAddr,
        role: &str,
        upstream: Option<SocketAddr>,
    ) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(role).arg(address.to_string());
        command.args(upstream.map(|upstream| upstream.to_string()));
        Self::start(command, address, tempfile::tempdir()?).await
    }

    async fn start(
        mut command: Command,
        address: SocketAddr,
        home: TempDir,
    ) -> anyhow::Result<Self> {
        let what = format!("{command:?}");
        let start = Instant::now();
        // Our own servers end when their input does: also when we are killed.
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.spawn().with_context(|| what.clone())?;
        let mut process = Self { child, address, ready_after: Duration::ZERO, _home: home };
        while !is_ready(address).await {
            if let Some(status) = process.child.try_wait()? {
                bail!("{what} ended: {status}");
            }
            if start.elapsed() > PATIENCE {
                bail!("{what} is not ready after {PATIENCE:?}");
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        process.ready_after = start.elapsed();
        Ok(process)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(program: &Path, address: SocketAddr, upstream: SocketAddr, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", "--listen", &address.to_string()]);
    command.args(["--backend-url", &format!("http://{upstream}")]);
    // Neither a settings file nor a variable of the user who runs this changes what is measured. With a data folder, as
    // users have one: without it there is no key for references and no ledger.
    command.env_clear().env("HOME", home).current_dir("/");
    command
}

/// The processor time a process took so far, of all its threads.
pub(crate) fn cpu(pid: u32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let stat = std::fs::read_to_string(&path).context(path)?;
    // The name, in brackets, may hold anything; user and system time are the 12th and 13th field after it.
    let (_, fields) = stat.rsplit_once(')').context("a process without a name")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |at: usize| anyhow::Ok(fields.get(at).context("a short stat")?.parse::<u32>()?);
    Ok(TICK * (ticks(11)? + ticks(12)?))
}

/// The processor time that others had so far while processes here could have run, on a machine that is shared.
pub(crate) fn stolen() -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/stat").context("/proc/stat")?;
    let ticks = stat.split_whitespace().nth(8).context("a short stat")?;
    Ok(TICK * ticks.parse::<u32>()?)
}

/// The memory a process holds now, in KB.
pub(crate) fn rss(pid: u32) -> anyhow::Result<usize> {
    memory(pid, "VmRSS:")
}

/// The most memory a process ever held, in KB.
pub(crate) fn peak_rss(pid: u32) -> anyhow::Result<usize> {
    memory(pid, "VmHWM:")
}

fn memory(pid: u32, field: &str) -> anyhow::Result<usize> {
    let path = format!("/proc/{pid}/status");
    let status = std::fs::read_to_string(&path).context(path)?;
    let value = status.lines().find_map(|line| line.strip_prefix(field));
    let value = value.with_context(|| format!("no {field}"))?;
    Ok(value.trim().trim_end_matches(" kB").parse()?)
}

/// A port on which no process listens. Given, not asked for: so nothing has to be read from what a server prints.
fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

async fn is_ready(address: SocketAddr) -> bool {
    let asked = async {
        let stream = TcpStream::connect(address).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::get("/_forge/readyz").header("host", address.to_string());
        let reply = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
        anyhow::Ok(reply.status().is_success())
    };
    asked.await.unwrap_or(false)
}
