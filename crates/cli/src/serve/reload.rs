//! Settings that change while the gateway runs: when their file does, and on SIGHUP.

use crate::settings::Source;
use anyhow::Context;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::Settings;
use tokenforge_gateway::Gateway;
use tokio::sync::mpsc;

/// Editors write a file in several steps.
const SETTLE: Duration = Duration::from_millis(50);

/// Watches until the result is dropped.
pub(super) fn watch(
    gateway: Arc<Gateway>,
    source: Source,
) -> anyhow::Result<Option<RecommendedWatcher>> {
    let (sender, mut changes) = mpsc::channel(1);
    let watcher = source.file.as_deref().map(|file| watcher(file, sender.clone())).transpose()?;
    hang_up(sender)?;
    tokio::spawn(async move {
        while changes.recv().await.is_some() {
            tokio::time::sleep(SETTLE).await;
            let _ = changes.try_recv();
            reload(&gateway, &source);
        }
    });
    Ok(watcher)
}

/// Takes the new settings, or says why not and goes on with the old ones.
fn reload(gateway: &Gateway, source: &Source) {
    match reconfigured(gateway, source) {
        Ok(()) => tracing::info!("new settings"),
        Err(error) => tracing::error!("the new settings are not used: {error:#}"),
    }
}

fn reconfigured(gateway: &Gateway, source: &Source) -> anyhow::Result<()> {
    let (settings, origins) = source.load_with_origins()?;
    let settings = still_asks(gateway, settings)?;
    let before = gateway.settings();
    gateway.reconfigure(settings.clone())?;
    gateway.set_origins(origins);
    for name in before.restart_needed(&settings) {
        tracing::warn!(setting = name, "changed, and takes effect after a restart");
    }
    Ok(())
}

/// The address stays, so a gateway that others can reach must go on to ask who they are.
fn still_asks(gateway: &Gateway, mut settings: Settings) -> anyhow::Result<Settings> {
    let Settings { listen, mcp, ledger, .. } = gateway.settings();
    // It was read at the start, and is not read again.
    settings.mcp.file = mcp.file;
    settings.ledger.path = settings.ledger.path.or(ledger.path);
    super::refuse_public(&Settings { listen, ..settings.clone() })?;
    Ok(settings)
}

/// Watches the folder, since a file that is replaced is another file.
fn watcher(file: &Path, changes: mpsc::Sender<()>) -> anyhow::Result<RecommendedWatcher> {
    let file = file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?;
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let watched = file.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let concerns =
            |event: &notify::Event| !event.kind.is_access() && event.paths.contains(&watched);
        if event.as_ref().is_ok_and(concerns) {
            let _ = changes.try_send(());
        }
    })?;
    watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

#[cfg(unix)]
fn hang_up(changes: mpsc::Sender<()>) -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = signal(SignalKind::hangup()).context("cannot listen for signals")?;
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            let _ = changes.try_send(());
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn hang_up(_: mpsc::Sender<()>) -> anyhow::Result<()> {
    Ok(())
}
