//! `tokenforge mcp stdio -- CMD`: between a client and one tool server, over standard input and output.

use crate::data;
use crate::engine::TENANT;
use crate::settings::{self, Source};
use anyhow::Context;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use tokenforge_compress::reference::{Key, Reference};
use tokenforge_compress::{Mode, Original};
use tokenforge_config::Overrides;
use tokenforge_mcp::{HubSettings, Originals, Program, run_filter};
use tokenforge_negotiate::Format;
use tokenforge_store::{Disk, Kind, Store};

/// Run a tool server and make its results smaller on the way to the client
#[derive(Args)]
pub(crate) struct Stdio {
    /// The settings file [default: tokenforge.yaml here, or in the folder for settings]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The form of results: auto, toon, stc or json
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// How much to do to results: disabled, observe, safe, lossless, standard or aggressive
    #[arg(long)]
    mode: Option<Mode>,

    /// The server's program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Stdio) -> anyhow::Result<()> {
    let source =
        Source { file: settings::file(arguments.config.as_deref()), flags: Overrides::default() };
    let settings = source.load()?;
    let originals = Local::open();
    let mut engine = settings.tool_output.engine_settings();
    engine.mode = arguments.mode.unwrap_or(engine.mode);
    let mut mcp = settings.mcp;
    mcp.format = arguments.format.unwrap_or(mcp.format);
    let expands = settings.tool_output.enable_expand_context && originals.0.is_some();
    let settings = HubSettings { mcp, engine, expands };
    let mut command = arguments.command.iter().cloned();
    let program = Program {
        command: command.next().context("a program is needed")?,
        args: command.collect(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let ended = runtime.block_on(run_filter(&program, settings, Arc::new(originals), TENANT));
    let status =
        ended.with_context(|| format!("cannot run {}", program.command.to_string_lossy()))?;
    // A thread may still wait for a client that says nothing more.
    std::process::exit(code(status))
}

/// How the program ended, as shells say it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}

/// Originals in the user's data folder, if they can be kept there.
struct Local(Option<(Disk, Arc<Key>)>);

impl Local {
    fn open() -> Self {
        let opened =
            data::store().and_then(|store| Ok((Arc::new(Key::from_bytes(store.key()?)), store)));
        match opened {
            Ok((key, store)) => Local(Some((store, key))),
            Err(error) => {
                eprintln!("note: {error:#}; nothing is left out of results");
                Local(None)
            }
        }
    }
}

impl Originals for Local {
    fn key(&self) -> Option<Arc<Key>> {
        self.0.as_ref().map(|(_, key)| key.clone())
    }

    fn keep(&self, tenant: &str, original: &Original) -> bool {
        let id = original.reference.to_string();
        let put = |(store, _): &(Disk, _)| {
            store.put(Kind::Original, tenant, &id, original.text.as_bytes())
        };
        self.0.as_ref().is_some_and(|opened| put(opened).is_ok())
    }

    fn find(&self, tenant: &str, id: &str) -> Option<String> {
        let (store, key) = self.0.as_ref()?;
        let reference: Reference = id.parse().ok()?;
        let is_ours = reference.verify(key, tenant);
        let found =
            is_ours.then(|| store.get(Kind::Original, tenant, &reference.to_string()).ok())??;
        found.and_then(|bytes| String::from_utf8(bytes).ok())
    }
}
