//! The program under test as a child process, in a home of its own.

use super::{Answer, Ask, Open, ProofBench};
use anyhow::{Context, bail};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with the settings, the data and the log of a gateway. A second gateway may use it after the first, or beside it.
pub(crate) struct GatewayHome {
    folder: TempDir,
}

impl GatewayHome {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let home = GatewayHome { folder: TempDir::new()? };
        fs::create_dir(home.data())?;
        Ok(home)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.path().join("tokenforge.yaml")
    }

    /// All that gateways of this home logged.
    pub(crate) fn log(&self) -> String {
        fs::read(self.path().join("log"))
            .map(|log| String::from_utf8_lossy(&log).into_owned())
            .unwrap_or_default()
    }
}

/// A running gateway. It is killed when it is dropped.
pub(crate) struct GatewayProcess {
    child: Child,
    /// Held open, so that it can go on to print.
    _stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl GatewayProcess {
    /// Starts one with these settings, in YAML, in front of an upstream, in a home of its own.
    pub(crate) fn start(
        bench: &ProofBench,
        upstream: SocketAddr,
        settings: &str,
    ) -> anyhow::Result<(Self, GatewayHome)> {
        let home = GatewayHome::new()?;
        fs::write(home.settings(), settings)?;
        Ok((Self::in_home(bench, upstream, &home, &[])?, home))
    }

    /// Starts one in a home, by the settings that are there, with these arguments.
    pub(crate) fn in_home(
        bench: &ProofBench,
        upstream: SocketAddr,
        home: &GatewayHome,
        arguments: &[&str],
    ) -> anyhow::Result<Self> {
        let upstream = format!("http://{upstream}");
        Self::launch(bench, home, &[&["--backend-url", &upstream], arguments].concat(), &[])
    }

    /// Starts one in a home, by the settings that are there, with these arguments and variables.
    pub(crate) fn launch(
        bench: &ProofBench,
        home: &GatewayHome,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let log = File::options().create(true).append(true).open(home.path().join("log"))?;
        let mut command = Command::new(&bench.program);
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            // Neither settings nor variables of the user who runs this change what is tried.
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", home.path())
            .env("FORGE_DATA_DIR", home.data())
            // The bodies are short, and what is tried is most of all what happens to what was left out.
            .env("FORGE_TOOL_OUTPUT_EXPAND_INJECTION", "from_start")
            .envs(variables.iter().copied())
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log);
        if home.settings().exists() {
            command.arg("--config").arg(home.settings());
        }
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        let mut stdout = BufReader::new(child.stdout.take().context("no output")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
        let Some(address) = address.and_then(|address| address.parse().ok()) else {
            let _ = child.kill();
            let _ = child.wait();
            bail!("it did not start: {line}{}", home.log());
        };
        let gateway = GatewayProcess { child, _stdout: stdout, address };
        super::wait_until(PATIENCE, || gateway.get("/_forge/readyz").status == 200);
        Ok(gateway)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request and reads its answer.
    pub(crate) fn send(&self, ask: &Ask) -> Answer {
        Open::asking(self.address, ask).answer()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&Ask::new("GET", path))
    }

    /// Has it ended by itself?
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) -> anyhow::Result<()> {
        let pid = self.pid().to_string();
        let status = Command::new("kill").args([name, &pid]).status().context("kill")?;
        anyhow::ensure!(status.success(), "kill {name}: {status}");
        Ok(())
    }

    /// The memory it holds now, in bytes.
    pub(crate) fn rss(&self) -> anyhow::Result<usize> {
        self.memory("VmRSS:")
    }

    /// The most memory it held since [`forget_peak`](Self::forget_peak), in bytes.
    pub(crate) fn peak(&self) -> anyhow::Result<usize> {
        self.memory("VmHWM:")
    }

    /// Lets the peak begin at what is held now.
    pub(crate) fn forget_peak(&self) -> anyhow::Result<()> {
        let path = format!("/proc/{}/clear_refs", self.pid());
        fs::write(&path, "5").context(path)
    }

    /// The processor time that it took so far.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        let path = format!("/proc/{}/stat", self.pid());
        let stat = fs::read_to_string(&path).context(path)?;
        let (_, fields) = stat.rsplit_once(')').context("a process without a name")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let ticks = |at: usize| anyhow::Ok(fields.get(at).context("a short stat")?.parse::<u32>()?);
        Ok(Duration::from_millis(10) * (ticks(11)? + ticks(12)?))
    }

    fn memory(&self, field: &str) -> anyhow::Result<usize> {
        let path = format!("/proc/{}/status", self.pid());
        let status = fs::read_to_string(&path).context(path)?;
        let value = status.lines().find_map(|line| line.strip_prefix(field));
        let kilobytes =
            value.with_context(|| format!("no {field}"))?.trim().trim_end_matches(" kB");
        Ok(kilobytes.parse::<usize>()? * 1024)
    }
}

impl Drop for GatewayProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
