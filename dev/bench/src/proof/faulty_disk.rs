//! Row 7: a data folder that cannot be written, is full, or is deleted: requests go on, and nothing is lost.

use crate::kit::{
    GatewayHome, GatewayProcess, ProofBench, conversation, messages, test_run, without_tools,
};
use crate::row::{Faults, ProofRow, RowResult};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tokenforge_mock::{Mock, Recorded, Reply, first_reference};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 7,
    what: "disk full, read-only folder, folder deleted while running",
    bar: "200 every time, and what was left out can be fetched back in that very request, above 64 KiB too",
    prove,
};

const REQUESTS: usize = 10;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut done = Vec::new();
    for trouble in [Trouble::ReadOnly, Trouble::Full, Trouble::Deleted, Trouble::DeletedWithStore] {
        if trouble.needs_mount() && !MountedFolder::is_possible() {
            done.push(format!("{trouble:?}: skipped, needs root and mount"));
            continue;
        }
        let fetched = try_trouble(bench, trouble, &mut faults)?;
        done.push(format!("{trouble:?}: {fetched} fetched back"));
    }
    let figure = format!("{}; clock jumps are not injected", done.join(", "));
    faults.into_result(format!("{} requests", 3 * REQUESTS * done.len()), figure)
}

/// What happens to the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// Before the start.
    ReadOnly,
    /// Before the start, but for some pages.
    Full,
    /// While it runs; originals are in memory.
    Deleted,
    /// While it runs; originals are in it.
    DeletedWithStore,
}

impl Trouble {
    fn needs_mount(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Full)
    }
}

/// Requests before a gateway in trouble. How many texts were fetched back.
fn try_trouble(bench: &ProofBench, trouble: Trouble, faults: &mut Faults) -> anyhow::Result<usize> {
    let mock = Mock::start();
    let home = GatewayHome::new()?;
    let _mounted = match trouble {
        Trouble::ReadOnly => Some(MountedFolder::read_only(&home.data())?),
        Trouble::Full => Some(MountedFolder::full(&home.data())?),
        _ => None,
    };
    let store = format!("disk:{}", home.data().join("store").display());
    let arguments: &[&str] = match trouble {
        Trouble::Full | Trouble::DeletedWithStore => &["--store", &store],
        _ => &[],
    };
    let gateway = match GatewayProcess::in_home(bench, mock.address(), &home, arguments) {
        // A store that was named and cannot be opened may stop the start; it must say so.
        Err(error) if trouble == Trouble::Full && error.to_string().contains("store") => {
            return Ok(0);
        }
        started => started?,
    };
    let mut fetched = 0;
    for number in 0..REQUESTS {
        if number == 2 && !trouble.needs_mount() {
            fs::remove_dir_all(home.data())?;
        }
        let small = test_run(number);
        let (log, needle) = long_log(number);
        let large = small.clone() + &log;
        for (name, text, needle) in [
            ("small", &small, format!("suite-{number:08x}")),
            ("large", &large, needle.clone()),
            ("large, no tools", &large, needle),
        ] {
            let mut body = conversation(text);
            if name.ends_with("no tools") {
                without_tools(&mut body);
            }
            mock.clear();
            let pattern = needle.clone();
            mock.reply_with(move |request| fetch(request, &pattern));
            let answer = gateway.send(&messages(&body));
            let told = || format!("{trouble:?}, request {number}, {name}");
            faults.check(answer.status == 200, || format!("{}: {}", told(), answer.status));
            let seen = mock.requests();
            let is_there = |request: &Recorded| contains(&request.body, needle.as_bytes());
            faults.check(seen.iter().any(is_there), || format!("{}: lines are lost", told()));
            fetched += usize::from(seen.len() > 1 && seen.last().is_some_and(is_there));
        }
    }
    Ok(fetched)
}

/// A model that looks for a line: in what it was sent, else behind the reference.
fn fetch(request: &Recorded, needle: &str) -> Reply {
    let reference = first_reference(&request.body);
    match reference.filter(|_| !contains(&request.body, needle.as_bytes())) {
        Some(id) => Reply::calling("expand_context", serde_json::json!({"id": id, "grep": needle})),
        None => Reply::new().text("I have seen it."),
    }
}

/// 300 KB that no stage but the cap makes much smaller, and a word from the middle of it that occurs once.
fn long_log(number: usize) -> (String, String) {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let words: Vec<String> =
        (0..18_000).map(|_| (0..9).map(|_| rng.alphanumeric()).collect()).collect();
    let line = |(n, words): (usize, &[String])| format!("line {n} {}\n", words.join(" "));
    (words.chunks(3).enumerate().map(line).collect(), words[9_000].clone())
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// A file system of its own over a folder, taken away in the end.
struct MountedFolder {
    path: PathBuf,
}

impl MountedFolder {
    fn is_possible() -> bool {
        let Ok(folder) = tempfile::TempDir::new() else { return false };
        MountedFolder::over(folder.path(), "size=64k").is_ok()
    }

    fn over(path: &Path, options: &str) -> anyhow::Result<Self> {
        mount(&["-t", "tmpfs", "-o", options, "tmpfs"], path)?;
        Ok(MountedFolder { path: path.to_owned() })
    }

    fn read_only(path: &Path) -> anyhow::Result<Self> {
        let mounted = Self::over(path, "size=64k")?;
        mount(&["-o", "remount,ro"], path)?;
        Ok(mounted)
    }

    /// Room for 64 KB, and a file that takes half of it.
    fn full(path: &Path) -> anyhow::Result<Self> {
        let mounted = Self::over(path, "size=64k")?;
        fs::write(path.join("ballast"), [0; 32 << 10])?;
        Ok(mounted)
    }
}

impl Drop for MountedFolder {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.path).output();
    }
}

fn mount(arguments: &[&str], path: &Path) -> anyhow::Result<()> {
    let output = Command::new("mount").args(arguments).arg(path).output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
