//! The TLS certificate of the listener: read at the start, and again when its files change or on SIGHUP.

use anyhow::Context;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::Settings;
use tokenforge_gateway::{TlsIdentity, TlsIdentityError};
use tokio::sync::mpsc;

/// Certificate and key are replaced one after the other: they must go together within so many looks.
const LOOKS: usize = 20;

/// How long there is between two looks.
const SETTLE: Duration = Duration::from_millis(100);

/// What the settings name, if they do.
pub(super) fn load(settings: &Settings) -> anyhow::Result<Option<Arc<TlsIdentity>>> {
    let (Some(certificate), Some(key)) = (&settings.tls.cert, &settings.tls.key) else {
        return Ok(None);
    };
    Ok(Some(Arc::new(TlsIdentity::load(certificate, key)?)))
}

/// Reads the files again whenever something changes in their folders, until the result is dropped.
///
/// Certificate managers (certbot, Kubernetes) renew by replacing links, so the files themselves may never change.
pub(super) fn watch(identity: Arc<TlsIdentity>) -> anyhow::Result<RecommendedWatcher> {
    let (sender, mut changes) = mpsc::channel(1);
    let noting = sender.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = noting.try_send(());
        }
    })?;
    let mut folders: Vec<_> = identity.files().into_iter().map(folder).collect();
    folders.dedup();
    for folder in folders {
        let watched = watcher.watch(&folder, RecursiveMode::NonRecursive);
        watched.with_context(|| format!("cannot watch {}", folder.display()))?;
    }
    super::reload::hang_up(sender)?;
    tokio::spawn(async move {
        while changes.recv().await.is_some() {
            renew(&identity, &mut changes).await;
        }
    });
    Ok(watcher)
}

/// Takes what the files say now, or goes on with what there is and says why.
async fn renew(identity: &Arc<TlsIdentity>, changes: &mut mpsc::Receiver<()>) {
    let mut last = None;
    for _ in 0..LOOKS {
        tokio::time::sleep(SETTLE).await;
        let _ = changes.try_recv();
        match look(identity).await {
            Some(Ok(true)) => return tracing::info!("the new TLS certificate is used"),
            Some(Ok(false)) => return,
            Some(Err(error)) => last = Some(error),
            None => {}
        }
    }
    if let Some(error) = last {
        tracing::error!("the new TLS certificate is not used: {error}");
    }
}

async fn look(identity: &Arc<TlsIdentity>) -> Option<Result<bool, TlsIdentityError>> {
    let identity = identity.clone();
    tokio::task::spawn_blocking(move || identity.reload()).await.ok()
}

fn folder(file: &Path) -> std::path::PathBuf {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}
