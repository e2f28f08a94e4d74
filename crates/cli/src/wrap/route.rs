//! The route of the agent's requests: through a gateway that runs, with failover to one of our own, or through that alone.

use super::launch::probe::{self, ProbeResult};
use super::plan::BaseUrlPlan;
use super::savings;
use crate::embedded::EmbeddedGateway;
use crate::gateway::{GatewayClient, url};
use crate::output::tell;
use crate::{ledger, serve};
use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokenforge_config::Settings;
use tokenforge_ledger::GroupBy;
use tokio::task::JoinHandle;

/// How often a gateway that is not ours is asked whether it is still there.
const EVERY: Duration = Duration::from_secs(1);

/// How often in a row it may be silent: who restarts it has that long.
const SILENCES: u32 = 2;

/// Longer names of projects are cut.
const LONGEST: usize = 64;

/// An open way.
pub(super) struct GatewayRoute {
    gateway: GatewayClient,
    project: String,
    /// When it was opened, in seconds since 1970.
    since: u64,
    own: Own,
    watching: Option<JoinHandle<()>>,
}

/// The gateway that is ours, if there is one: from the beginning, or since another stopped answering.
type Own = Arc<Mutex<Option<EmbeddedGateway>>>;

impl GatewayRoute {
    /// Takes the gateway that runs, if it is like us and there is nothing special about this run; else starts one.
    pub(super) async fn open(
        plan: &BaseUrlPlan,
        settings: Settings,
        is_special: bool,
    ) -> anyhow::Result<Self> {
        let project = project();
        let asks_for_keys = !settings.keys.is_empty();
        if !is_special && !asks_for_keys && plan.is_usual() {
            let gateway = GatewayClient::of_operator(None, None, &settings)?;
            if is_ours(settings.clone()).await {
                let since = ledger::now();
                let own = Own::default();
                let watching = Some(tokio::spawn(stand_in(settings, own.clone())));
                return Ok(GatewayRoute { gateway, project, since, own, watching });
            }
        }
        let token = settings.admin_token.clone();
        let own = start(for_one(settings, plan)).await?;
        let gateway = GatewayClient::new(&url(own.address), token)?;
        let own = Arc::new(Mutex::new(Some(own)));
        Ok(GatewayRoute { gateway, project, since: ledger::now(), own, watching: None })
    }

    /// What a client is told: the address, and the project under which it is counted.
    pub(super) fn url(&self) -> String {
        format!("{}/p/{}", self.gateway.url, self.project)
    }

    /// Ends it; what was saved since it was opened, in a line.
    pub(super) async fn close(self) -> String {
        if let Some(watching) = &self.watching {
            watching.abort();
        }
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).take();
        let query = format!("&project={}&since={}", self.project, self.since);
        let gain = self.gateway.gain(GroupBy::Tool, &query).await.ok();
        let look = match &own {
            Some(_) => "see `tokenforge gain --cost`".to_owned(),
            None => format!("see `tokenforge gain --cost` or {}/_forge/ui/", self.gateway.url),
        };
        if let Some(own) = own {
            own.end().await;
        }
        savings::line(gain.as_ref(), &look)
    }
}

/// Whether the user's own gateway listens there, in this version and without keys. It has to prove that it is the
/// user's, because no other listener may get a login.
async fn is_ours(settings: Settings) -> bool {
    let seen = tokio::task::spawn_blocking(move || probe::ask_patiently(&settings)).await;
    matches!(
        seen,
        Ok(ProbeResult::Gateway { version, asks_for_key: false, .. }) if version == env!("CARGO_PKG_VERSION")
    )
}

/// The settings of a gateway for one agent: on this machine, on a port that only this agent learns, and without keys,
/// since the agent has none but its provider's.
fn for_one(mut settings: Settings, plan: &BaseUrlPlan) -> Settings {
    settings.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    settings.keys.clear();
    plan.redirect(&mut settings.upstreams);
    settings
}

async fn start(settings: Settings) -> anyhow::Result<EmbeddedGateway> {
    let store = serve::open(&settings.store)?;
    let embedded = EmbeddedGateway::start(serve::with_data(settings), store).await?;
    embedded.admit_operator();
    embedded.admit_command();
    embedded.admit_aws();
    Ok(embedded)
}

/// Takes the place of a gateway that no longer answers: the agent knows no other address. If another program took it
/// first, the user is warned, because the agent sends its login there.
async fn stand_in(settings: Settings, own: Own) {
    let url = url(settings.listen);
    let (mut silences, mut is_warned) = (0, false);
    loop {
        tokio::time::sleep(EVERY).await;
        let asked = settings.clone();
        let seen = tokio::task::spawn_blocking(move || probe::ask(&asked)).await;
        silences = match seen {
            Ok(ProbeResult::Gateway { .. } | ProbeResult::Busy) => 0,
            Ok(ProbeResult::Stranger(why)) if !is_warned => {
                is_warned = true;
                tell(&format!("tokenforge: {why}; end the agent, because its requests go there"));
                0
            }
            _ => silences + 1,
        };
        // While another program holds the address, nothing can be done but to wait.
        if silences >= SILENCES
            && let Ok(started) = start(settings.clone()).await
        {
            *own.lock().unwrap_or_else(PoisonError::into_inner) = Some(started);
            tell(&format!(
                "tokenforge: the gateway at {url} stopped answering; `wrap` runs one in its place until the agent ends"
            ));
            return;
        }
    }
}

/// The name of the folder that we are in, as far as a path can have it.
pub(super) fn project() -> String {
    let folder = env::current_dir().ok();
    let name = folder.as_deref().and_then(|folder| folder.file_name()).unwrap_or_default();
    let plain = |char: char| {
        let is_plain = char.is_ascii_alphanumeric() || "-_.".contains(char);
        if is_plain { char } else { '-' }
    };
    let name: String = name.to_string_lossy().chars().take(LONGEST).map(plain).collect();
    // Dots alone would lead elsewhere.
    if name.bytes().all(|byte| byte == b'.') { "wrap".to_owned() } else { name }
}
