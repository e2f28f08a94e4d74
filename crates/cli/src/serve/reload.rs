//! Hot reload: settings that change while the gateway runs, when their file does, and on SIGHUP.

use crate::settings::SettingsSource;
use anyhow::{Context, bail};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{ConfigFile, Settings};
use tokenforge_gateway::Gateway;
use tokio::sync::mpsc;

/// Editors write a file in several steps, and shells empty it first: what it says must be the same for this long.
const SETTLE: Duration = Duration::from_millis(50);

/// How often a file may change while it is looked at. Each change is also an event that brings us back.
const LOOKS: usize = 20;

/// Watches until the result is dropped.
pub(super) fn watch(
    gateway: Arc<Gateway>,
    source: SettingsSource,
) -> anyhow::Result<Option<RecommendedWatcher>> {
    let (sender, mut changes) = mpsc::channel(1);
    let watcher = source.file.as_deref().map(|file| watcher(file, sender.clone())).transpose()?;
    hang_up(sender)?;
    tokio::spawn(async move {
        while changes.recv().await.is_some() {
            let text = read_when_settled(&source, &mut changes).await;
            reload(&gateway, &source, text);
        }
    });
    Ok(watcher)
}

/// What the file says, once it stays the same.
async fn read_when_settled(
    source: &SettingsSource,
    changes: &mut mpsc::Receiver<()>,
) -> anyhow::Result<Option<String>> {
    let mut before = source.read().ok();
    for _ in 0..LOOKS {
        tokio::time::sleep(SETTLE).await;
        let _ = changes.try_recv();
        let now = source.read();
        match now {
            Err(_) if before.is_none() => return now,
            Ok(text) if before.as_ref() == Some(&text) => return Ok(text),
            now => before = now.ok(),
        }
    }
    bail!("the file is still being written")
}

/// Takes the new settings, or says why not and goes on with the old ones.
fn reload(gateway: &Gateway, source: &SettingsSource, text: anyhow::Result<Option<String>>) {
    match text.and_then(|text| reconfigure(gateway, source, text.as_deref())) {
        Ok(()) => tracing::info!("the new settings are used"),
        Err(error) => tracing::error!("the new settings are not used: {error:#}"),
    }
}

fn reconfigure(
    gateway: &Gateway,
    source: &SettingsSource,
    text: Option<&str>,
) -> anyhow::Result<()> {
    if text.is_some_and(|text| ConfigFile { name: "", text }.is_blank()) {
        bail!("the file is empty; to run without settings, restart without a file");
    }
    let (settings, origins) = source.load_text(text)?;
    let settings = still_asks(gateway, settings)?;
    let before = gateway.settings();
    refuse_downgrade(&before, &settings)?;
    gateway.reconfigure(settings.clone())?;
    gateway.set_origins(origins);
    for name in before.restart_needed(&settings) {
        tracing::warn!(setting = name, "changed; takes effect after a restart");
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

/// What protects is taken away by a restart only: a file that was cut short reads like one that does so.
fn refuse_downgrade(before: &Settings, new: &Settings) -> anyhow::Result<()> {
    let lost = before.safeguards_lost(new);
    if lost.is_empty() {
        return Ok(());
    }
    let names = lost.join("`, `");
    bail!("they would turn off `{names}`; restart the gateway if you want that")
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
pub(super) fn hang_up(changes: mpsc::Sender<()>) -> anyhow::Result<()> {
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
pub(super) fn hang_up(_: mpsc::Sender<()>) -> anyhow::Result<()> {
    Ok(())
}
